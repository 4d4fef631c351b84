//! What two particles of a fluid do to each other.

use huygens_exec::lanes::Lanes;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::triple::dot;

use super::settings::{FluidSettings, ViscousForm};
use super::sweep::{Gap, PairLaw, Side};

/// Softening of divisions by the square of the distance, in units of h².
const SOFTENING: f64 = 0.01;

/// Distance, in spacings, below which a marker pushes a particle away whatever its density is: in a plane and in space,
/// where particles come between four markers.
const TOUCH: [f64; 2] = [0.75, 0.85];

/// Rates of velocity and density: $\dot v_i = m\sum$ (first three), $\dot\rho_i = \rho_i m\sum$ (fourth).
///
/// With $s = 1/\rho$ and $P = p/\rho^2$ the first three are $-(P_i + P_j)F\,x$ and viscous forces, the fourth
/// $s_j F\,v\cdot x$ and the diffusion of density.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    softening: f64,
    /// Factors of the viscous forces: with $s_i s_j$, with the mean of s, and along the line of centres.
    morris: f64,
    laminar: f64,
    central: f64,
    /// α h c of artificial viscosity.
    artificial: f64,
    /// 2 δ h c of the diffusion of density.
    diffusion: f64,
    /// Least pressure term between a marker and a particle that touches it, $2c^2/\rho_0$, and the inverse of the distance at
    /// which it begins.
    hold: [f64; 2],
    /// Change of 1/ρ with height in a fluid at rest, g/(ρ₀ c²): what does not diffuse (fourtakas2019).
    rest: [f64; 3],
}

impl Flow {
    pub fn new(settings: &FluidSettings, viscosity: f64) -> Self {
        let h = settings.length();
        let of = |form| if settings.viscous_form == form { viscosity } else { 0.0 };
        let dimension = settings.space.dimension().number() as f64;
        Self {
            softening: SOFTENING * h * h,
            morris: 2.0 * of(ViscousForm::Morris),
            laminar: 2.0 * of(ViscousForm::Laminar) / settings.density,
            central: 2.0 * (dimension + 2.0) * of(ViscousForm::Central),
            artificial: settings.artificial * h * settings.sound,
            diffusion: 2.0 * settings.diffusion * h * settings.sound,
            hold: [
                2.0 * settings.sound * settings.sound / settings.density,
                1.0 / (TOUCH[settings.space.dimension().number() - 2] * settings.spacing),
            ],
            rest: (settings.gravity / (settings.density * settings.sound * settings.sound)).to_array(),
        }
    }
}

/// a − b.
#[inline(always)]
pub(crate) fn difference<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
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
        let slope = kernel.slope(gap.distance);
        let [u, v, w] = difference(one.velocity, others.velocity);
        let closing = dot([u, v, w], gap.offset);
        let per_square = L::of(1.0) / (gap.square + L::of(self.softening));
        let product = one.volume * others.volume;
        let mean = L::of(0.5) * (one.volume + others.volume);
        // x²/(x² + ε h²) is left out here: slopes are finite, and it would thin the fluid by a percent.
        let mut shear = viscosity * slope * L::of(self.morris).mul_add(product, L::of(self.laminar) * mean);
        let approach = closing.smaller(L::zero());
        let mut inward = (L::of(self.central) * viscosity * product)
            .mul_add(closing, L::of(self.artificial) * mean * approach);
        let mut squeeze = slope * dot([u, v, w], direction);
        let rest = dot([L::of(self.rest[0]), L::of(self.rest[1]), L::of(self.rest[2])], gap.offset);
        let mut spread = L::of(self.diffusion) * ((others.volume - one.volume) - rest) * slope;
        let push = one.pressure + others.pressure;
        let mut touch = L::zero();
        if WALL {
            // Spray has lost its density where it came apart, and would have no pressure before it is in the wall.
            let hold = L::of(self.hold[0]) * (L::of(1.0) - gap.distance * L::of(self.hold[1]));
            touch = (hold - push.larger(L::zero())).larger(L::zero()) * slope;
            // Velocities of walls in viscous forces are not those at which they move.
            let wall = [one.more[0], one.more[1], one.more[2]];
            squeeze = slope * dot(difference(wall, others.velocity), direction);
            spread = L::zero();
            shear = shear * one.more[3];
            inward = inward * one.more[3];
        }
        let along = slope * inward.mul_add(per_square, -push);
        let [x, y, z] = direction;
        let mut force =
            [x.mul_add(along, u * shear), y.mul_add(along, v * shear), z.mul_add(along, w * shear)];
        if WALL {
            let [x, y, z] = gap.offset;
            force = difference(force, [touch * x, touch * y, touch * z]);
        }
        [
            [force[0], force[1], force[2], squeeze.mul_add(others.volume, spread)],
            [-force[0], -force[1], -force[2], squeeze.mul_add(one.volume, -spread)],
        ]
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
