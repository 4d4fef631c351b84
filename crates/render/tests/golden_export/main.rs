//! Exports, read back by other means and compared with the frames they came from.

mod sample;

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use glam::{DVec3, Mat4, Quat, Vec3};
use huygens_exec::Exec;
use huygens_record::Recording;
use huygens_record::recording::{Frame, RecordingSettings, RecordingWriter, Stage};
use huygens_render::export::table::TableField;
use huygens_render::export::{
    ExportError, ExportProgress, ExportReport, FrameChoice, gltf, obj, povray, table, vtk,
};
use huygens_render::{Image, Renderer, Scene, View};
use sample::{BODIES, CONTACTS, FRAMES, GRAINS, PEBBLES};
use serde_json::{Value, json};

fn on(_: ExportProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A folder of exports, all of them.
fn everything(recording: &Recording, folder: &Path) -> Vec<ExportReport> {
    let all = &FrameChoice::All;
    let fields = TableField::all(recording.stage());
    let view = View { size: [640, 400], samples: 1, ..View::default() };
    vec![
        vtk::write(recording, all, &folder.join("vtk"), &mut on).unwrap(),
        gltf::write(recording, all, &view, &folder.join("run.glb"), &mut on).unwrap(),
        povray::write(recording, &FrameChoice::At(vec![0.0, 0.5]), &view, &folder.join("pov"), &mut on)
            .unwrap(),
        table::write_npz(recording, all, &fields, &folder.join("run.npz"), &mut on).unwrap(),
        obj::write(recording, 0.3, &view, &folder.join("run.obj"), &mut on).unwrap(),
    ]
}

/// Leaves all exports and the numbers they must hold in `HUYGENS_EXPORTS`, for the checks by other programs.
#[test]
fn every_export_is_written_and_leaves_no_temporary_file() {
    let temporary = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("HUYGENS_EXPORTS").map(PathBuf::from);
    let folder = kept.unwrap_or_else(|| temporary.path().into());
    std::fs::create_dir_all(&folder).unwrap();
    let recording = sample::recording(&folder);
    let reports = everything(&recording, &folder);
    for report in &reports {
        let size: u64 = report.files.iter().map(|file| std::fs::metadata(file).unwrap().len()).sum();
        assert_eq!(size, report.bytes);
    }
    assert!(reports[1].notes.iter().any(|note| note.contains("skins of 'nodes'")), "{:?}", reports[1].notes);
    let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.map(|name| name.to_string_lossy().into_owned()).all(|name| !name.starts_with('.')));
    own_picture(&recording).write_png(&folder.join("own.png")).unwrap();
    let truth = truth(recording.stage(), &sample::frames());
    std::fs::write(folder.join("truth.json"), serde_json::to_vec(&truth).unwrap()).unwrap();
}

/// What the second picture of POV-Ray shows, by the project's own ray tracer.
fn own_picture(recording: &Recording) -> Image {
    let view = View { size: [640, 400], samples: 1, ..View::default() };
    let frames = [0, 5].map(|i| recording.frame(i).unwrap());
    let renderer = Renderer::new(recording.stage(), &[&frames[0], &frames[1]], &view).unwrap();
    renderer.render(&Exec::serial(), &frames[1]).unwrap().into_image().unwrap()
}

fn truth(stage: &Stage, frames: &[Frame]) -> Value {
    let group = |number: usize| {
        let fields = stage.groups[number].fields.iter().enumerate().map(|(index, field)| {
            let values: Vec<&Vec<f32>> = frames.iter().map(|f| &f.groups[number].fields[index]).collect();
            (field.name.clone(), json!({ "components": field.components, "values": values }))
        });
        let counts: Vec<usize> = frames.iter().map(|f| f.groups[number].count).collect();
        let fields: serde_json::Map<String, Value> = fields.collect();
        (stage.groups[number].name.clone(), json!({ "counts": counts, "fields": fields }))
    };
    let groups: serde_json::Map<String, Value> = (0..stage.groups.len()).map(group).collect();
    let times: Vec<f64> = frames.iter().map(|f| f.time).collect();
    let energy: Vec<f64> = frames.iter().map(|f| f.scalars[0]).collect();
    json!({ "times": times, "groups": groups, "energy": energy })
}

