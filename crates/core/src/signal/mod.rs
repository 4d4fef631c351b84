//! Signals: the graph that connects sensors and functions of time through controllers to actuators.
//!
//! A signal is one number. Blocks compute signals from other signals; blocks with memory own
//! first-order states `z` that the integrator advances with `ż = rates(t, signals, z)`.

mod block;
mod builder;
mod error;
mod graph;
mod pid;
mod transfer;
mod user;

pub use block::Inputs;
pub use builder::SignalGraphBuilder;
pub use error::SignalError;
pub use graph::{SignalGraph, SignalId};
pub use huygens_spec::{
    AntiWindup, InputSpec, LookupSpec, PidSpec, SignalSpec, TransferFunctionSpec, closest_name,
};
pub use user::UserOde;
