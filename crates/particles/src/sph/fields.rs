//! The fields of fluid particles and wall markers, one array a field.

use huygens_exec::Exec;

use super::list::Key;
use crate::error::ParticleError;
use crate::in_place::clone_in_place;
use crate::row::Row;

/// Marks the tag of a wall marker; the other bits are its number.
const MARKER: u32 = 1 << 31;

/// Marks a wall without friction.
const SLIP: u32 = 1 << 30;

/// Marks a fluid particle that goes on as it was when it left.
const COASTS: u32 = 1 << 29;

/// The bits of a number.
const NUMBER: u32 = COASTS - 1;

/// Most numbers.
pub(crate) const NUMBERS: usize = NUMBER as usize;

/// Whether a fluid particle goes on as it was when it left.
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

/// Number of a marker, or of a fluid particle.
#[inline(always)]
pub(crate) fn number(tag: u32) -> usize {
    (tag & NUMBER) as usize
}

/// Tag of a marker.
pub(crate) fn marker_tag(number: usize, slip: bool) -> u32 {
    number as u32 | MARKER | if slip { SLIP } else { 0 }
}

/// Particles in the order of the loops.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct FluidFields {
    /// Position [m] and 1/density [m³/kg].
    pub place: Vec<Row>,
    /// Velocity [m/s] and pressure over the square of the density.
    pub motion: Vec<Row>,
    /// Acceleration [m/s²] and rate of the density [kg/(m³·s)]; of markers the acceleration of the wall.
    pub rate: Vec<Row>,
    /// Fluid or marker, and number.
    pub tag: Vec<u32>,
    /// Velocity by which particles are moved besides their own [m/s]; empty where there is none.
    pub drift: Vec<Row>,
}

clone_in_place!(FluidFields { place, motion, rate, tag, drift });

impl FluidFields {
    pub fn len(&self) -> usize {
        self.place.len()
    }

    pub fn push(&mut self, place: Row, motion: Row, tag: u32) {
        self.place.push(place);
        self.motion.push(motion);
        self.rate.push(Row::ZERO);
        self.tag.push(tag);
    }

    /// Brings the fields into the order of the keys, whose numbers are the old indices; uses the room of `scratch`.
    pub fn reorder(&mut self, ex: &Exec, keys: &[Key], scratch: &mut [Row]) {
        const PIECE: usize = 4096;
        // Room that grew by doubling is given back.
        for field in [&mut self.place, &mut self.motion, &mut self.rate, &mut self.drift] {
            trim(field);
        }
        trim(&mut self.tag);
        if keys.iter().enumerate().all(|(new, key)| new == key.index as usize) {
            return;
        }
        for field in [&mut self.place, &mut self.motion, &mut self.rate, &mut self.drift] {
            if field.is_empty() {
                continue;
            }
            let old = &*field;
            ex.for_each_chunk(scratch, PIECE, |c, new| {
                new.iter_mut().zip(&keys[c * PIECE..]).for_each(|(new, key)| *new = old[key.index as usize]);
            });
            field.copy_from_slice(scratch);
        }
        for (row, key) in scratch.iter_mut().zip(keys) {
            row.0[0] = f64::from(self.tag[key.index as usize]);
        }
        self.tag.iter_mut().zip(&*scratch).for_each(|(tag, row)| *tag = row.0[0] as u32);
    }

    /// Keeps the particles for which `stays` is true.
    pub fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        let kept: Vec<usize> = (0..self.len()).filter(|i| stays(*i)).collect();
        for field in [&mut self.place, &mut self.motion, &mut self.rate, &mut self.drift] {
            if !field.is_empty() {
                pick(field, &kept);
            }
        }
        pick(&mut self.tag, &kept);
    }

    /// Why a particle is in no cell.
    pub fn lost(&self, i: usize) -> ParticleError {
        let (tag, at) = (self.tag[i], self.place[i].vector());
        let what = if is_marker(tag) { "wall marker" } else { "fluid particle" };
        ParticleError::FluidLost { what, number: number(tag), at: at.to_array() }
    }
}

fn trim<T>(values: &mut Vec<T>) {
    if values.capacity() > values.len() + values.len() / 16 {
        values.shrink_to_fit();
    }
}

fn pick<T: Copy>(values: &mut Vec<T>, kept: &[usize]) {
    for (new, old) in kept.iter().enumerate() {
        values[new] = values[*old];
    }
    values.truncate(kept.len());
}
