//! Things that come and go: each keeps its place and look, and is absent where it is not there; also after a restart,
//! thinning, or a cut.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use huygens_record::recording::{HEAD_LENGTH, HEADER_LENGTH};
use huygens_record::{
    Batch, BatchKind, Frame, Group, GroupFrame, GroupKeys, GroupKind, JointMark, Look, RecordError,
    Recording, RecordingChange, RecordingDamage, RecordingLimits, RecordingSettings, RecordingWriter, Scalar,
    Stage, StageKeys,
};

use crate::{all_frames, field};

/// What is there: bodies by key and name, a heap of grains by its key, and a joint between the first two bodies.
#[derive(Clone, Debug, Default, PartialEq)]
struct Crowd {
    bodies: Vec<(u64, String)>,
    sand: Option<u64>,
}

fn size(key: u64) -> f32 {
    1.0 + key as f32
}

impl Crowd {
    fn of(bodies: &[(u64, &str)]) -> Self {
        Self { bodies: bodies.iter().map(|(key, name)| (*key, (*name).to_owned())).collect(), sand: None }
    }

    fn stage(&self) -> Stage {
        let count = self.bodies.len();
        let bodies = Group {
            name: "bodies".to_owned(),
            kind: GroupKind::Bodies,
            names: self.bodies.iter().map(|(_, name)| name.clone()).collect(),
            fields: vec![field("position", 3), field("speed", 1)],
            constants: vec![field("mass", 1)],
            constant_values: vec![self.bodies.iter().map(|(key, _)| size(*key)).collect()],
        };
        let contacts = Group {
            name: "contacts".to_owned(),
            kind: GroupKind::Contacts,
            names: Vec::new(),
            fields: vec![field("force", 3), field("a", 1), field("b", 1)],
            constants: Vec::new(),
            constant_values: Vec::new(),
        };
        let sand = self.sand.map(|key| Group {
            name: "sand".to_owned(),
            kind: GroupKind::Particles,
            names: Vec::new(),
            fields: vec![field("position", 3)],
            constants: vec![field("radius", 1)],
            constant_values: vec![vec![size(key); 4]],
        });
        let look = |key: u64| Look {
            name: format!("#{:02x}", key % 3),
            color: [(key % 3) as f32 / 2.0, 0.0, 0.0, 1.0],
            roughness: 0.5,
            metal: false,
        };
        // Looks and scalars in an order of their own, so that indices differ from stage to stage.
        let kinds: BTreeSet<u64> = self.bodies.iter().rev().map(|(key, _)| key % 3).collect();
        let looks: Vec<u64> = kinds.into_iter().collect();
        let place = |key: u64| looks.iter().position(|kind| *kind == key % 3).expect("a look") as u32;
        let batch = Batch {
            kind: BatchKind::Sphere,
            group: 0,
            mesh: None,
            visual: false,
            items: (0..count as u32).collect(),
            looks: self.bodies.iter().map(|(key, _)| place(*key)).collect(),
            sizes: self.bodies.iter().map(|(key, _)| size(*key)).collect(),
            positions: Vec::new(),
            rotations: Vec::new(),
        };
        let joint = (count > 1).then(|| JointMark {
            name: "link".to_owned(),
            a: Some(0),
            b: Some(1),
            ..JointMark::default()
        });
        let key = |group: u64, items: Vec<u64>| GroupKeys { group, items };
        let mut groups = vec![key(1, self.bodies.iter().map(|(key, _)| *key).collect()), key(2, Vec::new())];
        groups.extend(self.sand.map(|sand| key(sand, Vec::new())));
        let joints = joint.iter().map(|_| self.bodies[0].0 * 1000 + self.bodies[1].0).collect();
        Stage {
            name: "crowd".to_owned(),
            generator: "test".to_owned(),
            up: [0.0, 0.0, 1.0],
            groups: [bodies, contacts].into_iter().chain(sand).collect(),
            scalars: scalars(&self.bodies).into_iter().map(|(scalar, _)| scalar).collect(),
            looks: looks.iter().map(|kind| look(*kind)).collect(),
            batches: vec![batch],
            joints: joint.into_iter().collect(),
            keys: StageKeys { groups, joints },
            ..Stage::default()
        }
    }

