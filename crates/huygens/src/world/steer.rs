//! Steering: numbers set from outside while the simulation runs, and a spring that pulls a body.

use std::sync::PoisonError;

use glam::DVec3;
use huygens_core::signal::{SignalSpec, closest_name};
use huygens_multibody::BodyId;

use super::{Result, SignalDraft, World, WorldError};

/// Angular frequency of the spring that pulls, with the mass of the body [rad/s].
const PULL: f64 = 12.0;

/// An input signal and its value now.
#[derive(Clone, Debug, PartialEq)]
pub struct InputState {
    /// Name of the signal.
    pub name: String,
    /// Value now.
    pub value: f64,
    /// Minimum.
    pub lower: f64,
    /// Maximum.
    pub upper: f64,
    /// Keys that lower and raise it in the viewer.
    pub keys: Option<[String; 2]>,
}

impl World {
    /// All input signals, in the order they were added.
    pub fn inputs(&mut self) -> Result<Vec<InputState>> {
        let mut found = Vec::new();
        for draft in &self.objects.signals {
            if let SignalDraft::Spec(entry) = draft
                && let SignalSpec::Input(spec) = &entry.signal
            {
                let spec = spec.clone();
                found.push(InputState {
                    name: entry.name.clone(),
                    value: spec.value,
                    lower: spec.lower,
                    upper: spec.upper,
                    keys: spec.keys,
                });
            }
        }
        for input in &mut found {
            input.value = self.signal(&input.name)?;
        }
        Ok(found)
    }

    /// Sets an input signal from the next step on.
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<()> {
        let inputs = self.inputs()?;
        let Some(input) = inputs.iter().find(|i| i.name == name) else {
            let suggestion = closest_name(name, inputs.iter().map(|i| i.name.as_str())).map(str::to_owned);
            return Err(WorldError::Unknown { kind: "input signal", name: name.into(), suggestion });
        };
        if !(value >= input.lower && value <= input.upper) {
            return Err(WorldError::Value {
                what: format!("input '{name}'"),
                value: value.to_string(),
                expected: format!("a number from {} to {}", input.lower, input.upper),
            });
        }
        let place = self.signal_graph().and_then(|g| g.signal(name).ok().map(|id| g.states(id).start));
        if let (Some(place), Some(s)) = (place, self.motion.simulation.as_mut()) {
            s.state.z[place] = value;
            // Forces may have jumped.
            s.state.accelerations_ready = false;
            s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
        }
        Ok(())
    }

    /// Pulls a dynamic body for one step of `h` [s] by a damped spring from a point in its frame to a target in the
    /// world: the impulse of the spring goes into its velocity. The spring is as stiff as the body is heavy, so that
    /// it neither tears nor lags.
    pub fn pull(&mut self, body: BodyId, point: [f64; 3], target: [f64; 3], h: f64) -> Result<()> {
        self.initialize()?;
        let motion = self.body_motion(body)?;
        let Some(rigid) = self.objects.assembly.body(body) else { return Ok(()) };
        let (mass, inertia, center) = (rigid.mass, rigid.inertia, rigid.center_of_mass);
        let arm = motion.rotation * (DVec3::from_array(point) - center);
        let held = motion.position + motion.rotation * DVec3::from_array(point);
        let speed = motion.velocity + motion.angular_velocity.cross(held - motion.position);
        let rate = PULL.min(0.2 / h);
        let stretch = DVec3::from_array(target) - held;
        let force = mass * (rate * rate * stretch - 2.0 * rate * speed);
        let Some(s) = self.motion.simulation.as_mut() else { return Ok(()) };
        let Some(column) = s.mechanism.body_column(body) else { return Ok(()) };
        let turn = inertia.inverse() * (motion.rotation.inverse() * arm.cross(force));
        // A light grip: a point far from the centre must not spin the body up within a step, and what swings about
        // the point comes to rest.
        let spin = motion.rotation.inverse() * motion.angular_velocity;
        let turn = turn.clamp_length_max(rate * rate) - rate * spin;
        for k in 0..3 {
            s.state.v[column + k] += h * force[k] / mass;
            s.state.v[column + 3 + k] += h * turn[k];
        }
        s.state.accelerations_ready = false;
        s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
        self.reports.energy.restart();
        Ok(())
    }
}
