//! Recordings read back: any frame at any time, also while the file still grows.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::chunk::{
    Cursor, FrameChunk, FrameTable, HEAD_LENGTH, HEADER_LENGTH, Header, MAGIC, TAG_CHANGE, TAG_END,
    TAG_FRAMES, TAG_INDEX, TAG_STAGE, VERSION, tag_name,
};
use super::damage::RecordingDamage;
use super::growth::Growth;
use super::index::{Index, IndexContent};
use super::pack::{FrameHead, Layout, pack_stage, packed_frame, unpack_stage};
use super::places::{Places, Spread};
use super::predict::{History, Past};
use super::source::Source;
use super::stage::{Field, Frame, Stage};
use crate::error::RecordError;

/// What a reader is willing to hold in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingLimits {
    /// Most bytes of one chunk, stored or decompressed [bytes].
    pub chunk_bytes: u64,
    /// Decoded chunks kept for the next question [bytes]; the newest is kept whatever its size.
    pub cache_bytes: u64,
}

impl Default for RecordingLimits {
    fn default() -> Self {
        Self { chunk_bytes: 2 << 30, cache_bytes: 128 << 20 }
    }
}

/// What [`Recording::refresh`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingChange {
    /// Nothing new.
    None,
    /// More frames at the end, a grown stage, or the end itself; frames and items known before keep their numbers.
    Grown,
    /// Another file under the same name, or the same thinned out: frames have other numbers.
    Replaced,
}

/// Frames between two changes of the stage.
struct SpanPlaces {
    places: Places,
    layout: Layout,
}

impl SpanPlaces {
    fn new(places: Places, stage: &Stage) -> Self {
        Self { layout: places.layout(stage), places }
    }
}

/// A recording, opened to be read.
///
/// Its stage is that of all frames: it holds everything that is ever there, and each frame has [`ABSENT`] for what is
/// not. While a file grows, so may its stage.
///
/// [`ABSENT`]: super::stage::ABSENT
pub struct Recording {
    path: PathBuf,
    limits: RecordingLimits,
    source: Source,
    version: u32,
    generation: u32,
    stage: Stage,
    stage_bytes: Vec<u8>,
    /// Places of frames on the stage: before its first change, after it, after the second …
    spans: Vec<SpanPlaces>,
    index: Index,
    /// End of the last whole chunk.
    end: u64,
    finished: bool,
    damage: Option<(u64, RecordingDamage)>,
    cache: Mutex<Cache>,
}

