//! Points and rays against one triangle.

use glam::DVec3;

/// The part of a triangle that is closest to a point; side `i` leads from corner `i` to corner `i + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Face,
    Side(usize),
    Corner(usize),
}

/// Closest point of a triangle, by the Voronoi regions of its corners, sides and face (ericson2004).
pub(super) fn closest([a, b, c]: [DVec3; 3], p: DVec3) -> (DVec3, Feature) {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(p - a), ac.dot(p - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Corner(1));
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Corner(2));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Feature::Side(0));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return (b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), Feature::Side(1));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Feature::Side(2));
    }
    let sum = va + vb + vc;
    (a + ab * (vb / sum) + ac * (vc / sum), Feature::Face)
}

/// A ray prepared for many triangles, so that none passes between two that share a side (woop2013): space is sheared
/// until the ray runs along z, and signs of areas decide.
pub(super) struct ShearedRay {
    origin: DVec3,
    axes: [usize; 3],
    shear: DVec3,
}

impl ShearedRay {
    pub(super) fn new(origin: DVec3, direction: DVec3) -> Self {
        let size = direction.abs();
        let z = if size.x > size.y && size.x > size.z {
            0
        } else if size.y > size.z {
            1
        } else {
            2
        };
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if direction[z] < 0.0 {
            std::mem::swap(&mut x, &mut y);
        }
        let along = direction[z];
        Self {
            origin,
            axes: [x, y, z],
            shear: DVec3::new(direction[x] / along, direction[y] / along, 1.0 / along),
        }
    }

    /// Ray parameter of the crossing.
    pub(super) fn cast(&self, corners: [DVec3; 3]) -> Option<f64> {
        let [x, y, z] = self.axes;
        let [a, b, c] = corners.map(|p| {
            let p = p - self.origin;
            DVec3::new(p[x] - self.shear.x * p[z], p[y] - self.shear.y * p[z], self.shear.z * p[z])
        });
        let (u, v, w) = (c.x * b.y - c.y * b.x, a.x * c.y - a.y * c.x, b.x * a.y - b.y * a.x);
        if (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0) {
            return None;
        }
        let sum = u + v + w;
        let t = (u * a.z + v * b.z + w * c.z) / sum;
        // A triangle seen edge on has sum zero and gives no number.
        (t >= 0.0 && t.is_finite()).then_some(t)
    }
}
