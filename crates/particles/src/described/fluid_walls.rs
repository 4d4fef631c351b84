//! Walls of fluids and bodies in them, from what scenes say of them.

use std::sync::Arc;

use huygens_geometry::{Pose, Shape};
use huygens_kernel::{Quat, Vec3};
use huygens_spec::{FluidWallType, Solid, WallSide};

use super::Wrong;
use super::walls::{Part, box_faces};
use crate::shapes::{length, shaped_wall};
use crate::sph::{MarkerLayout, SolidMarkers, WallForm};
use crate::{ParticleError, Surface, WallMesh};

fn at(position: Vec3) -> Pose {
    Pose { position, rotation: Quat::IDENTITY }
}

/// The form of a wall, as markers are laid for it; none for points, which are markers themselves.
fn form<'a>(kind: &'a FluidWallType, shape: Option<&'a Shape>) -> Result<Option<WallForm<'a>>, Wrong> {
    Ok(Some(match (kind, shape) {
        (FluidWallType::Box { low, high, side, open }, _) => {
            let (low, high) = (Vec3::from_array(*low), Vec3::from_array(*high));
            if !(low.is_finite() && high.is_finite() && low.cmple(high).all()) {
                let problem = format!("high = {high} is not allowed; a corner above low = {low} is needed");
                return Err(("high", problem));
            }
            if !open.is_empty() && *side == WallSide::Outside {
                return Err(("open", "a block in the fluid has no open faces".into()));
            }
            WallForm::Box { low, high, open, side: *side }
        }
        (FluidWallType::Plane { size }, _) => WallForm::Plane { size: *size },
        (FluidWallType::Cylinder { radius, length: along, side, ends }, _) => WallForm::Cylinder {
            radius: length("radius", *radius)?,
            length: length("length", *along)?,
            side: *side,
            closed: ends.closed(),
        },
        (FluidWallType::Sphere { radius }, _) => WallForm::Sphere { radius: length("radius", *radius)? },
        (FluidWallType::Mesh { side, .. }, Some(Shape::Mesh(mesh))) => WallForm::Mesh { mesh, side: *side },
        (FluidWallType::Mesh { .. }, _) => {
            return Err(("type", "a mesh of triangles is needed".into()));
        }
        (FluidWallType::HeightField(_), Some(Shape::HeightField(field))) => WallForm::HeightField(field),
        (FluidWallType::HeightField(_), _) => {
            return Err(("type", "a height field is needed".into()));
        }
        (FluidWallType::Points { .. } | FluidWallType::Shape(_), _) => return Ok(None),
    }))
}

/// The key that is to blame where the markers of a wall are refused.
fn blamed(kind: &FluidWallType, problem: &ParticleError) -> &'static str {
    match (kind, problem) {
        (FluidWallType::Box { side: WallSide::Inside, .. }, ParticleError::FluidAxes) => "rotation",
        (FluidWallType::Box { .. }, _) => "high",
        (FluidWallType::Plane { .. }, _) => "size",
        (FluidWallType::Cylinder { .. } | FluidWallType::Sphere { .. }, _) => "radius",
        (FluidWallType::Mesh { .. } | FluidWallType::Shape(_), _) => "type",
        (FluidWallType::HeightField(_), ParticleError::FluidCells { .. }) => "size",
        (FluidWallType::HeightField(_), _) => "heights",
        (FluidWallType::Points { .. }, _) => "points",
    }
}

