//! The corotational beam: small strains of Euler and Bernoulli in a frame that goes with the beam (felippa2005).
//!
//! The frame has its x axis from node to node and its y axis between those of the two sections. Seen from it, the beam
//! stretches by $l - L$ and its sections turn by $\theta_k = \log(E^T A_k)$; the energy is that of a linear beam. The
//! forces are the exact derivatives of this energy, the turning of the frame included, and the stiffness is exact too.

use huygens_kernel::cable::hermite;
use huygens_kernel::triple::{cross, difference, dot, scaled, sum};
use huygens_kernel::{Mat3, Quat, Vec3, three};

use super::kind::{Built, Kind, LineLimits, LineShape, LoadShare, MadeOf, check_line, line_mass};
use crate::element::dual::Real;
use crate::element::frame::{
    Ends, FrameElement, Mount, RodNode, SectionLoads, between, center, end_forces, frame_element,
    log_of_matrix, mixed, mounts, plain, read_nodes, rest_nodes, section_axes, strain_of, turn_fault, work,
};
use crate::element::quadrature::Gauss;
use crate::element::slope_mass::SlopeMass;
use crate::error::Result;
use crate::mesh::CellKind;
use crate::node::turn::tangent_inverse;
use crate::output::Station;
use crate::section::SectionValues;
use crate::structure::{self, NodeKind, Structure};

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamCorotational {
    /// Length at rest [m].
    pub length: f64,
    /// Stiffness of stretch EA, the mean of both ends [N].
    pub stretch: f64,
    /// Stiffness of twist and bending at both ends: GJ, EI about y and z [N·m²]; between them it changes evenly.
    pub bending: [[f64; 3]; 2],
    /// How the sections are fixed to the nodes; at rest both have their x axis along the beam, and the same y axis.
    pub mounts: [Mount; 2],
    /// Mass per length at both ends [kg/m].
    pub density: [f64; 2],
    /// Inertia of rotation per length at both ends [kg·m], section axes.
    pub inertia: [Mat3; 2],
}

impl BeamCorotational {
    /// The element that is at rest with its nodes as they are; `sections` are those of its ends. Stiffness that is not
    /// diagonal and shear are left out.
    pub fn new(nodes: &[RodNode; 2], sections: &[SectionValues; 2]) -> Self {
        let places = sections.map(|section| section.place);
        let arms = mounts(nodes, places, false).map(|mount| mount.arm);
        let centered = [0, 1].map(|k| Mount { arm: arms[k], ..Mount::PLAIN });
        let ends = plain(&centered, nodes);
        // Axes of the line between the centres, not of that between the nodes.
        let between = [0, 1].map(|k| RodNode { place: ends.places[k], turn: nodes[k].turn });
        let first = mounts(&between, [places[0]; 2], false)[0].turn;
        let axes = Quat::from_array(nodes[0].turn) * Quat::from_array(first);
        let d = difference(ends.places[1], ends.places[0]);
        Self {
            length: dot(d, d).sqrt(),
            stretch: 0.5 * (sections[0].stretch[0] + sections[1].stretch[0]),
            bending: sections.map(|section| section.bending),
            mounts: [0, 1].map(|k| Mount {
                turn: (Quat::from_array(nodes[k].turn).inverse() * axes).to_array(),
                arm: arms[k],
            }),
            density: sections.map(|section| section.mass),
            inertia: sections.map(|section| section.inertia),
        }
    }

    /// Directions of the beam at both nodes, node axes.
    fn slopes(&self) -> [Vec3; 2] {
        [0, 1].map(|k| Quat::from_array(self.mounts[k].turn) * Vec3::X)
    }

