//! Triangle meshes, prepared for collision.

use glam::DVec3;
use parry3d_f64::shape::TriMesh;

use crate::surface::Surface;
use crate::{Aabb, GeometryError};

/// Contact names keep this many bits for a triangle, an edge or a vertex.
pub(crate) const FEATURE_LIMIT: usize = 1 << 28;

/// Neighbouring triangles whose normals differ by less than this angle [rad] count as one flat patch.
const COPLANAR: f64 = 1e-6;

/// Marks the missing neighbour of an open edge.
const NONE: u32 = u32::MAX;

/// A triangulated surface with its connectivity and a tree of boxes, built once.
///
/// Triangles face outwards: counter-clockwise seen from outside. For connectivity, vertices at exactly the same
/// position count as one.
#[derive(Clone)]
pub struct TriangleMesh {
    tree: TriMesh,
    normals: Vec<DVec3>,
    patches: Vec<u32>,
    /// Canonical vertex of each vertex (the first at its position).
    canonical: Vec<u32>,
    /// Edge names of each triangle; edge `i` leads from corner `i` to corner `i + 1`.
    edge_ids: Vec<[u32; 3]>,
    /// Neighbour across each edge of each triangle.
    across: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    edge_triangles: Vec<u32>,
    vertex_normals: Vec<DVec3>,
    vertex_open: Vec<bool>,
    neighbor_starts: Vec<u32>,
    neighbors: Vec<u32>,
    bounds: Aabb,
    closed: bool,
}

impl std::fmt::Debug for TriangleMesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TriangleMesh")
            .field("vertices", &self.vertices().len())
            .field("triangles", &self.triangles().len())
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}

impl TriangleMesh {
    /// Mesh of `triangles` over `vertices` [m]. Rejects non-finite coordinates, missing vertices and triangles without
    /// area (see [`TriangleMesh::is_degenerate`]); open and non-manifold meshes are accepted.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        check(&vertices, &triangles)?;
        let bounds = Aabb::of_points(triangles.iter().flatten().map(|&i| vertices[i as usize]));
        let normals: Vec<DVec3> = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| vertices[i as usize]);
                scaled_cross(b - a, c - a)
            })
            .collect();
        let tree = TriMesh::new(vertices, triangles).map_err(|_| GeometryError::EmptyMesh)?;
        let mut mesh = Self {
            normals,
            patches: Vec::new(),
            canonical: canonical(tree.vertices()),
            edge_ids: Vec::new(),
            across: Vec::new(),
            edges: Vec::new(),
            edge_triangles: Vec::new(),
            vertex_normals: Vec::new(),
            vertex_open: Vec::new(),
            neighbor_starts: Vec::new(),
            neighbors: Vec::new(),
            bounds,
            closed: false,
            tree,
        };
        mesh.connect_edges();
        mesh.connect_vertices();
        mesh.find_patches();
        mesh.closed = mesh.across.iter().flatten().all(|&t| t != NONE);
        Ok(mesh)
    }

    /// Whether the triangle is degenerate: its height is below 1e-12 of its longest edge.
    pub fn is_degenerate(a: DVec3, b: DVec3, c: DVec3) -> bool {
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        let height = ((b - a) / longest).cross((c - a) / longest).length();
        height <= 1e-12 || height.is_nan()
    }

    /// Corners [m].
    pub fn vertices(&self) -> &[DVec3] {
        self.tree.vertices()
    }

    /// Corner indices of the triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        self.tree.indices()
    }

    /// Outward unit normals of the triangles.
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// Box along the local axes [m].
    pub fn local_aabb(&self) -> Aabb {
        self.bounds
    }

    /// The same mesh with its tree of boxes, for queries.
    pub fn tree(&self) -> &TriMesh {
        &self.tree
    }

    /// Undirected edges between canonical vertices.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Number of triangles that share edge `edge` of [`TriangleMesh::edges`].
    pub fn edge_triangle_count(&self, edge: usize) -> usize {
        self.edge_triangles[edge] as usize
    }

    /// Whether every edge is shared by exactly two triangles of consistent orientation.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    fn corners(&self, t: usize) -> [u32; 3] {
        self.triangles()[t].map(|i| self.canonical[i as usize])
    }

    fn connect_edges(&mut self) {
        // (smaller vertex, larger vertex, triangle, side)
        let mut sides: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(3 * self.normals.len());
        for t in 0..self.normals.len() {
            let c = self.corners(t);
            for side in 0..3 {
                let (a, b) = (c[side], c[(side + 1) % 3]);
                sides.push((a.min(b), a.max(b), t as u32, side as u32));
            }
        }
        sides.sort_unstable();
        self.edge_ids = vec![[0; 3]; self.normals.len()];
        self.across = vec![[NONE; 3]; self.normals.len()];
        for group in sides.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let id = self.edges.len() as u32;
            self.edges.push([group[0].0, group[0].1]);
            self.edge_triangles.push(group.len() as u32);
            for &(_, _, t, side) in group {
                self.edge_ids[t as usize][side as usize] = id;
            }
            if let [x, y] = *group {
                let forward =
                    |s: (u32, u32, u32, u32)| self.corners(s.2 as usize)[s.3 as usize] == group[0].0;
                if forward(x) != forward(y) {
                    self.across[x.2 as usize][x.3 as usize] = y.2;
                    self.across[y.2 as usize][y.3 as usize] = x.2;
                }
            }
        }
    }

    /// Normals weighted by the angle at the vertex tell inside from outside there (`baerentzen2005`).
    fn connect_vertices(&mut self) {
        let count = self.vertices().len();
        self.vertex_normals = vec![DVec3::ZERO; count];
        self.vertex_open = vec![false; count];
        for t in 0..self.normals.len() {
            let (ids, p) = (self.corners(t), self.triangle(t as u32));
            for i in 0..3 {
                let angle = (p[(i + 1) % 3] - p[i]).angle_between(p[(i + 2) % 3] - p[i]);
                self.vertex_normals[ids[i] as usize] += self.normals[t] * angle;
                if self.across[t][i] == NONE {
                    self.vertex_open[ids[i] as usize] = true;
                    self.vertex_open[ids[(i + 1) % 3] as usize] = true;
                }
            }
        }
        let mut pairs: Vec<[u32; 2]> = self.edges.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
        pairs.sort_unstable();
        self.neighbor_starts =
            (0..=count).map(|v| pairs.partition_point(|p| (p[0] as usize) < v) as u32).collect();
        self.neighbors = pairs.into_iter().map(|p| p[1]).collect();
    }

    /// Numbers the flat patches: each grows from its first triangle over neighbours of the same normal.
    fn find_patches(&mut self) {
        self.patches = vec![NONE; self.normals.len()];
        let mut stack = Vec::new();
        for seed in 0..self.normals.len() {
            if self.patches[seed] != NONE {
                continue;
            }
            self.patches[seed] = seed as u32;
            stack.push(seed);
            while let Some(t) = stack.pop() {
                for &n in &self.across[t] {
                    let n = n as usize;
                    if n != NONE as usize
                        && self.patches[n] == NONE
                        && (self.normals[n] - self.normals[seed]).length() < COPLANAR
                    {
                        self.patches[n] = seed as u32;
                        stack.push(n);
                    }
                }
            }
        }
    }
}

