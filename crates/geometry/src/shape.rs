//! The closed set of collision shapes.

use std::sync::Arc;

use glam::{DMat3, DVec2, DVec3};

use crate::{Aabb, GeometryError, HeightField, Hull, Pose, TriangleMesh};

/// Half the edge of the box that represents an unbounded shape [m].
pub const HALF_SPACE_EXTENT: f64 = 1e30;

/// A collision shape in its own local frame.
///
/// The axis of capsules, cylinders and cones is local z, their origin the middle of their height. Shapes are cheap
/// to clone: heavy data is shared.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Ball around the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// Ellipsoid along the local axes.
    Ellipsoid {
        /// Semi-axes [m].
        radii: DVec3,
    },
    /// Box along the local axes.
    Box {
        /// Half edges [m].
        half: DVec3,
    },
    /// All points within `radius` of the segment from −`half_length` to +`half_length` on z.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Half the length of the segment [m].
        half_length: f64,
    },
    /// Cylinder along z.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half the height [m].
        half_length: f64,
    },
    /// Cone with its base at z = −`half_length` and its apex at +`half_length`.
    Cone {
        /// Radius of the base [m].
        radius: f64,
        /// Half the height [m].
        half_length: f64,
    },
    /// All points within `border` of a box.
    RoundedBox {
        /// Half edges of the inner box, without the border [m].
        half: DVec3,
        /// Radius of the edges [m].
        border: f64,
    },
    /// All points within `border` of a cylinder along z.
    RoundedCylinder {
        /// Radius of the inner cylinder, without the border [m].
        radius: f64,
        /// Half height of the inner cylinder, without the border [m].
        half_length: f64,
        /// Radius of the edges [m].
        border: f64,
    },
    /// All points within `border` of a triangle: a facet of a skin.
    Triangle {
        /// Corners [m].
        corners: [DVec3; 3],
        /// Thickness on all sides [m].
        border: f64,
    },
    /// Everything with z ≤ 0; its outward normal is +z.
    HalfSpace,
    /// Convex hull of points.
    Hull(Arc<Hull>),
    /// Surface of triangles; they face outwards, counter-clockwise seen from outside.
    Mesh(Arc<TriangleMesh>),
    /// Terrain below z(x, y).
    HeightField(Arc<HeightField>),
    /// A rigid assembly of shapes; parts are never compounds.
    Compound(Arc<Vec<(Pose, Shape)>>),
}

fn positive(shape: &'static str, quantity: &'static str, value: f64) -> Result<f64, GeometryError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(GeometryError::NotPositive { shape, quantity, value })
    }
}

fn positive_vector(shape: &'static str, quantity: &'static str, v: DVec3) -> Result<DVec3, GeometryError> {
    for value in v.to_array() {
        positive(shape, quantity, value)?;
    }
    Ok(v)
}

impl Shape {
    /// Ball of `radius` [m].
    pub fn sphere(radius: f64) -> Result<Self, GeometryError> {
        Ok(Self::Sphere { radius: positive("sphere", "radius", radius)? })
    }

    /// Ellipsoid with semi-axes `radii` [m].
    pub fn ellipsoid(radii: DVec3) -> Result<Self, GeometryError> {
        Ok(Self::Ellipsoid { radii: positive_vector("ellipsoid", "semi-axis", radii)? })
    }

    /// Box with half edges `half` [m].
    pub fn cuboid(half: DVec3) -> Result<Self, GeometryError> {
        Ok(Self::Box { half: positive_vector("box", "half edge", half)? })
    }

    /// Capsule of `radius` around a segment of twice `half_length` [m].
    pub fn capsule(radius: f64, half_length: f64) -> Result<Self, GeometryError> {
        Ok(Self::Capsule {
            radius: positive("capsule", "radius", radius)?,
            half_length: positive("capsule", "half length", half_length)?,
        })
    }

    /// Cylinder of `radius` and twice `half_length` high [m].
    pub fn cylinder(radius: f64, half_length: f64) -> Result<Self, GeometryError> {
        Ok(Self::Cylinder {
            radius: positive("cylinder", "radius", radius)?,
            half_length: positive("cylinder", "half length", half_length)?,
        })
    }

    /// Cone with a base of `radius`, twice `half_length` high [m].
    pub fn cone(radius: f64, half_length: f64) -> Result<Self, GeometryError> {
        Ok(Self::Cone {
            radius: positive("cone", "radius", radius)?,
            half_length: positive("cone", "half length", half_length)?,
        })
    }

