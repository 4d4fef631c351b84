//! Joints and springs against tables of MSC ADAMS.
//!
//! Setups and tolerances are data (`mbd/joints_adams/setups.json`); a case passes with half of the tolerance that
//! goes with its table, at the step that goes with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::function::Function;
use huygens_multibody::{
    Assembly, Attachment, Body, BodyId, BodyQuantity, Carrier, CoordinateForce, CoordinateForceId,
    CoordinateRef, Coupling, CouplingId, CouplingTarget, ForceLaw, Joint, JointId, JointKind, Measurement,
    ScalarLaw, Side, Spring, SpringId,
};
use serde::Deserialize;

use crate::Context;
use crate::cases::Case;
use crate::error::{CaseError, Result};
use crate::figure::Comparison;
use crate::reference::Table;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_joint, rms};

const FOLDER: &str = "mbd/joints_adams";

/// Name of the case and of its setup.
const NAMES: [(&str, &str); 18] = [
    ("adams_revolute_01", "Revolute_Case01"),
    ("adams_spherical_01", "Spherical_Case01"),
    ("adams_universal_01", "Universal_Case01"),
    ("adams_universal_03", "Universal_Case03"),
    ("adams_prismatic_01", "Prismatic_Case01"),
    ("adams_prismatic_02", "Prismatic_Case02"),
    ("adams_cylindrical_01", "Cylindrical_Case01"),
    ("adams_cylindrical_03", "Cylindrical_Case03"),
    ("adams_distance_01", "Distance_Case01"),
    ("adams_distance_03", "Distance_Case03"),
    ("adams_revolute_spherical_01", "RevSpherical_Case01"),
    ("adams_actuator_01", "LinActuator_Case01"),
    ("adams_rotational_spring_01", "RotSpring_Case01"),
    ("adams_spring_01", "TranSpring_Case01"),
    ("adams_spring_02", "TranSpring_Case02"),
    ("adams_spring_law_01", "TranSpringCB_Case01"),
    ("adams_spring_law_02", "TranSpringCB_Case02"),
    ("adams_spring_law_03", "TranSpringCB_Case03"),
];

/// All cases of the family.
pub fn cases() -> Vec<Case> {
    let case = |(name, setup): &(&'static str, &'static str)| {
        let (name, setup) = (*name, *setup);
        Case::new(name, &format!("{setup} against a table of MSC ADAMS"), move |c| run(c, name, setup))
    };
    NAMES.iter().map(case).collect()
}

#[derive(Deserialize)]
struct Setups {
    gravity: [f64; 3],
    #[serde(rename = "energy_tol_J")]
    energy_tolerance: f64,
    cases: Vec<Setup>,
}

#[derive(Deserialize)]
struct Setup {
    case: String,
    file: String,
    r#type: String,
    #[serde(default)]
    joint_pos: [f64; 3],
    joint_quat: Option<[f64; 4]>,
    #[serde(default)]
    point_ground: [f64; 3],
    #[serde(default)]
    point_body: [f64; 3],
    mass: f64,
    inertia: [f64; 3],
    body_pos: [f64; 3],
    body_quat: [f64; 4],
    body_vel: [f64; 3],
    anchor_step: f64,
    rms_tol: BTreeMap<String, Option<f64>>,
    distance: Option<f64>,
    k: Option<f64>,
    c: Option<f64>,
    law: Option<String>,
    #[serde(default)]
    free_length: f64,
}

/// What is measured beside the body.
enum Element {
    /// Reaction on ground at the joint's point.
    Joint(JointId),
    /// As `Joint`, and the reaction on the body at its own point.
    Link(JointId),
    /// A prismatic joint with a motor.
    Driven(JointId, CouplingId),
    /// A revolute joint with a rotational spring: torques are added.
    Sprung(JointId, CoordinateForceId),
    /// A spring between points given in the body frame and in the world.
    Spring(SpringId, DVec3, DVec3),
}

fn quaternion(q: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()
}

