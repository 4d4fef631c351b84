//! Equal bits: on one thread and on two, and after a restart from a saved state.

use crate::common::*;
use glam::{DQuat, DVec3};
use huygens_core::function::Function;
use huygens_core::integrator::{Integrator, Newton, Refresh, StepControl, Stepper, StepperSettings};
use huygens_core::signal::{PidSpec, SignalGraphBuilder, SignalSpec};
use huygens_core::{Model, State, analysis};
use huygens_exec::Exec;
use huygens_multibody::*;
use std::sync::Arc;

/// `count` pendula of four links each, coupled by springs; limits on request.
fn pendula(count: usize, limits: bool) -> Mechanism {
    let mut random = Random(41);
    let mut assembly = Assembly::new(DOWN);
    let mut last: Option<BodyId> = None;
    for p in 0..count {
        let mut previous = None;
        for k in 0..4 {
            let turn = DQuat::from_rotation_y(0.2 * random.unit());
            let position = DVec3::new(0.25 + 0.5 * k as f64, p as f64, 0.0);
            let body = assembly.add_body(rod(&format!("{p}.{k}"), 1.0, 0.5, position, turn)).unwrap();
            let point = DVec3::new(0.5 * k as f64, p as f64, 0.0);
            let id = joint_at(
                &mut assembly,
                &format!("{p}.{k}"),
                JointKind::Revolute,
                [previous, Some(body)],
                point,
                DVec3::Y,
            );
            if limits {
                let (lower, upper) = (Some(-0.6), Some(0.05));
                let limit =
                    Limit { coordinate: 0, lower, upper, stiffness: None, damping: 0.0, restitution: 0.3 };
                assembly.joint_mut(id).unwrap().limits.push(limit);
            }
            previous = Some(body);
        }
        if let (Some(a), Some(b)) = (last, previous) {
            let spring = Spring {
                name: format!("{p}"),
                a: Attachment::origin(a),
                b: Attachment::origin(b),
                law: ScalarLaw::Spring { stiffness: 50.0, damping: 0.5, rest: 0.8, actuator: None },
            };
            assembly.add_spring(spring).unwrap();
        }
        last = previous;
    }
    build(&assembly)
}

/// Free bodies on springs, for the explicit methods.
fn sprung(count: usize) -> Mechanism {
    let mut random = Random(42);
    let mut assembly = Assembly::new(DOWN);
    for k in 0..count {
        let body = assembly.add_body(random.body(&format!("{k}"))).unwrap();
        let spring = Spring {
            name: format!("{k}"),
            a: Attachment::ground(random.vector() * 4.0, DQuat::IDENTITY),
            b: random.attachment(Some(body)),
            law: ScalarLaw::Spring { stiffness: 20.0, damping: 0.2, rest: 1.0, actuator: None },
        };
        assembly.add_spring(spring).unwrap();
    }
    build(&assembly)
}

/// Pairs of shafts with clutches that slip, each at another torque: what clutches remember changes with every step.
fn clutches(count: usize) -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    for k in 0..count {
        let speed = 1.0 + k as f64;
        let shafts = [("in", speed), ("out", 0.0)].map(|(name, speed)| {
            let name = format!("{name} {k}");
            assembly.add_shaft(Shaft { name, inertia: 0.1, angle: 0.0, speed }).unwrap()
        });
        let clutch = CoordinateForce {
            name: format!("clutch {k}"),
            label: "clutch",
            terms: vec![(CoordinateRef::Shaft(shafts[0]), 1.0), (CoordinateRef::Shaft(shafts[1]), -1.0)],
            law: ScalarLaw::Friction { limit: (0.5 + 0.1 * k as f64).into(), stiffness: 1e3, damping: 1.0 },
        };
        assembly.add_coordinate_force(clutch).unwrap();
    }
    build(&assembly)
}

