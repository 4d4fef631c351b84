//! Linear elasticity in axes that turn with the material.
//!
//! The gradient of the deformation is $F = R\,S$ with a rotation $R$ and a symmetric stretch $S$. The energy per
//! volume is $\mu\,|F-R|^2 + \tfrac\lambda2\,\mathrm{tr}^2(S - I)$: that of linear elasticity in the turned axes, at
//! any rotation.

use crate::matrix::{outer, trace};
use crate::rotation::skew;
use crate::{Mat3, Vec3};

/// Elastic constants of Lamé [Pa].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ.
    pub lambda: f64,
    /// μ, the shear modulus.
    pub mu: f64,
}

impl Lame {
    /// From Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> Self {
        Self {
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu: young / (2.0 * (1.0 + poisson)),
        }
    }
}

/// Most iterations of the polar decomposition: each doubles the right digits.
const ITERATIONS: usize = 40;

/// The rotation nearest to a matrix whose determinant is above zero, by Newton's iteration $R \leftarrow
/// \tfrac12(\gamma R + R^{-T}/\gamma)$ (higham1986); `None` for others.
pub fn polar_rotation(f: &Mat3) -> Option<Mat3> {
    let determinant = f.determinant();
    if !(determinant > 0.0 && determinant.is_finite()) {
        return None;
    }
    let mut r = *f;
    for _ in 0..ITERATIONS {
        let inverse = r.inverse().transpose();
        // Far away the factor brings the sizes together, near the end it is one.
        let gamma = (norm(&inverse) / norm(&r)).sqrt();
        let next = (r * gamma + inverse * (1.0 / gamma)) * 0.5;
        let change = norm(&(next - r));
        r = next;
        if change < 1e-14 * norm(&r) {
            break;
        }
    }
    r.is_finite().then_some(r)
}

fn norm(a: &Mat3) -> f64 {
    (a.x_axis.length_squared() + a.y_axis.length_squared() + a.z_axis.length_squared()).sqrt()
}

/// A deformation, taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Corotated {
    /// R.
    pub rotation: Mat3,
    /// S.
    pub stretch: Mat3,
}

impl Corotated {
    /// Takes a gradient apart; `None` where the material is turned inside out.
    pub fn new(gradient: &Mat3) -> Option<Self> {
        let rotation = polar_rotation(gradient)?;
        let product = rotation.transpose() * *gradient;
        let stretch = (product + product.transpose()) * 0.5;
        Some(Self { rotation, stretch })
    }

    /// Strain $S - I$ in the turned axes.
    pub fn strain(&self) -> Mat3 {
        self.stretch - Mat3::IDENTITY
    }

    /// Stress $2\mu\,\varepsilon + \lambda\,\mathrm{tr}\,\varepsilon\,I$ in the turned axes [Pa].
    pub fn stress(&self, lame: &Lame) -> Mat3 {
        let strain = self.strain();
        strain * (2.0 * lame.mu) + Mat3::from_diagonal(Vec3::splat(lame.lambda * trace(&strain)))
    }

    /// Energy per volume [J/m³].
    pub fn energy(&self, lame: &Lame) -> f64 {
        let strain = self.strain();
        lame.mu * norm(&strain).powi(2) + 0.5 * lame.lambda * trace(&strain).powi(2)
    }

    /// First Piola–Kirchhoff stress $P = R\,\sigma$ [Pa]: the derivative of the energy by the gradient.
    pub fn piola(&self, lame: &Lame) -> Mat3 {
        self.rotation * self.stress(lame)
    }

    /// How the stress follows the gradients of shape functions.
    pub fn tangent(&self, lame: &Lame) -> CorotatedTangent {
        let total = trace(&self.stretch);
        let spread = Mat3::from_diagonal(Vec3::splat(total)) - self.stretch;
        CorotatedTangent {
            rotation: self.rotation,
            lame: *lame,
            turn: spread.inverse() * (lame.lambda * (total - 3.0) - 2.0 * lame.mu),
        }
    }
}

/// Second derivatives of the energy.
#[derive(Clone, Copy, Debug)]
pub struct CorotatedTangent {
    rotation: Mat3,
    lame: Lame,
    /// $(\lambda(\mathrm{tr}\,S - 3) - 2\mu)\,(\mathrm{tr}S\,I - S)^{-1}$.
    turn: Mat3,
}

impl CorotatedTangent {
    /// The block of two nodes whose shape functions have the gradients `a` and `b`, per volume:
    /// $R\,[\,2\mu\,(a\cdot b)\,I + \lambda\,a b^T + \hat a^T N \hat b\,]\,R^T$, exact.
    pub fn block(&self, a: Vec3, b: Vec3) -> Mat3 {
        let Lame { lambda, mu } = self.lame;
        let plain = Mat3::from_diagonal(Vec3::splat(2.0 * mu * a.dot(b)));
        let product = outer(a, b) * lambda;
        let inner = plain + product + skew(a).transpose() * self.turn * skew(b);
        self.rotation * inner * self.rotation.transpose()
    }
}
