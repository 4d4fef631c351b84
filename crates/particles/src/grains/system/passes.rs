//! Passes over the particles: forces of contacts, motion, and both in one.

use huygens_exec::lanes::InstructionSet;
use huygens_exec::{Disjoint, Exec, Strided};
use huygens_kernel::Vec3;

use super::GrainSystem;
use crate::grains::contacts::{ContactPass, Laws};
use crate::grains::fields::{Fields, Rows, Seen};
use crate::grains::list::{CHUNK, PairChunk};
use crate::grains::motion::{MotionPass, Stroke};
use crate::grains::walls::contacts::WallPass;
use crate::grid::Periodic;
use crate::row::Row;
use crate::walls::wall::Wall;

/// Blocks of chunks a thread, where forces and motion are one pass.
const BLOCKS: usize = 8;

/// What the contacts of all chunks have in common.
struct Contacts<'a> {
    laws: &'a Laws,
    walls: &'a [Wall],
    planes: &'a [Option<(Vec3, f64)>],
    instructions: InstructionSet,
    step: f64,
    lengths: [f64; 3],
    repeats: bool,
}

impl<'a> Contacts<'a> {
    fn new(
        laws: &'a Laws,
        walls: &'a [Wall],
        planes: &'a [Option<(Vec3, f64)>],
        periodic: &Periodic,
        instructions: InstructionSet,
        step: f64,
    ) -> Self {
        let (lengths, repeats) = (periodic.lengths(), periodic.any());
        Self { laws, walls, planes, instructions, step, lengths, repeats }
    }

    /// Forces on the particles of a chunk, which start at `first`.
    fn run(
        &self,
        fields: Seen<'_>,
        first: usize,
        chunk: &mut PairChunk,
        force: &mut [Row],
        torque: &mut [Row],
    ) {
        let &Self { laws, walls, planes, instructions, step, lengths, repeats } = self;
        instructions.run_wide(ContactPass {
            laws,
            fields,
            chunk: &mut *chunk,
            force: &mut *force,
            torque: &mut *torque,
            first,
            step,
            lengths,
            repeats,
        });
        let chunk = &mut chunk.walls;
        if chunk.near.is_empty() && chunk.known.is_empty() {
            chunk.release();
            return;
        }
        instructions.run(WallPass { laws, walls, planes, fields, chunk, force, torque, first, step });
    }
}

impl GrainSystem {
    /// Runs the loops with other instructions than the best of the machine, to compare them.
    pub fn use_instructions(&mut self, instructions: InstructionSet) {
        self.instructions = instructions;
    }

    /// Forces at the present positions and the motion that follows.
    pub(super) fn sweep(&mut self, ex: &Exec, stroke: Stroke, step: f64) {
        // What adds to the forces of all particles comes between the two.
        if self.near.is_some() || !self.surroundings.is_empty() || !self.clumps.is_empty() {
            self.contacts(ex, step, self.time + step);
            return self.strokes(ex, stroke, step);
        }
        self.contacts_and_strokes(ex, stroke, step);
    }

    /// Forces at the present positions, which are those of the time `time` [s].
    pub(super) fn contacts(&mut self, ex: &Exec, step: f64, time: f64) {
        let count = self.fields.len();
        let mut force = std::mem::take(&mut self.fields.force);
        let mut torque = std::mem::take(&mut self.fields.torque);
        self.note_planes();
        let Fields { place, motion, spin, material, .. } = &self.fields;
        let seen =
            Seen { place: place[..].into(), motion: motion[..].into(), spin: spin[..].into(), material };
        let contacts =
            Contacts::new(&self.laws, &self.walls, &self.planes, &self.periodic, self.instructions, step);
        let chunks = Strided { data: &mut self.list.chunks, stride: CHUNK, count };
        let data = (chunks, &mut force[..], &mut torque[..]);
        ex.for_each_piece(data, CHUNK, |first, (chunks, force, torque)| {
            contacts.run(seen, first, &mut chunks.data[0], force, torque);
        });
        self.fields.force = force;
        self.fields.torque = torque;
        self.add_surroundings(ex, time);
    }

    /// Adds what the outboxes hold.
    pub(super) fn collect(&mut self, ex: &Exec) {
        let chunks = &self.list.chunks;
        let data = (&mut self.fields.force[..], &mut self.fields.torque[..]);
        ex.for_each_piece(data, CHUNK, |first, (force, torque)| {
            for incoming in &chunks[first / CHUNK].incoming {
                let [f, t] = incoming.find((chunks, 0));
                let item = incoming.item as usize;
                force[item].0.iter_mut().zip(f.0).for_each(|(sum, f)| *sum += f);
                torque[item].0.iter_mut().zip(t.0).for_each(|(sum, t)| *sum += t);
            }
        });
    }

    /// Moves the particles by the forces there are.
    pub(super) fn strokes(&mut self, ex: &Exec, stroke: Stroke, step: f64) {
        let fields = &mut self.fields;
        let count = fields.len();
        self.ways.resize(count.div_ceil(CHUNK), 0.0);
        let (chunks, gravity, instructions) = (&self.list.chunks, self.settings.gravity, self.instructions);
        let data = (
            &mut fields.place[..],
            &mut fields.motion[..],
            &mut fields.spin[..],
            &mut fields.force[..],
            &mut fields.torque[..],
            &mut fields.moved[..],
            Strided { data: &mut self.ways, stride: CHUNK, count },
        );
        let members = &fields.member;
        ex.for_each_piece(data, CHUNK, |first, (place, motion, spin, force, torque, moved, ways)| {
            ways.data[0] = instructions.run(MotionPass {
                stroke,
                step,
                gravity,
                place,
                motion,
                spin,
                force,
                torque,
                moved,
                member: members.get(first..).unwrap_or_default(),
                chunk: &chunks[first / CHUNK],
                chunks: (chunks, 0),
            });
        });
        if !self.clumps.is_empty() {
            self.clumps.advance(ex, fields, stroke, step, gravity);
            self.clumps.place(ex, fields, stroke, &mut self.ways, &self.periodic);
        }
    }

