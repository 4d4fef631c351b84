//! Fluids in a world: their particles, and the walls, bodies and structures in them.

mod build;
mod constraint;
mod flow;
mod quantities;
mod solids;
mod view;

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_particles::ParticleError;
use huygens_particles::described::check_fluid;
use huygens_particles::sph::FluidSystem;

use super::coordinates::Owner;
use super::{Build, Object, Result, World, WorldError};
use crate::spec::FlowPlane;
use crate::spec::{FluidSpec, Section};

use flow::{Flow, Reading};
use solids::FluidSolid;

pub(super) use quantities::{FluidQuantity, tables as quantity_tables};

/// Handle of a fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FluidId(usize);

impl FluidId {
    /// Place among the fluids, in the order of adding.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A field of all particles of a fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FluidField {
    /// Positions [m].
    Position,
    /// Velocities [m/s].
    Velocity,
    /// Densities [kg/m³].
    Density,
    /// Pressures [Pa].
    Pressure,
}

impl FluidField {
    /// Numbers a particle.
    pub fn components(self) -> usize {
        if matches!(self, Self::Density | Self::Pressure) { 1 } else { 3 }
    }
}

/// Status of a fluid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FluidStatus {
    /// Its name.
    pub name: String,
    /// Particles.
    pub particles: usize,
    /// Markers of walls, bodies and structures.
    pub markers: usize,
    /// Particles that left the bounds.
    pub lost: u64,
    /// Last step of the fluid [s].
    pub step: f64,
    /// Speed of sound [m/s]; 0 for a constraint fluid.
    pub sound: f64,
    /// Greatest speed [m/s].
    pub speed: f64,
    /// Greatest less least density, over that at rest; for a constraint fluid, greatest excess over that at rest.
    pub compressibility: f64,
}

impl std::fmt::Display for FluidStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, particles, lost, step, speed, compressibility, .. } = self;
        write!(f, "{name}: {particles} particles, step {step:.2e} s, {speed:.3} m/s, ")?;
        write!(f, "density within {:.2} %", 100.0 * compressibility)?;
        if *lost > 0 { write!(f, ", {lost} lost") } else { Ok(()) }
    }
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
    /// Whether density was found to vary too much, and particles to be lost.
    warned: [bool; 2],
}

