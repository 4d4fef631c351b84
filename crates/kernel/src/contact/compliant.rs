//! The composed compliant law: force, couple and their derivatives from the motion at a contact.
//!
//! Shapes a and b; the normal n points from a to b, velocities are those of b relative to a, the force and the
//! couple act on b, their opposites on a. With the overlap δ = −gap, closing speed $\dot\delta = -v\cdot n$,
//!
//! $$F = (F_n - F_a)\,n + F_t,\quad F_n = \max(0, F_e(\delta) + c\,\dot\delta),\quad |F_t| \le \mu F_n,$$
//!
//! with the adhesive force $F_a$. The cap uses the repulsive part $F_n$, as the cone of rigid contact with
//! cohesion does.

use super::damping::STEP_SHARE;
use super::model::CompliantModel;
use super::normal::elastic_energy;
use super::resistance::couple_stiffness;
use super::tangential::SpringMemory;
use crate::{Mat3, Vec3, laws};

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
            normal: self.normal.into(),
            velocity: self.velocity.into(),
            mean_velocity: self.mean_velocity().into(),
            angular_velocity: self.angular_velocity.into(),
            effective_mass: self.effective_mass,
            effective_radius: self.effective_radius,
            step: self.step,
        }
    }
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
/// Exact but for two things that are left out: how the coefficients of friction below its cap change with the normal
/// motion (stiffness of a Hertz contact, ramp of `Coulomb`, shrinking force of `MindlinRescaled`), and how the impact
/// speed of hysteresis laws changes with the present speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactTangent {
    /// $\partial F_n/\partial\delta$ [N/m].
    pub normal_stiffness: f64,
    /// $\partial F_a/\partial\delta$ [N/m].
    pub adhesion_stiffness: f64,
    /// $\partial F_n/\partial\dot\delta$ [N·s/m].
    pub normal_damping: f64,
    /// Stiffness of the tangential spring in the mean of the step [N/m], times the share of the step in which the
    /// shapes touch; 0 when slipping.
    pub tangential_stiffness: f64,
    /// $-\partial F_t/\partial v_t$ [N·s/m], dashpot and spring over the step, $c_t + h k_t$; when slipping, that
    /// across the direction of slip, where the force only turns.
    pub tangential_damping: f64,
    /// $\partial|F_t|/\partial F_n$: μ when slipping, else 0.
    pub friction: f64,
    /// Direction of the friction force when slipping, else zero.
    pub direction: Vec3,
    /// $\partial F_t/\partial\delta$ [N/m] in the step in which a contact begins: the deeper the shapes overlap at its
    /// end, the longer they have touched. Else zero.
    pub onset_stiffness: Vec3,
    /// $\partial F_t/\partial\dot\delta$ [N·s/m] in that step: the faster they approach, the shorter they have touched.
    pub onset_damping: Vec3,
    /// $-\partial\tau/\partial\omega$ of rolling [N·m·s]; when the cap is reached, that across the direction.
    pub rolling_damping: f64,
    /// $-\partial\tau/\partial\omega$ of spinning [N·m·s]; 0 when the cap is reached.
    pub spinning_damping: f64,
}

impl ContactTangent {
    /// Derivative of the force on b by the gap [N/m].
    #[inline]
    pub fn by_gap(&self, normal: Vec3) -> Vec3 {
        (normal + self.direction * self.friction) * -self.normal_stiffness + normal * self.adhesion_stiffness
            - self.onset_stiffness
    }

    /// Derivative of the force on b by the relative velocity [N·s/m].
    #[inline]
    pub fn by_velocity(&self, normal: Vec3) -> Mat3 {
        let outer = |a: Vec3, b: Vec3| Mat3::from_cols(a * b.x, a * b.y, a * b.z);
        let plane = Mat3::IDENTITY - outer(normal, normal) - outer(self.direction, self.direction);
        let by_closing = (normal + self.direction * self.friction) * self.normal_damping + self.onset_damping;
        plane * -self.tangential_damping - outer(by_closing, normal)
    }
}

#[laws]
mod laws {
    use crate::contact::adhesion::adhesive_force;
    use crate::contact::damping::{bounded_by_step, dashpot, pushing_force};
    use crate::contact::friction::{Resisted, not_resisted, tangential_part, transported};
    use crate::contact::memory::{ContactHistory, Touch, remembered, touch_of};
    use crate::contact::model::CompliantPair;
    use crate::contact::normal::elastic;
    use crate::contact::resistance::resistance;
    use crate::contact::tangential::friction;
    use crate::number::{Scalar, any_positive, constant, one, select_greater, zero};
    use crate::vector::{V3, dot, scaled, scaled_add, sum};

