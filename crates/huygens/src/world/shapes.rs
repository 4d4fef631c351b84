//! Shapes of bodies: from their descriptions and files to geometry, groups and mass.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{DMat3, DVec2, DVec3};
use huygens_core::Subject;
use huygens_core::signal::closest_name;
use huygens_geometry::decomposition::{DecompositionSettings, decompose, decompose_cached};
use huygens_geometry::height_file;
use huygens_geometry::mesh_file::{self, MeshData, MeshFault, MeshLimits, Place};
use huygens_geometry::{MassProperties, Pose, Shape, TriangleMesh};
use huygens_multibody::MaterialId;
use huygens_multibody::MultibodyError;

use super::{Result, World, WorldError};
use crate::spec::{
    BodySpec, BodyType, DEFAULT_MATERIAL, DecomposeSpec, FileSource, GroundSource, GroupSpec, HullSource,
    MaterialSpec, MeshSource, Section, ShapeSpec, ShapeType,
};
use crate::spec::{FrameSpec, Inertia};

/// Key of the wrong value, below the shape, and what is wrong with it.
pub(super) type Wrong = (String, String);

/// Geometry of one description; bodies with equal files or equal lists share it.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    /// What collides.
    pub shape: Shape,
    /// What has mass, where that is not the same: the mesh that was cut into hulls.
    solid: Option<Shape>,
}

impl Geometry {
    fn solid(&self) -> &Shape {
        self.solid.as_ref().unwrap_or(&self.shape)
    }
}

/// What is made, of what, and in which unit.
pub(super) type GeometryKey = (Source, u64, ShapeKey);

/// Geometry of hulls and meshes, by source, scale and what is made of it.
pub(super) type GeometryCache = BTreeMap<GeometryKey, Geometry>;

/// Where the points of a hull or mesh are from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    File(PathBuf),
    /// Hash of points and triangles.
    Lists([u8; 32]),
}

/// What is made of a source: whether it is its hull, and the settings of a decomposition.
type ShapeKey = (bool, [u64; 4]);

/// A shape ready to be put on a body.
#[derive(Clone, Debug)]
pub(super) struct ReadyShape {
    pub geometry: Geometry,
    pub pose: Pose,
    pub material: MaterialId,
    pub group: u32,
    pub mask: u32,
    pub collide: bool,
    density: Option<f64>,
}

/// Bits of groups: numbers are their own bits, names take the highest free ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    names: Vec<String>,
    numbers: u32,
}

impl Groups {
    /// Groups there can be.
    const MOST: usize = 32;

    fn bit(&mut self, group: &GroupSpec) -> std::result::Result<u32, String> {
        let full = || format!("there are more than {} groups", Self::MOST);
        let named = |names: &[String]| u32::MAX.checked_shl(32 - names.len() as u32).unwrap_or(0);
        match group {
            GroupSpec::Number(n) if *n as usize >= Self::MOST => {
                Err(format!("the group {n} is not allowed; a number from 0 to 31, or a name, is needed"))
            }
            GroupSpec::Number(n) => {
                let bit = 1 << n;
                if named(&self.names) & bit != 0 {
                    return Err(full());
                }
                self.numbers |= bit;
                Ok(bit)
            }
            GroupSpec::Name(name) => {
                if let Some(k) = self.names.iter().position(|n| n == name) {
                    return Ok(1 << (31 - k));
                }
                let k = self.names.len();
                // Group 0 is taken by the shapes that name none.
                if k + 1 >= Self::MOST || self.numbers & (1 << (31 - k)) != 0 {
                    return Err(full());
                }
                self.names.push(name.clone());
                Ok(1 << (31 - k))
            }
        }
    }
}

fn positive(key: &str, value: f64) -> std::result::Result<f64, Wrong> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => {
            Err((key.into(), format!("{key} = {value} is not allowed; a positive finite number is needed")))
        }
    }
}

/// `N` positive lengths.
fn lengths<const N: usize>(key: &str, values: [f64; N]) -> std::result::Result<[f64; N], Wrong> {
    values.iter().try_for_each(|v| positive(key, *v).map(|_| ()))?;
    Ok(values)
}

