//! Slopes and second derivatives of piecewise cubic interpolants, shared by tables and curves.

/// End condition of a cubic spline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Zero second derivative at both ends.
    Natural,
    /// Value, slope and curvature of the last knot continue at the first.
    Periodic,
}

/// Polynomial `c0 + c1 u + c2 u² + c3 u³` of one interval, `u` measured from its left knot.
pub(super) type Segment = [f64; 4];

/// Value and the first three derivatives of a segment at `u`.
pub(super) fn segment_value(c: &Segment, u: f64) -> [f64; 4] {
    [
        c[0] + u * (c[1] + u * (c[2] + u * c[3])),
        c[1] + u * (2.0 * c[2] + u * 3.0 * c[3]),
        2.0 * c[2] + 6.0 * u * c[3],
        6.0 * c[3],
    ]
}

/// Index of the interval that holds `x`; the last interval owns its right end.
pub(super) fn interval_of(knots: &[f64], x: f64) -> usize {
    knots.partition_point(|&k| k <= x).saturating_sub(1).min(knots.len() - 2)
}

/// Straight lines between the knots.
pub(super) fn linear_segments(x: &[f64], y: &[f64]) -> Vec<Segment> {
    (0..x.len() - 1).map(|i| [y[i], (y[i + 1] - y[i]) / (x[i + 1] - x[i]), 0.0, 0.0]).collect()
}

/// Twice continuously differentiable cubic spline through `(x, y)`.
///
/// With `h_i = x_{i+1} − x_i` and `M = y''` at the knots,
/// `h_{i−1} M_{i−1} + 2 (h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 (Δy_i/h_i − Δy_{i−1}/h_{i−1})`.
pub(super) fn cubic_segments(x: &[f64], y: &[f64], ends: Ends) -> Vec<Segment> {
    let second = match ends {
        Ends::Natural => second_natural(x, y),
        Ends::Periodic => second_periodic(x, y),
    };
    (0..x.len() - 1)
        .map(|i| {
            let h = x[i + 1] - x[i];
            let slope = (y[i + 1] - y[i]) / h - h * (2.0 * second[i] + second[i + 1]) / 6.0;
            [y[i], slope, second[i] / 2.0, (second[i + 1] - second[i]) / (6.0 * h)]
        })
        .collect()
}

fn second_natural(x: &[f64], y: &[f64]) -> Vec<f64> {
    let last = x.len() - 1;
    let mut second = vec![0.0; last + 1];
    if last < 2 {
        return second;
    }
    let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    let diagonal: Vec<f64> = (1..last).map(|i| 2.0 * (h[i - 1] + h[i])).collect();
    let mut inner: Vec<f64> =
        (1..last).map(|i| 6.0 * ((y[i + 1] - y[i]) / h[i] - (y[i] - y[i - 1]) / h[i - 1])).collect();
    solve_symmetric_tridiagonal(&diagonal, &h[1..last - 1], &mut inner);
    second[1..last].copy_from_slice(&inner);
    second
}

/// The cyclic system is a tridiagonal one plus a rank-one corner term (Sherman–Morrison).
fn second_periodic(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len() - 1;
    let mut second = vec![0.0; n + 1];
    if n < 2 {
        return second;
    }
    let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
    let slope = |i: usize| (y[i + 1] - y[i]) / h[i];
    let before = |i: usize| if i == 0 { n - 1 } else { i - 1 };
    let corner = h[n - 1];
    let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (h[before(i)] + h[i])).collect();
    let gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= corner * corner / gamma;
    let mut solution: Vec<f64> = (0..n).map(|i| 6.0 * (slope(i) - slope(before(i)))).collect();
    let mut correction = vec![0.0; n];
    correction[0] = gamma;
    correction[n - 1] = corner;
    solve_symmetric_tridiagonal(&diagonal, &h[..n - 1], &mut solution);
    solve_symmetric_tridiagonal(&diagonal, &h[..n - 1], &mut correction);
    let along = |v: &[f64]| v[0] + corner / gamma * v[n - 1];
    let factor = along(&solution) / (1.0 + along(&correction));
    for i in 0..n {
        second[i] = solution[i] - factor * correction[i];
    }
    second[n] = second[0];
    second
}

/// Solves in place; the matrix is diagonally dominant, so no pivoting is needed.
fn solve_symmetric_tridiagonal(diagonal: &[f64], off: &[f64], rhs: &mut [f64]) {
    let n = rhs.len();
    let mut pivot = diagonal.to_vec();
    for i in 1..n {
        let factor = off[i - 1] / pivot[i - 1];
        pivot[i] -= factor * off[i - 1];
        rhs[i] -= factor * rhs[i - 1];
    }
    rhs[n - 1] /= pivot[n - 1];
    for i in (0..n - 1).rev() {
        rhs[i] = (rhs[i] - off[i] * rhs[i + 1]) / pivot[i];
    }
}

/// Akima's local interpolant (`akima1970`): once continuously differentiable, no overshoot far from a kink.
///
/// The slope at knot `i` is `(|m_{i+1} − m_i| m_{i−1} + |m_{i−1} − m_{i−2}| m_i) / (sum of the weights)`
/// with the chord slopes `m`; natural ends continue the chord slopes linearly, periodic ones wrap.
pub(super) fn akima_segments(x: &[f64], y: &[f64], ends: Ends) -> Vec<Segment> {
    let n = x.len() - 1;
    let chord: Vec<f64> = (0..n).map(|i| (y[i + 1] - y[i]) / (x[i + 1] - x[i])).collect();
    let padded = padded_chords(&chord, ends);
    let weights: Vec<[f64; 2]> =
        (0..=n).map(|i| [(padded[i + 3] - padded[i + 2]).abs(), (padded[i + 1] - padded[i]).abs()]).collect();
    let largest = weights.iter().map(|w| w[0] + w[1]).fold(0.0, f64::max);
    let slope: Vec<f64> = (0..=n)
        .map(|i| {
            let [left, right] = weights[i];
            // On a straight stretch both weights vanish up to rounding: their ratio would be noise.
            if left + right <= 1e-9 * largest {
                0.5 * (padded[i + 1] + padded[i + 2])
            } else {
                (left * padded[i + 1] + right * padded[i + 2]) / (left + right)
            }
        })
        .collect();
    (0..n)
        .map(|i| {
            let h = x[i + 1] - x[i];
            let c2 = (3.0 * chord[i] - 2.0 * slope[i] - slope[i + 1]) / h;
            let c3 = (slope[i] + slope[i + 1] - 2.0 * chord[i]) / (h * h);
            [y[i], slope[i], c2, c3]
        })
        .collect()
}

/// Chord slopes with two more on each side.
fn padded_chords(chord: &[f64], ends: Ends) -> Vec<f64> {
    let n = chord.len();
    let at = |i: isize| match ends {
        Ends::Periodic => chord[i.rem_euclid(n as isize) as usize],
        Ends::Natural if n == 1 => chord[0],
        Ends::Natural if i < 0 => chord[0] + i as f64 * (chord[1] - chord[0]),
        Ends::Natural if i >= n as isize => {
            chord[n - 1] + (i - n as isize + 1) as f64 * (chord[n - 1] - chord[n - 2])
        }
        Ends::Natural => chord[i as usize],
    };
    (-2..n as isize + 2).map(at).collect()
}
