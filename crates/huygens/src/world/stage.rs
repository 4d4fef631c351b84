//! What a recording shows of a world: bodies, shapes, joints, contacts, springs and ropes.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use huygens_geometry::{Pose, Shape};
use huygens_multibody::Attachment;
use huygens_record::{Batch, BatchKind, Field, JointMark, Look, Mesh, Stage, Tubes};

use super::shown::{Bodies, Contacts, Lines, StagePlan};
use super::{Result, World};
use crate::spec::tagged::Kinds;
use crate::spec::{BodyType, Solid};

/// Colours of moving bodies that name none, by the stem of their names (okabe2008).
const PALETTE: [[u8; 3]; 7] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xe6, 0x9f, 0x00],
    [0xcc, 0x79, 0xa7],
    [0x56, 0xb4, 0xe9],
    [0xb8, 0xa9, 0x2b],
];
/// Colour of what never moves.
pub(super) const FIXED: [u8; 3] = [0xb9, 0xb4, 0xac];
/// Colour of springs and ropes.
const LINE: [u8; 3] = [0x4a, 0x4f, 0x57];
/// Edges sharper than this are drawn as edges [rad].
const CREASE: f32 = 0.6;
/// Thickness of links and lines that have none, relative to the size of the mechanism.
const THIN: f64 = 0.012;

/// A point of a body, by index, or of ground.
type End = (Option<usize>, DVec3);

/// Collects shapes of one kind.
#[derive(Default)]
pub(super) struct Builder {
    pub stage: Stage,
    /// Group whose items the next shapes move with.
    pub group: usize,
    batches: BTreeMap<(u8, usize, usize), usize>,
    looks: BTreeMap<[u8; 3], u32>,
    meshes: BTreeMap<usize, usize>,
    /// Places of the stems of names in the palette, in the order in which they came.
    pub stems: BTreeMap<String, usize>,
}

pub(super) fn field(name: &str, unit: &str, components: usize) -> Field {
    Field { name: name.into(), unit: unit.into(), components }
}

pub(super) fn single(v: DVec3) -> [f32; 3] {
    v.as_vec3().to_array()
}

pub(super) fn turned(q: DQuat) -> [f32; 4] {
    q.as_quat().to_array()
}

/// Letters of a name before its number: bodies of one fill or pattern look alike.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || " _-.".contains(c))
}

impl Builder {
    pub(super) fn look(&mut self, color: [u8; 3]) -> u32 {
        let next = self.looks.len() as u32;
        *self.looks.entry(color).or_insert_with(|| {
            let [r, g, b] = color.map(|c| f32::from(c) / 255.0);
            let name = format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
            self.stage.looks.push(Look { name, color: [r, g, b, 1.0], roughness: 0.55, metal: false });
            next
        })
    }

    pub(super) fn stem_color(&mut self, name: &str) -> [u8; 3] {
        let next = self.stems.len();
        let place = *self.stems.entry(stem(name).into()).or_insert(next);
        PALETTE[place % PALETTE.len()]
    }

    pub(super) fn push(
        &mut self,
        kind: BatchKind,
        mesh: Option<usize>,
        item: usize,
        look: u32,
        size: &[f64],
        pose: &Pose,
    ) {
        let key = (kind as u8, mesh.map_or(0, |m| m + 1), self.group);
        let at = *self.batches.entry(key).or_insert_with(|| {
            self.stage.batches.push(Batch {
                kind,
                group: self.group,
                mesh,
                visual: false,
                items: Vec::new(),
                looks: Vec::new(),
                sizes: Vec::new(),
                positions: Vec::new(),
                rotations: Vec::new(),
            });
            self.stage.batches.len() - 1
        });
        let batch = &mut self.stage.batches[at];
        batch.items.push(item as u32);
        batch.looks.push(look);
        batch.sizes.extend(size.iter().map(|x| *x as f32));
        batch.positions.extend(single(pose.position));
        batch.rotations.extend(turned(pose.rotation));
    }

    pub(super) fn mesh(&mut self, key: usize, vertices: &[DVec3], triangles: Vec<u32>) -> usize {
        let next = self.stage.meshes.len();
        *self.meshes.entry(key).or_insert_with(|| {
            self.stage.meshes.push(Mesh {
                name: format!("mesh {next}"),
                vertices: vertices.iter().flat_map(|v| single(*v)).collect(),
                triangles,
                crease: CREASE,
            });
            next
        })
    }

