//! Things that are not there are in no picture, no table and no file, and the others stay as they are.

use std::ops::ControlFlow;
use std::path::Path;

use glam::DVec3;
use huygens_record::recording::{
    Batch, BatchKind, Field, Frame, Group, GroupFrame, GroupKind, JointMark, Look, Recording,
    RecordingSettings, RecordingWriter, Scalar, Stage, Tubes,
};
use huygens_render::export::table::TableField;
use huygens_render::export::{ExportProgress, FrameChoice, gltf, obj, table, vtk};
use huygens_render::{Scene, View, frame_at_time};

/// Who is there at 0 s, 1 s …
const STORY: [&[&str]; 5] =
    [&["red"], &["red", "green"], &["red", "green", "blue"], &["green", "blue"], &["blue"]];

fn x_of(name: &str) -> f32 {
    ["red", "green", "blue"].iter().position(|other| *other == name).unwrap() as f32 * 3.0
}

fn field(name: &str, components: usize) -> Field {
    Field { name: name.into(), unit: "m".into(), components }
}

fn group(name: &str, kind: GroupKind, names: Vec<String>) -> Group {
    let fields = vec![field("position", 3)];
    Group { name: name.into(), kind, names, fields, constants: Vec::new(), constant_values: Vec::new() }
}

/// Balls, each with a mast: a tube between its centre and a point above.
fn stage(names: &[&str]) -> Stage {
    let own: Vec<String> = names.iter().map(|name| (*name).into()).collect();
    let masts = own.iter().flat_map(|name| [name.clone(), name.clone()]).collect();
    let count = names.len() as u32;
    let look = |name: &&str| {
        let color = ["red", "green", "blue"].map(|own| if own == *name { 1.0 } else { 0.0 });
        Look {
            name: (*name).into(),
            color: [color[0], color[1], color[2], 1.0],
            roughness: 1.0,
            metal: false,
        }
    };
    Stage {
        name: "balls".into(),
        up: [0.0, 0.0, 1.0],
        groups: vec![group("bodies", GroupKind::Bodies, own), group("masts", GroupKind::Nodes, masts)],
        scalars: names.iter().map(|name| Scalar { name: (*name).into(), unit: String::new() }).collect(),
        looks: names.iter().map(look).collect(),
        batches: vec![Batch {
            kind: BatchKind::Sphere,
            group: 0,
            mesh: None,
            visual: false,
            items: (0..count).collect(),
            looks: (0..count).collect(),
            sizes: vec![1.0; names.len()],
            positions: Vec::new(),
            rotations: Vec::new(),
        }],
        tubes: vec![Tubes { group: 1, look: 0, radius: 0.1, segments: (0..2 * count).collect() }],
        joints: vec![JointMark { name: names.concat(), a: Some(0), ..JointMark::default() }],
        ..Stage::default()
    }
}

fn frame(names: &[&str], time: f64) -> Frame {
    let centers = names.iter().flat_map(|name| [x_of(name), 0.0, 0.0]).collect();
    let masts = names.iter().flat_map(|name| [x_of(name), 0.0, 0.0, x_of(name), 0.0, 2.0]).collect();
    let group = |count, values| GroupFrame { count, fields: vec![values] };
    let scalars = names.iter().map(|name| f64::from(x_of(name))).collect();
    let groups = vec![group(names.len(), centers), group(2 * names.len(), masts)];
    Frame { time, step: time as u64, scalars, groups }
}

fn recording(path: &Path) -> Recording {
    let settings = RecordingSettings { interval: 0.0, ..RecordingSettings::default() };
    let mut writer = RecordingWriter::create(path, &stage(STORY[0]), &settings).unwrap();
    for (time, names) in STORY.iter().enumerate() {
        writer.restage(&stage(names)).unwrap();
        writer.push(frame(names, time as f64)).unwrap();
    }
    writer.finish().unwrap();
    Recording::open(path).unwrap()
}