    /// Inertia of rotation that the element gives to its nodes [kg·m²], node axes: that of its sections, and that of the
    /// cubic line by its slopes.
    pub fn node_inertia(&self) -> [Mat3; 2] {
        let (line, slopes) = (self.line_mass(), self.slopes());
        [0, 1].map(|k| {
            let e = slopes[k];
            let across = Mat3::IDENTITY - Mat3::from_cols(e * e.x, e * e.y, e * e.z);
            let sections = self.mounts[k].node_inertia(self.inertia[k] * (0.5 * self.length));
            sections + across * line[2 * k + 1][2 * k + 1]
        })
    }

    /// Constant mass between places [kg]: each number stands for a diagonal block. That of sections beside the nodes
    /// counts as if it were at the nodes.
    pub fn mass(&self) -> [[f64; 2]; 2] {
        let line = self.line_mass();
        [[line[0][0], line[0][2]], [line[2][0], line[2][2]]]
    }

    /// Mass of the cubic line over place and slope of both nodes [kg, kg·m, kg·m²]: $\int\rho N_i N_j\,ds$. Four points
    /// of Gauss are exact: the density changes evenly, so that the degree is seven.
    pub fn line_mass(&self) -> [[f64; 4]; 4] {
        let mut out = [[0.0; 4]; 4];
        for &(t, weight) in Gauss::Four.points() {
            let [shape, ..] = hermite(t, self.length);
            let [a, b] = self.density;
            let share = weight * self.length * (a + t * (b - a));
            for (i, row) in out.iter_mut().enumerate() {
                (0..4).for_each(|j| row[j] += share * shape[i] * shape[j]);
            }
        }
        out
    }
}

/// What strains and loads follow from, all in the axes of the frame.
pub struct BeamState<T> {
    /// Axes of the frame.
    frame: [[T; 3]; 3],
    length: T,
    /// y axes of the sections.
    y: [[T; 3]; 2],
    /// Turns of the sections [rad].
    turns: [[T; 3]; 2],
}

impl<T: Real> BeamState<T> {
    fn to_world(&self, v: [T; 3]) -> [T; 3] {
        three!(i => self.frame[0][i] * v[0] + self.frame[1][i] * v[1] + self.frame[2][i] * v[2])
    }
}

impl FrameElement<2, 7> for BeamCorotational {
    type State<T: Real> = BeamState<T>;

    fn mounts(&self) -> &[Mount; 2] {
        &self.mounts
    }

    fn state<T: Real>(&self, ends: &Ends<T, 2>) -> BeamState<T> {
        let axes = ends.axes.map(|section| {
            three!(i => {
                let mut axis = [T::zero(); 3];
                axis[i] = T::of(1.0);
                section.apply(axis)
            })
        });
        let d = difference(ends.places[1], ends.places[0]);
        let length = dot(d, d).sqrt();
        let x = scaled(T::of(1.0) / length, d);
        let between = sum(axes[0][1], axes[1][1]);
        let across = cross(x, between);
        let z = scaled(T::of(1.0) / dot(across, across).sqrt(), across);
        let frame = [x, cross(z, x), z];
        let turns = axes.map(|axes| {
            let seen: [[T; 3]; 3] = three!(i => three!(j => dot(frame[i], axes[j])));
            log_of_matrix(&seen)
        });
        let y = axes.map(|axes| three!(i => dot(frame[i], axes[1])));
        BeamState { frame, length, y, turns }
    }

    /// Longer by, and the turns of both sections.
    fn strains<T: Real>(&self, state: &BeamState<T>) -> [T; 7] {
        let [[a, b, c], [d, e, f]] = state.turns;
        [state.length - T::of(self.length), a, b, c, d, e, f]
    }