    /// Positions are the key and the time.
    fn frame(&self, time: f64) -> Frame {
        let positions = self.bodies.iter().flat_map(|(key, _)| [*key as f32, time as f32, 0.5]).collect();
        let speeds = self.bodies.iter().map(|(key, _)| *key as f32 + 0.25).collect();
        let ends =
            |shift: usize| self.bodies.iter().enumerate().map(move |(item, _)| (item + shift) as f32 - 1.0);
        let count = self.bodies.len();
        let forces = self.bodies.iter().flat_map(|(key, _)| [*key as f32, 0.0, 0.0]).collect();
        let contacts = GroupFrame { count, fields: vec![forces, ends(0).collect(), ends(1).collect()] };
        let sand = self.sand.map(|key| GroupFrame { count: 4, fields: vec![vec![key as f32; 12]] });
        Frame {
            time,
            step: (10.0 * time) as u64,
            scalars: scalars(&self.bodies).into_iter().map(|(_, value)| value).collect(),
            groups: [GroupFrame { count, fields: vec![positions, speeds] }, contacts]
                .into_iter()
                .chain(sand)
                .collect(),
        }
    }
}

/// Scalars of a crowd, in the order of their names.
fn scalars(bodies: &[(u64, String)]) -> Vec<(Scalar, f64)> {
    let scalar = |name: String, unit: &str| Scalar { name, unit: unit.to_owned() };
    let mut scalars = vec![(scalar("count".to_owned(), ""), bodies.len() as f64)];
    scalars.extend(bodies.iter().map(|(key, name)| (scalar(format!("{name}.x"), "m"), *key as f64)));
    scalars.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    scalars
}

fn time(frame: usize) -> f64 {
    0.1 * frame as f64
}

/// Gives crowds to a writer, one per frame from a number on, telling it what changes.
fn give(writer: &mut RecordingWriter, crowds: &[Crowd], first: usize, mut shown: Crowd) {
    for (number, crowd) in crowds.iter().enumerate().skip(first) {
        if *crowd != shown {
            writer.restage(&crowd.stage()).expect("restage");
            shown = crowd.clone();
        }
        writer.push(crowd.frame(time(number))).expect("push");
    }
}

fn record(path: &Path, crowds: &[Crowd], settings: &RecordingSettings) {
    let mut writer = RecordingWriter::create(path, &crowds[0].stage(), settings).expect("create");
    give(&mut writer, crowds, 0, crowds[0].clone());
    writer.finish().expect("finish");
}

