//! Drag of a fluid on a small sphere, and forces between spheres that do not touch yet.

use crate::Scalar;
use crate::triple::{dot, scaled};

/// Stokes' drag [N] on a sphere of radius `radius` [m] past which the fluid of viscosity `viscosity` [Pa·s] flows
/// with the relative velocity `slip` [m/s], $F = 6\pi\eta r\,u$: for Reynolds numbers far below 1 (stokes1851).
#[inline(always)]
pub fn stokes_drag<S: Scalar>(viscosity: S, radius: S, slip: [S; 3]) -> [S; 3] {
    scaled(S::of(6.0 * std::f64::consts::PI) * viscosity * radius, slip)
}

/// Reynolds number above which the coefficient of drag of a sphere is constant, 0.44.
const NEWTON_REGIME: f64 = 1000.0;

/// Drag [N] with the coefficient of schiller1933, $C = \tfrac{24}{Re}(1 + 0.15\,Re^{0.687})$ up to Re = 1000 and 0.44
/// above, $F = \tfrac12 C\rho\pi r^2|u|\,u$, in a fluid of `density` [kg/m³].
#[inline(always)]
pub fn schiller_naumann_drag<S: Scalar>(density: S, viscosity: S, radius: S, slip: [S; 3]) -> [S; 3] {
    let speed = dot(slip, slip).sqrt();
    let reynolds = S::of(2.0) * density * speed * radius / viscosity;
    // Written as a multiple of Stokes' drag, which is finite at rest.
    let viscous = S::of(1.0) + S::of(0.15) * reynolds.powf(0.687);
    let inertial = S::of(0.44 / 24.0) * reynolds;
    let factor = reynolds.where_greater(S::of(NEWTON_REGIME), inertial, viscous);
    scaled(factor, stokes_drag(viscosity, radius, slip))
}

/// Attraction of two spheres [N] by forces between molecules, $F = \frac{A R}{6\,(g + g_0)^2}$ at the gap `gap` [m], with
/// Hamaker's constant A [J] (hamaker1937), effective radius R [m] and least gap $g_0$ [m].
#[inline(always)]
pub fn hamaker_attraction<S: Scalar>(hamaker: S, radius: S, gap: S, least: S) -> S {
    let distance = gap.larger(S::zero()) + least;
    hamaker * radius / (S::of(6.0) * distance * distance)
}

/// Repulsion of two spheres [N] that fades over the length `length` [m], $F = F_0\,e^{-g/\lambda}$: electric double
/// layers, lubricating films.
#[inline]
pub fn screened_repulsion(force: f64, length: f64, gap: f64) -> f64 {
    force * (-gap.max(0.0) / length).exp()
}
