//! Assembly of consistent initial conditions: the nearest positions and velocities that satisfy the constraints.

use glam::DVec3;
use huygens_solve::dense::row_dependence;
use huygens_solve::faer::Mat;

use crate::analysis::{largest, misfits, residuals_at};
use crate::contract::{ItemKind, RowRequest};
use crate::error::{CoreError, Result};
use crate::state::State;
use crate::subject::Subject;
use crate::system::{MatrixWeights, System};
use crate::watch::column_scales;

/// Largest residual of an assembled mechanism [m or rad].
const TOLERANCE: f64 = 1e-12;
/// Residual above which a mechanism counts as not assembled [m or rad].
const ACCEPTED: f64 = 1e-9;
const MAX_ITERATIONS: usize = 60;
/// Distance [m] or angle [rad] from which an object counts as moved.
const NOTABLE: f64 = 1e-6;
/// Largest number of rows for which dependent ones are found by orthogonalization.
const DENSE_LIMIT: usize = 640;
/// Remainder of a dependent row, relative to its length.
const DEPENDENT: f64 = 1e-8;

/// Report of an assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssemblyReport {
    /// Largest distance [m] or angle [rad] by which an object was moved to satisfy the constraints.
    pub moved: f64,
    /// The objects that were moved, farthest first.
    pub displaced: Vec<Moved>,
    /// Largest velocity correction [m/s or rad/s].
    pub velocity_change: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest residual of a row afterwards [m or rad].
    pub residual: f64,
    /// Names of redundant rows.
    pub redundant: Vec<String>,
    /// Those of them that are not redundant by their directions: they only appear so because masses differ beyond
    /// double precision, and the solver cannot distinguish them from others.
    pub hidden: Vec<String>,
    /// Whether this was determined; it is not for very many rows.
    pub directions_checked: bool,
    /// Degrees of freedom: columns minus independent rows.
    pub degrees_of_freedom: usize,
}

/// An object that assembly moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The object, such as `body 'crank'`.
    pub what: Subject,
    /// Distance from its given position [m]; zero for shafts.
    pub distance: f64,
    /// Angle from its given orientation [rad].
    pub angle: f64,
}

/// Accepts an initial state unchanged: refuses one that violates a joint, and finds the redundant rows.
pub fn check_start(system: &mut System, state: &mut State) -> Result<AssemblyReport> {
    system.load(state);
    system.update(&state.history);
    if !state.history_ready {
        system.initialize_history(&mut state.history);
    }
    let mut rows = vec![0.0; state.lambda.len()];
    residuals_at(system, &state.history, RowRequest::default(), &mut rows);
    match misfits(system.model(), &rows, ACCEPTED) {
        found if found.is_empty() => assemble(system, state),
        misfits => Err(CoreError::CannotAssemble { time: state.time, misfits }),
    }
}

/// Moves the state to the nearest (in the mass metric) point with $\Phi = 0$ and $\dot\Phi = 0$.
///
/// Each correction solves $M\delta + C_q^T\mu = 0$, $C_q\delta = -\Phi$, at first with a bounded length.
pub fn assemble(system: &mut System, state: &mut State) -> Result<AssemblyReport> {
    let (nv, nr) = (state.v.len(), state.lambda.len());
    let mut report = AssemblyReport { degrees_of_freedom: nv, ..AssemblyReport::default() };
    system.load(state);
    system.update(&state.history);
    if !state.history_ready {
        system.initialize_history(&mut state.history);
    }
    if nr == 0 {
        return Ok(report);
    }
    let q0 = state.q.clone();
    let mut rows = vec![0.0; nr];
    let mut rhs = vec![0.0; nv + nr];
    let mut q = q0.clone();
    residuals_at(system, &state.history, RowRequest { rate: true, gamma: false }, &mut rows);
    let mut error = largest(&rows);
    let mut stalled = 0;
    while error > TOLERANCE && report.iterations < MAX_ITERATIONS && stalled < 3 {
        system.exec().check_stop()?;
        system.assemble(&state.history, MatrixWeights::MASS, None);
        system.factor()?;
        rhs.fill(0.0);
        rhs[nv..].iter_mut().zip(&rows).for_each(|(b, r)| *b = -r);
        system.solve_correction(&mut rhs);
        let size = largest(&rhs[..nv]);
        let scale = if size > 0.5 { 0.5 / size } else { 1.0 };
        rhs[..nv].iter_mut().for_each(|x| *x *= scale);
        system.retract(&q, &rhs[..nv]);
        q.copy_from_slice(&system.point.q);
        residuals_at(system, &state.history, RowRequest { rate: true, gamma: false }, &mut rows);
        let next = largest(&rows);
        stalled = if next > 0.5 * error { stalled + usize::from(scale == 1.0) } else { 0 };
        error = next;
        report.iterations += 1;
    }
    if error > ACCEPTED || error.is_nan() {
        system.exec().check_stop()?;
        return Err(CoreError::CannotAssemble {
            time: state.time,
            misfits: misfits(system.model(), &rows, ACCEPTED),
        });
    }
    report.displaced = displaced(system, &q0, &q);
    report.moved = report.displaced.iter().fold(0.0, |most: f64, m| most.max(m.distance).max(m.angle));
    state.q.copy_from_slice(&q);
    report.velocity_change = assemble_velocities(system, state)?;
    system.update(&state.history);
    if !state.history_ready {
        system.initialize_history(&mut state.history);
    }
    // Later in a run (kinematics assembles at every time) the pivots of the factorization are enough.
    let dependent = if state.step == 0 { dependent_rows(system) } else { system.redundant_rows.clone() };
    state.redundant = !dependent.is_empty();
    let name = |&r: &usize| system.model().row_name(r).to_string();
    report.redundant = dependent.iter().map(name).collect();
    report.residual = error;
    if state.step == 0 && !dependent.is_empty() && nr <= DENSE_LIMIT {
        let (scales, _) = column_scales(system, &state.q);
        let by_directions = dependence(system, &scales);
        report.hidden = dependent.iter().filter(|r| !by_directions.contains(r)).map(name).collect();
        report.directions_checked = true;
    }
    report.degrees_of_freedom = (nv + dependent.len()).saturating_sub(nr);
    state.disturb();
    Ok(report)
}

