//! What users download: an archive of the program and a wheel of the Python module, built for this machine and tried
//! where there is nothing else.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::rust::Profile;
use crate::scripts;
use crate::steps::{StepFailure, Steps};
use crate::workspace::{Workspace, cargo_locked, files_below};

/// Folder of the packages, below the build folder.
const PACKAGES: &str = "packages";

/// Environment with the program that builds wheels.
const BUILD_ENVIRONMENT: &str = ".venv-package";
const BUILD_REQUIREMENTS: &str = "xtask/requirements-package.txt";

/// Files of the repository that go into the archive, beside the program.
const FILES: [&str; 5] =
    ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "crates/plot/FONT-LICENSE.txt"];

/// The example that is run to try a package.
const EXAMPLE: &str = "02_slider_crank";

/// Which packages to build.
#[derive(Clone, Copy)]
pub struct Wanted {
    program: bool,
    wheel: bool,
}

/// What the arguments ask for; nothing means everything.
pub fn wanted(arguments: &[String]) -> Option<Wanted> {
    match arguments {
        [] => Some(Wanted { program: true, wheel: true }),
        [one] if one == "program" => Some(Wanted { program: true, wheel: false }),
        [one] if one == "wheel" => Some(Wanted { program: false, wheel: true }),
        _ => None,
    }
}

pub fn build(steps: &mut Steps, wanted: Wanted) -> Result<(), StepFailure> {
    if wanted.program {
        program(steps)?;
    }
    if wanted.wheel {
        wheel(steps)?;
    }
    Ok(())
}

/// `huygens-VERSION-TARGET.tar.gz`, or `.zip` on Windows.
fn program(steps: &mut Steps) -> Result<(), StepFailure> {
    let mut build = cargo_locked(&["build", "--profile", Profile::Dist.name(), "--package", "huygens-cli"]);
    steps.command("build the program", &mut build)?;
    let mut archive = PathBuf::new();
    steps.check("fill the archive", |workspace| {
        let folder = fill(workspace).map_err(|error| format!("the archive cannot be filled: {error}"))?;
        let ending = if cfg!(windows) { "zip" } else { "tar.gz" };
        archive = folder.with_file_name(format!("{}.{ending}", name_of(&folder)));
        Ok(format!("{} files in {}", files_in(&folder).len(), folder.display()))
    })?;
    let packages = steps.workspace.target.join(PACKAGES);
    let folder = name_of(&archive);
    let folder = folder.trim_end_matches(".zip").trim_end_matches(".tar.gz");
    let mut pack = Command::new("tar");
    // The tar of Windows writes a zip where the name asks for one.
    pack.args(["-a", "-c", "-f"]).arg(&archive).arg("-C").arg(&packages).arg(folder);
    steps.command("pack the archive", &mut pack)?;

    let empty = empty_folder(steps, "try-program")?;
    steps
        .command("unpack the archive", Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&empty))?;
    let unpacked = empty.join(folder);
    let huygens = unpacked.join(format!("huygens{}", std::env::consts::EXE_SUFFIX));
    let scene = empty.join(format!("{EXAMPLE}.toml"));
    let mut copy = Command::new(&huygens);
    steps.command("copy an example", copy.args(["examples", "copy", EXAMPLE]).arg(&empty))?;
    let run = empty.join("run");
    let mut simulate = Command::new(&huygens);
    steps.command("run it", simulate.arg("run").arg(&scene).arg("--out").arg(&run).arg("--quiet"))?;
    steps.check("what the archived program leaves", |_| match run.join("manifest.json").is_file() {
        true => Ok(archive.display().to_string()),
        false => Err(format!("{} has no manifest.json", run.display())),
    })
}

/// The folder with everything that goes into the archive.
fn fill(workspace: &Workspace) -> Result<PathBuf, String> {
    let metadata = metadata(workspace)?;
    let version = metadata["packages"]
        .as_array()
        .and_then(|all| all.iter().find(|package| package["name"] == "huygens-cli"))
        .and_then(|package| package["version"].as_str())
        .ok_or("there is no package huygens-cli")?;
    let folder = workspace.target.join(PACKAGES).join(format!("huygens-{version}-{}", host()?));
    let fault = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(fault)?;
    }
    fs::create_dir_all(&folder).map_err(fault)?;
    let program = workspace.built_program(Profile::Dist.name(), "huygens");
    let files = FILES.iter().map(|file| workspace.root.join(file)).chain([program]);
    for file in files {
        fs::copy(&file, folder.join(name_of(&file)))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    fs::write(folder.join("THIRD-PARTY.txt"), notices(&metadata)?).map_err(fault)?;
    Ok(folder)
}