    /// Motion at a contact, or at several at once; see [`ContactMotion`].
    #[derive(Clone, Copy, Debug)]
    pub struct Kinematics<S> {
        /// Overlap δ [m]; must be above zero.
        pub depth: S,
        /// Unit normal from a to b.
        pub normal: V3<S>,
        /// Velocity of b relative to a at the contact point [m/s].
        pub velocity: V3<S>,
        /// The same in the mean of the step, which the tangential spring follows [m/s].
        pub mean_velocity: V3<S>,
        /// Angular velocity of b relative to a [rad/s].
        pub angular_velocity: V3<S>,
        /// Effective mass [kg].
        pub effective_mass: S,
        /// Effective radius [m]; infinite where both are flat.
        pub effective_radius: S,
        /// Step [s].
        pub step: S,
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

    /// Repulsive normal force of surfaces that touch.
    pub fn normal_response<S: Scalar>(
        #[comptime] model: &CompliantModel,
        pair: &CompliantPair<S>,
        touch: &Touch<S>,
    ) -> NormalResponse<S> {
        let exponent = constant::<S>(model.secant_exponent());
        let depth = touch.depth;
        let parts = elastic(model.normal, pair.stiffness, pair.young, touch.mass, touch.radius, depth);
        let secant = parts.stiffness * parts.scale;
        let elastic_force = secant * depth;
        let dashpots = dashpot(model.damping, pair, touch, &parts, exponent);
        let damping = dashpots.normal;
        let bounded = bounded_by_step(damping, touch.mass, touch.step, STEP_SHARE);
        let force = pushing_force(elastic_force, bounded, touch.closing);
        let elastic_stiffness = secant * (one::<S>() + exponent);
        let growing = elastic_stiffness + dashpots.growth * damping * touch.closing / depth;
        let stiffness = select_greater(damping, bounded, elastic_stiffness, growing);
        NormalResponse {
            force,
            secant,
            stiffness: select_greater(force, zero(), stiffness, zero()),
            damping: select_greater(force, zero(), bounded, zero()),
            tangential_damping: bounded_by_step(dashpots.tangential, touch.mass, touch.step, STEP_SHARE),
        }
    }

    /// What contacts do, in any numbers, and what they remember of it.
    #[derive(Clone, Copy, Debug)]
    pub struct Response<S> {
        pub(super) normal: NormalResponse<S>,
        pub(super) adhesion: S,
        pub(super) sliding: Resisted<S>,
        pub(super) rolling: Resisted<S>,
        pub(super) spinning: Resisted<S>,
        /// The new memory.
        pub history: ContactHistory<S>,
    }

    /// Responses of contacts whose shapes overlap, from their memory `old`.
    pub fn respond<S: Scalar>(
        #[comptime] model: &CompliantModel,
        pair: &CompliantPair<S>,
        motion: &Kinematics<S>,
        old: &ContactHistory<S>,
    ) -> Response<S> {
        let n = motion.normal;
        let touch = touch_of(model, motion, old);
        let normal = normal_response(model, pair, &touch);
        let slid = friction(model, pair, motion, &normal, old);
        let mut rolling = not_resisted::<S>();
        if any_positive(pair.rolling_friction) {
            let rate = tangential_part(motion.angular_velocity, n);
            let before = transported(old.rolling, n);
            rolling = resistance(model.rolling, pair.rolling_friction, &touch, &normal, rate, before);
        }
        let mut spinning = not_resisted::<S>();
        let mut spin = zero::<S>();
        if any_positive(pair.spinning_friction) {
            let rate = scaled(dot(motion.angular_velocity, n), n);
            let before = scaled(old.spinning, n);
            spinning = resistance(model.spinning, pair.spinning_friction, &touch, &normal, rate, before);
            spin = dot(spinning.spring, n);
        }
        let history = remembered(&touch, slid.memory, slid.root, rolling.spring, spin);
        let adhesion = adhesive_force(model.adhesion, pair.adhesion, &touch);
        Response { normal, adhesion, sliding: slid.sliding, rolling, spinning, history }
    }

    /// Force on b [N] of a contact with the normal `normal`.
    pub fn contact_force<S: Scalar>(response: &Response<S>, normal: V3<S>) -> V3<S> {
        scaled_add(response.normal.force - response.adhesion, normal, response.sliding.capped.force)
    }

    /// Couple on b by rolling and spinning resistance [N·m].
    pub fn contact_torque<S: Scalar>(response: &Response<S>) -> V3<S> {
        sum(response.rolling.capped.force, response.spinning.capped.force)
    }
}

impl<S: Scalar> Response<S> {
    /// Force on b [N] of a contact with the normal `normal`.
    #[inline(always)]
    pub fn force(&self, normal: V3<S>) -> V3<S> {
        contact_force(self, normal)
    }

