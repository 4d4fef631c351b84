//! What is written when a run has ended: plots, equilibrium, modes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use huygens_core::analysis::{LoadPathReport, StaticsReport};
use huygens_plot::{Plot, PlotError};
use huygens_record::{Column, Series, SeriesWriter, write_atomic};
use serde_json::json;

use super::RunError;
use crate::spec::ModesSpec;
use crate::world::World;

/// Columns of one unit that a plot can show and still be read.
const COLUMNS_PER_PANEL: usize = 8;

/// A plot of each time series next to its file.
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
fn series_plot(title: &str, series: &Series) -> Result<Option<Plot>, PlotError> {
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

/// How an equilibrium was found.
pub(super) struct Balance {
    iterations: usize,
    residual: f64,
    stable: Option<bool>,
    load_factor: f64,
}

impl From<StaticsReport> for Balance {
    fn from(r: StaticsReport) -> Self {
        Self { iterations: r.iterations, residual: r.residual, stable: Some(r.stable), load_factor: 1.0 }
    }
}

impl From<LoadPathReport> for Balance {
    fn from(r: LoadPathReport) -> Self {
        Self { iterations: r.iterations, residual: r.residual, stable: None, load_factor: r.factor }
    }
}

/// The probes along a load path.
pub(super) struct PathFile {
    writer: SeriesWriter,
    row: Vec<f64>,
}

impl PathFile {
    pub fn create(world: &World, folder: &Path) -> Result<Self, RunError> {
        let mut header = vec![Column::new("step", ""), Column::new("load_factor", "")];
        header.extend(world.probe_columns()?.iter().map(|c| Column::new(&c.name, c.unit)));
        let writer = SeriesWriter::create(&folder.join("load_path.csv"), &header)?;
        Ok(Self { writer, row: Vec::new() })
    }

    pub fn row(&mut self, world: &mut World, factor: f64) -> Result<(), RunError> {
        let step = self.row.first().map_or(1.0, |s| s + 1.0);
        self.row.clear();
        self.row.extend([step, factor]);
        world.probe_row(&mut self.row)?;
        Ok(self.writer.row(&self.row)?)
    }

    pub fn finish(self, title: &str) -> Result<(), RunError> {
        let path = self.writer.finish()?;
        plots(title, &[path])
    }
}

/// Writes the poses of all bodies and the nodes of all structures at an equilibrium as CSV and JSON.
pub(super) fn statics(world: &mut World, folder: &Path, balance: &Balance) -> Result<(), RunError> {
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
    let mut text = json!({
        "iterations": balance.iterations,
        "residual": balance.residual,
        "load_factor": balance.load_factor,
        "bodies": bodies,
    });
    if let Some(stable) = balance.stable {
        text["stable"] = stable.into();
    }
    write_atomic(&folder.join("equilibrium.csv"), |out| out.write_all(table.as_bytes()))?;
    write_atomic(&folder.join("equilibrium.json"), |out| writeln!(out, "{text:#}"))?;
    nodes(world, folder)
}

/// Writes position and displacement of every node of every structure.
fn nodes(world: &World, folder: &Path) -> Result<(), RunError> {
    if world.structures().next().is_none() {
        return Ok(());
    }
    let mut table = String::from("structure,node,x [m],y [m],z [m],ux [m],uy [m],uz [m]\n");
    for (id, spec) in world.structures() {
        let made = world.structure_model(id)?;
        let name = spec.name.replace('"', "\"\"");
        for (n, motion) in world.node_motions(id)?.iter().enumerate() {
            let label = made.labels.nodes.get(n).copied().unwrap_or(n as u64);
            let [p, u] = [motion.position, motion.position - made.nodes[n].position];
            let numbers: Vec<String> =
                p.to_array().iter().chain(&u.to_array()).map(|x| format!("{x:?}")).collect();
            let _ = writeln!(table, "\"{name}\",{label},{}", numbers.join(","));
        }
    }
    write_atomic(&folder.join("nodes.csv"), |out| out.write_all(table.as_bytes()))?;
    Ok(())
}

/// Which undamped modes are wanted; none where all motions of a mechanism are, with their damping.
fn undamped(world: &World) -> Option<ModesSpec> {
    let wanted = world.settings().modes;
    (wanted.is_some() || world.structures().next().is_some()).then(|| wanted.unwrap_or_default())
}

/// Computes the small motions and drops them.
pub(super) fn check_modes(world: &mut World) -> Result<(), RunError> {
    match undamped(world) {
        Some(wanted) => world.natural_modes(wanted).map(drop)?,
        None => world.modes().map(drop)?,
    }
    Ok(())
}

/// Writes frequencies and damping of the small motions about an equilibrium; of structures the slowest few.
pub(super) fn modes(world: &mut World, folder: &Path) -> Result<(), RunError> {
    let columns = [
        Column::new("mode", ""),
        Column::new("frequency", "Hz"),
        Column::new("damping_ratio", ""),
        Column::new("eigenvalue.real", "1/s"),
        Column::new("eigenvalue.imaginary", "1/s"),
    ];
    let mut writer = SeriesWriter::create(&folder.join("modes.csv"), &columns)?;
    if let Some(wanted) = undamped(world) {
        let modes = world.natural_modes(wanted)?;
        for (i, square) in modes.squares.iter().enumerate() {
            let (real, imaginary) = ((-square).max(0.0).sqrt(), square.max(0.0).sqrt());
            writer.row(&[i as f64 + 1.0, modes.frequency_hz[i], 0.0, real, imaginary])?;
        }
    } else {
        let modes = world.modes()?;
        for (i, s) in modes.eigenvalues.iter().enumerate() {
            writer.row(&[i as f64 + 1.0, modes.frequency_hz[i], modes.damping_ratio[i], s.re, s.im])?;
        }
    }
    writer.finish()?;
    Ok(())
}

/// Writes the factors of gravity and loads at which the world buckles.
pub(super) fn buckling(world: &mut World, folder: &Path) -> Result<(), RunError> {
    let count = world.settings().modes.unwrap_or_default().count;
    let modes = world.buckling(count)?;
    let columns = [Column::new("mode", ""), Column::new("load_factor", "")];
    let mut writer = SeriesWriter::create(&folder.join("buckling.csv"), &columns)?;
    for (i, factor) in modes.factors.iter().enumerate() {
        writer.row(&[i as f64 + 1.0, *factor])?;
    }
    writer.finish()?;
    Ok(())
}
