//! Huffman-coded literals in four streams, as RFC 8878 section 3.1.1.3.1 lays them out.

use super::fse;

/// Longest code the format allows [bits].
const LONGEST: usize = 11;

/// Code of one byte value, and its length [bits]; length 0 where the value does not occur.
#[derive(Clone, Copy, Default)]
struct Code {
    bits: u16,
    length: u16,
}

/// Appends a section of literals that holds `block`, or gives up where codes cannot make it shorter.
pub(super) fn literals(block: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let frequencies = histogram(block);
    let lengths = code_lengths(&frequencies);
    let coded: u64 = (0..256).map(|value| u64::from(frequencies[value]) * u64::from(lengths[value])).sum();
    if coded / 8 >= block.len() as u64 {
        return None;
    }
    let start = out.len();
    out.extend([0; 5]);
    tree(&lengths, out)?;
    let codes = codes(&lengths);
    let jump = out.len();
    out.extend([0; 6]);
    let quarter = block.len().div_ceil(4);
    for (index, part) in block.chunks(quarter).enumerate() {
        let before = out.len();
        stream(part, &codes, out);
        if index < 3 {
            let size = u16::try_from(out.len() - before).ok()?;
            out[jump + 2 * index..jump + 2 * index + 2].copy_from_slice(&size.to_le_bytes());
        }
    }
    let size = (out.len() - start - 5) as u64;
    // Kind 2 (with a tree), sizes of 18 bits.
    let header = 2 | 3 << 2 | (block.len() as u64) << 4 | size << 22;
    out[start..start + 5].copy_from_slice(&header.to_le_bytes()[..5]);
    Some(())
}

fn histogram(block: &[u8]) -> [u32; 256] {
    // Four tables, since a run of one value would make each count wait for the one before it.
    let mut tables = [[0u32; 256]; 4];
    let mut quads = block.chunks_exact(4);
    for quad in &mut quads {
        for lane in 0..4 {
            tables[lane][usize::from(quad[lane])] += 1;
        }
    }
    for byte in quads.remainder() {
        tables[0][usize::from(*byte)] += 1;
    }
    std::array::from_fn(|value| tables.iter().map(|table| table[value]).sum())
}

/// Lengths of the best prefix code with no code longer than [`LONGEST`], by the package-merge method
/// (`larmore1990`); at least two values must occur.
fn code_lengths(frequencies: &[u32; 256]) -> [u8; 256] {
    let mut values: Vec<usize> = (0..256).filter(|value| frequencies[*value] > 0).collect();
    values.sort_by_key(|value| (frequencies[*value], *value));
    let mut packages: Vec<u64> = Vec::new();
    let mut levels: Vec<Vec<bool>> = Vec::with_capacity(LONGEST);
    for _ in 0..LONGEST {
        let (weights, leaf) = merge(&values, frequencies, &packages);
        packages = weights.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
        levels.push(leaf);
    }
    let mut lengths = [0; 256];
    let mut taken = 2 * values.len() - 2;
    for leaf in levels.iter().rev() {
        let leaves = leaf[..taken].iter().filter(|is_leaf| **is_leaf).count();
        for value in &values[..leaves] {
            lengths[*value] += 1;
        }
        taken = 2 * (taken - leaves);
    }
    lengths
}

/// Leaves and packages in the order of their weights, and which of them are leaves.
fn merge(values: &[usize], frequencies: &[u32; 256], packages: &[u64]) -> (Vec<u64>, Vec<bool>) {
    let mut weights = Vec::with_capacity(values.len() + packages.len());
    let mut leaf = Vec::with_capacity(weights.capacity());
    let mut leaves = values.iter().map(|value| u64::from(frequencies[*value])).peekable();
    let mut packages = packages.iter().copied().peekable();
    loop {
        let is_leaf = match (leaves.peek(), packages.peek()) {
            (Some(value), Some(package)) => value <= package,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return (weights, leaf),
        };
        weights.extend(if is_leaf { leaves.next() } else { packages.next() });
        leaf.push(is_leaf);
    }
}

/// Codes in the order of the format: the longest first, values of one length in their own order.
fn codes(lengths: &[u8; 256]) -> [Code; 256] {
    let mut codes = [Code::default(); 256];
    let mut next = 0u16;
    for length in (1..=LONGEST as u8).rev() {
        for value in (0..256).filter(|value| lengths[*value] == length) {
            codes[value] = Code { bits: next, length: u16::from(length) };
            next += 1;
        }
        next >>= 1;
    }
    codes
}

/// Appends the weights from which a decoder finds the lengths; that of the last value is implied.
fn tree(lengths: &[u8; 256], out: &mut Vec<u8>) -> Option<()> {
    let longest = *lengths.iter().max()?;
    let last = lengths.iter().rposition(|length| *length > 0)?;
    let weights: Vec<u8> =
        lengths[..last].iter().map(|length| if *length == 0 { 0 } else { longest + 1 - length }).collect();
    if weights.len() <= 128 {
        out.push(127 + weights.len() as u8);
        out.extend(weights.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)));
        return Some(());
    }
    let coded = fse::encode(&weights)?;
    let size = u8::try_from(coded.len()).ok().filter(|size| *size < 128)?;
    out.push(size);
    out.extend(coded);
    Some(())
}

/// Appends one stream: codes from the last byte to the first, closed by a one.
fn stream(part: &[u8], codes: &[Code; 256], out: &mut Vec<u8>) {
    let mut at = out.len();
    out.resize(at + part.len() * LONGEST / 8 + 16, 0);
    let mut pending = 0u64;
    let mut count = 0u32;
    // Four codes of at most 11 bits and 7 bits left over fit in the accumulator.
    for quad in part.rchunks(4) {
        for byte in quad.iter().rev() {
            let code = codes[usize::from(*byte)];
            pending |= u64::from(code.bits) << count;
            count += u32::from(code.length);
        }
        out[at..at + 8].copy_from_slice(&pending.to_le_bytes());
        at += (count / 8) as usize;
        pending >>= count & !7;
        count &= 7;
    }
    out[at] = (pending | 1 << count) as u8;
    out.truncate(at + 1);
}
