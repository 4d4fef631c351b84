//! Energy that appears without work being done.
//!
//! Every few steps the energy of bodies, structures and grains is compared with the initial one plus the work that
//! motors and driven forces have put in since. What damping and friction take out is not known, so the comparison
//! misses slow gains in systems that lose energy; it is meant for results that are wrong by a multiple.

use huygens_multibody::{Body, BodyKind, Motion};

use super::warnings::About;
use super::{Simulation, World};
use crate::spec::{Function, GrainsSpec, JointType, MotorType, WarningKind};

/// Steps between two looks at the energy, where nothing does work on the model.
const EVERY: u64 = 8;
/// Share of the energy in play that a gain must exceed.
const GAIN: f64 = 0.25;
/// Factor on the work that was put in: power is sampled at the ends of steps.
const MARGIN: f64 = 1.5;
/// Ratio of a step that resolves a contact to the critical one, and of a shorter step to that of the settings.
const RESOLVED: f64 = 0.2;
/// Speed at which limits and ropes that are violated at the start are pushed back, which does work [m/s or rad/s].
const RECOVERY: f64 = 0.5;
/// Rotation in one step that an integrator resolves [rad].
const ROTATION: f64 = 0.1;

/// What is remembered of the energy since the model was built or changed.
#[derive(Debug, Default)]
pub(super) struct EnergyWatch {
    kept: Option<Kept>,
    /// Whether there is nothing to find out: the model is not watched, or the warning was given.
    idle: bool,
}

#[derive(Debug)]
struct Kept {
    /// Time of the last look [s], and the power then [W].
    time: f64,
    power: f64,
    /// Initial energy, its part that depends on positions, and the work since [J].
    initial: f64,
    stored: f64,
    work: f64,
    /// Largest kinetic energy, and largest change of that part [J].
    kinetic: f64,
    range: f64,
    /// The work that lifts every body by its radius of gyration [J].
    lift: f64,
    /// Whether motors prescribe motion, and whether forces are driven.
    driven: [bool; 2],
}

/// Energy [J], power put in [W] and what else a look shows.
struct Look {
    time: f64,
    kinetic: f64,
    stored: f64,
    power: f64,
}

impl EnergyWatch {
    /// Ends until the model changes: bodies that overlap are pushed apart, which does work.
    pub fn stop(&mut self) {
        *self = Self { kept: None, idle: true };
    }

    /// Begins again with the next step: what follows does not belong to what was before.
    pub fn restart(&mut self) {
        *self = Self::default();
    }
}

impl World {
    /// Looks at the energy before the first step of a model.
    pub(super) fn begin_energy_watch(&mut self) {
        let watch = &self.reports.energy;
        if watch.idle || watch.kept.is_some() {
            return;
        }
        let lift = self.lift();
        let wanted = !self.settings.silence.contains(&WarningKind::Energy);
        let watched = wanted && self.has_known_energy();
        let Some(s) = self.motion.simulation.as_ref().filter(|_| watched) else {
            self.reports.energy.stop();
            return;
        };
        let forces = s.evaluate().stepper.system().has_driven_forces(&s.state.history);
        let driven = [self.prescribes_motion(), forces];
        let look = look(s, driven);
        self.reports.energy.kept = Some(Kept {
            time: look.time,
            power: look.power,
            initial: look.kinetic + look.stored,
            stored: look.stored,
            work: 0.0,
            kinetic: look.kinetic,
            range: 0.0,
            lift,
            driven,
        });
    }

    /// Looks at the energy after a step, and warns once if it has grown without work. `critical` is the critical step
    /// of the contacts of this step [s], zero if there are none.
    pub(super) fn watch_energy(&mut self, critical: f64) {
        let (Some(s), Some(kept)) = (&self.motion.simulation, &mut self.reports.energy.kept) else { return };
        if kept.driven == [false; 2] && !s.state.step.is_multiple_of(EVERY) {
            return;
        }
        let look = look(s, kept.driven);
        let total = look.kinetic + look.stored;
        if !total.is_finite() {
            self.reports.energy.stop();
            let time = look.time;
            self.reports.warnings.once(About::Energy, || {
                format!(
                    "the energy is not finite at t = {time:.6} s: speeds, positions or forces are beyond what double \
                     precision holds; check units and gravity"
                )
            });
            return;
        }
        kept.work += (look.time - kept.time) * look.power.max(kept.power);
        (kept.time, kept.power) = (look.time, look.power);
        kept.kinetic = kept.kinetic.max(look.kinetic);
        kept.range = kept.range.max((look.stored - kept.stored).abs());
        let gain = total - kept.initial - MARGIN * kept.work;
        let rounding = 1e-9 * kept.initial.abs().max(kept.stored.abs());
        if gain <= GAIN * (kept.kinetic + kept.range + kept.lift) + rounding {
            return;
        }
        let (initial, work, time) = (kept.initial, kept.work, look.time);
        let dt = self.finer_step(critical);
        let done = match work {
            0.0 => "nothing did work on the model".to_owned(),
            work => format!("motors and forces did at most {work:.3e} J of work"),
        };
        let grains = match self.objects.grains.is_empty() {
            true => "",
            false => ", a shorter `step` of the grains",
        };
        self.reports.energy.stop();
        self.reports.warnings.once(About::Energy, || {
            format!(
                "the energy grew from {initial:.3e} J to {total:.3e} J by t = {time:.6} s, though {done}: the results are \
                 wrong; use a shorter step, such as dt = {dt:.0e} s{grains}, or softer materials and springs"
            )
        });
    }

