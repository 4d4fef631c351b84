//! Velocities of bodies, laid out for loops over contacts.

use super::lanes::{Lanes, cross, parts, prefetch, three};
use super::problem::BodyInverse;
use super::rows::{LANES, PairBatch};

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

    /// The six columns.
    #[inline(always)]
    pub(crate) fn columns(&self) -> [f64; 6] {
        std::array::from_fn(|c| self.column(c))
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

/// Diagonal of N over one contact and one side: translation alone, along n and the trace, of slip and of spin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SideWeight {
    pub translation: f64,
    pub normal: f64,
    pub trace: f64,
    pub spin_normal: f64,
    pub spin_trace: f64,
}

impl SideWeight {
    #[inline]
    pub(crate) fn new(body: &BodyInverse, n: [f64; 3], arm: [f64; 3]) -> Self {
        let [xx, yy, zz, xy, xz, yz] = body.inverse_inertia;
        let square = |a: [f64; 3]| {
            xx * a[0] * a[0]
                + yy * a[1] * a[1]
                + zz * a[2] * a[2]
                + 2.0 * (xy * a[0] * a[1] + xz * a[0] * a[2] + yz * a[1] * a[2])
        };
        let turn =
            [arm[1] * n[2] - arm[2] * n[1], arm[2] * n[0] - arm[0] * n[2], arm[0] * n[1] - arm[1] * n[0]];
        let spin_trace = xx + yy + zz;
        let length = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
        Self {
            translation: body.inverse_mass,
            normal: body.inverse_mass + square(turn),
            trace: 3.0 * body.inverse_mass + length * spin_trace - square(arm),
            spin_normal: square(n),
            spin_trace,
        }
    }

    pub(crate) fn add(self, other: Self) -> Self {
        Self {
            translation: self.translation + other.translation,
            normal: self.normal + other.normal,
            trace: self.trace + other.trace,
            spin_normal: self.spin_normal + other.spin_normal,
            spin_trace: self.spin_trace + other.spin_trace,
        }
    }
}
