//! Text as glyph outlines of an embedded typeface, so that a picture needs no fonts installed and
//! looks the same everywhere.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::draw::Anchor;

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
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Fonts {
    /// `None` only if the embedded files were not fonts.
    pub fn load() -> Option<Self> {
        Some(Self {
            regular: Face::parse(dejavu::sans_condensed::regular(), 0).ok()?,
            bold: Face::parse(dejavu::sans_condensed::bold(), 0).ok()?,
        })
    }

    fn face(&self, weight: Weight) -> &Face<'static> {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// Font units in one em.
    pub fn units_per_em(&self, weight: Weight) -> f64 {
        f64::from(self.face(weight).units_per_em())
    }

    /// Glyphs of a line of text and its whole width [em].
    pub fn lay_out(&self, text: &str, weight: Weight) -> (Vec<Placed>, f64) {
        let face = self.face(weight);
        let em = f64::from(face.units_per_em());
        let mut placed = Vec::new();
        let mut offset = 0.0;
        let mut previous = None;
        for character in text.chars() {
            let glyph = face.glyph_index(character).unwrap_or(GlyphId(0));
            if let Some(previous) = previous {
                offset += f64::from(kerning(face, previous, glyph)) / em;
            }
            placed.push(Placed { glyph: glyph.0, offset });
            offset += f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / em;
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
        let mut outline = Outline(Vec::new());
        self.face(weight).outline_glyph(GlyphId(glyph), &mut outline);
        outline.0
    }
}

fn kerning(face: &Face<'static>, left: GlyphId, right: GlyphId) -> i16 {
    let Some(kern) = face.tables().kern else {
        return 0;
    };
    let horizontal = kern.subtables.into_iter().filter(|t| t.horizontal);
    let mut pairs = horizontal.filter_map(|table| table.glyphs_kerning(left, right));
    pairs.next().unwrap_or(0)
}

struct Outline(Vec<Stroke>);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.push(Stroke::Move([x, y]));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.push(Stroke::Line([x, y]));
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.push(Stroke::Quad([x1, y1], [x, y]));
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.push(Stroke::Cubic([x1, y1], [x2, y2], [x, y]));
    }
    fn close(&mut self) {
        self.0.push(Stroke::Close);
    }
}
