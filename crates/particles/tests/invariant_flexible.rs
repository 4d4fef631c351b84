//! Solids in a fluid that change their shape: as rigid ones where they move so, momentum, restarts.

use huygens_exec::Exec;
use huygens_kernel::sph::Rheology;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::sph::{
    FluidSettings, FluidSystem, MarkerMotion, SolidId, SolidMotion, TimeScheme, ViscousForm,
};

const D: f64 = 0.01;
const STEP: f64 = 2e-5;
const PLATE: SolidId = SolidId(0);

/// A number in 0 … 1 that looks random.
fn noise(k: usize) -> f64 {
    let x = (k as f64 * 12.9898).sin() * 43758.5453;
    x - x.floor()
}

/// Markers of a plate, three layers thick, about its middle.
fn plate() -> Vec<Vec3> {
    let at =
        |n: i32| Vec3::new(f64::from(n % 6) - 2.5, f64::from(n / 6 % 6) - 2.5, f64::from(n / 36) - 1.0) * D;
    (0..108).map(at).collect()
}

fn settings() -> FluidSettings {
    FluidSettings {
        spacing: D,
        sound: 20.0,
        gravity: Vec3::ZERO,
        rheology: Rheology::Newtonian { viscosity: 0.5 },
        artificial: 0.1,
        ..FluidSettings::default()
    }
}

/// A disturbed lump of fluid with room for the plate, which is added by `add`.
fn lump(settings: FluidSettings, add: impl FnOnce(&mut FluidSystem) -> SolidId) -> FluidSystem {
    let mut system = FluidSystem::new(settings).unwrap();
    for n in 0..13 * 13 * 13_usize {
        let [i, j, k] = [n % 13, n / 13 % 13, n / 169].map(|k| k as f64 - 6.0);
        if i.abs() < 3.6 && j.abs() < 3.6 && k.abs() < 2.1 {
            continue;
        }
        let jitter = Vec3::new(noise(3 * n), noise(3 * n + 1), noise(3 * n + 2)) - Vec3::splat(0.5);
        let velocity = Vec3::new((0.4 * j).sin(), (0.5 * k).cos(), 0.3 * jitter.x);
        system.add(Vec3::new(i, j, k) * D + 0.2 * D * jitter, velocity).unwrap();
    }
    assert_eq!(add(&mut system), PLATE);
    system
}

fn rigid(settings: FluidSettings, motion: SolidMotion) -> FluidSystem {
    lump(settings, |system| system.add_solid("plate", &plate(), motion, false).unwrap())
}

fn flexible(settings: FluidSettings, markers: &[MarkerMotion]) -> FluidSystem {
    lump(settings, |system| system.add_flexible("plate", markers, false).unwrap())
}

fn turning() -> SolidMotion {
    SolidMotion {
        rotation: Quat::from_rotation_x(0.05),
        velocity: Vec3::new(0.1, 0.0, -0.2),
        angular_velocity: Vec3::new(0.5, 1.0, 2.0),
        acceleration: Vec3::new(3.0, -2.0, 1.0),
        angular_acceleration: Vec3::new(10.0, 5.0, -7.0),
        ..SolidMotion::default()
    }
}

/// Variants of laws and steps.
fn variants() -> Vec<FluidSettings> {
    vec![
        settings(),
        FluidSettings { viscous_form: ViscousForm::Central, ..settings() },
        FluidSettings { scheme: TimeScheme::PredictorCorrector, ..settings() },
        FluidSettings { periodic: [Some([-0.065, 0.13]), None, None], ..settings() },
    ]
}

#[test]
fn markers_that_turn_as_a_rigid_plate_feel_the_same() {
    // At one instant: the same bits.
    for settings in variants() {
        let mut whole = rigid(settings.clone(), turning());
        let mut parts = flexible(settings, &whole.solid_markers(PLATE).unwrap());
        for system in [&mut whole, &mut parts] {
            system.refresh(&Exec::serial()).unwrap();
        }
        assert!(whole.marker_forces(PLATE).unwrap() == parts.marker_forces(PLATE).unwrap());
        let [[force, torque], [same, moment]] = [&whole, &parts].map(|s| s.solid_wrench(PLATE).unwrap());
        assert!(force == same && torque.length() > 1e-4);
        // About the origin of the world, where that of the plate is.
        assert!((torque - moment).length() < 1e-12 * torque.length(), "{torque} {moment}");
    }
}

#[test]
fn markers_that_go_as_a_rigid_plate_feel_the_same_for_long() {
    let motion = SolidMotion { velocity: Vec3::new(0.4, -0.2, 0.9), ..SolidMotion::default() };
    for settings in variants() {
        let mut whole = rigid(settings.clone(), motion);
        let mut parts = flexible(settings, &whole.solid_markers(PLATE).unwrap());
        for outer in 0..20 {
            let turn = 0.3 * f64::from(outer);
            let velocity = Vec3::new(0.4 * turn.cos(), -0.2, 0.9 * turn.sin());
            let position = whole.solid_markers(PLATE).unwrap()[0].position - plate()[0];
            let motion = SolidMotion { position, velocity, ..motion };
            whole.set_solid_motion(PLATE, motion).unwrap();
            let place =
                |x: &Vec3| MarkerMotion { position: position + *x, velocity, ..MarkerMotion::default() };
            let markers: Vec<MarkerMotion> = plate().iter().map(place).collect();
            parts.set_solid_markers(PLATE, &markers).unwrap();
            for system in [&mut whole, &mut parts] {
                system.run(&Exec::serial(), STEP, 5).unwrap();
            }
        }
        let forces = [&whole, &parts].map(|system| system.marker_forces(PLATE).unwrap());
        let largest = forces[0].iter().map(|row| row.vector().length()).fold(0.0, f64::max);
        let off = forces[0].iter().zip(forces[1]).map(|(a, b)| a.vector().distance(b.vector()));
        let off = off.fold(0.0, f64::max) / largest;
        assert!(off < 1e-9, "{off}");
        let [whole, parts] = [&mut whole, &mut parts].map(|s| s.take_solid_impulse(PLATE).unwrap()[0]);
        assert!(
            whole.length() > 1e-6 && (whole - parts).length() < 1e-11 * whole.length(),
            "{whole} {parts}"
        );
    }
}

