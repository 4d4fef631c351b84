//! The part of a step in which sub-systems advance, and its roll-back.
//!
//! Undoing a step must restore every block bit for bit. A copy of a block may cost a good part of a sub-step (an
//! estimate), so it is made only when [`REPLAYED`] sub-steps have been taken since the last one; in between, the calls
//! are recorded, and a step is undone by copying and repeating them. Sub-systems give bit-identical results for the
//! same calls.

use std::sync::Arc;

use glam::DVec3;
use huygens_exec::Exec;

use super::{Advance, Block, BoundaryMotion, Placement, Prediction, SubSystem, Wrench};
use crate::contract::StateView;
use crate::error::{CoreError, Result};
use crate::model::Model;
use crate::state::State;
use crate::subject::ObjectRef;

/// Sub-steps after which a block is copied again.
const REPLAYED: u64 = 16;

/// Motion of one boundary, kept for another call.
#[derive(Clone)]
struct NotedMotion {
    boundary: usize,
    start: Vec<Placement>,
    end: Vec<Placement>,
    change: Vec<[DVec3; 2]>,
}

/// A call of a sub-system.
#[derive(Clone)]
struct NotedCall {
    time: f64,
    h: f64,
    motion: Vec<NotedMotion>,
}

/// An older copy of a block, and the calls since.
#[derive(Default)]
struct Kept {
    copy: Option<Box<dyn Block>>,
    /// Generation of the block that was copied.
    generation: u64,
    calls: Vec<NotedCall>,
    /// Sub-steps of these calls.
    substeps: u64,
    /// Calls before the step began.
    begun: usize,
    /// Whether the block was moved since then.
    moved: bool,
}

/// Work space of the coupling; nothing in it is state.
#[derive(Default)]
pub(crate) struct CouplingStage {
    systems: Vec<Arc<dyn SubSystem>>,
    kept: Vec<Kept>,
    boundaries: Vec<Prediction>,
    /// Sums over all sub-systems, by boundary.
    wrenches: Vec<Vec<Wrench>>,
    /// Wrenches of one sub-system, by boundary.
    own: Vec<Vec<Wrench>>,
    loads: Vec<f64>,
    /// A block without a copy was advanced: its steps cannot be undone.
    lost: Option<ObjectRef>,
}

impl CouplingStage {
    pub fn new(model: &Model) -> Self {
        let boundaries: Vec<Prediction> =
            model.boundaries.iter().map(|b| Prediction::new(b.boundary.shape())).collect();
        let blank = || boundaries.iter().map(|b| vec![Wrench::default(); b.shape.len()]).collect::<Vec<_>>();
        Self { wrenches: blank(), own: blank(), boundaries, ..Self::default() }
    }

    /// Takes over the sub-systems that advance with the model.
    pub fn attach(&mut self, systems: Vec<Arc<dyn SubSystem>>) {
        self.kept = systems.iter().map(|_| Kept::default()).collect();
        self.systems = systems;
    }

    pub fn systems(&self) -> &[Arc<dyn SubSystem>] {
        &self.systems
    }

    pub fn is_empty(&self) -> bool {
        self.systems.is_empty()
    }

