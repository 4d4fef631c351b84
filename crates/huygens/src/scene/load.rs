//! Loads a scene with everything it includes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_core::signal::closest_name;
use huygens_core::{CoreError, ObjectRef};
use serde::de::DeserializeOwned;

use super::deserialize::ReadError;
use super::error::SceneError;
use super::limits::{MAX_BYTES, MAX_DEPTH, MAX_INCLUDE_DEPTH, MAX_NEIGHBOURS, MAX_OBJECTS, toml_too_deep};
use super::tree::{Node, Span, Value};
use super::{expression, json, toml_file};
use crate::spec::{KeyPath, Placement, Scene, Section, VisitorMut};
use crate::world::{World, WorldError};

/// Deepest chain of parameters that refer to each other.
const MAX_PARAMETER_CHAIN: usize = 32;

/// How a scene is loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Folder that included files may also lie in, besides the scene's own.
    pub asset_root: Option<PathBuf>,
    /// Replaces parameters of the scene.
    pub parameters: BTreeMap<String, f64>,
}

/// Format of a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// One file of a scene.
#[derive(Clone, Debug)]
struct Source {
    path: PathBuf,
    text: Arc<str>,
    tree: Node,
}

/// Where an object was written: file and place in its list.
#[derive(Clone, Copy, Debug)]
struct Origin {
    source: usize,
    index: usize,
}

/// A scene with its includes resolved, and where everything was written.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    path: PathBuf,
    sources: Vec<Source>,
    origins: BTreeMap<Section, Vec<Origin>>,
    assets: Vec<Asset>,
}

/// A file that an object is read from.
#[derive(Clone, Debug)]
struct Asset {
    path: PathBuf,
    hash: blake3::Hash,
}

/// Loads a scene file: TOML, or JSON if its name ends in `.json`.
pub fn load_scene(path: impl AsRef<Path>, options: &LoadOptions) -> Result<LoadedScene, SceneError> {
    let path = path.as_ref();
    let real =
        path.canonicalize().map_err(|e| SceneError::new(path, format!("the file cannot be read: {e}")))?;
    let folder = real.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut roots = vec![folder];
    if let Some(root) = &options.asset_root {
        let problem = |e| SceneError::new(root, format!("the asset folder cannot be read: {e}"));
        roots.push(root.canonicalize().map_err(problem)?);
    }
    let mut loader = Loader::new(roots);
    let part = loader.file(path, &real, &options.parameters)?;
    Ok(loader.finish(path.into(), part))
}

/// Loads a scene from memory; `name` stands for the file in messages. It may include files of `asset_root` only.
pub fn load_scene_text(
    name: impl Into<PathBuf>,
    text: &str,
    format: Format,
    options: &LoadOptions,
) -> Result<LoadedScene, SceneError> {
    let name = name.into();
    let mut roots = Vec::new();
    if let Some(root) = &options.asset_root {
        let problem = |e| SceneError::new(root, format!("the asset folder cannot be read: {e}"));
        roots.push(root.canonicalize().map_err(problem)?);
    }
    let mut loader = Loader::new(roots);
    check_size(&name, text.len() as u64)?;
    let part = loader.text(&name, None, text.into(), format, &options.parameters)?;
    Ok(loader.finish(name, part))
}

/// Reads a specification from a JSON value, with the messages of scene files.
pub fn spec_from_json<T: DeserializeOwned>(value: &serde_json::Value) -> Result<T, SceneError> {
    let node = Node::from_json(value);
    T::deserialize(&node).map_err(|e| {
        let error = SceneError::new("value", e.problem).suggesting(e.suggestion);
        let own = node.get("name").and_then(Node::text).map(|name| format!(" '{name}'"));
        match e.owner {
            Some(owner) if own.as_ref().is_none_or(|own| !owner.ends_with(own)) => error.within(&owner),
            owner => error.of(owner.map(String::from)),
        }
    })
}

fn check_size(path: &Path, bytes: u64) -> Result<(), SceneError> {
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(SceneError::new(
        path,
        format!("the file has {bytes} bytes; a scene file may have at most {MAX_BYTES}"),
    ))
}

/// A file with its includes.
struct Part {
    scene: Scene,
    origins: BTreeMap<Section, Vec<Origin>>,
}

