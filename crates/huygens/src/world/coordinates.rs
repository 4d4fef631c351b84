//! Motors and couplings: what acts along joint coordinates and shaft angles.

use glam::DVec3;
use huygens_core::signal::{SignalGraph, closest_name};
use huygens_exec::require_memory;
use huygens_multibody::{
    Attachment, CoordinateForce, CoordinateRef, Coupling, CouplingId, CouplingTarget, Drive, JointId,
    ScalarLaw, ShaftId, ToothContact,
};
use huygens_particles::ParticleError;

use super::joints::coordinate_index;
use super::lookup::Lookup;
use super::objects::take;
use super::{Build, MotorId, Object, Result, World, WorldError};
use crate::spec::{CouplingSpec, DriveSpec, GearSpec, LinearTerm, MotorSpec, MotorType, Section};

/// Coordinates and their weights.
type Terms = Vec<(CoordinateRef, f64)>;

/// Who asks, for messages.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub section: Section,
    pub name: &'a str,
}

impl Owner<'_> {
    pub fn error(&self, field: &str, problem: impl Into<String>) -> WorldError {
        WorldError::input(self.section, self.name, Some(field), problem)
    }

    /// Refuses `count` items of about `bytes` each that do not fit into memory, before any is made.
    pub fn require_memory(&self, field: &str, count: f64, items: &str, bytes: f64) -> Result<()> {
        require_memory(count, bytes).map_err(|shortage| {
            self.error(field, format!("it would make about {count:.1e} {items}: {shortage}"))
        })
    }

    /// An error of particles, put on a key; where the work was asked to stop, nothing is wrong with the key.
    pub fn refuse(&self, field: &str, error: ParticleError) -> WorldError {
        match error {
            ParticleError::Stopped(stopped) => stopped.into(),
            other => self.error(field, other.to_string()),
        }
    }

    pub fn missing(&self, field: &str, problem: String, suggestion: Option<String>) -> WorldError {
        let (section, name, field) = (self.section, self.name.to_owned(), Some(field.to_owned()));
        WorldError::Input { section, name, field, problem, suggestion }
    }
}

impl Build for MotorSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_motor(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.motors.iter().map(|(_, spec)| spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        let objects = &mut world.objects;
        match take(&mut objects.motors, name) {
            Some(MotorId::Motion(id)) => objects.assembly.remove_coupling(id),
            Some(MotorId::Effort(id)) => objects.assembly.remove_coordinate_force(id),
            None => false,
        };
        Ok(())
    }
}

impl Build for CouplingSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_coupling(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.couplings.iter().map(|(_, spec)| spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        if let Some(id) = take(&mut world.objects.couplings, name) {
            world.objects.assembly.remove_coupling(id);
        }
        Ok(())
    }
}

impl World {
    /// Adds a motor.
    pub fn add_motor(&mut self, mut spec: MotorSpec) -> Result<MotorId> {
        self.claim(&mut spec)?;
        self.suspend();
        let wrong = |e| WorldError::of_engine(Section::Motors, &spec.name, e);
        let id = match self.lookup().motor(&spec, None)? {
            Motor::Motion(coupling) => {
                MotorId::Motion(self.objects.assembly.add_coupling(coupling).map_err(wrong)?)
            }
            Motor::Effort(force) => {
                MotorId::Effort(self.objects.assembly.add_coordinate_force(force).map_err(wrong)?)
            }
        };
        self.objects.names.insert(spec.name.clone(), Object::Motor(id));
        self.objects.motors.push((id, spec));
        Ok(id)
    }

    /// Adds a coupling.
    pub fn add_coupling(&mut self, mut spec: CouplingSpec) -> Result<CouplingId> {
        let name = self.claim(&mut spec)?;
        self.suspend();
        let coupling = self.lookup().coupling(&spec, &name)?;
        let id = self
            .objects
            .assembly
            .add_coupling(coupling)
            .map_err(|e| WorldError::of_engine(Section::Couplings, &name, e))?;
        self.objects.names.insert(name, Object::Coupling(id));
        self.objects.couplings.push((id, spec));
        Ok(id)
    }
}

