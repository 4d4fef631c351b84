//! VTK files for ParaView: points, surfaces, skins and tubes of every group over time.
//!
//! `scene.pvd` opens everything; a series alone is opened by its own `NAME.pvd`. Series: `GROUP` (items as points with
//! all their fields), `GROUP_surfaces` (shapes as triangles, fields of their items on the cells), `GROUP_skin`
//! (triangles between items), `GROUP_tubes` (lines between items), `GROUP_cells` (lines and tetrahedra of elements, whose
//! fields are those of the cells). Time and scalars are field data.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use glam::DVec3;
use huygens_record::Recording;
use huygens_record::recording::{Batch, BatchKind, Frame, GroupFrame, GroupKind, Stage};

use super::error::ExportError;
use super::staging::Staging;
use super::tessellation::{Triangles, check_size, ground_square, segments_for, wall_note};
use super::vtp::{Array, Cells, Grid, PolyData, Values, escaped};
use super::{ExportReport, FrameChoice, Progress, Walk, file_name, framing, item_name};
use crate::camera::Framing;
use crate::looks::Paint;
use crate::shapes::{ItemValues, Selection, Shape, field, for_each_shape};
use crate::view::View;

/// Writes VTP files and PVD series into a folder.
pub fn write(
    recording: &Recording,
    choice: &FrameChoice,
    folder: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportReport, ExportError> {
    let mut walk = Walk::new(recording, choice, progress)?;
    let stage = recording.stage();
    let view = View::default();
    let framing = framing(stage, &walk.scouts()?, &view)?;
    let series = Series::of(stage);
    let mut staging = Staging::new(folder)?;
    let mut painter = Surfaces::new(stage, &view, &framing);
    let mut times = Vec::new();
    walk.each(&mut |number, frame| {
        times.push(frame.time);
        painter.collect(frame)?;
        for one in &series {
            let data = one.data(stage, frame, &mut painter);
            let name = one.file(number);
            let shown = staging.shown(&name);
            staging.write(&name, &mut |out| {
                let done = match &data {
                    Data::Surface(data) => data.write(out),
                    Data::Elements(data) => data.write(out),
                };
                done.map_err(ExportError::write(&shown))
            })?;
        }
        Ok(())
    })?;
    for one in &series {
        staging.write_bytes(&format!("{}.pvd", one.name), collection(&times, &[one]).as_bytes())?;
    }
    let all: Vec<&Series> = series.iter().collect();
    staging.write_bytes("scene.pvd", collection(&times, &all).as_bytes())?;
    staging.finish("scene.pvd", painter.notes)
}

/// Kinds of cells, as VTK counts them.
const VTK_LINE: u8 = 3;
const VTK_TETRA: u8 = 10;
const VTK_QUADRATIC_EDGE: u8 = 21;

/// What the files of a series show.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    Points,
    Surfaces,
    Skin,
    Tubes,
    Cells,
}

/// What a file holds.
enum Data {
    Surface(PolyData),
    Elements(Grid),
}

/// Files of the same content, one a frame.
struct Series {
    name: String,
    group: usize,
    content: Content,
}

