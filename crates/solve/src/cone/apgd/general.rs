//! The iteration for any rows and any inverse: vectors over all rows, products by operators.

use super::super::problem::{ConeProblem, ConeReport};
use super::super::projection::Cone;
use super::fused::Limits;
use crate::SolveError;
use huygens_exec::Exec;

/// Rows per chunk of vector operations; a multiple of all cone sizes, so that cones seldom cross chunks.
const CHUNK: usize = 1536;

/// Vectors of the iteration, kept between calls. A prefix `n_` is the product with N.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    force: Vec<f64>,
    velocity: Vec<f64>,
    r: Vec<f64>,
    y: Vec<f64>,
    n_y: Vec<f64>,
    gradient: Vec<f64>,
    current: Vec<f64>,
    n_current: Vec<f64>,
    next: Vec<f64>,
    n_next: Vec<f64>,
    best: Vec<f64>,
    scratch: Vec<f64>,
    /// Unit of the multiplier of each row, equal within a cone; empty where all are one.
    unit: Vec<f64>,
    /// Multipliers in their own units.
    plain: Vec<f64>,
    /// Cone of each row and first row of each cone.
    cone_of_row: Vec<u32>,
    cone_start: Vec<u32>,
}

impl Work {
    fn prepare(&mut self, ex: &Exec, problem: &ConeProblem<'_>) {
        let (rows, columns) = (problem.row_count(), problem.inverse.dimension());
        for v in [&mut self.force, &mut self.velocity] {
            v.resize(columns, 0.0);
        }
        for v in [
            &mut self.r,
            &mut self.y,
            &mut self.n_y,
            &mut self.gradient,
            &mut self.current,
            &mut self.n_current,
            &mut self.next,
            &mut self.n_next,
            &mut self.best,
            &mut self.scratch,
        ] {
            v.resize(rows, 0.0);
        }
        self.cone_of_row.clear();
        self.cone_start.clear();
        for (k, cone) in problem.cones.iter().enumerate() {
            self.cone_start.push(self.cone_of_row.len() as u32);
            self.cone_of_row.extend(std::iter::repeat_n(k as u32, cone.rows()));
        }
        self.find_units(ex, problem);
    }

    /// Units in which the diagonal of N is one, where the inverse inertia tells its diagonal: rows of a heavy body
    /// then converge as fast as those of a light marker. Rows of one cone have one unit, so that cones stay cones.
    fn find_units(&mut self, ex: &Exec, problem: &ConeProblem<'_>) {
        self.unit.clear();
        self.plain.clear();
        if !problem.inverse.diagonal(&mut self.velocity) {
            return;
        }
        let rows = self.r.len();
        self.unit.resize(rows, 0.0);
        let mut rest = &mut self.unit[..];
        for block in problem.rows {
            let (part, tail) = rest.split_at_mut(block.operator().rows());
            if !block.operator().squares(ex, &self.velocity, part) {
                self.unit.clear();
                return;
            }
            rest = tail;
        }
        self.plain.resize(rows, 0.0);
        let mut row = 0;
        for cone in problem.cones {
            let part = row..row + cone.rows();
            let compliance = |i: usize| problem.compliance.get(i).copied().unwrap_or(0.0);
            let most = part.clone().map(|i| self.unit[i] + compliance(i)).fold(0.0, f64::max);
            let unit = if most > 0.0 && most.is_finite() { 1.0 / most.sqrt() } else { 1.0 };
            self.unit[part.clone()].fill(unit);
            row = part.end;
        }
    }
}

/// x ← x s, where there is an s.
fn scale(ex: &Exec, x: &mut [f64], s: &[f64]) {
    if !s.is_empty() {
        fill(ex, x, |i, x| x * s[i]);
    }
}

/// The operator N = D H⁻¹ Dᵀ + E with its two intermediate vectors.
struct Dual<'a> {
    problem: &'a ConeProblem<'a>,
    force: &'a mut [f64],
    velocity: &'a mut [f64],
    unit: &'a [f64],
    plain: &'a mut [f64],
    products: usize,
}

