//! The blocks of rows of a sweep.

#![expect(unsafe_code, reason = "chunks write to disjoint parts of the same vectors")]

use super::colour::{Colouring, EMPTY};
use super::sweep::{Body, FIXED, ITERATES, SweepBatch, SweepPass, Task};
use crate::cone::problem::BodyInverse;
use crate::cone::projection::{Cone, FrictionLaw};
use crate::cone::rows::{LANES, PairContact, PairRows, RowOperator, SparseRows};
use crate::cone::share::Share;
use huygens_exec::Disjoint;
use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;

/// Batches per chunk.
const CHUNK: usize = 64;

/// Contacts of one block.
#[derive(Clone)]
pub(super) struct ContactSweep<const PARTS: usize> {
    colouring: Colouring,
    batches: Vec<SweepBatch<PARTS>>,
    sums: Vec<[f64; 2]>,
    /// Sum of a sweep over each chunk of a colour, at the place of its first batch.
    progress: Vec<f64>,
}

impl<const PARTS: usize> Default for ContactSweep<PARTS> {
    fn default() -> Self {
        Self { colouring: Colouring::default(), batches: vec![], sums: vec![], progress: vec![] }
    }
}

/// N of one contact in world axes, by one side: 1/m − [r] I⁻¹ [r], row-major.
fn side_block(body: &BodyInverse, arm: [f64; 3]) -> [[f64; 3]; 3] {
    let [xx, yy, zz, xy, xz, yz] = body.inverse_inertia;
    let ([x, y, z], m) = (arm, body.inverse_mass);
    // −[r] I⁻¹ [r] = [r] I⁻¹ [r]ᵀ, and these are the rows of [r] I⁻¹.
    let a = [y * xz - z * xy, y * yz - z * yy, y * zz - z * yz];
    let b = [z * xx - x * xz, z * xy - x * yz, z * xz - x * zz];
    let c = [x * xy - y * xx, x * yy - y * xy, x * yz - y * xz];
    let ab = z * a[0] - x * a[2];
    let ac = x * a[1] - y * a[0];
    let bc = x * b[1] - y * b[0];
    [[m + y * a[2] - z * a[1], ab, ac], [ab, m + z * b[0] - x * b[2], bc], [ac, bc, m + x * c[1] - y * c[0]]]
}

/// Weights (along n, across n) that make a diagonal larger than the block: a step with them never overshoots.
///
/// Everything is a sum of products with the axes n, u, w: differences of squares would cancel, and rounding would then
/// depend on units and axes.
fn majorant(block: [[f64; 3]; 3], [n, u, w]: [[f64; 3]; 3]) -> [f64; 2] {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let product = |a: [f64; 3]| block.map(|row| dot(row, a));
    let (along_n, along_u, along_w) = (product(n), product(u), product(w));
    let coupling = dot(u, along_n).hypot(dot(w, along_n));
    let (uu, ww, uw) = (dot(u, along_u), dot(w, along_w), dot(u, along_w));
    let across = 0.5 * (uu + ww) + (0.5 * (uu - ww)).hypot(uw);
    [dot(n, along_n) + coupling, across + coupling]
}

impl<const PARTS: usize> ContactSweep<PARTS> {
    pub(super) fn prepare(&mut self, ex: &Exec, pair: &PairRows, share: &Share<'_>) {
        let first = pair.first_column() / 6;
        let movable = |item: usize| share.bodies[first + item] != BodyInverse::default();
        self.colouring.find(pair, movable);
        let count = self.colouring.order.len() / LANES;
        let ground = share.bodies.len() as u32;
        self.batches.resize(count, SweepBatch::empty(ground));
        self.sums.resize(count.div_ceil(CHUNK), [0.0; 2]);
        self.progress.resize(count, 0.0);
        let order = &self.colouring.order;
        ex.for_each_chunk(&mut self.batches, CHUNK, |chunk, batches| {
            for (k, batch) in batches.iter_mut().enumerate() {
                *batch = SweepBatch::empty(ground);
                let places = (chunk * CHUNK + k) * LANES..;
                for (lane, &contact) in order[places].iter().take(LANES).enumerate() {
                    if contact != EMPTY {
                        fill(batch, lane, pair, contact as usize, share);
                    }
                }
            }
        });
    }

