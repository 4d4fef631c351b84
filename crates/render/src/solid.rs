//! Where rays enter solids.
//!
//! Only entries count: a ray that starts inside a solid does not see it. So a surface never shades itself, whatever
//! the rounding, and a camera inside a container looks out of it.

use glam::{Mat3, Vec3, Vec4};

use crate::tree::{Bounds, Ray};

/// A convex solid about its own origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Ellipsoid { axes: Vec3 },
    Box { half: Vec3 },
    Capsule { radius: f32, half: f32 },
    Cylinder { radius: f32, half: f32 },
    Cone { radius: f32, half: f32 },
    RoundedBox { half: Vec3, border: f32 },
    RoundedCylinder { radius: f32, half: f32, border: f32 },
}

/// A solid at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solid {
    pub form: Form,
    pub place: Vec3,
    /// World from local.
    pub turn: Mat3,
}

impl Solid {
    pub fn bounds(&self) -> Bounds {
        let turn = self.turn;
        // Half extent of a turned box, or of a turned ellipsoid.
        let of_box = |h: Vec3| turn.x_axis.abs() * h.x + turn.y_axis.abs() * h.y + turn.z_axis.abs() * h.z;
        let of_ellipsoid = |a: Vec3| {
            let [x, y, z] = [turn.x_axis * a.x, turn.y_axis * a.y, turn.z_axis * a.z];
            (x * x + y * y + z * z).map(f32::sqrt)
        };
        let rim = |radius: f32| of_ellipsoid(Vec3::new(radius, radius, 0.0));
        let half = match self.form {
            Form::Ellipsoid { axes } => of_ellipsoid(axes),
            Form::Box { half } => of_box(half),
            Form::RoundedBox { half, border } => of_box(half) + Vec3::splat(border),
            Form::Capsule { radius, half } => turn.z_axis.abs() * half + Vec3::splat(radius),
            Form::Cylinder { radius, half } | Form::Cone { radius, half } => {
                turn.z_axis.abs() * half + rim(radius)
            }
            Form::RoundedCylinder { radius, half, border } => {
                turn.z_axis.abs() * half + rim(radius) + Vec3::splat(border)
            }
        };
        // Wider by a rounding, so that flat things keep a volume.
        Bounds::around(self.place, half * 1.000_01 + Vec3::splat(1e-6 * half.max_element()))
    }

    /// Distance at which the ray enters, if that is between 0 and `reach`.
    #[inline]
    pub fn enter(&self, ray: &Ray, reach: f32) -> Option<f32> {
        let local = self.turn.transpose();
        let origin = local * (ray.origin - self.place);
        let direction = local * ray.direction;
        // Start near the solid: far cameras would cost digits.
        let shift = -origin.dot(direction);
        let t = self.form.enter(origin + shift * direction, direction)? + shift;
        (t > 0.0 && t < reach).then_some(t)
    }

    /// Whether a point lies inside.
    pub fn holds(&self, point: Vec3) -> bool {
        self.form.holds(self.turn.transpose() * (point - self.place))
    }

    /// Outward unit normal at a point on the surface.
    pub fn normal(&self, point: Vec3) -> Vec3 {
        let local = self.turn.transpose() * (point - self.place);
        (self.turn * self.form.normal(local)).normalize_or(Vec3::Z)
    }
}

impl Form {
    /// Distance at which the line enters; may be negative.
    fn enter(&self, o: Vec3, d: Vec3) -> Option<f32> {
        match *self {
            Self::Ellipsoid { axes } => {
                let (o, d) = (o / axes, d / axes);
                let length = d.length();
                enter_ball(o, d / length, 1.0).map(|t| t / length)
            }
            Self::Box { half } => enter_box(o, d, half).map(|(t, _)| t),
            Self::Capsule { radius, half } => enter_capsule(o, d, radius, half),
            Self::Cylinder { radius, half } => enter_cylinder(o, d, radius, half),
            Self::Cone { radius, half } => enter_cone(o, d, radius, half),
            Self::RoundedBox { half, border } => {
                let nearest = |p: Vec3| p.clamp(-half, half);
                enter_bordered(o, d, half + Vec3::splat(border), border, nearest)
            }
            Self::RoundedCylinder { radius, half, border } => {
                let nearest = |p: Vec3| {
                    let across = p.truncate().length();
                    let scale = if across > radius { radius / across } else { 1.0 };
                    Vec3::new(p.x * scale, p.y * scale, p.z.clamp(-half, half))
                };
                let outer = Vec3::new(radius + border, radius + border, half + border);
                enter_bordered(o, d, outer, border, nearest)
            }
        }
    }

