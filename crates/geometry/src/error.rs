//! Errors of shapes.

/// The reason why a shape could not be created or a quantity of it could not be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GeometryError {
    /// A size must be a positive finite number.
    #[error("{quantity} of a {shape} must be positive and finite, not {value}")]
    NotPositive {
        /// Kind of shape.
        shape: &'static str,
        /// The dimension concerned.
        quantity: &'static str,
        /// The value given.
        value: f64,
    },
    /// A coordinate is NaN or infinite.
    #[error("coordinate {index} of a {shape} is not finite")]
    NotFinite {
        /// Kind of shape.
        shape: &'static str,
        /// Index of the vertex, sample or part.
        index: usize,
    },
    /// A mesh without triangles.
    #[error("a triangle mesh needs at least one triangle")]
    EmptyMesh,
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {vertex}, but there are {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex to which it refers.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} has no area (vertices {vertices:?})")]
    DegenerateTriangle {
        /// Index of the triangle.
        triangle: usize,
        /// Its vertices.
        vertices: [u32; 3],
    },
    /// More vertices or triangles than contact ids can distinguish.
    #[error("{count} {what} in one mesh exceed the limit of {limit}")]
    TooLarge {
        /// What is too numerous.
        what: &'static str,
        /// How many were given.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The points of a convex hull have no volume.
    #[error(
        "a convex hull needs points that span a volume; these {points} points lie in one plane, line or point"
    )]
    FlatHull {
        /// Number of points given.
        points: usize,
    },
    /// A height field needs at least two samples per direction, and one height per sample.
    #[error(
        "a height field of {nx} by {ny} samples needs {expected} heights (2 or more per side), not {heights}"
    )]
    HeightFieldSize {
        /// Samples along x.
        nx: usize,
        /// Samples along y.
        ny: usize,
        /// Heights needed.
        expected: usize,
        /// Heights given.
        heights: usize,
    },
    /// A compound without parts.
    #[error("a compound shape needs at least one part")]
    EmptyCompound,
    /// Density must be positive and finite.
    #[error("density must be positive and finite, not {density}")]
    Density {
        /// The value given [kg/m³].
        density: f64,
    },
    /// The shape has no finite volume.
    #[error(
        "a {shape} has no finite volume, so its mass cannot be computed from a density; give the mass and inertia"
    )]
    NoVolume {
        /// Kind of shape.
        shape: &'static str,
    },
    /// A mesh with a hole has no volume.
    #[error("the mesh is open: the edge between vertices {} and {} belongs to {triangles} triangle(s) on one side only", edge[0], edge[1])]
    OpenMesh {
        /// Vertices of one open edge.
        edge: [u32; 2],
        /// Triangles that share it.
        triangles: usize,
    },
    /// An edge shared by more than two triangles.
    #[error("the mesh is not manifold: the edge between vertices {} and {} belongs to {triangles} triangles", edge[0], edge[1])]
    NonManifoldMesh {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Triangles that share it.
        triangles: usize,
    },
    /// The triangles of a closed mesh point inwards.
    #[error("the triangles of the mesh point inwards (volume {volume} m³); flip their orientation")]
    InvertedMesh {
        /// Signed volume [m³].
        volume: f64,
    },
    /// A closed surface without volume.
    #[error("the shape has no volume ({volume} m³)")]
    ZeroVolume {
        /// Signed volume [m³].
        volume: f64,
    },
    /// A shape so small or large that its mass or inertia is outside the floating-point range.
    #[error("mass and inertia of this {shape} are out of range (mass {mass} kg); check its size and unit")]
    MassRange {
        /// Kind of shape.
        shape: &'static str,
        /// The computed mass [kg].
        mass: f64,
    },
}
