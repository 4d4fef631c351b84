//! Where the frames of a recording and the changes of its stage are, and times and scalars of the frames.

use super::chunk::{Cursor, FrameTable, Header, TAG_CHANGE, TAG_FRAMES, parse_head, push_head};
use super::damage::RecordingDamage;
use super::pack::FrameHead;
use super::places::Places;

/// Bytes of an entry of a chunk.
const CHUNK_ENTRY: u64 = 40;

/// A chunk of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkEntry {
    /// Place of its header in the file.
    pub offset: u64,
    pub header: Header,
    /// Its first frame.
    pub first: usize,
    /// Its number of frames.
    pub frames: usize,
    /// Whether its predictions use the chunk before.
    pub continues: bool,
}

/// A change of the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChangeEntry {
    /// Place of its header in the file.
    pub offset: u64,
    pub header: Header,
    /// Chunks of frames before it.
    pub chunks: usize,
}

/// All chunks of frames, and what tables say of their frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    pub chunks: Vec<ChunkEntry>,
    pub changes: Vec<ChangeEntry>,
    pub times: Vec<f64>,
    pub steps: Vec<u64>,
    /// Scalars of all frames, those of one frame side by side in the order of the stage.
    pub scalars: Vec<f64>,
    /// Number of scalars of the stage.
    width: usize,
}

impl Index {
    /// Of a stage with so many scalars.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds the next chunk, with frames that belong in these places; one whose times do not ascend is refused, and
    /// leaves the index as it was.
    pub fn push(
        &mut self,
        offset: u64,
        header: Header,
        table: &FrameTable,
        places: &Places,
    ) -> Result<(), RecordingDamage> {
        let (frames, scalars) = (self.times.len(), self.scalars.len());
        let spread = |head: &FrameHead| {
            let scalars = places.spread_scalars(&head.scalars, self.width);
            FrameHead { scalars, ..*head }
        };
        let heads: Vec<FrameHead> = table.rows.iter().map(|row| spread(&row.head)).collect();
        if let Err(damage) = heads.iter().try_for_each(|head| self.push_head(head)) {
            self.times.truncate(frames);
            self.steps.truncate(frames);
            self.scalars.truncate(scalars);
            return Err(damage);
        }
        self.push_chunk(offset, header, table.rows.len(), table.continues);
        Ok(())
    }

    /// Adds a change of the stage, after which it has so many scalars; frames before have none of the new ones.
    pub fn push_change(&mut self, offset: u64, header: Header, width: usize) {
        self.changes.push(ChangeEntry { offset, header, chunks: self.chunks.len() });
        if width > self.width {
            let rows = self.scalars.chunks_exact(self.width.max(1)).take(self.times.len());
            let mut wider: Vec<f64> = Vec::with_capacity(width * self.times.len());
            if self.width > 0 {
                for row in rows {
                    wider.extend_from_slice(row);
                    wider.resize(wider.len() + width - self.width, f64::NAN);
                }
            }
            wider.resize(width * self.times.len(), f64::NAN);
            (self.scalars, self.width) = (wider, width);
        }
    }

    fn push_chunk(&mut self, offset: u64, header: Header, frames: usize, continues: bool) {
        let first = self.chunks.last().map_or(0, |chunk| chunk.first + chunk.frames);
        self.chunks.push(ChunkEntry { offset, header, first, frames, continues });
    }

    fn push_head(&mut self, head: &FrameHead) -> Result<(), RecordingDamage> {
        if let Some(last) = self.times.last().filter(|last| head.time <= **last) {
            let reason = format!("a frame at {} s follows one at {last} s", head.time);
            return Err(RecordingDamage::Frames { reason });
        }
        self.times.push(head.time);
        self.steps.push(head.step);
        self.scalars.extend_from_slice(&head.scalars);
        Ok(())
    }

    /// Time, step and scalars of a frame.
    pub fn head(&self, frame: usize) -> FrameHead {
        let scalars = self.scalars[frame * self.width..(frame + 1) * self.width].to_vec();
        FrameHead { time: self.times[frame], step: self.steps[frame], scalars }
    }

    /// The chunk that holds a frame.
    pub fn chunk_of(&self, frame: usize) -> usize {
        self.chunks.partition_point(|chunk| chunk.first + chunk.frames <= frame)
    }

    /// Number of changes of the stage before a chunk of frames.
    pub fn changes_before(&self, chunk: usize) -> usize {
        self.changes.partition_point(|change| change.chunks <= chunk)
    }

    /// Most bytes that the index takes before compression, with that many chunks and frames more than it has.
    pub fn size_with(&self, chunks: usize, frames: usize) -> u64 {
        let entries = (self.chunks.len() + chunks + self.changes.len()) as u64;
        24 + CHUNK_ENTRY * entries + (self.times.len() + frames) as u64 * head_size(self.width)
    }

