//! Wrong materials, shapes, files and settings of contact end in a message that names the place.

use std::fs;

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

const SOUND: &str = r##"[[materials]]
name = "steel"
friction = 0.3
restitution = 0.5

[[bodies]]
name = "floor"
kind = "fixed"
shapes = [{ type = "half_space", material = "steel" }]

[[bodies]]
name = "ball"
position = [0, 0, 1]
density = 7800
shapes = [
  { type = "sphere", radius = 0.1, material = "steel", color = "#d55e00" },
  { type = "box", size = [0.1, 0.1, 0.3], position = [0, 0, 0.1], group = "tools" },
]

[[contact_pairs]]
materials = ["steel", "default"]
friction = 0.2

[[fills]]
name = "grain"
shape = { type = "sphere", radius = 0.05 }
density = 2500
count = [2, 2, 2]
position = [3, 0, 0.05]

[[probes]]
of = "ball"
quantity = "contact_force"
with = "floor"
"##;

fn outcome(text: &str) -> Result<(), SceneError> {
    let loaded = load_scene_text("scene.toml", text, Format::Toml, &LoadOptions::default())?;
    let mut world = loaded.world()?;
    world.initialize().map(|_| ()).map_err(|e| loaded.explain(e))
}

fn check(from: &str, to: &str, line: usize, object: &str, words: &[&str]) {
    assert!(SOUND.contains(from), "{from}");
    let text = SOUND.replacen(from, to, 1);
    let error = outcome(&text).expect_err(&text);
    check_error(&error, line, object, words);
}

fn check_error(error: &SceneError, line: usize, object: &str, words: &[&str]) {
    let message = error.to_string();
    assert_eq!(error.line, Some(line), "{message}");
    assert_eq!(error.object.as_deref(), Some(object), "{message}");
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
fn materials() {
    let steel = "material 'steel'";
    check("friction = 0.3", "friction = -0.3", 3, steel, &["friction = -0.3", "zero or a positive"]);
    check("restitution = 0.5", "restitution = 1.5", 4, steel, &["restitution = 1.5", "from 0 to 1"]);
    check("restitution = 0.5", "poisson = 0.6", 4, steel, &["poisson = 0.6", "at most 0.5"]);
    check("restitution = 0.5", "young = 0", 4, steel, &["young = 0", "positive"]);
    check("restitution = 0.5", "stiffness = { normal = -1 }", 4, steel, &["normal = -1"]);
    check("restitution = 0.5", "restitutoin = 0.5", 4, steel, &["did you mean 'restitution'?"]);
    check("friction = 0.3", "friction = nan", 3, steel, &["finite"]);
    check(
        "material = \"steel\", color",
        "material = \"stel\", color",
        16,
        "body 'ball'",
        &["material 'stel'", "does not exist", "did you mean 'steel'?"],
    );
    let twice = "[[materials]]\nname = \"steel\"\n\n[[bodies]]\nname = \"floor\"";
    check("[[bodies]]\nname = \"floor\"", twice, 7, steel, &["already a material"]);
}

#[test]
fn shapes() {
    let ball = "body 'ball'";
    check("\"sphere\", radius = 0.1,", "\"shpere\", radius = 0.1,", 16, ball, &["did you mean 'sphere'?"]);
    check("radius = 0.1,", "radius = -0.1,", 16, ball, &["radius = -0.1", "positive"]);
    check("radius = 0.1,", "", 16, ball, &["type sphere needs `radius`"]);
    check("radius = 0.1,", "radius = 0.1, length = 1,", 16, ball, &["type sphere has no `length`"]);
    check("size = [0.1, 0.1, 0.3]", "size = [0.1, 0.1]", 17, ball, &["a list of 3 is expected", "2 values"]);
    check("size = [0.1, 0.1, 0.3]", "size = [0.1, 0, 0.3]", 17, ball, &["size = 0", "positive"]);
    check("\"#d55e00\"", "\"orange\"", 16, ball, &["#rrggbb"]);
    check("group = \"tools\"", "group = 32", 17, ball, &["0 to 31"]);
    check(
        "type = \"box\", size = [0.1, 0.1, 0.3]",
        "type = \"rounded_box\", border = 0.06, size = [0.1, 0.1, 0.3]",
        17,
        ball,
        &["border = 0.06", "half of every length"],
    );
    let hull = "type = \"hull\", points = []";
    check("type = \"box\", size = [0.1, 0.1, 0.3]", hull, 17, ball, &["convex hull", "0 points"]);
    let flat = "type = \"hull\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]";
    check("type = \"box\", size = [0.1, 0.1, 0.3]", flat, 17, ball, &["span a volume"]);
    let field = "type = \"height_field\", size = [1, 1], heights = [[0, 0], [0]]";
    check("type = \"box\", size = [0.1, 0.1, 0.3]", field, 17, ball, &["row 2 has 1 heights", "has 2"]);
    let bare = ["`points` and `triangles`, or a `file`"];
    check("type = \"box\", size = [0.1, 0.1, 0.3]", "type = \"mesh\"", 17, ball, &bare);
}

const CORNERS: &str = "points = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]";
const FACES: &str = "triangles = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
]";

