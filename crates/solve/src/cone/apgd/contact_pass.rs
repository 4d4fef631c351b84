//! The loop over contacts of one iteration.

use super::body_pass::Bodies;
use crate::cone::motion::{prefetch_motion, relative_motion};
use crate::cone::parts;
use crate::cone::projection::FrictionLaw;
use crate::cone::projection_lanes::{Split, distance_square, metric_square, project};
use crate::cone::rows::{LANES, PairBatch};
use huygens_exec::lanes::{Kernel, Lanes};
use huygens_kernel::three;
use huygens_kernel::triple::{difference, dot, scaled_add};

/// Batches per chunk; fixed, so that sums do not depend on threads.
pub(super) const BATCHES: usize = 32;

/// Batches between asking for velocities and using them.
const AHEAD: usize = 4;

/// Stored iterates: the current, the previous, the next and the best one.
pub(super) const ITERATES: usize = 4;

/// Three components of four contacts.
pub(super) type Vector = [[f64; LANES]; 3];

/// What the iteration keeps of four contacts, in world axes; a second part is the couple of rolling contacts.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct ContactState<const PARTS: usize> {
    pub bodies: [[u32; LANES]; 2],
    /// (μ, cohesion) and (spinning, rolling).
    pub cone: [[[f64; LANES]; 2]; PARTS],
    /// The metric: translation along the normal, the mean diagonal of N perpendicular to it.
    pub weight: [[[f64; LANES]; 2]; PARTS],
    /// Inverse of the weights: divisions are what the loop would wait for.
    pub mobility: [[[f64; LANES]; 2]; PARTS],
    pub r: [Vector; PARTS],
    /// N x of the current and the previous iterate.
    pub n: [[Vector; PARTS]; 2],
    pub x: [[Vector; PARTS]; ITERATES],
}

impl<const PARTS: usize> Default for ContactState<PARTS> {
    fn default() -> Self {
        let none = [[[0.0; LANES]; 3]; PARTS];
        Self {
            bodies: [[0; LANES]; 2],
            cone: [[[0.0; LANES]; 2]; PARTS],
            weight: [[[1.0; LANES]; 2]; PARTS],
            mobility: [[[1.0; LANES]; 2]; PARTS],
            r: none,
            n: [none; 2],
            x: [none; ITERATES],
        }
    }
}

/// A piece of the contacts, with its share of every sum.
#[derive(Clone)]
pub(super) struct ContactChunk<const PARTS: usize> {
    pub states: [ContactState<PARTS>; BATCHES],
    pub sums: Sums,
    /// Squares of the first estimate.
    pub estimate: [f64; 4],
}

impl<const PARTS: usize> Default for ContactChunk<PARTS> {
    fn default() -> Self {
        Self { states: [ContactState::default(); BATCHES], sums: Sums::default(), estimate: [0.0; 4] }
    }
}

/// Everything that is summed over rows in one iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    /// ‖x − Π(x − g (N x + r))‖².
    pub residual: f64,
    /// ‖x⁺ − y‖² in the metric.
    pub length: f64,
    /// ∇f(y) · (x⁺ − x); for Coulomb's law, which minimizes nothing, (y − x⁺) · (x⁺ − x) in the metric, which has the
    /// same sign where nothing is projected.
    pub progress: f64,
    /// (x⁺ − y)ᵀ E (x⁺ − y).
    pub curvature: f64,
}

impl Sums {
    pub(super) fn add(&mut self, other: &Self) {
        self.residual += other.residual;
        self.length += other.length;
        self.progress += other.progress;
        self.curvature += other.curvature;
    }
}

/// What one pass does, and where iterates are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// Whether to find N x of the current iterate from the velocities, and its residual.
    pub measure: bool,
    /// Whether to take the step from y = x + β (x − x⁻).
    pub advance: bool,
    pub current: usize,
    pub before: usize,
    pub next: usize,
    /// Which of the two products belongs to the current iterate.
    pub product: usize,
    pub beta: f64,
    pub step: f64,
    /// The step of the residual, g.
    pub reach: f64,
    pub friction: FrictionLaw,
}