impl Dual<'_> {
    /// y ← N x, both in units of the rows.
    fn apply(&mut self, ex: &Exec, x: &[f64], y: &mut [f64]) {
        let x = if self.unit.is_empty() {
            x
        } else {
            fill(ex, self.plain, |i, _| x[i] * self.unit[i]);
            &*self.plain
        };
        self.problem.apply_transpose(ex, x, self.force);
        self.problem.inverse.apply(ex, self.force, self.velocity);
        self.problem.apply_rows(ex, self.velocity, y);
        let compliance = self.problem.compliance;
        if !compliance.is_empty() {
            fill(ex, y, |i, y| y + compliance[i] * x[i]);
        }
        scale(ex, y, self.unit);
        self.products += 1;
    }
}

/// y_i ← f(i, y_i).
fn fill(ex: &Exec, y: &mut [f64], f: impl Fn(usize, f64) -> f64 + Sync) {
    ex.for_each_chunk(y, CHUNK, |c, y| {
        y.iter_mut().enumerate().for_each(|(k, y)| *y = f(c * CHUNK + k, *y));
    });
}

fn sum(ex: &Exec, count: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    ex.sum(count, CHUNK, |range| range.map(&f).sum())
}

/// Projection onto the product of all cones.
struct Cones<'a> {
    cones: &'a [Cone],
    cone_of_row: &'a [u32],
    cone_start: &'a [u32],
    unit: &'a [f64],
}

impl Cones<'_> {
    /// out ← Π(x − t g). A cone across two chunks is projected in both; each keeps its own rows.
    fn step(&self, ex: &Exec, x: &[f64], t: f64, g: &[f64], out: &mut [f64]) {
        ex.for_each_chunk(out, CHUNK, |c, out| {
            let first = c * CHUNK;
            let mut row = first;
            while row < first + out.len() {
                let k = self.cone_of_row[row] as usize;
                let start = self.cone_start[k] as usize;
                let n = self.cones[k].rows();
                let mut part = [0.0; Cone::MAX_ROWS];
                (0..n).for_each(|i| part[i] = x[start + i] - t * g[start + i]);
                match self.unit.get(start) {
                    None => self.cones[k].project(&mut part[..n]),
                    Some(unit) => self.cones[k].in_units(*unit).project(&mut part[..n]),
                }
                let end = (start + n).min(first + out.len());
                out[row - first..end - first].copy_from_slice(&part[row - start..end - start]);
                row = end;
            }
        });
    }
}

impl Work {
    /// Finds multipliers and velocity.
    pub(super) fn solve(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        limits: Limits,
        v: &mut [f64],
        l: &mut [f64],
    ) -> Result<ConeReport, SolveError> {
        self.prepare(ex, problem);
        let report = self.iterate(ex, problem, limits, l)?;
        let Self { force, velocity, best, unit, .. } = self;
        l.copy_from_slice(best);
        scale(ex, l, unit);
        problem.apply_transpose(ex, l, force);
        problem.inverse.apply(ex, force, velocity);
        fill(ex, v, |i, _| problem.free_velocity[i] + velocity[i]);
        Ok(report)
    }

