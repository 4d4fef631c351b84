//! The composed compliant law: force, couple and their derivatives from the motion at a contact.
//!
//! Shapes a and b; the normal n points from a to b, velocities are those of b relative to a, the force and the
//! couple act on b, their opposites on a. With the overlap δ = −gap, closing speed $\dot\delta = -v\cdot n$,
//!
//! $$F = (F_n - F_a)\,n + F_t,\quad F_n = \max(0, F_e(\delta) + c\,\dot\delta),\quad |F_t| \le \mu F_n,$$
//!
//! with the adhesive force $F_a$. The cap uses the repulsive part $F_n$, as the cone of rigid contact with
//! cohesion does.

use super::adhesion::{area_force, dmt_force, perko_force};
use super::damping::{STEP_SHARE, bounded_by_step, pushing_force};
use super::friction::{CappedForce, capped_force, mean_share, tangential_part, touching_share, transported};
use super::model::{
    AdhesionLaw, CompliantModel, CompliantPair, DampingLaw, NormalLaw, ResistanceLaw, TangentialLaw,
    radius_or_flat,
};
use super::normal::{elastic_energy, hooke_stiffness};
use crate::triple::{difference, dot, scaled, scaled_add, sum};
use crate::{Mat3, Scalar, Vec3};

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
pub type ContactHistory = History<f64>;

/// Memory of contacts in any numbers.
pub type History<S> = [S; HISTORY_LENGTH];

pub(super) const TANGENTIAL: usize = 0;
pub(super) const ROLLING: usize = 3;
pub(super) const TWISTING: usize = 6;
pub(super) const ROOT: usize = 7;
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
    /// The same at the start of the step, where `velocity` is that at its end; none where it is the mean already.
    pub velocity_before: Option<Vec3>,
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

impl ContactMotion {
    /// Velocity of b relative to a in the mean of the step [m/s].
    #[inline(always)]
    pub fn mean_velocity(&self) -> Vec3 {
        self.velocity_before.map_or(self.velocity, |before| 0.5 * (before + self.velocity))
    }

    /// Step [s] times the weight of `velocity` in the mean.
    fn step_at_end(&self) -> f64 {
        if self.velocity_before.is_some() { 0.5 * self.step } else { self.step }
    }

    /// The same in the form the law works on.
    #[inline(always)]
    pub fn kinematics(&self) -> Kinematics<f64> {
        Kinematics {
            depth: -self.gap,
            normal: self.normal.to_array(),
            velocity: self.velocity.to_array(),
            mean_velocity: self.mean_velocity().to_array(),
            angular_velocity: self.angular_velocity.to_array(),
            effective_mass: self.effective_mass,
            effective_radius: self.effective_radius,
            step: self.step,
        }
    }
}

