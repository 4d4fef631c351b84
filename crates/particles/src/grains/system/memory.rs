//! What contacts remember, by the ids of those who touch: grains take it along when they go elsewhere.
//!
//! In the list, memory belongs to a place. Here it belongs to a pair of ids, or to a grain and a wall, seen from one of
//! the two: the same numbers go into any list that has the pair.

use huygens_exec::Exec;

use super::GrainSystem;
use crate::error::{ParticleError, Result};
use crate::grains::clump::ALONE;
use crate::grains::fields::GrainFields;
use crate::grains::list::{CHUNK, INDEX, TOUCHING};
use crate::grains::walls::list::Known;
use crate::row::Row;

/// What one contact remembers, seen from a grain: springs of sliding, rolling and spinning, and the impact.
///
/// It means something to laws of the same kinds only.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMemory {
    rows: Vec<Row>,
}

/// What the contacts of a grain remember.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainMemory {
    /// Its id.
    pub id: u64,
    /// Grains that it touches by their ids, rising, with what the contact remembers, as seen from this grain.
    pub grains: Vec<(u64, ContactMemory)>,
    walls: Vec<(Known, ContactMemory)>,
}

impl GrainMemory {
    /// Walls that the grain touches by their indices, rising, with what each contact remembers.
    pub fn walls(&self) -> impl Iterator<Item = (usize, &ContactMemory)> {
        self.walls.iter().map(|(known, memory)| (known.wall as usize, memory))
    }
}

/// A grain between two systems, or on its way back: motion, forces of the last step, and memory of its contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainParcel {
    place: Row,
    motion: Row,
    spin: Row,
    force: Row,
    torque: Row,
    material: u8,
    /// Whether the forces belong to the position.
    fresh: bool,
    memory: GrainMemory,
}

impl GrainParcel {
    /// Id of the grain.
    pub fn id(&self) -> u64 {
        self.memory.id
    }

    /// Centre and radius [m].
    pub fn place(&self) -> Row {
        self.place
    }

    /// What its contacts remember.
    pub fn memory(&self) -> &GrainMemory {
        &self.memory
    }
}

/// Marks a grain that is not asked for.
const NONE: u32 = u32::MAX;

impl GrainSystem {
    /// Present indices of grains, in the order of the ids asked for.
    fn indices_of(&self, ex: &Exec, ids: &[u64]) -> Result<Vec<usize>> {
        let found = self.find_ids(ex, ids);
        let missing = |(at, id): (Option<usize>, &u64)| at.ok_or(ParticleError::UnknownGrain { id: *id });
        found.into_iter().zip(ids).map(missing).collect()
    }

    /// The same, where they are here.
    fn find_ids(&self, ex: &Exec, ids: &[u64]) -> Vec<Option<usize>> {
        let mut wanted: Vec<(u64, usize)> = ids.iter().copied().zip(0..).collect();
        wanted.sort_unstable();
        let present = self.fields.id.read();
        let of = |range: std::ops::Range<usize>| -> Vec<(usize, usize)> {
            let mut found = Vec::new();
            for i in range {
                let first = wanted.partition_point(|(id, _)| *id < present[i]);
                let same = wanted[first..].iter().take_while(|(id, _)| *id == present[i]);
                found.extend(same.map(|(_, k)| (*k, i)));
            }
            found
        };
        let found = ex.reduce(present.len(), CHUNK, of, |mut a, mut b| {
            a.append(&mut b);
            a
        });
        let mut out = vec![None; ids.len()];
        found.unwrap_or_default().into_iter().for_each(|(k, i)| out[k] = Some(i));
        out
    }

    /// What the contacts of grains remember, in the order of the ids.
    pub fn contact_memory(&self, ex: &Exec, ids: &[u64]) -> Result<Vec<GrainMemory>> {
        let indices = self.indices_of(ex, ids)?;
        Ok(self.memory_of(&indices))
    }

