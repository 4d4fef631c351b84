//! Where the energy of grains is, and where it went.
//!
//! A force that is found from positions at the end of a step and velocities in its middle acts on the velocities at
//! its end: $\tfrac12 m v^2$ in the middle of steps changes by $h\,F_n\cdot v_n$ exactly. Losses therefore take the
//! forces as the step found them and the velocities they act on. For that every step ends before the next begins,
//! whose results are bit-identical to steps in one go.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{ContactHistory, ContactMotion, Losses, StepLosses, losses, stored_energy};

use crate::grains::clump::ALONE;
use crate::grains::list::{CHUNK, INDEX, TOUCHING};
use crate::grains::system::GrainSystem;
use crate::walls::mesh::Feet;
use crate::walls::surface::Foot;

/// Energy of grains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of flight and of spin [J].
    pub kinetic: f64,
    /// In gravity, zero at the origin [J].
    pub potential: f64,
    /// In the springs of contacts, at the last step or before the first [J]. Adhesion makes it less.
    pub elastic: f64,
    /// Lost in contacts since it is measured [J].
    pub dissipated: Losses,
    /// Work of walls on the grains since it is measured [J].
    pub wall_work: f64,
    /// Work of fields of force, drag and near fields on the grains since it is measured [J].
    pub field_work: f64,
}

impl Energy {
    /// What stays the same but for errors of the step while no grain comes or goes [J]: what there is and what was
    /// lost, less what walls and fields put in.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic + self.dissipated.total()
            - self.wall_work
            - self.field_work
    }
}

/// Adds up what is lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnergyMeter {
    dissipated: Losses,
    field_work: f64,
    /// Work of walls when it began.
    wall_work: f64,
    /// Power of dashpots and of fields at the last step [W].
    power: Losses,
    field_power: f64,
    /// What the step to come is found from.
    chunks: Vec<ChunkMeter>,
}

#[derive(Clone, Debug, Default)]
struct ChunkMeter {
    meetings: Vec<Meeting>,
    /// Forces of fields on the grains [N].
    fields: Vec<Vec3>,
    losses: StepLosses,
    field_power: f64,
}

/// A contact before the law is asked.
#[derive(Clone, Debug)]
struct Meeting {
    index: usize,
    other: Other,
    motion: ContactMotion,
    old: ContactHistory,
}

#[derive(Clone, Copy, Debug)]
enum Other {
    Grain(usize),
    Wall(usize, Foot),
}

impl EnergyMeter {
    pub fn numbers(&self) -> Vec<f64> {
        let (lost, power) = (&self.dissipated, &self.power);
        let lost = [lost.normal, lost.sliding, lost.turning];
        let power = [power.normal, power.sliding, power.turning];
        [&lost[..], &power, &[self.field_work, self.field_power, self.wall_work]].concat()
    }

    pub fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let &[a, b, c, d, e, f, field_work, field_power, wall_work] = numbers else { return None };
        Some(Self {
            dissipated: Losses { normal: a, sliding: b, turning: c },
            power: Losses { normal: d, sliding: e, turning: f },
            field_work,
            field_power,
            wall_work,
            chunks: Vec::new(),
        })
    }
}

impl GrainSystem {
    /// Measures from now on what contacts dissipate and what walls and fields do, or no more.
    ///
    /// It takes about as long as the steps themselves several times over; the grains move as without.
    pub fn measure_energy(&mut self, on: bool) {
        let wall_work = self.all_wall_work();
        self.meter = on.then(|| Box::new(EnergyMeter { wall_work, ..EnergyMeter::default() }));
    }

    /// Whether losses are measured.
    pub fn measures_energy(&self) -> bool {
        self.meter.is_some()
    }

    /// Where the energy is; losses and work are zero where they are not
    /// [measured](Self::measure_energy).
    pub fn energy(&self) -> Energy {
        self.energy_on(&Exec::serial())
    }

    /// The same as [`GrainSystem::energy`], on many threads, with bit-identical results.
    pub fn energy_on(&self, ex: &Exec) -> Energy {
        let meter = self.meter.as_deref();
        Energy {
            kinetic: self.kinetic_energy_on(ex),
            potential: self.potential_energy_on(ex),
            elastic: self.elastic_energy_on(ex),
            dissipated: meter.map_or(Losses::default(), |m| m.dissipated),
            wall_work: meter.map_or(0.0, |m| self.all_wall_work() - m.wall_work),
            field_work: meter.map_or(0.0, |m| m.field_work),
        }
    }

