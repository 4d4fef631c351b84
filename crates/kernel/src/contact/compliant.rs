//! The composed compliant law: force, couple and their derivatives from the motion at a contact.
//!
//! Shapes a and b; the normal n points from a to b, velocities are those of b relative to a, the force and the
//! couple act on b, their opposites on a. With the overlap δ = −gap, closing speed $\dot\delta = -v\cdot n$,
//!
//! $$F = (F_n - F_a)\,n + F_t,\quad F_n = \max(0, F_e(\delta) + c\,\dot\delta),\quad |F_t| \le \mu F_n,$$
//!
//! with the adhesive force $F_a$. The cap uses the repulsive part $F_n$, as the cone of rigid contact with
//! cohesion does.

use super::adhesion::{dmt_force, perko_force};
use super::damping::{STEP_SHARE, bounded_by_step, pushing_force};
use super::friction::{CappedForce, capped_force, tangential_part, transported};
use super::model::{
    AdhesionLaw, CompliantModel, CompliantPair, DampingLaw, NormalLaw, ResistanceLaw, TangentialLaw,
    radius_or_flat,
};
use super::normal::{elastic_energy, hooke_stiffness};
use super::scalar::{Scalar, larger};
use crate::{Mat3, Vec3};

/// Numbers a contact remembers from step to step.
pub const HISTORY_LENGTH: usize = 9;

/// Memory of a contact; all zero where the shapes did not touch.
///
/// | place | what |
/// |---|---|
/// | 0–2 | tangential displacement of b relative to a [m] (`History`), or tangential spring force on b [N] (`Mindlin`), world axes |
/// | 3–5 | rolling spring couple on b [N·m], world axes |
/// | 6 | spinning spring couple on b about the normal [N·m] |
/// | 7 | root of the overlap [√m] (`MindlinRescaled`) |
/// | 8 | impact speed [m/s], above zero while the shapes touch |
///
/// Where a and b change places, 0–2 and 3–5 change sign; 6 does not, as the normal turns too.
pub type ContactHistory = [f64; HISTORY_LENGTH];

const TANGENTIAL: usize = 0;
const ROLLING: usize = 3;
const TWISTING: usize = 6;
const ROOT: usize = 7;
const IMPACT: usize = 8;

/// Motion at a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMotion {
    /// Distance of the surfaces [m]; negative when they overlap.
    pub gap: f64,
    /// Unit normal from a to b.
    pub normal: Vec3,
    /// Velocity of b relative to a at the contact point [m/s].
    pub velocity: Vec3,
    /// Angular velocity of b relative to a [rad/s].
    pub angular_velocity: Vec3,
    /// Effective mass [kg], see [`effective_mass`](super::effective_mass).
    pub effective_mass: f64,
    /// Effective radius [m], see [`effective_radius`](super::effective_radius); infinite where both are flat.
    pub effective_radius: f64,
    /// Step [s] by which displacements grow from the old history to the new one.
    ///
    /// Dashpots are bounded so that they take no more than a quarter of the momentum in such a step; with zero
    /// there is no bound.
    pub step: f64,
}

/// What a contact does to b; a gets the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactWrench {
    /// Force on b at the contact point [N].
    pub force: Vec3,
    /// Couple on b by rolling and spinning resistance [N·m].
    pub torque: Vec3,
    /// Repulsive part of the normal force [N].
    pub repulsion: f64,
    /// Whether friction is at its cap.
    pub slipping: bool,
}

/// Derivatives of the contact force, for implicit methods.
///
/// Exact but for two things that are left out: how a friction force below its cap changes with the normal motion
/// (stiffness of a Hertz contact, ramp of `Coulomb`, shrinking force of `MindlinRescaled`), and how the impact
/// speed of hysteresis laws changes with the present speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactTangent {
    /// $\partial F_n/\partial\delta$ [N/m].
    pub normal_stiffness: f64,
    /// $\partial F_n/\partial\dot\delta$ [N·s/m].
    pub normal_damping: f64,
    /// Stiffness of the tangential spring [N/m]; 0 when slipping.
    pub tangential_stiffness: f64,
    /// $-\partial F_t/\partial v_t$ [N·s/m], dashpot and spring over the step, $c_t + h k_t$; when slipping, that
    /// across the direction of slip, where the force only turns.
    pub tangential_damping: f64,
    /// $\partial|F_t|/\partial F_n$: μ when slipping, else 0.
    pub friction: f64,
    /// Direction of the friction force when slipping, else zero.
    pub direction: Vec3,
    /// $-\partial\tau/\partial\omega$ of rolling [N·m·s]; when the cap is reached, that across the direction.
    pub rolling_damping: f64,
    /// $-\partial\tau/\partial\omega$ of spinning [N·m·s]; 0 when the cap is reached.
    pub twisting_damping: f64,
}

