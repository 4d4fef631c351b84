//! Reading words and numbers from the bytes of a file, text or binary.

use super::error::{MeshError, MeshFault, MeshPlace};

/// A place in a file.
pub(super) struct Cursor<'a> {
    file: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    /// Whether numbers are binary.
    pub binary: bool,
    /// Whether binary numbers have the other order of bytes.
    pub swapped: bool,
}

pub(super) type Read<T> = Result<T, MeshError>;

impl<'a> Cursor<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Self { file, bytes, at: 0, line: 1, binary: false, swapped: false }
    }

    pub fn place(&self) -> MeshPlace {
        if self.binary { MeshPlace::Byte(self.at) } else { MeshPlace::Line(self.line) }
    }

    pub fn error(&self, fault: MeshFault) -> MeshError {
        MeshError { file: self.file.into(), place: self.place(), fault }
    }

    pub fn syntax(&self, expected: &str, found: &str) -> MeshError {
        self.error(MeshFault::Syntax { expected: expected.into(), found: shortened(found) })
    }

    /// The next word; none at the end of the file.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !byte.is_ascii_whitespace() {
                break;
            }
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then_some(&rest[..length])
    }

    /// The rest of the line, without its end.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        self.line += usize::from(length < rest.len());
        &rest[..length]
    }

    /// Goes behind the next line that is this word; the end of the file is an error.
    pub fn skip_to(&mut self, end: &str) -> Read<()> {
        // Binary data may hold anything, but hardly this word behind an end of line.
        let start = self.at;
        while self.at < self.bytes.len() {
            if self.rest_of_line().trim_ascii() == end.as_bytes() {
                return Ok(());
            }
        }
        self.at = start;
        Err(self.syntax(&format!("{end} later on"), "the end of the file"))
    }

    /// The word that must come now.
    pub fn expect(&mut self, word: &str) -> Read<()> {
        match self.word() {
            Some(found) if found == word.as_bytes() => Ok(()),
            found => Err(self.syntax(word, &lossy(found))),
        }
    }

    /// A whole number of four bytes in binary files.
    pub fn int(&mut self, what: &str) -> Read<i64> {
        if self.binary {
            let bytes = self.take(what)?;
            return Ok(i64::from(if self.swapped {
                i32::from_be_bytes(bytes)
            } else {
                i32::from_le_bytes(bytes)
            }));
        }
        self.parsed(what)
    }

    /// A whole number of eight bytes in binary files.
    pub fn size(&mut self, what: &str) -> Read<u64> {
        if self.binary {
            let bytes = self.take(what)?;
            return Ok(if self.swapped { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) });
        }
        self.parsed(what)
    }

    /// A number of four bytes in binary files that is not negative.
    pub fn label(&mut self, what: &str) -> Read<u64> {
        let label = self.int(what)?;
        u64::try_from(label).map_err(|_| self.syntax(what, &label.to_string()))
    }

    /// A finite number.
    pub fn real(&mut self, what: &str) -> Read<f64> {
        let value = if self.binary {
            let bytes = self.take(what)?;
            if self.swapped { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
        } else {
            self.parsed(what)?
        };
        if value.is_finite() { Ok(value) } else { Err(self.syntax("a finite number", &value.to_string())) }
    }

    /// A number written as text, also in binary files.
    pub fn parsed<T: std::str::FromStr>(&mut self, what: &str) -> Read<T> {
        let word = self.word();
        let text = word.and_then(|w| std::str::from_utf8(w).ok());
        text.and_then(|t| t.parse().ok()).ok_or_else(|| self.syntax(what, &lossy(word)))
    }

    /// Refuses a count that the rest of the file cannot hold, or that is above the limit.
    pub fn count(&self, what: &'static str, found: u64, least_bytes: usize, limit: usize) -> Read<usize> {
        let possible = ((self.bytes.len() - self.at) / least_bytes).min(limit) as u64;
        if found > possible {
            return Err(self.error(MeshFault::Count { what, found, limit: possible }));
        }
        Ok(found as usize)
    }

    /// Bytes as they are.
    pub fn take<const N: usize>(&mut self, what: &str) -> Read<[u8; N]> {
        match self.bytes[self.at..].first_chunk::<N>() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.syntax(what, "the end of the file")),
        }
    }
}

fn lossy(word: Option<&[u8]>) -> String {
    word.map_or("the end of the file".into(), |w| format!("'{}'", String::from_utf8_lossy(w)))
}

/// At most forty characters of a text.
pub(super) fn shortened(text: &str) -> String {
    let mut out: String = text.chars().take(40).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}
