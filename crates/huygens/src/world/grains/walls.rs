//! Walls of grains in a world: what they are made of, who carries them, and what they feel.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use huygens_geometry::{Pose, Shape};
use huygens_multibody::BodyId;
use huygens_particles::described::wall_parts;
use huygens_particles::{Surface, WallMesh, WallMotion};

use super::{GrainSet, Owner, Result, World};
use crate::spec::{WallSpec, WallType};
use crate::world::coupling::{Carrier, prescribed};
use crate::world::shapes::frame_pose;

/// A wall of a set of grains.
#[derive(Clone, Debug)]
pub(in crate::world) struct GrainWall {
    pub name: String,
    pub visible: bool,
    pub carrier: Carrier,
    /// Its pose in the world at the start, or in the frame of its body.
    pub pose: Pose,
    /// The surfaces it is made of, in its axes.
    pub surfaces: Vec<(Pose, Surface)>,
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

/// The surfaces of a shape.
pub(super) fn surfaces_of(
    shape: &Shape,
    pose: Pose,
    out: &mut Vec<(Pose, Surface)>,
) -> std::result::Result<(), String> {
    let mesh = |points: &[DVec3], triangles: &[[u32; 3]]| {
        let made = WallMesh::new(points.to_vec(), triangles.to_vec()).map_err(|e| e.to_string())?;
        Ok::<_, String>(Surface::Mesh(Arc::new(made)))
    };
    let surface = match shape {
        Shape::Sphere { radius } => Surface::Sphere { radius: *radius, hollow: false },
        Shape::Box { half } => Surface::Box { half: half.to_array(), hollow: false },
        Shape::Cylinder { radius, half_length } => {
            let span = [-half_length, *half_length];
            Surface::ClosedCylinder { radius: *radius, span, hollow: false }
        }
        Shape::Capsule { radius, half_length } => {
            Surface::Capsule { radius: *radius, half_length: *half_length }
        }
        Shape::HalfSpace => Surface::Plane,
        Shape::Hull(hull) => mesh(hull.vertices(), hull.triangles())?,
        Shape::Mesh(surface) => mesh(surface.vertices(), surface.triangles())?,
        Shape::Compound(parts) => {
            for (local, part) in parts.iter() {
                surfaces_of(part, pose * *local, out)?;
            }
            return Ok(());
        }
        _ => {
            return Err(
                "a wall can be a ball, a box, a cylinder, a capsule, a hull, a mesh or a half-space".into()
            );
        }
    };
    out.push((pose, surface));
    Ok(())
}

impl World {
    /// Where a wall is now, and how it moves.
    pub(in crate::world) fn wall_motion(&self, wall: &GrainWall) -> WallMotion {
        match &wall.carrier {
            Carrier::Ground | Carrier::Structure(_) => WallMotion::at(&wall.pose),
            Carrier::Motion(motion) => prescribed(&wall.pose, motion, self.time()),
            Carrier::Body(body) => match self.body_motion(*body) {
                Ok(m) => {
                    let (position, rotation) = (m.position, m.rotation);
                    let (velocity, angular_velocity) = (m.velocity, m.angular_velocity);
                    let body = WallMotion { position, rotation, velocity, angular_velocity };
                    body.part(&wall.pose)
                }
                Err(_) => WallMotion::at(&wall.pose),
            },
        }
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
    ) -> std::result::Result<Vec<(Pose, Surface)>, (String, String)> {
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

    /// Warns of holes in a mesh.
    fn warn_about_mesh(&mut self, grains: &str, wall: &str, surfaces: &[(Pose, Surface)]) {
        for (_, surface) in surfaces {
            let Surface::Mesh(mesh) = surface else { continue };
            let report = mesh.report();
            if report.dropped > 0 {
                self.reports.warnings.push(format!(
                    "grains '{grains}': {} triangles of wall '{wall}' have zero area and are ignored",
                    report.dropped
                ));
            }
            if !report.is_closed() {
                self.reports.warnings.push(format!(
                    "grains '{grains}': wall '{wall}' is an open mesh: {} edges belong to one triangle only, and grains can pass through the rim or hole there",
                    report.open_edges
                ));
            }
        }
    }
}

impl GrainSet {
    /// Checks a wall and takes it in; one without a name gets one.
    pub(super) fn add_wall(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        walls: &mut [WallSpec],
        k: usize,
    ) -> Result<()> {
        if walls[k].name.is_empty() {
            let taken = |name: &str| walls.iter().any(|w| w.name == name);
            let free = (k + 1..).map(|n| format!("wall{n}")).find(|name| !taken(name));
            walls[k].name = free.unwrap_or_default();
        }
        let path = |key: &str| format!("walls.{k}.{key}");
        let spec = &walls[k];
        if self.walls.iter().any(|w| w.name == spec.name) {
            let problem = format!("there is already a wall '{}'; names must be unique", spec.name);
            return Err(owner.error(&path("name"), problem));
        }
        let wrong = |(key, e): (&str, String)| owner.error(&path(key), format!("wall '{}': {e}", spec.name));
        if let WallType::Structure { structure } = &spec.kind {
            return self.add_structure_wall(world, owner, spec, structure, &path);
        }
        let pose = frame_pose(&spec.mount.frame).map_err(wrong)?;
        let moved = (spec.mount.body.as_ref(), spec.mount.motion.as_ref());
        let (carrier, pose) = world.carrier_of(owner, &path, moved, pose, &wrong)?;
        let body = carrier.body();
        let surfaces = world.wall_surfaces(spec, body).map_err(|(key, e)| wrong((key.as_str(), e)))?;
        world.warn_about_mesh(owner.name, &spec.name, &surfaces);
        let (name, visible) = (spec.name.clone(), spec.is_visible());
        let material = match spec.material.clone() {
            Some(name) => self.material(world, owner, &path("material"), &name)?,
            None => 0,
        };
        let first = self.walls.last().map_or(0, |w| w.parts.end);
        let parts = first..first + surfaces.len();
        let inverse_mass = 0.0;
        self.walls.push(GrainWall { name, visible, carrier, pose, surfaces, material, parts, inverse_mass });
        Ok(())
    }
}
