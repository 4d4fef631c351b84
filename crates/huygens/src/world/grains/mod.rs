//! Granular matter in a world: sets of grains, their walls, and what they hold.

mod build;
mod clumps;
mod lines;
mod listed;
mod measures;
mod quantities;
mod rain;
mod sources;
mod view;
mod walls;

use glam::DVec3;
use huygens_multibody::MaterialId;
use huygens_particles::Drag;
use huygens_particles::{Grain, GrainBlock, GrainSystem, ParticleError, Row, Traffic};

use super::coordinates::Owner;
use super::{Build, Object, Result, World, WorldError};
use crate::spec::{DEFAULT_MATERIAL, GrainStep, GrainsSpec, MAX_GRAINS, MAX_WALLS, ParticlesSpec, Section};

use clumps::{ClumpKind, Waiting};
use rain::Rain;

pub use clumps::ClumpStates;
pub use measures::GrainTable;
pub(super) use quantities::{GrainQuantity, tables as quantity_tables};
pub use rain::RainProgress;
pub(super) use sources::mesh_of;
pub(super) use walls::GrainWall;

/// Handle of a set of grains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrainsId(usize);

impl GrainsId {
    /// Place among the sets of grains, in the order of adding.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A field of all grains of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrainField {
    /// Centres [m].
    Position,
    /// Velocities [m/s].
    Velocity,
    /// Angular velocities [rad/s], world axes.
    AngularVelocity,
    /// Forces of contacts [N].
    Force,
    /// Torques of contacts about the centres [N·m].
    Torque,
    /// Radii [m].
    Radius,
    /// Masses [kg], of spheres of a clump their shares of its mass; infinite for grains that forces do not move.
    Mass,
}

impl GrainField {
    /// Numbers per grain.
    pub fn components(self) -> usize {
        if matches!(self, Self::Radius | Self::Mass) { 1 } else { 3 }
    }
}

/// A set of grains.
pub(super) struct GrainSet {
    spec: GrainsSpec,
    /// Materials of grains and walls, by the index they have in the system.
    materials: Vec<MaterialId>,
    /// Kinds of clumps, by the index they have in the system.
    kinds: Vec<ClumpKind>,
    /// Grains and clumps that wait for the system to be built.
    waiting: Vec<Waiting>,
    /// Rain that falls before the system is built.
    rains: Vec<Rain>,
    pub walls: Vec<GrainWall>,
    /// Inlets, outlets and the domain boundary, as they start.
    traffic: Option<Traffic>,
}

impl Build for GrainsSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_grains(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.grains.iter().map(|set| &set.spec)
    }

    fn remove(_: &mut World, name: &str) -> Result<()> {
        Err(WorldError::input(Section::Grains, name, None, "grains cannot be removed"))
    }
}

impl World {
    /// Adds granular matter.
    ///
    /// ```
    /// use huygens::prelude::*;
    ///
    /// let mut world = World::new([0.0, 0.0, -9.81]);
    /// world.add_material(MaterialSpec { restitution: 0.5, ..MaterialSpec::elastic("glass", 5e6, 0.2) })?;
    /// let positions = (0..10).map(|k| [2.2e-3 * f64::from(k), 0.0, 1.1e-3]).collect();
    /// let sand = world.add_grains(GrainsSpec {
    ///     material: Some("glass".into()),
    ///     walls: vec![WallSpec::plane("floor", [0.0; 3], [0.0, 0.0, 1.0])],
    ///     particles: vec![ParticlesSpec::spheres(positions, 1e-3, 2500.0)],
    ///     ..GrainsSpec::new("sand")
    /// })?;
    /// world.run(0.2)?;
    /// let weight = 10.0 * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-9 * 9.81;
    /// assert!((world.wall_force(sand, "floor")?.0[2] / -weight - 1.0).abs() < 0.01);
    /// # Ok::<(), huygens::WorldError>(())
    /// ```
    pub fn add_grains(&mut self, mut spec: GrainsSpec) -> Result<GrainsId> {
        let owner = self.claim(&mut spec)?;
        let owner = Owner { section: Section::Grains, name: &owner };
        check_spec(&spec).map_err(|(field, e)| owner.error(&field, e))?;
        self.suspend();
        let mut set = GrainSet {
            materials: Vec::new(),
            kinds: Vec::new(),
            waiting: Vec::new(),
            rains: Vec::new(),
            walls: Vec::new(),
            traffic: None,
            spec: GrainsSpec::default(),
        };
        let common = spec.material.clone().unwrap_or_else(|| DEFAULT_MATERIAL.into());
        set.material(self, owner, "material", &common)?;
        for k in 0..spec.walls.len() {
            set.add_wall(self, owner, &mut spec.walls, k)?;
        }
        for (k, particles) in spec.particles.iter().enumerate() {
            let path = format!("particles.{k}");
            if particles.positions.is_empty() && particles.file.is_none() {
                return Err(owner.error(&format!("{path}.positions"), "grains need `positions`, or a `file`"));
            }
            set.take(self, owner, &path, particles)?;
        }
        set.add_clumps(self, owner, &mut spec)?;
        for (k, fill) in spec.fills.iter().enumerate() {
            set.fill(self, owner, &format!("fills.{k}"), fill)?;
        }
        set.add_traffic(self, owner, &mut spec)?;
        set.check_measures(self, owner, &mut spec)?;
        set.spec = spec;
        let id = GrainsId(self.objects.grains.len());
        self.objects.names.insert(owner.name.to_owned(), Object::Grains(id));
        self.objects.grains.push(set);
        Ok(id)
    }

