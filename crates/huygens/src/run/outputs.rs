//! What is written while a run goes on: probe rows and checkpoints.

use std::path::{Path, PathBuf};

use huygens_record::{Column, RecordError, SeriesWriter, write_checkpoint};

use super::{CHECKPOINTS, RunError};
use crate::world::World;

/// One CSV file and which of the probe values go to it.
struct Table {
    writer: SeriesWriter,
    values: Vec<usize>,
}

/// The time series of a run.
pub(super) struct Tables {
    tables: Vec<Table>,
    interval: f64,
    values: Vec<f64>,
    row: Vec<f64>,
}

impl Tables {
    /// Opens one file for each series the probes name; with `resume_at` rows up to that time are kept.
    pub fn open(world: &World, folder: &Path, resume_at: Option<f64>) -> Result<Self, RunError> {
        let columns = world.probe_columns()?;
        let mut files: Vec<&str> = Vec::new();
        for column in &columns {
            if !files.contains(&column.file.as_str()) {
                files.push(&column.file);
            }
        }
        let mut tables = Vec::new();
        for file in files {
            let values: Vec<usize> = (0..columns.len()).filter(|i| columns[*i].file == file).collect();
            let mut header = vec![Column::new("time", "s")];
            header.extend(values.iter().map(|i| Column::new(&columns[*i].name, columns[*i].unit)));
            let path = folder.join(format!("{file}.csv"));
            let writer = match resume_at {
                Some(time) => SeriesWriter::resume(&path, &header, time)?,
                None => SeriesWriter::create(&path, &header)?,
            };
            tables.push(Table { writer, values });
        }
        Ok(Self { tables, interval: world.settings().output_interval(), values: Vec::new(), row: Vec::new() })
    }

    /// No time series at all.
    pub fn none() -> Self {
        Self { tables: Vec::new(), interval: 1.0, values: Vec::new(), row: Vec::new() }
    }

    /// Writes a row if a multiple of the interval lies in (`before`, now].
    ///
    /// This looks at the two times only, so that a resumed run writes the same rows.
    pub fn observe(&mut self, world: &mut World, before: f64) -> Result<(), RunError> {
        let count = |time: f64| (time / self.interval + 1e-6).floor();
        if count(world.time()) > count(before) { self.write(world) } else { Ok(()) }
    }

    /// Writes a row.
    pub fn write(&mut self, world: &mut World) -> Result<(), RunError> {
        if self.tables.is_empty() {
            return Ok(());
        }
        self.values.clear();
        world.probe_values(&mut self.values)?;
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
        self.tables.iter_mut().try_for_each(|t| t.writer.sync())
    }

    /// Completes all files under their final names.
    pub fn finish(self) -> Result<Vec<PathBuf>, RecordError> {
        self.tables.into_iter().map(|t| t.writer.finish()).collect()
    }
}

/// Saves the state of the world; rows are brought to disk first.
pub(super) fn checkpoint(world: &mut World, tables: &mut Tables, folder: &Path) -> Result<PathBuf, RunError> {
    tables.sync()?;
    let chunks = world.save()?;
    let borrowed: Vec<(&str, &[u8])> = chunks.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    Ok(write_checkpoint(&folder.join(CHECKPOINTS), world.step_count(), &borrowed)?)
}
