//! What follows from the JSON Schema of scene files: the Python classes, and the reference pages of the book.
//!
//! The schema comes from the program itself (`huygens schema`), so that its descriptions, units and defaults are those
//! of the Rust structures. What it cannot know is in [`table`].

mod python;
mod reference;
mod schema;
mod table;
mod text;
mod types;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rust::{self, Profile};
use crate::steps::{StepFailure, Steps};
use crate::workspace::Workspace;
use python::Classes;
use schema::Schema;

/// Folder of the generated Python classes.
const PYTHON: &str = "crates/python/python/huygens/spec";

/// Folder of the generated reference pages.
const REFERENCE: &str = "docs/src/reference";

/// What to do with the generated files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Write them.
    Write,
    /// Compare them with those that are there.
    Check,
}

/// Builds the program, reads its schema, and writes or checks every generated file.
pub fn run(steps: &mut Steps, action: Action) -> Result<(), StepFailure> {
    rust::build(steps)?;
    steps.check("generated files", |workspace| {
        let files = generated(workspace)?;
        match action {
            Action::Write => write(workspace, &files),
            Action::Check => check(workspace, &files),
        }
    })
}

/// Every generated file, by its path in the workspace.
fn generated(workspace: &Workspace) -> Result<BTreeMap<PathBuf, String>, String> {
    let schema = Schema::parse(&schema_of(workspace)?)?;
    let classes = Classes::new(&schema)?;
    let python = classes.files()?.into_iter().map(|(name, text)| (Path::new(PYTHON).join(name), text));
    let pages = reference::pages(&schema, &classes)?;
    let pages = pages.into_iter().map(|(name, text)| (Path::new(REFERENCE).join(name), text));
    Ok(python.chain(pages).collect())
}

fn schema_of(workspace: &Workspace) -> Result<String, String> {
    let program = workspace.built_program(Profile::Ci.name(), "huygens");
    let output = Command::new(&program)
        .arg("schema")
        .output()
        .map_err(|error| format!("{} does not start: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("`huygens schema` ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`huygens schema` wrote no text: {error}"))
}

fn write(workspace: &Workspace, files: &BTreeMap<PathBuf, String>) -> Result<String, String> {
    let problem = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut changed = 0;
    for path in superfluous(workspace, files) {
        std::fs::remove_file(workspace.root.join(&path)).map_err(|error| problem(&path, error))?;
        changed += 1;
    }
    for (path, text) in files {
        let whole = workspace.root.join(path);
        if std::fs::read_to_string(&whole).is_ok_and(|present| present == *text) {
            continue;
        }
        let folder = whole.parent().unwrap_or(&whole);
        std::fs::create_dir_all(folder).map_err(|error| problem(path, error))?;
        std::fs::write(&whole, text).map_err(|error| problem(path, error))?;
        changed += 1;
    }
    Ok(format!("{} files, {changed} of them changed", files.len()))
}

fn check(workspace: &Workspace, files: &BTreeMap<PathBuf, String>) -> Result<String, String> {
    let is_stale = |path: &Path, text: &str| {
        !std::fs::read_to_string(workspace.root.join(path)).is_ok_and(|present| present == *text)
    };
    let mut stale: Vec<String> = files
        .iter()
        .filter(|(path, text)| is_stale(path, text))
        .map(|(path, _)| path.display().to_string())
        .collect();
    stale
        .extend(superfluous(workspace, files).iter().map(|path| format!("{} (superfluous)", path.display())));
    match stale.is_empty() {
        true => Ok(format!("{} files are what the schema says", files.len())),
        false => Err(format!(
            "these files differ from what the schema says: {}; run `cargo xtask generate` and commit the result",
            stale.join(", ")
        )),
    }
}

/// Files in the generated folders that were generated once and are not any more. Others are left alone.
fn superfluous(workspace: &Workspace, files: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    [(PYTHON, "py"), (REFERENCE, "md")]
        .into_iter()
        .flat_map(|(folder, extension)| {
            crate::workspace::files_below(&workspace.root.join(folder), &[extension])
        })
        .filter(|path| std::fs::read_to_string(path).is_ok_and(|present| present.contains(text::NOTE)))
        .filter_map(|path| Some(path.strip_prefix(&workspace.root).ok()?.to_owned()))
        .filter(|path| !files.contains_key(path))
        .collect()
}
