//! Terms of the velocity-level rows of rigid contact.
//!
//! The normal row of a contact with gap $\Phi$ reads $0 \le \gamma \perp v_n' + b + \epsilon\gamma \ge 0$ with the
//! normal velocity $v_n'$ at the end of the step, the impulse $\gamma$ [N·s], the bias b [m/s] and the compliance
//! $\epsilon$ [1/kg] (stewart1996, anitescu2006).

/// Bias and compliance of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowTerms {
    /// Bias b [m/s].
    pub bias: f64,
    /// Compliance ε [1/kg].
    pub compliance: f64,
}

/// Stabilization [m/s] of a gap $\Phi$ towards a resting overlap s ≥ 0:
///
/// $$ b = \frac{\max(\Phi, 0)}{h} + \max\Bigl(\alpha\,\frac{\min(\Phi, 0) + s}{h}, -v_{max}\Bigr). $$
///
/// A gap may close within the step; an overlap approaches s by the part `rate` = α a step, at no more than `recovery`
/// [m/s]. With s = 0 and α = 1 this is the classical $\max(\Phi/h, -v_{max})$. Resting contacts that keep a tiny
/// overlap do not flicker between open and closed, and errors of one step enter the next one α times smaller.
#[inline]
pub fn stabilization_bias(gap: f64, step: f64, recovery: f64, rate: f64, overlap: f64) -> f64 {
    gap.max(0.0) / step + (rate * (gap.min(0.0) + overlap) / step).max(-recovery)
}

/// Terms of a contact with stiffness k [N/m] and damping c [N·s/m] at the end of the step,
/// $\gamma = -h(k\Phi' + c v_n')$ with $\Phi' = \Phi + h v_n'$: $\epsilon = 1/(h^2k+hc)$, $b = k\Phi/(hk+c)$.
///
/// The bias is bounded by the recovery speed like that of a rigid row. With k and c both zero there is no row:
/// the result is not finite.
#[inline]
pub fn regularized_row(gap: f64, step: f64, stiffness: f64, damping: f64, recovery: f64) -> RowTerms {
    let resistance = step * stiffness + damping;
    RowTerms { bias: (stiffness * gap / resistance).max(-recovery), compliance: 1.0 / (step * resistance) }
}

/// Newton's restitution as a bias, $b = e\,v_n$ [m/s] for an approach faster than `threshold` [m/s], else 0.
///
/// `velocity` is the normal velocity before the step, negative when the bodies approach. Slow approaches do not
/// bounce, so that bodies come to rest in finite time.
#[inline]
pub fn restitution_bias(velocity: f64, restitution: f64, threshold: f64) -> f64 {
    let mut out = 0.0;
    if velocity < -threshold {
        out = restitution * velocity;
    }
    out
}

/// Bias of a row with stabilization and restitution: the one that asks for the faster separation.
///
/// Restitution counts only if the gap would close in this step, $\Phi + h v_n \le 0$.
#[inline]
pub fn normal_bias(
    stabilization: f64,
    gap: f64,
    step: f64,
    velocity: f64,
    restitution: f64,
    threshold: f64,
) -> f64 {
    let mut out = stabilization;
    let rebound = restitution_bias(velocity, restitution, threshold);
    if rebound < 0.0 && gap + step * velocity <= 0.0 {
        out = out.min(rebound);
    }
    out
}

/// Bias [m/s] that takes back the tilt of the relaxed cone, $b = \mu\,\lVert v_t\rVert$.
///
/// The relaxation of anitescu2006 lets a sliding contact open at $\mu\lVert v_t\rVert$; added with the sliding
/// speed of the last iterate, this term restores Coulomb's law at the fixed point (acary2011).
#[inline]
pub fn tilt_bias(friction: f64, slip: f64) -> f64 {
    friction * slip
}
