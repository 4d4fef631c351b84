//! Moves the particles: start of a step before the rates are known, and its end when they are.
//!
//! The formulas are told at [`huygens_kernel::sph::particle`].

#![expect(unsafe_code, reason = "chunks write to disjoint parts of the same fields")]

use huygens_exec::{Disjoint, Exec, Strided};
use huygens_kernel::Vec3;
use huygens_kernel::sph::particle::{
    FluidNumbers, FluidPoint, FluidRate, Prediction, corrected, predicted, shift_velocity,
};

use super::evaluate::gather;
use super::{FluidLoopsCpu, FluidParts, FluidRange, FluidStroke};
use crate::row::Row;
use crate::sph::fields::{FluidFields, coasts, is_marker, number};
use crate::sph::settings::{FluidSettings, TimeScheme};

/// Particles a piece of the loops here.
const PIECE: usize = 4096;

/// Least density, as a part of that at rest: with the default kernel one particle alone has as much in a plane, half in
/// space. Below it, the volume of spray that comes apart would grow without bound.
const THINNEST: f64 = 0.25;

/// A particle from its rows.
#[inline(always)]
fn point(place: &Row, motion: &Row) -> FluidPoint {
    FluidPoint {
        position: place.vector().into(),
        volume: place.0[3],
        velocity: motion.vector().into(),
        pressure: motion.0[3],
    }
}

/// Rates from their row.
#[inline(always)]
fn rates(row: &Row) -> FluidRate {
    FluidRate { acceleration: row.vector().into(), growth: row.0[3] }
}

impl FluidLoopsCpu {
    /// Moves the fluid particles; the largest displacement [m] of one.
    pub(super) fn move_by(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, stroke: FluidStroke) -> f64 {
        let settings = &parts.model.settings;
        let thinnest = THINNEST * settings.density;
        match stroke {
            FluidStroke::Predict { ahead, bend } => {
                let (state, tension) = (settings.state, settings.tension);
                let fluid = FluidNumbers { rest: settings.density, sound: settings.sound, thinnest };
                move_all(ex, parts.fields, &mut self.ranges, |place, motion, rate, drift| {
                    let old = point(place, motion);
                    let Prediction { point, way } =
                        predicted(state, tension, &fluid, &old, &rates(rate), drift.into(), ahead, bend);
                    *place = Row::new(point.position.into(), point.volume);
                    *motion = Row::new(point.velocity.into(), point.pressure);
                    way.into()
                })
            }
            FluidStroke::Drift { time } => {
                move_all(ex, parts.fields, &mut self.ranges, |place, motion, _, drift| {
                    let way = time * (motion.vector() + drift);
                    *place = Row::new(place.vector() + way, place.0[3]);
                    way
                })
            }
        }
    }

