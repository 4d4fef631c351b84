//! The bar: two nodes, stretch only.

use huygens_core::contract::Weights;
use huygens_kernel::{Mat3, Vec3};

use crate::element::batch::{Element, spread_mass};

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

impl Element for Bar {
    const NODES: usize = 2;
    const POSITIONS: usize = 3;
    const COLUMNS: usize = 3;

    fn write_force(&self, q: &[f64], v: &[f64], structural: f64, out: &mut [f64]) {
        let force = self.with_structural(structural).force(pair(q), pair(v));
        out[..3].copy_from_slice(&force.to_array());
        out[3..].copy_from_slice(&(-force).to_array());
    }

    fn write_tangent(&self, q: &[f64], v: &[f64], structural: f64, weights: &Weights, out: &mut [f64]) {
        let bar = self.with_structural(structural);
        let x = pair(q);
        let mut block = bar.stiffness(x) * weights.stiffness;
        let acts = !bar.rope || bar.pull(x, pair(v)) > 0.0;
        if bar.damping > 0.0 && acts {
            let n = (x[1] - x[0]).normalize_or_zero();
            block += Mat3::from_cols(n * n.x, n * n.y, n * n.z) * (bar.damping * weights.damping);
        }
        for (i, row) in out.chunks_exact_mut(6).enumerate() {
            for (j, out) in row.iter_mut().enumerate() {
                let sign = if (i < 3) == (j < 3) { 1.0 } else { -1.0 };
                *out = sign * block.col(j % 3)[i % 3];
            }
        }
    }

    fn stored_energy(&self, q: &[f64]) -> f64 {
        let [a, b] = pair(q);
        let longer = a.distance(b) - self.length;
        if self.rope && longer < 0.0 { 0.0 } else { 0.5 * self.stretch / self.length * longer * longer }
    }

    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64)) {
        spread_mass(&self.mass(), 3, f);
    }

    fn fault(&self, q: &[f64]) -> Option<(&'static str, f64)> {
        let [a, b] = pair(q);
        let ratio = a.distance(b) / self.length;
        (ratio < 1e-6 && !self.rope).then_some(("has collapsed (ratio of lengths)", ratio))
    }
}

impl Bar {
    /// The bar with the damping of its material added.
    fn with_structural(self, time: f64) -> Self {
        Self { damping: self.damping + time * self.stretch / self.length, ..self }
    }
}

fn pair(x: &[f64]) -> [Vec3; 2] {
    [Vec3::from_slice(x), Vec3::from_slice(&x[3..])]
}