/// A numeric array of a VTP file.
fn vtp_array(bytes: &[u8], parent: &str, name: &str) -> Vec<f32> {
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let cut = bytes.windows(mark.len()).position(|w| w == mark).unwrap();
    let text = format!("{}</VTKFile>", std::str::from_utf8(&bytes[..cut]).unwrap());
    let xml = roxmltree::Document::parse(&text).unwrap();
    let array = xml
        .descendants()
        .find(|n| n.attribute("Name") == Some(name) && n.parent().unwrap().has_tag_name(parent))
        .unwrap();
    assert_eq!(array.attribute("type"), Some("Float32"));
    let mut rest = &bytes[cut + mark.len() + array.attribute("offset").unwrap().parse::<usize>().unwrap()..];
    let mut number = || {
        let (head, tail) = rest.split_first_chunk::<8>().unwrap();
        rest = tail;
        u64::from_le_bytes(*head) as usize
    };
    let (blocks, whole, last) = (number(), number(), number());
    let sizes: Vec<usize> = (0..blocks).map(|_| number()).collect();
    let mut raw = Vec::new();
    for size in sizes {
        let (block, tail) = rest.split_at(size);
        flate2::read::ZlibDecoder::new(block).read_to_end(&mut raw).unwrap();
        rest = tail;
    }
    let expected = if last == 0 { blocks * whole } else { (blocks - 1) * whole + last };
    assert_eq!(raw.len(), expected);
    raw.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn vtk_series_hold_the_recorded_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let target = folder.path().join("vtk");
    vtk::write(&recording, &FrameChoice::All, &target, &mut on).unwrap();
    let read = |series: &str, frame: usize| {
        std::fs::read(target.join(format!("{series}/{series}_{frame:05}.vtp"))).unwrap()
    };
    for (number, frame) in sample::frames().iter().enumerate() {
        assert_eq!(vtp_array(&read("bodies", number), "Points", "Points"), frame.groups[0].fields[0]);
        assert_eq!(vtp_array(&read("bodies", number), "PointData", "rotation"), frame.groups[0].fields[1]);
        assert_eq!(vtp_array(&read("contacts", number), "PointData", "force"), frame.groups[2].fields[1]);
        assert_eq!(vtp_array(&read("nodes_skin", number), "Points", "Points"), frame.groups[3].fields[0]);
        let radii = vtp_array(&read("grains", number), "PointData", "radius");
        assert_eq!(radii, [0.05, 0.06, 0.07, 0.08, 0.09][..GRAINS[number]]);
        assert_eq!(vtp_array(&read("contacts", number), "Points", "Points").len(), 3 * CONTACTS[number]);
        // Of two tetrahedra those are there whose corners are.
        let cells =
            std::fs::read(target.join(format!("elements_cells/elements_cells_{number:05}.vtu"))).unwrap();
        assert_eq!(vtp_array(&cells, "Points", "Points"), frame.groups[3].fields[0]);
        let whole = [4, 5].iter().filter(|corners| **corners <= frame.groups[3].count).count();
        assert_eq!(vtp_array(&cells, "CellData", "stress"), frame.groups[5].fields[1][..6 * whole]);
    }
    let pvd = std::fs::read_to_string(target.join("scene.pvd")).unwrap();
    let xml = roxmltree::Document::parse(&pvd).unwrap();
    let sets: Vec<_> = xml.descendants().filter(|n| n.has_tag_name("DataSet")).collect();
    assert_eq!(sets.len(), 11 * FRAMES);
    for set in sets {
        let file = target.join(set.attribute("file").unwrap());
        let time: f64 = set.attribute("timestep").unwrap().parse().unwrap();
        let number: usize = file.to_string_lossy().split(['_', '.']).rev().nth(1).unwrap().parse().unwrap();
        assert!(file.exists());
        assert_eq!(time, recording.times()[number]);
    }
}

/// A GLB file in pieces.
struct Glb {
    json: Value,
    bytes: Vec<u8>,
}

