//! The program `huygens`.

mod bench;
mod error;
mod examples;
mod export;
mod memory;
mod output;
mod plot;
mod progress;
mod render;
mod report;
mod run;
mod scene;
mod view;

use std::panic;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};

use crate::error::{CliError, Exit};

/// What to do with a bug.
pub const BUG: &str = concat!(
    "this is a bug in Huygens; please report it, with the scene and the command, at ",
    env!("CARGO_PKG_REPOSITORY"),
    "/issues"
);

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

#[derive(Parser, Debug)]
#[command(name = "huygens", version, about = "Multi-physics dynamics: run, check, view and benchmark scenes")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run a scene and write the results to a folder.
    Run(run::RunArgs),
    /// Check a scene: do all that a run does before its first step, try that step, and say roughly what the run costs.
    Validate(scene::ValidateArgs),
    /// Print the JSON Schema of scene files.
    Schema,
    /// Summarize a scene file, the folder of a run, or a recording.
    Info(scene::InfoArgs),
    /// Plot columns of a time series as SVG or PNG.
    Plot(plot::PlotArgs),
    /// View a run in the browser.
    View(view::ViewArgs),
    /// Render pictures or a film of a run.
    Render(render::RenderArgs),
    /// Export a run as HTML, or for ParaView, glTF, POV-Ray, CSV, NPZ or OBJ.
    Export(export::ExportArgs),
    /// Time benchmark cases and report their accuracy.
    Bench(bench::BenchArgs),
    /// List the example scenes, or copy one to a folder.
    Examples(examples::ExamplesArgs),
}

impl Command {
    fn execute(&self, started: Instant) -> Result<Exit, CliError> {
        match self {
            Self::Run(args) => return run::run(args, started),
            Self::View(args) => return view::view(args),
            Self::Validate(args) => scene::validate(args)?,
            Self::Schema => output::line(format_args!("{:#}", huygens::scene_schema())),
            Self::Info(args) => scene::info(args)?,
            Self::Plot(args) => plot::plot(args)?,
            Self::Render(args) => render::render(args)?,
            Self::Export(args) => export::export(args)?,
            Self::Bench(args) => bench::bench(args)?,
            Self::Examples(args) => examples::examples(args)?,
        }
        Ok(Exit::Done)
    }

    fn wants_json(&self) -> bool {
        match self {
            Self::Run(args) => args.json(),
            Self::Validate(args) => args.json,
            Self::Info(args) => args.json,
            _ => false,
        }
    }
}

fn main() -> ExitCode {
    let started = Instant::now();
    panic::set_hook(Box::new(|info| output::note(format!("huygens: {info}\n{BUG}"))));
    let command = Cli::parse().command;
    match panic::catch_unwind(|| command.execute(started)) {
        Ok(Ok(exit)) => match output::failure() {
            Some(reason) if exit == Exit::Done => {
                output::note(format!("huygens: standard output could not be written: {reason}"));
                ExitCode::from(2)
            }
            _ => ExitCode::from(exit.code()),
        },
        Ok(Err(error)) => {
            error.show(command.wants_json());
            ExitCode::from(error.code())
        }
        Err(_) => ExitCode::from(1),
    }
}