/// A plate that waves, at the time `t` [s].
fn waving(t: f64) -> Vec<MarkerMotion> {
    let (amplitude, rate) = (0.3 * D, 300.0);
    let of = |x: Vec3| {
        let wave = amplitude * (40.0 * x.x).sin();
        let slope = amplitude * 40.0 * (40.0 * x.x).cos();
        MarkerMotion {
            position: x + Vec3::Z * (wave * (rate * t).sin()),
            velocity: Vec3::Z * (wave * rate * (rate * t).cos()),
            acceleration: Vec3::Z * (-wave * rate * rate * (rate * t).sin()),
            angular_velocity: Vec3::Y * (-slope * rate * (rate * t).cos()),
        }
    };
    plate().into_iter().map(of).collect()
}

#[test]
fn what_the_fluid_loses_the_markers_get() {
    for settings in variants() {
        let mut system = flexible(settings, &waving(0.0));
        let before = system.momentum();
        for _ in 0..40 {
            system.set_solid_markers(PLATE, &waving(system.time())).unwrap();
            system.run(&Exec::serial(), STEP, 5).unwrap();
        }
        let mut parts = vec![Vec3::ZERO; 108];
        system.take_marker_impulses(PLATE, &mut parts).unwrap();
        let [whole, _] = system.take_solid_impulse(PLATE).unwrap();
        let scale = system.settings().mass() * system.particles().map(|p| p.velocity.length()).sum::<f64>();
        let sum: Vec3 = parts.iter().sum();
        assert!(whole.length() > 1e-4 * scale);
        assert!((system.momentum() - before + sum).length() < 1e-12 * scale);
        assert!((whole - sum).length() < 1e-12 * scale);
        system.take_marker_impulses(PLATE, &mut parts).unwrap();
        assert!(parts.iter().all(|part| *part == Vec3::ZERO));
    }
}

/// Central forces of pairs have no moment: what the fluid and the moments about the origin add up to stays.
#[test]
fn angular_momentum_goes_over_too() {
    let settings = FluidSettings { viscous_form: ViscousForm::Central, ..settings() };
    let angular = |system: &FluidSystem| -> Vec3 {
        system.settings().mass() * system.particles().map(|p| p.position.cross(p.velocity)).sum::<Vec3>()
    };
    let mut system = flexible(settings, &waving(0.0));
    system.refresh(&Exec::serial()).unwrap();
    let before = angular(&system);
    for _ in 0..100 {
        system.set_solid_markers(PLATE, &waving(system.time())).unwrap();
        system.run(&Exec::serial(), STEP, 1).unwrap();
    }
    let [_, moment] = system.take_solid_impulse(PLATE).unwrap();
    let scale = system.settings().mass()
        * system.particles().map(|p| p.position.length() * p.velocity.length()).sum::<f64>();
    let error = (angular(&system) - before + moment).length() / scale;
    assert!(moment.length() > 1e-5 * scale && error < 1e-12, "{error}");
}

#[test]
fn a_restart_goes_on_and_threads_do_not_matter() {
    for settings in variants() {
        let run = |system: &mut FluidSystem, ex: &Exec, outer: u32| {
            for _ in 0..outer {
                system.set_solid_markers(PLATE, &waving(system.time())).unwrap();
                system.run(ex, STEP, 5).unwrap();
            }
        };
        let mut whole = flexible(settings.clone(), &waving(0.0));
        run(&mut whole, &Exec::serial(), 20);
        let saved = whole.save();
        let mut again = flexible(settings, &waving(0.0));
        again.restore(&saved).unwrap();
        assert!(again.save() == saved);
        // In the middle of a motion: markers go on with what they had.
        for (system, ex) in [(&mut whole, Exec::serial()), (&mut again, Exec::with_threads(2).unwrap())] {
            system.run(&ex, STEP, 3).unwrap();
            run(system, &ex, 10);
        }
        assert!(whole.save() == again.save());
        let mut impulses = [[Vec3::ZERO; 108]; 2];
        whole.take_marker_impulses(PLATE, &mut impulses[0]).unwrap();
        again.take_marker_impulses(PLATE, &mut impulses[1]).unwrap();
        assert!(impulses[0] == impulses[1] && impulses[0].iter().any(|i| i.length() > 0.0));
    }
}

#[test]
fn markers_that_are_nowhere_are_refused() {
    let mut system = flexible(settings(), &waving(0.0));
    let before = system.save();
    let mut broken = waving(0.1);
    broken[17].velocity.y = f64::NAN;
    assert!(system.set_solid_markers(PLATE, &broken).is_err());
    assert!(system.set_solid_markers(PLATE, &broken[..5]).is_err());
    assert!(system.set_solid_motion(PLATE, SolidMotion::default()).is_err());
    assert!(system.take_marker_impulses(PLATE, &mut [Vec3::ZERO; 7]).is_err());
    assert!(system.add_flexible("more", &broken, false).is_err());
    assert!(system.add_solid("more", &[Vec3::NAN], SolidMotion::default(), false).is_err());
    // Nothing is left of what was refused.
    assert!(system.save() == before);
    system.run(&Exec::serial(), STEP, 2).unwrap();
}
