//! What two particles of a fluid do to each other.

use huygens_exec::lanes::Lanes;
use huygens_kernel::V3;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::sph::pair::{FlowCoefficients, FluidGap, WallSide, flow_rates};

use super::settings::{FluidSettings, ViscousForm};
use super::sweep::{Gap, PairLaw, Side};

/// Softening of divisions by the square of the distance, in units of h².
const SOFTENING: f64 = 0.01;

/// Distance, in spacings, below which a marker pushes a particle away whatever its density is: in a plane and in space,
/// where particles come between four markers.
const TOUCH: [f64; 2] = [0.75, 0.85];

/// Rates of velocity and density, see [`flow_rates`]: $\dot v_i = m\sum$ (first three), $\dot\rho_i = \rho_i m\sum$
/// (fourth).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow(FlowCoefficients);

impl Flow {
    pub fn new(settings: &FluidSettings, viscosity: f64) -> Self {
        let h = settings.length();
        let of = |form| if settings.viscous_form == form { viscosity } else { 0.0 };
        let dimension = settings.space.dimension().number() as f64;
        // Artificial viscosity along lines of centres that is as strong as the viscosity of the fluid.
        let own = 2.0 * (dimension + 2.0) * settings.rheology.greatest() / settings.density;
        Self(FlowCoefficients {
            softening: SOFTENING * h * h,
            morris: 2.0 * of(ViscousForm::Morris),
            laminar: 2.0 * of(ViscousForm::Laminar) / settings.density,
            central: 2.0 * (dimension + 2.0) * of(ViscousForm::Central),
            artificial: (settings.artificial * h * settings.sound - own).max(0.0),
            diffusion: 2.0 * settings.diffusion * h * settings.sound,
            hold: 2.0 * settings.sound * settings.sound / settings.density,
            hold_slope: 1.0 / (TOUCH[settings.space.dimension().number() - 2] * settings.spacing),
            rest: (settings.gravity / (settings.density * settings.sound * settings.sound)).into(),
        })
    }
}

impl Flow {
    /// Rows of the one and of the others; gradients are `direction` times the slope of the kernel.
    #[inline(always)]
    pub fn rates<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
        direction: [L; 3],
        viscosity: L,
    ) -> [[L; 4]; 2] {
        let [x, y, z, grip, ..] = one.more;
        let marker = WallSide { velocity: V3 { x, y, z }, grip };
        let gap = FluidGap {
            offset: gap.offset.into(),
            square: gap.square,
            distance: gap.distance,
            direction: direction.into(),
            slope: kernel.slope(gap.distance),
        };
        let law = FlowCoefficients::uniform(&self.0);
        let rates = flow_rates(&law, &one.seen(), &others.seen(), &marker, &gap, viscosity, WALL);
        let V3 { x, y, z } = rates.force;
        [[x, y, z, rates.one], [-x, -y, -z, rates.other]]
    }
}

impl PairLaw<1> for Flow {
    #[inline(always)]
    fn meet<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
    ) -> [[[L; 4]; 1]; 2] {
        let [a, b] = self.rates::<L, K, WALL>(kernel, one, others, gap, gap.offset, L::of(1.0));
        [[a], [b]]
    }
}
