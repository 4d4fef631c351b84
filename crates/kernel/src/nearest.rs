//! Nearest points of surfaces, seen from the centres of spheres.
//!
//! Surfaces stand about the origin or the z axis of their own axes. A law gives the distance of a point, the direction
//! from the surface to it, and how the surface is curved there.

use crate::{Vec3, laws};

/// Radius of curvature [m] of flat surfaces: any that is not below it means flat.
pub const FLAT: f64 = 1e30;

/// Least cosine of half the opening angle of a cone in divisions.
const LEAST_SLOPE: f64 = 1e-9;

/// A hollow narrower than this many radii of a sphere counts as one of this many, as it would make the effective radius
/// infinite.
const NARROWEST: f64 = 1.05;

/// Effective radius in a hollow of [`NARROWEST`], in radii of the sphere.
const WIDEST: f64 = 21.0;

/// The part of a triangle that is nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrianglePart {
    /// The face.
    Face,
    /// A corner: 0, 1, 2 for a, b, c.
    Corner(usize),
    /// An edge: 0, 1, 2 for ab, bc, ca.
    Edge(usize),
}

#[laws]
mod laws {
    use crate::number::{
        Scalar, absolute, any_positive, clamped, constant, larger, one, select_greater, smaller, sqrt, zero,
    };
    use crate::vector::{
        V3, difference, divided, dot, negated, scaled, select_vector, sum, vector, zero_vector,
    };

