//! Frames fixed to bodies, and their kinematics at a state.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::contract::{Frame, StateView};
use huygens_core::function::Function;

/// A frame fixed to the carrier with number `frame` (or moved relative to it as prescribed).
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    /// Global frame number, or `None` for ground.
    pub frame: Option<u32>,
    /// Position relative to the carrier frame's origin [m], carrier axes.
    pub position: DVec3,
    /// Orientation relative to the carrier.
    pub rotation: DMat3,
    /// Prescribed motion relative to the carrier.
    pub motion: Option<Box<MarkerMotion>>,
}

/// A prescribed motion of a marker relative to its carrier, in the axes of the marker at rest.
#[derive(Clone, Debug)]
pub(crate) struct MarkerMotion {
    /// Displacement [m].
    pub translation: [Function; 3],
    /// Axis of rotation, unit length.
    pub axis: DVec3,
    /// Angle about `axis` [rad].
    pub angle: Function,
}

/// Kinematics of a marker at a state.
#[derive(Clone, Copy)]
pub(crate) struct MarkerState<'a> {
    /// The carrier.
    pub carrier: &'a Frame,
    /// Position [m], world.
    pub point: DVec3,
    /// `point` − carrier origin.
    pub arm: DVec3,
    /// Axes as columns, world.
    pub axes: DMat3,
    /// Velocity of the point [m/s].
    pub velocity: DVec3,
    /// Angular velocity of the axes [rad/s].
    pub omega: DVec3,
    /// Bias acceleration of the point: the part that no unknown acceleration causes [m/s²].
    pub acceleration: DVec3,
    /// Bias angular acceleration of the axes [rad/s²].
    pub alpha: DVec3,
}

impl Marker {
    pub fn new(frame: Option<u32>, position: DVec3, rotation: DQuat) -> Self {
        Self { frame, position, rotation: DMat3::from_quat(rotation), motion: None }
    }

    /// The carrier's frame.
    pub fn carrier<'a>(&self, x: &StateView<'a>) -> &'a Frame {
        match self.frame {
            Some(f) => &x.frames[f as usize],
            None => &Frame::GROUND,
        }
    }

    /// Pose, velocity and bias acceleration at a state.
    #[inline]
    pub fn at<'a>(&self, x: &StateView<'a>) -> MarkerState<'a> {
        let carrier = self.carrier(x);
        let omega = carrier.omega;
        match &self.motion {
            None => {
                let arm = carrier.axes * self.position;
                let turn = omega.cross(arm);
                MarkerState {
                    carrier,
                    point: carrier.origin + arm,
                    arm,
                    axes: carrier.axes * self.rotation,
                    velocity: carrier.velocity + turn,
                    omega,
                    acceleration: carrier.acceleration_bias
                        + carrier.alpha_bias.cross(arm)
                        + omega.cross(turn),
                    alpha: carrier.alpha_bias,
                }
            }
            Some(motion) => self.moving(motion, carrier, x.time),
        }
    }

    /// As [`Marker::at`], without velocity and acceleration.
    #[inline]
    pub fn pose_at<'a>(&self, x: &StateView<'a>) -> MarkerState<'a> {
        if self.motion.is_some() {
            return self.at(x);
        }
        let carrier = self.carrier(x);
        let arm = carrier.axes * self.position;
        MarkerState {
            carrier,
            point: carrier.origin + arm,
            arm,
            axes: carrier.axes * self.rotation,
            velocity: DVec3::ZERO,
            omega: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            alpha: DVec3::ZERO,
        }
    }

    fn moving<'a>(&self, motion: &MarkerMotion, carrier: &'a Frame, time: f64) -> MarkerState<'a> {
        let mut shift = [DVec3::ZERO; 3];
        for (axis, function) in motion.translation.iter().enumerate() {
            let value = function.evaluate(time);
            (0..3).for_each(|k| shift[k][axis] = value[k]);
        }
        let [angle, rate, acceleration] = motion.angle.evaluate(time);
        let rest = carrier.axes * self.rotation;
        let arm = carrier.axes * self.position + rest * shift[0];
        let omega = carrier.omega;
        let (slip, push) = (rest * shift[1], rest * shift[2]);
        let axis = rest * motion.axis;
        let spin = axis * rate;
        MarkerState {
            carrier,
            point: carrier.origin + arm,
            arm,
            axes: rest * DMat3::from_axis_angle(motion.axis, angle),
            velocity: carrier.velocity + omega.cross(arm) + slip,
            omega: omega + spin,
            acceleration: carrier.acceleration_bias
                + carrier.alpha_bias.cross(arm)
                + omega.cross(omega.cross(arm))
                + 2.0 * omega.cross(slip)
                + push,
            alpha: carrier.alpha_bias + axis * acceleration + omega.cross(spin),
        }
    }
}
