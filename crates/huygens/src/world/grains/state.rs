//! Grains as part of the whole state: one chunk of a checkpoint for all sets.

use crate::world::bytes::{Writer, chunk_of};
use crate::world::{Result, World};

/// Name of the chunk.
pub(in crate::world) const CHUNK: &str = "grains";

impl World {
    /// All grains as bytes; none where there are no sets.
    pub(in crate::world) fn save_grains(&self) -> Option<Vec<u8>> {
        if self.grains.is_empty() {
            return None;
        }
        let mut out = Writer::default();
        for set in &self.grains {
            out.bytes(set.spec.name.as_bytes());
            out.numbers(&[set.step]);
            out.bytes(&set.system.as_ref().map(|s| s.save()).unwrap_or_default());
            set.walls.iter().flat_map(|w| w.wrench).for_each(|v| out.numbers(&v.to_array()));
        }
        Some(out.0)
    }

    /// Continues with saved grains; the model is built.
    pub(in crate::world) fn restore_grains(&mut self, bytes: Option<&[u8]>) -> Result<()> {
        let Some(mut input) = chunk_of("grains", !self.grains.is_empty(), bytes)? else { return Ok(()) };
        for set in &mut self.grains {
            if input.bytes()? != set.spec.name.as_bytes() {
                return Err(input.mismatch(&format!("there are no '{}'", set.spec.name)));
            }
            [set.step] = input.numbers()?;
            let state = input.bytes()?;
            let restored = set.system.as_mut().map_or(Ok(()), |system| system.restore(state));
            restored.map_err(|e| input.mismatch(&format!("'{}': {e}", set.spec.name)))?;
            for wall in &mut set.walls {
                wall.wrench = [input.vector()?, input.vector()?];
            }
        }
        input.end()
    }
}
