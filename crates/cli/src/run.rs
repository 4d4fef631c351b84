//! `huygens run`: a scene into a folder of results.

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
  OUT/probes.csv      the quantities the scene asks for (one file for each `file` of the probes)
  OUT/probes.svg      their plot; .png beside it
  OUT/picture.png     the last moment, as `huygens render` shows it, but smaller
  OUT/run.hrec        the recording that `huygens view`, `render` and `export` read
  OUT/checkpoints/    the two newest states

EXISTING FOLDERS
  A run that ended is replaced: its results can be computed again. A run that was stopped is kept unless
  --resume (go on) or --force (start anew) is given, and so is a folder with other files in it.

EXIT CODES
  0 done, or stopped by --max-wall-time (go on with --resume)
  1 a bug in Huygens
  2 wrong input: the scene, an option, a file
  3 the simulation diverged; the last good state is in OUT/checkpoints
  129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM; a checkpoint was written

STOPPING
  Signals and --max-wall-time, which counts from the start of the program, are obeyed within about a second, in the
  middle of a step too: that step is given up and taken again by --resume. A run that is stopped while its model is
  built leaves a manifest that says so. Another signal, a second or more later, ends the program at once.")]
pub struct RunArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Folder of the results [default: runs/<name of the scene file>].
    #[arg(long)]
    out: Option<PathBuf>,
    /// Simulated time to stop at [s], instead of the scene's.
    #[arg(long, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Step size [s], instead of the scene's.
    #[arg(long, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Threads; 0 takes all cores. Results do not depend on it.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seed of random numbers, instead of the scene's.
    #[arg(long)]
    seed: Option<u64>,
    /// Continue a stopped run from its last checkpoint, to the same bits as if it had not stopped.
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace whatever the folder holds.
    #[arg(long)]
    force: bool,
    /// Progress and result as JSON, one object a line.
    #[arg(long)]
    json: bool,
    /// No progress.
    #[arg(long)]
    quiet: bool,
    /// Write a checkpoint every so many simulated seconds; one is written every 10 minutes in any case.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    checkpoint_every: Option<f64>,
    /// Write a checkpoint and stop after so many seconds of wall time.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    max_wall_time: Option<f64>,
    /// Show the run in the browser while it computes, and afterwards until Ctrl-C.
    #[arg(long)]
    view: bool,
    /// Let the page steer the run: pause, single steps, pull bodies, set input signals. The run then keeps pace with
    /// the clock, and its result depends on what is done to it.
    #[arg(long, requires = "view")]
    interactive: bool,
    #[command(flatten)]
    listen: ListenArgs,
}

impl RunArgs {
    /// Whether errors are to be JSON as well.
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
        output::note("the wall-clock allowance was used up while the scene was read; nothing was computed");
        return Ok(Exit::Done);
    };
    signals.keep_results();
    render::check_view(&scene)?;
    if args.view {
        if !scene.scene.settings.output.recording.enabled {
            return Err(CliError::Usage {
                message: "--view shows the recording of a run, which the scene switches off".into(),
                help: "leave out settings.output.recording.enabled = false, or --view".into(),
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
            register().map_err(|e| CliError::Internal(format!("signals cannot be watched: {e}")))?;
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

/// Whether the program was started with a signal ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
