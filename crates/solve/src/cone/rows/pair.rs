//! Contact rows between pairs of six-column items, four contacts per batch.

use super::RowOperator;
use huygens_exec::Exec;

/// Contacts per batch: one vector register holds the same component of four contacts.
pub(crate) use huygens_exec::lanes::LANES;

/// Batches per chunk of the products.
const CHUNK: usize = 64;

/// A contact between items a and b, each with the columns (velocity, angular velocity) in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairContact {
    /// The two items; [`PairContact::GROUND`] for one that does not move.
    pub items: [u32; 2],
    /// Unit axes n (from a to b), u, w = n × u, in world coordinates.
    pub axes: [[f64; 3]; 3],
    /// From the origin of each item to the contact point, world coordinates [m].
    pub arms: [[f64; 3]; 2],
}

impl PairContact {
    /// An item without columns.
    pub const GROUND: u32 = u32::MAX;

    /// World vector of three local numbers.
    #[inline(always)]
    pub(crate) fn world(&self, l: [f64; 3]) -> [f64; 3] {
        let [n, u, w] = self.axes;
        [
            n[0] * l[0] + u[0] * l[1] + w[0] * l[2],
            n[1] * l[0] + u[1] * l[1] + w[1] * l[2],
            n[2] * l[0] + u[2] * l[1] + w[2] * l[2],
        ]
    }

    /// Local numbers of a world vector.
    #[inline(always)]
    pub(crate) fn local(&self, x: [f64; 3]) -> [f64; 3] {
        [dot(self.axes[0], x), dot(self.axes[1], x), dot(self.axes[2], x)]
    }
}

/// What the loops over contacts read of four contacts: five cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct PairBatch {
    pub normal: [[f64; LANES]; 3],
    pub arms: [[[f64; LANES]; 3]; 2],
    /// The ground, and both sides of the padding, are the item after the last.
    pub items: [[u32; LANES]; 2],
}

/// Contact rows as frames and arms.
///
/// Items are consecutive, six columns each, which is the memory layout of a batch of bodies; both the velocity and the
/// angular velocity are in world axes, so that a contact needs no rotation. A contact takes 104 bytes (normal, one
/// tangent, two arms, two items), and 72 more for the lists by which Dᵀ gathers by item, in the order of contacts: sums
/// do not depend on threads. A stored Jacobian would take 288 bytes, or 576 with rolling.
#[derive(Clone, Debug, Default)]
pub struct PairRows {
    count: usize,
    batches: Vec<PairBatch>,
    /// First tangent of each contact; the second is n × u.
    tangents: Vec<[[f64; LANES]; 3]>,
    /// First column of item 0.
    first_column: usize,
    item_count: usize,
    rolling: bool,
    /// First contact with an item that does not exist.
    wrong: Option<(usize, u32)>,
    /// Contacts of each item: `entries[starts[i]..starts[i + 1]]`, as 2 · contact + side.
    starts: Vec<u32>,
    entries: Vec<u32>,
    /// Arm of each entry times the sign of its side, and that sign: forces on side a are −F.
    signed_arms: Vec<[f64; 4]>,
}

impl PairRows {
    /// Prepares rows over `item_count` items whose columns begin at `first_column`; `rolling` adds the three rows
    /// of relative angular velocity (τ_n, τ_u, τ_w) to each contact.
    pub fn new(first_column: usize, item_count: usize, rolling: bool) -> Self {
        Self { first_column, item_count, rolling, starts: vec![0; item_count + 1], ..Self::default() }
    }

