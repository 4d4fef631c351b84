//! Mass, centre and inertia of closed shapes of uniform density.
//!
//! Simple shapes have closed forms. Rounded ones are cut into the pieces of a Minkowski sum with a
//! ball: the core, a slab on every face, a quarter of a cylinder along every edge and the corners.
//! Hulls and meshes are summed over the signed tetrahedra between a point and their triangles
//! (mirtich1996, eberly2002).

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use crate::surface::Surface;
use crate::{GeometryError, Pose, Shape};

/// Mass, centre of mass and inertia of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in local coordinates [m].
    pub center: DVec3,
    /// Inertia about the centre of mass, in local axes [kg·m²].
    pub inertia: DMat3,
}

impl MassProperties {
    /// The same body in the frame to which `pose` maps.
    pub fn moved(&self, pose: &Pose) -> Self {
        let rotation = DMat3::from_quat(pose.rotation);
        Self {
            mass: self.mass,
            center: pose.point(self.center),
            inertia: rotation * self.inertia * rotation.transpose(),
        }
    }

    /// Several bodies as one, by the parallel axis theorem
    /// $J = \sum_i R_i J_i R_i^T + m_i (|d_i|^2 1 - d_i d_i^T)$ with $d_i$ from the common centre.
    ///
    /// Without parts the mass is zero.
    pub fn combine(parts: &[(Pose, MassProperties)]) -> Self {
        let parts: Vec<Self> = parts.iter().map(|(pose, part)| part.moved(pose)).collect();
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        let moment: DVec3 = parts.iter().map(|p| p.mass * p.center).sum();
        let center = if mass > 0.0 { moment / mass } else { DVec3::ZERO };
        let mut inertia = DMat3::ZERO;
        for part in &parts {
            inertia += part.inertia + part.mass * offset_inertia(part.center - center);
        }
        Self { mass, center, inertia }
    }
}

/// Inertia of a unit mass at `d`: $|d|^2 1 - d d^T$.
fn offset_inertia(d: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer(d, d)
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

impl Shape {
    /// Mass properties for a uniform `density` [kg/m³].
    ///
    /// Only closed shapes have them: half-spaces and height fields have none, a mesh must be closed and its triangles
    /// counter-clockwise seen from outside. An edge where several closed surfaces touch is allowed, as long as each
    /// triangle has its opposite. Where parts of a compound overlap, each contributes its mass.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, GeometryError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(GeometryError::Density { density });
        }
        let properties = match self {
            Shape::Compound(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.iter().map(|(pose, part)| Ok((*pose, part.mass_properties(density)?))).collect();
                MassProperties::combine(&parts?)
            }
            _ => self.moments()?.with_density(density),
        };
        // Sizes of 1e-110 m or 1e110 m leave the range of numbers only here.
        let sound = properties.mass > 0.0
            && properties.mass.is_finite()
            && properties.center.is_finite()
            && properties.inertia.is_finite()
            && (0..3).all(|i| properties.inertia.col(i)[i] > 0.0);
        if !sound {
            return Err(GeometryError::MassRange { shape: self.kind_name(), mass: properties.mass });
        }
        Ok(properties)
    }

    fn moments(&self) -> Result<Moments, GeometryError> {
        Ok(match self {
            Shape::Sphere { radius } => ellipsoid(DVec3::splat(*radius)),
            Shape::Ellipsoid { radii } => ellipsoid(*radii),
            Shape::Box { half } => rounded_box(*half, 0.0),
            // Both are rounded cylinders without an edge or without a flat side.
            Shape::Capsule { radius, half_length } => rounded_cylinder(0.0, *half_length, *radius),
            Shape::Cylinder { radius, half_length } => rounded_cylinder(*radius, *half_length, 0.0),
            Shape::Cone { radius, half_length } => cone(*radius, *half_length),
            Shape::RoundedBox { half, border } => rounded_box(*half, *border),
            Shape::RoundedCylinder { radius, half_length, border } => {
                rounded_cylinder(*radius, *half_length, *border)
            }
            Shape::Hull(hull) => polyhedron(hull.vertices(), hull.triangles())?,
            Shape::Mesh(mesh) => {
                // Vertices at one place count as one, whatever their numbers.
                let corners = |t: u32| [0, 1, 2].map(|corner| mesh.vertex_id(t, corner));
                check_closed((0..mesh.triangles().len() as u32).map(corners))?;
                polyhedron(mesh.vertices(), mesh.triangles())?
            }
            Shape::Triangle { .. } | Shape::HalfSpace | Shape::HeightField(_) | Shape::Compound(_) => {
                return Err(GeometryError::NoVolume { shape: self.kind_name() });
            }
        })
    }
}

