//! Errors in building or simulating a model.

use std::sync::Arc;

use huygens_exec::Stopped;
use huygens_solve::SolveError;
use huygens_spec::{WrongSetting, shown};

use crate::analysis::Misfit;
use crate::subject::{ObjectRef, Subject};

/// An error of the core; carries the data for its message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CoreError {
    /// A stop was requested.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A linear system whose factor does not fit into memory.
    #[error("the linear system is too large for this machine: {reason}")]
    TooLarge {
        /// Required memory, available memory, and what to do.
        reason: SolveError,
    },
    /// A number became infinite or not-a-number.
    #[error("{what} is not finite at t = {time} s (step {step})", time = shown(*.time))]
    NonFinite {
        /// The object and quantity.
        what: Subject,
        /// Simulated time [s].
        time: f64,
        /// Step number.
        step: u64,
    },
    /// Newton's method did not converge.
    #[error(
        "Newton's method did not converge at t = {time} s (step {step}, h = {step_size} s): in iteration \
         {iterations} {}; a smaller step may help",
        unfinished(*.correction, *.residual, .worst), time = shown(*.time), step_size = shown(*.step_size)
    )]
    NotConverged {
        /// Simulated time [s].
        time: f64,
        /// Step number.
        step: u64,
        /// Step size [s].
        step_size: f64,
        /// Number of iterations.
        iterations: usize,
        /// Norm of the last correction.
        correction: f64,
        /// Largest constraint residual.
        residual: f64,
        /// Name of the row with the largest residual; where none has any, of what is corrected most.
        worst: Subject,
    },
    /// An element cannot continue.
    #[error(
        "{what} {how} ({value:.3e}) at t = {time} s (step {step}): a smaller step, a finer mesh or a stiffer material may help", time = shown(*.time))]
    Element {
        /// The element.
        what: Subject,
        /// The fault.
        how: &'static str,
        /// The quantity that shows it.
        value: f64,
        /// Simulated time [s].
        time: f64,
        /// Step number.
        step: u64,
    },
    /// A linear system could not be solved.
    #[error("the linear system is singular at {what}: {reason}")]
    Singular {
        /// The object that owns the singular pivot.
        what: Subject,
        /// The error of the solver.
        reason: String,
    },
    /// A linear solver did not reach its tolerance.
    #[error(
        "the linear system was not solved: {reason}; choose another `newton.solver`, more iterations or a larger tolerance"
    )]
    LinearSolver {
        /// The error of the solver.
        reason: String,
    },
    /// The constraints cannot be satisfied in the initial state.
    #[error("the mechanism cannot be assembled at t = {time} s: {}", list(.misfits), time = shown(*.time))]
    CannotAssemble {
        /// Simulated time [s].
        time: f64,
        /// Open constraints with their residuals, worst first.
        misfits: Vec<Misfit>,
    },
    /// The static problem has a motion that no force resists.
    #[error("the static problem is singular: {}", join(.parts))]
    FreeMotion {
        /// The free motions, in words.
        parts: Vec<Subject>,
    },
    /// Static equilibrium was not found.
    #[error(
        "no static equilibrium found: after {iterations} iterations the largest unbalanced force is {residual:.3e} at {worst}"
    )]
    NoEquilibrium {
        /// Number of iterations.
        iterations: usize,
        /// Largest residual.
        residual: f64,
        /// Its location.
        worst: Subject,
    },
    /// No equilibrium was found at the next load of a path.
    #[error(
        "no equilibrium found at load factor {factor:.6} (the last one is at {reached:.6}): the unbalanced force went {}, \
         largest at {worst}; {}",
        fall(.residuals),
        advice(*.suggested_step, *.arc_length)
    )]
    NoLoadStep {
        /// Load factor that was tried.
        factor: f64,
        /// Load factor of the last equilibrium.
        reached: f64,
        /// Location of the largest unbalanced force.
        worst: Subject,
        /// Largest unbalanced force of each iteration [N or N·m].
        residuals: Vec<f64>,
        /// A step of the load factor that may work.
        suggested_step: f64,
        /// Whether the path was followed by arc length.
        arc_length: bool,
    },
    /// An integrator cannot treat the model.
    #[error("{integrator} cannot integrate this model: {reason}")]
    Unsupported {
        /// The integrator or analysis.
        integrator: String,
        /// The reason, and what to use instead.
        reason: String,
    },
    /// A parameter is out of range.
    #[error("{name} = {value} is not allowed: {expected}")]
    Parameter {
        /// Name of the parameter.
        name: String,
        /// The value given.
        value: String,
        /// What was expected.
        expected: String,
    },
    /// A parameter cannot be changed.
    #[error(transparent)]
    ParameterChange(#[from] crate::parameter::ParameterError),
    /// The contact problem could not be solved.
    #[error("the contact problem cannot be solved at t = {time} s (step {step}): {reason}", time = shown(*.time))]
    Contact {
        /// The error of the solver.
        reason: Subject,
        /// Simulated time [s].
        time: f64,
        /// Step number.
        step: u64,
    },
    /// The contact solver missed its tolerance, and the settings request a stop.
    #[error(
        "the contact solver did not reach its tolerance at t = {time} s (step {step}, {contacts} contacts): \
         residual {residual:.3e} m/s after {iterations} iterations, tolerance {tolerance:.3e}; allow more iterations, use \
         solver = \"interior_point\", or set on_failure = \"warn\"", time = shown(*.time))]
    ContactNotConverged {
        /// Simulated time [s].
        time: f64,
        /// Step number.
        step: u64,
        /// Number of contacts.
        contacts: usize,
        /// Number of iterations.
        iterations: usize,
        /// Residual reached [m/s].
        residual: f64,
        /// Tolerance [m/s].
        tolerance: f64,
    },
    /// Joints have come apart, by more than the size of the mechanism.
    #[error(
        "constraints have come apart at t = {time} s (step {step}, h = {step_size} s): {}; a shorter step or a smaller mass ratio may help",
        list(.misfits), time = shown(*.time), step_size = shown(*.step_size))]
    ComeApart {
        /// Simulated time [s].
        time: f64,
        /// Step number.
        step: u64,
        /// Step size [s].
        step_size: f64,
        /// Open constraints with their residuals, worst first.
        misfits: Vec<Misfit>,
    },
    /// The signal graph is wrong.
    #[error(transparent)]
    Signal(#[from] crate::signal::SignalError),
    /// A sub-system failed.
    #[error("{kind} '{owner}': {source}")]
    SubSystem {
        /// Its kind, such as `grains`.
        kind: &'static str,
        /// Name of the object to which it belongs.
        owner: String,
        /// Its error.
        source: SharedError,
    },
    /// A sub-system cannot save its state.
    #[error("{what} cannot save its state, so {asked} is not possible with it")]
    KeepsNoState {
        /// The sub-system.
        what: ObjectRef,
        /// The requested operation.
        asked: &'static str,
    },
    /// A saved state does not fit the model.
    #[error("the saved state does not fit this model: {reason}")]
    StateMismatch {
        /// The difference.
        reason: String,
    },
}

