//! Walls: surfaces that grains touch, which may move.

use huygens_kernel::{Quat, Vec3};

use crate::error::{ParticleError, Result};

/// A surface in the axes of its wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Surface {
    /// The plane z = 0; grains are where z > 0.
    Plane,
    /// A cylinder about the z axis.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Least and greatest z [m].
        span: [f64; 2],
        /// Whether grains are inside.
        hollow: bool,
    },
    /// A cone about the z axis between two circles.
    Cone {
        /// Radii [m] at the two ends.
        radii: [f64; 2],
        /// z [m] of the two ends, rising.
        span: [f64; 2],
        /// Whether grains are inside.
        hollow: bool,
    },
    /// A sphere about the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
        /// Whether grains are inside.
        hollow: bool,
    },
    /// A disc in the plane z = 0, touched from both sides.
    Disc {
        /// Radius [m].
        radius: f64,
    },
    /// A rectangle in the plane z = 0, touched from both sides.
    Rectangle {
        /// Half sides along x and y [m].
        half: [f64; 2],
    },
}

/// The nearest point of a surface, seen from a grain's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Distance of the centre [m]; negative behind a one-sided surface.
    pub distance: f64,
    /// From the surface to the centre.
    pub normal: Vec3,
    /// Radius of curvature [m]: infinite where flat, negative where hollow.
    pub curvature: f64,
}

impl Surface {
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |what: &str, value, expected| {
            Err(ParticleError::Range { what: format!("the {what} of a wall"), value, expected })
        };
        let rising = |[low, high]: [f64; 2]| low < high;
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match *self {
            Self::Plane => Ok(()),
            Self::Cylinder { radius, .. } | Self::Sphere { radius, .. } | Self::Disc { radius }
                if !positive(radius) =>
            {
                refuse("radius", radius, "finite and above 0")
            }
            Self::Cylinder { span, .. } | Self::Cone { span, .. } if !rising(span) => {
                refuse("upper end", span[1], "above the lower end")
            }
            Self::Cone { radii, .. }
                if !(radii[0] >= 0.0 && radii[1] >= 0.0 && radii[0] + radii[1] > 0.0) =>
            {
                refuse("radius", radii[0].min(radii[1]), "0 or more at one end and above 0 at the other")
            }
            Self::Rectangle { half } if !(positive(half[0]) && positive(half[1])) => {
                refuse("half side", half[0].min(half[1]), "finite and above 0")
            }
            _ => Ok(()),
        }
    }

    /// Nearest point to the point `x` in the axes of the wall.
    pub(crate) fn nearest(&self, x: Vec3) -> Nearest {
        let from = |foot: Vec3, curvature: f64| {
            let offset = x - foot;
            let distance = offset.length();
            let normal = if distance > 0.0 { offset / distance } else { Vec3::Z };
            Nearest { distance, normal, curvature }
        };
        match *self {
            Self::Plane => Nearest { distance: x.z, normal: Vec3::Z, curvature: f64::INFINITY },
            Self::Sphere { radius, hollow } => {
                let length = x.length();
                let out = if length > 0.0 { x / length } else { Vec3::Z };
                match hollow {
                    true => Nearest { distance: radius - length, normal: -out, curvature: -radius },
                    false => Nearest { distance: length - radius, normal: out, curvature: radius },
                }
            }
            Self::Cylinder { radius, span, hollow } => conical(x, [radius, radius], span, hollow),
            Self::Cone { radii, span, hollow } => conical(x, radii, span, hollow),
            Self::Disc { radius } => {
                let flat = Vec3::new(x.x, x.y, 0.0);
                let length = flat.length();
                let foot = if length > radius { flat * (radius / length) } else { flat };
                from(foot, if length > radius { 0.0 } else { f64::INFINITY })
            }
            Self::Rectangle { half } => {
                let foot = Vec3::new(x.x.clamp(-half[0], half[0]), x.y.clamp(-half[1], half[1]), 0.0);
                let inside = foot.x == x.x && foot.y == x.y;
                from(foot, if inside { f64::INFINITY } else { 0.0 })
            }
        }
    }
}

/// Nearest point of a cone or cylinder: in the half plane of the axis and the point it is a segment.
fn conical(x: Vec3, radii: [f64; 2], span: [f64; 2], hollow: bool) -> Nearest {
    let radial = Vec3::new(x.x, x.y, 0.0);
    let length = radial.length();
    let out = if length > 0.0 { radial / length } else { Vec3::X };
    let (along_r, along_z) = (radii[1] - radii[0], span[1] - span[0]);
    let size = along_r.hypot(along_z);
    let (tr, tz) = (along_r / size, along_z / size);
    let s = (length - radii[0]) * tr + (x.z - span[0]) * tz;
    if s <= 0.0 || s >= size {
        // Beyond an end: its circle, an edge that is met from any side.
        let end = usize::from(s >= size);
        let foot = out * radii[end] + Vec3::Z * span[end];
        let offset = x - foot;
        let distance = offset.length();
        let normal = if distance > 0.0 { offset / distance } else { out };
        return Nearest { distance, normal, curvature: 0.0 };
    }
    // Outward normal of the wall in the half plane is (tz, -tr).
    let distance = (length - radii[0]) * tz - (x.z - span[0]) * tr;
    let normal = out * tz - Vec3::Z * tr;
    // Second principal radius of a cone: the distance to the axis along the normal.
    let radius = (radii[0] + s * tr) / tz.max(1e-9);
    match hollow {
        true => Nearest { distance: -distance, normal: -normal, curvature: -radius },
        false => Nearest { distance, normal, curvature: radius },
    }
}

/// Where a wall is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallMotion {
    /// Origin of its axes [m].
    pub position: Vec3,
    /// Its axes.
    pub rotation: Quat,
    /// Velocity of the origin [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s], world axes.
    pub angular_velocity: Vec3,
}

impl Default for WallMotion {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

/// A wall.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// What it is called in messages.
    pub name: String,
    /// Its surface.
    pub surface: Surface,
    /// Index of its material.
    pub material: usize,
    /// Where it is and how it moves.
    pub motion: WallMotion,
    /// Inverse of the mass [1/kg] that moves with it: 0 where its motion is prescribed.
    pub inverse_mass: f64,
}

impl Wall {
    /// A wall at rest with the surface `surface`.
    pub fn new(name: &str, surface: Surface, motion: WallMotion) -> Self {
        Self { name: name.into(), surface, material: 0, motion, inverse_mass: 0.0 }
    }

    /// The plane through `point` with the normal `normal` on the side of the grains.
    pub fn plane(name: &str, point: Vec3, normal: Vec3) -> Self {
        let rotation = huygens_kernel::rotation::from_z_to(normal.normalize_or(Vec3::Z));
        Self::new(name, Surface::Plane, WallMotion { position: point, rotation, ..WallMotion::default() })
    }

    /// Its plane, with the normal and the distance from the origin, where it is one.
    pub(crate) fn as_plane(&self) -> Option<(Vec3, f64)> {
        (self.surface == Surface::Plane).then(|| {
            let normal = self.motion.rotation * Vec3::Z;
            (normal, normal.dot(self.motion.position))
        })
    }

    /// Nearest point to the point `x` in world axes.
    pub(crate) fn nearest(&self, x: Vec3) -> Nearest {
        let local = self.motion.rotation.conjugate() * (x - self.motion.position);
        let near = self.surface.nearest(local);
        Nearest { normal: self.motion.rotation * near.normal, ..near }
    }
}
