//! Surfaces of walls: nearest points seen from the centres of grains.

use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_kernel::contact::effective_radius;

use crate::error::{ParticleError, Result};
use crate::walls::facets::Facets;
use crate::walls::mesh::{Feet, WallMesh, touch};

/// A surface in the axes of its wall.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// The plane z = 0; grains are where z > 0.
    Plane,
    /// The side of a cylinder about the z axis, open at both ends.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Least and greatest z [m].
        span: [f64; 2],
        /// Whether it is a thin shell that is touched from inside and outside; else grains are outside only.
        hollow: bool,
    },
    /// The side of a cone about the z axis between two circles, open at both ends.
    Cone {
        /// Radii [m] at the two ends.
        radii: [f64; 2],
        /// z [m] of the two ends, rising.
        span: [f64; 2],
        /// Whether it is a thin shell that is touched from inside and outside; else grains are outside only.
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
    /// A box about the origin.
    Box {
        /// Half sides [m].
        half: [f64; 3],
        /// Whether grains are inside.
        hollow: bool,
    },
    /// A cylinder about the z axis with a lid at both ends.
    ClosedCylinder {
        /// Radius [m].
        radius: f64,
        /// z [m] of the lids, rising.
        span: [f64; 2],
        /// Whether grains are inside.
        hollow: bool,
    },
    /// A cylinder about the z axis with half balls as ends; grains are outside.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Half of the distance between the centres of the half balls [m].
        half_length: f64,
    },
    /// Triangles, touched from both sides.
    Mesh(Arc<WallMesh>),
    /// Triangles over vertices that move, in world axes, touched from both sides.
    Facets(Box<Facets>),
}

/// The nearest point of a surface, seen from a grain's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Distance of the centre [m]; negative behind a one-sided surface.
    pub distance: f64,
    /// From the surface to the centre.
    pub normal: Vec3,
    /// Radius of curvature [m]: infinite where flat, zero at an edge, negative where hollow.
    pub curvature: f64,
}

impl Nearest {
    /// Effective radius [m] together with a grain of radius `r`.
    #[inline(always)]
    pub fn effective_radius(&self, r: f64) -> f64 {
        // An edge has no radius of its own: the grain's counts.
        if self.curvature == f64::INFINITY || self.curvature == 0.0 {
            return r;
        }
        // A hollow as narrow as the grain would make it infinite.
        match self.curvature < 0.0 && -self.curvature < 1.05 * r {
            true => 21.0 * r,
            false => effective_radius(r, self.curvature),
        }
    }
}

/// A place where a grain touches a surface, by the part of the surface it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Foot {
    pub near: Nearest,
    /// Part of the surface: the same as long as the contact stays on it.
    pub feature: u32,
    /// Facet of a surface that deforms, or [`RIGID`].
    pub facet: u32,
}

/// Marks feet on surfaces that do not deform.
pub(crate) const RIGID: u32 = u32::MAX;

