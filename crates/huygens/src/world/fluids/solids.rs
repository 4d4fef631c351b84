//! Walls, bodies and structures in a fluid, as markers.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_geometry::{Pose, Shape};
use huygens_multibody::BodyId;
use huygens_particles::sph::{Face, FluidSide, MarkerLayout, SolidMarkers, WallForm};
use huygens_particles::{ParticleError, Surface, WallMesh};

use crate::spec::{FluidSpec, FluidWallSpec, FluidWallType, Shape as Solid, WallFace, WallSide, box_faces};
use crate::world::coordinates::Owner;
use crate::world::coupling::Carrier;
use crate::world::{Result, World, WorldError};

/// A wall, a body or a structure in a fluid.
pub(in crate::world) struct FluidSolid {
    pub name: String,
    /// Key of the description that it comes from.
    pub path: String,
    pub carrier: Carrier,
    /// The hidden body that carries it where functions of time move it and the fluid is a constraint fluid.
    pub body: Option<BodyId>,
    /// Its pose in the world at the start, or in the frame of its body.
    pub pose: Pose,
    /// Markers of each part, in axes of its own: those of a wall at its pose, those of a body, or those of each piece of
    /// a structure.
    pub parts: Vec<Vec<DVec3>>,
    /// Points that take room from fills, in the same axes; none where its markers do.
    pub room: Vec<DVec3>,
    pub slip: bool,
    pub visible: bool,
    /// The surfaces that are seen, in the axes of the wall.
    pub surfaces: Vec<(Pose, Surface)>,
    /// Where its parts were when the fluid was made; a flow in a plane keeps them in it.
    pub starts: Vec<Pose>,
    /// Number of its first part among the solids of the system.
    pub first: usize,
}

type Wrong = (String, String);

fn owned((key, e): (&'static str, String)) -> Wrong {
    (key.to_owned(), e)
}

fn at(position: DVec3) -> Pose {
    Pose { position, rotation: DQuat::IDENTITY }
}

fn face(face: &WallFace) -> Face {
    match face {
        WallFace::LowerX => Face::LowX,
        WallFace::UpperX => Face::HighX,
        WallFace::LowerY => Face::LowY,
        WallFace::UpperY => Face::HighY,
        WallFace::LowerZ => Face::LowZ,
        WallFace::UpperZ => Face::HighZ,
    }
}

/// The form of a wall, as markers are laid for it; none for points, which are markers themselves.
fn form<'a>(
    spec: &FluidWallSpec,
    shape: Option<&'a Shape>,
    open: &'a [Face],
) -> std::result::Result<Option<WallForm<'a>>, Wrong> {
    let side = match spec.fluid_side() {
        WallSide::Inside => FluidSide::Inside,
        _ => FluidSide::Outside,
    };
    Ok(Some(match (spec.kind, shape) {
        (FluidWallType::Box, _) => {
            let [low, high] = spec.corners().map_err(owned)?;
            WallForm::Box { low, high, open, side }
        }
        (FluidWallType::Plane, _) => match spec.size {
            Some(size) => WallForm::Plane { size },
            None => return Err(("size".into(), "a plane needs two lengths as `size`".into())),
        },
        (FluidWallType::Cylinder, _) => WallForm::Cylinder {
            radius: spec.length_of("radius", spec.radius).map_err(owned)?,
            length: spec.length_of("length", spec.length).map_err(owned)?,
            side,
            closed: spec.closed_ends(),
        },
        (FluidWallType::Sphere, _) => {
            WallForm::Sphere { radius: spec.length_of("radius", spec.radius).map_err(owned)? }
        }
        (FluidWallType::Mesh, Some(Shape::Mesh(mesh))) => WallForm::Mesh { mesh, side },
        (FluidWallType::Mesh, Some(_)) => {
            return Err(("type".into(), "a mesh of triangles is needed".into()));
        }
        (FluidWallType::Mesh, None) => return Err(("type".into(), "a mesh is needed".into())),
        (FluidWallType::HeightField, Some(Shape::HeightField(field))) => WallForm::HeightField(field),
        (FluidWallType::HeightField, _) => {
            return Err(("type".into(), "a height field is needed".into()));
        }
        (FluidWallType::Points, _) => return Ok(None),
    }))
}

/// The key that is to blame where the markers of a wall are refused.
fn blamed(spec: &FluidWallSpec, problem: &ParticleError) -> &'static str {
    match (spec.kind, problem) {
        (FluidWallType::Box, ParticleError::FluidAxes) if spec.fluid_side() == WallSide::Inside => "rotation",
        (FluidWallType::Box, _) => "high",
        (FluidWallType::Plane, _) => "size",
        (FluidWallType::Cylinder | FluidWallType::Sphere, _) => "radius",
        (FluidWallType::Mesh, _) => "type",
        (FluidWallType::HeightField, ParticleError::FluidCells { .. }) => "size",
        (FluidWallType::HeightField, _) => "heights",
        (FluidWallType::Points, _) => "points",
    }
}