    /// Content of the index chunk.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.size_with(0, 0) as usize);
        out.extend((self.chunks.len() as u64).to_le_bytes());
        out.extend((self.times.len() as u64).to_le_bytes());
        out.extend((self.changes.len() as u64).to_le_bytes());
        for change in &self.changes {
            push_place(change.offset, &change.header, &mut out);
            out.extend((change.chunks as u64).to_le_bytes());
        }
        for chunk in &self.chunks {
            push_place(chunk.offset, &chunk.header, &mut out);
            out.extend((chunk.frames as u32).to_le_bytes());
            out.extend(u32::from(chunk.continues).to_le_bytes());
        }
        (0..self.times.len()).for_each(|frame| push_head(&self.head(frame), &mut out));
        out
    }
}

fn head_size(scalars: usize) -> u64 {
    16 + 8 * scalars as u64
}

/// Appends where a chunk is and what its header says.
fn push_place(offset: u64, header: &Header, out: &mut Vec<u8>) {
    out.extend(offset.to_le_bytes());
    out.extend(header.stored.to_le_bytes());
    out.extend(header.raw.to_le_bytes());
    out.extend(header.payload_crc.to_le_bytes());
    out.extend(header.flags.to_le_bytes());
}

/// The content of an index chunk, read in two parts: the changes of the stage, which must be made to know how many
/// scalars it has, and all else.
pub(crate) struct IndexContent<'a> {
    cursor: Cursor<'a>,
    chunks: u64,
    frames: u64,
    /// Where the last entry read ends.
    free: u64,
    /// Where the chunks must have ended.
    end: u64,
    /// Changes of the stage, in order.
    pub changes: Vec<ChangeEntry>,
}

fn damage(reason: String) -> RecordingDamage {
    RecordingDamage::Index { reason }
}

impl<'a> IndexContent<'a> {
    /// Reads the first part of an index of a format version.
    pub fn parse(bytes: &'a [u8], version: u32, end: u64) -> Result<Self, RecordingDamage> {
        let mut cursor = Cursor { bytes };
        let (chunks, frames) = (cursor.u64()?, cursor.u64()?);
        let changes = if version > 1 { cursor.u64()? } else { 0 };
        let length = bytes.len() as u64;
        if [chunks, frames, changes].iter().any(|count| *count > length) {
            let reason =
                format!("{chunks} chunks, {frames} frames and {changes} changes are not {length} bytes");
            return Err(damage(reason));
        }
        let mut content = Self { cursor, chunks, frames, free: 0, end, changes: Vec::new() };
        for _ in 0..changes {
            let (offset, header) = content.place(TAG_CHANGE)?;
            let before = content.cursor.u64()?;
            let last = content.changes.last().map_or(0, |change| change.chunks as u64);
            if before > chunks || before < last {
                return Err(damage(format!("a change of the stage after chunk {before} of {chunks}")));
            }
            content.changes.push(ChangeEntry { offset, header, chunks: before as usize });
        }
        content.free = 0;
        Ok(content)
    }

    /// Place and header of a chunk behind those before it.
    fn place(&mut self, tag: [u8; 4]) -> Result<(u64, Header), RecordingDamage> {
        let offset = self.cursor.u64()?;
        let (stored, raw) = (self.cursor.u64()?, self.cursor.u64()?);
        let (payload_crc, flags) = (self.cursor.u32()?, self.cursor.u32()?);
        let after = offset.checked_add(stored).and_then(|after| after.checked_add(32));
        match after {
            Some(after) if offset >= self.free && after <= self.end => self.free = after,
            _ => return Err(damage(format!("a chunk at byte {offset} does not fit in"))),
        }
        Ok((offset, Header { tag, flags, stored, raw, payload_crc }))
    }

    /// Reads the rest of the index of a stage with so many scalars.
    pub fn rest(mut self, width: usize) -> Result<Index, RecordingDamage> {
        let (chunks, frames, length) = (self.chunks, self.frames, self.cursor.bytes.len() as u64);
        // The counts are no more than the bytes there are, so that this cannot overflow.
        if CHUNK_ENTRY * chunks + frames * head_size(width) != length {
            return Err(damage(format!("{chunks} chunks and {frames} frames are not {length} bytes")));
        }
        let mut index = Index::new(width);
        for _ in 0..chunks {
            let (offset, header) = self.place(TAG_FRAMES)?;
            let (count, continues) = (self.cursor.u32()?, self.cursor.u32()?);
            if count == 0 {
                return Err(damage(format!("the chunk at byte {offset} has no frame")));
            }
            index.push_chunk(offset, header, count as usize, continues != 0);
        }
        let counted = index.chunks.last().map_or(0, |chunk| chunk.first + chunk.frames);
        if counted as u64 != frames {
            return Err(damage(format!("chunks of {counted} frames for {frames} frames")));
        }
        for _ in 0..frames {
            index.push_head(&parse_head(&mut self.cursor, width)?)?;
        }
        index.changes = self.changes;
        Ok(index)
    }
}