    /// Kinetic, potential and elastic energy of all sub-systems [J].
    pub fn energy(&self, ex: &Exec, state: &State) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for system in &self.systems {
            let k = state.blocks.find(system.kind(), system.owner());
            let Some(block) = k.and_then(|k| state.blocks.at(k).block.as_deref()) else { continue };
            let own = system.energy(ex, block);
            (0..3).for_each(|k| sum[k] += own[k]);
        }
        sum
    }

    /// Ensures that the coming step can be undone.
    pub fn keep(&mut self, state: &State) -> Result<()> {
        if let Some(what) = &self.lost {
            return Err(CoreError::KeepsNoState {
                what: what.clone(),
                asked: "continuing after a failed step",
            });
        }
        for (system, kept) in self.systems.iter().zip(&mut self.kept) {
            kept.moved = false;
            let Some(k) = state.blocks.find(system.kind(), system.owner()) else {
                return Err(missing(&**system));
            };
            let owned = state.blocks.at(k);
            let Some(block) = &owned.block else { return Err(missing(&**system)) };
            let current = kept.copy.is_some() && kept.generation == owned.generation;
            kept.begun = kept.calls.len();
            if current && kept.substeps < REPLAYED {
                continue;
            }
            (kept.generation, kept.substeps, kept.begun) = (owned.generation, 0, 0);
            kept.calls.clear();
            match &mut kept.copy {
                Some(copy) => copy.copy_from(&**block),
                None => kept.copy = block.duplicate(),
            }
        }
        Ok(())
    }

    /// Predicts the boundaries at the end of a step of `h` [s]; `x` is the state at its start.
    pub fn expect(&mut self, ex: &Exec, model: &Model, x: &StateView<'_>, memory: &mut [f64], h: f64) {
        for (entry, prediction) in model.boundaries.iter().zip(&mut self.boundaries) {
            entry.boundary.place(ex, x, &mut prediction.now);
            prediction.expect(&mut memory[entry.memory.clone()], h);
        }
    }

    /// Advances all sub-systems by `h` [s] and sums the wrenches on the boundaries.
    pub fn advance(&mut self, ex: &Exec, state: &mut State, h: f64) -> Result<u64> {
        self.wrenches.iter_mut().for_each(|w| w.fill(Wrench::default()));
        let mut substeps = 0;
        for (system, kept) in self.systems.iter().zip(&mut self.kept) {
            let motion: Vec<BoundaryMotion<'_>> =
                system.boundaries().iter().map(|id| self.boundaries[id.0 as usize].motion(h)).collect();
            let mut out: Vec<Vec<Wrench>> = Vec::with_capacity(motion.len());
            for id in system.boundaries() {
                let mut own = std::mem::take(&mut self.own[id.0 as usize]);
                own.fill(Wrench::default());
                out.push(own);
            }
            let call = Advance { time: state.time, h, motion: &motion };
            let k = state.blocks.find(system.kind(), system.owner());
            let block = k.and_then(|k| state.blocks.at_mut(k).block.as_deref_mut());
            let Some(block) = block else { return Err(missing(&**system)) };
            kept.moved = true;
            let mut slices: Vec<&mut [Wrench]> = out.iter_mut().map(Vec::as_mut_slice).collect();
            let report = system.advance(ex, &call, block, &mut slices);
            if let Ok(report) = &report {
                kept.substeps += report.substeps;
                substeps += report.substeps;
                if kept.copy.is_some() && kept.substeps < REPLAYED {
                    kept.calls.push(NotedCall::new(&call, system.boundaries()));
                }
            }
            for (id, own) in system.boundaries().iter().zip(out) {
                let sums = &mut self.wrenches[id.0 as usize];
                sums.iter_mut().zip(&own).for_each(|(sum, own)| *sum += *own);
                self.own[id.0 as usize] = own;
            }
            report?;
        }
        Ok(substeps)
    }

    /// Loads the model with the wrenches on the boundaries; `x` is the state at the start of the step.
    pub fn pull_back(&mut self, ex: &Exec, model: &Model, x: &StateView<'_>, history: &mut [f64]) -> bool {
        let mut restarts = false;
        for (entry, wrenches) in model.boundaries.iter().zip(&self.wrenches) {
            self.loads.clear();
            self.loads.resize(entry.loads.len(), 0.0);
            entry.boundary.pull_back(ex, x, wrenches, &mut self.loads);
            let old = &mut history[entry.loads.clone()];
            if *old != self.loads[..] {
                old.copy_from_slice(&self.loads);
                restarts |= entry.boundary.restarts();
            }
        }
        restarts
    }

    /// Restores the blocks to the beginning of the step.
    pub fn roll_back(&mut self, ex: &Exec, state: &mut State) -> Result<()> {
        for (system, kept) in self.systems.iter().zip(&mut self.kept) {
            if !std::mem::take(&mut kept.moved) {
                continue;
            }
            let k = state.blocks.find(system.kind(), system.owner());
            let Some(block) = k.and_then(|k| state.blocks.at_mut(k).block.as_deref_mut()) else { continue };
            let Some(copy) = &kept.copy else {
                self.lost.get_or_insert_with(|| ObjectRef::new(system.kind(), system.owner()));
                continue;
            };
            block.copy_from(&**copy);
            kept.calls.truncate(kept.begun);
            for call in &kept.calls {
                call.replay(ex, &**system, &self.boundaries, block)?;
            }
        }
        match &self.lost {
            Some(what) => {
                Err(CoreError::KeepsNoState { what: what.clone(), asked: "rolling back a failed step" })
            }
            None => Ok(()),
        }
    }
}

impl NotedCall {
    fn new(call: &Advance<'_>, boundaries: &[super::BoundaryId]) -> Self {
        let motion = |(id, m): (&super::BoundaryId, &BoundaryMotion<'_>)| NotedMotion {
            boundary: id.0 as usize,
            start: m.start.to_vec(),
            end: m.end.to_vec(),
            change: m.change.to_vec(),
        };
        let motion = boundaries.iter().zip(call.motion).map(motion).collect();
        Self { time: call.time, h: call.h, motion }
    }

    fn replay(
        &self,
        ex: &Exec,
        system: &dyn SubSystem,
        boundaries: &[Prediction],
        block: &mut dyn Block,
    ) -> Result<()> {
        let motion: Vec<BoundaryMotion<'_>> = self
            .motion
            .iter()
            .map(|m| {
                let shape = &boundaries[m.boundary].shape;
                BoundaryMotion { h: self.h, start: &m.start, end: &m.end, change: &m.change, shape }
            })
            .collect();
        let mut wrenches: Vec<Vec<Wrench>> =
            motion.iter().map(|m| vec![Wrench::default(); m.start.len()]).collect();
        let mut slices: Vec<&mut [Wrench]> = wrenches.iter_mut().map(Vec::as_mut_slice).collect();
        let call = Advance { time: self.time, h: self.h, motion: &motion };
        system.advance(ex, &call, block, &mut slices).map(|_| ())
    }
}

fn missing(system: &dyn SubSystem) -> CoreError {
    let what = ObjectRef::new(system.kind(), system.owner());
    CoreError::KeepsNoState { what, asked: "a step of a copied state" }
}
