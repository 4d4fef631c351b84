//! Integrators: index-3 methods for smooth systems, velocity stepping, explicit methods.

mod contact;
mod explicit;
mod implicit;
mod parameters;
mod start;
mod states;
mod statistics;
mod velocity;

use std::sync::Arc;

use huygens_exec::Exec;

use crate::contact::{Contact, ContactLaw};
use crate::contract::NO_BLOCK;
use crate::coupling::{CouplingStage, SubSystem};
use crate::error::{CoreError, Result};
use crate::model::Model;
use crate::newton::Coverage;
use crate::state::State;
use crate::system::System;
use crate::watch::{Finding, Watch};

pub use huygens_spec::{Integrator, LinearSolver, Newton, Refresh, StepControl};
pub use implicit::AlphaParameters;
pub(crate) use start::solve_accelerations;
pub use statistics::ContactStatistics;

/// All settings of a [`Stepper`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepperSettings {
    /// The method.
    pub integrator: Integrator,
    /// Newton's method.
    pub newton: Newton,
    /// Step-size control, if any.
    pub control: Option<StepControl>,
}

/// Report of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Size of the step taken [s].
    pub step_size: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Number of factorizations.
    pub factorizations: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Estimated local position error.
    pub local_error: f64,
    /// Number of contacts.
    pub contacts: usize,
    /// Iterations of the contact solver.
    pub contact_iterations: usize,
    /// Residual reached [m/s].
    pub contact_residual: f64,
    /// Whether this is within its tolerance.
    pub contact_converged: bool,
    /// Smallest √(m/k) of the compliant contacts [s]; zero if there are none. Explicit steps must stay below it.
    pub critical_step: f64,
}

/// Advances a state in time.
pub struct Stepper {
    /// Settings.
    settings: StepperSettings,
    /// Evaluation of the model.
    pub(crate) system: System,
    implicit: implicit::ImplicitScratch,
    explicit: explicit::ExplicitScratch,
    velocity: velocity::VelocityScratch,
    contact: contact::ContactScratch,
    states: states::StateSolver,
    start: start::StartScratch,
    coupling: CouplingStage,
    /// The state before the step, without its blocks.
    kept: State,
    watch: Watch,
}

