//! Places everything: from panels in data units to marks in pixels.

use crate::axis::{Axis, Scale, Tick, superscript};
use crate::decimate::visible_lines;
use crate::font::{Fonts, Weight};
use crate::marks::{Anchor, Ink, Label, Mark, Pen, Picture, Point, Rect};
use crate::panel::{Dash, Item, Panel, Shape};
use crate::plot::Plot;
use crate::theme::{Color, Inks, Theme};

const TITLE: f64 = 20.0;
const SUBTITLE: f64 = 13.5;
const AXIS_LABEL: f64 = 13.5;
const TICK_LABEL: f64 = 12.5;
const LEGEND: f64 = 13.0;
/// Free space around the picture.
const EDGE: f64 = 22.0;
const RIGHT: f64 = 30.0;
const PANEL_GAP: f64 = 18.0;
const LEGEND_ROW: f64 = 21.0;
const SWATCH: f64 = 22.0;
const LEGEND_LIMIT: usize = 24;
/// Height of capitals and digits above the baseline [em].
const CAPITAL: f64 = 0.73;
/// Positions beyond this are cut off before they reach the painter [px].
const FAR: f64 = 1e5;

/// A panel with its axes, ready to be placed.
struct Prepared<'a> {
    panel: &'a Panel,
    x: Axis,
    y: Axis,
    y_ticks: Vec<Tick>,
    y_label: String,
    height: f64,
    legend: Vec<Vec<LegendEntry>>,
    /// The legend shares the row of the y label, at the right end.
    legend_beside: bool,
    shows_x: bool,
}

#[derive(Debug, Clone)]
struct LegendEntry {
    label: String,
    width: f64,
    item: Option<usize>,
}

pub(crate) fn picture(plot: &Plot, fonts: &Fonts) -> Picture {
    let mut page = Page { fonts, theme: plot.theme, inks: plot.theme.inks(), marks: Vec::new() };
    let mut prepared = page.prepare(plot);
    let mut gutter = EDGE;
    let mut box_width = plot.width - gutter - RIGHT;
    // Twice: equal aspect changes the y ticks, and with them the room their labels need.
    for _ in 0..2 {
        gutter = gutter.max(page.gutter(&prepared));
        box_width = (plot.width - gutter - RIGHT).max(40.0);
        prepared = page.prepare(plot);
        for panel in &mut prepared {
            page.fit(panel, box_width);
        }
    }
    let mut y = page.heading(plot);
    for panel in &prepared {
        y = page.panel(panel, gutter, y, box_width);
    }
    let height = (y - PANEL_GAP + EDGE - 4.0).ceil();
    let ground = Rect { x: 0.0, y: 0.0, width: plot.width, height };
    page.marks.insert(0, Mark::Rect(ground, page.inks.ground.into()));
    Picture { width: plot.width, height, title: plot.title.clone(), marks: page.marks }
}

/// Panels over the same x quantity share one x axis and show its labels once, at the bottom.
fn linked(plot: &Plot) -> bool {
    let first = &plot.panels[0];
    plot.panels
        .iter()
        .all(|panel| !panel.equal_aspect && panel.x_label == first.x_label && panel.x_scale == first.x_scale)
}

fn union(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

struct Page<'a> {
    fonts: &'a Fonts,
    theme: Theme,
    inks: &'static Inks,
    marks: Vec<Mark>,
}