    /// The nearest point of a surface.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Nearest<S = f64> {
        /// Distance of the point [m]; negative behind a one-sided surface.
        pub distance: S,
        /// From the surface to the point.
        pub normal: V3<S>,
        /// Radius of curvature [m]: [`FLAT`] where flat, zero at an edge, negative where hollow.
        pub curvature: S,
    }

    fn axis_x<S: Scalar>() -> V3<S> {
        vector(one(), zero(), zero())
    }

    fn axis_z<S: Scalar>() -> V3<S> {
        vector(zero(), zero(), one())
    }

    /// 1 where `x` is not above zero, 0 elsewhere.
    fn unless_positive<S: Scalar>(x: S) -> S {
        select_greater(x, zero(), zero(), one())
    }

    /// Direction of the vector `v` of the length `length`; `side` where it has none.
    fn direction<S: Scalar>(v: V3<S>, length: S, side: V3<S>) -> V3<S> {
        let mut out = side;
        if any_positive(length) {
            out = select_vector(length, zero(), divided(v, length), side);
        }
        out
    }

    /// A point with distance and direction from its foot; `side` where they are one.
    fn away_from<S: Scalar>(x: V3<S>, foot: V3<S>, side: V3<S>, curvature: S) -> Nearest<S> {
        let offset = difference(x, foot);
        let distance = sqrt(dot(offset, offset));
        Nearest { distance, normal: direction(offset, distance, side), curvature }
    }

    /// Distance from the z axis and the direction away from it.
    #[derive(Clone, Copy, Debug)]
    struct Radial<S> {
        length: S,
        out: V3<S>,
    }

    fn radial<S: Scalar>(x: V3<S>) -> Radial<S> {
        let flat = vector(x.x, x.y, zero());
        let length = sqrt(dot(flat, flat));
        Radial { length, out: direction(flat, length, axis_x()) }
    }

    /// Effective radius [m] of a sphere of the radius `radius` [m] at a surface of the radius of curvature `curvature` [m].
    pub fn effective_radius_at<S: Scalar>(curvature: S, radius: S) -> S {
        // An edge has no radius of its own: that of the sphere counts.
        let mut out = radius;
        let bent = select_greater(constant(FLAT), curvature, absolute(curvature), zero());
        if any_positive(bent) {
            let together = one::<S>() / (one::<S>() / radius + one::<S>() / curvature);
            let narrow = constant::<S>(NARROWEST) * radius + curvature;
            let hollow = select_greater(narrow, zero(), constant::<S>(WIDEST) * radius, together);
            let shaped = select_greater(zero(), curvature, hollow, together);
            out = select_greater(bent, zero(), shaped, radius);
        }
        out
    }

    /// The plane of the unit normal `normal` whose points have $n\cdot x =$ `offset` [m].
    pub fn on_plane<S: Scalar>(normal: V3<S>, offset: S, x: V3<S>) -> Nearest<S> {
        Nearest { distance: dot(normal, x) - offset, normal, curvature: constant(FLAT) }
    }

    /// A sphere of the radius `radius` [m] about the origin; with `hollow` it is touched from inside.
    pub fn on_sphere<S: Scalar>(radius: S, #[comptime] hollow: bool, x: V3<S>) -> Nearest<S> {
        let length = sqrt(dot(x, x));
        let out = direction(x, length, axis_z());
        let mut near = Nearest { distance: length - radius, normal: out, curvature: radius };
        if hollow {
            near = Nearest { distance: radius - length, normal: negated(out), curvature: -radius };
        }
        near
    }

    /// The side of a cone or cylinder about the z axis.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ConeSide<S = f64> {
        /// Radius at the lower end [m].
        pub low_radius: S,
        /// Radius at the upper end [m].
        pub high_radius: S,
        /// z of the lower end [m].
        pub low: S,
        /// z of the upper end [m].
        pub high: S,
        /// Length of the side from end to end [m].
        pub length: S,
        /// Growth of the radius per length of the side.
        pub widening: S,
        /// Growth of z per length of the side.
        pub rise: S,
    }

    /// The side of a cone, open at both ends; with `hollow` it is a thin shell that is touched from inside too.
    ///
    /// In the half plane of the axis and the point it is a segment.
    pub fn on_cone<S: Scalar>(side: &ConeSide<S>, #[comptime] hollow: bool, x: V3<S>) -> Nearest<S> {
        let from = radial(x);
        let beside = from.length - side.low_radius;
        let above = x.z - side.low;
        let s = beside * side.widening + above * side.rise;
        let along = smaller(s, side.length - s);
        // Outward normal of the wall in the half plane is (rise, -widening).
        let distance = beside * side.rise - above * side.widening;
        let normal = difference(scaled(side.rise, from.out), scaled(side.widening, axis_z()));
        // Second principal radius of a cone: the distance to the axis along the normal.
        let radius = (side.low_radius + s * side.widening) / larger(side.rise, constant(LEAST_SLOPE));
        let mut near = Nearest { distance, normal, curvature: radius };
        if hollow {
            let inside = -distance;
            if any_positive(inside) {
                let wall = Nearest { distance: inside, normal: negated(normal), curvature: -radius };
                near = nearer_of(inside, wall, near);
            }
        }
        let ends = unless_positive(along);
        if any_positive(ends) {
            // Beyond an end: its circle, an edge that is met from any side.
            let circle = select_greater(side.length, s, side.low_radius, side.high_radius);
            let level = select_greater(side.length, s, side.low, side.high);
            let foot = sum(scaled(circle, from.out), scaled(level, axis_z()));
            near = nearer_of(ends, away_from(x, foot, from.out, zero()), near);
        }
        near
    }

    /// `yes` where `a` is above zero.
    fn nearer_of<S: Scalar>(a: S, yes: Nearest<S>, no: Nearest<S>) -> Nearest<S> {
        Nearest {
            distance: select_greater(a, zero(), yes.distance, no.distance),
            normal: select_vector(a, zero(), yes.normal, no.normal),
            curvature: select_greater(a, zero(), yes.curvature, no.curvature),
        }
    }

    /// A disc of the radius `radius` [m] in the plane z = 0, touched from both sides.
    pub fn on_disc<S: Scalar>(radius: S, x: V3<S>) -> Nearest<S> {
        let flat = vector(x.x, x.y, zero());
        let length = sqrt(dot(flat, flat));
        let foot = select_vector(length, radius, scaled(radius / length, flat), flat);
        let curvature = select_greater(length, radius, zero(), constant(FLAT));
        away_from(x, foot, axis_z(), curvature)
    }

    /// A rectangle of the half sides `half_x` and `half_y` [m] in the plane z = 0, touched from both sides.
    pub fn on_rectangle<S: Scalar>(half_x: S, half_y: S, x: V3<S>) -> Nearest<S> {
        let foot = vector(clamped(x.x, -half_x, half_x), clamped(x.y, -half_y, half_y), zero());
        let beyond = larger(absolute(x.x) - half_x, absolute(x.y) - half_y);
        let curvature = select_greater(beyond, zero(), zero(), constant(FLAT));
        away_from(x, foot, axis_z(), curvature)
    }

    /// A capsule of the radius `radius` about the z axis, the centres of its half balls at ±`half_length` [m].
    pub fn on_capsule<S: Scalar>(radius: S, half_length: S, x: V3<S>) -> Nearest<S> {
        let foot = scaled(clamped(x.z, -half_length, half_length), axis_z());
        let near = away_from(x, foot, axis_x(), radius);
        Nearest { distance: near.distance - radius, normal: near.normal, curvature: near.curvature }
    }

    /// A face of a box, seen from inside: the one against the direction `sign` of the axis `axis`, along which the point
    /// has the coordinate `along` and the box the half side `half` [m].
    pub fn on_inner_face<S: Scalar>(half: S, along: S, axis: V3<S>, sign: S) -> Nearest<S> {
        Nearest { distance: half + sign * along, normal: scaled(sign, axis), curvature: constant(FLAT) }
    }

    /// Parts of a cylinder with lids, seen from inside.
    #[derive(Clone, Copy, Debug)]
    pub struct InnerCylinder<S = f64> {
        /// The side.
        pub side: Nearest<S>,
        /// The lower lid.
        pub low: Nearest<S>,
        /// The upper lid.
        pub high: Nearest<S>,
    }

    /// A cylinder about the z axis with lids at `low` and `high` [m], seen from inside.
    pub fn in_cylinder<S: Scalar>(radius: S, low: S, high: S, x: V3<S>) -> InnerCylinder<S> {
        let from = radial(x);
        InnerCylinder {
            side: Nearest { distance: radius - from.length, normal: negated(from.out), curvature: -radius },
            low: Nearest { distance: x.z - low, normal: axis_z(), curvature: constant(FLAT) },
            high: Nearest { distance: high - x.z, normal: negated(axis_z()), curvature: constant(FLAT) },
        }
    }

    /// 1 where a coordinate `x` is beyond the half side `half`, 0 elsewhere.
    fn beyond_side<S: Scalar>(x: S, half: S) -> S {
        select_greater(absolute(x), half, one(), zero())
    }

    /// A solid box of the half sides `half` [m], seen from outside; from inside its nearest face.
    pub fn on_box<S: Scalar>(half: V3<S>, x: V3<S>) -> Nearest<S> {
        let sides = beyond_side(x.x, half.x) + beyond_side(x.y, half.y) + beyond_side(x.z, half.z);
        let mut near = Nearest { distance: zero(), normal: zero_vector(), curvature: constant(FLAT) };
        if any_positive(sides) {
            let foot = vector(
                clamped(x.x, -half.x, half.x),
                clamped(x.y, -half.y, half.y),
                clamped(x.z, -half.z, half.z),
            );
            let curvature = select_greater(sides, constant(1.5), zero(), constant(FLAT));
            near = away_from(x, foot, axis_z(), curvature);
        }
        let inside = unless_positive(sides);
        if any_positive(inside) {
            let deep = vector(absolute(x.x) - half.x, absolute(x.y) - half.y, absolute(x.z) - half.z);
            let first = larger(deep.x, deep.y);
            let mut axis = select_vector(deep.y, deep.x, vector(zero(), one(), zero()), axis_x());
            axis = select_vector(deep.z, first, axis_z(), axis);
            let sign = select_greater(zero(), dot(axis, x), -one::<S>(), one());
            let face = Nearest {
                distance: select_greater(deep.z, first, deep.z, first),
                normal: scaled(sign, axis),
                curvature: constant(FLAT),
            };
            near = nearer_of(inside, face, near);
        }
        near
    }

    /// A solid cylinder about the z axis with lids at `low` and `high` [m], seen from outside; from inside its nearest
    /// side.
    pub fn on_cylinder<S: Scalar>(radius: S, low: S, high: S, x: V3<S>) -> Nearest<S> {
        let from = radial(x);
        let beside = from.length - radius;
        let below = low - x.z;
        let above = x.z - high;
        let beyond = larger(below, above);
        let mut near = Nearest { distance: beside, normal: from.out, curvature: radius };
        // Inside, and nearer to a lid than to the side.
        let lids = select_greater(beside, zero(), zero(), beyond - beside);
        if any_positive(lids) {
            let face = Nearest {
                distance: select_greater(below, above, below, above),
                normal: select_vector(below, above, negated(axis_z()), axis_z()),
                curvature: constant(FLAT),
            };
            near = nearer_of(lids, face, near);
        }
        // Above or below: over a lid, or beyond its edge.
        if any_positive(beyond) {
            let foot = sum(
                scaled(smaller(from.length, radius), from.out),
                scaled(clamped(x.z, low, high), axis_z()),
            );
            let curvature = select_greater(beside, zero(), zero(), constant(FLAT));
            near = nearer_of(beyond, away_from(x, foot, axis_z(), curvature), near);
        }
        near
    }

    /// A triangle prepared for distances.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Triangle<S = f64> {
        /// Corner a [m].
        pub a: V3<S>,
        /// From corner a to b [m].
        pub ab: V3<S>,
        /// From corner a to c [m].
        pub ac: V3<S>,
        /// Unit normal.
        pub normal: V3<S>,
    }

    /// The nearest point of a triangle.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TriangleFoot<S = f64> {
        /// Distance of the point [m].
        pub distance: S,
        /// From the triangle to the point.
        pub normal: V3<S>,
        /// The nearest point [m].
        pub foot: V3<S>,
        /// Part of the triangle it is on: 0 the face, 1, 2, 3 the corners a, b, c, and 4, 5, 6 the edges ab, bc, ca.
        pub part: S,
    }

    /// `next` where `open` is above zero, `open` elsewhere: above zero where both are.
    fn still_open<S: Scalar>(open: S, next: S) -> S {
        select_greater(open, zero(), next, open)
    }

    /// The nearest point of a triangle to `x`: regions of corners, edges and the face in turn (ericson2004).
    pub fn on_triangle<S: Scalar>(triangle: &Triangle<S>, x: V3<S>) -> TriangleFoot<S> {
        let ab = triangle.ab;
        let ac = triangle.ac;
        let ap = difference(x, triangle.a);
        let d1 = dot(ab, ap);
        let d2 = dot(ac, ap);
        let mut foot = triangle.a;
        let mut part = one::<S>();
        let mut face = zero::<S>();
        let mut distance = zero::<S>();
        let mut normal = triangle.normal;
        // Each number is above zero where the point belongs to none of the regions so far.
        let not_a = larger(d1, d2);
        if any_positive(not_a) {
            let bp = difference(ap, ab);
            let d3 = dot(ab, bp);
            let d4 = dot(ac, bp);
            let not_b = still_open(not_a, larger(-d3, d4 - d3));
            if any_positive(unless_positive(not_b)) {
                foot = select_vector(not_a, zero(), sum(triangle.a, ab), foot);
                part = select_greater(not_a, zero(), constant(2.0), part);
            }
            if any_positive(not_b) {
                let vc = d1 * d4 - d3 * d2;
                let not_ab = still_open(not_b, larger(vc, larger(-d1, d3)));
                if any_positive(unless_positive(not_ab)) {
                    let edge = sum(triangle.a, scaled(d1 / (d1 - d3), ab));
                    foot = select_vector(not_b, zero(), edge, foot);
                    part = select_greater(not_b, zero(), constant(4.0), part);
                }
                if any_positive(not_ab) {
                    let cp = difference(ap, ac);
                    let d5 = dot(ab, cp);
                    let d6 = dot(ac, cp);
                    let not_c = still_open(not_ab, larger(-d6, d5 - d6));
                    if any_positive(unless_positive(not_c)) {
                        foot = select_vector(not_ab, zero(), sum(triangle.a, ac), foot);
                        part = select_greater(not_ab, zero(), constant(3.0), part);
                    }
                    if any_positive(not_c) {
                        let vb = d5 * d2 - d1 * d6;
                        let not_ca = still_open(not_c, larger(vb, larger(-d2, d6)));
                        if any_positive(unless_positive(not_ca)) {
                            let edge = sum(triangle.a, scaled(d2 / (d2 - d6), ac));
                            foot = select_vector(not_c, zero(), edge, foot);
                            part = select_greater(not_c, zero(), constant(6.0), part);
                        }
                        if any_positive(not_ca) {
                            let va = d3 * d6 - d5 * d4;
                            let to_c = d4 - d3;
                            let to_b = d5 - d6;
                            face = still_open(not_ca, larger(va, larger(-to_c, -to_b)));
                            if any_positive(unless_positive(face)) {
                                let along = scaled(to_c / (to_c + to_b), difference(ac, ab));
                                let edge = sum(sum(triangle.a, ab), along);
                                foot = select_vector(not_ca, zero(), edge, foot);
                                part = select_greater(not_ca, zero(), constant(5.0), part);
                            }
                            if any_positive(face) {
                                let height = dot(ap, triangle.normal);
                                let behind = -height;
                                distance = absolute(height);
                                if any_positive(behind) {
                                    normal = select_vector(behind, zero(), negated(normal), normal);
                                }
                                let below = difference(x, scaled(height, triangle.normal));
                                foot = select_vector(face, zero(), below, foot);
                                part = select_greater(face, zero(), zero(), part);
                            }
                        }
                    }
                }
            }
        }
        let rim = unless_positive(face);
        if any_positive(rim) {
            let near = away_from(x, foot, triangle.normal, zero());
            distance = select_greater(rim, zero(), near.distance, distance);
            normal = select_vector(rim, zero(), near.normal, normal);
        }
        TriangleFoot { distance, normal, foot, part }
    }
}

