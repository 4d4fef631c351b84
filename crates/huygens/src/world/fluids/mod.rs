//! Fluids in a world: their particles, and the walls, bodies and structures in them.

mod build;
mod constraint;
mod quantities;
mod solids;
mod view;

use glam::DVec3;
use huygens_core::Id;
use huygens_particles::constraint_fluid::{ConstraintFluid, FluidPlace};
use huygens_particles::described::check_fluid;
use huygens_particles::sph::{FlowSpace, FluidBlock, FluidSystem};
use huygens_particles::{DensityWatch, FluidField, FluidStatus, FluidView, ParticleError};

use super::coordinates::Owner;
use super::coupling::{PartNames, blame_on, missing_part};
use super::warnings::About;
use super::{Build, Object, Result, World, WorldError};
use crate::spec::{FluidSpec, Section};

use solids::FluidSolid;

pub(super) use quantities::{FluidQuantity, tables as quantity_tables};

/// Handle of a fluid; it goes stale when the fluid is removed and never stands for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FluidId(Id<FluidSet>);

/// What moves a fluid.
enum Flow {
    /// Particles in steps of their own: a sub-system, whose state is a block.
    Particles,
    /// Markers in the model, with rows of its cone problem.
    Markers(Markers),
}

/// A constraint fluid.
struct Markers {
    /// As it goes into a model.
    fluid: ConstraintFluid,
    /// Where it is in the model; none while there is none.
    place: Option<FluidPlace>,
}

/// A fluid.
pub(super) struct FluidSet {
    spec: FluidSpec,
    pub solids: Vec<FluidSolid>,
    /// What moves it; none while it is not made.
    flow: Option<Flow>,
    /// Acceleration with which it falls [m/s²].
    pull: DVec3,
    /// Number of the contact material of its markers.
    material: u16,
    /// Looks after its density, for a warning; no result depends on it.
    watch: DensityWatch,
}

impl Build for FluidSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_fluid(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.fluids.iter().map(|(_, set)| &set.spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        let id = world.fluid(name)?;
        let set = world.objects.fluids.remove(id.0);
        for body in set.iter().flat_map(|set| &set.solids).filter_map(|solid| solid.body) {
            world.objects.assembly.remove_body(body);
        }
        world.remove_block(FluidBlock::KIND, name);
        Ok(())
    }
}

impl World {
    /// Adds a fluid.
    ///
    /// ```
    /// use huygens::prelude::*;
    ///
    /// // A puddle, in the plane: after a while the floor bears its weight.
    /// let mut world = World::new([0.0, 0.0, -9.81]);
    /// let (low, high) = ([0.0, 0.0, 0.0], [0.1, 0.0, 0.05]);
    /// let water = world.add_fluid(FluidSpec {
    ///     plane: Some(FlowPlane::Xz),
    ///     artificial: 0.2,
    ///     walls: vec![FluidWallSpec::tank("tank", low, [0.1, 0.0, 0.1], &[WallFace::UpperZ])],
    ///     fills: vec![FluidFillSpec::between(low, high)],
    ///     ..FluidSpec::new("water", 0.005)
    /// })?;
    /// world.run(0.1)?;
    /// let weight = 1000.0 * 0.1 * 0.05 * 9.81;
    /// let ([_, _, force], _) = world.fluid_force(water, "tank")?;
    /// assert!((force / -weight - 1.0).abs() < 0.05, "{force} {weight}");
    /// # Ok::<(), huygens::WorldError>(())
    /// ```
    pub fn add_fluid(&mut self, mut spec: FluidSpec) -> Result<FluidId> {
        let name = self.claim(&mut spec)?;
        let owner = Owner { section: Section::Fluids, name: &name };
        check_fluid(&spec).map_err(|(field, e)| owner.error(&field, e))?;
        self.suspend();
        name_parts(&mut spec, owner)?;
        let mut solids = self.fluid_solids(owner, &spec)?;
        let material = self.marker_material(owner, &spec)?;
        if spec.is_constraint() {
            self.add_wall_bodies(owner, &mut solids)?;
        }
        let id = FluidId(self.objects.fluids.insert(FluidSet {
            spec,
            solids,
            flow: None,
            pull: DVec3::ZERO,
            material,
            watch: DensityWatch::default(),
        }));
        self.objects.names.insert(name, Object::Fluid(id));
        Ok(id)
    }

