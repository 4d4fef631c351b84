//! Products and inverses of small dense row-major blocks.
//!
//! Each kernel exists with unrolled loops for the block sizes of mechanisms, and once for any size. `FUSED` chooses the
//! fused multiply-add, which is fast only where the caller enabled it.

/// a·b + c.
#[inline(always)]
fn mul_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Calls `$kernel::<FUSED, N>` with the unrolled size, or `$any` for other sizes.
macro_rules! by_size {
    ($n:expr, $kernel:ident ( $($arg:expr),* ), $any:expr) => {
        match $n {
            1 => $kernel::<FUSED, 1>($($arg),*),
            2 => $kernel::<FUSED, 2>($($arg),*),
            3 => $kernel::<FUSED, 3>($($arg),*),
            4 => $kernel::<FUSED, 4>($($arg),*),
            5 => $kernel::<FUSED, 5>($($arg),*),
            6 => $kernel::<FUSED, 6>($($arg),*),
            12 => $kernel::<FUSED, 12>($($arg),*),
            _ => $any,
        }
    };
}

/// Calls `$kernel::<FUSED, K, N>` with the unrolled sizes, or `$any` for other sizes.
macro_rules! by_sizes {
    ($k:expr, $n:expr, $kernel:ident ( $($arg:expr),* ), $any:expr) => {
        match $k {
            1 => by_sizes!(@1, $n, $kernel ( $($arg),* ), $any),
            2 => by_sizes!(@2, $n, $kernel ( $($arg),* ), $any),
            3 => by_sizes!(@3, $n, $kernel ( $($arg),* ), $any),
            4 => by_sizes!(@4, $n, $kernel ( $($arg),* ), $any),
            5 => by_sizes!(@5, $n, $kernel ( $($arg),* ), $any),
            6 => by_sizes!(@6, $n, $kernel ( $($arg),* ), $any),
            12 => by_sizes!(@12, $n, $kernel ( $($arg),* ), $any),
            _ => $any,
        }
    };
    (@$k:literal, $n:expr, $kernel:ident ( $($arg:expr),* ), $any:expr) => {
        match $n {
            1 => $kernel::<FUSED, $k, 1>($($arg),*),
            2 => $kernel::<FUSED, $k, 2>($($arg),*),
            3 => $kernel::<FUSED, $k, 3>($($arg),*),
            4 => $kernel::<FUSED, $k, 4>($($arg),*),
            5 => $kernel::<FUSED, $k, 5>($($arg),*),
            6 => $kernel::<FUSED, $k, 6>($($arg),*),
            12 => $kernel::<FUSED, $k, 12>($($arg),*),
            _ => $any,
        }
    };
}

/// A ← A − L·U with A of m × n, L of m × k, U of k × n.
#[inline(always)]
pub(super) fn subtract_product<const FUSED: bool>(k: usize, n: usize, l: &[f64], u: &[f64], a: &mut [f64]) {
    by_sizes!(k, n, subtract_product_sized(l, u, a), subtract_product_any::<FUSED>(k, n, l, u, a));
}

#[inline(always)]
fn subtract_product_sized<const FUSED: bool, const K: usize, const N: usize>(
    l: &[f64],
    u: &[f64],
    a: &mut [f64],
) {
    let (u, _) = u.as_chunks::<N>();
    let Some(u) = u.first_chunk::<K>() else { return };
    for (l, a) in l.as_chunks::<K>().0.iter().zip(a.as_chunks_mut::<N>().0) {
        let mut sum = *a;
        for k in 0..K {
            for j in 0..N {
                sum[j] = mul_add::<FUSED>(-l[k], u[k][j], sum[j]);
            }
        }
        *a = sum;
    }
}

fn subtract_product_any<const FUSED: bool>(k: usize, n: usize, l: &[f64], u: &[f64], a: &mut [f64]) {
    for (l, a) in l.chunks_exact(k).zip(a.chunks_exact_mut(n)) {
        for (l, u) in l.iter().zip(u.chunks_exact(n)) {
            for (a, u) in a.iter_mut().zip(u) {
                *a = mul_add::<FUSED>(-l, *u, *a);
            }
        }
    }
}

