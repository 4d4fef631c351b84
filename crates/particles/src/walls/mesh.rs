//! Triangle meshes as walls.
//!
//! A grain touches a mesh where the distance from its centre has a local minimum below its radius: on a face, or on
//! an edge or a corner that none of its own triangles undercuts. So an edge counts once however many triangles
//! share it, and edges inside a plane or at the bottom of a valley do not count at all.

use huygens_kernel::Vec3;
use huygens_kernel::nearest::{FLAT, Triangle, TrianglePart, on_triangle};

use crate::error::{MeshFault, ParticleError, Result};
use crate::walls::mesh_tree::Tree;
use crate::walls::surface::{Foot, Nearest, RIGID};

/// Cosine of the angle below which two feet of one grain are one contact, at the nearer one: some 8°.
///
/// Facets of a finely cut hollow surface then push one after the other, not twice near every edge. In a valley of
/// the angle θ the farther foot ends at the edge where its overlap is δ − (1 − cos θ) r: with this angle no force
/// jumps while overlaps are below 1 % of the radius.
const SAME: f64 = 0.99;

/// Share of the radius that distances are compared with.
const TOLERANCE: f64 = 1e-9;

/// Most triangles of a mesh.
pub(crate) const LIMIT: usize = 1 << 28;

/// What a mesh looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshReport {
    /// Triangles that can be touched.
    pub triangles: usize,
    /// Triangles left out, as they have no area.
    pub dropped: usize,
    /// Edges of one triangle only: more than none means a hole, or a surface with a rim.
    pub open_edges: usize,
    /// Edges of more than two triangles.
    pub crowded_edges: usize,
}

impl MeshReport {
    /// Whether the surface has no rim: grains cannot get from one side to the other.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0
    }

    /// What to say of it, in words, as the wall of that name.
    pub fn warnings(&self, wall: &str) -> Vec<String> {
        let Self { dropped, open_edges, .. } = self;
        let flat = (*dropped > 0)
            .then(|| format!("{dropped} triangles of wall '{wall}' have zero area and are ignored"));
        let open = (!self.is_closed()).then(|| {
            format!(
                "wall '{wall}' is an open mesh: {open_edges} edges belong to one triangle only, and grains can pass \
                 through the rim or hole there"
            )
        });
        flat.into_iter().chain(open).collect()
    }
}

/// Triangles of a wall, in its axes, with a tree to find them by place.
#[derive(Clone, Debug, PartialEq)]
pub struct WallMesh {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    facets: Vec<Facet>,
    tree: Tree,
    extent: f64,
    bounds: [Vec3; 2],
    report: MeshReport,
}

/// A triangle prepared for distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facet {
    shape: Triangle,
    /// Corners; points at the same place have the same number.
    corners: [u32; 3],
    /// Edges ab, bc, ca.
    edges: [u32; 3],
}

/// Triangles that grains touch.
pub(crate) trait Triangles {
    /// Whether feet are told by facet, as each moves in its own way.
    const DEFORMS: bool;
    /// A triangle; none where it has no area, or where it is known to be farther than `r` [m] from `x`.
    fn facet(&self, index: u32, x: Vec3, r: f64) -> Option<Facet>;
    /// Corners of a triangle.
    fn corners(&self, index: u32) -> &[u32; 3];
}

impl Triangles for WallMesh {
    const DEFORMS: bool = false;

    #[inline(always)]
    fn facet(&self, index: u32, _: Vec3, _: f64) -> Option<Facet> {
        Some(self.facets[index as usize])
    }

    #[inline(always)]
    fn corners(&self, index: u32) -> &[u32; 3] {
        &self.facets[index as usize].corners
    }
}

/// Room for the search of contacts, and what was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feet {
    near: Vec<Candidate>,
    pub out: Vec<Foot>,
}

impl Feet {
    /// Adds a foot that is nearer than `r` [m].
    #[inline]
    pub fn add(&mut self, foot: Foot, r: f64) {
        if foot.near.distance < r {
            self.out.push(foot);
        }
    }
}

/// The nearest point of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub distance: f64,
    normal: Vec3,
    foot: Vec3,
    feature: u32,
    facet: u32,
    /// Corners of the edge, or the corner twice.
    parts: Option<[u32; 2]>,
}

const FACE: u32 = 0;
const EDGE: u32 = 1;
const CORNER: u32 = 2;

