//! Wrong descriptions of flexible structures, as a user of a scene file meets them: file, line, object, what is
//! expected.

use std::ops::ControlFlow;

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

const HEAD: &str = "\
settings.dt = 1e-3
bodies = [{ name = \"block\", mass = 1, inertia = [1, 1, 1] }]
[[structures]]
name = \"part\"
";
const LINE: &str = "generate = { type = \"beam\", from = [0, 0, 0], to = [1, 0, 0], pieces = 2 }";
const CUBE: &str =
    "element = \"tetrahedron\"\ngenerate = { type = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }";
const ROUND: &str = "section = { radius = 0.01 }";
const STEEL: &str = "material = { young = 2e11, poisson = 0.3, density = 7850 }";

/// Loads a scene, builds it and runs it for a moment.
fn attempt(text: &str) -> Result<World, SceneError> {
    let scene = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default())?;
    let mut world = scene.world()?;
    match world.settings().analysis {
        Analysis::Statics => {
            let done = world.load_path(&mut |_, _| ControlFlow::Continue(()));
            done.map_err(|e| scene.explain(e))?;
        }
        _ => world.run(0.02).map_err(|e| scene.explain(e))?,
    }
    Ok(world)
}

/// What is wrong with the refusal of a scene; nothing where it says what is expected.
fn complaint(text: &str, line: Option<usize>, expected: &[&str]) -> Option<String> {
    let Err(error) = attempt(text) else { return Some(format!("this was not refused:\n{text}")) };
    let message = error.to_string();
    let missing = expected.iter().chain(&["test.toml"]).find(|part| !message.contains(**part));
    if let Some(part) = missing {
        return Some(format!("{text}\nsays: {message}\nwithout: {part}"));
    }
    (line.is_some() && error.line != line).then(|| format!("{text}\nsays: {message}\nat: {:?}", error.line))
}

fn refused(text: &str, line: Option<usize>, expected: &[&str]) {
    if let Some(complaint) = complaint(text, line, expected) {
        panic!("{complaint}");
    }
}

#[test]
fn each_is_refused_where_it_stands() {
    // The last line of each is the wrong one.
    let beam = |keys: &str| format!("{LINE}\n{ROUND}\n{STEEL}\n{keys}");
    let cases: Vec<(String, &[&str])> = vec![
        (format!("{ROUND}\n{STEEL}"), &["part", "`generate`", "`file`"]),
        (format!("{LINE}\n{STEEL}\n{ROUND}\nfile = \"part.msh\""), &["asset folder"]),
        (format!("{LINE}\n{STEEL}"), &["lines need `section`"]),
        (format!("{LINE}\n{ROUND}"), &["needs `material`"]),
        (
            format!("{LINE}\n{ROUND}\nmaterial = {{ young = -1, density = 1 }}"),
            &["young", "-1", "above zero"],
        ),
        (
            format!("{LINE}\n{ROUND}\nmaterial = {{ young = 1, poisson = 0.5, density = 1 }}"),
            &["poisson", "0.5"],
        ),
        (format!("{LINE}\n{STEEL}\nsection = {{ radius = 0 }}"), &["radius", "above zero"]),
        (format!("{LINE}\n{STEEL}\nsection = {{ type = \"rectangle\", width = 1 }}"), &["needs `height`"]),
        (
            format!("{LINE}\n{STEEL}\nsection = {{ type = \"tube\", radius = 1, inner_radius = 2 }}"),
            &["inner_radius"],
        ),
        (format!("{LINE}\n{STEEL}\nsection = {{ radius = 1, width = 1 }}"), &["circle has no `width`"]),
        (
            "generate = { type = \"beam\", from = [0, 0, 0], to = [0, 0, 0], pieces = 2 }".into(),
            &["points 0 and 1 are the same"],
        ),
        ("generate = { type = \"beam\", from = [0, 0, 0], to = [1, 0, 0], pieces = 0 }".into(), &["pieces"]),
        (
            "generate = { type = \"block\", size = [1, 0, 1], cells = [1, 1, 1] }".into(),
            &["edges must be above zero"],
        ),
        ("element = \"cabel\"".into(), &["cabel", "cable"]),
        (beam("damping = { stiffness = -1 }"), &["damping.stiffness", "-1"]),
        (beam("scale = 0"), &["scale = 0"]),
        (beam("color = \"red\""), &["not a colour"]),
        // Nodes.
        (beam("fixed = [{ nodes = \"strat\" }]"), &["no node or node set 'strat'", "start"]),
        (beam("fixed = [{ nodes = 99 }]"), &["99", "start"]),
        (
            beam("fixed = [{ nodes = \"start\", hold = [\"rotation\"] }]"),
            &["incompatible node types", "slope"],
        ),
        (beam("masses = [{ nodes = \"end\", mass = -1 }]"), &["mass = -1"]),
        (beam("masses = [{ nodes = \"end\", mass = 1, inertia = [1, 1, 1] }]"), &["no rotation"]),
        (beam("node_sets = { start = 1 }"), &["already has a set 'start'"]),
        // Loads.
        (beam("loads = [{ nodes = \"end\" }]"), &["`force`, `moment`"]),
        (beam("loads = [{ force = [1, 0, 0] }]"), &["`nodes`", "`elements`", "`surface`"]),
        (beam("loads = [{ elements = \"all\", force = [1, 0, 0] }]"), &["`force` goes with `nodes`"]),
        (
            beam("loads = [{ elements = 7, force_per_length = [1, 0, 0] }]"),
            &["no element or element set '7'"],
        ),
        (beam("loads = [{ surface = \"top\", pressure = 1 }]"), &["no surface 'top'"]),
        // Joints of nodes.
        (beam("joints = [{ type = \"clamp\", node = \"end\", to = \"blok\" }]"), &["blok", "block"]),
        (beam("joints = [{ type = \"hinge\", node = \"end\", to = \"block\" }]"), &["`axis`"]),
        (beam("joints = [{ type = \"hinge\", node = \"end\", axis = [0, 0, 2] }]"), &["unit vector"]),
        (beam("joints = [{ type = \"point\", node = \"end\", to = \"part/end\" }]"), &["itself"]),
        (beam("joints = [{ type = \"direction\", node = \"end\", gradient = 1 }]"), &["gradient = 1"]),
        (
            beam("joints = [{ type = \"coordinate\", node = \"end\", coordinate = 6, displacement = 0 }]"),
            &["coordinate = 6"],
        ),
        (
            beam("element = \"bar\"\njoints = [{ type = \"clamp\", node = \"end\" }]"),
            &["incompatible node types"],
        ),
        (
            beam("element = \"beam\"\njoints = [{ type = \"clamp\", node = \"end\" }]"),
            &["[[joints]]", "part/end"],
        ),
        // Contact.
        (beam("contact = { material = \"glas\" }"), &["material 'glas', which does not exist"]),
        (beam("contact = { shape = \"skin\" }"), &["only solids have a skin"]),
        (beam("contact = { radius = -1 }"), &["radius", "-1"]),
        (format!("{CUBE}\n{STEEL}\n{ROUND}"), &["tetrahedron elements have no section"]),
    ];
    let mut complaints = Vec::new();
    for (keys, expected) in cases.into_iter().chain(keys_that_do_not_apply()) {
        let text = format!("{HEAD}{keys}\n");
        // Keys that are missing are reported at the structure.
        let missing = ["part", "lines need", "needs `material`"].iter().any(|m| expected[0].starts_with(m));
        let line = if missing { 3 } else { text.trim_end().lines().count() };
        let line = Some(line);
        complaints.extend(complaint(&text, line, expected));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// Keys that say nothing about what is there; the last line of each is the wrong one.
fn keys_that_do_not_apply() -> Vec<(String, &'static [&'static str])> {
    let line =
        |element: &str, keys: &str| format!("{LINE}\n{ROUND}\n{STEEL}\nelement = \"{element}\"\n{keys}");
    let cube = |keys: &str| format!("{CUBE}\n{STEEL}\n{keys}");
    let joint = |keys: &str| format!("{LINE}\n{ROUND}\n{STEEL}\njoints = [{{ node = \"end\", {keys} }}]");
    let rows = format!("[{}]", ["[1, 0, 0, 0, 0, 0]"; 6].join(", "));
    let user = format!("section = {{ type = \"user\", stiffness = {rows}, inertia = {rows} }}");
    vec![
        (line("beam", "strain = \"green\""), &["'part'", "only elements of type cable", "`strain`"]),
        (line("rod", "strain = \"material\""), &["only elements of type cable"]),
        (cube("strain = \"green\""), &["only elements of type cable"]),
        (
            line("bar", "up = [0, 1, 0]"),
            &["bar elements", "`up` belongs to cable, beam_ancf, beam, rod, rod3"],
        ),
        (cube("up = [0, 1, 0]"), &["`up` belongs to"]),
        (
            "generate = { type = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }\nelement = \"beam\"".into(),
            &["no lines", "tetrahedron"],
        ),
        (format!("{LINE}\n{user}\n{STEEL}"), &["`material` says nothing"]),
        (cube("contact = { pieces = 2 }"), &["only lines are divided", "`pieces`"]),
        (cube("contact = { shape = \"spheres\" }"), &["only lines touch by capsules or spheres", "skin"]),
        (cube("contact = { shape = \"capsules\" }"), &["only lines touch by capsules or spheres"]),
        (
            joint("type = \"point\", axis = [0, 0, 1]"),
            &["a joint of type point has no `axis`; hinge and direction have"],
        ),
        (joint("type = \"clamp\", gradient = 0"), &["clamp has no `gradient`"]),
        (
            joint("type = \"hinge\", axis = [0, 0, 1], gradient = 0"),
            &["a hinge with a body or the ground has no `gradient`", "`axis`"],
        ),
        (
            joint("type = \"hinge\", to = \"part/start\", axis = [0, 0, 1]"),
            &["hinge of two nodes has no `axis`"],
        ),
        (joint("type = \"point\", coordinate = 1"), &["point has no `coordinate`"]),
        (joint("type = \"clamp\", displacement = 1"), &["clamp has no `displacement`"]),
        (
            joint("type = \"coordinate\", coordinate = 1, displacement = 1, to = \"block\""),
            &["a joint of type coordinate has no `to`; point, clamp, hinge and direction have"],
        ),
    ]
}

#[test]
fn nodes_that_cannot_be_held_are_refused_where_the_joint_stands() {
    let scene = |element: &str, rest: &str| {
        format!(
            "{HEAD}element = \"{element}\"\n{LINE}\n{ROUND}\n{STEEL}\nfixed = [{{ nodes = \"start\" }}]\n{rest}\n"
        )
    };
    let joint = |keys: &str| format!("[[joints]]\nname = \"j\"\n{keys}");
    let cases: [(&str, String, &[&str]); 10] = [
        (
            "cable",
            joint("type = \"revolute\"\nb = \"block\"\na = \"part/end\""),
            &["incompatible node types", "part/end", "revolute", "spherical"],
        ),
        ("cable", joint("type = \"spherical\"\nb = \"block\"\na = \"part/ned\""), &["no node or node set 'ned'"]),
        ("cable", joint("type = \"spherical\"\nb = \"block\"\na = \"part\""), &["name a node of it", "part/end"]),
        ("cable", joint("type = \"spherical\"\nb = \"block\"\na = \"prat/end\""), &["prat", "part"]),
        (
            "cable",
            joint("type = \"spherical\"\nb = \"block\"\nposition = [0.5, 0, 0]\na = \"part/end\""),
            &["own position"],
        ),
        (
            "cable",
            "[[forces]]\ntype = \"bushing\"\nname = \"f\"\nstiffness = [1, 1, 1, 1, 1, 1]\nb = \"block\"\na = \"part/end\""
                .into(),
            &["no rotation", "spring"],
        ),
        (
            "cable",
            "[[forces]]\ntype = \"load\"\nname = \"f\"\nforce = [0, 0, 1]\nbody = \"part/end\"".into(),
            &["`loads` of the structure"],
        ),
        ("beam", "[[probes]]\nof = \"part\"\nelement = 1\nquantity = \"stress\"".into(), &["stress", "axial_force"]),
        ("beam", "[[probes]]\nquantity = \"position\"\nat = 0.2\nof = \"part/end\"".into(), &["`at`", "`element`"]),
        ("beam", "[[probes]]\nquantity = \"energy\"\nelement = 1\nat = 0.2\nof = \"part\"".into(), &["leave `at` out"]),
    ];
    for (element, rest, expected) in cases {
        let text = scene(element, &rest);
        let line = text.trim_end().lines().count();
        refused(&text, Some(line), expected);
    }
}

#[test]
fn mesh_files_say_line_and_element() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 0\n";
    let cases = [
        (format!("{nodes}*ELEMENT, TYPE=C3D99\n1, 1, 2, 3, 4\n"), "tetrahedron", &["line 7", "C3D99"][..]),
        (format!("{nodes}*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 9\n"), "tetrahedron", &["line 8", "9"]),
        (
            format!("{nodes}*ELEMENT, TYPE=C3D4\n7, 1, 2, 3, 4\n8, 1, 2, 5, 3\n"),
            "tetrahedron",
            &["8", "volume"],
        ),
        (
            format!("{nodes}*ELEMENT, TYPE=C3D4\n7, 1, 2, 3, 4\n8, 1, 3, 2, 4\n"),
            "tetrahedron",
            &["8", "inside out"],
        ),
        (format!("{nodes}*ELEMENT, TYPE=B31\n3, 1, 1\n"), "beam", &["3", "node 1", "length"]),
        (nodes.to_owned(), "tetrahedron", &["no elements"]),
    ];
    for (mesh, element, expected) in cases {
        std::fs::write(folder.path().join("part.inp"), &mesh).unwrap();
        let text = format!(
            "[[structures]]\nname = \"part\"\nelement = \"{element}\"\n{STEEL}\n{}\nfile = \"part.inp\"\n",
            if element == "beam" { ROUND } else { "scale = 1.0" },
        );
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, &text).unwrap();
        let loaded = load_scene(&path, &LoadOptions::default()).unwrap();
        let message = match loaded.world() {
            Ok(_) => panic!("this was not refused:\n{mesh}"),
            Err(error) => error.to_string(),
        };
        for part in expected {
            assert!(message.contains(part), "{mesh}\nsays: {message}\nwithout: {part}");
        }
    }
}

#[test]
fn static_problems_without_an_answer_say_why() {
    let statics = "settings.analysis = \"statics\"\nsettings.gravity = [0, 0, 0]\n";
    let part = format!("[[structures]]\nname = \"part\"\n{LINE}\n{ROUND}\n{STEEL}\n");
    // Nothing holds it.
    let load = "loads = [{ nodes = \"end\", force = [0, 0, 1] }]\n";
    refused(&format!("{statics}{part}{load}"), None, &["part"]);
    // A cube that is pressed flat: where, how the residual went, and what to try.
    let crushed = format!(
        "{statics}[[structures]]\nname = \"part\"\n{CUBE}\nmaterial = {{ young = 1e3, density = 1 }}\n\
                           fixed = [{{ nodes = \"z_min\" }}]\nloads = [{{ nodes = \"z_max\", force = [0, 0, -1e4] }}]\n"
    );
    refused(&crushed, None, &["part", "load factor", "unbalanced force went", "try load steps of"]);
}
