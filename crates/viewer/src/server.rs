//! The server: one recording, shown to browsers on this computer.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::{self, ConnectInfo, RawQuery, State, WebSocketUpgrade};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use huygens_record::RecordError;
use tokio::sync::{Semaphore, oneshot};

use crate::connection::{LimitedListener, Patience};
use crate::control::Control;
use crate::error::ViewerError;
use crate::feed::{Fault, Feed};
use crate::gate::{Gate, HEADERS};
use crate::lines::{Caller, Lines};
use crate::page;
use crate::socket::{MESSAGE_LIMIT, Talk};

/// Name of the recording in the folder of a run.
const RECORDING_NAME: &str = "run.hrec";
/// Shortest time between looks at a growing file.
const POLL_LEAST: Duration = Duration::from_millis(10);
/// How long the server's work may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// How much the server takes on at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Connections; for a further one, that which has done nothing for the longest time is closed, if there is one.
    pub connections: usize,
    /// Pages that are told news; further ones are refused, and ask now and then.
    pub sockets: usize,
    /// Frames decoded at the same time.
    pub decodes: usize,
    /// Answers that clients have not taken yet [bytes]; further ones wait. One answer is sent whatever its size.
    pub answer_bytes: u64,
    /// A request that is not complete this long after its first byte is given up.
    pub head: Duration,
    /// A client that lets bytes wait for this long is given up.
    pub stall: Duration,
    /// A connection without any traffic is closed after this time.
    pub idle: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 64,
            sockets: 16,
            decodes: 2,
            answer_bytes: 256 << 20,
            head: Duration::from_secs(10),
            stall: Duration::from_secs(20),
            idle: Duration::from_secs(60),
        }
    }
}

impl ServerLimits {
    /// The nearest limits a server can work with: nothing of which there is none, or more than can be counted.
    fn workable(self) -> Self {
        let span = |time: Duration| time.clamp(Duration::from_millis(30), Duration::from_secs(86_400));
        Self {
            connections: self.connections.clamp(1, 10_000),
            sockets: self.sockets.min(10_000),
            decodes: self.decodes.clamp(1, 64),
            answer_bytes: self.answer_bytes,
            head: span(self.head),
            stall: span(self.stall),
            idle: span(self.idle),
        }
    }
}

/// How a recording is served.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// Where to listen. Anything but the loopback address lets other computers in; the token then travels in clear.
    pub address: IpAddr,
    /// Port; 0 takes any that is free.
    pub port: u16,
    /// Names besides `localhost` and numbers under which browsers reach the server.
    pub hosts: Vec<String>,
    /// Where commands of the page go; without it the page only shows.
    pub control: Option<Control>,
    /// Time between looks at a file that still grows; 10 ms at the least.
    pub poll: Duration,
    /// How much is taken on at once.
    pub limits: ServerLimits,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            hosts: Vec::new(),
            control: None,
            poll: Duration::from_millis(200),
            limits: ServerLimits::default(),
        }
    }
}

/// What the server has to do just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLoad {
    /// Answers that clients have not taken yet [bytes].
    pub answer_bytes: u64,
    /// Pages that are told news.
    pub sockets: usize,
}

/// A server at work on its own thread; dropping it ends it.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What answers are made of.
struct Shared {
    gate: Gate,
    feed: Arc<Feed>,
    control: Option<Control>,
    sockets: Arc<Semaphore>,
    limits: ServerLimits,
}

/// File of the recording of a run: the file itself, or `run.hrec` in the folder of the run.
pub fn recording_path(run: &Path) -> Result<PathBuf, ViewerError> {
    let path = if run.is_dir() { run.join(RECORDING_NAME) } else { run.to_path_buf() };
    if path.is_file() { Ok(path) } else { Err(ViewerError::MissingRecording { path }) }
}

