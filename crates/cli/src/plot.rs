//! `huygens plot`: pictures of time series.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use huygens::run::RECORDING;
use huygens_plot::{Panel, Plot, Theme};
use huygens_record::{Recording, Series};

use crate::error::CliError;
use crate::{output, render};

/// Scalars of a recording that add up to its energy.
const ENERGIES: [&str; 3] = ["kinetic energy", "potential energy", "elastic energy"];
const TOTAL_ENERGY: &str = "total energy";

/// Options of `huygens plot`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
WHAT IS DRAWN
  Of a folder: its probes.csv; the energies where there are no probes. Columns that probes.csv does not have are looked
  for in the recording, which holds energies, the number of contacts and all probes.

EXAMPLES
  huygens plot runs/02_slider_crank
  huygens plot runs/09_brick_wall --energy --out energy.png
  huygens plot runs/09_brick_wall --columns contacts,'kinetic energy'
  huygens plot runs/03_four_bar --x coupler/pen.position.x --columns coupler/pen.position.z --equal")]
pub struct PlotArgs {
    /// Folder of a run, its recording, or a CSV file.
    source: PathBuf,
    /// Plot kinetic, potential, elastic and total energy.
    #[arg(long, conflicts_with = "columns")]
    energy: bool,
    /// Columns to plot, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Column for the horizontal axis [default: the first].
    #[arg(long)]
    x: Option<String>,
    /// File to write [default: next to the data].
    #[arg(long)]
    out: Option<PathBuf>,
    /// Image format [default: from the extension of --out].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Title [default: the name of the file].
    #[arg(long)]
    title: Option<String>,
    /// Dark background.
    #[arg(long)]
    dark: bool,
    /// Equal scales on both axes, for trajectories.
    #[arg(long)]
    equal: bool,
}

/// Forms of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Svg,
    Png,
}

/// Draws the requested plot.
pub fn plot(args: &PlotArgs) -> Result<(), CliError> {
    let Drawn { series, columns, title, beside } = drawn(args)?;
    let names: Vec<&str> =
        columns.iter().map(|c| c.trim()).filter(|c| Some(*c) != args.x.as_deref()).collect();
    let title = args.title.clone().unwrap_or(title);
    let drawing = match &args.x {
        None if !args.equal => Plot::of_series(title, &series, &names)?,
        _ => against(title, &series, args.x.as_deref(), &names, args.equal)?,
    };
    let drawing = drawing.theme(if args.dark { Theme::Dark } else { Theme::Light });
    let format = args.format.unwrap_or_else(|| match args.out.as_deref().and_then(Path::extension) {
        Some(e) if e.eq_ignore_ascii_case("png") => Format::Png,
        _ => Format::Svg,
    });
    let ending = if format == Format::Png { "png" } else { "svg" };
    let out = args.out.clone().unwrap_or_else(|| beside.with_extension(ending));
    match format {
        Format::Svg => drawing.write_svg(&out)?,
        Format::Png => drawing.write_png(&out)?,
    }
    output::line(out.display());
    Ok(())
}

/// What a plot shows, and its default destination.
struct Drawn {
    series: Series,
    columns: Vec<String>,
    title: String,
    beside: PathBuf,
}

fn drawn(args: &PlotArgs) -> Result<Drawn, CliError> {
    let source = &args.source;
    let is_recording = source.extension().is_some_and(|e| e.eq_ignore_ascii_case("hrec"));
    let recorded = || source.is_dir() && source.join(RECORDING).is_file();
    if args.energy || is_recording {
        return of_recording(args, &render::open(source)?);
    }
    let csv = match csv_file(source)? {
        Some(csv) => csv,
        None if recorded() => return of_recording(args, &render::open(source)?),
        None => {
            return Err(CliError::Usage {
                message: format!("there is no time series in '{}'", source.display()),
                help: "add [[probes]] to the scene and run it to its end".into(),
            });
        }
    };
    let series = Series::read(&csv)?;
    let missing = args.columns.iter().chain(&args.x).any(|c| series.column(c.trim()).is_err());
    if missing && recorded() {
        return of_recording(args, &render::open(source)?);
    }
    let all = || series.columns().iter().skip(1).map(|c| c.name.clone()).collect();
    let columns = if args.columns.is_empty() { all() } else { args.columns.clone() };
    Ok(Drawn { columns, title: title_of(&csv), beside: csv, series })
}

/// Scalars of a recording: the requested ones; by default, of a folder the energies, of a file all.
fn of_recording(args: &PlotArgs, recording: &Recording) -> Result<Drawn, CliError> {
    let mut series = Series::of_scalars(recording);
    let energies = args.energy || (args.columns.is_empty() && args.source.is_dir());
    // A recording of another program may have no energies, which is told where they are asked for.
    if energies || ENERGIES.iter().all(|name| series.column(name).is_ok()) {
        series.add_sum(TOTAL_ENERGY, &ENERGIES)?;
    }
    let columns = if energies {
        ENERGIES.iter().chain(&[TOTAL_ENERGY]).map(|name| (*name).to_owned()).collect()
    } else if args.columns.is_empty() {
        series.columns().iter().skip(1).map(|c| c.name.clone()).collect()
    } else {
        args.columns.clone()
    };
    let name = if energies { "energy" } else { "scalars" };
    Ok(Drawn {
        series,
        columns,
        title: recording.stage().name.clone(),
        beside: recording.path().with_file_name(name),
    })
}

/// The CSV file meant by a path: itself, or the probes of the run in a folder, if there are any.
fn csv_file(source: &Path) -> Result<Option<PathBuf>, CliError> {
    if !source.is_dir() {
        return Ok(Some(source.to_path_buf()));
    }
    let probes = source.join("probes.csv");
    if probes.is_file() {
        return Ok(Some(probes));
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(source)
        .map_err(|e| CliError::read(source, e))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "csv") && !p.ends_with("equilibrium.csv"))
        .collect();
    found.sort();
    match &found[..] {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        several => Err(CliError::Usage {
            message: format!("there are several time series in '{}'", source.display()),
            help: format!(
                "name one: {}",
                several.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ")
            ),
        }),
    }
}

fn title_of(csv: &Path) -> String {
    let stem = |p: &Path| p.file_stem().map(|s| s.to_string_lossy().into_owned());
    match (stem(csv), csv.parent().and_then(stem)) {
        (Some(file), Some(folder)) if file == "probes" => folder,
        (Some(file), _) => file,
        _ => String::new(),
    }
}

/// Columns over a column that is not the first one.
fn against(
    title: String,
    series: &Series,
    x: Option<&str>,
    names: &[&str],
    equal: bool,
) -> Result<Plot, CliError> {
    let (label, along) = match x {
        Some(name) => {
            let (column, values) = series.column(name)?;
            (column.to_string(), values)
        }
        None => (series.columns().first().map(ToString::to_string).unwrap_or_default(), series.first()),
    };
    let single = match names {
        [only] => series.column(only)?.0.to_string(),
        _ => String::new(),
    };
    let mut panel = Panel::new(label, &single);
    for name in names {
        let (column, values) = series.column(name)?;
        let legend = if names.len() == 1 { String::new() } else { column.to_string() };
        panel = panel.line(&legend, along, values);
    }
    Ok(Plot::new(title).panel(if equal { panel.equal_aspect() } else { panel }))
}
