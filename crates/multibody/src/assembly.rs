//! The editable description of a mechanism, checked as objects are added.

use std::collections::BTreeMap;

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::Subject;
use huygens_core::function::Function;
use huygens_core::{Arena, Id};

use crate::body::{Body, BodyKind};
use crate::collision::{Collision, MaterialId, NamedMaterial};
use crate::drive::Drive;
use crate::error::{MultibodyError, Result};
use crate::force::{Bushing, Drag, Load, ScalarLaw};
use crate::joint::{Attachment, Carrier, Joint, JointKind};
use crate::shaft::Shaft;

/// Handle of a body.
pub type BodyId = Id<Body>;
/// Handle of a joint.
pub type JointId = Id<Joint>;
/// Handle of a shaft.
pub type ShaftId = Id<Shaft>;
/// Handle of a coupling: gear, rack, belt, position or speed motor, shaft gear.
pub type CouplingId = Id<Coupling>;
/// Handle of a force along coordinates: spring, effort motor, clutch or brake.
pub type CoordinateForceId = Id<CoordinateForce>;
/// Handle of a translational spring.
pub type SpringId = Id<Spring>;
/// Handle of a rope.
pub type RopeId = Id<Rope>;
/// Handle of a bushing.
pub type BushingId = Id<Bushing>;
/// Handle of a load.
pub type LoadId = Id<Load>;
/// Handle of a drag.
pub type DragId = Id<Drag>;

/// A coordinate of a joint (by index) or the angle of a shaft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CoordinateRef {
    /// Coordinate of a joint, by index.
    Joint(JointId, usize),
    /// Angle of a shaft [rad].
    Shaft(ShaftId),
}

/// The target of a coupled sum of coordinates.
#[derive(Clone, Debug, Default)]
pub enum CouplingTarget {
    /// Its initial value.
    #[default]
    Start,
    /// A function of time.
    Position(Function),
    /// Its initial value plus the integral of a speed.
    Speed(Drive),
}

/// Tooth contact: the row of a gear pair on parallel axes, with the force at the pitch point.
///
/// With $\psi_A$ the polar angle of B's centre in A's axes and $\psi_B$ that of A's centre in B's axes, $\Phi =
/// -r_A\psi_A - r_B\psi_B$ does not need the carrier: its gradient is a unit tangential force at the pitch point.
/// Radial and axial terms that vanish while the distance of the centres is constant tilt the force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToothContact {
    /// Centre of the first gear, z along its axis.
    pub a: Attachment,
    /// Centre of the second gear, z along its axis.
    pub b: Attachment,
    /// Pitch radius of the first gear [m].
    pub radius_a: f64,
    /// Pitch radius of the second gear [m]; negative where its axis points the other way or one gear is internal (not
    /// both).
    pub radius_b: f64,
    /// Ratio of radial to tangential force, $\tan\alpha/\cos\beta$.
    pub radial: f64,
    /// Ratio of axial to tangential force, $\tan\beta$.
    pub axial: f64,
}

/// A linear relation of coordinates, $\sum_i c_i\xi_i$ = target: gears, racks, belts, motors, shaft couplings.
#[derive(Clone, Debug)]
pub struct Coupling {
    /// Unique name.
    pub name: String,
    /// Its kind in messages, such as `gear pair` or `motor`.
    pub label: &'static str,
    /// Coordinates and their weights.
    pub terms: Vec<(CoordinateRef, f64)>,
    /// The target of the sum.
    pub target: CouplingTarget,
    /// Tooth contact of a gear pair; it then replaces `terms`.
    pub teeth: Option<ToothContact>,
}

/// A force along a sum of coordinates.
#[derive(Clone, Debug)]
pub struct CoordinateForce {
    /// Unique name.
    pub name: String,
    /// Its kind in messages, such as `spring` or `clutch`.
    pub label: &'static str,
    /// Coordinates and their weights.
    pub terms: Vec<(CoordinateRef, f64)>,
    /// The law.
    pub law: ScalarLaw,
}

