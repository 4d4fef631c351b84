//! Narrow phase: the points where two shapes touch or are about to touch.

mod capsule;
mod convex;
mod core;
mod cuboid;
mod ellipsoid;
mod nearest;
mod patch;
mod plane;
mod polygon;
mod sphere;
mod surface_convex;
mod surface_sphere;
mod surface_surface;
mod voronoi;

use glam::DVec3;

use crate::surface::Surface;
use crate::{Pose, Shape};

/// One contact point between shapes a and b.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Point on the surface of a, in world coordinates [m].
    pub point_a: DVec3,
    /// Point on the surface of b, in world coordinates [m].
    pub point_b: DVec3,
    /// Unit normal from a to b, in world axes.
    pub normal: DVec3,
    /// Distance along the normal, $g = (p_b - p_a)\cdot n$; negative where the shapes overlap [m].
    pub gap: f64,
    /// Identifies the pair of touching features: persistent while the same features touch, unique within the pair of
    /// shapes.
    pub feature: u32,
    /// Radius of curvature of a at the point, perpendicular to the ruling of cylinders and cones; infinite on flat
    /// parts, edges and corners [m].
    pub radius_a: f64,
    /// Radius of curvature of b at the point, likewise [m].
    pub radius_b: f64,
}

/// Buffers of the narrow phase, reused from call to call; no information passes from one call to the next.
#[derive(Debug, Default)]
pub struct NarrowScratch {
    convex: convex::ConvexScratch,
    patch: patch::PatchScratch,
    near: Vec<surface_sphere::Near>,
    /// Vertex name, triangle, corner and position of the corners of a surface.
    corners: Vec<(u32, u32, u32, glam::DVec3)>,
    ids: Vec<u32>,
}

impl NarrowScratch {
    /// Empty buffers.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Appends to `out` all contact points of `a` and `b` with a gap below `envelope` [m]: up to four per convex pair, up
/// to four per patch of similar normals for meshes and height fields, in an order that depends only on the inputs.
pub fn contacts(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    if !dispatch(a, pose_a, b, pose_b, envelope, scratch, out)
        && dispatch(b, pose_b, a, pose_a, envelope, scratch, out)
    {
        out[start..].iter_mut().for_each(ContactPoint::flip);
    }
    if out.len() > start + 1 && a.is_convex() && b.is_convex() {
        merge_coincident(MERGED * a.bounding_radius().min(b.bounding_radius()), start, out);
    }
}

/// Points of a convex pair nearer to each other than this part of the smaller shape are one: rounding must not
/// decide how many there are.
const MERGED: f64 = 1e-7;

fn merge_coincident(reach: f64, start: usize, out: &mut Vec<ContactPoint>) {
    let mut k = start + 1;
    while k < out.len() {
        let place = out[k].point_a;
        match out[start..k].iter().position(|p| (p.point_a - place).length_squared() < reach * reach) {
            Some(twin) => {
                let point = out.remove(k);
                let twin = &mut out[start + twin];
                if point.gap < twin.gap {
                    *twin = ContactPoint { feature: twin.feature, ..point };
                }
            }
            None => k += 1,
        }
    }
}

impl ContactPoint {
    /// Exchanges the roles of a and b.
    fn flip(&mut self) {
        std::mem::swap(&mut self.point_a, &mut self.point_b);
        std::mem::swap(&mut self.radius_a, &mut self.radius_b);
        self.normal = -self.normal;
    }
}

/// Handles a pair in its canonical order; answers false where the order is the other one.
fn dispatch(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) -> bool {
    match (a, b) {
        (Shape::Sphere { radius: ra }, Shape::Sphere { radius: rb }) => {
            sphere::sphere(*ra, pose_a.position, *rb, pose_b.position, envelope, out)
        }
        (Shape::HalfSpace, Shape::Sphere { radius }) => {
            plane::sphere(pose_a, *radius, pose_b.position, envelope, out)
        }
        (Shape::HalfSpace, Shape::Box { half }) => plane::cuboid(pose_a, *half, pose_b, envelope, out),
        (Shape::HalfSpace, Shape::Mesh(mesh)) => plane::mesh(pose_a, mesh, pose_b, envelope, scratch, out),
        (Shape::HalfSpace, b) if b.is_convex() => plane::convex(pose_a, b, pose_b, envelope, scratch, out),
        (Shape::Box { half: half_a }, Shape::Box { half: half_b }) => {
            cuboid::cuboid(*half_a, pose_a, *half_b, pose_b, envelope, scratch, out)
        }
        (Shape::Sphere { radius }, b) if b.is_convex() => {
            sphere::convex(*radius, pose_a, b, pose_b, envelope, scratch, out)
        }
        (a, Shape::Sphere { .. }) if a.is_convex() => return false,
        (Shape::Ellipsoid { radii: ra }, Shape::Ellipsoid { radii: rb }) => {
            ellipsoid::ellipsoid(*ra, pose_a, *rb, pose_b, envelope, out)
        }
        (Shape::Capsule { radius: ra, half_length: ha }, Shape::Capsule { radius: rb, half_length: hb }) => {
            capsule::capsule((*ra, *ha), pose_a, (*rb, *hb), pose_b, envelope, scratch, out)
        }
        (a, Shape::Mesh(mesh)) if a.is_convex() => {
            surface(a, pose_a, mesh.as_ref(), pose_b, envelope, scratch, out)
        }
        (a, Shape::HeightField(field)) if a.is_convex() => {
            surface(a, pose_a, field.as_ref(), pose_b, envelope, scratch, out)
        }
        (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) => surface_surface::surfaces(
            mesh_a.as_ref(),
            pose_a,
            mesh_b.as_ref(),
            pose_b,
            envelope,
            scratch,
            out,
        ),
        (Shape::Mesh(mesh), Shape::HeightField(field)) => {
            surface_surface::surfaces(mesh.as_ref(), pose_a, field.as_ref(), pose_b, envelope, scratch, out)
        }
        (Shape::Compound(parts), b) => {
            compound(parts, pose_a, b, pose_b, envelope, scratch, out);
        }
        _ => match (core::Core::new(a), core::Core::new(b)) {
            (Some(core_a), Some(core_b)) => {
                convex::contacts(core_a, pose_a, core_b, pose_b, envelope, scratch, out)
            }
            _ => return false,
        },
    }
    true
}

/// A bounded convex shape and a surface.
fn surface<S: Surface>(
    shape: &Shape,
    pose: &Pose,
    surface: &S,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    match shape {
        Shape::Sphere { radius } => {
            surface_sphere::sphere(*radius, pose.position, surface, pose_b, envelope, scratch, out)
        }
        shape => surface_convex::convex(shape, pose, surface, pose_b, envelope, scratch, out),
    }
}

/// Every part of a compound against b.
fn compound(
    parts: &[(Pose, Shape)],
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let start = out.len();
    for (index, (local, shape)) in parts.iter().enumerate() {
        let first = out.len();
        contacts(shape, &(*pose_a * *local), b, pose_b, envelope, scratch, out);
        for point in &mut out[first..] {
            point.feature = polygon::name([index as u32, point.feature, 0, 0]);
        }
    }
    patch::make_unique(&mut out[start..]);
}
