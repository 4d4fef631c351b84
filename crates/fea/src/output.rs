//! What elements show: places along lines, strains, forces in sections, stress in solids.

use huygens_kernel::cable::{StrainMeasure, hermite};
use huygens_kernel::rotation::{exp, log};
use huygens_kernel::{Mat3, Quat, Vec3};

use crate::element::bar::Bar;
use crate::element::batch::{Element, Elements};
use crate::element::beam_ancf::{self, BeamAncf};
use crate::element::beam_corotational::BeamCorotational;
use crate::element::cable::{self, Cable};
use crate::element::frame::{FrameElement, Mount, RodNode, plain, read_nodes};
use crate::element::quadrature::Gauss;
use crate::element::rod::Rod;
use crate::element::rod_quadratic::{RodQuadratic, quadratic};
use crate::element::tetrahedron::{self, Tetrahedron};
use crate::section::SectionMatrix;

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

/// Elements that are lines.
pub trait LineElement: Element {
    /// The state at `t` from 0 at the first node to 1 at the last; `q` as for [`Element`].
    fn station(&self, q: &[f64], t: f64) -> Station;
    /// Length at rest [m].
    fn rest_length(&self) -> f64;
}

impl<E: LineElement> Elements<E> {
    /// The state at `t` along an element, from the positions of the model.
    pub fn station(&self, item: usize, q: &[f64], t: f64) -> Station {
        self.element(item).station(&self.positions(item, q), t)
    }
}

/// Axes with x along a line and y towards `side`.
fn axes_along(line: Vec3, side: Vec3) -> Quat {
    let x = line.normalize_or(Vec3::X);
    let y = (side - x * side.dot(x)).normalize_or(x.any_orthonormal_vector());
    Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
}

impl LineElement for Bar {
    fn station(&self, q: &[f64], t: f64) -> Station {
        let [a, b] = [Vec3::from_slice(q), Vec3::from_slice(&q[3..])];
        let pull = self.pull([a, b], [Vec3::ZERO; 2]);
        let stretch = (a.distance(b) - self.length) / self.length;
        let (mut strain, mut force) = ([0.0; 6], [0.0; 6]);
        (strain[0], force[0]) = (stretch, pull);
        let energy = 0.5 * pull * stretch;
        Station { point: a.lerp(b, t), axes: axes_along(b - a, Vec3::ZERO), strain, force, energy }
    }

    fn rest_length(&self) -> f64 {
        self.length
    }
}

impl LineElement for Cable {
    fn station(&self, q: &[f64], t: f64) -> Station {
        let e = cable::coordinates(q).map(Vec3::from);
        let [s, first, second] = hermite(t, self.length);
        let mix = |w: &[f64; 4]| e[0] * w[0] + e[1] * w[1] + e[2] * w[2] + e[3] * w[3];
        let (u, w) = (mix(&first), mix(&second));
        let (l2, l3) = (self.length.powi(2), self.length.powi(3));
        let third = mix(&[12.0 / l3, 6.0 / l2, -12.0 / l3, 6.0 / l2]);
        let axes = axes_along(u, w);
        let length = u.length();
        let (stretch, pull, power) = match self.measure {
            StrainMeasure::Material => (length - 1.0, self.stretch * (length - 1.0), 2),
            StrainMeasure::Green => {
                let strain = 0.5 * (length * length - 1.0);
                (strain, self.stretch * strain * length, 3)
            }
        };
        let bend = u.cross(w).length() / length.powi(power);
        let shear = axes.inverse() * third * -self.bending;
        let energy = 0.5 * (self.stretch * stretch * stretch + self.bending * bend * bend);
        Station {
            point: mix(&s),
            axes,
            strain: [stretch, 0.0, 0.0, 0.0, 0.0, bend],
            force: [pull, shear.y, shear.z, 0.0, 0.0, self.bending * bend],
            energy,
        }
    }

    fn rest_length(&self) -> f64 {
        self.length
    }
}

