//! The state of a system as bytes: what a restart needs to go on with the same bits.
//!
//! Fields in their present order, the list of neighbours with the memory of its contacts, the reach of the list, where
//! walls are and what inlets and outlets have done. Settings, materials, surfaces and drives of walls are the model,
//! and not in it. Which walls are near which grains is found anew.

use huygens_exec::Exec;
use huygens_kernel::{Quat, Vec3};

use crate::error::{ParticleError, Result};
use crate::fields::{Fields, Row};
use crate::list::{CHUNK, INDEX, PADDING};
use crate::system::GrainSystem;
use crate::wall::WallMotion;
use crate::wall_list::Known;

/// Version of the layout.
const VERSION: u64 = 2;

impl GrainSystem {
    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer(Vec::with_capacity(self.bytes()));
        let report = &self.list.report;
        out.number(VERSION);
        out.number(self.list.layout.width() as u64);
        out.number(self.walls.len() as u64);
        out.number(self.time.to_bits());
        out.numbers(&[self.step, self.next_id, u64::from(self.fresh)]);
        out.numbers(&[self.skin.share.to_bits(), self.skin.age, report.builds, report.skin.to_bits()]);
        let fields = &self.fields;
        for rows in [&fields.place, &fields.motion, &fields.spin, &fields.force, &fields.torque] {
            out.rows(rows);
        }
        out.list(&fields.id, |x| x.to_le_bytes().to_vec());
        out.list(&fields.material, |m| vec![*m]);
        out.list(&fields.moved, |m| m.iter().flat_map(|x| x.to_le_bytes()).collect());
        out.number(self.list.chunks.len() as u64);
        for chunk in &self.list.chunks {
            out.list(&chunk.starts, |x| x.to_le_bytes().to_vec());
            out.list(&chunk.other, |x| x.to_le_bytes().to_vec());
            out.rows(&chunk.history);
            out.list(&chunk.walls.known, |k| {
                let words = [k.item, k.wall, k.feature].into_iter().chain(k.normal.map(f32::to_bits));
                words.flat_map(u32::to_le_bytes).collect()
            });
            out.rows(&chunk.walls.history);
            let wrenches: Vec<Row> = chunk.walls.wrenches.iter().flatten().copied().collect();
            out.rows(&wrenches);
        }
        for (wall, state) in self.walls.iter().zip(&self.wall_states.items) {
            out.motion(&wall.motion);
            out.motion(&state.rest);
            out.number(state.since.to_bits());
            state.impulse.iter().for_each(|v| out.vector(*v));
        }
        let counts = self.traffic.as_ref().map(|traffic| traffic.counts()).unwrap_or_default();
        out.list(&counts, |x| x.to_le_bytes().to_vec());
        out.0
    }

    /// Takes over a state that [`save`](Self::save) made of a system with the same settings, materials and walls.
    ///
    /// A state that does not fit is refused, and the system left as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let mut input = Reader(bytes);
        let mut next = self.clone();
        let width = next.list.layout.width();
        input.expect(VERSION, "version of the layout")?;
        input.expect(width as u64, "rows of memory a contact")?;
        input.expect(next.walls.len() as u64, "number of walls")?;
        next.time = f64::from_bits(input.number()?);
        [next.step, next.next_id] = [input.number()?, input.number()?];
        next.fresh = input.number()? != 0;
        next.skin.share = f64::from_bits(input.number()?);
        [next.skin.age, next.list.report.builds] = [input.number()?, input.number()?];
        next.list.report.skin = f64::from_bits(input.number()?);
        next.fields = Fields {
            place: input.rows()?,
            motion: input.rows()?,
            spin: input.rows()?,
            force: input.rows()?,
            torque: input.rows()?,
            id: input.list(8, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()))?,
            material: input.list(1, |b| b[0])?,
            moved: input.list(12, |b| {
                std::array::from_fn(|k| {
                    f32::from_le_bytes([b[4 * k], b[4 * k + 1], b[4 * k + 2], b[4 * k + 3]])
                })
            })?,
        };
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
        let known = |m: &u8| usize::from(*m) < next.settings.materials.len();
        check(fields.material.iter().all(known), "a material that is not known")?;
        let chunks = input.number()? as usize;
        check(chunks == 0 || chunks == count.div_ceil(CHUNK), "chunks that do not fit the particles")?;
        let mut wrenches = Vec::with_capacity(chunks);
        next.list.chunks.clear();
        next.list.chunks.resize_with(chunks, Default::default);
        for (c, chunk) in next.list.chunks.iter_mut().enumerate() {
            let own = CHUNK.min(count - c * CHUNK);
            let word = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap_or_default());
            chunk.starts = input.list(4, word)?;
            chunk.other = input.list(4, word)?;
            chunk.history = input.rows()?;
            let rising = chunk.starts.len() == own + 1 && chunk.starts.is_sorted() && chunk.starts[0] == 0;
            check(
                rising && chunk.starts[own] as usize + PADDING == chunk.other.len(),
                "a list that is not one",
            )?;
            check(chunk.other.iter().all(|j| ((j & INDEX) as usize) < count), "a pair without a partner")?;
            check(chunk.history.len() == chunk.pair_count() * width, "memory that does not fit the pairs")?;
            chunk.walls.known = input.list(24, |b| {
                let word = |k: usize| word(&b[4 * k..4 * k + 4]);
                let normal = std::array::from_fn(|k| f32::from_bits(word(3 + k)));
                Known { item: word(0), wall: word(1), feature: word(2), normal }
            })?;
            chunk.walls.history = input.rows()?;
            let (walls, count) = (&chunk.walls, next.walls.len());
            let known = |k: &Known| (k.item as usize) < own && (k.wall as usize) < count;
            check(walls.known.iter().all(known), "a contact with a wall that is not known")?;
            check(walls.history.len() == walls.known.len() * width, "memory that does not fit the walls")?;
            wrenches.push(input.rows()?.as_chunks::<2>().0.to_vec());
            chunk.renew_outbox(c);
        }
        for (wall, state) in next.walls.iter_mut().zip(&mut next.wall_states.items) {
            wall.motion = input.motion()?;
            state.rest = input.motion()?;
            state.since = f64::from_bits(input.number()?);
            state.impulse = [input.vector()?, input.vector()?];
        }
        let counts = input.list(8, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()))?;
        let fits = match &mut next.traffic {
            Some(traffic) => traffic.set_counts(&counts),
            None => counts.is_empty(),
        };
        check(fits, "inlets and outlets that are others")?;
        check(input.0.is_empty(), "bytes after the end")?;
        next.list.address();
        next.find_near_walls();
        for (chunk, wrenches) in next.list.chunks.iter_mut().zip(wrenches) {
            chunk.walls.wrenches = wrenches;
        }
        *self = next;
        Ok(())
    }
}

