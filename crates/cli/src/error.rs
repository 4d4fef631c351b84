//! What the program says when it stops, and the exit code that goes with it.

use huygens_core::CoreError;
use huygens_exec::ExecError;
use huygens_multibody::MultibodyError;
use huygens_record::RecordError;

/// Why a command stopped.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line asks for something that does not exist.
    #[error("{message}; {help}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
    /// A file of a run could not be written or read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A mechanism could not be built.
    #[error(transparent)]
    Multibody(#[from] MultibodyError),
    /// A simulation stopped.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// Threads could not be started.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// Something that is a bug.
    #[error("internal error: {0}")]
    Internal(String),
}
