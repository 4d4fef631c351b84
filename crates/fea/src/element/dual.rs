//! Numbers that carry their derivatives: those of the kernel under the names used here.

pub use huygens_kernel::dual::Dual;
pub use huygens_kernel::number::Analytic as Real;
