//! `huygens run`: simulates a scene and writes a folder of results.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use huygens::run::{Event, Painter, RunOptions, Steering, run_scene};
use huygens_exec::Stop;
use huygens_record::Outcome;
use huygens_viewer::Control;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::error::{CliError, Exit};
use crate::progress::Display;
use crate::scene::SceneArgs;
use crate::view::{self, ListenArgs};
use crate::{output, render};

/// Options of `huygens run`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
FILES
  OUT/manifest.json   version, scene, seed, hash of the final state, how the run ended
  OUT/probes.csv      the quantities that the scene probes (one file for each `file` of the probes)
  OUT/probes.svg      their plot, also as .png
  OUT/picture.png     the last frame, as `huygens render` draws it, but smaller
  OUT/run.hrec        the recording that `huygens view`, `render` and `export` read
  OUT/checkpoints/    the two newest states

EXISTING FOLDERS
  A completed run is replaced: its results can be computed again. A run that was stopped is kept unless
  --resume (continue it) or --force (restart it) is given, and so is a folder that holds other files.

EXIT CODES
  0 done, or stopped by --max-wall-time (continue with --resume)
  1 a bug in Huygens
  2 invalid input: the scene, an option or a file
  3 the simulation diverged; the last good state is in OUT/checkpoints
  129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM; a checkpoint was written

STOPPING
  Signals and --max-wall-time, which counts from the start of the program, take effect within about a second, even
  in the middle of a step: that step is abandoned and repeated by --resume. A run that is stopped while its model is
  being built leaves a manifest that says so. A second signal, at least a second later, kills the program at once.")]
pub struct RunArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Folder for the results [default: runs/<name of the scene file>].
    #[arg(long)]
    out: Option<PathBuf>,
    /// End time of the simulation [s], overriding the scene.
    #[arg(long, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Step size [s], overriding the scene.
    #[arg(long, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Number of threads; 0 uses all cores. Results do not depend on it.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Random seed, overriding the scene.
    #[arg(long)]
    seed: Option<u64>,
    /// Continue a stopped run from its last checkpoint; results are bit-identical to an uninterrupted run.
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace the contents of the folder.
    #[arg(long)]
    force: bool,
    /// Print progress and results as JSON, one object per line.
    #[arg(long)]
    json: bool,
    /// Do not show progress.
    #[arg(long)]
    quiet: bool,
    /// Interval between checkpoints in simulated seconds; one is written every 10 minutes in any case.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    checkpoint_every: Option<f64>,
    /// Write a checkpoint and stop after this many seconds of wall time.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    max_wall_time: Option<f64>,
    /// Show the run in the browser while it is computed, and afterwards until Ctrl-C.
    #[arg(long)]
    view: bool,
    /// Let the page steer the run: pause, single-step, pull bodies, set input signals. The run is then paced to real
    /// time, and its result depends on what the user does.
    #[arg(long, requires = "view")]
    interactive: bool,
    #[command(flatten)]
    listen: ListenArgs,
}

impl RunArgs {
    /// Whether errors are printed as JSON as well.
    pub fn json(&self) -> bool {
        self.json
    }

    /// The wall-clock allowance of a program that was started then.
    fn allowance(&self, started: Instant) -> Result<Stop, CliError> {
        let allowed = self.max_wall_time.and_then(|s| Duration::try_from_secs_f64(s).ok());
        match allowed.and_then(|allowed| started.checked_add(allowed)) {
            Some(deadline) => Ok(Stop::never().by(deadline)?),
            None => Ok(Stop::never()),
        }
    }
}

