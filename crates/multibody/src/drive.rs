//! Values that drive motors, loads and clutches: a constant, a function of time, or a signal.

use huygens_core::contract::StateView;
use huygens_core::function::Function;
use huygens_core::signal::SignalId;

/// The source of a driving value.
#[derive(Clone, Debug)]
pub enum Drive {
    /// A function of time, possibly constant.
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

    /// The value for modification, if it is constant.
    pub(crate) fn constant_mut(&mut self) -> Option<&mut f64> {
        match self {
            Drive::Function(Function::Constant { value }) => Some(value),
            Drive::Function(_) | Drive::Signal(_) => None,
        }
    }

    /// The time derivative of the value, if known.
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