    fn all_wall_work(&self) -> f64 {
        (0..self.walls.len()).map(|wall| self.wall_work(wall)).sum()
    }

    /// Energy in gravity [J], zero at the origin; in a periodic box, of the grains where they are in it.
    pub fn potential_energy(&self) -> f64 {
        self.potential_energy_on(&Exec::serial())
    }

    /// The same as [`GrainSystem::potential_energy`], on many threads, with bit-identical results.
    pub fn potential_energy_on(&self, ex: &Exec) -> f64 {
        let (fields, place) = (&self.fields, self.fields.place.read());
        let moment = ex.sum_vectors(fields.extent().owned, CHUNK, |range| {
            let alone = range.filter(|i| fields.clump_of(*i) == ALONE);
            alone.map(|i| place[i].vector() * self.mass(i)).sum()
        });
        -self.model.settings.gravity.dot(moment + self.clumps.moment(ex))
    }

    /// Energy [J] in the springs of the contacts of the last step, those with walls too; before the first step, of
    /// the grains as they are.
    pub fn elastic_energy(&self) -> f64 {
        self.elastic_energy_on(&Exec::serial())
    }

    /// The same as [`GrainSystem::elastic_energy`], on many threads, with bit-identical results.
    pub fn elastic_energy_on(&self, ex: &Exec) -> f64 {
        if !self.fresh && !self.is_empty() {
            let mut start = self.clone();
            start.meter = None;
            // In a step of no length springs do not grow.
            start.update_forces(ex, 0.0);
            return start.elastic_energy_on(ex);
        }
        let of_chunks = |of: &(dyn Fn(usize) -> f64 + Sync)| {
            ex.sum(self.list.chunks.len(), 1, |range| range.map(of).sum())
        };
        of_chunks(&|c| self.elastic_energy_of_pairs(c)) + of_chunks(&|c| self.elastic_energy_at_walls(c))
    }

    /// Energy [J] in the springs between the grains of the pairs of a chunk.
    fn elastic_energy_of_pairs(&self, c: usize) -> f64 {
        let (material, layout) = (self.fields.material.read(), self.model.laws.layout);
        let mut sum = 0.0;
        self.for_each_touching_of(c, |i, j, memory| {
            let law = self.model.law_of(material[i].into(), material[j].into());
            let (motion, memory) = (self.pair_motion(i, j, 0.0), layout.unpacked(memory));
            sum += stored_energy(&self.model.laws.model, law, &motion, &memory);
        });
        sum
    }

    /// Energy [J] in the springs between the grains of a chunk and walls.
    fn elastic_energy_at_walls(&self, c: usize) -> f64 {
        let (fields, layout, walls) = (&self.fields, self.model.laws.layout, &self.list.chunks[c].walls);
        let width = layout.width();
        let mut sum = 0.0;
        for (k, known) in walls.known.iter().enumerate() {
            let (index, wall) = (c * CHUNK + known.item as usize, &self.walls[known.wall as usize]);
            let motion = ContactMotion {
                gap: -known.depth,
                normal: Vec3::Z,
                velocity: Vec3::ZERO,
                velocity_before: None,
                angular_velocity: Vec3::ZERO,
                effective_mass: 1.0 / (fields.motion.read()[index].0[3] + wall.inverse_mass),
                effective_radius: known.radius,
                step: 0.0,
            };
            let memory = layout.unpacked(&walls.history[k * width..(k + 1) * width]);
            let law = self.model.law_of(fields.material.read()[index].into(), wall.material);
            sum += stored_energy(&self.model.laws.model, law, &motion, &memory);
        }
        sum
    }

    /// Notes what the forces of a step of `step` [s] are to be found from, at the time `time` [s].
    pub(crate) fn note_meetings(&mut self, ex: &Exec, step: f64, time: f64) {
        let Some(mut meter) = self.meter.take() else { return };
        let system = &*self;
        meter.chunks.resize_with(system.list.chunks.len(), ChunkMeter::default);
        ex.for_each_chunk(&mut meter.chunks, 1, |c, meter| {
            meter[0].meetings.clear();
            system.note_pairs(c, step, &mut meter[0].meetings);
            system.note_walls_of(c, step, &mut meter[0].meetings);
            let own = c * CHUNK..((c + 1) * CHUNK).min(system.len());
            meter[0].fields.clear();
            if !system.model.surroundings.is_empty() {
                meter[0].fields.extend(own.map(|i| system.field_force(i, time)));
            }
        });
        self.meter = Some(meter);
    }

