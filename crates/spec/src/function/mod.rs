//! Functions of time with their first and second derivatives, and spline curves in space.

mod curve;
mod custom;
mod error;
mod file;
mod spline;
mod table;

use std::f64::consts::TAU;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use curve::Curve3;
pub use custom::FunctionCustom;
pub use error::FunctionError;
pub use table::{Extrapolation, Interpolation, Table};

use error::check_finite;

/// Function of time; in a scene file a bare number is a constant, anything else an object with a `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(remote = "Self", tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Function", transform = file::allow_number)]
pub enum Function {
    /// Constant value.
    Constant {
        /// Value.
        value: f64,
    },
    /// Line that starts, and may stop, at given times: `y = y₀ + k (clamp(t, t₀, t₁) − t₀)`.
    Ramp {
        /// Value until the start time.
        #[serde(default)]
        start_value: f64,
        /// Slope, per second.
        slope: f64,
        /// Time at which the line starts [s].
        #[serde(default)]
        start_time: f64,
        /// Time from which the value is held [s]; never if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end_time: Option<f64>,
    },
    /// Polynomial `Σ c_i tⁱ`.
    Polynomial {
        /// Coefficients, the constant one first.
        coefficients: Vec<f64>,
    },
    /// Harmonic `y = o + A sin(2π f t + φ)`.
    Sine {
        /// Amplitude.
        amplitude: f64,
        /// Frequency [Hz].
        frequency: f64,
        /// Phase [rad].
        #[serde(default)]
        phase: f64,
        /// Mean value.
        #[serde(default)]
        offset: f64,
    },
    /// Cycloidal step `τ − sin(2πτ)/2π`: rate and acceleration vanish at both ends.
    StepCycloidal {
        /// Value before the step.
        from: f64,
        /// Value after the step.
        to: f64,
        /// Time at which it starts [s].
        start: f64,
        /// Time it takes [s].
        duration: f64,
    },
    /// Polynomial step `10τ³ − 15τ⁴ + 6τ⁵`: rate and acceleration vanish at both ends.
    StepPoly345 {
        /// Value before the step.
        from: f64,
        /// Value after the step.
        to: f64,
        /// Time at which it starts [s].
        start: f64,
        /// Time it takes [s].
        duration: f64,
    },
    /// Table of points.
    Table(Table),
    /// Sum of functions.
    Sum {
        /// Functions to add.
        terms: Vec<Function>,
    },
    /// Product of functions.
    Product {
        /// Functions to multiply.
        factors: Vec<Function>,
    },
    /// Composition `outer(inner(t))`.
    Composition {
        /// Function applied last.
        outer: Box<Function>,
        /// Function of time applied first.
        inner: Box<Function>,
    },
    /// Closure; it exists in memory only.
    #[serde(skip)]
    Custom(FunctionCustom),
}

/// Functions of time name no objects and no files.
impl huygens_spec::SceneObject for Function {
    fn visit_mut(&mut self, path: &huygens_spec::KeyPath<'_>, visitor: &mut dyn huygens_spec::VisitorMut) {
        visitor.function(path, self);
    }
}

impl Function {
    /// Constant function.
    pub const fn constant(value: f64) -> Self {
        Self::Constant { value }
    }

    /// Function given by a closure; derivatives by central differences.
    pub fn custom(
        name: impl Into<std::sync::Arc<str>>,
        value: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::Custom(FunctionCustom::new(name, value))
    }

    /// Function given by a closure that returns value, first and second derivative.
    pub fn custom_with_derivatives(
        name: impl Into<std::sync::Arc<str>>,
        law: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static,
    ) -> Self {
        Self::Custom(FunctionCustom::with_derivatives(name, law))
    }

    /// Table of points.
    pub fn table(
        times: Vec<f64>,
        values: Vec<f64>,
        interpolation: Interpolation,
        extrapolation: Extrapolation,
    ) -> Result<Self, FunctionError> {
        Table::new(times, values, interpolation, extrapolation).map(Self::Table)
    }

    /// Composition `self(inner(t))`.
    pub fn of(self, inner: Function) -> Self {
        Self::Composition { outer: Box::new(self), inner: Box::new(inner) }
    }

    /// Value at time `t`.
    pub fn value(&self, t: f64) -> f64 {
        match self {
            // Differencing a closure that is asked only for its value would cost four more calls.
            Self::Custom(custom) => custom.value(t),
            Self::Sum { terms } => terms.iter().map(|f| f.value(t)).sum(),
            Self::Product { factors } => factors.iter().map(|f| f.value(t)).product(),
            Self::Composition { outer, inner } => outer.value(inner.value(t)),
            _ => self.evaluate(t)[0],
        }
    }

    /// First derivative at time `t`.
    pub fn rate(&self, t: f64) -> f64 {
        self.evaluate(t)[1]
    }

    /// Second derivative at time `t`.
    pub fn acceleration(&self, t: f64) -> f64 {
        self.evaluate(t)[2]
    }

