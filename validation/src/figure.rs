//! Plots of results over their references.

use std::path::PathBuf;

use huygens_plot::{Dash, Panel, Plot, Style};

use crate::error::{CaseError, Result};

/// Where plots go, if anywhere.
pub struct Figures {
    folder: Option<PathBuf>,
}

/// A result with its reference.
pub struct Comparison<'a> {
    /// What it is.
    pub label: &'a str,
    /// Result over time.
    pub got: (&'a [f64], &'a [f64]),
    /// Reference over time.
    pub reference: (&'a [f64], &'a [f64]),
}

impl<'a> Comparison<'a> {
    /// Result and reference at the same times.
    pub fn sampled(label: &'a str, time: &'a [f64], got: &'a [f64], reference: &'a [f64]) -> Self {
        Self { label, got: (time, got), reference: (time, reference) }
    }
}

/// References with fewer points than this are drawn as marks.
const FEW_POINTS: usize = 40;

/// Errors over step sizes.
pub struct Errors {
    /// What made them.
    pub label: String,
    /// Steps [s].
    pub steps: Vec<f64>,
    /// Errors.
    pub errors: Vec<f64>,
}

impl Figures {
    /// Plots in a folder, which is made.
    pub fn into(folder: Option<PathBuf>) -> Result<Self> {
        if let Some(path) = &folder {
            std::fs::create_dir_all(path).map_err(|source| CaseError::File { path: path.clone(), source })?;
        }
        Ok(Self { folder })
    }

    /// Writes a plot with one panel for each comparison: the result as a line, the reference on it as dashes, or as
    /// marks where it has few points.
    pub fn compare(&self, name: &str, x_label: &str, comparisons: &[Comparison<'_>]) -> Result<()> {
        let panels = comparisons.iter().map(|c| {
            let (x, y) = c.reference;
            let panel = Panel::new(x_label, c.label).height(150.0).line("Huygens", c.got.0, c.got.1);
            if x.len() < FEW_POINTS {
                let marks: Vec<[f64; 2]> = x.iter().zip(y).map(|(x, y)| [*x, *y]).collect();
                panel.points("reference", &marks, Style::default().radius(3.5))
            } else {
                panel.line_styled("reference", x, y, Style::default().dash(Dash::Dashed))
            }
        });
        self.write(name, panels.collect())
    }

    /// Writes a plot of errors over step sizes, both logarithmic, one panel for each quantity.
    pub fn convergence(&self, name: &str, quantities: &[(&str, Vec<Errors>)]) -> Result<()> {
        let panels = quantities.iter().map(|(quantity, lines)| {
            let panel = Panel::new("step [s]", *quantity).height(220.0).x_log().y_log();
            lines.iter().fold(panel, |panel, e| panel.line(&e.label, &e.steps, &e.errors))
        });
        self.write(name, panels.collect())
    }

    fn write(&self, name: &str, panels: Vec<Panel>) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let plot = panels.into_iter().fold(Plot::new(name), Plot::panel);
        plot.write_svg(&folder.join(format!("{name}.svg")))?;
        plot.write_png(&folder.join(format!("{name}.png")))?;
        Ok(())
    }
}
