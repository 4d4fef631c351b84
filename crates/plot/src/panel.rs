//! What a panel shows.

use crate::axis::{Axis, Scale};
use crate::error::PlotFault;
use crate::theme::Color;

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
}

impl Dash {
    /// Lengths on and off, in line widths.
    pub(crate) fn pattern(self) -> &'static [f32] {
        match self {
            Dash::Solid => &[],
            Dash::Dashed => &[4.5, 2.5],
            Dash::Dotted => &[1.2, 1.8],
        }
    }
}

/// Colour and weight of an item; what is not set is chosen automatically.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Style {
    /// Colour; the next of the theme's series colours unless set.
    pub color: Option<Color>,
    /// Line width [px].
    pub width: Option<f64>,
    /// 0 invisible, 1 solid.
    pub opacity: Option<f64>,
    /// How lines are broken.
    pub dash: Option<Dash>,
    /// Radius of point marks [px].
    pub radius: Option<f64>,
    /// Outline of filled shapes, if any.
    pub outline: Option<Color>,
}

impl Style {
    /// Sets the colour.
    pub fn color(mut self, color: Color) -> Self {
        self.color = Some(color);
        self
    }

    /// Sets the line width [px].
    pub fn width(mut self, width: f64) -> Self {
        self.width = Some(width);
        self
    }

    /// Sets the opacity: 0 invisible, 1 solid.
    pub fn opacity(mut self, opacity: f64) -> Self {
        self.opacity = Some(opacity);
        self
    }

    /// Sets how lines are broken.
    pub fn dash(mut self, dash: Dash) -> Self {
        self.dash = Some(dash);
        self
    }

    /// Sets the radius of point marks [px].
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = Some(radius);
        self
    }

    /// Gives filled shapes an outline.
    pub fn outline(mut self, color: Color) -> Self {
        self.outline = Some(color);
        self
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Line(Vec<[f64; 2]>),
    Points(Vec<[f64; 2]>),
    Segments(Vec<[[f64; 2]; 2]>),
    Polygon(Vec<[f64; 2]>),
    /// Centres and a radius in data units.
    Discs(Vec<[f64; 2]>, f64),
    Text([f64; 2], String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub label: String,
    pub shape: Shape,
    pub style: Style,
    /// Place in the automatic sequence of colours.
    pub turn: usize,
}

/// One pair of axes with what is drawn in it, items later added on top.
#[derive(Debug, Clone)]
pub struct Panel {
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) x_scale: Scale,
    pub(crate) y_scale: Scale,
    pub(crate) x_range: Option<(f64, f64)>,
    pub(crate) y_range: Option<(f64, f64)>,
    pub(crate) equal_aspect: bool,
    pub(crate) height: Option<f64>,
    pub(crate) items: Vec<Item>,
    fault: Option<PlotFault>,
}

