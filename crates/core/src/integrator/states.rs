//! Implicit update of first-order states inside a step.

use crate::model::Model;
use crate::system::System;

/// Solves $z = z_n + h[(1-\theta)\dot z_n + \theta\dot z(z)]$ by Newton with a Jacobian from differences.
pub(crate) struct StateSolver {
    jacobian: Vec<f64>,
    pivots: Vec<usize>,
    rate: Vec<f64>,
    base: Vec<f64>,
    fresh: bool,
}

impl StateSolver {
    pub fn new(model: &Model) -> Self {
        let n = model.z_count;
        Self {
            jacobian: vec![0.0; n * n],
            pivots: vec![0; n],
            rate: vec![0.0; n],
            base: vec![0.0; n],
            fresh: false,
        }
    }

    /// Discards the Jacobian: call it at the start of a step.
    pub fn begin(&mut self) {
        self.fresh = false;
    }

    /// One Newton correction of the point's `z`; frames must be fresh. Returns the size of the correction
    /// relative to `1 + |z|`.
    pub fn correct(
        &mut self,
        system: &mut System,
        history: &[f64],
        z0: &[f64],
        rate0: &[f64],
        h: f64,
        theta: f64,
    ) -> f64 {
        let n = z0.len();
        if n == 0 {
            return 0.0;
        }
        system.state_rates(history, &mut self.rate);
        if !self.fresh {
            self.difference(system, history, h * theta);
            self.fresh = true;
        }
        for i in 0..n {
            self.base[i] = z0[i] + h * ((1.0 - theta) * rate0[i] + theta * self.rate[i]) - system.point.z[i];
        }
        lu_solve(&self.jacobian, &self.pivots, &mut self.base);
        let mut size: f64 = 0.0;
        for i in 0..n {
            system.point.z[i] += self.base[i];
            size = size.max(self.base[i].abs() / (1.0 + system.point.z[i].abs()));
        }
        system.update(history);
        let mut rate = std::mem::take(&mut system.point.z_rate);
        system.state_rates(history, &mut rate);
        system.point.z_rate = rate;
        size
    }

    /// $J = I - h\theta\,\partial\dot z/\partial z$ by forward differences, factored.
    fn difference(&mut self, system: &mut System, history: &[f64], weight: f64) {
        let n = self.rate.len();
        for j in 0..n {
            let kept = system.point.z[j];
            let step = 1e-7 * (1.0 + kept.abs());
            system.point.z[j] = kept + step;
            system.update(history);
            system.state_rates(history, &mut self.base);
            system.point.z[j] = kept;
            for i in 0..n {
                let unit = f64::from(i == j);
                self.jacobian[i * n + j] = unit - weight * (self.base[i] - self.rate[i]) / step;
            }
        }
        system.update(history);
        lu_factor(&mut self.jacobian, &mut self.pivots);
    }
}

/// In-place LU with partial pivoting of a row-major matrix; no allocation, for a handful of controller states.
fn lu_factor(a: &mut [f64], pivots: &mut [usize]) {
    let n = pivots.len();
    for k in 0..n {
        let p = (k..n).fold(k, |p, i| if a[i * n + k].abs() > a[p * n + k].abs() { i } else { p });
        pivots[k] = p;
        if p != k {
            (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
        }
        let pivot = a[k * n + k];
        for i in k + 1..n {
            let factor = a[i * n + k] / pivot;
            a[i * n + k] = factor;
            for j in k + 1..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
}

fn lu_solve(a: &[f64], pivots: &[usize], b: &mut [f64]) {
    let n = pivots.len();
    for k in 0..n {
        b.swap(k, pivots[k]);
        for i in k + 1..n {
            b[i] -= a[i * n + k] * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
}
