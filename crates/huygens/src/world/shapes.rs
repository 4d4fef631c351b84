//! Shapes of bodies: from their descriptions and files to geometry, groups and mass.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::{DMat3, DQuat, DVec2, DVec3};
use huygens_core::signal::closest_name;
use huygens_geometry::decomposition::{DecompositionSettings, decompose, decompose_cached};
use huygens_geometry::mesh_file::{self, MeshData, MeshFault, MeshLimits, Place};
use huygens_geometry::{MassProperties, Pose, Shape, TriangleMesh};
use huygens_multibody::MaterialId;

use super::{Result, World, WorldError};
use crate::spec::{
    BodySpec, BodyType, DEFAULT_MATERIAL, GroupSpec, MaterialSpec, Section, ShapeSpec, ShapeType,
};

/// Largest file of heights [bytes].
const MAX_HEIGHT_BYTES: u64 = 256 << 20;

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

/// Geometry of hulls and meshes, by source, scale and what is made of it.
pub(super) type GeometryCache = BTreeMap<(Source, u64, ShapeKey), Geometry>;

/// Where the points of a hull or mesh are from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    File(PathBuf),
    /// Hash of points and triangles.
    Lists([u8; 32]),
}

/// What is made of a source: the kind of shape and the settings of a decomposition.
type ShapeKey = (u8, [u64; 4]);

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

/// Keys that only some kinds of shapes have.
fn check_keys(spec: &ShapeSpec) -> std::result::Result<(), Wrong> {
    use ShapeType as T;
    let round = &[T::Sphere, T::Capsule, T::Cylinder, T::Cone, T::RoundedCylinder][..];
    let given = [
        ("radius", spec.radius.is_some(), round),
        ("radii", spec.radii.is_some(), &[T::Ellipsoid]),
        ("size", spec.size.is_some(), &[T::Box, T::RoundedBox, T::HeightField]),
        ("length", spec.length.is_some(), &[T::Capsule, T::Cylinder, T::Cone, T::RoundedCylinder]),
        ("border", spec.border.is_some(), &[T::RoundedBox, T::RoundedCylinder]),
        ("points", spec.points.is_some(), &[T::Hull, T::Mesh]),
        ("triangles", spec.triangles.is_some(), &[T::Mesh]),
        ("file", spec.file.is_some(), &[T::Hull, T::Mesh, T::HeightField]),
        ("scale", spec.scale.is_some(), &[T::Hull, T::Mesh, T::HeightField]),
        ("decompose", spec.decompose.is_some(), &[T::Mesh]),
        ("heights", spec.heights.is_some(), &[T::HeightField]),
    ];
    for (key, there, kinds) in given {
        if there && !kinds.contains(&spec.kind) {
            return Err((key.into(), format!("a shape of type {} has no `{key}`", spec.kind_name())));
        }
    }
    Ok(())
}

fn positive(spec: &ShapeSpec, key: &str, value: Option<f64>) -> std::result::Result<f64, Wrong> {
    match value {
        Some(v) if v > 0.0 && v.is_finite() => Ok(v),
        Some(v) => {
            Err((key.into(), format!("{key} = {v} is not allowed; a positive finite number is needed")))
        }
        None => Err((key.into(), format!("a shape of type {} needs `{key}`", spec.kind_name()))),
    }
}

