//! Neighbours: sizes far apart, grains far away, and grains in one place.

use std::sync::Arc;

use crate::beds::{Watch, add_dumbbell, grain, on_floor, weightless};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::{Grain, GrainSettings, GrainSystem, NearField, Wall};

#[test]
fn grains_of_very_different_sizes_touch_or_are_refused() {
    let mut system = weightless([None; 3]);
    // A grain on a ball that is ten thousand times larger.
    system.add(&grain(0.0, 0.0, 0.0, 1e-4)).unwrap();
    let mut places = vec![(0.9999e0 + 1e-4, 0.0)];
    places.extend([(0.0, 0.9999 + 1e-4), (0.0, -0.9999 - 1e-4), (-0.9999 - 1e-4, 0.0)]);
    let mut missed = Vec::new();
    for (x, y) in places {
        let mut system = weightless([None; 3]);
        system.add(&grain(x, y, 0.0, 1e-4)).unwrap();
        if system.add(&grain(0.0, 0.0, 0.0, 1.0)).is_err() {
            return;
        }
        // One far away, so that the grid does not start at the pair.
        system.add(&grain(-10.0, -10.0, -10.3, 1e-4)).unwrap();
        system.update_forces(&Exec::serial(), 1e-6);
        if system.contact_count() == 0 {
            missed.push((x, y));
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn what_is_added_far_away_changes_nothing_here() {
    let ex = Exec::serial();
    let mut alone = on_floor();
    alone.run(&ex, 2e-5, 200).unwrap();
    let of = |system: &GrainSystem| {
        let at = system.ids().iter().position(|id| *id == 7).unwrap();
        (system.places()[at].vector(), system.motions()[at].vector())
    };
    type Change = fn(&mut GrainSystem);
    let changes: [Change; 5] = [
        |system| assert_eq!(system.add(&grain(50.0, 0.0, 5.0, 0.005)), Ok(20)),
        |system| assert_eq!(system.add_wall(Wall::plane("lid", Vec3::Z * 3.0, -Vec3::Z)), Ok(1)),
        |system| system.add_field(Arc::new(Watch::default())),
        |system| {
            let near = NearField { range: 1e-6, hamaker: 0.0, least_gap: 1e-9, repulsion: 0.0, length: 1e-6 };
            system.set_near_field(Some(near)).unwrap();
        },
        |system| add_dumbbell(system, Vec3::new(-20.0, 0.0, 8.0), Vec3::ZERO, Vec3::ZERO),
    ];
    for (k, change) in changes.into_iter().enumerate() {
        let mut joined = on_floor();
        joined.run(&ex, 2e-5, 100).unwrap();
        change(&mut joined);
        // A state that is saved here goes on alike.
        let mut again = joined.clone();
        again.restore(&joined.save()).unwrap();
        joined.run(&ex, 2e-5, 100).unwrap();
        again.run(&ex, 2e-5, 100).unwrap();
        assert!(again.save() == joined.save(), "change {k}");
        let ((x, v), (y, w)) = (of(&alone), of(&joined));
        let (way, speed) = ((x - y).length(), (v - w).length());
        assert!(way < 1e-12 && speed < 1e-12, "change {k}: {way} {speed}");
    }
}

#[test]
fn one_grain_far_away_does_not_make_the_list_long() {
    let mut system = weightless([None; 3]);
    for k in 0..4000 {
        let (x, y, z) = (k % 10, k / 10 % 10, k / 100);
        system
            .add(&grain(0.0025 * f64::from(x), 0.0025 * f64::from(y), 0.0025 * f64::from(z), 0.001))
            .unwrap();
    }
    let timed = |system: &mut GrainSystem| {
        let start = std::time::Instant::now();
        (0..20).for_each(|_| system.update_forces(&Exec::serial(), 1e-6));
        start.elapsed().as_secs_f64()
    };
    let near = timed(&mut system);
    system.add(&grain(-1e5, -1e5, -1e5, 0.001)).unwrap();
    let far = timed(&mut system);
    assert!(far < 4.0 * near, "{far} s against {near} s");
}

#[test]
fn grains_with_one_centre_part() {
    let settings = GrainSettings { gravity: Vec3::ZERO, ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    for _ in 0..2 {
        system.add(&Grain { position: Vec3::new(0.3, -0.2, 0.1), ..Grain::default() }).unwrap();
    }
    // They fly apart at once: a step that follows such an overlap is very short.
    system.run(&Exec::serial(), 1e-9, 200).unwrap();
    let [a, b] = [0, 1].map(|i| system.motions()[i].vector());
    assert!((a.z - b.z).abs() > 1e-3 && a.x == 0.0 && a.y == 0.0, "{a} {b}");
    assert!((a + b).length() <= 1e-15 * a.length());
}
