//! Granular matter: particles, their list, their laws, and the step.

mod contact_forces;
mod passes;
mod population;
mod traffic_steps;

use std::sync::Arc;

use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantComposite, CompliantMaterial, CompliantModel, CompliantPair};

use crate::error::{ParticleError, Result};
use crate::grains::clump::{ALONE, Clumps};
use crate::grains::contacts::Laws;
use crate::grains::energy::EnergyMeter;
use crate::grains::fields::{Fields, Grain};
use crate::grains::history::HistoryLayout;
use crate::grains::list::{CHUNK, INDEX, ListReport, PairList, TOUCHING};
use crate::grains::motion::Stroke;
use crate::grains::surroundings::{ForceField, NearField};
use crate::grains::traffic::Traffic;
use crate::grains::walls::WallStates;
use crate::grid::Periodic;
use crate::in_place::clone_in_place;
use crate::row::Row;
use crate::walls::wall::Wall;

pub use contact_forces::{GrainContact, WallContactForce};

/// Settings of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainSettings {
    /// Laws of contact.
    pub model: CompliantModel,
    /// Materials of grains and walls, by index.
    pub materials: Vec<CompliantMaterial>,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Least coordinate and length [m] of each axis that repeats.
    pub periodic: [Option<[f64; 2]>; 3],
    /// Pairs of materials, by index, with coefficients of their own; the last counts.
    pub pairs: Vec<(usize, usize, CompliantComposite)>,
}

impl Default for GrainSettings {
    fn default() -> Self {
        Self {
            model: CompliantModel::default(),
            materials: vec![CompliantMaterial::default()],
            gravity: Vec3::new(0.0, 0.0, -9.81),
            periodic: [None; 3],
            pairs: Vec::new(),
        }
    }
}

impl GrainSettings {
    fn check(&self) -> Result<()> {
        let refuse =
            |what: &str, value, expected| Err(ParticleError::Range { what: what.into(), value, expected });
        let count = self.materials.len();
        if count > MATERIALS {
            return refuse("the number of materials", count as f64, "256 or less");
        }
        for [low, length] in self.periodic.iter().flatten() {
            if !low.is_finite() {
                return refuse("the least coordinate of a box that repeats", *low, "finite");
            }
            if !(*length > 0.0 && length.is_finite()) {
                return refuse("the length of a box that repeats", *length, "finite and above 0");
            }
        }
        Ok(())
    }
}

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

/// Most materials: fields have a byte for them.
const MATERIALS: usize = 256;

/// Granular matter.
#[derive(Debug)]
pub struct GrainSystem {
    pub(crate) settings: GrainSettings,
    pub(crate) laws: Laws,
    pub(crate) periodic: Periodic,
    pub(crate) fields: Fields,
    pub(crate) walls: Vec<Wall>,
    planes: Vec<Option<(Vec3, f64)>>,
    pub(crate) list: PairList,
    pub(crate) skin: Skin,
    /// Whether forces belong to the present positions.
    pub(crate) fresh: bool,
    /// Longest way squared of each chunk.
    ways: Vec<f32>,
    /// Room for the forces of one chunk, for each block of chunks.
    desks: Vec<[Vec<Row>; 2]>,
    instructions: InstructionSet,
    pub(crate) time: f64,
    pub(crate) step: u64,
    pub(crate) next_id: u64,
    /// Fields of force.
    pub(crate) surroundings: Vec<Arc<dyn ForceField>>,
    /// Forces between grains that do not touch.
    pub(crate) near: Option<NearField>,
    /// Grains that are joined.
    pub(crate) clumps: Clumps,
    /// Why grains cannot have a material.
    pub(crate) refused: Vec<Option<ParticleError>>,
    pub(crate) traffic: Option<Box<Traffic>>,
    pub(crate) wall_states: WallStates,
    /// Whether the list has all grains and walls.
    pub(crate) listed: bool,
    pub(crate) meter: Option<Box<EnergyMeter>>,
}

