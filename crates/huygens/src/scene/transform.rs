//! Places a sub-assembly in the world: everything it gives in world coordinates is turned and moved.

use glam::{DQuat, DVec3};

use crate::spec::{
    BodySpec, FillSpec, FlowSpec, ForceSpec, FrameSpec, GROUND, GrainsSpec, JointSpec, RegionSpec, Rotation,
    Scene, orientation,
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

    fn fill(&self, fill: &mut FillSpec) {
        let mut frame = fill.frame.unwrap_or_default();
        if let Ok(q) = frame.orientation() {
            self.point(&mut frame.position);
            (frame.rotation, frame.axis) = (Some(self.turned(q)), None);
        }
        fill.frame = Some(frame);
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
        }
        for fill in &mut grains.fills {
            self.region(&mut fill.region);
            self.vector(&mut fill.velocity);
        }
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
        let periodic = &mut grains.periodic;
        let axes = [&mut periodic.x, &mut periodic.y, &mut periodic.z];
        for (k, axis) in axes.into_iter().enumerate() {
            axis.iter_mut().flatten().for_each(|end| *end += self.position[k]);
        }
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
        scene.joints.iter_mut().for_each(|j| self.joint(j));
        scene.forces.iter_mut().for_each(|f| self.force(f));
    }
}