/// A scene with one body, whose mesh is a corner of a cube: points from line 7, triangles from line 13.
fn corner(from: &str, to: &str) -> String {
    let lists = format!("{CORNERS}\n{FACES}");
    assert!(lists.contains(from), "{from}");
    let lists = lists.replacen(from, to, 1);
    format!("[[bodies]]\nname = \"part\"\ndensity = 1000\n[[bodies.shapes]]\ntype = \"mesh\"\n{lists}\n")
}

#[test]
fn wrong_meshes_of_lists() {
    let wrong = |from: &str, to: &str, line: usize, words: &[&str]| {
        let error = outcome(&corner(from, to)).expect_err(to);
        check_error(&error, line, "body 'part'", words);
    };
    outcome(&corner("", "")).unwrap();
    wrong("[0, 1, 0]", "[0, nan, 0]", 9, &["NaN is not allowed", "finite"]);
    wrong("[0, 1, 0]", "[0, 1]", 9, &["a list of 3", "not 2 values"]);
    wrong("[1, 2, 3]", "[1, 2, 4]", 16, &["triangle 3 refers to point 4", "there are 4 points"]);
    wrong("[1, 2, 3]", "[1, 2, -3]", 16, &["a whole number, not negative", "-3"]);
    wrong("[1, 2, 3]", "[1, 2, 2.5]", 16, &["a whole number", "2.5"]);
    wrong("  [1, 2, 3],\n", "", 4, &["the mesh is open"]);
    wrong(FACES, "triangles = []", 12, &["no triangle"]);
    wrong(FACES, "triangles = [[1, 1, 1]]", 12, &["no triangle with an area (1 are degenerate)"]);
    wrong(FACES, "", 6, &["a mesh of points needs `triangles` too"]);
    wrong(CORNERS, "", 7, &["a mesh of triangles needs `points` too"]);
    wrong(FACES, "triangles = []\nscale = 0", 13, &["scale = 0", "positive"]);
    wrong(FACES, "decompose = { resolution = 1 }\ntriangles = [[0, 2, 1]]", 12, &["resolution"]);
    check(
        "type = \"box\", size = [0.1, 0.1, 0.3]",
        "type = \"hull\", triangles = [[0, 1, 2]], points = [[0, 0, 0]]",
        17,
        "body 'ball'",
        &["type hull has no `triangles`"],
    );
    // What no scene from memory can hold: numbers that are not finite, and files.
    let refused = |shape: ShapeSpec, words: &str| {
        let part = BodySpec { density: Some(1.0), ..BodySpec::dynamic("part") };
        let error = World::new([0.0; 3]).add_body(part.with_shape(shape)).unwrap_err().to_string();
        assert!(error.contains("body 'part'") && error.contains(words), "{error}");
    };
    let mesh = ShapeSpec::mesh_of(vec![[0.0; 3], [1.0, 0.0, f64::NAN], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]);
    refused(mesh.clone(), "point 1 (counted from 0): a vertex has the coordinate NaN");
    let ShapeType::Mesh { mut source, decompose } = mesh.kind else { panic!("a mesh is expected") };
    source.file = FileSource::of("part.obj");
    refused(ShapeType::Mesh { source, decompose }.into(), "not both");
    refused(ShapeSpec::mesh_of(vec![[0.0; 3]; 5_000_001], vec![]), "more than 5000000 vertices");
}

