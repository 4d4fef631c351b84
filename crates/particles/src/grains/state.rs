//! The state of a system as bytes: what a restart needs to continue with bit-identical results.
//!
//! Fields in their present order, the list of neighbours with the memory of its contacts, the cutoff of the list,
//! and how walls move. Settings, materials and the surfaces of walls are the model, and not in it.

use huygens_core::bytes::{Reader, Writer};
use huygens_exec::Field;
use huygens_kernel::{Quat, Vec3};

use crate::error::{ParticleError, Result};
use crate::grains::clump::Clump;
use crate::grains::energy::EnergyMeter;
use crate::grains::fields::GrainFields;
use crate::grains::list::{CHUNK, INDEX, PADDING};
use crate::grains::system::GrainSystem;
use crate::id::IdSource;
use crate::row::{ReadRows, WriteRows, check};

/// Version of the layout.
const VERSION: u64 = 4;

impl GrainSystem {
    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(self.bytes());
        let report = &self.list.report;
        out.number(VERSION);
        out.number(self.list.layout.width() as u64);
        out.number(self.walls.len() as u64);
        out.number(self.time.to_bits());
        let known = u64::from(self.fresh) | u64::from(self.listed) << 1;
        [self.step, self.ids.next(), self.ids.ranks(), known].iter().for_each(|x| out.number(*x));
        [self.skin.share.to_bits(), self.skin.age, report.builds, report.skin.to_bits()]
            .iter()
            .for_each(|x| out.number(*x));
        out.vector(self.model.settings.gravity);
        for part in self.parts() {
            out.bytes(part.1.as_bytes());
        }
        let fields = &self.fields;
        for rows in [&fields.place, &fields.motion, &fields.spin, &fields.force, &fields.torque] {
            out.rows(rows.read());
        }
        out.list(fields.id.read(), |x| x.to_le_bytes());
        out.list(fields.material.read(), |m| [*m]);
        out.list(fields.member.read(), |m| m.map(u32::to_le_bytes).concat());
        let numbers = |body: &Clump| -> Vec<u8> {
            let (p, r) = (body.position.to_array(), body.rotation.to_array());
            let (v, l) = (body.velocity.to_array(), body.angular_momentum.to_array());
            let all = p.into_iter().chain(r).chain(v).chain(l).flat_map(f64::to_le_bytes);
            (body.shape as u64).to_le_bytes().into_iter().chain(all).collect()
        };
        out.list(&self.clumps.bodies, numbers);
        out.list(fields.moved.read(), |m| m.map(f32::to_le_bytes).concat());
        out.number(self.list.chunks.len() as u64);
        for chunk in &self.list.chunks {
            out.list(&chunk.starts, |x| x.to_le_bytes());
            out.list(&chunk.other, |x| x.to_le_bytes());
            out.rows(&chunk.history);
            chunk.walls.save(&mut out);
        }
        self.save_walls(&mut out);
        let counts = self.traffic.as_ref().map_or(Vec::new(), |traffic| traffic.counts());
        out.list(&counts, |x| x.to_le_bytes());
        let lost = self.meter.as_ref().map_or(Vec::new(), |meter| meter.numbers());
        out.list(&lost, |x| x.to_le_bytes());
        out.into_bytes()
    }

    /// Takes over a state that [`save`](Self::save) made of a system with the same settings, materials and walls.
    ///
    /// A state that does not fit is refused, and the system left as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let mut input = Reader::new(bytes, "grains");
        let mut next = self.clone();
        let width = next.list.layout.width();
        input.expect(VERSION, "version of the layout")?;
        input.expect(width as u64, "rows of memory per contact")?;
        input.expect(next.walls.len() as u64, "number of walls")?;
        next.time = input.float()?;
        next.step = input.number()?;
        let ids = IdSource::of_numbers([input.number()?, input.number()?]);
        next.ids = ids.ok_or(ParticleError::State { what: "a source of ids that is none".into() })?;
        let known = input.number()?;
        (next.fresh, next.listed) = (known & 1 != 0, known & 2 != 0);
        next.skin.share = input.float()?;
        [next.skin.age, next.list.report.builds] = [input.number()?, input.number()?];
        next.list.report.skin = input.float()?;
        next.model.settings.gravity = input.vector()?;
        for (what, own) in next.parts() {
            let saved = String::from_utf8_lossy(input.bytes()?).into_owned();
            if saved != own {
                return Err(ParticleError::State { what: format!("{what} is {saved}, here {own}") });
            }
        }
        let word = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap_or_default());
        next.fields = GrainFields {
            place: input.rows()?.into(),
            motion: input.rows()?.into(),
            spin: input.rows()?.into(),
            force: input.rows()?.into(),
            torque: input.rows()?.into(),
            id: input.list(8, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()))?.into(),
            material: input.list(1, |b| b[0])?.into(),
            member: input.list(8, |b| std::array::from_fn(|k| word(&b[4 * k..4 * k + 4])))?.into(),
            moved: Field::default(),
        };
        let bodies = input.list(14 * 8, |b| {
            let x: [f64; 14] = std::array::from_fn(|k| {
                f64::from_le_bytes(b[8 * k..8 * k + 8].try_into().unwrap_or_default())
            });
            Clump {
                shape: x[0].to_bits() as usize,
                position: Vec3::new(x[1], x[2], x[3]),
                rotation: Quat::from_xyzw(x[4], x[5], x[6], x[7]),
                velocity: Vec3::new(x[8], x[9], x[10]),
                angular_momentum: Vec3::new(x[11], x[12], x[13]),
            }
        })?;
        let moved = input.list(12, |b| {
            std::array::from_fn(|k| f32::from_le_bytes([b[4 * k], b[4 * k + 1], b[4 * k + 2], b[4 * k + 3]]))
        })?;
        next.fields.moved = moved.into();
        let fields = &next.fields;
        let count = fields.len();
        let lengths = [
            fields.motion.len(),
            fields.spin.len(),
            fields.force.len(),
            fields.torque.len(),
            fields.id.len(),
            fields.material.len(),
            fields.moved.len(),
        ];
        check(lengths.iter().all(|n| *n == count), "fields of different lengths")?;
        let material = |m: &u8| usize::from(*m) < next.model.settings.materials.len();
        check(fields.material.read().iter().all(material), "a material that is not known")?;
        check(next.clumps.take_over(bodies, next.fields.member.read(), count), "clumps that do not fit")?;
        let chunks = input.number()? as usize;
        // Particles that were added since the last step are in no list.
        let all = count.div_ceil(CHUNK);
        check(
            if next.listed { chunks == all } else { chunks <= all },
            "chunks that do not fit the particles",
        )?;
        next.list.chunks.clear();
        next.list.chunks.resize_with(chunks, Default::default);
        for (c, chunk) in next.list.chunks.iter_mut().enumerate() {
            let own = CHUNK.min(count - c * CHUNK);
            chunk.starts = input.list(4, word)?;
            chunk.other = input.list(4, word)?;
            chunk.history = input.rows()?;
            let listed = chunk.starts.len().wrapping_sub(1);
            let fits = if next.listed { listed == own } else { listed <= own };
            let rising = fits && chunk.starts.is_sorted() && chunk.starts[0] == 0;
            check(
                rising && chunk.starts[listed] as usize + PADDING == chunk.other.len(),
                "a list that is not one",
            )?;
            check(chunk.other.iter().all(|j| ((j & INDEX) as usize) < count), "a pair without a partner")?;
            check(chunk.history.len() == chunk.pair_count() * width, "memory that does not fit the pairs")?;
            chunk.walls.restore(&mut input, own, &next.walls, width)?;
            chunk.renew_outbox(c);
        }
        next.restore_walls(&mut input)?;
        let counts = input.list(8, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()))?;
        let fits = match &mut next.traffic {
            Some(traffic) => traffic.set_counts(&counts),
            None => counts.is_empty(),
        };
        check(fits, "counts of inlets and outlets that do not fit")?;
        let lost = input.list(8, |b| f64::from_le_bytes(b.try_into().unwrap_or_default()))?;
        check(lost.is_empty() || lost.len() == 9, "losses that do not fit")?;
        if next.meter.is_some() {
            next.meter = Some(Box::new(EnergyMeter::of_numbers(&lost).unwrap_or_default()));
        }
        input.end()?;
        next.list.address();
        next.list_walls();
        *self = next;
        Ok(())
    }
}

impl GrainSystem {
    /// What gives the numbers of a state their meaning, in words; values such as moduli or coefficients of friction
    /// may differ.
    fn parts(&self) -> Vec<(String, String)> {
        let mut parts =
            vec![("the number of materials".to_owned(), self.model.settings.materials.len().to_string())];
        let laws = self.model.laws.model.meaning_of_memory();
        parts.extend(laws.map(|(what, kind)| (what.to_owned(), kind)));
        parts.push(("the periodic box".to_owned(), format!("{:?}", self.model.periodic.axes)));
        for wall in &self.walls {
            parts.push((format!("the surface of wall '{}'", wall.name), wall.surface.name().to_owned()));
        }
        parts
    }
}