impl Panel {
    /// An empty panel; labels carry their units, e.g. `time [s]`.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self {
            x_label: x_label.into(),
            y_label: y_label.into(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            x_range: None,
            y_range: None,
            equal_aspect: false,
            height: None,
            items: Vec::new(),
            fault: None,
        }
    }

    /// Adds a line through (x, y) with a name for the legend (empty: none); it breaks at NaN.
    pub fn line(self, label: &str, x: &[f64], y: &[f64]) -> Self {
        self.line_styled(label, x, y, Style::default())
    }

    /// [`Panel::line`] with a style.
    pub fn line_styled(mut self, label: &str, x: &[f64], y: &[f64], style: Style) -> Self {
        let points = self.pairs(label, x, y);
        self.add(label, Shape::Line(points), style)
    }

    /// Adds a line through points given as pairs, e.g. a link of a mechanism.
    pub fn polyline(self, label: &str, points: &[[f64; 2]], style: Style) -> Self {
        self.add(label, Shape::Line(points.to_vec()), style)
    }

    /// Adds round marks of a fixed size on the picture.
    pub fn points(self, label: &str, points: &[[f64; 2]], style: Style) -> Self {
        self.add(label, Shape::Points(points.to_vec()), style)
    }

    /// Adds unconnected straight pieces.
    pub fn segments(self, label: &str, segments: &[[[f64; 2]; 2]], style: Style) -> Self {
        self.add(label, Shape::Segments(segments.to_vec()), style)
    }

    /// Adds a filled polygon.
    pub fn polygon(self, label: &str, corners: &[[f64; 2]], style: Style) -> Self {
        self.add(label, Shape::Polygon(corners.to_vec()), style)
    }

    /// Adds filled circles whose radius is in data units, along x.
    pub fn discs(self, label: &str, centres: &[[f64; 2]], radius: f64, style: Style) -> Self {
        self.add(label, Shape::Discs(centres.to_vec(), radius), style)
    }

    /// Adds a word at a point, a little above and to the right of it.
    pub fn text(self, at: [f64; 2], text: impl Into<String>, style: Style) -> Self {
        self.add("", Shape::Text(at, text.into()), style)
    }

    /// One unit is equally long on both axes, as for trajectories and mechanisms.
    pub fn equal_aspect(mut self) -> Self {
        self.equal_aspect = true;
        self
    }

    /// Logarithmic x axis; values that are not positive are left out.
    pub fn x_log(mut self) -> Self {
        self.x_scale = Scale::Log;
        self
    }

    /// Logarithmic y axis; values that are not positive are left out.
    pub fn y_log(mut self) -> Self {
        self.y_scale = Scale::Log;
        self
    }

    /// Fixes the ends of the x axis.
    pub fn x_range(mut self, low: f64, high: f64) -> Self {
        self.x_range = Some((low, high));
        self
    }

    /// Fixes the ends of the y axis.
    pub fn y_range(mut self, low: f64, high: f64) -> Self {
        self.y_range = Some((low, high));
        self
    }

    /// Height of the area between the axes [px]; chosen automatically unless set.
    pub fn height(mut self, height: f64) -> Self {
        self.height = Some(height);
        self
    }

    fn add(mut self, label: &str, shape: Shape, style: Style) -> Self {
        let taken = self.items.iter().filter(|item| item.style.color.is_none());
        let turn = taken.filter(|item| !matches!(item.shape, Shape::Text(..))).count();
        self.items.push(Item { label: label.to_owned(), shape, style, turn });
        self
    }

    fn pairs(&mut self, label: &str, x: &[f64], y: &[f64]) -> Vec<[f64; 2]> {
        if x.len() != y.len() {
            let (x_count, y_count) = (x.len(), y.len());
            self.fault = Some(PlotFault::LineLengths { label: label.to_owned(), x_count, y_count });
        }
        x.iter().zip(y).map(|(x, y)| [*x, *y]).collect()
    }

    /// Whether marks of a fixed size are among the items.
    pub(crate) fn has_marks(&self) -> bool {
        let mut items = self.items.iter();
        items.any(|item| matches!(item.shape, Shape::Points(_)))
    }

    /// What makes the panel impossible to draw, if anything.
    pub(crate) fn fault(&self) -> Option<PlotFault> {
        let ranges = [("x", self.x_range, self.x_scale), ("y", self.y_range, self.y_scale)];
        for (axis, range, scale) in ranges {
            if let Some((low, high)) = range {
                let admitted = Axis::admits(scale, low) && Axis::admits(scale, high);
                if !admitted || low >= high {
                    return Some(PlotFault::Range { axis, low, high });
                }
            }
        }
        if let Some(height) = self.height.filter(|h| !(20.0..=10_000.0).contains(h)) {
            return Some(PlotFault::PanelHeight { height });
        }
        if self.equal_aspect && (self.x_scale, self.y_scale) != (Scale::Linear, Scale::Linear) {
            return Some(PlotFault::EqualAspect);
        }
        self.fault.clone()
    }

    /// Ends of the data along one axis (0: x, 1: y), counting only points the panel can show.
    pub(crate) fn extent(&self, axis: usize) -> Option<(f64, f64)> {
        let mut extent: Option<(f64, f64)> = None;
        let mut cover = |point: &[f64; 2], reach: f64| {
            if Axis::admits(self.x_scale, point[0]) && Axis::admits(self.y_scale, point[1]) {
                let (low, high) = extent.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
                let value = point[axis];
                extent = Some((low.min(value - reach), high.max(value + reach)));
            }
        };
        for item in &self.items {
            match &item.shape {
                Shape::Line(points) | Shape::Points(points) | Shape::Polygon(points) => {
                    points.iter().for_each(|point| cover(point, 0.0));
                }
                Shape::Segments(segments) => {
                    segments.iter().flatten().for_each(|point| cover(point, 0.0));
                }
                Shape::Discs(centres, radius) => {
                    let linear = self.x_scale == Scale::Linear && self.y_scale == Scale::Linear;
                    let reach = if linear && radius.is_finite() { radius.abs() } else { 0.0 };
                    centres.iter().for_each(|point| cover(point, reach));
                }
                Shape::Text(at, _) => cover(at, 0.0),
            }
        }
        extent
    }
}
