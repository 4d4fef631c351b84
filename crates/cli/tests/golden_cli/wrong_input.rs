//! Wrong input ends in a message with file and object, exit code 2 or 3, and never in a panic.

use crate::common::{Desk, PENDULUM};

/// The pendulum with one piece of text replaced.
fn broken(from: &str, to: &str) -> String {
    assert!(PENDULUM.contains(from), "'{from}' is not in the scene");
    PENDULUM.replacen(from, to, 1)
}

fn refused(scene: &str, words: &[&str]) {
    let desk = Desk::with(scene);
    for command in [&["validate", "scene.toml"][..], &["run", "scene.toml", "--out", "out"]] {
        desk.run(command).expect(2).says(words);
    }
    assert!(!desk.path("out/manifest.json").exists(), "a refused scene leaves no manifest");
}

#[test]
fn wrong_keys_and_types_name_file_and_line() {
    refused(&broken("mass = 2.0", "mas = 2.0"), &["scene.toml:9", "mas", "mass"]);
    refused(&broken("mass = 2.0", "mass = \"heavy\""), &["scene.toml:9", "heavy"]);
    refused(&broken("type = \"revolute\"", "type = \"revolut\""), &["scene.toml:14", "revolute"]);
    refused("[settings\n", &["scene.toml:1"]);
}

#[test]
fn wrong_objects_name_the_object() {
    refused(&broken("b = \"rod\"", "b = \"rodd\""), &["scene.toml", "hinge", "rodd", "rod"]);
    refused(&broken("a = \"ground\"", "a = \"rod\""), &["scene.toml", "hinge"]);
    let twice = format!("{PENDULUM}\n[[bodies]]\nname = \"rod\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n");
    refused(&twice, &["scene.toml", "rod", "unique"]);
}

#[test]
fn wrong_numbers_name_the_object() {
    refused(&broken("mass = 2.0", "mass = 0.0"), &["scene.toml", "rod", "mass"]);
    refused(&broken("mass = 2.0", "mass = -1.0"), &["scene.toml", "rod", "mass"]);
    refused(&broken("mass = 2.0", "mass = nan"), &["scene.toml", "rod"]);
    let thin = "mass = 2.0\ninertia = [1.0, 1.0, 3.0]";
    refused(&broken("mass = 2.0", thin), &["scene.toml", "rod", "triangle inequality"]);
    refused(
        &broken("mass = 2.0", "mass = 2.0\ninertia = [1.0, -1.0, 1.0]"),
        &["scene.toml", "rod", "positive"],
    );
    refused(&broken("axis = [0.0, 1.0, 0.0]", "axis = [0.0, 2.0, 0.0]"), &["scene.toml", "hinge", "unit"]);
    refused(&broken("dt = 1e-3", "dt = 0.0"), &["scene.toml", "dt"]);
    refused(&broken("dt = 1e-3", "dt = -1e-3"), &["scene.toml", "dt"]);
}

#[test]
fn a_start_that_cannot_be_assembled_names_the_joints() {
    let far = "\n[[joints]]\nname = \"tie\"\ntype = \"distance\"\na = \"ground\"\nb = \"rod\"\nlength = 0.1\n\
               frame_a = { position = [9.0, 0.0, 0.0] }\nframe_b = { position = [0.5, 0.0, 0.0] }\n";
    refused(&format!("{PENDULUM}{far}"), &["scene.toml", "tie", "cannot be assembled"]);
}

#[test]
fn a_static_problem_with_a_free_motion_is_refused() {
    let scene = broken("until = 1.0", "until = 1.0\nanalysis = \"statics\"\ngravity = [0.0, 0.0, 0.0]");
    let desk = Desk::with(&scene);
    desk.run(&["run", "scene.toml", "--out", "out"]).expect(2).says(&["scene.toml", "singular", "rod"]);
}

#[test]
fn files_outside_the_folder_of_the_scene_are_refused() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("inner")).unwrap();
    desk.write("part.toml", PENDULUM);
    desk.write("inner/scene.toml", "[[include]]\nfile = \"../part.toml\"\n");
    desk.run(&["validate", "inner/scene.toml"]).expect(2).says(&["scene.toml", "part.toml"]);
    desk.run(&["validate", "inner/scene.toml", "--asset-root", "."]).expect(0);
}

#[test]
fn deep_and_large_files_are_refused() {
    refused(&format!("x = {}", "[".repeat(200_000)), &["scene.toml"]);
    let desk = Desk::new();
    desk.write("scene.json", &"[".repeat(1_000_000));
    desk.run(&["validate", "scene.json"]).expect(2).says(&["scene.json"]);
    desk.run(&["run", "nowhere.toml"]).expect(2).says(&["nowhere.toml"]);
}

#[test]
fn wrong_options_are_refused() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--dt", "0"]).expect(2).says(&["--dt"]);
    desk.run(&["run", "scene.toml", "--until", "nan"]).expect(2).says(&["--until"]);
    desk.run(&["run", "scene.toml", "--resume", "--out", "none"]).expect(2).says(&["none", "manifest"]);
    desk.run(&["run", "scene.toml", "--set", "mass"]).expect(2).says(&["NAME=VALUE"]);
    desk.run(&["bench", "no_such_case"]).expect(2).says(&["no_such_case", "pendulum_chain"]);
    desk.run(&["bench", "four_bar", "--variant", "hit"]).expect(2).says(&["four_bar", "hit", "no variants"]);
    desk.run(&["bench", "dem_settle", "--size", "3", "--data", "none"]).expect(2).says(&[
        "none",
        "dem_settled_3.csv",
        "radius",
    ]);
}

#[test]
fn errors_are_json_on_request() {
    let desk = Desk::with(&broken("mass = 2.0", "mas = 2.0"));
    let done = desk.run(&["run", "scene.toml", "--json"]).expect(2);
    let error: serde_json::Value = serde_json::from_str(done.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((error["event"].as_str(), error["line"].as_u64()), (Some("error"), Some(9)));
}
