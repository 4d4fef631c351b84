//! The viewer's server, started from Python.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use huygens_viewer::{Server, ServerSettings};
use pyo3::prelude::*;

use crate::error::{model_error, viewer_error};

/// A server of one recording on a thread of its own; the class `huygens.Viewer` is its friendly face.
#[pyclass(frozen, module = "huygens._huygens")]
pub struct ViewerServer {
    server: Mutex<Option<Server>>,
    url: String,
}

#[pymethods]
impl ViewerServer {
    #[new]
    #[pyo3(signature = (path, port=0, address="127.0.0.1", hosts=Vec::new()))]
    fn new(py: Python<'_>, path: PathBuf, port: u16, address: &str, hosts: Vec<String>) -> PyResult<Self> {
        let Ok(address) = address.parse::<IpAddr>() else {
            let problem = format!("'{address}' is not an address; expected numbers such as 127.0.0.1 or ::1");
            return Err(model_error(py, problem));
        };
        let settings = ServerSettings { address, port, hosts, ..ServerSettings::default() };
        let server = py.detach(|| Server::start(&path, settings)).map_err(|e| viewer_error(py, &e))?;
        let url = server.url();
        Ok(Self { server: Mutex::new(Some(server)), url })
    }

    /// What to open in a browser.
    #[getter]
    fn url(&self) -> String {
        self.url.clone()
    }

    #[getter]
    fn running(&self) -> bool {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Ends the server and waits for it.
    fn stop(&self, py: Python<'_>) {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(server));
    }
}
