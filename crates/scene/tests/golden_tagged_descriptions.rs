//! Tables whose keys depend on their `type`: what is said of wrong keys, and that nothing is lost on the way to a file
//! and back.

use huygens_scene::{Format, LoadOptions, SceneError, load_scene, load_scene_text, spec_from_json};
use huygens_spec::{
    FluidWallSpec, Freedom, Function, JointSpec, JointType, MeshSource, SectionSpec, ShapeSpec, WallEnds,
    WallShape, WallSide, WallSpec, scene_schema,
};
use serde_json::{Value, json};

const HEAD: &str = "[[bodies]]\nname = \"rod\"\nmass = 1\ninertia = [1, 1, 1]\n";

fn refused(text: &str) -> SceneError {
    match load_scene_text("scene.toml", text, Format::Toml, &LoadOptions::default()) {
        Ok(_) => panic!("was not refused:\n{text}"),
        Err(error) => error,
    }
}

/// Checks line, column, object and words of the error of a joint, whose first line is the sixth of the scene.
#[track_caller]
fn joint(keys: &str, place: (usize, usize), words: &[&str]) {
    let error = refused(&format!("{HEAD}[[joints]]\nname = \"pin\"\n{keys}"));
    assert_eq!((error.line, error.column), (Some(place.0), Some(place.1)), "{error}");
    assert_eq!(error.object.as_deref(), Some("joint 'pin'"), "{error}");
    let text = error.to_string();
    words.iter().for_each(|w| assert!(text.contains(w), "{w:?} is not in: {text}"));
}

#[test]
fn wrong_keys_are_named_with_their_type() {
    let ends = "a = \"ground\"\nb = \"rod\"\n";
    joint(
        &format!("{ends}pich = 1\ntype = \"screw\""),
        (9, 1),
        &["`pich` is not known", "`pitch`", "did you mean 'pitch'?"],
    );
    // The keys of the type and those of all joints are listed, others are not.
    let error = refused(&format!("{HEAD}[[joints]]\nname = \"pin\"\n{ends}zzz = 1\ntype = \"screw\""));
    assert!(error.problem.contains("`limits`") && !error.problem.contains("`lock`"), "{error}");
    joint(
        &format!("{ends}type = \"revolute\"\npitch = 1"),
        (10, 1),
        &["a joint of type revolute has no `pitch`; screw has"],
    );
    joint(
        &format!("{ends}length = 1\ntype = \"fixed\""),
        (9, 1),
        &["fixed has no `length`; distance and revolute_spherical have"],
    );
    joint(&format!("{ends}type = \"screw\""), (5, 1), &["a joint of type screw needs `pitch`"]);
    joint("a = \"ground\"\ntype = \"fixed\"", (5, 1), &["a joint of type fixed needs `b`"]);
    joint(&format!("{ends}frame_a = {{}}"), (5, 1), &["a joint needs `type`, one of `fixed`, `revolute`"]);
    joint(&format!("{ends}type = \"scrw\""), (9, 8), &["\"scrw\" is not known", "did you mean 'screw'?"]);
    joint(&format!("{ends}type = 3"), (9, 8), &["a text in quotes is expected, not the number 3"]);
    // Values are blamed where they stand, also if the type comes later and the same value stands elsewhere.
    joint(
        &format!("{ends}position = [1, \"x\", 0]\npitch = \"x\"\ntype = \"screw\""),
        (9, 16),
        &["a number is expected"],
    );
    joint(
        &format!("{ends}pitch = \"x\"\ntype = \"screw\""),
        (9, 9),
        &["a number is expected, not the text \"x\""],
    );
}

