//! Which walls are near which grains, and what their contacts remember.

use huygens_kernel::Vec3;

use crate::grains::walls::finder::WallFinder;
use crate::in_place::clone_in_place;
use crate::row::Row;
use crate::walls::mesh::Feet;
use crate::walls::surface::{Foot, Surface};
use crate::walls::wall::Wall;

/// Least cosine of the angle between the normals of a contact before and after it went over to a neighbouring
/// part of its surface: some 25°.
const CARRIED: f32 = 0.9;

/// A wall near a grain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Grain, counted from the start of the chunk.
    pub item: u32,
    pub wall: u32,
    /// Place of the wall among those that are near the chunk.
    pub place: u32,
    /// End of its triangles; they start where those of the one before end.
    end: u32,
}

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    /// Grain, counted from the start of the chunk.
    pub item: u32,
    pub wall: u32,
    /// Part of the surface.
    pub feature: u32,
    /// From the wall to the grain, in the axes of the wall (a plane's: of the world).
    pub normal: [f32; 3],
    /// Overlap [m].
    pub depth: f64,
    /// Effective radius [m].
    pub radius: f64,
}

impl Known {
    fn new(near: Near, foot: &Foot, r: f64) -> Self {
        let Vec3 { x, y, z } = foot.near.normal;
        Self {
            item: near.item,
            wall: near.wall,
            feature: foot.feature,
            normal: [x as f32, y as f32, z as f32],
            depth: r - foot.near.distance,
            radius: foot.near.effective_radius(r),
        }
    }

    pub fn of(&self) -> (u32, u32) {
        (self.item, self.wall)
    }
}

/// Walls and the grains of a chunk.
#[derive(Debug, Default)]
pub(crate) struct WallChunk {
    /// Walls near grains, by grain and wall.
    pub near: Vec<Near>,
    triangles: Vec<u32>,
    /// Contacts, by grain and wall.
    pub known: Vec<Known>,
    /// Memory of the contacts.
    pub history: Vec<Row>,
    /// Forces on walls and torques about their origins.
    pub wrenches: Wrenches,
    /// Forces on vertices of walls that deform, three a contact in their order.
    pub pushes: Vec<VertexPush>,
    /// Room for contacts of one grain.
    pub feet: Feet,
    /// Contacts of the step before, and which of them the feet of a grain go on from.
    before: Vec<Known>,
    before_history: Vec<Row>,
    claims: Vec<Option<usize>>,
    /// Walls near grains of the chunk, rising; where they are few, those near the chunk.
    pub active: Vec<u32>,
    /// Walls near one grain.
    around: Vec<u32>,
}

/// A force on a vertex of a wall that deforms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VertexPush {
    pub wall: u32,
    pub vertex: u32,
    /// Force [N].
    pub force: Vec3,
}

/// What the contacts of a chunk do to the walls they touch: as many as are touched, however many there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wrenches {
    /// Walls that are touched, rising.
    pub walls: Vec<u32>,
    /// Force on [N] and torque about the origin [N·m] of each of them.
    pub rows: Vec<[Row; 2]>,
    /// Place in the two of each wall near the chunk.
    slots: Vec<u32>,
    /// Room to sort them.
    sorted: (Vec<u32>, Vec<[Row; 2]>),
}

/// Marks a wall that is not touched.
const UNTOUCHED: u32 = u32::MAX;

impl Wrenches {
    /// No wall is touched.
    pub fn clear(&mut self) {
        self.walls.clear();
        self.rows.clear();
    }

    /// Starts a step with `count` walls near the chunk.
    #[inline(always)]
    pub fn start(&mut self, count: usize) {
        self.clear();
        self.slots.clear();
        self.slots.resize(count, UNTOUCHED);
    }

    /// Where the wrench is summed of the wall `wall`, which is number `place` of those near the chunk.
    #[inline(always)]
    pub fn slot(&mut self, place: usize, wall: usize) -> usize {
        if self.slots[place] == UNTOUCHED {
            self.slots[place] = self.walls.len() as u32;
            self.walls.push(wall as u32);
            self.rows.push([Row::ZERO; 2]);
        }
        self.slots[place] as usize
    }

