//! A weakly compressible fluid: particles, walls, and the step.

use std::ops::Range;

use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;
use huygens_kernel::Vec3;

use super::fields::{FluidFields, NO_ID, is_marker, marker_tag, number};
use super::gates::Gates;
use super::list::{FluidList, FluidListReport, MOST};
use super::loops::{FluidLoops, FluidLoopsCpu, FluidParts, FluidStroke};
use super::model::FluidModel;
use super::settings::{FluidSettings, TimeScheme, ViscousForm};
use super::solid::{Carriage, MarkerMotion, Solid, SolidId, SolidMotion, Solids};
use crate::error::{ParticleError, Result, part_of};
use crate::id::IdSource;
use crate::in_place::clone_in_place;
use crate::row::Row;

/// Least share of neighbours of a fluid without free surface. At a plane surface it is 0.62, and 0.67 in space; in a
/// closed flow disorder hardly takes it below 0.9.
const OPEN: f64 = 0.7;

/// Extremes of a fluid over the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidRange {
    /// Greatest speed [m/s].
    pub speed: f64,
    /// Greatest acceleration [m/s²].
    pub acceleration: f64,
    /// Least and greatest density [kg/m³].
    pub density: [f64; 2],
    /// Least share of neighbours that a particle has, 1 inside a fluid; known while particles are shifted.
    pub inside: f64,
}

impl FluidRange {
    pub(crate) const NONE: Self = Self {
        speed: 0.0,
        acceleration: 0.0,
        density: [f64::INFINITY, f64::NEG_INFINITY],
        inside: f64::INFINITY,
    };

    pub(crate) fn join(self, other: Self) -> Self {
        // A number that is not one stays in sight.
        let most = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
        Self {
            speed: most(self.speed, other.speed),
            acceleration: most(self.acceleration, other.acceleration),
            density: [-most(-self.density[0], -other.density[0]), most(self.density[1], other.density[1])],
            inside: self.inside.min(other.inside),
        }
    }
}

/// A weakly compressible fluid with its walls: a model, the fields of the particles with their list and solids, and the
/// loops that advance them.
#[derive(Debug)]
pub struct FluidSystem {
    pub(crate) model: FluidModel,
    pub(crate) fields: FluidFields,
    pub(crate) solids: Solids,
    pub(crate) list: FluidList,
    /// Distance [m] beyond the support radius of the kernel up to which pairs are in the list.
    pub(crate) skin: f64,
    /// Bound on the displacement [m] of any particle since the list was built, and steps since then.
    pub(crate) way: f64,
    pub(crate) age: u64,
    /// Whether the list has all particles.
    pub(crate) listed: bool,
    /// Whether rates belong to the present positions.
    pub(crate) fresh: bool,
    pub(crate) time: f64,
    pub(crate) step: u64,
    pub(crate) ids: IdSource,
    pub(crate) range: FluidRange,
    pub(crate) gates: Gates,
    /// Where and how loops run.
    loops: Box<dyn FluidLoops>,
}

clone_in_place!(FluidSystem {
    model,
    fields,
    solids,
    list,
    skin,
    way,
    age,
    listed,
    fresh,
    time,
    step,
    ids,
    range,
    gates,
    loops
});

/// Most steps that are taken at once: more would look like a program that hangs.
const MOST_STEPS: f64 = 1e5;

fn check_count(time: f64, count: f64) -> Result<()> {
    match count <= MOST_STEPS {
        true => Ok(()),
        false => Err(ParticleError::FluidSteps { time, count, step: time / count, most: MOST_STEPS }),
    }
}

impl FluidSystem {
    /// A fluid without particles.
    pub fn new(settings: FluidSettings) -> Result<Self> {
        let model = FluidModel::new(settings)?;
        Ok(Self {
            fields: FluidFields::default(),
            solids: Solids::default(),
            list: FluidList::default(),
            skin: 0.1 * model.settings.spacing,
            way: 0.0,
            age: 0,
            listed: false,
            fresh: false,
            time: 0.0,
            step: 0,
            ids: IdSource::default(),
            range: FluidRange::NONE,
            gates: Gates::default(),
            loops: Box::new(FluidLoopsCpu::default()),
            model,
        })
    }

    /// Where the ids of new particles come from.
    pub fn id_source(&self) -> IdSource {
        self.ids
    }

    /// Has the ids of new particles come from `source`; refuses one that would give an id again that a particle has.
    pub fn set_id_source(&mut self, source: IdSource) -> Result<()> {
        match self.fields.id.read().iter().find(|id| **id >= source.next() && **id != NO_ID) {
            Some(id) => Err(ParticleError::IdInUse { id: *id }),
            None => {
                self.ids = source;
                Ok(())
            }
        }
    }

