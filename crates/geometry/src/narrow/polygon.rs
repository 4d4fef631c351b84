//! Flat features against each other: clipping along the contact normal, and the choice of four points.

use glam::DVec3;

/// Two points closer than this part of the size of a feature are one; corners this close to an edge lie on it, so
/// that aligned faces keep their names when they move a little.
const SAME: f64 = 1e-5;

/// Part of the size of a feature by which gaps may differ and still count as equally deep.
const LEVEL: f64 = 1e-4;

/// The flat part of a convex shape that faces the other: a polygon (counter-clockwise seen from outside), a segment,
/// a point, or nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Feature {
    pub(super) points: Vec<DVec3>,
    /// Outward normal of a polygon.
    pub(super) normal: DVec3,
    /// Names the feature within its shape.
    pub(super) id: u32,
    /// Names the flat patch the feature is part of, where it is only a part.
    pub(super) patch: Option<u32>,
    /// Edges inside a flat patch, one bit each; nothing ends there.
    pub(super) inner_edges: u32,
}

impl Feature {
    pub(super) fn clear(&mut self) {
        self.points.clear();
        self.normal = DVec3::ZERO;
        self.id = 0;
        self.patch = None;
        self.inner_edges = 0;
    }
}

/// A point of contact before the choice of four, in the frame of the caller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
    pub(super) gap: f64,
    pub(super) feature: u32,
}

/// A corner of a clipped polygon and the two edges that meet there.
#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    point: DVec3,
    incoming: u32,
    outgoing: u32,
}

/// Marks the edges of the polygon that clips.
const CLIP: u32 = 1 << 15;

/// Buffers of the clipping.
#[derive(Clone, Debug, Default)]
pub(super) struct ClipScratch {
    corners: Vec<Corner>,
    next: Vec<Corner>,
    pub(super) a: Feature,
    pub(super) b: Feature,
    pub(super) candidates: Vec<Candidate>,
    /// Smallest gap of all corners, those on inner edges of a patch too.
    pub(super) deepest: f64,
}

/// Mixes the names of two features and two edges into one.
pub(super) fn name(parts: [u32; 4]) -> u32 {
    parts.iter().fold(0x811C_9DC5, |hash: u32, part| {
        let mixed = (hash ^ part).wrapping_mul(0x9E37_79B1);
        mixed ^ mixed >> 15
    })
}

impl ClipScratch {
    /// Drops the least significant candidate.
    pub(super) fn drop_shallowest(&mut self) {
        let gap = |i: usize| self.candidates[i].gap;
        if let Some(last) = (0..self.candidates.len()).max_by(|&i, &j| gap(i).total_cmp(&gap(j))) {
            self.candidates.remove(last);
        }
    }

    /// Candidates between features `a` and `b` seen along `normal` (from a to b) with a gap below `envelope`; none if
    /// the features have no common extent.
    pub(super) fn clip_features(&mut self, normal: DVec3, envelope: f64) {
        self.candidates.clear();
        self.deepest = f64::INFINITY;
        let (a, b) = (self.a.points.len(), self.b.points.len());
        if a >= 3 && b >= 2 && self.a.normal.dot(normal) > 0.05 {
            self.clip(normal, false, envelope);
        } else if b >= 3 && a >= 2 && self.b.normal.dot(-normal) > 0.05 {
            self.clip(normal, true, envelope);
        } else if a == 2 && b == 2 {
            self.segments(normal, envelope);
        }
    }

