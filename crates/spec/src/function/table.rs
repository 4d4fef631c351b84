//! Tabulated functions with linear, cubic and Akima interpolation.

use huygens_spec::SceneObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{FunctionError, check_finite};
use super::spline::{
    Ends, Segment, akima_segments, cubic_segments, interval_of, linear_segments, segment_value,
};

/// How a table is filled between its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Straight lines: continuous, with jumps of the rate at the points.
    #[default]
    Linear,
    /// Cubic spline, twice continuously differentiable; natural ends, or periodic ones.
    Cubic,
    /// Akima's cubics (`akima1970`): once continuously differentiable, they do not oscillate beside a kink.
    Akima,
}

/// What a table does outside its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum Extrapolation {
    /// Keeps the first and last values, with zero rate.
    #[default]
    Hold,
    /// Continues with the slopes at the two ends.
    Linear,
    /// Repeats; the last value must equal the first, and splines are closed smoothly.
    Periodic,
}

/// Tabulated function of one variable, with its interpolant prepared.
///
/// Two points give a line whatever the interpolation; Akima's ends take slopes continued from the
/// two outermost intervals, so three points suffice for it to be curved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(try_from = "TableForm", into = "TableForm")]
#[schemars(with = "TableForm")]
pub struct Table {
    abscissae: Vec<f64>,
    values: Vec<f64>,
    interpolation: Interpolation,
    extrapolation: Extrapolation,
    segments: Vec<Segment>,
}

/// Points of a function of time and how to fill the gaps.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Table")]
pub(super) struct TableForm {
    /// Times [s], strictly increasing.
    times: Vec<f64>,
    /// Values, as many as times.
    values: Vec<f64>,
    /// How to fill between the points.
    #[serde(default)]
    interpolation: Interpolation,
    /// What happens outside the points.
    #[serde(default)]
    extrapolation: Extrapolation,
}

impl TryFrom<TableForm> for Table {
    type Error = FunctionError;
    fn try_from(form: TableForm) -> Result<Self, FunctionError> {
        Self::new(form.times, form.values, form.interpolation, form.extrapolation)
    }
}

impl From<Table> for TableForm {
    fn from(table: Table) -> Self {
        Self {
            times: table.abscissae,
            values: table.values,
            interpolation: table.interpolation,
            extrapolation: table.extrapolation,
        }
    }
}

impl Table {
    /// Checks the points and prepares the interpolant.
    pub fn new(
        abscissae: Vec<f64>,
        values: Vec<f64>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<Self, FunctionError> {
        check_points(&abscissae, &values)?;
        let (first, last) = (values[0], values[values.len() - 1]);
        let periodic = extrapolation == Extrapolation::Periodic;
        if periodic && first != last {
            return Err(FunctionError::NotPeriodic { first, last });
        }
        let ends = if periodic { Ends::Periodic } else { Ends::Natural };
        let segments = match interpolation {
            Interpolation::Linear => linear_segments(&abscissae, &values),
            Interpolation::Cubic => cubic_segments(&abscissae, &values, ends),
            Interpolation::Akima => akima_segments(&abscissae, &values, ends),
        };
        if segments.iter().flatten().any(|c| !c.is_finite()) {
            return Err(FunctionError::Overflow);
        }
        Ok(Self { abscissae, values, interpolation, extrapolation, segments })
    }

    /// Abscissae, strictly increasing.
    pub fn abscissae(&self) -> &[f64] {
        &self.abscissae
    }

    /// Values at the abscissae.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Interpolation between the points.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Behaviour outside the points.
    pub fn extrapolation(&self) -> Extrapolation {
        self.extrapolation
    }

    /// Value, first and second derivative at `x`.
    ///
    /// Where a derivative jumps (a point of a linear table) the value from the right is given,
    /// except at the last point.
    pub fn evaluate(&self, x: f64) -> [f64; 3] {
        let (first, last) = (self.abscissae[0], self.abscissae[self.abscissae.len() - 1]);
        let outside = x < first || x > last;
        match self.extrapolation {
            Extrapolation::Hold if outside => [self.at(x.clamp(first, last))[0], 0.0, 0.0],
            Extrapolation::Linear if outside => {
                let end = x.clamp(first, last);
                let [value, slope, _] = self.at(end);
                [value + slope * (x - end), slope, 0.0]
            }
            Extrapolation::Periodic if outside => self.at(first + (x - first).rem_euclid(last - first)),
            _ => self.at(x),
        }
    }

    fn at(&self, x: f64) -> [f64; 3] {
        let i = interval_of(&self.abscissae, x);
        let [value, rate, acceleration, _] = segment_value(&self.segments[i], x - self.abscissae[i]);
        // The polynomial would miss the last point by a rounding error.
        let value = if x == self.abscissae[i + 1] { self.values[i + 1] } else { value };
        [value, rate, acceleration]
    }
}

fn check_points(abscissae: &[f64], values: &[f64]) -> Result<(), FunctionError> {
    if abscissae.len() != values.len() {
        return Err(FunctionError::LengthMismatch { abscissae: abscissae.len(), values: values.len() });
    }
    if abscissae.len() < 2 {
        return Err(FunctionError::TooFewPoints { needed: 2, found: abscissae.len() });
    }
    for &x in abscissae {
        check_finite("abscissae", x)?;
    }
    for &y in values {
        check_finite("values", y)?;
    }
    for (i, pair) in abscissae.windows(2).enumerate() {
        if pair[1] <= pair[0] {
            return Err(FunctionError::NotIncreasing { index: i + 1, previous: pair[0], value: pair[1] });
        }
    }
    Ok(())
}
