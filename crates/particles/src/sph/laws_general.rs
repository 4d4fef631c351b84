//! Laws that want more than velocity and pressure: corrected gradients, viscosity that varies, drift, filters.
//!
//! Here they are put into rows; what they are is in [`huygens_kernel::sph::sums`].

use huygens_exec::lanes::Lanes;
use huygens_kernel::V3;
use huygens_kernel::point::Symmetric;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::sph::sums::{
    DriftSide, FlowSide, GradientTerms, MomentTerms, drift_terms, flow_pair, gradient_terms, moment_terms,
};
use huygens_kernel::vector::{difference, negated};

use super::laws::Flow;
use super::sweep::{Gap, PairLaw, Side};

/// [`Flow`] with corrected gradients and viscosity of each particle, and rows for drift.
///
/// `more` of a particle: the correction of its gradients (xx, yy, zz, xy, xz, yz) and its viscosity [Pa·s]. Second row:
/// what is carried, and the weight. Third row: crowding and spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowGeneral {
    /// With viscosities of 1 Pa·s.
    pub flow: Flow,
    /// W at the spacing.
    pub spacing_value: f64,
}

#[inline(always)]
fn general<L: Lanes>(side: &Side<L>) -> FlowSide<L> {
    let [xx, yy, zz, xy, zx, yz, viscosity, _] = side.more;
    FlowSide { correction: Symmetric { xx, yy, zz, xy, yz, zx }, viscosity }
}

#[inline(always)]
fn with<L>(V3 { x, y, z }: V3<L>, last: L) -> [L; 4] {
    [x, y, z, last]
}

#[inline(always)]
fn drift<L: Lanes>(carry: V3<L>, DriftSide { weight, crowd, spread }: DriftSide<L>) -> [[L; 4]; 2] {
    [with(carry, weight), with(crowd, spread)]
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
        let offset = gap.offset.into();
        let pair = flow_pair(&general(one), &general(others), offset, WALL);
        let direction = pair.direction.to_array();
        let rates = self.flow.rates::<L, K, WALL>(kernel, one, others, gap, direction, pair.viscosity);
        let (value, slope) = (kernel.value(gap.distance), kernel.slope(gap.distance));
        let (mine, yours) = (one.seen(), others.seen());
        let per_spacing_value = L::of(1.0 / self.spacing_value);
        let terms = drift_terms(&mine, &yours, offset, gap.square, value, slope, per_spacing_value, WALL);
        let [a, b] = drift(terms.carry, terms.one);
        let [c, d] = drift(negated(terms.carry), terms.other);
        [[rates[0], a, b], [rates[1], c, d]]
    }
}

/// What corrections and rates of shear are made of: $-\sum s_j F\,x\otimes x$ (xx, yy, zz, xy, xz, yz) and
/// $-\sum s_j F\,v\otimes x$ with v and x from the other to the one, row by row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradients;

#[inline(always)]
fn gradient_rows<L: Lanes>(terms: GradientTerms<L>) -> [[L; 4]; 4] {
    let Symmetric { xx, yy, zz, xy, yz, zx } = terms.moment;
    let [[a, b, c], [d, e, f], [g, h, i]] = terms.slopes.to_array();
    [[xx, yy, zz, xy], [zx, yz, a, b], [c, d, e, f], [g, h, i, L::zero()]]
}

impl PairLaw<4> for Gradients {
    #[inline(always)]
    fn meet<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
    ) -> [[[L; 4]; 4]; 2] {
        let (offset, slope) = (gap.offset.into(), kernel.slope(gap.distance));
        let velocity = difference(one.velocity.into(), others.velocity.into());
        [
            gradient_rows(gradient_terms(others.volume, velocity, offset, slope)),
            gradient_rows(gradient_terms(one.volume, velocity, offset, slope)),
        ]
    }
}

/// What filters of density are made of: $\sum W$, $\sum W x$; $\sum sW$, $\sum sWx$; $\sum sWx\otimes x$.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments;

#[inline(always)]
fn moment_rows<L: Lanes>(terms: MomentTerms<L>) -> [[L; 4]; 4] {
    let MomentTerms { plain, first: V3 { x, y, z }, weighted, moment, second } = terms;
    let Symmetric { xx, yy, zz, xy, yz, zx } = second;
    let [u, v, w] = moment.to_array();
    [[plain, x, y, z], [weighted, u, v, w], [xx, yy, zz, xy], [zx, yz, L::zero(), L::zero()]]
}

impl PairLaw<4> for Moments {
    #[inline(always)]
    fn meet<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
    ) -> [[[L; 4]; 4]; 2] {
        // The one that is nowhere has no weight, but its offset squared may not be multiplied by 0 and become one.
        let (offset, value) = (V3::from(gap.offset), kernel.value(gap.distance));
        [
            moment_rows(moment_terms(others.volume, value, offset)),
            moment_rows(moment_terms(one.volume, value, negated(offset))),
        ]
    }
}