    /// Replaces the contacts; allocates only to grow.
    pub fn set(&mut self, ex: &Exec, contacts: &[PairContact]) {
        let ground = self.item_count as u32;
        self.count = contacts.len();
        let batch_count = contacts.len().div_ceil(LANES);
        let (none, empty) = ([[0.0; LANES]; 3], [[ground; LANES]; 2]);
        self.batches.resize(batch_count, PairBatch { normal: none, arms: [none; 2], items: empty });
        self.tangents.resize(batch_count, none);
        ex.for_each_chunk(&mut self.batches, CHUNK, |chunk, batches| {
            for (contacts, batch) in contacts[CHUNK * LANES * chunk..].chunks(LANES).zip(batches) {
                *batch = PairBatch { normal: none, arms: [none; 2], items: empty };
                for (lane, contact) in contacts.iter().enumerate() {
                    for c in 0..3 {
                        batch.normal[c][lane] = contact.axes[0][c];
                        batch.arms[0][c][lane] = contact.arms[0][c];
                        batch.arms[1][c][lane] = contact.arms[1][c];
                    }
                    (0..2).for_each(|side| batch.items[side][lane] = contact.items[side].min(ground));
                }
            }
        });
        ex.for_each_chunk(&mut self.tangents, CHUNK, |chunk, tangents| {
            for (contacts, tangent) in contacts[CHUNK * LANES * chunk..].chunks(LANES).zip(tangents) {
                *tangent = none;
                for (lane, contact) in contacts.iter().enumerate() {
                    (0..3).for_each(|c| tangent[c][lane] = contact.axes[1][c]);
                }
            }
        });
        let exists = |&item: &u32| item < ground || item == PairContact::GROUND;
        self.wrong = contacts
            .iter()
            .enumerate()
            .find_map(|(k, c)| c.items.into_iter().find(|item| !exists(item)).map(|item| (k, item)));
        self.list_by_item(ex, contacts);
    }

    /// A counting sort of the contacts of each item, in the order of contacts.
    fn list_by_item(&mut self, ex: &Exec, contacts: &[PairContact]) {
        let count = self.item_count;
        self.starts.clear();
        self.starts.resize(count + 2, 0);
        for item in contacts.iter().flat_map(|c| c.items).filter(|&i| (i as usize) < count) {
            self.starts[item as usize + 2] += 1;
        }
        (0..=count).for_each(|i| self.starts[i + 1] += self.starts[i]);
        let entry_count = self.starts[count + 1] as usize;
        self.entries.resize(entry_count, 0);
        // While entries are placed, `starts[i + 1]` is where item i goes on; at the end it is where it ends.
        for (k, contact) in contacts.iter().enumerate() {
            for (side, &item) in contact.items.iter().enumerate() {
                if (item as usize) < count {
                    let next = &mut self.starts[item as usize + 1];
                    self.entries[*next as usize] = (2 * k + side) as u32;
                    *next += 1;
                }
            }
        }
        self.starts.truncate(count + 1);
        self.signed_arms.resize(entry_count, [0.0; 4]);
        let entries = &self.entries;
        ex.for_each_chunk(&mut self.signed_arms, 1024, |chunk, arms| {
            for (arm, &entry) in arms.iter_mut().zip(&entries[1024 * chunk..]) {
                let (contact, side) = (&contacts[entry as usize / 2], entry as usize % 2);
                let (sign, [x, y, z]) = (if side == 1 { 1.0 } else { -1.0 }, contact.arms[side]);
                *arm = [sign * x, sign * y, sign * z, sign];
            }
        });
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.count
    }

    /// One contact, as given (w = n × u).
    #[inline]
    pub fn contact(&self, index: usize) -> PairContact {
        assert!(index < self.count, "contact {index} of {}", self.count);
        let (batch, lane) = (&self.batches[index / LANES], index % LANES);
        // Spelled out: every solver reads all contacts before it begins.
        let (n, u) = (lane_of(&batch.normal, lane), lane_of(&self.tangents[index / LANES], lane));
        let arms = [lane_of(&batch.arms[0], lane), lane_of(&batch.arms[1], lane)];
        PairContact { items: self.items(index), axes: [n, u, cross(n, u)], arms }
    }

    /// Items of one contact.
    #[inline]
    pub(crate) fn items(&self, index: usize) -> [u32; 2] {
        let items = &self.batches[index / LANES].items;
        let named = |item: u32| if (item as usize) < self.item_count { item } else { PairContact::GROUND };
        [named(items[0][index % LANES]), named(items[1][index % LANES])]
    }

    /// The contacts, in order.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = PairContact> + '_ {
        (0..self.count).map(|k| self.contact(k))
    }

    /// First column of item 0.
    pub fn first_column(&self) -> usize {
        self.first_column
    }

    /// Number of items, six columns each.
    pub fn item_count(&self) -> usize {
        self.item_count
    }

    /// Whether contacts have the three rows of relative angular velocity.
    pub fn is_rolling(&self) -> bool {
        self.rolling
    }

    /// Rows of each contact: 3, or 6 with rolling.
    pub fn rows_per_contact(&self) -> usize {
        if self.rolling { 6 } else { 3 }
    }

    /// The first contact that refers to a nonexistent item, and that item.
    pub(crate) fn wrong_item(&self) -> Option<(usize, u32)> {
        self.wrong
    }

    pub(crate) fn batches(&self) -> &[PairBatch] {
        &self.batches
    }

    /// First tangents of each batch; the second are n × u.
    pub(crate) fn tangents(&self) -> &[[[f64; LANES]; 3]] {
        &self.tangents
    }

    /// Contacts of one item as 2 · contact + side, each with its arm times the sign of the side, and that sign.
    #[inline(always)]
    pub(crate) fn entries_of(&self, item: usize) -> (&[u32], &[[f64; 4]]) {
        let range = self.starts[item] as usize..self.starts[item + 1] as usize;
        (&self.entries[range.clone()], &self.signed_arms[range])
    }
}

