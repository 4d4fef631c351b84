//! Recordings written beside a run: a bounded queue of frames, and a thread that packs and writes them.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::cast::Cast;
use super::growth::Growth;
use super::pack::{pack_stage, unpack_stage};
use super::reader::Recording;
use super::schedule::Schedule;
use super::stage::{Frame, GroupFrame, Stage};
use super::storage::{Change, Storage};
use crate::error::RecordError;

/// Frames wait no longer than this to be written, so that a viewer can follow.
const LIVE: Duration = Duration::from_millis(500);

/// How a run is recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingSettings {
    /// Time between frames [s]; 0 keeps every frame offered.
    pub interval: f64,
    /// Most bytes of the file; when they are reached, every second frame is dropped and the interval doubles.
    ///
    /// While that happens, a second file beside it holds the frames that stay.
    pub budget_bytes: Option<u64>,
    /// Frames that may wait to be written; the run waits when there are more.
    pub queue_frames: usize,
}

impl Default for RecordingSettings {
    fn default() -> Self {
        Self { interval: 1.0 / 60.0, budget_bytes: None, queue_frames: 4 }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingSummary {
    /// Frames in the file.
    pub frames: usize,
    /// Bytes of the file.
    pub bytes: u64,
    /// Time between frames at the end [s].
    pub interval: f64,
    /// How often every second frame was dropped.
    pub thinned: u32,
}

/// A recording being written.
///
/// Ask [`wants`](Self::wants) whether a frame is due, take a buffer by [`frame`](Self::frame), fill it, and give it to
/// [`push`](Self::push). Where the things on show change, say so by [`restage`](Self::restage) before the next frame:
/// what came is in that frame and later ones, what went is not. Nothing is dropped: where frames come faster than they can be written, `frame` and `push`
/// wait. An error of the writing thread is returned by the next call. Dropping the writer ends the file as
/// [`finish`](Self::finish) does, but tells no error.
pub struct RecordingWriter {
    path: PathBuf,
    /// What the next frames show.
    stage: Stage,
    /// What is on the stage of the file, as the last frame shows it.
    cast: Cast,
    /// Whether `stage` is news to the file.
    restaged: bool,
    shared: Arc<Mutex<Shared>>,
    frames: Option<SyncSender<Offer>>,
    used: Receiver<Frame>,
    thread: Option<JoinHandle<()>>,
    /// Buffers made, and how many of them are with the thread.
    made: usize,
    away: usize,
    buffers: usize,
}

/// What both threads know.
struct Shared {
    schedule: Schedule,
    thinned: u32,
    outcome: Option<Result<RecordingSummary, RecordError>>,
}

/// What the thread is given.
enum Offer {
    Change(Box<Change>),
    /// A frame, and under which circumstances it was given.
    Frame {
        frame: Frame,
        /// Whether it was due.
        due: bool,
        thinned: u32,
    },
}

impl RecordingWriter {
    /// Starts a recording; a file of that name is replaced.
    pub fn create(path: &Path, stage: &Stage, settings: &RecordingSettings) -> Result<Self, RecordError> {
        let bytes = Self::prepare(path, stage, settings)?;
        let storage = Storage::create(path, stage, &bytes, settings.budget_bytes, 0)?;
        Self::start(path, stage, settings, (storage, Cast::new(stage)))
    }

    /// Continues a recording after a restart: frames later than `until` [s] are dropped. Where there is no file of
    /// that name it starts one. Things are known again by their names; what the last of these frames shows and `stage`
    /// does not is gone from the next frame on, and the other way round. One that shows nothing of the kind is refused.
    pub fn resume(
        path: &Path,
        stage: &Stage,
        settings: &RecordingSettings,
        until: f64,
    ) -> Result<Self, RecordError> {
        if !path.exists() {
            return Self::create(path, stage, settings);
        }
        Self::prepare(path, stage, settings)?;
        let old = Recording::open(path)?;
        let frames = old.times().partition_point(|time| *time <= until);
        let changes = frames.checked_sub(1).map_or(0, |last| old.changes_before(last));
        let (shown, places) = old.stage_after(changes)?;
        let cast = Cast::taken_up(shown, places);
        if !cast.may_go_on(stage) {
            let rule =
                "it shows another stage than the run that would continue it; start it again, or give it \
                        another name"
                    .to_owned();
            return Err(RecordError::RecordingRule { path: path.to_path_buf(), rule });
        }
        let storage = Storage::resume(&old, settings.budget_bytes, frames, changes)?;
        let mut writer = Self::start(path, stage, settings, (storage, cast))?;
        writer.restaged = true;
        Ok(writer)
    }

    fn prepare(path: &Path, stage: &Stage, settings: &RecordingSettings) -> Result<Vec<u8>, RecordError> {
        let broken = |rule| RecordError::RecordingRule { path: path.to_path_buf(), rule };
        if !settings.interval.is_finite() || settings.interval < 0.0 {
            return Err(broken(format!(
                "interval is {}, a time of 0 s or more is expected",
                settings.interval
            )));
        }
        checked_bytes(stage).map_err(broken)
    }

    fn start(
        path: &Path,
        stage: &Stage,
        settings: &RecordingSettings,
        (storage, cast): (Storage, Cast),
    ) -> Result<Self, RecordError> {
        let buffers = settings.queue_frames.max(1) + 1;
        let interval = settings.interval * f64::from(storage.thinned()).exp2();
        let schedule = Schedule::resumed(interval, &storage.times());
        let shared = Shared { schedule, thinned: storage.thinned(), outcome: None };
        let shared = Arc::new(Mutex::new(shared));
        let (frames, offers) = sync_channel(buffers);
        let (recycled, used) = sync_channel(buffers);
        let worker =
            Worker { storage, shared: Arc::clone(&shared), recycled, kept: schedule, waiting_since: None };
        let thread = thread::Builder::new().name("recording".to_owned()).spawn(move || worker.run(&offers));
        let thread = Some(thread.map_err(RecordError::write(path))?);
        let (path, stage, frames) = (path.to_path_buf(), stage.clone(), Some(frames));
        let restaged = false;
        Ok(Self { path, stage, cast, restaged, shared, frames, used, thread, made: 0, away: 0, buffers })
    }

    /// Says what frames show from now on, in the same way as the stage that the recording began with; only its groups,
    /// scalars, shapes and joints count. Frames are then filled for this stage.
    ///
    /// A group continues where its name, its kind, its fields and its key are the same, an item where its name and its
    /// key are; keys count where both stages have them. What continues keeps its place, its look and its shapes.
    pub fn restage(&mut self, stage: &Stage) -> Result<(), RecordError> {
        stage.check().map_err(|rule| RecordError::RecordingRule { path: self.path.clone(), rule })?;
        self.stage = stage.clone();
        self.restaged = true;
        Ok(())
    }

    /// Number that an item of a group of the recording has in the stage of now; none where it is not there.
    pub fn number_now(&self, group: &str, item: usize) -> Option<usize> {
        self.cast.number_now(group, item)
    }

    /// Whether a frame at this time [s] is due.
    pub fn wants(&self, time: f64) -> bool {
        self.lock().schedule.wants(time)
    }

    /// Time between frames now [s]; grows where the size budget asks for it.
    pub fn interval(&self) -> f64 {
        self.lock().schedule.interval()
    }

    /// An empty frame with as many groups and fields as the stage of now; its buffers have served before, so that filling
    /// them allocates nothing once the run is warm.
    pub fn frame(&mut self) -> Frame {
        // A buffer comes back only where one is away; a caller may drop those it took.
        let again = if self.made >= self.buffers && self.away > 0 { self.used.recv().ok() } else { None };
        let mut frame = match again {
            Some(frame) => {
                self.away -= 1;
                if fits(&self.stage, &frame) { frame } else { self.stage.blank_frame() }
            }
            None => {
                self.made += 1;
                self.stage.blank_frame()
            }
        };
        frame.time = 0.0;
        frame.step = 0;
        frame.scalars.clear();
        for group in &mut frame.groups {
            group.count = 0;
            group.fields.iter_mut().for_each(Vec::clear);
        }
        frame
    }

    /// Records a frame, also one that is not due, such as the last of a run. One that is not later than the frame
    /// before is ignored. Where the size budget asks for it, any but the first may be dropped later.
    pub fn push(&mut self, frame: Frame) -> Result<(), RecordError> {
        if let Err(rule) = self.stage.check_frame(&frame) {
            return Err(RecordError::RecordingRule { path: self.path.clone(), rule });
        }
        if self.frames.is_none() {
            return Err(self.stopped());
        }
        let mut shared = self.lock();
        if shared.schedule.last().is_some_and(|last| frame.time <= last) {
            return Ok(());
        }
        let due = shared.schedule.wants(frame.time);
        let before = shared.schedule.last();
        shared.schedule.keep(frame.time);
        let thinned = shared.thinned;
        drop(shared);
        if self.restaged {
            self.change(before, frame.time)?;
            self.restaged = false;
        }
        self.send(Offer::Frame { frame, due, thinned })?;
        self.away += 1;
        Ok(())
    }

    /// Hands on what came and went between two frames.
    fn change(&mut self, before: Option<f64>, time: f64) -> Result<(), RecordError> {
        let Some(growth) = self.cast.change(&self.stage, before, time) else {
            self.cast.note(&self.stage);
            return Ok(());
        };
        let broken = |rule| RecordError::RecordingRule { path: self.path.clone(), rule };
        let bytes = growth.pack().map_err(broken)?;
        // Readers see what is made of the bytes, so this side goes by them too.
        let growth = Growth::unpack(&bytes).map_err(broken)?;
        self.cast.make(&growth, &self.stage).map_err(broken)?;
        let change = Change::new(bytes, growth.places, &self.cast.stage);
        self.send(Offer::Change(Box::new(change)))
    }

    fn send(&mut self, offer: Offer) -> Result<(), RecordError> {
        let sent = self.frames.as_ref().map(|frames| frames.send(offer));
        if matches!(sent, Some(Ok(()))) { Ok(()) } else { Err(self.stopped()) }
    }

    /// Writes what waits, ends the file, and brings it to disk.
    pub fn finish(mut self) -> Result<RecordingSummary, RecordError> {
        self.join();
        let outcome = self.lock().outcome.take();
        outcome.unwrap_or_else(|| Err(RecordError::RecordingStopped { path: self.path.clone() }))
    }

    fn join(&mut self) {
        self.frames = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked leaves no outcome, which is told as such.
            let _ = thread.join();
        }
    }

    /// Why the thread no longer listens.
    fn stopped(&mut self) -> RecordError {
        self.join();
        match self.lock().outcome.take() {
            Some(Err(error)) => error,
            _ => RecordError::RecordingStopped { path: self.path.clone() },
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RecordingWriter {
    fn drop(&mut self) {
        self.join();
    }
}

impl std::fmt::Debug for RecordingWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordingWriter").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Bytes of a stage. What cannot be read back, such as JSON nested too deep, must be noticed before frames are written
/// for it and not after.
fn checked_bytes(stage: &Stage) -> Result<Vec<u8>, String> {
    let bytes = pack_stage(stage)?;
    unpack_stage(&bytes)?;
    Ok(bytes)
}

/// Whether a frame has as many groups and fields as a stage.
fn fits(stage: &Stage, frame: &Frame) -> bool {
    let fields = |group: &GroupFrame| group.fields.len();
    frame.groups.iter().map(fields).eq(stage.groups.iter().map(|group| group.fields.len()))
}

/// The thread that writes.
struct Worker {
    storage: Storage,
    shared: Arc<Mutex<Shared>>,
    recycled: SyncSender<Frame>,
    /// The schedule as of the last frame taken, for frames that were on their way while others were thinned out.
    kept: Schedule,
    waiting_since: Option<Instant>,
}

impl Worker {
    fn run(mut self, offers: &Receiver<Offer>) {
        let outcome = self.serve(offers);
        let outcome = outcome.map(|()| RecordingSummary {
            frames: self.storage.times().len(),
            bytes: self.storage.bytes(),
            interval: self.kept.interval(),
            thinned: self.storage.thinned(),
        });
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).outcome = Some(outcome);
    }

    fn serve(&mut self, offers: &Receiver<Offer>) -> Result<(), RecordError> {
        loop {
            let offer = match self.waiting_since {
                None => offers.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(since) => offers.recv_timeout(LIVE.saturating_sub(since.elapsed())),
            };
            match offer {
                Ok(offer) => self.take(offer)?,
                Err(RecvTimeoutError::Timeout) => {
                    self.storage.flush()?;
                    self.note_thinning();
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.storage.finish()?;
                    self.note_thinning();
                    return Ok(());
                }
            }
            self.waiting_since = if self.storage.has_pending() {
                self.waiting_since.or_else(|| Some(Instant::now()))
            } else {
                None
            };
        }
    }

    fn take(&mut self, offer: Offer) -> Result<(), RecordError> {
        let (frame, due, thinned) = match offer {
            Offer::Frame { frame, due, thinned } => (frame, due, thinned),
            Offer::Change(change) => {
                self.storage.change(&change)?;
                self.note_thinning();
                return Ok(());
            }
        };
        if !due || thinned == self.storage.thinned() || self.kept.wants(frame.time) {
            self.kept.keep(frame.time);
            self.storage.push(&frame)?;
            self.note_thinning();
        }
        // The writer may be gone; then nobody needs the buffer.
        let _ = self.recycled.try_send(frame);
        Ok(())
    }

    /// Widens the grid of frames after every second one was dropped.
    fn note_thinning(&mut self) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.thinned == self.storage.thinned() {
            return;
        }
        let times = self.storage.times();
        while shared.thinned < self.storage.thinned() {
            shared.schedule.thin(&times);
            shared.thinned += 1;
        }
        self.kept = shared.schedule.after(&times);
    }
}
