//! Convex shapes as a core with a border around it, the form used by GJK and feature clipping.

use glam::{DVec2, DVec3};
use parry3d_f64::shape::SupportMap;

use super::polygon::Feature;
use crate::{Hull, Shape};

/// Corners of the polygon that represents a disc.
const DISC: usize = 8;

/// The core of a convex shape in its local frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kernel<'a> {
    Point,
    /// On z, from −`half` to +`half`.
    Segment {
        half: f64,
    },
    Box {
        half: DVec3,
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    Cone {
        radius: f64,
        half: f64,
    },
    Ellipsoid {
        radii: DVec3,
    },
    Hull(&'a Hull),
    /// A triangle of a surface: its own name and that of the flat patch it belongs to.
    Triangle {
        corners: [DVec3; 3],
        normal: DVec3,
        id: u32,
        patch: u32,
        /// Sides inside the patch, one bit each.
        inner: u32,
    },
}

/// All points within `border` of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core<'a> {
    pub(super) kernel: Kernel<'a>,
    pub(super) border: f64,
}

/// Unit vector in the xy plane along `v`; x if there is none.
fn azimuth(v: DVec3) -> DVec2 {
    let flat = v.truncate();
    let length = flat.length();
    if length > 1e-12 * v.z.abs() && length > 0.0 { flat / length } else { DVec2::X }
}

impl<'a> Core<'a> {
    /// The core of a bounded convex shape.
    pub(super) fn new(shape: &'a Shape) -> Option<Self> {
        let (kernel, border) = match shape {
            Shape::Sphere { radius } => (Kernel::Point, *radius),
            Shape::Ellipsoid { radii } => (Kernel::Ellipsoid { radii: *radii }, 0.0),
            Shape::Box { half } => (Kernel::Box { half: *half }, 0.0),
            Shape::Capsule { radius, half_length } => (Kernel::Segment { half: *half_length }, *radius),
            Shape::Cylinder { radius, half_length } => {
                (Kernel::Cylinder { radius: *radius, half: *half_length }, 0.0)
            }
            Shape::Cone { radius, half_length } => {
                (Kernel::Cone { radius: *radius, half: *half_length }, 0.0)
            }
            Shape::RoundedBox { half, border } => (Kernel::Box { half: *half }, *border),
            Shape::RoundedCylinder { radius, half_length, border } => {
                (Kernel::Cylinder { radius: *radius, half: *half_length }, *border)
            }
            Shape::Hull(hull) => (Kernel::Hull(hull), 0.0),
            Shape::Triangle { corners, border } => {
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
                (Kernel::Triangle { corners: *corners, normal, id: 0, patch: 0, inner: 0 }, *border)
            }
            Shape::HalfSpace | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => return None,
        };
        Some(Self { kernel, border })
    }

    /// The point of the core farthest along `direction`.
    pub(super) fn support(&self, direction: DVec3) -> DVec3 {
        let sign = |x: f64, size: f64| if x < 0.0 { -size } else { size };
        match self.kernel {
            Kernel::Point => DVec3::ZERO,
            Kernel::Segment { half } => DVec3::new(0.0, 0.0, sign(direction.z, half)),
            Kernel::Box { half } => {
                DVec3::new(sign(direction.x, half.x), sign(direction.y, half.y), sign(direction.z, half.z))
            }
            Kernel::Cylinder { radius, half } => {
                (azimuth(direction) * radius).extend(sign(direction.z, half))
            }
            Kernel::Cone { radius, half } => {
                let rim = (azimuth(direction) * radius).extend(-half);
                let apex = DVec3::new(0.0, 0.0, half);
                if rim.dot(direction) > apex.dot(direction) { rim } else { apex }
            }
            Kernel::Ellipsoid { radii } => {
                let scaled = radii * direction;
                let length = scaled.length();
                if length > 0.0 { radii * scaled / length } else { DVec3::new(0.0, 0.0, radii.z) }
            }
            Kernel::Hull(hull) => hull.vertices()[hull.support(direction) as usize],
            Kernel::Triangle { corners, .. } => {
                let value = corners.map(|c| c.dot(direction));
                let best = if value[1] > value[0] { 1 } else { 0 };
                corners[if value[2] > value[best] { 2 } else { best }]
            }
        }
    }

    /// Whether the core has curved parts, on which GJK converges slowly.
    pub(super) fn is_curved(&self) -> bool {
        matches!(self.kernel, Kernel::Cylinder { .. } | Kernel::Cone { .. } | Kernel::Ellipsoid { .. })
    }

