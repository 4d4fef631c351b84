//! Passes over the grains on threads: forces of contacts, motion, and both in one.

#![expect(unsafe_code, reason = "chunks write to disjoint parts of the same fields")]

use huygens_exec::lanes::InstructionSet;
use huygens_exec::{Disjoint, Exec, Strided};
use huygens_kernel::Vec3;

use super::{GrainExtremes, GrainLoops, GrainParts};
use crate::grains::contacts::{ContactPass, Laws};
use crate::grains::fields::{GrainFields, Rows, Seen};
use crate::grains::list::{CHUNK, PairChunk, PairList};
use crate::grains::model::GrainModel;
use crate::grains::motion::{MotionPass, Stroke};
use crate::grains::walls::contacts::WallPass;
use crate::grains::walls::list::WallSearch;
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
        model: &'a GrainModel,
        walls: &'a [Wall],
        planes: &'a [Option<(Vec3, f64)>],
        instructions: InstructionSet,
        step: f64,
    ) -> Self {
        let (lengths, repeats) = (model.periodic.lengths(), model.periodic.any());
        Self { laws: &model.laws, walls, planes, instructions, step, lengths, repeats }
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

/// Loops on the threads of an [`Exec`], with the room they work in.
#[derive(Debug)]
pub(crate) struct GrainLoopsCpu {
    instructions: InstructionSet,
    /// Longest way squared of each chunk.
    ways: Vec<f32>,
    /// Room for the forces of one chunk, for each block of chunks.
    desks: Vec<[Vec<Row>; 2]>,
    /// Normals and offsets of the walls that are planes.
    planes: Vec<Option<(Vec3, f64)>>,
}

impl Default for GrainLoopsCpu {
    fn default() -> Self {
        Self::with_instructions(InstructionSet::detect())
    }
}

impl GrainLoopsCpu {
    /// Loops with other instructions than the best of the machine.
    pub fn with_instructions(instructions: InstructionSet) -> Self {
        Self { instructions, ways: Vec::new(), desks: Vec::new(), planes: Vec::new() }
    }
}

impl GrainLoops for GrainLoopsCpu {
    fn list(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, walls: WallSearch<'_>, skin: f64) {
        let GrainParts { model, fields, list, clumps, .. } = parts;
        let range = model.near.map_or(0.0, |near| near.range);
        list.build(ex, fields, walls, skin, range, &model.periodic);
        clumps.find_members(fields.member.read());
        if model.periodic.any() {
            clumps.wrap(&model.periodic);
        }
    }

    fn list_walls(&mut self, ex: &Exec, fields: &GrainFields, list: &mut PairList, walls: WallSearch<'_>) {
        list.build_walls(ex, fields, walls);
    }

    fn forces(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, step: f64, time: f64) {
        self.note_planes(parts.walls);
        let GrainParts { model, walls, fields, list, .. } = parts;
        let owned = fields.extent().owned;
        let GrainFields { place, motion, spin, force, torque, material, .. } = &mut **fields;
        let seen = Seen {
            place: place.read().into(),
            motion: motion.read().into(),
            spin: spin.read().into(),
            material: material.read(),
        };
        let contacts = Contacts::new(model, walls, &self.planes, self.instructions, step);
        let chunks = Strided { data: &mut list.chunks, stride: CHUNK, count: owned };
        let data = (chunks, &mut force.write()[..owned], &mut torque.write()[..owned]);
        ex.for_each_piece(data, CHUNK, |first, (chunks, force, torque)| {
            contacts.run(seen, first, &mut chunks.data[0], force, torque);
        });
        parts.add_surroundings(ex, time);
    }

    fn gather(&mut self, ex: &Exec, parts: &mut GrainParts<'_>) {
        let chunks = &parts.list.chunks;
        let owned = parts.fields.extent().owned;
        let GrainFields { force, torque, .. } = &mut *parts.fields;
        let data = (&mut force.write()[..owned], &mut torque.write()[..owned]);
        ex.for_each_piece(data, CHUNK, |first, (force, torque)| {
            for incoming in &chunks[first / CHUNK].incoming {
                let [f, t] = incoming.find((chunks, 0));
                let item = incoming.item as usize;
                force[item].0.iter_mut().zip(f.0).for_each(|(sum, f)| *sum += f);
                torque[item].0.iter_mut().zip(t.0).for_each(|(sum, t)| *sum += t);
            }
        });
    }

    fn motion(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, stroke: Stroke, step: f64) {
        let GrainParts { model, fields, list, clumps, .. } = parts;
        let owned = fields.extent().owned;
        self.ways.resize(owned.div_ceil(CHUNK), 0.0);
        let (chunks, gravity, instructions) = (&list.chunks, model.settings.gravity, self.instructions);
        let GrainFields { place, motion, spin, force, torque, moved, member, .. } = &mut **fields;
        let data = (
            &mut place.write()[..owned],
            &mut motion.write()[..owned],
            &mut spin.write()[..owned],
            &mut force.write()[..owned],
            &mut torque.write()[..owned],
            &mut moved.write()[..owned],
            Strided { data: &mut self.ways, stride: CHUNK, count: owned },
        );
        let members = member.read();
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
        if !clumps.is_empty() {
            clumps.advance(ex, fields, stroke, step, gravity);
            clumps.place(ex, fields, stroke, &mut self.ways, &model.periodic);
        }
    }

    fn sweep(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, stroke: Stroke, step: f64, time: f64) {
        // What adds to the forces of all particles comes between the two.
        let model = parts.model;
        if model.near.is_some() || !model.surroundings.is_empty() || !parts.clumps.is_empty() {
            self.forces(ex, parts, step, time);
            return self.motion(ex, parts, stroke, step);
        }
        self.forces_and_motion(ex, parts, stroke, step);
    }

    fn farthest(&self) -> f32 {
        self.ways.iter().fold(0.0_f32, |most, way| if *way > most || way.is_nan() { *way } else { most })
    }

    fn extremes(&mut self, ex: &Exec, fields: &GrainFields) -> GrainExtremes {
        let place = fields.place.read();
        let of = |range: std::ops::Range<usize>| {
            place[range].iter().fold(GrainExtremes::NONE, |all, row| {
                let (x, r) = (row.vector(), row.0[3]);
                all.join(GrainExtremes { least_radius: r, bounds: [x - r, x + r] })
            })
        };
        ex.reduce(place.len(), CHUNK, of, GrainExtremes::join).unwrap_or(GrainExtremes::NONE)
    }

    fn bytes(&self) -> usize {
        size_of::<f32>() * self.ways.len()
    }

    fn duplicate(&self) -> Box<dyn GrainLoops> {
        Box::new(Self::with_instructions(self.instructions))
    }
}

impl GrainLoopsCpu {
    /// Forces and motion in one go over memory.
    ///
    /// Chunks are worked on in blocks, those of a block in order. A chunk moves as soon as all chunks that have pairs
    /// with it have had their contacts, if they are in its block, while its particles are still near the processor;
    /// the others move when all blocks are done. Sums have the same order in both cases.
    fn forces_and_motion(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, stroke: Stroke, step: f64) {
        self.note_planes(parts.walls);
        let GrainParts { model, walls, fields, list, .. } = parts;
        let count = fields.extent().owned;
        let chunk_count = list.chunks.len();
        self.ways.resize(chunk_count, 0.0);
        let block = chunk_count.div_ceil(if ex.threads() == 1 { 1 } else { BLOCKS * ex.threads() });
        self.desks.resize_with(chunk_count.div_ceil(block), Default::default);
        self.desks.iter_mut().flatten().for_each(|desk| desk.resize(CHUNK, Row::ZERO));
        let GrainFields { place, motion, spin, force, torque, moved, material, .. } = &mut **fields;
        let (place, motion, spin) =
            (Disjoint::new(place.write()), Disjoint::new(motion.write()), Disjoint::new(spin.write()));
        let (force, torque) = (&mut force.write()[..count], &mut torque.write()[..count]);
        let moved = &mut moved.write()[..count];
        // SAFETY: contacts of a chunk read its own particles and those it has pairs with. A chunk moves when all that
        // have pairs with it, itself among them, have had their contacts.
        let seen = unsafe {
            Seen {
                place: Rows::beside(&place),
                motion: Rows::beside(&motion),
                spin: Rows::beside(&spin),
                material: material.read(),
            }
        };
        let contacts = Contacts::new(model, walls, &self.planes, self.instructions, step);
        let (gravity, instructions) = (model.settings.gravity, self.instructions);
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
        let ready = &list.ready;
        let data = (
            Strided { data: &mut list.chunks, stride: CHUNK, count },
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
        let chunks = &list.chunks;
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

    fn note_planes(&mut self, walls: &[Wall]) {
        self.planes.clear();
        self.planes.extend(walls.iter().map(Wall::as_plane));
    }
}
