//! The loop over contacts before the first iteration: the metric, r, the start and a probe.

use super::body_pass::Bodies;
use super::contact_pass::{ContactState, ForceBatch, Vector, store_forces};
use crate::cone::motion::relative_motion;
use crate::cone::parts;
use crate::cone::projection::{Cone, FrictionLaw};
use crate::cone::projection_lanes::{Split, project};
use crate::cone::rows::{LANES, PairBatch, PairRows};
use crate::cone::share::Share;
use huygens_exec::lanes::{Kernel, Lanes};
use huygens_kernel::three;
use huygens_kernel::triple::{cross, dot};

/// Numbers along and perpendicular to the normal of four contacts.
pub(super) type Pair = [[f64; LANES]; 2];

/// One pass over a chunk of contacts.
pub(super) struct PreparePass<'a, const PARTS: usize> {
    pub pair: &'a PairRows,
    pub share: &'a Share<'a>,
    /// With the free velocity.
    pub bodies: &'a Bodies,
    /// First batch of the chunk.
    pub first: usize,
    pub batches: &'a [PairBatch],
    pub states: &'a mut [ContactState<PARTS>],
    /// The probe, contact by contact.
    pub forces: &'a mut [ForceBatch<PARTS>],
    /// Diagonal of E along and perpendicular to the normal; empty without compliance.
    pub compliance: &'a mut [[Pair; PARTS]],
    /// What each side adds to the bound of the largest eigenvalue of its body.
    pub bounds: &'a mut [Pair],
}

/// Four contacts as the problem gives them; zero beyond the last.
struct Given<const PARTS: usize> {
    bodies: [[u32; LANES]; 2],
    /// Inverse mass and inertia of each side.
    inverse: [[[f64; LANES]; 7]; 2],
    cone: [Pair; PARTS],
    compliance: [Pair; PARTS],
    bias: [Vector; PARTS],
    start: [Vector; PARTS],
}

impl<const PARTS: usize> Given<PARTS> {
    #[inline(always)]
    fn read(pair: &PairRows, share: &Share<'_>, index: usize, items: &[[u32; LANES]; 2]) -> Self {
        let (pairs, vectors) = ([[[0.0; LANES]; 2]; PARTS], [[[0.0; LANES]; 3]; PARTS]);
        let mut given = Self {
            bodies: [[share.bodies.len() as u32; LANES]; 2],
            inverse: [[[0.0; LANES]; 7]; 2],
            cone: pairs,
            compliance: pairs,
            bias: vectors,
            start: vectors,
        };
        let first_body = pair.first_column() / 6;
        for side in 0..2 {
            for lane in 0..LANES {
                let item = items[side][lane] as usize;
                if item < pair.item_count() {
                    let body = &share.bodies[first_body + item];
                    given.bodies[side][lane] = (first_body + item) as u32;
                    given.inverse[side][0][lane] = body.inverse_mass;
                    for i in 0..6 {
                        given.inverse[side][1 + i][lane] = body.inverse_inertia[i];
                    }
                }
            }
        }
        let first = index * LANES;
        for lane in 0..LANES.min(share.cones.len() - first) {
            let (mu, cohesion, spinning, rolling) = match share.cones[first + lane] {
                Cone::Rolling { mu, rolling, spinning, cohesion } => (mu, cohesion, spinning, rolling),
                Cone::Friction { mu, cohesion } => (mu, cohesion, 0.0, 0.0),
                _ => (0.0, 0.0, 0.0, 0.0),
            };
            let coefficients = [[mu, cohesion], [spinning, rolling]];
            let at = 3 * PARTS * (first + lane);
            let bias = &share.bias[at..at + 3 * PARTS];
            let start = &share.start[at..at + 3 * PARTS];
            for part in 0..PARTS {
                for i in 0..3 {
                    given.bias[part][i][lane] = bias[3 * part + i];
                    given.start[part][i][lane] = start[3 * part + i];
                }
                for i in 0..2 {
                    given.cone[part][i][lane] = coefficients[part][i];
                    if !share.compliance.is_empty() {
                        given.compliance[part][i][lane] = share.compliance[at + 3 * part + i];
                    }
                }
            }
        }
        given
    }
}

/// Diagonal of N over four contacts and one side: translation alone, along n and the trace, of slip and of spin.
struct Weights<L> {
    translation: L,
    normal: L,
    trace: L,
    spin_normal: L,
    spin_trace: L,
}

impl<L: Lanes> Weights<L> {
    #[inline(always)]
    fn new(inverse: &[[f64; LANES]; 7], n: [L; 3], arm: [L; 3]) -> Self {
        let translation = L::load(&inverse[0]);
        let diagonal = [L::load(&inverse[1]), L::load(&inverse[2]), L::load(&inverse[3])];
        let off = [L::load(&inverse[4]), L::load(&inverse[5]), L::load(&inverse[6])];
        let spin_trace = diagonal[0] + diagonal[1] + diagonal[2];
        let square = dot(arm, arm).mul_add(spin_trace, L::of(3.0) * translation);
        Self {
            translation,
            normal: translation + form(diagonal, off, cross(arm, n)),
            trace: square - form(diagonal, off, arm),
            spin_normal: form(diagonal, off, n),
            spin_trace,
        }
    }
}

