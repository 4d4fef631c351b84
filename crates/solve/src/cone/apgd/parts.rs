//! The rows of a problem as the iteration keeps them.

use super::body_pass::Bodies;
use super::contact_pass::{
    BATCHES, ContactChunk, ContactPass, ContactState, EstimatePass, ForceBatch, Pass, Sums,
};
use super::sparse_pass::SparsePart;
use crate::cone::disjoint::Disjoint;
use crate::cone::lanes::{InstructionSet, Lanes};
use crate::cone::motion::{SideWeight, Twists};
use crate::cone::projection::Cone;
use crate::cone::rows::{LANES, PairRows, RowBlock};
use crate::cone::share::Share;
use huygens_exec::Exec;

/// Contacts a chunk.
const CONTACTS: usize = BATCHES * LANES;

/// One block of rows.
#[derive(Clone)]
pub(super) enum Part {
    Friction(ContactPart<1>),
    Rolling(ContactPart<2>),
    Sparse(SparsePart),
}

impl Part {
    fn new(block: &RowBlock<'_>) -> Self {
        match block {
            RowBlock::Pair(pair) if pair.is_rolling() => Self::Rolling(ContactPart::default()),
            RowBlock::Pair(_) => Self::Friction(ContactPart::default()),
            _ => Self::Sparse(SparsePart::default()),
        }
    }

    fn is_for(&self, block: &RowBlock<'_>) -> bool {
        match (self, block) {
            (Self::Rolling(_), RowBlock::Pair(pair)) => pair.is_rolling(),
            (Self::Friction(_), RowBlock::Pair(pair)) => !pair.is_rolling(),
            (Self::Sparse(_), RowBlock::Sparse(_)) => true,
            _ => false,
        }
    }

    /// Makes `parts` match the blocks, keeping memory where kinds agree.
    pub(super) fn match_blocks(parts: &mut Vec<Self>, blocks: &[RowBlock<'_>]) {
        parts.truncate(blocks.len());
        for (k, block) in blocks.iter().enumerate() {
            match parts.get(k) {
                Some(part) if part.is_for(block) => {}
                Some(_) => parts[k] = Self::new(block),
                None => parts.push(Self::new(block)),
            }
        }
    }

    /// Fills r (bodies hold the free velocity), the metric, the feasible start in iterate 0 and a probe in
    /// iterate 1.
    pub(super) fn prepare(&mut self, ex: &Exec, block: &RowBlock<'_>, bodies: &Bodies, share: &Share<'_>) {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.prepare(ex, pair, bodies, share),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.prepare(ex, pair, bodies, share),
            (Self::Sparse(part), RowBlock::Sparse(rows)) => part.prepare(rows, bodies, share),
            _ => {}
        }
    }