#[test]
fn meshes_of_lists_are_those_of_files() {
    // One point twice and a triangle without area are put in order as in a file.
    let text = corner("[0, 0, 1],", "[0, 0, 1], [0, 1, 0],").replace("[0, 3, 2],", "[0, 3, 4], [1, 2, 4],");
    let load = |text: &str| load_scene_text("scene.toml", text, Format::Toml, &LoadOptions::default());
    let loaded = load(&text.replace("triangles", "scale = 0.5\ntriangles")).unwrap();
    let world = loaded.world().unwrap();
    let part = world.assembly().body(world.body("part").unwrap()).unwrap();
    // The corner of a cube of edge a has the volume a³/6 and its centre at a/4.
    assert!((part.mass - 1000.0 * 0.125 / 6.0).abs() < 1e-10, "{}", part.mass);
    assert!((part.center_of_mass.x - 0.125).abs() < 1e-12);
    let written = serde_json::to_value(&world.to_scene().bodies[0].shapes[0]).unwrap();
    assert_eq!(written["triangles"][3], serde_json::json!([1, 2, 4]));

    let cut = load(&text.replace("triangles", "decompose = { resolution = 16 }\ntriangles")).unwrap();
    let world = cut.world().unwrap();
    let shape = &world.assembly().collision.shapes()[0].shape;
    assert!(shape.parts().all(|(_, part)| matches!(part, huygens_geometry::Shape::Hull(_))));
    let mass = world.assembly().body(world.body("part").unwrap()).unwrap().mass;
    assert!((mass - 1000.0 / 6.0).abs() < 1e-9, "the mass is that of the mesh, not of its hulls");
}

#[test]
fn mass() {
    let ball = "body 'ball'";
    check("density = 7800", "density = 7800\nmass = 1", 14, ball, &["mass or density, not both"]);
    check("density = 7800", "", 11, ball, &["needs a mass, or a density"]);
    check("density = 7800", "density = -1", 16, ball, &["density", "positive"]);
    check(
        "density = 7800",
        "density = 7800\ncenter_of_mass = [0, 0, 0.1]",
        15,
        ball,
        &["follows from the shapes"],
    );
    check("kind = \"fixed\"", "density = 1000", 9, "body 'floor'", &["half-space", "no finite volume"]);
    check("kind = \"fixed\"", "mass = 1", 9, "body 'floor'", &["inertia", "half-space"]);
    let both = "density = 7800\nshape = { type = \"sphere\", radius = 0.1 }";
    check("density = 7800", both, 15, ball, &["shape or shapes, not both"]);
    let text = SOUND.replace("density = 7800", "mass = 2").replace("\"#d55e00\"", "\"#d55e00\", density = 7");
    check_error(&outcome(&text).unwrap_err(), 16, ball, &["has a mass", "not both"]);
}

