//! How long a step may be.

use huygens_kernel::contact::critical_step;
use huygens_kernel::contact::normal::hertz_impact;

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
        let materials = &self.settings.materials;
        let mut limit = StepLimit {
            rayleigh: f64::INFINITY,
            contact: f64::INFINITY,
            critical: f64::INFINITY,
            suggested: f64::INFINITY,
        };
        for (i, row) in self.fields.place.iter().enumerate() {
            // A sphere of a clump moves with about its share: an impact off the centre turns the clump too.
            let shared = self.fields.member.get(i).map_or(1.0, |[clump, _]| self.clumps.members(*clump));
            let (radius, inverse) = (row.0[3], self.fields.motion[i].0[3] * shared);
            if inverse == 0.0 {
                continue;
            }
            let own = usize::from(self.fields.material[i]);
            let surface = &materials[own];
            if surface.normal_stiffness.is_none() && surface.young.is_finite() {
                let density = 3.0 / (4.0 * std::f64::consts::PI * radius.powi(3) * inverse);
                let shear = surface.young / (2.0 * (1.0 + surface.poisson));
                let wave = std::f64::consts::PI * radius * (density / shear).sqrt();
                limit.rayleigh = limit.rayleigh.min(wave / (0.1631 * surface.poisson + 0.8766));
            }
            for other in 0..materials.len() {
                // The lightest partner is a grain of the same size, the stiffest contact one with a wall.
                let pair = &self.laws.pairs[own * self.laws.materials + other];
                let (mass, reduced) = (0.5 / inverse, 0.5 * radius);
                let stiffness = pair.stiffness_at_speed(&self.laws.model, mass, radius, speed);
                limit.critical = limit.critical.min(critical_step(mass, stiffness));
                if pair.young.is_finite() && surface.normal_stiffness.is_none() {
                    let impact = hertz_impact(pair.young, reduced, mass, speed.max(1e-9));
                    limit.contact = limit.contact.min(impact.duration);
                }
            }
        }
        limit.suggested = (limit.rayleigh / 5.0).min(limit.contact / 30.0).min(limit.critical / 3.0);
        limit
    }
}
