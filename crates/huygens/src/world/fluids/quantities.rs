//! Numbers of fluids that probes can read.

use glam::DVec3;
use huygens_core::signal::closest_name;

use super::{FluidId, FluidSet};
use crate::world::quantities::{Failure, Part, Resolved, Source, XYZ, components, scalar, unknown};
use crate::world::{Result, World, WorldError};

/// One number of a fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct FluidQuantity {
    fluid: FluidId,
    what: FluidNumber,
}

/// Which number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FluidNumber {
    Count,
    Lost,
    Mass,
    Kinetic,
    Potential,
    Elastic,
    /// Least and greatest density.
    Density(usize),
    Compressibility,
    Speed,
    Step,
    Center(usize),
    Momentum(usize),
    /// At a point.
    Pressure(DVec3),
    Velocity(DVec3, usize),
    Surface(DVec3),
    /// Wall, body or structure; 0 to 2 force, 3 to 5 torque.
    Solid(usize, usize),
    /// Inlet, or outlet after the last; count, mass, and mass flow in the last step.
    Gate(usize, usize),
}

const QUANTITIES: [&str; 15] = [
    "count",
    "lost",
    "mass",
    "kinetic_energy",
    "potential_energy",
    "elastic_energy",
    "density_range",
    "compressibility",
    "max_speed",
    "step",
    "center",
    "momentum",
    "pressure",
    "velocity",
    "surface_height",
];

const GATE: [&str; 3] = ["count", "mass", "mass_flow"];

impl FluidSet {
    fn number(&self, world: &World, what: FluidNumber) -> f64 {
        match what {
            FluidNumber::Solid(solid, k) => {
                return world.solid_wrench(self, solid)[k / 3][k % 3];
            }
            FluidNumber::Step => return world.step_of_fluid(self),
            _ => {}
        }
        let Some(fluid) = self.reading(world) else { return 0.0 };
        match what {
            FluidNumber::Count => fluid.len() as f64,
            FluidNumber::Lost => fluid.lost() as f64,
            FluidNumber::Mass => fluid.particle_mass() * fluid.len() as f64,
            FluidNumber::Kinetic => fluid.energy()[0],
            FluidNumber::Potential => fluid.energy()[1],
            FluidNumber::Elastic => fluid.energy()[2],
            FluidNumber::Density(k) if fluid.len() > 0 => fluid.density_range()[k],
            FluidNumber::Density(_) => self.spec.density,
            FluidNumber::Compressibility => fluid.compressibility(),
            FluidNumber::Speed => fluid.speed(),
            FluidNumber::Center(k) => fluid.center()[k],
            FluidNumber::Momentum(k) => fluid.momentum()[k],
            // Where there is no fluid there is no pressure.
            FluidNumber::Pressure(at) => fluid.at(at).map_or(0.0, |(pressure, _)| pressure),
            FluidNumber::Velocity(at, k) => fluid.at(at).map_or(0.0, |(_, velocity)| velocity[k]),
            FluidNumber::Surface(at) => fluid.surface_height(at).unwrap_or(f64::NAN),
            FluidNumber::Gate(gate, 0) => fluid.gate_count(gate),
            FluidNumber::Gate(gate, k) => world.gate_numbers(self, gate)[k - 1],
            FluidNumber::Solid(..) | FluidNumber::Step => 0.0,
        }
    }
}

impl World {
    pub(in crate::world) fn fluid_number(&self, quantity: &FluidQuantity) -> f64 {
        self.fluids.get(quantity.fluid.0).map_or(0.0, |set| set.number(self, quantity.what))
    }

    /// Numbers of a quantity of a fluid (`of = "water"`), at a point where it needs one, or of a wall, body, structure,
    /// inlet or outlet of it (`of = "water/tank"`), as probes write them; the model is built if it is not.
    pub fn measure_fluid(&mut self, of: &str, quantity: &str, point: Option<[f64; 3]>) -> Result<Vec<f64>> {
        self.initialize()?;
        let fluid = self.fluid(of.split_once('/').map_or(of, |(name, _)| name))?;
        let (base, component) = quantity.split_once('.').map_or((quantity, None), |(b, c)| (b, Some(c)));
        let parts = self.fluid_quantity(fluid, of, point, base, component).map_err(
            |Failure { problem, suggestion: near, .. }| WorldError::Value {
                what: format!("{quantity} of '{of}'"),
                value: problem,
                expected: near.unwrap_or_else(|| "a quantity of a fluid or of a part of it".into()),
            },
        )?;
        let number = |part: &Part| match &part.source {
            Source::Fluid(quantity) => self.fluid_number(quantity),
            _ => 0.0,
        };
        Ok(parts.iter().map(number).collect())
    }