/// Moments of a volume: $V$, centre and $\int x x^T dV$ about the centre.
struct Moments {
    volume: f64,
    center: DVec3,
    second: DMat3,
}

impl Moments {
    /// Of a body that mirrors itself in the three planes of its axes.
    fn symmetric(volume: f64, second: DVec3) -> Self {
        Self { volume, center: DVec3::ZERO, second: DMat3::from_diagonal(second) }
    }

    fn with_density(&self, density: f64) -> MassProperties {
        let second = self.second;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = density * (DMat3::from_diagonal(DVec3::splat(trace)) - second);
        MassProperties { mass: density * self.volume, center: self.center, inertia }
    }
}

fn ellipsoid(radii: DVec3) -> Moments {
    let volume = 4.0 / 3.0 * PI * radii.x * radii.y * radii.z;
    Moments::symmetric(volume, volume / 5.0 * radii * radii)
}

/// Base at −h, apex at +h.
fn cone(radius: f64, half_length: f64) -> Moments {
    let height = 2.0 * half_length;
    let volume = PI / 3.0 * radius * radius * height;
    let across = 3.0 / 20.0 * radius * radius;
    let second = volume * DVec3::new(across, across, 3.0 / 80.0 * height * height);
    Moments { center: DVec3::new(0.0, 0.0, -0.5 * half_length), ..Moments::symmetric(volume, second) }
}

/// $\int_a^{a+r} s^2 ds$ without the cancellation of cubes.
fn slab_second(a: f64, r: f64) -> f64 {
    r * (a * a + a * r + r * r / 3.0)
}

fn rounded_box(half: DVec3, r: f64) -> Moments {
    let DVec3 { x: a, y: b, z: c } = half;
    let sphere = 4.0 / 3.0 * PI * r * r * r;
    let disc = PI * r * r;
    let volume = 8.0 * (a * b * c + r * (a * b + b * c + c * a)) + 2.0 * disc * (a + b + c) + sphere;
    let second = DVec3::new(
        rounded_box_second(a, b, c, r),
        rounded_box_second(b, c, a, r),
        rounded_box_second(c, a, b, r),
    );
    Moments::symmetric(volume, second)
}

/// $\int x^2 dV$ of a rounded box, x along the half size `a`.
fn rounded_box_second(a: f64, b: f64, c: f64, r: f64) -> f64 {
    let r2 = r * r;
    // The core, the slabs at ±y and ±z, and the edges along x all reach from −a to a.
    let middle = (4.0 * b * c + 4.0 * r * (b + c) + PI * r2) * 2.0 * a * a * a / 3.0;
    let slabs = 8.0 * b * c * slab_second(a, r);
    // A quarter of a disc beyond a: area π r²/4, ∫u = r³/3, ∫u² = π r⁴/16.
    let quarter = PI * r2 / 4.0 * a * a + 2.0 / 3.0 * r2 * r * a + PI * r2 * r2 / 16.0;
    let edges = 8.0 * (b + c) * quarter;
    // An eighth of a ball beyond a: volume π r³/6, ∫u = π r⁴/16, ∫u² = π r⁵/30.
    let corners = 8.0 * PI * r2 * r * (a * a / 6.0 + a * r / 8.0 + r2 / 30.0);
    middle + slabs + edges + corners
}

