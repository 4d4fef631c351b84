//! Legend, time, title and scale bar over a picture.

use huygens_plot::{Color, Overlay, TextAlign, ticks};

use crate::camera::Camera;
use crate::color::{ColorMap, Rgb};
use crate::fields::Coloring;
use crate::image::Image;
use crate::marks::{CHAIN_MAP, Forces};
use crate::view::{ContactMarks, View};

const INK: Color = Color::hex(0x17202e);
const CARD: Color = Color::hex(0xffffff);
const CARD_OPACITY: f64 = 0.78;

/// The largest of 1, 2, 5 · 10ⁿ that is at most `length`.
pub(crate) fn round_length(length: f64) -> f64 {
    let power = 10f64.powf(length.log10().floor());
    let digit = [5.0, 2.0, 1.0].into_iter().find(|d| d * power <= length * 1.000_001);
    digit.unwrap_or(1.0) * power
}

/// What colours and lengths mean.
pub(crate) struct Keys<'a> {
    pub coloring: Option<&'a Coloring>,
    pub forces: Option<Forces>,
}

/// A bar of colours with numbers.
struct Legend {
    title: String,
    low: f64,
    high: f64,
    map: ColorMap,
}

/// Draws what the description asks for.
pub(crate) fn draw(image: &mut Image, view: &View, camera: &Camera, keys: &Keys<'_>, time: f64) {
    let Some(overlay) = Overlay::new() else { return };
    // Text that suits the picture: 18 px in 720 rows.
    let size = (0.025 * f64::from(image.height.min(image.width))).max(9.0);
    let mut page = Page { overlay, size, width: f64::from(image.width), height: f64::from(image.height) };
    let field =
        keys.coloring.map(|c| Legend { title: c.title.clone(), low: c.low, high: c.high, map: c.map() });
    let chains = keys.forces.filter(|_| view.marks.contacts == ContactMarks::Chains).map(|forces| Legend {
        title: "contact force [N]".into(),
        low: 0.0,
        high: forces.top,
        map: CHAIN_MAP,
    });
    let mut right = page.width;
    for legend in [field, chains].into_iter().flatten().filter(|_| view.legend) {
        right = page.legend(&legend, right);
    }
    let mut top = 1.2 * size;
    if !view.title.is_empty() {
        page.line_of_text(view.title.clone(), top);
        top += 2.4 * size;
    }
    if view.time {
        page.line_of_text(format!("t = {time:.3} s"), top);
        top += 2.4 * size;
    }
    let arrows = keys.forces.filter(|_| view.legend && view.marks.contacts == ContactMarks::Arrows);
    if let Some(forces) = arrows {
        let force = round_length(forces.top);
        page.line_of_text(
            format!("arrow of {}: {}", force_text(force), length_text(force * forces.scale)),
            top,
        );
    }
    if view.scale_bar {
        page.scale_bar(camera);
    }
    page.overlay.paint(&mut image.pixels, image.width, image.height);
}

struct Page {
    overlay: Overlay,
    size: f64,
    width: f64,
    height: f64,
}

impl Page {
    fn line_of_text(&mut self, text: String, top: f64) {
        let (size, left) = (self.size, 1.2 * self.size);
        let width = self.overlay.text_width(&text, size);
        self.overlay.rect([left, top], [width + size, 1.8 * size], CARD, CARD_OPACITY);
        let at = [left + 0.5 * size, top + 1.25 * size];
        self.overlay.text(at, text, size, TextAlign::Start, INK, 1.0);
    }

