//! Runs a workload: once watched for accuracy, then timed without anything else.

use huygens_core::analysis;
use huygens_core::contract::RowRequest;
use huygens_core::integrator::{Integrator, Newton, Stepper, StepperSettings};
use huygens_core::{CoreError, State, System};
use huygens_exec::Exec;
use serde::Serialize;

use super::case::{TIME_STEP, Workload};
use super::clock::{Clock, peak_memory};
use crate::error::CliError;

/// What is asked of a benchmark run.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Method.
    pub integrator: Integrator,
    /// Threads.
    pub threads: usize,
    /// Steps, if not those of the case.
    pub steps: Option<usize>,
    /// Timed runs, of which the fastest counts.
    pub repeat: usize,
}

/// One line of results; `None` where a case has no such figure.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    case: &'static str,
    variant: &'static str,
    pub size: usize,
    tool: &'static str,
    version: &'static str,
    pub method: String,
    threads: usize,
    steps: usize,
    wall_s: f64,
    cpu_s: f64,
    /// Processor time a step [ms].
    pub ms_per_step: f64,
    /// Bodies × steps a processor second.
    rate: f64,
    pub tip_error_1s: Option<f64>,
    pub tip_error_2s: Option<f64>,
    pub tip_error_5s: Option<f64>,
    /// Largest energy error of the run over the scale of the case.
    pub energy_drift_max: f64,
    pub energy_drift_end: f64,
    energy_scale: f64,
    /// Largest position residual of the constraints over the run [m or rad].
    constraint_residual_max: f64,
    pub iterations_per_step: f64,
    pub factorizations_per_step: f64,
    peak_rss_mb: Option<f64>,
}

impl Line {
    /// Case with its variant.
    pub fn case(&self) -> String {
        format!("{} {}", self.case, self.variant).trim_end().to_string()
    }
}

/// What watching a run tells.
#[derive(Default)]
struct Accuracy {
    tip_errors: Vec<(f64, f64)>,
    energy_max: f64,
    energy_end: f64,
    residual_max: f64,
    iterations: usize,
    factorizations: usize,
}

impl Accuracy {
    fn tip_error(&self, time: f64) -> Option<f64> {
        self.tip_errors.iter().find(|(t, _)| (t - time).abs() < 0.5 * TIME_STEP).map(|(_, e)| *e)
    }
}

/// Name of a method with its parameter.
fn method_name(integrator: &Integrator) -> String {
    match integrator {
        Integrator::GeneralizedAlpha { rho } => format!("generalized_alpha rho={rho}"),
        Integrator::Hht { alpha } => format!("hht alpha={alpha}"),
        other => other.name().to_string(),
    }
}

/// Measures a workload.
pub fn measure(workload: &Workload, request: &Request) -> Result<Line, CliError> {
    let exec = Exec::with_threads(request.threads)?;
    let steps = request.steps.unwrap_or(workload.steps);
    let (accuracy, end) = watch(workload, &exec, request.integrator, steps)?;
    let (mut wall_s, mut cpu_s) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..request.repeat.max(1) {
        let (mut stepper, mut state) = start(workload, &exec, request.integrator)?;
        let clock = Clock::start();
        for _ in 0..steps {
            stepper.step(&mut state, TIME_STEP)?;
        }
        let (wall, cpu) = clock.stop();
        if state != end {
            return Err(CliError::Internal("two runs of the same case gave different states".into()));
        }
        if cpu < cpu_s {
            (wall_s, cpu_s) = (wall, cpu);
        }
    }
    Ok(Line {
        case: workload.case,
        variant: workload.variant,
        size: workload.size,
        tool: "huygens",
        version: env!("CARGO_PKG_VERSION"),
        method: method_name(&request.integrator),
        threads: exec.threads(),
        steps,
        wall_s,
        cpu_s,
        ms_per_step: 1e3 * cpu_s / steps as f64,
        rate: (workload.size * steps) as f64 / cpu_s,
        tip_error_1s: accuracy.tip_error(1.0),
        tip_error_2s: accuracy.tip_error(2.0),
        tip_error_5s: accuracy.tip_error(5.0),
        energy_drift_max: accuracy.energy_max,
        energy_drift_end: accuracy.energy_end,
        energy_scale: workload.energy_scale,
        constraint_residual_max: accuracy.residual_max,
        iterations_per_step: accuracy.iterations as f64 / steps as f64,
        factorizations_per_step: accuracy.factorizations as f64 / steps as f64,
        peak_rss_mb: peak_memory(),
    })
}

fn start(workload: &Workload, exec: &Exec, integrator: Integrator) -> Result<(Stepper, State), CoreError> {
    let newton = Newton { solver: workload.linear, ..Newton::default() };
    let settings = StepperSettings { integrator, newton, ..StepperSettings::default() };
    let mut stepper = Stepper::new(workload.model.clone(), exec.clone(), settings)?;
    let mut state = State::new(&workload.model);
    analysis::assemble(stepper.system(), &mut state)?;
    Ok((stepper, state))
}

/// Runs the case and looks at every step through a system of its own, so that the stepper is left alone.
fn watch(
    workload: &Workload,
    exec: &Exec,
    integrator: Integrator,
    steps: usize,
) -> Result<(Accuracy, State), CoreError> {
    let (mut stepper, mut state) = start(workload, exec, integrator)?;
    let mut observer = System::with_solver(workload.model.clone(), exec.clone(), workload.linear);
    let mut residuals = vec![0.0; workload.model.row_count()];
    let total_energy = |state: &State, observer: &mut System| -> f64 {
        observer.load(state);
        observer.update(&state.history);
        observer.energy(&state.history).iter().sum()
    };
    let energy_start = total_energy(&state, &mut observer);
    let mut found = Accuracy::default();
    for step in 1..=steps {
        let report = stepper.step(&mut state, TIME_STEP)?;
        found.iterations += report.iterations;
        found.factorizations += report.factorizations;
        let drift = (total_energy(&state, &mut observer) - energy_start).abs() / workload.energy_scale;
        found.energy_max = found.energy_max.max(drift);
        found.energy_end = drift;
        observer.rows(&state.history, RowRequest { rate: true, gamma: false });
        observer.residuals(&mut residuals);
        found.residual_max = residuals.iter().fold(found.residual_max, |m, r| m.max(r.abs()));
        let time = step as f64 * TIME_STEP;
        if let Some((_, at)) = workload.reference.iter().find(|(t, _)| (t - time).abs() < 0.5 * TIME_STEP) {
            let tip = (workload.tip)(&observer.view(&state.history));
            found.tip_errors.push((time, (tip - *at).length()));
        }
    }
    Ok((found, state))
}
