//! Central differences of constraint rows and forces along the retraction.

use huygens_core::contract::RowRequest;
use huygens_core::{MatrixWeights, State, System};
use huygens_exec::Exec;
use huygens_multibody::Mechanism;

use super::Random;

/// Points and weights of a fourth-order central difference.
const STENCIL: [(f64, f64); 4] = [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)];
/// Step of the differences: truncation and rounding meet near 1e-12.
const STEP: f64 = 2e-4;
const ALL: RowRequest = RowRequest { rate: true, gamma: true };
const ZERO: MatrixWeights = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 0.0, geometric: 0.0 };

/// A mechanism at a point, whose derivatives are checked.
pub struct Probe {
    pub system: System,
    pub state: State,
    /// Largest difference, relative to 1 + the largest entry.
    pub tolerance: f64,
    name: String,
}

impl Probe {
    /// At the bodies' starting poses and velocities, at a time when all functions move.
    pub fn new(name: &str, mechanism: &Mechanism, random: &mut Random) -> Self {
        let mut system = System::new(mechanism.model.clone(), Exec::serial());
        let mut state = State::new(&mechanism.model);
        state.time = 0.37;
        state.lambda = random.list(state.lambda.len());
        state.z = random.list(state.z.len());
        system.load(&state);
        system.update(&state.history);
        system.initialize_history(&mut state.history);
        Self { system, state, tolerance: 1e-8, name: name.into() }
    }

    /// Goes to the point q ⊕ x, v, t + dt (first-order states follow their rates).
    fn go(&mut self, x: &[f64], v: &[f64], dt: f64) {
        let (system, state) = (&mut self.system, &self.state);
        system.load(state);
        system.update(&state.history);
        let mut rate = vec![0.0; state.z.len()];
        system.state_rates(&state.history, &mut rate);
        (0..rate.len()).for_each(|i| system.point.z[i] = state.z[i] + dt * rate[i]);
        system.retract(&state.q, x);
        system.point.v.copy_from_slice(v);
        system.point.time = state.time + dt;
        system.update(&state.history);
        system.rows(&state.history, ALL);
    }

    fn rest(&mut self) {
        let (x, v) = (vec![0.0; self.state.v.len()], self.state.v.clone());
        self.go(&x, &v, 0.0);
    }

    fn rows(&self, read: impl Fn(&System, &mut [f64])) -> Vec<f64> {
        let mut out = vec![0.0; self.state.lambda.len()];
        read(&self.system, &mut out);
        out
    }

    /// Central difference of `read` over position column `c`.
    fn by_position(&mut self, c: usize, read: &mut dyn FnMut(&mut Self) -> Vec<f64>) -> Vec<f64> {
        let (mut x, v) = (vec![0.0; self.state.v.len()], self.state.v.clone());
        difference(|d| {
            x[c] = d;
            self.go(&x, &v, 0.0);
            read(self)
        })
    }

    /// Central difference of `read` along the motion with constant velocities.
    fn by_time(&mut self, read: &mut dyn FnMut(&mut Self) -> Vec<f64>) -> Vec<f64> {
        let v = self.state.v.clone();
        difference(|dt| {
            let x: Vec<f64> = v.iter().map(|v| v * dt).collect();
            self.go(&x, &v, dt);
            read(self)
        })
    }

    fn compare(&self, what: &str, got: &[f64], expected: &[f64]) {
        let scale = 1.0 + expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for i in 0..got.len() {
            assert!(
                (got[i] - expected[i]).abs() <= self.tolerance * scale,
                "{}: {what}, entry {i}: got {}, differences give {}\n got {got:.6?}\n differences {expected:.6?}",
                self.name,
                got[i],
                expected[i]
            );
        }
    }

