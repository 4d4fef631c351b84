//! Fluids of constraints in a world: markers are part of the model, so that they move with bodies and structures.
//!
//! Where markers start depends on where everything else does, which is known when the model is assembled. So a model
//! without them is built first, markers are put into it, and it is built again with them.

use glam::DVec3;
use huygens_core::State;
use huygens_core::contact::{ConeMethod, ContactLaw};
use huygens_core::integrator::Integrator;
use huygens_multibody::{Body, BodyId, BodyKind};
use huygens_particles::ParticleError;
use huygens_particles::constraint_fluid::{ConstraintFluid, FluidWall, MarkerContact, WallCarrier};
use huygens_particles::fluid::{FluidFill, FluidSettings, SolidMotion};

use super::flow::{Flow, Markers};
use super::{FluidId, FluidSet, FluidSolid};
use crate::spec::{DEFAULT_MATERIAL, FluidSpec};
use crate::world::coordinates::Owner;
use crate::world::riders::Carrier;
use crate::world::{Result, Simulation, World, WorldError};

impl World {
    /// Refuses settings that fluids of constraints cannot do with.
    pub(in crate::world) fn check_constraint_fluids(&self) -> Result<()> {
        let Some(set) = self.fluids.iter().find(|set| set.spec.is_constraint()) else { return Ok(()) };
        let refuse = |key: &str, value: String, expected: &str| {
            let expected = format!("{expected}, for fluid '{}' of method \"constraint\",", set.spec.name);
            Err(WorldError::Setting { key: key.into(), value, expected })
        };
        let word = |value: serde_json::Result<serde_json::Value>| {
            value.map(|v| v.get("type").cloned().unwrap_or(v).to_string()).unwrap_or_default()
        };
        match self.settings.integrator {
            None | Some(Integrator::Euler | Integrator::EulerProjected) => {}
            Some(other) => {
                let value = word(serde_json::to_value(other));
                return refuse("integrator", value, "\"euler\" or \"euler_projected\" (or none)");
            }
        }
        let contact = &self.settings.contact;
        if contact.law != ContactLaw::Rigid {
            return refuse("contact.law", word(serde_json::to_value(contact.law)), "\"rigid\"");
        }
        if contact.rigid.solver != ConeMethod::Apgd {
            let value = word(serde_json::to_value(contact.rigid.solver));
            return refuse("contact.rigid.solver", value, "\"apgd\"");
        }
        Ok(())
    }

    /// The number of the material of the markers' contact; the default one is made where it is needed.
    pub(super) fn marker_material(&mut self, owner: Owner<'_>, spec: &FluidSpec) -> Result<u16> {
        let Some(contact) = &spec.contact else { return Ok(0) };
        let name = contact.material.as_deref().unwrap_or(DEFAULT_MATERIAL);
        let material = self.material_of(name).map_err(|suggestion| WorldError::Input {
            section: owner.section,
            name: owner.name.into(),
            field: Some("contact.material".into()),
            problem: format!("there is no material '{name}'"),
            suggestion,
        })?;
        u16::try_from(material.index())
            .map_err(|_| owner.error("contact.material", "there are more than 65,535 materials"))
    }

    /// Makes hidden bodies that carry the walls which functions of time move.
    pub(super) fn add_wall_bodies(&mut self, owner: Owner<'_>, solids: &mut [FluidSolid]) -> Result<()> {
        for solid in solids {
            let Carrier::Motion(motion) = &solid.carrier else { continue };
            let body = Body {
                name: format!("wall '{}' of fluid '{}'", solid.name, owner.name),
                kind: BodyKind::Kinematic((**motion).clone()),
                position: solid.pose.position,
                rotation: solid.pose.rotation,
                ..Body::default()
            };
            let added = self.assembly.add_body(body);
            solid.body = Some(added.map_err(|e| WorldError::of_engine(owner.section, owner.name, e))?);
        }
        Ok(())
    }

    /// Solids that fluids in steps of their own move around: those of constraints are in the model.
    pub(in crate::world) fn swept_solids(&self) -> impl Iterator<Item = &FluidSolid> {
        self.fluids.iter().filter(|set| !set.spec.is_constraint()).flat_map(|set| &set.solids)
    }

    /// Fluids of constraints that are made, as they go into a model, with their places.
    pub(in crate::world) fn constraint_fluids(&self) -> Vec<(usize, ConstraintFluid)> {
        let fluid = |(k, set): (usize, &FluidSet)| match &set.flow {
            Some(Flow::Markers(markers)) => Some((k, markers.fluid.clone())),
            _ => None,
        };
        self.fluids.iter().enumerate().filter_map(fluid).collect()
    }