    /// Sets iterate 0 to impulses along the normals that would give unit speeds to free masses: neither the choice
    /// of tangents nor units matter.
    pub(super) fn probe(&mut self, ex: &Exec, pair: &PairRows, share: &Share<'_>) {
        let (order, first) = (&self.colouring.order, pair.first_column() / 6);
        let mass = |item: u32| match item {
            PairContact::GROUND => 0.0,
            item => share.bodies[first + item as usize].inverse_mass,
        };
        ex.for_each_chunk(&mut self.batches, CHUNK, |chunk, batches| {
            for (k, batch) in batches.iter_mut().enumerate() {
                for lane in 0..LANES {
                    let contact = order[(chunk * CHUNK + k) * LANES + lane];
                    if contact != EMPTY {
                        let [a, b] = pair.items(contact as usize);
                        let weight = mass(a) + mass(b) + batch.compliance[0][0][lane];
                        let size = if weight > 0.0 { 1.0 / weight } else { 1.0 };
                        (0..3).for_each(|i| batch.x[0][0][i][lane] = size * batch.normal[i][lane]);
                    }
                }
            }
        });
    }

    /// Sets iterate 0 to the feasible start.
    pub(super) fn start(&mut self, ex: &Exec, pair: &PairRows, share: &Share<'_>) {
        let order = &self.colouring.order;
        let width = 3 * PARTS;
        ex.for_each_chunk(&mut self.batches, CHUNK, |chunk, batches| {
            for (k, batch) in batches.iter_mut().enumerate() {
                for lane in 0..LANES {
                    let contact = order[(chunk * CHUNK + k) * LANES + lane] as usize;
                    if contact == EMPTY as usize {
                        continue;
                    }
                    let mut l = [0.0; 6];
                    l[..width].copy_from_slice(&share.start[width * contact..width * (contact + 1)]);
                    share.cones[contact].restrict(&mut l[..width]);
                    let contact = pair.contact(contact);
                    for (x, l) in batch.x[0].iter_mut().zip(l.chunks_exact(3)) {
                        let world = contact.world([l[0], l[1], l[2]]);
                        (x[0][lane], x[1][lane], x[2][lane]) = (world[0], world[1], world[2]);
                    }
                }
            }
        });
    }

    /// One pass in the order of colours; the sum that a step asks for.
    pub(super) fn sweep(
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        friction: FrictionLaw,
        task: Task,
        slot: usize,
        bodies: &Disjoint<'_, Body>,
    ) -> f64 {
        let mut total = 0.0;
        for (group, range) in self.colouring.groups().enumerate() {
            let serial = Colouring::is_serial(group);
            let chunk = if serial { range.len().max(1) } else { CHUNK };
            let sums = Disjoint::new(&mut self.progress[range.clone()]);
            ex.for_each_chunk(&mut self.batches[range.clone()], chunk, |c, batches| {
                // SAFETY: the first place of each chunk is its own.
                let sum = unsafe { sums.piece(c * chunk..c * chunk + 1) };
                sum[0] = set.run(SweepPass { task, friction, slot, batches, bodies })[0];
            });
            total += self.progress[range].iter().step_by(chunk).sum::<f64>();
        }
        total
    }

    /// Sums over all contacts; nothing is written to bodies.
    pub(super) fn total(
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        friction: FrictionLaw,
        task: Task,
        slot: usize,
        bodies: &Disjoint<'_, Body>,
    ) -> [f64; 2] {
        let batches = Disjoint::new(&mut self.batches);
        ex.for_each_chunk(&mut self.sums, 1, |c, sums| {
            // SAFETY: each chunk has its own batches.
            let batches = unsafe { batches.piece(c * CHUNK..(c + 1) * CHUNK) };
            sums[0] = set.run(SweepPass { task, friction, slot, batches, bodies });
        });
        self.sums.iter().fold([0.0; 2], |total, part| [total[0] + part[0], total[1] + part[1]])
    }

