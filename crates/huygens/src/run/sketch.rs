//! The motion as it is drawn: outlines of the bodies, and their poses at instants of the run.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use huygens_geometry::Shape;
use huygens_multibody::{Attachment, BodyId, BodyKind, CollisionShape};

use crate::spec::{BodyType, Shape as Solid};
use crate::world::World;

/// Colliding bodies above which only the last positions are drawn.
const CROWD: usize = 30;
/// Poses kept in all; a run of few bodies keeps up to 400 instants.
const POSE_BUDGET: usize = 40_000;

/// Position of the body frame and `world_from_body`.
pub(super) type Pose = (DVec3, DQuat);

/// What a body looks like, in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub moves: bool,
    /// Its shapes, or the link between its joints.
    pub parts: Vec<Part>,
    /// Whether the parts come from the body's shapes, rather than from its joints.
    pub solid: bool,
    /// The point whose path may be drawn.
    pub tip: DVec3,
}

/// Centre and radius [m]; a zero radius is a corner, or a point of a link whose thickness the picture chooses.
pub(super) type Ball = (DVec3, f64);

/// One convex part of the picture of a body: the hull of its balls.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub balls: Vec<Ball>,
    /// Red, green and blue, where they are given.
    pub color: Option<[u8; 3]>,
}

/// A plane of a resting half-space: a point [m] and the normal.
pub(super) type Plane = (DVec3, DVec3);

/// A point of a body, by index, or of ground.
pub(super) type End = (Option<usize>, DVec3);

/// A pair of attachments with what connects them in the picture.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    /// Index of the body and point in its frame; `None` for ground, the point then in the world.
    pub ends: [End; 2],
    pub kind: ConnectionKind,
}

/// How a connection is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionKind {
    /// A mark at the joint.
    Joint,
    /// A line that B's point moves along: A's z axis.
    Guide,
    /// A zigzag.
    Spring,
    /// A thin line: ropes and massless links.
    Line,
}

/// Outlines, connections and the poses of all bodies at instants.
pub(super) struct Sketch {
    pub outlines: Vec<Outline>,
    pub connections: Vec<Connection>,
    pub planes: Vec<Plane>,
    /// Whether so many bodies collide that earlier positions would only hide them.
    pub crowded: bool,
    pub instants: Vec<(f64, Vec<Pose>)>,
    bodies: Vec<BodyId>,
    interval: f64,
}

impl Sketch {
    /// An empty sketch of a run that ends at `until` [s].
    pub fn new(world: &World, until: f64) -> Self {
        let bodies: Vec<BodyId> = world.bodies().iter().map(|(id, _)| *id).collect();
        let connections = connections(world, &bodies);
        let points = connected_points(bodies.len(), &connections);
        let outlines = points.into_iter().enumerate().map(|(i, p)| outline(world, i, p)).collect();
        let shapes = world.assembly().collision.shapes();
        let resting = shapes.iter().filter(|s| matches!(s.shape, Shape::HalfSpace));
        let plane = |s: &CollisionShape| {
            let b = world.assembly().body(s.body).filter(|b| matches!(b.kind, BodyKind::Fixed))?;
            Some((b.position + b.rotation * s.pose.position, b.rotation * s.pose.rotation * DVec3::Z))
        };
        let planes = resting.filter_map(plane).collect();
        let crowded = !shapes.is_empty() && bodies.len() > CROWD;
        let instants = (POSE_BUDGET / bodies.len().max(1)).clamp(1, 400);
        let interval = until / instants as f64;
        Self { outlines, connections, planes, crowded, instants: Vec::new(), bodies, interval }
    }

    /// Keeps the poses of this instant, if it is time for the next one.
    pub fn observe(&mut self, world: &World) {
        let time = world.time();
        if self.instants.last().is_none_or(|(last, _)| time >= last + self.interval * (1.0 - 1e-9)) {
            self.keep(world);
        }
    }

    /// Keeps the poses of this instant in any case, as the last one of the picture.
    pub fn keep(&mut self, world: &World) {
        let time = world.time();
        if self.instants.last().is_some_and(|(last, _)| *last >= time) {
            return;
        }
        let count = self.bodies.len();
        let (mut positions, mut rotations) = (vec![0.0; 3 * count], vec![0.0; 4 * count]);
        if world.body_motions(&mut positions, &mut rotations, &mut [], &mut []).is_err() {
            return;
        }
        let poses = positions.chunks_exact(3).zip(rotations.chunks_exact(4));
        let pose = |(p, r): (&[f64], &[f64])| {
            (DVec3::new(p[0], p[1], p[2]), DQuat::from_xyzw(r[1], r[2], r[3], r[0]))
        };
        self.instants.push((time, poses.map(pose).collect()));
    }

