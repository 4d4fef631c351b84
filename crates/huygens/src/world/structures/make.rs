//! Makes the engine's structure from its description.

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::function::Function;
use huygens_core::signal::closest_name;
use huygens_exec::Exec;
use huygens_fea::mesh::{BlockSplit, Cell, Faces, Limits, Mesh};
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::section::{Section as CrossSection, SectionPlace};
use huygens_fea::structure::{Fixed, Load, NodeKind, PointMass, SectionUse, Structure};
use huygens_fea::{FeaError, NodeUser};

use crate::spec::{
    CopiesSpec, FixedSpec, GenerateSpec, MAX_COPIES, MAX_NODES, MeshItems, NodeColumn, NodeMassSpec,
    SectionType, SplitType, StructureLoadSpec, StructureSpec,
};
use crate::world::coordinates::Owner;
use crate::world::shapes::check_inertia;
use crate::world::{Result, WorldError};

/// Key of a description and what is wrong there.
pub(super) type Wrong = (String, String);
pub(super) type Made<T> = std::result::Result<T, Wrong>;

/// The structure that a description gives, and what its mesh file was warned about.
pub(super) fn structure(
    ex: &Exec,
    owner: Owner<'_>,
    spec: &StructureSpec,
) -> Result<(Structure, Vec<String>)> {
    let wrong = |(field, problem): Wrong| owner.error(&field, problem);
    check(spec).map_err(wrong)?;
    let mut mesh = base_mesh(ex, owner, spec)?;
    ex.check_stop()?;
    let warnings = std::mem::take(&mut mesh.warnings);
    place(&mut mesh, spec);
    if let Some(copies) = &spec.copies {
        mesh = repeat(&mesh, copies).map_err(wrong)?;
        ex.check_stop()?;
    }
    let up = spec.up.map(DVec3::from_array);
    let kind = super::applies::kind(spec).map_err(wrong)?;
    let mut made = Structure::from_mesh(owner.name, &mesh, kind, up).map_err(|e| blame(owner, e))?;
    if made.elements.is_empty() {
        let source = if spec.file.is_some() { "file" } else { "generate" };
        let problem = "the mesh has no elements of this kind; lines become the `element`, tetrahedra need \
                       `element = \"tetrahedron\"`";
        return Err(owner.error(source, problem));
    }
    ex.check_stop()?;
    super::applies::check_keys(&made, spec, kind).map_err(wrong)?;
    set_moving(&mut made, spec);
    set_material(&mut made, spec).map_err(wrong)?;
    set_nodes(&mut made, spec).map_err(wrong)?;
    made.check().map_err(|e| blame(owner, e))?;
    Ok((made, warnings))
}

/// Puts an error of the engine on a key of the description.
pub(super) fn blame(owner: Owner<'_>, error: FeaError) -> WorldError {
    let field = match &error {
        FeaError::Value { name, .. } => match *name {
            "young" | "poisson" | "density" => Some(format!("material.{name}")),
            name if name.starts_with("damping") => Some(name.to_owned()),
            name => Some(format!("section.{name}")),
        },
        FeaError::Mesh(_) => Some("file".into()),
        FeaError::ZeroLength { .. } | FeaError::Inverted { .. } => Some("generate".into()),
        FeaError::NodeKind { user: NodeUser::Load, .. } => Some("loads".into()),
        FeaError::NodeKind { .. } => Some("element".into()),
        FeaError::NoMass { .. } => Some("material".into()),
        _ => None,
    };
    WorldError::input(owner.section, owner.name, field.as_deref(), error.to_string())
}

fn check(spec: &StructureSpec) -> Made<()> {
    let finite = |key: &str, v: &[f64; 3]| match v.iter().all(|x| x.is_finite()) {
        true => Ok(()),
        false => Err((key.to_owned(), "all components must be finite".to_owned())),
    };
    finite("position", &spec.position)?;
    finite("velocity", &spec.velocity)?;
    finite("angular_velocity", &spec.angular_velocity)?;
    if let Some(up) = &spec.up
        && !(up.iter().all(|x| x.is_finite()) && *up != [0.0; 3])
    {
        return Err(("up".into(), format!("{up:?} has no direction")));
    }
    spec.color.as_deref().map(crate::spec::rgb).transpose().map_err(|e| ("color".to_owned(), e))?;
    let scale = spec.scale.unwrap_or(1.0);
    if !(scale > 0.0 && scale.is_finite()) {
        return Err((
            "scale".into(),
            format!("scale = {scale} is not allowed; a positive finite number is needed"),
        ));
    }
    Ok(())
}

