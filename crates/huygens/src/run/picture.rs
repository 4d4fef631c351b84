//! The stroboscopic picture of a run: where the mechanism was, fading, and where it is.

use std::collections::BTreeMap;

use glam::DVec3;
use huygens_record::{Color, Dash, Panel, Plot, Style, Theme};

use super::sketch::{Connection, ConnectionKind, End, Outline, Pose, Sketch};

const INK: Color = Color::hex(0x17202e);
const PAPER: Color = Color::hex(0xffffff);
const STEEL: Color = Color::hex(0x8c97a8);
/// Fading positions in a picture.
const GHOSTS: usize = 12;
/// Polygons above which fading positions are left out.
const POLYGON_BUDGET: usize = 6000;
/// Bodies above which those hidden behind others are left out.
const MOST_DRAWN: usize = 20_000;
/// How far the fastest point may go within the picture, in sizes of the mechanism.
const LONGEST_PATH: f64 = 3.0;

/// Draws the sketch; `None` where there is nothing to see.
pub(super) fn picture(title: &str, sketch: &Sketch) -> Option<Plot> {
    let view = View::new(sketch)?;
    let mut panel = view.panel();
    let (last, earlier) = view.window.split_last()?;
    panel = view.planes(panel, sketch);
    for (i, outline) in sketch.outlines.iter().enumerate().filter(|(_, o)| !o.moves) {
        panel = view.body(panel, &last.1, (i, outline), STEEL, 0.5);
    }
    for body in view.sliders.iter() {
        panel = view.guide(panel, sketch, *body);
    }
    let shown = ghosts(sketch, last, earlier, view.thin);
    for (k, instant) in shown.iter().enumerate() {
        panel = view.bodies(panel, sketch, &instant.1, 0.13 + 0.25 * (k as f64 + 1.0) / GHOSTS as f64);
    }
    let traced = if sketch.crowded { Vec::new() } else { view.traced(sketch) };
    for body in traced {
        let path: Vec<[f64; 2]> =
            view.window.iter().map(|(_, poses)| view.tip(sketch, body, poses)).collect();
        panel = panel.polyline("", &path, Style::default().color(view.color(body)).width(1.3).opacity(0.8));
    }
    for connection in &sketch.connections {
        panel = view.link(panel, &last.1, connection);
    }
    panel = view.bodies(panel, sketch, &last.1, 1.0);
    panel = view.joints(panel, &last.1, sketch);
    Some(Plot::new(title).subtitle(subtitle(last.0, &shown)).panel(panel))
}

/// Says which instants are seen.
fn subtitle(last: f64, shown: &[&Instant]) -> String {
    let number = |x: f64| format!("{x:.3}").trim_end_matches('0').trim_end_matches('.').to_owned();
    match shown {
        [] => format!("t = {} s", number(last)),
        [first, ..] => {
            // Positions too close to others are left out, so some gaps are larger.
            let interval = shown.windows(2).map(|w| w[1].0 - w[0].0).fold(last - first.0, f64::min);
            let from = number(first.0);
            format!(
                "t = {} s, and earlier positions from t = {from} s, every {} s",
                number(last),
                number(interval)
            )
        }
    }
}

type Instant = (f64, Vec<Pose>);

/// Instants to be drawn fading, evenly spread, each apart from the one before and from the last.
fn ghosts<'a>(sketch: &Sketch, last: &Instant, instants: &'a [Instant], thin: f64) -> Vec<&'a Instant> {
    if sketch.crowded {
        return Vec::new();
    }
    let count = GHOSTS.min(POLYGON_BUDGET / sketch.outlines.len().max(1)).min(instants.len());
    let apart = |a: &Instant, b: &Instant| {
        let tip = |i: usize, p: &[Pose]| p[i].0 + p[i].1 * sketch.outlines[i].tip;
        (0..sketch.outlines.len()).any(|i| tip(i, &a.1).distance(tip(i, &b.1)) > 2.0 * thin)
    };
    let mut shown: Vec<&Instant> = Vec::new();
    for instant in (0..count).map(|k| &instants[k * instants.len() / count]) {
        if shown.iter().all(|earlier| apart(earlier, instant)) && apart(last, instant) {
            shown.push(instant);
        }
    }
    shown
}

