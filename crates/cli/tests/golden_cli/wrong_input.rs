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

/// What only shows when files, analyses or the first step begin.
#[test]
fn whatever_a_run_refuses_at_its_start_is_refused_by_the_check() {
    refused(&format!("{PENDULUM}name = \"a[b]\"\n"), &["a[b]", "brackets"]);
    let analysed = |name: &str| broken("until = 1.0", &format!("until = 1.0\nanalysis = \"{name}\""));
    begun_and_refused(&analysed("kinematics"), &["degrees of freedom are not driven"]);
    begun_and_refused(&analysed("buckling"), &[]);
    let water = "[[fluids]]\nname = \"water\"\nspacing = 0.05\nmax_speed = 1\n\
                 bounds = { low = [-1, -1, -1], high = [1, 1, 1] }\n\
                 fills = [{ region = { type = \"box\", low = [0, 0, 0], high = [0.2, 0.2, 0.2] } }]\n";
    for name in ["kinematics", "statics", "modes", "buckling"] {
        begun_and_refused(&format!("{}{water}", analysed(name)), &["analysis", "fluids"]);
    }
}

/// As [`refused`], where the analysis itself finds out.
fn begun_and_refused(scene: &str, words: &[&str]) {
    let desk = Desk::with(scene);
    desk.run(&["validate", "scene.toml"]).expect(2).says(words);
    desk.run(&["run", "scene.toml", "--out", "out"]).expect(2).says(words);
}

#[test]
fn the_check_tells_counts_and_a_rough_cost() {
    let done = Desk::with(PENDULUM).run(&["validate", "scene.toml"]).expect(0);
    for words in ["1 body, 1 joint, 1 degree of freedom", "1000 steps of 0.001 s", "on one thread", "MB"] {
        assert!(done.stdout.contains(words), "'{words}' is not in {}", done.stdout);
    }
    let desk = Desk::with(
        "[[grains]]\nname = \"g\"\n[[grains.fills]]\nregion = { type = \"box\", low = [0, 0, 0], high = [0.1, 0.1, 0.1] }\n\
         pattern = { type = \"cubic\", spacing = 0.05 }\nradius = 0.01\ndensity = 2500\n\
         [[structures]]\nname = \"s\"\nelement = \"tetrahedron\"\nmaterial = { young = 1e6, poisson = 0.3, density = 1000 }\n\
         generate = { type = \"block\", origin = [1, 0, 0], size = [1, 1, 1], cells = [1, 1, 1] }\n",
    );
    let done = desk.run(&["validate", "scene.toml", "--json"]).expect(0);
    let facts: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let counts = ["grains", "particles", "nodes", "steps"].map(|key| facts[key].as_f64().unwrap());
    assert_eq!(counts, [8.0, 0.0, 8.0, 1000.0]);
    assert!(
        facts["estimated_seconds"].as_f64().unwrap() > 0.0
            && facts["memory_bytes"].as_u64().unwrap() > 1 << 20
    );
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_no_files_of_a_scene() {
    let desk = Desk::new();
    let made = std::process::Command::new("mkfifo").arg(desk.path("pipe")).status().unwrap();
    assert!(made.success());
    let solid = |shape: &str| {
        format!("[[bodies]]\nname = \"m\"\nmass = 1\ninertia = [1, 1, 1]\nshapes = [{shape}]\n")
    };
    let grains =
        "[[grains]]\nname = \"g\"\n[[grains.particles]]\ndensity = 1\nradius = 0.1\nfile = \"pipe\"\n";
    let structure = "[[structures]]\nname = \"s\"\nelement = \"tetrahedron\"\nfile = \"pipe\"\n\
                     material = { young = 1e6, poisson = 0.3, density = 1000 }\n";
    for scene in [
        &solid("{ type = \"height_field\", size = [1, 1], file = \"pipe\" }"),
        &solid("{ type = \"mesh\", file = \"pipe\" }"),
        grains,
        structure,
        "[[include]]\nfile = \"pipe\"\n",
    ] {
        desk.write("scene.toml", scene);
        desk.run(&["validate", "scene.toml"]).expect(2).says(&["pipe"]);
        desk.run(&["run", "scene.toml", "--out", "out"]).expect(2).says(&["pipe"]);
    }
    for path in ["pipe", ".", "/dev/zero"] {
        desk.run(&["validate", path]).expect(2).says(&["not a file"]);
    }
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
