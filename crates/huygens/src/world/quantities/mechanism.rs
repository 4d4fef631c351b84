//! Numbers of mechanisms: bodies, joints, motors, couplings, forces and shafts.

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_multibody::{
    BodyId, BodyQuantity, BushingId, CoordinateForceId, CoordinateRef, CouplingId, JointId, Measurement,
    ReactionAxes, ShaftId, Side, SpringId,
};

use super::contact::{self, ContactQuantity};
use super::table::{QuantityRow, XYZ, find, names, number, row_of, turning, unknown, vector};
use super::{Failure, Resolved, Source};
use crate::spec::{Axes, ForceSpec, MotorType, SensorSpec, SideName};
use crate::world::{ForceId, MotorId, World};

/// A body, and a point in its frame.
pub(super) type BodyPoint = (BodyId, DVec3);
/// A joint, the body and the axes of its reaction.
type Reaction = (JointId, Side, ReactionAxes);
/// Which number is measured, of an object and one of its parts.
type Read<O> = fn(O, usize) -> Measurement;

/// A row of a quantity of a body's point.
const fn of_point(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    read: Read<BodyPoint>,
) -> QuantityRow<Read<BodyPoint>> {
    vector(name, unit, XYZ, about, read)
}

fn at(quantity: BodyQuantity, (body, point): BodyPoint, component: usize) -> Measurement {
    Measurement::Body { body, quantity, point, component }
}

/// Bodies and their markers.
pub(super) const BODY: &[QuantityRow<Read<BodyPoint>>] = &[
    of_point("position", "m", "of the marker, of `point`, or of the origin", |p, k| {
        at(BodyQuantity::Position, p, k)
    }),
    of_point("velocity", "m/s", "of the same point", |p, k| at(BodyQuantity::Velocity, p, k)),
    of_point("acceleration", "m/s²", "of the same point", |p, k| at(BodyQuantity::Acceleration, p, k)),
    vector("rotation", "1", &["w", "x", "y", "z"], "unit quaternion", |p, k| Measurement::Rotation(p.0, k)),
    of_point("angular_velocity", "rad/s", "world axes", |p, k| at(BodyQuantity::AngularVelocity, p, k)),
    of_point("angular_acceleration", "rad/s²", "world axes", |p, k| {
        at(BodyQuantity::AngularAcceleration, p, k)
    }),
    of_point("angular_velocity_body", "rad/s", "body axes", |p, k| {
        at(BodyQuantity::AngularVelocityBody, p, k)
    }),
];

/// Joints, besides their coordinates, which the type of the joint names.
pub(super) const JOINT: &[QuantityRow<Read<Reaction>>] = &[
    vector("reaction_force", "N", XYZ, "see `side` and `axes`", |(joint, side, axes), k| {
        Measurement::ReactionForce(joint, side, axes, k)
    }),
    vector("reaction_torque", "N·m", XYZ, "about the joint point", |(joint, side, axes), k| {
        Measurement::ReactionTorque(joint, side, axes, k)
    }),
];

/// A coordinate of a joint.
pub(super) const COORDINATE: QuantityRow<Read<JointId>> =
    turning("angle", &[], ["rad", "m"], "", Measurement::Coordinate);

/// The rate of a coordinate of a joint.
pub(super) const COORDINATE_RATE: QuantityRow<Read<JointId>> =
    turning("angle_rate", &[], ["rad/s", "m/s"], "", Measurement::CoordinateRate);

fn effort(id: MotorId, _: usize) -> Measurement {
    match id {
        MotorId::Motion(id) => Measurement::CouplingEffort(id),
        MotorId::Effort(id) => Measurement::CoordinateForce(id, 2),
    }
}

/// Motors.
pub(super) const MOTOR: &[QuantityRow<Read<MotorId>>] = &[
    turning("effort", &[], ["N·m", "N"], "what the motor exerts", effort),
    turning("torque", &[], ["N·m", "N"], "the same number", effort),
    turning("force", &[], ["N·m", "N"], "the same number", effort),
];

/// Couplings.
pub(super) const COUPLING: &[QuantityRow<Read<CouplingId>>] = &[turning(
    "effort",
    &["force", "torque"],
    ["N·m", "N"],
    "force where the ratio is by radius or teeth",
    |id, _| Measurement::CouplingEffort(id),
)];

/// Springs between two points.
pub(super) const SPRING: &[QuantityRow<Read<SpringId>>] = &[
    number("length", "m", "", |id, _| Measurement::Spring(id, 0)),
    number("rate", "m/s", "rate of the length", |id, _| Measurement::Spring(id, 1)),
    number("force", "N", "along the line between the points", |id, _| Measurement::Spring(id, 2)),
];

/// Forces along coordinates of joints and shafts.
pub(super) const COORDINATE_FORCE: &[QuantityRow<Read<CoordinateForceId>>] = &[
    turning("angle", &["displacement"], ["rad", "m"], "", |id, _| Measurement::CoordinateForce(id, 0)),
    turning("rate", &["speed"], ["rad/s", "m/s"], "", |id, _| Measurement::CoordinateForce(id, 1)),
    turning("torque", &["force"], ["N·m", "N"], "", |id, _| Measurement::CoordinateForce(id, 2)),
];

/// Bushings.
pub(super) const BUSHING: &[QuantityRow<Read<BushingId>>] = &[
    vector("force", "N", XYZ, "on B, world axes", Measurement::Bushing),
    vector("torque", "N·m", XYZ, "on B, world axes", |id, k| Measurement::Bushing(id, 3 + k)),
];

