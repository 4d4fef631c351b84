//! Text as glyph outlines of an embedded typeface, so that a picture needs no fonts installed and
//! looks the same everywhere.

use ttf_parser::{GlyphId, OutlineBuilder};

use crate::marks::Anchor;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// A piece of an outline in font units, y upwards.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stroke {
    Move([f32; 2]),
    Line([f32; 2]),
    Quad([f32; 2], [f32; 2]),
    Cubic([f32; 2], [f32; 2], [f32; 2]),
    Close,
}

/// A glyph of a laid-out text with its distance [em] from the start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub glyph: u16,
    pub offset: f64,
}

/// The two weights of the embedded typeface.
pub(crate) struct Fonts {
    regular: Face,
    bold: Face,
}

struct Face {
    font: ttf_parser::Face<'static>,
    units_per_em: f64,
}

impl Face {
    fn parse(bytes: &'static [u8]) -> Option<Self> {
        let font = ttf_parser::Face::parse(bytes, 0).ok()?;
        let units_per_em = f64::from(font.units_per_em());
        Some(Self { font, units_per_em })
    }
}

impl Fonts {
    /// `None` only if the embedded files were not fonts.
    pub fn load() -> Option<Self> {
        Some(Self {
            regular: Face::parse(dejavu::sans_condensed::regular())?,
            bold: Face::parse(dejavu::sans_condensed::bold())?,
        })
    }

    fn face(&self, weight: Weight) -> &Face {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// Font units in one em.
    pub fn units_per_em(&self, weight: Weight) -> f64 {
        self.face(weight).units_per_em
    }

    /// Glyphs of a line of text and its whole width [em].
    pub fn lay_out(&self, text: &str, weight: Weight) -> (Vec<Placed>, f64) {
        let face = self.face(weight);
        let em = face.units_per_em;
        let mut placed = Vec::new();
        let mut offset = 0.0;
        let mut previous = None;
        for character in text.chars() {
            let glyph = face.font.glyph_index(character).unwrap_or_default();
            if let Some(previous) = previous {
                offset += f64::from(kerning(&face.font, previous, glyph)) / em;
            }
            placed.push(Placed { glyph: glyph.0, offset });
            offset += f64::from(face.font.glyph_hor_advance(glyph).unwrap_or_default()) / em;
            previous = Some(glyph);
        }
        (placed, offset)
    }

    /// Width of a line of text [px] at a size [px].
    pub fn width(&self, text: &str, size: f64, weight: Weight) -> f64 {
        self.lay_out(text, weight).1 * size
    }

    /// Where a text of this width starts [px].
    pub fn start(x: f64, width: f64, anchor: Anchor) -> f64 {
        match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        }
    }

    /// Outline of a glyph in font units.
    pub fn outline(&self, glyph: u16, weight: Weight) -> Vec<Stroke> {
        let mut outline = Outline::default();
        // A glyph that cannot be drawn leaves a blank of its width.
        let _ = self.face(weight).font.outline_glyph(GlyphId(glyph), &mut outline);
        outline.strokes
    }
}

/// Correction of the distance between two glyphs [font units].
fn kerning(font: &ttf_parser::Face<'static>, left: GlyphId, right: GlyphId) -> i16 {
    let Some(table) = font.tables().kern else {
        return 0;
    };
    let mut tables = table.subtables.into_iter().filter(|table| table.horizontal && !table.has_state_machine);
    tables.find_map(|table| table.glyphs_kerning(left, right)).unwrap_or(0)
}

#[derive(Default)]
struct Outline {
    strokes: Vec<Stroke>,
    /// Where the current contour begins.
    start: [f32; 2],
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.start = [x, y];
        self.strokes.push(Stroke::Move([x, y]));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.strokes.push(Stroke::Line([x, y]));
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.strokes.push(Stroke::Quad([x1, y1], [x, y]));
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.strokes.push(Stroke::Cubic([x1, y1], [x2, y2], [x, y]));
    }
    fn close(&mut self) {
        // Closing draws the line back to the start.
        if matches!(self.strokes.last(), Some(Stroke::Line(end)) if *end == self.start) {
            self.strokes.pop();
        }
        self.strokes.push(Stroke::Close);
    }
}
