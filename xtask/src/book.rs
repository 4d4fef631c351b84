//! The book under `docs/`: its table of contents matches its chapters.

use std::collections::BTreeSet;
use std::process::Command;

use crate::steps::{StepFailure, Steps};
use crate::workspace::{Workspace, files_below, succeeds};

/// Every chapter that `SUMMARY.md` links exists, and every chapter that exists is linked. A chapter not yet
/// written is listed without a link, as mdBook has it: `[Title]()`.
pub fn check(workspace: &Workspace) -> Result<String, String> {
    let source = workspace.root.join("docs/src");
    let path = source.join("SUMMARY.md");
    let summary = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (linked, drafts) = chapters(&summary);
    let written: BTreeSet<String> = files_below(&source, &["md"])
        .iter()
        .filter_map(|path| Some(path.strip_prefix(&source).ok()?.to_string_lossy().replace('\\', "/")))
        .filter(|name| name != "SUMMARY.md")
        .collect();
    let missing: Vec<_> = linked.difference(&written).cloned().collect();
    let unlisted: Vec<_> = written.difference(&linked).cloned().collect();
    if !missing.is_empty() {
        return Err(format!("docs/src/SUMMARY.md links chapters that do not exist: {}", missing.join(", ")));
    }
    if !unlisted.is_empty() {
        return Err(format!("docs/src/SUMMARY.md does not list: {}", unlisted.join(", ")));
    }
    Ok(format!("{} chapters, {drafts} still to be written", linked.len()))
}

/// Builds the book where mdBook is installed.
pub fn build(steps: &mut Steps) -> Result<(), StepFailure> {
    if !succeeds(Command::new("mdbook").arg("--version")) {
        steps.skip("book", "mdbook is not installed (cargo install mdbook)");
        return Ok(());
    }
    let folder = steps.workspace.target.join("book");
    steps.command("book", Command::new("mdbook").arg("build").arg("docs").arg("--dest-dir").arg(folder))
}

/// The files a table of contents links, and how many entries link nothing.
fn chapters(summary: &str) -> (BTreeSet<String>, usize) {
    let mut linked = BTreeSet::new();
    let mut drafts = 0;
    for line in summary.lines() {
        let Some((_, rest)) = line.split_once("](") else { continue };
        let Some((target, _)) = rest.split_once(')') else { continue };
        match target.trim_start_matches("./") {
            "" => drafts += 1,
            file => {
                linked.insert(file.to_owned());
            }
        }
    }
    (linked, drafts)
}

#[cfg(test)]
mod tests {
    use super::chapters;

    #[test]
    fn linked_chapters_and_drafts_are_told_apart() {
        let (linked, drafts) =
            chapters("# Summary\n\n[Intro](./intro.md)\n- [Later]()\n  - [Joints](theory/joints.md)\n");
        assert_eq!(linked.into_iter().collect::<Vec<_>>(), ["intro.md", "theory/joints.md"]);
        assert_eq!(drafts, 1);
    }
}