    /// Adds Dᵀ x to the force and torque of one body; x is what was laid out or stepped to last, and iterate
    /// `slot` of sparse rows.
    #[inline(always)]
    pub(super) fn add_force<L: Lanes>(
        &self,
        block: &RowBlock<'_>,
        body: usize,
        slot: usize,
        sum: (L, L),
    ) -> (L, L) {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.add_force(pair, body, sum),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.add_force(pair, body, sum),
            (Self::Sparse(part), RowBlock::Sparse(rows)) => {
                let [force, torque] = part.force(rows, body, slot);
                (sum.0 + L::load(&force), sum.1 + L::load(&torque))
            }
            _ => sum,
        }
    }

    /// Lays out the forces of iterate `slot` for [`add_force`](Self::add_force); a step does so by itself.
    pub(super) fn lay_out(&mut self, slot: usize) {
        match self {
            Self::Friction(part) => part.lay_out(slot),
            Self::Rolling(part) => part.lay_out(slot),
            Self::Sparse(_) => {}
        }
    }

    /// Adds this block's share to a bound of the largest eigenvalue of N in the metric: that of each body.
    pub(super) fn add_bounds(&self, block: &RowBlock<'_>, share: &Share<'_>, bounds: &mut [f64]) {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.add_bounds(pair, share, bounds),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.add_bounds(pair, share, bounds),
            (Self::Sparse(part), RowBlock::Sparse(rows)) => part.add_bounds(rows, share, bounds),
            _ => {}
        }
    }

    /// One pass of the iteration.
    pub(super) fn pass(
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        block: &RowBlock<'_>,
        bodies: &Bodies,
        pass: Pass,
    ) -> Sums {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.pass(ex, set, pair, bodies, pass),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.pass(ex, set, pair, bodies, pass),
            (Self::Sparse(part), RowBlock::Sparse(rows)) => part.pass(ex, rows, bodies, pass),
            _ => Sums::default(),
        }
    }

    /// ‖d‖², ‖N d‖², and both in the metric, for d in iterate `slot`.
    pub(super) fn estimate(
        &self,
        set: InstructionSet,
        block: &RowBlock<'_>,
        bodies: &Bodies,
        slot: usize,
    ) -> [f64; 4] {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.estimate(set, pair, bodies, slot),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.estimate(set, pair, bodies, slot),
            (Self::Sparse(part), RowBlock::Sparse(rows)) => part.estimate(rows, bodies, slot),
            _ => [0.0; 4],
        }
    }

    /// Writes iterate `slot` as multipliers of the rows.
    pub(super) fn write(&self, ex: &Exec, block: &RowBlock<'_>, slot: usize, l: &mut [f64]) {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.write(ex, pair, slot, l),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.write(ex, pair, slot, l),
            (Self::Sparse(part), RowBlock::Sparse(_)) => part.write(slot, l),
            _ => {}
        }
    }
}

/// Contacts of one block.
#[derive(Clone, Default)]
pub(super) struct ContactPart<const PARTS: usize> {
    chunks: Vec<ContactChunk<PARTS>>,
    /// Diagonal of E along and across the normal; empty without compliance.
    compliance: Vec<[[[f64; LANES]; 2]; PARTS]>,
    /// The last iterate, contact by contact.
    forces: Vec<ForceBatch<PARTS>>,
}