impl Series {
    fn of(stage: &Stage) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (number, group) in stage.groups.iter().enumerate() {
            let mut add = |ending: &str, content| {
                let wanted = file_name(&format!("{}{ending}", group.name));
                let taken = |name: &String| name == "scene" || all.iter().any(|s| s.name == *name);
                let others = (2..).map(|i| format!("{wanted}_{i}"));
                let name = std::iter::once(wanted.clone()).chain(others).find(|name| !taken(name));
                all.push(Self { name: name.unwrap_or(wanted), group: number, content });
            };
            add("", Content::Points);
            if shapes_drawn(stage, number) {
                add("_surfaces", Content::Surfaces);
            }
            if stage.skins.iter().any(|skin| skin.group == number) {
                add("_skin", Content::Skin);
            }
            if stage.tubes.iter().any(|tubes| tubes.group == number) {
                add("_tubes", Content::Tubes);
            }
            if stage.cells.iter().any(|cells| cells.elements == number) {
                add("_cells", Content::Cells);
            }
        }
        all
    }

    fn file(&self, frame: usize) -> String {
        let ending = if self.content == Content::Cells { "vtu" } else { "vtp" };
        format!("{name}/{name}_{frame:05}.{ending}", name = self.name)
    }

    fn data(&self, stage: &Stage, frame: &Frame, surfaces: &mut Surfaces<'_>) -> Data {
        let scalars = stage.scalars.iter().zip(&frame.scalars).map(|(s, value)| (s.name.clone(), *value));
        let field_data = std::iter::once(("TimeValue".to_owned(), frame.time)).chain(scalars).collect();
        let data = match self.content {
            Content::Cells => return Data::Elements(Grid { field_data, ..self.elements(stage, frame) }),
            Content::Surfaces => surfaces.take(self.group, stage, frame),
            content => self.points(stage, frame, content),
        };
        Data::Surface(PolyData { field_data, ..data })
    }

    /// Elements as cells between the items of other groups.
    fn elements(&self, stage: &Stage, frame: &Frame) -> Grid {
        let mut grid = Grid::default();
        let mut items = Vec::new();
        for cells in stage.cells.iter().filter(|cells| cells.elements == self.group) {
            let ends = Self { name: String::new(), group: cells.group, content: Content::Points };
            let nodes = ends.points(stage, frame, Content::Points);
            let (first, corners) = (grid.points.len() as i64 / 3, corners(&frame.groups[cells.group]));
            // Fields of corners are shown where one group has them all.
            grid.point_data = if first == 0 { nodes.point_data } else { Vec::new() };
            grid.points.extend(nodes.points);
            let kind = cells.vtk.unwrap_or(match cells.corners {
                2 => VTK_LINE,
                3 => VTK_QUADRATIC_EDGE,
                _ => VTK_TETRA,
            });
            for (item, ends) in cells.items.chunks_exact(cells.corners).enumerate() {
                if let Some(ends) = corners(ends).filter(|_| frame.groups[self.group].is_there(item)) {
                    grid.cells.push(ends.into_iter().map(|item| first + item));
                    grid.types.push(kind);
                    items.push(item);
                }
            }
        }
        let fields = item_fields(stage, frame, self.group).into_iter();
        grid.cell_data = fields.map(|(name, values)| values.array(name, items.iter().copied())).collect();
        grid
    }

    /// Items that are there as points, with cells between them.
    fn points(&self, stage: &Stage, frame: &Frame, content: Content) -> PolyData {
        let there = &frame.groups[self.group];
        let places = field(stage, frame, self.group, "position").filter(|places| places.components == 3);
        let known = |item: &usize| {
            there.is_there(*item) && places.is_some_and(|places| places.values.len() >= 3 * (item + 1))
        };
        let items: Vec<usize> = (0..there.count).filter(known).collect();
        let points =
            places.map_or(Vec::new(), |places| items.iter().flat_map(|item| places.of(*item)).collect());
        let count = items.len();
        let mut data = PolyData { points, ..PolyData::default() };
        data.point_data = item_fields(stage, frame, self.group)
            .into_iter()
            .map(|(name, values)| values.array(name, items.iter().copied()))
            .collect();
        let names = &stage.groups[self.group].names;
        if !names.is_empty() && items.iter().all(|item| *item < names.len()) {
            let values = Values::Text(items.iter().map(|item| names[*item].clone()).collect());
            data.point_data.push(Array { name: "name".into(), components: 1, values });
        }
        match content {
            Content::Points | Content::Surfaces | Content::Cells => {
                (0..count).for_each(|item| data.verts.push([item as i64]));
            }
            Content::Skin => {
                let corners = corners(there);
                for skin in stage.skins.iter().filter(|skin| skin.group == self.group) {
                    let triangles = skin.triangles.chunks_exact(3).filter_map(&corners);
                    triangles.for_each(|triangle| data.polys.push(triangle));
                }
            }
            Content::Tubes => {
                let (corners, mut radii) = (corners(there), Vec::new());
                for tubes in stage.tubes.iter().filter(|tubes| tubes.group == self.group) {
                    for ends in tubes.segments.chunks_exact(2).filter_map(&corners) {
                        data.lines.push(ends);
                        radii.push(tubes.radius);
                    }
                }
                data.cell_data.push(Array {
                    name: "tube_radius".into(),
                    components: 1,
                    values: Values::F32(radii),
                });
            }
        }
        data
    }
}