/// Memory of an element, its nodes and its share of the model [bytes]: less than the 4500 measured for 48 000 tetrahedra
/// with the factor of an implicit step, which is checked by itself once its size is known.
const ELEMENT_BYTES: f64 = 2000.0;

/// The mesh in its own axes.
fn base_mesh(ex: &Exec, owner: Owner<'_>, spec: &StructureSpec) -> Result<Mesh> {
    let copies =
        spec.copies.iter().map(|c| c.count.iter().map(|n| *n as f64).product::<f64>()).sum::<f64>().max(1.0);
    match (&spec.generate, &spec.file) {
        (Some(_), Some(_)) => Err(owner.error("file", "give `generate` or `file`, not both")),
        (None, None) => {
            Err(owner
                .error("generate", "a structure needs `generate`, a simple mesh, or `file`, a mesh file"))
        }
        (Some(generate), None) => {
            owner.require_memory("generate", copies * element_count(generate), "elements", ELEMENT_BYTES)?;
            generated(ex, generate).map_err(|e| match e {
                FeaError::Stopped(stopped) => stopped.into(),
                e => owner.error("generate", e.to_string()),
            })
        }
        (None, Some(file)) => {
            let path = spec.found.clone().unwrap_or_else(|| file.into());
            let limits = Limits { nodes: MAX_NODES, ..Limits::default() };
            let mesh = Mesh::read(&path, &limits).map_err(|e| owner.error("file", e.to_string()))?;
            owner.require_memory("file", copies * mesh.cells.len() as f64, "elements", ELEMENT_BYTES)?;
            Ok(mesh)
        }
    }
}

/// Number of elements of a simple mesh.
fn element_count(spec: &GenerateSpec) -> f64 {
    match spec {
        GenerateSpec::Beam { pieces, .. } => *pieces as f64,
        GenerateSpec::Polyline { points, pieces, .. } => points.len() as f64 * *pieces as f64,
        GenerateSpec::Net { meshes, .. } => 2.0 * meshes.iter().map(|n| *n as f64 + 1.0).product::<f64>(),
        GenerateSpec::Block { cells, split, .. } => {
            let each = match split {
                SplitType::Five => 5.0,
                SplitType::Six => 6.0,
            };
            each * cells.iter().map(|n| *n as f64).product::<f64>()
        }
    }
}

fn generated(ex: &Exec, spec: &GenerateSpec) -> huygens_fea::Result<Mesh> {
    let vector = DVec3::from_array;
    match spec {
        GenerateSpec::Beam { from, to, pieces } => Mesh::beam(vector(*from), vector(*to), *pieces),
        GenerateSpec::Polyline { points, pieces, closed } => {
            let points: Vec<DVec3> = points.iter().map(|p| vector(*p)).collect();
            Mesh::polyline(&points, *pieces, *closed)
        }
        GenerateSpec::Net { origin, sides, meshes } => Mesh::net(vector(*origin), sides.map(vector), *meshes),
        GenerateSpec::Block { origin, size, cells, split } => {
            let split = match split {
                SplitType::Five => BlockSplit::Five,
                SplitType::Six => BlockSplit::Six,
            };
            Mesh::block_on(ex, vector(*origin), vector(*size), *cells, split)
        }
    }
}

fn place(mesh: &mut Mesh, spec: &StructureSpec) {
    let scale = spec.scale.unwrap_or(1.0);
    let rotation = spec.rotation.map_or(DQuat::IDENTITY, |r| r.0);
    let position = DVec3::from_array(spec.position);
    mesh.nodes.iter_mut().for_each(|x| *x = position + rotation * (*x * scale));
}