    fn iterate(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        limits: Limits,
        start: &[f64],
    ) -> Result<ConeReport, SolveError> {
        let Self {
            force,
            velocity,
            r,
            y,
            n_y,
            gradient,
            current,
            n_current,
            next,
            n_next,
            best,
            scratch,
            unit,
            plain,
            cone_of_row,
            cone_start,
        } = self;
        let rows = r.len();
        let unit = &unit[..];
        let cones = Cones { cones: problem.cones, cone_of_row, cone_start, unit };
        let mut dual = Dual { problem, force, velocity, unit, plain, products: 0 };
        problem.apply_rows(ex, problem.free_velocity, r);
        fill(ex, r, |i, r| r + problem.bias[i]);
        scale(ex, r, unit);

        gradient.fill(0.0);
        scratch.copy_from_slice(start);
        if !unit.is_empty() {
            fill(ex, scratch, |i, x| x / unit[i]);
        }
        cones.step(ex, scratch, 0.0, gradient, current);
        dual.apply(ex, current, n_current);
        let mut lipschitz = lipschitz_estimate(ex, &mut dual, y, n_y);
        let reach = 1.0 / lipschitz;
        let measure = |x: &[f64], n_x: &[f64], scratch: &mut [f64], gradient: &mut [f64]| {
            fill(ex, gradient, |i, _| n_x[i] + r[i]);
            cones.step(ex, x, reach, gradient, scratch);
            let size = match unit.is_empty() {
                true => sum(ex, rows, |i| (x[i] - scratch[i]).powi(2)),
                false => sum(ex, rows, |i| ((x[i] - scratch[i]) / unit[i]).powi(2)),
            };
            size.sqrt() / ((problem.cones.len().max(1) as f64).sqrt() * reach)
        };
        let mut least = measure(current, n_current, scratch, gradient);
        best.copy_from_slice(current);
        y.copy_from_slice(current);
        n_y.copy_from_slice(n_current);
        let mut theta = 1.0_f64;
        let mut iterations = 0;
        while iterations < limits.max_iterations && least > limits.tolerance {
            iterations += 1;
            fill(ex, gradient, |i, _| n_y[i] + r[i]);
            loop {
                cones.step(ex, y, 1.0 / lipschitz, gradient, next);
                dual.apply(ex, next, n_next);
                // f(next) − f(y) − g·(next − y) = ½ (next − y)ᵀN(next − y): no cancellation this way.
                let curvature = sum(ex, rows, |i| (next[i] - y[i]) * (n_next[i] - n_y[i]));
                let length = sum(ex, rows, |i| (next[i] - y[i]).powi(2));
                if curvature <= lipschitz * length * (1.0 + 1e-12) || length == 0.0 {
                    break;
                }
                if !curvature.is_finite() || !lipschitz.is_finite() {
                    let what = "accelerated projected gradient";
                    return Err(SolveError::NotConverged { what, iterations, residual: least });
                }
                lipschitz *= 2.0;
            }
            let square = theta * theta;
            let mut theta_next = 0.5 * (theta * (square + 4.0).sqrt() - square);
            let mut beta = theta * (1.0 - theta) / (square + theta_next);
            if sum(ex, rows, |i| gradient[i] * (next[i] - current[i])) > 0.0 {
                (beta, theta_next) = (0.0, 1.0);
            }
            theta = theta_next;
            // The product with y follows by linearity: one product an iteration.
            fill(ex, y, |i, _| next[i] + beta * (next[i] - current[i]));
            fill(ex, n_y, |i, _| n_next[i] + beta * (n_next[i] - n_current[i]));
            std::mem::swap(current, next);
            std::mem::swap(n_current, n_next);
            lipschitz *= 0.9;
            let residual = measure(current, n_current, scratch, gradient);
            if residual < least {
                least = residual;
                best.copy_from_slice(current);
            }
        }
        if !least.is_finite() {
            let what = "accelerated projected gradient";
            return Err(SolveError::NotConverged { what, iterations, residual: least });
        }
        let converged = least <= limits.tolerance;
        Ok(ConeReport { iterations, products: dual.products, residual: least, converged })
    }
}

/// ‖N d‖ / ‖d‖, a first estimate of the largest eigenvalue of N; d is one in the first row of every cone, so that the
/// choice of tangents does not matter. Where rows have units it is plus or minus one as if by chance: an equal pressure in
/// all of a fluid does nothing, and would say that N is small.
fn lipschitz_estimate(ex: &Exec, dual: &mut Dual<'_>, x: &mut [f64], n_x: &mut [f64]) -> f64 {
    x.fill(0.0);
    let mut row = 0;
    for cone in dual.problem.cones {
        // The upper bits of a product with an odd number look random.
        let minus = !dual.unit.is_empty() && (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1;
        x[row] = if minus { -1.0 } else { 1.0 };
        row += cone.rows();
    }
    dual.apply(ex, x, n_x);
    let size = |x: &[f64]| sum(ex, x.len(), |i| x[i] * x[i]).sqrt();
    let estimate = size(n_x) / size(x);
    if estimate > 0.0 && estimate.is_finite() { estimate } else { 1.0 }
}
