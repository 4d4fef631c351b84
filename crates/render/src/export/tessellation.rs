//! Shapes as triangles.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec3, Vec3};
use huygens_record::recording::{BatchKind, Mesh, Stage};

use crate::camera::Framing;
use crate::error::RenderError;
use crate::scene::GROUND_COSINE;
use crate::shapes::Shape;
use crate::surface::{Surface, SurfaceHit};

/// Largest angle between faces of a skin that is smoothed [rad].
const SKIN_CREASE: f32 = 0.7;
/// Half edge of the square drawn for an endless ground, in sizes of the scene.
const GROUND_REACH: f64 = 4.0;

/// Triangles with a normal at every vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Triangles {
    pub vertices: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub corners: Vec<[u32; 3]>,
}

impl Triangles {
    /// A shape in its own frame; `segments` is the number of edges around something round. None for half-spaces.
    pub fn of_shape(kind: BatchKind, size: &[f32; 4], mesh: Option<&Mesh>, segments: usize) -> Option<Self> {
        let [a, b, c, d] = *size;
        Some(match kind {
            BatchKind::Sphere => Self::ellipsoid(Vec3::splat(a), segments),
            BatchKind::Ellipsoid => Self::ellipsoid(Vec3::new(a, b, c), segments),
            BatchKind::Box => Self::cuboid(Vec3::new(a, b, c)),
            BatchKind::Capsule => Self::turned(&bordered_profile(0.0, b, a, segments), segments),
            BatchKind::RoundedCylinder => Self::turned(&bordered_profile(a, b, c, segments), segments),
            BatchKind::Cylinder => {
                let down = ([0.0, -b], [a, -b], [0.0, -1.0]);
                let side = ([a, -b], [a, b], [1.0, 0.0]);
                let up = ([a, b], [0.0, b], [0.0, 1.0]);
                Self::turned(&straight_profile(&[down, side, up]), segments)
            }
            BatchKind::Cone => {
                let slant = Vec3::new(2.0 * b, 0.0, a).normalize_or(Vec3::X);
                let down = ([0.0, -b], [a, -b], [0.0, -1.0]);
                let side = ([a, -b], [0.0, b], [slant.x, slant.z]);
                Self::turned(&straight_profile(&[down, side]), segments)
            }
            BatchKind::RoundedBox => Self::rounded_box(Vec3::new(a, b, c), d, segments),
            BatchKind::Mesh => Self::of_mesh(mesh?),
            BatchKind::HalfSpace => return None,
        })
    }

    /// A mesh with the creases it asks for.
    pub fn of_mesh(mesh: &Mesh) -> Self {
        let vertices: Vec<Vec3> = mesh.vertices.chunks_exact(3).map(Vec3::from_slice).collect();
        Self::creased(&vertices, &mesh.triangles, mesh.crease)
    }

    /// A skin over points, all of whose corners are there.
    pub fn of_skin(points: &[Vec3], corners: &[u32]) -> Self {
        Self::creased(points, corners, SKIN_CREASE)
    }

    /// Splits vertices where faces meet at a crease.
    fn creased(points: &[Vec3], corners: &[u32], crease: f32) -> Self {
        let surface = Surface::new(points, corners, crease, Vec::new());
        let mut out = Self::default();
        // Vertices made of each point so far: a short list, as few creases meet in a point.
        let mut made: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
        for (triangle, corner) in corners.chunks_exact(3).enumerate() {
            let place =
                |u: f32, v: f32| SurfaceHit { t: 0.0, triangle: triangle as u32, u, v, leaves: false };
            let normals = [place(0.0, 0.0), place(1.0, 0.0), place(0.0, 1.0)].map(|hit| surface.normal(&hit));
            let mut vertices = [0; 3];
            for (slot, (corner, normal)) in corner.iter().zip(normals).enumerate() {
                let normal = normal.normalize_or(Vec3::Z);
                let known = &mut made[*corner as usize];
                let same = known.iter().find(|v| (out.normals[**v as usize] - normal).length() < 1e-5);
                vertices[slot] = match same {
                    Some(vertex) => *vertex,
                    None => {
                        let vertex = out.push(points[*corner as usize], normal);
                        known.push(vertex);
                        vertex
                    }
                };
            }
            out.corners.push(vertices);
        }
        out
    }

