//! Closest points of shapes, in their local frames.

use glam::DVec3;

use super::triangle::{self, Feature};
use crate::surface::Surface;
use crate::{Aabb, HeightField, Hull, Shape, TriangleMesh};

/// Closest point of a surface, the outward direction there and the signed distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
    pub(super) distance: f64,
}

impl Nearest {
    /// From a point outside (or on) a solid to the closest point of the solid.
    fn outside(p: DVec3, point: DVec3, otherwise: DVec3) -> Self {
        let distance = (p - point).length();
        let normal = if distance > 0.0 { (p - point) / distance } else { otherwise };
        Self { point, normal, distance }
    }

    /// The same for the solid grown by `border` on all sides.
    fn grown(self, border: f64) -> Self {
        Self { point: self.point + border * self.normal, distance: self.distance - border, ..self }
    }

    fn closer(self, other: Self) -> Self {
        if other.distance < self.distance { other } else { self }
    }
}

/// Closest point of the surface of a single shape.
pub(super) fn nearest(shape: &Shape, p: DVec3) -> Nearest {
    match shape {
        Shape::Sphere { radius } => Nearest::outside(p, DVec3::ZERO, DVec3::Z).grown(*radius),
        Shape::Ellipsoid { radii } => ellipsoid(*radii, p),
        Shape::Box { half } => cuboid(*half, p),
        Shape::Capsule { radius, half_length } => {
            let on_axis = DVec3::new(0.0, 0.0, p.z.clamp(-half_length, *half_length));
            Nearest::outside(p, on_axis, DVec3::X).grown(*radius)
        }
        Shape::Cylinder { radius, half_length } => cylinder(*radius, *half_length, p),
        Shape::Cone { radius, half_length } => cone(*radius, *half_length, p),
        Shape::RoundedBox { half, border } => cuboid(*half, p).grown(*border),
        Shape::RoundedCylinder { radius, half_length, border } => {
            cylinder(*radius, *half_length, p).grown(*border)
        }
        Shape::Triangle { corners, border } => {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(DVec3::Z);
            Nearest::outside(p, triangle::closest(*corners, p).0, normal).grown(*border)
        }
        Shape::HalfSpace => Nearest { point: p.with_z(0.0), normal: DVec3::Z, distance: p.z },
        Shape::Hull(hull) => hull_nearest(hull, p),
        Shape::Mesh(mesh) => mesh_nearest(mesh, p),
        Shape::HeightField(field) => field_nearest(field, p),
        // Compounds are asked part by part; this answers for parts of parts, which do not occur.
        Shape::Compound(parts) => parts
            .iter()
            .map(|(pose, part)| {
                let near = nearest(part, pose.local_point(p));
                Nearest { point: pose.point(near.point), normal: pose.vector(near.normal), ..near }
            })
            .reduce(Nearest::closer)
            .unwrap_or(Nearest { point: p, normal: DVec3::Z, distance: f64::INFINITY }),
    }
}

fn cuboid(half: DVec3, p: DVec3) -> Nearest {
    let clamped = p.clamp(-half, half);
    if clamped != p {
        return Nearest::outside(p, clamped, DVec3::Z);
    }
    let depth = half - p.abs();
    let axis = if depth.x <= depth.y && depth.x <= depth.z {
        0
    } else if depth.y <= depth.z {
        1
    } else {
        2
    };
    let mut near = Nearest { point: p, normal: DVec3::ZERO, distance: -depth[axis] };
    let side = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    near.normal[axis] = side;
    near.point[axis] = side * half[axis];
    near
}

/// Distance from the z axis and the direction away from it.
fn radial(p: DVec3) -> (f64, DVec3) {
    let away = p.with_z(0.0);
    let distance = away.length();
    (distance, if distance > 0.0 { away / distance } else { DVec3::X })
}

fn cylinder(radius: f64, half_length: f64, p: DVec3) -> Nearest {
    let (rho, away) = radial(p);
    let up = if p.z < 0.0 { -DVec3::Z } else { DVec3::Z };
    let (beyond_side, beyond_end) = (rho - radius, p.z.abs() - half_length);
    if beyond_side > 0.0 || beyond_end > 0.0 {
        let closest = away * rho.min(radius) + DVec3::Z * p.z.clamp(-half_length, half_length);
        let otherwise = if beyond_side > 0.0 { away } else { up };
        return Nearest::outside(p, closest, otherwise);
    }
    if beyond_side > beyond_end {
        Nearest { point: away * radius + DVec3::Z * p.z, normal: away, distance: beyond_side }
    } else {
        Nearest { point: p.with_z(up.z * half_length), normal: up, distance: beyond_end }
    }
}