impl ContactTangent {
    /// Derivative of the force on b by the gap [N/m].
    #[inline]
    pub fn by_gap(&self, normal: Vec3) -> Vec3 {
        (normal + self.direction * self.friction) * -self.normal_stiffness
    }

    /// Derivative of the force on b by the relative velocity [N·s/m].
    #[inline]
    pub fn by_velocity(&self, normal: Vec3) -> Mat3 {
        let outer = |a: Vec3, b: Vec3| Mat3::from_cols(a * b.x, a * b.y, a * b.z);
        let plane = Mat3::IDENTITY - outer(normal, normal) - outer(self.direction, self.direction);
        plane * -self.tangential_damping
            - outer((normal + self.direction * self.friction) * self.normal_damping, normal)
    }
}

/// The normal part of the law in scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalResponse<S> {
    /// Repulsive force $F_n$ [N].
    pub force: S,
    /// Secant stiffness of the elastic force [N/m].
    pub secant: S,
    /// $\partial F_n/\partial\delta$ [N/m].
    pub stiffness: S,
    /// $\partial F_n/\partial\dot\delta$ [N·s/m].
    pub damping: S,
    /// Dashpot of the tangential law [N·s/m].
    pub tangential_damping: S,
}

/// Repulsive normal force at overlap `depth` > 0 [m] and closing speed `closing` [m/s].
///
/// `impact` [m/s] is the impact speed of the hysteresis laws.
#[inline]
pub fn normal_response<S: Scalar>(
    model: &CompliantModel,
    pair: &CompliantPair,
    depth: S,
    closing: S,
    mass: S,
    radius: S,
    impact: S,
    step: S,
) -> NormalResponse<S> {
    let zero = S::of(0.0);
    let exponent = S::of(model.secant_exponent());
    let mut scale = S::of(1.0);
    let mut stiffness = S::of(pair.stiffness);
    match model.normal {
        NormalLaw::Hooke { speed } => {
            if pair.stiffness == 0.0 {
                stiffness = hooke_stiffness(S::of(pair.young), radius, mass, S::of(speed));
            }
        }
        NormalLaw::Hertz => scale = (radius * depth).sqrt(),
    }
    let secant = stiffness * scale;
    let elastic = secant * depth;
    let root = (mass * secant).sqrt();
    // c grows as δ^growth.
    let (damping, growth, tangential) = match model.damping {
        DampingLaw::None => (zero, zero, zero),
        DampingLaw::Viscous => {
            let base = mass * scale;
            (S::of(pair.viscous) * base, exponent, S::of(pair.tangential_viscous) * base)
        }
        DampingLaw::Restitution => {
            (S::of(pair.loading) * root, exponent * S::of(0.5), S::of(pair.tangential_loading) * root)
        }
        DampingLaw::HuntCrossley
        | DampingLaw::LankaraniNikravesh
        | DampingLaw::Flores
        | DampingLaw::HysteresisExact => {
            let factor = S::of(pair.hysteresis) / impact;
            (factor * elastic, exponent + S::of(1.0), S::of(pair.tangential_loading) * root)
        }
    };
    let bounded = bounded_by_step(damping, mass, step, STEP_SHARE);
    let force = pushing_force(elastic, bounded, closing);
    let mut out = NormalResponse {
        force,
        secant,
        stiffness: secant * (S::of(1.0) + exponent),
        damping: bounded,
        tangential_damping: bounded_by_step(tangential, mass, step, STEP_SHARE),
    };
    if bounded == damping {
        out.stiffness = out.stiffness + growth * damping * closing / depth;
    }
    if force == zero {
        out.stiffness = zero;
        out.damping = zero;
    }
    out
}

/// Adhesive force [N] of a pair.
#[inline]
pub fn adhesive_force(model: &CompliantModel, pair: &CompliantPair, radius: f64) -> f64 {
    match model.adhesion {
        AdhesionLaw::None => 0.0,
        AdhesionLaw::Constant => pair.adhesion,
        AdhesionLaw::Dmt => dmt_force(pair.adhesion, radius),
        AdhesionLaw::Perko => perko_force(pair.adhesion, radius),
    }
}

/// A capped spring and dashpot with the coefficients it was made of.
#[derive(Clone, Copy, Debug)]
struct Resisted {
    capped: CappedForce,
    stiffness: f64,
    damping: f64,
}

impl Resisted {
    const NONE: Self = Self {
        capped: CappedForce { force: Vec3::ZERO, spring: Vec3::ZERO, share: 1.0 },
        stiffness: 0.0,
        damping: 0.0,
    };

    #[inline]
    fn new(spring: Vec3, stiffness: f64, damping: f64, rate: Vec3, cap: f64) -> Self {
        Self { capped: capped_force(spring, damping, rate, cap), stiffness, damping }
    }

