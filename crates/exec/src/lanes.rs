//! Four or eight numbers at once, on the best instruction set of the machine.
//!
//! A loop is written once, as a [`Kernel`] over [`Lanes`]; [`InstructionSet::run`] compiles it for plain code and
//! for AVX2 with fused multiply-add and for AVX-512 (twice the registers), and picks one at run time. A loop that gains
//! from wider registers is a [`WideKernel`] over [`Wide`] lanes: eight on AVX-512, four elsewhere. Bits may differ
//! between instruction sets, never between thread counts.

#![allow(unsafe_code, reason = "instructions of one processor family, called where they were found to exist")]

#[cfg(target_arch = "x86_64")]
mod eight;
mod wide;

use huygens_kernel::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

pub use wide::{Wide, WideKernel};

/// Number of lanes: one AVX2 vector register holds four `f64`.
pub const LANES: usize = 4;

/// Four numbers.
pub trait Lanes: Scalar {
    /// Four numbers from memory.
    fn load(x: &[f64; LANES]) -> Self;
    /// Four numbers to memory.
    fn store(self, out: &mut [f64; LANES]);
    /// (y, z, x, w) of (x, y, z, w).
    fn cycled(self) -> Self;
    /// Bit i is set where number i of self is greater than that of other.
    fn greater_bits(self, other: Self) -> u32;
    /// Component c of the result holds number c of each row.
    fn transpose_in(rows: [&[f64; LANES]; LANES]) -> [Self; LANES];
    /// Four by four numbers, rows for columns.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];

    /// Three times four numbers from memory.
    #[inline(always)]
    fn load3(x: &[[f64; LANES]; 3]) -> [Self; 3] {
        [Self::load(&x[0]), Self::load(&x[1]), Self::load(&x[2])]
    }

    /// The four as an array.
    #[inline(always)]
    fn to_array(self) -> [f64; LANES] {
        let mut x = [0.0; LANES];
        self.store(&mut x);
        x
    }

    /// Sum of the four, in order.
    #[inline(always)]
    fn total(self) -> f64 {
        let x = self.to_array();
        (x[0] + x[1]) + (x[2] + x[3])
    }
}

