//! Stop requests for long work.
//!
//! A [`Stop`] is passed with an [`Exec`](crate::Exec) into everything that loops. It does not affect work that is not
//! stopped: code that finds it set aborts with [`Stopped`], and its caller restores the previous state.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{Exec, ExecError};

/// Work was aborted by a stop request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("stopped before completion")]
pub struct Stopped;

/// The reason why work is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// The flag was set from outside.
    Asked,
    /// The deadline has passed.
    Deadline,
}

/// A stop request that work polls: a flag set from outside, and a deadline.
///
/// Copies share both. Polling costs one relaxed load for each; no clock is read, since a separate thread waits for the
/// deadline.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Option<Arc<AtomicBool>>,
    timer: Option<Arc<Timer>>,
}

/// A deadline, and the thread that waits for it as long as there is one who asks.
#[derive(Debug)]
struct Timer {
    passed: Arc<AtomicBool>,
    _alive: Sender<()>,
}

impl Stop {
    /// Never stops.
    pub fn never() -> Self {
        Self::default()
    }

    /// Stops once `asked` is true.
    pub fn when(asked: Arc<AtomicBool>) -> Self {
        Self { asked: Some(asked), timer: None }
    }

    /// Stops at `deadline` as well.
    pub fn by(mut self, deadline: Instant) -> Result<Self, ExecError> {
        let (alive, gone) = mpsc::channel::<()>();
        let passed = Arc::new(AtomicBool::new(false));
        let flag = passed.clone();
        let wait = move || {
            let left = deadline.saturating_duration_since(Instant::now());
            if gone.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        };
        std::thread::Builder::new()
            .name("huygens-deadline".into())
            .spawn(wait)
            .map_err(|e| ExecError::Threads { threads: 1, reason: e.to_string() })?;
        self.timer = Some(Arc::new(Timer { passed, _alive: alive }));
        Ok(self)
    }

    /// Whether work is to stop.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.cause().is_some()
    }

    /// Why work is to stop; none while it may continue.
    #[inline]
    pub fn cause(&self) -> Option<StopCause> {
        let is_true = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.asked.as_deref().is_some_and(is_true) {
            Some(StopCause::Asked)
        } else if self.timer.as_ref().is_some_and(|t| is_true(&t.passed)) {
            Some(StopCause::Deadline)
        } else {
            None
        }
    }

    /// Whether a stop request is possible at all.
    pub fn can_be_set(&self) -> bool {
        self.asked.is_some() || self.timer.is_some()
    }

    /// Fails with [`Stopped`] if work is to stop.
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_set() { Err(Stopped) } else { Ok(()) }
    }

    /// Runs `work` on a separate thread, and waits for its result until [`Stop::GRACE`] after a stop request.
    ///
    /// For calls into code that cannot be interrupted. `work` owns all its data, so that abandoned work is harmless:
    /// its result is dropped with everything it owns when it finishes, or when the program ends. If no stop request is
    /// possible, or no thread can be started, `work` runs on the calling thread.
    pub fn abandonable<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        self.abandonable_with(work, &mut || {})
    }

    /// The same as [`Stop::abandonable`]; `meanwhile` is called on the calling thread every [`Stop::LOOK`].
    pub fn abandonable_with<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<T, Stopped> {
        if !self.can_be_set() {
            return Ok(work());
        }
        // The machinery of the wait is compiled once, for work of any kind.
        let answer = Arc::new(Mutex::new(None));
        let place = Arc::clone(&answer);
        let body: Box<dyn FnOnce() + Send> = Box::new(move || {
            let found = work();
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        });
        self.abandonable_body(body, meanwhile)?;
        answer.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or(Stopped)
    }

    fn abandonable_body(
        &self,
        body: Box<dyn FnOnce() + Send>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), Stopped> {
        let (done, wait) = mpsc::sync_channel(1);
        // The thread may not be had: the work must not be lost with it.
        let (hand_over, take) = mpsc::sync_channel::<Box<dyn FnOnce() + Send>>(1);
        let start = move || {
            if let Ok(body) = take.recv() {
                body();
                let _ = done.send(());
            }
        };
        let thread =
            match std::thread::Builder::new().name("huygens-work".into()).stack_size(STACK).spawn(start) {
                Ok(thread) => thread,
                Err(_) => {
                    body();
                    return Ok(());
                }
            };
        if let Err(mpsc::SendError(body)) = hand_over.send(body) {
            body();
            return Ok(());
        }
        let mut given_up: Option<Instant> = None;
        loop {
            match wait.recv_timeout(Self::LOOK) {
                Ok(()) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => meanwhile(),
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => return Err(Stopped),
                },
            }
            if self.is_set() && given_up.get_or_insert_with(Instant::now).elapsed() >= Self::GRACE {
                return Err(Stopped);
            }
        }
    }

    /// Time that work has to respond to a stop request before it is abandoned.
    pub const GRACE: Duration = Duration::from_millis(400);
    /// Interval at which a caller that waits for work polls.
    pub const LOOK: Duration = Duration::from_millis(20);
}

/// Stack of threads that work is handed to [bytes]: as much as the main thread of a program has.
const STACK: usize = 8 << 20;

impl Exec {
    /// The same executor, with a stop request that loops poll.
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// The stop request.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Whether work is to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Fails with [`Stopped`] if work is to stop.
    #[inline]
    pub fn check_stop(&self) -> Result<(), Stopped> {
        self.stop.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_and_a_deadline_are_told_apart() {
        let flag = Arc::new(AtomicBool::new(false));
        let stop = Stop::when(flag.clone());
        assert_eq!((stop.cause(), stop.check()), (None, Ok(())));
        let late = stop.clone().by(Instant::now() + Duration::from_millis(5)).unwrap();
        let patience = Instant::now();
        while !late.is_set() && patience.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(late.cause(), Some(StopCause::Deadline));
        assert_eq!(stop.cause(), None, "the copy without a deadline goes on");
        flag.store(true, Ordering::Relaxed);
        assert_eq!((late.cause(), stop.cause()), (Some(StopCause::Asked), Some(StopCause::Asked)));
        assert!(!Stop::never().can_be_set());
    }

    #[test]
    fn work_that_does_not_listen_is_left_behind_and_its_answer_dropped() {
        let (flag, owned) = (Arc::new(AtomicBool::new(false)), Arc::new(()));
        let stop = Stop::when(flag.clone());
        let kept = owned.clone();
        assert_eq!(stop.abandonable(move || (kept, 7).1), Ok(7));
        let (release, hold) = mpsc::channel::<()>();
        let kept = owned.clone();
        flag.store(true, Ordering::Relaxed);
        let deaf = stop.abandonable(move || {
            let _ = hold.recv();
            kept
        });
        assert_eq!(deaf, Err(Stopped));
        assert_eq!(Arc::strong_count(&owned), 2, "the work still owns its part");
        drop(release);
        let patience = Instant::now();
        while Arc::strong_count(&owned) > 1 && patience.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(Arc::strong_count(&owned), 1, "it is dropped when the work ends");
    }

    #[test]
    #[should_panic(expected = "a bug")]
    fn a_panic_of_the_work_is_the_callers() {
        let _ = Stop::when(Arc::default()).abandonable(|| panic!("a bug"));
    }
}