impl<const PARTS: usize> ContactPart<PARTS> {
    fn prepare(&mut self, ex: &Exec, pair: &PairRows, bodies: &Bodies, share: &Share<'_>) {
        let batch_count = pair.batches().len();
        self.chunks.resize_with(batch_count.div_ceil(BATCHES), ContactChunk::default);
        self.forces.resize(batch_count, [[[0.0; LANES]; PARTS]; LANES]);
        self.compliance.clear();
        if !share.compliance.is_empty() {
            self.compliance.resize(batch_count, [[[0.0; LANES]; 2]; PARTS]);
            for (k, e) in share.compliance.chunks_exact(3).enumerate() {
                let (contact, part) = (k / PARTS, k % PARTS);
                let batch = &mut self.compliance[contact / LANES];
                (0..2).for_each(|i| batch[part][i][contact % LANES] = e[i]);
            }
        }
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            for k in 0..BATCHES {
                let batch = c * BATCHES + k;
                if batch < batch_count {
                    chunk[0].states[k] = Default::default();
                    chunk[0].states[k].bodies = [[bodies.count() as u32; LANES]; 2];
                    for lane in 0..LANES.min(pair.contact_count() - batch * LANES) {
                        prepare_contact(
                            &mut chunk[0].states[k],
                            lane,
                            pair,
                            batch * LANES + lane,
                            bodies,
                            share,
                        );
                    }
                }
            }
        });
    }

    #[inline(always)]
    fn add_force<L: Lanes>(&self, pair: &PairRows, body: usize, sum: (L, L)) -> (L, L) {
        let item = body.wrapping_sub(pair.first_column() / 6);
        if item >= pair.item_count() {
            return sum;
        }
        let (entries, arms) = pair.entries_of(item);
        let arms = &arms[..entries.len()];
        // arm × F is the cycled value of arm · cycled F − cycled arm · F.
        let (mut force, mut left, mut right) = (sum.0, L::zero(), L::zero());
        let mut couple = sum.1;
        for k in 0..entries.len() {
            let contact = entries[k] as usize / 2;
            let x = &self.forces[contact / LANES][contact % LANES];
            let (f, arm, sign) = (L::load(&x[0]), L::load(&arms[k]), L::splat(arms[k][3]));
            force = sign.mul_add(f, force);
            left = arm.mul_add(f.cycled(), left);
            right = arm.cycled().mul_add(f, right);
            if PARTS == 2 {
                couple = sign.mul_add(L::load(&x[PARTS - 1]), couple);
            }
        }
        (force, couple + (left - right).cycled())
    }

    fn lay_out(&mut self, slot: usize) {
        for (batch, forces) in self.forces.iter_mut().enumerate() {
            let x = &self.chunks[batch / BATCHES].states[batch % BATCHES].x[slot];
            for (lane, forces) in forces.iter_mut().enumerate() {
                for part in 0..PARTS {
                    (0..3).for_each(|i| forces[part][i] = x[part][i][lane]);
                }
            }
        }
    }

    fn add_bounds(&self, pair: &PairRows, share: &Share<'_>, bounds: &mut [f64]) {
        let first = pair.first_column() / 6;
        for item in 0..pair.item_count() {
            let body = &share.bodies[first + item];
            let (entries, arms) = pair.entries_of(item);
            for (&entry, &[x, y, z, _]) in entries.iter().zip(arms) {
                let contact = entry as usize / 2;
                let state = &self.chunks[contact / CONTACTS].states[contact / LANES % BATCHES];
                let least = |part: usize| {
                    let w = &state.weight[part];
                    w[0][contact % LANES].min(w[1][contact % LANES])
                };
                let side = SideWeight::new(body, [1.0, 0.0, 0.0], [x, y, z]);
                bounds[first + item] += 2.0 * side.trace / least(0);
                if PARTS == 2 {
                    bounds[first + item] += 2.0 * side.spin_trace / least(1);
                }
            }
        }
    }

    fn pass(&mut self, ex: &Exec, set: InstructionSet, pair: &PairRows, bodies: &Bodies, pass: Pass) -> Sums {
        let (batches, compliance) = (pair.batches(), &self.compliance);
        let forces = Disjoint::new(&mut self.forces);
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            let chunk = &mut chunk[0];
            let range = c * BATCHES..batches.len().min((c + 1) * BATCHES);
            let compliance = compliance.get(range.clone()).unwrap_or(&[]);
            let batches = &batches[range.clone()];
            // SAFETY: each chunk has its own batches.
            let forces = unsafe { forces.piece(range) };
            let states = &mut chunk.states;
            chunk.sums = set.run(ContactPass { pass, states, batches, compliance, bodies, forces });
        });
        let mut sums = Sums::default();
        self.chunks.iter().for_each(|chunk| sums.add(&chunk.sums));
        sums
    }

    fn estimate(&self, set: InstructionSet, pair: &PairRows, bodies: &Bodies, slot: usize) -> [f64; 4] {
        let mut total = [0.0; 4];
        for (c, chunk) in self.chunks.iter().enumerate() {
            let range = c * BATCHES..pair.batches().len().min((c + 1) * BATCHES);
            let compliance = self.compliance.get(range.clone()).unwrap_or(&[]);
            let batches = &pair.batches()[range];
            let part = set.run(EstimatePass { slot, states: &chunk.states, batches, compliance, bodies });
            (0..4).for_each(|i| total[i] += part[i]);
        }
        total
    }

    fn write(&self, ex: &Exec, pair: &PairRows, slot: usize, l: &mut [f64]) {
        let width = 3 * PARTS;
        ex.for_each_chunk(l, width * CONTACTS, |c, l| {
            for (k, l) in l.chunks_exact_mut(width).enumerate() {
                let contact = pair.contact(c * CONTACTS + k);
                let (x, lane) = (&self.chunks[c].states[k / LANES].x[slot], k % LANES);
                for (x, l) in x.iter().zip(l.chunks_exact_mut(3)) {
                    l.copy_from_slice(&contact.local([x[0][lane], x[1][lane], x[2][lane]]));
                }
            }
        });
    }
}

