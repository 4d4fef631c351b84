//! Fluids of constraints: rows, momentum, threads, restart, what is refused.

use std::sync::Arc;

use huygens_core::contact::{ConeMethod, ContactModel, ContactSettings, JointTreatment, RigidSettings};
use huygens_core::contract::StateView;
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::rows::{RowNumbers, RowSource, RowStage, RowStep};
use huygens_core::signal::SignalGraph;
use huygens_core::{Model, State};
use huygens_exec::Exec;
use huygens_kernel::sph::SmoothingKernel;
use huygens_kernel::{Mat3, Quat, Vec3};
use huygens_multibody::{Assembly, Attachment, Body, Joint, JointKind};
use huygens_particles::constraint_fluid::{
    Clumping, ConstraintFluid, ConstraintFluidSettings, FluidLaw, FluidPlace, FluidWall, WallCarrier,
};

const D: f64 = 0.01;

/// A number in 0 … 1 that looks random.
fn noise(k: usize) -> f64 {
    let x = (k as f64 * 12.9898).sin() * 43758.5453;
    x - x.floor()
}

fn jitter(n: usize) -> Vec3 {
    Vec3::new(noise(3 * n), noise(3 * n + 1), noise(3 * n + 2)) - Vec3::splat(0.5)
}

/// A disturbed lump of fluid with a hole of 3³ places, in which something may be.
fn lump(settings: ConstraintFluidSettings) -> (ConstraintFluid, Vec<Vec3>) {
    let mut fluid = ConstraintFluid::new("lump", settings).unwrap();
    let mut inside = Vec::new();
    for n in 0..9 * 9 * 9_usize {
        let place = [n % 9, n / 9 % 9, n / 81];
        let at = (Vec3::from_array(place.map(|k| k as f64)) - Vec3::splat(4.0)) * D;
        if place.iter().all(|k| (3..6).contains(k)) {
            inside.push(at);
        } else {
            let velocity = Vec3::new((40.0 * at.y).sin(), (50.0 * at.z).cos(), 0.3 * jitter(n).x);
            fluid.add(at + 0.2 * D * jitter(n), velocity).unwrap();
        }
    }
    (fluid, inside)
}

fn settings() -> ConstraintFluidSettings {
    ConstraintFluidSettings { spacing: D, ..ConstraintFluidSettings::default() }
}

/// Rows at positions `q`: their biases, and the work space they are in.
fn build(place: &FluidPlace, q: &[f64], h: f64) -> (Vec<f64>, Box<dyn RowStage>) {
    let rows = place.rows();
    let mut stage = rows.stage();
    let zeros = vec![0.0; q.len().max(rows.history())];
    let x = StateView {
        time: 0.0,
        q,
        v: &zeros[..q.len()],
        acceleration: &zeros[..q.len()],
        z: &[],
        z_rate: &[],
        lambda: &[],
        signals: &[],
        history: &zeros,
        frames: &[],
        twists: Default::default(),
        load_factor: 1.0,
        parameters: huygens_core::parameter::ParameterSet::empty(),
    };
    let (mut bias, mut compliance, mut cones, mut impulse) = (vec![], vec![], vec![], vec![]);
    let mut out =
        RowNumbers { bias: &mut bias, compliance: &mut compliance, cones: &mut cones, impulse: &mut impulse };
    let step = RowStep { h, warm_start: false, columns: &[], bodies: [0, 0] };
    stage.build(&Exec::serial(), &x, &step, &zeros[..rows.history()], &mut out).unwrap();
    (bias, stage)
}

#[test]
fn rows_are_the_jacobian_of_the_density() {
    for (kernel, length_ratio) in [
        (SmoothingKernel::WendlandC2, 1.3),
        (SmoothingKernel::CubicSpline, 1.3),
        (SmoothingKernel::WendlandC4, 1.6),
        (SmoothingKernel::QuinticSpline, 1.0),
    ] {
        let (mut fluid, inside) =
            lump(ConstraintFluidSettings { kernel, length_ratio, stabilization: 1.0, ..settings() });
        fluid
            .add_wall(FluidWall { name: "core".into(), points: inside, carrier: WallCarrier::World })
            .unwrap();
        let mut model = Model::new(Vec3::ZERO);
        let place = fluid.place(&mut model);
        let q = State::new(&model).q;
        let v: Vec<f64> = (0..q.len()).map(|k| (0.7 * k as f64).sin()).collect();
        let (_, stage) = build(&place, &q, 1.0);
        let mut rate = vec![0.0; stage.operator().rows()];
        stage.operator().apply(&Exec::serial(), &v, &mut rate);
        // With h = 1 the bias is the gap. The list is the same at both places: nothing crosses the wall of a cell.
        let moved =
            |dt: f64| build(&place, &q.iter().zip(&v).map(|(q, v)| q + dt * v).collect::<Vec<_>>(), 1.0).0;
        let (plus, minus) = (moved(1e-7), moved(-1e-7));
        let scale = rate.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let mut moving = 0;
        for (i, (plus, minus)) in plus.iter().zip(&minus).enumerate() {
            let difference = (plus - minus) / 2e-7;
            assert!(
                (difference - rate[i]).abs() < 1e-6 * scale,
                "{kernel:?} row {i}: {difference} {}",
                rate[i]
            );
            moving += usize::from(rate[i].abs() > 1e-3 * scale);
        }
        assert!(moving > rate.len() / 2, "{moving} rows move");
    }
}