/// An error of another crate, shared so that errors can be cloned; equal if the messages are.
#[derive(Clone, Debug)]
pub struct SharedError(pub Arc<dyn std::error::Error + Send + Sync>);

impl SharedError {
    /// Wraps an error.
    pub fn new(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }

    /// The error, if it is of type `E`.
    pub fn downcast_ref<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl PartialEq for SharedError {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl std::fmt::Display for SharedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SharedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl CoreError {
    /// The object that the error concerns, if any: the first, if there are several.
    pub fn object(&self) -> Option<ObjectRef> {
        let subject = match self {
            Self::NonFinite { what, .. } | Self::Element { what, .. } | Self::Singular { what, .. } => what,
            Self::NotConverged { worst, .. }
            | Self::NoEquilibrium { worst, .. }
            | Self::NoLoadStep { worst, .. } => worst,
            Self::CannotAssemble { misfits, .. } | Self::ComeApart { misfits, .. } => {
                &misfits.first()?.constraint
            }
            Self::FreeMotion { parts } => parts.iter().find(|part| part.about().is_some())?,
            Self::Contact { reason, .. } => reason,
            Self::SubSystem { kind, owner, .. } => return Some(ObjectRef::new(*kind, owner)),
            Self::KeepsNoState { what, .. } => return Some(what.clone()),
            Self::ParameterChange(e) => return e.object(),
            Self::Signal(e) => return e.signal().map(|name| ObjectRef::new("signal", name)),
            Self::Stopped(_)
            | Self::TooLarge { .. }
            | Self::LinearSolver { .. }
            | Self::Unsupported { .. }
            | Self::Parameter { .. }
            | Self::ContactNotConverged { .. }
            | Self::StateMismatch { .. } => return None,
        };
        subject.about().cloned()
    }
}

/// Where Newton's method ended.
fn unfinished(correction: f64, residual: f64, worst: &Subject) -> String {
    if residual == 0.0 {
        return format!("{worst} is still corrected by {correction:.3e} m or rad");
    }
    format!(
        "the correction is {correction:.3e} m or rad and the constraint residual {residual:.3e}, largest at {worst}"
    )
}

/// The first and the last residuals.
fn fall(residuals: &[f64]) -> String {
    let text = |r: &[f64]| r.iter().map(|r| format!("{r:.2e}")).collect::<Vec<_>>().join(", ");
    match residuals.len() {
        0 => "nowhere (the stiffness matrix is singular)".into(),
        n if n <= 8 => text(residuals),
        n => format!("{}, ..., {}", text(&residuals[..4]), text(&residuals[n - 3..])),
    }
}

fn advice(step: f64, arc_length: bool) -> String {
    if arc_length {
        "the path may branch here: try shorter arcs or a small imperfection".into()
    } else {
        format!("try load steps of {step:.2e}, or arc length if the load has a maximum here")
    }
}

fn join(parts: &[Subject]) -> String {
    parts.iter().map(Subject::as_str).collect::<Vec<_>>().join("; ")
}

fn list(misfits: &[Misfit]) -> String {
    misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Result of the core.
pub type Result<T> = std::result::Result<T, CoreError>;

impl From<WrongSetting> for CoreError {
    fn from(wrong: WrongSetting) -> Self {
        Self::Parameter { name: wrong.key.into(), value: wrong.value, expected: wrong.expected.into() }
    }
}
