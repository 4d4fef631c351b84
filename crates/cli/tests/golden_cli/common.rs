//! A folder with a scene in it, and the built program to run on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use huygens_record::Manifest;
use tempfile::TempDir;

/// A pendulum that swings for a second.
pub const PENDULUM: &str = r#"description = "A rod on a hinge, released level."
[settings]
dt = 1e-3
until = 1.0

[[bodies]]
name = "rod"
position = [0.5, 0.0, 0.0]
mass = 2.0
shape = { type = "rod", length = 1.0 }

[[joints]]
name = "hinge"
type = "revolute"
a = "ground"
b = "rod"
position = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]

[[probes]]
of = "rod"
quantity = "position"

[[probes]]
of = "hinge"
quantity = "angle"

[[probes]]
of = "world"
quantity = "energy"
"#;

/// A folder that is removed at the end of the test.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a folder for the test") }
    }

    /// A folder with a scene `scene.toml`.
    pub fn with(scene: &str) -> Self {
        let desk = Self::new();
        desk.write("scene.toml", scene);
        desk
    }

    /// Path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the file of the test");
    }

    /// The program, to be run in the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_huygens"));
        command.current_dir(self.folder.path()).args(args).env("NO_COLOR", "1");
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, args: &[&str]) -> Finished {
        Finished::new(self.command(args).output().expect("the program starts"))
    }

    /// The manifest of a run's folder.
    pub fn manifest(&self, out: &str) -> Manifest {
        Manifest::read(&self.path(out).join("manifest.json")).expect("a manifest")
    }

    /// Checkpoint files of a run's folder, newest first.
    pub fn checkpoints(&self, out: &str) -> Vec<PathBuf> {
        let folder = self.path(out).join("checkpoints");
        let mut found: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        found.sort();
        found.reverse();
        found
    }
}

/// How a run of the program ended.
pub struct Finished {
    /// Exit code, if no signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Finished {
    fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Asserts the exit code, and that the program did not panic.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert!(!self.stderr.contains("panicked"), "a panic:\n{}", self.stderr);
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that the message has all these words.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        // Messages are wrapped to the width of the screen, so white space and frames do not count.
        let flat = |text: &str| {
            text.chars().filter(|c| !c.is_whitespace() && !"│×╰─▶".contains(*c)).collect::<String>()
        };
        for word in words {
            assert!(flat(&self.stderr).contains(&flat(word)), "'{word}' is not in:\n{}", self.stderr);
        }
        self
    }
}

/// Bytes of a file.
pub fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