    /// Pull, and the moments that go with the turns of the sections.
    fn stresses<T: Real>(&self, strains: &[T; 7]) -> [T; 7] {
        let l = self.length;
        let [by, ax, ay, az, bx, by_y, bz] = *strains;
        let [first, second] = self.bending;
        let twist = T::of(0.5 * (first[0] + second[0]) / l) * (bx - ax);
        // Linear beams with an EI that changes evenly from p to q: (3 p + q)/L, (p + q)/L, (p + 3 q)/L.
        let bend =
            |p: f64, q: f64, near: T, far: T| T::of((3.0 * p + q) / l) * near + T::of((p + q) / l) * far;
        [
            T::of(self.stretch / l) * by,
            -twist,
            bend(first[1], second[1], ay, by_y),
            bend(first[2], second[2], az, bz),
            twist,
            bend(second[1], first[1], by_y, ay),
            bend(second[2], first[2], bz, az),
        ]
    }

    fn loads<T: Real>(
        &self,
        ends: &Ends<T, 2>,
        state: &BeamState<T>,
        stresses: &[T; 7],
    ) -> SectionLoads<T, 2> {
        let pull = stresses[0];
        // Moments that go with turns relative to the frame.
        let moments = [0, 1].map(|k| {
            let moment = three!(i => stresses[1 + 3 * k + i]);
            tangent_inverse(state.turns[k], moment, false)
        });
        let total = sum(moments[0], moments[1]);
        let half = T::of(0.5);
        // The turn of the frame: about x it follows the sections, about y and z the nodes.
        let mean: [T; 2] = [half * (state.y[0][0] + state.y[1][0]), half * (state.y[0][1] + state.y[1][1])];
        let about_x = total[0] / mean[1];
        let side = [pull, -(total[2] / state.length), (about_x * mean[0] + total[1]) / state.length];
        let force = state.to_world(side);
        let torques = [0, 1].map(|k| {
            let [yx, yy, _] = state.y[k];
            let share = half * about_x;
            let local = [moments[k][0] - share * yy, moments[k][1] + share * yx, moments[k][2]];
            ends.axes[k].inverse().apply(state.to_world(scaled(T::of(-1.0), local)))
        });
        SectionLoads { forces: [force, scaled(T::of(-1.0), force)], torques }
    }
}

frame_element!(BeamCorotational, 2, 12, 14, {
    fn slope_mass(&self) -> Option<SlopeMass> {
        Some(SlopeMass::new(self.slopes(), self.line_mass()))
    }

    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let at = plain(self.mounts(), &read_nodes::<2>(q));
        let d = difference(at.places[1], at.places[0]);
        let ratio = dot(d, d).sqrt() / self.length;
        let collapsed = (ratio < 1e-6).then_some(("has collapsed (ratio of lengths)", ratio));
        collapsed.or_else(|| turn_fault(at.axes[0], at.axes[1]))
    }

    fn station(&self, q: &[f64], t: f64) -> Option<Station> {
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
        Some(Station {
            point,
            axes: between(axes[0], axes[1], t),
            strain,
            force,
            energy: work(&strain, &force),
        })
    }
});

/// Corotational Euler–Bernoulli beams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeamKind;

/// Corotational Euler–Bernoulli beams.
pub static BEAM: BeamKind = BeamKind;

impl Kind for BeamKind {
    fn name(&self) -> &'static str {
        "beam"
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
        check_line(of, element, name, LineLimits { placed: true, coupled: false, turning: true })
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let values = of.section_values(element.made_of)?;
        Ok(Built::new(BeamCorotational::new(&rest_nodes::<2>(of, element), &[values; 2])))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        line_mass(of, element)
    }

    /// Halves, and the moments that hold the ends of a clamped beam.
    fn line_shares(
        &self,
        of: &Structure,
        element: &structure::Element,
        force: Vec3,
        _follower: bool,
    ) -> Vec<LoadShare> {
        let length = of.rest_length(element);
        let [a, b] = [0, 1].map(|k| of.nodes[element.nodes()[k] as usize].position);
        let moment = (b - a).normalize_or_zero().cross(force) * (length * length / 12.0);
        [moment, -moment]
            .map(|moment| LoadShare { force: force * (0.5 * length), moment, slope: Vec3::ZERO })
            .to_vec()
    }
}
