//! Bodies and shafts: where they are, how they move, and changing that.

use glam::{DQuat, DVec3};
use huygens_core::keep::{BOUNDARY, COORDINATES};
use huygens_multibody::{BodyId, Measurement, ShaftId};

use super::{Result, Simulation, World, WorldError};

/// Pose and velocity of a body frame's origin, world axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyMotion {
    pub position: DVec3,
    pub rotation: DQuat,
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

impl World {
    pub(super) fn body_motion(&self, body: BodyId) -> Result<BodyMotion> {
        let stored = self.objects.assembly.body(body);
        let Some(b) = stored else {
            return Err(WorldError::Unknown { kind: "body", name: format!("{body:?}"), suggestion: None });
        };
        Ok(self.motion.simulation.as_ref().and_then(|s| s.body_motion(body, b.center_of_mass)).unwrap_or(
            BodyMotion {
                position: b.position,
                rotation: b.rotation,
                velocity: b.velocity,
                angular_velocity: b.rotation * b.angular_velocity,
            },
        ))
    }

    /// Pose of a body frame.
    pub(super) fn body_pose(&self, body: BodyId) -> Option<(DVec3, DQuat)> {
        self.body_motion(body).ok().map(|m| (m.position, m.rotation))
    }

    /// Centre of mass of a body [m].
    pub(super) fn body_center(&self, body: BodyId) -> Result<DVec3> {
        let m = self.body_motion(body)?;
        let center = self.objects.assembly.body(body).map_or(DVec3::ZERO, |b| b.center_of_mass);
        Ok(m.position + m.rotation * center)
    }

    /// Position of a body frame's origin [m].
    pub fn body_position(&self, body: BodyId) -> Result<[f64; 3]> {
        Ok(self.body_motion(body)?.position.to_array())
    }

    /// Orientation of a body as a quaternion `[w, x, y, z]`.
    pub fn body_rotation(&self, body: BodyId) -> Result<[f64; 4]> {
        let q = self.body_motion(body)?.rotation;
        Ok([q.w, q.x, q.y, q.z])
    }

    /// Velocity of a body frame's origin [m/s], world axes.
    pub fn body_velocity(&self, body: BodyId) -> Result<[f64; 3]> {
        Ok(self.body_motion(body)?.velocity.to_array())
    }

    /// Angular velocity of a body [rad/s], world axes.
    pub fn body_angular_velocity(&self, body: BodyId) -> Result<[f64; 3]> {
        Ok(self.body_motion(body)?.angular_velocity.to_array())
    }

    /// Writes position (3), quaternion w x y z (4), velocity (3) and angular velocity (3) of every body in the
    /// order of adding; each slice holds as many numbers as all bodies need.
    pub fn body_motions(
        &self,
        positions: &mut [f64],
        rotations: &mut [f64],
        velocities: &mut [f64],
        angular_velocities: &mut [f64],
    ) -> Result<()> {
        for (i, (id, _)) in self.objects.bodies.iter().enumerate() {
            let m = self.body_motion(*id)?;
            let q = m.rotation;
            let parts: [(&mut [f64], &[f64]); 4] = [
                (&mut *positions, &m.position.to_array()),
                (&mut *rotations, &[q.w, q.x, q.y, q.z]),
                (&mut *velocities, &m.velocity.to_array()),
                (&mut *angular_velocities, &m.angular_velocity.to_array()),
            ];
            for (out, values) in parts {
                if let Some(place) = out.get_mut(i * values.len()..(i + 1) * values.len()) {
                    place.copy_from_slice(values);
                }
            }
        }
        Ok(())
    }

    /// Changes a body before the next step; the rest of the mechanism follows by assembly.
    fn change_body(&mut self, body: BodyId, change: impl FnOnce(&mut huygens_multibody::Body)) -> Result<()> {
        self.suspend();
        match self.objects.assembly.body_mut(body) {
            Some(b) => {
                change(b);
                let name = format!("body '{}'", b.name);
                if let Some(kept) = &mut self.motion.carried {
                    kept.forget(COORDINATES, &name);
                    kept.forget(BOUNDARY, &name);
                }
                Ok(())
            }
            None => Err(WorldError::Unknown { kind: "body", name: format!("{body:?}"), suggestion: None }),
        }
    }