impl RowOperator for PairRows {
    fn rows(&self) -> usize {
        self.count * self.rows_per_contact()
    }

    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]) {
        let width = self.rows_per_contact();
        let item = |index: u32| -> [f64; 6] {
            let at = self.first_column + 6 * index as usize;
            if (index as usize) < self.item_count { std::array::from_fn(|i| v[at + i]) } else { [0.0; 6] }
        };
        ex.for_each_chunk(y, CHUNK * LANES * width, |chunk, y| {
            for (k, y) in y.chunks_exact_mut(width).enumerate() {
                let contact = self.contact(CHUNK * LANES * chunk + k);
                let [a, b] = contact.items.map(item);
                let slip: [f64; 3] = {
                    let turned_a = cross([a[3], a[4], a[5]], contact.arms[0]);
                    let turned_b = cross([b[3], b[4], b[5]], contact.arms[1]);
                    std::array::from_fn(|i| (b[i] + turned_b[i]) - (a[i] + turned_a[i]))
                };
                let spin: [f64; 3] = std::array::from_fn(|i| b[3 + i] - a[3 + i]);
                for i in 0..3 {
                    y[i] = dot(contact.axes[i], slip);
                    if self.rolling {
                        y[3 + i] = dot(contact.axes[i], spin);
                    }
                }
            }
        });
    }

    fn squares(&self, ex: &Exec, a: &[f64], y: &mut [f64]) -> bool {
        let width = self.rows_per_contact();
        ex.for_each_chunk(y, CHUNK * LANES * width, |chunk, y| {
            for (k, y) in y.chunks_exact_mut(width).enumerate() {
                let contact = self.contact(CHUNK * LANES * chunk + k);
                y.fill(0.0);
                for (side, &item) in contact.items.iter().enumerate() {
                    if item as usize >= self.item_count {
                        continue;
                    }
                    let a = &a[self.first_column + 6 * item as usize..][..6];
                    for i in 0..3 {
                        let axis = contact.axes[i];
                        let turn = cross(contact.arms[side], axis);
                        y[i] +=
                            (0..3).map(|c| a[c] * axis[c].powi(2) + a[3 + c] * turn[c].powi(2)).sum::<f64>();
                        if self.rolling {
                            y[3 + i] += (0..3).map(|c| a[3 + c] * axis[c].powi(2)).sum::<f64>();
                        }
                    }
                }
            }
        });
        true
    }

    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]) {
        let width = self.rows_per_contact();
        let items = &mut f[self.first_column..self.first_column + 6 * self.item_count];
        ex.for_each_chunk(items, 6 * 128, |chunk, f| {
            for (k, f) in f.chunks_exact_mut(6).enumerate() {
                let (entries, arms) = self.entries_of(128 * chunk + k);
                for (&entry, &[x, y, z, sign]) in entries.iter().zip(arms) {
                    let k = entry as usize / 2;
                    let axes = self.contact(k).axes;
                    let combine = |l: &[f64]| -> [f64; 3] {
                        std::array::from_fn(|i| axes[0][i] * l[0] + axes[1][i] * l[1] + axes[2][i] * l[2])
                    };
                    let force = combine(&l[k * width..]);
                    let torque = cross([x, y, z], force);
                    let couple = if self.rolling { combine(&l[k * width + 3..]) } else { [0.0; 3] };
                    for i in 0..3 {
                        f[i] += sign * force[i];
                        f[3 + i] += torque[i] + sign * couple[i];
                    }
                }
            }
        });
    }
}

/// One contact's vector of a batch.
#[inline(always)]
fn lane_of(batch: &[[f64; LANES]; 3], lane: usize) -> [f64; 3] {
    [batch[0][lane], batch[1][lane], batch[2][lane]]
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
