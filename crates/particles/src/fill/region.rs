//! Regions of space: where grains are made, removed and measured.

use std::f64::consts::PI;

use huygens_kernel::Vec3;

use crate::error::{Result, refusal};

/// A convex region of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// A box along the axes.
    Box {
        /// Least corner [m].
        low: Vec3,
        /// Greatest corner [m].
        high: Vec3,
    },
    /// A cylinder.
    Cylinder {
        /// Centre of one end [m].
        base: Vec3,
        /// Direction of the axis, from this end on.
        axis: Vec3,
        /// Radius [m].
        radius: f64,
        /// Height [m].
        height: f64,
    },
    /// A sphere.
    Sphere {
        /// Centre [m].
        centre: Vec3,
        /// Radius [m].
        radius: f64,
    },
    /// A cone, or a part of one between two circles.
    Frustum {
        /// Centre of one end [m].
        base: Vec3,
        /// Direction of the axis, from this end on.
        axis: Vec3,
        /// Radii [m] at this end and at the other; one may be 0.
        radii: [f64; 2],
        /// Height [m].
        height: f64,
    },
}

/// Cylinder and frustum in one form.
#[derive(Clone, Copy, Debug)]
struct Round {
    base: Vec3,
    axis: Vec3,
    radii: [f64; 2],
    height: f64,
}

impl Round {
    /// Height of a point over the base, and its distance from the axis.
    fn local(&self, x: Vec3) -> [f64; 2] {
        let offset = x - self.base;
        let z = offset.dot(self.axis);
        [z, (offset - self.axis * z).length()]
    }

    fn radius(&self, z: f64) -> f64 {
        self.radii[0] + (self.radii[1] - self.radii[0]) * z / self.height
    }

    /// Cosine of the angle of the side with the axis.
    fn steepness(&self) -> f64 {
        self.height / self.height.hypot(self.radii[1] - self.radii[0])
    }
}

/// Slices of a sphere that is cut by a region.
const SLICES: usize = 96;

impl Region {
    /// Refuses regions without room.
    pub fn check(&self) -> Result<()> {
        let refuse = refusal("a region");
        let finite = |x: Vec3| x.is_finite();
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match *self {
            Self::Box { low, high } => {
                let side = (high - low).min_element();
                match finite(low) && finite(high) && side > 0.0 {
                    true => Ok(()),
                    false => refuse("shortest side", side, "finite and above 0"),
                }
            }
            Self::Sphere { centre, radius } if !(finite(centre) && positive(radius)) => {
                refuse("radius", radius, "finite and above 0, about a finite centre")
            }
            Self::Cylinder { radius, .. } if !positive(radius) => {
                refuse("radius", radius, "finite and above 0")
            }
            Self::Frustum { radii: [a, b], .. }
                if !(a >= 0.0 && b >= 0.0 && positive(a + b) && positive(a.max(b))) =>
            {
                refuse("radius", a.min(b), "finite and not below 0, and above 0 at one end")
            }
            Self::Cylinder { base, axis, height, .. } | Self::Frustum { base, axis, height, .. } => {
                if !positive(height) {
                    return refuse("height", height, "finite and above 0");
                }
                match finite(base) && axis.is_finite() && axis.length() > 0.0 {
                    true => Ok(()),
                    false => refuse("axis", axis.length(), "a finite direction from a finite base"),
                }
            }
            Self::Sphere { .. } => Ok(()),
        }
    }

    fn round(&self) -> Option<Round> {
        let unit = |axis: Vec3| axis.normalize_or(Vec3::Z);
        match *self {
            Self::Cylinder { base, axis, radius, height } => {
                Some(Round { base, axis: unit(axis), radii: [radius; 2], height })
            }
            Self::Frustum { base, axis, radii, height } => {
                Some(Round { base, axis: unit(axis), radii, height })
            }
            _ => None,
        }
    }