/// One pass over a chunk of contacts.
pub(super) struct ContactPass<'a, const PARTS: usize> {
    pub pass: Pass,
    pub states: &'a mut [ContactState<PARTS>],
    pub batches: &'a [PairBatch],
    /// Diagonal of E along and perpendicular to the normal; empty without compliance.
    pub compliance: &'a [[[[f64; LANES]; 2]; PARTS]],
    pub bodies: &'a Bodies,
    /// x⁺ of each contact by itself.
    pub forces: &'a mut [ForceBatch<PARTS>],
}

/// Forces, and couples, of four contacts, one after the other.
pub(super) type ForceBatch<const PARTS: usize> = [[[f64; LANES]; PARTS]; LANES];

#[inline(always)]
pub(super) fn store_forces<L: Lanes, const PARTS: usize>(
    [x, y, z]: [L; 3],
    out: &mut ForceBatch<PARTS>,
    part: usize,
) {
    let rows = L::transpose([x, y, z, L::zero()]);
    for lane in 0..LANES {
        rows[lane].store(&mut out[lane][part]);
    }
}

#[inline(always)]
fn load<L: Lanes, const PARTS: usize>(x: &[Vector; PARTS]) -> [[L; 3]; PARTS] {
    parts!(part => L::load3(&x[part]))
}

#[inline(always)]
fn load2<L: Lanes, const PARTS: usize>(x: &[[[f64; LANES]; 2]; PARTS]) -> [[L; 2]; PARTS] {
    parts!(part => [L::load(&x[part][0]), L::load(&x[part][1])])
}

#[inline(always)]
fn store<L: Lanes, const PARTS: usize>(x: [[L; 3]; PARTS], out: &mut [Vector; PARTS]) {
    for part in 0..PARTS {
        x[part][0].store(&mut out[part][0]);
        x[part][1].store(&mut out[part][1]);
        x[part][2].store(&mut out[part][2]);
    }
}

/// E x, with E = (along, across) the normal.
#[inline(always)]
fn compliance_product<L: Lanes>(n: [L; 3], [along, across]: [L; 2], x: [L; 3]) -> [L; 3] {
    let normal = (along - across) * dot(n, x);
    three!(i => across.mul_add(x[i], normal * n[i]))
}

