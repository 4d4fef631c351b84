//! Two boxes: separating axes, then the clipped faces.

use glam::{DMat3, DVec3};

use super::convex;
use super::core::{Core, Kernel, box_face};
use super::polygon::{Candidate, ClipScratch, reduce};
use super::{ContactPoint, NarrowScratch};
use crate::Pose;

/// Part of the size by which the faces of b must separate more than those of a to be preferred.
const SECOND_PREFERENCE: f64 = 1e-6;

/// Cosine of the angle between an edge–edge normal and a face normal below which the edges decide (2.5°).
const EDGE_ANGLE: f64 = 0.999;

/// Two boxes in the frame of a.
struct Boxes {
    half_a: DVec3,
    half_b: DVec3,
    /// Axes of b as columns.
    axes: DMat3,
    offset: DVec3,
    size: f64,
}

/// A separating axis, from a to b, and the distance along it.
#[derive(Clone, Copy)]
struct Axis {
    normal: DVec3,
    gap: f64,
    /// Edge directions of a and b whose cross product this is.
    edges: Option<(usize, usize)>,
}

impl Boxes {
    /// The axis of largest separation; `None` as soon as one separates by `envelope`.
    fn best_axis(&self, envelope: f64) -> Option<Axis> {
        let absolute =
            DMat3::from_cols(self.axes.x_axis.abs(), self.axes.y_axis.abs(), self.axes.z_axis.abs());
        let along_b = self.axes.transpose() * self.offset;
        let gaps_a = self.offset.abs() - self.half_a - absolute * self.half_b;
        let gaps_b = along_b.abs() - self.half_b - absolute.transpose() * self.half_a;
        let (i, j) = (gaps_a.max_position(), gaps_b.max_position());
        if gaps_a[i] >= envelope || gaps_b[j] >= envelope {
            return None;
        }
        let face = if gaps_b[j] > gaps_a[i] + SECOND_PREFERENCE * self.size {
            let sign = if along_b[j] < 0.0 { -1.0 } else { 1.0 };
            Axis { normal: self.axes.col(j) * sign, gap: gaps_b[j], edges: None }
        } else {
            let sign = if self.offset[i] < 0.0 { -1.0 } else { 1.0 };
            Axis { normal: DVec3::AXES[i] * sign, gap: gaps_a[i], edges: None }
        };
        let edge = self.best_edges(&absolute, envelope)?;
        // Edges count where they separate visibly more, and where the faces are no good description of the contact.
        let preference = if edge.gap > 0.0 { 1e-9 } else { 1e-3 } * self.size;
        let decisive = edge.gap > face.gap + preference && edge.normal.dot(face.normal).abs() < EDGE_ANGLE;
        Some(if decisive { edge } else { face })
    }

    /// The best cross product of edges; `None` if one separates by `envelope`.
    fn best_edges(&self, absolute: &DMat3, envelope: f64) -> Option<Axis> {
        let mut best = Axis { normal: DVec3::ZERO, gap: f64::NEG_INFINITY, edges: None };
        for j in 0..3 {
            let (axis, abs) = (self.axes.col(j), absolute.col(j));
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            for i in 0..3 {
                let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
                let squared = axis[i1] * axis[i1] + axis[i2] * axis[i2];
                if squared < 1e-8 {
                    continue;
                }
                // e_i × axis has components −axis[i2] and axis[i1] along e_i1 and e_i2.
                let along = self.offset[i2] * axis[i1] - self.offset[i1] * axis[i2];
                let reach = self.half_a[i1] * abs[i2]
                    + self.half_a[i2] * abs[i1]
                    + self.half_b[j1] * absolute.col(j2)[i]
                    + self.half_b[j2] * absolute.col(j1)[i];
                let inverse = 1.0 / squared.sqrt();
                let gap = (along.abs() - reach) * inverse;
                if gap >= envelope {
                    return None;
                }
                if gap > best.gap {
                    let sign = if along < 0.0 { -inverse } else { inverse };
                    let mut normal = DVec3::ZERO;
                    normal[i1] = -axis[i2] * sign;
                    normal[i2] = axis[i1] * sign;
                    best = Axis { normal, gap, edges: Some((i, j)) };
                }
            }
        }
        Some(best)
    }

