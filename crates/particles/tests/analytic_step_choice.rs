//! Choice of steps, speeds of sound, starts under pressure and limits of coupling against numbers worked out by hand.

use huygens_core::coupling::{Placement, between};
use huygens_core::function::Function;
use huygens_exec::Exec;
use huygens_geometry::Pose;
use huygens_kernel::contact::CompliantMaterial;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::fill::{Amount, Rainfall, Region, Settle, Sizes};
use huygens_particles::sph::{FlowSpace, FluidFill, FluidSettings, FluidSystem, SolidMotion, expected_speed};
use huygens_particles::{Grain, GrainSettings, GrainSystem, Inlet, ParticleError, Rate, Traffic, Wall};
use huygens_particles::{Surface, WallMotion};

const G: Vec3 = Vec3::new(0.0, 0.0, -9.81);

fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 1e-13, "{got}, expected {expected}");
}

fn close(got: Vec3, expected: Vec3) {
    assert!(got.distance(expected) < 1e-14 * expected.length().max(1.0), "{got}, expected {expected}");
}

fn grains(gravity: Vec3) -> GrainSystem {
    let glass = CompliantMaterial { young: 1e7, poisson: 0.3, ..CompliantMaterial::default() };
    GrainSystem::new(GrainSettings { materials: vec![glass], gravity, ..GrainSettings::default() }).unwrap()
}

fn grain(z: f64, radius: f64, velocity: Vec3) -> Grain {
    Grain { position: Vec3::Z * z, radius, density: 2500.0, velocity, ..Grain::default() }
}

fn inlet(radius: f64) -> Inlet {
    Inlet {
        name: "feed".into(),
        region: Region::Box { low: Vec3::new(-0.1, -0.1, 1.9), high: Vec3::new(0.1, 0.1, 2.1) },
        rate: Rate::Number(10.0),
        sizes: Sizes::constant(radius),
        density: 2500.0,
        material: 0,
        velocity: Vec3::new(0.0, 0.0, -6.0),
        limit: None,
        start: 0.0,
        seed: 1,
    }
}

#[test]
fn grains_are_likely_to_meet_after_a_fall_through_all_there_is() {
    // Nothing at all: the least speed.
    assert_eq!(grains(G).likely_speed(), 1e-3);
    let mut system = grains(G);
    system.add(&grain(1.0, 0.05, Vec3::ZERO)).unwrap();
    system.add(&grain(0.0, 0.02, Vec3::X * 3.0)).unwrap();
    // From 1 m down to 0, and twenty of the greatest radius.
    near(system.likely_speed(), (9.0_f64 + 2.0 * 9.81 * (1.0 + 20.0 * 0.05)).sqrt());
    // A wall below and an inlet above count; the inlet is faster than all grains.
    let mut floor = Wall::new("floor", Surface::Plane, WallMotion::default());
    floor.motion.position = Vec3::new(0.0, 0.0, -0.5);
    system.add_wall(floor).unwrap();
    system.set_traffic(Traffic { inlets: vec![inlet(0.05)], ..Traffic::default() }).unwrap();
    near(system.likely_speed(), (36.0_f64 + 2.0 * 9.81 * (2.1 + 0.5 + 20.0 * 0.05)).sqrt());
}

#[test]
fn the_step_is_that_of_the_smallest_grain_there_is_or_will_be() {
    let mut system = grains(G);
    // Without grains the outer step will do.
    let empty = system.choose_step(None, Some(1.0), 1e-3);
    assert_eq!((empty.step, empty.too_long), (1e-3, false));
    system.add(&grain(0.0, 0.05, Vec3::ZERO)).unwrap();
    let speed = 2.0;
    let automatic = system.step_limit(speed).suggested;
    let choice = system.choose_step(None, Some(speed), 1.0);
    assert_eq!((choice.step, choice.automatic, choice.too_long), (automatic, automatic, false));
    assert_eq!(system.choose_step(None, Some(speed), 0.5 * automatic).step, 0.5 * automatic);
    // A given step is taken as it is, and warned of beyond twice the automatic one.
    for (factor, too_long) in [(1.9, false), (2.1, true)] {
        let choice = system.choose_step(Some(factor * automatic), Some(speed), 1.0);
        assert_eq!((choice.step, choice.too_long), (factor * automatic, too_long));
    }
    assert!(!system.choose_step(Some(9.0 * automatic), Some(speed), automatic).too_long);
    // Times of contact grow with the radius: grains of half the size, from an inlet, halve the step.
    system.set_traffic(Traffic { inlets: vec![inlet(0.025)], ..Traffic::default() }).unwrap();
    near(system.choose_step(None, Some(speed), 1.0).step, 0.5 * automatic);
    near(system.step_for([(0.0125, 2500.0, 0)], speed), 0.25 * automatic);
}