/// Motion at a contact, or at several at once; see [`ContactMotion`].
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<S> {
    /// Overlap δ [m]; must be above zero.
    pub depth: S,
    /// Unit normal from a to b.
    pub normal: [S; 3],
    /// Velocity of b relative to a at the contact point [m/s].
    pub velocity: [S; 3],
    /// The same in the mean of the step, which the tangential spring follows [m/s].
    pub mean_velocity: [S; 3],
    /// Angular velocity of b relative to a [rad/s].
    pub angular_velocity: [S; 3],
    /// Effective mass [kg].
    pub effective_mass: S,
    /// Effective radius [m]; infinite where both are flat.
    pub effective_radius: S,
    /// Step [s].
    pub step: S,
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
    /// Stiffness of the tangential spring in the mean of the step [N/m]; 0 when slipping.
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
#[inline(always)]
pub fn normal_response<S: Scalar>(
    model: &CompliantModel,
    pair: &CompliantPair<S>,
    depth: S,
    closing: S,
    mass: S,
    radius: S,
    impact: S,
    step: S,
) -> NormalResponse<S> {
    let zero = S::zero();
    let exponent = S::of(model.secant_exponent());
    let mut scale = S::of(1.0);
    let mut stiffness = pair.stiffness;
    match model.normal {
        NormalLaw::Hooke { speed } => {
            let missing = stiffness.where_greater(zero, zero, S::of(1.0));
            if missing.any_positive() {
                let found = hooke_stiffness(pair.young, radius, mass, S::of(speed));
                stiffness = missing.where_greater(zero, found, stiffness);
            }
        }
        NormalLaw::Hertz => scale = (radius * depth).sqrt(),
    }
    let secant = stiffness * scale;
    let elastic = secant * depth;
    // c grows as δ^growth.
    let (damping, growth, tangential) = match model.damping {
        DampingLaw::None => (zero, zero, zero),
        DampingLaw::Viscous => {
            let base = mass * scale;
            (pair.viscous * base, exponent, pair.tangential_viscous * base)
        }
        DampingLaw::Restitution => {
            let root = (mass * secant).sqrt();
            (pair.loading * root, exponent * S::of(0.5), pair.tangential_loading * root)
        }
        DampingLaw::HuntCrossley
        | DampingLaw::LankaraniNikravesh
        | DampingLaw::Flores
        | DampingLaw::HysteresisExact => {
            let factor = pair.hysteresis / impact;
            let root = (mass * secant).sqrt();
            (factor * elastic, exponent + S::of(1.0), pair.tangential_loading * root)
        }
    };
    let bounded = bounded_by_step(damping, mass, step, STEP_SHARE);
    let force = pushing_force(elastic, bounded, closing);
    let stiffness = secant * (S::of(1.0) + exponent);
    let growing = stiffness + growth * damping * closing / depth;
    let stiffness = damping.where_greater(bounded, stiffness, growing);
    NormalResponse {
        force,
        secant,
        stiffness: force.where_greater(zero, stiffness, zero),
        damping: force.where_greater(zero, bounded, zero),
        tangential_damping: bounded_by_step(tangential, mass, step, STEP_SHARE),
    }
}

/// Adhesive force [N] of a pair.
#[inline(always)]
pub fn adhesive_force<S: Scalar>(model: &CompliantModel, pair: &CompliantPair<S>, radius: S, depth: S) -> S {
    match model.adhesion {
        AdhesionLaw::None => S::zero(),
        AdhesionLaw::Constant => pair.adhesion,
        AdhesionLaw::Dmt => dmt_force(pair.adhesion, radius),
        AdhesionLaw::Perko => perko_force(pair.adhesion, radius),
        AdhesionLaw::Sjkr => area_force(pair.adhesion, radius, depth),
    }
}

/// A capped spring and dashpot with the coefficients it was made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resisted<S> {
    pub(super) capped: CappedForce<S>,
    /// The spring, at most the cap: what the contact remembers.
    pub(super) spring: [S; 3],
    pub(super) stiffness: S,
    damping: S,
}

impl<S: Scalar> Resisted<S> {
    #[inline(always)]
    fn none() -> Self {
        let one = S::of(1.0);
        let capped = CappedForce { force: [S::zero(); 3], share: one, kept: one };
        Self { capped, spring: [S::zero(); 3], stiffness: S::zero(), damping: S::zero() }
    }

    #[inline(always)]
    fn new(spring: [S; 3], stiffness: S, damping: S, rate: [S; 3], cap: S) -> Self {
        let capped = capped_force(spring, damping, rate, cap);
        Self { capped, spring: scaled(capped.kept, spring), stiffness, damping }
    }

    /// Minus the derivative by the rate: in full below the cap, across the direction at it.
    #[inline(always)]
    fn gain(&self, step: S) -> S {
        (self.damping + step * self.stiffness) * self.capped.share
    }
}

#[inline(always)]
pub(super) fn stored<S: Scalar>(history: &History<S>, place: usize) -> [S; 3] {
    [history[place], history[place + 1], history[place + 2]]
}

#[inline(always)]
fn store<S: Scalar>(history: &mut History<S>, place: usize, value: [S; 3]) {
    [history[place], history[place + 1], history[place + 2]] = value;
}

