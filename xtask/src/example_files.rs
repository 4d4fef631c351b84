//! The files of the examples: short, with a header and an assertion, and scenes in TOML 1.0.

use std::path::Path;

use crate::rust::NumberedExamples;
use crate::workspace::{Workspace, files_below};

/// Most lines of an example.
const MOST_LINES: usize = 60;

/// Every numbered example has at most [`MOST_LINES`] lines, begins with how to run it and what to see, and asserts
/// something where it is a program. Scene files are TOML 1.0: the reader of Huygens takes the longer inline tables of
/// TOML 1.1 too, other tools do not.
pub fn check(workspace: &Workspace) -> Result<String, String> {
    let folder = workspace.root.join("examples");
    let found = NumberedExamples::below(&folder);
    let programs = found.programs.iter().map(|name| folder.join(format!("{name}.rs")));
    let scripts = files_below(&folder, &["py"]).into_iter().filter(|path| path.parent() == Some(&*folder));
    let listed = found.scenes.into_iter().map(|(_, path)| path).chain(scripts);
    let (mut count, mut problems) = (0, Vec::new());
    for path in programs.filter(|path| path.exists()).chain(listed) {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let shown = path.strip_prefix(&workspace.root).unwrap_or(&path).display().to_string();
        problems.extend(faults(&path, &text).into_iter().map(|fault| format!("{shown}{fault}")));
        count += 1;
    }
    match problems.is_empty() {
        true => Ok(format!("{count} files, at most {MOST_LINES} lines each")),
        false => Err(format!("examples:\n  {}", problems.join("\n  "))),
    }
}

/// What is wrong with an example; each begins with `:` or `:line:`.
fn faults(path: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        found.push(format!(": {lines} lines; {MOST_LINES} are allowed"));
    }
    let head = text.lines().take_while(|line| !line.trim().is_empty());
    let head: Vec<&str> = head.chain(text.lines().skip(2).take(4)).collect();
    for word in ["Run:", "See:"] {
        if !head.iter().any(|line| line.contains(word)) {
            found.push(format!(": the header has no `{word}`"));
        }
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs" | "py") if !text.contains("assert") => found.push(": it asserts nothing".into()),
        Some("toml") => found.extend(beyond_toml_1_0(text)),
        _ => {}
    }
    found
}

/// Inline tables that break over lines or end in a comma, which came with TOML 1.1.
fn beyond_toml_1_0(text: &str) -> Option<String> {
    let mut open = Vec::new();
    let (mut line, mut after_comma) = (1, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '#' => taken = rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => taken = string_length(rest, c),
            '[' | '{' => open.push(c),
            ']' | '}' => {
                if c == '}' && after_comma {
                    return Some(format!(":{line}: a comma before the end of an inline table"));
                }
                open.pop();
            }
            '\n' if open.last() == Some(&'{') => {
                return Some(format!(":{line}: an inline table goes on in the next line"));
            }
            _ => {}
        }
        line += rest[..taken].matches('\n').count();
        if !c.is_whitespace() {
            after_comma = c == ',';
        }
        rest = &rest[taken..];
    }
    None
}

/// Bytes of the string that `text` begins with, its quotes included.
fn string_length(text: &str, quote: char) -> usize {
    let fence: String = std::iter::repeat_n(quote, 3).collect();
    let (start, end) = if text.starts_with(&fence) { (3, fence.as_str()) } else { (1, &fence[..1]) };
    let mut at = start;
    while at < text.len() && !text[at..].starts_with(end) {
        let escapes = quote == '"' && text[at..].starts_with('\\');
        let skipped = text[at..].chars().take(if escapes { 2 } else { 1 });
        at += skipped.map(char::len_utf8).sum::<usize>();
    }
    (at + end.len()).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_tables_of_toml_1_1_are_found() {
        let plain = "# {,}\n[[a]]\nb = [\n  { c = \"},\\\" {,}\", d = [\n 1,\n 2 ] },\n]\ne = '''{\n,}'''\n";
        assert_eq!(beyond_toml_1_0(plain), None);
        let broken = beyond_toml_1_0("a = 1\nb = { c = 1,\n d = 2 }\n").unwrap();
        assert!(broken.starts_with(":2:"), "{broken}");
        let comma = beyond_toml_1_0("a = [{ b = \"ä\" }]\nc = { d = 1, }\n").unwrap();
        assert!(comma.starts_with(":2:") && comma.contains("comma"), "{comma}");
    }

    #[test]
    fn long_examples_without_header_or_assertion_are_named() {
        let good = "//! A.\n//!\n//! Run:  b\n//! See:  c\n\nfn main() {\n    assert!(true);\n}\n";
        assert!(faults(Path::new("01_a.rs"), good).is_empty());
        let bare = "fn main() {}\n".repeat(61);
        let found = faults(Path::new("01_a.rs"), &bare);
        assert_eq!(found.len(), 4, "{found:?}");
        let script = "\"\"\"A.\n\nRun:  b\nSee:  c\n\"\"\"\n\nassert True\n";
        assert!(faults(Path::new("01_a.py"), script).is_empty());
    }
}
