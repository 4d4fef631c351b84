//! Numbers that drive motors, loads and clutches: constant, function of time, or signal.

use huygens_core::contract::StateView;
use huygens_core::function::Function;
use huygens_core::signal::SignalId;

/// Where a driving number comes from.
#[derive(Clone, Debug)]
pub enum Drive {
    /// A function of time (a constant included).
    Function(Function),
    /// A value of the signal graph.
    Signal(SignalId),
}

impl Drive {
    /// The value at a state.
    pub(crate) fn value(&self, x: &StateView<'_>) -> f64 {
        match self {
            Drive::Function(f) => f.value(x.time),
            Drive::Signal(id) => x.signals.get(id.index()).copied().unwrap_or(0.0),
        }
    }

    /// The value to be changed, where it is a constant.
    pub(crate) fn constant_mut(&mut self) -> Option<&mut f64> {
        match self {
            Drive::Function(Function::Constant { value }) => Some(value),
            Drive::Function(_) | Drive::Signal(_) => None,
        }
    }

    /// The rate of the value, where it is known.
    pub(crate) fn rate(&self, x: &StateView<'_>) -> f64 {
        match self {
            Drive::Function(f) => f.rate(x.time),
            Drive::Signal(_) => 0.0,
        }
    }
}

impl From<f64> for Drive {
    fn from(value: f64) -> Self {
        Drive::Function(Function::constant(value))
    }
}

impl From<Function> for Drive {
    fn from(value: Function) -> Self {
        Drive::Function(value)
    }
}
