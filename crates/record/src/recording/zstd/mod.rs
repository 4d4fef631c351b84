//! Zstandard frames (RFC 8878), written without a C compiler.
//!
//! The arrays of a recording are predicted and cut in byte planes before they come here, so that nearly all that is
//! left to gain is in the frequencies of bytes. The encoder therefore writes blocks of Huffman-coded literals
//! without matches, runs and plain blocks: an order faster than an encoder that looks for matches, and any
//! Zstandard decoder reads the result. Decoding is done by `ruzstd`.

mod fse;
mod huffman;

use ruzstd::decoding::FrameDecoder;

/// Bytes of one block. Short blocks follow the changing frequencies, and leave more of them constant.
const BLOCK: usize = 32 * 1024;
/// A block with fewer bytes than this is not worth a table.
const BLOCK_SMALLEST: usize = 64;
/// Longest content a frame of `stored` bytes can have: 128 KiB for each block of at least 4 bytes.
const BLOCK_LARGEST_CONTENT: u64 = 128 * 1024;
const MAGIC: u32 = 0xFD2F_B528;

/// How a block is stored.
#[derive(Clone, Copy)]
enum BlockKind {
    Raw = 0,
    Run = 1,
    Compressed = 2,
}

/// Appends a frame that holds `content`.
pub(crate) fn compress(content: &[u8], out: &mut Vec<u8>) {
    out.extend(MAGIC.to_le_bytes());
    // Eight bytes of content size, no checksum, no dictionary; a window of 128 KiB.
    out.push(0xC0);
    out.push(7 << 3);
    out.extend((content.len() as u64).to_le_bytes());
    if content.is_empty() {
        block_header(BlockKind::Raw, 0, true, out);
    }
    let count = content.len().div_ceil(BLOCK);
    for (index, block) in content.chunks(BLOCK).enumerate() {
        compress_block(block, index + 1 == count, out);
    }
}

/// Content of a frame; `raw` is the length it must have.
pub(crate) fn decompress(stored: &[u8], raw: u64) -> Result<Vec<u8>, String> {
    if raw / BLOCK_LARGEST_CONTENT > stored.len() as u64 / 4 {
        return Err(format!("{} bytes cannot hold the {raw} bytes announced", stored.len()));
    }
    let raw = usize::try_from(raw).map_err(|_| format!("{raw} bytes do not fit in memory"))?;
    let mut content = vec![0; raw];
    let found = FrameDecoder::new().decode_all(stored, &mut content).map_err(|error| error.to_string())?;
    if found != raw {
        return Err(format!("{found} bytes came out, {raw} are announced"));
    }
    Ok(content)
}

fn compress_block(block: &[u8], last: bool, out: &mut Vec<u8>) {
    if block.iter().all(|byte| *byte == block[0]) {
        block_header(BlockKind::Run, block.len(), last, out);
        out.push(block[0]);
        return;
    }
    let start = out.len();
    block_header(BlockKind::Compressed, 0, last, out);
    if block.len() >= BLOCK_SMALLEST && huffman::literals(block, out).is_some() {
        // No sequences follow the literals.
        out.push(0);
        let size = out.len() - start - 3;
        if size < block.len() - block.len() / 64 {
            let mut header = Vec::with_capacity(3);
            block_header(BlockKind::Compressed, size, last, &mut header);
            out[start..start + 3].copy_from_slice(&header);
            return;
        }
    }
    out.truncate(start);
    block_header(BlockKind::Raw, block.len(), last, out);
    out.extend_from_slice(block);
}

fn block_header(kind: BlockKind, size: usize, last: bool, out: &mut Vec<u8>) {
    let header = (size as u32) << 3 | (kind as u32) << 1 | u32::from(last);
    out.extend_from_slice(&header.to_le_bytes()[..3]);
}

/// Bits appended from the least significant on, closed by a one: streams that decoders read from their end.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    fn push(&mut self, value: u32, bits: u32) {
        self.pending |= u64::from(value) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// Fills the last byte with zeros.
    fn align(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }

    /// Marks the end by a one, then fills the last byte.
    fn close(mut self) -> Vec<u8> {
        self.push(1, 1);
        self.align()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(content: &[u8]) -> usize {
        let mut stored = Vec::new();
        compress(content, &mut stored);
        assert_eq!(decompress(&stored, content.len() as u64).expect("decodes"), content);
        stored.len()
    }

    /// Bytes of a fixed sequence whose frequencies fall by `ratio` from one value to the next.
    fn falling(count: usize, ratio: f64, values: f64, seed: u64) -> Vec<u8> {
        let mut state = seed | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count)
            .map(|_| {
                let fraction = next();
                let value = if ratio == 1.0 { fraction * values } else { fraction.ln() / ratio.ln() };
                value.min(values - 1.0) as u8
            })
            .collect()
    }

    #[test]
    fn content_comes_back_whatever_its_frequencies() {
        for length in [0, 1, 2, 63, 64, 65, 255, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17] {
            for ratio in [1.0, 0.999, 0.97, 0.9, 0.6, 0.2] {
                for values in [1.0, 2.0, 3.0, 17.0, 128.0, 129.0, 130.0, 200.0, 256.0] {
                    let content = falling(length, ratio, values, length as u64);
                    round_trip(&content);
                    let mirrored: Vec<u8> = content.iter().map(|byte| 255 - byte).collect();
                    round_trip(&mirrored);
                }
            }
        }
    }

    #[test]
    fn size_is_close_to_the_entropy() {
        let content = falling(BLOCK, 0.9, 256.0, 5);
        let mut counts = [0.0f64; 256];
        content.iter().for_each(|byte| counts[usize::from(*byte)] += 1.0);
        let total = content.len() as f64;
        let entropy: f64 = counts
            .iter()
            .filter(|count| **count > 0.0)
            .map(|count| -count * (count / total).log2() / 8.0)
            .sum();
        let size = round_trip(&content) as f64;
        assert!(size >= entropy && size < 1.02 * entropy + 120.0, "{size} bytes, entropy {entropy}");
        assert!(round_trip(&vec![7; 10 * BLOCK]) < 64);
        let noise = falling(BLOCK, 1.0, 256.0, 9);
        assert!(round_trip(&noise) <= BLOCK + 17);
    }

    #[test]
    fn announced_sizes_that_cannot_be_are_refused() {
        let mut stored = Vec::new();
        compress(&[1, 2, 3], &mut stored);
        for raw in [0, 2, 4, 1 << 40, u64::MAX] {
            assert!(decompress(&stored, raw).is_err(), "{raw}");
        }
        assert!(decompress(&stored[..stored.len() - 1], 3).is_err());
    }
}
