//! Statistics of contact over many steps.

use super::StepReport;

/// Contact statistics over many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactStatistics {
    /// Steps with contacts.
    pub steps: u64,
    /// Largest number of contacts in a step.
    pub most_contacts: usize,
    /// Iterations of the contact solver in all steps.
    pub iterations: u64,
    /// Steps in which it did not reach its tolerance.
    pub missed: u64,
    /// Largest residual of these [m/s].
    pub worst_residual: f64,
    /// Time of that step [s].
    pub worst_time: f64,
    /// Smallest critical step √(m/k) of compliant contacts [s]; zero where there were none.
    pub critical_step: f64,
    /// Explicit steps that were longer than their critical step.
    pub too_long: u64,
}

impl ContactStatistics {
    /// Counts a step that ended at `time` [s]; `explicit` methods need steps below the critical one.
    pub fn record(&mut self, report: &StepReport, time: f64, explicit: bool) {
        if report.contacts == 0 {
            return;
        }
        self.steps += 1;
        self.most_contacts = self.most_contacts.max(report.contacts);
        self.iterations += report.contact_iterations as u64;
        if !report.contact_converged {
            self.missed += 1;
            if report.contact_residual >= self.worst_residual {
                (self.worst_residual, self.worst_time) = (report.contact_residual, time);
            }
        }
        let critical = report.critical_step;
        if critical > 0.0 && critical.is_finite() {
            if self.critical_step == 0.0 || critical < self.critical_step {
                self.critical_step = critical;
            }
            self.too_long += u64::from(explicit && report.step_size > critical);
        }
    }
}
