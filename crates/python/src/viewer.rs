//! The viewer's server, started from Python, and runs steered from its page.

use std::cell::Cell;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use huygens::prelude::*;
use huygens::run::Helm;
use huygens_viewer::{Control, Server, ServerSettings};
use pyo3::prelude::*;

use crate::core::Core;
use crate::error::{model_error, viewer_error};

/// A server of one recording on a thread of its own; the class `huygens.Viewer` is its friendly face.
#[pyclass(frozen, module = "huygens._huygens")]
pub struct ViewerServer {
    server: Mutex<Option<Server>>,
    url: String,
    page: Option<Page>,
}

#[pymethods]
impl ViewerServer {
    #[new]
    #[pyo3(signature = (path, port=0, address="127.0.0.1", hosts=Vec::new(), interactive=false))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        port: u16,
        address: &str,
        hosts: Vec<String>,
        interactive: bool,
    ) -> PyResult<Self> {
        let Ok(address) = address.parse::<IpAddr>() else {
            let problem = format!("'{address}' is not an address; expected numbers such as 127.0.0.1 or ::1");
            return Err(model_error(py, problem));
        };
        let page = interactive.then(|| Page { control: Control::new(), closed: Arc::default() });
        let control = page.as_ref().map(|page| page.control.clone());
        let settings = ServerSettings { address, port, hosts, control, ..ServerSettings::default() };
        let server = py.detach(|| Server::start(&path, settings)).map_err(|e| viewer_error(py, &e))?;
        let url = server.url();
        Ok(Self { server: Mutex::new(Some(server)), url, page })
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
        if let Some(page) = &self.page {
            page.closed.store(true, Ordering::Relaxed);
        }
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(server));
    }
}

impl ViewerServer {
    /// What lets its page steer a run, if it may.
    pub fn helm(&self) -> Option<PageHelm> {
        self.page.clone().map(|page| PageHelm { page, helm: Helm::default() })
    }
}

/// A page that steers, and whether it is closed.
#[derive(Clone, Debug)]
struct Page {
    control: Control,
    closed: Arc<AtomicBool>,
}

/// A page at the helm of a world.
pub struct PageHelm {
    page: Page,
    helm: Helm,
}

impl Core {
    /// Does before a step of `h` [s] what the page asks for; false if the run is to stop.
    pub(crate) fn steer(
        &self,
        world: &mut World,
        h: f64,
        last_look: &Cell<Instant>,
    ) -> Result<bool, WorldError> {
        // Taken out meanwhile, so that nobody waits for the lock while the run is paused.
        let Some(mut steered) = self.helm.lock().unwrap_or_else(PoisonError::into_inner).take() else {
            return Ok(true);
        };
        let closed = || steered.page.closed.load(Ordering::Relaxed);
        let stop = || closed() || self.is_interrupted(None, last_look);
        let recorder = self.recorder();
        let go_on = steered.helm.before_step(&steered.page.control, world, h, recorder.as_ref(), &stop)?;
        drop(recorder);
        if closed() {
            return Ok(!self.is_interrupted(None, last_look));
        }
        self.helm.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(steered);
        Ok(go_on)
    }
}
