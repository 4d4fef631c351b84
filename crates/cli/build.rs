//! Embeds the files of the examples folder in the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../examples");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        let path = fs::canonicalize(file).expect("it was listed");
        let _ = writeln!(list, "    ({name:?}, include_str!({:?})),", path.display().to_string());
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("examples.rs");
    fs::write(out, list).expect("OUT_DIR can be written");
}

/// Text files of a folder and its folders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let text = ["toml", "json", "csv", "obj", "py", "rs", "md"];
        if path.is_dir() && !path.ends_with("runs") && !path.ends_with("__pycache__") {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| text.iter().any(|t| e == *t)) {
            files.push(path);
        }
    }
}
