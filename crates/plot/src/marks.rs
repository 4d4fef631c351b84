//! The list of marks a plot becomes, in pixels, before it is written as SVG or painted as PNG.

use crate::font::Weight;
use crate::theme::Color;

/// A point on the picture [px], y downwards.
pub(crate) type Point = [f64; 2];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ink {
    pub color: Color,
    pub opacity: f64,
}

impl From<Color> for Ink {
    fn from(color: Color) -> Self {
        Self { color, opacity: 1.0 }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pen {
    pub ink: Ink,
    pub width: f64,
    pub dash: &'static [f32],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label {
    pub at: Point,
    pub text: String,
    pub size: f64,
    pub weight: Weight,
    pub anchor: Anchor,
    pub ink: Ink,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    /// Open lines drawn with one pen.
    Lines(Vec<Vec<Point>>, Pen),
    Polygon(Vec<Point>, Option<Ink>, Option<Pen>),
    Discs(Vec<Point>, f64, Ink, Option<Pen>),
    Rect(Rect, Ink),
    Label(Label),
    /// Marks up to the matching `Unclip` show only inside the rectangle.
    Clip(Rect),
    Unclip,
}

/// A finished picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    pub width: f64,
    pub height: f64,
    pub title: String,
    pub marks: Vec<Mark>,
}
