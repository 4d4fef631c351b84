//! Equations of state.

/// Pressure of a fluid from its density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StateEquation {
    /// $p = \frac{c^2\rho_0}{\gamma}\left[(\rho/\rho_0)^\gamma - 1\right]$ (cole1948; monaghan1994).
    Tait {
        /// Exponent γ; 7 for water.
        exponent: f64,
    },
    /// $p = c^2\,(\rho - \rho_0)$ (morris1997).
    Linear,
}

impl Default for StateEquation {
    fn default() -> Self {
        Self::Tait { exponent: 7.0 }
    }
}

impl StateEquation {
    /// Pressure [Pa] at the density `density` [kg/m³], with the speed of sound `sound` [m/s] at the density at rest
    /// `rest` [kg/m³].
    #[inline(always)]
    pub fn pressure(&self, rest: f64, sound: f64, density: f64) -> f64 {
        let stiffness = sound * sound * rest;
        let ratio = density / rest;
        match *self {
            Self::Tait { exponent: 7.0 } => {
                let square = ratio * ratio;
                stiffness / 7.0 * (ratio * square * (square * square) - 1.0)
            }
            Self::Tait { exponent } => stiffness / exponent * (ratio.powf(exponent) - 1.0),
            Self::Linear => stiffness * (ratio - 1.0),
        }
    }

    /// Density [kg/m³] at the pressure `pressure` [Pa]; least where the equation ends.
    #[inline(always)]
    pub fn density(&self, rest: f64, sound: f64, pressure: f64) -> f64 {
        let share = pressure / (sound * sound * rest);
        match *self {
            Self::Tait { exponent } => rest * (exponent * share + 1.0).max(0.0).powf(1.0 / exponent),
            Self::Linear => rest * (share + 1.0).max(0.0),
        }
    }
}
