//! Text and plain figures painted over the pixels of a picture.

use crate::axis::{Axis, Scale};
use crate::font::{Fonts, Weight};
use crate::marks::{Anchor, Ink, Label, Mark, Pen, Rect};
use crate::raster::paint_over;
use crate::theme::Color;

/// Which point of a line of text is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAlign {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// Marks to be painted over a picture, in the order they were added; lengths in pixels, y downwards.
pub struct Overlay {
    fonts: Fonts,
    marks: Vec<Mark>,
}

impl Overlay {
    /// An empty overlay; `None` only if the embedded typeface were damaged.
    pub fn new() -> Option<Self> {
        Some(Self { fonts: Fonts::load()?, marks: Vec::new() })
    }

    /// Width of a line of text [px] at a size [px].
    pub fn text_width(&self, text: &str, size: f64) -> f64 {
        self.fonts.width(text, size, Weight::Regular)
    }

    /// Adds a line of text whose baseline passes through `at`.
    pub fn text(
        &mut self,
        at: [f64; 2],
        text: impl Into<String>,
        size: f64,
        align: TextAlign,
        color: Color,
        opacity: f64,
    ) {
        let anchor = match align {
            TextAlign::Start => Anchor::Start,
            TextAlign::Middle => Anchor::Middle,
            TextAlign::End => Anchor::End,
        };
        let ink = Ink { color, opacity };
        let text = text.into();
        self.marks.push(Mark::Label(Label { at, text, size, weight: Weight::Regular, anchor, ink }));
    }

    /// Adds a filled rectangle with its corner of least coordinates at `at`.
    pub fn rect(&mut self, at: [f64; 2], size: [f64; 2], color: Color, opacity: f64) {
        let area = Rect { x: at[0], y: at[1], width: size[0], height: size[1] };
        self.marks.push(Mark::Rect(area, Ink { color, opacity }));
    }

    /// Adds a line through points.
    pub fn line(&mut self, points: &[[f64; 2]], width: f64, color: Color, opacity: f64) {
        let pen = Pen { ink: Ink { color, opacity }, width, dash: &[] };
        self.marks.push(Mark::Lines(vec![points.to_vec()], pen));
    }

    /// Paints the marks over opaque RGBA pixels, row by row from the top; `false` (and nothing is painted) if their
    /// number does not fit the size.
    pub fn paint(&self, pixels: &mut [u8], width: u32, height: u32) -> bool {
        paint_over(&self.marks, &self.fonts, pixels, width, height).is_some()
    }
}

/// Round values of a linear scale from `low` to `high`, about `count` of them, with their labels; the second value is
/// the power of ten taken out of the labels.
pub fn ticks(low: f64, high: f64, count: usize) -> (Vec<(f64, String)>, i32) {
    let (ticks, exponent) = Axis::covering(Scale::Linear, Some((low, high)), 0.0).ticks(count);
    (ticks.into_iter().map(|tick| (tick.value, tick.label)).collect(), exponent)
}
