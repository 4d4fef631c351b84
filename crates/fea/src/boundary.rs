//! Structures as boundaries: the pieces of their lines or the vertices of their skins, which sub-systems touch.
//!
//! A wrench $(F, T)$ on a carried frame, whose motion is $(v, \omega) = \sum_i t_i\,\dot q_{c_i}$, is the generalized
//! force $f_{c_i} = t_i\cdot(F, T)$ on its columns: its power is that of the wrench. A force on a vertex of a skin is one
//! on the first three columns of its node. Both stand in the history of the state until the next step.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::coupling::{Boundary, BoundaryId, BoundaryPart, BoundaryShape, Placement, Wrench};
use huygens_core::{Model, Subject};
use huygens_exec::Exec;
use huygens_geometry::Shape;

use crate::element::batch::NodePlace;
use crate::node::ItemName;

/// Items a parallel piece works on.
const CHUNK: usize = 256;

/// Forces on all nodes of a structure; they are its history, node by node.
struct StructureLoads {
    of: Arc<Subject>,
    nodes: Vec<NodePlace>,
    /// First number of each node in the history, and the end.
    starts: Vec<usize>,
}

impl ElementBatch for StructureLoads {
    fn does_work(&self, _x: &StateView<'_>) -> bool {
        false
    }

    fn layout(&self) -> Layout {
        let count = self.starts.last().copied().unwrap_or(0);
        let mut layout = Layout { history: count, ..Layout::default() };
        self.nodes.iter().for_each(|node| layout.push(&[node.block], 0));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        ItemName { of: self.of.clone(), number: item as u64 }.text("load on node")
    }

    fn evaluate(
        &self,
        ex: &Exec,
        _x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| {
            out.copy_from_slice(&history[self.starts[i]..][..out.len()]);
        });
        if let Some((_, tangent)) = tangent {
            tangent.fill(0.0);
        }
    }
}

/// What of a structure sub-systems touch.
#[derive(Clone, Debug)]
pub(crate) enum Touched {
    /// Pieces of lines: their first frame, their shapes, and the mass of one of them [kg].
    Pieces { first_frame: u32, shapes: Vec<Shape>, mass: f64 },
    /// Triangles of a skin over nodes of the structure, and the mass of each node [kg].
    Skin { nodes: Vec<u32>, faces: Vec<[u32; 3]>, masses: Vec<f64> },
}

/// A structure that sub-systems touch.
pub struct StructureBoundary {
    name: String,
    touched: Touched,
    nodes: Vec<NodePlace>,
    /// First number of the loads of each node.
    starts: Vec<usize>,
    /// First column, rising, number of columns and first load of each node.
    columns: Vec<(u32, u32, usize)>,
}

impl StructureBoundary {
    pub(crate) fn new(name: &str, nodes: &[NodePlace], touched: Touched) -> Self {
        let mut starts = vec![0];
        for node in nodes {
            starts.push(starts[starts.len() - 1] + node.columns);
        }
        let place = |(node, start): (&NodePlace, &usize)| (node.v as u32, node.columns as u32, *start);
        let mut columns: Vec<_> = nodes.iter().zip(&starts).map(place).collect();
        columns.sort_unstable();
        Self { name: name.into(), touched, nodes: nodes.to_vec(), starts, columns }
    }

    /// Puts the boundary and its loads into a model.
    pub(crate) fn place_in(self, model: &mut Model) -> BoundaryId {
        let of = Arc::new(Subject::object("structure", &self.name));
        let loads = StructureLoads { of, nodes: self.nodes.clone(), starts: self.starts.clone() };
        model.add_boundary(Arc::new(self), Some(Arc::new(loads)))
    }

    /// Adds a force on a column; columns of other structures are left out.
    fn add(&self, column: u32, force: f64, loads: &mut [f64]) {
        let after = self.columns.partition_point(|(first, ..)| *first <= column);
        let Some(&(first, count, start)) = after.checked_sub(1).map(|k| &self.columns[k]) else { return };
        if column - first < count {
            loads[start + (column - first) as usize] += force;
        }
    }
}

impl Boundary for StructureBoundary {
    fn part_name(&self, part: usize) -> String {
        match &self.touched {
            Touched::Pieces { .. } => format!("piece {part} of structure '{}'", self.name),
            Touched::Skin { nodes, .. } => format!("node {} of structure '{}'", nodes[part], self.name),
        }
    }

    fn shape(&self) -> BoundaryShape {
        let inverse = |mass: f64| if mass > 0.0 { 1.0 / mass } else { 0.0 };
        match &self.touched {
            Touched::Pieces { shapes, mass, .. } => {
                let part = |shape: &Shape| BoundaryPart {
                    shape: Some(shape.clone()),
                    center: DVec3::ZERO,
                    round: true,
                    inverse_mass: inverse(*mass),
                };
                BoundaryShape::Parts(shapes.iter().map(part).collect())
            }
            Touched::Skin { faces, masses, .. } => BoundaryShape::Facets {
                inverse_mass: masses.iter().map(|m| inverse(*m)).collect(),
                faces: faces.clone(),
                thickness: 0.0,
            },
        }
    }

    fn place(&self, ex: &Exec, x: &StateView<'_>, out: &mut [Placement]) {
        match &self.touched {
            Touched::Pieces { first_frame, .. } => ex.for_each_chunk(out, CHUNK, |chunk, out| {
                let first = *first_frame as usize + chunk * CHUNK;
                for (out, frame) in out.iter_mut().zip(&x.frames[first..]) {
                    *out = Placement {
                        position: frame.origin,
                        rotation: DQuat::from_mat3(&frame.axes).normalize(),
                        velocity: frame.velocity,
                        omega: frame.omega,
                    };
                }
            }),
            Touched::Skin { nodes, .. } => ex.for_each_chunk(out, CHUNK, |chunk, out| {
                for (out, node) in out.iter_mut().zip(&nodes[chunk * CHUNK..]) {
                    let place = &self.nodes[*node as usize];
                    *out = Placement {
                        position: DVec3::from_slice(&x.q[place.q..]),
                        velocity: DVec3::from_slice(&x.v[place.v..]),
                        ..Placement::default()
                    };
                }
            }),
        }
    }

    fn pull_back(&self, _ex: &Exec, x: &StateView<'_>, wrenches: &[Wrench], loads: &mut [f64]) {
        let acting = wrenches.iter().enumerate().filter(|(_, w)| **w != Wrench::default());
        match &self.touched {
            Touched::Pieces { first_frame, .. } => {
                for (piece, wrench) in acting {
                    let (columns, twists) = x.twists.row(first_frame + piece as u32);
                    for (&column, twist) in columns.iter().zip(twists) {
                        self.add(column, twist.power(wrench.force, wrench.torque), loads);
                    }
                }
            }
            Touched::Skin { nodes, .. } => {
                for (vertex, wrench) in acting {
                    let start = self.starts[nodes[vertex] as usize];
                    let force = wrench.force.to_array();
                    loads[start..start + 3].iter_mut().zip(force).for_each(|(out, f)| *out += f);
                }
            }
        }
    }
}
