//! Builds a graph: names become indices, blocks are checked and put in order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::block::{Block, Inputs, check, check_limits};
use super::error::SignalError;
use super::graph::{Node, SignalGraph, SignalId};
use super::pid::Pid;
use super::transfer::TransferFunction;
use super::user::{UserLaw, UserOde};
use crate::function::{Function, FunctionError, Table};
use huygens_spec::closest_name;
use huygens_spec::{InputSpec, SignalSpec, TransferFunctionSpec};

/// Collects named signals in any order; a signal may read one that is added later.
#[derive(Clone, Debug, Default)]
pub struct SignalGraphBuilder {
    drafts: Vec<Draft>,
    by_name: BTreeMap<String, SignalId>,
}

#[derive(Clone, Debug)]
struct Draft {
    name: String,
    inputs: Vec<String>,
    block: DraftBlock,
}

/// A state of another block has no place among all states before the graph is complete.
#[derive(Clone, Debug)]
enum DraftBlock {
    Ready(Block),
    StateOf { index: usize },
}

impl SignalGraphBuilder {
    /// Empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a signal; its sensor, if any, is the index that `SignalGraph::evaluate` will request.
    pub fn add(&mut self, name: impl Into<String>, spec: SignalSpec<usize>) -> Result<SignalId, SignalError> {
        let name = name.into();
        let (inputs, block) = draft(&name, spec)?;
        self.push(name, inputs, block)
    }

    /// Adds the quantity measured by the sensor of that index.
    pub fn add_sensor(&mut self, name: impl Into<String>, sensor: usize) -> Result<SignalId, SignalError> {
        self.add(name, SignalSpec::Sensor { sensor })
    }

    /// Adds a function of time.
    pub fn add_function(
        &mut self,
        name: impl Into<String>,
        function: impl Into<Function>,
    ) -> Result<SignalId, SignalError> {
        self.add(name, SignalSpec::Function { function: function.into(), input: None })
    }

    /// Adds a memoryless law `y = f(t, inputs)`.
    pub fn add_user(
        &mut self,
        name: impl Into<String>,
        inputs: &[&str],
        law: impl Fn(f64, Inputs<'_>) -> f64 + Send + Sync + 'static,
    ) -> Result<SignalId, SignalError> {
        let inputs = inputs.iter().map(|&input| input.to_owned()).collect();
        self.push(name.into(), inputs, DraftBlock::Ready(Block::User(UserLaw::new(law))))
    }

    /// Adds a first-order system given by closures; it needs at least one state.
    pub fn add_user_ode(
        &mut self,
        name: impl Into<String>,
        inputs: &[&str],
        ode: UserOde,
    ) -> Result<SignalId, SignalError> {
        let name = name.into();
        if ode.initial().is_empty() {
            return Err(SignalError::Count { signal: name, parameter: "initial", expected: 1, found: 0 });
        }
        for &value in ode.initial() {
            check(&name, "initial", value, value.is_finite(), "finite")?;
        }
        let inputs = inputs.iter().map(|&input| input.to_owned()).collect();
        self.push(name, inputs, DraftBlock::Ready(Block::UserOde(ode)))
    }

    /// Resolves names and orders the blocks so that each comes after those it needs at once.
    pub fn build(self) -> Result<SignalGraph, SignalError> {
        let inputs = self.resolve_inputs()?;
        let mut nodes = Vec::with_capacity(self.drafts.len());
        let mut state_count = 0;
        let mut sensor_count = 0;
        let state_starts = self.state_starts();
        for (draft, inputs) in self.drafts.iter().zip(inputs) {
            let block = match &draft.block {
                DraftBlock::Ready(block) => block.clone(),
                DraftBlock::StateOf { index } => self.state_block(draft, inputs[0], *index, &state_starts)?,
            };
            if let Block::Sensor(sensor) = block {
                sensor_count = sensor_count.max(sensor + 1);
            }
            let states = state_count..state_count + block.state_count();
            state_count = states.end;
            nodes.push(Node { name: draft.name.clone(), block, inputs, states });
        }
        let order = evaluation_order(&nodes)?;
        Ok(SignalGraph { nodes, order, state_count, sensor_count })
    }

    fn push(
        &mut self,
        name: String,
        inputs: Vec<String>,
        block: DraftBlock,
    ) -> Result<SignalId, SignalError> {
        if name.is_empty() {
            return Err(SignalError::EmptyName);
        }
        if self.by_name.contains_key(&name) {
            return Err(SignalError::DuplicateName { name });
        }
        let id = SignalId(self.drafts.len() as u32);
        self.by_name.insert(name.clone(), id);
        self.drafts.push(Draft { name, inputs, block });
        Ok(id)
    }

    fn resolve_inputs(&self) -> Result<Vec<Vec<SignalId>>, SignalError> {
        let resolve = |draft: &Draft, input: &String| match self.by_name.get(input) {
            Some(&id) => Ok(id),
            None => Err(SignalError::UnknownInput {
                signal: draft.name.clone(),
                input: input.clone(),
                suggestion: closest_name(input, self.by_name.keys().map(String::as_str)).map(str::to_owned),
            }),
        };
        self.drafts.iter().map(|d| d.inputs.iter().map(|i| resolve(d, i)).collect()).collect()
    }

    /// First state of each block, and the end of the last.
    fn state_starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        for draft in &self.drafts {
            let count = match &draft.block {
                DraftBlock::Ready(block) => block.state_count(),
                DraftBlock::StateOf { .. } => 0,
            };
            starts.push(starts[starts.len() - 1] + count);
        }
        starts
    }

