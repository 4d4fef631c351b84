//! Granular matter in a world: sets of grains, their walls, and what they hold.

mod build;
mod measures;
mod quantities;
mod sources;
mod view;
mod walls;

use std::borrow::Cow;
use std::ops::Range;

use glam::DVec3;
use huygens_core::Id;
use huygens_multibody::MaterialId;
use huygens_particles::described::{check_grains, read_listed};
use huygens_particles::fill::Rain;
use huygens_particles::{
    ClumpKind, Grain, GrainBlock, GrainField, GrainItem, GrainSystem, ParticleError, Traffic,
};

use super::coordinates::Owner;
use super::coupling::{PartNames, blame_on, missing_part};
use super::shapes::pose_of_axes;
use super::{Build, Object, Result, World, WorldError};
use crate::spec::{DEFAULT_MATERIAL, GrainsSpec, MAX_GRAINS, ParticlesSpec, Section};

pub(super) use quantities::{GrainQuantity, tables as quantity_tables};
pub(super) use walls::GrainWall;

/// Handle of a set of grains; it goes stale when the set is removed and never stands for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GrainsId(Id<GrainSet>);

/// A set of grains.
#[derive(Default)]
pub(super) struct GrainSet {
    spec: GrainsSpec,
    /// Materials of grains and walls, by the index they have in the system.
    materials: Vec<MaterialId>,
    /// Kinds of clumps, by the index they have in the system and in the description.
    kinds: Vec<ClumpKind>,
    /// Grains and clumps that wait for the system to be built.
    waiting: Vec<GrainItem>,
    /// Rain that falls before the system is built.
    rains: Vec<Rain>,
    pub walls: Vec<GrainWall>,
    /// Inlets, outlets and the domain boundary, as they start.
    traffic: Option<Traffic>,
}

/// Clumps of a set: one entry each, in the order of adding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClumpStates {
    /// Name of the kind.
    pub kinds: Vec<String>,
    /// Centres of mass [m].
    pub positions: Vec<[f64; 3]>,
    /// Orientations w, x, y, z.
    pub rotations: Vec<[f64; 4]>,
    /// Velocities of the centres of mass [m/s].
    pub velocities: Vec<[f64; 3]>,
    /// Angular velocities [rad/s], world axes.
    pub angular_velocities: Vec<[f64; 3]>,
    /// Masses [kg].
    pub masses: Vec<f64>,
}