    /// The core moved inwards by `depth`, less than [`Core::inner_radius`]; kernels without one stay as they are.
    pub(super) fn inset(&self, depth: f64) -> Inset<'a> {
        let (kernel, shift) = match self.kernel {
            Kernel::Box { half } => (Kernel::Box { half: half - depth }, 0.0),
            Kernel::Ellipsoid { radii } => (Kernel::Ellipsoid { radii: radii - depth }, 0.0),
            Kernel::Cylinder { radius, half } => {
                (Kernel::Cylinder { radius: radius - depth, half: half - depth }, 0.0)
            }
            Kernel::Cone { radius, half } => {
                // Scaled about the centre of the inscribed ball, all faces move by the same depth.
                let inner = self.inner_radius();
                let scale = 1.0 - depth / inner;
                let kernel = Kernel::Cone { radius: radius * scale, half: half * scale };
                (kernel, (inner - half) * (1.0 - scale))
            }
            kernel => (kernel, 0.0),
        };
        Inset { core: Core { kernel, border: 0.0 }, shift: DVec3::new(0.0, 0.0, shift) }
    }

    /// Radius of a ball that fits inside; zero for kernels that are thin or have no simple inset.
    pub(super) fn inner_radius(&self) -> f64 {
        match self.kernel {
            Kernel::Box { half } => half.min_element(),
            Kernel::Ellipsoid { radii } => radii.min_element(),
            Kernel::Cylinder { radius, half } => radius.min(half),
            Kernel::Cone { radius, half } => {
                2.0 * half * radius / ((4.0 * half * half + radius * radius).sqrt() + radius)
            }
            Kernel::Point | Kernel::Segment { .. } | Kernel::Hull(_) | Kernel::Triangle { .. } => 0.0,
        }
    }

    /// A length scale of the core with its border.
    pub(super) fn size(&self) -> f64 {
        let core = match self.kernel {
            Kernel::Point => 0.0,
            Kernel::Segment { half } => half,
            Kernel::Box { half } => half.max_element(),
            Kernel::Cylinder { radius, half } | Kernel::Cone { radius, half } => radius.max(half),
            Kernel::Ellipsoid { radii } => radii.max_element(),
            Kernel::Hull(hull) => hull.size(),
            Kernel::Triangle { corners: [a, b, c], .. } => (b - a).length().max((c - a).length()),
        };
        core.max(self.border)
    }

    /// A point well inside.
    pub(super) fn center(&self) -> DVec3 {
        match self.kernel {
            Kernel::Hull(hull) => hull.center(),
            Kernel::Triangle { corners: [a, b, c], .. } => (a + b + c) / 3.0,
            _ => DVec3::ZERO,
        }
    }

    /// Normal of the flat or ruled part of the surface that best faces `direction`.
    pub(super) fn face_normal(&self, direction: DVec3) -> Option<DVec3> {
        match self.kernel {
            Kernel::Point | Kernel::Ellipsoid { .. } => None,
            Kernel::Segment { .. } => (direction.z.abs() < 0.5).then(|| azimuth(direction).extend(0.0)),
            Kernel::Box { .. } => {
                let axis = direction.abs().max_position();
                Some(DVec3::AXES[axis] * direction[axis].signum())
            }
            Kernel::Cylinder { .. } => Some(if direction.z.abs() > 0.7 {
                DVec3::Z * direction.z.signum()
            } else {
                azimuth(direction).extend(0.0)
            }),
            Kernel::Cone { radius, half } => {
                let side = slant_normal(direction, radius, half);
                Some(if -direction.z > side.dot(direction) { -DVec3::Z } else { side })
            }
            Kernel::Hull(hull) => Some(hull.face_normals()[hull.facing(direction)]),
            Kernel::Triangle { normal, .. } => Some(normal * normal.dot(direction).signum()),
        }
    }

    /// Writes the flat feature that best faces `direction`.
    pub(super) fn feature(&self, direction: DVec3, out: &mut Feature) {
        out.clear();
        match self.kernel {
            Kernel::Point | Kernel::Ellipsoid { .. } => {}
            Kernel::Segment { half } => {
                out.points.extend([DVec3::new(0.0, 0.0, -half), DVec3::new(0.0, 0.0, half)]);
            }
            Kernel::Box { half } => box_face(half, direction, out),
            Kernel::Cylinder { radius, half } => {
                if direction.z.abs() > 0.7 {
                    disc(radius, half * direction.z.signum(), out);
                } else {
                    let rim = azimuth(direction) * radius;
                    out.points.extend([rim.extend(-half), rim.extend(half)]);
                    out.id = 2;
                }
            }
            Kernel::Cone { radius, half } => {
                let side = slant_normal(direction, radius, half);
                if -direction.z > side.dot(direction) {
                    disc(radius, -half, out);
                } else {
                    let rim = (azimuth(direction) * radius).extend(-half);
                    out.points.extend([rim, DVec3::new(0.0, 0.0, half)]);
                    out.id = 2;
                }
            }
            Kernel::Hull(hull) => {
                let face = hull.facing(direction);
                out.points.extend(hull.face(face).iter().map(|&v| hull.vertices()[v as usize]));
                out.normal = hull.face_normals()[face];
                out.id = face as u32;
            }
            Kernel::Triangle { corners: [a, b, c], normal, id, patch, inner } => {
                let front = normal.dot(direction) >= 0.0;
                out.points.extend(if front { [a, b, c] } else { [a, c, b] });
                out.normal = if front { normal } else { -normal };
                // Seen from behind, the sides run the other way: 2, 1, 0.
                let reversed = (inner & 1) << 2 | inner & 2 | inner >> 2 & 1;
                out.inner_edges = if front { inner } else { reversed };
                (out.id, out.patch) = (id, Some(patch));
            }
        }
    }

    /// Radius of curvature of the surface at a point of the core with outward normal `direction`; infinite where it is
    /// flat, an edge or a corner. Ruled surfaces return the radius perpendicular to the ruling.
    pub(super) fn curvature(&self, point: DVec3, direction: DVec3) -> f64 {
        let rounded = if self.border > 0.0 { self.border } else { f64::INFINITY };
        match self.kernel {
            Kernel::Point | Kernel::Segment { .. } => rounded,
            Kernel::Box { .. } | Kernel::Hull(_) | Kernel::Triangle { .. } => {
                let flat = direction.abs().max_element() > 1.0 - 1e-9;
                if flat { f64::INFINITY } else { rounded }
            }
            Kernel::Cylinder { radius, .. } => {
                if direction.z.abs() > 1.0 - 1e-9 {
                    f64::INFINITY
                } else if direction.z.abs() < 1e-6 {
                    radius + self.border
                } else {
                    rounded
                }
            }
            Kernel::Cone { radius, half } => {
                // Across the ruling: distance to the axis along the normal.
                let side = slant_normal(direction, radius, half);
                if side.dot(direction) < 1.0 - 1e-9 {
                    return f64::INFINITY;
                }
                let length = point.truncate().length() / side.truncate().length();
                if length > 0.0 { length } else { f64::INFINITY }
            }
            Kernel::Ellipsoid { radii } => ellipsoid_curvature(radii, self.support(direction)),
        }
    }
}

