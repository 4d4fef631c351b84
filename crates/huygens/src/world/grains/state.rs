//! Grains as part of the whole state: one chunk of a checkpoint for all sets and the bodies that carry walls.

use glam::{DQuat, DVec3};
use huygens_core::CoreError;
use huygens_geometry::Pose;

use crate::world::{Result, World, WorldError};

/// Name of the chunk.
pub(in crate::world) const CHUNK: &str = "grains";

/// Little-endian numbers.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.0.extend(x.to_le_bytes()));
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Result<[u8; 8]> {
        let (head, rest) = self.0.split_first_chunk::<8>().ok_or_else(|| mismatch("they are cut off"))?;
        self.0 = rest;
        Ok(*head)
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = u64::from_le_bytes(self.number()?);
        let split = usize::try_from(count).ok().and_then(|n| self.0.split_at_checked(n));
        let (head, rest) = split.ok_or_else(|| mismatch("they are cut off"))?;
        self.0 = rest;
        Ok(head)
    }

    fn numbers<const N: usize>(&mut self) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        for x in &mut numbers {
            *x = f64::from_le_bytes(self.number()?);
        }
        Ok(numbers)
    }

    fn vector(&mut self) -> Result<DVec3> {
        self.numbers().map(DVec3::from_array)
    }
}

fn mismatch(what: &str) -> WorldError {
    CoreError::StateMismatch { reason: format!("its grains do not fit: {what}") }.into()
}

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
        for rider in self.riders.iter().flatten() {
            out.numbers(&rider.pose.position.to_array());
            out.numbers(&rider.pose.rotation.to_array());
            out.numbers(&rider.velocity.to_array());
            out.numbers(&rider.angular_velocity.to_array());
        }
        for piece in self.piece_riders.iter().flat_map(|r| &r.pieces) {
            out.numbers(&piece.pose.position.to_array());
            out.numbers(&piece.pose.rotation.to_array());
            out.numbers(&piece.velocity.to_array());
            out.numbers(&piece.angular_velocity.to_array());
        }
        Some(out.0)
    }

    /// Continues with saved grains; the model is built.
    pub(in crate::world) fn restore_grains(&mut self, bytes: Option<&[u8]>) -> Result<()> {
        let Some(bytes) = bytes.filter(|_| !self.grains.is_empty()) else {
            return match self.grains.is_empty() {
                true => Ok(()),
                false => Err(mismatch("there are none")),
            };
        };
        let mut input = Reader(bytes);
        for set in &mut self.grains {
            if input.bytes()? != set.spec.name.as_bytes() {
                return Err(mismatch(&format!("there are no '{}'", set.spec.name)));
            }
            [set.step] = input.numbers()?;
            let state = input.bytes()?;
            let restored = set.system.as_mut().map_or(Ok(()), |system| system.restore(state));
            restored.map_err(|e| mismatch(&format!("'{}': {e}", set.spec.name)))?;
            for wall in &mut set.walls {
                wall.wrench = [input.vector()?, input.vector()?];
            }
        }
        for rider in self.riders.iter_mut().flatten() {
            let position = input.vector()?;
            rider.pose = Pose { position, rotation: DQuat::from_array(input.numbers()?) };
            (rider.velocity, rider.angular_velocity) = (input.vector()?, input.vector()?);
        }
        for piece in self.piece_riders.iter_mut().flat_map(|r| &mut r.pieces) {
            let position = input.vector()?;
            piece.pose = Pose { position, rotation: DQuat::from_array(input.numbers()?) };
            (piece.velocity, piece.angular_velocity) = (input.vector()?, input.vector()?);
        }
        if input.0.is_empty() { Ok(()) } else { Err(mismatch("there are more")) }
    }
}
