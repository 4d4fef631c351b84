//! Kinds of joints: the rows they are made of, their coordinates, and how descriptions name them.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::function::{Curve3, Function};
use huygens_spec::{JointType, check_axis};

use super::CoordinateKind;
use crate::rows::AnglePairs;

/// What a joint fixes. The z axis of its frames is the main axis; rows are written with frame A as the base.
#[derive(Clone, Debug)]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// Rotation about z.
    Revolute,
    /// Translation along z.
    Prismatic,
    /// Rotation about and translation along z.
    Cylindrical,
    /// Rotation about the common point.
    Spherical,
    /// Translation in the x–y plane of A and rotation about z.
    Planar,
    /// Rotation about x of A and y of B (Hooke's joint).
    Universal,
    /// Two rotations with equal angular speed of both shafts along z.
    ConstantVelocity,
    /// B's point stays on A's z axis.
    PointOnLine,
    /// B's point stays in A's x–y plane.
    PointOnPlane,
    /// B's point stays on a curve given in A's axes.
    PointOnCurve(Arc<Curve3>),
    /// The z axes stay parallel.
    ParallelAxes,
    /// A's z axis stays perpendicular to B's z axis.
    PerpendicularAxes,
    /// The two points keep their distance [m].
    Distance(f64),
    /// A massless link with a revolute joint at A (axis z) and a ball at B, of given length [m].
    RevoluteSpherical(f64),
    /// A massless link with a revolute joint at A (axis z) that slides along B's x axis at offset [m] along B's y.
    RevoluteTranslational(f64),
    /// Rotation about z coupled to translation along z by a pitch [m per turn].
    Screw(f64),
    /// Any of the six freedoms locked: x, y, z, rotations about x, y, z.
    Generic([bool; 6]),
    /// B follows a motion given in A's axes: displacement [m], then rotation about `axis` by `angle` [rad].
    Trajectory {
        /// Displacement along A's axes [m].
        translation: [Function; 3],
        /// Axis of rotation in A's axes, unit length.
        axis: DVec3,
        /// Angle [rad].
        angle: Function,
    },
}

/// One row or group of rows of a joint.
#[derive(Clone, Debug)]
pub(crate) enum Primitive {
    /// Points coincide: three rows in world axes.
    Point,
    /// Axis `0` of A is perpendicular to axis `1` of B.
    AxisDot(usize, usize),
    /// $a_x\cdot b_y - a_y\cdot b_x = 0$.
    EqualTwist,
    /// B's point has this coordinate along A's axis.
    Coordinate(usize, f64),
    /// A's point has this coordinate along B's axis.
    CoordinateInB(usize, f64),
    /// Points keep a distance.
    Distance(f64),
    /// B's point stays on a curve: two rows.
    Curve(Arc<Curve3>),
}

impl Primitive {
    pub fn rows(&self) -> usize {
        match self {
            Primitive::Point => 3,
            Primitive::Curve(_) => 2,
            _ => 1,
        }
    }

    /// Whether the rows turn with the axes of A, and with those of B.
    fn axes(&self) -> [bool; 2] {
        match self {
            Primitive::Point | Primitive::Distance(_) => [false, false],
            Primitive::AxisDot(..) | Primitive::EqualTwist => [true, true],
            Primitive::Coordinate(..) | Primitive::Curve(_) => [true, false],
            Primitive::CoordinateInB(..) => [false, true],
        }
    }

    pub fn row_name(&self, row: usize) -> String {
        const AXIS: [&str; 3] = ["x", "y", "z"];
        match self {
            Primitive::Point => format!("position along world {}", AXIS[row]),
            Primitive::AxisDot(i, j) => format!("{} of A perpendicular to {} of B", AXIS[*i], AXIS[*j]),
            Primitive::EqualTwist => "equal twist".into(),
            Primitive::Coordinate(k, _) => format!("position along {} of A", AXIS[*k]),
            Primitive::CoordinateInB(k, _) => format!("position along {} of B", AXIS[*k]),
            Primitive::Distance(_) => "distance".into(),
            Primitive::Curve(_) => format!("distance from the curve, normal {}", row + 1),
        }
    }
}

const ROTATION: AnglePairs = [(1, 0), (0, 0)];

