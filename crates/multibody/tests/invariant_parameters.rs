//! Parameters that change between steps: a changed model moves as one built with the new value, shares its topology, and
//! errors name the object, the parameter and what is allowed.

use std::sync::Arc;

use crate::common::{DOWN, advance, build, joint, joint_at, measure, rod, settings, start, stepper};
use glam::{DMat3, DQuat, DVec3};
use huygens_core::contact::{ContactLaw, Material};
use huygens_core::function::Function;
use huygens_core::integrator::{Integrator, Stepper};
use huygens_core::parameter::{Invalidates, ParameterChanges, ParameterTarget, Version};
use huygens_core::{CoreError, State};
use huygens_geometry::{Pose, Shape};
use huygens_multibody::*;

const ALPHA: Integrator = Integrator::GeneralizedAlpha { rho: 0.8 };
const SPEED: f64 = 0.4;

/// Bodies, shafts and all kinds of forces and couplings.
fn machine() -> Assembly {
    let mut a = Assembly::new(DOWN);
    let arm = |name: &str, x: f64| rod(name, 2.0, 1.0, DVec3::new(x, 0.0, 0.0), DQuat::IDENTITY);
    let [first, second, third] =
        [("first", 0.5), ("second", 1.5), ("third", 4.0)].map(|(name, x)| a.add_body(arm(name, x)).unwrap());
    let base = joint_at(&mut a, "base", JointKind::Revolute, [None, Some(first)], DVec3::ZERO, DVec3::Y);
    let elbow =
        joint_at(&mut a, "elbow", JointKind::Revolute, [Some(first), Some(second)], DVec3::X, DVec3::Y);
    let slide =
        joint_at(&mut a, "slide", JointKind::Cylindrical, [None, Some(third)], DVec3::X * 4.0, DVec3::Z);
    let limit = Limit {
        coordinate: 0,
        lower: Some(-0.02),
        upper: Some(0.05),
        stiffness: Some(400.0),
        damping: 3.0,
        restitution: 0.0,
    };
    a.joint_mut(elbow).unwrap().limits.push(limit);
    let tip = Attachment { position: DVec3::X * 0.5, ..Attachment::origin(second) };
    let law = ScalarLaw::Spring { stiffness: 60.0, damping: 1.0, rest: 0.9, actuator: None };
    let up = Attachment::ground(DVec3::new(1.8, 0.1, 1.0), DQuat::IDENTITY);
    a.add_spring(Spring { name: "coil".into(), a: up, b: tip, law }).unwrap();
    let mut stiffness = [[0.0; 6]; 6];
    (0..6).for_each(|k| stiffness[k][k] = 30.0);
    let damping = stiffness.map(|row| row.map(|x| 0.02 * x));
    let name = "mount".into();
    let (ground, own) = (Attachment::ground(DVec3::X * 4.0, DQuat::IDENTITY), Attachment::origin(third));
    a.add_bushing(Bushing { name, a: ground, b: own, stiffness, damping, preload: [0.0; 6] }).unwrap();
    let zero = || Drive::from(0.0);
    a.add_load(Load {
        name: "push".into(),
        carrier: Carrier::Body(second),
        point: DVec3::ZERO,
        frame: LoadFrame::World,
        force: [Drive::from(1.5), zero(), Function::Polynomial { coefficients: vec![1.0, 2.0] }.into()],
        torque: [zero(), zero(), zero()],
    })
    .unwrap();
    a.add_drag(Drag {
        name: "air".into(),
        carrier: Carrier::Body(first),
        point: DVec3::ZERO,
        medium_velocity: DVec3::ZERO,
        linear: 0.3,
        quadratic: 0.1,
        angular_linear: 0.0,
        angular_quadratic: 0.0,
    })
    .unwrap();
    let shafts = ["input", "output"]
        .map(|name| a.add_shaft(Shaft { name: name.into(), inertia: 0.1, angle: 0.0, speed: 0.0 }).unwrap());
    let couple = |a: &mut Assembly, name: &str, term, target| {
        let terms = vec![(term, 1.0)];
        a.add_coupling(Coupling { name: name.into(), label: "motor", terms, target, teeth: None }).unwrap();
    };
    couple(&mut a, "drive", CoordinateRef::Shaft(shafts[0]), CouplingTarget::Speed(Drive::from(SPEED)));
    let hold = CouplingTarget::Position(Function::constant(0.0));
    couple(&mut a, "hold", CoordinateRef::Joint(slide, 0), hold);
    let terms = vec![(CoordinateRef::Shaft(shafts[0]), 1.0), (CoordinateRef::Shaft(shafts[1]), -1.0)];
    let law = ScalarLaw::Friction { limit: Drive::from(0.02), stiffness: 50.0, damping: 0.5 };
    a.add_coordinate_force(CoordinateForce { name: "plate".into(), label: "clutch", terms, law }).unwrap();
    let law = ScalarLaw::Effort(Drive::from(0.7));
    let terms = vec![(CoordinateRef::Joint(base, 0), 1.0)];
    a.add_coordinate_force(CoordinateForce { name: "servo".into(), label: "motor", terms, law }).unwrap();
    a
}

