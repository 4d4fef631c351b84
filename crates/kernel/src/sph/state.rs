//! Equations of state.

use crate::laws;

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

#[laws]
mod laws {
    use crate::number::{Analytic, Scalar, constant, larger, ln, one, power, zero};

    /// Pressure [Pa] at the density `density` [kg/m³], with the speed of sound `sound` [m/s] at the density at rest
    /// `rest` [kg/m³].
    pub fn state_pressure<S: Scalar>(#[comptime] state: StateEquation, rest: S, sound: S, density: S) -> S {
        let stiffness = sound * sound * rest;
        let ratio = density / rest;
        match state {
            StateEquation::Tait { exponent: 7.0 } => {
                let square = ratio * ratio;
                stiffness / constant::<S>(7.0) * (ratio * square * (square * square) - one::<S>())
            }
            StateEquation::Tait { exponent } => {
                stiffness / constant::<S>(exponent) * (power(ratio, exponent) - one::<S>())
            }
            StateEquation::Linear => stiffness * (ratio - one::<S>()),
        }
    }

    /// Density [kg/m³] at the pressure `pressure` [Pa]; least where the equation ends.
    pub fn state_density<S: Scalar>(#[comptime] state: StateEquation, rest: S, sound: S, pressure: S) -> S {
        let share = pressure / (sound * sound * rest);
        match state {
            StateEquation::Tait { exponent } => {
                let ratio = larger(constant::<S>(exponent) * share + one::<S>(), zero());
                rest * power(ratio, 1.0 / exponent)
            }
            StateEquation::Linear => rest * larger(share + one::<S>(), zero()),
        }
    }

    /// Energy of compression per mass [J/kg] at the density `density` [kg/m³]: $\int p/\rho^2\,d\rho$ from the density at
    /// rest.
    pub fn state_energy<S: Analytic>(#[comptime] state: StateEquation, rest: S, sound: S, density: S) -> S {
        let ratio = density / rest;
        match state {
            StateEquation::Linear | StateEquation::Tait { exponent: 1.0 } => {
                sound * sound * (ln(ratio) + one::<S>() / ratio - one::<S>())
            }
            StateEquation::Tait { exponent } => {
                let above = constant::<S>(exponent - 1.0);
                let end = constant::<S>(exponent / (exponent - 1.0));
                let terms = power(ratio, exponent - 1.0) / above + one::<S>() / ratio - end;
                sound * sound * (terms / constant::<S>(exponent))
            }
        }
    }
}

impl StateEquation {
    /// Pressure [Pa] at the density `density` [kg/m³], see [`state_pressure`].
    #[inline(always)]
    pub fn pressure(&self, rest: f64, sound: f64, density: f64) -> f64 {
        state_pressure(*self, rest, sound, density)
    }

    /// Density [kg/m³] at the pressure `pressure` [Pa], see [`state_density`].
    #[inline(always)]
    pub fn density(&self, rest: f64, sound: f64, pressure: f64) -> f64 {
        state_density(*self, rest, sound, pressure)
    }

    /// Energy of compression per mass [J/kg] at the density `density` [kg/m³], see [`state_energy`].
    #[inline(always)]
    pub fn energy(&self, rest: f64, sound: f64, density: f64) -> f64 {
        state_energy(*self, rest, sound, density)
    }
}
