//! The geometrically exact rod with two nodes: stretch, shear, bending and twist at any rotation (simo1985).
//!
//! The rotation between the two sections, $\psi = \log(A_1^T A_2)$, is shared evenly along the rod, so that strains do
//! not change when the rod turns as a whole (crisfield1999). They are taken in the middle: $\Gamma = A_m^T(x_2 -
//! x_1)/L$ with $A_m = A_1\exp(\psi/2)$, and $K = \psi/L$, both less their values at rest.

use huygens_kernel::Mat3;
use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add};

use super::kind::{Built, Kind, LineLimits, LineShape, MadeOf, check_line, line_mass};
use crate::element::dual::Real;
use crate::element::frame::{
    Ends, FrameElement, Mount, SectionLoads, between, center, end_forces, frame_element, mixed, mounts,
    plain, read_nodes, rest_nodes, section_axes, section_stress, strain_of, turn_fault, work,
};
pub use crate::element::frame::{FrameColumns, RodNode};
use crate::error::Result;
use crate::mesh::CellKind;
use crate::node::turn::{Turn, tangent, tangent_inverse};
use crate::output::Station;
use crate::section::{SectionMatrix, SectionValues};
use crate::structure::{self, NodeKind, Structure};

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// Length at rest [m].
    pub length: f64,
    /// Stiffness of stretch and shear [N], then of twist and bending [N·m²].
    pub stiffness: [f64; 6],
    /// The rest of the stiffness, where it is not diagonal.
    pub coupling: Option<SectionMatrix>,
    /// How the sections are fixed to the nodes.
    pub mounts: [Mount; 2],
    /// Strains and curvatures at rest.
    pub rest: [f64; 6],
    /// Mass per length [kg/m].
    pub density: f64,
    /// Inertia of rotation per length [kg·m], section axes.
    pub inertia: Mat3,
}

impl Rod {
    /// The element that is at rest with its nodes as they are; the x axes of the sections go along the rod.
    pub fn new(nodes: &[RodNode; 2], mounts: [Mount; 2], section: &SectionValues) -> Self {
        let ends = plain(&mounts, nodes);
        let d = difference(ends.places[1], ends.places[0]);
        let length = dot(d, d).sqrt();
        let stiffness = section.stiffness();
        let mut rod = Self {
            length,
            stiffness,
            coupling: section.coupling,
            mounts,
            rest: [0.0; 6],
            density: section.mass,
            inertia: section.inertia,
        };
        rod.rest = rod.strains(&rod.state(&ends));
        rod
    }

    /// Constant mass of places [kg]: each number stands for a diagonal block.
    pub fn mass(&self) -> [[f64; 2]; 2] {
        let unit = self.density * self.length / 6.0;
        [[2.0 * unit, unit], [unit, 2.0 * unit]]
    }

    /// Inertia of rotation that the element gives to its nodes [kg·m²], node axes.
    pub fn node_inertia(&self) -> [Mat3; 2] {
        self.mounts.map(|mount| mount.node_inertia(self.inertia * (0.5 * self.length)))
    }
}

/// What strains and loads follow from.
pub struct RodState<T> {
    psi: [T; 3],
    middle: Turn<T>,
    /// Change of place per length in the axes of the middle.
    g: [T; 3],
}

impl FrameElement<2, 6> for Rod {
    type State<T: Real> = RodState<T>;

    fn mounts(&self) -> &[Mount; 2] {
        &self.mounts
    }

    fn state<T: Real>(&self, ends: &Ends<T, 2>) -> RodState<T> {
        let [first, second] = ends.axes;
        let psi = first.inverse().after(second).log();
        let middle = first.after(Turn::exp(scaled(T::of(0.5), psi)));
        let along = scaled(T::of(1.0 / self.length), difference(ends.places[1], ends.places[0]));
        RodState { psi, middle, g: middle.inverse().apply(along) }
    }

    fn strains<T: Real>(&self, state: &RodState<T>) -> [T; 6] {
        let kappa = scaled(T::of(1.0 / self.length), state.psi);
        std::array::from_fn(|k| {
            let strain = if k < 3 { state.g[k] } else { kappa[k - 3] };
            strain - T::of(self.rest[k])
        })
    }

    fn stresses<T: Real>(&self, strains: &[T; 6]) -> [T; 6] {
        section_stress(&self.stiffness, &self.coupling, self.length, strains)
    }

    fn loads<T: Real>(&self, _: &Ends<T, 2>, state: &RodState<T>, stresses: &[T; 6]) -> SectionLoads<T, 2> {
        let [a, b, c, d, e, f] = *stresses;
        let per_length = T::of(1.0 / self.length);
        let (n, m) = ([a, b, c], scaled(per_length, [d, e, f]));
        let pull = state.middle.apply(scaled(per_length, n));
        let half = scaled(T::of(0.5), state.psi);
        let on_middle = cross(n, state.g);
        let on_psi = scaled_add(T::of(0.5), tangent(half, on_middle, true), m);
        let back = Turn::exp(half).apply(on_middle);
        let first = difference(tangent_inverse(state.psi, on_psi, false), back);
        let second = scaled(T::of(-1.0), tangent_inverse(state.psi, on_psi, true));
        SectionLoads { forces: [pull, scaled(T::of(-1.0), pull)], torques: [first, second] }
    }
}

frame_element!(Rod, 2, 12, 14, {
    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let at = plain(self.mounts(), &read_nodes::<2>(q));
        turn_fault(at.axes[0], at.axes[1])
    }

    fn station(&self, q: &[f64], t: f64) -> Option<Station> {
        let nodes = read_nodes::<2>(q);
        let [first, last] = end_forces(self, &nodes);
        let force = mixed(&first, &last, t);
        let strain = strain_of(&self.stiffness, &self.coupling, &force);
        let axes = [0, 1].map(|k| section_axes(&nodes[k], &self.mounts[k]));
        Some(Station {
            point: center(&nodes[0], &self.mounts[0]).lerp(center(&nodes[1], &self.mounts[1]), t),
            axes: between(axes[0], axes[1], t),
            strain,
            force,
            energy: work(&strain, &force),
        })
    }
});

/// Geometrically exact rods with two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RodKind;

/// Geometrically exact rods with two nodes.
pub static ROD: RodKind = RodKind;

impl Kind for RodKind {
    fn name(&self) -> &'static str {
        "rod"
    }

    fn cell(&self) -> CellKind {
        CellKind::Line2
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Frame]
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Section
    }

    fn line(&self) -> Option<LineShape> {
        Some(LineShape::Straight)
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        check_line(of, element, name, LineLimits { placed: true, coupled: true, turning: true })
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let values = of.section_values(element.made_of)?;
        let nodes = rest_nodes::<2>(of, element);
        Ok(Built::new(Rod::new(&nodes, mounts(&nodes, [values.place; 2], false), &values)))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        line_mass(of, element)
    }
}
