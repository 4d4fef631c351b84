//! Where things are in the workspace, and which tools the machine has.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The checked-out tree and its build folder.
pub struct Workspace {
    pub root: PathBuf,
    pub target: PathBuf,
}

impl Workspace {
    /// The workspace this program was built from.
    pub fn find() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        Self { root: root.to_owned(), target }
    }

    /// Path of a program built by cargo under the given profile folder.
    pub fn built_program(&self, profile_folder: &str, name: &str) -> PathBuf {
        self.target.join(profile_folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    pub fn has(&self, relative: &str) -> bool {
        self.root.join(relative).exists()
    }
}

/// The cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// `cargo SUBCOMMAND`, held to the committed lock file where nobody is there to commit a new one.
pub fn cargo_locked(subcommand: &[&str]) -> Command {
    let mut command = cargo();
    command.args(subcommand);
    if std::env::var_os("CI").is_some() {
        command.arg("--locked");
    }
    command
}

/// Whether `cargo SUBCOMMAND` is installed.
pub fn has_cargo_subcommand(subcommand: &str) -> bool {
    succeeds(cargo().arg(subcommand).arg("--version"))
}

/// Whether a command starts and ends well; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Files below `folder` whose name ends in one of `extensions`, in a stable order; hidden folders,
/// build folders and installed packages are passed over.
pub fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(current) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&current) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_foreign = name.starts_with('.') || name.starts_with("target") || name == "node_modules";
            if path.is_dir() && !is_foreign {
                open.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
