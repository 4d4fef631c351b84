//! Mass properties of overlapping spheres, each point counted once.
//!
//! The union is cut by planes z = const, where it is a union of discs whose moments follow from the arcs of its
//! border by Green's theorem. Over z they are smooth between the heights at which spheres begin and end, circles
//! of intersection turn and three spheres meet; there they behave like roots, which the substitution
//! $z = \tanh(\tfrac\pi2\sinh t)$ (takahasi1974) integrates to rounding.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DMat3, DVec3};

use crate::MassProperties;

/// $\int 1, x, y, x^2, y^2, xy$ over a plane figure.
type Moments = [f64; 6];

impl MassProperties {
    /// Spheres given by centre [m] and radius [m], filled with `density` [kg/m³]; volume that several share counts
    /// once.
    ///
    /// Without spheres the mass is zero.
    pub fn of_sphere_union(spheres: &[(DVec3, f64)], density: f64) -> Self {
        let size = spheres.iter().fold(0.0_f64, |size, (_, r)| size.max(*r));
        let heights = heights(spheres, 1e-12 * size);
        // V, ∫x, ∫y, ∫z, ∫x², ∫y², ∫z², ∫xy, ∫xz, ∫yz
        let mut sum = [0.0; 10];
        for pair in heights.windows(2) {
            let (middle, half) = (0.5 * (pair[0] + pair[1]), 0.5 * (pair[1] - pair[0]));
            for (node, weight) in nodes() {
                let z = middle + half * node;
                let [a, x, y, xx, yy, xy] = section(spheres, z);
                let w = weight * half;
                let terms = [a, x, y, a * z, xx, yy, a * z * z, xy, x * z, y * z];
                sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += w * term);
            }
        }
        let [volume, x, y, z, xx, yy, zz, xy, xz, yz] = sum.map(|moment| density * moment);
        let center = if volume > 0.0 { DVec3::new(x, y, z) / volume } else { DVec3::ZERO };
        let about_origin = DMat3::from_cols(
            DVec3::new(yy + zz, -xy, -xz),
            DVec3::new(-xy, xx + zz, -yz),
            DVec3::new(-xz, -yz, xx + yy),
        );
        let c = center;
        let offset = DMat3::from_diagonal(DVec3::splat(c.length_squared()))
            - DMat3::from_cols(c * c.x, c * c.y, c * c.z);
        Self { mass: volume, center, inertia: about_origin - offset * volume }
    }
}

/// Heights between which the sections change smoothly, in order.
fn heights(spheres: &[(DVec3, f64)], least: f64) -> Vec<f64> {
    let mut out = Vec::new();
    for (i, &(a, ra)) in spheres.iter().enumerate() {
        out.extend([a.z - ra, a.z + ra]);
        for (j, &(b, rb)) in spheres.iter().enumerate().skip(i + 1) {
            let Some((centre, axis, radius)) = circle(a, ra, b, rb) else { continue };
            let rise = radius * (1.0 - axis.z * axis.z).max(0.0).sqrt();
            out.extend([centre.z - rise, centre.z + rise]);
            for &(c, rc) in &spheres[j + 1..] {
                out.extend(on_circle(centre, axis, radius, c, rc).into_iter().flatten().map(|p| p.z));
            }
        }
    }
    out.sort_by(f64::total_cmp);
    out.dedup_by(|b, a| *b - *a < least);
    out
}

/// Centre, axis and radius of the circle in which two spheres meet.
fn circle(a: DVec3, ra: f64, b: DVec3, rb: f64) -> Option<(DVec3, DVec3, f64)> {
    let d = (b - a).length();
    if d >= ra + rb || d <= (ra - rb).abs() {
        return None;
    }
    let axis = (b - a) / d;
    let along = 0.5 * (d + (ra - rb) * (ra + rb) / d);
    Some((a + axis * along, axis, (ra * ra - along * along).max(0.0).sqrt()))
}

