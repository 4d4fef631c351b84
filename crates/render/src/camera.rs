//! Where the camera stands.

use glam::{DQuat, DVec3};
use huygens_record::recording::{BatchKind, Frame, GroupKind, Stage};

use crate::error::RenderError;
use crate::shapes::{Poses, Selection, Shape, field, for_each_shape, reach};
use crate::view::{CameraView, Keyframe, View};

/// Things that are kept to fit a camera around; more are thinned out evenly.
const SUBJECT_LIMIT: usize = 20_000;
/// Part of the things at each end of an axis that may lie outside the picture, if there are many.
const OUTLIERS: f64 = 0.01;
/// Free space around what is shown.
const MARGIN: f64 = 1.06;

/// A pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Place of the eye [m].
    pub eye: DVec3,
    /// Unit vector to the right of the picture.
    pub right: DVec3,
    /// Unit vector to the top of the picture.
    pub up: DVec3,
    /// Unit vector into the picture.
    pub forward: DVec3,
    /// Tangent of half the vertical field of view.
    pub tan_half: f64,
    /// Distance of the target from the eye [m].
    pub distance: f64,
}

impl Camera {
    /// A camera at `eye` that looks at `target`.
    pub fn looking_at(eye: DVec3, target: DVec3, up: DVec3, fov: f64) -> Self {
        let forward = (target - eye).normalize_or(DVec3::X);
        let right = match forward.cross(up.normalize_or(DVec3::Z)) {
            across if across.length() > 1e-6 => across.normalize(),
            _ => forward.any_orthonormal_vector(),
        };
        let distance = (target - eye).length();
        let up = right.cross(forward);
        Self { eye, right, up, forward, tan_half: (0.5 * fov).tan(), distance }
    }

    /// Direction of the pixel at `x` (−aspect … aspect, to the right) and `y` (−1 … 1, up).
    pub fn direction(&self, x: f64, y: f64) -> DVec3 {
        (self.forward + self.tan_half * (x * self.right + y * self.up)).normalize()
    }

    /// Where a point appears: `x`, `y` as for [`Camera::direction`], and its distance along the axis [m].
    pub fn project(&self, point: DVec3) -> (f64, f64, f64) {
        let offset = point - self.eye;
        let depth = offset.dot(self.forward);
        let scale = 1.0 / (depth * self.tan_half);
        (offset.dot(self.right) * scale, offset.dot(self.up) * scale, depth)
    }
}

/// What a camera without a place of its own is fitted around.
#[derive(Clone, Debug)]
pub struct Framing {
    /// Middle of what is shown [m].
    pub center: DVec3,
    /// Radius of a ball about the middle that holds almost all of it [m].
    pub radius: f64,
    /// Lowest point of it along the up axis [m].
    pub floor: f64,
    /// Unit vector that points up.
    pub up: DVec3,
    /// Balls around the things shown.
    subjects: Vec<(DVec3, f64)>,
}

struct Ball {
    center: DVec3,
    radius: f64,
    moving: bool,
}

impl Framing {
    /// Frames the moving things at some moments, with those at rest that are not much larger.
    pub fn of(stage: &Stage, frames: &[&Frame], view: &View) -> Result<Self, RenderError> {
        let up = DVec3::from_array(view.camera.up.unwrap_or(stage.up.map(f64::from))).normalize_or(DVec3::Z);
        let mut balls = Vec::new();
        for frame in frames {
            collect(stage, frame, frames, view, &mut balls)?;
        }
        let subjects = thinned(without_outliers(chosen(balls)));
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        let mut floor = f64::INFINITY;
        for (center, radius) in &subjects {
            low = low.min(center - radius);
            high = high.max(center + radius);
            floor = floor.min(center.dot(up) - radius);
        }
        if subjects.is_empty() {
            (low, high, floor) = (DVec3::splat(-1.0), DVec3::ONE, -1.0);
        }
        let center = 0.5 * (low + high);
        let radius = subjects.iter().map(|(c, r)| (*c - center).length() + r).fold(0.0, f64::max);
        let radius = if radius > 0.0 { radius } else { 1.0 };
        Ok(Self { center, radius, floor, up, subjects })
    }