impl JointKind {
    /// The rows the joint is made of (the coupling row of a screw is made elsewhere).
    pub(crate) fn primitives(&self) -> Vec<Primitive> {
        use Primitive::{AxisDot, Coordinate, CoordinateInB, Curve, Distance, EqualTwist, Point};
        let parallel = [AxisDot(0, 2), AxisDot(1, 2)];
        let locked = [AxisDot(0, 1), AxisDot(0, 2), AxisDot(1, 2)];
        let on_line = [Coordinate(0, 0.0), Coordinate(1, 0.0)];
        let list = |parts: &[&[Primitive]]| parts.concat();
        match self {
            Self::Fixed | Self::Trajectory { .. } => list(&[&[Point], &locked]),
            Self::Revolute => list(&[&[Point], &parallel]),
            Self::Prismatic => list(&[&on_line, &locked]),
            Self::Cylindrical | Self::Screw(_) => list(&[&on_line, &parallel]),
            Self::Spherical => vec![Point],
            Self::Planar => list(&[&[Coordinate(2, 0.0)], &parallel]),
            Self::Universal => vec![Point, AxisDot(0, 1)],
            Self::ConstantVelocity => vec![Point, EqualTwist],
            Self::PointOnLine => on_line.to_vec(),
            Self::PointOnPlane => vec![Coordinate(2, 0.0)],
            Self::PointOnCurve(curve) => vec![Curve(curve.clone())],
            Self::ParallelAxes => parallel.to_vec(),
            Self::PerpendicularAxes => vec![AxisDot(2, 2)],
            Self::Distance(length) => vec![Distance(*length)],
            Self::RevoluteSpherical(length) => vec![Coordinate(2, 0.0), Distance(*length)],
            Self::RevoluteTranslational(offset) => {
                list(&[&[AxisDot(2, 0), AxisDot(2, 1), Coordinate(2, 0.0)], &[CoordinateInB(1, -offset)]])
            }
            Self::Generic(locks) => generic(locks),
        }
    }

    /// The joint that a description says, between points at a `distance` [m]; otherwise the key that is wrong, and what
    /// is wrong with it.
    pub fn described(spec: &JointType, distance: f64) -> Result<Self, (&'static str, String)> {
        Ok(match spec {
            JointType::Fixed => Self::Fixed,
            JointType::Revolute => Self::Revolute,
            JointType::Prismatic => Self::Prismatic,
            JointType::Cylindrical => Self::Cylindrical,
            JointType::Spherical => Self::Spherical,
            JointType::Planar => Self::Planar,
            JointType::Universal => Self::Universal,
            JointType::ConstantVelocity => Self::ConstantVelocity,
            JointType::PointOnLine => Self::PointOnLine,
            JointType::PointOnPlane => Self::PointOnPlane,
            JointType::PointOnCurve { points, closed } => {
                let points = points.iter().map(|p| DVec3::from_array(*p)).collect();
                let curve = Curve3::new(points, *closed).map_err(|e| ("points", e.to_string()))?;
                Self::PointOnCurve(Arc::new(curve))
            }
            JointType::ParallelAxes => Self::ParallelAxes,
            JointType::PerpendicularAxes => Self::PerpendicularAxes,
            JointType::Distance { length: given } => Self::Distance(length(*given, distance)?),
            JointType::RevoluteSpherical { length: given } => {
                Self::RevoluteSpherical(length(*given, distance)?)
            }
            JointType::RevoluteTranslational { offset } => Self::RevoluteTranslational(*offset),
            JointType::Screw { pitch } => Self::Screw(*pitch),
            JointType::Generic { lock } => {
                let mut locked = [false; 6];
                lock.iter().for_each(|f| locked[*f as usize] = true);
                Self::Generic(locked)
            }
            JointType::Trajectory { translation, motion_axis, angle } => {
                let axis = check_axis(*motion_axis).map_err(|e| ("motion_axis", e))?;
                let check = |key, f: &Function| f.validate().map_err(|e| (key, e.to_string()));
                translation.iter().try_for_each(|f| check("translation", f))?;
                check("angle", angle)?;
                Self::Trajectory { translation: translation.clone(), axis, angle: angle.clone() }
            }
        })
    }