impl Surface {
    /// What it is, in a word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Plane => "a plane",
            Self::Cylinder { .. } => "a cylinder",
            Self::Cone { .. } => "a cone",
            Self::Sphere { .. } => "a sphere",
            Self::Disc { .. } => "a disc",
            Self::Rectangle { .. } => "a rectangle",
            Self::Box { .. } => "a box",
            Self::ClosedCylinder { .. } => "a closed cylinder",
            Self::Capsule { .. } => "a capsule",
            Self::Mesh(_) => "a mesh",
            Self::Facets(_) => "facets",
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |what: &str, value, expected| {
            Err(ParticleError::Range { what: format!("the {what} of a wall"), value, expected })
        };
        let rising = |[low, high]: [f64; 2]| low < high && low.is_finite() && high.is_finite();
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match *self {
            Self::Cylinder { radius, .. }
            | Self::ClosedCylinder { radius, .. }
            | Self::Sphere { radius, .. }
            | Self::Capsule { radius, .. }
            | Self::Disc { radius }
                if !positive(radius) =>
            {
                refuse("radius", radius, "finite and above 0")
            }
            Self::Cylinder { span, .. } | Self::ClosedCylinder { span, .. } | Self::Cone { span, .. }
                if !rising(span) =>
            {
                refuse("upper end", span[1], "finite and above the lower end")
            }
            Self::Cone { radii: [a, b], .. }
                if !(a >= 0.0 && b >= 0.0 && a + b > 0.0 && (a + b).is_finite()) =>
            {
                refuse("radius", a.min(b), "0 or more at one end and above 0 at the other")
            }
            Self::Capsule { half_length, .. } if !(half_length >= 0.0 && half_length.is_finite()) => {
                refuse("half length", half_length, "finite and not below 0")
            }
            Self::Rectangle { half } if !half.into_iter().all(positive) => {
                refuse("half side", half[0].min(half[1]), "finite and above 0")
            }
            Self::Box { half, .. } if !half.into_iter().all(positive) => {
                refuse("half side", half[0].min(half[1]).min(half[2]), "finite and above 0")
            }
            _ => Ok(()),
        }
    }

    /// Whether some point of the surface may be nearer than `reach` [m] to the point `x`.
    pub(crate) fn within(&self, x: Vec3, reach: f64) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.any_within(x, reach),
            Self::Facets(facets) => facets.any_within(x, reach),
            Self::Box { half, hollow: true } => (0..6).any(|k| box_face(x, half, k).near.distance < reach),
            Self::ClosedCylinder { radius, span, hollow: true } => {
                lidded(x, *radius, *span).iter().any(|foot| foot.near.distance < reach)
            }
            _ => self.nearest(x).distance < reach,
        }
    }

    /// Places where a grain of radius `r` about `x` touches, into `feet`; `near` are triangles that are near it.
    pub(crate) fn touch(&self, x: Vec3, r: f64, near: &[u32], feet: &mut Feet) {
        feet.out.clear();
        match self {
            Self::Mesh(mesh) => touch(&**mesh, x, r, near, feet),
            Self::Facets(facets) => facets.touch(x, r, near, feet),
            Self::Box { half, hollow: true } => {
                for face in 0..6 {
                    feet.add(box_face(x, half, face), r);
                }
            }
            Self::ClosedCylinder { radius, span, hollow: true } => {
                for foot in lidded(x, *radius, *span) {
                    feet.add(foot, r);
                }
            }
            _ => feet.add(Foot { near: self.nearest(x), feature: 0, facet: RIGID }, r),
        }
    }

    /// Nearest point to the point `x`, of surfaces that have one.
    pub(crate) fn nearest(&self, x: Vec3) -> Nearest {
        match *self {
            Self::Plane | Self::Mesh(_) | Self::Facets(_) => {
                Nearest { distance: x.z, normal: Vec3::Z, curvature: f64::INFINITY }
            }
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
                away(x, foot, Vec3::Z, if length > radius { 0.0 } else { f64::INFINITY })
            }
            Self::Rectangle { half } => {
                let foot = Vec3::new(x.x.clamp(-half[0], half[0]), x.y.clamp(-half[1], half[1]), 0.0);
                let inside = foot.x == x.x && foot.y == x.y;
                away(x, foot, Vec3::Z, if inside { f64::INFINITY } else { 0.0 })
            }
            Self::Box { half, .. } => solid_box(x, half),
            Self::ClosedCylinder { radius, span, .. } => solid_cylinder(x, radius, span),
            Self::Capsule { radius, half_length } => {
                let foot = Vec3::Z * x.z.clamp(-half_length, half_length);
                let near = away(x, foot, Vec3::X, radius);
                Nearest { distance: near.distance - radius, ..near }
            }
        }
    }

    /// Radius [m] of a ball about the origin that holds the surface; infinite for a plane and for facets.
    pub(crate) fn extent(&self) -> f64 {
        let end = |span: &[f64; 2]| span[0].abs().max(span[1].abs());
        match self {
            Self::Plane | Self::Facets(_) => f64::INFINITY,
            Self::Cylinder { radius, span, .. } | Self::ClosedCylinder { radius, span, .. } => {
                radius.hypot(end(span))
            }
            Self::Cone { radii, span, .. } => radii[0].max(radii[1]).hypot(end(span)),
            Self::Sphere { radius, .. } | Self::Disc { radius } => *radius,
            Self::Capsule { radius, half_length } => radius + half_length,
            Self::Rectangle { half } => half[0].hypot(half[1]),
            Self::Box { half, .. } => Vec3::from(*half).length(),
            Self::Mesh(mesh) => mesh.extent(),
        }
    }

    /// Least and greatest corner [m] of a box that holds it with all that is behind it; none where that is without
    /// end.
    pub(crate) fn bounds(&self) -> Option<[Vec3; 2]> {
        let about = |x: f64, y: f64, z: [f64; 2]| Some([Vec3::new(-x, -y, z[0]), Vec3::new(x, y, z[1])]);
        match *self {
            // Grains that are outside a hollow one are behind its surface.
            Self::Plane
            | Self::Sphere { hollow: true, .. }
            | Self::Box { hollow: true, .. }
            | Self::ClosedCylinder { hollow: true, .. } => None,
            Self::Cylinder { radius, span, .. } | Self::ClosedCylinder { radius, span, .. } => {
                about(radius, radius, span)
            }
            Self::Cone { radii, span, .. } => {
                let radius = radii[0].max(radii[1]);
                about(radius, radius, span)
            }
            Self::Sphere { radius, .. } => about(radius, radius, [-radius, radius]),
            Self::Disc { radius } => about(radius, radius, [0.0; 2]),
            Self::Rectangle { half } => about(half[0], half[1], [0.0; 2]),
            Self::Box { half, .. } => about(half[0], half[1], [-half[2], half[2]]),
            Self::Capsule { radius, half_length } => {
                about(radius, radius, [-half_length - radius, half_length + radius])
            }
            Self::Mesh(ref mesh) => Some(mesh.bounds()),
            Self::Facets(ref facets) => Some(facets.bounds()),
        }
    }

    /// Whether turning about the z axis leaves the surface where it is.
    pub(crate) fn is_round(&self) -> bool {
        !matches!(self, Self::Rectangle { .. } | Self::Box { .. } | Self::Mesh(_) | Self::Facets(_))
    }
}

