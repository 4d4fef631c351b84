//! Granular matter: particles, their list, their laws, and the step.

mod contact_forces;
mod memory;
mod population;
mod traffic_steps;

use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;

use crate::error::{ParticleError, Result};
use crate::grains::clump::{ALONE, Clumps};
use crate::grains::energy::EnergyMeter;
use crate::grains::fields::{Grain, GrainFields};
use crate::grains::list::{CHUNK, INDEX, ListReport, PairList, TOUCHING};
use crate::grains::loops::{GrainLoops, GrainLoopsCpu, GrainParts};
use crate::grains::model::{GrainModel, GrainSettings};
use crate::grains::motion::Stroke;
use crate::grains::traffic::Traffic;
use crate::grains::walls::WallStates;
use crate::id::IdSource;
use crate::in_place::clone_in_place;
use crate::row::Row;
use crate::walls::wall::Wall;

pub use contact_forces::{GrainContact, WallContactForce};
pub use memory::{ContactMemory, GrainMemory, GrainParcel};

/// Most steps that grains take in one step of their surroundings: more would look like a program that hangs.
pub const MOST_GRAIN_STEPS: f64 = 1e5;

/// Number of equal steps of at most `step` [s] in `time` [s]; refuses more than [`MOST_GRAIN_STEPS`].
pub fn grain_steps(time: f64, step: f64) -> Result<u64> {
    let count = (time / step - 1e-9).ceil();
    match count <= MOST_GRAIN_STEPS {
        true => Ok(count.max(1.0) as u64),
        false => Err(ParticleError::GrainSteps { time, count, step, most: MOST_GRAIN_STEPS }),
    }
}

/// Granular matter: a model, the fields of the grains with their list and walls, and the loops that advance them.
#[derive(Debug)]
pub struct GrainSystem {
    pub(crate) model: GrainModel,
    pub(crate) fields: GrainFields,
    pub(crate) walls: Vec<Wall>,
    pub(crate) list: PairList,
    pub(crate) skin: Skin,
    /// Whether forces belong to the present positions.
    pub(crate) fresh: bool,
    pub(crate) time: f64,
    pub(crate) step: u64,
    pub(crate) ids: IdSource,
    /// Grains that are joined.
    pub(crate) clumps: Clumps,
    pub(crate) traffic: Option<Box<Traffic>>,
    pub(crate) wall_states: WallStates,
    /// Whether the list has all grains and walls.
    pub(crate) listed: bool,
    pub(crate) meter: Option<Box<EnergyMeter>>,
    /// Where and how loops run.
    loops: Box<dyn GrainLoops>,
}

clone_in_place!(GrainSystem {
    model,
    fields,
    walls,
    list,
    skin,
    fresh,
    time,
    step,
    ids,
    clumps,
    traffic,
    wall_states,
    listed,
    meter,
    loops
});

/// How far the list reaches, from how often it had to be made: no clock is asked, so that runs repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Skin {
    /// Share of the smallest radius.
    pub share: f64,
    /// Steps since the list was made.
    pub age: u64,
}

impl Skin {
    const LEAST: f64 = 0.04;
    const MOST: f64 = 0.8;

    /// Learns from the age at which a list was given up.
    fn learn(&mut self) {
        // A list costs as much as some ten steps, and a third more reach one step in ten.
        if self.age < 15 {
            self.share = (self.share * 1.3).min(Self::MOST);
        } else if self.age > 120 {
            self.share = (self.share / 1.3).max(Self::LEAST);
        }
    }
}

impl GrainSystem {
    /// An empty system.
    pub fn new(settings: GrainSettings) -> Result<Self> {
        let model = GrainModel::new(settings)?;
        Ok(Self {
            list: PairList::new(model.laws.layout),
            model,
            fields: GrainFields::default(),
            walls: Vec::new(),
            skin: Skin { share: 0.2, age: 0 },
            fresh: false,
            time: 0.0,
            step: 0,
            ids: IdSource::default(),
            clumps: Clumps::default(),
            traffic: None,
            wall_states: WallStates::default(),
            listed: false,
            meter: None,
            loops: Box::new(GrainLoopsCpu::default()),
        })
    }

