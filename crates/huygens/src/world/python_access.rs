//! What only the Python module needs of a world.

use huygens_core::State;

use super::World;

impl World {
    /// Goes on with a copy of the state and hands out the original, whose vectors others may look into.
    pub fn exchange_state(&mut self) -> Option<State> {
        self.motion.simulation.as_mut().map(|s| {
            let copy = s.state.clone();
            std::mem::replace(&mut s.state, copy)
        })
    }
}
