//! The surfaces that walls of scenes are made of.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_geometry::{Pose, Shape};
use huygens_spec::{WallEnds, WallFace, WallSide, WallSpec, WallType};

use super::Wrong;
use crate::shapes::{length, shaped_wall};
use crate::{Surface, WallMesh};

/// A surface and its pose.
pub type Part = (Pose, Surface);

/// The surfaces a wall is made of, in its own axes; none of a mesh, of the shapes of a body, or of a structure. Otherwise
/// the key that is wrong, and what is wrong with it.
pub fn wall_parts(wall: &WallSpec) -> Result<Vec<Part>, Wrong> {
    let one = |surface| vec![(Pose::IDENTITY, surface)];
    let is_inside = |side: &WallSide| *side == WallSide::Inside;
    Ok(match &wall.kind {
        WallType::Plane => one(Surface::Plane),
        WallType::Sphere { radius, side } => {
            one(Surface::Sphere { radius: length("radius", *radius)?, hollow: is_inside(side) })
        }
        WallType::Disc { radius } => one(Surface::Disc { radius: length("radius", *radius)? }),
        WallType::Rectangle { size } => one(Surface::Rectangle { half: halves(*size)? }),
        WallType::Cylinder { radius, length: along, side, ends } => {
            let (radius, hollow) = (length("radius", *radius)?, is_inside(side));
            let half = 0.5 * length("length", *along)?;
            match ends {
                WallEnds::Closed => one(Surface::ClosedCylinder { radius, span: [-half, half], hollow }),
                ends => round([radius; 2], half, *ends, |span| Surface::Cylinder { radius, span, hollow }),
            }
        }
        WallType::Box { size, side, open } => {
            let (half, hollow) = (halves(*size)?, is_inside(side));
            match open.is_empty() {
                true => one(Surface::Box { half, hollow }),
                false if hollow => box_faces(half, open),
                false => return Err(("open", "a box that is full has no open faces".into())),
            }
        }
        WallType::Shape(shape) => shaped_wall(shape)?.surfaces,
        WallType::Mesh(_) | WallType::Body | WallType::Structure { .. } => Vec::new(),
    })
}

fn halves<const N: usize>(size: [f64; N]) -> Result<[f64; N], Wrong> {
    match size.iter().all(|edge| *edge > 0.0 && edge.is_finite()) {
        true => Ok(size.map(|edge| 0.5 * edge)),
        false => Err(("size", format!("size = {size:?} is not allowed; {N} positive lengths are needed"))),
    }
}

/// A round wall with its ends.
pub(crate) fn round(
    radii: [f64; 2],
    half: f64,
    ends: WallEnds,
    side: impl Fn([f64; 2]) -> Surface,
) -> Vec<Part> {
    let mut parts = vec![(Pose::IDENTITY, side([-half, half]))];
    for ((closed, z), radius) in ends.closed().into_iter().zip([-half, half]).zip(radii) {
        if closed && radius > 0.0 {
            let pose = Pose { position: DVec3::Z * z, rotation: DQuat::IDENTITY };
            parts.push((pose, Surface::Disc { radius }));
        }
    }
    parts
}

/// Faces of a box that is open.
pub fn box_faces(half: [f64; 3], open: &[WallFace]) -> Vec<Part> {
    let face = |face: &WallFace| {
        let (axis, sign) = face.side();
        let along = |k: usize| DVec3::from_array(std::array::from_fn(|c| f64::from(u8::from(c == k % 3))));
        let (x, z) = (along(axis + 1), -sign * along(axis));
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
        let position = sign * half[axis] * along(axis);
        let surface = Surface::Rectangle { half: [half[(axis + 1) % 3], half[(axis + 2) % 3]] };
        (Pose { position, rotation }, surface)
    };
    WallFace::ALL.iter().filter(|f| !open.contains(f)).map(face).collect()
}

/// The surfaces of a shape.
pub fn surfaces_of(shape: &Shape, pose: Pose, out: &mut Vec<Part>) -> Result<(), String> {
    let mesh = |points: &[DVec3], triangles: &[[u32; 3]]| {
        let made = WallMesh::new(points.to_vec(), triangles.to_vec()).map_err(|e| e.to_string())?;
        Ok::<_, String>(Surface::Mesh(Arc::new(made)))
    };
    let surface = match shape {
        Shape::Sphere { radius } => Surface::Sphere { radius: *radius, hollow: false },
        Shape::Box { half } => Surface::Box { half: half.to_array(), hollow: false },
        Shape::Cylinder { radius, half_length } => {
            let span = [-half_length, *half_length];
            Surface::ClosedCylinder { radius: *radius, span, hollow: false }
        }
        Shape::Capsule { radius, half_length } => {
            Surface::Capsule { radius: *radius, half_length: *half_length }
        }
        Shape::HalfSpace => Surface::Plane,
        Shape::Hull(hull) => mesh(hull.vertices(), hull.triangles())?,
        Shape::Mesh(surface) => mesh(surface.vertices(), surface.triangles())?,
        Shape::Compound(parts) => {
            for (local, part) in parts.iter() {
                surfaces_of(part, pose * *local, out)?;
            }
            return Ok(());
        }
        _ => {
            return Err(
                "a wall can be a ball, a box, a cylinder, a capsule, a hull, a mesh or a half-space".into()
            );
        }
    };
    out.push((pose, surface));
    Ok(())
}
