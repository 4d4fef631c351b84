//! Velocities of bodies, laid out for loops over contacts.

use super::rows::{LANES, PairBatch};
use crate::cone::parts;
use huygens_exec::lanes::{Lanes, prefetch};
use huygens_kernel::three;
use huygens_kernel::triple::cross;

/// Velocity and angular velocity of a body, each padded to four numbers: a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Twist(pub [[f64; LANES]; 2]);

impl Twist {
    #[inline(always)]
    pub(crate) fn new(x: [f64; 6]) -> Self {
        Self([[x[0], x[1], x[2], 0.0], [x[3], x[4], x[5], 0.0]])
    }

    #[inline(always)]
    pub(crate) fn column(&self, c: usize) -> f64 {
        self.0[c / 3][c % 3]
    }
}

/// A place where velocities are looked up by body; one more than there are bodies is the ground.
pub(crate) trait Twists: Sync {
    fn twist(&self, body: usize) -> &Twist;
}

/// Velocities and angular velocities of four bodies.
#[inline(always)]
fn motion<L: Lanes>(twists: &impl Twists, bodies: &[u32; LANES]) -> [[L; 3]; 2] {
    let [a, b, c, d] = [
        &twists.twist(bodies[0] as usize).0,
        &twists.twist(bodies[1] as usize).0,
        &twists.twist(bodies[2] as usize).0,
        &twists.twist(bodies[3] as usize).0,
    ];
    let [x, y, z, _] = L::transpose_in([&a[0], &b[0], &c[0], &d[0]]);
    let [p, q, r, _] = L::transpose_in([&a[1], &b[1], &c[1], &d[1]]);
    [[x, y, z], [p, q, r]]
}

/// Asks for the velocities of both sides of four contacts.
#[inline(always)]
pub(crate) fn prefetch_motion(twists: &impl Twists, bodies: &[[u32; LANES]; 2]) {
    for side in 0..2 {
        for lane in 0..LANES {
            prefetch(twists.twist(bodies[side][lane] as usize));
        }
    }
}

/// D v of four contacts in world axes: velocity of b against a at the contact and, with two parts, angular velocity.
#[inline(always)]
pub(crate) fn relative_motion<L: Lanes, const PARTS: usize>(
    twists: &impl Twists,
    bodies: &[[u32; LANES]; 2],
    batch: &PairBatch,
) -> [[L; 3]; PARTS] {
    let [va, wa] = motion::<L>(twists, &bodies[0]);
    let [vb, wb] = motion::<L>(twists, &bodies[1]);
    let turned_a = cross(wa, L::load3(&batch.arms[0]));
    let turned_b = cross(wb, L::load3(&batch.arms[1]));
    let slip = three!(i => (vb[i] + turned_b[i]) - (va[i] + turned_a[i]));
    parts!(part => if part == 0 { slip } else { three!(i => wb[i] - wa[i]) })
}
