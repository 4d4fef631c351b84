//! Friction in the tangent plane.
//!
//! A new law is a variant of [`TangentialLaw`], what its spring remembers ([`SpringMemory`]) and its arm of [`friction`].

use super::damping::STEP_SHARE;
use super::material::ContactError;
use super::model::CompliantModel;
use crate::{NumberRange, laws};

/// Friction in the tangent plane; its size is at most μ times the repulsive normal force in every law.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum TangentialLaw {
    /// None.
    None,
    /// Coulomb friction made smooth: it grows linearly to μF up to the sliding speed named here.
    Coulomb {
        /// Sliding speed [m/s] at which the cap is reached.
        #[cfg_attr(feature = "serde", serde(default = "slow"))]
        speed: f64,
    },
    /// Spring and dashpot on the displacement of one step, $u_t = h\,v_t$; no memory.
    OneStep,
    /// Spring and dashpot on the displacement stored since the first touch.
    History,
    /// The spring force itself is stored and grows by $dF = k_t\,v_t\,dt$, $k_t = 8G^*a$ for Hertz (mindlin1953,
    /// no slip).
    Mindlin,
    /// As [`TangentialLaw::Mindlin`], and the stored force shrinks with the contact radius on unloading, so that
    /// cycles of load do not create energy.
    MindlinRescaled,
}

#[cfg(feature = "serde")]
fn slow() -> f64 {
    1e-3
}

/// What the spring of friction remembers: energies, losses and tangents follow from it.
///
/// A spring with memory follows the mean velocity of a step, and only in the share of the step in which the shapes touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpringMemory {
    /// Nothing.
    None,
    /// Its displacement.
    Displacement,
    /// Its force.
    Force,
    /// Its force, which shrinks with the contact radius.
    ShrinkingForce,
}

impl TangentialLaw {
    /// What the spring remembers.
    pub(super) fn memory(self) -> SpringMemory {
        match self {
            Self::None | Self::Coulomb { .. } | Self::OneStep => SpringMemory::None,
            Self::History => SpringMemory::Displacement,
            Self::Mindlin => SpringMemory::Force,
            Self::MindlinRescaled => SpringMemory::ShrinkingForce,
        }
    }

    /// Refuses parameters that are out of range.
    pub(super) fn check(self) -> Result<(), ContactError> {
        match self {
            Self::Coulomb { speed } => {
                ContactError::check("sliding speed of full friction", speed, NumberRange::Positive)
            }
            Self::None | Self::OneStep | Self::History | Self::Mindlin | Self::MindlinRescaled => Ok(()),
        }
    }
}

#[laws]
mod laws {
    use crate::contact::compliant::{Kinematics, NormalResponse};
    use crate::contact::damping::bounded_by_step;
    use crate::contact::friction::{Resisted, not_resisted, resisted, tangential_part, transported};
    use crate::contact::memory::ContactHistory;
    use crate::contact::model::CompliantPair;
    use crate::contact::normal::{mean_share, touching_share};
    use crate::number::{Scalar, constant, one, select_greater, sqrt, zero};
    use crate::vector::{V3, difference, dot, scaled, scaled_add, zero_vector};

    /// Friction with what it remembers.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Friction<S> {
        pub sliding: Resisted<S>,
        pub memory: V3<S>,
        pub root: S,
    }

    /// Friction, from the old displacement or force.
    pub(super) fn friction<S: Scalar>(
        #[comptime] model: &CompliantModel,
        pair: &CompliantPair<S>,
        motion: &Kinematics<S>,
        normal: &NormalResponse<S>,
        old: &ContactHistory<S>,
    ) -> Friction<S> {
        let n = motion.normal;
        let h = motion.step;
        let slip = tangential_part(motion.velocity, n);
        let cap = pair.friction * normal.force;
        let k = pair.tangential_ratio * normal.secant;
        let c = normal.tangential_damping;
        let closed = -h * dot(motion.mean_velocity, n);
        let moved = tangential_part(motion.mean_velocity, n);
        let mut memory = zero_vector::<S>();
        let mut root = zero::<S>();
        let sliding = match model.tangential {
            TangentialLaw::None => not_resisted(),
            TangentialLaw::Coulomb { speed } => {
                let ramp = bounded_by_step(cap / constant::<S>(speed), motion.effective_mass, h, STEP_SHARE);
                resisted(zero_vector(), zero(), ramp, slip, cap)
            }
            TangentialLaw::OneStep => resisted(scaled(-k * h, slip), k, c, slip, cap),
            TangentialLaw::History => {
                let share = touching_share(motion.depth, closed);
                let displacement = scaled_add(h * share, moved, transported(old.tangential, n));
                let out = resisted(scaled(-k, displacement), k * share, c, slip, cap);
                memory = scaled(out.capped.kept, displacement);
                out
            }
            TangentialLaw::Mindlin => {
                let before = transported(old.tangential, n);
                let mean = k * mean_share(model.normal, motion.depth, closed);
                let out = resisted(difference(before, scaled(mean * h, moved)), mean, c, slip, cap);
                memory = out.spring;
                out
            }
            TangentialLaw::MindlinRescaled => {
                root = sqrt(motion.depth);
                let shrink = select_greater(old.root, root, root / old.root, one());
                let before = scaled(shrink, transported(old.tangential, n));
                // What the step adds shrinks along with the rest: the stiffness at the end counts.
                let mean = k * mean_share(model.normal, motion.depth, closed);
                let gained = select_greater(old.root, root, k, mean);
                let out = resisted(difference(before, scaled(gained * h, moved)), gained, c, slip, cap);
                memory = out.spring;
                out
            }
        };
        Friction { sliding, memory, root }
    }
}