/// The surfaces of a wall that are seen, in its axes.
fn seen(form: &WallForm<'_>) -> Result<Vec<Part>, ParticleError> {
    let mesh = |mesh: WallMesh| vec![(Pose::IDENTITY, Surface::Mesh(Arc::new(mesh)))];
    Ok(match *form {
        WallForm::Box { low, high, side, open } => {
            let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).to_array());
            match side {
                WallSide::Inside => {
                    let faces = box_faces(half, open).into_iter();
                    faces.map(|(pose, surface)| (at(middle) * pose, surface)).collect()
                }
                WallSide::Outside => vec![(at(middle), Surface::Box { half, hollow: false })],
            }
        }
        WallForm::Plane { size } => {
            vec![(Pose::IDENTITY, Surface::Rectangle { half: size.map(|edge| 0.5 * edge) })]
        }
        WallForm::Cylinder { radius, length, side, closed } => {
            let (half, hollow) = (0.5 * length, side == WallSide::Inside);
            let mut surfaces =
                vec![(Pose::IDENTITY, Surface::Cylinder { radius, span: [-half, half], hollow })];
            for (closed, z) in closed.into_iter().zip([-half, half]) {
                if closed {
                    surfaces.push((at(Vec3::Z * z), Surface::Disc { radius }));
                }
            }
            surfaces
        }
        WallForm::Sphere { radius } => vec![(Pose::IDENTITY, Surface::Sphere { radius, hollow: false })],
        WallForm::Mesh { mesh: triangles, .. } => mesh(WallMesh::of(triangles, &Pose::IDENTITY)?),
        WallForm::HeightField(field) => mesh(WallMesh::of_ground(field)?),
    })
}

/// Markers of a wall at a pose, in the axes of what carries it, and the surfaces that are seen in its own; `shape` is the
/// mesh or the ground that the wall names. Markers that are given one by one need company within the support radius of
/// the kernel `reach` [m].
pub fn fluid_wall(
    layout: &MarkerLayout,
    (name, kind): (&str, &FluidWallType),
    pose: &Pose,
    shape: Option<&Shape>,
    reach: f64,
) -> Result<(SolidMarkers, Vec<Part>), Wrong> {
    let refused = |e: ParticleError| (blamed(kind, &e), e.to_string());
    if let Some(form) = form(kind, shape)? {
        let made = layout.wall_markers(&form, pose).map_err(refused)?;
        return Ok((made, seen(&form).map_err(refused)?));
    }
    if let FluidWallType::Shape(shape) = kind {
        let wall = shaped_wall(shape)?;
        let (mesh, side) = wall.mesh()?;
        let form = WallForm::Mesh { mesh: &Arc::new(mesh), side };
        return Ok((layout.wall_markers(&form, pose).map_err(refused)?, wall.surfaces));
    }
    let points: Vec<Vec3> = match kind {
        FluidWallType::Points { points } => points.iter().map(|p| pose.point(Vec3::from_array(*p))).collect(),
        _ => Vec::new(),
    };
    if points.is_empty() || points.iter().any(|p| !p.is_finite()) {
        return Err(("points", "a wall of markers needs finite `points`".into()));
    }
    layout.check_company(name, &points, reach).map_err(refused)?;
    Ok((SolidMarkers { points, shapes: Vec::new() }, Vec::new()))
}

/// A simple solid about the centre of mass, and its pose in the frame of the body.
pub fn solid_shape(solid: &Solid, center: Vec3) -> (Pose, Shape) {
    let along = |axis: [f64; 3]| Pose {
        position: center,
        rotation: Quat::from_rotation_arc(Vec3::Z, Vec3::from_array(axis).normalize_or(Vec3::Z)),
    };
    match *solid {
        Solid::Sphere { radius } => (at(center), Shape::Sphere { radius }),
        Solid::Box { size } => (at(center), Shape::Box { half: 0.5 * Vec3::from_array(size) }),
        Solid::Cylinder { radius, length, axis } => {
            (along(axis), Shape::Cylinder { radius, half_length: 0.5 * length })
        }
        Solid::Capsule { radius, length, axis } => {
            (along(axis), Shape::Capsule { radius, half_length: 0.5 * length })
        }
        Solid::Rod { length, radius, axis } => {
            let radius = radius.unwrap_or(length / 50.0);
            (along(axis), Shape::Cylinder { radius, half_length: 0.5 * length })
        }
    }
}
