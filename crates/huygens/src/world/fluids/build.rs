//! Makes the particle systems of fluids: fills, speed of sound, walls, gates.

use glam::DVec3;
use huygens_geometry::Pose;
use huygens_multibody::BodyKind;
use huygens_particles::ParticleError;
use huygens_particles::fluid::{
    Bounds, FluidInlet, FluidOutlet, FluidSettings, FluidSystem, MarkerLayout, SolidMotion,
};

use super::flow::Flow;
use super::solids::{check_cells, check_lines, extent_of};
use super::{FluidSet, FluidSolid};
use crate::spec::{FluidFillSpec, FluidSpec, GrainStep, MAX_FLUID, Section};
use crate::world::coordinates::Owner;
use crate::world::grains::{mesh_of, pose_of};
use crate::world::pieces::line_mass;
use crate::world::riders::{Carrier, prescribed};
use crate::world::{Result, World};

/// Particles of a fill, with their velocity and whether they start under the pressure of rest.
pub(super) struct Filled {
    points: Vec<DVec3>,
    pub velocity: DVec3,
    hydrostatic: bool,
}

/// Where the parts of a solid are at the start, and how they move.
fn motion_of(position: DVec3, rotation: glam::DQuat) -> SolidMotion {
    SolidMotion { position, rotation, ..SolidMotion::default() }
}

impl World {
    /// Builds what is not built, and follows gravity.
    pub(in crate::world) fn prepare_fluids(&mut self) -> Result<()> {
        if self.fluids.is_empty() {
            return Ok(());
        }
        self.refuse_step_control("fluids")?;
        self.find_riders()?;
        let gravity = DVec3::from_array(self.settings.gravity);
        let mut joins = false;
        for k in 0..self.fluids.len() {
            let mut set = self.fluids.remove(k);
            let acceleration = set.spec.acceleration_in(gravity);
            set.pull = acceleration;
            let made = match &mut set.flow {
                Some(Flow::Particles(system)) => system.set_gravity(acceleration).map_err(|e| set.blame(e)),
                Some(Flow::Markers(_)) => Ok(()),
                None => {
                    joins |= set.spec.is_constraint();
                    // Balls of one fluid never touch, those of two do.
                    self.build_fluid(&mut set, acceleration, u32::MAX - k as u32)
                }
            };
            self.fluids.insert(k, set);
            made?;
        }
        if joins {
            // Markers of constraints are put into the model.
            self.suspend();
            self.initialize_bodies()?;
            self.find_riders()?;
        }
        Ok(())
    }

    /// Checks what of a fill can be checked before the model is built.
    pub(super) fn check_fill(&mut self, owner: Owner<'_>, k: usize, fill: &FluidFillSpec) -> Result<()> {
        let path = format!("fills.{k}");
        let given = [fill.region.is_some(), fill.mesh.is_some(), fill.points.is_some()];
        if given.iter().filter(|x| **x).count() != 1 {
            let problem = "a fill needs a `region`, a `mesh` or `points`, one of the three";
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
            let region = region.region();
            let [low, high] = region.bounds();
            check_cells(layout, high - low).map_err(|e| owner.error(&format!("{path}.region"), e))?;
            return layout.fill_region_on(&self.exec, &region).map_err(refused("region"));
        }
        if let Some(mesh) = &fill.mesh {
            let wrong = |key: &str, e: String| owner.error(&format!("{path}.mesh.{key}"), e);
            let made = crate::world::shapes::geometry(&mesh.shape(), &mut self.geometry);
            let made = made.map_err(|(key, e)| wrong(&key, e))?;
            let pose = pose_of(mesh.frame.as_ref()).map_err(|e| wrong("frame", e))?;
            let mesh = mesh_of(&made.shape, &pose).map_err(|e| wrong("file", e))?;
            check_cells(layout, extent_of(mesh.points())).map_err(|e| wrong("file", e))?;
            return layout.fill_mesh_on(&self.exec, &mesh).map_err(refused("mesh"));
        }
        Ok(fill.points.iter().flatten().map(|p| DVec3::from_array(*p)).collect())
    }

