//! Closed forms of the compliant and rigid contact terms: friction, rolling, spinning, adhesion, rows.

use huygens_kernel::Vec3;
use huygens_kernel::contact::rigid::*;
use huygens_kernel::contact::*;

fn setup(model: &CompliantModel, material: CompliantMaterial) -> CompliantPair {
    CompliantPair::of_materials(model, &material, &material).unwrap()
}

fn resting(depth: f64, velocity: Vec3, angular_velocity: Vec3, step: f64) -> ContactMotion {
    ContactMotion {
        gap: -depth,
        normal: Vec3::Z,
        velocity,
        velocity_before: None,
        angular_velocity,
        effective_mass: 1.0,
        effective_radius: 0.5,
        step,
    }
}

fn hooke(normal: f64, tangential: f64, friction: f64) -> CompliantMaterial {
    CompliantMaterial {
        friction,
        normal_stiffness: Some(normal),
        tangential_stiffness: Some(tangential),
        ..CompliantMaterial::default()
    }
}

const HOOKE: NormalLaw = NormalLaw::Hooke { speed: 1.0 };

#[test]
fn stored_displacement_grows_sticks_and_is_cut_at_the_cap() {
    for tangential in [TangentialLaw::History, TangentialLaw::Mindlin] {
        let model =
            CompliantModel { normal: HOOKE, damping: DampingLaw::None, tangential, ..Default::default() };
        let pair = setup(&model, hooke(1e4, 5e3, 0.5));
        let motion = resting(1e-2, Vec3::X * 0.1, Vec3::ZERO, 1e-3);
        let (mut old, mut new) = (ContactHistory::default(), ContactHistory::default());
        for k in 1..=150 {
            let wrench = evaluate(&model, &pair, &motion, &old, &mut new);
            old = new;
            // F_n = 100 N, cap 50 N; the spring takes 0.5 N a step.
            assert!((wrench.force - Vec3::new(-(0.5 * f64::from(k)).min(50.0), 0.0, 100.0)).length() < 1e-9);
            assert!(k == 100 || wrench.slipping == (k > 100));
        }
        // Sliding back is felt at once: one step back takes 0.5 N off.
        let back = ContactMotion { velocity: -motion.velocity, ..motion };
        let wrench = evaluate(&model, &pair, &back, &old, &mut new);
        assert!((wrench.force.x + 49.5).abs() < 1e-9 && !wrench.slipping);
        let energy = stored_energy(&model, &pair, &back, &new);
        assert!((energy - (0.5 * 1e4 * 1e-4 + 0.5 * 49.5 * 49.5 / 5e3)).abs() < 1e-9);
        // A gap forgets.
        evaluate(&model, &pair, &ContactMotion { gap: 1e-6, ..motion }, &old, &mut new);
        assert_eq!(new, ContactHistory::default());
    }
}

#[test]
fn rescaled_mindlin_force_creates_no_energy_over_a_cycle() {
    // Load, shear, unload in part, shear back, load again: work done on the contact is not negative.
    let work = |tangential| {
        let model = CompliantModel { damping: DampingLaw::None, tangential, ..Default::default() };
        let pair = setup(&model, CompliantMaterial { friction: 10.0, ..Default::default() });
        let (mut old, mut new) = (ContactHistory::default(), ContactHistory::default());
        let mut work = 0.0;
        let mut depth = 1e-2;
        let mut phase = |shear: f64, sink: f64| {
            for _ in 0..1000 {
                depth += sink;
                let motion = resting(depth, Vec3::X * shear, Vec3::ZERO, 1.0);
                let force = evaluate(&model, &pair, &motion, &old, &mut new).force;
                old = new;
                work -= force.x * shear;
            }
        };
        phase(1e-7, 0.0);
        phase(0.0, -5e-6);
        phase(-1e-7, 0.0);
        phase(0.0, 5e-6);
        work
    };
    assert!(work(TangentialLaw::MindlinRescaled) >= 0.0);
    // The plain law gives back more on the softer contact than it took on the stiffer one (elata1996).
    assert!(work(TangentialLaw::Mindlin) < 0.0);
}

#[test]
fn memoryless_friction_is_a_ramp_to_the_cap() {
    let coulomb = TangentialLaw::Coulomb { speed: 1e-2 };
    let model = CompliantModel {
        normal: HOOKE,
        damping: DampingLaw::None,
        tangential: coulomb,
        ..Default::default()
    };
    let pair = setup(&model, hooke(1e4, 5e3, 0.5));
    let at = |model: &CompliantModel, speed: f64, step: f64| {
        let mut new = ContactHistory::default();
        let motion = resting(1e-2, Vec3::Y * speed, Vec3::ZERO, step);
        evaluate(model, &pair, &motion, &ContactHistory::default(), &mut new).force.y
    };
    assert!((at(&model, 5e-3, 0.0) + 25.0).abs() < 1e-12);
    assert!((at(&model, 5.0, 0.0) + 50.0).abs() < 1e-12);
    let one_step = CompliantModel { tangential: TangentialLaw::OneStep, ..model };
    assert!((at(&one_step, 0.1, 1e-3) + 0.5).abs() < 1e-12);
    assert!((at(&one_step, 100.0, 1e-3) + 50.0).abs() < 1e-12);
}