/// Numbers of the points of items, where all of them are there.
fn corners(group: &GroupFrame) -> impl Fn(&[u32]) -> Option<Vec<i64>> + use<> {
    let mut next = 0;
    let mut number = |item: usize| {
        next += i64::from(group.is_there(item));
        group.is_there(item).then_some(next - 1)
    };
    let numbers: Vec<Option<i64>> = (0..group.count).map(&mut number).collect();
    move |items| items.iter().map(|item| numbers.get(*item as usize).copied().flatten()).collect()
}

/// Whether a group has shapes that become triangles; grains that are balls stay points with a radius.
fn shapes_drawn(stage: &Stage, group: usize) -> bool {
    let grains = matches!(stage.groups[group].kind, GroupKind::Particles | GroupKind::Markers);
    let drawn = |batch: &Batch| !(grains && batch.kind == BatchKind::Sphere);
    stage.batches.iter().any(|batch| batch.group == group && drawn(batch))
}

/// Numbers of items.
enum Source<'a> {
    Field(ItemValues<'a>),
    /// Radii of the balls that a batch gives to items.
    Balls(BTreeMap<usize, f32>),
}

impl Source<'_> {
    /// The numbers of some items side by side.
    fn array(&self, name: String, items: impl Iterator<Item = usize>) -> Array {
        let (components, values) = match self {
            Self::Field(values) => (values.components, items.flat_map(|item| values.of(item)).collect()),
            Self::Balls(radii) => (1, items.map(|i| radii.get(&i).copied().unwrap_or(f32::NAN)).collect()),
        };
        Array { name, components, values: Values::F32(values) }
    }
}

/// All fields of a group but places.
fn item_fields<'a>(stage: &'a Stage, frame: &'a Frame, group: usize) -> Vec<(String, Source<'a>)> {
    let owner = &stage.groups[group];
    let mut out: Vec<(String, Source<'a>)> = Vec::new();
    for found in owner.fields.iter().chain(&owner.constants).filter(|f| f.name != "position") {
        let values = field(stage, frame, group, &found.name);
        if let Some(values) = values.filter(|_| out.iter().all(|(name, _)| *name != found.name)) {
            out.push((found.name.clone(), Source::Field(values)));
        }
    }
    let grains = matches!(owner.kind, GroupKind::Particles | GroupKind::Markers);
    if grains && out.iter().all(|(name, _)| name != "radius") {
        let balls = stage.batches.iter().filter(|b| b.group == group && b.kind == BatchKind::Sphere);
        let radii: BTreeMap<usize, f32> =
            balls.flat_map(|b| b.items.iter().map(|i| *i as usize).zip(b.sizes.iter().copied())).collect();
        if !radii.is_empty() {
            out.push(("radius".into(), Source::Balls(radii)));
        }
    }
    out
}

/// Triangles of all shapes, group by group.
struct Surfaces<'a> {
    stage: Stage,
    view: &'a View,
    framing: &'a Framing,
    segments: usize,
    /// Triangles of shapes by kind, size and mesh.
    known: BTreeMap<(u8, [u32; 4], Option<usize>), Triangles>,
    /// Triangles of this frame by group.
    parts: BTreeMap<usize, Part>,
    notes: Vec<String>,
}

