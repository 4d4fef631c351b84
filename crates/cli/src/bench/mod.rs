//! `huygens bench`: whole cases, timed, with their accuracy.

mod cable;
mod case;
mod chain;
mod clock;
mod contact;
mod fluid;
mod grains;
mod loops;
mod measure;
mod overlap;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use huygens_core::contact::ConeMethod;
use huygens_core::integrator::Integrator;

use self::case::{CASES, workload};
use self::contact::ContactRequest;
use self::fluid::{FluidRequest, FluidResult};
use self::grains::GrainRequest;
use self::measure::{Line, Request, measure};
use crate::error::CliError;
use crate::output;

/// Options of `huygens bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// The case to run; `--list` names them.
    #[arg(required_unless_present = "list")]
    case: Option<String>,
    /// List the cases and stop.
    #[arg(long)]
    list: bool,
    /// Number of links, spheres or grains; several sizes are separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "32", value_parser = size)]
    size: Vec<usize>,
    /// Variant of the case; `--list` names them.
    #[arg(long, default_value = "", value_parser = ["planar", "alt3d", "settled", "packed", "static", "hit", "A", "B", ""])]
    variant: String,
    /// Threads; 0 takes all cores.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Time integrator.
    #[arg(long, value_enum, default_value_t = Method::GeneralizedAlpha)]
    integrator: Method,
    /// Spectral radius at infinity of generalized_alpha.
    #[arg(long, default_value_t = 0.8)]
    rho: f64,
    /// Steps, if not those of the case.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Timed runs, of which the fastest counts.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Solver of rigid contact.
    #[arg(long, value_enum, default_value_t = ContactSolver::Apgd)]
    solver: ContactSolver,
    /// Most iterations of the contact solver or of a fluid of constraints in a step, if not those of the case.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// Residual at which the contact solver stops before that [m/s].
    #[arg(long)]
    tolerance: Option<f64>,
    /// Start every step's contact impulses from zero.
    #[arg(long)]
    no_warm_start: bool,
    /// Folder with tables of settled beds of grains, `dem_settled_<size>.csv`; beds that are not there are made.
    #[arg(long, default_value = "../shared/bench/data")]
    data: PathBuf,
    /// Print one JSON line a size instead of a table.
    #[arg(long)]
    json: bool,
}

/// Integrators a case can be run with.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Method {
    GeneralizedAlpha,
    Hht,
    Newmark,
    Euler,
    EulerProjected,
}

/// Solvers of rigid contact.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum ContactSolver {
    Apgd,
    Psor,
    InteriorPoint,
}

fn size(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(n @ 1..=10_000_000) => Ok(n),
        _ => Err("a whole number from 1 to 10000000 is needed".into()),
    }
}

/// Runs the benchmark asked for.
pub fn bench(args: &BenchArgs) -> Result<(), CliError> {
    let Some(name) = args.case.as_deref().filter(|_| !args.list) else {
        for (name, what) in all_cases() {
            output::line(format!("{name:<16} {what}"));
        }
        return Ok(());
    };
    if contact::CASES.iter().any(|(case, _)| *case == name) {
        return bench_contact(args, name);
    }
    if grains::CASES.iter().any(|(case, _)| *case == name) {
        return bench_grains(args, name);
    }
    if fluid::CASES.iter().any(|(case, _)| *case == name) {
        return bench_fluid(args, name);
    }
    let request = Request {
        integrator: integrator(args),
        threads: args.threads,
        steps: args.steps.map(|n| n as usize),
        repeat: args.repeat as usize,
    };
    if !args.json {
        output::line(Table::HEADER);
    }
    for &size in
        if matches!(name, "pendulum_chain" | "ancf_cable" | "cable_net") { &args.size[..] } else { &[3] }
    {
        let built = workload(name, &args.variant, size).ok_or_else(|| unknown(name, &args.variant))??;
        let line = measure(&built, &request)?;
        print(args, &Table(&line))?;
    }
    Ok(())
}

