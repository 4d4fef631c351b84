//! Convex hulls of points.

use glam::DVec3;
use parry3d_f64::transformation::try_convex_hull;

use crate::GeometryError;

/// Faces whose normals differ by less than this angle [rad] count as one face.
const COPLANAR: f64 = 1e-6;

/// A convex polyhedron: the hull of points, with its flat faces as polygons.
#[derive(Clone, Debug)]
pub struct Hull {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    face_normals: Vec<DVec3>,
    face_starts: Vec<u32>,
    face_vertices: Vec<u32>,
    neighbor_starts: Vec<u32>,
    neighbors: Vec<u32>,
    center: DVec3,
    size: f64,
}

impl Hull {
    /// Hull of `points` [m], which must be finite and span a volume.
    pub fn new(points: &[DVec3]) -> Result<Self, GeometryError> {
        if let Some(index) = points.iter().position(|p| !p.is_finite()) {
            return Err(GeometryError::NotFinite { shape: "convex hull", index });
        }
        let flat = GeometryError::FlatHull { points: points.len() };
        // Tolerances of the hull algorithm are absolute, so it sees points of size one.
        let bounds = crate::Aabb::of_points(points.iter().copied());
        let (center, size) = (bounds.center(), 0.5 * bounds.extent().max_element());
        if points.len() < 4 || !(size > 0.0 && size.is_finite()) {
            return Err(flat);
        }
        let unit = distinct(points.iter().map(|p| (*p - center) / size).collect());
        if thickness(&unit) < 1e-9 {
            return Err(flat);
        }
        let (vertices, triangles) = try_convex_hull(&unit).map_err(|_| flat.clone())?;
        let vertices: Vec<DVec3> = vertices.into_iter().map(|p| p * size + center).collect();
        Self::of_triangles(vertices, triangles).ok_or(flat)
    }

    fn of_triangles(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Option<Self> {
        let corner = |t: &[u32; 3], i: usize| vertices[t[i] as usize];
        let normals: Vec<DVec3> = triangles
            .iter()
            .map(|t| (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)).normalize_or_zero())
            .collect();
        let center = vertices.iter().copied().sum::<DVec3>() / vertices.len() as f64;
        let size = vertices.iter().fold(0.0f64, |r, p| r.max((*p - center).length()));
        let mut hull = Self {
            center,
            size,
            face_normals: Vec::new(),
            face_starts: vec![0],
            face_vertices: Vec::new(),
            neighbor_starts: Vec::new(),
            neighbors: Vec::new(),
            vertices,
            triangles,
        };
        hull.merge_coplanar(&normals);
        hull.connect();
        (hull.face_normals.len() >= 4).then_some(hull)
    }