    fn note_pairs(&self, c: usize, step: f64, out: &mut Vec<Meeting>) {
        let (chunk, layout) = (&self.list.chunks[c], self.model.laws.layout);
        let width = layout.width();
        for (item, ends) in chunk.starts.windows(2).enumerate() {
            for p in ends[0] as usize..ends[1] as usize {
                let (index, other) = (c * CHUNK + item, (chunk.other[p] & INDEX) as usize);
                let motion = self.pair_motion(index, other, step);
                let touched = chunk.other[p] & TOUCHING != 0;
                if motion.gap < 0.0 || touched {
                    let memory = &chunk.history[p * width..(p + 1) * width];
                    let old = if touched { layout.unpacked(memory) } else { ContactHistory::default() };
                    out.push(Meeting { index, other: Other::Grain(other), motion, old });
                }
            }
        }
    }

    fn note_walls_of(&self, c: usize, step: f64, out: &mut Vec<Meeting>) {
        let layout = self.model.laws.layout;
        let width = layout.width();
        // Contacts go over to other parts of a surface as in the step itself.
        let mut chunk = self.list.chunks[c].walls.clone();
        let (mut feet, mut cursor) = (Feet::default(), 0);
        chunk.start();
        for p in 0..chunk.near.len() {
            let near = chunk.near[p];
            let (index, wall) = (c * CHUNK + near.item as usize, near.wall as usize);
            let (x, r) = (self.fields.place.read()[index].vector(), self.fields.place.read()[index].0[3]);
            let at = &self.walls[wall];
            at.surface.touch(at.local(x), r, chunk.triangles(p), &mut feet);
            let first = chunk.carry_on(near, r, &feet.out, &mut cursor, width);
            for (k, foot) in feet.out.iter().enumerate() {
                let old = layout.unpacked(&chunk.history[(first + k) * width..(first + k + 1) * width]);
                let motion = self.wall_meeting(index, wall, foot, step);
                out.push(Meeting { index, other: Other::Wall(wall, *foot), motion, old });
            }
        }
    }

    /// Adds up the losses of the last `step` [s], at the end of which velocities are known.
    pub(crate) fn count_losses(&mut self, ex: &Exec, step: f64) {
        let Some(mut meter) = self.meter.take() else { return };
        let system = &*self;
        ex.for_each_chunk(&mut meter.chunks, 1, |c, meter| {
            let meter = &mut meter[0];
            meter.losses = StepLosses::default();
            for meeting in &meter.meetings {
                meter.losses += system.losses_of(meeting);
            }
            let work =
                |(k, force): (usize, &Vec3)| force.dot(system.fields.motion.read()[c * CHUNK + k].vector());
            meter.field_power = meter.fields.iter().enumerate().map(work).sum::<f64>() + system.near_power(c);
        });
        let (mut lost, mut field_power) = (StepLosses::default(), 0.0);
        for chunk in &meter.chunks {
            lost += chunk.losses;
            field_power += chunk.field_power;
        }
        meter.dissipated += lost.slip + (meter.power + lost.power) * (0.5 * step);
        meter.field_work += (meter.field_power + field_power) * (0.5 * step);
        (meter.power, meter.field_power) = (lost.power, field_power);
        self.meter = Some(meter);
    }

    fn losses_of(&self, meeting: &Meeting) -> StepLosses {
        let (index, fields) = (meeting.index, &self.fields);
        let own = fields.material.read()[index].into();
        let (now, law) = match &meeting.other {
            Other::Grain(j) => {
                (self.pair_motion(index, *j, 0.0), self.model.law_of(own, fields.material.read()[*j].into()))
            }
            Other::Wall(wall, foot) => (
                self.wall_meeting(index, *wall, foot, 0.0),
                self.model.law_of(own, self.walls[*wall].material),
            ),
        };
        losses(&self.model.laws.model, law, &meeting.motion, &meeting.old, now.velocity, now.angular_velocity)
    }
}