    /// Clips one feature by the sides of the other, which is a polygon: b by a, or a by b if `swapped`.
    fn clip(&mut self, normal: DVec3, swapped: bool, envelope: f64) {
        let Self { corners, next, a, b, candidates, deepest } = self;
        let (subject, clip) = if swapped { (&*a, &*b) } else { (&*b, &*a) };
        let axis = if swapped { -normal } else { normal };
        let count = subject.points.len() as u32;
        corners.clear();
        corners.extend(subject.points.iter().zip(0..).map(|(&point, i)| Corner {
            point,
            incoming: (i + count - 1) % count,
            outgoing: i,
        }));
        let mut size_squared = 0.0f64;
        for (i, &from) in clip.points.iter().enumerate() {
            let edge = clip.points[(i + 1) % clip.points.len()] - from;
            size_squared = size_squared.max(edge.length_squared());
            clip_by_side(corners, next, from, edge, axis, CLIP | i as u32);
            std::mem::swap(corners, next);
        }
        let same = SAME * SAME * size_squared;
        let per_height = 1.0 / axis.dot(clip.normal);
        for corner in corners.iter() {
            let gap = (corner.point - clip.points[0]).dot(clip.normal) * per_height;
            *deepest = deepest.min(gap);
            let is_clip = [corner.incoming, corner.outgoing].map(|edge| edge & CLIP != 0);
            let inner = |k: usize| {
                let edge = [corner.incoming, corner.outgoing][k] & !CLIP;
                is_clip[k] == swapped && edge < 32 && b.inner_edges >> edge & 1 == 1
            };
            let on_b_only = is_clip == [swapped; 2];
            if if on_b_only { inner(0) && inner(1) } else { inner(0) || inner(1) } {
                continue;
            }
            let known = |c: &Candidate| {
                let own = if swapped { c.on_a } else { c.on_b };
                (own - corner.point).length_squared() < same
            };
            if gap < envelope && !candidates.iter().any(known) {
                let other = corner.point - axis * gap;
                let (on_a, on_b) = if swapped { (corner.point, other) } else { (other, corner.point) };
                // A corner of one shape keeps its name all over a flat patch of the other.
                let clip_edges = [corner.incoming, corner.outgoing].map(|edge| edge & CLIP != 0);
                let own =
                    |f: &Feature, all_other: bool| if all_other { f.patch.unwrap_or(f.id) } else { f.id };
                let name_a = own(a, clip_edges == [swapped; 2]);
                let name_b = own(b, clip_edges == [!swapped; 2]);
                let feature = name([name_a, name_b, corner.incoming, corner.outgoing]);
                candidates.push(Candidate { on_a, on_b, gap, feature });
            }
        }
    }

    /// Two segments: the ends of their common extent where they are nearly parallel.
    fn segments(&mut self, normal: DVec3, envelope: f64) {
        let flat = |v: DVec3| v - normal * v.dot(normal);
        let (p, q) = (self.a.points[0], self.b.points[0]);
        let (u, v) = (self.a.points[1] - p, self.b.points[1] - q);
        let (fu, fv) = (flat(u), flat(v));
        let (lu, lv) = (fu.length(), fv.length());
        if fu.cross(fv).length() >= 0.05 * lu * lv {
            return;
        }
        // Extent of b along a, as parts of a.
        let along = |point: DVec3| (point - p).dot(fu) / (lu * lu);
        let (start, end) = (along(q), along(q + v));
        // Segments that only meet end to end have one point, the closest one: rounding must not make it two.
        if start.max(end).min(1.0) - start.min(end).max(0.0) <= SAME {
            return;
        }
        for (k, at) in [(0, start.min(end).max(0.0)), (1, start.max(end).min(1.0))] {
            let on_a = p + u * at;
            let on_b = q + v * ((at - start) / (end - start)).clamp(0.0, 1.0);
            let gap = (on_b - on_a).dot(normal);
            if gap < envelope {
                // Segments that are not quite parallel pass each other at their ends.
                let (middle, half) = (0.5 * (on_a + on_b), normal * (0.5 * gap));
                self.deepest = self.deepest.min(gap);
                let feature = name([self.a.id, self.b.id, CLIP, k]);
                self.candidates.push(Candidate { on_a: middle - half, on_b: middle + half, gap, feature });
            }
        }
    }
}

/// One step of Sutherland and Hodgman's clipping: keeps what lies on the inner side of an edge.
fn clip_by_side(
    corners: &[Corner],
    kept: &mut Vec<Corner>,
    from: DVec3,
    edge: DVec3,
    axis: DVec3,
    label: u32,
) {
    kept.clear();
    let outward = edge.cross(axis);
    let tolerance = SAME * edge.length_squared();
    let side = |c: &Corner| (c.point - from).dot(outward);
    let Some(mut before) = corners.last().copied() else { return };
    let mut side_before = side(&before);
    for &corner in corners {
        let side_here = side(&corner);
        let (was_in, is_in) = (side_before <= tolerance, side_here <= tolerance);
        if was_in != is_in {
            let part = (side_before / (side_before - side_here)).clamp(0.0, 1.0);
            let point = before.point + (corner.point - before.point) * part;
            // The side takes over from the edge that leaves, and hands over to the edge that comes back.
            let (incoming, outgoing) =
                if was_in { (corner.incoming, label) } else { (label, corner.incoming) };
            kept.push(Corner { point, incoming, outgoing });
        }
        if is_in {
            kept.push(corner);
        }
        (before, side_before) = (corner, side_here);
    }
}

/// Parts of the three scores of a candidate by which they may differ and still count as equal.
const TIES: [f64; 3] = [1e-3, 1e-3, 1e-5];

