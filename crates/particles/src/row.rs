//! Rows of four numbers, from which every particle field is made, and their bytes in a saved state.

#![expect(unsafe_code, reason = "rows are seen as the plain numbers they consist of")]

use huygens_core::bytes::{Reader, Writer};
use huygens_kernel::Vec3;

use crate::error::{ParticleError, Result};

/// Four numbers that are loaded at once: a vector and a number that goes with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Row(pub [f64; 4]);

impl Row {
    /// All zero.
    pub const ZERO: Self = Self([0.0; 4]);

    /// A vector and a number.
    #[inline(always)]
    pub fn new(v: Vec3, w: f64) -> Self {
        Self([v.x, v.y, v.z, w])
    }

    /// The vector.
    #[inline(always)]
    pub fn vector(&self) -> Vec3 {
        Vec3::new(self.0[0], self.0[1], self.0[2])
    }
}

/// Numbers of which any bits are a value, and which are aligned no more than rows are.
///
/// # Safety
/// Both must hold.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: whole numbers have no bits that mean nothing.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for [u32; 2] {}

/// The memory of rows as room for other numbers, which have what bits are there.
pub(crate) fn room_in<T: Plain>(rows: &mut [Row]) -> &mut [T] {
    const { assert!(align_of::<T>() <= align_of::<Row>() && size_of::<Row>().is_multiple_of(size_of::<T>())) };
    let count = rows.len() * (size_of::<Row>() / size_of::<T>());
    // SAFETY: inside the memory of the rows, aligned, and any bits are a value, of rows as well.
    unsafe { std::slice::from_raw_parts_mut(rows.as_mut_ptr().cast(), count) }
}

/// Refuses a saved state that is not what it should be.
pub(crate) fn check(fine: bool, what: &'static str) -> Result<()> {
    if fine { Ok(()) } else { Err(ParticleError::State { what: what.into() }) }
}

/// Rows of four numbers among the bytes of a state.
pub(crate) trait WriteRows {
    fn rows(&mut self, rows: &[Row]);
}

impl WriteRows for Writer {
    fn rows(&mut self, rows: &[Row]) {
        self.number(rows.len() as u64);
        rows.iter().for_each(|row| self.floats(&row.0));
    }
}

/// Rows of four numbers among the bytes of a state.
pub(crate) trait ReadRows {
    fn rows(&mut self) -> Result<Vec<Row>>;
}

impl ReadRows for Reader<'_> {
    fn rows(&mut self) -> Result<Vec<Row>> {
        let number =
            |b: &[u8], k: usize| f64::from_le_bytes(b[8 * k..8 * k + 8].try_into().unwrap_or_default());
        Ok(self.list(32, |b| Row(std::array::from_fn(|k| number(b, k))))?)
    }
}
