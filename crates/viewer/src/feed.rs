//! The recording as the server reads it: shared, refreshed while it grows, within a budget of memory.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;
use huygens_record::{RecordError, Recording, RecordingChange};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::ranges::Ranges;

/// Bytes that one unit of the budget stands for.
const UNIT: u64 = 1024;
/// A finished file is looked at this many times less often; it may yet be replaced by another run.
const FINISHED_PATIENCE: u32 = 5;
/// How long one question about ranges may look through frames; others wait for as long.
const RANGES_SLICE: Duration = Duration::from_millis(40);

/// How far the recording is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub frames: usize,
    pub finished: bool,
    /// Changes when frames get other numbers.
    pub generation: u64,
    /// Changes when the file is one of another stage.
    pub stage: u64,
    /// Changes when the stage grows.
    pub growth: usize,
}

/// A recording that many may ask.
pub(crate) struct Feed {
    opened: RwLock<Opened>,
    progress: watch::Sender<Progress>,
    decodes: Arc<Semaphore>,
    budget: Arc<Semaphore>,
    budget_units: u32,
}

/// The recording, and what belongs to this opening of it.
pub(crate) struct Opened {
    pub recording: Recording,
    pub stage: Bytes,
    generation: u64,
    stage_number: u64,
    ranges: Mutex<Ranges>,
}

impl Opened {
    pub fn progress(&self) -> Progress {
        Progress {
            frames: self.recording.frame_count(),
            finished: self.recording.finished(),
            generation: self.generation,
            stage: self.stage_number,
            growth: self.recording.change_count(),
        }
    }

    /// JSON with the times of all frames from one on.
    pub fn times(&self, from: usize) -> Vec<u8> {
        let times = self.recording.times().get(from..).unwrap_or_default();
        let Progress { finished, generation, growth, .. } = self.progress();
        let answer = serde_json::json!({
            "times": times, "finished": finished, "from": from, "generation": generation, "growth": growth,
        });
        answer.to_string().into_bytes()
    }

    /// Rows of time and scalars from a frame on, as little-endian f64.
    pub fn scalars(&self, from: usize) -> Vec<u8> {
        let width = self.recording.stage().scalars.len();
        let times = self.recording.times();
        let mut bytes = Vec::with_capacity(8 * (width + 1) * times.len().saturating_sub(from));
        for (frame, time) in times.iter().enumerate().skip(from) {
            let scalars = &self.recording.scalars()[width * frame..width * (frame + 1)];
            bytes.extend(std::iter::once(time).chain(scalars).flat_map(|value| value.to_le_bytes()));
        }
        bytes
    }

    /// JSON with the ranges of all fields over the first frames: further ones with each question, so that none takes
    /// long and no work is done that nobody waits for.
    pub fn ranges(&self) -> Vec<u8> {
        let mut ranges = self.ranges.lock().unwrap_or_else(PoisonError::into_inner);
        let (recording, end) = (&self.recording, Instant::now() + RANGES_SLICE);
        while ranges.frames < recording.frame_count() {
            // A frame that cannot be read has nothing to show either.
            let frame = recording.frame(ranges.frames).unwrap_or_else(|_| recording.stage().blank_frame());
            ranges.take(recording.stage(), &frame);
            if Instant::now() >= end {
                break;
            }
        }
        let answer = serde_json::json!({
            "frames": ranges.frames, "count": recording.frame_count(), "generation": self.generation,
            "groups": ranges.groups(),
        });
        answer.to_string().into_bytes()
    }
}

impl Feed {
    /// Opens a recording, to be decoded by at most `decodes` at once, with at most `bytes` of answers on their way.
    pub fn open(path: &Path, decodes: usize, bytes: u64) -> Result<Self, RecordError> {
        let recording = Recording::open(path)?;
        let stage = Bytes::copy_from_slice(recording.stage_bytes());
        let opened = Opened { recording, stage, generation: 0, stage_number: 0, ranges: Mutex::default() };
        let budget_units = u32::try_from((bytes / UNIT).max(1)).unwrap_or(u32::MAX >> 4).min(u32::MAX >> 4);
        Ok(Self {
            progress: watch::Sender::new(opened.progress()),
            opened: RwLock::new(opened),
            decodes: Arc::new(Semaphore::new(decodes)),
            budget: Arc::new(Semaphore::new(budget_units as usize)),
            budget_units,
        })
    }

    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Bytes of answers that clients have not taken yet.
    pub fn bytes_in_flight(&self) -> u64 {
        (self.budget_units as u64).saturating_sub(self.budget.available_permits() as u64) * UNIT
    }

    pub fn read(&self) -> RwLockReadGuard<'_, Opened> {
        self.opened.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the recording on a thread of its own. The answer counts against the budget until it is sent; while that
    /// is used up, whoever asks keeps its turn to decode, so that no more answers are made than can wait.
    pub async fn ask<F>(self: &Arc<Self>, question: F) -> Result<Bytes, Fault>
    where
        F: FnOnce(&Opened) -> Result<Vec<u8>, RecordError> + Send + 'static,
    {
        let turn = Arc::clone(&self.decodes).acquire_owned().await.map_err(|_| Fault::Stopped)?;
        let feed = Arc::clone(self);
        // The turn goes with the work: a client that leaves does not make it end sooner.
        let work = tokio::task::spawn_blocking(move || (question(&feed.read()), turn));
        let (bytes, turn) = work.await.map_err(|_| Fault::Stopped)?;
        let bytes = bytes?;
        let units = u32::try_from(bytes.len() as u64 / UNIT + 1).unwrap_or(u32::MAX).min(self.budget_units);
        let room = Arc::clone(&self.budget).acquire_many_owned(units).await.map_err(|_| Fault::Stopped)?;
        drop(turn);
        Ok(Bytes::from_owner(Answer { bytes, _room: room }))
    }

    /// Looks again and again for what was written meanwhile, and tells all who listen.
    pub async fn follow(self: Arc<Self>, poll: Duration) {
        loop {
            let finished = self.progress.borrow().finished;
            tokio::time::sleep(if finished { poll.saturating_mul(FINISHED_PATIENCE) } else { poll }).await;
            let feed = Arc::clone(&self);
            // A file that cannot be read just now, while it is being replaced, may be readable the next time; what
            // was known of it is still shown.
            let _ = tokio::task::spawn_blocking(move || feed.refresh()).await;
        }
    }

    fn refresh(&self) -> Result<(), RecordError> {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        let growth = opened.recording.change_count();
        let replaced = opened.recording.refresh()? == RecordingChange::Replaced;
        if replaced {
            opened.generation += 1;
            opened.ranges = Mutex::default();
        }
        if (replaced || opened.recording.change_count() != growth)
            && opened.stage != opened.recording.stage_bytes()
        {
            opened.stage_number += u64::from(replaced);
            opened.stage = Bytes::copy_from_slice(opened.recording.stage_bytes());
        }
        let now = opened.progress();
        drop(opened);
        self.progress.send_if_modified(|known| std::mem::replace(known, now) != now);
        Ok(())
    }
}

/// Bytes on their way to a client, and their share of the budget.
struct Answer {
    bytes: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Answer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Why there is no answer.
pub(crate) enum Fault {
    Record(RecordError),
    /// The server is being stopped.
    Stopped,
}

impl From<RecordError> for Fault {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}