#[test]
fn parts_of_objects_are_named_too() {
    let walls = |wall: &str| {
        refused(&format!("[[grains]]\nname = \"sand\"\nwalls = [\n  {{ name = \"w\", {wall} }},\n]\n"))
    };
    let error = walls("type = \"plane\", radius = 1");
    assert_eq!((error.line, error.object.as_deref()), (Some(4), Some("grains 'sand'")), "{error}");
    assert!(error.problem.starts_with("wall 'w': a wall of type plane has no `radius`; "), "{error}");
    assert!(error.problem.ends_with("cylinder, sphere and disc have"), "{error}");
    let error = walls("type = \"structure\", structure = \"rod\", position = [0, 0, 1]");
    assert!(error.problem.contains("a wall of type structure has no `position`; plane, "), "{error}");
    let error = walls("type = \"cylinder\", radius = 1");
    assert!(error.problem.contains("a wall of type cylinder needs `length`"), "{error}");
    let error = spec_from_json::<WallSpec>(&json!({ "name": "w", "type": "disc" })).unwrap_err();
    assert_eq!(error.to_string(), "value: wall 'w': a wall of type disc needs `radius`");
}

#[test]
fn a_section_without_type_is_a_circle() {
    let section: SectionSpec = spec_from_json(&json!({ "radius": 0.5, "angle": 1 })).unwrap();
    assert_eq!(section, SectionSpec { angle: 1.0, ..SectionSpec::circle(0.5) });
    let error = spec_from_json::<SectionSpec>(&json!({ "radius": 1, "width": 1 })).unwrap_err();
    assert!(error.problem.contains("a section of type circle has no `width`; rectangle has"), "{error}");
}

fn all_joints() -> Vec<JointType> {
    use JointType as T;
    let function = |slope: f64| Function::Polynomial { coefficients: vec![0.25, slope] };
    vec![
        T::Fixed,
        T::Revolute,
        T::Distance { length: Some(0.1) },
        T::Distance { length: None },
        T::RevoluteSpherical { length: Some(1.0 / 3.0) },
        T::RevoluteTranslational { offset: 0.7 },
        T::Screw { pitch: 1e-3 },
        T::Generic { lock: vec![Freedom::X, Freedom::Rz] },
        T::PointOnCurve { points: vec![[0.0; 3], [1.0, 0.1, 0.0]], closed: true },
        T::Trajectory {
            translation: [function(1.0), function(2.0), function(3.0)],
            motion_axis: [0.0, 1.0, 0.0],
            angle: function(4.0),
        },
    ]
}

#[test]
fn joints_shapes_and_walls_come_back_from_files() {
    for kind in all_joints() {
        let joint = JointSpec::new("j", kind, "ground", "rod").at([0.1, 0.2, 0.3], [0.0, 0.0, 1.0]);
        let joint = JointSpec { collide: true, ..joint };
        let json = serde_json::to_string(&joint).unwrap();
        assert_eq!(serde_json::from_str::<JointSpec>(&json).unwrap(), joint);
        // The order of keys does not matter to any reader.
        let value: Value = serde_json::from_str(&json).unwrap();
        let Value::Object(map) = value.clone() else { panic!("{value}") };
        let turned: serde_json::Map<String, Value> = map.into_iter().rev().collect();
        let turned = serde_json::to_string(&turned).unwrap();
        assert_eq!(serde_json::from_str::<JointSpec>(&turned).unwrap(), joint);
        assert_eq!(spec_from_json::<JointSpec>(&value).unwrap(), joint);
        let text = toml::to_string(&joint).unwrap();
        assert_eq!(toml::from_str::<JointSpec>(&text).unwrap(), joint);
    }
    let shape = ShapeSpec::mesh(MeshSource::file("a.obj").scaled(1e-3)).at([1.0, 0.0, 0.0]).material("steel");
    let value = serde_json::to_value(&shape).unwrap();
    let flat = json!({
        "type": "mesh", "file": "a.obj", "scale": 1e-3, "position": [1.0, 0.0, 0.0], "material": "steel",
    });
    assert_eq!(value, flat);
    assert_eq!(spec_from_json::<ShapeSpec>(&flat).unwrap(), shape);
    let wall = FluidWallSpec::block("w", [0.0; 3], [1.0; 3]).visible(false).on("boat");
    let flat = json!({
        "name": "w", "type": "box", "low": [0.0, 0.0, 0.0], "high": [1.0, 1.0, 1.0], "side": "outside",
        "body": "boat", "visible": false,
    });
    assert_eq!(serde_json::to_value(&wall).unwrap(), flat);
    assert_eq!(spec_from_json::<FluidWallSpec>(&flat).unwrap(), wall);
    // A shape that walls of grains and of fluids share.
    let (side, ends) = (WallSide::Inside, WallEnds::Lower);
    let cone = WallShape::Cone { radii: [0.1, 0.2], length: 0.3, side, ends };
    let flat = json!({ "name": "w", "type": "cone", "radii": [0.1, 0.2], "length": 0.3, "ends": "lower" });
    let (grains, fluid) = (WallSpec::new("w", cone.clone().into()), FluidWallSpec::new("w", cone.into()));
    assert_eq!(serde_json::to_value(&grains).unwrap(), flat);
    assert_eq!(serde_json::to_value(&fluid).unwrap(), flat);
    assert_eq!(spec_from_json::<WallSpec>(&flat).unwrap(), grains);
    assert_eq!(spec_from_json::<FluidWallSpec>(&flat).unwrap(), fluid);
}