/// `N` positive lengths.
fn lengths<const N: usize>(
    spec: &ShapeSpec,
    key: &str,
    values: Option<&[f64]>,
) -> std::result::Result<[f64; N], Wrong> {
    let values = values
        .ok_or_else(|| (key.to_owned(), format!("a shape of type {} needs `{key}`", spec.kind_name())))?;
    let all: [f64; N] = values.try_into().map_err(|_| {
        (key.to_owned(), format!("a list of {N} lengths is expected, not {} values", values.len()))
    })?;
    for v in all {
        positive(spec, key, Some(v))?;
    }
    Ok(all)
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
pub(super) fn geometry(spec: &ShapeSpec, cache: &mut GeometryCache) -> std::result::Result<Geometry, Wrong> {
    check_keys(spec)?;
    let size = |key: &str| lengths::<3>(spec, key, spec.size.as_deref()).map(DVec3::from_array);
    let radius = || positive(spec, "radius", spec.radius);
    let length = || positive(spec, "length", spec.length);
    let border = || positive(spec, "border", spec.border);
    let shape = match spec.kind {
        ShapeType::Sphere => Shape::sphere(radius()?),
        ShapeType::Ellipsoid => {
            let radii = lengths::<3>(spec, "radii", spec.radii.as_ref().map(|r| r.as_slice()))?;
            Shape::ellipsoid(DVec3::from_array(radii))
        }
        ShapeType::Box => Shape::cuboid(0.5 * size("size")?),
        ShapeType::Capsule => Shape::capsule(radius()?, 0.5 * length()?),
        ShapeType::Cylinder => Shape::cylinder(radius()?, 0.5 * length()?),
        ShapeType::Cone => Shape::cone(radius()?, 0.5 * length()?),
        ShapeType::RoundedBox => {
            let (outer, border) = (size("size")?, border()?);
            let half = DVec3::new(core(outer.x, border)?, core(outer.y, border)?, core(outer.z, border)?);
            Shape::rounded_box(half, border)
        }
        ShapeType::RoundedCylinder => {
            let (radius, length, border) = (radius()?, length()?, border()?);
            Shape::rounded_cylinder(core(2.0 * radius, border)?, core(length, border)?, border)
        }
        ShapeType::HalfSpace => Ok(Shape::half_space()),
        ShapeType::HeightField => return height_field(spec).map(|shape| Geometry { shape, solid: None }),
        ShapeType::Hull | ShapeType::Mesh => return hull_or_mesh(spec, cache),
    };
    match shape {
        Ok(shape) => Ok(Geometry { shape, solid: None }),
        Err(e) => Err(("type".into(), e.to_string())),
    }
}

fn height_field(spec: &ShapeSpec) -> std::result::Result<Shape, Wrong> {
    let read;
    let (key, rows) = match (&spec.heights, &spec.file) {
        (Some(rows), None) => ("heights", rows),
        (None, Some(file)) => {
            read = read_heights(&file_path(spec, file)).map_err(|e| ("file".to_owned(), e))?;
            ("file", &read)
        }
        (Some(_), Some(_)) => return Err(("file".into(), "give heights or file, not both".into())),
        (None, None) => {
            return Err(("type".into(), "a shape of type height_field needs `heights` or a `file`".into()));
        }
    };
    let size = DVec2::from_array(lengths::<2>(spec, "size", spec.size.as_deref())?);
    let nx = rows.first().map_or(0, Vec::len);
    if let Some(row) = rows.iter().position(|r| r.len() != nx) {
        let problem = format!("row {} has {} heights, but the first one has {nx}", row + 1, rows[row].len());
        return Err((key.into(), problem));
    }
    let unit = unit(spec)?;
    let heights = rows.iter().flatten().map(|h| h * unit).collect();
    Shape::height_field(nx, rows.len(), heights, size).map_err(|e| (key.into(), e.to_string()))
}

/// Metres of one unit of what is given by points, heights or a file.
fn unit(spec: &ShapeSpec) -> std::result::Result<f64, Wrong> {
    positive(spec, "scale", Some(spec.scale.unwrap_or(1.0)))
}

fn file_path(spec: &ShapeSpec, file: &str) -> PathBuf {
    spec.found.clone().unwrap_or_else(|| PathBuf::from(file))
}

/// What the geometry of a hull or mesh is remembered by.
fn geometry_key(spec: &ShapeSpec) -> Option<(Source, u64, ShapeKey)> {
    if !matches!(spec.kind, ShapeType::Hull | ShapeType::Mesh) {
        return None;
    }
    let source = match (&spec.file, &spec.points) {
        (Some(file), _) => Source::File(file_path(spec, file)),
        (None, Some(points)) => {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&points.len().to_le_bytes());
            points.iter().flatten().for_each(|c| {
                hasher.update(&c.to_le_bytes());
            });
            spec.triangles.iter().flatten().flatten().for_each(|i| {
                hasher.update(&i.to_le_bytes());
            });
            Source::Lists(*hasher.finalize().as_bytes())
        }
        (None, None) => return None,
    };
    let numbers = spec.decompose.map_or([0; 4], |s| {
        [u64::from(s.resolution), s.concavity.to_bits(), u64::from(s.max_hulls), u64::from(s.max_vertices)]
    });
    Some((source, spec.scale.unwrap_or(1.0).to_bits(), (spec.kind as u8, numbers)))
}

