//! What a particle of a weakly compressible fluid makes of its sums: motion and density in a step, shifting, corrected
//! gradients, and filtered densities.
//!
//! Leapfrog: $x_1 = x_0 + h\,(v_0 + \tfrac h2 a_0)$, and for the evaluation $v_1 \approx v_0 + h\,a_0$. With the new
//! rates $v_1 = v_0 + \tfrac h2(a_0 + a_1)$. Predictor and corrector: evaluation at the middle,
//! $x_{1/2} = x_0 + \tfrac h2 v_0$, $v_{1/2} = v_0 + \tfrac h2 a_0$ with the rates of the middle before; then
//! $v_1 = v_0 + h\,a_{1/2}$, $x_1 = x_{1/2} + \tfrac h2 v_1$. Densities go with the velocities.

use super::StateEquation;
use crate::laws;

/// Share of neighbours, 1 inside, below which a particle is at a free surface. On a lattice below a plane surface the first
/// row has 0.62 (0.67 in space) and the second 0.91 (0.94), where shifting would carry it out of the fluid at the speed of
/// the flow; the third has 1.
const SURFACE: f64 = 0.95;
/// From SURFACE to the share from which on a particle is inside.
const SURFACE_WIDTH: f64 = 0.99 - SURFACE;

/// Speed of shifting in units of the fastest flow, at most.
const FASTEST_SHIFT: f64 = 0.5;

/// Determinant of a correction, 1 inside a fluid, below which a particle has too few neighbours for it.
const LEAST_DETERMINANT: f64 = 0.1;

/// Share of the weight that the complement of the moments leaves, below which a particle has too few neighbours for a
/// consistent density.
const LEAST_REST: f64 = 0.1;

/// The same share where it came from a division by zero, at least.
const LARGEST_REST: f64 = 1e15;

#[laws]
mod laws {
    use crate::number::{Scalar, clamped, constant, larger, one, select_greater, sqrt, zero};
    use crate::sph::state::state_pressure;
    use crate::vector::{
        M3, V3, cross, difference, dot, limited, scaled, scaled_add, select_vector, sum, vector,
    };