    pub(super) fn fluid_of(&self, fluid: FluidId) -> Result<&FluidSet> {
        self.objects.fluids.get(fluid.0).ok_or_else(|| gone(fluid))
    }

    fn fluid_mut(&mut self, fluid: FluidId) -> Result<&mut FluidSet> {
        self.objects.fluids.get_mut(fluid.0).ok_or_else(|| gone(fluid))
    }

    /// Handles of all fluids, in the order of adding.
    fn fluid_handles(&self) -> Vec<FluidId> {
        self.objects.fluids.iter().map(|(id, _)| FluidId(id)).collect()
    }

    /// Fluids with their descriptions, in the order of adding.
    pub fn fluids(&self) -> impl Iterator<Item = (FluidId, &FluidSpec)> {
        self.objects.fluids.iter().map(|(id, set)| (FluidId(id), &set.spec))
    }

    /// The engine's particle system of a weakly compressible fluid; the model is built if it is not.
    pub fn fluid_system(&mut self, fluid: FluidId) -> Result<&FluidSystem> {
        self.initialize()?;
        let set = self.fluid_of(fluid)?;
        self.fluid_block(&set.spec.name).map(|block| &block.system).ok_or_else(|| WorldError::Value {
            what: "fluid_system".into(),
            value: format!("fluid '{}', which is a constraint fluid", set.spec.name),
            expected: "a weakly compressible fluid".into(),
        })
    }

    /// A fluid at the state of the world; the model is built if it is not.
    fn read_fluid(&mut self, fluid: FluidId) -> Result<FluidView<'_>> {
        self.initialize()?;
        self.fluid_of(fluid)?.reading(self).ok_or_else(|| gone(fluid))
    }

    /// Number of particles of a fluid; the model is built if it is not.
    pub fn fluid_count(&mut self, fluid: FluidId) -> Result<usize> {
        Ok(self.read_fluid(fluid)?.len())
    }

    /// Numbers of the particles of a fluid, rising; the order of [`World::fluid_field`].
    pub fn fluid_numbers(&mut self, fluid: FluidId) -> Result<Vec<u64>> {
        Ok(self.read_fluid(fluid)?.particles().iter().map(|p| p.number as u64).collect())
    }

    /// One field of all particles of a fluid, in the order of their numbers, the components of a particle side by side.
    pub fn fluid_field(&mut self, fluid: FluidId, field: FluidField) -> Result<Vec<f64>> {
        Ok(self.read_fluid(fluid)?.field(field))
    }

    /// Force [N] and torque [N·m] by the fluid on a wall, a body or a structure of it, the mean over the last step: about
    /// the origin of a wall, the centre of mass of a body, the origin of the world for a structure.
    pub fn fluid_force(&self, fluid: FluidId, on: &str) -> Result<([f64; 3], [f64; 3])> {
        let set = self.fluid_of(fluid)?;
        let names = set.solids.iter().map(|s| s.draft.name.as_str());
        let found = names.clone().position(|name| name == on);
        let [force, torque] = self.solid_wrench(set, found.ok_or_else(|| missing_part(on, names))?);
        Ok((force.to_array(), torque.to_array()))
    }

    /// Pressure [Pa] and velocity [m/s] of a fluid at a point [m], as a mean over the particles near it; none where there
    /// are none. The model is built if it is not.
    pub fn fluid_at(&mut self, fluid: FluidId, point: [f64; 3]) -> Result<Option<(f64, [f64; 3])>> {
        self.initialize()?;
        let set = self.fluid_of(fluid)?;
        let point = FlowSpace::from(set.spec.plane).project(DVec3::from_array(point));
        let found = set.reading(self).and_then(|fluid| fluid.at(point));
        Ok(found.map(|(pressure, velocity)| (pressure, velocity.to_array())))
    }

    /// Status of a fluid; the model is built if it is not.
    pub fn fluid_status(&mut self, fluid: FluidId) -> Result<FluidStatus> {
        self.initialize()?;
        Ok(self.fluid_of(fluid)?.status(self))
    }

    /// How all fluids do, as far as they are built.
    pub fn fluid_statuses(&self) -> Vec<FluidStatus> {
        self.objects.fluids.iter().map(|(_, set)| set.status(self)).collect()
    }
}

impl World {
    /// Mean force [N] and torque [N·m] by a fluid on a wall, body or structure over the last step.
    fn solid_wrench(&self, set: &FluidSet, solid: usize) -> [DVec3; 2] {
        match &set.flow {
            Some(Flow::Markers(markers)) => self.marker_wrench(set, markers, solid),
            _ => {
                let block = self.fluid_block(&set.spec.name);
                block.and_then(|block| block.wrenches.get(solid)).copied().unwrap_or_default()
            }
        }
    }

