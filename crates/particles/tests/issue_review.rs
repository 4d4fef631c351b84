//! What a cold reading of the crate found.

use std::sync::{Arc, Mutex};

use huygens_exec::Exec;
use huygens_kernel::contact::{CompliantMaterial, CompliantModel, TangentialLaw};
use huygens_kernel::{Quat, Vec3};
use huygens_particles::fill::{Region, Sizes};
use huygens_particles::measure::FlowMeter;
use huygens_particles::{
    Boundary, ForceField, Grain, GrainAt, GrainSettings, GrainSystem, Inlet, NearField, Outlet,
    ParticleError, Rate, Traffic, Wall, WallDrive, Zone,
};

fn settings() -> GrainSettings {
    let material = CompliantMaterial { young: 1e6, friction: 0.4, ..CompliantMaterial::default() };
    GrainSettings { materials: vec![material], ..GrainSettings::default() }
}

fn weightless(periodic: [Option<[f64; 2]>; 3]) -> GrainSystem {
    GrainSystem::new(GrainSettings { gravity: Vec3::ZERO, periodic, ..settings() }).unwrap()
}

fn grain(x: f64, y: f64, z: f64, radius: f64) -> Grain {
    Grain { position: Vec3::new(x, y, z), radius, ..Grain::default() }
}

/// Grains that roll and rub on a floor.
fn on_floor() -> GrainSystem {
    let mut system = GrainSystem::new(settings()).unwrap();
    for k in 0..20 {
        let mut one = grain(0.011 * f64::from(k % 5), 0.011 * f64::from(k / 5), 0.0049, 0.005);
        one.velocity = Vec3::new(0.3, 0.1 * f64::from(k % 3), -0.2);
        system.add(&one).unwrap();
    }
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    system
}

const DUMBBELL: [(Vec3, f64); 2] =
    [(Vec3::new(-0.004, 0.0, 0.0), 0.005), (Vec3::new(0.004, 0.0, 0.0), 0.005)];

fn add_dumbbell(system: &mut GrainSystem, position: Vec3, velocity: Vec3, spin: Vec3) {
    let shape = system.add_clump_shape(&DUMBBELL, 2500.0, 0).unwrap();
    system.add_clump(shape, position, Quat::IDENTITY, velocity, spin).unwrap();
}

#[test]
fn impulses_on_walls_do_not_know_where_a_run_is_cut() {
    let ex = Exec::serial();
    let (mut whole, mut cut) = (on_floor(), on_floor());
    whole.run(&ex, 2e-5, 300).unwrap();
    for part in [1, 99, 50, 150] {
        cut.run(&ex, 2e-5, part).unwrap();
    }
    assert_eq!(whole.places(), cut.places());
    assert_eq!(whole.take_wall_impulse(0), cut.take_wall_impulse(0));
    assert!(whole.save() == cut.save());
}

#[test]
fn clumps_do_not_know_where_a_run_is_cut() {
    for k in 0..40 {
        let turned = 0.37 * f64::from(k);
        let periodic =
            if k % 2 == 0 { [None; 3] } else { [Some([-0.031, 0.0617]), Some([0.007, 0.0433]), None] };
        let made = || {
            let mut system = weightless(periodic);
            let velocity = Vec3::new(turned.cos(), turned.sin(), -0.3 * turned.sin());
            let spin = Vec3::new(40.0 * turned.sin(), 90.0, 70.0);
            add_dumbbell(&mut system, -velocity * 0.01 * turned, velocity, spin);
            system
        };
        let ex = Exec::serial();
        let (mut whole, mut cut) = (made(), made());
        whole.run(&ex, 2e-5, 4_000).unwrap();
        for _ in 0..4_000 {
            cut.run(&ex, 2e-5, 1).unwrap();
        }
        assert_eq!(whole.places(), cut.places());
        assert!(whole.save() == cut.save());
    }
}

#[test]
fn a_state_with_grains_added_since_the_last_step_can_be_restored() {
    let mut system = on_floor();
    system.run(&Exec::serial(), 2e-5, 50).unwrap();
    system.add(&grain(0.0, 0.0, 0.5, 0.005)).unwrap();
    let saved = system.save();
    system.restore(&saved).unwrap();
    assert!(system.save() == saved);
}

