//! Walls of a system: how they move, and what the grains do to them.

pub(crate) mod contacts;
mod facets;
pub(crate) mod finder;
pub(crate) mod list;
mod state;

use huygens_exec::Exec;
use huygens_kernel::{Quat, Vec3};

use crate::error::{ParticleError, Result};
use crate::grains::list::CHUNK;
use crate::grains::loops::GrainExtremes;
use crate::grains::system::GrainSystem;
use crate::grains::walls::finder::WallFinder;
use crate::grains::walls::list::{VertexPush, WallSearch, Wrenches};
use crate::row::Row;
use crate::walls::drive::WallDrive;
use crate::walls::surface::Surface;
use crate::walls::wall::{Wall, WallMotion};

/// Way [share of the smallest radius] that walls may go before the list of near walls is rebuilt.
const WAY: f64 = 0.25;

/// A contact of a grain with a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallContact {
    /// Id of the grain.
    pub grain: u64,
    /// Index of the wall.
    pub wall: usize,
    /// From the wall to the grain, world axes; single precision.
    pub normal: Vec3,
    /// Overlap [m].
    pub depth: f64,
    /// Effective radius [m].
    pub effective_radius: f64,
}

/// What a system knows of its walls beyond what they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallStates {
    pub items: Vec<WallState>,
    /// Finds walls by place.
    pub finder: WallFinder,
    /// Corners [m] of a box that held all grains when the list was made.
    bounds: [Vec3; 2],
    /// Distance [m] up to which walls are in the list.
    reach: f64,
    /// Way [m] that walls may go before the list is rebuilt.
    way: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct WallState {
    /// Where its drive starts from, and the time [s] of that.
    pub rest: WallMotion,
    pub since: f64,
    /// What the grains gave it since it was last taken [N·s], [N·m·s].
    pub impulse: [Vec3; 2],
    /// What the grains gave the vertices of one that deforms since they were last taken [N·s].
    pub vertex_impulses: Vec<Vec3>,
    /// What it did to the grains since it was added [J].
    pub work: f64,
    /// Room for sums over chunks.
    wrench: [Vec3; 2],
    /// Where it was when the list was made.
    listed: (Vec3, Quat),
}

impl WallStates {
    /// Notes where walls and grains are when the list is made.
    pub fn note(&mut self, walls: &mut [Wall], grains: &GrainExtremes, skin: f64) {
        let least = grains.least_radius;
        // Grains may go twice half the skin while their own list stands, walls their way.
        self.reach = skin + WAY * least;
        self.way = 0.98 * WAY * least;
        self.bounds = grains.bounds;
        self.note_walls(walls);
    }

    /// Which walls are to be in the list.
    pub fn search<'a>(&'a self, walls: &'a [Wall]) -> WallSearch<'a> {
        WallSearch { walls, finder: &self.finder, reach: self.reach }
    }

    fn note_walls(&mut self, walls: &mut [Wall]) {
        for (state, wall) in self.items.iter_mut().zip(&mut *walls) {
            state.listed = (wall.motion.position, wall.motion.rotation);
            if let Surface::Facets(facets) = &mut wall.surface {
                facets.fit();
            }
        }
        self.finder.update(walls);
    }

    /// Whether a surface may be nearer to some grain by more than its way than when the list was made.
    fn is_outdated(&self, walls: &[Wall]) -> bool {
        self.items.iter().zip(walls).any(|(state, wall)| self.way_of(wall, state) > self.way)
    }

    /// Farthest way [m] of a point of the surface since the list was made, as far as it matters.
    fn way_of(&self, wall: &Wall, state: &WallState) -> f64 {
        if let Surface::Facets(facets) = &wall.surface {
            return facets.way();
        }
        let motion = &wall.motion;
        let (position, rotation) = state.listed;
        let shift = motion.position - position;
        if shift == Vec3::ZERO && motion.rotation == rotation {
            return 0.0;
        }
        let (axis, before) = (motion.rotation * Vec3::Z, rotation * Vec3::Z);
        match &wall.surface {
            Surface::Sphere { .. } => shift.length(),
            Surface::Plane => {
                let [low, high] = self.bounds;
                let far = (low - position).abs().max((high - position).abs()).length();
                // A plane that slides in itself stays where it is.
                (axis - before).length() * far + axis.dot(shift).abs()
            }
            surface if surface.is_round() => shift.length() + (axis - before).length() * surface.extent(),
            surface => {
                let turn = motion.rotation * rotation.conjugate();
                shift.length() + 2.0 * Vec3::new(turn.x, turn.y, turn.z).length() * surface.extent()
            }
        }
    }
}