/// The core of a rounded length, without its border on both sides.
fn core(outer: f64, border: f64) -> std::result::Result<f64, Wrong> {
    let half = 0.5 * outer - border;
    if half > 0.0 {
        return Ok(half);
    }
    let problem =
        format!("border = {border} is not allowed; it must be less than half of every length ({outer})");
    Err(("border".into(), problem))
}

/// Makes the geometry of a description.
pub(super) fn geometry(kind: &ShapeType, cache: &mut GeometryCache) -> std::result::Result<Geometry, Wrong> {
    let sides = |size: [f64; 3]| lengths("size", size).map(DVec3::from_array);
    let round = |radius: f64, length: f64| -> std::result::Result<(f64, f64), Wrong> {
        Ok((positive("radius", radius)?, positive("length", length)?))
    };
    let shape = match kind {
        ShapeType::Sphere { radius } => Shape::sphere(positive("radius", *radius)?),
        ShapeType::Ellipsoid { radii } => Shape::ellipsoid(DVec3::from_array(lengths("radii", *radii)?)),
        ShapeType::Box { size } => Shape::cuboid(0.5 * sides(*size)?),
        ShapeType::Capsule { radius, length } => {
            let (radius, length) = round(*radius, *length)?;
            Shape::capsule(radius, 0.5 * length)
        }
        ShapeType::Cylinder { radius, length } => {
            let (radius, length) = round(*radius, *length)?;
            Shape::cylinder(radius, 0.5 * length)
        }
        ShapeType::Cone { radius, length } => {
            let (radius, length) = round(*radius, *length)?;
            Shape::cone(radius, 0.5 * length)
        }
        ShapeType::RoundedBox { size, border } => {
            let (outer, border) = (sides(*size)?, positive("border", *border)?);
            let half = DVec3::new(core(outer.x, border)?, core(outer.y, border)?, core(outer.z, border)?);
            Shape::rounded_box(half, border)
        }
        ShapeType::RoundedCylinder { radius, length, border } => {
            let ((radius, length), border) = (round(*radius, *length)?, positive("border", *border)?);
            Shape::rounded_cylinder(core(2.0 * radius, border)?, core(length, border)?, border)
        }
        ShapeType::HalfSpace => Ok(Shape::half_space()),
        ShapeType::HeightField(source) => {
            return ground(source).map(|shape| Geometry { shape, solid: None });
        }
        ShapeType::Hull(source) => return hull(source, cache),
        ShapeType::Mesh { source, decompose } => return mesh(source, *decompose, cache),
    };
    match shape {
        Ok(shape) => Ok(Geometry { shape, solid: None }),
        Err(e) => Err(("type".into(), e.to_string())),
    }
}

/// Ground from its heights or its file.
pub(super) fn ground(source: &GroundSource) -> std::result::Result<Shape, Wrong> {
    let read;
    let (key, rows) = match (&source.heights, source.file.path()) {
        (Some(rows), None) => ("heights", rows),
        (None, Some(path)) => {
            read = height_file::read(&path).map_err(|e| ("file".to_owned(), e))?;
            ("file", &read)
        }
        (Some(_), Some(_)) => return Err(("file".into(), "give heights or file, not both".into())),
        (None, None) => return Err(("type".into(), "a height field needs `heights` or a `file`".into())),
    };
    let size = DVec2::from_array(lengths("size", source.size)?);
    let nx = rows.first().map_or(0, Vec::len);
    if let Some(row) = rows.iter().position(|r| r.len() != nx) {
        let problem = format!("row {} has {} heights, but the first one has {nx}", row + 1, rows[row].len());
        return Err((key.into(), problem));
    }
    let unit = unit(&source.file)?;
    let heights = rows.iter().flatten().map(|h| h * unit).collect();
    Shape::height_field(nx, rows.len(), heights, size).map_err(|e| (key.into(), e.to_string()))
}

/// Metres of one unit of what is given by points, heights or a file.
fn unit(file: &FileSource) -> std::result::Result<f64, Wrong> {
    positive("scale", file.scale.unwrap_or(1.0))
}