impl GrainSystem {
    /// Finds the walls near grains as they are now.
    fn find_near_walls(&mut self) {
        let place = &self.fields.place;
        let least = place.iter().fold(f64::INFINITY, |least, row| least.min(row.0[3]));
        let reach = self.wall_states.note(&self.walls, place, self.list.report.skin, least);
        self.list.build_walls(&Exec::serial(), &self.fields, &self.walls, reach);
    }
}

fn check(fine: bool, what: &'static str) -> Result<()> {
    if fine { Ok(()) } else { Err(ParticleError::State { what: what.into() }) }
}

/// Little-endian numbers, lists with their length in front.
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, x: u64) {
        self.0.extend_from_slice(&x.to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|x| self.number(*x));
    }

    fn vector(&mut self, v: Vec3) {
        v.to_array().iter().for_each(|x| self.number(x.to_bits()));
    }

    fn motion(&mut self, motion: &WallMotion) {
        self.vector(motion.position);
        motion.rotation.to_array().iter().for_each(|x| self.number(x.to_bits()));
        self.vector(motion.velocity);
        self.vector(motion.angular_velocity);
    }

    fn list<T>(&mut self, list: &[T], bytes: impl Fn(&T) -> Vec<u8>) {
        self.number(list.len() as u64);
        list.iter().for_each(|x| self.0.extend(bytes(x)));
    }

    fn rows(&mut self, rows: &[Row]) {
        self.number(rows.len() as u64);
        rows.iter().flat_map(|row| row.0).for_each(|x| self.number(x.to_bits()));
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Result<u64> {
        let Some((head, rest)) = self.0.split_first_chunk::<8>() else {
            return Err(ParticleError::State { what: "it is cut off".into() });
        };
        self.0 = rest;
        Ok(u64::from_le_bytes(*head))
    }

    fn float(&mut self) -> Result<f64> {
        self.number().map(f64::from_bits)
    }

    fn vector(&mut self) -> Result<Vec3> {
        Ok(Vec3::new(self.float()?, self.float()?, self.float()?))
    }

    fn motion(&mut self) -> Result<WallMotion> {
        Ok(WallMotion {
            position: self.vector()?,
            rotation: Quat::from_xyzw(self.float()?, self.float()?, self.float()?, self.float()?),
            velocity: self.vector()?,
            angular_velocity: self.vector()?,
        })
    }

    fn expect(&mut self, expected: u64, what: &str) -> Result<()> {
        match self.number()? {
            found if found == expected => Ok(()),
            found => Err(ParticleError::State { what: format!("{what} is {found}, expected {expected}") }),
        }
    }

    fn list<T>(&mut self, size: usize, make: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
        let count = self.number()? as usize;
        // A length that lies is found before memory is asked for.
        let bytes = count.checked_mul(size).filter(|bytes| *bytes <= self.0.len());
        let Some(bytes) = bytes else { return Err(ParticleError::State { what: "it is cut off".into() }) };
        let (head, rest) = self.0.split_at(bytes);
        self.0 = rest;
        Ok(head.chunks_exact(size).map(make).collect())
    }

    fn rows(&mut self) -> Result<Vec<Row>> {
        self.list(32, |b| {
            Row(std::array::from_fn(|k| {
                f64::from_le_bytes(b[8 * k..8 * k + 8].try_into().unwrap_or_default())
            }))
        })
    }
}
