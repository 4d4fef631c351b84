//! Two ellipsoids, by the direction of largest separation.
//!
//! Along a unit direction $n$ the supporting planes of two convex bodies are $s(n) = d\cdot n - h_a(n) - h_b(-n)$
//! apart; their distance (or least overlap) is the maximum of $s$ over the sphere. For ellipsoids
//! $h(n) = \sqrt{n^T M n}$ is smooth, so Newton's method on the sphere finds it to rounding.

use glam::{DMat3, DVec3};

use super::ContactPoint;
use super::core::ellipsoid_curvature;
use crate::Pose;

/// Two ellipsoids in world axes: $M = R\,\mathrm{diag}(r^2)\,R^T$.
struct Ellipsoids {
    a: DMat3,
    b: DMat3,
    offset: DVec3,
}

/// Separation along a direction and its derivatives.
struct Value {
    separation: f64,
    /// From the support point of a to that of b, which is the gradient.
    between: DVec3,
    hessian: DMat3,
}

fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}

impl Ellipsoids {
    fn separation(&self, n: DVec3) -> f64 {
        self.offset.dot(n) - n.dot(self.a * n).sqrt() - n.dot(self.b * n).sqrt()
    }

    fn value(&self, n: DVec3) -> Value {
        let (ma, mb) = (self.a * n, self.b * n);
        let (ha, hb) = (n.dot(ma).sqrt(), n.dot(mb).sqrt());
        let between = self.offset - ma / ha - mb / hb;
        let hessian = (outer(ma, ma) * (1.0 / (ha * ha)) - self.a) * (1.0 / ha)
            + (outer(mb, mb) * (1.0 / (hb * hb)) - self.b) * (1.0 / hb);
        Value { separation: self.offset.dot(n) - ha - hb, between, hessian }
    }

    /// The best of a few directions: between the centres, the gradient of a common level set, and all axes.
    fn start(&self, axes: impl Iterator<Item = DVec3>) -> DVec3 {
        let level = (self.a + self.b).inverse() * self.offset;
        let mut best = (DVec3::Z, f64::NEG_INFINITY);
        for n in [self.offset, level].into_iter().chain(axes) {
            let length = n.length_squared().sqrt();
            if length > 0.0 && length.is_finite() {
                let n = n * (if n.dot(self.offset) < 0.0 { -1.0 } else { 1.0 } / length);
                let separation = self.separation(n);
                if separation > best.1 {
                    best = (n, separation);
                }
            }
        }
        best.0
    }

    /// Climbs from `n` to a maximum of the separation. Stops early once it exceeds `envelope`.
    fn climb(&self, mut n: DVec3, envelope: f64) -> DVec3 {
        let mut flattest = f64::INFINITY;
        for _ in 0..100 {
            let value = self.value(n);
            let slope = value.between - n * value.between.dot(n);
            let step = newton_step(&value, n, slope);
            let (steep, length) = (slope.length_squared(), step.length_squared());
            if value.separation >= envelope || length < 1e-32 {
                return n;
            }
            if length < 1e-8 {
                // So close to the top the value is flat to rounding, but the slope still points the way.
                if steep >= 0.25 * flattest {
                    return n;
                }
                flattest = steep;
                n = (n + step).normalize();
            } else {
                n = self.line_search(n, step, slope.dot(step), value.separation);
            }
        }
        n
    }

    /// Halves the step until the separation grows enough.
    fn line_search(&self, n: DVec3, step: DVec3, rise: f64, from: f64) -> DVec3 {
        let mut part = 1.0f64.min(0.5 / step.length_squared().sqrt());
        for _ in 0..40 {
            let next = (n + step * part).normalize();
            if self.separation(next) >= from + 1e-4 * part * rise {
                return next;
            }
            part *= 0.5;
        }
        n
    }
}

/// Newton's step on the sphere, made to climb where the curvature would not.
fn newton_step(value: &Value, n: DVec3, slope: DVec3) -> DVec3 {
    let u = n.any_orthonormal_vector();
    let v = n.cross(u);
    let (hu, hv) = (value.hessian * u, value.hessian * v);
    // The sphere curves away from the tangent plane by the separation.
    let (a, b, c) = (-u.dot(hu) + value.separation, -u.dot(hv), -v.dot(hv) + value.separation);
    let (gu, gv) = (slope.dot(u), slope.dot(v));
    let middle = 0.5 * (a + c);
    let radius = (0.25 * (a - c) * (a - c) + b * b).sqrt();
    let least = middle - radius;
    let most = middle + radius;
    let floor = 1e-3 * most.abs().max(least.abs()).max(f64::MIN_POSITIVE);
    let shift = if least < floor { floor - least } else { 0.0 };
    let (a, c) = (a + shift, c + shift);
    let determinant = a * c - b * b;
    u * ((c * gu - b * gv) / determinant) + v * ((a * gv - b * gu) / determinant)
}

/// Two ellipsoids.
pub(super) fn ellipsoid(
    radii_a: DVec3,
    pose_a: &Pose,
    radii_b: DVec3,
    pose_b: &Pose,
    envelope: f64,
    out: &mut Vec<ContactPoint>,
) {
    let (ra, rb) = (DMat3::from_quat(pose_a.rotation), DMat3::from_quat(pose_b.rotation));
    let metric = |r: &DMat3, radii: DVec3| *r * DMat3::from_diagonal(radii * radii) * r.transpose();
    let offset = pose_b.position - pose_a.position;
    let pair = Ellipsoids { a: metric(&ra, radii_a), b: metric(&rb, radii_b), offset };
    let axes = [ra.x_axis, ra.y_axis, ra.z_axis, rb.x_axis, rb.y_axis, rb.z_axis];
    let normal = pair.climb(pair.start(axes.into_iter()), envelope);
    let gap = pair.separation(normal);
    if gap >= envelope || gap.is_nan() {
        return;
    }
    let support = |m: &DMat3| *m * normal / normal.dot(*m * normal).sqrt();
    let (arm_a, arm_b) = (support(&pair.a), -support(&pair.b));
    out.push(ContactPoint {
        point_a: pose_a.position + arm_a,
        point_b: pose_b.position + arm_b,
        normal,
        gap,
        feature: 0,
        radius_a: ellipsoid_curvature(radii_a, ra.transpose() * arm_a),
        radius_b: ellipsoid_curvature(radii_b, rb.transpose() * arm_b),
    });
}
