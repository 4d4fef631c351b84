//! What is written comes back bit for bit.

use huygens_record::recording::{pack_frame, pack_stage, unpack_stage};
use huygens_record::{
    Batch, BatchKind, Cells, Frame, Group, GroupFrame, GroupKind, JointMark, Look, Mesh, RecordError,
    Recording, RecordingWriter, Scalar, Skin, Stage, Tubes,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::{all_frames, assert_frames, field, frame_bits, record, small_frame, small_stage};

/// Any bits, NaN and infinities more often than chance would have them.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => any::<u32>().prop_map(f32::from_bits),
        4 => -10.0f32..10.0,
        1 => Just(f32::NAN),
        1 => Just(-0.0f32),
        1 => Just(f32::NEG_INFINITY),
    ]
}

fn numbers(count: usize) -> impl Strategy<Value = Vec<f32>> {
    vec(number(), count)
}

fn group() -> impl Strategy<Value = Group> {
    let constant =
        (0usize..4, 1usize..4).prop_flat_map(|(items, width)| (numbers(items * width), Just(width)));
    (vec("\\PC{0,9}", 0..3), vec(1usize..5, 1..4), vec(constant, 0..3)).prop_map(
        |(names, widths, constants)| {
            let fields =
                widths.iter().enumerate().map(|(index, width)| field(&format!("field{index}"), *width));
            let named = constants
                .iter()
                .enumerate()
                .map(|(index, (_, width))| field(&format!("constant{index}"), *width));
            Group {
                name: String::new(),
                kind: GroupKind::Nodes,
                names,
                fields: fields.collect(),
                constants: named.collect(),
                constant_values: constants.into_iter().map(|(values, _)| values).collect(),
            }
        },
    )
}

fn batch() -> impl Strategy<Value = Batch> {
    let kinds = prop_oneof![Just(BatchKind::Sphere), Just(BatchKind::RoundedBox), Just(BatchKind::Mesh)];
    (kinds, 0usize..5, any::<bool>(), any::<bool>()).prop_flat_map(|(kind, count, placed, turned)| {
        let sizes = numbers(count * kind.size_len());
        let positions = numbers(if placed { 3 * count } else { 0 });
        let rotations = numbers(if turned { 4 * count } else { 0 });
        (vec(any::<u32>(), count), sizes, positions, rotations).prop_map(
            move |(items, sizes, positions, rotations)| {
                let mesh = (kind == BatchKind::Mesh).then_some(0);
                Batch {
                    kind,
                    group: 0,
                    mesh,
                    visual: placed,
                    items,
                    looks: vec![0; count],
                    sizes,
                    positions,
                    rotations,
                }
            },
        )
    })
}

fn stage() -> impl Strategy<Value = Stage> {
    let text = "\\PC{0,12}";
    let view = prop_oneof![
        Just(None),
        any::<f64>().prop_filter("JSON has no NaN", |value| value.is_finite()).prop_map(|value| {
            Some(serde_json::json!({ "camera": { "position": [value, 1, -2.5], "follow": "ball" }, "legend": true }))
        }),
    ];
    let lists = (vec(group(), 1..4), 0usize..4, vec(batch(), 0..4), numbers(9), -1e3f32..1e3);
    (text, text, lists, view).prop_map(
        |(name, generator, (mut groups, scalars, batches, vertices, length), view)| {
            groups.iter_mut().enumerate().for_each(|(index, group)| group.name = format!("group{index}"));
            let joint = JointMark {
                name: name.clone(),
                kind: "revolute".to_owned(),
                a: None,
                b: Some(7),
                position_a: [length, 0.1, -0.0],
                rotation_a: [0.0, 0.0, 0.0, 1.0],
                position_b: [0.3, length * 1e-9, 1e30],
                rotation_b: [0.5, 0.5, -0.5, 0.5],
                since: Some(f64::from(length)),
                until: None,
            };
            let scalar = |index| Scalar { name: format!("scalar{index}"), unit: "J".to_owned() };
            Stage {
                name,
                generator,
                up: [length, 0.7, 0.1],
                groups,
                scalars: (0..scalars).map(scalar).collect(),
                meshes: vec![Mesh {
                    name: "m".to_owned(),
                    vertices,
                    triangles: vec![2, 1, 0],
                    crease: length,
                }],
                looks: vec![Look {
                    name: "look".to_owned(),
                    color: [0.1, 0.2, length, 1.0],
                    roughness: 0.7,
                    metal: false,
                }],
                batches,
                skins: vec![Skin { group: 0, look: 0, triangles: vec![5, 4, u32::MAX] }],
                tubes: vec![Tubes { group: 0, look: 0, radius: 0.01, segments: vec![1, 2] }],
                cells: vec![Cells {
                    group: 0,
                    elements: 0,
                    corners: 4,
                    vtk: None,
                    items: vec![3, 1, 0, u32::MAX],
                }],
                joints: vec![joint],
                view,
                ..Stage::default()
            }
        },
    )
}

