//! Bodies and the simple solids that give them mass.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use huygens_spec::{FrameSpec, Rotation, SceneObject, Tagged, check_axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::function::Function;
use super::shape::ShapeSpec;
use super::value::Inertia;

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum BodyType {
    /// By forces.
    #[default]
    Dynamic,
    /// Not at all.
    Fixed,
    /// As its `motion` prescribes.
    Kinematic,
}

/// A simple solid about the centre of mass that never collides: it gives the inertia, with a `density` also the
/// mass, and a picture. What collides is a [`ShapeSpec`](super::ShapeSpec).
#[derive(Clone, Copy, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "solid")]
pub enum Solid {
    /// Solid ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// Solid block.
    Box {
        /// Edge lengths along x, y, z [m].
        #[scene(local)]
        size: [f64; 3],
    },
    /// Solid cylinder.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length [m].
        length: f64,
        /// Direction in the body frame, a unit vector.
        #[tagged(default = z_axis)]
        #[scene(local)]
        axis: [f64; 3],
    },
    /// Cylinder with hemispheres at its ends.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length of the cylinder between the spheres [m].
        length: f64,
        /// Direction in the body frame, a unit vector.
        #[tagged(default = z_axis)]
        #[scene(local)]
        axis: [f64; 3],
    },
    /// Slender rod: a cylinder whose radius is small; needs a `mass`, or a `radius` for a `density`.
    Rod {
        /// Length [m].
        length: f64,
        /// Radius [m]. Default: 1/50 of the length.
        radius: Option<f64>,
        /// Direction in the body frame, a unit vector.
        #[tagged(default = x_axis)]
        #[scene(local)]
        axis: [f64; 3],
    },
}

fn z_axis() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}
fn x_axis() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

impl Solid {
    /// Checks lengths and axes.
    pub fn check(&self) -> Result<(), String> {
        let positive = |name: &str, v: f64| {
            if v > 0.0 && v.is_finite() {
                Ok(())
            } else {
                Err(format!("the shape's {name} is {v}, but must be a positive finite number"))
            }
        };
        match *self {
            Solid::Sphere { radius } => positive("radius", radius),
            Solid::Box { size } => size.iter().try_for_each(|s| positive("size", *s)),
            Solid::Cylinder { radius, length, axis } | Solid::Capsule { radius, length, axis } => {
                positive("radius", radius)?;
                positive("length", length)?;
                check_axis(axis).map(|_| ())
            }
            Solid::Rod { length, radius, axis } => {
                positive("length", length)?;
                radius.map_or(Ok(()), |r| positive("radius", r))?;
                check_axis(axis).map(|_| ())
            }
        }
    }

    /// Radius of a rod or other round solid [m].
    fn radius(&self) -> f64 {
        match *self {
            Solid::Sphere { radius } | Solid::Cylinder { radius, .. } | Solid::Capsule { radius, .. } => {
                radius
            }
            Solid::Rod { length, radius, .. } => radius.unwrap_or(length / 50.0),
            Solid::Box { .. } => 0.0,
        }
    }

    /// Volume [m³].
    pub fn volume(&self) -> f64 {
        let r = self.radius();
        match *self {
            Solid::Sphere { .. } => 4.0 / 3.0 * PI * r.powi(3),
            Solid::Box { size } => size.iter().product(),
            Solid::Cylinder { length, .. } | Solid::Rod { length, .. } => PI * r * r * length,
            Solid::Capsule { length, .. } => PI * r * r * (length + 4.0 / 3.0 * r),
        }
    }

    /// Inertia tensor of the homogeneous solid of `mass` [kg] about its centre [kg·m²], body axes.
    pub fn inertia(&self, mass: f64) -> DMat3 {
        let r = self.radius();
        let round = |across: f64, along: f64, axis: [f64; 3]| {
            let turn = check_axis(axis).map_or(DQuat::IDENTITY, huygens_kernel::rotation::from_z_to);
            let r = DMat3::from_quat(turn);
            r * DMat3::from_diagonal(DVec3::new(across, across, along)) * r.transpose()
        };
        match *self {
            Solid::Sphere { .. } => DMat3::from_diagonal(DVec3::splat(0.4 * mass * r * r)),
            Solid::Box { size: [a, b, c] } => {
                DMat3::from_diagonal(DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b) * (mass / 12.0))
            }
            Solid::Cylinder { length, axis, .. } => {
                round(mass * (r * r / 4.0 + length * length / 12.0), mass * r * r / 2.0, axis)
            }
            Solid::Rod { length, axis, .. } => {
                round(mass * (r * r / 4.0 + length * length / 12.0), mass * r * r / 2.0, axis)
            }
            Solid::Capsule { length, axis, .. } => {
                // The balls' halves sit 3r/8 beyond the ends of the cylinder.
                let share = length / (length + 4.0 / 3.0 * r);
                let (cylinder, balls) = (mass * share, mass * (1.0 - share));
                let shift = length * length / 4.0 + 3.0 / 8.0 * length * r;
                round(
                    cylinder * (r * r / 4.0 + length * length / 12.0) + balls * (0.4 * r * r + shift),
                    cylinder * r * r / 2.0 + balls * 0.4 * r * r,
                    axis,
                )
            }
        }
    }
}

/// A prescribed motion relative to the body's pose at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct MotionSpec {
    /// Displacement along the world axes [m], functions of time.
    pub translation: [Function; 3],
    /// Axis of rotation through the body's origin, world axes at the start, a unit vector.
    #[scene(vector)]
    pub axis: [f64; 3],
    /// Angle about `axis` [rad], a function of time.
    pub angle: Function,
}

impl Default for MotionSpec {
    fn default() -> Self {
        Self { translation: Default::default(), axis: z_axis(), angle: Function::default() }
    }
}

/// A rigid body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct BodySpec {
    /// Unique name.
    #[scene(name)]
    pub name: String,
    /// How it moves.
    pub kind: BodyType,
    /// Position of the body frame's origin [m].
    #[scene(point)]
    pub position: [f64; 3],
    /// Orientation: `world_from_body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(rotation = world)]
    pub rotation: Option<Rotation>,
    /// Velocity of the body frame's origin [m/s], world axes.
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Angular velocity [rad/s], world axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(vector)]
    pub angular_velocity: Option<[f64; 3]>,
    /// Angular velocity [rad/s], body axes; instead of `angular_velocity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub angular_velocity_body: Option<[f64; 3]>,
    /// Mass [kg].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Density of `shape` or `shapes` [kg/m³]; instead of `mass`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Inertia tensor about the centre of mass [kg·m²], body axes. Default: the one of `shape` or `shapes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inertia: Option<Inertia>,
    /// Centre of mass in the body frame [m]; that of `shapes` where the inertia comes from them, else the origin, if
    /// absent. A `shape` is centred there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub center_of_mass: Option<[f64; 3]>,
    /// Simple solid for mass properties and pictures; it does not collide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<Solid>,
    /// Shapes the body collides with and is seen by; instead of `shape`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<ShapeSpec>,
    /// Named frames, referred to as `body/marker`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[scene(local)]
    pub markers: BTreeMap<String, FrameSpec>,
    /// Motion of a kinematic body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
}

impl BodySpec {
    /// A body moved by forces.
    pub fn dynamic(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A body that never moves.
    pub fn fixed(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: BodyType::Fixed, ..Self::default() }
    }

    /// Adds a shape the body collides with.
    #[must_use]
    pub fn with_shape(mut self, shape: ShapeSpec) -> Self {
        self.shapes.push(shape);
        self
    }
}
