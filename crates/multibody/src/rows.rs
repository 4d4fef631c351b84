//! Constraint rows between two markers, and their tangents, in world axes at the carriers' origins.
//!
//! A row's gradient is a wrench basis: $\dot\Phi = w_{x_A}\cdot v_A + w_{\theta_A}\cdot\omega_A + w_{x_B}\cdot v_B +
//! w_{\theta_B}\cdot\omega_B$. Tangents collect $\partial(w\lambda)$ over variations of the same four vectors;
//! [`store_tangent`] converts them to the carriers' columns. Joints, couplers, springs and bushings all use this
//! module, so none of them depends on how many columns a carrier has (haug1989).

use glam::{DMat3, DVec3};
use huygens_core::contract::{Frame, FrameMotion};
use huygens_core::function::Curve3;
use huygens_kernel::rotation::{skew, skew_skew};

use crate::marker::MarkerState;

/// Indices of the four vectors.
pub(crate) const XA: usize = 0;
pub(crate) const TA: usize = 1;
pub(crate) const XB: usize = 2;
pub(crate) const TB: usize = 3;

/// Value, rate, bias acceleration and gradient of one scalar row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    /// Residual Φ.
    pub value: f64,
    /// Rate $\dot\Phi$.
    pub rate: f64,
    /// The part of $\ddot\Phi$ that no unknown acceleration causes; γ is its negative.
    pub bias: f64,
    /// Gradient.
    pub w: [DVec3; 4],
}

impl Row {
    /// `self += scale * other`.
    pub fn add(&mut self, other: &Row, scale: f64) {
        self.value += scale * other.value;
        self.rate += scale * other.rate;
        self.bias += scale * other.bias;
        (0..4).for_each(|k| self.w[k] += other.w[k] * scale);
    }

    /// The same row with the two markers exchanged.
    pub fn swapped(mut self) -> Row {
        self.w = [self.w[XB], self.w[TB], self.w[XA], self.w[TA]];
        self
    }
}

/// Tangent over the four vectors.
pub(crate) type Tangent = [[DMat3; 4]; 4];

/// Exchanges the roles of the two markers.
pub(crate) fn swap_tangent(t: &Tangent) -> Tangent {
    const OTHER: [usize; 4] = [XB, TB, XA, TA];
    std::array::from_fn(|i| std::array::from_fn(|j| t[OTHER[i]][OTHER[j]]))
}

/// $\Phi = e\cdot(P_B - P_A)$ for a direction fixed in the world.
#[inline]
pub(crate) fn point<const MOTION: bool>(a: &MarkerState<'_>, b: &MarkerState<'_>, e: DVec3) -> Row {
    let (mut rate, mut bias) = (0.0, 0.0);
    if MOTION {
        rate = e.dot(b.velocity - a.velocity);
        bias = e.dot(b.acceleration - a.acceleration);
    }
    Row { value: e.dot(b.point - a.point), rate, bias, w: [-e, -a.arm.cross(e), e, b.arm.cross(e)] }
}

/// Tangent of [`point`] rows with total force `f` on B.
pub(crate) fn point_tangent(a: &MarkerState<'_>, b: &MarkerState<'_>, f: DVec3, t: &mut Tangent) {
    t[TB][TB] += skew_skew(f, b.arm);
    t[TA][TA] -= skew_skew(f, a.arm);
}

/// $\Phi = a_i\cdot b_j$ of two marker axes.
#[inline]
pub(crate) fn axis_dot<const MOTION: bool>(
    a: &MarkerState<'_>,
    b: &MarkerState<'_>,
    i: usize,
    j: usize,
) -> Row {
    let (u, w) = (a.axes.col(i), b.axes.col(j));
    let c = u.cross(w);
    let (mut rate, mut bias) = (0.0, 0.0);
    if MOTION {
        let spin = a.omega - b.omega;
        let c_rate = a.omega.cross(u).cross(w) + u.cross(b.omega.cross(w));
        rate = c.dot(spin);
        bias = c.dot(a.alpha - b.alpha) + c_rate.dot(spin);
    }
    Row { value: u.dot(w), rate, bias, w: [DVec3::ZERO, c, DVec3::ZERO, -c] }
}

/// Tangent of [`axis_dot`] with multiplier `l`.
pub(crate) fn axis_dot_tangent(
    a: &MarkerState<'_>,
    b: &MarkerState<'_>,
    i: usize,
    j: usize,
    l: f64,
    t: &mut Tangent,
) {
    let (u, w) = (a.axes.col(i), b.axes.col(j));
    let (wu, uw) = (skew_skew(w, u) * l, skew_skew(u, w) * l);
    t[TA][TA] += wu;
    t[TA][TB] -= uw;
    t[TB][TA] -= wu;
    t[TB][TB] += uw;
}

/// A scalar function of the position of B's point in A's axes: value, gradient and Hessian there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointFunction {
    /// Value.
    pub value: f64,
    /// Gradient, A's axes.
    pub gradient: DVec3,
    /// Hessian, A's axes.
    pub hessian: DMat3,
}