/// Points of a circle on a sphere.
fn on_circle(centre: DVec3, axis: DVec3, radius: f64, c: DVec3, rc: f64) -> [Option<DVec3>; 2] {
    let offset = c - centre;
    let flat = offset - axis * offset.dot(axis);
    let reach = flat.length();
    if reach <= 0.0 {
        return [None; 2];
    }
    // |p − c|² = rc² with p = centre + radius (u cos φ + w sin φ), u towards c.
    let cos = (offset.length_squared() + radius * radius - rc * rc) / (2.0 * radius * reach);
    if cos.abs() > 1.0 {
        return [None; 2];
    }
    let u = flat / reach;
    let w = axis.cross(u);
    let sin = (1.0 - cos * cos).sqrt();
    [Some(centre + radius * (u * cos + w * sin)), Some(centre + radius * (u * cos - w * sin))]
}

/// Nodes in −1…1 and weights of the double exponential rule.
fn nodes() -> impl Iterator<Item = (f64, f64)> {
    const STEP: f64 = 0.0625;
    (-60..=60).map(|k| {
        let t = f64::from(k) * STEP;
        let s = FRAC_PI_2 * t.sinh();
        let weight = STEP * FRAC_PI_2 * t.cosh() / s.cosh().powi(2);
        (s.tanh(), weight)
    })
}

/// Moments of the section at height z.
fn section(spheres: &[(DVec3, f64)], z: f64) -> Moments {
    let discs: Vec<[f64; 3]> = spheres
        .iter()
        .filter_map(|(c, r)| {
            let square = r * r - (z - c.z) * (z - c.z);
            (square > 0.0).then(|| [c.x, c.y, square.sqrt()])
        })
        .collect();
    let mut sum = [0.0; 6];
    let mut covered = Vec::new();
    for (i, disc) in discs.iter().enumerate() {
        covered.clear();
        let mut hidden = false;
        for (j, other) in discs.iter().enumerate().filter(|(j, _)| *j != i) {
            hidden |= cover(disc, other, j < i, &mut covered);
        }
        if hidden {
            continue;
        }
        covered.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut from = 0.0;
        for &[start, end] in &covered {
            if start > from {
                arc(disc, from, start, &mut sum);
            }
            from = from.max(end);
        }
        if from < TAU {
            arc(disc, from, TAU, &mut sum);
        }
    }
    sum
}

/// Adds the angles of the border of `disc` inside `other`, in 0…2π; true where it is inside altogether. Of equal
/// discs the `earlier` one stays.
fn cover(disc: &[f64; 3], other: &[f64; 3], earlier: bool, out: &mut Vec<[f64; 2]>) -> bool {
    let (dx, dy) = (other[0] - disc[0], other[1] - disc[1]);
    let d = dx.hypot(dy);
    let (r, s) = (disc[2], other[2]);
    if d + r <= s {
        return d > 0.0 || r < s || earlier;
    }
    if d >= r + s || d + s <= r {
        return false;
    }
    let half = ((d * d + r * r - s * s) / (2.0 * d * r)).clamp(-1.0, 1.0).acos();
    let start = (dy.atan2(dx) - half).rem_euclid(TAU);
    let end = start + 2.0 * half;
    out.push([start, end.min(TAU)]);
    if end > TAU {
        out.push([0.0, end - TAU]);
    }
    false
}

