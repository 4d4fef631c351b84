//! Moves the particles: start of a step before the rates are known, and its end when they are.
//!
//! Leapfrog: $x_1 = x_0 + h\,(v_0 + \tfrac h2 a_0)$, and for the evaluation $v_1 \approx v_0 + h\,a_0$. With the new
//! rates $v_1 = v_0 + \tfrac h2(a_0 + a_1)$. Predictor and corrector: evaluation at the middle,
//! $x_{1/2} = x_0 + \tfrac h2 v_0$, $v_{1/2} = v_0 + \tfrac h2 a_0$ with the rates of the middle before; then
//! $v_1 = v_0 + h\,a_{1/2}$, $x_1 = x_{1/2} + \tfrac h2 v_1$. Densities go with the velocities.

use huygens_exec::{Disjoint, Exec, Strided};
use huygens_kernel::Vec3;

use super::evaluate::gather;
use super::{FluidRange, FluidSystem};
use crate::error::{ParticleError, Result};
use crate::row::Row;
use crate::sph::fields::{coasts, is_marker, number};
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

impl FluidSystem {
    /// Moves all particles to where rates are found for a step of `step` [s], and predicts velocity and density there.
    pub(super) fn start(&mut self, ex: &Exec, step: f64) {
        let ahead = match self.settings.scheme {
            TimeScheme::Leapfrog => step,
            TimeScheme::PredictorCorrector => 0.5 * step,
        };
        let bend = match self.settings.scheme {
            TimeScheme::Leapfrog => 0.5 * step,
            TimeScheme::PredictorCorrector => 0.0,
        };
        let settings = &self.settings;
        let thinnest = THINNEST * settings.density;
        let farthest = move_all(ex, &mut self.fields, &mut self.ranges, |place, motion, rate, drift| {
            let (v, a) = (motion.vector(), rate.vector());
            let way = ahead * (v + bend * a + drift);
            let density = at_least(thinnest, 1.0 / place.0[3] + ahead * rate.0[3]);
            *place = Row::new(place.vector() + way, 1.0 / density);
            *motion = Row::new(v + ahead * a, pressure_term(settings, 1.0 / density));
            way
        });
        let solids = self.solids.advance(&mut self.fields, ahead);
        self.way += farthest.max(solids);
        self.age += 1;
    }

    /// Takes the rates from the outboxes, and ends the step by them.
    pub(super) fn finish(&mut self, ex: &Exec, step: f64) -> Result<()> {
        match self.settings.is_general() {
            true => self.take_rates::<3>(ex, step),
            false => self.take_rates::<1>(ex, step),
        }
        let counted = match self.settings.scheme {
            TimeScheme::Leapfrog => [0.5 * step; 2],
            TimeScheme::PredictorCorrector => [0.0, step],
        };
        self.solids.collect(counted);
        if self.settings.scheme == TimeScheme::PredictorCorrector && step > 0.0 {
            let farthest = move_all(ex, &mut self.fields, &mut self.ranges, |place, motion, _, drift| {
                let way = 0.5 * step * (motion.vector() + drift);
                *place = Row::new(place.vector() + way, place.0[3]);
                way
            });
            let solids = self.solids.advance(&mut self.fields, 0.5 * step);
            self.way += farthest.max(solids);
        }
        let FluidRange { speed, acceleration, density } = self.range;
        match speed.is_finite() && acceleration.is_finite() && density[0] > 0.0 && density[1].is_finite() {
            true => Ok(()),
            false if self.is_empty() => Ok(()),
            false => Err(self.not_finite()),
        }
    }

    fn take_rates<const ROWS: usize>(&mut self, ex: &Exec, step: f64) {
        let (list, chunks, settings) = (&self.list, &self.list.chunks, &self.settings);
        let (mass, gravity) = (settings.mass(), settings.gravity);
        let thinnest = THINNEST * settings.density;
        let [fresh, stale] = match settings.scheme {
            TimeScheme::Leapfrog => [0.5 * step; 2],
            TimeScheme::PredictorCorrector => [step, 0.5 * step],
        };
        self.ranges.resize(chunks.len(), (FluidRange::NONE, 0.0));
        let fastest = self.range.speed;
        let fields = &mut self.fields;
        if ROWS > 1 {
            fields.drift.resize(fields.place.len(), Row::ZERO);
        }
        let (place, motion) = (Disjoint::new(&mut fields.place), Disjoint::new(&mut fields.motion));
        let (rate, drift) = (Disjoint::new(&mut fields.rate), Disjoint::new(&mut fields.drift));
        let forces = Disjoint::new(&mut self.solids.forces);
        let tag = &fields.tag;
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
        let range = self.ranges.iter().fold(FluidRange::NONE, |all, (range, _)| all.join(*range));
        self.range =
            FluidRange { speed: range.speed.sqrt(), acceleration: range.acceleration.sqrt(), ..range };
    }

    /// Names the first particle whose numbers are not finite.
    fn not_finite(&self) -> ParticleError {
        let fields = &self.fields;
        let mut fluid = (0..fields.len()).filter(|i| !is_marker(fields.tag[*i]));
        let first = fluid.clone().next().unwrap_or(0);
        let fault = |i: usize| -> Option<(usize, &'static str)> {
            let (place, motion, rate) = (fields.place[i], fields.motion[i], fields.rate[i]);
            let faults = [
                (!place.vector().is_finite(), "position"),
                (!motion.vector().is_finite(), "velocity"),
                (!(place.0[3] > 0.0 && place.0[3].is_finite()), "density"),
                (!rate.vector().is_finite(), "acceleration"),
            ];
            faults.iter().find(|fault| fault.0).map(|fault| (i, fault.1))
        };
        let (i, what) = fluid.find_map(fault).unwrap_or((first, "velocity"));
        ParticleError::FluidNonFinite {
            number: number(fields.tag[i]),
            what,
            time: self.time,
            step: self.step,
            at: fields.place[i].vector().to_array(),
        }
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
    fields: &mut crate::sph::fields::FluidFields,
    ways: &mut Vec<(FluidRange, f64)>,
    step: impl Fn(&mut Row, &mut Row, &Row, Vec3) -> Vec3 + Sync,
) -> f64 {
    let count = fields.len();
    ways.resize(count.div_ceil(PIECE), (FluidRange::NONE, 0.0));
    let (rate, tag, drift) = (&fields.rate, &fields.tag, &fields.drift);
    let data = (
        &mut fields.place[..],
        &mut fields.motion[..],
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
