//! Scenes that cannot be built end in a message that names file, line, column and object, and says what helps.

use std::fs;
use std::path::Path;

use huygens::scene::{Format, load_scene_text};
use huygens::{LoadOptions, SceneError, SceneWorld, load_scene};

const SOUND: &str = r#"[settings]
dt = 1e-3

[[bodies]]
name = "crank"
mass = 1.0
inertia = [0.1, 0.1, 0.1]

[[bodies]]
name = "rod"
position = [1, 0, 0]
mass = 2.0
shape = { type = "rod", length = 1.0 }

[[joints]]
name = "pin"
type = "revolute"
a = "crank"
b = "rod"
position = [0.5, 0, 0]
axis = [0, 0, 1]
"#;

/// What loading, building and assembling says to a scene.
fn outcome(text: &str) -> Result<(), SceneError> {
    let loaded = load_scene_text("scene.toml", text, Format::Toml, &LoadOptions::default())?;
    let mut world = loaded.world()?;
    world.initialize().map(|_| ()).map_err(|e| loaded.explain(e))
}

/// Replaces `from` by `to` in the sound scene and checks the message.
fn check(from: &str, to: &str, line: usize, object: Option<&str>, words: &[&str]) {
    assert!(SOUND.contains(from), "{from}");
    check_text(&SOUND.replacen(from, to, 1), line, object, words);
}

fn check_text(text: &str, line: usize, object: Option<&str>, words: &[&str]) {
    let error = outcome(text).expect_err(text);
    let message = error.to_string();
    assert_eq!(error.line, Some(line), "{message}");
    assert_eq!(error.object.as_deref(), object, "{message}");
    assert!(message.starts_with(&format!("scene.toml:{line}:")), "{message}");
    assert!(error.is_input(), "{message}");
    for word in words {
        assert!(message.contains(word), "'{word}' is missing in: {message}");
    }
}

#[test]
fn the_sound_scene_is_accepted() {
    outcome(SOUND).unwrap();
}

#[test]
fn bodies() {
    check("mass = 1.0", "mass = 0", 6, Some("body 'crank'"), &["mass = 0", "positive"]);
    check("mass = 1.0", "mass = -3", 6, Some("body 'crank'"), &["mass = -3", "positive"]);
    check("mass = 1.0", "mass = nan", 6, Some("body 'crank'"), &["NaN", "finite"]);
    check("[1, 0, 0]", "[1, inf, 0]", 11, Some("body 'rod'"), &["inf", "finite"]);
    check("[0.1, 0.1, 0.1]", "[0.1, 0.1, 0.3]", 7, Some("body 'crank'"), &["triangle inequality"]);
    check("[0.1, 0.1, 0.1]", "[0.1, 0.1, -0.1]", 7, Some("body 'crank'"), &["positive"]);
    check("[0.1, 0.1, 0.1]", "[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]", 7, Some("body 'crank'"), &["symmetric"]);
    check("inertia = [0.1, 0.1, 0.1]", "", 4, Some("body 'crank'"), &["needs an inertia", "shape"]);
    check("mass = 1.0", "density = 1.0", 6, Some("body 'crank'"), &["a density needs a shape"]);
    check("length = 1.0", "length = -1.0", 13, Some("body 'rod'"), &["length", "positive"]);
    check("name = \"rod\"", "name = \"crank\"", 10, Some("body 'crank'"), &["already used by a body"]);
    check("name = \"rod\"", "name = \"ground\"", 10, Some("body 'ground'"), &["reserved"]);
    check(
        "mass = 1.0",
        "mass = 1.0\nrotation = [1, 1, 0, 0]",
        7,
        Some("body 'crank'"),
        &["quaternion", "1.414214"],
    );
}

