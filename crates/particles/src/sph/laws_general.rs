//! Laws that want more than velocity and pressure: corrected gradients, viscosity that varies, drift, filters.

use huygens_exec::lanes::Lanes;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::triple::dot;

use super::laws::{Flow, difference};
use super::sweep::{Gap, PairLaw, Side};

/// [`Flow`] with corrected gradients and viscosity of each particle, and rows for drift.
///
/// `more` of a particle: a symmetric matrix L (xx, yy, zz, xy, xz, yz) that makes $L\nabla W$ exact for linear fields,
/// and the viscosity [Pa·s]. Second row: $\sum\bar s\,(v_j - v_i)W$, $\sum s_j W$. Third row: $\sum s_j\nabla W(1 + 0.2
/// (W/W_1)^4)$, $-\sum s_j F x^2$.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowGeneral {
    /// With viscosities of 1 Pa·s.
    pub flow: Flow,
    /// W at the spacing.
    pub spacing_value: f64,
}

/// L x for a symmetric matrix.
#[inline(always)]
fn turned<L: Lanes>(m: &[L; 8], [x, y, z]: [L; 3]) -> [L; 3] {
    let [xx, yy, zz, xy, xz, yz, ..] = *m;
    [dot([xx, xy, xz], [x, y, z]), dot([xy, yy, yz], [x, y, z]), dot([xz, yz, zz], [x, y, z])]
}

impl PairLaw<3> for FlowGeneral {
    const MORE: bool = true;

    #[inline(always)]
    fn meet<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
    ) -> [[[L; 4]; 3]; 2] {
        let half = L::of(0.5);
        let (direction, viscosity) = match WALL {
            // A wall has neither correction nor viscosity of its own.
            true => (turned(&others.more, gap.offset), others.more[6]),
            false => {
                let [a, b] = [turned(&one.more, gap.offset), turned(&others.more, gap.offset)];
                let mean = [half * (a[0] + b[0]), half * (a[1] + b[1]), half * (a[2] + b[2])];
                (mean, half * (one.more[6] + others.more[6]))
            }
        };
        let rates = self.flow.rates::<L, K, WALL>(kernel, one, others, gap, direction, viscosity);
        let value = kernel.value(gap.distance);
        let slope = kernel.slope(gap.distance);
        let mean = half * (one.volume + others.volume) * value;
        let mut carry = difference(others.velocity, one.velocity);
        if WALL {
            carry = [L::zero(); 3];
        }
        let share = value * L::of(1.0 / self.spacing_value);
        let share = share * share;
        let crowd = slope * L::of(0.2).mul_add(share * share, L::of(1.0));
        let [x, y, z] = gap.offset;
        let spread = -(slope * gap.square);
        let (mine, yours) = (others.volume, one.volume);
        [
            [
                rates[0],
                [carry[0] * mean, carry[1] * mean, carry[2] * mean, mine * value],
                [mine * crowd * x, mine * crowd * y, mine * crowd * z, mine * spread],
            ],
            [
                rates[1],
                [-(carry[0] * mean), -(carry[1] * mean), -(carry[2] * mean), yours * value],
                [-(yours * crowd * x), -(yours * crowd * y), -(yours * crowd * z), yours * spread],
            ],
        ]
    }
}

/// What corrections and rates of shear are made of: $-\sum s_j F\,x\otimes x$ (xx, yy, zz, xy, xz, yz) and
/// $-\sum s_j F\,v\otimes x$ with v and x from the other to the one, row by row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradients;

impl PairLaw<4> for Gradients {
    #[inline(always)]
    fn meet<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
    ) -> [[[L; 4]; 4]; 2] {
        let slope = -kernel.slope(gap.distance);
        let [x, y, z] = gap.offset;
        let [u, v, w] = difference(one.velocity, others.velocity);
        let of = |volume: L| {
            let [a, b, c] = [volume * slope * x, volume * slope * y, volume * slope * z];
            [
                [a * x, b * y, c * z, a * y],
                [a * z, b * z, a * u, b * u],
                [c * u, a * v, b * v, c * v],
                [a * w, b * w, c * w, L::zero()],
            ]
        };
        [of(others.volume), of(one.volume)]
    }
}

/// What filters of density are made of: $\sum W$, $\sum W x$; $\sum sW$, $\sum sWx$; $\sum sWx\otimes x$.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments;

impl PairLaw<4> for Moments {
    #[inline(always)]
    fn meet<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
    ) -> [[[L; 4]; 4]; 2] {
        let value = kernel.value(gap.distance);
        // The one that is nowhere has no weight, but its offset squared may not be multiplied by 0 and become one.
        let [x, y, z] = gap.offset;
        let of = |weight: L, x: L, y: L, z: L| {
            [
                [value, value * x, value * y, value * z],
                [weight, weight * x, weight * y, weight * z],
                [weight * x * x, weight * y * y, weight * z * z, weight * x * y],
                [weight * x * z, weight * y * z, L::zero(), L::zero()],
            ]
        };
        [of(others.volume * value, x, y, z), of(one.volume * value, -x, -y, -z)]
    }
}
