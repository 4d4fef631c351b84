//! What is written during a run: probe rows and checkpoints.

use std::path::{Path, PathBuf};

use huygens_record::{Column, RecordError, SeriesWriter, check_columns, write_checkpoint};

use super::cells::CellSeries;
use super::journey::crossed;
use super::{CHECKPOINTS, RunError};
use crate::spec::GrainMeasureSpec;
use crate::world::{GrainsId, World};

/// One CSV file and which of the probe values go to it.
struct Table {
    writer: SeriesWriter,
    values: Vec<usize>,
}

/// A measure of grains and its files.
struct MeasureFile {
    grains: GrainsId,
    spec: GrainMeasureSpec,
    interval: f64,
    writer: SeriesWriter,
    cells: Option<CellSeries>,
}

impl MeasureFile {
    fn write(&mut self, world: &mut World, row: &mut Vec<f64>) -> Result<(), RunError> {
        let time = world.time();
        let table = world.grain_table(self.grains, &self.spec.quantity)?;
        for values in table.rows() {
            row.clear();
            row.push(time);
            row.extend_from_slice(values);
            self.writer.row(row)?;
        }
        match &mut self.cells {
            Some(cells) => Ok(cells.write(time, &table)?),
            None => Ok(()),
        }
    }
}

/// The time series of a run.
pub(super) struct Tables {
    tables: Vec<Table>,
    measures: Vec<MeasureFile>,
    interval: f64,
    values: Vec<f64>,
    row: Vec<f64>,
}

impl Tables {
    /// Opens one file for each series the probes name; with `resume_at` rows up to that time are kept.
    pub fn open(world: &World, folder: &Path, resume_at: Option<f64>) -> Result<Self, RunError> {
        let mut tables = Vec::new();
        for Header { file, columns, values } in probe_headers(world)? {
            let writer = open(&folder.join(format!("{file}.csv")), &columns, resume_at)?;
            tables.push(Table { writer, values });
        }
        let interval = world.settings().output_interval();
        let mut measures = Vec::new();
        for (grains, set, spec) in world.grain_measures() {
            let header = measure_columns(&spec);
            let name = format!("{set}.{}", spec.name);
            let writer = open(&folder.join(format!("{name}.csv")), &header, resume_at)?;
            let cells = spec.quantity.cells().filter(|_| spec.vtk);
            let cells = cells.map(|cells| CellSeries::open(folder, &name, *cells, resume_at)).transpose()?;
            let interval = spec.every.unwrap_or(interval);
            measures.push(MeasureFile { grains, spec, interval, writer, cells });
        }
        Ok(Self { tables, measures, interval, values: Vec::new(), row: Vec::new() })
    }

    /// Refuses what [`Tables::open`] and the first row would refuse; writes nothing.
    pub fn check(world: &mut World) -> Result<(), RunError> {
        for header in probe_headers(world)? {
            check_columns(&header.columns)?;
        }
        for (grains, _, spec) in world.grain_measures() {
            check_columns(&measure_columns(&spec))?;
            world.grain_table(grains, &spec.quantity)?;
        }
        Ok(world.probe_values(&mut Vec::new())?)
    }

    /// No time series at all.
    pub fn none() -> Self {
        Self { tables: Vec::new(), measures: Vec::new(), interval: 1.0, values: Vec::new(), row: Vec::new() }
    }

    /// Writes a row if a multiple of the interval lies in (`before`, now].
    pub fn observe(&mut self, world: &mut World, before: f64) -> Result<(), RunError> {
        for measure in &mut self.measures {
            if crossed(measure.interval, before, world.time()) {
                measure.write(world, &mut self.row)?;
            }
        }
        if crossed(self.interval, before, world.time()) { self.write_probes(world) } else { Ok(()) }
    }

    /// Writes a row of everything.
    pub fn write(&mut self, world: &mut World) -> Result<(), RunError> {
        self.measures.iter_mut().try_for_each(|measure| measure.write(world, &mut self.row))?;
        self.write_probes(world)
    }

    fn write_probes(&mut self, world: &mut World) -> Result<(), RunError> {
        if self.tables.is_empty() {
            return Ok(());
        }
        self.values.clear();
        world.probe_row(&mut self.values)?;
        for table in &mut self.tables {
            self.row.clear();
            self.row.push(world.time());
            self.row.extend(table.values.iter().map(|i| self.values[*i]));
            table.writer.row(&self.row)?;
        }
        Ok(())
    }

    /// Brings all rows to disk.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        let measures = self.measures.iter_mut().map(|m| &mut m.writer);
        self.tables.iter_mut().map(|t| &mut t.writer).chain(measures).try_for_each(SeriesWriter::sync)
    }

    /// Completes all files under their final names; those of probes.
    pub fn finish(self) -> Result<Vec<PathBuf>, RecordError> {
        for measure in self.measures {
            measure.writer.finish()?;
        }
        self.tables.into_iter().map(|t| t.writer.finish()).collect()
    }
}

/// Name and columns of a file of probes, and which of the probe values go to it.
struct Header {
    file: String,
    columns: Vec<Column>,
    values: Vec<usize>,
}

/// One header for each file that the probes name.
fn probe_headers(world: &World) -> Result<Vec<Header>, RunError> {
    let mut headers: Vec<Header> = Vec::new();
    for (i, column) in world.probe_columns()?.into_iter().enumerate() {
        let known = headers.iter().position(|header| header.file == column.file);
        let at = known.unwrap_or_else(|| {
            let columns = vec![Column::new("time", "s")];
            headers.push(Header { file: column.file, columns, values: Vec::new() });
            headers.len() - 1
        });
        headers[at].columns.push(Column::new(&column.name, column.unit));
        headers[at].values.push(i);
    }
    Ok(headers)
}

fn measure_columns(spec: &GrainMeasureSpec) -> Vec<Column> {
    let columns = spec.quantity.columns();
    let columns = columns.iter().map(|(name, unit)| Column::new(*name, *unit));
    std::iter::once(Column::new("time", "s")).chain(columns).collect()
}

/// Opens a series; with `resume_at` rows up to that time are kept.
fn open(path: &Path, header: &[Column], resume_at: Option<f64>) -> Result<SeriesWriter, RecordError> {
    match resume_at {
        Some(time) => SeriesWriter::resume(path, header, time),
        None => SeriesWriter::create(path, header),
    }
}

/// Saves the state of the world; rows are brought to disk first.
pub(super) fn checkpoint(world: &mut World, tables: &mut Tables, folder: &Path) -> Result<PathBuf, RunError> {
    tables.sync()?;
    let chunks = world.save()?;
    let borrowed: Vec<(&str, &[u8])> = chunks.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    Ok(write_checkpoint(&folder.join(CHECKPOINTS), world.step_count(), &borrowed)?)
}