    /// Minus the derivative by the rate: in full below the cap, across the direction at it.
    #[inline]
    fn gain(&self, step: f64) -> f64 {
        (self.damping + step * self.stiffness) * self.capped.share
    }
}

#[inline]
fn stored(history: &ContactHistory, place: usize) -> Vec3 {
    Vec3::new(history[place], history[place + 1], history[place + 2])
}

#[inline]
fn store(history: &mut ContactHistory, place: usize, value: Vec3) {
    history[place..place + 3].copy_from_slice(&value.to_array());
}

/// Friction: reads the old displacement or force, writes the new one.
#[inline]
fn friction(
    law: TangentialLaw,
    pair: &CompliantPair,
    motion: &ContactMotion,
    normal: &NormalResponse<f64>,
    old: &ContactHistory,
    new: &mut ContactHistory,
) -> Resisted {
    let (n, h) = (motion.normal, motion.step);
    let slip = tangential_part(motion.velocity, n);
    let cap = pair.friction * normal.force;
    let (k, c) = (pair.tangential_ratio * normal.secant, normal.tangential_damping);
    match law {
        TangentialLaw::None => Resisted::NONE,
        TangentialLaw::Coulomb { speed } => {
            let c = bounded_by_step(cap / speed, motion.effective_mass, h, STEP_SHARE);
            Resisted::new(Vec3::ZERO, 0.0, c, slip, cap)
        }
        TangentialLaw::OneStep => Resisted::new(slip * (-k * h), k, c, slip, cap),
        TangentialLaw::History => {
            let displacement = transported(stored(old, TANGENTIAL), n) + slip * h;
            let out = Resisted::new(displacement * -k, k, c, slip, cap);
            let kept = if k > 0.0 { out.capped.spring / -k } else { displacement };
            store(new, TANGENTIAL, kept);
            out
        }
        TangentialLaw::Mindlin | TangentialLaw::MindlinRescaled => {
            let mut before = transported(stored(old, TANGENTIAL), n);
            if law == TangentialLaw::MindlinRescaled {
                new[ROOT] = (-motion.gap).sqrt();
                if new[ROOT] < old[ROOT] {
                    before *= new[ROOT] / old[ROOT];
                }
            }
            let out = Resisted::new(before - slip * (k * h), k, c, slip, cap);
            store(new, TANGENTIAL, out.capped.spring);
            out
        }
    }
}

/// Rolling or spinning couple at the relative angular velocity `rate`, from the old spring couple `before`.
#[inline]
fn resistance(
    law: ResistanceLaw,
    coefficient: f64,
    motion: &ContactMotion,
    radius: f64,
    normal: &NormalResponse<f64>,
    rate: Vec3,
    before: Vec3,
) -> Resisted {
    let h = motion.step;
    let cap = coefficient * normal.force;
    // Moment of inertia of a solid sphere of effective mass and radius about its centre and about the contact.
    let inertia = 0.4 * motion.effective_mass * radius * radius;
    let pivot = 3.5 * inertia;
    match law {
        ResistanceLaw::None => Resisted::NONE,
        ResistanceLaw::Constant { rate: full } => {
            Resisted::new(Vec3::ZERO, 0.0, bounded_by_step(cap / full, inertia, h, STEP_SHARE), rate, cap)
        }
        ResistanceLaw::Viscous { damping } => {
            Resisted::new(Vec3::ZERO, 0.0, bounded_by_step(damping, inertia, h, STEP_SHARE), rate, cap)
        }
        ResistanceLaw::ElasticPlastic { ratio } => {
            let k = 2.25 * normal.secant * coefficient * coefficient;
            let c = bounded_by_step(2.0 * ratio * (pivot * k).sqrt(), inertia, h, STEP_SHARE);
            Resisted::new(before - rate * (k * h), k, c, rate, cap)
        }
    }
}

struct Response {
    normal: NormalResponse<f64>,
    adhesion: f64,
    sliding: Resisted,
    rolling: Resisted,
    twisting: Resisted,
}

