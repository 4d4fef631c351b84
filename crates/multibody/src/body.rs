//! Rigid bodies: their description, and the batch that holds all of them.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::Subject;
use huygens_core::contract::{Coordinates, CoordinatesShape, Frame, FrameMotion, ItemKind};
use huygens_core::function::Function;
use huygens_core::parameter::{
    Invalidates, ItemParameters, Owner, ParameterBlock, ParameterRange, ParameterValue, Parameters,
};
use huygens_exec::Exec;
use huygens_kernel::rotation;

use crate::error::MultibodyError;

/// Items per parallel chunk.
const CHUNK: usize = 256;

/// How a body moves.
#[derive(Clone, Debug, Default)]
pub enum BodyKind {
    /// Dynamic: forces accelerate it.
    #[default]
    Dynamic,
    /// Fixed: it does not move.
    Fixed,
    /// Kinematic: its motion is prescribed.
    Kinematic(Motion),
}

/// A prescribed motion relative to the body's initial pose.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Displacement [m] along the world axes.
    pub translation: [Function; 3],
    /// Axis of rotation through the body's origin, in world axes at the initial pose, unit length.
    pub axis: DVec3,
    /// Angle about `axis` [rad].
    pub angle: Function,
}

impl Default for Motion {
    fn default() -> Self {
        let zero = || Function::constant(0.0);
        Self { translation: [zero(), zero(), zero()], axis: DVec3::Z, angle: zero() }
    }
}

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique name, used in messages and scene files.
    pub name: String,
    /// How it moves.
    pub kind: BodyKind,
    /// Position of the body frame's origin [m].
    pub position: DVec3,
    /// Orientation: `world_from_body`.
    pub rotation: DQuat,
    /// Velocity of the body frame's origin [m/s], world axes.
    pub velocity: DVec3,
    /// Angular velocity [rad/s], body axes.
    pub angular_velocity: DVec3,
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the body frame [m].
    pub center_of_mass: DVec3,
    /// Inertia tensor about the centre of mass [kg·m²], body axes.
    pub inertia: DMat3,
    /// Named frames: position [m] and orientation in the body frame.
    pub markers: Vec<(String, DVec3, DQuat)>,
}

impl Default for Body {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: BodyKind::Dynamic,
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            mass: 1.0,
            center_of_mass: DVec3::ZERO,
            inertia: DMat3::IDENTITY,
            markers: Vec::new(),
        }
    }
}

/// One body as stored in the batch.
#[derive(Clone, Debug)]
struct BatchBody {
    name: String,
    q: [f64; 7],
    v: [f64; 6],
    /// Index among the dynamic bodies, or the prescribed motion with the centre of mass in the body frame.
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    Dynamic(u32),
    Fixed,
    Kinematic(Box<(Motion, DVec3)>),
}

/// All rigid bodies. A dynamic body has seven positions (centre of mass, quaternion x y z w) and six velocities
/// (of the centre of mass in world axes, angular in body axes); every body offers one frame at its centre of mass.
#[derive(Clone)]
pub(crate) struct BodyBatch {
    topology: Arc<BodyTopology>,
    /// Masses of the dynamic bodies.
    inertias: Arc<ParameterBlock<BodyInertia>>,
}

/// The data that a change of mass leaves unchanged.
struct BodyTopology {
    bodies: Vec<BatchBody>,
    dynamic: Vec<u32>,
}

/// Mass and inertia of a dynamic body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyInertia {
    mass: f64,
    inertia: DMat3,
}

/// Entries of the symmetric tensor that serve as parameters.
const TENSOR: [(&str, usize, usize); 6] = [
    ("inertia.xx", 0, 0),
    ("inertia.yy", 1, 1),
    ("inertia.zz", 2, 2),
    ("inertia.xy", 0, 1),
    ("inertia.xz", 0, 2),
    ("inertia.yz", 1, 2),
];

impl ItemParameters for BodyInertia {
    const INVALIDATES: Invalidates = Invalidates::MASS;

    fn list(&self) -> Vec<ParameterValue> {
        let mut all = vec![ParameterValue::new("mass", "kg", ParameterRange::Positive, self.mass)];
        for (name, r, c) in TENSOR {
            let range = if r == c { ParameterRange::Positive } else { ParameterRange::Finite };
            all.push(ParameterValue::new(name, "kg·m²", range, self.inertia.col(c)[r]));
        }
        all
    }

    fn set(&mut self, place: usize, value: f64) {
        let Some(entry) = place.checked_sub(1) else {
            self.mass = value;
            return;
        };
        let (_, r, c) = TENSOR[entry];
        self.inertia.col_mut(c)[r] = value;
        self.inertia.col_mut(r)[c] = value;
    }

    fn check(&self) -> std::result::Result<(), String> {
        crate::assembly::check_inertia(&Subject::default(), &self.inertia).map_err(|e| match e {
            MultibodyError::Value { value, expected, .. } => format!("with {value}: {expected}"),
            other => other.to_string(),
        })
    }
}

