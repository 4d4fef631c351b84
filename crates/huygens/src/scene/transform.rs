//! Places a sub-assembly in the world: everything it gives in world coordinates is turned and moved.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::signal::SignalSpec;

use crate::spec::{
    BodySpec, CellsSpec, FillSpec, FlowPlane, FlowSpec, FluidSpec, ForceSpec, FrameSpec, GROUND,
    GrainTableSpec, GrainsSpec, MountSpec, NodeJointType, PeriodicSpec, PlaceSpec, RegionSpec, Rotation,
    Scene, StructureSpec, WallSpec, WallType, orientation,
};

/// How far an axis may be turned out of an axis of the world and still count as lying along it.
const ROUNDING: f64 = 1e-12;

/// A placement: first turned, then moved [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pub position: DVec3,
    pub rotation: DQuat,
}

impl Placement {
    fn is_identity(&self) -> bool {
        self.position == DVec3::ZERO && self.rotation == DQuat::IDENTITY
    }

    fn point(&self, p: &mut [f64; 3]) {
        *p = (self.position + self.rotation * DVec3::from_array(*p)).to_array();
    }

    fn vector(&self, v: &mut [f64; 3]) {
        *v = (self.rotation * DVec3::from_array(*v)).to_array();
    }

    fn turned(&self, q: DQuat) -> Rotation {
        Rotation((self.rotation * q).normalize())
    }

    /// Turns an orientation; an axis becomes a rotation, because its x and y directions must turn with it.
    /// Wrong axes are left as they are and reported where the object is made.
    fn orient(&self, rotation: &mut Option<Rotation>, axis: &mut Option<[f64; 3]>) {
        if rotation.is_none() && axis.is_none() {
            return;
        }
        if let Ok(q) = orientation(*rotation, *axis) {
            (*rotation, *axis) = (Some(self.turned(q)), None);
        }
    }

    fn ground_frame(&self, body: &str, frame: &mut Option<FrameSpec>) {
        if let Some(frame) = frame.as_mut().filter(|_| body == GROUND) {
            self.point(&mut frame.position);
            if let Ok(q) = frame.orientation() {
                (frame.rotation, frame.axis) = (Some(self.turned(q)), None);
            }
        }
    }

    fn body(&self, body: &mut BodySpec) {
        self.point(&mut body.position);
        self.vector(&mut body.velocity);
        body.angular_velocity.iter_mut().for_each(|w| self.vector(w));
        body.rotation = Some(self.turned(body.rotation.map_or(DQuat::IDENTITY, |r| r.0)));
        body.motion.iter_mut().for_each(|m| self.vector(&mut m.axis));
    }

    /// A frame in the world, whose axes are the world's if it is absent.
    fn frame(&self, frame: &mut Option<FrameSpec>) {
        let mut moved = frame.unwrap_or_default();
        if let Ok(q) = moved.orientation() {
            self.point(&mut moved.position);
            (moved.rotation, moved.axis) = (Some(self.turned(q)), None);
        }
        *frame = Some(moved);
    }

    fn fill(&self, fill: &mut FillSpec) {
        self.frame(&mut fill.frame);
        self.vector(&mut fill.velocity);
    }

    /// Where the axes of the world are turned to, if that is along axes of the world again: to which one, and whether
    /// it points the other way.
    fn quarter_turn(&self) -> Option<[(usize, bool); 3]> {
        let mut to = [(0, false); 3];
        for (k, to) in to.iter_mut().enumerate() {
            let turned = self.rotation * DVec3::AXES[k];
            let along = (0..3).find(|i| turned[*i].abs() > 1.0 - ROUNDING)?;
            *to = (along, turned[along] < 0.0);
        }
        Some(to)
    }

    /// A box that moves with its middle. Quarter turns turn its sides; after other turns they have the lengths along
    /// the axes of the world that they had, or, where `around`, so long ones that the turned box is inside.
    fn moved_box(&self, low: &mut [f64; 3], high: &mut [f64; 3], around: bool) {
        let (from, to) = (DVec3::from_array(*low), DVec3::from_array(*high));
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let middle = self.position + self.rotation * middle;
        let half = match self.quarter_turn() {
            Some(turned) => {
                let mut sides = DVec3::ZERO;
                turned.iter().enumerate().for_each(|(k, (along, _))| sides[*along] = half[k]);
                sides
            }
            None if around => DMat3::from_quat(self.rotation).abs() * half,
            None => half,
        };
        (*low, *high) = ((middle - half).to_array(), (middle + half).to_array());
    }

    /// A region. Boxes have their sides along the axes of the world, see [`Placement::moved_box`].
    fn region(&self, region: &mut RegionSpec) {
        match region {
            RegionSpec::Box { low, high } => self.moved_box(low, high, false),
            RegionSpec::Sphere { center, .. } => self.point(center),
            RegionSpec::Cylinder { base, axis, .. } | RegionSpec::Cone { base, axis, .. } => {
                self.point(base);
                self.vector(axis);
            }
        }
    }

