//! Walls of grains in a world: what they are made of, who carries them, and what they feel.

use std::ops::Range;

use glam::DVec3;
use huygens_geometry::Pose;
use huygens_kernel::rotation;
use huygens_multibody::{BodyId, Motion};
use huygens_particles::{Surface, WallMotion};

use super::{GrainSet, Owner, Result, World};
use crate::spec::{WallSpec, check_axis};

/// Who moves a wall.
#[derive(Clone, Debug)]
pub(in crate::world) enum Carrier {
    /// Nobody.
    Ground,
    /// Functions of time.
    Motion(Box<Motion>),
    /// A body.
    Body(BodyId),
}

/// A wall of a set of grains.
#[derive(Clone, Debug)]
pub(in crate::world) struct GrainWall {
    pub name: String,
    pub visible: bool,
    pub carrier: Carrier,
    /// Its pose in the world at the start, or in the frame of its body.
    pub pose: Pose,
    /// The surfaces it is made of, in its axes.
    pub surfaces: Vec<(Pose, Surface)>,
    pub material: usize,
    /// Places of its surfaces among the walls of the system.
    pub parts: Range<usize>,
    /// Force [N] and torque about its origin [N·m] by the grains.
    pub wrench: [DVec3; 2],
}

/// How a wall moves through a step of the world: at constant velocity and angular velocity from its pose at the start.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) struct Sweep {
    from: Pose,
    velocity: DVec3,
    angular_velocity: DVec3,
    turns: bool,
}

impl Sweep {
    /// From one pose to another in `h` [s].
    pub fn between(from: Pose, to: Pose, h: f64) -> Self {
        let turn = rotation::log((to.rotation * from.rotation.conjugate()).normalize());
        Self {
            from,
            velocity: (to.position - from.position) / h,
            angular_velocity: turn / h,
            turns: turn != DVec3::ZERO,
        }
    }

    /// The motion at `t` [s] after the start.
    pub fn at(&self, t: f64) -> WallMotion {
        let rotation = match self.turns {
            true => (rotation::exp(self.angular_velocity * t) * self.from.rotation).normalize(),
            false => self.from.rotation,
        };
        WallMotion {
            position: self.from.position + self.velocity * t,
            rotation,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
        }
    }
}

/// The motion of a part at `pose` in the axes of a wall that moves.
pub(super) fn part_motion(wall: &WallMotion, pose: &Pose) -> WallMotion {
    let arm = wall.rotation * pose.position;
    WallMotion {
        position: wall.position + arm,
        rotation: wall.rotation * pose.rotation,
        velocity: wall.velocity + wall.angular_velocity.cross(arm),
        angular_velocity: wall.angular_velocity,
    }
}

impl GrainWall {
    /// The body that carries it.
    pub fn body(&self) -> Option<BodyId> {
        match self.carrier {
            Carrier::Body(body) => Some(body),
            _ => None,
        }
    }

    /// Where functions of time have it at `time` [s].
    pub fn prescribed(&self, motion: &Motion, time: f64) -> WallMotion {
        let mut values = [DVec3::ZERO; 2];
        for (axis, function) in motion.translation.iter().enumerate() {
            let value = function.evaluate(time);
            (0..2).for_each(|k| values[k][axis] = value[k]);
        }
        let [angle, rate, _] = motion.angle.evaluate(time);
        WallMotion {
            position: self.pose.position + values[0],
            rotation: glam::DQuat::from_axis_angle(motion.axis, angle) * self.pose.rotation,
            velocity: values[1],
            angular_velocity: motion.axis * rate,
        }
    }
}

impl World {
    /// Where a wall is now, and how it moves.
    pub(in crate::world) fn wall_motion(&self, wall: &GrainWall) -> WallMotion {
        let at_rest = |pose: Pose| WallMotion {
            position: pose.position,
            rotation: pose.rotation,
            ..WallMotion::default()
        };
        match &wall.carrier {
            Carrier::Ground => at_rest(wall.pose),
            Carrier::Motion(motion) => wall.prescribed(motion, self.time()),
            Carrier::Body(body) => match self.body_motion(*body) {
                Ok(m) => {
                    let body = WallMotion {
                        position: m.position,
                        rotation: m.rotation,
                        velocity: m.velocity,
                        angular_velocity: m.angular_velocity,
                    };
                    part_motion(&body, &wall.pose)
                }
                Err(_) => at_rest(wall.pose),
            },
        }
    }
}

impl GrainSet {
    /// Checks a wall and takes it in; one without a name gets one.
    pub(super) fn add_wall(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        walls: &mut [WallSpec],
        k: usize,
    ) -> Result<()> {
        if walls[k].name.is_empty() {
            let taken = |name: &str| walls.iter().any(|w| w.name == name);
            let free = (k + 1..).map(|n| format!("wall{n}")).find(|name| !taken(name));
            walls[k].name = free.unwrap_or_default();
        }
        let path = |key: &str| format!("walls.{k}.{key}");
        let spec = &walls[k];
        if self.walls.iter().any(|w| w.name == spec.name) {
            let problem = format!("there is already a wall '{}'; names must be unique", spec.name);
            return Err(owner.error(&path("name"), problem));
        }
        let wrong = |(key, e): (&str, String)| owner.error(&path(key), format!("wall '{}': {e}", spec.name));
        let pose = spec.pose().map_err(wrong)?;
        let surfaces = spec.parts().map_err(wrong)?;
        let carrier = match (&spec.body, &spec.motion) {
            (Some(_), Some(_)) => return Err(wrong(("motion", "give body or motion, not both".into()))),
            (None, None) => Carrier::Ground,
            (None, Some(motion)) => {
                let axis = check_axis(motion.axis).map_err(|e| wrong(("motion", e)))?;
                for f in motion.translation.iter().chain([&motion.angle]) {
                    f.validate().map_err(|e| wrong(("motion", e.to_string())))?;
                }
                let (translation, angle) = (motion.translation.clone(), motion.angle.clone());
                Carrier::Motion(Box::new(Motion { translation, axis, angle }))
            }
            (Some(name), None) => {
                let anchor = world.anchor(owner.section, owner.name, &path("body"), name)?;
                match anchor.body {
                    Some(body) => Carrier::Body(body),
                    None => Carrier::Ground,
                }
            }
        };
        let pose = match (&spec.body, &carrier) {
            (Some(name), Carrier::Body(_)) => {
                let anchor = world.anchor(owner.section, owner.name, &path("body"), name)?;
                let marker = anchor.marker.map(|(position, rotation)| Pose { position, rotation });
                marker.unwrap_or(Pose::IDENTITY) * pose
            }
            _ => pose,
        };
        let (name, visible) = (spec.name.clone(), spec.is_visible());
        let material = match spec.material.clone() {
            Some(name) => self.material(world, owner, &path("material"), &name)?,
            None => 0,
        };
        let first = self.walls.last().map_or(0, |w| w.parts.end);
        let parts = first..first + surfaces.len();
        let wrench = [DVec3::ZERO; 2];
        self.walls.push(GrainWall { name, visible, carrier, pose, surfaces, material, parts, wrench });
        Ok(())
    }
}
