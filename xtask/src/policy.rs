//! What may enter the dependency tree, as `deny.toml` says: licences, bans and sources.
//!
//! The file is that of cargo-deny, which a scheduled job runs for the database of advisories. Of its keys this check
//! follows those that the file uses; one that it does not know is an error, so that none is passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use serde_json::Value;
use toml::Table;

use crate::workspace::{Workspace, cargo_locked};

/// Keys of `deny.toml` that this check follows, or that are those of other checks or of cargo-deny's output.
const KNOWN: [(&str, &[&str]); 5] = [
    ("graph", &["all-features", "targets"]),
    (
        "licenses",
        &["version", "confidence-threshold", "allow", "exceptions", "private", "unused-allowed-license"],
    ),
    ("advisories", &["version", "yanked", "unmaintained"]),
    ("bans", &["multiple-versions", "wildcards", "allow-wildcard-paths", "highlight", "deny"]),
    ("sources", &["unknown-registry", "unknown-git", "allow-registry"]),
];

/// Checks every package that any feature on any target of the list brings in.
pub fn check(workspace: &Workspace) -> Result<String, String> {
    let text = std::fs::read_to_string(workspace.root.join("deny.toml"))
        .map_err(|error| format!("deny.toml cannot be read: {error}"))?;
    let rules = Rules::parse(&text)?;
    let graph = Graph::of(workspace, &rules)?;
    let faults = rules.faults(&graph);
    match faults.len() {
        0 => Ok(format!("{} packages, licences, bans and sources as deny.toml asks", graph.packages.len())),
        count => Err(format!("{count} packages are against deny.toml\n{}", faults.join("\n"))),
    }
}

/// What `deny.toml` asks for.
#[derive(Debug, Default)]
struct Rules {
    targets: Vec<String>,
    licenses: BTreeSet<String>,
    /// Licences for single packages.
    exceptions: BTreeMap<String, BTreeSet<String>>,
    /// Packages that only the named ones may use, with the reason.
    bans: BTreeMap<String, (BTreeSet<String>, String)>,
    registries: BTreeSet<String>,
}

impl Rules {
    fn parse(text: &str) -> Result<Self, String> {
        let file: Table = text.parse().map_err(|error| format!("deny.toml: {error}"))?;
        for (section, content) in &file {
            let known = KNOWN.iter().find(|(name, _)| name == section).map(|(_, keys)| *keys);
            let keys =
                known.ok_or_else(|| format!("deny.toml: [{section}] is not followed by this check"))?;
            let unknown = |key: &&String| !keys.contains(&key.as_str());
            if let Some(key) = content.as_table().into_iter().flat_map(|t| t.keys()).find(unknown) {
                return Err(format!("deny.toml: `{key}` of [{section}] is not followed by this check"));
            }
        }
        let entry = |section: &str, key: &str| file.get(section).and_then(|t| t.get(key));
        let strings = |section: &str, key: &str| words(entry(section, key));
        let mut rules = Self {
            targets: strings("graph", "targets").into_iter().collect(),
            licenses: strings("licenses", "allow"),
            registries: strings("sources", "allow-registry"),
            ..Self::default()
        };
        let rows = |section, key| entry(section, key).and_then(|v| v.as_array()).into_iter().flatten();
        let name = |row: &toml::Value| -> Result<String, String> {
            let name = row.get("crate").and_then(|v| v.as_str());
            name.map(str::to_owned).ok_or_else(|| format!("deny.toml: {row} names no crate"))
        };
        for row in rows("licenses", "exceptions") {
            rules.exceptions.insert(name(row)?, words(row.get("allow")));
        }
        for row in rows("bans", "deny") {
            let reason = row.get("reason").and_then(|v| v.as_str()).unwrap_or_default();
            rules.bans.insert(name(row)?, (words(row.get("wrappers")), reason.to_owned()));
        }
        if rules.licenses.is_empty() || rules.registries.is_empty() {
            return Err("deny.toml allows no licence or no registry".to_owned());
        }
        Ok(rules)
    }