    /// Takes the rates from the outboxes, and ends the step by them.
    pub(super) fn take_rates<const ROWS: usize>(
        &mut self,
        ex: &Exec,
        parts: &mut FluidParts<'_>,
        step: f64,
        fastest: f64,
    ) {
        let (list, chunks, settings) = (&*parts.list, &parts.list.chunks, &parts.model.settings);
        let (mass, gravity) = (settings.mass(), settings.gravity.into());
        let thinnest = THINNEST * settings.density;
        let [fresh, stale] = match settings.scheme {
            TimeScheme::Leapfrog => [0.5 * step; 2],
            TimeScheme::PredictorCorrector => [step, 0.5 * step],
        };
        self.ranges.resize(chunks.len(), (FluidRange::NONE, 0.0));
        let (open, count) = (parts.open, parts.fields.place.len());
        let FluidFields { place, motion, rate, tag, drift, .. } = &mut *parts.fields;
        // What drifted does so no longer.
        drift.resize(if ROWS > 1 { count } else { 0 }, Row::ZERO);
        let (place, motion) = (Disjoint::new(place.write()), Disjoint::new(motion.write()));
        let (rate, drift) = (Disjoint::new(rate.write()), Disjoint::new(drift.write()));
        let forces = Disjoint::new(&mut parts.solids.forces);
        let tag = tag.read();
        ex.for_each_chunk(&mut self.ranges, 1, |c, range| {
            let own = chunks[c].range();
            // SAFETY: every chunk has its own particles, and every marker is one particle.
            let (place, motion, rate, drift) = unsafe {
                (
                    place.piece(own.clone()),
                    motion.piece(own.clone()),
                    rate.piece(own.clone()),
                    drift.piece(own.clone()),
                )
            };
            let tag = &tag[own];
            let mut extremes = FluidRange::NONE;
            gather::<ROWS>(list, c, |k, sums| {
                if is_marker(tag[k]) {
                    // SAFETY: as above.
                    let force = unsafe { forces.piece(number(tag[k])..number(tag[k]) + 1) };
                    force[0] = Row::new(mass * mass * sums[0].vector(), sums[0].0[3]);
                    return;
                }
                if coasts(tag[k]) {
                    rate[k] = Row::ZERO;
                    return;
                }
                let (before, old) = (point(&place[k], &motion[k]), rates(&rate[k]));
                let (push, growth) = (sums[0].vector().into(), sums[0].0[3]);
                let after = corrected(&before, &old, push, growth, mass, gravity, thinnest, fresh, stale);
                let (v, a) = (Vec3::from(after.velocity), Vec3::from(after.rate.acceleration));
                let density = after.density;
                place[k].0[3] = 1.0 / density;
                motion[k] = Row::new(v, motion[k].0[3]);
                rate[k] = Row::new(a, after.rate.growth);
                let mut inside = f64::INFINITY;
                if ROWS > 1 {
                    inside = share_inside(settings, &sums[2]);
                    drift[k] = Row::new(drift_of(settings, open, fastest, &sums[1], &sums[2]), 0.0);
                }
                extremes = extremes.join(FluidRange {
                    speed: v.length_squared(),
                    acceleration: a.length_squared(),
                    density: [density; 2],
                    inside,
                });
            });
            range[0].0 = extremes;
        });
    }
}

/// Share of neighbours that a particle has, 1 inside a fluid.
fn share_inside(settings: &FluidSettings, crowd: &Row) -> f64 {
    settings.mass() * crowd.0[3] / settings.space.dimension().number() as f64
}

/// Velocity by which a particle is moved besides its own [m/s]: towards that of its neighbours, and to where there
/// are fewer.
fn drift_of(settings: &FluidSettings, open: bool, fastest: f64, carry: &Row, crowd: &Row) -> Vec3 {
    let mass = settings.mass();
    let mut drift = settings.xsph * mass * carry.vector();
    if let Some(shifting) = settings.shifting.filter(|s| s.acts(open)) {
        let inside = share_inside(settings, crowd);
        let (strength, length, away) = (shifting.strength, settings.length(), crowd.vector().into());
        let surface = shifting.free_surface.unwrap_or(false);
        drift -= Vec3::from(shift_velocity(strength, length, fastest, mass, away, inside, surface));
    }
    drift
}

/// Moves fluid particles by a function of place, motion, rate and drift that gives its displacement; the
/// largest displacement [m].
fn move_all(
    ex: &Exec,
    fields: &mut FluidFields,
    ways: &mut Vec<(FluidRange, f64)>,
    step: impl Fn(&mut Row, &mut Row, &Row, Vec3) -> Vec3 + Sync,
) -> f64 {
    let count = fields.extent().owned;
    ways.resize(count.div_ceil(PIECE), (FluidRange::NONE, 0.0));
    let FluidFields { place, motion, rate, tag, drift, .. } = fields;
    let (rate, tag, drift) = (rate.read(), tag.read(), drift.read());
    let data = (
        &mut place.write()[..count],
        &mut motion.write()[..count],
        Strided { data: &mut ways[..], stride: PIECE, count },
    );
    ex.for_each_piece(data, PIECE, |first, (place, motion, ways)| {
        let mut farthest = 0.0_f64;
        for (k, (place, motion)) in place.iter_mut().zip(motion).enumerate() {
            let i = first + k;
            if !is_marker(tag[i]) {
                let drift = drift.get(i).map_or(Vec3::ZERO, Row::vector);
                farthest = farthest.max(step(place, motion, &rate[i], drift).length_squared());
            }
        }
        ways.data[0].1 = farthest;
    });
    ways.iter().fold(0.0_f64, |most, (_, way)| most.max(*way)).sqrt()
}