/// A cart with a pole: a controller with memory drives the cart, a speed motor turns a flywheel, a clutch slips.
fn controlled() -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    let cart = assembly.add_body(rod("cart", 2.0, 0.4, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let up = DQuat::from_rotation_y(-1.4);
    let pole = assembly.add_body(rod("pole", 0.5, 1.0, up * DVec3::X * 0.5, up)).unwrap();
    let wheel = assembly.add_body(rod("wheel", 0.2, 0.2, up * DVec3::X, DQuat::IDENTITY)).unwrap();
    let slide =
        joint_at(&mut assembly, "slide", JointKind::Prismatic, [None, Some(cart)], DVec3::ZERO, DVec3::X);
    let hinge = joint_at(
        &mut assembly,
        "hinge",
        JointKind::Revolute,
        [Some(cart), Some(pole)],
        DVec3::ZERO,
        DVec3::Y,
    );
    let axle = joint_at(
        &mut assembly,
        "axle",
        JointKind::Revolute,
        [Some(pole), Some(wheel)],
        up * DVec3::X,
        DVec3::Y,
    );
    let mut signals = SignalGraphBuilder::new();
    signals.add_function("zero", 0.0).unwrap();
    signals.add_sensor("angle", 0).unwrap();
    signals.add_sensor("reaction", 1).unwrap();
    let pid = PidSpec {
        ki: 3.0,
        kd: 5.0,
        filter_time: Some(0.01),
        lower: Some(-30.0),
        upper: Some(30.0),
        ..PidSpec::new("zero", "angle", 40.0)
    };
    signals.add("control", SignalSpec::Pid(pid)).unwrap();
    let filter = SignalSpec::Filter { input: "reaction".into(), time_constant: 0.05, initial: 0.0 };
    signals.add("felt", filter).unwrap();
    let signals = signals.build().unwrap();
    let push = CoordinateForce {
        name: "push".into(),
        label: "motor",
        terms: vec![(CoordinateRef::Joint(slide, 0), 1.0)],
        law: ScalarLaw::Effort(Drive::Signal(signals.signal("control").unwrap())),
    };
    assembly.add_coordinate_force(push).unwrap();
    let spin = Coupling {
        name: "spin".into(),
        label: "motor",
        terms: vec![(CoordinateRef::Joint(axle, 0), 1.0)],
        target: CouplingTarget::Speed(Drive::Function(Function::Sine {
            amplitude: 5.0,
            frequency: 1.0,
            phase: 0.0,
            offset: 2.0,
        })),
        teeth: None,
    };
    assembly.add_coupling(spin).unwrap();
    let shafts = [("in", 10.0), ("out", 0.0)].map(|(name, speed)| {
        assembly.add_shaft(Shaft { name: name.into(), inertia: 0.1, angle: 0.0, speed }).unwrap()
    });
    let clutch = CoordinateForce {
        name: "clutch".into(),
        label: "clutch",
        terms: vec![(CoordinateRef::Shaft(shafts[0]), 1.0), (CoordinateRef::Shaft(shafts[1]), -1.0)],
        law: ScalarLaw::Friction { limit: 4.0.into(), stiffness: 1e3, damping: 1.0 },
    };
    assembly.add_coordinate_force(clutch).unwrap();
    let sensors = [
        Measurement::Coordinate(hinge, 0),
        Measurement::ReactionForce(hinge, Side::B, ReactionAxes::World, 2),
    ];
    assembly.build(signals, &sensors).unwrap()
}

fn begin(model: &Arc<Model>, exec: Exec, settings: &StepperSettings) -> (Stepper, State) {
    let mut stepper = Stepper::new(model.clone(), exec, settings.clone()).unwrap();
    let mut state = State::new(model);
    analysis::assemble(stepper.system(), &mut state).unwrap();
    (stepper, state)
}

#[track_caller]
fn same_bits(a: &State, b: &State, what: &str) {
    for ((name, a), (_, b)) in a.to_chunks().unwrap().iter().zip(b.to_chunks().unwrap()) {
        assert_eq!(*a, b, "{what}: '{name}' differs");
    }
}

const IMPLICIT: [Integrator; 3] = [
    Integrator::GeneralizedAlpha { rho: 0.8 },
    Integrator::Hht { alpha: -0.1 },
    Integrator::Newmark { beta: 0.3025, gamma: 0.6 },
];
const EXPLICIT: [Integrator; 3] = [Integrator::Rk4, Integrator::Heun, Integrator::Leapfrog];
const EULER: [Integrator; 2] = [Integrator::Euler, Integrator::EulerProjected];

fn with(integrator: Integrator) -> StepperSettings {
    StepperSettings { integrator, ..StepperSettings::default() }
}

fn compare_threads(mechanism: &Mechanism, integrator: Integrator, h: f64, steps: usize) {
    let [one, two] = [1, 2].map(|threads| {
        let exec = Exec::with_threads(threads).unwrap();
        let (mut stepper, mut state) = begin(&mechanism.model, exec, &with(integrator));
        advance(&mut stepper, &mut state, h, steps);
        stepper.system().load(&state);
        stepper.system().update(&state.history);
        let energy = stepper.system().energy(&state.history).map(f64::to_bits);
        (state, energy)
    });
    let ((one, energy), (two, same)) = (one, two);
    assert_eq!(energy, same, "{integrator:?}: energy depends on threads");
    same_bits(&one, &two, &format!("{integrator:?} on two threads"));
}

#[test]
fn two_threads_give_the_bits_of_one() {
    let constrained = pendula(100, false);
    for integrator in [IMPLICIT[0], EULER[1]] {
        compare_threads(&constrained, integrator, 2e-3, 15);
    }
    compare_threads(&pendula(100, true), EULER[0], 2e-3, 15);
    compare_threads(&sprung(400), Integrator::Rk4, 1e-3, 15);
    compare_threads(&clutches(400), Integrator::Rk4, 1e-3, 15);
}

/// N + M steps, against N steps, save, load, M steps.
fn compare_restart(mechanism: &Mechanism, settings: &StepperSettings, h: f64, counts: &[usize], what: &str) {
    let model = &mechanism.model;
    for &count in counts {
        let (mut stepper, mut through) = begin(model, Exec::serial(), settings);
        advance(&mut stepper, &mut through, h, count);
        let chunks = through.to_chunks().unwrap();
        advance(&mut stepper, &mut through, h, 23);
        let find = |name: &str| chunks.iter().find(|(n, _)| *n == name).map(|(_, bytes)| bytes.as_slice());
        let mut restarted = State::new(model).restored(model, find).unwrap();
        let mut stepper = Stepper::new(model.clone(), Exec::serial(), settings.clone()).unwrap();
        advance(&mut stepper, &mut restarted, h, 23);
        same_bits(
            &through,
            &restarted,
            &format!("{what}, {:?}, restart at step {count}", settings.integrator),
        );
    }
}

#[test]
fn a_restart_gives_the_bits_of_the_run_without_it() {
    let counts = [0, 1, 7, 20];
    let plain = pendula(3, false);
    for integrator in IMPLICIT.into_iter().chain(EULER) {
        compare_restart(&plain, &with(integrator), 2e-3, &counts, "pendula");
        compare_restart(&controlled(), &with(integrator), 2e-3, &counts, "controlled");
    }
    for integrator in EULER {
        compare_restart(&pendula(3, true), &with(integrator), 2e-3, &[0, 5, 40, 80], "limits");
    }
    for integrator in EXPLICIT {
        compare_restart(&sprung(5), &with(integrator), 2e-3, &counts, "sprung");
    }
    for refresh in [Refresh::EveryStep, Refresh::EveryIteration] {
        let newton = Newton { refresh, ..Newton::default() };
        let settings = StepperSettings { newton, ..StepperSettings::default() };
        compare_restart(&plain, &settings, 2e-3, &counts, "refresh");
    }
}

#[test]
fn a_restart_keeps_the_step_control() {
    let control = Some(StepControl { tolerance: 1e-6, min_step: 1e-6, max_step: 0.02 });
    let settings = StepperSettings { control, ..StepperSettings::default() };
    compare_restart(&pendula(2, false), &settings, 0.02, &[0, 1, 5, 17, 40], "step control");
    compare_restart(&controlled(), &settings, 0.02, &[0, 3, 30], "step control");
}

#[test]
fn a_saved_state_of_another_model_is_refused() {
    let (small, large) = (pendula(1, false), pendula(2, false));
    let chunks = State::new(&large.model).to_chunks().unwrap();
    let find = |name: &str| chunks.iter().find(|(n, _)| *n == name).map(|(_, bytes)| bytes.as_slice());
    assert!(State::new(&small.model).restored(&small.model, find).is_err());
    assert!(
        State::new(&large.model)
            .restored(&large.model, |name| if name == "v" { None } else { find(name) })
            .is_err()
    );
    let cut =
        |name: &str| find(name).map(|bytes| if name == "q" { &bytes[..bytes.len() - 3] } else { bytes });
    assert!(State::new(&large.model).restored(&large.model, cut).is_err());
    assert_eq!(State::new(&large.model).restored(&large.model, find).unwrap(), State::new(&large.model));
}