impl Glb {
    fn read(path: &Path) -> Self {
        let file = std::fs::read(path).unwrap();
        let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&file[..4], number(4), number(8)), (&b"glTF"[..], 2, file.len()));
        let split = 20 + number(12);
        let json = serde_json::from_slice(&file[20..split]).unwrap();
        assert_eq!(number(split), file.len() - split - 8);
        Self { json, bytes: file[split + 8..].to_vec() }
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let at = (view["byteOffset"].as_u64().unwrap() + accessor["byteOffset"].as_u64().unwrap()) as usize;
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let count = width * accessor["count"].as_u64().unwrap() as usize;
        let bytes = self.bytes[at..at + 4 * count].chunks_exact(4);
        bytes.map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn node(&self, name: &str) -> usize {
        self.json["nodes"].as_array().unwrap().iter().position(|n| n["name"] == name).unwrap()
    }

    /// Keys of a channel: nothing where a node does not change in that way.
    fn keys(&self, node: usize, path: &str) -> Option<Vec<f32>> {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let target = json!({ "node": node, "path": path });
        let channel = channels.iter().find(|c| c["target"] == target)?;
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        Some(self.floats(&sampler["output"]))
    }

    fn matrix(&self, node: usize) -> Mat4 {
        let node = &self.json["nodes"][node];
        let list = |key: &str| -> Option<Vec<f32>> {
            Some(node[key].as_array()?.iter().map(|v| v.as_f64().unwrap() as f32).collect())
        };
        let position = list("translation").map_or(Vec3::ZERO, |v| Vec3::from_slice(&v));
        let rotation = list("rotation").map_or(Quat::IDENTITY, |v| Quat::from_slice(&v));
        let scale = list("scale").map_or(Vec3::ONE, |v| Vec3::from_slice(&v));
        Mat4::from_scale_rotation_translation(scale, rotation, position)
    }

    fn vertices(&self, node: usize) -> Vec<Vec3> {
        let mesh = self.json["nodes"][node]["mesh"].as_u64().unwrap() as usize;
        let attributes = &self.json["meshes"][mesh]["primitives"][0]["attributes"];
        self.floats(&attributes["POSITION"]).chunks_exact(3).map(Vec3::from_slice).collect()
    }
}

#[test]
fn gltf_nodes_move_as_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let path = folder.path().join("run.glb");
    gltf::write(&recording, &FrameChoice::All, &View::default(), &path, &mut on).unwrap();
    let glb = Glb::read(&path);
    let (stage, frames) = (sample::stage(), sample::frames());
    for item in 0..BODIES.len() {
        let node = glb.node(&stage.groups[0].names[item]);
        if item == 0 {
            assert!(["translation", "rotation", "scale"].iter().all(|path| glb.keys(node, path).is_none()));
            continue;
        }
        let positions: Vec<f32> =
            frames.iter().flat_map(|f| f.groups[0].fields[0][3 * item..3 * item + 3].to_vec()).collect();
        assert_eq!(glb.keys(node, "translation").unwrap(), positions);
        let keys = glb.keys(node, "rotation").unwrap();
        for (key, frame) in keys.chunks_exact(4).zip(&frames) {
            let recorded = Quat::from_slice(&frame.groups[0].fields[1][4 * item..]);
            assert!(Quat::from_slice(key).dot(recorded).abs() > 1.0 - 1e-6);
        }
        let smooth = |k: &[f32]| Quat::from_slice(k).dot(Quat::from_slice(&k[4..])) >= 0.0;
        assert!((0..FRAMES - 1).all(|i| smooth(&keys[4 * i..])));
    }
    let last = glb.keys(glb.node("grains_4"), "scale").unwrap();
    let expected = [0.0, 0.0, 0.0, 0.09, 0.09, 0.0].map(|r: f32| [r; 3]);
    assert_eq!(last, expected.as_flattened());
    // Both boxes and all grains share their meshes.
    assert_eq!(glb.json["meshes"].as_array().unwrap().len(), BODIES.len() + 1);
}

