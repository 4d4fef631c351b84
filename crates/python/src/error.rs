//! Errors of the engine as the exceptions of `huygens.errors`.

use huygens::run::RunError;
use huygens::{SceneError, WorldError};
use huygens_core::CoreError;
use huygens_particles::ParticleError;
use huygens_record::RecordError;
use huygens_render::RenderError;
use huygens_render::export::ExportError;
use huygens_viewer::ViewerError;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;

/// An exception of `huygens.errors` with attributes.
fn exception(py: Python<'_>, class: &str, message: String, attributes: &[(&str, Py<PyAny>)]) -> PyErr {
    let made = py.import("huygens.errors").and_then(|m| m.getattr(class)).and_then(|c| c.call1((message,)));
    match made {
        Ok(error) => {
            for (name, value) in attributes {
                // An attribute that cannot be set only makes the message poorer.
                let _ = error.setattr(*name, value);
            }
            PyErr::from_value(error)
        }
        Err(error) => error,
    }
}

fn object<'py>(py: Python<'py>, value: impl IntoPyObject<'py>) -> Py<PyAny> {
    value.into_bound_py_any(py).map_or_else(|_| py.None(), Bound::unbind)
}

/// Issues warnings of the engine as Python warnings, which a filter may turn into an exception.
pub fn tell_warnings(py: Python<'_>, texts: Vec<String>) -> PyResult<()> {
    match texts.is_empty() {
        true => Ok(()),
        false => py.import("huygens._warnings")?.getattr("tell")?.call1((texts,)).map(drop),
    }
}

/// A model that is described wrongly.
pub fn model_error(py: Python<'_>, message: String) -> PyErr {
    exception(py, "ModelError", message, &[])
}

/// A field of an object that is described wrongly.
pub fn field_error(py: Python<'_>, section: &str, name: &str, field: Option<&str>, problem: &str) -> PyErr {
    let whose = if name.is_empty() { section.to_owned() } else { format!("{section} '{name}'") };
    let message = match field {
        Some(field) => format!("{whose}: `{field}`: {problem}"),
        None => format!("{whose}: {problem}"),
    };
    let attributes =
        [("section", object(py, section)), ("name", object(py, name)), ("field", object(py, field))];
    exception(py, "ModelError", message, &attributes)
}

/// An error of a world.
pub fn world_error(py: Python<'_>, error: &WorldError) -> PyErr {
    let message = error.to_string();
    match error {
        WorldError::Input { section, name, field, .. } => {
            let attributes = [
                ("section", object(py, section.noun())),
                ("name", object(py, name)),
                ("field", object(py, field)),
            ];
            exception(py, "ModelError", message, &attributes)
        }
        WorldError::LeftBounds { body, position, time, step, .. } => {
            let attributes = [
                ("body", object(py, body)),
                ("position", object(py, *position)),
                ("time", object(py, *time)),
                ("step", object(py, *step)),
            ];
            exception(py, "LeftBoundsError", message, &attributes)
        }
        WorldError::Grains { source: ParticleError::NonFinite { time, step, .. }, .. } => exception(
            py,
            "DivergedError",
            message,
            &[("time", object(py, *time)), ("step", object(py, *step))],
        ),
        WorldError::Fluid { source: ParticleError::FluidNonFinite { time, step, .. }, .. } => exception(
            py,
            "DivergedError",
            message,
            &[("time", object(py, *time)), ("step", object(py, *step))],
        ),
        WorldError::Core(core) => core_error(py, core, message),
        WorldError::Record(record) => record_error(py, record),
        _ => exception(py, "ModelError", message, &[]),
    }
}

