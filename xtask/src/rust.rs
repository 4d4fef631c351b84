//! Everything cargo does: format, lints, documentation, tests, examples, validation.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::steps::{StepFailure, Steps};
use crate::workspace::{Workspace, cargo, cargo_locked, files_below, has_cargo_subcommand};

/// The build profiles in use. Lints, tests, examples, the Python module and the quick validation share
/// `Ci`, so that every dependency is compiled once.
#[derive(Clone, Copy)]
pub enum Profile {
    Ci,
    Release,
    /// What users download and what is measured: with optimisation across crates.
    Dist,
}

impl Profile {
    /// The name cargo knows the profile by, which is also its folder below `target`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ci => "ci",
            Self::Release => "release",
            Self::Dist => "dist",
        }
    }
}

/// The whole workspace with one set of features. Cargo compiles a crate, and all that depend on it, anew for every
/// other selection of packages, since that is what the features of shared dependencies follow from.
const WORKSPACE: [&str; 3] = ["--workspace", "--features", "huygens-python/extension-module"];

/// `cargo SUBCOMMAND` on the whole workspace under the profile `ci`.
pub fn cargo_on_workspace(subcommand: &str) -> Command {
    let mut command = cargo_locked(&[subcommand]);
    command.args(["--profile", Profile::Ci.name()]).args(WORKSPACE);
    command
}

/// Builds every program, every example and the Python module, unless that is done already.
pub fn build(steps: &mut Steps) -> Result<(), StepFailure> {
    let mut build = cargo_on_workspace("build");
    steps.command_once("build", build.args(["--lib", "--bins", "--examples"]))
}

pub fn format_check(steps: &mut Steps) -> Result<(), StepFailure> {
    steps.command("format", cargo().args(["fmt", "--all", "--check"]))
}

pub fn lints(steps: &mut Steps) -> Result<(), StepFailure> {
    let mut command = cargo_on_workspace("clippy");
    steps.command("lints", command.args(["--all-targets", "--", "-D", "warnings"]))
}

/// Crates without tests in their sources say so, and are not compiled a second time for them; such a crate must then
/// have none.
pub fn unit_tests_are_run(workspace: &Workspace) -> Result<String, String> {
    let manifests = files_below(&workspace.root, &["toml"]);
    let named = |path: &&PathBuf| path.file_name().is_some_and(|name| name == "Cargo.toml");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let mut count = 0;
    for manifest in manifests.iter().filter(named) {
        if !read(manifest).lines().any(|line| line == "test = false") {
            continue;
        }
        let folder = manifest.parent().unwrap_or(&workspace.root);
        let sources = files_below(&folder.join("src"), &["rs"]);
        if let Some(file) = sources.iter().find(|file| read(file).lines().any(|l| l.trim() == "#[test]")) {
            let file = file.display();
            return Err(format!(
                "{file} has tests, which do not run: take `test = false` out of its Cargo.toml"
            ));
        }
        count += 1;
    }
    Ok(format!("{count} crates are not compiled for tests in their sources, and have none"))
}

pub fn tests(steps: &mut Steps) -> Result<(), StepFailure> {
    let mut command = if has_cargo_subcommand("nextest") {
        let mut nextest = cargo_locked(&["nextest", "run"]);
        nextest.args(["--cargo-profile", Profile::Ci.name()]).args(WORKSPACE);
        nextest
    } else {
        let mut test = cargo_on_workspace("test");
        test.args(["--lib", "--bins", "--tests"]);
        test
    };
    steps.command("Rust tests", &mut command)
}

/// Folders in which Vulkan's loader looks for drivers.
const VULKAN_DRIVERS: [&str; 3] =
    ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];

/// Debian's package of drivers, one of which runs on any processor.
const SOFTWARE_VULKAN: &str = "mesa-vulkan-drivers";

/// Laws on a device, in software where there is no graphics processor. Other systems bring their drivers along.
///
/// Only this step compiles the device code; without a driver the test fails and says what to install.
pub fn device_tests(steps: &mut Steps) -> Result<(), StepFailure> {
    let has_driver = || {
        std::env::var_os("VK_DRIVER_FILES").is_some()
            || std::env::var_os("VK_ICD_FILENAMES").is_some()
            || VULKAN_DRIVERS.iter().any(|folder| !files_below(Path::new(folder), &["json"]).is_empty())
    };
    if cfg!(target_os = "linux") && !has_driver() {
        crate::programs::install(SOFTWARE_VULKAN);
    }
    let mut command = cargo_locked(&["test", "--profile", Profile::Ci.name(), "-p", "huygens-exec"]);
    command.args(["--features", "gpu", "--test", "all", "parity_device_laws"]);
    steps.command("laws on a device", &mut command)
}

pub fn doctests(steps: &mut Steps) -> Result<(), StepFailure> {
    steps.command("doctests", cargo_on_workspace("test").arg("--doc"))
}

