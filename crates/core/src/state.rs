//! The whole state of a simulation.

use crate::contact::ContactMemory;
use crate::error::{CoreError, Result};
use crate::model::Model;

/// The point at which a reused Newton matrix was made; the factors are rebuilt from it on load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReusedMatrix {
    /// Step size [s]; zero when there is no matrix to reuse.
    pub step_size: f64,
    /// Time [s].
    pub time: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Position increments of the step.
    pub x: Vec<f64>,
    /// Accelerations.
    pub acceleration: Vec<f64>,
    /// First-order states.
    pub z: Vec<f64>,
    /// Multipliers.
    pub lambda: Vec<f64>,
    /// History.
    pub history: Vec<f64>,
}

impl ReusedMatrix {
    /// A number that tells matrices apart.
    pub(crate) fn fingerprint(&self) -> u64 {
        let values = [self.step_size, self.time].into_iter().chain(self.q.iter().copied());
        values.fold(0xcbf2_9ce4_8422_2325, |h: u64, v| {
            (h.rotate_left(5) ^ v.to_bits()).wrapping_mul(0x100_0000_01b3)
        })
    }
}

/// The **whole** state: equality, hashing, checkpoint and restart use it and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time [s].
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// Positions of all coordinate batches.
    pub q: Vec<f64>,
    /// Velocities of all coordinate batches.
    pub v: Vec<f64>,
    /// Accelerations $\dot v$ of the equations of motion.
    pub acceleration: Vec<f64>,
    /// Accelerations of the step before, for prediction.
    pub acceleration_previous: Vec<f64>,
    /// Accelerations two steps before, for prediction.
    pub acceleration_older: Vec<f64>,
    /// Auxiliary accelerations of the generalized-α family.
    pub algorithmic: Vec<f64>,
    /// Multipliers of bilateral rows.
    pub lambda: Vec<f64>,
    /// Multipliers of the step before, for prediction.
    pub lambda_previous: Vec<f64>,
    /// Multipliers two steps before, for prediction.
    pub lambda_older: Vec<f64>,
    /// Multipliers of one-sided rows.
    pub lambda_unilateral: Vec<f64>,
    /// First-order states.
    pub z: Vec<f64>,
    /// Their rates.
    pub z_rate: Vec<f64>,
    /// History of all batches.
    pub history: Vec<f64>,
    /// What contacts remember.
    pub contacts: ContactMemory,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Size of the last step [s] (zero before the first one).
    pub last_step_size: f64,
    /// Steps of that size in a row.
    pub equal_steps: u64,
    /// Time at which that row of steps began [s].
    pub series_start: f64,
    /// Size the step control wants next [s] (zero when there is none).
    pub next_step_size: f64,
    /// Whether accelerations are consistent with the model; if not, the next step computes them.
    pub accelerations_ready: bool,
    /// Whether the direct solver has gone over to its safe elimination order.
    pub safe_elimination: bool,
    /// Whether assembly found redundant constraints; steps then use a small compliance that makes their
    /// multipliers unique.
    pub redundant: bool,
    /// The point a reused Newton matrix was made at.
    pub reused: ReusedMatrix,
}

impl State {
    /// Stops the columns that the model holds.
    pub(crate) fn rest_fixed(&mut self, model: &Model) {
        model.fixed.iter().for_each(|&c| self.v[c as usize] = 0.0);
    }