    /// A measure of grains.
    fn table(&self, table: &mut GrainTableSpec) {
        match table {
            GrainTableSpec::SolidFraction { region, cells } | GrainTableSpec::Stress { region, cells } => {
                region.iter_mut().for_each(|r| self.region(r));
                cells.iter_mut().for_each(|c| self.cells(c));
            }
            GrainTableSpec::Segregation { cells, .. } => self.cells(cells),
            GrainTableSpec::Temperature { region } => region.iter_mut().for_each(|r| self.region(r)),
            GrainTableSpec::VelocityProfile { axis, span, region, .. } => {
                self.vector(axis);
                let shift = self.position.dot(DVec3::from_array(*axis).normalize_or_zero());
                span.iter_mut().for_each(|end| *end += shift);
                region.iter_mut().for_each(|r| self.region(r));
            }
            GrainTableSpec::MassFlow { position, normal, .. } => {
                self.point(position);
                self.vector(normal);
            }
            GrainTableSpec::Coordination { .. } | GrainTableSpec::ForceChains { .. } => {}
        }
    }

    fn cells(&self, cells: &mut CellsSpec) {
        self.moved_box(&mut cells.low, &mut cells.high, false);
    }

    /// A wall that no body carries.
    fn mount(&self, mount: &mut MountSpec) {
        if mount.body.as_deref().is_some_and(|body| body != GROUND) {
            return;
        }
        let frame = &mut mount.frame;
        self.point(&mut frame.position);
        if let Ok(q) = frame.orientation() {
            (frame.rotation, frame.axis) = (Some(self.turned(q)), None);
        }
        mount.motion.iter_mut().for_each(|m| self.vector(&mut m.axis));
    }

    /// Grains and the walls that no body carries.
    fn grains(&self, grains: &mut GrainsSpec) -> Result<(), String> {
        let placed = |w: &&mut WallSpec| !matches!(w.kind, WallType::Structure { .. });
        grains.walls.iter_mut().filter(placed).for_each(|w| self.mount(&mut w.mount));
        for particles in &mut grains.particles {
            particles.positions.iter_mut().for_each(|p| self.point(p));
            self.vector(&mut particles.velocity);
            particles.velocities.iter_mut().for_each(|v| self.vector(v));
            particles.angular_velocities.iter_mut().for_each(|w| self.vector(w));
            if particles.file.is_some() {
                self.frame(&mut particles.frame);
            }
        }
        for clump in &mut grains.clumps {
            clump.positions.iter_mut().for_each(|p| self.point(p));
            clump.rotations.resize(clump.positions.len(), Rotation(DQuat::IDENTITY));
            clump.rotations.iter_mut().for_each(|r| *r = self.turned(r.0));
            clump.velocities.iter_mut().for_each(|v| self.vector(v));
            clump.angular_velocities.iter_mut().for_each(|w| self.vector(w));
        }
        for fill in &mut grains.fills {
            fill.region.iter_mut().for_each(|r| self.region(r));
            fill.mesh.iter_mut().for_each(|m| self.frame(&mut m.frame));
            self.vector(&mut fill.velocity);
        }
        grains.measures.iter_mut().for_each(|m| self.table(&mut m.quantity));
        for inlet in &mut grains.inlets {
            self.region(&mut inlet.region);
            self.vector(&mut inlet.velocity);
        }
        for outlet in &mut grains.outlets {
            outlet.region.iter_mut().for_each(|r| self.region(r));
            if let Some(plane) = &mut outlet.plane {
                self.point(&mut plane.position);
                self.vector(&mut plane.normal);
            }
        }
        if let Some(drag) = &mut grains.drag {
            match &mut drag.flow {
                FlowSpec::Uniform { velocity } => self.vector(velocity),
                FlowSpec::Shear { rest, gradient, direction } => {
                    self.point(rest);
                    self.vector(gradient);
                    self.vector(direction);
                }
                FlowSpec::Rotation { center, rate } => {
                    self.point(center);
                    self.vector(rate);
                }
            }
        }
        if let Some(edge) = &mut grains.boundary {
            self.moved_box(&mut edge.low, &mut edge.high, true);
        }
        self.periodic(&mut grains.periodic).map_err(|e| format!("grains '{}' {e}", grains.name))
    }

    /// A fluid, and the walls that no body carries.
    fn fluid(&self, fluid: &mut FluidSpec) -> Result<(), String> {
        if let Some(plane) = &mut fluid.plane {
            let Some(turned) = self.quarter_turn() else {
                let name = &fluid.name;
                return Err(format!(
                    "fluid '{name}' flows in a plane of two axes of the world, so that only quarter turns are possible"
                ));
            };
            *plane = FlowPlane::with_normal(turned[plane.normal()].0);
        }
        self.vector(&mut fluid.acceleration);
        fluid.walls.iter_mut().for_each(|w| self.mount(&mut w.mount));
        for fill in &mut fluid.fills {
            fill.region.iter_mut().for_each(|r| self.region(r));
            fill.mesh.iter_mut().for_each(|m| self.frame(&mut m.frame));
            fill.points.iter_mut().flatten().for_each(|p| self.point(p));
            self.vector(&mut fill.velocity);
        }
        for inlet in &mut fluid.inlets {
            self.point(&mut inlet.center);
            self.vector(&mut inlet.velocity);
            self.vector(&mut inlet.along);
        }
        for outlet in &mut fluid.outlets {
            self.point(&mut outlet.position);
            self.vector(&mut outlet.normal);
        }
        if let Some(bounds) = &mut fluid.bounds {
            self.moved_box(&mut bounds.low, &mut bounds.high, true);
        }
        self.periodic(&mut fluid.periodic).map_err(|e| format!("fluid '{}' {e}", fluid.name))
    }