/// aᵀ S a of a symmetric matrix: xx, yy, zz and xy, xz, yz.
#[inline(always)]
fn form<L: Lanes>(diagonal: [L; 3], off: [L; 3], a: [L; 3]) -> L {
    let mixed = dot(off, [a[0] * a[1], a[0] * a[2], a[1] * a[2]]);
    mixed + mixed + dot(diagonal, [a[0] * a[0], a[1] * a[1], a[2] * a[2]])
}

impl<const PARTS: usize> Kernel for PreparePass<'_, PARTS> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (zero, one) = (L::zero(), L::of(1.0));
        for (k, batch) in self.batches.iter().enumerate() {
            let given = Given::<PARTS>::read(self.pair, self.share, self.first + k, &batch.items);
            let state = &mut self.states[k];
            (state.bodies, state.cone) = (given.bodies, given.cone);
            state.n = [[[[0.0; LANES]; 3]; PARTS]; 2];
            let n = L::load3(&batch.normal);
            let u = L::load3(&self.pair.tangents()[self.first + k]);
            let w = cross(n, u);
            let a = Weights::new(&given.inverse[0], n, L::load3(&batch.arms[0]));
            let b = Weights::new(&given.inverse[1], n, L::load3(&batch.arms[1]));
            // Translation alone weighs the points of one manifold alike, which relaxed walls of bricks like better than
            // the diagonal of N; for spheres the two agree. Coulomb's law couples the normal part to the tangential one
            // by μ √(weight across / weight along): with weights of translation alone, one problem in four with long
            // arms does not converge.
            let (translation, along) = (a.translation + b.translation, a.normal + b.normal);
            let first = match self.share.friction {
                FrictionLaw::Coulomb => along,
                FrictionLaw::Relaxed => translation.where_greater(zero, translation, along),
            };
            let normals = [first, a.spin_normal + b.spin_normal];
            let diagonals = [along, normals[1]];
            let traces = [a.trace + b.trace, a.spin_trace + b.spin_trace];
            let sides = [[a.trace, b.trace], [a.spin_trace, b.spin_trace]];
            let mut bounds = [zero; 2];
            for part in 0..PARTS {
                let e = [L::load(&given.compliance[part][0]), L::load(&given.compliance[part][1])];
                let across = L::of(0.5).mul_add(traces[part] - diagonals[part], e[1]);
                let sums = [normals[part] + e[0], across];
                let mut most = zero;
                for i in 0..2 {
                    let weight = sums[i].where_greater(zero, sums[i], one);
                    let mobility = one / weight;
                    weight.store(&mut state.weight[part][i]);
                    mobility.store(&mut state.mobility[part][i]);
                    most = most.larger(mobility);
                }
                for side in 0..2 {
                    bounds[side] = (most + most).mul_add(sides[part][side], bounds[side]);
                }
            }
            bounds[0].store(&mut self.bounds[k][0]);
            bounds[1].store(&mut self.bounds[k][1]);
            if !self.compliance.is_empty() {
                self.compliance[k] = given.compliance;
            }
            let motion = relative_motion::<L, PARTS>(self.bodies, &given.bodies, batch);
            let cone: [[L; 2]; PARTS] =
                parts!(part => [L::load(&given.cone[part][0]), L::load(&given.cone[part][1])]);
            let start: [Split<L>; PARTS] = parts!(part => {
                let l = L::load3(&given.start[part]);
                Split { normal: l[0], rest: three!(i => l[1].mul_add(u[i], l[2] * w[i])) }
            });
            // Couples have no say in the normal: their weight beside forces would depend on the unit of length.
            let start = project(
                FrictionLaw::Relaxed,
                &cone,
                &parts!(part => [if part == 0 { one } else { zero }; 2]),
                start,
            );
            // The probe of the first estimate: impulses along the normals that would give unit speeds. It depends
            // neither on the choice of tangents nor on units.
            let size = L::load(&state.mobility[0][0]);
            for part in 0..PARTS {
                let bias = L::load3(&given.bias[part]);
                let x = start[part].join(n);
                let probe = if part == 0 { three!(i => size * n[i]) } else { [zero; 3] };
                for i in 0..3 {
                    let tangential = bias[1].mul_add(u[i], bias[2] * w[i]);
                    (motion[part][i] + bias[0].mul_add(n[i], tangential)).store(&mut state.r[part][i]);
                    x[i].store(&mut state.x[0][part][i]);
                    probe[i].store(&mut state.x[1][part][i]);
                }
                store_forces(probe, &mut self.forces[k], part);
            }
        }
    }
}