    fn holds(&self, p: Vec3) -> bool {
        let across = p.truncate().length();
        match *self {
            Self::Ellipsoid { axes } => (p / axes).length_squared() <= 1.0,
            Self::Box { half } => p.abs().cmple(half).all(),
            Self::Capsule { radius, half } => {
                (p - Vec3::new(0.0, 0.0, p.z.clamp(-half, half))).length() <= radius
            }
            Self::Cylinder { radius, half } => across <= radius && p.z.abs() <= half,
            Self::Cone { radius, half } => p.z.abs() <= half && across * 2.0 * half <= radius * (half - p.z),
            Self::RoundedBox { half, border } => (p - p.clamp(-half, half)).length() <= border,
            Self::RoundedCylinder { radius, half, border } => {
                (across - radius).max(0.0).hypot((p.z.abs() - half).max(0.0)) <= border
            }
        }
    }

    fn normal(&self, p: Vec3) -> Vec3 {
        match *self {
            Self::Ellipsoid { axes } => p / (axes * axes),
            Self::Box { half } => {
                let axis = (p.abs() - half).max_position();
                let mut normal = Vec3::ZERO;
                normal[axis] = 1.0_f32.copysign(p[axis]);
                normal
            }
            Self::Capsule { half, .. } => p - Vec3::new(0.0, 0.0, p.z.clamp(-half, half)),
            Self::Cylinder { radius, half } => {
                let side = p.truncate().length() - radius;
                match p.z.abs() - half > side {
                    true => Vec3::new(0.0, 0.0, p.z),
                    false => p.truncate().extend(0.0),
                }
            }
            Self::Cone { radius, half } => {
                let across = p.truncate().length();
                let slant = (across - radius * (half - p.z) / (2.0 * half)) * 2.0 * half
                    / (radius * radius + 4.0 * half * half).sqrt();
                match -half - p.z > slant {
                    true => -Vec3::Z,
                    false => (p.truncate() * (2.0 * half)).extend(radius * across),
                }
            }
            Self::RoundedBox { half, .. } => {
                let out = p - p.clamp(-half, half);
                if out == Vec3::ZERO { p } else { out }
            }
            Self::RoundedCylinder { radius, half, .. } => {
                let across = p.truncate().length();
                let scale = if across > radius { 1.0 - radius / across } else { 0.0 };
                let out = Vec3::new(p.x * scale, p.y * scale, p.z - p.z.clamp(-half, half));
                if out == Vec3::ZERO { p } else { out }
            }
        }
    }
}

#[inline]
fn enter_ball(o: Vec3, d: Vec3, radius: f32) -> Option<f32> {
    let middle = o.dot(d);
    let closest = o - middle * d;
    let rest = radius * radius - closest.length_squared();
    (rest >= 0.0).then(|| -middle - rest.sqrt())
}

/// Entry and exit.
#[inline]
fn enter_box(o: Vec3, d: Vec3, half: Vec3) -> Option<(f32, f32)> {
    let (mut entry, mut exit) = (f32::NEG_INFINITY, f32::INFINITY);
    for axis in 0..3 {
        let (low, high) = slab(o[axis], d[axis], half[axis])?;
        entry = entry.max(low);
        exit = exit.min(high);
    }
    (entry <= exit).then_some((entry, exit))
}

/// Where a line is between two parallel planes.
#[inline]
fn slab(o: f32, d: f32, half: f32) -> Option<(f32, f32)> {
    if d.abs() < 1e-12 {
        return (o.abs() <= half).then_some((f32::NEG_INFINITY, f32::INFINITY));
    }
    let (a, b) = ((-half - o) / d, (half - o) / d);
    Some((a.min(b), a.max(b)))
}

/// Where a line is inside an endless cylinder along z.
#[inline]
fn tube(o: Vec3, d: Vec3, radius: f32) -> Option<(f32, f32)> {
    let (o, d) = (o.truncate(), d.truncate());
    let a = d.length_squared();
    if a < 1e-12 {
        return (o.length_squared() <= radius * radius).then_some((f32::NEG_INFINITY, f32::INFINITY));
    }
    let middle = -o.dot(d) / a;
    let closest = o + middle * d;
    let rest = radius * radius - closest.length_squared();
    let half = (rest.max(0.0) / a).sqrt();
    (rest >= 0.0).then_some((middle - half, middle + half))
}

fn enter_cylinder(o: Vec3, d: Vec3, radius: f32, half: f32) -> Option<f32> {
    let (a, b) = slab(o.z, d.z, half)?;
    let (c, e) = tube(o, d, radius)?;
    (a.max(c) <= b.min(e)).then_some(a.max(c))
}