/// What part of the run is seen, from where, and how large things are.
struct View<'a> {
    /// Directions to the right and upwards in the picture.
    axes: [DVec3; 2],
    /// Names of these directions; none where the picture is seen from a corner.
    labels: Option<[&'static str; 2]>,
    /// Lowest corner of what is seen [m].
    corner: DVec3,
    window: &'a [Instant],
    /// Half thickness of links without a shape [m].
    thin: f64,
    bodies: usize,
    crowded: bool,
    /// Bodies that move along a line fixed to ground.
    sliders: Vec<usize>,
}

impl<'a> View<'a> {
    fn new(sketch: &'a Sketch) -> Option<Self> {
        let last = sketch.instants.last()?;
        let ends = [sketch.instants.first()?, last];
        let size = ends
            .map(|i| extent(sketch, std::slice::from_ref(i)).max_element())
            .into_iter()
            .fold(0.0, f64::max);
        let window = match sketch.crowded {
            true => &sketch.instants[sketch.instants.len() - 1..],
            false => window(sketch, size.max(1e-9)),
        };
        let extent = extent(sketch, window);
        if !(extent.max_element() > 0.0 && extent.is_finite()) {
            return None;
        }
        // A heap is seen from a corner unless it is a wall.
        let (moved, flat) = if sketch.crowded { (extent, 0.05) } else { (motion(sketch, window), 0.2) };
        let (axes, labels) = direction(moved, extent, flat);
        let corner = bounds(sketch, window).0;
        let guides = sketch.connections.iter().filter(|c| c.kind == ConnectionKind::Guide);
        let sliders = guides.filter_map(|c| c.ends[1].0).collect();
        Some(Self {
            axes,
            labels,
            corner,
            window,
            thin: 0.0065 * extent.max_element(),
            bodies: sketch.outlines.len(),
            crowded: sketch.crowded,
            sliders,
        })
    }

    /// An empty panel: with axes, or with three directions drawn in its corner.
    fn panel(&self) -> Panel {
        if let Some([right, up]) = self.labels {
            return Panel::new(right, up).equal_aspect();
        }
        let mut panel = Panel::new("", "").equal_aspect().bare();
        for (name, axis) in [("x", DVec3::X), ("y", DVec3::Y), ("z", DVec3::Z)] {
            let ends = [self.corner, self.corner + axis * (18.0 * self.thin)].map(|p| self.project(p));
            panel = panel.polyline("", &ends, Style::default().color(STEEL).width(1.5));
            panel = panel.text(ends[1], name, Style::default());
        }
        panel
    }

    fn project(&self, p: DVec3) -> [f64; 2] {
        self.axes.map(|axis| axis.dot(p))
    }

    /// Series colours for a few bodies, a gradient along many.
    fn color(&self, body: usize) -> Color {
        const STOPS: [[f64; 3]; 4] =
            [[0.0, 114.0, 178.0], [60.0, 170.0, 200.0], [230.0, 170.0, 60.0], [213.0, 94.0, 0.0]];
        if self.bodies <= 7 {
            return Theme::Light.series_color(body);
        }
        let at = 3.0 * body as f64 / (self.bodies - 1).max(1) as f64;
        let (k, part) = ((at as usize).min(2), at - (at as usize).min(2) as f64);
        let mix = |c: usize| (STOPS[k][c] + part * (STOPS[k + 1][c] - STOPS[k][c])).round() as u8;
        Color { red: mix(0), green: mix(1), blue: mix(2) }
    }

    fn body(
        &self,
        panel: Panel,
        poses: &[Pose],
        (i, outline): (usize, &Outline),
        color: Color,
        opacity: f64,
    ) -> Panel {
        let (position, rotation) = poses[i];
        let mut style = Style::default().color(color).opacity(opacity);
        if opacity == 1.0 && self.bodies <= 12 {
            style = style.outline(PAPER);
        }
        let least = if outline.solid { 0.4 * self.thin } else { self.thin };
        let round = match self.bodies {
            0..200 => 48,
            200..2000 => 20,
            _ => 12,
        };
        let mut panel = panel;
        for part in &outline.parts {
            let mut points = Vec::new();
            for (center, radius) in &part.balls {
                let c = self.project(position + rotation * *center);
                // Corners of a solid stay sharp; a rod or link gets a thickness that can be seen.
                let radius = if *radius > 0.0 || !outline.solid { radius.max(least) } else { 0.0 };
                let rim = if radius > 0.0 { round } else { 1 };
                points.extend((0..rim).map(|k| {
                    let (s, n) = (std::f64::consts::TAU * f64::from(k) / f64::from(rim)).sin_cos();
                    [c[0] + radius * n, c[1] + radius * s]
                }));
            }
            let hull = thickened(convex_hull(points), 2.0 * least);
            let own = part.color.map_or(color, |[red, green, blue]| Color { red, green, blue });
            panel = panel.polygon("", &hull, style.color(self.shade(own, i)));
        }
        panel
    }

