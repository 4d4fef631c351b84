//! Walls, bodies and structures in a fluid, as markers.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_geometry::{HeightField, Pose, Shape};
use huygens_multibody::BodyId;
use huygens_particles::fluid::{Face, FlowSpace, FluidSide, MarkerLayout};
use huygens_particles::{ParticleError, Surface, WallMesh};

use crate::spec::{
    FluidSpec, FluidWallSpec, FluidWallType, MAX_FLUID, Shape as Solid, WallFace, WallSide, box_faces,
};
use crate::world::coordinates::Owner;
use crate::world::grains::mesh_of;
use crate::world::riders::Carrier;
use crate::world::{Result, World, WorldError};

/// Layers that fill any body.
const ALL_LAYERS: usize = 1000;

/// A wall, a body or a structure in a fluid.
pub(in crate::world) struct FluidSolid {
    pub name: String,
    /// Key of the description that it comes from.
    pub path: String,
    pub carrier: Carrier,
    /// The hidden body that carries it where functions of time move it and the fluid is made of constraints.
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
    /// Mean force [N] and torque [N·m] by the fluid over the last step.
    pub wrench: [DVec3; 2],
}

type Wrong = (String, String);

fn said<E: ToString>(key: &'static str) -> impl Fn(E) -> Wrong {
    move |e| (key.to_owned(), e.to_string())
}

