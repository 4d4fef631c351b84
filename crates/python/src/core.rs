//! The world as Python sees it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use huygens::prelude::*;
use huygens::run::Recorder;
use huygens::spec::Section;
use huygens_core::signal::UserOde;
use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Callables, python_value, structure, values};
use crate::callable::Callable;
use crate::cell::WorldCell;
use crate::contact::{
    BodyNames, ContactArrays, ContactCallables, ContactTable, Hit, StatisticsNumbers, body_name,
    statistics_numbers,
};
use crate::error::{model_error, record_error, tell_warnings, world_error};
use crate::record::Record;
use crate::recorder::{RecordingWish, while_recorded};
use crate::travel::{check_span, pull};
use crate::viewer::{PageHelm, ViewerServer};
use crate::views::Leases;

/// A world; the class `huygens.World` is its friendly face.
#[pyclass(frozen, module = "huygens._huygens")]
pub struct Core {
    pub(crate) cell: WorldCell,
    pub(crate) callables: Callables,
    record: Mutex<Record>,
    pub(crate) recorder: Mutex<Option<Recorder>>,
    pub(crate) helm: Mutex<Option<PageHelm>>,
    leases: Leases,
    body_names: Arc<BodyNames>,
    /// The callables that take part in contact.
    contact: Mutex<Vec<Arc<Callable>>>,
    /// Number of warnings of the world that Python knows.
    told: AtomicUsize,
}

/// A row of numbers for Python.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

/// Numbers of small motions: eigenvalues (real, imaginary), frequencies, damping ratios, shapes (real, imaginary).
type ModeNumbers<'py> =
    (Numbers<'py>, Numbers<'py>, Numbers<'py>, Numbers<'py>, Vec<Vec<f64>>, Vec<Vec<f64>>);

/// Size of a step, iterations, factorizations, rejected steps, local error; contacts, iterations and residual of their
/// solver, whether it converged.
type StepNumbers = ((f64, usize, usize, usize, f64), (usize, usize, f64, bool));

/// Positions, rotations, velocities, angular velocities of all bodies, one after another.
type MotionNumbers<'py> = (Numbers<'py>, Numbers<'py>, Numbers<'py>, Numbers<'py>);

impl Core {
    pub fn of(world: World) -> Self {
        Self {
            cell: WorldCell::new(world),
            callables: Callables::default(),
            record: Mutex::default(),
            recorder: Mutex::default(),
            helm: Mutex::default(),
            leases: Leases::default(),
            body_names: Arc::default(),
            contact: Mutex::default(),
            told: AtomicUsize::new(0),
        }
    }

    /// A world, whose warnings are issued.
    fn with_warnings(py: Python<'_>, world: World) -> PyResult<Self> {
        let core = Self::of(world);
        core.read(py, |_| Ok(()))?;
        Ok(core)
    }

    /// Reads from the world, with Python free to go on.
    pub(crate) fn read<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut World) -> Result<T, WorldError> + Send,
    ) -> PyResult<T> {
        let world = self.cell.take()?;
        self.work(py, world, work)
    }

    /// Changes the world.
    pub(crate) fn change<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut World) -> Result<T, WorldError> + Send,
    ) -> PyResult<T> {
        let mut world = self.cell.take_to_change()?;
        self.leases.before_change(&mut world);
        self.work(py, world, work)
    }

    /// Moves the world.
    pub(crate) fn moved<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut World) -> Result<T, WorldError> + Send,
    ) -> PyResult<T> {
        let world = self.cell.take_to_move()?;
        self.work(py, world, work)
    }

    /// Moves the world while callbacks may have it, from which it may not come back.
    fn away<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Box<World>) -> (Option<Box<World>>, Result<T, WorldError>) + Send,
    ) -> PyResult<T> {
        let world = self.cell.take_to_move()?;
        self.callables.fault.take();
        let (world, result) = py.detach(|| work(world));
        let news = world.as_ref().map_or(Vec::new(), |world| self.news(world));
        world.into_iter().for_each(|world| self.cell.put(world));
        self.conclude(py, result, news)
    }

    fn work<T: Send>(
        &self,
        py: Python<'_>,
        mut world: Box<World>,
        work: impl FnOnce(&mut World) -> Result<T, WorldError> + Send,
    ) -> PyResult<T> {
        self.callables.fault.take();
        let result = py.detach(|| work(&mut world));
        let news = self.news(&world);
        self.cell.put(world);
        self.conclude(py, result, news)
    }

    /// Warnings that came up since they were last asked for.
    pub(crate) fn news(&self, world: &World) -> Vec<String> {
        let texts = world.warnings();
        let told = self.told.swap(texts.len(), Ordering::Relaxed);
        texts.get(told..).unwrap_or_default().to_vec()
    }

    /// Issues warnings. An exception of a callable comes before the error it led to, and that before a warning that is
    /// to be an exception.
    fn conclude<T>(&self, py: Python<'_>, result: Result<T, WorldError>, news: Vec<String>) -> PyResult<T> {
        let warned = tell_warnings(py, news);
        match self.callables.fault.take() {
            Some(error) => Err(error),
            None => {
                let value = result.map_err(|error| world_error(py, &error))?;
                warned.map(|()| value)
            }
        }
    }

    pub(crate) fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adding by section: one arm per row of the table.
