//! Output to the standard streams that survives a closed pipe or a full disk.

use std::io::{ErrorKind, Write};

/// Writes a line; a reader that has gone away ends the program quietly.
pub fn line(text: impl std::fmt::Display) {
    if let Err(e) = writeln!(std::io::stdout().lock(), "{text}")
        && e.kind() == ErrorKind::BrokenPipe
    {
        std::process::exit(0);
    }
}

/// Writes a line to standard error; failures are ignored.
pub fn note(text: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// A number as people write it: at most nine decimals, no trailing zeros.
pub fn decimal(x: f64) -> String {
    let text = format!("{x:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A count with its noun in the right form: `1 body`, `2 bodies`.
pub fn count(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::{count, decimal};

    #[test]
    fn one_is_singular_and_everything_else_plural() {
        assert_eq!([0, 1, 2].map(|n| count(n, "body", "bodies")), ["0 bodies", "1 body", "2 bodies"]);
    }

    #[test]
    fn decimals_have_no_trailing_zeros() {
        assert_eq!([2.0, 0.5, 1e-9].map(decimal), ["2", "0.5", "0.000000001"]);
    }
}
