//! Bodies that carry walls of grains or markers of fluids: where they are expected, and what they feel.
//!
//! Grains and fluids go first through a step, in steps of their own, while bodies that carry their walls go to where
//! they are expected: $x_n + h\,v_n + \tfrac{h}{2}(v_n - v_{n-1})$. The bodies follow under the mean of what was done to
//! them in this very step. Walls start where they were left, so that they never jump; the small error of one
//! expectation is part of the next. For a body on a spring of grains this loses energy like a damping ratio of
//! $(\omega h)^3/4$.

use std::sync::PoisonError;

use glam::{DQuat, DVec3};
use huygens_core::signal::{InputSpec, SignalGraph, SignalGraphBuilder, SignalSpec};
use huygens_geometry::Pose;
use huygens_kernel::rotation;
use huygens_multibody::{BodyId, BodyKind, Carrier as Attached, Drive, Load, LoadFrame, LoadId, Motion};
use huygens_particles::WallMotion;

use super::coordinates::Owner;
use super::{Result, World, WorldError};
use crate::spec::{MotionSpec, check_axis};

/// Who moves a wall.
#[derive(Clone, Debug)]
pub(super) enum Carrier {
    /// Nobody.
    Ground,
    /// Functions of time.
    Motion(Box<Motion>),
    /// A body.
    Body(BodyId),
    /// A structure, by its place: every part is a piece of its contact surface.
    Structure(usize),
}

impl Carrier {
    /// The body that carries.
    pub fn body(&self) -> Option<BodyId> {
        match self {
            Self::Body(body) => Some(*body),
            _ => None,
        }
    }
}

/// Where functions of time have what starts at `pose`, at `time` [s].
pub(super) fn prescribed(pose: &Pose, motion: &Motion, time: f64) -> WallMotion {
    let mut values = [DVec3::ZERO; 2];
    for (axis, function) in motion.translation.iter().enumerate() {
        let value = function.evaluate(time);
        (0..2).for_each(|k| values[k][axis] = value[k]);
    }
    let [angle, rate, _] = motion.angle.evaluate(time);
    WallMotion {
        position: pose.position + values[0],
        rotation: (DQuat::from_axis_angle(motion.axis, angle) * pose.rotation).normalize(),
        velocity: values[1],
        angular_velocity: motion.axis * rate,
    }
}

/// A body that carries walls, as grains and fluids see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rider {
    pub body: BodyId,
    /// Where its walls were left.
    pub pose: Pose,
    /// Its velocity [m/s] and angular velocity [rad/s] a step ago.
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

/// A body on its way through a step.
pub(super) struct Sweep {
    pub rider: Rider,
    pub to: Pose,
    /// Changes of its velocities in the last step.
    pub velocity_change: DVec3,
    pub angular_velocity_change: DVec3,
}

impl Sweep {
    /// Where a part of the body starts, and the velocities that bring it to the end in `h` [s].
    pub fn of_part(&self, pose: &Pose, h: f64) -> WallMotion {
        between(&(self.rider.pose * *pose), &(self.to * *pose), h)
    }

    /// A point of the body in the middle of the step.
    pub fn middle(&self, point: DVec3) -> DVec3 {
        let at = |pose: &Pose| pose.position + pose.rotation * point;
        0.5 * (at(&self.rider.pose) + at(&self.to))
    }
}

/// The motion at constant velocities that goes from one pose to another in `h` [s].
pub(super) fn between(from: &Pose, to: &Pose, h: f64) -> WallMotion {
    let turn = rotation::log((to.rotation * from.rotation.conjugate()).normalize());
    WallMotion {
        position: from.position,
        rotation: from.rotation.normalize(),
        velocity: (to.position - from.position) / h,
        angular_velocity: turn / h,
    }
}

/// The load by which grains or a fluid act on a body: its components are hidden input signals, so that they are part of
/// the state.
pub(super) struct BodyLoad {
    pub body: BodyId,
    load: LoadId,
    /// Names of the signals: three of the force, three of the torque about the centre of mass.
    pub signals: [String; 6],
}