impl BodyBatch {
    pub fn new<'a>(bodies: impl Iterator<Item = &'a Body>) -> Self {
        let mut batch = BodyTopology { bodies: Vec::new(), dynamic: Vec::new() };
        let mut inertias = Vec::new();
        for body in bodies {
            let arm = body.rotation * body.center_of_mass;
            let origin = body.position + arm;
            let omega = body.rotation * body.angular_velocity;
            let velocity = body.velocity + omega.cross(arm);
            let (r, w) = (body.rotation, body.angular_velocity);
            let place = match &body.kind {
                BodyKind::Dynamic => {
                    let values = BodyInertia { mass: body.mass, inertia: body.inertia };
                    inertias.push((Owner::new("body", &body.name), values));
                    batch.dynamic.push(batch.bodies.len() as u32);
                    Place::Dynamic(batch.dynamic.len() as u32 - 1)
                }
                BodyKind::Fixed => Place::Fixed,
                BodyKind::Kinematic(motion) => {
                    Place::Kinematic(Box::new((motion.clone(), body.center_of_mass)))
                }
            };
            batch.bodies.push(BatchBody {
                name: body.name.clone(),
                q: [origin.x, origin.y, origin.z, r.x, r.y, r.z, r.w],
                v: [velocity.x, velocity.y, velocity.z, w.x, w.y, w.z],
                place,
            });
        }
        Self { topology: Arc::new(batch), inertias: Arc::new(ParameterBlock::new(inertias)) }
    }

    fn dynamic_body(&self, item: usize) -> &BatchBody {
        &self.topology.bodies[self.topology.dynamic[item] as usize]
    }

    #[inline]
    fn inertia(&self, item: usize) -> &BodyInertia {
        &self.inertias.values[item]
    }
}

#[inline]
fn vec3(x: &[f64]) -> DVec3 {
    DVec3::new(x[0], x[1], x[2])
}

#[inline]
fn quat(x: &[f64]) -> DQuat {
    DQuat::from_xyzw(x[0], x[1], x[2], x[3])
}

/// Pose and motion of a kinematic body's centre of mass.
fn prescribed(body: &BatchBody, motion: &Motion, com: DVec3, time: f64) -> Frame {
    let mut values = [DVec3::ZERO; 3];
    for (axis, function) in motion.translation.iter().enumerate() {
        let value = function.evaluate(time);
        (0..3).for_each(|k| values[k][axis] = value[k]);
    }
    let [angle, rate, acceleration] = motion.angle.evaluate(time);
    let start = quat(&body.q[3..]);
    let turned = DQuat::from_axis_angle(motion.axis, angle) * start;
    let arm = turned * com;
    let origin = vec3(&body.q) - start * com;
    let (omega, alpha) = (motion.axis * rate, motion.axis * acceleration);
    Frame {
        origin: origin + values[0] + arm,
        axes: DMat3::from_quat(turned),
        velocity: values[1] + omega.cross(arm),
        omega,
        acceleration_bias: values[2] + alpha.cross(arm) + omega.cross(omega.cross(arm)),
        alpha_bias: alpha,
        ..Frame::GROUND
    }
}

impl Coordinates for BodyBatch {
    fn shape(&self) -> CoordinatesShape {
        CoordinatesShape {
            items: self.topology.dynamic.len(),
            q_per_item: 7,
            v_per_item: 6,
            frames: self.topology.bodies.len(),
            kind: ItemKind::Body,
        }
    }

