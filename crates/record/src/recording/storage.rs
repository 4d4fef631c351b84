//! The file a recording goes to: parts, segments, size budget, index.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::chunk::{
    FrameEncoder, HEADER_LENGTH, Header, MAGIC, Packed, TAG_CHANGE, TAG_END, TAG_INDEX, TAG_STAGE, VERSION,
    push_chunk, push_plain_chunk,
};
use super::index::Index;
use super::pack::{FrameHead, Layout, body_words};
use super::places::Places;
use super::reader::Recording;
use super::stage::{Frame, Stage};
use crate::atomic::{name_beside, sync_folder};
use crate::error::RecordError;

/// A part is written when it has this many words …
const PART_WORDS: usize = 512 * 1024;
/// … or this many frames.
const PART_FRAMES: usize = 32;
/// A segment ends at this many frames …
const SEGMENT_FRAMES: usize = 32;
/// … or, so that one frame is found quickly, at this many words …
const SEGMENT_WORDS: usize = 8 << 20;
/// … but not before predictions pay.
const SEGMENT_FRAMES_LEAST: usize = 4;

/// A change of the stage on its way to disk.
pub(crate) struct Change {
    bytes: Vec<u8>,
    /// Places of the frames that follow, and how their words lie.
    places: Places,
    layout: Layout,
    /// Scalars of the stage after it.
    scalars: usize,
}

impl Change {
    /// The change with these bytes; `stage` is as it is after it.
    pub fn new(bytes: Vec<u8>, places: Places, stage: &Stage) -> Self {
        Self { bytes, layout: places.layout(stage), places, scalars: stage.scalars.len() }
    }
}

/// Frames on their way to disk, and the file.
pub(crate) struct Storage {
    path: PathBuf,
    file: File,
    /// Where frames belong on the stage, and how their words lie.
    places: Places,
    layout: Layout,
    budget: Option<u64>,
    thinned: u32,
    index: Index,
    end: u64,
    encoder: FrameEncoder,
    pending: Vec<Packed>,
    pending_words: usize,
    spare: Vec<Packed>,
    segment: (usize, usize),
    chunk: Vec<u8>,
}

impl Storage {
    /// Starts a file with its stage, also given as packed bytes.
    pub fn create(
        path: &Path,
        stage: &Stage,
        stage_bytes: &[u8],
        budget: Option<u64>,
        thinned: u32,
    ) -> Result<Self, RecordError> {
        // A new file instead of the old one emptied: whoever still reads that keeps what it knows, and can tell.
        if std::fs::symlink_metadata(path).is_ok_and(|old| old.is_file()) {
            let _ = std::fs::remove_file(path);
        }
        let mut file = File::create(path).map_err(RecordError::write(path))?;
        let mut chunk = MAGIC.to_vec();
        chunk.extend(VERSION.to_le_bytes());
        chunk.extend(thinned.to_le_bytes());
        push_chunk(TAG_STAGE, stage_bytes, &mut chunk);
        file.write_all(&chunk).map_err(RecordError::write(path))?;
        let places = Places::whole(stage);
        Ok(Self {
            path: path.to_path_buf(),
            file,
            layout: places.layout(stage),
            places,
            budget,
            thinned,
            index: Index::new(stage.scalars.len()),
            end: chunk.len() as u64,
            encoder: FrameEncoder::default(),
            pending: Vec::new(),
            pending_words: 0,
            spare: Vec::new(),
            segment: (0, 0),
            chunk,
        })
    }

    /// Takes up a file again: its first frames are kept, with the changes of the stage before them.
    pub fn resume(
        old: &Recording,
        budget: Option<u64>,
        frames: usize,
        changes: usize,
    ) -> Result<Self, RecordError> {
        let mut storage = Self::rewritten(old, changes, old.generation(), |frame| frame < frames)?;
        storage.budget = budget;
        Ok(storage)
    }