/// The surfaces of a wall that are seen, in its axes.
fn seen(
    spec: &FluidWallSpec,
    form: &WallForm<'_>,
) -> std::result::Result<Vec<(Pose, Surface)>, ParticleError> {
    let mesh = |mesh: WallMesh| vec![(Pose::IDENTITY, Surface::Mesh(Arc::new(mesh)))];
    Ok(match *form {
        WallForm::Box { low, high, side, .. } => {
            let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).to_array());
            match side {
                FluidSide::Inside => {
                    let faces = box_faces(half, &spec.open).into_iter();
                    faces.map(|(pose, surface)| (at(middle) * pose, surface)).collect()
                }
                FluidSide::Outside => vec![(at(middle), Surface::Box { half, hollow: false })],
            }
        }
        WallForm::Plane { size } => {
            vec![(Pose::IDENTITY, Surface::Rectangle { half: size.map(|edge| 0.5 * edge) })]
        }
        WallForm::Cylinder { radius, length, side, closed } => {
            let (half, hollow) = (0.5 * length, side == FluidSide::Inside);
            let mut surfaces =
                vec![(Pose::IDENTITY, Surface::Cylinder { radius, span: [-half, half], hollow })];
            for (closed, z) in closed.into_iter().zip([-half, half]) {
                if closed {
                    surfaces.push((at(DVec3::Z * z), Surface::Disc { radius }));
                }
            }
            surfaces
        }
        WallForm::Sphere { radius } => vec![(Pose::IDENTITY, Surface::Sphere { radius, hollow: false })],
        WallForm::Mesh { mesh: triangles, .. } => mesh(WallMesh::of(triangles, &Pose::IDENTITY)?),
        WallForm::HeightField(field) => mesh(WallMesh::of_ground(field)?),
    })
}

/// Markers of a wall at a pose, in the axes of what carries it, and the surfaces that are seen in its own.
fn wall_markers(
    layout: &MarkerLayout,
    spec: &FluidWallSpec,
    pose: &Pose,
    shape: Option<&Shape>,
) -> std::result::Result<(SolidMarkers, Vec<(Pose, Surface)>), Wrong> {
    let open: Vec<Face> = spec.open.iter().map(face).collect();
    let refused = |e: ParticleError| (blamed(spec, &e).to_owned(), e.to_string());
    match form(spec, shape, &open)? {
        Some(form) => {
            let made = layout.wall_markers(&form, pose).map_err(refused)?;
            Ok((made, seen(spec, &form).map_err(refused)?))
        }
        None => {
            let points: Vec<DVec3> = spec.points.iter().flatten().map(|p| DVec3::from_array(*p)).collect();
            if points.is_empty() || points.iter().any(|p| !p.is_finite()) {
                return Err(("points".into(), "a wall of markers needs finite `points`".into()));
            }
            let points = points.into_iter().map(|p| pose.point(p)).collect();
            Ok((SolidMarkers { points, room: Vec::new() }, Vec::new()))
        }
    }
}