fn metadata(workspace: &Workspace) -> Result<Value, String> {
    let mut command = cargo_locked(&["metadata", "--format-version", "1", "--filter-platform"]);
    command.arg(host()?).current_dir(&workspace.root).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("cargo metadata did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata ended with {}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// The target that rustc builds for here.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|error| format!("rustc did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".to_owned())
}

/// Names, licences and notices of the packages that are part of the program.
fn notices(metadata: &Value) -> Result<String, String> {
    let empty = Vec::new();
    let list = |value: &Value| value.as_array().unwrap_or(&empty).clone();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let packages = list(&metadata["packages"]);
    let by_id = |id: &Value| packages.iter().find(|package| package["id"] == *id);
    let root = packages.iter().find(|package| package["name"] == "huygens-cli");
    let mut found = vec![root.ok_or("there is no package huygens-cli")?["id"].clone()];
    let mut next = 0;
    while let Some(id) = found.get(next).cloned() {
        next += 1;
        let node = nodes.iter().find(|node| node["id"] == id);
        for dependency in node.map_or_else(Vec::new, |node| list(&node["deps"])) {
            let is_linked = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            if is_linked && !found.contains(&dependency["pkg"]) {
                found.push(dependency["pkg"].clone());
            }
        }
    }
    let mut linked: Vec<&Value> =
        found.iter().filter_map(by_id).filter(|package| !package["source"].is_null()).collect();
    linked.sort_by_key(|package| package["name"].as_str().unwrap_or_default().to_owned());
    let mut text = String::from("Huygens contains these packages.\n");
    for package in linked {
        let word = |key: &str| package[key].as_str().unwrap_or_default();
        let _ = write!(text, "\n{:=<100}\n{} {} ({})\n", "", word("name"), word("version"), word("license"));
        let folder = Path::new(word("manifest_path")).parent().unwrap_or(Path::new(""));
        for file in files_in(folder).into_iter().filter(|file| is_notice(file)) {
            let notice = fs::read_to_string(&file).unwrap_or_default();
            let _ = write!(text, "\n--- {}\n{}\n", name_of(&file), notice.trim_end());
        }
    }
    Ok(text)
}

fn is_notice(file: &Path) -> bool {
    let name = name_of(file).to_ascii_uppercase();
    ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Files directly in a folder, in the order of their names.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A wheel for Python's stable ABI, installed into a clean environment, where an example is run with it.
fn wheel(steps: &mut Steps) -> Result<(), StepFailure> {
    let python = scripts::prepare(steps, BUILD_ENVIRONMENT, BUILD_REQUIREMENTS)?;
    let wheels = empty_folder(steps, "wheels")?;
    let mut build = Command::new(&python);
    build.args(["-m", "maturin", "build", "--locked", "--profile", Profile::Dist.name(), "--out"]);
    steps.command("build the wheel", build.arg(&wheels))?;
    let found = files_below(&wheels, &["whl"]);
    let empty = empty_folder(steps, "try-wheel")?;
    let host = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    steps.command("create a clean environment", Command::new(host).args(["-m", "venv"]).arg(&empty))?;
    let clean = scripts::program_in(&empty, "python");
    let mut install = Command::new(&clean);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(&found);
    steps.command("install the wheel", &mut install)?;
    let script = steps.workspace.root.join(format!("examples/{EXAMPLE}.py"));
    let mut run = Command::new(&clean);
    steps.command("run an example with the wheel", run.arg(script).env("MPLBACKEND", "Agg"))
}

/// A folder below that of the packages, without what was in it.
fn empty_folder(steps: &mut Steps, name: &str) -> Result<PathBuf, StepFailure> {
    let folder = steps.workspace.target.join(PACKAGES).join(name);
    steps.check(&format!("empty {name}"), |_| {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder.display().to_string())
    })?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The program links `a`, which links `b`; what builds, tests or belongs to the workspace needs no notice.
    #[test]
    fn notices_are_those_of_what_is_linked() {
        let folder = std::env::temp_dir().join(format!("huygens-notices-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("LICENSE-MIT"), "Copyright of b").unwrap();
        let package = |name: &str, source: Value| {
            let manifest = folder.join("Cargo.toml").display().to_string();
            json!({ "name": name, "version": "1.0.0", "id": name, "license": "MIT", "source": source, "manifest_path": manifest })
        };
        let needs = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("huygens-cli", Value::Null),
                package("own", Value::Null),
                package("b", json!("registry")),
                package("a", json!("registry")),
                package("builder", json!("registry")),
                package("tester", json!("registry")),
            ],
            "resolve": { "nodes": [
                { "id": "huygens-cli", "deps": [
                    needs("own", Value::Null), needs("builder", json!("build")), needs("tester", json!("dev")),
                ] },
                { "id": "own", "deps": [needs("a", Value::Null)] },
                { "id": "a", "deps": [needs("b", Value::Null)] },
            ] },
        });
        let text = notices(&metadata).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let titles: Vec<&str> = text.lines().filter(|line| line.ends_with("(MIT)")).collect();
        assert_eq!(titles, ["a 1.0.0 (MIT)", "b 1.0.0 (MIT)"]);
        assert_eq!(text.matches("Copyright of b").count(), 2);
    }
}