    /// Writes multipliers of the rows.
    pub(super) fn write(&self, ex: &Exec, pair: &PairRows, slot: usize, l: &mut [f64]) {
        let width = 3 * PARTS;
        ex.for_each_chunk(l, CHUNK * width, |chunk, l| {
            for (k, l) in l.chunks_exact_mut(width).enumerate() {
                let contact = chunk * CHUNK + k;
                let place = self.colouring.places[contact] as usize;
                let (contact, lane) = (pair.contact(contact), place % LANES);
                for (x, l) in self.batches[place / LANES].x[slot].iter().zip(l.chunks_exact_mut(3)) {
                    l.copy_from_slice(&contact.local([x[0][lane], x[1][lane], x[2][lane]]));
                }
            }
        });
    }
}

/// Fills one lane with what does not change during the sweeps.
fn fill<const PARTS: usize>(
    batch: &mut SweepBatch<PARTS>,
    lane: usize,
    pair: &PairRows,
    index: usize,
    share: &Share<'_>,
) {
    let contact = pair.contact(index);
    let n = contact.axes[0];
    let mut blocks = [[[0.0; 3]; 3]; 2];
    for (side, &item) in contact.items.iter().enumerate().filter(|(_, i)| **i != PairContact::GROUND) {
        let body = pair.first_column() / 6 + item as usize;
        let inverse = &share.bodies[body];
        let fixed = if *inverse == BodyInverse::default() { FIXED } else { 0 };
        batch.bodies[side][lane] = body as u32 | fixed;
        let slip = side_block(inverse, contact.arms[side]);
        let [xx, yy, zz, xy, xz, yz] = inverse.inverse_inertia;
        let turn = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        for i in 0..3 {
            for j in 0..3 {
                blocks[0][i][j] += slip[i][j];
                blocks[1][i][j] += turn[i][j];
            }
        }
    }
    let (mu, cohesion, spinning, rolling) = match share.cones[index] {
        Cone::Rolling { mu, rolling, spinning, cohesion } => (mu, cohesion, spinning, rolling),
        Cone::Friction { mu, cohesion } => (mu, cohesion, 0.0, 0.0),
        _ => (0.0, 0.0, 0.0, 0.0),
    };
    let coefficients = [[mu, cohesion], [spinning, rolling]];
    for c in 0..3 {
        batch.normal[c][lane] = n[c];
        (0..2).for_each(|side| batch.arms[side][c][lane] = contact.arms[side][c]);
    }
    for part in 0..PARTS {
        let at = 3 * (PARTS * index + part);
        let weights = majorant(blocks[part], contact.axes);
        for i in 0..2 {
            let e = share.compliance.get(at + i).copied().unwrap_or(0.0);
            // Twice the diagonal blocks outweigh what couples force and couple.
            let weight = PARTS as f64 * weights[i] + e;
            batch.weight[part][i][lane] = if weight > 0.0 { weight } else { 1.0 };
            batch.compliance[part][i][lane] = e;
            batch.cone[part][i][lane] = coefficients[part][i];
        }
        let bias = contact.world([share.bias[at], share.bias[at + 1], share.bias[at + 2]]);
        (0..3).for_each(|i| batch.bias[part][i][lane] = bias[i]);
    }
}

/// Rows with stored entries, swept one cone after the other.
#[derive(Clone, Default)]
pub(super) struct SparseSweep {
    x: [Vec<f64>; ITERATES],
    /// Trace of N over the rows of the cone: a step with it never overshoots.
    weights: Vec<f64>,
}