fn rounded_cylinder(radius: f64, h: f64, r: f64) -> Moments {
    let (big, r2) = (radius, r * r);
    let (r3, r4) = (r2 * r, r2 * r2);
    // The profile beyond the edge is a quarter of a disc; integrals of 1, u, u², uw, uw², u³ over it.
    let [one, u, uu, uw, uww, uuu] =
        [PI * r2 / 4.0, r3 / 3.0, PI * r4 / 16.0, r4 / 8.0, r4 * r / 15.0, 2.0 * r4 * r / 15.0];
    let disc = PI * big * big;
    let ring = PI * r * (2.0 * big + r);
    let outer2 = (big + r) * (big + r);
    let ring_polar = 0.5 * ring * (outer2 + big * big);

    let volume = 2.0 * (disc * (h + r) + ring * h) + 4.0 * PI * (big * one + u);
    let along = 2.0 * ((disc + ring) * h * h * h / 3.0 + disc * slab_second(h, r))
        + 4.0 * PI * (big * (h * h * one + 2.0 * h * u + uu) + h * h * u + 2.0 * h * uw + uww);
    let polar = disc * big * big * (h + r)
        + 2.0 * ring_polar * h
        + 4.0 * PI * (big * big * big * one + 3.0 * big * big * u + 3.0 * big * uu + uuu);
    Moments::symmetric(volume, DVec3::new(0.5 * polar, 0.5 * polar, along))
}

/// Sums signed tetrahedra between the middle of the bounding box and each triangle:
/// $V = \sum d/6$, $\int x\,dV = \sum d\,s/24$, $\int x x^T dV = \sum d (a a^T + b b^T + c c^T + s s^T)/120$
/// with $d = a \cdot (b \times c)$ and $s = a + b + c$.
fn polyhedron(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Moments, GeometryError> {
    let low = vertices.iter().fold(DVec3::INFINITY, |low, v| low.min(*v));
    let high = vertices.iter().fold(DVec3::NEG_INFINITY, |high, v| high.max(*v));
    let middle = 0.5 * low + 0.5 * high;
    let (mut volume, mut first, mut second, mut area) = (0.0, DVec3::ZERO, DMat3::ZERO, 0.0);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|i| vertices[i as usize] - middle);
        let determinant = a.dot(b.cross(c));
        let sum = a + b + c;
        volume += determinant / 6.0;
        first += determinant / 24.0 * sum;
        second += determinant / 120.0 * (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum));
        area += 0.5 * (b - a).cross(c - a).length();
    }
    // Each term is rounded by about 1e-16 of area times size.
    let rounding = 1e-13 * area * (high - low).max_element();
    if volume.abs() <= rounding {
        return Err(GeometryError::ZeroVolume { volume });
    }
    if volume < 0.0 {
        return Err(GeometryError::InvertedMesh { volume });
    }
    let center = first / volume;
    Ok(Moments { volume, center: center + middle, second: second - volume * outer(center, center) })
}

/// Every edge must be passed as often in one direction as in the other.
fn check_closed(triangles: impl Iterator<Item = [u32; 3]>) -> Result<(), GeometryError> {
    let mut edges: Vec<([u32; 2], i32)> = triangles
        .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| if a < b { ([a, b], 1) } else { ([b, a], -1) })
        .collect();
    edges.sort_unstable();
    for group in edges.chunk_by(|a, b| a.0 == b.0) {
        let (edge, triangles) = (group[0].0, group.len());
        if group.iter().map(|e| i64::from(e.1)).sum::<i64>() == 0 {
            continue;
        }
        return Err(match triangles {
            1 | 2 => GeometryError::OpenMesh { edge, triangles },
            _ => GeometryError::NonManifoldMesh { edge, triangles },
        });
    }
    Ok(())
}
