//! Rows with stored entries in the iteration: joints, limits and motors in addition to contacts.

use super::body_pass::Bodies;
use super::contact_pass::{ITERATES, Pass, Sums};
use crate::cone::motion::Twists;
use crate::cone::projection::{Cone, FrictionLaw};
use crate::cone::rows::{RowOperator, SparseRows};
use crate::cone::share::Share;
use huygens_exec::Exec;

/// Cones per chunk.
const CONES: usize = 128;

/// What the iteration keeps of one row.
#[derive(Clone, Copy, Default)]
struct RowState {
    r: f64,
    /// Diagonal of E.
    compliance: f64,
    /// Mean diagonal of N over the rows of the cone: the metric.
    weight: f64,
    n: [f64; 2],
    x: [f64; ITERATES],
}

/// Consecutive cones, with their share of every sum.
#[derive(Clone, Default)]
struct SparseChunk {
    first_row: usize,
    cones: Vec<Cone>,
    states: Vec<RowState>,
    sums: Sums,
}

/// The rows of one block.
#[derive(Clone, Default)]
pub(super) struct SparsePart {
    chunks: Vec<SparseChunk>,
    /// Where each row is: its chunk, and its place there.
    places: Vec<(u32, u32)>,
}

/// One row times the velocities of the bodies.
fn product(rows: &SparseRows, row: usize, bodies: &Bodies) -> f64 {
    rows.row(row).map(|(c, a)| a * bodies.twist(c / 6).column(c % 6)).sum()
}

impl SparsePart {
    pub(super) fn prepare(&mut self, rows: &SparseRows, bodies: &Bodies, share: &Share<'_>) {
        self.chunks.resize_with(share.cones.len().div_ceil(CONES), SparseChunk::default);
        self.places.clear();
        let mut row = 0;
        for (c, (chunk, cones)) in self.chunks.iter_mut().zip(share.cones.chunks(CONES)).enumerate() {
            chunk.first_row = row;
            chunk.cones.clear();
            chunk.cones.extend_from_slice(cones);
            chunk.states.clear();
            for cone in cones {
                let range = row..row + cone.rows();
                let mut start = [0.0; Cone::MAX_ROWS];
                start[..cone.rows()].copy_from_slice(&share.start[range.clone()]);
                cone.restrict(&mut start[..cone.rows()]);
                let compliance = |row: usize| share.compliance.get(row).copied().unwrap_or(0.0);
                let trace: f64 =
                    range.clone().map(|row| share.row_diagonal(rows, row) + compliance(row)).sum();
                let weight = if trace > 0.0 { trace / cone.rows() as f64 } else { 1.0 };
                for (i, row) in range.enumerate() {
                    self.places.push((c as u32, chunk.states.len() as u32));
                    chunk.states.push(RowState {
                        r: product(rows, row, bodies) + share.bias[row],
                        compliance: compliance(row),
                        weight,
                        n: [0.0; 2],
                        x: [start[i], if i == 0 { 1.0 / weight } else { 0.0 }, 0.0, 0.0],
                    });
                }
                row += cone.rows();
            }
        }
    }

    /// Force and torque on one body, padded.
    pub(super) fn force(&self, rows: &SparseRows, body: usize, slot: usize) -> [[f64; 4]; 2] {
        let mut f = [[0.0; 4]; 2];
        if self.places.is_empty() {
            return f;
        }
        for c in 0..6 {
            f[c / 3][c % 3] = rows.column_product(6 * body + c, |row| {
                let (chunk, place) = self.places[row];
                self.chunks[chunk as usize].states[place as usize].x[slot]
            });
        }
        f
    }

    /// (Σ d_e x_e)² ≤ m Σ (d_e x_e)² over the m entries of a row.
    pub(super) fn add_bounds(&self, rows: &SparseRows, share: &Share<'_>, bounds: &mut [f64]) {
        for row in 0..rows.rows() {
            let (chunk, place) = self.places[row];
            let weight = self.chunks[chunk as usize].states[place as usize].weight;
            let entries = rows.row(row);
            let count = entries.len() as f64;
            for (c, a) in entries {
                let body = &share.bodies[c / 6];
                let [xx, yy, zz, ..] = body.inverse_inertia;
                bounds[c / 6] += count * a * a * body.inverse_mass.max(xx + yy + zz) / weight;
            }
        }
    }

    pub(super) fn pass(&mut self, ex: &Exec, rows: &SparseRows, bodies: &Bodies, pass: Pass) -> Sums {
        ex.for_each_chunk(&mut self.chunks, 1, |_, chunk| chunk[0].pass(rows, bodies, pass));
        let mut sums = Sums::default();
        self.chunks.iter().for_each(|chunk| sums.add(&chunk.sums));
        sums
    }

    pub(super) fn estimate(&self, rows: &SparseRows, bodies: &Bodies, slot: usize) -> [f64; 4] {
        let mut squares = [0.0; 4];
        for (row, &(chunk, place)) in self.places.iter().enumerate() {
            let state = &self.chunks[chunk as usize].states[place as usize];
            let d = state.x[slot];
            let n_d = product(rows, row, bodies) + state.compliance * d;
            squares[0] += d * d;
            squares[1] += n_d * n_d;
            squares[2] += state.weight * d * d;
            squares[3] += n_d * n_d / state.weight;
        }
        squares
    }

    pub(super) fn write(&self, slot: usize, l: &mut [f64]) {
        for (l, &(chunk, place)) in l.iter_mut().zip(&self.places) {
            *l = self.chunks[chunk as usize].states[place as usize].x[slot];
        }
    }
}

impl SparseChunk {
    fn pass(&mut self, rows: &SparseRows, bodies: &Bodies, pass: Pass) {
        let mut sums = Sums::default();
        let mut place = 0;
        for cone in &self.cones {
            let count = cone.rows();
            let states = &mut self.states[place..place + count];
            let mut moved = [0.0; Cone::MAX_ROWS];
            if pass.measure {
                for (i, state) in states.iter_mut().enumerate() {
                    let x = state.x[pass.current];
                    let n_x = product(rows, self.first_row + place + i, bodies) + state.compliance * x;
                    state.n[pass.product] = n_x;
                    moved[i] = x - pass.reach * (n_x + state.r);
                }
                cone.project_by(pass.friction, &mut moved[..count]);
                for (i, state) in states.iter().enumerate() {
                    sums.residual += (state.x[pass.current] - moved[i]).powi(2);
                }
            }
            if pass.advance {
                let [mut y, mut gradient] = [[0.0; Cone::MAX_ROWS]; 2];
                for (i, state) in states.iter().enumerate() {
                    let (x, n_x) = (state.x[pass.current], state.n[pass.product]);
                    y[i] = x + pass.beta * (x - state.x[pass.before]);
                    gradient[i] = n_x + pass.beta * (n_x - state.n[1 - pass.product]) + state.r;
                    moved[i] = y[i] - pass.step / state.weight * gradient[i];
                }
                cone.project_by(pass.friction, &mut moved[..count]);
                for (i, state) in states.iter_mut().enumerate() {
                    state.x[pass.next] = moved[i];
                    let d = moved[i] - y[i];
                    sums.length += state.weight * d * d;
                    sums.curvature += state.compliance * d * d;
                    let change = moved[i] - state.x[pass.current];
                    sums.progress += match pass.friction {
                        FrictionLaw::Relaxed => gradient[i] * change,
                        FrictionLaw::Coulomb => -state.weight * d * change,
                    };
                }
            }
            place += count;
        }
        self.sums = sums;
    }
}
