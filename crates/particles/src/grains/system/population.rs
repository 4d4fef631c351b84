//! Grains that come and go between steps.

use std::ops::Range;

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::GrainSystem;
use crate::error::{ParticleError, Result};
use crate::fill::room::Room;
use crate::fill::{SizeTable, look};
use crate::grains::clump::ALONE;
use crate::grains::fields::Grain;
use crate::grains::list::INDEX;
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
        let first = self.next_id;
        self.next_id += grains.len() as u64;
        if !grains.is_empty() {
            let stay: Vec<u32> = (0..self.fields.len() as u32).collect();
            self.exchange(ex, stay, grains, first);
        }
        Ok(first..self.next_id)
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
        if self.fields.id.iter().filter(|id| goes(id)).count() < gone.len() {
            let known: Vec<u64> = self.fields.id.iter().copied().filter(|id| goes(id)).collect();
            let id = gone.into_iter().find(|id| !known.contains(id)).unwrap_or_default();
            return Err(ParticleError::UnknownGrain { id });
        }
        self.remove_where(ex, |system, i| goes(&system.fields.id[i]));
        Ok(())
    }

    /// Removes grains by their present index, clumps with the first of their spheres; whether there were any.
    pub(crate) fn remove_where(&mut self, ex: &Exec, goes: impl Fn(&Self, usize) -> bool) -> bool {
        let mut gone: Vec<bool> = (0..self.fields.len()).map(|i| goes(self, i)).collect();
        let any = gone.contains(&true);
        if any && !self.clumps.is_empty() {
            self.clumps.remove(&mut self.fields.member, &mut gone);
        }
        let stay: Vec<u32> = (0..self.fields.len() as u32).filter(|i| !gone[*i as usize]).collect();
        if any {
            self.exchange(ex, stay, &[], 0);
        }
        any
    }

    /// Keeps the grains `stay` (present indices), adds others from the id `first` on, and makes the list anew.
    fn exchange(&mut self, ex: &Exec, mut stay: Vec<u32>, grains: &[Grain], first: u64) {
        let before = self.fields.len() as u32;
        let force = std::mem::take(&mut self.fields.force);
        let torque = std::mem::take(&mut self.fields.torque);
        self.fields.select(&stay);
        for (k, grain) in grains.iter().enumerate() {
            self.fields.push(grain, first + k as u64);
            stay.push(before + k as u32);
        }
        if stay.is_empty() {
            self.fields.force.clear();
            self.fields.torque.clear();
            self.list.chunks.clear();
            self.fresh = false;
            return;
        }
        (self.fields.force, self.fields.torque) = (force, torque);
        self.list.old_index = stay;
        self.relist(ex);
    }

    /// Makes the list anew; grains keep their forces, contacts what they remember.
    pub(super) fn relist(&mut self, ex: &Exec) {
        let force = std::mem::take(&mut self.fields.force);
        let torque = std::mem::take(&mut self.fields.torque);
        // The half step that is due pushes walls as it pushes grains.
        let wrenches = self.all_wrenches();
        let pushes = self.list.chunks.iter().flat_map(|chunk| &chunk.walls.pushes).copied().collect();
        self.rebuild(ex);
        let walls = &mut self.list.chunks[0].walls;
        (walls.wrenches, walls.pushes) = (wrenches, pushes);
        let row = |field: &[Row], old: u32| field.get(old as usize).copied().unwrap_or(Row::ZERO);
        self.fields.force = self.list.grid.order.iter().map(|old| row(&force, *old)).collect();
        self.fields.torque = self.list.grid.order.iter().map(|old| row(&torque, *old)).collect();
    }

    /// Refuses grains that overlap by more than `share` of the sum of their radii, and names the two by their ids.
    ///
    /// To be asked when all fills are in and before the first step; images over a boundary that repeats count.
    pub fn check_no_overlap(&self, share: f64) -> Result<()> {
        self.check_no_overlap_on(&Exec::serial(), share)
    }

    /// The same as [`GrainSystem::check_no_overlap`], which asks whether it is to stop.
    pub fn check_no_overlap_on(&self, ex: &Exec, share: f64) -> Result<()> {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for row in &self.fields.place {
            let x = self.wrapped(row.vector());
            (least, most) = (least.min(row.0[3]), most.max(row.0[3]));
            (low, high) = (low.min(x), high.max(x));
        }
        if self.is_empty() {
            return Ok(());
        }
        let mut room = Room::new(least, most);
        let mut owner = Vec::new();
        for (i, row) in self.fields.place.iter().enumerate() {
            look(ex, i)?;
            let (x, r) = (self.wrapped(row.vector()), row.0[3]);
            let together = |at: usize| {
                let clump = |i: usize| self.fields.member.get(i).map_or(ALONE, |[clump, _]| *clump);
                clump(i) != ALONE && clump(i) == clump(owner[at])
            };
            if let Some((at, depth)) = room.hit_beyond(x, r, share, together) {
                let (a, b) = (self.fields.id[owner[at]] as usize, self.fields.id[i] as usize);
                return Err(ParticleError::Overlap { a: a.min(b), b: a.max(b), depth });
            }
            images(&self.periodic, x, most + r, [low, high], |image| {
                room.add(image, r);
                owner.push(i);
            });
        }
        Ok(())
    }

    /// Acceleration of gravity [m/s²].
    pub fn gravity(&self) -> Vec3 {
        self.settings.gravity
    }

    /// Mass [kg] of a grain by its present index, or its share in that of its clump; 0 for one that forces do not
    /// move.
    pub fn mass(&self, i: usize) -> f64 {
        let inverse = self.fields.motion[i].0[3];
        let shared = self.fields.member.get(i).map_or(1.0, |[clump, _]| self.clumps.members(*clump));
        if inverse > 0.0 { 1.0 / (inverse * shared) } else { 0.0 }
    }

    /// What takes up room near a box.
    pub(crate) fn room(&self, bounds: [Vec3; 2], sizes: &SizeTable) -> FreeRoom {
        let radii = self.fields.place.iter().map(|row| row.0[3]);
        let (mut least, mut most) = (sizes.least(), sizes.most());
        radii.for_each(|r| (least, most) = (least.min(r), most.max(r)));
        let reach = sizes.most();
        let bounds = [bounds[0] - reach, bounds[1] + reach];
        let mut room = FreeRoom { room: Room::new(least, most), bounds, periodic: self.periodic };
        for row in &self.fields.place {
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
    /// A point brought into the box that repeats.
    pub(crate) fn wrapped(&self, x: Vec3) -> Vec3 {
        let mut row = Row::new(x, 0.0);
        self.periodic.wrap(&mut row);
        row.vector()
    }

    /// Calls `f` for a point and those of its images that are nearer than `reach` [m] to a box.
    pub(crate) fn for_each_image(&self, x: Vec3, reach: f64, bounds: [Vec3; 2], f: impl FnMut(Vec3)) {
        images(&self.periodic, self.wrapped(x), reach, bounds, f);
    }
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