/// The profile in (ρ, z) is a triangle with corners (0, −h), (r, −h) and (0, h).
fn cone(radius: f64, half_length: f64, p: DVec3) -> Nearest {
    let (rho, away) = radial(p);
    let (height, from_base) = (2.0 * half_length, p.z + half_length);
    let slant = radius.hypot(height);
    let side_normal = (away * height + DVec3::Z * radius) / slant;
    let beyond_side = ((rho - radius) * height + from_base * radius) / slant;
    let beyond_base = -from_base;
    let along = ((radius - rho) * radius + from_base * height) / (slant * slant);
    if beyond_side <= 0.0 && beyond_base <= 0.0 {
        if beyond_base >= beyond_side {
            return Nearest { point: p.with_z(-half_length), normal: -DVec3::Z, distance: beyond_base };
        }
        return Nearest { point: p - beyond_side * side_normal, normal: side_normal, distance: beyond_side };
    }
    let up = along.clamp(0.0, 1.0);
    let on_side = away * (radius * (1.0 - up)) + DVec3::Z * (height * up - half_length);
    let on_base = away * rho.min(radius) - DVec3::Z * half_length;
    Nearest::outside(p, on_side, side_normal).closer(Nearest::outside(p, on_base, -DVec3::Z))
}

/// The closest point $x$ of an ellipsoid obeys $x_i = e_i^2 p_i / (t + e_i^2)$ with the largest root $t$ of
/// $\sum (e_i p_i / (t + e_i^2))^2 = 1$, found by bisection, which no shape or place can lead astray
/// (eberly2013).
fn ellipsoid(radii: DVec3, p: DVec3) -> Nearest {
    // In order of falling radius, in the octant where all coordinates are positive.
    let mut order = [0, 1, 2];
    order.sort_by(|i, j| radii[*j].total_cmp(&radii[*i]));
    let e = order.map(|i| radii[i]);
    let y = order.map(|i| p[i].abs());
    let x = ellipsoid_octant(e, y);
    let mut point = DVec3::ZERO;
    for (k, i) in order.into_iter().enumerate() {
        point[i] = x[k].copysign(p[i]);
    }
    let normal = (point / (radii * radii) * e[2]).normalize_or(DVec3::Z);
    let inside = (p / radii).length_squared() < 1.0;
    let distance = (p - point).length();
    Nearest { point, normal, distance: if inside { -distance } else { distance } }
}

fn ellipsoid_octant(e: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    if y[2] == 0.0 {
        // In the plane across the shortest axis: near the middle, the closest point leaves that plane.
        let ratio = [0, 1].map(|i| if y[i] == 0.0 { 0.0 } else { e[i] * y[i] / (e[i] * e[i] - e[2] * e[2]) });
        let rest = 1.0 - ratio[0] * ratio[0] - ratio[1] * ratio[1];
        if rest > 0.0 {
            return [e[0] * ratio[0], e[1] * ratio[1], e[2] * rest.sqrt()];
        }
    }
    // In units of the shortest radius, with u = t / e₂² + 1, which is small where digits would cancel.
    let r = e.map(|e_i| (e_i / e[2]) * (e_i / e[2]));
    let z = y.map(|y_i| y_i / e[2]);
    let scaled = [r[0].sqrt() * z[0], r[1].sqrt() * z[1], z[2]];
    let term = |i: usize, u: f64| if scaled[i] == 0.0 { 0.0 } else { scaled[i] / (u + (r[i] - 1.0)) };
    let excess = |u: f64| (0..3).map(|i| term(i, u) * term(i, u)).sum::<f64>() - 1.0;
    let mut low = z[2];
    let mut high = DVec3::from(scaled).length();
    let mut u = 0.5 * (low + high);
    // Halving runs out of numbers after at most all exponents and digits.
    for _ in 0..1100 {
        if u <= low || u >= high {
            break;
        }
        if excess(u) > 0.0 {
            low = u;
        } else {
            high = u;
        }
        u = 0.5 * (low + high);
    }
    [0, 1, 2].map(|i| if y[i] == 0.0 { 0.0 } else { r[i] * y[i] / (u + (r[i] - 1.0)) })
}

