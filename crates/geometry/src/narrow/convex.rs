//! Any two convex shapes: direction by GJK and EPA, points by clipping the features that face each other.

use glam::DVec3;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};

use super::core::{Core, Scaled};
use super::nearest::nearest_point;
use super::polygon::{Candidate, ClipScratch, reduce};
use super::{ContactPoint, NarrowScratch};
use crate::Pose;

/// Fraction of the size by which a face normal may give less separation than the best direction and still be preferred:
/// flat faces at rest keep their normal, and their four points.
const FACE_PREFERENCE: f64 = 1e-7;

/// Name of the pair of closest points, where no corner of the clipped features is as close.
pub(super) const WITNESS: u32 = 1;

/// Buffers of GJK, EPA and the clipping.
#[derive(Default)]
pub(super) struct ConvexScratch {
    simplex: VoronoiSimplex,
    epa: EPA,
    pub(super) clip: ClipScratch,
}

impl std::fmt::Debug for ConvexScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConvexScratch").field("clip", &self.clip).finish_non_exhaustive()
    }
}

/// Closest (or deepest) points of two cores in the frame of a; borders are not counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Witness {
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
    pub(super) normal: DVec3,
    pub(super) gap: f64,
}

/// Two cores, the second placed relative to the first.
pub(super) struct Pair<'a> {
    pub(super) a: Core<'a>,
    pub(super) b: Core<'a>,
    pub(super) b_in_a: Pose,
}

impl<'a> Pair<'a> {
    pub(super) fn new(a: Core<'a>, pose_a: &Pose, b: Core<'a>, pose_b: &Pose) -> Self {
        let inverse = pose_a.rotation.conjugate();
        let position = inverse * (pose_b.position - pose_a.position);
        Self { a, b, b_in_a: Pose::new(position, inverse * pose_b.rotation) }
    }

    /// Support points along `normal` and their distance along it: a lower bound of the distance of the cores.
    fn separation(&self, normal: DVec3) -> Witness {
        let on_a = self.a.support(normal);
        let on_b = self.b_in_a.point(self.b.support(self.b_in_a.local_vector(-normal)));
        Witness { on_a, on_b, normal, gap: (on_b - on_a).dot(normal) }
    }

    /// Closest points of the cores, `None` if they are farther than `reach` apart.
    pub(super) fn witness(&self, reach: f64, scratch: &mut ConvexScratch) -> Option<Witness> {
        let size = self.a.size().max(self.b.size());
        let center = self.b_in_a.point(self.b.center()) - self.a.center();
        // No point of a core is farther than √3 of its size from its centre.
        let limit = 1.75 * (self.a.size() + self.b.size()) + reach;
        if center.length_squared() >= limit * limit || !center.is_finite() {
            return None;
        }
        let start = if center.length_squared() > 0.0 { center.normalize() } else { DVec3::Z };
        let best = match self.search(reach, start, scratch) {
            Search::Apart => return None,
            Search::Found(witness) => self.polished(witness, size),
            Search::Failed => self.sampled(start),
        };
        // Rounding blurs the direction between points that nearly coincide, but not the direction of a face.
        let face_a = self.a.face_normal(best.normal);
        let toward_a = self.b_in_a.local_vector(-best.normal);
        let face_b = self.b.face_normal(toward_a).map(|n| -self.b_in_a.vector(n));
        let margin = FACE_PREFERENCE * size;
        let mut chosen: Option<(DVec3, f64)> = None;
        for normal in [face_a, face_b].into_iter().flatten() {
            let gap = self.separation(normal).gap;
            let better = chosen.is_none_or(|(_, other)| gap > other + margin);
            if better && gap + margin >= best.gap && normal.dot(best.normal) > 0.9 {
                chosen = Some((normal, gap));
            }
        }
        let witness = chosen.map_or(best, |(normal, _)| self.on_face(&best, normal, size));
        (witness.gap < reach).then_some(witness)
    }