    /// A quantity of a fluid, or of a part of it given as `fluid/part`.
    pub(in crate::world) fn fluid_quantity(
        &self,
        fluid: FluidId,
        of: &str,
        point: Option<[f64; 3]>,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let source = |what| Source::Fluid(FluidQuantity { fluid, what });
        let Some(set) = self.fluids.get(fluid.0) else {
            return Err(Failure::object(format!("there is no fluid '{of}'"), None));
        };
        let local = ["pressure", "velocity", "surface_height"].contains(&base);
        if point.is_some() && (!local || of.contains('/')) {
            return Err(Failure::object(
                format!("'{base}' of '{of}' is not measured at a point; leave `point` out"),
                None,
            ));
        }
        let Some((_, part)) = of.split_once('/') else {
            let one = |unit, what| scalar(component, unit, base, source(what));
            if local {
                let Some(point) = point.filter(|p| p.iter().all(|x| x.is_finite())) else {
                    return Err(Failure::object(format!("'{base}' of a fluid needs a `point`"), None));
                };
                let at = set.in_plane(DVec3::from_array(point));
                return match base {
                    "pressure" => one("Pa", FluidNumber::Pressure(at)),
                    "surface_height" => one("m", FluidNumber::Surface(at)),
                    _ => components(&XYZ, component, "m/s", base, |k| source(FluidNumber::Velocity(at, k))),
                };
            }
            return match base {
                "count" => one("1", FluidNumber::Count),
                "lost" => one("1", FluidNumber::Lost),
                "mass" => one("kg", FluidNumber::Mass),
                "kinetic_energy" => one("J", FluidNumber::Kinetic),
                "potential_energy" => one("J", FluidNumber::Potential),
                "elastic_energy" => one("J", FluidNumber::Elastic),
                "compressibility" => one("1", FluidNumber::Compressibility),
                "max_speed" => one("m/s", FluidNumber::Speed),
                "step" => one("s", FluidNumber::Step),
                "density_range" => components(&["least", "most"], component, "kg/m³", base, |k| {
                    source(FluidNumber::Density(k))
                }),
                "center" => components(&XYZ, component, "m", base, |k| source(FluidNumber::Center(k))),
                "momentum" => {
                    components(&XYZ, component, "kg·m/s", base, |k| source(FluidNumber::Momentum(k)))
                }
                _ => Err(unknown(of, "fluid", base, &QUANTITIES)),
            };
        };
        let gates = set.spec.inlets.iter().map(|i| &i.name).chain(set.spec.outlets.iter().map(|o| &o.name));
        if let Some(gate) = gates.clone().position(|name| name == part) {
            return match GATE.iter().position(|q| *q == base) {
                Some(k) => {
                    scalar(component, ["1", "kg", "kg/s"][k], base, source(FluidNumber::Gate(gate, k)))
                }
                None => Err(unknown(of, "gate", base, &GATE)),
            };
        }
        let Some(index) = set.solids.iter().position(|s| s.name == part) else {
            let known = set.solids.iter().map(|s| s.name.as_str()).chain(gates.map(String::as_str));
            let near = closest_name(part, known).map(|w| format!("{}/{w}", set.spec.name));
            return Err(Failure::object(format!("fluid '{}' has no part '{part}'", set.spec.name), near));
        };
        let three = |first: usize, unit| -> Resolved {
            components(&XYZ, component, unit, base, |k| source(FluidNumber::Solid(index, first + k)))
        };
        match base {
            "force" => three(0, "N"),
            "torque" => three(3, "N·m"),
            _ => Err(unknown(of, "part", base, &["force", "torque"])),
        }
    }
}
