//! Cubic spline curves in space.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{FunctionError, check_finite};
use super::spline::{Ends, Segment, cubic_segments, interval_of, segment_value};

/// Samples of one interval in the global search for the closest point.
const SAMPLES_PER_INTERVAL: usize = 8;
/// Newton steps allowed in the search for the closest point; quadratic convergence needs about five.
const CLOSEST_ITERATIONS: usize = 50;

/// Cubic spline through points in space, over the chord length `s` between them.
///
/// Open curves have natural ends and continue as straight lines beyond them, which keeps `c''`
/// continuous; closed ones wrap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "CurveForm", into = "CurveForm")]
pub struct Curve3 {
    points: Vec<DVec3>,
    closed: bool,
    knots: Vec<f64>,
    segments: Vec<[Segment; 3]>,
}

/// Points of a spline curve.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Curve3")]
struct CurveForm {
    /// Points the curve goes through [m].
    points: Vec<[f64; 3]>,
    /// Whether the last point is joined to the first.
    #[serde(default)]
    closed: bool,
}

impl TryFrom<CurveForm> for Curve3 {
    type Error = FunctionError;
    fn try_from(form: CurveForm) -> Result<Self, FunctionError> {
        Self::new(form.points.into_iter().map(DVec3::from_array).collect(), form.closed)
    }
}

impl From<Curve3> for CurveForm {
    fn from(curve: Curve3) -> Self {
        Self { points: curve.points.iter().map(|p| p.to_array()).collect(), closed: curve.closed }
    }
}

impl Curve3 {
    /// Curve through `points` [m]: at least two, or three if closed (the first need not be repeated at the end).
    pub fn new(mut points: Vec<DVec3>, closed: bool) -> Result<Self, FunctionError> {
        for coordinate in points.iter().flat_map(|p| p.to_array()) {
            check_finite("points", coordinate)?;
        }
        if closed && points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        let needed = if closed { 3 } else { 2 };
        if points.len() < needed {
            return Err(FunctionError::TooFewPoints { needed, found: points.len() });
        }
        let mut through = points.clone();
        if closed {
            through.push(points[0]);
        }
        let mut knots = vec![0.0];
        for (i, pair) in through.windows(2).enumerate() {
            let before = knots[i];
            let after = before + pair[0].distance(pair[1]);
            if after <= before {
                return Err(FunctionError::RepeatedPoint { index: i + 1 });
            }
            knots.push(after);
        }
        let ends = if closed { Ends::Periodic } else { Ends::Natural };
        let axis = |k: usize| {
            let values: Vec<f64> = through.iter().map(|p| p[k]).collect();
            cubic_segments(&knots, &values, ends)
        };
        let [x, y, z] = [axis(0), axis(1), axis(2)];
        let segments: Vec<[Segment; 3]> = (0..x.len()).map(|i| [x[i], y[i], z[i]]).collect();
        if segments.iter().flatten().flatten().any(|c| !c.is_finite()) {
            return Err(FunctionError::Overflow);
        }
        Ok(Self { points, closed, knots, segments })
    }

    /// Points the curve goes through [m].
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Whether the curve is closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Range of the parameter: the sum of the chords [m].
    pub fn length(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    /// Parameter at which the curve goes through each point [m]; a closed curve ends with its first point again.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Point `c(s)` [m], tangent `c'(s)` (not normalized) and `c''(s)` [1/m].
    pub fn evaluate(&self, s: f64) -> (DVec3, DVec3, DVec3) {
        let [c, tangent, second, _] = self.derivatives(s);
        (c, tangent, second)
    }

    /// `c'''(s)` [1/m²], constant between two points; the velocity terms of a joint on the curve need it.
    pub fn third_derivative(&self, s: f64) -> DVec3 {
        self.derivatives(s)[3]
    }

    fn derivatives(&self, s: f64) -> [DVec3; 4] {
        let length = self.length();
        if self.closed {
            return self.within(s.rem_euclid(length));
        }
        let end = s.clamp(0.0, length);
        let [c, tangent, second, third] = self.within(end);
        if s == end {
            return [c, tangent, second, third];
        }
        [c + tangent * (s - end), tangent, DVec3::ZERO, DVec3::ZERO]
    }

    fn within(&self, s: f64) -> [DVec3; 4] {
        let i = interval_of(&self.knots, s);
        let u = s - self.knots[i];
        let [x, y, z] = &self.segments[i];
        let (x, y, z) = (segment_value(x, u), segment_value(y, u), segment_value(z, u));
        [0, 1, 2, 3].map(|k| DVec3::new(x[k], y[k], z[k]))
    }

    /// Parameter of the point of the curve closest to `p` [m], found from the guess `s_guess`.
    ///
    /// Minimizes `φ(s) = ½|c(s) − p|²` by Newton steps on `φ' = (c − p)·c'`, with
    /// `φ'' = c'·c' + (c − p)·c''` replaced by `c'·c'` where it is not convex, and halved until `φ`
    /// decreases. The minimum is a local one; it lies on the straight extension if it is beyond an
    /// open end. The parameter of a closed curve is not wrapped, so that it follows the guess.
    pub fn closest(&self, p: DVec3, s_guess: f64) -> f64 {
        let longest_step = self.length() / self.segments.len() as f64;
        let resolution = 4.0 * f64::EPSILON * (self.length() + s_guess.abs());
        let mut s = s_guess;
        for _ in 0..CLOSEST_ITERATIONS {
            let (c, tangent, second) = self.evaluate(s);
            let away = c - p;
            let speed_squared = tangent.length_squared();
            let slope = away.dot(tangent);
            let convex = speed_squared + away.dot(second);
            let curvature = if convex > 0.1 * speed_squared { convex } else { speed_squared };
            if curvature <= 0.0 {
                return s;
            }
            let mut step = (-slope / curvature).clamp(-longest_step, longest_step);
            let allowed = away.length_squared() * (1.0 + 4.0 * f64::EPSILON);
            while (self.evaluate(s + step).0 - p).length_squared() > allowed && step.abs() > resolution {
                step *= 0.5;
            }
            if step.is_nan() || step.abs() <= resolution {
                return s;
            }
            s += step;
        }
        s
    }

    /// Parameter of the point closest to `p` over the whole curve [m], in `[0, length)` if it is closed.
    ///
    /// Samples every interval, then refines from each sample that is closer than its neighbours.
    pub fn closest_global(&self, p: DVec3) -> f64 {
        let count = self.segments.len() * SAMPLES_PER_INTERVAL;
        let parameter = |k: usize| {
            let i = (k / SAMPLES_PER_INTERVAL).min(self.segments.len() - 1);
            let part = (k - i * SAMPLES_PER_INTERVAL) as f64 / SAMPLES_PER_INTERVAL as f64;
            self.knots[i] + part * (self.knots[i + 1] - self.knots[i])
        };
        let distance = |s: f64| (self.evaluate(s).0 - p).length_squared();
        let sample = |k: usize| distance(parameter(k));
        let (mut best, mut best_distance) = (0.0, f64::INFINITY);
        for k in 0..=count {
            let here = sample(k);
            let before = if k > 0 { sample(k - 1) } else { f64::INFINITY };
            let after = if k < count { sample(k + 1) } else { f64::INFINITY };
            if here > before || here > after {
                continue;
            }
            let s = self.closest(p, parameter(k));
            let refined = distance(s);
            if refined < best_distance {
                (best, best_distance) = (s, refined);
            }
        }
        if self.closed { best.rem_euclid(self.length()) } else { best }
    }
}