    /// The instants as bytes, for a checkpoint.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.instants.len() * (1 + 7 * self.bodies.len()) * 8);
        for (time, poses) in &self.instants {
            bytes.extend(time.to_le_bytes());
            for (p, r) in poses {
                p.to_array().iter().chain(&r.to_array()).for_each(|x| bytes.extend(x.to_le_bytes()));
            }
        }
        bytes
    }

    /// Instants of a checkpoint; one that does not fit this sketch leaves it empty.
    pub fn restore(&mut self, bytes: &[u8]) {
        let words: Vec<f64> =
            bytes.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap_or_default())).collect();
        let length = 1 + 7 * self.bodies.len();
        if !words.len().is_multiple_of(length) {
            return;
        }
        let pose = |x: &[f64]| (DVec3::new(x[0], x[1], x[2]), DQuat::from_xyzw(x[3], x[4], x[5], x[6]));
        self.instants =
            words.chunks_exact(length).map(|w| (w[0], w[1..].chunks_exact(7).map(pose).collect())).collect();
    }
}

fn connections(world: &World, bodies: &[BodyId]) -> Vec<Connection> {
    let place: BTreeMap<usize, usize> = bodies.iter().enumerate().map(|(k, id)| (id.index(), k)).collect();
    let end = |at: &Attachment| (at.body.and_then(|id| place.get(&id.index()).copied()), at.position);
    let connect = |a: &Attachment, b: &Attachment, kind| Connection { ends: [end(a), end(b)], kind };
    let assembly = world.assembly();
    let mut found = Vec::new();
    for (_, joint) in assembly.joints().iter() {
        use huygens_multibody::JointKind::{
            Cylindrical, Distance, PointOnLine, Prismatic, RevoluteSpherical, RevoluteTranslational, Screw,
        };
        let kind = match joint.kind {
            Distance(_) | RevoluteSpherical(_) | RevoluteTranslational(_) => ConnectionKind::Line,
            Prismatic | Cylindrical | PointOnLine | Screw(_) if joint.a.body.is_none() => {
                ConnectionKind::Guide
            }
            _ => ConnectionKind::Joint,
        };
        found.push(connect(&joint.a, &joint.b, kind));
    }
    found.extend(assembly.springs().iter().map(|(_, s)| connect(&s.a, &s.b, ConnectionKind::Spring)));
    found.extend(assembly.ropes().iter().map(|(_, r)| connect(&r.a, &r.b, ConnectionKind::Line)));
    found
}

/// Points of every body that something is connected to, each once.
fn connected_points(count: usize, connections: &[Connection]) -> Vec<Vec<DVec3>> {
    let mut points: Vec<Vec<DVec3>> = vec![Vec::new(); count];
    for (body, point) in connections.iter().flat_map(|c| c.ends) {
        let Some(own) = body.and_then(|b| points.get_mut(b)) else { continue };
        if own.iter().all(|p| p.distance(point) > 1e-9) {
            own.push(point);
        }
    }
    points
}

fn outline(world: &World, index: usize, mut points: Vec<DVec3>) -> Outline {
    let (id, spec) = &world.bodies()[index];
    let center = world.assembly().body(*id).map_or(DVec3::ZERO, |b| b.center_of_mass);
    let joints = points.len();
    let moves = spec.kind != BodyType::Fixed;
    let mut parts = shape_parts(world, index);
    if let Some(shape) = &spec.shape {
        let balls = solid_balls(shape).into_iter().map(|(p, r)| (p + center, r)).collect();
        parts.push(Part { balls, color: None });
    }
    // A body of half-spaces is drawn as planes, not as a link between its joints.
    let unbounded = parts.is_empty() && !spec.shapes.is_empty();
    let solid = !parts.is_empty() || unbounded;
    if !solid {
        if joints < 2 && points.iter().all(|p| p.distance(center) > 1e-9) {
            points.push(center);
        }
        let balls: Vec<Ball> = points.iter().map(|p| (*p, 0.0)).collect();
        parts.push(Part { balls: if balls.is_empty() { vec![(center, 0.0)] } else { balls }, color: None });
    }
    // The free end of a link that hangs on one joint tells most; else its middle.
    let balls = parts.iter().flat_map(|p| &p.balls);
    let size = balls.map(|b| b.0.distance(center) + b.1).fold(0.0, f64::max);
    let tip = match points[..] {
        [joint] if joint.distance(center) > 0.5 * size => 2.0 * center - joint,
        _ => center,
    };
    Outline { moves, parts, solid, tip }
}