/// Laws of user springs, by the words that describe them in the setups.
fn force_law(setup: &Setup) -> Result<ForceLaw> {
    let rest = setup.free_length;
    let law: Arc<dyn Fn(f64, f64, f64) -> f64 + Send + Sync> = match setup.law.as_deref() {
        Some("-10 d - 0.5 ddot") => Arc::new(move |_, l, r| -10.0 * (l - rest) - 0.5 * r),
        Some("-100 d - 5 ddot") => Arc::new(move |_, l, r| -100.0 * (l - rest) - 5.0 * r),
        Some("-50 d - 10 |d| d - 5 ddot") => {
            Arc::new(move |_, l, r| -50.0 * (l - rest) - 10.0 * (l - rest).abs() * (l - rest) - 5.0 * r)
        }
        _ => return Err(unknown(setup)),
    };
    Ok(ForceLaw(law))
}

fn unknown(setup: &Setup) -> CaseError {
    let reason = format!("the setup '{}' of type '{}' is not understood", setup.case, setup.r#type);
    CaseError::Reference { file: format!("{FOLDER}/setups.json"), reason }
}

fn assemble(setups: &Setups, setup: &Setup) -> Result<(Assembly, BodyId, Element)> {
    let mut assembly = Assembly::new(DVec3::from_array(setups.gravity));
    let body = assembly.add_body(Body {
        name: "body".into(),
        position: DVec3::from_array(setup.body_pos),
        rotation: quaternion(setup.body_quat),
        velocity: DVec3::from_array(setup.body_vel),
        mass: setup.mass,
        inertia: DMat3::from_diagonal(DVec3::from_array(setup.inertia)),
        ..Body::default()
    })?;
    let element = add_element(&mut assembly, setup, body)?;
    Ok((assembly, body, element))
}

fn add_element(assembly: &mut Assembly, setup: &Setup, body: BodyId) -> Result<Element> {
    let point = DVec3::from_array(setup.joint_pos);
    let turn = quaternion(setup.joint_quat.unwrap_or([1.0, 0.0, 0.0, 0.0]));
    let pair = [None, Some(body)];
    let (ground, end) = (DVec3::from_array(setup.point_ground), DVec3::from_array(setup.point_body));
    let local = quaternion(setup.body_quat).conjugate() * (end - DVec3::from_array(setup.body_pos));
    let from = Attachment::ground(ground, DQuat::IDENTITY);
    let to = Attachment { carrier: Carrier::Body(body), position: local, rotation: DQuat::IDENTITY };
    let mut joint = |kind| add_joint(assembly, "joint", kind, pair, point, turn);
    let length = setup.distance.ok_or_else(|| unknown(setup));
    Ok(match setup.r#type.as_str() {
        "revolute_z" => Element::Joint(joint(JointKind::Revolute)?),
        "spherical" => Element::Joint(joint(JointKind::Spherical)?),
        "universal_xy" => Element::Joint(joint(JointKind::Universal)?),
        "prismatic_z" => Element::Joint(joint(JointKind::Prismatic)?),
        "cylindrical_z" => Element::Joint(joint(JointKind::Cylindrical)?),
        "distance" | "revolute_spherical" => {
            let link = setup.r#type == "revolute_spherical";
            let kind =
                if link { JointKind::RevoluteSpherical(length?) } else { JointKind::Distance(length?) };
            let id =
                assembly.add_joint(Joint { name: "joint".into(), kind, a: from, b: to, limits: vec![] })?;
            if link { Element::Link(id) } else { Element::Joint(id) }
        }
        "prismatic_z+position_actuator" => {
            let id = joint(JointKind::Prismatic)?;
            let ramp = Function::Polynomial { coefficients: vec![0.0, 1.0] };
            let motor = assembly.add_coupling(Coupling {
                name: "actuator".into(),
                label: "motor",
                terms: vec![(CoordinateRef::Joint(id, 0), 1.0)],
                target: CouplingTarget::Position(ramp),
                teeth: None,
            })?;
            Element::Driven(id, motor)
        }
        "revolute_z+rotational_spring_damper" => {
            let id = joint(JointKind::Revolute)?;
            let spring = assembly.add_coordinate_force(CoordinateForce {
                name: "spring".into(),
                label: "rotational spring",
                terms: vec![(CoordinateRef::Joint(id, 0), 1.0)],
                law: linear(setup, 0.0)?,
            })?;
            Element::Sprung(id, spring)
        }
        "tsda" | "tsda_user" => {
            let user = setup.r#type == "tsda_user";
            let law =
                if user { ScalarLaw::User(force_law(setup)?) } else { linear(setup, setup.free_length)? };
            let spring = assembly.add_spring(Spring { name: "spring".into(), a: from, b: to, law })?;
            Element::Spring(spring, local, ground)
        }
        _ => return Err(unknown(setup)),
    })
}