    /// Value, first and second derivative at time `t`; where one jumps, its value from the right.
    pub fn evaluate(&self, t: f64) -> [f64; 3] {
        match self {
            Self::Constant { value } => [*value, 0.0, 0.0],
            Self::Ramp { start_value, slope, start_time, end_time } => {
                let end = end_time.unwrap_or(f64::INFINITY);
                let moving = t >= *start_time && t < end;
                let elapsed = (t.min(end) - start_time).max(0.0);
                [start_value + slope * elapsed, if moving { *slope } else { 0.0 }, 0.0]
            }
            Self::Polynomial { coefficients } => polynomial(coefficients, t),
            Self::Sine { amplitude, frequency, phase, offset } => {
                let omega = TAU * frequency;
                let (sin, cos) = (omega * t + phase).sin_cos();
                [offset + amplitude * sin, amplitude * omega * cos, -amplitude * omega * omega * sin]
            }
            Self::StepCycloidal { from, to, start, duration } => {
                step(*from, *to, *start, *duration, t, cycloidal)
            }
            Self::StepPoly345 { from, to, start, duration } => {
                step(*from, *to, *start, *duration, t, poly345)
            }
            Self::Table(table) => table.evaluate(t),
            Self::Sum { terms } => terms.iter().fold([0.0; 3], |sum, f| {
                let y = f.evaluate(t);
                [sum[0] + y[0], sum[1] + y[1], sum[2] + y[2]]
            }),
            Self::Product { factors } => factors.iter().fold([1.0, 0.0, 0.0], |u, f| {
                let w = f.evaluate(t);
                [u[0] * w[0], u[1] * w[0] + u[0] * w[1], u[2] * w[0] + 2.0 * u[1] * w[1] + u[0] * w[2]]
            }),
            Self::Composition { outer, inner } => {
                let [x, dx, ddx] = inner.evaluate(t);
                let [y, dy, ddy] = outer.evaluate(x);
                [y, dy * dx, ddy * dx * dx + dy * ddx]
            }
            Self::Custom(custom) => custom.evaluate(t),
        }
    }

    /// Checks every parameter; functions read from a file have passed it already.
    pub fn validate(&self) -> Result<(), FunctionError> {
        match self {
            Self::Constant { value } => check_finite("value", *value),
            Self::Ramp { start_value, slope, start_time, end_time } => {
                check_finite("start_value", *start_value)?;
                check_finite("slope", *slope)?;
                check_finite("start_time", *start_time)?;
                let Some(end) = *end_time else { return Ok(()) };
                check_finite("end_time", end)?;
                if end < *start_time {
                    return Err(FunctionError::EndBeforeStart { start: *start_time, end });
                }
                Ok(())
            }
            Self::Polynomial { coefficients } => {
                check_filled("coefficients", coefficients)?;
                coefficients.iter().try_for_each(|&c| check_finite("coefficients", c))
            }
            Self::Sine { amplitude, frequency, phase, offset } => {
                check_finite("amplitude", *amplitude)?;
                check_finite("frequency", *frequency)?;
                check_finite("phase", *phase)?;
                check_finite("offset", *offset)
            }
            Self::StepCycloidal { from, to, start, duration }
            | Self::StepPoly345 { from, to, start, duration } => {
                check_finite("from", *from)?;
                check_finite("to", *to)?;
                check_finite("start", *start)?;
                check_finite("duration", *duration)?;
                if *duration <= 0.0 {
                    return Err(FunctionError::NotPositive { parameter: "duration", value: *duration });
                }
                Ok(())
            }
            Self::Table(_) | Self::Custom(_) => Ok(()),
            Self::Sum { terms } => validate_parts("terms", terms),
            Self::Product { factors } => validate_parts("factors", factors),
            Self::Composition { outer, inner } => {
                outer.validate().map_err(|e| e.in_part("outer"))?;
                inner.validate().map_err(|e| e.in_part("inner"))
            }
        }
    }
}

impl Default for Function {
    fn default() -> Self {
        Self::constant(0.0)
    }
}

impl From<f64> for Function {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl From<Table> for Function {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

fn check_filled<T>(parameter: &'static str, list: &[T]) -> Result<(), FunctionError> {
    if list.is_empty() { Err(FunctionError::Empty { parameter }) } else { Ok(()) }
}

fn validate_parts(parameter: &'static str, parts: &[Function]) -> Result<(), FunctionError> {
    check_filled(parameter, parts)?;
    for (i, part) in parts.iter().enumerate() {
        part.validate().map_err(|e| e.in_part(format!("{parameter}[{i}]")))?;
    }
    Ok(())
}

/// Horner's rule carried through two derivatives.
fn polynomial(coefficients: &[f64], t: f64) -> [f64; 3] {
    let mut y = [0.0; 3];
    for &c in coefficients.iter().rev() {
        y = [y[0] * t + c, y[1] * t + y[0], y[2] * t + 2.0 * y[1]];
    }
    y
}

fn step(from: f64, to: f64, start: f64, duration: f64, t: f64, shape: fn(f64) -> [f64; 3]) -> [f64; 3] {
    if t <= start {
        return [from, 0.0, 0.0];
    }
    if t >= start + duration {
        return [to, 0.0, 0.0];
    }
    let [s, ds, dds] = shape((t - start) / duration);
    let rise = to - from;
    [from + rise * s, rise * ds / duration, rise * dds / (duration * duration)]
}

fn cycloidal(tau: f64) -> [f64; 3] {
    let (sin, cos) = (TAU * tau).sin_cos();
    [tau - sin / TAU, 1.0 - cos, TAU * sin]
}

fn poly345(tau: f64) -> [f64; 3] {
    let rest = 1.0 - tau;
    [
        tau * tau * tau * (10.0 + tau * (6.0 * tau - 15.0)),
        30.0 * (tau * rest) * (tau * rest),
        60.0 * tau * rest * (1.0 - 2.0 * tau),
    ]
}
