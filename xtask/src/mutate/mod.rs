//! Mutated scenes: whatever a file holds, the program ends with a result or a message.
//!
//! Examples are changed at random, as text and as values, and given to `huygens validate`; those it accepts are run for
//! a few steps. A panic, an end by a signal, a hang, a refusal without the name of the file, a run that refuses what
//! was accepted, or numbers that are none without a word about them, is an offence. Offenders are kept.

mod child;
mod random;
mod text;
mod tree;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toml::Value;

use crate::rust::{self, Profile};
use crate::steps::{StepFailure, Steps};
use crate::workspace::{Workspace, files_below};
use child::{Ending, TimeLimit};
use random::Random;

/// Most changes of one scene.
const CHANGES: usize = 4;
/// A run looks for a scene that is valid among so many mutants.
const TRIES: u64 = 25;
/// Steps of a run.
const STEPS: f64 = 20.0;
const VALIDATION: TimeLimit = TimeLimit { work: Duration::from_secs(10), wall: Duration::from_secs(90) };
/// For models that are large, and not without end.
const LONG_VALIDATION: TimeLimit =
    TimeLimit { work: Duration::from_secs(60), wall: Duration::from_secs(300) };
const RUN: TimeLimit = TimeLimit { work: Duration::from_secs(20), wall: Duration::from_secs(120) };
/// Words by which a run tells that its numbers are none.
const CONFESSIONS: [&str; 6] = ["not a number", "NaN", "finite", "overflow", "diverge", "undefined"];

/// What is wanted of a campaign.
pub struct Campaign {
    scenes: usize,
    runs: usize,
    seed: u64,
    /// The program to try; built where there is none.
    program: Option<PathBuf>,
    /// Numbers of mutants, to repeat them alone.
    first: usize,
    jobs: usize,
}

impl Campaign {
    /// Short enough to belong to every run of all checks.
    pub fn short() -> Self {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        Self { scenes: 200, runs: 10, seed: 1, program: None, first: 0, jobs }
    }

    /// Options of the command; None where one is unknown.
    pub fn parse(arguments: &[String]) -> Option<Self> {
        let mut campaign = Self { scenes: 2000, runs: 100, ..Self::short() };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return None };
            match name.as_str() {
                "--scenes" => campaign.scenes = value.parse().ok()?,
                "--runs" => campaign.runs = value.parse().ok()?,
                "--seed" => campaign.seed = value.parse().ok()?,
                "--first" => campaign.first = value.parse().ok()?,
                "--jobs" => campaign.jobs = usize::max(value.parse().ok()?, 1),
                "--program" => campaign.program = Some(std::path::absolute(value).ok()?),
                _ => return None,
            }
        }
        Some(campaign)
    }
}

/// Mutates scenes, and fails where one is an offender.
pub fn run(steps: &mut Steps, campaign: &Campaign) -> Result<(), StepFailure> {
    let program = match &campaign.program {
        Some(program) => program.clone(),
        None => {
            rust::build(steps)?;
            steps.workspace.built_program(Profile::Ci.name(), "huygens")
        }
    };
    steps.check("mutated scenes", |workspace| Field::new(workspace, campaign, program)?.survey())
}

/// A scene to be changed.
struct Scene {
    name: String,
    text: String,
    values: Value,
}

/// A changed scene.
struct Mutant {
    name: String,
    bytes: Vec<u8>,
    /// Its values, where these were changed and not its text.
    values: Option<Value>,
    json: bool,
}

/// What became of a mutant.
struct Verdict {
    label: String,
    /// What the program wrote, where it did wrong.
    offence: Option<String>,
}

impl Verdict {
    fn good(label: &str) -> Self {
        Self { label: label.to_owned(), offence: None }
    }

    fn bad(label: impl Into<String>, said: &str) -> Self {
        Self { label: label.into(), offence: Some(said.to_owned()) }
    }
}

/// Everything a campaign works with.
struct Field<'a> {
    campaign: &'a Campaign,
    program: PathBuf,
    scenes: Vec<Scene>,
    /// Where offenders are kept.
    folder: PathBuf,
    tally: Mutex<BTreeMap<String, usize>>,
    offences: AtomicUsize,
}

