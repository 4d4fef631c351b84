//! Gauss–Seidel steps of contacts, four at once.

#![expect(unsafe_code, reason = "bodies of one color are written at the same time")]

use crate::cone::parts;
use crate::cone::problem::BodyInverse;
use crate::cone::projection::FrictionLaw;
use crate::cone::projection_lanes::{Split, distance_square, project};
use crate::cone::rows::LANES;
use huygens_exec::Disjoint;
use huygens_exec::lanes::{Kernel, Lanes};
use huygens_kernel::three;
use huygens_kernel::triple::{cross, difference, dot, scaled_add};

/// Velocity and inverse inertia of a body, as rows of four:
/// (v, 1/m), (ω, xz), (xx, yy, zz, xy), (yz, –, –, –).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(128))]
pub(super) struct Body(pub [[f64; LANES]; 4]);

impl Body {
    pub(super) fn new(inverse: &BodyInverse, v: &[f64]) -> Self {
        let [xx, yy, zz, xy, xz, yz] = inverse.inverse_inertia;
        Self([
            [v[0], v[1], v[2], inverse.inverse_mass],
            [v[3], v[4], v[5], xz],
            [xx, yy, zz, xy],
            [yz, 0.0, 0.0, 0.0],
        ])
    }

    pub(super) fn column(&self, c: usize) -> f64 {
        self.0[c / 3][c % 3]
    }

    pub(super) fn column_mut(&mut self, c: usize) -> &mut f64 {
        &mut self.0[c / 3][c % 3]
    }
}

/// Marks a body that a contact must not write: the ground, or one that does not move.
pub(super) const FIXED: u32 = 1 << 31;

/// Four contacts of one colour, in world axes; a second part is the couple of rolling contacts.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct SweepBatch<const PARTS: usize> {
    pub bodies: [[u32; LANES]; 2],
    pub normal: [[f64; LANES]; 3],
    pub arms: [[[f64; LANES]; 3]; 2],
    /// (μ, cohesion) and (spinning, rolling).
    pub cone: [[[f64; LANES]; 2]; PARTS],
    /// The metric of the local step, along and perpendicular to the normal.
    pub weight: [[[f64; LANES]; 2]; PARTS],
    /// Diagonal of E along and perpendicular to the normal.
    pub compliance: [[[f64; LANES]; 2]; PARTS],
    pub bias: [[[f64; LANES]; 3]; PARTS],
    pub x: [[[[f64; LANES]; 3]; PARTS]; ITERATES],
}

/// Stored iterates: the current, the previous and the best one.
pub(super) const ITERATES: usize = 3;

impl<const PARTS: usize> SweepBatch<PARTS> {
    /// A batch without contacts.
    pub(super) fn empty(ground: u32) -> Self {
        let (none, pair) = ([[0.0; LANES]; 3], [[0.0; LANES]; 2]);
        Self {
            bodies: [[ground | FIXED; LANES]; 2],
            normal: none,
            arms: [none; 2],
            cone: [pair; PARTS],
            weight: [[[1.0; LANES]; 2]; PARTS],
            compliance: [pair; PARTS],
            bias: [none; PARTS],
            x: [[none; PARTS]; ITERATES],
        }
    }
}

/// A step of each contact from y = x + β (x − x⁻): x⁺ = y + λ (Π(y − ω P (D v + b + E y)) − y), and the velocities,
/// those of y before, with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// ω.
    pub relaxation: f64,
    /// λ.
    pub sharpness: f64,
    /// β.
    pub beta: f64,
    /// Where x⁻ is.
    pub before: usize,
    /// Where x⁺ goes; may be the place of x⁻.
    pub next: usize,
}

/// What a pass over batches does with one iterate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Task {
    /// Adds H⁻¹ Dᵀ x to the velocities.
    Apply,
    /// A step, and the sum of (x⁺ − y) · (x⁺ − x) in the metric of the step.
    Step(Step),
    /// ‖x − Π(x − g (D v + b + E x))‖².
    Measure {
        /// g.
        reach: f64,
    },
    /// ‖x‖² and ‖N x‖² over forces, velocities being those of x alone.
    Estimate,
}

/// One pass over batches no two of which share a body, unless they are only read.
pub(super) struct SweepPass<'a, 'b, const PARTS: usize> {
    pub task: Task,
    pub friction: FrictionLaw,
    /// Which iterate is x.
    pub slot: usize,
    pub batches: &'a mut [SweepBatch<PARTS>],
    pub bodies: &'a Disjoint<'b, Body>,
}

/// Four bodies in registers.
struct Four<L> {
    mass: L,
    inertia: [L; 6],
    v: [L; 3],
    w: [L; 3],
}