/// A hull or mesh from its lists or its file, made once.
fn hull_or_mesh(spec: &ShapeSpec, cache: &mut GeometryCache) -> std::result::Result<Geometry, Wrong> {
    let unit = unit(spec)?;
    let (lists, hull) = (spec.points.is_some() || spec.triangles.is_some(), spec.kind == ShapeType::Hull);
    match (lists, &spec.file) {
        (true, Some(_)) => {
            let lists = if hull { "points" } else { "points and triangles," };
            return Err(("file".into(), format!("give {lists} or a file, not both")));
        }
        (false, None) => {
            let lists = if hull { "`points`" } else { "`points` and `triangles`," };
            let problem = format!("a shape of type {} needs {lists} or a `file`", spec.kind_name());
            return Err(("type".into(), problem));
        }
        _ => {}
    }
    let key = geometry_key(spec);
    if let Some(known) = key.as_ref().and_then(|k| cache.get(k)) {
        return Ok(known.clone());
    }
    let made = match &spec.file {
        Some(file) => read_mesh(spec, &file_path(spec, file), unit)?,
        None if hull => listed_hull(spec, unit)?,
        None => listed_mesh(spec, unit)?,
    };
    key.into_iter().for_each(|k| {
        cache.insert(k, made.clone());
    });
    Ok(made)
}

fn listed_hull(spec: &ShapeSpec, unit: f64) -> std::result::Result<Geometry, Wrong> {
    let points: Vec<DVec3> = spec.points.iter().flatten().map(|p| DVec3::from_array(*p) * unit).collect();
    let shape = Shape::hull(&points).map_err(|e| ("points".to_owned(), e.to_string()))?;
    Ok(Geometry { shape, solid: None })
}

fn listed_mesh(spec: &ShapeSpec, unit: f64) -> std::result::Result<Geometry, Wrong> {
    let (points, triangles) = match (&spec.points, &spec.triangles) {
        (Some(points), Some(triangles)) => (points, triangles),
        (Some(_), None) => return Err(("points".into(), "a mesh of points needs `triangles` too".into())),
        _ => return Err(("triangles".into(), "a mesh of triangles needs `points` too".into())),
    };
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
    let hulls = match spec.decompose.map(DecompositionSettings::from) {
        None => None,
        Some(settings) => {
            let hulls = decompose(&mesh, &settings);
            Some(hulls.map_err(|e| ("decompose".to_owned(), e.to_string()))?)
        }
    };
    cut_mesh(mesh, hulls).map_err(|e| ("points".into(), e))
}

/// A mesh, or the hulls that collide in its place.
fn cut_mesh(mesh: TriangleMesh, hulls: Option<Vec<Shape>>) -> std::result::Result<Geometry, String> {
    let mesh = Shape::Mesh(std::sync::Arc::new(mesh));
    let Some(hulls) = hulls else { return Ok(Geometry { shape: mesh, solid: None }) };
    let parts = hulls.into_iter().map(|hull| (Pose::IDENTITY, hull)).collect();
    let shape = Shape::compound(parts).map_err(|e| e.to_string())?;
    Ok(Geometry { shape, solid: Some(mesh) })
}

