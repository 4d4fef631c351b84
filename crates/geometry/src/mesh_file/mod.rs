//! Triangle meshes from OBJ and STL files (binary and ASCII), and from lists of points and triangles.
//!
//! The readers are our own: an error names the line or the facet, vertices shared by groups of an OBJ file remain
//! shared, every solid of an ASCII STL is read, and all content is checked against the file's length and the limits
//! before use.

mod obj;
mod repair;
mod stl;

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use glam::DVec3;
use thiserror::Error;

use crate::input_file;

/// Limits on the size of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshLimits {
    /// File size [bytes].
    pub bytes: u64,
    /// Vertices after equal ones of an STL are merged, as written for an OBJ.
    pub vertices: usize,
    /// Triangles; a polygon of n corners counts n − 2.
    pub triangles: usize,
}

impl Default for MeshLimits {
    fn default() -> Self {
        Self { bytes: 512 << 20, vertices: 5_000_000, triangles: 10_000_000 }
    }
}

/// Vertices and triangles of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// Vertices in the unit of their source; those with equal coordinates are merged, unused ones are removed.
    pub vertices: Vec<DVec3>,
    /// Corner indices of each triangle, counter-clockwise seen from outside where the file obeys its rules.
    pub triangles: Vec<[u32; 3]>,
    /// Number of triangles without area in the file; they were removed, and where one filled the gap between two
    /// others, its neighbour was split again so that a closed mesh stays closed.
    pub degenerate: usize,
}

/// The location of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Line of a text file, counted from 1.
    Line(usize),
    /// Facet of a binary STL, counted from 1.
    Facet(usize),
    /// Point of a list, counted from 0 as in triangles.
    Point(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Facet(facet) => write!(f, "facet {facet}"),
            Place::Point(point) => write!(f, "point {point} (counted from 0)"),
        }
    }
}

/// A fault in the content of a mesh.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MeshFault {
    /// No triangle has an area.
    #[error("it has no triangle with an area ({degenerate} are degenerate)")]
    Empty {
        /// Number of triangles without area.
        degenerate: usize,
    },
    /// A word that the format does not allow at this point.
    #[error("{place}: expected {expected}, found {found}")]
    Syntax {
        /// The location.
        place: Place,
        /// What the format requires.
        expected: &'static str,
        /// The offending text, shortened.
        found: String,
    },
    /// A coordinate that is not a finite number.
    #[error("{place}: a vertex has the coordinate {found}; coordinates must be finite")]
    NonFinite {
        /// The location.
        place: Place,
        /// The coordinate as read.
        found: String,
    },
    /// A face refers to a vertex that does not exist.
    #[error(
        "{place}: the face refers to vertex {index}, but {vertices} vertices precede it (counted from 1, or from −1 backwards)"
    )]
    IndexOutOfRange {
        /// The location.
        place: Place,
        /// The index as written.
        index: i64,
        /// Vertices defined up to that location.
        vertices: usize,
    },
    /// A triangle of a list refers to a point that does not exist.
    #[error(
        "triangle {triangle} refers to point {index}, but there are {points} points (both are counted from 0)"
    )]
    MissingPoint {
        /// Index of the triangle.
        triangle: usize,
        /// Index of the point that does not exist.
        index: u32,
        /// Number of points.
        points: usize,
    },
    /// A binary STL whose length does not fit its number of triangles.
    #[error(
        "a binary STL of {triangles} triangles has {expected} bytes, but there are {found}: it is truncated or damaged"
    )]
    Length {
        /// Triangles according to the header.
        triangles: u32,
        /// File size that this number implies [bytes].
        expected: u64,
        /// Actual file size [bytes].
        found: u64,
    },
    /// A polygon that is too large to be triangulated.
    #[error("{place}: a non-convex polygon has {corners} corners; the limit is {limit}")]
    Polygon {
        /// The location.
        place: Place,
        /// Corners of the polygon.
        corners: usize,
        /// Largest number of corners of a non-convex polygon.
        limit: usize,
    },
    /// A limit is exceeded.
    #[error("it has more than {limit} {what}, which is the limit")]
    Limit {
        /// "bytes", "vertices" or "triangles".
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}

