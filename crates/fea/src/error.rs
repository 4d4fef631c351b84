//! What can be wrong with a flexible part.

/// An error in the description of a flexible part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FeaError {
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
