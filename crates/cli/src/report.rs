//! An error as text: the message, the lines of the file it is about with the place underlined, and what to do.

use std::fmt::{self, Display, Write as _};
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Columns of a line of words.
const WIDTH: usize = 98;
/// Lines shown before and after the place.
const CONTEXT: usize = 1;
/// What a tab is shown as.
const TAB: &str = "    ";

/// What is shown of an error.
pub struct Report<'a> {
    /// What is wrong.
    pub message: &'a str,
    /// Where.
    pub snippet: Option<Snippet<'a>>,
    /// What to do.
    pub help: Option<&'a str>,
    /// Whether the reader understands the control sequences of terminals.
    pub color: bool,
}

/// A place in a text file.
pub struct Snippet<'a> {
    /// Its name.
    pub file: &'a str,
    /// All of its text.
    pub text: &'a str,
    /// Bytes of the place in the text.
    pub span: Range<usize>,
}

// Parameters of the control sequence "select graphic rendition".
const ERROR: &str = "31";
const FILE: &str = "1;4;36";
const HELP: &str = "36";
const NUMBER: &str = "2";
const PLACE: &str = "1;35";

impl Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.painted(ERROR, "×");
        let bar = self.painted(ERROR, "│");
        wrapped(f, self.message, WIDTH - 4, [&format!("  {error} "), &format!("  {bar} ")])?;
        if let Some(snippet) = &self.snippet {
            self.write_snippet(f, snippet)?;
        }
        let Some(help) = self.help else { return Ok(()) };
        let label = self.painted(HELP, "help:");
        wrapped(f, help, WIDTH - 8, [&format!("  {label} "), "        "])
    }
}

impl Report<'_> {
    fn painted(&self, style: &str, text: impl Display) -> String {
        if self.color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_string() }
    }

    fn write_snippet(&self, f: &mut fmt::Formatter<'_>, snippet: &Snippet<'_>) -> fmt::Result {
        let text = snippet.text;
        let start = text.floor_char_boundary(snippet.span.start);
        let end = text.floor_char_boundary(snippet.span.end).max(start);
        let end = start + text[start..end].trim_end().len();
        let lines: Vec<Line<'_>> = lines(text).collect();
        let [first, last] = [start, end].map(|at| lines.partition_point(|line| line.start <= at) - 1);
        let shown = first.saturating_sub(CONTEXT)..=(last + CONTEXT).min(lines.len() - 1);
        let shown = *shown.start()..=trimmed_end(&lines, last, *shown.end());
        let width = (shown.end() + 1).to_string().len();
        let column = text[lines[first].start..start].chars().count() + 1;
        let place = self.painted(FILE, format_args!("{}:{}:{column}", snippet.file, first + 1));
        writeln!(f, "{:width$}╭─[{place}]", "", width = width + 2)?;
        for k in shown {
            let number = self.painted(NUMBER, format_args!("{:>width$}", k + 1));
            let line = &lines[k];
            let gutter = match (first == last, k) {
                (true, _) => String::new(),
                (_, k) if k == first => self.painted(PLACE, "╭─▶ "),
                (_, k) if k == last => self.painted(PLACE, "╰─▶ "),
                (_, k) if (first..last).contains(&k) => self.painted(PLACE, "│   "),
                _ => "    ".to_owned(),
            };
            writeln!(f, "{}", format!(" {number} │ {gutter}{}", expanded(line.text)).trim_end())?;
            if first == last && k == first {
                let at = columns(&text[line.start..start]);
                let mark = match columns(&text[start..end]) {
                    0 => "▲".to_owned(),
                    count => "─".repeat(count),
                };
                let mark = self.painted(PLACE, mark);
                writeln!(f, "{:width$}· {:at$}{mark}", "", "", width = width + 2)?;
            }
        }
        writeln!(f, "{:width$}╰────", "", width = width + 2)
    }
}

/// A line of a text and the byte it starts at.
struct Line<'a> {
    start: usize,
    text: &'a str,
}