impl Stepper {
    /// A stepper for `model`; refuses what the method does not support before the first step.
    pub fn new(model: Arc<Model>, exec: Exec, settings: StepperSettings) -> Result<Self> {
        check_settings(&model, &settings)?;
        let coverage = if model.has_cones() { Coverage::Coupled } else { Coverage::All };
        let system = System::with_coverage(model.clone(), exec, settings.newton.solver, coverage);
        if let Some(contact) = model.contact() {
            contact.check_pairs(|frame| system.frames()[frame as usize].block != NO_BLOCK)?;
        }
        Ok(Self {
            implicit: implicit::ImplicitScratch::new(&model),
            explicit: explicit::ExplicitScratch::new(&model),
            velocity: velocity::VelocityScratch::new(&model),
            contact: contact::ContactScratch::new(&model),
            states: states::StateSolver::new(&model),
            start: start::StartScratch::new(&model),
            coupling: CouplingStage::new(&model),
            kept: State::new(&model),
            watch: Watch::new(&system),
            system,
            settings,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &StepperSettings {
        &self.settings
    }

    /// The evaluation work space.
    pub fn system(&mut self) -> &mut System {
        &mut self.system
    }

    /// Attaches sub-systems that advance with the model from now on; their blocks are in the state.
    pub fn attach(&mut self, systems: Vec<Arc<dyn SubSystem>>) {
        self.coupling.attach(systems);
    }

    /// The systems of [`Stepper::attach`].
    pub fn sub_systems(&self) -> &[Arc<dyn SubSystem>] {
        self.coupling.systems()
    }

    /// Kinetic energy, potential energy in gravity and elastic energy of the sub-systems [J].
    pub fn sub_system_energy(&self, state: &State) -> [f64; 3] {
        self.coupling.energy(self.system.exec(), state)
    }

    /// Advances `state` by one step of size `h` [s] (or the size the step control chooses, at most `h`).
    ///
    /// A step is a transaction: after an error the state, including blocks of sub-systems, is bit-identical to that
    /// before. Any error of a step after a stop request becomes [`CoreError::Stopped`]: aborted work must not look like
    /// a failed step.
    pub fn step(&mut self, state: &mut State, h: f64) -> Result<StepReport> {
        check_size(h)?;
        self.keep(state)?;
        let done = self
            .advance_sub_systems(state, h)
            .and_then(|()| self.integrate(state, h))
            .and_then(|report| self.check(state).map(|()| report));
        match done {
            Ok(report) => {
                state.safe_elimination = self.system.safe_elimination();
                Ok(report)
            }
            Err(error) => {
                let stopped = self.system.exec().is_stopped();
                self.roll_back(state)?;
                Err(if stopped { huygens_exec::Stopped.into() } else { error })
            }
        }
    }

    /// Undoes the last step, as long as nothing else has changed the state: for checks made after it.
    pub fn roll_back(&mut self, state: &mut State) -> Result<()> {
        state.copy_numbers_from(&self.kept);
        if self.system.safe_elimination() != state.safe_elimination {
            self.system.set_safe_elimination(state.safe_elimination);
            self.implicit.forget();
        }
        // Taking back must not be stopped half way.
        let exec = self.system.exec().clone().with_stop(huygens_exec::Stop::never());
        self.coupling.roll_back(&exec, state)
    }

    fn keep(&mut self, state: &State) -> Result<()> {
        self.kept.copy_numbers_from(state);
        self.coupling.keep(state)?;
        if state.safe_elimination && !self.system.safe_elimination() {
            self.system.set_safe_elimination(true);
        }
        Ok(())
    }

    /// Moves the sub-systems along with the expected motion of the boundaries, and loads the model with what they did.
    fn advance_sub_systems(&mut self, state: &mut State, h: f64) -> Result<()> {
        if self.coupling.is_empty() {
            return Ok(());
        }
        let (system, coupling) = (&mut self.system, &mut self.coupling);
        system.load(state);
        system.update(&state.history);
        let model = system.model().clone();
        coupling.expect(system.exec(), &model, &system.view(&state.history), &mut state.boundaries, h);
        coupling.advance(system.exec(), state, h)?;
        let mut history = std::mem::take(&mut state.history);
        let restarts = coupling.pull_back(system.exec(), &model, &system.view(&[]), &mut history);
        state.history = history;
        if restarts {
            state.accelerations_ready = false;
        }
        Ok(())
    }

    /// For the other methods, what the index-3 methods check implicitly.
    fn check(&self, state: &State) -> Result<()> {
        if AlphaParameters::of(&self.settings.integrator).is_some() {
            return Ok(());
        }
        state.check_finite(self.system.model())?;
        self.system.check_elements(&state.q, &state.history, state.time, state.step)
    }

    fn integrate(&mut self, state: &mut State, h: f64) -> Result<StepReport> {
        let rigid = self.system.model().has_cones();
        match self.settings.integrator {
            Integrator::Euler if rigid => self.step_rigid(state, h, false),
            Integrator::EulerProjected if rigid => self.step_rigid(state, h, true),
            Integrator::Euler => self.step_velocity(state, h, false),
            Integrator::EulerProjected => self.step_velocity(state, h, true),
            Integrator::Rk4 | Integrator::Heun | Integrator::Leapfrog => self.step_explicit(state, h),
            _ => self.step_implicit_controlled(state, h),
        }
    }

    /// Stores the memory of compliant contacts at the end of a step.
    fn commit_compliant(&mut self, state: &mut State, report: &mut StepReport) {
        if self.system.compliant_contacts().is_none() {
            return;
        }
        let mut memory = std::mem::take(&mut state.contacts);
        self.system.point.time = state.time;
        self.system.point.q.copy_from_slice(&state.q);
        self.system.point.v.copy_from_slice(&state.v);
        self.system.update(&state.history);
        self.system.commit_contacts(&mut memory);
        state.contacts = memory;
        if let Some((contacts, critical)) = self.system.compliant_contacts() {
            report.contacts = contacts.len();
            report.critical_step = critical;
            report.contact_converged = true;
        }
    }

    /// Findings of the steps since the last call; see [`crate::watch`].
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.watch.findings)
    }

    /// The contacts of the last step, in the order of `state.contacts`.
    pub fn contacts(&self) -> &[Contact] {
        match self.system.compliant_contacts() {
            Some((contacts, _)) => contacts,
            None => &self.contact.detector.contacts,
        }
    }

    /// Computes consistent accelerations and multipliers of `state`, as the first step does.
    pub fn initialize(&mut self, state: &mut State, h: f64) -> Result<()> {
        self.make_ready(state, h)
    }
}

fn check_size(h: f64) -> Result<()> {
    match h > 0.0 && h.is_finite() {
        true => Ok(()),
        false => Err(CoreError::Parameter {
            name: "dt".into(),
            value: h.to_string(),
            expected: "the step must be positive and finite".into(),
        }),
    }
}

fn check_settings(model: &Model, settings: &StepperSettings) -> Result<()> {
    let refuse = |reason: &str| {
        Err(CoreError::Unsupported { integrator: settings.integrator.name().into(), reason: reason.into() })
    };
    let range = |name: &str, value: f64, ok: bool, expected: &str| {
        if ok {
            return Ok(());
        }
        Err(CoreError::Parameter { name: name.into(), value: value.to_string(), expected: expected.into() })
    };
    match settings.integrator {
        Integrator::GeneralizedAlpha { rho } => range("rho", rho, (0.0..=1.0).contains(&rho), "0 to 1")?,
        Integrator::Hht { alpha } => {
            range("alpha", alpha, (-1.0 / 3.0..=0.0).contains(&alpha), "-1/3 to 0")?;
        }
        Integrator::Newmark { beta, gamma } => {
            range("beta", beta, beta > 0.0 && beta <= 1.0, "above 0, at most 1")?;
            range("gamma", gamma, (0.5..=1.5).contains(&gamma), "0.5 to 1.5")?;
        }
        Integrator::Euler | Integrator::EulerProjected => {}
        Integrator::Rk4 | Integrator::Heun | Integrator::Leapfrog => {
            if model.row_count() > 0 {
                return refuse(
                    "it is explicit and the model has constraints; use generalized_alpha, hht, newmark or euler",
                );
            }
        }
    }
    let one_sided = !matches!(settings.integrator, Integrator::Euler | Integrator::EulerProjected);
    if one_sided && model.unilateral_row_count() > 0 {
        return refuse(
            "the model has rigid unilateral constraints (joint limits or ropes without stiffness); \
             use euler or euler_projected, or give them a stiffness",
        );
    }
    if one_sided && model.has_contact(ContactLaw::Rigid) {
        return refuse(
            "the model has rigid contact; use euler or euler_projected, or the compliant contact law",
        );
    }
    if one_sided && model.has_cones() {
        return refuse("the model has a constraint fluid; use euler or euler_projected");
    }
    if !model.row_sources.is_empty() && model.has_contact(ContactLaw::Compliant) {
        return refuse("a constraint fluid needs the rigid contact law, not the compliant one");
    }
    if let Some(contact) = model.contact() {
        contact.settings().check()?;
    }
    let n = &settings.newton;
    range("newton.tolerance", n.tolerance, n.tolerance > 0.0 && n.tolerance.is_finite(), "positive")?;
    let t = n.acceleration_tolerance;
    range("newton.acceleration_tolerance", t, t > 0.0 && t.is_finite(), "positive")?;
    range("newton.max_iterations", n.max_iterations as f64, n.max_iterations > 0, "at least 1")?;
    if let Some((tolerance, iterations, restart)) = n.solver.limits() {
        let ok = tolerance > 0.0 && tolerance < 1.0;
        range("newton.solver.tolerance", tolerance, ok, "above 0, below 1")?;
        range("newton.solver.max_iterations", iterations as f64, iterations > 0, "at least 1")?;
        let ok = (1..=10_000).contains(&restart);
        range("newton.solver.restart", restart as f64, ok, "1 to 10000 (its memory grows with it)")?;
    }
    if let Some(c) = &settings.control {
        range(
            "step_control.tolerance",
            c.tolerance,
            c.tolerance > 0.0 && c.tolerance.is_finite(),
            "positive",
        )?;
        range("step_control.min_step", c.min_step, c.min_step > 0.0, "positive")?;
        range("step_control.max_step", c.max_step, c.max_step >= c.min_step, "at least min_step")?;
    }
    Ok(())
}