    fn periodic(&self, periodic: &mut PeriodicSpec) -> Result<(), String> {
        let from = [periodic.x, periodic.y, periodic.z];
        if from.iter().all(Option::is_none) {
            return Ok(());
        }
        let Some(turned) = self.quarter_turn() else {
            return Err("repeats along axes of the world, so that only quarter turns are possible".into());
        };
        let mut to = [None; 3];
        for (interval, (along, backwards)) in from.into_iter().zip(turned) {
            to[along] = interval.map(|[low, high]| {
                let [low, high] = if backwards { [-high, -low] } else { [low, high] };
                [low + self.position[along], high + self.position[along]]
            });
        }
        [periodic.x, periodic.y, periodic.z] = to;
        Ok(())
    }

    /// A structure; forces and moments in world axes keep their directions, as loads do.
    fn structure(&self, structure: &mut StructureSpec) {
        self.point(&mut structure.position);
        structure.rotation = Some(self.turned(structure.rotation.map_or(DQuat::IDENTITY, |r| r.0)));
        self.vector(&mut structure.velocity);
        self.vector(&mut structure.angular_velocity);
        if let Some(up) = &mut structure.up {
            self.vector(up);
        } else {
            structure.up = Some((self.rotation * DVec3::Z).to_array());
        }
        for joint in &mut structure.joints {
            if let NodeJointType::Hinge { axis, .. } | NodeJointType::Direction { axis, .. } = &mut joint.kind
            {
                axis.iter_mut().for_each(|a| self.vector(a));
            }
        }
    }

    /// Where a joint or bushing connects `a` and `b`.
    fn place(&self, place: &mut PlaceSpec, a: &str, b: &str) {
        place.position.iter_mut().for_each(|p| self.point(p));
        self.orient(&mut place.rotation, &mut place.axis);
        if place.position.is_some() && place.rotation.is_none() {
            place.rotation = Some(Rotation(self.rotation));
        }
        self.ground_frame(a, &mut place.frame_a);
        self.ground_frame(b, &mut place.frame_b);
    }

    fn force(&self, force: &mut ForceSpec) {
        let point = |body: &str, p: &mut [f64; 3]| {
            if body == GROUND {
                self.point(p);
            }
        };
        match force {
            ForceSpec::Spring(s) => {
                point(&s.a, &mut s.point_a);
                point(&s.b, &mut s.point_b);
            }
            ForceSpec::Rope(s) => {
                point(&s.a, &mut s.point_a);
                point(&s.b, &mut s.point_b);
            }
            ForceSpec::Bushing(s) => self.place(&mut s.place, &s.a, &s.b),
            ForceSpec::Drag(s) => self.vector(&mut s.medium_velocity),
            _ => {}
        }
    }

    /// Points in the world at which fluids are measured; all others are points of bodies, which move along.
    fn measured(&self, fluids: &[FluidSpec], of: Option<&str>, point: &mut Option<[f64; 3]>) {
        let of = of.map(|of| of.split_once('/').map_or(of, |(name, _)| name));
        if fluids.iter().any(|f| Some(f.name.as_str()) == of) {
            point.iter_mut().for_each(|p| self.point(p));
        }
    }

    /// Turns and moves the objects of a scene; says which turns cannot be made.
    pub fn apply(&self, scene: &mut Scene) -> Result<(), String> {
        if self.is_identity() {
            return Ok(());
        }
        scene.bodies.iter_mut().for_each(|b| self.body(b));
        scene.fills.iter_mut().for_each(|f| self.fill(f));
        scene.grains.iter_mut().try_for_each(|g| self.grains(g))?;
        scene.fluids.iter_mut().try_for_each(|f| self.fluid(f))?;
        scene.structures.iter_mut().for_each(|s| self.structure(s));
        scene.joints.iter_mut().for_each(|j| self.place(&mut j.place, &j.a, &j.b));
        scene.forces.iter_mut().for_each(|f| self.force(f));
        for probe in &mut scene.probes {
            self.measured(&scene.fluids, probe.of.as_deref(), &mut probe.point);
        }
        for signal in &mut scene.signals {
            if let SignalSpec::Sensor { sensor } = &mut signal.signal {
                self.measured(&scene.fluids, Some(&sensor.of), &mut sensor.point);
            }
        }
        Ok(())
    }
}
