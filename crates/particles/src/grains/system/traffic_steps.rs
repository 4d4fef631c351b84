//! Steps with inlets and outlets.

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::GrainSystem;
use crate::error::{ParticleError, Result};
use crate::fill::SizeTable;
use crate::fill::random::Random;
use crate::grains::fields::Grain;
use crate::grains::traffic::{Boundary, Inlet, InletCount, OutletCount, Rate, Traffic};

/// Places tried for a grain of an inlet.
const TRIES: usize = 100;

impl GrainSystem {
    /// Sets inlets, outlets and the domain boundary.
    pub fn set_traffic(&mut self, mut traffic: Traffic) -> Result<()> {
        traffic.prepare(self.model.settings.materials.len())?;
        self.traffic = Some(Box::new(traffic));
        Ok(())
    }

    /// Inlets and outlets with what they have done.
    pub fn traffic(&self) -> Option<&Traffic> {
        self.traffic.as_deref()
    }

    /// Takes steps, and has inlets and outlets act between them.
    pub(super) fn run_with_traffic(&mut self, ex: &Exec, step: f64, count: u64) -> Result<()> {
        let Some(mut traffic) = self.traffic.take() else { return Ok(()) };
        let done = self.run_and_exchange(ex, step, count, &mut traffic);
        self.traffic = Some(traffic);
        done
    }

    fn run_and_exchange(&mut self, ex: &Exec, step: f64, count: u64, traffic: &mut Traffic) -> Result<()> {
        let end = self.step + count;
        while self.step < end {
            let next = (self.step / traffic.interval + 1) * traffic.interval;
            self.run(ex, step, next.min(end) - self.step)?;
            if self.step.is_multiple_of(traffic.interval) {
                self.let_out(ex, traffic)?;
                self.let_in(ex, step, traffic)?;
            }
        }
        Ok(())
    }

    fn let_out(&mut self, ex: &Exec, traffic: &mut Traffic) -> Result<()> {
        // The outlet that takes each grain; the domain boundary is the one after the last.
        let edge = traffic.outlets.len();
        let mut taker = vec![None; self.len()];
        for i in 0..self.len() {
            // Between two lists grains may be a little outside a periodic box.
            let x = self.wrapped(self.fields.place.read()[i].vector());
            if let Some(at) = traffic.outlets.iter().position(|outlet| outlet.zone.contains(x)) {
                taker[i] = Some(at);
                continue;
            }
            let Some(boundary) = traffic.boundary else { continue };
            let [low, high] = boundary.corners();
            if (x.cmpge(low) & x.cmple(high)).all() {
                continue;
            }
            if let Boundary::Closed { .. } = boundary {
                let (id, position) = (self.fields.id.read()[i], x.to_array());
                return Err(ParticleError::Left { id, position, time: self.time, step: self.step });
            }
            taker[i] = Some(edge);
        }
        if taker.iter().all(Option::is_none) {
            return Ok(());
        }
        self.clumps.share(self.fields.member.read(), &mut taker);
        for (i, at) in taker.iter().enumerate() {
            if let Some(at) = at {
                count(traffic.outlet_counts.get_mut(*at).unwrap_or(&mut traffic.lost), self.mass(i));
            }
        }
        self.remove_where(ex, |_, i| taker[i].is_some());
        Ok(())
    }

    fn let_in(&mut self, ex: &Exec, step: f64, traffic: &mut Traffic) -> Result<()> {
        for (k, (inlet, done)) in traffic.inlets.iter().zip(&mut traffic.inlet_counts).enumerate() {
            let enough = inlet.limit.is_some_and(|limit| limit.reached(done.number, done.mass));
            if self.time < inlet.start || enough {
                continue;
            }
            let (Rate::Mass(rate) | Rate::Number(rate)) = inlet.rate;
            let sizes = inlet.table()?;
            inlet.check_rate(&sizes, step * traffic.interval as f64)?;
            done.due += rate * step * traffic.interval as f64;
            // Each action has numbers of its own: a run that starts again needs no memory of the last.
            let mut random = Random::stream(inlet.seed, self.step << 8 | k as u64 & 0xff);
            let grains = self.grains_of(inlet, &sizes, done, &mut random);
            self.insert(ex, &grains)?;
        }
        Ok(())
    }

    fn grains_of(
        &self,
        inlet: &Inlet,
        sizes: &SizeTable,
        done: &mut InletCount,
        random: &mut Random,
    ) -> Vec<Grain> {
        let mut grains = Vec::new();
        let least = match inlet.rate {
            Rate::Mass(_) => 0.0,
            Rate::Number(_) => 1.0 - 1e-9,
        };
        if done.due <= least {
            return grains;
        }
        let bounds = inlet.region.bounds();
        let mut room = self.room(bounds, sizes);
        while done.due > least {
            if inlet.limit.is_some_and(|limit| limit.reached(done.number, done.mass)) {
                break;
            }
            let mut grain = Grain {
                radius: sizes.draw(random),
                density: inlet.density,
                velocity: inlet.velocity,
                material: inlet.material,
                position: Vec3::ZERO,
                angular_velocity: Vec3::ZERO,
            };
            let (radius, mass) = (grain.radius, grain.mass());
            done.due -= match inlet.rate {
                Rate::Mass(_) => mass,
                Rate::Number(_) => 1.0,
            };
            let free = |x: &Vec3| {
                inlet.region.clearance(*x) >= radius
                    && room.is_free(*x, radius)
                    && self.is_off_walls(*x, radius)
            };
            let inner = [bounds[0] + radius, bounds[1] - radius];
            match (0..TRIES).map(|_| random.point(inner)).find(free) {
                Some(position) => {
                    room.add(position, radius);
                    grain.position = position;
                    grains.push(grain);
                    done.number += 1;
                    done.mass += mass;
                }
                None => {
                    done.missed += 1;
                    done.missed_mass += mass;
                }
            }
        }
        grains
    }
}

fn count(count: &mut OutletCount, mass: f64) {
    count.number += 1;
    count.mass += mass;
}
