//! Connections of the server: only so many at once, and none that stands still for long.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// A listener that lets further clients wait while it has enough.
pub(crate) struct LimitedListener {
    pub listener: TcpListener,
    pub places: Arc<Semaphore>,
    pub stall: Duration,
    pub idle: Duration,
}

impl Listener for LimitedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            // Places are closed only with the server.
            return std::future::pending().await;
        };
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Without it small answers wait for the acknowledgement of those before; with an error they are only later.
        let _ = stream.set_nodelay(true);
        (Connection::new(stream, place, self.stall, self.idle), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that is given up when its client takes nothing for the time `stall`, or sends and takes nothing for
/// the time `idle`.
pub(crate) struct Connection {
    stream: TcpStream,
    stall: Duration,
    idle: Duration,
    /// Whether the client lets bytes wait.
    blocked: bool,
    stall_end: Pin<Box<Sleep>>,
    idle_end: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit, stall: Duration, idle: Duration) -> Self {
        let (stall_end, idle_end) = (Box::pin(sleep(stall)), Box::pin(sleep(idle)));
        Self { stream, stall, idle, blocked: false, stall_end, idle_end, _place: place }
    }

    fn after_read(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<()>>) -> Poll<io::Result<()>> {
        if outcome.is_ready() {
            self.idle_end.as_mut().reset(Instant::now() + self.idle);
            return outcome;
        }
        expired(self.idle_end.as_mut(), cx)
    }

    fn after_write(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let now = Instant::now();
        if outcome.is_ready() {
            self.blocked = false;
            self.idle_end.as_mut().reset(now + self.idle);
            return outcome;
        }
        if !self.blocked {
            self.blocked = true;
            self.stall_end.as_mut().reset(now + self.stall);
        }
        expired(self.stall_end.as_mut(), cx)
    }
}

fn expired<T>(end: Pin<&mut Sleep>, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
    end.poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let connection = self.get_mut();
        let outcome = Pin::new(&mut connection.stream).poll_read(cx, buffer);
        connection.after_read(cx, outcome)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let connection = self.get_mut();
        let outcome = Pin::new(&mut connection.stream).poll_write(cx, bytes);
        connection.after_write(cx, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let connection = self.get_mut();
        let outcome = Pin::new(&mut connection.stream).poll_write_vectored(cx, parts);
        connection.after_write(cx, outcome)
    }

    // Without vectored writes, answers would be copied into a buffer that nobody counts.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