impl<'a> Field<'a> {
    fn new(workspace: &Workspace, campaign: &'a Campaign, program: PathBuf) -> Result<Self, String> {
        let examples = workspace.root.join("examples");
        let read = |path: &PathBuf| -> Result<Option<Scene>, String> {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text =
                std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let values = toml::Table::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
            Ok((name != "Cargo").then_some(Scene { name, text, values: Value::Table(values) }))
        };
        let paths = files_below(&examples, &["toml"]);
        let scenes = paths.iter().filter_map(|path| read(path).transpose()).collect::<Result<_, _>>()?;
        let folder = workspace.target.join("mutants");
        let field = Self {
            campaign,
            program,
            scenes,
            folder,
            tally: Mutex::default(),
            offences: AtomicUsize::new(0),
        };
        // Offenders of an earlier campaign may be there.
        let _ = std::fs::remove_dir_all(&field.folder);
        for job in 0..campaign.jobs {
            let assets = field.work_folder(job).join("assets");
            make_folder(&assets)?;
            for asset in files_below(&examples.join("assets"), &["obj", "csv", "stl", "toml", "msh", "inp"]) {
                let copy = assets.join(asset.file_name().unwrap_or_default());
                std::fs::copy(&asset, &copy).map_err(|error| format!("{}: {error}", asset.display()))?;
            }
        }
        Ok(field)
    }

    fn work_folder(&self, job: usize) -> PathBuf {
        self.folder.join(format!("work-{job}"))
    }

    /// Tries all mutants; one line says how they ended.
    fn survey(&self) -> Result<String, String> {
        let Campaign { scenes, runs, first, .. } = *self.campaign;
        self.on_all_jobs(first..first + scenes, |job, number| self.try_validation(job, number))?;
        self.on_all_jobs(first..first + runs, |job, number| self.try_run(job, number))?;
        let tally = self.tally.lock().map_err(|_| "a job panicked".to_owned())?;
        let mut table = String::new();
        for (label, count) in tally.iter() {
            let _ = writeln!(table, "  {count:6}  {label}");
        }
        println!("{table}");
        let offences = self.offences.load(Ordering::Relaxed);
        match offences {
            0 => Ok(format!("{scenes} scenes and {runs} runs, none of them an offender")),
            count => Err(format!("{count} offenders, kept in {}", self.folder.display())),
        }
    }

