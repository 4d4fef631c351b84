//! Chunks of a recording: a header that can be checked by itself, then bytes with a checksum.
//!
//! A chunk of frames is a part of a segment. The first part of a segment stands alone; the others are predicted from
//! the last two frames of the part before them, so that a file can grow frame by frame and still be small. Its
//! payload is a table, which alone gives the times and scalars of its frames, then the arrays, compressed:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | number of frames |
//! | 4 | bit 0: continues the segment of the part before |
//! | per frame | u32 words of its groups, u32 frames a prediction uses at most, u64 step, f64 time, f64 scalars |
//! | 4 | CRC32C of the table up to here |
//! | 4 | 0 |
//! | rest | Zstandard frame: residuals of all frames, in byte planes |

use std::sync::Arc;

use super::damage::RecordingDamage;
use super::pack::{FrameHead, Layout};
use super::predict::{History, Order, Past, join_planes, split_planes};
use super::zstd;

/// First bytes of every recording.
pub const MAGIC: &[u8; 8] = b"HUYGREC\n";
/// The format version this program writes; it reads all up to this.
pub const VERSION: u32 = 2;
/// Bytes before the first chunk: magic, version, how often frames were thinned out.
pub const HEAD_LENGTH: u64 = 16;
/// Bytes of a chunk's header.
pub const HEADER_LENGTH: u64 = 32;
/// Most frames of one chunk.
pub(crate) const FRAMES_LIMIT: u32 = 4096;

pub(crate) const TAG_STAGE: [u8; 4] = *b"STAG";
pub(crate) const TAG_CHANGE: [u8; 4] = *b"GROW";
pub(crate) const TAG_FRAMES: [u8; 4] = *b"FRAM";
pub(crate) const TAG_INDEX: [u8; 4] = *b"INDX";
pub(crate) const TAG_END: [u8; 4] = *b"TAIL";

const FLAG_ZSTD: u32 = 1;

/// Header of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub tag: [u8; 4],
    pub flags: u32,
    /// Bytes that follow the header.
    pub stored: u64,
    /// Bytes the compressed part holds.
    pub raw: u64,
    pub payload_crc: u32,
}

impl Header {
    pub fn to_bytes(self) -> [u8; HEADER_LENGTH as usize] {
        let mut bytes = [0; HEADER_LENGTH as usize];
        bytes[..4].copy_from_slice(&self.tag);
        bytes[4..8].copy_from_slice(&self.flags.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.stored.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.raw.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.payload_crc.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..28]);
        bytes[28..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    pub fn parse(bytes: &[u8; HEADER_LENGTH as usize]) -> Result<Self, RecordingDamage> {
        let mut cursor = Cursor { bytes };
        let tag = cursor.array()?;
        let flags = cursor.u32()?;
        let (stored, raw) = (cursor.u64()?, cursor.u64()?);
        let payload_crc = cursor.u32()?;
        if cursor.u32()? != crc32c::crc32c(&bytes[..28]) {
            return Err(RecordingDamage::HeaderCrc);
        }
        Ok(Self { tag, flags, stored, raw, payload_crc })
    }

    /// Whether the payload is the one the header was written for.
    pub fn check(&self, payload: &[u8]) -> Result<(), RecordingDamage> {
        let computed = crc32c::crc32c(payload);
        if computed == self.payload_crc {
            return Ok(());
        }
        Err(RecordingDamage::PayloadCrc { tag: tag_name(self.tag), computed, stored: self.payload_crc })
    }

    /// Content of a payload that is compressed as a whole.
    pub fn content(&self, payload: &[u8]) -> Result<Vec<u8>, RecordingDamage> {
        self.check(payload)?;
        if self.flags & FLAG_ZSTD == 0 {
            return Ok(payload.to_vec());
        }
        zstd::decompress(payload, self.raw).map_err(|reason| RecordingDamage::Zstd { reason })
    }
}

/// A tag as text.
pub(crate) fn tag_name(tag: [u8; 4]) -> String {
    tag.escape_ascii().to_string()
}

/// Appends a chunk whose content is compressed as a whole.
pub(crate) fn push_chunk(tag: [u8; 4], content: &[u8], out: &mut Vec<u8>) {
    let start = begin_chunk(out);
    zstd::compress(content, out);
    end_chunk(tag, FLAG_ZSTD, content.len() as u64, start, out);
}

/// Appends a chunk of plain bytes.
pub(crate) fn push_plain_chunk(tag: [u8; 4], content: &[u8], out: &mut Vec<u8>) {
    let start = begin_chunk(out);
    out.extend_from_slice(content);
    end_chunk(tag, 0, content.len() as u64, start, out);
}

fn begin_chunk(out: &mut Vec<u8>) -> usize {
    out.extend([0; HEADER_LENGTH as usize]);
    out.len()
}

fn end_chunk(tag: [u8; 4], flags: u32, raw: u64, start: usize, out: &mut [u8]) {
    let (before, payload) = out.split_at_mut(start);
    let stored = payload.len() as u64;
    let header = Header { tag, flags, stored, raw, payload_crc: crc32c::crc32c(payload) };
    before[start - HEADER_LENGTH as usize..].copy_from_slice(&header.to_bytes());
}

/// Appends step, time and scalars of a frame.
pub(crate) fn push_head(head: &FrameHead, out: &mut Vec<u8>) {
    out.extend(head.step.to_le_bytes());
    out.extend(head.time.to_le_bytes());
    head.scalars.iter().for_each(|scalar| out.extend(scalar.to_le_bytes()));
}

/// Inverse of [`push_head`].
pub(crate) fn parse_head(cursor: &mut Cursor<'_>, scalars: usize) -> Result<FrameHead, RecordingDamage> {
    let step = cursor.u64()?;
    let time = cursor.f64()?;
    if !time.is_finite() {
        return Err(RecordingDamage::Frames { reason: format!("the time of a frame is {time}") });
    }
    let scalars = (0..scalars).map(|_| cursor.f64()).collect::<Result<_, _>>()?;
    Ok(FrameHead { time, step, scalars })
}

/// What a table says of one frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub head: FrameHead,
    /// Words of its groups.
    pub words: u32,
    pub order: Order,
}

