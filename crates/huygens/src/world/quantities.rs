//! Quantities by name: what sensors and probes can read.

use std::collections::BTreeSet;

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_multibody::{
    BodyId, BodyQuantity, CoordinateForceId, CoordinateRef, JointId, Measurement, ReactionAxes, Side,
};

use super::contact::{ContactReport, concerns, force_on, torque_on};
use super::fluids::FluidQuantity;
use super::grains::GrainQuantity;
use super::structures::StructureQuantity;
use super::{ForceId, MotorId, Object, Result, World, WorldError};
use crate::spec::{Axes, ForceSpec, MotorType, ProbeSpec, Section, SensorSpec, SideName};

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
    /// Total, kinetic, potential or elastic energy.
    Energy(usize),
    Residual,
    Contact(ContactQuantity),
    Grains(GrainQuantity),
    Fluid(FluidQuantity),
    Structure(StructureQuantity),
}

/// A number of the contacts of a body, of a pair of bodies, or of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactQuantity {
    pub body: Option<BodyId>,
    pub with: Option<BodyId>,
    pub what: ContactNumber,
}

/// Which number of contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ContactNumber {
    /// x, y, z, magnitude; of the world the sum of all magnitudes.
    Force(usize),
    /// x, y, z about the centre of mass.
    Torque(usize),
    Count,
    /// Largest overlap.
    Penetration,
}

impl ContactQuantity {
    /// The number; `center` gives the centre of mass of a body.
    pub fn value(&self, contacts: &[ContactReport], center: impl Fn(BodyId) -> DVec3) -> f64 {
        let mine = || contacts.iter().filter(|c| concerns(c, self.body, self.with));
        match (self.what, self.body) {
            (ContactNumber::Count, _) => mine().count() as f64,
            (ContactNumber::Penetration, _) => mine().fold(0.0, |d: f64, c| d.max(-c.gap)),
            (ContactNumber::Force(_), None) => mine().map(|c| DVec3::from_array(c.force).length()).sum(),
            (ContactNumber::Force(3), Some(body)) => force_on(contacts, body, self.with).length(),
            (ContactNumber::Force(k), Some(body)) => force_on(contacts, body, self.with)[k],
            (ContactNumber::Torque(k), Some(body)) => torque_on(contacts, body, self.with, center(body))[k],
            (ContactNumber::Torque(_), None) => 0.0,
        }
    }
}

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

pub(super) type Resolved = std::result::Result<Vec<Part>, Failure>;

pub(super) const XYZ: [&str; 3] = ["x", "y", "z"];
const WORLD_QUANTITIES: [&str; 8] = [
    "energy",
    "kinetic_energy",
    "potential_energy",
    "elastic_energy",
    "constraint_residual",
    "contact_count",
    "contact_force",
    "penetration",
];
const CONTACT_QUANTITIES: [&str; 4] = ["contact_force", "contact_torque", "contact_count", "penetration"];

pub(super) fn unknown(of: &str, kind: &str, quantity: &str, known: &[&str]) -> Failure {
    let problem = format!("{kind} '{of}' has no quantity '{quantity}'; it has {}", known.join(", "));
    Failure::quantity(problem, closest_name(quantity, known.iter().copied()).map(str::to_owned))
}

