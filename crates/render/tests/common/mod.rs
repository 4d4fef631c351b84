//! Small stages for tests.

use huygens_record::recording::{Batch, BatchKind, Field, Frame, Group, GroupFrame, GroupKind, Look, Stage};

fn field(name: &str, unit: &str, components: usize) -> Field {
    Field { name: name.into(), unit: unit.into(), components }
}

/// A stage with one group of bodies named `item_0`, `item_1` …, and its frame.
#[derive(Default)]
pub struct Bodies {
    positions: Vec<f32>,
    rotations: Vec<f32>,
    velocities: Vec<f32>,
    batches: Vec<Batch>,
}

impl Bodies {
    pub fn add(
        &mut self,
        kind: BatchKind,
        size: &[f32],
        position: [f32; 3],
        rotation: [f32; 4],
    ) -> &mut Self {
        let item = (self.positions.len() / 3) as u32;
        self.positions.extend(position);
        self.rotations.extend(rotation);
        self.velocities.extend([0.0; 3]);
        let place = match self.batches.iter().position(|b| b.kind == kind) {
            Some(place) => place,
            None => {
                self.batches.push(Batch {
                    kind,
                    group: 0,
                    mesh: (kind == BatchKind::Mesh).then_some(0),
                    visual: false,
                    items: Vec::new(),
                    looks: Vec::new(),
                    sizes: Vec::new(),
                    positions: Vec::new(),
                    rotations: Vec::new(),
                });
                self.batches.len() - 1
            }
        };
        let batch = &mut self.batches[place];
        batch.items.push(item);
        batch.looks.push(0);
        batch.sizes.extend(size);
        self
    }

    pub fn at(&mut self, kind: BatchKind, size: &[f32], position: [f32; 3]) -> &mut Self {
        self.add(kind, size, position, [0.0, 0.0, 0.0, 1.0])
    }

    /// Velocity of the body added last.
    #[allow(dead_code)]
    pub fn moving(&mut self, velocity: [f32; 3]) -> &mut Self {
        let end = self.velocities.len();
        self.velocities[end - 3..].copy_from_slice(&velocity);
        self
    }

    pub fn stage(&self) -> (Stage, Frame) {
        let count = self.positions.len() / 3;
        let group = Group {
            name: "bodies".into(),
            kind: GroupKind::Bodies,
            names: (0..count).map(|i| format!("item_{i}")).collect(),
            fields: vec![field("position", "m", 3), field("rotation", "", 4), field("velocity", "m/s", 3)],
            constants: Vec::new(),
            constant_values: Vec::new(),
        };
        let stage = Stage {
            name: "test".into(),
            up: [0.0, 0.0, 1.0],
            groups: vec![group],
            looks: vec![Look {
                name: "plain".into(),
                color: [0.5, 0.5, 0.5, 1.0],
                roughness: 1.0,
                metal: false,
            }],
            batches: self.batches.clone(),
            ..Stage::default()
        };
        let fields = vec![self.positions.clone(), self.rotations.clone(), self.velocities.clone()];
        let frame =
            Frame { time: 0.0, step: 0, scalars: Vec::new(), groups: vec![GroupFrame { count, fields }] };
        (stage, frame)
    }
}

/// Numbers in 0 … 1 from a seed.
#[allow(dead_code)]
pub struct Dice(pub u64);

#[allow(dead_code)]
impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn point(&mut self, half: f64) -> glam::DVec3 {
        glam::DVec3::new(self.roll(), self.roll(), self.roll()) * (2.0 * half) - glam::DVec3::splat(half)
    }

    pub fn turn(&mut self) -> glam::DQuat {
        let axis = self.point(1.0).normalize_or(glam::DVec3::X);
        glam::DQuat::from_axis_angle(axis, 6.0 * self.roll())
    }
}
