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

/// What a callback may do with the world it is lent.
#[derive(Clone, Copy, PartialEq)]
pub enum Lent {
    /// There is no callback.
    No,
    /// Read only: the analysis under way does not allow for another model.
    ToRead,
    /// Read and change.
    ToChange,
}

/// The place of a world.
pub struct WorldCell {
    slot: Mutex<Slot>,
    lent: Mutex<Lent>,
}

impl WorldCell {
    pub fn new(world: World) -> Self {
        Self { slot: Mutex::new(Slot::Resting(Box::new(world))), lent: Mutex::new(Lent::No) }
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

    /// Takes the world out to change it.
    pub fn take_to_change(&self) -> PyResult<Box<World>> {
        if self.lent() == Lent::ToRead {
            return Err(PyRuntimeError::new_err(
                "the world is running: a callback of kinematics may read it, not change it",
            ));
        }
        self.take()
    }

    /// Takes the world out to move it through time, which a callback of a run must not do.
    pub fn take_to_move(&self) -> PyResult<Box<World>> {
        if self.lent() != Lent::No {
            return Err(PyRuntimeError::new_err(
                "the world is running: a callback may read and change it, not move it",
            ));
        }
        self.take()
    }

    fn lent(&self) -> Lent {
        *self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the world back.
    pub fn put(&self, world: Box<World>) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = Slot::Resting(world);
    }

    /// Puts the world back while `callback` runs, and takes it out again.
    pub fn lend<T>(
        &self,
        world: Box<World>,
        lent: Lent,
        callback: impl FnOnce() -> T,
    ) -> PyResult<(Box<World>, T)> {
        let set_lent = |lent| *self.lent.lock().unwrap_or_else(PoisonError::into_inner) = lent;
        self.put(world);
        set_lent(lent);
        let answer = callback();
        set_lent(Lent::No);
        Ok((self.take()?, answer))
    }

    /// Forgets the world, with every law it holds.
    pub fn clear(&self) {
        if let Ok(mut slot) = self.slot.try_lock() {
            *slot = Slot::Resting(Box::default());
        }
    }
}
