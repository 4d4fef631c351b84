//! The errors of this crate.

use std::io;
use std::path::PathBuf;

use huygens_core::CoreError;
use huygens_exec::ExecError;
use huygens_fea::FeaError;
use huygens_multibody::MultibodyError;
use huygens_particles::ParticleError;

use crate::cases::CASES;
use crate::request::SIZE_LIMIT;

/// Why a case could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// There is no case of this name.
    #[error("there is no case '{case}'")]
    UnknownCase {
        /// The name asked for.
        case: String,
    },
    /// The case has no such variant.
    #[error("there is no case '{case}' with variant '{variant}'")]
    UnknownVariant {
        /// The case.
        case: &'static str,
        /// The variant asked for.
        variant: String,
        /// Those it has.
        variants: &'static [&'static str],
    },
    /// A size is out of range.
    #[error("size {size} is not between 1 and {SIZE_LIMIT}")]
    Size {
        /// The size asked for.
        size: usize,
    },
    /// No step is to be timed.
    #[error("a benchmark needs at least one step")]
    NoSteps,
    /// A folder has no table that a bed of grains could be taken from.
    #[error("there is no settled bed of {size} grains in '{}': {} is expected there", folder.display(), expected.join(" or "))]
    NoTable {
        /// The folder.
        folder: PathBuf,
        /// Grains asked for.
        size: usize,
        /// Names of the files that would do.
        expected: Vec<String>,
    },
    /// A table cannot be read.
    #[error("cannot read '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line of a table of grains is not four numbers.
    #[error("line {line} of '{}' has not four numbers", path.display())]
    TableLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A table has a header and nothing else.
    #[error("'{}' has no grains", path.display())]
    EmptyTable {
        /// The file.
        path: PathBuf,
    },
    /// A mechanism could not be built.
    #[error(transparent)]
    Multibody(#[from] MultibodyError),
    /// A simulation stopped.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// Grains or water could not be made or moved.
    #[error(transparent)]
    Particles(#[from] ParticleError),
    /// Cables could not be made.
    #[error(transparent)]
    Fea(#[from] FeaError),
    /// Threads could not be started.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// Two runs from one start ended in different states.
    #[error("two runs of the case '{case}' gave different states")]
    NotRepeatable {
        /// The case.
        case: &'static str,
    },
}

impl BenchError {
    /// What to do, where that can be said.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownCase { .. } => {
                let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
                Some(format!("the cases are {}", names.join(", ")))
            }
            Self::UnknownVariant { variants: [], .. } => Some("it has no variants".into()),
            Self::UnknownVariant { variants, .. } => {
                Some(format!("its variants are {}", variants.join(", ")))
            }
            Self::NoTable { .. } => Some(format!("{TABLE}; without a folder the bed is made")),
            Self::TableLine { .. } | Self::EmptyTable { .. } => Some(TABLE.into()),
            _ => None,
        }
    }

    /// Whether the case ran and diverged.
    pub fn is_divergence(&self) -> bool {
        matches!(
            self,
            Self::Core(CoreError::NonFinite { .. } | CoreError::NotConverged { .. })
                | Self::Particles(ParticleError::NonFinite { .. } | ParticleError::FluidNonFinite { .. })
        )
    }

    /// Whether this is a bug: a case cannot be built, or is not deterministic.
    pub fn is_bug(&self) -> bool {
        matches!(self, Self::NotRepeatable { .. } | Self::Fea(_))
    }
}

/// What a table of a bed holds.
const TABLE: &str = "a table of a bed is a CSV file with a header and the columns x, y, z, radius [m]";
