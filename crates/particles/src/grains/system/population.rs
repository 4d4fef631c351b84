//! Grains that come and go between steps.

use std::ops::Range;

use huygens_exec::{Exec, Field};
use huygens_kernel::Vec3;

use super::GrainSystem;
use crate::error::{ParticleError, Result};
use crate::fill::room::Room;
use crate::fill::{SizeTable, look};
use crate::grains::clump::ALONE;
use crate::grains::fields::{Grain, GrainFields};
use crate::grains::list::{CHUNK, INDEX};
use crate::grid::Periodic;
use crate::row::Row;

impl GrainSystem {
    /// Adds grains between steps; their ids.
    ///
    /// Contacts keep what they remember and grains their forces. New grains feel others from the next step on.
    pub fn insert(&mut self, ex: &Exec, grains: &[Grain]) -> Result<Range<u64>> {
        for grain in grains {
            self.check_grain(grain)?;
        }
        let (count, limit) = (self.fields.len() + grains.len(), INDEX as usize);
        if count > limit {
            return Err(ParticleError::TooMany { count, limit });
        }
        let ids = self.ids.take(grains.len());
        if !grains.is_empty() {
            let stay: Vec<u32> = (0..self.fields.len() as u32).collect();
            let new = |fields: &mut GrainFields| {
                grains.iter().zip(ids.clone()).for_each(|(grain, id)| fields.push(grain, id));
            };
            self.exchange(ex, stay, new);
        }
        Ok(ids)
    }

    /// Removes the grains with these ids between steps.
    ///
    /// The ids of the others stay, contacts keep what they remember. The last push of a grain that goes still
    /// counts in the half step that is due.
    pub fn remove(&mut self, ex: &Exec, ids: &[u64]) -> Result<()> {
        let mut gone = ids.to_vec();
        gone.sort_unstable();
        gone.dedup();
        let goes = |id: &u64| gone.binary_search(id).is_ok();
        let ids = self.fields.id.read();
        let known = ex.count(ids.len(), CHUNK, |range| ids[range].iter().filter(|id| goes(id)).count());
        if known < gone.len() {
            let known: Vec<u64> = ids.iter().copied().filter(|id| goes(id)).collect();
            let id = gone.into_iter().find(|id| !known.contains(id)).unwrap_or_default();
            return Err(ParticleError::UnknownGrain { id });
        }
        self.remove_where(ex, |system, i| goes(&system.fields.id.read()[i]));
        Ok(())
    }

    /// Removes grains by their present index, clumps with the first of their spheres; whether there were any.
    pub(crate) fn remove_where(&mut self, ex: &Exec, goes: impl Fn(&Self, usize) -> bool) -> bool {
        let mut gone: Vec<bool> = (0..self.fields.len()).map(|i| goes(self, i)).collect();
        let any = gone.contains(&true);
        if any && !self.clumps.is_empty() {
            self.clumps.remove(self.fields.member.write(), &mut gone);
        }
        let stay: Vec<u32> = (0..self.fields.len() as u32).filter(|i| !gone[*i as usize]).collect();
        if any {
            self.exchange(ex, stay, |_| ());
        }
        any
    }

    /// Keeps the grains `stay` (present indices), has `new` add others at the end, and makes the list again.
    pub(super) fn exchange(&mut self, ex: &Exec, mut stay: Vec<u32>, new: impl FnOnce(&mut GrainFields)) {
        let before = self.fields.len() as u32;
        // Forces stay in the old order until the new one is known.
        let force = std::mem::take(&mut self.fields.force);
        let torque = std::mem::take(&mut self.fields.torque);
        self.fields.select(&stay);
        new(&mut self.fields);
        let added = (self.fields.len() - stay.len()) as u32;
        stay.extend(before..before + added);
        let pushed = [std::mem::take(&mut self.fields.force), std::mem::take(&mut self.fields.torque)];
        if stay.is_empty() {
            self.list.chunks.clear();
            self.fresh = false;
            return;
        }
        (self.fields.force, self.fields.torque) = (force, torque);
        self.fields.force.resize(before as usize, Row::ZERO);
        self.fields.torque.resize(before as usize, Row::ZERO);
        self.fields.force.extend(pushed[0].read().iter().copied());
        self.fields.torque.extend(pushed[1].read().iter().copied());
        self.list.old_index = stay;
        self.relist(ex);
    }

    /// Makes the list again; grains keep their forces, contacts what they remember.
    pub(super) fn relist(&mut self, ex: &Exec) {
        let force = std::mem::take(&mut self.fields.force);
        let torque = std::mem::take(&mut self.fields.torque);
        // The half step that is due pushes walls as it pushes grains.
        let wrenches = self.all_wrenches();
        let pushes = self.list.chunks.iter().flat_map(|chunk| &chunk.walls.pushes).copied().collect();
        self.rebuild(ex);
        let walls = &mut self.list.chunks[0].walls;
        (walls.wrenches, walls.pushes) = (wrenches, pushes);
        let order = &self.list.grid.order;
        let row = |field: &[Row], old: u32| field.get(old as usize).copied().unwrap_or(Row::ZERO);
        let ordered = |field: &[Row]| -> Field<Row> {
            order.iter().map(|old| row(field, *old)).collect::<Vec<_>>().into()
        };
        self.fields.force = ordered(force.read());
        self.fields.torque = ordered(torque.read());
    }

    /// Refuses grains that overlap by more than `share` of the sum of their radii, and names the two by their ids.
    ///
    /// To be asked when all fills are in and before the first step; images over a periodic boundary count.
    pub fn check_no_overlap(&self, share: f64) -> Result<()> {
        self.check_no_overlap_on(&Exec::serial(), share)
    }

