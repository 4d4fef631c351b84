//! Viscosity that depends on the rate of shear, and how long a step may be.

use crate::laws;

/// Viscosity from the rate of shear $\dot\gamma = \sqrt{2 D:D}$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rheology {
    /// Constant: $\mu$.
    Newtonian {
        /// Viscosity [Pa·s].
        viscosity: f64,
    },
    /// $\mu = K\dot\gamma^{n-1}$, within bounds.
    PowerLaw {
        /// Consistency K [Pa·sⁿ].
        consistency: f64,
        /// Exponent n: below 1 thinner when sheared, above 1 thicker.
        exponent: f64,
        /// Greatest viscosity [Pa·s].
        most: f64,
    },
    /// $\mu = K\dot\gamma^{n-1} + \frac{\tau_0}{\dot\gamma}\,(1 - e^{-m\dot\gamma})$ with the yield stress τ₀
    /// (papanastasiou1987); n = 1 is Bingham's fluid.
    HerschelBulkley {
        /// Consistency K [Pa·sⁿ].
        consistency: f64,
        /// Exponent n.
        exponent: f64,
        /// Yield stress τ₀ [Pa].
        yield_stress: f64,
        /// How sharply the stress rises, m [s].
        sharpness: f64,
        /// Greatest viscosity [Pa·s].
        most: f64,
    },
}

/// Least rate of shear [1/s] of a power: at rest that of a thinning fluid has no bound, and is cut off.
const SLOWEST: f64 = f64::MIN_POSITIVE;

/// Product of sharpness and rate of shear below which the rise of a yield stress is a series.
const SMALL_RISE: f64 = 1e-6;

#[laws]
mod laws {
    use crate::number::{Analytic, constant, exp_m1, larger, one, power, select_greater, smaller};

    /// $K\dot\gamma^{n-1}$ [Pa·s].
    fn power_viscosity<S: Analytic>(#[comptime] consistency: f64, #[comptime] exponent: f64, rate: S) -> S {
        constant::<S>(consistency) * power(larger(rate, constant(SLOWEST)), exponent - 1.0)
    }

    /// $\frac{\tau_0}{\dot\gamma}\,(1 - e^{-m\dot\gamma})$ [Pa·s].
    fn yield_viscosity<S: Analytic>(#[comptime] stress: f64, #[comptime] sharpness: f64, rate: S) -> S {
        let x = constant::<S>(sharpness) * rate;
        let start = one::<S>() - constant::<S>(0.5) * x;
        let rise = select_greater(constant(SMALL_RISE), x, start, -exp_m1(-x) / x);
        constant::<S>(stress * sharpness) * rise
    }

    /// Viscosity [Pa·s] at the rate of shear `rate` [1/s].
    pub fn shear_viscosity<S: Analytic>(#[comptime] rheology: Rheology, rate: S) -> S {
        match rheology {
            Rheology::Newtonian { viscosity } => constant::<S>(viscosity),
            Rheology::PowerLaw { consistency, exponent: 1.0, most } => {
                smaller(constant::<S>(consistency), constant(most))
            }
            Rheology::PowerLaw { consistency, exponent, most } => {
                smaller(power_viscosity(consistency, exponent, rate), constant(most))
            }
            Rheology::HerschelBulkley { consistency, exponent: 1.0, yield_stress, sharpness, most } => {
                let rise = yield_viscosity(yield_stress, sharpness, rate);
                smaller(constant::<S>(consistency) + rise, constant(most))
            }
            Rheology::HerschelBulkley { consistency, exponent, yield_stress, sharpness, most } => {
                let rise = yield_viscosity(yield_stress, sharpness, rate);
                smaller(power_viscosity(consistency, exponent, rate) + rise, constant(most))
            }
        }
    }
}

impl Rheology {
    /// Viscosity [Pa·s] at the rate of shear `rate` [1/s], see [`shear_viscosity`].
    pub fn viscosity(&self, rate: f64) -> f64 {
        shear_viscosity(*self, rate)
    }

    /// Greatest viscosity there can be [Pa·s].
    pub fn greatest(&self) -> f64 {
        match *self {
            Self::Newtonian { viscosity } => viscosity,
            Self::PowerLaw { most, .. } | Self::HerschelBulkley { most, .. } => most,
        }
    }
}

/// Shares of what stability allows (monaghan1992; morris1997).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimits {
    /// Of $h/(c + v)$: sound.
    pub sound: f64,
    /// Of $h^2\rho/\mu$: viscosity.
    pub viscosity: f64,
    /// Of $\sqrt{h/a}$: acceleration.
    pub force: f64,
}

impl Default for StepLimits {
    fn default() -> Self {
        Self { sound: 0.25, viscosity: 0.125, force: 0.25 }
    }
}

impl StepLimits {
    /// Longest step [s] with the length h [m], speed of sound and greatest speed [m/s], greatest acceleration [m/s²] and
    /// kinematic viscosity [m²/s].
    pub fn longest(&self, h: f64, sound: f64, speed: f64, acceleration: f64, viscosity: f64) -> f64 {
        let sound = self.sound * h / (sound + speed);
        let force = if acceleration > 0.0 { self.force * (h / acceleration).sqrt() } else { f64::INFINITY };
        let viscous = if viscosity > 0.0 { self.viscosity * h * h / viscosity } else { f64::INFINITY };
        sound.min(force).min(viscous)
    }
}
