//! Execution of the loops of Huygens.
//!
//! [`Exec`] is an argument of everything that loops. Work is split into chunks whose size depends on the problem, never
//! on the number of threads; reductions combine chunk results in order. Results are bit-identical on one thread and on
//! many.

#[cfg(feature = "gpu")]
pub mod device;
mod disjoint;
mod field;
pub mod lanes;
mod memory;
mod pieces;
mod pool;
mod reduce;
mod stop;

pub use disjoint::Disjoint;
pub use field::{Extent, Field};
pub use memory::{MemoryShortage, available_memory, peak_memory, require_memory, set_memory_limit};
pub use pieces::{Pieces, Strided};
pub use stop::{Stop, StopCause, Stopped};

use std::sync::{Arc, OnceLock};

/// Largest number of threads of an [`Exec`].
pub const MAX_THREADS: usize = 4096;

/// The reason why an [`Exec`] could not be created.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// More threads than there may be.
    #[error(
        "{threads} threads are more than the {MAX_THREADS} allowed; more than the machine has cores gain nothing, and 0 takes all cores"
    )]
    TooMany {
        /// Number of threads requested.
        threads: usize,
    },
    /// The operating system refused the threads.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Number of threads requested.
        threads: usize,
        /// The error of the thread pool.
        reason: String,
    },
}

/// An executor of loops: the calling thread, or a thread pool.
#[derive(Clone, Debug, Default)]
pub struct Exec {
    pool: Option<Arc<rayon::ThreadPool>>,
    stop: Stop,
}

impl Exec {
    /// Runs every loop on the calling thread.
    pub fn serial() -> Self {
        Self { pool: None, stop: Stop::never() }
    }

