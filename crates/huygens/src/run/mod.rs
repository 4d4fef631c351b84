//! Runs a scene into a folder: time series, checkpoints, manifest, plots.
//!
//! The folder holds `manifest.json`, one CSV file per probe file, `checkpoints/`, `probes.svg` and `probes.png`,
//! `run.hrec`, and `picture.png` if the options have a [`Painter`]. A run that is stopped or diverges leaves its last
//! good state as a checkpoint; with [`RunOptions::resume`] the same command continues it, with results bit-identical to an uninterrupted run.

mod cells;
mod driver;
mod folder;
mod journey;
mod outputs;
#[cfg(feature = "viewer")]
mod page;
mod recorder;
mod rehearsal;
mod results;
mod setup;
mod steering;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use huygens_plot::{PlotError, PlotFault};
use huygens_record::{Frame, Manifest, Outcome, RecordError, Stage};

use crate::spec::shown;
use crate::world::{ContactStatistics, RainProgress, WorldError};

pub use driver::run_scene;
pub use journey::{Companion, crossed, travel};
pub use recorder::Recorder;
pub use rehearsal::{Rehearsal, rehearse};
pub use steering::{Helm, Steering, SteeringCommand};

/// Name of the manifest in the folder of a run.
pub const MANIFEST: &str = "manifest.json";
/// Name of the recording in the folder of a run.
pub const RECORDING: &str = "run.hrec";
/// Name of the picture of the final state in the folder of a run.
pub const PICTURE: &str = "picture.png";
/// Name of the folder of checkpoints in the folder of a run.
pub const CHECKPOINTS: &str = "checkpoints";

type Paint = dyn Fn(&Stage, &Frame, &Path) -> Result<(), String> + Send + Sync;

/// Draws the picture of the final state of a run.
#[derive(Clone)]
pub struct Painter(Arc<Paint>);

impl Painter {
    /// A painter that writes the picture of a frame into a file.
    pub fn new<E: std::fmt::Display>(
        paint: impl Fn(&Stage, &Frame, &Path) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |stage, frame, path| paint(stage, frame, path).map_err(|e| e.to_string())))
    }
}

impl std::fmt::Debug for Painter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Painter")
    }
}

/// How a scene is run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Folder for the results; created if it does not exist.
    pub out: PathBuf,
    /// End time of the simulation [s], overriding the scene.
    pub until: Option<f64>,
    /// Step size [s], overriding the scene.
    pub dt: Option<f64>,
    /// Number of threads; 0 uses all cores. Default: one. Results do not depend on it.
    pub threads: Option<usize>,
    /// Random seed, overriding the scene.
    pub seed: Option<u64>,
    /// Continue from the last checkpoint in `out`.
    pub resume: bool,
    /// Replace whatever run `out` holds.
    pub force: bool,
    /// Interval between checkpoints in simulated time [s], overriding the scene.
    pub checkpoint_every: Option<f64>,
    /// Wall-clock time after which the run writes a checkpoint and stops [s]; counted from `started`.
    pub max_wall_time: Option<f64>,
    /// When the program was started. Default: now.
    pub started: Option<Instant>,
    /// Set from outside to write a checkpoint and stop.
    pub stop: Arc<AtomicBool>,
    /// Steers the run from outside; the run is then paced to real time.
    pub steering: Option<Arc<dyn Steering>>,
    /// Draws [`PICTURE`] when the run is complete.
    pub painter: Option<Painter>,
}

impl RunOptions {
    /// Options of a run into a folder.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self { out: out.into(), ..Self::default() }
    }
}

