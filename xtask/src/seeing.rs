//! What others see of a run: the viewer's page in a browser, and exports in the programs they are for.

use std::path::PathBuf;
use std::process::Command;

use crate::programs::{install_command, on_path, provided};
use crate::rust::{self, Profile};
use crate::scripts;
use crate::steps::{StepFailure, Steps};

const PAGE_TESTS: &str = "crates/viewer/tests/page";
const EXPORT_CHECKS: &str = "crates/render/tests/golden_export";
const EXPORT_ENVIRONMENT: &str = ".venv-exports";
const BROWSER_PACKAGE: &str = "chromium-headless-shell";

/// Why a step that needs Node.js is passed over.
const WITHOUT_NODE: &str = "npm is not installed (Node.js 20.15 or later)";

/// The page in headless Chromium, served by the viewer itself.
pub fn page_tests(steps: &mut Steps) -> Result<(), StepFailure> {
    if on_path("npm").is_none() {
        steps.skip("viewer page", WITHOUT_NODE);
        return Ok(());
    }
    let Some(browser) = browser() else {
        let reason = format!(
            "no Chromium here and none could be installed ({}, or name one by HUYGENS_CHROMIUM)",
            install_command(BROWSER_PACKAGE)
        );
        steps.skip("viewer page", &reason);
        return Ok(());
    };
    install_packages(steps, PAGE_TESTS)?;
    rust::build(steps)?;
    let serve = steps.workspace.built_program(&format!("{}/examples", Profile::Ci.name()), "serve");
    let mut test = Command::new("npm");
    test.args(["--prefix", PAGE_TESTS, "test"]).env("HUYGENS_SERVE", serve).env("HUYGENS_CHROMIUM", browser);
    steps.command("viewer page", &mut test)
}

/// Exports opened by VTK, NumPy, the glTF validator and, where it is installed, POV-Ray.
pub fn export_checks(steps: &mut Steps) -> Result<(), StepFailure> {
    let python = scripts::prepare(steps, EXPORT_ENVIRONMENT, &format!("{EXPORT_CHECKS}/requirements.txt"))?;
    let mut readers = vec!["vtk", "numpy"];
    if on_path("npm").is_some() {
        install_packages(steps, EXPORT_CHECKS)?;
        readers.push("gltf");
    } else {
        steps.skip("glTF validator", WITHOUT_NODE);
    }
    if provided("povray").is_some() {
        readers.push("povray");
    } else {
        steps.skip("POV-Ray", &format!("it is not installed ({})", install_command("povray")));
    }
    let exports = steps.workspace.target.join("exports");
    let mut write = rust::cargo_on_workspace("test");
    write.args(["--quiet", "--test", "golden_export", "--", "every_export_is_written"]);
    steps.command("write exports", write.env("HUYGENS_EXPORTS", &exports))?;
    let mut check = Command::new(python);
    check.arg(format!("{EXPORT_CHECKS}/check.py")).arg(exports).arg("--filled");
    check.args(["--only", &readers.join(",")]);
    steps.command("exports", &mut check)
}

/// Chromium: the one named by the environment, one that is installed, or one that can be.
fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("HUYGENS_CHROMIUM").map(PathBuf::from);
    named.or_else(|| on_path("chromium")).or_else(|| provided(BROWSER_PACKAGE))
}

/// Installs the packages of a `package-lock.json`.
fn install_packages(steps: &mut Steps, folder: &str) -> Result<(), StepFailure> {
    let mut npm = Command::new("npm");
    npm.args(["--prefix", folder, "ci", "--no-audit", "--no-fund", "--loglevel=error"]);
    steps.command(&format!("install {folder}/package.json"), &mut npm)
}
