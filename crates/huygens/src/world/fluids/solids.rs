//! Walls, bodies and structures in a fluid, as markers.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_geometry::{Pose, Shape};
use huygens_multibody::BodyId;
use huygens_particles::described::box_faces;
use huygens_particles::shapes::shaped_wall;
use huygens_particles::sph::FluidSettings;
use huygens_particles::sph::{Face, FluidSide, MarkerLayout, SolidMarkers, WallForm};
use huygens_particles::{ParticleError, Surface, WallMesh};

use crate::spec::{FluidSpec, FluidWallType, Solid, WallFace, WallSide};
use crate::world::coordinates::Owner;
use crate::world::coupling::Carrier;
use crate::world::shapes::frame_pose;
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

fn fluid_side(side: WallSide) -> FluidSide {
    match side {
        WallSide::Inside => FluidSide::Inside,
        WallSide::Outside => FluidSide::Outside,
    }
}

/// The form of a wall, as markers are laid for it; none for points, which are markers themselves.
fn form<'a>(
    kind: &FluidWallType,
    shape: Option<&'a Shape>,
    open: &'a [Face],
) -> std::result::Result<Option<WallForm<'a>>, Wrong> {
    let length = |key: &str, value: f64| match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => {
            Err((key.into(), format!("{key} = {value} is not allowed; a positive finite number is needed")))
        }
    };
    Ok(Some(match (kind, shape) {
        (FluidWallType::Box { low, high, side, .. }, _) => {
            let (low, high) = (DVec3::from_array(*low), DVec3::from_array(*high));
            if !(low.is_finite() && high.is_finite() && low.cmple(high).all()) {
                let problem = format!("high = {high} is not allowed; a corner above low = {low} is needed");
                return Err(("high".into(), problem));
            }
            if !open.is_empty() && *side == WallSide::Outside {
                return Err(("open".into(), "a block in the fluid has no open faces".into()));
            }
            WallForm::Box { low, high, open, side: fluid_side(*side) }
        }
        (FluidWallType::Plane { size }, _) => WallForm::Plane { size: *size },
        (FluidWallType::Cylinder { radius, length: along, side, ends }, _) => WallForm::Cylinder {
            radius: length("radius", *radius)?,
            length: length("length", *along)?,
            side: fluid_side(*side),
            closed: ends.closed(),
        },
        (FluidWallType::Sphere { radius }, _) => WallForm::Sphere { radius: length("radius", *radius)? },
        (FluidWallType::Mesh { side, .. }, Some(Shape::Mesh(mesh))) => {
            WallForm::Mesh { mesh, side: fluid_side(*side) }
        }
        (FluidWallType::Mesh { .. }, _) => {
            return Err(("type".into(), "a mesh of triangles is needed".into()));
        }
        (FluidWallType::HeightField(_), Some(Shape::HeightField(field))) => WallForm::HeightField(field),
        (FluidWallType::HeightField(_), _) => {
            return Err(("type".into(), "a height field is needed".into()));
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
fn seen(open: &[WallFace], form: &WallForm<'_>) -> std::result::Result<Vec<(Pose, Surface)>, ParticleError> {
    let mesh = |mesh: WallMesh| vec![(Pose::IDENTITY, Surface::Mesh(Arc::new(mesh)))];
    Ok(match *form {
        WallForm::Box { low, high, side, .. } => {
            let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).to_array());
            match side {
                FluidSide::Inside => {
                    let faces = box_faces(half, open).into_iter();
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
    kind: &FluidWallType,
    pose: &Pose,
    shape: Option<&Shape>,
) -> std::result::Result<(SolidMarkers, Vec<(Pose, Surface)>), Wrong> {
    let missing: &[WallFace] = match kind {
        FluidWallType::Box { open, .. } => open,
        _ => &[],
    };
    let open: Vec<Face> = missing.iter().map(face).collect();
    let refused = |e: ParticleError| (blamed(kind, &e).to_owned(), e.to_string());
    if let Some(form) = form(kind, shape, &open)? {
        let made = layout.wall_markers(&form, pose).map_err(refused)?;
        return Ok((made, seen(missing, &form).map_err(refused)?));
    }
    if let FluidWallType::Shape(shape) = kind {
        let wrong = |(key, problem): (&str, String)| (key.to_owned(), problem);
        let wall = shaped_wall(shape).map_err(wrong)?;
        let (mesh, side) = wall.mesh().map_err(wrong)?;
        let form = WallForm::Mesh { mesh: &Arc::new(mesh), side };
        return Ok((layout.wall_markers(&form, pose).map_err(refused)?, wall.surfaces));
    }
    let points: Vec<DVec3> = match kind {
        FluidWallType::Points { points } => {
            points.iter().map(|p| pose.point(DVec3::from_array(*p))).collect()
        }
        _ => Vec::new(),
    };
    if points.is_empty() || points.iter().any(|p| !p.is_finite()) {
        return Err(("points".into(), "a wall of markers needs finite `points`".into()));
    }
    Ok((SolidMarkers { points, room: Vec::new() }, Vec::new()))
}

impl World {
    /// Makes the walls, bodies and structures of a fluid.
    pub(super) fn fluid_solids(&mut self, owner: Owner<'_>, spec: &FluidSpec) -> Result<Vec<FluidSolid>> {
        let settings = FluidSettings::described(spec, DVec3::ZERO, 1.0);
        let layout = MarkerLayout::new(&settings);
        let mut solids = Vec::new();
        for (k, wall) in spec.walls.iter().enumerate() {
            let path = |key: &str| format!("walls.{k}.{key}");
            let wrong =
                |(key, e): (&str, String)| owner.error(&path(key), format!("wall '{}': {e}", wall.name));
            let layers = wall.layers().map_err(wrong)?;
            let pose = frame_pose(&wall.mount.frame).map_err(wrong)?;
            let moved = (wall.mount.body.as_ref(), wall.mount.motion.as_ref());
            let (carrier, pose) = self.carrier_of(owner, &path, moved, pose, &wrong)?;
            let refused = |(key, e): (String, String)| wrong((&key, e));
            let shape = match &wall.kind {
                FluidWallType::Mesh { source, .. } => {
                    let made = crate::world::shapes::mesh(source, None, &mut self.objects.geometry);
                    Some(made.map_err(refused)?.shape)
                }
                FluidWallType::HeightField(source) => {
                    Some(crate::world::shapes::ground(source).map_err(refused)?)
                }
                _ => None,
            };
            let layout = MarkerLayout { layers: layers.unwrap_or(layout.layers), ..layout };
            let layout =
                layout.turned(self.carrier_rotation(&carrier)).map_err(|e| wrong(("body", e.to_string())))?;
            let made = wall_markers(&layout, &wall.kind, &pose, shape.as_ref());
            let (SolidMarkers { mut points, mut room }, surfaces) = made.map_err(refused)?;
            if matches!(wall.kind, FluidWallType::Points { .. }) {
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
        let body = carrier.body().and_then(|id| self.objects.assembly.body(id));
        body.map_or(DQuat::IDENTITY, |b| b.rotation)
    }

    /// The shapes that a body collides with, or else the solid that gives its mass, in its frame.
    fn body_shapes(&self, body: BodyId) -> Vec<(Pose, Shape)> {
        let all = self.objects.assembly.collision.shapes();
        let own: Vec<(Pose, Shape)> =
            all.iter().filter(|s| s.body == body).map(|s| (s.pose, s.shape.clone())).collect();
        let solid = self.objects.bodies.iter().find(|(id, _)| *id == body).and_then(|(_, spec)| spec.shape);
        match (own.is_empty(), solid) {
            (true, Some(solid)) => {
                let center = self.objects.assembly.body(body).map_or(DVec3::ZERO, |b| b.center_of_mass);
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
