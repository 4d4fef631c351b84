//! Steering a run from the page: commands one way, what can be steered the other way.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// Commands that may wait for the run.
const QUEUE_LIMIT: usize = 256;
/// Steps that one command may ask for.
const STEP_LIMIT: u32 = 10_000;

/// What the page asks of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Stop after the step that is being computed.
    Pause,
    /// Go on.
    Resume,
    /// Do some steps and pause again.
    Step {
        /// Number of steps.
        count: u32,
    },
    /// Pull a body by a spring, until `Release`; a new pull takes the place of the one before.
    Pull {
        /// Item of the group of bodies.
        item: u32,
        /// Where the spring holds it, in its own frame [m].
        point: [f64; 3],
        /// Where the other end of the spring is, in the world [m].
        target: [f64; 3],
    },
    /// Let go of what is pulled.
    Release,
    /// Set a named input.
    Input {
        /// Name of the input.
        name: String,
        /// Value, within the range of the input.
        value: f64,
    },
}

/// A number that the page may set, by a slider and by keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Unique name.
    pub name: String,
    /// Value now.
    pub value: f64,
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Keys that lower and raise it, named as browsers name them (`ArrowLeft`); empty for none.
    pub keys: Vec<String>,
}

/// Why a command was not taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandRefusal {
    /// The run has no such input.
    #[error("there is no input '{name}' (there are: {})", present.join(", "))]
    UnknownInput {
        /// The name.
        name: String,
        /// The names there are.
        present: Vec<String>,
    },
    /// A number is outside what is allowed.
    #[error("{what} is {found}, {expected} is expected")]
    Number {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        found: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// The run does not take its commands.
    #[error("{QUEUE_LIMIT} commands wait already; the run does not take them")]
    Full,
}

/// What the page shows of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panel {
    pub paused: bool,
    pub inputs: Vec<Input>,
}

/// The desk between server and run: the server lays commands on it, the run takes them between steps and says what
/// can be steered. Clones share one desk; nothing here waits for the other side, except [`Control::wait`].
#[derive(Clone, Debug, Default)]
pub struct Control {
    desk: Arc<Desk>,
}

#[derive(Debug, Default)]
struct Desk {
    queue: Mutex<VecDeque<Command>>,
    laid: Condvar,
    panel: watch::Sender<Panel>,
}

impl Control {
    /// A desk without inputs, for a run that is not paused.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lays down a command, if it makes sense. A waiting value of the same input, and a waiting pull, are replaced.
    pub fn send(&self, command: Command) -> Result<(), CommandRefusal> {
        let command = self.checked(command)?;
        let mut queue = self.queue();
        let room = queue.len() < QUEUE_LIMIT;
        let waiting = match &command {
            Command::Input { name, .. } => queue
                .iter_mut()
                .find(|other| matches!(other, Command::Input { name: known, .. } if known == name)),
            Command::Pull { .. } | Command::Release => queue
                .iter_mut()
                .rfind(|other| matches!(other, Command::Pull { .. } | Command::Release))
                .filter(|other| std::mem::discriminant(*other) == std::mem::discriminant(&command)),
            _ => None,
        };
        match waiting {
            Some(waiting) => *waiting = command,
            // Letting go must never be lost, or the body stays on its spring; it waits at most once a pull.
            None if room || command == Command::Release => queue.push_back(command),
            None => return Err(CommandRefusal::Full),
        }
        self.desk.laid.notify_all();
        Ok(())
    }

