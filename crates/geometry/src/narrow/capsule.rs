//! Two capsules.

use glam::DVec3;

use super::convex::{self, Pair, Witness};
use super::core::{Core, Kernel};
use super::{ContactPoint, NarrowScratch};
use crate::Pose;

/// Two capsules: the closest points of their segments, and the ends of their common extent where they are parallel.
pub(super) fn capsule(
    (radius_a, half_a): (f64, f64),
    pose_a: &Pose,
    (radius_b, half_b): (f64, f64),
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let core = |half, border| Core { kernel: Kernel::Segment { half }, border };
    let pair = Pair::new(core(half_a, radius_a), pose_a, core(half_b, radius_b), pose_b);
    let offset = pair.b_in_a.position;
    let axis = pair.b_in_a.vector(DVec3::Z);
    let (s, t) = closest_parameters(half_a, half_b, offset, axis);
    let (on_a, on_b) = (DVec3::new(0.0, 0.0, s), offset + axis * t);
    let between = on_b - on_a;
    let distance = between.length_squared().sqrt();
    if distance >= envelope + radius_a + radius_b {
        return;
    }
    let size = radius_a + radius_b;
    let normal = if distance > 1e-12 * size { between / distance } else { across(axis, offset) };
    let witness = Witness { on_a, on_b, normal, gap: between.dot(normal) };
    convex::emit(&pair, pose_a, &witness, envelope, scratch, out);
}

/// A direction across both axes, for segments that cross; toward b where there is a choice.
fn across(axis: DVec3, offset: DVec3) -> DVec3 {
    let normal = DVec3::Z.cross(axis);
    let normal = if normal.length_squared() > 1e-12 { normal.normalize() } else { DVec3::X };
    if normal.dot(offset) < 0.0 { -normal } else { normal }
}

/// Positions along the segments s·z and `offset` + t·`axis` of their closest points.
fn closest_parameters(half_a: f64, half_b: f64, offset: DVec3, axis: DVec3) -> (f64, f64) {
    let cosine = axis.z;
    let sine_squared = axis.x * axis.x + axis.y * axis.y;
    let (along_a, along_b) = (offset.z, offset.dot(axis));
    let s = if sine_squared > 1e-12 {
        ((along_a - cosine * along_b) / sine_squared).clamp(-half_a, half_a)
    } else {
        // Parallel: the middle of the common extent.
        let reach = half_b * cosine.abs();
        let (low, high) = ((along_a - reach).max(-half_a), (along_a + reach).min(half_a));
        (0.5 * (low + high)).clamp(-half_a, half_a)
    };
    let t = (s * cosine - along_b).clamp(-half_b, half_b);
    let s = (along_a + t * cosine).clamp(-half_a, half_a);
    (s, t)
}