impl Build for FluidSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_fluid(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.fluids.iter().map(|set| &set.spec)
    }

    fn remove(_: &mut World, name: &str) -> Result<()> {
        Err(WorldError::input(Section::Fluids, name, None, "fluids cannot be removed"))
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
        for (k, fill) in spec.fills.iter().enumerate() {
            self.check_fill(owner, k, fill)?;
        }
        let material = self.marker_material(owner, &spec)?;
        if spec.is_constraint() {
            self.add_wall_bodies(owner, &mut solids)?;
        }
        let id = FluidId(self.objects.fluids.len());
        self.objects.names.insert(name, Object::Fluid(id));
        self.objects.fluids.push(FluidSet {
            spec,
            solids,
            flow: None,
            pull: DVec3::ZERO,
            material,
            warned: [false; 2],
        });
        Ok(id)
    }

    pub(super) fn fluid_of(&self, fluid: FluidId) -> Result<&FluidSet> {
        let missing = || WorldError::Unknown { kind: "fluid", name: format!("{fluid:?}"), suggestion: None };
        self.objects.fluids.get(fluid.0).ok_or_else(missing)
    }

    /// Fluids with their descriptions, in the order of adding.
    pub fn fluids(&self) -> impl Iterator<Item = (FluidId, &FluidSpec)> {
        self.objects.fluids.iter().enumerate().map(|(k, set)| (FluidId(k), &set.spec))
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
    fn read_fluid(&mut self, fluid: FluidId) -> Result<Reading<'_>> {
        self.initialize()?;
        let missing = || WorldError::Unknown { kind: "fluid", name: format!("{fluid:?}"), suggestion: None };
        self.fluid_of(fluid)?.reading(self).ok_or_else(missing)
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
        let particles = self.read_fluid(fluid)?.particles();
        let mut out = Vec::with_capacity(particles.len() * field.components());
        for p in particles {
            match field {
                FluidField::Position => out.extend(p.position.to_array()),
                FluidField::Velocity => out.extend(p.velocity.to_array()),
                FluidField::Density => out.push(p.density),
                FluidField::Pressure => out.push(p.pressure),
            }
        }
        Ok(out)
    }

    /// Force [N] and torque [N·m] by the fluid on a wall, a body or a structure of it, the mean over the last step: about
    /// the origin of a wall, the centre of mass of a body, the origin of the world for a structure.
    pub fn fluid_force(&self, fluid: FluidId, on: &str) -> Result<([f64; 3], [f64; 3])> {
        let set = self.fluid_of(fluid)?;
        match set.solids.iter().position(|s| s.name == on) {
            Some(solid) => {
                let [force, torque] = self.solid_wrench(set, solid);
                Ok((force.to_array(), torque.to_array()))
            }
            None => {
                let names = set.solids.iter().map(|s| s.name.as_str());
                let suggestion = closest_name(on, names).map(str::to_owned);
                Err(WorldError::Unknown { kind: "wall", name: on.into(), suggestion })
            }
        }
    }

    /// Pressure [Pa] and velocity [m/s] of a fluid at a point [m], as a mean over the particles near it; none where there
    /// are none. The model is built if it is not.
    pub fn fluid_at(&mut self, fluid: FluidId, point: [f64; 3]) -> Result<Option<(f64, [f64; 3])>> {
        self.initialize()?;
        let set = self.fluid_of(fluid)?;
        let point = set.in_plane(DVec3::from_array(point));
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
        self.objects.fluids.iter().map(|set| set.status(self)).collect()
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

/// Gives walls, inlets and outlets without a name one, and refuses names that are used twice.
fn name_parts(spec: &mut FluidSpec, owner: Owner<'_>) -> Result<()> {
    let mut taken: Vec<String> = Vec::new();
    let given = spec.bodies.iter().enumerate().map(|(k, name)| (format!("bodies.{k}"), name));
    let given = given.chain(spec.structures.iter().enumerate().map(|(k, n)| (format!("structures.{k}"), n)));
    for (path, name) in given {
        if taken.contains(name) {
            return Err(owner.error(&path, format!("'{name}' is named twice")));
        }
        taken.push(name.clone());
    }
    let walls = spec.walls.iter_mut().enumerate().map(|(k, s)| ("wall", k, &mut s.name));
    let inlets = spec.inlets.iter_mut().enumerate().map(|(k, s)| ("inlet", k, &mut s.name));
    let outlets = spec.outlets.iter_mut().enumerate().map(|(k, s)| ("outlet", k, &mut s.name));
    for (noun, k, name) in walls.chain(inlets).chain(outlets) {
        if name.is_empty() {
            *name = format!("{noun}{}", k + 1);
        }
        if taken.contains(name) {
            let problem = format!("there is already a part '{name}' of this fluid; names must be unique");
            return Err(owner.error(&format!("{noun}s.{k}.name"), problem));
        }
        taken.push(name.clone());
    }
    Ok(())
}

impl FluidSet {
    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }

    /// Puts an error of the particle system on this fluid.
    fn blame(&self, source: ParticleError) -> WorldError {
        match source {
            ParticleError::Stopped(stopped) => stopped.into(),
            source => WorldError::Fluid { fluid: self.spec.name.clone(), source },
        }
    }

    /// A point in the plane of the flow.
    fn in_plane(&self, mut point: DVec3) -> DVec3 {
        if let Some(normal) = self.spec.plane.map(FlowPlane::normal) {
            point[normal] = 0.0;
        }
        point
    }

    fn status(&self, world: &World) -> FluidStatus {
        let mut status = FluidStatus {
            name: self.spec.name.clone(),
            step: world.step_of_fluid(self),
            ..FluidStatus::default()
        };
        if let Some(fluid) = self.reading(world) {
            status.particles = fluid.len();
            status.markers = self.solids.iter().flat_map(|s| &s.parts).map(Vec::len).sum();
            status.lost = fluid.lost();
            status.sound = fluid.sound();
            if fluid.len() > 0 {
                status.speed = fluid.speed();
                status.compressibility = fluid.compressibility();
            }
        }
        status
    }
}