/// Copies of a mesh on a lattice, as one mesh.
fn repeat(mesh: &Mesh, copies: &CopiesSpec) -> Made<Mesh> {
    let [nx, ny, nz] = copies.count;
    let count = nx.saturating_mul(ny).saturating_mul(nz);
    if !(1..=MAX_COPIES).contains(&count) {
        return Err((
            "copies.count".into(),
            format!("{count} copies are not allowed; 1 to {MAX_COPIES} are"),
        ));
    }
    if mesh.nodes.len().saturating_mul(count) > MAX_NODES {
        let problem = format!("{} nodes in {count} copies are more than {MAX_NODES}", mesh.nodes.len());
        return Err(("copies.count".into(), problem));
    }
    if copies.spacing.iter().any(|x| !x.is_finite()) {
        return Err(("copies.spacing".into(), "all components must be finite".into()));
    }
    let mut all = Mesh::default();
    let labels = mesh.labels.iter().max().copied().unwrap_or(0);
    let cell_labels = mesh.cells.iter().map(|c| c.label).max().unwrap_or(0);
    for copy in 0..count {
        let at = [copy % nx, copy / nx % ny, copy / (nx * ny)].map(|k| k as f64);
        let shift = DVec3::from_array(at) * DVec3::from_array(copies.spacing);
        let (nodes, cells) = (all.nodes.len() as u32, all.cells.len() as u32);
        all.nodes.extend(mesh.nodes.iter().map(|x| *x + shift));
        all.labels.extend(mesh.labels.iter().map(|l| l.wrapping_add(labels.wrapping_mul(copy as u64))));
        for cell in &mesh.cells {
            let moved: Vec<u32> = cell.nodes().iter().map(|n| n + nodes).collect();
            all.cells.extend(Cell::new(
                cell.label.wrapping_add(cell_labels.wrapping_mul(copy as u64)),
                cell.kind,
                &moved,
            ));
        }
        for (name, set) in &mesh.node_sets {
            all.node_sets.entry(name.clone()).or_default().extend(set.iter().map(|n| n + nodes));
        }
        for (name, set) in &mesh.cell_sets {
            all.cell_sets.entry(name.clone()).or_default().extend(set.iter().map(|c| c + cells));
        }
        for (name, set) in &mesh.surfaces {
            all.surfaces.entry(name.clone()).or_default().append(&set.map(|n| n + nodes));
        }
    }
    Ok(all)
}

fn set_moving(made: &mut Structure, spec: &StructureSpec) {
    let (velocity, spin) = (DVec3::from_array(spec.velocity), DVec3::from_array(spec.angular_velocity));
    let center = DVec3::from_array(spec.position);
    for node in &mut made.nodes {
        node.velocity = velocity + spin.cross(node.position - center);
        node.angular_velocity = spin;
    }
}

fn set_material(made: &mut Structure, spec: &StructureSpec) -> Made<()> {
    made.damping = Damping {
        mass: spec.damping.mass,
        stiffness: spec.damping.stiffness,
        structural: spec.damping.structural,
    };
    made.solids = spec
        .material
        .iter()
        .map(|m| Elastic { young: m.young, poisson: m.poisson, density: m.density })
        .collect();
    let with_section = made.elements.iter().any(|e| e.section().is_some());
    let with_material = made.elements.iter().any(|e| e.solid().is_some());
    let user = spec.section.as_ref().is_some_and(|s| matches!(s.kind, SectionType::User { .. }));
    if spec.material.is_none() && (with_material || with_section && !user) {
        let problem =
            "a structure needs `material`, such as { young = 2.1e11, poisson = 0.3, density = 7850 }";
        return Err(("material".into(), problem.into()));
    }
    match (&spec.section, with_section) {
        (Some(section), true) => {
            let place = SectionPlace { offset: section.offset, angle: section.angle };
            let solid = (!made.solids.is_empty()).then_some(0);
            made.sections.push(SectionUse { section: cross_section(&section.kind), solid, place });
        }
        (None, true) => {
            let problem = "lines need `section`, such as { type = \"circle\", radius = 0.01 }";
            return Err(("section".into(), problem.into()));
        }
        (Some(_), false) => {
            return Err((
                "section".into(),
                format!("{} elements have no section; lines do", spec.element.name()),
            ));
        }
        (None, false) => {}
    }
    Ok(())
}

fn cross_section(spec: &SectionType) -> CrossSection {
    match spec {
        SectionType::Circle { radius } => CrossSection::Circle { radius: *radius },
        SectionType::Rectangle { width, height } => {
            CrossSection::Rectangle { width: *width, height: *height }
        }
        SectionType::Tube { radius, inner_radius } => {
            CrossSection::Tube { radius: *radius, inner_radius: *inner_radius }
        }
        SectionType::User { stiffness, inertia } => {
            CrossSection::User { stiffness: stiffness.0, inertia: inertia.0 }
        }
    }
}

/// Nodes that an entry names.
pub(super) fn nodes_of(made: &Structure, items: &MeshItems) -> std::result::Result<Vec<u32>, String> {
    let mut all = BTreeSet::new();
    if items.0.is_empty() {
        return Err("it names no node".into());
    }
    for name in &items.0 {
        if name == "all" {
            all.extend(0..made.nodes.len() as u32);
            continue;
        }
        match made.find_nodes(name) {
            Some(nodes) => all.extend(nodes),
            None => return Err(unknown_item(made, "node", name, made.node_sets.keys())),
        }
    }
    Ok(all.into_iter().collect())
}

