//! The rows of a problem as the iteration keeps them.

#![expect(unsafe_code, reason = "chunks write to disjoint parts of the same vectors")]

use super::body_pass::Bodies;
use super::contact_pass::{BATCHES, ContactChunk, ContactPass, EstimatePass, ForceBatch, Pass, Sums};
use super::prepare_pass::{Pair, PreparePass};
use super::sparse_pass::SparsePart;
use crate::cone::rows::{LANES, PairRows, RowBlock};
use crate::cone::share::Share;
use huygens_exec::Disjoint;
use huygens_exec::Exec;
use huygens_exec::lanes::{InstructionSet, Lanes};

/// Contacts per chunk.
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

    /// Fills r (bodies hold the free velocity), the metric, the feasible start in iterate 0 and a probe, laid out, in
    /// iterate 1.
    pub(super) fn prepare(
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        block: &RowBlock<'_>,
        bodies: &Bodies,
        share: &Share<'_>,
    ) {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.prepare(ex, set, pair, bodies, share),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.prepare(ex, set, pair, bodies, share),
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
    pub(super) fn lay_out(&mut self, ex: &Exec, slot: usize) {
        match self {
            Self::Friction(part) => part.lay_out(ex, slot),
            Self::Rolling(part) => part.lay_out(ex, slot),
            Self::Sparse(_) => {}
        }
    }

    /// Adds this block's share to a bound of the largest eigenvalue of N in the metric: that of each body.
    pub(super) fn add_bounds(&self, ex: &Exec, block: &RowBlock<'_>, share: &Share<'_>, bounds: &mut [f64]) {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.add_bounds(ex, pair, bounds),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.add_bounds(ex, pair, bounds),
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
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        block: &RowBlock<'_>,
        bodies: &Bodies,
        slot: usize,
    ) -> [f64; 4] {
        match (self, block) {
            (Self::Friction(part), RowBlock::Pair(pair)) => part.estimate(ex, set, pair, bodies, slot),
            (Self::Rolling(part), RowBlock::Pair(pair)) => part.estimate(ex, set, pair, bodies, slot),
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
    /// Diagonal of E along and perpendicular to the normal; empty without compliance.
    compliance: Vec<[Pair; PARTS]>,
    /// The last iterate, contact by contact.
    forces: Vec<ForceBatch<PARTS>>,
    /// What each side of a contact adds to the bound of the largest eigenvalue of its body.
    bounds: Vec<Pair>,
}

impl<const PARTS: usize> ContactPart<PARTS> {
    fn prepare(
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        pair: &PairRows,
        bodies: &Bodies,
        share: &Share<'_>,
    ) {
        let count = pair.batches().len();
        self.chunks.resize_with(count.div_ceil(BATCHES), ContactChunk::default);
        self.forces.resize(count, [[[0.0; LANES]; PARTS]; LANES]);
        self.bounds.resize(count, [[0.0; LANES]; 2]);
        let soft = if share.compliance.is_empty() { 0 } else { count };
        self.compliance.resize(soft, [[[0.0; LANES]; 2]; PARTS]);
        let forces = Disjoint::new(&mut self.forces);
        let bounds = Disjoint::new(&mut self.bounds);
        let compliance = Disjoint::new(&mut self.compliance);
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            let range = c * BATCHES..count.min((c + 1) * BATCHES);
            set.run(PreparePass {
                pair,
                share,
                bodies,
                first: range.start,
                batches: &pair.batches()[range.clone()],
                states: &mut chunk[0].states,
                // SAFETY: each chunk has its own batches.
                forces: unsafe { forces.piece(range.clone()) },
                bounds: unsafe { bounds.piece(range.clone()) },
                compliance: unsafe { compliance.piece(range) },
            });
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
            let (f, arm, sign) = (L::load(&x[0]), L::load(&arms[k]), L::of(arms[k][3]));
            force = sign.mul_add(f, force);
            left = arm.mul_add(f.cycled(), left);
            right = arm.cycled().mul_add(f, right);
            if PARTS == 2 {
                couple = sign.mul_add(L::load(&x[PARTS - 1]), couple);
            }
        }
        (force, couple + (left - right).cycled())
    }

    fn lay_out(&mut self, ex: &Exec, slot: usize) {
        let chunks = &self.chunks;
        ex.for_each_chunk(&mut self.forces, BATCHES, |c, forces| {
            for (state, forces) in chunks[c].states.iter().zip(forces) {
                let x = &state.x[slot];
                for (lane, forces) in forces.iter_mut().enumerate() {
                    for part in 0..PARTS {
                        (0..3).for_each(|i| forces[part][i] = x[part][i][lane]);
                    }
                }
            }
        });
    }

    fn add_bounds(&self, ex: &Exec, pair: &PairRows, bounds: &mut [f64]) {
        let first = pair.first_column() / 6;
        let bounds = &mut bounds[first..first + pair.item_count()];
        ex.for_each_chunk(bounds, CONTACTS, |c, bounds| {
            for (k, bound) in bounds.iter_mut().enumerate() {
                for &entry in pair.entries_of(c * CONTACTS + k).0 {
                    let (contact, side) = (entry as usize / 2, entry as usize % 2);
                    *bound += self.bounds[contact / LANES][side][contact % LANES];
                }
            }
        });
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

    fn estimate(
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        pair: &PairRows,
        bodies: &Bodies,
        slot: usize,
    ) -> [f64; 4] {
        let compliance = &self.compliance;
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            let chunk = &mut chunk[0];
            let range = c * BATCHES..pair.batches().len().min((c + 1) * BATCHES);
            let compliance = compliance.get(range.clone()).unwrap_or(&[]);
            let batches = &pair.batches()[range];
            let pass = EstimatePass { slot, states: &chunk.states, batches, compliance, bodies };
            chunk.estimate = set.run(pass);
        });
        let mut total = [0.0; 4];
        for chunk in &self.chunks {
            (0..4).for_each(|i| total[i] += chunk.estimate[i]);
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
