//! What elements show: places along lines, strains, forces in sections, stress in solids.

use huygens_kernel::{Mat3, Quat, Vec3};

/// The state at a place along a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Place [m].
    pub point: Vec3,
    /// Axes of the section, x along the line. Those of a cable and a bar are about their axis as it comes.
    pub axes: Quat,
    /// Stretch, shear along y and z, twist and curvatures about y and z [1/m].
    pub strain: [f64; 6],
    /// Pull, shear forces along y and z [N], torque and bending moments about y and z [N·m]: what the part towards the
    /// end does to the part towards the start, section axes.
    pub force: [f64; 6],
    /// Elastic energy per length at rest [J/m].
    pub energy: f64,
}

/// Axes with x along a line and y towards `side`.
pub(crate) fn axes_along(line: Vec3, side: Vec3) -> Quat {
    let x = line.normalize_or(Vec3::X);
    let y = (side - x * side.dot(x)).normalize_or(x.any_orthonormal_vector());
    Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
}

/// The state of a solid element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidState {
    /// Strain, world axes.
    pub strain: Mat3,
    /// Stress [Pa], world axes.
    pub stress: Mat3,
    /// Stress of von Mises [Pa].
    pub von_mises: f64,
    /// Elastic energy [J].
    pub energy: f64,
}

/// Stress of von Mises [Pa].
pub fn von_mises(s: &Mat3) -> f64 {
    let (x, y, z) = (s.x_axis.x, s.y_axis.y, s.z_axis.z);
    let shear = s.y_axis.z.powi(2) + s.x_axis.z.powi(2) + s.x_axis.y.powi(2);
    (0.5 * ((x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2)) + 3.0 * shear).sqrt()
}
