//! Recordings as Python reads them, and pictures of them.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use huygens_exec::Exec;
use huygens_record::{Field, Group, RecordError, Recording, RecordingChange};
use huygens_render::{Film, FilmFormat, Image, Moments, Picture, RenderError, View, frame_at_time};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::arguments::python_value;
use crate::callable::Fault;
use crate::error::{record_error, render_error};
use crate::export::ExportWish;
use crate::recorder::recording_path;

/// A recording; the class `huygens.Recording` is its friendly face.
#[pyclass(frozen, module = "huygens._huygens")]
pub struct RecordingFile {
    path: PathBuf,
    /// Only ever locked with Python free to go on.
    file: RwLock<Recording>,
}

/// Name, unit, components, whether it is written once.
type FieldEntry = (String, String, usize, bool);

/// Width and height [px], and the bytes of all pixels.
type Pixels<'py> = (u32, u32, Bound<'py, PyArray1<u8>>);

fn entry(field: &Field, constant: bool) -> FieldEntry {
    (field.name.clone(), field.unit.clone(), field.components, constant)
}

fn group<'a>(file: &'a Recording, name: &str) -> Result<&'a Group, RecordError> {
    let groups = &file.stage().groups;
    groups.iter().find(|group| group.name == name).ok_or_else(|| RecordError::MissingField {
        path: file.path().to_path_buf(),
        what: "group",
        name: name.into(),
        present: groups.iter().map(|group| group.name.clone()).collect(),
    })
}

fn components(file: &Recording, group_name: &str, field: &str) -> Result<usize, RecordError> {
    let group = group(file, group_name)?;
    let mut all = group.fields.iter().chain(&group.constants);
    Ok(all.find(|f| f.name == field).map_or(1, |f| f.components))
}

impl RecordingFile {
    fn lock(&self) -> RwLockReadGuard<'_, Recording> {
        self.file.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Recording) -> T + Send) -> T {
        py.detach(|| work(&self.lock()))
    }

    fn read<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Recording) -> Result<T, RecordError> + Send,
    ) -> PyResult<T> {
        self.with(py, work).map_err(|error| record_error(py, &error))
    }
}

#[pymethods]
impl RecordingFile {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let path = recording_path(path);
        let file = py.detach(|| Recording::open(&path)).map_err(|e| record_error(py, &e))?;
        Ok(Self { path, file: RwLock::new(file) })
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> String {
        self.with(py, |file| file.stage().name.clone())
    }

    #[getter]
    fn frame_count(&self, py: Python<'_>) -> usize {
        self.with(py, Recording::frame_count)
    }

    #[getter]
    fn finished(&self, py: Python<'_>) -> bool {
        self.with(py, Recording::finished)
    }

    #[getter]
    fn bytes(&self, py: Python<'_>) -> u64 {
        self.with(py, Recording::bytes)
    }

    /// What is wrong with the part of the file that cannot be read.
    #[getter]
    fn damage(&self, py: Python<'_>) -> Option<String> {
        self.with(py, |file| file.damage().map(|damage| damage.to_string()))
    }

