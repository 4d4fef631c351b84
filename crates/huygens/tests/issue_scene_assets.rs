//! Every file that a scene names is looked for beside the scene, stays in its folder and counts in its hash.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use huygens::prelude::*;

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
const HILLS: &str = "0 0 0\n0 0.01 0\n0 0 0\n";
const BED: &str = "x,y,z,radius\n0,0,0.5,0.01\n0.1,0,0.5,0.01\n";
const TETRAHEDRON: &str =
    "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4, ELSET=all\n1, 1, 2, 3, 4\n";

/// A way of naming a file in a scene.
struct Kind {
    /// Description that has the key `file`.
    definition: &'static str,
    /// The scene, with FILE in place of the name, which stands on the third line.
    scene: &'static str,
    ending: &'static str,
    content: &'static str,
    /// What other content the file may have.
    change: [&'static str; 2],
    object: &'static str,
}

const MESH: [&str; 2] = ["v 1 1 1", "v 1 1 1.1"];

fn kinds() -> Vec<Kind> {
    let mesh = |definition, scene, object| Kind {
        definition,
        scene,
        ending: "obj",
        content: CUBE,
        change: MESH,
        object,
    };
    let hills = |definition, scene, object| Kind {
        ending: "txt",
        content: HILLS,
        change: ["0.01", "0.02"],
        ..mesh(definition, scene, object)
    };
    vec![
        mesh(
            "ShapeSpec",
            "[[bodies]]\nname = \"part\"\nshapes = [{ type = \"sphere\", radius = 0.1 }, { type = \"mesh\", file = \"FILE\" }]\ndensity = 1000\n",
            "body 'part'",
        ),
        mesh(
            "ShapeSpec",
            "[[bodies]]\nname = \"part\"\nshapes = [{ type = \"hull\", file = \"FILE\" }]\ndensity = 1000\n",
            "body 'part'",
        ),
        hills(
            "ShapeSpec",
            "[[bodies]]\nname = \"part\"\nshapes = [{ type = \"height_field\", size = [2, 2], file = \"FILE\" }]\nkind = \"fixed\"\n",
            "body 'part'",
        ),
        mesh(
            "ShapeSpec",
            "[[fills]]\nname = \"part\"\nshape = { type = \"mesh\", file = \"FILE\", scale = 0.1 }\ndensity = 1000\ncount = [1, 1, 1]\nposition = [0, 0, 1]\n",
            "fill 'part'",
        ),
        mesh(
            "WallSpec",
            "[[grains]]\nname = \"sand\"\nwalls = [{ name = \"w\", type = \"mesh\", file = \"FILE\" }]\n",
            "grains 'sand'",
        ),
        Kind {
            ending: "csv",
            content: BED,
            change: ["0.1,0,0.5", "0.2,0,0.5"],
            ..mesh(
                "ParticlesSpec",
                "[[grains]]\nname = \"sand\"\nparticles = [{ positions = [[1, 1, 1]], radius = 0.01, density = 1 }, { file = \"FILE\", density = 2500 }]\n",
                "grains 'sand'",
            )
        },
        mesh(
            "FillMeshSpec",
            "[[grains]]\nname = \"sand\"\nfills = [{ mesh = { file = \"FILE\" }, pattern = { type = \"cubic\", spacing = 0.2 }, radius = 0.05, density = 1000 }]\n",
            "grains 'sand'",
        ),
        mesh(
            "FluidWallSpec",
            "[[fluids]]\nname = \"water\"\nwalls = [{ name = \"w\", type = \"mesh\", file = \"FILE\", position = [5, 0, 0] }]\nspacing = 0.1\nfills = [{ region = { type = \"box\", low = [0, 0, 0], high = [0.5, 0.5, 0.5] } }]\n",
            "fluid 'water'",
        ),
        hills(
            "FluidWallSpec",
            "[[fluids]]\nname = \"water\"\nwalls = [{ name = \"w\", type = \"height_field\", size = [2, 2], file = \"FILE\", position = [5, 0, 0] }]\nspacing = 0.1\nfills = [{ region = { type = \"box\", low = [0, 0, 0], high = [0.5, 0.5, 0.5] } }]\n",
            "fluid 'water'",
        ),
        mesh(
            "FillMeshSpec",
            "[[fluids]]\nname = \"water\"\nfills = [{ mesh = { file = \"FILE\" } }]\nspacing = 0.1\n",
            "fluid 'water'",
        ),
        Kind {
            ending: "inp",
            content: TETRAHEDRON,
            change: ["4, 0, 0, 1", "4, 0, 0, 1.1"],
            ..mesh(
                "StructureSpec",
                "[[structures]]\nname = \"part\"\nfile = \"FILE\"\nelement = \"tetrahedron\"\nmaterial = { young = 1e6, poisson = 0.3, density = 1000 }\n",
                "structure 'part'",
            )
        },
    ]
}

/// Writes a scene that names `file` and loads it.
fn load(kind: &Kind, folder: &Path, file: &str, options: &LoadOptions) -> Result<LoadedScene, SceneError> {
    let mut text = kind.scene.replace("FILE", file);
    if text.starts_with("[[grains]]") {
        text += "material = \"glass\"\n[[materials]]\nname = \"glass\"\nyoung = 5e6\npoisson = 0.2\n";
    }
    fs::write(folder.join("scene.toml"), text).unwrap();
    load_scene(folder.join("scene.toml"), options)
}

#[test]
fn files_lie_beside_the_scene_and_count_in_its_hash() {
    for kind in kinds() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("data.{}", kind.ending);
        let path = folder.path().join(&name);
        let none = LoadOptions::default();
        fs::write(&path, kind.content).unwrap();
        let loaded = load(&kind, folder.path(), &name, &none).unwrap_or_else(|e| panic!("{e}"));
        loaded
            .world()
            .and_then(|mut w| w.initialize().map(|_| ()).map_err(|e| loaded.explain(e)))
            .unwrap_or_else(|e| panic!("{}: {e}", kind.scene));
        let real = path.canonicalize().unwrap();
        assert!(loaded.files().any(|f| f == real), "{}: the file is not listed", kind.scene);
        let [from, to] = kind.change;
        assert!(kind.content.contains(from));
        fs::write(&path, kind.content.replacen(from, to, 1)).unwrap();
        let changed = load(&kind, folder.path(), &name, &none).unwrap();
        assert_ne!(loaded.hash(), changed.hash(), "{}: the hash does not see the file", kind.scene);
        fs::write(&path, kind.content).unwrap();
        assert_eq!(loaded.hash(), load(&kind, folder.path(), &name, &none).unwrap().hash());
    }
}

