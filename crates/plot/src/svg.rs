//! A picture as SVG text.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::font::{Fonts, Stroke, Weight};
use crate::marks::{Ink, Label, Mark, Pen, Picture, Point, Rect};
use crate::theme::Color;

/// The SVG document; equal pictures give equal bytes.
pub(crate) fn svg(picture: &Picture, fonts: &Fonts) -> String {
    let mut document = Document { fonts, body: String::new(), glyphs: BTreeSet::new(), clips: Vec::new() };
    for mark in &picture.marks {
        document.mark(mark);
    }
    let (width, height) = (number(picture.width), number(picture.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n<defs>\n",
        escape(&picture.title)
    );
    for (weight, glyph) in &document.glyphs {
        let data = glyph_path(&fonts.outline(*glyph, *weight));
        let _ = writeln!(out, "<path id=\"{}\" d=\"{data}\"/>", glyph_id(*weight, *glyph));
    }
    for (index, clip) in document.clips.iter().enumerate() {
        let _ = writeln!(out, "<clipPath id=\"clip{index}\"><rect {}/></clipPath>", rect(clip));
    }
    out.push_str("</defs>\n");
    out.push_str(&document.body);
    out.push_str("</svg>\n");
    out
}

struct Document<'a> {
    fonts: &'a Fonts,
    body: String,
    glyphs: BTreeSet<(Weight, u16)>,
    clips: Vec<Rect>,
}

impl Document<'_> {
    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Lines(lines, pen) => {
                let mut data = String::new();
                for line in lines {
                    path_data(&mut data, line);
                }
                let _ = writeln!(self.body, "<path d=\"{data}\" fill=\"none\"{}/>", stroke(pen));
            }
            Mark::Polygon(points, fill, pen) => {
                let mut data = String::new();
                path_data(&mut data, points);
                let pen = pen.as_ref().map_or(String::new(), stroke);
                let _ = writeln!(self.body, "<path d=\"{data}Z\"{}{pen}/>", fill_of(*fill));
            }
            Mark::Discs(centres, radius, ink, pen) => {
                let pen = pen.as_ref().map_or(String::new(), stroke);
                let _ = writeln!(self.body, "<g{}{pen}>", fill_of(Some(*ink)));
                for [x, y] in centres {
                    let (x, y, r) = (number(*x), number(*y), number(*radius));
                    let _ = writeln!(self.body, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>");
                }
                self.body.push_str("</g>\n");
            }
            Mark::Rect(area, ink) => {
                let _ = writeln!(self.body, "<rect {}{}/>", rect(area), fill_of(Some(*ink)));
            }
            Mark::Label(label) => self.label(label),
            Mark::Clip(area) => {
                let index = self.clips.len();
                self.clips.push(*area);
                let _ = writeln!(self.body, "<g clip-path=\"url(#clip{index})\">");
            }
            Mark::Unclip => self.body.push_str("</g>\n"),
        }
    }

    /// Text as references to glyph outlines; `aria-label` keeps it readable for people and tools.
    fn label(&mut self, label: &Label) {
        let em = self.fonts.units_per_em(label.weight);
        let (glyphs, width) = self.fonts.lay_out(&label.text, label.weight);
        let x = Fonts::start(label.at[0], width * label.size, label.anchor);
        let scale = format!("{:.6}", label.size / em);
        let _ = write!(
            self.body,
            "<g aria-label=\"{}\" transform=\"translate({} {}) scale({scale} -{scale})\"{}>",
            escape(&label.text),
            number(x),
            number(label.at[1]),
            fill_of(Some(label.ink)),
        );
        for placed in glyphs {
            self.glyphs.insert((label.weight, placed.glyph));
            let _ = write!(
                self.body,
                "<use href=\"#{}\" x=\"{}\"/>",
                glyph_id(label.weight, placed.glyph),
                number(placed.offset * em)
            );
        }
        self.body.push_str("</g>\n");
    }
}

fn glyph_id(weight: Weight, glyph: u16) -> String {
    match weight {
        Weight::Regular => format!("r{glyph}"),
        Weight::Bold => format!("b{glyph}"),
    }
}

fn glyph_path(outline: &[Stroke]) -> String {
    let mut data = String::new();
    for stroke in outline {
        let _ = match stroke {
            Stroke::Move([x, y]) => write!(data, "M{x} {y}"),
            Stroke::Line([x, y]) => write!(data, "L{x} {y}"),
            Stroke::Quad([a, b], [x, y]) => write!(data, "Q{a} {b} {x} {y}"),
            Stroke::Cubic([a, b], [c, d], [x, y]) => write!(data, "C{a} {b} {c} {d} {x} {y}"),
            Stroke::Close => write!(data, "Z"),
        };
    }
    data
}

fn path_data(data: &mut String, points: &[Point]) {
    for (index, [x, y]) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let _ = write!(data, "{command}{} {}", number(*x), number(*y));
    }
}

fn rect(area: &Rect) -> String {
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        number(area.x),
        number(area.y),
        number(area.width),
        number(area.height)
    )
}

fn fill_of(ink: Option<Ink>) -> String {
    let Some(ink) = ink else {
        return " fill=\"none\"".to_owned();
    };
    let mut text = format!(" fill=\"{}\"", color(ink.color));
    if ink.opacity < 1.0 {
        let _ = write!(text, " fill-opacity=\"{}\"", number(ink.opacity));
    }
    text
}

fn stroke(pen: &Pen) -> String {
    let mut text = format!(
        " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"{}\"",
        color(pen.ink.color),
        number(pen.width),
        if pen.dash.is_empty() { "round" } else { "butt" }
    );
    if pen.ink.opacity < 1.0 {
        let _ = write!(text, " stroke-opacity=\"{}\"", number(pen.ink.opacity));
    }
    if !pen.dash.is_empty() {
        let dash: Vec<String> = pen.dash.iter().map(|d| number(f64::from(*d) * pen.width)).collect();
        let _ = write!(text, " stroke-dasharray=\"{}\"", dash.join(" "));
    }
    text
}

fn color(color: Color) -> String {
    format!("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue)
}

/// At most two decimals: a hundredth of a pixel is never seen, and files stay small.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // Control characters and the two non-characters are not allowed in XML at all.
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
