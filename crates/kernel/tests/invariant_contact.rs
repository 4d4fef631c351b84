//! Properties of the composed compliant law for random contacts: frames, third law, cap, derivatives.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use huygens_kernel::Scalar;
use huygens_kernel::contact::compliant::normal_response;
use huygens_kernel::contact::*;
use huygens_kernel::{Quat, V3, Vec3};
use proptest::prelude::*;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

fn direction() -> impl Strategy<Value = Vec3> {
    vector(1.0).prop_filter_map("too short", |v| (v.length() > 0.1).then(|| v.normalize()))
}

fn normal_law() -> impl Strategy<Value = NormalLaw> {
    prop_oneof![Just(NormalLaw::Hertz), (0.1..10.0).prop_map(|speed| NormalLaw::Hooke { speed })]
}

fn damping_law() -> impl Strategy<Value = DampingLaw> {
    use DampingLaw::*;
    prop::sample::select(vec![
        None,
        Viscous,
        Restitution,
        HuntCrossley,
        LankaraniNikravesh,
        Flores,
        HysteresisExact,
    ])
}

fn tangential_law() -> impl Strategy<Value = TangentialLaw> {
    use TangentialLaw::*;
    prop::sample::select(vec![None, Coulomb { speed: 0.1 }, OneStep, History, Mindlin, MindlinRescaled])
}

fn resistance_law() -> impl Strategy<Value = ResistanceLaw> {
    use ResistanceLaw::*;
    prop::sample::select(vec![
        None,
        Constant { rate: 0.1 },
        Viscous { damping: 1e-3 },
        ElasticPlastic { ratio: 0.3 },
    ])
}

fn adhesion_law() -> impl Strategy<Value = AdhesionLaw> {
    use AdhesionLaw::*;
    prop::sample::select(vec![None, Constant, Dmt, Perko, Sjkr])
}

fn model() -> impl Strategy<Value = CompliantModel> {
    (normal_law(), damping_law(), tangential_law(), resistance_law(), resistance_law(), adhesion_law())
        .prop_map(|(normal, damping, tangential, rolling, spinning, adhesion)| CompliantModel {
            normal,
            damping,
            tangential,
            rolling,
            spinning,
            adhesion,
            ..CompliantModel::default()
        })
}

fn material() -> impl Strategy<Value = CompliantMaterial> {
    (1e4..1e7, 0.0..0.49, 0.0..1.0, 0.0..1.0, 0.0..0.02).prop_map(
        |(young, poisson, restitution, friction, rolling_friction)| CompliantMaterial {
            young,
            poisson,
            restitution,
            friction,
            rolling_friction,
            spinning_friction: 0.7 * rolling_friction,
            cohesion: 0.1,
            adhesion_dmt: 0.2,
            cleanliness: 0.5,
            cohesion_density: 1e3,
            normal_damping: Some(20.0),
            tangential_damping: Some(10.0),
            ..CompliantMaterial::default()
        },
    )
}

fn motion() -> impl Strategy<Value = ContactMotion> {
    (1e-5..1e-2, direction(), vector(1.0), vector(10.0), 0.01..10.0, 0.01..1.0, 0.0..1e-4).prop_map(
        |(depth, normal, velocity, angular_velocity, effective_mass, effective_radius, step): (
            f64,
            _,
            _,
            _,
            _,
            _,
            _,
        )| {
            ContactMotion {
                gap: -depth,
                normal,
                velocity,
                velocity_before: None,
                angular_velocity,
                effective_mass,
                effective_radius,
                step,
            }
        },
    )
}

/// A memory that the model could have written at about this place.
fn history() -> impl Strategy<Value = ContactHistory> {
    (vector(1e-3), vector(1e-3), -1e-3..1e-3, 0.0..0.2, 2.0..3.0).prop_map(
        |(u, r, spinning, root, impact)| ContactHistory {
            tangential: u.into(),
            rolling: r.into(),
            spinning,
            root,
            impact,
        },
    )
}

fn mapped(history: &ContactHistory, map: impl Fn(Vec3) -> Vec3) -> ContactHistory {
    let image = |vector: V3<f64>| V3::from(map(vector.into()));
    ContactHistory { tangential: image(history.tangential), rolling: image(history.rolling), ..*history }
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance * size + 1e-300)
}

