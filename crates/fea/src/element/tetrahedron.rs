//! The tetrahedron with four nodes in axes that turn with it.

use huygens_core::contract::Weights;
use huygens_kernel::corotated::{Corotated, Lame};
use huygens_kernel::{Mat3, Vec3};

use crate::element::batch::{Element, spread_mass};
use crate::node::spin::{Spin, trace};

/// Volume by the product of three edges below which an element is flat.
const FLAT: f64 = 1e-12;

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    /// Volume at rest [m³].
    pub volume: f64,
    /// Gradients of the shape functions at rest [1/m].
    pub gradients: [Vec3; 4],
    /// Elastic constants.
    pub lame: Lame,
    /// Density [kg/m³].
    pub density: f64,
}

impl Tetrahedron {
    /// The element with these corners at rest [m]; the volume [m³] where it is not above zero: the corners then lie in
    /// a plane, or in the wrong order.
    pub fn new(corners: &[Vec3; 4], lame: Lame, density: f64) -> Result<Self, f64> {
        let edges = edges(corners);
        let volume = edges.determinant() / 6.0;
        if !(volume > flat_volume(&edges) && volume.is_finite()) {
            return Err(volume);
        }
        let rows = edges.inverse().transpose();
        let [a, b, c] = [rows.x_axis, rows.y_axis, rows.z_axis];
        Ok(Self { volume, gradients: [-(a + b + c), a, b, c], lame, density })
    }

    /// The gradient of the deformation.
    pub fn deformation(&self, x: &[Vec3; 4]) -> Mat3 {
        let [_, a, b, c] = self.gradients;
        edges(x) * Mat3::from_cols(a, b, c).transpose()
    }

    /// The state at the corners `x` [m]; none where the element is turned inside out.
    pub fn state(&self, x: &[Vec3; 4]) -> Option<Corotated> {
        Corotated::new(&self.deformation(x))
    }

    /// Elastic energy [J] and the forces on the corners [N].
    pub fn force(&self, state: &Corotated) -> (f64, [Vec3; 4]) {
        let stress = state.piola(&self.lame) * -self.volume;
        (self.volume * state.energy(&self.lame), self.gradients.map(|g| stress * g))
    }

    /// Stiffness: minus the derivative of the force on corner i by the place of corner j, exact.
    pub fn stiffness(&self, state: &Corotated) -> [[Mat3; 4]; 4] {
        let tangent = state.tangent(&self.lame);
        self.gradients.map(|a| self.gradients.map(|b| tangent.block(a, b) * self.volume))
    }

    /// Constant mass [kg]: each number stands for a diagonal block.
    pub fn mass(&self) -> [[f64; 4]; 4] {
        let unit = self.density * self.volume / 20.0;
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 2.0 * unit } else { unit }))
    }
}

/// Whether the volume at these corners [m] is no more than what rounding gives a flat one.
pub fn is_flat(corners: &[Vec3; 4]) -> bool {
    let edges = edges(corners);
    let (volume, flat) = ((edges.determinant() / 6.0).abs(), flat_volume(&edges));
    volume <= flat || (volume - flat).is_nan()
}

/// Rounding gives a flat one some volume.
fn flat_volume(edges: &Mat3) -> f64 {
    FLAT * edges.x_axis.length() * edges.y_axis.length() * edges.z_axis.length()
}

fn edges(x: &[Vec3; 4]) -> Mat3 {
    Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0])
}

impl Element for Tetrahedron {
    const NODES: usize = 4;
    const POSITIONS: usize = 3;
    const COLUMNS: usize = 3;

    fn write_force(&self, q: &[f64], v: &[f64], structural: f64, out: &mut [f64]) {
        let Some(state) = self.state(&corners(q)) else { return out.fill(f64::NAN) };
        let (_, mut forces) = self.force(&state);
        if structural != 0.0 {
            // The stress of the rate of strain in the turned axes.
            let spin = Spin::new(&state);
            let (_, rate) = spin.changes(&self.rate(&corners(v)));
            let volume = Mat3::from_diagonal(Vec3::splat(self.lame.lambda * trace(&rate)));
            let stress = spin.on_gradient(&(rate * (2.0 * self.lame.mu) + volume));
            let stress = state.rotation * stress * (-self.volume * structural);
            forces.iter_mut().zip(self.gradients).for_each(|(force, g)| *force += stress * g);
        }
        for (out, force) in out.chunks_exact_mut(3).zip(forces) {
            out.copy_from_slice(&force.to_array());
        }
    }

    fn write_tangent(&self, q: &[f64], _v: &[f64], structural: f64, weights: &Weights, out: &mut [f64]) {
        let Some(state) = self.state(&corners(q)) else { return out.fill(f64::NAN) };
        let tangent = state.tangent(&self.lame);
        let damping = self.volume * structural * weights.damping;
        let spin = (damping != 0.0).then(|| Spin::new(&state));
        for i in 0..4 {
            for j in i..4 {
                let (a, b) = (self.gradients[i], self.gradients[j]);
                let mut block = tangent.block(a, b) * (self.volume * weights.stiffness);
                if let Some(spin) = &spin {
                    block += spin.block(&self.lame, a, b) * damping;
                }
                for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                    let value = block.col(c)[r];
                    out[(3 * i + r) * 12 + 3 * j + c] = value;
                    out[(3 * j + c) * 12 + 3 * i + r] = value;
                }
            }
        }
    }

    fn stored_energy(&self, q: &[f64]) -> f64 {
        self.state(&corners(q)).map_or(f64::NAN, |state| self.volume * state.energy(&self.lame))
    }

    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64)) {
        spread_mass(&self.mass(), 3, f);
    }

    fn fault(&self, q: &[f64]) -> Option<(&'static str, f64)> {
        let ratio = self.deformation(&corners(q)).determinant();
        (ratio.is_nan() || ratio <= 0.0).then_some(("is inverted (ratio of volumes)", ratio))
    }
}

impl Tetrahedron {
    /// The gradient of the velocities `v` of the corners by places at rest [1/s].
    fn rate(&self, v: &[Vec3; 4]) -> Mat3 {
        self.gradients.iter().zip(v).map(|(g, v)| outer(*v, *g)).sum()
    }
}

/// $a\,b^T$.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

pub(crate) fn corners(x: &[f64]) -> [Vec3; 4] {
    [0, 3, 6, 9].map(|k| Vec3::from_slice(&x[k..]))
}