fn on(_: ExportProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn rays_meet_only_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut recording = recording(&folder.path().join("run.hrec"));
    let stage = recording.stage().clone();
    assert_eq!(stage.groups[0].names, ["red", "green", "blue"]);
    let seen = |frame: &Frame| -> Vec<String> {
        let scene = Scene::build(&stage, frame, &View::default()).unwrap();
        let ball = |name: &&str| {
            let eye = DVec3::new(f64::from(x_of(name)), -20.0, 0.0);
            let hit = scene.hit(eye, DVec3::Y).filter(|hit| hit.group == Some(0));
            let mast = scene.hit(eye + 1.5 * DVec3::Z, DVec3::Y).filter(|hit| hit.group == Some(1));
            assert_eq!(hit.is_some(), mast.is_some(), "{name} and its mast at {} s", frame.time);
            hit.map(|hit| stage.groups[0].names[hit.item].clone())
        };
        ["red", "green", "blue"].iter().filter_map(ball).collect()
    };
    for (index, names) in STORY.iter().enumerate() {
        assert_eq!(seen(&recording.frame(index).unwrap()), *names, "frame {index}");
        let joints: Vec<&str> =
            stage.joints.iter().filter(|joint| joint.is_there(index as f64)).map(|j| &*j.name).collect();
        assert_eq!(joints, [names.concat()], "frame {index}");
    }
    // Between two frames things are as in the nearer one, and where both have them they are blended.
    for (time, names) in [(0.4, STORY[0]), (0.6, STORY[1]), (2.4, STORY[2]), (2.6, STORY[3]), (3.7, STORY[4])]
    {
        assert_eq!(seen(&frame_at_time(&mut recording, time).unwrap()), names, "at {time} s");
    }
    let followed = View::from_json(r#"{ "camera": { "follow": "blue" } }"#).unwrap();
    for index in 0..STORY.len() {
        Scene::build(&stage, &recording.frame(index).unwrap(), &followed).unwrap();
    }
}

#[test]
fn tables_have_no_numbers_of_what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let recording = recording(&folder.path().join("run.hrec"));
    let path = folder.path().join("a.csv");
    let all = &FrameChoice::All;
    table::write_csv(&recording, all, &[TableField::new("bodies", "position")], &path, &mut on).unwrap();
    let rows = std::fs::read_to_string(&path).unwrap();
    let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|row| row.split(',').collect()).collect();
    let expected = STORY.iter().enumerate().flat_map(|(time, names)| {
        names
            .iter()
            .map(move |name| [format!("{:?}", time as f64), (*name).into(), format!("{:?}", x_of(name))])
    });
    let found: Vec<[String; 3]> =
        rows.iter().map(|row| [row[0], row[1], row[2]].map(str::to_owned)).collect();
    assert_eq!(found, expected.collect::<Vec<_>>());

    table::write_scalars_csv(&recording, all, &path, &mut on).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let cells = |name: &str, index: usize| {
        if STORY[index].contains(&name) { format!("{:?}", f64::from(x_of(name))) } else { String::new() }
    };
    for (index, row) in text.lines().skip(1).enumerate() {
        let expected: Vec<String> = ["red", "green", "blue"].map(|name| cells(name, index)).to_vec();
        assert_eq!(row.split(',').skip(2).collect::<Vec<_>>(), expected, "row {index}");
    }

    let path = folder.path().join("a.npz");
    table::write_npz(&recording, all, &[TableField::new("bodies", "position")], &path, &mut on).unwrap();
    // Every frame has a row for each body, so that there is one array and no counts.
    let names: Vec<String> = {
        let archive = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&archive).into_owned();
        ["bodies.position.npy", "bodies.position.counts"].map(|n| format!("{n} {}", text.contains(n))).into()
    };
    assert_eq!(names, ["bodies.position.npy true", "bodies.position.counts false"]);
}

#[test]
fn files_for_other_programs_hold_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let recording = recording(&folder.path().join("run.hrec"));
    let (all, view) = (&FrameChoice::All, View::default());
    let vtk_folder = folder.path().join("vtk");
    vtk::write(&recording, all, &vtk_folder, &mut on).unwrap();
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    for (index, names) in STORY.iter().enumerate() {
        let count = |name: &str| text(&vtk_folder.join(format!("{name}/{name}_{index:05}.vtp")));
        assert!(count("bodies").contains(&format!("NumberOfPoints=\"{}\"", names.len())), "frame {index}");
        let tubes = count("masts_tubes");
        assert!(tubes.contains(&format!("NumberOfPoints=\"{}\"", 2 * names.len())), "frame {index}");
        assert!(tubes.contains(&format!("NumberOfLines=\"{}\"", names.len())), "frame {index}");
    }
    let path = folder.path().join("a.obj");
    for (index, names) in STORY.iter().enumerate() {
        obj::write(&recording, index as f64, &view, &path, &mut on).unwrap();
        let written = text(&path);
        let objects: Vec<&str> = written.lines().filter_map(|line| line.strip_prefix("o ")).collect();
        let balls: Vec<&str> = objects[..names.len()].to_vec();
        assert_eq!(balls, *names, "frame {index}");
        assert_eq!(objects.len(), 2 * names.len());
        assert!(!written.contains("NaN"), "frame {index}");
    }
    let path = folder.path().join("a.glb");
    gltf::write(&recording, all, &view, &path, &mut on).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let nodes = json["nodes"].as_array().unwrap();
    let named = |name: &str| nodes.iter().position(|node| node["name"] == name).unwrap();
    for name in ["red", "green", "blue"] {
        // What comes or goes is scaled to nothing meanwhile.
        let channels = json["animations"][0]["channels"].as_array().unwrap();
        let scaled = channels
            .iter()
            .find(|channel| channel["target"]["node"] == named(name) && channel["target"]["path"] == "scale");
        let sampler = scaled.unwrap()["sampler"].as_u64().unwrap() as usize;
        let accessor = json["animations"][0]["samplers"][sampler]["output"].as_u64().unwrap() as usize;
        let view = json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        let offset = json["bufferViews"][view]["byteOffset"].as_u64().unwrap_or(0)
            + json["accessors"][accessor]["byteOffset"].as_u64().unwrap_or(0);
        let start = 20 + length + 8 + offset as usize;
        let scale = |index: usize| {
            f32::from_le_bytes(bytes[start + 12 * index..start + 12 * index + 4].try_into().unwrap())
        };
        for (index, names) in STORY.iter().enumerate() {
            assert_eq!(scale(index) != 0.0, names.contains(&name), "{name} in frame {index}");
        }
    }
}
