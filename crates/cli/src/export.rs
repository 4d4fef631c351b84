//! `huygens export`: a run in the formats of other programs.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use huygens_record::Recording;
use huygens_render::View;
use huygens_render::export::{
    ExportError, ExportProgress, ExportReport, FrameChoice, gltf, obj, povray, table, vtk,
};
use huygens_viewer::{HtmlOptions, export_html};
use indicatif::{ProgressBar, ProgressStyle};

use crate::error::CliError;
use crate::{output, render};

/// Options of `huygens export`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
EXAMPLES
  huygens export runs/10_pile --html pile.html        one file that any browser can play
  huygens export runs/10_pile --vtk vtk               then open vtk/scene.pvd in ParaView
  huygens export runs/10_pile --gltf pile.glb         Blender, three.js, slides
  huygens export runs/10_pile --povray pov            then: cd pov; povray scene.ini
  huygens export runs/10_pile --csv out.csv --field bodies.position --field bodies.velocity
  huygens export runs/10_pile --npz out.npz           every field, for numpy.load")]
pub struct ExportArgs {
    /// Folder of a run, or its recording.
    source: PathBuf,
    /// Single HTML file that contains the viewer and the data.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Folder for VTP files and scene.pvd, for ParaView.
    #[arg(long, value_name = "FOLDER")]
    vtk: Option<PathBuf>,
    /// Binary glTF with animation (.glb).
    #[arg(long, value_name = "FILE")]
    gltf: Option<PathBuf>,
    /// Folder for POV-Ray scenes.
    #[arg(long, value_name = "FOLDER")]
    povray: Option<PathBuf>,
    /// Table of the fields given by --field, one row per time and item; without --field, of the scalars.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Arrays of the fields given by --field; without --field, of all fields.
    #[arg(long, value_name = "FILE")]
    npz: Option<PathBuf>,
    /// Surfaces of one frame (--time; by default the last).
    #[arg(long, value_name = "FILE")]
    obj: Option<PathBuf>,
    /// Field to export, such as bodies.position; repeatable.
    #[arg(long = "field", value_name = "GROUP.FIELD")]
    fields: Vec<String>,
    /// Export the frame nearest to this time [s]; repeatable.
    #[arg(long = "time", allow_negative_numbers = true, conflicts_with_all = ["from", "to", "every"])]
    times: Vec<f64>,
    /// Start of the exported time span [s].
    #[arg(long, allow_negative_numbers = true)]
    from: Option<f64>,
    /// End of the exported time span [s].
    #[arg(long, allow_negative_numbers = true)]
    to: Option<f64>,
    /// Export every Nth frame.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Maximum size of an HTML file [MB].
    #[arg(long, default_value_t = 256)]
    html_limit_mb: u64,
    /// Do not show progress.
    #[arg(long)]
    quiet: bool,
}

impl ExportArgs {
    fn choice(&self) -> FrameChoice {
        if !self.times.is_empty() {
            return FrameChoice::At(self.times.clone());
        }
        FrameChoice::Span { from: self.from, to: self.to, every: self.every }
    }

    fn fields(&self) -> Result<Vec<table::TableField>, CliError> {
        let field = |text: &String| match text.split_once('.') {
            Some((group, field)) => Ok(table::TableField::new(group, field)),
            None => Err(CliError::Usage {
                message: format!("--field {text} does not name a group"),
                help: "write GROUP.FIELD, such as bodies.position; `huygens info RUN` lists them".into(),
            }),
        };
        self.fields.iter().map(field).collect()
    }
}

/// Writes the requested formats.
pub fn export(args: &ExportArgs) -> Result<(), CliError> {
    let asked = [&args.html, &args.vtk, &args.gltf, &args.povray, &args.csv, &args.npz, &args.obj];
    if asked.iter().all(|a| a.is_none()) {
        return Err(CliError::Usage {
            message: "no export format is given".into(),
            help: "use --html, --vtk, --gltf, --povray, --csv, --npz or --obj with a file or folder".into(),
        });
    }
    if args.html.is_some() && !args.times.is_empty() {
        return Err(CliError::Usage {
            message: "--html exports a time span, not single frames".into(),
            help: "use --from and --to instead of --time".into(),
        });
    }
    let recording = render::open(&args.source)?;
    let view = match &recording.stage().view {
        Some(value) => View::from_value(value)?,
        None => View::default(),
    };
    let (choice, fields) = (args.choice(), args.fields()?);
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new(0) };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} frames, {eta} left") {
        bar.set_style(style);
    }
    let mut progress = |p: ExportProgress| {
        bar.set_length(p.total as u64);
        bar.set_position(p.done as u64);
        ControlFlow::Continue(())
    };
    let mut reports: Vec<Result<ExportReport, ExportError>> = Vec::new();
    if let Some(folder) = &args.vtk {
        reports.push(vtk::write(&recording, &choice, folder, &mut progress));
    }
    if let Some(path) = &args.gltf {
        reports.push(gltf::write(&recording, &choice, &view, path, &mut progress));
    }
    if let Some(folder) = &args.povray {
        reports.push(povray::write(&recording, &choice, &view, folder, &mut progress));
    }
    if let Some(path) = &args.csv {
        reports.push(if fields.is_empty() {
            table::write_scalars_csv(&recording, &choice, path, &mut progress)
        } else {
            table::write_csv(&recording, &choice, &fields, path, &mut progress)
        });
    }
    if let Some(path) = &args.npz {
        let all = if fields.is_empty() { table::TableField::all(recording.stage()) } else { fields };
        reports.push(table::write_npz(&recording, &choice, &all, path, &mut progress));
    }
    if let Some(path) = &args.obj {
        let time = args.times.first().copied().or(recording.times().last().copied()).unwrap_or(0.0);
        reports.push(obj::write(&recording, time, &view, path, &mut progress));
    }
    for report in reports {
        let report = report?;
        for note in &report.notes {
            output::note(format!("huygens: note: {note}"));
        }
        if let Some(file) = report.files.first() {
            say(file.display(), report.files.len(), report.bytes);
        }
    }
    html(args, &recording, &bar)?;
    bar.finish_and_clear();
    Ok(())
}

fn say(file: impl std::fmt::Display, files: usize, bytes: u64) {
    let more = if files > 1 { format!(" and {} more files", files - 1) } else { String::new() };
    output::line(format_args!("{file}{more}, {:.1} MB", bytes as f64 / 1e6));
}

fn html(args: &ExportArgs, recording: &Recording, bar: &ProgressBar) -> Result<(), CliError> {
    let Some(path) = &args.html else { return Ok(()) };
    let limit_bytes = args.html_limit_mb << 20;
    let options = HtmlOptions { from: args.from, to: args.to, stride: args.every.max(1), limit_bytes };
    let written = export_html(recording, path, &options, &mut |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        ControlFlow::Continue(())
    })?;
    say(path.display(), 1, written.bytes);
    Ok(())
}
