//! Runs a workload: once watched for accuracy, then timed without anything else.

use huygens_core::analysis;
use huygens_core::contract::RowRequest;
use huygens_core::integrator::{Integrator, Newton, Stepper, StepperSettings};
use huygens_core::{CoreError, State, System};
use huygens_exec::Exec;
use serde::Serialize;

use crate::clock::{Clock, peak_memory};
use crate::error::BenchError;
use crate::request::Request;
use crate::workload::{TIME_STEP, Workload};

/// One line of results; `None` where a case has no such figure.
#[derive(Clone, Debug, Serialize)]
pub struct MechanismLine {
    case: &'static str,
    variant: &'static str,
    pub size: usize,
    tool: &'static str,
    version: &'static str,
    method: String,
    threads: usize,
    steps: usize,
    wall_s: f64,
    cpu_s: f64,
    /// Processor time a step [ms].
    ms_per_step: f64,
    /// Bodies × steps a processor second.
    rate: f64,
    tip_error_1s: Option<f64>,
    tip_error_2s: Option<f64>,
    tip_error_5s: Option<f64>,
    /// Largest energy error of the run over the scale of the case.
    energy_drift_max: f64,
    energy_drift_end: f64,
    energy_scale: f64,
    /// Largest position residual of the constraints over the run [m or rad].
    constraint_residual_max: f64,
    iterations_per_step: f64,
    factorizations_per_step: f64,
    peak_rss_mb: Option<f64>,
}

impl MechanismLine {
    /// Heading of the rows.
    pub const HEADING: &'static str = "case                       size  method                      ms/step  it/step  fac/step  \
                                       tip error 1 s / 2 s / 5 s [m]    energy drift max / end";
}

impl std::fmt::Display for MechanismLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let error = |e: Option<f64>| e.map_or("–".to_string(), |e| format!("{e:.1e}"));
        let errors = [self.tip_error_1s, self.tip_error_2s, self.tip_error_5s].map(error).join(" / ");
        write!(
            f,
            "{:<24} {:>6}  {:<26} {:>8.4} {:>8.2} {:>9.3}  {errors:<32} {:.1e} / {:.1e}",
            format!("{} {}", self.case, self.variant).trim_end(),
            self.size,
            self.method,
            self.ms_per_step,
            self.iterations_per_step,
            self.factorizations_per_step,
            self.energy_drift_max,
            self.energy_drift_end
        )
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
pub fn measure(workload: &Workload, request: &Request) -> Result<MechanismLine, BenchError> {
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
            return Err(BenchError::NotRepeatable { case: workload.case });
        }
        if cpu < cpu_s {
            (wall_s, cpu_s) = (wall, cpu);
        }
    }
    Ok(MechanismLine {
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