impl WallMesh {
    /// A mesh of the corners `points` [m] and the triangles `triangles`, three indices each.
    ///
    /// Points at the same place are one, so that files that repeat them for every triangle are fine.
    pub fn new(points: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self> {
        let refuse = |fault| Err(ParticleError::Mesh(fault));
        if triangles.is_empty() || triangles.len() > LIMIT {
            return refuse(MeshFault::Count { count: triangles.len(), limit: LIMIT });
        }
        if let Some(point) = points.iter().position(|point| !point.is_finite()) {
            return refuse(MeshFault::NotFinite { point });
        }
        let outside = |corners: &[u32; 3]| corners.iter().any(|c| *c as usize >= points.len());
        if let Some(triangle) = triangles.iter().position(outside) {
            return refuse(MeshFault::Index { triangle, points: points.len() });
        }
        let names = welded(&points);
        let mut facets = Vec::with_capacity(triangles.len());
        for corners in &triangles {
            let at = corners.map(|corner| points[corner as usize]);
            facets.extend(Facet::new(at, corners.map(|corner| names[corner as usize]), [0; 3]));
        }
        if facets.is_empty() {
            return refuse(MeshFault::Flat { count: triangles.len() });
        }
        let dropped = triangles.len() - facets.len();
        let tree = Tree::new(&mut facets, Facet::bounds);
        let corners: Vec<[u32; 3]> = facets.iter().map(|facet| facet.corners).collect();
        let (open_edges, crowded_edges) =
            name_edges(&corners, |facet, edge, name| facets[facet].edges[edge] = name);
        let extent = facets.iter().flat_map(Facet::points).map(Vec3::length).fold(0.0, f64::max);
        let around = facets.iter().map(Facet::bounds);
        let bounds = around.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], [from, to]| {
            [low.min(from), high.max(to)]
        });
        let report = MeshReport { triangles: facets.len(), dropped, open_edges, crowded_edges };
        Ok(Self { points, triangles, facets, tree, extent, bounds, report })
    }

    /// Corners [m], as they were given.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Triangles, as they were given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// What it looks like: a mesh with a hole is no error, but may be a mistake.
    pub fn report(&self) -> MeshReport {
        self.report
    }

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.points[..])
            + size_of_val(&self.triangles[..])
            + size_of_val(&self.facets[..])
            + self.tree.bytes()
    }

    /// Radius [m] of a ball about the origin that holds it.
    pub(crate) fn extent(&self) -> f64 {
        self.extent
    }

    /// Whether a triangle is closer than `reach` [m] to the point `x`.
    pub(crate) fn any_within(&self, x: Vec3, reach: f64) -> bool {
        let near = |facet: usize| self.facets[facet].nearest(x).distance < reach;
        self.tree.any(x, reach, near)
    }

    /// Appends the triangles closer than `reach` [m] to the point `x` to `out`.
    pub(crate) fn collect_within(&self, x: Vec3, reach: f64, out: &mut Vec<u32>) {
        self.tree.any(x, reach, |facet| {
            if self.facets[facet].nearest(x).distance < reach {
                out.push(facet as u32);
            }
            false
        });
    }

    /// Least and greatest corner [m] of the box about it.
    pub(crate) fn bounds(&self) -> [Vec3; 2] {
        self.bounds
    }

    /// Volume within it [m³] where it is closed; below 0 where its triangles face inwards.
    pub(crate) fn signed_volume(&self) -> f64 {
        let about = self.facets.first().map_or(Vec3::ZERO, |facet| facet.shape.a.into());
        let part = |facet: &Facet| {
            let [a, ab, ac] = facet.sides();
            (a - about).dot(ab.cross(ac))
        };
        self.facets.iter().map(part).sum::<f64>() / 6.0
    }

    /// Distance [m] of a point from it, below 0 behind its triangles; none where it is `reach` [m] or more.
    ///
    /// The side is that of the normal of the nearest face, edge or corner (baerentzen2005).
    pub(crate) fn signed_within(&self, x: Vec3, reach: f64) -> Option<f64> {
        let mut nearest: Vec<Candidate> = Vec::new();
        let mut least = reach;
        self.tree.any(x, reach, |index| {
            let mut candidate = self.facets[index].nearest(x);
            candidate.facet = index as u32;
            if candidate.distance < least + TOLERANCE * reach {
                least = least.min(candidate.distance);
                nearest.push(candidate);
            }
            false
        });
        // All triangles at the nearest point, and no others that are as near elsewhere.
        let first = *nearest.iter().find(|candidate| candidate.distance == least)?;
        nearest.retain(|candidate| candidate.foot.distance(first.foot) <= 10.0 * TOLERANCE * reach);
        let normal = |candidate: &Candidate| {
            let facet = &self.facets[candidate.facet as usize];
            let share = match candidate.parts {
                Some([p, q]) if p == q => facet.angle(p),
                _ => 1.0,
            };
            facet.normal() * share
        };
        let outward: Vec3 = nearest.iter().map(normal).sum();
        let behind = outward.dot(x - first.foot) < 0.0;
        (least < reach).then_some(if behind { -least } else { least })
    }
}