fn linear(setup: &Setup, rest: f64) -> Result<ScalarLaw> {
    let (Some(stiffness), Some(damping)) = (setup.k, setup.c) else { return Err(unknown(setup)) };
    Ok(ScalarLaw::Spring { stiffness, damping, rest, actuator: None })
}

/// The reactions as named groups of three columns.
fn reactions(
    s: &mut Simulation,
    body: BodyId,
    element: &Element,
) -> Vec<(&'static str, [&'static str; 3], DVec3)> {
    const FORCE: [&str; 3] = ["Fx", "Fy", "Fz"];
    const TORQUE: [&str; 3] = ["Tx", "Ty", "Tz"];
    match element {
        Element::Joint(id) => {
            let (f, t) = s.reaction(*id, Side::A);
            vec![("Rforce", FORCE, f), ("Rtorque", TORQUE, t)]
        }
        Element::Link(id) => {
            let ((f1, t1), (f2, t2)) = (s.reaction(*id, Side::A), s.reaction(*id, Side::B));
            vec![
                ("Rforce", ["Fxb1", "Fyb1", "Fzb1"], f1),
                ("Rtorque", ["Txb1", "Tyb1", "Tzb1"], t1),
                ("Rforce", ["Fxb2", "Fyb2", "Fzb2"], f2),
                ("Rtorque", ["Txb2", "Tyb2", "Tzb2"], t2),
            ]
        }
        Element::Driven(id, motor) => {
            let (f, t) = s.reaction(*id, Side::A);
            let effort = s.measure(&Measurement::CouplingEffort(*motor));
            vec![
                ("RforceP", ["FxP", "FyP", "FzP"], f),
                ("RtorqueP", ["TxP", "TyP", "TzP"], t),
                ("RforceA", ["FxA", "FyA", "FzA"], DVec3::Z * effort),
                ("RtorqueA", ["TxA", "TyA", "TzA"], DVec3::ZERO),
            ]
        }
        Element::Sprung(id, spring) => {
            let (f, t) = s.reaction(*id, Side::A);
            let torque = s.measure(&Measurement::CoordinateForce(*spring, 2));
            // The joint axis of the setup is global y; the spring turns ground against the body.
            vec![("Rforce", FORCE, f), ("Rtorque", TORQUE, t - DVec3::Y * torque)]
        }
        Element::Spring(id, local, ground) => {
            let force = s.measure(&Measurement::Spring(*id, 2));
            let direction = (s.position(body, *local) - *ground).normalize_or_zero();
            vec![("Rforce", FORCE, -direction * force)]
        }
    }
}

/// Everything measured at one time: group, column, value.
type Sample = Vec<(&'static str, &'static str, f64)>;

fn sample(s: &mut Simulation, body: BodyId, element: &Element) -> Sample {
    use BodyQuantity::{Acceleration, AngularAcceleration, AngularVelocity, Position, Velocity};
    let groups: [(&'static str, [&'static str; 3], BodyQuantity); 5] = [
        ("Pos", ["x", "y", "z"], Position),
        ("Vel", ["vx", "vy", "vz"], Velocity),
        ("Acc", ["ax", "ay", "az"], Acceleration),
        ("Avel", ["wx", "wy", "wz"], AngularVelocity),
        ("Aacc", ["wdx", "wdy", "wdz"], AngularAcceleration),
    ];
    let mut out = Sample::new();
    let mut push = |group, columns: [&'static str; 3], v: DVec3| {
        (0..3).for_each(|k| out.push((group, columns[k], v[k])));
    };
    for (group, columns, quantity) in groups {
        push(group, columns, s.body(body, quantity, DVec3::ZERO));
    }
    for (group, columns, value) in reactions(s, body, element) {
        push(group, columns, value);
    }
    let q = s.quaternion(body);
    ["e0", "e1", "e2", "e3"].iter().zip(q).for_each(|(name, q)| out.push(("Quat", name, q)));
    out
}