#[test]
fn the_transpose_is_the_transpose_and_sums_to_nothing() {
    for (law, viscosity) in [
        (FluidLaw::default(), 0.0),
        (FluidLaw::Density { bilateral: true, normalized: true }, 2.0),
        (FluidLaw::Spheres, 0.0),
    ] {
        let (mut fluid, _) = lump(ConstraintFluidSettings { law, viscosity, ..settings() });
        let mut model = Model::new(Vec3::ZERO);
        let place = fluid.place(&mut model);
        let q = State::new(&model).q;
        let (_, stage) = build(&place, &q, 1e-3);
        let (rows, ex) = (stage.operator(), Exec::serial());
        let v: Vec<f64> = (0..q.len()).map(|k| (0.7 * k as f64).sin()).collect();
        let l: Vec<f64> = (0..rows.rows()).map(|k| (0.3 * k as f64).cos()).collect();
        let (mut y, mut f) = (vec![0.0; l.len()], vec![0.0; v.len()]);
        rows.apply(&ex, &v, &mut y);
        rows.add_transpose(&ex, &l, &mut f);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (a, b) = (dot(&y, &l), dot(&f, &v));
        let size = dot(&y, &y).sqrt() * dot(&l, &l).sqrt();
        assert!((a - b).abs() < 1e-13 * size, "{law:?}: {a} {b}");
        let sum: Vec3 = f.chunks_exact(3).map(Vec3::from_slice).sum();
        assert!(sum.length() < 1e-13 * f.iter().map(|x| x.abs()).sum::<f64>(), "{law:?}: {sum}");
    }
}

/// A lump around a body that flies and turns.
fn flight(settings: ConstraintFluidSettings) -> (Arc<Model>, FluidPlace) {
    let mut assembly = Assembly::new(Vec3::ZERO);
    assembly.collision.settings.rigid.max_iterations = 60;
    let body = assembly
        .add_body(Body {
            name: "core".into(),
            mass: 0.05,
            inertia: Mat3::from_diagonal(Vec3::new(1.0, 2.0, 2.5) * 1e-6),
            position: Vec3::new(1e-3, 0.0, 0.0),
            center_of_mass: Vec3::new(-1e-3, 0.0, 0.0),
            velocity: Vec3::new(0.3, -0.2, 0.9),
            angular_velocity: Vec3::new(4.0, 0.0, -7.0),
            ..Body::default()
        })
        .unwrap();
    let (mut fluid, inside) = lump(settings);
    let points = inside.iter().map(|at| *at - Vec3::new(1e-3, 0.0, 0.0)).collect();
    let carrier = WallCarrier::Body(body.index());
    fluid.add_wall(FluidWall { name: "core".into(), points, carrier }).unwrap();
    let model = assembly.build_with(SignalGraph::default(), &[], &mut [&mut fluid]).unwrap().model;
    let place = fluid.placed().unwrap().clone();
    (model, place)
}

fn stepper(model: &Arc<Model>, ex: Exec) -> Stepper {
    let settings = StepperSettings { integrator: Integrator::Euler, ..StepperSettings::default() };
    Stepper::new(model.clone(), ex, settings).unwrap()
}

