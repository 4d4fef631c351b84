//! One slice to which several threads write, each in its own range.

#![expect(unsafe_code, reason = "one slice is handed out in parts that the borrow checker cannot tell apart")]

use std::marker::PhantomData;
use std::ops::Range;

/// A slice whose disjoint ranges may be written at the same time: loops with more than one result need it.
#[derive(Debug)]
pub struct Disjoint<'a, T> {
    first: *mut T,
    count: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: ranges are handed out by unsafe functions that demand that no one else writes to them.
unsafe impl<T: Send + Sync> Sync for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// Wraps a slice.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { first: slice.as_mut_ptr(), count: slice.len(), slice: PhantomData }
    }

    /// The part of `range` inside the slice.
    ///
    /// # Safety
    /// No two ranges in use at the same time may overlap, and none may hold an element that is being read.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn piece(&self, range: Range<usize>) -> &mut [T] {
        let end = range.end.min(self.count);
        let start = range.start.min(end);
        // SAFETY: inside the slice, and disjoint as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), end - start) }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first element.
    pub fn as_ptr(&self) -> *const T {
        self.first
    }

    /// One element, mutable.
    pub fn element(&self, index: usize) -> *mut T {
        assert!(index < self.count);
        // SAFETY: inside the slice.
        unsafe { self.first.add(index) }
    }
}
