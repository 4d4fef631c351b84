//! Numbers of a recording as tables: CSV for spreadsheets, NPZ for NumPy.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use huygens_record::Recording;
use huygens_record::recording::{Field, Frame, GroupFrame, Stage};

use super::error::ExportError;
use super::npz::NpzWriter;
use super::staging::Staging;
use super::{ExportReport, FrameChoice, Progress, Walk, item_name};
use crate::shapes::{ItemValues, field};

/// A quantity that becomes columns of a CSV or an array of an NPZ file.
#[derive(Clone, Debug, PartialEq)]
pub struct TableField {
    /// Name of the group.
    pub group: String,
    /// Name of the field, or of a constant.
    pub field: String,
    /// Names or numbers of items; all where empty.
    pub items: Vec<String>,
}

impl TableField {
    /// A field of all items of a group.
    pub fn new(group: &str, field: &str) -> Self {
        Self { group: group.into(), field: field.into(), items: Vec::new() }
    }

    /// All fields of all groups of a recording.
    pub fn all(stage: &Stage) -> Vec<Self> {
        let of_group = |group: &huygens_record::recording::Group| {
            let fields: Vec<_> =
                group.fields.iter().chain(&group.constants).map(|f| f.name.clone()).collect();
            let name = group.name.clone();
            fields.into_iter().map(move |field| Self { group: name.clone(), field, items: Vec::new() })
        };
        stage.groups.iter().flat_map(of_group).collect()
    }
}

/// A field that was found in the stage.
struct Column<'a> {
    group: usize,
    field: &'a Field,
    /// Numbers of the items; none for all.
    items: Option<Vec<usize>>,
}

impl<'a> Column<'a> {
    fn find(stage: &'a Stage, wanted: &TableField) -> Result<Self, ExportError> {
        let names = || stage.groups.iter().map(|g| g.name.clone()).collect();
        let group = stage.groups.iter().position(|g| g.name == wanted.group).ok_or_else(|| {
            ExportError::Missing { what: "group".into(), name: wanted.group.clone(), present: names() }
        })?;
        let owner = &stage.groups[group];
        let mut fields = owner.fields.iter().chain(&owner.constants);
        let field = fields.find(|f| f.name == wanted.field).ok_or_else(|| ExportError::Missing {
            what: format!("field of group '{}'", owner.name),
            name: wanted.field.clone(),
            present: owner.fields.iter().chain(&owner.constants).map(|f| f.name.clone()).collect(),
        })?;
        let item = |name: &String| {
            // Of several things of one name, the last; the others go by number.
            let named = owner.names.iter().rposition(|n| n == name);
            named.or_else(|| name.parse().ok()).ok_or_else(|| ExportError::Missing {
                what: format!("item of group '{}'", owner.name),
                name: name.clone(),
                present: owner.names.iter().take(20).cloned().collect(),
            })
        };
        let items = wanted.items.iter().map(item).collect::<Result<Vec<usize>, _>>()?;
        Ok(Self { group, field, items: (!items.is_empty()).then_some(items) })
    }

    /// Items at a frame: those asked for, or all that are there.
    fn items(&self, frame: &Frame) -> Vec<usize> {
        match &self.items {
            Some(items) => items.clone(),
            None => (0..frame.groups[self.group].count).collect(),
        }
    }

    fn values<'b>(&self, stage: &'b Stage, frame: &'b Frame) -> ColumnValues<'b> {
        let nothing = ItemValues { values: &[], components: self.field.components };
        let values = field(stage, frame, self.group, &self.field.name).unwrap_or(nothing);
        ColumnValues { values, group: &frame.groups[self.group], order: order(self.field) }
    }
}

struct ColumnValues<'a> {
    values: ItemValues<'a>,
    group: &'a GroupFrame,
    order: Vec<usize>,
}

impl ColumnValues<'_> {
    /// The numbers of an item; not numbers while it is not there.
    fn of(&self, item: usize) -> impl Iterator<Item = f32> + '_ {
        let there = self.group.is_there(item);
        let number = move |c: &usize| if there { self.values.number(item, *c) } else { f32::NAN };
        self.order.iter().map(number)
    }
}