/// What lies elsewhere in `q` than in `q0` by more than [`NOTABLE`].
fn displaced(system: &System, q0: &[f64], q: &[f64]) -> Vec<Moved> {
    let mut found = Vec::new();
    for e in &system.model().coordinates {
        let width = e.shape.q_per_item;
        let (before, after) = (&q0[e.q_range()], &q[e.q_range()]);
        for (item, (a, b)) in before.chunks_exact(width).zip(after.chunks_exact(width)).enumerate() {
            if a == b {
                continue;
            }
            let (distance, angle) = match e.shape.kind {
                ItemKind::Other => (0.0, largest_difference(a, b)),
                _ if width == 7 => (distance(a, b), angle_between(&a[3..], &b[3..])),
                _ => (distance(a, b), 0.0),
            };
            if distance > NOTABLE || angle > NOTABLE {
                found.push(Moved { what: e.batch.item_name(item), distance, angle });
            }
        }
    }
    found.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(b.angle.total_cmp(&a.angle)));
    found
}

/// Distance of the points with which two items begin.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    DVec3::from_slice(a).distance(DVec3::from_slice(b))
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

/// Angle between two orientations given as unit quaternions [rad].
fn angle_between(a: &[f64], b: &[f64]) -> f64 {
    let chord = |sign: f64| a.iter().zip(b).map(|(a, b)| (a - sign * b).powi(2)).sum::<f64>().sqrt();
    4.0 * (0.5 * chord(1.0).min(chord(-1.0))).asin()
}

/// Rows that depend on rows before them at the system's point.
///
/// Orthogonalization of the rows of $C_q M^{-1/2}$ (M by its diagonal) is exact; it is cubic, so large systems take
/// the tiny pivots of the last factorization, which may miss rows hidden by the regularization of others.
fn dependent_rows(system: &System) -> Vec<usize> {
    if system.model().row_count() > DENSE_LIMIT {
        return system.redundant_rows.clone();
    }
    let scales: Vec<f64> = system.mass_inverse_diagonal().iter().map(|m| m.sqrt()).collect();
    dependence(system, &scales)
}

/// Rows that depend on rows before them where columns have these scales.
fn dependence(system: &System, scales: &[f64]) -> Vec<usize> {
    // Only columns that some row touches count: free bodies may be many.
    let mut place = vec![usize::MAX; scales.len()];
    let mut count = 0;
    system.for_each_jacobian_entry(|_, column, _| {
        if place[column] == usize::MAX {
            place[column] = count;
            count += 1;
        }
    });
    let mut scaled = Mat::zeros(system.model().row_count(), count);
    system.for_each_jacobian_entry(|row, column, value| {
        scaled[(row, place[column])] += value * scales[column];
    });
    row_dependence(scaled.as_ref(), DEPENDENT).dependent
}

/// Nearest velocities with $C_q v + \Phi_t = 0$; returns the largest change.
fn assemble_velocities(system: &mut System, state: &mut State) -> Result<f64> {
    let (nv, nr) = (state.v.len(), state.lambda.len());
    let mut rates = vec![0.0; nr];
    let mut rhs = vec![0.0; nv + nr];
    let mut change = 0.0f64;
    system.assemble(&state.history, MatrixWeights::MASS, None);
    system.factor()?;
    for _ in 0..4 {
        system.rows(&state.history, RowRequest { rate: true, gamma: false });
        system.rates(&mut rates);
        rhs.fill(0.0);
        rhs[nv..].iter_mut().zip(&rates).for_each(|(b, r)| *b = -r);
        system.solve_correction(&mut rhs);
        change = change.max(largest(&rhs[..nv]));
        system.point.v.iter_mut().zip(&rhs).for_each(|(v, d)| *v += d);
        system.update(&state.history);
    }
    system.rows(&state.history, RowRequest { rate: true, gamma: false });
    system.rates(&mut rates);
    let speed = 1.0 + largest(&system.point.v);
    system.exec().check_stop()?;
    if largest(&rates) > 1e-7 * speed {
        let misfits = misfits(system.model(), &rates, 1e-7 * speed);
        return Err(CoreError::CannotAssemble { time: state.time, misfits });
    }
    state.v.copy_from_slice(&system.point.v);
    Ok(change)
}
