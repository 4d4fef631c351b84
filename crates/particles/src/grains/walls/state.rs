//! How walls move and what their contacts remember, as bytes.

use huygens_exec::Exec;
use huygens_kernel::{Quat, Vec3};

use crate::error::{ParticleError, Result};
use crate::grains::system::GrainSystem;
use crate::grains::walls::list::{Known, VertexPush, WallChunk};
use crate::row::Row;
use crate::row::{ReadRows, WriteRows, check};
use crate::walls::drive::{WallDrive, WallKey, WallSample};
use crate::walls::surface::Surface;
use crate::walls::wall::{Wall, WallMotion};
use huygens_core::bytes::{Reader, Writer};

impl WallChunk {
    pub fn save(&self, out: &mut Writer) {
        out.list(&self.known, |known| {
            let words = [known.item, known.wall, known.feature].map(u32::to_le_bytes);
            let normal = known.normal.map(f32::to_le_bytes);
            let sizes = [known.depth, known.radius].map(f64::to_le_bytes);
            [words.concat(), normal.concat(), sizes.concat()].concat()
        });
        out.rows(&self.history);
        out.list(&self.wrenches.walls, |wall| wall.to_le_bytes().to_vec());
        out.rows(self.wrenches.rows.as_flattened());
        out.list(&self.pushes, |push| {
            let names = [push.wall, push.vertex].map(u32::to_le_bytes).concat();
            [names, push.force.to_array().map(f64::to_le_bytes).concat()].concat()
        });
    }

    /// Takes over contacts of `own` grains with `walls`, with `width` rows of memory each.
    pub fn restore(
        &mut self,
        input: &mut Reader<'_>,
        own: usize,
        walls: &[Wall],
        width: usize,
    ) -> Result<()> {
        let word = |b: &[u8], k: usize| [b[k], b[k + 1], b[k + 2], b[k + 3]];
        let long = |b: &[u8], k: usize| f64::from_le_bytes(b[k..k + 8].try_into().unwrap_or_default());
        self.known = input.list(40, |b| Known {
            item: u32::from_le_bytes(word(b, 0)),
            wall: u32::from_le_bytes(word(b, 4)),
            feature: u32::from_le_bytes(word(b, 8)),
            normal: [12, 16, 20].map(|k| f32::from_le_bytes(word(b, k))),
            depth: long(b, 24),
            radius: long(b, 32),
        })?;
        self.history = input.rows()?;
        let fits = |known: &Known| (known.item as usize) < own && (known.wall as usize) < walls.len();
        check(self.known.iter().all(fits), "contacts with walls that do not fit")?;
        check(self.known.is_sorted_by_key(Known::of), "contacts with walls out of order")?;
        check(self.history.len() == self.known.len() * width, "memory that does not fit the walls")?;
        self.wrenches.walls = input.list(4, |b| u32::from_le_bytes(word(b, 0)))?;
        let (pairs, rest) = (input.rows()?, &self.wrenches.walls);
        let rising =
            rest.is_sorted_by(|a, b| a < b) && rest.iter().all(|wall| (*wall as usize) < walls.len());
        check(rising && pairs.len() == 2 * rest.len(), "forces on walls that do not fit")?;
        self.wrenches.rows = pairs.as_chunks::<2>().0.to_vec();
        self.pushes = input.list(32, |b| VertexPush {
            wall: u32::from_le_bytes(word(b, 0)),
            vertex: u32::from_le_bytes(word(b, 4)),
            force: Vec3::new(long(b, 8), long(b, 16), long(b, 24)),
        })?;
        let known = |push: &VertexPush| match walls.get(push.wall as usize).map(|wall| &wall.surface) {
            Some(Surface::Facets(facets)) => (push.vertex as usize) < facets.topology().vertices(),
            _ => false,
        };
        check(self.pushes.iter().all(known), "forces on vertices that do not fit")
    }
}

impl GrainSystem {
    pub(crate) fn save_walls(&self, out: &mut Writer) {
        for (wall, state) in self.walls.iter().zip(&self.wall_states.items) {
            let [force, torque] = state.impulse;
            out.rows(&rows_of(&wall.motion));
            out.rows(&rows_of(&state.rest));
            out.rows(&[Row::new(force, state.since), Row::new(torque, state.work)]);
            out.rows(&wall.drive.rows());
            if let Surface::Facets(facets) = &wall.surface {
                let (start, velocity, time) = facets.rest();
                out.number(time.to_bits());
                let rows = |vectors: &[Vec3]| vectors.iter().map(|v| Row::new(*v, 0.0)).collect::<Vec<_>>();
                [start, velocity, &state.vertex_impulses].iter().for_each(|vectors| out.rows(&rows(vectors)));
            }
        }
    }

