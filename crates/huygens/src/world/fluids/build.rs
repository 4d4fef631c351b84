//! Makes the particle systems of fluids: fills, speed of sound, walls, gates.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::coupling::SubSystem;
use huygens_multibody::{BodyId, BodyKind};
use huygens_particles::fill::Region;
use huygens_particles::sph::{
    CoupledSolid, FillPlan, FlowSpace, FluidBlock, FluidCoupling, FluidFill, FluidSettings, FluidSystem,
    MarkerLayout, SolidDraft, SolidMotion, expected_speed,
};
use huygens_particles::{Mount, ParticleError, crowding_warning};

use super::{Flow, FluidId, FluidSet, FluidSolid};
use crate::spec::{FluidFillSpec, FluidSpec, JointType, MotorSpec, MotorType, Section, WarningKind};
use crate::world::coordinates::Owner;
use crate::world::coupling::Carrier;
use crate::world::{Result, World};

/// Memory of a particle with its share of the lists [bytes]; 350 were measured for a million.
const PARTICLE_BYTES: f64 = 350.0;

impl World {
    /// Builds what is not built, and follows gravity.
    pub(in crate::world) fn prepare_fluids(&mut self) -> Result<()> {
        if self.objects.fluids.is_empty() {
            return Ok(());
        }
        self.refuse_step_control("fluids")?;
        let gravity = DVec3::from_array(self.settings.gravity);
        let mut joins = false;
        for id in self.fluid_handles() {
            let set = self.fluid_mut(id)?;
            set.pull = set.spec.acceleration_in(gravity);
            match &set.flow {
                Some(Flow::Particles) => self.pull_fluid(id)?,
                Some(Flow::Markers(_)) => {}
                None => {
                    joins |= set.spec.is_constraint();
                    self.build_fluid(id)?;
                }
            }
        }
        if joins {
            // Markers of constraints are put into the model.
            self.suspend();
            self.initialize_bodies()?;
        }
        Ok(())
    }

    /// Sets the acceleration of a fluid that is made.
    fn pull_fluid(&mut self, id: FluidId) -> Result<()> {
        let set = self.fluid_of(id)?;
        let (name, pull, blame) = (set.spec.name.clone(), set.pull, set.blame());
        if self.fluid_block(&name).is_none_or(|b| b.system.settings().gravity == pull) {
            return Ok(());
        }
        self.fluid_block_mut(&name).map_or(Ok(()), |block| block.system.set_gravity(pull)).map_err(blame)
    }

    /// A fluid as a sub-system of the model; none for a constraint fluid.
    pub(in crate::world) fn fluid_coupling(&self, set: &FluidSet) -> Option<Arc<dyn SubSystem>> {
        let Some(Flow::Particles) = set.flow else { return None };
        let mut boundaries = Vec::new();
        let solid = |solid: &FluidSolid| {
            let mount = self.mount(&solid.carrier, &solid.pose, &mut boundaries);
            // The torque on a fixed body is about its centre of mass, as that on others.
            let arm = match (&mount, solid.carrier.body().and_then(|id| self.objects.assembly.body(id))) {
                (Mount::Ground, Some(body)) => Some(body.rotation * -body.center_of_mass),
                _ => None,
            };
            let SolidDraft { first, parts, starts, .. } = &solid.draft;
            CoupledSolid { mount, first: *first, parts: parts.len(), starts: starts.clone(), arm }
        };
        let solids = set.solids.iter().map(solid).collect();
        let (owner, step) = (set.spec.name.clone(), set.spec.step.seconds());
        Some(Arc::new(FluidCoupling { owner, boundaries, solids, step }))
    }

