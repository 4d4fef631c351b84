//! Terrain given by heights on a regular grid.

use glam::{DVec2, DVec3};

use crate::surface::Surface;
use crate::triangle_mesh::FEATURE_LIMIT;
use crate::{Aabb, GeometryError};

/// Heights z(x, y) on a regular grid centred in x and y; solid below.
///
/// Each cell is two triangles that share the diagonal from its smallest to its largest corner.
#[derive(Clone, Debug)]
pub struct HeightField {
    nx: usize,
    ny: usize,
    heights: Vec<f64>,
    size: DVec2,
    step: DVec2,
    bounds: Aabb,
}

impl HeightField {
    /// Field of `nx` by `ny` samples (2 or more each) over a rectangle with edges `size` [m]; sample (i, j) is
    /// `heights[i + nx * j]` [m], i along x.
    pub fn new(nx: usize, ny: usize, heights: Vec<f64>, size: DVec2) -> Result<Self, GeometryError> {
        let expected = nx.saturating_mul(ny);
        if nx < 2 || ny < 2 || heights.len() != expected {
            return Err(GeometryError::HeightFieldSize { nx, ny, expected, heights: heights.len() });
        }
        let limit = FEATURE_LIMIT / 3;
        if expected > limit {
            return Err(GeometryError::TooLarge { what: "samples", count: expected, limit });
        }
        for value in size.to_array() {
            if !(value > 0.0 && value.is_finite()) {
                return Err(GeometryError::NotPositive { shape: "height field", quantity: "size", value });
            }
        }
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return Err(GeometryError::NotFinite { shape: "height field", index });
        }
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bounds = Aabb::new((-0.5 * size).extend(low), (0.5 * size).extend(high));
        let step = size / DVec2::new((nx - 1) as f64, (ny - 1) as f64);
        Ok(Self { nx, ny, heights, size, step, bounds })
    }

    /// Samples along x and y.
    pub fn samples(&self) -> (usize, usize) {
        (self.nx, self.ny)
    }

    /// Heights [m]; sample (i, j) is at `i + nx * j`.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Edges of the rectangle [m].
    pub fn size(&self) -> DVec2 {
        self.size
    }

    /// Axis-aligned box around the surface, in local axes [m].
    pub fn local_aabb(&self) -> Aabb {
        self.bounds
    }

    /// Local position of sample (i, j) [m].
    pub fn sample(&self, i: usize, j: usize) -> DVec3 {
        let x = -0.5 * self.size.x + self.step.x * i as f64;
        let y = -0.5 * self.size.y + self.step.y * j as f64;
        DVec3::new(x, y, self.heights[i + self.nx * j])
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        2 * (self.nx - 1) * (self.ny - 1)
    }

    /// Corners of triangle `t` [m], counter-clockwise seen from above.
    pub fn triangle_corners(&self, t: u32) -> [DVec3; 3] {
        self.corner_samples(t).map(|(i, j)| self.sample(i, j))
    }

    /// Cells (i, j) whose rectangle touches that of `region`: first and last of i, first and last of j.
    pub fn cells_touching(&self, region: &Aabb) -> Option<[usize; 4]> {
        let low = (region.min.truncate() + 0.5 * self.size) / self.step;
        let high = (region.max.truncate() + 0.5 * self.size) / self.step;
        let last = DVec2::new((self.nx - 2) as f64, (self.ny - 2) as f64);
        if !(low.cmple(last + 1.0).all() && high.cmpge(DVec2::ZERO).all()) {
            return None;
        }
        let first = low.floor().clamp(DVec2::ZERO, last);
        let end = high.floor().clamp(DVec2::ZERO, last);
        Some([first.x as usize, end.x as usize, first.y as usize, end.y as usize])
    }

    fn cell(&self, t: u32) -> (usize, usize) {
        let cell = t as usize / 2;
        (cell % (self.nx - 1), cell / (self.nx - 1))
    }

    fn corner_samples(&self, t: u32) -> [(usize, usize); 3] {
        let (i, j) = self.cell(t);
        if t.is_multiple_of(2) {
            [(i, j), (i + 1, j), (i + 1, j + 1)]
        } else {
            [(i, j), (i + 1, j + 1), (i, j + 1)]
        }
    }

    /// The six (or fewer) samples joined to (i, j) by an edge.
    fn sample_neighbors(&self, i: usize, j: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        [(1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1)].into_iter().filter_map(move |(di, dj)| {
            let (i, j) = (i.checked_add_signed(di)?, j.checked_add_signed(dj)?);
            (i < self.nx && j < self.ny).then_some((i, j))
        })
    }
}

