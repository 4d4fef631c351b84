//! Surfaces of fluids: particles as one closed mesh, by marching cubes on their density.

use std::collections::HashMap;

use glam::Vec3;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::{Parameters, reconstruct_surface};

use crate::error::RenderError;

/// Reach of the density of a particle, and edge of a cube, in radii.
const REACH: f32 = 4.0;
const CUBE: f32 = 1.0;

/// Triangles around particles of one radius.
#[derive(Debug)]
pub(crate) struct FluidMesh {
    pub vertices: Vec<Vec3>,
    pub corners: Vec<u32>,
}

impl FluidMesh {
    /// The surface of particles of the radius `radius` [m] at `places` [m]; `name` is that of their group.
    pub fn new(name: &str, places: &[Vec3], radius: f32) -> Result<Self, RenderError> {
        let fault = |reason: String| RenderError::FluidSurface { name: name.into(), reason };
        if places.is_empty() {
            return Ok(Self { vertices: Vec::new(), corners: Vec::new() });
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(fault(format!("its particles have a radius of {radius}")));
        }
        // On one thread: the same triangles in the same order on any machine.
        let parameters = Parameters {
            enable_multi_threading: false,
            ..Parameters::new(radius, REACH * radius, CUBE * radius)
        };
        let points: Vec<Vector3<f32>> = places.iter().map(|p| Vector3::new(p.x, p.y, p.z)).collect();
        let mesh =
            reconstruct_surface::<i64, f32>(&points, &parameters).map_err(|e| fault(e.to_string()))?.mesh;
        let vertices = mesh.vertices.iter().map(|v| Vec3::new(v.x, v.y, v.z)).collect();
        let corners = mesh.triangles.iter().flatten().map(|corner| *corner as u32).collect();
        Ok(Self { vertices, corners })
    }

    /// For each vertex the particle that is nearest.
    pub fn nearest(&self, places: &[Vec3], radius: f32) -> Vec<usize> {
        let cell = |p: Vec3| (p / (2.0 * radius)).floor().as_ivec3();
        let mut cells: HashMap<glam::IVec3, Vec<usize>> = HashMap::new();
        for (k, place) in places.iter().enumerate() {
            cells.entry(cell(*place)).or_default().push(k);
        }
        let around = |p: Vec3| {
            let middle = cell(p);
            let offset = |n: i32| glam::IVec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            (0..27).filter_map(|n| cells.get(&(middle + offset(n)))).flatten().copied().collect::<Vec<_>>()
        };
        let distance = |p: Vec3, k: usize| p.distance_squared(places[k]);
        let find = |p: &Vec3| {
            let near = around(*p).into_iter().min_by(|a, b| distance(*p, *a).total_cmp(&distance(*p, *b)));
            near.unwrap_or(0)
        };
        self.vertices.iter().map(find).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve cubed particles: the mesh is closed and holds about their volume.
    #[test]
    fn a_block_of_particles_has_a_closed_surface_of_its_volume() {
        let d = 0.1_f32;
        let places: Vec<Vec3> = (0..12 * 12 * 12)
            .map(|n| Vec3::new((n % 12) as f32, (n / 12 % 12) as f32, (n / 144) as f32) * d)
            .collect();
        let mesh = FluidMesh::new("water", &places, 0.5 * d).unwrap();
        let corner = |k: u32| mesh.vertices[k as usize];
        let volume: f32 = mesh
            .corners
            .chunks_exact(3)
            .map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))) / 6.0)
            .sum();
        let exact = (12.0 * d).powi(3);
        assert!((volume / exact - 1.0).abs() < 0.08, "{volume} of {exact}");
        let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
        for t in mesh.corners.chunks_exact(3) {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
            }
        }
        assert!(edges.values().all(|n| *n == 0), "an edge has a triangle on one side only");
        let near = mesh.nearest(&places, 0.5 * d);
        let off = mesh.vertices.iter().zip(near).map(|(v, k)| v.distance(places[k])).fold(0.0, f32::max);
        assert!(off < d, "{off}");
        assert!(FluidMesh::new("water", &[], d).unwrap().corners.is_empty());
        assert!(FluidMesh::new("water", &places, 0.0).is_err());
    }
}