/// What the geometry of a hull or mesh is remembered by.
fn geometry_key(kind: &ShapeType) -> Option<GeometryKey> {
    match kind {
        ShapeType::Hull(source) => hull_key(source),
        ShapeType::Mesh { source, decompose } => mesh_key(source, *decompose),
        _ => None,
    }
}

fn hull_key(source: &HullSource) -> Option<GeometryKey> {
    let from = source_of(&source.file, source.points.as_deref(), None)?;
    Some((from, source.file.scale.unwrap_or(1.0).to_bits(), (true, [0; 4])))
}

fn mesh_key(source: &MeshSource, decompose: Option<DecomposeSpec>) -> Option<GeometryKey> {
    let from = source_of(&source.file, source.points.as_deref(), source.triangles.as_deref())?;
    let numbers = decompose.map_or([0; 4], |s| {
        [u64::from(s.resolution), s.concavity.to_bits(), u64::from(s.max_hulls), u64::from(s.max_vertices)]
    });
    Some((from, source.file.scale.unwrap_or(1.0).to_bits(), (false, numbers)))
}

/// Where points and triangles are from; nothing if that is said twice or not at all.
fn source_of(
    file: &FileSource,
    points: Option<&[[f64; 3]]>,
    triangles: Option<&[[u32; 3]]>,
) -> Option<Source> {
    let points = match (file.path(), points) {
        (Some(path), None) if triangles.is_none() => return Some(Source::File(path)),
        (None, Some(points)) => points,
        _ => return None,
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update(&points.len().to_le_bytes());
    points.iter().flatten().for_each(|c| {
        hasher.update(&c.to_le_bytes());
    });
    triangles.into_iter().flatten().flatten().for_each(|i| {
        hasher.update(&i.to_le_bytes());
    });
    Some(Source::Lists(*hasher.finalize().as_bytes()))
}

/// The known geometry of a key, or what `make` gives, which is remembered.
fn remembered(
    cache: &mut GeometryCache,
    key: Option<GeometryKey>,
    make: impl FnOnce() -> std::result::Result<Geometry, Wrong>,
) -> std::result::Result<Geometry, Wrong> {
    if let Some(known) = key.as_ref().and_then(|k| cache.get(k)) {
        return Ok(known.clone());
    }
    let made = make()?;
    key.into_iter().for_each(|k| {
        cache.insert(k, made.clone());
    });
    Ok(made)
}

/// A hull from its points or its file, made once.
fn hull(source: &HullSource, cache: &mut GeometryCache) -> std::result::Result<Geometry, Wrong> {
    let unit = unit(&source.file)?;
    remembered(cache, hull_key(source), || match (&source.points, source.file.path()) {
        (Some(_), Some(_)) => Err(("file".into(), "give points or a file, not both".into())),
        (None, None) => Err(("type".into(), "a hull needs `points` or a `file`".into())),
        (Some(points), None) => {
            let points: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(*p) * unit).collect();
            let shape = Shape::hull(&points).map_err(|e| ("points".to_owned(), e.to_string()))?;
            Ok(Geometry { shape, solid: None })
        }
        (None, Some(path)) => {
            let file = MeshFile::read(&path, unit)?;
            let shape =
                Shape::hull(&file.scaled(&file.data.vertices)).map_err(|e| file.wrong(e.to_string()))?;
            Ok(Geometry { shape, solid: None })
        }
    })
}

/// A mesh from its lists or its file, made once.
pub(super) fn mesh(
    source: &MeshSource,
    decompose: Option<DecomposeSpec>,
    cache: &mut GeometryCache,
) -> std::result::Result<Geometry, Wrong> {
    let unit = unit(&source.file)?;
    let settings = decompose.map(decomposition);
    let key = mesh_key(source, decompose);
    remembered(cache, key, || match (&source.points, &source.triangles, source.file.path()) {
        (None, None, None) => {
            Err(("type".into(), "a mesh needs `points` and `triangles`, or a `file`".into()))
        }
        (None, None, Some(path)) => read_mesh(&path, settings, unit),
        (_, _, Some(_)) => Err(("file".into(), "give points and triangles, or a file, not both".into())),
        (Some(points), Some(triangles), None) => listed_mesh(points, triangles, settings, unit),
        (Some(_), None, None) => Err(("points".into(), "a mesh of points needs `triangles` too".into())),
        (None, Some(_), None) => Err(("triangles".into(), "a mesh of triangles needs `points` too".into())),
    })
}