impl Build for GrainsSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_grains(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.grains.iter().map(|(_, set)| &set.spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        let id = world.grains(name)?;
        world.objects.grains.remove(id.0);
        world.remove_block(GrainBlock::KIND, name);
        Ok(())
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
        check_grains(&spec).map_err(|(field, e)| owner.error(&field, e))?;
        self.suspend();
        let mut set = GrainSet::default();
        let common = spec.material.clone().unwrap_or_else(|| DEFAULT_MATERIAL.into());
        set.material(self, owner, "material", &common)?;
        let mut names = PartNames::default();
        for k in 0..spec.walls.len() {
            if spec.walls[k].name.is_empty() {
                let taken = |name: &str| spec.walls.iter().any(|w| w.name == name);
                let free = (k + 1..).map(|n| format!("wall{n}")).find(|name| !taken(name));
                spec.walls[k].name = free.unwrap_or_default();
            }
            names.claim(owner, "wall", k, &mut spec.walls[k].name)?;
            set.add_wall(self, owner, &spec.walls[k], k)?;
        }
        for (k, particles) in spec.particles.iter().enumerate() {
            let path = format!("particles.{k}");
            if particles.positions.is_empty() && particles.file.is_none() {
                return Err(owner.error(&format!("{path}.positions"), "grains need `positions`, or a `file`"));
            }
            let (particles, material) = self.read_particles(owner, &path, particles)?;
            let items = set.listed(owner, &path, &particles, material, 0)?;
            set.waiting.extend(items);
        }
        set.add_clumps(self, owner, &mut spec)?;
        for (k, fill) in spec.fills.iter().enumerate() {
            set.fill(self, owner, &format!("fills.{k}"), fill, &spec.clumps)?;
        }
        set.add_traffic(self, owner, &mut names, &mut spec)?;
        set.check_measures(self, owner, &mut names, &mut spec)?;
        set.spec = spec;
        let id = GrainsId(self.objects.grains.insert(set));
        self.objects.names.insert(owner.name.to_owned(), Object::Grains(id));
        Ok(id)
    }

    /// Adds grains to a set; the ids of the new ones, which follow each other.
    ///
    /// While a world runs, contacts keep what they remember. [`World::to_scene`] lists such grains as if they had been
    /// there from the start.
    pub fn add_particles(&mut self, grains: GrainsId, particles: &ParticlesSpec) -> Result<Range<u64>> {
        let (name, exec) = (self.set_of(grains)?.spec.name.clone(), self.exec.clone());
        let owner = Owner { section: Section::Grains, name: &name };
        let present = self.grain_block(&name).map_or(0, |block| block.system.len());
        let (read, material) = self.read_particles(owner, "particles", particles)?;
        let set = self.set_mut(grains)?;
        let first = set.waiting_count() + present;
        let items = set.listed(owner, "particles", &read, material, present)?;
        let (materials, blame) = (set.materials.len(), set.blame());
        let mut ids = first as u64..(first + items.len()) as u64;
        match self.grain_block_mut(&name) {
            // Other materials mean other laws, which are made with the next step.
            Some(block) if block.system.settings().materials.len() == materials => {
                let grains: Vec<Grain> = items.iter().filter_map(GrainItem::grain).copied().collect();
                ids = block.system.insert(&exec, &grains).map_err(blame)?;
            }
            _ => self.set_mut(grains)?.waiting.extend(items),
        }
        self.set_mut(grains)?.spec.particles.push(particles.clone());
        // New grains may be smaller or faster.
        self.grain_block_mut(&name).into_iter().for_each(|block| block.step = f64::INFINITY);
        self.motion.ready = false;
        Ok(ids)
    }

    /// Removes the grains with these ids from a set; the ids of the others stay.
    pub fn remove_particles(&mut self, grains: GrainsId, ids: &[u64]) -> Result<()> {
        self.initialize()?;
        let set = self.set_of(grains)?;
        let (name, blame, exec) = (set.spec.name.clone(), set.blame(), self.exec.clone());
        self.reports.energy.restart();
        let removed = self.grain_block_mut(&name).map_or(Ok(()), |block| block.system.remove(&exec, ids));
        removed.map_err(blame)
    }

    /// Described grains together with those of their file, and their material where they name one.
    fn read_particles<'a>(
        &mut self,
        owner: Owner<'_>,
        path: &str,
        particles: &'a ParticlesSpec,
    ) -> Result<(Cow<'a, ParticlesSpec>, Option<MaterialId>)> {
        let field = |key: &str| format!("{path}.{key}");
        let wrong = |key: &str, e: String| owner.error(&field(key), e);
        let pose = pose_of_axes(particles.frame.as_ref()).map_err(|e| wrong("frame", e))?;
        let read = read_listed(particles, &pose).map_err(|(key, e)| wrong(key, e))?;
        let particles = read.map_or(Cow::Borrowed(particles), Cow::Owned);
        particles.check().map_err(|(key, e)| match particles {
            Cow::Owned(_) => wrong("file", format!("{key}: {e}")),
            Cow::Borrowed(_) => wrong(&key, e),
        })?;
        let material = particles.material.as_ref();
        let material =
            material.map(|name| self.material_named(owner, &field("material"), name)).transpose()?;
        Ok((particles, material))
    }

    pub(super) fn set_of(&self, grains: GrainsId) -> Result<&GrainSet> {
        self.objects.grains.get(grains.0).ok_or_else(|| gone(grains))
    }

    fn set_mut(&mut self, grains: GrainsId) -> Result<&mut GrainSet> {
        self.objects.grains.get_mut(grains.0).ok_or_else(|| gone(grains))
    }

    /// Handles of all sets, in the order of adding.
    fn grain_handles(&self) -> Vec<GrainsId> {
        self.objects.grains.iter().map(|(id, _)| GrainsId(id)).collect()
    }

    /// Sets of grains with their descriptions, in the order of adding.
    pub fn grain_sets(&self) -> impl Iterator<Item = (GrainsId, &GrainsSpec)> {
        self.objects.grains.iter().map(|(id, set)| (GrainsId(id), &set.spec))
    }

    /// Number of grains of a set.
    pub fn grain_count(&self, grains: GrainsId) -> Result<usize> {
        let set = self.set_of(grains)?;
        let present = self.grain_block(&set.spec.name).map_or(0, |block| block.system.len());
        Ok(set.waiting_count() + present)
    }

    /// The engine's particle system; the model is built if it is not.
    pub fn grain_system(&mut self, grains: GrainsId) -> Result<&GrainSystem> {
        self.initialize()?;
        let block = self.grain_block(&self.set_of(grains)?.spec.name);
        block.map(|block| &block.system).ok_or_else(|| gone(grains))
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
        Ok(self.grain_system(grains)?.field(field))
    }

    /// Where the clumps of a set are and how they move; the model is built if it is not.
    pub fn clump_states(&mut self, grains: GrainsId) -> Result<ClumpStates> {
        self.initialize()?;
        let set = self.set_of(grains)?;
        let mut states = ClumpStates::default();
        let Some(block) = self.grain_block(&set.spec.name) else { return Ok(states) };
        for (k, clump) in block.system.clumps().iter().enumerate() {
            let q = clump.rotation;
            states.kinds.push(set.spec.clumps[clump.shape].name.clone());
            states.positions.push(clump.position.to_array());
            states.rotations.push([q.w, q.x, q.y, q.z]);
            states.velocities.push(clump.velocity.to_array());
            let spin = block.system.clump_angular_velocity(k).unwrap_or_default();
            states.angular_velocities.push(spin.to_array());
            states.masses.push(block.system.clump_mass(k).map_or(0.0, |(mass, _)| mass));
        }
        Ok(states)
    }

    /// Force [N] and torque about its origin [N·m] on a wall by the grains, the mean over the last step; the torque on a
    /// structure is about the origin of the world.
    pub fn wall_force(&self, grains: GrainsId, wall: &str) -> Result<([f64; 3], [f64; 3])> {
        let set = self.set_of(grains)?;
        let names = set.walls.iter().map(|w| w.name.as_str());
        let found = names.clone().position(|name| name == wall);
        let [force, torque] = self.wall_wrench(set, found.ok_or_else(|| missing_part(wall, names))?);
        Ok((force.to_array(), torque.to_array()))
    }
}

