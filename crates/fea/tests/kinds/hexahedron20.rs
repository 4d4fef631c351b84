//! A hexahedron with 20 nodes and plastic memory: all that a new kind of element needs, in one file.
//!
//! Total Lagrangian with 27 points. The point law is that of von Mises with linear isotropic hardening (simo1998): the
//! trial stress $s = 2\mu\,\mathrm{dev}(E - E^p)$ outside of the yield surface $|s| \le \sqrt{2/3}\,(\sigma_y + H\alpha)$
//! is returned along its own direction.

use std::sync::Arc;

use huygens_core::contract::Weights;
use huygens_fea::element::batch::{Element, ElementState};
use huygens_fea::element::kind::{Built, Kind, MadeOf};
use huygens_fea::element::quadrature::Gauss;
use huygens_fea::mesh::CellKind;
use huygens_fea::output::{SolidState, von_mises};
use huygens_fea::structure::{self, NodeKind, Structure};
use huygens_fea::{FeaError, Result};
use huygens_kernel::point::{
    PointAnswer, PointLaw, Stiffness, Symmetric, deviator, isotropic, stress_change, tensor_dot,
    tensor_scaled, tensor_sum, trace,
};
use huygens_kernel::{Mat3, Scalar, Vec3};

/// Plasticity of von Mises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plastic<S> {
    /// Bulk modulus [Pa].
    pub bulk: S,
    /// Shear modulus [Pa].
    pub shear: S,
    /// Stress at first yield [Pa].
    pub yields: S,
    /// Slope of the stress over the plastic strain [Pa].
    pub hardening: S,
}

/// What a point remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlasticMemory<S> {
    /// Plastic strain.
    pub strain: Symmetric<S>,
    /// Plastic strain that was run through, counted as along one axis.
    pub path: S,
}

impl<S: Scalar + Send + Sync> PointLaw<S> for Plastic<S> {
    type Memory = PlasticMemory<S>;

    fn answer(&self, strain: Symmetric<S>, old: PlasticMemory<S>) -> PointAnswer<S, PlasticMemory<S>> {
        let (zero, one, two, third) = (S::zero(), S::of(1.0), S::of(2.0), S::of((2.0_f64 / 3.0).sqrt()));
        let elastic = tensor_sum(strain, zero - one, old.strain);
        let trial = tensor_scaled(two * self.shear, deviator(elastic));
        let size = tensor_dot(trial, trial).sqrt();
        let limit = third * (self.yields + self.hardening * old.path);
        let flows = |yes: S, no: S| size.where_greater(limit, yes, no);
        // A size of zero is below every limit: no division by it counts.
        let safe = flows(size, one);
        let normal = tensor_scaled(one / safe, trial);
        let stiff = two * self.shear + S::of(2.0 / 3.0) * self.hardening;
        let flow = flows((size - limit) / stiff, zero);
        let memory =
            PlasticMemory { strain: tensor_sum(old.strain, flow, normal), path: old.path + third * flow };
        let pressure = self.bulk * trace(strain);
        let shear = tensor_sum(trial, zero - two * self.shear * flow, normal);
        let stress = tensor_sum(shear, one, isotropic(pressure));
        let lost = flows(two * self.shear * flow / safe, zero);
        let along = flows(two * self.shear / stiff, zero) - lost;
        let stiffness = Stiffness::of(|change: Symmetric<S>| {
            let own = tensor_scaled(two * self.shear * (one - lost), deviator(change));
            let turned =
                tensor_sum(own, zero - two * self.shear * along * tensor_dot(normal, change), normal);
            tensor_sum(turned, one, isotropic(self.bulk * trace(change)))
        });
        let elastic = deviator(tensor_sum(strain, zero - one, memory.strain));
        let volume = S::of(0.5) * pressure * trace(strain);
        PointAnswer { stress, stiffness, energy: volume + self.shear * tensor_dot(elastic, elastic), memory }
    }
}

const MEMORY: usize = 7;

fn read(memory: &[f64]) -> PlasticMemory<f64> {
    let [xx, yy, zz, xy, yz, zx, path] = std::array::from_fn(|k| memory[k]);
    PlasticMemory { strain: Symmetric { xx, yy, zz, xy, yz, zx }, path }
}

