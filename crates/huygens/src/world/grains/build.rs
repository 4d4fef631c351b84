//! Makes the particle systems of a world, and keeps them up to date with its settings.

use std::sync::Arc;

use glam::DVec3;
use huygens_particles::{Grain, GrainSettings, GrainSystem, NearField, Row, Wall};

use super::walls::part_motion;
use super::{GrainSet, by_id};
use crate::spec::{GrainDragSpec, GrainStep};
use crate::world::{Result, World, WorldError};

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
        if self.settings.step_control.is_some() {
            return Err(WorldError::Setting {
                key: "step_control".into(),
                value: "step control of a world with grains".into(),
                expected: "a fixed step `dt`, which grains cut into their own,".into(),
            });
        }
        if self.riders.is_none() {
            self.find_riders()?;
        }
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
        Ok(())
    }

    fn grain_settings(&self, k: usize) -> GrainSettings {
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
        let only_gravity = set.system.as_ref().is_some_and(|system| {
            GrainSettings { gravity: settings.gravity, ..system.settings().clone() } == settings
        });
        let mut fresh = false;
        match &mut set.system {
            Some(system) if only_gravity => system.set_gravity(settings.gravity),
            _ => {
                // Other laws mean other memory: contacts start anew.
                let old = set.system.as_ref().map(grains_of).unwrap_or_default();
                let mut system = GrainSystem::new(settings).map_err(|e| set.blame(e))?;
                for wall in &set.walls {
                    let motion = self.wall_motion(wall);
                    let inverse_mass = wall.body().and_then(|id| self.assembly.body(id)).map_or(0.0, |b| {
                        let moves = matches!(b.kind, huygens_multibody::BodyKind::Dynamic);
                        if moves { 1.0 / b.mass } else { 0.0 }
                    });
                    for (pose, surface) in &wall.surfaces {
                        let mut part = Wall::new(&wall.name, surface.clone(), part_motion(&motion, pose));
                        (part.material, part.inverse_mass) = (wall.material, inverse_mass);
                        system.add_wall(part).map_err(|e| set.blame(e))?;
                    }
                }
                if let Some(Ok(drag)) = set.spec.drag.as_ref().map(GrainDragSpec::drag) {
                    system.add_field(Arc::new(drag));
                }
                let near = set.spec.near_field.map(NearField::from);
                system.set_near_field(near).map_err(|e| set.blame(e))?;
                let traffic = set.system.as_ref().and_then(|s| s.traffic()).or(set.traffic.as_ref());
                if let Some(traffic) = traffic.cloned() {
                    system.set_traffic(traffic).map_err(|e| set.blame(e))?;
                }
                for grain in &old {
                    system.add(grain).map_err(|e| set.blame(e))?;
                }
                fresh = old.is_empty();
                set.system = Some(system);
            }
        }
        let Some(system) = &mut set.system else { return Ok(()) };
        let mut added = Ok(());
        for grain in std::mem::take(&mut set.waiting) {
            added = added.and_then(|()| system.add(&grain).map(|_| ()));
        }
        let checked = added.and_then(|()| if fresh { system.check_no_overlap(DEEP) } else { Ok(()) });
        checked.map_err(|e| set.blame(e))?;
        if set.step.is_infinite() {
            self.choose_step(set);
        }
        Ok(())
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

/// The grains of a system in the order of their ids.
fn grains_of(system: &GrainSystem) -> Vec<Grain> {
    let of = |i: &u32| {
        let i = *i as usize;
        let (place, motion) = (&system.places()[i], &system.motions()[i]);
        Grain {
            position: place.vector(),
            radius: place.0[3],
            density: density(place, motion),
            velocity: motion.vector(),
            angular_velocity: system.spins()[i].vector(),
            material: system.materials()[i].into(),
        }
    };
    by_id(system.ids()).iter().map(of).collect()
}

fn density(place: &Row, motion: &Row) -> f64 {
    1.0 / (motion.0[3] * 4.0 / 3.0 * std::f64::consts::PI * place.0[3].powi(3))
}

/// The step that the smallest grains of inlets will need [s].
fn step_of_inlets(system: &GrainSystem, speed: f64) -> f64 {
    let Some(traffic) = system.traffic().filter(|t| !t.inlets.is_empty()) else { return f64::INFINITY };
    let Ok(mut sample) = GrainSystem::new(system.settings().clone()) else { return f64::INFINITY };
    for inlet in &traffic.inlets {
        let Ok(sizes) = inlet.sizes.table() else { continue };
        let (density, material) = (inlet.density, inlet.material);
        // One that is refused here is refused again when it appears.
        let _ = sample.add(&Grain { radius: sizes.least(), density, material, ..Grain::default() });
    }
    sample.step_limit(speed).suggested
}

/// The greatest speed at the start, of grains, walls and inlets, and that of a fall from the highest of them to the
/// lowest and ten diameters more.
fn likely_speed(system: &GrainSystem) -> f64 {
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
