//! A scene with its includes resolved, and the places of its objects in their files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use huygens_spec::{Scene, Section};
use serde::de::DeserializeOwned;

use crate::deserialize::ReadError;
use crate::error::SceneError;
use crate::tree::{Node, Span, Value};

/// One file of a scene.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<str>,
    pub(crate) tree: Node,
}

/// Where an object was written: file and place in its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) source: usize,
    pub(crate) index: usize,
}

/// A scene with its includes resolved, and where everything was written.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    pub(crate) path: PathBuf,
    pub(crate) sources: Vec<Source>,
    pub(crate) origins: BTreeMap<Section, Vec<Origin>>,
    pub(crate) assets: Vec<Asset>,
}

/// A file that an object is read from.
#[derive(Clone, Debug)]
pub(crate) struct Asset {
    pub(crate) path: PathBuf,
    pub(crate) hash: blake3::Hash,
}

/// A part of a scene, as an engine names it.
#[derive(Clone, Copy, Debug)]
pub enum ScenePart<'a> {
    /// An object, or one of its keys.
    Object {
        /// Its section.
        section: Section,
        /// Its name; `body3` or `3` for the third body if it has none.
        name: &'a str,
        /// Keys and indices that lead to a value of it, such as `shapes.0.radius`.
        field: Option<&'a str>,
    },
    /// A setting, by the keys that lead to it.
    Setting(&'a str),
    /// The first object of that name; objects of a kind such as `joint` come first.
    Named {
        /// What messages call the objects of its section.
        kind: &'a str,
        /// Its name.
        name: &'a str,
    },
}

/// The node that a path of keys and indices such as `shapes.0.radius` leads to, or the last one on the way that is
/// there.
pub(crate) fn follow<'a>(item: &'a Node, path: &str) -> &'a Node {
    let step = |node: &'a Node, part: &str| match part.parse::<usize>() {
        Ok(index) => node.at(index),
        Err(_) => node.get(part),
    };
    let mut node = item;
    for part in path.split('.') {
        match step(node, part) {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// Whether a value or key of `node` has this place. (A TOML table written under a header spans its header only, so
/// ranges do not nest.)
fn stands_in(node: &Node, span: &Span) -> bool {
    let mut found = false;
    node.for_each(&mut |n| {
        found |= n.span == *span;
        if let Value::Table(entries) = &n.value {
            found |= entries.iter().any(|e| e.key_span == *span);
        }
    });
    found
}

impl Source {
    /// An error at a place of this file, with the object that owns the place.
    pub(crate) fn error(&self, problem: impl Into<String>, span: Span) -> SceneError {
        let object = self.object_at(&span);
        SceneError::new(&self.path, problem).at(&self.text, span).of(object)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, SceneError> {
        T::deserialize(&self.tree).map_err(|e: ReadError| {
            let span = e.span.clone().unwrap_or(0..0);
            let error = self.error(e.problem, span);
            match e.owner {
                Some(owner) if error.object.as_deref() != Some(&*owner) => error.within(&owner),
                _ => error,
            }
            .suggesting(e.suggestion)
        })
    }

    fn object_at(&self, span: &Span) -> Option<String> {
        for section in Section::LISTS {
            let items = self.tree.get(section.key()).map_or(&[][..], Node::items);
            for (i, item) in items.iter().enumerate() {
                if stands_in(item, span) {
                    let name = item.get("name").and_then(Node::text);
                    return Some(match name {
                        Some(name) => format!("{section} '{name}'"),
                        None => format!("{section} {}", i + 1),
                    });
                }
            }
        }
        let settings = self.tree.get("settings")?;
        stands_in(settings, span).then(|| "settings".into())
    }
}

impl LoadedScene {
    /// The scene file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All files the scene is made of, itself first, then meshes, heights and lists of grains.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().map(|s| s.path.as_path()).chain(self.assets.iter().map(|a| a.path.as_path()))
    }

    /// Hash of the scene with everything it includes, the content of the files its objects are read from and its
    /// parameters, in hexadecimal.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut scene = self.scene.clone();
        // The order of keys says nothing; those of typed objects have one, those of the view get one here.
        scene.view.iter_mut().for_each(serde_json::Value::sort_all_objects);
        match serde_json::to_vec(&scene) {
            Ok(bytes) => hasher.update(&bytes),
            Err(_) => hasher.update(b"?"),
        };
        self.assets.iter().for_each(|a| {
            hasher.update(a.hash.as_bytes());
        });
        hasher.finalize().to_hex().to_string()
    }

    /// An error at a part of the scene, in the file where it is written; where that is not known, or for no part, an
    /// error of the whole scene file.
    pub fn error_at(&self, part: Option<ScenePart<'_>>, problem: impl Into<String>) -> SceneError {
        match part.and_then(|part| self.locate(part)) {
            Some((source, span)) => {
                let source = &self.sources[source];
                SceneError::new(&source.path, problem).at(&source.text, span)
            }
            None => SceneError::new(&self.path, problem),
        }
    }

    /// File and place of a part.
    fn locate(&self, part: ScenePart<'_>) -> Option<(usize, Span)> {
        match part {
            ScenePart::Object { section, name, field } => self.object(section, name, field),
            ScenePart::Setting(key) => self.setting(key),
            ScenePart::Named { kind, name } => {
                let first = Section::LISTS.into_iter().find(|s| s.noun() == kind);
                first.into_iter().chain(Section::LISTS).find_map(|s| self.object(s, name, None))
            }
        }
    }

    fn setting(&self, key: &str) -> Option<(usize, Span)> {
        let settings = self.sources.first()?.tree.get("settings")?;
        let mut node = settings;
        for part in key.split('.') {
            node = node.get(part)?;
        }
        Some((0, node.span.clone()))
    }

    fn object(&self, section: Section, name: &str, field: Option<&str>) -> Option<(usize, Span)> {
        let named: Vec<usize> = (0..self.scene.count(section))
            .filter(|i| self.name_of(section, *i).as_deref() == Some(name))
            .collect();
        let unnamed = || {
            let number: usize = name.strip_prefix(section.noun()).unwrap_or(name).parse().ok()?;
            number.checked_sub(1).filter(|i| self.name_of(section, *i).is_none_or(|n| n.is_empty()))
        };
        // The second owner of a name is the wrong one.
        let index =
            if field == Some("name") { named.last() } else { named.first() }.copied().or_else(unnamed)?;
        let origin = self.origins.get(&section)?.get(index)?;
        let item = self.sources[origin.source].tree.get(section.key())?.at(origin.index)?;
        Some((origin.source, field.map_or(item.span.clone(), |f| follow(item, f).span.clone())))
    }

    fn name_of(&self, section: Section, i: usize) -> Option<Cow<'_, str>> {
        self.scene.object(section, i).map(|object| object.name())
    }
}
