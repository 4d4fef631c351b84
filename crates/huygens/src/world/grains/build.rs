//! Makes the particle systems of a world, and keeps them up to date with its settings.

use std::sync::Arc;

use glam::DVec3;
use huygens_particles::{Grain, GrainSettings, GrainSystem, NearField, Wall};

use super::GrainSet;
use crate::spec::{GrainDragSpec, GrainStep};
use crate::world::{Result, World};

/// Overlap of grains at the start that is a mistake, as a share of the sum of their radii.
const DEEP: f64 = 0.1;
/// A given step that is longer than the automatic one by this factor is worth a warning.
const BOLD: f64 = 2.0;

impl World {
    /// Builds what is not built, and follows changed settings.
    pub(in crate::world) fn prepare_grains(&mut self) -> Result<()> {
        if self.grains.is_empty() {
            return Ok(());
        }
        self.refuse_step_control("grains")?;
        self.find_riders()?;
        self.rain_grains(&mut |_| std::ops::ControlFlow::Continue(()))?;
        for k in 0..self.grains.len() {
            let settings = self.grain_settings(k);
            let set = &self.grains[k];
            let same = set.system.as_ref().is_some_and(|s| *s.settings() == settings);
            if same && set.waiting.is_empty() && set.step.is_finite() {
                continue;
            }
            let mut set = self.grains.remove(k);
            let made = self.prepare_set(&mut set, settings);
            self.grains.insert(k, set);
            made?;
        }
        self.measure_losses();
        Ok(())
    }

    pub(super) fn grain_settings(&self, k: usize) -> GrainSettings {
        let set = &self.grains[k];
        let material = |id| self.assembly.material(id).map(|m| m.material.surface()).unwrap_or_default();
        let mut pairs = Vec::new();
        for spec in &self.contact_pairs {
            let Some(names) = &spec.materials else { continue };
            let ids = names.each_ref().map(|name| self.material_ids.get(name));
            let [Some(a), Some(b)] = ids else { continue };
            let place = |id| set.materials.iter().position(|m| *m == id);
            let (Some(i), Some(j)) = (place(*a), place(*b)) else { continue };
            let materials = (self.assembly.material(*a), self.assembly.material(*b));
            let (Some(a), Some(b)) = materials else { continue };
            if let Ok(mut composite) = a.material.combine(&b.material) {
                spec.apply(&mut composite);
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

    fn prepare_set(&mut self, set: &mut GrainSet, settings: GrainSettings) -> Result<()> {
        let fresh = set.system.is_none();
        match &mut set.system {
            Some(system) => {
                system.set_gravity(settings.gravity);
                let changed = system.change_laws(settings.model, settings.materials, settings.pairs);
                changed.map_err(|e| set.blame(e))?;
            }
            None => {
                let mut system = self.bare_system(set, settings, false)?;
                if let Some(traffic) = set.traffic.clone() {
                    system.set_traffic(traffic).map_err(|e| set.blame(e))?;
                }
                set.system = Some(system);
            }
        }
        let Some(system) = &mut set.system else { return Ok(()) };
        let mut added = Ok(());
        for item in std::mem::take(&mut set.waiting) {
            added = added.and_then(|()| item.enter(system));
        }
        let checked =
            added.and_then(|()| if fresh { system.check_no_overlap_on(&self.exec, DEEP) } else { Ok(()) });
        checked.map_err(|e| set.blame(e))?;
        if set.step.is_infinite() {
            self.choose_step(set);
        }
        // So that forces and contacts can be read before the first step.
        let step = self.settings.dt / set.steps_of(self.settings.dt)? as f64;
        if let Some(system) = set.system.as_mut().filter(|_| fresh) {
            system.update_forces(&self.exec, step);
        }
        Ok(())
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
                wall.body().and_then(|id| self.assembly.body(id)).map_or(wall.inverse_mass, |b| {
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
        if let Some(Ok(drag)) = set.spec.drag.as_ref().map(GrainDragSpec::drag) {
            system.add_field(Arc::new(drag));
        }
        let near = set.spec.near_field.map(NearField::from);
        system.set_near_field(near).map_err(|e| set.blame(e))?;
        Ok(system)
    }

    fn choose_step(&mut self, set: &mut GrainSet) {
        let Some(system) = &set.system else { return };
        let speed = set.spec.speed.unwrap_or_else(|| likely_speed(system));
        let automatic = system.step_limit(speed).suggested.min(step_of_inlets(system, speed));
        let most = self.settings.dt;
        set.step = match set.spec.step {
            // A system without grains takes what comes.
            GrainStep::Auto => automatic.min(most),
            GrainStep::Seconds(step) => step,
        };
        if let GrainStep::Seconds(step) = set.spec.step
            && step.min(most) > BOLD * automatic
        {
            self.warnings.push(format!(
                "grains '{}': step = {step:e} s is long for their stiffness and mass; {automatic:.2e} s resolves \
                 their contacts (`step = \"auto\"`)",
                set.spec.name
            ));
        }
    }
}

/// The step that the smallest grains of inlets will need [s].
fn step_of_inlets(system: &GrainSystem, speed: f64) -> f64 {
    let Some(traffic) = system.traffic().filter(|t| !t.inlets.is_empty()) else { return f64::INFINITY };
    let smallest = traffic.inlets.iter().filter_map(|inlet| {
        inlet.sizes.table().ok().map(|sizes| (sizes.least(), inlet.density, inlet.material))
    });
    step_of_sizes(system, smallest, speed)
}

/// The step that grains of these radii [m], densities [kg/m³] and materials need among each other [s].
pub(super) fn step_of_sizes(
    system: &GrainSystem,
    grains: impl IntoIterator<Item = (f64, f64, usize)>,
    speed: f64,
) -> f64 {
    let Ok(mut sample) = GrainSystem::new(system.settings().clone()) else { return f64::INFINITY };
    for (radius, density, material) in grains {
        // One that is refused here is refused again when it appears.
        let _ = sample.add(&Grain { radius, density, material, ..Grain::default() });
    }
    sample.step_limit(speed).suggested
}

/// The greatest speed at the start, of grains, walls and inlets, and that of a fall from the highest of them to the
/// lowest and ten diameters more.
pub(super) fn likely_speed(system: &GrainSystem) -> f64 {
    let gravity = system.settings().gravity;
    let down = gravity.normalize_or_zero();
    let (mut low, mut high, mut largest, mut fastest) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64, 0.0_f64);
    let mut reach = |place: DVec3| {
        let depth = place.dot(down);
        (low, high) = (low.min(depth), high.max(depth));
    };
    for (place, motion) in system.places().iter().zip(system.motions()) {
        reach(place.vector());
        largest = largest.max(place.0[3]);
        fastest = fastest.max(motion.vector().length());
    }
    for wall in system.walls() {
        reach(wall.motion.position);
        fastest = fastest.max(wall.motion.velocity.length());
    }
    for inlet in system.traffic().iter().flat_map(|t| &t.inlets) {
        inlet.region.bounds().into_iter().for_each(&mut reach);
        fastest = fastest.max(inlet.velocity.length());
    }
    let height = (high - low).max(0.0) + 20.0 * largest;
    (fastest * fastest + 2.0 * gravity.length() * height).sqrt().max(1e-3)
}
