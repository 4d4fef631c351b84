//! Names of test files: each says what kind of truth it holds against the code.

use crate::workspace::{Workspace, files_below};

/// What a test file below a crate's `tests/` begins with.
const KINDS: [&str; 6] = ["analytic_", "convergence_", "invariant_", "parity_", "golden_", "issue_"];

/// Every test program of a crate carries one of the agreed prefixes. A folder with a `main.rs` is a program that carries
/// the name of its folder; other folders hold modules.
pub fn check(workspace: &Workspace) -> Result<String, String> {
    let crates = workspace.root.join("crates");
    let (mut count, mut wrong) = (0, Vec::new());
    for path in files_below(&crates, &["rs"]) {
        let Some(folder) = path.parent() else { continue };
        let is_main = path.file_name().is_some_and(|name| name == "main.rs");
        let (tests, name) = match is_main {
            true => (folder.parent(), folder.file_name()),
            false => (Some(folder), path.file_stem()),
        };
        if tests.and_then(|tests| tests.file_name()).is_none_or(|name| name != "tests") {
            continue;
        }
        count += 1;
        let name = name.unwrap_or_default().to_string_lossy();
        if !KINDS.iter().any(|kind| name.starts_with(kind)) {
            wrong.push(path.strip_prefix(&workspace.root).unwrap_or(&path).display().to_string());
        }
    }
    match wrong.is_empty() {
        true => Ok(format!("{count} test programs")),
        false => Err(format!("begin with one of {}:\n  {}", KINDS.join(", "), wrong.join("\n  "))),
    }
}