    fn shape(&mut self, item: usize, look: u32, shape: &Shape, pose: &Pose) {
        use BatchKind as K;
        let mut put = |kind, size: &[f64]| self.push(kind, None, item, look, size, pose);
        match shape {
            Shape::Sphere { radius } => put(K::Sphere, &[*radius]),
            Shape::Ellipsoid { radii } => put(K::Ellipsoid, &radii.to_array()),
            Shape::Box { half } => put(K::Box, &half.to_array()),
            Shape::Capsule { radius, half_length } => put(K::Capsule, &[*radius, *half_length]),
            Shape::Cylinder { radius, half_length } => put(K::Cylinder, &[*radius, *half_length]),
            Shape::Cone { radius, half_length } => put(K::Cone, &[*radius, *half_length]),
            Shape::RoundedBox { half, border } => put(K::RoundedBox, &[half.x, half.y, half.z, *border]),
            Shape::RoundedCylinder { radius, half_length, border } => {
                put(K::RoundedCylinder, &[*radius, *half_length, *border])
            }
            Shape::HalfSpace => put(K::HalfSpace, &[]),
            Shape::Hull(hull) => {
                let key = std::sync::Arc::as_ptr(hull) as usize;
                let mesh =
                    self.mesh(key, hull.vertices(), hull.triangles().iter().flatten().copied().collect());
                self.push(K::Mesh, Some(mesh), item, look, &[], pose);
            }
            Shape::Mesh(surface) => {
                let key = std::sync::Arc::as_ptr(surface) as usize;
                let triangles = surface.triangles().iter().flatten().copied().collect();
                let mesh = self.mesh(key, surface.vertices(), triangles);
                self.push(K::Mesh, Some(mesh), item, look, &[], pose);
            }
            // Facets belong to skins, which are drawn as a whole.
            Shape::Triangle { .. } => {}
            Shape::HeightField(ground) => {
                let key = std::sync::Arc::as_ptr(ground) as usize;
                let (nx, ny) = ground.samples();
                let vertices: Vec<DVec3> = (0..nx * ny).map(|k| ground.sample(k % nx, k / nx)).collect();
                let corner = |i: usize, j: usize| (j * nx + i) as u32;
                let cells =
                    (0..ny.saturating_sub(1)).flat_map(|j| (0..nx.saturating_sub(1)).map(move |i| (i, j)));
                let triangles = cells.flat_map(|(i, j)| {
                    let [a, b, c, d] =
                        [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                    [a, b, c, a, c, d]
                });
                let mesh = self.mesh(key, &vertices, triangles.collect());
                self.push(K::Mesh, Some(mesh), item, look, &[], pose);
            }
            Shape::Compound(parts) => {
                for (local, part) in parts.iter() {
                    self.shape(item, look, part, &(*pose * *local));
                }
            }
        }
    }

    /// A simple solid, centred at the centre of mass.
    fn solid(&mut self, item: usize, look: u32, solid: &Solid, center: DVec3) {
        use BatchKind as K;
        let along = |axis: [f64; 3]| Pose {
            position: center,
            rotation: DQuat::from_rotation_arc(DVec3::Z, DVec3::from_array(axis).normalize_or(DVec3::Z)),
        };
        let straight = Pose { position: center, rotation: DQuat::IDENTITY };
        match *solid {
            Solid::Sphere { radius } => self.push(K::Sphere, None, item, look, &[radius], &straight),
            Solid::Box { size } => self.push(K::Box, None, item, look, &size.map(|s| 0.5 * s), &straight),
            Solid::Cylinder { radius, length, axis } => {
                self.push(K::Cylinder, None, item, look, &[radius, 0.5 * length], &along(axis))
            }
            Solid::Capsule { radius, length, axis } => {
                self.push(K::Capsule, None, item, look, &[radius, 0.5 * length], &along(axis))
            }
            Solid::Rod { length, radius, axis } => {
                let radius = radius.unwrap_or(length / 50.0);
                self.push(K::Cylinder, None, item, look, &[radius, 0.5 * length], &along(axis))
            }
        }
    }

    /// A rod between two points of a body.
    fn rod(&mut self, item: usize, look: u32, [from, to]: [DVec3; 2], radius: f64) {
        let axis = to - from;
        let pose = Pose {
            position: 0.5 * (from + to),
            rotation: DQuat::from_rotation_arc(DVec3::Z, axis.normalize_or(DVec3::Z)),
        };
        self.push(BatchKind::Capsule, None, item, look, &[radius, 0.5 * axis.length()], &pose);
    }
}

impl World {
    /// Index of the body of an attachment, and the point in its frame; for ground the point in the world.
    fn end(&self, places: &BTreeMap<usize, usize>, at: &Attachment) -> End {
        (at.carrier.body().and_then(|id| places.get(&id.index()).copied()), at.position)
    }

