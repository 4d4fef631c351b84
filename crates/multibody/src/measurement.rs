//! Measurable quantities of bodies, joints, springs, motors and shafts.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_core::carrier::Twist;
use huygens_core::contract::{Sensor, StateView};

use crate::assembly::{BodyId, BushingId, CoordinateForceId, CouplingId, JointId, ShaftId, SpringId};
use crate::error::{MultibodyError, Result};
use crate::mechanism::Reader;

/// A vector quantity of a body, in world axes unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyQuantity {
    /// Position of a point [m].
    Position,
    /// Velocity of a point [m/s].
    Velocity,
    /// Acceleration of a point [m/s²].
    Acceleration,
    /// Angular velocity [rad/s].
    AngularVelocity,
    /// Angular acceleration [rad/s²].
    AngularAcceleration,
    /// Angular velocity in body axes [rad/s].
    AngularVelocityBody,
}

/// The body of a joint on which a reaction acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// The base body A.
    A,
    /// The follower body B.
    #[default]
    B,
}

/// Axes in which a reaction is resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReactionAxes {
    /// The joint frame on body A.
    #[default]
    Joint,
    /// The world.
    World,
}

/// One measurable scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Measurement {
    /// Component of a body quantity at a point of the body frame.
    Body {
        /// The body.
        body: BodyId,
        /// The quantity.
        quantity: BodyQuantity,
        /// The point in the body frame [m].
        point: DVec3,
        /// Component 0, 1 or 2.
        component: usize,
    },
    /// Component of a quantity of any frame of the model at a point in its axes [m], or at a material point of a frame that
    /// deforms.
    Frame {
        /// Number of the frame in the model.
        frame: u32,
        /// The quantity; body axes are those of the frame.
        quantity: BodyQuantity,
        /// The point.
        point: DVec3,
        /// Component 0, 1 or 2.
        component: usize,
    },
    /// Component of the orientation quaternion, scalar first.
    Rotation(BodyId, usize),
    /// Joint coordinate [m or rad], by index.
    Coordinate(JointId, usize),
    /// Rate of a joint coordinate [m/s or rad/s].
    CoordinateRate(JointId, usize),
    /// Component of the reaction force of a joint [N].
    ReactionForce(JointId, Side, ReactionAxes, usize),
    /// Component of the reaction torque about the joint point [N·m].
    ReactionTorque(JointId, Side, ReactionAxes, usize),
    /// Effort of a coupling along its weighted coordinates: motor torque or force, gear force.
    CouplingEffort(CouplingId),
    /// Length [m], rate [m/s] or force [N] of a spring (0, 1, 2).
    Spring(SpringId, usize),
    /// Coordinate, rate or force of a force along coordinates (0, 1, 2).
    CoordinateForce(CoordinateForceId, usize),
    /// Component of the force (0–2) or torque (3–5) of a bushing on B, world axes.
    Bushing(BushingId, usize),
    /// Angle of a shaft [rad].
    ShaftAngle(ShaftId),
    /// Speed of a shaft [rad/s].
    ShaftSpeed(ShaftId),
}

/// A [`Measurement`] in the form that the signal graph reads.
pub(crate) struct MeasurementSensor {
    pub measurement: Measurement,
    pub reader: Arc<Reader>,
}

impl Sensor for MeasurementSensor {
    fn measure(&self, x: &StateView<'_>) -> f64 {
        self.reader.measure(x, &self.measurement)
    }
}

impl Reader {
    /// Whether what a measurement refers to exists.
    pub fn check(&self, m: &Measurement) -> Result<()> {
        let known = |table: &[u32], index: usize| table.get(index).is_some_and(|i| *i != u32::MAX);
        let (exists, kind) = match m {
            Measurement::Body { body, .. } | Measurement::Rotation(body, _) => {
                (known(&self.body_frame, body.index()), "body")
            }
            Measurement::Frame { frame, .. } => ((*frame as usize) < self.frame_count, "frame"),
            Measurement::Coordinate(joint, index) | Measurement::CoordinateRate(joint, index) => (
                self.joint_coordinates.get(joint.index()).is_some_and(|c| c.len() > *index),
                "joint coordinate",
            ),
            Measurement::ReactionForce(joint, ..) | Measurement::ReactionTorque(joint, ..) => {
                (known(&self.joint_item, joint.index()), "joint")
            }
            Measurement::CouplingEffort(id) => (known(&self.coupling_row, id.index()), "coupling"),
            Measurement::Spring(id, _) => (known(&self.spring_item, id.index()), "spring"),
            Measurement::CoordinateForce(id, _) => (known(&self.coordinate_force_item, id.index()), "force"),
            Measurement::Bushing(id, _) => (known(&self.bushing_item, id.index()), "bushing"),
            Measurement::ShaftAngle(id) | Measurement::ShaftSpeed(id) => {
                (self.shaft_place.get(id.index()).is_some_and(|p| p.0 != usize::MAX), "shaft")
            }
        };
        if exists { Ok(()) } else { Err(MultibodyError::Missing { what: "a measurement".into(), kind }) }
    }