#[derive(Default)]
struct Part {
    points: Vec<f32>,
    polys: Cells,
    items: Vec<i32>,
    colors: Vec<u8>,
}

impl<'a> Surfaces<'a> {
    fn new(stage: &Stage, view: &'a View, framing: &'a Framing) -> Self {
        // Tubes are lines here, not capsules.
        let stage = Stage { tubes: Vec::new(), ..stage.clone() };
        let segments = segments_for(&stage);
        let (known, parts) = (BTreeMap::new(), BTreeMap::new());
        Self { stage, view, framing, segments, known, parts, notes: Vec::new() }
    }

    fn collect(&mut self, frame: &Frame) -> Result<(), ExportError> {
        self.parts.clear();
        let Self { stage, view, framing, segments, known, parts, notes } = self;
        let drawn: Vec<bool> = (0..stage.groups.len()).map(|group| shapes_drawn(stage, group)).collect();
        for_each_shape(stage, frame, &Selection::new(view), &mut |shape| {
            if !drawn[shape.group] {
                return Ok(());
            }
            check_size(stage, &shape)?;
            let part = parts.entry(shape.group).or_default();
            let paint = Paint::of(stage, view, shape.group, shape.item, shape.look)?;
            if shape.kind == BatchKind::HalfSpace {
                match ground_square(framing, shape.position, shape.rotation) {
                    Some(square) => part.add(&shape, &square, paint.bytes()),
                    None => {
                        let note = wall_note(&item_name(&stage.groups[shape.group], shape.item));
                        if !notes.contains(&note) {
                            notes.push(note);
                        }
                    }
                }
                return Ok(());
            }
            let key = (shape.kind as u8, shape.size.map(f32::to_bits), shape.mesh);
            let triangles = known.entry(key).or_insert_with(|| {
                let mesh = shape.mesh.and_then(|mesh| stage.meshes.get(mesh));
                Triangles::of_shape(shape.kind, &shape.size, mesh, *segments).unwrap_or_default()
            });
            part.add(&shape, triangles, paint.bytes());
            Ok(())
        })?;
        Ok(())
    }

    fn take(&mut self, group: usize, stage: &Stage, frame: &Frame) -> PolyData {
        let part = self.parts.remove(&group).unwrap_or_default();
        let mut cell_data: Vec<Array> = item_fields(stage, frame, group)
            .into_iter()
            .map(|(name, values)| values.array(name, part.items.iter().map(|item| *item as usize)))
            .collect();
        cell_data.push(Array { name: "item".into(), components: 1, values: Values::I32(part.items) });
        cell_data.push(Array { name: "color".into(), components: 4, values: Values::U8(part.colors) });
        PolyData { points: part.points, polys: part.polys, cell_data, ..PolyData::default() }
    }
}

impl Part {
    fn add(&mut self, shape: &Shape, triangles: &Triangles, color: [u8; 4]) {
        let first = (self.points.len() / 3) as i64;
        for vertex in &triangles.vertices {
            let place: DVec3 = shape.position + shape.rotation * vertex.as_dvec3();
            self.points.extend(place.as_vec3().to_array());
        }
        for corners in &triangles.corners {
            self.polys.push(corners.map(|corner| first + i64::from(corner)));
            self.items.push(shape.item as i32);
            self.colors.extend(color);
        }
    }
}

/// A PVD file: which file shows which time.
fn collection(times: &[f64], series: &[&Series]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
         <Collection>\n",
    );
    for (frame, time) in times.iter().enumerate() {
        for (part, one) in series.iter().enumerate() {
            let (name, file) = (escaped(&one.name), escaped(&one.file(frame)));
            let _ = writeln!(
                text,
                "<DataSet timestep=\"{time:?}\" group=\"\" part=\"{part}\" name=\"{name}\" file=\"{file}\"/>"
            );
        }
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    text
}
