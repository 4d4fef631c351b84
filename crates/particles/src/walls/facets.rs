//! Walls that deform: triangles over vertices that move.
//!
//! # Motion
//!
//! Between two settings each vertex goes straight, $x_i(t) = x_i(t_0) + v_i\,(t - t_0)$. A contact with the foot
//! $p = \sum_i b_i x_i$ on a triangle with the unit normal $n$, twice the area $A$ and the edges
//! $e_i = x_{i+2} - x_{i+1}$ opposite its corners sees the angular velocity of the triangle and, at the offset $d$
//! from the foot, the velocity
//!
//! $$\omega = \frac1A\sum_i\Big[(n\cdot v_i)\,e_i - \tfrac12 (e_i\cdot v_i)\,n\Big], \qquad
//!   u = \sum_i b_i v_i + \omega\times d .$$
//!
//! The first part of $\omega$ is $n\times\dot n$, the second half of the vorticity about the normal. Where vertices
//! move as a rigid body, $\omega$ and $u$ are those of the body.
//!
//! # Forces
//!
//! A force $F$ at $p + d$ and a couple $C$ go to the corners by the transpose of that map: with
//! $M = C + d\times F$,
//!
//! $$f_i = b_i F + \frac1A\Big[(e_i\cdot M)\,n - \tfrac12 (n\cdot M)\,e_i\Big].$$
//!
//! As rigid motions are reproduced, $\sum f_i = F$ and $\sum x_i\times f_i = (p + d)\times F + C$: linear and angular
//! momentum are exact. As the maps are transposes, so is the power, $\sum f_i\cdot v_i = F\cdot u + C\cdot\omega$.
//!
//! The inverse mass a contact feels is $\sum_i b_i^2/m_i$ with the lumped masses $m_i$ of the vertices.

use std::sync::Arc;

use huygens_kernel::Vec3;

use crate::error::{MeshFault, ParticleError, Result};
use crate::walls::mesh::{Facet, Feet, LIMIT, MeshReport, Triangles, name_edges, touch};
use crate::walls::mesh_tree::Tree;

/// How the triangles of a wall that deforms hang together.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetTopology {
    vertices: usize,
    triangles: Vec<[u32; 3]>,
    /// Edges ab, bc, ca of each triangle.
    edges: Vec<[u32; 3]>,
    report: MeshReport,
}

impl FacetTopology {
    /// Faces over `vertices` vertices, four indices each; one whose last two are equal is a triangle.
    ///
    /// Quadrilaterals are cut from their first to their third corner. Faces share vertices by index: a contact goes
    /// over an edge of two faces smoothly only where they name the same vertices.
    pub fn new(vertices: usize, faces: &[[u32; 4]]) -> Result<Self> {
        let cut = |[a, b, c, d]: &[u32; 4]| match c == d {
            true => [Some([*a, *b, *c]), None],
            false => [Some([*a, *b, *c]), Some([*a, *c, *d])],
        };
        Self::of_triangles(vertices, faces.iter().flat_map(cut).flatten().collect())
    }