    fn item_name(&self, item: usize) -> Subject {
        Subject::object("body", &self.dynamic_body(item).name)
    }

    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        for (item, (q, v)) in q.chunks_exact_mut(7).zip(v.chunks_exact_mut(6)).enumerate() {
            q.copy_from_slice(&self.dynamic_body(item).q);
            v.copy_from_slice(&self.dynamic_body(item).v);
        }
    }

    fn retract(&self, ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        ex.for_each_chunk(q, 7 * CHUNK, |chunk, q| {
            let first = chunk * CHUNK;
            for (i, q) in q.chunks_exact_mut(7).enumerate() {
                let (from, x) = (&q0[7 * (first + i)..][..7], &x[6 * (first + i)..][..6]);
                (0..3).for_each(|k| q[k] = from[k] + x[k]);
                let turned = (quat(&from[3..]) * rotation::exp(vec3(&x[3..]))).normalize();
                q[3..].copy_from_slice(&turned.to_array());
            }
        });
    }

    #[inline]
    fn retract_tangent_inverse(&self, x: &[f64]) -> Option<(usize, DMat3)> {
        let x = vec3(&x[3..]);
        (x != DVec3::ZERO).then(|| (3, rotation::tangent_inverse(x)))
    }

    fn frames(&self, ex: &Exec, time: f64, q: &[f64], v: &[f64], first_block: u32, out: &mut [Frame]) {
        ex.for_each_chunk(out, CHUNK, |chunk, out| {
            for (body, frame) in self.topology.bodies[chunk * CHUNK..].iter().zip(out) {
                *frame = match &body.place {
                    Place::Dynamic(item) => {
                        let (q, v) = (&q[7 * *item as usize..][..7], &v[6 * *item as usize..][..6]);
                        let axes = DMat3::from_quat(quat(&q[3..]));
                        Frame {
                            origin: vec3(q),
                            axes,
                            velocity: vec3(v),
                            omega: axes * vec3(&v[3..]),
                            acceleration_bias: DVec3::ZERO,
                            alpha_bias: DVec3::ZERO,
                            block: first_block + item,
                            motion: FrameMotion::Rigid,
                        }
                    }
                    Place::Fixed => Frame {
                        origin: vec3(&body.q),
                        axes: DMat3::from_quat(quat(&body.q[3..])),
                        ..Frame::GROUND
                    },
                    Place::Kinematic(motion) => prescribed(body, &motion.0, motion.1, time),
                };
            }
        });
    }

    fn add_inertia_force(&self, ex: &Exec, _q: &[f64], v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        ex.for_each_chunk(f, 6 * CHUNK, |chunk, f| {
            for (i, f) in f.chunks_exact_mut(6).enumerate() {
                let item = chunk * CHUNK + i;
                let (v, a) = (&v[6 * item..][..6], &acceleration[6 * item..][..6]);
                let body = self.inertia(item);
                (0..3).for_each(|k| f[k] += body.mass * a[k]);
                let omega = vec3(&v[3..]);
                let torque = body.inertia * vec3(&a[3..]) + omega.cross(body.inertia * omega);
                (0..3).for_each(|k| f[3 + k] += torque[k]);
            }
        });
    }

    fn add_mass_product(&self, ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        ex.for_each_chunk(y, 6 * CHUNK, |chunk, y| {
            for (i, y) in y.chunks_exact_mut(6).enumerate() {
                let item = chunk * CHUNK + i;
                let (x, body) = (&x[6 * item..][..6], self.inertia(item));
                let turned = body.inertia * vec3(&x[3..]);
                (0..3).for_each(|k| y[k] += body.mass * x[k]);
                (0..3).for_each(|k| y[3 + k] += turned[k]);
            }
        });
    }

    fn mass_block(&self, item: usize, _q: &[f64], out: &mut [f64]) {
        let body = self.inertia(item);
        out.fill(0.0);
        (0..3).for_each(|k| out[7 * k] = body.mass);
        add_rotation_block(out, body.inertia);
    }

    fn add_bias_tangent(&self, item: usize, _q: &[f64], v: &[f64], damping: f64, out: &mut [f64]) {
        // ∂(ω × Jω)/∂ω = ω̃J − (Jω)~
        let (body, omega) = (self.inertia(item), vec3(&v[3..]));
        let tangent = rotation::skew(omega) * body.inertia - rotation::skew(body.inertia * omega);
        add_rotation_block(out, tangent * damping);
    }

    fn add_gravity(&self, ex: &Exec, g: DVec3, _q: &[f64], f: &mut [f64]) {
        if g == DVec3::ZERO {
            return;
        }
        ex.for_each_chunk(f, 6 * CHUNK, |chunk, f| {
            for (i, f) in f.chunks_exact_mut(6).enumerate() {
                let mass = self.inertia(chunk * CHUNK + i).mass;
                (0..3).for_each(|k| f[k] += mass * g[k]);
            }
        });
    }

    fn energy(&self, ex: &Exec, g: DVec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        let sum = |one: &(dyn Fn(usize) -> f64 + Sync)| {
            ex.sum(self.inertias.values.len(), CHUNK, |r| r.map(one).sum())
        };
        let kinetic = sum(&|item| {
            let (body, v) = (self.inertia(item), &v[6 * item..][..6]);
            let omega = vec3(&v[3..]);
            0.5 * (body.mass * vec3(v).length_squared() + omega.dot(body.inertia * omega))
        });
        let potential = sum(&|item| -self.inertia(item).mass * g.dot(vec3(&q[7 * item..])));
        (kinetic, potential)
    }

    fn parameters(&self) -> Option<Arc<dyn Parameters>> {
        Some(self.inertias.clone())
    }

    fn with_parameters(&self, block: &Arc<dyn Parameters>) -> Option<Arc<dyn Coordinates>> {
        let inertias = block.clone().into_any().downcast().ok()?;
        Some(Arc::new(Self { inertias, ..self.clone() }))
    }
}

/// Adds a 3×3 matrix to the rotation part of a row-major 6×6 block.
fn add_rotation_block(out: &mut [f64], m: DMat3) {
    for (c, column) in m.to_cols_array_2d().iter().enumerate() {
        for (r, value) in column.iter().enumerate() {
            out[6 * (3 + r) + 3 + c] += value;
        }
    }
}
