//! What batches see when a step is committed.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::{Model, State, System};
use huygens_exec::Exec;

/// Counts its commits, and notes what the counts of both batches were when it was asked to.
struct Counter;

/// Numbers a counter keeps.
const KEPT: usize = 3;

impl ElementBatch for Counter {
    fn layout(&self) -> Layout {
        Layout { history: KEPT, ..Layout::default() }
    }
    fn item_name(&self, item: usize) -> huygens_core::Subject {
        format!("counter {item}").into()
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        _x: &StateView<'_>,
        _history: &[f64],
        _slots: &Slots,
        _values: &mut [f64],
        _tangent: Option<(&Weights, &mut [f64])>,
    ) {
    }
    fn commit(&self, _ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        history[0] += 1.0;
        (history[1], history[2]) = (x.history[0], x.history[KEPT]);
    }
}

#[test]
fn commits_see_the_history_that_the_last_step_left() {
    let mut model = Model::new(DVec3::ZERO);
    let places = [0, 1].map(|_| model.add_elements(Arc::new(Counter)).first_history);
    assert_eq!(places, [0, KEPT]);
    let model = Arc::new(model);
    let mut system = System::new(model.clone(), Exec::serial());
    let state = State::new(&model);
    system.load(&state);
    let mut history = vec![0.0; 2 * KEPT];
    for step in [1.0, 2.0, 3.0] {
        system.commit(&mut history);
        // The second batch sees the first one as it was before this step, though that has been committed already.
        assert_eq!(history, [step, step - 1.0, step - 1.0, step, step - 1.0, step - 1.0]);
    }
}