fn listed_mesh(
    points: &[[f64; 3]],
    triangles: &[[u32; 3]],
    settings: Option<DecompositionSettings>,
    unit: f64,
) -> std::result::Result<Geometry, Wrong> {
    let data = MeshData::from_lists(points, triangles, &MeshLimits::default()).map_err(|fault| {
        let key = match &fault {
            MeshFault::NonFinite { place: Place::Point(k), .. } => format!("points.{k}"),
            MeshFault::Limit { what: "vertices", .. } => "points".into(),
            MeshFault::MissingPoint { triangle, .. } => format!("triangles.{triangle}"),
            _ => "triangles".into(),
        };
        (key, format!("the mesh cannot be used: {fault}"))
    })?;
    let vertices = data.vertices.iter().map(|v| *v * unit).collect();
    let mesh = TriangleMesh::new(vertices, data.triangles).map_err(|e| ("points".into(), e.to_string()))?;
    let hulls = match settings {
        None => None,
        Some(settings) => {
            let hulls = decompose(&mesh, &settings);
            Some(hulls.map_err(|e| ("decompose".to_owned(), e.to_string()))?)
        }
    };
    cut_mesh(mesh, hulls).map_err(|e| ("points".into(), e))
}

fn decomposition(spec: DecomposeSpec) -> DecompositionSettings {
    let DecomposeSpec { resolution, concavity, max_hulls, max_vertices } = spec;
    DecompositionSettings { resolution, concavity, max_hulls, max_vertices }
}

/// The pose of a frame, or the key that is wrong and what is wrong with it.
pub(super) fn frame_pose(frame: &FrameSpec) -> std::result::Result<Pose, (&'static str, String)> {
    frame.pose().map(|(position, rotation)| Pose { position, rotation })
}

/// The pose of the axes of a list or mesh, those of the world where none are given.
pub(super) fn pose_of_axes(frame: Option<&FrameSpec>) -> std::result::Result<Pose, String> {
    frame.map_or(Ok(Pose::IDENTITY), |frame| frame_pose(frame).map_err(|(_, problem)| problem))
}

/// Checks that a tensor can be the inertia of a body.
pub(super) fn check_inertia(inertia: &Inertia) -> std::result::Result<(), (String, String)> {
    match huygens_multibody::check_inertia(&Subject::default(), &inertia.0) {
        Err(MultibodyError::Value { value, expected, .. }) => {
            Err(("inertia".into(), format!("the inertia is not allowed: {value}; {expected}")))
        }
        _ => Ok(()),
    }
}

/// A mesh, or the hulls that collide in its place.
fn cut_mesh(mesh: TriangleMesh, hulls: Option<Vec<Shape>>) -> std::result::Result<Geometry, String> {
    let mesh = Shape::Mesh(std::sync::Arc::new(mesh));
    let Some(hulls) = hulls else { return Ok(Geometry { shape: mesh, solid: None }) };
    let parts = hulls.into_iter().map(|hull| (Pose::IDENTITY, hull)).collect();
    let shape = Shape::compound(parts).map_err(|e| e.to_string())?;
    Ok(Geometry { shape, solid: Some(mesh) })
}

/// The points and triangles of a file.
struct MeshFile<'a> {
    path: &'a Path,
    data: MeshData,
    /// Metres of one unit of it.
    unit: f64,
}

impl<'a> MeshFile<'a> {
    fn read(path: &'a Path, unit: f64) -> std::result::Result<Self, Wrong> {
        let data = mesh_file::read(path, &MeshLimits::default());
        Ok(Self { path, data: data.map_err(|e| ("file".to_owned(), e.to_string()))?, unit })
    }

    fn wrong(&self, e: String) -> Wrong {
        ("file".to_owned(), format!("the mesh file '{}' cannot be used: {e}", self.path.display()))
    }

    fn scaled(&self, points: &[DVec3]) -> Vec<DVec3> {
        points.iter().map(|v| *v * self.unit).collect()
    }
}

