//! How deep equal boxes overlap, by the separating-axis test on their poses alone.
//!
//! The same test as `box_overlap.py`; it shares nothing with the engine whose result it judges.

use rapier3d_f64::glamx::{DMat3, DVec3};
use rapier3d_f64::math::Pose;

/// Directions of edges closer than this to parallel (sine of the angle) give no axis of their own.
const PARALLEL: f64 = 1e-9;

/// Smallest translation that parts two boxes of half sides `half` [m]; zero where they do not overlap.
pub fn overlap(half: DVec3, a: &Pose, b: &Pose) -> f64 {
    let (axes_a, axes_b) = (DMat3::from_quat(a.rotation), DMat3::from_quat(b.rotation));
    let offset = b.translation - a.translation;
    let reach = |axes: &DMat3, n: DVec3| half.dot((axes.transpose() * n).abs());
    let columns = |m: &DMat3| [m.x_axis, m.y_axis, m.z_axis];
    let crosses = columns(&axes_a).into_iter().flat_map(|u| columns(&axes_b).map(|v| u.cross(v)));
    columns(&axes_a)
        .into_iter()
        .chain(columns(&axes_b))
        .chain(crosses)
        .filter(|n| n.length() > PARALLEL)
        .map(|n| n.normalize())
        .map(|n| reach(&axes_a, n) + reach(&axes_b, n) - n.dot(offset).abs())
        .fold(f64::INFINITY, f64::min)
        .max(0.0)
}

/// Deepest overlap of any two of the boxes [m].
pub fn deepest_overlap(half: DVec3, poses: &[Pose]) -> f64 {
    let diameter = 2.0 * half.length();
    let mut deepest: f64 = 0.0;
    for (i, a) in poses.iter().enumerate() {
        for b in &poses[i + 1..] {
            if (b.translation - a.translation).length() < diameter {
                deepest = deepest.max(overlap(half, a, b));
            }
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use rapier3d_f64::glamx::DQuat;
    use std::f64::consts::FRAC_PI_4;

    const HALF: DVec3 = DVec3::new(0.2, 0.1, 0.1);

    fn placed(x: f64, y: f64, z: f64, rotation: DQuat) -> Pose {
        Pose { translation: DVec3::new(x, y, z), rotation }
    }

    fn depth(b: Pose) -> f64 {
        overlap(HALF, &placed(0.0, 0.0, 0.0, DQuat::IDENTITY), &b)
    }

    #[test]
    fn faces_overlap_along_the_thinnest_direction() {
        assert!((depth(placed(0.1, 0.02, 0.197, DQuat::IDENTITY)) - 0.003).abs() < 1e-15);
        assert_eq!(depth(placed(0.1, 0.0, 0.2001, DQuat::IDENTITY)), 0.0);
    }

    #[test]
    fn an_edge_sinks_into_a_face() {
        // Turned by 45° about its long axis, the upper box stands on an edge, 0.1 √2 below its centre.
        let height = 0.1 + 0.1 * 2f64.sqrt() - 0.004;
        assert!((depth(placed(0.0, 0.0, height, DQuat::from_rotation_x(FRAC_PI_4))) - 0.004).abs() < 1e-15);
    }

    #[test]
    fn crossing_edges_overlap_along_their_common_normal() {
        // Both boxes stand on an edge, one along x, the other along y: only z, a cross product, parts them.
        let lower = placed(0.0, 0.0, 0.0, DQuat::from_rotation_x(FRAC_PI_4));
        let across = DQuat::from_rotation_z(2.0 * FRAC_PI_4) * DQuat::from_rotation_x(FRAC_PI_4);
        let reach = 0.2 * 2f64.sqrt();
        let upper = |gap: f64| placed(0.0, 0.0, reach + gap, across);
        assert!((overlap(HALF, &lower, &upper(-0.005)) - 0.005).abs() < 1e-15);
        assert_eq!(overlap(HALF, &lower, &upper(0.005)), 0.0);
        assert!((deepest_overlap(HALF, &[lower, upper(-0.005)]) - 0.005).abs() < 1e-15);
    }
}