    /// A step that is likely to be short enough [s].
    fn finer_step(&self, critical: f64) -> f64 {
        let mut dt = RESOLVED * self.settings.dt;
        let found = self.reports.statistics.critical_step;
        for critical in [critical, found].into_iter().filter(|c| *c > 0.0 && c.is_finite()) {
            dt = dt.min(RESOLVED * critical);
        }
        let spin = |id| {
            self.body_angular_velocity(id).map_or(0.0, |w| w.iter().fold(0.0, |m: f64, x| m.max(x.abs())))
        };
        let fastest = self.objects.bodies.iter().fold(0.0, |m: f64, (id, _)| m.max(spin(*id)));
        if fastest > 0.0 && fastest.is_finite() { dt.min(ROTATION / fastest) } else { dt }
    }

    /// Whether all energy and all work are known: fluids dissipate and compress, periodic boxes and gates change what
    /// there is, and what moves by functions of time does work at its contacts.
    fn has_known_energy(&self) -> bool {
        let o = &self.objects;
        let moves = |motion: &Motion| {
            let mut functions = motion.translation.iter().chain([&motion.angle]);
            functions.any(|f| !matches!(f, Function::Constant { .. }))
        };
        let still = |body: &Body| match &body.kind {
            BodyKind::Kinematic(motion) => !moves(motion),
            _ => true,
        };
        let sealed = |spec: &GrainsSpec| {
            spec.walls.iter().all(|w| w.mount.motion.is_none())
                && spec.inlets.is_empty()
                && spec.outlets.is_empty()
                && spec.boundary.is_none()
                && spec.drag.is_none()
                && spec.near_field.is_none()
                && spec.periodic.axes().iter().all(|(_, axis)| axis.is_none())
        };
        self.extensions.do_no_work()
            && o.fluids.is_empty()
            && o.assembly.bodies().iter().all(|(_, b)| still(b))
            && self.grain_sets().all(|(_, spec)| sealed(spec))
    }

    /// Whether motors, joints or supports prescribe a motion.
    fn prescribes_motion(&self) -> bool {
        use MotorType::{Angle, Position, Speed};
        let o = &self.objects;
        o.motors.iter().any(|(_, m)| matches!(m.kind, Angle | Position | Speed))
            || o.joints.iter().any(|(_, j)| matches!(j.kind, JointType::Trajectory { .. }))
            || o.structures.iter().any(|set| set.has_prescribed_joints())
    }

    /// The work that lifts every dynamic body by its radius of gyration [J].
    fn lift(&self) -> f64 {
        let gravity = self.settings.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        let bodies = self.objects.assembly.bodies().iter();
        let dynamic = bodies.filter(|(_, b)| matches!(b.kind, BodyKind::Dynamic));
        // A third of the trace is the mean moment of inertia.
        let weight = |b: &Body| {
            let trace = b.inertia.x_axis.x + b.inertia.y_axis.y + b.inertia.z_axis.z;
            gravity * (b.mass * trace / 3.0).sqrt()
        };
        dynamic.map(|(_, b)| weight(b)).sum()
    }
}

/// Reads energy and power at the current state.
fn look(s: &Simulation, [rows, forces]: [bool; 2]) -> Look {
    let mut evaluator = s.evaluate();
    let particles = evaluator.stepper.sub_system_energy(&s.state);
    let system = evaluator.stepper.system();
    let [kinetic, potential, elastic] = system.energy(&s.state.history);
    let mut power = RECOVERY * s.state.lambda_unilateral.iter().sum::<f64>();
    if forces {
        power += system.driven_force_power(&s.state.history);
    }
    if rows {
        power += system.driven_row_power(&s.state.history, &s.state.lambda);
    }
    Look {
        time: s.state.time,
        kinetic: kinetic + particles[0],
        stored: potential + elastic + particles[1] + particles[2],
        power,
    }
}