#[inline]
fn respond(
    model: &CompliantModel,
    pair: &CompliantPair,
    motion: &ContactMotion,
    old: &ContactHistory,
    new: &mut ContactHistory,
) -> Option<Response> {
    *new = [0.0; HISTORY_LENGTH];
    let depth = -motion.gap;
    if depth <= 0.0 {
        return None;
    }
    let n = motion.normal;
    let (mass, radius) = (motion.effective_mass, radius_or_flat(model, motion.effective_radius));
    let closing = -motion.velocity.dot(n);
    let impact = larger(larger(old[IMPACT], closing), model.slow_impact);
    new[IMPACT] = impact;
    let normal = normal_response(model, pair, depth, closing, mass, radius, impact, motion.step);
    let sliding = friction(model.tangential, pair, motion, &normal, old, new);
    let mut rolling = Resisted::NONE;
    if pair.rolling > 0.0 {
        let rate = tangential_part(motion.angular_velocity, n);
        let before = transported(stored(old, ROLLING), n);
        rolling = resistance(model.rolling, pair.rolling, motion, radius, &normal, rate, before);
        store(new, ROLLING, rolling.capped.spring);
    }
    let mut twisting = Resisted::NONE;
    if pair.spinning > 0.0 {
        let rate = n * motion.angular_velocity.dot(n);
        twisting =
            resistance(model.twisting, pair.spinning, motion, radius, &normal, rate, n * old[TWISTING]);
        new[TWISTING] = twisting.capped.spring.dot(n);
    }
    Some(Response { normal, adhesion: adhesive_force(model, pair, radius), sliding, rolling, twisting })
}

impl Response {
    #[inline]
    fn wrench(&self, n: Vec3) -> ContactWrench {
        ContactWrench {
            force: n * (self.normal.force - self.adhesion) + self.sliding.capped.force,
            torque: self.rolling.capped.force + self.twisting.capped.force,
            repulsion: self.normal.force,
            slipping: self.sliding.capped.share < 1.0,
        }
    }

    #[inline]
    fn tangent(&self, friction: f64, step: f64) -> ContactTangent {
        let mut out = ContactTangent {
            normal_stiffness: self.normal.stiffness,
            normal_damping: self.normal.damping,
            tangential_stiffness: self.sliding.stiffness,
            tangential_damping: self.sliding.gain(step),
            friction: 0.0,
            direction: Vec3::ZERO,
            rolling_damping: self.rolling.gain(step),
            twisting_damping: self.twisting.gain(step),
        };
        if self.sliding.capped.share < 1.0 {
            out.tangential_stiffness = 0.0;
            out.friction = friction;
            out.direction = self.sliding.capped.force.normalize_or_zero();
        }
        if self.twisting.capped.share < 1.0 {
            out.twisting_damping = 0.0;
        }
        out
    }
}

/// Force and couple of a contact; reads the memory `old` and writes `new`.
///
/// Surfaces that do not touch (gap ≥ 0) get no force and an empty memory.
#[inline]
pub fn evaluate(
    model: &CompliantModel,
    pair: &CompliantPair,
    motion: &ContactMotion,
    old: &ContactHistory,
    new: &mut ContactHistory,
) -> ContactWrench {
    match respond(model, pair, motion, old, new) {
        None => ContactWrench::default(),
        Some(response) => response.wrench(motion.normal),
    }
}

/// As [`evaluate`], with the derivatives of the force.
#[inline]
pub fn evaluate_tangent(
    model: &CompliantModel,
    pair: &CompliantPair,
    motion: &ContactMotion,
    old: &ContactHistory,
    new: &mut ContactHistory,
) -> (ContactWrench, ContactTangent) {
    match respond(model, pair, motion, old, new) {
        None => Default::default(),
        Some(response) => (response.wrench(motion.normal), response.tangent(pair.friction, motion.step)),
    }
}

/// Elastic energy [J] stored in a contact with the memory `history` that [`evaluate`] wrote at this motion: normal,
/// tangential, rolling and spinning springs, and the work $-F_a\delta$ of adhesion.
pub fn stored_energy(
    model: &CompliantModel,
    pair: &CompliantPair,
    motion: &ContactMotion,
    history: &ContactHistory,
) -> f64 {
    let depth = -motion.gap;
    if depth <= 0.0 {
        return 0.0;
    }
    let (mass, radius) = (motion.effective_mass, radius_or_flat(model, motion.effective_radius));
    let normal = normal_response(model, pair, depth, 0.0, mass, radius, model.slow_impact, motion.step);
    let mut energy = elastic_energy(normal.secant, model.secant_exponent(), depth)
        - adhesive_force(model, pair, radius) * depth;
    let spring = |square: f64, stiffness: f64| if stiffness > 0.0 { square / (2.0 * stiffness) } else { 0.0 };
    let k = pair.tangential_ratio * normal.secant;
    let tangential = stored(history, TANGENTIAL).length_squared();
    energy += match model.tangential {
        TangentialLaw::None | TangentialLaw::Coulomb { .. } | TangentialLaw::OneStep => 0.0,
        TangentialLaw::History => 0.5 * k * tangential,
        TangentialLaw::Mindlin | TangentialLaw::MindlinRescaled => spring(tangential, k),
    };
    let couple = |length: f64| 2.25 * normal.secant * length * length;
    energy
        + spring(stored(history, ROLLING).length_squared(), couple(pair.rolling))
        + spring(history[TWISTING] * history[TWISTING], couple(pair.spinning))
}
