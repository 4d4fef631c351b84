//! Viscosity that depends on the rate of shear, and how long a step may be.

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

impl Rheology {
    /// Viscosity [Pa·s] at the rate of shear `rate` [1/s].
    pub fn viscosity(&self, rate: f64) -> f64 {
        // At rest the power of a thinning fluid has no bound.
        let power = |consistency: f64, exponent: f64| match exponent == 1.0 {
            true => consistency,
            false => consistency * rate.max(f64::MIN_POSITIVE).powf(exponent - 1.0),
        };
        match *self {
            Self::Newtonian { viscosity } => viscosity,
            Self::PowerLaw { consistency, exponent, most } => power(consistency, exponent).min(most),
            Self::HerschelBulkley { consistency, exponent, yield_stress, sharpness, most } => {
                // (1 - e^{-x})/x by a series where it cancels.
                let x = sharpness * rate;
                let rise = if x < 1e-6 { 1.0 - 0.5 * x } else { -(-x).exp_m1() / x };
                (power(consistency, exponent) + yield_stress * sharpness * rise).min(most)
            }
        }
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
