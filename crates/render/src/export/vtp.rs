//! VTK PolyData and UnstructuredGrid in XML: arrays appended as raw bytes, compressed by zlib in blocks.

use std::fmt::Write as _;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Bytes of a block before compression.
const BLOCK: usize = 1 << 18;

/// Numbers of an array.
pub(super) enum Numbers<'a> {
    F32(&'a [f32]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    Text(&'a [String]),
}

impl Numbers<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::F32(_) => "Float32",
            Self::I32(_) => "Int32",
            Self::I64(_) => "Int64",
            Self::U8(_) => "UInt8",
            Self::Text(_) => "String",
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I32(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::I64(values) => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            Self::U8(values) => values.to_vec(),
            Self::Text(values) => {
                values.iter().flat_map(|v| v.bytes().filter(|b| *b != 0).chain([0])).collect()
            }
        }
    }
}

/// Cells that join points.
#[derive(Default)]
pub(super) struct Cells {
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
}

impl Cells {
    pub fn push(&mut self, corners: impl IntoIterator<Item = i64>) {
        self.connectivity.extend(corners);
        self.offsets.push(self.connectivity.len() as i64);
    }

    pub fn len(&self) -> usize {
        self.offsets.len()
    }
}

/// An array of numbers for each point or cell.
pub(super) struct Array {
    pub name: String,
    pub components: usize,
    pub values: Values,
}

/// Owned numbers.
pub(super) enum Values {
    F32(Vec<f32>),
    I32(Vec<i32>),
    U8(Vec<u8>),
    Text(Vec<String>),
}

/// One file.
#[derive(Default)]
pub(super) struct PolyData {
    /// Time of the frame and its scalars: name and value.
    pub field_data: Vec<(String, f64)>,
    pub points: Vec<f32>,
    pub verts: Cells,
    pub lines: Cells,
    pub polys: Cells,
    pub point_data: Vec<Array>,
    pub cell_data: Vec<Array>,
}

impl PolyData {
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut xml = head("PolyData", &self.field_data);
        let mut appended = Vec::new();
        let _ = writeln!(
            xml,
            "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{}\">\n<Points>",
            self.points.len() / 3,
            self.verts.len(),
            self.lines.len(),
            self.polys.len()
        );
        add(&mut xml, &mut appended, "Points", 3, &Numbers::F32(&self.points))?;
        xml.push_str("</Points>\n");
        for (tag, cells) in [("Verts", &self.verts), ("Lines", &self.lines), ("Polys", &self.polys)] {
            let _ = writeln!(xml, "<{tag}>");
            add(&mut xml, &mut appended, "connectivity", 1, &Numbers::I64(&cells.connectivity))?;
            add(&mut xml, &mut appended, "offsets", 1, &Numbers::I64(&cells.offsets))?;
            let _ = writeln!(xml, "</{tag}>");
        }
        add_data(&mut xml, &mut appended, &self.point_data, &self.cell_data)?;
        finish("PolyData", xml, &appended, out)
    }
}

/// One file of elements: lines, lines with a middle, tetrahedra.
#[derive(Default)]
pub(super) struct Grid {
    /// Time of the frame and its scalars: name and value.
    pub field_data: Vec<(String, f64)>,
    pub points: Vec<f32>,
    pub cells: Cells,
    /// Kind of each cell, as VTK counts them.
    pub types: Vec<u8>,
    pub point_data: Vec<Array>,
    pub cell_data: Vec<Array>,
}

impl Grid {
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut xml = head("UnstructuredGrid", &self.field_data);
        let mut appended = Vec::new();
        let (points, cells) = (self.points.len() / 3, self.cells.len());
        let _ = writeln!(xml, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n<Points>");
        add(&mut xml, &mut appended, "Points", 3, &Numbers::F32(&self.points))?;
        xml.push_str("</Points>\n<Cells>\n");
        add(&mut xml, &mut appended, "connectivity", 1, &Numbers::I64(&self.cells.connectivity))?;
        add(&mut xml, &mut appended, "offsets", 1, &Numbers::I64(&self.cells.offsets))?;
        add(&mut xml, &mut appended, "types", 1, &Numbers::U8(&self.types))?;
        xml.push_str("</Cells>\n");
        add_data(&mut xml, &mut appended, &self.point_data, &self.cell_data)?;
        finish("UnstructuredGrid", xml, &appended, out)
    }
}

/// The start of a file up to its piece.
fn head(kind: &str, field_data: &[(String, f64)]) -> String {
    let mut xml = format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<{kind}>\n<FieldData>\n"
    );
    for (name, value) in field_data {
        // Debug writes the shortest text that reads back as the same number.
        let text = if value.is_finite() { format!("{value:?}") } else { "nan".into() };
        let _ = writeln!(
            xml,
            "<DataArray type=\"Float64\" Name=\"{}\" NumberOfTuples=\"1\" format=\"ascii\">{text}</DataArray>",
            escaped(name)
        );
    }
    xml.push_str("</FieldData>\n");
    xml
}

fn add_data(xml: &mut String, appended: &mut Vec<u8>, points: &[Array], cells: &[Array]) -> io::Result<()> {
    for (tag, arrays) in [("PointData", points), ("CellData", cells)] {
        let _ = writeln!(xml, "<{tag}>");
        for array in arrays {
            let numbers = match &array.values {
                Values::F32(values) => Numbers::F32(values),
                Values::I32(values) => Numbers::I32(values),
                Values::U8(values) => Numbers::U8(values),
                Values::Text(values) => Numbers::Text(values),
            };
            add(xml, appended, &array.name, array.components, &numbers)?;
        }
        let _ = writeln!(xml, "</{tag}>");
    }
    Ok(())
}

fn finish(kind: &str, mut xml: String, appended: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let _ = write!(xml, "</Piece>\n</{kind}>\n<AppendedData encoding=\"raw\">\n_");
    out.write_all(xml.as_bytes())?;
    out.write_all(appended)?;
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}

fn add(
    xml: &mut String,
    appended: &mut Vec<u8>,
    name: &str,
    components: usize,
    numbers: &Numbers<'_>,
) -> io::Result<()> {
    let tag = if matches!(numbers, Numbers::Text(_)) { "Array" } else { "DataArray" };
    let _ = writeln!(
        xml,
        "<{tag} type=\"{}\" Name=\"{}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{}\"/>",
        numbers.kind(),
        escaped(name),
        appended.len()
    );
    compress(&numbers.bytes(), appended)
}

/// Number of blocks, bytes of a whole block, bytes of the last one if it is not whole, compressed bytes of each; then
/// the blocks.
fn compress(bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let blocks = bytes.len().div_ceil(BLOCK);
    let head = [blocks, BLOCK, bytes.len() % BLOCK];
    out.extend(head.iter().flat_map(|n| (*n as u64).to_le_bytes()));
    let sizes = out.len();
    out.resize(sizes + 8 * blocks, 0);
    for (index, block) in bytes.chunks(BLOCK).enumerate() {
        let start = out.len();
        let mut encoder = ZlibEncoder::new(&mut *out, Compression::fast());
        encoder.write_all(block)?;
        encoder.finish()?;
        let size = (out.len() - start) as u64;
        out[sizes + 8 * index..sizes + 8 * (index + 1)].copy_from_slice(&size.to_le_bytes());
    }
    Ok(())
}

/// Text as it may stand in an attribute of XML.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