struct Loader {
    /// Folders that files may lie in.
    roots: Vec<PathBuf>,
    sources: Vec<Source>,
    /// Files being loaded, the outermost first.
    stack: Vec<PathBuf>,
    objects: usize,
    assets: Vec<Asset>,
}

impl Loader {
    fn new(roots: Vec<PathBuf>) -> Self {
        Self { roots, sources: Vec::new(), stack: Vec::new(), objects: 0, assets: Vec::new() }
    }

    fn finish(self, path: PathBuf, part: Part) -> LoadedScene {
        let Self { sources, assets, .. } = self;
        LoadedScene { scene: part.scene, path, sources, origins: part.origins, assets }
    }

    fn file(
        &mut self,
        shown: &Path,
        real: &Path,
        parameters: &BTreeMap<String, f64>,
    ) -> Result<Part, SceneError> {
        let fail = |problem: String| SceneError::new(shown, problem);
        let unreadable = |e: std::io::Error| fail(format!("the file cannot be read: {e}"));
        let metadata = real.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(fail("it is not a file".into()));
        }
        check_size(shown, metadata.len())?;
        let mut bytes = Vec::new();
        // A file may grow while it is read.
        File::open(real).and_then(|f| f.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
        check_size(shown, bytes.len() as u64)?;
        let text = String::from_utf8(bytes).map_err(|e| {
            fail(format!("the file is not text in UTF-8: byte {} is wrong", e.utf8_error().valid_up_to()))
        })?;
        let is_json = shown.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        let format = if is_json { Format::Json } else { Format::Toml };
        self.stack.push(real.to_path_buf());
        let part = self.text(shown, real.parent(), text.into(), format, parameters);
        self.stack.pop();
        part
    }

    fn text(
        &mut self,
        shown: &Path,
        folder: Option<&Path>,
        text: Arc<str>,
        format: Format,
        overrides: &BTreeMap<String, f64>,
    ) -> Result<Part, SceneError> {
        let fault = |(problem, span): (String, Span)| SceneError::new(shown, problem).at(&text, span);
        let tree = match format {
            Format::Json => json::parse(&text).map_err(fault)?,
            Format::Toml => {
                if let Some(span) = toml_too_deep(&text) {
                    return Err(fault((format!("nested deeper than {MAX_DEPTH} levels"), span)));
                }
                toml_file::parse(&text).map_err(fault)?
            }
        };
        let index = self.sources.len();
        self.sources.push(Source { path: shown.into(), text: text.clone(), tree });
        let source = &mut self.sources[index];
        evaluate(&mut source.tree, overrides)
            .map_err(|(problem, suggestion, span)| source.error(problem, span).suggesting(suggestion))?;
        let scene = source.read::<Scene>()?;
        if let Some(version) = scene.version.filter(|v| *v != 1) {
            let span = source.tree.get("version").map_or(0..0, |n| n.span.clone());
            return Err(
                source.error(format!("version {version} of the scene format is not known; 1 is"), span)
            );
        }
        let mut part = Part { origins: origins(&scene, index), scene };
        self.count(&part.scene, index)?;
        self.find_files(&mut part.scene, index, folder)?;
        let includes = std::mem::take(&mut part.scene.include);
        for (i, include) in includes.iter().enumerate() {
            let inner = self.include(index, i, folder, include)?;
            part.absorb(inner);
        }
        Ok(part)
    }

    fn count(&mut self, scene: &Scene, source: usize) -> Result<(), SceneError> {
        self.objects += scene.objects().count() + scene.include.len();
        if self.objects > MAX_OBJECTS {
            return Err(
                self.sources[source].error(format!("the scene has more than {MAX_OBJECTS} objects"), 0..0)
            );
        }
        Ok(())
    }

