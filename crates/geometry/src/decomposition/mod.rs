//! Convex decomposition: a concave mesh as a handful of convex hulls.
//!
//! Volumetric hierarchical approximate convex decomposition (V-HACD, mamou2016): the mesh is filled
//! with voxels, and the voxels are cut by planes until each part is nearly convex. The result
//! depends on the mesh and the settings only.

mod cache;
mod pieces;

use std::path::Path;

use glam::DVec3;
use parry3d_f64::transformation::try_convex_hull;
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d_f64::transformation::voxelization::{FillMode, VoxelizedVolume};
use thiserror::Error;

use crate::mesh_file::{self, MeshFileError, MeshLimits};
use crate::{Aabb, GeometryError, Shape, TriangleMesh};

use pieces::{InsideGrid, piece_points};

pub use cache::{CacheFault, CacheUse};

/// Settings of a convex decomposition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecompositionSettings {
    /// Voxels along the longest side of the mesh, 8 to 256; time grows with the cube.
    pub resolution: u32,
    /// Parts are cut while the volume between a part and its hull exceeds this fraction of the volume
    /// of the hull of the whole mesh; 0 to 1.
    pub concavity: f64,
    /// Largest number of hulls, 1 to 256; where the cuts give more, the pairs that fit best are merged.
    pub max_hulls: u32,
    /// Largest number of vertices per hull, 8 to 1024; the least significant ones are removed.
    pub max_vertices: u32,
}

impl Default for DecompositionSettings {
    fn default() -> Self {
        Self { resolution: 64, concavity: 0.01, max_hulls: 32, max_vertices: 64 }
    }
}

impl DecompositionSettings {
    fn check(&self) -> Result<(), DecompositionError> {
        let settings = [
            ("resolution", f64::from(self.resolution), 8.0, 256.0),
            ("concavity", self.concavity, 0.0, 1.0),
            ("max_hulls", f64::from(self.max_hulls), 1.0, 256.0),
            ("max_vertices", f64::from(self.max_vertices), 8.0, 1024.0),
        ];
        for (name, value, least, most) in settings {
            if !(least..=most).contains(&value) {
                return Err(DecompositionError::Setting { name, value, least, most });
            }
        }
        Ok(())
    }
}

/// The reason why a mesh was not decomposed.
#[derive(Debug, Error)]
pub enum DecompositionError {
    /// A setting is out of range.
    #[error("the setting {name} of a convex decomposition must lie between {least} and {most}, not {value}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// The value given.
        value: f64,
        /// Smallest value.
        least: f64,
        /// Largest value.
        most: f64,
    },
    /// The mesh file cannot be used.
    #[error(transparent)]
    File(#[from] MeshFileError),
    /// The mesh or a hull of it cannot be used.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// No part has a volume.
    #[error("the mesh is too flat for a convex decomposition: no part of it has a volume")]
    Flat,
}

/// Convex hulls of a mesh file, and the outcome of using their cache.
#[derive(Clone, Debug)]
pub struct CachedDecomposition {
    /// The parts, each a [`Shape::Hull`] in the frame of the mesh.
    pub hulls: Vec<Shape>,
    /// Whether the hulls were computed or read.
    pub cache: CacheUse,
}

/// Decomposes a mesh into convex hulls, each a [`Shape::Hull`] in the frame of the mesh.
///
/// The mesh should be closed; with holes wider than a voxel the inside is treated as outside, and only the skin is
/// decomposed.
pub fn decompose(
    mesh: &TriangleMesh,
    settings: &DecompositionSettings,
) -> Result<Vec<Shape>, DecompositionError> {
    shapes(&hull_points(mesh, settings)?)
}

/// Decomposes the mesh in a file; the result is cached next to it in `<name>.hulls` and reused while the content of the
/// mesh file, the settings and the version of the method are unchanged.
///
/// A stale or damaged cache is recomputed and replaced. Failing to write it is reported in the result and is not an
/// error.
pub fn decompose_cached(
    mesh: &Path,
    limits: &MeshLimits,
    settings: &DecompositionSettings,
) -> Result<CachedDecomposition, DecompositionError> {
    settings.check()?;
    let bytes = mesh_file::read_bytes(mesh, limits)?;
    let cache = cache::Cache::new(mesh, &bytes, settings);
    let fault = match cache.read() {
        Ok(points) => match shapes(&points) {
            Ok(hulls) => return Ok(CachedDecomposition { hulls, cache: CacheUse::Reused }),
            Err(_) => Some(CacheFault::Damaged),
        },
        Err(fault) => fault,
    };
    let data = mesh_file::parse(mesh, &bytes, limits)?;
    let points = hull_points(&TriangleMesh::new(data.vertices, data.triangles)?, settings)?;
    let hulls = shapes(&points)?;
    Ok(CachedDecomposition { hulls, cache: cache.write(&points, fault) })
}