fn read_mesh(spec: &ShapeSpec, path: &Path, unit: f64) -> std::result::Result<Geometry, Wrong> {
    let wrong = |e: String| ("file".to_owned(), e);
    let limits = MeshLimits::default();
    let data = mesh_file::read(path, &limits).map_err(|e| wrong(e.to_string()))?;
    let named = |e: String| wrong(format!("the mesh file '{}' cannot be used: {e}", path.display()));
    let scaled = |points: &[DVec3]| -> Vec<DVec3> { points.iter().map(|v| *v * unit).collect() };
    if spec.kind == ShapeType::Hull {
        let shape = Shape::hull(&scaled(&data.vertices)).map_err(|e| named(e.to_string()))?;
        return Ok(Geometry { shape, solid: None });
    }
    let mesh = TriangleMesh::new(scaled(&data.vertices), data.triangles).map_err(|e| named(e.to_string()))?;
    let Some(settings) = spec.decompose.map(DecompositionSettings::from) else {
        return cut_mesh(mesh, None).map_err(named);
    };
    let kept = decompose_cached(path, &limits, &settings).map_err(|e| ("decompose".into(), e.to_string()))?;
    let mut hulls = kept.hulls;
    for shape in hulls.iter_mut().filter(|_| unit != 1.0) {
        if let Shape::Hull(hull) = &*shape {
            *shape = Shape::hull(&scaled(hull.vertices())).map_err(|e| named(e.to_string()))?;
        }
    }
    cut_mesh(mesh, Some(hulls)).map_err(named)
}

/// Rows of numbers, separated by commas, semicolons or blanks; `#` begins a comment.
fn read_heights(path: &Path) -> std::result::Result<Vec<Vec<f64>>, String> {
    let unreadable = |e: std::io::Error| format!("cannot read the heights '{}': {e}", path.display());
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > MAX_HEIGHT_BYTES {
        return Err(format!(
            "the heights '{}' have {bytes} bytes; {MAX_HEIGHT_BYTES} are allowed",
            path.display()
        ));
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let mut rows = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        let words = line.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|w| !w.is_empty());
        let row = words
            .map(|w| w.parse::<f64>().ok().filter(|h| h.is_finite()).ok_or(w))
            .collect::<std::result::Result<Vec<f64>, &str>>()
            .map_err(|w| {
                format!("the heights '{}', line {}: '{w}' is not a finite number", path.display(), k + 1)
            })?;
        if !row.is_empty() {
            rows.push(row);
        }
    }
    Ok(rows)
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
        inertia.check().map_err(|e| ("inertia".to_owned(), e))?;
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
        let shapes = self.bodies.get(index).map_or(&[][..], |(_, spec)| &spec.shapes);
        let seen = |spec: &ShapeSpec| {
            let made = match geometry_key(spec) {
                Some(key) => self.geometry.get(&key).cloned()?,
                None => geometry(spec, &mut GeometryCache::new()).ok()?,
            };
            let pose =
                Pose { position: DVec3::from_array(spec.position), rotation: spec.orientation().ok()? };
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
        let geometry = geometry(spec, &mut self.geometry).map_err(bad)?;
        let turn = if spec.axis.is_some() { "axis" } else { "rotation" };
        let rotation: DQuat = spec.orientation().map_err(|e| bad((turn.into(), e)))?;
        let position = DVec3::from_array(spec.position);
        if !position.is_finite() {
            return Err(bad(("position".into(), "all components must be finite".into())));
        }
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
        let group =
            self.groups.bit(spec.group.as_ref().unwrap_or(&none)).map_err(|e| bad(("group".into(), e)))?;
        let mask = match &spec.mask {
            None => u32::MAX,
            Some(groups) => {
                let bits =
                    groups.iter().map(|g| self.groups.bit(g)).collect::<std::result::Result<Vec<u32>, _>>();
                bits.map_err(|e| bad(("mask".into(), e)))?.into_iter().fold(0, |all, bit| all | bit)
            }
        };
        let pose = Pose { position, rotation };
        Ok(ReadyShape { geometry, pose, material, group, mask, collide: spec.collide, density: spec.density })
    }

    /// The material of a name; the default one comes into being when it is first asked for. Else the nearest name.
    pub(super) fn material_of(&mut self, name: &str) -> std::result::Result<MaterialId, Option<String>> {
        if let Some(id) = self.material_ids.get(name) {
            return Ok(*id);
        }
        if name == DEFAULT_MATERIAL
            && let Ok(id) = self.insert_material(&MaterialSpec::new(DEFAULT_MATERIAL))
        {
            return Ok(id);
        }
        Err(closest_name(name, self.material_ids.keys().map(String::as_str)).map(str::to_owned))
    }
}
