//! Materials of compliant contact and how two of them combine.

use super::normal::{effective_shear, effective_young};

/// Why a material or a law of contact is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// A coefficient out of its range.
    #[error("{what} of {value} is out of range: it must be {range}")]
    Range {
        /// Which coefficient.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Values it may have.
        range: &'static str,
    },
    /// A law needs a coefficient that neither material gives.
    #[error("{law} needs a {what}, which neither material gives")]
    Missing {
        /// Which coefficient.
        what: &'static str,
        /// The law that asks for it.
        law: &'static str,
    },
}

/// Surface of a body for compliant contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompliantMaterial {
    /// Young's modulus E [Pa]; infinite for a rigid partner.
    pub young: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
    /// Coefficient of restitution e, 0…1.
    pub restitution: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Rolling friction [m]: maximum couple per normal force.
    pub rolling_friction: f64,
    /// Spinning friction [m]: maximum couple about the normal per normal force.
    pub spinning_friction: f64,
    /// Cohesion: constant adhesive force [N].
    pub cohesion: f64,
    /// Multiplier of the adhesive force of derjaguin1975 [N/√m].
    pub adhesion_dmt: f64,
    /// Cleanliness of the surface of perko2001, 0…1.
    pub cleanliness: f64,
    /// Energy density of adhesion that grows with the area of contact [J/m³].
    pub cohesion_density: f64,
    /// Normal stiffness given directly: Hooke [N/m], Hertz [Pa] (in place of 4/3 E*).
    pub normal_stiffness: Option<f64>,
    /// Tangential stiffness given directly: Hooke [N/m], Hertz [Pa] (in place of 8 G*).
    pub tangential_stiffness: Option<f64>,
    /// Normal damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
    pub normal_damping: Option<f64>,
    /// Tangential damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
    pub tangential_damping: Option<f64>,
}

impl Default for CompliantMaterial {
    /// Soft enough for steps near 1e-4 s: E = 2·10⁵ Pa, ν = 0.3, e = 0.4, μ = 0.6, nothing else.
    fn default() -> Self {
        Self {
            young: 2e5,
            poisson: 0.3,
            restitution: 0.4,
            friction: 0.6,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            cohesion: 0.0,
            adhesion_dmt: 0.0,
            cleanliness: 0.0,
            cohesion_density: 0.0,
            normal_stiffness: None,
            tangential_stiffness: None,
            normal_damping: None,
            tangential_damping: None,
        }
    }
}

impl CompliantMaterial {
    /// Refuses coefficients that are out of range or not numbers.
    pub fn check(&self) -> Result<(), ContactError> {
        let range = |fine: bool, what, value, range| match fine {
            true => Ok(()),
            false => Err(ContactError::Range { what, value, range }),
        };
        range(self.young > 0.0, "Young's modulus", self.young, "above 0")?;
        let poisson = self.poisson > -1.0 && self.poisson <= 0.5;
        range(poisson, "Poisson's ratio", self.poisson, "above -1 and at most 0.5")?;
        range((0.0..=1.0).contains(&self.restitution), "restitution", self.restitution, "0 to 1")?;
        range((0.0..=1.0).contains(&self.cleanliness), "cleanliness", self.cleanliness, "0 to 1")?;
        for (what, value) in [
            ("friction", self.friction),
            ("rolling friction", self.rolling_friction),
            ("spinning friction", self.spinning_friction),
            ("cohesion", self.cohesion),
            ("adhesion multiplier", self.adhesion_dmt),
            ("cohesion density", self.cohesion_density),
            ("tangential stiffness", self.tangential_stiffness.unwrap_or(0.0)),
            ("normal damping", self.normal_damping.unwrap_or(0.0)),
            ("tangential damping", self.tangential_damping.unwrap_or(0.0)),
        ] {
            range(value >= 0.0 && value.is_finite(), what, value, "finite and not negative")?;
        }
        let stiffness = self.normal_stiffness.unwrap_or(1.0);
        range(stiffness > 0.0 && stiffness.is_finite(), "normal stiffness", stiffness, "finite and above 0")
    }

    /// Coefficients of the pair `a`, `b`: harmonic for the moduli, the smaller of the two for restitution,
    /// friction of all kinds and cohesion, the mean for coefficients given directly (the one that is given
    /// where only one is).
    pub fn combine(a: &Self, b: &Self) -> Result<CompliantComposite, ContactError> {
        a.check()?;
        b.check()?;
        let poisson = [a.poisson, b.poisson];
        let mean = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(0.5 * (a + b)),
            (a, b) => a.or(b),
        };
        Ok(CompliantComposite {
            young: effective_young([a.young, b.young], poisson),
            shear_ratio: shear_ratio([a.young, b.young], poisson),
            restitution: a.restitution.min(b.restitution),
            friction: a.friction.min(b.friction),
            rolling_friction: a.rolling_friction.min(b.rolling_friction),
            spinning_friction: a.spinning_friction.min(b.spinning_friction),
            cohesion: a.cohesion.min(b.cohesion),
            adhesion_dmt: a.adhesion_dmt.min(b.adhesion_dmt),
            cleanliness: a.cleanliness.min(b.cleanliness),
            cohesion_density: a.cohesion_density.min(b.cohesion_density),
            normal_stiffness: mean(a.normal_stiffness, b.normal_stiffness),
            tangential_stiffness: mean(a.tangential_stiffness, b.tangential_stiffness),
            normal_damping: mean(a.normal_damping, b.normal_damping),
            tangential_damping: mean(a.tangential_damping, b.tangential_damping),
        })
    }
}

/// G*/E* of a pair; that of equal moduli where both are rigid.
fn shear_ratio(young: [f64; 2], poisson: [f64; 2]) -> f64 {
    let mut young = young;
    if young[0].is_infinite() && young[1].is_infinite() {
        young = [1.0, 1.0];
    }
    effective_shear(young, poisson) / effective_young(young, poisson)
}

/// Coefficients of two materials together: what a user may change for one pair before it becomes a
/// [`CompliantPair`](super::CompliantPair).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompliantComposite {
    /// Effective Young's modulus E* [Pa]; infinite where both partners are rigid.
    pub young: f64,
    /// Effective shear modulus by effective Young's modulus, G*/E*.
    pub shear_ratio: f64,
    /// Coefficient of restitution e, 0…1.
    pub restitution: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Rolling friction [m].
    pub rolling_friction: f64,
    /// Spinning friction [m].
    pub spinning_friction: f64,
    /// Cohesion: constant adhesive force [N].
    pub cohesion: f64,
    /// Multiplier of the adhesive force of derjaguin1975 [N/√m].
    pub adhesion_dmt: f64,
    /// Cleanliness of perko2001, 0…1.
    pub cleanliness: f64,
    /// Energy density of adhesion that grows with the area of contact [J/m³].
    pub cohesion_density: f64,
    /// Normal stiffness given directly: Hooke [N/m], Hertz [Pa].
    pub normal_stiffness: Option<f64>,
    /// Tangential stiffness given directly: Hooke [N/m], Hertz [Pa].
    pub tangential_stiffness: Option<f64>,
    /// Normal damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
    pub normal_damping: Option<f64>,
    /// Tangential damping per effective mass given directly: Hooke [1/s], Hertz [1/(m·s)].
    pub tangential_damping: Option<f64>,
}
