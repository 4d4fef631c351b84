//! The loop over bodies of one iteration: forces of all rows gathered, turned into velocities.

#![expect(unsafe_code, reason = "chunks write to disjoint parts of the same vectors")]

use super::parts::Part;
use crate::cone::motion::{Twist, Twists};
use crate::cone::problem::BodyInverse;
use crate::cone::rows::{LANES, RowBlock};
use huygens_exec::Disjoint;
use huygens_exec::Exec;
use huygens_exec::lanes::{InstructionSet, Kernel, Lanes};

/// Groups of four bodies per chunk; fixed, so that sums do not depend on threads.
const GROUPS: usize = 16;

/// Six generalized forces of four bodies.
type Forces = [[f64; LANES]; 6];

/// All bodies and, after the last, the ground, which never moves. Forces are stored for the current, the previous and
/// the next iterate.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    count: usize,
    twists: Vec<Twist>,
    /// Inverse mass and inverse inertia of four bodies.
    inverse: Vec<[[f64; LANES]; 7]>,
    forces: [Vec<Forces>; 3],
    curvatures: Vec<f64>,
}

/// Which of the three stored forces belong to the next, the current and the previous iterate.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub next: usize,
    pub current: usize,
    pub before: usize,
}

impl Kept {
    /// One iterate later.
    pub(super) fn turned(self) -> Self {
        Self { next: self.before, current: self.next, before: self.current }
    }
}

impl Bodies {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Takes the bodies and the free velocity.
    pub(super) fn load(&mut self, ex: &Exec, inverse: &[BodyInverse], v: &[f64]) {
        self.count = inverse.len();
        let groups = self.count / LANES + 1;
        self.twists.resize(groups * LANES, Twist::default());
        self.inverse.resize(groups, [[0.0; LANES]; 7]);
        self.forces.iter_mut().for_each(|forces| forces.resize(groups, [[0.0; LANES]; 6]));
        self.curvatures.resize(groups.div_ceil(GROUPS), 0.0);
        let twists = Disjoint::new(&mut self.twists);
        // The first two are written before they count.
        let before = Disjoint::new(&mut self.forces[2]);
        ex.for_each_chunk(&mut self.inverse, GROUPS, |c, groups| {
            let first = c * GROUPS;
            // SAFETY: each chunk has its own groups.
            let twists = unsafe { twists.piece(first * LANES..(first + GROUPS) * LANES) };
            unsafe { before.piece(first..first + GROUPS) }.fill([[0.0; LANES]; 6]);
            for (k, twist) in twists.iter_mut().enumerate() {
                let (body, group) = (first * LANES + k, &mut groups[k / LANES]);
                let nothing = (BodyInverse::default(), [0.0; 6]);
                let (inverse, v) = match (inverse.get(body), v.get(6 * body..6 * body + 6)) {
                    (Some(inverse), Some(v)) => (*inverse, [v[0], v[1], v[2], v[3], v[4], v[5]]),
                    _ => nothing,
                };
                *twist = Twist::new(v);
                group[0][k % LANES] = inverse.inverse_mass;
                (0..6).for_each(|i| group[1 + i][k % LANES] = inverse.inverse_inertia[i]);
            }
        });
    }

