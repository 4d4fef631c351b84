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
use huygens_particles::constraint_fluid::{
    ConstraintFluid, ConstraintFluidSettings, MarkerContact, WallCarrier,
};
use huygens_particles::sph::{FluidFill, SolidDraft};
use serde::Serialize;
use serde_json::Value;

use super::{Flow, FluidId, FluidSet, FluidSolid, Markers};
use crate::spec::{DEFAULT_MATERIAL, FluidSpec};
use crate::world::coordinates::Owner;
use crate::world::coupling::Carrier;
use crate::world::{Result, World, WorldError};

impl World {
    /// Refuses settings that constraint fluids cannot do with.
    pub(in crate::world) fn check_constraint_fluids(&self) -> Result<()> {
        let Some(set) = self.objects.fluids.iter().map(|(_, set)| set).find(|set| set.spec.is_constraint())
        else {
            return Ok(());
        };
        let contact = &self.settings.contact;
        let euler =
            matches!(self.settings.integrator, None | Some(Integrator::Euler | Integrator::EulerProjected));
        let (rigid, able) = (
            contact.law == ContactLaw::Rigid,
            operator_solvers().any(|method| method == contact.rigid.solver),
        );
        let (integrator, law) = (json(self.settings.integrator), json(contact.law));
        let solvers: Vec<_> = operator_solvers().map(|method| format!("\"{method}\"")).collect();
        let wanted = [
            ("integrator", euler, integrator, "\"euler\" or \"euler_projected\" (or none)".to_owned()),
            ("contact.law", rigid, law, "\"rigid\"".to_owned()),
            ("contact.rigid.solver", able, json(contact.rigid.solver), solvers.join(" or ")),
        ];
        let Some((key, _, value, expected)) = wanted.into_iter().find(|(_, fine, ..)| !fine) else {
            return Ok(());
        };
        let value = value.get("type").cloned().unwrap_or(value).to_string();
        let expected = format!("{expected}, for fluid '{}' of method \"constraint\",", set.spec.name);
        Err(WorldError::Setting { key: key.into(), value, expected })
    }

    /// The number of the material of the markers' contact; the default one is made where it is needed.
    pub(super) fn marker_material(&mut self, owner: Owner<'_>, spec: &FluidSpec) -> Result<u16> {
        let Some(contact) = &spec.contact else { return Ok(0) };
        let name = contact.material.as_deref().unwrap_or(DEFAULT_MATERIAL);
        let material = self.material_named(owner, "contact.material", name)?;
        u16::try_from(material.index())
            .map_err(|_| owner.error("contact.material", "there are more than 65,535 materials"))
    }

    /// Makes hidden bodies that carry the walls which functions of time move.
    pub(super) fn add_wall_bodies(&mut self, owner: Owner<'_>, solids: &mut [FluidSolid]) -> Result<()> {
        for solid in solids {
            let Carrier::Motion(motion) = &solid.carrier else { continue };
            let body = Body {
                name: format!("wall '{}' of fluid '{}'", solid.draft.name, owner.name),
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
        let sets = self.objects.fluids.iter().map(|(_, set)| set);
        sets.filter(|set| !set.spec.is_constraint()).flat_map(|set| &set.solids)
    }

    /// Constraint fluids that are made, as they go into a model.
    pub(in crate::world) fn constraint_fluids(&self) -> Vec<(FluidId, ConstraintFluid)> {
        let fluids = self.objects.fluids.iter();
        fluids.filter_map(|(id, set)| Some((FluidId(id), set.markers()?.fluid.clone()))).collect()
    }

    /// The fluid of each ball of the contact stage, in the order of the model.
    pub(in crate::world) fn fluid_proxies(&self) -> impl Iterator<Item = FluidId> + '_ {
        let touching = |set: &FluidSet| {
            set.markers().filter(|m| m.fluid.settings().contact.is_some()).map_or(0, |m| m.fluid.len())
        };
        self.objects.fluids.iter().flat_map(move |(id, set)| std::iter::repeat_n(FluidId(id), touching(set)))
    }

    /// Takes up where fluids are in a new model, and puts their starting numbers into its state.
    pub(in crate::world) fn settle_fluids(
        &mut self,
        placed: &[(FluidId, ConstraintFluid)],
        state: &mut State,
    ) {
        for (id, fluid) in placed {
            let set = self.objects.fluids.get_mut(id.0);
            if let (Some(Flow::Markers(markers)), Some(place)) =
                (set.and_then(|set| set.flow.as_mut()), fluid.placed())
            {
                place.start(state);
                markers.place = Some(place.clone());
            }
        }
    }

    /// What a constraint fluid does to a wall, body or structure: force [N] and torque [N·m] of the last step.
    pub(super) fn marker_wrench(&self, set: &FluidSet, markers: &Markers, solid: usize) -> [DVec3; 2] {
        let (Some(solid), Some(place), Some(state)) = (set.solids.get(solid), &markers.place, self.state())
        else {
            return [DVec3::ZERO; 2];
        };
        let wrench = |part: usize| place.wall_wrench(state, solid.draft.first + part).unwrap_or_default();
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
        let Some(state) = self.state() else { return Ok(()) };
        self.objects.fluids.iter().try_for_each(|(_, set)| {
            let place = set.markers().and_then(|markers| markers.place.as_ref());
            let (Some(place), Some(bounds)) = (place, set.spec.bounds) else { return Ok(()) };
            let corners = [bounds.low, bounds.high].map(DVec3::from_array);
            place.check_bounds(state, corners).map_err(set.blame())
        })
    }
}

/// A setting, as scene files write it.
fn json(setting: impl Serialize) -> Value {
    serde_json::to_value(setting).unwrap_or_default()
}

impl FluidSet {
    /// What it is made of, if it is a constraint fluid that is made.
    fn markers(&self) -> Option<&Markers> {
        match &self.flow {
            Some(Flow::Markers(markers)) => Some(markers),
            _ => None,
        }
    }

    /// Makes the fluid of markers and walls that is put into the model.
    pub(super) fn make_markers(
        &self,
        filled: &[FluidFill],
        drafts: &mut [SolidDraft],
        family: u32,
    ) -> std::result::Result<Markers, ParticleError> {
        let mut settings = ConstraintFluidSettings::described(&self.spec, self.material);
        if let Some(contact) = &mut settings.contact {
            *contact = MarkerContact { family, ..*contact };
        }
        let mut fluid = ConstraintFluid::new(&self.spec.name, settings)?;
        filled.iter().try_for_each(|fill| fluid.add_fill(fill, self.pull))?;
        for (solid, draft) in self.solids.iter().zip(drafts) {
            let body = |body: BodyId| WallCarrier::Body(body.index());
            fluid.add_draft(draft, |part| match &solid.carrier {
                Carrier::Ground => WallCarrier::World,
                Carrier::Motion(_) => solid.body.map_or(WallCarrier::World, body),
                Carrier::Body(id) => body(*id),
                Carrier::Structure(structure) => WallCarrier::Piece(*structure, part as u32),
            })?;
        }
        Ok(Markers { fluid, place: None })
    }
}