/// L ← L·D with D of k × k; `row` is scratch of at least k.
#[inline(always)]
pub(super) fn scale_right<const FUSED: bool>(k: usize, d: &[f64], l: &mut [f64], row: &mut [f64]) {
    by_size!(k, scale_right_sized(d, l), scale_right_any::<FUSED>(k, d, l, row));
}

#[inline(always)]
fn scale_right_sized<const FUSED: bool, const K: usize>(d: &[f64], l: &mut [f64]) {
    let (d, _) = d.as_chunks::<K>();
    let Some(d) = d.first_chunk::<K>() else { return };
    for l in l.as_chunks_mut::<K>().0 {
        let mut sum = [0.0; K];
        for k in 0..K {
            for j in 0..K {
                sum[j] = mul_add::<FUSED>(l[k], d[k][j], sum[j]);
            }
        }
        *l = sum;
    }
}

fn scale_right_any<const FUSED: bool>(k: usize, d: &[f64], l: &mut [f64], row: &mut [f64]) {
    for l in l.chunks_exact_mut(k) {
        let sum = &mut row[..k];
        sum.fill(0.0);
        for (l, d) in l.iter().zip(d.chunks_exact(k)) {
            for (sum, d) in sum.iter_mut().zip(d) {
                *sum = mul_add::<FUSED>(*l, *d, *sum);
            }
        }
        l.copy_from_slice(sum);
    }
}

/// y ← y − A·x with A of m × n.
#[inline(always)]
pub(super) fn subtract_apply<const FUSED: bool>(m: usize, n: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    by_sizes!(m, n, subtract_apply_sized(a, x, y), subtract_apply_any::<FUSED>(n, a, x, y));
}

#[inline(always)]
fn subtract_apply_sized<const FUSED: bool, const M: usize, const N: usize>(
    a: &[f64],
    x: &[f64],
    y: &mut [f64],
) {
    let (Some(a), Some(x), Some(y)) =
        (a.as_chunks::<N>().0.first_chunk::<M>(), x.first_chunk::<N>(), y.first_chunk_mut::<M>())
    else {
        return;
    };
    let mut sum = *y;
    for j in 0..N {
        for i in 0..M {
            sum[i] = mul_add::<FUSED>(-a[i][j], x[j], sum[i]);
        }
    }
    *y = sum;
}

fn subtract_apply_any<const FUSED: bool>(n: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    for (row, y) in a.chunks_exact(n).zip(y) {
        for (a, x) in row.iter().zip(x) {
            *y = mul_add::<FUSED>(-a, *x, *y);
        }
    }
}

/// x ← D·x with D of n × n; `scratch` holds at least n.
#[inline(always)]
pub(super) fn apply_in_place<const FUSED: bool>(n: usize, d: &[f64], x: &mut [f64], scratch: &mut [f64]) {
    by_size!(n, apply_sized(d, x), apply_any::<FUSED>(n, d, x, scratch));
}

#[inline(always)]
fn apply_sized<const FUSED: bool, const N: usize>(d: &[f64], x: &mut [f64]) {
    let (Some(d), Some(x)) = (d.as_chunks::<N>().0.first_chunk::<N>(), x.first_chunk_mut::<N>()) else {
        return;
    };
    let mut sum = [0.0; N];
    for j in 0..N {
        for i in 0..N {
            sum[i] = mul_add::<FUSED>(d[i][j], x[j], sum[i]);
        }
    }
    *x = sum;
}

fn apply_any<const FUSED: bool>(n: usize, d: &[f64], x: &mut [f64], scratch: &mut [f64]) {
    let result = &mut scratch[..n];
    for (row, out) in d.chunks_exact(n).zip(result.iter_mut()) {
        *out = row.iter().zip(&*x).fold(0.0, |s, (d, x)| mul_add::<FUSED>(*d, *x, s));
    }
    x[..n].copy_from_slice(result);
}