/// Shafts.
pub(super) const SHAFT: &[QuantityRow<Read<ShaftId>>] = &[
    number("angle", "rad", "", |id, _| Measurement::ShaftAngle(id)),
    number("speed", "rad/s", "", |id, _| Measurement::ShaftSpeed(id)),
];

/// Reads the number of an object under a row.
fn measured<O: Copy>(row: &QuantityRow<Read<O>>, of: O) -> impl Fn(usize) -> Source {
    let read = row.read;
    move |k| Source::Measurement(read(of, k))
}

impl World {
    pub(super) fn body_quantity(
        &self,
        id: BodyId,
        spec: &SensorSpec,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        if let Some(row) = find(contact::OF_BODY, base) {
            let quantity = |part| ContactQuantity { body: Some(id), with: None, row, part };
            return row.parts(component, |part| Source::Contact(quantity(part)));
        }
        let point = match (spec.of.split_once('/'), spec.point) {
            (None, point) => point.map_or(DVec3::ZERO, DVec3::from_array),
            (Some((body, marker)), point) => {
                let markers = self.objects.assembly.body(id).map_or(&[][..], |b| &b.markers);
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
        let Some(row) = find(BODY, base) else {
            return Err(unknown(&spec.of, "body", base, names(BODY).chain(names(contact::OF_BODY))));
        };
        row.parts(component, measured(row, (id, point)))
    }

    pub(super) fn joint_quantity(
        &self,
        id: JointId,
        spec: &SensorSpec,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        if let Some(row) = find(JOINT, base) {
            let side = match spec.side {
                SideName::A => Side::A,
                SideName::B => Side::B,
            };
            let axes = match spec.axes {
                Axes::Joint => ReactionAxes::Joint,
                Axes::World => ReactionAxes::World,
            };
            return row.parts(component, measured(row, (id, side, axes)));
        }
        let coordinates =
            self.objects.assembly.joint(id).map(|j| j.kind.coordinate_names()).unwrap_or_default();
        let (wanted, row) = match base.strip_suffix("_rate") {
            Some(wanted) => (wanted, &COORDINATE_RATE),
            None => (base, &COORDINATE),
        };
        let Some(index) = coordinates.iter().position(|n| *n == wanted) else {
            let own: Vec<String> =
                coordinates.iter().flat_map(|n| [(*n).to_owned(), format!("{n}_rate")]).collect();
            let known = own.iter().map(String::as_str).chain(names(JOINT).map(|name| name as &str));
            return Err(unknown(&spec.of, "joint", base, known));
        };
        let angle = self.lookup().is_angle(CoordinateRef::Joint(id, index));
        row.parts_of_kind(base, component, angle, |_| Source::Measurement((row.read)(id, index)))
    }

    pub(super) fn motor_quantity(
        &self,
        id: MotorId,
        name: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let row = row_of(MOTOR, name, "motor", base)?;
        let kind = self.objects.motors.iter().find(|m| m.0 == id).map(|m| (m.1.kind, m.1.shaft.is_some()));
        let turns = match kind {
            Some((MotorType::Angle | MotorType::Torque, _)) | Some((_, true)) => true,
            Some((MotorType::Position | MotorType::Force, _)) => false,
            _ => base != "force",
        };
        row.parts_of_kind(base, component, turns, measured(row, id))
    }

    pub(super) fn coupling_quantity(
        &self,
        id: CouplingId,
        name: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let row = row_of(COUPLING, name, "coupling", base)?;
        // Weights that are radii make the multiplier a force, plain ratios make it a torque.
        let by_radius = self
            .objects
            .assembly
            .coupling(id)
            .is_some_and(|c| c.teeth.is_some() || ["rack and pinion", "belt"].contains(&c.label));
        row.parts_of_kind(base, component, !by_radius, measured(row, id))
    }

    pub(super) fn force_quantity(
        &self,
        id: ForceId,
        name: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        match id {
            ForceId::Spring(id) => {
                let row = row_of(SPRING, name, "spring", base)?;
                row.parts(component, measured(row, id))
            }
            ForceId::Coordinate(id) => {
                let spec = self.objects.forces.iter().find(|f| f.0 == ForceId::Coordinate(id)).map(|f| &f.1);
                let kind = match spec {
                    Some(ForceSpec::Clutch(_)) => "clutch",
                    Some(ForceSpec::Brake(_)) => "brake",
                    _ => "spring",
                };
                let row = row_of(COORDINATE_FORCE, name, kind, base)?;
                let at =
                    self.objects.assembly.coordinate_force(id).and_then(|f| f.terms.first()).map(|t| t.0);
                let angle = at.is_none_or(|at| self.lookup().is_angle(at));
                row.parts_of_kind(base, component, angle, measured(row, id))
            }
            ForceId::Bushing(id) => {
                let row = row_of(BUSHING, name, "bushing", base)?;
                row.parts(component, measured(row, id))
            }
            ForceId::Load(_) | ForceId::Drag(_) | ForceId::Rope(_) => Err(Failure::object(
                format!("force '{name}' has no quantities; probe its body instead"),
                None,
            )),
        }
    }

    pub(super) fn shaft_quantity(
        &self,
        id: ShaftId,
        name: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let row = row_of(SHAFT, name, "shaft", base)?;
        row.parts(component, measured(row, id))
    }
}