impl<L: Lanes> Four<L> {
    #[inline(always)]
    fn load(bodies: &Disjoint<'_, Body>, index: &[u32; LANES]) -> Self {
        // SAFETY: bodies that anyone writes meanwhile belong to these contacts alone.
        let [a, b, c, d] = unsafe {
            [
                &(*bodies.element((index[0] & !FIXED) as usize)).0,
                &(*bodies.element((index[1] & !FIXED) as usize)).0,
                &(*bodies.element((index[2] & !FIXED) as usize)).0,
                &(*bodies.element((index[3] & !FIXED) as usize)).0,
            ]
        };
        let [vx, vy, vz, mass] = L::transpose_in([&a[0], &b[0], &c[0], &d[0]]);
        let [wx, wy, wz, xz] = L::transpose_in([&a[1], &b[1], &c[1], &d[1]]);
        let [xx, yy, zz, xy] = L::transpose_in([&a[2], &b[2], &c[2], &d[2]]);
        let yz = L::load(&[a[3][0], b[3][0], c[3][0], d[3][0]]);
        Self { mass, inertia: [xx, yy, zz, xy, xz, yz], v: [vx, vy, vz], w: [wx, wy, wz] }
    }

    /// Adds H⁻¹ (force, torque).
    #[inline(always)]
    fn push(&mut self, force: [L; 3], [x, y, z]: [L; 3]) {
        let [xx, yy, zz, xy, xz, yz] = self.inertia;
        self.v = three!(i => self.mass.mul_add(force[i], self.v[i]));
        self.w = [
            xz.mul_add(z, xy.mul_add(y, xx.mul_add(x, self.w[0]))),
            yz.mul_add(z, yy.mul_add(y, xy.mul_add(x, self.w[1]))),
            zz.mul_add(z, yz.mul_add(y, xz.mul_add(x, self.w[2]))),
        ];
    }

    #[inline(always)]
    fn store(&self, bodies: &Disjoint<'_, Body>, index: &[u32; LANES]) {
        let linear = L::transpose([self.v[0], self.v[1], self.v[2], self.mass]);
        let angular = L::transpose([self.w[0], self.w[1], self.w[2], self.inertia[4]]);
        for lane in 0..LANES {
            if index[lane] & FIXED == 0 {
                // SAFETY: these contacts are the only ones that touch the body meanwhile.
                let body = unsafe { &mut *bodies.element(index[lane] as usize) };
                linear[lane].store(&mut body.0[0]);
                angular[lane].store(&mut body.0[1]);
            }
        }
    }
}

