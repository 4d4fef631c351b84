//! Files that are read as a whole.

use std::fs::{File, metadata};
use std::io;
use std::path::Path;

/// Opens a file for reading; a folder, a pipe or a device, which might never end, is refused.
pub fn open(path: &Path) -> io::Result<File> {
    match metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is not a file, but a folder, a pipe or a device")),
    }
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn what_might_never_end_is_not_opened() {
        for path in ["/dev/zero", "/"] {
            assert!(super::open(path.as_ref()).unwrap_err().to_string().contains("not a file"));
        }
    }
}