    /// Triangles over `vertices` vertices, three indices each.
    pub fn of_triangles(vertices: usize, triangles: Vec<[u32; 3]>) -> Result<Self> {
        let refuse = |fault| Err(ParticleError::Mesh(fault));
        if triangles.is_empty() || triangles.len() > LIMIT {
            return refuse(MeshFault::Count { count: triangles.len(), limit: LIMIT });
        }
        if vertices > LIMIT {
            return refuse(MeshFault::Vertices { count: vertices, expected: LIMIT });
        }
        let outside = |corners: &[u32; 3]| corners.iter().any(|c| *c as usize >= vertices);
        if let Some(triangle) = triangles.iter().position(outside) {
            return refuse(MeshFault::Index { triangle, points: vertices });
        }
        if let Some(triangle) = triangles.iter().position(|[a, b, c]| a == b || b == c || c == a) {
            return refuse(MeshFault::Repeated { triangle });
        }
        let mut edges = vec![[0; 3]; triangles.len()];
        let (open_edges, crowded_edges) =
            name_edges(&triangles, |triangle, edge, name| edges[triangle][edge] = name);
        let report = MeshReport { triangles: triangles.len(), dropped: 0, open_edges, crowded_edges };
        Ok(Self { vertices, triangles, edges, report })
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Triangles, three indices each; quadrilaterals are cut in two.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// What it looks like: a surface with a rim is no error, but may be a mistake.
    pub fn report(&self) -> MeshReport {
        self.report
    }
}

/// The surface of a wall that deforms: triangles over shared vertices that move, touched from both sides.
///
/// Faces, edges and corners are touched as those of a [`WallMesh`](crate::WallMesh): an edge counts once, an edge
/// inside a plane does not count at all, and a contact keeps its memory where it moves to a neighbouring part.
/// Triangles without area are not touched; their edges are, where a neighbouring triangle has an area. The
/// [module](self) has the equations of motion and of the forces on vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Facets {
    topology: Arc<FacetTopology>,
    /// Half of the thickness [m].
    half: f64,
    /// Inverse masses of the vertices [1/kg]; empty where all are 0.
    inverse_masses: Vec<f64>,
    /// Vertices [m] and their velocities [m/s] when they were set, and the time [s] since then.
    start: Vec<Vec3>,
    velocity: Vec<Vec3>,
    time: f64,
    /// Greatest speed [m/s].
    fastest: f64,
    /// Where vertices were when the tree was fitted [m]; bound on their distance from there at the time `fitted_at`.
    fitted: Vec<Vec3>,
    offset: f64,
    fitted_at: f64,
    tree: Tree,
    /// Triangles in the order of the tree.
    order: Vec<u32>,
    bounds: [Vec3; 2],
}

/// How a facet moves where it is touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FacetMotion {
    /// Velocity at the contact [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: Vec3,
    /// Inverse mass [1/kg].
    pub inverse_mass: f64,
}

/// A facet as it is, ready for the maps between its corners and a contact.
struct Corners {
    index: [usize; 3],
    x: [Vec3; 3],
    /// Opposite edges over twice the area [1/m].
    edges: [Vec3; 3],
    normal: Vec3,
    weights: [f64; 3],
}

impl Facets {
    /// A surface at rest with its vertices at `vertices` [m], without thickness, that forces do not move.
    pub fn new(topology: Arc<FacetTopology>, vertices: Vec<Vec3>) -> Result<Self> {
        check_vertices(&vertices, topology.vertices)?;
        let mut order: Vec<u32> = (0..topology.triangles.len() as u32).collect();
        let tree = Tree::new(&mut order, |triangle| around(&topology, &vertices, *triangle));
        let mut new = Self {
            half: 0.0,
            inverse_masses: Vec::new(),
            velocity: vec![Vec3::ZERO; vertices.len()],
            time: 0.0,
            fastest: 0.0,
            fitted: vertices.clone(),
            offset: 0.0,
            fitted_at: 0.0,
            start: vertices,
            topology,
            tree,
            order,
            bounds: [Vec3::ZERO; 2],
        };
        new.note_bounds();
        Ok(new)
    }

    /// The same surface as the middle of a sheet that is `thickness` [m] thick, with round rims.
    pub fn with_thickness(mut self, thickness: f64) -> Result<Self> {
        if !(thickness >= 0.0 && thickness.is_finite()) {
            let what = "the thickness of a wall";
            return Err(ParticleError::range(what, thickness, "finite and not below 0"));
        }
        self.half = 0.5 * thickness;
        self.note_bounds();
        Ok(self)
    }

