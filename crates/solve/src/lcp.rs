//! Small dense complementarity problems with box bounds.

use crate::SolveError;

/// Report on the solution of a complementarity problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpReport {
    /// Number of pivoting steps and relaxation sweeps.
    pub iterations: usize,
    /// Largest violation of the conditions, in the units of w.
    pub residual: f64,
    /// Whether the solution came from relaxation sweeps rather than from pivoting.
    pub relaxed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Free,
    Lower,
    Upper,
}

/// Solver of: find lo ≤ x ≤ hi and w = A x + b with w ≥ 0 where x = lo, w ≤ 0 where x = hi, w = 0 between.
///
/// Block principal pivoting (`judice1994`) on a symmetric positive semidefinite A, with the largest-index rule
/// (`murty1974`) when full exchanges make no progress, proximal steps where A is singular, and projected Gauss–Seidel
/// as the last resort. Bounds may be infinite. Work memory is kept.
#[derive(Clone, Debug)]
pub struct BoxLcp {
    /// Accepted violation, relative to the largest entry of b.
    pub tolerance: f64,
    /// Largest number of pivoting steps.
    pub max_pivots: usize,
    /// Largest number of relaxation sweeps after pivoting has failed.
    pub max_sweeps: usize,
    places: Vec<Place>,
    free: Vec<usize>,
    factor: Vec<f64>,
    rhs: Vec<f64>,
    w: Vec<f64>,
    shifted: Vec<f64>,
    moved: Vec<f64>,
}

impl Default for BoxLcp {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            max_pivots: 200,
            max_sweeps: 2000,
            places: Vec::new(),
            free: Vec::new(),
            factor: Vec::new(),
            rhs: Vec::new(),
            w: Vec::new(),
            shifted: Vec::new(),
            moved: Vec::new(),
        }
    }
}

/// Full exchanges that may fail to reduce the number of violations before single ones take over.
const PATIENCE: usize = 10;
/// A pivot below this fraction of its diagonal belongs to a dependent unknown.
const DEPENDENT: f64 = 1e-12;
/// Initial and smallest shift of the proximal steps, relative to the largest diagonal entry.
const PROXIMAL: f64 = 1e-6;
const PROXIMAL_LEAST: f64 = 1e-11;
/// Largest number of proximal steps.
const PROXIMAL_STEPS: usize = 30;

/// The problem as given.
#[derive(Clone, Copy)]
struct Problem<'a> {
    n: usize,
    a: &'a [f64],
    b: &'a [f64],
    lo: &'a [f64],
    hi: &'a [f64],
    tolerance: f64,
}

impl Problem<'_> {
    fn row(&self, i: usize) -> &[f64] {
        &self.a[i * self.n..(i + 1) * self.n]
    }

    fn force(&self, i: usize, x: &[f64]) -> f64 {
        crate::dense::dot(self.row(i), x) + self.b[i]
    }

    /// Largest violation: the distance x must be moved, weighted by the diagonal, or w where x cannot move.
    fn residual(&self, x: &[f64]) -> f64 {
        (0..self.n).fold(0.0, |worst: f64, i| {
            let w = self.force(i, x);
            let d = self.row(i)[i];
            let gap = |bound: f64| if d > 0.0 { d * (x[i] - bound).abs() } else { f64::INFINITY };
            let at = |bound: f64| x[i] == bound;
            let violation = if w > 0.0 {
                if at(self.lo[i]) { 0.0 } else { w.min(gap(self.lo[i])) }
            } else if at(self.hi[i]) {
                0.0
            } else {
                (-w).min(gap(self.hi[i]))
            };
            if violation.is_nan() || !x[i].is_finite() { f64::INFINITY } else { worst.max(violation) }
        })
    }
}