/// Gives each quaternion the sign of the reference, since q and −q are one orientation.
fn align_quaternions(got: &mut [Sample], table: &Table) -> Result<()> {
    let columns = ["e0", "e1", "e2", "e3"].map(|name| table.column(name));
    let [a, b, c, d] = columns;
    let (a, b, c, d) = (a?, b?, c?, d?);
    for (row, sample) in got.iter_mut().enumerate() {
        let quaternion: Vec<&mut f64> =
            sample.iter_mut().filter(|entry| entry.0 == "Quat").map(|entry| &mut entry.2).collect();
        let dot: f64 = quaternion.iter().zip([a[row], b[row], c[row], d[row]]).map(|(q, r)| **q * r).sum();
        if dot < 0.0 {
            quaternion.into_iter().for_each(|q| *q = -*q);
        }
    }
    Ok(())
}

fn run(context: &Context, name: &str, setup_name: &str) -> Result<Vec<Check>> {
    let setups: Setups = context.reference.json(&format!("{FOLDER}/setups.json"))?;
    let setup = setups.cases.iter().find(|s| s.case == setup_name).ok_or_else(|| CaseError::Reference {
        file: format!("{FOLDER}/setups.json"),
        reason: format!("there is no setup '{setup_name}'"),
    })?;
    let table = context.reference.table(&format!("{FOLDER}/{}", setup.file))?;
    let (assembly, body, element) = assemble(&setups, setup)?;
    let step = context.full_or_quick(setup.anchor_step, setup.anchor_step.max(QUICK_STEP));
    let mut s = Simulation::new(&assembly, ALPHA, step)?;
    let mut got = Vec::new();
    for t in table.time()? {
        s.advance_to(*t)?;
        got.push(sample(&mut s, body, &element));
    }
    align_quaternions(&mut got, &table)?;
    let mut checks = compare(&got, &table, setup)?;
    checks.extend(conservation(&s, &setups, setup, &element));
    draw(context, name, &got, &table)?;
    Ok(checks)
}

/// Step of quick runs where the setup asks for a smaller one [s]; the tolerances are the same.
const QUICK_STEP: f64 = 2e-5;

/// One check for each group: the largest RMS of its columns against half the tolerance.
fn compare(got: &[Sample], table: &Table, setup: &Setup) -> Result<Vec<Check>> {
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    let columns = got.first().map_or(0, Vec::len);
    for k in 0..columns {
        let (group, name, _) = got[0][k];
        let values: Vec<f64> = got.iter().map(|sample| sample[k].2).collect();
        let error = rms(&values, table.column(name)?);
        let entry = worst.entry(group).or_insert(0.0);
        *entry = if error.is_nan() { error } else { entry.max(error) };
    }
    let mut checks = Vec::new();
    for (group, unit) in GROUPS {
        if let (Some(error), Some(Some(tolerance))) = (worst.get(group), setup.rms_tol.get(group)) {
            if (setup.case.as_str(), group) == PENDULUM_VELOCITY {
                checks.extend(pendulum_velocity(got, table, 0.5 * tolerance)?);
            } else {
                checks.push(Check::error(format!("{unit} RMS"), *error, 0.5 * tolerance));
            }
        }
    }
    Ok(checks)
}

/// The one table whose own error is larger than half of its tolerance: the motion is that of `Revolute_Case01`, a
/// pendulum in the x–z plane, but the two tables differ.
const PENDULUM_VELOCITY: (&str, &str) = ("Spherical_Case01", "Vel");

