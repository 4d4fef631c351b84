//! API documentation: every warning of rustdoc is an error, except that a unit in brackets is no link.
//!
//! Physical fields carry their unit as `[m]`, which rustdoc takes for a link to an item `m`. Broken links are
//! therefore only warned about by rustdoc, and judged here.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::rust::cargo_on_workspace;
use crate::steps::{StepFailure, Steps};
use crate::workspace::Workspace;

/// Builds the API documentation of the workspace.
pub fn build(steps: &mut Steps) -> Result<(), StepFailure> {
    steps.check("API documentation", |workspace| {
        let (messages, succeeded) = rustdoc(workspace).map_err(|error| format!("cargo doc: {error}"))?;
        let broken: Vec<&str> = paragraphs(&messages).filter(|paragraph| is_broken_link(paragraph)).collect();
        for paragraph in &broken {
            eprintln!("{paragraph}\n");
        }
        match (succeeded, broken.len()) {
            (false, _) => Err("rustdoc complains".to_owned()),
            (true, 0) => Ok("no broken links".to_owned()),
            (true, count) => Err(format!("{count} broken links")),
        }
    })
}

/// Runs rustdoc; answers with what it wrote about links, having shown everything else.
fn rustdoc(workspace: &Workspace) -> std::io::Result<(String, bool)> {
    let mut command = cargo_on_workspace("doc");
    command.args(["--no-deps", "--color", "never"]);
    // `huygens` is both a library and a program; the library's pages are the ones to keep.
    command.args(["--lib"]);
    command.env("RUSTDOCFLAGS", "-D warnings --force-warn rustdoc::broken_intra_doc_links");
    let mut child =
        command.current_dir(&workspace.root).stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut about_links = String::new();
    let mut in_link_message = false;
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).lines() {
            let line = line?;
            if line.starts_with(UNRESOLVED) {
                in_link_message = true;
            } else if !line.starts_with([' ', '|', '='])
                && !line.is_empty()
                && !starts_with_line_number(&line)
            {
                in_link_message = false;
            }
            if in_link_message {
                about_links.push_str(&line);
                about_links.push('\n');
            } else if !line.is_empty() {
                eprintln!("{line}");
            }
        }
    }
    Ok((about_links, child.wait()?.success()))
}

const UNRESOLVED: &str = "warning: unresolved link to `";

/// What a message says about documentation that stands in a macro of another crate.
const IN_MACRO: &str = "= note: this warning originates in the macro";

/// Units that stand alone in brackets.
const UNITS: [&str; 10] = ["m", "s", "kg", "N", "Pa", "J", "W", "Hz", "rad", "deg"];

fn starts_with_line_number(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_digit())
}

fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").map(str::trim_end).filter(|paragraph| !paragraph.is_empty())
}

/// Whether a message is about a link that was meant as one: anything but a short bare word in brackets.
fn is_broken_link(paragraph: &str) -> bool {
    let Some(rest) = paragraph.strip_prefix(UNRESOLVED) else { return false };
    let Some((target, source)) = rest.split_once('`') else { return true };
    let in_brackets = format!("[{target}]");
    let is_bare = source.contains(&in_brackets) && !source.contains(&format!("{in_brackets}("));
    let is_short_word = target.chars().count() <= 6 && target.chars().all(char::is_alphanumeric);
    // Of documentation in a macro the message shows the call only.
    let is_unit_in_macro = paragraph.contains(IN_MACRO) && UNITS.contains(&target);
    !(is_unit_in_macro || is_bare && is_short_word)
}

#[cfg(test)]
mod tests {
    use super::is_broken_link;

    #[test]
    fn a_unit_is_not_a_broken_link() {
        let message = |target: &str, line: &str| {
            format!(
                "warning: unresolved link to `{target}`\n  --> a.rs:1:1\n   |\n1  | {line}\n   |      ^^^"
            )
        };
        assert!(!is_broken_link(&message("m", "/// Length [m].")));
        assert!(!is_broken_link(&message("m²", "/// Area [m²].")));
        assert!(is_broken_link(&message("Body", "/// See [`Body`].")));
        assert!(is_broken_link(&message("crate::Body", "/// See [bodies](crate::Body).")));
        assert!(is_broken_link(&message("JointRevolute", "/// See [JointRevolute].")));
        let in_macro = |target: &str| {
            let call = message(target, "coefficients!(materials);");
            format!("{call}\n   = note: this warning originates in the macro `coefficients`")
        };
        assert!(!is_broken_link(&in_macro("Pa")));
        assert!(is_broken_link(&in_macro("Body")));
    }
}
