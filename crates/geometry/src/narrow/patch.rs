//! Reduction of contacts with triangulated surfaces.

use glam::DVec3;

use super::ContactPoint;
use super::polygon::{Candidate, reduce};

/// Normals closer than this cosine (about 5°) belong to one patch.
const LIKE: f64 = 0.996;

/// Contacts of one patch closer than this part of the size are one.
const SAME: f64 = 1e-3;

/// A contact in the frame of the surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
    /// Unit, from a to b.
    pub(super) normal: DVec3,
    pub(super) gap: f64,
    pub(super) feature: u32,
}

/// Buffers of contacts before their choice.
#[derive(Clone, Debug, Default)]
pub(super) struct PatchScratch {
    pub(super) touches: Vec<Touch>,
    taken: Vec<bool>,
    chosen: Vec<Candidate>,
}

impl PatchScratch {
    /// Merges contacts that coincide and keeps four per patch of similar normals; `emit` receives the result.
    pub(super) fn finish(&mut self, size: f64, mut emit: impl FnMut(Touch)) {
        let Self { touches, taken, chosen } = self;
        taken.clear();
        taken.resize(touches.len(), false);
        let same = (SAME * size).powi(2);
        for first in 0..touches.len() {
            if taken[first] {
                continue;
            }
            let normal = touches[first].normal;
            chosen.clear();
            for i in first..touches.len() {
                if taken[i] || touches[i].normal.dot(normal) < LIKE {
                    continue;
                }
                taken[i] = true;
                let touch = touches[i];
                let twin = chosen.iter_mut().find(|c| {
                    (c.on_b - touch.on_b).length_squared() < same
                        || touches[c.feature as usize].feature == touch.feature
                });
                let candidate =
                    Candidate { on_a: touch.on_a, on_b: touch.on_b, gap: touch.gap, feature: i as u32 };
                match twin {
                    // The deeper of two that coincide counts; ties stay with the first.
                    Some(twin) if touch.gap < twin.gap - 1e-9 * size => *twin = candidate,
                    Some(_) => {}
                    None => chosen.push(candidate),
                }
            }
            reduce(chosen, normal);
            chosen.iter().for_each(|c| emit(touches[c.feature as usize]));
        }
    }
}

/// Makes the names of the contacts from `start` on unique, changing the later of two equal ones.
pub(super) fn make_unique(contacts: &mut [ContactPoint]) {
    for i in 1..contacts.len() {
        while contacts[..i].iter().any(|c| c.feature == contacts[i].feature) {
            contacts[i].feature = contacts[i].feature.wrapping_add(1);
        }
    }
}
