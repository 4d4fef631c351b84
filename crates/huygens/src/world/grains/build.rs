//! Makes the particle systems of a world, and keeps them up to date with its settings.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;
use huygens_core::contact::combine;
use huygens_core::coupling::SubSystem;
use huygens_multibody::BodyKind;
use huygens_particles::fill::RainProgress;
use huygens_particles::{
    CoupledWall, Drag, GrainBlock, GrainCoupling, GrainSettings, GrainSystem, NearField, Wall,
};

use super::{GrainSet, GrainWall, GrainsId};
use crate::world::{Result, World};

/// Overlap of grains at the start that is a mistake, as a share of the sum of their radii.
const DEEP: f64 = 0.1;

impl World {
    /// Builds what is not built, and follows changed settings.
    pub(in crate::world) fn prepare_grains(&mut self) -> Result<()> {
        if self.objects.grains.is_empty() {
            return Ok(());
        }
        self.refuse_step_control("grains")?;
        self.rain_grains(&mut |_| ControlFlow::Continue(()))?;
        for id in self.grain_handles() {
            let set = self.set_of(id)?;
            let settings = self.grain_settings(set);
            let block = self.grain_block(&set.spec.name);
            let same = block.is_some_and(|b| b.step.is_finite() && *b.system.settings() == settings);
            if !same || !set.waiting.is_empty() {
                self.prepare_set(id, settings)?;
            }
        }
        self.measure_losses();
        Ok(())
    }

    fn grain_settings(&self, set: &GrainSet) -> GrainSettings {
        let material =
            |id| self.objects.assembly.material(id).map(|m| m.material.surface()).unwrap_or_default();
        let mut pairs = Vec::new();
        for spec in self.contact_pairs() {
            let Some(names) = &spec.materials else { continue };
            let ids = names.each_ref().map(|name| self.objects.material_ids.get(name));
            let [Some(a), Some(b)] = ids else { continue };
            let place = |id| set.materials.iter().position(|m| *m == id);
            let (Some(i), Some(j)) = (place(*a), place(*b)) else { continue };
            let materials = (self.objects.assembly.material(*a), self.objects.assembly.material(*b));
            let (Some(a), Some(b)) = materials else { continue };
            if let Ok(mut composite) = combine(&a.material, &b.material) {
                composite.take(spec);
                pairs.push((i, j, composite.surface));
            }
        }
        GrainSettings {
            model: set.spec.laws.unwrap_or(self.settings.contact.compliant),
            materials: set.materials.iter().map(|id| material(*id)).collect(),
            gravity: DVec3::from_array(self.settings.gravity),
            periodic: set.spec.periodic.axes().map(|(_, axis)| axis.map(|[low, high]| [low, high - low])),
            pairs,
        }
    }

    fn prepare_set(&mut self, id: GrainsId, settings: GrainSettings) -> Result<()> {
        let waiting = std::mem::take(&mut self.set_mut(id)?.waiting);
        let set = self.set_of(id)?;
        let name = set.spec.name.clone();
        let (given, speed) = (set.spec.step.seconds(), set.spec.speed);
        let blame = set.blame();
        let fresh = self.grain_block(&name).is_none();
        if fresh {
            let mut system = self.bare_system(set, settings.clone(), false)?;
            if let Some(traffic) = set.traffic.clone() {
                system.set_traffic(traffic).map_err(&blame)?;
            }
            self.put_grains(&name, set.walls.len(), system);
        }
        let (exec, dt) = (self.exec.clone(), self.settings.dt);
        let Some(block) = self.grain_block_mut(&name) else { return Ok(()) };
        let made = block.prepare(&exec, dt, (given, speed), settings, &waiting, fresh.then_some(DEEP));
        let choice = made.map_err(blame)?;
        if let Some(choice) = choice.filter(|choice| choice.too_long) {
            self.reports.warnings.push(format!(
                "grains '{name}': step = {:e} s is long for their stiffness and mass; {:.2e} s resolves their contacts \
                 (`step = \"auto\"`)",
                choice.step, choice.automatic
            ));
        }
        Ok(())
    }