    /// The real path of a file that the scene names, below its folder or the asset folder.
    fn find(&self, folder: Option<&Path>, file: &str) -> Result<PathBuf, Refusal> {
        let Some(base) = folder.or(self.roots.first().map(PathBuf::as_path)) else {
            let problem =
                format!("a scene from memory cannot refer to files such as '{file}' without an asset folder");
            return Err(Refusal::of(problem));
        };
        let places = [Some(base), self.roots.get(1).map(PathBuf::as_path)];
        let real = places
            .into_iter()
            .flatten()
            .map(|b| b.join(file).canonicalize())
            .reduce(|a, b| if a.is_ok() { a } else { b });
        let real = match real {
            Some(Ok(real)) => real,
            Some(Err(e)) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Refusal::of(format!("the file '{file}' cannot be read: {e}")));
            }
            _ => {
                let searched: Vec<&Path> = places.into_iter().flatten().collect();
                let shown: Vec<String> = searched.iter().map(|p| format!("'{}'", p.display())).collect();
                let problem = format!("there is no file '{file}' in {}", shown.join(" or "));
                let suggestion = searched.iter().find_map(|p| self.neighbour(p, file));
                return Err(Refusal { problem, suggestion });
            }
        };
        if !self.roots.iter().any(|root| real.starts_with(root)) {
            let problem = "the file lies outside the scene's folder and the asset folder; move it there, or name its \
                           folder by --asset-root";
            return Err(Refusal::of(problem.into()));
        }
        Ok(real)
    }

    /// A file with nearly the name of one that does not exist, where the scene may read files at all.
    fn neighbour(&self, base: &Path, file: &str) -> Option<String> {
        let path = Path::new(file);
        let folder = base.join(path).parent()?.canonicalize().ok()?;
        if !self.roots.iter().any(|root| folder.starts_with(root)) {
            return None;
        }
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .ok()?
            .take(MAX_NEIGHBOURS)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        let near = closest_name(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
        Some(path.with_file_name(near).to_str()?.to_owned())
    }

    /// Finds the files that objects of the scene name and takes their hashes.
    fn find_files(
        &mut self,
        scene: &mut Scene,
        source: usize,
        folder: Option<&Path>,
    ) -> Result<(), SceneError> {
        for (section, index, object) in scene.objects_mut() {
            let mut finder = Finder { loader: self, folder, refused: None };
            object.visit_mut(&KeyPath::OBJECT, &mut finder);
            if let Some((path, refusal)) = finder.refused {
                let source = &self.sources[source];
                let item = source.tree.get(section.key()).and_then(|n| n.at(index));
                let span = item.map_or(0..0, |n| follow(n, &path).span.clone());
                let shown = match object.name() {
                    name if name.is_empty() => format!("{section} {}", index + 1),
                    name => format!("{section} '{name}'"),
                };
                let error = source.error(refusal.problem, span).of(Some(shown));
                return Err(error.suggesting(refusal.suggestion));
            }
        }
        Ok(())
    }

    /// Takes the hash of a file that the scene calls `file`, once.
    fn note_asset(&mut self, real: &Path, file: &str) -> Result<(), Refusal> {
        if self.assets.iter().any(|a| a.path == real) {
            return Ok(());
        }
        let problem = |e| Refusal::of(format!("the file '{file}' cannot be read: {e}"));
        // A pipe would be waited for without end.
        if !real.metadata().map_err(problem)?.is_file() {
            return Err(Refusal::of(format!("'{file}' is not a file")));
        }
        let mut hasher = blake3::Hasher::new();
        File::open(real).and_then(|f| hasher.update_reader(f).map(|_| ())).map_err(problem)?;
        self.assets.push(Asset { path: real.into(), hash: hasher.finalize() });
        Ok(())
    }

    fn include(
        &mut self,
        source: usize,
        index: usize,
        folder: Option<&Path>,
        include: &crate::spec::Include,
    ) -> Result<Part, SceneError> {
        let node = self.sources[source].tree.get("include").and_then(|n| n.at(index));
        let place = |key: &str| {
            let node = node.and_then(|n| n.get(key).or(Some(n)));
            node.map_or(0..0, |n| n.span.clone())
        };
        let fail = |key: &str, problem: String| {
            let object = format!("include '{}'", include.file);
            self.sources[source].error(problem, place(key)).of(Some(object))
        };
        if self.stack.len() >= MAX_INCLUDE_DEPTH {
            return Err(fail("file", format!("includes are nested deeper than {MAX_INCLUDE_DEPTH} files")));
        }
        let turned_at = place("rotation");
        let real =
            self.find(folder, &include.file).map_err(|r| fail("file", r.problem).suggesting(r.suggestion))?;
        if self.stack.contains(&real) {
            return Err(fail("file", "the file includes itself, directly or through others".into()));
        }
        let shown = match self.sources[source].path.parent() {
            Some(parent) => parent.join(&include.file),
            None => PathBuf::from(&include.file),
        };
        let mut part = self.file(&shown, &real, &include.parameters)?;
        let rotation = include.rotation.map_or(DQuat::IDENTITY, |r| r.0);
        let placement = Placement::new(DVec3::from_array(include.position), rotation);
        part.scene.place(&placement).map_err(|problem| {
            let object = format!("include '{}'", include.file);
            self.sources[source].error(problem, turned_at).of(Some(object))
        })?;
        part.scene.add_prefix(&include.prefix);
        Ok(part)
    }
}

