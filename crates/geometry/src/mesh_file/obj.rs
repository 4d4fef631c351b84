//! Wavefront OBJ: vertices and polygons, line by line.

use glam::DVec3;

use super::{MeshData, MeshFault, MeshLimits, Place, coordinate, quoted, repair};

/// Largest number of corners of a non-convex polygon: ear clipping costs up to the cube of it.
const CONCAVE_CORNERS: usize = 256;

pub(super) fn read(bytes: &[u8], limits: &MeshLimits) -> Result<MeshData, MeshFault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut file = Reader { limits, vertices: Vec::new(), triangles: Vec::new(), polygon: Vec::new() };
    let mut joined: Vec<u8> = Vec::new();
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let place = Place::Line(at + 1);
        let line = line.trim_ascii_end();
        // A backslash joins a line with the next; no backslash in a comment does.
        if let Some(begun) = line.strip_suffix(b"\\")
            && !line.contains(&b'#')
        {
            joined.extend_from_slice(begun);
            joined.push(b' ');
        } else if joined.is_empty() {
            file.line(line, place)?;
        } else {
            joined.extend_from_slice(line);
            file.line(&joined, place)?;
            joined.clear();
        }
    }
    file.line(&joined, Place::Line(bytes.split(|b| *b == b'\n').count()))?;
    repair::tidy(file.vertices, file.triangles)
}

struct Reader<'a> {
    limits: &'a MeshLimits,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    polygon: Vec<u32>,
}

