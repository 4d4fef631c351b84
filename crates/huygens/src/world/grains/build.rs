//! Makes the particle systems of a world, and keeps them up to date with its settings.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::contact::combine;
use huygens_core::coupling::SubSystem;
use huygens_particles::Drag;
use huygens_particles::{
    CoupledWall, GrainBlock, GrainCoupling, GrainSettings, GrainSystem, NearField, Wall,
};

use super::{GrainSet, GrainWall};
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
        self.rain_grains(&mut |_| std::ops::ControlFlow::Continue(()))?;
        for k in 0..self.objects.grains.len() {
            let settings = self.grain_settings(k);
            let set = &self.objects.grains[k];
            let block = self.grain_block(&set.spec.name);
            let same = block.is_some_and(|b| b.step.is_finite() && *b.system.settings() == settings);
            if !same || !set.waiting.is_empty() {
                self.prepare_set(k, settings)?;
            }
        }
        self.measure_losses();
        Ok(())
    }

    pub(super) fn grain_settings(&self, k: usize) -> GrainSettings {
        let set = &self.objects.grains[k];
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

    fn prepare_set(&mut self, k: usize, settings: GrainSettings) -> Result<()> {
        let name = self.objects.grains[k].spec.name.clone();
        let fresh = self.grain_block(&name).is_none();
        if fresh {
            let set = &self.objects.grains[k];
            let mut system = self.bare_system(set, settings.clone(), false)?;
            if let Some(traffic) = set.traffic.clone() {
                system.set_traffic(traffic).map_err(|e| set.blame(e))?;
            }
            self.put_grains(k, system);
        }
        let (exec, dt) = (self.exec.clone(), self.settings.dt);
        let waiting = std::mem::take(&mut self.objects.grains[k].waiting);
        let (given, speed) = (self.objects.grains[k].spec.step.seconds(), self.objects.grains[k].spec.speed);
        let Some(block) = self.grain_block_mut(&name) else { return Ok(()) };
        let mut made = Ok(());
        if !fresh {
            block.system.set_gravity(settings.gravity);
            made = block.system.change_laws(settings.model, settings.materials, settings.pairs);
        }
        for item in waiting {
            made = made.and_then(|()| item.enter(&mut block.system));
        }
        if fresh {
            made = made.and_then(|()| block.system.check_no_overlap_on(&exec, DEEP));
        }
        if let Err(e) = made {
            return Err(self.objects.grains[k].blame(e));
        }
        let mut too_long = None;
        if block.step.is_infinite() {
            let choice = block.system.choose_step(given, speed, dt);
            block.step = choice.step;
            too_long = choice.too_long.then_some((choice.step, choice.automatic));
        }
        if fresh {
            // So that forces and contacts can be read before the first step.
            match block.steps_of(dt) {
                Ok(count) => block.system.update_forces(&exec, dt / count as f64),
                Err(e) => return Err(self.objects.grains[k].blame(e)),
            }
        }
        if let Some((step, automatic)) = too_long {
            self.reports.warnings.push(format!(
                "grains '{name}': step = {step:e} s is long for their stiffness and mass; {automatic:.2e} s resolves \
                 their contacts (`step = \"auto\"`)"
            ));
        }
        Ok(())
    }

    /// Puts a system that is made into the state; its step is chosen with the next one.
    pub(super) fn put_grains(&mut self, k: usize, system: GrainSystem) {
        let (name, walls) = (self.objects.grains[k].spec.name.clone(), self.objects.grains[k].walls.len());
        let wrenches = vec![[DVec3::ZERO; 2]; walls];
        self.put_block(GrainBlock::KIND, &name, GrainBlock { system, step: f64::INFINITY, wrenches });
    }

    /// A set as a sub-system of the model.
    pub(in crate::world) fn grain_coupling(&self, k: usize) -> Arc<dyn SubSystem> {
        let set = &self.objects.grains[k];
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
    pub(super) fn bare_system(
        &self,
        set: &GrainSet,
        settings: GrainSettings,
        still: bool,
    ) -> Result<GrainSystem> {
        let mut system = GrainSystem::new(settings).map_err(|e| set.blame(e))?;
        for wall in &set.walls {
            let inverse_mass =
                wall.body().and_then(|id| self.objects.assembly.body(id)).map_or(wall.inverse_mass, |b| {
                    let moves = matches!(b.kind, huygens_multibody::BodyKind::Dynamic);
                    if moves { 1.0 / b.mass } else { 0.0 }
                });
            for (mut motion, (_, surface)) in self.part_motions(wall).into_iter().zip(&wall.surfaces) {
                if still {
                    (motion.velocity, motion.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
                }
                let mut part = Wall::new(&wall.name, surface.clone(), motion);
                (part.material, part.inverse_mass) = (wall.material, inverse_mass);
                system.add_wall(part).map_err(|e| set.blame(e))?;
            }
        }
        for kind in &set.kinds {
            system.add_clump_shape(&kind.spheres, kind.density, kind.material).map_err(|e| set.blame(e))?;
        }
        if let Some(Ok(drag)) = set.spec.drag.as_ref().map(Drag::described) {
            system.add_field(Arc::new(drag));
        }
        let near = set.spec.near_field.as_ref().map(NearField::from);
        system.set_near_field(near).map_err(|e| set.blame(e))?;
        Ok(system)
    }
}
