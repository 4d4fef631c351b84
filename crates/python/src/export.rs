//! Recordings in the formats of other programs.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use huygens_record::Recording;
use huygens_render::View;
use huygens_render::export::table::TableField;
use huygens_render::export::{ExportError, ExportReport, FrameChoice, gltf, obj, povray, table, vtk};
use huygens_viewer::{HtmlOptions, ViewerError, export_html};
use pyo3::prelude::*;

use crate::callable::Fault;
use crate::error::{export_error, model_error, viewer_error};

/// What is written of a recording.
pub struct ExportWish {
    /// `html`, `vtk`, `gltf`, `povray`, `csv`, `npz` or `obj`.
    pub format: String,
    /// Group and field of each table column; the scalars or all fields where empty.
    pub fields: Vec<(String, String)>,
    /// Moments [s]; a span where absent.
    pub times: Option<Vec<f64>>,
    /// First time [s].
    pub start: Option<f64>,
    /// Last time [s].
    pub stop: Option<f64>,
    /// Every how manyth frame.
    pub every: usize,
    /// Most megabytes of an HTML file.
    pub limit_mb: u64,
}

/// Why an export failed.
enum Failure {
    Export(ExportError),
    Viewer(ViewerError),
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Self::Export(error)
    }
}

/// Looks for Ctrl-C between frames.
fn go_on(fault: &Fault) -> ControlFlow<()> {
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            fault.raise(error);
            ControlFlow::Break(())
        }
    }
}

impl ExportWish {
    fn choice(&self) -> FrameChoice {
        match &self.times {
            Some(times) => FrameChoice::At(times.clone()),
            None => FrameChoice::Span { from: self.start, to: self.stop, every: self.every },
        }
    }

    /// Writes the file or folder.
    pub fn write(&self, py: Python<'_>, recording: &Path, path: PathBuf) -> PyResult<ExportReport> {
        if self.format == "html" && self.times.is_some() {
            let problem = "an HTML file shows a span of time: give start and stop instead of times";
            return Err(model_error(py, problem.into()));
        }
        let fault = Fault::default();
        let made = py.detach(|| {
            // A reader of its own, so that a long export keeps no lock.
            let recording = Recording::open(recording).map_err(ExportError::from)?;
            self.dispatch(&recording, path, &fault)
        });
        match (fault.take(), made) {
            (Some(error), _) => Err(error),
            (None, Ok(report)) => Ok(report),
            (None, Err(Failure::Export(error))) => Err(export_error(py, &error)),
            (None, Err(Failure::Viewer(error))) => Err(viewer_error(py, &error)),
        }
    }

    fn dispatch(&self, recording: &Recording, path: PathBuf, fault: &Fault) -> Result<ExportReport, Failure> {
        if self.format == "html" {
            return self.html(recording, path, fault).map_err(Failure::Viewer);
        }
        let stage = recording.stage();
        let view = stage.view.as_ref().map_or_else(|| Ok(View::default()), View::from_value);
        let view = view.map_err(ExportError::from)?;
        let choice = self.choice();
        let fields: Vec<_> = self.fields.iter().map(|(group, field)| TableField::new(group, field)).collect();
        let progress = &mut |_| go_on(fault);
        Ok(match self.format.as_str() {
            "vtk" => vtk::write(recording, &choice, &path, progress)?,
            "gltf" => gltf::write(recording, &choice, &view, &path, progress)?,
            "povray" => povray::write(recording, &choice, &view, &path, progress)?,
            "csv" if fields.is_empty() => table::write_scalars_csv(recording, &choice, &path, progress)?,
            "csv" => table::write_csv(recording, &choice, &fields, &path, progress)?,
            "npz" => {
                let fields = if fields.is_empty() { TableField::all(stage) } else { fields };
                table::write_npz(recording, &choice, &fields, &path, progress)?
            }
            _ => {
                let time = self.times.as_ref().and_then(|times| times.first());
                let time = time.or(recording.times().last()).copied().unwrap_or(0.0);
                obj::write(recording, time, &view, &path, progress)?
            }
        })
    }

    fn html(&self, recording: &Recording, path: PathBuf, fault: &Fault) -> Result<ExportReport, ViewerError> {
        let (from, to, stride) = (self.start, self.stop, self.every.max(1));
        let options = HtmlOptions { from, to, stride, limit_bytes: self.limit_mb << 20 };
        let written = export_html(recording, &path, &options, &mut |_, _| go_on(fault))?;
        Ok(ExportReport { files: vec![path], bytes: written.bytes, notes: Vec::new() })
    }
}
