//! Wrong descriptions of grains, as a user of a scene file meets them: file, line, object, what is expected.

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

const HEAD: &str = "\
settings.dt = 1e-3
materials = [{ name = \"glass\", young = 5e6, poisson = 0.2 }, { name = \"steel\", young = 5e6, poisson = 0.3 }]
[[grains]]
name = \"sand\"
";

/// Loads a scene, builds it and runs it for a moment: its warnings, or what is wrong.
fn attempt(text: &str) -> Result<(World, Vec<String>), SceneError> {
    let scene = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default())?;
    let mut world = scene.world()?;
    world.run(0.02).map_err(|e| scene.explain(e))?;
    let warnings = world.warnings().to_vec();
    Ok((world, warnings))
}

fn refused(text: &str, line: usize, expected: &[&str]) {
    let error = match attempt(text) {
        Ok(_) => panic!("this was not refused:\n{text}"),
        Err(error) => error,
    };
    let message = error.to_string();
    for part in expected.iter().chain(&["test.toml"]) {
        assert!(message.contains(part), "{text}\nsays: {message}\nwithout: {part}");
    }
    assert_eq!(error.line, Some(line), "{text}\n{message}");
}

const BOX: &str = "region = { type = \"box\", low = [0, 0, 0], high = [0.1, 0.1, 0.1] }";
const CUBIC: &str = "pattern = { type = \"cubic\", spacing = 0.01 }";

#[test]
fn each_is_refused_where_it_stands() {
    let fill = |keys: &str| format!("fills = [{{ {BOX}, {CUBIC}, {keys} }}]");
    let inlet = |keys: &str| format!("inlets = [{{ name = \"spout\", {BOX}, {keys} }}]");
    let particles = |keys: &str| format!("particles = [{{ {keys} }}]");
    let clump = |keys: &str| format!("clumps = [{{ name = \"nut\", {keys} }}]");
    let measure = |keys: &str| format!("measures = [{{ name = \"m\", {keys} }}]");
    let cases: [(String, &[&str]); 29] = [
        // Radius and density.
        (particles("positions = [[0, 0, 1]], radius = -0.5, density = 1"), &["radius = -0.5", "positive"]),
        (particles("positions = [[0, 0, 1]], radius = 0.5, density = 0"), &["density = 0", "positive"]),
        (particles("positions = [], radius = 0.5, density = 1"), &["`positions`, or a `file`"]),
        (particles("file = \"none.csv\", density = 1"), &["none.csv"]),
        (fill("radius = -0.004, density = 2500"), &["radius", "-0.004", "above 0"]),
        (fill("radius = 0.004, density = 0"), &["density", "0", "above 0"]),
        (fill("radius = 0.004"), &["needs a `density`"]),
        (fill("sizes = { type = \"uniform\", least = 0.004, most = 0.001 }, density = 1"), &["radi"]),
        (inlet("rate = 10, radius = -0.01, density = 1"), &["radius", "-0.01"]),
        (inlet("rate = 10, radius = 0.01, density = 0"), &["density", "0"]),
        (clump("density = 1, spheres = [{ position = [0, 0, 0], radius = 0 }]"), &["radius = 0", "positive"]),
        (clump("density = 0, spheres = [{ position = [0, 0, 0], radius = 1 }]"), &["density = 0"]),
        (clump("density = 1, spheres = []"), &["0 spheres"]),
        (fill("clump = \"nutt\""), &["there is no clump 'nutt'"]),
        // Overlaps.
        (fill("radius = 0.008, density = 1"), &["overlap"]),
        (
            format!("fills = [{{ {BOX}, {CUBIC}, radius = 0.005, density = 1 }}, {{ {BOX}, {CUBIC}, radius = 0.004, \
                     density = 1 }}]"),
            &["overlap by", "grains"],
        ),
        (fill("radius = 0.2, density = 1"), &["no grain fits"]),
        // Inlets that give nothing.
        (inlet("rate = 0, radius = 0.01, density = 1"), &["spout", "emits nothing"]),
        (inlet("rate = 10, radius = 0.2, density = 1"), &["spout", "emits nothing"]),
        (inlet("rate = 10, count = 0, radius = 0.01, density = 1"), &["spout", "above 0"]),
        (inlet("radius = 0.01, density = 1"), &["needs a `rate`"]),
        // Rain.
        (
            format!("fills = [{{ {BOX}, pattern = {{ type = \"rainfall\" }}, radius = 0.004, density = 1 }}]"),
            &["`count`", "`mass`"],
        ),
        // Grains that leave a closed world.
        (
            "boundary = { type = \"closed\", low = [-1, -1, -1], high = [1, 1, 1] }\nparticles = [{ positions = [[0, 0, \
             0]], radius = 0.1, density = 1, velocity = [200, 0, 0] }]"
                .into(),
            &["grain 0 left the closed boundary"],
        ),
        // Measures.
        (measure("quantity = { type = \"stress\" }"), &["`region` or `cells`"]),
        (
            measure("quantity = { type = \"stress\", cells = { low = [0, 0, 0], high = [1, 1, 1], count = [0, 1, 1] } }"),
            &["count = [0, 1, 1]"],
        ),
        (measure("every = 0, quantity = { type = \"coordination\" }"), &["every = 0"]),
        (measure("vtk = true, quantity = { type = \"coordination\" }"), &["`cells`"]),
        (measure("quantity = { type = \"heat\" }"), &["heat"]),
        (
            measure(
                "quantity = { type = \"segregation\", first = { material = \"gold\" }, cells = { low = [0, 0, 0], high = \
                 [1, 1, 1], count = [1, 1, 1] } }",
            ),
            &["material 'gold', which does not exist"],
        ),
    ];
    for (keys, expected) in cases {
        let text = format!("{HEAD}{keys}\n");
        // What is found out between fills or in a run is said of the whole set, which starts at its first line.
        let of_the_set = expected[0] == "overlap by" || expected[0].contains("left the closed boundary");
        let error = attempt(&text).err().unwrap_or_else(|| panic!("this was not refused:\n{text}"));
        assert!(error.to_string().contains("sand"), "{text}\n{error}");
        refused(&text, if of_the_set { 3 } else { 5 }, expected);
    }
}

#[test]
fn materials_out_of_range_and_unknown_pairs_are_refused() {
    for (keys, expected) in [
        ("young = -1, poisson = 0.2", &["young", "-1"]),
        ("young = 0, poisson = 0.2", &["young", "0"]),
        ("young = 1e6, poisson = 0.6", &["poisson", "0.6"]),
        ("young = 1e6, poisson = -1.5", &["poisson", "-1.5"]),
    ] {
        let text = format!("[[materials]]\nname = \"jelly\"\n{}\n", keys.replace(", ", "\n"));
        let line = if expected[0] == "young" { 3 } else { 4 };
        refused(&text, line, &[expected[0], expected[1], "material 'jelly'"]);
    }
    let pair = "contact_pairs = [{ materials = [\"glass\", \"glas\"], friction = 0.1 }]\n";
    refused(&format!("{pair}{HEAD}"), 1, &["glas", "material"]);
}

#[test]
fn numbers_that_run_away_name_the_grain_and_what_it_touches() {
    let text = format!(
        "{HEAD}step = 1e-3\nwalls = [{{ name = \"floor\", type = \"plane\" }}]\nparticles = [{{ positions = [[0, 0, 1e-3], \
         [0, 0, 2.9e-3]], radius = 1e-3, density = 1e-300, velocity = [0, 0, -1e300] }}]\n"
    );
    refused(&text, 3, &["particle", "not finite", "it touches"]);
}

#[test]
fn some_are_warned_about() {
    let long = format!(
        "{HEAD}step = 1e-3\nparticles = [{{ positions = [[0, 0, 1e-3]], radius = 1e-3, density = 2500 }}]\n"
    );
    let (mut world, warnings) = attempt(&long).unwrap();
    let warning = warnings.iter().find(|w| w.contains("step = 1e-3 s is long")).expect("a warning");
    assert!(warning.contains("grains 'sand'") && warning.contains("s resolves"), "{warning}");
    let sand = world.grains("sand").unwrap();
    assert_eq!(world.grain_step(sand).unwrap(), 1e-3);

    let hole = format!(
        "{HEAD}walls = [{{ name = \"bowl\", type = \"mesh\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles \
         = [[0, 2, 1], [0, 1, 3], [0, 3, 2]] }}]\n"
    );
    let (_, warnings) = attempt(&hole).unwrap();
    let warning = warnings.iter().find(|w| w.contains("wall 'bowl'")).expect("a warning");
    assert!(warning.contains("3 edges belong to one triangle only") && warning.contains("hole"), "{warning}");
}

#[test]
fn what_leaves_an_open_world_is_counted() {
    let text = format!(
        "{HEAD}boundary = {{ type = \"open\", low = [-1, -1, -1], high = [1, 1, 1] }}\nparticles = [{{ positions = [[0, 0, 0], \
         [0, 0.5, 0]], velocities = [[200, 0, 0], [0, 0, 0]], radius = 0.1, density = 1 }}]\n"
    );
    let (mut world, _) = attempt(&text).unwrap();
    assert_eq!(world.measure_grains("sand/boundary", "count").unwrap(), [1.0]);
    assert_eq!(world.measure_grains("sand", "count").unwrap(), [1.0]);
}
