//! `huygens bench`: whole cases, timed, with their accuracy.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use huygens_bench::{CASES, ConeMethod, FrictionModel, Integrator, Request, SIZE_LIMIT, find_case};

use crate::error::CliError;
use crate::output;

/// Options of `huygens bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Case to run; `--list` shows them.
    #[arg(required_unless_present = "list")]
    case: Option<String>,
    /// List the cases and exit.
    #[arg(long)]
    list: bool,
    /// Number of links, spheres or grains; several sizes separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "32", value_parser = size)]
    size: Vec<usize>,
    /// Variant of the case; `--list` shows them.
    #[arg(long, default_value = "")]
    variant: String,
    /// Number of threads; 0 uses all cores.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Time integrator.
    #[arg(long, value_enum, default_value_t = Method::GeneralizedAlpha)]
    integrator: Method,
    /// Spectral radius of generalized_alpha at infinite frequency.
    #[arg(long, default_value_t = 0.8)]
    rho: f64,
    /// Number of steps [default: that of the case].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Number of timed runs; the fastest counts.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Solver for rigid contact.
    #[arg(long, value_parser = solver(), default_value_t)]
    solver: ConeMethod,
    /// Maximum iterations per step of the contact solver or of a constraint fluid [default: that of the case].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// Residual at which the contact solver stops early [m/s].
    #[arg(long)]
    tolerance: Option<f64>,
    /// Disable warm starts: every step starts from zero contact impulses.
    #[arg(long)]
    no_warm_start: bool,
    /// Relaxed friction of rigid contact in place of Coulomb's law.
    #[arg(long)]
    relaxed: bool,
    /// Folder with tables of settled beds for dem_settle: `dem_settled_<size>.csv` or, for larger beds,
    /// `dem_settled_8000.csv`. Without it, beds are generated, which takes longer.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Print one JSON line per size instead of a table.
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

/// The solvers of rigid contact, by their names.
fn solver() -> impl TypedValueParser<Value = ConeMethod> {
    let names = ConeMethod::ALL.iter().map(|method| method.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<ConeMethod>())
}

fn size(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(n) if (1..=SIZE_LIMIT).contains(&n) => Ok(n),
        _ => Err(format!("expected a whole number from 1 to {SIZE_LIMIT}")),
    }
}

/// Runs the requested benchmark.
pub fn bench(args: &BenchArgs) -> Result<(), CliError> {
    let Some(name) = args.case.as_deref().filter(|_| !args.list) else {
        for case in CASES {
            output::line(format!("{:<16} {}", case.name, case.about));
        }
        return Ok(());
    };
    if let Some(heading) = find_case(name).and_then(|case| case.heading).filter(|_| !args.json) {
        output::line(heading);
    }
    huygens_bench::run(&request(args, name), &mut |line| match args.json {
        true => output::line(line.json()),
        false => output::line(line),
    })?;
    Ok(())
}

fn request(args: &BenchArgs, case: &str) -> Request {
    Request {
        case: case.into(),
        variant: args.variant.clone(),
        sizes: args.size.clone(),
        threads: args.threads,
        steps: args.steps.map(|n| n as usize),
        repeat: args.repeat as usize,
        integrator: match args.integrator {
            Method::GeneralizedAlpha => Integrator::GeneralizedAlpha { rho: args.rho },
            Method::Hht => Integrator::Hht { alpha: -0.1 },
            Method::Newmark => Integrator::Newmark { beta: 0.25, gamma: 0.5 },
            Method::Euler => Integrator::Euler,
            Method::EulerProjected => Integrator::EulerProjected,
        },
        solver: args.solver,
        iterations: args.iterations.map(|n| n as usize),
        tolerance: args.tolerance,
        warm_start: !args.no_warm_start,
        friction: if args.relaxed { FrictionModel::Relaxed } else { FrictionModel::Coulomb },
        data: args.data.clone(),
    }
}