/// Runs the scene.
pub fn run(args: &RunArgs, started: Instant) -> Result<Exit, CliError> {
    let signals = Signals::watch()?;
    let Some(scene) = args.scene.load_with(&args.allowance(started)?)? else {
        output::note("--max-wall-time was used up while the scene was being read; nothing was computed");
        return Ok(Exit::Done);
    };
    signals.keep_results();
    render::check_view(&scene)?;
    if args.view {
        if !scene.scene.settings.output.recording.enabled {
            return Err(CliError::Usage {
                message: "--view shows the recording of a run, which the scene disables".into(),
                help: "remove settings.output.recording.enabled = false from the scene, or omit --view"
                    .into(),
            });
        }
        args.listen.check()?;
    }
    let control = args.interactive.then(Control::new);
    let options = RunOptions {
        out: args.out.clone().unwrap_or_else(|| args.scene.default_out()),
        until: args.until,
        dt: args.dt,
        threads: Some(args.threads),
        seed: args.seed,
        resume: args.resume,
        force: args.force,
        checkpoint_every: args.checkpoint_every,
        max_wall_time: args.max_wall_time,
        started: Some(started),
        stop: signals.stop.clone(),
        painter: Some(Painter::new(huygens_render::write_glance)),
        steering: control.clone().map(|c| Arc::new(c) as Arc<dyn Steering>),
    };
    let mut display = Display::new(args.json, args.quiet);
    let (mut server, mut not_shown) = (None, None);
    let report = run_scene(&scene, &options, &mut |p| {
        if args.view && p.event == Event::Started {
            match view::start(&options.out, &args.listen, control.clone()) {
                Ok(started) => server = Some(started),
                Err(error) => {
                    // Whoever asked to watch would not want the run to go on unseen.
                    options.stop.store(true, Ordering::Relaxed);
                    not_shown = Some(error);
                }
            }
        }
        display.show(p);
    })
    .map_err(|e| {
        display.abandon();
        CliError::of_run(&scene, e)
    })?;
    display.finish(&report);
    if let Some(error) = not_shown {
        return Err(error);
    }
    if report.outcome() == Outcome::Signal {
        return Ok(Exit::Signal(signals.last()));
    }
    if let Some(server) = server {
        view::wait(&signals.stop);
        server.stop();
    }
    Ok(Exit::Done)
}

/// SIGHUP, SIGINT and SIGTERM ask the run to stop; another one a second or more later ends the program at once.
pub struct Signals {
    /// Set by the first signal.
    pub stop: Arc<AtomicBool>,
    which: Arc<AtomicUsize>,
    /// Whether the next signal ends the program: at first, as there is nothing yet that could be kept, and once the run
    /// has had time to stop by itself.
    at_once: Arc<AtomicBool>,
}

/// Signals this soon after the first are the same wish: `timeout` sends one to the program and one to its group.
const SAME_WISH: Duration = Duration::from_secs(1);
/// How often it is looked whether the first signal has come.
const LOOK: Duration = Duration::from_millis(50);

impl Signals {
    /// Watches from now on. Until [`Signals::keep_results`] a signal ends the program at once.
    pub fn watch() -> Result<Self, CliError> {
        let signals =
            Self { stop: Arc::default(), which: Arc::default(), at_once: Arc::new(AtomicBool::new(true)) };
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // `nohup` asks that the end of the terminal is not heard.
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            let register = || -> std::io::Result<()> {
                let at_once = signals.at_once.clone();
                signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, at_once)?;
                signal_hook::flag::register_usize(signal, signals.which.clone(), signal as usize)?;
                signal_hook::flag::register(signal, signals.stop.clone())?;
                Ok(())
            };
            register().map_err(|e| CliError::Internal(format!("cannot install signal handlers: {e}")))?;
        }
        Ok(signals)
    }

    /// From now on there is work whose results are to be kept.
    pub fn keep_results(&self) {
        self.at_once.store(false, Ordering::Relaxed);
        let (stop, at_once) = (self.stop.clone(), self.at_once.clone());
        let watch = move || {
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(LOOK);
            }
            std::thread::sleep(SAME_WISH);
            at_once.store(true, Ordering::Relaxed);
        };
        // Without the thread, the program stops by itself only.
        let _ = std::thread::Builder::new().name("huygens-signals".into()).spawn(watch);
    }

    /// The last signal.
    pub fn last(&self) -> i32 {
        self.which.load(Ordering::Relaxed) as i32
    }
}

/// Whether the program was started with a signal ignored, as far as the system reports.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
