//! The state of a fluid as bytes: what a restart needs to continue with bit-identical results.

use huygens_kernel::{Quat, Vec3};

use super::fields::{FluidFields, is_marker, number};
use super::solid::{Carriage, MarkerMotion, SolidMotion};
use super::system::FluidSystem;
use crate::error::{ParticleError, Result};
use crate::id::IdSource;
use crate::row::{ReadRows, WriteRows, check};
use huygens_core::bytes::{Reader, Writer};

/// Version of the layout.
const VERSION: u64 = 4;

impl FluidSystem {
    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(self.bytes());
        out.number(VERSION);
        for count in [
            self.solids.list.len(),
            self.solids.slots.len(),
            self.gates.inlets.len(),
            self.gates.outlets.len(),
        ] {
            out.number(count as u64);
        }
        for x in [self.model.settings.spacing, self.model.settings.density, self.time, self.skin, self.way] {
            out.number(x.to_bits());
        }
        out.vector(self.model.settings.gravity);
        let flags = u64::from(self.fresh) | u64::from(self.listed) << 1;
        [self.step, self.age, self.ids.next(), self.ids.ranks(), flags, self.gates.lost]
            .iter()
            .for_each(|x| out.number(*x));
        let range = self.range;
        for x in [range.speed, range.acceleration, range.density[0], range.density[1], range.inside] {
            out.number(x.to_bits());
        }
        let fields = &self.fields;
        let rows = [&fields.place, &fields.motion, &fields.rate, &fields.drift];
        rows.iter().for_each(|rows| out.rows(rows.read()));
        out.list(fields.tag.read(), |x| x.to_le_bytes());
        out.list(fields.id.read(), |x| x.to_le_bytes());
        out.rows(&self.solids.forces);
        for solid in &self.solids.list {
            solid.wrench.iter().chain(&solid.impulse).for_each(|v| out.vector(*v));
            match &solid.carriage {
                Carriage::Rigid { motion: m, .. } => {
                    [m.position, m.velocity, m.angular_velocity, m.acceleration, m.angular_acceleration]
                        .iter()
                        .for_each(|v| out.vector(*v));
                    m.rotation.to_array().iter().for_each(|x| out.number(x.to_bits()));
                }
                Carriage::Free { markers } => {
                    out.number(markers.len() as u64);
                    for m in markers {
                        [m.position, m.velocity, m.acceleration, m.angular_velocity]
                            .iter()
                            .for_each(|v| out.vector(*v));
                    }
                    solid.pushes.as_flattened().iter().for_each(|v| out.vector(*v));
                }
            }
        }
        self.gates.inlets.iter().map(|gate| gate.2).for_each(|n| out.number(n));
        self.gates.outlets.iter().map(|gate| gate.1).for_each(|n| out.number(n));
        self.list.save(&mut out);
        out.into_bytes()
    }

    /// Takes over a state that [`save`](Self::save) made of a fluid with the same settings, solids and gates.
    ///
    /// A state that does not fit is refused, and the fluid left as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let mut input = Reader::new(bytes, "a fluid");
        let mut next = self.clone();
        input.expect(VERSION, "version of the layout")?;
        input.expect(next.solids.list.len() as u64, "number of solids")?;
        input.expect(next.solids.slots.len() as u64, "number of markers")?;
        input.expect(next.gates.inlets.len() as u64, "number of inlets")?;
        input.expect(next.gates.outlets.len() as u64, "number of outlets")?;
        for (what, own) in
            [("spacing", next.model.settings.spacing), ("density", next.model.settings.density)]
        {
            let saved = input.float()?;
            if saved != own {
                return Err(ParticleError::State { what: format!("the {what} is {saved}, here {own}") });
            }
        }
        [next.time, next.skin, next.way] = [input.float()?, input.float()?, input.float()?];
        next.model.settings.gravity = input.vector()?;
        [next.step, next.age] = [input.number()?, input.number()?];
        let ids = IdSource::of_numbers([input.number()?, input.number()?]);
        next.ids = ids.ok_or(ParticleError::State { what: "a source of ids that is none".into() })?;
        let flags = input.number()?;
        (next.fresh, next.listed) = (flags & 1 != 0, flags & 2 != 0);
        next.gates.lost = input.number()?;
        (next.range.speed, next.range.acceleration) = (input.float()?, input.float()?);
        next.range.density = [input.float()?, input.float()?];
        next.range.inside = input.float()?;
        next.fields = FluidFields {
            place: input.rows()?.into(),
            motion: input.rows()?.into(),
            rate: input.rows()?.into(),
            drift: input.rows()?.into(),
            tag: input.list(4, |b| u32::from_le_bytes(b.try_into().unwrap_or_default()))?.into(),
            id: input.list(8, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()))?.into(),
        };
        let count = next.fields.len();
        let FluidFields { motion, rate, drift, tag, id, .. } = &next.fields;
        let equal = [motion.len(), rate.len(), tag.len(), id.len()].iter().all(|n| *n == count);
        check(equal && (drift.is_empty() || drift.len() == count), "fields of different lengths")?;
        let markers = next.solids.slots.len();
        let mut seen = vec![false; markers];
        for tag in next.fields.tag.read().iter().filter(|tag| is_marker(**tag)) {
            let place = seen.get_mut(number(*tag));
            check(
                place.is_some_and(|seen| !std::mem::replace(seen, true)),
                "markers that are not those here",
            )?;
        }
        check(seen.iter().all(|seen| *seen), "markers that are not those here")?;
        next.solids.forces = input.rows()?;
        check(next.solids.forces.len() == markers, "forces that do not fit the markers")?;
        for solid in &mut next.solids.list {
            solid.wrench = [input.vector()?, input.vector()?];
            solid.impulse = [input.vector()?, input.vector()?];
            match &mut solid.carriage {
                Carriage::Rigid { motion, .. } => {
                    let mut vectors = [Vec3::ZERO; 5];
                    for v in &mut vectors {
                        *v = input.vector()?;
                    }
                    let [position, velocity, angular_velocity, acceleration, angular_acceleration] = vectors;
                    let mut q = [0.0; 4];
                    for x in &mut q {
                        *x = input.float()?;
                    }
                    *motion = SolidMotion {
                        position,
                        rotation: Quat::from_array(q),
                        velocity,
                        angular_velocity,
                        acceleration,
                        angular_acceleration,
                    };
                }
                Carriage::Free { markers } => {
                    input.expect(markers.len() as u64, "number of markers of a solid")?;
                    for m in markers {
                        *m = MarkerMotion {
                            position: input.vector()?,
                            velocity: input.vector()?,
                            acceleration: input.vector()?,
                            angular_velocity: input.vector()?,
                        };
                    }
                    for v in solid.pushes.as_flattened_mut() {
                        *v = input.vector()?;
                    }
                }
            }
        }
        for gate in &mut next.gates.inlets {
            gate.2 = input.number()?;
        }
        for gate in &mut next.gates.outlets {
            gate.1 = input.number()?;
        }
        next.list.restore(&mut input, if next.listed { count } else { usize::MAX })?;
        input.end()?;
        next.number_slots();
        next.solids.note_spins();
        *self = next;
        Ok(())
    }
}