    /// The closest points once the normal is known to be that of a face: the support point of a curved partner is exact
    /// where the search is not.
    fn on_face(&self, best: &Witness, normal: DVec3, size: f64) -> Witness {
        let exact = self.separation(normal);
        let near = |p: DVec3, q: DVec3| (p - q).length_squared() < 1e-6 * size * size;
        if near(exact.on_a, best.on_a) {
            Witness { on_b: exact.on_a + normal * exact.gap, ..exact }
        } else if near(exact.on_b, best.on_b) {
            Witness { on_a: exact.on_b - normal * exact.gap, ..exact }
        } else {
            let gap = (best.on_b - best.on_a).dot(normal);
            Witness { on_a: best.on_a, on_b: best.on_a + normal * gap, normal, gap }
        }
    }

    fn search(&self, reach: f64, start: DVec3, scratch: &mut ConvexScratch) -> Search {
        // A power of two, so that scaling changes no digit.
        let smallest = self.a.size().max(f64::MIN_POSITIVE).min(self.b.size().max(f64::MIN_POSITIVE));
        let scale = smallest.log2().round().exp2();
        let scaled = |depth: f64| {
            let inverse_scale = 1.0 / scale;
            let of = |core: &Core<'a>| Scaled { inset: core.inset(depth), inverse_scale };
            (of(&self.a), of(&self.b))
        };
        let placement = ParryPose::from_parts(self.b_in_a.position / scale, self.b_in_a.rotation);
        let (a, b) = scaled(0.0);
        let ConvexScratch { simplex, epa, .. } = scratch;
        simplex.reset(CsoPoint::from_shapes(&placement, &a, &b, start));
        match gjk::closest_points(&placement, &a, &b, reach / scale * (1.0 + 1e-9), true, simplex) {
            GJKResult::ClosestPoints(p, q, n) => return found(p * scale, q * scale, n),
            GJKResult::NoIntersection(n) => {
                // Also the answer after too many iterations, so the direction must prove it.
                return if self.separation(n).gap >= reach { Search::Apart } else { Search::Failed };
            }
            GJKResult::Proximity(_) => return Search::Failed,
            GJKResult::Intersection => {}
        }
        if self.a.is_curved() || self.b.is_curved() {
            // Shallow overlap of curved shapes: the cores inside them are apart, which is a matter of few iterations.
            let depth = 0.1 * self.thinner();
            let (a, b) = scaled(depth);
            let mut simplex = VoronoiSimplex::new();
            simplex.reset(CsoPoint::from_shapes(&placement, &a, &b, start));
            let inner = gjk::closest_points(&placement, &a, &b, f64::MAX, true, &mut simplex);
            if let GJKResult::ClosestPoints(p, q, n) = inner {
                let witness = self.outer(0.5 * scale * (p + q), n.normalize_or_zero());
                if witness.normal != DVec3::ZERO && witness.gap > -0.5 * depth {
                    return Search::Found(witness);
                }
            }
        }
        match epa.closest_points(&placement, &a, &b, simplex) {
            Some((p, q, n)) => found(p * scale, q * scale, n),
            None => Search::Failed,
        }
    }

    /// Smaller of the inner radii of the two cores, of those that have one.
    fn thinner(&self) -> f64 {
        let (a, b) = (self.a.inner_radius(), self.b.inner_radius());
        if a > 0.0 && b > 0.0 { a.min(b) } else { a.max(b) }
    }

    /// Contact along `normal` near `point`, with the separation of the full cores.
    fn outer(&self, point: DVec3, normal: DVec3) -> Witness {
        let Witness { on_a, on_b, gap, .. } = self.separation(normal);
        let at = |height: f64| point + normal * (height - point.dot(normal));
        Witness { on_a: at(on_a.dot(normal)), on_b: at(on_b.dot(normal)), normal, gap }
    }