impl Row {
    /// Appends the row.
    pub fn push_to(&self, out: &mut Vec<u8>) {
        out.extend(self.words.to_le_bytes());
        let order: u32 = if self.order == Order::Second { 2 } else { 1 };
        out.extend(order.to_le_bytes());
        push_head(&self.head, out);
    }

    /// Reads a row.
    pub fn parse(cursor: &mut Cursor<'_>, scalars: usize) -> Result<Self, RecordingDamage> {
        let words = cursor.u32()?;
        let order = match cursor.u32()? {
            1 => Order::First,
            2 => Order::Second,
            found => {
                return Err(RecordingDamage::Frames {
                    reason: format!("unknown order of prediction {found}"),
                });
            }
        };
        Ok(Self { head: parse_head(cursor, scalars)?, words, order })
    }
}

/// The table of a chunk of frames.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrameTable {
    pub continues: bool,
    pub rows: Vec<Row>,
}

impl FrameTable {
    /// Bytes of a table of `frames` frames.
    pub fn size(frames: u32, scalars: usize) -> u64 {
        16 + u64::from(frames) * (24 + 8 * scalars as u64)
    }

    fn push_to(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend((self.rows.len() as u32).to_le_bytes());
        out.extend(u32::from(self.continues).to_le_bytes());
        self.rows.iter().for_each(|row| row.push_to(out));
        let crc = crc32c::crc32c(&out[start..]);
        out.extend(crc.to_le_bytes());
        out.extend([0; 4]);
    }

    /// Reads the table at the start of a payload of which at least the table is there.
    pub fn parse(bytes: &[u8], scalars: usize) -> Result<Self, RecordingDamage> {
        let mut cursor = Cursor { bytes };
        let frames = cursor.u32()?;
        let flags = cursor.u32()?;
        let size = Self::size(frames, scalars);
        if frames == 0 || frames > FRAMES_LIMIT || (bytes.len() as u64) < size {
            let reason = format!("{frames} frames cannot be in a chunk of {} bytes", bytes.len());
            return Err(RecordingDamage::Frames { reason });
        }
        // The checksum first: a chunk still being written is no fault.
        let (table, mut rest) = (&bytes[..size as usize - 8], Cursor { bytes: &bytes[size as usize - 8..] });
        if rest.u32()? != crc32c::crc32c(table) {
            return Err(RecordingDamage::TableCrc);
        }
        let rows = (0..frames).map(|_| Row::parse(&mut cursor, scalars)).collect::<Result<_, _>>()?;
        Ok(Self { continues: flags & 1 != 0, rows })
    }

