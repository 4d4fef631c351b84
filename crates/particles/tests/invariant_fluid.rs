//! Fluids: momentum, threads, where pairs are.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::sph::{Rheology, SmoothingKernel};
use huygens_particles::sph::{
    FlowSpace, FluidSettings, FluidSystem, SolidId, SolidMotion, ViscousForm, WallModel,
};

/// A number in 0 … 1 that looks random.
fn noise(k: usize) -> f64 {
    let x = (k as f64 * 12.9898).sin() * 43758.5453;
    x - x.floor()
}

/// A disturbed lump of fluid with a floating box in it.
fn lump(settings: FluidSettings) -> FluidSystem {
    let d = settings.spacing;
    let mut system = FluidSystem::new(settings).unwrap();
    let mut inside = Vec::new();
    for k in 0..14 {
        for j in 0..14 {
            for i in 0..14 {
                let at = Vec3::new(f64::from(i), f64::from(j), f64::from(k)) * d;
                if [i, j, k].iter().all(|x| (5..9).contains(x)) {
                    inside.push(at - Vec3::splat(6.5 * d));
                    continue;
                }
                let n = (i + 14 * (j + 14 * k)) as usize;
                let jitter = Vec3::new(noise(3 * n), noise(3 * n + 1), noise(3 * n + 2)) - Vec3::splat(0.5);
                let velocity = Vec3::new((0.4 * at.y / d).sin(), (0.5 * at.z / d).cos(), 0.3 * jitter.x);
                system.add(at + 0.2 * d * jitter, velocity).unwrap();
            }
        }
    }
    let motion = SolidMotion {
        position: Vec3::splat(6.5 * d),
        velocity: Vec3::new(0.1, 0.0, -0.2),
        angular_velocity: Vec3::new(0.0, 1.0, 2.0),
        ..SolidMotion::default()
    };
    system.add_solid("box", &inside, motion, false).unwrap();
    system
}

fn settings() -> FluidSettings {
    FluidSettings {
        spacing: 0.01,
        sound: 20.0,
        gravity: Vec3::ZERO,
        rheology: Rheology::Newtonian { viscosity: 0.5 },
        artificial: 0.1,
        ..FluidSettings::default()
    }
}

#[test]
fn what_the_fluid_loses_the_solid_gets() {
    let kernels = [
        SmoothingKernel::CubicSpline,
        SmoothingKernel::QuinticSpline,
        SmoothingKernel::WendlandC2,
        SmoothingKernel::WendlandC4,
        SmoothingKernel::Poly6Spiky,
    ];
    for (k, kernel) in kernels.into_iter().enumerate() {
        let form = [ViscousForm::Morris, ViscousForm::Laminar, ViscousForm::Central][k % 3];
        let walls = [WallModel::Balanced, WallModel::Projected][k % 2];
        let length_ratio = if kernel == SmoothingKernel::QuinticSpline { 0.9 } else { 1.3 } * 2.0
            / if kernel == SmoothingKernel::Poly6Spiky { 1.0 } else { 2.0 };
        let mut system =
            lump(FluidSettings { kernel, length_ratio, viscous_form: form, walls, ..settings() });
        let ex = Exec::serial();
        let before = system.momentum();
        system.run(&ex, 2e-5, 40).unwrap();
        let [impulse, _] = system.take_solid_impulse(SolidId(0)).unwrap();
        let scale = system.settings().mass() * system.particles().map(|p| p.velocity.length()).sum::<f64>();
        let error = (system.momentum() - before + impulse).length() / scale;
        assert!(error < 1e-13, "{kernel:?}: {error}");
        assert!(impulse.length() / scale > 1e-4, "{kernel:?}: the solid felt nothing");
    }
}

#[test]
fn pressure_and_central_viscosity_keep_angular_momentum() {
    let d = 0.01;
    let angular =
        |system: &FluidSystem| -> Vec3 { system.particles().map(|p| p.position.cross(p.velocity)).sum() };
    let turn = |form| {
        let mut system = FluidSystem::new(FluidSettings { viscous_form: form, ..settings() }).unwrap();
        for n in 0..12 * 12 * 12_usize {
            let at =
                Vec3::new((n % 12) as f64, (n / 12 % 12) as f64, (n / 144) as f64) * d - Vec3::splat(5.5 * d);
            system.add(at, Vec3::Z.cross(at) * 20.0 + 0.3 * Vec3::new(noise(n), noise(n + 7), 0.0)).unwrap();
        }
        let before = angular(&system);
        system.run(&Exec::serial(), 2e-5, 50).unwrap();
        (angular(&system) - before).length() / before.length()
    };
    // Sums of positions after a step of second order: only rounding is left.
    let central = turn(ViscousForm::Central);
    assert!(central < 1e-12, "{central}");
    let morris = turn(ViscousForm::Morris);
    assert!(morris > 1e-9, "forces across the line of centres have a moment: {morris}");
}

