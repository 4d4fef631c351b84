//! A parallel bucket sort whose result does not depend on the number of threads.

use huygens_exec::Exec;

/// The results of one piece of work, in order of production and by bucket.
#[derive(Clone, Debug, Default)]
struct Piece<T> {
    raw: Vec<T>,
    arranged: Vec<T>,
    /// Start of each bucket in `arranged`, and the end of the last.
    starts: Vec<u32>,
}

/// Sorts in two parallel sweeps: each piece arranges what it produced by bucket, then each bucket gathers its share
/// from all pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Bins<T> {
    pieces: Vec<Piece<T>>,
    count: usize,
    buckets: usize,
    starts: Vec<usize>,
}

impl<T: Copy + Send + Sync + Default> Bins<T> {
    /// Lets every piece `produce` elements and arranges them by `bucket`.
    pub(super) fn fill(
        &mut self,
        ex: &Exec,
        pieces: usize,
        buckets: usize,
        produce: impl Fn(usize, &mut Vec<T>) + Sync,
        bucket: impl Fn(&T) -> usize + Sync,
    ) {
        if self.pieces.len() < pieces {
            self.pieces.resize_with(pieces, Piece::default);
        }
        (self.count, self.buckets) = (pieces, buckets);
        ex.for_each_chunk(&mut self.pieces[..pieces], 1, |p, piece| {
            let piece = &mut piece[0];
            piece.raw.clear();
            produce(p, &mut piece.raw);
            piece.arrange(buckets, &bucket);
        });
    }

    /// Writes all buckets one after another into `out`: `merge(shares, slot)` fills the slot of a bucket from the
    /// shares of all pieces.
    pub(super) fn collect(
        &mut self,
        ex: &Exec,
        out: &mut Vec<T>,
        merge: impl Fn(Shares<'_, T>, &mut [T]) + Sync,
    ) {
        let pieces = &self.pieces[..self.count];
        self.starts.clear();
        self.starts.resize(self.buckets + 1, 0);
        for piece in pieces {
            for b in 0..self.buckets {
                self.starts[b + 1] += (piece.starts[b + 1] - piece.starts[b]) as usize;
            }
        }
        for b in 0..self.buckets {
            self.starts[b + 1] += self.starts[b];
        }
        out.resize(self.starts[self.buckets], T::default());
        ex.for_each_slot(&self.starts, out, 16, |bucket, slot| merge(Shares { pieces, bucket }, slot));
    }
}

/// The contributions of all pieces to one bucket.
#[derive(Clone, Copy)]
pub(super) struct Shares<'a, T> {
    pieces: &'a [Piece<T>],
    bucket: usize,
}

impl<T: Copy> Shares<'_, T> {
    /// The shares, piece by piece.
    pub(super) fn slices(&self) -> impl Iterator<Item = &[T]> {
        self.pieces.iter().map(|piece| {
            let range = piece.starts[self.bucket] as usize..piece.starts[self.bucket + 1] as usize;
            &piece.arranged[range]
        })
    }
}

impl<T: Copy + Default> Piece<T> {
    fn arrange(&mut self, buckets: usize, bucket: &impl Fn(&T) -> usize) {
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for element in &self.raw {
            self.starts[bucket(element) + 1] += 1;
        }
        for b in 0..buckets {
            self.starts[b + 1] += self.starts[b];
        }
        self.arranged.resize(self.raw.len(), T::default());
        for element in &self.raw {
            let next = &mut self.starts[bucket(element)];
            self.arranged[*next as usize] = *element;
            *next += 1;
        }
        // Each start has moved to the end of its bucket, the start of the next.
        self.starts.copy_within(0..buckets, 1);
        self.starts[0] = 0;
    }
}
