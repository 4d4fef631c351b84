//! Python callables as laws of the engine.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error::model_error;

/// The first exception a callable raised; while there is one no callable is called any more.
#[derive(Default)]
pub struct Fault(Mutex<Option<PyErr>>);

impl Fault {
    /// Keeps an exception unless there is one already.
    pub fn raise(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Whether an exception waits.
    pub fn is_raised(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Takes the exception out.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A Python callable that stands for a law.
///
/// An exception becomes NaN for the engine, which stops at it, and waits in [`Fault`] to be raised in its place.
pub struct Callable {
    /// The callable; the only reference the engine holds, so that the garbage collector can count it.
    pub function: Py<PyAny>,
    /// What it is, for messages.
    what: String,
    fault: Arc<Fault>,
}

impl Callable {
    /// A callable that is called `what` in messages.
    pub fn new(function: Py<PyAny>, what: String, fault: Arc<Fault>) -> Self {
        Self { function, what, fault }
    }

    /// Calls with numbers; the answer is one number.
    pub fn number<const N: usize>(&self, arguments: [f64; N]) -> f64 {
        self.guard([f64::NAN], |py| {
            let answer = self.function.bind(py).call1(PyTuple::new(py, arguments)?)?;
            Ok([self.finite(self.extract::<f64>(&answer, "a number")?, arguments[0])?])
        })[0]
    }

    /// Calls with a time; the answer is value, first and second derivative.
    pub fn derivatives(&self, time: f64) -> [f64; 3] {
        self.guard([f64::NAN; 3], |py| {
            let answer = self.function.bind(py).call1((time,))?;
            let values: [f64; 3] = self.extract(&answer, "value, first and second derivative")?;
            values.iter().try_for_each(|v| self.finite(*v, time).map(|_| ()))?;
            Ok(values)
        })
    }

    /// Calls with a time and an array; the answer is one number.
    pub fn signal(&self, time: f64, inputs: impl Iterator<Item = f64>) -> f64 {
        self.guard([f64::NAN], |py| {
            let answer = self.function.bind(py).call1((time, PyArray1::from_iter(py, inputs)))?;
            Ok([self.finite(self.extract::<f64>(&answer, "a number")?, time)?])
        })[0]
    }

    /// Calls with a time, inputs and states; the answer is the rate of each state.
    pub fn rates(&self, time: f64, inputs: impl Iterator<Item = f64>, states: &[f64], out: &mut [f64]) {
        let count = out.len();
        let rates = self.guard(vec![f64::NAN; count], |py| {
            let arguments = (time, PyArray1::from_iter(py, inputs), PyArray1::from_slice(py, states));
            let answer = self.function.bind(py).call1(arguments)?;
            let rates: Vec<f64> = match answer.extract::<f64>() {
                Ok(rate) => vec![rate],
                Err(_) => self.extract(&answer, "one rate for each state")?,
            };
            if rates.len() != count {
                let message = format!("{} returned {} rates for {count} states", self.what, rates.len());
                return Err(model_error(py, message));
            }
            rates.iter().try_for_each(|r| self.finite(*r, time).map(|_| ()))?;
            Ok(rates)
        });
        out.copy_from_slice(&rates);
    }

    /// Calls with a time, inputs and states; the answer is one number.
    pub fn output(&self, time: f64, inputs: impl Iterator<Item = f64>, states: &[f64]) -> f64 {
        self.guard([f64::NAN], |py| {
            let arguments = (time, PyArray1::from_iter(py, inputs), PyArray1::from_slice(py, states));
            let answer = self.function.bind(py).call1(arguments)?;
            Ok([self.finite(self.extract::<f64>(&answer, "a number")?, time)?])
        })[0]
    }

    /// What it is, for messages.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Calls unless an exception waits; one that is raised is kept, and the answer is `failed`.
    pub fn guard<T>(&self, failed: T, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        if self.fault.is_raised() {
            return failed;
        }
        Python::attach(|py| {
            call(py).unwrap_or_else(|error| {
                self.fault.raise(error);
                failed
            })
        })
    }

    /// The answer as what is expected of it.
    pub fn extract<T>(&self, answer: &Bound<'_, PyAny>, expected: &str) -> PyResult<T>
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
    {
        answer.extract::<T>().map_err(|_| {
            let kind = answer.get_type().name().map_or_else(|_| "?".into(), |n| n.to_string());
            PyTypeError::new_err(format!("{} must return {expected}, not {kind}", self.what))
        })
    }

    fn finite(&self, value: f64, time: f64) -> PyResult<f64> {
        if value.is_finite() {
            return Ok(value);
        }
        let message = format!("{} returned {value} at t = {time} s", self.what);
        Err(Python::attach(|py| model_error(py, message)))
    }
}