/// Frames of a stage; the numbers of a group either follow those of the frame before, or have nothing to do with them.
fn frames(stage: &Stage) -> impl Strategy<Value = Vec<Frame>> + use<> {
    let widths: Vec<Vec<usize>> = stage
        .groups
        .iter()
        .map(|group| group.fields.iter().map(|field| field.components).collect())
        .collect();
    let scalars = stage.scalars.len();
    let groups: Vec<_> = widths
        .into_iter()
        .map(|widths| {
            (0usize..6).prop_flat_map(move |count| {
                let fields: Vec<_> = widths.iter().map(|width| numbers(count * width)).collect();
                fields.prop_map(move |fields| GroupFrame { count, fields })
            })
        })
        .collect();
    let frame = (groups, vec(any::<u64>().prop_map(f64::from_bits), scalars), any::<u64>(), any::<bool>());
    vec(frame, 0..70).prop_map(|list| {
        let mut frames: Vec<Frame> = Vec::new();
        for (index, (groups, scalars, step, smooth)) in list.into_iter().enumerate() {
            let mut frame = Frame { time: index as f64 * 0.3 - 5.0, step, scalars, groups };
            if let (true, Some(last)) = (smooth, frames.last()) {
                frame.groups = last.groups.clone();
                let fields = frame.groups.iter_mut().flat_map(|group| &mut group.fields);
                fields.flatten().for_each(|value| *value *= 1.001);
            }
            frames.push(frame);
        }
        frames
    })
}