#[test]
fn joints() {
    check("b = \"rod\"", "b = \"rood\"", 19, Some("joint 'pin'"), &["body 'rood'", "did you mean 'rod'?"]);
    check("b = \"rod\"", "b = \"rod/end\"", 19, Some("joint 'pin'"), &["has no marker 'end'"]);
    check("b = \"rod\"", "b = \"crank\"", 19, Some("joint 'pin'"), &["with itself"]);
    check(
        "axis = [0, 0, 1]",
        "axis = [0, 0, 2]",
        21,
        Some("joint 'pin'"),
        &["length 2", "[0.000000, 0.000000, 1.000000]"],
    );
    check("axis = [0, 0, 1]", "axis = [0, 0, 0]", 21, Some("joint 'pin'"), &["no direction"]);
    check(
        "axis = [0, 0, 1]",
        "axis = [0, 0, 1]\npitch = 1",
        22,
        Some("joint 'pin'"),
        &["revolute has no `pitch`"],
    );
    check("\"revolute\"", "\"screw\"", 15, Some("joint 'pin'"), &["screw needs `pitch`"]);
    check("name = \"pin\"", "name = \"rod\"", 16, Some("joint 'rod'"), &["already used by a body"]);
    let fixed = SOUND.replace("mass = 1.0", "kind = \"fixed\"").replace("mass = 2.0", "kind = \"fixed\"");
    check_text(&fixed, 15, Some("joint 'pin'"), &["neither of its bodies is dynamic"]);
    let limit = "axis = [0, 0, 1]\nlimits = [{ lower = 1, upper = 0 }]";
    check("axis = [0, 0, 1]", limit, 22, Some("joint 'pin'"), &["lower limit must be smaller"]);
}

#[test]
fn words_of_other_programs_suggest_ours() {
    let pin = Some("joint 'pin'");
    for (word, ours) in
        [("hinge", "revolute"), ("Slider", "prismatic"), ("ball", "spherical"), ("weld", "fixed")]
    {
        let suggestion = format!("did you mean '{ours}'?");
        check("\"revolute\"", &format!("\"{word}\""), 17, pin, &[&suggestion]);
    }
    let crank = Some("body 'crank'");
    check("mass = 1.0", "rho = 1.0", 6, crank, &["`rho`", "did you mean 'density'?"]);
    check("mass = 1.0", "mass = 1.0\nquaternion = [1, 0, 0, 0]", 7, crank, &["did you mean 'rotation'?"]);
    check("type = \"rod\"", "type = \"cuboid\"", 13, Some("body 'rod'"), &["did you mean 'box'?"]);
    let material = |key: &str| format!("{SOUND}[[materials]]\nname = \"steel\"\n{key} = 0.3\n");
    for (key, ours) in [("mu", "friction"), ("nu", "poisson"), ("E", "young")] {
        let suggestion = format!("did you mean '{ours}'?");
        check_text(&material(key), 24, Some("material 'steel'"), &[&suggestion]);
    }
}

#[test]
fn a_list_that_is_written_as_a_table_is_named() {
    let one = "[settings]\ndt = 1e-3\n\n[bodies]\nname = \"a\"\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\n";
    check_text(one, 4, None, &["`bodies` is a list", "[[bodies]]"]);
    for section in ["grains", "materials", "include"] {
        let text = format!("{SOUND}\n[{section}]\nname = \"x\"\n");
        check_text(&text, 23, None, &[&format!("`{section}` is a list"), &format!("[[{section}]]")]);
    }
    check_text("[[settings]]\ndt = 1e-3\n", 1, None, &["`settings` is one table", "[settings]"]);
    let error = load_scene_text(
        "scene.json",
        "{\"bodies\": {\"name\": \"a\"}}",
        Format::Json,
        &LoadOptions::default(),
    );
    let message = error.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("`bodies` is a list of objects: \"bodies\": [{ ... }]"), "{message}");
}

#[test]
fn settings() {
    check("dt = 1e-3", "dt = 0", 2, Some("settings"), &["dt = 0", "positive"]);
    check("dt = 1e-3", "dt = -1e-3", 2, Some("settings"), &["dt = -0.001", "positive"]);
    check("dt = 1e-3", "integrator = { type = \"hht\", alpha = 1 }", 2, None, &["alpha = 1", "-1/3 to 0"]);
    check(
        "dt = 1e-3",
        "integrator = { type = \"rk4\" }",
        2,
        None,
        &["rk4", "constraints", "generalized_alpha"],
    );
    check("dt = 1e-3", "version = 2", 2, Some("settings"), &["version"]);
}