    fn memory_of(&self, indices: &[usize]) -> Vec<GrainMemory> {
        let (id, layout) = (self.fields.id.read(), self.model.laws.layout);
        let mut out: Vec<GrainMemory> = indices
            .iter()
            .map(|i| GrainMemory { id: id[*i], grains: Vec::new(), walls: Vec::new() })
            .collect();
        let mut slot = vec![NONE; self.fields.len()];
        indices.iter().zip(0..).for_each(|(i, k)| slot[*i] = k);
        self.for_each_touching(|i, j, rows| {
            if slot[i] != NONE {
                out[slot[i] as usize].grains.push((id[j], ContactMemory { rows: rows.to_vec() }));
            }
            if slot[j] != NONE {
                let mut rows = rows.to_vec();
                layout.turn_round(&mut rows);
                out[slot[j] as usize].grains.push((id[i], ContactMemory { rows }));
            }
        });
        let width = layout.width();
        for (c, chunk) in self.list.chunks.iter().enumerate() {
            let rows = chunk.walls.history.chunks_exact(width);
            for (known, rows) in chunk.walls.known.iter().zip(rows) {
                let slot = slot[c * CHUNK + known.item as usize];
                if slot != NONE {
                    // Where the grain stood in the list is no matter of the pair.
                    let known = Known { item: 0, ..*known };
                    out[slot as usize].walls.push((known, ContactMemory { rows: rows.to_vec() }));
                }
            }
        }
        out.iter_mut().for_each(|memory| memory.grains.sort_by_key(|(other, _)| *other));
        out
    }

    /// Has contacts remember what they did elsewhere, between steps; the number of contacts that were found.
    ///
    /// A contact with a grain that is not here or not near is left out: it starts as a new one. A pair is told once, by
    /// either of the two or by both.
    pub fn set_contact_memory(&mut self, ex: &Exec, memory: &[GrainMemory]) -> Result<usize> {
        memory.iter().try_for_each(|memory| self.check_memory(memory))?;
        let own: Vec<u64> = memory.iter().map(|m| m.id).collect();
        let mut indices = self.indices_of(ex, &own)?;
        if !self.listed && !self.is_empty() {
            self.relist(ex);
            indices = self.indices_of(ex, &own)?;
        }
        let others: Vec<u64> = memory.iter().flat_map(|m| &m.grains).map(|(other, _)| *other).collect();
        let mut others = self.find_ids(ex, &others).into_iter();
        let mut found = 0;
        for (memory, i) in memory.iter().zip(indices) {
            for ((_, contact), j) in memory.grains.iter().zip(others.by_ref()) {
                found += usize::from(j.is_some_and(|j| self.remember(i, j, contact)));
            }
            found += self.remember_walls(i, &memory.walls);
        }
        Ok(found)
    }

    /// Refuses memory that laws and walls here cannot have.
    fn check_memory(&self, GrainMemory { id, grains, walls }: &GrainMemory) -> Result<()> {
        let (expected, count) = (self.model.laws.layout.width(), self.walls.len());
        let rows = grains.iter().map(|(_, m)| m).chain(walls.iter().map(|(_, m)| m));
        if let Some(found) = rows.map(|m| m.rows.len()).find(|n| *n != expected) {
            return Err(ParticleError::ContactMemory { id: *id, found, expected });
        }
        let mut indices = walls.iter().map(|(known, _)| known.wall as usize);
        match indices.find(|index| *index >= count) {
            Some(index) => Err(ParticleError::UnknownWall { index, count }),
            None => Ok(()),
        }
    }

    /// Has the pair of two grains remember something, as seen from the first; whether the list has it.
    fn remember(&mut self, i: usize, j: usize, memory: &ContactMemory) -> bool {
        let layout = self.model.laws.layout;
        let width = layout.width();
        for (one, other, turned) in [(i, j, false), (j, i, true)] {
            let chunk = &mut self.list.chunks[one / CHUNK];
            let item = one % CHUNK;
            let pairs = chunk.starts[item] as usize..chunk.starts[item + 1] as usize;
            let at = pairs.into_iter().find(|p| (chunk.other[*p] & INDEX) as usize == other);
            if let Some(at) = at {
                let rows = &mut chunk.history[at * width..(at + 1) * width];
                rows.copy_from_slice(&memory.rows);
                if turned {
                    layout.turn_round(rows);
                }
                chunk.other[at] |= TOUCHING;
                return true;
            }
        }
        false
    }

