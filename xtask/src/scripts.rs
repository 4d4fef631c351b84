//! Python environments: one for the module and its tests, one for the peers of the benchmarks.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::rust;
use crate::steps::{StepFailure, Steps};
use crate::workspace::succeeds;

/// Environment of the module `huygens`, below the workspace root.
pub const ENVIRONMENT: &str = ".venv";

/// Packages the module is built and tested with.
const REQUIREMENTS: &str = "xtask/requirements.txt";

/// Builds the module `huygens`, runs its tests, among them the examples, and compares its stubs with what it is.
pub fn python_module(steps: &mut Steps) -> Result<(), StepFailure> {
    if !steps.workspace.has("pyproject.toml") {
        steps.skip("Python", "there is no pyproject.toml");
        return Ok(());
    }
    let python = prepare(steps, ENVIRONMENT, REQUIREMENTS)?;
    rust::extension_module(steps, &python)?;
    let mut describe = Command::new(program_in(&steps.workspace.root.join(ENVIRONMENT), "maturin"));
    describe.args(["pep517", "write-dist-info", "--manifest-path", "crates/python/Cargo.toml"]);
    describe.arg("--metadata-directory").arg(steps.workspace.target.join("python-metadata"));
    steps.command("Python package", &mut describe)?;
    if steps.workspace.has("crates/python/tests") {
        steps.command(
            "Python tests",
            Command::new(&python).args(["-m", "pytest", "-q", "-n", "auto", "crates/python/tests"]),
        )?;
    }
    let mut stubs = Command::new(&python);
    stubs.args(["-m", "mypy.stubtest", "huygens"]);
    if steps.workspace.has("crates/python/stubtest-allowlist.txt") {
        stubs.args(["--allowlist", "crates/python/stubtest-allowlist.txt"]);
    }
    steps.command("Python stubs", &mut stubs)
}

/// Creates the environment if it is missing, installs the requirements if they changed, and answers with
/// its interpreter.
pub fn prepare(steps: &mut Steps, environment: &str, requirements: &str) -> Result<PathBuf, StepFailure> {
    let folder = steps.workspace.root.join(environment);
    let python = program_in(&folder, "python");
    if !succeeds(Command::new(&python).arg("--version")) {
        let host = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        steps.command(
            &format!("create {environment}"),
            Command::new(host).args(["-m", "venv"]).arg(&folder),
        )?;
        // The environment ignores itself; where that cannot be written, git merely shows one folder more.
        let _ = std::fs::write(folder.join(".gitignore"), "*\n");
    }
    let wanted = std::fs::read(steps.workspace.root.join(requirements)).unwrap_or_default();
    let stamp = folder.join("installed-requirements.txt");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
    steps.command(&format!("install {requirements}"), &mut pip)?;
    // Without this mark the next run asks pip again, which does no harm.
    let _ = std::fs::write(&stamp, &wanted);
    Ok(python)
}

/// Path of a program installed in an environment.
pub fn program_in(environment: &Path, name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    environment.join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
