//! Moves the particles: start of a step before the rates are known, and its end when they are.
//!
//! Leapfrog: $v_{1/2} = v_0 + \tfrac h2 a_0$, $x_1 = x_0 + h\,v_{1/2}$, and for the evaluation $v_1 \approx v_0 + h\,a_0$,
//! $\rho_1 \approx \rho_0 + h\,\dot\rho_0$. With the new rates $v_1 = v_0 + \tfrac h2(a_0 + a_1)$ and likewise ρ.

use huygens_exec::{Exec, Strided};
use huygens_kernel::Vec3;

use super::{FluidRange, FluidSystem};
use crate::error::{ParticleError, Result};
use crate::fields::Row;
use crate::fluid::fields::{is_marker, number};
use crate::fluid::list::FluidChunk;

/// Particles a piece of the loops here.
const PIECE: usize = 4096;

impl FluidSystem {
    /// Moves all particles by `step` [s], and predicts velocity and density there.
    pub(super) fn start(&mut self, ex: &Exec, step: f64) {
        let count = self.fields.len();
        self.ranges.resize(count.div_ceil(PIECE), (FluidRange::NONE, 0.0));
        let settings = &self.settings;
        let (rest, sound, state, tension) =
            (settings.density, settings.sound, settings.state, settings.tension);
        let fields = &mut self.fields;
        let (rate, tag, drift) = (&fields.rate, &fields.tag, &fields.drift);
        let ways = Strided { data: &mut self.ranges, stride: PIECE, count };
        ex.for_each_piece(
            (&mut fields.place[..], &mut fields.motion[..], ways),
            PIECE,
            |first, (place, motion, ways)| {
                let mut farthest = 0.0_f64;
                for (k, (place, motion)) in place.iter_mut().zip(motion).enumerate() {
                    let i = first + k;
                    if is_marker(tag[i]) {
                        continue;
                    }
                    let (v, a) = (motion.vector(), rate[i].vector());
                    let mut way = step * (v + 0.5 * step * a);
                    if let Some(drift) = drift.get(i) {
                        way += step * drift.vector();
                    }
                    farthest = farthest.max(way.length_squared());
                    let density = 1.0 / place.0[3] + step * rate[i].0[3];
                    let mut pressure = state.pressure(rest, sound, density);
                    if !tension {
                        pressure = pressure.max(0.0);
                    }
                    *place = Row::new(place.vector() + way, 1.0 / density);
                    *motion = Row::new(v + step * a, pressure / (density * density));
                }
                ways.data[0].1 = farthest;
            },
        );
        let farthest = self.ranges.iter().fold(0.0_f64, |most, (_, way)| most.max(*way)).sqrt();
        let solids = self.solids.advance(&mut self.fields, step);
        self.way += farthest.max(solids);
        self.age += 1;
    }

    /// Takes the rates from the outboxes, and corrects velocity and density by them.
    pub(super) fn finish(&mut self, ex: &Exec, step: f64) -> Result<()> {
        let chunks = &self.list.chunks;
        let (mass, gravity) = (self.settings.mass(), self.settings.gravity);
        self.ranges.resize(chunks.len(), (FluidRange::NONE, 0.0));
        let fields = &mut self.fields;
        let starts: Vec<usize> = chunks.iter().map(|c| c.first).chain([fields.place.len()]).collect();
        // Chunks have any number of particles.
        let place = huygens_exec::Disjoint::new(&mut fields.place);
        let motion = huygens_exec::Disjoint::new(&mut fields.motion);
        let rate = huygens_exec::Disjoint::new(&mut fields.rate);
        let forces = huygens_exec::Disjoint::new(&mut self.solids.forces);
        let tag = &fields.tag;
        ex.for_each_chunk(&mut self.ranges, 1, |c, range| {
            let own = starts[c]..starts[c + 1];
            // SAFETY: every chunk has its own particles, every marker is one particle.
            let (place, motion, rate) =
                unsafe { (place.piece(own.clone()), motion.piece(own.clone()), rate.piece(own.clone())) };
            let mut extremes = FluidRange::NONE;
            gather(chunks, c, |k, sum| {
                let tag = tag[own.start + k];
                if is_marker(tag) {
                    // SAFETY: as above.
                    let force = unsafe { forces.piece(number(tag)..number(tag) + 1) };
                    force[0] = Row::new(mass * mass * sum.vector(), sum.0[3]);
                    return;
                }
                let old = rate[k];
                let density = 1.0 / place[k].0[3];
                let a = mass * sum.vector() + gravity;
                let growth = density * mass * sum.0[3];
                let v = motion[k].vector() + 0.5 * step * (a - old.vector());
                let density = density + 0.5 * step * (growth - old.0[3]);
                place[k].0[3] = 1.0 / density;
                motion[k] = Row::new(v, motion[k].0[3]);
                rate[k] = Row::new(a, growth);
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
        self.solids.collect(&self.fields, step);
        match self.range.speed.is_finite()
            && self.range.acceleration.is_finite()
            && self.range.density[0] > 0.0
        {
            true => Ok(()),
            false if self.is_empty() => Ok(()),
            false => Err(self.not_finite()),
        }
    }

    /// Names the first particle whose numbers are not finite.
    fn not_finite(&self) -> ParticleError {
        let fields = &self.fields;
        let fluid = (0..fields.len()).filter(|i| !is_marker(fields.tag[*i]));
        let fault = |i: &usize| -> Option<&'static str> {
            let (place, motion, rate) = (fields.place[*i], fields.motion[*i], fields.rate[*i]);
            match () {
                () if !place.vector().is_finite() => Some("position"),
                () if !motion.vector().is_finite() => Some("velocity"),
                () if !(place.0[3] > 0.0 && place.0[3].is_finite()) => Some("density"),
                () if !rate.vector().is_finite() => Some("acceleration"),
                () => None,
            }
        };
        let (i, what) = fluid
            .clone()
            .find_map(|i| Some((i, fault(&i)?)))
            .unwrap_or((fluid.clone().next().unwrap_or(0), "velocity"));
        ParticleError::FluidNonFinite {
            number: number(fields.tag[i]),
            what,
            time: self.time,
            step: self.step,
            at: Vec3::to_array(&fields.place[i].vector()),
        }
    }
}

/// Sums what a chunk and all others have for the particles of chunk c, in a fixed order.
fn gather(chunks: &[FluidChunk], c: usize, mut take: impl FnMut(usize, Row)) {
    thread_local! {
        static SUMS: std::cell::RefCell<Vec<Row>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    let chunk = &chunks[c];
    SUMS.with_borrow_mut(|sums| {
        sums.clear();
        sums.extend_from_slice(&chunk.outbox[..chunk.count]);
        for source in &chunk.sources {
            let other = &chunks[source.chunk as usize];
            let range = source.from as usize..source.to as usize;
            let outbox = &other.outbox[other.count + range.start..other.count + range.end];
            for (ghost, row) in other.halo[range].iter().zip(outbox) {
                let sum = &mut sums[ghost.index() - chunk.first].0;
                (0..4).for_each(|k| sum[k] += row.0[k]);
            }
        }
        sums.iter().enumerate().for_each(|(k, sum)| take(k, *sum));
    });
}
