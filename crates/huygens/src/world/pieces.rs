//! Structures as walls of grains and in fluids: every piece of a line is a part of the wall.
//!
//! Pieces go through a step like bodies that carry walls: from where they were left to where they are expected. What
//! was done to a piece goes to the nodes by the transpose of the map by which they move it, and stands in the history
//! of the state until the next step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use glam::{DQuat, DVec3};
use huygens_core::carrier::Twist;
use huygens_core::contract::Frame;
use huygens_fea::batch::NodePlace;
use huygens_fea::part::FlexiblePart;
use huygens_fea::push::PushPlace;
use huygens_fea::structure::{Element, Structure};
use huygens_fea::surface;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::rotation;
use huygens_particles::WallMotion;

use super::coordinates::Owner;
use super::riders::Carrier;
use super::{Result, Simulation, World, WorldError};

/// A piece of a structure, as grains and fluids see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    /// Where it was left.
    pub pose: Pose,
    /// Its velocity [m/s] and angular velocity [rad/s] a step ago.
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

/// All pieces of a structure that is a wall.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PieceRider {
    pub structure: usize,
    pub pieces: Vec<Piece>,
}

impl Piece {
    fn new(frame: &Frame) -> Self {
        let pose = Pose { position: frame.origin, rotation: DQuat::from_mat3(&frame.axes).normalize() };
        Self { pose, velocity: frame.velocity, angular_velocity: frame.omega }
    }

    /// Where it starts, and the velocities that bring it in `h` [s] to where it is expected; it is left there.
    ///
    /// Pieces are round, and the axes of their frames across the line have no meaning: the axis goes by the least turn,
    /// and spins as the piece does.
    fn advance(&mut self, frame: &Frame, h: f64) -> WallMotion {
        let way = h * (1.5 * frame.velocity - 0.5 * self.velocity);
        let turn = h * (1.5 * frame.omega - 0.5 * self.angular_velocity);
        let axis = self.pose.rotation * DVec3::Z;
        let to = (rotation::exp(turn) * frame.axes.z_axis).normalize();
        let spin = to * turn.dot(to);
        let swing = rotation::log(DQuat::from_rotation_arc(axis.normalize(), to));
        let motion = WallMotion {
            position: self.pose.position,
            rotation: self.pose.rotation,
            velocity: (frame.origin + way - self.pose.position) / h,
            angular_velocity: (swing + spin) / h,
        };
        self.pose.position = frame.origin + way;
        self.pose.rotation = (rotation::exp(swing + spin) * self.pose.rotation).normalize();
        (self.velocity, self.angular_velocity) = (frame.velocity, frame.omega);
        motion
    }
}

/// Columns that move a piece, and its twists.
type Row = (Vec<u32>, Vec<Twist>);

/// A structure on its way through a step.
pub(super) struct PieceSweep {
    pub structure: usize,
    /// Where its pieces start, and the velocities that bring them to the end.
    pub motions: Vec<WallMotion>,
    /// Changes of velocity and angular velocity of its pieces in the last step.
    pub changes: Vec<[DVec3; 2]>,
    rows: Vec<Row>,
    place: PushPlace,
    /// Mean forces on the columns of its nodes.
    push: Vec<f64>,
}

impl PieceSweep {
    /// Takes what was done to the pieces in `h` [s], impulses and their moments about the origins of the pieces: the mean
    /// force, and the torque about the origin of the world.
    pub fn collect(&mut self, take: &mut dyn FnMut(usize) -> [DVec3; 2], h: f64) -> [DVec3; 2] {
        let mut wrench = [DVec3::ZERO; 2];
        for (piece, ((columns, twists), motion)) in self.rows.iter().zip(&self.motions).enumerate() {
            let [force, torque] = take(piece).map(|i| i / h);
            if force == DVec3::ZERO && torque == DVec3::ZERO {
                continue;
            }
            let middle = motion.position + motion.velocity * (0.5 * h);
            wrench[0] += force;
            wrench[1] += torque + middle.cross(force);
            self.place.add(columns, twists, force, torque, &mut self.push);
        }
        wrench
    }
}

/// Mass [kg] of all lines of a structure.
pub(super) fn line_mass(structure: &Structure) -> f64 {
    let mass = |element: &Element| {
        let values = element.section().and_then(|s| structure.section_values(s).ok());
        values.map_or(0.0, |v| v.mass * structure.rest_length(element))
    };
    structure.elements.iter().map(mass).sum()
}

/// Puts what grains and fluids do to structures, by their places, into the history of a new model.
pub(super) fn restore_pushes(part: &FlexiblePart, pushes: &BTreeMap<usize, Vec<f64>>, history: &mut [f64]) {
    for (structure, push) in pushes {
        let Some(place) = part.pushes(*structure).map(PushPlace::history) else { continue };
        if place.len() == push.len() {
            history[place].copy_from_slice(push);
        }
    }
}

impl World {
    /// What grains and fluids do to structures, by their places.
    pub(super) fn kept_pushes(&self, simulation: &Simulation) -> BTreeMap<usize, Vec<f64>> {
        let Some(part) = simulation.structures.as_ref().map(|s| s.part()) else { return BTreeMap::new() };
        let push = |k: usize| Some((k, simulation.state.history[part.pushes(k)?.history()].to_vec()));
        self.pushed_structures().into_iter().filter_map(push).collect()
    }