impl BoxLcp {
    /// Solves for `x`, starting from the bounds that are active in it; `a` is n × n, row-major.
    pub fn solve(
        &mut self,
        a: &[f64],
        b: &[f64],
        lo: &[f64],
        hi: &[f64],
        x: &mut [f64],
    ) -> Result<LcpReport, SolveError> {
        let n = b.len();
        check(a, b, lo, hi, x)?;
        let scale = b.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let problem = Problem { n, a, b, lo, hi, tolerance: self.tolerance * scale.max(f64::MIN_POSITIVE) };
        let pivots = self.pivot(&problem, x);
        let residual = problem.residual(x);
        if residual <= problem.tolerance {
            return Ok(LcpReport { iterations: pivots, residual, relaxed: false });
        }
        let pivots = pivots + self.approach(&problem, x);
        let residual = problem.residual(x);
        if residual <= problem.tolerance {
            return Ok(LcpReport { iterations: pivots, residual, relaxed: false });
        }
        let sweeps = self.relax(&problem, x);
        let residual = problem.residual(x);
        let iterations = pivots + sweeps;
        if residual <= problem.tolerance {
            Ok(LcpReport { iterations, residual, relaxed: true })
        } else {
            Err(SolveError::NotConverged { what: "complementarity problem", iterations, residual })
        }
    }

