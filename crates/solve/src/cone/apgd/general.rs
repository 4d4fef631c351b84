//! The iteration for any rows and any inverse: vectors over all rows, products by operators.

use super::super::problem::{ConeProblem, ConeReport};
use super::super::projection::{Cone, FrictionLaw};
use super::fused::Limits;
use crate::SolveError;
use huygens_exec::{Exec, Strided};

/// Rows per chunk of vector operations; a multiple of all cone sizes, so that cones seldom cross chunks.
const CHUNK: usize = 1536;

/// Vectors of the iteration, kept between calls. A prefix `n_` is the product with N. Multipliers are in units of their
/// rows, all but `plain`.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    force: Vec<f64>,
    velocity: Vec<f64>,
    r: Vec<f64>,
    compliance: Vec<f64>,
    /// Unit of the multiplier of each row, equal within a cone; all are one unless `scaled`.
    unit: Vec<f64>,
    scaled: bool,
    y: Vec<f64>,
    n_y: Vec<f64>,
    current: Vec<f64>,
    n_current: Vec<f64>,
    next: Vec<f64>,
    n_next: Vec<f64>,
    best: Vec<f64>,
    plain: Vec<f64>,
    /// Sums of each chunk.
    parts: Vec<[f64; 3]>,
    runs: Runs,
}

impl Work {
    fn prepare(&mut self, ex: &Exec, problem: &ConeProblem<'_>) {
        let (rows, columns) = (problem.row_count(), problem.inverse.dimension());
        for v in [&mut self.force, &mut self.velocity] {
            v.resize(columns, 0.0);
        }
        for v in [
            &mut self.r,
            &mut self.compliance,
            &mut self.unit,
            &mut self.y,
            &mut self.n_y,
            &mut self.current,
            &mut self.n_current,
            &mut self.next,
            &mut self.n_next,
            &mut self.best,
            &mut self.plain,
        ] {
            v.resize(rows, 0.0);
        }
        self.parts.resize(rows.div_ceil(CHUNK), [0.0; 3]);
        match problem.compliance {
            [] => self.compliance.fill(0.0),
            given => self.compliance.copy_from_slice(given),
        }
        self.find_units(ex, problem);
        self.runs.find(problem.law(), problem.cones, &self.unit);
    }

    /// Units in which the diagonal of N is one, where the inverse inertia tells its diagonal: rows of a heavy body
    /// then converge as fast as those of a light marker. Rows of one cone have one unit, so that cones stay cones.
    fn find_units(&mut self, ex: &Exec, problem: &ConeProblem<'_>) {
        let Self { unit, scaled, velocity, compliance, .. } = self;
        *scaled = problem.inverse.diagonal(velocity);
        let mut rest = &mut unit[..];
        for block in problem.rows {
            let (part, tail) = rest.split_at_mut(block.operator().rows());
            *scaled = *scaled && block.operator().squares(ex, velocity, part);
            rest = tail;
        }
        if !*scaled {
            return unit.fill(1.0);
        }
        let mut row = 0;
        for cone in problem.cones {
            let part = row..row + cone.rows();
            let most = part.clone().map(|i| unit[i] + compliance[i]).fold(0.0, f64::max);
            unit[part.clone()].fill(if most > 0.0 && most.is_finite() { 1.0 / most.sqrt() } else { 1.0 });
            row = part.end;
        }
    }
}

/// Cones in runs of one kind: most rows are alone in a simple set, and are projected in plain loops.
#[derive(Clone, Debug, Default)]
struct Runs {
    runs: Vec<Run>,
    /// First row of each cone.
    starts: Vec<usize>,
    cones: Vec<Cone>,
    friction: FrictionLaw,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    kind: RunKind,
    /// Where the rows end.
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunKind {
    Free,
    Nonnegative,
    Others,
}

impl Runs {
    /// Cones in units of their rows.
    fn find(&mut self, friction: FrictionLaw, cones: &[Cone], unit: &[f64]) {
        self.friction = friction;
        self.runs.clear();
        self.starts.clear();
        self.cones.clear();
        let mut row = 0;
        for cone in cones {
            let kind = match cone {
                Cone::Free => RunKind::Free,
                Cone::Nonnegative => RunKind::Nonnegative,
                _ => RunKind::Others,
            };
            if kind == RunKind::Others {
                self.starts.push(row);
                self.cones.push(cone.in_units(unit[row]));
            }
            row += cone.rows();
            match self.runs.last_mut() {
                Some(last) if last.kind == kind => last.end = row,
                _ => self.runs.push(Run { kind, end: row }),
            }
        }
    }

