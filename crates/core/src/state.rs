//! The complete state of a simulation.

use crate::bytes::{Reader, Writer};
use crate::contact::ContactMemory;
use crate::coupling::Blocks;
use crate::error::{CoreError, Result};
use crate::model::Model;
use crate::parameter::ParameterChanges;

/// A number of the state in eight bytes.
trait Word: Copy {
    fn to_word(self) -> u64;
    fn of_word(word: u64) -> Self;
}

impl Word for f64 {
    fn to_word(self) -> u64 {
        self.to_bits()
    }
    fn of_word(word: u64) -> Self {
        f64::from_bits(word)
    }
}

impl Word for u64 {
    fn to_word(self) -> u64 {
        self
    }
    fn of_word(word: u64) -> Self {
        word
    }
}

impl Word for bool {
    fn to_word(self) -> u64 {
        u64::from(self)
    }
    fn of_word(word: u64) -> Self {
        word != 0
    }
}

/// Declares the state. Every field is listed here and nowhere else: making, copying, comparing, saving and restoring
/// follow from the list.
macro_rules! state {
    (
        numbers { $($(#[$number_doc:meta])* $number:ident: $kind:ty,)* }
        arrays { $($(#[$array_doc:meta])* $array:ident: $count:expr,)* }
        reused {
            numbers { $($(#[$old_number_doc:meta])* $old_number:ident,)* }
            arrays { $($(#[$old_doc:meta])* $old:ident = $of:ident,)* }
        }
    ) => {
        /// The point at which a reused Newton matrix was made; the factors are rebuilt from it on load.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct ReusedMatrix {
            $($(#[$old_number_doc])* pub $old_number: f64,)*
            $($(#[$old_doc])* pub $old: Vec<f64>,)*
        }

        /// The **complete** state: equality, hashing, checkpoint and restart use it and nothing else.
        #[derive(Clone, Debug, PartialEq)]
        pub struct State {
            $($(#[$number_doc])* pub $number: $kind,)*
            $($(#[$array_doc])* pub $array: Vec<f64>,)*
            /// The point at which a reused Newton matrix was evaluated.
            pub reused: ReusedMatrix,
            /// Memory of contacts.
            pub contacts: ContactMemory,
            /// Parameters that differ from those the model was built with.
            pub parameters: ParameterChanges,
            /// Blocks of sub-systems.
            pub blocks: Blocks,
        }

        impl State {
            /// All numbers zero, in arrays of the lengths that the model asks for.
            fn blank(model: &Model) -> Self {
                let count = |of: fn(&Model) -> usize| of(model);
                Self {
                    $($number: <$kind>::default(),)*
                    $($array: vec![0.0; count($count)],)*
                    reused: ReusedMatrix::default(),
                    contacts: ContactMemory::default(),
                    parameters: ParameterChanges::default(),
                    blocks: Blocks::default(),
                }
            }

            /// Becomes equal to `other`, a state of the same model, in all but the blocks. The vectors stay where they
            /// are: others may look into them.
            pub fn copy_numbers_from(&mut self, other: &State) {
                $(self.$number = other.$number;)*
                $(self.$array.clone_from(&other.$array);)*
                $(self.reused.$old_number = other.reused.$old_number;)*
                $(self.reused.$old.clone_from(&other.reused.$old);)*
                self.contacts.clone_from(&other.contacts);
                self.parameters.clone_from(&other.parameters);
            }

            fn head(&self) -> Vec<u64> {
                vec![$(self.$number.to_word(),)* $(self.reused.$old_number.to_word(),)*]
            }

            fn set_head(&mut self, words: &[u64]) -> bool {
                let mut words = words.iter().copied();
                $(match words.next() {
                    Some(word) => self.$number = Word::of_word(word),
                    None => return false,
                })*
                $(match words.next() {
                    Some(word) => self.reused.$old_number = Word::of_word(word),
                    None => return false,
                })*
                words.next().is_none()
            }

            /// Arrays whose lengths the model gives.
            fn arrays(&self) -> Vec<(&'static str, &Vec<f64>)> {
                vec![$((stringify!($array), &self.$array),)*]
            }

            fn arrays_mut(&mut self) -> Vec<(&'static str, &mut Vec<f64>)> {
                vec![$((stringify!($array), &mut self.$array),)*]
            }

            /// Arrays of the reused matrix: empty, or as long as those of the state.
            fn reused_arrays(&self) -> Vec<(&'static str, &Vec<f64>, usize)> {
                vec![$((concat!("reused.", stringify!($old)), &self.reused.$old, self.$of.len()),)*]
            }

            fn reused_arrays_mut(&mut self) -> Vec<(&'static str, &mut Vec<f64>)> {
                vec![$((concat!("reused.", stringify!($old)), &mut self.reused.$old),)*]
            }
        }
    };
}

state! {
    numbers {
        /// Time [s].
        time: f64,
        /// Number of steps.
        step: u64,
        /// Number of the current stage of a run.
        stage: u64,
        /// Seed of all random numbers.
        seed: u64,
        /// Size of the last step [s] (zero before the first one).
        last_step_size: f64,
        /// Number of consecutive steps of that size.
        equal_steps: u64,
        /// Time at which this series of steps began [s].
        series_start: f64,
        /// Size proposed by the step control for the next step [s] (zero without step control).
        next_step_size: f64,
        /// Whether accelerations are consistent with the model; if not, the next step computes them.
        accelerations_ready: bool,
        /// Whether the history belongs to a run; if not, initialization computes it from the positions.
        history_ready: bool,
        /// Whether the direct solver has switched to its safe elimination order.
        safe_elimination: bool,
        /// Whether assembly found redundant constraints; steps then use a small compliance that makes their
        /// multipliers unique.
        redundant: bool,
    }
    arrays {
        /// Positions of all coordinate batches.
        q: |m| m.q_count,
        /// Velocities of all coordinate batches.
        v: |m| m.v_count,
        /// Accelerations $\dot v$ of the equations of motion.
        acceleration: |m| m.v_count,
        /// Accelerations of the previous step, for prediction.
        acceleration_previous: |m| m.v_count,
        /// Accelerations two steps before, for prediction.
        acceleration_older: |m| m.v_count,
        /// Auxiliary accelerations of the generalized-α family.
        algorithmic: |m| m.v_count,
        /// The same for the forces of inertia that rotates with nodes; empty without such inertia.
        algorithmic_turning: |m| m.turning_columns(),
        /// Multipliers of bilateral rows.
        lambda: |m| m.row_count,
        /// Multipliers of the previous step, for prediction.
        lambda_previous: |m| m.row_count,
        /// Multipliers two steps before, for prediction.
        lambda_older: |m| m.row_count,
        /// Multipliers of unilateral rows.
        lambda_unilateral: |m| m.unilateral_row_count,
        /// First-order states.
        z: |m| m.z_count,
        /// Their rates.
        z_rate: |m| m.z_count,
        /// History of all batches.
        history: |m| m.history_count,
        /// Last placements of boundaries, and their velocities in the previous step.
        boundaries: |m| m.boundary_count,
    }
    reused {
        numbers {
            /// Step size [s]; zero when there is no matrix to reuse.
            step_size,
            /// Time [s].
            time,
        }
        arrays {
            /// Positions.
            q = q,
            /// Velocities.
            v = v,
            /// Position increments of the step.
            x = v,
            /// Accelerations.
            acceleration = v,
            /// First-order states.
            z = z,
            /// Multipliers.
            lambda = lambda,
            /// History.
            history = history,
        }
    }
}

impl ReusedMatrix {
    /// A number that distinguishes matrices.
    pub(crate) fn fingerprint(&self) -> u64 {
        let values = [self.step_size, self.time].into_iter().chain(self.q.iter().copied());
        values.fold(0xcbf2_9ce4_8422_2325, |h: u64, v| {
            (h.rotate_left(5) ^ v.to_bits()).wrapping_mul(0x100_0000_01b3)
        })
    }
}

impl State {
    /// Stops the columns that the model holds.
    pub(crate) fn rest_fixed(&mut self, model: &Model) {
        model.fixed.iter().for_each(|&c| self.v[c as usize] = 0.0);
    }

    /// The initial state of a model.
    pub fn new(model: &Model) -> Self {
        let mut state = Self::blank(model);
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

    /// Records a completed step of size `h`.
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
        self.history_ready = true;
    }

    /// Stores new accelerations and multipliers and keeps the previous two, for prediction.
    pub(crate) fn shift_accelerations(&mut self) {
        std::mem::swap(&mut self.acceleration_older, &mut self.acceleration_previous);
        std::mem::swap(&mut self.acceleration_previous, &mut self.acceleration);
        std::mem::swap(&mut self.lambda_older, &mut self.lambda_previous);
        std::mem::swap(&mut self.lambda_previous, &mut self.lambda);
    }

    /// Invalidates accelerations and reused matrices: call it after changing `q`, `v`, `z` or the model's parameters.
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

    /// A copy; fails if a sub-system cannot save its state.
    pub fn copy(&self) -> Result<Self> {
        self.blocks.check_kept("a copy of the state")?;
        Ok(self.clone())
    }

    /// The state as named byte strings, in a fixed order; fails if a sub-system cannot save its state.
    pub fn to_chunks(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        self.blocks.check_kept("a checkpoint")?;
        let chunk = |write: &dyn Fn(&mut Writer)| {
            let mut out = Writer::default();
            write(&mut out);
            out.into_bytes()
        };
        let words = self.head();
        let mut chunks = vec![("head", chunk(&|out| words.iter().for_each(|w| out.number(*w))))];
        let arrays = self.arrays().into_iter();
        let reused = self.reused_arrays().into_iter().map(|(name, x, _)| (name, x));
        chunks.extend(arrays.chain(reused).map(|(name, x)| (name, chunk(&|out| out.floats(x)))));
        chunks.push(("contacts", chunk(&|out| self.contacts.write(out))));
        chunks.push(("parameters", chunk(&|out| self.parameters.write(out))));
        chunks.push(("blocks", chunk(&|out| self.blocks.write(out))));
        Ok(chunks)
    }

    /// The state of the same model and sub-systems that [`State::to_chunks`] wrote; `self` is not changed.
    pub fn restored<'a>(&self, model: &Model, find: impl Fn(&str) -> Option<&'a [u8]>) -> Result<Self> {
        let mismatch = |reason: String| CoreError::StateMismatch { reason };
        let chunk = |name: &str| find(name).ok_or_else(|| mismatch(format!("'{name}' is missing")));
        let words = |name: &str| -> Result<Vec<u64>> {
            let (words, rest) = chunk(name)?.as_chunks::<8>();
            match rest {
                [] => Ok(words.iter().map(|w| u64::from_le_bytes(*w)).collect()),
                _ => Err(mismatch(format!("'{name}' is not a whole number of words"))),
            }
        };
        let floats =
            |name: &str| -> Result<Vec<f64>> { Ok(words(name)?.into_iter().map(f64::from_bits).collect()) };
        let mut state = Self::blank(model);
        let head = words("head")?;
        if !state.set_head(&head) {
            return Err(mismatch(format!("'head' has {} words, not {}", head.len(), state.head().len())));
        }
        for (name, array) in state.arrays_mut() {
            let values = floats(name)?;
            if values.len() != array.len() {
                let (found, own) = (values.len(), array.len());
                return Err(mismatch(format!("'{name}' has {found} numbers, the model {own}")));
            }
            *array = values;
        }
        for (name, array) in state.reused_arrays_mut() {
            *array = floats(name)?;
        }
        let reused = state.reused_arrays();
        if state.reused.step_size != 0.0 && reused.iter().any(|(_, x, count)| x.len() != *count) {
            return Err(mismatch("the reused Newton matrix belongs to another model".into()));
        }
        let mut input = Reader::new(chunk("contacts")?, "contacts");
        state.contacts = ContactMemory::read(&mut input)?;
        input.end()?;
        let mut input = Reader::new(chunk("parameters")?, "parameters");
        state.parameters = ParameterChanges::read(&mut input)?;
        input.end()?;
        self.blocks.check_kept("a restart")?;
        state.blocks = self.blocks.clone();
        let mut input = Reader::new(chunk("blocks")?, "sub-systems");
        state.blocks.read(&mut input)?;
        input.end()?;
        Ok(state)
    }
}
