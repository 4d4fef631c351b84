//! `huygens plot`: pictures of time series.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use huygens_record::{Panel, Plot, Series, Theme};

use crate::error::CliError;
use crate::output;

/// Options of `huygens plot`.
#[derive(Args, Debug)]
pub struct PlotArgs {
    /// A CSV file, or the folder of a run (its probes.csv is drawn).
    source: PathBuf,
    /// Columns to draw, separated by commas; all of them if absent.
    #[arg(long, value_delimiter = ',')]
    columns: Vec<String>,
    /// Column along the horizontal axis; the first one if absent.
    #[arg(long)]
    x: Option<String>,
    /// File to write; beside the CSV file if absent.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Form of the picture; told by the ending of --out if absent.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Title; the name of the file if absent.
    #[arg(long)]
    title: Option<String>,
    /// Light ink on a dark ground.
    #[arg(long)]
    dark: bool,
    /// Equal scales on both axes, as for paths.
    #[arg(long)]
    equal: bool,
}

/// Forms of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Svg,
    Png,
}

/// Draws what is asked for.
pub fn plot(args: &PlotArgs) -> Result<(), CliError> {
    let csv = csv_file(&args.source)?;
    let series = Series::read(&csv)?;
    let title = args.title.clone().unwrap_or_else(|| title_of(&csv));
    let all = || series.columns().iter().skip(1).map(|c| c.name.clone()).collect();
    let columns: Vec<String> = if args.columns.is_empty() { all() } else { args.columns.clone() };
    let names: Vec<&str> =
        columns.iter().map(|c| c.trim()).filter(|c| Some(*c) != args.x.as_deref()).collect();
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
    let out = args.out.clone().unwrap_or_else(|| csv.with_extension(ending));
    match format {
        Format::Svg => drawing.write_svg(&out)?,
        Format::Png => drawing.write_png(&out)?,
    }
    output::line(out.display());
    Ok(())
}

/// The CSV file meant by a path: itself, or the probes of the run in a folder.
fn csv_file(source: &Path) -> Result<PathBuf, CliError> {
    if !source.is_dir() {
        return Ok(source.to_path_buf());
    }
    let probes = source.join("probes.csv");
    if probes.is_file() {
        return Ok(probes);
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(source)
        .map_err(|e| CliError::read(source, e))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "csv") && !p.ends_with("equilibrium.csv"))
        .collect();
    found.sort();
    match &found[..] {
        [only] => Ok(only.clone()),
        [] => Err(CliError::Usage {
            message: format!("there is no time series in '{}'", source.display()),
            help: "give the scene [[probes]] and run it to its end".into(),
        }),
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