/// All lines, the empty one after a final line break included.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let at = start;
        start += line.len() + 1;
        Line { start: at, text: line.trim_end_matches('\r') }
    })
}

/// The last line to show: not the empty one behind the end of the file, unless the place is there.
fn trimmed_end(lines: &[Line<'_>], last: usize, end: usize) -> usize {
    let is_behind_the_end = end + 1 == lines.len() && lines[end].text.is_empty();
    if is_behind_the_end && end > last { end - 1 } else { end }
}

fn expanded(text: &str) -> String {
    text.replace('\t', TAB)
}

fn columns(text: &str) -> usize {
    expanded(text).width()
}

/// Writes words in lines of at most `width` columns, after `indents` of the first and of further lines.
fn wrapped(f: &mut fmt::Formatter<'_>, text: &str, width: usize, indents: [&str; 2]) -> fmt::Result {
    let mut indent = indents[0];
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                writeln!(f, "{indent}{line}")?;
                indent = indents[1];
                line.clear();
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.write_str(word)?;
        }
        writeln!(f, "{}", format!("{indent}{line}").trim_end())?;
        indent = indents[1];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "[[joints]]\na = \"ground\"\nb = \"dor\"\nposition = [0, 0, 1]\n";

    fn shown(text: &str, span: Range<usize>) -> String {
        let snippet = Snippet { file: "door.toml", text, span };
        let report = Report { message: "no 'dor'", snippet: Some(snippet), help: None, color: false };
        report.to_string()
    }

    #[test]
    fn a_word_is_underlined_between_its_neighbours() {
        let at = SCENE.find("\"dor\"").unwrap();
        let snippet = Snippet { file: "door.toml", text: SCENE, span: at..at + 5 };
        let report =
            Report { message: "no 'dor'", snippet: Some(snippet), help: Some("'door'?"), color: false };
        let expected = "  × no 'dor'\n   ╭─[door.toml:3:5]\n 2 │ a = \"ground\"\n 3 │ b = \"dor\"\n   ·     ─────\n 4 │ position = [0, 0, 1]\n   ╰────\n  help: 'door'?\n";
        assert_eq!(report.to_string(), expected);
    }

    #[test]
    fn a_place_of_several_lines_is_bracketed() {
        let text = "x = 1\nb = [\n  1,\n]\ny = 2\n";
        let expected = "  × no 'dor'\n   ╭─[door.toml:2:5]\n 1 │     x = 1\n 2 │ ╭─▶ b = [\n 3 │ │     1,\n 4 │ ╰─▶ ]\n 5 │     y = 2\n   ╰────\n";
        assert_eq!(shown(text, 10..18), expected);
    }

    /// Wide characters and tabs before the place, a place of no width, and places at and behind the end.
    #[test]
    fn arrows_stand_below_their_place() {
        let text = "\t数 = 5";
        let at = text.find('5').unwrap();
        assert!(shown(text, at..at + 1).ends_with(" 1 │     数 = 5\n   ·          ─\n   ╰────\n"));
        assert!(shown("ab\n", 1..1).ends_with(" 1 │ ab\n   ·  ▲\n   ╰────\n"));
        assert!(shown("ab\n", 3..3).ends_with(" 1 │ ab\n 2 │\n   · ▲\n   ╰────\n"));
        assert!(shown("ab", 7..9).ends_with(" 1 │ ab\n   ·   ▲\n   ╰────\n"));
        assert!(shown("", 0..0).ends_with(" 1 │\n   · ▲\n   ╰────\n"));
        // Not at the start of a character.
        assert!(shown("数", 1..2).contains("▲"));
    }

    #[test]
    fn long_messages_are_wrapped_and_words_kept() {
        let message = format!("{} {}\nend", "word ".repeat(30).trim_end(), "x".repeat(120));
        let report = Report { message: &message, snippet: None, help: None, color: false };
        let text = report.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines[0].starts_with("  × word") && lines[0].width() <= WIDTH);
        assert!(lines[1..].iter().all(|line| line.starts_with("  │ ")));
        assert_eq!(lines[3], "  │ end");
    }
}