fn unknown_item<'a>(
    made: &Structure,
    what: &str,
    name: &str,
    sets: impl Iterator<Item = &'a String> + Clone,
) -> String {
    let near = closest_name(name, sets.clone().map(String::as_str));
    let near = near.map_or(String::new(), |n| format!("; did you mean '{n}'?"));
    let mut known: Vec<&str> = sets.map(String::as_str).collect();
    known.push("all");
    let known = known.join(", ");
    format!("structure '{}' has no {what} or {what} set '{name}'{near} (sets: {known})", made.name)
}

/// Elements that an entry names.
pub(super) fn elements_of(made: &Structure, items: &MeshItems) -> std::result::Result<Vec<u32>, String> {
    let mut all = BTreeSet::new();
    if items.0.is_empty() {
        return Err("it names no element".into());
    }
    for name in &items.0 {
        // Where a line of a file became two elements, its number names both.
        let label = name.parse::<u64>().ok();
        let labels = made.labels.elements.iter().enumerate();
        let labelled: Vec<u32> = labels.filter(|(_, l)| Some(**l) == label).map(|(k, _)| k as u32).collect();
        if name == "all" {
            all.extend(0..made.elements.len() as u32);
        } else if let Some(set) = made.element_sets.get(name) {
            all.extend(set.iter().copied());
        } else if !labelled.is_empty() {
            all.extend(labelled);
        } else {
            return Err(unknown_item(made, "element", name, made.element_sets.keys()));
        }
    }
    Ok(all.into_iter().collect())
}

fn set_nodes(made: &mut Structure, spec: &StructureSpec) -> Made<()> {
    for (name, items) in &spec.node_sets {
        let key = format!("node_sets.{name}");
        let nodes = nodes_of(made, items).map_err(|e| (key.clone(), e))?;
        if made.node_sets.insert(name.clone(), nodes).is_some() {
            return Err((key, format!("the mesh already has a set '{name}'; give it another name")));
        }
    }
    for (k, fixed) in spec.fixed.iter().enumerate() {
        let held = held_nodes(made, fixed).map_err(|(key, e)| (format!("fixed.{k}.{key}"), e))?;
        made.fixed.push(held);
    }
    for (k, mass) in spec.masses.iter().enumerate() {
        let masses = point_masses(made, mass).map_err(|(key, e)| (format!("masses.{k}.{key}"), e))?;
        made.masses.extend(masses);
    }
    for (k, load) in spec.loads.iter().enumerate() {
        let load = structure_load(made, load).map_err(|(key, e)| (format!("loads.{k}.{key}"), e))?;
        made.loads.push(load);
    }
    Ok(())
}

fn held_nodes(made: &Structure, spec: &FixedSpec) -> Made<Fixed> {
    let nodes = nodes_of(made, &spec.nodes).map_err(|e| ("nodes".to_owned(), e))?;
    let mut columns = BTreeSet::new();
    for hold in &spec.hold {
        let range = match hold {
            NodeColumn::X => 0..1,
            NodeColumn::Y => 1..2,
            NodeColumn::Z => 2..3,
            NodeColumn::Position => 0..3,
            NodeColumn::Rotation | NodeColumn::Slope => 3..6,
            NodeColumn::RotationX => 3..4,
            NodeColumn::RotationY => 4..5,
            NodeColumn::RotationZ => 5..6,
            NodeColumn::Gradients => 3..12,
        };
        let fits = |kind: NodeKind| match hold {
            NodeColumn::X | NodeColumn::Y | NodeColumn::Z | NodeColumn::Position => true,
            NodeColumn::Slope => kind.slopes() > 0,
            NodeColumn::Gradients => kind == NodeKind::Gradients,
            _ => kind == NodeKind::Frame,
        };
        if let Some(node) = nodes.iter().find(|n| !fits(made.nodes[**n as usize].kind)) {
            let kind = made.nodes[*node as usize].kind.name();
            let problem = format!(
                "incompatible node types: {} has {kind}, so '{}' cannot be held",
                made.node_name(*node),
                word(*hold),
            );
            return Err(("hold".into(), problem));
        }
        columns.extend(range);
    }
    Ok(Fixed { nodes, columns: columns.into_iter().collect() })
}