#[test]
fn a_body_goes_through_the_end_of_a_period_as_through_its_middle() {
    // The same flow, seen through windows that are half a period apart: in one of them the box lies across its ends.
    let d = 0.01;
    let length = 14.0 * d;
    let run = |low: f64| {
        let periodic = [Some([low, length]), Some([low, length]), None];
        let mut system = lump(FluidSettings { periodic, ..settings() });
        for _ in 0..4 {
            // Worlds set the motions of their bodies in every step.
            let motion = SolidMotion {
                position: Vec3::splat(6.5 * d) + system.time() * Vec3::new(2.0, 1.0, 0.0),
                velocity: Vec3::new(2.0, 1.0, 0.0),
                ..SolidMotion::default()
            };
            system.set_solid_motion(SolidId(0), motion).unwrap();
            system.run(&Exec::serial(), 2e-5, 50).unwrap();
        }
        system.take_solid_impulse(SolidId(0)).unwrap()
    };
    let ([force, torque], [across, turned]) = (run(-0.5 * d), run(6.0 * d));
    assert!(force.length() > 1e-3 && torque.length() > 1e-5, "{force} {torque}");
    assert!((across - force).length() < 1e-9 * force.length(), "{across} {force}");
    assert!((turned - torque).length() < 1e-9 * torque.length(), "{turned} {torque}");
}

#[test]
fn fluid_that_turns_with_a_body_does_not_rub_on_it() {
    let torque = |spin: f64| {
        let d = 0.01;
        let mut system = FluidSystem::new(FluidSettings {
            space: FlowSpace::Plane { normal: 1 },
            viscous_form: ViscousForm::Central,
            artificial: 0.0,
            ..settings()
        })
        .unwrap();
        let (mut inside, turn) = (Vec::new(), Vec3::Y * 3.0);
        for k in -10..=10 {
            for i in -10..=10 {
                let at = Vec3::new(f64::from(i), 0.0, f64::from(k)) * d;
                match i * i + k * k < 16 {
                    true => inside.push(at),
                    false => {
                        system.add(at, turn.cross(at)).unwrap();
                    }
                }
            }
        }
        let motion = SolidMotion { angular_velocity: Vec3::Y * spin, ..SolidMotion::default() };
        let body = system.add_solid("body", &inside, motion, false).unwrap();
        system.refresh(&Exec::serial()).unwrap();
        system.solid_wrench(body).unwrap()[1].y
    };
    let (still, together) = (torque(0.0), torque(3.0));
    assert!(still > 1e-4, "{still}");
    assert!(together.abs() < 1e-10 * still, "{together} beside {still}");
}

