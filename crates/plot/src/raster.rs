//! A picture as pixels, and as PNG.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Rect as SkRect, Stroke as SkStroke,
    StrokeDash, Transform,
};

use crate::font::{Fonts, Stroke};
use crate::marks::{Ink, Label, Mark, Pen, Picture, Point, Rect};

/// PNG bytes with `scale` image pixels for each picture pixel; `None` if the size is not possible.
pub(crate) fn png(picture: &Picture, fonts: &Fonts, scale: f64) -> Option<Vec<u8>> {
    let width = (picture.width * scale).round() as u32;
    let height = (picture.height * scale).round() as u32;
    let mut painter = Painter {
        pixmap: Pixmap::new(width, height)?,
        mask: None,
        transform: Transform::from_scale(scale as f32, scale as f32),
        fonts,
    };
    for mark in &picture.marks {
        painter.mark(mark);
    }
    painter.pixmap.encode_png().ok()
}

/// Paints marks over opaque RGBA pixels; `None` if their number does not fit the size.
pub(crate) fn paint_over(
    marks: &[Mark],
    fonts: &Fonts,
    pixels: &mut [u8],
    width: u32,
    height: u32,
) -> Option<()> {
    let mut pixmap = Pixmap::new(width, height)?;
    if pixels.len() != pixmap.data().len() {
        return None;
    }
    pixmap.data_mut().copy_from_slice(pixels);
    let mut painter = Painter { pixmap, mask: None, transform: Transform::identity(), fonts };
    for mark in marks {
        painter.mark(mark);
    }
    pixels.copy_from_slice(painter.pixmap.data());
    Some(())
}

struct Painter<'a> {
    pixmap: Pixmap,
    mask: Option<Mask>,
    transform: Transform,
    fonts: &'a Fonts,
}

impl Painter<'_> {
    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Lines(lines, pen) => {
                let mut path = PathBuilder::new();
                for line in lines {
                    trace(&mut path, line);
                }
                self.stroke(path.finish(), pen);
            }
            Mark::Polygon(points, fill, pen) => {
                let mut path = PathBuilder::new();
                trace(&mut path, points);
                path.close();
                let path = path.finish();
                if let Some(ink) = fill {
                    self.fill(path.clone(), *ink, self.transform);
                }
                if let Some(pen) = pen {
                    self.stroke(path, pen);
                }
            }
            Mark::Discs(centres, radius, ink, pen) => {
                for [x, y] in centres {
                    let path = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                    self.fill(path.clone(), *ink, self.transform);
                    if let Some(pen) = pen {
                        self.stroke(path, pen);
                    }
                }
            }
            Mark::Rect(area, ink) => {
                let path = sk_rect(area).map(PathBuilder::from_rect);
                self.fill(path, *ink, self.transform);
            }
            Mark::Label(label) => self.label(label),
            Mark::Clip(area) => self.clip(area),
            Mark::Unclip => self.mask = None,
        }
    }

    fn label(&mut self, label: &Label) {
        let em = self.fonts.units_per_em(label.weight);
        let (glyphs, width) = self.fonts.lay_out(&label.text, label.weight);
        let start = Fonts::start(label.at[0], width * label.size, label.anchor);
        let size = (label.size / em) as f32;
        for placed in glyphs {
            let mut path = PathBuilder::new();
            for stroke in self.fonts.outline(placed.glyph, label.weight) {
                match stroke {
                    Stroke::Move([x, y]) => path.move_to(x, y),
                    Stroke::Line([x, y]) => path.line_to(x, y),
                    Stroke::Quad([a, b], [x, y]) => path.quad_to(a, b, x, y),
                    Stroke::Cubic([a, b], [c, d], [x, y]) => path.cubic_to(a, b, c, d, x, y),
                    Stroke::Close => path.close(),
                }
            }
            let x = (start + placed.offset * label.size) as f32;
            let place = Transform::from_row(size, 0.0, 0.0, -size, x, label.at[1] as f32);
            self.fill(path.finish(), label.ink, place.post_concat(self.transform));
        }
    }

    fn clip(&mut self, area: &Rect) {
        let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height());
        if let (Some(mask), Some(area)) = (&mut mask, sk_rect(area)) {
            let path = PathBuilder::from_rect(area);
            mask.fill_path(&path, FillRule::Winding, true, self.transform);
        }
        self.mask = mask;
    }

    fn fill(&mut self, path: Option<Path>, ink: Ink, transform: Transform) {
        if let Some(path) = path {
            let mask = self.mask.as_ref();
            self.pixmap.fill_path(&path, &paint(ink), FillRule::Winding, transform, mask);
        }
    }

    fn stroke(&mut self, path: Option<Path>, pen: &Pen) {
        let Some(path) = path else {
            return;
        };
        let width = pen.width as f32;
        let dash: Vec<f32> = pen.dash.iter().map(|part| part * width).collect();
        let stroke = SkStroke {
            width,
            line_cap: match pen.dash.is_empty() {
                true => LineCap::Round,
                false => LineCap::Butt,
            },
            line_join: LineJoin::Round,
            dash: StrokeDash::new(dash, 0.0),
            ..SkStroke::default()
        };
        let mask = self.mask.as_ref();
        self.pixmap.stroke_path(&path, &paint(pen.ink), &stroke, self.transform, mask);
    }
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    let alpha = (ink.opacity.clamp(0.0, 1.0) * 255.0).round() as u8;
    paint.set_color_rgba8(ink.color.red, ink.color.green, ink.color.blue, alpha);
    paint.anti_alias = true;
    paint
}

fn trace(path: &mut PathBuilder, points: &[Point]) {
    for (index, [x, y]) in points.iter().enumerate() {
        match index {
            0 => path.move_to(*x as f32, *y as f32),
            _ => path.line_to(*x as f32, *y as f32),
        }
    }
}

fn sk_rect(area: &Rect) -> Option<SkRect> {
    SkRect::from_xywh(area.x as f32, area.y as f32, area.width as f32, area.height as f32)
}
