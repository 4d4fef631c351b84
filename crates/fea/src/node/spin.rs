//! How the rotation and the stretch of a gradient change with it.
//!
//! For $F = R\,S$ and a change $\dot F$, with $A = R^T\dot F$, the axes turn by $w = (\mathrm{tr}S\,I - S)^{-1}\,x(A)$,
//! seen from themselves, where $x(A)$ is the vector of $A - A^T$, and the stretch changes by $\dot S = A - \hat w\,S$: a
//! motion that only turns the material leaves it as it is, at any stretch.

use huygens_kernel::corotated::{Corotated, Lame};
use huygens_kernel::matrix::{outer, trace};
use huygens_kernel::rotation::skew;
use huygens_kernel::{Mat3, Vec3};

/// A gradient taken apart, and what its changes ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spin {
    /// R.
    pub rotation: Mat3,
    /// S.
    pub stretch: Mat3,
    /// $(\mathrm{tr}S\,I - S)^{-1}$.
    turn: Mat3,
}

impl Spin {
    pub fn new(state: &Corotated) -> Self {
        let spread = Mat3::from_diagonal(Vec3::splat(trace(&state.stretch))) - state.stretch;
        Self { rotation: state.rotation, stretch: state.stretch, turn: spread.inverse() }
    }

    /// Turn of the axes, seen from themselves, and change of the stretch by a change of the gradient.
    pub fn changes(&self, gradient: &Mat3) -> (Vec3, Mat3) {
        let own = self.rotation.transpose() * *gradient;
        let turn = self.turn * axial(&own);
        let stretch = own - skew(turn) * self.stretch;
        (turn, (stretch + stretch.transpose()) * 0.5)
    }

    /// The vector z for which a moment m, seen from the axes, does the work $m\cdot w = A:\hat z$.
    pub fn of_moment(&self, moment: Vec3) -> Vec3 {
        self.turn * moment
    }

    /// What a stress t of the stretch puts on the gradient, seen from the axes: $T : A = t : \dot S$.
    pub fn on_gradient(&self, stress: &Mat3) -> Mat3 {
        *stress - skew(self.turn * axial(&(*stress * self.stretch)))
    }

    /// $\dot S_a : C\,\dot S_b$ for the velocities of two nodes whose shape functions have the gradients a and b, as a
    /// matrix over these velocities: with $N = (\mathrm{tr}S\,I - S)^{-1}$ and $H = \mathrm{tr}S^2\,I - S^2$,
    /// $R\,[\,2\mu\,((a\cdot b)\,I + \widehat{Sa}N\hat b + \hat a N\widehat{Sb} - \hat a NHN\hat b) + \lambda\,a
    /// b^T\,]\,R^T$.
    pub fn block(&self, lame: &Lame, a: Vec3, b: Vec3) -> Mat3 {
        let square = self.stretch * self.stretch;
        let spread = Mat3::from_diagonal(Vec3::splat(trace(&square))) - square;
        let (on_a, on_b) = (skew(a) * self.turn, self.turn * skew(b));
        let inner = Mat3::from_diagonal(Vec3::splat(a.dot(b)))
            + skew(self.stretch * a) * on_b
            + on_a * skew(self.stretch * b)
            - on_a * spread * on_b;
        let volume = outer(a, b) * lame.lambda;
        self.rotation * (inner * (2.0 * lame.mu) + volume) * self.rotation.transpose()
    }
}

/// The vector of $A - A^T$.
pub(crate) fn axial(a: &Mat3) -> Vec3 {
    Vec3::new(a.y_axis.z - a.z_axis.y, a.z_axis.x - a.x_axis.z, a.x_axis.y - a.y_axis.x)
}