/// Places where a grain of radius `r` about `x` touches, out of the triangles `near`.
pub(crate) fn touch<T: Triangles>(mesh: &T, x: Vec3, r: f64, near: &[u32], feet: &mut Feet) {
    feet.near.clear();
    for &index in near {
        let Some(facet) = mesh.facet(index, x, r) else { continue };
        if (x - Vec3::from(facet.shape.a)).dot(facet.normal()).abs() >= r {
            continue;
        }
        let mut candidate = facet.nearest(x);
        if candidate.distance < r {
            candidate.facet = index;
            if candidate.parts.is_none() {
                candidate.feature = index << 2 | FACE;
            }
            feet.near.push(candidate);
        }
    }
    if feet.near.len() > 1 {
        feet.near.sort_unstable_by(|a, b| {
            a.distance.total_cmp(&b.distance).then(a.feature.cmp(&b.feature)).then(a.facet.cmp(&b.facet))
        });
    }
    let tolerance = TOLERANCE * r;
    for i in 0..feet.near.len() {
        let one = feet.near[i];
        // Contacts found so far are nearer; what has their direction, or is behind their surface, is theirs.
        let hidden = |other: &Foot| {
            let near = &other.near;
            let foot = x - near.normal * near.distance;
            near.normal.dot(one.normal) > SAME || (one.foot - foot).dot(near.normal) <= tolerance
        };
        if feet.out.iter().any(hidden) || undercut(mesh, &one, &feet.near[..i], tolerance) {
            continue;
        }
        let curvature = if one.parts.is_none() { FLAT } else { 0.0 };
        let near = Nearest { distance: one.distance, normal: one.normal, curvature };
        let facet = if T::DEFORMS { one.facet } else { RIGID };
        feet.out.push(Foot { near, feature: one.feature, facet });
    }
}

/// Whether a triangle of the edge or the corner comes nearer than they do.
fn undercut<T: Triangles>(mesh: &T, one: &Candidate, nearer: &[Candidate], tolerance: f64) -> bool {
    let Some([p, q]) = one.parts else { return false };
    nearer.iter().take_while(|other| other.distance < one.distance - tolerance).any(|other| {
        let corners = mesh.corners(other.facet);
        corners.contains(&p) && corners.contains(&q)
    })
}

impl Facet {
    /// A triangle of the points `at` [m]; none where it has no area.
    #[inline(always)]
    pub fn new(at: [Vec3; 3], corners: [u32; 3], edges: [u32; 3]) -> Option<Self> {
        Triangle::new(at).map(|shape| Self { shape, corners, edges })
    }

    fn normal(&self) -> Vec3 {
        self.shape.normal.into()
    }

    /// Corner a and the sides from it to b and c.
    fn sides(&self) -> [Vec3; 3] {
        [self.shape.a.into(), self.shape.ab.into(), self.shape.ac.into()]
    }

    fn points(&self) -> [Vec3; 3] {
        let [a, ab, ac] = self.sides();
        [a, a + ab, a + ac]
    }

    fn bounds(&self) -> [Vec3; 2] {
        let [a, b, c] = self.points();
        [a.min(b).min(c), a.max(b).max(c)]
    }

    /// Angle [rad] at a corner.
    fn angle(&self, corner: u32) -> f64 {
        let [_, ab, ac] = self.sides();
        let bc = ac - ab;
        match self.corners.iter().position(|own| *own == corner) {
            Some(0) => ab.angle_between(ac),
            Some(1) => (-ab).angle_between(bc),
            _ => ac.angle_between(bc),
        }
    }

    /// Nearest point to `x`.
    pub fn nearest(&self, x: Vec3) -> Candidate {
        let near = on_triangle(&self.shape, x.into());
        let (feature, parts) = match near.triangle_part() {
            TrianglePart::Face => (FACE, None),
            TrianglePart::Corner(k) => (self.corners[k] << 2 | CORNER, Some([self.corners[k]; 2])),
            TrianglePart::Edge(k) => {
                (self.edges[k] << 2 | EDGE, Some([self.corners[k], self.corners[(k + 1) % 3]]))
            }
        };
        let (normal, foot) = (near.normal.into(), near.foot.into());
        Candidate { distance: near.distance, normal, foot, feature, facet: 0, parts }
    }
}

/// The first point at the same place, for each point.
fn welded(points: &[Vec3]) -> Vec<u32> {
    // Adding zero makes one of the two zeros.
    let key = |point: u32| (points[point as usize] + Vec3::ZERO).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by_key(|point| (key(*point), *point));
    let mut names = vec![0; points.len()];
    let mut first = 0;
    for at in 0..order.len() {
        if key(order[at]) != key(order[first]) {
            first = at;
        }
        names[order[at] as usize] = order[first];
    }
    names
}

/// Gives equal edges equal numbers, by `name(triangle, edge, number)`; how many are of one triangle, and of more
/// than two.
pub(crate) fn name_edges(triangles: &[[u32; 3]], mut name: impl FnMut(usize, usize, u32)) -> (usize, usize) {
    let mut edges: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * triangles.len());
    for (index, corners) in triangles.iter().enumerate() {
        for edge in 0..3 {
            let (p, q) = (corners[edge], corners[(edge + 1) % 3]);
            edges.push(([p.min(q), p.max(q)], index as u32, edge as u8));
        }
    }
    edges.sort_unstable();
    let (mut open, mut crowded) = (0, 0);
    for (number, same) in edges.chunk_by(|a, b| a.0 == b.0).enumerate() {
        open += usize::from(same.len() == 1);
        crowded += usize::from(same.len() > 2);
        for (_, triangle, edge) in same {
            name(*triangle as usize, usize::from(*edge), number as u32);
        }
    }
    (open, crowded)
}
