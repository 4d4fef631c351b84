//! The bar: two nodes, stretch only.

use huygens_kernel::{Mat3, Vec3};

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Length at rest [m].
    pub length: f64,
    /// Stiffness EA [N].
    pub stretch: f64,
    /// Resistance to the rate of the length [N·s/m].
    pub damping: f64,
    /// Mass per length [kg/m].
    pub density: f64,
    /// Whether it pulls only.
    pub rope: bool,
}

impl Bar {
    /// Pull [N] at these places [m] and velocities [m/s] of the ends.
    pub fn pull(&self, x: [Vec3; 2], v: [Vec3; 2]) -> f64 {
        let d = x[1] - x[0];
        let length = d.length();
        let rate = if length > 0.0 { d.dot(v[1] - v[0]) / length } else { 0.0 };
        let pull = self.stretch * (length - self.length) / self.length + self.damping * rate;
        if self.rope && (pull < 0.0 || length < self.length) { 0.0 } else { pull }
    }

    /// Force [N] on the first node; the second has the opposite.
    pub fn force(&self, x: [Vec3; 2], v: [Vec3; 2]) -> Vec3 {
        (x[1] - x[0]).normalize_or_zero() * self.pull(x, v)
    }

    /// Stiffness of the pull along the bar and of its direction, without the damping's part: block (1, 1), which is
    /// also block (2, 2) and minus the others.
    pub fn stiffness(&self, x: [Vec3; 2]) -> Mat3 {
        let d = x[1] - x[0];
        let length = d.length();
        let pull = self.pull(x, [Vec3::ZERO; 2]);
        if length == 0.0 || self.rope && length < self.length {
            return Mat3::ZERO;
        }
        let n = d / length;
        let along = Mat3::from_cols(n * n.x, n * n.y, n * n.z);
        along * (self.stretch / self.length) + (Mat3::IDENTITY - along) * (pull / length)
    }

    /// Constant mass [kg]: each number stands for a diagonal block.
    pub fn mass(&self) -> [[f64; 2]; 2] {
        let unit = self.density * self.length / 6.0;
        [[2.0 * unit, unit], [unit, 2.0 * unit]]
    }
}
