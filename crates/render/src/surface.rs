//! Surfaces of triangles.

use glam::{Vec3, Vec4};
use huygens_exec::Exec;

use crate::tree::{Bounds, LEAF, NONE, Ray, Stack, Tree, TreeCost};

/// Corners where more triangles meet than this are smoothed without looking at creases.
const VALENCE_LIMIT: usize = 256;

/// Triangles with a tree over them.
pub(crate) struct Surface {
    pub bounds: Bounds,
    tree: Tree,
    packs: Vec<Pack>,
    triangles: Vec<[u32; 3]>,
    /// Unit normals at the corners of each triangle.
    normals: Vec<[Vec3; 3]>,
    /// Linear colours of vertices, where they have some.
    colors: Vec<Vec3>,
    /// Whether it has an inside: every edge joins two triangles.
    closed: bool,
}

/// Four triangles side by side: a corner and two edges, coordinates first.
#[derive(Clone, Copy)]
struct Pack {
    corner: [Vec4; 3],
    first: [Vec4; 3],
    second: [Vec4; 3],
}

/// Which of four triangles a ray meets, where, and which of them from behind.
struct Meeting {
    hits: u32,
    t: Vec4,
    u: Vec4,
    v: Vec4,
    behind: u32,
}

/// A point on a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceHit {
    pub t: f32,
    pub triangle: u32,
    pub u: f32,
    pub v: f32,
    /// Whether the ray comes from behind the triangle.
    pub leaves: bool,
}

impl Surface {
    /// Triangles of which every corner is a vertex; `crease` [rad] is the largest angle that is smoothed.
    pub fn new(vertices: &[Vec3], triangles: &[u32], crease: f32, colors: Vec<Vec3>) -> Self {
        let triangles: Vec<[u32; 3]> = triangles.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
        let corners = |t: &[u32; 3]| t.map(|i| vertices[i as usize]);
        let around = |t: &[u32; 3]| corners(t).iter().fold(Bounds::EMPTY, |all, p| all.with(*p));
        let bounds: Vec<Bounds> = triangles.iter().map(around).collect();
        let tree = Tree::build(&Exec::serial(), &bounds, TreeCost { thing: 0.4 });
        let pack = |leaf: &[u32; LEAF]| {
            Pack::new(leaf.map(|i| (i != NONE).then(|| corners(&triangles[i as usize]))))
        };
        let packs = tree.leaves.iter().map(pack).collect();
        let points = welded(vertices);
        let normals = corner_normals(vertices, &points, &triangles, crease);
        let closed = is_closed(&points, &triangles);
        let whole = bounds.iter().fold(Bounds::EMPTY, |all, b| all.join(*b));
        Self { bounds: whole, tree, packs, triangles, normals, colors, closed }
    }

    /// First point on the ray, from either side.
    #[inline]
    pub fn nearest(&self, ray: &Ray, reach: f32, stack: &mut Stack) -> Option<SurfaceHit> {
        let mut best = None;
        self.tree.nearest(ray, reach, stack, |leaf, mut reach, _| {
            let Meeting { mut hits, t, u, v, behind } = self.packs[leaf as usize].meet(ray, reach);
            while hits != 0 {
                let slot = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                if t[slot] < reach {
                    reach = t[slot];
                    let triangle = self.tree.leaves[leaf as usize][slot];
                    let leaves = behind & 1 << slot != 0;
                    best = Some(SurfaceHit { t: reach, triangle, u: u[slot], v: v[slot], leaves });
                }
            }
            reach
        });
        best
    }

    /// Whether anything lies on the ray before `reach`.
    #[inline]
    pub fn blocks(&self, ray: &Ray, reach: f32, stack: &mut Stack) -> bool {
        self.tree.any(ray, reach, stack, |leaf, _| self.packs[leaf as usize].meet(ray, reach).hits != 0)
    }

    /// Whether the start of a ray lies inside.
    pub fn holds(&self, ray: &Ray, stack: &mut Stack) -> bool {
        self.closed && self.nearest(ray, f32::INFINITY, stack).is_some_and(|hit| hit.leaves)
    }

    /// Smooth unit normal.
    pub fn normal(&self, hit: &SurfaceHit) -> Vec3 {
        let [a, b, c] = self.normals[hit.triangle as usize];
        (a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v).normalize_or(a)
    }

    /// Linear colour, where vertices have one.
    pub fn color(&self, hit: &SurfaceHit) -> Option<Vec3> {
        if self.colors.is_empty() {
            return None;
        }
        let [a, b, c] = self.triangles[hit.triangle as usize].map(|i| self.colors[i as usize]);
        Some(a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v)
    }
}

impl Pack {
    fn new(triangles: [Option<[Vec3; 3]>; LEAF]) -> Self {
        let mut pack = Self { corner: [Vec4::ZERO; 3], first: [Vec4::ZERO; 3], second: [Vec4::ZERO; 3] };
        for (slot, triangle) in triangles.into_iter().enumerate() {
            // Edges of zero length are never met.
            let Some([a, b, c]) = triangle else { continue };
            for axis in 0..3 {
                pack.corner[axis][slot] = a[axis];
                pack.first[axis][slot] = b[axis] - a[axis];
                pack.second[axis][slot] = c[axis] - a[axis];
            }
        }
        pack
    }

