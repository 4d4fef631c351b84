//! Python dictionaries as the structures of scene files, and back.

use std::sync::{Arc, Mutex, PoisonError};

use huygens::scene::spec_from_json;
use huygens::spec::{KeyPath, SceneObject};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::callable::{Callable, Fault};
use crate::error::{field_error, model_error};
use crate::functions::{Binder, Found, stand_in};

/// Nesting of arguments; deeper ones are a structure that contains itself.
const DEPTH: usize = 64;

/// Every callable the world holds, for the garbage collector.
#[derive(Default)]
pub struct Callables {
    all: Mutex<Vec<Arc<Callable>>>,
    pub fault: Arc<Fault>,
}

impl Callables {
    /// Keeps a callable that is `what` in messages.
    pub fn keep(&self, function: &Bound<'_, PyAny>, what: String) -> PyResult<Arc<Callable>> {
        if !function.is_callable() {
            let kind = function.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{what} must be callable, not {kind}")));
        }
        let callable = Arc::new(Callable::new(function.clone().unbind(), what, self.fault.clone()));
        self.all.lock().unwrap_or_else(PoisonError::into_inner).push(callable.clone());
        Ok(callable)
    }

    /// Forgets one that is no longer used.
    pub fn release(&self, callable: &Arc<Callable>) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).retain(|c| !Arc::ptr_eq(c, callable));
    }

    /// Visits all of them, unless they are being changed.
    pub fn visit<E>(&self, mut visit: impl FnMut(&Py<PyAny>) -> Result<(), E>) -> Result<(), E> {
        match self.all.try_lock() {
            Ok(all) => all.iter().try_for_each(|c| visit(&c.function)),
            Err(_) => Ok(()),
        }
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Arguments on their way to a structure.
struct Arguments<'a> {
    section: &'a str,
    name: String,
    callables: &'a Callables,
    found: Vec<Found>,
}

/// Makes an object of a dictionary, with callables where functions of time may be.
pub fn structure<T: DeserializeOwned + SceneObject>(
    section: &str,
    dictionary: &Bound<'_, PyDict>,
    callables: &Callables,
) -> PyResult<T> {
    made(section, dictionary, callables, |made: &mut T, binder| made.visit_mut(&KeyPath::OBJECT, binder))
}

/// Makes a structure in which callables are not allowed of a dictionary.
pub fn values<T: DeserializeOwned>(
    section: &str,
    dictionary: &Bound<'_, PyDict>,
    callables: &Callables,
) -> PyResult<T> {
    made(section, dictionary, callables, |_, _| ())
}