impl<const PARTS: usize> Kernel for ContactPass<'_, PARTS> {
    type Output = Sums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sums {
        let Pass { measure, advance, current, before, next, product, friction, .. } = self.pass;
        let (beta, step) = (L::of(self.pass.beta), L::of(self.pass.step));
        let reach = L::of(self.pass.reach);
        let one = L::of(1.0);
        let soft = !self.compliance.is_empty();
        let [mut residual, mut length, mut progress, mut curvature] = [L::zero(); 4];
        for (k, batch) in self.batches.iter().enumerate() {
            if measure && k + AHEAD < self.batches.len() {
                prefetch_motion(self.bodies, &self.states[k + AHEAD].bodies);
            }
            let state = &mut self.states[k];
            let normal = L::load3(&batch.normal);
            let cone = load2::<L, PARTS>(&state.cone);
            let r = load::<L, PARTS>(&state.r);
            let x = load::<L, PARTS>(&state.x[current]);
            let mut n_x = load::<L, PARTS>(&state.n[product]);
            if measure {
                n_x = relative_motion::<L, PARTS>(self.bodies, &state.bodies, batch);
                if soft {
                    let e = load2::<L, PARTS>(&self.compliance[k]);
                    for part in 0..PARTS {
                        let stretch = compliance_product(normal, e[part], x[part]);
                        n_x[part] = three!(i => n_x[part][i] + stretch[i]);
                    }
                }
                store(n_x, &mut state.n[product]);
                let moved: [Split<L>; PARTS] = parts!(part => {
                    let target = three!(i => reach.neg_mul_add(n_x[part][i] + r[part][i], x[part][i]));
                    Split::new(normal, target)
                });
                let nearest = project(friction, &cone, &[[one; 2]; PARTS], moved);
                for part in 0..PARTS {
                    residual = residual + distance_square(x[part], nearest[part].join(normal));
                }
            }
            if !advance {
                continue;
            }
            let x_before = load::<L, PARTS>(&state.x[before]);
            let n_before = load::<L, PARTS>(&state.n[1 - product]);
            let weight = load2::<L, PARTS>(&state.weight);
            let mobility = load2::<L, PARTS>(&state.mobility);
            let y: [[L; 3]; PARTS] = parts!(part => {
                scaled_add(beta, difference(x[part], x_before[part]), x[part])
            });
            let gradient: [[L; 3]; PARTS] = parts!(part => {
                let n_y = scaled_add(beta, difference(n_x[part], n_before[part]), n_x[part]);
                three!(i => n_y[i] + r[part][i])
            });
            let moved: [Split<L>; PARTS] = parts!(part => {
                let (y, g) = (Split::new(normal, y[part]), Split::new(normal, gradient[part]));
                let [along, across] = [step * mobility[part][0], step * mobility[part][1]];
                let rest = three!(i => across.neg_mul_add(g.rest[i], y.rest[i]));
                Split { normal: along.neg_mul_add(g.normal, y.normal), rest }
            });
            let ratio: [[L; 2]; PARTS] =
                parts!(part => [weight[part][0] * mobility[0][0], weight[part][1] * mobility[0][0]]);
            let nearest = project(friction, &cone, &ratio, moved);
            let x_next: [[L; 3]; PARTS] = parts!(part => nearest[part].join(normal));
            store(x_next, &mut state.x[next]);
            for part in 0..PARTS {
                store_forces(x_next[part], &mut self.forces[k], part);
            }
            for part in 0..PARTS {
                let d = difference(x_next[part], y[part]);
                length = length + metric_square(normal, weight[part][0], weight[part][1], d);
                let moved = difference(x_next[part], x[part]);
                progress = match friction {
                    FrictionLaw::Relaxed => progress + dot(gradient[part], moved),
                    FrictionLaw::Coulomb => {
                        let [along, across] = weight[part];
                        let normals = dot(normal, d) * dot(normal, moved);
                        let product = across.mul_add(dot(d, moved), (along - across) * normals);
                        progress - product
                    }
                };
                if soft {
                    let e = load2::<L, PARTS>(&self.compliance[k]);
                    curvature = curvature + dot(d, compliance_product(normal, e[part], d));
                }
            }
        }
        Sums {
            residual: residual.total(),
            length: length.total(),
            progress: progress.total(),
            curvature: curvature.total(),
        }
    }
}

/// Squares of a probe d and of N d, plain (forces only) and in the metric: first estimates of ‖N‖.
pub(super) struct EstimatePass<'a, const PARTS: usize> {
    pub slot: usize,
    pub states: &'a [ContactState<PARTS>],
    pub batches: &'a [PairBatch],
    pub compliance: &'a [[[[f64; LANES]; 2]; PARTS]],
    pub bodies: &'a Bodies,
}

impl<const PARTS: usize> Kernel for EstimatePass<'_, PARTS> {
    /// ‖d‖², ‖N d‖², dᵀ P⁻¹ d, (N d)ᵀ P N d.
    type Output = [f64; 4];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [f64; 4] {
        let one = L::of(1.0);
        let mut squares = [L::zero(); 4];
        for (k, batch) in self.batches.iter().enumerate() {
            let state = &self.states[k];
            let normal = L::load3(&batch.normal);
            let d = load::<L, PARTS>(&state.x[self.slot]);
            let weight = load2::<L, PARTS>(&state.weight);
            let mut n_d = relative_motion::<L, PARTS>(self.bodies, &state.bodies, batch);
            for part in 0..PARTS {
                if let Some(e) = self.compliance.get(k) {
                    let stretch = compliance_product(normal, load2::<L, PARTS>(e)[part], d[part]);
                    n_d[part] = three!(i => n_d[part][i] + stretch[i]);
                }
                let [along, across] = weight[part];
                if part == 0 {
                    // Couples have another unit.
                    squares[0] = squares[0] + dot(d[part], d[part]);
                    squares[1] = squares[1] + dot(n_d[part], n_d[part]);
                }
                squares[2] = squares[2] + metric_square(normal, along, across, d[part]);
                squares[3] = squares[3] + metric_square(normal, one / along, one / across, n_d[part]);
            }
        }
        [squares[0].total(), squares[1].total(), squares[2].total(), squares[3].total()]
    }
}
