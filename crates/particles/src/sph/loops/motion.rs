//! Moves the particles: start of a step before the rates are known, and its end when they are.
//!
//! Leapfrog: $x_1 = x_0 + h\,(v_0 + \tfrac h2 a_0)$, and for the evaluation $v_1 \approx v_0 + h\,a_0$. With the new
//! rates $v_1 = v_0 + \tfrac h2(a_0 + a_1)$. Predictor and corrector: evaluation at the middle,
//! $x_{1/2} = x_0 + \tfrac h2 v_0$, $v_{1/2} = v_0 + \tfrac h2 a_0$ with the rates of the middle before; then
//! $v_1 = v_0 + h\,a_{1/2}$, $x_1 = x_{1/2} + \tfrac h2 v_1$. Densities go with the velocities.

use huygens_exec::{Disjoint, Exec, Strided};
use huygens_kernel::Vec3;

use super::evaluate::gather;
use super::{FluidLoopsCpu, FluidParts, FluidRange, FluidStroke};
use crate::row::Row;
use crate::sph::fields::{FluidFields, coasts, is_marker, number};
use crate::sph::settings::{FluidSettings, TimeScheme};

/// Particles a piece of the loops here.
const PIECE: usize = 4096;

/// Share of neighbours, 1 inside, below which a particle is at a free surface, and from which on it is inside.
const SURFACE: [f64; 2] = [0.75, 0.9];

/// Least density, as a part of that at rest: with the default kernel one particle alone has as much in a plane, half in
/// space. Below it, the volume of spray that comes apart would grow without bound.
const THINNEST: f64 = 0.25;

/// A density, but no less than that of spray; what is not a number stays so.
#[inline(always)]
fn at_least(thinnest: f64, density: f64) -> f64 {
    if density < thinnest { thinnest } else { density }
}

/// Pressure over the square of the density, from 1/density.
#[inline(always)]
fn pressure_term(settings: &FluidSettings, volume: f64) -> f64 {
    let mut pressure = settings.state.pressure(settings.density, settings.sound, 1.0 / volume);
    if !settings.tension {
        pressure = pressure.max(0.0);
    }
    pressure * volume * volume
}

impl FluidLoopsCpu {
    /// Moves the fluid particles; the longest way [m] of one.
    pub(super) fn move_by(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, stroke: FluidStroke) -> f64 {
        let settings = &parts.model.settings;
        let thinnest = THINNEST * settings.density;
        match stroke {
            FluidStroke::Predict { ahead, bend } => {
                move_all(ex, parts.fields, &mut self.ranges, |place, motion, rate, drift| {
                    let (v, a) = (motion.vector(), rate.vector());
                    let way = ahead * (v + bend * a + drift);
                    let density = at_least(thinnest, 1.0 / place.0[3] + ahead * rate.0[3]);
                    *place = Row::new(place.vector() + way, 1.0 / density);
                    *motion = Row::new(v + ahead * a, pressure_term(settings, 1.0 / density));
                    way
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
        let (mass, gravity) = (settings.mass(), settings.gravity);
        let thinnest = THINNEST * settings.density;
        let [fresh, stale] = match settings.scheme {
            TimeScheme::Leapfrog => [0.5 * step; 2],
            TimeScheme::PredictorCorrector => [step, 0.5 * step],
        };
        self.ranges.resize(chunks.len(), (FluidRange::NONE, 0.0));
        let FluidFields { place, motion, rate, tag, drift, .. } = &mut *parts.fields;
        if ROWS > 1 {
            drift.resize(place.len(), Row::ZERO);
        }
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
                let old = rate[k];
                let density = 1.0 / place[k].0[3];
                let a = mass * sums[0].vector() + gravity;
                let growth = density * mass * sums[0].0[3];
                let v = motion[k].vector() + (fresh * a - stale * old.vector());
                let density = at_least(thinnest, density + (fresh * growth - stale * old.0[3]));
                place[k].0[3] = 1.0 / density;
                motion[k] = Row::new(v, motion[k].0[3]);
                rate[k] = Row::new(a, growth);
                if ROWS > 1 {
                    drift[k] = Row::new(drift_of(settings, fastest, &sums[1], &sums[2]), 0.0);
                }
                extremes = extremes.join(FluidRange {
                    speed: v.length_squared(),
                    acceleration: a.length_squared(),
                    density: [density; 2],
                });
            });
            range[0].0 = extremes;
        });
    }
}

/// Velocity by which a particle is moved besides its own [m/s]: towards that of its neighbours, and to where there
/// are fewer.
fn drift_of(settings: &FluidSettings, fastest: f64, carry: &Row, crowd: &Row) -> Vec3 {
    let mass = settings.mass();
    let mut drift = settings.xsph * mass * carry.vector();
    if let Some(shifting) = settings.shifting {
        let inside = mass * crowd.0[3] / settings.space.dimension().number() as f64;
        let [surface, full] = SURFACE;
        let share =
            if shifting.free_surface { ((inside - surface) / (full - surface)).clamp(0.0, 1.0) } else { 1.0 };
        let length = settings.length();
        let shift = shifting.strength * length * fastest * mass * crowd.vector();
        // Never faster than half the flow.
        drift -= share * shift.clamp_length_max(0.5 * fastest);
    }
    drift
}

/// Moves fluid particles by a function of place, motion, rate and drift that gives the way it went; the
/// longest way [m].
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