impl Server {
    /// Opens a recording, given as its file or as the folder of a run, and serves it.
    pub fn start(run: &Path, settings: ServerSettings) -> Result<Self, ViewerError> {
        let ServerSettings { address, port, hosts, control, poll, limits } = settings;
        let limits = limits.workable();
        let feed = Arc::new(Feed::open(&recording_path(run)?, limits.decodes, limits.answer_bytes)?);
        let gate = Gate::new(address, hosts)?;
        let listener = listen(SocketAddr::new(address, port))?;
        let address = listener.local_addr().map_err(|source| ViewerError::Start { source })?;
        let sockets = Arc::new(Semaphore::new(limits.sockets));
        let shared = Arc::new(Shared { gate, feed, control, sockets, limits });
        let (stop, stopped) = oneshot::channel();
        let work = {
            let shared = Arc::clone(&shared);
            runtime(&shared.limits).map(|runtime| {
                move || {
                    let work = serve(listener, shared, poll);
                    runtime.block_on(async {
                        tokio::select! { _ = work => {}, _ = stopped => {} }
                    });
                    // Open connections end here, whatever their clients still want.
                    runtime.shutdown_timeout(FAREWELL);
                }
            })
        };
        let thread = work.and_then(|work| std::thread::Builder::new().name("viewer".to_owned()).spawn(work));
        let thread = thread.map_err(|source| ViewerError::Start { source })?;
        Ok(Self { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Tells in advance whether a server could listen as asked, before there is a recording to serve.
    pub fn check(settings: &ServerSettings) -> Result<(), ViewerError> {
        Gate::new(settings.address, settings.hosts.clone())?;
        listen(SocketAddr::new(settings.address, settings.port)).map(drop)
    }

    /// Address and port it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The secret that requests for data must carry.
    pub fn token(&self) -> &str {
        self.shared.gate.token()
    }

    /// What to open in a browser on this computer.
    pub fn url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/?token={}", self.token())
    }

    /// What it has to do just now.
    pub fn load(&self) -> ServerLoad {
        let sockets = self.shared.limits.sockets.saturating_sub(self.shared.sockets.available_permits());
        ServerLoad { answer_bytes: self.shared.feed.bytes_in_flight(), sockets }
    }

    /// Ends it and waits for its thread.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended by itself.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the token, so that logs do not give it away.
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

fn listen(address: SocketAddr) -> Result<std::net::TcpListener, ViewerError> {
    let fail = |source: io::Error| match source.kind() {
        io::ErrorKind::AddrInUse => ViewerError::PortInUse { address },
        _ => ViewerError::Listen { address, source },
    };
    let listener = std::net::TcpListener::bind(address).map_err(fail)?;
    listener.set_nonblocking(true).map_err(|source| ViewerError::Start { source })?;
    Ok(listener)
}

fn runtime(limits: &ServerLimits) -> io::Result<tokio::runtime::Runtime> {
    // One thread more than decodes, for the look at the growing file.
    let threads = limits.decodes + 1;
    tokio::runtime::Builder::new_current_thread().max_blocking_threads(threads).enable_all().build()
}

async fn serve(listener: std::net::TcpListener, shared: Arc<Shared>, poll: Duration) -> io::Result<()> {
    let ServerLimits { connections, head, stall, idle, .. } = shared.limits;
    let (lines, patience) = (Lines::new(connections), Patience { head, stall, idle });
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let follow = tokio::spawn(Arc::clone(&shared.feed).follow(poll.max(POLL_LEAST)));
    let service = routes(shared).into_make_service_with_connect_info::<Caller>();
    let served = axum::serve(LimitedListener { listener, lines, patience }, service).await;
    follow.abort();
    served
}

fn routes(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/api/stage", get(stage))
        .route("/api/times", get(times))
        .route("/api/scalars", get(scalars))
        .route("/api/ranges", get(ranges))
        .route("/api/frame/{index}", get(frame))
        .route("/ws", get(socket))
        .route_layer(middleware::from_fn_with_state(Arc::clone(&shared), ask_for_token))
        .route("/", get(async || content("text/html; charset=utf-8", page::INDEX.into())))
        .route("/assets/{*name}", get(asset))
        .fallback(async || refusal(StatusCode::NOT_FOUND, "there is nothing under this address"))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), keep_gate))
        .with_state(shared)
}