type Edit = fn(&mut Assembly);
/// Changes, the same changes in the description, and what they invalidate.
type Case = (Vec<(ParameterTarget, f64)>, Edit, Invalidates);

fn target(kind: &str, owner: &str, parameter: &str) -> ParameterTarget {
    ParameterTarget::new(kind, owner, parameter)
}

fn first<T>(arena: &huygens_core::Arena<T>, found: impl Fn(&T) -> bool) -> huygens_core::Id<T> {
    arena.iter().find(|(_, item)| found(item)).unwrap().0
}

fn body<'a>(a: &'a mut Assembly, name: &str) -> &'a mut Body {
    let id = first(a.bodies(), |b| b.name == name);
    a.body_mut(id).unwrap()
}

/// Parameters with a new value each, the same in the description, and what depends on them.
fn smooth_cases() -> Vec<Case> {
    let t = target;
    vec![
        (vec![(t("body", "second", "mass"), 3.5)], |a| body(a, "second").mass = 3.5, Invalidates::MASS),
        (
            vec![
                (t("body", "first", "inertia.xx"), 0.9),
                (t("body", "first", "inertia.yy"), 1.1),
                (t("body", "first", "inertia.zz"), 1.3),
                (t("body", "first", "inertia.xz"), 0.1),
            ],
            |a| {
                let columns = [DVec3::new(0.9, 0.0, 0.1), DVec3::Y * 1.1, DVec3::new(0.1, 0.0, 1.3)];
                body(a, "first").inertia = DMat3::from_cols(columns[0], columns[1], columns[2]);
            },
            Invalidates::MASS,
        ),
        (
            vec![(t("shaft", "output", "inertia"), 0.03)],
            |a| {
                let id = first(a.shafts(), |s| s.name == "output");
                a.shaft_mut(id).unwrap().inertia = 0.03;
            },
            Invalidates::MASS,
        ),
        (
            vec![
                (t("spring", "coil", "stiffness"), 200.0),
                (t("spring", "coil", "damping"), 4.0),
                (t("spring", "coil", "rest"), 0.5),
            ],
            |a| {
                let id = first(a.springs(), |s| s.name == "coil");
                let law = ScalarLaw::Spring { stiffness: 200.0, damping: 4.0, rest: 0.5, actuator: None };
                a.spring_mut(id).unwrap().law = law;
            },
            Invalidates::FACTORS,
        ),
        (
            vec![(t("bushing", "mount", "stiffness.3.3"), 90.0), (t("bushing", "mount", "damping.3.3"), 2.0)],
            |a| {
                let id = first(a.bushings(), |b| b.name == "mount");
                let bushing = a.bushing_mut(id).unwrap();
                (bushing.stiffness[2][2], bushing.damping[2][2]) = (90.0, 2.0);
            },
            Invalidates::FACTORS,
        ),
        (
            vec![(t("load", "push", "force.x"), -8.0), (t("drag", "air", "quadratic"), 2.0)],
            |a| {
                let id = first(a.loads(), |l| l.name == "push");
                a.load_mut(id).unwrap().force[0] = Drive::from(-8.0);
                let id = first(a.drags(), |d| d.name == "air");
                a.drag_mut(id).unwrap().quadratic = 2.0;
            },
            Invalidates::FACTORS,
        ),
        (
            vec![(t("motor", "drive", "speed"), 2.0)],
            |a| {
                let id = first(a.couplings(), |c| c.name == "drive");
                a.coupling_mut(id).unwrap().target = CouplingTarget::Speed(Drive::from(2.0));
            },
            Invalidates::FACTORS,
        ),
        (
            vec![(t("motor", "servo", "effort"), -3.0), (t("clutch", "plate", "limit"), 0.1)],
            |a| {
                let id = first(a.coordinate_forces(), |f| f.name == "servo");
                a.coordinate_force_mut(id).unwrap().law = ScalarLaw::Effort(Drive::from(-3.0));
                let id = first(a.coordinate_forces(), |f| f.name == "plate");
                let law = ScalarLaw::Friction { limit: Drive::from(0.1), stiffness: 50.0, damping: 0.5 };
                a.coordinate_force_mut(id).unwrap().law = law;
            },
            Invalidates::FACTORS,
        ),
        (
            vec![
                (t("joint", "elbow", "limits.0.lower"), -0.001),
                (t("joint", "elbow", "limits.0.upper"), 0.001),
            ],
            |a| {
                let id = first(a.joints(), |j| j.name == "elbow");
                let limit = &mut a.joint_mut(id).unwrap().limits[0];
                (limit.lower, limit.upper) = (Some(-0.001), Some(0.001));
            },
            Invalidates::FACTORS,
        ),
        (vec![(ParameterTarget::gravity("z"), 3.0)], |a| a.gravity.z = 3.0, Invalidates::FACTORS),
    ]
}