    /// Last step of a fluid [s].
    fn step_of_fluid(&self, set: &FluidSet) -> f64 {
        match &set.flow {
            Some(Flow::Markers(_)) => self.state().map_or(0.0, |state| state.last_step_size),
            _ => self.fluid_block(&set.spec.name).map_or(0.0, |block| block.step),
        }
    }

    /// Mass that came through a gate [kg], and its flow over the last step [kg/s].
    fn gate_numbers(&self, set: &FluidSet, gate: usize) -> [f64; 2] {
        let block = self.fluid_block(&set.spec.name);
        block.and_then(|block| block.gates.get(gate)).copied().unwrap_or_default()
    }
}

/// A handle of a fluid that is gone.
fn gone(fluid: FluidId) -> WorldError {
    WorldError::Unknown { kind: "fluid", name: format!("{fluid:?}"), suggestion: None }
}

/// Gives walls, inlets and outlets without a name one, and refuses names that are used twice.
fn name_parts(spec: &mut FluidSpec, owner: Owner<'_>) -> Result<()> {
    let mut names = PartNames::default();
    let bodies = spec.bodies.iter().enumerate().map(|(k, name)| (format!("bodies.{k}"), name));
    let structures = spec.structures.iter().enumerate().map(|(k, name)| (format!("structures.{k}"), name));
    for (field, name) in bodies.chain(structures) {
        names.add(owner, &field, name)?;
    }
    let walls = spec.walls.iter_mut().enumerate().map(|(k, s)| ("wall", k, &mut s.name));
    let inlets = spec.inlets.iter_mut().enumerate().map(|(k, s)| ("inlet", k, &mut s.name));
    let outlets = spec.outlets.iter_mut().enumerate().map(|(k, s)| ("outlet", k, &mut s.name));
    for (noun, k, name) in walls.chain(inlets).chain(outlets) {
        names.claim(owner, noun, k, name)?;
    }
    Ok(())
}

impl World {
    /// Warns once where much of a fluid has been compressed for long, and once where particles are lost.
    pub(in crate::world) fn warn_of_fluids(&mut self) {
        for id in self.fluid_handles() {
            let Some(set) = self.objects.fluids.get(id.0) else { continue };
            let (name, mut watch) = (set.spec.name.clone(), set.watch.clone());
            let (compression, loss) = (About::Compression(name.clone()), About::Loss(name.clone()));
            let wants = |about: &About| !self.reports.warnings.has(about);
            let Some(fluid) = set.reading(self) else { continue };
            let (time, step) = (self.time(), self.step_of_fluid(set));
            let squeezed = wants(&compression).then(|| watch.look(&fluid, time, step)).flatten();
            let lost = wants(&loss).then(|| fluid.loss_warning()).flatten();
            for (about, text) in [(compression, squeezed), (loss, lost)] {
                let Some(text) = text else { continue };
                self.reports.warnings.once(about, || format!("fluid '{name}': {text}"));
            }
            if let Ok(set) = self.fluid_mut(id) {
                set.watch = watch;
            }
        }
    }
}

impl FluidSet {
    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }

    /// The fluid at the state of its world; none while it is not built.
    fn reading<'a>(&'a self, world: &'a World) -> Option<FluidView<'a>> {
        match self.flow.as_ref()? {
            Flow::Particles => Some(FluidView::Particles(&world.fluid_block(&self.spec.name)?.system)),
            Flow::Markers(markers) => {
                Some(FluidView::Markers(markers.place.as_ref()?, world.state()?, self.pull))
            }
        }
    }

    /// Puts errors of the particle system on this fluid.
    fn blame(&self) -> impl Fn(ParticleError) -> WorldError + use<> {
        blame_on(FluidBlock::KIND, &self.spec.name)
    }

    fn status(&self, world: &World) -> FluidStatus {
        let (name, step) = (&self.spec.name, world.step_of_fluid(self));
        let markers = self.solids.iter().flat_map(|s| &s.draft.parts).map(Vec::len).sum();
        let status = self.reading(world).map(|fluid| fluid.status(name, step, markers));
        status.unwrap_or_else(|| FluidStatus { name: name.clone(), step, ..FluidStatus::default() })
    }
}