    /// Volume [m³].
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Box { low, high } => (high - low).element_product(),
            Self::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Cylinder { radius, height, .. } => PI * radius * radius * height,
            Self::Frustum { radii: [a, b], height, .. } => PI / 3.0 * height * (a * a + a * b + b * b),
        }
    }

    /// Least and greatest corner [m] of the box about the region.
    pub fn bounds(&self) -> [Vec3; 2] {
        match *self {
            Self::Box { low, high } => [low, high],
            Self::Sphere { centre, radius } => [centre - radius, centre + radius],
            Self::Cylinder { .. } | Self::Frustum { .. } => {
                let Some(round) = self.round() else { return [Vec3::ZERO; 2] };
                let a = round.axis;
                // Half widths of a circle of radius 1 about the axis.
                let wide = Vec3::from_array(std::array::from_fn(|k| (1.0 - a[k] * a[k]).max(0.0).sqrt()));
                let top = round.base + a * round.height;
                let [r, s] = round.radii;
                [(round.base - wide * r).min(top - wide * s), (round.base + wide * r).max(top + wide * s)]
            }
        }
    }

    /// Distance [m] of a point inside from the boundary; below 0 outside, where it is at most the distance.
    pub fn clearance(&self, x: Vec3) -> f64 {
        match *self {
            Self::Box { low, high } => (x - low).min(high - x).min_element(),
            Self::Sphere { centre, radius } => radius - x.distance(centre),
            Self::Cylinder { .. } | Self::Frustum { .. } => self.round().map_or(f64::NEG_INFINITY, |round| {
                let [z, out] = round.local(x);
                z.min(round.height - z).min((round.radius(z) - out) * round.steepness())
            }),
        }
    }

    /// Direction in which the clearance grows.
    pub(crate) fn inward(&self, x: Vec3) -> Vec3 {
        match *self {
            Self::Box { low, high } => {
                let (to_low, to_high) = (x - low, high - x);
                let near = to_low.min(to_high);
                let k = (0..3).min_by(|a, b| near[*a].total_cmp(&near[*b])).unwrap_or(0);
                if to_low[k] <= to_high[k] { Vec3::AXES[k] } else { -Vec3::AXES[k] }
            }
            Self::Sphere { centre, .. } => (centre - x).normalize_or_zero(),
            Self::Cylinder { .. } | Self::Frustum { .. } => self.round().map_or(Vec3::ZERO, |round| {
                let [z, out] = round.local(x);
                let side = (round.radius(z) - out) * round.steepness();
                if side <= z && side <= round.height - z {
                    let radial = (x - round.base - round.axis * z).normalize_or_zero();
                    let slope = (round.radii[1] - round.radii[0]) / round.height;
                    return (round.axis * slope - radial) * round.steepness();
                }
                if z <= round.height - z { round.axis } else { -round.axis }
            }),
        }
    }

    /// Whether a point is inside.
    pub fn contains(&self, x: Vec3) -> bool {
        self.clearance(x) >= 0.0
    }

    /// The region moved by `offset` [m].
    pub fn moved(self, offset: Vec3) -> Self {
        match self {
            Self::Box { low, high } => Self::Box { low: low + offset, high: high + offset },
            Self::Sphere { centre, radius } => Self::Sphere { centre: centre + offset, radius },
            Self::Cylinder { base, axis, radius, height } => {
                Self::Cylinder { base: base + offset, axis, radius, height }
            }
            Self::Frustum { base, axis, radii, height } => {
                Self::Frustum { base: base + offset, axis, radii, height }
            }
        }
    }

    /// Volume [m³] that a sphere shares with the region.
    ///
    /// Exact where the sphere is all inside or outside or cut by one face of a box, and for spherical regions. Else the areas of slices are
    /// exact and summed over 96 slices, to about 1e-4 of the sphere.
    pub fn shared_volume(&self, centre: Vec3, radius: f64) -> f64 {
        let whole = 4.0 / 3.0 * PI * radius.powi(3);
        let clearance = self.clearance(centre);
        if clearance >= radius {
            return whole;
        }
        if clearance <= -radius {
            return 0.0;
        }
        match *self {
            Self::Sphere { centre: c, radius: r } => lens_volume(centre.distance(c), r, radius),
            Self::Box { low, high } => {
                let (low, high) = (low - centre, high - centre);
                let ways = [-low.x, -low.y, -low.z, high.x, high.y, high.z];
                if ways.iter().filter(|way| **way < radius).count() == 1 {
                    return cap_volume(radius, radius + clearance);
                }
                sliced(radius, [low.z, high.z], |_, s| disc_in_rectangle(s, [low.x, high.x], [low.y, high.y]))
            }
            Self::Cylinder { .. } | Self::Frustum { .. } => self.round().map_or(0.0, |round| {
                let [z, out] = round.local(centre);
                sliced(radius, [-z, round.height - z], |at, s| lens_area(out, round.radius(z + at), s))
            }),
        }
    }

    /// Share of the way from `a` to `b` that is inside.
    pub fn shared_length(&self, a: Vec3, b: Vec3) -> f64 {
        let at = |t: f64| self.clearance(a.lerp(b, t));
        let ends = [at(0.0), at(1.0)];
        if ends[0] >= 0.0 && ends[1] >= 0.0 {
            return 1.0;
        }
        // The clearance changes by no more than the way, and has one maximum along it.
        if at(0.5) < -0.5 * a.distance(b) {
            return 0.0;
        }
        let inside = match (ends[0] >= 0.0, ends[1] >= 0.0) {
            (true, _) => 0.0,
            (_, true) => 1.0,
            _ => match highest(at) {
                Some(t) => t,
                None => return 0.0,
            },
        };
        let edge = |outside: f64| {
            let (mut inside, mut outside) = (inside, outside);
            for _ in 0..48 {
                let middle = 0.5 * (inside + outside);
                if at(middle) >= 0.0 { inside = middle } else { outside = middle }
            }
            inside
        };
        let first = if ends[0] >= 0.0 { 0.0 } else { edge(0.0) };
        let last = if ends[1] >= 0.0 { 1.0 } else { edge(1.0) };
        last - first
    }
}