/// A point with distance and direction from its foot; `side` where they are one.
fn away(x: Vec3, foot: Vec3, side: Vec3, curvature: f64) -> Nearest {
    let offset = x - foot;
    let distance = offset.length();
    let normal = if distance > 0.0 { offset / distance } else { side };
    Nearest { distance, normal, curvature }
}

/// A face of a box, seen from inside.
fn box_face(x: Vec3, half: &[f64; 3], face: u32) -> Foot {
    let axis = face as usize / 2;
    let sign = [1.0, -1.0][face as usize % 2];
    let distance = half[axis] + sign * x[axis];
    let near = Nearest { distance, normal: Vec3::AXES[axis] * sign, curvature: f64::INFINITY };
    Foot { near, feature: face, facet: RIGID }
}

/// Side and lids of a cylinder, seen from inside.
fn lidded(x: Vec3, radius: f64, span: [f64; 2]) -> [Foot; 3] {
    let (length, out) = radial(x);
    let flat = f64::INFINITY;
    let side = Nearest { distance: radius - length, normal: -out, curvature: -radius };
    let low = Nearest { distance: x.z - span[0], normal: Vec3::Z, curvature: flat };
    let high = Nearest { distance: span[1] - x.z, normal: -Vec3::Z, curvature: flat };
    let foot = |near, feature| Foot { near, feature, facet: RIGID };
    [foot(side, 0), foot(low, 1), foot(high, 2)]
}

/// A solid box, seen from outside; from inside its nearest face.
fn solid_box(x: Vec3, half: [f64; 3]) -> Nearest {
    let half = Vec3::from(half);
    let foot = x.clamp(-half, half);
    if foot != x {
        let beyond = (0..3).filter(|k| foot[*k] != x[*k]).count();
        return away(x, foot, Vec3::Z, if beyond == 1 { f64::INFINITY } else { 0.0 });
    }
    let deep = x.abs() - half;
    let mut axis = 0;
    for k in 1..3 {
        if deep[k] > deep[axis] {
            axis = k;
        }
    }
    let sign = if x[axis] < 0.0 { -1.0 } else { 1.0 };
    Nearest { distance: deep[axis], normal: Vec3::AXES[axis] * sign, curvature: f64::INFINITY }
}

/// A solid cylinder with lids, seen from outside; from inside its nearest side.
fn solid_cylinder(x: Vec3, radius: f64, span: [f64; 2]) -> Nearest {
    let (length, out) = radial(x);
    let z = x.z.clamp(span[0], span[1]);
    let flat = f64::INFINITY;
    if length <= radius && z == x.z {
        let (side, low, high) = (length - radius, span[0] - x.z, x.z - span[1]);
        if side >= low && side >= high {
            return Nearest { distance: side, normal: out, curvature: radius };
        }
        let (distance, normal) = if low > high { (low, -Vec3::Z) } else { (high, Vec3::Z) };
        return Nearest { distance, normal, curvature: flat };
    }
    let curvature = match (length > radius, z == x.z) {
        (true, true) => return Nearest { distance: length - radius, normal: out, curvature: radius },
        (true, false) => 0.0,
        (false, _) => flat,
    };
    away(x, out * length.min(radius) + Vec3::Z * z, Vec3::Z, curvature)
}

/// Distance from the z axis and the direction away from it.
fn radial(x: Vec3) -> (f64, Vec3) {
    let flat = Vec3::new(x.x, x.y, 0.0);
    let length = flat.length();
    (length, if length > 0.0 { flat / length } else { Vec3::X })
}

/// Nearest point of a cone or cylinder: in the half plane of the axis and the point it is a segment.
fn conical(x: Vec3, radii: [f64; 2], span: [f64; 2], hollow: bool) -> Nearest {
    let (length, out) = radial(x);
    let (along_r, along_z) = (radii[1] - radii[0], span[1] - span[0]);
    let size = along_r.hypot(along_z);
    let (tr, tz) = (along_r / size, along_z / size);
    let s = (length - radii[0]) * tr + (x.z - span[0]) * tz;
    if s <= 0.0 || s >= size {
        // Beyond an end: its circle, an edge that is met from any side.
        let end = usize::from(s >= size);
        return away(x, out * radii[end] + Vec3::Z * span[end], out, 0.0);
    }
    // Outward normal of the wall in the half plane is (tz, -tr).
    let distance = (length - radii[0]) * tz - (x.z - span[0]) * tr;
    let normal = out * tz - Vec3::Z * tr;
    // Second principal radius of a cone: the distance to the axis along the normal.
    let radius = (radii[0] + s * tr) / tz.max(1e-9);
    match hollow && distance < 0.0 {
        true => Nearest { distance: -distance, normal: -normal, curvature: -radius },
        false => Nearest { distance, normal, curvature: radius },
    }
}
