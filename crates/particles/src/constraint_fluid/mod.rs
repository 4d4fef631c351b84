//! Fluids as constraints: the density of every marker is a row of the cone problem that joints and contacts share.
//!
//! A fluid of markers of equal mass is incompressible where $d_i = \sum_j W_{ij}/n_0 - 1 \le 0$, with $n_0$ the sum over a
//! lattice at the spacing. Step by step,
//!
//! $$ 0 \le \gamma_i \perp -d_i/h - \dot d_i(v') \ge 0, \qquad p_i = \gamma_i/(hV), $$
//!
//! together with all other rows of the model (bodin2012; macklin2013): pressure is the multiplier that keeps markers
//! apart, and steps are limited by the motion, not by sound. Multipliers are not negative by default, so that a free
//! surface feels no tension; with [`FluidLaw::Density`]`{ bilateral: true, .. }` every row is an equation.
//!
//! One kernel gives W and ∇W. With two, as is usual in graphics, the rows are not the derivative of $d$: the step then
//! pushes along a direction that does not lower the density it has measured, and stabilization works against itself.
//!
//! Walls and bodies are markers that move with frames of the model. They count in densities and have rows of their own,
//! whose multiplier is the pressure in the wall, so that a fluid marker meets a wall as it meets fluid. Rows of pairs add
//! to nothing over all columns, so momentum is exact. [`ConstraintFluid::proxies`] makes markers balls of the contact
//! stage besides: what has no markers, and friction.

mod fluid;
mod kernels;
mod markers;
mod nearness;
mod pairs;
mod rows;
mod settings;
mod view;
mod walls;

pub use fluid::{ConstraintFluid, FluidPlace};
pub use rows::FluidRows;
pub use settings::{Clumping, ConstraintFluidSettings, FluidLaw, MarkerContact};
pub use view::WallMarker;
pub use walls::{FluidWall, WallCarrier};