    fn matrix_column(&mut self, weights: MatrixWeights, c: usize) -> Vec<f64> {
        self.rest();
        self.system.assemble(&self.state.history, weights, None);
        let n = self.state.v.len();
        let mut x = vec![0.0; n + self.state.lambda.len()];
        let mut y = x.clone();
        x[c] = 1.0;
        self.system.matrix_product(&x, &mut y);
        y.truncate(n);
        y
    }

    /// Checks Jacobian, rates, γ and ∂(Cqᵀλ)/∂q of all constraint rows.
    pub fn check_rows(&mut self) {
        self.check_rows_and(true);
    }

    /// As [`Probe::check_rows`] without ∂(Cqᵀλ)/∂q.
    pub fn check_motion_of_rows(&mut self) {
        self.check_rows_and(false);
    }

    fn check_rows_and(&mut self, tangent: bool) {
        let n = self.state.v.len();
        assert!(!self.state.lambda.is_empty(), "{}: no rows", self.name);
        let lambda = self.state.lambda.clone();
        for c in 0..n {
            let expected = self.by_position(c, &mut |p| p.rows(|s, out| s.residuals(out)));
            self.rest();
            let mut unit = vec![0.0; n];
            unit[c] = 1.0;
            let got = self.rows(|s, out| s.jacobian_product(&unit, out));
            self.compare(&format!("Jacobian column {c}"), &got, &expected);
            if !tangent {
                continue;
            }
            let expected = self.by_position(c, &mut |p| {
                let mut f = vec![0.0; n];
                p.system.add_reactions(&lambda, 1.0, &mut f);
                f
            });
            let got = self.matrix_column(MatrixWeights { geometric: 1.0, ..ZERO }, c);
            self.compare(&format!("tangent of reactions, column {c}"), &got, &expected);
        }
        let expected = self.by_time(&mut |p| p.rows(|s, out| s.residuals(out)));
        self.rest();
        let got = self.rows(|s, out| s.rates(out));
        self.compare("rate", &got, &expected);
        let expected = self.by_time(&mut |p| p.rows(|s, out| s.rates(out)));
        self.rest();
        let got: Vec<f64> = self.rows(|s, out| s.gammas(out)).iter().map(|g| -g).collect();
        self.compare("gamma", &got, &expected);
    }

    fn forces(&mut self) -> Vec<f64> {
        let mut f = vec![0.0; self.state.v.len()];
        self.system.forces(&self.state.history, &mut f);
        f.iter_mut().for_each(|f| *f = -*f);
        f
    }

    /// Checks −∂f/∂q.
    pub fn check_stiffness(&mut self) {
        let mut seen = 0.0f64;
        for c in 0..self.state.v.len() {
            let expected = self.by_position(c, &mut |p| p.forces());
            let got = self.matrix_column(MatrixWeights { stiffness: 1.0, ..ZERO }, c);
            self.compare(&format!("stiffness column {c}"), &got, &expected);
            seen = seen.max(super::largest(&expected));
        }
        assert!(seen > 1e-3, "{}: no stiffness to check", self.name);
    }

    /// Checks ∂(b − f)/∂v.
    pub fn check_damping(&mut self) {
        let (zero, v) = (vec![0.0; self.state.v.len()], self.state.v.clone());
        for c in 0..v.len() {
            let mut moved = v.clone();
            let expected = difference(|d| {
                moved[c] = v[c] + d;
                self.go(&zero, &moved, 0.0);
                let mut f = self.forces();
                self.system.point.acceleration.fill(0.0);
                self.system.add_inertia_force(&mut f);
                f
            });
            let got = self.matrix_column(MatrixWeights { damping: 1.0, ..ZERO }, c);
            self.compare(&format!("damping column {c}"), &got, &expected);
        }
    }
}

fn difference(mut at: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let mut sum = Vec::new();
    for (place, weight) in STENCIL {
        let values = at(place * STEP);
        sum.resize(values.len(), 0.0);
        sum.iter_mut().zip(values).for_each(|(s, x)| *s += weight * x / (12.0 * STEP));
    }
    sum
}