    /// Where the parts of a solid are now, and how they move.
    fn solid_motions(&self, solid: &FluidSolid) -> Vec<SolidMotion> {
        let time = self.time();
        match &solid.carrier {
            Carrier::Ground => vec![motion_of(solid.pose.position, solid.pose.rotation)],
            Carrier::Motion(motion) => {
                let m = prescribed(&solid.pose, motion, time);
                let (velocity, angular_velocity) = (m.velocity, m.angular_velocity);
                vec![SolidMotion { velocity, angular_velocity, ..motion_of(m.position, m.rotation) }]
            }
            Carrier::Body(body) => match self.body_motion(*body) {
                Ok(m) => {
                    let (velocity, angular_velocity) = (m.velocity, m.angular_velocity);
                    vec![SolidMotion { velocity, angular_velocity, ..motion_of(m.position, m.rotation) }]
                }
                Err(_) => vec![SolidMotion::default()],
            },
            Carrier::Structure(structure) => {
                let piece = |m: &huygens_particles::WallMotion| SolidMotion {
                    velocity: m.velocity,
                    angular_velocity: m.angular_velocity,
                    ..motion_of(m.position, m.rotation)
                };
                self.piece_motions(*structure).iter().map(piece).collect()
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
            check_lines(layout, &shapes).map_err(|e| wrong(format!("structure '{}': {e}", solid.name)))?;
            let poses = motions.iter().map(|m| Pose { position: m.position, rotation: m.rotation });
            let pieces: Vec<_> = poses.zip(shapes).collect();
            let path = solid.path.clone();
            solid.mark_lines(layout, &pieces).map_err(|e| owner.error(&path, e.to_string()))?;
        }
        solid.starts = motions.iter().map(|m| Pose { position: m.position, rotation: m.rotation }).collect();
        let Some(normal) = set.space().normal() else { return Ok(()) };
        for (part, m) in solid.parts.iter_mut().zip(motions) {
            let pose = Pose { position: m.position, rotation: m.rotation };
            for point in part.iter_mut().chain(&mut solid.room) {
                let mut at = pose.point(*point);
                at[normal] = 0.0;
                *point = pose.local_point(at);
            }
        }
        Ok(())
    }

    fn build_fluid(&mut self, set: &mut FluidSet, acceleration: DVec3, family: u32) -> Result<()> {
        let spec = set.spec.clone();
        let owner = Owner { section: Section::Fluids, name: &spec.name };
        let layout = MarkerLayout::new(&spec.settings(DVec3::ZERO, 1.0));
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
        let sound = sound_of(&spec, acceleration, &filled).map_err(|(key, e)| owner.error(&key, e))?;
        let settings = spec.settings(acceleration, sound);
        let mut system = FluidSystem::new(settings.clone()).map_err(|e| set.blame(e))?;
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
            fill.enter(&mut system, &spec, &settings).map_err(|e| set.blame(e))?;
        }
        set.add_gates(&mut system, owner)?;
        system.refresh(&self.exec).map_err(|e| set.blame(e))?;
        check_step(&spec, &system, 1.0).map_err(|e| owner.error("step", e.to_string()))?;
        set.step = system.step_limit().min(self.settings.dt);
        self.warn_of_light_solids(set, &system, &motions);
        set.flow = Some(Flow::Particles(Box::new(system)));
        Ok(())
    }

    /// Particles of all fills, less where solids are.
    fn fill_fluid(
        &mut self,
        set: &FluidSet,
        owner: Owner<'_>,
        layout: &MarkerLayout,
        motions: &[Vec<SolidMotion>],
    ) -> Result<Vec<Filled>> {
        let (mut walls, mut others) = (Vec::new(), Vec::new());
        for (solid, motions) in set.solids.iter().zip(motions) {
            let of_wall = solid.path.starts_with("walls");
            let list = if of_wall { &mut walls } else { &mut others };
            for (part, m) in solid.parts.iter().zip(motions) {
                let pose = Pose { position: m.position, rotation: m.rotation };
                list.extend(part.iter().chain(&solid.room).map(|p| pose.point(*p)));
            }
        }
        let mut filled: Vec<Filled> = Vec::new();
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
            filled.push(Filled { points, velocity, hydrostatic: fill.hydrostatic });
        }
        Ok(filled)
    }

    /// Warns where a step of the world is so long that a body or structure rings with the fluid it moves.
    ///
    /// A body that moves at v meets a pressure of $\rho c v$ on both sides, until sound has gone around it. Its mass m and
    /// area A let a step that acts on the expected velocity grow errors beyond $h = m/(2\rho c A)$.
    fn warn_of_light_solids(&mut self, set: &FluidSet, system: &FluidSystem, motions: &[Vec<SolidMotion>]) {
        let settings = system.settings();
        let h = self.settings.dt;
        for (solid, motions) in set.solids.iter().zip(motions) {
            let (noun, mass) = match solid.carrier {
                Carrier::Structure(k) => ("structure", line_mass(self.structures[k].model())),
                Carrier::Body(id) => match self.assembly.body(id) {
                    Some(body) if matches!(body.kind, BodyKind::Dynamic) => ("body", body.mass),
                    _ => continue,
                },
                Carrier::Ground | Carrier::Motion(_) => continue,
            };
            let area = shadow(&placed(&solid.parts, motions), settings);
            let longest = mass / (2.0 * settings.density * settings.sound * area);
            if h > longest {
                self.warnings.push(format!(
                    "fluid '{}': {noun} '{}' is light for the fluid that it moves: with dt = {h:e} s its motion may grow; \
                     dt = {longest:.2e} s or less is stable",
                    set.spec.name, solid.name
                ));
            }
        }
    }
}