impl SparseSweep {
    pub(super) fn prepare(&mut self, rows: &SparseRows, share: &Share<'_>) {
        for x in &mut self.x {
            x.clear();
            x.resize(rows.rows(), 0.0);
        }
        self.weights.clear();
        self.weights.resize(rows.rows(), 1.0);
        let mut row = 0;
        for cone in share.cones {
            let range = row..row + cone.rows();
            let one = |row: usize| {
                share.row_diagonal(rows, row) + share.compliance.get(row).copied().unwrap_or(0.0)
            };
            let trace: f64 = range.clone().map(one).sum();
            self.weights[range].fill(if trace > 0.0 { trace } else { 1.0 });
            row += cone.rows();
        }
    }

    /// Sets iterate 0 to a probe: what would give unit speeds, in the first row of each cone.
    pub(super) fn probe(&mut self, share: &Share<'_>) {
        let mut row = 0;
        for cone in share.cones {
            self.x[0][row] = cone.rows() as f64 / self.weights[row];
            row += cone.rows();
        }
    }

    /// Sets iterate 0 to the feasible start.
    pub(super) fn start(&mut self, share: &Share<'_>) {
        let x = &mut self.x[0];
        x.copy_from_slice(share.start);
        let mut row = 0;
        for cone in share.cones {
            cone.restrict(&mut x[row..row + cone.rows()]);
            row += cone.rows();
        }
    }

    /// One task over all rows, with the sums it asks for.
    pub(super) fn sweep(
        &mut self,
        rows: &SparseRows,
        share: &Share<'_>,
        task: Task,
        slot: usize,
        bodies: &mut [Body],
    ) -> [f64; 2] {
        let mut sums = [0.0; 2];
        let mut row = 0;
        for cone in share.cones {
            let count = cone.rows();
            let [mut from, mut gradient] = [[0.0; Cone::MAX_ROWS]; 2];
            for i in 0..count {
                let at = row + i;
                let x = self.x[slot][at];
                from[i] = match task {
                    Task::Step(step) => x + step.beta * (x - self.x[step.before][at]),
                    _ => x,
                };
                let motion: f64 = rows.row(at).map(|(c, a)| a * bodies[c / 6].column(c % 6)).sum();
                let rate = motion + share.compliance.get(at).copied().unwrap_or(0.0) * from[i];
                if task == Task::Estimate {
                    sums = [sums[0] + x * x, sums[1] + rate * rate];
                }
                gradient[i] = rate + share.bias[at];
            }
            let mut moved = from;
            match task {
                Task::Apply => (0..count).for_each(|i| push(rows, row + i, from[i], share, bodies)),
                Task::Estimate => {}
                Task::Measure { reach } => {
                    (0..count).for_each(|i| moved[i] -= reach * gradient[i]);
                    cone.project_by(share.friction, &mut moved[..count]);
                    sums[0] += (0..count).map(|i| (from[i] - moved[i]).powi(2)).sum::<f64>();
                }
                Task::Step(step) => {
                    let length = step.relaxation / self.weights[row];
                    (0..count).for_each(|i| moved[i] -= length * gradient[i]);
                    cone.project_by(share.friction, &mut moved[..count]);
                    for i in 0..count {
                        let change = step.sharpness * (moved[i] - from[i]);
                        let next = from[i] + change;
                        sums[0] += self.weights[row] * change * (next - self.x[slot][row + i]);
                        self.x[step.next][row + i] = next;
                        push(rows, row + i, change, share, bodies);
                    }
                }
            }
            row += count;
        }
        sums
    }

    pub(super) fn write(&self, slot: usize, l: &mut [f64]) {
        l.copy_from_slice(&self.x[slot]);
    }
}

/// Adds H⁻¹ dᵀ x of one row to the velocities.
fn push(rows: &SparseRows, row: usize, x: f64, share: &Share<'_>, bodies: &mut [Body]) {
    for (c, a) in rows.row(row) {
        let mut f = [0.0; 6];
        f[c % 6] = a * x;
        let v = share.bodies[c / 6].apply(f);
        (0..6).for_each(|i| *bodies[c / 6].column_mut(i) += v[i]);
    }
}
