//! Quantities by name: what sensors and probes can read.

mod contact;
mod mechanism;
mod reference;
pub(super) mod table;

use std::collections::BTreeSet;

use huygens_core::signal::closest_name;
use huygens_multibody::Measurement;

use self::contact::ContactQuantity;
use self::table::{QuantityRow, find, names, number, unknown};
use super::fluids::FluidQuantity;
use super::grains::GrainQuantity;
use super::structures::StructureQuantity;
use super::{Object, Result, World, WorldError};
use crate::spec::{ProbeSpec, Section, SensorSpec};

pub use reference::quantity_reference;

/// Kinetic, gravitational and elastic energy [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Potential energy in gravity [J].
    pub potential: f64,
    /// Energy stored in springs [J].
    pub elastic: f64,
}

impl Energy {
    /// Sum of all parts [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
    }
}

/// Name and unit of one column of a time series, and the series it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name of the column.
    pub name: String,
    /// Unit, such as `m/s`.
    pub unit: &'static str,
    /// Time series it goes to.
    pub file: String,
}

/// Time series of probes that name none.
pub(super) const PROBES: &str = "probes";

/// Where a number comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    Measurement(Measurement),
    Signal(usize),
    World(&'static QuantityRow<WorldRead>),
    Contact(ContactQuantity),
    Grains(GrainQuantity),
    Fluid(FluidQuantity),
    Structure(StructureQuantity),
}

impl Source {
    /// Whether there may be nothing to measure, which is told by NaN.
    pub fn may_be_empty(&self) -> bool {
        matches!(self, Self::Grains(_) | Self::Fluid(_))
    }
}

/// How a number of the whole world is had.
#[derive(Clone, Copy)]
pub(super) enum WorldRead {
    /// From kinetic, potential and elastic energy [J].
    Energy(fn(&[f64; 3]) -> f64),
    /// Largest residual of the joints and couplings.
    Residual,
}

/// The world, besides its contacts.
const WORLD: &[QuantityRow<WorldRead>] = &[
    number("energy", "J", "the sum of the next three", WorldRead::Energy(|e| e.iter().sum())),
    number("kinetic_energy", "J", "", WorldRead::Energy(|e| e[0])),
    number("potential_energy", "J", "in gravity", WorldRead::Energy(|e| e[1])),
    number(
        "elastic_energy",
        "J",
        "in springs, elements, contacts of grains and fluids",
        WorldRead::Energy(|e| e[2]),
    ),
    number("constraint_residual", "m", "largest of the joints and couplings", WorldRead::Residual),
];

/// One number of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The column it is written to.
    pub column: Column,
    pub(super) source: Source,
}

/// One component of a quantity: its suffix (empty for a scalar), unit and source.
pub(super) struct Part {
    pub suffix: &'static str,
    pub unit: &'static str,
    pub source: Source,
}

/// Why there is no such quantity.
pub(super) struct Failure {
    /// The key that is wrong.
    pub key: &'static str,
    pub problem: String,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

impl Failure {
    /// The object is wrong, or not one that has quantities.
    pub fn object(problem: impl Into<String>, suggestion: Option<String>) -> Self {
        Self { key: "of", problem: problem.into(), suggestion }
    }

    /// The object has no such quantity or component.
    pub fn quantity(problem: String, suggestion: Option<String>) -> Self {
        Self { key: "quantity", problem, suggestion }
    }
}

impl From<Failure> for WorldError {
    fn from(Failure { problem, suggestion, .. }: Failure) -> Self {
        Self::Quantity { problem, suggestion }
    }
}

pub(super) type Resolved = std::result::Result<Vec<Part>, Failure>;

impl World {
    /// Measurements behind a named quantity: one for a number, several for a vector.
    pub fn measurements(&self, spec: &SensorSpec) -> Result<Vec<Measurement>> {
        let parts = self.resolve(spec)?;
        let measurement = |p: Part| match p.source {
            Source::Measurement(m) => Some(m),
            _ => None,
        };
        Ok(parts.into_iter().filter_map(measurement).collect())
    }

    pub(super) fn resolve(&self, spec: &SensorSpec) -> Resolved {
        let (base, component) = match spec.quantity.split_once('.') {
            Some((base, component)) => (base, Some(component)),
            None => (spec.quantity.as_str(), None),
        };
        if spec.of == "world" {
            if let Some(row) = find(contact::OF_WORLD, base) {
                let quantity = |part| ContactQuantity { body: None, with: None, row, part };
                return row.parts(component, |part| Source::Contact(quantity(part)));
            }
            let Some(row) = find(WORLD, base) else {
                return Err(unknown("world", "the", base, names(WORLD).chain(names(contact::OF_WORLD))));
            };
            return row.parts(component, |_| Source::World(row));
        }
        let name = spec.of.split_once('/').map_or(spec.of.as_str(), |(body, _)| body);
        let Some(object) = self.objects.names.get(name) else {
            let near = closest_name(name, self.objects.names.keys().map(String::as_str)).map(str::to_owned);
            return Err(Failure::object(format!("it refers to '{name}', which does not exist"), near));
        };
        if let Object::Grains(id) = *object {
            return self.grain_quantity(id, &spec.of, base, component);
        }
        if let Object::Fluid(id) = *object {
            return self.fluid_quantity(id, &spec.of, (spec.point, None), base, component);
        }
        if matches!(object, Object::Structure(_)) {
            let problem = "signals cannot read structures; fix a light body to the node and read that";
            return Err(Failure::object(problem, None));
        }
        if !matches!(object, Object::Body(_)) && (spec.of.contains('/') || spec.point.is_some()) {
            return Err(Failure::object(
                format!("'{name}' is a {}; only bodies have markers and points", object.section()),
                None,
            ));
        }
        match *object {
            Object::Body(id) => self.body_quantity(id, spec, base, component),
            Object::Joint(id) => self.joint_quantity(id, spec, base, component),
            Object::Motor(id) => self.motor_quantity(id, name, base, component),
            Object::Coupling(id) => self.coupling_quantity(id, name, base, component),
            Object::Force(id) => self.force_quantity(id, name, base, component),
            Object::Grains(id) => self.grain_quantity(id, &spec.of, base, component),
            Object::Fluid(id) => self.fluid_quantity(id, &spec.of, (spec.point, None), base, component),
            Object::Structure(_) => Err(Failure::object(format!("'{name}' is a structure"), None)),
            Object::Shaft(id) => self.shaft_quantity(id, name, base, component),
        }
    }