    fn push(&mut self, vertex: Vec3, normal: Vec3) -> u32 {
        self.vertices.push(vertex);
        self.normals.push(normal);
        self.vertices.len() as u32 - 1
    }

    /// Adds a triangle unless it has no area.
    fn face(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|i| self.vertices[i as usize]);
        if a != b && b != c && c != a {
            self.corners.push(corners);
        }
    }

    /// Adds the faces of a grid of vertices, counter-clockwise from outside for rows that climb and columns that turn
    /// to the left.
    fn grid(&mut self, first: u32, rows: usize, columns: usize) {
        let at = |row: usize, column: usize| first + (row * columns + column % columns) as u32;
        for row in 0..rows - 1 {
            for column in 0..columns {
                let (a, b) = (at(row, column), at(row, column + 1));
                let (c, d) = (at(row + 1, column + 1), at(row + 1, column));
                self.face([a, b, c]);
                self.face([a, c, d]);
            }
        }
    }

    fn ellipsoid(axes: Vec3, segments: usize) -> Self {
        let mut out = Self::turned(&bordered_profile(0.0, 0.0, 1.0, segments), segments);
        for (vertex, normal) in out.vertices.iter_mut().zip(&mut out.normals) {
            *vertex *= axes;
            let scale = axes.max(Vec3::splat(f32::MIN_POSITIVE)).recip();
            *normal = (*normal * (scale / scale.max_element())).normalize_or(*normal);
        }
        out
    }

    /// Turns a profile of places and normals (distance from the axis, height) about z. Only neighbours of which the
    /// second says so are joined.
    fn turned(profile: &[ProfilePoint], segments: usize) -> Self {
        let mut out = Self::default();
        for strip in profile.chunk_by(|_, next| next.joined) {
            let first = out.vertices.len() as u32;
            for point in strip {
                for segment in 0..segments {
                    let (sin, cos) = (TAU * segment as f32 / segments as f32).sin_cos();
                    let along = |[r, z]: [f32; 2]| Vec3::new(r * cos, r * sin, z);
                    out.push(along(point.place), along(point.normal));
                }
            }
            out.grid(first, strip.len(), segments);
        }
        out
    }

    fn cuboid(half: Vec3) -> Self {
        let mut out = Self::default();
        for axis in 0..3 {
            for sign in [-1.0_f32, 1.0] {
                let mut normal = Vec3::ZERO;
                normal[axis] = sign;
                let (mut u, mut v) = (Vec3::ZERO, Vec3::ZERO);
                u[(axis + 1) % 3] = sign;
                v[(axis + 2) % 3] = 1.0;
                let first = out.vertices.len() as u32;
                for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    out.push(half * (normal + a * u + b * v), normal);
                }
                out.corners.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i| first + i)));
            }
        }
        out
    }

    /// An octant of a ball at every corner of the core, with the flat faces between them.
    fn rounded_box(half: Vec3, border: f32, segments: usize) -> Self {
        let steps = (segments / 4).max(1);
        let part = |step: usize| step as f32 / steps as f32 * FRAC_PI_2;
        let mut out = Self::default();
        for upper in [false, true] {
            for row in 0..=steps {
                let height = if upper { part(row) } else { part(row) - FRAC_PI_2 };
                // Exactly at the poles and the equator, so that faces close without slivers.
                let (z, r) = match (upper, row) {
                    (true, row) if row == steps => (1.0, 0.0),
                    (false, 0) => (-1.0, 0.0),
                    _ => height.sin_cos(),
                };
                for quarter in 0..4 {
                    let (sx, sy) = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)][quarter];
                    for column in 0..=steps {
                        let (sin, cos) = (part(column) + quarter as f32 * FRAC_PI_2).sin_cos();
                        let normal = Vec3::new(r * cos, r * sin, z);
                        let core = half * Vec3::new(sx, sy, if upper { 1.0 } else { -1.0 });
                        out.push(core + border * normal, normal);
                    }
                }
            }
        }
        let (rows, columns) = (2 * (steps + 1), 4 * (steps + 1));
        out.grid(0, rows, columns);
        let corner = |row: usize, quarter: usize| (row * columns + quarter * (steps + 1)) as u32;
        let top = [0, 1, 2, 3].map(|quarter| corner(rows - 1, quarter));
        let bottom = [3, 2, 1, 0].map(|quarter| corner(0, quarter));
        for [a, b, c, d] in [top, bottom] {
            out.face([a, b, c]);
            out.face([a, c, d]);
        }
        out
    }

    /// A square about a point of a plane z = 0.
    fn square(center: Vec3, half: f32) -> Self {
        let mut out = Self::default();
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            out.push(Vec3::new(center.x + half * x, center.y + half * y, 0.0), Vec3::Z);
        }
        out.corners.extend([[0, 1, 2], [0, 2, 3]]);
        out
    }
}

