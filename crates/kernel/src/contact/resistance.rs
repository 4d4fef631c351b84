//! Resistance to rolling and to spinning about the normal.
//!
//! A new law is a variant of [`ResistanceLaw`] and its arm of [`resistance`].

use super::damping::STEP_SHARE;
use super::material::ContactError;
use crate::{NumberRange, laws};

/// Resistance to rolling, or to spinning about the normal; at most ρ times the repulsive normal force.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum ResistanceLaw {
    /// None.
    None,
    /// Constant couple against the motion, growing linearly up to the rate named here.
    Constant {
        /// Relative angular speed [rad/s] at which the cap is reached.
        #[cfg_attr(feature = "serde", serde(default = "slow"))]
        rate: f64,
    },
    /// Dashpot.
    Viscous {
        /// Couple per rate [N·m·s].
        damping: f64,
    },
    /// Spring and dashpot with memory, $k_r = 2.25\,k_n\rho^2$ (ai2011, its model C).
    ElasticPlastic {
        /// Damping ratio of the dashpot.
        #[cfg_attr(feature = "serde", serde(default = "three_tenths"))]
        ratio: f64,
    },
}

#[cfg(feature = "serde")]
fn slow() -> f64 {
    1e-3
}

#[cfg(feature = "serde")]
fn three_tenths() -> f64 {
    0.3
}

impl ResistanceLaw {
    /// Refuses parameters that are out of range.
    pub(super) fn check(self) -> Result<(), ContactError> {
        let what = "damping of rolling or spinning";
        match self {
            Self::None => Ok(()),
            Self::Constant { rate } => {
                ContactError::check("rate of full rolling resistance", rate, NumberRange::Positive)
            }
            Self::Viscous { damping } => ContactError::check(what, damping, NumberRange::NotNegative),
            Self::ElasticPlastic { ratio } => ContactError::check(what, ratio, NumberRange::NotNegative),
        }
    }

    /// Whether contacts remember the couple of a spring.
    pub(super) fn remembers(self) -> bool {
        matches!(self, Self::ElasticPlastic { .. })
    }
}

#[laws]
mod laws {
    use crate::contact::compliant::NormalResponse;
    use crate::contact::damping::bounded_by_step;
    use crate::contact::friction::{Resisted, not_resisted, resisted};
    use crate::contact::memory::Touch;
    use crate::number::{Scalar, constant, sqrt, zero};
    use crate::vector::{V3, difference, scaled};

    /// Rolling or spinning couple at the relative angular velocity `rate`, from the old spring couple `before`.
    pub(super) fn resistance<S: Scalar>(
        #[comptime] law: ResistanceLaw,
        coefficient: S,
        touch: &Touch<S>,
        normal: &NormalResponse<S>,
        rate: V3<S>,
        before: V3<S>,
    ) -> Resisted<S> {
        let h = touch.step;
        let cap = coefficient * normal.force;
        // Moment of inertia of a solid sphere of effective mass and radius about its centre and about the contact.
        let inertia = constant::<S>(0.4) * touch.mass * touch.radius * touch.radius;
        let pivot = constant::<S>(3.5) * inertia;
        let mut k = zero::<S>();
        let mut damping = zero::<S>();
        match law {
            ResistanceLaw::None => {}
            ResistanceLaw::Constant { rate: full } => damping = cap / constant::<S>(full),
            ResistanceLaw::Viscous { damping: given } => damping = constant::<S>(given),
            ResistanceLaw::ElasticPlastic { ratio } => {
                k = couple_stiffness(normal.secant, coefficient);
                damping = constant::<S>(2.0 * ratio) * sqrt(pivot * k);
            }
        }
        match law {
            ResistanceLaw::None => not_resisted(),
            _ => {
                let c = bounded_by_step(damping, inertia, h, STEP_SHARE);
                resisted(difference(before, scaled(k * h, rate)), k, c, rate, cap)
            }
        }
    }

    /// Stiffness of the spring of a couple [N·m], $2.25\,k_n\rho^2$ (ai2011).
    pub(super) fn couple_stiffness<S: Scalar>(secant: S, coefficient: S) -> S {
        constant::<S>(2.25) * secant * coefficient * coefficient
    }
}
