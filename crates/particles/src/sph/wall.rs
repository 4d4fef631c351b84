//! How markers of walls take pressure and velocity from the fluid near them.

use huygens_exec::lanes::Lanes;
use huygens_kernel::sph::wall::{SeenFluid, WallFluid, WallSums, no_wall_sums, wall_state, wall_sums_with};
use huygens_kernel::sph::{Smoothing, StateEquation};
use huygens_kernel::vector::dot_backwards;
use huygens_kernel::{V3, Vec3};

use super::list::QUAD;
use super::settings::{FluidSettings, WallModel};
use super::sweep::{Desk, Side};

/// What the markers of all walls have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallAnswer {
    model: WallModel,
    state: StateEquation,
    fluid: WallFluid,
    tension: bool,
    gravity: Vec3,
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
            fluid: WallFluid {
                rest: settings.density,
                sound: settings.sound,
                least: 1e-9 * settings.kernel.value(dimension, h, 0.0),
            },
            tension: settings.tension,
            gravity: settings.gravity,
        }
    }

    /// A marker as the fluid sees it, and its pressure [Pa]: the law is [`huygens_kernel::sph::wall`], where markers of
    /// [`WallModel::Balanced`] balance.
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
        let (balanced, turns) = (self.model == WallModel::Balanced, spin != Vec3::ZERO);
        let push = spread::<L>(self.gravity - acceleration);
        let at = spread::<L>(desk.place[i].vector());
        let (place, moving) = (&desk.place, &desk.motion);
        let mut sums = no_wall_sums::<L>();
        for quad in quads {
            let [a, b, c, d] = [quad[0] as usize, quad[1] as usize, quad[2] as usize, quad[3] as usize];
            let [xs, ys, zs, volume] = L::transpose_in([&place[a].0, &place[b].0, &place[c].0, &place[d].0]);
            let offset = V3 { x: at.x - xs, y: at.y - ys, z: at.z - zs };
            let weight = kernel.value(dot_backwards(offset, offset).sqrt());
            let [x, y, z, pressure] =
                L::transpose_in([&moving[a].0, &moving[b].0, &moving[c].0, &moving[d].0]);
            let seen = SeenFluid { offset, weight, volume, velocity: V3 { x, y, z }, pressure };
            sums = wall_sums_with(&sums, &seen, push, balanced, turns);
        }
        let wall = desk.motion[i].vector();
        let sums = WallSums {
            weight: sums.weight.total(),
            pressure: sums.pressure.total(),
            velocity: total(sums.velocity),
            offset: total(sums.offset),
        };
        let seen =
            wall_state(self.state, &self.fluid, &sums, wall.into(), spin.into(), balanced, self.tension);
        let V3 { x, y, z } = spread::<L>(wall);
        let (friction, none) = (L::of(if slip { 0.0 } else { 1.0 }), L::zero());
        let side = Side {
            volume: L::of(1.0 / seen.density),
            velocity: spread::<L>(seen.velocity.into()).to_array(),
            pressure: L::of(seen.pressure / (seen.density * seen.density)),
            more: [x, y, z, friction, none, none, none, none],
        };
        (side, seen.pressure)
    }
}

/// A vector in all lanes.
#[inline(always)]
fn spread<L: Lanes>(v: Vec3) -> V3<L> {
    V3 { x: L::of(v.x), y: L::of(v.y), z: L::of(v.z) }
}

/// Sums of the lanes.
#[inline(always)]
fn total<L: Lanes>(v: V3<L>) -> V3<f64> {
    V3 { x: v.x.total(), y: v.y.total(), z: v.z.total() }
}
