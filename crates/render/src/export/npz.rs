//! NumPy arrays in an uncompressed zip archive.

use std::io::{self, Seek, SeekFrom, Write};

use flate2::Crc;

/// Bytes of the header of an array: enough for any shape, and a multiple of 64 as NumPy asks for.
const ARRAY_HEADER: usize = 192;
/// Bytes of a local header before its name.
const LOCAL: u64 = 30;
/// 1980-01-01, the first day zip knows: archives of the same numbers are the same bytes.
const DATE: u16 = 0x21;

/// An archive being written; an array's shape may be known only after its numbers.
pub(super) struct NpzWriter<'a, W: Write + Seek> {
    out: &'a mut W,
    entries: Vec<Entry>,
    open: Option<OpenArray>,
}

struct Entry {
    name: String,
    offset: u64,
    size: u64,
    crc: u32,
}

struct OpenArray {
    name: String,
    offset: u64,
    crc: Crc,
}

impl<'a, W: Write + Seek> NpzWriter<'a, W> {
    pub fn new(out: &'a mut W) -> Self {
        Self { out, entries: Vec::new(), open: None }
    }

    /// Starts an array.
    pub fn begin(&mut self, name: &str) -> io::Result<()> {
        let offset = self.out.stream_position()?;
        let name = format!("{name}.npy");
        self.out.write_all(&vec![0; LOCAL as usize + name.len() + ARRAY_HEADER])?;
        self.open = Some(OpenArray { name, offset, crc: Crc::new() });
        Ok(())
    }

    /// Appends bytes of numbers to the array.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(open) = &mut self.open {
            open.crc.update(bytes);
        }
        self.out.write_all(bytes)
    }

    /// Ends the array; `kind` is NumPy's name of the type, such as `<f4`.
    pub fn end(&mut self, kind: &str, shape: &[usize]) -> io::Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let end = self.out.stream_position()?;
        let header = array_header(kind, shape);
        let mut crc = Crc::new();
        crc.update(&header);
        crc.combine(&open.crc);
        let size = end - open.offset - LOCAL - open.name.len() as u64;
        let entry = Entry { name: open.name, offset: open.offset, size, crc: crc.sum() };
        self.out.seek(SeekFrom::Start(entry.offset))?;
        let mut local = b"PK\x03\x04".to_vec();
        entry.common(&mut local)?;
        local.extend(entry.name.as_bytes());
        self.out.write_all(&local)?;
        self.out.write_all(&header)?;
        self.out.seek(SeekFrom::Start(end))?;
        self.entries.push(entry);
        Ok(())
    }

    /// A whole array at once.
    pub fn array(&mut self, name: &str, kind: &str, shape: &[usize], bytes: &[u8]) -> io::Result<()> {
        self.begin(name)?;
        self.append(bytes)?;
        self.end(kind, shape)
    }

    /// Writes the directory.
    pub fn finish(self) -> io::Result<()> {
        let start = self.out.stream_position()?;
        let mut directory = Vec::new();
        for entry in &self.entries {
            directory.extend(b"PK\x01\x02");
            directory.extend(20_u16.to_le_bytes());
            entry.common(&mut directory)?;
            // Comment, disk and attributes: none.
            directory.extend([0; 10]);
            directory.extend(short(entry.offset)?.to_le_bytes());
            directory.extend(entry.name.as_bytes());
        }
        let count = u16::try_from(self.entries.len()).map_err(|_| too_large())?;
        let length = directory.len() as u64;
        directory.extend(b"PK\x05\x06\0\0\0\0");
        directory.extend(count.to_le_bytes());
        directory.extend(count.to_le_bytes());
        directory.extend(short(length)?.to_le_bytes());
        directory.extend(short(start)?.to_le_bytes());
        directory.extend([0; 2]);
        self.out.write_all(&directory)
    }
}

impl Entry {
    /// Fields that local headers and the directory have in common.
    fn common(&self, out: &mut Vec<u8>) -> io::Result<()> {
        // Version 2.0; names are UTF-8; stored; midnight.
        out.extend([20_u16, 0x800, 0, 0, DATE].iter().flat_map(|n| n.to_le_bytes()));
        out.extend(self.crc.to_le_bytes());
        let size = short(self.size)?;
        out.extend(size.to_le_bytes());
        out.extend(size.to_le_bytes());
        let name = u16::try_from(self.name.len()).map_err(|_| too_large())?;
        out.extend(name.to_le_bytes());
        out.extend([0; 2]);
        Ok(())
    }
}

fn short(n: u64) -> io::Result<u32> {
    u32::try_from(n).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        "an NPZ file holds at most 4 GiB; choose fewer frames, items or fields",
    )
}

/// The head of a NumPy array.
pub(crate) fn array_header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sides: Vec<String> = shape.iter().map(|side| format!("{side},")).collect();
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", sides.join(" "));
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(((ARRAY_HEADER - 10) as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header.resize(ARRAY_HEADER - 1, b' ');
    header.push(b'\n');
    header
}
