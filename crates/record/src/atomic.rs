//! Files that are either complete under their final name or not there at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::RecordError;

/// Writes a file so that a crash, a full disk or an error in `write` leaves the old one in place.
///
/// The bytes go to a temporary name in the same folder, are brought to disk (fsync), renamed, and
/// the folder is brought to disk as well.
pub fn write_atomic<F>(path: &Path, write: F) -> Result<(), RecordError>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    static SEQUENCE: AtomicU64 = AtomicU64::new(0);
    let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
    let suffix = format!(".{}-{sequence}.tmp", std::process::id());
    let temporary = name_beside(path, ".", &suffix).map_err(RecordError::write(path))?;
    replace_file(path, &temporary, write)
}

/// [`write_atomic`] with the temporary name chosen by the caller.
pub(crate) fn replace_file<F>(path: &Path, temporary: &Path, write: F) -> Result<(), RecordError>
where
    F: FnOnce(&mut dyn Write) -> io::Result<()>,
{
    let attempt = || -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, File::create(temporary)?);
        write(&mut out)?;
        out.flush()?;
        out.get_ref().sync_all()?;
        drop(out);
        fs::rename(temporary, path)?;
        sync_folder(path)
    };
    attempt().map_err(|source| {
        // Best effort: the first error is the one worth telling. After a rename there is nothing
        // left to remove under this name.
        let _ = fs::remove_file(temporary);
        RecordError::write(path)(source)
    })
}

/// Brings the folder entry of `path` to disk, so that a rename survives a power cut.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// A name in the same folder: `prefix` + file name + `suffix`.
pub(crate) fn name_beside(path: &Path, prefix: &str, suffix: &str) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut beside = std::ffi::OsString::from(prefix);
    beside.push(name);
    beside.push(suffix);
    Ok(path.with_file_name(beside))
}