impl World {
    /// Makes the walls, bodies and structures of a fluid.
    pub(super) fn fluid_solids(&mut self, owner: Owner<'_>, spec: &FluidSpec) -> Result<Vec<FluidSolid>> {
        let settings = spec.settings(DVec3::ZERO, 1.0);
        let layout = MarkerLayout::new(&settings);
        let mut solids = Vec::new();
        for (k, wall) in spec.walls.iter().enumerate() {
            let path = |key: &str| format!("walls.{k}.{key}");
            let wrong =
                |(key, e): (&str, String)| owner.error(&path(key), format!("wall '{}': {e}", wall.name));
            wall.check().map_err(wrong)?;
            let pose = wall.pose().map_err(wrong)?;
            let moved = (wall.body.as_ref(), wall.motion.as_ref());
            let (carrier, pose) = self.carrier_of(owner, &path, moved, pose, &wrong)?;
            let shape = match wall.kind {
                FluidWallType::Mesh | FluidWallType::HeightField => {
                    let made = crate::world::shapes::geometry(&wall.shape(), &mut self.geometry);
                    Some(made.map_err(|(key, e)| wrong((&key, e)))?.shape)
                }
                _ => None,
            };
            let layout = MarkerLayout { layers: wall.layers.unwrap_or(layout.layers), ..layout };
            let layout =
                layout.turned(self.carrier_rotation(&carrier)).map_err(|e| wrong(("body", e.to_string())))?;
            let made = wall_markers(&layout, wall, &pose, shape.as_ref());
            let (SolidMarkers { mut points, mut room }, surfaces) =
                made.map_err(|(key, e)| wrong((&key, e)))?;
            if wall.kind == FluidWallType::Points {
                layout
                    .check_company(&wall.name, &points, settings.reach())
                    .map_err(|e| wrong(("points", e.to_string())))?;
            }
            if carrier.body().is_none() {
                points.iter_mut().chain(&mut room).for_each(|p| *p = pose.local_point(*p));
            }
            solids.push(FluidSolid {
                name: wall.name.clone(),
                path: format!("walls.{k}"),
                carrier,
                body: None,
                pose,
                parts: vec![points],
                room,
                slip: wall.slip,
                visible: wall.is_visible(),
                surfaces,
                starts: Vec::new(),
                first: 0,
            });
        }
        for (k, name) in spec.bodies.iter().enumerate() {
            solids.push(self.fluid_body(owner, &layout, &format!("bodies.{k}"), name)?);
        }
        for (k, name) in spec.structures.iter().enumerate() {
            let path = format!("structures.{k}");
            let wrong = |e: String| owner.error(&path, e);
            let (index, shapes) = self.line_pieces(owner, &path, name, &wrong)?;
            // Where pieces are is known when the model is built.
            let parts = vec![Vec::new(); shapes.len()];
            solids.push(FluidSolid { parts, ..bare(name, &path, Carrier::Structure(index)) });
        }
        Ok(solids)
    }

    /// A body with markers that fill its shapes.
    fn fluid_body(
        &self,
        owner: Owner<'_>,
        layout: &MarkerLayout,
        path: &str,
        name: &str,
    ) -> Result<FluidSolid> {
        let body = self.body(name).map_err(|e| WorldError::Input {
            section: owner.section,
            name: owner.name.into(),
            field: Some(path.into()),
            problem: format!("there is no body '{name}'"),
            suggestion: match e {
                WorldError::Unknown { suggestion, .. } => suggestion,
                _ => None,
            },
        })?;
        let wrong = |e: String| owner.error(path, format!("body '{name}': {e}"));
        let shapes = self.body_shapes(body);
        if shapes.is_empty() {
            return Err(wrong(
                "it has no shape to interact with the fluid; give it `shapes` or a `shape`".into(),
            ));
        }
        let mut solid = bare(name, path, Carrier::Body(body));
        let made = layout.body_markers(&shapes, self.carrier_rotation(&solid.carrier));
        let SolidMarkers { points, room } = made.map_err(|e| wrong(e.to_string()))?;
        (solid.parts, solid.room) = (vec![points], room);
        Ok(solid)
    }

    /// How the axes of what carries a wall are turned at the start.
    fn carrier_rotation(&self, carrier: &Carrier) -> DQuat {
        let body = carrier.body().and_then(|id| self.assembly.body(id));
        body.map_or(DQuat::IDENTITY, |b| b.rotation)
    }

    /// The shapes that a body collides with, or else the solid that gives its mass, in its frame.
    fn body_shapes(&self, body: BodyId) -> Vec<(Pose, Shape)> {
        let all = self.assembly.collision.shapes();
        let own: Vec<(Pose, Shape)> =
            all.iter().filter(|s| s.body == body).map(|s| (s.pose, s.shape.clone())).collect();
        let solid = self.bodies.iter().find(|(id, _)| *id == body).and_then(|(_, spec)| spec.shape);
        match (own.is_empty(), solid) {
            (true, Some(solid)) => {
                let center = self.assembly.body(body).map_or(DVec3::ZERO, |b| b.center_of_mass);
                vec![simple_shape(&solid, center)]
            }
            _ => own,
        }
    }
}

fn bare(name: &str, path: &str, carrier: Carrier) -> FluidSolid {
    FluidSolid {
        name: name.to_owned(),
        path: path.to_owned(),
        carrier,
        body: None,
        pose: Pose::IDENTITY,
        parts: Vec::new(),
        room: Vec::new(),
        slip: false,
        visible: false,
        surfaces: Vec::new(),
        starts: Vec::new(),
        first: 0,
    }
}

/// A simple solid about the centre of mass, and its pose in the frame of the body.
fn simple_shape(solid: &Solid, center: DVec3) -> (Pose, Shape) {
    let along = |axis: [f64; 3]| Pose {
        position: center,
        rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::from_array(axis).normalize_or(DVec3::Z)),
    };
    match *solid {
        Solid::Sphere { radius } => (at(center), Shape::Sphere { radius }),
        Solid::Box { size } => (at(center), Shape::Box { half: 0.5 * DVec3::from_array(size) }),
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