fn made<T: DeserializeOwned>(
    section: &str,
    dictionary: &Bound<'_, PyDict>,
    callables: &Callables,
    bind: impl FnOnce(&mut T, &mut Binder<'_>),
) -> PyResult<T> {
    let py = dictionary.py();
    let name = dictionary.get_item("name")?.and_then(|n| n.extract().ok()).unwrap_or_default();
    let mut arguments = Arguments { section, name, callables, found: Vec::new() };
    let map = arguments.map(dictionary, "", 0)?;
    let mut made: T = read(&map).map_err(|complaint| {
        let field = wrong_field::<T>(&map, &complaint);
        field_error(py, section, &arguments.name, field.as_deref(), &complaint)
    })?;
    let mut binder = Binder::new(&arguments.found);
    bind(&mut made, &mut binder);
    match binder.unbound() {
        Some(found) => {
            let problem = "a callable is not allowed here";
            Err(field_error(py, section, &arguments.name, Some(&found.path), problem))
        }
        None => Ok(made),
    }
}

/// Reads a structure with the messages of scene files.
fn read<T: DeserializeOwned>(map: &Map<String, Value>) -> Result<T, String> {
    spec_from_json(&Value::Object(map.clone())).map_err(|error| match &error.suggestion {
        Some(near) => format!("{}; did you mean '{near}'?", error.problem),
        None => error.problem.clone(),
    })
}

/// The key whose value is wrong: the one without which the complaint changes.
fn wrong_field<T: DeserializeOwned>(map: &Map<String, Value>, complaint: &str) -> Option<String> {
    map.keys()
        .find(|key| {
            let mut rest = map.clone();
            rest.remove(*key);
            read::<T>(&rest).err().as_deref() != Some(complaint)
        })
        // A wrong key is named by the complaint itself.
        .filter(|key| !complaint.contains(&format!("`{key}`")))
        .cloned()
}

impl Arguments<'_> {
    fn wrong(&self, py: Python<'_>, path: &str, problem: &str) -> PyErr {
        field_error(py, self.section, &self.name, Some(path), problem)
    }

    fn map(
        &mut self,
        dictionary: &Bound<'_, PyDict>,
        path: &str,
        depth: usize,
    ) -> PyResult<Map<String, Value>> {
        let mut map = Map::new();
        for (key, value) in dictionary {
            let key: String = key.extract().map_err(|_| PyTypeError::new_err("keys must be strings"))?;
            if !value.is_none() {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                map.insert(key, self.value(&value, &path, depth + 1)?);
            }
        }
        Ok(map)
    }

    fn value(&mut self, value: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Value> {
        let py = value.py();
        if depth > DEPTH {
            return Err(self.wrong(py, path, "it is nested too deeply"));
        }
        if value.is_none() {
            return Ok(Value::Null);
        }
        if value.is_instance_of::<PyBool>() {
            return Ok(Value::Bool(value.extract()?));
        }
        if value.is_instance_of::<PyString>() {
            return Ok(Value::String(value.extract()?));
        }
        if value.is_instance_of::<PyInt>() {
            return match (value.extract::<i64>(), value.extract::<u64>()) {
                (Ok(i), _) => Ok(i.into()),
                (_, Ok(u)) => Ok(u.into()),
                _ => Err(self.wrong(py, path, "the number is too large")),
            };
        }
        if value.is_instance_of::<PyFloat>() {
            let number: f64 = value.extract()?;
            return Number::from_f64(number)
                .map(Value::Number)
                .ok_or_else(|| self.wrong(py, path, &format!("{number} is not a finite number")));
        }
        if let Ok(dictionary) = value.cast::<PyDict>() {
            if dictionary.get_item("type")?.is_some_and(|t| t.eq("custom").unwrap_or(false)) {
                return self.custom(dictionary, path);
            }
            return Ok(Value::Object(self.map(dictionary, path, depth)?));
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            let items = value.try_iter()?.enumerate();
            let items = items.map(|(i, item)| self.value(&item?, &format!("{path}[{i}]"), depth + 1));
            return Ok(Value::Array(items.collect::<PyResult<_>>()?));
        }
        if value.is_callable() {
            return self.callable(value, false, path);
        }
        let kind = value.get_type().name()?.to_string();
        Err(self.wrong(py, path, &format!("an object of type {kind} cannot be used here")))
    }

    fn custom(&mut self, dictionary: &Bound<'_, PyDict>, path: &str) -> PyResult<Value> {
        let Some(function) = dictionary.get_item("callable")? else {
            return Err(self.wrong(dictionary.py(), path, "a custom function needs a `callable`"));
        };
        let derivatives = dictionary.get_item("derivatives")?;
        self.callable(&function, derivatives.is_some_and(|d| d.is_truthy().unwrap_or(false)), path)
    }

    fn callable(
        &mut self,
        function: &Bound<'_, PyAny>,
        with_derivatives: bool,
        path: &str,
    ) -> PyResult<Value> {
        let what = match self.name.as_str() {
            "" => format!("the function `{path}` of a {}", self.section),
            name => format!("the function `{path}` of {} '{name}'", self.section),
        };
        let callable = self.callables.keep(function, what)?;
        self.found.push(Found { callable, with_derivatives, path: path.into() });
        Number::from_f64(stand_in(self.found.len() - 1))
            .map(Value::Number)
            .ok_or_else(|| model_error(function.py(), "too many callables".into()))
    }
}

/// A JSON value as Python objects.
pub fn python_value(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Null => py.None(),
        Value::Bool(b) => PyBool::new(py, *b).to_owned().into_any().unbind(),
        Value::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => i.into_pyobject(py)?.into_any().unbind(),
            (None, Some(u)) => u.into_pyobject(py)?.into_any().unbind(),
            _ => n.as_f64().into_pyobject(py)?.into_any().unbind(),
        },
        Value::String(s) => PyString::new(py, s).into_any().unbind(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|v| python_value(py, v)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any().unbind()
        }
        Value::Object(map) => {
            let dictionary = PyDict::new(py);
            for (key, value) in map {
                dictionary.set_item(key, python_value(py, value)?)?;
            }
            dictionary.into_any().unbind()
        }
    })
}
