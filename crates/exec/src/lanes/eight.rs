//! Eight numbers in one AVX-512 register.
//!
//! Every method here is inlined into [`run_wide_avx512`](super::run_wide_avx512) and only reached through it, which is
//! why the calls of instructions are sound.

#![allow(unsafe_code, reason = "instructions of one processor family, called where they were found to exist")]

use super::avx2::Avx2;
use super::{Add, Div, LANES, Lanes, Mul, Neg, Scalar, Sub, Wide};
use std::arch::x86_64::*;

/// Numbers of a register.
pub(super) const WIDTH: usize = 8;

/// Lanes of one AVX-512 register.
#[derive(Clone, Copy)]
pub(super) struct Eight(__m512d);

macro_rules! operator {
    ($trait:ident, $name:ident, $instruction:ident) => {
        impl $trait for Eight {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see the module; likewise below.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}
operator!(Add, add, _mm512_add_pd);
operator!(Sub, sub, _mm512_sub_pd);
operator!(Mul, mul, _mm512_mul_pd);
operator!(Div, div, _mm512_div_pd);

impl Neg for Eight {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(unsafe { _mm512_xor_pd(self.0, _mm512_set1_pd(-0.0)) })
    }
}

impl Scalar for Eight {
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self(unsafe { _mm512_set1_pd(x) })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn powf(self, exponent: f64) -> Self {
        let mut x = [0.0; WIDTH];
        self.put(&mut x);
        Self::of_array(&x.map(|x| x.powf(exponent)))
    }
    #[inline(always)]
    fn where_greater(self, other: Self, yes: Self, no: Self) -> Self {
        unsafe {
            let mask = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0);
            Self(_mm512_mask_blend_pd(mask, no.0, yes.0))
        }
    }
    #[inline(always)]
    fn any_positive(self) -> bool {
        unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, _mm512_setzero_pd()) != 0 }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm512_fmadd_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(unsafe { _mm512_fnmadd_pd(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self(unsafe { _mm512_max_pd(self.0, other.0) })
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Self(unsafe { _mm512_min_pd(self.0, other.0) })
    }
}

/// Two rows in one register.
///
/// # Safety
/// The machine must have AVX-512.
#[inline(always)]
unsafe fn two(low: &[f64; LANES], high: &[f64; LANES]) -> __m512d {
    // SAFETY: as the caller promises.
    unsafe {
        let low = _mm512_castpd256_pd512(_mm256_loadu_pd(low.as_ptr()));
        _mm512_insertf64x4::<1>(low, _mm256_loadu_pd(high.as_ptr()))
    }
}

impl Wide<WIDTH> for Eight {
    type Row = Avx2;

    #[inline(always)]
    fn of_array(x: &[f64; WIDTH]) -> Self {
        Self(unsafe { _mm512_loadu_pd(x.as_ptr()) })
    }
    #[inline(always)]
    fn put(self, out: &mut [f64; WIDTH]) {
        unsafe { _mm512_storeu_pd(out.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn above(self, other: Self) -> u32 {
        u32::from(unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) })
    }
    #[inline(always)]
    fn columns(rows: [&[f64; LANES]; WIDTH]) -> [Self; LANES] {
        let [a, b, c, d, e, f, g, h] = rows;
        unsafe {
            // In this order the halves come out in that of the rows.
            let (ac, bd, eg, fh) = (two(a, c), two(b, d), two(e, g), two(f, h));
            let low = [_mm512_unpacklo_pd(ac, bd), _mm512_unpacklo_pd(eg, fh)];
            let high = [_mm512_unpackhi_pd(ac, bd), _mm512_unpackhi_pd(eg, fh)];
            [
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(low[0], low[1])),
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(high[0], high[1])),
                Self(_mm512_shuffle_f64x2::<0b11_01_11_01>(low[0], low[1])),
                Self(_mm512_shuffle_f64x2::<0b11_01_11_01>(high[0], high[1])),
            ]
        }
    }
    #[inline(always)]
    fn rows(columns: [Self; LANES]) -> [Avx2; WIDTH] {
        let [x, y, z, w] = columns;
        unsafe {
            let even = [_mm512_unpacklo_pd(x.0, y.0), _mm512_unpacklo_pd(z.0, w.0)];
            let odd = [_mm512_unpackhi_pd(x.0, y.0), _mm512_unpackhi_pd(z.0, w.0)];
            let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let ac = _mm512_permutex2var_pd(even[0], first, even[1]);
            let bd = _mm512_permutex2var_pd(odd[0], first, odd[1]);
            let eg = _mm512_permutex2var_pd(even[0], second, even[1]);
            let fh = _mm512_permutex2var_pd(odd[0], second, odd[1]);
            [
                Avx2(_mm512_castpd512_pd256(ac)),
                Avx2(_mm512_castpd512_pd256(bd)),
                Avx2(_mm512_extractf64x4_pd::<1>(ac)),
                Avx2(_mm512_extractf64x4_pd::<1>(bd)),
                Avx2(_mm512_castpd512_pd256(eg)),
                Avx2(_mm512_castpd512_pd256(fh)),
                Avx2(_mm512_extractf64x4_pd::<1>(eg)),
                Avx2(_mm512_extractf64x4_pd::<1>(fh)),
            ]
        }
    }
    #[inline(always)]
    fn row_total(columns: [Self; LANES]) -> Avx2 {
        let [x, y, z, w] = columns;
        let rows = Avx2::transpose([x.folded(), y.folded(), z.folded(), w.folded()]);
        (rows[0] + rows[1]) + (rows[2] + rows[3])
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self.folded().total()
    }
    #[inline(always)]
    fn highest_bits(x: &[u32; WIDTH]) -> u32 {
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(integers(x))) as u32 }
    }
    #[inline(always)]
    fn packed(x: &[u32; WIDTH], bits: u32) -> [u32; WIDTH] {
        let mut out = [0; WIDTH];
        // SAFETY: see the module; `out` has the eight integers that are written.
        unsafe {
            let packed = _mm256_maskz_compress_epi32(bits as u8, integers(x));
            _mm256_storeu_si256(out.as_mut_ptr().cast(), packed);
        }
        out
    }
    #[inline(always)]
    fn counted(bits: u32, first: u32, elsewhere: u32) -> [u32; WIDTH] {
        let mut out = [0; WIDTH];
        // SAFETY: as above.
        unsafe {
            let numbers =
                _mm256_add_epi32(_mm256_set1_epi32(first as i32), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            let counted = _mm256_mask_expand_epi32(_mm256_set1_epi32(elsewhere as i32), bits as u8, numbers);
            _mm256_storeu_si256(out.as_mut_ptr().cast(), counted);
        }
        out
    }
}

impl Eight {
    /// Each of the first four numbers and the one four places on, summed.
    #[inline(always)]
    fn folded(self) -> Avx2 {
        unsafe { Avx2(_mm512_castpd512_pd256(self.0)) + Avx2(_mm512_extractf64x4_pd::<1>(self.0)) }
    }
}

/// Eight integers from memory.
///
/// # Safety
/// The machine must have AVX.
#[inline(always)]
unsafe fn integers(x: &[u32; WIDTH]) -> __m256i {
    // SAFETY: as the caller promises; there are eight.
    unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
}