impl Recording {
    /// Opens a recording; one that is cut off, or still being written, as far as its last whole chunk.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Self::open_within(path, RecordingLimits::default())
    }

    /// Opens a recording within other limits than usual.
    pub fn open_within(path: &Path, limits: RecordingLimits) -> Result<Self, RecordError> {
        let source = Source::open(path).map_err(RecordError::read(path))?;
        Self::from_source(path, source, limits)
    }

    /// Reads a recording in memory.
    pub fn from_bytes(bytes: Vec<u8>, limits: RecordingLimits) -> Result<Self, RecordError> {
        Self::from_source(Path::new("(memory)"), Source::memory(bytes), limits)
    }

    fn from_source(path: &Path, source: Source, limits: RecordingLimits) -> Result<Self, RecordError> {
        let length = source.length().map_err(RecordError::read(path))?;
        let fail = |at, damage| RecordError::Recording { path: path.to_path_buf(), at, damage };
        let read = |at, count| source.read(at, count).map_err(RecordError::read(path));
        if length < HEAD_LENGTH {
            let head = read(0, length)?;
            let known = head.len().min(MAGIC.len());
            let damage = if head[..known] == MAGIC[..known] {
                RecordingDamage::NoStage
            } else {
                RecordingDamage::NotRecording
            };
            return Err(fail(0, damage));
        }
        let head = read(0, HEAD_LENGTH)?;
        if !head.starts_with(MAGIC) {
            return Err(fail(0, RecordingDamage::NotRecording));
        }
        let mut cursor = Cursor { bytes: &head[MAGIC.len()..] };
        let version = cursor.u32().map_err(|damage| fail(8, damage))?;
        if !(1..=VERSION).contains(&version) {
            return Err(fail(8, RecordingDamage::Version { found: version }));
        }
        let generation = cursor.u32().map_err(|damage| fail(12, damage))?;
        let chunk =
            match chunk_header(&source, HEAD_LENGTH, length, &limits).map_err(RecordError::read(path))? {
                Ok(header) if header.tag == TAG_STAGE => header,
                Ok(_) | Err(RecordingDamage::Cut { .. }) => {
                    return Err(fail(HEAD_LENGTH, RecordingDamage::NoStage));
                }
                Err(damage) => return Err(fail(HEAD_LENGTH, damage)),
            };
        let payload = read(HEAD_LENGTH + HEADER_LENGTH, chunk.stored)?;
        let stage_bytes = chunk.content(&payload).map_err(|damage| fail(HEAD_LENGTH, damage))?;
        let stage = unpack_stage(&stage_bytes)
            .map_err(|reason| fail(HEAD_LENGTH, RecordingDamage::Stage { reason }))?;
        let mut recording = Self {
            path: path.to_path_buf(),
            limits,
            source,
            version,
            generation,
            spans: vec![SpanPlaces::new(Places::whole(&stage), &stage)],
            index: Index::new(stage.scalars.len()),
            stage,
            stage_bytes,
            end: HEAD_LENGTH + HEADER_LENGTH + chunk.stored,
            finished: false,
            damage: None,
            cache: Mutex::default(),
        };
        if !recording.read_index(length).map_err(RecordError::read(path))? {
            recording.scan(length).map_err(RecordError::read(path))?;
        }
        Ok(recording)
    }

    /// Takes the index at the end of a finished file; false where there is none that can be used.
    fn read_index(&mut self, length: u64) -> std::io::Result<bool> {
        let Some(tail) = length.checked_sub(HEADER_LENGTH + 8).filter(|tail| *tail >= self.end) else {
            return Ok(false);
        };
        match chunk_header(&self.source, tail, length, &self.limits)? {
            Ok(header) if header.tag == TAG_END && header.stored == 8 => {}
            _ => return Ok(false),
        }
        let at = self.source.read(tail + HEADER_LENGTH, 8)?;
        let Ok(at) = (Cursor { bytes: &at }).u64() else { return Ok(false) };
        if at < self.end || at >= tail {
            return Ok(false);
        }
        let header = match chunk_header(&self.source, at, tail, &self.limits)? {
            Ok(header) if header.tag == TAG_INDEX => header,
            _ => return Ok(false),
        };
        let payload = self.source.read(at + HEADER_LENGTH, header.stored)?;
        let Ok(content) = header.content(&payload) else { return Ok(false) };
        let Ok(content) = IndexContent::parse(&content, self.version, at) else { return Ok(false) };
        let mut stage = self.stage.clone();
        let mut spans = Vec::new();
        for change in &content.changes {
            match self.growth(change.offset, &change.header)?.map(|growth| (growth.apply(&mut stage), growth))
            {
                Ok((Ok(()), growth)) => spans.push(SpanPlaces::new(growth.places, &stage)),
                _ => return Ok(false),
            }
        }
        if let Ok(index) = content.rest(stage.scalars.len()) {
            self.index = index;
            self.end = length;
            self.finished = true;
            self.spans.extend(spans);
            self.restage(stage);
        }
        Ok(self.finished)
    }

    /// Takes another stage for all frames.
    fn restage(&mut self, stage: Stage) {
        if self.spans.len() > 1 {
            // It was checked, and what was read from bytes can be packed again.
            self.stage_bytes = pack_stage(&stage).unwrap_or_default();
        }
        self.stage = stage;
    }

    /// Content of a change of the stage.
    fn change_content(&self, at: u64, header: &Header) -> std::io::Result<Result<Vec<u8>, RecordingDamage>> {
        let largest = header.stored.max(header.raw);
        if largest > self.limits.chunk_bytes {
            let (tag, limit) = (tag_name(header.tag), self.limits.chunk_bytes);
            return Ok(Err(RecordingDamage::Limit { tag, found: largest, limit }));
        }
        let payload = self.source.read(at + HEADER_LENGTH, header.stored)?;
        let damage = |damage: RecordingDamage| RecordingDamage::Change { reason: damage.to_string() };
        Ok(header.content(&payload).map_err(|found| match found {
            RecordingDamage::PayloadCrc { computed, stored, .. } => RecordingDamage::Change {
                reason: format!("its checksum is {computed:08x}, {stored:08x} is recorded"),
            },
            other => damage(other),
        }))
    }

    fn growth(&self, at: u64, header: &Header) -> std::io::Result<Result<Growth, RecordingDamage>> {
        let content = self.change_content(at, header)?;
        Ok(content.and_then(|content| {
            Growth::unpack(&content).map_err(|reason| RecordingDamage::Change { reason })
        }))
    }

    /// Takes up the chunks from the last known end on.
    fn scan(&mut self, length: u64) -> std::io::Result<()> {
        self.damage = None;
        let spans = self.spans.len();
        let mut stage = None;
        while self.end < length {
            let at = self.end;
            let found = match chunk_header(&self.source, at, length, &self.limits)? {
                Ok(header) => self.take_up(at, header, &mut stage)?.map(|()| header),
                Err(damage) => Err(damage),
            };
            match found {
                Ok(header) => self.end = at + HEADER_LENGTH + header.stored,
                Err(damage) => {
                    self.damage = Some((at, damage));
                    break;
                }
            }
        }
        if let Some(stage) = stage.filter(|_| self.spans.len() > spans) {
            self.restage(stage);
        }
        Ok(())
    }

    /// Takes up a chunk; `stage` is the stage as changed so far.
    fn take_up(
        &mut self,
        at: u64,
        header: Header,
        stage: &mut Option<Stage>,
    ) -> std::io::Result<Result<(), RecordingDamage>> {
        if header.tag == TAG_END {
            self.finished = true;
        }
        if header.tag == TAG_CHANGE {
            let growth = match self.growth(at, &header)? {
                Ok(growth) => growth,
                Err(damage) => return Ok(Err(damage)),
            };
            let changed = stage.get_or_insert_with(|| self.stage.clone());
            if let Err(reason) = growth.apply(changed) {
                // What it changed nevertheless is no stage of the frames before.
                *stage = self.stage_after(self.change_count()).ok().map(|(stage, _)| stage);
                return Ok(Err(RecordingDamage::Change { reason }));
            }
            self.index.push_change(at, header, changed.scalars.len());
            self.spans.push(SpanPlaces::new(growth.places, changed));
        }
        if header.tag != TAG_FRAMES {
            return Ok(Ok(()));
        }
        let start = at + HEADER_LENGTH;
        let count = self.source.read(start, header.stored.min(4))?;
        let Ok(frames) = (Cursor { bytes: &count }).u32() else { return Ok(Err(RecordingDamage::Short)) };
        let SpanPlaces { places, layout } = &self.spans[self.spans.len() - 1];
        let size = FrameTable::size(frames, layout.scalars).min(header.stored);
        let bytes = self.source.read(start, size)?;
        let table = FrameTable::parse(&bytes, layout.scalars);
        Ok(table.and_then(|table| self.index.push(at, header, &table, places)))
    }

    /// Looks for what was written since the recording was opened or last refreshed.
    pub fn refresh(&mut self) -> Result<RecordingChange, RecordError> {
        let source = Source::open(&self.path).map_err(RecordError::read(&self.path))?;
        if !self.continued_by(&source).map_err(RecordError::read(&self.path))? {
            *self = Self::from_source(&self.path, source, self.limits)?;
            return Ok(RecordingChange::Replaced);
        }
        self.source = source;
        if self.finished {
            return Ok(RecordingChange::None);
        }
        let before = (self.index.times.len(), self.spans.len(), self.finished);
        let length = self.source.length().map_err(RecordError::read(&self.path))?;
        self.scan(length).map_err(RecordError::read(&self.path))?;
        let after = (self.index.times.len(), self.spans.len(), self.finished);
        Ok(if before == after { RecordingChange::None } else { RecordingChange::Grown })
    }

    /// Whether what is known of this recording still stands in another opening of its file: the head, and the header
    /// of the last chunk with its checksums.
    fn continued_by(&self, other: &Source) -> std::io::Result<bool> {
        let length = other.length()?;
        if length < self.end {
            return Ok(false);
        }
        let mut marks = vec![(0, HEAD_LENGTH), (HEAD_LENGTH, HEADER_LENGTH)];
        marks.extend(self.index.chunks.last().map(|chunk| (chunk.offset, HEADER_LENGTH)));
        for (at, count) in marks {
            // The old file may be gone or cut meanwhile; then the new one is another.
            match self.source.read(at, count) {
                Ok(known) if known == other.read(at, count)? => {}
                _ => return Ok(false),
            }
        }
        Ok(!self.finished || length == self.end)
    }

    /// File of the recording.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Everything that is on show in any frame.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// How often things came or went: the stage may have grown where this number has.
    pub fn change_count(&self) -> usize {
        self.spans.len() - 1
    }

    /// The stage that the file begins with, also as bytes.
    pub(crate) fn first_stage(&self) -> Result<(Vec<u8>, Stage), RecordError> {
        let fail = |damage| RecordError::Recording { path: self.path.clone(), at: HEAD_LENGTH, damage };
        let header = chunk_header(&self.source, HEAD_LENGTH, self.end, &self.limits);
        let header = header.map_err(RecordError::read(&self.path))?.map_err(fail)?;
        let payload = self.source.read(HEAD_LENGTH + HEADER_LENGTH, header.stored);
        let bytes = header.content(&payload.map_err(RecordError::read(&self.path))?).map_err(fail)?;
        let stage = unpack_stage(&bytes).map_err(|reason| fail(RecordingDamage::Stage { reason }))?;
        Ok((bytes, stage))
    }

    /// Makes a change on the stage as it was before; also answers with its bytes.
    pub(crate) fn change(&self, change: usize, stage: &mut Stage) -> Result<(Vec<u8>, Growth), RecordError> {
        let entry = &self.index.changes[change];
        let fail = |damage| RecordError::Recording { path: self.path.clone(), at: entry.offset, damage };
        let content = self.change_content(entry.offset, &entry.header);
        let bytes = content.map_err(RecordError::read(&self.path))?.map_err(fail)?;
        let growth = Growth::unpack(&bytes).and_then(|growth| growth.apply(stage).map(|()| growth));
        let growth = growth.map_err(|reason| fail(RecordingDamage::Change { reason }))?;
        Ok((bytes, growth))
    }

    /// The stage after so many changes, and where the frames after them belong.
    pub(crate) fn stage_after(&self, changes: usize) -> Result<(Stage, Places), RecordError> {
        let (_, mut stage) = self.first_stage()?;
        for change in 0..changes {
            self.change(change, &mut stage)?;
        }
        Ok((stage, self.spans[changes].places.clone()))
    }

    /// Number of changes of the stage before a frame that is there.
    pub(crate) fn changes_before(&self, frame: usize) -> usize {
        self.index.changes_before(self.index.chunk_of(frame))
    }

    /// The view of a frame that is there.
    fn spread(&self, frame: usize) -> Spread<'_> {
        let places = &self.spans[self.changes_before(frame)].places;
        Spread { stage: &self.stage, places, changed: self.spans.len() > 1 }
    }

    /// The words of a frame, which must not be too many with those of all that is not there.
    fn spread_past(&self, frame: usize) -> Result<(Spread<'_>, Arc<Past>), RecordError> {
        let past = self.past(frame)?;
        let spread = self.spread(frame);
        let (found, limit) = (4 * spread.size(&past), self.limits.chunk_bytes);
        if spread.changed && found > limit {
            let tag = tag_name(TAG_FRAMES);
            return Err(
                self.damaged(self.index.chunk_of(frame), RecordingDamage::Limit { tag, found, limit })
            );
        }
        Ok((spread, past))
    }

    /// The stage as packed bytes.
    pub fn stage_bytes(&self) -> &[u8] {
        &self.stage_bytes
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.index.times.len()
    }

    /// Times of all frames, ascending [s].
    pub fn times(&self) -> &[f64] {
        &self.index.times
    }

    /// Steps done at all frames.
    pub fn steps(&self) -> &[u64] {
        &self.index.steps
    }

    /// Scalars of all frames, those of one frame side by side in the order of the stage.
    pub fn scalars(&self) -> &[f64] {
        &self.index.scalars
    }

    /// Whether the run that wrote it ended the file; false while it grows, or where it was cut off.
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// How often frames were thinned out to keep the size budget.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Bytes of the file up to the end of the last whole chunk.
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Where and why reading stops before the end of the file, if it does; normal while the file grows.
    pub fn damage(&self) -> Option<RecordError> {
        let (at, damage) = self.damage.clone()?;
        Some(RecordError::Recording { path: self.path.clone(), at, damage })
    }

    /// The frame nearest to a time, if there is any frame.
    pub fn index_at(&self, time: f64) -> Option<usize> {
        let times = &self.index.times;
        let after = times.partition_point(|candidate| *candidate < time);
        match (after.checked_sub(1), times.get(after)) {
            (Some(before), Some(next)) if time - times[before] <= next - time => Some(before),
            (_, Some(_)) => Some(after),
            (before, None) => before,
        }
    }

    /// A frame.
    pub fn frame(&self, frame: usize) -> Result<Frame, RecordError> {
        let (spread, past) = self.spread_past(frame)?;
        Ok(spread.frame(self.index.head(frame), &past))
    }

    /// The frame nearest to a time.
    pub fn frame_at(&self, time: f64) -> Result<Frame, RecordError> {
        self.frame(self.index_at(time).unwrap_or(0))
    }

    /// A frame as packed bytes.
    pub fn frame_bytes(&self, frame: usize) -> Result<Vec<u8>, RecordError> {
        let (spread, past) = self.spread_past(frame)?;
        let head = self.index.head(frame);
        if !spread.changed {
            return Ok(packed_frame(self.stage.groups.len(), &head, &past.words));
        }
        Ok(packed_frame(self.stage.groups.len(), &head, &spread.words(&past)))
    }

    /// One field of a group in a frame, components of an item side by side; a constant where it is one. The numbers
    /// of an item that is not there are NaN.
    pub fn field(&self, frame: usize, group: &str, field: &str) -> Result<Vec<f32>, RecordError> {
        let missing = |what, name: &str, present: Vec<String>| {
            let path = self.path.clone();
            RecordError::MissingField { path, what, name: name.to_owned(), present }
        };
        let groups = &self.stage.groups;
        let place = groups.iter().position(|candidate| candidate.name == group).ok_or_else(|| {
            missing("group", group, groups.iter().map(|candidate| candidate.name.clone()).collect())
        })?;
        let group = &groups[place];
        let find = |fields: &[Field]| fields.iter().position(|candidate| candidate.name == field);
        if let Some(constant) = find(&group.constants) {
            return Ok(group.constant_values[constant].clone());
        }
        let number = find(&group.fields).ok_or_else(|| {
            let present = group.fields.iter().chain(&group.constants).map(|candidate| candidate.name.clone());
            missing("field", field, present.collect())
        })?;
        let (spread, past) = self.spread_past(frame)?;
        let mut arrays = Vec::new();
        let count = spread.group(place, &past, &mut arrays);
        let before: usize = group.fields[..number].iter().map(|field| field.components).sum();
        let values = &arrays[count * before..count * (before + group.fields[number].components)];
        Ok(values.iter().map(|word| f32::from_bits(*word)).collect())
    }

    /// Time, step and scalars of a frame that is there, as it was written.
    pub(crate) fn head(&self, frame: usize) -> FrameHead {
        let head = self.index.head(frame);
        let places = &self.spans[self.changes_before(frame)].places;
        FrameHead { scalars: places.gather_scalars(&head.scalars), ..head }
    }

    /// The words of a frame, with the chunks it builds on decoded if need be.
    pub(crate) fn past(&self, frame: usize) -> Result<Arc<Past>, RecordError> {
        let count = self.frame_count();
        if frame >= count {
            return Err(RecordError::MissingFrame { path: self.path.clone(), frame, count });
        }
        let chunk = self.index.chunk_of(frame);
        let entry = self.index.chunks[chunk];
        let decoded = self.chunk(chunk)?;
        decoded.frames.get(frame - entry.first).cloned().ok_or_else(|| {
            let reason =
                format!("the index counts {} frames, the chunk has {}", entry.frames, decoded.frames.len());
            self.damaged(chunk, RecordingDamage::Frames { reason })
        })
    }

    fn chunk(&self, wanted: usize) -> Result<Arc<FrameChunk>, RecordError> {
        let mut start = wanted;
        let mut known = self.cached(start);
        let first = self.first_of_span(wanted);
        while known.is_none() && self.index.chunks[start].continues && start > first {
            start -= 1;
            known = self.cached(start);
        }
        let mut decoded = match known {
            Some(decoded) => decoded,
            None => self.decode(start, History::default())?,
        };
        for chunk in start + 1..=wanted {
            decoded = self.decode(chunk, decoded.history.clone())?;
        }
        Ok(decoded)
    }

    /// The first chunk after the last change of the stage before a chunk.
    fn first_of_span(&self, chunk: usize) -> usize {
        let changes = self.index.changes_before(chunk);
        changes.checked_sub(1).map_or(0, |change| self.index.changes[change].chunks)
    }

    fn decode(&self, chunk: usize, history: History) -> Result<Arc<FrameChunk>, RecordError> {
        let entry = &self.index.chunks[chunk];
        let largest = entry.header.stored.max(entry.header.raw);
        if largest > self.limits.chunk_bytes {
            let (tag, limit) = (tag_name(entry.header.tag), self.limits.chunk_bytes);
            return Err(self.damaged(chunk, RecordingDamage::Limit { tag, found: largest, limit }));
        }
        let payload = self.source.read(entry.offset + HEADER_LENGTH, entry.header.stored);
        let payload = payload.map_err(RecordError::read(&self.path))?;
        let layout = &self.spans[self.index.changes_before(chunk)].layout;
        let decoded = FrameChunk::decode(layout, &entry.header, &payload, history)
            .map_err(|damage| self.damaged(chunk, damage))?;
        let decoded = Arc::new(decoded);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(chunk, Arc::clone(&decoded), self.limits.cache_bytes);
        Ok(decoded)
    }

    fn cached(&self, chunk: usize) -> Option<Arc<FrameChunk>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).find(chunk)
    }

    fn damaged(&self, chunk: usize, damage: RecordingDamage) -> RecordError {
        RecordError::Recording { path: self.path.clone(), at: self.index.chunks[chunk].offset, damage }
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = f.debug_struct("Recording");
        fields.field("path", &self.path).field("frames", &self.frame_count());
        fields.field("finished", &self.finished).finish_non_exhaustive()
    }
}

