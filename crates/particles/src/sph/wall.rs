//! How markers of walls take pressure and velocity from the fluid near them.

use huygens_exec::lanes::Lanes;
use huygens_kernel::Vec3;
use huygens_kernel::sph::{Smoothing, StateEquation};

use super::list::QUAD;
use super::settings::{FluidSettings, WallModel};
use super::sweep::{Desk, Side};
use crate::row::Row;

/// What the markers of all walls have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallAnswer {
    model: WallModel,
    state: StateEquation,
    rest: f64,
    sound: f64,
    tension: bool,
    gravity: Vec3,
    /// Sum of the kernel below which a marker sees nobody.
    least: f64,
}

/// How a marker moves besides its velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallMotion {
    pub acceleration: Vec3,
    /// Angular velocity of what carries it.
    pub spin: Vec3,
    /// Whether fluid slips along it.
    pub slip: bool,
}

impl WallAnswer {
    pub fn new(settings: &FluidSettings) -> Self {
        let (h, dimension) = (settings.length(), settings.space.dimension());
        Self {
            model: settings.walls,
            state: settings.state,
            rest: settings.density,
            sound: settings.sound,
            tension: settings.tension,
            gravity: settings.gravity,
            least: 1e-9 * settings.kernel.value(dimension, h, 0.0),
        }
    }

    /// A marker as the fluid sees it, and its pressure [Pa].
    ///
    /// [`WallModel::Projected`]: $v_w$ of the wall, $p_w = \sum p_f W/\sum W$. [`WallModel::Balanced`]:
    /// $v = v_w - \sum (v_f - v_w(x_f)) W/\sum W$ with $v_w(x) = v_w + \omega\times(x - x_w)$: a fluid that turns with the
    /// wall feels no friction, and a wall none of central forces. $p_w = [\sum p_f W + (g - a_w)\cdot\sum\rho_f x_{wf}
    /// W]/\sum W$. The density is that which the equation of state has for the pressure.
    #[inline(always)]
    pub fn answer<L: Lanes, K: Smoothing>(
        &self,
        kernel: &K,
        desk: &Desk,
        i: usize,
        quads: &[[u16; QUAD]],
        motion: &WallMotion,
    ) -> (Side<L>, f64) {
        let WallMotion { acceleration, spin, slip } = *motion;
        let push = self.gravity - acceleration;
        let Row([x, y, z, _]) = desk.place[i];
        let at = [L::of(x), L::of(y), L::of(z)];
        let (place, moving) = (&desk.place, &desk.motion);
        let mut sums = [L::zero(); 5];
        let mut offsets = [L::zero(); 3];
        for quad in quads {
            let [a, b, c, d] = [quad[0] as usize, quad[1] as usize, quad[2] as usize, quad[3] as usize];
            let [xs, ys, zs, volume] = L::transpose_in([&place[a].0, &place[b].0, &place[c].0, &place[d].0]);
            let offset = [at[0] - xs, at[1] - ys, at[2] - zs];
            let square = offset[0].mul_add(offset[0], offset[1].mul_add(offset[1], offset[2] * offset[2]));
            let weight = kernel.value(square.sqrt());
            let [u, v, w, pressure] =
                L::transpose_in([&moving[a].0, &moving[b].0, &moving[c].0, &moving[d].0]);
            let density = L::of(1.0) / volume;
            let mut felt = pressure * density * density;
            if self.model == WallModel::Balanced {
                let depth = L::of(push.x)
                    .mul_add(offset[0], L::of(push.y).mul_add(offset[1], L::of(push.z) * offset[2]));
                felt = density.mul_add(depth, felt);
            }
            sums[0] = sums[0] + weight;
            // The one that is nowhere has no weight, but an offset that may not be multiplied by it.
            sums[1] = sums[1] + weight.where_greater(L::zero(), felt * weight, L::zero());
            sums[2] = u.mul_add(weight, sums[2]);
            sums[3] = v.mul_add(weight, sums[3]);
            sums[4] = w.mul_add(weight, sums[4]);
            if spin != Vec3::ZERO {
                for k in 0..3 {
                    let term = weight.where_greater(L::zero(), offset[k] * weight, L::zero());
                    offsets[k] = offsets[k] + term;
                }
            }
        }
        let wall = desk.motion[i].vector();
        let weight = sums[0].total();
        let (mut pressure, mut velocity) = (0.0, wall);
        if weight > self.least {
            pressure = sums[1].total() / weight;
            if self.model == WallModel::Balanced {
                let [x, y, z] = [offsets[0].total(), offsets[1].total(), offsets[2].total()];
                let fluid = Vec3::new(sums[2].total(), sums[3].total(), sums[4].total());
                // Offsets are from the fluid to the wall.
                velocity = 2.0 * wall - (fluid + spin.cross(Vec3::new(x, y, z))) / weight;
            }
        }
        if !self.tension {
            pressure = pressure.max(0.0);
        }
        let density = self.state.density(self.rest, self.sound, pressure).max(0.5 * self.rest);
        let of = |v: Vec3| [L::of(v.x), L::of(v.y), L::of(v.z)];
        let [u, v, w] = of(wall);
        let (friction, none) = (L::of(if slip { 0.0 } else { 1.0 }), L::zero());
        let side = Side {
            volume: L::of(1.0 / density),
            velocity: of(velocity),
            pressure: L::of(pressure / (density * density)),
            more: [u, v, w, friction, none, none, none, none],
        };
        (side, pressure)
    }
}