/// A force along the line between two points.
#[derive(Clone, Debug)]
pub struct Spring {
    /// Unique name.
    pub name: String,
    /// First point.
    pub a: Attachment,
    /// Second point.
    pub b: Attachment,
    /// The law as a function of the distance between the points.
    pub law: ScalarLaw,
}

/// A rope: the distance between the points cannot exceed its length.
#[derive(Clone, Debug)]
pub struct Rope {
    /// Unique name.
    pub name: String,
    /// First point.
    pub a: Attachment,
    /// Second point.
    pub b: Attachment,
    /// Length [m].
    pub length: f64,
    /// Stiffness when taut [N/m]; without it the rope is rigid.
    pub stiffness: Option<f64>,
    /// Damping when taut [N·s/m] (compliant ropes).
    pub damping: f64,
    /// Coefficient of restitution when the rope becomes taut (rigid ropes).
    pub restitution: f64,
}

/// The editable description of a mechanism.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// Gravity [m/s²].
    pub gravity: DVec3,
    pub(crate) bodies: Arena<Body>,
    pub(crate) joints: Arena<Joint>,
    pub(crate) shafts: Arena<Shaft>,
    pub(crate) couplings: Arena<Coupling>,
    pub(crate) coordinate_forces: Arena<CoordinateForce>,
    pub(crate) springs: Arena<Spring>,
    pub(crate) ropes: Arena<Rope>,
    pub(crate) bushings: Arena<Bushing>,
    pub(crate) loads: Arena<Load>,
    pub(crate) drags: Arena<Drag>,
    pub(crate) materials: Arena<NamedMaterial>,
    /// Bodies that sub-systems act on.
    pub boundary_bodies: Vec<BodyId>,
    /// Contact: settings, exceptions, callbacks; shapes are added with [`Assembly::add_shape`].
    pub collision: Collision,
    /// By joint index and coordinate.
    start_angles: BTreeMap<(usize, usize), f64>,
    /// Names that are taken, by kind.
    names: BTreeSet<(&'static str, String)>,
}