/// A point of a profile: distance from the axis and height.
struct ProfilePoint {
    place: [f32; 2],
    normal: [f32; 2],
    joined: bool,
}

/// Straight pieces from the bottom up: start, end, normal.
fn straight_profile(pieces: &[([f32; 2], [f32; 2], [f32; 2])]) -> Vec<ProfilePoint> {
    let piece = |(start, end, normal): &([f32; 2], [f32; 2], [f32; 2])| {
        [(*start, false), (*end, true)].map(|(place, joined)| ProfilePoint { place, normal: *normal, joined })
    };
    pieces.iter().flat_map(piece).collect()
}

/// A cylinder with a round border, from the bottom up: smooth everywhere.
fn bordered_profile(radius: f32, half: f32, border: f32, segments: usize) -> Vec<ProfilePoint> {
    let steps = (segments / 4).max(1);
    let mut out = Vec::new();
    let mut add = |place: [f32; 2], normal: [f32; 2]| {
        let repeated = out.last().is_some_and(|p: &ProfilePoint| p.place == place);
        if !repeated {
            out.push(ProfilePoint { place, normal, joined: !out.is_empty() });
        }
    };
    add([0.0, -half - border], [0.0, -1.0]);
    for (z, start) in [(-half, -FRAC_PI_2), (half, 0.0)] {
        for step in 0..=steps {
            let angle = start + step as f32 / steps as f32 * FRAC_PI_2;
            let (mut sin, mut cos) = angle.sin_cos();
            if (angle.abs() - FRAC_PI_2).abs() < 1e-3 * PI {
                (sin, cos) = (sin.signum(), 0.0);
            }
            add([radius + border * cos, z + border * sin], [cos, sin]);
        }
    }
    add([0.0, half + border], [0.0, 1.0]);
    out
}

/// Edges around something round, so that many shapes do not make huge files.
pub(super) fn segments_for(stage: &Stage) -> usize {
    match stage.batches.iter().map(|batch| batch.items.len()).sum::<usize>() {
        0..=1_000 => 32,
        1_001..=10_000 => 16,
        _ => 8,
    }
}

/// Whether a half-space is a ground; others, such as the walls of a container, would hide everything.
pub(super) fn faces_up(framing: &Framing, rotation: DQuat) -> bool {
    (rotation * DVec3::Z).dot(framing.up) >= GROUND_COSINE
}

/// The square that stands for a half-space, in the frame of the shape; none where it does not face up.
pub(super) fn ground_square(framing: &Framing, position: DVec3, rotation: DQuat) -> Option<Triangles> {
    if !faces_up(framing, rotation) {
        return None;
    }
    let center = rotation.inverse() * (framing.center - position);
    Some(Triangles::square(center.as_vec3(), (GROUND_REACH * framing.radius) as f32))
}

/// What a half-space that is not drawn is reported as.
pub(super) fn wall_note(owner: &str) -> String {
    format!("the half-space of '{owner}' does not face up and would hide everything: left out")
}

