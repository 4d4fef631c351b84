//! Numbers of grains that probes can read.

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_particles::measure::{Coordination, granular_temperature};
use huygens_particles::{GrainBlock, GrainSystem, Row};

use super::{GrainSet, GrainsId};
use crate::spec::ProbeSpec;
use crate::world::quantities::{Failure, Part, Resolved, Source, XYZ, components, scalar, unknown};
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
    Elastic,
    Dissipated,
    Center(usize),
    Momentum(usize),
    /// Wall, 0 to 2 force, 3 to 5 torque.
    Wall(usize, usize),
    /// Inlet; number and mass of what appeared, number of what found no room.
    Inlet(usize, usize),
    /// Outlet, or the domain boundary after the last; number and mass.
    Outlet(usize, usize),
    Coordination,
    Temperature,
    /// Measure of one row, and its column.
    Measure(usize, usize),
}

/// How the numbers of an inlet or outlet are found, their names and units.
type Gate = (Box<dyn Fn(usize) -> GrainNumber>, &'static [&'static str], [&'static str; 3]);

const QUANTITIES: [&str; 11] = [
    "count",
    "contact_count",
    "coordination",
    "mass",
    "kinetic_energy",
    "potential_energy",
    "elastic_energy",
    DISSIPATED,
    "temperature",
    "center",
    "momentum",
];

/// What contacts have lost; it is measured where a probe asks for it.
const DISSIPATED: &str = "dissipated_energy";

/// Mass [kg] of all grains that forces move, and the sum of mass times `of` each.
fn weighed(system: &GrainSystem, of: impl Fn(&Row, &Row) -> DVec3) -> (f64, DVec3) {
    let rows = system.places().iter().zip(system.motions()).enumerate();
    rows.fold((0.0, DVec3::ZERO), |(total, sum), (i, (place, motion))| {
        let mass = system.mass(i);
        (total + mass, sum + mass * of(place, motion))
    })
}

impl GrainSet {
    fn number(&self, world: &World, what: GrainNumber) -> f64 {
        if let GrainNumber::Wall(wall, k) = what {
            return world.wall_wrench(self, wall)[k / 3][k % 3];
        }
        let Some(GrainBlock { system, .. }) = world.grain_block(&self.spec.name) else { return 0.0 };
        let moved = |of: fn(&Row, &Row) -> DVec3| weighed(system, of);
        match what {
            GrainNumber::Count => system.len() as f64,
            GrainNumber::Contacts => system.contact_count() as f64,
            GrainNumber::Mass => moved(|_, _| DVec3::ZERO).0,
            GrainNumber::Kinetic => system.kinetic_energy(),
            GrainNumber::Potential => system.potential_energy(),
            GrainNumber::Elastic => system.elastic_energy(),
            GrainNumber::Dissipated => system.energy().dissipated.total(),
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
            // Load-bearing is no question of the mean over all.
            GrainNumber::Coordination => Coordination::of(system, 0).mean,
            GrainNumber::Temperature => granular_temperature(system, None),
            GrainNumber::Wall(..) | GrainNumber::Measure(..) => 0.0,
        }
    }
}

impl World {
    /// Has the sets measure their losses for which a probe asks.
    pub(super) fn measure_losses(&mut self) {
        for k in 0..self.grains.len() {
            let name = self.grains[k].spec.name.clone();
            let asks = |probe: &ProbeSpec| {
                probe.of.as_deref() == Some(name.as_str()) && probe.quantity.as_deref() == Some(DISSIPATED)
            };
            if self.probes.iter().any(asks) {
                self.measure_loss(&name);
            }
        }
    }

    /// Has a set measure its losses from now on.
    fn measure_loss(&mut self, name: &str) {
        let measures = self.grain_block(name).is_none_or(|block| block.system.measures_energy());
        if let Some(block) = self.grain_block_mut(name).filter(|_| !measures) {
            block.system.measure_energy(true);
        }
    }

    pub(in crate::world) fn grain_number(&self, quantity: &GrainQuantity) -> f64 {
        let Some(set) = self.grains.get(quantity.grains.0) else { return 0.0 };
        match quantity.what {
            GrainNumber::Measure(measure, column) => {
                let table =
                    set.spec.measures.get(measure).map(|m| self.built_table(quantity.grains, &m.quantity));
                // What was refused when it was described is not asked for.
                table.and_then(|t| t.ok()).and_then(|t| t.values.get(column).copied()).unwrap_or(f64::NAN)
            }
            what => set.number(self, what),
        }
    }

    /// An inlet, an outlet or the domain boundary (`boundary`) by name: its numbers, their names and units.
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
    ///
    /// `dissipated_energy` is counted from the first time it is asked for.
    pub fn measure_grains(&mut self, of: &str, quantity: &str) -> Result<Vec<f64>> {
        self.initialize()?;
        let grains = self.grains(of.split_once('/').map_or(of, |(name, _)| name))?;
        let (base, component) = quantity.split_once('.').map_or((quantity, None), |(b, c)| (b, Some(c)));
        let parts = self.grain_quantity(grains, of, base, component).map_err(
            |Failure { problem, suggestion: near, .. }| WorldError::Value {
                what: format!("{quantity} of '{of}'"),
                value: problem,
                expected: near.unwrap_or_else(|| "a quantity of grains or of a wall".into()),
            },
        )?;
        if base == DISSIPATED {
            let name = self.grains[grains.0].spec.name.clone();
            self.measure_loss(&name);
        }
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
                "coordination" => scalar(component, "1", base, source(GrainNumber::Coordination)),
                "temperature" => scalar(component, "m²/s²", base, source(GrainNumber::Temperature)),
                "mass" => scalar(component, "kg", base, source(GrainNumber::Mass)),
                "kinetic_energy" => scalar(component, "J", base, source(GrainNumber::Kinetic)),
                "potential_energy" => scalar(component, "J", base, source(GrainNumber::Potential)),
                "elastic_energy" => scalar(component, "J", base, source(GrainNumber::Elastic)),
                DISSIPATED => scalar(component, "J", base, source(GrainNumber::Dissipated)),
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
        let measures = self.grains.get(grains.0).map_or(&[][..], |set| &set.spec.measures);
        if let Some(k) = measures.iter().position(|m| m.name == wall) {
            let table = &measures[k].quantity;
            if !table.is_row() {
                return Err(Failure::object(
                    format!("measure '{wall}' has many rows; its file has them"),
                    None,
                ));
            }
            let columns = table.columns();
            return match columns.iter().position(|(name, _)| *name == base) {
                Some(c) => scalar(component, columns[c].1, base, source(GrainNumber::Measure(k, c))),
                None => {
                    let known: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
                    Err(unknown(of, "measure", base, &known))
                }
            };
        }
        let walls = self.grains.get(grains.0).map_or(&[][..], |set| &set.walls);
        let Some(index) = walls.iter().position(|w| w.name == wall) else {
            let near = closest_name(wall, walls.iter().map(|w| w.name.as_str()));
            return Err(Failure::object(
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
