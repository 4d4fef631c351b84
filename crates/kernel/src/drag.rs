//! Drag of a fluid on a small sphere, and forces between spheres that do not touch yet.

use std::f64::consts::PI;

use crate::laws;

/// Reynolds number above which the coefficient of drag of a sphere is constant, 0.44.
const NEWTON_REGIME: f64 = 1000.0;

#[laws]
mod laws {
    use crate::number::{Analytic, Scalar, constant, exp, larger, one, power, select_greater, sqrt, zero};
    use crate::vector::{V3, dot, scaled};

    /// Stokes' drag [N] on a sphere of radius `radius` [m] past which the fluid of viscosity `viscosity` [Pa·s] flows
    /// with the relative velocity `slip` [m/s], $F = 6\pi\eta r\,u$: for Reynolds numbers far below 1 (stokes1851).
    pub fn stokes_drag<S: Scalar>(viscosity: S, radius: S, slip: V3<S>) -> V3<S> {
        scaled(constant::<S>(6.0 * PI) * viscosity * radius, slip)
    }

    /// Drag [N] with the coefficient of schiller1933, $C = \tfrac{24}{Re}(1 + 0.15\,Re^{0.687})$ up to Re = 1000 and
    /// 0.44 above, $F = \tfrac12 C\rho\pi r^2|u|\,u$, in a fluid of `density` [kg/m³].
    pub fn schiller_naumann_drag<S: Scalar>(density: S, viscosity: S, radius: S, slip: V3<S>) -> V3<S> {
        let speed = sqrt(dot(slip, slip));
        let reynolds = constant::<S>(2.0) * density * speed * radius / viscosity;
        // Written as a multiple of Stokes' drag, which is finite at rest.
        let viscous = one::<S>() + constant::<S>(0.15) * power(reynolds, 0.687);
        let inertial = constant::<S>(0.44 / 24.0) * reynolds;
        let factor = select_greater(reynolds, constant(NEWTON_REGIME), inertial, viscous);
        scaled(factor, stokes_drag(viscosity, radius, slip))
    }

    /// Attraction of two spheres [N] by forces between molecules, $F = \frac{A R}{6\,(g + g_0)^2}$ at the gap `gap`
    /// [m], with Hamaker's constant A [J] (hamaker1937), effective radius R [m] and least gap $g_0$ [m].
    pub fn hamaker_attraction<S: Scalar>(hamaker: S, radius: S, gap: S, least: S) -> S {
        let distance = larger(gap, zero()) + least;
        hamaker * radius / (constant::<S>(6.0) * distance * distance)
    }

    /// Repulsion of two spheres [N] that fades over the length `length` [m], $F = F_0\,e^{-g/\lambda}$: electric double
    /// layers, lubricating films.
    pub fn screened_repulsion<S: Analytic>(force: S, length: S, gap: S) -> S {
        force * exp(-larger(gap, zero()) / length)
    }
}