    /// Couple on b by rolling and spinning resistance [N·m].
    #[inline(always)]
    pub fn torque(&self) -> V3<S> {
        contact_torque(self)
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
            force: self.force(n.into()).into(),
            torque: self.torque().into(),
            repulsion: self.normal.force,
            slipping: self.sliding.capped.share < 1.0,
        }
    }

    #[inline]
    fn tangent(
        &self,
        model: &CompliantModel,
        pair: &CompliantPair,
        motion: &ContactMotion,
        old: &ContactHistory,
    ) -> ContactTangent {
        let step = motion.step;
        // A spring without memory follows the velocity at the end of the step, any other its mean.
        let slid = match model.tangential.memory() {
            SpringMemory::None => step,
            _ => motion.step_at_end(),
        };
        let mut out = ContactTangent {
            normal_stiffness: self.normal.stiffness,
            adhesion_stiffness: model.adhesion.facts().exponent * self.adhesion / -motion.gap,
            normal_damping: self.normal.damping,
            tangential_stiffness: self.sliding.stiffness,
            tangential_damping: self.sliding.gain(slid),
            friction: 0.0,
            direction: Vec3::ZERO,
            onset_stiffness: Vec3::ZERO,
            onset_damping: Vec3::ZERO,
            rolling_damping: self.rolling.gain(step),
            spinning_damping: self.spinning.gain(step),
        };
        if self.sliding.capped.share < 1.0 {
            out.tangential_stiffness = 0.0;
            out.friction = pair.friction;
            out.direction = Vec3::from(self.sliding.capped.force).normalize_or_zero();
        }
        if let Some(gained) = self.gained_at_onset(model, motion, old) {
            // The time of touch is δ/δ̇ with the mean speed: what the spring gains in it changes in proportion.
            let turning = (gained - out.direction * gained.dot(out.direction)) * self.sliding.capped.share;
            let closing = -motion.mean_velocity().dot(motion.normal);
            out.onset_stiffness = turning / -motion.gap;
            out.onset_damping = turning * (-motion.step_at_end() / (step * closing));
        }
        if self.spinning.capped.share < 1.0 {
            out.spinning_damping = 0.0;
        }
        out
    }

    /// What the tangential spring gains [N] in the step in which its contact begins, where it counts the share of the
    /// step in which the shapes touch.
    fn gained_at_onset(
        &self,
        model: &CompliantModel,
        motion: &ContactMotion,
        old: &ContactHistory,
    ) -> Option<Vec3> {
        let moved = motion.mean_velocity();
        let begins = -motion.step * moved.dot(motion.normal) > -motion.gap;
        let shared = match model.tangential.memory() {
            SpringMemory::None => false,
            SpringMemory::Displacement | SpringMemory::Force => true,
            SpringMemory::ShrinkingForce => old.root <= self.history.root,
        };
        let slip: Vec3 = tangential_part(V3::from(moved), motion.normal.into()).into();
        (begins && shared).then(|| slip * (-self.sliding.stiffness * motion.step))
    }
}

/// The response of shapes that touch; an empty memory for others.
///
/// Always inlined, so that what a caller does not read is not computed, and nothing is copied.
#[inline(always)]
fn respond_if_touching(
    model: &CompliantModel,
    pair: &CompliantPair,
    motion: &ContactMotion,
    old: &ContactHistory,
    new: &mut ContactHistory,
) -> Option<Response<f64>> {
    // NaN counts as touching, so that it is detected later.
    if motion.gap >= 0.0 {
        *new = ContactHistory::default();
        return None;
    }
    let response = respond(model, pair, &motion.kinematics(), old);
    *new = response.history;
    Some(response)
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
        Some(response) => (response.wrench(motion.normal), response.tangent(model, pair, motion, old)),
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
    let touch = Touch::resting(model, motion, depth, history);
    let normal = normal_response(model, pair, &touch);
    let adhesion = adhesive_force(model.adhesion, pair.adhesion, &touch) * depth;
    let mut energy = elastic_energy(normal.secant, model.secant_exponent(), depth)
        - adhesion / (1.0 + model.adhesion.facts().exponent);
    let spring = |square: f64, stiffness: f64| if stiffness > 0.0 { square / (2.0 * stiffness) } else { 0.0 };
    let k = pair.tangential_ratio * normal.secant;
    let tangential = dot(history.tangential, history.tangential);
    energy += match model.tangential.memory() {
        SpringMemory::None => 0.0,
        SpringMemory::Displacement => 0.5 * k * tangential,
        SpringMemory::Force | SpringMemory::ShrinkingForce => spring(tangential, k),
    };
    let couple = |coefficient: f64| couple_stiffness(normal.secant, coefficient);
    energy
        + spring(dot(history.rolling, history.rolling), couple(pair.rolling_friction))
        + spring(history.spinning * history.spinning, couple(pair.spinning_friction))
}