    /// Projects the points back and forth: the search may stop early on curved shapes.
    fn polished(&self, mut witness: Witness, size: f64) -> Witness {
        let curved = self.a.is_curved() || self.b.is_curved();
        if !curved || witness.gap < 1e-6 * size {
            return witness;
        }
        for _ in 0..20 {
            let Some(on_a) = nearest_point(&self.a, witness.on_b) else { break };
            let Some(on_b) = nearest_point(&self.b, self.b_in_a.local_point(on_a)) else { break };
            let on_b = self.b_in_a.point(on_b);
            let between = on_b - on_a;
            let gap = between.length_squared().sqrt();
            let gain = witness.gap - gap;
            if gain <= 0.0 || gap <= 0.0 {
                break;
            }
            witness = Witness { on_a, on_b, normal: between / gap, gap };
            if gain < 1e-13 * size {
                break;
            }
        }
        witness
    }

    /// The best of a few directions, where the search failed on a degenerate configuration.
    fn sampled(&self, start: DVec3) -> Witness {
        let axes = DVec3::AXES.into_iter().chain(DVec3::AXES.map(|n| self.b_in_a.vector(n)));
        axes.flat_map(|n| [n, -n])
            .map(|n| self.separation(n))
            .fold(self.separation(start), |best, other| if other.gap > best.gap { other } else { best })
    }

    /// Fills the candidates of `scratch` (in the frame of a, borders not counted) with up to four points along the
    /// normal of `witness` with gaps below `reach`.
    pub(super) fn manifold(&self, witness: &Witness, reach: f64, clip: &mut ClipScratch) {
        self.a.feature(witness.normal, &mut clip.a);
        self.b.feature(self.b_in_a.local_vector(-witness.normal), &mut clip.b);
        clip.b.points.iter_mut().for_each(|p| *p = self.b_in_a.point(*p));
        clip.b.normal = self.b_in_a.vector(clip.b.normal);
        clip.clip_features(witness.normal, reach);
        let tolerance = 1e-6 * self.a.size().min(self.b.size());
        reduce(&mut clip.candidates, witness.normal);
        if witness.gap < clip.deepest - tolerance {
            if clip.candidates.len() == 4 {
                clip.drop_shallowest();
            }
            let Witness { on_a, on_b, gap, .. } = *witness;
            clip.candidates.push(Candidate { on_a, on_b, gap, feature: WITNESS });
        }
    }
}

/// A contact from the points and the direction an algorithm found.
fn found(p: DVec3, q: DVec3, n: DVec3) -> Search {
    let normal = n.normalize_or_zero();
    let gap = (q - p).dot(normal);
    if normal == DVec3::ZERO || !gap.is_finite() {
        return Search::Failed;
    }
    // On curved shapes the points are a little aside of each other.
    let (middle, half) = (0.5 * (p + q), normal * (0.5 * gap));
    Search::Found(Witness { on_a: middle - half, on_b: middle + half, normal, gap })
}

enum Search {
    Apart,
    Found(Witness),
    Failed,
}

/// Contacts of two convex shapes.
pub(super) fn contacts(
    a: Core<'_>,
    pose_a: &Pose,
    b: Core<'_>,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return;
    }
    let pair = Pair::new(a, pose_a, b, pose_b);
    let reach = envelope + a.border + b.border;
    if let Some(witness) = pair.witness(reach, &mut scratch.convex) {
        emit(&pair, pose_a, &witness, envelope, scratch, out);
    }
}

/// Appends the points along the normal of `witness`.
pub(super) fn emit(
    pair: &Pair<'_>,
    pose_a: &Pose,
    witness: &Witness,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let Pair { a, b, b_in_a } = pair;
    pair.manifold(witness, envelope + a.border + b.border, &mut scratch.convex.clip);
    let normal = pose_a.vector(witness.normal);
    let (toward_b, toward_a) = (witness.normal, b_in_a.local_vector(-witness.normal));
    for c in &scratch.convex.clip.candidates {
        out.push(ContactPoint {
            point_a: pose_a.point(c.on_a + witness.normal * a.border),
            point_b: pose_a.point(c.on_b - witness.normal * b.border),
            normal,
            gap: c.gap - a.border - b.border,
            feature: c.feature,
            radius_a: a.curvature(c.on_a, toward_b),
            radius_b: b.curvature(b_in_a.local_point(c.on_b), toward_a),
        });
    }
}
