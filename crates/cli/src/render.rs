//! `huygens render`: pictures and films of a run.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use huygens::LoadedScene;
use huygens::run::RECORDING;
use huygens_exec::Exec;
use huygens_record::Recording;
use huygens_render::{ColorBy, Film, FilmFormat, Moments, View};
use indicatif::{ProgressBar, ProgressStyle};

use crate::error::CliError;
use crate::output;

/// Options of `huygens render`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
WHAT IS SHOWN
  By default the camera is placed so that everything that moves is in the picture. The scene may change this under
  [view], and a file given by --view replaces that section: size, samples, camera (position, target, follow, path),
  sky, sun, ground, color_by, looks, depth_of_field, legend, title, passes.

EXAMPLES
  huygens render runs/10_pile --out pictures                  the last frame
  huygens render runs/10_pile --out pictures --frames 60      sixty pictures
  huygens render runs/10_pile --film pile.gif --size 640x360  a film for any browser
  huygens render runs/10_pile --film pile.mp4 --color-by velocity")]
pub struct RenderArgs {
    /// Folder of a run, or its recording.
    source: PathBuf,
    /// Folder for the pictures; created if it does not exist.
    #[arg(long, required_unless_present = "film")]
    out: Option<PathBuf>,
    /// Simulated time of the picture [s] [default: the last frame].
    #[arg(long, conflicts_with_all = ["frames", "film"], allow_negative_numbers = true)]
    time: Option<f64>,
    /// Number of pictures, evenly spaced over the run.
    #[arg(long, conflicts_with = "film")]
    frames: Option<usize>,
    /// File of the film: .gif, or .mp4 (needs ffmpeg).
    #[arg(long)]
    film: Option<PathBuf>,
    /// Simulated seconds per second of film.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Frames per second of the film.
    #[arg(long, default_value_t = 30.0)]
    rate: f64,
    /// File that describes the picture (TOML or JSON), replacing the scene's [view].
    #[arg(long)]
    view: Option<PathBuf>,
    /// Size in pixels, such as 1280x720.
    #[arg(long)]
    size: Option<String>,
    /// Rays per pixel.
    #[arg(long)]
    samples: Option<u32>,
    /// Field to colour by, such as velocity.
    #[arg(long)]
    color_by: Option<String>,
    /// Number of threads; 0 uses all cores. Pixels do not depend on it.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Do not show progress.
    #[arg(long)]
    quiet: bool,
}

/// Opens the recording of a run's folder, or the file itself.
pub fn open(source: &Path) -> Result<Recording, CliError> {
    let path = if source.is_dir() { source.join(RECORDING) } else { source.to_path_buf() };
    if !path.exists() {
        return Err(CliError::Usage {
            message: format!("there is no recording '{}'", path.display()),
            help: "give the folder of a run or its run.hrec; `huygens run SCENE` writes one unless \
                   settings.output.recording.enabled is false"
                .into(),
        });
    }
    Ok(Recording::open(&path)?)
}

/// Checks the description of pictures in a scene.
pub fn check_view(scene: &LoadedScene) -> Result<(), CliError> {
    let Some(value) = &scene.scene.view else { return Ok(()) };
    View::from_value(value).map(|_| ()).map_err(|e| {
        let reason = e.to_string().replace("render description: ", "");
        usage(
            format!("{}: [view]: {reason}", scene.path().display()),
            "the chapter \"Pictures and films\" of the book lists the keys of [view]",
        )
    })
}

fn usage(message: String, help: &str) -> CliError {
    CliError::Usage { message, help: help.into() }
}

/// Width and height from `1280x720`.
fn size(text: &str) -> Result<[u32; 2], CliError> {
    let parts: Vec<Option<u32>> = text.split(['x', 'X', '×']).map(|p| p.trim().parse().ok()).collect();
    match parts[..] {
        [Some(width), Some(height)] => Ok([width, height]),
        _ => Err(usage(
            format!("--size {text} is not a size"),
            "give width and height in pixels, such as 1280x720",
        )),
    }
}

fn view(args: &RenderArgs, recording: &Recording) -> Result<View, CliError> {
    let mut view = match &args.view {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|e| CliError::read(path, e))?;
            let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
            let read = if json { View::from_json(&text) } else { View::from_toml(&text) };
            read.map_err(|e| {
                usage(format!("'{}': {e}", path.display()), "`huygens render --help` lists the keys")
            })?
        }
        None => View::of_stage(recording.stage())?,
    };
    if let Some(text) = &args.size {
        view.size = size(text)?;
    }
    view.samples = args.samples.unwrap_or(view.samples);
    if let Some(field) = &args.color_by {
        let (group, range, label) = (None, None, None);
        let (component, map) = view.color_by.map_or_else(Default::default, |c| (c.component, c.map));
        view.color_by = Some(ColorBy { group, field: field.clone(), component, range, map, label });
    }
    Ok(view)
}

/// Makes the pictures or the film.
pub fn render(args: &RenderArgs) -> Result<(), CliError> {
    let mut recording = open(&args.source)?;
    let mut film = Film::new(view(args, &recording)?);
    film.rate = args.rate;
    let (path, format) = match (&args.film, &args.out) {
        (Some(path), _) => {
            film.moments = Moments::Span { from: None, to: None, speed: args.speed };
            (path.clone(), FilmFormat::of(path)?)
        }
        (None, Some(folder)) => {
            film.moments = match (args.time, args.frames) {
                (Some(time), _) => Moments::At(vec![time]),
                (None, Some(count)) => Moments::Count(count),
                (None, None) => Moments::Count(1),
            };
            (folder.clone(), FilmFormat::PngFolder)
        }
        (None, None) => return Err(usage("nothing to render".into(), "give --out FOLDER or --film FILE")),
    };
    if let Some(damage) = recording.damage() {
        output::note(format!("huygens: warning: {damage}; showing the intact part"));
    }
    let exec = Exec::with_threads(args.threads)?;
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new(0) };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} pictures, {eta} left") {
        bar.set_style(style);
    }
    let written = film.render(&exec, &mut recording, &path, format, &mut |p| {
        bar.set_length(p.total as u64);
        bar.set_position(p.done as u64);
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    for path in written {
        output::line(path.display());
    }
    Ok(())
}
