//! Everything cargo does: format, lints, documentation, tests, examples, validation.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scripts;
use crate::steps::{StepFailure, Steps};
use crate::workspace::{cargo, cargo_locked, has_cargo_subcommand};

/// The build profiles in use. Lints, tests, examples, the Python module and the quick validation share
/// `Ci`, so that every dependency is compiled once.
#[derive(Clone, Copy)]
pub enum Profile {
    Ci,
    Release,
}

impl Profile {
    /// The name cargo knows the profile by, which is also its folder below `target`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ci => "ci",
            Self::Release => "release",
        }
    }
}

/// The extension module links against no Python library, so it cannot be a test program.
const ALL_BUT_EXTENSION_MODULE: [&str; 3] = ["--workspace", "--exclude", "huygens-python"];

/// `cargo SUBCOMMAND` under a profile.
pub fn cargo_with_profile(subcommand: &str, profile: Profile) -> Command {
    let mut command = cargo_locked(&[subcommand]);
    command.args(["--profile", profile.name()]);
    command
}

pub fn format_check(steps: &mut Steps) -> Result<(), StepFailure> {
    steps.command("format", cargo().args(["fmt", "--all", "--check"]))
}

pub fn lints(steps: &mut Steps) -> Result<(), StepFailure> {
    let mut command = cargo_with_profile("clippy", Profile::Ci);
    steps.command("lints", command.args(["--workspace", "--all-targets", "--", "-D", "warnings"]))
}

/// Licences, sources and bans; advisories need a database from the network and are left to a scheduled job.
pub fn dependency_policy(steps: &mut Steps) -> Result<(), StepFailure> {
    if !has_cargo_subcommand("deny") {
        steps.skip("dependency policy", "cargo-deny is not installed (cargo install cargo-deny --locked)");
        return Ok(());
    }
    steps.command(
        "dependency policy",
        cargo().args(["deny", "--all-features", "check", "licenses", "bans", "sources"]),
    )
}

pub fn tests(steps: &mut Steps) -> Result<(), StepFailure> {
    let mut command = if has_cargo_subcommand("nextest") {
        let mut nextest = cargo_locked(&["nextest", "run"]);
        nextest.args(["--cargo-profile", Profile::Ci.name()]);
        nextest
    } else {
        let mut test = cargo_with_profile("test", Profile::Ci);
        test.args(["--lib", "--bins", "--tests"]);
        test
    };
    steps.command("Rust tests", command.args(ALL_BUT_EXTENSION_MODULE))
}

pub fn doctests(steps: &mut Steps) -> Result<(), StepFailure> {
    let mut command = cargo_with_profile("test", Profile::Ci);
    steps.command("doctests", command.arg("--doc").args(ALL_BUT_EXTENSION_MODULE))
}

/// Runs every numbered example that exists as a Rust program or as a scene file.
pub fn examples(steps: &mut Steps) -> Result<(), StepFailure> {
    let found = NumberedExamples::below(&steps.workspace.root.join("examples"));
    if found.programs.is_empty() && found.scenes.is_empty() {
        steps.skip("examples", "there are none");
        return Ok(());
    }
    let mut build = cargo_with_profile("build", Profile::Ci);
    steps.command(
        "build examples",
        build.args(["-p", "huygens-cli", "-p", "huygens", "--bins", "--examples"]),
    )?;
    let results = steps.workspace.target.join("examples");
    for name in &found.programs {
        let program = steps.workspace.built_program(&format!("{}/examples", Profile::Ci.name()), name);
        steps.command(&format!("example {name} (Rust)"), &mut Command::new(program))?;
    }
    let huygens = steps.workspace.built_program(Profile::Ci.name(), "huygens");
    for (name, scene) in &found.scenes {
        let mut run = Command::new(&huygens);
        run.arg("run").arg(scene).arg("--out").arg(results.join(name)).arg("--quiet");
        steps.command(&format!("example {name} (scene)"), &mut run)?;
    }
    Ok(())
}

/// Runs the validation program with `arguments`.
pub fn validate(steps: &mut Steps, profile: Profile, arguments: &[String]) -> Result<(), StepFailure> {
    if !steps.workspace.has("validation/Cargo.toml") {
        steps.skip("validation", "there is no validation crate");
        return Ok(());
    }
    let mut command = cargo_with_profile("run", profile);
    steps.command("validation", command.args(["-p", "huygens-validation", "--"]).args(arguments))
}

/// Examples are numbered: `01_name.rs`, `01_name.toml`, `01_name.py`, or the same inside a numbered folder
/// as `main.rs`, `scene.toml`, `main.py`. Files without a number are parts of another.
pub struct NumberedExamples {
    pub programs: Vec<String>,
    pub scenes: Vec<(String, PathBuf)>,
    pub scripts: Vec<(String, PathBuf)>,
}

impl NumberedExamples {
    pub fn below(folder: &Path) -> Self {
        let mut found = Self { programs: Vec::new(), scenes: Vec::new(), scripts: Vec::new() };
        for path in crate::workspace::files_below(folder, &["rs", "toml", "json", "py"]) {
            let Some(name) = example_name(folder, &path) else { continue };
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("rs") => found.programs.push(name),
                Some("py") => found.scripts.push((name, path)),
                _ => found.scenes.push((name, path)),
            }
        }
        found
    }
}

fn example_name(folder: &Path, path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let parent = path.parent()?;
    let parent_name = parent.file_name()?.to_str()?;
    let is_numbered = |name: &str| name.starts_with(|first: char| first.is_ascii_digit());
    if parent.parent() == Some(folder) && is_numbered(parent_name) && (stem == "main" || stem == "scene") {
        return Some(parent_name.to_owned());
    }
    let at_top_or_by_kind =
        parent == folder || (parent.parent() == Some(folder) && !is_numbered(parent_name));
    (at_top_or_by_kind && is_numbered(stem)).then(|| stem.to_owned())
}

/// Runs every numbered example that exists as a Python script, in the environment `python`.
pub fn python_examples(steps: &mut Steps, python: &Path) -> Result<(), StepFailure> {
    let found = NumberedExamples::below(&steps.workspace.root.join("examples"));
    for (name, script) in &found.scripts {
        let mut run = Command::new(python);
        steps.command(&format!("example {name} (Python)"), run.arg(script).env("MPLBACKEND", "Agg"))?;
    }
    Ok(())
}

/// Builds the Python module into its environment.
pub fn extension_module(steps: &mut Steps) -> Result<(), StepFailure> {
    let environment = steps.workspace.root.join(scripts::ENVIRONMENT);
    let mut maturin = Command::new(scripts::program_in(&environment, "maturin"));
    maturin
        .args(["develop", "--profile", Profile::Ci.name()])
        .args(["--manifest-path", "crates/python/Cargo.toml"])
        .env("VIRTUAL_ENV", &environment);
    steps.command("build Python module", &mut maturin)
}