/// Refuses sizes that are no sizes.
pub(super) fn check_size(stage: &Stage, shape: &Shape) -> Result<(), RenderError> {
    let used = &shape.size[..shape.kind.size_len()];
    if used.iter().all(|s| s.is_finite() && *s >= 0.0) {
        return Ok(());
    }
    let group = &stage.groups[shape.group].name;
    Err(RenderError::Stage { what: format!("a {:?} of group '{group}' has the size {used:?}", shape.kind) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume and area of a closed surface; the volume is negative if faces look inwards.
    fn measure(t: &Triangles) -> (f64, f64) {
        let corner = |i: u32| t.vertices[i as usize].as_dvec3();
        let faces = t.corners.iter().map(|f| f.map(corner));
        let each = faces.map(|[a, b, c]| (a.dot(b.cross(c)) / 6.0, 0.5 * (b - a).cross(c - a).length()));
        each.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    #[test]
    fn fine_triangles_have_the_volume_and_area_of_the_shape() {
        use std::f64::consts::PI;
        let (a, b, c, d) = (0.7_f64, 0.4_f64, 0.3_f64, 0.2_f64);
        let slant = (a * a + 4.0 * b * b).sqrt();
        // Steiner's formula for a core with a border d: V + S d + M d² + 4/3 π d³.
        let (core, faces, edges) = (8.0 * a * b * c, 8.0 * (a * b + b * c + c * a), 2.0 * PI * (a + b + c));
        let ring = 2.0 * PI * a * (a + 2.0 * b);
        let cases = [
            (BatchKind::Sphere, 4.0 / 3.0 * PI * a.powi(3), Some(4.0 * PI * a * a)),
            (BatchKind::Ellipsoid, 4.0 / 3.0 * PI * a * b * c, None),
            (BatchKind::Box, core, Some(faces)),
            (BatchKind::Capsule, PI * a * a * (4.0 / 3.0 * a + 2.0 * b), Some(4.0 * PI * a * (a + b))),
            (BatchKind::Cylinder, 2.0 * PI * a * a * b, Some(ring)),
            (BatchKind::Cone, 2.0 / 3.0 * PI * a * a * b, Some(PI * a * (a + slant))),
            (
                BatchKind::RoundedBox,
                core + faces * d + edges * d * d + 4.0 / 3.0 * PI * d.powi(3),
                Some(faces + 2.0 * edges * d + 4.0 * PI * d * d),
            ),
            (
                BatchKind::RoundedCylinder,
                2.0 * PI * a * a * b
                    + ring * c
                    + (PI * PI * a + 2.0 * PI * b) * c * c
                    + 4.0 / 3.0 * PI * c.powi(3),
                None,
            ),
        ];
        for (kind, volume, area) in cases {
            let size = [a, b, c, d].map(|s| s as f32);
            let triangles = Triangles::of_shape(kind, &size, None, 256).unwrap();
            let (found_volume, found_area) = measure(&triangles);
            assert!((found_volume / volume - 1.0).abs() < 1e-3, "{kind:?}: {found_volume} {volume}");
            if let Some(area) = area {
                assert!((found_area / area - 1.0).abs() < 1e-3, "{kind:?}: {found_area} {area}");
            }
            for face in &triangles.corners {
                let [p, q, r] = face.map(|i| triangles.vertices[i as usize]);
                let flat = (q - p).cross(r - p).normalize();
                let normals = face.map(|i| triangles.normals[i as usize]);
                assert!(normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4), "{kind:?}");
                let mean = (normals[0] + normals[1] + normals[2]).normalize();
                assert!(mean.dot(flat) > 0.95, "{kind:?}: {mean} {flat}");
            }
        }
    }

    #[test]
    fn a_cube_of_eight_points_gets_sharp_edges_and_a_ball_stays_smooth() {
        let cube = Triangles::cuboid(Vec3::ONE);
        let mut points: Vec<Vec3> = Vec::new();
        let mut corners = Vec::new();
        for corner in cube.corners.iter().flatten() {
            let point = cube.vertices[*corner as usize];
            let place = points.iter().position(|p| *p == point).unwrap_or_else(|| {
                points.push(point);
                points.len() - 1
            });
            corners.push(place as u32);
        }
        assert_eq!(points.len(), 8);
        assert_eq!(Triangles::creased(&points, &corners, 0.5).vertices.len(), 24);
        assert_eq!(Triangles::creased(&points, &corners, 3.0).vertices.len(), 8);
    }
}
