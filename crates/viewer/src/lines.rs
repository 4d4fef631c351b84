//! The open connections: how many there may be, and which one makes room for another.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::connection::LimitedListener;

/// A connection is not closed in favour of another within this time after it was opened or last answered.
const GRACE: Duration = Duration::from_millis(250);

/// All open connections.
pub(crate) struct Lines {
    limit: usize,
    open: Mutex<Vec<Arc<Line>>>,
    /// A connection was closed, or can be.
    changed: Notify,
}

/// One connection, as its stream and its requests see it.
pub(crate) struct Line {
    lines: Arc<Lines>,
    state: Mutex<State>,
}

struct State {
    /// Closes it; none once that was asked for.
    close: Option<oneshot::Sender<()>>,
    /// Requests that are being answered.
    requests: usize,
    /// Whether the client lets bytes wait.
    blocked: bool,
    /// Whether a request carried the token.
    trusted: bool,
    /// When it was opened or last answered a request.
    quiet_since: Instant,
}

impl State {
    /// A client without the token cannot keep its connection by leaving answers untouched.
    fn can_go(&self) -> bool {
        self.close.is_some() && self.requests == 0 && !(self.blocked && self.trusted)
    }
}

impl Lines {
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default(), changed: Notify::new() })
    }

    /// Registers a new connection; where there are too many, one that does nothing is closed first. The receiver
    /// tells when this one has to make room itself.
    pub async fn admit(self: &Arc<Self>) -> (Ticket, oneshot::Receiver<()>) {
        loop {
            let patience = {
                let mut open = locked(&self.open);
                if open.len() < self.limit {
                    let (close, closed) = oneshot::channel();
                    let quiet_since = Instant::now();
                    let state = State {
                        close: Some(close),
                        requests: 0,
                        blocked: false,
                        trusted: false,
                        quiet_since,
                    };
                    let line = Arc::new(Line { lines: Arc::clone(self), state: Mutex::new(state) });
                    open.push(Arc::clone(&line));
                    return (Ticket(line), closed);
                }
                make_room(&open)
            };
            let time = async {
                match patience {
                    Some(end) => sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! { () = self.changed.notified() => {}, () = time => {} }
        }
    }
}

/// Closes the connection that has done nothing for the longest time, preferably one that never carried the token.
/// Returns when to try again, if that depends on time alone.
fn make_room(open: &[Arc<Line>]) -> Option<Instant> {
    let mut states: Vec<_> = open.iter().map(|line| locked(&line.state)).collect();
    if states.iter().any(|state| state.close.is_none()) {
        // One is about to end already.
        return None;
    }
    let oldest = states
        .iter_mut()
        .filter(|state| state.can_go())
        .min_by_key(|state| (state.trusted, state.quiet_since))?;
    let end = oldest.quiet_since + GRACE;
    if Instant::now() < end {
        return Some(end);
    }
    if let Some(close) = oldest.close.take() {
        // Its stream may have ended by itself.
        let _ = close.send(());
    }
    None
}

impl Line {
    /// Whether a request is being answered.
    pub fn busy(&self) -> bool {
        locked(&self.state).requests > 0
    }

    /// Tells whether the client lets bytes wait.
    pub fn set_blocked(&self, blocked: bool) {
        let mut state = locked(&self.state);
        state.blocked = blocked;
        if !blocked {
            state.quiet_since = Instant::now();
            self.lines.changed.notify_one();
        }
    }

    /// A request carried the token.
    pub fn trust(&self) {
        locked(&self.state).trusted = true;
    }

    /// A request has arrived; it is answered when the guard is dropped.
    pub fn request(self: &Arc<Self>) -> Request {
        locked(&self.state).requests += 1;
        Request(Arc::clone(self))
    }
}

/// The place of an open connection; free again when it is dropped.
pub(crate) struct Ticket(pub Arc<Line>);

impl Drop for Ticket {
    fn drop(&mut self) {
        locked(&self.0.lines.open).retain(|line| !Arc::ptr_eq(line, &self.0));
        self.0.lines.changed.notify_one();
    }
}

/// A request that is being answered.
pub(crate) struct Request(Arc<Line>);

impl Drop for Request {
    fn drop(&mut self) {
        let mut state = locked(&self.0.state);
        state.requests -= 1;
        state.quiet_since = Instant::now();
        self.0.lines.changed.notify_one();
    }
}

/// The connection of a request.
#[derive(Clone)]
pub(crate) struct Caller(pub Arc<Line>);

impl Connected<IncomingStream<'_, LimitedListener>> for Caller {
    fn connect_info(stream: IncomingStream<'_, LimitedListener>) -> Self {
        Self(stream.io().line())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
