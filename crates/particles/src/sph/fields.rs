//! The fields of fluid particles and wall markers, one array a field.

use huygens_exec::{Exec, Extent, Field};

use super::list::Key;
use crate::error::ParticleError;
use crate::in_place::clone_in_place;
use crate::row::{Row, room_in};

/// Particles a piece of loops over fields.
const PIECE: usize = 4096;

/// Marks the tag of a wall marker; the other bits are its number.
const MARKER: u32 = 1 << 31;

/// Marks a wall without friction.
const SLIP: u32 = 1 << 30;

/// Marks a fluid particle that continues as it was when it left.
const COASTS: u32 = 1 << 29;

/// The bits of a number.
const NUMBER: u32 = COASTS - 1;

/// Whether a fluid particle continues as it was when it left.
#[inline(always)]
pub(crate) fn coasts(tag: u32) -> bool {
    tag & COASTS != 0
}

/// The tag of a particle that has left.
pub(crate) fn leaving(tag: u32) -> u32 {
    tag | COASTS
}

/// Whether a tag is that of a wall marker.
#[inline(always)]
pub(crate) fn is_marker(tag: u32) -> bool {
    tag & MARKER != 0
}

/// Whether the tag is that of a marker of a wall without friction.
#[inline(always)]
pub(crate) fn slips(tag: u32) -> bool {
    tag & SLIP != 0
}

/// Number of a marker.
#[inline(always)]
pub(crate) fn number(tag: u32) -> usize {
    (tag & NUMBER) as usize
}

/// Id of what is no fluid particle.
pub(crate) const NO_ID: u64 = u64::MAX;

/// Tag of a marker.
pub(crate) fn marker_tag(number: usize, slip: bool) -> u32 {
    number as u32 | MARKER | if slip { SLIP } else { 0 }
}

/// Particles in the order of the loops.
///
/// Chunks work on halos of their own, which are made with the list and hold images across a periodic box: they are
/// no items of the fields.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FluidFields {
    /// Position [m] and 1/density [m³/kg].
    pub place: Field<Row>,
    /// Velocity [m/s] and pressure over the square of the density.
    pub motion: Field<Row>,
    /// Acceleration [m/s²] and rate of the density [kg/(m³·s)]; of markers the acceleration of the wall.
    pub rate: Field<Row>,
    /// Fluid or marker, and the number of a marker.
    pub tag: Field<u32>,
    /// Name of a fluid particle that stays the same, [`NO_ID`] of a marker.
    pub id: Field<u64>,
    /// Velocity by which particles are moved besides their own [m/s]; empty where there is none.
    pub drift: Field<Row>,
}

clone_in_place!(FluidFields { place, motion, rate, tag, id, drift });

impl FluidFields {
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Particles that loops go over, and those they only read: a system alone owns all of them.
    pub fn extent(&self) -> Extent {
        Extent::whole(self.place.len())
    }

    pub fn push(&mut self, place: Row, motion: Row, tag: u32, id: u64) {
        self.place.push(place);
        self.motion.push(motion);
        self.rate.push(Row::ZERO);
        self.tag.push(tag);
        self.id.push(id);
        // Drifts are there for all particles or for none.
        if !self.drift.is_empty() {
            self.drift.push(Row::ZERO);
        }
    }

    /// Brings the fields into the order of the keys, whose numbers are the old indices; uses the room of `scratch`.
    pub fn reorder(&mut self, ex: &Exec, keys: &[Key], scratch: &mut [Row]) {
        let rows = [&mut self.place, &mut self.motion, &mut self.rate, &mut self.drift];
        // Room that grew by doubling is given back.
        rows.into_iter().for_each(Field::trim);
        self.tag.trim();
        self.id.trim();
        if ex.find_first(keys.len(), PIECE, |i| (i != keys[i].index as usize).then_some(())).is_none() {
            return;
        }
        let old = |i: usize| keys[i].index as usize;
        for field in [&mut self.place, &mut self.motion, &mut self.rate, &mut self.drift] {
            field.reorder(ex, old, scratch);
        }
        self.tag.reorder(ex, old, room_in(scratch));
        self.id.reorder(ex, old, room_in(scratch));
    }

    /// Keeps the particles for which `stays` is true.
    pub fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        let kept: Vec<usize> = (0..self.len()).filter(|i| stays(*i)).collect();
        let kept = || kept.iter().copied();
        for field in [&mut self.place, &mut self.motion, &mut self.rate, &mut self.drift] {
            if !field.is_empty() {
                field.select(kept());
            }
        }
        self.tag.select(kept());
        self.id.select(kept());
    }

    /// Number of a marker, id of a fluid particle.
    pub fn name(&self, i: usize) -> usize {
        let tag = self.tag.read()[i];
        match self.id.read().get(i) {
            Some(id) if !is_marker(tag) => *id as usize,
            _ => number(tag),
        }
    }

    /// Why a particle is in no cell.
    pub fn lost(&self, i: usize) -> ParticleError {
        let (tag, at) = (self.tag.read()[i], self.place.read()[i].vector());
        let what = if is_marker(tag) { "wall marker" } else { "fluid particle" };
        ParticleError::FluidLost { what, number: self.name(i), at: at.to_array() }
    }
}