/// A sphere of r = 0.5 m, 1 kg spins on a plane under its weight; angular speed left after `time` [s].
fn spin_left(law: ResistanceLaw, axis: Vec3, time: f64) -> f64 {
    let model = CompliantModel { normal: HOOKE, rolling: law, spinning: law, ..Default::default() };
    let pair = setup(
        &model,
        CompliantMaterial { rolling_friction: 0.02, spinning_friction: 0.02, ..hooke(1e5, 1e5, 0.0) },
    );
    let (h, inertia, depth) = (1e-4, 0.1, 9.81 / 1e5);
    let (mut old, mut new) = (ContactHistory::default(), ContactHistory::default());
    let mut spin = axis;
    for _ in 0..(time / h).round() as usize {
        let torque = evaluate(&model, &pair, &resting(depth, Vec3::ZERO, spin, h), &old, &mut new).torque;
        old = new;
        spin += torque * (h / inertia);
    }
    spin.dot(axis)
}

#[test]
fn rolling_and_spinning_stop_when_the_couple_says() {
    // ω = ω₀ − ρmg t/I: half of 1 rad/s is left at t = 0.5 I/(ρ m g).
    let half = 0.5 * 0.1 / (0.02 * 9.81);
    for axis in [Vec3::X, Vec3::Z] {
        let constant = ResistanceLaw::Constant { rate: 1e-2 };
        let spring = ResistanceLaw::ElasticPlastic { ratio: 0.3 };
        assert!((spin_left(constant, axis, half) - 0.5).abs() < 1e-3);
        // The spring winds up first: it needs the time cap/k/ω₀, and loses half the impulse in it.
        let wind = 0.02 * 9.81 / (2.25 * 1e5 * 0.02 * 0.02);
        assert!((spin_left(spring, axis, half) - 0.5).abs() < wind / half);
        for law in [constant, spring] {
            assert!(spin_left(law, axis, 1.5).abs() < 1e-3, "{law:?} {axis}");
        }
        // I dω/dt = −η ω.
        let viscous = spin_left(ResistanceLaw::Viscous { damping: 0.05 }, axis, 1.0);
        assert!((viscous - (-0.5f64).exp()).abs() < 1e-3, "{viscous}");
    }
}

#[test]
fn adhesion_is_a_constant_pull_while_touching() {
    let model = CompliantModel { normal: HOOKE, damping: DampingLaw::None, ..Default::default() };
    let material =
        CompliantMaterial { cohesion: 10.0, adhesion_dmt: 3.0, cleanliness: 0.5, ..hooke(1e4, 1e4, 0.0) };
    for (adhesion, pull) in [
        (AdhesionLaw::None, 0.0),
        (AdhesionLaw::Constant, 10.0),
        (AdhesionLaw::Dmt, 3.0 * 0.5f64.sqrt()),
        (AdhesionLaw::Perko, 3.6e-2 * 0.25 * 0.5),
    ] {
        let model = CompliantModel { adhesion, ..model };
        let pair = setup(&model, material);
        let mut new = ContactHistory::default();
        let old = new;
        let motion = resting(1e-4, Vec3::ZERO, Vec3::ZERO, 0.0);
        assert!((evaluate(&model, &pair, &motion, &old, &mut new).force.z - (1.0 - pull)).abs() < 1e-12);
        let open = ContactMotion { gap: 1e-9, ..motion };
        assert_eq!(evaluate(&model, &pair, &open, &old, &mut new), ContactWrench::default());
    }
}