/// Why a file is not read, and what may have been meant.
struct Refusal {
    problem: String,
    suggestion: Option<String>,
}

impl Refusal {
    fn of(problem: String) -> Self {
        Self { problem, suggestion: None }
    }
}

/// Finds the files of one object.
struct Finder<'a> {
    loader: &'a mut Loader,
    folder: Option<&'a Path>,
    /// The first one that is not read: the keys that lead to it, and why.
    refused: Option<(String, Refusal)>,
}

impl VisitorMut for Finder<'_> {
    fn file(&mut self, path: &KeyPath<'_>, file: &str, found: &mut Option<PathBuf>) {
        if self.refused.is_some() {
            return;
        }
        let real = self.loader.find(self.folder, file);
        match real.and_then(|real| self.loader.note_asset(&real, file).map(|()| real)) {
            Ok(real) => *found = Some(real),
            Err(refusal) => self.refused = Some((path.to_string(), refusal)),
        }
    }
}

impl Part {
    /// Adds the objects of a sub-assembly; its settings belong to it alone and are left out.
    fn absorb(&mut self, other: Part) {
        self.scene.absorb(other.scene);
        for (section, origins) in other.origins {
            self.origins.entry(section).or_default().extend(origins);
        }
    }
}

fn origins(scene: &Scene, source: usize) -> BTreeMap<Section, Vec<Origin>> {
    let list = |s: Section| (0..scene.count(s)).map(|index| Origin { source, index }).collect();
    Section::LISTS.into_iter().map(|s| (s, list(s))).collect()
}

type EvaluationFault = (String, Option<String>, Span);

