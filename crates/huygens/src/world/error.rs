//! What can go wrong while a world is built or moved.

use huygens_core::CoreError;
use huygens_core::builder::BuildError;
use huygens_core::signal::SignalError;
use huygens_exec::{ExecError, Stopped};
use huygens_multibody::MultibodyError;
use huygens_particles::ParticleError;
use huygens_record::RecordError;

use crate::spec::{Section, WrongReference, WrongSetting, given, shown};

/// An error of a world.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The work was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// An object is described wrongly.
    #[error("{section} '{name}': {problem}{}", hint(.suggestion))]
    Input {
        /// Kind of object.
        section: Section,
        /// Its name.
        name: String,
        /// Key of the wrong value, where there is one.
        field: Option<String>,
        /// What is wrong.
        problem: String,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// A setting is out of range.
    #[error("settings: {key} = {value} is not allowed; expected {expected}", value = tidy(.value))]
    Setting {
        /// Key of the setting.
        key: String,
        /// Its value.
        value: String,
        /// What is expected.
        expected: String,
    },
    /// There is no object of that name.
    #[error("there is no {kind} '{name}'{}", hint(.suggestion))]
    Unknown {
        /// Kind of object asked for.
        kind: &'static str,
        /// The name.
        name: String,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// An object has no such quantity.
    #[error("{problem}{}", hint(.suggestion))]
    Quantity {
        /// What is wrong, with the object, the quantity and what there is instead.
        problem: String,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// A value given to the world is wrong.
    #[error("{what} = {value} is not allowed; expected {expected}", value = tidy(.value))]
    Value {
        /// What was given.
        what: String,
        /// Its value.
        value: String,
        /// What is expected.
        expected: String,
    },
    /// A body left the world.
    #[error(
        "body '{body}' left the bounds of the world at t = {time} s (step {step}): it is at [{:.6}, {:.6}, {:.6}] m{touching}",
        position[0], position[1], position[2], time = shown(*.time))]
    LeftBounds {
        /// Its name.
        body: String,
        /// Where it is [m].
        position: [f64; 3],
        /// Simulated time [s].
        time: f64,
        /// Step number.
        step: u64,
        /// What it touched, in words.
        touching: String,
    },
    /// Grains cannot be built or moved.
    #[error("grains '{grains}': {source}")]
    Grains {
        /// Their name.
        grains: String,
        /// What happened.
        source: ParticleError,
    },
    /// A fluid cannot be built or moved.
    #[error("fluid '{fluid}': {source}")]
    Fluid {
        /// Its name.
        fluid: String,
        /// What happened.
        source: ParticleError,
    },
    /// A part of a program's own cannot be placed.
    #[error(transparent)]
    Build(BuildError),
    /// The model cannot be built or simulated.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// Threads could not be started.
    #[error(transparent)]
    Threads(#[from] ExecError),
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Result of a world.
pub type Result<T> = std::result::Result<T, WorldError>;

/// A number without its hundreds of zeros; any other text as it is.
fn tidy(value: &str) -> String {
    value.parse().map_or_else(|_| value.to_owned(), given)
}

fn hint(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean '{s}'?"))
}

impl From<WrongReference> for WorldError {
    fn from(wrong: WrongReference) -> Self {
        let WrongReference { section, name, field, problem, suggestion } = wrong;
        Self::Input { section, name, field: Some(field), problem, suggestion }
    }
}

impl WorldError {
    pub(crate) fn input(
        section: Section,
        name: &str,
        field: Option<&str>,
        problem: impl Into<String>,
    ) -> Self {
        Self::Input {
            section,
            name: name.into(),
            field: field.map(str::to_owned),
            problem: problem.into(),
            suggestion: None,
        }
    }

    /// Puts an error of the engine on an object.
    pub(crate) fn of_engine(section: Section, name: &str, error: MultibodyError) -> Self {
        match error {
            MultibodyError::Value { name: key, value, expected, .. } => {
                Self::input(section, name, Some(key), format!("{key} = {value} is not allowed; {expected}"))
            }
            MultibodyError::SameBody { body, .. } => {
                let problem = format!(
                    "it connects body '{body}' with itself; it needs two bodies, or a body and ground"
                );
                Self::input(section, name, Some("b"), problem)
            }
            MultibodyError::Mismatch { reason, .. } => Self::input(section, name, None, reason),
            other => Self::input(section, name, None, other.to_string()),
        }
    }

    /// Puts an error of the signal graph on the signal it is about.
    pub(crate) fn of_signal(error: SignalError) -> Self {
        let name = error.signal().unwrap_or_default().to_owned();
        Self::input(Section::Signals, &name, None, error.to_string())
    }

    /// Whether the work was asked to stop; what it worked on is to be taken as it was before.
    pub fn is_stopped(&self) -> bool {
        match self {
            Self::Stopped(_) | Self::Core(CoreError::Stopped(_)) => true,
            Self::Grains { source, .. } | Self::Fluid { source, .. } => {
                matches!(source, ParticleError::Stopped(_))
            }
            _ => false,
        }
    }

    /// Whether the input is wrong, rather than the simulation having failed on its way.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Core(e) => !matches!(
                e,
                CoreError::Stopped(_)
                    | CoreError::NonFinite { .. }
                    | CoreError::NotConverged { .. }
                    | CoreError::NoEquilibrium { .. }
                    | CoreError::NoLoadStep { .. }
                    | CoreError::Element { .. }
                    | CoreError::ContactNotConverged { .. }
                    | CoreError::ComeApart { .. }
            ),
            Self::Grains { source, .. } => !matches!(
                source,
                ParticleError::Stopped(_) | ParticleError::NonFinite { .. } | ParticleError::Left { .. }
            ),
            Self::Fluid { source, .. } => !matches!(
                source,
                ParticleError::Stopped(_)
                    | ParticleError::FluidNonFinite { .. }
                    | ParticleError::FluidEscaped { .. }
                    | ParticleError::MarkerEscaped { .. }
                    | ParticleError::FluidLost { .. }
                    | ParticleError::FluidSound { .. }
                    | ParticleError::TooDense { .. }
            ),
            Self::Stopped(_) | Self::LeftBounds { .. } => false,
            _ => true,
        }
    }
}

impl From<WrongSetting> for WorldError {
    fn from(wrong: WrongSetting) -> Self {
        Self::Setting { key: wrong.key.into(), value: wrong.value, expected: wrong.expected.into() }
    }
}