/// scale_r ← scale_r + Σ_k |C_rk B_kr| d_k with C of m × n and B of n × m.
#[inline(always)]
pub(super) fn add_scales<const FUSED: bool>(
    m: usize,
    n: usize,
    c: &[f64],
    b: &[f64],
    d: &[f64],
    scale: &mut [f64],
) {
    by_sizes!(m, n, add_scales_sized(c, b, d, scale), add_scales_any(m, n, c, b, d, scale));
}

#[inline(always)]
fn add_scales_sized<const FUSED: bool, const M: usize, const N: usize>(
    c: &[f64],
    b: &[f64],
    d: &[f64],
    scale: &mut [f64],
) {
    let (Some(c), Some(b)) =
        (c.as_chunks::<N>().0.first_chunk::<M>(), b.as_chunks::<M>().0.first_chunk::<N>())
    else {
        return;
    };
    let (Some(d), Some(scale)) = (d.first_chunk::<N>(), scale.first_chunk_mut::<M>()) else { return };
    for r in 0..M {
        let mut sum = scale[r];
        for k in 0..N {
            sum = mul_add::<FUSED>((c[r][k] * b[k][r]).abs(), d[k], sum);
        }
        scale[r] = sum;
    }
}

fn add_scales_any(m: usize, n: usize, c: &[f64], b: &[f64], d: &[f64], scale: &mut [f64]) {
    for r in 0..m {
        scale[r] += (0..n).map(|k| (c[r * n + k] * b[k * m + r]).abs() * d[k]).sum::<f64>();
    }
}

/// What to do about a pivot that is too small: the reciprocal to use, or `None` to give up.
pub(super) trait PivotJudge {
    /// Assesses `pivot` of the given row; `scale` is the nominal size of that row's pivot.
    fn judge(&mut self, row: usize, pivot: f64, scale: f64) -> Option<f64>;
}

/// A diagonal entry is kept as pivot while it is at least this fraction of the largest entry below it.
const DIAGONAL_PREFERENCE: f64 = 0.1;

/// A ← A⁻¹ by Gauss–Jordan elimination with row exchanges, for A of n × n. Pivots not above
/// `threshold · scale[row]` go to the judge; `false` when it gave up. `rows` is scratch of at least n.
#[inline(always)]
pub(super) fn invert<const FUSED: bool>(
    n: usize,
    a: &mut [f64],
    scale: &[f64],
    threshold: f64,
    rows: &mut [u32],
    judge: &mut impl PivotJudge,
) -> bool {
    by_size!(
        n,
        invert_sized(a, scale, threshold, judge),
        invert_any::<FUSED>(n, a, scale, threshold, rows, judge)
    )
}

#[inline(always)]
fn invert_sized<const FUSED: bool, const N: usize>(
    a: &mut [f64],
    scale: &[f64],
    threshold: f64,
    judge: &mut impl PivotJudge,
) -> bool {
    let (Some(target), Some(scale)) =
        (a.as_chunks_mut::<N>().0.first_chunk_mut::<N>(), scale.first_chunk::<N>())
    else {
        return false;
    };
    if N <= 6
        && let Some(inverse) = invert_by_diagonal::<FUSED, N>(target, scale, threshold)
    {
        *target = inverse;
        return true;
    }
    let mut a = *target;
    let mut chosen = [0; N];
    let mut exchanged = false;
    for k in 0..N {
        let mut largest = 0.0_f64;
        for i in k + 1..N {
            largest = largest.max(a[i][k].abs());
        }
        chosen[k] = k;
        let mut bound = scale[k];
        // Written so that a NaN takes the slow way too.
        if a[k][k].abs() < DIAGONAL_PREFERENCE * largest {
            let best = (k..N).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap_or(k);
            a.swap(k, best);
            chosen[k] = best;
            exchanged = true;
            bound = (scale[k] * scale[best]).sqrt();
        }
        let pivot = a[k][k];
        let mut reciprocal = 1.0 / pivot;
        if !(pivot.abs() > threshold * bound && pivot.abs() < f64::INFINITY) {
            match judge.judge(k, pivot, bound) {
                Some(value) => reciprocal = value,
                None => return false,
            }
        }
        a[k][k] = 1.0;
        for j in 0..N {
            a[k][j] *= reciprocal;
        }
        let pivot_row = a[k];
        for i in 0..N {
            if i != k {
                let factor = -a[i][k];
                a[i][k] = 0.0;
                for j in 0..N {
                    a[i][j] = mul_add::<FUSED>(factor, pivot_row[j], a[i][j]);
                }
            }
        }
    }
    if exchanged {
        for k in (0..N).rev() {
            for row in &mut a {
                row.swap(k, chosen[k]);
            }
        }
    }
    *target = a;
    true
}

