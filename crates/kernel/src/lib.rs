//! Physical laws and rotation algebra as small pure functions: no allocation, no input or output.
//!
//! # Writing a law
//!
//! A law that runs per pair, particle or integration point is written once and compiled for every kind of number: `f64`
//! and `f32`, SIMD lanes, duals, and with feature `gpu` for devices through CubeCL. It stands in a module under
//! [`macro@laws`]:
//!
//! ```ignore
//! use crate::laws;
//!
//! /// Settings, constants and set-up functions are plain Rust outside the block.
//! const SHARE: f64 = 0.25;
//!
//! #[laws]
//! mod laws {
//!     // Inside, imports are laws, by their path from the crate.
//!     use crate::number::{Scalar, any_positive, constant, select_greater, sqrt, zero};
//!     use crate::vector::{V3, dot, scaled};
//!
//!     /// Drag [N] …
//!     pub fn drag<S: Scalar>(#[comptime] model: &DragModel, slip: V3<S>, radius: S) -> V3<S> {
//!         let speed = sqrt(dot(slip, slip));
//!         let factor = match model.law {
//!             DragLaw::Stokes => one(),
//!             DragLaw::Quadratic { coefficient } => constant::<S>(coefficient) * speed,
//!         };
//!         scaled(factor * radius, slip)
//!     }
//! }
//! ```
//!
//! The items of the block belong to the file; their device twins are in a module `device` beside them. The rules are what
//! both sides can do:
//!
//! - free functions of [`number`] (`fma`, `sqrt`, `select_greater`, …) and [`vector`] on [`V3`], no methods of numbers,
//!   no operators that assign (`+=`); constants as `constant::<S>(0.5)`;
//! - one type parameter `S: Scalar` (or `number::Analytic` where angles are needed), the same in all laws called;
//! - structs with named fields (`struct Memory<S> { … }`), whole values in, whole values out: no `&mut`, no arrays;
//! - no `return`, no macros, no closures, no infinities: values beyond a large number mean "infinite";
//! - settings are marked `#[comptime]`: a `match` over them costs nothing on a device, and their numbers become constants;
//! - a branch on a number is `select_greater`, which evaluates both sides; where that costs a root, `if any_positive(x) {
//!   out = …; }` skips it when no lane needs it. An assignment to a `let mut` is the only way out of such a branch.
//!
//! Values of comparisons must not depend on which branch lanes take: a lane that is not above zero gets the same result on
//! either one.

pub mod cable;
pub mod contact;
pub mod corotated;
pub mod drag;
pub mod dual;
pub mod matrix;
pub mod nearest;
pub mod number;
pub mod point;
mod range;
pub mod rotation;
pub mod sph;
pub mod triple;
pub mod vector;

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};
pub use huygens_kernel_macros::laws;
pub use number::Scalar;
pub use range::NumberRange;
pub use vector::V3;
