//! A few natural frequencies and buckling loads of models of any size.

use std::cell::RefCell;

use huygens_solve::eigen_sparse::lanczos;
use huygens_solve::{BlockMatrix, EigenRequest, SolveError, SparseModes, shift_invert_lanczos};

use crate::analysis::floating::{check_floating, extent};
use crate::analysis::largest;
use crate::contract::RowRequest;
use crate::error::{CoreError, Result};
use crate::state::State;
use crate::system::{MatrixWeights, System};

const STIFFNESS: MatrixWeights = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 1.0, geometric: 1.0 };
/// Largest displacement of the loaded state that gives the geometric stiffness, relative to the model's size.
const SMALL: f64 = 1e-5;

/// Natural frequencies and shapes of undamped small motions, lowest frequency first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NaturalModes {
    /// Squares ω² of the circular frequencies [rad²/s²]; negative where the motion grows.
    pub squares: Vec<f64>,
    /// Frequencies √|ω²| / 2π [Hz].
    pub frequency_hz: Vec<f64>,
    /// Velocities of the columns, with $\phi^T M \phi = 1$ and the largest entry positive.
    pub shapes: Vec<Vec<f64>>,
}

/// Loads at which a straight path of equilibria branches, smallest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BucklingModes {
    /// Load factors; negative where the loads must be reversed.
    pub factors: Vec<f64>,
    /// Velocities of the columns, largest entry 1.
    pub shapes: Vec<Vec<f64>>,
}

/// The `count` modes of the constrained model at `state` whose frequencies are nearest to `near` [Hz].
///
/// Shift-invert Lanczos on $[K - \sigma M, C_q^T; C_q, 0]$; rigid motions are modes of frequency zero.
pub fn modes(system: &mut System, state: &State, count: usize, near: f64) -> Result<NaturalModes> {
    if !(near >= 0.0 && near.is_finite()) {
        return Err(CoreError::Parameter {
            name: "near".into(),
            value: near.to_string(),
            expected: "a frequency of at least 0 Hz".into(),
        });
    }
    prepare(system, state);
    let highest = highest_square(system, state);
    // Below zero, so that rigid motions do not make the matrix singular.
    let shift = if near == 0.0 {
        -f64::max(std::f64::consts::TAU.powi(2), 1e-10 * highest).min(1e-2 * highest.max(1e-300))
    } else {
        (std::f64::consts::TAU * near).powi(2) * (1.0 + 1e-7)
    };
    system.assemble_and_factor(&state.history, MatrixWeights { mass: -shift, ..STIFFNESS })?;
    let n = state.v.len();
    let free = n.saturating_sub(system.model().fixed.len());
    let shared = RefCell::new(system);
    let mut whole = vec![0.0; n + state.lambda.len()];
    let failure = RefCell::new(None);
    let mut solve = |b: &[f64], x: &mut [f64]| {
        solve_columns(&mut shared.borrow_mut(), b, x, &mut whole).map_err(|error| keep(&failure, error))
    };
    let mass = |x: &[f64], y: &mut [f64]| {
        y.fill(0.0);
        shared.borrow().add_mass_product(x, y);
    };
    let request = EigenRequest::new(count.min(free), shift);
    let found = shift_invert_lanczos(n, &request, &mut solve, &mass);
    let found = found.map_err(|error| failure.take().unwrap_or_else(|| not_found(error)))?;
    let (squares, shapes) = sorted(found, |s| *s);
    let frequency_hz = squares.iter().map(|s| s.abs().sqrt() / std::f64::consts::TAU).collect();
    Ok(NaturalModes { squares, frequency_hz, shapes })
}

/// The `count` smallest factors on gravity and loads at which the model at `state` buckles.
///
/// $(K_0 + \mu K_g)\phi = 0$ with $K_g = (K(q_\varepsilon, \varepsilon) - K_0)/\varepsilon$ at the linear answer
/// $q_\varepsilon$ to a small load.
pub fn buckling(system: &mut System, state: &State, count: usize) -> Result<BucklingModes> {
    system.point.load_factor = 0.0;
    let result = buckling_of(system, state, count);
    system.point.load_factor = 1.0;
    result
}

