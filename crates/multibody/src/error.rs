//! What can be wrong with a mechanism's description.

use huygens_core::{ObjectRef, Subject};

/// An error in the description of a mechanism.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MultibodyError {
    /// A name is used twice.
    #[error("{kind} '{name}' exists already; names must be unique")]
    DuplicateName {
        /// Kind of object.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A handle belongs to a removed object.
    #[error("{what} refers to a {kind} that does not exist (any more)")]
    Missing {
        /// Who refers.
        what: Subject,
        /// Kind of the missing object.
        kind: &'static str,
    },
    /// A number is out of range.
    #[error("{what}: {name} = {value} is not allowed; {expected}")]
    Value {
        /// The object.
        what: Subject,
        /// The parameter.
        name: &'static str,
        /// The value.
        value: String,
        /// What is expected.
        expected: String,
    },
    /// A joint connects a body with itself.
    #[error("{what} connects body '{body}' with itself; it needs two different bodies, or a body and ground")]
    SameBody {
        /// The object.
        what: Subject,
        /// The body.
        body: String,
    },
    /// Two objects cannot be combined.
    #[error("{what}: {reason}")]
    Mismatch {
        /// The object.
        what: Subject,
        /// Why not.
        reason: String,
    },
}

impl MultibodyError {
    /// The object that the error speaks of, if there is one.
    pub fn object(&self) -> Option<ObjectRef> {
        match self {
            Self::DuplicateName { kind, name } => Some(ObjectRef::new(kind, name)),
            Self::Missing { what, .. }
            | Self::Value { what, .. }
            | Self::SameBody { what, .. }
            | Self::Mismatch { what, .. } => what.about().cloned(),
        }
    }
}

/// Result of describing a mechanism.
pub type Result<T> = std::result::Result<T, MultibodyError>;