    /// Of very many bodies, sorted from the back to the front, only those in front can be seen.
    fn keep_front(&self, shown: &mut Vec<(usize, &Outline)>, poses: &[Pose]) {
        if shown.len() <= MOST_DRAWN {
            return;
        }
        let cell = 1.5 * self.thin;
        let mut layers: BTreeMap<[i64; 2], u32> = BTreeMap::new();
        let mut seen = |i: usize| {
            let layer =
                layers.entry(self.project(poses[i].0).map(|x| (x / cell).floor() as i64)).or_default();
            *layer += 1;
            *layer <= 2
        };
        let mut kept: Vec<(usize, &Outline)> = shown.drain(..).rev().filter(|(i, _)| seen(*i)).collect();
        kept.reverse();
        *shown = kept;
    }

    /// Neighbours of one colour in a crowd differ a little, so that each can be seen.
    fn shade(&self, color: Color, body: usize) -> Color {
        if !self.crowded {
            return color;
        }
        let share = (body as u32).wrapping_mul(2_654_435_761) as f64 / f64::from(u32::MAX);
        let mix = |c: u8| (f64::from(c) * (0.82 + 0.18 * share) + 40.0 * share).min(255.0) as u8;
        Color { red: mix(color.red), green: mix(color.green), blue: mix(color.blue) }
    }

    /// The planes of resting half-spaces, a little larger than what is seen.
    fn planes(&self, mut panel: Panel, sketch: &Sketch) -> Panel {
        let (low, high) = bounds(sketch, self.window);
        let (middle, reach) = (0.5 * (low + high), 0.6 * (high - low).max_element());
        for (point, normal) in &sketch.planes {
            let center = middle - *normal * normal.dot(middle - *point);
            let (u, v) = normal.any_orthonormal_pair();
            let corners = [u + v, u - v, -u - v, v - u].map(|d| self.project(center + reach * d));
            let hull = thickened(convex_hull(corners.to_vec()), self.thin);
            panel = panel.polygon("", &hull, Style::default().color(STEEL).opacity(0.35));
        }
        panel
    }

    /// All moving bodies: sliders first, then solids, so that links are seen on them.
    fn bodies(&self, mut panel: Panel, sketch: &Sketch, poses: &[Pose], opacity: f64) -> Panel {
        let moving = || sketch.outlines.iter().enumerate().filter(|(_, o)| o.moves);
        let layer =
            |i: usize, o: &Outline| if self.sliders.contains(&i) { 0 } else { 1 + usize::from(!o.solid) };
        let towards = self.axes[0].cross(self.axes[1]);
        for wanted in 0..3 {
            let mut shown: Vec<(usize, &Outline)> =
                moving().filter(|(i, o)| layer(*i, o) == wanted).collect();
            if sketch.crowded {
                shown.sort_by(|a, b| towards.dot(poses[a.0].0).total_cmp(&towards.dot(poses[b.0].0)));
                self.keep_front(&mut shown, poses);
            }
            for (i, outline) in shown {
                panel = self.body(panel, poses, (i, outline), self.color(i), opacity);
            }
        }
        panel
    }

    /// The line a slider has moved along, a little longer.
    fn guide(&self, panel: Panel, sketch: &Sketch, body: usize) -> Panel {
        let end = (Some(body), sketch.outlines[body].tip);
        let path: Vec<DVec3> = self.window.iter().map(|(_, poses)| self.at(poses, end)).collect();
        let far =
            |from: DVec3| path.iter().copied().max_by(|a, b| a.distance(from).total_cmp(&b.distance(from)));
        let Some((a, b)) = path.first().and_then(|p| far(*p)).and_then(|a| Some((a, far(a)?))) else {
            return panel;
        };
        let beyond = (b - a).normalize_or_zero() * (16.0 * self.thin);
        let line = [self.project(a - beyond), self.project(b + beyond)];
        panel.polyline("", &line, Style::default().color(STEEL).width(1.5).dash(Dash::Dashed))
    }

    fn at(&self, poses: &[Pose], end: End) -> DVec3 {
        match end.0 {
            Some(i) => poses[i].0 + poses[i].1 * end.1,
            None => end.1,
        }
    }