#[test]
fn gltf_shapes_stand_where_they_are_with_y_up() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let path = folder.path().join("run.glb");
    gltf::write(&recording, &FrameChoice::At(vec![0.2]), &View::default(), &path, &mut on).unwrap();
    let glb = Glb::read(&path);
    let (stage, frame) = (sample::stage(), &sample::frames()[2]);
    assert!(glb.json["animations"].is_null());
    let root = glb.matrix(0);
    assert!((root.transform_point3(Vec3::Z) - Vec3::Y).length() < 1e-6);

    // The arm of the second body: corner (+,+,+) of a box that is off the middle of its body.
    let item = 2;
    let place = Vec3::from_slice(&frame.groups[0].fields[0][3 * item..]);
    let turn = Quat::from_slice(&frame.groups[0].fields[1][4 * item..]);
    let corner = Vec3::new(0.4, 0.0, 0.1) + Quat::from_rotation_z(0.5) * Vec3::new(0.3, 0.2, 0.1);
    let world = place + turn * corner;
    let expected = Vec3::new(world.x, world.z, -world.y);
    let node = glb.node(&stage.groups[0].names[item]);
    let child = glb.json["nodes"][node]["children"][1].as_u64().unwrap() as usize;
    let matrix = root * glb.matrix(node) * glb.matrix(child);
    let nearest = glb.vertices(child).into_iter().map(|v| (matrix.transform_point3(v) - expected).length());
    assert!(nearest.fold(f32::INFINITY, f32::min) < 1e-5);
}

#[test]
fn obj_surfaces_stand_in_the_world() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let path = folder.path().join("run.obj");
    let view = View { show: vec!["Box*".into(), "nodes".into()], ..View::default() };
    obj::write(&recording, 0.3, &view, &path, &mut on).unwrap();
    let (models, _) = tobj::load_obj(&path, &tobj::LoadOptions::default()).unwrap();
    let frame = &sample::frames()[3];
    // One box, two tubes, one skin.
    assert_eq!(models.len(), 4);
    let skin = &models[3].mesh;
    let node_places = &frame.groups[3].fields[0];
    for (corner, item) in skin.indices.iter().zip([0_usize, 1, 2, 1, 3, 2]) {
        let at = 3 * *corner as usize;
        let found: Vec<f32> = skin.positions[at..at + 3].iter().map(|c| *c as f32).collect();
        assert_eq!(found, node_places[3 * item..3 * item + 3]);
    }
    let place = Vec3::from_slice(&frame.groups[0].fields[0][3..]).as_dvec3();
    let turn = Quat::from_slice(&frame.groups[0].fields[1][4..]).as_dquat().normalize();
    for vertex in models[0].mesh.positions.chunks_exact(3) {
        let local = turn.inverse() * (DVec3::from_slice(vertex) - place);
        assert!((local.abs() - DVec3::new(0.3, 0.2, 0.1)).length() < 1e-6, "{local}");
    }
}

#[test]
fn csv_reads_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let path = folder.path().join("grains.csv");
    let fields = [TableField::new("grains", "position"), TableField::new("grains", "radius")];
    table::write_csv(&recording, &FrameChoice::All, &fields, &path, &mut on).unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let heads = ["time [s]", "item", "position.x [m]", "position.y [m]", "position.z [m]", "radius [m]"];
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), heads);
    let mut rows = reader.records().map(Result::unwrap);
    for frame in sample::frames() {
        for item in 0..frame.groups[1].count {
            let row = rows.next().unwrap();
            assert_eq!(row[0].parse::<f64>().unwrap(), frame.time);
            assert_eq!(row[1].parse::<usize>().unwrap(), item);
            let place: Vec<f32> = (2..5).map(|i| row[i].parse().unwrap()).collect();
            assert_eq!(place, frame.groups[1].fields[0][3 * item..3 * item + 3]);
            assert_eq!(row[5].parse::<f32>().unwrap(), [0.05, 0.06, 0.07, 0.08, 0.09][item]);
        }
    }
    assert!(rows.next().is_none());

    let path = folder.path().join("energy.csv");
    table::write_scalars_csv(&recording, &FrameChoice::Count(2), &path, &mut on).unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1][2].parse::<f64>().unwrap(), sample::frames()[5].scalars[0]);
}

/// Number of things in each frame that some export holds, for pebbles that come and go.
fn pebble_counts(of_frame: impl Fn(usize) -> usize) {
    let found: Vec<usize> = (0..FRAMES).map(of_frame).collect();
    assert_eq!(found, PEBBLES);
}