    /// The camera at a time, for a picture of `aspect` = width / height.
    pub fn camera(&self, stage: &Stage, frame: &Frame, view: &View) -> Result<Camera, RenderError> {
        let spec = &view.camera;
        let aspect = f64::from(view.size[0]) / f64::from(view.size[1]);
        let time = frame.time;
        let value = |pick: fn(&Keyframe) -> Option<f64>, or: f64| along(&spec.path, time, pick).unwrap_or(or);
        let fov = value(|k| k.fov_deg, spec.fov_deg).to_radians();
        let azimuth = value(|k| k.azimuth_deg, spec.azimuth_deg) + spec.orbit_deg_per_s * time;
        let elevation = value(|k| k.elevation_deg, spec.elevation_deg);
        let zoom = value(|k| k.zoom, spec.zoom);
        let eye = point_along(&spec.path, time, |k| k.position).or(spec.position.map(DVec3::from_array));
        let target = match &spec.follow {
            Some(name) => Some(followed(stage, frame, name)?.unwrap_or(self.center)),
            None => point_along(&spec.path, time, |k| k.target).or(spec.target.map(DVec3::from_array)),
        };
        if let Some(eye) = eye {
            return Ok(Camera::looking_at(eye, target.unwrap_or(self.center), self.up, fov));
        }
        let away = self.away(azimuth, elevation);
        let turns = spec.orbit_deg_per_s != 0.0 || spec.path.iter().any(|k| k.azimuth_deg.is_some());
        let (target, distance) = match target {
            Some(target) => (target, self.distance_all_round(elevation, fov, aspect)),
            None if turns => (self.center, self.distance_all_round(elevation, fov, aspect)),
            None => self.fitted(away, fov, aspect),
        };
        Ok(Camera::looking_at(target + away * (distance / zoom), target, self.up, fov))
    }

    /// Unit vector from the target to the eye.
    pub(crate) fn away(&self, azimuth_deg: f64, elevation_deg: f64) -> DVec3 {
        let first = match self.up.cross(DVec3::X).length() > 1e-3 {
            true => (DVec3::X - DVec3::X.dot(self.up) * self.up).normalize(),
            false => (DVec3::Y - DVec3::Y.dot(self.up) * self.up).normalize(),
        };
        let level = DQuat::from_axis_angle(self.up, azimuth_deg.to_radians()) * first;
        let (sin, cos) = elevation_deg.to_radians().sin_cos();
        cos * level + sin * self.up
    }

    /// Target and distance of the nearest eye in a direction that sees all subjects.
    ///
    /// Each side of the picture is a plane through the eye that every ball must lie behind: four linear bounds on the
    /// place of the eye.
    fn fitted(&self, away: DVec3, fov: f64, aspect: f64) -> (DVec3, f64) {
        let frame = Camera::looking_at(self.center + away, self.center, self.up, fov);
        let tan_y = frame.tan_half / MARGIN;
        let tan_x = tan_y * aspect;
        let mut bounds = [f64::NEG_INFINITY; 4];
        let mut nearest = f64::INFINITY;
        for (center, radius) in &self.subjects {
            let p = *center - self.center;
            let (x, y, z) = (p.dot(frame.right), p.dot(frame.up), p.dot(frame.forward));
            let (rx, ry) = (radius * (1.0 + tan_x * tan_x).sqrt(), radius * (1.0 + tan_y * tan_y).sqrt());
            let sides = [x - tan_x * z + rx, -x - tan_x * z + rx, y - tan_y * z + ry, -y - tan_y * z + ry];
            for (bound, side) in bounds.iter_mut().zip(sides) {
                *bound = bound.max(side);
            }
            nearest = nearest.min(z - radius);
        }
        if self.subjects.is_empty() {
            return (self.center, self.radius / frame.tan_half);
        }
        let [right, left, top, bottom] = bounds;
        let depth = (-(right + left) / (2.0 * tan_x)).min(-(top + bottom) / (2.0 * tan_y));
        let depth = depth.min(nearest - 0.05 * self.radius);
        let shift = 0.5 * (right - left) * frame.right + 0.5 * (top - bottom) * frame.up;
        (self.center + shift, -depth)
    }