impl Page<'_> {
    fn prepare<'a>(&self, plot: &'a Plot) -> Vec<Prepared<'a>> {
        let linked = linked(plot);
        let (mut shared_range, mut shared_extent) = (None, None);
        for panel in &plot.panels {
            shared_range = union(shared_range, panel.x_range);
            shared_extent = union(shared_extent, panel.extent(0));
        }
        // Marks at the ends would be cut in half by a tight axis.
        let marked = plot.panels.iter().any(Panel::has_marks);
        let count = plot.panels.len();
        let prepare = |(index, panel): (usize, &'a Panel)| {
            let margin = match panel.equal_aspect {
                true => 0.05,
                false if marked => 0.025,
                false => 0.0,
            };
            let (fixed, extent) = match linked {
                true => (shared_range, shared_extent),
                false => (panel.x_range, panel.extent(0)),
            };
            let x = match fixed {
                Some(range) => Axis::covering(panel.x_scale, Some(range), 0.0),
                None if panel.equal_aspect => Axis::covering(panel.x_scale, extent, margin),
                None => Axis::covering(panel.x_scale, extent, margin).snapped(),
            };
            let y = match panel.y_range {
                Some(range) => Axis::covering(panel.y_scale, Some(range), 0.0),
                None => Axis::covering(panel.y_scale, panel.extent(1), 0.06),
            };
            let height = panel.height.unwrap_or(match count {
                1 => 400.0,
                2 => 250.0,
                3 => 200.0,
                _ => 160.0,
            });
            let mut prepared = Prepared {
                panel,
                x,
                y,
                y_ticks: Vec::new(),
                y_label: String::new(),
                height,
                legend: Vec::new(),
                legend_beside: true,
                shows_x: !linked || index + 1 == count,
            };
            prepared.tick_y();
            prepared
        };
        plot.panels.iter().enumerate().map(prepare).collect()
    }

    /// Width left of the axes: the widest y tick label decides, for all panels alike.
    fn gutter(&self, prepared: &[Prepared<'_>]) -> f64 {
        let labels = prepared.iter().flat_map(|p| &p.y_ticks);
        let widths = labels.map(|t| self.fonts.width(&t.label, TICK_LABEL, Weight::Regular));
        (EDGE + 9.0 + widths.fold(18.0, f64::max)).ceil()
    }

    /// Settles height, equal aspect and legend once the width is known.
    fn fit(&self, prepared: &mut Prepared<'_>, box_width: f64) {
        let panel = prepared.panel;
        if panel.equal_aspect {
            let natural = box_width * prepared.y.length() / prepared.x.length();
            prepared.height = panel.height.unwrap_or(natural.clamp(160.0, 720.0)).round();
            let unit = (prepared.x.length() / box_width).max(prepared.y.length() / prepared.height);
            prepared.x = prepared.x.with_length(unit * box_width);
            prepared.y = prepared.y.with_length(unit * prepared.height);
            prepared.tick_y();
        }
        let entries = self.legend_entries(panel);
        let label = self.fonts.width(&prepared.y_label, AXIS_LABEL, Weight::Bold);
        let total: f64 = entries.iter().map(|entry| entry.width).sum();
        prepared.legend_beside = total <= box_width - label - 30.0;
        prepared.legend = match prepared.legend_beside {
            true if entries.is_empty() => Vec::new(),
            true => vec![entries],
            false => wrap(entries, box_width),
        };
    }

    fn legend_entries(&self, panel: &Panel) -> Vec<LegendEntry> {
        let named = panel.items.iter().enumerate();
        let named: Vec<_> = named.filter(|(_, item)| !item.label.is_empty()).collect();
        let entry = |label: String, item: Option<usize>| {
            let text = self.fonts.width(&label, LEGEND, Weight::Regular);
            let swatch = if item.is_some() { SWATCH + 7.0 } else { 0.0 };
            LegendEntry { width: text + swatch + 18.0, label, item }
        };
        let shown = named.iter().take(LEGEND_LIMIT);
        let mut entries: Vec<_> =
            shown.map(|(index, item)| entry(shortened(&item.label, 60), Some(*index))).collect();
        if named.len() > LEGEND_LIMIT {
            let more = named.len() - LEGEND_LIMIT;
            entries.push(entry(format!("and {more} more"), None));
        }
        entries
    }

    /// Draws title and subtitle; returns where the panels start.
    fn heading(&mut self, plot: &Plot) -> f64 {
        let mut y = EDGE;
        if !plot.title.is_empty() {
            let text = self.fitting(&plot.title, TITLE, Weight::Bold, plot.width - 2.0 * EDGE);
            let at = [EDGE, y + TITLE * CAPITAL];
            self.label(at, &text, TITLE, Weight::Bold, Anchor::Start, self.inks.text);
            y += TITLE + 6.0;
        }
        if !plot.subtitle.is_empty() {
            let room = plot.width - 2.0 * EDGE;
            let text = self.fitting(&plot.subtitle, SUBTITLE, Weight::Regular, room);
            let at = [EDGE, y + SUBTITLE * CAPITAL];
            let ink = self.inks.muted;
            self.label(at, &text, SUBTITLE, Weight::Regular, Anchor::Start, ink);
            y += SUBTITLE + 6.0;
        }
        if y > EDGE { y + 8.0 } else { y }
    }

    /// Draws a panel with its upper edge at `y`; returns where the next one starts.
    fn panel(&mut self, prepared: &Prepared<'_>, x: f64, y: f64, width: f64) -> f64 {
        let y = self.panel_head(prepared, x, y, width);
        let area = Rect { x, y, width, height: prepared.height };
        let mut bottom = y + prepared.height;
        let (x_ticks, exponent) = self.x_ticks(prepared, width);
        self.grid(prepared, &x_ticks, area);
        self.items(prepared, area);
        self.frame(prepared, &x_ticks, area);
        if prepared.shows_x {
            bottom += 8.0 + TICK_LABEL + 6.0;
            let label = with_exponent(&prepared.panel.x_label, exponent);
            if !label.is_empty() {
                let at = [x + width, bottom + 2.0 + AXIS_LABEL * CAPITAL];
                let ink = self.inks.text;
                self.label(at, &label, AXIS_LABEL, Weight::Bold, Anchor::End, ink);
                bottom += 2.0 + AXIS_LABEL;
            }
        }
        bottom + PANEL_GAP
    }

    /// Draws y label and legend above the axes; returns the upper edge of the axes.
    fn panel_head(&mut self, prepared: &Prepared<'_>, x: f64, mut y: f64, width: f64) -> f64 {
        let label = &prepared.y_label;
        let labelled = !label.is_empty();
        if labelled {
            let at = [x, y + AXIS_LABEL * CAPITAL];
            let ink = self.inks.text;
            self.label(at, label, AXIS_LABEL, Weight::Bold, Anchor::Start, ink);
        }
        if prepared.legend_beside {
            for row in &prepared.legend {
                let total: f64 = row.iter().map(|entry| entry.width).sum();
                self.legend_row(prepared.panel, row, x + width - total + 18.0, y);
            }
            let tall = labelled || !prepared.legend.is_empty();
            return if tall { y + LEGEND_ROW } else { y };
        }
        if labelled {
            y += LEGEND_ROW;
        }
        for row in &prepared.legend {
            self.legend_row(prepared.panel, row, x, y);
            y += LEGEND_ROW;
        }
        y
    }

    fn legend_row(&mut self, panel: &Panel, row: &[LegendEntry], mut x: f64, y: f64) {
        let middle = y + 0.5 * CAPITAL * AXIS_LABEL;
        for entry in row {
            let mut text = x;
            if let Some(index) = entry.item {
                self.swatch(&panel.items[index], [x, middle]);
                text += SWATCH + 7.0;
            }
            let at = [text, middle + 0.5 * CAPITAL * LEGEND];
            let ink = self.inks.text;
            self.label(at, &entry.label, LEGEND, Weight::Regular, Anchor::Start, ink);
            x += entry.width;
        }
    }

    fn swatch(&mut self, item: &Item, [x, y]: Point) {
        let mark = match &item.shape {
            Shape::Points(_) => {
                let ink = self.ink(item);
                let radius = item.style.radius.unwrap_or(3.0).min(6.0);
                Mark::Discs(vec![[x + SWATCH / 2.0, y]], radius, ink, None)
            }
            Shape::Polygon(_) | Shape::Discs(..) => {
                let area = Rect { x: x + 4.0, y: y - 5.0, width: SWATCH - 8.0, height: 10.0 };
                Mark::Rect(area, self.ink(item))
            }
            _ => Mark::Lines(vec![vec![[x, y], [x + SWATCH, y]]], self.pen(item)),
        };
        self.marks.push(mark);
    }

    /// Ticks of the x axis, as many as fit without their labels touching.
    fn x_ticks(&self, prepared: &Prepared<'_>, width: f64) -> (Vec<Tick>, i32) {
        let mut count = (width / 60.0) as usize;
        loop {
            let (ticks, exponent) = prepared.x.ticks(count.max(2));
            let labelled: Vec<_> = ticks.iter().filter(|t| !t.label.is_empty()).collect();
            let fits = labelled.windows(2).all(|pair| {
                let gap = width * (prepared.x.position(pair[1].value) - prepared.x.position(pair[0].value));
                let halves =
                    pair.iter().map(|t| self.fonts.width(&t.label, TICK_LABEL, Weight::Regular) / 2.0);
                halves.sum::<f64>() + 12.0 <= gap
            });
            if fits || count <= 2 {
                return (ticks, exponent);
            }
            count -= 1;
        }
    }

    fn grid(&mut self, prepared: &Prepared<'_>, x_ticks: &[Tick], area: Rect) {
        self.marks.push(Mark::Rect(area, self.inks.panel.into()));
        let (right, bottom) = (area.x + area.width, area.y + area.height);
        let vertical = |tick: &Tick| {
            let x = crisp(area.x + area.width * prepared.x.position(tick.value));
            vec![[x, area.y], [x, bottom]]
        };
        let horizontal = |tick: &Tick| {
            let y = crisp(bottom - area.height * prepared.y.position(tick.value));
            vec![[area.x, y], [right, y]]
        };
        let (major, minor): (Vec<&Tick>, Vec<&Tick>) = x_ticks.iter().partition(|t| !t.label.is_empty());
        let (y_major, y_minor): (Vec<&Tick>, Vec<&Tick>) =
            prepared.y_ticks.iter().partition(|t| !t.label.is_empty());
        let lines = |xs: &[&Tick], ys: &[&Tick]| -> Vec<Vec<Point>> {
            let xs = xs.iter().map(|t| vertical(t));
            xs.chain(ys.iter().map(|t| horizontal(t))).collect()
        };
        let minor = lines(&minor, &y_minor);
        if !minor.is_empty() {
            self.marks.push(Mark::Lines(minor, hairline(self.inks.grid, 0.55)));
        }
        let major = lines(&major, &y_major);
        self.marks.push(Mark::Lines(major, hairline(self.inks.grid, 1.0)));
        let zero = prepared.y.position(0.0);
        if zero > 0.0 && zero < 1.0 && prepared.panel.y_scale == Scale::Linear {
            let y = crisp(bottom - area.height * zero);
            let line = vec![vec![[area.x, y], [right, y]]];
            self.marks.push(Mark::Lines(line, hairline(self.inks.zero, 1.0)));
        }
    }

    fn frame(&mut self, prepared: &Prepared<'_>, x_ticks: &[Tick], area: Rect) {
        let (right, bottom) = (area.x + area.width, area.y + area.height);
        let (left_line, bottom_line) = (crisp(area.x), crisp(bottom));
        let mut lines = vec![vec![[left_line, area.y], [left_line, bottom_line], [right, bottom_line]]];
        let muted = self.inks.muted;
        for tick in prepared.y_ticks.iter().filter(|t| !t.label.is_empty()) {
            let y = bottom - area.height * prepared.y.position(tick.value);
            lines.push(vec![[left_line - 4.0, crisp(y)], [left_line, crisp(y)]]);
            let at = [area.x - 8.0, y + 0.5 * CAPITAL * TICK_LABEL];
            self.label(at, &tick.label, TICK_LABEL, Weight::Regular, Anchor::End, muted);
        }
        for tick in x_ticks.iter().filter(|t| !t.label.is_empty()) {
            let x = area.x + area.width * prepared.x.position(tick.value);
            lines.push(vec![[crisp(x), bottom_line], [crisp(x), bottom_line + 4.0]]);
            if prepared.shows_x {
                let at = [x, bottom + 8.0 + TICK_LABEL * CAPITAL];
                self.label(at, &tick.label, TICK_LABEL, Weight::Regular, Anchor::Middle, muted);
            }
        }
        self.marks.push(Mark::Lines(lines, hairline(self.inks.axis, 1.0)));
    }

    fn items(&mut self, prepared: &Prepared<'_>, area: Rect) {
        // Lines along the edge keep their full width.
        self.marks.push(Mark::Clip(Rect {
            x: area.x - 2.0,
            y: area.y - 2.0,
            width: area.width + 4.0,
            height: area.height + 4.0,
        }));
        let map = |[x, y]: [f64; 2]| -> Point {
            let x = area.x + area.width * prepared.x.position(x);
            let y = area.y + area.height * (1.0 - prepared.y.position(y));
            [x.clamp(-FAR, FAR), y.clamp(-FAR, FAR)]
        };
        let per_unit = area.width / prepared.x.length();
        for item in &prepared.panel.items {
            self.item(item, &map, per_unit);
        }
        self.marks.push(Mark::Unclip);
    }

    fn item(&mut self, item: &Item, map: &dyn Fn([f64; 2]) -> Point, per_unit: f64) {
        let placed = |points: &[[f64; 2]]| -> Vec<Point> {
            let points = points.iter().map(|point| map(*point));
            points.filter(|p| p[0].is_finite() && p[1].is_finite()).collect()
        };
        let outline = item.style.outline.map(|color| Pen {
            ink: Ink { color, opacity: item.style.opacity.unwrap_or(1.0) },
            width: item.style.width.unwrap_or(1.0),
            dash: &[],
        });
        let mark = match &item.shape {
            Shape::Line(points) => {
                let lines = visible_lines(points.iter().map(|p| map(*p)), points.len());
                Mark::Lines(lines, self.pen(item))
            }
            Shape::Segments(segments) => {
                let pieces = segments.iter().map(|piece| placed(piece));
                let pieces = pieces.filter(|piece| piece.len() == 2).collect();
                Mark::Lines(pieces, self.pen(item))
            }
            Shape::Points(points) => {
                let radius = item.style.radius.unwrap_or(3.0);
                Mark::Discs(placed(points), radius, self.ink(item), outline)
            }
            Shape::Discs(_, radius) if !radius.is_finite() => return,
            Shape::Discs(centres, radius) => {
                let radius = (radius.abs() * per_unit).min(FAR);
                Mark::Discs(placed(centres), radius, self.ink(item), outline)
            }
            Shape::Polygon(corners) => Mark::Polygon(placed(corners), Some(self.ink(item)), outline),
            Shape::Text(at, text) => {
                let [x, y] = map(*at);
                if !(x.is_finite() && y.is_finite()) {
                    return;
                }
                let color = item.style.color.unwrap_or(self.inks.text);
                let at = [x + 7.0, y - 7.0];
                self.label(at, text, LEGEND, Weight::Regular, Anchor::Start, color);
                return;
            }
        };
        self.marks.push(mark);
    }

    fn ink(&self, item: &Item) -> Ink {
        let automatic = || self.theme.series_color(item.turn);
        Ink {
            color: item.style.color.unwrap_or_else(automatic),
            opacity: item.style.opacity.unwrap_or(1.0).clamp(0.0, 1.0),
        }
    }

    fn pen(&self, item: &Item) -> Pen {
        // When the colours start again, the dashes tell lines apart.
        let again = item.turn / self.inks.series.len();
        let automatic = [Dash::Solid, Dash::Dashed, Dash::Dotted][again % 3];
        Pen {
            ink: self.ink(item),
            width: item.style.width.unwrap_or(1.8),
            dash: item.style.dash.unwrap_or(automatic).pattern(),
        }
    }

    fn label(&mut self, at: Point, text: &str, size: f64, weight: Weight, anchor: Anchor, color: Color) {
        self.marks.push(Mark::Label(Label {
            at,
            text: text.to_owned(),
            size,
            weight,
            anchor,
            ink: color.into(),
        }));
    }

    /// The text, cut with an ellipsis where it is wider than the room there is.
    fn fitting(&self, text: &str, size: f64, weight: Weight, room: f64) -> String {
        let mut length = text.chars().count().min(400);
        loop {
            let candidate = shortened(text, length);
            if length <= 1 || self.fonts.width(&candidate, size, weight) <= room {
                return candidate;
            }
            length -= 1;
        }
    }
}