impl World {
    /// Who carries a wall that names a body or a motion, and its pose in the axes of that.
    pub(super) fn carrier_of(
        &self,
        owner: Owner<'_>,
        path: &dyn Fn(&str) -> String,
        (body, motion): (Option<&String>, Option<&MotionSpec>),
        pose: Pose,
        wrong: &dyn Fn((&str, String)) -> WorldError,
    ) -> Result<(Carrier, Pose)> {
        match (body, motion) {
            (Some(_), Some(_)) => Err(wrong(("motion", "give body or motion, not both".into()))),
            (None, None) => Ok((Carrier::Ground, pose)),
            (None, Some(motion)) => {
                let axis = check_axis(motion.axis).map_err(|e| wrong(("motion", e)))?;
                for f in motion.translation.iter().chain([&motion.angle]) {
                    f.validate().map_err(|e| wrong(("motion", e.to_string())))?;
                }
                let (translation, angle) = (motion.translation.clone(), motion.angle.clone());
                Ok((Carrier::Motion(Box::new(Motion { translation, axis, angle })), pose))
            }
            (Some(name), None) => {
                let anchor = self.anchor(owner.section, owner.name, &path("body"), name)?;
                let marker = anchor.marker.map(|(position, rotation)| Pose { position, rotation });
                let pose = marker.unwrap_or(Pose::IDENTITY) * pose;
                match anchor.carrier {
                    Attached::Ground => Ok((Carrier::Ground, pose)),
                    Attached::Body(id) => Ok((Carrier::Body(id), pose)),
                    Attached::External(_) => {
                        let noun = owner.section.noun();
                        Err(wrong(("body", format!("walls of {noun} ride on bodies, not on nodes"))))
                    }
                }
            }
        }
    }

    /// Makes the loads on the dynamic bodies among `bodies`.
    pub(super) fn add_body_loads(
        &mut self,
        owner: Owner<'_>,
        bodies: impl Iterator<Item = BodyId>,
    ) -> Result<Vec<BodyLoad>> {
        let mut loads: Vec<BodyLoad> = Vec::new();
        for body in bodies {
            let Some(made) = self.assembly.body(body) else { continue };
            let dynamic = matches!(made.kind, BodyKind::Dynamic);
            if !dynamic || loads.iter().any(|l| l.body == body) {
                continue;
            }
            let name = format!("{} '{}' on body '{}'", owner.section.noun(), owner.name, made.name);
            let zero = || [0.0.into(), 0.0.into(), 0.0.into()];
            let signals =
                std::array::from_fn(|k| format!("{name} {}", ["fx", "fy", "fz", "tx", "ty", "tz"][k]));
            let (point, frame) = (made.center_of_mass, LoadFrame::World);
            let load =
                Load { name, carrier: Attached::Body(body), point, frame, force: zero(), torque: zero() };
            let load = self.assembly.add_load(load);
            let load = load.map_err(|e| WorldError::of_engine(owner.section, owner.name, e))?;
            loads.push(BodyLoad { body, load, signals });
        }
        Ok(loads)
    }

    /// Loads of all sets of grains and all fluids.
    fn body_loads(&self) -> impl Iterator<Item = &BodyLoad> {
        let grains = self.grains.iter().flat_map(|s| &s.loads);
        grains.chain(self.fluids.iter().flat_map(|s| &s.loads))
    }

    /// Adds the hidden inputs by which grains and fluids act on bodies, after all other signals.
    pub(super) fn add_load_inputs(&self, builder: &mut SignalGraphBuilder) -> Result<()> {
        for name in self.body_loads().flat_map(|l| &l.signals) {
            let spec = InputSpec { lower: f64::MIN, upper: f64::MAX, ..InputSpec::default() };
            builder.add(name, SignalSpec::<usize>::Input(spec)).map_err(WorldError::of_signal)?;
        }
        Ok(())
    }

    /// Wires these inputs to the loads.
    pub(super) fn connect_body_loads(&mut self, graph: &SignalGraph) {
        let drives: Vec<(LoadId, [Drive; 6])> = self
            .body_loads()
            .map(|load| {
                let drive = |k: usize| graph.signal(&load.signals[k]).map_or(Drive::from(0.0), Drive::Signal);
                (load.load, std::array::from_fn(drive))
            })
            .collect();
        for (load, [fx, fy, fz, tx, ty, tz]) in drives {
            if let Some(made) = self.assembly.load_mut(load) {
                (made.force, made.torque) = ([fx, fy, fz], [tx, ty, tz]);
            }
        }
    }