    /// Whether it needs the rotation of A, and that of B: a point without axes can be on the other sides only.
    pub fn needs_axes(&self) -> [bool; 2] {
        let of_rows = self.primitives().into_iter().map(|rows| rows.axes());
        let of_coordinates = self.coordinates().into_iter().map(|(_, kind)| match kind {
            CoordinateKind::Length => [false, false],
            CoordinateKind::Displacement(_) | CoordinateKind::Polar => [true, false],
            CoordinateKind::Angle(_) | CoordinateKind::Shaft(..) => [true, true],
        });
        of_rows.chain(of_coordinates).fold([false; 2], |all, one| [all[0] || one[0], all[1] || one[1]])
    }

    /// Names of the joint's coordinates, by index; those that start with `angle` are rotations [rad], the others
    /// lengths [m].
    pub fn coordinate_names(&self) -> Vec<&'static str> {
        self.coordinates().into_iter().map(|c| c.0).collect()
    }

    /// Names and kinds of the joint's coordinates.
    pub(crate) fn coordinates(&self) -> Vec<(&'static str, CoordinateKind)> {
        use CoordinateKind::{Angle, Displacement, Length};
        let angle = ("angle", Angle(ROTATION));
        let along = |name, k| (name, Displacement(k));
        match self {
            Self::Revolute => vec![angle],
            Self::Prismatic => vec![along("displacement", 2)],
            Self::Cylindrical | Self::Screw(_) => vec![angle, along("displacement", 2)],
            Self::Planar => vec![along("x", 0), along("y", 1), angle],
            Self::Universal => {
                vec![("angle_a", Angle([(2, 1), (1, 1)])), ("angle_b", Angle([(0, 2), (0, 0)]))]
            }
            Self::PointOnLine => vec![along("displacement", 2)],
            Self::PointOnPlane => vec![along("x", 0), along("y", 1)],
            Self::ParallelAxes => vec![along("x", 0), along("y", 1), along("z", 2), angle],
            Self::Spherical | Self::PerpendicularAxes | Self::PointOnCurve(_) | Self::ConstantVelocity => {
                vec![]
            }
            Self::RevoluteSpherical(_) | Self::Distance(_) => vec![("length", Length)],
            Self::RevoluteTranslational(_) => vec![angle],
            Self::Fixed | Self::Trajectory { .. } => vec![],
            Self::Generic(locks) => {
                let mut list: Vec<(&'static str, CoordinateKind)> = ["x", "y", "z"]
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| !locks[*k])
                    .map(|(k, name)| along(name, k))
                    .collect();
                if locks[3] && locks[4] && !locks[5] {
                    list.push(angle);
                }
                list
            }
        }
    }
}

fn length(given: Option<f64>, distance: f64) -> Result<f64, (&'static str, String)> {
    match given {
        Some(length) => Ok(length),
        None if distance > 1e-9 => Ok(distance),
        None => Err(("length", "both points coincide at the start, so `length` must be given".into())),
    }
}

fn generic(locks: &[bool; 6]) -> Vec<Primitive> {
    use Primitive::{AxisDot, Coordinate, Point};
    let mut rows = Vec::new();
    if locks[..3] == [true; 3] {
        rows.push(Point);
    } else {
        rows.extend((0..3).filter(|&k| locks[k]).map(|k| Coordinate(k, 0.0)));
    }
    match [locks[3], locks[4], locks[5]] {
        [false, false, false] => {}
        [true, true, true] => rows.extend([AxisDot(0, 1), AxisDot(0, 2), AxisDot(1, 2)]),
        // One free rotation, about k: the axes k stay parallel.
        [true, true, false] => rows.extend([AxisDot(0, 2), AxisDot(1, 2)]),
        [true, false, true] => rows.extend([AxisDot(0, 1), AxisDot(2, 1)]),
        [false, true, true] => rows.extend([AxisDot(1, 0), AxisDot(2, 0)]),
        // One locked rotation, about k: the other two axes stay perpendicular crosswise.
        [true, false, false] => rows.push(AxisDot(1, 2)),
        [false, true, false] => rows.push(AxisDot(2, 0)),
        [false, false, true] => rows.push(AxisDot(0, 1)),
    }
    rows
}
