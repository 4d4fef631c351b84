//! What can be wrong with a mechanism's description.

use huygens_core::builder::BuildError;

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
        what: String,
        /// Kind of the missing object.
        kind: &'static str,
    },
    /// A number is out of range.
    #[error("{what}: {name} = {value} is not allowed; {expected}")]
    Value {
        /// The object.
        what: String,
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
        what: String,
        /// The body.
        body: String,
    },
    /// Two objects cannot be combined.
    #[error("{what}: {reason}")]
    Mismatch {
        /// The object.
        what: String,
        /// Why not.
        reason: String,
    },
    /// A part that is built with the mechanism cannot be placed.
    #[error(transparent)]
    Build(BuildError),
}

/// Errors of a mechanism as the builder of models reports them.
impl From<MultibodyError> for BuildError {
    fn from(error: MultibodyError) -> Self {
        match error {
            MultibodyError::Missing { what, kind } => Self::Missing { asker: what, kind, item: None },
            MultibodyError::Mismatch { what, reason } => Self::Refused { what, reason },
            MultibodyError::Build(error) => error,
            other => Self::Refused { what: "the mechanism".into(), reason: other.to_string() },
        }
    }
}

/// The way back; what only the builder can say stays as it is.
impl From<BuildError> for MultibodyError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Missing { asker, kind, item: None } => Self::Missing { what: asker, kind },
            BuildError::Refused { what, reason } => Self::Mismatch { what, reason },
            BuildError::Contact(reason) => {
                Self::Mismatch { what: "contact".into(), reason: reason.to_string() }
            }
            other => Self::Build(other),
        }
    }
}

/// Result of describing a mechanism.
pub type Result<T> = std::result::Result<T, MultibodyError>;
