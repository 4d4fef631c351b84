//! The book under `docs/`: its table of contents matches its chapters, its links lead somewhere, and it builds.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::programs::on_path;
use crate::steps::{StepFailure, Steps};
use crate::workspace::{Workspace, cargo, files_below, succeeds};

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

/// Every relative link of the book, the README and the notes for contributors leads to a file.
pub fn check_links(workspace: &Workspace) -> Result<String, String> {
    let mut pages = files_below(&workspace.root.join("docs"), &["md"]);
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| workspace.root.join(name)));
    let (mut count, mut broken) = (0, Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        let folder = page.parent().unwrap_or(&workspace.root);
        for link in links(&text) {
            count += 1;
            if !folder.join(&link).exists() {
                let shown = page.strip_prefix(&workspace.root).unwrap_or(&page);
                broken.push(format!("{}: {link}", shown.display()));
            }
        }
    }
    match broken.is_empty() {
        true => Ok(format!("{count} links")),
        false => Err(format!("links to files that do not exist:\n{}", broken.join("\n"))),
    }
}

/// The relative files that a page links or shows, without their anchors; code is passed over.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        // Every second piece between backquotes is code.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        for rest in prose.split("](").skip(1).chain(prose.split("src=\"").skip(1)) {
            let Some(end) = rest.find([')', '"']) else { continue };
            let file = rest[..end].split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") && !file.starts_with("mailto:") {
                found.push(file.to_owned());
            }
        }
    }
    found
}

/// The release of mdBook that is installed where there is none.
const MDBOOK: &str = "0.4.52";

/// Builds the book; installs mdBook below the target folder where it is missing and can be had.
pub fn build(steps: &mut Steps) -> Result<(), StepFailure> {
    let Some(mdbook) = mdbook(&steps.workspace) else {
        steps.skip("book", "mdbook is not installed and could not be (cargo install mdbook)");
        return Ok(());
    };
    let folder = steps.workspace.target.join("book");
    steps.command("book", Command::new(mdbook).arg("build").arg("docs").arg("--dest-dir").arg(&folder))?;
    steps.check("index of the book", |_| {
        let has_index = files_below(&folder, &["json", "js"])
            .iter()
            .filter_map(|path| path.file_name()?.to_str())
            .any(|name| name.starts_with("searchindex"));
        has_index.then(|| "searchable".to_owned()).ok_or("the book has no search index".to_owned())
    })
}

/// Path of mdBook: installed by the user, by an earlier run, or now. It is compiled without optimisation and without
/// its web server, which takes a quarter of the time and is fast enough.
fn mdbook(workspace: &Workspace) -> Option<PathBuf> {
    let tools = workspace.target.join("tools");
    let ours = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let is_there = || ours.is_file().then(|| ours.clone());
    on_path("mdbook").or_else(is_there).or_else(|| {
        println!("\n$ cargo install mdbook");
        let mut install = cargo();
        install.args(["install", "mdbook", "--version", MDBOOK, "--locked", "--debug"]);
        install.args(["--no-default-features", "--features", "search", "--root"]).arg(&tools);
        install.arg("--target-dir").arg(tools.join("build"));
        succeeds(&mut install).then(is_there).flatten()
    })
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
    use super::{chapters, links};

    #[test]
    fn linked_chapters_and_drafts_are_told_apart() {
        let (linked, drafts) =
            chapters("# Summary\n\n[Intro](./intro.md)\n- [Later]()\n  - [Joints](theory/joints.md)\n");
        assert_eq!(linked.into_iter().collect::<Vec<_>>(), ["intro.md", "theory/joints.md"]);
        assert_eq!(drafts, 1);
    }

    #[test]
    fn links_to_files_are_found_outside_code() {
        let page = "[a](a.md#b), ![p](images/p.png) and [web](https://e.org), `[no](no.md)` [top](#top)\n\
                    ```sh\n[no](no.md)\n```\n<img src=\"i.gif\" width=\"9\">";
        assert_eq!(links(page), ["a.md", "images/p.png", "i.gif"]);
    }
}
