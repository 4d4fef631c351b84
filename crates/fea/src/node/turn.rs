//! Finite rotations of numbers that may carry derivatives: those of the kernel on arrays.

use huygens_kernel::V3;
use huygens_kernel::rotation::{
    self, inverse_tangent_product, tangent_product, tangent_rate_product, turn_after, turn_by, turn_vector,
    turned,
};

use crate::element::dual::Real;

/// A unit quaternion: x, y, z, w.
#[derive(Clone, Copy, Debug)]
pub struct Turn<T>(pub [T; 4]);

impl<T: Real> Turn<T> {
    fn of_kernel(rotation::Turn { vector: V3 { x, y, z }, scalar }: rotation::Turn<T>) -> Self {
        Self([x, y, z, scalar])
    }

    fn in_kernel(self) -> rotation::Turn<T> {
        let Self([x, y, z, scalar]) = self;
        rotation::Turn { vector: V3 { x, y, z }, scalar }
    }

    /// The rotation of a rotation vector [rad].
    pub fn exp(x: [T; 3]) -> Self {
        Self::of_kernel(turn_by(x.into()))
    }

    /// The rotation vector [rad], not longer than π.
    pub fn log(self) -> [T; 3] {
        turn_vector(&self.in_kernel()).to_array()
    }

    /// First the other, then this.
    pub fn after(self, other: Self) -> Self {
        Self::of_kernel(turn_after(&self.in_kernel(), &other.in_kernel()))
    }

    /// Back.
    pub fn inverse(self) -> Self {
        let Self([x, y, z, w]) = self;
        Self([-x, -y, -z, w])
    }

    /// A vector turned.
    pub fn apply(self, v: [T; 3]) -> [T; 3] {
        turned(&self.in_kernel(), v.into()).to_array()
    }
}

/// $T(x)\,v$: the turn in body axes that the change `v` of the rotation vector `x` causes; its transpose for
/// `transposed`.
pub fn tangent<T: Real>(x: [T; 3], v: [T; 3], transposed: bool) -> [T; 3] {
    tangent_product(x.into(), v.into(), transposed).to_array()
}

/// $T^{-1}(x)\,v$, or its transpose.
pub fn tangent_inverse<T: Real>(x: [T; 3], v: [T; 3], transposed: bool) -> [T; 3] {
    inverse_tangent_product(x.into(), v.into(), transposed).to_array()
}

/// $\dot T(x)\,v$ for a rotation vector that changes at the rate `rate`, or $\dot T^Tv$.
pub fn tangent_rate<T: Real>(x: [T; 3], rate: [T; 3], v: [T; 3], transposed: bool) -> [T; 3] {
    tangent_rate_product(x.into(), rate.into(), v.into(), transposed).to_array()
}
