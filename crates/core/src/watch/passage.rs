//! Shapes that pass into or through others within one step.

use glam::DVec3;
use huygens_geometry::{Aabb, Pose, query};

use crate::contact::{ContactDetector, ContactModel};
use crate::contract::{Frame, ItemKind, NO_BLOCK};
use crate::model::Model;
use crate::state::State;
use crate::watch::Finding;

/// Largest number of reported passages; beyond it the step must be shortened anyway.
const MOST: usize = 8;
/// Pairs of boxes that are compared in a step: fast bodies among many others must not cost more than the step.
const PAIRS: usize = 1 << 16;

/// Monitors proxies that travel further in a step than their thickness.
///
/// The contact search covers the distance that shapes may travel at the velocity at the beginning of a step. The
/// distance that the step itself adds is not included: a ball that starts from rest falls $h^2g$ in the first step, and
/// may then be on the other side of a floor. A shape is checked if it travels further than half of its least width: the
/// path of its centre, relative to the other shape, is intersected with the surface of every shape with which it may
/// collide but has no contact.
pub(crate) struct PassageWatch {
    /// Half of the smallest width of each proxy [m].
    thickness: Vec<f64>,
    /// The smallest of all moving proxies [m].
    thinnest: f64,
    /// Proxies that have been reported.
    told: Vec<u32>,
}

impl PassageWatch {
    pub fn new(model: &Model, frames: &[Frame]) -> Self {
        let proxies = model.contact.as_ref().map_or(&[][..], |c| &c.proxies);
        let thickness: Vec<f64> = proxies
            .iter()
            .map(|p| {
                let aabb = p.shape.aabb(&Pose::IDENTITY);
                0.5 * (aabb.max - aabb.min).min_element()
            })
            .collect();
        let moving = proxies.iter().zip(&thickness);
        let moving = moving.filter(|(p, _)| frames[p.frame as usize].block != NO_BLOCK);
        let thinnest = moving.fold(f64::INFINITY, |m: f64, (_, t)| m.min(*t));
        Self { thickness, thinnest, told: Vec::new() }
    }

    /// Checks the step of size `h` [s] that ended at `state`, with `frames` there; `detector` holds its beginning.
    pub fn check(
        &mut self,
        model: &Model,
        detector: &ContactDetector,
        frames: &[Frame],
        state: &State,
        h: f64,
        findings: &mut Vec<Finding>,
    ) {
        let Some(contact) = &model.contact else { return };
        if self.told.len() >= MOST || h * fastest(model, state) <= self.thinnest {
            return;
        }
        let mut left = PAIRS;
        for k in 0..contact.proxies.len() {
            if self.told.len() >= MOST || left == 0 {
                return;
            }
            if !detector.moves(k) {
                continue;
            }
            let moved = travel(contact, detector, frames, k);
            if moved.length_squared() <= self.thickness[k] * self.thickness[k]
                || self.told.contains(&(k as u32))
            {
                continue;
            }
            if let Some((other, path)) = self.passed(contact, detector, frames, k, moved, &mut left) {
                self.told.push(k as u32);
                let speed = path / h;
                findings.push(Finding::Passage {
                    mover: contact.proxy_name(k as u32),
                    other: contact.proxy_name(other),
                    speed,
                    safe_step: self.thickness[k] / speed,
                    time: state.time,
                });
            }
        }
    }

    /// The first proxy that proxy `k` has passed, and the length of the path [m].
    fn passed(
        &self,
        contact: &ContactModel,
        detector: &ContactDetector,
        frames: &[Frame],
        k: usize,
        moved: DVec3,
        left: &mut usize,
    ) -> Option<(u32, f64)> {
        let start = detector.pose(k).position;
        for other in (0..contact.proxies.len()).filter(|&o| o != k) {
            *left = left.checked_sub(1)?;
            let path = moved - travel(contact, detector, frames, other);
            let swept = Aabb::of_points([start, start + path]);
            let length = path.length();
            if length <= self.thickness[k] || !swept.overlaps(detector.aabb(other)) {
                continue;
            }
            let pair = [k.min(other) as u32, k.max(other) as u32];
            if !contact.may_touch(pair[0], pair[1]) || detector.touches(pair) {
                continue;
            }
            let pose = detector.pose(other);
            // A ray from inside starts beyond the surface; such shapes overlapped before.
            let hit = query::ray_cast(detector.shape(contact, other), pose, start, path / length, length);
            if hit.is_some_and(|hit| hit.distance > 0.0) {
                return Some((other as u32, length));
            }
        }
        None
    }
}

/// The largest speed of a body, node or marker [m/s].
fn fastest(model: &Model, state: &State) -> f64 {
    let moving = model.coordinates.iter().filter(|e| e.shape.kind != ItemKind::Other);
    let items = moving.flat_map(|e| state.v[e.v_range()].chunks_exact(e.shape.v_per_item));
    items.fold(0.0f64, |m, v| m.max(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])).sqrt()
}

/// Distance that the centre of a proxy has moved since the contact search [m].
fn travel(contact: &ContactModel, detector: &ContactDetector, frames: &[Frame], proxy: usize) -> DVec3 {
    let p = &contact.proxies[proxy];
    let frame = &frames[p.frame as usize];
    frame.origin + frame.axes * p.pose.position - detector.pose(proxy).position
}
