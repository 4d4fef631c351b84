//! Plots of results over their references.

use std::path::PathBuf;

use huygens_record::{Dash, Panel, Plot, Style};

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

impl Figures {
    /// Plots in a folder, which is made.
    pub fn into(folder: Option<PathBuf>) -> Result<Self> {
        if let Some(path) = &folder {
            std::fs::create_dir_all(path).map_err(|source| CaseError::File { path: path.clone(), source })?;
        }
        Ok(Self { folder })
    }

    /// Writes a plot with one panel for each comparison: the result as a line, the reference dashed on it.
    pub fn compare(&self, name: &str, x_label: &str, comparisons: &[Comparison<'_>]) -> Result<()> {
        let panels = comparisons.iter().map(|c| {
            Panel::new(x_label, c.label).height(150.0).line("Huygens", c.got.0, c.got.1).line_styled(
                "reference",
                c.reference.0,
                c.reference.1,
                Style::default().dash(Dash::Dashed),
            )
        });
        self.write(name, panels.collect())
    }

    /// Writes a plot of errors over step sizes, both logarithmic.
    pub fn convergence(&self, name: &str, lines: &[(String, Vec<f64>, Vec<f64>)]) -> Result<()> {
        let mut panel = Panel::new("step [s]", "error").x_log().y_log();
        for (label, steps, errors) in lines {
            panel = panel.line(label, steps, errors);
        }
        self.write(name, vec![panel])
    }

    fn write(&self, name: &str, panels: Vec<Panel>) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let plot = panels.into_iter().fold(Plot::new(name), Plot::panel);
        plot.write_svg(&folder.join(format!("{name}.svg")))?;
        plot.write_png(&folder.join(format!("{name}.png")))?;
        Ok(())
    }
}