/// Parts of a vector, or the one that is asked for.
pub(super) fn components(
    names: &[&'static str],
    component: Option<&str>,
    unit: &'static str,
    quantity: &str,
    source: impl Fn(usize) -> Source,
) -> Resolved {
    let all = || names.iter().enumerate().map(|(k, n)| Part { suffix: n, unit, source: source(k) });
    match component {
        None => Ok(all().collect()),
        Some(c) => match names.iter().position(|n| *n == c) {
            Some(k) => Ok(vec![Part { suffix: "", unit, source: source(k) }]),
            None => Err(Failure::quantity(
                format!("'{quantity}' has no component '{c}'; it has {}", names.join(", ")),
                None,
            )),
        },
    }
}

pub(super) fn scalar(
    component: Option<&str>,
    unit: &'static str,
    quantity: &str,
    source: Source,
) -> Resolved {
    match component {
        None => Ok(vec![Part { suffix: "", unit, source }]),
        Some(c) => {
            Err(Failure::quantity(format!("'{quantity}' is one number; it has no component '{c}'"), None))
        }
    }
}

/// Parts of a contact quantity of a body, a pair, or the world.
fn contact_parts(
    body: Option<BodyId>,
    with: Option<BodyId>,
    base: &str,
    component: Option<&str>,
) -> Resolved {
    let source = |what| Source::Contact(ContactQuantity { body, with, what });
    match (base, body) {
        ("contact_force", None) => scalar(component, "N", base, source(ContactNumber::Force(3))),
        ("contact_force", _) => components(&["x", "y", "z", "magnitude"], component, "N", base, |k| {
            source(ContactNumber::Force(k))
        }),
        ("contact_torque", _) => {
            components(&XYZ, component, "N·m", base, |k| source(ContactNumber::Torque(k)))
        }
        ("contact_count", _) => scalar(component, "1", base, source(ContactNumber::Count)),
        _ => scalar(component, "m", base, source(ContactNumber::Penetration)),
    }
}

impl World {
    /// Measurements behind a named quantity: one for a number, several for a vector.
    pub fn measurements(&self, spec: &SensorSpec) -> Result<Vec<Measurement>> {
        let parts = self.resolve(spec).map_err(|Failure { problem, suggestion, .. }| WorldError::Value {
            what: format!("{} of '{}'", spec.quantity, spec.of),
            value: problem,
            expected: suggestion.unwrap_or_else(|| "a quantity of an object".into()),
        })?;
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
            return match WORLD_QUANTITIES.iter().position(|q| *q == base) {
                Some(4) => scalar(component, "m", base, Source::Residual),
                Some(5..) => contact_parts(None, None, base, component),
                Some(k) => scalar(component, "J", base, Source::Energy(k)),
                None => Err(unknown("world", "the", base, &WORLD_QUANTITIES)),
            };
        }
        let name = spec.of.split_once('/').map_or(spec.of.as_str(), |(body, _)| body);
        let Some(object) = self.names.get(name) else {
            let near = closest_name(name, self.names.keys().map(String::as_str)).map(str::to_owned);
            return Err(Failure::object(format!("it refers to '{name}', which does not exist"), near));
        };
        if let Object::Grains(id) = *object {
            return self.grain_quantity(id, &spec.of, base, component);
        }
        if let Object::Fluid(id) = *object {
            return self.fluid_quantity(id, &spec.of, spec.point, base, component);
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
            Object::Body(id) if CONTACT_QUANTITIES.contains(&base) => {
                contact_parts(Some(id), None, base, component)
            }
            Object::Body(id) => self.body_quantity(id, spec, base, component),
            Object::Joint(id) => self.joint_quantity(id, spec, base, component),
            Object::Motor(id) => self.motor_quantity(id, name, base, component),
            Object::Coupling(id) => match base {
                "effort" | "force" | "torque" => {
                    // Weights that are radii make the multiplier a force, plain ratios make it a torque.
                    let by_radius = self
                        .assembly
                        .coupling(id)
                        .is_some_and(|c| c.teeth.is_some() || ["rack and pinion", "belt"].contains(&c.label));
                    let unit = if by_radius { "N" } else { "N·m" };
                    scalar(component, unit, base, Source::Measurement(Measurement::CouplingEffort(id)))
                }
                _ => Err(unknown(name, "coupling", base, &["effort"])),
            },
            Object::Force(id) => self.force_quantity(id, name, base, component),
            Object::Grains(id) => self.grain_quantity(id, &spec.of, base, component),
            Object::Fluid(id) => self.fluid_quantity(id, &spec.of, spec.point, base, component),
            Object::Structure(_) => Err(Failure::object(format!("'{name}' is a structure"), None)),
            Object::Shaft(id) => match base {
                "angle" => scalar(component, "rad", base, Source::Measurement(Measurement::ShaftAngle(id))),
                "speed" => scalar(component, "rad/s", base, Source::Measurement(Measurement::ShaftSpeed(id))),
                _ => Err(unknown(name, "shaft", base, &["angle", "speed"])),
            },
        }
    }

    fn body_quantity(&self, id: BodyId, spec: &SensorSpec, base: &str, component: Option<&str>) -> Resolved {
        let point = match (spec.of.split_once('/'), spec.point) {
            (None, point) => point.map_or(DVec3::ZERO, DVec3::from_array),
            (Some((body, marker)), point) => {
                let markers = self.assembly.body(id).map_or(&[][..], |b| &b.markers);
                let Some(m) = markers.iter().find(|m| m.0 == marker) else {
                    let near = closest_name(marker, markers.iter().map(|m| m.0.as_str()));
                    return Err(Failure::object(
                        format!("body '{body}' has no marker '{marker}'"),
                        near.map(|m| format!("{body}/{m}")),
                    ));
                };
                m.1 + point.map_or(DVec3::ZERO, |p| m.2 * DVec3::from_array(p))
            }
        };
        let (quantity, unit) = match base {
            "position" => (BodyQuantity::Position, "m"),
            "velocity" => (BodyQuantity::Velocity, "m/s"),
            "acceleration" => (BodyQuantity::Acceleration, "m/s²"),
            "angular_velocity" => (BodyQuantity::AngularVelocity, "rad/s"),
            "angular_acceleration" => (BodyQuantity::AngularAcceleration, "rad/s²"),
            "angular_velocity_body" => (BodyQuantity::AngularVelocityBody, "rad/s"),
            "rotation" => {
                return components(&["w", "x", "y", "z"], component, "1", base, |k| {
                    Source::Measurement(Measurement::Rotation(id, k))
                });
            }
            _ => {
                let known = [
                    "position",
                    "velocity",
                    "acceleration",
                    "rotation",
                    "angular_velocity",
                    "angular_acceleration",
                    "angular_velocity_body",
                    "contact_force",
                    "contact_torque",
                    "contact_count",
                    "penetration",
                ];
                return Err(unknown(&spec.of, "body", base, &known));
            }
        };
        components(&XYZ, component, unit, base, |component| {
            Source::Measurement(Measurement::Body { body: id, quantity, point, component })
        })
    }

    fn joint_quantity(
        &self,
        id: JointId,
        spec: &SensorSpec,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let side = match spec.side {
            SideName::A => Side::A,
            SideName::B => Side::B,
        };
        let axes = match spec.axes {
            Axes::Joint => ReactionAxes::Joint,
            Axes::World => ReactionAxes::World,
        };
        match base {
            "reaction_force" => {
                return components(&XYZ, component, "N", base, |k| {
                    Source::Measurement(Measurement::ReactionForce(id, side, axes, k))
                });
            }
            "reaction_torque" => {
                return components(&XYZ, component, "N·m", base, |k| {
                    Source::Measurement(Measurement::ReactionTorque(id, side, axes, k))
                });
            }
            _ => {}
        }
        let names = self.assembly.joint(id).map(|j| j.kind.coordinate_names()).unwrap_or_default();
        let (wanted, rate) = match base.strip_suffix("_rate") {
            Some(wanted) => (wanted, true),
            None => (base, false),
        };
        let index = names.iter().position(|n| *n == wanted);
        let Some(index) = index else {
            let mut known: Vec<String> =
                names.iter().flat_map(|n| [(*n).to_owned(), format!("{n}_rate")]).collect();
            known.extend(["reaction_force".to_owned(), "reaction_torque".to_owned()]);
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(unknown(&spec.of, "joint", base, &known));
        };
        let angle = self.is_angle(CoordinateRef::Joint(id, index));
        match rate {
            false => {
                let unit = if angle { "rad" } else { "m" };
                scalar(component, unit, base, Source::Measurement(Measurement::Coordinate(id, index)))
            }
            true => {
                let unit = if angle { "rad/s" } else { "m/s" };
                scalar(component, unit, base, Source::Measurement(Measurement::CoordinateRate(id, index)))
            }
        }
    }

    fn motor_quantity(&self, id: MotorId, name: &str, base: &str, component: Option<&str>) -> Resolved {
        if !["effort", "torque", "force"].contains(&base) {
            return Err(unknown(name, "motor", base, &["effort", "torque", "force"]));
        }
        let kind = self.motors.iter().find(|m| m.0 == id).map(|m| (m.1.kind, m.1.shaft.is_some()));
        let turns = match kind {
            Some((MotorType::Angle | MotorType::Torque, _)) | Some((_, true)) => true,
            Some((MotorType::Position | MotorType::Force, _)) => false,
            _ => base != "force",
        };
        let source = match id {
            MotorId::Motion(id) => Measurement::CouplingEffort(id),
            MotorId::Effort(id) => Measurement::CoordinateForce(id, 2),
        };
        scalar(component, if turns { "N·m" } else { "N" }, base, Source::Measurement(source))
    }

    fn force_quantity(&self, id: ForceId, name: &str, base: &str, component: Option<&str>) -> Resolved {
        match id {
            ForceId::Spring(id) => {
                let (k, unit) = match base {
                    "length" => (0, "m"),
                    "rate" => (1, "m/s"),
                    "force" => (2, "N"),
                    _ => return Err(unknown(name, "spring", base, &["length", "rate", "force"])),
                };
                scalar(component, unit, base, Source::Measurement(Measurement::Spring(id, k)))
            }
            ForceId::Coordinate(id) => self.coordinate_force_quantity(id, name, base, component),
            ForceId::Bushing(id) => match base {
                "force" => components(&XYZ, component, "N", base, |k| {
                    Source::Measurement(Measurement::Bushing(id, k))
                }),
                "torque" => components(&XYZ, component, "N·m", base, |k| {
                    Source::Measurement(Measurement::Bushing(id, 3 + k))
                }),
                _ => Err(unknown(name, "bushing", base, &["force", "torque"])),
            },
            ForceId::Load(_) | ForceId::Drag(_) | ForceId::Rope(_) => Err(Failure::object(
                format!("force '{name}' has no quantities; probe its body instead"),
                None,
            )),
        }
    }

    fn coordinate_force_quantity(
        &self,
        id: CoordinateForceId,
        name: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let spec = self.forces.iter().find(|f| f.0 == ForceId::Coordinate(id)).map(|f| &f.1);
        let at = self.assembly.coordinate_force(id).and_then(|f| f.terms.first()).map(|t| t.0);
        let angle = at.is_none_or(|at| self.is_angle(at));
        let units = if angle { ["rad", "rad/s", "N·m"] } else { ["m", "m/s", "N"] };
        let k = match base {
            "angle" | "displacement" => 0,
            "rate" | "speed" => 1,
            "torque" | "force" => 2,
            _ => {
                let kind = match spec {
                    Some(ForceSpec::Clutch(_)) => "clutch",
                    Some(ForceSpec::Brake(_)) => "brake",
                    _ => "spring",
                };
                return Err(unknown(name, kind, base, &["angle", "rate", "torque"]));
            }
        };
        scalar(component, units[k], base, Source::Measurement(Measurement::CoordinateForce(id, k)))
    }

    /// Numbers behind a quantity of any object.
    fn resolve_probe(&self, spec: &ProbeSpec, sensor: &SensorSpec) -> Resolved {
        let name = sensor.of.split_once('/').map_or(sensor.of.as_str(), |(name, _)| name);
        let Some(Object::Structure(id)) = self.names.get(name) else {
            if spec.element.is_some() || spec.at.is_some() {
                return Err(Failure::object("`element` and `at` belong to structures", None));
            }
            return self.resolve(sensor);
        };
        let (base, component) = match sensor.quantity.split_once('.') {
            Some((base, component)) => (base, Some(component)),
            None => (sensor.quantity.as_str(), None),
        };
        self.structure_quantity(*id, spec, &sensor.of, base, component)
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
                let index = self.signals.iter().position(|s| s.name() == signal);
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
                        let near = self.suggest(name, |o| matches!(o, Object::Body(_)));
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
        for spec in &self.probes {
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
