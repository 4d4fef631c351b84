//! Checks, and the table and JSON file made of them.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::error::{CaseError, Result};

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// |got − expected| ≤ tolerance.
    Within,
    /// got ≥ expected.
    AtLeast,
}

/// One number compared with what it should be.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What is compared, with its unit.
    pub quantity: String,
    /// What it should be.
    pub expected: f64,
    /// What it is.
    pub got: f64,
    /// Largest difference allowed.
    pub tolerance: f64,
    /// How it is compared.
    pub rule: Rule,
    /// Whether it holds.
    pub pass: bool,
}

impl Check {
    /// A number with an absolute tolerance.
    pub fn value(quantity: impl Into<String>, expected: f64, got: f64, tolerance: f64) -> Self {
        let pass = (got - expected).abs() <= tolerance;
        Self { quantity: quantity.into(), expected, got, tolerance, rule: Rule::Within, pass }
    }

    /// An error that should be zero.
    pub fn error(quantity: impl Into<String>, got: f64, tolerance: f64) -> Self {
        Self::value(quantity, 0.0, got, tolerance)
    }

    /// A number with a lower bound, such as an order of convergence.
    pub fn at_least(quantity: impl Into<String>, bound: f64, got: f64) -> Self {
        let pass = got >= bound;
        Self { quantity: quantity.into(), expected: bound, got, tolerance: 0.0, rule: Rule::AtLeast, pass }
    }

    /// What tables show: expected, got, tolerance.
    pub fn cells(&self) -> [String; 3] {
        let (expected, tolerance) = match self.rule {
            Rule::Within => (number(self.expected), format!("{:.2e}", self.tolerance)),
            Rule::AtLeast => (format!("≥ {}", self.expected), String::new()),
        };
        [expected, number(self.got), tolerance]
    }
}

/// What became of a case.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// It ran.
    Checked {
        /// What was compared.
        checks: Vec<Check>,
    },
    /// It did not run.
    Skipped {
        /// Why.
        reason: String,
    },
    /// It could not be finished.
    Broken {
        /// What went wrong.
        error: String,
    },
}

/// One case and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct CaseReport {
    /// Name of the case.
    pub case: String,
    /// What it is.
    pub summary: String,
    /// Where the expected values come from, where it is one source for all checks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// All cases.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Whether this was the short version.
    pub quick: bool,
    /// The cases, in the order of the list.
    pub cases: Vec<CaseReport>,
}

impl Report {
    /// Whether nothing failed.
    pub fn passed(&self) -> bool {
        self.cases.iter().all(|case| match &case.outcome {
            Outcome::Checked { checks } => checks.iter().all(|check| check.pass),
            Outcome::Skipped { .. } => true,
            Outcome::Broken { .. } => false,
        })
    }

    /// Writes the report as JSON.
    pub fn write_json(&self, path: &Path) -> Result<()> {
        let file = |source| CaseError::File { path: path.into(), source };
        let text = serde_json::to_string_pretty(self).map_err(|e| file(e.into()))?;
        std::fs::write(path, text + "\n").map_err(file)
    }

    fn counts(&self) -> [usize; 4] {
        let mut counts = [0; 4];
        for case in &self.cases {
            match &case.outcome {
                Outcome::Checked { checks } => {
                    let good = checks.iter().filter(|check| check.pass).count();
                    counts[0] += good;
                    counts[1] += checks.len() - good;
                }
                Outcome::Skipped { .. } => counts[2] += 1,
                Outcome::Broken { .. } => counts[3] += 1,
            }
        }
        counts
    }
}

fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (1e-2..1e5).contains(&size) {
        format!("{value:.7}")
    } else {
        format!("{value:.3e}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["case", "quantity", "expected", "got", "tolerance"];
        writeln!(f, "{:<28} {:<54} {:>16} {:>16} {:>12}  pass", head[0], head[1], head[2], head[3], head[4])?;
        for report in &self.cases {
            match &report.outcome {
                Outcome::Checked { checks } => {
                    for check in checks {
                        let [expected, got, tolerance] = check.cells();
                        let pass = if check.pass { "yes" } else { "NO" };
                        let (case, quantity) = (&report.case, &check.quantity);
                        writeln!(
                            f,
                            "{case:<28} {quantity:<54} {expected:>16} {got:>16} {tolerance:>12}  {pass}"
                        )?;
                    }
                }
                Outcome::Skipped { reason } => writeln!(f, "{:<28} skipped ({reason})", report.case)?,
                Outcome::Broken { error } => writeln!(f, "{:<28} FAILED: {error}", report.case)?,
            }
        }
        let [good, bad, skipped, broken] = self.counts();
        writeln!(
            f,
            "{good} checks passed, {bad} failed; {skipped} cases skipped, {broken} could not be finished"
        )
    }
}