    /// Distance across all points where something is joined, and across the bodies.
    fn mechanism_size(&self, ends: &[[End; 2]]) -> f64 {
        let body = |k: usize| {
            self.objects
                .assembly
                .body(self.objects.bodies[k].0)
                .map_or((DVec3::ZERO, DQuat::IDENTITY), |b| (b.position, b.rotation))
        };
        let point = |(k, p): &End| k.map_or(*p, |k| body(k).0 + body(k).1 * *p);
        let points = ends.iter().flatten().map(point);
        let centers = (0..self.objects.bodies.len()).map(|k| body(k).0);
        let (low, high) = points
            .chain(centers)
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
        if low.x <= high.x { (high - low).length().max(1e-9) } else { 1.0 }
    }

    /// What a recording of this world shows now; [`World::record`] fills its frames, and [`World::stage_change`] tells
    /// what it shows later. [`Recorder`](crate::run::Recorder) does all of it:
    ///
    /// ```
    /// use huygens::prelude::*;
    /// use huygens::run::Recorder;
    /// use huygens_record::{Recording, RecordingSettings};
    ///
    /// let mut world = World::new([0.0, 0.0, -9.81]);
    /// let shape = Some(Solid::Sphere { radius: 0.1 });
    /// world.add_body(BodySpec { density: Some(7800.0), shape, ..BodySpec::dynamic("ball") })?;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("run.hrec");
    /// let stage = world.stage("A falling ball")?;
    /// let settings = RecordingSettings { interval: 0.01, ..RecordingSettings::default() };
    /// let mut recorder = Recorder::open(&path, &stage, &settings, None)?;
    /// while let Some(step) = world.next_step(1.0) {
    ///     world.advance(step)?;
    ///     recorder.offer::<WorldError>(&mut world)?;
    /// }
    /// recorder.finish()?;
    ///
    /// let recording = Recording::open(&path)?;
    /// for (frame, time) in recording.times().iter().enumerate() {
    ///     let position = recording.field(frame, "bodies", "position")?;
    ///     assert!((f64::from(position[2]) + 0.5 * 9.81 * time.powi(2)).abs() < 1e-6);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stage(&mut self, name: &str) -> Result<Stage> {
        self.recording.stage_plan = StagePlan::new(name);
        self.next_stage()
    }

    /// The stage of now, if something came or went since the last one was made; none while all is as before.
    ///
    /// Objects that stay keep their colours. The stage is for
    /// [`RecordingWriter::restage`](huygens_record::RecordingWriter::restage).
    pub fn stage_change(&mut self) -> Result<Option<Stage>> {
        if self.stage_is_current() { Ok(None) } else { self.next_stage().map(Some) }
    }

