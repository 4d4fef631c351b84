//! Errors of a signal graph.

use crate::subject::Subject;
use huygens_spec::shown;
use thiserror::Error;

use crate::function::FunctionError;

/// The reason why a signal or a signal graph was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SignalError {
    /// Two signals have the same name.
    #[error("there are two signals named '{name}'")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A signal has no name.
    #[error("a signal needs a name")]
    EmptyName,
    /// There is no signal of that name.
    #[error("there is no signal '{name}'{}", suggestion_text(.suggestion))]
    Unknown {
        /// The requested name.
        name: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// A signal reads one that does not exist.
    #[error("signal '{signal}' reads '{input}', which does not exist{}", suggestion_text(.suggestion))]
    UnknownInput {
        /// The signal that reads.
        signal: String,
        /// The name that it reads.
        input: String,
        /// The nearest name that exists.
        suggestion: Option<String>,
    },
    /// Signals depend on each other without a block with memory between them.
    #[error(
        "algebraic loop: {} → '{}'; insert a filter or a strictly proper transfer function",
        arrows(.signals), .signals[0]
    )]
    AlgebraicLoop {
        /// The signals of the loop, each read by the next; the first reads the last.
        signals: Vec<String>,
    },
    /// A parameter of a block is out of range.
    #[error("signal '{signal}': `{parameter}` is {value}, but must be {expected}")]
    Parameter {
        /// The signal.
        signal: String,
        /// Name of the parameter.
        parameter: &'static str,
        /// Value given.
        value: f64,
        /// The accepted range.
        expected: &'static str,
    },
    /// A block that combines signals has no inputs.
    #[error("signal '{signal}' needs at least one input")]
    NoInputs {
        /// The signal.
        signal: String,
    },
    /// Inputs and weights of a sum, or coefficients of another list, differ in number.
    #[error("signal '{signal}': `{parameter}` needs {expected} entries, {found} given")]
    Count {
        /// The signal.
        signal: String,
        /// Name of the list.
        parameter: &'static str,
        /// Number needed.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// Limits are in the wrong order.
    #[error("signal '{signal}': lower limit {lower} must be below upper limit {upper}")]
    Limits {
        /// The signal.
        signal: String,
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// The numerator has a higher degree than the denominator.
    #[error(
        "signal '{signal}': the transfer function is not proper: numerator of degree {numerator}, denominator of degree {denominator}"
    )]
    Improper {
        /// The signal.
        signal: String,
        /// Degree of the numerator.
        numerator: usize,
        /// Degree of the denominator.
        denominator: usize,
    },
    /// All coefficients of the denominator are zero.
    #[error("signal '{signal}': the denominator of the transfer function is zero")]
    ZeroDenominator {
        /// The signal.
        signal: String,
    },
    /// A signal reads a state that a block does not have.
    #[error("signal '{signal}' reads state {index} of '{block}', which has {count}")]
    NoSuchState {
        /// The signal.
        signal: String,
        /// The block whose state it reads.
        block: String,
        /// Requested index.
        index: usize,
        /// Number of states the block has.
        count: usize,
    },
    /// A function or table of a block is wrong.
    #[error("signal '{signal}': {source}")]
    Function {
        /// The signal.
        signal: String,
        /// The fault.
        source: FunctionError,
    },
    /// A signal or a state became NaN or infinite.
    #[error("{what} became {value} at time {time} s", time = shown(*.time))]
    NonFinite {
        /// The signal or state.
        what: Subject,
        /// Its value.
        value: f64,
        /// Time [s].
        time: f64,
    },
}

impl SignalError {
    /// The signal that the error concerns, if any.
    pub fn signal(&self) -> Option<&str> {
        match self {
            Self::DuplicateName { name } | Self::Unknown { name, .. } => Some(name),
            Self::UnknownInput { signal, .. }
            | Self::Parameter { signal, .. }
            | Self::NoInputs { signal }
            | Self::Count { signal, .. }
            | Self::Limits { signal, .. }
            | Self::Improper { signal, .. }
            | Self::ZeroDenominator { signal }
            | Self::NoSuchState { signal, .. }
            | Self::Function { signal, .. } => Some(signal),
            Self::AlgebraicLoop { signals } => signals.first().map(String::as_str),
            Self::NonFinite { what, .. } => what.about().map(|object| object.name.as_str()),
            _ => None,
        }
    }
}

fn suggestion_text(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

fn arrows(names: &[String]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" → ")
}
