//! Small models of nodes and elements, put together by hand.

use std::sync::Arc;

use huygens_core::contract::ElementBatch;
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::{CoordinatesPlace, MatrixWeights, Model, State, Subject, System};
use huygens_exec::Exec;
use huygens_fea::element::batch::{Element, ElementItem, Elements, NodePlace};
use huygens_fea::node::{FrameNode, FrameNodes, ItemName, VectorNode, VectorNodes};
use huygens_fea::section::material::Damping;
use huygens_kernel::{Mat3, Quat, Vec3};

pub fn name(number: usize) -> ItemName {
    ItemName { of: Arc::new(Subject::object("structure", "test")), number: number as u64 }
}

/// Nodes of vectors with their rates.
pub fn vector_nodes<const V: usize>(nodes: &[([Vec3; V], [Vec3; V])]) -> VectorNodes {
    let mut all = VectorNodes::new(V);
    for (k, (vectors, rates)) in nodes.iter().enumerate() {
        let filled = |x: &[Vec3; V]| std::array::from_fn(|i| if i < V { x[i] } else { Vec3::ZERO });
        all.push(VectorNode {
            name: name(k),
            vectors: filled(vectors),
            rates: filled(rates),
            mass: 0.0,
            frame: false,
        });
    }
    all
}

/// Nodes with axes along x, at rest.
pub fn frame_nodes(places: &[Vec3], inertia: &[Mat3]) -> FrameNodes {
    let mut all = FrameNodes::new();
    for (k, (position, inertia)) in places.iter().zip(inertia).enumerate() {
        all.push(FrameNode {
            name: name(k),
            position: *position,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            mass: 0.0,
            inertia: *inertia,
            frame: true,
        });
    }
    all
}

/// Where a node of a batch stands.
pub fn place(at: &CoordinatesPlace, item: usize, positions: usize, columns: usize) -> NodePlace {
    NodePlace {
        block: at.first_block + item as u32,
        q: at.first_q + item * positions,
        v: at.first_v + item * columns,
        columns,
    }
}

/// Inertia that a chain of elements gives to its nodes.
pub fn chain_inertia<E: Element>(elements: &[E]) -> Vec<Mat3> {
    let step = E::NODES - 1;
    let mut out = vec![Mat3::ZERO; step * elements.len() + 1];
    for (k, element) in elements.iter().enumerate() {
        let parts = Element::node_inertia(element);
        parts.iter().enumerate().for_each(|(n, part)| out[step * k + n] += *part);
    }
    out
}

/// A batch of elements that join one node to the next.
pub fn chain<E: Element + 'static>(
    at: &CoordinatesPlace,
    elements: &[E],
    columns: usize,
    damping: Damping,
) -> Arc<dyn ElementBatch> {
    let step = E::NODES - 1;
    Arc::new(Elements::new(elements.iter().enumerate().map(|(k, element)| ElementItem {
        element: element.clone(),
        nodes: (0..E::NODES).map(|n| place(at, step * k + n, E::POSITIONS, columns)).collect(),
        damping,
        name: name(k),
    })))
}

pub fn stepper(model: Model, integrator: Integrator) -> (Stepper, State) {
    let model = Arc::new(model);
    let state = State::new(&model);
    let settings = StepperSettings { integrator, ..StepperSettings::default() };
    (Stepper::new(model, Exec::serial(), settings).unwrap(), state)
}

/// Positions in balance, by Newton's method with the loads in steps.
pub fn balanced(model: Model, steps: u32) -> State {
    let model = Arc::new(model);
    let mut state = State::new(&model);
    let mut system = System::new(model, Exec::serial());
    let weights = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 1.0, geometric: 1.0 };
    for step in 1..=steps {
        let mut sizes = Vec::new();
        for iteration in 0..60 {
            system.load(&state);
            system.point.load_factor = f64::from(step) / f64::from(steps);
            system.update(&state.history);
            let mut change = vec![0.0; state.v.len()];
            system.forces(&state.history, &mut change);
            system.assemble(&state.history, weights, None);
            system.factor().unwrap();
            system.solve(&mut change).unwrap();
            let q = state.q.clone();
            system.retract(&q, &change);
            state.q.copy_from_slice(&system.point.q);
            let size = change.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            sizes.push(size);
            // Newton's changes cannot get below rounding.
            if size < 1e-9 || (iteration > 20 && size < 1e-7) {
                break;
            }
            assert!(iteration < 59, "no balance at step {step}: {sizes:?}");
        }
    }
    state
}