fn owned((key, e): (&'static str, String)) -> Wrong {
    (key.to_owned(), e)
}

/// Markers of a wall in the axes of what carries it, what takes room, and the surfaces that are seen in its own.
struct WallMarkers {
    points: Vec<DVec3>,
    room: Vec<DVec3>,
    surfaces: Vec<(Pose, Surface)>,
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

/// Refuses boxes of more cells than there may be.
pub(super) fn check_cells(layout: &MarkerLayout, extent: DVec3) -> std::result::Result<(), String> {
    let cells = |k: usize| extent[k] / layout.spacing + 2.0 * layout.layers as f64;
    let count: f64 = (0..3).filter(|k| layout.space.normal() != Some(*k)).map(cells).product();
    match count <= MAX_FLUID as f64 {
        true => Ok(()),
        false => Err(format!(
            "it takes {count:.2e} cells of the spacing of {} m; {MAX_FLUID} are allowed",
            layout.spacing
        )),
    }
}

/// Refuses lines of more cells than there may be.
pub(super) fn check_lines(layout: &MarkerLayout, pieces: &[Shape]) -> std::result::Result<(), String> {
    let across = if layout.space.normal().is_some() { 1 } else { 2 };
    let cells = |shape: &Shape| {
        let extent = shape.aabb(&Pose::IDENTITY).extent() / layout.spacing;
        (1.0 + extent.z) * (1.0 + extent.x).powi(across)
    };
    let count: f64 = pieces.iter().map(cells).sum();
    match count <= MAX_FLUID as f64 {
        true => Ok(()),
        false => Err(format!(
            "its lines take {count:.2e} cells of the spacing of {} m; {MAX_FLUID} are allowed",
            layout.spacing
        )),
    }
}

/// Length of the sides of the box about points.
pub(super) fn extent_of(points: &[DVec3]) -> DVec3 {
    let (low, high) =
        points.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    high - low
}

/// The layout as axes see it that are turned so in those of the layout.
fn turned_layout(layout: &MarkerLayout, rotation: DQuat) -> std::result::Result<MarkerLayout, String> {
    let Some(normal) = layout.space.normal() else { return Ok(*layout) };
    let own = rotation.inverse() * DVec3::AXES[normal];
    match (0..3).find(|k| own[*k].abs() > 1.0 - 1e-9) {
        Some(normal) => Ok(MarkerLayout { space: FlowSpace::Plane { normal }, ..*layout }),
        None => Err("in a flow in a plane, one of its axes must be along the normal of the plane".into()),
    }
}

/// Markers that fill a shape with axes that are turned so, and those of its whole inside where they are more.
fn fill_shape(
    layout: &MarkerLayout,
    shape: &Shape,
    rotation: DQuat,
) -> std::result::Result<[Vec<DVec3>; 2], String> {
    if let Shape::Compound(parts) = shape {
        let mut all = [Vec::new(), Vec::new()];
        for (pose, part) in parts.iter() {
            let made = fill_shape(layout, part, rotation * pose.rotation)?;
            for (all, made) in all.iter_mut().zip(made) {
                let placed: Vec<DVec3> = made.into_iter().map(|p| pose.point(p)).collect();
                let apart = layout.without(placed, all);
                all.extend(apart);
            }
        }
        return Ok(all);
    }
    if !matches!(shape, Shape::HalfSpace | Shape::HeightField(_)) {
        check_cells(layout, shape.aabb(&Pose::IDENTITY).extent())?;
    }
    // A ball has no axes of its own.
    let (layout, back) = match (shape, layout.space.normal()) {
        (Shape::Sphere { .. }, Some(_)) => (*layout, rotation.inverse()),
        _ => (turned_layout(layout, rotation)?, DQuat::IDENTITY),
    };
    let made = |layers: usize| {
        let points = MarkerLayout { layers, ..layout }.solid_shape(shape).map_err(|e| e.to_string());
        points.map(|points| points.into_iter().map(|p| back * p).collect())
    };
    Ok([made(layout.layers)?, made(ALL_LAYERS)?])
}

/// Refuses boxes with more markers than there may be.
fn check_tank(layout: &MarkerLayout, extent: DVec3, hollow: bool) -> std::result::Result<(), String> {
    if !hollow || layout.space.normal().is_some() {
        return check_cells(layout, extent);
    }
    let cells = |more: f64| (0..3).map(|k| extent[k] / layout.spacing + more).product::<f64>();
    let count = cells(2.0 * layout.layers as f64) - cells(0.0);
    match count <= MAX_FLUID as f64 {
        true => Ok(()),
        false => Err(format!("it takes {count:.2e} markers; {MAX_FLUID} are allowed")),
    }
}

/// Triangles of a height field.
fn ground_mesh(field: &HeightField) -> std::result::Result<WallMesh, ParticleError> {
    let count = field.triangle_count() as u32;
    let points = (0..count).flat_map(|t| field.triangle_corners(t)).collect();
    WallMesh::new(points, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
}

/// Markers of a wall at a pose.
fn wall_markers(
    layout: &MarkerLayout,
    spec: &FluidWallSpec,
    pose: &Pose,
    shape: Option<&Shape>,
) -> std::result::Result<WallMarkers, Wrong> {
    let placed = |points: Vec<DVec3>| -> Vec<DVec3> { points.into_iter().map(|p| pose.point(p)).collect() };
    let only = |points, surfaces| WallMarkers { points, room: Vec::new(), surfaces };
    let inside = spec.fluid_side() == WallSide::Inside;
    let side = if inside { FluidSide::Inside } else { FluidSide::Outside };
    let z = pose.rotation * DVec3::Z;
    Ok(match spec.kind {
        FluidWallType::Box => {
            let [low, high] = spec.corners().map_err(owned)?;
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
            check_tank(layout, high - low, inside).map_err(said("high"))?;
            if inside {
                let open: Vec<Face> = spec.open.iter().map(face).collect();
                let own = turned_layout(layout, pose.rotation).map_err(said("rotation"))?;
                let points = own.box_walls(low, high, &open).map_err(said("high"))?;
                let faces = box_faces(half.to_array(), &spec.open);
                only(placed(points), faces.into_iter().map(|(p, s)| (at(middle) * p, s)).collect())
            } else {
                let [points, room] =
                    fill_shape(layout, &Shape::Box { half }, pose.rotation).map_err(said("high"))?;
                let shift = |points: Vec<DVec3>| placed(points.into_iter().map(|p| middle + p).collect());
                let surface = Surface::Box { half: half.to_array(), hollow: false };
                let surfaces = vec![(at(middle), surface)];
                WallMarkers { points: shift(points), room: shift(room), surfaces }
            }
        }
        FluidWallType::Plane => {
            let Some(size) = spec.size else {
                return Err(("size".into(), "a plane needs two lengths as `size`".into()));
            };
            check_cells(layout, DVec3::new(size[0], size[1], 0.0)).map_err(said("size"))?;
            let half = size.map(|edge| 0.5 * edge);
            let along = match layout.space.normal() {
                Some(normal) => DVec3::AXES[normal].cross(z),
                None => pose.rotation * DVec3::X,
            };
            let points = layout.plane_wall(pose.position, z, along, half).map_err(said("size"))?;
            only(points, vec![(Pose::IDENTITY, Surface::Rectangle { half })])
        }
        FluidWallType::Cylinder => {
            let radius = spec.length_of("radius", spec.radius).map_err(owned)?;
            let length = spec.length_of("length", spec.length).map_err(owned)?;
            check_cells(layout, DVec3::new(2.0 * radius, 2.0 * radius, length)).map_err(said("radius"))?;
            let (half, ends) = (0.5 * length, spec.closed_ends());
            let base = pose.point(DVec3::Z * -half);
            let points = layout.cylinder_wall(base, z, radius, length, side, ends).map_err(said("radius"))?;
            let mut surfaces =
                vec![(Pose::IDENTITY, Surface::Cylinder { radius, span: [-half, half], hollow: inside })];
            for (closed, z) in ends.into_iter().zip([-half, half]) {
                if closed {
                    surfaces.push((at(DVec3::Z * z), Surface::Disc { radius }));
                }
            }
            let room = match inside {
                true => Vec::new(),
                false => {
                    let whole = MarkerLayout { layers: ALL_LAYERS, ..*layout };
                    whole.cylinder_wall(base, z, radius, length, side, ends).map_err(said("radius"))?
                }
            };
            WallMarkers { points, room, surfaces }
        }
        FluidWallType::Sphere => {
            let radius = spec.length_of("radius", spec.radius).map_err(owned)?;
            let [points, room] =
                fill_shape(layout, &Shape::Sphere { radius }, pose.rotation).map_err(said("radius"))?;
            let surfaces = vec![(Pose::IDENTITY, Surface::Sphere { radius, hollow: false })];
            WallMarkers { points: placed(points), room: placed(room), surfaces }
        }
        FluidWallType::Mesh => {
            let shape = shape.ok_or_else(|| ("type".to_owned(), "a mesh is needed".to_owned()))?;
            let mesh = mesh_of(shape, pose).map_err(|e| ("type".to_owned(), e))?;
            check_cells(layout, extent_of(mesh.points())).map_err(said("type"))?;
            let points = layout.mesh_wall(&mesh, side).map_err(said("type"))?;
            let seen = mesh_of(shape, &Pose::IDENTITY).map_err(|e| ("type".to_owned(), e))?;
            let surfaces = vec![(Pose::IDENTITY, Surface::Mesh(Arc::new(seen)))];
            let room = match shape {
                Shape::Mesh(mesh) if !inside && mesh.is_closed() => {
                    placed(fill_shape(layout, shape, pose.rotation).map_err(said("type"))?[1].clone())
                }
                _ => Vec::new(),
            };
            WallMarkers { points, room, surfaces }
        }
        FluidWallType::HeightField => {
            let Some(Shape::HeightField(field)) = shape else {
                return Err(("type".into(), "a height field is needed".into()));
            };
            check_cells(layout, field.local_aabb().extent()).map_err(said("size"))?;
            let points = layout.heightmap_wall(field, pose).map_err(said("heights"))?;
            let seen = ground_mesh(field).map_err(said("heights"))?;
            only(points, vec![(Pose::IDENTITY, Surface::Mesh(Arc::new(seen)))])
        }
        FluidWallType::Points => {
            let points = spec.points.clone().unwrap_or_default();
            let points: Vec<DVec3> = points.into_iter().map(DVec3::from_array).collect();
            if points.is_empty() || points.iter().any(|p| !p.is_finite()) {
                return Err(("points".into(), "a wall of markers needs finite `points`".into()));
            }
            only(placed(points), Vec::new())
        }
    })
}

/// Refuses markers that no other is near to.
fn check_company(
    wall: &str,
    points: &[DVec3],
    reach: f64,
    spacing: f64,
) -> std::result::Result<(), ParticleError> {
    let cell = |p: DVec3| (p / reach).floor().to_array().map(|x| x as i64);
    let mut cells: Vec<([i64; 3], u32)> =
        points.iter().enumerate().map(|(k, p)| (cell(*p), k as u32)).collect();
    cells.sort_unstable();
    for (number, point) in points.iter().enumerate() {
        let [x, y, z] = cell(*point);
        let columns = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| [x + dx, y + dy]));
        let near = columns.into_iter().any(|[x, y]| {
            let first = cells.partition_point(|c| c.0 < [x, y, z - 1]);
            cells[first..].iter().take_while(|c| c.0 <= [x, y, z + 1]).any(|(_, k)| {
                *k as usize != number && points[*k as usize].distance_squared(*point) <= reach * reach
            })
        });
        if !near {
            let (wall, at) = (wall.to_owned(), point.to_array());
            return Err(ParticleError::FluidAlone { wall, number, at, reach, spacing });
        }
    }
    Ok(())
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
                turned_layout(&layout, self.carrier_rotation(&carrier)).map_err(|e| wrong(("body", e)))?;
            let made = wall_markers(&layout, wall, &pose, shape.as_ref());
            let WallMarkers { mut points, mut room, surfaces } = made.map_err(|(key, e)| wrong((&key, e)))?;
            if wall.kind == FluidWallType::Points {
                check_company(&wall.name, &points, settings.reach(), spec.spacing)
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
                wrench: [DVec3::ZERO; 2],
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
                "it has no shape that could meet the fluid; give it `shapes` or a `shape`".into(),
            ));
        }
        let mut solid = bare(name, path, Carrier::Body(body));
        let mut points = Vec::new();
        let turned = self.carrier_rotation(&solid.carrier);
        for (pose, shape) in &shapes {
            let [own, room] = fill_shape(layout, shape, turned * pose.rotation).map_err(&wrong)?;
            let placed = |points: Vec<DVec3>| points.into_iter().map(|p| pose.point(p)).collect::<Vec<_>>();
            points.extend(layout.without(placed(own), &points));
            solid.room.extend(placed(room));
        }
        solid.parts = vec![points];
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
        wrench: [DVec3::ZERO; 2],
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