    /// The same surface with the inverses `inverse` [1/kg] of the masses that move with its vertices.
    pub fn with_inverse_masses(mut self, inverse: Vec<f64>) -> Result<Self> {
        if inverse.len() != self.start.len() {
            let (count, expected) = (inverse.len(), self.start.len());
            return Err(ParticleError::Mesh(MeshFault::Vertices { count, expected }));
        }
        if let Some(value) = inverse.iter().find(|x| !(**x >= 0.0 && x.is_finite())) {
            let what = "the inverse mass of a vertex";
            return Err(ParticleError::range(what, *value, "finite and not below 0"));
        }
        self.inverse_masses = if inverse.iter().any(|x| *x > 0.0) { inverse } else { Vec::new() };
        Ok(self)
    }

    /// How its triangles hang together.
    pub fn topology(&self) -> &Arc<FacetTopology> {
        &self.topology
    }

    /// Thickness [m].
    pub fn thickness(&self) -> f64 {
        2.0 * self.half
    }

    /// Where its vertices are now [m].
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = Vec3> + '_ {
        (0..self.start.len()).map(|vertex| self.vertex(vertex))
    }

    /// Velocities of its vertices now [m/s].
    pub fn velocities(&self) -> &[Vec3] {
        &self.velocity
    }

    /// Bytes it takes, without the topology it shares.
    pub fn bytes(&self) -> usize {
        size_of::<Vec3>() * (self.start.capacity() + self.velocity.capacity() + self.fitted.capacity())
            + 8 * self.inverse_masses.capacity()
            + 4 * self.order.capacity()
            + self.tree.bytes()
    }

    #[inline(always)]
    fn vertex(&self, vertex: usize) -> Vec3 {
        self.start[vertex] + self.velocity[vertex] * self.time
    }

    /// Corners of a triangle [m].
    #[inline(always)]
    fn points(&self, triangle: u32) -> [Vec3; 3] {
        let [a, b, c] = self.topology.triangles[triangle as usize];
        [self.vertex(a as usize), self.vertex(b as usize), self.vertex(c as usize)]
    }

    /// Whether forces move some of it.
    pub(crate) fn yields(&self) -> bool {
        !self.inverse_masses.is_empty()
    }

    /// Puts the vertices to `start` [m], from where they go with the velocities `velocity(i)` [m/s] from now on.
    ///
    /// Nothing changes where one of the numbers is not finite.
    pub(crate) fn set(&mut self, start: &[Vec3], velocity: impl Fn(usize) -> Vec3) -> Result<()> {
        check_vertices(start, self.start.len())?;
        if let Some(vertex) = (0..start.len()).find(|vertex| !velocity(*vertex).is_finite()) {
            return Err(ParticleError::Mesh(MeshFault::NotFinite { point: vertex }));
        }
        self.start.copy_from_slice(start);
        self.velocity.iter_mut().enumerate().for_each(|(vertex, v)| *v = velocity(vertex));
        self.time = 0.0;
        self.note_ways();
        Ok(())
    }

    /// Finds the bounds on ways after vertices or velocities were set.
    fn note_ways(&mut self) {
        let squares = self.velocity.iter().map(|v| v.length_squared());
        self.fastest = squares.fold(0.0, f64::max).sqrt();
        let squares = self.start.iter().zip(&self.fitted).map(|(x, was)| x.distance_squared(*was));
        self.offset = squares.fold(0.0, f64::max).sqrt();
        self.fitted_at = 0.0;
    }

    /// Refuses a list that is not one of all vertices.
    pub(crate) fn check_count(&self, list: &[Vec3]) -> Result<()> {
        let (count, expected) = (list.len(), self.start.len());
        match count == expected {
            true => Ok(()),
            false => Err(ParticleError::Mesh(MeshFault::Vertices { count, expected })),
        }
    }

    /// Brings the vertices to the time `time` [s] since they were set.
    pub(crate) fn place(&mut self, time: f64) {
        self.time = time;
    }

    /// Bound on the displacement [m] of a vertex since the tree was fitted.
    pub(crate) fn way(&self) -> f64 {
        self.offset + self.fastest * (self.time - self.fitted_at).abs()
    }

    /// Fits the tree to where the vertices are now; a new one is made where its boxes have grown too far.
    pub(crate) fn fit(&mut self) {
        if self.way() == 0.0 {
            return;
        }
        for vertex in 0..self.start.len() {
            self.fitted[vertex] = self.vertex(vertex);
        }
        (self.offset, self.fitted_at) = (0.0, self.time);
        let (topology, fitted, order) = (&self.topology, &self.fitted, &self.order);
        self.tree.refit(|item| around(topology, fitted, order[item]));
        if self.tree.is_degraded() {
            self.order.sort_unstable();
            self.tree = Tree::new(&mut self.order, |triangle| around(topology, fitted, *triangle));
        }
        self.note_bounds();
    }

    fn note_bounds(&mut self) {
        let around = |[low, high]: [Vec3; 2], x: &Vec3| [low.min(*x), high.max(*x)];
        let [low, high] = self.fitted.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], around);
        self.bounds = [low - self.half, high + self.half];
    }

    /// Least and greatest corner [m] of the box about it when the tree was fitted.
    pub(crate) fn bounds(&self) -> [Vec3; 2] {
        self.bounds
    }

    /// Whether a triangle is closer than `reach` [m] to the point `x`.
    pub(crate) fn any_within(&self, x: Vec3, reach: f64) -> bool {
        let reach = reach + self.half;
        // Boxes are where triangles were when the tree was fitted.
        self.tree.any(x, reach + self.way(), |item| self.is_within(self.order[item], x, reach))
    }

    /// Appends the triangles closer than `reach` [m] to the point `x` to `out`.
    pub(crate) fn collect_within(&self, x: Vec3, reach: f64, out: &mut Vec<u32>) {
        let reach = reach + self.half;
        self.tree.any(x, reach + self.way(), |item| {
            if self.is_within(self.order[item], x, reach) {
                out.push(self.order[item]);
            }
            false
        });
    }

    /// Whether a triangle is closer than `reach` [m] to `x`, or has no area now, but may have some in a moment.
    fn is_within(&self, triangle: u32, x: Vec3, reach: f64) -> bool {
        let topology = &self.topology;
        let (corners, edges) = (topology.triangles[triangle as usize], topology.edges[triangle as usize]);
        let facet = Facet::new(self.points(triangle), corners, edges);
        facet.is_none_or(|facet| facet.nearest(x).distance < reach)
    }

    /// Places where a grain of radius `r` about `x` touches, out of the triangles `near`.
    pub(crate) fn touch(&self, x: Vec3, r: f64, near: &[u32], feet: &mut Feet) {
        touch(self, x, r + self.half, near, feet);
        if self.half > 0.0 {
            feet.out.iter_mut().for_each(|foot| foot.near.distance -= self.half);
        }
    }

    /// A facet and the weights of its corners at the foot of a contact at `point` [m], which is `beyond` [m] from
    /// the middle of the sheet along `normal`.
    fn corners(&self, facet: u32, point: Vec3, normal: Vec3, beyond: f64) -> Corners {
        let [i, j, k] = self.topology.triangles[facet as usize];
        let index = [i as usize, j as usize, k as usize];
        let x = self.points(facet);
        let [a, b, c] = x;
        let cross = (b - a).cross(c - a);
        let inverse = 1.0 / cross.length();
        let unit = cross * inverse;
        let foot = point - normal * beyond - a;
        let (second, third) =
            (foot.cross(c - a).dot(unit) * inverse, (b - a).cross(foot).dot(unit) * inverse);
        Corners {
            index,
            x,
            edges: [(c - b) * inverse, (a - c) * inverse, (b - a) * inverse],
            normal: unit,
            weights: [1.0 - second - third, second, third],
        }
    }

    /// Distance [m] of the contact point from the middle of the sheet, against the normal where it is below 0.
    fn beyond(&self, depth: f64) -> f64 {
        self.half - 0.5 * depth
    }

    /// How a facet moves at the contact `point` [m], where a grain comes along `normal` with the overlap `depth` [m].
    pub(crate) fn motion_at(&self, facet: u32, point: Vec3, normal: Vec3, depth: f64) -> FacetMotion {
        let corners = self.corners(facet, point, normal, self.beyond(depth));
        let (mut velocity, mut spin, mut inverse_mass) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for k in 0..3 {
            let (edge, v) = (corners.edges[k], self.velocity[corners.index[k]]);
            velocity += v * corners.weights[k];
            spin += edge * corners.normal.dot(v) - corners.normal * (0.5 * edge.dot(v));
            if let Some(inverse) = self.inverse_masses.get(corners.index[k]) {
                inverse_mass += corners.weights[k] * corners.weights[k] * inverse;
            }
        }
        let velocity = velocity + spin.cross(corners.offset(point));
        FacetMotion { velocity, angular_velocity: spin, inverse_mass }
    }

    /// Vertices of a facet and the forces [N] on them by the force `force` [N] on it at the contact `point` [m] and
    /// the couple `couple` [N·m]; `normal` and `depth` [m] as above.
    pub(crate) fn spread(
        &self,
        facet: u32,
        (point, normal, depth): (Vec3, Vec3, f64),
        force: Vec3,
        couple: Vec3,
    ) -> [(u32, Vec3); 3] {
        let corners = self.corners(facet, point, normal, self.beyond(depth));
        let moment = couple + corners.offset(point).cross(force);
        let mut parts = [(0, Vec3::ZERO); 3];
        for (k, part) in parts.iter_mut().enumerate() {
            let edge = corners.edges[k];
            let turning = corners.normal * edge.dot(moment) - edge * (0.5 * corners.normal.dot(moment));
            *part = (corners.index[k] as u32, force * corners.weights[k] + turning);
        }
        parts
    }

    /// Vertices [m] and velocities [m/s] when they were set, and the time [s] since then.
    pub(crate) fn rest(&self) -> (&[Vec3], &[Vec3], f64) {
        (&self.start, &self.velocity, self.time)
    }
}

