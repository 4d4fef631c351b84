//! Walls behind meshes and heightmaps: points of a lattice by their depth.

use std::sync::Arc;

use huygens_geometry::{HeightField, Pose, Shape, query};
use huygens_kernel::Vec3;
use huygens_spec::WallSide;

use super::MarkerLayout;
use crate::error::{MeshFault, ParticleError, Result};
use crate::walls::mesh::WallMesh;

impl MarkerLayout {
    /// Wall behind a mesh of triangles: the points of a lattice that are behind it by up to the depth of the layers.
    ///
    /// The lattice has a cell in the least corner of the box about the mesh, so that the walls of a box have their first
    /// layer half a spacing behind them; behind other walls it is 0 to 1 spacings deep, half a spacing on average. With
    /// the fluid [`WallSide::Inside`] the mesh must be closed, and behind is outside. Else behind is inside a closed
    /// mesh, and where a mesh has a rim, opposite to the normals of its triangles (counter-clockwise seen from the
    /// fluid); a rim is rounded off. In a plane it is the cut through the middle of the mesh, which must go on far enough
    /// along the normal.
    pub fn mesh_wall(&self, mesh: &WallMesh, side: WallSide) -> Result<Vec<Vec3>> {
        self.check()?;
        let report = mesh.report();
        if side == WallSide::Inside && !report.is_closed() {
            return Err(ParticleError::Mesh(MeshFault::Open { edges: report.open_edges }));
        }
        let turned = report.is_closed() && mesh.signed_volume() < 0.0;
        let outward = side == WallSide::Inside;
        let sign = if turned == outward { -1.0 } else { 1.0 };
        let [low, high] = mesh.bounds();
        let (d, depth) = (self.spacing, self.depth());
        let margin = Vec3::splat(self.layers as f64 * d);
        // Whole cells more on the low side: the lattice of a fill of the same mesh goes on into the wall.
        let lattice = self.lattice(low - margin, high + margin + d)?;
        let reach = depth * (1.0 + super::ROUNDING);
        let behind = |at: &Vec3| {
            mesh.signed_within(*at, reach).is_some_and(|distance| {
                let below = sign * distance;
                below > 0.0 && below < depth
            })
        };
        Ok(lattice.points().filter(behind).collect())
    }

    /// Wall below a heightmap at a place: the points of a lattice that are below it by up to the depth of the layers.
    /// The lattice hangs half a spacing below its highest point, so that flat ground has its first layer there.
    ///
    /// In a plane it is the cut through the origin of the heightmap, whose own axes must be those of the world.
    pub fn heightmap_wall(&self, field: &HeightField, pose: &Pose) -> Result<Vec<Vec3>> {
        self.check()?;
        if !pose.is_finite() {
            return Err(ParticleError::range("the place of a heightmap", pose.position.length(), "finite"));
        }
        let bounds = field.local_aabb();
        let d = self.spacing;
        let (mut low, high) = (bounds.min, bounds.max);
        // As far below the lowest ground as the layers are deep, in whole cells from the top.
        low.z = high.z - (((high.z - low.z + self.depth()) / d).ceil() + 1.0) * d;
        let lattice = self.lattice(low, high)?;
        let shape = Shape::HeightField(Arc::new(field.clone()));
        let below = |at: &Vec3| {
            let distance = query::closest_point(&shape, &Pose::IDENTITY, *at).distance;
            distance < 0.0 && distance > -self.depth()
        };
        Ok(lattice.points().filter(below).map(|at| pose.point(at)).collect())
    }
}