impl PointFunction {
    /// The coordinate along axis `k`.
    pub fn coordinate(p: DVec3, k: usize) -> Self {
        Self { value: p[k], gradient: DVec3::AXES[k], hessian: DMat3::ZERO }
    }

    /// The distance from A's point. At distance zero the gradient is taken along A's first axis.
    pub fn distance(p: DVec3) -> Self {
        let d = p.length();
        if d < 1e-12 {
            return Self { value: d, gradient: DVec3::X, hessian: DMat3::ZERO };
        }
        let u = p / d;
        let outer = DMat3::from_cols(u * u.x, u * u.y, u * u.z);
        Self { value: d, gradient: u, hessian: (DMat3::IDENTITY - outer) * (1.0 / d) }
    }

    /// The polar angle in A's x–y plane.
    pub fn polar(p: DVec3) -> Self {
        let r2 = (p.x * p.x + p.y * p.y).max(1e-24);
        let (a, b) = (2.0 * p.x * p.y / (r2 * r2), (p.y * p.y - p.x * p.x) / (r2 * r2));
        Self {
            value: p.y.atan2(p.x),
            gradient: DVec3::new(-p.y, p.x, 0.0) / r2,
            hessian: DMat3::from_cols(DVec3::new(a, b, 0.0), DVec3::new(b, -a, 0.0), DVec3::ZERO),
        }
    }

    /// Distances from a curve along two normals of its foot point at parameter `s`.
    pub fn off_curve(p: DVec3, curve: &Curve3, s: f64) -> [Self; 2] {
        let (c, c1, c2) = curve.evaluate(s);
        let (d, speed2) = (p - c, c1.length_squared());
        let tangent = c1 / speed2.sqrt();
        let reference = if tangent.x.abs() < 0.8 { DVec3::X } else { DVec3::Y };
        // ds/dp of the foot point c'(s)·(p − c(s)) = 0.
        let foot = c1 / (speed2 - d.dot(c2));
        let tangent_rate = (c2 - tangent * tangent.dot(c2)) / speed2.sqrt();
        let raw = reference - tangent * reference.dot(tangent);
        let raw_rate = -(tangent_rate * reference.dot(tangent) + tangent * reference.dot(tangent_rate));
        let n1 = raw.normalize();
        let n1_rate = (raw_rate - n1 * n1.dot(raw_rate)) / raw.length();
        let n2 = tangent.cross(n1);
        let n2_rate = tangent_rate.cross(n1) + tangent.cross(n1_rate);
        [(n1, n1_rate), (n2, n2_rate)].map(|(n, n_rate)| {
            let outer = |u: DVec3, v: DVec3| DMat3::from_cols(u * v.x, u * v.y, u * v.z);
            let hessian = outer(n_rate, foot) + outer(foot, n_rate) + outer(foot, foot) * (-n_rate.dot(c1));
            Self { value: n.dot(d), gradient: n + foot * n_rate.dot(d), hessian }
        })
    }
}

/// Position of B's point in A's axes.
pub(crate) fn relative_point(a: &MarkerState<'_>, b: &MarkerState<'_>) -> DVec3 {
    a.axes.transpose() * (b.point - a.point)
}

/// A row that is a function of B's point in A's axes.
#[inline]
pub(crate) fn point_function<const MOTION: bool>(
    a: &MarkerState<'_>,
    b: &MarkerState<'_>,
    f: &PointFunction,
) -> Row {
    let e = b.point - a.carrier.origin;
    let n = a.axes * f.gradient;
    let (mut rate, mut bias) = (0.0, 0.0);
    if MOTION {
        let d = b.point - a.point;
        let slip = b.velocity - a.velocity - a.omega.cross(d);
        let relative_acceleration = b.acceleration
            - a.acceleration
            - a.alpha.cross(d)
            - a.omega.cross(a.omega.cross(d))
            - 2.0 * a.omega.cross(slip);
        let local = a.axes.transpose() * slip;
        rate = n.dot(slip);
        bias = n.dot(relative_acceleration) + local.dot(f.hessian * local);
    }
    Row { value: f.value, rate, bias, w: [-n, -e.cross(n), n, b.arm.cross(n)] }
}

/// Tangent of [`point_function`] with multiplier `l`.
pub(crate) fn point_function_tangent(
    a: &MarkerState<'_>,
    b: &MarkerState<'_>,
    f: &PointFunction,
    l: f64,
    t: &mut Tangent,
) {
    let e = b.point - a.carrier.origin;
    let n = a.axes * f.gradient * l;
    let (sn, se, sr) = (skew(n), skew(e), skew(b.arm));
    if f.hessian != DMat3::ZERO {
        let h = a.axes * (f.hessian * l) * a.axes.transpose();
        let moved = [-h, h * se, h, -(h * sr)];
        for k in 0..4 {
            t[XB][k] += moved[k];
            t[XA][k] -= moved[k];
            t[TB][k] += sr * moved[k];
            t[TA][k] -= se * moved[k];
        }
    }
    t[XB][TA] -= sn;
    t[XA][TA] += sn;
    t[TB][TB] += sn * sr;
    t[TB][TA] -= sr * sn;
    t[TA][XB] += sn;
    t[TA][XA] -= sn;
    t[TA][TB] -= sn * sr;
    t[TA][TA] += se * sn;
}

