//! A state split by object, so that it survives a change of the model.
//!
//! When objects are added or removed, the arrays of a state change their lengths and layout. Every number of the state,
//! however, belongs to an object: coordinates to an item, multipliers to a constraint, history to an element,
//! first-order states to a signal. [`KeptState`] stores them by kind and name, and restores to each object of the next
//! model what it had in the last one. This is the only way in which a state passes from one model to another.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::contact::{ContactMemory, ContactModel, ContactSettings};
use crate::coupling::{Blocks, BoundaryMemory};
use crate::model::Model;
use crate::state::State;
use crate::system::System;

/// Kind of the numbers of coordinate items: bodies, shafts, nodes, markers.
pub const COORDINATES: &str = "coordinates";
/// Kind of the numbers that say where a part of a boundary was left.
pub const BOUNDARY: &str = "boundary";
const MULTIPLIERS: &str = "multipliers";
const ONE_SIDED: &str = "one-sided multipliers";
const HISTORY: &str = "history";
const SIGNAL: &str = "signal";
const STATES: &str = "states";

/// The arrays in which objects have numbers.
#[derive(Clone, Copy)]
enum Array {
    Q,
    V,
    Acceleration,
    AccelerationPrevious,
    AccelerationOlder,
    Algorithmic,
    AlgorithmicTurning,
    Lambda,
    LambdaPrevious,
    LambdaOlder,
    LambdaUnilateral,
    Z,
    ZRate,
    History,
    Boundaries,
}

impl Array {
    fn of(self, s: &mut State) -> &mut [f64] {
        match self {
            Self::Q => &mut s.q,
            Self::V => &mut s.v,
            Self::Acceleration => &mut s.acceleration,
            Self::AccelerationPrevious => &mut s.acceleration_previous,
            Self::AccelerationOlder => &mut s.acceleration_older,
            Self::Algorithmic => &mut s.algorithmic,
            Self::AlgorithmicTurning => &mut s.algorithmic_turning,
            Self::Lambda => &mut s.lambda,
            Self::LambdaPrevious => &mut s.lambda_previous,
            Self::LambdaOlder => &mut s.lambda_older,
            Self::LambdaUnilateral => &mut s.lambda_unilateral,
            Self::Z => &mut s.z,
            Self::ZRate => &mut s.z_rate,
            Self::History => &mut s.history,
            Self::Boundaries => &mut s.boundaries,
        }
    }
}

/// Location of the numbers of an object.
type Span = (Array, Range<usize>);