#[test]
fn references_of_motors_signals_and_probes() {
    let with = |extra: &str| format!("{SOUND}{extra}");
    let motor = with("[[motors]]\nname = \"m\"\ntype = \"torque\"\njoint = \"pim\"\ndrive = 1\n");
    check_text(&motor, 25, Some("motor 'm'"), &["joint 'pim'", "did you mean 'pin'?"]);
    let motor = with("[[motors]]\nname = \"m\"\ntype = \"force\"\njoint = \"pin\"\ndrive = 1\n");
    check_text(&motor, 24, Some("motor 'm'"), &["is an angle"]);
    let motor =
        with("[[motors]]\nname = \"m\"\ntype = \"torque\"\njoint = \"pin\"\ndrive = { signal = \"u\" }\n");
    check_text(&motor, 26, Some("motor 'm'"), &["signal 'u'", "does not exist"]);
    let motor =
        with("[[motors]]\nname = \"m\"\ntype = \"torque\"\njoint = \"pin\"\ndrive = { type = \"sin\" }\n");
    check_text(&motor, 26, Some("motor 'm'"), &["`sin`", "`sine`"]);
    let signal = with("[[signals]]\nname = \"s\"\ntype = \"gain\"\ninput = \"x\"\ngain = 1\n");
    check_text(&signal, 25, Some("signal 's'"), &["'x'", "does not exist"]);
    let signal = with("[[signals]]\nname = \"s\"\ntype = \"gain\"\ninput = \"s\"\ngains = 1\n");
    check_text(&signal, 26, Some("signal 's'"), &["`gains`", "did you mean 'gain'?"]);
    let signal = with(
        "[[signals]]\nname = \"s\"\ntype = \"sensor\"\nsensor = { of = \"pin\", quantity = \"angel\" }\n",
    );
    check_text(&signal, 25, Some("signal 's'"), &["angel", "did you mean 'angle'?"]);
    let probe = with("[[probes]]\nof = \"crank\"\nquantity = \"positon\"\n");
    check_text(&probe, 24, Some("probe 'crank.positon'"), &["did you mean 'position'?"]);
    let probe = with("[[probes]]\nname = \"p\"\nof = \"crank\"\nquantity = \"position\"\nfile = \"../x\"\n");
    check_text(&probe, 26, Some("probe 'p'"), &["plain file name"]);
    let gear = with(
        "[[couplings]]\nname = \"g\"\ntype = \"gear\"\njoint_a = \"pin\"\njoint_b = \"pin\"\nratio = 0\n",
    );
    check_text(&gear, 27, Some("coupling 'g'"), &["ratio = 0", "positive"]);
}

#[test]
fn a_start_that_cannot_be_assembled_names_the_joint() {
    let text = SOUND.replace("a = \"crank\"", "a = \"ground\"").replace("b = \"rod\"", "b = \"crank\"")
        + "[[joints]]\nname = \"far\"\ntype = \"distance\"\na = \"ground\"\nb = \"crank\"\nlength = 9\n";
    check_text(&text, 15, None, &["cannot be assembled", "joint 'pin' misses by", "joint 'far' misses by"]);
    let loose = SOUND.replace("dt = 1e-3", "assemble = false").replace(
        "position = [0.5, 0, 0]",
        "frame_a = { position = [0.5, 0, 0] }\nframe_b = { position = [-0.4, 0, 0] }",
    );
    let loose = loose.replace("axis = [0, 0, 1]\n", "");
    check_text(&loose, 15, None, &["joint 'pin' misses by 1.000e-1"]);
}

#[test]
fn errors_inside_an_include_name_its_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("part.toml"), SOUND.replace("mass = 2.0", "mass = -2.0")).unwrap();
    fs::write(folder.path().join("main.toml"), "[[include]]\nfile = \"part.toml\"\nprefix = \"left.\"\n")
        .unwrap();
    let loaded = load_scene(folder.path().join("main.toml"), &LoadOptions::default()).unwrap();
    let error = loaded.world().map(|_| ()).unwrap_err();
    assert_eq!(error.file.file_name(), Some(Path::new("part.toml").as_os_str()));
    assert_eq!(error.line, Some(12), "{error}");
    assert_eq!(error.object.as_deref(), Some("body 'left.rod'"));
}