    /// Where the ids of new grains come from.
    pub fn id_source(&self) -> IdSource {
        self.ids
    }

    /// Has the ids of new grains come from `source`; refuses one that would give an id again that a grain has.
    pub fn set_id_source(&mut self, source: IdSource) -> Result<()> {
        match self.fields.id.read().iter().find(|id| **id >= source.next()) {
            Some(id) => Err(ParticleError::IdInUse { id: *id }),
            None => {
                self.ids = source;
                Ok(())
            }
        }
    }

    /// Runs the loops with other instructions than the best of the machine, to compare them.
    pub fn use_instructions(&mut self, instructions: InstructionSet) {
        self.loops = Box::new(GrainLoopsCpu::with_instructions(instructions));
    }

    /// The loops, and what they work on.
    fn split(&mut self) -> (&mut dyn GrainLoops, GrainParts<'_>) {
        let Self { model, fields, walls, list, clumps, loops, .. } = self;
        (loops.as_mut(), GrainParts { model, walls, fields, list, clumps })
    }

    /// Adds a grain; its id.
    ///
    /// Between steps, grains keep their forces and contacts what they remember. The new grain feels others from the
    /// next step on, as if it had come half a step later: its first half step has gravity only.
    pub fn add(&mut self, grain: &Grain) -> Result<u64> {
        self.check_grain(grain)?;
        let limit = INDEX as usize;
        if self.fields.len() >= limit {
            return Err(ParticleError::TooMany { count: self.fields.len() + 1, limit });
        }
        let id = self.ids.take(1).start;
        self.fields.push(grain, id);
        self.listed = false;
        Ok(id)
    }

    /// Refuses a grain that cannot be in this system.
    fn check_grain(&self, grain: &Grain) -> Result<()> {
        grain.check(self.model.settings.materials.len())?;
        self.check_width(grain.radius, self.model.near.map_or(0.0, |near| near.range))?;
        self.model.refused[grain.material].clone().map_or(Ok(()), Err)
    }

    /// Refuses a box in which grains of this radius [m] would touch, or feel each other at the distance `range` [m],
    /// on both sides: the list has a pair once.
    pub(crate) fn check_width(&self, radius: f64, range: f64) -> Result<()> {
        let narrow =
            self.model.periodic.lengths().into_iter().find(|length| *length < 4.0 * radius + 2.0 * range);
        let what = "the length of a periodic box";
        match narrow {
            None => Ok(()),
            Some(value) if range == 0.0 => {
                Err(ParticleError::range(what, value, "twice the diameter of the largest grain or more"))
            }
            Some(value) => Err(ParticleError::range(
                what,
                value,
                "twice the diameter of the largest grain and the range of the near field or more",
            )),
        }
    }

    /// Number of grains.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are no grains.
    pub fn is_empty(&self) -> bool {
        self.fields.len() == 0
    }

    /// Time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Centres [m] and radii [m] in the present order.
    pub fn places(&self) -> &[Row] {
        self.fields.place.read()
    }

    /// Velocities [m/s] and inverse masses [1/kg] in the present order.
    pub fn motions(&self) -> &[Row] {
        self.fields.motion.read()
    }

    /// Angular velocities [rad/s] and inverse moments of inertia [1/(kg·m²)] in the present order.
    pub fn spins(&self) -> &[Row] {
        self.fields.spin.read()
    }

    /// Forces [N] in the present order.
    pub fn forces(&self) -> &[Row] {
        self.fields.force.read()
    }

    /// Torques about the centres [N·m] in the present order.
    pub fn torques(&self) -> &[Row] {
        self.fields.torque.read()
    }