#[test]
fn a_state_whose_clumps_have_left_can_be_restored() {
    let ex = Exec::serial();
    let made = || {
        let mut system = on_floor();
        add_dumbbell(&mut system, Vec3::Z, Vec3::ZERO, Vec3::ZERO);
        add_dumbbell(&mut system, Vec3::Z * 2.0, Vec3::ZERO, Vec3::ZERO);
        system
    };
    for gone in [&[20_u64][..], &[20, 22]] {
        let mut system = made();
        system.run(&ex, 2e-5, 50).unwrap();
        system.remove(&ex, gone).unwrap();
        let saved = system.save();
        // Into itself, and into the scene as it was made.
        let same = system.clone().restore(&saved);
        let mut again = made();
        let made_anew = again.restore(&saved);
        assert!(same.is_ok() && made_anew.is_ok(), "{gone:?}: {same:?} {made_anew:?}");
        assert!(again.save() == saved);
        again.run(&ex, 2e-5, 50).unwrap();
        system.run(&ex, 2e-5, 50).unwrap();
        assert!(again.save() == system.save());
    }
}

#[test]
fn walls_get_what_grains_lose_when_grains_come_and_go() {
    let ex = Exec::serial();
    let mut system = weightless([None; 3]);
    let mut one = grain(0.0, 0.0, 0.0049, 0.005);
    one.velocity = Vec3::new(0.0, 0.0, -0.2);
    system.add(&one).unwrap();
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    system.run(&ex, 2e-5, 20).unwrap();
    let (wrench, impulse) = (system.wall_wrench(0), system.take_wall_impulse(0)[0].z);
    assert!(wrench[0].z < 0.0 && impulse < 0.0);
    let before = system.motions()[0].0[2];
    system.insert(&ex, &[grain(0.0, 0.0, 1.0, 0.005)]).unwrap();
    assert_eq!(system.wall_wrench(0), wrench);
    system.run(&ex, 2e-5, 20).unwrap();
    let at = system.ids().iter().position(|id| *id == 0).unwrap();
    let row = system.motions()[at].0;
    let (gained, given) = ((row[2] - before) / row[3], -system.take_wall_impulse(0)[0].z);
    assert!((gained / given - 1.0).abs() < 1e-12, "{gained} {given}");
}

#[test]
fn outlets_count_the_whole_of_a_clump() {
    let ex = Exec::serial();
    let mut system = weightless([None; 3]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::X, Vec3::ZERO);
    let mass = system.clump_mass(0).unwrap().0;
    let zone = Zone::Beyond { point: Vec3::X * 0.01, normal: Vec3::X };
    let outlets = vec![Outlet { name: "out".into(), zone }];
    system.set_traffic(Traffic { outlets, interval: 1, ..Traffic::default() }).unwrap();
    system.run(&ex, 1e-4, 200).unwrap();
    assert!(system.is_empty());
    let counted = system.traffic().unwrap().outlet_counts[0].mass;
    assert!((counted / mass - 1.0).abs() < 1e-12, "{counted} of {mass}");
}

#[test]
fn a_grain_that_goes_round_a_box_that_repeats_has_not_left_it() {
    let mut system = weightless([Some([0.0, 0.1]), None, None]);
    let mut one = grain(0.099, 0.0, 0.0, 0.005);
    one.velocity = Vec3::X;
    system.add(&one).unwrap();
    let (low, high) = (Vec3::new(0.0, -1.0, -1.0), Vec3::new(0.1, 1.0, 1.0));
    let boundary = Some(Boundary::Closed { low, high });
    system.set_traffic(Traffic { boundary, interval: 1, ..Traffic::default() }).unwrap();
    system.run(&Exec::serial(), 1e-5, 500).unwrap();
}

/// Notes what it is asked for.
#[derive(Debug, Default)]
struct Watch {
    seen: Mutex<Vec<(f64, f64)>>,
    pull: f64,
}

impl ForceField for Watch {
    fn force(&self, grain: &GrainAt) -> Vec3 {
        self.seen.lock().unwrap().push((grain.time, grain.position.x));
        Vec3::X * self.pull * grain.mass
    }
}