#[test]
fn files_stay_in_the_folder_of_the_scene() {
    for kind in kinds() {
        let outside = tempfile::tempdir().unwrap();
        let inside = outside.path().join("scenes");
        fs::create_dir(&inside).unwrap();
        let name = format!("data.{}", kind.ending);
        fs::write(outside.path().join(&name), kind.content).unwrap();
        let refused = |file: &str, words: &str| {
            let error = match load(&kind, &inside, file, &LoadOptions::default()) {
                Ok(_) => panic!("{} was not refused:\n{}", file, kind.scene),
                Err(error) => error,
            };
            assert!(error.to_string().contains(words), "{error}");
            assert!(error.file.ends_with("scene.toml"), "{error}");
            assert_eq!((error.line, error.object.as_deref()), (Some(3), Some(kind.object)), "{error}");
        };
        refused(&format!("../{name}"), "outside the scene's folder");
        refused(&outside.path().join(&name).display().to_string(), "outside the scene's folder");
        refused(&format!("missing.{}", kind.ending), "there is no file");
        fs::create_dir(inside.join(format!("folder.{}", kind.ending))).unwrap();
        refused(&format!("folder.{}", kind.ending), "not a file");
        let root = LoadOptions { asset_root: Some(outside.path().into()), ..LoadOptions::default() };
        load(&kind, &inside, &name, &root).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// A description that gets a key `file` has to be added to the kinds above.
#[test]
fn every_description_with_a_file_is_tested() {
    let schema = huygens::scene_schema();
    let with_file: BTreeSet<&str> = schema["$defs"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, d)| {
            let types = d["oneOf"].as_array().into_iter().flatten();
            types.chain([*d]).any(|t| t["properties"].get("file").is_some())
        })
        .map(|(name, _)| name.as_str())
        .collect();
    let tested: BTreeSet<&str> = kinds().iter().map(|k| k.definition).collect();
    // Includes have tests of their own; probes name a file that is written.
    let others = BTreeSet::from(["Include", "ProbeSpec"]);
    assert_eq!(with_file, &tested | &others);
}