    /// Ids in the present order.
    pub fn ids(&self) -> &[u64] {
        self.fields.id.read()
    }

    /// How the list of neighbours does.
    pub fn list_report(&self) -> ListReport {
        self.list.report
    }

    /// Number of pairs of grains that touch.
    pub fn contact_count(&self) -> usize {
        self.contact_count_on(&Exec::serial())
    }

    /// The same as [`GrainSystem::contact_count`], on many threads.
    pub fn contact_count_on(&self, ex: &Exec) -> usize {
        let chunks = &self.list.chunks;
        ex.count(chunks.len(), 1, |range| chunks[range].iter().map(|chunk| chunk.touching().count()).sum())
    }

    /// Kinetic energy [J], of flight and of spin.
    pub fn kinetic_energy(&self) -> f64 {
        self.kinetic_energy_on(&Exec::serial())
    }

    /// The same as [`GrainSystem::kinetic_energy`], on many threads, with bit-identical results.
    pub fn kinetic_energy_on(&self, ex: &Exec) -> f64 {
        let of =
            |row: &Row| if row.0[3] > 0.0 { 0.5 * row.vector().length_squared() / row.0[3] } else { 0.0 };
        let (fields, owned) = (&self.fields, self.fields.extent().owned);
        let (motion, spin) = (fields.motion.read(), fields.spin.read());
        let free = ex.sum(owned, CHUNK, |range| {
            let alone = range.filter(|i| fields.clump_of(*i) == ALONE);
            alone.map(|i| of(&motion[i]) + of(&spin[i])).sum()
        });
        free + self.clump_energy(ex)
    }

    /// Bytes of the fields and of the list.
    pub fn bytes(&self) -> usize {
        (5 * 32 + 12 + 8 + 1) * self.fields.len()
            + 8 * self.fields.member.len()
            + self.loops.bytes()
            + self.clumps.bytes()
            + self.list.bytes()
            + self.wall_states.finder.bytes()
    }

    /// Takes `count` steps of `step` seconds.
    ///
    /// After an error, as where it is asked to stop, the grains are between two steps and cannot continue: the caller
    /// takes the state from before.
    pub fn run(&mut self, ex: &Exec, step: f64, count: u64) -> Result<()> {
        if count > 0 && !(step > 0.0 && step.is_finite()) {
            let what = "the step";
            return Err(ParticleError::range(what, step, "finite and above 0"));
        }
        if self.traffic.is_some() {
            return self.run_with_traffic(ex, step, count);
        }
        if self.fields.len() == 0 || count == 0 {
            // Added up as in steps with grains: the same time wherever runs are cut.
            (0..count).for_each(|_| self.time += step);
            self.step += count;
            self.place_walls(self.time);
            return Ok(());
        }
        if self.meter.is_some() && count > 1 {
            return (0..count).try_for_each(|_| self.run(ex, step, 1));
        }
        if !self.fresh {
            self.update_forces(ex, step);
        } else if !self.listed {
            self.relist(ex);
        }
        self.push_walls(0.5 * step, 1);
        let (loops, mut parts) = self.split();
        loops.motion(ex, &mut parts, Stroke::Start, step);
        self.go_on(ex, self.time + step)?;
        for k in 0..count {
            ex.check_stop()?;
            self.note_meetings(ex, step, self.time + step);
            let last = k + 1 == count;
            let (stroke, time) = (if last { Stroke::End } else { Stroke::Through }, self.time + step);
            let (loops, mut parts) = self.split();
            loops.sweep(ex, &mut parts, stroke, step, time);
            // Two halves, as where a run is cut: the same bits.
            self.push_walls(0.5 * step, if last { 1 } else { 2 });
            if !last {
                self.go_on(ex, (self.time + step) + step)?;
            }
            self.time += step;
            self.step += 1;
        }
        self.count_losses(ex, step);
        Ok(())
    }