    /// What is against the rules, one line for each fault.
    fn faults(&self, graph: &Graph) -> Vec<String> {
        let mut faults = Vec::new();
        for package in graph.packages.values() {
            let Package { name, version, .. } = package;
            let mut fault = |what: String| faults.push(format!("  {name} {version}: {what}"));
            let Some(source) = &package.source else {
                for wildcard in &package.wildcards {
                    fault(format!("asks for any version of {wildcard}"));
                }
                continue;
            };
            if !self.registries.iter().any(|url| source.strip_prefix("registry+") == Some(url)) {
                fault(format!("comes from {source}"));
            }
            let excepted = self.exceptions.get(name);
            let allows = |license: &str| {
                self.licenses.contains(license) || excepted.is_some_and(|all| all.contains(license))
            };
            match package.license.as_deref().map(|text| is_satisfied(text, &allows)) {
                Some(Ok(true)) => {}
                Some(Ok(false)) => {
                    fault(format!("licence {}", package.license.as_deref().unwrap_or_default()))
                }
                Some(Err(reason)) => fault(format!("licence: {reason}")),
                None => fault("states no licence".to_owned()),
            }
            if let Some((wrappers, reason)) = self.bans.get(name)
                && let Some(user) = package.users.iter().find(|user| !wrappers.contains(*user))
            {
                fault(format!("is banned ({reason}), and {user} uses it"));
            }
        }
        faults
    }
}

/// The strings of an array.
fn words(value: Option<&toml::Value>) -> BTreeSet<String> {
    let items = value.and_then(|v| v.as_array()).into_iter().flatten();
    items.filter_map(|v| v.as_str()).map(str::to_owned).collect()
}

/// A package of the resolved graph.
#[derive(Debug, Default)]
struct Package {
    name: String,
    version: String,
    /// None for packages of the workspace.
    source: Option<String>,
    license: Option<String>,
    /// Names of the packages that depend on it.
    users: BTreeSet<String>,
    /// Dependencies outside the workspace of which it takes any version.
    wildcards: Vec<String>,
}

/// Packages by the identifier that cargo gives them.
#[derive(Debug, Default)]
struct Graph {
    packages: BTreeMap<String, Package>,
}

impl Graph {
    fn of(workspace: &Workspace, rules: &Rules) -> Result<Self, String> {
        let mut command: Command = cargo_locked(&["metadata", "--format-version", "1", "--all-features"]);
        for target in &rules.targets {
            command.args(["--filter-platform", target]);
        }
        let command = command.current_dir(&workspace.root).stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = command.output().map_err(|error| format!("cargo metadata did not start: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata ended with {}", output.status));
        }
        let metadata: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
        Ok(Self::parse(&metadata))
    }

    fn parse(metadata: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut packages = BTreeMap::new();
        for package in list(&metadata["packages"]) {
            let is_wildcard = |d: &&Value| d["req"] == "*" && d["path"].is_null();
            let dependencies = list(&package["dependencies"]);
            let found = Package {
                name: text(&package["name"]).unwrap_or_default(),
                version: text(&package["version"]).unwrap_or_default(),
                source: text(&package["source"]),
                license: text(&package["license"]),
                users: BTreeSet::new(),
                wildcards: dependencies.iter().filter(is_wildcard).filter_map(|d| text(&d["name"])).collect(),
            };
            packages.insert(text(&package["id"]).unwrap_or_default(), found);
        }
        let nodes = list(&metadata["resolve"]["nodes"]);
        let active: BTreeSet<String> = nodes.iter().filter_map(|node| text(&node["id"])).collect();
        packages.retain(|id, _| active.contains(id));
        for node in &nodes {
            let user = node["id"].as_str().and_then(|id| packages.get(id)).map(|p| p.name.clone());
            for dependency in list(&node["deps"]) {
                let used = dependency["pkg"].as_str().and_then(|id| packages.get_mut(id));
                if let (Some(used), Some(user)) = (used, &user) {
                    used.users.insert(user.clone());
                }
            }
        }
        Self { packages }
    }
}

/// Whether an expression of licences (`MIT OR (Apache-2.0 AND BSD-3-Clause)`) can be met by those allowed.
fn is_satisfied(expression: &str, allows: &dyn Fn(&str) -> bool) -> Result<bool, String> {
    // Older packages separate alternatives by a slash.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    match alternatives(&mut rest, allows) {
        Some(met) if rest.is_empty() => Ok(met),
        _ => Err(format!("'{expression}' is no expression of licences")),
    }
}

