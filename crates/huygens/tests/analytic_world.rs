//! Worlds: physics, restart, changes between runs, user laws and signals.

use std::ops::ControlFlow;
use std::sync::Arc;

use huygens::prelude::*;

fn point_pendulum() -> (World, BodyId) {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let bob = world
        .add_body(BodySpec {
            position: [1.0, 0.0, 0.0],
            mass: Some(1.0),
            inertia: Some(Inertia::diagonal([1e-10; 3])),
            ..BodySpec::dynamic("bob")
        })
        .unwrap();
    world
        .add_joint(
            JointSpec::new("pivot", JointType::Revolute, "ground", "bob").at([0.0; 3], [0.0, -1.0, 0.0]),
        )
        .unwrap();
    (world, bob)
}

#[test]
fn a_point_pendulum_has_the_published_period() {
    // IFToMM benchmark A01: 1 m, released horizontally.
    let (mut world, bob) = point_pendulum();
    let (mut before, mut crossings) = (-1.0, Vec::new());
    world
        .run_with(6.0, &mut |w| {
            let speed = w.body_velocity(bob).unwrap()[2];
            // The velocity changes from up to down when the bob is back at its start.
            if before > 0.0 && speed <= 0.0 && w.body_position(bob).unwrap()[0] > 0.0 {
                crossings.push(w.time() - 1e-3 * speed / (speed - before));
            }
            before = speed;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!((crossings[0] - 2.367842).abs() < 2e-5, "{crossings:?}");
    assert!((crossings[1] - 2.0 * 2.367842).abs() < 4e-5, "{crossings:?}");
}

#[test]
fn a_restart_continues_with_the_same_bits() {
    let build = || {
        let mut world = point_pendulum().0;
        let feedback = SensorSpec::new("pivot", "angle");
        world
            .add_signal(SignalEntry { name: "angle".into(), signal: SignalSpec::Sensor { sensor: feedback } })
            .unwrap();
        let goal = SignalSpec::Function { function: Function::constant(-1.0), input: None };
        world.add_signal(SignalEntry { name: "goal".into(), signal: goal }).unwrap();
        let pid = PidSpec { ki: 3.0, ..PidSpec::new("goal", "angle", 2.0) };
        world.add_signal(SignalEntry { name: "u".into(), signal: SignalSpec::Pid(pid) }).unwrap();
        world
            .add_motor(MotorSpec::on_joint("m", MotorType::Torque, "pivot", DriveSpec::signal("u")))
            .unwrap();
        world
    };
    let mut whole = build();
    whole.run(1.0).unwrap();
    let mut first = build();
    first.run(0.4).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = first.write_checkpoint(folder.path()).unwrap();
    let mut second = build();
    second.restore(&huygens_record::read_checkpoint(&path).unwrap()).unwrap();
    assert_eq!(second.state_hash(), first.state_hash());
    second.run(1.0).unwrap();
    assert_eq!(second.state_hash(), whole.state_hash());
    // Reading between the steps and threads leave no trace.
    let mut watched = build();
    watched.set_threads(2).unwrap();
    watched
        .run_with(1.0, &mut |w| {
            w.energy().unwrap();
            w.constraint_residual().unwrap();
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(watched.state_hash(), whole.state_hash());
    let other = World::new([0.0; 3]).restore(&huygens_record::read_checkpoint(&path).unwrap()).unwrap_err();
    assert!(other.to_string().contains("does not fit"), "{other}");
}

#[test]
fn objects_added_between_runs_leave_the_others_in_motion() {
    let (mut world, bob) = point_pendulum();
    let (mut plain, _) = point_pendulum();
    world.run(0.5).unwrap();
    let free = world
        .add_body(BodySpec {
            position: [5.0, 0.0, 0.0],
            mass: Some(1.0),
            shape: Some(Solid::Sphere { radius: 0.1 }),
            ..BodySpec::dynamic("")
        })
        .unwrap();
    assert_eq!(world.bodies()[1].1.name, "body2");
    world.run(1.0).unwrap();
    plain.run(1.0).unwrap();
    assert_eq!((world.step_count(), plain.step_count()), (1000, 1000));
    assert!((world.body_position(bob).unwrap()[2] - plain.body_position(bob).unwrap()[2]).abs() < 1e-6);
    assert!((world.body_position(free).unwrap()[2] + 0.5 * 9.81 * 0.25).abs() < 1e-6);
    world.set_body_velocity(free, [1.0, 0.0, 0.0]).unwrap();
    world.run(1.5).unwrap();
    assert!((world.body_position(free).unwrap()[0] - 5.5).abs() < 1e-9);
    assert!(world.set_body_position(free, [f64::NAN, 0.0, 0.0]).is_err());
}

/// The pendulum with a bob that has a size, so that it can be turned by a motor.
fn ball_pendulum() -> (World, BodyId) {
    let mut scene = point_pendulum().0.to_scene();
    (scene.bodies[0].inertia, scene.bodies[0].shape) = (None, Some(Solid::Sphere { radius: 0.2 }));
    let world = World::from_scene(&scene).unwrap();
    let bob = world.body("bob").unwrap();
    (world, bob)
}

#[test]
fn whole_turns_survive_a_change_of_the_model() {
    let (mut world, _) = ball_pendulum();
    let turning = Function::Ramp { start_value: 0.0, slope: 20.0, start_time: 0.0, end_time: None };
    world.add_motor(MotorSpec::on_joint("motor", MotorType::Angle, "pivot", turning)).unwrap();
    let pivot = world.joint("pivot").unwrap();
    world.run(1.0).unwrap();
    world.add_shaft(ShaftSpec { inertia: 1.0, ..ShaftSpec::default() }).unwrap();
    world.run(1.2).unwrap();
    assert!((world.joint_coordinate(pivot, 0).unwrap() - 24.0).abs() < 1e-8);
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());
}

#[test]
fn user_laws_and_constants_agree() {
    let build = |law: bool| {
        let mut world = World::new([0.0; 3]);
        let body = world
            .add_body(BodySpec {
                position: [1.3, 0.0, 0.0],
                mass: Some(2.0),
                shape: Some(Solid::Box { size: [0.1; 3] }),
                ..BodySpec::dynamic("block")
            })
            .unwrap();
        let spring = ForceSpec::Spring(SpringSpec {
            a: "ground".into(),
            b: "block".into(),
            stiffness: 50.0,
            length: Some(1.0),
            ..SpringSpec::default()
        });
        if law {
            world.add_force_law(spring, ForceLaw(Arc::new(|_, l, _| -50.0 * (l - 1.0)))).unwrap();
        } else {
            world.add_force(spring).unwrap();
        }
        world.run(1.0).unwrap();
        world.body_position(body).unwrap()[0]
    };
    let expected = 1.0 + 0.3 * 5f64.cos();
    assert!((build(false) - expected).abs() < 1e-5, "{}", build(false));
    assert!((build(true) - build(false)).abs() < 1e-8);
}

#[test]
fn user_signals_drive_motors() {
    let mut world = World::new([0.0; 3]);
    let shaft =
        world.add_shaft(ShaftSpec { name: "s".into(), inertia: 0.5, ..ShaftSpec::default() }).unwrap();
    let decay = UserOde::new(vec![2.0], |_, _, z, rate| rate[0] = -z[0]);
    world.add_user_ode("decay", &[], decay).unwrap();
    world.add_user_signal("torque", &["decay"], |_, inputs| 3.0 * inputs[0]).unwrap();
    world.add_motor(MotorSpec::on_shaft("m", MotorType::Torque, "s", DriveSpec::signal("torque"))).unwrap();
    world.run(1.0).unwrap();
    // ω = (1/J) ∫ 6 e⁻ᵗ dt.
    let (_, speed) = world.shaft_motion(shaft).unwrap();
    assert!((speed - 12.0 * (1.0 - (-1f64).exp())).abs() < 1e-5, "{speed}");
}

#[test]
fn redundant_joints_and_moved_starts_are_named() {
    let (mut world, _) = ball_pendulum();
    world
        .add_joint(
            JointSpec::new("second", JointType::Revolute, "ground", "bob")
                .at([0.0, 1.0, 0.0], [0.0, -1.0, 0.0]),
        )
        .unwrap();
    let report = world.initialize().unwrap();
    assert_eq!((report.degrees_of_freedom, report.redundant.len()), (1, 5), "{report:?}");
    assert!(world.warnings()[0].contains("5 redundant constraint rows: joint '"), "{:?}", world.warnings());
    world.run(0.1).unwrap();

    let (mut world, bob) = ball_pendulum();
    world
        .add_joint(JointSpec {
            place: PlaceSpec {
                frame_a: Some(FrameSpec::at([0.0, 0.0, 0.1])),
                frame_b: Some(FrameSpec::default()),
                ..PlaceSpec::default()
            },
            ..JointSpec::new("bar", JointType::Distance { length: Some(1.1) }, "ground", "bob")
        })
        .unwrap();
    world.initialize().unwrap();
    assert!(world.warnings()[0].contains("assembly moved body 'bob' by 1.414"), "{:?}", world.warnings());
    let [x, _, z] = world.body_position(bob).unwrap();
    assert!((x.hypot(z - 0.1) - 1.1).abs() < 1e-9 && (x.hypot(z) - 1.0).abs() < 1e-9);
}

#[test]
fn statics_and_modes_of_a_spring() {
    let mut world = World::new([0.0, 0.0, -10.0]);
    let block = world
        .add_body(BodySpec {
            mass: Some(2.0),
            shape: Some(Solid::Box { size: [0.1; 3] }),
            position: [0.0, 0.0, -1.0],
            ..BodySpec::dynamic("block")
        })
        .unwrap();
    world
        .add_joint(
            JointSpec::new("guide", JointType::Prismatic, "ground", "block").at([0.0; 3], [0.0, 0.0, 1.0]),
        )
        .unwrap();
    world
        .add_force(ForceSpec::Spring(SpringSpec {
            a: "ground".into(),
            b: "block".into(),
            stiffness: 200.0,
            length: Some(1.0),
            ..SpringSpec::default()
        }))
        .unwrap();
    assert!(world.equilibrium().unwrap().stable);
    assert!((world.body_position(block).unwrap()[2] + 1.1).abs() < 1e-9);
    let modes = world.modes().unwrap();
    assert!((modes.frequency_hz[0] - 10.0 / std::f64::consts::TAU).abs() < 1e-9, "{:?}", modes.frequency_hz);
    let mut loose = World::new([0.0; 3]);
    loose
        .add_body(BodySpec {
            mass: Some(1.0),
            shape: Some(Solid::Sphere { radius: 0.1 }),
            ..BodySpec::dynamic("ball")
        })
        .unwrap();
    let error = loose.equilibrium().unwrap_err();
    assert!(error.to_string().contains("body 'ball'") && error.is_input(), "{error}");
}

#[test]
fn shapes_have_the_mass_and_inertia_of_solids() {
    let shapes = [
        Solid::Cylinder { radius: 0.2, length: 0.7, axis: [0.0, 0.0, 1.0] },
        Solid::Capsule { radius: 0.2, length: 0.7, axis: [0.0, 0.0, 1.0] },
        Solid::Sphere { radius: 0.3 },
        Solid::Box { size: [0.4, 0.5, 0.6] },
    ];
    for shape in shapes {
        let inside = |p: [f64; 3]| {
            let r2 = p[0] * p[0] + p[1] * p[1];
            match shape {
                Solid::Sphere { radius } => r2 + p[2] * p[2] < radius * radius,
                Solid::Box { size } => (0..3).all(|k| p[k].abs() < size[k] / 2.0),
                Solid::Cylinder { radius, length, .. } => r2 < radius * radius && p[2].abs() < length / 2.0,
                Solid::Capsule { radius, length, .. } => {
                    let over = (p[2].abs() - length / 2.0).max(0.0);
                    r2 + over * over < radius * radius
                }
                Solid::Rod { .. } => false,
            }
        };
        // Sum over the cells of a grid around the solid.
        let (n, half) = (120, 0.6);
        let cell = 2.0 * half / n as f64;
        let (mut volume, mut xx, mut zz) = (0.0, 0.0, 0.0);
        for i in 0..n * n * n {
            let at = |k: usize| (k as f64 + 0.5) * cell - half;
            let p = [at(i % n), at(i / n % n), at(i / n / n)];
            if inside(p) {
                volume += cell.powi(3);
                xx += cell.powi(3) * (p[1] * p[1] + p[2] * p[2]);
                zz += cell.powi(3) * (p[0] * p[0] + p[1] * p[1]);
            }
        }
        let inertia = shape.inertia(shape.volume());
        assert!((shape.volume() / volume - 1.0).abs() < 0.01, "{shape:?}");
        assert!((inertia.col(0).x / xx - 1.0).abs() < 0.02, "{shape:?}");
        assert!((inertia.col(2).z / zz - 1.0).abs() < 0.02, "{shape:?}");
    }
}

#[test]
fn defaults_in_rust_are_the_defaults_of_scene_files() {
    use huygens::scene::spec_from_json;
    use huygens::spec::{BrakeSpec, ClutchSpec, GearSpec, ShaftJointSpec};
    let clutch: ClutchSpec =
        spec_from_json(&serde_json::json!({ "shaft_a": "", "shaft_b": "", "torque": 0.0 })).unwrap();
    assert_eq!(clutch, ClutchSpec::default());
    let brake: BrakeSpec = spec_from_json(&serde_json::json!({ "torque": 0.0 })).unwrap();
    assert_eq!(brake, BrakeSpec::default());
    let gear: GearSpec = spec_from_json(&serde_json::json!({ "joint_a": "", "joint_b": "" })).unwrap();
    assert_eq!(gear, GearSpec::default());
    let hub: ShaftJointSpec = spec_from_json(&serde_json::json!({ "shaft": "", "joint": "" })).unwrap();
    assert_eq!(hub, ShaftJointSpec::default());
}