    fn checked(&self, command: Command) -> Result<Command, CommandRefusal> {
        let finite = |what, values: &[f64]| match values.iter().find(|value| !value.is_finite()) {
            Some(found) => Err(CommandRefusal::Number { what, found: *found, expected: "a finite number" }),
            None => Ok(()),
        };
        match command {
            Command::Step { count } if !(1..=STEP_LIMIT).contains(&count) => Err(CommandRefusal::Number {
                what: "number of steps",
                found: f64::from(count),
                expected: "1 to 10000",
            }),
            Command::Pull { point, target, .. } => {
                finite("point", &point)?;
                finite("target", &target)?;
                Ok(command)
            }
            Command::Input { name, value } => {
                finite("value of the input", &[value])?;
                let panel = self.desk.panel.borrow();
                let Some(input) = panel.inputs.iter().find(|input| input.name == name) else {
                    let present = panel.inputs.iter().map(|input| input.name.clone()).collect();
                    return Err(CommandRefusal::UnknownInput { name, present });
                };
                Ok(Command::Input { name, value: value.min(input.max).max(input.min) })
            }
            other => Ok(other),
        }
    }

    /// The command that waits longest, taken from the desk.
    pub fn take(&self) -> Option<Command> {
        self.queue().pop_front()
    }

    /// As [`take`](Self::take), but waits for a command up to some time; for a run that is paused.
    pub fn wait(&self, longest: Duration) -> Option<Command> {
        let start = Instant::now();
        let mut queue = self.queue();
        loop {
            if let Some(command) = queue.pop_front() {
                return Some(command);
            }
            let left = longest.saturating_sub(start.elapsed());
            if left.is_zero() {
                return None;
            }
            let woken = self.desk.laid.wait_timeout(queue, left);
            queue = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells the page whether the run is paused.
    pub fn show_paused(&self, paused: bool) {
        self.desk.panel.send_if_modified(|panel| std::mem::replace(&mut panel.paused, paused) != paused);
    }

    /// Tells the page what can be set. Pages that are open rebuild their sliders only where names, ranges or keys
    /// change, so that a slider in use is left alone; others start with these values.
    pub fn show_inputs(&self, inputs: Vec<Input>) {
        self.desk.panel.send_modify(|panel| panel.inputs = inputs);
    }

    pub(crate) fn panel(&self) -> watch::Receiver<Panel> {
        self.desk.panel.subscribe()
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Command>> {
        self.desk.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pull(x: f64) -> Command {
        Command::Pull { item: 3, point: [0.0; 3], target: [x, 0.0, 0.0] }
    }

    fn steering(value: f64) -> Command {
        Command::Input { name: "steering".to_owned(), value }
    }

    fn desk() -> Control {
        let control = Control::new();
        let input = Input { name: "steering".to_owned(), value: 0.0, min: -1.0, max: 1.0, keys: Vec::new() };
        control.show_inputs(vec![input]);
        control
    }

    #[test]
    fn newer_values_replace_waiting_ones_and_order_stays() {
        let control = desk();
        let sent =
            [pull(1.0), steering(0.1), pull(2.0), Command::Release, pull(3.0), steering(5.0), pull(4.0)];
        for command in sent {
            control.send(command).unwrap();
        }
        let taken: Vec<Command> = std::iter::from_fn(|| control.take()).collect();
        assert_eq!(taken, [pull(2.0), steering(1.0), Command::Release, pull(4.0)]);
    }

    #[test]
    fn nonsense_and_floods_are_refused() {
        let control = desk();
        let unknown = Command::Input { name: "horn".to_owned(), value: 1.0 };
        assert!(matches!(control.send(unknown), Err(CommandRefusal::UnknownInput { .. })));
        assert!(matches!(control.send(pull(f64::NAN)), Err(CommandRefusal::Number { .. })));
        assert!(control.send(Command::Step { count: 0 }).is_err());
        for _ in 0..QUEUE_LIMIT {
            control.send(Command::Pause).unwrap();
        }
        assert_eq!(control.send(Command::Pause), Err(CommandRefusal::Full));
        assert_eq!(control.send(Command::Release), Ok(()));
    }

    #[test]
    fn a_paused_run_is_woken() {
        let control = desk();
        let run = std::thread::spawn({
            let control = control.clone();
            move || control.wait(Duration::from_secs(60))
        });
        control.send(Command::Resume).unwrap();
        assert_eq!(run.join().unwrap(), Some(Command::Resume));
        assert_eq!(control.wait(Duration::from_millis(1)), None);
    }
}
