//! A hidden folder beside the target, in which an export grows until it is complete.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::ExportReport;
use super::error::ExportError;

/// Files on their way to a target; all vanish if it is dropped before [`Staging::finish`].
///
/// They are not forced to disk one by one: an export can be made again from the recording.
pub(super) struct Staging {
    folder: PathBuf,
    target: PathBuf,
    /// Names below the folder, in the order of writing.
    names: Vec<String>,
    bytes: u64,
}

impl Staging {
    /// Prepares an export whose files will lie in `target`, which is made if it is not there.
    pub fn new(target: &Path) -> Result<Self, ExportError> {
        static SEQUENCE: AtomicU64 = AtomicU64::new(0);
        let target = std::path::absolute(target).map_err(ExportError::write(target))?;
        let parent = target.parent().unwrap_or(&target);
        fs::create_dir_all(parent).map_err(ExportError::write(parent))?;
        let sequence = SEQUENCE.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!(".huygens-export-{}-{sequence}.tmp", std::process::id()));
        fs::create_dir(&folder).map_err(ExportError::write(&folder))?;
        Ok(Self { folder, target, names: Vec::new(), bytes: 0 })
    }

    /// Prepares an export of one file, and says how the file is called.
    pub fn file(path: &Path) -> Result<(Self, String), ExportError> {
        let absolute = std::path::absolute(path).map_err(ExportError::write(path))?;
        let parts = absolute.parent().zip(absolute.file_name());
        match parts {
            Some((parent, name)) if !absolute.is_dir() => {
                fs::create_dir_all(parent).map_err(ExportError::write(parent))?;
                // Inside the folder of the file, so that a rename stays on one file system.
                let mut staging = Self::new(&parent.join("unused"))?;
                staging.target = parent.into();
                Ok((staging, name.to_string_lossy().into_owned()))
            }
            _ => Err(ExportError::FileKind { path: path.into(), expected: "a file name, not a folder" }),
        }
    }

    /// Writes one file; `name` may hold folders, parted by `/`.
    pub fn write(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut BufWriter<File>) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        let path = self.folder.join(name);
        let shown = self.target.join(name);
        let failed = ExportError::write(&shown);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(&failed)?;
        }
        let mut out = BufWriter::with_capacity(1 << 16, File::create(&path).map_err(&failed)?);
        write(&mut out)?;
        out.flush().map_err(&failed)?;
        self.bytes += out.get_ref().metadata().map_err(&failed)?.len();
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Writes one file of given bytes.
    pub fn write_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
        let shown = self.target.join(name);
        self.write(name, &mut |out| out.write_all(bytes).map_err(ExportError::write(&shown)))
    }

    /// Path that a file will have, for messages.
    pub fn shown(&self, name: &str) -> PathBuf {
        self.target.join(name)
    }

    /// Moves all files to their place; `first` heads the list of the report.
    pub fn finish(mut self, first: &str, notes: Vec<String>) -> Result<ExportReport, ExportError> {
        self.names.sort_unstable();
        if let Some(place) = self.names.iter().position(|name| name == first) {
            self.names[..=place].rotate_right(1);
        }
        // The file that refers to the others comes last.
        for name in self.names.iter().rev() {
            let to = self.target.join(name);
            let failed = ExportError::write(&to);
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(&failed)?;
            }
            fs::rename(self.folder.join(name), &to).map_err(&failed)?;
        }
        let files = self.names.iter().map(|name| self.target.join(name)).collect();
        Ok(ExportReport { files, bytes: self.bytes, notes })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Best effort: what cannot be removed is a hidden folder with a telling name.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