#[test]
fn items_that_come_and_go_are_in_the_frames_in_which_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let (stage, frames) = (sample::stage(), sample::frames());
    let alone = View { show: vec!["pebbles".into()], ..View::default() };

    let vtk = folder.path().join("vtk");
    vtk::write(&recording, &FrameChoice::All, &vtk, &mut on).unwrap();
    pebble_counts(|frame| {
        let file = vtk.join(format!("pebbles_surfaces/pebbles_surfaces_{frame:05}.vtp"));
        // Four vertices a face.
        vtp_array(&std::fs::read(file).unwrap(), "Points", "Points").len() / 72
    });

    let path = folder.path().join("run.glb");
    gltf::write(&recording, &FrameChoice::All, &alone, &path, &mut on).unwrap();
    let glb = Glb::read(&path);
    pebble_counts(|frame| {
        let shown = |item: &usize| {
            let scale = glb.keys(glb.node(&format!("pebbles_{item}")), "scale").unwrap();
            assert!(
                scale[3 * frame..3 * frame + 3] == [0.0; 3]
                    || scale[3 * frame..].starts_with(&sample::PEBBLE)
            );
            scale[3 * frame] > 0.0
        };
        (0..4).filter(shown).count()
    });

    let pov = folder.path().join("pov");
    povray::write(&recording, &FrameChoice::All, &alone, &pov, &mut on).unwrap();
    pebble_counts(|frame| {
        let text = std::fs::read_to_string(pov.join(format!("frame_{:05}.inc", frame + 1))).unwrap();
        text.matches("box {").count()
    });

    pebble_counts(|frame| {
        let path = folder.path().join("run.obj");
        obj::write(&recording, frames[frame].time, &alone, &path, &mut on).unwrap();
        std::fs::read_to_string(&path).unwrap().lines().filter(|line| line.starts_with("o ")).count()
    });

    let path = folder.path().join("pebbles.csv");
    table::write_csv(
        &recording,
        &FrameChoice::All,
        &[TableField::new("pebbles", "position")],
        &path,
        &mut on,
    )
    .unwrap();
    let rows: Vec<_> = csv::Reader::from_path(&path).unwrap().records().map(Result::unwrap).collect();
    pebble_counts(|frame| rows.iter().filter(|r| r[0].parse::<f64>().unwrap() == frames[frame].time).count());

    pebble_counts(|frame| {
        let scene = Scene::build(&stage, &frames[frame], &View::default()).unwrap();
        let seen = |item: &usize| {
            let place = DVec3::new(0.5 * *item as f64 - 0.8, 2.4, 0.5 + frames[frame].time);
            let hit = scene.hit(place + 3.0 * DVec3::Y, -DVec3::Y);
            hit.is_some_and(|hit| (hit.group, hit.item) == (Some(4), *item))
        };
        (0..4).filter(seen).count()
    });
}

#[test]
fn chosen_items_are_not_numbers_while_they_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let path = folder.path().join("two.npz");
    let chosen = TableField { items: vec!["1".into(), "3".into()], ..TableField::new("pebbles", "position") };
    table::write_npz(&recording, &FrameChoice::All, &[chosen], &path, &mut on).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let name = b"pebbles.position.npy";
    let at = bytes.windows(name.len()).position(|w| w == name).unwrap() + name.len();
    let header = String::from_utf8_lossy(&bytes[at..at + 192]);
    assert!(header.contains("'shape': (6, 2, 3,)"), "{header}");
    let numbers: Vec<f32> = bytes[at + 192..at + 192 + 4 * 36]
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    for (frame, places) in numbers.chunks_exact(6).enumerate() {
        for (item, place) in [1, 3].into_iter().zip(places.chunks_exact(3)) {
            match item < PEBBLES[frame] {
                true => {
                    assert_eq!(place, &sample::frames()[frame].groups[4].fields[0][3 * item..3 * item + 3])
                }
                false => assert!(place.iter().all(|c| c.is_nan())),
            }
        }
    }
}

#[test]
fn a_named_item_alone_is_a_table_with_its_quoted_name() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let path = folder.path().join("box.csv");
    let name = recording.stage().groups[0].names[1].clone();
    let field = TableField { items: vec![name.clone()], ..TableField::new("bodies", "velocity") };
    table::write_csv(&recording, &FrameChoice::Last, &[field], &path, &mut on).unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!((rows.len(), &rows[0][1]), (1, name.as_str()));
}

