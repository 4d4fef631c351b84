//! Elastic materials and damping.

use huygens_kernel::corotated::Lame;

use crate::error::{FeaError, Result, not_negative, positive};

/// A linear elastic material, the same in all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
}

impl Elastic {
    /// Shear modulus $G = E/2(1+\nu)$ [Pa].
    pub fn shear(&self) -> f64 {
        0.5 * self.young / (1.0 + self.poisson)
    }

    /// Elastic constants of Lamé.
    pub fn lame(&self) -> Lame {
        Lame::new(self.young, self.poisson)
    }

    /// Refuses numbers no material has; `what` names the object in the message.
    pub fn check(&self, what: &str) -> Result<()> {
        positive(what, "young", self.young)?;
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return Err(FeaError::Value {
                what: what.into(),
                name: "poisson",
                value: self.poisson,
                expected: "it must lie above -1 and below 0.5",
            });
        }
        not_negative(what, "density", self.density)
    }
}

/// Damping of elements: $f = -a\,M v - b\,B^T C B\,v$ (Rayleigh), and stress that follows the rate of strain. The
/// stiffness of Rayleigh is that of the material, $B^T C B$, not that of the stress: motion that only turns an element is
/// free, and power is always taken. So both are one: stress follows strain by b and by τ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Weight a of the mass [1/s].
    pub mass: f64,
    /// Weight b of the stiffness of the material [s].
    pub stiffness: f64,
    /// Time [s] by which stress follows the rate of strain: $\sigma = E(\varepsilon + \tau\dot\varepsilon)$.
    pub structural: f64,
}

impl Damping {
    /// Refuses numbers below zero; `what` names the object in the message.
    pub fn check(&self, what: &str) -> Result<()> {
        not_negative(what, "damping.mass", self.mass)?;
        not_negative(what, "damping.stiffness", self.stiffness)?;
        not_negative(what, "damping.structural", self.structural)
    }

    /// Time [s] by which stress follows the rate of strain, that of Rayleigh included.
    pub fn of_strain(&self) -> f64 {
        self.stiffness + self.structural
    }
}
