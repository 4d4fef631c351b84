//! Whole benchmark cases: mechanisms, cables, beds of spheres, a brick wall, grains and water, timed on the processor's
//! clock, with a measure of how accurate each run was.
//!
//! [`CASES`] names them, a [`Request`] says which one and how, and [`run`] measures it, one [`Line`] a size. This is
//! what `huygens bench` prints.
//!
//! ```
//! use huygens_bench::{Request, run};
//! # fn main() -> Result<(), huygens_bench::BenchError> {
//! let request = Request { sizes: vec![4, 8], steps: Some(10), ..Request::new("pendulum_chain") };
//! let mut sizes = Vec::new();
//! run(&request, &mut |line| sizes.push(line.size()))?;
//! assert_eq!(sizes, [4, 8]);
//! # Ok(())
//! # }
//! ```

mod cases;
mod clock;
mod error;
mod measure;
mod report;
mod request;
mod workload;

pub use cases::{CASES, Case, find_case};
pub use error::BenchError;
pub use huygens_core::contact::{ConeMethod, FrictionModel};
pub use huygens_core::integrator::Integrator;
pub use report::Line;
pub use request::{Request, SIZE_LIMIT};

/// Measures the case asked for, one size after the other, and hands over each line of results as soon as it is there.
///
/// # Errors
///
/// The first size that cannot be measured ends the run; lines handed over before stay valid.
pub fn run(request: &Request, each: &mut dyn FnMut(&Line)) -> Result<(), BenchError> {
    let case = request.check()?;
    let sizes = if case.has_sizes { &request.sizes[..] } else { &[1] };
    for &size in sizes {
        each(&(case.run)(request, size)?);
    }
    Ok(())
}