/// The candidate with the highest first score; near ties are decided by the second and third in turn, and what is equal
/// in all of them by order, so that resting faces keep their points. `None` where no first score exceeds `floor`.
fn best(count: usize, floor: f64, scores: [&dyn Fn(usize) -> f64; 3]) -> Option<usize> {
    let mut least = [0.0; 3];
    for k in 0..3 {
        let passes = |i: &usize| (0..k).all(|l| scores[l](*i) >= least[l]);
        let most = (0..count).filter(passes).map(scores[k]).fold(0.0, f64::max);
        if k == 0 && most <= floor {
            return None;
        }
        least[k] = most * (1.0 - TIES[k]);
    }
    (0..count).find(|i| (0..3).all(|l| scores[l](*i) >= least[l]))
}

/// Leaves the four candidates that span the most area, one of the deepest among them.
///
/// The choice follows depths, distances and areas alone, so that it is the same in a mirror image; order decides only
/// between candidates that are alike in all of these, as in regular polygons.
pub(super) fn reduce(candidates: &mut Vec<Candidate>, normal: DVec3) {
    if candidates.len() <= 4 {
        return;
    }
    let list = &*candidates;
    let count = list.len();
    let flat = |i: usize| {
        let p = list[i].on_a;
        p - normal * p.dot(normal)
    };
    let middle = (0..count).map(flat).sum::<DVec3>() / count as f64;
    let reach = |i: usize| (flat(i) - middle).length();
    let farness = |i: usize| (0..count).map(|j| (flat(j) - flat(i)).length().sqrt()).sum::<f64>();
    let size = 2.0 * (0..count).map(reach).fold(0.0, f64::max);
    let deepest = list.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    let is_deep = |i: usize| f64::from(u8::from(list[i].gap <= deepest + LEVEL * size));
    let first = best(count, 0.0, [&is_deep, &reach, &farness]).unwrap_or(0);
    let origin = flat(first);
    let distance = |i: usize| (flat(i) - origin).length();
    let second = best(count, SAME * size, [&distance, &reach, &farness]).unwrap_or(first);
    let edge = flat(second) - origin;
    let area = |i: usize| edge.cross(flat(i) - origin).dot(normal);
    let sliver = SAME * size * size;
    let third = best(count, sliver, [&|i| area(i).abs(), &reach, &farness]).unwrap_or(first);
    // Area added outside the triangle of the first three.
    let corners = if area(third) > 0.0 { [first, second, third] } else { [second, first, third] };
    let outside = |i: usize| {
        (0..3)
            .map(|k| {
                let (p, q) = (flat(corners[k]), flat(corners[(k + 1) % 3]));
                (flat(i) - p).cross(q - p).dot(normal)
            })
            .fold(0.0, f64::max)
    };
    let fourth = best(count, sliver, [&outside, &reach, &farness]).unwrap_or(first);
    let mut chosen = [first, second, third, fourth];
    chosen.sort_unstable();
    let mut kept = 0;
    for (k, &i) in chosen.iter().enumerate() {
        if k == 0 || chosen[k - 1] != i {
            candidates[kept] = candidates[i];
            kept += 1;
        }
    }
    candidates.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without pattern, −½ to ½.
    fn noise(k: usize) -> f64 {
        let x = ((k as f64 + 1.0) * 12.9898).sin() * 43_758.545_3;
        x - x.floor() - 0.5
    }

    /// Names of the remaining candidates, sorted.
    fn left(mut candidates: Vec<Candidate>) -> Vec<u32> {
        reduce(&mut candidates, DVec3::Z);
        let mut names: Vec<u32> = candidates.iter().map(|c| c.feature).collect();
        names.sort_unstable();
        names
    }

    /// Mirror images begin at another corner and go round the other way; gaps on either side of [`LEVEL`].
    #[test]
    fn the_same_points_are_left_in_a_mirror_image() {
        for trial in 0..2000 {
            let count = 5 + trial % 8;
            let r = |i: usize| noise(64 * trial + i);
            let candidates: Vec<Candidate> = (0..count)
                .map(|i| {
                    let angle = std::f64::consts::TAU * (i as f64 + 0.8 * r(i)) / count as f64;
                    let on_a = DVec3::new(angle.cos() + 0.1 * r(16 + i), 0.7 * angle.sin(), 0.0);
                    let gap = 4.0 * LEVEL * r(32 + i);
                    Candidate { on_a, on_b: on_a + gap * DVec3::Z, gap, feature: i as u32 }
                })
                .collect();
            let mut image = candidates.clone();
            image.reverse();
            image.rotate_left(trial % count);
            for c in &mut image {
                (c.on_a.x, c.on_b.x) = (-c.on_a.x, -c.on_b.x);
            }
            assert_eq!(left(candidates), left(image), "trial {trial}");
        }
    }
}