    /// Finds the bodies that carry walls and may move, where they are.
    pub(super) fn find_riders(&mut self) -> Result<()> {
        if self.riders.is_some() {
            return Ok(());
        }
        let walls = self.grains.iter().flat_map(|s| &s.walls).map(|w| &w.carrier);
        let solids = self.swept_solids().map(|w| &w.carrier);
        let mut riders: Vec<Rider> = Vec::new();
        for body in walls.chain(solids).filter_map(Carrier::body) {
            let fixed = self.assembly.body(body).is_none_or(|b| matches!(b.kind, BodyKind::Fixed));
            if fixed || riders.iter().any(|r| r.body == body) {
                continue;
            }
            let m = self.body_motion(body)?;
            let pose = Pose { position: m.position, rotation: m.rotation };
            let (velocity, angular_velocity) = (m.velocity, m.angular_velocity);
            riders.push(Rider { body, pose, velocity, angular_velocity });
        }
        self.riders = Some(riders);
        self.find_piece_riders();
        Ok(())
    }

    /// Where the riders go in the next `h` [s]; they are left there.
    fn sweep_riders(&mut self, h: f64) -> Result<Vec<Sweep>> {
        let mut riders = self.riders.take().unwrap_or_default();
        let mut sweeps = Vec::with_capacity(riders.len());
        for rider in &mut riders {
            let m = self.body_motion(rider.body)?;
            let way = h * (1.5 * m.velocity - 0.5 * rider.velocity);
            let turn = h * (1.5 * m.angular_velocity - 0.5 * rider.angular_velocity);
            let to =
                Pose { position: m.position + way, rotation: (rotation::exp(turn) * m.rotation).normalize() };
            sweeps.push(Sweep {
                rider: *rider,
                to,
                velocity_change: m.velocity - rider.velocity,
                angular_velocity_change: m.angular_velocity - rider.angular_velocity,
            });
            (rider.velocity, rider.angular_velocity, rider.pose) = (m.velocity, m.angular_velocity, to);
        }
        self.riders = Some(riders);
        Ok(sweeps)
    }

    /// Refuses a step control, which grains and fluids do not know.
    pub(super) fn refuse_step_control(&self, noun: &str) -> Result<()> {
        match self.settings.step_control {
            None => Ok(()),
            Some(_) => Err(WorldError::Setting {
                key: "step_control".into(),
                value: format!("step control of a world with {noun}"),
                expected: format!("a fixed step `dt`, which {noun} cut into their own,"),
            }),
        }
    }

    /// Grains and fluids move by forces only.
    pub(super) fn refuse_particles(&self, analysis: &str) -> Result<()> {
        let noun = match (self.grains.is_empty(), self.fluids.is_empty()) {
            (true, true) => return Ok(()),
            (false, _) => "grains",
            (true, false) => "fluids",
        };
        Err(WorldError::Setting {
            key: "analysis".into(),
            value: format!("\"{analysis}\" of a world with {noun}"),
            expected: "\"dynamics\"".into(),
        })
    }

    /// Moves all grains and fluids through the next step of `h` [s], and gives bodies and structures the loads they have
    /// in it.
    pub(super) fn advance_particles(&mut self, h: f64) -> Result<()> {
        if self.grains.is_empty() && self.fluids.is_empty() {
            return Ok(());
        }
        let sweeps = self.sweep_riders(h)?;
        let mut pieces = self.sweep_pieces(h);
        self.advance_grains(&sweeps, &mut pieces, h)?;
        self.advance_fluids(&sweeps, &mut pieces, h)?;
        self.push_structures(pieces);
        Ok(())
    }

    /// Sets the hidden inputs of a load: force and torque about the centre of mass.
    pub(super) fn push_body(&mut self, signals: &[String; 6], push: &[DVec3; 2]) {
        let numbers = push.map(|v| v.to_array());
        for (name, value) in signals.iter().zip(numbers.iter().flatten()) {
            let place = self.signal_graph().and_then(|g| g.signal(name).ok().map(|id| g.states(id).start));
            let (Some(place), Some(s)) = (place, self.simulation.as_mut()) else { continue };
            if s.state.z[place] != *value {
                s.state.z[place] = *value;
                s.state.accelerations_ready = false;
                s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
            }
        }
    }
}