#[test]
fn tables_have_the_scalar_of_a_quaternion_first() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let path = folder.path().join("turned.csv");
    let field = TableField::new("bodies", "rotation");
    table::write_csv(&recording, &FrameChoice::Last, &[field], &path, &mut on).unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let heads: Vec<String> = reader.headers().unwrap().iter().skip(2).map(str::to_owned).collect();
    assert_eq!(heads, ["rotation.w", "rotation.x", "rotation.y", "rotation.z"]);
    let stored = &sample::frames()[FRAMES - 1].groups[0].fields[1];
    for (row, q) in reader.records().zip(stored.chunks(4)) {
        let row: Vec<f32> = row.unwrap().iter().skip(2).map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(row, [q[3], q[0], q[1], q[2]]);
    }
}

#[test]
fn a_stopped_export_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let view = View::default();
    let all = &FrameChoice::All;
    let stop = |progress: ExportProgress| match progress.done < 2 {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let fields = TableField::all(recording.stage());
    let results = [
        vtk::write(&recording, all, &out.join("vtk"), &mut { stop }),
        gltf::write(&recording, all, &view, &out.join("run.glb"), &mut { stop }),
        povray::write(&recording, all, &view, &out.join("pov"), &mut { stop }),
        table::write_npz(&recording, all, &fields, &out.join("run.npz"), &mut { stop }),
        table::write_csv(&recording, all, &fields[..1], &out.join("run.csv"), &mut { stop }),
    ];
    for result in results {
        assert!(matches!(result, Err(ExportError::Cancelled { done: 2, .. })), "{result:?}");
    }
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);
}

#[test]
fn too_many_grains_for_gltf_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.hrec");
    let mut stage = sample::stage();
    let mut frame = sample::frames().remove(0);
    let count = gltf::NODE_LIMIT;
    stage.groups[1].constant_values = vec![vec![0.1; count]];
    frame.groups[1].count = count;
    frame.groups[1].fields = vec![vec![0.0; 3 * count]; 2];
    let mut writer = RecordingWriter::create(&path, &stage, &RecordingSettings::default()).unwrap();
    writer.push(frame).unwrap();
    writer.finish().unwrap();
    let recording = Recording::open(&path).unwrap();
    let (path, mut view) = (folder.path().join("run.glb"), View::default());
    let error = gltf::write(&recording, &FrameChoice::All, &view, &path, &mut on).unwrap_err();
    assert!(matches!(&error, ExportError::TooMany { .. }), "{error}");
    assert!(error.to_string().contains("'grains'"), "{error}");
    assert!(!path.exists());
    view.hide = vec!["grains".into()];
    gltf::write(&recording, &FrameChoice::All, &view, &path, &mut on).unwrap();
}

#[test]
fn wishes_that_cannot_be_met_say_what_can() {
    let folder = tempfile::tempdir().unwrap();
    let recording = sample::recording(folder.path());
    let csv = |choice: FrameChoice, fields: &[(&str, &str)]| {
        let fields: Vec<_> = fields.iter().map(|(group, field)| TableField::new(group, field)).collect();
        let path = folder.path().join("out.csv");
        table::write_csv(&recording, &choice, &fields, &path, &mut on).unwrap_err().to_string()
    };
    let cases = [
        (csv(FrameChoice::At(vec![0.7]), &[("bodies", "velocity")]), "0 s to 0.5 s"),
        (csv(FrameChoice::All, &[("bodys", "velocity")]), "bodies, grains"),
        (csv(FrameChoice::All, &[("grains", "speed")]), "position, velocity, radius"),
        (csv(FrameChoice::All, &[("grains", "position"), ("nodes", "position")]), "NPZ"),
        (csv(FrameChoice::All, &[]), "bodies.position"),
        (
            csv(FrameChoice::Span { from: Some(0.11), to: Some(0.19), every: 1 }, &[("grains", "radius")]),
            "none of the 6 frames",
        ),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}");
    }
    let path = folder.path().join("run.gltf");
    let error = gltf::write(&recording, &FrameChoice::All, &View::default(), &path, &mut on).unwrap_err();
    assert!(error.to_string().contains(".glb"), "{error}");
}
