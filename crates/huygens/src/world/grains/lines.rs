//! Structures as walls of grains.

use huygens_geometry::Pose;

use super::walls::{GrainWall, surfaces_of};
use super::{GrainSet, Owner, Result, World};
use crate::spec::{MAX_WALLS, MountSpec, WallSpec};
use crate::world::coupling::Carrier;

impl GrainSet {
    /// Checks a wall that is a structure and takes it in.
    pub(super) fn add_structure_wall(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        spec: &WallSpec,
        name: &str,
        path: &dyn Fn(&str) -> String,
    ) -> Result<()> {
        let wrong = |key: &str, e: String| owner.error(&path(key), format!("wall '{}': {e}", spec.name));
        if spec.mount != MountSpec::default() {
            let problem =
                "a structure is where it is and seen as itself: leave place, body, motion and visible out";
            return Err(wrong("structure", problem.into()));
        }
        let said = |e: String| wrong("structure", e);
        let (index, shapes) = world.line_pieces(owner, &path("structure"), name, &said)?;
        let mut surfaces = Vec::with_capacity(shapes.len());
        for shape in &shapes {
            surfaces_of(shape, Pose::IDENTITY, &mut surfaces).map_err(|e| wrong("structure", e))?;
        }
        let first = self.walls.last().map_or(0, |w| w.parts.end);
        let parts = first..first + surfaces.len();
        if parts.end > MAX_WALLS {
            let problem = format!("{} pieces of walls are not allowed; {MAX_WALLS} are", parts.end);
            return Err(wrong("structure", problem));
        }
        // The mass of one piece: what moves at once where a grain hits.
        let mass = world.objects.structures[index].model().line_mass() / surfaces.len().max(1) as f64;
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
        });
        Ok(())
    }
}