/// Pictures of the visible shapes of a body.
fn shape_parts(world: &World, index: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for (pose, shape, color) in world.visible_shapes(index) {
        let balls = shape_balls(&shape);
        if !balls.is_empty() {
            parts.push(Part { balls: balls.into_iter().map(|(p, r)| (pose.point(p), r)).collect(), color });
        }
    }
    parts
}

/// Points of a circle about an axis.
fn rim(radius: f64, axis: DVec3, height: f64) -> impl Iterator<Item = DVec3> {
    let (u, v) = axis.any_orthonormal_pair();
    (0..32).map(move |k| {
        let (s, c) = (std::f64::consts::TAU * f64::from(k) / 32.0).sin_cos();
        (u * c + v * s) * radius + axis * height
    })
}

fn corners(half: DVec3) -> impl Iterator<Item = DVec3> {
    let sign = |bit: u32, k: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
    (0..8).map(move |k| half * DVec3::new(sign(0, k), sign(1, k), sign(2, k)))
}

/// Balls whose hull is the simple solid.
fn solid_balls(shape: &Solid) -> Vec<Ball> {
    let round = |radius: f64, length: f64, axis: [f64; 3]| {
        let axis = DVec3::from_array(axis).normalize_or_zero();
        let ends = rim(radius, axis, 0.5 * length).chain(rim(radius, axis, -0.5 * length));
        ends.map(|p| (p, 0.0)).collect()
    };
    match *shape {
        Solid::Sphere { radius } => vec![(DVec3::ZERO, radius)],
        Solid::Box { size } => corners(DVec3::from_array(size) * 0.5).map(|p| (p, 0.0)).collect(),
        Solid::Cylinder { radius, length, axis } => round(radius, length, axis),
        Solid::Capsule { radius, length, axis } => {
            let end = DVec3::from_array(axis).normalize_or_zero() * (0.5 * length);
            vec![(end, radius), (-end, radius)]
        }
        Solid::Rod { length, radius, axis } => round(radius.unwrap_or(length / 50.0), length, axis),
    }
}

/// Balls whose hull is the shape, or its convex hull; none for a half-space.
fn shape_balls(shape: &Shape) -> Vec<Ball> {
    let points = |points: Vec<DVec3>| points.into_iter().map(|p| (p, 0.0)).collect();
    let ends = |radius: f64, half: f64| rim(radius, DVec3::Z, half).chain(rim(radius, DVec3::Z, -half));
    match shape {
        Shape::Sphere { radius } => vec![(DVec3::ZERO, *radius)],
        Shape::Ellipsoid { radii } => points(directions().map(|d| d * *radii).collect()),
        Shape::Box { half } => points(corners(*half).collect()),
        Shape::Capsule { radius, half_length } => {
            [1.0, -1.0].map(|s| (DVec3::Z * (s * half_length), *radius)).to_vec()
        }
        Shape::Cylinder { radius, half_length } => points(ends(*radius, *half_length).collect()),
        Shape::Cone { radius, half_length } => {
            points(rim(*radius, DVec3::Z, -half_length).chain([DVec3::Z * *half_length]).collect())
        }
        Shape::RoundedBox { half, border } => corners(*half).map(|p| (p, *border)).collect(),
        Shape::RoundedCylinder { radius, half_length, border } => {
            ends(*radius, *half_length).map(|p| (p, *border)).collect()
        }
        Shape::Hull(hull) => points(extreme(hull.vertices())),
        Shape::Mesh(mesh) => points(extreme(mesh.vertices())),
        Shape::HeightField(field) => {
            let b = field.local_aabb();
            points(corners(0.5 * b.extent()).map(|p| b.center() + p).collect())
        }
        Shape::HalfSpace | Shape::Compound(_) => Vec::new(),
    }
}

/// Directions all around (a Fibonacci lattice, gonzalez2010).
fn directions() -> impl Iterator<Item = DVec3> {
    const COUNT: u32 = 160;
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..COUNT).map(move |k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(COUNT);
        let (s, c) = (golden * f64::from(k)).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * c, r * s, z)
    })
}

/// The farthest points in directions all around.
fn extreme(points: &[DVec3]) -> Vec<DVec3> {
    let farthest = |d: DVec3| points.iter().copied().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d)));
    let mut found: Vec<DVec3> = directions().filter_map(farthest).collect();
    found.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    found.dedup();
    found
}