    /// Adds grains to a set; the ids of the new ones, which follow each other.
    ///
    /// While a world runs, contacts keep what they remember. [`World::to_scene`] lists such grains as if they had been
    /// there from the start.
    pub fn add_particles(
        &mut self,
        grains: GrainsId,
        particles: &ParticlesSpec,
    ) -> Result<std::ops::Range<u64>> {
        let mut set = self.take_set(grains)?;
        let owner = Owner { section: Section::Grains, name: &set.spec.name.clone() };
        let added = set.take(self, owner, "particles", particles);
        let exec = self.exec.clone();
        let added = added.and_then(|ids| match self.grain_block_mut(owner.name) {
            // Other materials mean other laws, which are made with the next step.
            Some(GrainBlock { system, .. }) if system.settings().materials.len() == set.materials.len() => {
                let grain = |item| match item {
                    Waiting::Grain(grain) => Some(grain),
                    Waiting::Clump(_) => None,
                };
                let waiting: Vec<Grain> =
                    std::mem::take(&mut set.waiting).into_iter().filter_map(grain).collect();
                system.insert(&exec, &waiting).map_err(|e| set.blame(e))
            }
            _ => Ok(ids),
        });
        if added.is_ok() {
            set.spec.particles.push(particles.clone());
        }
        // New grains may be smaller or faster.
        if let Some(block) = self.grain_block_mut(owner.name) {
            block.step = f64::INFINITY;
        }
        self.motion.ready = false;
        self.objects.grains.insert(grains.0, set);
        added
    }

    /// Removes the grains with these ids from a set; the ids of the others stay.
    pub fn remove_particles(&mut self, grains: GrainsId, ids: &[u64]) -> Result<()> {
        self.initialize()?;
        let (name, exec) = (self.set_of(grains)?.spec.name.clone(), self.exec.clone());
        let removed = self.grain_block_mut(&name).map_or(Ok(()), |block| block.system.remove(&exec, ids));
        removed.map_err(|e| self.objects.grains[grains.0].blame(e))
    }

    /// Takes a set out for a moment, so that the rest of the world can be used beside it.
    fn take_set(&mut self, grains: GrainsId) -> Result<GrainSet> {
        match grains.0 < self.objects.grains.len() {
            true => Ok(self.objects.grains.remove(grains.0)),
            false => {
                Err(WorldError::Unknown { kind: "grains", name: format!("{grains:?}"), suggestion: None })
            }
        }
    }

    pub(super) fn set_of(&self, grains: GrainsId) -> Result<&GrainSet> {
        self.objects.grains.get(grains.0).ok_or_else(|| WorldError::Unknown {
            kind: "grains",
            name: format!("{grains:?}"),
            suggestion: None,
        })
    }

    /// Sets of grains with their descriptions, in the order of adding.
    pub fn grain_sets(&self) -> impl Iterator<Item = (GrainsId, &GrainsSpec)> {
        self.objects.grains.iter().enumerate().map(|(k, set)| (GrainsId(k), &set.spec))
    }

