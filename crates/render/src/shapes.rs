//! The shapes of a frame at their places, and the fields of its items.

use glam::{DQuat, DVec3};
use huygens_record::recording::{Batch, BatchKind, Frame, Group, GroupKind, Skin, Stage};

use crate::error::RenderError;
use crate::view::{View, fits};

/// One shape at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub kind: BatchKind,
    pub position: DVec3,
    pub rotation: DQuat,
    pub size: [f32; 4],
    pub group: usize,
    pub item: usize,
    pub look: Option<usize>,
    pub mesh: Option<usize>,
}

/// Which groups and items are drawn.
pub(crate) struct Selection<'a> {
    view: &'a View,
    /// Whether particles may be drawn as one surface.
    surfaces: bool,
}

impl<'a> Selection<'a> {
    /// Every item is drawn as itself.
    pub fn new(view: &'a View) -> Self {
        Self { view, surfaces: false }
    }

    /// Particles may be drawn as one surface.
    pub fn with_surfaces(view: &'a View) -> Self {
        Self { view, surfaces: true }
    }

    /// Whether particles of a group are drawn as one surface.
    pub fn as_surface(&self, group: &Group) -> bool {
        self.surfaces
            && matches!(group.kind, GroupKind::Particles | GroupKind::Markers)
            && self.view.surfaces.iter().any(|p| fits(p, &group.name))
    }

    /// Whether an item is drawn as itself.
    pub fn draws(&self, group: &Group, item: usize) -> bool {
        !self.as_surface(group) && self.shows(group, item)
    }

    /// Whether an item is among those that are drawn.
    pub fn shows(&self, group: &Group, item: usize) -> bool {
        let view = self.view;
        if view.show.is_empty() && view.hide.is_empty() {
            return true;
        }
        let name = group.names.get(item).map_or("", String::as_str);
        let named = |patterns: &[String]| {
            patterns.iter().any(|p| fits(p, &group.name) || (!name.is_empty() && fits(p, name)))
        };
        (view.show.is_empty() || named(&view.show)) && !named(&view.hide)
    }

    /// Corners of the triangles of a skin that are drawn: of those items that are there.
    pub fn skin_corners(&self, group: &Group, skin: &Skin, poses: &Poses<'_>) -> Vec<[u32; 3]> {
        let drawn = |item: &u32| poses.is_there(*item as usize) && self.draws(group, *item as usize);
        let triangles = skin.triangles.chunks_exact(3).filter(|t| t.iter().all(drawn));
        triangles.map(|t| [t[0], t[1], t[2]]).collect()
    }
}

/// Values of a field, by item.
#[derive(Clone, Copy)]
pub(crate) struct ItemValues<'a> {
    pub values: &'a [f32],
    /// Numbers an item.
    pub components: usize,
}

impl<'a> ItemValues<'a> {
    /// Number `component` of an item; one entry may stand for all, and a constant may lack items that came later,
    /// which then are not numbers.
    pub fn number(&self, item: usize, component: usize) -> f32 {
        let item = if self.values.len() == self.components { 0 } else { item };
        self.values.get(self.components * item + component).copied().unwrap_or(f32::NAN)
    }

    /// The numbers of an item.
    pub fn of(self, item: usize) -> impl Iterator<Item = f32> + 'a {
        (0..self.components).map(move |component| self.number(item, component))
    }
}

/// A field of a group.
pub(crate) fn field<'a>(
    stage: &'a Stage,
    frame: &'a Frame,
    group: usize,
    name: &str,
) -> Option<ItemValues<'a>> {
    let fields = &stage.groups.get(group)?;
    if let Some(index) = fields.fields.iter().position(|f| f.name == name) {
        let values = frame.groups.get(group)?.fields.get(index)?;
        return Some(ItemValues { values, components: fields.fields[index].components });
    }
    let index = fields.constants.iter().position(|f| f.name == name)?;
    let values = fields.constant_values.get(index)?;
    Some(ItemValues { values, components: fields.constants[index].components })
}

/// Unit of a field of a group.
pub(crate) fn unit<'a>(group: &'a Group, name: &str) -> Option<&'a str> {
    group.fields.iter().chain(&group.constants).find(|f| f.name == name).map(|f| f.unit.as_str())
}

/// Places of the items of one group.
pub(crate) struct Poses<'a> {
    stage: &'a Stage,
    frame: &'a Frame,
    group: usize,
    positions: &'a [f32],
    rotations: &'a [f32],
    pub count: usize,
}