/// A loop over lanes.
pub trait Kernel {
    /// The result.
    type Output;
    /// The loop; must be `#[inline(always)]`, so that it is compiled for the instruction set of its caller.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// The instruction set of a machine; created only by [`InstructionSet::detect`] and [`InstructionSet::available`], so
/// that no code runs on a machine that does not support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// The baseline of the target.
    Plain,
    /// AVX2 with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512: registers of four numbers, of eight for wide kernels.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl InstructionSet {
    /// The best instruction set of this machine.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq");
            return Self(if wide { Set::Avx512 } else { Set::Avx2 });
        }
        Self(Set::Plain)
    }

    /// All instruction sets of this machine, from the baseline to the best, for comparison.
    pub fn available() -> Vec<Self> {
        let best = Self::detect();
        let mut sets = vec![Self(Set::Plain)];
        #[cfg(target_arch = "x86_64")]
        match best.0 {
            Set::Plain => {}
            Set::Avx2 => sets.push(best),
            // Whatever has AVX-512 here was found to have AVX2 first.
            Set::Avx512 => sets.extend([Self(Set::Avx2), best]),
        }
        #[cfg(not(target_arch = "x86_64"))]
        debug_assert_eq!(best.0, Set::Plain);
        sets
    }

    /// Its name: `plain`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
        }
    }

    /// Runs a loop on the widest lanes of the machine.
    #[inline(always)]
    pub fn run_wide<K: WideKernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Set::Plain => kernel.run::<LANES, Plain>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this variant is only made after the features were detected.
            Set::Avx2 => unsafe { run_wide_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: likewise.
            Set::Avx512 => unsafe { run_wide_avx512(kernel) },
        }
    }

    /// Runs a loop.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Set::Plain => kernel.run::<Plain>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this variant is only made after the features were detected, and only here.
            Set::Avx2 => unsafe { run_avx2(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: likewise.
            Set::Avx512 => unsafe { run_avx512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_wide_avx2<K: WideKernel>(kernel: K) -> K::Output {
    kernel.run::<LANES, avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512vl,avx512dq")]
fn run_wide_avx512<K: WideKernel>(kernel: K) -> K::Output {
    kernel.run::<{ eight::WIDTH }, eight::Eight>()
}

/// Portable lanes.
#[derive(Clone, Copy)]
pub struct Plain([f64; LANES]);

macro_rules! plain_operator {
    ($trait:ident, $name:ident, $operator:tt) => {
        impl $trait for Plain {
            type Output = Self;
            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Self([a[0] $operator b[0], a[1] $operator b[1], a[2] $operator b[2], a[3] $operator b[3]])
            }
        }
    };
}
plain_operator!(Add, add, +);
plain_operator!(Sub, sub, -);
plain_operator!(Mul, mul, *);
plain_operator!(Div, div, /);

impl Neg for Plain {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let x = self.0;
        Self([-x[0], -x[1], -x[2], -x[3]])
    }
}

impl Scalar for Plain {
    #[inline(always)]
    fn of(x: f64) -> Self {
        Self([x; LANES])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let x = self.0;
        Self([x[0].sqrt(), x[1].sqrt(), x[2].sqrt(), x[3].sqrt()])
    }
    #[inline(always)]
    fn powf(self, exponent: f64) -> Self {
        Self(self.0.map(|x| x.powf(exponent)))
    }
    #[inline(always)]
    fn where_greater(self, other: Self, yes: Self, no: Self) -> Self {
        let mut out = no.0;
        for i in 0..LANES {
            if self.0[i] > other.0[i] {
                out[i] = yes.0[i];
            }
        }
        Self(out)
    }
    #[inline(always)]
    fn any_positive(self) -> bool {
        self.0.iter().any(|x| *x > 0.0)
    }
    // Sums stay as they are: without the instruction, a fused operation is a slow library call.
}

impl Lanes for Plain {
    #[inline(always)]
    fn load(x: &[f64; LANES]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self, out: &mut [f64; LANES]) {
        *out = self.0;
    }
    #[inline(always)]
    fn cycled(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([y, z, x, w])
    }
    #[inline(always)]
    fn greater_bits(self, other: Self) -> u32 {
        let mut bits = 0;
        for i in 0..LANES {
            bits |= u32::from(self.0[i] > other.0[i]) << i;
        }
        bits
    }
    #[inline(always)]
    fn transpose_in(rows: [&[f64; LANES]; LANES]) -> [Self; LANES] {
        let [a, b, c, d] = rows;
        [
            Self([a[0], b[0], c[0], d[0]]),
            Self([a[1], b[1], c[1], d[1]]),
            Self([a[2], b[2], c[2], d[2]]),
            Self([a[3], b[3], c[3], d[3]]),
        ]
    }
    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        Self::transpose_in([&rows[0].0, &rows[1].0, &rows[2].0, &rows[3].0])
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! Every method here is inlined into [`run_avx2`](super::run_avx2) or [`run_avx512`](super::run_avx512) and
    //! only reached through them, which is why the calls of instructions are sound.

    use super::{Add, Div, LANES, Lanes, Mul, Neg, Scalar, Sub};
    use std::arch::x86_64::*;

    /// Lanes of one AVX register.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(pub(super) __m256d);

    macro_rules! avx_operator {
        ($trait:ident, $name:ident, $instruction:ident) => {
            impl $trait for Avx2 {
                type Output = Self;
                #[inline(always)]
                fn $name(self, other: Self) -> Self {
                    // SAFETY: see the module.
                    Self(unsafe { $instruction(self.0, other.0) })
                }
            }
        };
    }
    avx_operator!(Add, add, _mm256_add_pd);
    avx_operator!(Sub, sub, _mm256_sub_pd);
    avx_operator!(Mul, mul, _mm256_mul_pd);
    avx_operator!(Div, div, _mm256_div_pd);

    /// Four registers as a matrix, rows for columns.
    ///
    /// # Safety
    /// The machine must have AVX.
    #[inline(always)]
    unsafe fn transposed(r: [__m256d; 4]) -> [__m256d; 4] {
        // SAFETY: as the caller promises.
        unsafe {
            let low = [_mm256_unpacklo_pd(r[0], r[1]), _mm256_unpacklo_pd(r[2], r[3])];
            let high = [_mm256_unpackhi_pd(r[0], r[1]), _mm256_unpackhi_pd(r[2], r[3])];
            [
                _mm256_permute2f128_pd::<0x20>(low[0], low[1]),
                _mm256_permute2f128_pd::<0x20>(high[0], high[1]),
                _mm256_permute2f128_pd::<0x31>(low[0], low[1]),
                _mm256_permute2f128_pd::<0x31>(high[0], high[1]),
            ]
        }
    }

    impl Neg for Avx2 {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: see the module; likewise below.
            Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
        }
    }

    impl Scalar for Avx2 {
        #[inline(always)]
        fn of(x: f64) -> Self {
            Self(unsafe { _mm256_set1_pd(x) })
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(unsafe { _mm256_sqrt_pd(self.0) })
        }
        #[inline(always)]
        fn powf(self, exponent: f64) -> Self {
            Self::load(&self.to_array().map(|x| x.powf(exponent)))
        }
        #[inline(always)]
        fn where_greater(self, other: Self, yes: Self, no: Self) -> Self {
            unsafe {
                let mask = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0);
                Self(_mm256_blendv_pd(no.0, yes.0, mask))
            }
        }
        #[inline(always)]
        fn any_positive(self) -> bool {
            unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, _mm256_setzero_pd())) != 0 }
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            Self(unsafe { _mm256_fmadd_pd(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            Self(unsafe { _mm256_fnmadd_pd(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn larger(self, other: Self) -> Self {
            Self(unsafe { _mm256_max_pd(self.0, other.0) })
        }
        #[inline(always)]
        fn smaller(self, other: Self) -> Self {
            Self(unsafe { _mm256_min_pd(self.0, other.0) })
        }
    }

    impl Lanes for Avx2 {
        #[inline(always)]
        fn load(x: &[f64; LANES]) -> Self {
            Self(unsafe { _mm256_loadu_pd(x.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, out: &mut [f64; LANES]) {
            unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn cycled(self) -> Self {
            Self(unsafe { _mm256_permute4x64_pd::<0b11_00_10_01>(self.0) })
        }
        #[inline(always)]
        fn greater_bits(self, other: Self) -> u32 {
            unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0)) as u32 }
        }
        #[inline(always)]
        fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
            let [a, b, c, d] = rows;
            unsafe {
                let [a, b, c, d] = transposed([a.0, b.0, c.0, d.0]);
                [Self(a), Self(b), Self(c), Self(d)]
            }
        }
        #[inline(always)]
        fn transpose_in(rows: [&[f64; LANES]; LANES]) -> [Self; LANES] {
            let [a, b, c, d] = rows;
            unsafe {
                let [a, b, c, d] = transposed([
                    _mm256_loadu_pd(a.as_ptr()),
                    _mm256_loadu_pd(b.as_ptr()),
                    _mm256_loadu_pd(c.as_ptr()),
                    _mm256_loadu_pd(d.as_ptr()),
                ]);
                [Self(a), Self(b), Self(c), Self(d)]
            }
        }
    }
}

/// Asks for a cache line before it is needed; nothing is read, so any address will do.
#[inline(always)]
pub fn prefetch<T>(what: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has the instruction, and it never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(what.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
