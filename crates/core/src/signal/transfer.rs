//! Linear systems given by a transfer function.

use super::error::SignalError;
use huygens_spec::TransferFunctionSpec;

/// Controllable canonical form of a proper transfer function.
///
/// With the denominator scaled to `sⁿ + a_1 sⁿ⁻¹ + … + a_n`: `ẋ_i = x_{i+1}`,
/// `ẋ_n = u − a_n x_1 − … − a_1 x_n` and `y = Σ (b_{n−i} − a_{n−i} b_0) x_{i+1} + b_0 u`.
#[derive(Clone, Debug)]
pub(super) struct TransferFunction {
    /// `a_n … a_1`: what multiplies `x_1 … x_n`.
    feedback: Vec<f64>,
    /// Weights of `x_1 … x_n` in the output.
    output: Vec<f64>,
    /// `b_0`: direct part of the output.
    direct: f64,
}

impl TransferFunction {
    pub(super) fn new(signal: &str, spec: &TransferFunctionSpec) -> Result<Self, SignalError> {
        let name = || signal.to_owned();
        for (parameter, list) in [("numerator", &spec.numerator), ("denominator", &spec.denominator)] {
            if list.is_empty() {
                return Err(SignalError::Count { signal: name(), parameter, expected: 1, found: 0 });
            }
            if let Some(&value) = list.iter().find(|c| !c.is_finite()) {
                return Err(SignalError::Parameter { signal: name(), parameter, value, expected: "finite" });
            }
        }
        let numerator = without_leading_zeros(&spec.numerator);
        let denominator = without_leading_zeros(&spec.denominator);
        let Some(&leading) = denominator.first() else {
            return Err(SignalError::ZeroDenominator { signal: name() });
        };
        if numerator.len() > denominator.len() {
            return Err(SignalError::Improper {
                signal: name(),
                numerator: numerator.len() - 1,
                denominator: denominator.len() - 1,
            });
        }
        let order = denominator.len() - 1;
        let mut b = vec![0.0; denominator.len() - numerator.len()];
        b.extend(numerator.iter().map(|c| c / leading));
        let direct = b[0];
        let feedback: Vec<f64> = (0..order).map(|i| denominator[order - i] / leading).collect();
        let output: Vec<f64> = (0..order).map(|i| b[order - i] - feedback[i] * direct).collect();
        if feedback.iter().chain(&output).chain([&direct]).any(|c| !c.is_finite()) {
            return Err(SignalError::Parameter {
                signal: name(),
                parameter: "denominator",
                value: leading,
                expected: "large enough in its leading coefficient to divide by",
            });
        }
        Ok(Self { feedback, output, direct })
    }

    pub(super) fn is_direct(&self) -> bool {
        self.direct != 0.0
    }

    pub(super) fn state_count(&self) -> usize {
        self.feedback.len()
    }

    /// `input` is read only if the direct part is not zero.
    pub(super) fn output(&self, input: impl FnOnce() -> f64, z: &[f64]) -> f64 {
        let from_states: f64 = self.output.iter().zip(z).map(|(c, x)| c * x).sum();
        if self.is_direct() { from_states + self.direct * input() } else { from_states }
    }

    pub(super) fn rates(&self, input: f64, z: &[f64], zdot: &mut [f64]) {
        let Some(last) = self.feedback.len().checked_sub(1) else { return };
        zdot[..last].copy_from_slice(&z[1..]);
        zdot[last] = input - self.feedback.iter().zip(z).map(|(a, x)| a * x).sum::<f64>();
    }
}

fn without_leading_zeros(list: &[f64]) -> &[f64] {
    let first = list.iter().position(|&c| c != 0.0).unwrap_or(list.len());
    &list[first..]
}