#[test]
fn rain_takes_the_step_of_its_fall_and_rests_at_a_share_of_its_weight() {
    let system = grains(G);
    let (radius, speed) = (0.01, (4.0_f64 + 2.0 * 9.81 * 3.0).sqrt());
    let fall = Rainfall {
        region: Region::Box { low: Vec3::ZERO, high: Vec3::new(1.0, 1.0, 3.0) },
        sizes: Sizes::constant(radius),
        amount: Amount::Number(1),
        density: 2500.0,
        material: 0,
        velocity: Vec3::new(0.0, 0.0, -2.0),
        seed: 1,
        settle: Settle { energy_per_grain: 1.0, check_every: 1, longest: 1.0 },
    };
    let own = system.step_for([(radius, 2500.0, 0)], speed);
    near(system.choose_rain_step(&fall, None, None, 1.0).unwrap(), own);
    assert_eq!(system.choose_rain_step(&fall, Some(0.5), None, 1.0).unwrap(), 0.5);
    let slow = system.step_for([(radius, 2500.0, 0)], 1.0);
    near(system.choose_rain_step(&fall, None, Some(1.0), 1.0).unwrap(), slow);
    assert!(slow > own);
    // Weight 2500 · 4.18879e-6 · 9.81 N, lifted by its radius.
    let weight = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6 * 9.81;
    near(fall.rest_energy(G), 1e-4 * weight * radius);
}

fn column(hydrostatic: bool) -> FluidFill {
    let points = (0..4).map(|k| Vec3::new(0.0, 0.0, 0.1 * (f64::from(k) + 0.5))).collect();
    FluidFill { points, velocity: Vec3::X * 2.0, hydrostatic }
}

#[test]
fn pressure_at_the_start_is_that_of_the_depth() {
    // The surface is at 0.4 m; depths of the middles of cells are 0.35, 0.25, 0.15 and 0.05 m.
    let pressures = |fill: &FluidFill, repeats| -> Vec<f64> {
        fill.with_pressures(G, 1000.0, 0.1, repeats).map(|(_, p)| p).collect()
    };
    for (got, depth) in pressures(&column(true), [false; 3]).into_iter().zip([0.35, 0.25, 0.15, 0.05]) {
        near(got, 9810.0 * depth);
    }
    assert_eq!(pressures(&column(false), [false; 3]), [0.0; 4]);
    // Where the column repeats there is no surface.
    assert_eq!(pressures(&column(true), [false, false, true]), [0.0; 4]);
    // A system gives its particles the same pressures.
    let mut system =
        FluidSystem::new(FluidSettings { spacing: 0.1, sound: 50.0, gravity: G, ..FluidSettings::default() })
            .unwrap();
    system.add_fill(&column(true)).unwrap();
    for (particle, depth) in system.particles().zip([0.35, 0.25, 0.15, 0.05]) {
        assert!((particle.pressure / (9810.0 * depth) - 1.0).abs() < 1e-10, "{particle:?}");
        assert_eq!(particle.velocity, Vec3::X * 2.0);
    }
}

#[test]
fn flows_are_expected_to_fall_through_their_height() {
    // From 0.05 to 0.35 m and a spacing: 0.4 m.
    let fills = [column(true)];
    let none = [false; 3];
    near(expected_speed(&fills, [], G, 0.1, none), (2.0 * 9.81 * 0.4_f64).sqrt());
    // Faster at the start, or through an inlet.
    assert_eq!(expected_speed(&fills, [], G * 1e-3, 0.1, none), 2.0);
    assert_eq!(expected_speed(&fills, [Vec3::new(3.0, 4.0, 0.0)], G, 0.1, none), 5.0);
    // Along an axis that repeats nothing falls to an end; across it, it does.
    assert_eq!(expected_speed(&fills, [], G, 0.1, [false, false, true]), 2.0);
    near(expected_speed(&fills, [], G, 0.1, [true, true, false]), (2.0 * 9.81 * 0.4_f64).sqrt());
    assert_eq!(expected_speed(&[], [], G, 0.1, none), 0.0);
}

#[test]
fn light_bodies_limit_the_step_by_the_area_they_push_with() {
    // A plate of 4 × 3 × 1 cells of 0.1 m: 0.12 m² along z, less along x and y.
    let settings = FluidSettings { spacing: 0.1, sound: 20.0, ..FluidSettings::default() };
    let points: Vec<Vec3> = (0..12)
        .map(|k| Vec3::new(0.1 * f64::from(k % 4) + 0.05, 0.1 * f64::from(k / 4) + 0.05, 0.05))
        .collect();
    near(settings.body_step_limit(6.0, &points), 6.0 / (2.0 * 1000.0 * 20.0 * 0.12));
    // In the plane x, y all is per metre: the longest side is 4 cells.
    let flat = FluidSettings { space: FlowSpace::Plane { normal: 2 }, ..settings };
    near(flat.body_step_limit(6.0, &points), 6.0 / (2.0 * 1000.0 * 20.0 * 0.4));
}