#[test]
fn structures_as_walls_of_moved_assemblies_stay_whole() {
    let folder = tempfile::tempdir().unwrap();
    let rod = "[[structures]]\nname = \"rod\"\n";
    let part = "[[grains]]\nname = \"sand\"\nwalls = [{ name = \"w\", type = \"structure\", structure = \"rod\" }]\n";
    std::fs::write(folder.path().join("part.toml"), format!("{rod}{part}")).unwrap();
    let whole = "[[include]]\nfile = \"part.toml\"\nprefix = \"left.\"\nposition = [1, 2, 3]\n";
    std::fs::write(folder.path().join("scene.toml"), whole).unwrap();
    let loaded = load_scene(folder.path().join("scene.toml"), &LoadOptions::default()).unwrap();
    let wall = &loaded.scene.grains[0].walls[0];
    assert_eq!(*wall, WallSpec::structure("w", "left.rod"));
    let again: WallSpec = spec_from_json(&serde_json::to_value(wall).unwrap()).unwrap();
    assert_eq!(again, *wall);
}

#[test]
fn the_schema_has_the_keys_of_each_type() {
    let schema = scene_schema();
    let types = |name: &str| schema["$defs"][name]["oneOf"].as_array().unwrap().clone();
    let of = |name: &str, kind: &str| {
        let found = types(name).into_iter().find(|t| t["properties"]["type"]["const"] == kind);
        found.unwrap_or_else(|| panic!("{name} has no type {kind}"))
    };
    let screw = of("JointSpec", "screw");
    assert_eq!(screw["required"], json!(["type", "a", "b", "pitch"]));
    assert_eq!(screw["properties"]["pitch"]["description"], "Displacement per turn [m].");
    assert_eq!((&screw["title"], &screw["additionalProperties"]), (&json!("Screw"), &json!(false)));
    assert!(screw["description"].as_str().unwrap().starts_with("Rotation about z coupled to translation"));
    let keys = |t: &Value| t["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert!(!keys(&of("JointSpec", "revolute")).contains(&"pitch".into()));
    let structure = keys(&of("WallSpec", "structure"));
    assert!(
        structure.contains(&"material".into()) && !structure.contains(&"position".into()),
        "{structure:?}"
    );
    assert_eq!(of("SectionSpec", "circle")["required"], json!(["radius"]));
    assert_eq!(of("SectionSpec", "tube")["required"], json!(["type", "radius", "inner_radius"]));
    // What the reader says is needed is what the schema says.
    for (name, noun) in [("JointSpec", "joint"), ("ShapeSpec", "shape"), ("WallSpec", "wall")] {
        for t in types(name) {
            let kind = t["properties"]["type"]["const"].as_str().unwrap();
            let bare = json!({ "type": kind });
            let error = match name {
                "JointSpec" => spec_from_json::<JointSpec>(&bare).err(),
                "ShapeSpec" => spec_from_json::<ShapeSpec>(&bare).err(),
                _ => spec_from_json::<WallSpec>(&bare).err(),
            };
            let needed = t["required"].as_array().unwrap().iter().any(|key| key != "type");
            assert_eq!(error.is_some(), needed, "{name} {kind}: {error:?}");
            if let Some(error) = error {
                assert!(error.problem.starts_with(&format!("a {noun} of type {kind} needs `")), "{error}");
            }
        }
    }
}

/// Checks that a text is refused at the last place where `blamed` stands in it, and words of what is said.
#[track_caller]
fn says(text: &str, blamed: &str, words: &str) {
    let error = refused(text);
    let before = &text[..text.rfind(blamed).expect(blamed)];
    let (line, column) = (before.matches('\n').count(), before.rsplit('\n').next().unwrap().chars().count());
    assert_eq!((error.line, error.column), (Some(line + 1), Some(column + 1)), "{error}");
    assert!(error.problem.contains(words), "{words:?} is not in: {error}");
}

/// Every table with a `type` that is no joint, shape, wall or section: a key of another type.
#[test]
fn keys_of_other_types_are_refused_in_all_tables() {
    let force = |keys: &str| format!("[[forces]]\nname = \"f\"\n{keys}");
    says(
        &force("type = \"spring\"\nmedium_velocity = [1, 0, 0]"),
        "medium_velocity",
        "a force of type spring has no `medium_velocity`; drag has",
    );
    says(
        &force("pitch = 1\ntype = \"rope\""),
        "pitch",
        "the key `pitch` is not known here; known are `type`, `name`, `a`, `b`",
    );
    says(&force("type = \"clutch\"\njoint = \"j\""), "joint", "a force of type clutch has no `joint`; ");
    says(
        &force("type = \"rope\"\na = \"x\"\nb = \"y\""),
        "[[forces]]",
        "a force of type rope needs `length`",
    );
    says(&force("length = 1"), "[[forces]]", "a force needs `type`, one of `spring`, ");
    let coupling = |keys: &str| format!("[[couplings]]\nname = \"c\"\n{keys}");
    says(
        &coupling("type = \"gear\"\njoint_a = \"x\"\njoint_b = \"y\"\npinion = \"x\""),
        "pinion",
        "a coupling of type gear has no `pinion`; rack_pinion has",
    );
    says(
        &coupling("type = \"belt\"\njoint_a = \"x\"\njoint_b = \"y\"\nradius_a = 1"),
        "[[couplings]]",
        "a coupling of type belt needs `radius_b`",
    );
    let signal = |keys: &str| format!("[[signals]]\nname = \"s\"\n{keys}");
    says(
        &signal("type = \"gain\"\ninput = \"u\"\nkp = 1"),
        "kp",
        "a signal of type gain has no `kp`; pid has",
    );
    says(
        &signal("type = \"filter\"\ninput = \"u\"\ntime_konstant = 1"),
        "time_konstant",
        "`time_konstant` is not known",
    );
    says(
        &signal(
            "type = \"pid\"\nreference = \"a\"\nmeasurement = \"b\"\nkp = 1\nanti_windup = { type = \"clamping\", tracking_time = 1 }",
        ),
        "tracking_time",
        "an anti-windup of type clamping has no `tracking_time`; back_calculation has",
    );
    let structure = |mesh: &str| format!("[[structures]]\nname = \"s\"\ngenerate = {{ {mesh} }}");
    says(
        &structure("type = \"beam\", from = [0, 0, 0], to = [1, 0, 0], pieces = 2, cells = [1, 1, 1]"),
        "cells",
        "a mesh of type beam has no `cells`; block has",
    );
    says(&structure("type = \"net\", meshes = [1, 1]"), "{ type = \"net", "a mesh of type net needs `sides`");
    let grains = |keys: &str| format!("[[grains]]\nname = \"sand\"\n{keys}");
    let fill = |region: &str, pattern: &str, sizes: &str| {
        grains(&format!(
            "[[grains.fills]]\nregion = {{ {region} }}\npattern = {{ {pattern} }}\nsizes = {{ {sizes} }}"
        ))
    };
    let (ball, lattice, sieves) = (
        "type = \"sphere\", center = [0, 0, 0], radius = 1",
        "type = \"cubic\", spacing = 1",
        "type = \"sieves\", sieves = []",
    );
    says(
        &fill("type = \"box\", low = [0, 0, 0], radius = 1", lattice, sieves),
        "radius",
        "a region of type box has no `radius`; cylinder and sphere have",
    );
    says(
        &fill("type = \"box\", low = [0, 0, 0]", lattice, sieves),
        "{ type = \"box",
        "a region of type box needs `high`",
    );
    says(
        &fill(ball, "type = \"random\", gap = 0", sieves),
        "gap",
        "a pattern of type random has no `gap`; poisson has",
    );
    says(
        &fill(ball, lattice, "type = \"uniform\", mean = 1"),
        "mean",
        "a distribution of sizes of type uniform has no `mean`; normal has",
    );
    says(
        &grains("[[grains.measures]]\nquantity = { type = \"coordination\", cells = 1 }"),
        "cells",
        "a quantity of type coordination has no `cells`; ",
    );
    says(
        &grains("[grains.drag]\nviscosity = 1\nflow = { type = \"shear\", velocity = [1, 0, 0] }"),
        "velocity",
        "a flow of type shear has no `velocity`; uniform has",
    );
    let settings = |keys: &str| format!("[settings]\n{keys}");
    says(
        &settings("integrator = { type = \"hht\", rho = 1 }"),
        "rho",
        "an integrator of type hht has no `rho`; generalized_alpha has",
    );
    says(
        &settings("newton = { solver = { type = \"minres\", restart = 3 } }"),
        "restart",
        "a linear solver of type minres has no `restart`; gmres has",
    );
    let fluid = |keys: &str| format!("[[fluids]]\nname = \"sea\"\n{keys}");
    says(
        &fluid("rheology = { type = \"newtonian\", viscosity = 1, exponent = 1 }"),
        "exponent",
        "a rheology of type newtonian has no `exponent`; power_law and herschel_bulkley have",
    );
    says(
        &fluid("state = { type = \"linear\", exponent = 7 }"),
        "exponent",
        "an equation of state of type linear has no `exponent`; tait has",
    );
    let body = |solid: &str| format!("[[bodies]]\nname = \"b\"\nshape = {{ {solid} }}");
    says(
        &body("type = \"sphere\", radius = 1, size = [1, 1, 1]"),
        "size",
        "a solid of type sphere has no `size`; box has",
    );
}

/// A key or a type that has another name now is refused with that name, at its place.
#[test]
fn old_names_are_told_the_new_ones() {
    let force = |keys: &str| format!("[[forces]]\nname = \"f\"\n{keys}");
    for old in ["rotational_spring", "torsion_spring"] {
        let text = force(&format!("type = \"{old}\"\njoint = \"j\""));
        says(&text, &format!("\"{old}"), &format!("\"{old}\" is now called \"coordinate_spring\""));
    }
    says(
        &force("type = \"coordinate_spring\"\njoint = \"j\"\nangle = 1"),
        "angle",
        "the key `angle` is now called `rest`",
    );
    let error = refused(&force("type = \"coordinate_spring\"\nshaft_a = \"a\""));
    assert_eq!(error.to_string(), "scene.toml:4:1: force 'f': the key `shaft_a` is now called `shaft`");
    // A struct that derives serde's own traits.
    let laws = "[[grains]]\nname = \"sand\"\nlaws = { rolling = \"none\", twisting = \"none\" }\n";
    says(laws, "twisting", "the key `twisting` is now called `spinning`");
    // Marks are no keys, and lists of known keys do not show them.
    says(&force("type = \"coordinate_spring\"\n\"angle -> rest\" = 1"), "\"angle", "is not known here");
    says(&laws.replace("twisting", "\"twisting -> spinning\""), "\"twisting", "is not known here");
    let error = refused(&laws.replace("twisting", "twist"));
    assert!(!error.problem.contains("->") && error.problem.contains("`spinning`"), "{error}");
    assert!(!scene_schema().to_string().contains("->"), "the schema shows no marks");
}