    /// Number of grains of a set.
    pub fn grain_count(&self, grains: GrainsId) -> Result<usize> {
        Ok(self.set_of(grains)?.len(self))
    }

    /// The engine's particle system; the model is built if it is not.
    pub fn grain_system(&mut self, grains: GrainsId) -> Result<&GrainSystem> {
        self.initialize()?;
        let block = self.grain_block(&self.set_of(grains)?.spec.name);
        block.map(|block| &block.system).ok_or_else(|| WorldError::Unknown {
            kind: "grains",
            name: format!("{grains:?}"),
            suggestion: None,
        })
    }

    /// Longest step of the grains of a set [s]; the model is built if it is not.
    pub fn grain_step(&mut self, grains: GrainsId) -> Result<f64> {
        self.initialize()?;
        let block = self.grain_block(&self.set_of(grains)?.spec.name);
        Ok(block.map_or(f64::INFINITY, |block| block.step))
    }

    /// Ids of the grains of a set, rising; the order of [`World::grain_field`].
    pub fn grain_ids(&mut self, grains: GrainsId) -> Result<Vec<u64>> {
        let mut ids = self.grain_system(grains)?.ids().to_vec();
        ids.sort_unstable();
        Ok(ids)
    }

    /// One field of all grains of a set, in the order of their ids, the components of a grain side by side.
    pub fn grain_field(&mut self, grains: GrainsId, field: GrainField) -> Result<Vec<f64>> {
        let system = self.grain_system(grains)?;
        let order = by_id(system.ids());
        let mut out = Vec::with_capacity(order.len() * field.components());
        let three = |rows: &[Row], out: &mut Vec<f64>| {
            order.iter().for_each(|i| out.extend_from_slice(&rows[*i as usize].0[..3]));
        };
        match field {
            GrainField::Position => three(system.places(), &mut out),
            GrainField::Velocity => three(system.motions(), &mut out),
            GrainField::AngularVelocity => three(system.spins(), &mut out),
            GrainField::Force => three(system.forces(), &mut out),
            GrainField::Torque => three(system.torques(), &mut out),
            GrainField::Radius => out.extend(order.iter().map(|i| system.places()[*i as usize].0[3])),
            GrainField::Mass => out.extend(order.iter().map(|i| match system.mass(*i as usize) {
                0.0 => f64::INFINITY,
                mass => mass,
            })),
        }
        Ok(out)
    }

    /// Force [N] and torque about its origin [N·m] on a wall by the grains, the mean over the last step; the torque on a
    /// structure is about the origin of the world.
    pub fn wall_force(&self, grains: GrainsId, wall: &str) -> Result<([f64; 3], [f64; 3])> {
        let set = self.set_of(grains)?;
        match set.walls.iter().position(|w| w.name == wall) {
            Some(wall) => {
                let [force, torque] = self.wall_wrench(set, wall);
                Ok((force.to_array(), torque.to_array()))
            }
            None => {
                let names = set.walls.iter().map(|w| w.name.as_str());
                let suggestion = huygens_core::signal::closest_name(wall, names).map(str::to_owned);
                Err(WorldError::Unknown { kind: "wall", name: wall.into(), suggestion })
            }
        }
    }
}

impl World {
    /// Mean force [N] and torque [N·m] on a wall of a set over the last step.
    fn wall_wrench(&self, set: &GrainSet, wall: usize) -> [DVec3; 2] {
        let block = self.grain_block(&set.spec.name);
        block.and_then(|block| block.wrenches.get(wall)).copied().unwrap_or_default()
    }
}

/// Places of the grains in the order of their ids.
pub(super) fn by_id(ids: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = vec![u32::MAX; ids.len()];
    // Where no grain has left, the id is the place.
    let whole = ids.iter().enumerate().all(|(i, id)| match order.get_mut(*id as usize) {
        Some(place) => {
            *place = i as u32;
            true
        }
        None => false,
    });
    if !whole {
        order.iter_mut().enumerate().for_each(|(i, place)| *place = i as u32);
        order.sort_unstable_by_key(|i| ids[*i as usize]);
    }
    order
}