#[test]
fn fluids_refuse_steps_and_speeds_beyond_their_sound() {
    let mut system =
        FluidSystem::new(FluidSettings { spacing: 0.1, sound: 20.0, ..FluidSettings::default() }).unwrap();
    system.add_fill(&column(false)).unwrap();
    system.refresh(&Exec::serial()).unwrap();
    let limit = system.step_limit();
    system.check_step(limit, 1.0).unwrap();
    system.check_step(1.9 * limit, 2.0).unwrap();
    let refused = system.check_step(1.1 * limit, 1.0).unwrap_err();
    // Sound crosses the length of 1.5 spacings in 0.15/20 s.
    let ParticleError::FluidStep { sound, crossing, .. } = refused else { panic!("{refused}") };
    assert_eq!(sound, 20.0);
    near(crossing, 0.0075);
    system.check_speed().unwrap();
    let mut fast =
        FluidSystem::new(FluidSettings { spacing: 0.1, sound: 3.9, ..FluidSettings::default() }).unwrap();
    fast.add_fill(&column(false)).unwrap();
    fast.refresh(&Exec::serial()).unwrap();
    // 2 m/s is more than half of 3.9 m/s.
    assert!(matches!(fast.check_speed(), Err(ParticleError::FluidSound { speed: 2.0, sound: 3.9, .. })));
}

#[test]
fn walls_go_from_pose_to_pose_and_parts_go_with_them() {
    let turn = |angle: f64| Quat::from_axis_angle(Vec3::Z, angle);
    let from = Placement { position: Vec3::X, rotation: turn(0.2), ..Placement::default() };
    let to = Placement { position: Vec3::new(1.0, 0.5, 0.0), rotation: turn(0.7), ..Placement::default() };
    let Placement { position, rotation, velocity, omega } = between(&from, &to, 0.25);
    assert_eq!((position, velocity), (Vec3::X, Vec3::Y * 2.0));
    close(omega, Vec3::Z * 2.0);
    let motion = WallMotion { position, rotation, velocity, angular_velocity: omega };
    // A part one metre along x of axes that are turned by 0.2 rad.
    let part = motion.part(&Pose { position: Vec3::X, rotation: turn(0.3) });
    let arm = Vec3::new(0.2_f64.cos(), 0.2_f64.sin(), 0.0);
    close(part.position, Vec3::X + arm);
    close(part.velocity, Vec3::Y * 2.0 + 2.0 * Vec3::new(-arm.y, arm.x, 0.0));
    assert!(part.rotation.angle_between(turn(0.5)) < 1e-7);
}

#[test]
fn prescribed_walls_follow_their_functions() {
    let start = Pose { position: Vec3::new(1.0, 2.0, 3.0), rotation: Quat::from_axis_angle(Vec3::X, 0.5) };
    let ramp = |rate: f64| Function::Polynomial { coefficients: vec![0.0, rate] };
    let way = [ramp(2.0), ramp(0.0), ramp(-1.0)];
    let motion = WallMotion::prescribed(&start, &way, Vec3::X, &ramp(0.25), 2.0);
    close(motion.position, Vec3::new(5.0, 2.0, 1.0));
    close(motion.velocity, Vec3::new(2.0, 0.0, -1.0));
    close(motion.angular_velocity, Vec3::X * 0.25);
    assert!(motion.rotation.angle_between(Quat::from_axis_angle(Vec3::X, 1.0)) < 1e-7);
}

#[test]
fn motions_are_projected_into_the_plane_of_the_flow() {
    let start = Pose { position: Vec3::Y * 0.3, rotation: Quat::from_axis_angle(Vec3::X, 0.4) };
    let wall = WallMotion {
        position: Vec3::new(1.0, 7.0, 2.0),
        // Turned about y, the normal, by 0.6 rad, after a start that is turned about x.
        rotation: Quat::from_axis_angle(Vec3::Y, 0.6) * start.rotation,
        velocity: Vec3::new(1.0, 5.0, 3.0),
        angular_velocity: Vec3::new(1.0, 2.0, 3.0),
    };
    let change = [Vec3::new(0.2, 0.3, 0.4), Vec3::new(0.1, 0.2, 0.3)];
    let motion = SolidMotion::accelerated(&wall, change, 0.1);
    close(motion.acceleration, Vec3::new(2.0, 3.0, 4.0));
    close(motion.angular_acceleration, Vec3::new(1.0, 2.0, 3.0));
    let flat = motion.in_plane(&start, 1);
    // Height above the plane, and what turns out of it, are those of the start.
    close(flat.position, Vec3::new(1.0, 0.3, 2.0));
    assert!(flat.rotation.angle_between(motion.rotation) < 1e-7);
    close(flat.velocity, Vec3::new(1.0, 0.0, 3.0));
    close(flat.angular_velocity, Vec3::Y * 2.0);
    close(flat.acceleration, Vec3::new(2.0, 0.0, 4.0));
    close(flat.angular_acceleration, Vec3::Y * 2.0);
    // A tilt out of the plane is left out: of a turn about x alone nothing stays.
    let tilted = SolidMotion { rotation: Quat::from_axis_angle(Vec3::X, 0.3) * start.rotation, ..motion };
    assert!(tilted.in_plane(&start, 1).rotation.angle_between(start.rotation) < 1e-7);
}
