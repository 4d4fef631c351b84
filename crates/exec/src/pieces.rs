//! Slices that are split together.

/// Data of several items that can be split into pieces.
pub trait Pieces: Send + Sized {
    /// Number of items.
    fn count(&self) -> usize;
    /// The first `at` items, and the rest.
    fn split(self, at: usize) -> (Self, Self);
}

impl<T: Send> Pieces for &mut [T] {
    fn count(&self) -> usize {
        self.len()
    }
    fn split(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<T: Sync> Pieces for &[T] {
    fn count(&self) -> usize {
        self.len()
    }
    fn split(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

/// A slice with one element per `stride` items; split at multiples of the stride only.
#[derive(Debug)]
pub struct Strided<'a, T> {
    /// The elements.
    pub data: &'a mut [T],
    /// Items per element.
    pub stride: usize,
    /// Number of items; the last element may have fewer than the others.
    pub count: usize,
}

impl<T: Send> Pieces for Strided<'_, T> {
    fn count(&self) -> usize {
        self.count
    }
    fn split(self, at: usize) -> (Self, Self) {
        let (left, right) = self.data.split_at_mut(at.div_ceil(self.stride));
        (
            Self { data: left, stride: self.stride, count: at },
            Self { data: right, stride: self.stride, count: self.count - at },
        )
    }
}

macro_rules! tuple {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Pieces),*> Pieces for ($($name,)*) {
            fn count(&self) -> usize {
                self.0.count()
            }
            fn split(self, at: usize) -> (Self, Self) {
                let parts = ($(self.$index.split(at),)*);
                (($(parts.$index.0,)*), ($(parts.$index.1,)*))
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