    pub(crate) fn restore_walls(&mut self, input: &mut Reader<'_>) -> Result<()> {
        for (wall, state) in self.walls.iter_mut().zip(&mut self.wall_states.items) {
            wall.motion = motion_of(&input.rows()?)?;
            state.rest = motion_of(&input.rows()?)?;
            let rows = input.rows()?;
            let [force, torque] = rows[..] else { return Err(misfit()) };
            state.impulse = [force.vector(), torque.vector()];
            (state.since, state.work) = (force.0[3], torque.0[3]);
            wall.drive = WallDrive::of_rows(&input.rows()?).ok_or_else(misfit)?;
            if let Surface::Facets(facets) = &mut wall.surface {
                let time = input.float()?;
                let vectors = |rows: Vec<Row>| rows.iter().map(Row::vector).collect::<Vec<_>>();
                let (start, velocity) = (vectors(input.rows()?), vectors(input.rows()?));
                let impulses = vectors(input.rows()?);
                let counts = [velocity.len(), impulses.len(), facets.topology().vertices()];
                check(counts.iter().all(|n| *n == start.len()), "vertices that do not fit")?;
                facets.set(&start, |vertex| velocity[vertex])?;
                check(time.is_finite(), "a time of facets that is none")?;
                facets.place(time);
                state.vertex_impulses = impulses;
            }
            wall.check()?;
        }
        Ok(())
    }

    /// Finds the walls near the grains of a state that was taken over; contacts and forces stay.
    pub(crate) fn list_walls(&mut self) {
        let ex = Exec::serial();
        self.note_walls_and_grains(&ex);
        let take =
            |walls: &mut WallChunk| (std::mem::take(&mut walls.wrenches), std::mem::take(&mut walls.pushes));
        let kept: Vec<_> = self.list.chunks.iter_mut().map(|chunk| take(&mut chunk.walls)).collect();
        self.list_near_walls(&ex);
        for (chunk, kept) in self.list.chunks.iter_mut().zip(kept) {
            (chunk.walls.wrenches, chunk.walls.pushes) = kept;
        }
    }
}

fn misfit() -> ParticleError {
    ParticleError::State { what: "a motion of a wall that is none".into() }
}

fn rows_of(motion: &WallMotion) -> [Row; 4] {
    [
        Row::new(motion.position, 0.0),
        Row(motion.rotation.to_array()),
        Row::new(motion.velocity, 0.0),
        Row::new(motion.angular_velocity, 0.0),
    ]
}

fn motion_of(rows: &[Row]) -> Result<WallMotion> {
    let [position, rotation, velocity, angular_velocity] = rows else { return Err(misfit()) };
    Ok(WallMotion {
        position: position.vector(),
        rotation: Quat::from_array(rotation.0),
        velocity: velocity.vector(),
        angular_velocity: angular_velocity.vector(),
    })
}

impl WallDrive {
    /// Its numbers; the last of the first row says which it is.
    fn rows(&self) -> Vec<Row> {
        match self {
            Self::Fixed => vec![Row::new(Vec3::ZERO, 0.0)],
            Self::Velocity => vec![Row::new(Vec3::ZERO, 1.0)],
            Self::Rotation { axis, rate, centre } => vec![Row::new(*axis, 2.0), Row::new(*centre, *rate)],
            Self::Vibration { amplitude, frequency, phase } => {
                vec![Row::new(*amplitude, 3.0), Row([*frequency, *phase, 0.0, 0.0])]
            }
            Self::Script(keys) => {
                let poses = keys
                    .iter()
                    .flat_map(|key| [Row::new(key.position, key.time), Row(key.rotation.to_array())]);
                std::iter::once(Row::new(Vec3::ZERO, 4.0)).chain(poses).collect()
            }
            Self::Track(samples) => {
                let motions = samples.iter().flat_map(|sample| {
                    let [position, rest @ ..] = rows_of(&sample.motion);
                    [Row::new(position.vector(), sample.time)].into_iter().chain(rest)
                });
                std::iter::once(Row::new(Vec3::ZERO, 5.0)).chain(motions).collect()
            }
        }
    }

    fn of_rows(rows: &[Row]) -> Option<Self> {
        let (first, rest) = rows.split_first()?;
        Some(match (first.0[3], rest) {
            (0.0, []) => Self::Fixed,
            (1.0, []) => Self::Velocity,
            (2.0, [second]) => {
                Self::Rotation { axis: first.vector(), rate: second.0[3], centre: second.vector() }
            }
            (3.0, [second]) => {
                Self::Vibration { amplitude: first.vector(), frequency: second.0[0], phase: second.0[1] }
            }
            (4.0, poses) => {
                let key = |[place, turn]: &[Row; 2]| WallKey {
                    time: place.0[3],
                    position: place.vector(),
                    rotation: Quat::from_array(turn.0),
                };
                Self::Script(poses.as_chunks::<2>().0.iter().map(key).collect())
            }
            (5.0, motions) => {
                let sample =
                    |rows: &[Row; 4]| Some(WallSample { time: rows[0].0[3], motion: motion_of(rows).ok()? });
                Self::Track(motions.as_chunks::<4>().0.iter().map(sample).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}
