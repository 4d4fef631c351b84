//! Products and invariants of matrices on the host.

use crate::{Mat3, Vec3};

/// $a\,b^T$.
#[inline]
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The sum of the diagonal.
#[inline]
pub fn trace(a: &Mat3) -> f64 {
    a.x_axis.x + a.y_axis.y + a.z_axis.z
}