/// Whether a recording shows these crowds, each body in a place of its own.
fn assert_crowds(recording: &Recording, crowds: &[Crowd]) {
    let stage = recording.stage();
    let mut places: BTreeMap<usize, u64> = BTreeMap::new();
    for (index, at) in recording.times().iter().enumerate() {
        let number = (at / 0.1).round() as usize;
        let crowd = &crowds[number];
        let frame = recording.frame(index).expect("frame");
        stage.check_frame(&frame).expect("fits");
        let bodies = &frame.groups[0];
        let there: Vec<usize> = (0..bodies.count).filter(|item| bodies.is_there(*item)).collect();
        assert_eq!(bodies.present(), there.len());
        let mut found: Vec<(u64, String)> = Vec::new();
        for &item in &there {
            let key = bodies.fields[0][3 * item] as u64;
            assert_eq!(*places.entry(item).or_insert(key), key, "item {item} of frame {number}");
            assert_eq!(bodies.fields[0][3 * item + 1], time(number) as f32);
            assert_eq!(bodies.fields[1][item], key as f32 + 0.25);
            assert_eq!(stage.groups[0].constant_values[0][item], size(key));
            let shape = stage.batches[0].items.iter().position(|of| *of as usize == item).expect("a shape");
            assert_eq!(stage.batches[0].sizes[shape], size(key));
            let look = &stage.looks[stage.batches[0].looks[shape] as usize];
            assert_eq!(look.name, format!("#{:02x}", key % 3));
            found.push((key, stage.groups[0].names[item].clone()));
        }
        let gone = (0..bodies.count).filter(|item| !there.contains(item));
        gone.for_each(|item| assert!(bodies.fields[0][3 * item..3 * item + 3].iter().all(|x| x.is_nan())));
        found.sort();
        let mut expected = crowd.bodies.clone();
        expected.sort();
        assert_eq!(found, expected, "frame {number}");
        // Contacts name bodies by their places.
        let contacts = &frame.groups[1];
        assert_eq!(contacts.count, crowd.bodies.len());
        for (contact, (key, _)) in crowd.bodies.iter().enumerate() {
            let second = contacts.fields[2][contact];
            assert_eq!(places[&(second as usize)], *key, "contact {contact} of frame {number}");
            let before = contact.checked_sub(1).map(|before| crowd.bodies[before].0);
            let first = contacts.fields[1][contact];
            assert_eq!((first >= 0.0).then(|| places[&(first as usize)]), before);
        }
        // Heaps of grains are groups of their own.
        let sand = stage.groups.iter().zip(&frame.groups).filter(|(group, _)| group.name.starts_with("sand"));
        let heaps: Vec<(f32, usize)> = sand
            .filter(|(_, values)| values.count > 0)
            .map(|(group, values)| {
                assert_eq!(group.constant_values[0][0], values.fields[0][0] + 1.0);
                (values.fields[0][0], values.count)
            })
            .collect();
        assert_eq!(heaps, crowd.sand.map(|key| (key as f32, 4)).into_iter().collect::<Vec<_>>());
        // Scalars that are not there are not numbers.
        let row = &recording.scalars()[index * stage.scalars.len()..(index + 1) * stage.scalars.len()];
        for (scalar, value) in stage.scalars.iter().zip(row) {
            let key = crowd.bodies.iter().find(|(_, name)| scalar.name == format!("{name}.x"));
            match (scalar.name.as_str(), key) {
                ("count", _) => assert_eq!(*value, crowd.bodies.len() as f64),
                (_, Some((key, _))) => assert_eq!(*value, *key as f64),
                (name, None) => assert!(value.is_nan(), "{name} is {value} in frame {number}"),
            }
        }
        assert_eq!(frame.scalars.len(), row.len());
        // A joint is there as long as its bodies are the first two.
        let joints: Vec<_> = stage.joints.iter().filter(|joint| joint.is_there(*at)).collect();
        assert_eq!(joints.len(), usize::from(crowd.bodies.len() > 1), "frame {number}");
        for joint in joints {
            let ends = [joint.a, joint.b].map(|item| places[&(item.expect("a body") as usize)]);
            assert_eq!(ends, [crowd.bodies[0].0, crowd.bodies[1].0], "frame {number}");
        }
        let positions = recording.field(index, "bodies", "position").expect("field");
        assert_eq!(
            positions.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            bodies.fields[0].iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        );
    }
    let different: BTreeSet<&u64> = places.values().collect();
    assert_eq!(different.len(), places.len(), "a body has two places");
}

/// A crowd of few names in which bodies and heaps come and go at random.
fn story(seed: u64, frames: usize) -> Vec<Crowd> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let (mut crowd, mut key) = (Crowd::of(&[(10, "ground"), (11, "ball")]), 12);
    let mut crowds = vec![crowd.clone()];
    while crowds.len() < frames {
        if next(3) == 0 {
            for _ in 0..=next(2) {
                let name = ["ball", "box", "wheel", "cup"][next(4) as usize];
                match next(4) {
                    0 if crowd.bodies.len() > 1 => {
                        drop(crowd.bodies.remove(1 + next(crowd.bodies.len() as u64 - 1) as usize))
                    }
                    1 => {
                        key += 1;
                        crowd.sand = if crowd.sand.is_some() { None } else { Some(key) };
                    }
                    _ if crowd.bodies.iter().all(|(_, other)| other != name) => {
                        key += 1;
                        crowd.bodies.push((key, name.to_owned()));
                    }
                    _ => {}
                }
            }
        }
        crowds.push(crowd.clone());
    }
    crowds
}

