//! Recordings: round trip, damage of every kind, size budget, growing files, things that come and go, errors while
//! writing.

mod budget;
mod damage;
mod follow;
mod growth;
mod round_trip;

use std::path::Path;

use huygens_record::{
    Batch, BatchKind, Field, Frame, Group, GroupFrame, GroupKind, Look, Mesh, Recording, RecordingSettings,
    RecordingWriter, Scalar, Stage,
};

/// Every frame offered is kept.
fn all_frames() -> RecordingSettings {
    RecordingSettings { interval: 0.0, ..RecordingSettings::default() }
}

fn field(name: &str, components: usize) -> Field {
    Field { name: name.to_owned(), unit: "m".to_owned(), components }
}

/// Bodies with a mesh and spheres, and contacts whose number changes.
fn small_stage() -> Stage {
    let group = |name: &str, kind, fields| Group {
        name: name.to_owned(),
        kind,
        names: Vec::new(),
        fields,
        constants: Vec::new(),
        constant_values: Vec::new(),
    };
    let mut bodies = group("bodies", GroupKind::Bodies, vec![field("position", 3), field("rotation", 4)]);
    bodies.names = vec!["ground".to_owned(), "ball".to_owned()];
    bodies.constants = vec![field("mass", 1)];
    bodies.constant_values = vec![vec![1.0, f32::INFINITY]];
    let batch = |kind, mesh, sizes| Batch {
        kind,
        group: 0,
        mesh,
        visual: false,
        items: vec![1],
        looks: vec![0],
        sizes,
        positions: vec![0.0, 0.1, 0.2],
        rotations: Vec::new(),
    };
    Stage {
        name: "small".to_owned(),
        generator: "test".to_owned(),
        up: [0.0, 0.0, 1.0],
        groups: vec![bodies, group("contacts", GroupKind::Contacts, vec![field("force", 3)])],
        scalars: vec![Scalar { name: "energy.kinetic".to_owned(), unit: "J".to_owned() }],
        meshes: vec![Mesh {
            name: "tetrahedron".to_owned(),
            vertices: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            triangles: vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
            crease: 0.5,
        }],
        looks: vec![Look {
            name: "steel".to_owned(),
            color: [0.3, 0.4, 0.5, 1.0],
            roughness: 0.3,
            metal: true,
        }],
        batches: vec![batch(BatchKind::Sphere, None, vec![0.5]), batch(BatchKind::Mesh, Some(0), Vec::new())],
        ..Stage::default()
    }
}

/// A frame of [`small_stage`] at 0.1 s times its number.
fn small_frame(number: usize) -> Frame {
    let time = 0.1 * number as f64;
    let wave = |phase: usize| (time + phase as f64).sin() as f32;
    let contacts = number % 3;
    Frame {
        time,
        step: 10 * number as u64,
        scalars: vec![time * time],
        groups: vec![
            GroupFrame { count: 2, fields: vec![(0..6).map(wave).collect(), (0..8).map(wave).collect()] },
            GroupFrame { count: contacts, fields: vec![(0..3 * contacts).map(wave).collect()] },
        ],
    }
}

/// Records frames and ends the file.
fn record(path: &Path, stage: &Stage, settings: &RecordingSettings, frames: &[Frame]) {
    let mut writer = RecordingWriter::create(path, stage, settings).expect("create");
    for frame in frames {
        writer.push(frame.clone()).expect("push");
    }
    writer.finish().expect("finish");
}

/// Whether a recording has exactly these frames, bit for bit.
fn assert_frames(recording: &Recording, frames: &[Frame]) {
    assert_eq!(recording.frame_count(), frames.len());
    // Backwards, so that every segment is entered at its end.
    for (index, expected) in frames.iter().enumerate().rev() {
        let found = recording.frame(index).expect("frame");
        assert_eq!(frame_bits(&found), frame_bits(expected), "frame {index}");
        assert_eq!(recording.times()[index].to_bits(), expected.time.to_bits());
        assert_eq!(recording.steps()[index], expected.step);
    }
}

/// Time, step and scalars of a frame, and of each group the items and their numbers: as bits, since NaN is not equal
/// to itself.
fn frame_bits(frame: &Frame) -> (u64, u64, Vec<u64>, Vec<GroupBits>) {
    let bits = |values: &Vec<f32>| values.iter().map(|value| value.to_bits()).collect();
    let groups = frame.groups.iter().map(|group| (group.count, group.fields.iter().map(bits).collect()));
    let scalars = frame.scalars.iter().map(|value| value.to_bits()).collect();
    (frame.time.to_bits(), frame.step, scalars, groups.collect())
}

type GroupBits = (usize, Vec<Vec<u32>>);