fn write(memory: &PlasticMemory<f64>, out: &mut [f64]) {
    let Symmetric { xx, yy, zz, xy, yz, zx } = memory.strain;
    out.copy_from_slice(&[xx, yy, zz, xy, yz, zx, memory.path]);
}

fn matrix(s: &Symmetric<f64>) -> Mat3 {
    Mat3::from_cols(Vec3::new(s.xx, s.xy, s.zx), Vec3::new(s.xy, s.yy, s.yz), Vec3::new(s.zx, s.yz, s.zz))
}

fn tensor(m: &Mat3) -> Symmetric<f64> {
    let half = |i: usize, j: usize| 0.5 * (m.col(i)[j] + m.col(j)[i]);
    Symmetric {
        xx: half(0, 0),
        yy: half(1, 1),
        zz: half(2, 2),
        xy: half(0, 1),
        yz: half(1, 2),
        zx: half(2, 0),
    }
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// A point of the integral: the volume it stands for, shape functions and their gradients at rest.
#[derive(Debug)]
struct Point {
    volume: f64,
    shape: Vec<f64>,
    gradients: Vec<Vec3>,
}

/// One element.
#[derive(Clone, Debug)]
pub struct Hexahedron20 {
    points: Arc<Vec<Point>>,
    law: Plastic<f64>,
    density: f64,
}

impl Hexahedron20 {
    /// The element with these nodes at rest [m]; the least ratio of volumes where it is not above zero.
    pub fn new(nodes: &[Vec3], law: Plastic<f64>, density: f64) -> std::result::Result<Self, f64> {
        let line = Gauss::Three.points();
        let mut points = Vec::new();
        for &(x, a) in line {
            for &(y, b) in line {
                for &(z, c) in line {
                    let shape = CellKind::Hexahedron20.shape([x, y, z].map(|t| 2.0 * t - 1.0));
                    let jacobian: Mat3 =
                        shape.iter().zip(nodes).map(|((_, by), n)| outer(*n, Vec3::from(*by))).sum();
                    let ratio = jacobian.determinant();
                    if !(ratio > 0.0 && ratio.is_finite()) {
                        return Err(ratio);
                    }
                    let back = jacobian.inverse().transpose();
                    points.push(Point {
                        volume: 8.0 * a * b * c * ratio,
                        gradients: shape.iter().map(|(_, by)| back * Vec3::from(*by)).collect(),
                        shape: shape.into_iter().map(|(value, _)| value).collect(),
                    });
                }
            }
        }
        Ok(Self { points: Arc::new(points), law, density })
    }

    fn gradient(point: &Point, q: &[f64]) -> Mat3 {
        point.gradients.iter().zip(q.chunks_exact(3)).map(|(g, x)| outer(Vec3::from_slice(x), *g)).sum()
    }

    fn strain(f: &Mat3) -> Symmetric<f64> {
        tensor(&((f.transpose() * *f - Mat3::IDENTITY) * 0.5))
    }
}

impl Element for Hexahedron20 {
    const NODES: usize = 20;
    const POSITIONS: usize = 3;
    const COLUMNS: usize = 3;
    const MEMORY: usize = 27 * MEMORY;
    type Numbers = [f64; 27 * MEMORY];

    fn evaluate(
        &self,
        at: &ElementState<'_>,
        memory: &mut [f64],
        force: &mut [f64],
        mut tangent: Option<(&Weights, &mut [f64])>,
    ) {
        force.fill(0.0);
        if let Some((_, out)) = &mut tangent {
            out.fill(0.0);
        }
        let remembered = at.memory.chunks_exact(MEMORY).zip(memory.chunks_exact_mut(MEMORY));
        for (point, (old, new)) in self.points.iter().zip(remembered) {
            let f = Self::gradient(point, at.q);
            let answer = self.law.answer(Self::strain(&f), read(old));
            write(&answer.memory, new);
            let stress = matrix(&answer.stress);
            let first = f * stress * -point.volume;
            for (out, g) in force.chunks_exact_mut(3).zip(&point.gradients) {
                (0..3).for_each(|k| out[k] += (first * *g)[k]);
            }
            let Some((weights, out)) = &mut tangent else { continue };
            let weight = weights.stiffness * point.volume;
            for (j, g) in point.gradients.iter().enumerate() {
                for (r, axis) in Vec3::AXES.into_iter().enumerate() {
                    let moved = outer(axis, *g);
                    let change = stress_change(&answer.stiffness, tensor(&(f.transpose() * moved)));
                    let first = (moved * stress + f * matrix(&change)) * weight;
                    for (i, g) in point.gradients.iter().enumerate() {
                        (0..3).for_each(|k| out[(3 * i + k) * 60 + 3 * j + r] += (first * *g)[k]);
                    }
                }
            }
        }
    }

    fn stored_energy(&self, q: &[f64], memory: &[f64]) -> f64 {
        let one = |(point, memory): (&Point, &[f64])| {
            point.volume * self.law.answer(Self::strain(&Self::gradient(point, q)), read(memory)).energy
        };
        self.points.iter().zip(memory.chunks_exact(MEMORY)).map(one).sum()
    }

    fn for_each_mass(&self, mut f: impl FnMut(usize, usize, f64)) {
        for point in self.points.iter() {
            for (i, a) in point.shape.iter().enumerate() {
                for (j, b) in point.shape.iter().enumerate() {
                    let mass = self.density * point.volume * a * b;
                    (0..3).for_each(|k| f(3 * i + k, 3 * j + k, mass));
                }
            }
        }
    }

    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let ratios = self.points.iter().map(|point| Self::gradient(point, q).determinant());
        let least = ratios.fold(f64::INFINITY, f64::min);
        (least.is_nan() || least <= 0.0).then_some(("is inverted (ratio of volumes)", least))
    }

    fn solid_state(&self, q: &[f64], memory: &[f64]) -> Option<SolidState> {
        let volume: f64 = self.points.iter().map(|point| point.volume).sum();
        let (mut strain, mut stress) = (Mat3::ZERO, Mat3::ZERO);
        for (point, memory) in self.points.iter().zip(memory.chunks_exact(MEMORY)) {
            let f = Self::gradient(point, q);
            let share = point.volume / volume;
            let green = Self::strain(&f);
            let answer = self.law.answer(green, read(memory));
            strain += matrix(&green) * share;
            stress += f * matrix(&answer.stress) * f.transpose() * (share / f.determinant());
        }
        let energy = self.stored_energy(q, memory);
        Some(SolidState { strain, stress, von_mises: von_mises(&stress), energy })
    }
}