/// Fills one lane with everything that does not change during the iteration, and the start.
fn prepare_contact<const PARTS: usize>(
    state: &mut ContactState<PARTS>,
    lane: usize,
    pair: &PairRows,
    index: usize,
    bodies: &Bodies,
    share: &Share<'_>,
) {
    let contact = pair.contact(index);
    let first = pair.first_column() / 6;
    let mut weight = SideWeight::default();
    let mut relative = [[0.0; 3]; 2];
    for (side, &item) in contact.items.iter().enumerate() {
        if (item as usize) < pair.item_count() {
            let body = first + item as usize;
            state.bodies[side][lane] = body as u32;
            let arm = contact.arms[side];
            weight = weight.add(SideWeight::new(&share.bodies[body], contact.axes[0], arm));
            let v = bodies.twist(body).columns();
            let sign = if side == 1 { 1.0 } else { -1.0 };
            let turned =
                [v[4] * arm[2] - v[5] * arm[1], v[5] * arm[0] - v[3] * arm[2], v[3] * arm[1] - v[4] * arm[0]];
            for i in 0..3 {
                relative[0][i] += sign * (v[i] + turned[i]);
                relative[1][i] += sign * v[3 + i];
            }
        }
    }
    let (mu, cohesion, spinning, rolling) = match share.cones[index] {
        Cone::Rolling { mu, rolling, spinning, cohesion } => (mu, cohesion, spinning, rolling),
        Cone::Friction { mu, cohesion } => (mu, cohesion, 0.0, 0.0),
        _ => (0.0, 0.0, 0.0, 0.0),
    };
    let coefficients = [[mu, cohesion], [spinning, rolling]];
    let along = [weight.normal, weight.spin_normal];
    // Translation alone weighs the points of one manifold alike, which brick walls like better than the diagonal
    // of N; for spheres the two agree.
    let normal = [if weight.translation > 0.0 { weight.translation } else { along[0] }, along[1]];
    let trace = [weight.trace, weight.spin_trace];
    let at = 3 * PARTS * index;
    let mut start = [0.0; 6];
    start[..3 * PARTS].copy_from_slice(&share.start[at..at + 3 * PARTS]);
    share.cones[index].project(&mut start[..3 * PARTS]);
    for part in 0..PARTS {
        let e = |i: usize| share.compliance.get(at + 3 * part + i).copied().unwrap_or(0.0);
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        state.weight[part][0][lane] = positive(normal[part] + e(0));
        state.weight[part][1][lane] = positive(0.5 * (trace[part] - along[part]) + e(1));
        (0..2).for_each(|i| state.mobility[part][i][lane] = 1.0 / state.weight[part][i][lane]);
        let (b, l) = (&share.bias[at + 3 * part..][..3], &start[3 * part..][..3]);
        let bias = contact.world([b[0], b[1], b[2]]);
        let x = contact.world([l[0], l[1], l[2]]);
        // The probe of the first estimate: impulses along the normals that would give unit speeds. It depends neither
        // on the choice of tangents nor on units.
        let probe = contact.world([if part == 0 { state.mobility[0][0][lane] } else { 0.0 }, 0.0, 0.0]);
        (0..2).for_each(|i| state.cone[part][i][lane] = coefficients[part][i]);
        for i in 0..3 {
            state.r[part][i][lane] = relative[part][i] + bias[i];
            state.x[0][part][i][lane] = x[i];
            state.x[1][part][i][lane] = probe[i];
        }
    }
}
