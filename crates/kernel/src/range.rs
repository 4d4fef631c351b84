//! Ranges of numbers.

use std::fmt;

/// Values that a number may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberRange {
    /// Any finite number.
    Finite,
    /// Zero or a positive finite number.
    NotNegative,
    /// A positive finite number.
    Positive,
    /// A positive number, or infinity.
    PositiveOrInfinite,
    /// From the first to the second, both included.
    Between(f64, f64),
    /// Above the first, and at most the second.
    AboveToMost(f64, f64),
}

impl NumberRange {
    /// Whether a value is allowed.
    pub fn contains(self, value: f64) -> bool {
        (value.is_finite() || self == Self::PositiveOrInfinite)
            && match self {
                Self::Finite => true,
                Self::NotNegative => value >= 0.0,
                Self::Positive | Self::PositiveOrInfinite => value > 0.0,
                Self::Between(lower, upper) => (lower..=upper).contains(&value),
                Self::AboveToMost(lower, upper) => value > lower && value <= upper,
            }
    }

    /// Refuses a value that is not allowed: the key and what is wrong.
    pub fn check(self, key: &'static str, value: f64) -> Result<(), (&'static str, String)> {
        match self.contains(value) {
            true => Ok(()),
            false => Err((key, format!("{key} = {value} is not allowed; {self}"))),
        }
    }
}

impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finite => f.write_str("a finite number is needed"),
            Self::NotNegative => f.write_str("zero or a positive finite number is needed"),
            Self::Positive => f.write_str("a positive finite number is needed"),
            Self::PositiveOrInfinite => f.write_str("a positive number is needed"),
            Self::Between(lower, upper) => write!(f, "a number from {lower} to {upper} is needed"),
            Self::AboveToMost(lower, upper) => {
                write!(f, "a number above {lower} and at most {upper} is needed")
            }
        }
    }
}
