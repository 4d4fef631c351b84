//! Scene files and whole runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use huygens::run::{Event, Painter, Progress, RunError, RunOptions};
use huygens::{LoadOptions, LoadedScene, SceneWorld};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::python_value;
use crate::callable::Fault;
use crate::error::{run_error, scene_error, tell_warnings};

/// Loads a scene file.
pub fn load(
    py: Python<'_>,
    path: PathBuf,
    parameters: BTreeMap<String, f64>,
    asset_root: Option<PathBuf>,
) -> PyResult<LoadedScene> {
    let options = LoadOptions { asset_root, parameters };
    py.detach(|| huygens::load_scene(&path, &options)).map_err(|error| scene_error(py, &error))
}

/// JSON Schema of scene files.
#[pyfunction]
pub fn scene_schema(py: Python<'_>) -> PyResult<Py<PyAny>> {
    python_value(py, &huygens::scene_schema())
}

/// Runs a scene file into a folder: manifest, folder, last checkpoint.
#[pyfunction]
#[pyo3(signature = (
    path, out, parameters, asset_root=None, until=None, dt=None, threads=None, seed=None, resume=false, force=false,
    checkpoint_every=None, max_wall_time=None, progress=None
))]
pub fn run_scene(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    parameters: BTreeMap<String, f64>,
    asset_root: Option<PathBuf>,
    until: Option<f64>,
    dt: Option<f64>,
    threads: Option<usize>,
    seed: Option<u64>,
    resume: bool,
    force: bool,
    checkpoint_every: Option<f64>,
    max_wall_time: Option<f64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Py<PyAny>, PathBuf, Option<PathBuf>)> {
    let scene = load(py, path, parameters, asset_root)?;
    let options = RunOptions {
        until,
        dt,
        threads,
        seed,
        resume,
        force,
        checkpoint_every,
        max_wall_time,
        painter: Some(Painter::new(huygens_render::write_glance)),
        ..RunOptions::new(out)
    };
    let fault = Fault::default();
    let result = py.detach(|| {
        huygens::run::run_scene(&scene, &options, &mut |now| {
            let told =
                Python::attach(|py| py.check_signals().and_then(|()| tell(py, progress.as_ref(), now)));
            if let Err(error) = told {
                fault.raise(error);
                // The run writes a checkpoint and ends; the exception follows.
                options.stop.store(true, Ordering::Relaxed);
            }
        })
    });
    if let Some(error) = fault.take() {
        return Err(error);
    }
    let report = result.map_err(|error| match error {
        RunError::World(error) => scene_error(py, &scene.explain(error)),
        error => run_error(py, &error),
    })?;
    let manifest =
        serde_json::to_value(&report.manifest).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok((python_value(py, &manifest)?, report.out, report.checkpoint))
}

fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, now: &Progress<'_>) -> PyResult<()> {
    if let Event::Warning(text) = now.event {
        tell_warnings(py, vec![text.to_owned()])?;
    }
    let Some(progress) = progress else { return Ok(()) };
    let (event, text) = match now.event {
        // Only signals are looked for.
        Event::Preparing => return Ok(()),
        Event::Started => ("started", None),
        Event::Advanced => ("advanced", None),
        Event::Checkpoint(path) => ("checkpoint", Some(path.display().to_string())),
        Event::Rain(rain) => ("rain", Some(rain.to_string())),
        Event::Warning(text) => ("warning", Some(text.to_owned())),
    };
    let dictionary = PyDict::new(py);
    dictionary.set_item("event", event)?;
    dictionary.set_item("text", text)?;
    dictionary.set_item("time", now.time)?;
    dictionary.set_item("until", now.until)?;
    dictionary.set_item("step", now.step)?;
    dictionary.set_item("steps_per_second", now.steps_per_second)?;
    dictionary.set_item("wall_time", now.wall_time)?;
    dictionary.set_item("remaining", now.remaining)?;
    if let Some(fluid) = now.fluid {
        dictionary.set_item("fluid_step", fluid.step)?;
        dictionary.set_item("compressibility", fluid.compressibility)?;
        dictionary.set_item("lost", fluid.lost)?;
    }
    progress.call1(py, (dictionary,)).map(|_| ())
}