    /// Velocities H⁻¹ Dᵀ x of the forces that `parts` hold; (f⁺ − f_y)ᵀ H⁻¹ (f⁺ − f_y), with f_y the force of
    /// y = x + β (x − x⁻): the curvature without compliance.
    pub(super) fn gather(
        &mut self,
        ex: &Exec,
        set: InstructionSet,
        parts: &[Part],
        rows: &[RowBlock<'_>],
        slot: usize,
        kept: Kept,
        beta: f64,
    ) -> f64 {
        let groups = self.inverse.len();
        let mut next = std::mem::take(&mut self.forces[kept.next]);
        let (current, before) = (&self.forces[kept.current], &self.forces[kept.before]);
        let twists = Disjoint::new(&mut self.twists);
        let next_pieces = Disjoint::new(&mut next);
        let inverse = &self.inverse;
        ex.for_each_chunk(&mut self.curvatures, 1, |c, curvature| {
            let range = c * GROUPS..groups.min((c + 1) * GROUPS);
            curvature[0] = set.run(BodyPass {
                first: range.start * LANES,
                inverse: &inverse[range.clone()],
                // SAFETY: each chunk has its own groups.
                twists: unsafe { twists.piece(range.start * LANES..range.end * LANES) },
                next: unsafe { next_pieces.piece(range.clone()) },
                current: &current[range.clone()],
                before: &before[range],
                parts,
                rows,
                slot,
                beta,
            });
        });
        self.forces[kept.next] = next;
        self.curvatures.iter().sum()
    }
}

impl Twists for Bodies {
    #[inline(always)]
    fn twist(&self, body: usize) -> &Twist {
        &self.twists[body]
    }
}

/// One pass over a chunk of bodies.
struct BodyPass<'a> {
    first: usize,
    inverse: &'a [[[f64; LANES]; 7]],
    twists: &'a mut [Twist],
    next: &'a mut [Forces],
    current: &'a [Forces],
    before: &'a [Forces],
    parts: &'a [Part],
    rows: &'a [RowBlock<'a>],
    slot: usize,
    beta: f64,
}

/// H⁻¹ f of four bodies.
#[inline(always)]
fn velocities<L: Lanes>(inverse: &[[f64; LANES]; 7], f: [L; 6]) -> [L; 6] {
    let [m, xx, yy, zz] =
        [L::load(&inverse[0]), L::load(&inverse[1]), L::load(&inverse[2]), L::load(&inverse[3])];
    let [xy, xz, yz] = [L::load(&inverse[4]), L::load(&inverse[5]), L::load(&inverse[6])];
    [
        m * f[0],
        m * f[1],
        m * f[2],
        xz.mul_add(f[5], xy.mul_add(f[4], xx * f[3])),
        yz.mul_add(f[5], yy.mul_add(f[4], xy * f[3])),
        zz.mul_add(f[5], yz.mul_add(f[4], xz * f[3])),
    ]
}

impl Kernel for BodyPass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let mut curvature = L::zero();
        let beta = L::of(self.beta);
        for group in 0..self.inverse.len() {
            // Rows are bodies here, and components below.
            let (mut force, mut torque) = ([L::zero(); LANES], [L::zero(); LANES]);
            for lane in 0..LANES {
                let body = self.first + group * LANES + lane;
                for part in 0..self.parts.len() {
                    let sum = (force[lane], torque[lane]);
                    (force[lane], torque[lane]) =
                        self.parts[part].add_force(&self.rows[part], body, self.slot, sum);
                }
            }
            let [fx, fy, fz, _] = L::transpose(force);
            let [tx, ty, tz, _] = L::transpose(torque);
            let f = [fx, fy, fz, tx, ty, tz];
            let mut change = f;
            for i in 0..6 {
                let (current, before) = (L::load(&self.current[group][i]), L::load(&self.before[group][i]));
                change[i] = f[i] - beta.mul_add(current - before, current);
                f[i].store(&mut self.next[group][i]);
            }
            let moved = velocities(&self.inverse[group], change);
            for i in 0..6 {
                curvature = change[i].mul_add(moved[i], curvature);
            }
            let v = velocities(&self.inverse[group], f);
            let linear = L::transpose([v[0], v[1], v[2], L::zero()]);
            let angular = L::transpose([v[3], v[4], v[5], L::zero()]);
            for lane in 0..LANES {
                let twist = &mut self.twists[group * LANES + lane];
                linear[lane].store(&mut twist.0[0]);
                angular[lane].store(&mut twist.0[1]);
            }
        }
        curvature.total()
    }
}
