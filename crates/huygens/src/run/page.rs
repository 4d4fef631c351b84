//! The page of the viewer at the helm of a run; with the feature `viewer`.

use std::time::Duration;

use huygens_viewer::{Command, Control, Input};

use super::{Steering, SteeringCommand};
use crate::world::InputState;

impl Steering for Control {
    fn next(&self, wait: Duration) -> Option<SteeringCommand> {
        Some(match self.wait(wait)? {
            Command::Pause => SteeringCommand::Pause,
            Command::Resume => SteeringCommand::Resume,
            Command::Step { count } => SteeringCommand::Step(count),
            Command::Pull { item, point, target } => {
                SteeringCommand::Pull { body: item as usize, point, target }
            }
            Command::Release => SteeringCommand::Release,
            Command::Input { name, value } => SteeringCommand::Input { name, value },
        })
    }

    fn show_paused(&self, paused: bool) {
        Control::show_paused(self, paused);
    }

    fn show_inputs(&self, inputs: &[InputState]) {
        let shown = |i: &InputState| Input {
            name: i.name.clone(),
            value: i.value,
            min: i.lower,
            max: i.upper,
            keys: i.keys.clone().map(|k| k.to_vec()).unwrap_or_default(),
        };
        Control::show_inputs(self, inputs.iter().map(shown).collect());
    }
}
