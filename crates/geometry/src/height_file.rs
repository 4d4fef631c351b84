//! Height files: text files with one row of samples per line.

use std::io::Read;
use std::path::Path;

use crate::input_file;

/// Largest file of heights [bytes].
pub const MAX_BYTES: u64 = 256 << 20;

/// The rows of a file: numbers separated by commas, semicolons or blanks; `#` begins a comment. An error names the file,
/// and the line where there is one.
pub fn read(path: &Path) -> Result<Vec<Vec<f64>>, String> {
    let unreadable = |e: std::io::Error| format!("cannot read the height file '{}': {e}", path.display());
    let mut file = input_file::open(path).map_err(unreadable)?;
    let bytes = file.metadata().map_err(unreadable)?.len();
    if bytes > MAX_BYTES {
        return Err(format!(
            "the height file '{}' has {bytes} bytes; at most {MAX_BYTES} are allowed",
            path.display()
        ));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    let mut rows = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("");
        let words = line.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|w| !w.is_empty());
        let row = words
            .map(|w| w.parse::<f64>().ok().filter(|h| h.is_finite()).ok_or(w))
            .collect::<Result<Vec<f64>, &str>>()
            .map_err(|w| {
                format!("the height file '{}', line {}: '{w}' is not a finite number", path.display(), k + 1)
            })?;
        if !row.is_empty() {
            rows.push(row);
        }
    }
    Ok(rows)
}
