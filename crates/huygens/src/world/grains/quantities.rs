//! Numbers of grains that probes can read.

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_particles::{GrainSystem, Row};

use super::{GrainSet, GrainsId};
use crate::world::quantities::{Part, Resolved, Source, XYZ, components, scalar, unknown};
use crate::world::{Result, World, WorldError};

/// One number of a set of grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct GrainQuantity {
    grains: GrainsId,
    what: GrainNumber,
}

/// Which number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum GrainNumber {
    Count,
    Contacts,
    Mass,
    Kinetic,
    Potential,
    Center(usize),
    Momentum(usize),
    /// Wall, 0 to 2 force, 3 to 5 torque.
    Wall(usize, usize),
    /// Inlet; number and mass of what appeared, number of what found no room.
    Inlet(usize, usize),
    /// Outlet, or the edge of the world after the last; number and mass.
    Outlet(usize, usize),
}

/// How the numbers of an inlet or outlet are found, their names and units.
type Gate = (Box<dyn Fn(usize) -> GrainNumber>, &'static [&'static str], [&'static str; 3]);

const QUANTITIES: [&str; 7] =
    ["count", "contact_count", "mass", "kinetic_energy", "potential_energy", "center", "momentum"];

fn mass(motion: &Row) -> f64 {
    if motion.0[3] > 0.0 { 1.0 / motion.0[3] } else { 0.0 }
}

/// Mass [kg] of all grains that forces move, and the sum of mass times `of` each.
fn weighed(system: &GrainSystem, of: impl Fn(&Row, &Row) -> DVec3) -> (f64, DVec3) {
    let rows = system.places().iter().zip(system.motions());
    rows.fold((0.0, DVec3::ZERO), |(total, sum), (place, motion)| {
        let mass = mass(motion);
        (total + mass, sum + mass * of(place, motion))
    })
}

/// Potential energy in gravity [J].
pub(super) fn potential_energy(system: &GrainSystem) -> f64 {
    let (_, moment) = weighed(system, |place, _| place.vector());
    -system.settings().gravity.dot(moment)
}

impl GrainSet {
    fn number(&self, what: GrainNumber) -> f64 {
        if let GrainNumber::Wall(wall, k) = what {
            return self.walls.get(wall).map_or(0.0, |w| w.wrench[k / 3][k % 3]);
        }
        let Some(system) = &self.system else { return 0.0 };
        let moved = |of: fn(&Row, &Row) -> DVec3| weighed(system, of);
        match what {
            GrainNumber::Count => system.len() as f64,
            GrainNumber::Contacts => system.contact_count() as f64,
            GrainNumber::Mass => moved(|_, _| DVec3::ZERO).0,
            GrainNumber::Kinetic => system.kinetic_energy(),
            GrainNumber::Potential => potential_energy(system),
            GrainNumber::Center(k) => {
                let (mass, sum) = moved(|place, _| place.vector());
                sum[k] / mass.max(f64::MIN_POSITIVE)
            }
            GrainNumber::Momentum(k) => moved(|_, motion| motion.vector()).1[k],
            GrainNumber::Inlet(inlet, k) => {
                let count = system.traffic().and_then(|t| t.inlet_counts.get(inlet));
                count.map_or(0.0, |c| [c.number as f64, c.mass, c.missed as f64][k])
            }
            GrainNumber::Outlet(outlet, k) => {
                let count = system.traffic().map(|t| t.outlet_counts.get(outlet).unwrap_or(&t.lost));
                count.map_or(0.0, |c| [c.number as f64, c.mass][k])
            }
            GrainNumber::Wall(..) => 0.0,
        }
    }
}

impl World {
    /// Kinetic energy and potential energy in gravity of all grains [J].
    pub(in crate::world) fn grain_energy(&self) -> [f64; 2] {
        let systems = self.grains.iter().filter_map(|s| s.system.as_ref());
        systems.fold([0.0; 2], |[kinetic, potential], system| {
            [kinetic + system.kinetic_energy(), potential + potential_energy(system)]
        })
    }

    pub(in crate::world) fn grain_number(&self, quantity: &GrainQuantity) -> f64 {
        self.grains.get(quantity.grains.0).map_or(0.0, |set| set.number(quantity.what))
    }

    /// An inlet, an outlet or the edge of the world (`boundary`) by name: its numbers, their names and units.
    fn gate(&self, grains: GrainsId, name: &str) -> Option<Gate> {
        const UNITS: [&str; 3] = ["1", "kg", "1"];
        let spec = &self.grains.get(grains.0)?.spec;
        if let Some(inlet) = spec.inlets.iter().position(|i| i.name == name) {
            return Some((
                Box::new(move |k| GrainNumber::Inlet(inlet, k)),
                &["count", "mass", "missed"],
                UNITS,
            ));
        }
        let outlets = spec.outlets.len();
        let edge = (name == "boundary" && spec.boundary.is_some()).then_some(outlets);
        let outlet = spec.outlets.iter().position(|o| o.name == name).or(edge)?;
        Some((Box::new(move |k| GrainNumber::Outlet(outlet, k)), &["count", "mass"], UNITS))
    }

    /// Numbers of a quantity of grains (`of = "sand"`) or of one of their walls (`of = "sand/floor"`), as probes write
    /// them; the model is built if it is not.
    pub fn measure_grains(&mut self, of: &str, quantity: &str) -> Result<Vec<f64>> {
        self.initialize()?;
        let grains = self.grains(of.split_once('/').map_or(of, |(name, _)| name))?;
        let (base, component) = quantity.split_once('.').map_or((quantity, None), |(b, c)| (b, Some(c)));
        let parts = self.grain_quantity(grains, of, base, component).map_err(|(problem, near)| {
            WorldError::Value {
                what: format!("{quantity} of '{of}'"),
                value: problem,
                expected: near.unwrap_or_else(|| "a quantity of grains or of a wall".into()),
            }
        })?;
        let number = |part: &Part| match &part.source {
            Source::Grains(quantity) => self.grain_number(quantity),
            _ => 0.0,
        };
        Ok(parts.iter().map(number).collect())
    }

    /// A quantity of grains, or of one of their walls given as `grains/wall`.
    pub(in crate::world) fn grain_quantity(
        &self,
        grains: GrainsId,
        of: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let source = |what| Source::Grains(GrainQuantity { grains, what });
        let Some((name, wall)) = of.split_once('/') else {
            return match base {
                "count" => scalar(component, "1", base, source(GrainNumber::Count)),
                "contact_count" => scalar(component, "1", base, source(GrainNumber::Contacts)),
                "mass" => scalar(component, "kg", base, source(GrainNumber::Mass)),
                "kinetic_energy" => scalar(component, "J", base, source(GrainNumber::Kinetic)),
                "potential_energy" => scalar(component, "J", base, source(GrainNumber::Potential)),
                "center" => components(&XYZ, component, "m", base, |k| source(GrainNumber::Center(k))),
                "momentum" => {
                    components(&XYZ, component, "kg·m/s", base, |k| source(GrainNumber::Momentum(k)))
                }
                _ => Err(unknown(of, "grains", base, &QUANTITIES)),
            };
        };
        if let Some((what, known, units)) = self.gate(grains, wall) {
            return match known.iter().position(|q| *q == base) {
                Some(k) => scalar(component, units[k], base, source(what(k))),
                None => Err(unknown(of, "gate", base, known)),
            };
        }
        let walls = self.grains.get(grains.0).map_or(&[][..], |set| &set.walls);
        let Some(index) = walls.iter().position(|w| w.name == wall) else {
            let near = closest_name(wall, walls.iter().map(|w| w.name.as_str()));
            return Err((
                format!("grains '{name}' have no wall '{wall}'"),
                near.map(|w| format!("{name}/{w}")),
            ));
        };
        let parts = |first: usize, unit| -> Resolved {
            components(&XYZ, component, unit, base, |k| source(GrainNumber::Wall(index, first + k)))
        };
        match base {
            "force" => parts(0, "N"),
            "torque" => parts(3, "N·m"),
            _ => Err(unknown(of, "wall", base, &["force", "torque"])),
        }
    }
}
