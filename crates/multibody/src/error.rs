//! Errors in the description of a mechanism.

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
    /// A handle refers to an object that has been removed.
    #[error("{what} refers to a {kind} that does not exist or was removed")]
    Missing {
        /// The referring object.
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
        /// What was expected.
        expected: String,
    },
    /// A joint connects a body to itself.
    #[error("{what} connects body '{body}' to itself; it needs two different bodies, or a body and ground")]
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
        /// The reason.
        reason: String,
    },
    /// A part that is built with the mechanism cannot be placed.
    #[error(transparent)]
    Build(BuildError),
}

/// Converts errors of a mechanism into those of the model builder.
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

/// The inverse conversion; errors that only the builder raises pass through unchanged.
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

/// Names an object in a message, if there is one.
fn about(words: &str, object: Option<ObjectRef>) -> Subject {
    object.map_or_else(|| words.into(), |object| Subject::from(object).map(|_| words))
}

impl MultibodyError {
    /// The object that the error concerns, if any.
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