impl<'a> Poses<'a> {
    pub fn new(stage: &'a Stage, frame: &'a Frame, group: usize) -> Result<Self, RenderError> {
        let fault = |what: String| RenderError::Stage { what };
        let name = match stage.groups.get(group) {
            Some(group) => &group.name,
            None => {
                return Err(fault(format!("group {group} is referred to, there are {}", stage.groups.len())));
            }
        };
        let count = match frame.groups.get(group) {
            Some(group) => group.count,
            None => return Err(fault(format!("the frame at {} s lacks group '{name}'", frame.time))),
        };
        let array = |field_name: &str, components: usize| match field(stage, frame, group, field_name) {
            Some(found) if found.components == components && found.values.len() >= count * components => {
                Ok(found.values)
            }
            None => Ok(&[][..]),
            Some(found) => Err(fault(format!(
                "field '{field_name}' of group '{name}' holds {} numbers of {} components, expected {count} × \
                 {components}",
                found.values.len(),
                found.components
            ))),
        };
        let (positions, rotations) = (array("position", 3)?, array("rotation", 4)?);
        if positions.is_empty() && count > 0 {
            return Err(fault(format!("group '{name}' has shapes but no field 'position'")));
        }
        Ok(Self { stage, frame, group, positions, rotations, count })
    }

    /// Place and rotation of an item; none while it is not there.
    pub fn find(&self, item: usize) -> Result<Option<(DVec3, DQuat)>, RenderError> {
        if self.is_there(item) { self.of(item).map(Some) } else { Ok(None) }
    }

    /// Whether an item is there.
    pub fn is_there(&self, item: usize) -> bool {
        self.frame.groups[self.group].is_there(item)
    }

    /// Places of all items; not numbers for those that are not there.
    pub fn places(&self) -> Result<Vec<DVec3>, RenderError> {
        (0..self.count).map(|item| Ok(self.find(item)?.map_or(DVec3::NAN, |(place, _)| place))).collect()
    }

    fn of(&self, item: usize) -> Result<(DVec3, DQuat), RenderError> {
        let position = DVec3::from_array(floats(&self.positions[3 * item..]));
        let rotation = match self.rotations.is_empty() {
            true => DQuat::IDENTITY,
            false => DQuat::from_array(floats(&self.rotations[4 * item..])),
        };
        let length = rotation.length();
        if !(position.is_finite() && length.is_finite() && length > 1e-6) {
            return Err(self.lost(item));
        }
        Ok((position, rotation / length))
    }

    fn lost(&self, item: usize) -> RenderError {
        let group = &self.stage.groups[self.group];
        let item = match group.names.get(item).filter(|name| !name.is_empty()) {
            Some(name) => format!("'{name}' of group '{}'", group.name),
            None => format!("item {item} of group '{}'", group.name),
        };
        RenderError::NonFinite { item, time: self.frame.time }
    }
}

fn floats<const N: usize>(values: &[f32]) -> [f64; N] {
    std::array::from_fn(|i| f64::from(values.get(i).copied().unwrap_or(0.0)))
}

/// Calls `draw` for every shape that is drawn, half-spaces included; segments of tubes are capsules.
pub(crate) fn for_each_shape(
    stage: &Stage,
    frame: &Frame,
    selection: &Selection<'_>,
    draw: &mut dyn FnMut(Shape) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    batches(stage, frame, selection, draw)?;
    bare_groups(stage, frame, selection, draw)?;
    tubes(stage, frame, selection, draw)
}

fn batches(
    stage: &Stage,
    frame: &Frame,
    selection: &Selection<'_>,
    draw: &mut dyn FnMut(Shape) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    for (number, batch) in stage.batches.iter().enumerate() {
        let poses = Poses::new(stage, frame, batch.group)?;
        let group = &stage.groups[batch.group];
        let size_len = batch.kind.size_len();
        let count = batch.items.len();
        let fits = |len: usize, each: usize| len == 0 || len == each * count;
        if batch.sizes.len() != size_len * count
            || !fits(batch.looks.len(), 1)
            || !fits(batch.positions.len(), 3)
            || !fits(batch.rotations.len(), 4)
        {
            let what = format!("the arrays of batch {number} do not fit its {count} shapes");
            return Err(RenderError::Stage { what });
        }
        if batch.kind == BatchKind::Mesh && batch.mesh.is_none_or(|m| m >= stage.meshes.len()) {
            let what = format!("batch {number} refers to a mesh that is not there");
            return Err(RenderError::Stage { what });
        }
        for (index, item) in batch.items.iter().enumerate() {
            let item = *item as usize;
            if !selection.draws(group, item) {
                continue;
            }
            let Some((position, rotation)) = poses.find(item)? else { continue };
            let local = local_shape(batch, index);
            draw(Shape {
                position: position + rotation * local.position,
                rotation: rotation * local.rotation,
                ..local
            })?;
        }
    }
    Ok(())
}

