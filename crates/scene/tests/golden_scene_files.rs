//! Wrong scene files end in a message that names file, line, column and object, and says what helps.

use std::fs;

use huygens_scene::{
    Format, LoadOptions, MAX_BYTES, SceneError, load_scene, load_scene_text, spec_from_json,
};
use huygens_spec::BodySpec;

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

/// What loading says to a scene.
fn outcome(text: &str) -> Result<(), SceneError> {
    load_scene_text("scene.toml", text, Format::Toml, &LoadOptions::default()).map(drop)
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
fn keys_and_types() {
    check("mass = 2.0", "mas = 2.0", 12, Some("body 'rod'"), &["`mas` is not known", "did you mean 'mass'?"]);
    check("mass = 2.0", "mass = \"2\"", 12, Some("body 'rod'"), &["a number is expected", "\"2\""]);
    check("[1, 0, 0]", "[1, 0]", 11, Some("body 'rod'"), &["a list of 3", "2 values"]);
    check("[1, 0, 0]", "[1, 0, 0, 0]", 11, Some("body 'rod'"), &["a list of 3", "4 values"]);
    check("[1, 0, 0]", "[1, true, 0]", 11, Some("body 'rod'"), &["a number is expected, not true"]);
    check("\"revolute\"", "\"revolut\"", 17, Some("joint 'pin'"), &["did you mean 'revolute'?"]);
    check(
        "type = \"revolute\"",
        "",
        15,
        Some("joint 'pin'"),
        &["a joint needs `type`, one of `fixed`, `revolute`"],
    );
    check("length = 1.0", "lenght = 1.0", 13, Some("body 'rod'"), &["did you mean 'length'?"]);
    check("\"rod\", length", "\"rood\", length", 13, Some("body 'rod'"), &["did you mean 'rod'?"]);
    check("[[joints]]", "[[joint]]", 15, None, &["did you mean 'joints'?"]);
    check(
        "dt = 1e-3",
        "dt = 1e-3\nintegrator = { type = \"hht\", alfa = 0 }",
        3,
        Some("settings"),
        &["alfa"],
    );
    check("name = \"rod\"", "name = \"rod", 10, None, &["string"]);
}

#[test]
fn expressions() {
    check("mass = 2.0", "mass = \"=2*m\"", 12, Some("body 'rod'"), &["there is no parameter 'm'"]);
    check("mass = 2.0", "mass = \"=2*(1\"", 12, Some("body 'rod'"), &["')' is missing"]);
    let cycle = format!("parameters.a = \"=b\"\nparameters.b = \"=a\"\n{SOUND}");
    check_text(&cycle, 1, None, &["depends on itself"]);
    let options = LoadOptions { parameters: [("lenght".to_owned(), 1.0)].into(), ..LoadOptions::default() };
    let text = format!("parameters.length = 1\n{SOUND}");
    let error = load_scene_text("scene.toml", &text, Format::Toml, &options).unwrap_err();
    assert!(error.to_string().contains("no parameter 'lenght'"), "{error}");
    assert_eq!(error.suggestion.as_deref(), Some("length"));
}

#[test]
fn json_has_the_same_messages() {
    let text = "{\n  \"bodies\": [\n    { \"name\": \"a\",\n      \"mas\": 1 }\n  ]\n}";
    let error = load_scene_text("s.json", text, Format::Json, &LoadOptions::default()).unwrap_err();
    assert_eq!((error.line, error.column), (Some(4), Some(7)), "{error}");
    assert_eq!(error.object.as_deref(), Some("body 'a'"));
    assert_eq!(error.suggestion.as_deref(), Some("mass"));
    let error =
        load_scene_text("s.json", "{\"settings\": {\"dt\": 1e999}}", Format::Json, &LoadOptions::default());
    assert!(error.unwrap_err().to_string().contains("finite"));
}

#[test]
fn nesting_is_bounded_and_fast() {
    let options = LoadOptions::default();
    let brackets = "[".repeat(20 << 20);
    let dots = format!("a{} = 1", ".a".repeat(1 << 20));
    let header = format!("[a{}]", ".a".repeat(1 << 20));
    for text in [format!("x = {brackets}"), dots, header, format!("x = {}", "{a=".repeat(1 << 20))] {
        let error = load_scene_text("deep.toml", &text, Format::Toml, &options).unwrap_err();
        assert!(error.to_string().contains("nested deeper than 64"), "{error}");
        assert_eq!(error.line, Some(1));
    }
    let error = load_scene_text("deep.json", &brackets, Format::Json, &options).unwrap_err();
    assert!(error.to_string().contains("nested deeper than 64"), "{error}");
}

#[test]
fn a_file_beyond_the_size_limit_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.toml");
    // Sparse: the file has a length but no content on the disk.
    fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
    let error = load_scene(&path, &LoadOptions::default()).unwrap_err();
    assert!(error.to_string().contains(&MAX_BYTES.to_string()), "{error}");
    let error = load_scene(folder.path().join("missing.toml"), &LoadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("missing.toml: the file cannot be read"), "{error}");
    fs::write(&path, b"name = \"\xff\"").unwrap();
    assert!(load_scene(&path, &LoadOptions::default()).unwrap_err().to_string().contains("UTF-8"));
}

