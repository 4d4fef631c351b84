//! Finds contacts: boxes, pairs, points, and their match in the memory.

use std::ops::Range;

use glam::DQuat;
use huygens_exec::Exec;
use huygens_geometry::narrow::{self, NarrowScratch};
use huygens_geometry::{Aabb, BroadPhase, ContactPoint, Pose, Shape};
use huygens_kernel::contact::effective_radius;

use super::defaults::ENVELOPE;
use super::{Contact, ContactMemory, ContactModel, PlacedShape};
use crate::contract::{Frame, NO_BLOCK, StateView};

/// Proxies a parallel chunk works on.
const PROXIES: usize = 256;
/// Pairs a parallel chunk works on.
const PAIRS: usize = 128;

/// Finds contacts; keeps its memory between steps and no information.
#[derive(Default)]
pub(crate) struct ContactDetector {
    placed: Vec<Placed>,
    /// Shapes of the proxies of sources that reshape, where they are not those they started with.
    reshaped: Vec<Option<PlacedShape>>,
    /// Proxies of such sources, and the place of the first in `reshaped`; ascending.
    sources: Vec<(Range<usize>, usize)>,
    boxes: Vec<Aabb>,
    broad: BroadPhase,
    pairs: Vec<[u32; 2]>,
    chunks: Vec<Chunk>,
    /// The contacts of the last call, sorted by key.
    pub contacts: Vec<Contact>,
}

/// A proxy in the world.
#[derive(Clone, Copy)]
struct Placed {
    pose: Pose,
    /// How far its surface may be from another one's to count [m].
    envelope: f64,
    moves: bool,
}

#[derive(Default)]
struct Chunk {
    contacts: Vec<Contact>,
    points: Vec<ContactPoint>,
    scratch: NarrowScratch,
}

impl ContactDetector {
    /// Finds all contacts at `x`; `reach` is the time for which motion is looked ahead [s].
    pub fn detect(
        &mut self,
        ex: &Exec,
        model: &ContactModel,
        x: &StateView<'_>,
        reach: f64,
        memory: &ContactMemory,
    ) {
        self.reshape(ex, model, x);
        self.place(ex, model, x.frames, reach);
        let placed = &self.placed;
        self.broad.pairs(
            ex,
            &self.boxes,
            |a, b| (placed[a as usize].moves || placed[b as usize].moves) && model.may_touch(a, b),
            &mut self.pairs,
        );
        self.touch(ex, model, memory);
        self.collect();
    }

    /// Pose of a proxy at the last call.
    pub fn pose(&self, proxy: usize) -> &Pose {
        &self.placed[proxy].pose
    }

    /// Whether forces move a proxy.
    pub fn moves(&self, proxy: usize) -> bool {
        self.placed[proxy].moves
    }

    /// Box around a proxy and its envelope at the last call.
    pub fn aabb(&self, proxy: usize) -> &Aabb {
        &self.boxes[proxy]
    }

    /// Shape of a proxy at the last call.
    pub fn shape<'a>(&'a self, model: &'a ContactModel, proxy: usize) -> &'a Shape {
        Shapes { model, sources: &self.sources, reshaped: &self.reshaped }.get(proxy)
    }

    /// Whether two proxies, the smaller first, had a contact at the last call.
    pub fn touches(&self, pair: [u32; 2]) -> bool {
        self.contacts.binary_search_by(|c| c.proxies.cmp(&pair)).is_ok()
    }

    fn reshape(&mut self, ex: &Exec, model: &ContactModel, x: &StateView<'_>) {
        self.sources.clear();
        let mut count = 0;
        for (k, (_, first)) in model.sources.iter().enumerate().filter(|(_, (s, _))| s.reshapes()) {
            let end = model.sources.get(k + 1).map_or(model.proxies.len(), |(_, next)| *next);
            self.sources.push((*first..end, count));
            count += end - first;
        }
        self.reshaped.resize(count, None);
        let reshaping = model.sources.iter().filter(|(s, _)| s.reshapes());
        for ((source, _), (range, at)) in reshaping.zip(&self.sources) {
            ex.for_each_chunk(&mut self.reshaped[*at..at + range.len()], PROXIES, |chunk, shapes| {
                for (k, shape) in shapes.iter_mut().enumerate() {
                    *shape = source.shape_at(chunk * PROXIES + k, x);
                }
            });
        }
    }

    fn place(&mut self, ex: &Exec, model: &ContactModel, frames: &[Frame], reach: f64) {
        let count = model.proxies.len();
        let rest = Placed { pose: Pose::IDENTITY, envelope: 0.0, moves: false };
        self.placed.resize(count, rest);
        self.boxes.resize(count, Aabb::EMPTY);
        let shapes = Shapes { model, sources: &self.sources, reshaped: &self.reshaped };
        ex.for_each_chunk(&mut self.placed, PROXIES, |chunk, placed| {
            let first = chunk * PROXIES;
            for (k, placed) in placed.iter_mut().enumerate() {
                *placed = place(&shapes, first + k, frames, reach);
            }
        });
        let placed = &self.placed;
        ex.for_each_chunk(&mut self.boxes, PROXIES, |chunk, boxes| {
            let first = chunk * PROXIES;
            for (k, aabb) in boxes.iter_mut().enumerate() {
                let p = &placed[first + k];
                *aabb = shapes.get(first + k).aabb(&p.pose).enlarged(p.envelope);
            }
        });
    }

