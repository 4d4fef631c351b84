//! The rows D of a cone problem, and their products.

use huygens_exec::Exec;

/// Rows applied rather than stored: density rows of a fluid read the neighbour list, for example.
pub trait RowOperator: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// y ← D v.
    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]);
    /// f ← f + Dᵀ l. It adds, so that several blocks of rows can share one vector.
    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]);
}

/// One block of consecutive rows.
#[derive(Clone, Copy)]
pub enum RowBlock<'a> {
    /// Contacts between two six-column items.
    Pair(&'a PairRows),
    /// Rows with stored entries: joints, facets.
    Sparse(&'a SparseRows),
    /// Rows that are only applied.
    Operator(&'a dyn RowOperator),
}

impl<'a> RowBlock<'a> {
    /// The block as an operator.
    pub fn operator(&self) -> &'a dyn RowOperator {
        match *self {
            Self::Pair(rows) => rows,
            Self::Sparse(rows) => rows,
            Self::Operator(rows) => rows,
        }
    }
}

/// A contact between items a and b, each with the columns (velocity, angular velocity).
#[derive(Clone, Copy, Debug)]
pub struct PairContact {
    /// The two items; [`PairContact::GROUND`] for one that does not move.
    pub items: [u32; 2],
    /// Unit axes n (from a to b), u, w, in world coordinates.
    pub axes: [[f64; 3]; 3],
    /// From the origin of each item to the contact point, world coordinates [m].
    pub arms: [[f64; 3]; 2],
}

impl PairContact {
    /// An item without columns.
    pub const GROUND: u32 = u32::MAX;
}

/// Contact rows as frames and arms.
///
/// A contact stores 15 numbers instead of a Jacobian of 36 (or 72 with rolling); Dᵀ gathers by item, in the
/// order of contacts, so its sums do not depend on threads. Items are consecutive, six columns each, which is
/// how a batch of bodies lies in memory. Angular columns may be in each item's own frame: the rotations say how.
#[derive(Clone, Debug, Default)]
pub struct PairRows {
    contacts: Vec<PairContact>,
    /// First column of item 0.
    first_column: usize,
    item_count: usize,
    /// World-from-item rotations, row-major; empty where angular columns are in world coordinates.
    rotations: Vec<[f64; 9]>,
    rolling: bool,
    /// Contacts of each item: `entries[starts[i]..starts[i + 1]]`, as 2 · contact + side.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl PairRows {
    /// Prepares rows over `item_count` items whose columns begin at `first_column`; `rolling` adds the three rows
    /// of relative angular velocity (τ_n, τ_u, τ_w) to each contact.
    pub fn new(first_column: usize, item_count: usize, rolling: bool) -> Self {
        Self { first_column, item_count, rolling, ..Self::default() }
    }

    /// Replaces contacts and rotations (none: angular columns in world coordinates); allocates only to grow.
    pub fn set(&mut self, contacts: &[PairContact], rotations: &[[f64; 9]]) {
        self.contacts.clear();
        self.contacts.extend_from_slice(contacts);
        self.rotations.clear();
        self.rotations.extend_from_slice(rotations);
        self.starts.clear();
        self.starts.resize(self.item_count + 2, 0);
        for item in self.contacts.iter().flat_map(|c| c.items).filter(|&i| (i as usize) < self.item_count) {
            self.starts[item as usize + 2] += 1;
        }
        (0..=self.item_count).for_each(|i| self.starts[i + 1] += self.starts[i]);
        self.entries.clear();
        self.entries.resize(self.starts[self.item_count + 1] as usize, 0);
        // While entries are placed, `starts[i + 1]` is where item i goes on; at the end it is where it ends.
        for (k, contact) in self.contacts.iter().enumerate() {
            for (side, &item) in contact.items.iter().enumerate() {
                if (item as usize) < self.item_count {
                    let next = &mut self.starts[item as usize + 1];
                    self.entries[*next as usize] = (2 * k + side) as u32;
                    *next += 1;
                }
            }
        }
    }

    /// The contacts.
    pub fn contacts(&self) -> &[PairContact] {
        &self.contacts
    }

    fn rows_per_contact(&self) -> usize {
        if self.rolling { 6 } else { 3 }
    }

    /// World velocity at the contact point and angular velocity of one side; zero for the ground.
    fn motion(&self, v: &[f64], contact: &PairContact, side: usize) -> ([f64; 3], [f64; 3]) {
        let item = contact.items[side] as usize;
        if item >= self.item_count {
            return ([0.0; 3], [0.0; 3]);
        }
        let at = self.first_column + 6 * item;
        let spin = self.to_world(item, [v[at + 3], v[at + 4], v[at + 5]]);
        let turned = cross(spin, contact.arms[side]);
        ([v[at] + turned[0], v[at + 1] + turned[1], v[at + 2] + turned[2]], spin)
    }

    fn to_world(&self, item: usize, x: [f64; 3]) -> [f64; 3] {
        let Some(r) = self.rotations.get(item) else { return x };
        [0, 3, 6].map(|i| r[i] * x[0] + r[i + 1] * x[1] + r[i + 2] * x[2])
    }

    fn to_item(&self, item: usize, x: [f64; 3]) -> [f64; 3] {
        let Some(r) = self.rotations.get(item) else { return x };
        [0, 1, 2].map(|i| r[i] * x[0] + r[i + 3] * x[1] + r[i + 6] * x[2])
    }

    /// Force and torque (item frame) that multipliers `l` put on one side of a contact.
    fn wrench(&self, entry: u32, l: &[f64]) -> [f64; 6] {
        let (k, side) = (entry as usize / 2, entry as usize % 2);
        let contact = &self.contacts[k];
        let l = &l[k * self.rows_per_contact()..];
        let sign = if side == 1 { 1.0 } else { -1.0 };
        let combine = |l: &[f64]| {
            [0, 1, 2].map(|i| {
                sign * (contact.axes[0][i] * l[0] + contact.axes[1][i] * l[1] + contact.axes[2][i] * l[2])
            })
        };
        let force = combine(l);
        let mut torque = cross(contact.arms[side], force);
        if self.rolling {
            let couple = combine(&l[3..]);
            (0..3).for_each(|i| torque[i] += couple[i]);
        }
        let torque = self.to_item(contact.items[side] as usize, torque);
        [force[0], force[1], force[2], torque[0], torque[1], torque[2]]
    }
}

impl RowOperator for PairRows {
    fn rows(&self) -> usize {
        self.contacts.len() * self.rows_per_contact()
    }

    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]) {
        let width = self.rows_per_contact();
        ex.for_each_chunk(y, 256 * width, |chunk, y| {
            for (contact, y) in self.contacts[256 * chunk..].iter().zip(y.chunks_exact_mut(width)) {
                let (va, wa) = self.motion(v, contact, 0);
                let (vb, wb) = self.motion(v, contact, 1);
                let along = |axis: [f64; 3], a: [f64; 3], b: [f64; 3]| {
                    axis[0] * (b[0] - a[0]) + axis[1] * (b[1] - a[1]) + axis[2] * (b[2] - a[2])
                };
                for i in 0..3 {
                    y[i] = along(contact.axes[i], va, vb);
                    if self.rolling {
                        y[3 + i] = along(contact.axes[i], wa, wb);
                    }
                }
            }
        });
    }

    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]) {
        let items = &mut f[self.first_column..self.first_column + 6 * self.item_count];
        ex.for_each_chunk(items, 6 * 128, |chunk, f| {
            for (k, f) in f.chunks_exact_mut(6).enumerate() {
                let item = 128 * chunk + k;
                for &entry in &self.entries[self.starts[item] as usize..self.starts[item + 1] as usize] {
                    let wrench = self.wrench(entry, l);
                    f.iter_mut().zip(wrench).for_each(|(f, w)| *f += w);
                }
            }
        });
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Rows with stored entries, and the gather lists of their transpose.
#[derive(Clone, Debug, Default)]
pub struct SparseRows {
    column_count: usize,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Entries of each column as (row, entry), in the order of rows.
    gather_starts: Vec<u32>,
    gather: Vec<(u32, u32)>,
}

impl SparseRows {
    /// No rows yet, over `column_count` columns.
    pub fn new(column_count: usize) -> Self {
        Self { column_count, starts: vec![0], ..Self::default() }
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.starts.truncate(1);
        self.columns.clear();
        self.values.clear();
    }

    /// Appends a row of (column, value) entries; entries outside the columns are ignored.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) {
        for (column, value) in entries {
            if column < self.column_count {
                self.columns.push(column as u32);
                self.values.push(value);
            }
        }
        self.starts.push(self.columns.len() as u32);
    }

    /// Builds the gather lists; to be called after the last [`push`](Self::push).
    pub fn finish(&mut self) {
        self.gather_starts.clear();
        self.gather_starts.resize(self.column_count + 2, 0);
        self.columns.iter().for_each(|&c| self.gather_starts[c as usize + 2] += 1);
        (0..=self.column_count).for_each(|c| self.gather_starts[c + 1] += self.gather_starts[c]);
        self.gather.clear();
        self.gather.resize(self.columns.len(), (0, 0));
        for row in 0..self.starts.len() - 1 {
            for entry in self.starts[row]..self.starts[row + 1] {
                let next = &mut self.gather_starts[self.columns[entry as usize] as usize + 1];
                self.gather[*next as usize] = (row as u32, entry);
                *next += 1;
            }
        }
    }
}

impl RowOperator for SparseRows {
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]) {
        ex.for_each_chunk(y, 512, |chunk, y| {
            for (k, y) in y.iter_mut().enumerate() {
                let row = 512 * chunk + k;
                let range = self.starts[row] as usize..self.starts[row + 1] as usize;
                let entries = self.columns[range.clone()].iter().zip(&self.values[range]);
                *y = entries.map(|(&c, a)| a * v[c as usize]).sum();
            }
        });
    }

    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]) {
        if self.gather_starts.is_empty() {
            return;
        }
        ex.for_each_chunk(&mut f[..self.column_count], 512, |chunk, f| {
            for (k, f) in f.iter_mut().enumerate() {
                let column = 512 * chunk + k;
                let range = self.gather_starts[column] as usize..self.gather_starts[column + 1] as usize;
                *f += self.gather[range]
                    .iter()
                    .map(|&(r, e)| self.values[e as usize] * l[r as usize])
                    .sum::<f64>();
            }
        });
    }
}