/// A changed model goes on as a model that was built with the new values, from the same state, bit for bit; with the old
/// values back it goes on as if nothing had been changed.
#[track_caller]
fn check_change(
    make: &dyn Fn() -> Assembly,
    integrator: Integrator,
    h: f64,
    (changes, edit, expected): (Vec<(ParameterTarget, f64)>, Edit, Invalidates),
) {
    let old = build(&make());
    let mut moving = stepper(&old.model, settings(integrator));
    let mut state = start(&mut moving);
    advance(&mut moving, &mut state, h, 25);
    let kept = state.clone();
    let mut from = kept.clone();
    from.disturb();
    let before: Vec<(ParameterTarget, f64)> =
        changes.iter().map(|(target, _)| (target.clone(), old.model.parameter(target).unwrap())).collect();

    let invalidated = moving.set_parameters(&mut state, &changes).unwrap();
    assert_eq!(invalidated, expected, "{changes:?}");
    // The state says what was changed, and nothing else in it does.
    assert_eq!(state.parameters, moving.system().model().parameter_changes());
    let listed = std::mem::take(&mut state.parameters);
    assert_eq!(state, from, "positions, velocities, multipliers and history stay");
    let model = moving.system().model().clone();
    assert!(model.shares_topology(&old.model));
    assert_eq!(model.parameter_version(), Version(1));
    assert_eq!(model.parameter_changes().list.len(), changes.len());
    advance(&mut moving, &mut state, h, 25);

    let mut changed = make();
    edit(&mut changed);
    let new = build(&changed);
    let mut reference = stepper(&new.model, settings(integrator));
    let mut expected = from.clone();
    advance(&mut reference, &mut expected, h, 25);
    assert_eq!(state, expected, "{changes:?}");
    state.parameters = listed;

    let mut unchanged = from.clone();
    let mut fresh = stepper(&old.model, settings(integrator));
    advance(&mut fresh, &mut unchanged, h, 25);
    assert_ne!(state.v, unchanged.v, "the change matters: {changes:?}");

    let mut again = kept.clone();
    moving.set_parameters(&mut again, &before).unwrap();
    assert!(moving.system().model().parameter_changes().is_empty());
    assert_eq!(moving.system().model().parameters(), old.model.parameters());
    advance(&mut moving, &mut again, h, 25);
    assert_eq!(again, unchanged, "{changes:?}");
}