#[test]
fn coefficients_follow_from_materials() {
    let soft = CompliantMaterial {
        young: 1e6,
        poisson: 0.25,
        friction: 0.3,
        restitution: 0.9,
        ..Default::default()
    };
    let hard = CompliantMaterial { young: f64::INFINITY, friction: 0.8, restitution: 0.2, ..soft };
    let both = CompliantMaterial::combine(&soft, &hard).unwrap();
    assert_eq!((both.friction, both.restitution), (0.3, 0.2));
    assert!((both.young - 1e6 / (1.0 - 0.0625)).abs() < 1e-6);
    // Mindlin: k_t/k_n = 2(1−ν)/(2−ν) of the tangent stiffnesses.
    assert!((4.0 * both.shear_ratio - 2.0 * 0.75 / 1.75).abs() < 1e-12);
    // Hooke's spring from E stops a body at Hertz' depth.
    let (mass, radius, speed) = (0.3, 0.02, 0.7);
    let model = CompliantModel { normal: NormalLaw::Hooke { speed }, ..Default::default() };
    let pair = CompliantPair::new(&model, &both).unwrap();
    let spring = pair.stiffness_at_speed(&model, mass, radius, 5.0);
    let hertz = normal::hertz_impact(both.young, radius, mass, speed);
    assert!((speed * (mass / spring).sqrt() / hertz.depth - 1.0).abs() < 1e-12);
    // Flat partners use the radius of the model.
    let model = CompliantModel { flat_radius: 0.04, ..CompliantModel::default() };
    let pair = CompliantPair::new(&model, &both).unwrap();
    let flat = pair.stiffness_at_depth(&model, mass, f64::INFINITY, 1e-3);
    assert_eq!(flat, pair.stiffness_at_depth(&model, mass, 0.04, 1e-3));
}

#[test]
fn wrong_coefficients_are_refused() {
    let fine = CompliantMaterial::default();
    let model = CompliantModel::default();
    for wrong in [
        CompliantMaterial { young: 0.0, ..fine },
        CompliantMaterial { poisson: 0.6, ..fine },
        CompliantMaterial { restitution: 1.1, ..fine },
        CompliantMaterial { restitution: f64::NAN, ..fine },
        CompliantMaterial { friction: -0.1, ..fine },
        CompliantMaterial { rolling_friction: f64::INFINITY, ..fine },
        CompliantMaterial { normal_stiffness: Some(0.0), ..fine },
        CompliantMaterial { tangential_damping: Some(f64::NAN), ..fine },
    ] {
        let error = CompliantPair::of_materials(&model, &fine, &wrong).unwrap_err();
        assert!(matches!(error, ContactError::Range { .. }), "{error}");
    }
    let viscous = CompliantModel { damping: DampingLaw::Viscous, ..model };
    assert!(matches!(CompliantPair::of_materials(&viscous, &fine, &fine), Err(ContactError::Missing { .. })));
    let rigid = CompliantMaterial { young: f64::INFINITY, ..fine };
    assert!(matches!(CompliantPair::of_materials(&model, &rigid, &rigid), Err(ContactError::Missing { .. })));
    let still = CompliantModel { normal: NormalLaw::Hooke { speed: 0.0 }, ..model };
    assert!(still.check().is_err());
    let negative = CompliantModel { rolling: ResistanceLaw::Viscous { damping: -1.0 }, ..model };
    assert!(negative.check().is_err());
}

#[test]
fn rigid_rows_have_the_terms_of_their_equations() {
    assert_eq!(stabilization_bias(1e-3, 1e-2, 0.5, 1.0, 0.0), 0.1);
    assert_eq!(stabilization_bias(-1.0, 1e-2, 0.5, 1.0, 0.0), -0.5);
    // At the resting overlap nothing is asked for; above and below it a part of the rest.
    assert_eq!(stabilization_bias(-1e-4, 1e-2, 0.5, 0.2, 1e-4), 0.0);
    assert!((stabilization_bias(-3e-4_f64, 1e-2, 0.5, 0.2, 1e-4) + 0.2 * 2e-4 / 1e-2).abs() < 1e-15);
    // The row's impulse is that of the spring and dashpot at the end of the step, for any velocity.
    let (gap, h, k, c) = (-2e-3, 1e-2, 1e4, 30.0);
    let row = regularized_row(gap, h, k, c, f64::INFINITY);
    for velocity in [-0.3, 0.0, 0.1] {
        let impulse = -(velocity + row.bias) / row.compliance;
        let force = -k * (gap + h * velocity) - c * velocity;
        assert!((impulse - h * force).abs() < 1e-9 * impulse.abs());
    }
    assert_eq!(regularized_row(-1.0, h, k, 0.0, 0.6).bias, -0.6);
    // A fast approach rebounds if it would touch in this step, and only then; a slow one does not.
    assert_eq!(normal_bias(0.1, 1e-3, 1e-2, -2.0, 0.5, 0.1), -1.0);
    assert_eq!(normal_bias(10.0, 1e-1, 1e-2, -2.0, 0.5, 0.1), 10.0);
    assert_eq!(normal_bias(0.0, 0.0, 1e-2, -0.05, 0.5, 0.1), 0.0);
    assert_eq!(normal_bias(-3.0, -0.03, 1e-2, -2.0, 0.5, 0.1), -3.0);
    assert_eq!(tilt_bias(0.5, 2.0), 1.0);
}