    /// Box of half edges `half` grown by `border` on all sides [m].
    pub fn rounded_box(half: DVec3, border: f64) -> Result<Self, GeometryError> {
        Ok(Self::RoundedBox {
            half: positive_vector("rounded box", "half edge", half)?,
            border: positive("rounded box", "border", border)?,
        })
    }

    /// Cylinder of `radius`, twice `half_length` high, grown by `border` on all sides [m].
    pub fn rounded_cylinder(radius: f64, half_length: f64, border: f64) -> Result<Self, GeometryError> {
        Ok(Self::RoundedCylinder {
            radius: positive("rounded cylinder", "radius", radius)?,
            half_length: positive("rounded cylinder", "half length", half_length)?,
            border: positive("rounded cylinder", "border", border)?,
        })
    }

    /// All points within `border` of the triangle of `corners` [m].
    pub fn triangle(corners: [DVec3; 3], border: f64) -> Result<Self, GeometryError> {
        let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
        positive("triangle", "area", area)?;
        Ok(Self::Triangle { corners, border: positive("triangle", "border", border)? })
    }

    /// Everything below the local plane z = 0.
    pub fn half_space() -> Self {
        Self::HalfSpace
    }

    /// Convex hull of `points` [m].
    pub fn hull(points: &[DVec3]) -> Result<Self, GeometryError> {
        Ok(Self::Hull(Arc::new(Hull::new(points)?)))
    }

    /// Triangle mesh; see [`TriangleMesh::new`].
    pub fn mesh(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        Ok(Self::Mesh(Arc::new(TriangleMesh::new(vertices, triangles)?)))
    }

    /// Terrain of `nx` by `ny` heights over a rectangle of edges `size`; see [`HeightField::new`].
    pub fn height_field(nx: usize, ny: usize, heights: Vec<f64>, size: DVec2) -> Result<Self, GeometryError> {
        Ok(Self::HeightField(Arc::new(HeightField::new(nx, ny, heights, size)?)))
    }

    /// A rigid assembly of shapes; nested compounds are flattened.
    pub fn compound(parts: Vec<(Pose, Shape)>) -> Result<Self, GeometryError> {
        let mut flat = Vec::with_capacity(parts.len());
        for (index, (pose, shape)) in parts.into_iter().enumerate() {
            if !pose.is_finite() {
                return Err(GeometryError::NotFinite { shape: "compound", index });
            }
            match shape {
                Self::Compound(inner) => flat.extend(inner.iter().map(|(p, s)| (pose * *p, s.clone()))),
                shape => flat.push((pose, shape)),
            }
        }
        if flat.is_empty() { Err(GeometryError::EmptyCompound) } else { Ok(Self::Compound(Arc::new(flat))) }
    }

