//! The model in motion, and what is kept of it while a new one is built.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use huygens_core::State;
use huygens_core::analysis::AssemblyReport;
use huygens_core::contract::{RowRequest, StateView};
use huygens_core::coupling::Blocks;
use huygens_core::integrator::Stepper;
use huygens_core::keep::KeptState;
use huygens_multibody::Mechanism;

use super::contact::ContactSide;
use super::quantities::Quantity;
use super::structures;

/// Whether a world moves, and as what.
#[derive(Default)]
pub(super) struct Motion {
    pub simulation: Option<Simulation>,
    /// The state of the last model, while a new one is being built.
    pub carried: Option<KeptState>,
    /// Whether the model, the sub-systems and the settings agree, so that a step needs no look at them.
    pub ready: bool,
    /// Names of objects that were removed since the last model was built.
    pub gone: BTreeSet<String>,
    /// Time while there is no model [s].
    pub time: f64,
}

impl Motion {
    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.simulation.as_ref().map_or(self.time, |s| s.state.time)
    }

    /// Steps done since the start.
    pub fn step_count(&self) -> u64 {
        match (&self.simulation, &self.carried) {
            (Some(s), _) => s.state.step,
            (None, Some(c)) => c.step,
            _ => 0,
        }
    }

    /// Blocks of sub-systems, while there is a model or one is being changed.
    pub fn blocks(&self) -> Option<&Blocks> {
        let running = self.simulation.as_ref().map(|s| &s.state.blocks);
        running.or(self.carried.as_ref().map(|kept| &kept.blocks))
    }

    pub fn blocks_mut(&mut self) -> Option<&mut Blocks> {
        match &mut self.simulation {
            Some(s) => Some(&mut s.state.blocks),
            None => self.carried.as_mut().map(|kept| &mut kept.blocks),
        }
    }

    /// Reads numbers at the current state.
    pub fn with_view<T>(&self, f: impl FnOnce(&Simulation, &StateView<'_>) -> T) -> Option<T> {
        let s = self.simulation.as_ref()?;
        let mut evaluator = s.evaluate();
        let view = evaluator.stepper.system().view(&s.state.history);
        Some(f(s, &view))
    }
}

/// The model in motion.
pub(super) struct Simulation {
    pub mechanism: Mechanism,
    /// Locked by readers; its evaluation point is the state when `fresh`.
    pub stepper: Mutex<Evaluator>,
    pub state: State,
    pub report: AssemblyReport,
    /// Owner of every collision shape of the model.
    pub proxy_owners: Vec<ContactSide>,
    pub probes: Vec<Quantity>,
    pub structures: Option<structures::Structures>,
}

pub(super) struct Evaluator {
    pub stepper: Stepper,
    pub fresh: bool,
}

impl Simulation {
    /// The work space, whatever point it is at.
    pub(super) fn evaluator(&mut self) -> &mut Evaluator {
        self.stepper.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work space at the current state.
    pub(super) fn evaluate(&self) -> MutexGuard<'_, Evaluator> {
        let mut evaluator = self.stepper.lock().unwrap_or_else(PoisonError::into_inner);
        if !evaluator.fresh {
            let system = evaluator.stepper.system();
            system.load(&self.state);
            system.update(&self.state.history);
            evaluator.fresh = true;
        }
        evaluator
    }

    pub fn residual(&self) -> f64 {
        let mut evaluator = self.evaluate();
        let system = evaluator.stepper.system();
        system.rows(&self.state.history, RowRequest::default());
        let mut rows = vec![0.0; self.state.lambda.len()];
        system.residuals(&mut rows);
        rows.iter().fold(0.0, |m: f64, r| m.max(r.abs()))
    }
}
