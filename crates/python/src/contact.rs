//! Contact for Python: reports as arrays, questions about shapes, and callables that take part.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use huygens::prelude::*;
use huygens::world::ContactStatistics;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::callable::Callable;
use crate::error::model_error;

/// A row of numbers for Python.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

/// Rows of the bodies A and B, then point, normal, gap, force on B and couple on B, one contact after another.
pub type ContactArrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
    Numbers<'py>,
);

/// Steps, most contacts, iterations, missed steps, worst residual and its time, critical step, steps longer than it.
pub type StatisticsNumbers = (u64, usize, u64, u64, f64, f64, f64, u64);

/// Body, distance, point and normal of a hit.
pub type Hit = (String, f64, [f64; 3], [f64; 3]);

/// The contacts of a world with the rows of their bodies among all bodies.
pub struct ContactTable {
    rows: [Vec<i64>; 2],
    contacts: Vec<ContactReport>,
}

impl ContactTable {
    /// The contacts of the last step.
    pub fn of(world: &World) -> Self {
        let mut row_of = vec![-1; world.bodies().iter().map(|b| b.0.index() + 1).max().unwrap_or(0)];
        for (row, (id, _)) in world.bodies().iter().enumerate() {
            row_of[id.index()] = row as i64;
        }
        let contacts = world.contacts();
        let row = |side: ContactSide| side.body().map_or(-1, |id| row_of[id.index()]);
        let rows = |side: fn(&ContactReport) -> ContactSide| contacts.iter().map(|c| row(side(c))).collect();
        Self { rows: [rows(|c| c.a), rows(|c| c.b)], contacts }
    }

    /// As NumPy arrays.
    pub fn arrays<'py>(self, py: Python<'py>) -> ContactArrays<'py> {
        let [a, b] = self.rows.map(|rows| PyArray1::from_vec(py, rows));
        let vectors = |of: fn(&ContactReport) -> [f64; 3]| {
            PyArray1::from_vec(py, self.contacts.iter().flat_map(of).collect())
        };
        let gaps = PyArray1::from_vec(py, self.contacts.iter().map(|c| c.gap).collect());
        (a, b, vectors(|c| c.point), vectors(|c| c.normal), gaps, vectors(|c| c.force), vectors(|c| c.couple))
    }
}

/// The numbers of contact statistics in order.
pub fn statistics_numbers(s: &ContactStatistics) -> StatisticsNumbers {
    let worst = (s.worst_residual, s.worst_time);
    (s.steps, s.most_contacts, s.iterations, s.missed, worst.0, worst.1, s.critical_step, s.too_long)
}

/// Name of a body.
pub fn body_name(world: &World, body: BodyId) -> String {
    world.assembly().body(body).map_or_else(String::new, |b| b.name.clone())
}

/// Names of all bodies, structures and fluids, by the index of their handles: callables know them by name.
#[derive(Default)]
pub struct BodyNames(RwLock<NameLists>);

#[derive(Default)]
struct NameLists {
    bodies: Vec<String>,
    /// Bodies of the world that are named above; handles may leave numbers out.
    seen: usize,
    structures: Vec<String>,
    fluids: HashMap<FluidId, String>,
}

impl BodyNames {
    /// Takes over the names of bodies that have been added.
    pub fn refresh(&self, world: &World) {
        let mut lists = self.0.write().unwrap_or_else(PoisonError::into_inner);
        lists.structures = world.structures().map(|(_, spec)| spec.name.clone()).collect();
        lists.fluids = world.fluids().map(|(id, spec)| (id, spec.name.clone())).collect();
        let seen = std::mem::replace(&mut lists.seen, world.bodies().len());
        let names = &mut lists.bodies;
        for (id, spec) in world.bodies().iter().skip(seen) {
            if names.len() <= id.index() {
                names.resize(id.index() + 1, String::new());
            }
            names[id.index()] = spec.name.clone();
        }
    }

    fn of(&self, side: ContactSide) -> String {
        let names = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match side {
            ContactSide::Body(id) => names.bodies.get(id.index()).cloned().unwrap_or_default(),
            ContactSide::Structure(id) => names.structures.get(id.index()).cloned().unwrap_or_default(),
            ContactSide::Fluid(id) => names.fluids.get(&id).cloned().unwrap_or_default(),
        }
    }
}