    /// The structures that are walls of grains or lie in fluids, in rising order.
    pub(super) fn pushed_structures(&self) -> BTreeSet<usize> {
        let walls = self.grains.iter().flat_map(|s| &s.walls).map(|w| &w.carrier);
        let solids = self.swept_solids().map(|w| &w.carrier);
        walls
            .chain(solids)
            .filter_map(|carrier| match carrier {
                Carrier::Structure(structure) => Some(*structure),
                _ => None,
            })
            .collect()
    }

    /// Frames of the pieces of a structure and how its nodes move them; none while the model is not built.
    fn pieces(&self, structure: usize) -> Vec<(Frame, Row)> {
        let count = self.structures.get(structure).map_or(0, |s| s.piece_count());
        let found = self.with_view(|s, view| {
            let first = s.structures.as_ref()?.part().surface_frame(structure)? as usize;
            let frames = view.frames.get(first..first + count)?;
            let row = |k: usize| {
                let (columns, twists) = view.twists.row((first + k) as u32);
                (columns.to_vec(), twists.to_vec())
            };
            Some(frames.iter().enumerate().map(|(k, frame)| (*frame, row(k))).collect())
        });
        found.flatten().unwrap_or_default()
    }

    /// Where the pieces of a structure are, and how they move.
    pub(super) fn piece_motions(&self, structure: usize) -> Vec<WallMotion> {
        let motion = |(frame, _): &(Frame, Row)| {
            let Piece { pose, velocity, angular_velocity } = Piece::new(frame);
            WallMotion { position: pose.position, rotation: pose.rotation, velocity, angular_velocity }
        };
        self.pieces(structure).iter().map(motion).collect()
    }

    /// Finds the pieces of structures that are walls, where they are.
    pub(super) fn find_piece_riders(&mut self) {
        let rider = |structure: usize| PieceRider {
            structure,
            pieces: self.pieces(structure).iter().map(|(frame, _)| Piece::new(frame)).collect(),
        };
        self.piece_riders = self.pushed_structures().into_iter().map(rider).collect();
    }

    /// Where the pieces go in the next `h` [s]; they are left there.
    pub(super) fn sweep_pieces(&mut self, h: f64) -> Vec<PieceSweep> {
        let mut riders = std::mem::take(&mut self.piece_riders);
        let mut sweeps = Vec::with_capacity(riders.len());
        for PieceRider { structure, pieces } in &mut riders {
            let part = self.simulation.as_ref().and_then(|s| Some(s.structures.as_ref()?.part()));
            let Some(place) = part.and_then(|p| p.pushes(*structure)).cloned() else { continue };
            let now = self.pieces(*structure);
            let change = |(p, (frame, _)): (&Piece, &(Frame, Row))| {
                [frame.velocity - p.velocity, frame.omega - p.angular_velocity]
            };
            let changes = pieces.iter().zip(&now).map(change).collect();
            let motions = pieces.iter_mut().zip(&now).map(|(p, (frame, _))| p.advance(frame, h)).collect();
            let rows = now.into_iter().map(|(_, row)| row).collect();
            let push = vec![0.0; place.history().len()];
            sweeps.push(PieceSweep { structure: *structure, motions, changes, rows, place, push });
        }
        self.piece_riders = riders;
        sweeps
    }

    /// Writes what was done to structures into the state.
    ///
    /// Integrators take the forces up as they do loads that change with time: accelerations of the last step stay, since
    /// starting anew in every step would take the numerical damping from stiff motions.
    pub(super) fn push_structures(&mut self, sweeps: Vec<PieceSweep>) {
        let Some(s) = self.simulation.as_mut() else { return };
        for sweep in sweeps {
            let numbers = &mut s.state.history[sweep.place.history()];
            if *numbers != sweep.push[..] {
                numbers.copy_from_slice(&sweep.push);
                s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
            }
        }
    }

    /// The structure that a wall names: its place, and the shapes of the pieces of its lines, about their middles with
    /// the axis along z.
    pub(super) fn line_pieces(
        &self,
        owner: Owner<'_>,
        field: &str,
        name: &str,
        wrong: &dyn Fn(String) -> WorldError,
    ) -> Result<(usize, Vec<Shape>)> {
        let index = self.structure(name).map(|id| id.index()).map_err(|e| WorldError::Input {
            section: owner.section,
            name: owner.name.into(),
            field: Some(field.into()),
            problem: format!("there is no structure '{name}'"),
            suggestion: match e {
                WorldError::Unknown { suggestion, .. } => suggestion,
                _ => None,
            },
        })?;
        let made = self.structures[index].model();
        let Some(contact) = made.contact else {
            return Err(wrong(format!("structure '{name}' has no contact surface; give it `contact`")));
        };
        let tried = surface::Surface::new(made, contact, &|_| NodePlace::default());
        let tried = tried.map_err(|e| wrong(e.to_string()))?;
        if made.elements.iter().any(|e| matches!(e, Element::Tetrahedron { .. })) {
            return Err(wrong(format!(
                "structure '{name}' has solid elements, whose skin {} cannot touch; only lines can be walls",
                owner.section.noun()
            )));
        }
        Ok((index, tried.shapes().to_vec()))
    }
}
