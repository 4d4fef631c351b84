//! The inverse inertia of a step: bodies, and the factored system where joints or implicit forces couple them.

use std::sync::Mutex;

use glam::{DMat3, DVec3};
use huygens_exec::Exec;
use huygens_solve::{BodyInverse, InverseInertia};

use super::scratch::{CHUNK, Item};
use crate::linear::Demand;
use crate::newton::NewtonMatrix;

/// H⁻¹ with joints and implicit forces eliminated for the bodies they touch.
pub(super) struct StepInverse<'a> {
    pub dimension: usize,
    pub bodies: &'a [BodyInverse],
    pub items: &'a [Item],
    pub rotations: &'a [DMat3],
    pub first_column: usize,
    /// 1/m of every column, for those that are not bodies.
    pub diagonal: &'a [f64],
    /// Factors and work space, where something is coupled.
    pub newton: Option<Mutex<(&'a mut NewtonMatrix, &'a mut Vec<f64>)>>,
    pub rows: usize,
    /// Whether solvers may scale rows by the diagonal.
    pub tells_diagonal: bool,
}

impl StepInverse<'_> {
    fn coupled(&self) -> impl Iterator<Item = usize> {
        (0..self.items.len()).filter(|&i| self.items[i].coupled)
    }

    /// Solves the factored system for the generalized force `f` (world axes) and hands its solution, in body axes, to
    /// `take`: velocities, then multipliers.
    fn with_coupled_solution(&self, ex: &Exec, f: &[f64], take: impl FnOnce(&NewtonMatrix, &mut [f64])) {
        let Some(newton) = &self.newton else { return };
        let Ok(mut guard) = newton.lock() else { return };
        let (newton, work) = &mut *guard;
        work.clear();
        work.extend_from_slice(f);
        work.resize(f.len() + self.rows, 0.0);
        for item in self.coupled() {
            let at = self.first_column + 6 * item + 3;
            rotate(&mut work[at..at + 3], self.rotations[item].transpose());
        }
        // What fails is not a number, which the contact solver reports.
        let _ = newton.solve(ex, work, Demand::Solution);
        take(newton, work);
    }

    /// Adds the multipliers with which the joints answer the generalized force `f` (world axes).
    pub(super) fn add_multipliers(&self, ex: &Exec, f: &[f64], multipliers: &mut [f64]) {
        self.with_coupled_solution(ex, f, |_, work| {
            multipliers.iter_mut().zip(&work[f.len()..]).for_each(|(m, w)| *m += w);
        });
    }
}

impl InverseInertia for StepInverse<'_> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]) {
        let end = self.first_column + 6 * self.items.len();
        let count = v.len();
        for range in [0..self.first_column, end..count] {
            let first = range.start;
            ex.for_each_chunk(&mut v[range], 6 * CHUNK, |chunk, v| {
                for (i, v) in (first + 6 * CHUNK * chunk..).zip(v) {
                    *v = f[i] * self.diagonal[i];
                }
            });
        }
        ex.for_each_chunk(&mut v[self.first_column..end], 6 * CHUNK, |chunk, v| {
            for (k, v) in v.chunks_exact_mut(6).enumerate() {
                let item = chunk * CHUNK + k;
                let at = self.first_column + 6 * item;
                let f: &[f64; 6] = f[at..at + 6].try_into().expect("six columns");
                v.copy_from_slice(&self.bodies[item].apply(*f));
            }
        });
        self.with_coupled_solution(ex, f, |newton, work| {
            for item in self.coupled() {
                let at = self.first_column + 6 * item;
                rotate(&mut work[at + 3..at + 6], self.rotations[item]);
                v[at..at + 6].copy_from_slice(&work[at..at + 6]);
            }
            for i in (0..self.first_column).chain(end..v.len()) {
                if newton.covers_column(i) {
                    v[i] = work[i];
                }
            }
        });
    }

    fn block(&self, item: u32) -> Option<[f64; 36]> {
        if self.newton.is_some() {
            return None;
        }
        let body = self.bodies.get(item as usize)?;
        let mut out = [0.0; 36];
        for c in 0..6 {
            let mut unit = [0.0; 6];
            unit[c] = 1.0;
            body.apply(unit).iter().enumerate().for_each(|(r, x)| out[6 * r + c] = *x);
        }
        Some(out)
    }

    fn diagonal(&self, out: &mut [f64]) -> bool {
        if self.tells_diagonal {
            out.copy_from_slice(self.diagonal);
            for (body, out) in self.bodies.iter().zip(out[self.first_column..].chunks_exact_mut(6)) {
                let [x, y, z, ..] = body.inverse_inertia;
                let m = body.inverse_mass;
                out.copy_from_slice(&[m, m, m, x, y, z]);
            }
        }
        self.tells_diagonal
    }

    fn bodies(&self) -> Option<&[BodyInverse]> {
        (self.newton.is_none() && self.dimension == 6 * self.items.len()).then_some(self.bodies)
    }
}

pub(super) fn rotate(x: &mut [f64], r: DMat3) {
    x.copy_from_slice(&(r * DVec3::from_slice(x)).to_array());
}