    /// Ends a step: brings walls into their order.
    pub fn finish(&mut self) {
        if self.walls.is_sorted() {
            return;
        }
        let (walls, rows) = &mut self.sorted;
        walls.clear();
        rows.clear();
        for slot in self.slots.iter().filter(|slot| **slot != UNTOUCHED) {
            walls.push(self.walls[*slot as usize]);
            rows.push(self.rows[*slot as usize]);
        }
        std::mem::swap(walls, &mut self.walls);
        std::mem::swap(rows, &mut self.rows);
    }

    /// Force on and torque about the origin of a wall, where it is touched.
    pub fn get(&self, wall: usize) -> Option<&[Row; 2]> {
        self.walls.binary_search(&(wall as u32)).ok().map(|at| &self.rows[at])
    }

    /// Walls that are touched and their wrenches.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[Row; 2])> {
        self.walls.iter().map(|wall| *wall as usize).zip(&self.rows)
    }

    fn bytes(&self) -> usize {
        4 * (self.walls.capacity() + self.slots.capacity() + self.sorted.0.capacity())
            + size_of::<[Row; 2]>() * (self.rows.capacity() + self.sorted.1.capacity())
    }
}

/// Walls, where they are, and the distance of surfaces [m] up to which they are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallSearch<'a> {
    pub walls: &'a [Wall],
    pub finder: &'a WallFinder,
    pub reach: f64,
}

clone_in_place!(WallChunk {
    around,
    pushes,
    near,
    triangles,
    known,
    history,
    wrenches,
    feet,
    before,
    before_history,
    claims,
    active
});

/// Contacts put aside while the list is rebuilt.
pub(crate) type KeptWalls = (Vec<Known>, Vec<Row>);

impl WallChunk {
    /// Finds the walls whose surfaces are near those of the grains of a chunk.
    pub fn fill(
        &mut self,
        WallSearch { walls, finder, reach }: WallSearch<'_>,
        place: &[Row],
        motion: &[Row],
    ) {
        self.near.clear();
        self.triangles.clear();
        self.release();
        let Some((centre, radius)) = ball(place) else { return };
        let close = |wall: &Wall| wall.surface.within(wall.local(centre), radius + reach);
        self.active.clear();
        self.active.extend(finder.everywhere().iter().filter(|wall| close(&walls[**wall as usize])));
        let many = finder.any_of_tree(centre, radius + reach);
        for (item, (row, motion)) in (0..).zip(place.iter().zip(motion)) {
            let reach = row.0[3] + reach;
            let candidates = if many {
                self.around.clear();
                self.around.extend_from_slice(&self.active);
                finder.collect(row.vector(), reach, &mut self.around);
                self.around.sort_unstable();
                &self.around
            } else {
                &self.active
            };
            for (place, &w) in (0..).zip(candidates) {
                let wall = &walls[w as usize];
                // Two that forces do not move have nothing to say to each other.
                if motion.0[3] == 0.0 && !wall.yields() {
                    continue;
                }
                let (x, found) = (wall.local(row.vector()), self.triangles.len());
                let near = match &wall.surface {
                    Surface::Mesh(mesh) => {
                        mesh.collect_within(x, reach, &mut self.triangles);
                        self.triangles.len() > found
                    }
                    Surface::Facets(facets) => {
                        facets.collect_within(x, reach, &mut self.triangles);
                        self.triangles.len() > found
                    }
                    surface => surface.within(x, reach),
                };
                if near {
                    self.near.push(Near { item, wall: w, place, end: self.triangles.len() as u32 });
                }
            }
        }
        if many {
            self.number_walls();
        }
    }

    /// Numbers the walls that are near grains of the chunk.
    fn number_walls(&mut self) {
        self.active.clear();
        self.active.extend(self.near.iter().map(|near| near.wall));
        self.active.sort_unstable();
        self.active.dedup();
        for near in &mut self.near {
            near.place = self.active.partition_point(|wall| *wall < near.wall) as u32;
        }
    }

    /// No wall is touched any more.
    pub fn release(&mut self) {
        self.wrenches.clear();
        self.pushes.clear();
    }

    /// Triangles of entry `p` of the list.
    pub fn triangles(&self, p: usize) -> &[u32] {
        let start = if p == 0 { 0 } else { self.near[p - 1].end };
        &self.triangles[start as usize..self.near[p].end as usize]
    }

    /// Starts a step: the contacts become those of the step before.
    pub fn start(&mut self) {
        std::mem::swap(&mut self.known, &mut self.before);
        std::mem::swap(&mut self.history, &mut self.before_history);
        self.known.clear();
        self.history.clear();
    }

