//! How deep boxes overlap, told from their poses alone: separating axes, apart from the engine's own narrow phase.

use glam::{DMat3, DQuat, DVec3};

/// Depth [m] of the deepest overlap of any two equal boxes of half lengths `half`.
pub fn deepest_overlap(half: DVec3, poses: &[(DVec3, DQuat)]) -> f64 {
    let reach = 2.0 * half.length();
    let mut deepest = 0.0f64;
    for (i, a) in poses.iter().enumerate() {
        for b in &poses[..i] {
            if (a.0 - b.0).length() < reach {
                deepest = deepest.max(overlap(half, *a, *b));
            }
        }
    }
    deepest
}

/// Least overlap of two boxes over the fifteen axes; zero where one of them separates the boxes.
fn overlap(half: DVec3, a: (DVec3, DQuat), b: (DVec3, DQuat)) -> f64 {
    let (ra, rb) = (DMat3::from_quat(a.1), DMat3::from_quat(b.1));
    let axes_a = [ra.x_axis, ra.y_axis, ra.z_axis];
    let axes_b = [rb.x_axis, rb.y_axis, rb.z_axis];
    let crossed = axes_a.iter().flat_map(|u| axes_b.iter().map(move |v| u.cross(*v)));
    let mut least = f64::INFINITY;
    for axis in axes_a.into_iter().chain(axes_b).chain(crossed) {
        let length = axis.length();
        if length < 1e-9 {
            continue;
        }
        let n = axis / length;
        let extent = |axes: &[DVec3; 3]| {
            half.x * axes[0].dot(n).abs() + half.y * axes[1].dot(n).abs() + half.z * axes[2].dot(n).abs()
        };
        least = least.min(extent(&axes_a) + extent(&axes_b) - (b.0 - a.0).dot(n).abs());
    }
    least.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_those_of_shifted_and_turned_boxes() {
        let half = DVec3::new(0.2, 0.1, 0.1);
        let at = |x: f64, z: f64, turn: f64| (DVec3::new(x, 0.0, z), DQuat::from_rotation_y(turn));
        let deep = |b| deepest_overlap(half, &[at(0.0, 0.0, 0.0), b]);
        assert!((deep(at(0.1, 0.199, 0.0)) - 0.001).abs() < 1e-12);
        assert_eq!(deep(at(0.401, 0.0, 0.0)), 0.0);
        // Turned by a right angle the box is 0.4 high.
        assert!((deep(at(0.0, 0.299, std::f64::consts::FRAC_PI_2)) - 0.001).abs() < 1e-9);
    }
}