#[test]
fn pairs_fills_and_probes() {
    let pair = "contact pair 'steel, default'";
    check("friction = 0.2", "friction = -1", 22, pair, &["friction = -1"]);
    check("friction = 0.2", "collide = false", 22, pair, &["belongs to a pair of `bodies`"]);
    let bodies = "[\"ball\", \"flor\"]\ncollide = false\n";
    check(
        "materials = [\"steel\", \"default\"]\nfriction = 0.2",
        &format!("bodies = {bodies}"),
        21,
        "contact pair 'ball, flor'",
        &["body 'flor'", "did you mean 'floor'?"],
    );
    check("\"default\"]", "\"defaut\"]", 21, "contact pair 'steel, defaut'", &["material 'defaut'"]);
    let fill = "fill 'grain'";
    check("count = [2, 2, 2]", "count = [2, 0, 2]", 28, fill, &["not allowed"]);
    check("count = [2, 2, 2]", "", 24, fill, &["needs `count", "`region`"]);
    check("count = [2, 2, 2]", "count = [100000, 100000, 100000]", 28, fill, &["2000000"]);
    check("{ type = \"sphere\", radius = 0.05 }", "{ type = \"half_space\" }", 26, fill, &["finite size"]);
    check("radius = 0.05", "radius = 0", 26, fill, &["radius = 0"]);
    let probe = "probe 'ball-flor.contact_force'";
    check("with = \"floor\"", "with = \"flor\"", 34, probe, &["body 'flor'", "did you mean 'floor'?"]);
    let probe = "probe 'ball-floor.contact_forse'";
    check("contact_force", "contact_forse", 33, probe, &["did you mean 'contact_force'?"]);
    let probe = "probe 'ball-floor.position'";
    check("contact_force", "position", 34, probe, &["contact quantities"]);
}