impl Corners {
    /// From the point the weights give to `point` [m].
    fn offset(&self, point: Vec3) -> Vec3 {
        let [a, b, c] = self.x;
        (point - a) - (b - a) * self.weights[1] - (c - a) * self.weights[2]
    }
}

impl Triangles for Facets {
    const DEFORMS: bool = true;

    #[inline(always)]
    fn facet(&self, index: u32, x: Vec3, r: f64) -> Option<Facet> {
        let [a, b, c] = self.points(index);
        let beyond = x - x.clamp(a.min(b).min(c), a.max(b).max(c));
        if beyond.length_squared() > r * r {
            return None;
        }
        let corners = self.topology.triangles[index as usize];
        Facet::new([a, b, c], corners, self.topology.edges[index as usize])
    }

    #[inline(always)]
    fn corners(&self, index: u32) -> &[u32; 3] {
        &self.topology.triangles[index as usize]
    }
}

/// Box about a triangle [m].
fn around(topology: &FacetTopology, at: &[Vec3], triangle: u32) -> [Vec3; 2] {
    let [a, b, c] = topology.triangles[triangle as usize].map(|corner| at[corner as usize]);
    [a.min(b).min(c), a.max(b).max(c)]
}

fn check_vertices(vertices: &[Vec3], expected: usize) -> Result<()> {
    if vertices.len() != expected {
        return Err(ParticleError::Mesh(MeshFault::Vertices { count: vertices.len(), expected }));
    }
    match vertices.iter().position(|x| !x.is_finite()) {
        Some(point) => Err(ParticleError::Mesh(MeshFault::NotFinite { point })),
        None => Ok(()),
    }
}
