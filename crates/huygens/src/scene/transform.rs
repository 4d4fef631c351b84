//! Places a sub-assembly in the world: everything it gives in world coordinates is turned and moved.

use glam::{DQuat, DVec3};

use crate::spec::{
    BodySpec, CellsSpec, FillSpec, FlowSpec, FluidSpec, ForceSpec, FrameSpec, GROUND, GrainTableSpec,
    GrainsSpec, JointSpec, PeriodicSpec, RegionSpec, Rotation, Scene, StructureSpec, orientation,
};

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

    fn shift(&self, p: &mut [f64; 3]) {
        *p = (self.position + DVec3::from_array(*p)).to_array();
    }

    /// A region; boxes keep their sides along the axes of the world.
    fn region(&self, region: &mut RegionSpec) {
        match region {
            RegionSpec::Box { low, high } => {
                let middle = 0.5 * (DVec3::from_array(*low) + DVec3::from_array(*high));
                let moved = self.position + self.rotation * middle - middle;
                for corner in [low, high] {
                    *corner = (DVec3::from_array(*corner) + moved).to_array();
                }
            }
            RegionSpec::Sphere { center, .. } => self.point(center),
            RegionSpec::Cylinder { base, axis, .. } | RegionSpec::Cone { base, axis, .. } => {
                self.point(base);
                self.vector(axis);
            }
        }
    }

    /// A measure of grains; cells keep their sides along the axes of the world.
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
        let mut region = RegionSpec::between(cells.low, cells.high);
        self.region(&mut region);
        if let RegionSpec::Box { low, high } = region {
            (cells.low, cells.high) = (low, high);
        }
    }

    /// Grains and the walls that no body carries. Axes that repeat, boxes that are filled and edges of the world stay
    /// along the axes of the world; they are moved only.
    fn grains(&self, grains: &mut GrainsSpec) {
        for wall in grains.walls.iter_mut().filter(|w| w.body.as_deref().is_none_or(|b| b == GROUND)) {
            self.point(&mut wall.position);
            if let Ok(q) = orientation(wall.rotation, wall.axis) {
                (wall.rotation, wall.axis) = (Some(self.turned(q)), None);
            }
            wall.motion.iter_mut().for_each(|m| self.vector(&mut m.axis));
        }
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
            self.shift(&mut edge.low);
            self.shift(&mut edge.high);
        }
        self.periodic(&mut grains.periodic);
    }

    /// A fluid, and the walls that no body carries. Bounds, boxes that are filled and axes that repeat stay along the axes
    /// of the world; they are moved only.
    fn fluid(&self, fluid: &mut FluidSpec) {
        for wall in fluid.walls.iter_mut().filter(|w| w.body.as_deref().is_none_or(|b| b == GROUND)) {
            self.point(&mut wall.position);
            if let Ok(q) = orientation(wall.rotation, wall.axis) {
                (wall.rotation, wall.axis) = (Some(self.turned(q)), None);
            }
            wall.motion.iter_mut().for_each(|m| self.vector(&mut m.axis));
        }
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
            self.shift(&mut bounds.low);
            self.shift(&mut bounds.high);
        }
        self.periodic(&mut fluid.periodic);
    }

    fn periodic(&self, periodic: &mut PeriodicSpec) {
        let axes = [&mut periodic.x, &mut periodic.y, &mut periodic.z];
        for (k, axis) in axes.into_iter().enumerate() {
            axis.iter_mut().flatten().for_each(|end| *end += self.position[k]);
        }
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
        structure.joints.iter_mut().flat_map(|j| &mut j.axis).for_each(|a| self.vector(a));
    }

    fn joint(&self, joint: &mut JointSpec) {
        joint.position.iter_mut().for_each(|p| self.point(p));
        self.orient(&mut joint.rotation, &mut joint.axis);
        if joint.position.is_some() && joint.rotation.is_none() {
            joint.rotation = Some(Rotation(self.rotation));
        }
        self.ground_frame(&joint.a.clone(), &mut joint.frame_a);
        self.ground_frame(&joint.b.clone(), &mut joint.frame_b);
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
            ForceSpec::Bushing(s) => {
                s.position.iter_mut().for_each(|p| self.point(p));
                self.orient(&mut s.rotation, &mut s.axis);
                if s.position.is_some() && s.rotation.is_none() {
                    s.rotation = Some(Rotation(self.rotation));
                }
                self.ground_frame(&s.a.clone(), &mut s.frame_a);
                self.ground_frame(&s.b.clone(), &mut s.frame_b);
            }
            _ => {}
        }
    }

    pub fn apply(&self, scene: &mut Scene) {
        if self.is_identity() {
            return;
        }
        scene.bodies.iter_mut().for_each(|b| self.body(b));
        scene.fills.iter_mut().for_each(|f| self.fill(f));
        scene.grains.iter_mut().for_each(|g| self.grains(g));
        scene.fluids.iter_mut().for_each(|f| self.fluid(f));
        scene.structures.iter_mut().for_each(|s| self.structure(s));
        scene.joints.iter_mut().for_each(|j| self.joint(j));
        scene.forces.iter_mut().for_each(|f| self.force(f));
    }
}