/// Cached and new hulls are built by the same steps from the same points, so they are bit-identical.
fn shapes(points: &[Vec<DVec3>]) -> Result<Vec<Shape>, DecompositionError> {
    Ok(points.iter().map(|hull| Shape::hull(hull)).collect::<Result<_, _>>()?)
}

/// Vertices of each hull.
fn hull_points(
    mesh: &TriangleMesh,
    settings: &DecompositionSettings,
) -> Result<Vec<Vec<DVec3>>, DecompositionError> {
    settings.check()?;
    // The method has absolute tolerances, so it sees a mesh of size one.
    let bounds = mesh.local_aabb();
    let (center, size) = (bounds.center(), bounds.extent().max_element());
    let vertices: Vec<DVec3> = mesh.vertices().iter().map(|v| (*v - center) / size).collect();
    if !vertices.iter().all(|v| v.is_finite()) {
        return Err(DecompositionError::Flat);
    }
    let mut parts = cut(&vertices, mesh.triangles(), settings);
    merge(&mut parts, settings.max_hulls as usize);
    for part in &mut parts {
        simplify(part, settings.max_vertices as usize);
    }
    if parts.is_empty() {
        return Err(DecompositionError::Flat);
    }
    Ok(parts.into_iter().map(|part| part.points.iter().map(|p| *p * size + center).collect()).collect())
}

/// A convex part: the vertices, triangles and volume of its hull.
#[derive(Clone, Debug)]
struct Part {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    volume: f64,
    bounds: Aabb,
}

impl Part {
    /// Hull of the points; nothing if it is too thin for [`Shape::hull`].
    fn new(points: &[DVec3]) -> Option<Self> {
        let (points, triangles) = try_convex_hull(&distinct(points)).ok()?;
        let bounds = Aabb::of_points(points.iter().copied());
        let middle = bounds.center();
        let (mut volume, mut area) = (0.0, 0.0);
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|i| points[i as usize] - middle);
            volume += a.dot(b.cross(c)) / 6.0;
            area += 0.5 * (b - a).cross(c - a).length();
        }
        // Volume over area is a thickness, of sheets and of wires alike.
        let thin = 1e-8 * bounds.extent().max_element() * area;
        (volume > thin).then_some(Self { points, triangles, volume, bounds })
    }

    fn merged(&self, other: &Self) -> Option<Self> {
        let both: Vec<DVec3> = self.points.iter().chain(&other.points).copied().collect();
        Self::new(&both)
    }
}

/// One of each group of points that agree to 1e-9, in a mesh of size one: clipping leaves many, and
/// the hull algorithm is made for points that differ.
fn distinct(points: &[DVec3]) -> Vec<DVec3> {
    let cell = |p: &DVec3| (*p * 1e9).round().to_array().map(|x| x as i64);
    let mut order: Vec<([i64; 3], usize)> = points.iter().map(cell).zip(0..).collect();
    order.sort_unstable();
    order.dedup_by_key(|(cell, _)| *cell);
    order.into_iter().map(|(_, i)| points[i]).collect()
}

fn cut(vertices: &[DVec3], triangles: &[[u32; 3]], settings: &DecompositionSettings) -> Vec<Part> {
    let parameters = VHACDParameters {
        resolution: settings.resolution,
        concavity: settings.concavity,
        max_convex_hulls: settings.max_hulls,
        fill_mode: FillMode::FloodFill { detect_cavities: false },
        // The approximation may ask for hulls of points in one plane, which end in a panic.
        convex_hull_approximation: false,
        // Hulls of a part of the voxels miss corners, and even a box would seem concave.
        convex_hull_downsampling: 1,
        // Without more weight on equal halves a ring is cut into slices one voxel thick, whose hulls span its hole.
        alpha: 0.3,
        ..VHACDParameters::default()
    };
    let voxels =
        VoxelizedVolume::voxelize(vertices, triangles, parameters.resolution, parameters.fill_mode, true);
    let inside = InsideGrid::new(&voxels);
    let parts = VHACD::from_voxels(&parameters, voxels.into());
    let pieces = parts.voxel_parts().iter().flat_map(|part| piece_points(part, vertices, triangles, &inside));
    pieces.filter_map(|points| Part::new(&points)).collect()
}

