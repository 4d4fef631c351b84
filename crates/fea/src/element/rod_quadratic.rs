//! The geometrically exact rod with three nodes: places and turns of second order (simo1985).
//!
//! Turns are shared out about the node in the middle: $\psi_i = \log(A_2^T A_i)$, $\psi = \sum I_i\psi_i$, $A = A_2
//! \exp(\psi)$, so that strains do not change when the rod turns as a whole (crisfield1999). Strains are $\Gamma = A^T
//! x'$ and $K = T(\psi)\,\psi'$, less their values at rest, at two points of Gauss.

use huygens_kernel::rotation::{exp, log};
use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add, sum};
use huygens_kernel::{Mat3, Quat, three};

use super::kind::{Built, Kind, LineLimits, LineShape, MadeOf, check_line, line_mass};
use crate::element::dual::Real;
use crate::element::frame::{
    Ends, FrameElement, Mount, RodNode, SectionLoads, added, center, frame_element, mixed, mounts, plain,
    read_nodes, rest_nodes, section_axes, section_stress, turn_fault, work,
};
use crate::element::quadrature::Gauss;
use crate::error::Result;
use crate::mesh::CellKind;
use crate::node::turn::{Turn, tangent, tangent_inverse, tangent_rate};
use crate::output::Station;
use crate::section::{SectionMatrix, SectionValues};
use crate::structure::{self, NodeKind, Structure};

/// One element; its nodes are the start, the middle and the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodQuadratic {
    /// Stiffness of stretch and shear [N], then of twist and bending [N·m²].
    pub stiffness: [f64; 6],
    /// The rest of the stiffness, where it is not diagonal.
    pub coupling: Option<SectionMatrix>,
    /// How the sections are fixed to the nodes.
    pub mounts: [Mount; 3],
    /// The points at which strains are taken.
    pub points: [RodPoint; 2],
    /// Mass per length [kg/m].
    pub density: f64,
    /// Inertia of rotation per length [kg·m], section axes.
    pub inertia: Mat3,
}

/// A point along the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodPoint {
    /// Length it stands for [m].
    pub weight: f64,
    /// Shares of the nodes.
    pub shares: [f64; 3],
    /// Derivatives of the shares by the length [1/m].
    pub slopes: [f64; 3],
    /// Strains and curvatures at rest.
    pub rest: [f64; 6],
}

/// Shares of the nodes at `t` from 0 to 1, and their derivatives by t.
pub fn quadratic(t: f64) -> [[f64; 3]; 2] {
    [
        [(1.0 - t) * (1.0 - 2.0 * t), 4.0 * t * (1.0 - t), t * (2.0 * t - 1.0)],
        [4.0 * t - 3.0, 4.0 - 8.0 * t, 4.0 * t - 1.0],
    ]
}

impl RodQuadratic {
    /// The element that is at rest with its nodes as they are; the x axes of the sections go along the rod.
    pub fn new(nodes: &[RodNode; 3], mounts: [Mount; 3], section: &SectionValues) -> Self {
        let ends = plain(&mounts, nodes);
        let points = [0, 1].map(|k| {
            let (t, weight) = Gauss::Two.points()[k];
            let [shares, by_t] = quadratic(t);
            let along = combined(&by_t, &ends.places);
            let stretch = dot(along, along).sqrt();
            let slopes = by_t.map(|s| s / stretch);
            RodPoint { weight: weight * stretch, shares, slopes, rest: [0.0; 6] }
        });
        let mut rod = Self {
            stiffness: section.stiffness(),
            coupling: section.coupling,
            mounts,
            points,
            density: section.mass,
            inertia: section.inertia,
        };
        let strains = rod.strains(&rod.state(&ends));
        for (k, point) in rod.points.iter_mut().enumerate() {
            point.rest = std::array::from_fn(|i| strains[6 * k + i]);
        }
        rod
    }

    /// Length at rest [m].
    pub fn length(&self) -> f64 {
        self.points[0].weight + self.points[1].weight
    }

    /// Inertia of rotation that the element gives to its nodes [kg·m²], node axes.
    pub fn node_inertia(&self) -> [Mat3; 3] {
        let unit = self.inertia * (self.length() / 6.0);
        std::array::from_fn(|k| self.mounts[k].node_inertia(unit * if k == 1 { 4.0 } else { 1.0 }))
    }

    /// Constant mass of places [kg]: each number stands for a diagonal block.
    pub fn mass(&self) -> [[f64; 3]; 3] {
        let unit = self.density * self.length() / 30.0;
        [[4.0, 2.0, -1.0], [2.0, 16.0, 2.0], [-1.0, 2.0, 4.0]].map(|row| row.map(|x| unit * x))
    }
}

/// What strains and loads follow from.
pub struct RodQuadraticState<T> {
    /// Turns of the start and the end from the middle.
    psi: [[T; 3]; 2],
    points: [PointState<T>; 2],
}

struct PointState<T> {
    psi: [T; 3],
    slope: [T; 3],
    axes: Turn<T>,
    /// Change of place per length in the axes of the point.
    g: [T; 3],
    /// Turn per length, curvature at rest included.
    k: [T; 3],
}

impl FrameElement<3, 12> for RodQuadratic {
    type State<T: Real> = RodQuadraticState<T>;

    fn mounts(&self) -> &[Mount; 3] {
        &self.mounts
    }