#[test]
fn what_comes_and_goes_keeps_its_place() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    for seed in 1..40 {
        let crowds = story(seed, 120);
        record(&path, &crowds, &all_frames());
        let recording = Recording::open(&path).expect("opens");
        assert!(recording.finished() && recording.change_count() > 5);
        assert_eq!(recording.frame_count(), crowds.len());
        assert_crowds(&recording, &crowds);
        // The same without the index at the end, as of a run that is not complete.
        let bytes = std::fs::read(&path).expect("read");
        let cut = Recording::from_bytes(bytes[..bytes.len() - 9].to_vec(), RecordingLimits::default());
        let cut = cut.expect("opens");
        assert_eq!(cut.frame_count(), crowds.len());
        assert!(!cut.finished());
        assert_eq!(cut.stage_bytes(), recording.stage_bytes());
        assert_crowds(&cut, &crowds);
    }
}

#[test]
fn a_run_taken_up_again_goes_on_with_what_was_there() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    for (seed, kept) in (1..).zip([0, 1, 7, 40, 99]) {
        let crowds = story(seed, 100);
        record(&path, &crowds, &all_frames());
        // The checkpoint may lie a few frames after the last frame kept; names are all that is known of bodies then.
        let mut stage = crowds[kept].stage();
        let keys = std::mem::take(&mut stage.keys);
        let mut writer =
            RecordingWriter::resume(&path, &stage, &all_frames(), time(kept) + 0.01).expect("resume");
        stage.keys = keys;
        writer.restage(&stage).expect("restage");
        give(&mut writer, &crowds, kept + 1, crowds[kept].clone());
        writer.finish().expect("finish");
        let recording = Recording::open(&path).expect("opens");
        assert_eq!(recording.frame_count(), crowds.len());
        assert_crowds(&recording, &crowds);
    }
    let stranger = Crowd::of(&[(1, "stranger")]).stage();
    let error =
        RecordingWriter::resume(&path, &stranger, &all_frames(), 1.0).expect_err("refused").to_string();
    assert!(error.contains("another stage"), "{error}");
}

#[test]
fn thinning_keeps_what_comes_and_goes() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let crowds = story(3, 1500);
    let settings = RecordingSettings { budget_bytes: Some(400_000), ..all_frames() };
    record(&path, &crowds, &settings);
    let recording = Recording::open(&path).expect("opens");
    assert!(recording.generation() > 0 && recording.frame_count() > 100, "{recording:?}");
    assert_crowds(&recording, &crowds);
}

#[test]
fn a_reader_follows_a_stage_that_grows() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let crowds = [Crowd::of(&[(1, "a")]), Crowd::of(&[(1, "a"), (2, "b")]), Crowd::of(&[(2, "b")])];
    let mut writer = RecordingWriter::create(&path, &crowds[0].stage(), &all_frames()).expect("create");
    writer.push(crowds[0].frame(0.0)).expect("push");
    let mut recording = Recording::open(&path).expect("opens");
    for (number, crowd) in crowds.iter().enumerate().skip(1) {
        writer.restage(&crowd.stage()).expect("restage");
        writer.push(crowd.frame(time(number))).expect("push");
        let start = std::time::Instant::now();
        while recording.frame_count() <= number {
            assert!(start.elapsed().as_secs() < 60, "{recording:?}");
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert_ne!(recording.refresh().expect("refresh"), RecordingChange::Replaced);
        }
        assert_eq!(recording.change_count(), number);
        assert_crowds(&recording, &crowds[..=number]);
    }
    writer.finish().expect("finish");
    assert_eq!(recording.refresh().expect("refresh"), RecordingChange::Grown);
    assert_crowds(&recording, &crowds);
}

