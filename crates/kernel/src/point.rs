//! Point laws: what a material answers at one point.
//!
//! A law takes the strain and what the point remembers, and gives the stress, what the point remembers then, the energy
//! that can come back, and the derivative of the stress by the strain:
//! $$ (E, m_n) \mapsto \bigl(S,\; m,\; W,\; C = \partial S/\partial E\bigr). $$
//! It may be asked any number of times with the same old memory. In total Lagrangian elements the strain is that of
//! Green, $E = \tfrac12(F^TF - I)$, and the stress the second one of Piola and Kirchhoff.
//!
//! The stresses are laws that devices have too; [`PointLaw`] gathers them for elements, which run on the host.

use crate::laws;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, fma, one, zero};
    use crate::vector::V3;

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

    /// All components zero.
    pub fn zero_tensor<S: Scalar>() -> Symmetric<S> {
        Symmetric { xx: zero(), yy: zero(), zz: zero(), xy: zero(), yz: zero(), zx: zero() }
    }

    /// A number times the unit tensor.
    pub fn isotropic<S: Scalar>(value: S) -> Symmetric<S> {
        Symmetric { xx: value, yy: value, zz: value, xy: zero(), yz: zero(), zx: zero() }
    }

    /// The sum of the diagonal.
    pub fn trace<S: Scalar>(a: Symmetric<S>) -> S {
        a.xx + a.yy + a.zz
    }

    /// a + factor · b.
    pub fn tensor_sum<S: Scalar>(a: Symmetric<S>, factor: S, b: Symmetric<S>) -> Symmetric<S> {
        Symmetric {
            xx: fma(factor, b.xx, a.xx),
            yy: fma(factor, b.yy, a.yy),
            zz: fma(factor, b.zz, a.zz),
            xy: fma(factor, b.xy, a.xy),
            yz: fma(factor, b.yz, a.yz),
            zx: fma(factor, b.zx, a.zx),
        }
    }

    /// All components times a number.
    pub fn tensor_scaled<S: Scalar>(factor: S, a: Symmetric<S>) -> Symmetric<S> {
        tensor_sum(zero_tensor(), factor, a)
    }

    /// The product of two tensors over all nine components.
    pub fn tensor_dot<S: Scalar>(a: Symmetric<S>, b: Symmetric<S>) -> S {
        let diagonal = a.xx * b.xx + a.yy * b.yy + a.zz * b.zz;
        let shear = a.xy * b.xy + a.yz * b.yz + a.zx * b.zx;
        fma(constant(2.0), shear, diagonal)
    }

    /// What is left without the mean of the diagonal.
    pub fn deviator<S: Scalar>(a: Symmetric<S>) -> Symmetric<S> {
        tensor_sum(a, constant::<S>(-1.0 / 3.0) * trace(a), isotropic(one()))
    }

    /// Derivative of a stress by a strain: the change of stress with each component of the strain. Symmetric pairs of
    /// shear components change together.
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

    /// Change of stress with a change of strain.
    pub fn stress_change<S: Scalar>(stiffness: &Stiffness<S>, strain: Symmetric<S>) -> Symmetric<S> {
        let first = tensor_scaled(strain.xx, stiffness.xx);
        let second = tensor_sum(first, strain.yy, stiffness.yy);
        let diagonal = tensor_sum(second, strain.zz, stiffness.zz);
        let fourth = tensor_sum(diagonal, strain.xy, stiffness.xy);
        let fifth = tensor_sum(fourth, strain.yz, stiffness.yz);
        tensor_sum(fifth, strain.zx, stiffness.zx)
    }

    /// Stress of St. Venant and Kirchhoff, $S = \lambda\,\mathrm{tr}E\,I + 2\mu E$ [Pa].
    pub fn kirchhoff_stress<S: Scalar>(lambda: S, mu: S, strain: Symmetric<S>) -> Symmetric<S> {
        tensor_sum(isotropic(lambda * trace(strain)), constant::<S>(2.0) * mu, strain)
    }

    /// Derivative of [`kirchhoff_stress`] by the strain [Pa].
    pub fn kirchhoff_stiffness<S: Scalar>(lambda: S, mu: S) -> Stiffness<S> {
        let o = zero::<S>();
        let shear = constant::<S>(2.0) * mu;
        let own = shear + lambda;
        Stiffness {
            xx: Symmetric { xx: own, yy: lambda, zz: lambda, xy: o, yz: o, zx: o },
            yy: Symmetric { xx: lambda, yy: own, zz: lambda, xy: o, yz: o, zx: o },
            zz: Symmetric { xx: lambda, yy: lambda, zz: own, xy: o, yz: o, zx: o },
            xy: Symmetric { xx: o, yy: o, zz: o, xy: shear, yz: o, zx: o },
            yz: Symmetric { xx: o, yy: o, zz: o, xy: o, yz: shear, zx: o },
            zx: Symmetric { xx: o, yy: o, zz: o, xy: o, yz: o, zx: shear },
        }
    }

    /// Energy of a stress that grew in proportion to the strain, $\tfrac12 E : S$ [J/m³].
    pub fn linear_energy<S: Scalar>(strain: Symmetric<S>, stress: Symmetric<S>) -> S {
        constant::<S>(0.5) * tensor_dot(strain, stress)
    }

    /// The part of St. Venant's and Kirchhoff's law without the coupling by Poisson's ratio ν: Young's modulus along each
    /// axis, and the shear moduli of the planes yz, zx and xy [Pa].
    pub fn uncoupled_stress<S: Scalar>(young: S, shear: V3<S>, strain: Symmetric<S>) -> Symmetric<S> {
        let two = constant::<S>(2.0);
        Symmetric {
            xx: young * strain.xx,
            yy: young * strain.yy,
            zz: young * strain.zz,
            xy: two * shear.z * strain.xy,
            yz: two * shear.x * strain.yz,
            zx: two * shear.y * strain.zx,
        }
    }

    /// The rest of it: normal stress by the strains across, $\lambda\,(\mathrm{tr}E - (1 - 2\nu)E_{ii})$. With
    /// [`uncoupled_stress`] and equal shear moduli it is the whole law.
    pub fn coupling_stress<S: Scalar>(lambda: S, poisson: S, strain: Symmetric<S>) -> Symmetric<S> {
        let own = constant::<S>(2.0) * poisson * lambda;
        Symmetric {
            xx: own * strain.xx + lambda * strain.yy + lambda * strain.zz,
            yy: lambda * strain.xx + own * strain.yy + lambda * strain.zz,
            zz: lambda * strain.xx + lambda * strain.yy + own * strain.zz,
            xy: zero(),
            yz: zero(),
            zx: zero(),
        }
    }
}

impl<S: Scalar> Stiffness<S> {
    /// The derivative of a linear stress, found on the host: `f` at each unit strain.
    #[inline(always)]
    pub fn of(f: impl Fn(Symmetric<S>) -> Symmetric<S>) -> Self {
        let (zero, one) = (zero_tensor(), S::of(1.0));
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
            stiffness: kirchhoff_stiffness(self.lambda, self.mu),
            energy: linear_energy(strain, stress),
            memory: (),
        }
    }
}
