//! Makes the particle systems of fluids: fills, speed of sound, walls, gates.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::coupling::SubSystem;
use huygens_multibody::BodyKind;
use huygens_particles::fill::Region;
use huygens_particles::sph::{
    Bounds, CoupledSolid, FluidBlock, FluidCoupling, FluidFill, FluidInlet, FluidOutlet, FluidSettings,
    FluidSystem, MarkerLayout, SolidMotion, expected_speed,
};
use huygens_particles::{Mount, ParticleError, WallMotion};

use super::flow::Flow;
use super::{FluidSet, FluidSolid};
use crate::spec::FlowPlane;
use crate::spec::{FluidFillSpec, FluidSpec, MAX_FLUID, Section};
use crate::world::coordinates::Owner;
use crate::world::coupling::{Carrier, prescribed};
use crate::world::grains::mesh_of;
use crate::world::shapes::pose_of_axes;
use crate::world::{Result, World};

impl World {
    /// Builds what is not built, and follows gravity.
    pub(in crate::world) fn prepare_fluids(&mut self) -> Result<()> {
        if self.objects.fluids.is_empty() {
            return Ok(());
        }
        self.refuse_step_control("fluids")?;
        let gravity = DVec3::from_array(self.settings.gravity);
        let mut joins = false;
        for k in 0..self.objects.fluids.len() {
            let acceleration = self.objects.fluids[k].spec.acceleration_in(gravity);
            self.objects.fluids[k].pull = acceleration;
            match &self.objects.fluids[k].flow {
                Some(Flow::Particles) => self.pull_fluid(k, acceleration)?,
                Some(Flow::Markers(_)) => {}
                None => {
                    joins |= self.objects.fluids[k].spec.is_constraint();
                    let mut set = self.objects.fluids.remove(k);
                    // Balls of one fluid never touch, those of two do.
                    let made = self.build_fluid(&mut set, acceleration, u32::MAX - k as u32);
                    self.objects.fluids.insert(k, set);
                    made?;
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

    /// Sets the acceleration of a fluid that is made [m/s²].
    fn pull_fluid(&mut self, k: usize, acceleration: DVec3) -> Result<()> {
        let name = self.objects.fluids[k].spec.name.clone();
        let same = self.fluid_block(&name).is_none_or(|b| b.system.settings().gravity == acceleration);
        match self.fluid_block_mut(&name).filter(|_| !same) {
            Some(block) => {
                let pulled = block.system.set_gravity(acceleration);
                pulled.map_err(|e| self.objects.fluids[k].blame(e))
            }
            None => Ok(()),
        }
    }

    /// A fluid as a sub-system of the model; none for a constraint fluid.
    pub(in crate::world) fn fluid_coupling(&self, k: usize) -> Option<Arc<dyn SubSystem>> {
        let set = &self.objects.fluids[k];
        let Some(Flow::Particles) = set.flow else { return None };
        let mut boundaries = Vec::new();
        let solid = |solid: &FluidSolid| {
            let mount = self.mount(&solid.carrier, &solid.pose, &mut boundaries);
            // The torque on a fixed body is about its centre of mass, as that on others.
            let arm = match (&mount, solid.carrier.body().and_then(|id| self.objects.assembly.body(id))) {
                (Mount::Ground, Some(body)) => Some(body.rotation * -body.center_of_mass),
                _ => None,
            };
            let (first, parts, starts) = (solid.first, solid.parts.len(), solid.starts.clone());
            CoupledSolid { mount, first, parts, starts, arm }
        };
        let solids = set.solids.iter().map(solid).collect();
        let (owner, step) = (set.spec.name.clone(), set.spec.step.seconds());
        Some(Arc::new(FluidCoupling { owner, boundaries, solids, step }))
    }

    /// Checks what of a fill can be checked before the model is built.
    pub(super) fn check_fill(&mut self, owner: Owner<'_>, k: usize, fill: &FluidFillSpec) -> Result<()> {
        let path = format!("fills.{k}");
        let given = [fill.region.is_some(), fill.mesh.is_some(), fill.points.is_some()];
        if given.iter().filter(|x| **x).count() != 1 {
            let problem = "a fill needs exactly one of `region`, `mesh` and `points`";
            return Err(owner.error(&path, problem));
        }
        let velocity = DVec3::from_array(fill.velocity);
        match velocity.is_finite() {
            true => Ok(()),
            false => Err(owner.error(&format!("{path}.velocity"), "all components must be finite")),
        }
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
            return layout.fill_region_on(&self.exec, &region).map_err(refused("region"));
        }
        if let Some(mesh) = &fill.mesh {
            let wrong = |key: &str, e: String| owner.error(&format!("{path}.mesh.{key}"), e);
            let made = crate::world::shapes::mesh(&mesh.source, None, &mut self.objects.geometry);
            let made = made.map_err(|(key, e)| wrong(&key, e))?;
            let pose = pose_of_axes(mesh.frame.as_ref()).map_err(|e| wrong("frame", e))?;
            let mesh = mesh_of(&made.shape, &pose).map_err(|e| wrong("file", e))?;
            layout.check_cells(mesh.sides()).map_err(|e| wrong("file", e.to_string()))?;
            return layout.fill_mesh_on(&self.exec, &mesh).map_err(refused("mesh"));
        }
        Ok(fill.points.iter().flatten().map(|p| DVec3::from_array(*p)).collect())
    }

    /// Where the parts of a solid are now, and how they move.
    fn solid_motions(&self, solid: &FluidSolid) -> Vec<SolidMotion> {
        let time = self.time();
        match &solid.carrier {
            Carrier::Ground => vec![WallMotion::at(&solid.pose).into()],
            Carrier::Motion(motion) => vec![prescribed(&solid.pose, motion, time).into()],
            Carrier::Body(body) => match self.body_motion(*body) {
                Ok(m) => {
                    let (position, rotation) = (m.position, m.rotation);
                    let (velocity, angular_velocity) = (m.velocity, m.angular_velocity);
                    vec![WallMotion { position, rotation, velocity, angular_velocity }.into()]
                }
                Err(_) => vec![SolidMotion::default()],
            },
            Carrier::Structure(structure) => {
                self.piece_motions(*structure).into_iter().map(SolidMotion::from).collect()
            }
        }
    }

    /// Puts the markers of a solid where they are now: those of lines are found, and in a plane all are put into it.
    fn settle_solid(
        &self,
        set: &FluidSpec,
        layout: &MarkerLayout,
        solid: &mut FluidSolid,
        motions: &[SolidMotion],
    ) -> Result<()> {
        let owner = Owner { section: Section::Fluids, name: &set.name };
        if let Carrier::Structure(_) = solid.carrier {
            let wrong = |e: String| owner.error(&solid.path, e);
            let (_, shapes) = self.line_pieces(owner, &solid.path, &solid.name, &wrong)?;
            let checked = layout.check_pieces(&shapes);
            checked.map_err(|e| wrong(format!("structure '{}': {e}", solid.name)))?;
            let pieces: Vec<_> = motions.iter().map(SolidMotion::pose).zip(shapes).collect();
            let parts = layout.piece_markers(&pieces).map_err(|e| wrong(e.to_string()))?;
            solid.parts = parts;
        }
        solid.starts = motions.iter().map(SolidMotion::pose).collect();
        for (part, m) in solid.parts.iter_mut().zip(motions) {
            layout.flatten(&m.pose(), part.iter_mut().chain(&mut solid.room));
        }
        Ok(())
    }

    fn build_fluid(&mut self, set: &mut FluidSet, acceleration: DVec3, family: u32) -> Result<()> {
        let spec = set.spec.clone();
        let owner = Owner { section: Section::Fluids, name: &spec.name };
        let layout = MarkerLayout::new(&FluidSettings::described(&spec, DVec3::ZERO, 1.0));
        let mut motions = Vec::with_capacity(set.solids.len());
        let mut solids = std::mem::take(&mut set.solids);
        let mut settled = Ok(());
        for solid in &mut solids {
            settled = settled.and_then(|()| Ok(self.exec.check_stop()?));
            let now = self.solid_motions(solid);
            settled = settled.and_then(|()| self.settle_solid(&spec, &layout, solid, &now));
            motions.push(now);
        }
        set.solids = solids;
        settled?;
        let filled = self.fill_fluid(set, owner, &layout, &motions)?;
        if spec.is_constraint() {
            let markers = set.make_markers(&filled, &motions, family).map_err(|e| set.blame(e))?;
            set.flow = Some(Flow::Markers(markers));
            return Ok(());
        }
        let inlets = spec.inlets.iter().map(|inlet| DVec3::from_array(inlet.velocity));
        let expected = expected_speed(&filled, inlets, acceleration, spec.spacing, spec.repeats());
        let sound = spec.sound(expected).map_err(|(key, e)| owner.error(&key, e))?;
        let settings = FluidSettings::described(&spec, acceleration, sound);
        let mut system = FluidSystem::new(settings).map_err(|e| set.blame(e))?;
        let mut first = 0;
        for (solid, motions) in set.solids.iter_mut().zip(&motions) {
            solid.first = first;
            for (points, motion) in solid.parts.iter().zip(motions) {
                let added = system.add_solid(&solid.name, points, *motion, solid.slip);
                added.map_err(|e| owner.error(&solid.path, e.to_string()))?;
            }
            first += solid.parts.len();
        }
        for fill in &filled {
            system.add_fill(fill).map_err(|e| set.blame(e))?;
        }
        set.add_gates(&mut system, owner)?;
        system.refresh(&self.exec).map_err(|e| set.blame(e))?;
        if let Some(step) = spec.step.seconds() {
            system.check_step(step, 1.0).map_err(|e| owner.error("step", e.to_string()))?;
        }
        let step = system.step_limit().min(self.settings.dt);
        self.warn_of_light_solids(set, &system, &motions);
        set.flow = Some(Flow::Particles);
        let wrenches = vec![[DVec3::ZERO; 2]; set.solids.len()];
        let gates = vec![[0.0; 2]; spec.inlets.len() + spec.outlets.len()];
        self.put_block(FluidBlock::KIND, &spec.name, FluidBlock { system, step, wrenches, gates });
        Ok(())
    }

    /// Particles of all fills, less where solids are.
    fn fill_fluid(
        &mut self,
        set: &FluidSet,
        owner: Owner<'_>,
        layout: &MarkerLayout,
        motions: &[Vec<SolidMotion>],
    ) -> Result<Vec<FluidFill>> {
        let (mut walls, mut others) = (Vec::new(), Vec::new());
        for (solid, motions) in set.solids.iter().zip(motions) {
            let of_wall = solid.path.starts_with("walls");
            let list = if of_wall { &mut walls } else { &mut others };
            for (part, m) in solid.parts.iter().zip(motions) {
                let pose = m.pose();
                list.extend(part.iter().chain(&solid.room).map(|p| pose.point(*p)));
            }
        }
        let mut filled: Vec<FluidFill> = Vec::new();
        let mut count = walls.len() + others.len();
        for (k, fill) in set.spec.fills.iter().enumerate() {
            let path = format!("fills.{k}");
            let mut points = self.fill_points(owner, layout, &path, fill)?;
            points.iter_mut().for_each(|p| *p = set.in_plane(*p));
            self.exec.check_stop()?;
            points = layout.without(points, &others);
            match fill.carve {
                true => points = layout.without(points, &walls),
                false => layout.check_apart(&points, &walls).map_err(|e| {
                    owner.error(&path, format!("{e}; `carve = true` lets walls take room from the fill"))
                })?,
            }
            for before in &filled {
                layout.check_apart(&points, &before.points).map_err(|e| match e {
                    ParticleError::FluidOverlap { count, at, .. } => {
                        let problem = format!(
                            "{count} of its particles overlap those of an earlier fill: the first is at {at:?} m"
                        );
                        owner.error(&path, problem)
                    }
                    other => owner.error(&path, other.to_string()),
                })?;
            }
            count += points.len();
            if count > MAX_FLUID {
                let problem = format!("{count} particles and markers are not allowed; {MAX_FLUID} are");
                return Err(owner.error(&path, problem));
            }
            let velocity = set.in_plane(DVec3::from_array(fill.velocity));
            filled.push(FluidFill { points, velocity, hydrostatic: fill.hydrostatic });
        }
        Ok(filled)
    }

    /// Warns where a step of the world is so long that a body or structure rings with the fluid it moves.
    fn warn_of_light_solids(&mut self, set: &FluidSet, system: &FluidSystem, motions: &[Vec<SolidMotion>]) {
        let settings = system.settings();
        let h = self.settings.dt;
        for (solid, motions) in set.solids.iter().zip(motions) {
            let (noun, mass) = match solid.carrier {
                Carrier::Structure(k) => ("structure", self.objects.structures[k].model().line_mass()),
                Carrier::Body(id) => match self.objects.assembly.body(id) {
                    Some(body) if matches!(body.kind, BodyKind::Dynamic) => ("body", body.mass),
                    _ => continue,
                },
                Carrier::Ground | Carrier::Motion(_) => continue,
            };
            let placed = solid.parts.iter().zip(motions).flat_map(|(part, m)| {
                let pose = m.pose();
                part.iter().map(move |p| pose.point(*p))
            });
            let longest = settings.body_step_limit(mass, &placed.collect::<Vec<_>>());
            if h > longest {
                self.reports.warnings.push(format!(
                    "fluid '{}': {noun} '{}' is light compared with the fluid it displaces: its motion may be unstable with dt = {h:e} s; dt = {longest:.2e} s or less is stable",
                    set.spec.name, solid.name
                ));
            }
        }
    }
}

impl FluidSet {
    fn add_gates(&self, system: &mut FluidSystem, owner: Owner<'_>) -> Result<()> {
        let v = DVec3::from_array;
        for (k, spec) in self.spec.inlets.iter().enumerate() {
            let [along, across] = spec.size;
            let layout = MarkerLayout::new(system.settings());
            layout
                .check_cells(DVec3::new(along, across, across))
                .map_err(|e| owner.error(&format!("inlets.{k}.size"), e.to_string()))?;
            let inlet = FluidInlet {
                name: spec.name.clone(),
                center: self.in_plane(v(spec.center)),
                velocity: self.in_plane(v(spec.velocity)),
                along: self.in_plane(v(spec.along)),
                sides: spec.size,
            };
            let added = system.add_inlet(inlet);
            added.map_err(|e| owner.error(&format!("inlets.{k}"), e.to_string()))?;
        }
        for (k, spec) in self.spec.outlets.iter().enumerate() {
            let outlet =
                FluidOutlet { name: spec.name.clone(), point: v(spec.position), normal: v(spec.normal) };
            let added = system.add_outlet(outlet);
            added.map_err(|e| owner.error(&format!("outlets.{k}"), e.to_string()))?;
        }
        if let Some(spec) = self.spec.bounds {
            let (mut low, mut high) = (v(spec.low), v(spec.high));
            if let Some(normal) = self.spec.plane.map(FlowPlane::normal) {
                (low[normal], high[normal]) = (-self.spec.spacing, self.spec.spacing);
            }
            let bounds = Bounds { low, high, closed: spec.closed };
            let set = system.set_bounds(bounds);
            set.map_err(|e| owner.error("bounds", e.to_string()))?;
        }
        Ok(())
    }
}

impl World {
    /// Warns once where the density of a fluid varies too much, and once where particles are lost.
    pub(in crate::world) fn warn_of_fluids(&mut self) {
        for k in 0..self.objects.fluids.len() {
            let Some(block) = self.fluid_block(&self.objects.fluids[k].spec.name) else { continue };
            let (system, name, warned) =
                (&block.system, &self.objects.fluids[k].spec.name, self.objects.fluids[k].warned);
            let variation = system.density_variation();
            let mut new = [None, None];
            if !warned[0] && variation > FluidSettings::COMPRESSED {
                let sound = system.settings().sound;
                new[0] = Some(format!(
                    "fluid '{name}': density varies by {:.1} % at t = {:.4} s, more than {:.0} %; the maximum speed is {:.3} m/s at a sound speed of {sound:.3} m/s. A higher `sound_speed` (or `max_speed`) makes it stiffer",
                    100.0 * variation,
                    system.time(),
                    100.0 * FluidSettings::COMPRESSED,
                    system.range().speed,
                ));
            }
            if !warned[1] && system.lost_count() > 0 {
                new[1] = Some(format!(
                    "fluid '{name}': particles leave the bounds, the first at t = {:.4} s; the probe `lost` counts them",
                    system.time()
                ));
            }
            for (kind, warning) in new.into_iter().enumerate() {
                if let Some(warning) = warning {
                    self.objects.fluids[k].warned[kind] = true;
                    self.reports.warnings.push(warning);
                }
            }
        }
    }
}