fn hull_nearest(hull: &Hull, p: DVec3) -> Nearest {
    let faces = (0..hull.face_count()).map(|face| {
        let corner = hull.vertices()[hull.face(face)[0] as usize];
        let normal = hull.face_normals()[face];
        let distance = normal.dot(p - corner);
        Nearest { point: p - distance * normal, normal, distance }
    });
    // Inside, the closest face is the one that is least far below.
    let flat = faces.reduce(|a, b| if b.distance > a.distance { b } else { a });
    let otherwise = flat.map_or(DVec3::Z, |near| near.normal);
    if let Some(inside) = flat.filter(|near| near.distance <= 0.0) {
        return inside;
    }
    let corners = |t: &[u32; 3]| t.map(|i| hull.vertices()[i as usize]);
    let on_triangles =
        hull.triangles().iter().map(|t| Nearest::outside(p, triangle::closest(corners(t), p).0, otherwise));
    on_triangles.reduce(Nearest::closer).unwrap_or(Nearest {
        point: p,
        normal: DVec3::Z,
        distance: f64::INFINITY,
    })
}

fn mesh_nearest(mesh: &TriangleMesh, p: DVec3) -> Nearest {
    let gap = |low: DVec3, high: DVec3| (low - p).max(p - high).max(DVec3::ZERO).length();
    let found = mesh.tree().bvh().find_best(
        f64::INFINITY,
        |node, _| gap(node.mins(), node.maxs()),
        |t, _| Some((triangle::closest(mesh.triangle(t), p).0 - p).length()),
    );
    let Some((t, distance)) = found else {
        return Nearest { point: p, normal: DVec3::Z, distance: f64::INFINITY };
    };
    let (point, feature) = triangle::closest(mesh.triangle(t), p);
    // The side follows from the normals around the closest feature (baerentzen2005).
    let normal = match feature {
        Feature::Face => Some(mesh.normal(t)),
        Feature::Side(side) => mesh.neighbor(t, side).map(|other| mesh.normal(t) + mesh.normal(other)),
        Feature::Corner(corner) => mesh.vertex_normal(t, corner),
    };
    let behind = normal.is_some_and(|normal| normal.dot(p - point) < 0.0);
    let inside = behind && mesh.is_closed();
    let otherwise = normal.unwrap_or(mesh.normal(t)).normalize_or(DVec3::Z);
    let near = Nearest::outside(p, point, otherwise);
    if inside { Nearest { normal: -near.normal, distance: -distance, ..near } } else { near }
}

fn field_nearest(field: &HeightField, p: DVec3) -> Nearest {
    // The surface straight above or below bounds the distance, and with it the region to search.
    let bounds = field.local_aabb();
    let column = p.clamp(bounds.min, bounds.max);
    let (height, up) = field_height(field, column).unwrap_or((bounds.max.z, DVec3::Z));
    let above = Nearest::outside(p, column.with_z(height), up);
    let mut near = above;
    let region = Aabb::around(p, DVec3::splat(above.distance * (1.0 + 1e-12)));
    field.each_triangle(&region, |t| {
        near = near.closer(Nearest::outside(p, triangle::closest(field.triangle(t), p).0, field.normal(t)));
    });
    let inside = column.truncate() == p.truncate() && p.z < height;
    if inside { Nearest { normal: -near.normal, distance: -near.distance, ..near } } else { near }
}

/// Height of the surface above (x, y) and its normal there.
fn field_height(field: &HeightField, p: DVec3) -> Option<(f64, DVec3)> {
    let column = Aabb::new(p.with_z(f64::NEG_INFINITY), p.with_z(f64::INFINITY));
    let mut found: Option<(f64, f64, DVec3)> = None;
    field.each_triangle(&column, |t| {
        let [a, b, c] = field.triangle(t);
        let normal = field.normal(t);
        // Outside of its triangle a plane is no answer; rounding decides between neighbours.
        let outside = [[a, b], [b, c], [c, a]].map(|[from, to]| {
            let (side, offset) = ((to - from).truncate(), (p - from).truncate());
            -side.perp_dot(offset) / side.length()
        });
        let outside = outside[0].max(outside[1]).max(outside[2]);
        if found.is_none_or(|(before, ..)| outside < before) {
            let height = a.z - (normal.x * (p.x - a.x) + normal.y * (p.y - a.y)) / normal.z;
            found = Some((outside, height, normal));
        }
    });
    found.filter(|(_, height, _)| height.is_finite()).map(|(_, height, normal)| (height, normal))
}