/// Forces in the first and the last section of an element, from what it does to them.
fn end_forces<const S: usize>(element: &impl FrameElement<2, S>, nodes: &[RodNode; 2]) -> [[f64; 6]; 2] {
    let ends = plain(element.mounts(), nodes);
    let state = element.state(&ends);
    let loads = element.loads(&ends, &state, &element.stresses(&element.strains(&state)));
    [(0, 1.0), (1, -1.0)].map(|(k, sign)| {
        let (force, torque) = (ends.axes[k].inverse().apply(loads.forces[k]), loads.torques[k]);
        std::array::from_fn(|i| sign * if i < 3 { force[i] } else { torque[i - 3] })
    })
}

fn section_axes(node: &RodNode, mount: &Mount) -> Quat {
    Quat::from_array(node.turn) * Quat::from_array(mount.turn)
}

fn center(node: &RodNode, mount: &Mount) -> Vec3 {
    Vec3::from(node.place) + Quat::from_array(node.turn) * Vec3::from(mount.arm)
}

fn between(a: Quat, b: Quat, t: f64) -> Quat {
    a * exp(log(a.inverse() * b) * t)
}

/// Strains that go with forces in a section.
fn strain_of(stiffness: &[f64; 6], coupling: &Option<SectionMatrix>, force: &[f64; 6]) -> [f64; 6] {
    let Some(coupling) = coupling else {
        return std::array::from_fn(|k| if stiffness[k] > 0.0 { force[k] / stiffness[k] } else { 0.0 });
    };
    let (mut a, mut b) = (*coupling, *force);
    (0..6).for_each(|k| a[k][k] += stiffness[k]);
    for k in 0..6 {
        for i in k + 1..6 {
            let factor = a[i][k] / a[k][k];
            (k..6).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..6).rev() {
        b[k] = (b[k] - (k + 1..6).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

fn mixed(a: &[f64; 6], b: &[f64; 6], t: f64) -> [f64; 6] {
    std::array::from_fn(|k| a[k] + t * (b[k] - a[k]))
}

fn work(strain: &[f64; 6], force: &[f64; 6]) -> f64 {
    0.5 * strain.iter().zip(force).map(|(e, f)| e * f).sum::<f64>()
}

impl LineElement for Rod {
    fn station(&self, q: &[f64], t: f64) -> Station {
        let nodes = read_nodes::<2>(q);
        let [first, last] = end_forces(self, &nodes);
        let force = mixed(&first, &last, t);
        let strain = strain_of(&self.stiffness, &self.coupling, &force);
        let axes = [0, 1].map(|k| section_axes(&nodes[k], &self.mounts[k]));
        Station {
            point: center(&nodes[0], &self.mounts[0]).lerp(center(&nodes[1], &self.mounts[1]), t),
            axes: between(axes[0], axes[1], t),
            strain,
            force,
            energy: work(&strain, &force),
        }
    }

    fn rest_length(&self) -> f64 {
        self.length
    }
}

impl LineElement for BeamCorotational {
    fn station(&self, q: &[f64], t: f64) -> Station {
        let nodes = read_nodes::<2>(q);
        let [first, last] = end_forces(self, &nodes);
        let force = mixed(&first, &last, t);
        let [a, b] = self.bending;
        let bending: [f64; 3] = std::array::from_fn(|k| a[k] + t * (b[k] - a[k]));
        // Sections stay square to the line: no shear.
        let mut stiffness = [self.stretch, 0.0, 0.0, 0.0, 0.0, 0.0];
        stiffness[3..].copy_from_slice(&bending);
        let strain = strain_of(&stiffness, &None, &force);
        let [start, end] = [0, 1].map(|k| center(&nodes[k], &self.mounts[k]));
        let axes = [0, 1].map(|k| section_axes(&nodes[k], &self.mounts[k]));
        // The cubic through both places with the slopes of both sections.
        let [s, ..] = hermite(t, start.distance(end));
        let point = start * s[0] + axes[0] * Vec3::X * s[1] + end * s[2] + axes[1] * Vec3::X * s[3];
        Station { point, axes: between(axes[0], axes[1], t), strain, force, energy: work(&strain, &force) }
    }

    fn rest_length(&self) -> f64 {
        self.length
    }
}

impl LineElement for RodQuadratic {
    fn station(&self, q: &[f64], t: f64) -> Station {
        let nodes = read_nodes::<3>(q);
        let strains = self.strains_at(&nodes);
        let [first, last] = [0, 1].map(|p| std::array::from_fn(|k| strains[6 * p + k]));
        // From the two points of Gauss to all of the line.
        let [a, b] = [Gauss::Two.points()[0].0, Gauss::Two.points()[1].0];
        let strain = mixed(&first, &last, (t - a) / (b - a));
        let force = crate::element::frame::section_stress(&self.stiffness, &self.coupling, 1.0, &strain);
        let [s, _] = quadratic(t);
        let point = (0..3).map(|k| center(&nodes[k], &self.mounts[k]) * s[k]).sum();
        let axes: [Quat; 3] = std::array::from_fn(|k| section_axes(&nodes[k], &self.mounts[k]));
        let psi = [0, 2].map(|k| log(axes[1].inverse() * axes[k]));
        Station {
            point,
            axes: axes[1] * exp(psi[0] * s[0] + psi[1] * s[2]),
            strain,
            force,
            energy: work(&strain, &force),
        }
    }

    fn rest_length(&self) -> f64 {
        self.length()
    }
}

impl LineElement for BeamAncf {
    fn station(&self, q: &[f64], t: f64) -> Station {
        let e = beam_ancf::vectors(q);
        let [_, height, width] = self.size;
        let area = height * width;
        let (point, gradient) = self.place(&e, t);
        let axis = self.stress(&e, t, 0.0, 0.0);
        let mut force = [0.0; 6];
        let mut energy = 0.5 * area * axis.coupled_work;
        // The part on the axis pulls only: it is the same over the section.
        force[0] += area * axis.coupled[0];
        let (mut over_y, mut over_z) = ([0.0; 6], [0.0; 6]);
        for &(a, wa) in Gauss::Two.points() {
            for &(b, wb) in Gauss::Two.points() {
                let (y, z) = ((a - 0.5) * height, (b - 0.5) * width);
                let (weight, at) = (wa * wb * area, self.stress(&e, t, y, z));
                let [xx, _, _, _, xz, xy] = at.plain;
                let parts = [xx, xy, xz, y * xz - z * xy, z * xx, -y * xx];
                (0..6).for_each(|k| force[k] += weight * parts[k]);
                energy += 0.5 * weight * at.plain_work;
                // Slopes of strains across the section: Σ y ε / Σ y².
                let (yy, zz) = (height * height / 12.0, width * width / 12.0);
                (0..6).for_each(|k| over_y[k] += wa * wb * y * at.strain[k] / yy);
                (0..6).for_each(|k| over_z[k] += wa * wb * z * at.strain[k] / zz);
            }
        }
        let s = axis.strain;
        let twist = 0.5 * (over_y[4] - over_z[5]);
        Station {
            point,
            axes: axes_along(gradient[0], gradient[1]),
            strain: [s[0], s[5], s[4], twist, over_z[0], -over_y[0]],
            force,
            energy,
        }
    }

    fn rest_length(&self) -> f64 {
        self.size[0]
    }
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

impl Tetrahedron {
    /// The state of the element at the positions of its corners; none where it is inverted.
    pub fn solid_state(&self, q: &[f64]) -> Option<SolidState> {
        let state = self.state(&tetrahedron::corners(q))?;
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

impl Elements<Tetrahedron> {
    /// The state of an element, from the positions of the model.
    pub fn solid_state(&self, item: usize, q: &[f64]) -> Option<SolidState> {
        self.element(item).solid_state(&self.positions(item, q))
    }
}

/// Stress of von Mises [Pa].
pub fn von_mises(s: &Mat3) -> f64 {
    let (x, y, z) = (s.x_axis.x, s.y_axis.y, s.z_axis.z);
    let shear = s.y_axis.z.powi(2) + s.x_axis.z.powi(2) + s.x_axis.y.powi(2);
    (0.5 * ((x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2)) + 3.0 * shear).sqrt()
}