    /// Writes the projection of `value(row)` for the rows from `first` on. A cone across two chunks is projected in
    /// both; each keeps its own rows.
    #[inline(always)]
    fn project(&self, first: usize, value: impl Fn(usize) -> f64, out: &mut [f64]) {
        let end = first + out.len();
        let mut row = first;
        for run in &self.runs[self.runs.partition_point(|run| run.end <= first)..] {
            let stop = run.end.min(end);
            let part = &mut out[row - first..stop - first];
            match run.kind {
                RunKind::Free => part.iter_mut().zip(row..).for_each(|(x, i)| *x = value(i)),
                RunKind::Nonnegative => part.iter_mut().zip(row..).for_each(|(x, i)| *x = value(i).max(0.0)),
                RunKind::Others => self.project_cones(row, &value, part),
            }
            row = stop;
            if row == end {
                return;
            }
        }
    }

    fn project_cones(&self, first: usize, value: &impl Fn(usize) -> f64, out: &mut [f64]) {
        let end = first + out.len();
        let mut row = first;
        let mut k = self.starts.partition_point(|start| *start <= first) - 1;
        while row < end {
            let (start, cone) = (self.starts[k], &self.cones[k]);
            let n = cone.rows();
            let mut part = [0.0; Cone::MAX_ROWS];
            (0..n).for_each(|i| part[i] = value(start + i));
            cone.project_by(self.friction, &mut part[..n]);
            let stop = (start + n).min(end);
            out[row - first..stop - first].copy_from_slice(&part[row - start..stop - start]);
            (row, k) = (stop, k + 1);
        }
    }
}

/// The operator N = D H⁻¹ Dᵀ + E with its two intermediate vectors.
struct Dual<'a> {
    problem: &'a ConeProblem<'a>,
    force: &'a mut [f64],
    velocity: &'a mut [f64],
    products: usize,
}

impl Dual<'_> {
    /// y ← D H⁻¹ Dᵀ x.
    fn apply(&mut self, ex: &Exec, x: &[f64], y: &mut [f64]) {
        self.problem.apply_transpose(ex, x, self.force);
        self.problem.inverse.apply(ex, self.force, self.velocity);
        self.problem.apply_rows(ex, self.velocity, y);
        self.products += 1;
    }
}

/// y_i ← f(i, y_i).
fn fill(ex: &Exec, y: &mut [f64], f: impl Fn(usize, f64) -> f64 + Sync) {
    ex.for_each_chunk(y, CHUNK, |c, y| {
        y.iter_mut().enumerate().for_each(|(k, y)| *y = f(c * CHUNK + k, *y));
    });
}

