//! Citations: every key written in rustdoc, comments or the book is in `docs/references.bib`.
//!
//! A citation is the key of an entry, usually in parentheses: `(bruls2010)`, `(paige1975, saad1986)`.
//! Any word of three or more small letters followed by a year and an optional small letter counts as one.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::{Workspace, files_below};

const REQUIRED_FIELDS: [&str; 3] = ["author", "title", "year"];

/// Checks the bibliography itself, then every citation in the tree.
pub fn check(workspace: &Workspace) -> Result<String, String> {
    let path = workspace.root.join("docs/references.bib");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let entries = bibliography(&text)?;
    let mut cited = 0;
    let mut unknown = Vec::new();
    for file in files_below(&workspace.root, &["rs", "md"]) {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for (line, key) in citations(&file, &text) {
            cited += 1;
            if !entries.contains(&key) {
                let shown = file.strip_prefix(&workspace.root).unwrap_or(&file).display();
                unknown.push(format!("{shown}:{line}: {key}"));
            }
        }
    }
    if unknown.is_empty() {
        return Ok(format!("{cited} citations of {} references", entries.len()));
    }
    Err(format!("not in docs/references.bib:\n  {}", unknown.join("\n  ")))
}

/// Keys of a BibTeX file; refuses doubles and entries without the usual fields.
fn bibliography(text: &str) -> Result<BTreeSet<String>, String> {
    let mut entries = BTreeSet::new();
    for entry in text.split("\n@").skip(usize::from(!text.starts_with('@'))) {
        let Some((_, body)) = entry.split_once('{') else { continue };
        let Some((key, fields)) = body.split_once(',') else { continue };
        let key = key.trim().to_owned();
        let has = |field: &str| {
            fields
                .lines()
                .any(|line| line.trim_start().split('=').next().is_some_and(|name| name.trim() == field))
        };
        for field in REQUIRED_FIELDS {
            let is_replaced = field == "author" && has("editor");
            if !has(field) && !is_replaced {
                return Err(format!("docs/references.bib: {key} has no {field}"));
            }
        }
        if !entries.insert(key.clone()) {
            return Err(format!("docs/references.bib: {key} appears twice"));
        }
    }
    Ok(entries)
}

/// Line number and key of every citation: in the comments of Rust, in the prose of Markdown.
fn citations(file: &Path, text: &str) -> Vec<(usize, String)> {
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let prose = if is_rust {
            line.split_once("//").map_or("", |(_, comment)| comment)
        } else if in_code {
            ""
        } else {
            line
        };
        let words = prose.split(|c: char| !(c.is_alphanumeric() || "_-/.".contains(c)));
        let keys = words.map(|word| word.trim_end_matches('.')).filter(|word| is_key(word));
        found.extend(keys.map(|key| (index + 1, key.to_owned())));
    }
    found
}

/// Three or more small letters, a year of this or the last century, and an optional small letter.
fn is_key(word: &str) -> bool {
    let name_length = word.bytes().take_while(u8::is_ascii_lowercase).count();
    let rest = &word[name_length..];
    let Some((year, suffix)) = rest.split_at_checked(4) else { return false };
    name_length >= 3
        && (year.starts_with("19") || year.starts_with("20"))
        && year.bytes().all(|digit| digit.is_ascii_digit())
        && suffix.len() <= 1
        && suffix.bytes().all(|letter| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_found_in_comments_and_prose_only() {
        let rust = "let x = not2005(1);\n/// Theory of (bruls2010, paige1975) and `saad1986`, n2048.\n";
        let keys: Vec<_> = citations(Path::new("a.rs"), rust).into_iter().map(|(_, key)| key).collect();
        assert_eq!(keys, ["bruls2010", "paige1975", "saad1986"]);
        let book = "See (bruls2010).\n```\nnot2001\n```\nUp to 2048 links in step-by2048.md\n";
        assert_eq!(citations(Path::new("a.md"), book), [(1, "bruls2010".to_owned())]);
    }

    #[test]
    fn bibliography_refuses_doubles_and_bare_entries() {
        let entry = "@article{abc1999,\n  author = {A},\n  title = {T},\n  year = {1999},\n}\n";
        assert_eq!(bibliography(entry).unwrap().len(), 1);
        assert!(bibliography(&format!("{entry}{entry}")).unwrap_err().contains("twice"));
        assert!(bibliography("@article{abc1999,\n  title = {T},\n}\n").unwrap_err().contains("author"));
    }
}
