//! Axis-aligned boxes.

use glam::DVec3;

/// An axis-aligned box in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates [m].
    pub min: DVec3,
    /// Largest coordinates [m].
    pub max: DVec3,
}

impl Aabb {
    /// The empty box.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// Box between two corners [m].
    pub const fn new(min: DVec3, max: DVec3) -> Self {
        Self { min, max }
    }

    /// Box around `center` with half edges `half` [m].
    pub fn around(center: DVec3, half: DVec3) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// Smallest box around `points`.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Whether the two boxes share a point (touching counts).
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether `point` lies in the box or on its surface.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Smallest box around both.
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `margin` [m] on all sides.
    pub fn enlarged(&self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Lengths of the edges [m].
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// The centre [m].
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }
}
