//! Functions given as Rust closures.

use std::fmt;
use std::sync::Arc;

type Scalar = dyn Fn(f64) -> f64 + Send + Sync;
type WithDerivatives = dyn Fn(f64) -> [f64; 3] + Send + Sync;

/// Function given by a closure; it has a name for messages and cannot be written to a file.
#[derive(Clone)]
pub struct FunctionCustom {
    name: Arc<str>,
    law: Law,
}

#[derive(Clone)]
enum Law {
    Value(Arc<Scalar>),
    Derivatives(Arc<WithDerivatives>),
}

impl FunctionCustom {
    /// Wraps a closure; its derivatives are found by central differences.
    pub fn new(name: impl Into<Arc<str>>, value: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Self { name: name.into(), law: Law::Value(Arc::new(value)) }
    }

    /// Wraps a closure that returns value, first and second derivative.
    pub fn with_derivatives(
        name: impl Into<Arc<str>>,
        law: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), law: Law::Derivatives(Arc::new(law)) }
    }

    /// Name given by the user.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Value at `t`.
    pub fn value(&self, t: f64) -> f64 {
        match &self.law {
            Law::Value(value) => value(t),
            Law::Derivatives(law) => law(t)[0],
        }
    }

    /// Value, first and second derivative at `t`.
    ///
    /// Central differences use the steps `ε^{1/3}` and `ε^{1/4}` (times `max(1, |t|)`), which balance
    /// truncation against rounding for laws that vary on the scale of a second; give derivatives for faster ones.
    pub fn evaluate(&self, t: f64) -> [f64; 3] {
        let value = match &self.law {
            Law::Derivatives(law) => return law(t),
            Law::Value(value) => value,
        };
        let scale = t.abs().max(1.0);
        let here = value(t);
        let h = f64::EPSILON.cbrt() * scale;
        let (after, before) = (t + h, t - h);
        let rate = (value(after) - value(before)) / (after - before);
        let h = f64::EPSILON.sqrt().sqrt() * scale;
        let acceleration = (value(t + h) - 2.0 * here + value(t - h)) / (h * h);
        [here, rate, acceleration]
    }
}

impl fmt::Debug for FunctionCustom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionCustom").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Two closures are equal when they are the same one.
impl PartialEq for FunctionCustom {
    fn eq(&self, other: &Self) -> bool {
        match (&self.law, &other.law) {
            (Law::Value(a), Law::Value(b)) => Arc::ptr_eq(a, b),
            (Law::Derivatives(a), Law::Derivatives(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}
