//! The graph, ready to evaluate.

use crate::subject::{ObjectRef, Subject};
use std::ops::Range;

use super::block::{Block, Inputs};
use super::error::SignalError;
use huygens_spec::closest_name;

/// One signal of a graph; its value lies at `index()` of the evaluated signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalId(pub(super) u32);

impl SignalId {
    /// Index of the signal among all signals.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Blocks in the order in which they were declared, with the order in which to evaluate them.
#[derive(Clone, Debug, Default)]
pub struct SignalGraph {
    pub(super) nodes: Vec<Node>,
    pub(super) order: Vec<SignalId>,
    pub(super) state_count: usize,
    pub(super) sensor_count: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) block: Block,
    pub(super) inputs: Vec<SignalId>,
    pub(super) states: Range<usize>,
}

impl SignalGraph {
    /// Number of signals.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no signals.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of first-order states of all blocks together.
    pub fn state_count(&self) -> usize {
        self.state_count
    }

    /// One more than the largest sensor index that is read.
    pub fn sensor_count(&self) -> usize {
        self.sensor_count
    }

    /// Signal of that name.
    pub fn signal(&self, name: &str) -> Result<SignalId, SignalError> {
        match self.nodes.iter().position(|node| node.name == name) {
            Some(index) => Ok(SignalId(index as u32)),
            None => Err(SignalError::Unknown {
                name: name.to_owned(),
                suggestion: closest_name(name, self.names()).map(str::to_owned),
            }),
        }
    }

    /// Name of a signal.
    pub fn name(&self, signal: SignalId) -> &str {
        &self.nodes[signal.index()].name
    }

    /// Names of all signals, in the order of their indices.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|node| node.name.as_str())
    }

    /// Indices of a block's states among all states; empty if it has no memory.
    pub fn states(&self, signal: SignalId) -> Range<usize> {
        self.nodes[signal.index()].states.clone()
    }

    /// Writes the initial states into `z`, which has `state_count()` elements.
    pub fn initialize_states(&self, z: &mut [f64]) {
        for node in &self.nodes {
            node.block.initialize(&mut z[node.states.clone()]);
        }
    }

    /// Computes every signal into `out`, which has `len()` elements, without allocating.
    ///
    /// `sensors` returns the value of the sensor with an index; it is called once per sensor signal.
    pub fn evaluate<F: FnMut(usize) -> f64>(&self, time: f64, mut sensors: F, z: &[f64], out: &mut [f64]) {
        for &id in &self.order {
            let node = &self.nodes[id.index()];
            let inputs = Inputs { ids: &node.inputs, signals: out };
            out[id.index()] = node.block.output(time, inputs, &mut sensors, &z[node.states.clone()], z);
        }
    }

    /// Computes `ż` from the signals that [`evaluate`](Self::evaluate) returned, without allocating.
    pub fn rates(&self, time: f64, signals: &[f64], z: &[f64], zdot: &mut [f64]) {
        for node in &self.nodes {
            let own = node.states.clone();
            let inputs = Inputs { ids: &node.inputs, signals };
            node.block.rates(time, inputs, &z[own.clone()], &mut zdot[own]);
        }
    }

    /// Names the first signal or state that is NaN or infinite.
    pub fn check_finite(&self, time: f64, signals: &[f64], z: &[f64]) -> Result<(), SignalError> {
        for &id in &self.order {
            let node = &self.nodes[id.index()];
            let value = signals[id.index()];
            if !value.is_finite() {
                return Err(SignalError::NonFinite {
                    what: Subject::object("signal", &node.name),
                    value,
                    time,
                });
            }
        }
        for node in &self.nodes {
            for (i, &value) in z[node.states.clone()].iter().enumerate() {
                if !value.is_finite() {
                    let signal = ObjectRef::new("signal", &node.name);
                    let what = Subject::part(format!("state {i}"), signal);
                    return Err(SignalError::NonFinite { what, value, time });
                }
            }
        }
        Ok(())
    }
}
