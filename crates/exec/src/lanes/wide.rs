//! Lanes of more than one width.

use super::{LANES, Lanes};
use huygens_kernel::Scalar;

/// `N` numbers, four or more, that are loaded from and stored to rows of four.
///
/// Every [`Lanes`] type is one of four numbers. Loops over independent pairs give bit-identical results for each pair
/// at any width; where numbers of several lanes are summed, the order of the sum depends on the width.
pub trait Wide<const N: usize>: Scalar {
    /// One row of four numbers.
    type Row: Lanes;

    /// `N` numbers from memory.
    fn of_array(x: &[f64; N]) -> Self;
    /// `N` numbers to memory.
    fn put(self, out: &mut [f64; N]);
    /// Bit i is set where number i of self is greater than that of other.
    fn above(self, other: Self) -> u32;
    /// Component c of the result holds number c of each row.
    fn columns(rows: [&[f64; LANES]; N]) -> [Self; LANES];
    /// The inverse of [`columns`](Self::columns).
    fn rows(columns: [Self; LANES]) -> [Self::Row; N];
    /// Sum of all rows that [`rows`](Self::rows) would give, in a fixed order.
    fn row_total(columns: [Self; LANES]) -> Self::Row;
    /// Sum of all numbers, in a fixed order.
    fn sum(self) -> f64;
    /// The highest bit of each integer.
    fn highest_bits(x: &[u32; N]) -> u32;

    /// The integers whose bit is set in `bits`, consecutively; the remaining entries are unspecified.
    #[inline(always)]
    fn packed(x: &[u32; N], bits: u32) -> [u32; N] {
        let (mut out, mut count) = ([0; N], 0);
        for lane in 0..N {
            // Without a branch: which lanes are set cannot be foreseen. Never beyond the end, as count ≤ lane.
            out[count.min(lane)] = x[lane];
            count += (bits >> lane & 1) as usize;
        }
        out
    }

    /// `first`, `first` + 1, … where bits are set, `elsewhere` otherwise.
    #[inline(always)]
    fn counted(bits: u32, first: u32, elsewhere: u32) -> [u32; N] {
        let (mut out, mut next) = ([elsewhere; N], first);
        for lane in 0..N {
            let set = bits >> lane & 1;
            out[lane] = if set != 0 { next } else { elsewhere };
            next += set;
        }
        out
    }
}

impl<L: Lanes> Wide<LANES> for L {
    type Row = L;

    #[inline(always)]
    fn of_array(x: &[f64; LANES]) -> Self {
        L::load(x)
    }
    #[inline(always)]
    fn put(self, out: &mut [f64; LANES]) {
        self.store(out);
    }
    #[inline(always)]
    fn above(self, other: Self) -> u32 {
        self.greater_bits(other)
    }
    #[inline(always)]
    fn columns(rows: [&[f64; LANES]; LANES]) -> [Self; LANES] {
        L::transpose_in(rows)
    }
    #[inline(always)]
    fn rows(columns: [Self; LANES]) -> [L; LANES] {
        L::transpose(columns)
    }
    #[inline(always)]
    fn row_total(columns: [Self; LANES]) -> L {
        let rows = L::transpose(columns);
        (rows[0] + rows[1]) + (rows[2] + rows[3])
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self.total()
    }
    #[inline(always)]
    fn highest_bits(x: &[u32; LANES]) -> u32 {
        (x[0] >> 31) | (x[1] >> 31) << 1 | (x[2] >> 31) << 2 | (x[3] >> 31) << 3
    }
}

/// A loop over lanes of any width.
pub trait WideKernel {
    /// The result.
    type Output;
    /// The loop; must be `#[inline(always)]`, so that it is compiled for the instruction set of its caller.
    fn run<const N: usize, W: Wide<N>>(self) -> Self::Output;
}