impl World {
    /// Mean force [N] and torque [N·m] on a wall of a set over the last step.
    fn wall_wrench(&self, set: &GrainSet, wall: usize) -> [DVec3; 2] {
        let block = self.grain_block(&set.spec.name);
        block.and_then(|block| block.wrenches.get(wall)).copied().unwrap_or_default()
    }
}

/// A handle of a set that is gone.
fn gone(grains: GrainsId) -> WorldError {
    WorldError::Unknown { kind: "grains", name: format!("{grains:?}"), suggestion: None }
}

impl GrainSet {
    /// Number of grains that wait.
    fn waiting_count(&self) -> usize {
        self.waiting.iter().map(|item| item.count(&self.kinds)).sum()
    }

    /// Refuses more grains than there may be, with `more` after all that wait and are `present`.
    fn check_room(&self, present: usize, more: usize, owner: Owner<'_>, path: &str) -> Result<()> {
        let count = (self.waiting_count() + present).saturating_add(more);
        match count <= MAX_GRAINS {
            true => Ok(()),
            false => Err(owner.error(path, format!("{count} grains are not allowed; {MAX_GRAINS} are"))),
        }
    }

    /// Index of the material of a name in the system.
    fn material(&mut self, world: &mut World, owner: Owner<'_>, field: &str, name: &str) -> Result<usize> {
        let id = world.material_named(owner, field, name)?;
        self.material_index(owner, field, id)
    }

    /// Index of a material in the system.
    fn material_index(&mut self, owner: Owner<'_>, field: &str, id: MaterialId) -> Result<usize> {
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

    /// Grains that are described one by one, for a set of which so many are `present` in its system.
    fn listed(
        &mut self,
        owner: Owner<'_>,
        path: &str,
        particles: &ParticlesSpec,
        material: Option<MaterialId>,
        present: usize,
    ) -> Result<Vec<GrainItem>> {
        self.check_room(present, particles.positions.len(), owner, path)?;
        let index = |id| self.material_index(owner, &format!("{path}.material"), id);
        let material = material.map_or(Ok(0), index)?;
        Ok(GrainItem::grains(particles, material).collect())
    }

    /// Puts errors of the particle system on this set.
    fn blame(&self) -> impl Fn(ParticleError) -> WorldError + use<> {
        blame_on(GrainBlock::KIND, &self.spec.name)
    }
}