/// Writes some fields of one group as CSV: a row for each time and item that is there.
pub fn write_csv(
    recording: &Recording,
    choice: &FrameChoice,
    fields: &[TableField],
    path: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportReport, ExportError> {
    let stage = recording.stage();
    let columns = fields.iter().map(|f| Column::find(stage, f)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = columns.first() else {
        return Err(no_field(stage));
    };
    if let Some(other) = columns.iter().find(|c| c.group != first.group || c.items != first.items) {
        let [first, second] =
            [first, other].map(|c| format!("{}.{}", stage.groups[c.group].name, c.field.name));
        return Err(ExportError::MixedRows { first, second });
    }
    let mut walk = Walk::new(recording, choice, progress)?;
    let (mut staging, name) = Staging::file(path)?;
    let shown = staging.shown(&name);
    let group = &stage.groups[first.group];
    staging.write(&name, &mut |out| {
        let heads: Vec<String> = columns.iter().flat_map(|c| heads(c.field)).collect();
        writeln!(out, "time [s],item,{}", heads.join(",")).map_err(ExportError::write(&shown))?;
        let mut line = String::new();
        walk.each(&mut |_, frame| {
            let values: Vec<ColumnValues<'_>> = columns.iter().map(|c| c.values(stage, frame)).collect();
            let there = &frame.groups[first.group];
            for item in first.items(frame).into_iter().filter(|item| there.is_there(*item)) {
                line.clear();
                // Debug writes the shortest text that reads back as the same number.
                let _ = write!(line, "{:?},{}", frame.time, quoted(&csv_item(group, item)));
                for value in values.iter().flat_map(|v| v.of(item)) {
                    push_number(f64::from(value), value, &mut line);
                }
                line.push('\n');
                out.write_all(line.as_bytes()).map_err(ExportError::write(&shown))?;
            }
            Ok(())
        })
    })?;
    staging.finish(&name, Vec::new())
}

/// Appends a cell: nothing for what is not a number.
fn push_number(value: f64, shown: impl std::fmt::Debug, line: &mut String) {
    line.push(',');
    if !value.is_nan() {
        let _ = write!(line, "{shown:?}");
    }
}

/// Writes the scalars of a recording, such as energies, as CSV: a row for each time. A cell is empty where a scalar is
/// not there.
pub fn write_scalars_csv(
    recording: &Recording,
    choice: &FrameChoice,
    path: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportReport, ExportError> {
    let stage = recording.stage();
    let mut walk = Walk::new(recording, choice, progress)?;
    let (mut staging, name) = Staging::file(path)?;
    let mut text = String::from("time [s],step");
    for scalar in &stage.scalars {
        let _ = write!(text, ",{}", quoted(&with_unit(&scalar.name, &scalar.unit)));
    }
    text.push('\n');
    walk.each(&mut |_, frame| {
        let _ = write!(text, "{:?},{}", frame.time, frame.step);
        for value in &frame.scalars {
            push_number(*value, value, &mut text);
        }
        text.push('\n');
        Ok(())
    })?;
    staging.write_bytes(&name, text.as_bytes())?;
    staging.finish(&name, Vec::new())
}

/// Writes fields and all scalars as NumPy arrays.
///
/// `times` [s] and `steps` have one entry a frame, as has each scalar `scalar.NAME`. A field `GROUP.FIELD` has the
/// shape (frames, items, components); items with names, and those asked for by number, are NaN while they are not
/// there. Where the number of items changes and all are written, it has the shape (all items of all frames, components), and
/// `GROUP.FIELD.counts` says how many belong to each frame.
pub fn write_npz(
    recording: &Recording,
    choice: &FrameChoice,
    fields: &[TableField],
    path: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportReport, ExportError> {
    let stage = recording.stage();
    let columns = fields.iter().map(|f| Column::find(stage, f)).collect::<Result<Vec<_>, _>>()?;
    let mut walk = Walk::new(recording, choice, progress)?.passes(columns.len());
    let (mut staging, name) = Staging::file(path)?;
    let shown = staging.shown(&name);
    staging.write(&name, &mut |out| {
        let failed = ExportError::write(&shown);
        let mut npz = NpzWriter::new(out);
        write_scalars(recording, &walk.frames, &mut npz).map_err(&failed)?;
        for column in &columns {
            let array = format!("{}.{}", stage.groups[column.group].name, column.field.name);
            let mut counts: Vec<usize> = Vec::new();
            npz.begin(&array).map_err(&failed)?;
            walk.each(&mut |_, frame| {
                let values = column.values(stage, frame);
                let items = column.items(frame);
                counts.push(items.len());
                let bytes: Vec<u8> =
                    items.iter().flat_map(|item| values.of(*item)).flat_map(f32::to_le_bytes).collect();
                npz.append(&bytes).map_err(&failed)
            })?;
            let components = column.field.components;
            let even = counts.iter().all(|count| *count == counts[0]);
            let result = match even {
                true => npz.end("<f4", &[counts.len(), counts[0], components]),
                false => npz.end("<f4", &[counts.iter().sum(), components]),
            };
            result.map_err(&failed)?;
            if !even {
                let bytes: Vec<u8> = counts.iter().flat_map(|c| (*c as u64).to_le_bytes()).collect();
                npz.array(&format!("{array}.counts"), "<u8", &[counts.len()], &bytes).map_err(&failed)?;
            }
        }
        npz.finish().map_err(&failed)
    })?;
    staging.finish(&name, Vec::new())
}

fn write_scalars<W: Write + std::io::Seek>(
    recording: &Recording,
    frames: &[usize],
    npz: &mut NpzWriter<'_, W>,
) -> std::io::Result<()> {
    let shape = [frames.len()];
    let floats = |value: &dyn Fn(usize) -> f64| -> Vec<u8> {
        frames.iter().flat_map(|frame| value(*frame).to_le_bytes()).collect()
    };
    npz.array("times", "<f8", &shape, &floats(&|frame| recording.times()[frame]))?;
    let steps: Vec<u8> = frames.iter().flat_map(|frame| recording.steps()[*frame].to_le_bytes()).collect();
    npz.array("steps", "<u8", &shape, &steps)?;
    let scalars = &recording.stage().scalars;
    for (number, scalar) in scalars.iter().enumerate() {
        let values = floats(&|frame| recording.scalars()[frame * scalars.len() + number]);
        npz.array(&format!("scalar.{}", scalar.name), "<f8", &shape, &values)?;
    }
    Ok(())
}

fn no_field(stage: &Stage) -> ExportError {
    let present = TableField::all(stage).iter().map(|f| format!("{}.{}", f.group, f.field)).collect();
    ExportError::Missing { what: "field".into(), name: String::new(), present }
}

/// Components of a field in the order of a table. A recording holds quaternions with the scalar last; tables have it
/// first, as scene files do.
fn order(field: &Field) -> Vec<usize> {
    match (field.name.as_str(), field.components) {
        ("rotation", 4) => vec![3, 0, 1, 2],
        (_, components) => (0..components).collect(),
    }
}

/// Heads of the columns of a field.
fn heads(field: &Field) -> Vec<String> {
    let ending = |component: usize| match field.components {
        1 => String::new(),
        2..=4 => format!(".{}", ["x", "y", "z", "w"][component]),
        _ => format!(".{component}"),
    };
    order(field)
        .into_iter()
        .map(|c| quoted(&with_unit(&format!("{}{}", field.name, ending(c)), &field.unit)))
        .collect()
}

fn with_unit(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

fn csv_item(group: &huygens_record::recording::Group, item: usize) -> String {
    match group.names.is_empty() {
        true => item.to_string(),
        false => item_name(group, item),
    }
}

/// Text as it may stand in a cell of a CSV file.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
