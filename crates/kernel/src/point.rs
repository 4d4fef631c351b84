//! Point laws: what a material answers at one point.
//!
//! A law takes the strain and what the point remembers, and gives the stress, what the point remembers then, the energy
//! that can come back, and the derivative of the stress by the strain:
//! $$ (E, m_n) \mapsto \bigl(S,\; m,\; W,\; C = \partial S/\partial E\bigr). $$
//! It may be asked any number of times with the same old memory. In total Lagrangian elements the strain is that of
//! Green, $E = \tfrac12(F^TF - I)$, and the stress the second one of Piola and Kirchhoff.

use crate::Scalar;

/// A symmetric tensor by its components; shear strains are components, not angles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Symmetric<S> {
    /// Component xx.
    pub xx: S,
    /// Component yy.
    pub yy: S,
    /// Component zz.
    pub zz: S,
    /// Component xy.
    pub xy: S,
    /// Component yz.
    pub yz: S,
    /// Component zx.
    pub zx: S,
}

impl<S: Scalar> Symmetric<S> {
    /// All components zero.
    #[inline(always)]
    pub fn zero() -> Self {
        let o = S::zero();
        Self { xx: o, yy: o, zz: o, xy: o, yz: o, zx: o }
    }

    /// A number times the unit tensor.
    #[inline(always)]
    pub fn isotropic(value: S) -> Self {
        Self { xx: value, yy: value, zz: value, ..Self::zero() }
    }

    /// The sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> S {
        self.xx + self.yy + self.zz
    }

    /// self + factor · other.
    #[inline(always)]
    pub fn plus(self, factor: S, other: Self) -> Self {
        Self {
            xx: factor.mul_add(other.xx, self.xx),
            yy: factor.mul_add(other.yy, self.yy),
            zz: factor.mul_add(other.zz, self.zz),
            xy: factor.mul_add(other.xy, self.xy),
            yz: factor.mul_add(other.yz, self.yz),
            zx: factor.mul_add(other.zx, self.zx),
        }
    }

    /// All components times a number.
    #[inline(always)]
    pub fn times(self, factor: S) -> Self {
        Self::zero().plus(factor, self)
    }

    /// The product of two tensors over all nine components.
    #[inline(always)]
    pub fn dot(self, other: Self) -> S {
        let diagonal = self.xx * other.xx + self.yy * other.yy + self.zz * other.zz;
        let shear = self.xy * other.xy + self.yz * other.yz + self.zx * other.zx;
        S::of(2.0).mul_add(shear, diagonal)
    }

    /// What is left without the mean of the diagonal.
    #[inline(always)]
    pub fn deviator(self) -> Self {
        self.plus(S::of(-1.0 / 3.0) * self.trace(), Self::isotropic(S::of(1.0)))
    }
}

/// Derivative of a stress by a strain: the change of stress with each component of the strain. Symmetric pairs of shear
/// components change together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness<S> {
    /// With xx.
    pub xx: Symmetric<S>,
    /// With yy.
    pub yy: Symmetric<S>,
    /// With zz.
    pub zz: Symmetric<S>,
    /// With xy and yx.
    pub xy: Symmetric<S>,
    /// With yz and zy.
    pub yz: Symmetric<S>,
    /// With zx and xz.
    pub zx: Symmetric<S>,
}

impl<S: Scalar> Stiffness<S> {
    /// Change of stress with a change of strain.
    #[inline(always)]
    pub fn times(&self, strain: Symmetric<S>) -> Symmetric<S> {
        let diagonal = self.xx.times(strain.xx).plus(strain.yy, self.yy).plus(strain.zz, self.zz);
        diagonal.plus(strain.xy, self.xy).plus(strain.yz, self.yz).plus(strain.zx, self.zx)
    }

