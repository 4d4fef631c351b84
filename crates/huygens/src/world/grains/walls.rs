//! Walls of grains in a world: what they are made of, who carries them, and what they feel.

use std::ops::Range;

use huygens_geometry::Pose;
use huygens_multibody::BodyId;
use huygens_particles::described::{Part, surfaces_of, wall_parts};
use huygens_particles::{Surface, WallMotion};

use super::{GrainSet, Owner, Result, World};
use crate::spec::{MAX_WALLS, MountSpec, WallSpec, WallType, WarningKind};
use crate::world::coupling::Carrier;

/// A wall of a set of grains.
#[derive(Clone, Debug)]
pub(in crate::world) struct GrainWall {
    pub name: String,
    pub visible: bool,
    pub carrier: Carrier,
    /// Its pose in the world at the start, or in the frame of its body.
    pub pose: Pose,
    /// The surfaces it is made of, in its axes.
    pub surfaces: Vec<Part>,
    pub material: usize,
    /// Places of its surfaces among the walls of the system.
    pub parts: Range<usize>,
    /// Inverse of the mass [1/kg] that moves with a piece of a structure.
    pub inverse_mass: f64,
}

impl GrainWall {
    /// The body that carries it.
    pub fn body(&self) -> Option<BodyId> {
        self.carrier.body()
    }
}

impl World {
    /// Where a wall is now, and how it moves.
    pub(in crate::world) fn wall_motion(&self, wall: &GrainWall) -> WallMotion {
        let motion = self.carrier_motion(&wall.carrier, &wall.pose);
        if wall.body().is_some() { motion.part(&wall.pose) } else { motion }
    }

    /// Where the parts of a wall are now, and how they move.
    pub(super) fn part_motions(&self, wall: &GrainWall) -> Vec<WallMotion> {
        if let Carrier::Structure(structure) = wall.carrier {
            return self.piece_motions(structure);
        }
        let motion = self.wall_motion(wall);
        wall.surfaces.iter().map(|(pose, _)| motion.part(pose)).collect()
    }

    /// The surfaces of a wall, in its axes.
    fn wall_surfaces(
        &mut self,
        spec: &WallSpec,
        body: Option<BodyId>,
    ) -> std::result::Result<Vec<Part>, (String, String)> {
        let mut found = wall_parts(spec).map_err(|(key, e)| (key.to_owned(), e))?;
        match (&spec.kind, body) {
            (WallType::Mesh(source), _) => {
                let made = crate::world::shapes::mesh(source, None, &mut self.objects.geometry)?;
                surfaces_of(&made.shape, Pose::IDENTITY, &mut found).map_err(|e| ("type".to_owned(), e))?;
            }
            (WallType::Body, None) => {
                return Err(("body".into(), "a wall of type body needs the name of a `body`".into()));
            }
            (WallType::Body, Some(body)) => {
                for shape in self.objects.assembly.collision.shapes().iter().filter(|s| s.body == body) {
                    surfaces_of(&shape.shape, shape.pose, &mut found).map_err(|e| ("body".to_owned(), e))?;
                }
                if found.is_empty() {
                    return Err(("body".into(), "the body has no shapes that collide".into()));
                }
            }
            _ => {}
        }
        Ok(found)
    }
}

impl GrainSet {
    /// Checks a wall and takes it in.
    pub(super) fn add_wall(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        spec: &WallSpec,
        k: usize,
    ) -> Result<()> {
        let path = |key: &str| format!("walls.{k}.{key}");
        let wrong = |(key, e): (&str, String)| owner.error(&path(key), format!("wall '{}': {e}", spec.name));
        let first = self.walls.last().map_or(0, |w| w.parts.end);
        let mut inverse_mass = 0.0;
        let (carrier, pose, surfaces) = if let WallType::Structure { structure } = &spec.kind {
            let said = |e: String| wrong(("structure", e));
            if spec.mount != MountSpec::default() {
                let problem = "a structure is where it is and seen as itself: leave place, body, motion and visible out";
                return Err(said(problem.into()));
            }
            let (index, shapes) = world.line_pieces(owner, &path("structure"), structure, &said)?;
            let mut surfaces = Vec::with_capacity(shapes.len());
            for shape in &shapes {
                surfaces_of(shape, Pose::IDENTITY, &mut surfaces).map_err(said)?;
            }
            let count = first + surfaces.len();
            if count > MAX_WALLS {
                return Err(said(format!("{count} pieces of walls are not allowed; {MAX_WALLS} are")));
            }
            // The mass of one piece: what moves at once where a grain hits.
            let mass = world.objects.structures[index].model().line_mass() / surfaces.len().max(1) as f64;
            inverse_mass = if mass > 0.0 { 1.0 / mass } else { 0.0 };
            (Carrier::Structure(index), Pose::IDENTITY, surfaces)
        } else {
            let (carrier, pose) = world.carrier_of(owner, &path, &spec.mount, &wrong)?;
            let made = world.wall_surfaces(spec, carrier.body());
            let surfaces = made.map_err(|(key, e)| wrong((key.as_str(), e)))?;
            for (_, surface) in &surfaces {
                let Surface::Mesh(mesh) = surface else { continue };
                for warning in mesh.report().warnings(&spec.name) {
                    let text = format!("grains '{}': {warning}", owner.name);
                    world.reports.warnings.push_of(WarningKind::OpenMesh, text);
                }
            }
            (carrier, pose, surfaces)
        };
        let material =
            self.material_or_common(world, owner, &format!("walls.{k}"), spec.material.as_ref())?;
        self.walls.push(GrainWall {
            name: spec.name.clone(),
            visible: spec.is_visible(),
            carrier,
            pose,
            parts: first..first + surfaces.len(),
            surfaces,
            material,
            inverse_mass,
        });
        Ok(())
    }
}