/// Calls `f(kind, name, spans)` for every object that has numbers in a state of `model`.
fn for_each_object(model: &Model, f: &mut dyn FnMut(&'static str, String, &[Span])) {
    for e in &model.coordinates {
        let (nq, nv) = (e.shape.q_per_item, e.shape.v_per_item);
        for item in 0..e.shape.items {
            let (q, v) = (e.q + item * nq, e.v + item * nv);
            let v = |array| (array, v..v + nv);
            let spans = [
                (Array::Q, q..q + nq),
                v(Array::V),
                v(Array::Acceleration),
                v(Array::AccelerationPrevious),
                v(Array::AccelerationOlder),
                v(Array::Algorithmic),
            ];
            // Where no inertia turns, there is nothing to keep of it.
            let turning = [v(Array::AlgorithmicTurning)];
            let turning = if model.turning_columns() == 0 { &[] } else { &turning[..] };
            f(COORDINATES, e.batch.item_name(item).to_string(), &[&spans[..], turning].concat());
        }
    }
    for e in &model.constraints {
        for item in 0..e.layout.len() {
            let rows = e.slots.first_row[item]..e.slots.first_row[item] + e.slots.rows[item];
            let spans = [Array::Lambda, Array::LambdaPrevious, Array::LambdaOlder].map(|a| (a, rows.clone()));
            f(MULTIPLIERS, e.batch.item_name(item).to_string(), &spans);
        }
    }
    for e in &model.unilaterals {
        for item in 0..e.layout.len() {
            let rows = e.slots.first_row[item]..e.slots.first_row[item] + e.slots.rows[item];
            f(ONE_SIDED, e.batch.item_name(item).to_string(), &[(Array::LambdaUnilateral, rows)]);
        }
    }
    let mut history = |first: usize, owners: Vec<(String, Range<usize>)>| {
        for (name, own) in owners {
            f(HISTORY, name, &[(Array::History, first + own.start..first + own.end)]);
        }
    };
    model.elements.iter().for_each(|e| history(e.history, e.batch.history_owners(&e.layout)));
    model.constraints.iter().for_each(|e| history(e.history, e.batch.history_owners(&e.layout)));
    model.unilaterals.iter().for_each(|e| history(e.history, e.batch.history_owners(&e.layout)));
    for (source, first) in &model.row_sources {
        history(*first, vec![(source.name().to_string(), 0..source.history())]);
    }
    for name in model.signals.names() {
        let Ok(own) = model.signals.signal(name).map(|id| model.signals.states(id)) else { continue };
        f(SIGNAL, name.to_owned(), &[(Array::Z, own.clone()), (Array::ZRate, own)]);
    }
    for (block, start) in &model.states {
        for state in 0..block.len() {
            let own = start + state..start + state + 1;
            f(STATES, block.state_name(state), &[(Array::Z, own.clone()), (Array::ZRate, own)]);
        }
    }
    for entry in &model.boundaries {
        for (part, first) in entry.memory.clone().step_by(BoundaryMemory::WIDTH).enumerate() {
            let own = first..first + BoundaryMemory::WIDTH;
            f(BOUNDARY, entry.boundary.part_name(part), &[(Array::Boundaries, own)]);
        }
    }
}

/// Numbers an object by what it is called; objects of one kind and name follow each other.
#[derive(Default)]
struct Counter(BTreeMap<(&'static str, String), u32>);

impl Counter {
    fn key(&mut self, kind: &'static str, name: String) -> Key {
        let next = self.0.entry((kind, name.clone())).or_insert(0);
        *next += 1;
        (kind, name, *next - 1)
    }
}

type Key = (&'static str, String, u32);

/// The memory of contacts, by the names of the two proxies.
struct KeptContacts {
    settings: ContactSettings,
    names: Vec<Key>,
    memory: ContactMemory,
}

fn proxy_names(contact: &ContactModel) -> Vec<Key> {
    let mut counter = Counter::default();
    let mut names = Vec::with_capacity(contact.proxies.len());
    for (k, (source, first)) in contact.sources.iter().enumerate() {
        let end = contact.sources.get(k + 1).map_or(contact.proxies.len(), |next| next.1);
        names.extend((0..end - first).map(|proxy| counter.key("proxy", source.proxy_name(proxy))));
    }
    names
}

/// A state without a model: numbers by object, blocks by owner, contacts by pair of proxies.
pub struct KeptState {
    /// Time [s].
    pub time: f64,
    /// Number of steps.
    pub step: u64,
    numbers: BTreeMap<Key, Vec<f64>>,
    contacts: Option<KeptContacts>,
    /// Blocks of sub-systems.
    pub blocks: Blocks,
}

impl KeptState {
    /// Splits a state of `model`.
    pub fn take(model: &Model, mut state: State) -> Self {
        let (mut numbers, mut counter) = (BTreeMap::new(), Counter::default());
        for_each_object(model, &mut |kind, name, spans| {
            let mut own = Vec::new();
            for (array, range) in spans {
                own.extend_from_slice(&array.of(&mut state)[range.clone()]);
            }
            if !own.is_empty() {
                numbers.insert(counter.key(kind, name), own);
            }
        });
        let contacts = model.contact.as_ref().map(|contact| KeptContacts {
            settings: *contact.settings(),
            names: proxy_names(contact),
            memory: std::mem::take(&mut state.contacts),
        });
        Self { time: state.time, step: state.step, numbers, contacts, blocks: state.blocks }
    }

    /// Numbers of an object: of coordinates first the positions, then the velocities.
    pub fn numbers(&self, kind: &'static str, name: &str) -> Option<&[f64]> {
        self.numbers.get(&(kind, name.to_owned(), 0)).map(Vec::as_slice)
    }

    /// Resets an object to its description.
    pub fn forget(&mut self, kind: &'static str, name: &str) {
        self.numbers.remove(&(kind, name.to_owned(), 0));
    }

    /// Restores to the objects of a new model what they had; others start from their descriptions. `state` is a new
    /// state of the model of `system`; blocks remain here until the model is known to be valid.
    pub fn restore(&self, system: &mut System, state: &mut State) {
        let model = system.model().clone();
        state.time = self.time;
        let give = |state: &mut State, wanted: &dyn Fn(&str) -> bool| {
            let mut counter = Counter::default();
            for_each_object(&model, &mut |kind, name, spans| {
                let count: usize = spans.iter().map(|(_, range)| range.len()).sum();
                if count == 0 {
                    return;
                }
                let key = counter.key(kind, name);
                let Some(own) = self.numbers.get(&key).filter(|own| wanted(kind) && own.len() == count)
                else {
                    return;
                };
                let mut rest = own.as_slice();
                for (array, range) in spans {
                    let (head, tail) = rest.split_at(range.len());
                    array.of(state)[range.clone()].copy_from_slice(head);
                    rest = tail;
                }
            });
        };
        give(state, &|kind| kind != HISTORY);
        state.rest_fixed(&model);
        // New objects remember what a start remembers; the others go on.
        system.load(state);
        system.update(&state.history);
        let mut history = std::mem::take(&mut state.history);
        system.initialize_history(&mut history);
        state.history = history;
        give(state, &|kind| kind == HISTORY);
        state.history_ready = self.step > 0;
        if let (Some(kept), Some(contact)) = (&self.contacts, &model.contact)
            && kept.settings == *contact.settings()
        {
            state.contacts = kept.renumbered(&proxy_names(contact));
        }
    }
}

impl KeptContacts {
    /// The memory with the numbers that proxies have now; that of proxies which are gone is lost.
    fn renumbered(&self, names: &[Key]) -> ContactMemory {
        if self.names == names {
            return self.memory.clone();
        }
        let places: BTreeMap<&Key, u32> = names.iter().zip(0..).collect();
        let new = |old: u32| places.get(self.names.get(old as usize)?).copied();
        let mut kept: Vec<([u32; 3], usize)> = Vec::new();
        for (k, [a, b, feature]) in self.memory.keys.iter().enumerate() {
            // Forces are those on the second of the two: a pair that changed its order starts again.
            if let (Some(a), Some(b)) = (new(*a), new(*b))
                && a < b
            {
                kept.push(([a, b, *feature], k));
            }
        }
        kept.sort_unstable();
        ContactMemory {
            keys: kept.iter().map(|k| k.0).collect(),
            values: kept.iter().flat_map(|k| self.memory.values_of(k.1)).copied().collect(),
            width: self.memory.width,
        }
    }
}
