//! Fluids as part of the whole state: one chunk of a checkpoint for all.

use super::flow::Flow;
use crate::world::bytes::{Writer, chunk_of};
use crate::world::{Result, World};

/// Name of the chunk.
pub(in crate::world) const CHUNK: &str = "fluids";

impl World {
    /// All fluids as bytes; none where there are none.
    pub(in crate::world) fn save_fluids(&self) -> Option<Vec<u8>> {
        if self.fluids.is_empty() {
            return None;
        }
        let mut out = Writer::default();
        for set in &self.fluids {
            out.bytes(set.spec.name.as_bytes());
            out.numbers(&[set.step]);
            // Markers of constraints are part of the state of the model.
            out.bytes(&set.system().map(|s| s.save()).unwrap_or_default());
            set.solids.iter().flat_map(|s| s.wrench).for_each(|v| out.numbers(&v.to_array()));
            set.gates.iter().for_each(|gate| out.numbers(gate));
            out.numbers(&set.warned.map(|w| f64::from(u8::from(w))));
        }
        Some(out.0)
    }

    /// Continues with saved fluids; the model is built.
    pub(in crate::world) fn restore_fluids(&mut self, bytes: Option<&[u8]>) -> Result<()> {
        let Some(mut input) = chunk_of("fluids", !self.fluids.is_empty(), bytes)? else { return Ok(()) };
        for set in &mut self.fluids {
            if input.bytes()? != set.spec.name.as_bytes() {
                return Err(input.mismatch(&format!("there is no '{}'", set.spec.name)));
            }
            [set.step] = input.numbers()?;
            let state = input.bytes()?;
            let restored = match &mut set.flow {
                Some(Flow::Particles(system)) => system.restore(state),
                _ => Ok(()),
            };
            restored.map_err(|e| input.mismatch(&format!("'{}': {e}", set.spec.name)))?;
            for solid in &mut set.solids {
                solid.wrench = [input.vector()?, input.vector()?];
            }
            for gate in &mut set.gates {
                *gate = input.numbers()?;
            }
            set.warned = input.numbers::<2>()?.map(|w| w != 0.0);
        }
        input.end()
    }
}