/// Evaluates all expressions of a document and refuses numbers that are not finite.
fn evaluate(tree: &mut Node, overrides: &BTreeMap<String, f64>) -> Result<(), EvaluationFault> {
    let declared = match tree.get("parameters").map(|n| &n.value) {
        Some(Value::Table(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    if let Some(name) = overrides.keys().find(|n| !declared.iter().any(|e| e.key == **n)) {
        let near = closest_name(name, declared.iter().map(|e| e.key.as_str())).map(str::to_owned);
        let span = tree.entry("parameters").map_or(0..0, |e| e.key_span.clone());
        return Err((format!("there is no parameter '{name}' to replace"), near, span));
    }
    let mut known: BTreeMap<String, f64> = overrides.clone();
    for entry in &declared {
        parameter(&entry.key, &declared, &mut known, 0).map_err(|e| (e, None, entry.node.span.clone()))?;
    }
    fill(tree, &known)
}

fn parameter(
    name: &str,
    declared: &[super::tree::Entry],
    known: &mut BTreeMap<String, f64>,
    depth: usize,
) -> Result<f64, String> {
    if let Some(value) = known.get(name) {
        return Ok(*value);
    }
    let Some(entry) = declared.iter().find(|e| e.key == name) else {
        return Err(unknown_parameter(name, declared.iter().map(|e| e.key.as_str())));
    };
    if depth > MAX_PARAMETER_CHAIN {
        return Err(format!("parameter '{name}' depends on itself, or on too long a chain of others"));
    }
    let value = match &entry.node.value {
        Value::Integer(i) => *i as f64,
        Value::Float(x) => *x,
        Value::Text(text) if text.starts_with('=') => {
            expression::evaluate(&text[1..], &mut |n| parameter(n, declared, known, depth + 1))?
        }
        _ => return Err(format!("parameter '{name}' must be a number or an expression such as \"=2*pi\"")),
    };
    if !value.is_finite() {
        return Err(format!("parameter '{name}' is {value}, but must be a finite number"));
    }
    known.insert(name.into(), value);
    Ok(value)
}

fn unknown_parameter<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    match closest_name(name, names) {
        Some(near) => format!("there is no parameter '{name}'; did you mean '{near}'?"),
        None => format!("there is no parameter '{name}'"),
    }
}

fn fill(node: &mut Node, known: &BTreeMap<String, f64>) -> Result<(), EvaluationFault> {
    let span = node.span.clone();
    match &mut node.value {
        Value::Text(text) if text.starts_with('=') => {
            let mut value = |name: &str| {
                known
                    .get(name)
                    .copied()
                    .ok_or_else(|| unknown_parameter(name, known.keys().map(String::as_str)))
            };
            let number = expression::evaluate(&text[1..], &mut value)
                .map_err(|e| (format!("\"{text}\": {e}"), None, span))?;
            node.value = Value::Float(number);
        }
        Value::Float(x) if !x.is_finite() => {
            return Err((format!("{x} is not allowed; numbers must be finite"), None, span));
        }
        Value::List(items) => items.iter_mut().try_for_each(|n| fill(n, known))?,
        Value::Table(entries) => {
            entries
                .iter_mut()
                .filter(|e| e.key != "description")
                .try_for_each(|e| fill(&mut e.node, known))?;
        }
        _ => {}
    }
    Ok(())
}

/// The node that a path of keys and indices such as `shapes.0.radius` leads to, or the last one on the way that is
/// there.
fn follow<'a>(item: &'a Node, path: &str) -> &'a Node {
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
    fn error(&self, problem: impl Into<String>, span: Span) -> SceneError {
        let object = self.object_at(&span);
        SceneError::new(&self.path, problem).at(&self.text, span).of(object)
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, SceneError> {
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

    /// Hash of the scene with everything it includes, the content of the files its objects are read from and its parameters, in hexadecimal.
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

    /// Builds the world; errors point at the file.
    pub fn world(&self) -> Result<World, SceneError> {
        World::from_scene(&self.scene).map_err(|e| self.explain(e))
    }

    /// Puts an error of a world of this scene at the place of the file it comes from.
    pub fn explain(&self, error: WorldError) -> SceneError {
        let place = self.locate(&error);
        let (object, problem, suggestion) = match &error {
            WorldError::Input { section, name, problem, suggestion, .. } => {
                (Some(format!("{section} '{name}'")), problem.clone(), suggestion.clone())
            }
            WorldError::Setting { key, value, expected } => {
                let problem = format!("{key} = {value} is not allowed; {expected} is needed");
                (Some("settings".into()), problem, None)
            }
            other => (None, other.to_string(), None),
        };
        let found = match place {
            Some((source, span)) => {
                let source = &self.sources[source];
                SceneError::new(&source.path, problem).at(&source.text, span)
            }
            None => SceneError::new(&self.path, problem),
        };
        found.of(object).suggesting(suggestion).caused_by(error)
    }

    fn locate(&self, error: &WorldError) -> Option<(usize, Span)> {
        match error {
            WorldError::Input { section, name, field, .. } => self.object(*section, name, field.as_deref()),
            WorldError::Setting { key, .. } => self.setting(key),
            WorldError::LeftBounds { body, .. } => self.object(Section::Bodies, body, None),
            WorldError::Grains { grains, .. } => self.object(Section::Grains, grains, None),
            WorldError::Fluid { fluid, .. } => self.object(Section::Fluids, fluid, None),
            WorldError::Core(CoreError::Parameter { name, .. }) => match name.as_str() {
                "rho" | "alpha" | "beta" | "gamma" => self.setting("integrator"),
                key => self.setting(key),
            },
            WorldError::Core(CoreError::Unsupported { integrator, .. }) => {
                self.setting(if integrator == "kinematics" { "analysis" } else { "integrator" })
            }
            WorldError::Core(other) => self.mentioned(&other.object()?),
            _ => None,
        }
    }

    /// The object that an error speaks of.
    fn mentioned(&self, object: &ObjectRef) -> Option<(usize, Span)> {
        let first = Section::LISTS.into_iter().find(|s| s.noun() == object.kind);
        first.into_iter().chain(Section::LISTS).find_map(|s| self.object(s, &object.name, None))
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
