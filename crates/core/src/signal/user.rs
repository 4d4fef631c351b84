//! User-defined blocks given by closures.

use std::fmt;
use std::sync::Arc;

use super::block::Inputs;

type Rates = dyn Fn(f64, Inputs<'_>, &[f64], &mut [f64]) + Send + Sync;
type Output = dyn Fn(f64, &[f64]) -> f64 + Send + Sync;
type DirectOutput = dyn Fn(f64, Inputs<'_>, &[f64]) -> f64 + Send + Sync;
type Law = dyn Fn(f64, Inputs<'_>) -> f64 + Send + Sync;

/// First-order system `ż = f(t, inputs, z)` given by a closure.
///
/// Its signal is the first state unless an output is given; further states are read by
/// [`SignalSpec::State`](super::SignalSpec::State).
#[derive(Clone)]
pub struct UserOde {
    initial: Vec<f64>,
    rates: Arc<Rates>,
    output: OdeOutput,
}

#[derive(Clone)]
enum OdeOutput {
    FirstState,
    OfStates(Arc<Output>),
    Direct(Arc<DirectOutput>),
}

impl UserOde {
    /// System with the given initial states and right-hand side `f(t, inputs, z, zdot)`.
    pub fn new(
        initial: Vec<f64>,
        rates: impl Fn(f64, Inputs<'_>, &[f64], &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        Self { initial, rates: Arc::new(rates), output: OdeOutput::FirstState }
    }

    /// Uses `g(t, z)` as the signal; the block may close a loop, because its inputs act only through its states.
    #[must_use]
    pub fn with_output(mut self, output: impl Fn(f64, &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        self.output = OdeOutput::OfStates(Arc::new(output));
        self
    }

    /// Uses `g(t, inputs, z)` as the signal; the inputs act directly, so the block cannot close a loop.
    #[must_use]
    pub fn with_direct_output(
        mut self,
        output: impl Fn(f64, Inputs<'_>, &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.output = OdeOutput::Direct(Arc::new(output));
        self
    }

    /// Initial states.
    pub fn initial(&self) -> &[f64] {
        &self.initial
    }

    pub(super) fn is_direct(&self) -> bool {
        matches!(self.output, OdeOutput::Direct(_))
    }

    pub(super) fn output(&self, time: f64, inputs: Inputs<'_>, z: &[f64]) -> f64 {
        match &self.output {
            OdeOutput::FirstState => z[0],
            OdeOutput::OfStates(output) => output(time, z),
            OdeOutput::Direct(output) => output(time, inputs, z),
        }
    }

    pub(super) fn rates(&self, time: f64, inputs: Inputs<'_>, z: &[f64], zdot: &mut [f64]) {
        (self.rates)(time, inputs, z, zdot);
    }
}

impl fmt::Debug for UserOde {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserOde").field("initial", &self.initial).finish_non_exhaustive()
    }
}

/// Memoryless law of time and inputs.
#[derive(Clone)]
pub(super) struct UserLaw(Arc<Law>);

impl UserLaw {
    pub(super) fn new(law: impl Fn(f64, Inputs<'_>) -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(law))
    }

    pub(super) fn output(&self, time: f64, inputs: Inputs<'_>) -> f64 {
        (self.0)(time, inputs)
    }
}

impl fmt::Debug for UserLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserLaw")
    }
}