/// Runs every numbered example that exists as a Rust program or as a scene file; tests of the Python module run those
/// in Python.
pub fn examples(steps: &mut Steps) -> Result<(), StepFailure> {
    let found = NumberedExamples::below(&steps.workspace.root.join("examples"));
    if found.programs.is_empty() && found.scenes.is_empty() {
        steps.skip("examples", "there are none");
        return Ok(());
    }
    build(steps)?;
    let results = steps.workspace.target.join("examples");
    let programs = found.programs.iter().map(|name| {
        let program = steps.workspace.built_program(&format!("{}/examples", Profile::Ci.name()), name);
        (format!("{name} (Rust)"), Command::new(program))
    });
    let huygens = steps.workspace.built_program(Profile::Ci.name(), "huygens");
    let scenes = found.scenes.iter().map(|(name, scene)| {
        let mut run = Command::new(&huygens);
        run.arg("run").arg(scene).arg("--out").arg(results.join(name)).arg("--quiet");
        (format!("{name} (scene)"), run)
    });
    let all = programs.chain(scenes).collect();
    steps.commands_together("examples", all)
}

/// A user's crate outside of the workspace.
const EXTENDING: &str = "examples/extending";

/// Checks the user's crate as one that stands alone, and runs its programs.
///
/// The programs that run are examples of `huygens`, made from the same files, so that the engine is compiled once. The
/// crate is checked with the versions of the workspace: those of its own would be other crates to compile.
pub fn extending(steps: &mut Steps) -> Result<(), StepFailure> {
    let folder = steps.workspace.root.join(EXTENDING);
    steps.check("lock file of the user's crate", |workspace| {
        std::fs::copy(workspace.root.join("Cargo.lock"), folder.join("Cargo.lock"))
            .map(|_| "that of the workspace".to_owned())
            .map_err(|error| format!("it cannot be copied: {error}"))
    })?;
    let mut check = cargo();
    check.args(["check", "--profile", Profile::Ci.name(), "--bins", "--manifest-path"]);
    check.arg(format!("{EXTENDING}/Cargo.toml")).env("CARGO_TARGET_DIR", &steps.workspace.target);
    steps.command("user's crate", &mut check)?;
    build(steps)?;
    for path in crate::workspace::files_below(&steps.workspace.root.join(EXTENDING).join("src/bin"), &["rs"])
    {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let program = format!("extending_{name}");
        let folder = format!("{}/examples", Profile::Ci.name());
        let program = steps.workspace.built_program(&folder, &program);
        steps.command(&format!("extending {name} (Rust)"), &mut Command::new(program))?;
    }
    Ok(())
}

/// Runs the validation program with `arguments`.
pub fn validate(steps: &mut Steps, profile: Profile, arguments: &[String]) -> Result<(), StepFailure> {
    if !steps.workspace.has("validation/Cargo.toml") {
        steps.skip("validation", "there is no validation crate");
        return Ok(());
    }
    match profile {
        Profile::Ci => build(steps)?,
        Profile::Release | Profile::Dist => {
            let mut build = cargo_locked(&["build", "--profile", profile.name(), "-p", "huygens-validation"]);
            steps.command("build validation", &mut build)?;
        }
    }
    let program = steps.workspace.built_program(profile.name(), "validate");
    steps.command("validation", Command::new(program).args(arguments))
}

/// Examples are numbered: `01_name.rs`, `01_name.toml`, or the same inside a numbered folder as `main.rs`,
/// `scene.toml`. Files without a number are parts of another.
pub struct NumberedExamples {
    pub programs: Vec<String>,
    pub scenes: Vec<(String, PathBuf)>,
}

impl NumberedExamples {
    pub fn below(folder: &Path) -> Self {
        let mut found = Self { programs: Vec::new(), scenes: Vec::new() };
        for path in files_below(folder, &["rs", "toml", "json"]) {
            let Some(name) = example_name(folder, &path) else { continue };
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("rs") => found.programs.push(name),
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

/// Builds the Python module and puts it where `python` finds it.
///
/// maturin, which builds the module for users, asks cargo for this one package, and so for other features of nearly
/// every dependency; here the module comes from the build of everything else.
pub fn extension_module(steps: &mut Steps, python: &Path) -> Result<(), StepFailure> {
    build(steps)?;
    steps.check("place Python module", |workspace| {
        place_module(workspace, python).map_err(|error| format!("the module cannot be placed: {error}"))
    })
}

fn place_module(workspace: &Workspace, python: &Path) -> std::io::Result<String> {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let sources = workspace.root.join("crates/python/python");
    let name = if cfg!(windows) { "_huygens.pyd" } else { "_huygens.abi3.so" };
    let module = sources.join("huygens").join(name);
    let built = workspace.target.join(Profile::Ci.name()).join(format!("{DLL_PREFIX}_huygens{DLL_SUFFIX}"));
    // A new file instead of other content: a program may be using the old one.
    match std::fs::remove_file(&module) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => std::fs::copy(built, &module)?,
    };
    let ask = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let answer = Command::new(python).args(["-c", ask]).output()?;
    let packages = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
    std::fs::write(packages.join("huygens.pth"), format!("{}\n", sources.display()))?;
    Ok(name.to_owned())
}
