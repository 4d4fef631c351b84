//! What contacts dissipate, found from rates: never as what is missing in a balance.
//!
//! A contact takes the power $-F\cdot v - \tau\cdot\omega$ from the bodies. Springs keep a part of it, see
//! [`stored_energy`](super::stored_energy); the rest is lost
//!
//! - in dashpots, with the power of the force beyond that of the springs (for the normal force also where it is cut
//!   off at zero, as the elastic force then does no work);
//! - by slip $\Delta s$, the motion that springs at their cap do not follow: $-\tfrac12(S_0+S_1)\cdot\Delta s$;
//! - as the stiffness k of a spring follows the depth, $-\tfrac12\xi^2\,dk$ at a kept displacement ξ and
//!   $\tfrac12(S/k)^2\,dk$ at a kept force S. No force works against this change, so that it may be below zero.

use super::compliant::{ContactMotion, normal_response, respond};
use super::friction::{Resisted, tangential_part, transported};
use super::memory::{ContactHistory, Touch};
use super::model::{CompliantModel, CompliantPair};
use super::normal::{mean_share, touching_share};
use super::resistance::couple_stiffness;
use super::tangential::SpringMemory;
use crate::vector::{difference, dot, scaled, sum};
use crate::{V3, Vec3};

/// Energy [J] lost, or the power [W] of the loss, by the part of the law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Normal damping.
    pub normal: f64,
    /// Friction and tangential damping.
    pub sliding: f64,
    /// Rolling and spinning resistance.
    pub turning: f64,
}

impl Losses {
    /// All together.
    pub fn total(&self) -> f64 {
        self.normal + self.sliding + self.turning
    }
}

impl std::ops::Add for Losses {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            normal: self.normal + other.normal,
            sliding: self.sliding + other.sliding,
            turning: self.turning + other.turning,
        }
    }
}

impl std::ops::AddAssign for Losses {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::ops::Mul<f64> for Losses {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { normal: self.normal * factor, sliding: self.sliding * factor, turning: self.turning * factor }
    }
}

/// Losses of a contact in the step that led to the present motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepLosses {
    /// Power [W] of dashpots now: over a step, the mean of both its ends counts.
    pub power: Losses,
    /// Energy [J] lost by slip and by changes of stiffness in the step.
    pub slip: Losses,
}

impl std::ops::AddAssign for StepLosses {
    fn add_assign(&mut self, other: Self) {
        self.power += other.power;
        self.slip += other.slip;
    }
}

/// Losses of a contact whose force [`evaluate`](super::evaluate) finds from `motion` and the memory `old`.
///
/// `velocity` [m/s] and `angular_velocity` [rad/s] are those on which the force acts. Where forces are found from
/// velocities in the middle of a step, as in velocity Verlet, they are the ones at its end.
pub fn losses(
    model: &CompliantModel,
    pair: &CompliantPair,
    motion: &ContactMotion,
    old: &ContactHistory,
    velocity: Vec3,
    angular_velocity: Vec3,
) -> StepLosses {
    let (n, h, depth) = (V3::from(motion.normal), motion.step, -motion.gap);
    let before = depth + h * motion.mean_velocity().dot(motion.normal);
    let secant_before = match before > 0.0 {
        true => normal_response(model, pair, &Touch::resting(model, motion, before, old)).secant,
        false => 0.0,
    };
    if depth <= 0.0 {
        return StepLosses { power: Losses::default(), slip: released(model, pair, secant_before, old) };
    }
    let response = respond(model, pair, &motion.kinematics(), old);
    let normal = &response.normal;
    // A contact that has just begun has springs without force, whose stiffness before does not matter.
    let softer = if secant_before > 0.0 { secant_before / normal.secant } else { 1.0 };
    let (slide, turn) = (tangential_part(velocity.into(), n), tangential_part(angular_velocity.into(), n));
    let spin = scaled(dot(angular_velocity.into(), n), n);
    let couple = |resisted: &Resisted<f64>, before: V3<f64>, rate: V3<f64>| {
        let k = resisted.stiffness;
        let stiffness = [softer * k, k];
        let spring = Spring { before, carried: before, after: resisted.spring, stiffness, gained: k };
        spring.slip(scaled(h, rate)) + spring.stiffening()
    };
    let rates = V3::from(motion.angular_velocity);
    let turning = couple(&response.rolling, transported(old.rolling, n), tangential_part(rates, n))
        + couple(&response.spinning, scaled(old.spinning, n), scaled(dot(rates, n), n));
    let (moved, closed) = (motion.mean_velocity(), depth - before);
    let touched = h * touching_share(depth, closed);
    let way = scaled(touched, tangential_part(moved.into(), n));
    let mean = mean_share(model.normal, depth, closed) / touching_share(depth, closed);
    let (spring, sliding) = match sliding_spring(model, pair, &response, [softer, mean], old, n) {
        Some(spring) => (spring.after, spring.slip(way) + spring.stiffening()),
        None => (V3::default(), 0.0),
    };
    let beyond =
        |resisted: &Resisted<f64>, rate| -dot(difference(resisted.capped.force, resisted.spring), rate);
    StepLosses {
        power: Losses {
            normal: (normal.secant * depth - normal.force) * velocity.dot(motion.normal),
            sliding: -dot(difference(response.sliding.capped.force, spring), slide),
            turning: beyond(&response.rolling, turn) + beyond(&response.spinning, spin),
        },
        slip: Losses { normal: 0.0, sliding, turning },
    }
}

