//! Rigid transforms.

use glam::{DQuat, DVec3};

/// A rigid transform: maps local coordinates to world coordinates, $x = p + R\,x_\text{local}$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// World position of the local origin [m].
    pub position: DVec3,
    /// Rotation from local to world axes; a unit quaternion.
    pub rotation: DQuat,
}

impl Pose {
    /// No displacement, no rotation.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Pose at `position` [m] with orientation `rotation`.
    pub const fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation }
    }

    /// Pose at `position` [m] without rotation.
    pub const fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// The inverse transform.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { position: rotation * -self.position, rotation }
    }

    /// World coordinates of the local point `p`.
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.position + self.rotation * p
    }

    /// World components of the local vector `v`.
    pub fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// Local coordinates of the world point `p`.
    pub fn local_point(&self, p: DVec3) -> DVec3 {
        self.rotation.conjugate() * (p - self.position)
    }

    /// Local components of the world vector `v`.
    pub fn local_vector(&self, v: DVec3) -> DVec3 {
        self.rotation.conjugate() * v
    }

    /// Whether all seven numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl std::ops::Mul for Pose {
    type Output = Self;

    /// Composition: `(a * b).point(p) == a.point(b.point(p))`.
    fn mul(self, rhs: Self) -> Self {
        Self { position: self.point(rhs.position), rotation: self.rotation * rhs.rotation }
    }
}
