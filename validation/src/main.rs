//! Compares Huygens with published, exact and independently computed results.
//!
//! Every case is one file below `cases`; it makes a mechanism, runs it and returns [`report::Check`]s.

mod cases;
mod error;
mod figure;
mod pages;
mod reference;
mod report;
mod scene;
mod simulation;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use rayon::prelude::*;

use cases::Case;
use error::CaseError;
use figure::Figures;
use reference::Reference;
use report::{CaseReport, Outcome, Report};

/// Compares Huygens with published, exact and independently computed results.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Run a short version: larger steps where the bounds still hold, fewer long runs.
    #[arg(long)]
    quick: bool,
    /// Run only the case with this name or, if there is none, the cases whose names contain it; repeatable.
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    /// Write the table as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write plots of results over their references into a folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Rewrite the results page of the book in this folder; cases that do not run keep their rows.
    #[arg(long, value_name = "DIR", conflicts_with = "quick")]
    pages: Option<PathBuf>,
    /// Number of threads for each long granular run; 0 uses all cores.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// List the cases and exit.
    #[arg(long)]
    list: bool,
}

/// What a case may use.
pub struct Context {
    /// Whether the short version is wanted.
    pub quick: bool,
    /// Threads of a long run.
    pub threads: usize,
    /// The reference data.
    pub reference: Reference,
    /// Where plots go.
    pub figures: Figures,
}

impl Context {
    /// The first value in a full run, the second in a quick one.
    pub fn full_or_quick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs what the arguments ask for; `false` when a check failed.
fn run(arguments: &Arguments) -> Result<bool, CaseError> {
    let names: Vec<String> = cases::all().into_iter().map(|case| case.name).collect();
    let wanted = |case: &Case| {
        let wanted = |name: &String| match names.contains(name) {
            true => case.name == name.as_str(),
            false => case.name.contains(name.as_str()),
        };
        arguments.cases.is_empty() || arguments.cases.iter().any(wanted)
    };
    let selected: Vec<Case> = cases::all().into_iter().filter(wanted).collect();
    if selected.is_empty() {
        return Err(CaseError::NoCase { names: arguments.cases.clone() });
    }
    if arguments.list {
        selected.iter().for_each(|case| println!("{:<28} {:<60} {}", case.name, case.summary, case.source));
        return Ok(true);
    }
    let context = Context {
        quick: arguments.quick,
        threads: arguments.threads,
        reference: Reference::find(),
        figures: Figures::into(arguments.out.clone())?,
    };
    let reports: Vec<CaseReport> = selected.par_iter().map(|case| run_case(case, &context)).collect();
    let report = Report { quick: arguments.quick, cases: reports };
    print!("{report}");
    if let Some(path) = &arguments.json {
        report.write_json(path)?;
    }
    if let Some(folder) = &arguments.pages {
        pages::write(&report, &names, folder)?;
    }
    Ok(report.passed())
}

fn run_case(case: &Case, context: &Context) -> CaseReport {
    let start = std::time::Instant::now();
    let outcome = match (case.run)(context) {
        Ok(checks) => Outcome::Checked { checks },
        Err(CaseError::NoReference { .. }) => {
            Outcome::Skipped { reason: "reference data not present".into() }
        }
        Err(error @ CaseError::OnlyFull) => Outcome::Skipped { reason: error.to_string() },
        Err(error) => Outcome::Broken { error: error.to_string() },
    };
    eprintln!("{:<28} {:8.2} s", case.name, start.elapsed().as_secs_f64());
    CaseReport {
        case: case.name.clone(),
        summary: case.summary.clone(),
        source: case.source.clone(),
        outcome,
    }
}
