//! Eigenvalues and modes of constrained linear systems.

use crate::SolveError;
use crate::dense::{fix_parallelism, null_space};
use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, MatRef, c64};

/// The linearized motion M q̈ + D q̇ + K q + Cᵀλ = 0 with C q = 0.
#[derive(Clone, Copy, Debug)]
pub struct LinearizedSystem<'a> {
    /// M, n × n.
    pub mass: MatRef<'a, f64>,
    /// D, n × n; none for undamped motion.
    pub damping: Option<MatRef<'a, f64>>,
    /// K, n × n.
    pub stiffness: MatRef<'a, f64>,
    /// C, m × n; rows may depend on each other. None for free systems.
    pub constraints: Option<MatRef<'a, f64>>,
}

/// Modes of a linearized system, lowest frequency first; of a complex pair the one with positive imaginary part comes
/// first.
#[derive(Clone, Debug)]
pub struct Modes {
    /// Exponents s of q(t) = φ exp(s t) [1/s].
    pub eigenvalues: Vec<c64>,
    /// Shapes φ by columns, of unit Euclidean length, largest entry real and positive.
    pub shapes: Mat<c64>,
    /// Undamped frequency |s| / 2π [Hz].
    pub frequency_hz: Vec<f64>,
    /// Damping ratio −Re s / |s|; zero where s is zero.
    pub damping_ratio: Vec<f64>,
}

/// Rows of C below this, relative to the largest, are taken as dependent.
const CONSTRAINT_TOLERANCE: f64 = 1e-10;
/// Exponents whose inverse is below this, relative to the largest, are infinite (no inertia) and discarded. They come
/// as double defective zeros, which rounding spreads over its square root.
const INFINITE: f64 = 1e-7;
/// Mass matrices with a condition below this are inverted.
const WELL_CONDITIONED: f64 = 1e9;

/// All modes, damping included: the first-order form of the motion in the null space of C.
///
/// With q = Z y and Z a basis of the null space, s [I 0; 0 ZᵀMZ] x = [0 I; −ZᵀKZ −ZᵀDZ] x for x = (y, s y).
pub fn constrained_modes(system: &LinearizedSystem<'_>) -> Result<Modes, SolveError> {
    let reduced = Reduced::new(system)?;
    let n = reduced.basis.ncols();
    let mut a = Mat::zeros(2 * n, 2 * n);
    let mut b = Mat::zeros(2 * n, 2 * n);
    for i in 0..n {
        a[(i, n + i)] = 1.0;
        b[(i, i)] = 1.0;
        for j in 0..n {
            a[(n + i, j)] = -reduced.stiffness[(i, j)];
            a[(n + i, n + j)] = reduced.damping.as_ref().map_or(0.0, |d| -d[(i, j)]);
            b[(n + i, n + j)] = reduced.mass[(i, j)];
        }
    }
    let ratio = (reduced.stiffness.norm_l2() / reduced.mass.norm_l2()).sqrt();
    let shift = if ratio > 0.0 && ratio.is_finite() { ratio } else { 1.0 };
    let (values, vectors) = pencil(&a, &b, shift)?;
    let shapes = vectors.iter().map(|x| reduced.expand(&x[..n])).collect();
    Ok(Modes::sorted(values, shapes, reduced.basis.nrows()))
}

/// Modes of the undamped system with symmetric M and K: K φ = ω² M φ in the null space of C.
///
/// Each mode appears once, with s = iω, or real s > 0 where ω² is negative (unstable). M must be positive
/// definite on the null space.
pub fn undamped_modes(system: &LinearizedSystem<'_>) -> Result<Modes, SolveError> {
    let reduced = Reduced::new(system)?;
    let n = reduced.basis.ncols();
    fix_parallelism();
    let factor =
        reduced.mass.llt(faer::Side::Lower).map_err(|_| SolveError::Indefinite { what: "mass matrix" })?;
    let lower = factor.L();
    let mut half = reduced.stiffness.clone();
    lower.solve_lower_triangular_in_place(half.as_mut());
    let mut whole = half.transpose().to_owned();
    lower.solve_lower_triangular_in_place(whole.as_mut());
    let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (whole[(i, j)] + whole[(j, i)]));
    let eigen = symmetric.self_adjoint_eigen(faer::Side::Lower).map_err(|_| SolveError::NotConverged {
        what: "eigenvalues",
        iterations: 0,
        residual: f64::NAN,
    })?;
    let mut shapes = eigen.U().to_owned();
    lower.transpose().solve_upper_triangular_in_place(shapes.as_mut());
    let exponent = |square: f64| {
        if square >= 0.0 { c64::new(0.0, square.sqrt()) } else { c64::new((-square).sqrt(), 0.0) }
    };
    let values = (0..n).map(|k| exponent(eigen.S()[k])).collect();
    let shapes = (0..n)
        .map(|k| reduced.expand(&(0..n).map(|i| c64::new(shapes[(i, k)], 0.0)).collect::<Vec<_>>()))
        .collect();
    Ok(Modes::sorted(values, shapes, reduced.basis.nrows()))
}

