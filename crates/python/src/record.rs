//! Probe values kept while a world moves.

use huygens::run::crossed;
use huygens::{World, WorldError};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Rows of all probes.
#[derive(Default)]
pub struct Record {
    columns: Vec<String>,
    times: Vec<f64>,
    values: Vec<f64>,
}

impl Record {
    /// Makes ready for a run: other probes start anew, the first row is the start.
    pub fn start(&mut self, world: &mut World) -> Result<(), WorldError> {
        let columns: Vec<String> = world.probe_columns()?.into_iter().map(|c| c.name).collect();
        if columns != self.columns {
            *self = Self { columns, ..Self::default() };
        }
        if self.times.is_empty() { self.row(world) } else { Ok(()) }
    }

    /// Keeps a row if a multiple of the interval lies in (`before`, now], as the files of a run do.
    pub fn observe(&mut self, world: &mut World, before: f64) -> Result<(), WorldError> {
        let interval = world.settings().output_interval();
        if crossed(interval, before, world.time()) { self.row(world) } else { Ok(()) }
    }

    /// Keeps a row.
    pub fn row(&mut self, world: &mut World) -> Result<(), WorldError> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let before = self.values.len();
        let done = world.probe_row(&mut self.values);
        match &done {
            Ok(()) => self.times.push(world.time()),
            Err(_) => self.values.truncate(before),
        }
        done
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The columns by name, `time` first.
    pub fn dictionary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dictionary = PyDict::new(py);
        dictionary.set_item("time", PyArray1::from_slice(py, &self.times))?;
        let width = self.columns.len();
        for (k, name) in self.columns.iter().enumerate() {
            let column = self.values.iter().skip(k).step_by(width).copied();
            dictionary.set_item(name, PyArray1::from_iter(py, column))?;
        }
        Ok(dictionary)
    }
}