    /// Runs loops on `threads` threads; `1` is [`Exec::serial`], `0` takes all cores.
    pub fn with_threads(threads: usize) -> Result<Self, ExecError> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n if n > MAX_THREADS => return Err(ExecError::TooMany { threads: n }),
            n => n,
        };
        if threads == 1 {
            return Ok(Self::serial());
        }
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("huygens-{i}"))
            .build()
            .map(|pool| Self { pool: Some(Arc::new(pool)), stop: Stop::never() })
            .map_err(|e| ExecError::Threads { threads, reason: e.to_string() })
    }

    /// Number of threads that loops may use.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or(1, |p| p.current_num_threads())
    }

    /// Runs `f` in the thread pool, so that libraries that split their own work use the same number of threads.
    pub fn install<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        static SINGLE: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
        let single = || SINGLE.get_or_init(|| rayon::ThreadPoolBuilder::new().num_threads(1).build().ok());
        let pool = match &self.pool {
            Some(pool) => Some(pool.as_ref()),
            None => single().as_ref(),
        };
        let Some(pool) = pool else { return f() };
        let (mut f, mut answer) = (Some(f), None);
        pool::within(pool, &mut || answer = f.take().map(|f| f()));
        answer.unwrap_or_else(|| unreachable!("the pool has run it"))
    }

    /// Runs `f(i)` for every `i < count`, in chunks of `chunk` indices. `f` must write only to data owned by `i`.
    pub fn for_each(&self, count: usize, chunk: usize, f: impl Fn(usize) + Sync) {
        let chunk = chunk.max(1);
        match &self.pool {
            Some(pool) if count > chunk => pool::each(pool, count.div_ceil(chunk), &|c| {
                (c * chunk..((c + 1) * chunk).min(count)).for_each(&f);
            }),
            _ => (0..count).for_each(f),
        }
    }

    /// Runs `f(c, piece)` for consecutive pieces of `chunk` elements of `data` (the last may be shorter).
    pub fn for_each_chunk<T: Send>(&self, data: &mut [T], chunk: usize, f: impl Fn(usize, &mut [T]) + Sync) {
        let chunk = chunk.max(1);
        match &self.pool {
            Some(_) if data.len() > chunk => {
                self.for_each_piece(data, chunk, |first, piece| f(first / chunk, piece));
            }
            _ => data.chunks_mut(chunk).enumerate().for_each(|(c, piece)| f(c, piece)),
        }
    }

    /// Runs `f(first, piece)` for consecutive pieces of `chunk` items of several slices that belong together.
    pub fn for_each_piece<P: Pieces>(&self, data: P, chunk: usize, f: impl Fn(usize, P) + Sync) {
        fn split<P: Pieces>(first: usize, data: P, chunk: usize, f: &(impl Fn(usize, P) + Sync)) {
            let count = data.count();
            if count <= chunk {
                return f(first, data);
            }
            let half = (count / chunk).div_ceil(2) * chunk;
            let (left, right) = data.split(half);
            pool::join(|| split(first, left, chunk, f), || split(first + half, right, chunk, f));
        }
        let chunk = chunk.max(1);
        match &self.pool {
            Some(_) if data.count() > chunk => self.install(|| split(0, data, chunk, &f)),
            _ => {
                let (mut first, mut rest) = (0, data);
                while rest.count() > chunk {
                    let (piece, others) = rest.split(chunk);
                    f(first, piece);
                    (first, rest) = (first + chunk, others);
                }
                if rest.count() > 0 {
                    f(first, rest);
                }
            }
        }
    }

    /// Sorts numbers.
    pub fn sort<T: Ord + Send>(&self, data: &mut [T]) {
        match &self.pool {
            Some(pool) => pool.install(|| {
                use rayon::prelude::*;
                data.par_sort_unstable();
            }),
            None => data.sort_unstable(),
        }
    }

    /// Runs `f(i, slot)` for slots of any length: slot `i` is `data[starts[i]..starts[i + 1]]`; pieces of `chunk`
    /// slots run in parallel.
    pub fn for_each_slot<T: Send>(
        &self,
        starts: &[usize],
        data: &mut [T],
        chunk: usize,
        f: impl Fn(usize, &mut [T]) + Sync,
    ) {
        fn run<T>(first: usize, starts: &[usize], mut data: &mut [T], f: &impl Fn(usize, &mut [T])) {
            for (i, pair) in starts.windows(2).enumerate() {
                let (slot, rest) = std::mem::take(&mut data).split_at_mut(pair[1] - pair[0]);
                f(first + i, slot);
                data = rest;
            }
        }
        fn split<T: Send>(
            first: usize,
            starts: &[usize],
            data: &mut [T],
            chunk: usize,
            f: &(impl Fn(usize, &mut [T]) + Sync),
        ) {
            let count = starts.len() - 1;
            if count <= chunk {
                return run(first, starts, data, f);
            }
            let half = count / 2;
            let (left, right) = data.split_at_mut(starts[half] - starts[0]);
            pool::join(
                || split(first, &starts[..=half], left, chunk, f),
                || split(first + half, &starts[half..], right, chunk, f),
            );
        }
        match &self.pool {
            Some(_) if starts.len() > chunk + 1 => self.install(|| split(0, starts, data, chunk.max(1), &f)),
            _ => run(0, starts, data, &f),
        }
    }

    /// Runs `f(i, a, b)` for slots of two arrays that belong together, each given by its starts and its data as for
    /// [`Exec::for_each_slot`]; pieces of `chunk` slots run in parallel.
    pub fn for_each_slot_pair<A: Send, B: Send>(
        &self,
        (starts_a, a): (&[usize], &mut [A]),
        (starts_b, b): (&[usize], &mut [B]),
        chunk: usize,
        f: impl Fn(usize, &mut [A], &mut [B]) + Sync,
    ) {
        type Slots<'a, T> = (&'a [usize], &'a mut [T]);
        fn run<A, B>(
            first: usize,
            (starts_a, mut a): Slots<'_, A>,
            (starts_b, mut b): Slots<'_, B>,
            f: &impl Fn(usize, &mut [A], &mut [B]),
        ) {
            for (i, (pair_a, pair_b)) in starts_a.windows(2).zip(starts_b.windows(2)).enumerate() {
                let (slot_a, rest_a) = std::mem::take(&mut a).split_at_mut(pair_a[1] - pair_a[0]);
                let (slot_b, rest_b) = std::mem::take(&mut b).split_at_mut(pair_b[1] - pair_b[0]);
                f(first + i, slot_a, slot_b);
                (a, b) = (rest_a, rest_b);
            }
        }
        fn split<A: Send, B: Send>(
            first: usize,
            (starts_a, a): Slots<'_, A>,
            (starts_b, b): Slots<'_, B>,
            chunk: usize,
            f: &(impl Fn(usize, &mut [A], &mut [B]) + Sync),
        ) {
            let count = starts_a.len() - 1;
            if count <= chunk {
                return run(first, (starts_a, a), (starts_b, b), f);
            }
            let half = count / 2;
            let (left_a, right_a) = a.split_at_mut(starts_a[half] - starts_a[0]);
            let (left_b, right_b) = b.split_at_mut(starts_b[half] - starts_b[0]);
            pool::join(
                || split(first, (&starts_a[..=half], left_a), (&starts_b[..=half], left_b), chunk, f),
                || split(first + half, (&starts_a[half..], right_a), (&starts_b[half..], right_b), chunk, f),
            );
        }
        match &self.pool {
            Some(_) if starts_a.len() > chunk + 1 => {
                self.install(|| split(0, (starts_a, a), (starts_b, b), chunk.max(1), &f))
            }
            _ => run(0, (starts_a, a), (starts_b, b), &f),
        }
    }

    /// Sums `f(range)` over fixed chunks of `0..count`, adding the chunk sums in order.
    pub fn sum(&self, count: usize, chunk: usize, f: impl Fn(std::ops::Range<usize>) -> f64 + Sync) -> f64 {
        let chunk = chunk.max(1);
        let ranges = |c: usize| c * chunk..((c + 1) * chunk).min(count);
        match &self.pool {
            Some(_) if count > chunk => {
                let mut parts = vec![0.0; count.div_ceil(chunk)];
                self.for_each_chunk(&mut parts, 1, |c, part| part[0] = f(ranges(c)));
                parts.iter().sum()
            }
            _ => (0..count.div_ceil(chunk)).map(|c| f(ranges(c))).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_the_same_bits_on_any_number_of_threads() {
        let values: Vec<f64> = (0..10_000).map(|i| 1.0 / (1.0 + i as f64).powf(1.3)).collect();
        let sum = |ex: &Exec| ex.sum(values.len(), 128, |r| values[r].iter().sum());
        let serial = sum(&Exec::serial());
        for threads in [2, 3, 4] {
            assert_eq!(serial.to_bits(), sum(&Exec::with_threads(threads).unwrap()).to_bits());
        }
    }

    #[test]
    fn every_index_and_every_chunk_is_visited_once() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let ex = Exec::with_threads(2).unwrap();
        let seen: Vec<AtomicU32> = (0..1000).map(|_| AtomicU32::new(0)).collect();
        ex.for_each(1000, 7, |i| {
            seen[i].fetch_add(1, Ordering::Relaxed);
        });
        assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == 1));
        let mut data = vec![0usize; 1000];
        ex.for_each_chunk(&mut data, 64, |c, piece| {
            piece.iter_mut().enumerate().for_each(|(i, x)| *x = c * 64 + i)
        });
        assert!(data.iter().enumerate().all(|(i, &x)| i == x));
    }
}
