//! Arrays that look into the state of a world without copying it.
//!
//! The vectors `q` and `v` of a state keep their place in memory while the world moves. They would lose it when the
//! model changes (another body, another setting, a restored state); the world then goes on with a copy, and the lease
//! keeps the old vectors, so that an array in somebody's hands shows the last state of the old model.

#![expect(unsafe_code, reason = "NumPy borrows vectors of the state; a lease keeps them in place")]

use std::sync::{Arc, Mutex, PoisonError, Weak};

use huygens::World;
use huygens_core::State;
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// The state that leased arrays look into, once the world has left it.
#[derive(Default)]
struct Kept(Mutex<Option<State>>);

/// Keeps the memory of a state's vectors: the base of the arrays that look into it.
#[pyclass(frozen, module = "huygens._huygens")]
pub struct StateLease {
    kept: Arc<Kept>,
    /// The world, so that it lives as long as an array looks into it.
    _owner: Py<PyAny>,
}

#[pymethods]
impl StateLease {
    /// Whether the world has gone on without the arrays of this lease.
    #[getter]
    fn is_stale(&self) -> bool {
        self.kept.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// The lease of the state a world has now.
#[derive(Default)]
pub struct Leases(Mutex<Weak<Kept>>);

/// Two vectors of a state.
type StateArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

impl Leases {
    /// Arrays of `q` and `v`.
    pub fn arrays<'py>(
        &self,
        py: Python<'py>,
        state: &State,
        owner: Py<PyAny>,
    ) -> PyResult<StateArrays<'py>> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = current.upgrade().unwrap_or_default();
        *current = Arc::downgrade(&kept);
        let lease = Bound::new(py, StateLease { kept, _owner: owner })?.into_any();
        let array = |vector: &[f64]| {
            // SAFETY: the memory lives as long as the world keeps the state or the lease keeps it, the lease keeps
            // the world, and `before_change` hands the state to the lease before the world would free it.
            let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(vector), lease.clone()) };
            array.readwrite().make_nonwriteable();
            array
        };
        Ok((array(&state.q), array(&state.v)))
    }

    /// To be called before anything that may free the state: live leases take it, the world goes on with a copy.
    pub fn before_change(&self, world: &mut World) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = current.upgrade() {
            *kept.0.lock().unwrap_or_else(PoisonError::into_inner) = world.exchange_state();
        }
        *current = Weak::new();
    }
}