impl GrainSystem {
    /// Adds a wall; its index.
    ///
    /// Between steps, contacts keep what they remember, and grains feel the new wall from the next step on.
    pub fn add_wall(&mut self, wall: Wall) -> Result<usize> {
        wall.check()?;
        let count = self.model.settings.materials.len();
        if wall.material >= count {
            let what = format!("wall '{}'", wall.name);
            return Err(ParticleError::UnknownMaterial { what, index: wall.material, count });
        }
        let vertices = wall.as_facets().map_or(0, |facets| facets.topology().vertices());
        self.wall_states.items.push(WallState {
            rest: wall.motion,
            since: self.time,
            impulse: [Vec3::ZERO; 2],
            vertex_impulses: vec![Vec3::ZERO; vertices],
            work: 0.0,
            wrench: [Vec3::ZERO; 2],
            listed: (wall.motion.position, wall.motion.rotation),
        });
        self.walls.push(wall);
        self.listed = false;
        Ok(self.walls.len() - 1)
    }

    /// Walls, where they are and how they move now.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// Puts a wall to a pose and gives it velocities, with which it goes on from now.
    pub fn set_wall_motion(&mut self, wall: usize, motion: WallMotion) -> Result<()> {
        motion.check()?;
        self.known_wall(wall)?;
        self.refuse_facets(wall)?;
        self.walls[wall].motion = motion;
        self.walls[wall].drive = WallDrive::Velocity;
        self.wall_states.items[wall].rest = motion;
        self.wall_states.items[wall].since = self.time;
        Ok(())
    }

    /// Moves a wall by `drive` from its present pose and the present time on.
    pub fn set_wall_drive(&mut self, wall: usize, drive: WallDrive) -> Result<()> {
        drive.check()?;
        self.known_wall(wall)?;
        self.refuse_facets(wall)?;
        let motion = &mut self.walls[wall].motion;
        // Only this one continues with the velocities there are; others would have their surfaces slide.
        if drive != WallDrive::Velocity {
            (motion.velocity, motion.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
        self.wall_states.items[wall].rest = *motion;
        // The half step that is due does work with the velocities the wall has now.
        let now = drive.at(motion, 0.0);
        (motion.velocity, motion.angular_velocity) = (now.velocity, now.angular_velocity);
        self.wall_states.items[wall].since = self.time;
        self.walls[wall].drive = drive;
        Ok(())
    }

    /// Force on a wall [N] and torque about its origin [N·m] by the grains.
    pub fn wall_wrench(&self, wall: usize) -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        for chunk in &self.list.chunks {
            if let Some([force, torque]) = chunk.walls.wrenches.get(wall) {
                sum[0] += force.vector();
                sum[1] += torque.vector();
            }
        }
        sum
    }

    /// Wrenches on all walls that are touched, summed over the chunks in their order.
    pub(crate) fn all_wrenches(&self) -> Wrenches {
        let mut parts: Vec<(usize, &[Row; 2])> =
            self.list.chunks.iter().flat_map(|chunk| chunk.walls.wrenches.iter()).collect();
        // Stable: the parts of a wall stay in the order of the chunks.
        parts.sort_by_key(|(wall, _)| *wall);
        let mut all = Wrenches::default();
        for same in parts.chunk_by(|a, b| a.0 == b.0) {
            let mut sum = [Vec3::ZERO; 2];
            for (_, part) in same {
                sum[0] += part[0].vector();
                sum[1] += part[1].vector();
            }
            all.walls.push(same[0].0 as u32);
            all.rows.push(sum.map(|part| Row::new(part, 0.0)));
        }
        all
    }

    /// Impulse [N·s] the grains gave a wall since it was last taken, and angular impulse about its moving origin
    /// [N·m·s].
    ///
    /// It has the weights of the step, so that what grains lose is what walls get, to round-off.
    pub fn take_wall_impulse(&mut self, wall: usize) -> [Vec3; 2] {
        match self.wall_states.items.get_mut(wall) {
            Some(state) => std::mem::take(&mut state.impulse),
            None => [Vec3::ZERO; 2],
        }
    }

    /// Work [J] a wall has done on the grains by its motion since it was added.
    pub fn wall_work(&self, wall: usize) -> f64 {
        self.wall_states.items.get(wall).map_or(0.0, |state| state.work)
    }

    /// Contacts of grains with walls, in the present order of the grains.
    pub fn wall_contacts(&self) -> impl Iterator<Item = WallContact> + '_ {
        self.list.chunks.iter().enumerate().flat_map(move |(c, chunk)| {
            chunk.walls.known.iter().map(move |known| {
                let wall = &self.walls[known.wall as usize];
                let turned = wall.surface != Surface::Plane;
                let normal = Vec3::from(known.normal.map(f64::from));
                WallContact {
                    grain: self.fields.id.read()[c * CHUNK + known.item as usize],
                    wall: known.wall as usize,
                    normal: if turned { wall.motion.rotation * normal } else { normal },
                    depth: known.depth,
                    effective_radius: known.radius,
                }
            })
        })
    }