impl<const PARTS: usize> Kernel for SweepPass<'_, '_, PARTS> {
    /// Two sums, as the task says.
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [f64; 2] {
        let (one, mut sums) = (L::of(1.0), [L::zero(); 2]);
        for batch in self.batches.iter_mut() {
            let mut a = Four::<L>::load(self.bodies, &batch.bodies[0]);
            let mut b = Four::<L>::load(self.bodies, &batch.bodies[1]);
            let (arm_a, arm_b) = (L::load3(&batch.arms[0]), L::load3(&batch.arms[1]));
            let normal = L::load3(&batch.normal);
            let current: [[L; 3]; PARTS] = parts!(part => L::load3(&batch.x[self.slot][part]));
            let mut x = current;
            if let Task::Step(step) = self.task {
                let beta = L::of(step.beta);
                x = parts!(part => {
                    let before = L::load3(&batch.x[step.before][part]);
                    scaled_add(beta, difference(current[part], before), current[part])
                });
            }
            if self.task == Task::Apply {
                push(&mut a, &mut b, arm_a, arm_b, x);
                a.store(self.bodies, &batch.bodies[0]);
                b.store(self.bodies, &batch.bodies[1]);
                continue;
            }
            let (turn_a, turn_b) = (cross(a.w, arm_a), cross(b.w, arm_b));
            let slip = three!(i => (b.v[i] + turn_b[i]) - (a.v[i] + turn_a[i]));
            let rate: [[L; 3]; PARTS] = parts!(part => {
                let stretch = Split::new(normal, x[part]);
                let along = L::load(&batch.compliance[part][0]);
                let across = L::load(&batch.compliance[part][1]);
                let motion = if part == 0 { slip } else { difference(b.w, a.w) };
                three!(i => {
                    let tangential = across.mul_add(stretch.rest[i], motion[i]);
                    (along * stretch.normal).mul_add(normal[i], tangential)
                })
            });
            let cone: [[L; 2]; PARTS] =
                parts!(part => [L::load(&batch.cone[part][0]), L::load(&batch.cone[part][1])]);
            match self.task {
                Task::Estimate => {
                    // Couples have another unit.
                    sums[0] = sums[0] + dot(x[0], x[0]);
                    sums[1] = sums[1] + dot(rate[0], rate[0]);
                }
                Task::Measure { reach } => {
                    let reach = L::of(reach);
                    let moved: [Split<L>; PARTS] = parts!(part => {
                        let bias = L::load3(&batch.bias[part]);
                        let target = three!(i => reach.neg_mul_add(rate[part][i] + bias[i], x[part][i]));
                        Split::new(normal, target)
                    });
                    let nearest = project(self.friction, &cone, &[[one; 2]; PARTS], moved);
                    for part in 0..PARTS {
                        sums[0] = sums[0] + distance_square(x[part], nearest[part].join(normal));
                    }
                }
                Task::Step(step) => {
                    let (relaxation, sharpness) = (L::of(step.relaxation), L::of(step.sharpness));
                    let weight: [[L; 2]; PARTS] =
                        parts!(part => [L::load(&batch.weight[part][0]), L::load(&batch.weight[part][1])]);
                    let moved: [Split<L>; PARTS] = parts!(part => {
                        let bias = L::load3(&batch.bias[part]);
                        let gradient = Split::new(normal, three!(i => rate[part][i] + bias[i]));
                        let from = Split::new(normal, x[part]);
                        let [along, across] = [relaxation / weight[part][0], relaxation / weight[part][1]];
                        let rest = three!(i => across.neg_mul_add(gradient.rest[i], from.rest[i]));
                        Split { normal: along.neg_mul_add(gradient.normal, from.normal), rest }
                    });
                    let inverse = one / weight[0][0];
                    let ratios: [[L; 2]; PARTS] =
                        parts!(part => [weight[part][0] * inverse, weight[part][1] * inverse]);
                    let nearest = project(self.friction, &cone, &ratios, moved);
                    let change: [[L; 3]; PARTS] = parts!(part => {
                        let target = nearest[part].join(normal);
                        three!(i => sharpness * (target[i] - x[part][i]))
                    });
                    for part in 0..PARTS {
                        let next = three!(i => x[part][i] + change[part][i]);
                        let [along, across] = weight[part];
                        let moved = difference(next, current[part]);
                        let normal_part = dot(change[part], normal) * dot(moved, normal);
                        let product =
                            across.mul_add(dot(change[part], moved), (along - across) * normal_part);
                        sums[0] = sums[0] + product;
                        next[0].store(&mut batch.x[step.next][part][0]);
                        next[1].store(&mut batch.x[step.next][part][1]);
                        next[2].store(&mut batch.x[step.next][part][2]);
                    }
                    push(&mut a, &mut b, arm_a, arm_b, change);
                    a.store(self.bodies, &batch.bodies[0]);
                    b.store(self.bodies, &batch.bodies[1]);
                }
                Task::Apply => {}
            }
        }
        [sums[0].total(), sums[1].total()]
    }
}

/// The rows of a [`Body`] with its velocities.
pub(super) type Motion = [[f64; LANES]; 2];

/// v ← v + β (v − v⁻), v⁻ ← v. What else is in these rows does not change, so it stays.
pub(super) struct ExtrapolationPass<'a> {
    pub beta: f64,
    pub bodies: &'a mut [Body],
    pub before: &'a mut [Motion],
}

impl Kernel for ExtrapolationPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let beta = L::of(self.beta);
        let count = self.bodies.len().min(self.before.len());
        for k in 0..count {
            let (body, before) = (&mut self.bodies[k].0, &mut self.before[k]);
            for row in 0..2 {
                let (v, old) = (L::load(&body[row]), L::load(&before[row]));
                v.store(&mut before[row]);
                beta.mul_add(v - old, v).store(&mut body[row]);
            }
        }
    }
}

/// Adds what a change of multipliers does to both sides.
#[inline(always)]
fn push<L: Lanes, const PARTS: usize>(
    a: &mut Four<L>,
    b: &mut Four<L>,
    arm_a: [L; 3],
    arm_b: [L; 3],
    change: [[L; 3]; PARTS],
) {
    let back = three!(i => L::zero() - change[0][i]);
    let (mut torque_a, mut torque_b) = (cross(arm_a, back), cross(arm_b, change[0]));
    if PARTS == 2 {
        torque_a = difference(torque_a, change[PARTS - 1]);
        torque_b = three!(i => torque_b[i] + change[PARTS - 1][i]);
    }
    a.push(back, torque_a);
    b.push(change[0], torque_b);
}