/// Header of the chunk at `at`, sound and with its payload before `length`.
fn chunk_header(
    source: &Source,
    at: u64,
    length: u64,
    limits: &RecordingLimits,
) -> std::io::Result<Result<Header, RecordingDamage>> {
    let left = length.saturating_sub(at);
    if left < HEADER_LENGTH {
        return Ok(Err(RecordingDamage::Cut { needed: HEADER_LENGTH, left }));
    }
    let bytes = source.read(at, HEADER_LENGTH)?;
    let header = match bytes.first_chunk().ok_or(RecordingDamage::Short).and_then(Header::parse) {
        Ok(header) => header,
        Err(damage) => return Ok(Err(damage)),
    };
    if header.stored > left - HEADER_LENGTH {
        return Ok(Err(RecordingDamage::Cut { needed: header.stored.saturating_add(HEADER_LENGTH), left }));
    }
    let found = header.stored.max(header.raw);
    if found > limits.chunk_bytes {
        let (tag, limit) = (tag_name(header.tag), limits.chunk_bytes);
        return Ok(Err(RecordingDamage::Limit { tag, found, limit }));
    }
    Ok(Ok(header))
}

/// Decoded chunks, the least recently used first.
#[derive(Default)]
struct Cache {
    chunks: VecDeque<(usize, Arc<FrameChunk>)>,
    bytes: u64,
}

impl Cache {
    fn find(&mut self, chunk: usize) -> Option<Arc<FrameChunk>> {
        let place = self.chunks.iter().rposition(|(number, _)| *number == chunk)?;
        let entry = self.chunks.remove(place)?;
        let decoded = Arc::clone(&entry.1);
        self.chunks.push_back(entry);
        Some(decoded)
    }

    fn insert(&mut self, chunk: usize, decoded: Arc<FrameChunk>, limit: u64) {
        if self.find(chunk).is_some() {
            return;
        }
        self.bytes += 4 * decoded.table.words();
        self.chunks.push_back((chunk, decoded));
        while self.bytes > limit && self.chunks.len() > 1 {
            if let Some((_, dropped)) = self.chunks.pop_front() {
                self.bytes -= 4 * dropped.table.words();
            }
        }
    }
}
