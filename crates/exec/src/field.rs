//! Values of all items of a system, accessed in scopes.
//!
//! Every access states its purpose: [`Field::read`] and [`Field::write`] return slices that are valid until the next
//! scope begins. No caller keeps the array itself, so that the same interface can serve a copy on a device: a field
//! last written there is fetched by the scope that reads it on the host, and one written on the host since
//! [`Field::revision`] was noted is sent again. On the host a scope is a slice and costs nothing per item.

use std::ops::Range;

use crate::Exec;

/// Values of one kind, one per item.
///
/// Copies into a field ([`Clone::clone_from`]) reuse its memory. Two fields are equal if their values are.
#[derive(Debug)]
pub struct Field<T> {
    host: Vec<T>,
    /// Counts the scopes that may have changed the values.
    revision: u64,
}

impl<T> Default for Field<T> {
    fn default() -> Self {
        Self { host: Vec::new(), revision: 0 }
    }
}

impl<T: Clone> Clone for Field<T> {
    fn clone(&self) -> Self {
        Self { host: self.host.clone(), revision: self.revision }
    }

    fn clone_from(&mut self, other: &Self) {
        self.host.clone_from(&other.host);
        // A copy of older values is a change too.
        self.revision += 1;
    }
}

impl<T: PartialEq> PartialEq for Field<T> {
    fn eq(&self, other: &Self) -> bool {
        self.host == other.host
    }
}

impl<T> From<Vec<T>> for Field<T> {
    fn from(host: Vec<T>) -> Self {
        Self { host, revision: 0 }
    }
}

impl<T> Field<T> {
    /// Number of items.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.host.len()
    }

    /// Whether there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.host.is_empty()
    }

    /// Memory allocated for the values [bytes].
    pub fn bytes(&self) -> usize {
        size_of::<T>() * self.host.capacity()
    }

    /// Number of items that fit without further allocation.
    pub fn capacity(&self) -> usize {
        self.host.capacity()
    }

    /// The values on the host, for reading.
    #[inline(always)]
    pub fn read(&self) -> &[T] {
        &self.host
    }

    /// The values on the host, for reading and writing.
    #[inline(always)]
    pub fn write(&mut self) -> &mut [T] {
        self.revision += 1;
        &mut self.host
    }

    /// A number that increases whenever values may have changed: a copy made at the same number is still valid.
    #[inline(always)]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: T) {
        self.revision += 1;
        self.host.push(value);
    }

    /// Adds values at the end.
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) {
        self.revision += 1;
        self.host.extend(values);
    }

    /// Removes all values but keeps the memory.
    pub fn clear(&mut self) {
        self.revision += 1;
        self.host.clear();
    }

    /// Keeps the first `count` values.
    pub fn truncate(&mut self, count: usize) {
        self.revision += 1;
        self.host.truncate(count);
    }

    /// Releases memory if more than a sixteenth of the values would still fit.
    pub fn trim(&mut self) {
        if self.host.capacity() > self.host.len() + self.host.len() / 16 {
            self.host.shrink_to_fit();
        }
    }

    /// Exchanges the values of two fields, without copies.
    pub fn swap(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.host, &mut other.host);
        self.revision += 1;
        other.revision += 1;
    }
}

impl<T: Clone> Field<T> {
    /// Resizes to `count` items; new values are `value`.
    pub fn resize(&mut self, count: usize, value: T) {
        self.revision += 1;
        self.host.resize(count, value);
    }

    /// Sets all values.
    pub fn fill(&mut self, value: T) {
        self.write().fill(value);
    }
}

impl<T: Copy> Field<T> {
    /// Keeps the values at the increasing indices `stay`.
    pub fn select(&mut self, stay: impl ExactSizeIterator<Item = usize>) {
        let count = stay.len();
        let values = self.write();
        stay.enumerate().for_each(|(new, old)| values[new] = values[old]);
        self.truncate(count);
    }
}

impl<T: Copy + Send + Sync> Field<T> {
    /// Items per piece of a loop that permutes values.
    const PIECE: usize = 4096;

    /// Permutes the values: `old(i)` is the current index of the value that moves to index i. `room` holds as many
    /// values.
    pub fn reorder(&mut self, ex: &Exec, old: impl Fn(usize) -> usize + Sync, room: &mut [T]) {
        let room = &mut room[..self.len()];
        self.gather_into(ex, old, room);
        let (values, room) = (self.write(), &*room);
        ex.for_each_chunk(values, Self::PIECE, |c, values| {
            values.copy_from_slice(&room[c * Self::PIECE..][..values.len()]);
        });
    }

    /// Writes the permuted values to `out`, in the order of [`Field::reorder`].
    pub fn gather_into(&self, ex: &Exec, old: impl Fn(usize) -> usize + Sync, out: &mut [T]) {
        let values = self.read();
        ex.for_each_chunk(out, Self::PIECE, |c, out| {
            for (k, out) in out.iter_mut().enumerate() {
                *out = values[old(c * Self::PIECE + k)];
            }
        });
    }
}

/// The partition of a system's fields: owned items first, then copies of items that others own.
///
/// Loops go over the owned ones and read all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Number of items that the system advances itself.
    pub owned: usize,
    /// Number of copies of items that others advance.
    pub ghosts: usize,
}

impl Extent {
    /// Owned items alone.
    pub fn whole(owned: usize) -> Self {
        Self { owned, ghosts: 0 }
    }

    /// Indices of the owned items.
    #[inline(always)]
    pub fn owned(&self) -> Range<usize> {
        0..self.owned
    }

    /// Indices of the copies.
    #[inline(always)]
    pub fn ghosts(&self) -> Range<usize> {
        self.owned..self.owned + self.ghosts
    }

    /// Indices of all items.
    #[inline(always)]
    pub fn all(&self) -> Range<usize> {
        0..self.owned + self.ghosts
    }
}