    /// Joins triangles of one plane into polygons, counter-clockwise seen from outside.
    fn merge_coplanar(&mut self, normals: &[DVec3]) {
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| self.vertices[i as usize]);
            (b - a).cross(c - a).length_squared()
        };
        // The largest triangle of a plane defines its normal best.
        let mut order: Vec<usize> = (0..self.triangles.len()).collect();
        order.sort_by(|&i, &j| area(&self.triangles[j]).total_cmp(&area(&self.triangles[i])).then(i.cmp(&j)));
        let mut taken = vec![false; self.triangles.len()];
        for &seed in &order {
            let normal = normals[seed];
            if taken[seed] || normal == DVec3::ZERO {
                continue;
            }
            let mut corners = Vec::new();
            for (i, t) in self.triangles.iter().enumerate() {
                // A hull has one face a direction, so like normals mean one plane.
                if !taken[i] && (normals[i] - normal).length() < COPLANAR {
                    taken[i] = true;
                    corners.extend_from_slice(t);
                }
            }
            corners.sort_unstable();
            corners.dedup();
            order_around(&mut corners, &self.vertices, normal);
            self.face_vertices.extend_from_slice(&corners);
            self.face_starts.push(self.face_vertices.len() as u32);
            self.face_normals.push(normal);
        }
    }

    /// Vertices joined to each vertex by an edge of a triangle, for hill climbing.
    fn connect(&mut self) {
        let mut pairs: Vec<[u32; 2]> = self
            .triangles
            .iter()
            .flat_map(|t| {
                [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]], [t[1], t[0]], [t[2], t[1]], [t[0], t[2]]]
            })
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        self.neighbor_starts = (0..=self.vertices.len())
            .map(|v| pairs.partition_point(|p| (p[0] as usize) < v) as u32)
            .collect();
        self.neighbors = pairs.into_iter().map(|p| p[1]).collect();
    }

    /// Corners [m].
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Surface as triangles, outwards oriented.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Number of flat faces.
    pub fn face_count(&self) -> usize {
        self.face_normals.len()
    }

    /// Outward unit normals of the flat faces.
    pub fn face_normals(&self) -> &[DVec3] {
        &self.face_normals
    }

    /// Corners of face `face`, counter-clockwise seen from outside.
    pub fn face(&self, face: usize) -> &[u32] {
        &self.face_vertices[self.face_starts[face] as usize..self.face_starts[face + 1] as usize]
    }

    /// The mean of the vertices, a point inside [m].
    pub(crate) fn center(&self) -> DVec3 {
        self.center
    }

    /// Largest distance of a vertex from the mean [m].
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// The face whose normal is closest to `direction`.
    pub(crate) fn facing(&self, direction: DVec3) -> usize {
        let value = |f: usize| self.face_normals[f].dot(direction);
        (1..self.face_normals.len()).fold(0, |best, f| if value(f) > value(best) { f } else { best })
    }

    /// The vertex farthest along `direction`.
    pub fn support(&self, direction: DVec3) -> u32 {
        let value = |v: u32| self.vertices[v as usize].dot(direction);
        if self.vertices.len() <= 24 {
            let better = |best: (u32, f64), v: u32| if value(v) > best.1 { (v, value(v)) } else { best };
            return (0..self.vertices.len() as u32).fold((0, f64::NEG_INFINITY), better).0;
        }
        let mut best = (0u32, value(0));
        loop {
            let start = best.0 as usize;
            let range = self.neighbor_starts[start] as usize..self.neighbor_starts[start + 1] as usize;
            for &v in &self.neighbors[range] {
                if value(v) > best.1 {
                    best = (v, value(v));
                }
            }
            if best.0 as usize == start {
                return best.0;
            }
        }
    }
}

/// Points without duplicates (closer than 1e-10 along each axis), in the order given.
fn distinct(points: Vec<DVec3>) -> Vec<DVec3> {
    let key = |p: &DVec3| (*p * 1e10).round().to_array().map(|x| x as i64);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&i| (key(&points[i]), i));
    order.dedup_by_key(|i| key(&points[*i]));
    order.sort_unstable();
    order.into_iter().map(|i| points[i]).collect()
}

/// Thickness of the thinnest of a few slabs around the points: zero for points in one plane, line or point.
fn thickness(points: &[DVec3]) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points.iter().map(|p| *p - origin).fold((DVec3::ZERO, 0.0), |best: (DVec3, f64), d| {
            if measure(d) > best.1 { (d, measure(d)) } else { best }
        })
    };
    let first = farthest(&|d| d.length()).0.normalize_or_zero();
    let second = farthest(&|d| d.cross(first).length()).0;
    let normal = first.cross(second).normalize_or_zero();
    farthest(&|d| d.dot(normal).abs()).1
}

/// Sorts the corners of a convex polygon counter-clockwise about `normal`, starting at the smallest index, and drops
/// corners on a straight edge.
fn order_around(corners: &mut Vec<u32>, vertices: &[DVec3], normal: DVec3) {
    let at = |i: u32| vertices[i as usize];
    let center = corners.iter().map(|&i| at(i)).sum::<DVec3>() / corners.len() as f64;
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    let angle = |i: u32| (at(i) - center).dot(y).atan2((at(i) - center).dot(x));
    corners.sort_by(|&i, &j| angle(i).total_cmp(&angle(j)).then(i.cmp(&j)));
    let all = corners.clone();
    let count = all.len();
    corners.clear();
    for (k, &i) in all.iter().enumerate() {
        let before = at(i) - at(all[(k + count - 1) % count]);
        let after = at(all[(k + 1) % count]) - at(i);
        if before.cross(after).dot(normal) > 1e-9 * before.length() * after.length() {
            corners.push(i);
        }
    }
    if corners.len() < 3 {
        *corners = all;
    }
    if let Some(first) = (0..corners.len()).min_by_key(|&k| corners[k]) {
        corners.rotate_left(first);
    }
}
