//! Common code of all commands that read a scene, and `huygens validate` and `huygens info`.

use std::path::{Path, PathBuf};

use clap::Args;
use huygens::run::{MANIFEST, RECORDING};
use huygens::{LoadOptions, LoadedScene, Scene, SceneWorld, load_scene};
use huygens_exec::{Stop, Stopped};
use huygens_record::{Manifest, Recording};
use serde_json::{Value, json};

use crate::error::CliError;
use crate::{output, render};

/// A scene file and how it is read.
#[derive(Args, Debug)]
pub struct SceneArgs {
    /// Scene file, TOML or JSON.
    scene: PathBuf,
    /// Folder from which scenes may read files, in addition to their own.
    #[arg(long, value_name = "FOLDER")]
    asset_root: Option<PathBuf>,
    /// Override a parameter of the scene; repeatable.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    parameters: Vec<(String, f64)>,
}

fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let value: f64 = value.trim().parse().map_err(|_| format!("'{}' is not a number", value.trim()))?;
    if !value.is_finite() {
        return Err(format!("{value} is not finite"));
    }
    Ok((name.trim().to_owned(), value))
}

impl SceneArgs {
    /// Reads the scene.
    pub fn load(&self) -> Result<LoadedScene, CliError> {
        let scene = self.load_with(&Stop::never())?;
        scene.ok_or_else(|| CliError::Internal(Stopped.to_string()))
    }

    /// Reads the scene; none where it is to stop before that is done.
    pub fn load_with(&self, stop: &Stop) -> Result<Option<LoadedScene>, CliError> {
        let options = LoadOptions {
            asset_root: self.asset_root.clone(),
            parameters: self.parameters.iter().cloned().collect(),
        };
        let path = self.scene.clone();
        match stop.abandonable(move || load_scene(&path, &options)) {
            Ok(scene) => Ok(Some(scene?)),
            Err(Stopped) => Ok(None),
        }
    }

    /// `runs/` and the name of the scene file.
    pub fn default_out(&self) -> PathBuf {
        Path::new("runs").join(self.scene.file_stem().unwrap_or_else(|| "scene".as_ref()))
    }
}

/// Options of `huygens validate`.
#[derive(Args, Debug)]
pub struct ValidateArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Builds the world of a scene and assembles its initial state, without running it.
pub fn validate(args: &ValidateArgs) -> Result<(), CliError> {
    let loaded = args.scene.load()?;
    render::check_view(&loaded)?;
    let facts = assembled(&loaded)?;
    if args.json {
        output::line(facts);
        return Ok(());
    }
    for warning in facts["warnings"].as_array().into_iter().flatten() {
        output::note(format!("warning: {}", warning.as_str().unwrap_or_default()));
    }
    let count = |key: &str, one, many| output::count(facts[key].as_u64().unwrap_or(0), one, many);
    output::line(format!(
        "{}: valid; {}, {}, {}",
        args.scene.scene.display(),
        count("bodies", "body", "bodies"),
        count("joints", "joint", "joints"),
        count("degrees_of_freedom", "degree of freedom", "degrees of freedom")
    ));
    Ok(())
}

/// Counts of a scene, and the report on the assembly of its initial state.
fn assembled(loaded: &LoadedScene) -> Result<Value, CliError> {
    let mut world = loaded.world()?;
    let report = world.initialize().map_err(|e| CliError::of_world(loaded, e))?;
    let integrator = world.integrator().map_err(|e| CliError::of_world(loaded, e))?;
    let s = &loaded.scene;
    Ok(json!({
        "valid": true,
        "integrator": integrator.name(),
        "materials": s.materials.len(),
        "bodies": world.bodies().len(),
        "collision_shapes": world.assembly().collision.shapes().len(),
        "joints": s.joints.len(),
        "motors": s.motors.len(),
        "couplings": s.couplings.len(),
        "forces": s.forces.len(),
        "shafts": s.shafts.len(),
        "signals": s.signals.len(),
        "probes": s.probes.len(),
        "degrees_of_freedom": report.degrees_of_freedom,
        "redundant": report.redundant,
        "moved_by_assembly": report.moved,
        "warnings": world.warnings(),
        "scene_hash": loaded.hash(),
    }))
}