/// Velocities of the exact pendulum of the family (x, z) at the sample times, by the classical Runge–Kutta method
/// on its angle: $(I + m l^2)\ddot\theta = m g l\cos\theta$ with I = 0.1, m = 1, l = 2.
fn exact_pendulum(time: &[f64]) -> [Vec<f64>; 2] {
    let pull = |angle: f64| 9.80665 * 2.0 / 4.1 * angle.cos();
    let (mut angle, mut rate, mut now) = (0.0f64, 0.0f64, 0.0);
    let mut out = [Vec::new(), Vec::new()];
    for t in time {
        let count = ((t - now) / 1e-4).round().max(0.0) as usize;
        let h = (t - now) / count.max(1) as f64;
        for _ in 0..count {
            let k1 = (rate, pull(angle));
            let k2 = (rate + 0.5 * h * k1.1, pull(angle + 0.5 * h * k1.0));
            let k3 = (rate + 0.5 * h * k2.1, pull(angle + 0.5 * h * k2.0));
            let k4 = (rate + h * k3.1, pull(angle + h * k3.0));
            angle += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            rate += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        }
        now = *t;
        out[0].push(-2.0 * rate * angle.sin());
        out[1].push(-2.0 * rate * angle.cos());
    }
    out
}

/// The velocity of a table with an error of its own: our distance from the table must be that of the exact
/// solution to within the bound, and our distance from the exact solution a tenth of the bound.
fn pendulum_velocity(got: &[Sample], table: &Table, bound: f64) -> Result<Vec<Check>> {
    let exact = exact_pendulum(table.time()?);
    let (mut own, mut ours, mut error) = (0.0f64, 0.0f64, 0.0f64);
    for (column, exact) in ["vx", "vz"].iter().zip(&exact) {
        let place = got[0].iter().position(|entry| entry.1 == *column).unwrap_or(0);
        let values: Vec<f64> = got.iter().map(|sample| sample[place].2).collect();
        own = own.max(rms(exact, table.column(column)?));
        ours = ours.max(rms(&values, table.column(column)?));
        error = error.max(rms(&values, exact));
    }
    Ok(vec![
        Check::value("velocity [m/s] RMS (expected: exact motion)", own, ours, bound),
        Check::error("velocity [m/s] against exact motion, RMS", error, 0.1 * bound),
    ])
}

/// Groups in the order they are shown.
const GROUPS: [(&str, &str); 12] = [
    ("Pos", "position [m]"),
    ("Vel", "velocity [m/s]"),
    ("Acc", "acceleration [m/s²]"),
    ("Quat", "orientation [-]"),
    ("Avel", "angular velocity [rad/s]"),
    ("Aacc", "angular acceleration [rad/s²]"),
    ("Rforce", "reaction force [N]"),
    ("Rtorque", "reaction torque [N·m]"),
    ("RforceP", "prismatic reaction force [N]"),
    ("RtorqueP", "prismatic reaction torque [N·m]"),
    ("RforceA", "actuator force [N]"),
    ("RtorqueA", "actuator torque [N·m]"),
];

fn conservation(s: &Simulation, setups: &Setups, setup: &Setup, element: &Element) -> Vec<Check> {
    let mut checks = Vec::new();
    if matches!(element, Element::Joint(_) | Element::Link(_)) {
        let falling = setup.case.starts_with("Prismatic") || setup.case.starts_with("Cylindrical");
        let bound = if falling { 10.0 * setups.energy_tolerance } else { setups.energy_tolerance };
        let drift = rms(s.energy_change(), &vec![0.0; s.energy_change().len()]);
        checks.push(Check::error("energy drift RMS [J]", drift, 0.5 * bound));
    }
    if !matches!(element, Element::Spring(..)) {
        checks.push(s.residual_check());
    }
    checks
}

fn draw(context: &Context, name: &str, got: &[Sample], table: &Table) -> Result<()> {
    let mut shown =
        vec![("position z [m]", "z"), ("angular velocity y [rad/s]", "wy"), ("acceleration z [m/s²]", "az")];
    if table.column("Fz").is_ok() {
        shown.push(("reaction force z [N]", "Fz"));
    }
    let series: Vec<Vec<f64>> = shown
        .iter()
        .map(|(_, column)| {
            let place = got[0].iter().position(|entry| entry.1 == *column);
            got.iter().map(|sample| place.map_or(f64::NAN, |k| sample[k].2)).collect()
        })
        .collect();
    let mut comparisons = Vec::new();
    for ((label, column), values) in shown.iter().zip(&series) {
        comparisons.push(Comparison::sampled(label, table.time()?, values, table.column(column)?));
    }
    context.figures.compare(name, "time [s]", &comparisons)
}