    /// Words of all frames.
    pub fn words(&self) -> u64 {
        self.rows.iter().map(|row| u64::from(row.words)).sum()
    }
}

/// A frame on its way into a file.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pub head: FrameHead,
    pub words: Vec<u32>,
}

/// Turns frames into chunks, remembering what predictions need.
#[derive(Debug, Default)]
pub(crate) struct FrameEncoder {
    history: History,
    frame: Arc<Past>,
    residuals: Vec<u32>,
    planes: Vec<u8>,
}

impl FrameEncoder {
    /// Replaces `out` by a chunk of frames; those of the chunk before serve predictions where it `continues`.
    pub fn encode(
        &mut self,
        layout: &Layout,
        continues: bool,
        frames: &[Packed],
        out: &mut Vec<u8>,
    ) -> Result<FrameTable, String> {
        if !continues {
            self.history.clear();
        }
        self.residuals.clear();
        let mut rows = Vec::with_capacity(frames.len());
        for Packed { head, words } in frames {
            Arc::make_mut(&mut self.frame).assign(layout, words)?;
            let order = self.history.better_order(layout, &self.frame);
            self.history.residuals(layout, order, &self.frame, &mut self.residuals);
            self.frame = self.history.push(std::mem::take(&mut self.frame));
            let words =
                u32::try_from(words.len()).map_err(|_| format!("{} numbers are too many", words.len()))?;
            rows.push(Row { head: head.clone(), words, order });
        }
        let table = FrameTable { continues, rows };
        split_planes(&self.residuals, &mut self.planes);
        out.clear();
        let start = begin_chunk(out);
        table.push_to(out);
        zstd::compress(&self.planes, out);
        end_chunk(TAG_FRAMES, FLAG_ZSTD, self.planes.len() as u64, start, out);
        Ok(table)
    }
}

/// The frames of a decoded chunk.
#[derive(Debug)]
pub(crate) struct FrameChunk {
    pub table: FrameTable,
    pub frames: Vec<Arc<Past>>,
    /// Its last two frames, from which the next chunk may go on.
    pub history: History,
}

impl FrameChunk {
    /// Decodes a chunk; `history` holds the end of the chunk before where this one continues it.
    pub fn decode(
        layout: &Layout,
        header: &Header,
        payload: &[u8],
        mut history: History,
    ) -> Result<Self, RecordingDamage> {
        header.check(payload)?;
        let table = FrameTable::parse(payload, layout.scalars)?;
        if table.words().checked_mul(4) != Some(header.raw) {
            let reason = format!("frames of {} words announced in {} bytes", table.words(), header.raw);
            return Err(RecordingDamage::Frames { reason });
        }
        let coded = &payload[FrameTable::size(table.rows.len() as u32, layout.scalars) as usize..];
        let planes =
            zstd::decompress(coded, header.raw).map_err(|reason| RecordingDamage::Zstd { reason })?;
        let words = join_planes(&planes);
        drop(planes);
        if !table.continues {
            history.clear();
        }
        let mut frames = Vec::with_capacity(table.rows.len());
        let mut rest = &words[..];
        for row in &table.rows {
            let (residuals, after) = rest.split_at(row.words as usize);
            rest = after;
            let restored = history.restore(layout, row.order, residuals);
            frames.push(restored.map_err(|reason| RecordingDamage::Frames { reason })?);
        }
        Ok(Self { table, frames, history })
    }
}

/// Reads numbers from the front of bytes.
pub(crate) struct Cursor<'a> {
    pub bytes: &'a [u8],
}

impl Cursor<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordingDamage> {
        let (array, rest) = self.bytes.split_first_chunk().ok_or(RecordingDamage::Short)?;
        self.bytes = rest;
        Ok(*array)
    }

    pub fn u32(&mut self) -> Result<u32, RecordingDamage> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, RecordingDamage> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, RecordingDamage> {
        self.array().map(f64::from_le_bytes)
    }
}