    /// Puts a body frame's origin at `position` [m].
    pub fn set_body_position(&mut self, body: BodyId, position: [f64; 3]) -> Result<()> {
        let position = finite("position", position)?;
        self.change_body(body, |b| b.position = position)
    }

    /// Turns a body to the quaternion `[w, x, y, z]`.
    pub fn set_body_rotation(&mut self, body: BodyId, rotation: [f64; 4]) -> Result<()> {
        let rotation = crate::spec::Rotation::quaternion(rotation).map_err(|e| WorldError::Value {
            what: "rotation".into(),
            value: e,
            expected: "a unit quaternion [w, x, y, z]".into(),
        })?;
        self.change_body(body, |b| {
            let omega = b.rotation * b.angular_velocity;
            b.rotation = rotation.0;
            b.angular_velocity = rotation.0.inverse() * omega;
        })
    }

    /// Sets the velocity of a body frame's origin [m/s], world axes.
    pub fn set_body_velocity(&mut self, body: BodyId, velocity: [f64; 3]) -> Result<()> {
        let velocity = finite("velocity", velocity)?;
        self.change_body(body, |b| b.velocity = velocity)
    }

    /// Sets the angular velocity of a body [rad/s], world axes.
    pub fn set_body_angular_velocity(&mut self, body: BodyId, angular_velocity: [f64; 3]) -> Result<()> {
        let omega = finite("angular_velocity", angular_velocity)?;
        self.change_body(body, |b| b.angular_velocity = b.rotation.inverse() * omega)
    }

    /// Sets angle [rad] and speed [rad/s] of a shaft.
    pub fn set_shaft(&mut self, shaft: ShaftId, angle: f64, speed: f64) -> Result<()> {
        finite("shaft", [angle, speed, 0.0])?;
        self.suspend();
        match self.objects.assembly.shaft_mut(shaft) {
            Some(s) => {
                (s.angle, s.speed) = (angle, speed);
                let name = format!("shaft '{}'", s.name);
                self.motion.carried.iter_mut().for_each(|kept| kept.forget(COORDINATES, &name));
                Ok(())
            }
            None => Err(WorldError::Unknown { kind: "shaft", name: format!("{shaft:?}"), suggestion: None }),
        }
    }

    /// Angle [rad] and speed [rad/s] of a shaft.
    pub fn shaft_motion(&mut self, shaft: ShaftId) -> Result<(f64, f64)> {
        Ok((self.measure(&Measurement::ShaftAngle(shaft))?, self.measure(&Measurement::ShaftSpeed(shaft))?))
    }
}

fn finite(what: &str, v: [f64; 3]) -> Result<DVec3> {
    let value = DVec3::from_array(v);
    if value.is_finite() {
        return Ok(value);
    }
    Err(WorldError::Value { what: what.into(), value: format!("{v:?}"), expected: "finite numbers".into() })
}

impl Simulation {
    pub(super) fn body_motion(&self, body: BodyId, center: DVec3) -> Option<BodyMotion> {
        let frame = self.mechanism.body_frame(body)?;
        let mut evaluator = self.evaluate();
        let f = evaluator.stepper.system().frames().get(frame).copied()?;
        let arm = f.axes * -center;
        // The quaternion of a dynamic body comes from the state, so that reading it does not round it.
        let rotation = match self.mechanism.body_position(body) {
            Some(centre) => DQuat::from_slice(&self.state.q[centre + 3..]),
            None => DQuat::from_mat3(&f.axes),
        };
        Some(BodyMotion {
            position: f.origin + arm,
            rotation,
            velocity: f.velocity + f.omega.cross(arm),
            angular_velocity: f.omega,
        })
    }
}