/// The arrays of a stage as bits, and the stage without them.
fn stage_bits(stage: &Stage) -> (Stage, Vec<Vec<u32>>) {
    let mut rest = stage.clone();
    let mut arrays = Vec::new();
    for group in &mut rest.groups {
        arrays.append(&mut group.constant_values);
    }
    rest.meshes.iter_mut().for_each(|mesh| arrays.push(std::mem::take(&mut mesh.vertices)));
    for batch in &mut rest.batches {
        arrays.push(std::mem::take(&mut batch.sizes));
        arrays.push(std::mem::take(&mut batch.positions));
        arrays.push(std::mem::take(&mut batch.rotations));
    }
    (rest, arrays.into_iter().map(|array| array.into_iter().map(f32::to_bits).collect()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn stages_and_frames_come_back_bit_for_bit(
        (stage, frames) in stage().prop_flat_map(|stage| { let frames = frames(&stage); (Just(stage), frames) })
    ) {
        let unpacked = unpack_stage(&pack_stage(&stage).expect("packs")).expect("unpacks");
        prop_assert_eq!(stage_bits(&unpacked), stage_bits(&stage));
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("run.hrec");
        record(&path, &stage, &all_frames(), &frames);
        let recording = Recording::open(&path).expect("opens");
        prop_assert!(recording.finished() && recording.damage().is_none());
        prop_assert_eq!(stage_bits(recording.stage()), stage_bits(&stage));
        assert_frames(&recording, &frames);
        for (index, frame) in frames.iter().enumerate().step_by(7) {
            prop_assert_eq!(recording.frame_bytes(index).expect("bytes"), pack_frame(frame));
        }
        let scalars: Vec<u64> = recording.scalars().iter().map(|value| value.to_bits()).collect();
        let expected: Vec<u64> =
            frames.iter().flat_map(|frame| &frame.scalars).map(|value| value.to_bits()).collect();
        prop_assert_eq!(scalars, expected);
    }
}

#[test]
fn packed_bytes_are_laid_out_as_documented() {
    let bytes = pack_frame(&small_frame(1));
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    let integer = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    let double = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
    assert_eq!((double(0), integer(8), integer(12), integer(16), integer(20)), (0.1, 10, 0, 1, 2));
    assert_eq!(double(24), 0.1 * 0.1);
    assert_eq!((integer(32), integer(36), float(40)), (2, 0, 0.1f64.sin() as f32));
    let contacts = 40 + 4 * (2 * 3 + 2 * 4);
    assert_eq!((integer(contacts), integer(contacts + 4)), (1, 0));
    assert_eq!(bytes.len(), contacts + 8 + 4 * 3);

    let stage = pack_stage(&small_stage()).expect("packs");
    let length = u32::from_le_bytes(stage[..4].try_into().expect("four")) as usize;
    let json: serde_json::Value = serde_json::from_slice(&stage[4..4 + length]).expect("JSON");
    assert_eq!(json["batches"][0]["kind"], "sphere");
    let sizes = &json["batches"][0]["sizes"];
    assert_eq!((sizes["len"].as_u64(), sizes["type"].as_str()), (Some(1), Some("f32")));
    let start = (4 + length).next_multiple_of(4) + sizes["offset"].as_u64().expect("offset") as usize;
    assert_eq!(stage[start..start + 4], 0.5f32.to_le_bytes());
}

#[test]
fn frames_are_found_by_time_and_fields_by_name() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let frames: Vec<Frame> = (0..100).map(small_frame).collect();
    record(&path, &small_stage(), &all_frames(), &frames);
    let recording = Recording::open(&path).expect("opens");
    for (time, index) in [(-1.0, 0), (0.0, 0), (0.04, 0), (0.06, 1), (5.01, 50), (9.9, 99), (1e9, 99)] {
        assert_eq!(recording.index_at(time), Some(index), "{time}");
    }
    assert_eq!(frame_bits(&recording.frame_at(4.42).expect("frame")), frame_bits(&frames[44]));
    assert_eq!(recording.field(50, "bodies", "rotation").expect("field"), frames[50].groups[0].fields[1]);
    assert_eq!(recording.field(50, "bodies", "mass").expect("constant"), [1.0, f32::INFINITY]);
    let missing = recording.field(0, "bodies", "speed").expect_err("no such field").to_string();
    assert!(missing.contains("'speed'") && missing.contains("position, rotation, mass"), "{missing}");
    let missing = recording.frame(100).expect_err("no such frame").to_string();
    assert!(missing.contains("100 frames") && missing.contains("run.hrec"), "{missing}");
}

#[test]
fn stages_and_frames_that_break_the_rules_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let refused = |change: fn(&mut Stage), word: &str| {
        let mut stage = small_stage();
        change(&mut stage);
        let error = RecordingWriter::create(&path, &stage, &all_frames()).expect_err("refused").to_string();
        assert!(error.contains(word), "{error}");
        assert!(!path.exists());
    };
    refused(|stage| stage.up[0] = f32::NAN, "up is NaN");
    refused(|stage| stage.batches[1].mesh = Some(3), "mesh 3, there are 1");
    refused(|stage| stage.batches[0].sizes.clear(), "0 sizes, 1 are expected");
    refused(|stage| stage.meshes[0].triangles[4] = 9, "triangle corner 9");
    refused(|stage| stage.groups[1].name = "bodies".to_owned(), "'bodies' appears twice");
    refused(|stage| stage.groups[0].fields[0].components = 0, "0 components");
    let deep = |stage: &mut Stage| {
        stage.view = Some((0..200).fold(serde_json::Value::Null, |inner, _| serde_json::json!([inner])));
    };
    refused(deep, "recursion limit");

    let mut writer = RecordingWriter::create(&path, &small_stage(), &all_frames()).expect("create");
    let mut short = small_frame(1);
    short.groups[0].fields[1].pop();
    let error = writer.push(short).expect_err("refused");
    assert!(matches!(error, RecordError::RecordingRule { .. }), "{error}");
    assert!(error.to_string().contains("'bodies', rotation: 7, 8 are expected"), "{error}");
    let mut lost = small_frame(1);
    lost.time = f64::NAN;
    assert!(writer.push(lost).is_err());
    // A refused frame does no harm to the others.
    writer.push(small_frame(1)).expect("push");
    assert_eq!(writer.finish().expect("finish").frames, 1);
}
