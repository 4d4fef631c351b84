//! How long a step may be.

use std::ops::Range;

use huygens_exec::Exec;
use huygens_kernel::contact::critical_step;
use huygens_kernel::contact::normal::hertz_impact;

use crate::grains::list::CHUNK;
use crate::grains::system::GrainSystem;

/// Times that limit the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepLimit {
    /// Least Rayleigh time [s], $\pi r\sqrt{\rho/G}/(0.1631\nu + 0.8766)$ (li2005): a surface wave runs half
    /// round a grain.
    pub rayleigh: f64,
    /// Least duration [s] of an impact at the speed that was asked for.
    pub contact: f64,
    /// Least $\sqrt{m/k}$ [s] at the depth of that impact.
    pub critical: f64,
    /// A step [s] that is safe for all: a fifth of the Rayleigh time, a thirtieth of an impact, a third of the
    /// critical step.
    pub suggested: f64,
}

impl GrainSystem {
    /// Limits of the step where grains meet at the relative speed `speed` [m/s].
    ///
    /// Materials whose stiffness is given directly have no Rayleigh time: theirs is infinite.
    pub fn step_limit(&self, speed: f64) -> StepLimit {
        self.step_limit_on(&Exec::serial(), speed)
    }

    /// The same as [`GrainSystem::step_limit`], on many threads.
    pub fn step_limit_on(&self, ex: &Exec, speed: f64) -> StepLimit {
        let of =
            |range: Range<usize>| range.fold(StepLimit::NONE, |limit, i| limit.join(self.limit_of(i, speed)));
        let all = ex.reduce(self.fields.extent().owned, CHUNK, of, StepLimit::join);
        let limit = all.unwrap_or(StepLimit::NONE);
        let suggested = (limit.rayleigh / 5.0).min(limit.contact / 30.0).min(limit.critical / 3.0);
        StepLimit { suggested, ..limit }
    }

    /// Limits by one grain.
    fn limit_of(&self, i: usize, speed: f64) -> StepLimit {
        let (model, fields) = (&self.model, &self.fields);
        let materials = &model.settings.materials;
        let mut limit = StepLimit::NONE;
        // A sphere of a clump moves with about its share: an impact off the centre turns the clump too.
        let shared = self.clumps.members(fields.clump_of(i));
        let (radius, inverse) = (fields.place.read()[i].0[3], fields.motion.read()[i].0[3] * shared);
        if inverse == 0.0 {
            return limit;
        }
        let own = usize::from(fields.material.read()[i]);
        let surface = &materials[own];
        if surface.normal_stiffness.is_none() && surface.young.is_finite() {
            let density = 3.0 / (4.0 * std::f64::consts::PI * radius.powi(3) * inverse);
            let shear = surface.young / (2.0 * (1.0 + surface.poisson));
            let wave = std::f64::consts::PI * radius * (density / shear).sqrt();
            limit.rayleigh = wave / (0.1631 * surface.poisson + 0.8766);
        }
        for other in 0..materials.len() {
            // The lightest partner is a grain of the same size, the stiffest contact one with a wall.
            let pair = model.law_of(own, other);
            let (mass, reduced) = (0.5 / inverse, 0.5 * radius);
            let stiffness = pair.stiffness_at_speed(&model.laws.model, mass, radius, speed);
            limit.critical = limit.critical.min(critical_step(mass, stiffness));
            if pair.young.is_finite() && surface.normal_stiffness.is_none() {
                let impact = hertz_impact(pair.young, reduced, mass, speed.max(1e-9));
                limit.contact = limit.contact.min(impact.duration);
            }
        }
        limit
    }
}

impl StepLimit {
    const NONE: Self = Self {
        rayleigh: f64::INFINITY,
        contact: f64::INFINITY,
        critical: f64::INFINITY,
        suggested: f64::INFINITY,
    };

    fn join(self, other: Self) -> Self {
        Self {
            rayleigh: self.rayleigh.min(other.rayleigh),
            contact: self.contact.min(other.contact),
            critical: self.critical.min(other.critical),
            suggested: self.suggested.min(other.suggested),
        }
    }
}
