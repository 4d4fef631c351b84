//! One loop moves every world: the same bits whoever travels along, and calls in a fixed order.

use std::ops::ControlFlow;

use huygens::prelude::*;
use huygens::run::{Companion, RunOptions, run_scene, travel};
use huygens::scene::{Format, load_scene_text};

const SCENE: &str = r#"
    [settings]
    dt = 2e-3
    until = 0.1
    output = { every = 0.01 }

    [[bodies]]
    name = "bob"
    position = [1, 0, 0]
    mass = 1.0
    inertia = [0.1, 0.1, 0.1]

    [[joints]]
    name = "pivot"
    type = "revolute"
    a = "ground"
    b = "bob"
    axis = [0, -1, 0]

    [[probes]]
    of = "pivot"
    quantity = "angle"
"#;

fn scene() -> LoadedScene {
    load_scene_text("scene.toml", SCENE, Format::Toml, &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Notes every call, and stops before a step of its choice.
#[derive(Default)]
struct Diary {
    calls: Vec<(&'static str, u64)>,
    stop_before: Option<u64>,
}

impl Companion for Diary {
    type Stop = u64;
    type Error = WorldError;

    fn before_step(&mut self, world: &mut World, _h: f64) -> Result<ControlFlow<u64>, WorldError> {
        self.calls.push(("before", world.step_count()));
        match self.stop_before == Some(world.step_count()) {
            true => Ok(ControlFlow::Break(world.step_count())),
            false => Ok(ControlFlow::Continue(())),
        }
    }

    fn observe(&mut self, world: &mut World, before: f64) -> Result<(), WorldError> {
        self.calls.push((if before.is_finite() { "observe" } else { "start" }, world.step_count()));
        Ok(())
    }

    fn after_step(&mut self, world: &mut World, before: f64) -> Result<ControlFlow<u64>, WorldError> {
        assert!(before < world.time());
        self.calls.push(("after", world.step_count()));
        Ok(ControlFlow::Continue(()))
    }
}

#[test]
fn every_way_to_run_a_scene_ends_in_the_same_bits() {
    let mut plain = scene().world().unwrap();
    plain.run(0.1).unwrap();
    let mut parts = scene().world().unwrap();
    let mut diary = Diary { stop_before: Some(17), ..Diary::default() };
    assert_eq!(travel(&mut parts, 0.1, &mut diary).unwrap(), ControlFlow::Break(17));
    assert_eq!(parts.step_count(), 17);
    assert_eq!(travel(&mut parts, 0.1, &mut Diary::default()).unwrap(), ControlFlow::Continue(()));
    assert_eq!(parts.state_hash(), plain.state_hash());
    let folder = tempfile::tempdir().unwrap();
    let report = run_scene(&scene(), &RunOptions::new(folder.path().join("run")), &mut |_| {}).unwrap();
    assert_eq!(report.manifest.state_hash, plain.state_hash());
    assert_eq!(report.manifest.steps, plain.step_count());
}

#[test]
fn each_step_is_steered_taken_observed_and_followed_up() {
    let mut world = scene().world().unwrap();
    let mut diary = Diary::default();
    assert!(travel(&mut world, 0.005, &mut diary).unwrap().is_continue());
    let step = |k| [("before", k), ("observe", k + 1), ("after", k + 1)];
    let expected: Vec<_> = std::iter::once(("start", 0)).chain((0..3).flat_map(step)).collect();
    assert_eq!(diary.calls, expected);
    // The third step was cut to end there.
    assert!((world.time() - 0.005).abs() < 1e-15);
    let error = travel(&mut world, f64::INFINITY, &mut diary).unwrap_err();
    assert!(error.to_string().contains("a finite time"), "{error}");
}