clone_in_place!(GrainSystem {
    settings,
    laws,
    periodic,
    fields,
    walls,
    planes,
    list,
    skin,
    fresh,
    ways,
    desks,
    instructions,
    time,
    step,
    next_id,
    surroundings,
    near,
    clumps,
    refused,
    traffic,
    wall_states,
    listed,
    meter
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
        let count = settings.materials.len();
        settings.check()?;
        settings.model.check().map_err(|reason| ParticleError::Law { reason })?;
        let mut pairs = Vec::with_capacity(count * count);
        let mut refused = vec![None; count];
        for (a, of_a) in settings.materials.iter().enumerate() {
            of_a.check().map_err(|reason| ParticleError::Pair { a, b: a, reason })?;
            for (b, of_b) in settings.materials.iter().enumerate() {
                let own = settings.pairs.iter().rev().find(|p| [(a, b), (b, a)].contains(&(p.0, p.1)));
                let pair = match own {
                    Some((_, _, composite)) => CompliantPair::new(&settings.model, composite),
                    None => CompliantPair::of_materials(&settings.model, of_a, of_b),
                };
                // Materials that do not go together, as two rigid ones, are refused when a grain has one.
                if let Err(reason) = pair {
                    refused[a] = Some(ParticleError::Pair { a, b, reason });
                }
                pairs.push(pair.unwrap_or_default());
            }
        }
        let layout = HistoryLayout::new(&settings.model, &pairs);
        let laws = Laws { model: settings.model, pairs, materials: count, layout };
        Ok(Self {
            periodic: Periodic { axes: settings.periodic },
            laws,
            fields: Fields::default(),
            walls: Vec::new(),
            planes: Vec::new(),
            list: PairList::new(layout),
            skin: Skin { share: 0.2, age: 0 },
            fresh: false,
            ways: Vec::new(),
            desks: Vec::new(),
            instructions: InstructionSet::detect(),
            time: 0.0,
            step: 0,
            next_id: 0,
            surroundings: Vec::new(),
            near: None,
            clumps: Clumps::default(),
            refused,
            traffic: None,
            wall_states: WallStates::default(),
            listed: false,
            meter: None,
            settings,
        })
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
        let id = self.next_id;
        self.next_id += 1;
        self.fields.push(grain, id);
        self.listed = false;
        Ok(id)
    }

    /// Refuses a grain that cannot be in this system.
    fn check_grain(&self, grain: &Grain) -> Result<()> {
        grain.check(self.settings.materials.len())?;
        self.check_width(grain.radius, self.near.map_or(0.0, |near| near.range))?;
        self.refused[grain.material].clone().map_or(Ok(()), Err)
    }

    /// Refuses a box in which grains of this radius [m] would touch, or feel each other at the distance `range` [m],
    /// on both sides: the list has a pair once.
    pub(crate) fn check_width(&self, radius: f64, range: f64) -> Result<()> {
        let narrow = self.periodic.lengths().into_iter().find(|length| *length < 4.0 * radius + 2.0 * range);
        let what = "the length of a box that repeats".into();
        match narrow {
            None => Ok(()),
            Some(value) if range == 0.0 => Err(ParticleError::Range {
                what,
                value,
                expected: "twice the diameter of the largest grain or more",
            }),
            Some(value) => Err(ParticleError::Range {
                what,
                value,
                expected: "twice the diameter of the largest grain and the range of the near field or more",
            }),
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
        &self.fields.place
    }

    /// Velocities [m/s] and inverse masses [1/kg] in the present order.
    pub fn motions(&self) -> &[Row] {
        &self.fields.motion
    }

    /// Angular velocities [rad/s] and inverse moments of inertia [1/(kg·m²)] in the present order.
    pub fn spins(&self) -> &[Row] {
        &self.fields.spin
    }

    /// Forces [N] in the present order.
    pub fn forces(&self) -> &[Row] {
        &self.fields.force
    }

    /// Torques about the centres [N·m] in the present order.
    pub fn torques(&self) -> &[Row] {
        &self.fields.torque
    }

    /// Ids in the present order.
    pub fn ids(&self) -> &[u64] {
        &self.fields.id
    }

    /// How the list of neighbours does.
    pub fn list_report(&self) -> ListReport {
        self.list.report
    }

    /// Number of pairs of grains that touch.
    pub fn contact_count(&self) -> usize {
        let chunks = self.list.chunks.iter();
        chunks.map(|chunk| chunk.touching().count()).sum()
    }

    /// Kinetic energy [J], of flight and of spin.
    pub fn kinetic_energy(&self) -> f64 {
        let of =
            |row: &Row| if row.0[3] > 0.0 { 0.5 * row.vector().length_squared() / row.0[3] } else { 0.0 };
        let fields = &self.fields;
        let alone = |i: &usize| fields.member.get(*i).is_none_or(|[clump, _]| *clump == ALONE);
        let free = (0..fields.len()).filter(alone).map(|i| of(&fields.motion[i]) + of(&fields.spin[i]));
        free.sum::<f64>() + self.clump_energy()
    }

    /// Bytes of the fields and of the list.
    pub fn bytes(&self) -> usize {
        (5 * 32 + 12 + 8 + 1) * self.fields.len()
            + 8 * self.fields.member.len()
            + 4 * self.ways.len()
            + self.clumps.bytes()
            + self.list.bytes()
            + self.wall_states.finder.bytes()
    }

    /// Takes `count` steps of `step` seconds.
    ///
    /// After an error, as where it is asked to stop, the grains are between two steps and cannot go on: the caller
    /// takes the state from before.
    pub fn run(&mut self, ex: &Exec, step: f64, count: u64) -> Result<()> {
        if count > 0 && !(step > 0.0 && step.is_finite()) {
            let what = "the step".into();
            return Err(ParticleError::Range { what, value: step, expected: "finite and above 0" });
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
        self.strokes(ex, Stroke::Start, step);
        self.go_on(ex, self.time + step)?;
        for k in 0..count {
            ex.check_stop()?;
            self.note_meetings(ex, step, self.time + step);
            let last = k + 1 == count;
            self.sweep(ex, if last { Stroke::End } else { Stroke::Through }, step);
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

    /// After the grains have drifted: brings walls to the time `time` [s] and makes the list anew where it is due.
    fn go_on(&mut self, ex: &Exec, time: f64) -> Result<()> {
        self.move_walls(ex, time);
        self.skin.age += 1;
        let farthest =
            self.ways.iter().fold(0.0_f32, |most, way| if *way > most || way.is_nan() { *way } else { most });
        // Two grains may have come nearer by twice the longest way; a part of the skin is left for rounding.
        let limit = 0.49 * self.list.report.skin as f32;
        if !farthest.is_finite() {
            return Err(self.not_finite());
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
        self.contacts(ex, step, self.time);
        // Forces are complete with what the outboxes hold.
        self.collect(ex);
        self.count_losses(ex, 0.0);
        self.fresh = true;
    }

    fn rebuild(&mut self, ex: &Exec) {
        let least = self.fields.place.iter().fold(f64::INFINITY, |least, row| least.min(row.0[3]));
        let skin = self.skin.share * least;
        let range = self.near.map_or(0.0, |near| near.range);
        self.wall_states.note(&mut self.walls, &self.fields.place, skin, least);
        let walls = self.wall_states.search(&self.walls);
        self.list.build(ex, &mut self.fields, walls, skin, range, &self.periodic);
        self.clumps.find_members(&self.fields.member);
        if self.periodic.any() {
            self.clumps.wrap(&self.periodic);
        }
        self.skin.age = 0;
        self.listed = true;
    }

    /// The first grain with a number that is not finite.
    fn not_finite(&self) -> ParticleError {
        let fields = &self.fields;
        let broken = |row: &Row| !row.0.iter().all(|x| x.is_finite());
        let (at, what) = (0..fields.len())
            .find_map(|i| {
                let named = [
                    ("velocity", &fields.motion[i]),
                    ("angular velocity", &fields.spin[i]),
                    ("position", &fields.place[i]),
                ];
                named.into_iter().find(|(_, row)| broken(row)).map(|(what, _)| (i, what))
            })
            .unwrap_or((0, "position"));
        let chunk = &self.list.chunks[at / CHUNK];
        let pairs = chunk.starts[at % CHUNK] as usize..chunk.starts[at % CHUNK + 1] as usize;
        let touching = chunk.other[pairs].iter().filter(|other| **other & TOUCHING != 0);
        let grains = touching.map(|other| fields.id[(other & INDEX) as usize].to_string());
        let walls = chunk.walls.known.iter().filter(|known| known.item as usize == at % CHUNK);
        let walls = walls.map(|known| format!("wall '{}'", self.walls[known.wall as usize].name));
        let touched: Vec<String> = grains.chain(walls).collect();
        let contacts = if touched.is_empty() { "nothing".into() } else { touched.join(", ") };
        ParticleError::NonFinite { id: fields.id[at], what, time: self.time, step: self.step, contacts }
    }
}