/// Merges the pair whose common hull adds the least volume, until no more than `most` parts are left.
fn merge(parts: &mut Vec<Part>, most: usize) {
    // Neighbours first: the hull of parts far apart is mostly empty, and there are many such pairs.
    for near_only in [true, false] {
        if parts.len() <= most {
            return;
        }
        let mut pairs = MergePairs::new(parts, near_only);
        while parts.len() > most
            && let Some((i, j)) = pairs.cheapest()
            && let Some(merged) = parts[i].merged(&parts[j])
        {
            parts[i] = merged;
            parts.swap_remove(j);
            pairs.merged(parts, i, j);
        }
    }
}

/// Pairs of parts i < j with the volume that merging them adds.
struct MergePairs {
    near_only: bool,
    added: Vec<(usize, usize, f64)>,
}

impl MergePairs {
    fn new(parts: &[Part], near_only: bool) -> Self {
        let mut pairs = Self { near_only, added: Vec::new() };
        for j in 0..parts.len() {
            for i in 0..j {
                pairs.push(parts, i, j);
            }
        }
        pairs
    }

    fn push(&mut self, parts: &[Part], i: usize, j: usize) {
        let (a, b) = (&parts[i], &parts[j]);
        if self.near_only && !a.bounds.enlarged(1e-3).overlaps(&b.bounds) {
            return;
        }
        let added = a.merged(b).map_or(f64::INFINITY, |m| m.volume - a.volume - b.volume);
        self.added.push((i.min(j), i.max(j), added));
    }

    fn cheapest(&self) -> Option<(usize, usize)> {
        let order = |a: &&(usize, usize, f64), b: &&(usize, usize, f64)| {
            a.2.total_cmp(&b.2).then((a.0, a.1).cmp(&(b.0, b.1)))
        };
        self.added.iter().min_by(order).map(|(i, j, _)| (*i, *j))
    }

    /// Part `j` went into `i`, and the last part took its place.
    fn merged(&mut self, parts: &[Part], i: usize, j: usize) {
        let last = parts.len();
        self.added.retain(|(a, b, _)| ![i, j].contains(a) && ![i, j].contains(b));
        for (a, b, _) in &mut self.added {
            let renamed = [*a, *b].map(|x| if x == last { j } else { x });
            (*a, *b) = (renamed[0].min(renamed[1]), renamed[0].max(renamed[1]));
        }
        for other in (0..parts.len()).filter(|other| *other != i) {
            self.push(parts, i, other);
        }
    }
}

/// Keeps the vertices that matter most: from a few extreme ones, always adds the one farthest outside.
fn simplify(part: &mut Part, most: usize) {
    if part.points.len() <= most {
        return;
    }
    let mut kept: Vec<DVec3> = Vec::with_capacity(most);
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for direction in axes.iter().flat_map(|axis| [*axis, -*axis]) {
        let far = part.points.iter().copied().max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction)));
        kept.extend(far.filter(|p| !kept.contains(p)));
    }
    while kept.len() < most {
        let Some(hull) = Part::new(&kept) else {
            // Still flat: any further vertex helps.
            match part.points.iter().find(|p| !kept.contains(p)) {
                Some(point) => kept.push(*point),
                None => return,
            }
            continue;
        };
        let planes: Vec<(DVec3, f64)> = hull
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| hull.points[i as usize]);
                let normal = (b - a).cross(c - a).normalize_or_zero();
                (normal, normal.dot(a))
            })
            .collect();
        let outside = |p: &DVec3| planes.iter().fold(f64::NEG_INFINITY, |far, (n, d)| far.max(n.dot(*p) - d));
        let Some(far) = part.points.iter().max_by(|a, b| outside(a).total_cmp(&outside(b))) else { return };
        if outside(far) < 1e-9 || kept.contains(far) {
            break;
        }
        kept.push(*far);
    }
    if let Some(hull) = Part::new(&kept) {
        *part = hull;
    }
}
