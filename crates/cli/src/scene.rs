//! Common code of all commands that read a scene, and `huygens validate` and `huygens info`.

use std::path::{Path, PathBuf};

use clap::Args;
use huygens::run::{MANIFEST, RECORDING, Rehearsal, RunOptions, rehearse};
use huygens::spec::{given, shown};
use huygens::{LoadOptions, LoadedScene, Scene, load_scene};
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

/// Does all that a run does before its first step, and tries that step.
pub fn validate(args: &ValidateArgs) -> Result<(), CliError> {
    let loaded = args.scene.load()?;
    render::check_view(&loaded)?;
    let known = rehearse(&loaded, &RunOptions::default()).map_err(|e| CliError::of_run(&loaded, e))?;
    let facts = facts(&loaded, &known);
    if args.json {
        output::line(facts);
        return Ok(());
    }
    for warning in facts["warnings"].as_array().into_iter().flatten() {
        output::note(format!("warning: {}", warning.as_str().unwrap_or_default()));
    }
    let count = |key: &str, one, many| output::count(facts[key].as_u64().unwrap_or(0), one, many);
    let mut counts = vec![
        count("bodies", "body", "bodies"),
        count("joints", "joint", "joints"),
        count("degrees_of_freedom", "degree of freedom", "degrees of freedom"),
    ];
    for (key, one, many) in [
        ("grains", "grain", "grains"),
        ("particles", "fluid particle", "fluid particles"),
        ("nodes", "node", "nodes"),
        ("elements", "element", "elements"),
    ] {
        if facts[key] != json!(0) {
            counts.push(count(key, one, many));
        }
    }
    output::line(format!("{}: valid; {}", args.scene.scene.display(), counts.join(", ")));
    if let Some(steps) = known.steps {
        output::line(cost(&known, steps, loaded.scene.settings.step_control.is_some()));
    }
    Ok(())
}

/// Steps, and roughly what they cost.
fn cost(known: &Rehearsal, steps: f64, is_least: bool) -> String {
    let least = if is_least { "at least " } else { "" };
    let unit = if steps == 1.0 { "step" } else { "steps" };
    let mut text = format!("{least}{} {unit} of {} s", shown(steps), shown(known.step));
    match known.seconds() {
        Some(seconds) if steps > 0.0 => {
            let span = if seconds < 1.0 { "less than 1 s".into() } else { output::duration(seconds) };
            text += &format!(
                ", roughly {span} on one thread by the pace of the first few (contacts that form later take time)"
            );
        }
        None if steps > 0.0 => text += "; the first one takes longer than was waited for",
        _ => {}
    }
    if let Some(memory) = known.memory {
        text += &format!("; {:.0} MB of memory", memory as f64 / 1e6);
    }
    text
}

/// Counts of a scene, and the report on the assembly of its initial state.
fn facts(loaded: &LoadedScene, known: &Rehearsal) -> Value {
    let s = &loaded.scene;
    json!({
        "valid": true,
        "integrator": known.integrator.name(),
        "materials": s.materials.len(),
        "bodies": known.bodies,
        "collision_shapes": known.collision_shapes,
        "grains": known.grains,
        "particles": known.particles,
        "nodes": known.nodes,
        "elements": known.elements,
        "joints": s.joints.len(),
        "motors": s.motors.len(),
        "couplings": s.couplings.len(),
        "forces": s.forces.len(),
        "shafts": s.shafts.len(),
        "signals": s.signals.len(),
        "probes": s.probes.len(),
        "degrees_of_freedom": known.degrees_of_freedom,
        "redundant": known.redundant,
        "moved_by_assembly": known.moved,
        "step": known.step,
        "steps": known.steps,
        "seconds_per_step": known.seconds_per_step,
        "estimated_seconds": known.seconds(),
        "memory_bytes": known.memory,
        "warnings": known.warnings,
        "scene_hash": loaded.hash(),
    })
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
    let known = rehearse(&loaded, &RunOptions::default()).map_err(|e| CliError::of_run(&loaded, e))?;
    let facts = facts(&loaded, &known);
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
    output::line(format!("time        {} s in steps of {} s", given(s.until), given(s.dt)));
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
        shown(m.simulated_time),
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
        shown(span[0]),
        shown(span[1]),
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