#[test]
fn includes_stay_in_their_folder() {
    let outside = tempfile::tempdir().unwrap();
    let inside = outside.path().join("scenes");
    fs::create_dir(&inside).unwrap();
    fs::write(outside.path().join("secret.toml"), SOUND).unwrap();
    fs::write(inside.join("part.toml"), SOUND).unwrap();
    let load = |file: &str, options: &LoadOptions| {
        fs::write(inside.join("main.toml"), format!("\n[[include]]\nfile = \"{file}\"\n")).unwrap();
        load_scene(inside.join("main.toml"), options)
    };
    let none = LoadOptions::default();
    assert_eq!(load("part.toml", &none).unwrap().scene.bodies.len(), 2);
    let absolute = outside.path().join("secret.toml").display().to_string();
    let refused = |file: &str| {
        let error = load(file, &none).unwrap_err();
        assert!(error.to_string().contains("outside the scene's folder"), "{error}");
        assert_eq!(error.line, Some(3), "{error}");
        assert!(error.object.as_deref().unwrap().starts_with("include '"));
    };
    refused("../secret.toml");
    refused("../scenes/../secret.toml");
    refused(&absolute);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path().join("secret.toml"), inside.join("link.toml")).unwrap();
        refused("link.toml");
    }
    let root = LoadOptions { asset_root: Some(outside.path().into()), ..LoadOptions::default() };
    assert_eq!(load("secret.toml", &root).unwrap().scene.bodies.len(), 2);
    let cycle = load("main.toml", &none).unwrap_err();
    assert!(cycle.to_string().contains("includes itself"), "{cycle}");
    let missing = load("no.toml", &none).unwrap_err();
    assert!(missing.to_string().contains("there is no file 'no.toml'"), "{missing}");
}

#[test]
fn specifications_read_from_json_values() {
    let value =
        serde_json::json!({ "name": "b", "mass": 2, "inertia": { "xx": 1, "yy": 1, "zz": 1, "xy": 0.1 } });
    let body: BodySpec = spec_from_json(&value).unwrap();
    assert_eq!((body.mass, body.inertia.unwrap().0.col(0).y), (Some(2.0), 0.1));
    let error = spec_from_json::<BodySpec>(&serde_json::json!({ "mas": 2 })).unwrap_err();
    assert_eq!(error.suggestion.as_deref(), Some("mass"));
}

#[test]
fn the_schema_describes_every_section() {
    let schema = huygens_spec::scene_schema();
    for section in huygens_spec::Section::LISTS {
        let property = &schema["properties"][section.key()];
        assert!(property["description"].as_str().is_some_and(|d| !d.is_empty()), "{}", section.key());
    }
    assert!(
        schema["$defs"]["BodySpec"]["properties"]["mass"]["description"].as_str().unwrap().contains("[kg]")
    );
    // A number may also be an expression.
    assert_eq!(
        schema["$defs"]["ShaftSpec"]["properties"]["inertia"]["type"],
        serde_json::json!(["number", "string"])
    );
}

#[test]
fn the_order_of_keys_does_not_count_in_the_hash() {
    let hash = |text: &str| {
        load_scene_text("scene.json", text, Format::Json, &LoadOptions::default()).unwrap().hash()
    };
    let one = r#"{ "settings": { "dt": 0.01, "until": 1 }, "view": { "camera": { "azimuth_deg": 30, "elevation_deg": 10 } } }"#;
    let two = r#"{ "view": { "camera": { "elevation_deg": 10, "azimuth_deg": 30 } }, "settings": { "until": 1, "dt": 0.01 } }"#;
    assert_eq!(hash(one), hash(two));
    assert_ne!(hash(one), hash(&two.replace("10", "11")));
}