    fn next_stage(&mut self) -> Result<Stage> {
        self.initialize()?;
        let before = std::mem::take(&mut self.recording.stage_plan);
        let mut plan = StagePlan::after(self, before);
        let places: BTreeMap<usize, usize> =
            self.objects.bodies.iter().enumerate().map(|(k, (id, _))| (id.index(), k)).collect();
        let joined = |a: &Attachment, b: &Attachment| [self.end(&places, a), self.end(&places, b)];
        let joints: Vec<[End; 2]> =
            self.objects.assembly.joints().iter().map(|(_, j)| joined(&j.a, &j.b)).collect();
        let springs =
            self.objects.assembly.springs().iter().map(|(_, s)| (s.name.clone(), joined(&s.a, &s.b)));
        let ropes = self.objects.assembly.ropes().iter().map(|(_, r)| (r.name.clone(), joined(&r.a, &r.b)));
        let lines: Vec<(String, [End; 2])> = springs.chain(ropes).collect();
        let mut all = joints.clone();
        all.extend(lines.iter().map(|(_, ends)| *ends));
        let thin = THIN * self.mechanism_size(&all);

        let mut joined_points: Vec<Vec<DVec3>> = vec![Vec::new(); self.objects.bodies.len()];
        for (body, point) in all.iter().flatten() {
            if let Some(own) = body.map(|k| &mut joined_points[k])
                && own.iter().all(|p| p.distance(*point) > 1e-9)
            {
                own.push(*point);
            }
        }

        let mut b = Builder { stems: std::mem::take(&mut plan.stems), ..Builder::default() };
        let gravity = DVec3::from_array(self.settings().gravity);
        b.stage.name = plan.name.clone();
        b.stage.view = self.recording.view.clone();
        b.stage.generator = concat!("huygens ", env!("CARGO_PKG_VERSION")).into();
        b.stage.up = single((-gravity).normalize_or(DVec3::Z));
        for (k, (id, spec)) in self.objects.bodies.iter().enumerate() {
            let fixed = spec.kind == BodyType::Fixed;
            let own = if fixed { FIXED } else { b.stem_color(&spec.name) };
            let center = self.objects.assembly.body(*id).map_or(DVec3::ZERO, |body| body.center_of_mass);
            let shapes = self.visible_shapes(k);
            for (pose, shape, color) in &shapes {
                let look = b.look(color.unwrap_or(own));
                b.shape(k, look, shape, pose);
            }
            let look = b.look(own);
            if let Some(solid) = &spec.shape {
                b.solid(k, look, solid, center);
            } else if shapes.is_empty() && spec.shapes.is_empty() {
                let mut points = std::mem::take(&mut joined_points[k]);
                if points.len() < 2 && points.iter().all(|p| p.distance(center) > 1e-9) {
                    points.push(center);
                }
                let hub = if points.len() == 2 { points[1] } else { center };
                for point in points.iter().take(if points.len() == 2 { 1 } else { points.len() }) {
                    b.rod(k, look, [*point, hub], thin);
                }
            }
        }
        // Bodies are the first group, since the shapes above move with it.
        plan.show(self, &mut b.stage, Bodies(self.objects.bodies.iter().map(|(id, _)| *id).collect()));
        let contacts = self.model().is_some_and(|m| m.contact().is_some());
        let contacts =
            contacts.then(|| plan.show(self, &mut b.stage, Contacts { places: places.clone() }).start);
        if !lines.is_empty() {
            let look = b.look(LINE) as usize;
            let segments = (0..2 * lines.len() as u32).collect();
            let body = |(k, point): End| (k.map(|k| self.objects.bodies[k].0), point);
            let lines = lines.into_iter().map(|(name, ends)| (name, ends.map(body)));
            let group = plan.show(self, &mut b.stage, Lines(lines.collect())).start;
            b.stage.tubes.push(Tubes { group, look, radius: (0.5 * thin) as f32, segments });
        }
        self.stage_grains(&mut b, &mut plan);
        self.stage_fluids(&mut b, &mut plan);
        self.stage_structures(&mut b, &mut plan);
        for ((_, joint), (_, spec)) in self.objects.assembly.joints().iter().zip(&self.objects.joints) {
            let item =
                |at: &Attachment| at.carrier.body().and_then(|id| places.get(&id.index())).map(|k| *k as u32);
            b.stage.joints.push(JointMark {
                name: spec.name.clone(),
                kind: spec.kind.type_name().to_owned(),
                a: item(&joint.a),
                b: item(&joint.b),
                position_a: single(joint.a.position),
                rotation_a: turned(joint.a.rotation),
                position_b: single(joint.b.position),
                rotation_b: turned(joint.b.rotation),
                ..JointMark::default()
            });
            b.stage.keys.joints.push(plan.numbers.number(&spec.name));
        }
        plan.list(self, &mut b.stage, contacts)?;
        plan.stems = b.stems;
        self.recording.stage_plan = plan;
        Ok(b.stage)
    }
}
