//! Smoothed particle hydrodynamics: kernels, equations of state, viscosity, limits of the step.

pub mod constraint;
pub mod flow;
pub mod pair;
pub mod particle;
pub mod smoothing;
pub mod state;
pub mod sums;
pub mod wall;

pub use flow::{Rheology, StepLimits};
pub use smoothing::{
    AnySmoothing, CubicSpline, Poly6Spiky, QuinticSpline, Smoothing, SmoothingKernel, SmoothingNumbers,
    SpaceDimension, WendlandC2, WendlandC4,
};
pub use state::StateEquation;