    /// Numbers behind a quantity of any object.
    fn resolve_probe(&self, spec: &ProbeSpec, sensor: &SensorSpec) -> Resolved {
        let name = sensor.of.split_once('/').map_or(sensor.of.as_str(), |(name, _)| name);
        let (base, component) = match sensor.quantity.split_once('.') {
            Some((base, component)) => (base, Some(component)),
            None => (sensor.quantity.as_str(), None),
        };
        if let Some(Object::Structure(id)) = self.objects.names.get(name) {
            return self.structure_quantity(*id, spec, &sensor.of, base, component);
        }
        if spec.element.is_some() || spec.at.is_some() {
            return Err(Failure::object("`element` and `at` belong to structures", None));
        }
        match (self.objects.names.get(name), spec.radius) {
            (Some(Object::Fluid(id)), radius) => {
                self.fluid_quantity(*id, &sensor.of, (sensor.point, radius), base, component)
            }
            (_, Some(_)) => Err(Failure {
                key: "radius",
                problem: "`radius` belongs to the pressure on a wall, body or structure of a fluid".into(),
                suggestion: None,
            }),
            (_, None) => self.resolve(sensor),
        }
    }

    /// Numbers of one probe.
    fn probe(&self, spec: &ProbeSpec) -> Result<Vec<Quantity>> {
        let label = spec.label();
        let fail = |field: &str, problem: String, suggestion| WorldError::Input {
            section: Section::Probes,
            name: label.clone(),
            field: Some(field.to_owned()),
            problem,
            suggestion,
        };
        let file = spec.file.clone().unwrap_or_else(|| PROBES.into());
        let sound = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if file.is_empty() || file.starts_with('.') || !file.chars().all(sound) {
            let problem =
                format!("'{file}' is not a plain file name: letters, digits, '-', '_' and '.' only");
            return Err(fail("file", problem, None));
        }
        let parts = match (&spec.signal, &spec.of, &spec.quantity) {
            (Some(signal), None, None) => {
                let index = self.objects.signals.iter().position(|s| s.name() == signal);
                let Some(index) = index else {
                    let near = closest_name(signal, self.signal_names()).map(str::to_owned);
                    return Err(fail("signal", format!("there is no signal '{signal}'"), near));
                };
                vec![Part { suffix: "", unit: "1", source: Source::Signal(index) }]
            }
            (None, Some(of), Some(quantity)) => {
                let with = match &spec.with {
                    None => None,
                    Some(name) => Some(self.body(name).map_err(|_| {
                        let near = self.objects.suggest(name, |o| matches!(o, Object::Body(_)));
                        fail("with", format!("`with` refers to body '{name}', which does not exist"), near)
                    })?),
                };
                let sensor = SensorSpec {
                    of: of.clone(),
                    quantity: quantity.clone(),
                    point: spec.point,
                    side: spec.side,
                    axes: spec.axes,
                };
                self.resolve_probe(spec, &sensor)
                    .map_err(|Failure { key, problem, suggestion }| fail(key, problem, suggestion))
                    .and_then(|mut parts| {
                        if with.is_none() {
                            return Ok(parts);
                        }
                        for part in &mut parts {
                            match &mut part.source {
                                Source::Contact(q) if q.body.is_some() => q.with = with,
                                _ => {
                                    let problem = "`with` belongs to contact quantities of a body only";
                                    return Err(fail("with", problem.into(), None));
                                }
                            }
                        }
                        Ok(parts)
                    })?
            }
            _ => return Err(fail("of", "a probe needs `of` and `quantity`, or `signal`".into(), None)),
        };
        let name = |suffix: &str| if suffix.is_empty() { label.clone() } else { format!("{label}.{suffix}") };
        let quantity = |p: Part| Quantity {
            column: Column { name: name(p.suffix), unit: p.unit, file: file.clone() },
            source: p.source,
        };
        Ok(parts.into_iter().map(quantity).collect())
    }

    /// All numbers of all probes.
    pub(super) fn probe_quantities(&self) -> Result<Vec<Quantity>> {
        let mut all: Vec<Quantity> = Vec::new();
        let key = |column: &Column| (column.file.clone(), column.name.clone());
        let mut taken: BTreeSet<_> = self.extensions.columns().map(key).collect();
        for spec in &self.objects.probes {
            for quantity in self.probe(spec)? {
                if !taken.insert(key(&quantity.column)) {
                    let problem = "there is already a probe with this column; give it another name";
                    return Err(WorldError::input(Section::Probes, &spec.label(), Some("name"), problem));
                }
                all.push(quantity);
            }
        }
        Ok(all)
    }

    pub(super) fn check_probes(&self) -> Result<()> {
        self.probe_quantities().map(|_| ())
    }

    /// Columns of all probes, in the order of [`World::probe_values`].
    pub fn probe_columns(&self) -> Result<Vec<Column>> {
        let columns = self.probe_quantities()?.into_iter().map(|q| q.column);
        Ok(columns.chain(self.extensions.columns().cloned()).collect())
    }
}
