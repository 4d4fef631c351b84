//! Momentum of inertia that rotates with nodes.
//!
//! A step at velocity level solves $M(q_n)(v' - v) = h\,(f - b(q_n, v))$ and then moves to $q'$. The momentum it ends with is
//! $M(q')\,v'$, not $M(q_n)\,v' + h\,b$: what is missing on the places of the nodes,
//! $$ \delta = M(q')\,v' - M(q_n)\,v' - h\,b(q_n, v), $$
//! is of second order in the step. In the generalized-α family the velocities of places follow from accelerations,
//! those of slopes change as the nodes turn: with the forces $s = M(q)\,a + b(q, v)$ and their auxiliary value
//! $\bar s$, which follows $s$ as the auxiliary accelerations follow $\dot v$,
//! $$ \delta = M(q')\,v' - M(q_n)\,v - h\,\bigl((1-\gamma)\,\bar s_n + \gamma\,\bar s'\bigr), $$
//! of third order. Both are taken from the velocity of each node by the mass that a translation of all
//! nodes finds there. The columns of a symmetric mass sum to the same numbers as its rows, so that the momentum of the
//! whole is exactly that of the forces.

use super::System;
use crate::contract::ItemKind;
use crate::integrator::AlphaParameters;
use crate::state::State;

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

    /// Adds $M(q)\,a + b(q, v)$ at the point to an array that is zero; nothing where no inertia turns.
    pub(crate) fn turning_force(&self, out: &mut [f64]) {
        out.fill(0.0);
        let p = &self.point;
        for turning in self.model.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            turning.add_force(&p.q, Some(&p.v), &p.acceleration, out);
        }
    }

    /// Moves auxiliary forces by `share` of their change from where they were computed to the point.
    pub(crate) fn shift_turning(&mut self, share: f64, forces: &mut [f64]) {
        if forces.is_empty() {
            return;
        }
        let mut now = std::mem::take(&mut self.turning.ended);
        now.resize(forces.len(), 0.0);
        self.turning_force(&mut now);
        forces.iter_mut().zip(&now).for_each(|(f, now)| *f += share * (now - *f));
        self.turning.ended = now;
    }

    /// Corrects the velocities of the point after a step from `state` by the generalized-α family, and moves the
    /// auxiliary forces of `state` on.
    pub(crate) fn settle_implicit(&mut self, p: &AlphaParameters, h: f64, state: &mut State) {
        if state.algorithmic_turning.is_empty() {
            return;
        }
        let mut s = std::mem::take(&mut self.turning);
        if s.masses.is_empty() {
            s.masses = self.place_masses();
        }
        let [mut momentum, mut before, mut after] = [&mut s.slowed, &mut s.solved, &mut s.ended].map(|out| {
            out.clear();
            out.resize(state.v.len(), 0.0);
            std::mem::take(out)
        });
        for turning in self.model.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            let back: &mut [f64] = &mut before;
            turning.add_force(&state.q, None, &state.v, back);
            turning.add_force(&self.point.q, None, &self.point.v, &mut momentum);
        }
        momentum.iter_mut().zip(&before).for_each(|(p, before)| *p -= before);
        before.fill(0.0);
        for turning in self.model.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            turning.add_force(&state.q, Some(&state.v), &state.acceleration, &mut before);
        }
        self.turning_force(&mut after);
        for (i, own) in state.algorithmic_turning.iter_mut().enumerate() {
            let mean = (1.0 - p.alpha_f) * after[i] + p.alpha_f * before[i];
            let next = (mean - p.alpha_m * *own) / (1.0 - p.alpha_m);
            let impulse = h * ((1.0 - p.gamma) * *own + p.gamma * next);
            if s.masses[i] > 0.0 {
                self.point.v[i] -= (momentum[i] - impulse) / s.masses[i];
            }
            *own = next;
        }
        (s.slowed, s.solved, s.ended) = (momentum, before, after);
        self.turning = s;
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
