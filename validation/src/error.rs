//! What can keep a case from a result.

use std::path::PathBuf;

/// An error of the validation program.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The reference data of a case are not there.
    #[error("reference data '{file}' not present")]
    NoReference {
        /// File below the reference folder.
        file: String,
    },
    /// The case is too long for a quick run.
    #[error("only in full runs")]
    OnlyFull,
    /// Reference data cannot be understood.
    #[error("reference data '{file}': {reason}")]
    Reference {
        /// File below the reference folder.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// No case has one of the names asked for.
    #[error("no case is called {}; --list shows them", .names.join(" or "))]
    NoCase {
        /// The names.
        names: Vec<String>,
    },
    /// A file cannot be written.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The awaited event did not happen.
    #[error("{what} did not happen within {time} s")]
    NoEvent {
        /// The event.
        what: String,
        /// Simulated time waited [s].
        time: f64,
    },
    /// The mechanism is not valid.
    #[error(transparent)]
    Multibody(#[from] huygens_multibody::MultibodyError),
    /// The simulation failed.
    #[error(transparent)]
    Core(#[from] huygens_core::CoreError),
    /// A curve or function is not valid.
    #[error(transparent)]
    Function(#[from] huygens_core::function::FunctionError),
    /// Granular matter is not valid, or its run failed.
    #[error(transparent)]
    Particle(#[from] huygens_particles::ParticleError),
    /// A shape is not valid.
    #[error(transparent)]
    Geometry(#[from] huygens_geometry::GeometryError),
    /// A world is not valid, or its run failed.
    #[error(transparent)]
    World(#[from] huygens::WorldError),
    /// Eigenvalues cannot be found.
    #[error(transparent)]
    Solve(#[from] huygens_solve::SolveError),
    /// Threads cannot be started.
    #[error(transparent)]
    Exec(#[from] huygens_exec::ExecError),
    /// A plot cannot be written.
    #[error(transparent)]
    Plot(#[from] huygens_plot::PlotError),
}

/// Result of a case.
pub type Result<T> = std::result::Result<T, CaseError>;