fn alternatives(words: &mut &[&str], allows: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = all(words, allows)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        met |= all(words, allows)?;
    }
    Some(met)
}

fn all(words: &mut &[&str], allows: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut met = single(words, allows)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        met &= single(words, allows)?;
    }
    Some(met)
}

fn single(words: &mut &[&str], allows: &dyn Fn(&str) -> bool) -> Option<bool> {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let met = alternatives(words, allows)?;
            *words = words.strip_prefix(&[")"])?;
            Some(met)
        }
        [license, "WITH", exception, rest @ ..] => {
            *words = rest;
            Some(allows(&format!("{license} WITH {exception}")))
        }
        [license, rest @ ..] if !["OR", "AND", ")"].contains(license) => {
            *words = rest;
            Some(allows(license))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0 WITH LLVM-exception"]
        exceptions = [{ allow = ["MPL-2.0"], crate = "odd" }]
        [bans]
        deny = [{ crate = "cc", wrappers = ["hash"], reason = "compiles C" }]
        [sources]
        allow-registry = ["https://index"]
    "#;

    fn package(name: &str, license: &str, source: &str, users: &[&str]) -> Package {
        Package {
            name: name.into(),
            version: "1.0.0".into(),
            source: (!source.is_empty()).then(|| source.to_owned()),
            license: (!license.is_empty()).then(|| license.to_owned()),
            users: users.iter().map(|user| (*user).to_owned()).collect(),
            wildcards: Vec::new(),
        }
    }

    fn faults(package: Package) -> Vec<String> {
        let packages = BTreeMap::from([("id".to_owned(), package)]);
        Rules::parse(DENY).unwrap().faults(&Graph { packages })
    }

    #[test]
    fn licences_are_chosen_and_combined() {
        let allows = |license: &str| ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].contains(&license);
        let met = |text: &str| is_satisfied(text, &allows);
        assert_eq!(met("MIT OR GPL-3.0"), Ok(true));
        assert_eq!(met("GPL-3.0/MIT"), Ok(true));
        assert_eq!(met("MIT AND GPL-3.0"), Ok(false));
        assert_eq!(met("GPL-3.0 OR MIT AND Zlib"), Ok(true));
        assert_eq!(met("(GPL-3.0 OR MIT) AND ISC"), Ok(false));
        assert_eq!(met("(MIT OR Apache-2.0) AND Zlib"), Ok(true));
        assert_eq!(met("Apache-2.0 WITH LLVM-exception"), Ok(true));
        assert_eq!(met("Apache-2.0"), Ok(false));
        for broken in ["", "MIT OR", "(MIT", "MIT)", "MIT Zlib", "AND"] {
            assert!(met(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn every_kind_of_fault_is_found() {
        let index = "registry+https://index";
        assert!(faults(package("good", "MIT", index, &["any"])).is_empty());
        assert!(faults(package("own", "", "", &[])).is_empty());
        assert!(faults(package("odd", "MPL-2.0", index, &[])).is_empty());
        assert!(faults(package("cc", "MIT", index, &["hash"])).is_empty());
        for (fault, word) in [
            (package("other", "MPL-2.0", index, &[]), "licence MPL-2.0"),
            (package("silent", "", index, &[]), "no licence"),
            (package("far", "MIT", "git+https://example.com", &[]), "comes from git"),
            (package("cc", "MIT", index, &["hash", "video"]), "video uses it"),
            (Package { wildcards: vec!["any".into()], ..package("own", "", "", &[]) }, "any version of any"),
        ] {
            let found = faults(fault);
            assert!(found.len() == 1 && found[0].contains(word), "{found:?}");
        }
    }

    #[test]
    fn keys_that_are_not_followed_are_refused() {
        let refused = |text: &str| Rules::parse(&format!("{DENY}\n{text}")).unwrap_err();
        assert!(refused("skip = []").contains("`skip` of [sources]"));
        assert!(refused("[output]\nfeature-depth = 1").contains("[output]"));
    }
}