/// A mesh file cannot be used.
#[derive(Debug, Error)]
pub enum MeshFileError {
    /// The file cannot be opened or read.
    #[error("cannot read the mesh file '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file name ends in neither .obj nor .stl.
    #[error("the mesh file '{}' must end in .obj or .stl", path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The content is wrong.
    #[error("the mesh file '{}' cannot be used: {fault}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: MeshFault,
    },
}

impl MeshData {
    /// Mesh of `triangles` over `points`, both counted from 0, repaired in the same way as the mesh of a file.
    pub fn from_lists(
        points: &[[f64; 3]],
        triangles: &[[u32; 3]],
        limits: &MeshLimits,
    ) -> Result<Self, MeshFault> {
        let counts =
            [("vertices", points.len(), limits.vertices), ("triangles", triangles.len(), limits.triangles)];
        for (what, count, limit) in counts {
            if count > limit {
                return Err(MeshFault::Limit { what, limit: limit as u64 });
            }
        }
        for (k, point) in points.iter().enumerate() {
            if let Some(found) = point.iter().find(|c| !c.is_finite()) {
                return Err(MeshFault::NonFinite { place: Place::Point(k), found: found.to_string() });
            }
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= points.len()) {
                return Err(MeshFault::MissingPoint { triangle, index, points: points.len() });
            }
        }
        repair::tidy(points.iter().copied().map(DVec3::from_array).collect(), triangles.to_vec())
    }
}

/// Reads a mesh; the extension (.obj, .stl) determines the format.
pub fn read(path: &Path, limits: &MeshLimits) -> Result<MeshData, MeshFileError> {
    let bytes = read_bytes(path, limits)?;
    parse(path, &bytes, limits)
}

/// Reads the bytes of a file, but no more than the limit.
pub(crate) fn read_bytes(path: &Path, limits: &MeshLimits) -> Result<Vec<u8>, MeshFileError> {
    let failed = |source| MeshFileError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let most = limits.bytes.saturating_add(1);
    input_file::open(path).map_err(failed)?.take(most).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limits.bytes {
        let fault = MeshFault::Limit { what: "bytes", limit: limits.bytes };
        return Err(MeshFileError::Content { path: path.to_owned(), fault });
    }
    Ok(bytes)
}

/// Parses the bytes of the file `path`.
pub(crate) fn parse(path: &Path, bytes: &[u8], limits: &MeshLimits) -> Result<MeshData, MeshFileError> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    let mesh = match ending.as_str() {
        "obj" => read_obj(bytes, limits),
        "stl" => read_stl(bytes, limits),
        _ => return Err(MeshFileError::Format { path: path.to_owned() }),
    };
    mesh.map_err(|fault| MeshFileError::Content { path: path.to_owned(), fault })
}

/// Reads the bytes of an OBJ file: vertices (`v`) and faces (`f`) of all its groups as one mesh.
///
/// Polygons are triangulated. Textures, normals, groups, materials and lines are ignored; free-form surfaces are an
/// error, because omitting them would leave a hole.
pub fn read_obj(bytes: &[u8], limits: &MeshLimits) -> Result<MeshData, MeshFault> {
    check_bytes(bytes, limits)?;
    obj::read(bytes, limits)
}

/// Reads the bytes of an STL file, binary or ASCII; its normals are ignored, the order of the corners defines the
/// outside.
pub fn read_stl(bytes: &[u8], limits: &MeshLimits) -> Result<MeshData, MeshFault> {
    check_bytes(bytes, limits)?;
    stl::read(bytes, limits)
}

fn check_bytes(bytes: &[u8], limits: &MeshLimits) -> Result<(), MeshFault> {
    if bytes.len() as u64 > limits.bytes {
        return Err(MeshFault::Limit { what: "bytes", limit: limits.bytes });
    }
    Ok(())
}

/// Text for an error message: short, printable, in quotes.
fn quoted(word: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(&word[..word.len().min(40)]).escape_debug().collect();
    format!("'{text}'")
}

/// A finite coordinate from a word.
fn coordinate(word: &[u8], place: Place) -> Result<f64, MeshFault> {
    let parsed = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
    match parsed {
        Some(value) if value.is_finite() => Ok(value),
        Some(value) => Err(MeshFault::NonFinite { place, found: value.to_string() }),
        None => Err(MeshFault::Syntax { place, expected: "a number", found: quoted(word) }),
    }
}
