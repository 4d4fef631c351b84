//! Error messages of the program and their exit codes.

use std::io::IsTerminal;
use std::ops::Range;
use std::path::Path;

use huygens::run::RunError;
use huygens::spec::given;
use huygens::{LoadedScene, SceneError, SceneWorld, WorldError};
use huygens_bench::BenchError;
use huygens_exec::ExecError;
use huygens_plot::PlotError;
use huygens_record::RecordError;
use huygens_render::RenderError;
use huygens_render::export::ExportError;
use huygens_viewer::ViewerError;
use serde_json::json;

use crate::output;
use crate::report::{Report, Snippet};

/// Bytes of text that a message may show.
const SNIPPET_LIMIT: usize = 1000;

/// Most digits of a number in a message.
const MOST_DIGITS: usize = 24;

/// Outcome of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It completed.
    Done,
    /// A signal stopped it.
    Signal(i32),
}

impl Exit {
    /// Exit code of the program.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Signal(number) => 128u8.saturating_add(number as u8),
        }
    }
}

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The command line refers to something that does not exist.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        help: String,
    },
    /// A scene is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A run stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A world could not be built.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A file of a run could not be written or read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A plot could not be drawn or written.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A picture or film could not be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A run could not be written in another format.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The viewer stopped.
    #[error(transparent)]
    Viewer(#[from] ViewerError),
    /// A benchmark could not be run.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// Threads could not be started.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// A bug.
    #[error("internal error: {0}")]
    Internal(String),
}

impl CliError {
    /// A file or folder that cannot be read.
    pub fn read(path: &Path, source: std::io::Error) -> Self {
        RecordError::Read { path: path.into(), source }.into()
    }

    /// A file or folder that cannot be written.
    pub fn write(path: &Path, source: std::io::Error) -> Self {
        RecordError::Write { path: path.into(), source }.into()
    }

    /// An error of a run, located in the scene if possible.
    pub fn of_run(scene: &LoadedScene, error: RunError) -> Self {
        match error {
            // Nothing in the scene is wrong with it.
            RunError::World(WorldError::Threads(e)) => e.into(),
            RunError::World(e) => Self::of_world(scene, e),
            other => other.into(),
        }
    }

    /// An error of a world, located in the scene if possible.
    pub fn of_world(scene: &LoadedScene, error: WorldError) -> Self {
        Self::Scene(scene.explain(error))
    }

    /// Exit code: 1 a bug, 2 invalid input, 3 the simulation diverged.
    pub fn code(&self) -> u8 {
        let input = |yes: bool| if yes { 2 } else { 3 };
        match self {
            Self::Usage { .. }
            | Self::Record(_)
            | Self::Plot(_)
            | Self::Render(_)
            | Self::Export(_)
            | Self::Viewer(_)
            | Self::Exec(_) => 2,
            Self::Scene(e) => input(e.is_input()),
            Self::Run(e) => input(e.is_input()),
            Self::World(e) => input(e.is_input()),
            Self::Bench(e) if e.is_bug() => 1,
            Self::Bench(e) => input(!e.is_divergence()),
            Self::Internal(_) => 1,
        }
    }

    /// Shows the error: as one JSON object on standard output, or with its location in the file on standard error.
    pub fn show(&self, as_json: bool) {
        let shown = Shown::new(self);
        if as_json {
            output::line(json!({
                "event": "error",
                "message": shown.message,
                "help": shown.help,
                "file": shown.file,
                "line": shown.place.map(|p| p.0),
                "column": shown.place.map(|p| p.1),
                "exit_code": self.code(),
            }));
            return;
        }
        let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let snippet = shown.span.as_ref().zip(shown.file.as_deref()).map(|((text, span), file)| Snippet {
            file,
            text,
            span: span.clone(),
        });
        let report = Report { message: &shown.message, snippet, help: shown.help.as_deref(), color };
        output::note(report.to_string().trim_end());
    }
}

/// An error with its location in a file.
struct Shown {
    message: String,
    help: Option<String>,
    file: Option<String>,
    /// Line and column.
    place: Option<(usize, usize)>,
    /// The text of the file, and the bytes to underline.
    span: Option<(String, Range<usize>)>,
}

impl Shown {
    fn new(error: &CliError) -> Self {
        let mut shown = Self { message: error.to_string(), help: None, file: None, place: None, span: None };
        match error {
            CliError::Usage { help, .. } => shown.help = Some(help.clone()),
            CliError::Scene(e) => shown.place_in_scene(e),
            CliError::Bench(e) if e.is_bug() => shown.help = Some(crate::BUG.into()),
            CliError::Bench(e) => shown.help = e.help(),
            CliError::Internal(_) => shown.help = Some(crate::BUG.into()),
            _ => {}
        }
        shown.message = tidy(&shown.message);
        shown
    }

    fn place_in_scene(&mut self, e: &SceneError) {
        self.message = match &e.object {
            Some(object) => format!("{object}: {}", e.problem),
            None => e.problem.clone(),
        };
        self.help = e.suggestion.as_ref().map(|s| format!("did you mean '{s}'?"));
        self.file = Some(e.file.display().to_string());
        self.place = e.line.zip(e.column);
        match &e.span {
            Some(span) if readable(&e.text, span.start) => {
                let length = span.len().min(200);
                self.span = Some((e.text.to_string(), span.start..span.start + length));
            }
            _ => {
                let place = self.place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"));
                self.message = format!("{}{place}: {}", e.file.display(), self.message);
            }
        }
    }
}

/// The text with an exponent in numbers of more digits than a number can have, instead of hundreds of zeros.
fn tidy(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let mut tidied = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_digit) {
        let length = rest[start..].find(|c| !is_digit(c)).unwrap_or(rest.len() - start);
        let (before, number) = (&rest[..start], &rest[start..start + length]);
        tidied += before;
        match number.parse() {
            Ok(x) if length > MOST_DIGITS => tidied += &given(x),
            _ => tidied += number,
        }
        rest = &rest[start + length..];
    }
    tidied + rest
}

/// Whether the lines about a byte are short enough to be shown.
fn readable(text: &str, at: usize) -> bool {
    let at = at.min(text.len());
    let before = text.as_bytes()[..at].iter().rev().scan(0, |lines, b| {
        *lines += usize::from(*b == b'\n');
        (*lines < 2).then_some(())
    });
    let after = text.as_bytes()[at..].iter().scan(0, |lines, b| {
        *lines += usize::from(*b == b'\n');
        (*lines < 2).then_some(())
    });
    before.take(SNIPPET_LIMIT).count() + after.take(SNIPPET_LIMIT).count() < SNIPPET_LIMIT
}
