//! Long lines thinned without a visible change.

use crate::marks::Point;

/// Lines shorter than this are drawn as they are.
const SHORT: usize = 4_000;
/// Width of a column within which a line is reduced to its extent [px].
const COLUMN: f64 = 0.25;
/// A point nearer than this to the last one drawn is not seen [px].
const NEAR: f64 = 0.2;
/// A point this little beside the straight line between its neighbours is not seen [px].
const STRAIGHT: f64 = 0.06;
/// Most points one straight piece replaces, which bounds the work per point.
const PIECE: usize = 32;

/// Breaks a line at points without a place and thins the pieces.
///
/// Consecutive points in one narrow pixel column become at most four: the first, the lowest, the
/// highest and the last, in their order, so peaks survive however many samples there are.
pub(crate) fn visible_lines(points: impl Iterator<Item = Point>, count: usize) -> Vec<Vec<Point>> {
    let mut lines = Vec::new();
    let mut line = Thinned::new(count > SHORT);
    for point in points {
        if point[0].is_finite() && point[1].is_finite() {
            line.push(point);
        } else {
            lines.push(line.finish());
        }
    }
    lines.push(line.finish());
    lines.retain(|line| !line.is_empty());
    for line in &mut lines {
        *line = straightened(line);
        // A lone sample between gaps shows as a dot, thanks to the round caps.
        if let [only] = line[..] {
            line.push([only[0] + 0.01, only[1]]);
        }
    }
    lines
}

/// Leaves out points that lie on the straight piece between those that stay.
fn straightened(points: &[Point]) -> Vec<Point> {
    let mut out = Vec::new();
    let mut anchor = 0;
    out.extend(points.first());
    for end in 2..points.len() {
        let mut between = points[anchor + 1..end].iter();
        let straight = between.all(|p| distance(*p, points[anchor], points[end]) < STRAIGHT);
        if !straight || end - anchor > PIECE {
            anchor = end - 1;
            out.push(points[anchor]);
        }
    }
    if points.len() > 1 {
        out.extend(points.last());
    }
    out
}

/// Distance of a point from the piece between `a` and `b` [px].
fn distance(p: Point, a: Point, b: Point) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let square = dx * dx + dy * dy;
    let along = match square > 0.0 {
        true => (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square).clamp(0.0, 1.0),
        false => 0.0,
    };
    (p[0] - a[0] - along * dx).hypot(p[1] - a[1] - along * dy)
}

struct Thinned {
    thin: bool,
    out: Vec<Point>,
    column: f64,
    /// First, lowest, highest and last point of the column, each with its order of arrival.
    extent: Option<[(usize, Point); 4]>,
    order: usize,
}

impl Thinned {
    fn new(thin: bool) -> Self {
        Self { thin, out: Vec::new(), column: 0.0, extent: None, order: 0 }
    }

    fn push(&mut self, point: Point) {
        if !self.thin {
            self.out.push(point);
            return;
        }
        self.order += 1;
        let here = (self.order, point);
        let column = (point[0] / COLUMN).floor();
        match &mut self.extent {
            Some([_, low, high, last]) if column == self.column => {
                if point[1] < low.1[1] {
                    *low = here;
                }
                if point[1] > high.1[1] {
                    *high = here;
                }
                *last = here;
            }
            _ => {
                self.empty_column();
                self.column = column;
                self.extent = Some([here; 4]);
            }
        }
    }

    fn empty_column(&mut self) {
        let Some(mut extent) = self.extent.take() else {
            return;
        };
        extent.sort_by_key(|(order, _)| *order);
        for (_, [x, y]) in extent {
            let near = |[px, py]: &Point| (x - px).abs() < NEAR && (y - py).abs() < NEAR;
            if !self.out.last().is_some_and(near) {
                self.out.push([x, y]);
            }
        }
    }

    fn finish(&mut self) -> Vec<Point> {
        self.empty_column();
        std::mem::take(&mut self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_spike_in_a_million_samples_survives() {
        let count = 1_000_000;
        let sample = |i: usize| {
            let y = if i == 613_007 { 50.0 } else { (i as f64 * 0.1).sin() };
            [i as f64 / count as f64 * 900.0, y]
        };
        let lines = visible_lines((0..count).map(sample), count);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].len() < 4 * 3_700, "{}", lines[0].len());
        assert!(lines[0].iter().any(|point| point[1] == 50.0));
        assert!(lines[0].windows(2).all(|pair| pair[0][0] <= pair[1][0]));
    }

    #[test]
    fn what_is_left_out_lies_on_what_stays() {
        let circle = |i: usize| {
            let angle = i as f64 * 1e-3;
            [100.0 + 80.0 * angle.cos(), 100.0 + 80.0 * angle.sin()]
        };
        let points: Vec<Point> = (0..3000).map(circle).collect();
        let line = &visible_lines(points.iter().copied(), points.len())[0];
        assert!(line.len() < 200, "{}", line.len());
        for point in &points {
            let pieces = line.windows(2).map(|p| distance(*point, p[0], p[1]));
            assert!(pieces.fold(f64::INFINITY, f64::min) < 0.07);
        }
    }

    #[test]
    fn gaps_break_the_line() {
        let points = [[0.0, 0.0], [1.0, 1.0], [2.0, f64::NAN], [3.0, 1.0]];
        let lines = visible_lines(points.into_iter(), points.len());
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].len(), 2);
    }
}
