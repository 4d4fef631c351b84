//! What can be wrong with a mechanism's description.

use huygens_core::builder::BuildError;
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
            other => {
                Self::Refused { what: about("the mechanism", other.object()), reason: other.to_string() }
            }
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
                Self::Mismatch { what: about("contact", reason.object()), reason: reason.to_string() }
            }
            other => Self::Build(other),
        }
    }
}

/// Words about an object, if there is one.
fn about(words: &str, object: Option<ObjectRef>) -> Subject {
    object.map_or_else(|| words.into(), |object| Subject::from(object).map(|_| words))
}

impl MultibodyError {
    /// The object that the error speaks of, if there is one.
    pub fn object(&self) -> Option<ObjectRef> {
        match self {
            Self::DuplicateName { kind, name } => Some(ObjectRef::new(*kind, name)),
            Self::Missing { what, .. }
            | Self::Value { what, .. }
            | Self::SameBody { what, .. }
            | Self::Mismatch { what, .. } => what.about().cloned(),
            Self::Build(error) => error.object(),
        }
    }
}

/// Result of describing a mechanism.
pub type Result<T> = std::result::Result<T, MultibodyError>;