    /// Render description of the scene.
    #[getter]
    fn view(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let view = self.with(py, |file| file.stage().view.clone());
        view.map(|view| python_value(py, &view)).transpose()
    }

    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.with(py, |file| file.times().to_vec()))
    }

    fn steps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        PyArray1::from_vec(py, self.with(py, |file| file.steps().to_vec()))
    }

    /// Name and unit of every scalar.
    fn scalar_names(&self, py: Python<'_>) -> Vec<(String, String)> {
        self.with(py, |file| {
            file.stage().scalars.iter().map(|scalar| (scalar.name.clone(), scalar.unit.clone())).collect()
        })
    }

    /// All scalars, one row a frame.
    fn scalars<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.with(py, |file| file.scalars().to_vec()))
    }

    fn groups(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |file| file.stage().groups.iter().map(|group| group.name.clone()).collect())
    }

    fn names(&self, py: Python<'_>, group_name: &str) -> PyResult<Vec<String>> {
        self.read(py, |file| Ok(group(file, group_name)?.names.clone()))
    }

    fn fields(&self, py: Python<'_>, group_name: &str) -> PyResult<Vec<FieldEntry>> {
        self.read(py, |file| {
            let group = group(file, group_name)?;
            let moving = group.fields.iter().map(|field| entry(field, false));
            Ok(moving.chain(group.constants.iter().map(|field| entry(field, true))).collect())
        })
    }

    /// The frame nearest to a time [s].
    fn index_at(&self, py: Python<'_>, time: f64) -> PyResult<usize> {
        if time.is_nan() {
            return Err(PyValueError::new_err("a time cannot be nan"));
        }
        self.with(py, |file| file.index_at(time))
            .ok_or_else(|| PyIndexError::new_err("the recording holds no frame"))
    }

    /// Numbers of a field, and how many each item has.
    fn field<'py>(
        &self,
        py: Python<'py>,
        frame: usize,
        group_name: &str,
        field: &str,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, usize)> {
        let (values, width) = self.read(py, |file| {
            let values = file.field(frame, group_name, field)?;
            Ok((values, components(file, group_name, field)?))
        })?;
        Ok((PyArray1::from_vec(py, values), width))
    }

    /// Looks for what was written since: whether there is anything new.
    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        let change = py.detach(|| self.file.write().unwrap_or_else(PoisonError::into_inner).refresh());
        change.map(|change| change != RecordingChange::None).map_err(|e| record_error(py, &e))
    }

    /// A picture by a render description in JSON, of a frame or of a moment [s] that is blended of two frames; also
    /// written to a PNG file if one is named.
    #[pyo3(signature = (frame, time, view, threads=0, path=None))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        frame: usize,
        time: Option<f64>,
        view: &str,
        threads: usize,
        path: Option<PathBuf>,
    ) -> PyResult<Pixels<'py>> {
        let made = self.with(py, |file| -> Result<Image, RenderError> {
            let view = View::from_json(view)?;
            let frame = match time {
                Some(time) => frame_at_time(&mut Recording::open(&self.path)?, time)?,
                None => file.frame(frame)?,
            };
            let image = Picture::render(&exec(threads)?, file.stage(), &frame, &view)?;
            path.map_or(Ok(()), |path| image.write_png(&path))?;
            Ok(image)
        });
        let image = made.map_err(|e| render_error(py, &e))?;
        Ok((image.width, image.height, PyArray1::from_vec(py, image.pixels)))
    }

    /// A film: the number of its pictures.
    #[pyo3(signature = (path, view, speed=1.0, rate=30.0, start=None, stop=None, threads=0))]
    fn film(
        &self,
        py: Python<'_>,
        path: PathBuf,
        view: &str,
        speed: f64,
        rate: f64,
        start: Option<f64>,
        stop: Option<f64>,
        threads: usize,
    ) -> PyResult<usize> {
        let fault = Fault::default();
        let made = py.detach(|| -> Result<usize, RenderError> {
            let mut film = Film::new(View::from_json(view)?);
            film.rate = rate;
            film.moments = Moments::Span { from: start, to: stop, speed };
            let mut pictures = 0;
            // A reader of its own, so that the pictures of minutes keep no lock.
            let mut file = Recording::open(&self.path)?;
            film.render(&exec(threads)?, &mut file, &path, FilmFormat::of(&path)?, &mut |progress| {
                pictures = progress.done;
                match Python::attach(|py| py.check_signals()) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        fault.raise(error);
                        ControlFlow::Break(())
                    }
                }
            })?;
            Ok(pictures)
        });
        match fault.take() {
            Some(error) => Err(error),
            None => made.map_err(|e| render_error(py, &e)),
        }
    }

    /// Writes the recording for other programs: files, bytes, what was left out.
    #[pyo3(signature = (path, format, fields, times=None, start=None, stop=None, every=1, limit_mb=256))]
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: String,
        fields: Vec<(String, String)>,
        times: Option<Vec<f64>>,
        start: Option<f64>,
        stop: Option<f64>,
        every: usize,
        limit_mb: u64,
    ) -> PyResult<(Vec<PathBuf>, u64, Vec<String>)> {
        let wish = ExportWish { format, fields, times, start, stop, every, limit_mb };
        let report = wish.write(py, &self.path, path)?;
        Ok((report.files, report.bytes, report.notes))
    }
}

fn exec(threads: usize) -> Result<Exec, RenderError> {
    Exec::with_threads(threads).map_err(|error| RenderError::Value {
        key: "threads".into(),
        found: threads.to_string(),
        expected: error.to_string(),
    })
}