    /// Closest points of the two edges that face each other; `None` if they lie beyond the ends.
    fn edge_contact(&self, axis: &Axis, (i, j): (usize, usize)) -> Option<Candidate> {
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        let toward_a = self.axes.transpose() * -axis.normal;
        let mut p = self.half_a * DVec3::from_array(axis.normal.to_array().map(sign));
        let mut q = self.half_b * DVec3::from_array(toward_a.to_array().map(sign));
        let corner = |p: DVec3, skip: usize| -> u32 {
            (0..3).filter(|&k| k != skip && p[k] > 0.0).map(|k| 1 << k).sum::<u32>() + 8 * skip as u32
        };
        let feature = 1 << 10 | corner(p, i) << 5 | corner(q, j);
        (p[i], q[j]) = (0.0, 0.0);
        let (q, u, v) = (self.offset + self.axes * q, DVec3::AXES[i], self.axes.col(j));
        let r = q - p;
        let cosine = u.dot(v);
        let scale = 1.0 / (1.0 - cosine * cosine);
        let s = (r.dot(u) - cosine * r.dot(v)) * scale;
        let t = (cosine * r.dot(u) - r.dot(v)) * scale;
        let inside = s.abs() <= self.half_a[i] && t.abs() <= self.half_b[j];
        let (on_a, on_b) = (p + u * s, q + v * t);
        inside.then(|| Candidate { on_a, on_b, gap: (on_b - on_a).dot(axis.normal), feature })
    }

    /// Corners of the common part of the two faces that look at each other; answers the smallest gap.
    fn face_contacts(&self, axis: &Axis, envelope: f64, clip: &mut ClipScratch) -> f64 {
        clip.a.clear();
        clip.b.clear();
        box_face(self.half_a, axis.normal, &mut clip.a);
        box_face(self.half_b, self.axes.transpose() * -axis.normal, &mut clip.b);
        clip.b.points.iter_mut().for_each(|p| *p = self.offset + self.axes * *p);
        clip.b.normal = self.axes * clip.b.normal;
        clip.clip_features(axis.normal, envelope);
        clip.candidates.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
    }
}

/// Two boxes.
pub(super) fn cuboid(
    half_a: DVec3,
    pose_a: &Pose,
    half_b: DVec3,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let frame = DMat3::from_quat(pose_a.rotation);
    let inverse = frame.transpose();
    let boxes = Boxes {
        half_a,
        half_b,
        axes: inverse * DMat3::from_quat(pose_b.rotation),
        offset: inverse * (pose_b.position - pose_a.position),
        size: half_a.min_element().min(half_b.min_element()),
    };
    let Some(axis) = boxes.best_axis(envelope) else { return };
    let clip = &mut scratch.convex.clip;
    let gap = match axis.edges {
        None => boxes.face_contacts(&axis, envelope, clip),
        Some(edges) => {
            clip.candidates.clear();
            clip.candidates.extend(boxes.edge_contact(&axis, edges));
            axis.gap
        }
    };
    // Apart, but not by a face over a face or an edge across an edge: a corner or an edge beyond the rim.
    let exact = gap <= axis.gap * 1.001 + 1e-9 * boxes.size;
    if clip.candidates.is_empty() || axis.gap > 0.0 && !exact {
        let core = |half| Core { kernel: Kernel::Box { half }, border: 0.0 };
        return convex::contacts(core(half_a), pose_a, core(half_b), pose_b, envelope, scratch, out);
    }
    reduce(&mut clip.candidates, axis.normal);
    let normal = frame * axis.normal;
    out.extend(clip.candidates.iter().map(|c| ContactPoint {
        point_a: pose_a.position + frame * c.on_a,
        point_b: pose_a.position + frame * c.on_b,
        normal,
        gap: c.gap,
        feature: c.feature,
        radius_a: f64::INFINITY,
        radius_b: f64::INFINITY,
    }));
}
