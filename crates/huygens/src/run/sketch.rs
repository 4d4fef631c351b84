//! The motion as it is drawn: outlines of the bodies, and their poses at instants of the run.

use glam::{DQuat, DVec3};
use huygens_multibody::{Attachment, BodyId};

use crate::spec::{BodyType, Shape};
use crate::world::World;

/// Poses kept in all; a run of few bodies keeps up to 400 instants.
const POSE_BUDGET: usize = 40_000;

/// Position of the body frame and `world_from_body`.
pub(super) type Pose = (DVec3, DQuat);

/// What a body looks like, in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub moves: bool,
    /// Balls whose hull is the picture of the body: centre and radius [m]; a zero radius is a corner or a point of
    /// a link whose thickness the picture chooses.
    pub balls: Vec<(DVec3, f64)>,
    /// Whether the balls come from the body's shape, rather than from its joints.
    pub solid: bool,
    /// The point whose path may be drawn.
    pub tip: DVec3,
}

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
    pub instants: Vec<(f64, Vec<Pose>)>,
    bodies: Vec<BodyId>,
    interval: f64,
}

impl Sketch {
    /// An empty sketch of a run that ends at `until` [s].
    pub fn new(world: &World, until: f64) -> Self {
        let bodies: Vec<BodyId> = world.bodies().iter().map(|(id, _)| *id).collect();
        let connections = connections(world, &bodies);
        let outlines = (0..bodies.len()).map(|i| outline(world, i, &connections)).collect();
        let instants = (POSE_BUDGET / bodies.len().max(1)).clamp(32, 400);
        Self { outlines, connections, instants: Vec::new(), bodies, interval: until / instants as f64 }
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
    let end = |at: &Attachment| (at.body.and_then(|id| bodies.iter().position(|b| *b == id)), at.position);
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

fn outline(world: &World, index: usize, connections: &[Connection]) -> Outline {
    let (_, spec) = &world.bodies()[index];
    let center = DVec3::from_array(spec.center_of_mass);
    let mut points: Vec<DVec3> = Vec::new();
    for (body, point) in connections.iter().flat_map(|c| c.ends) {
        if body == Some(index) && points.iter().all(|p| p.distance(point) > 1e-9) {
            points.push(point);
        }
    }
    let joints = points.len();
    let solid = spec.shape.is_some();
    let mut balls: Vec<(DVec3, f64)> = match &spec.shape {
        Some(shape) => shape_balls(shape).into_iter().map(|(p, r)| (p + center, r)).collect(),
        None => {
            if joints < 2 && points.iter().all(|p| p.distance(center) > 1e-9) {
                points.push(center);
            }
            points.iter().map(|p| (*p, 0.0)).collect()
        }
    };
    if balls.is_empty() {
        balls.push((center, 0.0));
    }
    // The free end of a link that hangs on one joint tells most; else its middle.
    let size = balls.iter().map(|b| b.0.distance(center) + b.1).fold(0.0, f64::max);
    let tip = match points[..] {
        [joint] if joint.distance(center) > 0.5 * size => 2.0 * center - joint,
        _ => center,
    };
    Outline { moves: spec.kind != BodyType::Fixed, balls, solid, tip }
}

/// Balls whose hull is the shape.
fn shape_balls(shape: &Shape) -> Vec<(DVec3, f64)> {
    let round = |radius: f64, length: f64, axis: [f64; 3]| {
        let axis = DVec3::from_array(axis).normalize_or_zero();
        let (u, v) = axis.any_orthonormal_pair();
        let rim = (0..32).map(move |k| {
            let (s, c) = (std::f64::consts::TAU * f64::from(k) / 32.0).sin_cos();
            (u * c + v * s) * radius
        });
        rim.flat_map(move |p| [(p + axis * (0.5 * length), 0.0), (p - axis * (0.5 * length), 0.0)]).collect()
    };
    match *shape {
        Shape::Sphere { radius } => vec![(DVec3::ZERO, radius)],
        Shape::Box { size } => {
            let half = DVec3::from_array(size) * 0.5;
            let sign = |bit: u32, k: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            (0..8).map(|k| (half * DVec3::new(sign(0, k), sign(1, k), sign(2, k)), 0.0)).collect()
        }
        Shape::Cylinder { radius, length, axis } => round(radius, length, axis),
        Shape::Capsule { radius, length, axis } => {
            let end = DVec3::from_array(axis).normalize_or_zero() * (0.5 * length);
            vec![(end, radius), (-end, radius)]
        }
        Shape::Rod { length, radius, axis } => round(radius.unwrap_or(length / 50.0), length, axis),
    }
}
