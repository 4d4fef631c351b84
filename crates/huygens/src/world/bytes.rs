//! Numbers as bytes, for chunks of a checkpoint.

use glam::{DQuat, DVec3};
use huygens_core::CoreError;
use huygens_geometry::Pose;

use super::{Result, World, WorldError};

/// Name of the chunk of bodies and structures that carry walls.
pub(super) const RIDERS: &str = "riders";

/// Little-endian numbers.
#[derive(Default)]
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }

    pub fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.0.extend(x.to_le_bytes()));
    }

    fn motion(&mut self, pose: &Pose, velocity: DVec3, angular_velocity: DVec3) {
        self.numbers(&pose.position.to_array());
        self.numbers(&pose.rotation.to_array());
        self.numbers(&velocity.to_array());
        self.numbers(&angular_velocity.to_array());
    }
}

/// What is left of the bytes, and of what they are the state.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    of: &'static str,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], of: &'static str) -> Self {
        Self { rest: bytes, of }
    }

    pub fn mismatch(&self, what: &str) -> WorldError {
        mismatch(self.of, what)
    }

    fn number(&mut self) -> Result<[u8; 8]> {
        let cut = self.mismatch("they are cut off");
        let (head, rest) = self.rest.split_first_chunk::<8>().ok_or(cut)?;
        self.rest = rest;
        Ok(*head)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = u64::from_le_bytes(self.number()?);
        let split = usize::try_from(count).ok().and_then(|n| self.rest.split_at_checked(n));
        let (head, rest) = split.ok_or_else(|| self.mismatch("they are cut off"))?;
        self.rest = rest;
        Ok(head)
    }

    pub fn numbers<const N: usize>(&mut self) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        for x in &mut numbers {
            *x = f64::from_le_bytes(self.number()?);
        }
        Ok(numbers)
    }

    pub fn vector(&mut self) -> Result<DVec3> {
        self.numbers().map(DVec3::from_array)
    }

    fn motion(&mut self) -> Result<(Pose, DVec3, DVec3)> {
        let position = self.vector()?;
        let pose = Pose { position, rotation: DQuat::from_array(self.numbers()?) };
        Ok((pose, self.vector()?, self.vector()?))
    }

    /// Refuses what is left.
    pub fn end(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.mismatch("there are more")) }
    }
}

/// A state that is not of this world.
pub(super) fn mismatch(of: &str, what: &str) -> WorldError {
    CoreError::StateMismatch { reason: format!("its {of} do not fit: {what}") }.into()
}

/// The chunk of a part of the world that is there; none where there is no such part.
pub(super) fn chunk_of<'a>(
    of: &'static str,
    there: bool,
    bytes: Option<&'a [u8]>,
) -> Result<Option<Reader<'a>>> {
    match (there, bytes) {
        (false, _) => Ok(None),
        (true, None) => Err(mismatch(of, "there are none")),
        (true, Some(bytes)) => Ok(Some(Reader::new(bytes, of))),
    }
}

impl World {
    /// Grains, fluids and what carries their walls, as named byte strings.
    pub(super) fn save_particles(&self) -> Vec<(&'static str, Vec<u8>)> {
        let grains = self.save_grains().map(|bytes| (super::grains::CHUNK, bytes));
        let fluids = self.save_fluids().map(|bytes| (super::fluids::CHUNK, bytes));
        let riders = (grains.is_some() || fluids.is_some()).then(|| (RIDERS, self.save_riders()));
        [grains, fluids, riders].into_iter().flatten().collect()
    }

    /// Continues with saved grains and fluids; the model is built.
    pub(super) fn restore_particles<'a>(&mut self, find: &impl Fn(&str) -> Option<&'a [u8]>) -> Result<()> {
        self.restore_grains(find(super::grains::CHUNK))?;
        self.restore_fluids(find(super::fluids::CHUNK))?;
        let there = !self.grains.is_empty() || !self.fluids.is_empty();
        match chunk_of("carriers of walls", there, find(RIDERS))? {
            Some(input) => self.restore_riders(input),
            None => Ok(()),
        }
    }

    fn save_riders(&self) -> Vec<u8> {
        let mut out = Writer::default();
        for rider in self.riders.iter().flatten() {
            out.motion(&rider.pose, rider.velocity, rider.angular_velocity);
        }
        for piece in self.piece_riders.iter().flat_map(|r| &r.pieces) {
            out.motion(&piece.pose, piece.velocity, piece.angular_velocity);
        }
        out.0
    }

    fn restore_riders(&mut self, mut input: Reader<'_>) -> Result<()> {
        for rider in self.riders.iter_mut().flatten() {
            (rider.pose, rider.velocity, rider.angular_velocity) = input.motion()?;
        }
        for piece in self.piece_riders.iter_mut().flat_map(|r| &mut r.pieces) {
            (piece.pose, piece.velocity, piece.angular_velocity) = input.motion()?;
        }
        input.end()
    }
}