impl Prepared<'_> {
    fn tick_y(&mut self) {
        // With equal aspect the grid is square: the same spacing as along x.
        let spacing = if self.panel.equal_aspect { 75.0 } else { 32.0 };
        let count = (self.height / spacing) as usize;
        let (ticks, exponent) = self.y.ticks(count.max(2));
        self.y_ticks = ticks;
        self.y_label = with_exponent(&self.panel.y_label, exponent);
    }
}

/// Puts a power of ten taken out of the tick labels into the axis label: `force [10³ N]`.
fn with_exponent(label: &str, exponent: i32) -> String {
    if exponent == 0 {
        return label.to_owned();
    }
    let power = format!("10{}", superscript(exponent));
    match label.strip_suffix(']').and_then(|head| head.rsplit_once('[')) {
        Some((name, unit)) => format!("{name}[{power} {unit}]"),
        None => format!("{label} [{power}]").trim().to_owned(),
    }
}

fn wrap(entries: Vec<LegendEntry>, room: f64) -> Vec<Vec<LegendEntry>> {
    let mut rows: Vec<Vec<LegendEntry>> = Vec::new();
    let mut used = f64::INFINITY;
    for entry in entries {
        used += entry.width;
        match rows.last_mut() {
            Some(row) if used <= room => row.push(entry),
            _ => {
                used = entry.width;
                rows.push(vec![entry]);
            }
        }
    }
    rows
}

fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let head: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", head.trim_end())
}

fn hairline(color: Color, opacity: f64) -> Pen {
    Pen { ink: Ink { color, opacity }, width: 1.0, dash: &[] }
}

/// Half pixels, where a line one pixel wide is sharp.
fn crisp(value: f64) -> f64 {
    (value - 0.5).round() + 0.5
}
