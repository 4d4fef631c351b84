//! A small recording with one of everything.

use std::path::Path;

use glam::{Quat, Vec3};
use huygens_record::Recording;
use huygens_record::recording::{
    Batch, BatchKind, Cells, Field, Frame, Group, GroupFrame, GroupKind, Look, Mesh, RecordingSettings,
    RecordingWriter, Scalar, Skin, Stage, Tubes,
};

/// Frames of the sample.
pub const FRAMES: usize = 6;
/// Grains at each frame: some come later, some leave.
pub const GRAINS: [usize; FRAMES] = [3, 3, 4, 5, 5, 2];
/// Pebbles, which have shapes, at each frame.
pub const PEBBLES: [usize; FRAMES] = [1, 3, 2, 4, 4, 0];
/// Nodes at each frame: skin and tubes lose their ends.
pub const NODES: [usize; FRAMES] = [6, 6, 6, 6, 4, 3];
/// Half edges of a pebble [m].
pub const PEBBLE: [f32; 3] = [0.12, 0.1, 0.08];
/// Contacts at each frame.
pub const CONTACTS: [usize; FRAMES] = [0, 2, 1, 3, 0, 1];
/// Kinds of the bodies, with their sizes; the first does not move.
pub const BODIES: [(BatchKind, &[f32]); 10] = [
    (BatchKind::HalfSpace, &[]),
    (BatchKind::Box, &[0.3, 0.2, 0.1]),
    (BatchKind::Sphere, &[0.25]),
    (BatchKind::Ellipsoid, &[0.3, 0.2, 0.1]),
    (BatchKind::Capsule, &[0.1, 0.2]),
    (BatchKind::Cylinder, &[0.2, 0.25]),
    (BatchKind::Cone, &[0.2, 0.25]),
    (BatchKind::RoundedBox, &[0.2, 0.15, 0.1, 0.05]),
    (BatchKind::RoundedCylinder, &[0.15, 0.1, 0.08]),
    (BatchKind::Mesh, &[]),
];

fn field(name: &str, unit: &str, components: usize) -> Field {
    Field { name: name.into(), unit: unit.into(), components }
}

fn group(name: &str, kind: GroupKind, fields: Vec<Field>) -> Group {
    Group {
        name: name.into(),
        kind,
        names: Vec::new(),
        fields,
        constants: Vec::new(),
        constant_values: Vec::new(),
    }
}

fn batch(kind: BatchKind, item: u32, size: &[f32], look: u32) -> Batch {
    Batch {
        kind,
        group: 0,
        mesh: (kind == BatchKind::Mesh).then_some(0),
        visual: false,
        items: vec![item],
        looks: vec![look],
        sizes: size.to_vec(),
        positions: Vec::new(),
        rotations: Vec::new(),
    }
}

pub fn stage() -> Stage {
    let place = || field("position", "m", 3);
    let speed = || field("velocity", "m/s", 3);
    let mut bodies = group("bodies", GroupKind::Bodies, vec![place(), field("rotation", "", 4), speed()]);
    bodies.names = (0..BODIES.len()).map(|i| format!("{:?} \"{i}\", <&>", BODIES[i].0)).collect();
    let mut grains = group("grains", GroupKind::Particles, vec![place(), speed()]);
    grains.constants = vec![field("radius", "m", 1)];
    grains.constant_values = vec![vec![0.05, 0.06, 0.07, 0.08, 0.09]];
    let contact_fields = vec![place(), field("force", "N", 3), field("gap", "m", 1)];
    let contacts = group("contacts", GroupKind::Contacts, contact_fields);
    let nodes = group("nodes", GroupKind::Nodes, vec![place(), field("stress", "Pa", 1)]);
    let mut batches: Vec<Batch> = BODIES
        .iter()
        .enumerate()
        .map(|(item, (kind, size))| batch(*kind, item as u32, size, (item % 3) as u32))
        .collect();
    // A second shape on the sphere, off its middle and turned.
    let mut arm = batch(BatchKind::Box, 2, &[0.3, 0.2, 0.1], 1);
    arm.positions = vec![0.4, 0.0, 0.1];
    arm.rotations = Quat::from_rotation_z(0.5).to_array().to_vec();
    batches.push(arm);
    let mut boxes = batch(BatchKind::Box, 0, &[], 1);
    boxes.group = 4;
    (boxes.items, boxes.looks) = ((0..4).collect(), vec![1; 4]);
    boxes.sizes = PEBBLE.repeat(4);
    batches.push(boxes);
    let pebbles = group("pebbles", GroupKind::Particles, vec![place(), field("rotation", "", 4)]);
    let elements = group("elements", GroupKind::Nodes, vec![place(), field("stress", "Pa", 6)]);
    let look = |name: &str, color, roughness, metal| Look { name: name.into(), color, roughness, metal };
    Stage {
        name: "sample".into(),
        generator: "test".into(),
        up: [0.0, 0.0, 1.0],
        groups: vec![bodies, grains, contacts, nodes, pebbles, elements],
        scalars: vec![Scalar { name: "energy.kinetic".into(), unit: "J".into() }],
        meshes: vec![Mesh {
            name: "tetrahedron".into(),
            vertices: vec![0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.4],
            triangles: vec![0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3],
            crease: 0.5,
        }],
        looks: vec![
            look("stone", [0.75, 0.72, 0.68, 1.0], 0.9, false),
            look("steel", [0.7, 0.72, 0.75, 1.0], 0.3, true),
            look("glass", [0.3, 0.6, 0.9, 0.5], 0.2, false),
        ],
        batches,
        skins: vec![Skin { group: 3, look: 0, triangles: vec![0, 1, 2, 1, 3, 2] }],
        tubes: vec![Tubes { group: 3, look: 1, radius: 0.04, segments: vec![0, 4, 4, 5] }],
        cells: vec![Cells {
            group: 3,
            elements: 5,
            corners: 4,
            vtk: None,
            items: vec![0, 1, 2, 3, 1, 2, 3, 4],
        }],
        ..Stage::default()
    }
}

