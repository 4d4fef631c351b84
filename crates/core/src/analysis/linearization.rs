//! Linearization about a state: mass, damping, stiffness and constraint matrices, and eigenmodes.

use huygens_solve::faer::MatRef;
use huygens_solve::{LinearizedSystem, Modes, SolveError, constrained_modes, undamped_modes};

use crate::contract::RowRequest;
use crate::error::{CoreError, Result};
use crate::state::State;
use crate::system::{MatrixWeights, System};

/// Dense matrices of $M\delta\ddot q + D\delta\dot q + K\delta q + C_q^T\delta\lambda = 0$, $C_q\delta q = 0$, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// Number of columns; those fixed by supports are excluded.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// Mass matrix.
    pub mass: Vec<f64>,
    /// Damping and gyroscopic matrix.
    pub damping: Vec<f64>,
    /// Stiffness matrix, constraint forces included.
    pub stiffness: Vec<f64>,
    /// Constraint Jacobian.
    pub jacobian: Vec<f64>,
}

/// Linearizes about `state` with its multipliers.
pub fn linearize(system: &mut System, state: &State) -> Linearization {
    let rows = state.lambda.len();
    let held = system.model().fixed.clone();
    let free: Vec<usize> = (0..state.v.len()).filter(|c| held.binary_search(&(*c as u32)).is_err()).collect();
    let last: Vec<usize> = (state.v.len()..state.v.len() + rows).collect();
    system.load(state);
    system.update(&state.history);
    system.rows(&state.history, RowRequest::default());
    let zero = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 0.0, geometric: 0.0 };
    let mut part = |weights: MatrixWeights, of: &[usize]| {
        system.assemble(&state.history, weights, None);
        dense(system, of, &free)
    };
    Linearization {
        columns: free.len(),
        rows,
        mass: part(MatrixWeights::MASS, &free),
        damping: part(MatrixWeights { damping: 1.0, ..zero }, &free),
        stiffness: part(MatrixWeights { stiffness: 1.0, geometric: 1.0, ..zero }, &free),
        jacobian: part(zero, &last),
    }
}

/// Some rows and columns of the assembled matrix.
fn dense(system: &System, rows: &[usize], columns: &[usize]) -> Vec<f64> {
    let total = system.model().velocity_count() + system.model().row_count();
    let mut out = vec![0.0; rows.len() * columns.len()];
    let (mut x, mut y) = (vec![0.0; total], vec![0.0; total]);
    for (c, &column) in columns.iter().enumerate() {
        x[column] = 1.0;
        system.matrix_product(&x, &mut y);
        x[column] = 0.0;
        for (r, &row) in rows.iter().enumerate() {
            out[r * columns.len() + c] = y[row];
        }
    }
    out
}

impl Linearization {
    fn solve(
        &self,
        f: impl Fn(&LinearizedSystem<'_>) -> std::result::Result<Modes, SolveError>,
    ) -> Result<Modes> {
        let n = self.columns;
        let system = LinearizedSystem {
            mass: MatRef::from_row_major_slice(&self.mass, n, n),
            damping: Some(MatRef::from_row_major_slice(&self.damping, n, n)),
            stiffness: MatRef::from_row_major_slice(&self.stiffness, n, n),
            constraints: (self.rows > 0).then(|| MatRef::from_row_major_slice(&self.jacobian, self.rows, n)),
        };
        f(&system)
            .map_err(|e| CoreError::Singular { what: "the linearized system".into(), reason: e.to_string() })
    }

    /// All modes, damping included.
    pub fn modes(&self) -> Result<Modes> {
        self.solve(constrained_modes)
    }

    /// Modes without damping and gyroscopic terms.
    pub fn undamped_modes(&self) -> Result<Modes> {
        self.solve(undamped_modes)
    }
}