fn bench_contact(args: &BenchArgs, name: &str) -> Result<(), CliError> {
    let request = ContactRequest {
        threads: args.threads,
        steps: args.steps.map(|n| n as usize),
        solver: match args.solver {
            ContactSolver::Apgd => ConeMethod::Apgd,
            ContactSolver::Psor => ConeMethod::Psor,
            ContactSolver::InteriorPoint => ConeMethod::InteriorPoint,
        },
        iterations: args.iterations.map(|n| n as usize),
        tolerance: args.tolerance,
        warm_start: !args.no_warm_start,
        repeat: args.repeat as usize,
    };
    for &size in &args.size {
        let line = contact::run(name, &args.variant, size, &request)
            .ok_or_else(|| unknown(name, &args.variant))??;
        print(args, &line)?;
    }
    Ok(())
}

fn bench_grains(args: &BenchArgs, name: &str) -> Result<(), CliError> {
    let request = GrainRequest {
        threads: args.threads,
        steps: args.steps.map(|n| n as usize),
        repeat: args.repeat as usize,
        data: &args.data,
    };
    for &size in &args.size {
        let line = grains::run(name, size, &request).ok_or_else(|| unknown(name, &args.variant))??;
        print(args, &line)?;
    }
    Ok(())
}

fn bench_fluid(args: &BenchArgs, name: &str) -> Result<(), CliError> {
    let request = FluidRequest {
        threads: args.threads,
        steps: args.steps.map(|n| n as usize),
        repeat: args.repeat as usize,
        iterations: args.iterations.map_or(20, |n| n as usize),
    };
    for &size in &args.size {
        match fluid::run(name, size, &request).ok_or_else(|| unknown(name, &args.variant))?? {
            FluidResult::Compressible(line) => print(args, &line)?,
            FluidResult::Constrained(line) => print(args, &line)?,
        }
    }
    Ok(())
}

/// Prints a line of results as it was asked for.
fn print<L: serde::Serialize + std::fmt::Display>(args: &BenchArgs, line: &L) -> Result<(), CliError> {
    match args.json {
        true => output::line(serde_json::to_string(line).map_err(|e| CliError::Internal(e.to_string()))?),
        false => output::line(line),
    }
    Ok(())
}

fn all_cases() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    CASES.iter().chain(contact::CASES).chain(grains::CASES).chain(fluid::CASES)
}

fn integrator(args: &BenchArgs) -> Integrator {
    match args.integrator {
        Method::GeneralizedAlpha => Integrator::GeneralizedAlpha { rho: args.rho },
        Method::Hht => Integrator::Hht { alpha: -0.1 },
        Method::Newmark => Integrator::Newmark { beta: 0.25, gamma: 0.5 },
        Method::Euler => Integrator::Euler,
        Method::EulerProjected => Integrator::EulerProjected,
    }
}

fn unknown(case: &str, variant: &str) -> CliError {
    let names: Vec<&str> = all_cases().map(|(name, _)| *name).collect();
    CliError::Usage {
        message: format!("there is no case '{case}' with variant '{variant}'"),
        help: format!("the cases are {}", names.join(", ")),
    }
}

/// A line as a row of the table.
#[derive(serde::Serialize)]
#[serde(transparent)]
struct Table<'a>(&'a Line);

impl Table<'_> {
    const HEADER: &'static str = "case                       size  method                      ms/step  it/step  fac/step  \
                                  tip error 1 s / 2 s / 5 s [m]    energy drift max / end";
}

impl std::fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let l = self.0;
        let error = |e: Option<f64>| e.map_or("–".to_string(), |e| format!("{e:.1e}"));
        let errors =
            format!("{} / {} / {}", error(l.tip_error_1s), error(l.tip_error_2s), error(l.tip_error_5s));
        write!(
            f,
            "{:<24} {:>6}  {:<26} {:>8.4} {:>8.2} {:>9.3}  {errors:<32} {:.1e} / {:.1e}",
            l.case(),
            l.size,
            l.method,
            l.ms_per_step,
            l.iterations_per_step,
            l.factorizations_per_step,
            l.energy_drift_max,
            l.energy_drift_end
        )
    }
}