    /// After the grains have drifted: brings walls to the time `time` [s] and rebuilds the list where it is due.
    fn go_on(&mut self, ex: &Exec, time: f64) -> Result<()> {
        self.move_walls(ex, time);
        self.skin.age += 1;
        let farthest = self.loops.farthest();
        // Two grains may have come nearer by twice the longest way; a part of the skin is left for rounding.
        let limit = 0.49 * self.list.report.skin as f32;
        if !farthest.is_finite() {
            return Err(self.not_finite(ex));
        }
        if farthest > limit * limit {
            self.skin.learn();
            self.rebuild(ex);
        }
        Ok(())
    }

    /// Finds the forces at the present positions and velocities, for a step of `step` seconds to come.
    ///
    /// Memory of contacts grows by such a step.
    pub fn update_forces(&mut self, ex: &Exec, step: f64) {
        if self.fields.len() == 0 {
            return;
        }
        self.place_walls(self.time);
        self.rebuild(ex);
        self.note_meetings(ex, step, self.time);
        let time = self.time;
        let (loops, mut parts) = self.split();
        loops.forces(ex, &mut parts, step, time);
        // Forces are complete with what the outboxes hold.
        loops.gather(ex, &mut parts);
        self.count_losses(ex, 0.0);
        self.fresh = true;
    }

    fn rebuild(&mut self, ex: &Exec) {
        let extremes = self.loops.extremes(ex, &self.fields);
        let skin = self.skin.share * extremes.least_radius;
        self.wall_states.note(&mut self.walls, &extremes, skin);
        let Self { model, fields, walls, list, clumps, loops, .. } = self;
        let search = self.wall_states.search(walls);
        loops.list(ex, &mut GrainParts { model, walls, fields, list, clumps }, search, skin);
        self.skin.age = 0;
        self.listed = true;
    }

    /// Notes where walls and grains are for a list that was taken over.
    pub(crate) fn note_walls_and_grains(&mut self, ex: &Exec) {
        let extremes = self.loops.extremes(ex, &self.fields);
        self.wall_states.note(&mut self.walls, &extremes, self.list.report.skin);
    }

    /// Finds the walls near the grains again.
    pub(crate) fn list_near_walls(&mut self, ex: &Exec) {
        let search = self.wall_states.search(&self.walls);
        self.loops.list_walls(ex, &self.fields, &mut self.list, search);
    }

    /// The first grain with a number that is not finite.
    fn not_finite(&self, ex: &Exec) -> ParticleError {
        let broken = |row: &Row| !row.0.iter().all(|x| x.is_finite());
        let fields = &self.fields;
        let (place, motion, spin) = (fields.place.read(), fields.motion.read(), fields.spin.read());
        let fault = |i: usize| {
            let named = [("velocity", &motion[i]), ("angular velocity", &spin[i]), ("position", &place[i])];
            named.into_iter().find(|(_, row)| broken(row)).map(|(what, _)| what)
        };
        let found = ex.find_first(fields.extent().owned, CHUNK, fault);
        let (at, what) = found.unwrap_or((0, "position"));
        let chunk = &self.list.chunks[at / CHUNK];
        let pairs = chunk.starts[at % CHUNK] as usize..chunk.starts[at % CHUNK + 1] as usize;
        let touching = chunk.other[pairs].iter().filter(|other| **other & TOUCHING != 0);
        let grains = touching.map(|other| fields.id.read()[(other & INDEX) as usize].to_string());
        let walls = chunk.walls.known.iter().filter(|known| known.item as usize == at % CHUNK);
        let walls = walls.map(|known| format!("wall '{}'", self.walls[known.wall as usize].name));
        let touched: Vec<String> = grains.chain(walls).collect();
        let contacts = if touched.is_empty() { "nothing".into() } else { touched.join(", ") };
        ParticleError::NonFinite {
            id: fields.id.read()[at],
            what,
            time: self.time,
            step: self.step,
            contacts,
        }
    }
}