fn numbers(wrench: &ContactWrench) -> [f64; 3] {
    wrench.force.to_array()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn turning_everything_turns_the_force(
        (model, material, motion, old) in (model(), material(), motion(), history()),
        (axis, angle) in (direction(), 0.0..3.0),
    ) {
        let pair = CompliantPair::of_materials(&model, &material, &material).unwrap();
        let turn = Quat::from_axis_angle(axis, angle);
        let turned = ContactMotion {
            normal: (turn * motion.normal).normalize(),
            velocity: turn * motion.velocity,
            angular_velocity: turn * motion.angular_velocity,
            ..motion
        };
        let (mut new, mut new_turned) = (ContactHistory::default(), ContactHistory::default());
        let here = evaluate(&model, &pair, &motion, &old, &mut new);
        let there = evaluate(&model, &pair, &turned, &mapped(&old, |v| turn * v), &mut new_turned);
        prop_assert!(close(&(turn * here.force).to_array(), &numbers(&there), 1e-9));
        prop_assert!(close(&(turn * here.torque).to_array(), &there.torque.to_array(), 1e-9));
        prop_assert!(close(&mapped(&new, |v| turn * v).to_array(), &new_turned.to_array(), 1e-9));
    }

    #[test]
    fn exchanging_the_bodies_gives_the_opposite(
        (model, material, motion, old) in (model(), material(), motion(), history()),
    ) {
        let other = CompliantMaterial { young: 3e5, friction: 0.4, ..CompliantMaterial::default() };
        let pair = CompliantPair::of_materials(&model, &material, &other).unwrap();
        let mirrored = CompliantPair::of_materials(&model, &other, &material).unwrap();
        let swapped = ContactMotion {
            normal: -motion.normal,
            velocity: -motion.velocity,
            angular_velocity: -motion.angular_velocity,
            ..motion
        };
        let (mut new, mut new_swapped) = (ContactHistory::default(), ContactHistory::default());
        let on_b = evaluate(&model, &pair, &motion, &old, &mut new);
        let on_a = evaluate(&model, &mirrored, &swapped, &mapped(&old, |v| -v), &mut new_swapped);
        prop_assert!(close(&numbers(&on_b), &(-on_a.force).to_array(), 1e-12));
        prop_assert!(close(&on_b.torque.to_array(), &(-on_a.torque).to_array(), 1e-12));
        prop_assert!(close(&new.to_array(), &mapped(&new_swapped, |v| -v).to_array(), 1e-12));
    }

    #[test]
    fn caps_hold_and_the_repulsion_pushes(
        (model, material, motion, old) in (model(), material(), motion(), history()),
    ) {
        let pair = CompliantPair::of_materials(&model, &material, &material).unwrap();
        let mut new = ContactHistory::default();
        let wrench = evaluate(&model, &pair, &motion, &old, &mut new);
        let n = motion.normal;
        let friction = (wrench.force - n * wrench.force.dot(n)).length();
        let cap = pair.friction * wrench.repulsion;
        prop_assert!(wrench.repulsion >= 0.0);
        // Projections onto the tangent plane cancel digits.
        let rounding = 1e-12 * wrench.force.length();
        prop_assert!(friction <= cap * (1.0 + 1e-14) + rounding);
        prop_assert!(!wrench.slipping || (friction - cap).abs() <= 1e-14 * cap + rounding);
        let spin = wrench.torque.dot(n);
        let rounding = 1e-12 * wrench.torque.length();
        prop_assert!(spin.abs() <= pair.spinning_friction * wrench.repulsion * (1.0 + 1e-14) + rounding);
        let roll = (wrench.torque - n * spin).length();
        prop_assert!(roll <= pair.rolling_friction * wrench.repulsion * (1.0 + 1e-14) + rounding);
        // The same call again gives the same bits: nothing is hidden.
        let mut again = ContactHistory::from_array([1.0; HISTORY_LENGTH]);
        prop_assert_eq!(evaluate(&model, &pair, &motion, &old, &mut again), wrench);
        prop_assert_eq!(again, new);
    }

    #[test]
    fn units_of_length_mass_and_time_do_not_matter(
        (normal, damping, tangential) in (normal_law(), damping_law(), tangential_law()),
        (material, motion, old) in (material(), motion(), history()),
        (l, m, t) in (1e-3..1e3f64, 1e-3..1e3f64, 1e-3..1e3f64),
    ) {
        let adhesion = AdhesionLaw::Constant;
        let model = CompliantModel { normal, damping, tangential, adhesion, ..CompliantModel::default() };
        let force = m * l / (t * t);
        let scaled_model = CompliantModel {
            normal: match normal {
                NormalLaw::Hooke { speed } => NormalLaw::Hooke { speed: speed * l / t },
                NormalLaw::Hertz => NormalLaw::Hertz,
            },
            tangential: match tangential {
                TangentialLaw::Coulomb { speed } => TangentialLaw::Coulomb { speed: speed * l / t },
                law => law,
            },
            slow_impact: model.slow_impact * l / t,
            flat_radius: model.flat_radius * l,
            ..model
        };
        let rate = match normal { NormalLaw::Hooke { .. } => 1.0 / t, NormalLaw::Hertz => 1.0 / (t * l) };
        let scaled_material = CompliantMaterial {
            young: material.young * force / (l * l),
            rolling_friction: material.rolling_friction * l,
            spinning_friction: material.spinning_friction * l,
            cohesion: material.cohesion * force,
            normal_damping: material.normal_damping.map(|c| c * rate),
            tangential_damping: material.tangential_damping.map(|c| c * rate),
            ..material
        };
        let scaled_motion = ContactMotion {
            gap: motion.gap * l,
            velocity: motion.velocity * (l / t),
            angular_velocity: motion.angular_velocity / t,
            effective_mass: motion.effective_mass * m,
            effective_radius: motion.effective_radius * l,
            step: motion.step * t,
            ..motion
        };
        let stores_force = matches!(tangential, TangentialLaw::Mindlin | TangentialLaw::MindlinRescaled);
        let unit = if stores_force { force } else { l };
        let mut scaled_old = old.to_array();
        for (place, unit) in [unit, unit, unit, force * l, force * l, force * l, force * l, l.sqrt(), l / t]
            .into_iter().enumerate() {
            scaled_old[place] *= unit;
        }
        let pair = CompliantPair::of_materials(&model, &material, &material).unwrap();
        let scaled_pair = CompliantPair::of_materials(&scaled_model, &scaled_material, &scaled_material).unwrap();
        let mut new = ContactHistory::default();
        let a = evaluate(&model, &pair, &motion, &old, &mut new);
        let b = evaluate(&scaled_model, &scaled_pair, &scaled_motion, &ContactHistory::from_array(scaled_old), &mut new);
        prop_assert!(close(&numbers(&a), &(b.force / force).to_array(), 1e-10));
        prop_assert!(close(&a.torque.to_array(), &(b.torque / (force * l)).to_array(), 1e-10));
    }

    #[test]
    fn derivatives_of_the_normal_force_are_those_of_dual_numbers(
        (model, material, motion) in (model(), material(), motion()),
        impact in 2.0..3.0,
    ) {
        let pair = CompliantPair::of_materials(&model, &material, &material).unwrap();
        let closing = -motion.velocity.dot(motion.normal);
        let at = |depth: Dual, closing: Dual| {
            let [mass, radius, step] = [motion.effective_mass, motion.effective_radius, motion.step].map(Dual::of);
            let memory = ContactHistory { impact: Dual::of(impact), ..ContactHistory::empty() };
            let touch = Touch { depth, closing, mass, radius, step, memory };
            normal_response(&model, &CompliantPair::uniform(&pair), &touch)
        };
        let by_depth = at(Dual(-motion.gap, 1.0), Dual::of(closing));
        let by_closing = at(Dual::of(-motion.gap), Dual(closing, 1.0));
        let size = by_depth.secant.0;
        prop_assert!((by_depth.force.1 - by_depth.stiffness.0).abs() <= 1e-10 * size.max(by_depth.stiffness.0.abs()));
        prop_assert!((by_closing.force.1 - by_closing.damping.0).abs() <= 1e-12 * by_closing.damping.0);
    }

    #[test]
    fn derivatives_of_the_force_are_those_of_differences(
        (mut model, mut material, mut motion, old) in (model(), material(), motion(), history()),
        (overlap, before) in (prop_oneof![Just(1.0), Just(3e-3)], prop::option::of(vector(1.0))),
    ) {
        // Small overlaps, so that contacts begin in many steps.
        motion.gap *= overlap;
        motion.velocity_before = before;
        // What the tangent leaves out by design: friction below its cap that depends on the normal motion.
        let ramp = matches!(model.tangential, TangentialLaw::Coulomb { .. });
        if ramp { material.friction = 0.0; }
        if model.tangential == TangentialLaw::MindlinRescaled { model.tangential = TangentialLaw::Mindlin; }
        model.normal = NormalLaw::Hooke { speed: 1.0 };
        if model.damping == DampingLaw::Viscous { model.damping = DampingLaw::None; }
        let pair = CompliantPair::of_materials(&model, &material, &material).unwrap();
        let mut new = ContactHistory::default();
        let (here, tangent) = evaluate_tangent(&model, &pair, &motion, &old, &mut new);
        let n = motion.normal;
        let begins = |motion: &ContactMotion| -motion.step * motion.mean_velocity().dot(n) > -motion.gap;
        let mut force = |gap: f64, velocity: Vec3| {
            let motion = ContactMotion { gap: motion.gap + gap, velocity: motion.velocity + velocity, ..motion };
            let out = evaluate(&model, &pair, &motion, &old, &mut new);
            (out.force, (out.slipping, out.repulsion > 0.0, begins(&motion)))
        };
        let kind = (here.slipping, here.repulsion > 0.0, begins(&motion));
        let small = 1e-6 * -motion.gap;
        let (plus, minus) = (force(small, Vec3::ZERO), force(-small, Vec3::ZERO));
        let smooth = |x: (Vec3, (bool, bool, bool))| x.1 == kind;
        if smooth(plus) && smooth(minus) {
            let got = (plus.0 - minus.0) / (2.0 * small);
            let spring = pair.stiffness_at_depth(&model, motion.effective_mass, motion.effective_radius, 0.0);
            let size = spring + tangent.normal_stiffness.abs() + here.force.length() / -motion.gap;
            prop_assert!((got - tangent.by_gap(n)).length() <= 1e-6 * size, "{} {}", got, tangent.by_gap(n));
        }
        let matrix = tangent.by_velocity(n);
        let small = 1e-6;
        for axis in Vec3::AXES {
            let (plus, minus) = (force(0.0, axis * small), force(0.0, -axis * small));
            let turning = (motion.velocity.dot(n)).abs() < 2.0 * small;
            if smooth(plus) && smooth(minus) && !turning {
                let got = (plus.0 - minus.0) / (2.0 * small);
                let size = matrix.x_axis.length() + matrix.y_axis.length() + matrix.z_axis.length();
                let rounding = 1e-15 * here.force.length() / small;
                prop_assert!((got - matrix * axis).length() <= 1e-4 * size + 10.0 * rounding, "{} {}", got, matrix * axis);
            }
        }
    }
}

/// A number and its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dual(f64, f64);

impl Add for Dual {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0, self.1 + b.1)
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self(self.0 - b.0, self.1 - b.1)
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self(self.0 * b.0, self.0 * b.1 + self.1 * b.0)
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        Self(self.0 / b.0, (self.1 - self.0 / b.0 * b.1) / b.0)
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl PartialOrd for Dual {
    fn partial_cmp(&self, b: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&b.0)
    }
}

impl Scalar for Dual {
    fn of(value: f64) -> Self {
        Self(value, 0.0)
    }
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), 0.5 * self.1 / self.0.sqrt())
    }
    fn powf(self, exponent: f64) -> Self {
        Self(self.0.powf(exponent), exponent * self.0.powf(exponent - 1.0) * self.1)
    }
    fn where_greater(self, other: Self, yes: Self, no: Self) -> Self {
        if self.0 > other.0 { yes } else { no }
    }
    fn any_positive(self) -> bool {
        self.0 > 0.0
    }
}