impl Lookup<'_> {
    pub(super) fn joint_of(&self, owner: Owner<'_>, field: &str, name: &str) -> Result<JointId> {
        self.objects.joint(name).map_err(|_| {
            let near = self.objects.suggest(name, |o| matches!(o, Object::Joint(_)));
            owner.missing(field, format!("`{field}` refers to joint '{name}', which does not exist"), near)
        })
    }

    pub(super) fn shaft_of(&self, owner: Owner<'_>, field: &str, name: &str) -> Result<ShaftId> {
        self.objects.shaft(name).map_err(|_| {
            let near = self.objects.suggest(name, |o| matches!(o, Object::Shaft(_)));
            owner.missing(field, format!("`{field}` refers to shaft '{name}', which does not exist"), near)
        })
    }

    /// A named coordinate of a joint.
    pub(super) fn joint_coordinate_of(
        &self,
        owner: Owner<'_>,
        field: &str,
        joint: &str,
        coordinate: Option<&str>,
    ) -> Result<CoordinateRef> {
        let id = self.joint_of(owner, field, joint)?;
        let index = match self.objects.assembly.joint(id) {
            Some(j) => coordinate_index(&j.kind, coordinate)
                .map_err(|e| owner.error(if coordinate.is_some() { "coordinate" } else { field }, e))?,
            None => 0,
        };
        Ok(CoordinateRef::Joint(id, index))
    }

    /// Joint coordinate or shaft, whichever is named.
    pub(super) fn coordinate_of(
        &self,
        owner: Owner<'_>,
        joint: Option<&str>,
        coordinate: Option<&str>,
        shaft: Option<&str>,
    ) -> Result<CoordinateRef> {
        match (joint, shaft) {
            (Some(joint), None) => self.joint_coordinate_of(owner, "joint", joint, coordinate),
            (None, Some(shaft)) => {
                if coordinate.is_some() {
                    return Err(
                        owner.error("coordinate", "a shaft has one coordinate only; leave `coordinate` out")
                    );
                }
                Ok(CoordinateRef::Shaft(self.shaft_of(owner, "shaft", shaft)?))
            }
            (Some(_), Some(_)) => Err(owner.error("shaft", "give joint or shaft, not both")),
            (None, None) => Err(owner.error("joint", "it needs a `joint` or a `shaft` to act on")),
        }
    }

    /// The driving number; a signal needs the graph, and without one stands for zero.
    pub(super) fn drive(
        &self,
        owner: Owner<'_>,
        field: &str,
        drive: &DriveSpec,
        graph: Option<&SignalGraph>,
    ) -> Result<Drive> {
        match drive {
            DriveSpec::Function(function) => {
                function.validate().map_err(|e| owner.error(field, e.to_string()))?;
                Ok(Drive::Function(function.clone()))
            }
            DriveSpec::Signal { signal } => match graph.map(|g| g.signal(signal)) {
                None => Ok(Drive::from(0.0)),
                Some(Ok(id)) => Ok(Drive::Signal(id)),
                Some(Err(_)) => {
                    let near = closest_name(signal, self.objects.signals.iter().map(|s| s.name()))
                        .map(str::to_owned);
                    Err(owner.missing(
                        field,
                        format!("`{field}` refers to signal '{signal}', which does not exist"),
                        near,
                    ))
                }
            },
        }
    }

    pub(super) fn motor(&self, spec: &MotorSpec, graph: Option<&SignalGraph>) -> Result<Motor> {
        let owner = Owner { section: Section::Motors, name: &spec.name };
        let at = self.coordinate_of(
            owner,
            spec.joint.as_deref(),
            spec.coordinate.as_deref(),
            spec.shaft.as_deref(),
        )?;
        self.check_motor_kind(owner, spec.kind, at)?;
        let (name, terms) = (spec.name.clone(), vec![(at, 1.0)]);
        let drive = self.drive(owner, "drive", &spec.drive, graph)?;
        let motion = |target| {
            Motor::Motion(Coupling {
                name: name.clone(),
                label: "motor",
                terms: terms.clone(),
                target,
                teeth: None,
            })
        };
        Ok(match (spec.kind, drive) {
            (MotorType::Angle | MotorType::Position, Drive::Function(f))
                if !matches!(spec.drive, DriveSpec::Signal { .. }) =>
            {
                motion(CouplingTarget::Position(f))
            }
            (MotorType::Angle | MotorType::Position, _) => {
                let problem = "an angle or position motor needs a function of time; a signal can drive speed, torque or force";
                return Err(owner.error("drive", problem));
            }
            (MotorType::Speed, drive) => motion(CouplingTarget::Speed(drive)),
            (MotorType::Torque | MotorType::Force, drive) => {
                Motor::Effort(CoordinateForce { name, label: "motor", terms, law: ScalarLaw::Effort(drive) })
            }
        })
    }

    /// Angles and torques belong to rotations, positions and forces to displacements.
    fn check_motor_kind(&self, owner: Owner<'_>, kind: MotorType, at: CoordinateRef) -> Result<()> {
        let rotation = self.is_angle(at);
        match kind {
            MotorType::Angle | MotorType::Torque if !rotation => {
                Err(owner
                    .error("type", "its coordinate is a displacement: use type position, speed or force"))
            }
            MotorType::Position | MotorType::Force if rotation => {
                Err(owner.error("type", "its coordinate is an angle: use type angle, speed or torque"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a coordinate is an angle.
    pub(super) fn is_angle(&self, at: CoordinateRef) -> bool {
        match at {
            CoordinateRef::Shaft(_) => true,
            CoordinateRef::Joint(id, index) => self
                .objects
                .assembly
                .joint(id)
                .and_then(|j| j.kind.coordinate_names().get(index).copied())
                .is_some_and(|n| n.starts_with("angle")),
        }
    }

    fn coupling(&self, spec: &CouplingSpec, name: &str) -> Result<Coupling> {
        let owner = Owner { section: Section::Couplings, name };
        let joint = |field: &str, joint: &str| self.joint_coordinate_of(owner, field, joint, None);
        let ratio = |field: &'static str, v: f64| {
            if v != 0.0 && v.is_finite() {
                Ok(v)
            } else {
                Err(owner.error(
                    field,
                    format!("{field} = {v} is not allowed; a finite number other than zero is needed"),
                ))
            }
        };
        let mut teeth = None;
        let (label, terms) = match spec {
            CouplingSpec::Gear(g) => {
                let (terms, contact) = self.gear(owner, g)?;
                teeth = contact;
                ("gear pair", terms)
            }
            CouplingSpec::BevelGear(g) => {
                let sign = if g.reverse { -1.0 } else { 1.0 };
                let weight = sign * ratio("ratio", g.ratio)?;
                (
                    "bevel gear pair",
                    vec![(joint("joint_a", &g.joint_a)?, 1.0), (joint("joint_b", &g.joint_b)?, weight)],
                )
            }
            CouplingSpec::RackPinion(g) => {
                let radius = positive(owner, "radius", g.radius)?;
                let weight = if g.reverse { radius } else { -radius };
                let (rack, pinion) = (joint("rack", &g.rack)?, joint("pinion", &g.pinion)?);
                if self.is_angle(rack) || !self.is_angle(pinion) {
                    let problem = "the rack needs a joint that slides and the pinion one that turns";
                    return Err(owner.error("rack", problem));
                }
                ("rack and pinion", vec![(rack, 1.0), (pinion, weight)])
            }
            CouplingSpec::Belt(g) => {
                let (a, b) =
                    (positive(owner, "radius_a", g.radius_a)?, positive(owner, "radius_b", g.radius_b)?);
                let sign = if g.crossed { 1.0 } else { -1.0 };
                ("belt", vec![(joint("joint_a", &g.joint_a)?, a), (joint("joint_b", &g.joint_b)?, sign * b)])
            }
            CouplingSpec::ShaftGear(g) => {
                let a = CoordinateRef::Shaft(self.shaft_of(owner, "shaft_a", &g.shaft_a)?);
                let b = CoordinateRef::Shaft(self.shaft_of(owner, "shaft_b", &g.shaft_b)?);
                ("shaft gear", vec![(a, 1.0), (b, -ratio("ratio", g.ratio)?)])
            }
            CouplingSpec::ShaftJoint(g) => {
                let shaft = CoordinateRef::Shaft(self.shaft_of(owner, "shaft", &g.shaft)?);
                let at = self.joint_coordinate_of(owner, "joint", &g.joint, g.coordinate.as_deref())?;
                ("shaft coupling", vec![(shaft, 1.0), (at, -ratio("ratio", g.ratio)?)])
            }
            CouplingSpec::Linear(g) => {
                let term = |t: &LinearTerm| {
                    let (joint, coordinate, shaft) =
                        (t.joint.as_deref(), t.coordinate.as_deref(), t.shaft.as_deref());
                    Ok((self.coordinate_of(owner, joint, coordinate, shaft)?, ratio("weight", t.weight)?))
                };
                ("coupling", g.terms.iter().map(term).collect::<Result<_>>()?)
            }
        };
        if terms.len() == 2 && terms[0].0 == terms[1].0 {
            return Err(owner.error("joint_b", "it couples a coordinate with itself"));
        }
        Ok(Coupling { name: name.into(), label, terms, target: CouplingTarget::Start, teeth })
    }

    /// Terms of a gear pair, and its tooth contact where radii are given.
    ///
    /// Angles are those of the gears relative to their common carrier, about axes of equal direction.
    fn gear(&self, owner: Owner<'_>, g: &GearSpec) -> Result<(Terms, Option<ToothContact>)> {
        let at_a = self.joint_coordinate_of(owner, "joint_a", &g.joint_a, None)?;
        let at_b = self.joint_coordinate_of(owner, "joint_b", &g.joint_b, None)?;
        let (CoordinateRef::Joint(a, _), CoordinateRef::Joint(b, _)) = (at_a, at_b) else {
            return Err(owner.error("joint_a", "a gear pair needs two joints"));
        };
        if !self.is_angle(at_a) || !self.is_angle(at_b) {
            return Err(owner.error("joint_a", "a gear pair needs joints that turn about one axis"));
        }
        let (weight_a, weight_b) = gear_weights(owner, g)?;
        let ((gear_a, sign_a), (gear_b, sign_b)) = self.gear_sides(a, b);
        let axis = |at: &Attachment| {
            let (_, r) = self.pose(at.carrier);
            r * at.rotation * DVec3::Z
        };
        let same_way = if axis(&gear_a).dot(axis(&gear_b)) < 0.0 { -1.0 } else { 1.0 };
        let mesh = if g.internal { -1.0 } else { 1.0 };
        let terms = vec![(at_a, sign_a * weight_a), (at_b, sign_b * same_way * mesh * weight_b)];
        let teeth = match (g.radius_a, g.radius_b) {
            (Some(_), Some(_)) => {
                let (alpha, beta) = (g.pressure_angle_deg.to_radians(), g.helix_angle_deg.to_radians());
                for (field, degrees) in
                    [("pressure_angle_deg", g.pressure_angle_deg), ("helix_angle_deg", g.helix_angle_deg)]
                {
                    if degrees.is_nan() || degrees.abs() >= 90.0 {
                        return Err(owner.error(
                            field,
                            format!("{field} = {degrees} is not allowed; it must be within ±90°"),
                        ));
                    }
                }
                Some(ToothContact {
                    a: gear_a,
                    b: gear_b,
                    radius_a: weight_a,
                    radius_b: same_way * mesh * weight_b,
                    // Inside a ring the teeth push the centres together.
                    radial: mesh * alpha.tan() / beta.cos(),
                    axial: beta.tan(),
                })
            }
            _ => None,
        };
        Ok((terms, teeth))
    }

    /// The side of each joint that carries the gear (the other one is the common carrier), and the sign of its angle.
    fn gear_sides(&self, a: JointId, b: JointId) -> ((Attachment, f64), (Attachment, f64)) {
        let ground = Attachment::ground(DVec3::ZERO, glam::DQuat::IDENTITY);
        let sides = |id| self.objects.assembly.joint(id).map_or((ground, ground), |j| (j.a, j.b));
        let ((aa, ab), (ba, bb)) = (sides(a), sides(b));
        if aa.carrier == ba.carrier {
            ((ab, 1.0), (bb, 1.0))
        } else if aa.carrier == bb.carrier {
            ((ab, 1.0), (ba, -1.0))
        } else if ab.carrier == ba.carrier {
            ((aa, -1.0), (bb, 1.0))
        } else if ab.carrier == bb.carrier {
            ((aa, -1.0), (ba, -1.0))
        } else {
            ((ab, 1.0), (bb, 1.0))
        }
    }
}

/// A motor as the engine sees it.
pub(super) enum Motor {
    Motion(Coupling),
    Effort(CoordinateForce),
}

fn positive(owner: Owner<'_>, field: &str, v: f64) -> Result<f64> {
    if v > 0.0 && v.is_finite() {
        return Ok(v);
    }
    Err(owner.error(field, format!("{field} = {v} is not allowed; a positive finite number is needed")))
}

fn gear_weights(owner: Owner<'_>, g: &GearSpec) -> Result<(f64, f64)> {
    match (g.radius_a, g.radius_b, g.teeth_a, g.teeth_b, g.ratio) {
        (Some(a), Some(b), None, None, None) => {
            Ok((positive(owner, "radius_a", a)?, positive(owner, "radius_b", b)?))
        }
        (None, None, Some(a), Some(b), None) => {
            Ok((positive(owner, "teeth_a", a.into())?, positive(owner, "teeth_b", b.into())?))
        }
        (None, None, None, None, Some(ratio)) => Ok((1.0, positive(owner, "ratio", ratio)?)),
        _ => Err(owner.error("ratio", "give radius_a and radius_b, or teeth_a and teeth_b, or ratio")),
    }
}