/// What just happened in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// The model is being built; sent about ten times per second, so that a caller can check for a stop request.
    Preparing,
    /// The model is built; the first step comes next.
    Started,
    /// Steps were taken; sent about ten times per second.
    Advanced,
    /// A checkpoint was written.
    Checkpoint(&'a Path),
    /// Grains rain before the run starts; sent about ten times per second.
    Rain(&'a RainProgress),
    /// A warning; the run continues.
    Warning(&'a str),
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// What happened.
    pub event: Event<'a>,
    /// Simulated time [s].
    pub time: f64,
    /// Simulated time the run ends at [s].
    pub until: f64,
    /// Steps since the start of the simulation.
    pub step: u64,
    /// Steps per second of wall time in this run.
    pub steps_per_second: f64,
    /// Wall-clock time of this run [s].
    pub wall_time: f64,
    /// Estimated wall time left [s], if it can be estimated.
    pub remaining: Option<f64>,
    /// Status of the fluids, if there are any.
    pub fluid: Option<FluidPace>,
}

/// Status of all fluids of a run: the worst of each number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidPace {
    /// Smallest step [s].
    pub step: f64,
    /// Density range relative to the rest density.
    pub compressibility: f64,
    /// Particles that left the bounds.
    pub lost: u64,
}

impl std::fmt::Display for FluidPace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "fluid step {:.1e} s, density within {:.2} %", self.step, 100.0 * self.compressibility)?;
        if self.lost > 0 { write!(f, ", {} lost", self.lost) } else { Ok(()) }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RunReport {
    /// What is in `manifest.json`.
    pub manifest: Manifest,
    /// Folder of the results.
    pub out: PathBuf,
    /// The last checkpoint, where one was written.
    pub checkpoint: Option<PathBuf>,
    /// Contact statistics of this run.
    pub contact: ContactStatistics,
}

impl RunReport {
    /// How the run ended.
    pub fn outcome(&self) -> Outcome {
        self.manifest.outcome
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The world is wrong, or could not be built.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A file could not be written or read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The plot of a time series could not be drawn.
    #[error("plot '{title}': {fault}")]
    Plot {
        /// Title of the plot.
        title: String,
        /// Why not.
        #[source]
        fault: PlotFault,
    },
    /// The simulation diverged; the last good state was written.
    #[error("the simulation diverged at t = {time} s (step {step}): {source}{}", kept(.checkpoint), time = shown(*.time))]
    Diverged {
        /// What happened.
        source: Box<WorldError>,
        /// Simulated time of the last good state [s].
        time: f64,
        /// Its step.
        step: u64,
        /// Where it is.
        checkpoint: Option<PathBuf>,
    },
    /// The folder holds something that would be lost.
    #[error("'{}' {holds}", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
        /// What it holds.
        holds: String,
    },
    /// The run in the folder cannot be continued with this scene.
    #[error("the run in '{}' cannot be continued: {reason}", folder.display())]
    NotResumable {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        reason: String,
    },
    /// An option is out of range.
    #[error("{option} = {value} is not allowed; {expected} is needed")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What is expected.
        expected: &'static str,
    },
}

fn kept(checkpoint: &Option<PathBuf>) -> String {
    checkpoint.as_ref().map_or(String::new(), |p| format!("; the last good state is in '{}'", p.display()))
}

// A file that a plot could not write is an error of a file, like any other of the run.
impl From<PlotError> for RunError {
    fn from(error: PlotError) -> Self {
        match error {
            PlotError::Drawing { title, fault } => Self::Plot { title, fault },
            PlotError::Record(error) => Self::Record(error),
        }
    }
}

impl RunError {
    /// Whether the input is invalid, as opposed to a failure of the simulation or the machine.
    pub fn is_input(&self) -> bool {
        match self {
            Self::World(e) => e.is_input(),
            Self::Record(_) | Self::Plot { .. } => true,
            Self::Diverged { .. } => false,
            Self::Occupied { .. } | Self::NotResumable { .. } | Self::Option { .. } => true,
        }
    }

    /// Whether the simulation ended in a state that cannot be continued.
    pub fn is_divergence(&self) -> bool {
        matches!(self, Self::Diverged { .. })
    }
}