impl Surface for TriangleMesh {
    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn each_triangle(&self, region: &Aabb, mut visit: impl FnMut(u32)) {
        let region = parry3d_f64::bounding_volume::Aabb::new(region.min, region.max);
        self.tree.bvh().intersect_aabb(&region).for_each(&mut visit);
    }

    fn triangle(&self, t: u32) -> [DVec3; 3] {
        self.triangles()[t as usize].map(|i| self.vertices()[i as usize])
    }

    fn normal(&self, t: u32) -> DVec3 {
        self.normals[t as usize]
    }

    fn neighbor(&self, t: u32, side: usize) -> Option<u32> {
        Some(self.across[t as usize][side]).filter(|&n| n != NONE)
    }

    fn edge_id(&self, t: u32, side: usize) -> u32 {
        self.edge_ids[t as usize][side]
    }

    fn vertex_id(&self, t: u32, corner: usize) -> u32 {
        self.canonical[self.triangles()[t as usize][corner] as usize]
    }

    fn vertex_normal(&self, t: u32, corner: usize) -> Option<DVec3> {
        let v = self.vertex_id(t, corner) as usize;
        (!self.vertex_open[v]).then_some(self.vertex_normals[v])
    }

    fn any_vertex_neighbor(&self, t: u32, corner: usize, mut test: impl FnMut(DVec3) -> bool) -> bool {
        let v = self.vertex_id(t, corner) as usize;
        let range = self.neighbor_starts[v] as usize..self.neighbor_starts[v + 1] as usize;
        self.neighbors[range].iter().any(|&n| test(self.vertices()[n as usize]))
    }

    fn patch(&self, t: u32) -> u32 {
        self.patches[t as usize]
    }
}

fn check(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), GeometryError> {
    if triangles.is_empty() {
        return Err(GeometryError::EmptyMesh);
    }
    for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
        let limit = FEATURE_LIMIT / 3;
        if count > limit {
            return Err(GeometryError::TooLarge { what, count, limit });
        }
    }
    if let Some(index) = vertices.iter().position(|p| !p.is_finite()) {
        return Err(GeometryError::NotFinite { shape: "triangle mesh", index });
    }
    for (triangle, t) in triangles.iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|&&i| i as usize >= vertices.len()) {
            return Err(GeometryError::IndexOutOfRange { triangle, vertex, vertices: vertices.len() });
        }
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        if TriangleMesh::is_degenerate(a, b, c) {
            return Err(GeometryError::DegenerateTriangle { triangle, vertices: *t });
        }
    }
    Ok(())
}

/// Unit vector along the cross product, whatever the scale of the edges.
fn scaled_cross(a: DVec3, b: DVec3) -> DVec3 {
    a.normalize_or_zero().cross(b.normalize_or_zero()).normalize_or_zero()
}

/// For each vertex the first one at exactly its position.
fn canonical(vertices: &[DVec3]) -> Vec<u32> {
    // Adding zero maps −0 to +0.
    let key = |i: u32| (vertices[i as usize] + 0.0).to_array().map(f64::to_bits);
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_by_key(|&i| (key(i), i));
    let mut first = vec![0; vertices.len()];
    for group in order.chunk_by(|&i, &j| key(i) == key(j)) {
        group.iter().for_each(|&i| first[i as usize] = group[0]);
    }
    first
}