pub fn frames() -> Vec<Frame> {
    (0..FRAMES).map(frame).collect()
}

fn frame(number: usize) -> Frame {
    let time = 0.1 * number as f64;
    let t = time as f32;
    let (mut positions, mut rotations, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
    for item in 0..BODIES.len() {
        let moves = if item == 0 { 0.0 } else { t };
        let column = item as f32;
        let place = match item {
            0 => Vec3::ZERO,
            _ => Vec3::new(0.9 * (column % 4.0) - 1.3, 0.9 * (column / 4.0).floor() - 1.0, 0.6 + 0.7 * moves),
        };
        positions.extend(place.to_array());
        let axis = Vec3::new(1.0, 0.3 * column, -0.5).normalize();
        rotations.extend(Quat::from_axis_angle(axis, 9.0 * moves).to_array());
        velocities.extend([0.0, 0.0, if item == 0 { 0.0 } else { 0.7 }]);
    }
    let many = |count: usize, each: &dyn Fn(f32) -> Vec<f32>| -> Vec<f32> {
        (0..count).flat_map(|i| each(i as f32)).collect()
    };
    let grains = GroupFrame {
        count: GRAINS[number],
        fields: vec![
            many(GRAINS[number], &|i| vec![0.3 * i - 0.6, -1.6, 0.1 + t * i]),
            many(GRAINS[number], &|i| vec![0.0, 0.0, i]),
        ],
    };
    let contacts = GroupFrame {
        count: CONTACTS[number],
        fields: vec![
            many(CONTACTS[number], &|i| vec![i, t, 0.0]),
            many(CONTACTS[number], &|i| vec![0.1, 0.2 * i, 9.81]),
            many(CONTACTS[number], &|i| vec![-1e-7 * (i + 1.0)]),
        ],
    };
    let nodes = GroupFrame {
        count: NODES[number],
        fields: vec![
            many(NODES[number], &|i| {
                vec![1.8 + 0.4 * (i % 2.0), 0.4 * (i / 2.0).floor(), 0.5 + 0.2 * (i + 5.0 * t).sin()]
            }),
            many(NODES[number], &|i| vec![1e6 * i + t]),
        ],
    };
    let pebbles = GroupFrame {
        count: PEBBLES[number],
        fields: vec![
            many(PEBBLES[number], &|i| vec![0.5 * i - 0.8, 2.4, 0.5 + t]),
            many(PEBBLES[number], &|i| Quat::from_rotation_x(i + t).to_array().to_vec()),
        ],
    };
    let elements = GroupFrame {
        count: 2,
        fields: vec![
            many(2, &|i| vec![2.0, i, t]),
            many(2, &|i| (0..6).map(|k| 1e3 * i + k as f32 + t).collect()),
        ],
    };
    let bodies = GroupFrame { count: BODIES.len(), fields: vec![positions, rotations, velocities] };
    Frame {
        time,
        step: 10 * number as u64,
        scalars: vec![1.0 / (1.0 + time)],
        groups: vec![bodies, grains, contacts, nodes, pebbles, elements],
    }
}

/// The sample as a file.
pub fn recording(folder: &Path) -> Recording {
    let path = folder.join("run.hrec");
    let mut writer = RecordingWriter::create(&path, &stage(), &RecordingSettings::default()).unwrap();
    for frame in frames() {
        writer.push(frame).unwrap();
    }
    writer.finish().unwrap();
    Recording::open(&path).unwrap()
}