    fn state_block(
        &self,
        draft: &Draft,
        of: SignalId,
        index: usize,
        starts: &[usize],
    ) -> Result<Block, SignalError> {
        let count = starts[of.index() + 1] - starts[of.index()];
        if index >= count {
            let (signal, block) = (draft.name.clone(), self.drafts[of.index()].name.clone());
            return Err(SignalError::NoSuchState { signal, block, index, count });
        }
        Ok(Block::State(starts[of.index()] + index))
    }
}

/// Inputs and operation of a specified signal, its parameters checked.
fn draft(signal: &str, spec: SignalSpec<usize>) -> Result<(Vec<String>, DraftBlock), SignalError> {
    let finite = |parameter, value: f64| check(signal, parameter, value, value.is_finite(), "finite");
    let of_function = |source: FunctionError| SignalError::Function { signal: signal.to_owned(), source };
    let (inputs, block) = match spec {
        SignalSpec::Function { function, input } => {
            function.validate().map_err(of_function)?;
            match input {
                None => (vec![], Block::FunctionOfTime(function)),
                Some(input) => (vec![input], Block::FunctionOfInput(function)),
            }
        }
        SignalSpec::Sensor { sensor } => (vec![], Block::Sensor(sensor)),
        SignalSpec::Gain { input, gain, offset } => {
            finite("gain", gain)?;
            finite("offset", offset)?;
            (vec![input], Block::Gain { gain, offset })
        }
        SignalSpec::Sum { inputs, weights, offset } => {
            finite("offset", offset)?;
            let weights = sum_weights(signal, inputs.len(), weights)?;
            (inputs, Block::Sum { weights, offset })
        }
        SignalSpec::Product { inputs } => {
            if inputs.is_empty() {
                return Err(SignalError::NoInputs { signal: signal.to_owned() });
            }
            (inputs, Block::Product)
        }
        SignalSpec::Lookup(lookup) => {
            let table =
                Table::new(lookup.abscissae, lookup.values, lookup.interpolation, lookup.extrapolation);
            (vec![lookup.input], Block::Lookup(table.map_err(of_function)?))
        }
        SignalSpec::Saturation { input, lower, upper } => {
            let (lower, upper) = check_limits(signal, lower, upper)?;
            (vec![input], Block::Saturation { lower, upper })
        }
        SignalSpec::Pid(pid) => {
            let block = Block::Pid(Pid::new(signal, &pid)?);
            (vec![pid.reference, pid.measurement], block)
        }
        SignalSpec::TransferFunction(system) => transfer_function(signal, system)?,
        SignalSpec::Filter { input, time_constant, initial } => {
            finite("initial", initial)?;
            let accepted = time_constant.is_finite() && time_constant > 0.0;
            check(signal, "time_constant", time_constant, accepted, "greater than zero")?;
            (vec![input], Block::Filter { time_constant, initial })
        }
        SignalSpec::Input(InputSpec { value, lower, upper, .. }) => {
            finite("lower", lower)?;
            finite("upper", upper)?;
            check_limits(signal, Some(lower), Some(upper))?;
            check(signal, "value", value, value >= lower && value <= upper, "between lower and upper")?;
            (vec![], Block::Input { initial: value })
        }
        SignalSpec::State { block, index } => return Ok((vec![block], DraftBlock::StateOf { index })),
    };
    Ok((inputs, DraftBlock::Ready(block)))
}