    pub fn measure(&self, x: &StateView<'_>, m: &Measurement) -> f64 {
        match m {
            Measurement::Body { body, quantity, point, component } => {
                self.body(x, *body, *quantity, *point)[*component]
            }
            Measurement::Frame { frame, quantity, point, component } => {
                frame_quantity(x, *frame, *quantity, *point)[*component]
            }
            Measurement::Rotation(body, component) => {
                let q = DQuat::from_mat3(&x.frames[self.body_frame[body.index()] as usize].axes);
                [q.w, q.x, q.y, q.z][*component]
            }
            Measurement::Coordinate(joint, index) => self.coordinate(x, *joint, *index).0,
            Measurement::CoordinateRate(joint, index) => self.coordinate(x, *joint, *index).1,
            Measurement::ReactionForce(joint, side, axes, c) => self.reaction(x, *joint, *side, *axes).0[*c],
            Measurement::ReactionTorque(joint, side, axes, c) => self.reaction(x, *joint, *side, *axes).1[*c],
            Measurement::CouplingEffort(id) => -x.lambda[self.coupling_row[id.index()] as usize],
            Measurement::Spring(id, k) => self.force(x, self.spring_item[id.index()])[*k],
            Measurement::CoordinateForce(id, k) => self.force(x, self.coordinate_force_item[id.index()])[*k],
            Measurement::Bushing(id, k) => {
                let (f, t) = self.bushings.wrench(self.bushing_item[id.index()] as usize, x);
                [f.x, f.y, f.z, t.x, t.y, t.z][*k]
            }
            Measurement::ShaftAngle(id) => x.q[self.shaft_place[id.index()].0],
            Measurement::ShaftSpeed(id) => x.v[self.shaft_place[id.index()].1],
        }
    }

    fn force(&self, x: &StateView<'_>, item: u32) -> [f64; 3] {
        self.forces.measure(item as usize, x, &x.history[self.force_history..])
    }

    fn coordinate(&self, x: &StateView<'_>, joint: JointId, index: usize) -> (f64, f64) {
        let c = &self.joint_coordinates[joint.index()][index];
        let m = c.evaluate(x, &x.history[self.memory_history..], None);
        (m.value, m.rate)
    }

    fn body(&self, x: &StateView<'_>, body: BodyId, quantity: BodyQuantity, point: DVec3) -> DVec3 {
        let f = &x.frames[self.body_frame[body.index()] as usize];
        let arm = f.axes * (point - self.body_center[body.index()]);
        let (mut a, mut alpha) = (f.acceleration_bias, f.alpha_bias);
        let column = self.body_column[body.index()];
        if column != u32::MAX {
            let c = &x.acceleration[column as usize..][..6];
            a = DVec3::new(c[0], c[1], c[2]);
            alpha = f.axes * DVec3::new(c[3], c[4], c[5]);
        }
        match quantity {
            BodyQuantity::Position => f.origin + arm,
            BodyQuantity::Velocity => f.velocity + f.omega.cross(arm),
            BodyQuantity::Acceleration => a + alpha.cross(arm) + f.omega.cross(f.omega.cross(arm)),
            BodyQuantity::AngularVelocity => f.omega,
            BodyQuantity::AngularAcceleration => alpha,
            BodyQuantity::AngularVelocityBody => f.axes.transpose() * f.omega,
        }
    }

    fn reaction(&self, x: &StateView<'_>, joint: JointId, side: Side, axes: ReactionAxes) -> (DVec3, DVec3) {
        let item = self.joint_item[joint.index()] as usize;
        let (row, count) = self.joint_rows[item];
        let history = x.history.get(self.joint_history..).unwrap_or(&[]);
        let wrenches = self.joints.wrench(item, x, history, &x.lambda[row..row + count]);
        let (force, torque) = match side {
            Side::A => wrenches[0],
            Side::B => wrenches[1],
        };
        match axes {
            ReactionAxes::World => (force, torque),
            ReactionAxes::Joint => {
                let back = self.joints.markers(item).0.at(x).axes.transpose();
                (back * force, back * torque)
            }
        }
    }
}

/// A quantity of any frame at a point in its axes, or at a material point of a frame that deforms.
fn frame_quantity(x: &StateView<'_>, frame: u32, quantity: BodyQuantity, point: DVec3) -> DVec3 {
    let f = &x.frames[frame as usize];
    match quantity {
        BodyQuantity::AngularVelocity => return f.omega,
        BodyQuantity::AngularVelocityBody => return f.axes.transpose() * f.omega,
        BodyQuantity::AngularAcceleration => return x.frame_acceleration(frame)[1],
        _ => {}
    }
    if let Some((deformation, own)) = x.twists.deformation(frame) {
        let now = deformation.point(x, own, point);
        return match quantity {
            BodyQuantity::Position => now.position,
            BodyQuantity::Velocity => now.velocity,
            _ => {
                let (columns, twists) = x.twists.row(frame);
                let mut local = [Twist::default(); 48];
                let mut long = Vec::new();
                let out = match local.get_mut(..columns.len()) {
                    Some(out) => out,
                    None => {
                        long.extend_from_slice(twists);
                        &mut long[..]
                    }
                };
                deformation.at_point(x, own, point, out);
                let parts = columns.iter().zip(out).map(|(&c, t)| t.velocity * x.acceleration[c as usize]);
                now.acceleration_bias + parts.sum::<DVec3>()
            }
        };
    }
    let arm = f.axes * point;
    match quantity {
        BodyQuantity::Position => f.origin + arm,
        BodyQuantity::Velocity => f.velocity + f.omega.cross(arm),
        _ => {
            let [a, alpha] = x.frame_acceleration(frame);
            a + alpha.cross(arm) + f.omega.cross(f.omega.cross(arm))
        }
    }
}
