//! References between objects of a scene: a misspelled one is found at its line, with the name that was meant, and
//! names that objects get only when they are built are accepted.

use huygens_scene::{Format, LoadOptions, LoadedScene, SceneError, load_scene, load_scene_text};
use huygens_spec::WallType;

/// An object of every section that others refer to.
const SCENE: &str = r#"
[[materials]]
name = "steel"

[[bodies]]
name = "ball"
mass = 1
shapes = [{ type = "sphere", radius = 0.1, material = "steel" }]

[[bodies]]
density = 1000
shape = { type = "sphere", radius = 0.1 }

[[fills]]
name = "heap"
shape = { type = "sphere", radius = 0.1 }
density = 1000
count = [2, 1, 1]
position = [0, 0, 5]

[[structures]]
name = "line"
generate = { type = "beam", from = [0, 0, 9], to = [1, 0, 9], pieces = 2 }
section = { type = "circle", radius = 0.01 }
material = { young = 1e6, density = 1000 }
contact = { material = "steel" }

[[shafts]]
name = "axle"
inertia = 1

[[joints]]
name = "hinge"
type = "spherical"
a = "ground"
b = "ball"
position = [0, 0, 0]

[[joints]]
name = "slide"
type = "prismatic"
a = "ground"
b = "heap.2"
position = [0, 0, 5]

[[signals]]
name = "wave"
type = "function"
function = 1

[[motors]]
name = "drive"
type = "force"
joint = "slide"
drive = { signal = "wave" }

[[probes]]
of = "body2"
quantity = "position.z"
"#;

fn load(more: &str) -> Result<LoadedScene, SceneError> {
    let text = format!("{SCENE}{more}\n");
    load_scene_text("scene.toml", &text, Format::Toml, &LoadOptions::default())
}

#[test]
fn names_that_objects_get_when_they_are_built_are_accepted() {
    load("").unwrap();
    load("[[forces]]\ntype = \"rope\"\na = \"body2\"\nb = \"line/end\"\nlength = 20\nstiffness = 1").unwrap();
    load("[[contact_pairs]]\nmaterials = [\"default\", \"steel\"]\nfriction = 0.1").unwrap();
}

#[test]
fn misspelled_references_are_found_at_their_lines_with_what_was_meant() {
    let spring = |a: &str, b: &str| format!("[[forces]]\nname = \"s\"\ntype = \"spring\"\na = {a}\nb = {b}");
    let grains = |more: &str| format!("[[grains]]\nname = \"sand\"\n{more}\nparticles = []");
    let fluid = |more: &str| {
        let fill = "fills = [{ region = { type = \"sphere\", center = [0, 0, 0], radius = 1 } }]";
        format!("[[fluids]]\nname = \"sea\"\nspacing = 0.1\n{more}\n{fill}")
    };
    let wall = |more: &str| grains(&format!("walls = [{{ type = \"plane\", {more} }}]"));
    let signal = |more: &str| format!("[[signals]]\nname = \"z\"\n{more}");
    let probe = |more: &str| format!("[[probes]]\nname = \"p\"\n{more}");
    let gear = "[[couplings]]\nname = \"g\"\ntype = \"shaft_joint\"\nshaft = \"axel\"\njoint = \"slide\"";
    // The text, the line after the scene that is wrong, the object and the name that was meant.
    let cases = [
        (spring("\"bal\"", "\"ground\""), 4, "force 's'", "ball"),
        (spring("\"ground\"", "\"lin/end\""), 5, "force 's'", "line"),
        (gear.to_owned(), 4, "coupling 'g'", "axle"),
        (gear.replace("axel", "axle").replace("slide", "slid"), 5, "coupling 'g'", "slide"),
        (grains("material = \"stel\""), 3, "grains 'sand'", "steel"),
        (wall("material = \"stel\""), 3, "grains 'sand'", "steel"),
        (wall("body = \"bal\""), 3, "grains 'sand'", "ball"),
        (grains("walls = [{ type = \"structure\", structure = \"lime\" }]"), 3, "grains 'sand'", "line"),
        (fluid("bodies = [\"ball\", \"bal\"]"), 4, "fluid 'sea'", "ball"),
        (fluid("structures = [\"lin\"]"), 4, "fluid 'sea'", "line"),
        (fluid("walls = [{ type = \"sphere\", radius = 1, body = \"bal\" }]"), 4, "fluid 'sea'", "ball"),
        (
            "[[contact_pairs]]\nbodies = [\"ball\", \"crate\"]\ncollide = false".to_owned(),
            2,
            "contact pair",
            "",
        ),
        (signal("type = \"sum\"\ninputs = [\"wave\", \"wav\"]"), 4, "signal 'z'", "wave"),
        (signal("type = \"state\"\nblock = \"wav\""), 4, "signal 'z'", "wave"),
        (signal("type = \"sensor\"\nsensor = { of = \"hing\", quantity = \"x\" }"), 4, "signal 'z'", "hinge"),
        (probe("signal = \"wav\""), 3, "probe 'p'", "wave"),
        (probe("of = \"axel\"\nquantity = \"speed\""), 3, "probe 'p'", "axle"),
        (probe("of = \"ball\"\nquantity = \"contact_force\"\nwith = \"heap.x\""), 5, "probe 'p'", ""),
    ];
    let before = SCENE.lines().count();
    for (text, line, object, meant) in cases {
        let error = load(&text).map(|_| ()).expect_err(&text);
        let shown = error.to_string();
        assert!(shown.contains("refers to") && shown.contains("does not exist"), "{shown}");
        // The contact pair has no name but those of its bodies.
        assert!(error.object.as_deref().is_some_and(|o| o.starts_with(object)), "{shown}\n{object}");
        assert_eq!(error.line, Some(before + line), "{shown}\n{text}");
        match meant {
            "" => {}
            name => assert_eq!(error.suggestion.as_deref(), Some(name), "{shown}"),
        }
    }
}

#[test]
fn a_moved_assembly_leaves_walls_of_structures_without_a_pose() {
    let folder = tempfile::tempdir().unwrap();
    let sand = "[[grains]]\nname = \"sand\"\nwalls = [{ type = \"structure\", structure = \"line\" }]\n\
                particles = [{ positions = [[0, 0, 10]], radius = 0.01, density = 1000 }]\n";
    // A body that gets its name when it is built gets it without the prefix.
    let scene = SCENE.replace("of = \"body2\"", "of = \"ball\"");
    std::fs::write(folder.path().join("part.toml"), format!("{scene}{sand}")).unwrap();
    let main = "[[include]]\nfile = \"part.toml\"\nprefix = \"left.\"\nposition = [1, 0, 0]\n\
                rotation = { axis = [0, 0, 1], angle_deg = 90 }\n";
    std::fs::write(folder.path().join("main.toml"), main).unwrap();
    let loaded = load_scene(folder.path().join("main.toml"), &LoadOptions::default()).unwrap();
    let wall = &loaded.scene.grains[0].walls[0];
    assert_eq!((wall.mount.frame.rotation, wall.mount.frame.position), (None, [0.0; 3]));
    assert_eq!(wall.kind, WallType::Structure { structure: "left.line".into() });
}