/// Refuses strangers, and gives every answer its headers.
async fn keep_gate(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(Caller(line)): ConnectInfo<Caller>,
    request: extract::Request,
    next: Next,
) -> Response {
    let _request = line.request();
    let policy = shared.gate.content_policy(request.headers());
    let mut response = match shared.gate.admit(&request) {
        Ok(()) => next.run(request).await,
        Err((status, reason)) => refusal(status, reason),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}

async fn ask_for_token(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(Caller(line)): ConnectInfo<Caller>,
    request: extract::Request,
    next: Next,
) -> Response {
    if shared.gate.holds_token(request.headers()) {
        line.trust();
        return next.run(request).await;
    }
    let mut response = refusal(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

async fn asset(extract::Path(name): extract::Path<String>) -> Response {
    match page::asset(&name) {
        Some((text, kind)) => content(kind, text.into()),
        None => refusal(StatusCode::NOT_FOUND, "the page has no such file"),
    }
}

async fn stage(State(shared): State<Arc<Shared>>) -> Response {
    // Shared by all answers, so it needs no room of its own; the lock may be held for as long as a frame is decoded.
    let feed = Arc::clone(&shared.feed);
    match tokio::task::spawn_blocking(move || feed.read().stage.clone()).await {
        Ok(bytes) => content("application/octet-stream", bytes),
        Err(_) => fault(Fault::Stopped),
    }
}

async fn times(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Response {
    let Some(from) = first_frame(query.as_deref()) else { return bad_number() };
    answer("application/json", shared.feed.ask(move |opened| Ok(opened.times(from))).await)
}

async fn scalars(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Response {
    let Some(from) = first_frame(query.as_deref()) else { return bad_number() };
    answer("application/octet-stream", shared.feed.ask(move |opened| Ok(opened.scalars(from))).await)
}

async fn ranges(State(shared): State<Arc<Shared>>) -> Response {
    answer("application/json", shared.feed.ask(|opened| Ok(opened.ranges())).await)
}

async fn frame(State(shared): State<Arc<Shared>>, extract::Path(index): extract::Path<String>) -> Response {
    let Ok(index) = index.parse() else { return bad_number() };
    let bytes = shared.feed.ask(move |opened| opened.recording.frame_bytes(index)).await;
    answer("application/octet-stream", bytes)
}

async fn socket(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(Caller(line)): ConnectInfo<Caller>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Ok(place) = Arc::clone(&shared.sockets).try_acquire_owned() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open");
    };
    let (feed, control) = (Arc::clone(&shared.feed), shared.control.clone());
    // A talk is one long request: nothing else tells that its connection is in use.
    let request = line.request();
    let talk = Talk { feed, control, heartbeat: shared.limits.idle / 3 };
    upgrade
        .protocols([shared.gate.protocol()])
        .max_message_size(MESSAGE_LIMIT)
        .max_frame_size(MESSAGE_LIMIT)
        .on_upgrade(async move |socket| {
            talk.run(socket).await;
            drop((place, request));
        })
}

/// The number behind `from=` of a query, 0 where there is none.
fn first_frame(query: Option<&str>) -> Option<usize> {
    let mut pairs = query.unwrap_or_default().split('&');
    pairs.find_map(|pair| pair.strip_prefix("from=")).map_or(Some(0), |number| number.parse().ok())
}

fn answer(kind: &'static str, bytes: Result<Bytes, Fault>) -> Response {
    bytes.map_or_else(fault, |bytes| content(kind, bytes))
}

fn content(kind: &'static str, bytes: Bytes) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], bytes).into_response()
}

fn fault(fault: Fault) -> Response {
    match fault {
        Fault::Record(error @ RecordError::MissingFrame { .. }) => {
            (StatusCode::NOT_FOUND, error.to_string()).into_response()
        }
        Fault::Record(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        Fault::Stopped => refusal(StatusCode::SERVICE_UNAVAILABLE, "the server is being stopped"),
    }
}

fn bad_number() -> Response {
    refusal(StatusCode::BAD_REQUEST, "a number of a frame is expected, counted from 0")
}

fn refusal(status: StatusCode, reason: &'static str) -> Response {
    (status, reason).into_response()
}
