//! Terms of the velocity-level rows of rigid contact.
//!
//! The normal row of a contact with gap $\Phi$ reads $0 \le \gamma \perp v_n' + b + \epsilon\gamma \ge 0$ with the
//! normal velocity $v_n'$ at the end of the step, the impulse $\gamma$ [N·s], the bias b [m/s] and the compliance
//! $\epsilon$ [1/kg] (stewart1996, anitescu2006).

use crate::laws;

#[laws]
mod laws {
    use crate::number::{Scalar, larger, one, select_greater, smaller, zero};

    /// Bias and compliance of a row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct RowTerms<S = f64> {
        /// Bias b [m/s].
        pub bias: S,
        /// Compliance ε [1/kg].
        pub compliance: S,
    }

    /// Stabilization [m/s] of a gap $\Phi$ towards a resting overlap s ≥ 0:
    ///
    /// $$ b = \frac{\max(\Phi, 0)}{h} + \max\Bigl(\alpha\,\frac{\min(\Phi, 0) + s}{h}, -v_{max}\Bigr). $$
    ///
    /// A gap may close within the step; an overlap approaches s by the part `rate` = α a step, at no more than `recovery`
    /// [m/s]. With s = 0 and α = 1 this is the classical $\max(\Phi/h, -v_{max})$. Resting contacts that keep a tiny
    /// overlap do not flicker between open and closed, and errors of one step enter the next one α times smaller.
    pub fn stabilization_bias<S: Scalar>(gap: S, step: S, recovery: S, rate: S, overlap: S) -> S {
        larger(gap, zero()) / step + larger(rate * (smaller(gap, zero()) + overlap) / step, -recovery)
    }

    /// Terms of a contact with stiffness k [N/m] and damping c [N·s/m] at the end of the step,
    /// $\gamma = -h(k\Phi' + c v_n')$ with $\Phi' = \Phi + h v_n'$: $\epsilon = 1/(h^2k+hc)$, $b = k\Phi/(hk+c)$.
    ///
    /// The bias is bounded by the recovery speed like that of a rigid row. With k and c both zero there is no row:
    /// the result is not finite.
    pub fn regularized_row<S: Scalar>(gap: S, step: S, stiffness: S, damping: S, recovery: S) -> RowTerms<S> {
        let resistance = step * stiffness + damping;
        RowTerms {
            bias: larger(stiffness * gap / resistance, -recovery),
            compliance: one::<S>() / (step * resistance),
        }
    }

    /// Newton's restitution as a bias, $b = e\,v_n$ [m/s] for an approach faster than `threshold` [m/s], else 0.
    ///
    /// `velocity` is the normal velocity before the step, negative when the bodies approach. Slow approaches do not
    /// bounce, so that bodies come to rest in finite time.
    pub fn restitution_bias<S: Scalar>(velocity: S, restitution: S, threshold: S) -> S {
        select_greater(-threshold, velocity, restitution * velocity, zero())
    }

    /// Bias of a row with stabilization and restitution: the one that asks for the faster separation.
    ///
    /// Restitution counts only if the gap would close in this step, $\Phi + h v_n \le 0$.
    pub fn normal_bias<S: Scalar>(
        stabilization: S,
        gap: S,
        step: S,
        velocity: S,
        restitution: S,
        threshold: S,
    ) -> S {
        let rebound = restitution_bias(velocity, restitution, threshold);
        let faster = smaller(stabilization, rebound);
        let closing = select_greater(gap + step * velocity, zero(), stabilization, faster);
        select_greater(zero(), rebound, closing, stabilization)
    }

    /// Bias [m/s] that takes back the tilt of the relaxed cone, $b = \mu\,\lVert v_t\rVert$.
    ///
    /// The relaxation of anitescu2006 lets a sliding contact open at $\mu\lVert v_t\rVert$; added with the sliding
    /// speed of the last iterate, this term restores Coulomb's law at the fixed point (acary2011).
    pub fn tilt_bias<S: Scalar>(friction: S, slip: S) -> S {
        friction * slip
    }

    /// Impulse [N·s] by which a cone is shifted where surfaces stick with the force `adhesion` [N], $c = h\,F_a$: a contact
    /// opens only when it is pulled harder.
    pub fn cohesion_impulse<S: Scalar>(adhesion: S, step: S) -> S {
        step * adhesion
    }
}