/// Where the points of parts are.
fn placed(parts: &[Vec<DVec3>], motions: &[SolidMotion]) -> Vec<DVec3> {
    let of = |(part, m): (&Vec<DVec3>, &SolidMotion)| {
        let pose = Pose { position: m.position, rotation: m.rotation };
        part.iter().map(|p| pose.point(*p)).collect::<Vec<_>>()
    };
    parts.iter().zip(motions).flat_map(of).collect()
}

/// Greatest area [m², in the plane m] that points cover along an axis.
fn shadow(points: &[DVec3], settings: &FluidSettings) -> f64 {
    let d = settings.spacing;
    let area = |axis: usize| {
        let mut cells: Vec<[i64; 3]> = points
            .iter()
            .map(|p| {
                let mut cell = (*p / d).floor().to_array().map(|x| x as i64);
                cell[axis] = 0;
                cell
            })
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells.len() as f64 * settings.volume() / d
    };
    (0..3).filter(|k| settings.space.normal() != Some(*k)).map(area).fold(0.0, f64::max)
}

/// Refuses a step that is given and longer than `share` times what the fluid allows.
pub(super) fn check_step(
    spec: &FluidSpec,
    system: &FluidSystem,
    share: f64,
) -> std::result::Result<(), ParticleError> {
    let GrainStep::Seconds(step) = spec.step else { return Ok(()) };
    let (limit, settings) = (system.step_limit(), system.settings());
    match step <= share * limit {
        true => Ok(()),
        false => Err(ParticleError::FluidStep {
            step,
            limit,
            sound: settings.sound,
            crossing: settings.length() / settings.sound,
        }),
    }
}

/// Speed of sound that fits the height of the fills and the speeds at the start.
fn sound_of(
    spec: &FluidSpec,
    acceleration: DVec3,
    filled: &[Filled],
) -> std::result::Result<f64, (String, String)> {
    let down = acceleration.normalize_or_zero();
    let depths = filled.iter().flat_map(|f| &f.points).map(|p| p.dot(down));
    let (low, high) = depths.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let height = if low <= high { high - low + spec.spacing } else { 0.0 };
    let inlets = spec.inlets.iter().map(|inlet| DVec3::from_array(inlet.velocity).length());
    let speed = filled.iter().map(|f| f.velocity.length()).chain(inlets).fold(0.0, f64::max);
    // Along an axis that repeats nothing falls to an end.
    let falls =
        spec.periodic.axes().iter().enumerate().all(|(k, (_, axis))| axis.is_none() || down[k] == 0.0);
    spec.sound(if falls { acceleration.length() } else { 0.0 }, height, speed)
}

impl Filled {
    /// Particles with their pressures at the start [Pa], in an acceleration [m/s²].
    pub fn with_pressures(
        &self,
        spec: &FluidSpec,
        mut gravity: DVec3,
        density: f64,
        spacing: f64,
    ) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        for (k, (_, axis)) in spec.periodic.axes().iter().enumerate() {
            if axis.is_some() {
                gravity[k] = 0.0;
            }
        }
        let down = gravity.normalize_or_zero();
        let top = self.points.iter().map(|p| p.dot(down)).fold(f64::INFINITY, f64::min);
        let top = top - 0.5 * spacing;
        let pull = if self.hydrostatic { density * gravity.length() } else { 0.0 };
        self.points.iter().map(move |point| {
            let depth = if pull == 0.0 { 0.0 } else { point.dot(down) - top };
            (*point, pull * depth)
        })
    }

    /// Puts the particles into a system.
    fn enter(
        &self,
        system: &mut FluidSystem,
        spec: &FluidSpec,
        settings: &FluidSettings,
    ) -> std::result::Result<(), ParticleError> {
        for (point, pressure) in
            self.with_pressures(spec, settings.gravity, settings.density, settings.spacing)
        {
            system.add_with_pressure(point, self.velocity, pressure)?;
        }
        Ok(())
    }
}

impl FluidSet {
    fn add_gates(&self, system: &mut FluidSystem, owner: Owner<'_>) -> Result<()> {
        let v = DVec3::from_array;
        for (k, spec) in self.spec.inlets.iter().enumerate() {
            let [along, across] = spec.size;
            let layout = MarkerLayout::new(system.settings());
            check_cells(&layout, DVec3::new(along, across, across))
                .map_err(|e| owner.error(&format!("inlets.{k}.size"), e))?;
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
            if let Some(normal) = self.spec.space().normal() {
                (low[normal], high[normal]) = (-self.spec.spacing, self.spec.spacing);
            }
            let bounds = Bounds { low, high, closed: spec.closed };
            let set = system.set_bounds(bounds);
            set.map_err(|e| owner.error("bounds", e.to_string()))?;
        }
        Ok(())
    }
}
