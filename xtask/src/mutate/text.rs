//! Mutations of the bytes of a scene file.

use super::random::Random;

/// Bytes that files do not usually hold, and words with a meaning to parsers.
const PIECES: [&[u8]; 14] = [
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\"",
    b"\"\"\"",
    b"[[",
    b"{",
    b"#",
    b"=",
    b"nan",
    b"1e999",
    b"99999999999999999999999999",
    b"\\u0000",
];

/// Makes one change; `donor` is another file.
pub fn mutate(bytes: &mut Vec<u8>, donor: &[u8], random: &mut Random) {
    if bytes.is_empty() {
        return bytes.extend_from_slice(donor);
    }
    let at = random.below(bytes.len());
    match random.below(8) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.next() as u8,
        3 => {
            let piece = random.pick(&PIECES).copied().unwrap_or_default();
            bytes.splice(at..at, piece.iter().copied());
        }
        4 => {
            let end = (at + 1 + random.below(200)).min(bytes.len());
            bytes.drain(at..end);
        }
        5 => {
            let end = (at + 1 + random.below(200)).min(bytes.len());
            let part = bytes[at..end].repeat(1 + random.below(50));
            bytes.splice(at..at, part);
        }
        6 => {
            let tail = &donor[random.below(donor.len())..];
            bytes.truncate(at);
            bytes.extend_from_slice(tail);
        }
        _ => repeat_line(bytes, random),
    }
}

/// Repeats a line somewhere else, as a key or a section given twice.
fn repeat_line(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (from, to) = (random.below(lines.len()), random.below(lines.len()));
    lines.insert(to, lines[from]);
    *bytes = lines.concat();
}
