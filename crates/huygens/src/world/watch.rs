//! What is chosen before the first step and checked after every one.

use huygens_core::analysis::{AssemblyReport, Moved};
use huygens_core::contact::OnFailure;
use huygens_core::integrator::Integrator;
use huygens_core::watch::Finding;
use huygens_core::{CoreError, Model, Subject};

use super::warnings::About;
use super::{Result, World, WorldError};

/// The integrator that suits a model: one that supports everything the model has.
pub(super) fn automatic(model: &Model) -> Integrator {
    let (joints, one_sided) = (model.row_count() > 0, model.unilateral_row_count() > 0);
    // Joint limits, ropes, constraint fluids and rigid contact need impulses.
    if one_sided || model.has_cones() {
        return Integrator::Euler;
    }
    match model.contact() {
        None => Integrator::default(),
        // Elements are stiff.
        Some(_) if model.has_nodes() => Integrator::Hht { alpha: -0.1 },
        Some(_) if joints => Integrator::Euler,
        Some(_) => Integrator::Leapfrog,
    }
}

/// Rows that a warning names.
const SHOWN: usize = 8;

/// Distance [m] or angle [rad] from which it is said.
const NOTABLE: f64 = 1e-6;
/// Objects that the warning about assembly names.
const NAMED: usize = 4;

/// How far assembly moved objects, in words; nothing if they fitted.
pub(super) fn about_assembly(report: &AssemblyReport) -> Option<String> {
    let words = |m: &Moved| {
        let distance = match m.distance {
            d if d >= 1e-3 => format!("{d:.4} m"),
            d => format!("{d:.2e} m"),
        };
        let angle = format!("{:.4}°", m.angle.to_degrees());
        match (m.distance > NOTABLE, m.angle > NOTABLE) {
            (true, true) => format!("{} by {distance} and {angle}", m.what),
            (true, false) => format!("{} by {distance}", m.what),
            (false, _) => format!("{} by {angle}", m.what),
        }
    };
    let named: Vec<String> = report.displaced.iter().take(NAMED).map(words).collect();
    let more = match report.displaced.len() - named.len() {
        0 => String::new(),
        1 => " and one more object".into(),
        n => format!(" and {n} more objects"),
    };
    (!named.is_empty()).then(|| {
        format!(
            "the initial positions violate the joints; assembly moved {}{more}; check positions and frames if this is not \
             intended",
            named.join(", ")
        )
    })
}

/// What assembly found out about redundant rows, in words.
pub(super) fn about_redundancy(report: &AssemblyReport) -> String {
    let list = |rows: &[String]| {
        let shown = rows[..rows.len().min(SHOWN)].join("; ");
        match rows.len().saturating_sub(SHOWN) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        }
    };
    let (count, hidden) = (report.redundant.len(), report.hidden.len());
    if hidden > 0 {
        return format!(
            "{hidden} constraint rows cannot be distinguished from others in double precision, because the masses of the bodies \
             they join differ too much: {}; these joints may come apart, and reactions in these directions are meaningless",
            list(&report.hidden)
        );
    }
    let rows = list(&report.redundant);
    if !report.directions_checked {
        return format!(
            "{count} redundant constraint rows: {rows}; whether they are consistent with the others only shows while the simulation runs, and reactions in these directions are not unique"
        );
    }
    format!(
        "{count} redundant constraint rows: {rows}; all rows are satisfied at the start (to {:.1e}), so the motion is correct, but reactions in these directions are not unique",
        report.residual
    )
}

impl World {
    /// Adds a warning for what steps noticed, once for each object.
    pub(super) fn warn_of(&mut self, findings: Vec<Finding>) {
        let quiet = self.settings.contact.rigid.on_failure == OnFailure::Accept;
        for finding in findings {
            match finding {
                Finding::Open { .. } | Finding::Violated { .. } if quiet => {}
                Finding::Open { row, constraint, residual, bound, time } => {
                    self.reports.warnings.once(About::Constraint(constraint.clone()), || {
                        format!(
                            "{constraint} does not hold: at t = {time:.6} s {row} has a gap of {residual:.3e}, more than the \
                             {bound:.1e} allowed after a step; a shorter dt or a smaller mass ratio may help"
                        )
                    });
                }
                Finding::Violated { constraints, time } => self.reports.warnings.once(About::Limits, || {
                    let list: Vec<String> =
                        constraints.iter().map(|(name, gap)| format!("{name} by {gap:.3e}")).collect();
                    let last = "; they contradict each other or other constraints on these bodies";
                    let last = if list.len() > 1 { last } else { "; other constraints hold these bodies" };
                    format!("limits stay violated at t = {time:.6} s: {}{last}", list.join("; "))
                }),
                Finding::Passage { mover, other, speed, safe_step, time } => {
                    self.reports.warnings.once(About::Passage(mover.clone(), other.clone()), || {
                        format!(
                            "{mover} passed into {other} within one step, without a contact being found, before t = {time:.6} s \
                             at {speed:.3e} m/s; a dt below {safe_step:.1e} s would detect the contact"
                        )
                    });
                }
            }
        }
    }

    /// Adds to an error about a body, such as one that is no longer finite, what the body touched.
    pub(super) fn blame(&self, error: CoreError) -> CoreError {
        let touched = |what: Subject| {
            let body = what.about().filter(|object| object.kind == "body");
            let body = body.and_then(|object| self.body(&object.name).ok());
            match body.map(|id| self.touching(id)).unwrap_or_default() {
                names if names.is_empty() => what,
                names => what.map(|what| format!("{what} (it touched {names} in the last step)")),
            }
        };
        match error {
            CoreError::NonFinite { what, time, step } => {
                CoreError::NonFinite { what: touched(what), time, step }
            }
            CoreError::Singular { what, reason } => CoreError::Singular { what: touched(what), reason },
            other => other,
        }
    }

    /// Refuses a state in which a body has left the world.
    pub(super) fn check_bounds(&self) -> Result<()> {
        let (Some([low, high]), Some(s)) = (self.settings.bounds, &self.motion.simulation) else {
            return Ok(());
        };
        let inside = |p: &[f64]| (0..3).all(|k| low[k] <= p[k] && p[k] <= high[k]);
        for (id, spec) in &self.objects.bodies {
            let Some(centre) = s.mechanism.body_position(*id) else { continue };
            if inside(&s.state.q[centre..][..3]) {
                continue;
            }
            return Err(WorldError::LeftBounds {
                body: spec.name.clone(),
                position: self.body_position(*id)?,
                time: s.state.time,
                step: s.state.step,
                touching: match self.touching(*id) {
                    names if names.is_empty() => names,
                    names => format!("; it touched {names} in the last step"),
                },
            });
        }
        Ok(())
    }
}