    fn tip(&self, sketch: &Sketch, body: usize, poses: &[Pose]) -> [f64; 2] {
        self.project(self.at(poses, (Some(body), sketch.outlines[body].tip)))
    }

    /// Bodies whose paths are drawn: the one that goes farthest, and a second one where bodies are few.
    fn traced(&self, sketch: &Sketch) -> Vec<usize> {
        let length = |body: usize| -> f64 {
            let at = |w: &Instant| self.at(&w.1, (Some(body), sketch.outlines[body].tip));
            self.window.windows(2).map(|w| at(&w[0]).distance(at(&w[1]))).sum()
        };
        let mut moved: Vec<(f64, usize)> =
            (0..self.bodies).filter(|i| sketch.outlines[*i].moves).map(|i| (length(i), i)).collect();
        moved.sort_by(|a, b| b.0.total_cmp(&a.0));
        moved.iter().take(if self.bodies <= 7 { 2 } else { 1 }).map(|m| m.1).collect()
    }

    /// A spring as a zigzag, a rope or massless link as a line.
    fn link(&self, panel: Panel, poses: &[Pose], connection: &Connection) -> Panel {
        if matches!(connection.kind, ConnectionKind::Joint | ConnectionKind::Guide) {
            return panel;
        }
        let [a, b] = connection.ends.map(|end| self.project(self.at(poses, end)));
        let style = Style::default().color(INK).width(1.5);
        if connection.kind == ConnectionKind::Line {
            return panel.polyline("", &[a, b], style);
        }
        let d = [b[0] - a[0], b[1] - a[1]];
        let length = d[0].hypot(d[1]);
        if length == 0.0 {
            return panel;
        }
        let (along, across) = (|s: f64| [a[0] + s * d[0], a[1] + s * d[1]], [-d[1] / length, d[0] / length]);
        let width = (2.5 * self.thin).min(0.15 * length);
        let mut points = vec![a, along(0.15)];
        for k in 0..10 {
            let p = along(0.15 + 0.7 * (f64::from(k) + 0.5) / 10.0);
            let side = if k % 2 == 0 { width } else { -width };
            points.push([p[0] + side * across[0], p[1] + side * across[1]]);
        }
        points.extend([along(0.85), b]);
        panel.polyline("", &points, style)
    }

    /// White marks at joints, dark ones at joints on ground.
    fn joints(&self, panel: Panel, poses: &[Pose], sketch: &Sketch) -> Panel {
        let fixed = |end: End| end.0.is_none_or(|i| !sketch.outlines[i].moves);
        let (mut hinges, mut anchors) = (Vec::new(), Vec::new());
        for connection in &sketch.connections {
            let ground = connection.ends.map(fixed);
            if connection.kind == ConnectionKind::Guide {
                continue;
            }
            if connection.kind == ConnectionKind::Joint {
                let at = self.project(self.at(poses, connection.ends[usize::from(ground[0])]));
                if ground[0] || ground[1] { anchors.push(at) } else { hinges.push(at) }
            } else {
                anchors.extend(
                    (0..2).filter(|k| ground[*k]).map(|k| self.project(self.at(poses, connection.ends[k]))),
                );
            }
        }
        let radius = if self.bodies <= 12 { 4.0 } else { (48.0 / self.bodies as f64).clamp(1.2, 2.2) };
        let mark = Style::default().color(PAPER).outline(INK);
        let dark = Style::default().color(INK).outline(PAPER);
        panel.points("", &hinges, mark.radius(radius)).points("", &anchors, dark.radius(4.5))
    }
}

