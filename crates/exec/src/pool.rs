//! The calls into the thread pool.
//!
//! None is generic: a generic call compiles the machinery of the pool again for every loop of every crate. Without it
//! `huygens-particles` is a quarter smaller. A call by pointer for each piece of a loop costs next to nothing.

use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// Runs `work` on a thread of the pool.
#[inline(never)]
pub(crate) fn within(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}

/// Runs both, at the same time if a thread is free; called on a thread of the pool.
#[inline(never)]
pub(crate) fn both(left: &mut (dyn FnMut() + Send), right: &mut (dyn FnMut() + Send)) {
    rayon::join(left, right);
}

/// Runs `work(i)` for every `i < count`.
#[inline(never)]
pub(crate) fn each(pool: &ThreadPool, count: usize, work: &(dyn Fn(usize) + Sync)) {
    pool.install(|| (0..count).into_par_iter().for_each(work));
}

/// [`both`] for what can be called once, with its results.
pub(crate) fn join<A: Send, B: Send>(
    left: impl FnOnce() -> A + Send,
    right: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut left, mut right) = (Some(left), Some(right));
    let (mut a, mut b) = (None, None);
    both(&mut || a = left.take().map(|left| left()), &mut || b = right.take().map(|right| right()));
    match (a, b) {
        (Some(a), Some(b)) => (a, b),
        _ => unreachable!("both have run"),
    }
}
