//! Loads a scene with everything it includes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_spec::{Include, KeyPath, Placement, Scene, Section, VisitorMut, WrongReference, closest_name};
use serde::de::DeserializeOwned;

use crate::error::SceneError;
use crate::limits::{MAX_BYTES, MAX_DEPTH, MAX_INCLUDE_DEPTH, MAX_NEIGHBOURS, MAX_OBJECTS, toml_too_deep};
use crate::loaded::{Asset, LoadedScene, Origin, ScenePart, Source, follow};
use crate::parameters::evaluate;
use crate::tree::{Node, Span, Value};
use crate::{json, toml_file};

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
    loader.finish(path.into(), part)
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
    loader.finish(name, part)
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

/// Refuses a list of objects that is written as one table, and tables that are written as a list.
fn check_lists(source: &Source, format: Format) -> Result<(), SceneError> {
    let lists = Section::LISTS.iter().map(|section| section.key()).chain(["include"]);
    for key in lists {
        let Some(entry) = source.tree.entry(key).filter(|e| matches!(e.node.value, Value::Table(_))) else {
            continue;
        };
        let problem = match format {
            Format::Toml => {
                format!("`{key}` is a list; write [[{key}]] in front of every object, not [{key}]")
            }
            Format::Json => format!("`{key}` is a list of objects: \"{key}\": [{{ ... }}]"),
        };
        return Err(source.error(problem, entry.key_span.clone()));
    }
    for key in ["settings", "parameters", "view"] {
        let Some(entry) = source.tree.entry(key).filter(|e| matches!(e.node.value, Value::List(_))) else {
            continue;
        };
        let problem = match format {
            Format::Toml => format!("`{key}` is one table; write [{key}], not [[{key}]]"),
            Format::Json => format!("`{key}` is one table: \"{key}\": {{ ... }}"),
        };
        return Err(source.error(problem, entry.key_span.clone()));
    }
    Ok(())
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

    /// The scene with all its parts, whose references are checked.
    fn finish(self, path: PathBuf, part: Part) -> Result<LoadedScene, SceneError> {
        let Self { sources, assets, .. } = self;
        let loaded = LoadedScene { scene: part.scene, path, sources, origins: part.origins, assets };
        match loaded.scene.check_references() {
            Ok(()) => Ok(loaded),
            Err(WrongReference { section, name, field, problem, suggestion }) => {
                let part = ScenePart::Object { section, name: &name, field: Some(&field) };
                let error = loaded.error_at(Some(part), problem);
                Err(error.of(Some(format!("{section} '{name}'"))).suggesting(suggestion))
            }
        }
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
        check_lists(source, format)?;
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
        include: &Include,
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
