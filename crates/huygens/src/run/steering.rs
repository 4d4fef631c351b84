//! Steering a run from outside: pause, single steps, a pulled body, inputs.

use std::time::{Duration, Instant};

use huygens_multibody::BodyId;

use super::Recorder;
use crate::world::{InputState, World, WorldError};

/// What is asked of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum SteeringCommand {
    /// Wait before the next step.
    Pause,
    /// Go on.
    Resume,
    /// Do some steps and wait again.
    Step(u32),
    /// Pull a body by a spring until [`SteeringCommand::Release`].
    Pull {
        /// Item of the body in the recording that is looked at; where there is none, its index in the order of adding.
        body: usize,
        /// Where the spring holds it, in its frame [m].
        point: [f64; 3],
        /// The other end, in the world [m].
        target: [f64; 3],
    },
    /// Let go.
    Release,
    /// Set an input signal.
    Input {
        /// Its name.
        name: String,
        /// Its value.
        value: f64,
    },
}

/// Where commands come from, and where it is shown what they did.
pub trait Steering: Send + Sync + std::fmt::Debug {
    /// The next command, waited for no longer than told.
    fn next(&self, wait: Duration) -> Option<SteeringCommand>;
    /// Says whether the run waits.
    fn show_paused(&self, paused: bool);
    /// Says what can be set, with the values now.
    fn show_inputs(&self, inputs: &[InputState]);
}

/// How long a waiting run sleeps before it looks at the clock again.
const NAP: Duration = Duration::from_millis(50);

/// Carries out what is asked of a run that steps by itself; one that is steered keeps pace with the clock.
#[derive(Debug)]
pub struct Helm {
    paused: bool,
    steps: u32,
    pull: Option<(BodyId, [f64; 3], [f64; 3])>,
    started: bool,
    /// Wall-clock and simulated time that belong together.
    pace: (Instant, f64),
}

impl Default for Helm {
    fn default() -> Self {
        Self { paused: false, steps: 0, pull: None, started: false, pace: (Instant::now(), 0.0) }
    }
}

impl Helm {
    /// Takes commands before a step of `h` [s], from somebody who looks at a recording if there is one; `stop` is asked
    /// while the run waits. False if it is to stop.
    pub fn before_step(
        &mut self,
        steering: &dyn Steering,
        world: &mut World,
        h: f64,
        recorder: Option<&Recorder>,
        stop: &dyn Fn() -> bool,
    ) -> Result<bool, WorldError> {
        if !self.started {
            self.started = true;
            self.pace = (Instant::now(), world.time());
            steering.show_inputs(&world.inputs()?);
            steering.show_paused(false);
        }
        loop {
            let idle = self.paused && self.steps == 0;
            let ahead = (world.time() - self.pace.1) - self.pace.0.elapsed().as_secs_f64();
            let early = !self.paused && ahead > 0.0;
            let wait =
                if idle { NAP } else { Duration::from_secs_f64(if early { ahead.min(0.05) } else { 0.0 }) };
            match steering.next(wait) {
                Some(command) => self.obey(command, steering, world, recorder)?,
                None if stop() => return Ok(false),
                None if idle || (early && ahead > 0.05) => {}
                None => break,
            }
        }
        if self.paused {
            self.steps = self.steps.saturating_sub(1);
        } else if self.pace.0.elapsed().as_secs_f64() > world.time() - self.pace.1 + 0.25 {
            // Slower than the clock: time lost is not made up for.
            self.pace = (Instant::now(), world.time());
        }
        // A body that is gone is pulled no more.
        self.pull = self.pull.filter(|(body, ..)| world.body_position(*body).is_ok());
        if let Some((body, point, target)) = self.pull {
            world.pull(body, point, target, h)?;
        }
        Ok(true)
    }

    fn obey(
        &mut self,
        command: SteeringCommand,
        steering: &dyn Steering,
        world: &mut World,
        recorder: Option<&Recorder>,
    ) -> Result<(), WorldError> {
        match command {
            SteeringCommand::Pause => (self.paused, self.steps) = (true, 0),
            SteeringCommand::Resume => {
                (self.paused, self.steps) = (false, 0);
                self.pace = (Instant::now(), world.time());
            }
            SteeringCommand::Step(count) => {
                self.paused = true;
                self.steps = self.steps.saturating_add(count);
            }
            SteeringCommand::Pull { body, point, target } => {
                let index = recorder.map_or(Some(body), |recorder| recorder.body(body));
                let body = index.and_then(|index| world.bodies().get(index));
                self.pull = body.map(|(id, _)| (*id, point, target));
            }
            SteeringCommand::Release => self.pull = None,
            SteeringCommand::Input { name, value } => {
                match world.set_input(&name, value) {
                    // A wrong name or value from outside does not end a run.
                    Ok(()) | Err(WorldError::Unknown { .. } | WorldError::Value { .. }) => {}
                    Err(error) => return Err(error),
                }
                steering.show_inputs(&world.inputs()?);
            }
        }
        steering.show_paused(self.paused);
        Ok(())
    }
}