    /// A file with some frames of another, which it replaces, and with its first changes of the stage.
    fn rewritten(
        old: &Recording,
        changes: usize,
        thinned: u32,
        keep: impl Fn(usize) -> bool,
    ) -> Result<Self, RecordError> {
        let path = old.path();
        let temporary = name_beside(path, ".", ".tmp").map_err(RecordError::write(path))?;
        let attempt = || -> Result<Self, RecordError> {
            let (bytes, mut stage) = old.first_stage()?;
            let mut new = Self::create(&temporary, &stage, &bytes, None, thinned)?;
            for frame in (0..old.frame_count()).filter(|frame| keep(*frame)) {
                new.change_as(old, &mut stage, old.changes_before(frame))?;
                let past = old.past(frame)?;
                let head = old.head(frame);
                new.push_words(head, |words| words.extend_from_slice(&past.words))?;
            }
            new.change_as(old, &mut stage, changes)?;
            new.flush()?;
            new.file.sync_all().map_err(RecordError::write(path))?;
            fs::rename(&temporary, path).map_err(RecordError::write(path))?;
            sync_folder(path).map_err(RecordError::write(path))?;
            new.path = path.to_path_buf();
            Ok(new)
        };
        attempt().inspect_err(|_| {
            // Best effort: the first error is the one worth telling.
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Makes the next changes of another recording on a stage, up to so many in all.
    fn change_as(&mut self, old: &Recording, stage: &mut Stage, changes: usize) -> Result<(), RecordError> {
        for change in self.index.changes.len()..changes {
            let (bytes, growth) = old.change(change, stage)?;
            self.change(&Change::new(bytes, growth.places, stage))?;
        }
        Ok(())
    }

    /// Writes a change of the stage, for the frames that follow.
    pub fn change(&mut self, change: &Change) -> Result<(), RecordError> {
        self.flush()?;
        // What follows is predicted from nothing before.
        self.segment = (0, 0);
        self.chunk.clear();
        push_chunk(TAG_CHANGE, &change.bytes, &mut self.chunk);
        if let Some(Ok(header)) = self.chunk.first_chunk().map(Header::parse) {
            let at = self.end;
            self.write_chunk()?;
            self.index.push_change(at, header, change.scalars);
        }
        self.layout = change.layout.clone();
        self.places = change.places.clone();
        Ok(())
    }

    /// How often every second frame was dropped.
    pub fn thinned(&self) -> u32 {
        self.thinned
    }

    /// Bytes written.
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Whether frames wait to be written.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Times of all frames, written or waiting.
    pub fn times(&self) -> Vec<f64> {
        let pending = self.pending.iter().map(|packed| packed.head.time);
        self.index.times.iter().copied().chain(pending).collect()
    }

    /// Takes a frame, and writes a part if it is complete.
    pub fn push(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let head = FrameHead { time: frame.time, step: frame.step, scalars: frame.scalars.clone() };
        self.push_words(head, |words| body_words(frame, words))
    }

    fn push_words(&mut self, head: FrameHead, fill: impl FnOnce(&mut Vec<u32>)) -> Result<(), RecordError> {
        let mut words = self.spare.pop().map(|packed| packed.words).unwrap_or_default();
        words.clear();
        fill(&mut words);
        self.pending_words += words.len();
        self.pending.push(Packed { head, words });
        if self.pending_words >= PART_WORDS || self.pending.len() >= PART_FRAMES {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the frames that wait.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        while !self.pending.is_empty() {
            let continues = self.segment.0 > 0;
            let encoded = self.encoder.encode(&self.layout, continues, &self.pending, &mut self.chunk);
            let table =
                encoded.map_err(|rule| RecordError::RecordingRule { path: self.path.clone(), rule })?;
            if self.budget.is_some_and(|budget| self.size_with_pending() > budget) {
                self.thin()?;
                continue;
            }
            let header = self.chunk.first_chunk().map(Header::parse);
            if let Some(Ok(header)) = header {
                let at = self.end;
                self.write_chunk()?;
                let path = &self.path;
                let fail = |damage| RecordError::Recording { path: path.clone(), at, damage };
                self.index.push(at, header, &table, &self.places).map_err(fail)?;
            }
            self.note_segment();
            self.pending_words = 0;
            self.spare.append(&mut self.pending);
        }
        Ok(())
    }

    fn note_segment(&mut self) {
        self.segment.0 += self.pending.len();
        self.segment.1 += self.pending_words;
        let (frames, words) = self.segment;
        if frames >= SEGMENT_FRAMES || words >= SEGMENT_WORDS && frames >= SEGMENT_FRAMES_LEAST {
            self.segment = (0, 0);
        }
    }

    /// Bytes of the file with the encoded chunk and an end.
    fn size_with_pending(&self) -> u64 {
        let index = self.index.size_with(1, self.pending.len());
        // Blocks that do not compress cost 3 bytes each beside their content.
        let index = index + index / 4096 + 64;
        self.end + self.chunk.len() as u64 + index + 2 * HEADER_LENGTH + 8
    }

    /// Drops every second frame of the file and of those that wait.
    fn thin(&mut self) -> Result<(), RecordError> {
        let written = self.index.times.len();
        if written + self.pending.len() <= 2 {
            let (path, needed) = (self.path.clone(), self.size_with_pending());
            return Err(RecordError::RecordingBudget { path, budget: self.budget.unwrap_or(0), needed });
        }
        self.present()?;
        let old = Recording::open(&self.path)?;
        let thinned = self.thinned + 1;
        let changes = old.change_count();
        let mut new = Self::rewritten(&old, changes, thinned, |frame| frame.is_multiple_of(2))?;
        new.budget = self.budget;
        let pending = std::mem::take(&mut self.pending);
        let kept = pending.into_iter().enumerate().filter(|(after, _)| (written + after).is_multiple_of(2));
        new.pending = kept.map(|(_, packed)| packed).collect();
        new.pending_words = new.pending.iter().map(|packed| packed.words.len()).sum();
        *self = new;
        Ok(())
    }

    /// Writes the encoded chunk; on failure the file ends with its last whole chunk.
    fn write_chunk(&mut self) -> Result<(), RecordError> {
        self.present()?;
        if let Err(error) = self.file.write_all(&self.chunk) {
            // Best effort: readers skip what is left of it anyhow.
            let _ = self.file.set_len(self.end);
            return Err(RecordError::write(&self.path)(error));
        }
        self.end += self.chunk.len() as u64;
        Ok(())
    }

    /// Writing to a file that was removed succeeds on some systems, and all would be lost.
    fn present(&self) -> Result<(), RecordError> {
        fs::metadata(&self.path).map(drop).map_err(RecordError::write(&self.path))
    }

    /// Writes what waits and the index, and brings the file to disk.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        let at = self.end;
        self.chunk.clear();
        push_chunk(TAG_INDEX, &self.index.to_bytes(), &mut self.chunk);
        push_plain_chunk(TAG_END, &at.to_le_bytes(), &mut self.chunk);
        self.write_chunk()?;
        self.file.sync_all().map_err(RecordError::write(&self.path))
    }
}