    fn touch(&mut self, ex: &Exec, model: &ContactModel, memory: &ContactMemory) {
        let count = self.pairs.len().div_ceil(PAIRS);
        if self.chunks.len() < count {
            self.chunks.resize_with(count, Chunk::default);
        }
        let (pairs, placed) = (&self.pairs, &self.placed);
        let shapes = Shapes { model, sources: &self.sources, reshaped: &self.reshaped };
        ex.for_each_chunk(&mut self.chunks[..count], 1, |c, chunk| {
            let pairs = &pairs[c * PAIRS..((c + 1) * PAIRS).min(pairs.len())];
            chunk[0].run(model, &shapes, placed, pairs, memory);
        });
    }

    fn collect(&mut self) {
        let used = self.pairs.len().div_ceil(PAIRS);
        let total = self.chunks[..used].iter().map(|c| c.contacts.len()).sum();
        self.contacts.clear();
        self.contacts.reserve(total);
        for chunk in &self.chunks[..used] {
            self.contacts.extend_from_slice(&chunk.contacts);
        }
    }
}

/// Shapes of the proxies at a state.
struct Shapes<'a> {
    model: &'a ContactModel,
    sources: &'a [(Range<usize>, usize)],
    reshaped: &'a [Option<PlacedShape>],
}

impl<'a> Shapes<'a> {
    /// Shape and pose where they changed.
    #[inline]
    fn changed(&self, proxy: usize) -> Option<&'a PlacedShape> {
        if self.sources.is_empty() {
            return None;
        }
        let (range, at) = self.sources.iter().find(|(range, _)| range.contains(&proxy))?;
        self.reshaped[at + proxy - range.start].as_ref()
    }

    #[inline]
    fn get(&self, proxy: usize) -> &'a Shape {
        self.changed(proxy).map_or(&self.model.proxies[proxy].shape, |changed| &changed.shape)
    }
}

fn place(shapes: &Shapes<'_>, index: usize, frames: &[Frame], reach: f64) -> Placed {
    let model = shapes.model;
    let proxy = &model.proxies[index];
    let frame = &frames[proxy.frame as usize];
    let radius = model.radii[index];
    let changed = shapes.changed(index);
    let pose = changed.map_or(&proxy.pose, |changed| &changed.pose);
    let offset = frame.axes * pose.position;
    // A ball looks the same from all sides.
    let rotation = match changed.map_or(&proxy.shape, |changed| &changed.shape) {
        Shape::Sphere { .. } => DQuat::IDENTITY,
        _ => DQuat::from_mat3(&frame.axes) * pose.rotation,
    };
    let size = if radius.is_finite() { radius } else { 0.0 };
    let stretch = changed.map_or(0.0, |changed| changed.stretch_speed);
    let speed = frame.velocity.length() + frame.omega.length() * (offset.length() + size) + stretch;
    // Each partner brings half of a given envelope.
    let margin = model.settings.envelope.map_or(ENVELOPE * size, |e| 0.5 * e);
    Placed {
        pose: Pose { position: frame.origin + offset, rotation },
        envelope: margin + reach * speed,
        moves: frame.block != NO_BLOCK,
    }
}

impl Chunk {
    fn run(
        &mut self,
        model: &ContactModel,
        shapes: &Shapes<'_>,
        placed: &[Placed],
        pairs: &[[u32; 2]],
        memory: &ContactMemory,
    ) {
        self.contacts.clear();
        let Some(&[a, b]) = pairs.first() else { return };
        let mut old = memory.lower_bound([a, b, 0]);
        for &[a, b] in pairs {
            let (pa, pb) = (&model.proxies[a as usize], &model.proxies[b as usize]);
            let (at_a, at_b) = (&placed[a as usize], &placed[b as usize]);
            let envelope = at_a.envelope + at_b.envelope;
            self.points.clear();
            narrow::contacts(
                shapes.get(a as usize),
                &at_a.pose,
                shapes.get(b as usize),
                &at_b.pose,
                envelope,
                &mut self.scratch,
                &mut self.points,
            );
            if self.points.is_empty() {
                continue;
            }
            self.points.sort_unstable_by_key(|p| p.feature);
            for k in 1..self.points.len() {
                // Keys are unique whatever the narrow phase says.
                let last = self.points[k - 1].feature;
                self.points[k].feature = self.points[k].feature.max(last.saturating_add(1));
            }
            while memory.keys.get(old).is_some_and(|k| *k < [a, b, 0]) {
                old += 1;
            }
            let composite = model.table.index(pa.material, pb.material);
            let first = self.contacts.len();
            for p in &self.points {
                self.contacts.push(Contact {
                    proxies: [a, b],
                    frames: [pa.frame, pb.frame],
                    feature: p.feature,
                    composite,
                    remembered: Contact::NEW,
                    point: 0.5 * (p.point_a + p.point_b),
                    normal: p.normal,
                    gap: p.gap,
                    radius: effective_radius(p.radius_a, p.radius_b),
                });
            }
            let end = old + memory.keys[old..].iter().take_while(|k| k[..2] == [a, b]).count();
            for contact in &mut self.contacts[first..] {
                let key = contact.key();
                while old < end && memory.keys[old] < key {
                    old += 1;
                }
                if old < end && memory.keys[old] == key {
                    contact.remembered = old as u32;
                }
            }
        }
    }
}