/// Adds the border integrals of an arc, $\int x\,dA = \tfrac12\oint x^2 dy$ and so on, by Gauss' rule of eight points
/// on pieces of an eighth of a turn at most.
fn arc(disc: &[f64; 3], from: f64, to: f64, sum: &mut Moments) {
    const NODES: [[f64; 2]; 4] = [
        [0.183_434_642_495_649_8, 0.362_683_783_378_362],
        [0.525_532_409_916_329, 0.313_706_645_877_887_3],
        [0.796_666_477_413_626_7, 0.222_381_034_453_374_48],
        [0.960_289_856_497_536_3, 0.101_228_536_290_376_26],
    ];
    let pieces = ((to - from) / (0.25 * PI)).ceil().max(1.0);
    let half = 0.5 * (to - from) / pieces;
    let [cx, cy, r] = *disc;
    for piece in 0..pieces as usize {
        let middle = from + half * (2.0 * piece as f64 + 1.0);
        for (node, weight) in NODES.iter().flat_map(|[node, weight]| [(*node, *weight), (-node, *weight)]) {
            let (sin, cos) = (middle + half * node).sin_cos();
            let (x, y) = (cx + r * cos, cy + r * sin);
            let (dx, dy) = (-r * sin * weight * half, r * cos * weight * half);
            sum[0] += 0.5 * (x * dy - y * dx);
            sum[1] += 0.5 * x * x * dy;
            sum[2] -= 0.5 * y * y * dx;
            sum[3] += x * x * x * dy / 3.0;
            sum[4] -= y * y * y * dx / 3.0;
            sum[5] += 0.5 * x * x * y * dy;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1e-3), "{a} and {b}");
    }

    #[test]
    fn one_sphere_two_apart_and_one_inside_another_are_the_closed_forms() {
        let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3);
        let c = DVec3::new(0.3, -0.2, 0.7);
        let one = MassProperties::of_sphere_union(&[(c, 0.5)], 2.0);
        close(one.mass, 2.0 * ball(0.5), 1e-12);
        assert!((one.center - c).length() < 1e-12);
        close(one.inertia.col(0).x, 0.4 * one.mass * 0.25, 1e-11);
        let inside = MassProperties::of_sphere_union(&[(c, 0.5), (c * 1.1, 0.2), (c, 0.5)], 2.0);
        close(inside.mass, one.mass, 1e-11);
        let two = MassProperties::of_sphere_union(&[(DVec3::X, 0.5), (-DVec3::X, 0.5)], 1.0);
        close(two.mass, 2.0 * ball(0.5), 1e-11);
        close(two.inertia.col(1).y, two.mass * (0.1 + 1.0), 1e-11);
    }

    #[test]
    fn two_overlapping_spheres_have_the_volume_of_spheres_less_the_lens() {
        for direction in [DVec3::X, DVec3::Z, DVec3::new(0.3, -0.5, 0.8).normalize()] {
            let (ra, rb, d) = (0.5, 0.4, 0.6_f64);
            let lens = PI * (ra + rb - d).powi(2) * (d * d + 2.0 * d * (ra + rb) - 3.0 * (ra - rb).powi(2))
                / (12.0 * d);
            let volume = 4.0 / 3.0 * PI * (ra.powi(3) + rb.powi(3)) - lens;
            let union = MassProperties::of_sphere_union(&[(DVec3::ZERO, ra), (direction * d, rb)], 1.0);
            close(union.mass, volume, 1e-11);
            assert!(union.center.cross(direction).length() < 1e-11);
        }
    }

    #[test]
    fn turning_many_spheres_turns_their_properties() {
        let mut x = 1_u64;
        let mut random = || {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (x >> 11) as f64 / (1_u64 << 53) as f64
        };
        let spheres: Vec<(DVec3, f64)> =
            (0..6).map(|_| (DVec3::new(random(), random(), random()), 0.2 + 0.4 * random())).collect();
        let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.9);
        let turned: Vec<(DVec3, f64)> = spheres.iter().map(|(c, r)| (turn * *c, *r)).collect();
        let (a, b) =
            (MassProperties::of_sphere_union(&spheres, 1.0), MassProperties::of_sphere_union(&turned, 1.0));
        close(a.mass, b.mass, 1e-9);
        assert!((turn * a.center - b.center).length() < 1e-9);
        let rotation = DMat3::from_quat(turn);
        let difference = rotation * a.inertia * rotation.transpose() - b.inertia;
        assert!(difference.to_cols_array().iter().all(|x| x.abs() < 1e-9));
        // Counting points gives the same volume within its error.
        let inside = (0..200_000)
            .filter(|_| {
                let p = DVec3::new(random(), random(), random()) * 3.0 - DVec3::ONE;
                spheres.iter().any(|(c, r)| (p - *c).length_squared() < r * r)
            })
            .count();
        close(a.mass, 27.0 * inside as f64 / 200_000.0, 0.02);
    }
}