    /// Distance from which an eye at this height sees all subjects from every side.
    fn distance_all_round(&self, elevation: f64, fov: f64, aspect: f64) -> f64 {
        let distance = |step: i32| {
            let away = self.away(f64::from(step) * 22.5, elevation);
            let (target, distance) = self.fitted(away, fov, aspect);
            // Sideways shifts are not followed while turning: step back instead.
            let shift = (target - self.center).length();
            distance + shift / (0.5 * fov).tan() / aspect.min(1.0) * 0.7
        };
        (0..16).map(distance).fold(0.0, f64::max)
    }
}

fn collect(
    stage: &Stage,
    frame: &Frame,
    frames: &[&Frame],
    view: &View,
    balls: &mut Vec<Ball>,
) -> Result<(), RenderError> {
    let others: Vec<Vec<Option<Poses<'_>>>> = frames
        .iter()
        .map(|f| (0..stage.groups.len()).map(|g| Poses::new(stage, f, g).ok()).collect())
        .collect();
    let velocities: Vec<_> = (0..stage.groups.len())
        .map(|g| field(stage, frame, g, "velocity").filter(|v| v.components == 3))
        .collect();
    let moving = |shape: &Shape, place: DVec3| {
        if stage.groups[shape.group].kind != GroupKind::Bodies {
            return true;
        }
        let moves = velocities[shape.group].is_some_and(|v| v.of(shape.item).any(|c| c != 0.0));
        // Items keep their places in a group of bodies, so the same index is the same body.
        moves
            || others.iter().filter_map(|groups| groups[shape.group].as_ref()).any(|poses| {
                let there = poses.find(shape.item).ok().flatten();
                there.is_some_and(|(p, _)| (p - place).length() > 0.0)
            })
    };
    let own: Vec<Option<Poses<'_>>> =
        (0..stage.groups.len()).map(|g| Poses::new(stage, frame, g).ok()).collect();
    let mesh_reach: Vec<std::cell::OnceCell<Option<f64>>> =
        stage.meshes.iter().map(|_| std::cell::OnceCell::new()).collect();
    for_each_shape(stage, frame, &Selection::new(view), &mut |shape| {
        let radius = match (shape.kind, shape.mesh.and_then(|m| mesh_reach.get(m))) {
            (BatchKind::Mesh, Some(cell)) => *cell.get_or_init(|| reach(stage, &shape)),
            _ => reach(stage, &shape),
        };
        let place = own[shape.group].as_ref().map(|poses| poses.find(shape.item)).transpose()?;
        if let (Some(radius), Some(Some((place, _)))) = (radius.filter(|r| r.is_finite()), place) {
            balls.push(Ball { center: shape.position, radius, moving: moving(&shape, place) });
        }
        Ok(())
    })?;
    for skin in &stage.skins {
        let poses = Poses::new(stage, frame, skin.group)?;
        let nodes = poses.places()?.into_iter().filter(|place| place.is_finite());
        balls.extend(nodes.map(|center| Ball { center, radius: 0.0, moving: true }));
    }
    Ok(())
}

/// Moving balls, and those at rest that do not dwarf them; all where nothing moves.
fn chosen(balls: Vec<Ball>) -> Vec<(DVec3, f64)> {
    let pick = |ball: &Ball| (ball.center, ball.radius);
    let moving: Vec<_> = balls.iter().filter(|b| b.moving).map(pick).collect();
    if moving.is_empty() {
        return balls.iter().map(pick).collect();
    }
    let trimmed = without_outliers(moving.clone());
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for (center, radius) in &trimmed {
        low = low.min(center - radius);
        high = high.max(center + radius);
    }
    let (center, size) = (0.5 * (low + high), 0.5 * (high - low).length());
    let near = |b: &&Ball| {
        !b.moving && b.radius < 1.2 * size && (b.center - center).length() + b.radius < 2.0 * size
    };
    moving.into_iter().chain(balls.iter().filter(near).map(pick)).collect()
}