#[test]
fn settings() {
    let with = |line: &str| format!("[settings]\n{line}\n\n{SOUND}");
    for (line, words) in [
        ("bounds = [[0, 0, 0], [1, -1, 1]]", "highest corner"),
        ("contact = { rigid = { tolerance = -1 } }", "contact.rigid.tolerance"),
        ("contact = { rigid = { max_iterations = 0 } }", "contact.rigid.max_iterations"),
        ("contact = { law = \"soft\" }", "\"soft\" is not known"),
        ("contact = { envelope = -1 }", "contact.envelope"),
        ("integrator = { type = \"hht\" }", "rigid contact"),
    ] {
        let error = outcome(&with(line)).expect_err(line);
        assert_eq!(error.line, Some(2), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.toml");
    let write = |shape: &str| {
        let body = "[[bodies]]\nname = \"part\"\ndensity = 1000\nshapes = [";
        fs::write(&scene, format!("{body}{shape}]\n")).unwrap();
    };
    let run = || -> Result<huygens::World, SceneError> {
        let loaded = load_scene(&scene, &LoadOptions::default())?;
        let mut world = loaded.world()?;
        world.initialize().map(|_| ()).map_err(|e| loaded.explain(e))?;
        Ok(world)
    };
    let fails = |name: &str, content: Option<&str>, words: &[&str]| {
        if let Some(content) = content {
            fs::write(folder.path().join(name), content).unwrap();
        }
        write(&format!("{{ type = \"mesh\", file = \"{name}\" }}"));
        check_error(&run().err().unwrap(), 4, "body 'part'", words);
    };
    fails("missing.obj", None, &["there is no file 'missing.obj' in '", folder.path().to_str().unwrap()]);
    fails("../outside.obj", None, &["there is no file '../outside.obj'"]);
    fails("mesh.txt", Some(CUBE), &["must end in .obj or .stl"]);
    fails("nan.obj", Some(&CUBE.replacen("v 1 1 1", "v 1 nan 1", 1)), &["nan.obj", "line 7"]);
    fails("index.obj", Some(&CUBE.replacen("f 4 1 5 8", "f 4 1 5 9", 1)), &["index.obj", "line 14"]);
    fails("nna.obj", None, &["there is no file", "did you mean 'nan.obj'?"]);
    fails("empty.obj", Some(""), &["no triangle"]);
    fails("open.obj", Some(&CUBE.replacen("f 4 1 5 8\n", "", 1)), &["the mesh is open"]);
    let inverted = CUBE.replace("f 4 3 2 1", "f 1 2 3 4").replace("f 5 6 7 8", "f 8 7 6 5");
    fails("turned.obj", Some(&inverted), &["mesh"]);

    fs::write(folder.path().join("cube.obj"), CUBE).unwrap();
    write("{ type = \"mesh\", file = \"cube.obj\", scale = 0.1 }");
    let world = run().unwrap();
    let part = world.assembly().body(world.body("part").unwrap()).unwrap();
    assert!((part.mass - 1.0).abs() < 1e-12 && (part.center_of_mass.x - 0.05).abs() < 1e-12);
    let hash = |s: &str| {
        fs::write(folder.path().join("cube.obj"), s).unwrap();
        load_scene(&scene, &LoadOptions::default()).unwrap().hash()
    };
    assert_eq!(hash(CUBE), hash(CUBE));
    assert_ne!(hash(CUBE), hash(&CUBE.replace("v 1 1 1", "v 1 1 1.1")));

    // An L of two blocks becomes convex parts that are kept beside the mesh; its mass is that of the mesh.
    let outline = ["0 0", "2 0", "2 1", "1 1", "1 2", "0 2"];
    let mut corner = String::new();
    for z in [0, 1] {
        outline.iter().for_each(|p| corner += &format!("v {p} {z}\n"));
    }
    corner += "f 6 4 1\nf 6 5 4\nf 4 2 1\nf 4 3 2\nf 7 10 12\nf 10 11 12\nf 7 8 10\nf 8 9 10\n";
    for k in 1..=6 {
        let next = k % 6 + 1;
        corner += &format!("f {k} {next} {} {}\n", next + 6, k + 6);
    }
    fs::write(folder.path().join("corner.obj"), corner).unwrap();
    write("{ type = \"mesh\", file = \"corner.obj\", scale = 0.1, decompose = { resolution = 32 } }");
    let world = run().unwrap();
    assert!((world.assembly().body(world.body("part").unwrap()).unwrap().mass - 3.0).abs() < 1e-9);
    assert!(world.assembly().collision.shapes()[0].shape.parts().count() >= 2);
    assert!(folder.path().join("corner.obj.hulls").exists() || folder.path().join("corner.hulls").exists());
    write("{ type = \"mesh\", file = \"corner.obj\", decompose = { resolution = 1 } }");
    check_error(&run().err().unwrap(), 4, "body 'part'", &["resolution"]);

    fs::write(folder.path().join("hills.txt"), "# heights\n0 1 0\n1, 2, x\n").unwrap();
    write("{ type = \"height_field\", size = [2, 2], file = \"hills.txt\" }");
    check_error(&run().err().unwrap(), 4, "body 'part'", &["hills.txt", "line 3", "'x'"]);
}

#[test]
fn sub_assemblies_bring_their_own_materials_fills_and_pairs() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("part.toml"),
        r#"materials = [{ name = "ice", friction = 0.1 }]
contact_pairs = [{ bodies = ["lid", "grain.1"], collide = false }, { materials = ["ice", "default"], friction = 0.3 }]
bodies = [{ name = "lid", kind = "fixed", shapes = [{ type = "box", size = [1, 1, 0.1], material = "ice" }] }]

[[fills]]
name = "grain"
shape = { type = "sphere", radius = 0.1, material = "ice" }
density = 1000
count = [2, 1, 1]
position = [0, 0, 0.3]
velocity = [1, 0, 0]
"#,
    )
    .unwrap();
    let scene = folder.path().join("scene.toml");
    let include = "[[include]]\nfile = \"part.toml\"\nprefix = \"left.\"\nposition = [5, 0, 0]\n\
                   rotation = { axis = [0, 0, 1], angle_deg = 90 }\n";
    fs::write(&scene, include).unwrap();
    let world = load_scene(&scene, &LoadOptions::default()).unwrap().world().unwrap();
    let grain = world.body("left.grain.2").unwrap();
    let close = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-12);
    assert!(close(world.body_position(grain).unwrap(), [5.0, 0.2, 0.3]));
    assert!(close(world.body_velocity(grain).unwrap(), [0.0, 1.0, 0.0]));
    assert_eq!(world.materials()[0].1.name, "left.ice");
    let pairs = world.contact_pairs();
    assert_eq!(pairs[0].bodies, Some(["left.lid".into(), "left.grain.1".into()]));
    assert_eq!(pairs[1].materials, Some(["left.ice".into(), "default".into()]));
}
