//! What is written when a run has ended: plots, equilibrium, modes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use huygens_record::{Column, Plot, RecordError, Series, SeriesWriter, write_atomic};
use serde_json::json;

use super::RunError;
use crate::world::World;

/// Columns of one unit that a plot can show and still be read.
const COLUMNS_PER_PANEL: usize = 8;

/// A plot of each time series beside its file.
pub(super) fn plots(title: &str, series: &[PathBuf]) -> Result<(), RunError> {
    for path in series {
        let read = Series::read(path)?;
        if read.row_count() > 1
            && let Some(plot) = series_plot(title, &read)?
        {
            plot.write_svg(&path.with_extension("svg"))?;
            plot.write_png(&path.with_extension("png"))?;
        }
    }
    Ok(())
}

/// The first columns of each unit over time.
fn series_plot(title: &str, series: &Series) -> Result<Option<Plot>, RecordError> {
    let mut shown: Vec<&Column> = Vec::new();
    for column in series.columns().iter().skip(1) {
        if shown.iter().filter(|c| c.unit == column.unit).count() < COLUMNS_PER_PANEL {
            shown.push(column);
        }
    }
    if shown.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> = shown.iter().map(|c| c.name.as_str()).collect();
    let plot = Plot::of_series(title, series, &names)?;
    let left_out = series.columns().len() - 1 - names.len();
    Ok(Some(match left_out {
        0 => plot,
        n => plot.subtitle(format!("{n} more columns are in the file")),
    }))
}

/// Finds the static equilibrium and writes the poses of all bodies as CSV and JSON.
pub(super) fn statics(world: &mut World, folder: &Path) -> Result<(), RunError> {
    let report = world.equilibrium()?;
    let count = world.bodies().len();
    let (mut positions, mut rotations) = (vec![0.0; 3 * count], vec![0.0; 4 * count]);
    world.body_motions(&mut positions, &mut rotations, &mut [], &mut [])?;
    let mut table = String::from("body,x [m],y [m],z [m],qw,qx,qy,qz\n");
    let mut bodies = Vec::new();
    for (i, (_, spec)) in world.bodies().iter().enumerate() {
        let (p, q) = (&positions[3 * i..3 * i + 3], &rotations[4 * i..4 * i + 4]);
        let numbers: Vec<String> = p.iter().chain(q).map(|x| format!("{x:?}")).collect();
        let _ = writeln!(table, "\"{}\",{}", spec.name.replace('"', "\"\""), numbers.join(","));
        bodies.push(json!({ "name": spec.name, "position": p, "rotation": q }));
    }
    let text = json!({
        "iterations": report.iterations,
        "residual": report.residual,
        "stable": report.stable,
        "bodies": bodies,
    });
    write_atomic(&folder.join("equilibrium.csv"), |out| out.write_all(table.as_bytes()))?;
    write_atomic(&folder.join("equilibrium.json"), |out| writeln!(out, "{text:#}"))?;
    Ok(())
}

/// Finds the equilibrium and writes frequencies and damping of the small motions about it.
pub(super) fn modes(world: &mut World, folder: &Path) -> Result<(), RunError> {
    statics(world, folder)?;
    let modes = world.modes()?;
    let columns = [
        Column::new("mode", ""),
        Column::new("frequency", "Hz"),
        Column::new("damping_ratio", ""),
        Column::new("eigenvalue.real", "1/s"),
        Column::new("eigenvalue.imaginary", "1/s"),
    ];
    let mut writer = SeriesWriter::create(&folder.join("modes.csv"), &columns)?;
    for (i, s) in modes.eigenvalues.iter().enumerate() {
        writer.row(&[i as f64 + 1.0, modes.frequency_hz[i], modes.damping_ratio[i], s.re, s.im])?;
    }
    writer.finish()?;
    Ok(())
}