/// A shape of a batch in the frame of its item; arrays of the batch must fit.
pub(crate) fn local_shape(batch: &Batch, index: usize) -> Shape {
    let position = match batch.positions.is_empty() {
        true => DVec3::ZERO,
        false => DVec3::from_array(floats(&batch.positions[3 * index..])),
    };
    let rotation = match batch.rotations.is_empty() {
        true => DQuat::IDENTITY,
        false => DQuat::from_array(floats(&batch.rotations[4 * index..])).normalize(),
    };
    let size_len = batch.kind.size_len();
    let mut size = [0.0; 4];
    size[..size_len].copy_from_slice(&batch.sizes[size_len * index..size_len * (index + 1)]);
    Shape {
        kind: batch.kind,
        position,
        rotation,
        size,
        group: batch.group,
        item: batch.items[index] as usize,
        look: batch.looks.get(index).map(|look| *look as usize),
        mesh: batch.mesh,
    }
}

/// Grains and markers without a batch are balls of their radius.
fn bare_groups(
    stage: &Stage,
    frame: &Frame,
    selection: &Selection<'_>,
    draw: &mut dyn FnMut(Shape) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    for (number, group) in stage.groups.iter().enumerate() {
        let round = matches!(group.kind, GroupKind::Particles | GroupKind::Markers);
        if !round || stage.batches.iter().any(|batch| batch.group == number) {
            continue;
        }
        let Some(radii) = field(stage, frame, number, "radius").filter(|r| r.components == 1) else {
            continue;
        };
        let poses = Poses::new(stage, frame, number)?;
        for item in (0..poses.count).filter(|item| selection.draws(group, *item)) {
            let Some((position, rotation)) = poses.find(item)? else { continue };
            let size = [radii.number(item, 0), 0.0, 0.0, 0.0];
            // Nothing is known about the size of grains that came after the radii were written.
            if size[0].is_nan() {
                continue;
            }
            let kind = BatchKind::Sphere;
            draw(Shape { kind, position, rotation, size, group: number, item, look: None, mesh: None })?;
        }
    }
    Ok(())
}

fn tubes(
    stage: &Stage,
    frame: &Frame,
    selection: &Selection<'_>,
    draw: &mut dyn FnMut(Shape) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    for tubes in &stage.tubes {
        let poses = Poses::new(stage, frame, tubes.group)?;
        let group = &stage.groups[tubes.group];
        for ends in tubes.segments.chunks_exact(2) {
            let item = ends[0] as usize;
            if !selection.draws(group, item) {
                continue;
            }
            let (Some((a, _)), Some((b, _))) = (poses.find(item)?, poses.find(ends[1] as usize)?) else {
                continue;
            };
            let axis = (b - a).normalize_or(DVec3::Z);
            let size = [tubes.radius, (0.5 * (b - a).length()) as f32, 0.0, 0.0];
            draw(Shape {
                kind: BatchKind::Capsule,
                position: 0.5 * (a + b),
                rotation: DQuat::from_rotation_arc(DVec3::Z, axis),
                size,
                group: tubes.group,
                item,
                look: Some(tubes.look),
                mesh: None,
            })?;
        }
    }
    Ok(())
}

/// Radius of a ball about the origin of a shape that holds it [m]; none for half-spaces.
pub(crate) fn reach(stage: &Stage, shape: &Shape) -> Option<f64> {
    let [a, b, c, d] = shape.size.map(f64::from);
    Some(match shape.kind {
        BatchKind::Sphere => a,
        BatchKind::Ellipsoid => a.max(b).max(c),
        BatchKind::Box => DVec3::new(a, b, c).length(),
        BatchKind::RoundedBox => DVec3::new(a, b, c).length() + d,
        BatchKind::Capsule => a + b,
        BatchKind::Cylinder | BatchKind::Cone => a.hypot(b),
        BatchKind::RoundedCylinder => a.hypot(b) + c,
        BatchKind::HalfSpace => return None,
        BatchKind::Mesh => {
            let vertices = &stage.meshes.get(shape.mesh?)?.vertices;
            let square = |v: &[f32]| v.iter().map(|c| f64::from(*c) * f64::from(*c)).sum::<f64>();
            vertices.chunks_exact(3).map(square).fold(0.0, f64::max).sqrt()
        }
    })
}
