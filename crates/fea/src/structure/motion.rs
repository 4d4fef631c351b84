//! Axes of a node and how they turn, from its numbers in the state.

use glam::{DMat3, DQuat, DVec3};
use huygens_kernel::corotated::{Corotated, polar_rotation};

use super::{Node, NodeKind};
use crate::node::spin::Spin;

/// Vector `k` of the numbers of a node: its place or velocity first.
fn vector(from: &[f64], k: usize) -> Option<DVec3> {
    Some(DVec3::from_slice(from.get(3 * k..3 * k + 3)?))
}

impl Node {
    /// The gradients of a node; with two slopes the third is the unit vector across both.
    fn gradients(&self, q: &[f64]) -> Option<DMat3> {
        let (a, b) = (vector(q, 1)?, vector(q, 2)?);
        let c = match self.kind {
            NodeKind::Slopes => a.cross(b).try_normalize()?,
            _ => vector(q, 3)?,
        };
        Some(DMat3::from_cols(a, b, c))
    }

    /// Rates of [`Node::gradients`].
    fn gradient_rates(&self, q: &[f64], v: &[f64]) -> Option<DMat3> {
        let (u, w) = (vector(v, 1)?, vector(v, 2)?);
        let rate = match self.kind {
            NodeKind::Slopes => {
                let (a, b) = (vector(q, 1)?, vector(q, 2)?);
                let (across, rate) = (a.cross(b), u.cross(b) + a.cross(w));
                let normal = across.try_normalize()?;
                (rate - normal * normal.dot(rate)) / across.length()
            }
            _ => vector(v, 3)?,
        };
        Some(DMat3::from_cols(u, w, rate))
    }

    /// Axes of the node, `world_from_node`, where `q` are its positions. Those of a node with gradients, or
    /// two slopes and the unit vector across them, are the rotation nearest to them; those of one with a slope are the starting ones by the least turn; those of a point
    /// stay. None for slopes without a length and gradients that span no volume.
    pub fn rotation_at(&self, q: &[f64]) -> Option<DQuat> {
        let rest = self.rotation.normalize();
        match self.kind {
            NodeKind::Point => Some(rest),
            NodeKind::Frame => Some(DQuat::from_slice(q.get(3..7)?)),
            NodeKind::Slope => {
                let x = vector(q, 1)?.try_normalize()?;
                Some(DQuat::from_rotation_arc(rest * DVec3::X, x) * rest)
            }
            NodeKind::Slopes | NodeKind::Gradients => {
                Some(DQuat::from_mat3(&polar_rotation(&self.gradients(q)?)?))
            }
        }
    }

    /// Angular velocity [rad/s] of the node, world axes, where `q` are its positions and `v` its velocities: of its axes,
    /// of its slope, or of the rotation nearest to its gradients, the rate of [`Node::rotation_at`]. None where that is.
    pub fn angular_velocity_at(&self, q: &[f64], v: &[f64]) -> Option<DVec3> {
        match self.kind {
            NodeKind::Point => Some(DVec3::ZERO),
            NodeKind::Frame => Some(self.rotation_at(q)? * vector(v, 1)?),
            NodeKind::Slope => {
                let (u, rate) = (vector(q, 1)?, vector(v, 1)?);
                Some(u.cross(rate) / u.length_squared()).filter(|w| w.is_finite())
            }
            NodeKind::Slopes | NodeKind::Gradients => {
                let spin = Spin::new(&Corotated::new(&self.gradients(q)?)?);
                Some(spin.rotation * spin.changes(&self.gradient_rates(q, v)?).0)
            }
        }
    }
}