    /// The fluid of each ball of the contact stage, in the order of the model.
    pub(in crate::world) fn fluid_proxies(&self) -> impl Iterator<Item = FluidId> + '_ {
        let count = |set: &FluidSet| match &set.flow {
            Some(Flow::Markers(markers)) if markers.fluid.settings().contact.is_some() => markers.fluid.len(),
            _ => 0,
        };
        let sets = self.fluids.iter().enumerate();
        sets.flat_map(move |(k, set)| std::iter::repeat_n(FluidId(k), count(set)))
    }

    /// Takes up where fluids are in a new model, and puts their numbers into its state.
    pub(in crate::world) fn settle_fluids(&mut self, placed: &[(usize, ConstraintFluid)], state: &mut State) {
        for (k, fluid) in placed {
            let (Some(Flow::Markers(markers)), Some(place)) = (&mut self.fluids[*k].flow, fluid.placed())
            else {
                continue;
            };
            match &markers.kept {
                Some(kept) => place.set_numbers(kept, state),
                None => place.start(state),
            }
            markers.place = Some(place.clone());
        }
    }

    /// Takes the numbers of fluids out of a model that is taken apart.
    pub(in crate::world) fn keep_fluids(&mut self, simulation: &Simulation) {
        for set in &mut self.fluids {
            let Some(Flow::Markers(markers)) = &mut set.flow else { continue };
            if let Some(place) = markers.place.take() {
                markers.kept = Some(place.numbers(&simulation.state));
            }
        }
    }

    /// Takes what fluids of constraints did to walls, bodies and structures in the step of `h` [s] that is done, and
    /// looks after them.
    pub(in crate::world) fn finish_fluids(&mut self, h: f64) -> Result<()> {
        for k in 0..self.fluids.len() {
            if !matches!(self.fluids[k].flow, Some(Flow::Markers(_))) {
                continue;
            }
            let mut set = self.fluids.remove(k);
            set.step = h;
            let finished = self.finish_fluid(&mut set, h);
            self.fluids.insert(k, set);
            finished?;
        }
        Ok(())
    }

    fn finish_fluid(&mut self, set: &mut FluidSet, h: f64) -> Result<()> {
        let Some(Flow::Markers(Markers { place: Some(place), .. })) = &set.flow else { return Ok(()) };
        let Some(state) = self.state() else { return Ok(()) };
        for solid in &mut set.solids {
            let wrench = |part: usize| place.wall_wrench(state, solid.first + part).unwrap_or_default();
            solid.wrench = match &solid.carrier {
                Carrier::Ground => {
                    let [force, torque] = wrench(0);
                    [force, torque - solid.pose.position.cross(force)]
                }
                Carrier::Body(_) | Carrier::Motion(_) => wrench(0),
                Carrier::Structure(structure) => {
                    let pieces = self.piece_motions(*structure);
                    pieces.iter().enumerate().fold([DVec3::ZERO; 2], |sum, (part, motion)| {
                        let [force, torque] = wrench(part);
                        // Forces act where pieces were.
                        let at = motion.position - h * motion.velocity;
                        [sum[0] + force, sum[1] + torque + at.cross(force)]
                    })
                }
            };
        }
        if let Some(bounds) = set.spec.bounds {
            let normal = set.spec.space().normal();
            let axes = (0..3).filter(|k| Some(*k) != normal);
            let outside = |x: DVec3| axes.clone().any(|k| !(bounds.low[k]..=bounds.high[k]).contains(&x[k]));
            if let Some(number) = place.markers(state).position(|m| outside(m.position)) {
                let at = place.markers(state).nth(number).map_or([0.0; 3], |m| m.position.to_array());
                return Err(set.blame(ParticleError::MarkerEscaped { number, at, time: state.time }));
            }
        }
        let compression = place.compression(state);
        if !set.warned[0] && compression > FluidSettings::COMPRESSED {
            set.warned[0] = true;
            let warning = format!(
                "fluid '{}': density is {:.1} % above that at rest at t = {:.4} s, more than {:.0} %. A shorter dt, more \
                 iterations (contact.rigid.max_iterations) or less `compliance` make the fluid stiffer",
                set.spec.name,
                100.0 * compression,
                state.time,
                100.0 * FluidSettings::COMPRESSED
            );
            self.warnings.push(warning);
        }
        Ok(())
    }
}

impl FluidSet {
    /// Makes the fluid of markers and walls that is put into the model.
    pub(super) fn make_markers(
        &mut self,
        filled: &[FluidFill],
        motions: &[Vec<SolidMotion>],
        family: u32,
    ) -> std::result::Result<Markers, ParticleError> {
        let mut settings = self.spec.constraint_settings(self.material);
        if let Some(contact) = &mut settings.contact {
            *contact = MarkerContact { family, ..*contact };
        }
        let (density, spacing, repeats) = (settings.density, settings.spacing, self.spec.repeats());
        let mut fluid = ConstraintFluid::new(&self.spec.name, settings)?;
        for fill in filled {
            for (point, pressure) in fill.with_pressures(self.pull, density, spacing, repeats) {
                fluid.add_with_pressure(point, fill.velocity, pressure)?;
            }
        }
        let mut first = 0;
        for (solid, motions) in self.solids.iter_mut().zip(motions) {
            solid.first = first;
            first += solid.parts.len();
            for (part, points) in solid.parts.iter().enumerate() {
                let mut points = points.clone();
                let carrier = match &solid.carrier {
                    Carrier::Ground => {
                        let m = motions.first().copied().unwrap_or_default();
                        points.iter_mut().for_each(|p| *p = m.position + m.rotation * *p);
                        WallCarrier::World
                    }
                    Carrier::Motion(_) => carried(solid.body),
                    Carrier::Body(body) => carried(Some(*body)),
                    Carrier::Structure(structure) => WallCarrier::Piece(*structure, part as u32),
                };
                fluid.add_wall(FluidWall { name: solid.name.clone(), points, carrier })?;
            }
        }
        Ok(Markers { fluid, place: None, kept: None })
    }
}

fn carried(body: Option<BodyId>) -> WallCarrier {
    body.map_or(WallCarrier::World, |body| WallCarrier::Body(body.index()))
}
