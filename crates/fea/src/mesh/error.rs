//! What can be wrong with a mesh file.

use std::fmt;

/// Where something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshPlace {
    /// Line of a text, counted from 1.
    Line(usize),
    /// Byte of a file, counted from 0.
    Byte(usize),
    /// The whole file.
    File,
}

impl fmt::Display for MeshPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeshPlace::Line(line) => write!(f, "line {line}"),
            MeshPlace::Byte(byte) => write!(f, "byte {byte}"),
            MeshPlace::File => write!(f, "the file"),
        }
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshFault {
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What the format asks for.
        expected: String,
        /// What is there, shortened.
        found: String,
    },
    /// Cells of a type that is not known.
    #[error("unknown element type {found}; known are {known}")]
    ElementType {
        /// The type.
        found: String,
        /// What is known.
        known: &'static str,
    },
    /// A node that does not exist.
    #[error("{object} refers to {what} {label}, which the file does not define earlier")]
    Missing {
        /// What refers.
        object: String,
        /// To what.
        what: &'static str,
        /// Its number or name.
        label: String,
    },
    /// A number or name that exists twice.
    #[error("{what} {label} is defined twice")]
    Duplicate {
        /// What.
        what: &'static str,
        /// Its number or name.
        label: String,
    },
    /// More of something than the file can hold, or than is allowed.
    #[error("{found} {what} are declared, but at most {limit} are possible here")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many.
        found: u64,
        /// How many are possible.
        limit: u64,
    },
    /// A format or a keyword that is not read.
    #[error("{what} is not read; {instead}")]
    Unsupported {
        /// What.
        what: String,
        /// What to do.
        instead: &'static str,
    },
    /// A cell without volume, or inside out among others that are not.
    #[error(
        "tetrahedron {label} with the nodes {} has the volume {volume:e} m³; {}",
        .nodes.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
        if *.volume < 0.0 { "it is inside out and others are not" } else { "its nodes lie in a plane" }
    )]
    Volume {
        /// The cell.
        label: u64,
        /// Its nodes.
        nodes: Vec<u64>,
        /// Its volume [m³].
        volume: f64,
    },
    /// The file cannot be read.
    #[error("it cannot be read: {reason}")]
    Read {
        /// Why.
        reason: String,
    },
}

/// A mesh file that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("mesh '{file}', {place}: {fault}")]
pub struct MeshError {
    /// The file, or what stands for it.
    pub file: String,
    /// Where.
    pub place: MeshPlace,
    /// What is wrong.
    pub fault: MeshFault,
}