/// A contact whose forces are not known yet, as a callable sees it.
#[pyclass(frozen, get_all, module = "huygens._huygens")]
pub struct ContactPoint {
    /// Name of the first body.
    a: String,
    /// Name of the second body.
    b: String,
    /// Point midway between the surfaces [m], world axes.
    point: (f64, f64, f64),
    /// Unit normal from the first to the second body.
    normal: (f64, f64, f64),
    /// Distance of the surfaces [m]; negative where they overlap.
    gap: f64,
}

/// What two materials make together at one contact; a callable may change it.
#[pyclass(name = "Composite", get_all, set_all, module = "huygens._huygens")]
#[derive(Clone, Copy)]
pub struct PairMaterial {
    /// Coefficient of friction.
    friction: f64,
    /// Coefficient of restitution, 0 to 1.
    restitution: f64,
    /// Rolling friction [m].
    rolling_friction: f64,
    /// Spinning friction [m].
    spinning_friction: f64,
    /// Cohesive force [N].
    cohesion: f64,
    /// Normal compliance of the rigid law [m/N].
    compliance: f64,
    /// Normal damping of the rigid law [N·s/m].
    damping: f64,
    /// Effective Young's modulus of the compliant law [Pa].
    young: f64,
}

impl PairMaterial {
    fn new(composite: &Composite) -> Self {
        let surface = &composite.surface;
        Self {
            friction: surface.friction,
            restitution: surface.restitution,
            rolling_friction: surface.rolling_friction,
            spinning_friction: surface.spinning_friction,
            cohesion: surface.cohesion,
            compliance: composite.compliance,
            damping: composite.damping,
            young: surface.young,
        }
    }

    /// The first number that is out of range: its name, its value and what is needed.
    fn check(&self) -> Result<(), (&'static str, f64, &'static str)> {
        for (name, value) in [
            ("friction", self.friction),
            ("rolling_friction", self.rolling_friction),
            ("spinning_friction", self.spinning_friction),
            ("cohesion", self.cohesion),
            ("compliance", self.compliance),
            ("damping", self.damping),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err((name, value, "zero or a positive finite number"));
            }
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(("restitution", self.restitution, "a number from 0 to 1"));
        }
        if self.young.is_nan() || self.young <= 0.0 {
            return Err(("young", self.young, "a positive number"));
        }
        Ok(())
    }

    fn write(&self, composite: &mut Composite) {
        let surface = &mut composite.surface;
        surface.friction = self.friction;
        surface.restitution = self.restitution;
        surface.rolling_friction = self.rolling_friction;
        surface.spinning_friction = self.spinning_friction;
        surface.cohesion = self.cohesion;
        surface.young = self.young;
        composite.compliance = self.compliance;
        composite.damping = self.damping;
    }
}

/// Python callables that take part in contact.
pub struct ContactCallables {
    /// `filter(a, b)`: whether two bodies may touch.
    pub filter: Option<Arc<Callable>>,
    /// `modify(contact, material)`: changes the material of one contact.
    pub modify: Option<Arc<Callable>>,
    /// Names of the bodies.
    pub names: Arc<BodyNames>,
}

impl ContactCallback for ContactCallables {
    fn filter(&self, a: ContactSide, b: ContactSide) -> bool {
        let Some(filter) = &self.filter else { return true };
        // After an exception the step is finished without the callable, and the exception raised behind it.
        filter.guard(true, |py| {
            let answer = filter.function.bind(py).call1((self.names.of(a), self.names.of(b)))?;
            filter.extract(&answer, "True or False")
        })
    }

    fn modify(&self, contact: &ContactReport, composite: &mut Composite) {
        let Some(modify) = &self.modify else { return };
        let before = PairMaterial::new(composite);
        let after = modify.guard(before, |py| {
            let point = ContactPoint {
                a: self.names.of(contact.a),
                b: self.names.of(contact.b),
                point: contact.point.into(),
                normal: contact.normal.into(),
                gap: contact.gap,
            };
            let material = Bound::new(py, before)?;
            modify.function.bind(py).call1((point, &material))?;
            let changed = *material.borrow();
            changed.check().map_err(|(name, value, expected)| {
                let whose = format!("{} set {name} = {value}", modify.what());
                let pair = format!("for '{}' and '{}'", self.names.of(contact.a), self.names.of(contact.b));
                model_error(py, format!("{whose} {pair}; {expected} is needed"))
            })?;
            Ok(changed)
        });
        after.write(composite);
    }
}
