//! The bar: two nodes, stretch only.

use huygens_core::contract::Weights;
use huygens_kernel::{Mat3, Vec3};

use super::batch::{Element, ElementState, spread_mass};
use super::kind::{Built, Kind, LineLimits, LineShape, MadeOf, check_line, line_mass};
use crate::error::Result;
use crate::mesh::CellKind;
use crate::output::{Station, axes_along};
use crate::structure::{self, NodeKind, Structure};

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
    type Numbers = [f64; 6];

    fn evaluate(
        &self,
        at: &ElementState<'_>,
        _memory: &mut [f64],
        out: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let bar = self.with_structural(at.structural);
        let (x, v) = (pair(at.q), pair(at.v));
        let force = bar.force(x, v);
        out[..3].copy_from_slice(&force.to_array());
        out[3..].copy_from_slice(&(-force).to_array());
        let Some((weights, out)) = tangent else { return };
        let mut block = bar.stiffness(x) * weights.stiffness;
        let acts = !bar.rope || bar.pull(x, v) > 0.0;
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

    fn stored_energy(&self, q: &[f64], _memory: &[f64]) -> f64 {
        let [a, b] = pair(q);
        let longer = a.distance(b) - self.length;
        if self.rope && longer < 0.0 { 0.0 } else { 0.5 * self.stretch / self.length * longer * longer }
    }

    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64)) {
        spread_mass(&self.mass(), 3, f);
    }

    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let [a, b] = pair(q);
        let ratio = a.distance(b) / self.length;
        (ratio < 1e-6 && !self.rope).then_some(("has collapsed (ratio of lengths)", ratio))
    }

    fn station(&self, q: &[f64], t: f64) -> Option<Station> {
        let [a, b] = pair(q);
        let pull = self.pull([a, b], [Vec3::ZERO; 2]);
        let stretch = (a.distance(b) - self.length) / self.length;
        let (mut strain, mut force) = ([0.0; 6], [0.0; 6]);
        (strain[0], force[0]) = (stretch, pull);
        let energy = 0.5 * pull * stretch;
        Some(Station { point: a.lerp(b, t), axes: axes_along(b - a, Vec3::ZERO), strain, force, energy })
    }
}

/// Bars, or ropes that pull only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarKind {
    /// Whether they pull only.
    pub rope: bool,
}

/// Bars.
pub static BAR: BarKind = BarKind { rope: false };
/// Bars that pull only.
pub static ROPE: BarKind = BarKind { rope: true };

impl Kind for BarKind {
    fn name(&self) -> &'static str {
        if self.rope { "rope" } else { "bar" }
    }

    fn cell(&self) -> CellKind {
        CellKind::Line2
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &NodeKind::ALL
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Section
    }

    fn line(&self) -> Option<LineShape> {
        Some(LineShape::Straight)
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        check_line(of, element, name, LineLimits::default())
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let values = of.section_values(element.made_of)?;
        Ok(Built::new(Bar {
            length: of.rest_length(element),
            stretch: values.stretch[0],
            damping: 0.0,
            density: values.mass,
            rope: self.rope,
        }))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        line_mass(of, element)
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
