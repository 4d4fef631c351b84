//! What is asked of a benchmark.

use std::path::PathBuf;

use huygens_core::contact::{ConeMethod, FrictionModel};
use huygens_core::integrator::Integrator;

use crate::cases::{Case, find_case};
use crate::error::BenchError;

/// Largest size of a case.
pub const SIZE_LIMIT: usize = 10_000_000;

/// What is asked of a benchmark; options that a case has no use for are left aside.
#[derive(Clone, Debug)]
pub struct Request {
    /// Name of the case.
    pub case: String,
    /// Variant of the case; the first one if empty.
    pub variant: String,
    /// Numbers of links, elements, spheres, grains or particles.
    pub sizes: Vec<usize>,
    /// Threads of the timed steps; 0 takes all cores.
    pub threads: usize,
    /// Timed steps, if not those of the case.
    pub steps: Option<usize>,
    /// Timed runs or windows, of which the fastest counts.
    pub repeat: usize,
    /// Time integrator of mechanisms and cables.
    pub integrator: Integrator,
    /// Solver of rigid contact.
    pub solver: ConeMethod,
    /// Most iterations of the contact solver, or of a fluid of constraints, in a step.
    pub iterations: Option<usize>,
    /// Residual at which the contact solver stops before that [m/s].
    pub tolerance: Option<f64>,
    /// Whether steps start from the contact impulses of the step before.
    pub warm_start: bool,
    /// Friction of rigid contact.
    pub friction: FrictionModel,
    /// Folder with tables of settled beds of grains; without it beds are made.
    pub data: Option<PathBuf>,
}

impl Request {
    /// A case as `huygens bench` runs it if nothing else is said: size 32, one thread, one run.
    pub fn new(case: impl Into<String>) -> Self {
        Self {
            case: case.into(),
            variant: String::new(),
            sizes: vec![32],
            threads: 1,
            steps: None,
            repeat: 1,
            integrator: Integrator::GeneralizedAlpha { rho: 0.8 },
            solver: ConeMethod::Apgd,
            iterations: None,
            tolerance: None,
            warm_start: true,
            friction: FrictionModel::default(),
            data: None,
        }
    }

    /// The case that is meant, if all that is asked of it exists.
    pub(crate) fn check(&self) -> Result<&'static Case, BenchError> {
        let case =
            find_case(&self.case).ok_or_else(|| BenchError::UnknownCase { case: self.case.clone() })?;
        if !self.variant.is_empty() && !case.variants.contains(&self.variant.as_str()) {
            let (variant, variants) = (self.variant.clone(), case.variants);
            return Err(BenchError::UnknownVariant { case: case.name, variant, variants });
        }
        if let Some(size) = self.sizes.iter().find(|size| !(1..=SIZE_LIMIT).contains(*size)) {
            return Err(BenchError::Size { size: *size });
        }
        if self.steps == Some(0) {
            return Err(BenchError::NoSteps);
        }
        Ok(case)
    }
}
