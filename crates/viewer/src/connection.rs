//! Connections of the server: only so many at once, and none that stands still or trickles for long.

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
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep};

use crate::lines::{Line, Lines, Ticket};

/// How long clients may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// To send a request, from its first byte on.
    pub head: Duration,
    /// To take bytes that wait for them.
    pub stall: Duration,
    /// To send or take anything.
    pub idle: Duration,
}

/// A listener that makes room for further clients while it has enough.
pub(crate) struct LimitedListener {
    pub listener: TcpListener,
    pub lines: Arc<Lines>,
    pub patience: Patience,
}

impl Listener for LimitedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let (ticket, close) = self.lines.admit().await;
        // Without it small answers wait for the acknowledgement of those before; with an error they are only later.
        let _ = stream.set_nodelay(true);
        (Connection::new(stream, ticket, close, self.patience), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that is closed when its client takes nothing for the time `stall`, sends and takes nothing for the
/// time `idle`, or needs more than the time `head` for a request; and when it has to make room for another one.
pub(crate) struct Connection {
    stream: TcpStream,
    patience: Patience,
    /// Whether the client lets bytes wait.
    blocked: bool,
    stall_end: Pin<Box<Sleep>>,
    idle_end: Pin<Box<Sleep>>,
    /// When a request that has begun must be here.
    head_end: Option<Pin<Box<Sleep>>>,
    close: oneshot::Receiver<()>,
    ticket: Ticket,
}

impl Connection {
    fn new(stream: TcpStream, ticket: Ticket, close: oneshot::Receiver<()>, patience: Patience) -> Self {
        let (stall_end, idle_end) = (Box::pin(sleep(patience.stall)), Box::pin(sleep(patience.idle)));
        Self { stream, patience, blocked: false, stall_end, idle_end, head_end: None, close, ticket }
    }

    /// What requests know of this connection.
    pub fn line(&self) -> Arc<Line> {
        Arc::clone(&self.ticket.0)
    }

    fn after_read(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<()>>) -> Poll<io::Result<()>> {
        // Nothing of the next request counts while one is being answered, which a talk of the page does all the time.
        if self.ticket.0.busy() {
            self.head_end = None;
        } else if outcome.is_ready() && self.head_end.is_none() {
            self.head_end = Some(Box::pin(sleep(self.patience.head)));
        }
        // A client that always has another byte at hand never lets a read wait.
        if let Some(head_end) = &mut self.head_end {
            ready_or(expired(head_end.as_mut(), cx))?;
        }
        if outcome.is_ready() {
            self.idle_end.as_mut().reset(Instant::now() + self.patience.idle);
            return outcome;
        }
        ready_or(self.asked_to_close(cx))?;
        expired(self.idle_end.as_mut(), cx)
    }

    fn after_write(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let now = Instant::now();
        if outcome.is_ready() {
            self.block(false);
            self.head_end = None;
            self.idle_end.as_mut().reset(now + self.patience.idle);
            return outcome;
        }
        if !self.blocked {
            self.block(true);
            self.stall_end.as_mut().reset(now + self.patience.stall);
        }
        ready_or(self.asked_to_close(cx))?;
        expired(self.stall_end.as_mut(), cx)
    }

    fn block(&mut self, blocked: bool) {
        self.blocked = blocked;
        self.ticket.0.set_blocked(blocked);
    }

    fn asked_to_close(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The other end is kept for as long as the ticket, so this is ready only once.
        Pin::new(&mut self.close).poll(cx).map(|_| Err(io::ErrorKind::ConnectionAborted.into()))
    }
}

/// The error of something that is ready with one.
fn ready_or(outcome: Poll<io::Result<()>>) -> io::Result<()> {
    match outcome {
        Poll::Ready(result) => result,
        Poll::Pending => Ok(()),
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
