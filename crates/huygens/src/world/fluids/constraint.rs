//! Constraint fluids in a world: markers are part of the model, so that they move with bodies and structures.
//!
//! Where markers start depends on where everything else does, which is known when the model is assembled. So a model
//! without them is built first, markers are put into it, and it is built again with them.

use glam::DVec3;
use huygens_core::State;
use huygens_core::contact::{ContactLaw, operator_solvers};
use huygens_core::integrator::Integrator;
use huygens_multibody::{Body, BodyId, BodyKind};
use huygens_particles::ParticleError;
use huygens_particles::constraint_fluid::ConstraintFluidSettings;
use huygens_particles::constraint_fluid::{
    ConstraintFluid, FluidPlace, FluidWall, MarkerContact, WallCarrier,
};
use huygens_particles::sph::{FluidFill, FluidSettings, SolidMotion};

use super::flow::{Flow, Markers};
use super::{FluidId, FluidSet, FluidSolid};
use crate::spec::FlowPlane;
use crate::spec::{DEFAULT_MATERIAL, FluidSpec};
use crate::world::coordinates::Owner;
use crate::world::coupling::Carrier;
use crate::world::{Result, World, WorldError};

impl World {
    /// Refuses settings that constraint fluids cannot do with.
    pub(in crate::world) fn check_constraint_fluids(&self) -> Result<()> {
        let Some(set) = self.objects.fluids.iter().find(|set| set.spec.is_constraint()) else {
            return Ok(());
        };
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
        if operator_solvers().all(|method| method != contact.rigid.solver) {
            let value = word(serde_json::to_value(contact.rigid.solver));
            let expected: Vec<_> = operator_solvers().map(|method| format!("\"{method}\"")).collect();
            return refuse("contact.rigid.solver", value, &expected.join(" or "));
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
            let added = self.objects.assembly.add_body(body);
            solid.body = Some(added.map_err(|e| WorldError::of_engine(owner.section, owner.name, e))?);
        }
        Ok(())
    }

    /// Solids that fluids in steps of their own move around: those of constraints are in the model.
    pub(in crate::world) fn swept_solids(&self) -> impl Iterator<Item = &FluidSolid> {
        self.objects.fluids.iter().filter(|set| !set.spec.is_constraint()).flat_map(|set| &set.solids)
    }

    /// Constraint fluids that are made, as they go into a model, with their places.
    pub(in crate::world) fn constraint_fluids(&self) -> Vec<(usize, ConstraintFluid)> {
        let fluid = |(k, set): (usize, &FluidSet)| match &set.flow {
            Some(Flow::Markers(markers)) => Some((k, markers.fluid.clone())),
            _ => None,
        };
        self.objects.fluids.iter().enumerate().filter_map(fluid).collect()
    }

    /// The fluid of each ball of the contact stage, in the order of the model.
    pub(in crate::world) fn fluid_proxies(&self) -> impl Iterator<Item = FluidId> + '_ {
        let count = |set: &FluidSet| match &set.flow {
            Some(Flow::Markers(markers)) if markers.fluid.settings().contact.is_some() => markers.fluid.len(),
            _ => 0,
        };
        let sets = self.objects.fluids.iter().enumerate();
        sets.flat_map(move |(k, set)| std::iter::repeat_n(FluidId(k), count(set)))
    }

    /// Takes up where fluids are in a new model, and puts their starting numbers into its state.
    pub(in crate::world) fn settle_fluids(&mut self, placed: &[(usize, ConstraintFluid)], state: &mut State) {
        for (k, fluid) in placed {
            let (Some(Flow::Markers(markers)), Some(place)) =
                (&mut self.objects.fluids[*k].flow, fluid.placed())
            else {
                continue;
            };
            place.start(state);
            markers.place = Some(place.clone());
        }
    }

    /// What a constraint fluid does to a wall, body or structure: force [N] and torque [N·m] of the last step.
    pub(super) fn marker_wrench(&self, set: &FluidSet, markers: &Markers, solid: usize) -> [DVec3; 2] {
        let (Some(solid), Some(place), Some(state)) = (set.solids.get(solid), &markers.place, self.state())
        else {
            return [DVec3::ZERO; 2];
        };
        let wrench = |part: usize| place.wall_wrench(state, solid.first + part).unwrap_or_default();
        match &solid.carrier {
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
                    let at = motion.position - state.last_step_size * motion.velocity;
                    [sum[0] + force, sum[1] + torque + at.cross(force)]
                })
            }
        }
    }

    /// Refuses a state in which a marker of a constraint fluid has left its bounds.
    pub(in crate::world) fn check_markers(&self) -> Result<()> {
        for (set, place, state) in self.placed_markers() {
            let Some(bounds) = set.spec.bounds else { continue };
            let normal = set.spec.plane.map(FlowPlane::normal);
            let axes = (0..3).filter(|k| Some(*k) != normal);
            let outside = |x: DVec3| axes.clone().any(|k| !(bounds.low[k]..=bounds.high[k]).contains(&x[k]));
            if let Some((number, marker)) =
                place.markers(state).enumerate().find(|(_, m)| outside(m.position))
            {
                let at = marker.position.to_array();
                return Err(set.blame(ParticleError::MarkerEscaped { number, at, time: state.time }));
            }
        }
        Ok(())
    }

    fn placed_markers(&self) -> impl Iterator<Item = (&FluidSet, &FluidPlace, &State)> {
        let state = self.state();
        self.objects.fluids.iter().filter_map(move |set| match &set.flow {
            Some(Flow::Markers(Markers { place: Some(place), .. })) => Some((set, place, state?)),
            _ => None,
        })
    }

    /// Warns once where a constraint fluid is compressed.
    pub(in crate::world) fn warn_of_markers(&mut self) {
        let compressed = |(set, place, state): (&FluidSet, &FluidPlace, &State)| {
            let compression = place.compression(state);
            (!set.warned[0] && compression > FluidSettings::COMPRESSED).then(|| {
                format!(
                    "fluid '{}': density exceeds the rest density by {:.1} % at t = {:.4} s, more than {:.0} %. A shorter dt, \
                     more iterations (contact.rigid.max_iterations) or less `compliance` make the fluid stiffer",
                    set.spec.name,
                    100.0 * compression,
                    state.time,
                    100.0 * FluidSettings::COMPRESSED
                )
            })
        };
        let warnings: Vec<Option<String>> = self.placed_markers().map(compressed).collect();
        let sets = self.objects.fluids.iter_mut().filter(|s| matches!(s.flow, Some(Flow::Markers(_))));
        for (set, warning) in sets.zip(warnings) {
            if let Some(warning) = warning {
                set.warned[0] = true;
                self.reports.warnings.push(warning);
            }
        }
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
        let mut settings = ConstraintFluidSettings::described(&self.spec, self.material);
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
        Ok(Markers { fluid, place: None })
    }
}

fn carried(body: Option<BodyId>) -> WallCarrier {
    body.map_or(WallCarrier::World, |body| WallCarrier::Body(body.index()))
}