/// Plastic hexahedra of a material.
#[derive(Clone, Copy, Debug)]
pub struct Hexahedron20Kind {
    /// The material.
    pub law: Plastic<f64>,
    /// Density [kg/m³].
    pub density: f64,
}

impl Hexahedron20Kind {
    fn made(&self, of: &Structure, element: &structure::Element) -> std::result::Result<Hexahedron20, f64> {
        let nodes: Vec<_> = element.nodes().iter().map(|&n| of.nodes[n as usize].position).collect();
        Hexahedron20::new(&nodes, self.law, self.density)
    }
}

impl Kind for Hexahedron20Kind {
    fn name(&self) -> &'static str {
        "hexahedron20"
    }

    fn cell(&self) -> CellKind {
        CellKind::Hexahedron20
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Point]
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Kind
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        self.made(of, element).map(|_| ()).map_err(|volume| FeaError::Inverted {
            element: name.into(),
            nodes: element.nodes().iter().map(|&n| of.node_name(n)).collect(),
            volume,
        })
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        self.check(of, element, &of.element_name(index))?;
        self.made(of, element).map(Built::new).map_err(|volume| FeaError::Inverted {
            element: of.element_name(index),
            nodes: Vec::new(),
            volume,
        })
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        let volume = |made: Hexahedron20| made.points.iter().map(|point| point.volume).sum::<f64>();
        self.made(of, element).map_or(0.0, |made| self.density * volume(made))
    }
}