    /// The derivative of a linear stress: `f` at each unit strain.
    #[inline(always)]
    pub fn of(f: impl Fn(Symmetric<S>) -> Symmetric<S>) -> Self {
        let (zero, one) = (Symmetric::zero(), S::of(1.0));
        Self {
            xx: f(Symmetric { xx: one, ..zero }),
            yy: f(Symmetric { yy: one, ..zero }),
            zz: f(Symmetric { zz: one, ..zero }),
            xy: f(Symmetric { xy: one, ..zero }),
            yz: f(Symmetric { yz: one, ..zero }),
            zx: f(Symmetric { zx: one, ..zero }),
        }
    }
}

/// What a law answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointAnswer<S, M> {
    /// Stress [Pa].
    pub stress: Symmetric<S>,
    /// Derivative of the stress by the strain [Pa].
    pub stiffness: Stiffness<S>,
    /// Energy that comes back [J/m³].
    pub energy: S,
    /// What the point remembers then.
    pub memory: M,
}

/// A material at a point.
pub trait PointLaw<S: Scalar>: Copy + Send + Sync {
    /// What a point remembers.
    type Memory: Copy;
    /// The answer to a strain of a point that remembers `old`.
    fn answer(&self, strain: Symmetric<S>, old: Self::Memory) -> PointAnswer<S, Self::Memory>;
}

/// Stress of St. Venant and Kirchhoff, $S = \lambda\,\mathrm{tr}E\,I + 2\mu E$ [Pa].
#[inline(always)]
pub fn kirchhoff_stress<S: Scalar>(lambda: S, mu: S, strain: Symmetric<S>) -> Symmetric<S> {
    Symmetric::isotropic(lambda * strain.trace()).plus(S::of(2.0) * mu, strain)
}

/// The linear law of St. Venant and Kirchhoff: an energy that is quadratic in the strain of Green. Right for small
/// strains at any rotation; in compression by a third and more it softens, so that a material under pressure collapses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StVenantKirchhoff<S> {
    /// First constant of Lamé [Pa].
    pub lambda: S,
    /// Shear modulus [Pa].
    pub mu: S,
}

impl<S: Scalar + Send + Sync> PointLaw<S> for StVenantKirchhoff<S> {
    type Memory = ();

    #[inline(always)]
    fn answer(&self, strain: Symmetric<S>, _old: ()) -> PointAnswer<S, ()> {
        let stress = kirchhoff_stress(self.lambda, self.mu, strain);
        PointAnswer {
            stress,
            stiffness: Stiffness::of(|strain| kirchhoff_stress(self.lambda, self.mu, strain)),
            energy: S::of(0.5) * strain.dot(stress),
            memory: (),
        }
    }
}

/// The part of that law without the coupling by Poisson's ratio ν: Young's modulus along each axis, and the shear moduli
/// of the planes yz, zx and xy [Pa].
#[inline(always)]
pub fn uncoupled_stress<S: Scalar>(young: S, shear: [S; 3], strain: Symmetric<S>) -> Symmetric<S> {
    let two = S::of(2.0);
    Symmetric {
        xx: young * strain.xx,
        yy: young * strain.yy,
        zz: young * strain.zz,
        xy: two * shear[2] * strain.xy,
        yz: two * shear[0] * strain.yz,
        zx: two * shear[1] * strain.zx,
    }
}

/// The rest of it: normal stress by the strains across, $\lambda\,(\mathrm{tr}E - (1 - 2\nu)E_{ii})$. With
/// [`uncoupled_stress`] and equal shear moduli it is the whole law.
#[inline(always)]
pub fn coupling_stress<S: Scalar>(lambda: S, poisson: S, strain: Symmetric<S>) -> Symmetric<S> {
    let own = S::of(2.0) * poisson * lambda;
    Symmetric {
        xx: own * strain.xx + lambda * strain.yy + lambda * strain.zz,
        yy: lambda * strain.xx + own * strain.yy + lambda * strain.zz,
        zz: lambda * strain.xx + lambda * strain.yy + own * strain.zz,
        ..Symmetric::zero()
    }
}