#[test]
fn changed_parameters_act_as_if_they_had_been_built_in() {
    for case in smooth_cases() {
        check_change(&machine, ALPHA, 2e-3, case);
    }
}

#[test]
fn changed_parameters_act_in_velocity_stepping_too() {
    for case in smooth_cases() {
        check_change(&machine, Integrator::Euler, 2e-3, case);
    }
}

/// A rod on a rope, with a rigid stop in its hinge.
fn hanging() -> Assembly {
    let mut a = Assembly::new(DOWN);
    let arm = a.add_body(rod("arm", 1.0, 1.0, DVec3::X * 0.5, DQuat::IDENTITY)).unwrap();
    let bob = a.add_body(rod("bob", 0.5, 0.2, DVec3::new(2.0, 0.0, 0.0), DQuat::IDENTITY)).unwrap();
    let hinge = joint_at(&mut a, "hinge", JointKind::Revolute, [None, Some(arm)], DVec3::ZERO, DVec3::Y);
    let (stiffness, damping, restitution) = (None, 0.0, 0.2);
    a.joint_mut(hinge).unwrap().limits.push(Limit {
        coordinate: 0,
        lower: Some(-0.01),
        upper: Some(0.01),
        stiffness,
        damping,
        restitution,
    });
    let up = Attachment::ground(DVec3::new(2.0, 0.0, 0.2), DQuat::IDENTITY);
    let (name, length) = ("tether".into(), 0.201);
    a.add_rope(Rope { name, a: up, b: Attachment::origin(bob), length, stiffness, damping, restitution })
        .unwrap();
    a
}

#[test]
fn bounds_of_rigid_limits_and_ropes_may_change() {
    let t = target;
    let cases: Vec<Case> = vec![
        (
            vec![
                (t("joint", "hinge", "limits.0.upper"), 0.04),
                (t("joint", "hinge", "limits.0.restitution"), 0.9),
            ],
            |a| {
                let id = first(a.joints(), |j| j.name == "hinge");
                let limit = &mut a.joint_mut(id).unwrap().limits[0];
                (limit.upper, limit.restitution) = (Some(0.04), 0.9);
            },
            Invalidates::FACTORS,
        ),
        (
            vec![(t("rope", "tether", "length"), 0.25)],
            |a| {
                let id = first(a.ropes(), |r| r.name == "tether");
                a.rope_mut(id).unwrap().length = 0.25;
            },
            Invalidates::FACTORS,
        ),
    ];
    for case in cases {
        check_change(&hanging, Integrator::Euler, 2e-3, case);
    }
}

/// Blocks that slide and bounce.
fn blocks(law: ContactLaw) -> Assembly {
    let mut a = Assembly::new(DOWN);
    a.collision.settings.law = law;
    let stone = Material { friction: 0.5, young: 1e5, ..Material::default() };
    let material = a.add_material(NamedMaterial { name: "stone".into(), material: stone }).unwrap();
    let mut add = |body: Body, shape: Shape| {
        let body = a.add_body(body).unwrap();
        let pose = Pose::IDENTITY;
        a.add_shape(CollisionShape { body, shape, pose, material, group: 1, mask: u32::MAX }).unwrap();
        body
    };
    add(Body { name: "floor".into(), kind: BodyKind::Fixed, ..Body::default() }, Shape::HalfSpace);
    for (k, name) in ["lower", "upper"].into_iter().enumerate() {
        let (mass, radius) = (1.0 + k as f64, 0.1);
        let inertia = DMat3::IDENTITY * (0.4 * mass * radius * radius);
        let position = DVec3::new(0.01 * k as f64, 0.0, radius * (0.998 + 1.998 * k as f64));
        let velocity = DVec3::new(0.5, 0.1, 0.0);
        let ball = Body { name: name.into(), mass, inertia, position, velocity, ..Body::default() };
        add(ball, Shape::sphere(radius).unwrap());
    }
    a
}