#[test]
fn a_stage_that_does_not_change_costs_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let (path, told) = (folder.path().join("run.hrec"), folder.path().join("told.hrec"));
    let crowds = vec![story(5, 100)[99].clone(); 100];
    record(&path, &crowds, &all_frames());
    let mut writer = RecordingWriter::create(&told, &crowds[0].stage(), &all_frames()).expect("create");
    for (number, crowd) in crowds.iter().enumerate() {
        // Saying the same again changes nothing.
        writer.restage(&crowd.stage()).expect("restage");
        writer.push(crowd.frame(time(number))).expect("push");
    }
    writer.finish().expect("finish");
    assert_eq!(std::fs::read(&path).expect("read"), std::fs::read(&told).expect("read"));
    let recording = Recording::open(&path).expect("opens");
    assert_eq!(recording.change_count(), 0);
    // Items as they come, and not one more.
    let count = crowds[0].bodies.len();
    assert_eq!(recording.frame(50).expect("frame").groups[0].count, count);
}

/// Chunks of a file: tag, start of the payload, length of the payload.
fn chunks(bytes: &[u8]) -> Vec<(String, usize, usize)> {
    let mut chunks = Vec::new();
    let mut at = HEAD_LENGTH as usize;
    while at < bytes.len() {
        let stored = u64::from_le_bytes(bytes[at + 8..at + 16].try_into().expect("eight")) as usize;
        let start = at + HEADER_LENGTH as usize;
        chunks.push((String::from_utf8_lossy(&bytes[at..at + 4]).into_owned(), start, stored));
        at = start + stored;
    }
    chunks
}

#[test]
fn a_damaged_change_is_told_and_frames_before_it_play() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let one = Crowd::of(&[(1, "a")]);
    let two = Crowd::of(&[(1, "a"), (2, "b")]);
    let crowds: Vec<Crowd> = (0..40).map(|k| if k < 25 { one.clone() } else { two.clone() }).collect();
    record(&path, &crowds, &all_frames());
    let bytes = std::fs::read(&path).expect("read");
    let tags: Vec<String> = chunks(&bytes).into_iter().map(|(tag, ..)| tag).collect();
    assert_eq!(tags, ["STAG", "FRAM", "GROW", "FRAM", "INDX", "TAIL"]);
    let (_, start, length) = chunks(&bytes)[2].clone();
    for at in start..start + length {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        let recording = Recording::from_bytes(changed, RecordingLimits::default()).expect("opens");
        assert_eq!(recording.frame_count(), 25, "byte {at}");
        assert_crowds(&recording, &crowds);
        let damage = recording.damage().expect("told");
        assert!(matches!(&damage, RecordError::Recording { damage: RecordingDamage::Change { .. }, .. }));
        let text = damage.to_string();
        assert!(
            text.contains("what came and went is damaged") && text.contains("frames before it"),
            "{text}"
        );
    }
}

/// Content of a chunk that is compressed as a whole.
fn content(payload: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(payload).expect("a frame");
    std::io::Read::read_to_end(&mut decoder, &mut content).expect("content");
    content
}

/// Appends a chunk that is not compressed.
fn push_chunk(tag: &[u8; 4], content: &[u8], file: &mut Vec<u8>) {
    let mut header = tag.to_vec();
    header.extend([0; 4]);
    header.extend((content.len() as u64).to_le_bytes());
    header.extend((content.len() as u64).to_le_bytes());
    header.extend(crc32c::crc32c(content).to_le_bytes());
    header.extend(crc32c::crc32c(&header).to_le_bytes());
    file.extend(header);
    file.extend(content);
}

