//! Fills of closed meshes.

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::region::Region;
use super::{Fill, Filled};
use crate::error::{MeshFault, ParticleError, Result};
use crate::walls::mesh::WallMesh;

/// Grains a chunk of the loop.
const CHUNK: usize = 64;

impl Fill {
    /// Fills the inside of a closed mesh: with those grains of the fill of the region, mostly
    /// [`Region::about`] the mesh, that are wholly inside.
    ///
    /// Its solid fraction is that of the mesh: less than asked for by what the surface cuts off.
    pub fn make_inside(&self, ex: &Exec, mesh: &WallMesh) -> Result<Filled> {
        let report = mesh.report();
        if !report.is_closed() {
            return Err(ParticleError::Mesh(MeshFault::Open { edges: report.open_edges }));
        }
        let mut filled = self.make(ex)?;
        let mut inside = vec![false; filled.grains.len()];
        let grains = &filled.grains;
        ex.for_each_chunk(&mut inside, CHUNK, |c, inside| {
            for (inside, grain) in inside.iter_mut().zip(&grains[c * CHUNK..]) {
                let x = grain.position;
                *inside = !mesh.any_within(x, grain.radius) && winding(mesh, x).abs() > 0.5;
            }
        });
        let mut inside = inside.into_iter();
        filled.grains.retain(|_| inside.next().unwrap_or(false));
        if filled.grains.is_empty() {
            return Err(ParticleError::FillEmpty { radius: self.sizes.table()?.least() });
        }
        filled.mass = filled.grains.iter().map(|grain| grain.mass()).sum();
        filled.solid_fraction = filled.mass / self.density / volume(mesh);
        Ok(filled)
    }
}

impl Region {
    /// The box about a mesh.
    pub fn about(mesh: &WallMesh) -> Self {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for corner in mesh.triangles().iter().flatten() {
            let x = mesh.points()[*corner as usize];
            (low, high) = (low.min(x), high.max(x));
        }
        Self::Box { low, high }
    }
}

fn corners(mesh: &WallMesh) -> impl Iterator<Item = [Vec3; 3]> {
    mesh.triangles().iter().map(|corners| corners.map(|corner| mesh.points()[corner as usize]))
}

/// Volume within a closed mesh [m³].
fn volume(mesh: &WallMesh) -> f64 {
    (corners(mesh).map(|[a, b, c]| a.dot(b.cross(c))).sum::<f64>() / 6.0).abs()
}

/// How often a mesh turns about a point, by the solid angles of its triangles (vanoosterom1983).
fn winding(mesh: &WallMesh, x: Vec3) -> f64 {
    let angle = |corners: [Vec3; 3]| {
        let [a, b, c] = corners.map(|corner| corner - x);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    corners(mesh).map(angle).sum::<f64>() / (2.0 * std::f64::consts::PI)
}