    /// The starting state of a model.
    pub fn new(model: &Model) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        let mut state = Self {
            time: 0.0,
            step: 0,
            q: zeros(model.q_count),
            v: zeros(model.v_count),
            acceleration: zeros(model.v_count),
            acceleration_previous: zeros(model.v_count),
            acceleration_older: zeros(model.v_count),
            algorithmic: zeros(model.v_count),
            lambda: zeros(model.row_count),
            lambda_previous: zeros(model.row_count),
            lambda_older: zeros(model.row_count),
            lambda_unilateral: zeros(model.unilateral_row_count),
            z: zeros(model.z_count),
            z_rate: zeros(model.z_count),
            history: zeros(model.history_count),
            contacts: ContactMemory::default(),
            seed: 0,
            last_step_size: 0.0,
            equal_steps: 0,
            series_start: 0.0,
            next_step_size: 0.0,
            accelerations_ready: false,
            safe_elimination: false,
            redundant: false,
            reused: ReusedMatrix::default(),
        };
        for e in &model.coordinates {
            e.batch.initialize(&mut state.q[e.q_range()], &mut state.v[e.v_range()]);
        }
        state.rest_fixed(model);
        model.signals.initialize_states(&mut state.z[..model.signals.state_count()]);
        for (block, start) in &model.states {
            block.initialize(&mut state.z[*start..*start + block.len()]);
        }
        state
    }

    /// Time after one more step of size `h`: counted from the first of a series of equal steps, so that rounding
    /// does not add up.
    pub(crate) fn time_after(&self, h: f64) -> f64 {
        if self.last_step_size == h {
            self.series_start + (self.equal_steps + 1) as f64 * h
        } else {
            self.time + h
        }
    }

    /// Notes a finished step of size `h`.
    pub(crate) fn note_step(&mut self, h: f64) {
        let time = self.time_after(h);
        if self.last_step_size == h {
            self.equal_steps += 1;
        } else {
            self.equal_steps = 1;
            self.series_start = self.time;
        }
        self.time = time;
        self.last_step_size = h;
        self.step += 1;
    }

    /// Stores new accelerations and multipliers and keeps the two before, for prediction.
    pub(crate) fn shift_accelerations(&mut self) {
        std::mem::swap(&mut self.acceleration_older, &mut self.acceleration_previous);
        std::mem::swap(&mut self.acceleration_previous, &mut self.acceleration);
        std::mem::swap(&mut self.lambda_older, &mut self.lambda_previous);
        std::mem::swap(&mut self.lambda_previous, &mut self.lambda);
    }

    /// Becomes equal to `other`, in the memory it has.
    pub(crate) fn copy_from(&mut self, other: &State) {
        for ((_, to), (_, from)) in self.arrays_mut().into_iter().zip(other.arrays()) {
            to.clone_from(from);
        }
        self.reused.history.clone_from(&other.reused.history);
        self.contacts.clone_from(&other.contacts);
        (self.reused.step_size, self.reused.time) = (other.reused.step_size, other.reused.time);
        (self.time, self.step, self.seed) = (other.time, other.step, other.seed);
        (self.last_step_size, self.next_step_size) = (other.last_step_size, other.next_step_size);
        (self.equal_steps, self.series_start) = (other.equal_steps, other.series_start);
        self.accelerations_ready = other.accelerations_ready;
        self.safe_elimination = other.safe_elimination;
        self.redundant = other.redundant;
    }

    /// Forgets accelerations and reused matrices: call it after changing `q`, `v`, `z` or the model's parameters.
    pub fn disturb(&mut self) {
        self.accelerations_ready = false;
        self.reused.step_size = 0.0;
    }

    /// The first number that is not finite, in words.
    pub fn check_finite(&self, model: &Model) -> Result<()> {
        let bad = |x: &[f64]| x.iter().position(|v| !v.is_finite());
        let what = if let Some(i) = bad(&self.q) {
            let e = model.coordinates.iter().find(|e| e.q_range().contains(&i));
            let name = e.map_or_else(
                || format!("q[{i}]").into(),
                |e| e.batch.item_name((i - e.q) / e.shape.q_per_item),
            );
            name.map(|name| format!("the position of {name}"))
        } else if let Some(i) = bad(&self.v) {
            model.column_name(i).map(|name| format!("the velocity of {name}"))
        } else if let Some(i) = bad(&self.lambda) {
            model.row_name(i).map(|name| format!("the reaction of {name}"))
        } else if let Some(i) = bad(&self.z) {
            format!("the first-order state {i}").into()
        } else {
            return Ok(());
        };
        Err(CoreError::NonFinite { what, time: self.time, step: self.step })
    }

    fn arrays(&self) -> [(&'static str, &Vec<f64>); 19] {
        [
            ("q", &self.q),
            ("v", &self.v),
            ("acceleration", &self.acceleration),
            ("acceleration_previous", &self.acceleration_previous),
            ("acceleration_older", &self.acceleration_older),
            ("algorithmic", &self.algorithmic),
            ("lambda", &self.lambda),
            ("lambda_previous", &self.lambda_previous),
            ("lambda_older", &self.lambda_older),
            ("lambda_unilateral", &self.lambda_unilateral),
            ("z", &self.z),
            ("z_rate", &self.z_rate),
            ("history", &self.history),
            ("reused.q", &self.reused.q),
            ("reused.v", &self.reused.v),
            ("reused.x", &self.reused.x),
            ("reused.acceleration", &self.reused.acceleration),
            ("reused.z", &self.reused.z),
            ("reused.lambda", &self.reused.lambda),
        ]
    }

    fn arrays_mut(&mut self) -> [(&'static str, &mut Vec<f64>); 20] {
        [
            ("q", &mut self.q),
            ("v", &mut self.v),
            ("acceleration", &mut self.acceleration),
            ("acceleration_previous", &mut self.acceleration_previous),
            ("acceleration_older", &mut self.acceleration_older),
            ("algorithmic", &mut self.algorithmic),
            ("lambda", &mut self.lambda),
            ("lambda_previous", &mut self.lambda_previous),
            ("lambda_older", &mut self.lambda_older),
            ("lambda_unilateral", &mut self.lambda_unilateral),
            ("z", &mut self.z),
            ("z_rate", &mut self.z_rate),
            ("history", &mut self.history),
            ("reused.q", &mut self.reused.q),
            ("reused.v", &mut self.reused.v),
            ("reused.x", &mut self.reused.x),
            ("reused.acceleration", &mut self.reused.acceleration),
            ("reused.z", &mut self.reused.z),
            ("reused.lambda", &mut self.reused.lambda),
            ("reused.history", &mut self.reused.history),
        ]
    }

    /// The state as named byte strings, in a fixed order.
    pub fn to_chunks(&self) -> Vec<(&'static str, Vec<u8>)> {
        let bytes = |x: &[f64]| x.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let mut head = Vec::new();
        head.extend(self.time.to_le_bytes());
        head.extend(self.step.to_le_bytes());
        head.extend(self.seed.to_le_bytes());
        head.extend(self.last_step_size.to_le_bytes());
        head.extend(self.next_step_size.to_le_bytes());
        let flags = [self.accelerations_ready, self.safe_elimination, self.redundant];
        let flags = flags.iter().enumerate().map(|(bit, set)| u64::from(*set) << bit).sum::<u64>();
        head.extend(flags.to_le_bytes());
        head.extend(self.reused.step_size.to_le_bytes());
        head.extend(self.reused.time.to_le_bytes());
        head.extend(self.equal_steps.to_le_bytes());
        head.extend(self.series_start.to_le_bytes());
        let mut chunks = vec![("head", head)];
        chunks.extend(self.arrays().iter().map(|(name, x)| (*name, bytes(x))));
        chunks.push(("reused.history", bytes(&self.reused.history)));
        chunks.push(("contacts", self.contacts.to_bytes()));
        chunks
    }

    /// Restores a state of `model` from [`State::to_chunks`].
    pub fn from_chunks<'a>(model: &Model, find: impl Fn(&str) -> Option<&'a [u8]>) -> Result<Self> {
        let mismatch = |reason: String| CoreError::StateMismatch { reason };
        let words = |name: &str| -> Result<Vec<[u8; 8]>> {
            let bytes = find(name).ok_or_else(|| mismatch(format!("'{name}' is missing")))?;
            if bytes.len() % 8 != 0 {
                return Err(mismatch(format!("'{name}' has {} bytes, not a multiple of 8", bytes.len())));
            }
            Ok(bytes.chunks_exact(8).map(|c| c.try_into().expect("eight bytes")).collect())
        };
        let head = words("head")?;
        if head.len() != 10 {
            return Err(mismatch(format!("'head' has {} words, not 10", head.len())));
        }
        let mut state = State::new(model);
        state.time = f64::from_le_bytes(head[0]);
        state.step = u64::from_le_bytes(head[1]);
        state.seed = u64::from_le_bytes(head[2]);
        state.last_step_size = f64::from_le_bytes(head[3]);
        state.next_step_size = f64::from_le_bytes(head[4]);
        state.accelerations_ready = head[5][0] & 1 != 0;
        state.safe_elimination = head[5][0] & 2 != 0;
        state.redundant = head[5][0] & 4 != 0;
        state.reused.step_size = f64::from_le_bytes(head[6]);
        state.reused.time = f64::from_le_bytes(head[7]);
        state.equal_steps = u64::from_le_bytes(head[8]);
        state.series_start = f64::from_le_bytes(head[9]);
        for (name, array) in state.arrays_mut() {
            let values: Vec<f64> = words(name)?.into_iter().map(f64::from_le_bytes).collect();
            let free = name.starts_with("reused.");
            if values.len() != array.len() && !free {
                return Err(mismatch(format!(
                    "'{name}' has {} numbers, the model {}",
                    values.len(),
                    array.len()
                )));
            }
            *array = values;
        }
        let contacts = find("contacts").ok_or_else(|| mismatch("'contacts' is missing".into()))?;
        state.contacts = ContactMemory::from_bytes(contacts).map_err(mismatch)?;
        let lengths = [
            (state.reused.q.len(), state.q.len()),
            (state.reused.v.len(), state.v.len()),
            (state.reused.x.len(), state.v.len()),
            (state.reused.acceleration.len(), state.v.len()),
            (state.reused.z.len(), state.z.len()),
            (state.reused.lambda.len(), state.lambda.len()),
            (state.reused.history.len(), state.history.len()),
        ];
        if state.reused.step_size != 0.0 && lengths.iter().any(|(a, b)| a != b) {
            return Err(mismatch("the reused Newton matrix belongs to another model".into()));
        }
        Ok(state)
    }
}