    /// Forces and motion in one go over memory.
    ///
    /// Chunks are worked on in blocks, those of a block in order. A chunk moves as soon as all chunks that have pairs
    /// with it have had their contacts, if they are in its block, while its particles are still near the processor;
    /// the others move when all blocks are done. Sums have the same order in both cases.
    fn contacts_and_strokes(&mut self, ex: &Exec, stroke: Stroke, step: f64) {
        self.note_planes();
        let count = self.fields.len();
        let chunk_count = self.list.chunks.len();
        self.ways.resize(chunk_count, 0.0);
        let block = chunk_count.div_ceil(if ex.threads() == 1 { 1 } else { BLOCKS * ex.threads() });
        self.desks.resize_with(chunk_count.div_ceil(block), Default::default);
        self.desks.iter_mut().flatten().for_each(|desk| desk.resize(CHUNK, Row::ZERO));
        let Fields { place, motion, spin, force, torque, moved, material, .. } = &mut self.fields;
        let (place, motion, spin) = (Disjoint::new(place), Disjoint::new(motion), Disjoint::new(spin));
        // SAFETY: contacts of a chunk read its own particles and those it has pairs with. A chunk moves when all that
        // have pairs with it, itself among them, have had their contacts.
        let seen = unsafe {
            Seen {
                place: Rows::beside(&place),
                motion: Rows::beside(&motion),
                spin: Rows::beside(&spin),
                material,
            }
        };
        let contacts =
            Contacts::new(&self.laws, &self.walls, &self.planes, &self.periodic, self.instructions, step);
        let (gravity, instructions) = (self.settings.gravity, self.instructions);
        let stir = |c: usize,
                    chunks: (&[PairChunk], usize),
                    (force, torque): (&mut [Row], &mut [Row]),
                    moved: &mut [[f32; 3]]| {
            let own = c * CHUNK..((c + 1) * CHUNK).min(count);
            // SAFETY: called once for a chunk, when nobody reads its particles any more.
            let (place, motion, spin) =
                unsafe { (place.piece(own.clone()), motion.piece(own.clone()), spin.piece(own)) };
            let chunk = &chunks.0[c - chunks.1];
            let member = &[][..];
            instructions.run(MotionPass {
                stroke,
                step,
                gravity,
                place,
                motion,
                spin,
                force,
                torque,
                moved,
                member,
                chunk,
                chunks,
            })
        };
        let ready = &self.list.ready;
        let data = (
            Strided { data: &mut self.list.chunks, stride: CHUNK, count },
            &mut force[..],
            &mut torque[..],
            &mut moved[..],
            Strided { data: &mut self.ways, stride: CHUNK, count },
            Strided { data: &mut self.desks, stride: block * CHUNK, count },
        );
        ex.for_each_piece(data, block * CHUNK, |first, (chunks, force, torque, moved, ways, desks)| {
            let [desk_force, desk_torque] = &mut desks.data[0];
            let (chunks, base) = (chunks.data, first / CHUNK);
            let count = moved.len();
            let items = |c: usize| (c - base) * CHUNK..((c + 1 - base) * CHUNK).min(count);
            let mut ready = &ready[ready.partition_point(|ready| ready.last < base)..];
            for c in base..base + chunks.len() {
                let own = items(c);
                let [first, last] = chunks[c - base].sources;
                // Forces that are used at once need not go to memory.
                let at_once = stroke == Stroke::Through && first >= base && last == c;
                let (force_of_c, torque_of_c) = match at_once {
                    true => (&mut desk_force[..own.len()], &mut desk_torque[..own.len()]),
                    false => (&mut force[own.clone()], &mut torque[own.clone()]),
                };
                contacts.run(seen, c * CHUNK, &mut chunks[c - base], force_of_c, torque_of_c);
                if at_once {
                    ways.data[c - base] = stir(c, (chunks, base), (force_of_c, torque_of_c), &mut moved[own]);
                }
                while let Some((now, later)) = ready.split_first().filter(|(now, _)| now.last == c) {
                    if now.first >= base && !(at_once && now.chunk == c) {
                        let own = items(now.chunk);
                        let forces = (&mut force[own.clone()], &mut torque[own.clone()]);
                        ways.data[now.chunk - base] =
                            stir(now.chunk, (chunks, base), forces, &mut moved[own]);
                    }
                    ready = later;
                }
            }
        });
        if block == chunk_count {
            return;
        }
        let chunks = &self.list.chunks;
        let data = (
            &mut force[..],
            &mut torque[..],
            &mut moved[..],
            Strided { data: &mut self.ways, stride: CHUNK, count },
        );
        ex.for_each_piece(data, CHUNK, |first, (force, torque, moved, ways)| {
            let c = first / CHUNK;
            let [first, last] = chunks[c].sources;
            if first / block != last / block {
                ways.data[0] = stir(c, (chunks, 0), (force, torque), moved);
            }
        });
    }

    fn note_planes(&mut self) {
        self.planes.clear();
        self.planes.extend(self.walls.iter().map(Wall::as_plane));
    }
}