/// Finite eigenvalues and their vectors of s B x = A x.
///
/// The standard problem of B⁻¹A where B is well conditioned. Otherwise some unknowns have no inertia and
/// exponents at infinity: then that of (A − σB)⁻¹B with the eigenvalues 1/(s − σ), zero for those.
fn pencil(a: &Mat<f64>, b: &Mat<f64>, shift: f64) -> Result<(Vec<c64>, Vec<Vec<c64>>), SolveError> {
    fix_parallelism();
    let n = a.nrows();
    let inverse = b.partial_piv_lu().inverse();
    let regular = b.norm_l2() * inverse.norm_l2() < WELL_CONDITIONED;
    let standard =
        if regular { &inverse * a } else { (a - b * faer::Scale(shift)).partial_piv_lu().inverse() * b };
    if (0..n * n).any(|k| !standard[(k / n, k % n)].is_finite()) {
        return Err(SolveError::Singular { block: 0, row: 0 });
    }
    let failure = SolveError::NotConverged { what: "eigenvalues", iterations: 0, residual: f64::NAN };
    let eigen = standard.eigen().map_err(|_| failure)?;
    let largest = (0..n).map(|k| eigen.S()[k].norm()).fold(0.0, f64::max);
    let (mut values, mut vectors) = (Vec::new(), Vec::new());
    for k in 0..n {
        let value = eigen.S()[k];
        if regular {
            values.push(value);
        } else if value.norm() > INFINITE * largest {
            values.push(value.inv() + shift);
        } else {
            continue;
        }
        vectors.push((0..n).map(|i| eigen.U()[(i, k)]).collect());
    }
    Ok((values, vectors))
}

/// The system in the null space of its constraints.
struct Reduced {
    basis: Mat<f64>,
    mass: Mat<f64>,
    damping: Option<Mat<f64>>,
    stiffness: Mat<f64>,
}

impl Reduced {
    fn new(system: &LinearizedSystem<'_>) -> Result<Self, SolveError> {
        let n = system.mass.nrows();
        let square = [Some(system.mass), system.damping, Some(system.stiffness)];
        for m in square.into_iter().flatten() {
            for found in [m.nrows(), m.ncols()] {
                check_size("matrix of a linearized system", n, found)?;
            }
            check_finite(m)?;
        }
        let basis = match system.constraints {
            Some(c) => {
                check_size("columns of the constraint matrix", n, c.ncols())?;
                check_finite(c)?;
                null_space(c, CONSTRAINT_TOLERANCE)
            }
            None => Mat::identity(n, n),
        };
        let project = |m: MatRef<'_, f64>| basis.transpose() * (m * &basis);
        Ok(Self {
            mass: project(system.mass),
            damping: system.damping.map(project),
            stiffness: project(system.stiffness),
            basis,
        })
    }

    /// φ = Z y, normalized.
    fn expand(&self, y: &[c64]) -> Vec<c64> {
        let entry = |i: usize| (0..y.len()).map(|j| y[j] * self.basis[(i, j)]).sum::<c64>();
        let mut shape: Vec<c64> = (0..self.basis.nrows()).map(entry).collect();
        let length = shape.iter().map(|x| x.norm_sqr()).sum::<f64>().sqrt();
        let largest = shape.iter().fold(c64::new(0.0, 0.0), |m, x| if x.norm() > m.norm() { *x } else { m });
        if length > 0.0 {
            let turn = largest.conj() / (largest.norm() * length);
            shape.iter_mut().for_each(|x| *x *= turn);
        }
        shape
    }
}

impl Modes {
    fn sorted(values: Vec<c64>, shapes: Vec<Vec<c64>>, size: usize) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        // Members of a pair have equal size up to rounding, which must not decide their order.
        let key = |k: usize| (values[k].norm() * (1.0 - 1e-9 * values[k].im.signum()), -values[k].im);
        order.sort_by(|&a, &b| {
            key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)).then(a.cmp(&b))
        });
        let eigenvalues: Vec<c64> = order.iter().map(|&k| values[k]).collect();
        let ratio = |s: &c64| if s.norm() > 0.0 { -s.re / s.norm() } else { 0.0 };
        Self {
            shapes: Mat::from_fn(size, order.len(), |i, k| shapes[order[k]][i]),
            frequency_hz: eigenvalues.iter().map(|s| s.norm() / std::f64::consts::TAU).collect(),
            damping_ratio: eigenvalues.iter().map(ratio).collect(),
            eigenvalues,
        }
    }
}

fn check_size(what: &'static str, expected: usize, found: usize) -> Result<(), SolveError> {
    if expected == found { Ok(()) } else { Err(SolveError::Size { what, expected, found }) }
}

fn check_finite(m: MatRef<'_, f64>) -> Result<(), SolveError> {
    let bad = (0..m.nrows()).find(|&r| (0..m.ncols()).any(|c| !m[(r, c)].is_finite()));
    bad.map_or(Ok(()), |block| Err(SolveError::NonFinite { block }))
}