impl Surface for HeightField {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn each_triangle(&self, region: &Aabb, mut visit: impl FnMut(u32)) {
        let Some([i0, i1, j0, j1]) = self.cells_touching(region) else { return };
        for j in j0..=j1 {
            for i in i0..=i1 {
                let t = 2 * (i + (self.nx - 1) * j) as u32;
                for t in [t, t + 1] {
                    let z = self.triangle_corners(t).map(|p| p.z);
                    let low = z[0].min(z[1]).min(z[2]);
                    let high = z[0].max(z[1]).max(z[2]);
                    if low <= region.max.z && high >= region.min.z {
                        visit(t);
                    }
                }
            }
        }
    }

    fn triangle(&self, t: u32) -> [DVec3; 3] {
        self.triangle_corners(t)
    }

    fn normal(&self, t: u32) -> DVec3 {
        let [a, b, c] = self.triangle_corners(t);
        (b - a).normalize_or_zero().cross((c - a).normalize_or_zero()).normalize_or_zero()
    }

    fn neighbor(&self, t: u32, side: usize) -> Option<u32> {
        let (i, j) = self.cell(t);
        let (di, dj, odd) = match (t % 2, side) {
            (0, 0) => (0, -1, 1),
            (0, 1) => (1, 0, 1),
            (0, _) => (0, 0, 1),
            (_, 0) => (0, 0, 0),
            (_, 1) => (0, 1, 0),
            (_, _) => (-1, 0, 0),
        };
        let (i, j) = (i.checked_add_signed(di)?, j.checked_add_signed(dj)?);
        (i + 1 < self.nx && j + 1 < self.ny).then(|| 2 * (i + (self.nx - 1) * j) as u32 + odd)
    }

    fn edge_id(&self, t: u32, side: usize) -> u32 {
        let corners = self.corner_samples(t);
        let (a, b) = (corners[side], corners[(side + 1) % 3]);
        let start = (a.0.min(b.0), a.1.min(b.1));
        // From its smallest sample an edge leads along x (0), along y (1) or along the diagonal (2).
        let direction = match (a.0 != b.0, a.1 != b.1) {
            (true, false) => 0,
            (false, _) => 1,
            _ => 2,
        };
        (3 * (start.0 + self.nx * start.1) + direction) as u32
    }

    fn vertex_id(&self, t: u32, corner: usize) -> u32 {
        let (i, j) = self.corner_samples(t)[corner];
        (i + self.nx * j) as u32
    }

    fn vertex_normal(&self, t: u32, corner: usize) -> Option<DVec3> {
        let (i, j) = self.corner_samples(t)[corner];
        // Inside and outside are below and above, so up will do where the ground is smooth or not.
        (i > 0 && j > 0 && i + 1 < self.nx && j + 1 < self.ny).then_some(DVec3::Z)
    }

    fn any_vertex_neighbor(&self, t: u32, corner: usize, mut test: impl FnMut(DVec3) -> bool) -> bool {
        let (i, j) = self.corner_samples(t)[corner];
        self.sample_neighbors(i, j).any(|(i, j)| test(self.sample(i, j)))
    }

    fn patch(&self, t: u32) -> u32 {
        // Neighbours in a cell share a name where the cell is flat.
        if t % 2 == 1 && (self.normal(t) - self.normal(t - 1)).length() < 1e-6 { t - 1 } else { t }
    }
}
