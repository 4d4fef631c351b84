//! What can be wrong with a flexible part.

use huygens_exec::Stopped;

use crate::mesh::MeshError;

/// An error in the description of a flexible part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FeaError {
    /// The work was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A number is out of range.
    #[error("{what}: {name} = {value} is not allowed; {expected}")]
    Value {
        /// The object.
        what: String,
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is expected.
        expected: &'static str,
    },
    /// Two objects do not go together.
    #[error("{what}: {reason}")]
    Mismatch {
        /// The object.
        what: String,
        /// Why not, and what to do.
        reason: String,
    },
    /// Two structures, or two sets, have the same name.
    #[error("{what} '{name}' exists twice; give one of them another name")]
    DuplicateName {
        /// What has the name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An index points at nothing.
    #[error("{object} refers to {what} {index}, but there are {count} (counted from 0)")]
    OutOfRange {
        /// What refers.
        object: String,
        /// To what.
        what: &'static str,
        /// The index.
        index: u64,
        /// How many there are.
        count: usize,
    },
    /// A line whose length is zero.
    #[error("{element} between {} has the length {length:e} m; a line needs two distinct points", .nodes.join(" and "))]
    ZeroLength {
        /// The element.
        element: String,
        /// Its nodes.
        nodes: Vec<String>,
        /// The length [m].
        length: f64,
    },
    /// A tetrahedron without volume, or inside out.
    #[error(
        "{element} with {} has the volume {volume:e} m³; {}", .nodes.join(", "),
        if *.volume < 0.0 { "it is inside out: exchange two of its nodes" } else { "its nodes lie in a plane" }
    )]
    Inverted {
        /// The element.
        element: String,
        /// Its nodes.
        nodes: Vec<String>,
        /// The volume [m³].
        volume: f64,
    },
    /// An element, a joint or a load that cannot use a node.
    #[error("incompatible node types: {object} needs {expected}, but {node} has {found}")]
    NodeKind {
        /// What kind of thing uses the node.
        user: NodeUser,
        /// What uses the node.
        object: String,
        /// The node.
        node: String,
        /// What is needed.
        expected: String,
        /// What the node has.
        found: &'static str,
    },
    /// A node that nothing gives mass.
    #[error("{node} has no mass; give its elements a density, add a point mass, fix it, or remove the node")]
    NoMass {
        /// The node.
        node: String,
    },
    /// A name that no structure has.
    #[error("there is no structure '{name}'; there are: {}", .known.join(", "))]
    UnknownStructure {
        /// The name.
        name: String,
        /// Names there are.
        known: Vec<String>,
    },
    /// A word that names no node.
    #[error(
        "structure '{structure}' has no node or node set '{name}'; sets: {}",
        if .sets.is_empty() { "none".to_owned() } else { .sets.join(", ") }
    )]
    UnknownNode {
        /// The structure.
        structure: String,
        /// The word.
        name: String,
        /// Sets there are.
        sets: Vec<String>,
    },
    /// A set where one node is needed.
    #[error("set '{set}' of structure '{structure}' has {count} nodes, one is needed here")]
    SetSize {
        /// The structure.
        structure: String,
        /// The set.
        set: String,
        /// Nodes in it.
        count: usize,
    },
    /// One structure of several is wrong.
    #[error("{problem}")]
    OfStructure {
        /// Its name.
        structure: String,
        /// What is wrong with it.
        problem: Box<FeaError>,
    },
    /// A mesh file cannot be read.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// What uses a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeUser {
    /// An element.
    Element,
    /// A point mass.
    Mass,
    /// A load.
    Load,
    /// A joint.
    Joint,
}

impl FeaError {
    /// Says which structure the error speaks of, where that is not said yet.
    pub(crate) fn of(self, structure: &str) -> Self {
        match self {
            Self::OfStructure { .. } => self,
            problem => Self::OfStructure { structure: structure.into(), problem: Box::new(problem) },
        }
    }

    /// The structure that the error speaks of, if it is known, and what is wrong with it.
    pub fn into_problem(self) -> (Option<String>, Self) {
        match self {
            Self::OfStructure { structure, problem } => (Some(structure), *problem),
            Self::DuplicateName { what: "structure", ref name } => (Some(name.clone()), self),
            problem => (None, problem),
        }
    }
}

/// Result of describing a flexible part.
pub type Result<T> = std::result::Result<T, FeaError>;

/// Refuses a number that is not above zero.
pub(crate) fn positive(what: &str, name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(FeaError::Value { what: what.into(), name, value, expected: "it must be above zero" })
}

/// Refuses a number below zero.
pub(crate) fn not_negative(what: &str, name: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(FeaError::Value { what: what.into(), name, value, expected: "it must not be below zero" })
}
