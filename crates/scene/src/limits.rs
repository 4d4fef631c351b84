//! Limits that keep hostile files from taking time, memory or the stack.

use crate::tree::Span;

/// Largest scene file, included ones each [bytes].
pub const MAX_BYTES: u64 = 64 << 20;
/// Deepest nesting of lists, tables and dotted keys.
pub const MAX_DEPTH: usize = 64;
/// Deepest chain of includes.
pub const MAX_INCLUDE_DEPTH: usize = 16;
/// Most files of a folder among which a misspelt name is looked for.
pub const MAX_NEIGHBOURS: usize = 10_000;
/// Most objects of a scene, sub-assemblies included.
pub const MAX_OBJECTS: usize = 1_000_000;

/// The first bracket or dot of a TOML document that nests deeper than [`MAX_DEPTH`], found by one pass over the
/// bytes, before any parser recurses.
pub(crate) fn toml_too_deep(text: &str) -> Option<Span> {
    let bytes = text.as_bytes();
    let (mut i, mut depth, mut dots) = (0, 0usize, 0usize);
    while i < bytes.len() {
        match bytes[i] {
            b'#' => i = line_end(bytes, i),
            quote @ (b'"' | b'\'') => {
                i = string_end(bytes, i, quote);
                continue;
            }
            b'[' | b'{' => {
                (depth, dots) = (depth + 1, 0);
                if depth > MAX_DEPTH {
                    return Some(i..i + 1);
                }
            }
            b']' | b'}' => (depth, dots) = (depth.saturating_sub(1), 0),
            b'.' => {
                dots += 1;
                if dots > MAX_DEPTH {
                    return Some(i..i + 1);
                }
            }
            b'=' | b',' | b'\n' => dots = 0,
            _ => {}
        }
        i += 1;
    }
    None
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| from + n)
}

/// End of the string that starts at `from`; a plain one ends at the latest with its line.
fn string_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let triple = bytes[from..].starts_with(&[quote; 3]);
    let mut i = from + if triple { 3 } else { 1 };
    while i < bytes.len() {
        match bytes[i] {
            b'\\' if quote == b'"' => i += 1,
            b'\n' if !triple => return i,
            b if b == quote && !triple => return i + 1,
            b if b == quote && bytes[i..].starts_with(&[quote; 3]) => return i + 3,
            _ => {}
        }
        i += 1;
    }
    bytes.len()
}