macro_rules! core {
    ($($(#[$doc:meta])* $section:ident, $key:ident, $noun:literal, $spec:ident, $rank:literal, $scope:ident;)*) => {
        impl Core {
            fn add_described(&self, py: Python<'_>, section: Section, spec: &Bound<'_, PyDict>) -> PyResult<String> {
                match section {
                    Section::Settings => Err(PyValueError::new_err("settings are configured, not added")),
                    $(Section::$section => {
                        let spec: huygens::spec::$spec = structure($noun, spec, &self.callables)?;
                        self.change(py, |world| {
                            let name = world.add(spec)?;
                            if matches!(section, Section::Bodies | Section::Fills | Section::Structures) {
                                self.body_names.refresh(world);
                            }
                            Ok(name)
                        })
                    })*
                }
            }
        }
    };
}

huygens::spec::sections!(core!);

impl Core {
    /// Adds a force whose law is a callable.
    fn add_force_law(
        &self,
        py: Python<'_>,
        spec: &Bound<'_, PyDict>,
        law: &Bound<'_, PyAny>,
    ) -> PyResult<String> {
        let spec: ForceSpec = structure("force", spec, &self.callables)?;
        let callable = self.callables.keep(law, format!("the law of force '{}'", spec.name()))?;
        let law = ForceLaw(Arc::new(move |t, x, v| callable.number([t, x, v])));
        self.change(py, |world| {
            world.add_force_law(spec, law)?;
            Ok(world.forces().last().map_or(String::new(), |(_, spec)| spec.name().into_owned()))
        })
    }
}

#[pymethods]
impl Core {
    #[new]
    fn new(py: Python<'_>, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let core = Self::of(World::default());
        core.configure(py, settings)?;
        Ok(core)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.callables.visit(|function| visit.call(function))
    }

    fn __clear__(&self) {
        self.cell.clear();
        self.callables.clear();
    }

    /// Builds a world of a scene given as a dictionary.
    #[staticmethod]
    fn from_dictionary(py: Python<'_>, scene: &Bound<'_, PyDict>) -> PyResult<Self> {
        let callables = Callables::default();
        let scene: Scene = values("scene", scene, &callables)?;
        let world = py.detach(|| World::from_scene(&scene)).map_err(|e| world_error(py, &e))?;
        Self::with_warnings(py, world)
    }

    /// Builds a world of a scene file.
    #[staticmethod]
    #[pyo3(signature = (path, parameters, asset_root=None))]
    fn from_scene(
        py: Python<'_>,
        path: PathBuf,
        parameters: std::collections::BTreeMap<String, f64>,
        asset_root: Option<PathBuf>,
    ) -> PyResult<Self> {
        let loaded = crate::scene::load(py, path, parameters, asset_root)?;
        let world = py.detach(|| loaded.world()).map_err(|e| crate::error::scene_error(py, &e))?;
        Self::with_warnings(py, world)
    }

    /// The world as a scene, without user laws.
    fn to_dictionary(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let scene = self.read(py, |world| Ok(world.to_scene()))?;
        let value = serde_json::to_value(&scene).map_err(|_| {
            model_error(
                py,
                "a world with callables for functions of time cannot be written as a scene".into(),
            )
        })?;
        python_value(py, &value)
    }

    /// All settings.
    fn settings(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let settings = self.read(py, |world| Ok(world.settings().clone()))?;
        let value = serde_json::to_value(&settings).map_err(|e| PyValueError::new_err(e.to_string()))?;
        python_value(py, &value)
    }

    /// Replaces all settings.
    fn configure(&self, py: Python<'_>, settings: &Bound<'_, PyDict>) -> PyResult<()> {
        let settings: Settings = values("settings", settings, &self.callables)?;
        settings.check().map_err(|wrong| world_error(py, &wrong.into()))?;
        let unchanged = self.read(py, |world| Ok(*world.settings() == settings))?;
        if unchanged {
            return Ok(());
        }
        self.change(py, |world| {
            *world.settings_mut() = settings;
            Ok(())
        })
    }

    #[getter]
    fn threads(&self, py: Python<'_>) -> PyResult<usize> {
        self.read(py, |world| Ok(world.threads()))
    }

    #[setter]
    fn set_threads(&self, py: Python<'_>, threads: usize) -> PyResult<()> {
        self.change(py, |world| world.set_threads(threads))
    }

    /// Adds an object of a section and answers with its name.
    #[pyo3(signature = (section, spec, law=None))]
    fn add(
        &self,
        py: Python<'_>,
        section: &str,
        spec: &Bound<'_, PyDict>,
        law: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let unknown = || PyValueError::new_err(format!("there is no section '{section}'"));
        let by_key = || Section::LISTS.into_iter().find(|s| s.key() == section);
        let kind = Section::of_noun(section).or_else(by_key).ok_or_else(unknown)?;
        match (kind, law) {
            (Section::Forces, Some(law)) => self.add_force_law(py, spec, law),
            _ => self.add_described(py, kind, spec),
        }
    }

    /// Removes an object of a kind.
    fn remove(&self, py: Python<'_>, section: &str, name: &str) -> PyResult<()> {
        let unknown = || PyValueError::new_err(format!("there is no kind of object '{section}'"));
        let kind = Section::of_noun(section).ok_or_else(unknown)?;
        self.change(py, |world| {
            world.remove(kind, name)?;
            self.body_names.refresh(world);
            Ok(())
        })
    }

    /// Adds many equal bodies and answers with their names.
    fn add_fill(&self, py: Python<'_>, spec: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
        let spec: FillSpec = structure("fill", spec, &self.callables)?;
        self.change(py, |w| {
            let first = w.bodies().len();
            w.add_fill(spec)?;
            self.body_names.refresh(w);
            Ok(w.bodies()[first..].iter().map(|b| b.1.name.clone()).collect())
        })
    }

    /// Lets callables take part in contact, in the place of those before.
    #[pyo3(signature = (filter=None, modify=None))]
    fn set_contact_callback(
        &self,
        py: Python<'_>,
        filter: Option<&Bound<'_, PyAny>>,
        modify: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let keep = |f: Option<&Bound<'_, PyAny>>, what: &str| {
            f.map(|f| self.callables.keep(f, format!("the {what} of contacts"))).transpose()
        };
        let (filter, modify) = (keep(filter, "filter")?, keep(modify, "modifier")?);
        let new: Vec<_> = filter.iter().chain(&modify).cloned().collect();
        let callback = (!new.is_empty()).then(|| {
            Arc::new(ContactCallables { filter, modify, names: self.body_names.clone() })
                as Arc<dyn ContactCallback>
        });
        self.change(py, |world| {
            self.body_names.refresh(world);
            world.set_contact_callback(callback);
            Ok(())
        })?;
        let mut current = self.contact.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, new);
        old.iter().for_each(|callable| self.callables.release(callable));
        Ok(())
    }

    /// Contacts of the last step that carry a force or overlap.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<ContactArrays<'py>> {
        Ok(self.read(py, |world| Ok(ContactTable::of(world)))?.arrays(py))
    }

    /// What contact did since the world was made.
    fn contact_statistics(&self, py: Python<'_>) -> PyResult<StatisticsNumbers> {
        self.read(py, |world| Ok(statistics_numbers(world.contact_statistics())))
    }

    /// Force and torque about the centre of mass on a body from all its contacts.
    fn body_contact_force(&self, py: Python<'_>, body: &str) -> PyResult<([f64; 3], [f64; 3])> {
        self.read(py, |world| world.body_contact_force(world.body(body)?))
    }

    /// Force that one body exerts on another.
    fn pair_contact_force(&self, py: Python<'_>, body: &str, other: &str) -> PyResult<[f64; 3]> {
        self.read(py, |world| Ok(world.pair_contact_force(world.body(body)?, world.body(other)?)))
    }

    /// The first body that a ray meets.
    fn ray_cast(
        &self,
        py: Python<'_>,
        origin: [f64; 3],
        direction: [f64; 3],
        max: f64,
    ) -> PyResult<Option<Hit>> {
        self.read(py, |world| {
            let hit = world.ray_cast(origin, direction, max);
            Ok(hit.map(|h| (body_name(world, h.body), h.distance, h.point, h.normal)))
        })
    }

    /// The nearest point of all surfaces.
    fn closest_point(&self, py: Python<'_>, point: [f64; 3]) -> PyResult<Option<Hit>> {
        self.read(py, |world| {
            let nearest = world.closest_point(point);
            Ok(nearest.map(|n| (body_name(world, n.body), n.distance, n.point, n.normal)))
        })
    }

    /// Bodies that overlap a shape in a frame of the world.
    fn overlap(
        &self,
        py: Python<'_>,
        shape: &Bound<'_, PyDict>,
        frame: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<String>> {
        let shape: ShapeSpec = structure("shape", shape, &self.callables)?;
        let frame: FrameSpec = values("frame", frame, &self.callables)?;
        let turn = frame.orientation().map_err(|e| model_error(py, e))?;
        self.read(py, |world| {
            let found = world.overlap(&shape, frame.position, Rotation(turn))?;
            Ok(found.into_iter().map(|body| body_name(world, body)).collect())
        })
    }

    /// Distance between the shapes of two bodies.
    fn distance(&self, py: Python<'_>, a: &str, b: &str) -> PyResult<f64> {
        self.read(py, |world| Ok(world.distance(world.body(a)?, world.body(b)?)))
    }

    /// Adds a memoryless law of other signals.
    fn add_user_signal(
        &self,
        py: Python<'_>,
        name: String,
        inputs: Vec<String>,
        law: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let law = self.callables.keep(law, format!("the law of signal '{name}'"))?;
        self.change(py, |world| {
            let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
            world.add_user_signal(name, &inputs, move |t, u| law.signal(t, u.iter()))
        })
    }

    /// Adds a first-order system.
    #[pyo3(signature = (name, inputs, initial, rates, output=None, direct=false))]
    fn add_user_ode(
        &self,
        py: Python<'_>,
        name: String,
        inputs: Vec<String>,
        initial: Vec<f64>,
        rates: &Bound<'_, PyAny>,
        output: Option<&Bound<'_, PyAny>>,
        direct: bool,
    ) -> PyResult<()> {
        if initial.is_empty() || initial.iter().any(|z| !z.is_finite()) {
            let problem = "a first-order system needs at least one state, all of them finite";
            return Err(crate::error::field_error(py, "signal", &name, Some("initial"), problem));
        }
        let rates = self.callables.keep(rates, format!("the rates of signal '{name}'"))?;
        let output =
            output.map(|o| self.callables.keep(o, format!("the output of signal '{name}'"))).transpose()?;
        let ode = UserOde::new(initial, move |t, u, z, out| rates.rates(t, u.iter(), z, out));
        let ode = match (output, direct) {
            (None, _) => ode,
            (Some(output), true) => ode.with_direct_output(move |t, u, z| output.output(t, u.iter(), z)),
            (Some(output), false) => ode.with_output(move |t, z| output.output(t, std::iter::empty(), z)),
        };
        self.change(py, |world| {
            let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
            world.add_user_ode(name, &inputs, ode)
        })
    }

    /// Names of all objects of a section, in the order of adding.
    fn names(&self, py: Python<'_>, section: &str) -> PyResult<Vec<String>> {
        self.read(
            py,
            |world| Ok(Section::of_noun(section).map_or(Vec::new(), |section| world.names(section))),
        )
    }

    /// The section a name belongs to.
    fn section_of(&self, py: Python<'_>, name: &str) -> PyResult<Option<&'static str>> {
        self.read(py, |world| Ok(world.object(name).map(|object| Section::noun(object.section()))))
    }

    /// Numbers behind a quantity of an object.
    fn measure(&self, py: Python<'_>, sensor: &Bound<'_, PyDict>) -> PyResult<Vec<f64>> {
        let sensor: SensorSpec = structure("sensor", sensor, &self.callables)?;
        self.read(py, |world| {
            let found = world.measurements(&sensor)?;
            found.iter().map(|m| world.measure(m)).collect()
        })
    }

    /// Value of a signal.
    fn signal(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        self.read(py, |world| world.signal(name))
    }

    /// Sets an input signal.
    fn set_input(&self, py: Python<'_>, name: &str, value: f64) -> PyResult<()> {
        self.change(py, |world| world.set_input(name, value))
    }

    /// Name, value, least and greatest value of every input signal.
    fn inputs(&self, py: Python<'_>) -> PyResult<Vec<(String, f64, f64, f64)>> {
        let inputs = self.read(py, |world| world.inputs())?;
        Ok(inputs.into_iter().map(|i| (i.name, i.value, i.lower, i.upper)).collect())
    }

    /// Pulls a body for the next step of `dt` [s].
    #[pyo3(signature = (body, point, target, dt))]
    fn pull(
        &self,
        py: Python<'_>,
        body: &str,
        point: [f64; 3],
        target: [f64; 3],
        dt: Option<f64>,
    ) -> PyResult<()> {
        self.change(py, |world| pull(world, body, point, target, dt))
    }

    /// Lets the page of a viewer steer the runs to come.
    fn steered_by(&self, viewer: &ViewerServer) {
        *self.helm.lock().unwrap_or_else(PoisonError::into_inner) = viewer.helm();
    }

    /// Render description that recordings carry.
    #[getter]
    fn view(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let view = self.read(py, |world| Ok(world.view().cloned()))?;
        view.map(|view| python_value(py, &view)).transpose()
    }

    /// Sets the render description, given as JSON.
    #[pyo3(signature = (view))]
    fn set_view(&self, py: Python<'_>, view: Option<&str>) -> PyResult<()> {
        let view = RecordingWish::view(py, view)?;
        self.read(py, |world| {
            world.set_view(view);
            Ok(())
        })
    }

    /// Names of the coordinates of a joint.
    fn joint_coordinates(&self, py: Python<'_>, joint: &str) -> PyResult<Vec<String>> {
        self.read(py, |world| {
            let id = world.joint(joint)?;
            let names = world.assembly().joint(id).map(|j| j.kind.coordinate_names());
            Ok(names.into_iter().flatten().map(|n| n.to_string()).collect())
        })
    }

    fn body_position(&self, py: Python<'_>, body: &str) -> PyResult<[f64; 3]> {
        self.read(py, |world| world.body_position(world.body(body)?))
    }

    fn body_rotation(&self, py: Python<'_>, body: &str) -> PyResult<[f64; 4]> {
        self.read(py, |world| world.body_rotation(world.body(body)?))
    }

    fn body_velocity(&self, py: Python<'_>, body: &str) -> PyResult<[f64; 3]> {
        self.read(py, |world| world.body_velocity(world.body(body)?))
    }

    fn body_angular_velocity(&self, py: Python<'_>, body: &str) -> PyResult<[f64; 3]> {
        self.read(py, |world| world.body_angular_velocity(world.body(body)?))
    }

    fn set_body_position(&self, py: Python<'_>, body: &str, position: [f64; 3]) -> PyResult<()> {
        self.change(py, |world| world.set_body_position(world.body(body)?, position))
    }

    fn set_body_rotation(&self, py: Python<'_>, body: &str, rotation: [f64; 4]) -> PyResult<()> {
        self.change(py, |world| world.set_body_rotation(world.body(body)?, rotation))
    }

    fn set_body_velocity(&self, py: Python<'_>, body: &str, velocity: [f64; 3]) -> PyResult<()> {
        self.change(py, |world| world.set_body_velocity(world.body(body)?, velocity))
    }

    fn set_body_angular_velocity(
        &self,
        py: Python<'_>,
        body: &str,
        angular_velocity: [f64; 3],
    ) -> PyResult<()> {
        self.change(py, |world| world.set_body_angular_velocity(world.body(body)?, angular_velocity))
    }

    fn set_shaft(&self, py: Python<'_>, shaft: &str, angle: f64, speed: f64) -> PyResult<()> {
        self.change(py, |world| world.set_shaft(world.shaft(shaft)?, angle, speed))
    }

    /// Positions, rotations, velocities and angular velocities of all bodies, copied in one go.
    fn motions<'py>(&self, py: Python<'py>) -> PyResult<MotionNumbers<'py>> {
        let [p, r, v, w] = self.read(py, |world| {
            let count = world.bodies().len();
            let mut out = [3, 4, 3, 3].map(|width| vec![0.0; width * count]);
            let [p, r, v, w] = &mut out;
            world.body_motions(p, r, v, w)?;
            Ok(out)
        })?;
        let array = |numbers| PyArray1::from_vec(py, numbers);
        Ok((array(p), array(r), array(v), array(w)))
    }

    /// Read-only arrays that look into the vectors `q` and `v` of the state, and the number of dynamic bodies.
    fn state_arrays<'py>(slf: &Bound<'py, Self>) -> PyResult<(Numbers<'py>, Numbers<'py>, usize)> {
        let (py, core) = (slf.py(), slf.get());
        core.read(py, |world| world.initialize().map(|_| ()))?;
        let world = core.cell.take()?;
        let owner = slf.clone().into_any().unbind();
        let bodies = world.bodies().iter().filter(|b| b.1.kind == BodyType::Dynamic).count();
        let arrays = match world.state() {
            Some(state) => core.leases.arrays(py, state, owner),
            None => Err(PyRuntimeError::new_err("the world has no state")),
        };
        core.cell.put(world);
        arrays.map(|(q, v)| (q, v, bodies))
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.read(py, |world| Ok(world.time()))
    }

    #[getter]
    fn step_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.read(py, |world| Ok(world.step_count()))
    }

    #[getter]
    fn state_hash(&self, py: Python<'_>) -> PyResult<String> {
        self.read(py, |world| world.initialize().map(|_| world.state_hash()))
    }

    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.read(py, |world| Ok(world.warnings().to_vec()))
    }

    /// Kinetic, potential and elastic energy.
    fn energy(&self, py: Python<'_>) -> PyResult<(f64, f64, f64)> {
        self.read(py, |world| world.energy().map(|e| (e.kinetic, e.potential, e.elastic)))
    }

    #[getter]
    fn constraint_residual(&self, py: Python<'_>) -> PyResult<f64> {
        self.read(py, |world| world.constraint_residual())
    }

    /// Builds the model: moved, velocity change, iterations, redundant rows, degrees of freedom.
    fn initialize(&self, py: Python<'_>) -> PyResult<(f64, f64, usize, Vec<String>, usize)> {
        self.moved(py, |world| {
            let r = world.initialize()?;
            Ok((r.moved, r.velocity_change, r.iterations, r.redundant, r.degrees_of_freedom))
        })
    }

    /// One step.
    #[pyo3(signature = (dt=None))]
    fn step(&self, py: Python<'_>, dt: Option<f64>) -> PyResult<StepNumbers> {
        self.moved(py, |world| {
            world.initialize()?;
            self.keep_start(world)?;
            let before = world.time();
            let r = match dt {
                Some(dt) => world.advance(dt)?,
                None => world.step()?,
            };
            self.keep_step(world, before)?;
            let method = (r.step_size, r.iterations, r.factorizations, r.rejected, r.local_error);
            Ok((method, (r.contacts, r.contact_iterations, r.contact_residual, r.contact_converged)))
        })
    }

    /// Steps until `until`; whether that was reached.
    #[pyo3(signature = (until, callback=None, every=None))]
    fn run(
        &self,
        py: Python<'_>,
        until: f64,
        callback: Option<Py<PyAny>>,
        every: Option<f64>,
    ) -> PyResult<bool> {
        check_span(until, every).map_err(|error| world_error(py, &error))?;
        self.away(py, |world| self.travel(world, until, callback.as_ref(), every))
    }

    /// Kinematics of a driven mechanism; whether `until` was reached.
    #[pyo3(signature = (until, dt, callback=None))]
    fn kinematics(&self, py: Python<'_>, until: f64, dt: f64, callback: Option<Py<PyAny>>) -> PyResult<bool> {
        self.away(py, |world| self.drive(world, until, dt, callback.as_ref()))
    }

    /// Static equilibrium: iterations, residual, whether it is stable.
    fn equilibrium(&self, py: Python<'_>) -> PyResult<(usize, f64, bool)> {
        self.moved(py, |world| world.equilibrium().map(|r| (r.iterations, r.residual, r.stable)))
    }

    /// Frequencies, damping and shapes of small motions.
    fn modes<'py>(&self, py: Python<'py>) -> PyResult<ModeNumbers<'py>> {
        let (real, imaginary, modes, shapes) = self.moved(py, |world| {
            let modes = world.modes()?;
            let part = |f: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
                let row = |i| (0..modes.shapes.ncols()).map(|j| f(i, j)).collect();
                (0..modes.shapes.nrows()).map(row).collect()
            };
            let shapes = (part(&|i, j| modes.shapes[(i, j)].re), part(&|i, j| modes.shapes[(i, j)].im));
            let real: Vec<f64> = modes.eigenvalues.iter().map(|s| s.re).collect();
            let imaginary: Vec<f64> = modes.eigenvalues.iter().map(|s| s.im).collect();
            Ok((real, imaginary, (modes.frequency_hz, modes.damping_ratio), shapes))
        })?;
        let array = |numbers| PyArray1::from_vec(py, numbers);
        Ok((array(real), array(imaginary), array(modes.0), array(modes.1), shapes.0, shapes.1))
    }

    /// Probe values recorded so far.
    fn probes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.record.try_lock() {
            Ok(record) => record.dictionary(py),
            Err(_) => Err(PyRuntimeError::new_err("the probes are being recorded; a law cannot read them")),
        }
    }

    /// Units of the probe columns by name.
    fn probe_units(&self, py: Python<'_>) -> PyResult<Vec<(String, &'static str)>> {
        self.read(py, |world| Ok(world.probe_columns()?.into_iter().map(|c| (c.name, c.unit)).collect()))
    }

    /// Forgets recorded probe values.
    fn clear_probes(&self) -> PyResult<()> {
        match self.record.try_lock() {
            Ok(mut record) => {
                record.clear();
                Ok(())
            }
            Err(_) => Err(PyRuntimeError::new_err("the probes are being recorded; a law cannot clear them")),
        }
    }

    /// Writes the whole state to one file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let (step, chunks) = self.read(py, |world| {
            let chunks = world.save()?;
            Ok((world.step_count(), chunks))
        })?;
        let borrowed: Vec<(&str, &[u8])> = chunks.iter().map(|(n, b)| (*n, b.as_slice())).collect();
        py.detach(|| {
            huygens_record::write_atomic(&path, |out| {
                huygens_record::checkpoint::encode_checkpoint(out, step, &borrowed)
            })
        })
        .map_err(|e| record_error(py, &e))
    }

    /// Continues from a file of the same model.
    fn restore(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let checkpoint = py
            .detach(|| huygens_record::checkpoint::read_checkpoint(&path))
            .map_err(|e| record_error(py, &e))?;
        self.refuse_while_recorded(py, "another state")?;
        self.read(py, |world| world.initialize().map(|_| ()))?;
        self.change(py, |world| world.restore(&checkpoint))
    }

    /// File of the recording under way.
    #[getter]
    fn recording(&self, py: Python<'_>) -> PyResult<Option<PathBuf>> {
        self.read(py, |_| Ok(self.recording_file()))
    }

    /// Records from now on.
    #[pyo3(signature = (path, every=None, budget_mb=None, until=None, name="", view=None, resume=false))]
    fn start_recording(
        &self,
        py: Python<'_>,
        path: PathBuf,
        every: Option<f64>,
        budget_mb: Option<f64>,
        until: Option<f64>,
        name: &str,
        view: Option<&str>,
        resume: bool,
    ) -> PyResult<()> {
        let view = RecordingWish::view(py, view)?;
        let wish = RecordingWish { path, every, budget_mb, until, name: name.into(), view, resume };
        if self.read(py, |world| self.record_into(world, wish))? {
            return Ok(());
        }
        let path = self.recording(py)?.unwrap_or_default();
        Err(while_recorded(py, "another recording", &path))
    }

    /// Ends the recording: frames, bytes, interval, how often it was thinned.
    fn stop_recording(&self, py: Python<'_>) -> PyResult<Option<(usize, u64, f64, u32)>> {
        let summary = self.read(py, |world| self.end_recording(world))?;
        Ok(summary.map(|s| (s.frames, s.bytes, s.interval, s.thinned)))
    }
}
