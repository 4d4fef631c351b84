//! The computation of one node of the graph.

use std::ops::Index;

use super::error::SignalError;
use super::graph::SignalId;
use super::pid::Pid;
use super::transfer::TransferFunction;
use super::user::{UserLaw, UserOde};
use crate::function::{Function, Table};

/// Signals that a block reads, in the order in which it names them; `inputs[0]` is the first.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    pub(super) ids: &'a [SignalId],
    pub(super) signals: &'a [f64],
}

impl<'a> Inputs<'a> {
    /// Number of inputs.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether the block reads nothing.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Values in order.
    pub fn iter(&self) -> impl Iterator<Item = f64> + 'a {
        let signals = self.signals;
        self.ids.iter().map(move |id| signals[id.index()])
    }
}

impl Index<usize> for Inputs<'_> {
    type Output = f64;
    fn index(&self, input: usize) -> &f64 {
        &self.signals[self.ids[input].index()]
    }
}

/// Operation of one node; inputs and states are kept by the graph.
#[derive(Clone, Debug)]
pub(super) enum Block {
    FunctionOfTime(Function),
    FunctionOfInput(Function),
    Sensor(usize),
    Gain {
        gain: f64,
        offset: f64,
    },
    Sum {
        weights: Vec<f64>,
        offset: f64,
    },
    Product,
    Lookup(Table),
    Saturation {
        lower: f64,
        upper: f64,
    },
    Pid(Pid),
    TransferFunction(TransferFunction),
    Filter {
        time_constant: f64,
        initial: f64,
    },
    /// Set from outside; the state is the value.
    Input {
        initial: f64,
    },
    /// State of another block, by its place among all states.
    State(usize),
    User(UserLaw),
    UserOde(UserOde),
}

impl Block {
    /// Whether the output depends on the inputs at once, not only through the states.
    pub(super) fn is_direct(&self) -> bool {
        match self {
            Self::Filter { .. } | Self::Input { .. } | Self::State(_) => false,
            Self::Pid(pid) => pid.is_direct(),
            Self::TransferFunction(system) => system.is_direct(),
            Self::UserOde(ode) => ode.is_direct(),
            _ => true,
        }
    }

    pub(super) fn state_count(&self) -> usize {
        match self {
            Self::Filter { .. } | Self::Input { .. } => 1,
            Self::Pid(pid) => pid.state_count(),
            Self::TransferFunction(system) => system.state_count(),
            Self::UserOde(ode) => ode.initial().len(),
            _ => 0,
        }
    }

    pub(super) fn initialize(&self, z: &mut [f64]) {
        match self {
            Self::Filter { initial, .. } | Self::Input { initial } => z[0] = *initial,
            Self::Pid(pid) => pid.initialize(z),
            Self::UserOde(ode) => z.copy_from_slice(ode.initial()),
            _ => z.fill(0.0),
        }
    }

    /// Output; `own` are the states of the block, `z` all of them.
    pub(super) fn output(
        &self,
        time: f64,
        inputs: Inputs<'_>,
        sensors: &mut impl FnMut(usize) -> f64,
        own: &[f64],
        z: &[f64],
    ) -> f64 {
        match self {
            Self::FunctionOfTime(function) => function.value(time),
            Self::FunctionOfInput(function) => function.value(inputs[0]),
            Self::Sensor(sensor) => sensors(*sensor),
            Self::Gain { gain, offset } => offset + gain * inputs[0],
            Self::Sum { weights, offset } => {
                weights.iter().zip(inputs.iter()).fold(*offset, |sum, (w, u)| sum + w * u)
            }
            Self::Product => inputs.iter().product(),
            Self::Lookup(table) => table.evaluate(inputs[0])[0],
            Self::Saturation { lower, upper } => inputs[0].clamp(*lower, *upper),
            Self::Pid(pid) => pid.output(inputs[0] - inputs[1], own),
            Self::TransferFunction(system) => system.output(|| inputs[0], own),
            Self::Filter { .. } | Self::Input { .. } => own[0],
            Self::State(index) => z[*index],
            Self::User(law) => law.output(time, inputs),
            Self::UserOde(ode) => ode.output(time, inputs, own),
        }
    }

    pub(super) fn rates(&self, time: f64, inputs: Inputs<'_>, own: &[f64], zdot: &mut [f64]) {
        match self {
            Self::Filter { time_constant, .. } => zdot[0] = (inputs[0] - own[0]) / time_constant,
            Self::Input { .. } => zdot[0] = 0.0,
            Self::Pid(pid) => pid.rates(inputs[0] - inputs[1], own, zdot),
            Self::TransferFunction(system) => system.rates(inputs[0], own, zdot),
            Self::UserOde(ode) => ode.rates(time, inputs, own, zdot),
            _ => {}
        }
    }
}

pub(super) fn check(
    signal: &str,
    parameter: &'static str,
    value: f64,
    accepted: bool,
    expected: &'static str,
) -> Result<(), SignalError> {
    if accepted {
        return Ok(());
    }
    Err(SignalError::Parameter { signal: signal.to_owned(), parameter, value, expected })
}

/// Limits with the absent ones at infinity.
pub(super) fn check_limits(
    signal: &str,
    lower: Option<f64>,
    upper: Option<f64>,
) -> Result<(f64, f64), SignalError> {
    let (lower, upper) = (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY));
    check(signal, "lower", lower, !lower.is_nan(), "a number")?;
    check(signal, "upper", upper, !upper.is_nan(), "a number")?;
    if lower >= upper {
        return Err(SignalError::Limits { signal: signal.to_owned(), lower, upper });
    }
    Ok((lower, upper))
}