#[test]
fn fields_of_force_are_asked_for_the_time_of_the_positions() {
    let mut system = weightless([None; 3]);
    let mut one = grain(0.0, 0.0, 0.0, 0.005);
    one.velocity = Vec3::X;
    system.add(&one).unwrap();
    let watch = Arc::new(Watch::default());
    system.add_field(watch.clone());
    system.run(&Exec::serial(), 1e-3, 10).unwrap();
    for (time, x) in watch.seen.lock().unwrap().iter() {
        assert!((time - x).abs() < 1e-9, "at {time} s it is asked for where grains are at {x} s");
    }
}

#[test]
fn a_field_like_gravity_moves_clumps_as_gravity_does() {
    let mut system = weightless([None; 3]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    system.add_field(Arc::new(Watch { pull: 2.0, ..Watch::default() }));
    system.run(&Exec::serial(), 1e-3, 100).unwrap();
    let speed = system.clumps()[0].velocity.x;
    assert!((speed / 0.2 - 1.0).abs() < 1e-9, "{speed}");
}

#[test]
fn a_field_like_gravity_leaves_held_grains_alone() {
    let mut system = weightless([None; 3]);
    system.add(&Grain { density: f64::INFINITY, ..grain(0.0, 0.0, 0.0, 0.005) }).unwrap();
    system.add_field(Arc::new(Watch { pull: 2.0, ..Watch::default() }));
    system.run(&Exec::serial(), 1e-3, 100).unwrap();
    assert_eq!(system.motions()[0].vector(), Vec3::ZERO);
}

#[test]
fn materials_beyond_a_byte_are_refused_or_kept() {
    let mut materials = vec![CompliantMaterial { young: 1e6, ..CompliantMaterial::default() }; 300];
    materials[299].young = 1e9;
    let Ok(mut system) = GrainSystem::new(GrainSettings { materials, ..settings() }) else { return };
    if system.add(&Grain { material: 299, ..grain(0.0, 0.0, 0.0, 0.005) }).is_ok() {
        let mut stiff = GrainSystem::new(GrainSettings {
            materials: vec![CompliantMaterial { young: 1e9, ..CompliantMaterial::default() }],
            ..settings()
        })
        .unwrap();
        stiff.add(&grain(0.0, 0.0, 0.0, 0.005)).unwrap();
        assert_eq!(system.step_limit(1.0).rayleigh, stiff.step_limit(1.0).rayleigh);
    }
}

#[test]
fn boxes_that_cannot_repeat_are_refused() {
    for axis in [[0.0, 0.0], [0.0, -1.0], [0.0, f64::NAN], [f64::NAN, 1.0], [0.0, f64::INFINITY]] {
        let periodic = [Some(axis), None, None];
        assert!(GrainSystem::new(GrainSettings { periodic, ..settings() }).is_err(), "{axis:?}");
    }
}

/// Force on the grain with the id 0.
fn first_force(system: &mut GrainSystem) -> Vec3 {
    system.update_forces(&Exec::serial(), 1e-6);
    let at = system.ids().iter().position(|id| *id == 0).unwrap();
    system.forces()[at].vector()
}

#[test]
fn a_narrow_box_pushes_from_both_sides_or_is_refused() {
    // Two grains, each of which touches the other on both sides.
    let mut system = weightless([Some([0.0, 0.019]), None, None]);
    let added =
        system.add(&grain(0.005, 0.0, 0.0, 0.005)).and_then(|_| system.add(&grain(0.0145, 0.0, 0.0, 0.005)));
    if added.is_err() {
        return;
    }
    let force = first_force(&mut system);
    assert!(force.length() < 1e-9, "{force}");
}

#[test]
fn small_grains_in_a_box_little_wider_than_the_largest_touch() {
    let mut system = weightless([Some([0.0, 0.0102]), None, None]);
    system.add(&grain(0.002_54, 0.0, 0.0, 0.0015)).unwrap();
    system.add(&grain(0.005_11, 0.0, 0.0, 0.0015)).unwrap();
    system.add(&grain(0.0, 0.5, 0.0, 0.001)).unwrap();
    if system.add(&grain(0.0, 1.0, 0.0, 0.005)).is_err() {
        return;
    }
    assert!(first_force(&mut system).x < -1e-6);
    assert_eq!(system.contact_count(), 1);
}

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
fn spheres_of_one_clump_may_overlap() {
    let mut system = weightless([None; 3]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    system.check_no_overlap(1e-6).unwrap();
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
fn a_flow_meter_sees_grains_that_go_round_across_the_flow() {
    let mut system = weightless([None, Some([0.0, 0.1]), None]);
    for k in 0..50 {
        let mut one = grain(0.011 * f64::from(k), 0.002 * f64::from(k), 0.05, 0.005);
        one.velocity = Vec3::new(0.0, 1.0, -1.0);
        system.add(&one).unwrap();
    }
    let mut meter = FlowMeter::new(Vec3::ZERO, -Vec3::Z, f64::INFINITY).unwrap();
    for _ in 0..10 {
        meter.look(&system);
        system.run(&Exec::serial(), 1e-4, 100).unwrap();
    }
    meter.look(&system);
    assert_eq!(meter.forward, 50);
}

#[test]
fn a_state_that_says_its_forces_are_known_must_have_a_list() {
    let mut system = on_floor();
    let mut saved = system.save();
    // Version, rows, walls, time, step, next id, then whether forces are known.
    saved[6 * 8] = 1;
    if system.restore(&saved).is_ok() {
        system.run(&Exec::serial(), 2e-5, 10).unwrap();
    }
}

#[test]
fn gravity_that_was_changed_is_part_of_the_state() {
    let ex = Exec::serial();
    let mut system = on_floor();
    system.set_gravity(Vec3::X * 3.0);
    system.run(&ex, 2e-5, 50).unwrap();
    let mut again = on_floor();
    again.restore(&system.save()).unwrap();
    system.run(&ex, 2e-5, 50).unwrap();
    again.run(&ex, 2e-5, 50).unwrap();
    assert_eq!(system.places(), again.places());
}

#[test]
fn a_wall_with_a_mass_below_zero_is_refused() {
    for inverse_mass in [-1.0, f64::NAN, f64::INFINITY] {
        let mut system = on_floor();
        let wall = Wall { inverse_mass, ..Wall::plane("lid", Vec3::Z, -Vec3::Z) };
        assert!(system.add_wall(wall).is_err(), "{inverse_mass}");
    }
}

#[test]
fn a_step_that_is_none_is_refused() {
    for step in [0.0, -1e-5, f64::NAN, f64::INFINITY] {
        assert!(on_floor().run(&Exec::serial(), step, 3).is_err(), "{step}");
        assert!(weightless([None; 3]).run(&Exec::serial(), step, 3).is_err(), "{step}");
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
fn an_outlet_takes_grains_by_their_place_in_the_box() {
    let mut system = weightless([Some([0.0, 0.1]), None, None]);
    let mut one = grain(0.0995, 0.0, 0.0, 0.005);
    one.velocity = Vec3::X * 0.1;
    system.add(&one).unwrap();
    let zone =
        Zone::Inside(Region::Box { low: Vec3::new(0.0, -1.0, -1.0), high: Vec3::new(0.0002, 1.0, 1.0) });
    let outlets = vec![Outlet { name: "out".into(), zone }];
    system.set_traffic(Traffic { outlets, interval: 1, ..Traffic::default() }).unwrap();
    system.run(&Exec::serial(), 1e-5, 700).unwrap();
    assert!(system.is_empty());
}

#[test]
fn a_wall_that_stops_turning_to_shake_turns_no_more() {
    let mut system = on_floor();
    let turn = WallDrive::Rotation { axis: Vec3::Z, rate: 5.0, centre: Vec3::ZERO };
    system.set_wall_drive(0, turn).unwrap();
    system.run(&Exec::serial(), 2e-5, 10).unwrap();
    let shake = WallDrive::Vibration { amplitude: Vec3::Z * 1e-4, frequency: 30.0, phase: 0.0 };
    system.set_wall_drive(0, shake).unwrap();
    let before = system.walls()[0].motion.rotation;
    system.run(&Exec::serial(), 2e-5, 10).unwrap();
    assert_eq!(system.walls()[0].motion.rotation, before);
    assert_eq!(system.walls()[0].motion.angular_velocity, Vec3::ZERO);
}

#[test]
fn a_clump_of_spheres_allows_no_longer_step_than_one_of_them() {
    let (mut alone, mut joined) = (weightless([None; 3]), weightless([None; 3]));
    alone.add(&grain(0.0, 0.0, 0.0, 0.005)).unwrap();
    add_dumbbell(&mut joined, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    let (one, two) = (alone.step_limit(1.0), joined.step_limit(1.0));
    assert!(two.rayleigh <= one.rayleigh && two.critical <= one.critical, "{one:?} {two:?}");
}

#[test]
fn a_flow_meter_forgets_grains_that_left() {
    let ex = Exec::serial();
    let mut system = weightless([None; 3]);
    let mut meter = FlowMeter::new(Vec3::ZERO, Vec3::X, f64::INFINITY).unwrap();
    for k in 0..300 {
        let ids = system.insert(&ex, &[grain(0.0, 0.0, 0.0, 0.005)]).unwrap();
        meter.look(&system);
        system.remove(&ex, &[ids.start]).unwrap();
        assert_eq!(ids.start, k);
    }
    assert!(meter.bytes() < 2000, "{}", meter.bytes());
}

fn spout(rate: Rate, density: f64) -> Traffic {
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::splat(0.1) };
    let inlet = Inlet { density, ..Inlet::new("spout", region, rate, Sizes::constant(0.005)) };
    Traffic { inlets: vec![inlet], interval: 10, ..Traffic::default() }
}

#[test]
fn an_inlet_that_cannot_give_what_it_should_says_what_it_can() {
    // Every 1 ms a region of 1 l: 1414 balls of 0.52 ml as closely as they can lie, 1.85 kg.
    for (rate, most) in [(Rate::Number(1e300), 1.414e6), (Rate::Mass(1e12), 1851.2)] {
        let mut system = weightless([None; 3]);
        system.set_traffic(spout(rate, 2500.0)).unwrap();
        let error = system.run(&Exec::serial(), 1e-4, 20).unwrap_err();
        let ParticleError::InletRate { ref name, most: told, .. } = error else { panic!("{error}") };
        assert!(name == "spout" && (told / most - 1.0).abs() < 1e-3, "{error}");
    }
    for density in [f64::INFINITY, f64::NAN, 0.0] {
        let mut system = weightless([None; 3]);
        let error = system.set_traffic(spout(Rate::Number(10.0), density)).unwrap_err();
        assert!(error.to_string().contains("density of inlet 'spout'"), "{error}");
    }
}

#[test]
fn clumps_stay_in_a_box_that_repeats() {
    let mut system = weightless([Some([0.0, 0.1]), None, Some([-0.05, 0.1])]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::new(3.0, 0.1, -2.0), Vec3::new(0.0, 5.0, 9.0));
    system.run(&Exec::serial(), 1e-4, 10_000).unwrap();
    let clump = system.clumps()[0];
    // It may be out by what grains go between two lists.
    let Vec3 { x, y, z } = clump.position;
    assert!((-0.01..0.11).contains(&x) && (-0.06..0.06).contains(&z), "{clump:?}");
    assert!((y - 0.1).abs() < 1e-9 && clump.velocity == Vec3::new(3.0, 0.1, -2.0), "{clump:?}");
    // 3 m along x is where it started; its spheres are with it.
    assert!((x - 0.1 * (x / 0.1).round()).abs() < 1e-9, "{x}");
    for place in system.places() {
        let off = (place.vector() - clump.position) / Vec3::new(0.1, 1.0, 0.1);
        let arm = (off - Vec3::new(off.x.round(), 0.0, off.z.round())) * Vec3::new(0.1, 1.0, 0.1);
        assert!((arm.length() - 0.004).abs() < 1e-9, "{arm}");
    }
}

#[test]
fn memory_of_clumps_is_counted() {
    let (mut balls, mut pairs) = (weightless([None; 3]), weightless([None; 3]));
    for k in 0..1000 {
        let x = 0.02 * f64::from(k);
        balls.add(&grain(x - 0.004, 0.0, 0.0, 0.005)).unwrap();
        balls.add(&grain(x + 0.004, 0.0, 1.0, 0.005)).unwrap();
        add_dumbbell(&mut pairs, Vec3::X * x, Vec3::ZERO, Vec3::ZERO);
    }
    // A clump has 104 bytes, each sphere says which it is in.
    assert!(pairs.bytes() >= balls.bytes() + 1000 * (104 + 2 * 8));
}

#[test]
fn a_state_of_another_model_is_refused_with_the_reason() {
    let saved = on_floor().save();
    let with = |change: fn(&mut GrainSettings)| {
        let mut settings = settings();
        change(&mut settings);
        let mut other = GrainSystem::new(settings).unwrap();
        other.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
        other.restore(&saved).err().map_or(String::new(), |e| e.to_string())
    };
    // Other numbers are a new start from an old bed.
    assert_eq!(with(|settings| settings.materials[0].friction = 0.9), "");
    let told = with(|settings| settings.model.tangential = TangentialLaw::Mindlin);
    assert!(told.contains("the law of friction is History, here Mindlin"), "{told}");
    let told = with(|settings| settings.materials.push(CompliantMaterial::default()));
    assert!(told.contains("the number of materials is 1, here 2"), "{told}");
    let told = with(|settings| settings.periodic[0] = Some([0.0, 1.0]));
    assert!(told.contains("the periodic box"), "{told}");
    let mut other = GrainSystem::new(settings()).unwrap();
    other.add_wall(Wall::container("floor", Vec3::ZERO, Vec3::ONE)).unwrap();
    let told = other.restore(&saved).unwrap_err().to_string();
    assert!(told.contains("the surface of wall 'floor' is a plane, here a box"), "{told}");
}

#[test]
fn a_near_field_that_reaches_round_a_box_is_refused() {
    let near = |range| NearField { range, hamaker: 0.0, least_gap: 1e-9, repulsion: 1e-3, length: 1e-3 };
    let mut system = weightless([Some([0.0, 0.03]), None, None]);
    system.add(&grain(0.0, 0.0, 0.0, 0.005)).unwrap();
    system.set_near_field(Some(near(0.004))).unwrap();
    assert!(system.set_near_field(Some(near(0.006))).is_err());
    let error = system.add(&grain(0.0, 1.0, 0.0, 0.0056)).unwrap_err().to_string();
    assert!(error.contains("range of the near field"), "{error}");
}

#[test]
fn laws_change_under_grains_that_lie_still() {
    let ex = Exec::serial();
    // Held on a slope by what friction remembers.
    let made = || {
        let gravity = Vec3::new(1.0, 0.0, -9.81);
        let mut system = GrainSystem::new(GrainSettings { gravity, ..settings() }).unwrap();
        let shape = system.add_clump_shape(&DUMBBELL, 2500.0, 0).unwrap();
        let across = Quat::from_rotation_z(0.0);
        system.add_clump(shape, Vec3::Z * 0.005, across, Vec3::ZERO, Vec3::ZERO).unwrap();
        system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
        system.run(&ex, 2e-5, 20_000).unwrap();
        system
    };
    let rest = made();
    assert!(rest.kinetic_energy() < 1e-14, "{}", rest.kinetic_energy());
    let moved = |model: CompliantModel| {
        let mut system = rest.clone();
        let GrainSettings { materials, pairs, .. } = settings();
        system.change_laws(model, materials, pairs).unwrap();
        system.run(&ex, 2e-5, 20_000).unwrap();
        assert_eq!(system.ids().len(), 2);
        system.clumps()[0].position.distance(rest.clumps()[0].position)
    };
    // The same laws with other numbers go on; another kind has to find its springs, and slips a little.
    let model = CompliantModel { slow_impact: 1e-2, ..CompliantModel::default() };
    let kept = moved(model);
    let lost = moved(CompliantModel { tangential: TangentialLaw::Mindlin, ..model });
    assert!(kept < 1e-10 && lost > 10.0 * kept && lost < 1e-4, "{kept} {lost}");
    let mut system = rest.clone();
    assert!(system.change_laws(model, Vec::new(), Vec::new()).is_err());
    assert!(system.save() == rest.save());
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