    /// Name of the kind of shape, for messages.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::RoundedBox { .. } => "rounded box",
            Self::RoundedCylinder { .. } => "rounded cylinder",
            Self::Triangle { .. } => "triangle",
            Self::HalfSpace => "half-space",
            Self::Hull(_) => "convex hull",
            Self::Mesh(_) => "triangle mesh",
            Self::HeightField(_) => "height field",
            Self::Compound(_) => "compound",
        }
    }

    /// The parts of a compound with their local poses; any other shape is its own single part.
    pub fn parts(&self) -> impl Iterator<Item = (Pose, &Shape)> {
        let (own, list) = match self {
            Self::Compound(parts) => (None, parts.as_slice()),
            _ => (Some((Pose::IDENTITY, self)), [].as_slice()),
        };
        own.into_iter().chain(list.iter().map(|(pose, shape)| (*pose, shape)))
    }

    /// Whether the shape is convex and bounded.
    pub fn is_convex(&self) -> bool {
        !matches!(self, Self::HalfSpace | Self::Mesh(_) | Self::HeightField(_) | Self::Compound(_))
    }

    /// Axis-aligned box around the shape at `pose`: tight for primitives, hulls and meshes; finite but huge for a
    /// half-space, which is bounded only on the side of its normal, and only if that is a world axis.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        if let Self::Sphere { radius } = self {
            return Aabb::around(pose.position, DVec3::splat(*radius));
        }
        let rotation = DMat3::from_quat(pose.rotation);
        let (axes, rows) = (rotation, rotation.transpose());
        let absolute = DMat3::from_cols(axes.x_axis.abs(), axes.y_axis.abs(), axes.z_axis.abs());
        let z = axes.z_axis;
        // Radius of a disc normal to z, seen along each world axis.
        let disc = (DVec3::ONE - z * z).max(DVec3::ZERO).map(f64::sqrt);
        match self {
            Self::Sphere { radius } => Aabb::around(pose.position, DVec3::splat(*radius)),
            Self::Ellipsoid { radii } => {
                let along = |row: DVec3| (row * *radii).length();
                let half = DVec3::new(along(rows.x_axis), along(rows.y_axis), along(rows.z_axis));
                Aabb::around(pose.position, half)
            }
            Self::Box { half } => Aabb::around(pose.position, absolute * *half),
            Self::Capsule { radius, half_length } => {
                Aabb::around(pose.position, z.abs() * *half_length + *radius)
            }
            Self::Cylinder { radius, half_length } => {
                Aabb::around(pose.position, z.abs() * *half_length + disc * *radius)
            }
            Self::Cone { radius, half_length } => {
                let base = pose.position - z * *half_length;
                let apex = pose.position + z * *half_length;
                Aabb::around(base, disc * *radius).merged(&Aabb::new(apex, apex))
            }
            Self::RoundedBox { half, border } => Aabb::around(pose.position, absolute * *half + *border),
            Self::RoundedCylinder { radius, half_length, border } => {
                Aabb::around(pose.position, z.abs() * *half_length + disc * *radius + *border)
            }
            Self::Triangle { corners, border } => {
                points_aabb(corners, &rotation, pose.position).enlarged(*border)
            }
            Self::HalfSpace => half_space_aabb(pose.position, z),
            Self::Hull(hull) => points_aabb(hull.vertices(), &rotation, pose.position),
            Self::Mesh(mesh) => points_aabb(mesh.vertices(), &rotation, pose.position),
            Self::HeightField(field) => {
                let local = field.local_aabb();
                Aabb::around(pose.point(local.center()), absolute * (0.5 * local.extent()))
            }
            Self::Compound(parts) => parts
                .iter()
                .fold(Aabb::EMPTY, |all, (local, shape)| all.merged(&shape.aabb(&(*pose * *local)))),
        }
    }

    /// Radius of the smallest ball around the local origin that contains the shape [m]; infinite for a half-space.
    pub fn bounding_radius(&self) -> f64 {
        let farthest = |points: &[DVec3]| points.iter().fold(0.0f64, |r, p| r.max(p.length()));
        match self {
            Self::Sphere { radius } => *radius,
            Self::Ellipsoid { radii } => radii.max_element(),
            Self::Box { half } => half.length(),
            Self::Capsule { radius, half_length } => radius + half_length,
            Self::Cylinder { radius, half_length } | Self::Cone { radius, half_length } => {
                radius.hypot(*half_length)
            }
            Self::RoundedBox { half, border } => half.length() + border,
            Self::RoundedCylinder { radius, half_length, border } => radius.hypot(*half_length) + border,
            Self::Triangle { corners, border } => farthest(corners) + border,
            Self::HalfSpace => f64::INFINITY,
            Self::Hull(hull) => farthest(hull.vertices()),
            Self::Mesh(mesh) => farthest(mesh.vertices()),
            Self::HeightField(field) => {
                let local = field.local_aabb();
                local.min.abs().max(local.max.abs()).length()
            }
            Self::Compound(parts) => parts
                .iter()
                .fold(0.0, |r, (pose, shape)| f64::max(r, pose.position.length() + shape.bounding_radius())),
        }
    }
}

fn points_aabb(points: &[DVec3], rotation: &DMat3, position: DVec3) -> Aabb {
    Aabb::of_points(points.iter().map(|p| *rotation * *p + position))
}

fn half_space_aabb(position: DVec3, normal: DVec3) -> Aabb {
    let mut bounds = Aabb::around(DVec3::ZERO, DVec3::splat(HALF_SPACE_EXTENT));
    for axis in 0..3 {
        // Any visible tilt reaches arbitrarily high somewhere.
        if normal[axis].abs() == 1.0 || normal.reject_from(DVec3::AXES[axis]) == DVec3::ZERO {
            if normal[axis] > 0.0 {
                bounds.max[axis] = position[axis];
            } else {
                bounds.min[axis] = position[axis];
            }
        }
    }
    bounds
}