    /// Points of a fill.
    fn fill_points(
        &mut self,
        owner: Owner<'_>,
        layout: &MarkerLayout,
        path: &str,
        fill: &FluidFillSpec,
    ) -> Result<Vec<DVec3>> {
        let refused = |key: &'static str| {
            let field = format!("{path}.{key}");
            move |e: ParticleError| owner.refuse(&field, e)
        };
        if let Some(region) = &fill.region {
            let region = Region::from(region);
            let [low, high] = region.bounds();
            layout.check_cells(high - low).map_err(refused("region"))?;
            let sides = high - low;
            let filled = region.volume() / sides.element_product();
            let particles = filled * layout.cell_count(sides);
            owner.require_memory(&format!("{path}.region"), particles, "particles", PARTICLE_BYTES)?;
            return layout.fill_region_on(&self.exec, &region).map_err(refused("region"));
        }
        if let Some(mesh) = &fill.mesh {
            let made = self.fill_mesh(mesh);
            let mesh = made.map_err(|(key, e)| owner.error(&format!("{path}.{key}"), e))?;
            layout.check_cells(mesh.sides()).map_err(refused("mesh.file"))?;
            return layout.fill_mesh_on(&self.exec, &mesh).map_err(refused("mesh"));
        }
        Ok(fill.points.iter().flatten().map(|p| DVec3::from_array(*p)).collect())
    }

    /// Where the parts of a solid are now, and how they move.
    pub(super) fn solid_motions(&self, solid: &FluidSolid) -> Vec<SolidMotion> {
        match &solid.carrier {
            Carrier::Structure(structure) => {
                self.piece_motions(*structure).into_iter().map(SolidMotion::from).collect()
            }
            carrier => vec![self.carrier_motion(carrier, &solid.pose).into()],
        }
    }

    /// A solid with its markers where they are now: those of lines are found, and in a plane all are put into it.
    fn settled(
        &self,
        owner: Owner<'_>,
        layout: &MarkerLayout,
        solid: &FluidSolid,
        motions: &[SolidMotion],
    ) -> Result<SolidDraft> {
        let mut draft = solid.draft.clone();
        if let Carrier::Structure(_) = solid.carrier {
            let wrong = |e: String| owner.error(&solid.path, e);
            let (_, shapes) = self.line_pieces(owner, &solid.path, &draft.name, &wrong)?;
            let checked = layout.check_pieces(&shapes);
            checked.map_err(|e| wrong(format!("structure '{}': {e}", draft.name)))?;
            let pieces: Vec<_> = motions.iter().map(SolidMotion::pose).zip(shapes).collect();
            draft.parts = layout.piece_markers(&pieces).map_err(|e| wrong(e.to_string()))?;
        }
        draft.settle(layout, motions);
        Ok(draft)
    }

    fn build_fluid(&mut self, id: FluidId) -> Result<()> {
        let set = self.fluid_of(id)?;
        let (spec, acceleration, blame) = (set.spec.clone(), set.pull, set.blame());
        let owner = Owner { section: Section::Fluids, name: &spec.name };
        let settings = FluidSettings::described(&spec, DVec3::ZERO, 1.0);
        let layout = MarkerLayout::new(&settings);
        let (mut drafts, mut motions) = (Vec::new(), Vec::new());
        for solid in &set.solids {
            self.exec.check_stop()?;
            let now = self.solid_motions(solid);
            drafts.push(self.settled(owner, &layout, solid, &now)?);
            motions.push(now);
        }
        let filled = self.fill_fluid(owner, &spec, &layout, &drafts)?;
        let points: Vec<DVec3> = filled.iter().flat_map(|fill| &fill.points).copied().collect();
        let markers: Vec<DVec3> = drafts.iter().flat_map(SolidDraft::markers).collect();
        if let Some(text) = crowding_warning(&settings, &points, &markers) {
            self.reports.warnings.push(format!("fluid '{}': {text}", spec.name));
        }
        let set = self.fluid_of(id)?;
        let flow = if spec.is_constraint() {
            // Balls of one fluid never touch, those of two do.
            let family = u32::MAX - id.0.index() as u32;
            Flow::Markers(set.make_markers(&filled, &mut drafts, family).map_err(blame)?)
        } else {
            let inlets = spec.inlets.iter().map(|inlet| DVec3::from_array(inlet.velocity));
            let belts = drafts.iter().map(|draft| draft.belt);
            let expected =
                expected_speed(&filled, inlets.chain(belts), acceleration, spec.spacing, spec.repeats());
            let sound = spec.sound(expected).map_err(|(key, e)| owner.error(&key, e))?;
            let settings = FluidSettings::described(&spec, acceleration, sound);
            let mut system = FluidSystem::new(settings).map_err(&blame)?;
            for ((draft, solid), motions) in drafts.iter_mut().zip(&set.solids).zip(&motions) {
                let added = system.add_draft(draft, motions);
                added.map_err(|e| owner.error(&solid.path, e.to_string()))?;
            }
            filled.iter().try_for_each(|fill| system.add_fill(fill)).map_err(&blame)?;
            system.add_described_gates(&spec).map_err(|(path, e)| owner.error(&path, e.to_string()))?;
            system.refresh(&self.exec).map_err(blame)?;
            if let Some(step) = spec.step.seconds() {
                system.check_step(step, 1.0).map_err(|e| owner.error("step", e.to_string()))?;
            }
            let step = system.step_limit().min(self.settings.dt);
            let warnings = self.light_solids(set, &drafts, system.settings());
            warnings.into_iter().for_each(|text| self.reports.warnings.push_of(WarningKind::Fluids, text));
            let wrenches = vec![[DVec3::ZERO; 2]; drafts.len()];
            let gates = vec![[0.0; 2]; spec.inlets.len() + spec.outlets.len()];
            self.put_block(FluidBlock::KIND, &spec.name, FluidBlock { system, step, wrenches, gates });
            Flow::Particles
        };
        let set = self.fluid_mut(id)?;
        set.flow = Some(flow);
        set.solids.iter_mut().zip(drafts).for_each(|(solid, draft)| solid.draft = draft);
        self.check_gauges(&spec.name)
    }

    /// Particles of all fills, less where solids are.
    fn fill_fluid(
        &mut self,
        owner: Owner<'_>,
        spec: &FluidSpec,
        layout: &MarkerLayout,
        drafts: &[SolidDraft],
    ) -> Result<Vec<FluidFill>> {
        let space = FlowSpace::from(spec.plane);
        let mut plan = FillPlan::new(layout, drafts);
        for (k, fill) in spec.fills.iter().enumerate() {
            let path = format!("fills.{k}");
            let mut points = self.fill_points(owner, layout, &path, fill)?;
            points.iter_mut().for_each(|p| *p = space.project(*p));
            self.exec.check_stop()?;
            let velocity = space.project(DVec3::from_array(fill.velocity));
            let filled = FluidFill { points, velocity, hydrostatic: fill.hydrostatic };
            plan.add(filled, fill.carve).map_err(|e| match e {
                ParticleError::FluidOverlap { .. } => {
                    owner.error(&path, format!("{e}; `carve = true` lets walls take room from the fill"))
                }
                other => owner.refuse(&path, other),
            })?;
        }
        Ok(plan.into_fills())
    }

    /// What to say where a step of the world is so long that a body or structure rings with the fluid it moves.
    fn light_solids(&self, set: &FluidSet, drafts: &[SolidDraft], settings: &FluidSettings) -> Vec<String> {
        let h = self.settings.dt;
        let warning = |(solid, draft): (&FluidSolid, &SolidDraft)| {
            let (object, mass) = match solid.carrier {
                Carrier::Structure(k) => {
                    let made = &self.objects.structures[k];
                    (format!("structure '{}'", made.name()), made.model().line_mass())
                }
                Carrier::Body(id) => match self.objects.assembly.body(id) {
                    Some(body) if matches!(body.kind, BodyKind::Dynamic) && !self.is_driven(id) => {
                        (format!("body '{}'", body.name), body.mass)
                    }
                    _ => return None,
                },
                Carrier::Ground | Carrier::Motion(_) => return None,
            };
            let longest = settings.body_step_limit(mass, &draft.markers());
            (h > longest).then(|| {
                format!(
                    "fluid '{}': {object} is light compared with the fluid it displaces: its motion may be unstable with \
                     dt = {h:e} s; dt = {longest:.2e} s or less is stable",
                    set.spec.name
                )
            })
        };
        set.solids.iter().zip(drafts).filter_map(warning).collect()
    }

    /// Whether a joint prescribes where a body is, alone or by a motor: what acts on it then moves nothing.
    fn is_driven(&self, body: BodyId) -> bool {
        use MotorType::{Angle, Position, Speed};
        let o = &self.objects;
        let has_motor = |name: &str| {
            let on = |m: &MotorSpec| m.joint.as_deref() == Some(name);
            o.motors.iter().any(|(_, m)| on(m) && matches!(m.kind, Angle | Position | Speed))
        };
        let still = |id: Option<BodyId>| {
            let body = id.and_then(|id| o.assembly.body(id));
            body.is_none_or(|b| !matches!(b.kind, BodyKind::Dynamic))
        };
        o.joints.iter().any(|(id, spec)| {
            let Some(joint) = o.assembly.joint(*id) else { return false };
            let [a, b] = [joint.a.carrier.body(), joint.b.carrier.body()];
            let other = if a == Some(body) { b } else { a };
            let mine = a == Some(body) || b == Some(body);
            let led = matches!(spec.kind, JointType::Fixed | JointType::Trajectory { .. });
            mine && still(other) && (led || has_motor(&spec.name))
        })
    }
}