/// Where a concave function on 0…1 is not below 0, by golden sections.
fn highest(f: impl Fn(f64) -> f64) -> Option<f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (0.0, 1.0);
    for _ in 0..60 {
        let (s, t) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        let (at_s, at_t) = (f(s), f(t));
        if at_s >= 0.0 {
            return Some(s);
        }
        if at_t >= 0.0 {
            return Some(t);
        }
        if at_s < at_t { a = s } else { b = t }
    }
    None
}

/// Volume of a sphere about the origin between two heights where a slice at z of radius s has the area `area(z, s)`.
fn sliced(radius: f64, [low, high]: [f64; 2], area: impl Fn(f64, f64) -> f64) -> f64 {
    let angle = |z: f64| (z / radius).clamp(-1.0, 1.0).asin();
    let (from, to) = (angle(low), angle(high));
    if to <= from {
        return 0.0;
    }
    let width = (to - from) / SLICES as f64;
    // z = r sin θ: slices get thin where the sphere ends.
    let slice = |k: usize| {
        let (sin, cos) = (from + (k as f64 + 0.5) * width).sin_cos();
        area(radius * sin, radius * cos) * radius * cos * width
    };
    (0..SLICES).map(slice).sum()
}

/// Area that a disc of radius `s` about the origin shares with a rectangle.
fn disc_in_rectangle(s: f64, x: [f64; 2], y: [f64; 2]) -> f64 {
    let below =
        |x: f64| 0.5 * (x * (s * s - x * x).max(0.0).sqrt() + s * s * (x / s).clamp(-1.0, 1.0).asin());
    // ∫ from 0 to x of the height of the disc, at most y.
    let part = |x: f64, y: f64| {
        let (x, y) = (x.clamp(-s, s), y.clamp(-s, s));
        let flat = (s * s - y * y).max(0.0).sqrt();
        let (size, height) = (x.abs(), y.abs());
        let area = if size <= flat { height * size } else { height * flat + below(size) - below(flat) };
        area * x.signum() * y.signum()
    };
    let strip = |y: f64| part(x[1], y) - part(x[0], y);
    (strip(y[1]) - strip(y[0])).max(0.0)
}