    /// Runs the loops with other instructions than the best of the machine, to compare them.
    pub fn use_instructions(&mut self, instructions: InstructionSet) {
        self.loops = Box::new(FluidLoopsCpu::with_instructions(instructions));
    }

    /// The loops, and what they work on.
    fn split(&mut self) -> (&mut dyn FluidLoops, FluidParts<'_>) {
        let open = self.range.inside < OPEN;
        let Self { model, fields, solids, list, loops, .. } = self;
        (loops.as_mut(), FluidParts { model, fields, list, solids, open })
    }

    /// Settings.
    pub fn settings(&self) -> &FluidSettings {
        &self.model.settings
    }

    /// Sets gravity and other body forces [m/s²]; refuses what is not finite or not in the plane of the flow.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<()> {
        if gravity == self.model.settings.gravity {
            return Ok(());
        }
        let settings = FluidSettings { gravity, ..self.model.settings.clone() };
        settings.check()?;
        self.model.settings = settings;
        self.fresh = false;
        Ok(())
    }

    /// Adds a particle at rest density; its number.
    pub fn add(&mut self, position: Vec3, velocity: Vec3) -> Result<usize> {
        self.add_with_pressure(position, velocity, 0.0)
    }

    /// Adds a particle with the density that belongs to a pressure [Pa]; its number.
    pub fn add_with_pressure(&mut self, position: Vec3, velocity: Vec3, pressure: f64) -> Result<usize> {
        let (position, velocity) = (self.in_plane(position)?, self.check_velocity(velocity)?);
        self.check_room(1)?;
        let FluidSettings { density: rest, sound, state, .. } = self.model.settings;
        let density = state.density(rest, sound, pressure);
        if !(density > 0.0 && density.is_finite()) {
            let what = "the pressure of a fluid particle";
            return Err(ParticleError::range(what, pressure, "one with a density above 0"));
        }
        let id = self.ids.take(1).start;
        let motion = Row::new(velocity, pressure / (density * density));
        self.fields.push(Row::new(position, 1.0 / density), motion, 0, id);
        self.renew();
        Ok(id as usize)
    }

    /// Adds a rigid wall or body: markers at points [m] of its frame. Where it slips, it has no friction.
    pub fn add_solid(
        &mut self,
        name: &str,
        points: &[Vec3],
        motion: SolidMotion,
        slip: bool,
    ) -> Result<SolidId> {
        let carriage = Carriage::Rigid { motion, points: points.to_vec() };
        self.add_carried(name, points.len(), carriage, slip)
    }

    /// Adds a solid that changes its shape: markers that move each on its own, at constant velocities until they are
    /// [set](Self::set_solid_markers) again.
    ///
    /// Markers that move as those of a rigid solid, with its angular velocity, feel what they do. What the fluid does
    /// to each marker is in [`marker_forces`](Self::marker_forces) and, with the weights of the steps, in
    /// [`take_marker_impulses`](Self::take_marker_impulses).
    pub fn add_flexible(&mut self, name: &str, markers: &[MarkerMotion], slip: bool) -> Result<SolidId> {
        self.add_carried(name, markers.len(), Carriage::Free { markers: markers.to_vec() }, slip)
    }

    fn add_carried(&mut self, name: &str, count: usize, carriage: Carriage, slip: bool) -> Result<SolidId> {
        self.check_room(count)?;
        let first = self.solids.slots.len();
        if let Some((k, at)) = carriage.lost() {
            let at = at.to_array();
            return Err(ParticleError::FluidLost { what: "wall marker", number: first + k, at });
        }
        let changing = matches!(carriage, Carriage::Free { .. });
        let density = self.model.settings.density;
        for k in 0..count {
            self.solids.slots.push(self.fields.len() as u32);
            self.solids.forces.push(Row::ZERO);
            let place = Row([0.0, 0.0, 0.0, 1.0 / density]);
            self.fields.push(place, Row::ZERO, marker_tag(first + k, slip), NO_ID);
        }
        let id = SolidId(self.solids.list.len());
        self.solids.list.push(Solid {
            name: name.to_owned(),
            first,
            count,
            carriage,
            belt: Vec3::ZERO,
            wrench: [Vec3::ZERO; 2],
            impulse: [Vec3::ZERO; 2],
            pushes: vec![[Vec3::ZERO; 2]; if changing { count } else { 0 }],
        });
        self.solids.place(&mut self.fields, self.model.periods, id);
        self.renew();
        Ok(id)
    }

    /// Sets how a rigid solid moves from now on, at constant velocities.
    pub fn set_solid_motion(&mut self, id: SolidId, motion: SolidMotion) -> Result<()> {
        self.solids.set_motion(id, motion)?;
        self.way += self.solids.place(&mut self.fields, self.model.periods, id);
        Ok(())
    }

    /// Sets the velocity [m/s] of the surface of a rigid solid while the solid stays where it is, in its axes: that of a belt.
    /// In a plane the part along it counts. It is a setting, no part of saved states.
    pub fn set_belt(&mut self, id: SolidId, velocity: Vec3) -> Result<()> {
        let space = self.model.settings.space;
        self.solids.set_belt(id, velocity, space)?;
        self.solids.place(&mut self.fields, self.model.periods, id);
        self.fresh = false;
        Ok(())
    }

    /// Sets where the markers of a solid that changes its shape are, and how they move from now on.
    pub fn set_solid_markers(&mut self, id: SolidId, markers: &[MarkerMotion]) -> Result<()> {
        self.solids.set_markers(id, markers)?;
        self.way += self.solids.place(&mut self.fields, self.model.periods, id);
        Ok(())
    }

    /// Markers of a solid as they move now.
    pub fn solid_markers(&self, id: SolidId) -> Result<Vec<MarkerMotion>> {
        Ok(self.solids.get(id)?.markers())
    }

    /// Force on a solid [N] and torque about its origin (about that of the world where it changes its shape) [N·m].
    pub fn solid_wrench(&self, id: SolidId) -> Result<[Vec3; 2]> {
        Ok(self.solids.get(id)?.wrench)
    }

    /// Impulse on a solid [N·s] and its moment since it was last taken.
    pub fn take_solid_impulse(&mut self, id: SolidId) -> Result<[Vec3; 2]> {
        Ok(std::mem::take(&mut self.solids.get_mut(id)?.impulse))
    }

    /// Writes the impulses [N·s] on the markers of a solid that changes its shape since they were last taken to `out`,
    /// and starts from zero: their sum is the impulse on the solid, to round-off.
    pub fn take_marker_impulses(&mut self, id: SolidId, out: &mut [Vec3]) -> Result<()> {
        let solid = self.solids.get_mut(id)?;
        if out.len() != solid.pushes.len() {
            return Err(ParticleError::range(
                part_of("the number of impulses", "solid", &solid.name),
                out.len() as f64,
                "as many as it was made of, or none where it is rigid",
            ));
        }
        for (out, [_, impulse]) in out.iter_mut().zip(&mut solid.pushes) {
            *out = std::mem::take(impulse);
        }
        Ok(())
    }

    /// Forces on the markers of a solid [N] and pressures there [Pa].
    pub fn marker_forces(&self, id: SolidId) -> Result<&[Row]> {
        let Solid { first, count, .. } = *self.solids.get(id)?;
        Ok(&self.solids.forces[first..first + count])
    }

    fn check_room(&self, count: usize) -> Result<()> {
        match self.fields.len() + count {
            total if total <= MOST => Ok(()),
            count => Err(ParticleError::TooMany { count, limit: MOST }),
        }
    }

    /// A position in the plane of the flow.
    fn in_plane(&self, position: Vec3) -> Result<Vec3> {
        match position.is_finite() {
            true => Ok(position),
            false => {
                Err(ParticleError::range("the position of a fluid particle", position.length(), "finite"))
            }
        }
    }

    fn check_velocity(&self, velocity: Vec3) -> Result<Vec3> {
        let off = self.model.settings.space.normal().map_or(0.0, |normal| velocity[normal]);
        match velocity.is_finite() && off == 0.0 {
            true => Ok(velocity),
            false => Err(ParticleError::range(
                "the velocity of a fluid particle",
                if off == 0.0 { velocity.length() } else { off },
                "finite, and in the plane of the flow",
            )),
        }
    }

    fn renew(&mut self) {
        (self.listed, self.fresh) = (false, false);
    }

    /// Number of fluid particles.
    pub fn len(&self) -> usize {
        self.fields.len() - self.solids.slots.len()
    }

    /// Whether there is no fluid.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Time [s].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Extremes at the last evaluation.
    pub fn range(&self) -> FluidRange {
        self.range
    }

    /// How the list of pairs does.
    pub fn list_report(&self) -> FluidListReport {
        self.list.report
    }

    /// Fluid particles in the present order: number, position [m], velocity [m/s], density [kg/m³], pressure [Pa].
    pub fn particles(&self) -> impl Iterator<Item = FluidParticle> {
        self.particles_in(0..self.fields.len())
    }

    /// The same for a range of indices in the fields.
    pub(super) fn particles_in(&self, range: Range<usize>) -> impl Iterator<Item = FluidParticle> {
        let fields = &self.fields;
        let (place, motion) = (fields.place.read(), fields.motion.read());
        let (tag, id) = (fields.tag.read(), fields.id.read());
        range.filter(|i| !is_marker(tag[*i])).map(|i| {
            let density = 1.0 / place[i].0[3];
            FluidParticle {
                number: id[i] as usize,
                position: place[i].vector(),
                velocity: motion[i].vector(),
                density,
                pressure: motion[i].0[3] * density * density,
            }
        })
    }

    /// Bytes of the fields and of the list.
    pub fn bytes(&self) -> usize {
        let FluidFields { place, motion, rate, tag, id, drift } = &self.fields;
        let rows: usize = [place, motion, rate, drift].iter().map(|rows| rows.bytes()).sum();
        rows + tag.bytes()
            + id.bytes()
            + 36 * self.solids.slots.len()
            + 24 * self.solids.spins.len()
            + self.list.bytes()
    }

    /// Longest stable step [s] at the present speeds and accelerations.
    pub fn step_limit(&self) -> f64 {
        let FluidSettings { limits, sound, density, .. } = &self.model.settings;
        // Forces along lines of centres resist compression three times as much as shear: 4μ/3 and the bulk viscosity 5μ/3.
        let stiff = if self.model.settings.viscous_form == ViscousForm::Central { 3.0 } else { 1.0 };
        let viscosity = stiff * self.model.settings.rheology.greatest() / density;
        let range = &self.range;
        limits.longest(self.model.settings.length(), *sound, range.speed, range.acceleration, viscosity)
    }

    /// Takes `count` steps of `step` seconds.
    pub fn run(&mut self, ex: &Exec, step: f64, count: u64) -> Result<()> {
        if !(step > 0.0 && step.is_finite()) {
            let what = "the step";
            return Err(ParticleError::range(what, step, "finite and above 0"));
        }
        (0..count).try_for_each(|_| self.advance(ex, step))
    }

    /// Goes on by `time` seconds, in equal steps of at most `step` seconds; the number of steps.
    pub fn run_for_in(&mut self, ex: &Exec, time: f64, step: f64) -> Result<u64> {
        let count = (time / step - 1e-9).ceil().max(1.0);
        check_count(time, count)?;
        self.run(ex, time / count, count as u64)?;
        Ok(count as u64)
    }

    /// Goes on by `time` seconds, in equal steps as long as the limits allow; the number of steps.
    pub fn run_for(&mut self, ex: &Exec, time: f64) -> Result<u64> {
        self.refresh(ex)?;
        let end = self.time + time;
        let mut count = 0;
        while self.time < end - 1e-9 * time {
            let left = end - self.time;
            let steps = (left / self.step_limit()).ceil().max(1.0);
            check_count(left, count as f64 + steps)?;
            self.advance(ex, left / steps)?;
            count += 1;
        }
        self.time = end;
        Ok(count)
    }

    /// Finds the rates at the present positions where they are not known.
    pub fn refresh(&mut self, ex: &Exec) -> Result<()> {
        if !self.listed {
            self.rebuild(ex)?;
        }
        if !self.fresh {
            self.solids.advance(&mut self.fields, self.model.periods, 0.0);
            let (loops, mut parts) = self.split();
            loops.forces(ex, &mut parts);
            self.finish(ex, 0.0)?;
            self.fresh = true;
        }
        Ok(())
    }

    /// One step.
    fn advance(&mut self, ex: &Exec, step: f64) -> Result<()> {
        ex.check_stop()?;
        self.refresh(ex)?;
        self.start(ex, step);
        self.renew_list(ex)?;
        let (loops, mut parts) = self.split();
        loops.forces(ex, &mut parts);
        self.time += step;
        self.step += 1;
        self.finish(ex, step)?;
        if let Some((filter, every)) = self.model.settings.density_filter
            && self.step.is_multiple_of(every)
        {
            self.renew_list(ex)?;
            let (loops, mut parts) = self.split();
            loops.filter(ex, &mut parts, filter);
        }
        self.pass_gates()
    }

    /// Moves all particles to where rates are found for a step of `step` [s], and predicts velocity and density there.
    fn start(&mut self, ex: &Exec, step: f64) {
        let [ahead, bend] = match self.model.settings.scheme {
            TimeScheme::Leapfrog => [step, 0.5 * step],
            TimeScheme::PredictorCorrector => [0.5 * step, 0.0],
        };
        self.stroke(ex, FluidStroke::Predict { ahead, bend }, ahead);
        self.age += 1;
    }

    /// Moves fluid particles, and solids by `time` [s].
    fn stroke(&mut self, ex: &Exec, stroke: FluidStroke, time: f64) {
        let (loops, mut parts) = self.split();
        let farthest = loops.motion(ex, &mut parts, stroke);
        let solids = self.solids.advance(&mut self.fields, self.model.periods, time);
        self.way += farthest.max(solids);
    }

    /// Takes the rates from the outboxes, and ends the step by them.
    fn finish(&mut self, ex: &Exec, step: f64) -> Result<()> {
        let (before, scheme) = (self.range, self.model.settings.scheme);
        let (loops, mut parts) = self.split();
        loops.gather(ex, &mut parts, step, before.speed);
        self.range = self.loops.extremes();
        if before.inside < OPEN {
            // An open fluid stays so: shares of neighbours are not looked at any more.
            self.range.inside = before.inside;
        }
        let counted = match scheme {
            TimeScheme::Leapfrog => [0.5 * step; 2],
            TimeScheme::PredictorCorrector => [0.0, step],
        };
        self.solids.collect(counted);
        if scheme == TimeScheme::PredictorCorrector && step > 0.0 {
            let time = 0.5 * step;
            self.stroke(ex, FluidStroke::Drift { time }, time);
        }
        let FluidRange { speed, acceleration, density, .. } = self.range;
        match speed.is_finite() && acceleration.is_finite() && density[0] > 0.0 && density[1].is_finite() {
            true => Ok(()),
            false if self.is_empty() => Ok(()),
            false => Err(self.not_finite()),
        }
    }

    /// Names the first particle whose numbers are not finite.
    fn not_finite(&self) -> ParticleError {
        let fields = &self.fields;
        let (place, motion, rate) = (fields.place.read(), fields.motion.read(), fields.rate.read());
        let mut fluid = (0..fields.len()).filter(|i| !is_marker(fields.tag.read()[*i]));
        let first = fluid.clone().next().unwrap_or(0);
        let fault = |i: usize| -> Option<(usize, &'static str)> {
            let faults = [
                (!place[i].vector().is_finite(), "position"),
                (!motion[i].vector().is_finite(), "velocity"),
                (!(place[i].0[3] > 0.0 && place[i].0[3].is_finite()), "density"),
                (!rate[i].vector().is_finite(), "acceleration"),
            ];
            faults.iter().find(|fault| fault.0).map(|fault| (i, fault.1))
        };
        let (i, what) = fluid.find_map(fault).unwrap_or((first, "velocity"));
        ParticleError::FluidNonFinite {
            number: fields.name(i),
            what,
            time: self.time,
            step: self.step,
            at: place[i].vector().to_array(),
        }
    }

    /// Makes the list again where it is due.
    fn renew_list(&mut self, ex: &Exec) -> Result<()> {
        // Two particles may have come nearer by twice the longest way; a part of the skin is left for rounding.
        match !self.listed || self.way > 0.49 * self.skin {
            true => self.rebuild(ex),
            false => Ok(()),
        }
    }

    /// Notes where the markers are in the fields.
    pub(super) fn number_slots(&mut self) {
        for (i, tag) in self.fields.tag.read().iter().enumerate().filter(|(_, tag)| is_marker(**tag)) {
            self.solids.slots[number(*tag)] = i as u32;
        }
    }

    /// Rebuilds the list.
    fn rebuild(&mut self, ex: &Exec) -> Result<()> {
        let spacing = self.model.settings.spacing;
        if self.age > 0 {
            // A list costs about as much as a step, and a longer reach costs with its third power: the sum is least here.
            let pace = self.way / self.age as f64;
            self.skin = (1.7 * pace * spacing).sqrt().clamp(0.02 * spacing, 0.5 * spacing);
        }
        let reach = self.model.settings.reach() + self.skin;
        let (loops, mut parts) = self.split();
        loops.list(ex, &mut parts, reach)?;
        self.number_slots();
        (self.way, self.age, self.listed) = (0.0, 0, true);
        Ok(())
    }
}

/// A particle of a fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidParticle {
    /// Id, which stays the same and is never given again.
    pub number: usize,
    /// Position [m].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Density [kg/m³].
    pub density: f64,
    /// Pressure [Pa].
    pub pressure: f64,
}
