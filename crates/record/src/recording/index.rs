//! Where the frames of a recording are, and their times and scalars.

use super::chunk::{Cursor, FrameTable, Header, TAG_FRAMES, parse_head, push_head};
use super::damage::RecordingDamage;
use super::pack::FrameHead;

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

/// All chunks of frames, and what tables say of their frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    pub chunks: Vec<ChunkEntry>,
    pub times: Vec<f64>,
    pub steps: Vec<u64>,
    /// Scalars of all frames, those of one frame side by side.
    pub scalars: Vec<f64>,
}

impl Index {
    /// Adds the next chunk; one whose times do not ascend is refused, and leaves the index as it was.
    pub fn push(&mut self, offset: u64, header: Header, table: &FrameTable) -> Result<(), RecordingDamage> {
        let (frames, scalars) = (self.times.len(), self.scalars.len());
        if let Err(damage) = table.rows.iter().try_for_each(|row| self.push_head(&row.head)) {
            self.times.truncate(frames);
            self.steps.truncate(frames);
            self.scalars.truncate(scalars);
            return Err(damage);
        }
        self.push_chunk(offset, header, table.rows.len(), table.continues);
        Ok(())
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
    pub fn head(&self, frame: usize, scalars: usize) -> FrameHead {
        let scalars = self.scalars[frame * scalars..(frame + 1) * scalars].to_vec();
        FrameHead { time: self.times[frame], step: self.steps[frame], scalars }
    }

    /// The chunk that holds a frame.
    pub fn chunk_of(&self, frame: usize) -> usize {
        self.chunks.partition_point(|chunk| chunk.first + chunk.frames <= frame)
    }

    /// Most bytes the index of that many chunks and frames takes before compression.
    pub fn size(chunks: u64, frames: u64, scalars: usize) -> u64 {
        16 + CHUNK_ENTRY * chunks + frames * (16 + 8 * scalars as u64)
    }

    /// Content of the index chunk.
    pub fn to_bytes(&self, scalars: usize) -> Vec<u8> {
        let size = Self::size(self.chunks.len() as u64, self.times.len() as u64, scalars);
        let mut out = Vec::with_capacity(size as usize);
        out.extend((self.chunks.len() as u64).to_le_bytes());
        out.extend((self.times.len() as u64).to_le_bytes());
        for chunk in &self.chunks {
            out.extend(chunk.offset.to_le_bytes());
            out.extend(chunk.header.stored.to_le_bytes());
            out.extend(chunk.header.raw.to_le_bytes());
            out.extend(chunk.header.payload_crc.to_le_bytes());
            out.extend(chunk.header.flags.to_le_bytes());
            out.extend((chunk.frames as u32).to_le_bytes());
            out.extend(u32::from(chunk.continues).to_le_bytes());
        }
        (0..self.times.len()).for_each(|frame| push_head(&self.head(frame, scalars), &mut out));
        out
    }

    /// Reads the content of an index chunk; `end` is where the chunks of frames must have ended.
    pub fn parse(bytes: &[u8], scalars: usize, end: u64) -> Result<Self, RecordingDamage> {
        let damage = |reason: String| RecordingDamage::Index { reason };
        let mut cursor = Cursor { bytes };
        let (chunks, frames) = (cursor.u64()?, cursor.u64()?);
        let length = bytes.len() as u64;
        // Bounds first, so that the sum below cannot overflow.
        if chunks > length || frames > length || Self::size(chunks, frames, scalars) != length {
            return Err(damage(format!("{chunks} chunks and {frames} frames are not {length} bytes")));
        }
        let mut index = Self::default();
        let mut free = 0;
        for _ in 0..chunks {
            let offset = cursor.u64()?;
            let (stored, raw) = (cursor.u64()?, cursor.u64()?);
            let (payload_crc, flags) = (cursor.u32()?, cursor.u32()?);
            let (count, continues) = (cursor.u32()?, cursor.u32()?);
            let after = offset.checked_add(stored).and_then(|after| after.checked_add(32));
            match after {
                Some(after) if offset >= free && after <= end && count > 0 => free = after,
                _ => return Err(damage(format!("a chunk at byte {offset} does not fit in"))),
            }
            let header = Header { tag: TAG_FRAMES, flags, stored, raw, payload_crc };
            index.push_chunk(offset, header, count as usize, continues != 0);
        }
        let counted = index.chunks.last().map_or(0, |chunk| chunk.first + chunk.frames);
        if counted as u64 != frames {
            return Err(damage(format!("chunks of {counted} frames for {frames} frames")));
        }
        for _ in 0..frames {
            index.push_head(&parse_head(&mut cursor, scalars)?)?;
        }
        Ok(index)
    }
}