#[test]
fn fluid_and_body_keep_their_momentum() {
    for (law, viscosity) in [(FluidLaw::default(), 0.5), (FluidLaw::Spheres, 0.0)] {
        let clumping = Some(Clumping::default());
        let (model, place) = flight(ConstraintFluidSettings { law, viscosity, clumping, ..settings() });
        let mut stepper = stepper(&model, Exec::serial());
        let mut state = State::new(&model);
        let mass = 1000.0 * D.powi(3);
        let momentum = |state: &State| place.momentum(state) + 0.05 * Vec3::from_slice(&state.v[..3]);
        let size: f64 = place.markers(&state).map(|m| mass * m.velocity.length()).sum::<f64>();
        let (before, body) = (momentum(&state), Vec3::from_slice(&state.v[..3]));
        for _ in 0..20 {
            stepper.step(&mut state, 1e-3).unwrap();
        }
        let error = (momentum(&state) - before).length() / size;
        assert!(error < 1e-13, "{law:?}: {error}");
        let change = (Vec3::from_slice(&state.v[..3]) - body).length();
        assert!(change > 1e-2, "{law:?}: the body felt nothing, {change}");
        assert!(place.wall_wrench(&state, 0).unwrap()[0].length() > 1e-3);
    }
}

/// Joints and densities are of one problem: a body on a ball joint in a stream stays there, eliminated or as rows, and
/// what the joint gives to the ground is what fluid and body lose.
#[test]
fn a_joint_takes_what_the_fluid_gives() {
    let run = |joints: JointTreatment| {
        let mut assembly = Assembly::new(Vec3::ZERO);
        assembly.collision.settings.rigid.joints = joints;
        assembly.collision.settings.rigid.max_iterations = 4000;
        assembly.collision.settings.rigid.tolerance = Some(1e-9);
        // The same about all axes: the two treatments take gyroscopic torques in different ways.
        let inertia = Mat3::IDENTITY * 2e-6;
        let body =
            assembly.add_body(Body { name: "core".into(), mass: 0.05, inertia, ..Body::default() }).unwrap();
        let a = Attachment::ground(Vec3::ZERO, Quat::IDENTITY);
        let b = Attachment { carrier: Some(body).into(), position: Vec3::ZERO, rotation: Quat::IDENTITY };
        let (name, kind) = ("ball".to_owned(), JointKind::Spherical);
        assembly.add_joint(Joint { name, kind, a, b, limits: vec![] }).unwrap();
        let (mut fluid, points) = lump(settings());
        let carrier = WallCarrier::Body(body.index());
        fluid.add_wall(FluidWall { name: "core".into(), points, carrier }).unwrap();
        let model = assembly.build_with(SignalGraph::default(), &[], &mut [&mut fluid]).unwrap().model;
        let place = fluid.placed().unwrap();
        let (mut stepper, mut state) = (stepper(&model, Exec::serial()), State::new(&model));
        let mass = 1000.0 * D.powi(3);
        let size: f64 = place.markers(&state).map(|m| mass * m.velocity.length()).sum();
        let momentum = |state: &State| place.momentum(state) + 0.05 * Vec3::from_slice(&state.v[..3]);
        let mut steps = Vec::new();
        for _ in 0..5 {
            let before = momentum(&state);
            assert!(stepper.step(&mut state, 1e-3).unwrap().contact_converged);
            steps.push(state.v.clone());
            let (given, lambda) = (momentum(&state) - before, 1e-3 * Vec3::from_slice(&state.lambda[..3]));
            let error = (given - lambda).length().min((given + lambda).length());
            assert!(
                error < 1e-9 * size && lambda.length() > 1e-4 * size,
                "{joints:?}: {error} {lambda} {size}"
            );
            assert!(Vec3::from_slice(&state.q[..3]).length() < 1e-9, "{joints:?}: the joint opens");
        }
        steps
    };
    let (direct, rows) = (run(JointTreatment::Direct), run(JointTreatment::Rows));
    for (a, b) in direct.iter().zip(&rows) {
        let difference = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(difference < 1e-6, "{difference} m/s");
    }
}