/// Options of `huygens info`.
#[derive(Args, Debug)]
pub struct InfoArgs {
    /// A scene file, the folder of a run, or a recording.
    source: PathBuf,
    /// Folder from which scenes may read files, in addition to their own.
    #[arg(long, value_name = "FOLDER")]
    asset_root: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Summarizes a scene or a run.
pub fn info(args: &InfoArgs) -> Result<(), CliError> {
    if args.source.is_dir() || args.source.ends_with(MANIFEST) {
        return run_info(args);
    }
    if args.source.extension().is_some_and(|e| e == "hrec") {
        return recording_info(&args.source, args.json);
    }
    let scene =
        SceneArgs { scene: args.source.clone(), asset_root: args.asset_root.clone(), parameters: Vec::new() };
    let loaded = scene.load()?;
    let facts = assembled(&loaded)?;
    if args.json {
        output::line(
            json!({ "scene": args.source.display().to_string(), "facts": facts, "settings": loaded.scene.settings }),
        );
        return Ok(());
    }
    scene_info(&loaded.scene, &facts);
    Ok(())
}

fn scene_info(scene: &Scene, facts: &Value) {
    if let Some(text) = &scene.description {
        output::line(text);
    }
    let s = &scene.settings;
    let integrator = facts["integrator"].as_str().unwrap_or_default();
    output::line(format!("analysis    {:?}, {integrator}", s.analysis).to_lowercase());
    output::line(format!("time        {} s in steps of {} s", s.until, s.dt));
    output::line(format!("gravity     {:?} m/s²", s.gravity));
    output::line(format!("dof         {}", facts["degrees_of_freedom"]));
    if facts["collision_shapes"] != json!(0) {
        let law = format!("{:?}", s.contact.law).to_lowercase();
        output::line(format!(
            "contact     {law}, {} shapes on {} bodies",
            facts["collision_shapes"], facts["bodies"]
        ));
    }
    let lists: [(&str, Vec<&str>); 6] = [
        ("materials", scene.materials.iter().map(|m| m.name.as_str()).collect()),
        ("fills", scene.fills.iter().map(|f| f.name.as_str()).collect()),
        ("bodies", scene.bodies.iter().map(|b| b.name.as_str()).collect()),
        ("joints", scene.joints.iter().map(|j| j.name.as_str()).collect()),
        ("shafts", scene.shafts.iter().map(|s| s.name.as_str()).collect()),
        ("signals", scene.signals.iter().map(|s| s.name.as_str()).collect()),
    ];
    for (kind, names) in lists.iter().filter(|(_, names)| !names.is_empty()) {
        let shown = names.iter().take(12).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 12 { ", …" } else { "" };
        output::line(format!("{kind:<11} {}: {shown}{more}", names.len()));
    }
    for kind in ["motors", "couplings", "forces", "probes"] {
        if facts[kind] != json!(0) {
            output::line(format!("{kind:<11} {}", facts[kind]));
        }
    }
    for warning in facts["warnings"].as_array().into_iter().flatten() {
        output::line(format!("warning     {}", warning.as_str().unwrap_or_default()));
    }
}

fn run_info(args: &InfoArgs) -> Result<(), CliError> {
    let path = if args.source.is_dir() { args.source.join(MANIFEST) } else { args.source.clone() };
    let m = Manifest::read(&path)?;
    if args.json {
        output::line(serde_json::to_string(&m).map_err(|e| CliError::Internal(e.to_string()))?);
        return Ok(());
    }
    output::line(format!("scene       {}", m.scene.as_deref().unwrap_or("–")));
    output::line(format!("outcome     {:?} {}", m.outcome, m.reason).trim_end());
    output::line(format!(
        "time        {} s after {}",
        output::decimal(m.simulated_time),
        output::count(m.steps, "step", "steps")
    ));
    output::line(format!(
        "wall time   {:.2} s on {}",
        m.wall_time,
        output::count(m.threads as u64, "thread", "threads")
    ));
    output::line(format!("seed        {}", m.seed));
    output::line(format!("version     {}", m.version));
    output::line(format!("scene hash  {}", m.scene_hash));
    output::line(format!("state hash  {}", m.state_hash));
    output::line(format!("files       {}", m.files.join(", ")));
    for warning in &m.warnings {
        output::line(format!("warning     {warning}"));
    }
    let recording = path.with_file_name(RECORDING);
    if recording.exists() { recording_info(&recording, false) } else { Ok(()) }
}

/// What a recording holds.
fn recording_info(path: &Path, as_json: bool) -> Result<(), CliError> {
    let recording = Recording::open(path)?;
    let (stage, times) = (recording.stage(), recording.times());
    let span = [times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0)];
    let count = |k: usize| recording.frame(times.len().saturating_sub(1)).map(|f| f.groups[k].present());
    let mut groups = Vec::new();
    for (k, group) in stage.groups.iter().enumerate() {
        let items = if times.is_empty() { 0 } else { count(k)? };
        let fields: Vec<&str> =
            group.fields.iter().chain(&group.constants).map(|f| f.name.as_str()).collect();
        groups.push((group.name.as_str(), items, fields));
    }
    let scalars: Vec<&str> = stage.scalars.iter().map(|s| s.name.as_str()).collect();
    if as_json {
        let groups: Vec<Value> = groups
            .iter()
            .map(|(name, items, fields)| json!({ "name": name, "items": items, "fields": fields }))
            .collect();
        output::line(json!({
            "recording": path.display().to_string(), "bytes": recording.bytes(), "frames": times.len(),
            "from": span[0], "to": span[1], "finished": recording.finished(), "changes": recording.change_count(), "groups": groups, "scalars": scalars,
        }));
        return Ok(());
    }
    let state = if recording.finished() { "" } else { ", not finished" };
    output::line(format!(
        "recording   {} frames from {} to {} s, {:.1} MB{state}",
        times.len(),
        output::decimal(span[0]),
        output::decimal(span[1]),
        recording.bytes() as f64 / 1e6
    ));
    if recording.change_count() > 0 {
        let times = output::count(recording.change_count() as u64, "time", "times");
        output::line(format!("  things came or went {times}; items are those of the last frame"));
    }
    for (name, items, fields) in groups {
        output::line(format!("  {name:<9} {items}: {}", fields.join(", ")));
    }
    output::line(format!("  scalars   {}", scalars.join(", ")));
    Ok(())
}