    fn state<T: Real>(&self, ends: &Ends<T, 3>) -> RodQuadraticState<T> {
        let back = ends.axes[1].inverse();
        let psi = [back.after(ends.axes[0]).log(), back.after(ends.axes[2]).log()];
        let points = [0, 1].map(|p| {
            let point = &self.points[p];
            let mixed = |w: &[f64; 3]| scaled_add(T::of(w[2]), psi[1], scaled(T::of(w[0]), psi[0]));
            let (turn, slope) = (mixed(&point.shares), mixed(&point.slopes));
            let axes = ends.axes[1].after(Turn::exp(turn));
            let g = axes.inverse().apply(combined(&point.slopes, &ends.places));
            PointState { psi: turn, slope, axes, g, k: tangent(turn, slope, false) }
        });
        RodQuadraticState { psi, points }
    }

    fn strains<T: Real>(&self, state: &RodQuadraticState<T>) -> [T; 12] {
        std::array::from_fn(|i| {
            let (p, i) = (i / 6, i % 6);
            let (point, rest) = (&state.points[p], self.points[p].rest[i]);
            let strain = if i < 3 { point.g[i] } else { point.k[i - 3] };
            strain - T::of(rest)
        })
    }

    fn stresses<T: Real>(&self, strains: &[T; 12]) -> [T; 12] {
        let at = [0, 1].map(|p| {
            let own = std::array::from_fn(|i| strains[6 * p + i]);
            section_stress(&self.stiffness, &self.coupling, self.points[p].weight, &own)
        });
        std::array::from_fn(|i| at[i / 6][i % 6])
    }

    fn loads<T: Real>(
        &self,
        _: &Ends<T, 3>,
        state: &RodQuadraticState<T>,
        stresses: &[T; 12],
    ) -> SectionLoads<T, 3> {
        let zero = [T::zero(); 3];
        let (mut forces, mut on_psi, mut on_middle) = ([zero; 3], [zero; 2], zero);
        for (p, (at, point)) in state.points.iter().zip(&self.points).enumerate() {
            let n: [T; 3] = three!(i => stresses[6 * p + i]);
            let m: [T; 3] = three!(i => stresses[6 * p + 3 + i]);
            let pull = at.axes.apply(n);
            for (force, slope) in forces.iter_mut().zip(point.slopes) {
                *force = added(*force, T::of(-slope), pull);
            }
            // What works on the turn of the point, and on the change of ψ and of its slope.
            let on_turn = cross(n, at.g);
            let torque = sum(on_turn, cross(m, at.k));
            let on_value = sum(tangent(at.psi, torque, true), tangent_rate(at.psi, at.slope, m, true));
            let on_slope = tangent(at.psi, m, true);
            for (k, i) in [(0, 0), (1, 2)] {
                let share = scaled(T::of(point.shares[i]), on_value);
                on_psi[k] = sum(on_psi[k], added(share, T::of(point.slopes[i]), on_slope));
            }
            on_middle = sum(on_middle, Turn::exp(at.psi).apply(on_turn));
        }
        let minus = T::of(-1.0);
        let end = |k: usize| scaled(minus, tangent_inverse(state.psi[k], on_psi[k], true));
        let middle = sum(
            tangent_inverse(state.psi[0], on_psi[0], false),
            tangent_inverse(state.psi[1], on_psi[1], false),
        );
        SectionLoads { forces, torques: [end(0), difference(middle, on_middle), end(1)] }
    }
}

fn combined<T: Real>(weights: &[f64; 3], of: &[[T; 3]; 3]) -> [T; 3] {
    let start = scaled(T::of(weights[0]), of[0]);
    added(added(start, T::of(weights[1]), of[1]), T::of(weights[2]), of[2])
}

frame_element!(RodQuadratic, 3, 18, 21, {
    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let at = plain(self.mounts(), &read_nodes::<3>(q));
        turn_fault(at.axes[1], at.axes[0]).or_else(|| turn_fault(at.axes[1], at.axes[2]))
    }

    fn station(&self, q: &[f64], t: f64) -> Option<Station> {
        let nodes = read_nodes::<3>(q);
        let strains = self.strains_at(&nodes);
        let [first, last] = [0, 1].map(|p| std::array::from_fn(|k| strains[6 * p + k]));
        // From the two points of Gauss to all of the line.
        let [a, b] = [Gauss::Two.points()[0].0, Gauss::Two.points()[1].0];
        let strain = mixed(&first, &last, (t - a) / (b - a));
        let force = section_stress(&self.stiffness, &self.coupling, 1.0, &strain);
        let [s, _] = quadratic(t);
        let point = (0..3).map(|k| center(&nodes[k], &self.mounts[k]) * s[k]).sum();
        let axes: [Quat; 3] = std::array::from_fn(|k| section_axes(&nodes[k], &self.mounts[k]));
        let psi = [0, 2].map(|k| log(axes[1].inverse() * axes[k]));
        Some(Station {
            point,
            axes: axes[1] * exp(psi[0] * s[0] + psi[1] * s[2]),
            strain,
            force,
            energy: work(&strain, &force),
        })
    }
});

/// Geometrically exact rods with three nodes: first, middle, last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rod3Kind;

/// Geometrically exact rods with three nodes: first, middle, last.
pub static ROD3: Rod3Kind = Rod3Kind;

impl Kind for Rod3Kind {
    fn name(&self) -> &'static str {
        "rod3"
    }

    fn cell(&self) -> CellKind {
        CellKind::Line3
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Frame]
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Section
    }

    fn line(&self) -> Option<LineShape> {
        Some(LineShape::Quadratic)
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        check_line(of, element, name, LineLimits { placed: true, coupled: true, turning: true })
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let values = of.section_values(element.made_of)?;
        let nodes = rest_nodes::<3>(of, element);
        Ok(Built::new(RodQuadratic::new(&nodes, mounts(&nodes, [values.place; 3], true), &values)))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        line_mass(of, element)
    }
}