    /// Has a grain remember its contacts with walls; how many of the walls are near.
    fn remember_walls(&mut self, i: usize, memory: &[(Known, ContactMemory)]) -> usize {
        let width = self.model.laws.layout.width();
        let (walls, item) = (&mut self.list.chunks[i / CHUNK].walls, (i % CHUNK) as u32);
        let first = walls.known.partition_point(|known| known.item < item);
        let end = walls.known.partition_point(|known| known.item <= item);
        let is_near = |known: &Known| walls.near.iter().any(|n| (n.item, n.wall) == (item, known.wall));
        let near: Vec<_> = memory.iter().filter(|(known, _)| is_near(known)).collect();
        walls.known.splice(first..end, near.iter().map(|(known, _)| Known { item, ..*known }));
        let rows = near.iter().flat_map(|(_, memory)| memory.rows.iter().copied());
        walls.history.splice(first * width..end * width, rows);
        near.len()
    }

    /// Takes grains out between steps, with their forces and what their contacts remember.
    ///
    /// Spheres of clumps are refused. [`put_in`](Self::put_in) puts them back, here or into another system with the same
    /// laws, materials and walls. What follows is then the same but for the order in which forces are summed, which is that
    /// of a new list.
    pub fn take_out(&mut self, ex: &Exec, ids: &[u64]) -> Result<Vec<GrainParcel>> {
        let indices = self.indices_of(ex, ids)?;
        if let Some(i) = indices.iter().find(|i| self.fields.clump_of(**i) != ALONE) {
            return Err(ParticleError::PartOfClump { id: self.fields.id.read()[*i] });
        }
        let (fields, fresh) = (&self.fields, self.fresh);
        let parcel = |(i, memory): (usize, GrainMemory)| GrainParcel {
            place: fields.place.read()[i],
            motion: fields.motion.read()[i],
            spin: fields.spin.read()[i],
            force: fields.force.read()[i],
            torque: fields.torque.read()[i],
            material: fields.material.read()[i],
            fresh,
            memory,
        };
        let memory = self.memory_of(&indices);
        let parcels = indices.into_iter().zip(memory).map(parcel).collect();
        self.remove(ex, ids)?;
        Ok(parcels)
    }

    /// Puts grains in between steps, with their ids, their forces and what their contacts remember.
    pub fn put_in(&mut self, ex: &Exec, parcels: &[GrainParcel]) -> Result<()> {
        let mut ids: Vec<u64> = parcels.iter().map(GrainParcel::id).collect();
        let here = self.find_ids(ex, &ids).into_iter().position(|at| at.is_some()).map(|k| ids[k]);
        ids.sort_unstable();
        let twice = ids.windows(2).find(|two| two[0] == two[1]).map(|two| two[0]);
        if let Some(id) = here.or(twice) {
            return Err(ParticleError::KnownGrain { id });
        }
        let (count, limit) = (self.fields.len() + parcels.len(), INDEX as usize);
        if count > limit {
            return Err(ParticleError::TooMany { count, limit });
        }
        let materials = self.model.settings.materials.len();
        for GrainParcel { material, place, memory, .. } in parcels {
            let index = usize::from(*material);
            if index >= materials {
                let what = "a grain".into();
                return Err(ParticleError::UnknownMaterial { what, index, count: materials });
            }
            self.check_width(place.0[3], self.model.near.map_or(0.0, |near| near.range))?;
            self.model.refused[index].clone().map_or(Ok(()), Err)?;
            self.check_memory(memory)?;
        }
        if parcels.is_empty() {
            return Ok(());
        }
        self.fresh = (self.fresh || self.is_empty()) && parcels.iter().all(|parcel| parcel.fresh);
        let stay: Vec<u32> = (0..self.fields.len() as u32).collect();
        self.exchange(ex, stay, |fields| parcels.iter().for_each(|parcel| fields.push_parcel(parcel)));
        ids.iter().for_each(|id| self.ids.note(*id));
        let memory: Vec<GrainMemory> = parcels.iter().map(|parcel| parcel.memory.clone()).collect();
        self.set_contact_memory(ex, &memory).map(|_| ())
    }
}

impl GrainFields {
    fn push_parcel(&mut self, parcel: &GrainParcel) {
        self.place.push(parcel.place);
        self.motion.push(parcel.motion);
        self.spin.push(parcel.spin);
        self.force.push(parcel.force);
        self.torque.push(parcel.torque);
        self.moved.push([0.0; 3]);
        self.id.push(parcel.memory.id);
        self.material.push(parcel.material);
        if !self.member.is_empty() {
            self.member.push([ALONE, 0]);
        }
    }
}