    /// Gives each number to one of the jobs.
    fn on_all_jobs(
        &self,
        numbers: std::ops::Range<usize>,
        work: impl Fn(usize, u64) -> Result<(), String> + Sync,
    ) -> Result<(), String> {
        let next = AtomicUsize::new(numbers.start);
        let failure = Mutex::new(None);
        let job = |job: usize| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= numbers.end {
                    return;
                }
                if let Err(reason) = work(job, number as u64) {
                    next.store(numbers.end, Ordering::Relaxed);
                    if let Ok(mut failure) = failure.lock() {
                        *failure = Some(reason);
                    }
                }
            }
        };
        std::thread::scope(|scope| (0..self.campaign.jobs).for_each(|n| drop(scope.spawn(move || job(n)))));
        failure.into_inner().unwrap_or_default().map_or(Ok(()), Err)
    }

    fn try_validation(&self, job: usize, number: u64) -> Result<(), String> {
        let random = Random::new(self.campaign.seed, number);
        let mutant = self.mutant(random, CHANGES, true);
        let verdict = self.validated(job, &mutant)?;
        self.record("validate", number, &mutant, &verdict)
    }

    /// Runs the first mutant of this number that is valid.
    fn try_run(&self, job: usize, number: u64) -> Result<(), String> {
        for attempt in 0..TRIES {
            let random = Random::new(self.campaign.seed ^ 0x52_75_6e, TRIES * number + attempt);
            let mutant = self.mutant(random, 2, false);
            let verdict = self.validated(job, &mutant)?;
            if verdict.label == "valid" {
                let verdict = self.ran(job, &mutant, number)?;
                return self.record("run", number, &mutant, &verdict);
            }
            if verdict.offence.is_some() {
                return self.record("run", number, &mutant, &verdict);
            }
        }
        self.record_label("run: no valid mutant found")
    }

    /// A mutant, by at most so many changes, of values alone or also of text.
    fn mutant(&self, mut random: Random, changes: usize, text_too: bool) -> Mutant {
        let (base, donor) = (random.below(self.scenes.len()), random.below(self.scenes.len()));
        let (base, donor) = (&self.scenes[base], &self.scenes[donor]);
        let (mut count, name) = (1, base.name.clone());
        while count < changes && random.chance(40) {
            count += 1;
        }
        let json = random.chance(40);
        if text_too && random.chance(30) {
            let file = |scene: &Scene| match json {
                true => tree::json(&scene.values).into_bytes(),
                false => scene.text.clone().into_bytes(),
            };
            let mut bytes = file(base);
            (0..count).for_each(|_| text::mutate(&mut bytes, &file(donor), &mut random));
            return Mutant { name, bytes, values: None, json };
        }
        let mut values = base.values.clone();
        (0..count).for_each(|_| tree::mutate(&mut values, &donor.values, &mut random));
        let toml = || toml::to_string(&values).ok();
        let (json, text) = match json {
            false => match toml() {
                Some(text) => (false, text),
                None => (true, tree::json(&values)),
            },
            true => (true, tree::json(&values)),
        };
        Mutant { name, bytes: text.into_bytes(), values: Some(values), json }
    }

    fn write(&self, job: usize, mutant: &Mutant) -> Result<PathBuf, String> {
        let file = if mutant.json { "mutant.json" } else { "mutant.toml" };
        let path = self.work_folder(job).join(file);
        std::fs::write(&path, &mutant.bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    fn start(&self, job: usize, arguments: &[&str], limit: TimeLimit) -> Result<Ending, String> {
        child::run(&self.program, arguments, &self.work_folder(job).join("log"), limit)
    }

    fn validated(&self, job: usize, mutant: &Mutant) -> Result<Verdict, String> {
        let path = self.write(job, mutant)?;
        let arguments = ["validate", &path.to_string_lossy()];
        let mut ending = self.start(job, &arguments, VALIDATION)?;
        if ending.hung {
            ending = self.start(job, &arguments, LONG_VALIDATION)?;
            if misconduct(&ending).is_none() && ending.code == Some(0) {
                return Ok(Verdict::good("valid, large"));
            }
        }
        Ok(misconduct(&ending).unwrap_or_else(|| match ending.code {
            Some(0) if ending.out.trim().is_empty() => Verdict::bad("valid, without a word", ""),
            Some(0) => Verdict::good("valid"),
            Some(2) if !ending.err.contains("mutant.") => {
                Verdict::bad("refused without the name of the file", &ending.err)
            }
            Some(2) => Verdict::good("refused"),
            code => Verdict::bad(format!("exit code {}", code.unwrap_or(-1)), &ending.err),
        }))
    }

    fn ran(&self, job: usize, mutant: &Mutant, number: u64) -> Result<Verdict, String> {
        let (path, out) = (self.write(job, mutant)?, self.work_folder(job).join("out"));
        // A folder of an earlier run may be there.
        let _ = std::fs::remove_dir_all(&out);
        let (path, folder) = (path.to_string_lossy(), out.to_string_lossy().into_owned());
        let mut arguments = vec!["run", &path, "--out", &folder, "--quiet", "--max-wall-time", "5"];
        let until = mutant.values.as_ref().and_then(few_steps).filter(|_| !number.is_multiple_of(4));
        if let Some(until) = &until {
            arguments.extend(["--until", until]);
        }
        let ending = self.start(job, &arguments, RUN)?;
        if let Some(verdict) = misconduct(&ending) {
            return Ok(verdict);
        }
        let said = format!("{}{}", ending.out, ending.err);
        match ending.code {
            Some(0) => {}
            Some(2) => return Ok(Verdict::bad("refused after validate accepted it", &said)),
            Some(3) if said.trim().is_empty() => return Ok(Verdict::bad("exit code 3 without a word", "")),
            Some(3) => return Ok(Verdict::good("diverged, and said so")),
            code => return Ok(Verdict::bad(format!("exit code {}", code.unwrap_or(-1)), &said)),
        }
        if CONFESSIONS.iter().any(|word| said.contains(word)) {
            return Ok(Verdict::good("done, with a warning about its numbers"));
        }
        let table = out.join("scalars-of-recording.csv");
        let arguments = ["export", &folder, "--csv", &table.to_string_lossy()];
        let exported = self.start(job, &arguments, RUN)?;
        if out.join("run.hrec").is_file() && exported.code != Some(0) {
            return Ok(Verdict::bad("recording that cannot be exported", &exported.err));
        }
        let bad = files_below(&out, &["csv"]).iter().find_map(|path| number_that_is_none(path));
        Ok(bad.map_or(Verdict::good("done"), |where_| Verdict::bad("not a number, silently", &where_)))
    }

    fn record_label(&self, label: &str) -> Result<(), String> {
        let mut tally = self.tally.lock().map_err(|_| "a job panicked".to_owned())?;
        *tally.entry(label.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Counts a verdict, and keeps an offender with what was said of it.
    fn record(&self, command: &str, number: u64, mutant: &Mutant, verdict: &Verdict) -> Result<(), String> {
        self.record_label(&format!("{command}: {}", verdict.label))?;
        let Some(said) = &verdict.offence else { return Ok(()) };
        self.offences.fetch_add(1, Ordering::Relaxed);
        let ending = if mutant.json { "json" } else { "toml" };
        let stem = self.folder.join(format!("{command}-{number:06}-{}", mutant.name));
        let about = format!("{command}: {}\nseed {}\n\n{said}", verdict.label, self.campaign.seed);
        println!("{command} {number} ({}): {}", mutant.name, verdict.label);
        let write = |path: PathBuf, bytes: &[u8]| {
            std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
        };
        write(stem.with_extension(ending), &mutant.bytes)?;
        write(stem.with_extension("txt"), about.as_bytes())
    }
}

/// What no end of the program may be.
fn misconduct(ending: &Ending) -> Option<Verdict> {
    let said = || format!("{}{}", ending.out, ending.err);
    if ending.hung {
        return Some(Verdict::bad("hang", &said()));
    }
    if let Some(signal) = ending.signal {
        return Some(Verdict::bad(format!("signal {signal}"), &said()));
    }
    let panicked = ending.err.contains("panicked") || matches!(ending.code, Some(1 | 101));
    panicked.then(|| Verdict::bad("panic", &said()))
}

/// An end after some steps, where the scene says how long one is.
fn few_steps(scene: &Value) -> Option<String> {
    let dt = scene.get("settings")?.get("dt")?.as_float()?;
    (dt > 0.0 && dt.is_finite()).then(|| format!("{:e}", STEPS * dt))
}

/// Where a table of a run has a number that is none; an empty cell counts for energies, which always exist.
fn number_that_is_none(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next()?.split(',').collect();
    let is_none = |(cell, head): (&str, &&str)| {
        let cell = cell.trim().to_ascii_lowercase();
        let word = cell.trim_start_matches(['-', '+']);
        matches!(word, "nan" | "inf" | "infinity") || cell.is_empty() && head.contains("energy")
    };
    for (number, line) in lines.enumerate() {
        if let Some((_, head)) = line.split(',').zip(&heads).find(|pair| is_none(*pair)) {
            return Some(format!("{}, row {}, column {head}: {line}", path.display(), number + 2));
        }
    }
    None
}

fn make_folder(path: &Path) -> Result<(), String> {
    std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of one scene, of which nothing is run.
    fn field(campaign: &Campaign) -> Field<'_> {
        let text =
            "settings.dt = 1e-3\nbodies = [{ name = \"ball\", mass = 1.0 }, { name = \"box\", mass = 2 }]";
        let values = Value::Table(toml::Table::from_str(text).unwrap());
        let scene = Scene { name: "two".to_owned(), text: text.to_owned(), values };
        let (program, folder) = (PathBuf::new(), PathBuf::new());
        let (tally, offences) = (Mutex::default(), AtomicUsize::new(0));
        Field { campaign, program, scenes: vec![scene], folder, tally, offences }
    }

    #[test]
    fn mutants_follow_from_seed_and_number() {
        let campaign = Campaign::short();
        let field = field(&campaign);
        let mutants = |seed| -> Vec<Vec<u8>> {
            (0..300).map(|number| field.mutant(Random::new(seed, number), CHANGES, true).bytes).collect()
        };
        let first = mutants(1);
        assert_eq!(first, mutants(1));
        let distinct: std::collections::BTreeSet<_> = first.iter().chain(&mutants(2)).cloned().collect();
        assert!(distinct.len() > 400, "{} of 600 mutants are distinct", distinct.len());
        let sound = first.iter().filter(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            toml::Table::from_str(&text).is_ok() || serde_json::from_str::<serde_json::Value>(&text).is_ok()
        });
        let sound = sound.count();
        assert!((150..290).contains(&sound), "{sound} of 300 mutants have a sound syntax");
    }

    #[test]
    fn numbers_that_are_none_are_found_in_tables() {
        let path = std::env::temp_dir().join(format!("huygens-mutate-{}.csv", std::process::id()));
        let found = |text: &str| {
            std::fs::write(&path, text).unwrap();
            number_that_is_none(&path).is_some()
        };
        assert!(!found("time [s],kinetic energy [J],gap\n0.0,1.0,\n"));
        assert!(found("time [s],kinetic energy [J],gap\n0.0,,1.0\n"));
        assert!(found("time [s],gap\n0.0,1.0\n0.1,-inf\n"));
        assert!(found("time [s],gap\n0.0,NaN\n"));
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn ends_that_no_scene_may_cause_are_told_apart() {
        let ending = |code, signal, err: &str| Ending {
            code,
            signal,
            hung: false,
            out: String::new(),
            err: err.to_owned(),
        };
        assert!(misconduct(&ending(Some(0), None, "")).is_none());
        assert!(misconduct(&ending(Some(2), None, "mutant.toml: no such body")).is_none());
        let label = |ending| misconduct(&ending).unwrap().label;
        assert_eq!(label(ending(Some(101), None, "thread 'main' panicked at")), "panic");
        assert_eq!(label(ending(None, Some(6), "memory allocation failed")), "signal 6");
        assert_eq!(label(Ending { hung: true, ..ending(None, Some(9), "") }), "hang");
    }
}
