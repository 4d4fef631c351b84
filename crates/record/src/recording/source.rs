//! Bytes of a recording, read at any place: of a file, or in memory.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// Where the bytes are.
pub(crate) struct Source {
    stream: Mutex<Box<dyn ReadSeek>>,
}

impl Source {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // Opening a folder succeeds on some systems and its length means nothing.
        if file.metadata()?.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder; name the file run.hrec in it",
            ));
        }
        Ok(Self { stream: Mutex::new(Box::new(file)) })
    }

    pub fn memory(bytes: Vec<u8>) -> Self {
        Self { stream: Mutex::new(Box::new(Cursor::new(bytes))) }
    }

    pub fn length(&self) -> io::Result<u64> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).seek(SeekFrom::End(0))
    }

    /// Exactly `length` bytes from `offset` on; the caller has checked that they are there.
    pub fn read(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.seek(SeekFrom::Start(offset))?;
        stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