/// Axis pairs whose dot products are the sine and the cosine of an angle.
pub(crate) type AnglePairs = [(usize, usize); 2];

/// The angle `atan2(s, c)`, within one revolution, with exact rate, bias and gradient.
pub(crate) fn angle(a: &MarkerState<'_>, b: &MarkerState<'_>, pairs: &AnglePairs) -> Row {
    let s = axis_dot::<true>(a, b, pairs[0].0, pairs[0].1);
    let c = axis_dot::<true>(a, b, pairs[1].0, pairs[1].1);
    let [ws, wc, ss, sc, cc] = angle_weights(s.value, c.value);
    let mut row = Row::default();
    row.add(&s, ws);
    row.add(&c, wc);
    row.value = s.value.atan2(c.value);
    row.bias += (ss * s.rate + sc * c.rate) * s.rate + (sc * s.rate + cc * c.rate) * c.rate;
    row
}

/// Gradient and Hessian of atan2(s, c): ∂s, ∂c, ∂ss, ∂sc, ∂cc.
fn angle_weights(s: f64, c: f64) -> [f64; 5] {
    let r2 = (s * s + c * c).max(1e-24);
    let r4 = r2 * r2;
    [c / r2, -s / r2, -2.0 * s * c / r4, (s * s - c * c) / r4, 2.0 * s * c / r4]
}

/// Tangent of [`angle`] with multiplier `l`.
pub(crate) fn angle_tangent(
    a: &MarkerState<'_>,
    b: &MarkerState<'_>,
    pairs: &AnglePairs,
    l: f64,
    t: &mut Tangent,
) {
    let s = axis_dot::<true>(a, b, pairs[0].0, pairs[0].1);
    let c = axis_dot::<true>(a, b, pairs[1].0, pairs[1].1);
    let [ws, wc, ss, sc, cc] = angle_weights(s.value, c.value);
    axis_dot_tangent(a, b, pairs[0].0, pairs[0].1, l * ws, t);
    axis_dot_tangent(a, b, pairs[1].0, pairs[1].1, l * wc, t);
    for i in [TA, TB] {
        for j in [TA, TB] {
            let outer = |u: DVec3, v: DVec3| DMat3::from_cols(u * v.x, u * v.y, u * v.z);
            let gs = s.w[j] * ss + c.w[j] * sc;
            let gc = s.w[j] * sc + c.w[j] * cc;
            t[i][j] += (outer(s.w[i], gs) + outer(c.w[i], gc)) * l;
        }
    }
}

/// Writes a row's gradient into the columns of the two carriers; `out` is the Jacobian row.
#[inline]
pub(crate) fn store_row(a: &Frame, b: &Frame, w: &[DVec3; 4], out: &mut [f64]) {
    let split = a.columns();
    a.pull_back(w[XA], w[TA], &mut out[..split]);
    b.pull_back(w[XB], w[TB], &mut out[split..split + b.columns()]);
}

/// Adds a tangent (scaled) to a row-major matrix over the columns of A, then B. `torque` is the total torque $w\lambda$
/// on each carrier: rotating a carrier rotates the axes in which its torque columns are expressed.
pub(crate) fn store_tangent(
    a: &Frame,
    b: &Frame,
    t: &Tangent,
    torque: [DVec3; 2],
    scale: f64,
    out: &mut [f64],
) {
    let carriers = [a, b];
    let first = [0, a.columns()];
    let n = a.columns() + b.columns();
    for (i, ci) in carriers.iter().enumerate() {
        for (j, cj) in carriers.iter().enumerate() {
            if ci.motion == FrameMotion::Prescribed || cj.motion == FrameMotion::Prescribed {
                continue;
            }
            let mut add = |r0: usize, c0: usize, m: DMat3| {
                for (c, column) in m.to_cols_array_2d().iter().enumerate() {
                    for (r, value) in column.iter().enumerate() {
                        out[(first[i] + r0 + r) * n + first[j] + c0 + c] += scale * value;
                    }
                }
            };
            add(0, 0, t[2 * i][2 * j]);
            if cj.motion == FrameMotion::Rigid {
                add(0, 3, t[2 * i][2 * j + 1] * cj.axes);
            }
            if ci.motion == FrameMotion::Rigid {
                let back = ci.axes.transpose();
                add(3, 0, back * t[2 * i + 1][2 * j]);
                if cj.motion == FrameMotion::Rigid {
                    let mut turn = back * t[2 * i + 1][2 * j + 1] * cj.axes;
                    if i == j {
                        turn += skew(back * torque[i]);
                    }
                    add(3, 3, turn);
                }
            }
        }
    }
}