    /// Number of contacts of grains with walls.
    pub fn wall_contact_count(&self) -> usize {
        self.list.chunks.iter().map(|chunk| chunk.walls.known.len()).sum()
    }

    pub(crate) fn known_wall(&self, index: usize) -> Result<()> {
        let count = self.walls.len();
        if index < count { Ok(()) } else { Err(ParticleError::UnknownWall { index, count }) }
    }

    /// Puts walls where they are at the time `time` [s].
    pub(crate) fn place_walls(&mut self, time: f64) {
        for (wall, state) in self.walls.iter_mut().zip(&self.wall_states.items) {
            if wall.drive != WallDrive::Fixed {
                wall.motion = wall.drive.at(&state.rest, time - state.since);
            } else if let Surface::Facets(facets) = &mut wall.surface {
                facets.place(time - state.since);
            }
        }
    }

    /// The same, and makes the list of near walls anew where it is outdated.
    pub(crate) fn move_walls(&mut self, ex: &Exec, time: f64) {
        self.place_walls(time);
        if self.wall_states.is_outdated(&self.walls) {
            self.wall_states.note_walls(&mut self.walls);
            self.list_near_walls(ex);
        }
    }

    /// Adds the present wrenches over the time `step` [s] to the impulses on walls, so many times.
    pub(crate) fn push_walls(&mut self, step: f64, times: usize) {
        let states = &mut self.wall_states.items;
        states.iter_mut().for_each(|state| state.wrench = [Vec3::ZERO; 2]);
        for chunk in &self.list.chunks {
            for (wall, [force, torque]) in chunk.walls.wrenches.iter() {
                states[wall].wrench[0] += force.vector();
                states[wall].wrench[1] += torque.vector();
            }
        }
        for (state, wall) in states.iter_mut().zip(&self.walls) {
            let [force, torque] = state.wrench;
            let WallMotion { velocity, angular_velocity, .. } = wall.motion;
            for _ in 0..times {
                state.impulse[0] += force * step;
                state.impulse[1] += torque * step;
                state.work -= (force.dot(velocity) + torque.dot(angular_velocity)) * step;
            }
        }
        for _ in 0..times {
            for VertexPush { wall, vertex, force } in
                self.list.chunks.iter().flat_map(|chunk| &chunk.walls.pushes)
            {
                let (state, vertex) = (&mut states[*wall as usize], *vertex as usize);
                state.vertex_impulses[vertex] += *force * step;
                if let Surface::Facets(facets) = &self.walls[*wall as usize].surface {
                    state.work -= force.dot(facets.velocities()[vertex]) * step;
                }
            }
        }
    }
}