#[test]
fn spray_does_not_get_into_walls() {
    let d = 0.01;
    for (space, places) in [(FlowSpace::Plane { normal: 1 }, 4), (FlowSpace::Space, 16)] {
        let points = |range: std::ops::Range<i32>| range.map(move |k| f64::from(k) * d);
        let across = || if space == FlowSpace::Space { -5..6 } else { 0..1 };
        let wall: Vec<Vec3> = points(-4..0)
            .flat_map(|z| {
                points(across()).flat_map(move |y| points(-5..6).map(move |x| Vec3::new(x, y, z + 0.5 * d)))
            })
            .collect();
        for place in 0..places {
            let settings = FluidSettings { space, tension: false, ..settings() };
            let (sound, state) = (settings.sound, settings.state);
            // Spray of less than a third of the density, at a tenth of the speed of sound.
            let pressure = state.pressure(settings.density, sound, 300.0);
            let mut system = FluidSystem::new(settings).unwrap();
            system.add_solid("wall", &wall, SolidMotion::default(), true).unwrap();
            let [x, y] = [place % 4, place / 4].map(|k| 0.125 * f64::from(k) * d);
            system.add_with_pressure(Vec3::new(x, y, 3.0 * d), Vec3::NEG_Z * 0.1 * sound, pressure).unwrap();
            let mut deepest = f64::INFINITY;
            for _ in 0..400 {
                system.run(&Exec::serial(), 5e-5, 1).unwrap();
                deepest = system.particles().map(|p| p.position.z).fold(deepest, f64::min);
            }
            // The first markers are half a spacing below the surface.
            assert!(deepest > -0.5 * d, "{space:?} at {x}, {y}: {}", deepest / d);
            assert!(deepest < 0.9 * d, "{space:?} at {x}, {y}: never came to the wall, {}", deepest / d);
        }
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let run = |ex: &Exec| {
        let mut system = lump(FluidSettings { periodic: [Some([-0.02, 0.18]), None, None], ..settings() });
        system.run(ex, 4e-5, 60).unwrap();
        let mut all: Vec<_> = system.particles().collect();
        all.sort_by_key(|p| p.number);
        let bits = |v: Vec3| v.to_array().map(f64::to_bits);
        all.iter().map(|p| (bits(p.position), bits(p.velocity), p.density.to_bits())).collect::<Vec<_>>()
    };
    let serial = run(&Exec::serial());
    for threads in [2, 4] {
        assert!(serial == run(&Exec::with_threads(threads).unwrap()), "{threads} threads");
    }
}

/// Number of pairs within the reach, and what pairs do, against all pairs tried, in open and repeating boxes.
#[test]
fn pairs_are_those_that_are_near() {
    for periodic in [[None; 3], [Some([0.0, 0.16]), None, Some([-0.01, 0.2])], [Some([0.0, 0.14]); 3]] {
        let mut system = FluidSystem::new(FluidSettings { periodic, ..settings() }).unwrap();
        let size = Vec3::from_array(std::array::from_fn(|k| periodic[k].map_or(0.5, |p| p[1])));
        let low = Vec3::from_array(std::array::from_fn(|k| periodic[k].map_or(-0.25, |p| p[0])));
        for n in 0..1500 {
            let at = low + size * Vec3::new(noise(5 * n), noise(5 * n + 2), noise(5 * n + 3));
            system.add(at, Vec3::ZERO).unwrap();
        }
        system.refresh(&Exec::serial()).unwrap();
        let reach = system.settings().reach() + 0.1 * system.settings().spacing;
        let points: Vec<Vec3> = system.particles().map(|p| p.position).collect();
        let mut count = 0;
        for (i, a) in points.iter().enumerate() {
            for b in &points[..i] {
                let mut d = *a - *b;
                for k in 0..3 {
                    if let Some([_, length]) = periodic[k] {
                        d[k] -= length * (d[k] / length).round();
                    }
                }
                count += usize::from(d.length() < reach);
            }
        }
        assert_eq!(system.list_report().pairs, count, "{periodic:?}");
    }
}

/// A lattice that fills a repeating box does not move, whatever its kernel.
#[test]
fn a_lattice_is_at_rest() {
    for space in [FlowSpace::Space, FlowSpace::Plane { normal: 1 }] {
        let period = Some([0.0, 0.1]);
        let periodic = if space == FlowSpace::Space { [period; 3] } else { [period, None, period] };
        let mut system = FluidSystem::new(FluidSettings { space, periodic, ..settings() }).unwrap();
        let layers = if space == FlowSpace::Space { 10 } else { 1 };
        for n in 0..100 * layers {
            let at = Vec3::new((n % 10) as f64, (n / 100) as f64, (n / 10 % 10) as f64) * 0.01;
            system.add_with_pressure(at, Vec3::ZERO, 500.0).unwrap();
        }
        system.run(&Exec::serial(), 1e-4, 5).unwrap();
        assert!(system.range().acceleration < 1e-9, "{}", system.range().acceleration);
    }
}

/// Shifting finds the gradient of the concentration one-sided near a free surface, and would carry the rows below it out.
#[test]
fn shifting_does_not_spread_a_sheet_that_flies() {
    let d = 0.01;
    for space in [FlowSpace::Plane { normal: 1 }, FlowSpace::Space] {
        let settings = FluidSettings { space, spacing: d, gravity: Vec3::ZERO, ..FluidSettings::default() };
        assert!(settings.shifting.is_some());
        let mut system = FluidSystem::new(settings).unwrap();
        let across = if space == FlowSpace::Space { 6 } else { 1 };
        for k in 0..6 {
            for j in 0..across {
                for i in 0..12 {
                    let at = Vec3::new(f64::from(i), f64::from(j), f64::from(k)) * d;
                    system.add(at, Vec3::X).unwrap();
                }
            }
        }
        system.run_for(&Exec::serial(), 0.1).unwrap();
        let ends = |axis: usize| {
            let all = || system.particles().map(|p| p.position[axis]);
            all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min)
        };
        assert!((ends(2) - 5.0 * d).abs() < 1e-3 * d, "{space:?}: {}", ends(2) / d);
        assert!((ends(0) - 11.0 * d).abs() < 1e-3 * d, "{space:?}: {}", ends(0) / d);
    }
}

/// Artificial viscosity only fills up what the fluid lacks: it changes nothing where viscosity is larger.
#[test]
fn a_viscous_fluid_has_no_artificial_viscosity() {
    let run = |viscosity: f64, artificial: f64| {
        let rheology = Rheology::Newtonian { viscosity };
        let mut system = lump(FluidSettings { rheology, artificial, ..settings() });
        system.run(&Exec::serial(), 2e-5, 5).unwrap();
        system.kinetic_energy()
    };
    // α h c ρ/10 is 0.3 Pa·s.
    assert_eq!(run(0.5, 0.01), run(0.5, 0.0));
    assert!(run(0.01, 0.01) < run(0.01, 0.0));
}
