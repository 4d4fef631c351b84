//! Velocity Verlet: half a kick, a drift, and after new forces the other half.

use huygens_exec::lanes::{Kernel, Lanes};
use huygens_kernel::Vec3;

use crate::grains::clump::ALONE;
use crate::grains::list::PairChunk;
use crate::row::Row;

/// What is done to the particles of a chunk in one go over memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// Half a kick and a drift: the first step after a stop.
    Start,
    /// The end of a step and the start of the next.
    Through,
    /// Half a kick: the last step before a stop.
    End,
}

/// Motion of one chunk.
pub(crate) struct MotionPass<'a> {
    pub stroke: Stroke,
    pub step: f64,
    pub gravity: Vec3,
    pub place: &'a mut [Row],
    pub motion: &'a mut [Row],
    pub spin: &'a mut [Row],
    pub force: &'a mut [Row],
    pub torque: &'a mut [Row],
    pub moved: &'a mut [[f32; 3]],
    /// Clumps of the particles; empty where there are none.
    pub member: &'a [[u32; 2]],
    pub chunk: &'a PairChunk,
    /// Those that have something for it, and the number of the first of them.
    pub chunks: (&'a [PairChunk], usize),
}

impl Kernel for MotionPass<'_> {
    /// Square of the longest way since the list was made [m²].
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f32 {
        if self.stroke != Stroke::Start {
            for incoming in &self.chunk.incoming {
                let [force, torque] = incoming.find(self.chunks);
                let (f, t) =
                    (&mut self.force[incoming.item as usize].0, &mut self.torque[incoming.item as usize].0);
                (L::load(f) + L::load(&force.0)).store(f);
                (L::load(t) + L::load(&torque.0)).store(t);
            }
        }
        let half = L::of(0.5 * self.step);
        let drift = L::load(&[self.step, self.step, self.step, 0.0]);
        let g = L::load(&Row::new(self.gravity, 0.0).0);
        let mut farthest = 0.0_f32;
        for k in 0..self.place.len() {
            if self.member.get(k).is_some_and(|[clump, _]| *clump != ALONE) {
                continue;
            }
            let inverse_mass = self.motion[k].0[3];
            // Grains that forces do not move keep their velocity.
            let fall = if inverse_mass > 0.0 { g } else { L::zero() };
            let kick = half * L::load(&self.force[k].0).mul_add(L::of(inverse_mass), fall);
            let twist = half * (L::load(&self.torque[k].0) * L::of(self.spin[k].0[3]));
            let mut v = L::load(&self.motion[k].0) + kick;
            let mut w = L::load(&self.spin[k].0) + twist;
            if self.stroke == Stroke::Through {
                v = v + kick;
                w = w + twist;
            }
            v.store(&mut self.motion[k].0);
            w.store(&mut self.spin[k].0);
            if self.stroke != Stroke::End {
                v.mul_add(drift, L::load(&self.place[k].0)).store(&mut self.place[k].0);
                let way = (v * drift).to_array();
                let moved = &mut self.moved[k];
                let mut square = 0.0;
                for c in 0..3 {
                    moved[c] += way[c] as f32;
                    square += moved[c] * moved[c];
                }
                // What is not a number is far too, and stays so.
                if square > farthest || square.is_nan() {
                    farthest = square;
                }
            }
        }
        farthest
    }
}
