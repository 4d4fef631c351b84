//! Where tables of reference data lie; they are no part of the repository.

use std::path::{Path, PathBuf};

/// The folder that `HUYGENS_REFERENCE` names, or else `shared/reference` beside the checkout; it need not exist.
pub fn reference_folder() -> PathBuf {
    match std::env::var_os("HUYGENS_REFERENCE") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference"),
    }
}

/// A file or folder of reference data. Without it, says so and answers none: the test then skips what needs it.
pub fn reference(relative: &str) -> Option<PathBuf> {
    let path = reference_folder().join(relative);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no reference data '{relative}'; HUYGENS_REFERENCE names the folder of reference data");
    None
}
