//! Inputs set from outside, bodies pulled by a spring, runs that are paused and stepped.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use huygens::run::{RunOptions, Steering, SteeringCommand, run_scene};
use huygens::{InputState, LoadOptions, World, WorldError, load_scene};
use tempfile::TempDir;

/// A block in free space, pushed along x by ten times the input `push`.
const BLOCK: &str = r#"
settings = { gravity = [0, 0, 0], dt = 1e-2, until = 0.5 }
bodies = [{ name = "block", mass = 2.0, shape = { type = "box", size = [0.4, 0.2, 0.2] } }]
signals = [
  { name = "push", type = "input", lower = -1, upper = 2, keys = ["ArrowLeft", "ArrowRight"] },
  { name = "force", type = "gain", input = "push", gain = 10 },
]
forces = [{ name = "thrust", type = "load", body = "block", force = [{ signal = "force" }, 0, 0] }]
"#;

fn file(text: &str) -> (TempDir, std::path::PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn world(text: &str) -> World {
    let (_folder, path) = file(text);
    World::from_scene(&load_scene(&path, &LoadOptions::default()).unwrap().scene).unwrap()
}

#[test]
fn an_input_moves_what_follows_it_and_is_part_of_the_state() {
    let mut world = world(BLOCK);
    world.run(0.1).unwrap();
    let block = world.body("block").unwrap();
    assert_eq!(world.body_velocity(block).unwrap()[0], 0.0);
    world.set_input("push", 1.5).unwrap();
    let saved = world.save().unwrap();
    world.run(1.1).unwrap();
    // a = 15 N / 2 kg for one second.
    assert!((world.body_velocity(block).unwrap()[0] - 7.5).abs() < 1e-9);
    let end = world.state_hash();
    let find = |name: &str| saved.iter().find(|(n, _)| *n == name).map(|(_, bytes)| bytes.as_slice());
    world.restore_chunks(find).unwrap();
    assert_eq!(world.inputs().unwrap()[0].value, 1.5);
    world.run(1.1).unwrap();
    assert_eq!(world.state_hash(), end);

    let Err(WorldError::Unknown { suggestion, .. }) = world.set_input("pusch", 0.0) else { panic!() };
    assert_eq!(suggestion.as_deref(), Some("push"));
    for wrong in [2.5, f64::NAN] {
        assert!(matches!(world.set_input("push", wrong), Err(WorldError::Value { .. })), "{wrong}");
    }
    let wrong = BLOCK.replace("upper = 2", "upper = 2, value = 3");
    let (_folder, path) = file(&wrong);
    let scene = load_scene(&path, &LoadOptions::default()).unwrap().scene;
    let message =
        World::from_scene(&scene).and_then(|mut w| w.initialize().map(|_| ())).unwrap_err().to_string();
    assert!(message.contains("value") && message.contains("between lower and upper"), "{message}");
}

#[test]
fn a_pulled_body_comes_to_where_it_is_pulled() {
    let mut world = world(BLOCK);
    let block = world.body("block").unwrap();
    let (point, target) = ([0.2, 0.1, 0.0], [0.5, -0.3, 0.4]);
    for _ in 0..600 {
        world.pull(block, point, target, 1e-2).unwrap();
        world.advance(1e-2).unwrap();
    }
    let (p, q) = (world.body_position(block).unwrap(), world.body_rotation(block).unwrap());
    let turn = glam::DQuat::from_xyzw(q[1], q[2], q[3], q[0]);
    let held = glam::DVec3::from_array(p) + turn * glam::DVec3::from_array(point);
    assert!(held.distance(glam::DVec3::from_array(target)) < 1e-3, "{held}");
}

/// Commands of a script, each after some looks.
#[derive(Debug)]
struct Script {
    commands: Mutex<VecDeque<(u32, SteeringCommand)>>,
    shown: Mutex<Vec<bool>>,
    inputs: Mutex<Vec<InputState>>,
    stop: Arc<AtomicBool>,
}

impl Steering for Script {
    fn next(&self, _: Duration) -> Option<SteeringCommand> {
        let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        match commands.front_mut() {
            Some((0, _)) => commands.pop_front().map(|(_, command)| command),
            Some((looks, _)) => {
                *looks -= 1;
                None
            }
            None => {
                self.stop.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    fn show_paused(&self, paused: bool) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).push(paused);
    }

    fn show_inputs(&self, inputs: &[InputState]) {
        *self.inputs.lock().unwrap_or_else(PoisonError::into_inner) = inputs.to_vec();
    }
}

#[test]
fn a_run_pauses_steps_and_takes_inputs() {
    let (folder, path) = file(&BLOCK.replace("until = 0.5", "until = 1e6").replace("dt = 1e-2", "dt = 1e-4"));
    let scene = load_scene(&path, &LoadOptions::default()).unwrap();
    let mut options = RunOptions::new(folder.path().join("out"));
    let push = SteeringCommand::Input { name: "push".into(), value: 2.0 };
    let wrong = SteeringCommand::Input { name: "nothing".into(), value: 2.0 };
    // Seven steps come before the pause; while it lasts, looks are no steps.
    let commands = [
        (0, SteeringCommand::Pause),
        (3, push),
        (0, wrong),
        (0, SteeringCommand::Step(7)),
        (20, SteeringCommand::Pause),
    ];
    let script = Arc::new(Script {
        commands: Mutex::new(commands.into()),
        shown: Mutex::default(),
        inputs: Mutex::default(),
        stop: options.stop.clone(),
    });
    options.steering = Some(script.clone());
    let report = run_scene(&scene, &options, &mut |_| {}).unwrap();
    assert_eq!(report.manifest.steps, 7);
    assert_eq!(script.inputs.lock().unwrap()[0].value, 2.0);
    assert_eq!(*script.shown.lock().unwrap(), [false, true, true, true, true, true]);
}
