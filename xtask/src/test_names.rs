//! Files of tests: each says by its name what kind of truth it holds against the code, and each is run.

use std::collections::BTreeSet;
use std::path::Path;

use crate::workspace::{Workspace, files_below};

/// What a test file below a crate's `tests/` begins with.
const KINDS: [&str; 6] = ["analytic_", "convergence_", "invariant_", "parity_", "golden_", "issue_"];

/// Every test file of a crate carries one of the agreed prefixes. Several files are modules of one program,
/// `tests/main.rs`, since each program links the engine; a folder with a `main.rs` is a program of its own, and other
/// folders hold what tests share.
pub fn check(workspace: &Workspace) -> Result<String, String> {
    let (mut file_count, mut program_count, mut faults) = (0, 0, Vec::new());
    let entries = std::fs::read_dir(workspace.root.join("crates")).map_err(|error| error.to_string())?;
    for folder in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let tests = Tests::of(&folder);
        file_count += tests.modules.len() + tests.programs.len();
        program_count += tests.programs.len() + usize::from(!tests.modules.is_empty());
        let shown = folder.file_name().unwrap_or_default().to_string_lossy();
        faults.extend(tests.faults().iter().map(|fault| format!("  crates/{shown}/tests: {fault}")));
    }
    faults.sort();
    match faults.is_empty() {
        true => Ok(format!("{file_count} files in {program_count} programs")),
        false => Err(faults.join("\n")),
    }
}

/// The `tests/` of one crate.
#[derive(Default)]
struct Tests {
    /// Files directly in it, without `main.rs` and without their ending.
    modules: BTreeSet<String>,
    /// Folders with a `main.rs`.
    programs: BTreeSet<String>,
    /// What `main.rs` holds, if there is one.
    main: Option<String>,
    manifest: String,
}

impl Tests {
    fn of(folder: &Path) -> Self {
        let tests = folder.join("tests");
        let read = |path: &Path| std::fs::read_to_string(path).ok();
        let mut found = Self {
            main: read(&tests.join("main.rs")),
            manifest: read(&folder.join("Cargo.toml")).unwrap_or_default(),
            ..Self::default()
        };
        for path in files_below(&tests, &["rs"]) {
            let Ok(relative) = path.strip_prefix(&tests) else { continue };
            let words: Vec<_> = relative.iter().map(|word| word.to_string_lossy()).collect();
            match words.as_slice() {
                [file] if file != "main.rs" => found.modules.insert(file.trim_end_matches(".rs").to_owned()),
                [program, file] if file == "main.rs" => found.programs.insert(program.to_string()),
                _ => false,
            };
        }
        found
    }

    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for name in self.modules.union(&self.programs) {
            if !KINDS.iter().any(|kind| name.starts_with(kind)) {
                faults.push(format!("{name} begins with none of {}", KINDS.join(", ")));
            }
        }
        let Some(main) = &self.main else {
            if self.modules.len() > 1 {
                faults.push("several files without a main.rs that lists them".to_owned());
            }
            return faults;
        };
        let lists = |text: &str, wanted: String| text.lines().any(|line| line == wanted);
        for name in &self.modules {
            if !lists(main, format!("mod {name};")) {
                faults.push(format!("main.rs lacks `mod {name};`"));
            }
        }
        for name in ["all".to_owned()].iter().chain(&self.programs) {
            if !lists(&self.manifest, format!("name = \"{name}\"")) {
                faults.push(format!("Cargo.toml has no [[test]] of the name {name}"));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn files_that_would_not_run_or_say_nothing_are_named() {
        let alone = Tests { modules: names(&["golden_a"]), ..Tests::default() };
        assert!(alone.faults().is_empty());
        let several = Tests { modules: names(&["golden_a", "parity_b"]), ..Tests::default() };
        assert_eq!(several.faults().len(), 1);
        let listed = Tests {
            main: Some("mod golden_a;\nmod parity_b;\n".into()),
            manifest: "[[test]]\nname = \"all\"\n".into(),
            ..several
        };
        assert!(listed.faults().is_empty());
        let more = Tests { modules: names(&["golden_a", "parity_c"]), programs: names(&["own"]), ..listed };
        let faults = more.faults();
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults.iter().any(|fault| fault == "main.rs lacks `mod parity_c;`"));
    }
}