/// Friction: reads the old displacement or force, writes the new one.
#[inline(always)]
fn friction<S: Scalar>(
    model: &CompliantModel,
    pair: &CompliantPair<S>,
    motion: &Kinematics<S>,
    normal: &NormalResponse<S>,
    old: &History<S>,
    new: &mut History<S>,
) -> Resisted<S> {
    let (n, h) = (motion.normal, motion.step);
    let slip = tangential_part(motion.velocity, n);
    let cap = pair.friction * normal.force;
    let (k, c) = (pair.tangential_ratio * normal.secant, normal.tangential_damping);
    let closed = -h * dot(motion.mean_velocity, n);
    let moved = tangential_part(motion.mean_velocity, n);
    match model.tangential {
        TangentialLaw::None => Resisted::none(),
        TangentialLaw::Coulomb { speed } => {
            let c = bounded_by_step(cap / S::of(speed), motion.effective_mass, h, STEP_SHARE);
            Resisted::new([S::zero(); 3], S::zero(), c, slip, cap)
        }
        TangentialLaw::OneStep => Resisted::new(scaled(-k * h, slip), k, c, slip, cap),
        TangentialLaw::History => {
            let touched = h * touching_share(motion.depth, closed);
            let displacement = scaled_add(touched, moved, transported(stored(old, TANGENTIAL), n));
            let out = Resisted::new(scaled(-k, displacement), k, c, slip, cap);
            store(new, TANGENTIAL, scaled(out.capped.kept, displacement));
            out
        }
        TangentialLaw::Mindlin | TangentialLaw::MindlinRescaled => {
            let mut before = transported(stored(old, TANGENTIAL), n);
            let mut k = k * mean_share(model.normal, motion.depth, closed);
            if model.tangential == TangentialLaw::MindlinRescaled {
                new[ROOT] = motion.depth.sqrt();
                let (one, last) = (S::of(1.0), pair.tangential_ratio * normal.secant);
                let shrink = old[ROOT].where_greater(new[ROOT], new[ROOT] / old[ROOT], one);
                before = scaled(shrink, before);
                // What the step adds shrinks along with the rest: the stiffness at the end counts.
                k = old[ROOT].where_greater(new[ROOT], last, k);
            }
            let out = Resisted::new(difference(before, scaled(k * h, moved)), k, c, slip, cap);
            store(new, TANGENTIAL, out.spring);
            out
        }
    }
}

/// Rolling or spinning couple at the relative angular velocity `rate`, from the old spring couple `before`.
#[inline(always)]
fn resistance<S: Scalar>(
    law: ResistanceLaw,
    coefficient: S,
    motion: &Kinematics<S>,
    radius: S,
    normal: &NormalResponse<S>,
    rate: [S; 3],
    before: [S; 3],
) -> Resisted<S> {
    let h = motion.step;
    let cap = coefficient * normal.force;
    // Moment of inertia of a solid sphere of effective mass and radius about its centre and about the contact.
    let inertia = S::of(0.4) * motion.effective_mass * radius * radius;
    let pivot = S::of(3.5) * inertia;
    let (k, damping) = match law {
        ResistanceLaw::None => return Resisted::none(),
        ResistanceLaw::Constant { rate: full } => (S::zero(), cap / S::of(full)),
        ResistanceLaw::Viscous { damping } => (S::zero(), S::of(damping)),
        ResistanceLaw::ElasticPlastic { ratio } => {
            let k = S::of(2.25) * normal.secant * coefficient * coefficient;
            (k, S::of(2.0 * ratio) * (pivot * k).sqrt())
        }
    };
    let c = bounded_by_step(damping, inertia, h, STEP_SHARE);
    Resisted::new(difference(before, scaled(k * h, rate)), k, c, rate, cap)
}

/// What contacts do, in any numbers.
#[derive(Clone, Copy, Debug)]
pub struct Response<S> {
    pub(super) normal: NormalResponse<S>,
    adhesion: S,
    pub(super) sliding: Resisted<S>,
    pub(super) rolling: Resisted<S>,
    pub(super) twisting: Resisted<S>,
}

/// Responses of contacts whose shapes overlap; reads the memory `old` and writes `new`.
#[inline(always)]
pub fn respond<S: Scalar>(
    model: &CompliantModel,
    pair: &CompliantPair<S>,
    motion: &Kinematics<S>,
    old: &History<S>,
    new: &mut History<S>,
) -> Response<S> {
    *new = [S::zero(); HISTORY_LENGTH];
    let (n, depth) = (motion.normal, motion.depth);
    let (mass, radius) = (motion.effective_mass, radius_or_flat(model, motion.effective_radius));
    let closing = -dot(motion.velocity, n);
    let impact = old[IMPACT].larger(closing).larger(S::of(model.slow_impact));
    new[IMPACT] = impact;
    let normal = normal_response(model, pair, depth, closing, mass, radius, impact, motion.step);
    let sliding = friction(model, pair, motion, &normal, old, new);
    let mut rolling = Resisted::none();
    if pair.rolling.any_positive() {
        let rate = tangential_part(motion.angular_velocity, n);
        let before = transported(stored(old, ROLLING), n);
        rolling = resistance(model.rolling, pair.rolling, motion, radius, &normal, rate, before);
        store(new, ROLLING, rolling.spring);
    }
    let mut twisting = Resisted::none();
    if pair.spinning.any_positive() {
        let rate = scaled(dot(motion.angular_velocity, n), n);
        let before = scaled(old[TWISTING], n);
        twisting = resistance(model.twisting, pair.spinning, motion, radius, &normal, rate, before);
        new[TWISTING] = dot(twisting.spring, n);
    }
    let adhesion = adhesive_force(model, pair, radius, depth);
    Response { normal, adhesion, sliding, rolling, twisting }
}