impl Reader<'_> {
    fn line(&mut self, line: &[u8], place: Place) -> Result<(), MeshFault> {
        let line = line.split(|b| *b == b'#').next().unwrap_or_default();
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        match words.next() {
            Some(b"v") => self.vertex(words, place),
            Some(b"f" | b"fo") => self.face(words, place),
            None
            | Some(
                b"vt" | b"vn" | b"vp" | b"o" | b"g" | b"s" | b"mg" | b"l" | b"p" | b"usemtl" | b"mtllib"
                | b"usemap" | b"maplib" | b"lod" | b"bevel" | b"c_interp" | b"d_interp" | b"shadow_obj"
                | b"trace_obj",
            ) => Ok(()),
            Some(word) => Err(MeshFault::Syntax {
                place,
                expected: "a keyword of a polygon mesh (v, f, vn, vt, o, g, s, usemtl, ...)",
                found: quoted(word),
            }),
        }
    }

    /// `v x y z`, then nothing, a weight or a colour.
    fn vertex<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>, place: Place) -> Result<(), MeshFault> {
        if self.vertices.len() >= self.limits.vertices || self.vertices.len() >= u32::MAX as usize {
            return Err(MeshFault::Limit { what: "vertices", limit: self.limits.vertices as u64 });
        }
        let mut numbers = [0.0; 7];
        let mut count = 0;
        for word in words {
            if count == numbers.len() {
                count += 1;
                break;
            }
            numbers[count] = coordinate(word, place)?;
            count += 1;
        }
        let [x, y, z, w, ..] = numbers;
        let vertex = match count {
            3 | 6 | 7 => DVec3::new(x, y, z),
            4 => DVec3::new(x, y, z) / w,
            _ => {
                let expected = "'v' with three coordinates, then nothing, a weight or a colour";
                return Err(MeshFault::Syntax { place, expected, found: format!("{count} numbers") });
            }
        };
        if !vertex.is_finite() {
            return Err(MeshFault::NonFinite { place, found: format!("{x} / {w}") });
        }
        self.vertices.push(vertex);
        Ok(())
    }

    /// `f a b c …`, each corner `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn face<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>, place: Place) -> Result<(), MeshFault> {
        self.polygon.clear();
        for word in words {
            let index = self.corner(word, place)?;
            if self.polygon.last() != Some(&index) {
                self.polygon.push(index);
            }
        }
        if self.polygon.len() > 3 && self.polygon.first() == self.polygon.last() {
            self.polygon.pop();
        }
        let cut = self.polygon.len().saturating_sub(2).max(1);
        if cut > self.limits.triangles.saturating_sub(self.triangles.len()) {
            return Err(MeshFault::Limit { what: "triangles", limit: self.limits.triangles as u64 });
        }
        match self.polygon[..] {
            [] => Err(MeshFault::Syntax { place, expected: "a face with corners", found: "none".to_owned() }),
            // A point or a line: kept as a triangle of no area, so that it is counted.
            [a, ..] if self.polygon.len() < 3 => {
                self.triangles.push([a; 3]);
                Ok(())
            }
            [a, b, c] => {
                self.triangles.push([a, b, c]);
                Ok(())
            }
            _ => self.cut_polygon(place),
        }
    }

    /// Index of a vertex from `v/vt/vn`; negative ones count backwards from the last vertex read.
    fn corner(&self, word: &[u8], place: Place) -> Result<u32, MeshFault> {
        let expected = "a corner like 1, 1/2, 1//3 or 1/2/3";
        let syntax = || MeshFault::Syntax { place, expected, found: quoted(word) };
        let mut parts = word.split(|b| *b == b'/');
        let number = |part: &[u8]| std::str::from_utf8(part).ok().and_then(|t| t.parse::<i64>().ok());
        let index = parts.next().and_then(number).ok_or_else(syntax)?;
        if word.iter().filter(|b| **b == b'/').count() > 2
            || parts.any(|p| !p.is_empty() && number(p).is_none())
        {
            return Err(syntax());
        }
        let vertices = self.vertices.len();
        let at = if index < 0 { index.checked_add(vertices as i64) } else { index.checked_sub(1) };
        match at.and_then(|at| u32::try_from(at).ok()).filter(|at| (*at as usize) < vertices) {
            Some(at) => Ok(at),
            None => Err(MeshFault::IndexOutOfRange { place, index, vertices }),
        }
    }

    fn cut_polygon(&mut self, place: Place) -> Result<(), MeshFault> {
        let corners: Vec<DVec3> = self.polygon.iter().map(|i| self.vertices[*i as usize]).collect();
        let normal = newell_normal(&corners);
        let fan_is_sound = (1..corners.len() - 1)
            .all(|i| (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]).dot(normal) >= 0.0);
        if !fan_is_sound {
            if corners.len() > CONCAVE_CORNERS {
                let limit = CONCAVE_CORNERS;
                return Err(MeshFault::Polygon { place, corners: corners.len(), limit });
            }
            if let Some(ears) = cut_ears(&corners, normal) {
                self.triangles.extend(ears.iter().map(|t| t.map(|i| self.polygon[i])));
                return Ok(());
            }
            // A polygon that crosses itself has no right cut; a fan at least leaves no hole.
        }
        let [first, rest @ ..] = &self.polygon[..] else { return Ok(()) };
        self.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        Ok(())
    }
}

/// Twice the vector area of a polygon: ∑ (p_i − p_0) × (p_{i+1} − p_0).
fn newell_normal(corners: &[DVec3]) -> DVec3 {
    let from_first = |i: usize| corners[i] - corners[0];
    (1..corners.len() - 1).map(|i| from_first(i).cross(from_first(i + 1))).sum()
}

/// Cuts a simple polygon into triangles, ear by ear; nothing if no ear is left before the end.
fn cut_ears(corners: &[DVec3], normal: DVec3) -> Option<Vec<[usize; 3]>> {
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    let turn =
        |a: usize, b: usize, c: usize| (corners[b] - corners[a]).cross(corners[c] - corners[a]).dot(normal);
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|i| {
            let [a, b, c] = [left[(i + n - 1) % n], left[*i], left[(i + 1) % n]];
            let inside = |p: usize| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
            turn(a, b, c) > 0.0 && left.iter().all(|p| [a, b, c].contains(p) || !inside(*p))
        })?;
        triangles.push([left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]]);
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    Some(triangles)
}