/// Sums of the chunks, added in order.
fn total(parts: &[[f64; 3]]) -> [f64; 3] {
    parts.iter().fold([0.0; 3], |[a, b, c], part| [a + part[0], b + part[1], c + part[2]])
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
        fill(ex, l, |i, _| best[i] * unit[i]);
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
            compliance,
            unit,
            scaled,
            y,
            n_y,
            current,
            n_current,
            next,
            n_next,
            best,
            plain,
            parts,
            runs,
        } = self;
        let rows = r.len();
        let (runs, unit, compliance) = (&*runs, &unit[..], &compliance[..]);
        let mut dual = Dual { problem, force, velocity, products: 0 };
        problem.apply_rows(ex, problem.free_velocity, r);
        fill(ex, r, |i, r| (r + problem.bias[i]) * unit[i]);
        let r = &r[..];

        // n_x ← N x, in units.
        let mut product = |x: &[f64], n_x: &mut [f64]| {
            fill(ex, plain, |i, _| x[i] * unit[i]);
            dual.apply(ex, plain, n_x);
            fill(ex, n_x, |i, n_x| (n_x + compliance[i] * plain[i]) * unit[i]);
        };
        signs(problem.cones, *scaled, y);
        product(y, n_y);
        let mut lipschitz = lipschitz_estimate(ex, y, n_y);
        let reach = 1.0 / lipschitz;
        ex.for_each_piece(&mut current[..], CHUNK, |first, x| {
            runs.project(first, |i| start[i] / unit[i], x);
        });
        product(current, n_current);

        // y ← next + β (next − current) and its product, which follows by linearity: one product an iteration. Returns
        // the residual of next.
        let settle = |parts: &mut [[f64; 3]],
                      [y, n_y]: [&mut [f64]; 2],
                      [x, n_x]: [&[f64]; 2],
                      [old, n_old]: [&[f64]; 2],
                      beta: f64| {
            let sums = Strided { data: &mut *parts, stride: CHUNK, count: rows };
            ex.for_each_piece((y, n_y, sums), CHUNK, |first, (y, n_y, sums)| {
                let mut near = [0.0; CHUNK];
                let near = &mut near[..y.len()];
                runs.project(first, |i| x[i] - reach * (n_x[i] + r[i]), near);
                let mut sum = 0.0;
                for (k, (y, n_y)) in y.iter_mut().zip(n_y).enumerate() {
                    let i = first + k;
                    *y = x[i] + beta * (x[i] - old[i]);
                    *n_y = n_x[i] + beta * (n_x[i] - n_old[i]);
                    sum += ((x[i] - near[k]) / unit[i]).powi(2);
                }
                sums.data[0] = [sum, 0.0, 0.0];
            });
            total(parts)[0].sqrt() / ((problem.cones.len().max(1) as f64).sqrt() * reach)
        };
        let mut least = settle(parts, [y, n_y], [current, n_current], [current, n_current], 0.0);
        best.copy_from_slice(current);
        let mut theta = 1.0_f64;
        let mut iterations = 0;
        while iterations < limits.max_iterations && least > limits.tolerance {
            ex.check_stop()?;
            iterations += 1;
            let descent = loop {
                let size = 1.0 / lipschitz;
                ex.for_each_piece((&mut next[..], &mut plain[..]), CHUNK, |first, (next, plain)| {
                    runs.project(first, |i| y[i] - size * (n_y[i] + r[i]), next);
                    let units = &unit[first..];
                    plain.iter_mut().zip(&*next).zip(units).for_each(|((plain, x), unit)| *plain = x * unit);
                });
                dual.apply(ex, plain, n_next);
                let sums = Strided { data: &mut parts[..], stride: CHUNK, count: rows };
                ex.for_each_piece((&mut n_next[..], sums), CHUNK, |first, (n_next, sums)| {
                    let mut sum = [0.0; 3];
                    for (i, n_next) in (first..).zip(n_next) {
                        *n_next = (*n_next + compliance[i] * plain[i]) * unit[i];
                        let change = next[i] - y[i];
                        sum[0] += change * (*n_next - n_y[i]);
                        sum[1] += change * change;
                        sum[2] += match runs.friction {
                            FrictionLaw::Relaxed => (n_y[i] + r[i]) * (next[i] - current[i]),
                            FrictionLaw::Coulomb => -change * (next[i] - current[i]),
                        };
                    }
                    sums.data[0] = sum;
                });
                // f(next) − f(y) − g·(next − y) = ½ (next − y)ᵀN(next − y): no cancellation this way.
                let [curvature, length, descent] = total(parts);
                if curvature <= lipschitz * length * (1.0 + 1e-12) || length == 0.0 {
                    break descent;
                }
                if !curvature.is_finite() || !lipschitz.is_finite() {
                    let what = "accelerated projected gradient";
                    return Err(SolveError::NotConverged { what, iterations, residual: least });
                }
                lipschitz *= 2.0;
            };
            let square = theta * theta;
            let mut theta_next = 0.5 * (theta * (square + 4.0).sqrt() - square);
            let mut beta = theta * (1.0 - theta) / (square + theta_next);
            if descent > 0.0 {
                (beta, theta_next) = (0.0, 1.0);
            }
            theta = theta_next;
            lipschitz *= 0.9;
            let residual = settle(parts, [y, n_y], [next, n_next], [current, n_current], beta);
            std::mem::swap(current, next);
            std::mem::swap(n_current, n_next);
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

/// One in the first row of every cone, so that the choice of tangents does not matter. Where `mixed` it is plus or minus
/// one as if by chance: an equal pressure in all of a fluid does nothing, and would say that N is small.
fn signs(cones: &[Cone], mixed: bool, x: &mut [f64]) {
    x.fill(0.0);
    let mut row = 0;
    for cone in cones {
        // The upper bits of a product with an odd number look random.
        let minus = mixed && (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1;
        x[row] = if minus { -1.0 } else { 1.0 };
        row += cone.rows();
    }
}

/// ‖N x‖ / ‖x‖, a first estimate of the largest eigenvalue of N.
fn lipschitz_estimate(ex: &Exec, x: &[f64], n_x: &[f64]) -> f64 {
    let size = |x: &[f64]| ex.sum(x.len(), CHUNK, |range| range.map(|i| x[i] * x[i]).sum()).sqrt();
    let estimate = size(n_x) / size(x);
    if estimate > 0.0 && estimate.is_finite() { estimate } else { 1.0 }
}
