//! The PID controller.

use huygens_spec::{AntiWindup, PidSpec};

use super::block::{check, check_limits};
use super::error::SignalError;

/// Controller with its parameters checked; the states are `[i][x]`, each present if its gain is not zero.
#[derive(Clone, Debug)]
pub(super) struct Pid {
    kp: f64,
    ki: f64,
    kd: f64,
    filter_time: f64,
    lower: f64,
    upper: f64,
    anti_windup: AntiWindup,
    initial_integral: f64,
    initial_error: f64,
}

impl Pid {
    pub(super) fn new(signal: &str, spec: &PidSpec) -> Result<Self, SignalError> {
        for (parameter, value) in [
            ("kp", spec.kp),
            ("ki", spec.ki),
            ("kd", spec.kd),
            ("initial_integral", spec.initial_integral),
            ("initial_error", spec.initial_error),
        ] {
            check(signal, parameter, value, value.is_finite(), "finite")?;
        }
        let filter_time = spec.filter_time.unwrap_or(0.0);
        if spec.kd != 0.0 || spec.filter_time.is_some() {
            let accepted = filter_time.is_finite() && filter_time > 0.0;
            check(signal, "filter_time", filter_time, accepted, "greater than zero if `kd` is given")?;
        }
        if let AntiWindup::BackCalculation { tracking_time } = spec.anti_windup {
            let accepted = tracking_time.is_finite() && tracking_time > 0.0;
            check(signal, "tracking_time", tracking_time, accepted, "greater than zero")?;
        }
        let (lower, upper) = check_limits(signal, spec.lower, spec.upper)?;
        Ok(Self {
            kp: spec.kp,
            ki: spec.ki,
            kd: spec.kd,
            filter_time,
            lower,
            upper,
            anti_windup: spec.anti_windup,
            initial_integral: spec.initial_integral,
            initial_error: spec.initial_error,
        })
    }

    pub(super) fn is_direct(&self) -> bool {
        self.kp != 0.0 || self.kd != 0.0
    }

    pub(super) fn state_count(&self) -> usize {
        usize::from(self.ki != 0.0) + usize::from(self.kd != 0.0)
    }

    pub(super) fn initialize(&self, z: &mut [f64]) {
        let mut states = z.iter_mut();
        if self.ki != 0.0 {
            states.next().into_iter().for_each(|i| *i = self.initial_integral);
        }
        if self.kd != 0.0 {
            states.next().into_iter().for_each(|x| *x = self.initial_error);
        }
    }

    pub(super) fn output(&self, error: f64, z: &[f64]) -> f64 {
        self.unlimited(error, z).clamp(self.lower, self.upper)
    }

    pub(super) fn rates(&self, error: f64, z: &[f64], zdot: &mut [f64]) {
        let mut next = 0;
        if self.ki != 0.0 {
            let unlimited = self.unlimited(error, z);
            zdot[next] = self.integral_rate(error, unlimited);
            next += 1;
        }
        if self.kd != 0.0 {
            zdot[next] = (error - z[next]) / self.filter_time;
        }
    }

    /// `v = k_p e + i + k_d (e − x)/T_f`.
    fn unlimited(&self, error: f64, z: &[f64]) -> f64 {
        let mut states = z.iter();
        let mut sum = if self.is_direct() { self.kp * error } else { 0.0 };
        sum += if self.ki != 0.0 { states.next().copied().unwrap_or(0.0) } else { self.initial_integral };
        if self.kd != 0.0 {
            let filtered = states.next().copied().unwrap_or(0.0);
            sum += self.kd * (error - filtered) / self.filter_time;
        }
        sum
    }

    fn integral_rate(&self, error: f64, unlimited: f64) -> f64 {
        let rate = self.ki * error;
        let limited = unlimited.clamp(self.lower, self.upper);
        match self.anti_windup {
            AntiWindup::None => rate,
            AntiWindup::Clamping => {
                let outwards =
                    (unlimited > self.upper && rate > 0.0) || (unlimited < self.lower && rate < 0.0);
                if outwards { 0.0 } else { rate }
            }
            AntiWindup::BackCalculation { tracking_time } => rate + (limited - unlimited) / tracking_time,
        }
    }
}