    /// Numbers of a fluid.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidNumbers<S = f64> {
        /// Density at rest [kg/m³].
        pub rest: S,
        /// Speed of sound [m/s].
        pub sound: S,
        /// Least density [kg/m³].
        pub thinnest: S,
    }

    /// A particle.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidPoint<S = f64> {
        /// Position [m].
        pub position: V3<S>,
        /// 1/ρ [m³/kg].
        pub volume: S,
        /// Velocity [m/s].
        pub velocity: V3<S>,
        /// p/ρ² [m⁵/(kg·s²)].
        pub pressure: S,
    }

    /// Rates of a particle.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidRate<S = f64> {
        /// Acceleration [m/s²].
        pub acceleration: V3<S>,
        /// Rate of the density [kg/(m³·s)].
        pub growth: S,
    }

    /// A density, but no less than that of spray; what is not a number stays so.
    fn at_least<S: Scalar>(thinnest: S, density: S) -> S {
        select_greater(thinnest, density, thinnest, density)
    }

    /// Pressure over the square of the density, from `volume` 1/ρ [m³/kg]; without `tension` it is not below zero.
    pub fn pressure_term<S: Scalar>(
        #[comptime] state: StateEquation,
        #[comptime] tension: bool,
        rest: S,
        sound: S,
        volume: S,
    ) -> S {
        let mut pressure = state_pressure(state, rest, sound, one::<S>() / volume);
        if !tension {
            pressure = larger(pressure, zero());
        }
        pressure * volume * volume
    }

    /// The start of a step: the particle where rates are found, and how far it went.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Prediction<S = f64> {
        /// The particle.
        pub point: FluidPoint<S>,
        /// How far it went [m].
        pub way: V3<S>,
    }

    /// The particle `ahead` [s] later, by the rates it had; its way is bent by the acceleration over `bend` [s], and `drift`
    /// [m/s] adds to its velocity.
    pub fn predicted<S: Scalar>(
        #[comptime] state: StateEquation,
        #[comptime] tension: bool,
        fluid: &FluidNumbers<S>,
        point: &FluidPoint<S>,
        rate: &FluidRate<S>,
        drift: V3<S>,
        ahead: S,
        bend: S,
    ) -> Prediction<S> {
        let velocity = point.velocity;
        let way = scaled(ahead, sum(scaled_add(bend, rate.acceleration, velocity), drift));
        let density = at_least(fluid.thinnest, one::<S>() / point.volume + ahead * rate.growth);
        let volume = one::<S>() / density;
        let point = FluidPoint {
            position: sum(point.position, way),
            volume,
            velocity: scaled_add(ahead, rate.acceleration, velocity),
            pressure: pressure_term(state, tension, fluid.rest, fluid.sound, volume),
        };
        Prediction { point, way }
    }

    /// The end of a step.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Correction<S = f64> {
        /// Velocity [m/s].
        pub velocity: V3<S>,
        /// Density [kg/m³].
        pub density: S,
        /// The new rates.
        pub rate: FluidRate<S>,
    }

    /// The end of a step from the sums over pairs: `push` and `growth` are what the mass `mass` [kg] has to multiply. The new
    /// rates count over the time `fresh`, those of before over `stale` less [s].
    pub fn corrected<S: Scalar>(
        point: &FluidPoint<S>,
        old: &FluidRate<S>,
        push: V3<S>,
        growth: S,
        mass: S,
        gravity: V3<S>,
        thinnest: S,
        fresh: S,
        stale: S,
    ) -> Correction<S> {
        let density = one::<S>() / point.volume;
        let acceleration = sum(scaled(mass, push), gravity);
        let growth = density * mass * growth;
        let change = difference(scaled(fresh, acceleration), scaled(stale, old.acceleration));
        Correction {
            velocity: sum(point.velocity, change),
            density: at_least(thinnest, density + (fresh * growth - stale * old.growth)),
            rate: FluidRate { acceleration, growth },
        }
    }

    /// Velocity [m/s] at which particles are shifted to where there are fewer (lind2012): `crowd` is the sum of the gradients
    /// of W over neighbours, `inside` their share, 1 within a fluid. With `free_surface` those at a surface are not shifted.
    pub fn shift_velocity<S: Scalar>(
        strength: S,
        length: S,
        fastest: S,
        mass: S,
        crowd: V3<S>,
        inside: S,
        #[comptime] free_surface: bool,
    ) -> V3<S> {
        let mut share = one::<S>();
        if free_surface {
            let depth = (inside - constant::<S>(SURFACE)) / constant::<S>(SURFACE_WIDTH);
            share = clamped(depth, zero(), one());
        }
        let shift = scaled(strength * length * fastest * mass, crowd);
        scaled(share, limited(shift, constant::<S>(FASTEST_SHIFT) * fastest))
    }

    /// The inverse of a matrix and its determinant.
    #[derive(Clone, Copy, Debug)]
    struct Inverse<S> {
        matrix: M3<S>,
        determinant: S,
    }

    fn inverse<S: Scalar>(m: &M3<S>) -> Inverse<S> {
        let a = cross(m.y, m.z);
        let b = cross(m.z, m.x);
        let c = cross(m.x, m.y);
        let determinant = dot(m.x, a);
        let per = one::<S>() / determinant;
        let p = scaled(per, a);
        let q = scaled(per, b);
        let r = scaled(per, c);
        Inverse {
            matrix: M3 { x: vector(p.x, q.x, r.x), y: vector(p.y, q.y, r.y), z: vector(p.z, q.z, r.z) },
            determinant,
        }
    }

    /// $M\,v$.
    fn times<S: Scalar>(m: &M3<S>, v: V3<S>) -> V3<S> {
        vector(dot(m.x, v), dot(m.y, v), dot(m.z, v))
    }

    /// Gradients of a fluid at a particle.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FluidGradients<S = f64> {
        /// Symmetric correction of gradients (bonet1999); the identity where there are too few neighbours.
        pub correction: M3<S>,
        /// Rate of shear $\sqrt{2D:D}$ [1/s].
        pub shear: S,
    }

    /// Corrected gradients from sums over neighbours: `moments` is $-\sum V x\otimes\nabla W$, 1 within a fluid, and `slopes`
    /// the uncorrected gradient of the velocity, whose rows are components of the velocity.
    pub fn fluid_gradients<S: Scalar>(moments: &M3<S>, slopes: &M3<S>) -> FluidGradients<S> {
        let found = inverse(moments);
        let fine = found.determinant - constant::<S>(LEAST_DETERMINANT);
        let m = found.matrix;
        let correction = M3 {
            x: select_vector(fine, zero(), m.x, vector(one(), zero(), zero())),
            y: select_vector(fine, zero(), m.y, vector(zero(), one(), zero())),
            z: select_vector(fine, zero(), m.z, vector(zero(), zero(), one())),
        };
        let u = times(slopes, correction.x);
        let v = times(slopes, correction.y);
        let w = times(slopes, correction.z);
        let half = constant::<S>(0.5);
        let xx = (u.x + u.x) * half;
        let yy = (v.y + v.y) * half;
        let zz = (w.z + w.z) * half;
        let xy = (u.y + v.x) * half;
        let xz = (u.z + w.x) * half;
        let yz = (v.z + w.y) * half;
        let first = xx * xx + xy * xy + xz * xz;
        let second = first + xy * xy + yy * yy + yz * yz;
        let square = second + xz * xz + yz * yz + zz * zz;
        FluidGradients { correction, shear: sqrt(constant::<S>(2.0) * square) }
    }

    /// Sums of a particle over its neighbours and itself, in which each counts with W times its volume over mass.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DensitySums<S = f64> {
        /// Σ W.
        pub plain: S,
        /// Σ W/ρ.
        pub weighted: S,
        /// Σ x W.
        pub first: V3<S>,
        /// Σ x W/ρ.
        pub moment: V3<S>,
        /// Σ x⊗x W/ρ.
        pub second: M3<S>,
    }

    /// Density over mass of a particle as the mean of its neighbours (shepard1968).
    pub fn shepard_density<S: Scalar>(sums: &DensitySums<S>) -> S {
        sums.plain / sums.weighted
    }

    /// Density over mass that is exact for linear fields, $\sum_j W(\beta_0 + \beta\cdot x)$; that of
    /// [`shepard_density`] where too few are near.
    pub fn consistent_density<S: Scalar>(sums: &DensitySums<S>) -> S {
        // [w bᵀ; b M] (β₀, β) = (1, 0), by the complement of M.
        let found = inverse(&sums.second);
        let turned = times(&found.matrix, sums.moment);
        let rest = sums.weighted - dot(sums.moment, turned);
        let better = (sums.plain - dot(turned, sums.first)) / rest;
        let plain = shepard_density(sums);
        let fine = select_greater(rest, constant::<S>(LEAST_REST) * sums.weighted, better, plain);
        select_greater(constant::<S>(LARGEST_REST) * sums.weighted, rest, fine, plain)
    }
}
