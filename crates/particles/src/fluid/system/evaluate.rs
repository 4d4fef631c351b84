//! Goes over all pairs.

use std::cell::RefCell;

use huygens_exec::Exec;
use huygens_kernel::sph::{
    CubicSpline, Poly6Spiky, QuinticSpline, Smoothing, SmoothingKernel, WendlandC2, WendlandC4,
};

use super::FluidSystem;
use crate::fluid::laws::Flow;
use crate::fluid::sweep::{Desk, PairLaw, Sweep};
use crate::fluid::wall::WallAnswer;

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::default());
}

impl FluidSystem {
    /// Sums of all pairs at the present positions, into the outboxes.
    pub(super) fn evaluate(&mut self, ex: &Exec) {
        let law = Flow::new(&self.settings, self.settings.rheology.greatest());
        self.sweep_with(ex, law);
    }

    /// Goes over all pairs with a law.
    fn sweep_with<P: PairLaw<ROWS>, const ROWS: usize>(&mut self, ex: &Exec, law: P) {
        let (h, d) = (self.settings.length(), self.settings.space.dimension());
        match self.settings.kernel {
            SmoothingKernel::CubicSpline => self.sweep(ex, CubicSpline::new(d, h), law),
            SmoothingKernel::QuinticSpline => self.sweep(ex, QuinticSpline::new(d, h), law),
            SmoothingKernel::WendlandC2 => self.sweep(ex, WendlandC2::new(d, h), law),
            SmoothingKernel::WendlandC4 => self.sweep(ex, WendlandC4::new(d, h), law),
            SmoothingKernel::Poly6Spiky => self.sweep(ex, Poly6Spiky::new(d, h), law),
        }
    }

    fn sweep<K: Smoothing, P: PairLaw<ROWS>, const ROWS: usize>(&mut self, ex: &Exec, kernel: K, law: P) {
        let (fields, instructions, more) = (&self.fields, self.instructions, &self.more);
        let walls = WallAnswer::new(&self.settings);
        let periods = std::array::from_fn(|k| self.settings.periodic[k].map_or(0.0, |p| p[1]));
        ex.for_each_chunk(&mut self.list.chunks, 1, |_, chunk| {
            DESK.with_borrow_mut(|desk| {
                let chunk = &mut chunk[0];
                desk.load(chunk, fields, more, periods);
                let (tags, rates) = (&fields.tag[chunk.range()], &fields.rate[chunk.range()]);
                instructions.run(Sweep { kernel, law, desk, chunk, tags, rates, walls });
            });
        });
    }
}