fn word(column: NodeColumn) -> String {
    serde_json::to_value(column).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Nodes that an entry names, each place once: where lines cross, each has a node of its own.
fn places_of(made: &Structure, items: &MeshItems) -> std::result::Result<Vec<u32>, String> {
    let mut nodes = nodes_of(made, items)?;
    if items.0.iter().any(|name| name == "all") {
        let copies: BTreeSet<u32> = made.pins.iter().map(|pin| pin[1]).collect();
        nodes.retain(|n| !copies.contains(n));
    }
    Ok(nodes)
}

fn point_masses(made: &Structure, spec: &NodeMassSpec) -> Made<Vec<PointMass>> {
    let nodes = places_of(made, &spec.nodes).map_err(|e| ("nodes".to_owned(), e))?;
    if !(spec.mass >= 0.0 && spec.mass.is_finite()) {
        let problem = format!("mass = {} is not allowed; a finite number that is not below zero", spec.mass);
        return Err(("mass".into(), problem));
    }
    let inertia = match &spec.inertia {
        Some(inertia) => {
            check_inertia(inertia)?;
            if let Some(n) = nodes.iter().find(|n| made.nodes[**n as usize].kind != NodeKind::Frame) {
                let problem = format!("{} has no rotation, so it takes no inertia", made.node_name(*n));
                return Err(("inertia".into(), problem));
            }
            inertia.0
        }
        None => DMat3::ZERO,
    };
    Ok(nodes.into_iter().map(|node| PointMass { node, mass: spec.mass, inertia }).collect())
}

fn structure_load(made: &Structure, spec: &StructureLoadSpec) -> Made<Load> {
    let function = spec.function.clone().unwrap_or(Function::constant(1.0));
    function.validate().map_err(|e| ("function".to_owned(), e.to_string()))?;
    let vector = |key: &str, v: Option<[f64; 3]>| match v.map(DVec3::from_array) {
        Some(v) if !v.is_finite() => Err((key.to_owned(), "all components must be finite".to_owned())),
        v => Ok(v.unwrap_or(DVec3::ZERO)),
    };
    let stray = |key: &str, there: bool, place: &str| match there {
        true => Err((key.to_owned(), format!("`{key}` goes with `{place}`"))),
        false => Ok(()),
    };
    match (&spec.nodes, &spec.elements, &spec.surface) {
        (Some(nodes), None, None) => {
            stray("force_per_length", spec.force_per_length.is_some(), "elements")?;
            stray("pressure", spec.pressure.is_some(), "surface")?;
            if spec.force.is_none() && spec.moment.is_none() {
                return Err(("force".into(), "a load of nodes needs `force`, `moment` or both".into()));
            }
            Ok(Load::Nodes {
                nodes: places_of(made, nodes).map_err(|e| ("nodes".to_owned(), e))?,
                force: vector("force", spec.force)?,
                moment: vector("moment", spec.moment)?,
                follower: spec.follower,
                function,
            })
        }
        (None, Some(elements), None) => {
            stray("force", spec.force.is_some(), "nodes")?;
            stray("moment", spec.moment.is_some(), "nodes")?;
            stray("pressure", spec.pressure.is_some(), "surface")?;
            if spec.force_per_length.is_none() {
                return Err(("force_per_length".into(), "a load of lines needs `force_per_length`".into()));
            }
            Ok(Load::Line {
                elements: elements_of(made, elements).map_err(|e| ("elements".to_owned(), e))?,
                force: vector("force_per_length", spec.force_per_length)?,
                follower: spec.follower,
                function,
            })
        }
        (None, None, Some(surface)) => {
            stray("force", spec.force.is_some(), "nodes")?;
            stray("moment", spec.moment.is_some(), "nodes")?;
            stray("force_per_length", spec.force_per_length.is_some(), "elements")?;
            let Some(pressure) = spec.pressure else {
                return Err(("pressure".into(), "a load of a surface needs `pressure`".into()));
            };
            let faces = surface_of(made, surface).map_err(|e| ("surface".to_owned(), e))?;
            Ok(Load::Pressure { faces, pressure, function })
        }
        _ => Err((
            "nodes".into(),
            "a load needs one of `nodes` with force and moment, `elements` with force_per_length, or `surface` with \
             pressure"
                .into(),
        )),
    }
}

fn surface_of(made: &Structure, name: &str) -> std::result::Result<Faces, String> {
    if let Some(faces) = made.surfaces.get(name) {
        return Ok(faces.clone());
    }
    if name == "skin" {
        return Ok(made.skin());
    }
    let known: Vec<&str> = made.surfaces.keys().map(String::as_str).chain(["skin"]).collect();
    Err(format!("structure '{}' has no surface '{name}'; it has {}", made.name, known.join(", ")))
}
