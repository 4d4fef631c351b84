//! How markers of walls take pressure and velocity from the fluid near them.
//!
//! A marker that takes part in the pressure alone: $v = v_w$ of the wall, $p_w = \sum p_f W/\sum W$. A marker that balances:
//! $v = v_w - \sum (v_f - v_w(x_f)) W/\sum W$ with $v_w(x) = v_w + \omega\times(x - x_w)$, so that a fluid that turns with
//! the wall feels no friction, and a wall none of central forces, and $p_w = [\sum p_f W + (g - a_w)\cdot\sum\rho_f x_{wf}
//! W]/\sum W$ (adami2012). The density is that which the equation of state has for the pressure.

use super::StateEquation;
use crate::laws;

/// Least density of a marker in units of that at rest.
const THINNEST: f64 = 0.5;

#[laws]
mod laws {
    use crate::number::{Scalar, any_positive, constant, fma, larger, one, select_greater, zero};
    use crate::sph::state::state_density;
    use crate::vector::{
        V3, cross, difference, divided, dot_backwards, scaled, select_vector, sum, zero_vector,
    };

    /// A particle that a marker sees.
    #[derive(Clone, Copy, Debug)]
    pub struct SeenFluid<S> {
        /// From the particle to the marker [m].
        pub offset: V3<S>,
        /// W at their distance.
        pub weight: S,
        /// s = 1/ρ [m³/kg].
        pub volume: S,
        /// Velocity [m/s].
        pub velocity: V3<S>,
        /// P = p/ρ² [m⁵/(kg·s²)].
        pub pressure: S,
    }

    /// Sums of a marker over the particles it sees.
    #[derive(Clone, Copy, Debug)]
    pub struct WallSums<S> {
        /// Σ W.
        pub weight: S,
        /// Σ of the pressures at the marker, times W.
        pub pressure: S,
        /// Σ v W.
        pub velocity: V3<S>,
        /// Σ x W with the offsets x; zero unless the wall turns.
        pub offset: V3<S>,
    }

    /// Sums over nobody.
    pub fn no_wall_sums<S: Scalar>() -> WallSums<S> {
        WallSums { weight: zero(), pressure: zero(), velocity: zero_vector(), offset: zero_vector() }
    }

    /// `sum` + `value` × `weight` where there is weight: the padding particle has none, but an offset that may not be
    /// multiplied by it.
    fn add_weighed<S: Scalar>(total: S, value: S, weight: S) -> S {
        total + select_greater(weight, zero(), value * weight, zero())
    }

    /// The sums with one more particle; `push` is g − a of the wall [m/s²], of which those that balance take account.
    pub fn wall_sums_with<S: Scalar>(
        sums: &WallSums<S>,
        seen: &SeenFluid<S>,
        push: V3<S>,
        #[comptime] balanced: bool,
        #[comptime] turns: bool,
    ) -> WallSums<S> {
        let weight = seen.weight;
        let density = one::<S>() / seen.volume;
        let mut felt = seen.pressure * density * density;
        if balanced {
            felt = fma(density, dot_backwards(push, seen.offset), felt);
        }
        let mut offset = sums.offset;
        if turns {
            offset = V3 {
                x: add_weighed(sums.offset.x, seen.offset.x, weight),
                y: add_weighed(sums.offset.y, seen.offset.y, weight),
                z: add_weighed(sums.offset.z, seen.offset.z, weight),
            };
        }
        WallSums {
            weight: sums.weight + weight,
            pressure: add_weighed(sums.pressure, felt, weight),
            velocity: V3 {
                x: fma(seen.velocity.x, weight, sums.velocity.x),
                y: fma(seen.velocity.y, weight, sums.velocity.y),
                z: fma(seen.velocity.z, weight, sums.velocity.z),
            },
            offset,
        }
    }

    /// Numbers of a fluid at a wall.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WallFluid<S = f64> {
        /// Density at rest [kg/m³].
        pub rest: S,
        /// Speed of sound [m/s].
        pub sound: S,
        /// Σ W below which a marker sees nobody.
        pub least: S,
    }

    /// A marker as the fluid sees it.
    #[derive(Clone, Copy, Debug)]
    pub struct WallState<S> {
        /// Pressure [Pa].
        pub pressure: S,
        /// Density [kg/m³].
        pub density: S,
        /// Velocity in viscous forces [m/s].
        pub velocity: V3<S>,
    }

    /// What a marker of the velocity `wall` [m/s], carried by what turns at `spin` [rad/s], makes of its sums; without
    /// `tension` its pressure is not below zero.
    pub fn wall_state<S: Scalar>(
        #[comptime] state: StateEquation,
        fluid: &WallFluid<S>,
        sums: &WallSums<S>,
        wall: V3<S>,
        spin: V3<S>,
        #[comptime] balanced: bool,
        #[comptime] tension: bool,
    ) -> WallState<S> {
        let mut pressure = zero::<S>();
        let mut velocity = wall;
        let seen = sums.weight - fluid.least;
        if any_positive(seen) {
            pressure = select_greater(seen, zero(), sums.pressure / sums.weight, zero());
            if balanced {
                // Offsets are from the fluid to the wall.
                let flow = sum(sums.velocity, cross(spin, sums.offset));
                let mirrored = difference(scaled(constant(2.0), wall), divided(flow, sums.weight));
                velocity = select_vector(seen, zero(), mirrored, wall);
            }
        }
        if !tension {
            pressure = larger(pressure, zero());
        }
        let density = larger(
            state_density(state, fluid.rest, fluid.sound, pressure),
            constant::<S>(THINNEST) * fluid.rest,
        );
        WallState { pressure, density, velocity }
    }
}