/// Pressure and viscosity act along lines of centres: angular momentum about the origin stays but for the motion of
/// markers within a step, which is of second order in it.
#[test]
fn angular_momentum_stays_with_the_step() {
    let drift = |h: f64| {
        let mut fluid =
            ConstraintFluid::new("top", ConstraintFluidSettings { xsph: 0.0, viscosity: 0.2, ..settings() })
                .unwrap();
        for n in 0..8 * 8 * 8_usize {
            let at = (Vec3::new((n % 8) as f64, (n / 8 % 8) as f64, (n / 64) as f64) - Vec3::splat(3.5)) * D;
            fluid.add(at, Vec3::Z.cross(at) * 10.0 + 0.1 * jitter(n)).unwrap();
        }
        let mut model = Model::new(Vec3::ZERO);
        let place = fluid.place(&mut model);
        let model = Arc::new(model);
        let (mut stepper, mut state) = (stepper(&model, Exec::serial()), State::new(&model));
        let angular =
            |state: &State| -> Vec3 { place.markers(state).map(|m| m.position.cross(m.velocity)).sum() };
        // Forces act at the start of a step, so the momentum with the new velocities is taken there.
        let mut worst = 0.0_f64;
        for _ in 0..10 {
            let (before, start) = (angular(&state), state.q.clone());
            stepper.step(&mut state, h).unwrap();
            let mut at_start = state.clone();
            at_start.q = start;
            worst = worst.max((angular(&at_start) - before).length() / before.length());
        }
        worst
    };
    let worst = drift(1e-3);
    assert!(worst < 1e-12, "{worst}");
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_after_a_restart() {
    let all = ConstraintFluidSettings {
        viscosity: 0.5,
        clumping: Some(Clumping::default()),
        law: FluidLaw::Density { bilateral: false, normalized: true },
        periodic: [None, Some([-0.06, 0.12]), None],
        ..settings()
    };
    for settings in [all, ConstraintFluidSettings { law: FluidLaw::Spheres, ..settings() }] {
        let run = |ex: Exec, split: bool| {
            let (model, _) = flight(settings.clone());
            let (mut stepper_now, mut state) = (stepper(&model, ex.clone()), State::new(&model));
            for k in 0..12 {
                if split && k == 5 {
                    // All there is to a restart: the state, and a new work space.
                    stepper_now = stepper(&model, ex.clone());
                }
                stepper_now.step(&mut state, 1e-3).unwrap();
            }
            state.q.iter().chain(&state.v).chain(&state.history).map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let serial = run(Exec::serial(), false);
        for threads in [2, 4] {
            assert!(serial == run(Exec::with_threads(threads).unwrap(), false), "{threads} threads");
        }
        assert!(serial == run(Exec::serial(), true), "restart");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused =
        |settings: ConstraintFluidSettings| ConstraintFluid::new("x", settings).err().unwrap().to_string();
    let two =
        ConstraintFluidSettings { kernel: SmoothingKernel::Poly6Spiky, length_ratio: 2.6, ..settings() };
    assert!(refused(two).contains("gradient is not the derivative of its value"));
    assert!(refused(ConstraintFluidSettings { spacing: -1.0, ..settings() }).contains("spacing"));
    assert!(refused(ConstraintFluidSettings { length_ratio: 9.0, ..settings() }).contains("1.5 to 4.5"));
    let balls = ConstraintFluidSettings { law: FluidLaw::Spheres, viscosity: 1.0, ..settings() };
    assert!(refused(balls).contains("fluid of spheres"));
    let mut fluid = ConstraintFluid::new("x", settings()).unwrap();
    assert!(fluid.add(Vec3::new(f64::NAN, 0.0, 0.0), Vec3::ZERO).is_err());
    fluid.add(Vec3::ZERO, Vec3::ZERO).unwrap();
    fluid.add(Vec3::splat(0.5 * D), Vec3::ZERO).unwrap();
    let mut model = Model::new(Vec3::ZERO);
    fluid.place(&mut model);
    let rigid = RigidSettings { solver: ConeMethod::Psor, ..RigidSettings::default() };
    model.set_contact(ContactModel::new(ContactSettings { rigid, ..ContactSettings::default() })).unwrap();
    let model = Arc::new(model);
    let said = stepper(&model, Exec::serial()).step(&mut State::new(&model), 1e-3).err().unwrap().to_string();
    assert!(said.contains("`psor`") && said.contains("`apgd`"), "{said}");
    let explicit = StepperSettings { integrator: Integrator::Leapfrog, ..StepperSettings::default() };
    let said = Stepper::new(model.clone(), Exec::serial(), explicit).err().unwrap().to_string();
    assert!(said.contains("euler"), "{said}");
    // A marker that is lost says so, with its number.
    let mut fluid = ConstraintFluid::new("x", settings()).unwrap();
    fluid.add(Vec3::new(1e30, 0.0, 0.0), Vec3::ZERO).unwrap();
    let mut model = Model::new(Vec3::ZERO);
    fluid.place(&mut model);
    let model = Arc::new(model);
    let said = stepper(&model, Exec::serial()).step(&mut State::new(&model), 1e-3).err().unwrap().to_string();
    assert!(said.contains("fluid 'x'") && said.contains("too far away"), "{said}");
}
