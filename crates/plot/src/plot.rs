//! A plot: panels under a title, drawn as SVG and PNG.

use std::path::Path;

use huygens_record::{Column, Series, write_atomic};

use crate::error::{PlotError, PlotFault};
use crate::font::Fonts;
use crate::marks::Picture;
use crate::panel::Panel;
use crate::theme::Theme;
use crate::{layout, raster, svg};

/// Longest side of a picture [px], after scaling.
const SIDE_LIMIT: f64 = 20_000.0;

/// One or more panels, stacked, under a title.
#[derive(Debug, Clone)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) theme: Theme,
    pub(crate) width: f64,
    pixel_scale: f64,
    pub(crate) panels: Vec<Panel>,
}

impl Plot {
    /// An empty plot; the title may be empty.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: String::new(),
            theme: Theme::Light,
            width: 960.0,
            pixel_scale: 2.0,
            panels: Vec::new(),
        }
    }

    /// A plot of columns of a series over its first column, one panel for each unit, in the order
    /// the units first appear.
    pub fn of_series(title: impl Into<String>, series: &Series, columns: &[&str]) -> Result<Self, PlotError> {
        let x_label = series.columns().first().map(Column::to_string);
        let x_label = x_label.unwrap_or_default();
        let mut groups: Vec<(&str, Vec<Trace<'_>>)> = Vec::new();
        for name in columns {
            let (column, values) = series.column(name)?;
            match groups.iter_mut().find(|(unit, _)| *unit == column.unit) {
                Some((_, group)) => group.push((column, values)),
                None => groups.push((&column.unit, vec![(column, values)])),
            }
        }
        let mut plot = Self::new(title);
        for (unit, group) in groups {
            let (quantity, labels) = common_quantity(&group);
            let y_label = Column::new(quantity, unit).to_string();
            let mut panel = Panel::new(&x_label, y_label.trim());
            for (label, (_, values)) in labels.iter().zip(&group) {
                panel = panel.line(label, series.first(), values);
            }
            plot = plot.panel(panel);
        }
        Ok(plot)
    }

    /// A smaller line under the title.
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// The look; light unless told.
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// Width of the picture [px]; 960 unless told. The height follows from the panels.
    pub fn width(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// PNG pixels for each picture pixel; 2 unless told.
    pub fn pixel_scale(mut self, scale: f64) -> Self {
        self.pixel_scale = scale;
        self
    }

    /// Adds a panel below those there are.
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The plot as an SVG document.
    pub fn svg(&self) -> Result<String, PlotError> {
        let (picture, fonts) = self.picture()?;
        Ok(svg::svg(&picture, &fonts))
    }

    /// The plot as the bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        if !(0.1..=16.0).contains(&self.pixel_scale) {
            return Err(self.error(PlotFault::PixelScale { scale: self.pixel_scale }));
        }
        let (picture, fonts) = self.picture()?;
        let side = picture.width.max(picture.height) * self.pixel_scale;
        if side > SIDE_LIMIT {
            return Err(self.error(PlotFault::TooLarge { side }));
        }
        raster::png(&picture, &fonts, self.pixel_scale).ok_or_else(|| self.error(PlotFault::Encoding))
    }

    /// Writes the plot as SVG, atomically.
    pub fn write_svg(&self, path: &Path) -> Result<(), PlotError> {
        let text = self.svg()?;
        Ok(write_atomic(path, |out| out.write_all(text.as_bytes()))?)
    }

    /// Writes the plot as PNG, atomically.
    pub fn write_png(&self, path: &Path) -> Result<(), PlotError> {
        let bytes = self.png()?;
        Ok(write_atomic(path, |out| out.write_all(&bytes))?)
    }

    fn picture(&self) -> Result<(Picture, Fonts), PlotError> {
        if self.panels.is_empty() {
            return Err(self.error(PlotFault::NoPanel));
        }
        if !(200.0..=10_000.0).contains(&self.width) {
            return Err(self.error(PlotFault::Width { width: self.width }));
        }
        if let Some(fault) = self.panels.iter().find_map(Panel::fault) {
            return Err(self.error(fault));
        }
        let fonts = Fonts::load().ok_or_else(|| self.error(PlotFault::Typeface))?;
        let picture = layout::picture(self, &fonts);
        Ok((picture, fonts))
    }

    fn error(&self, fault: PlotFault) -> PlotError {
        PlotError::Drawing { title: self.title.clone(), fault }
    }
}

/// A column of a series with its values.
type Trace<'a> = (&'a Column, &'a [f64]);

/// The quantity a group of columns shares and what is left of each name.
///
/// `crank.angle`, `rod.angle` share `angle`; a single column is its own quantity.
fn common_quantity(group: &[Trace<'_>]) -> (String, Vec<String>) {
    let names: Vec<&str> = group.iter().map(|(column, _)| column.name.as_str()).collect();
    if let [only] = names[..] {
        return (only.to_owned(), vec![String::new()]);
    }
    let split: Vec<(&str, &str)> = names.iter().filter_map(|n| n.rsplit_once('.')).collect();
    let shared = split.first().map(|(_, quantity)| *quantity);
    match shared {
        Some(quantity) if split.len() == names.len() && split.iter().all(|s| s.1 == quantity) => {
            let labels = split.iter().map(|(owner, _)| (*owner).to_owned());
            (quantity.to_owned(), labels.collect())
        }
        _ => (String::new(), names.iter().map(|n| (*n).to_owned()).collect()),
    }
}