/// The spring of friction, where the law remembers one.
fn sliding_spring(
    model: &CompliantModel,
    pair: &CompliantPair,
    response: &super::Response<f64>,
    [softer, mean]: [f64; 2],
    old: &ContactHistory,
    n: V3<f64>,
) -> Option<Spring> {
    let new = &response.history;
    let k = pair.tangential_ratio * response.normal.secant;
    let memory = transported(old.tangential, n);
    let after = response.sliding.spring;
    match model.tangential.memory() {
        SpringMemory::None => None,
        SpringMemory::Displacement => {
            let (before, carried) = (scaled(-softer * k, memory), scaled(-k, memory));
            Some(Spring { before, carried, after, stiffness: [softer * k, k], gained: k })
        }
        SpringMemory::ShrinkingForce if old.root > new.root => {
            let shrink = new.root / old.root;
            Some(Spring {
                before: memory,
                carried: scaled(shrink, memory),
                after,
                stiffness: [k / shrink, k],
                gained: k,
            })
        }
        SpringMemory::Force | SpringMemory::ShrinkingForce => {
            let stiffness = [softer * k, k];
            Some(Spring { before: memory, carried: memory, after, stiffness, gained: mean * k })
        }
    }
}

/// What springs lose when their contact ends: all they hold.
fn released(model: &CompliantModel, pair: &CompliantPair, secant: f64, old: &ContactHistory) -> Losses {
    if secant <= 0.0 {
        return Losses::default();
    }
    let half = |square: f64, stiffness: f64| if stiffness > 0.0 { 0.5 * square / stiffness } else { 0.0 };
    let square = |vector: V3<f64>| dot(vector, vector);
    let k = pair.tangential_ratio * secant;
    let couple = |coefficient: f64| couple_stiffness(secant, coefficient);
    Losses {
        normal: 0.0,
        sliding: match model.tangential.memory() {
            SpringMemory::None => 0.0,
            SpringMemory::Displacement => 0.5 * k * square(old.tangential),
            SpringMemory::Force | SpringMemory::ShrinkingForce => half(square(old.tangential), k),
        },
        turning: half(square(old.rolling), couple(pair.rolling_friction))
            + half(old.spinning * old.spinning, couple(pair.spinning_friction)),
    }
}

/// A spring that is remembered, through a step.
struct Spring {
    /// Its force at the start.
    before: V3<f64>,
    /// The same after the stiffness has changed.
    carried: V3<f64>,
    /// Its force at the end.
    after: V3<f64>,
    /// Stiffness at the start and at the end.
    stiffness: [f64; 2],
    /// Stiffness with which its force grew along the way.
    gained: f64,
}

impl Spring {
    /// Work [J] against the spring of the part of `way` that it does not follow.
    fn slip(&self, way: V3<f64>) -> f64 {
        let k = self.gained;
        if k <= 0.0 {
            return 0.0;
        }
        let slipped = sum(way, scaled(1.0 / k, difference(self.after, self.carried)));
        -0.5 * dot(sum(self.before, self.after), slipped)
    }

    /// Loss [J] as the stiffness changes.
    fn stiffening(&self) -> f64 {
        let [soft, stiff] = self.stiffness;
        if soft <= 0.0 || stiff <= 0.0 {
            return 0.0;
        }
        let square = |force: V3<f64>| dot(force, force);
        match self.before == self.carried {
            true => {
                0.5 * (square(self.after) * (1.0 / self.gained - 1.0 / stiff)
                    + square(self.before) * (1.0 / soft - 1.0 / self.gained))
            }
            false => {
                let way = 0.5 * (square(self.before) / (soft * soft) + square(self.after) / (stiff * stiff));
                -0.5 * way * (stiff - soft)
            }
        }
    }
}
