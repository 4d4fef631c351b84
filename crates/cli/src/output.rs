//! Output to the standard streams that survives a closed pipe or a full disk.

use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, PoisonError};

/// The first failure of standard output, after which nothing more is written there.
static FAILURE: Mutex<Option<ErrorKind>> = Mutex::new(None);

/// Writes a line.
///
/// Once standard output fails, further lines are dropped and the command goes on: a reader that has gone away, such as
/// `head`, ends the output, never a run. [`failure`] tells about it at the end.
pub fn line(text: impl std::fmt::Display) {
    write(&mut FAILURE.lock().unwrap_or_else(PoisonError::into_inner), &mut io::stdout().lock(), text);
}

fn write(failed: &mut Option<ErrorKind>, out: &mut impl Write, text: impl std::fmt::Display) {
    if failed.is_none() {
        *failed = writeln!(out, "{text}").and_then(|()| out.flush()).err().map(|e| e.kind());
    }
}

/// Why lines for standard output were lost; a reader that did not want more of them lost nothing.
pub fn failure() -> Option<String> {
    let failed = *FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
    failed.filter(|kind| *kind != ErrorKind::BrokenPipe).map(|kind| kind.to_string())
}

/// Writes a line to standard error; failures are ignored.
pub fn note(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A count with its noun in the right form: `1 body`, `2 bodies`.
pub fn count(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A span of time in words: `12 s`, `3 min 20 s`, `5 h 10 min`, `12 days`.
pub fn duration(seconds: f64) -> String {
    let s = seconds.round().min(1e15) as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        3600..172_800 => format!("{} h {} min", s / 3600, s % 3600 / 60),
        172_800..63_115_200 => format!("{} days", s / 86_400),
        _ => format!("{} years", huygens::spec::shown((s / 31_557_600) as f64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_everything_else_plural() {
        assert_eq!([0, 1, 2].map(|n| count(n, "body", "bodies")), ["0 bodies", "1 body", "2 bodies"]);
    }

    #[test]
    fn spans_are_told_in_the_units_people_use() {
        let spans = [3.4, 200.0, 18_600.0, 864_000.0, 3.2e9].map(duration);
        assert_eq!(spans, ["3 s", "3 min 20 s", "5 h 10 min", "10 days", "101 years"]);
    }

    /// A writer that takes some bytes.
    struct Room(usize, ErrorKind);

    impl Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(self.1)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_is_written_after_a_failure() {
        let (mut failed, mut out) = (None, Room(10, ErrorKind::StorageFull));
        write(&mut failed, &mut out, "four");
        assert_eq!((failed, out.0), (None, 5));
        write(&mut failed, &mut out, "too long");
        write(&mut failed, &mut out, "x");
        assert_eq!((failed, out.0), (Some(ErrorKind::StorageFull), 5));
    }
}
