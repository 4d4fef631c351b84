//! Where remembered contacts are.

use glam::DQuat;
use huygens_geometry::Pose;
use huygens_geometry::narrow::{self, NarrowScratch};

use super::{Contact, ContactModel};
use crate::contract::Frame;

/// Distance within which features are looked for, as a share of the smaller bounding radius.
const REACH: f64 = 0.1;

impl ContactModel {
    /// The contacts of these keys, in their order, with the frames at `frames`. A state from a checkpoint remembers
    /// which features touch, but not where.
    pub fn locate(&self, keys: &[[u32; 3]], frames: &[Frame]) -> Vec<Contact> {
        let place = |proxy: u32| {
            let p = &self.proxies()[proxy as usize];
            let f = &frames[p.frame as usize];
            Pose { position: f.origin, rotation: DQuat::from_mat3(&f.axes) } * p.pose
        };
        let (mut scratch, mut points) = (NarrowScratch::default(), Vec::new());
        let mut found = Vec::new();
        for group in keys.chunk_by(|x, y| x[..2] == y[..2]) {
            let [a, b, _] = group[0];
            let (pa, pb) = (&self.proxies()[a as usize], &self.proxies()[b as usize]);
            let reach = REACH * pa.shape.bounding_radius().min(pb.shape.bounding_radius());
            points.clear();
            narrow::contacts(&pa.shape, &place(a), &pb.shape, &place(b), reach, &mut scratch, &mut points);
            for key in group {
                let Some(p) = points.iter().find(|p| p.feature == key[2]) else { continue };
                found.push(Contact {
                    proxies: [a, b],
                    frames: [pa.frame, pb.frame],
                    feature: key[2],
                    composite: 0,
                    remembered: Contact::NEW,
                    point: 0.5 * (p.point_a + p.point_b),
                    normal: p.normal,
                    gap: p.gap,
                    radius: 1.0 / (1.0 / p.radius_a + 1.0 / p.radius_b),
                });
            }
        }
        found
    }
}
