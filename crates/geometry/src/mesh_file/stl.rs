//! STL: a list of facets, binary or ASCII.

use std::collections::HashMap;

use glam::DVec3;

use super::{MeshData, MeshFault, MeshLimits, Place, coordinate, quoted, repair};

/// Bytes before the first facet of a binary file: a free header of 80 and the number of facets.
const HEADER: usize = 84;
/// Bytes of a binary facet: a normal and three corners of three f32 each, and two attribute bytes.
const FACET: usize = 50;

pub(super) fn read(bytes: &[u8], limits: &MeshLimits) -> Result<MeshData, MeshFault> {
    let facets = Facets::new(limits);
    if is_ascii(bytes) { read_ascii(bytes, facets) } else { read_binary(bytes, facets) }
}

/// Some programs begin binary files with "solid" too, so the length decides first, then whether the
/// beginning is text.
fn is_ascii(bytes: &[u8]) -> bool {
    if let Some(triangles) = facet_count(bytes)
        && binary_length(triangles) == bytes.len() as u64
    {
        return false;
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let solid = text.len() >= 5 && text[..5].eq_ignore_ascii_case(b"solid");
    solid && !bytes[..bytes.len().min(512)].contains(&0)
}

fn facet_count(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

fn binary_length(triangles: u32) -> u64 {
    HEADER as u64 + FACET as u64 * u64::from(triangles)
}

fn read_binary(bytes: &[u8], mut facets: Facets<'_>) -> Result<MeshData, MeshFault> {
    let found = bytes.len() as u64;
    let Some(triangles) = facet_count(bytes) else {
        return Err(MeshFault::Length { triangles: 0, expected: HEADER as u64, found });
    };
    let expected = binary_length(triangles);
    if expected != found {
        return Err(MeshFault::Length { triangles, expected, found });
    }
    for (at, facet) in bytes[HEADER..].chunks_exact(FACET).enumerate() {
        let place = Place::Facet(at + 1);
        let mut corners = [DVec3::ZERO; 3];
        for (corner, bytes) in corners.iter_mut().zip(facet[12..48].chunks_exact(12)) {
            for axis in 0..3 {
                let word = [bytes[4 * axis], bytes[4 * axis + 1], bytes[4 * axis + 2], bytes[4 * axis + 3]];
                let value = f64::from(f32::from_le_bytes(word));
                if !value.is_finite() {
                    return Err(MeshFault::NonFinite { place, found: value.to_string() });
                }
                corner[axis] = value;
            }
        }
        facets.push(corners)?;
    }
    facets.finish()
}

fn read_ascii(bytes: &[u8], mut facets: Facets<'_>) -> Result<MeshData, MeshFault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut words = Words { bytes, at: 0, line: 1 };
    while !words.at_end() {
        words.expect("solid", "'solid'")?;
        words.skip_line();
        while !words.take("endsolid") {
            words.expect("facet", "'facet' or 'endsolid'")?;
            words.expect("normal", "'normal'")?;
            // Normals are not used; some programs write "nan" there for facets of no area.
            for _ in 0..3 {
                words.number()?;
            }
            words.expect("outer", "'outer loop'")?;
            words.expect("loop", "'outer loop'")?;
            let mut corners = [DVec3::ZERO; 3];
            for corner in &mut corners {
                words.expect("vertex", "'vertex' (each facet has three)")?;
                *corner = DVec3::new(words.coordinate()?, words.coordinate()?, words.coordinate()?);
            }
            words.expect("endloop", "'endloop' after three vertices")?;
            words.expect("endfacet", "'endfacet'")?;
            facets.push(corners)?;
        }
        words.skip_line();
    }
    facets.finish()
}

/// Words between white space, with the line they stand on.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn at_end(&mut self) -> bool {
        while let Some(byte) = self.bytes.get(self.at)
            && byte.is_ascii_whitespace()
        {
            self.line += usize::from(*byte == b'\n');
            self.at += 1;
        }
        self.at == self.bytes.len()
    }

    /// The next word without taking it; empty at the end of the file.
    fn peek(&mut self) -> &'a [u8] {
        self.at_end();
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        &rest[..length]
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek();
        let same = found.eq_ignore_ascii_case(word.as_bytes());
        self.at += if same { found.len() } else { 0 };
        same
    }

    fn expect(&mut self, word: &str, expected: &'static str) -> Result<(), MeshFault> {
        if self.take(word) {
            return Ok(());
        }
        let found = self.peek();
        let found = if found.is_empty() { "the end of the file".to_owned() } else { quoted(found) };
        Err(MeshFault::Syntax { place: Place::Line(self.line), expected, found })
    }

    fn number(&mut self) -> Result<f64, MeshFault> {
        match self.coordinate() {
            Err(MeshFault::NonFinite { .. }) => Ok(f64::NAN),
            other => other,
        }
    }

    fn coordinate(&mut self) -> Result<f64, MeshFault> {
        let word = self.peek();
        self.at += word.len();
        coordinate(word, Place::Line(self.line))
    }

    /// Passes over the rest of the line: the name of a solid may hold anything.
    fn skip_line(&mut self) {
        while let Some(byte) = self.bytes.get(self.at)
            && *byte != b'\n'
        {
            self.at += 1;
        }
    }
}

/// Corners as they come, equal ones merged at once so that the limits hold for what is kept.
struct Facets<'a> {
    limits: &'a MeshLimits,
    known: HashMap<[u64; 3], u32>,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl<'a> Facets<'a> {
    fn new(limits: &'a MeshLimits) -> Self {
        Self { limits, known: HashMap::new(), vertices: Vec::new(), triangles: Vec::new() }
    }

    fn push(&mut self, corners: [DVec3; 3]) -> Result<(), MeshFault> {
        if self.triangles.len() >= self.limits.triangles {
            return Err(MeshFault::Limit { what: "triangles", limit: self.limits.triangles as u64 });
        }
        let mut triangle = [0; 3];
        for (index, corner) in triangle.iter_mut().zip(corners) {
            let fresh = self.vertices.len();
            *index = *self.known.entry(repair::vertex_key(corner)).or_insert(fresh as u32);
            if *index as usize == fresh {
                if fresh >= self.limits.vertices || fresh >= u32::MAX as usize {
                    return Err(MeshFault::Limit { what: "vertices", limit: self.limits.vertices as u64 });
                }
                self.vertices.push(corner);
            }
        }
        self.triangles.push(triangle);
        Ok(())
    }

    fn finish(self) -> Result<MeshData, MeshFault> {
        repair::tidy(self.vertices, self.triangles)
    }
}
