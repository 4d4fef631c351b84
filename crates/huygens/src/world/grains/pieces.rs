//! Structures as walls of grains: every piece of a line is a part of the wall.
//!
//! Pieces go through a step like bodies that carry walls: from where they were left to where they are expected. What
//! grains did to a piece goes to the nodes by the transpose of the map by which they move it, and stands in the history
//! of the state until the next step.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::PoisonError;

use glam::{DQuat, DVec3};
use huygens_core::contract::{Frame, MotionMap};
use huygens_fea::batch::NodePlace;
use huygens_fea::part::FlexiblePart;
use huygens_fea::push::PushPlace;
use huygens_fea::structure::{Element, Structure};
use huygens_fea::surface;
use huygens_geometry::Pose;
use huygens_kernel::rotation;
use huygens_particles::{GrainSystem, ParticleError, WallMotion};

use super::walls::{Carrier, GrainWall, surfaces_of};
use super::{GrainSet, Owner, Result, World, WorldError};
use crate::spec::{MAX_WALLS, WallSpec};
use crate::world::Simulation;

/// A piece of a structure, as the grains see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct Piece {
    /// Where it was left.
    pub pose: Pose,
    /// Its velocity [m/s] and angular velocity [rad/s] a step ago.
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

/// All pieces of a structure that is a wall.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::world) struct PieceRider {
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

/// A structure on its way through a step.
pub(super) struct PieceSweep {
    pub structure: usize,
    motions: Vec<WallMotion>,
    maps: Vec<MotionMap>,
    place: PushPlace,
    /// Mean forces on the columns of its nodes.
    push: Vec<f64>,
}

impl PieceSweep {
    /// Sets the parts of a wall on their way.
    pub fn start(
        &self,
        system: &mut GrainSystem,
        parts: Range<usize>,
    ) -> std::result::Result<(), ParticleError> {
        let mut parts = parts.zip(&self.motions);
        parts.try_for_each(|(part, motion)| system.set_wall_motion(part, *motion))
    }

    /// Takes what the grains did to the parts of a wall in `h` [s]: the mean force, and the torque about the origin of the
    /// world.
    pub fn collect(&mut self, system: &mut GrainSystem, parts: Range<usize>, h: f64) -> [DVec3; 2] {
        let mut wrench = [DVec3::ZERO; 2];
        for (part, (map, motion)) in parts.zip(self.maps.iter().zip(&self.motions)) {
            let [force, torque] = system.take_wall_impulse(part).map(|i| i / h);
            if force == DVec3::ZERO && torque == DVec3::ZERO {
                continue;
            }
            let middle = motion.position + motion.velocity * (0.5 * h);
            wrench[0] += force;
            wrench[1] += torque + middle.cross(force);
            self.place.add(map, force, torque, &mut self.push);
        }
        wrench
    }
}

/// Mass [kg] of all lines of a structure.
fn line_mass(structure: &Structure) -> f64 {
    let mass = |element: &Element| {
        let values = element.section().and_then(|s| structure.section_values(s).ok());
        values.map_or(0.0, |v| v.mass * structure.rest_length(element))
    };
    structure.elements.iter().map(mass).sum()
}

/// Puts what grains do to structures, by their places, into the history of a new model.
pub(in crate::world) fn restore_pushes(
    part: &FlexiblePart,
    pushes: &BTreeMap<usize, Vec<f64>>,
    history: &mut [f64],
) {
    for (structure, push) in pushes {
        let Some(place) = part.pushes(*structure).map(PushPlace::history) else { continue };
        if place.len() == push.len() {
            history[place].copy_from_slice(push);
        }
    }
}

impl World {
    /// What grains do to structures, by their places.
    pub(in crate::world) fn kept_pushes(&self, simulation: &Simulation) -> BTreeMap<usize, Vec<f64>> {
        let Some(part) = simulation.structures.as_ref().map(|s| s.part()) else { return BTreeMap::new() };
        let push = |k: usize| Some((k, simulation.state.history[part.pushes(k)?.history()].to_vec()));
        self.grain_structures().into_iter().filter_map(push).collect()
    }

    /// The structures that are walls of grains, in rising order.
    pub(in crate::world) fn grain_structures(&self) -> BTreeSet<usize> {
        let walls = self.grains.iter().flat_map(|s| &s.walls);
        walls
            .filter_map(|w| match w.carrier {
                Carrier::Structure(structure) => Some(structure),
                _ => None,
            })
            .collect()
    }

