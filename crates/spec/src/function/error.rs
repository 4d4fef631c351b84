//! What can be wrong with a function of time.

use thiserror::Error;

/// Reason why a function, a table or a curve was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// A parameter is NaN or infinite.
    #[error("`{parameter}` must be a finite number, not {value}")]
    NotFinite {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value given.
        value: f64,
    },
    /// A duration is zero or negative.
    #[error("`{parameter}` must be greater than zero, not {value}")]
    NotPositive {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value given.
        value: f64,
    },
    /// A ramp ends before it starts.
    #[error("`end_time` ({end}) must not be before `start_time` ({start})")]
    EndBeforeStart {
        /// Start time [s].
        start: f64,
        /// End time [s].
        end: f64,
    },
    /// Abscissae and values of a table differ in number.
    #[error("a table needs as many values as abscissae: {abscissae} abscissae, {values} values")]
    LengthMismatch {
        /// Number of abscissae.
        abscissae: usize,
        /// Number of values.
        values: usize,
    },
    /// Too few points to interpolate.
    #[error("at least {needed} points are needed, {found} given")]
    TooFewPoints {
        /// Smallest number accepted.
        needed: usize,
        /// Number given.
        found: usize,
    },
    /// Abscissae of a table do not increase.
    #[error("abscissae must increase strictly: entry {index} is {value}, the one before it is {previous}")]
    NotIncreasing {
        /// Index of the offending entry.
        index: usize,
        /// Abscissa before it.
        previous: f64,
        /// Its abscissa.
        value: f64,
    },
    /// A periodic table does not end where it begins.
    #[error("a periodic table must end with its first value: first {first}, last {last}")]
    NotPeriodic {
        /// First value.
        first: f64,
        /// Last value.
        last: f64,
    },
    /// Two neighbouring points of a curve coincide.
    #[error("point {index} of the curve coincides with the point before it")]
    RepeatedPoint {
        /// Index of the second one.
        index: usize,
    },
    /// A polynomial, sum or product has no entries.
    #[error("`{parameter}` must not be empty")]
    Empty {
        /// Name of the list.
        parameter: &'static str,
    },
    /// The numbers are finite, but the interpolant between them overflows.
    #[error("the points are too large or too close together: the interpolant is not finite")]
    Overflow,
    /// A part of a sum, product or composition is wrong.
    #[error("{part}: {source}")]
    Part {
        /// Which part, as it is called in a scene file.
        part: String,
        /// What is wrong with it.
        source: Box<FunctionError>,
    },
}

impl FunctionError {
    pub(super) fn in_part(self, part: impl Into<String>) -> Self {
        Self::Part { part: part.into(), source: Box::new(self) }
    }
}

pub(super) fn check_finite(parameter: &'static str, value: f64) -> Result<(), FunctionError> {
    if value.is_finite() { Ok(()) } else { Err(FunctionError::NotFinite { parameter, value }) }
}
