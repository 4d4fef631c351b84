//! Elastic normal laws: force, stiffness and energy as functions of the overlap, and closed forms of an impact.

use crate::laws;

/// $t_c\,v/\delta_{max}$ of an elastic Hertz impact, $\frac{4}{5}\sqrt\pi\,\Gamma(2/5)/\Gamma(9/10)$ (johnson1985).
pub const HERTZ_DURATION: f64 = 2.943_275_106_608_26;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, power, sqrt};

    /// Secant stiffness [N/m] of a Hertz contact, $F/\delta = k\sqrt{R\,\delta}$, with modulus `k` [Pa] (4/3 E* from
    /// material constants), effective radius `radius` [m] and overlap `depth` [m].
    pub fn hertz_secant<S: Scalar>(modulus: S, radius: S, depth: S) -> S {
        modulus * sqrt(radius * depth)
    }

    /// Hertz force [N], $F = \tfrac43 E^*\sqrt{R^*}\,\delta^{3/2}$ (hertz1882).
    pub fn hertz_force<S: Scalar>(young: S, radius: S, depth: S) -> S {
        hertz_secant(constant::<S>(4.0 / 3.0) * young, radius, depth) * depth
    }

    /// Energy [J] stored by an elastic force $F = s\,\delta$ whose secant stiffness `secant` [N/m] grows as
    /// $\delta^{p}$ (`exponent` p: 0 for Hooke, 1/2 for Hertz): $W = F\delta/(2+p)$.
    pub fn elastic_energy<S: Scalar>(secant: S, exponent: S, depth: S) -> S {
        secant * depth * depth / (constant::<S>(2.0) + exponent)
    }

    /// Stiffness [N/m] of a linear spring that stops the effective mass `mass` [kg] at speed `speed` [m/s] at the
    /// same depth as a Hertz contact, $k = k_0\,(m V^2/k_0)^{1/5}$ with $k_0 = \tfrac{16}{15}E^*\sqrt{R^*}$.
    pub fn hooke_stiffness<S: Scalar>(young: S, radius: S, mass: S, speed: S) -> S {
        let base = constant::<S>(16.0 / 15.0) * young * sqrt(radius);
        base * power(mass * speed * speed / base, 0.2)
    }
}

/// Greatest overlap [m] of an elastic Hertz impact of modulus `modulus` = 4/3 E* [Pa],
/// $\delta_{max} = \left(\frac{5 m V^2}{4 k\sqrt{R}}\right)^{2/5}$.
#[inline]
pub fn hertz_depth(modulus: f64, radius: f64, mass: f64, speed: f64) -> f64 {
    (1.25 * mass * speed * speed / (modulus * radius.sqrt())).powf(0.4)
}

/// Depth, force and duration of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Greatest overlap [m].
    pub depth: f64,
    /// Greatest force [N].
    pub force: f64,
    /// Time from touch to release [s].
    pub duration: f64,
}

/// Elastic Hertz impact at relative speed `speed` [m/s]: $F_{max}$ at $\delta_{max}$, $t_c = 2.943\,\delta_{max}/V$.
pub fn hertz_impact(young: f64, radius: f64, mass: f64, speed: f64) -> Impact {
    let depth = hertz_depth(4.0 / 3.0 * young, radius, mass, speed);
    Impact { depth, force: hertz_force(young, radius, depth), duration: HERTZ_DURATION * depth / speed }
}

/// Effective mass $1/(1/m_a + 1/m_b)$ [kg] of two bodies given by their inverse masses [1/kg]; 0 of a fixed body.
///
/// Two fixed bodies have no effective mass: the result is infinite.
#[inline]
pub fn effective_mass(inverse_a: f64, inverse_b: f64) -> f64 {
    1.0 / (inverse_a + inverse_b)
}

/// Effective radius $1/(1/R_a + 1/R_b)$ [m]; infinite radii are flat, negative ones hollow.
///
/// Surfaces that conform (sum of curvatures zero or less) count as flat: the result is infinite.
#[inline]
pub fn effective_radius(radius_a: f64, radius_b: f64) -> f64 {
    let curvature = 1.0 / radius_a + 1.0 / radius_b;
    let mut out = f64::INFINITY;
    if curvature > 0.0 {
        out = 1.0 / curvature;
    }
    out
}

/// Effective Young's modulus [Pa], $1/E^* = (1-\nu_a^2)/E_a + (1-\nu_b^2)/E_b$; an infinite modulus is rigid.
#[inline]
pub fn effective_young(young: [f64; 2], poisson: [f64; 2]) -> f64 {
    1.0 / ((1.0 - poisson[0] * poisson[0]) / young[0] + (1.0 - poisson[1] * poisson[1]) / young[1])
}

/// Effective shear modulus [Pa], $1/G^* = (2-\nu_a)/G_a + (2-\nu_b)/G_b$ with $G = E/(2+2\nu)$ (mindlin1953).
#[inline]
pub fn effective_shear(young: [f64; 2], poisson: [f64; 2]) -> f64 {
    let share = |i: usize| (2.0 - poisson[i]) * 2.0 * (1.0 + poisson[i]) / young[i];
    1.0 / (share(0) + share(1))
}

/// Largest step [s] an explicit method should take, $\sqrt{m/k}$: below half of the limit $2\sqrt{m/k}$ of a
/// single undamped contact, as a body usually has several.
#[inline]
pub fn critical_step(mass: f64, stiffness: f64) -> f64 {
    (mass / stiffness).sqrt()
}