/// Area that two discs at the distance d share.
fn lens_area(d: f64, r: f64, s: f64) -> f64 {
    let least = r.min(s);
    if d >= r + s || least <= 0.0 {
        return 0.0;
    }
    if d <= (r - s).abs() {
        return PI * least * least;
    }
    let part = |r: f64, s: f64| {
        let x = (d * d + r * r - s * s) / (2.0 * d);
        r * r * (x / r).clamp(-1.0, 1.0).acos() - x * (r * r - x * x).max(0.0).sqrt()
    };
    part(r, s) + part(s, r)
}

/// Volume of the part of a sphere on one side of a plane, `height` high.
fn cap_volume(radius: f64, height: f64) -> f64 {
    PI * height * height * (radius - height / 3.0)
}

/// Volume that two spheres at the distance d share.
fn lens_volume(d: f64, r: f64, s: f64) -> f64 {
    if d >= r + s {
        return 0.0;
    }
    if d <= (r - s).abs() {
        return 4.0 / 3.0 * PI * r.min(s).powi(3);
    }
    let depth = r + s - d;
    PI * depth * depth * (d * d + 2.0 * d * (r + s) - 3.0 * (r - s).powi(2)) / (12.0 * d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::random::Random;

    #[test]
    fn shared_volumes_and_lengths_are_those_of_random_points() {
        let regions = [
            Region::Box { low: Vec3::new(-1.0, -0.7, -0.4), high: Vec3::new(0.3, 0.5, 1.1) },
            Region::Cylinder {
                base: Vec3::new(0.1, 0.2, -0.5),
                axis: Vec3::new(1.0, 1.0, 2.0),
                radius: 0.6,
                height: 1.2,
            },
            Region::Sphere { centre: Vec3::new(0.2, 0.1, -0.3), radius: 0.8 },
            Region::Frustum {
                base: Vec3::ZERO,
                axis: Vec3::new(0.0, -1.0, 3.0),
                radii: [0.0, 0.9],
                height: 1.0,
            },
        ];
        let mut random = Random::new(3);
        for region in regions {
            region.check().unwrap();
            for centre in [Vec3::new(0.25, 0.3, 0.2), Vec3::new(-0.1, 0.6, 1.0), Vec3::new(0.0, 0.0, -0.2)] {
                let radius = 0.45;
                let box_of_sphere = [centre - radius, centre + radius];
                let samples = 200_000;
                let hits = (0..samples)
                    .filter(|_| {
                        let x = random.point(box_of_sphere);
                        x.distance(centre) < radius && region.contains(x)
                    })
                    .count();
                let expected = hits as f64 / samples as f64 * (2.0 * radius).powi(3);
                let got = region.shared_volume(centre, radius);
                assert!((got - expected).abs() < 0.006 * 0.38, "{region:?} {centre}: {got} {expected}");
                let end = centre + random.direction() * 2.0;
                let inside = (0..20_000)
                    .filter(|k| region.contains(centre.lerp(end, (f64::from(*k) + 0.5) / 20_000.0)))
                    .count();
                let got = region.shared_length(centre, end);
                assert!((got - inside as f64 / 20_000.0).abs() < 2e-4, "{region:?}: {got}");
            }
            let [low, high] = region.bounds();
            let hits = (0..200_000).filter(|_| region.contains(random.point([low, high]))).count();
            let volume = hits as f64 / 200_000.0 * (high - low).element_product();
            assert!((volume / region.volume() - 1.0).abs() < 0.01, "{region:?}");
        }
    }
}