    /// Puts a system that is made into the state; its step is chosen with the next one.
    fn put_grains(&mut self, name: &str, walls: usize, system: GrainSystem) {
        let wrenches = vec![[DVec3::ZERO; 2]; walls];
        self.put_block(GrainBlock::KIND, name, GrainBlock { system, step: f64::INFINITY, wrenches });
    }

    /// A set as a sub-system of the model.
    pub(in crate::world) fn grain_coupling(&self, set: &GrainSet) -> Arc<dyn SubSystem> {
        let mut boundaries = Vec::new();
        let wall = |wall: &GrainWall| CoupledWall {
            mount: self.mount(&wall.carrier, &wall.pose, &mut boundaries),
            pose: wall.pose,
            surfaces: wall.surfaces.iter().map(|s| s.0).collect(),
            parts: wall.parts.clone(),
        };
        let walls = set.walls.iter().map(wall).collect();
        Arc::new(GrainCoupling { owner: set.spec.name.clone(), boundaries, walls })
    }

    /// A system with the walls of a set, at rest where they are if `still`, and what acts on grains, but no grains.
    fn bare_system(&self, set: &GrainSet, settings: GrainSettings, still: bool) -> Result<GrainSystem> {
        let mut system = GrainSystem::new(settings).map_err(set.blame())?;
        for wall in &set.walls {
            let carried = wall.body().and_then(|id| self.objects.assembly.body(id));
            let inverse_mass = carried.map_or(wall.inverse_mass, |b| match b.kind {
                BodyKind::Dynamic => 1.0 / b.mass,
                _ => 0.0,
            });
            for (mut motion, (_, surface)) in self.part_motions(wall).into_iter().zip(&wall.surfaces) {
                if still {
                    (motion.velocity, motion.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
                }
                let mut part = Wall::new(&wall.name, surface.clone(), motion);
                (part.material, part.inverse_mass) = (wall.material, inverse_mass);
                system.add_wall(part).map_err(set.blame())?;
            }
        }
        for kind in &set.kinds {
            system.add_clump_shape(&kind.spheres, kind.density, kind.material).map_err(set.blame())?;
        }
        if let Some(Ok(drag)) = set.spec.drag.as_ref().map(Drag::described) {
            system.add_field(Arc::new(drag));
        }
        let near = set.spec.near_field.as_ref().map(NearField::from);
        system.set_near_field(near).map_err(set.blame())?;
        Ok(system)
    }

    /// Lets all rain fall that has not yet, which building the model does as well; `progress` may end it early.
    pub fn rain_grains(&mut self, progress: &mut dyn FnMut(&RainProgress) -> ControlFlow<()>) -> Result<()> {
        if self.objects.grains.iter().all(|(_, set)| set.rains.is_empty()) {
            return Ok(());
        }
        self.initialize_bodies()?;
        for id in self.grain_handles() {
            let set = self.set_mut(id)?;
            let rains = std::mem::take(&mut set.rains);
            if rains.is_empty() {
                continue;
            }
            let set = self.set_of(id)?;
            let mut system = self.bare_system(set, self.grain_settings(set), true)?;
            let (name, most) = (set.spec.name.clone(), self.settings.dt);
            let step = (set.spec.step.seconds(), set.spec.speed, most);
            let walls = set.walls.iter().flat_map(|wall| wall.parts.clone().zip(self.part_motions(wall)));
            let fallen = set.waiting.iter().try_for_each(|item| system.add_item(item));
            fallen
                .and_then(|()| {
                    rains
                        .into_iter()
                        .try_for_each(|rain| rain.run(&mut system, &self.exec, &name, step, progress))
                })
                .and_then(|()| system.begin_after_rain(walls, set.traffic.clone()))
                .map_err(set.blame())?;
            let count = set.walls.len();
            self.set_mut(id)?.waiting.clear();
            self.put_grains(&name, count, system);
        }
        self.motion.ready = false;
        Ok(())
    }

    /// Leaves out rain, since a saved state has what came of it.
    pub(crate) fn skip_rain(&mut self) {
        for id in self.grain_handles() {
            self.objects.grains.get_mut(id.0).into_iter().for_each(|set| set.rains.clear());
        }
    }
}