fn read_mesh(
    path: &Path,
    settings: Option<DecompositionSettings>,
    unit: f64,
) -> std::result::Result<Geometry, Wrong> {
    let file = MeshFile::read(path, unit)?;
    let named = |e: String| file.wrong(e);
    let vertices = file.scaled(&file.data.vertices);
    let mesh = TriangleMesh::new(vertices, file.data.triangles.clone()).map_err(|e| named(e.to_string()))?;
    let Some(settings) = settings else { return cut_mesh(mesh, None).map_err(named) };
    let kept = decompose_cached(path, &MeshLimits::default(), &settings)
        .map_err(|e| ("decompose".into(), e.to_string()))?;
    let mut hulls = kept.hulls;
    for shape in hulls.iter_mut().filter(|_| unit != 1.0) {
        if let Shape::Hull(hull) = &*shape {
            *shape = Shape::hull(&file.scaled(hull.vertices())).map_err(|e| named(e.to_string()))?;
        }
    }
    cut_mesh(mesh, Some(hulls)).map_err(named)
}

/// Mass [kg], inertia about the centre of mass [kg·m²] and the centre itself [m].
pub(super) struct Weight {
    pub mass: f64,
    pub inertia: DMat3,
    pub center: DVec3,
}

impl ReadyShape {
    /// Density that the shape has on a body [kg/m³].
    fn density_on(&self, body: &BodySpec) -> Option<f64> {
        self.density.or(body.density.filter(|_| self.collide))
    }
}

fn combine(
    shapes: &[ReadyShape],
    density: impl Fn(&ReadyShape) -> Option<f64>,
) -> std::result::Result<Option<MassProperties>, Wrong> {
    let mut parts = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        let Some(density) = density(shape) else { continue };
        let part = shape.geometry.solid().mass_properties(density);
        parts.push((shape.pose, part.map_err(|e| (format!("shapes.{k}"), e.to_string()))?));
    }
    Ok((!parts.is_empty()).then(|| MassProperties::combine(&parts)))
}

/// Mass properties of a body with shapes.
pub(super) fn weight(spec: &BodySpec, shapes: &[ReadyShape]) -> std::result::Result<Weight, Wrong> {
    let own_density = shapes.iter().position(|s| s.density.is_some());
    match (spec.mass, spec.density, own_density) {
        (Some(_), Some(_), _) => return Err(("density".into(), "give mass or density, not both".into())),
        (Some(_), None, Some(k)) => {
            let problem = "the body has a mass; give its mass or the density of its shapes, not both";
            return Err((format!("shapes.{k}.density"), problem.into()));
        }
        _ => {}
    }
    let by_density = combine(shapes, |s| s.density_on(spec))?;
    let given = match spec.mass {
        Some(mass) if !(mass > 0.0 && mass.is_finite()) => {
            return Err((
                "mass".into(),
                format!("mass = {mass} is not allowed; a positive finite number is needed"),
            ));
        }
        mass => mass,
    };
    let dynamic = spec.kind == BodyType::Dynamic;
    let mass = match given.or(by_density.map(|p| p.mass)) {
        Some(mass) => mass,
        None if !dynamic => 1.0,
        None if spec.density.is_some() => {
            let problem = "a density needs a shape that collides, or the shape its own density";
            return Err(("density".into(), problem.into()));
        }
        None => {
            return Err(("mass".into(), "a dynamic body needs a mass, or a density of its shapes".into()));
        }
    };
    let at = |center: Option<[f64; 3]>, other: DVec3| center.map_or(other, DVec3::from_array);
    if let Some(inertia) = &spec.inertia {
        check_inertia(inertia)?;
        let center = at(spec.center_of_mass, by_density.map_or(DVec3::ZERO, |p| p.center));
        return Ok(Weight { mass, inertia: inertia.0, center });
    }
    if !dynamic && by_density.is_none() {
        return Ok(Weight { mass, inertia: DMat3::IDENTITY, center: at(spec.center_of_mass, DVec3::ZERO) });
    }
    if spec.center_of_mass.is_some() {
        let problem = "the centre of mass follows from the shapes; leave it out, or give mass and inertia";
        return Err(("center_of_mass".into(), problem.into()));
    }
    let solid = match by_density {
        Some(solid) => Some(solid),
        None => {
            let colliding = shapes.iter().any(|s| s.collide);
            combine(shapes, |s| (s.collide || !colliding).then_some(1.0))
                .map_err(|(key, e)| (key, format!("the inertia cannot be derived from the shapes: {e}")))?
        }
    };
    let Some(solid) = solid else {
        return Err((
            "inertia".into(),
            "a dynamic body needs an inertia, or a shape to derive it from".into(),
        ));
    };
    Ok(Weight { mass, inertia: solid.inertia * (mass / solid.mass), center: solid.center })
}