#[test]
fn materials_and_masses_may_change_in_contact() {
    let t = target;
    let friction: (Vec<(ParameterTarget, f64)>, Edit, Invalidates) = (
        vec![(t("material", "stone", "friction"), 0.05)],
        |a| {
            let id = first(a.materials(), |m| m.name == "stone");
            a.material_mut(id).unwrap().material.friction = 0.05;
        },
        Invalidates::CONTACTS,
    );
    let young: (Vec<(ParameterTarget, f64)>, Edit, Invalidates) = (
        vec![(t("material", "stone", "young"), 5e5), (t("material", "stone", "restitution"), 0.6)],
        |a| {
            let id = first(a.materials(), |m| m.name == "stone");
            let material = &mut a.material_mut(id).unwrap().material;
            (material.young, material.restitution) = (5e5, 0.6);
        },
        Invalidates::CONTACTS,
    );
    let mass: (Vec<(ParameterTarget, f64)>, Edit, Invalidates) =
        (vec![(t("body", "upper", "mass"), 9.0)], |a| body(a, "upper").mass = 9.0, Invalidates::MASS);
    for case in [friction.clone(), mass.clone()] {
        check_change(&|| blocks(ContactLaw::Rigid), Integrator::Euler, 2e-3, case);
    }
    for case in [friction, young, mass] {
        check_change(&|| blocks(ContactLaw::Compliant), ALPHA, 2e-4, case);
    }
}

#[test]
fn sensors_and_energy_read_the_new_values() {
    let mechanism = build(&machine());
    let mut moving = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut moving);
    advance(&mut moving, &mut state, 1e-3, 5);
    let spring = first(machine().springs(), |s| s.name == "coil");
    let read = |moving: &mut Stepper, state: &State, k| {
        measure(moving.system(), &mechanism, state, &Measurement::Spring(spring, k))
    };
    let [length, rate, force] = [0, 1, 2].map(|k| read(&mut moving, &state, k));
    assert_eq!(force, -60.0 * (length - 0.9) - 1.0 * rate);
    moving.set_parameter(&mut state, &ParameterTarget::new("spring", "coil", "stiffness"), 600.0).unwrap();
    assert_eq!(read(&mut moving, &state, 2), -600.0 * (length - 0.9) - 1.0 * rate);
    let kept = mechanism.model.parameter(&ParameterTarget::new("spring", "coil", "stiffness")).unwrap();
    assert_eq!(kept, 60.0, "the model before is untouched");
}

#[test]
fn a_value_that_is_there_already_changes_nothing() {
    let mechanism = build(&machine());
    let mut moving = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut moving);
    advance(&mut moving, &mut state, 1e-3, 5);
    let (kept, model) = (state.clone(), moving.system().model().clone());
    for parameter in model.parameters() {
        let done = moving.set_parameter(&mut state, &parameter.target, parameter.value).unwrap();
        assert_eq!(done, Invalidates::NOTHING, "{}", parameter.target);
    }
    assert_eq!(state, kept);
    assert!(Arc::ptr_eq(moving.system().model(), &model));
}