    /// Frames of the pieces of a structure and how its nodes move them; none while the model is not built.
    fn pieces(&self, structure: usize) -> Vec<(Frame, MotionMap)> {
        let count = self.structures.get(structure).map_or(0, |s| s.piece_count());
        let found = self.with_view(|s, view| {
            let first = s.structures.as_ref()?.part().surface_frame(structure)? as usize;
            let frames = view.frames.get(first..first + count)?;
            let first = first + view.maps.len() - view.frames.len();
            let maps = view.maps.get(first..first + count)?;
            Some(frames.iter().copied().zip(maps.iter().copied()).collect())
        });
        found.flatten().unwrap_or_default()
    }

    /// Where the pieces of a structure are, and how they move.
    pub(super) fn piece_motions(&self, structure: usize) -> Vec<WallMotion> {
        let motion = |(frame, _): &(Frame, MotionMap)| {
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
        self.piece_riders = self.grain_structures().into_iter().map(rider).collect();
    }

    /// Where the pieces go in the next `h` [s]; they are left there.
    pub(super) fn sweep_pieces(&mut self, h: f64) -> Vec<PieceSweep> {
        let mut riders = std::mem::take(&mut self.piece_riders);
        let mut sweeps = Vec::with_capacity(riders.len());
        for PieceRider { structure, pieces } in &mut riders {
            let part = self.simulation.as_ref().and_then(|s| Some(s.structures.as_ref()?.part()));
            let Some(place) = part.and_then(|p| p.pushes(*structure)).cloned() else { continue };
            let now = self.pieces(*structure);
            let motions = pieces.iter_mut().zip(&now).map(|(p, (frame, _))| p.advance(frame, h)).collect();
            let maps = now.iter().map(|(_, map)| *map).collect();
            let push = vec![0.0; place.history().len()];
            sweeps.push(PieceSweep { structure: *structure, motions, maps, place, push });
        }
        self.piece_riders = riders;
        sweeps
    }

    /// Writes what grains did to structures into the state.
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
}

impl GrainSet {
    /// Checks a wall that is a structure and takes it in.
    pub(super) fn add_structure_wall(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        spec: &WallSpec,
        path: &dyn Fn(&str) -> String,
    ) -> Result<()> {
        let wrong = |key: &str, e: String| owner.error(&path(key), format!("wall '{}': {e}", spec.name));
        spec.parts().map_err(|(key, e)| wrong(key, e))?;
        let Some(name) = &spec.structure else {
            let problem = "a wall of type structure needs the name of a `structure`";
            return Err(wrong("structure", problem.into()));
        };
        let index = world.structure(name).map(|id| id.index()).map_err(|e| WorldError::Input {
            section: owner.section,
            name: owner.name.into(),
            field: Some(path("structure")),
            problem: format!("wall '{}': there is no structure '{name}'", spec.name),
            suggestion: match e {
                WorldError::Unknown { suggestion, .. } => suggestion,
                _ => None,
            },
        })?;
        let made = world.structures[index].model();
        let Some(contact) = made.contact else {
            let problem = format!("structure '{name}' has no contact surface; give it `contact`");
            return Err(wrong("structure", problem));
        };
        let tried = surface::Surface::new(made, contact, &|_| NodePlace::default());
        let tried = tried.map_err(|e| wrong("structure", e.to_string()))?;
        if made.elements.iter().any(|e| matches!(e, Element::Tetrahedron { .. })) {
            let problem = format!(
                "structure '{name}' has solid elements, whose skin grains cannot touch; only lines can be walls"
            );
            return Err(wrong("structure", problem));
        }
        let mut surfaces = Vec::with_capacity(tried.count());
        for shape in tried.shapes() {
            surfaces_of(shape, Pose::IDENTITY, &mut surfaces).map_err(|e| wrong("structure", e))?;
        }
        let first = self.walls.last().map_or(0, |w| w.parts.end);
        let parts = first..first + surfaces.len();
        if parts.end > MAX_WALLS {
            let problem = format!("{} pieces of walls are not allowed; {MAX_WALLS} are", parts.end);
            return Err(wrong("structure", problem));
        }
        // The mass of one piece: what moves at once where a grain hits.
        let mass = line_mass(made) / surfaces.len().max(1) as f64;
        let inverse_mass = if mass > 0.0 { 1.0 / mass } else { 0.0 };
        let material = match spec.material.clone() {
            Some(name) => self.material(world, owner, &path("material"), &name)?,
            None => 0,
        };
        self.walls.push(GrainWall {
            name: spec.name.clone(),
            visible: false,
            carrier: Carrier::Structure(index),
            pose: Pose::IDENTITY,
            surfaces,
            material,
            parts,
            inverse_mass,
            wrench: [DVec3::ZERO; 2],
        });
        Ok(())
    }
}