impl FluidSolid {
    /// Gives each piece of a structure its markers: `pieces` are their poses and shapes.
    pub fn mark_lines(
        &mut self,
        layout: &MarkerLayout,
        pieces: &[(Pose, Shape)],
    ) -> std::result::Result<(), ParticleError> {
        self.parts = vec![Vec::new(); pieces.len()];
        let size = |shape: &Shape| match shape {
            Shape::Capsule { radius, half_length } => (*radius, *half_length),
            Shape::Sphere { radius } => (*radius, 0.0),
            _ => (0.0, 0.0),
        };
        let ends = |(pose, shape): &(Pose, Shape)| {
            let half = size(shape).1;
            [-half, half].map(|z| pose.point(DVec3::Z * z))
        };
        let mut first = 0;
        while first < pieces.len() {
            let (radius, half) = size(&pieces[first].1);
            if half == 0.0 {
                // A ball of a row of balls.
                self.parts[first] = match radius <= 0.75 * layout.spacing {
                    true => vec![DVec3::ZERO],
                    false => layout.solid_shape(&pieces[first].1)?,
                };
                first += 1;
                continue;
            }
            // Pieces that follow one another are one line, along which markers are evenly spaced.
            let mut points = ends(&pieces[first]).to_vec();
            let mut last = first + 1;
            while let Some(next) = pieces.get(last) {
                let [from, to] = ends(next);
                let joined = points.last().is_some_and(|p| p.distance(from) < 0.25 * half);
                if !joined || size(&next.1).0 != radius {
                    break;
                }
                points.push(to);
                last += 1;
            }
            for marker in layout.line_markers(&points, radius)? {
                let piece = first + marker.segment;
                self.parts[piece].push(pieces[piece].0.local_point(marker.position));
            }
            first = last;
        }
        Ok(())
    }
}
