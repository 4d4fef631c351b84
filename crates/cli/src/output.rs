//! Writing to the standard streams without dying on a closed pipe or a full disk.

use std::io::{ErrorKind, Write};

/// Writes a line; a reader that has gone away ends the program quietly.
pub fn line(text: impl std::fmt::Display) {
    if let Err(e) = writeln!(std::io::stdout().lock(), "{text}")
        && e.kind() == ErrorKind::BrokenPipe
    {
        std::process::exit(0);
    }
}

/// Writes a line to standard error; where that fails there is nobody left to tell.
pub fn note(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A number as people write it: at most nine decimals, no trailing zeros.
pub fn decimal(x: f64) -> String {
    let text = format!("{x:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
