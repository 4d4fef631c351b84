//! Computes the points whose hull represents a part from its voxels.

use std::collections::HashMap;

use glam::DVec3;
use parry3d_f64::transformation::voxelization::{Voxel, VoxelSet, VoxelValue, VoxelizedVolume};

/// Coordinates of a voxel.
type Cell = [i64; 3];

fn cell_of(voxel: &Voxel) -> Cell {
    voxel.coords.to_array()
}

/// Points of each connected piece of a part: the surface of the mesh within its voxels, and the corners
/// of voxels inside the mesh that a cut laid bare. Their hull is tighter than that of all voxels, which
/// stand out by half their size.
///
/// A cut may leave a part in pieces; one thin hull around them would bridge the hollow between.
pub(super) fn piece_points(
    part: &VoxelSet,
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    inside: &InsideGrid,
) -> Vec<Vec<DVec3>> {
    let pieces = Pieces::new(part);
    let mut points = vec![Vec::new(); pieces.count];
    for point in part.compute_primitive_intersections(vertices, triangles) {
        if let Some(piece) = pieces.of_point((point - part.origin) / part.scale) {
            points[piece].push(point);
        }
    }
    for voxel in part.voxels().iter().filter(|v| v.is_on_surface) {
        let cell = cell_of(voxel);
        if let Some(piece) = pieces.of_cell.get(&cell).filter(|_| inside.contains(cell)) {
            let low = DVec3::from(cell.map(|c| c as f64)) - 0.5;
            for corner in 0..8 {
                let step = DVec3::new((corner & 1) as f64, (corner >> 1 & 1) as f64, (corner >> 2) as f64);
                points[*piece].push(part.origin + (low + step) * part.scale);
            }
        }
    }
    points
}

/// Voxels that touch by a face, an edge or a corner belong to one piece.
struct Pieces {
    of_cell: HashMap<Cell, usize>,
    count: usize,
}

impl Pieces {
    fn new(part: &VoxelSet) -> Self {
        const UNKNOWN: usize = usize::MAX;
        let mut of_cell: HashMap<Cell, usize> = part.voxels().iter().map(|v| (cell_of(v), UNKNOWN)).collect();
        let mut count = 0;
        let mut waiting = Vec::new();
        for seed in part.voxels().iter().map(cell_of) {
            if of_cell.get(&seed) != Some(&UNKNOWN) {
                continue;
            }
            of_cell.insert(seed, count);
            waiting.push(seed);
            while let Some(cell) = waiting.pop() {
                for near in neighbours(cell) {
                    if let Some(piece) = of_cell.get_mut(&near).filter(|piece| **piece == UNKNOWN) {
                        *piece = count;
                        waiting.push(near);
                    }
                }
            }
            count += 1;
        }
        Self { of_cell, count }
    }

    /// The piece of a point in units of voxels. On the border of voxels any of them will do: all that
    /// touch there are of one piece.
    fn of_point(&self, p: DVec3) -> Option<usize> {
        let cell = p.round().to_array().map(|c| c as i64);
        let nearest = self.of_cell.get(&cell).copied();
        nearest.or_else(|| {
            let touches = |near: &Cell| {
                let offset = (p - DVec3::from(near.map(|c| c as f64))).abs();
                offset.max_element() < 0.5 + 1e-6
            };
            neighbours(cell).filter(touches).find_map(|near| self.of_cell.get(&near).copied())
        })
    }
}

fn neighbours([x, y, z]: Cell) -> impl Iterator<Item = Cell> {
    (0..27).filter(|i| *i != 13).map(move |i| [x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1])
}

/// The voxels that lie entirely inside the mesh.
pub(super) struct InsideGrid {
    resolution: [i64; 3],
    inside: Vec<bool>,
}

impl InsideGrid {
    pub(super) fn new(voxels: &VoxelizedVolume) -> Self {
        let [nx, ny, nz] = voxels.resolution();
        let cells = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| (i, j, k))));
        let inside =
            cells.map(|(i, j, k)| voxels.voxel(i, j, k) == VoxelValue::PrimitiveInsideSurface).collect();
        Self { resolution: [nx, ny, nz].map(i64::from), inside }
    }

    fn contains(&self, cell: Cell) -> bool {
        let within = (0..3).all(|axis| (0..self.resolution[axis]).contains(&cell[axis]));
        within
            && self.inside[(cell[0] + self.resolution[0] * (cell[1] + self.resolution[1] * cell[2])) as usize]
    }
}