fn enter_capsule(o: Vec3, d: Vec3, radius: f32, half: f32) -> Option<f32> {
    let (side, _) = tube(o, d, radius)?;
    let z = o.z + side * d.z;
    if side.is_finite() && z.abs() <= half {
        return Some(side);
    }
    // The line enters past an end: through the ball there.
    let end = match side.is_finite() {
        true => half.copysign(z),
        false => -half.copysign(d.z),
    };
    enter_ball(o - Vec3::new(0.0, 0.0, end), d, radius)
}

fn enter_cone(o: Vec3, d: Vec3, radius: f32, half: f32) -> Option<f32> {
    // Inside: |(x, y)| ≤ k · s with s the depth below the apex, 0 ≤ s ≤ 2 · half.
    let k = radius / (2.0 * half);
    let (s, ds) = (half - o.z, -d.z);
    let a = d.truncate().length_squared() - k * k * ds * ds;
    let b = o.truncate().dot(d.truncate()) - k * k * s * ds;
    let c = o.truncate().length_squared() - k * k * s * s;
    let on_side = |t: f32| (0.0..=2.0 * half).contains(&(s + t * ds));
    let mut best = f32::INFINITY;
    let rest = b * b - a * c;
    if rest >= 0.0 {
        // Both roots without cancellation.
        let q = -(b + rest.sqrt().copysign(b));
        for t in [q / a, c / q] {
            if t.is_finite() && on_side(t) {
                best = best.min(t);
            }
        }
    }
    if d.z.abs() > 1e-12 {
        let t = (-half - o.z) / d.z;
        if (o + t * d).truncate().length_squared() <= radius * radius {
            best = best.min(t);
        }
    }
    best.is_finite().then_some(best)
}

/// Entry into a convex core with a round border.
///
/// The distance to a convex set is a convex function along a line, so Newton's method from the left climbs to the
/// first root without ever passing it.
#[inline]
fn enter_bordered(o: Vec3, d: Vec3, outer: Vec3, border: f32, nearest: impl Fn(Vec3) -> Vec3) -> Option<f32> {
    let (mut t, exit) = enter_box(o, d, outer)?;
    let close = 1e-5 * outer.max_element();
    for _ in 0..32 {
        let p = o + t * d;
        let out = p - nearest(p);
        let distance = out.length();
        if distance - border <= close {
            return Some(t);
        }
        let slope = out.dot(d) / distance;
        if slope >= 0.0 {
            return None;
        }
        t -= (distance - border) / slope;
        if t > exit {
            return None;
        }
    }
    None
}

/// Four balls side by side.
#[derive(Clone, Copy)]
pub(crate) struct Balls {
    pub x: Vec4,
    pub y: Vec4,
    pub z: Vec4,
    /// Squared radii, negative where there is none.
    pub square: Vec4,
}

impl Balls {
    pub const EMPTY: Self = Self { x: Vec4::ZERO, y: Vec4::ZERO, z: Vec4::ZERO, square: Vec4::NEG_INFINITY };

    pub fn set(&mut self, slot: usize, center: Vec3, radius: f32) {
        (self.x[slot], self.y[slot], self.z[slot]) = center.into();
        self.square[slot] = radius * radius;
    }

    /// Which balls the ray enters between 0 and `reach`, and where.
    #[inline(always)]
    pub fn enter(&self, ray: &Ray, reach: f32) -> (u32, Vec4) {
        let (ox, oy, oz) = (
            Vec4::splat(ray.origin.x) - self.x,
            Vec4::splat(ray.origin.y) - self.y,
            Vec4::splat(ray.origin.z) - self.z,
        );
        let (dx, dy, dz) =
            (Vec4::splat(ray.direction.x), Vec4::splat(ray.direction.y), Vec4::splat(ray.direction.z));
        let middle = ox * dx + oy * dy + oz * dz;
        // The point nearest to the centre keeps its digits when the camera is far away (`haines2019`).
        let (cx, cy, cz) = (ox - middle * dx, oy - middle * dy, oz - middle * dz);
        let rest = self.square - (cx * cx + cy * cy + cz * cz);
        let hit = rest.cmpge(Vec4::ZERO).bitmask();
        if hit == 0 {
            return (0, Vec4::ZERO);
        }
        let half = rest.max(Vec4::ZERO);
        let root = Vec4::new(half.x.sqrt(), half.y.sqrt(), half.z.sqrt(), half.w.sqrt());
        let t = -middle - root;
        let valid = t.cmpgt(Vec4::ZERO) & t.cmplt(Vec4::splat(reach));
        (hit & valid.bitmask(), t)
    }
}