fn buckling_of(system: &mut System, state: &State, count: usize) -> Result<BucklingModes> {
    check_floating(system, state)?;
    prepare(system, state);
    system.assemble_and_factor(&state.history, STIFFNESS)?;
    let n = state.v.len();
    let answer = unit_load(system, state)?;
    let reach = largest(&answer[..n]);
    if !(reach.is_finite() && reach > 0.0) {
        return Err(CoreError::Unsupported {
            integrator: "the buckling analysis".into(),
            reason: "no gravity or load acts on the model; add the load whose factor is to be found".into(),
        });
    }
    let small = SMALL * extent(system.model(), &state.q) / reach;
    let bent = stiffness_at(system, state, &answer, small)?;
    let straight = stiffness_at(system, state, &answer, 0.0)?;
    system.factor()?;
    let rows = state.lambda.len();
    // K φ in the columns; rows and the columns that stay at rest do not take part.
    let fixed = system.model().fixed.clone();
    let product = |matrix: &BlockMatrix, x: &[f64], y: &mut [f64]| {
        let mut long = vec![0.0; n + rows];
        long[..n].copy_from_slice(x);
        fixed.iter().for_each(|&c| long[c as usize] = 0.0);
        let mut out = vec![0.0; n + rows];
        matrix.mul(&long, &mut out);
        y.copy_from_slice(&out[..n]);
        fixed.iter().for_each(|&c| y[c as usize] = 0.0);
    };
    let (mut with, mut without) = (vec![0.0; n], vec![0.0; n]);
    let mut whole = vec![0.0; n + rows];
    let failure = RefCell::new(None);
    let mut operator = |x: &[f64], y: &mut [f64]| {
        product(&bent, x, &mut with);
        product(&straight, x, &mut without);
        with.iter_mut().zip(&without).for_each(|(b, s)| *b = (s - *b) / small);
        solve_columns(system, &with, y, &mut whole).map_err(|error| keep(&failure, error))
    };
    let inner = |x: &[f64], y: &mut [f64]| product(&straight, x, y);
    let request = EigenRequest { tolerance: 1e-8, ..EigenRequest::new(count.min(n), 0.0) };
    let found = lanczos(n, &request, &mut operator, &inner);
    let found = found.map_err(|error| failure.take().unwrap_or_else(|| not_found(error)))?;
    let (factors, mut shapes) = sorted(found, |theta| 1.0 / theta);
    for shape in &mut shapes {
        let top = largest(shape).max(1e-300);
        shape.iter_mut().for_each(|x| *x /= top);
    }
    Ok(BucklingModes { factors, shapes })
}

fn prepare(system: &mut System, state: &State) {
    system.load(state);
    system.update(&state.history);
    system.rows(&state.history, RowRequest::default());
}

/// Solves for the columns of a force on the columns.
fn solve_columns(system: &mut System, b: &[f64], x: &mut [f64], whole: &mut [f64]) -> Result<()> {
    system.exec().check_stop()?;
    whole.fill(0.0);
    whole[..b.len()].copy_from_slice(b);
    system.solve(whole)?;
    x.copy_from_slice(&whole[..x.len()]);
    Ok(())
}

/// Keeps why a solution failed; the eigensolver only needs to know that it did.
fn keep(failure: &RefCell<Option<CoreError>>, error: CoreError) -> SolveError {
    failure.replace(Some(error));
    SolveError::Unsupported { solver: "the eigensolver", what: "a system that has no solution" }
}

/// Displacements and multipliers of the loads at factor one, with the last factors.
fn unit_load(system: &mut System, state: &State) -> Result<Vec<f64>> {
    let n = state.v.len();
    let mut low = vec![0.0; n];
    system.forces(&state.history, &mut low);
    system.point.load_factor = 1.0;
    let mut x = vec![0.0; n + state.lambda.len()];
    system.forces(&state.history, &mut x[..n]);
    system.point.load_factor = 0.0;
    x.iter_mut().zip(&low).for_each(|(x, low)| *x -= low);
    system.solve(&mut x)?;
    Ok(x)
}

/// The stiffness matrix at `factor` times the linear answer.
fn stiffness_at(system: &mut System, state: &State, answer: &[f64], factor: f64) -> Result<BlockMatrix> {
    let n = state.v.len();
    let moved: Vec<f64> = answer[..n].iter().map(|x| factor * x).collect();
    system.load(state);
    system.retract(&state.q, &moved);
    for (l, d) in system.point.lambda.iter_mut().zip(&answer[n..]) {
        *l += factor * d;
    }
    system.point.load_factor = factor;
    system.update(&state.history);
    system.rows(&state.history, RowRequest::default());
    system.assemble(&state.history, STIFFNESS, None);
    system.point.load_factor = 0.0;
    let matrix = system.matrix().filter(|m| m.pattern().dimension() == answer.len()).cloned();
    matrix.ok_or_else(|| CoreError::Unsupported {
        integrator: "the buckling analysis".into(),
        reason: "the system's matrix covers only some columns; create it with System::new".into(),
    })
}

/// The largest K_ii / M_ii: no frequency is much higher.
fn highest_square(system: &mut System, state: &State) -> f64 {
    system.assemble(&state.history, STIFFNESS, None);
    let Some(matrix) = system.matrix() else { return 0.0 };
    let inverse = system.mass_inverse_diagonal();
    let pattern = matrix.pattern();
    let mut highest = 0.0f64;
    for block in 0..pattern.block_count() {
        let (n, first) = (pattern.size(block), pattern.offset(block));
        let values = matrix.block(block, block);
        for k in (0..n).filter(|k| first + k < inverse.len()) {
            let square = values[k * n + k].abs() * inverse[first + k];
            highest = if inverse[first + k] < 1e100 { highest.max(square) } else { highest };
        }
    }
    highest
}

fn sorted(found: SparseModes, value: impl Fn(&f64) -> f64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut pairs: Vec<(f64, Vec<f64>)> = found.eigenvalues.iter().map(value).zip(found.vectors).collect();
    pairs.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    pairs.into_iter().unzip()
}

fn not_found(error: SolveError) -> CoreError {
    CoreError::Singular { what: "the linearized system".into(), reason: error.to_string() }
}