/// The inverse with diagonal pivots, or `None` where one is too small for its scale or its column.
///
/// Nearly every block takes this path. Its steps are unrolled so that the block stays in registers: with the exchanges
/// in the same loop it would live on the stack, three times slower.
#[inline(always)]
fn invert_by_diagonal<const FUSED: bool, const N: usize>(
    a: &[[f64; N]; N],
    scale: &[f64; N],
    threshold: f64,
) -> Option<[[f64; N]; N]> {
    let mut a = *a;
    let mut healthy = true;
    macro_rules! steps {
        ($($k:literal)*) => {
            $(if $k < N {
                healthy &= eliminate_diagonal::<FUSED, N, $k>(&mut a, threshold * scale[$k]);
            })*
        };
    }
    steps!(0 1 2 3 4 5);
    healthy.then_some(a)
}

/// One step of Gauss–Jordan elimination; whether its pivot was above `bound` and large in its column.
#[inline(always)]
fn eliminate_diagonal<const FUSED: bool, const N: usize, const K: usize>(
    a: &mut [[f64; N]; N],
    bound: f64,
) -> bool {
    let pivot = a[K][K];
    let size = pivot.abs();
    let reciprocal = 1.0 / pivot;
    let mut healthy = size > bound && size < f64::INFINITY;
    let mut row = a[K];
    row[K] = 1.0;
    for j in 0..N {
        row[j] *= reciprocal;
    }
    for i in 0..N {
        if i == K {
            a[i] = row;
            continue;
        }
        let factor = a[i][K];
        if i > K {
            healthy &= DIAGONAL_PREFERENCE * factor.abs() <= size;
        }
        a[i][K] = 0.0;
        for j in 0..N {
            a[i][j] = mul_add::<FUSED>(-factor, row[j], a[i][j]);
        }
    }
    healthy
}

fn invert_any<const FUSED: bool>(
    n: usize,
    a: &mut [f64],
    scale: &[f64],
    threshold: f64,
    rows: &mut [u32],
    judge: &mut impl PivotJudge,
) -> bool {
    for k in 0..n {
        let size = |i: usize| a[i * n + k].abs();
        let largest = (k..n).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(k);
        let best = if size(k) < DIAGONAL_PREFERENCE * size(largest) { largest } else { k };
        rows[k] = best as u32;
        if best != k {
            let (upper, lower) = a.split_at_mut(best * n);
            upper[k * n..k * n + n].swap_with_slice(&mut lower[..n]);
        }
        let bound = (scale[k] * scale[best]).sqrt();
        let pivot = a[k * n + k];
        let mut reciprocal = 1.0 / pivot;
        if !(pivot.abs() > threshold * bound && pivot.abs() < f64::INFINITY) {
            match judge.judge(k, pivot, bound) {
                Some(value) => reciprocal = value,
                None => return false,
            }
        }
        a[k * n + k] = 1.0;
        a[k * n..k * n + n].iter_mut().for_each(|x| *x *= reciprocal);
        let (above, rest) = a.split_at_mut(k * n);
        let (pivot_row, below) = rest.split_at_mut(n);
        for row in above.chunks_exact_mut(n).chain(below.chunks_exact_mut(n)) {
            let factor = -row[k];
            row[k] = 0.0;
            for (x, p) in row.iter_mut().zip(&*pivot_row) {
                *x = mul_add::<FUSED>(factor, *p, *x);
            }
        }
    }
    for k in (0..n).rev().filter(|&k| rows[k] as usize != k) {
        a.chunks_exact_mut(n).for_each(|row| row.swap(k, rows[k] as usize));
    }
    true
}