fn transfer_function(signal: &str, spec: TransferFunctionSpec) -> Result<(Vec<String>, Block), SignalError> {
    let block = Block::TransferFunction(TransferFunction::new(signal, &spec)?);
    Ok((vec![spec.input], block))
}

fn sum_weights(signal: &str, inputs: usize, weights: Option<Vec<f64>>) -> Result<Vec<f64>, SignalError> {
    if inputs == 0 {
        return Err(SignalError::NoInputs { signal: signal.to_owned() });
    }
    let weights = weights.unwrap_or_else(|| vec![1.0; inputs]);
    if weights.len() != inputs {
        return Err(SignalError::Count {
            signal: signal.to_owned(),
            parameter: "weights",
            expected: inputs,
            found: weights.len(),
        });
    }
    for &weight in &weights {
        check(signal, "weights", weight, weight.is_finite(), "finite")?;
    }
    Ok(weights)
}

/// Kahn's algorithm; of the blocks that are ready the one declared first comes first.
fn evaluation_order(nodes: &[Node]) -> Result<Vec<SignalId>, SignalError> {
    let mut readers = vec![Vec::new(); nodes.len()];
    let mut waits_for = vec![0_usize; nodes.len()];
    for (reader, node) in nodes.iter().enumerate() {
        for input in direct_inputs(node) {
            readers[input.index()].push(reader);
            waits_for[reader] += 1;
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..nodes.len()).filter(|&i| waits_for[i] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(index)) = ready.pop() {
        order.push(SignalId(index as u32));
        for &reader in &readers[index] {
            waits_for[reader] -= 1;
            if waits_for[reader] == 0 {
                ready.push(Reverse(reader));
            }
        }
    }
    if order.len() == nodes.len() { Ok(order) } else { Err(algebraic_loop(nodes, &waits_for)) }
}

fn direct_inputs(node: &Node) -> &[SignalId] {
    if node.block.is_direct() { &node.inputs } else { &[] }
}

/// Each blocked node reads another blocked one, so walking back from any of them runs into a loop.
fn algebraic_loop(nodes: &[Node], waits_for: &[usize]) -> SignalError {
    let blocked = |id: &&SignalId| waits_for[id.index()] > 0;
    let mut walk: Vec<usize> = waits_for.iter().position(|&w| w > 0).into_iter().collect();
    while let Some(next) = walk.last().and_then(|&at| direct_inputs(&nodes[at]).iter().find(blocked)) {
        if let Some(start) = walk.iter().position(|&seen| seen == next.index()) {
            walk.drain(..start);
            break;
        }
        walk.push(next.index());
    }
    walk.reverse();
    SignalError::AlgebraicLoop { signals: walk.iter().map(|&i| nodes[i].name.clone()).collect() }
}