macro_rules! access {
    ($($(#[$doc:meta])* $all:ident, $get:ident, $get_mut:ident, $take:ident: $type:ty;)*) => {
        impl Assembly {
            $(
                $(#[$doc])*
                pub fn $all(&self) -> &Arena<$type> {
                    &self.$all
                }
                /// The object behind a handle.
                pub fn $get(&self, id: Id<$type>) -> Option<&$type> {
                    self.$all.get(id)
                }
                /// Mutable access to the object behind a handle.
                pub fn $get_mut(&mut self, id: Id<$type>) -> Option<&mut $type> {
                    self.$all.get_mut(id)
                }
                pub(crate) fn $take(&mut self, id: Id<$type>) -> Option<$type> {
                    let removed = self.$all.remove(id)?;
                    self.names.remove(&(stringify!($all), removed.name.clone()));
                    Some(removed)
                }
            )*
        }
    };
}

access! {
    /// All bodies.
    bodies, body, body_mut, take_body: Body;
    /// All joints.
    joints, joint, joint_mut, take_joint: Joint;
    /// All shafts.
    shafts, shaft, shaft_mut, take_shaft: Shaft;
    /// All couplings.
    couplings, coupling, coupling_mut, take_coupling: Coupling;
    /// All forces along coordinates.
    coordinate_forces, coordinate_force, coordinate_force_mut, take_coordinate_force: CoordinateForce;
    /// All springs.
    springs, spring, spring_mut, take_spring: Spring;
    /// All ropes.
    ropes, rope, rope_mut, take_rope: Rope;
    /// All bushings.
    bushings, bushing, bushing_mut, take_bushing: Bushing;
    /// All loads.
    loads, load, load_mut, take_load: Load;
    /// All drags.
    drags, drag, drag_mut, take_drag: Drag;
    /// All contact materials.
    materials, material, material_mut, take_material: NamedMaterial;
}

fn value<T>(what: &Subject, name: &'static str, value: impl ToString, expected: &str) -> Result<T> {
    Err(MultibodyError::Value {
        what: what.clone(),
        name,
        value: value.to_string(),
        expected: expected.into(),
    })
}

fn finite_vec(what: &Subject, name: &'static str, v: DVec3) -> Result<()> {
    if v.is_finite() { Ok(()) } else { value(what, name, v, "all components must be finite") }
}

fn unit_quat(what: &Subject, q: DQuat) -> Result<()> {
    if q.is_finite() && (q.length() - 1.0).abs() < 1e-6 {
        return Ok(());
    }
    value(what, "rotation", q, "a unit quaternion is needed")
}

fn non_negative(what: &Subject, name: &'static str, v: f64) -> Result<()> {
    if v >= 0.0 && v.is_finite() {
        Ok(())
    } else {
        value(what, name, v, "zero or a positive finite number is needed")
    }
}

fn positive(what: &Subject, name: &'static str, v: f64) -> Result<()> {
    if v > 0.0 && v.is_finite() { Ok(()) } else { value(what, name, v, "a positive finite number is needed") }
}

fn finite(what: &Subject, name: &'static str, v: f64) -> Result<()> {
    if v.is_finite() { Ok(()) } else { value(what, name, v, "a finite number is needed") }
}

fn unit_axis(what: &Subject, axis: DVec3) -> Result<()> {
    if axis.is_finite() && (axis.length() - 1.0).abs() < 1e-9 {
        return Ok(());
    }
    value(what, "axis", axis, "a unit vector is needed")
}

/// Checks that a tensor can be the inertia of a body: symmetric, positive, and the triangle inequality of its
/// principal moments.
pub fn check_inertia(what: &Subject, inertia: &DMat3) -> Result<()> {
    let m = inertia.to_cols_array_2d();
    let scale = (0..3).map(|k| m[k][k].abs()).fold(0.0, f64::max);
    if !inertia.is_finite() {
        return value(what, "inertia", "NaN or infinity", "all entries must be finite");
    }
    for i in 0..3 {
        for j in 0..i {
            if (m[i][j] - m[j][i]).abs() > 1e-9 * scale {
                return value(what, "inertia", format!("{m:?}"), "the tensor must be symmetric");
            }
        }
    }
    let [a, b, c] = principal_moments(inertia);
    if a.is_nan() || a <= 0.0 {
        return value(
            what,
            "inertia",
            format!("principal moments {a:.6e}, {b:.6e}, {c:.6e}"),
            "all must be positive",
        );
    }
    if c > (a + b) * (1.0 + 1e-6) {
        return value(
            what,
            "inertia",
            format!("principal moments {a:.6e}, {b:.6e}, {c:.6e}"),
            "none may be larger than the sum of the other two (triangle inequality)",
        );
    }
    Ok(())
}

/// Eigenvalues of a symmetric 3×3 matrix, ascending (closed form by the trigonometric method).
pub fn principal_moments(m: &DMat3) -> [f64; 3] {
    let a = m.to_cols_array_2d();
    let mean = (a[0][0] + a[1][1] + a[2][2]) / 3.0;
    let off = a[0][1].powi(2) + a[0][2].powi(2) + a[1][2].powi(2);
    let spread = (0..3).map(|k| (a[k][k] - mean).powi(2)).sum::<f64>() + 2.0 * off;
    let p = (spread / 6.0).sqrt();
    if p < 1e-15 * mean.abs() {
        return [mean; 3];
    }
    let shifted = (*m - DMat3::IDENTITY * mean) * (1.0 / p);
    let angle = (shifted.determinant() / 2.0).clamp(-1.0, 1.0).acos() / 3.0;
    let high = mean + 2.0 * p * angle.cos();
    let low = mean + 2.0 * p * (angle + std::f64::consts::TAU / 3.0).cos();
    [low, 3.0 * mean - high - low, high]
}

impl Assembly {
    /// An empty mechanism with the gravitational acceleration `gravity` [m/s²].
    pub fn new(gravity: DVec3) -> Self {
        Self { gravity, ..Self::default() }
    }

    /// Sets the angle [rad], zero by default, to within half a turn of which a joint coordinate starts, so that a model
    /// rebuilt from a moving mechanism keeps its full revolutions.
    pub fn set_start_angle(&mut self, joint: JointId, coordinate: usize, angle: f64) {
        self.start_angles.insert((joint.index(), coordinate), angle);
    }

    pub(crate) fn forget_start_angles(&mut self, joint: JointId) {
        self.start_angles.retain(|(index, _), _| *index != joint.index());
    }

    pub(crate) fn start_angle(&self, joint: JointId, coordinate: usize) -> f64 {
        self.start_angles.get(&(joint.index(), coordinate)).copied().unwrap_or(0.0)
    }

    fn check_name(&self, arena: &'static str, kind: &'static str, name: &str) -> Result<()> {
        if !name.is_empty() && self.names.contains(&(arena, name.to_string())) {
            return Err(MultibodyError::DuplicateName { kind, name: name.into() });
        }
        Ok(())
    }

    fn take_name(&mut self, arena: &'static str, name: &str) {
        if !name.is_empty() {
            self.names.insert((arena, name.to_string()));
        }
    }

    pub(crate) fn insert_material(&mut self, material: NamedMaterial) -> Result<MaterialId> {
        self.check_name("materials", "material", &material.name)?;
        self.take_name("materials", &material.name);
        Ok(self.materials.insert(material))
    }

    /// Adds a body.
    pub fn add_body(&mut self, body: Body) -> Result<BodyId> {
        let what = Subject::object("body", &body.name);
        self.check_name("bodies", "body", &body.name)?;
        if matches!(body.kind, BodyKind::Dynamic) {
            positive(&what, "mass", body.mass)?;
            check_inertia(&what, &body.inertia)?;
        }
        if let BodyKind::Kinematic(motion) = &body.kind {
            unit_axis(&what, motion.axis)?;
        }
        finite_vec(&what, "position", body.position)?;
        finite_vec(&what, "velocity", body.velocity)?;
        finite_vec(&what, "angular_velocity", body.angular_velocity)?;
        finite_vec(&what, "center_of_mass", body.center_of_mass)?;
        unit_quat(&what, body.rotation)?;
        for (i, (name, position, rotation)) in body.markers.iter().enumerate() {
            finite_vec(&what, "marker position", *position)?;
            unit_quat(&what.clone().map(|what| format!("{what}, marker '{name}'")), *rotation)?;
            if body.markers[..i].iter().any(|m| m.0 == *name) {
                return Err(MultibodyError::DuplicateName { kind: "marker", name: name.clone() });
            }
        }
        self.take_name("bodies", &body.name);
        Ok(self.bodies.insert(body))
    }

    fn check_attachment(&self, what: &Subject, at: &Attachment) -> Result<()> {
        if at.carrier.body().is_some_and(|id| self.bodies.get(id).is_none()) {
            return Err(MultibodyError::Missing { what: what.clone(), kind: "body" });
        }
        finite_vec(what, "position", at.position)?;
        unit_quat(what, at.rotation)
    }

    fn check_pair(&self, what: &Subject, a: &Attachment, b: &Attachment) -> Result<()> {
        self.check_attachment(what, a)?;
        self.check_attachment(what, b)?;
        if a.carrier == b.carrier && !matches!(a.carrier, Carrier::External(_)) {
            let body = a.carrier.body().and_then(|id| self.bodies.get(id));
            let body = body.map_or("ground".into(), |b| b.name.clone());
            return Err(MultibodyError::SameBody { what: what.clone(), body });
        }
        Ok(())
    }

    /// Adds a joint.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId> {
        let what = Subject::object("joint", &joint.name);
        self.check_name("joints", "joint", &joint.name)?;
        self.check_pair(&what, &joint.a, &joint.b)?;
        match &joint.kind {
            JointKind::Distance(l) | JointKind::RevoluteSpherical(l) => positive(&what, "length", *l)?,
            JointKind::RevoluteTranslational(offset) => finite(&what, "offset", *offset)?,
            JointKind::Screw(pitch) if *pitch == 0.0 || !pitch.is_finite() => {
                return value(&what, "pitch", pitch, "a finite number other than zero is needed");
            }
            JointKind::Trajectory { axis, .. } => unit_axis(&what, *axis)?,
            JointKind::Generic(locks) if locks.iter().all(|l| !l) => {
                return Err(MultibodyError::Mismatch {
                    what,
                    reason: "no degree of freedom is locked".into(),
                });
            }
            _ => {}
        }
        let count = joint.kind.coordinates().len();
        for limit in &joint.limits {
            if limit.coordinate >= count {
                let reason =
                    format!("it has {count} coordinates, so there is no coordinate {}", limit.coordinate);
                return Err(MultibodyError::Mismatch { what, reason });
            }
            if let (Some(lower), Some(upper)) = (limit.lower, limit.upper)
                && lower >= upper
            {
                return value(
                    &what,
                    "limits",
                    format!("{lower} to {upper}"),
                    "the lower limit must be smaller than the upper one",
                );
            }
            for bound in [limit.lower, limit.upper].into_iter().flatten() {
                finite(&what, "limit", bound)?;
            }
            if let Some(k) = limit.stiffness {
                positive(&what, "limit stiffness", k)?;
            }
            non_negative(&what, "limit damping", limit.damping)?;
            check_restitution(&what, limit.restitution)?;
        }
        self.take_name("joints", &joint.name);
        Ok(self.joints.insert(joint))
    }

    /// Adds a shaft.
    pub fn add_shaft(&mut self, shaft: Shaft) -> Result<ShaftId> {
        let what = Subject::object("shaft", &shaft.name);
        self.check_name("shafts", "shaft", &shaft.name)?;
        positive(&what, "inertia", shaft.inertia)?;
        finite(&what, "angle", shaft.angle)?;
        finite(&what, "speed", shaft.speed)?;
        self.take_name("shafts", &shaft.name);
        Ok(self.shafts.insert(shaft))
    }

    fn check_terms(&self, what: &Subject, terms: &[(CoordinateRef, f64)]) -> Result<()> {
        if terms.is_empty() {
            return Err(MultibodyError::Mismatch {
                what: what.clone(),
                reason: "it has no coordinates".into(),
            });
        }
        for (coordinate, weight) in terms {
            if *weight == 0.0 || !weight.is_finite() {
                return value(what, "ratio", weight, "a finite number other than zero is needed");
            }
            match coordinate {
                CoordinateRef::Joint(id, index) => {
                    let Some(joint) = self.joints.get(*id) else {
                        return Err(MultibodyError::Missing { what: what.clone(), kind: "joint" });
                    };
                    let count = joint.kind.coordinates().len();
                    if *index >= count {
                        let reason =
                            format!("joint '{}' has {count} coordinates, not {}", joint.name, index + 1);
                        return Err(MultibodyError::Mismatch { what: what.clone(), reason });
                    }
                }
                CoordinateRef::Shaft(id) => {
                    if self.shafts.get(*id).is_none() {
                        return Err(MultibodyError::Missing { what: what.clone(), kind: "shaft" });
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a coupling.
    pub fn add_coupling(&mut self, coupling: Coupling) -> Result<CouplingId> {
        let what = Subject::object(coupling.label, &coupling.name);
        self.check_name("couplings", "coupling or motor", &coupling.name)?;
        self.check_terms(&what, &coupling.terms)?;
        if let Some(teeth) = &coupling.teeth {
            self.check_pair(&what, &teeth.a, &teeth.b)?;
            positive(&what, "radius", teeth.radius_a)?;
            positive(&what, "radius", teeth.radius_b.abs())?;
            finite(&what, "pressure angle", teeth.radial)?;
            finite(&what, "helix angle", teeth.axial)?;
        }
        self.take_name("couplings", &coupling.name);
        Ok(self.couplings.insert(coupling))
    }

    /// Adds a force along coordinates.
    pub fn add_coordinate_force(&mut self, force: CoordinateForce) -> Result<CoordinateForceId> {
        let what = Subject::object(force.label, &force.name);
        self.check_name("coordinate_forces", "force", &force.name)?;
        self.check_terms(&what, &force.terms)?;
        check_law(&what, &force.law)?;
        self.take_name("coordinate_forces", &force.name);
        Ok(self.coordinate_forces.insert(force))
    }

    /// Adds a translational spring.
    pub fn add_spring(&mut self, spring: Spring) -> Result<SpringId> {
        let what = Subject::object("spring", &spring.name);
        self.check_name("springs", "spring", &spring.name)?;
        self.check_pair(&what, &spring.a, &spring.b)?;
        check_law(&what, &spring.law)?;
        self.take_name("springs", &spring.name);
        Ok(self.springs.insert(spring))
    }

    /// Adds a rope.
    pub fn add_rope(&mut self, rope: Rope) -> Result<RopeId> {
        let what = Subject::object("rope", &rope.name);
        self.check_name("ropes", "rope", &rope.name)?;
        self.check_pair(&what, &rope.a, &rope.b)?;
        positive(&what, "length", rope.length)?;
        if let Some(k) = rope.stiffness {
            positive(&what, "stiffness", k)?;
        }
        non_negative(&what, "damping", rope.damping)?;
        check_restitution(&what, rope.restitution)?;
        self.take_name("ropes", &rope.name);
        Ok(self.ropes.insert(rope))
    }

    /// Adds a bushing.
    pub fn add_bushing(&mut self, bushing: Bushing) -> Result<BushingId> {
        let what = Subject::object("bushing", &bushing.name);
        self.check_name("bushings", "bushing", &bushing.name)?;
        self.check_pair(&what, &bushing.a, &bushing.b)?;
        for row in bushing.stiffness.iter().chain(&bushing.damping) {
            for entry in row {
                finite(&what, "matrix entry", *entry)?;
            }
        }
        for entry in bushing.preload {
            finite(&what, "preload", entry)?;
        }
        self.take_name("bushings", &bushing.name);
        Ok(self.bushings.insert(bushing))
    }

    /// Adds an applied force and torque.
    pub fn add_load(&mut self, load: Load) -> Result<LoadId> {
        let what = Subject::object("load", &load.name);
        self.check_name("loads", "load", &load.name)?;
        let at = Attachment { carrier: load.carrier, position: load.point, rotation: DQuat::IDENTITY };
        self.check_attachment(&what, &at)?;
        self.take_name("loads", &load.name);
        Ok(self.loads.insert(load))
    }

    /// Adds a drag.
    pub fn add_drag(&mut self, drag: Drag) -> Result<DragId> {
        let what = Subject::object("drag", &drag.name);
        self.check_name("drags", "drag", &drag.name)?;
        let at = Attachment { carrier: drag.carrier, position: drag.point, rotation: DQuat::IDENTITY };
        self.check_attachment(&what, &at)?;
        finite_vec(&what, "medium_velocity", drag.medium_velocity)?;
        non_negative(&what, "linear", drag.linear)?;
        non_negative(&what, "quadratic", drag.quadratic)?;
        non_negative(&what, "angular_linear", drag.angular_linear)?;
        non_negative(&what, "angular_quadratic", drag.angular_quadratic)?;
        self.take_name("drags", &drag.name);
        Ok(self.drags.insert(drag))
    }
}

fn check_restitution(what: &Subject, e: f64) -> Result<()> {
    if (0.0..=1.0).contains(&e) {
        Ok(())
    } else {
        value(what, "restitution", e, "it must be between 0 and 1")
    }
}

fn check_law(what: &Subject, law: &ScalarLaw) -> Result<()> {
    match law {
        ScalarLaw::Spring { stiffness, damping, rest, .. } => {
            non_negative(what, "stiffness", *stiffness)?;
            non_negative(what, "damping", *damping)?;
            finite(what, "rest", *rest)
        }
        ScalarLaw::Limit { stiffness, damping, .. } => {
            positive(what, "stiffness", *stiffness)?;
            non_negative(what, "damping", *damping)
        }
        ScalarLaw::Friction { stiffness, damping, .. } => {
            positive(what, "stiffness", *stiffness)?;
            non_negative(what, "damping", *damping)
        }
        ScalarLaw::User(_) | ScalarLaw::Effort(_) => Ok(()),
    }
}