/// Leaves out what lies beyond the outermost hundredth on any axis, if there are many.
fn without_outliers(balls: Vec<(DVec3, f64)>) -> Vec<(DVec3, f64)> {
    if balls.len() < 50 {
        return balls;
    }
    let mut low = DVec3::ZERO;
    let mut high = DVec3::ZERO;
    for axis in 0..3 {
        let mut values: Vec<f64> = balls.iter().map(|(c, _)| c[axis]).collect();
        let cut = (OUTLIERS * values.len() as f64) as usize;
        let last = values.len() - 1 - cut;
        values.sort_unstable_by(f64::total_cmp);
        // What lies just beyond the cut is no outlier: cut only where there is a gap.
        let widen = 0.5 * (values[last] - values[cut]);
        (low[axis], high[axis]) = (values[cut] - widen, values[last] + widen);
    }
    balls.into_iter().filter(|(c, _)| c.cmpge(low).all() && c.cmple(high).all()).collect()
}

fn thinned(balls: Vec<(DVec3, f64)>) -> Vec<(DVec3, f64)> {
    let stride = balls.len().div_ceil(SUBJECT_LIMIT).max(1);
    balls.into_iter().step_by(stride).collect()
}

/// Place of a named item; none while it is not there.
fn followed(stage: &Stage, frame: &Frame, name: &str) -> Result<Option<DVec3>, RenderError> {
    for (number, group) in stage.groups.iter().enumerate() {
        // Things that follow each other may have one name.
        let mut named = (0..group.names.len()).filter(|item| group.names[*item] == name).peekable();
        if named.peek().is_some() {
            let poses = Poses::new(stage, frame, number)?;
            let there = named.find(|item| poses.is_there(*item));
            return Ok(there.map(|item| poses.find(item)).transpose()?.flatten().map(|(place, _)| place));
        }
    }
    let names = stage.groups.iter().flat_map(|g| &g.names).filter(|n| !n.is_empty());
    let present = names.take(1000).cloned().collect();
    Err(RenderError::Missing { key: "camera.follow".into(), name: name.into(), present })
}

/// Value at a time of what some keyframes give: Catmull–Rom between them, still before and after.
fn along(path: &[Keyframe], time: f64, pick: impl Fn(&Keyframe) -> Option<f64>) -> Option<f64> {
    let keys: Vec<(f64, f64)> = path.iter().filter_map(|k| Some((k.time, pick(k)?))).collect();
    let (first, last) = (keys.first()?, keys.last()?);
    if time <= first.0 {
        return Some(first.1);
    }
    if time >= last.0 {
        return Some(last.1);
    }
    let next = keys.iter().position(|k| k.0 > time)?;
    let slope = |i: usize| {
        // Still at the ends, so that a film starts and stops softly.
        if i == 0 || i + 1 == keys.len() {
            return 0.0;
        }
        (keys[i + 1].1 - keys[i - 1].1) / (keys[i + 1].0 - keys[i - 1].0)
    };
    let ((t0, a), (t1, b)) = (keys[next - 1], keys[next]);
    let (h, s) = (t1 - t0, (time - t0) / (t1 - t0));
    let (da, db) = (h * slope(next - 1), h * slope(next));
    let (s2, s3) = (s * s, s * s * s);
    Some(
        a * (2.0 * s3 - 3.0 * s2 + 1.0)
            + da * (s3 - 2.0 * s2 + s)
            + b * (3.0 * s2 - 2.0 * s3)
            + db * (s3 - s2),
    )
}

fn point_along(path: &[Keyframe], time: f64, pick: fn(&Keyframe) -> Option<[f64; 3]>) -> Option<DVec3> {
    let axis = |axis: usize| along(path, time, |k| pick(k).map(|p| p[axis]));
    Some(DVec3::new(axis(0)?, axis(1)?, axis(2)?))
}

/// Direction towards a sun that stands behind the camera, to its left.
pub(crate) fn sun_direction(framing: &Framing, camera: &CameraView) -> DVec3 {
    let azimuth = match (camera.position, camera.path.first().and_then(|k| k.position)) {
        (None, None) => camera.path.first().and_then(|k| k.azimuth_deg).unwrap_or(camera.azimuth_deg),
        (fixed, first) => {
            let eye = DVec3::from_array(first.or(fixed).unwrap_or_default());
            let away = eye - camera.target.map_or(framing.center, DVec3::from_array);
            let (x, y) = (away.dot(framing.away(0.0, 0.0)), away.dot(framing.away(90.0, 0.0)));
            y.atan2(x).to_degrees()
        }
    };
    framing.away(azimuth - 72.0, 44.0)
}
