//! Lines of results: a row of a table for people, a JSON object for programs.

use std::fmt;

use serde::Serialize;

use crate::cases::contact::ContactLine;
use crate::cases::fluid::{ConstraintLine, FluidLine};
use crate::cases::grains::GrainLine;
use crate::measure::MechanismLine;

/// What one run of a case gave: [`Display`](fmt::Display) writes a row for people, [`Line::json`] one for programs.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Line(Figures);

/// The figures of each kind of case.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Figures {
    Mechanism(MechanismLine),
    Contact(ContactLine),
    Grains(GrainLine),
    Fluid(FluidLine),
    Constraint(ConstraintLine),
}

impl Line {
    /// The line as one JSON object, without a line break; figures that a case does not have are `null`.
    pub fn json(&self) -> String {
        // Keys are strings and values plain numbers and texts, for which writing into memory cannot fail.
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    /// Moving bodies, elements, spheres, grains or particles there were.
    pub fn size(&self) -> usize {
        match &self.0 {
            Figures::Mechanism(line) => line.size,
            Figures::Contact(line) => line.size,
            Figures::Grains(line) => line.size,
            Figures::Fluid(line) => line.size,
            Figures::Constraint(line) => line.size,
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Figures::Mechanism(line) => line.fmt(f),
            Figures::Contact(line) => line.fmt(f),
            Figures::Grains(line) => line.fmt(f),
            Figures::Fluid(line) => line.fmt(f),
            Figures::Constraint(line) => line.fmt(f),
        }
    }
}

macro_rules! line_from {
    ($($kind:ident($figures:ty)),+) => {$(
        impl From<$figures> for Line {
            fn from(line: $figures) -> Self {
                Self(Figures::$kind(line))
            }
        }
    )+};
}

line_from!(
    Mechanism(MechanismLine),
    Contact(ContactLine),
    Grains(GrainLine),
    Fluid(FluidLine),
    Constraint(ConstraintLine)
);