    /// The same as [`GrainSystem::check_no_overlap`], which asks whether it is to stop.
    pub fn check_no_overlap_on(&self, ex: &Exec, share: f64) -> Result<()> {
        let place = self.fields.place.read();
        let of = |range: Range<usize>| {
            place[range].iter().fold(None, |all: Option<[Vec3; 3]>, row| {
                let (x, r) = (self.wrapped(row.vector()), row.0[3]);
                let one = [x, x, Vec3::new(r, r, 0.0)];
                Some(all.map_or(one, |all| around(all, one)))
            })
        };
        let all = ex.reduce(place.len(), CHUNK, of, |a, b| a.zip(b).map(|(a, b)| around(a, b)));
        let [low, high, radii] = all.flatten().unwrap_or_default();
        let (least, most) = (radii.x, radii.y);
        if self.is_empty() {
            return Ok(());
        }
        let mut room = Room::new(least, most);
        let mut owner = Vec::new();
        for (i, row) in place.iter().enumerate() {
            look(ex, i)?;
            let (x, r) = (self.wrapped(row.vector()), row.0[3]);
            let together = |at: usize| {
                let clump = self.fields.clump_of(i);
                clump != ALONE && clump == self.fields.clump_of(owner[at])
            };
            if let Some((at, depth)) = room.hit_beyond(x, r, share, together) {
                let (a, b) = (self.fields.id.read()[owner[at]] as usize, self.fields.id.read()[i] as usize);
                return Err(ParticleError::Overlap { a: a.min(b), b: a.max(b), depth });
            }
            images(&self.model.periodic, x, most + r, [low, high], |image| {
                room.add(image, r);
                owner.push(i);
            });
        }
        Ok(())
    }

    /// Acceleration of gravity [m/s²].
    pub fn gravity(&self) -> Vec3 {
        self.model.settings.gravity
    }

    /// Mass [kg] of a grain by its present index, or its share in that of its clump; 0 for one that forces do not
    /// move.
    pub fn mass(&self, i: usize) -> f64 {
        let inverse = self.fields.motion.read()[i].0[3];
        let shared = self.clumps.members(self.fields.clump_of(i));
        if inverse > 0.0 { 1.0 / (inverse * shared) } else { 0.0 }
    }

    /// What takes up room near a box.
    pub(crate) fn room(&self, bounds: [Vec3; 2], sizes: &SizeTable) -> FreeRoom {
        let radii = self.fields.place.read().iter().map(|row| row.0[3]);
        let (mut least, mut most) = (sizes.least(), sizes.most());
        radii.for_each(|r| (least, most) = (least.min(r), most.max(r)));
        let reach = sizes.most();
        let bounds = [bounds[0] - reach, bounds[1] + reach];
        let mut room = FreeRoom { room: Room::new(least, most), bounds, periodic: self.model.periodic };
        for row in self.fields.place.read() {
            room.add(self.wrapped(row.vector()), row.0[3]);
        }
        room
    }

    /// Whether a sphere touches no wall and is on the right side of all.
    pub(crate) fn is_off_walls(&self, x: Vec3, radius: f64) -> bool {
        self.walls.iter().all(|wall| !wall.surface.within(wall.local(x), radius))
    }
}

impl GrainSystem {
    /// A point brought into the periodic box.
    pub(crate) fn wrapped(&self, x: Vec3) -> Vec3 {
        let mut row = Row::new(x, 0.0);
        self.model.periodic.wrap(&mut row);
        row.vector()
    }

    /// Calls `f` for a point and those of its images that are closer than `reach` [m] to a box.
    pub(crate) fn for_each_image(&self, x: Vec3, reach: f64, bounds: [Vec3; 2], f: impl FnMut(Vec3)) {
        images(&self.model.periodic, self.wrapped(x), reach, bounds, f);
    }
}

/// Corners of a box and radii, the least first, that hold those of both.
fn around([low, high, radii]: [Vec3; 3], [other_low, other_high, others]: [Vec3; 3]) -> [Vec3; 3] {
    let radii = Vec3::new(radii.x.min(others.x), radii.y.max(others.y), 0.0);
    [low.min(other_low), high.max(other_high), radii]
}

fn images(periodic: &Periodic, x: Vec3, reach: f64, [low, high]: [Vec3; 2], mut f: impl FnMut(Vec3)) {
    let shifts = periodic.axes.map(|axis| axis.map_or([0.0; 3], |[_, length]| [0.0, -length, length]));
    let count = periodic.axes.map(|axis| if axis.is_some() { 3 } else { 1 });
    for i in 0..count[0] {
        for j in 0..count[1] {
            for k in 0..count[2] {
                let image = x + Vec3::new(shifts[0][i], shifts[1][j], shifts[2][k]);
                if (image.cmpge(low - reach) & image.cmple(high + reach)).all() {
                    f(image);
                }
            }
        }
    }
}

/// Spheres near a box, with their images.
#[derive(Clone, Debug)]
pub(crate) struct FreeRoom {
    room: Room,
    bounds: [Vec3; 2],
    periodic: Periodic,
}

impl FreeRoom {
    /// Whether a sphere inside the box touches none.
    pub fn is_free(&self, x: Vec3, radius: f64) -> bool {
        self.room.hit(x, radius, 0.0).is_none()
    }

    pub fn add(&mut self, x: Vec3, radius: f64) {
        let room = &mut self.room;
        images(&self.periodic, x, radius, self.bounds, |image| room.add(image, radius));
    }
}