impl ConeSide {
    /// Between two circles of the radii `radii` at the heights `span` [m].
    #[inline]
    pub fn new(radii: [f64; 2], span: [f64; 2]) -> Self {
        let (along_r, along_z) = (radii[1] - radii[0], span[1] - span[0]);
        let length = along_r.hypot(along_z);
        Self {
            low_radius: radii[0],
            high_radius: radii[1],
            low: span[0],
            high: span[1],
            length,
            widening: along_r / length,
            rise: along_z / length,
        }
    }
}

impl Triangle {
    /// A triangle of three corners [m]; none where it has no area.
    #[inline(always)]
    pub fn new([a, b, c]: [Vec3; 3]) -> Option<Self> {
        let (ab, ac) = (b - a, c - a);
        let cross = ab.cross(ac);
        let longest = ab.length_squared().max(ac.length_squared()).max(b.distance_squared(c));
        (cross.length() > 1e-12 * longest).then(|| Self {
            a: a.into(),
            ab: ab.into(),
            ac: ac.into(),
            normal: cross.normalize().into(),
        })
    }
}

impl TriangleFoot {
    /// The part it is on.
    #[inline(always)]
    pub fn triangle_part(&self) -> TrianglePart {
        match self.part as usize {
            0 => TrianglePart::Face,
            corner @ 1..4 => TrianglePart::Corner(corner - 1),
            edge => TrianglePart::Edge(edge - 4),
        }
    }
}
