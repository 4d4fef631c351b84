//! The tetrahedron with four nodes in axes that turn with it.

use huygens_core::contract::Weights;
use huygens_kernel::corotated::{Corotated, Lame};
use huygens_kernel::matrix::{outer, trace};
use huygens_kernel::{Mat3, Vec3};

use super::batch::{Element, ElementState, spread_mass};
use super::kind::{Built, Kind, MadeOf};
use crate::error::{FeaError, Result};
use crate::mesh::CellKind;
use crate::node::spin::Spin;
use crate::output::{SolidState, von_mises};
use crate::structure::{self, NodeKind, Structure};

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
    pub fn new(corners: &[Vec3; 4], lame: Lame, density: f64) -> std::result::Result<Self, f64> {
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
    type Numbers = [f64; 12];

    fn evaluate(
        &self,
        at: &ElementState<'_>,
        _memory: &mut [f64],
        out: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let structural = at.structural;
        let Some(state) = self.state(&corners(at.q)) else {
            out.fill(f64::NAN);
            return tangent.into_iter().for_each(|(_, out)| out.fill(f64::NAN));
        };
        let (_, mut forces) = self.force(&state);
        if structural != 0.0 {
            // The stress of the rate of strain in the turned axes.
            let spin = Spin::new(&state);
            let (_, rate) = spin.changes(&self.rate(&corners(at.v)));
            let volume = Mat3::from_diagonal(Vec3::splat(self.lame.lambda * trace(&rate)));
            let stress = spin.on_gradient(&(rate * (2.0 * self.lame.mu) + volume));
            let stress = state.rotation * stress * (-self.volume * structural);
            forces.iter_mut().zip(self.gradients).for_each(|(force, g)| *force += stress * g);
        }
        for (out, force) in out.chunks_exact_mut(3).zip(forces) {
            out.copy_from_slice(&force.to_array());
        }
        let Some((weights, out)) = tangent else { return };
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

    fn stored_energy(&self, q: &[f64], _memory: &[f64]) -> f64 {
        self.state(&corners(q)).map_or(f64::NAN, |state| self.volume * state.energy(&self.lame))
    }

    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64)) {
        spread_mass(&self.mass(), 3, f);
    }

    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let ratio = self.deformation(&corners(q)).determinant();
        (ratio.is_nan() || ratio <= 0.0).then_some(("is inverted (ratio of volumes)", ratio))
    }

    fn solid_state(&self, q: &[f64], _memory: &[f64]) -> Option<SolidState> {
        let state = self.state(&corners(q))?;
        let turned = |m: Mat3| state.rotation * m * state.rotation.transpose();
        let stress = state.stress(&self.lame);
        Some(SolidState {
            strain: turned(state.strain()),
            stress: turned(stress),
            von_mises: von_mises(&stress),
            energy: self.volume * state.energy(&self.lame),
        })
    }
}

/// Corotational tetrahedra. Their last node lies where the normal of the first three, by the right hand, points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TetrahedronKind;

/// Corotational tetrahedra.
pub static TETRAHEDRON: TetrahedronKind = TetrahedronKind;

fn rest_corners(of: &Structure, element: &structure::Element) -> [Vec3; 4] {
    std::array::from_fn(|k| of.nodes[element.nodes()[k] as usize].position)
}

impl Kind for TetrahedronKind {
    fn name(&self) -> &'static str {
        "tetrahedron"
    }

    fn cell(&self) -> CellKind {
        CellKind::Tetrahedron4
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Point]
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Solid
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        let corners = rest_corners(of, element);
        let volume = crate::mesh::tetrahedron_volume(&corners);
        if volume < 0.0 || is_flat(&corners) {
            let nodes = element.nodes().iter().map(|&n| of.node_name(n)).collect();
            // A flat one may have a volume below zero by rounding.
            let volume = if is_flat(&corners) { volume.max(0.0) } else { volume };
            return Err(FeaError::Inverted { element: name.into(), nodes, volume });
        }
        Ok(())
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let solid = of.solids[element.made_of as usize];
        let built = Tetrahedron::new(&rest_corners(of, element), solid.lame(), solid.density);
        Ok(Built::new(built.map_err(|volume| FeaError::Inverted {
            element: of.element_name(index),
            nodes: element.nodes().iter().map(|&n| of.node_name(n)).collect(),
            volume,
        })?))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        let [a, b, c, d] = rest_corners(of, element);
        let volume = (b - a).cross(c - a).dot(d - a).abs() / 6.0;
        volume * of.solids[element.made_of as usize].density
    }
}

impl Tetrahedron {
    /// The gradient of the velocities `v` of the corners by places at rest [1/s].
    fn rate(&self, v: &[Vec3; 4]) -> Mat3 {
        self.gradients.iter().zip(v).map(|(g, v)| outer(*v, *g)).sum()
    }
}

pub(crate) fn corners(x: &[f64]) -> [Vec3; 4] {
    [0, 3, 6, 9].map(|k| Vec3::from_slice(&x[k..]))
}