    /// Which triangles the ray meets, where, and at which barycentric coordinates (`moller1997`).
    #[inline(always)]
    fn meet(&self, ray: &Ray, reach: f32) -> Meeting {
        let d = [0, 1, 2].map(|axis| Vec4::splat(ray.direction[axis]));
        let p = cross(&d, &self.second);
        let determinant = dot(&self.first, &p);
        let inverse = Vec4::ONE / determinant;
        let s = [0, 1, 2].map(|axis| Vec4::splat(ray.origin[axis]) - self.corner[axis]);
        let u = dot(&s, &p) * inverse;
        let q = cross(&s, &self.first);
        let v = dot(&d, &q) * inverse;
        let t = dot(&self.second, &q) * inverse;
        // Comparisons with the NaN or infinity of a degenerate triangle are false.
        let zero = Vec4::ZERO;
        let inside = u.cmpge(zero) & v.cmpge(zero) & (u + v).cmple(Vec4::ONE);
        let hits = inside & t.cmpgt(zero) & t.cmplt(Vec4::splat(reach));
        Meeting { hits: hits.bitmask(), t, u, v, behind: determinant.cmplt(zero).bitmask() }
    }
}

#[inline(always)]
fn cross(a: &[Vec4; 3], b: &[Vec4; 3]) -> [Vec4; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: &[Vec4; 3], b: &[Vec4; 3]) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Normals at corners: those of the faces around the same point that differ by less than the crease angle, weighted
/// by their angle there.
fn corner_normals(vertices: &[Vec3], points: &[u32], triangles: &[[u32; 3]], crease: f32) -> Vec<[Vec3; 3]> {
    let face = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        (b - a).cross(c - a).normalize_or(Vec3::Z)
    };
    let faces: Vec<Vec3> = triangles.iter().map(face).collect();
    let (starts, around) = faces_around(points, triangles);
    let limit = crease.clamp(0.0, std::f32::consts::PI).cos() - 1e-6;
    let mut normals = Vec::with_capacity(triangles.len());
    for (index, triangle) in triangles.iter().enumerate() {
        normals.push(triangle.map(|corner| {
            let point = points[corner as usize] as usize;
            let near = &around[starts[point]..starts[point + 1]];
            if near.len() > VALENCE_LIMIT {
                return faces[index];
            }
            let smooth = near.iter().filter(|f| faces[**f as usize].dot(faces[index]) >= limit);
            let weigh = |f: &u32| {
                let triangle = triangles[*f as usize].map(|i| vertices[i as usize]);
                faces[*f as usize] * angle_at(triangle, vertices[corner as usize])
            };
            smooth.map(weigh).sum::<Vec3>().normalize_or(faces[index])
        }));
    }
    normals
}

/// Angle of a triangle at the corner nearest to a point.
fn angle_at([a, b, c]: [Vec3; 3], point: Vec3) -> f32 {
    let corner =
        [(a, b, c), (b, c, a), (c, a, b)].into_iter().find(|corner| corner.0 == point).unwrap_or((a, b, c));
    let [u, v] = [corner.1 - corner.0, corner.2 - corner.0];
    if u.length_squared() * v.length_squared() > 0.0 { u.angle_between(v) } else { 0.0 }
}

/// The first vertex at the same place, for each vertex.
fn welded(vertices: &[Vec3]) -> Vec<u32> {
    let key = |i: u32| vertices[i as usize].to_array().map(|c| (c + 0.0).to_bits());
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by_key(|i| (key(*i), *i));
    let mut first = vec![0; vertices.len()];
    for run in order.chunk_by(|a, b| key(*a) == key(*b)) {
        for index in run {
            first[*index as usize] = run[0];
        }
    }
    first
}

/// Whether every edge is passed as often one way as the other.
fn is_closed(points: &[u32], triangles: &[[u32; 3]]) -> bool {
    let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| points[i as usize]);
        let directed = [(a, b), (b, c), (c, a)].map(|(from, to)| (from.min(to), from.max(to), from < to));
        edges.extend(directed.iter().filter(|(from, to, _)| from != to));
    }
    edges.sort_unstable();
    let balanced = |run: &[(u32, u32, bool)]| 2 * run.iter().filter(|e| e.2).count() == run.len();
    !edges.is_empty() && edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).all(balanced)
}

/// Faces around each point, as ranges of one list.
fn faces_around(points: &[u32], triangles: &[[u32; 3]]) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; points.len() + 1];
    for corner in triangles.iter().flatten() {
        starts[points[*corner as usize] as usize + 1] += 1;
    }
    for index in 1..starts.len() {
        starts[index] += starts[index - 1];
    }
    let mut next = starts.clone();
    let mut around = vec![0; 3 * triangles.len()];
    for (index, triangle) in triangles.iter().enumerate() {
        for corner in triangle {
            let place = &mut next[points[*corner as usize] as usize];
            around[*place] = index as u32;
            *place += 1;
        }
    }
    (starts, around)
}
