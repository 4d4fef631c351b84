//! The place a world rests in while Python has the word.
//!
//! Whoever works with the world takes it out; a law or another thread that comes meanwhile is refused instead of
//! waiting for ever. While a callback runs, the world is back in its place, lent to it.

use std::sync::{Mutex, PoisonError};

use huygens::World;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

enum Slot {
    Resting(Box<World>),
    InUse,
}

/// The place of a world.
pub struct WorldCell {
    slot: Mutex<Slot>,
    lent: Mutex<bool>,
}

impl WorldCell {
    pub fn new(world: World) -> Self {
        Self { slot: Mutex::new(Slot::Resting(Box::new(world))), lent: Mutex::new(false) }
    }

    /// Takes the world out.
    pub fn take(&self) -> PyResult<Box<World>> {
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *slot, Slot::InUse) {
            Slot::Resting(world) => Ok(world),
            Slot::InUse => Err(PyRuntimeError::new_err(
                "the world is in use: it is running in another thread, or a law tries to use it (laws see their \
                 arguments only)",
            )),
        }
    }

    /// Takes the world out to move it through time, which a callback of a run must not do.
    pub fn take_to_move(&self) -> PyResult<Box<World>> {
        if *self.lent.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(PyRuntimeError::new_err(
                "the world is running: a callback may read and change it, not move it",
            ));
        }
        self.take()
    }

    /// Puts the world back.
    pub fn put(&self, world: Box<World>) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = Slot::Resting(world);
    }

    /// Puts the world back while `callback` runs, and takes it out again.
    pub fn lend<T>(&self, world: Box<World>, callback: impl FnOnce() -> T) -> PyResult<(Box<World>, T)> {
        let set_lent = |lent| *self.lent.lock().unwrap_or_else(PoisonError::into_inner) = lent;
        self.put(world);
        set_lent(true);
        let answer = callback();
        set_lent(false);
        Ok((self.take()?, answer))
    }

    /// Forgets the world, with every law it holds.
    pub fn clear(&self) {
        if let Ok(mut slot) = self.slot.try_lock() {
            *slot = Slot::Resting(Box::default());
        }
    }
}