impl World {
    /// Visible shapes of a body by its index: pose in the body frame, geometry and colour.
    pub(crate) fn visible_shapes(&self, index: usize) -> Vec<(Pose, Shape, Option<[u8; 3]>)> {
        let shapes = self.objects.bodies.get(index).map_or(&[][..], |(_, spec)| &spec.shapes);
        let seen = |spec: &ShapeSpec| {
            let made = match geometry_key(&spec.kind) {
                Some(key) => self.objects.geometry.get(&key).cloned()?,
                None => geometry(&spec.kind, &mut GeometryCache::new()).ok()?,
            };
            let pose = frame_pose(&spec.frame).ok()?;
            Some((pose, made.solid().clone(), spec.rgb().ok()?))
        };
        shapes.iter().filter(|s| s.visible).filter_map(seen).collect()
    }

    /// Checks a description and makes what can be put on a body; `path` leads to it in messages.
    pub(super) fn ready_shape(
        &mut self,
        section: Section,
        owner: &str,
        path: &str,
        spec: &ShapeSpec,
    ) -> Result<ReadyShape> {
        let bad =
            |(key, e): (String, String)| WorldError::input(section, owner, Some(&format!("{path}.{key}")), e);
        let geometry = geometry(&spec.kind, &mut self.objects.geometry).map_err(bad)?;
        let pose = frame_pose(&spec.frame).map_err(|(key, e)| bad((key.into(), e)))?;
        spec.rgb().map_err(|e| bad(("color".into(), e)))?;
        if let Some(density) = spec.density.filter(|d| !(*d > 0.0 && d.is_finite())) {
            let problem = format!("density = {density} is not allowed; a positive finite number is needed");
            return Err(bad(("density".into(), problem)));
        }
        let name = spec.material.as_deref().unwrap_or(DEFAULT_MATERIAL);
        let material = self.material_of(name).map_err(|suggestion| WorldError::Input {
            section,
            name: owner.into(),
            field: Some(format!("{path}.material")),
            problem: format!("`material` refers to material '{name}', which does not exist"),
            suggestion,
        })?;
        let none = GroupSpec::Number(0);
        let group = self
            .objects
            .groups
            .bit(spec.group.as_ref().unwrap_or(&none))
            .map_err(|e| bad(("group".into(), e)))?;
        let mask = match &spec.mask {
            None => u32::MAX,
            Some(groups) => {
                let bits = groups
                    .iter()
                    .map(|g| self.objects.groups.bit(g))
                    .collect::<std::result::Result<Vec<u32>, _>>();
                bits.map_err(|e| bad(("mask".into(), e)))?.into_iter().fold(0, |all, bit| all | bit)
            }
        };
        Ok(ReadyShape { geometry, pose, material, group, mask, collide: spec.collide, density: spec.density })
    }

    /// The material of a name; the default one comes into being when it is first asked for. Else the nearest name.
    pub(super) fn material_of(&mut self, name: &str) -> std::result::Result<MaterialId, Option<String>> {
        if let Some(id) = self.objects.material_ids.get(name) {
            return Ok(*id);
        }
        if name == DEFAULT_MATERIAL
            && let Ok(id) = self.insert_material(&MaterialSpec::new(DEFAULT_MATERIAL))
        {
            return Ok(id);
        }
        Err(closest_name(name, self.objects.material_ids.keys().map(String::as_str)).map(str::to_owned))
    }
}
