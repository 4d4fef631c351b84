//! Grains as part of the whole state.

use super::by_id;
use crate::world::World;

impl World {
    /// Adds all grains to the hash of the state.
    pub(in crate::world) fn hash_grains(&self, hasher: &mut blake3::Hasher) {
        for set in &self.grains {
            hasher.update(set.spec.name.as_bytes());
            let Some(system) = &set.system else { continue };
            hasher.update(&(system.len() as u64).to_le_bytes());
            for i in by_id(system.ids()) {
                let i = i as usize;
                hasher.update(&system.ids()[i].to_le_bytes());
                for row in
                    [&system.places()[i], &system.motions()[i], &system.spins()[i], &system.forces()[i]]
                {
                    row.0.iter().for_each(|x| {
                        hasher.update(&x.to_le_bytes());
                    });
                }
            }
        }
    }
}