#[test]
fn changes_that_make_no_sense_end_in_frames_or_errors() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    record(&path, &story(9, 60), &all_frames());
    let bytes = std::fs::read(&path).expect("read");
    let all = chunks(&bytes);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (mut refused, mut played) = (0, 0);
    for _ in 0..3000 {
        let mut mutant = bytes[..HEAD_LENGTH as usize].to_vec();
        for (tag, start, stored) in all.iter().filter(|(tag, ..)| tag != "INDX" && tag != "TAIL") {
            let payload = &bytes[*start..start + stored];
            if tag != "GROW" {
                mutant.extend(&bytes[start - HEADER_LENGTH as usize..*start]);
                mutant.extend(payload);
                continue;
            }
            let mut content = content(payload);
            if next(6) == 0 {
                let at = next(content.len());
                // Digits stand for groups, items and counts; most other bytes only break the JSON.
                let digits: Vec<usize> =
                    (4..content.len()).filter(|at| content[*at].is_ascii_digit()).collect();
                match next(3) {
                    0 => content[at] = [0, 1, 0xFF, 0x7F, 3][next(5)],
                    1 if !digits.is_empty() => content[digits[next(digits.len())]] = b'0' + next(10) as u8,
                    _ => content.truncate(at),
                }
            }
            push_chunk(b"GROW", &content, &mut mutant);
        }
        let limits = RecordingLimits { chunk_bytes: 1 << 20, cache_bytes: 1 << 20 };
        let recording = Recording::from_bytes(mutant, limits).expect("its first frames");
        refused += usize::from(recording.damage().is_some());
        for index in 0..recording.frame_count() {
            if let Ok(frame) = recording.frame(index) {
                recording.stage().check_frame(&frame).expect("a frame that fits its stage");
                played += 1;
            }
        }
    }
    assert!(
        refused > 500 && played > 10_000,
        "{refused} refused, {played} frames played: nothing was reached"
    );
}

#[test]
fn a_file_of_the_first_version_still_plays() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let crowds = vec![Crowd::of(&[(1, "a"), (2, "b")]); 40];
    record(&path, &crowds, &all_frames());
    let bytes = std::fs::read(&path).expect("read");
    let all = chunks(&bytes);
    let at = all[all.len() - 2].1 - HEADER_LENGTH as usize;
    // The first version had the same head, stage and frames; its index did not count changes.
    let mut old = bytes[..at].to_vec();
    old[8..12].copy_from_slice(&1u32.to_le_bytes());
    let unfinished = Recording::from_bytes(old.clone(), RecordingLimits::default()).expect("opens");
    assert_eq!((unfinished.frame_count(), unfinished.finished()), (40, false));
    let mut content = Vec::new();
    let framed: Vec<_> = all.iter().filter(|(tag, ..)| tag == "FRAM").collect();
    content.extend((framed.len() as u64).to_le_bytes());
    content.extend(40u64.to_le_bytes());
    for (_, start, stored) in &framed {
        let header = start - HEADER_LENGTH as usize;
        content.extend((header as u64).to_le_bytes());
        content.extend((*stored as u64).to_le_bytes());
        content.extend(&bytes[header + 16..header + 24]);
        content.extend(&bytes[header + 24..header + 28]);
        content.extend(&bytes[header + 4..header + 8]);
        content.extend(&bytes[*start..*start + 8]);
    }
    for (number, crowd) in crowds.iter().enumerate() {
        let frame = crowd.frame(time(number));
        content.extend(frame.step.to_le_bytes());
        content.extend(frame.time.to_le_bytes());
        frame.scalars.iter().for_each(|scalar| content.extend(scalar.to_le_bytes()));
    }
    push_chunk(b"INDX", &content, &mut old);
    push_chunk(b"TAIL", &(at as u64).to_le_bytes(), &mut old);
    let recording = Recording::from_bytes(old, RecordingLimits::default()).expect("opens");
    assert!(recording.finished() && recording.damage().is_none());
    assert_eq!(recording.frame_count(), 40);
    assert_crowds(&recording, &crowds);
}