#[test]
fn refusals_name_object_parameter_and_range_and_change_nothing() {
    let mechanism = build(&machine());
    let mut moving = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut moving);
    advance(&mut moving, &mut state, 1e-3, 5);
    let (kept, model) = (state.clone(), moving.system().model().clone());
    let t = target;
    let mut refuse = |changes: &[(ParameterTarget, f64)]| -> String {
        let error = moving.set_parameters(&mut state, changes).unwrap_err();
        assert!(matches!(error, CoreError::ParameterChange(_)), "{error}");
        assert_eq!(state, kept);
        assert!(Arc::ptr_eq(moving.system().model(), &model));
        error.to_string()
    };
    let coil = |value: f64| [(t("spring", "coil", "stiffness"), value)];
    assert_eq!(
        refuse(&coil(-1.0)),
        "stiffness of spring 'coil' = -1 is not allowed: zero or a positive finite number is needed"
    );
    for value in [f64::NAN, f64::INFINITY] {
        assert!(refuse(&coil(value)).contains("finite number"));
    }
    assert_eq!(
        refuse(&[(t("body", "fourth", "mass"), 1.0)]),
        "there is no body 'fourth' with parameters that may change"
    );
    let unknown = refuse(&[(t("spring", "coil", "length"), 1.0)]);
    assert!(
        unknown.contains("no parameter 'length'") && unknown.contains("stiffness, damping, rest"),
        "{unknown}"
    );
    // Given by a function of time.
    assert!(refuse(&[(t("load", "push", "force.z"), 1.0)]).contains("no parameter 'force.z'"));
    let inertia = refuse(&[(t("body", "first", "inertia.yy"), 9.0)]);
    assert!(
        inertia.contains("inertia.yy of body 'first'") && inertia.contains("triangle inequality"),
        "{inertia}"
    );
    let bounds = refuse(&[(t("joint", "elbow", "limits.0.lower"), 0.3)]);
    assert!(bounds.contains("the lower bound 0.3 must be below the upper one 0.05"), "{bounds}");
    // All or none: the first of these would be allowed.
    refuse(&[(t("body", "first", "mass"), 3.0), (t("spring", "coil", "damping"), -1.0)]);
}

#[test]
fn changes_survive_as_bytes_and_bring_a_fresh_model_to_the_same_bits() {
    let mechanism = build(&machine());
    let mut moving = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut moving);
    advance(&mut moving, &mut state, 1e-3, 10);
    for (changes, ..) in smooth_cases() {
        moving.set_parameters(&mut state, &changes).unwrap();
    }
    advance(&mut moving, &mut state, 1e-3, 10);
    let changes = moving.system().model().parameter_changes();
    assert_eq!(changes.list.len(), smooth_cases().iter().map(|c| c.0.len()).sum::<usize>());
    assert_eq!(state.parameters, changes);
    let chunks = state.to_chunks().unwrap();
    let find = |name: &str| chunks.iter().find(|(n, _)| *n == name).map(|(_, b)| b.as_slice());
    let fresh = build(&machine());
    let empty = State::new(&fresh.model);
    for end in 0..find("parameters").unwrap().len() {
        let cut = |name: &str| find(name).map(|b| if name == "parameters" { &b[..end] } else { b });
        assert!(empty.restored(&fresh.model, cut).is_err(), "{end}");
    }
    let mut restarted = stepper(&fresh.model, settings(ALPHA));
    let mut again = empty.restored(&fresh.model, find).unwrap();
    assert_eq!(again, state);
    restarted.apply_changes(&again.parameters).unwrap();
    assert_eq!(restarted.system().model().parameter_changes(), changes);
    advance(&mut moving, &mut state, 1e-3, 20);
    advance(&mut restarted, &mut again, 1e-3, 20);
    assert_eq!(again, state);
    // Back to what the model was built with.
    assert_eq!(restarted.apply_changes(&changes).unwrap(), Invalidates::NOTHING);
    restarted.apply_changes(&ParameterChanges::default()).unwrap();
    assert!(restarted.system().model().parameter_changes().is_empty());
    assert_eq!(restarted.system().model().parameters(), fresh.model.parameters());
}

#[test]
fn objects_without_a_name_are_found_by_their_number() {
    let mut a = Assembly::new(DOWN);
    let free = a.add_body(Body::default()).unwrap();
    let own = Attachment::origin(free);
    let (here, there) =
        (Attachment::ground(DVec3::Z, DQuat::IDENTITY), Attachment { position: DVec3::Z, ..own });
    a.add_joint(joint("", JointKind::Spherical, here, there)).unwrap();
    let model = build(&a).model;
    let target = ParameterTarget::new("body", "#0", "mass");
    assert!(model.parameters().iter().any(|p| p.target == target && p.unit == "kg" && p.value == 1.0));
    let (changed, _) = model.with_parameters(&[(target.clone(), 4.0)]).unwrap();
    assert_eq!((changed.parameter(&target).unwrap(), model.parameter(&target).unwrap()), (4.0, 1.0));
}
