//! Projection of four contact multipliers at once, as vectors in world axes.
//!
//! Friction and rolling cones are round about the normal, so a multiplier need not be resolved along tangents:
//! its normal part and the length of the rest say everything. The projection is the nearest point in a metric that
//! may weigh normal and tangential parts differently, which keeps the cone round.

use super::projection::FrictionLaw;
use huygens_exec::lanes::Lanes;
use huygens_kernel::three;
use huygens_kernel::triple::{difference, dot, scaled_add};

/// A vector as its normal part and the rest.
#[derive(Clone, Copy)]
pub(crate) struct Split<L> {
    pub normal: L,
    pub rest: [L; 3],
}

impl<L: Lanes> Split<L> {
    #[inline(always)]
    pub(crate) fn new(n: [L; 3], x: [L; 3]) -> Self {
        let normal = dot(n, x);
        Self { normal, rest: three!(i => normal.neg_mul_add(n[i], x[i])) }
    }

    #[inline(always)]
    pub(crate) fn join(self, n: [L; 3]) -> [L; 3] {
        scaled_add(self.normal, n, self.rest)
    }
}

/// Factor that brings a vector of length `size` to at most `limit`.
#[inline(always)]
fn shrinkage<L: Lanes>(size: L, limit: L) -> L {
    size.where_greater(limit, limit / size, L::of(1.0))
}

/// A vector, no longer than `limit`.
#[inline(always)]
fn shortened<L: Lanes>(x: [L; 3], limit: L) -> [L; 3] {
    let shrink = shrinkage(dot(x, x).sqrt(), limit);
    three!(i => shrink * x[i])
}

/// The friction cone; `ratio` is the weight of the tangential over that of the normal part of the metric.
#[inline(always)]
fn project_friction<L: Lanes>([mu, cohesion]: [L; 2], ratio: L, x: Split<L>) -> Split<L> {
    let slide = dot(x.rest, x.rest).sqrt();
    let g = x.normal + cohesion;
    let weighted = mu * ratio;
    let tilted = weighted.mul_add(slide, g) / weighted.mul_add(mu, L::of(1.0));
    let normal = slide.where_greater(mu * g, tilted, g).larger(L::zero());
    let shrink = shrinkage(slide, mu * normal);
    Split { normal: normal - cohesion, rest: three!(i => shrink * x.rest[i]) }
}

/// [`Cone::project_by`](super::Cone::project_by) a law: the friction cone over a force, or the rolling cone over a force
/// and a couple. Coefficients are (μ, cohesion) and (spinning, rolling). Coulomb's law knows no metric; in the nearest
/// point, `ratios` are the weights of the metric over that of the normal force, in the order
/// (normal, sliding), (spinning, rolling).
#[inline(always)]
pub(crate) fn project<L: Lanes, const PARTS: usize>(
    law: FrictionLaw,
    cone: &[[L; 2]; PARTS],
    ratios: &[[L; 2]; PARTS],
    x: [Split<L>; PARTS],
) -> [Split<L>; PARTS] {
    let mut out = x;
    if law == FrictionLaw::Coulomb {
        let (mu, cohesion) = (cone[0][0], cone[0][1]);
        let normal = (x[0].normal + cohesion).larger(L::zero());
        out[0] = Split { normal: normal - cohesion, rest: shortened(x[0].rest, mu * normal) };
        if PARTS == 2 {
            let ([spinning, rolling], couple) = (cone[PARTS - 1], x[PARTS - 1]);
            let spin = couple.normal.larger(L::zero() - couple.normal);
            let shrink = shrinkage(spin, spinning * normal);
            let rest = shortened(couple.rest, rolling * normal);
            out[PARTS - 1] = Split { normal: shrink * couple.normal, rest };
        }
    } else if PARTS == 1 {
        out[0] = project_friction(cone[0], ratios[0][1], x[0]);
    } else {
        let both = project_rolling([cone[0], cone[1]], [ratios[0], ratios[1]], [x[0], x[1]]);
        (out[0], out[1]) = (both[0], both[1]);
    }
    out
}

/// The rolling cone over force and couple; `ratios` are the weights of normal, sliding, spinning and rolling
/// parts over that of the normal part. The same first consistent set as in [`Cone::project`](super::Cone::project).
#[inline(always)]
fn project_rolling<L: Lanes>(
    [[mu, cohesion], [spinning, rolling]]: [[L; 2]; 2],
    ratios: [[L; 2]; 2],
    [force, couple]: [Split<L>; 2],
) -> [Split<L>; 2] {
    let slide = dot(force.rest, force.rest).sqrt();
    let roll = dot(couple.rest, couple.rest).sqrt();
    let spin = couple.normal.larger(L::zero() - couple.normal);
    let g = force.normal + cohesion;
    // A term with k = 0 never moves the normal; a tiny k keeps 0/0 out of its place in the order.
    let tiny = L::of(f64::MIN_POSITIVE);
    let mut terms = [
        [slide / mu.larger(tiny), slide, mu, ratios[0][1]],
        [spin / spinning.larger(tiny), spin, spinning, ratios[1][0]],
        [roll / rolling.larger(tiny), roll, rolling, ratios[1][1]],
    ];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        let (a, b) = (terms[i], terms[j]);
        for c in 0..4 {
            terms[i][c] = b[0].where_greater(a[0], b[c], a[c]);
            terms[j][c] = b[0].where_greater(a[0], a[c], b[c]);
        }
    }
    let (mut numerator, mut denominator) = (g, L::of(1.0));
    for [_, a, k, ratio] in terms {
        let (left, right) = (a * denominator, k * numerator);
        let weighted = k * ratio;
        let next = (weighted.mul_add(a, numerator), weighted.mul_add(k, denominator));
        numerator = left.where_greater(right, next.0, numerator);
        denominator = left.where_greater(right, next.1, denominator);
    }
    let normal = (numerator / denominator).larger(L::zero());
    let slide = shrinkage(slide, mu * normal);
    let spin = shrinkage(spin, spinning * normal);
    let roll = shrinkage(roll, rolling * normal);
    [
        Split { normal: normal - cohesion, rest: three!(i => slide * force.rest[i]) },
        Split { normal: spin * couple.normal, rest: three!(i => roll * couple.rest[i]) },
    ]
}

/// Squared length in the metric (1/η_n, 1/η_t).
#[inline(always)]
pub(crate) fn metric_square<L: Lanes>(n: [L; 3], per_normal: L, per_tangent: L, x: [L; 3]) -> L {
    let normal = dot(n, x);
    let all = dot(x, x);
    per_tangent.mul_add(all, (per_normal - per_tangent) * normal * normal)
}

/// Sum of squares of a difference.
#[inline(always)]
pub(crate) fn distance_square<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    let d = difference(a, b);
    dot(d, d)
}