    fn pivot(&mut self, p: &Problem<'_>, x: &mut [f64]) -> usize {
        self.places.clear();
        self.places.extend((0..p.n).map(|i| match x[i] {
            v if v <= p.lo[i] => Place::Lower,
            v if v >= p.hi[i] => Place::Upper,
            _ => Place::Free,
        }));
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for step in 0..self.max_pivots {
            self.solve_free(p, x);
            let violations = (0..p.n).filter(|&i| self.better_place(p, x, i).is_some()).count();
            if violations == 0 {
                (0..p.n).for_each(|i| x[i] = x[i].max(p.lo[i]).min(p.hi[i]));
                return step + 1;
            }
            if violations < fewest {
                (fewest, patience) = (violations, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            for i in (0..p.n).rev() {
                if let Some(place) = self.better_place(p, x, i) {
                    self.places[i] = place;
                    if patience == 0 {
                        break;
                    }
                }
            }
        }
        (0..p.n).for_each(|i| x[i] = x[i].max(p.lo[i]).min(p.hi[i]));
        self.max_pivots
    }

    /// Proximal points: x ← solution with A + δI and b − δx. A singular A can mislead the exchanges, the shifted one
    /// cannot, and the remaining violation is δ times the last step.
    fn approach(&mut self, p: &Problem<'_>, x: &mut [f64]) -> usize {
        let n = p.n;
        let largest = (0..n).fold(f64::MIN_POSITIVE, |m, i| m.max(p.row(i)[i]));
        let mut shift = PROXIMAL * largest;
        let (mut a, mut b) = (std::mem::take(&mut self.shifted), std::mem::take(&mut self.moved));
        x.fill(0.0);
        let mut pivots = 0;
        for _ in 0..PROXIMAL_STEPS {
            (0..n).for_each(|i| x[i] = if x[i].is_finite() { x[i].max(p.lo[i]).min(p.hi[i]) } else { 0.0 });
            a.clear();
            a.extend_from_slice(p.a);
            (0..n).for_each(|i| a[i * n + i] += shift);
            b.clear();
            b.extend((0..n).map(|i| p.b[i] - shift * x[i]));
            pivots += self.pivot(&Problem { a: &a, b: &b, ..*p }, x);
            if p.residual(x) <= 0.1 * p.tolerance {
                break;
            }
            // Rows that are nearly dependent need large multipliers, which a large shift reaches slowly.
            shift = (0.3 * shift).max(PROXIMAL_LEAST * largest);
        }
        (self.shifted, self.moved) = (a, b);
        pivots
    }

    /// Where unknown i should go, if it violates its condition where it is.
    fn better_place(&self, p: &Problem<'_>, x: &[f64], i: usize) -> Option<Place> {
        let slack = 1e-3 * p.tolerance;
        match self.places[i] {
            Place::Free => {
                let reach = slack / p.row(i)[i].max(f64::MIN_POSITIVE);
                if x[i] < p.lo[i] - reach {
                    Some(Place::Lower)
                } else if x[i] > p.hi[i] + reach {
                    Some(Place::Upper)
                } else {
                    None
                }
            }
            // Equal bounds hold x whatever w is.
            _ if p.lo[i] == p.hi[i] => None,
            Place::Lower => (self.w[i] < -slack).then_some(Place::Free),
            Place::Upper => (self.w[i] > slack).then_some(Place::Free),
        }
    }

    /// x on its bounds, A_FF x_F = −b_F − A_FB x_B for the free ones (LDLᵀ, dependent unknowns at zero), and w.
    fn solve_free(&mut self, p: &Problem<'_>, x: &mut [f64]) {
        self.free.clear();
        for i in 0..p.n {
            match self.places[i] {
                Place::Free => {
                    self.free.push(i);
                    x[i] = 0.0;
                }
                Place::Lower => x[i] = p.lo[i],
                Place::Upper => x[i] = p.hi[i],
            }
        }
        let m = self.free.len();
        self.rhs.clear();
        self.rhs.extend(self.free.iter().map(|&i| -p.force(i, x)));
        self.factor.clear();
        for &i in &self.free {
            self.factor.extend(self.free.iter().map(|&j| p.row(i)[j]));
        }
        solve_semidefinite(m, &mut self.factor, &mut self.rhs);
        for (&i, &value) in self.free.iter().zip(&self.rhs) {
            x[i] = value;
        }
        self.w.clear();
        self.w.extend((0..p.n).map(|i| p.force(i, x)));
    }

    /// Projected Gauss–Seidel.
    fn relax(&mut self, p: &Problem<'_>, x: &mut [f64]) -> usize {
        for i in 0..p.n {
            if !x[i].is_finite() {
                x[i] = 0.0_f64.max(p.lo[i]).min(p.hi[i]);
            }
        }
        for sweep in 0..self.max_sweeps {
            for i in 0..p.n {
                let (w, d) = (p.force(i, x), p.row(i)[i]);
                let moved = if d > 0.0 {
                    x[i] - w / d
                } else if w > 0.0 {
                    p.lo[i]
                } else {
                    p.hi[i]
                };
                if moved.is_finite() {
                    x[i] = moved.max(p.lo[i]).min(p.hi[i]);
                }
            }
            if sweep % 16 == 15 && p.residual(x) <= 0.1 * p.tolerance {
                return sweep + 1;
            }
        }
        self.max_sweeps
    }
}

/// Solves A x = b in place for symmetric positive semidefinite A by LDLᵀ; unknowns that depend on earlier ones
/// become zero, which is a solution where there is one.
fn solve_semidefinite(n: usize, a: &mut [f64], b: &mut [f64]) {
    for k in 0..n {
        let original = a[k * n + k];
        let reduced = (0..k).map(|j| a[k * n + j] * a[k * n + j] * a[j * n + j]).sum::<f64>();
        let pivot = original - reduced;
        a[k * n + k] = if pivot > DEPENDENT * original { pivot } else { 0.0 };
        for i in k + 1..n {
            let sum: f64 = (0..k).map(|j| a[i * n + j] * a[k * n + j] * a[j * n + j]).sum();
            let d = a[k * n + k];
            a[i * n + k] = if d > 0.0 { (a[i * n + k] - sum) / d } else { 0.0 };
        }
    }
    for i in 0..n {
        b[i] -= (0..i).map(|j| a[i * n + j] * b[j]).sum::<f64>();
    }
    for i in 0..n {
        let d = a[i * n + i];
        b[i] = if d > 0.0 { b[i] / d } else { 0.0 };
    }
    for i in (0..n).rev() {
        // A dependent unknown stays at zero: its row holds because the earlier ones do.
        if a[i * n + i] > 0.0 {
            b[i] -= (i + 1..n).map(|j| a[j * n + i] * b[j]).sum::<f64>();
        }
    }
}

fn check(a: &[f64], b: &[f64], lo: &[f64], hi: &[f64], x: &[f64]) -> Result<(), SolveError> {
    let n = b.len();
    for (what, expected, found) in [
        ("matrix of a complementarity problem", n * n, a.len()),
        ("lower bounds", n, lo.len()),
        ("upper bounds", n, hi.len()),
        ("solution", n, x.len()),
    ] {
        if expected != found {
            return Err(SolveError::Size { what, expected, found });
        }
    }
    if let Some(k) = a.iter().position(|v| !v.is_finite()) {
        return Err(SolveError::NonFinite { block: k / n });
    }
    if let Some(block) = b.iter().position(|v| !v.is_finite()) {
        return Err(SolveError::NonFinite { block });
    }
    let crossing = |&i: &usize| !(lo[i] <= hi[i] && lo[i] < f64::INFINITY && hi[i] > f64::NEG_INFINITY);
    match (0..n).find(crossing) {
        Some(index) => Err(SolveError::Bounds { index, lo: lo[index], hi: hi[index] }),
        None => Ok(()),
    }
}
