//! What two particles of a weakly compressible fluid do to each other.

use crate::laws;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, fma, larger, one, smaller, zero};
    use crate::vector::{V3, difference, dot, scaled, scaled_add};

    /// Coefficients of the rates of a fluid with smoothing length h, speed of sound c and density at rest ρ₀.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FlowCoefficients<S = f64> {
        /// Softening of divisions by the square of the distance [m²].
        pub softening: S,
        /// Factor of the viscous force that goes with $s_i s_j$ (morris1997).
        pub morris: S,
        /// Factor of the viscous force that goes with the mean of s.
        pub laminar: S,
        /// Factor of the viscous force along the line of centres.
        pub central: S,
        /// α h c of artificial viscosity [m²/s].
        pub artificial: S,
        /// 2 δ h c of the diffusion of density [m²/s].
        pub diffusion: S,
        /// Least pressure term between a marker and a particle that touches it, $2c^2/\rho_0$ [m⁵/(kg·s²)].
        pub hold: S,
        /// Inverse of the distance at which the least pressure term begins [1/m].
        pub hold_slope: S,
        /// Change of 1/ρ with height in a fluid at rest, $g/(\rho_0c^2)$: what does not diffuse (fourtakas2019).
        pub rest: V3<S>,
    }

    /// One side of a pair.
    #[derive(Clone, Copy, Debug)]
    pub struct FluidSide<S> {
        /// s = 1/ρ [m³/kg].
        pub volume: S,
        /// Velocity [m/s].
        pub velocity: V3<S>,
        /// P = p/ρ² [m⁵/(kg·s²)].
        pub pressure: S,
    }

    /// What a marker of a wall has beyond a particle.
    #[derive(Clone, Copy, Debug)]
    pub struct WallSide<S> {
        /// Velocity of the wall [m/s]; that of the marker in viscous forces may be another one.
        pub velocity: V3<S>,
        /// 0 where the wall slips, 1 elsewhere.
        pub grip: S,
    }

    /// How the two lie.
    #[derive(Clone, Copy, Debug)]
    pub struct FluidGap<S> {
        /// From the other to the one [m].
        pub offset: V3<S>,
        /// Square of the distance [m²].
        pub square: S,
        /// Distance [m].
        pub distance: S,
        /// The offset, or where gradients are corrected its image: gradients are this times `slope`.
        pub direction: V3<S>,
        /// F(r) = W′(r)/r of the smoothing kernel.
        pub slope: S,
    }

    /// Terms of the sums over pairs.
    #[derive(Clone, Copy, Debug)]
    pub struct FlowRates<S> {
        /// Of $\dot v = m\sum$ of the one; the other gets the opposite.
        pub force: V3<S>,
        /// Of $\dot\rho = \rho\,m\sum$ of the one.
        pub one: S,
        /// The same of the other.
        pub other: S,
    }

    /// Rates of velocity and density: with $s = 1/\rho$ and $P = p/\rho^2$ the force is $-(P_i + P_j)F\,x$ and viscous
    /// forces, the rate of density $s_j F\,v\cdot x$ and diffusion (monaghan1994).
    ///
    /// With `wall`, the one is a marker of a wall.
    pub fn flow_rates<S: Scalar>(
        law: &FlowCoefficients<S>,
        one_side: &FluidSide<S>,
        other_side: &FluidSide<S>,
        marker: &WallSide<S>,
        gap: &FluidGap<S>,
        viscosity: S,
        #[comptime] wall: bool,
    ) -> FlowRates<S> {
        let slope = gap.slope;
        let relative = difference(one_side.velocity, other_side.velocity);
        let closing = dot(relative, gap.offset);
        let per_square = one::<S>() / (gap.square + law.softening);
        let product = one_side.volume * other_side.volume;
        let mean = constant::<S>(0.5) * (one_side.volume + other_side.volume);
        // x²/(x² + ε h²) is left out here: slopes are finite, and it would thin the fluid by a percent.
        let mut shear = viscosity * slope * fma(law.morris, product, law.laminar * mean);
        let approach = smaller(closing, zero());
        let mut inward = fma(law.central * viscosity * product, closing, law.artificial * mean * approach);
        let mut squeeze = slope * dot(relative, gap.direction);
        let rest = dot(law.rest, gap.offset);
        let mut spread = law.diffusion * ((other_side.volume - one_side.volume) - rest) * slope;
        let push = one_side.pressure + other_side.pressure;
        let mut touch = zero::<S>();
        if wall {
            // Spray has lost its density where it came apart, and would have no pressure before it is in the wall.
            let hold = law.hold * (one::<S>() - gap.distance * law.hold_slope);
            touch = larger(hold - larger(push, zero()), zero()) * slope;
            // Velocities of walls in viscous forces are not those at which they move.
            squeeze = slope * dot(difference(marker.velocity, other_side.velocity), gap.direction);
            spread = zero();
            shear = shear * marker.grip;
            inward = inward * marker.grip;
        }
        let along = slope * fma(inward, per_square, -push);
        let mut force = scaled_add(along, gap.direction, scaled(shear, relative));
        if wall {
            force = difference(force, scaled(touch, gap.offset));
        }
        FlowRates {
            force,
            one: fma(squeeze, other_side.volume, spread),
            other: fma(squeeze, one_side.volume, -spread),
        }
    }
}

impl<S: crate::Scalar> FlowCoefficients<S> {
    /// The same coefficients for every number of `S`.
    #[inline(always)]
    pub fn uniform(of: &FlowCoefficients) -> Self {
        Self {
            softening: S::of(of.softening),
            morris: S::of(of.morris),
            laminar: S::of(of.laminar),
            central: S::of(of.central),
            artificial: S::of(of.artificial),
            diffusion: S::of(of.diffusion),
            hold: S::of(of.hold),
            hold_slope: S::of(of.hold_slope),
            rest: V3 { x: S::of(of.rest.x), y: S::of(of.rest.y), z: S::of(of.rest.z) },
        }
    }
}