fn check_spec(spec: &GrainsSpec) -> std::result::Result<(), (String, String)> {
    if let GrainStep::Seconds(step) = spec.step
        && !(step > 0.0 && step.is_finite())
    {
        return Err((
            "step".into(),
            format!("step = {step} is not allowed; a positive finite number is needed"),
        ));
    }
    if let Some(speed) = spec.speed
        && !(speed > 0.0 && speed.is_finite())
    {
        return Err((
            "speed".into(),
            format!("speed = {speed} is not allowed; a positive finite number is needed"),
        ));
    }
    for (name, axis) in spec.periodic.axes() {
        let fine = axis.is_none_or(|[low, high]| low.is_finite() && high.is_finite() && low < high);
        if !fine {
            let problem = format!(
                "{name} = {:?} is not allowed; [least, greatest] is needed",
                axis.unwrap_or_default()
            );
            return Err((format!("periodic.{name}"), problem));
        }
    }
    if let Some(drag) = &spec.drag {
        Drag::described(drag).map_err(|(key, e)| (format!("drag.{key}"), e))?;
    }
    if let Some(laws) = &spec.laws {
        laws.check().map_err(|e| ("laws".to_owned(), e.to_string()))?;
    }
    if spec.walls.len() > MAX_WALLS {
        return Err(("walls".into(), format!("{} walls are not allowed; {MAX_WALLS} are", spec.walls.len())));
    }
    Ok(())
}

impl GrainSet {
    /// Number of grains, those that wait included.
    fn len(&self, world: &World) -> usize {
        let waiting = self.waiting.iter().map(|item| item.count(&self.kinds));
        let present = world.grain_block(&self.spec.name).map_or(0, |block| block.system.len());
        waiting.sum::<usize>() + present
    }

    /// The number of grains there will be with `more`; refuses more than there may be.
    fn check_room(&self, world: &World, more: usize, owner: Owner<'_>, path: &str) -> Result<usize> {
        let count = self.len(world).saturating_add(more);
        match count <= MAX_GRAINS {
            true => Ok(count),
            false => Err(owner.error(path, format!("{count} grains are not allowed; {MAX_GRAINS} are"))),
        }
    }

    /// Index of a material in the system.
    fn material(&mut self, world: &mut World, owner: Owner<'_>, field: &str, name: &str) -> Result<usize> {
        let id = world.material_of(name).map_err(|suggestion| WorldError::Input {
            section: owner.section,
            name: owner.name.into(),
            field: Some(field.into()),
            problem: format!("there is no material '{name}'"),
            suggestion,
        })?;
        if let Some(index) = self.materials.iter().position(|m| *m == id) {
            return Ok(index);
        }
        if self.materials.len() >= 256 {
            return Err(owner.error(field, "one set of grains can have at most 256 materials"));
        }
        // The laws of all pairs are rebuilt with the next step.
        self.materials.push(id);
        Ok(self.materials.len() - 1)
    }

    /// Takes in described grains; their ids.
    fn take(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        path: &str,
        particles: &ParticlesSpec,
    ) -> Result<std::ops::Range<u64>> {
        let wrong = |(key, e): (String, String)| owner.error(&format!("{path}.{key}"), e);
        let read = listed::read(particles).map_err(wrong)?;
        let particles = read.as_ref().unwrap_or(particles);
        particles.check().map_err(|(key, e)| match read {
            Some(_) => owner.error(&format!("{path}.file"), format!("{key}: {e}")),
            None => wrong((key, e)),
        })?;
        let first = self.len(world);
        let count = self.check_room(world, particles.positions.len(), owner, path)?;
        let material = self.material_or_common(world, owner, path, particles.material.as_ref())?;
        let at = |list: &[[f64; 3]], k: usize, other: [f64; 3]| {
            DVec3::from_array(list.get(k).copied().unwrap_or(other))
        };
        for (k, position) in particles.positions.iter().enumerate() {
            self.waiting.push(Waiting::Grain(Grain {
                position: DVec3::from_array(*position),
                radius: particles.radius_of(k),
                density: particles.density,
                velocity: at(&particles.velocities, k, particles.velocity),
                angular_velocity: at(&particles.angular_velocities, k, [0.0; 3]),
                material,
            }));
        }
        Ok(first as u64..count as u64)
    }

    /// Puts an error of the particle system on this set.
    fn blame(&self, source: ParticleError) -> WorldError {
        match source {
            ParticleError::Stopped(stopped) => stopped.into(),
            source => WorldError::Grains { grains: self.spec.name.clone(), source },
        }
    }
}
