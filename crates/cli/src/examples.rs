//! `huygens examples`: the scenes included in the program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use huygens_record::write_atomic;

use crate::error::CliError;
use crate::output;

/// Path below the examples folder, and text.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// Options of `huygens examples`.
#[derive(Args, Debug)]
pub struct ExamplesArgs {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List the examples and what they show.
    List,
    /// Copy an example and the files it includes, to run and modify it.
    Copy {
        /// Name of the example as listed; its number is enough.
        name: String,
        /// Destination folder.
        #[arg(default_value = ".")]
        to: PathBuf,
        /// Replace existing files.
        #[arg(long)]
        force: bool,
    },
}

/// Lists or copies examples.
pub fn examples(args: &ExamplesArgs) -> Result<(), CliError> {
    match &args.action {
        None | Some(Action::List) => {
            for (path, text) in scenes() {
                output::line(format!("{:<28} {}", stem(path), description(text)));
            }
            Ok(())
        }
        Some(Action::Copy { name, to, force }) => copy(name, to, *force),
    }
}

/// Scene files at the top of the examples folder.
fn scenes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let scene = |path: &str| !path.contains('/') && (path.ends_with(".toml") || path.ends_with(".json"));
    FILES.iter().copied().filter(move |(path, _)| scene(path))
}

fn stem(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// The first words of a scene: its `description`, or its first comment.
fn description(text: &str) -> &str {
    let from_key = text
        .lines()
        .find_map(|l| l.trim_start().strip_prefix("description"))
        .and_then(|rest| rest.split_once('"'))
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(words, _)| words);
    let from_comment = || text.lines().find_map(|l| l.strip_prefix('#')).map(str::trim);
    from_key.or_else(from_comment).unwrap_or_default()
}

fn copy(name: &str, to: &Path, force: bool) -> Result<(), CliError> {
    let wanted = stem(name);
    let number = |name: &str| name.split('_').next().and_then(|n| n.parse::<u32>().ok());
    let found = scenes()
        .find(|(path, _)| stem(path) == wanted)
        .or_else(|| scenes().find(|(path, _)| number(path).is_some() && number(path) == wanted.parse().ok()))
        .or_else(|| {
            scenes().find(|(path, _)| stem(path).split_once('_').is_some_and(|(_, rest)| rest == wanted))
        });
    let Some((scene, _)) = found else {
        let names: Vec<&str> = scenes().map(|(path, _)| stem(path)).collect();
        return Err(CliError::Usage {
            message: format!("there is no example '{name}'"),
            help: format!("the examples are {}", names.join(", ")),
        });
    };
    let files = with_includes(scene);
    for path in &files {
        let target = to.join(path);
        if target.exists() && !force {
            return Err(CliError::Usage {
                message: format!("'{}' already exists", target.display()),
                help: "choose another folder, or replace it with --force".into(),
            });
        }
    }
    for path in &files {
        let target = to.join(path);
        let folder = target.parent().unwrap_or(to);
        std::fs::create_dir_all(folder).map_err(|e| CliError::write(folder, e))?;
        let text = FILES.iter().find(|(p, _)| p == path).map_or("", |(_, text)| text);
        write_atomic(&target, |out| out.write_all(text.as_bytes()))?;
        output::line(target.display());
    }
    output::line(format!("run it: huygens run {}", to.join(scene).display()));
    Ok(())
}

/// A scene and every embedded file it names, directly or through others.
fn with_includes(scene: &'static str) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::from([scene]);
    let mut open = vec![scene];
    while let Some(path) = open.pop() {
        let text = FILES.iter().find(|(p, _)| *p == path).map_or("", |(_, text)| text);
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for (other, _) in FILES {
            let named = other.strip_prefix(&folder).is_some_and(|rest| text.contains(&format!("\"{rest}\"")));
            if named && found.insert(other) {
                open.push(other);
            }
        }
    }
    found
}
