//! Surfaces of walls: nearest points seen from the centres of grains.

use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_kernel::nearest::{self, ConeSide, FLAT, effective_radius_at};

use crate::error::{Result, refusal};
use crate::walls::facets::Facets;
use crate::walls::mesh::{Feet, WallMesh, touch};
use crate::walls::shape::Shaped;

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
    /// Any other shape.
    Shaped(Shaped),
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
    /// Radius of curvature [m]: [`FLAT`] where flat, zero at an edge, negative where hollow.
    pub curvature: f64,
}

impl Nearest {
    /// The nearest point of a flat surface.
    #[inline(always)]
    pub fn flat(distance: f64, normal: Vec3) -> Self {
        Self { distance, normal, curvature: FLAT }
    }

    /// Effective radius [m] together with a grain of radius `r`.
    #[inline(always)]
    pub fn effective_radius(&self, r: f64) -> f64 {
        effective_radius_at(self.curvature, r)
    }
}

impl From<nearest::Nearest> for Nearest {
    #[inline(always)]
    fn from(near: nearest::Nearest) -> Self {
        Self { distance: near.distance, normal: near.normal.into(), curvature: near.curvature }
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
            Self::Shaped(shape) => shape.name(),
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
        let refuse = refusal("a wall");
        let rising = |[low, high]: [f64; 2]| low < high && low.is_finite() && high.is_finite();
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if let Self::Shaped(shape) = self {
            return shape.check();
        }
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
            Self::Cylinder { span, .. } | Self::ClosedCylinder { span, .. } if !rising(span) => {
                refuse("upper end", span[1], "finite and above the lower end")
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

    /// Whether some point of the surface may be closer than `reach` [m] to the point `x`.
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
        let at = x.into();
        let near = match *self {
            Self::Shaped(ref shape) => shape.nearest(x),
            Self::Plane | Self::Mesh(_) | Self::Facets(_) => return Nearest::flat(x.z, Vec3::Z),
            Self::Sphere { radius, hollow } => nearest::on_sphere(radius, hollow, at),
            Self::Cylinder { radius, span, hollow } => {
                nearest::on_cone(&ConeSide::new([radius; 2], span), hollow, at)
            }
            Self::Disc { radius } => nearest::on_disc(radius, at),
            Self::Rectangle { half } => nearest::on_rectangle(half[0], half[1], at),
            Self::Box { half, .. } => nearest::on_box(half.into(), at),
            Self::ClosedCylinder { radius, span, .. } => nearest::on_cylinder(radius, span[0], span[1], at),
            Self::Capsule { radius, half_length } => nearest::on_capsule(radius, half_length, at),
        };
        near.into()
    }

    /// Radius [m] of a ball about the origin that holds the surface; infinite for a plane and for facets.
    pub(crate) fn extent(&self) -> f64 {
        let end = |span: &[f64; 2]| span[0].abs().max(span[1].abs());
        match self {
            Self::Plane | Self::Facets(_) => f64::INFINITY,
            Self::Cylinder { radius, span, .. } | Self::ClosedCylinder { radius, span, .. } => {
                radius.hypot(end(span))
            }
            Self::Shaped(shape) => shape.extent(),
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
            Self::Shaped(ref shape) => shape.bounds(),
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
        match self {
            Self::Rectangle { .. } | Self::Box { .. } | Self::Mesh(_) | Self::Facets(_) => false,
            Self::Shaped(shape) => shape.is_round(),
            _ => true,
        }
    }
}

/// A face of a box, seen from inside.
fn box_face(x: Vec3, half: &[f64; 3], face: u32) -> Foot {
    let axis = face as usize / 2;
    let sign = [1.0, -1.0][face as usize % 2];
    let near = nearest::on_inner_face(half[axis], x[axis], Vec3::AXES[axis].into(), sign).into();
    Foot { near, feature: face, facet: RIGID }
}

/// Side and lids of a cylinder, seen from inside.
fn lidded(x: Vec3, radius: f64, span: [f64; 2]) -> [Foot; 3] {
    let near = nearest::in_cylinder(radius, span[0], span[1], x.into());
    let foot = |near: nearest::Nearest, feature| Foot { near: near.into(), feature, facet: RIGID };
    [foot(near.side, 0), foot(near.low, 1), foot(near.high, 2)]
}