    /// Draws a legend and returns where the next one ends.
    fn legend(&mut self, legend: &Legend, right: f64) -> f64 {
        let size = self.size;
        let (labels, exponent) = ticks(legend.low, legend.high, 5);
        let title = match exponent {
            0 => legend.title.clone(),
            _ => format!("{} · 10{}", legend.title, raised(exponent)),
        };
        let bar = [0.9 * size, (0.36 * self.height).max(6.0 * size)];
        let label_width =
            labels.iter().map(|(_, label)| self.overlay.text_width(label, size)).fold(0.0, f64::max);
        let inner = (bar[0] + 0.9 * size + label_width).max(self.overlay.text_width(&title, size));
        let card = [inner + 1.4 * size, bar[1] + 3.9 * size];
        let at = [right - card[0] - 1.2 * size, self.height - card[1] - 1.2 * size];
        self.overlay.rect(at, card, CARD, CARD_OPACITY);
        let left = at[0] + 0.7 * size;
        self.overlay.text([left, at[1] + 1.35 * size], title, size, TextAlign::Start, INK, 1.0);
        let top = at[1] + 2.7 * size;
        let steps = bar[1].round().clamp(2.0, 512.0) as usize;
        let step = bar[1] / steps as f64;
        for index in 0..steps {
            let level = 1.0 - (index as f32 + 0.5) / steps as f32;
            let [red, green, blue] =
                Rgb::from_linear(legend.map.linear(level)).0.map(|c| (c * 255.0).round() as u8);
            // A little overlap leaves no seams between rows.
            let row = [bar[0], step + 0.6 * f64::from(u8::from(index + 1 < steps))];
            self.overlay.rect([left, top + index as f64 * step], row, Color { red, green, blue }, 1.0);
        }
        for (value, label) in labels {
            let level = (value - legend.low) / (legend.high - legend.low);
            let y = top + (1.0 - level) * bar[1];
            let edge = left + bar[0];
            self.overlay.line(&[[edge, y], [edge + 0.3 * size, y]], 0.07 * size, INK, 1.0);
            self.overlay.text([edge + 0.55 * size, y + 0.36 * size], label, size, TextAlign::Start, INK, 1.0);
        }
        at[0]
    }

    fn scale_bar(&mut self, camera: &Camera) {
        let size = self.size;
        let pixels_per_metre = 0.5 * self.height / (camera.tan_half * camera.distance);
        let length = round_length(0.2 * self.width / pixels_per_metre);
        let text = length_text(length);
        let width = length * pixels_per_metre;
        let card = [width.max(self.overlay.text_width(&text, size)) + 1.4 * size, 2.7 * size];
        let at = [1.2 * size, self.height - card[1] - 1.2 * size];
        self.overlay.rect(at, card, CARD, CARD_OPACITY);
        let middle = at[0] + 0.5 * card[0];
        self.overlay.text([middle, at[1] + 1.2 * size], text, size, TextAlign::Middle, INK, 1.0);
        let y = at[1] + 2.0 * size;
        let (left, right) = (middle - 0.5 * width, middle + 0.5 * width);
        self.overlay.line(&[[left, y], [right, y]], 0.12 * size, INK, 1.0);
        for x in [left, right] {
            self.overlay.line(&[[x, y - 0.3 * size], [x, y + 0.3 * size]], 0.12 * size, INK, 1.0);
        }
    }
}

/// An integer in raised digits.
fn raised(value: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    value.to_string().chars().map(raise).collect()
}

fn length_text(length: f64) -> String {
    let (value, unit) = match length {
        l if l >= 999.0 => (l / 1e3, "km"),
        l if l >= 0.999 => (l, "m"),
        l if l >= 0.999e-2 => (l * 1e2, "cm"),
        l if l >= 0.999e-3 => (l * 1e3, "mm"),
        l => (l * 1e6, "µm"),
    };
    // Three digits: a length that follows from a force is seldom round.
    let digits = 10f64.powf(2.0 - value.log10().floor());
    format!("{} {unit}", (value * digits).round() / digits)
}

fn force_text(force: f64) -> String {
    let (value, unit) = match force {
        f if f >= 999.0 => (f / 1e3, "kN"),
        f if f >= 0.999 => (f, "N"),
        f => (f * 1e3, "mN"),
    };
    format!("{} {unit}", (value * 1e6).round() / 1e6)
}