    /// Adds the contacts of a grain of radius `r` and a wall in this step, with the memory of those they go on from; contacts
    /// of the step before are taken from `cursor` on. The number of the first contact.
    pub fn carry_on(&mut self, near: Near, r: f64, feet: &[Foot], cursor: &mut usize, width: usize) -> usize {
        let key = (near.item, near.wall);
        while self.before.get(*cursor).is_some_and(|known| known.of() < key) {
            *cursor += 1;
        }
        let start = *cursor;
        while self.before.get(*cursor).is_some_and(|known| known.of() == key) {
            *cursor += 1;
        }
        let old = start..*cursor;
        let first = self.known.len();
        // The usual cases: nothing, or one contact that stays where it was.
        match (feet, &self.before[old.clone()]) {
            ([], _) => return first,
            ([foot], [known]) if known.feature == foot.feature => {
                self.known.push(Known::new(near, foot, r));
                let rows = &self.before_history[start * width..(start + 1) * width];
                self.history.extend_from_slice(rows);
                return first;
            }
            _ => {}
        }
        self.claims.clear();
        self.claims
            .extend(feet.iter().map(|foot| old.clone().find(|k| self.before[*k].feature == foot.feature)));
        for (at, foot) in feet.iter().enumerate() {
            let new = Known::new(near, foot, r);
            if self.claims[at].is_none() && !old.is_empty() {
                self.claims[at] = self.neighbour(old.clone(), new.normal);
            }
            self.known.push(new);
            match self.claims[at] {
                Some(k) => {
                    self.history.extend_from_slice(&self.before_history[k * width..(k + 1) * width]);
                }
                None => self.history.resize(self.history.len() + width, Row::ZERO),
            }
        }
        first
    }

    /// The contact among `old` that no foot goes on from yet and whose normal is nearest to `normal`.
    fn neighbour(&self, old: std::ops::Range<usize>, normal: [f32; 3]) -> Option<usize> {
        let mut best = (CARRIED, None);
        for k in old {
            let n = self.before[k].normal;
            let cosine = n[0] * normal[0] + n[1] * normal[1] + n[2] * normal[2];
            if cosine > best.0 && !self.claims.contains(&Some(k)) {
                best = (cosine, Some(k));
            }
        }
        best.1
    }

    /// Puts the contacts aside.
    pub fn take_kept(&mut self) -> KeptWalls {
        self.start();
        (std::mem::take(&mut self.before), std::mem::take(&mut self.before_history))
    }

    /// Takes contacts back; `old` are the old indices of the grains, `kept` what the chunks of `chunk` grains put
    /// aside.
    pub fn recall<'a>(
        &mut self,
        old: &[u32],
        kept: impl Fn(usize) -> Option<&'a KeptWalls>,
        chunk: usize,
        width: usize,
    ) {
        self.known.clear();
        self.history.clear();
        for near in &self.near {
            let from = old[near.item as usize] as usize;
            let Some((known, rows)) = kept(from / chunk) else { continue };
            let key = ((from % chunk) as u32, near.wall);
            let start = known.partition_point(|known| known.of() < key);
            for at in start..known.len() {
                if known[at].of() != key {
                    break;
                }
                self.known.push(Known { item: near.item, ..known[at] });
                self.history.extend_from_slice(&rows[at * width..(at + 1) * width]);
            }
        }
    }

    /// Gives the room of contacts put aside back.
    pub fn give_kept(&mut self, (known, rows): KeptWalls) {
        (self.before, self.before_history) = (known, rows);
    }

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Near>() * self.near.capacity()
            + 4 * self.triangles.capacity()
            + size_of::<Known>() * (self.known.capacity() + self.before.capacity())
            + 32 * (self.history.capacity() + self.before_history.capacity())
            + 4 * (self.active.capacity() + self.around.capacity())
            + self.wrenches.bytes()
            + size_of::<VertexPush>() * self.pushes.capacity()
    }
}

/// A ball that holds all grains: centre and radius [m].
fn ball(place: &[Row]) -> Option<(Vec3, f64)> {
    let first = place.first()?.vector();
    let (mut low, mut high, mut largest) = (first, first, 0.0_f64);
    for row in place {
        (low, high) = (low.min(row.vector()), high.max(row.vector()));
        largest = largest.max(row.0[3]);
    }
    Some((0.5 * (low + high), 0.5 * low.distance(high) + largest))
}
