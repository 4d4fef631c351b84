//! The numbers that settings of contact have where a scene gives none, relative to its own scale.
//!
//! `docs/decisions/0023-numbers-of-contact-defaults.md` lists them with their reasons; a test compares the two.

/// Tolerance of the cone problem, relative to the speed that gravity gives in a step.
pub const TOLERANCE: f64 = 2e-3;
/// Bounce threshold, relative to the speed that gravity gives in a step.
pub const BOUNCE: f64 = 2.0;
/// Recovery speed, relative to $\sqrt{gR}$ of a typical shape.
pub const RECOVERY: f64 = 0.5;
/// Envelope that each of two shapes brings, relative to its bounding radius.
pub const ENVELOPE: f64 = 1e-3;
/// Overlap at which contacts rest, relative to the smaller bounding radius.
pub const RESTING_OVERLAP: f64 = 5e-6;
/// Without gravity: the part of the largest velocity component of a body that stands for what gravity gives in a step.
pub const GAINED: f64 = 1e-3;
/// Without gravity: the part of the radius of a typical shape that may be recovered in a step.
pub const RECOVERY_PART: f64 = 0.1;
