//! Momentum of inertia that turns with nodes, over a step at velocity level.
//!
//! Such a step solves $M(q_n)(v' - v) = h\,(f - b(q_n, v))$ and then moves to $q'$. The momentum it ends with is
//! $M(q')\,v'$, not $M(q_n)\,v' + h\,b$: what is missing on the places of the nodes,
//! $$ \delta = M(q')\,v' - M(q_n)\,v' - h\,b(q_n, v), $$
//! is of second order in the step. It is taken from the velocity of each node by the mass that a translation of all
//! nodes finds there. The columns of a symmetric mass sum to the same numbers as its rows, so that the momentum of the
//! whole is exactly that of the forces.

use super::System;
use crate::contract::ItemKind;

/// Work space; made where a model has inertia that turns.
#[derive(Default)]
pub(super) struct TurningScratch {
    /// Mass that a translation finds at each column of a place; zero at others and at those that are fixed.
    masses: Vec<f64>,
    slowed: Vec<f64>,
    ended: Vec<f64>,
    solved: Vec<f64>,
}

impl System {
    fn place_masses(&self) -> Vec<f64> {
        let m = self.model();
        let mut out = vec![0.0; m.v_count];
        let places = |axis: usize| {
            let nodes = m.coordinates.iter().filter(|e| e.shape.kind == ItemKind::Node);
            nodes.flat_map(move |e| e.v_range().step_by(e.shape.v_per_item).map(move |first| first + axis))
        };
        for axis in 0..3 {
            let (mut unit, mut weight) = (vec![0.0; m.v_count], vec![0.0; m.v_count]);
            places(axis).for_each(|column| unit[column] = 1.0);
            self.add_mass_product(&unit, &mut weight);
            places(axis).for_each(|column| out[column] = weight[column]);
        }
        m.fixed.iter().for_each(|&column| out[column as usize] = 0.0);
        out
    }

    /// Corrects the velocities `v` after a step of size `h` from `q0`, `v0` to `q`.
    pub(crate) fn settle_turning(&mut self, q0: &[f64], v0: &[f64], q: &[f64], h: f64, v: &mut [f64]) {
        if !self.model.elements.iter().any(|e| e.batch.turning_inertia().is_some()) {
            return;
        }
        let mut s = std::mem::take(&mut self.turning);
        if s.masses.is_empty() {
            s.masses = self.place_masses();
        }
        // The terms of velocity are quadratic: those of √h v are h times those of v.
        s.slowed.clear();
        s.slowed.extend(v0.iter().map(|v| h.sqrt() * v));
        for out in [&mut s.ended, &mut s.solved] {
            out.clear();
            out.resize(v.len(), 0.0);
        }
        for turning in self.model.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            turning.add_force(q, None, v, &mut s.ended);
            turning.add_force(q0, Some(&s.slowed), v, &mut s.solved);
        }
        for (i, v) in v.iter_mut().enumerate().filter(|(i, _)| s.masses[*i] > 0.0) {
            *v -= (s.ended[i] - s.solved[i]) / s.masses[i];
        }
        self.turning = s;
    }
}
