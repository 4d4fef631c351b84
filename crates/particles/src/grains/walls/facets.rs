//! Walls of a system that deform: how their vertices move, and what the grains do to them.

use huygens_kernel::Vec3;

use crate::error::{MeshFault, ParticleError, Result};
use crate::grains::system::GrainSystem;
use crate::walls::facets::Facets;
use crate::walls::surface::Surface;

impl GrainSystem {
    /// Moves the vertices of a wall that deforms straight from `start` [m], where they are now, to `end` [m], where
    /// they are after `h` [s].
    ///
    /// Their velocities are `(end - start) / h` meanwhile, and after it until they are set again. A caller with a step
    /// of its own gives each step where it starts and where it is expected to end; the grains take as many of their
    /// steps in between as they need.
    pub fn set_facet_motion(&mut self, wall: usize, start: &[Vec3], end: &[Vec3], h: f64) -> Result<()> {
        if !(h > 0.0 && h.is_finite()) {
            let what = "the time over which vertices move";
            return Err(ParticleError::range(what, h, "finite and above 0"));
        }
        let facets = self.facets_mut(wall)?;
        facets.check_count(end)?;
        facets.check_count(start)?;
        facets.set(start, |vertex| (end[vertex] - start[vertex]) / h)?;
        self.wall_states.items[wall].since = self.time;
        Ok(())
    }

    /// Puts the vertices of a wall that deforms to `vertices` [m], from where they go on with `velocities` [m/s].
    pub fn set_facet_velocities(
        &mut self,
        wall: usize,
        vertices: &[Vec3],
        velocities: &[Vec3],
    ) -> Result<()> {
        let facets = self.facets_mut(wall)?;
        facets.check_count(velocities)?;
        facets.check_count(vertices)?;
        facets.set(vertices, |vertex| velocities[vertex])?;
        self.wall_states.items[wall].since = self.time;
        Ok(())
    }

    /// Adds the present forces [N] of the grains on the vertices of a wall that deforms to `out`.
    pub fn add_vertex_forces(&self, wall: usize, out: &mut [Vec3]) -> Result<()> {
        self.facets(wall)?.check_count(out)?;
        for push in self.list.chunks.iter().flat_map(|chunk| &chunk.walls.pushes) {
            if push.wall as usize == wall {
                out[push.vertex as usize] += push.force;
            }
        }
        Ok(())
    }

    /// Writes the impulses [N·s] the grains gave the vertices of a wall that deforms since they were last taken to
    /// `out`, and starts from zero.
    ///
    /// They have the weights of the steps, so that what grains lose is what vertices get, to round-off. The angular
    /// momentum that went over while the vertices moved is that of
    /// [`take_wall_impulse`](Self::take_wall_impulse), about the origin of the world.
    pub fn take_vertex_impulses(&mut self, wall: usize, out: &mut [Vec3]) -> Result<()> {
        self.facets(wall)?.check_count(out)?;
        let impulses = &mut self.wall_states.items[wall].vertex_impulses;
        out.copy_from_slice(impulses);
        impulses.fill(Vec3::ZERO);
        Ok(())
    }

    fn facets(&self, wall: usize) -> Result<&Facets> {
        self.known_wall(wall)?;
        self.walls[wall].as_facets().ok_or(ParticleError::Mesh(MeshFault::NoFacets { wall }))
    }

    fn facets_mut(&mut self, wall: usize) -> Result<&mut Facets> {
        self.known_wall(wall)?;
        match &mut self.walls[wall].surface {
            Surface::Facets(facets) => Ok(facets),
            _ => Err(ParticleError::Mesh(MeshFault::NoFacets { wall })),
        }
    }

    /// Refuses to move a wall as a whole that moves by its vertices.
    pub(crate) fn refuse_facets(&self, wall: usize) -> Result<()> {
        match self.walls[wall].as_facets() {
            None => Ok(()),
            Some(_) => Err(ParticleError::Mesh(MeshFault::Carried { name: self.walls[wall].name.clone() })),
        }
    }
}