/// Radius of the sphere with the Gaussian curvature of an ellipsoid at a point of its surface,
/// $R = abc\,(x^2/a^4 + y^2/b^4 + z^2/c^4)$.
pub(super) fn ellipsoid_curvature(radii: DVec3, point: DVec3) -> f64 {
    radii.element_product() * (point / (radii * radii)).length_squared()
}

/// Outward normal of a cone's side at the azimuth of `direction`.
fn slant_normal(direction: DVec3, radius: f64, half: f64) -> DVec3 {
    let length = (4.0 * half * half + radius * radius).sqrt();
    (azimuth(direction) * (2.0 * half / length)).extend(radius / length)
}

/// A disc at height `z`, facing away from the origin, as a polygon with corners at fixed azimuths.
fn disc(radius: f64, z: f64, out: &mut Feature) {
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    let around: [[f64; 2]; DISC] = [
        [1.0, 0.0],
        [diagonal, diagonal],
        [0.0, 1.0],
        [-diagonal, diagonal],
        [-1.0, 0.0],
        [-diagonal, -diagonal],
        [0.0, -1.0],
        [diagonal, -diagonal],
    ];
    out.points.extend((0..DISC).map(|k| {
        let [x, y] = around[if z > 0.0 { k } else { DISC - 1 - k }];
        DVec3::new(radius * x, radius * y, z)
    }));
    out.normal = DVec3::Z * z.signum();
    out.id = u32::from(z < 0.0);
}

/// The face of a box that best faces `direction`.
pub(super) fn box_face(half: DVec3, direction: DVec3, out: &mut Feature) {
    let axis = direction.abs().max_position();
    let sign = direction[axis].signum();
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let corner = |su: f64, sv: f64| {
        let mut p = DVec3::ZERO;
        p[axis] = sign * half[axis];
        p[u] = su * half[u];
        p[v] = sv * half[v];
        p
    };
    // Counter-clockwise seen from outside, on both sides of the box.
    out.points.extend([corner(-sign, -1.0), corner(sign, -1.0), corner(sign, 1.0), corner(-sign, 1.0)]);
    out.normal = DVec3::AXES[axis] * sign;
    out.id = 2 * axis as u32 + u32::from(sign < 0.0);
}

/// A smaller core inside another, moved along z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inset<'a> {
    core: Core<'a>,
    shift: DVec3,
}

/// A core in units of `scale`, for algorithms whose tolerances are absolute.
pub(super) struct Scaled<'a> {
    pub(super) inset: Inset<'a>,
    pub(super) inverse_scale: f64,
}

impl SupportMap for Scaled<'_> {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        (self.inset.core.support(direction) + self.inset.shift) * self.inverse_scale
    }
}