fn core_error(py: Python<'_>, error: &CoreError, message: String) -> PyErr {
    match error {
        CoreError::NonFinite { time, step, .. } => exception(
            py,
            "DivergedError",
            message,
            &[("time", object(py, *time)), ("step", object(py, *step))],
        ),
        CoreError::NotConverged { time, step, residual, .. }
        | CoreError::ContactNotConverged { time, step, residual, .. } => {
            let attributes = [
                ("time", object(py, *time)),
                ("step", object(py, *step)),
                ("residual", object(py, *residual)),
            ];
            exception(py, "ConvergenceError", message, &attributes)
        }
        CoreError::NoEquilibrium { residual, .. } => {
            exception(py, "ConvergenceError", message, &[("residual", object(py, *residual))])
        }
        CoreError::CannotAssemble { time, .. } => {
            exception(py, "AssemblyError", message, &[("time", object(py, *time))])
        }
        CoreError::StateMismatch { .. } => exception(py, "FileError", message, &[]),
        _ => exception(py, "ModelError", message, &[]),
    }
}

/// An error of a file.
pub fn record_error(py: Python<'_>, error: &RecordError) -> PyErr {
    use pyo3::exceptions::{PyIndexError, PyKeyError};
    match error {
        RecordError::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            exception(py, "FileMissingError", error.to_string(), &[])
        }
        RecordError::MissingField { .. } => PyKeyError::new_err(error.to_string()),
        RecordError::MissingFrame { .. } => PyIndexError::new_err(error.to_string()),
        _ => exception(py, "FileError", error.to_string(), &[]),
    }
}

/// An error of a picture or a film.
pub fn render_error(py: Python<'_>, error: &RenderError) -> PyErr {
    match error {
        RenderError::Description { .. }
        | RenderError::Value { .. }
        | RenderError::Missing { .. }
        | RenderError::FilmKind { .. } => exception(py, "ModelError", error.to_string(), &[]),
        RenderError::Record(error) => record_error(py, error),
        _ => exception(py, "FileError", error.to_string(), &[]),
    }
}

/// An error of a file for another program.
pub fn export_error(py: Python<'_>, error: &ExportError) -> PyErr {
    match error {
        ExportError::Record(error) => record_error(py, error),
        ExportError::Render(error) => render_error(py, error),
        ExportError::Missing { .. } => pyo3::exceptions::PyKeyError::new_err(error.to_string()),
        ExportError::NoFrames { .. } | ExportError::Write { .. } => {
            exception(py, "FileError", error.to_string(), &[])
        }
        _ => exception(py, "ModelError", error.to_string(), &[]),
    }
}

/// An error of the viewer or of an HTML file.
pub fn viewer_error(py: Python<'_>, error: &ViewerError) -> PyErr {
    match error {
        ViewerError::Record(error) => record_error(py, error),
        ViewerError::MissingRecording { .. } => exception(py, "FileMissingError", error.to_string(), &[]),
        ViewerError::ExportLimit { .. } => exception(py, "ModelError", error.to_string(), &[]),
        _ => exception(py, "FileError", error.to_string(), &[]),
    }
}

/// An error of a scene file.
pub fn scene_error(py: Python<'_>, error: &SceneError) -> PyErr {
    let cause = error.cause.as_deref().and_then(|cause| cause.downcast_ref::<WorldError>());
    if let Some(cause) = cause.filter(|cause| !cause.is_input()) {
        return world_error(py, cause);
    }
    let attributes = [
        ("file", object(py, error.file.display().to_string())),
        ("line", object(py, error.line)),
        ("column", object(py, error.column)),
        ("object", object(py, error.object.as_deref())),
    ];
    exception(py, "SceneError", error.to_string(), &attributes)
}

/// An error of a run.
pub fn run_error(py: Python<'_>, error: &RunError) -> PyErr {
    match error {
        RunError::World(error) => world_error(py, error),
        RunError::Record(error) => record_error(py, error),
        RunError::Diverged { time, step, checkpoint, .. } => {
            let checkpoint = checkpoint.as_ref().map(|path| path.display().to_string());
            let attributes = [
                ("time", object(py, *time)),
                ("step", object(py, *step)),
                ("checkpoint", object(py, checkpoint)),
            ];
            exception(py, "DivergedError", error.to_string(), &attributes)
        }
        RunError::Plot { .. } | RunError::Occupied { .. } | RunError::NotResumable { .. } => {
            exception(py, "FileError", error.to_string(), &[])
        }
        RunError::Option { .. } => exception(py, "ModelError", error.to_string(), &[]),
    }
}
