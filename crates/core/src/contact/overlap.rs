//! Finds shapes that start deep inside each other.

use glam::DQuat;
use huygens_exec::Exec;
use huygens_geometry::narrow::{self, NarrowScratch};
use huygens_geometry::{Aabb, BroadPhase, Pose};

use super::ContactModel;
use crate::contract::{Frame, NO_BLOCK};

/// Depth above which an overlap is deep, as a share of the smaller bounding radius.
const DEEP: f64 = 0.05;

/// Two shapes that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The two proxies, smaller index first.
    pub proxies: [u32; 2],
    /// How deep [m].
    pub depth: f64,
}

impl ContactModel {
    /// Pairs of proxies that may touch and overlap by more than a twentieth of the smaller one's bounding radius with the
    /// frames at `frames`, deepest first.
    pub fn deep_overlaps(&self, ex: &Exec, frames: &[Frame]) -> Vec<Overlap> {
        let proxies = self.proxies();
        let poses: Vec<Pose> = proxies
            .iter()
            .map(|p| {
                let f = &frames[p.frame as usize];
                Pose { position: f.origin, rotation: DQuat::from_mat3(&f.axes) } * p.pose
            })
            .collect();
        let moves: Vec<bool> = proxies.iter().map(|p| frames[p.frame as usize].block != NO_BLOCK).collect();
        let boxes: Vec<Aabb> = proxies.iter().zip(&poses).map(|(p, pose)| p.shape.aabb(pose)).collect();
        let mut pairs = Vec::new();
        let keep = |a: u32, b: u32| (moves[a as usize] || moves[b as usize]) && self.may_touch(a, b);
        BroadPhase::new().pairs(ex, &boxes, keep, &mut pairs);
        let (mut scratch, mut points, mut found) = (NarrowScratch::default(), Vec::new(), Vec::new());
        for [a, b] in pairs {
            let (pa, pb) = (&proxies[a as usize].shape, &proxies[b as usize].shape);
            points.clear();
            narrow::contacts(pa, &poses[a as usize], pb, &poses[b as usize], 0.0, &mut scratch, &mut points);
            let depth = points.iter().fold(0.0, |d: f64, p| d.max(-p.gap));
            if depth > 0.0 && depth > DEEP * pa.bounding_radius().min(pb.bounding_radius()) {
                found.push(Overlap { proxies: [a, b], depth });
            }
        }
        found.sort_by(|x, y| y.depth.total_cmp(&x.depth).then(x.proxies.cmp(&y.proxies)));
        found
    }
}
