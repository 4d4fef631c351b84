//! Writing to one slice from several threads, each in its own range.

use std::marker::PhantomData;
use std::ops::Range;

/// A slice whose disjoint ranges may be written at the same time: loops with more than one result need it.
pub(crate) struct Disjoint<'a, T> {
    first: *mut T,
    count: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: ranges are handed out by an unsafe function that demands that they be disjoint.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { first: slice.as_mut_ptr(), count: slice.len(), slice: PhantomData }
    }

    /// The part of `range` inside the slice.
    ///
    /// # Safety
    /// No two ranges in use at the same time may overlap.
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn piece(&self, range: Range<usize>) -> &mut [T] {
        let end = range.end.min(self.count);
        let start = range.start.min(end);
        // SAFETY: inside the slice, and disjoint as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), end - start) }
    }

    /// One element, to be read or written.
    pub(crate) fn element(&self, index: usize) -> *mut T {
        assert!(index < self.count);
        // SAFETY: inside the slice.
        unsafe { self.first.add(index) }
    }
}