/// Directions to the right and upwards: a plane where things move in one, else a view from a corner.
///
/// What moves must be seen; where nothing moves, what is large. Things that are `flat` times as thick as long lie in
/// a plane.
fn direction(motion: DVec3, extent: DVec3, flat: f64) -> ([DVec3; 2], Option<[&'static str; 2]>) {
    let seen = motion + 0.1 * extent;
    let spatial = |v: DVec3, least: f64| v.min_element() > least * v.max_element();
    if spatial(motion, 0.05) && spatial(extent, flat) {
        let (azimuth, elevation) = ((-60f64).to_radians(), 25f64.to_radians());
        let right = DVec3::new(-azimuth.sin(), azimuth.cos(), 0.0);
        let across = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        return ([right, DVec3::Z * elevation.cos() - across * elevation.sin()], None);
    }
    match seen.min_element() {
        least if least == seen.y => ([DVec3::X, DVec3::Z], Some(["x [m]", "z [m]"])),
        least if least == seen.z => ([DVec3::X, DVec3::Y], Some(["x [m]", "y [m]"])),
        _ => ([DVec3::Y, DVec3::Z], Some(["y [m]", "z [m]"])),
    }
}

/// Extent of all outlines over instants [m].
fn extent(sketch: &Sketch, instants: &[Instant]) -> DVec3 {
    let (low, high) = bounds(sketch, instants);
    (high - low).max(DVec3::ZERO)
}

/// Lowest and highest corner of all outlines over instants [m].
fn bounds(sketch: &Sketch, instants: &[Instant]) -> (DVec3, DVec3) {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut cover = |p: DVec3, r: f64| (low, high) = (low.min(p - r), high.max(p + r));
    for (_, poses) in instants {
        for (outline, (position, rotation)) in sketch.outlines.iter().zip(poses) {
            let balls = outline.parts.iter().flat_map(|p| &p.balls);
            balls.for_each(|(p, r)| cover(*position + *rotation * *p, *r));
        }
        for (body, point) in sketch.connections.iter().flat_map(|c| c.ends) {
            if body.is_none() {
                cover(point, 0.0);
            }
        }
    }
    (low, high)
}

/// How far the bodies' points get along each axis [m].
fn motion(sketch: &Sketch, instants: &[Instant]) -> DVec3 {
    let range = |(i, outline): (usize, &Outline)| {
        let path = instants.iter().map(|(_, poses)| poses[i].0 + poses[i].1 * outline.tip);
        let ends =
            path.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        (ends.1 - ends.0).max(DVec3::ZERO)
    };
    sketch.outlines.iter().enumerate().map(range).fold(DVec3::ZERO, DVec3::max)
}

/// The last part of the run in which no point goes farther than a few sizes of the mechanism: a fast crank would
/// otherwise fill the picture.
fn window(sketch: &Sketch, size: f64) -> &[Instant] {
    let mut gone = vec![0.0; sketch.outlines.len()];
    let mut first = sketch.instants.len() - 1;
    while first > 0 {
        let (now, before) = (&sketch.instants[first].1, &sketch.instants[first - 1].1);
        for (i, outline) in sketch.outlines.iter().enumerate() {
            let at = |p: &Pose| p.0 + p.1 * outline.tip;
            gone[i] += at(&now[i]).distance(at(&before[i]));
        }
        if gone.iter().any(|g| *g > LONGEST_PATH * size) {
            break;
        }
        first -= 1;
    }
    &sketch.instants[first..]
}

/// Convex hull, counter-clockwise (andrew1979).
fn convex_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn =
        |o: [f64; 2], a: [f64; 2], b: [f64; 2]| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut hull: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while hull.len() >= 2 && turn(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0.0 {
                hull.pop();
            }
            hull.push(p);
        }
        hull.pop();
        hull
    };
    let mut hull = chain(&mut points.iter().copied());
    hull.extend(chain(&mut points.iter().rev().copied()));
    hull
}

/// A hull seen edge-on, or one of a very thin rod, drawn with at least this thickness.
fn thickened(hull: Vec<[f64; 2]>, least: f64) -> Vec<[f64; 2]> {
    let farthest = |from: [f64; 2]| {
        hull.iter().copied().max_by(|a, b| distance(*a, from).total_cmp(&distance(*b, from))).unwrap_or(from)
    };
    let Some(first) = hull.first().copied() else { return hull };
    let a = farthest(first);
    let b = farthest(a);
    let length = distance(a, b);
    if length == 0.0 {
        return hull;
    }
    let across = [-(b[1] - a[1]) / length, (b[0] - a[0]) / length];
    let side = |p: &[f64; 2]| (p[0] - a[0]) * across[0] + (p[1] - a[1]) * across[1];
    let (low, high) = hull.iter().map(side).fold((0.0f64, 0.0f64), |(l, h), s| (l.min(s), h.max(s)));
    if high - low >= least {
        return hull;
    }
    let middle = 0.5 * (low + high);
    let shift = |p: [f64; 2], s: f64| [p[0] + s * across[0], p[1] + s * across[1]];
    let (up, down) = (middle + 0.5 * least, middle - 0.5 * least);
    vec![shift(a, down), shift(b, down), shift(b, up), shift(a, up)]
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}