impl<S: Scalar> Response<S> {
    /// Force on b [N] of a contact with the normal `normal`.
    #[inline(always)]
    pub fn force(&self, normal: [S; 3]) -> [S; 3] {
        scaled_add(self.normal.force - self.adhesion, normal, self.sliding.capped.force)
    }

    /// Couple on b by rolling and spinning resistance [N·m].
    #[inline(always)]
    pub fn torque(&self) -> [S; 3] {
        sum(self.rolling.capped.force, self.twisting.capped.force)
    }

    /// Repulsive part of the normal force [N].
    #[inline(always)]
    pub fn repulsion(&self) -> S {
        self.normal.force
    }
}

impl Response<f64> {
    #[inline]
    fn wrench(&self, n: Vec3) -> ContactWrench {
        ContactWrench {
            force: self.force(n.to_array()).into(),
            torque: self.torque().into(),
            repulsion: self.normal.force,
            slipping: self.sliding.capped.share < 1.0,
        }
    }

    #[inline]
    fn tangent(&self, friction: f64, motion: &ContactMotion) -> ContactTangent {
        let step = motion.step;
        let mut out = ContactTangent {
            normal_stiffness: self.normal.stiffness,
            normal_damping: self.normal.damping,
            tangential_stiffness: self.sliding.stiffness,
            tangential_damping: self.sliding.gain(motion.step_at_end()),
            friction: 0.0,
            direction: Vec3::ZERO,
            rolling_damping: self.rolling.gain(step),
            twisting_damping: self.twisting.gain(step),
        };
        if self.sliding.capped.share < 1.0 {
            out.tangential_stiffness = 0.0;
            out.friction = friction;
            out.direction = Vec3::from(self.sliding.capped.force).normalize_or_zero();
        }
        if self.twisting.capped.share < 1.0 {
            out.twisting_damping = 0.0;
        }
        out
    }
}

/// The response of shapes that touch; an empty memory for others.
#[inline]
fn respond_if_touching(
    model: &CompliantModel,
    pair: &CompliantPair,
    motion: &ContactMotion,
    old: &ContactHistory,
    new: &mut ContactHistory,
) -> Option<Response<f64>> {
    // What is not a number does touch, and is found out.
    if motion.gap >= 0.0 {
        *new = [0.0; HISTORY_LENGTH];
        return None;
    }
    Some(respond(model, pair, &motion.kinematics(), old, new))
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
    match respond_if_touching(model, pair, motion, old, new) {
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
    match respond_if_touching(model, pair, motion, old, new) {
        None => Default::default(),
        Some(response) => (response.wrench(motion.normal), response.tangent(pair.friction, motion)),
    }
}

/// Elastic energy [J] stored in a contact with the memory `history` that [`evaluate`] wrote at this motion: normal,
/// tangential, rolling and spinning springs, and the work of adhesion.
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
    let adhesion = adhesive_force(model, pair, radius, depth) * depth;
    let mut energy = elastic_energy(normal.secant, model.secant_exponent(), depth)
        - match model.adhesion {
            AdhesionLaw::Sjkr => 0.5 * adhesion,
            _ => adhesion,
        };
    let spring = |square: f64, stiffness: f64| if stiffness > 0.0 { square / (2.0 * stiffness) } else { 0.0 };
    let k = pair.tangential_ratio * normal.secant;
    let square = |place| dot(stored(history, place), stored(history, place));
    let tangential = square(TANGENTIAL);
    energy += match model.tangential {
        TangentialLaw::None | TangentialLaw::Coulomb { .. } | TangentialLaw::OneStep => 0.0,
        TangentialLaw::History => 0.5 * k * tangential,
        TangentialLaw::Mindlin | TangentialLaw::MindlinRescaled => spring(tangential, k),
    };
    let couple = |length: f64| 2.25 * normal.secant * length * length;
    energy
        + spring(square(ROLLING), couple(pair.rolling))
        + spring(history[TWISTING] * history[TWISTING], couple(pair.spinning))
}
