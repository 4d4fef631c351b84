//! Numbers of grains that probes can read.

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_particles::measure::{Coordination, granular_temperature};
use huygens_particles::{GrainBlock, GrainSystem, InletCount, OutletCount};

use super::{GrainSet, GrainsId};
use crate::spec::ProbeSpec;
use crate::world::quantities::table::{Listed, QuantityRow, XYZ, listed, number, row_of, unknown, vector};
use crate::world::quantities::{Failure, Resolved, Source};
use crate::world::{Result, World};

type TableRow<F> = &'static QuantityRow<F>;
type Whole = fn(&GrainSystem, usize) -> f64;
/// Of the force and the torque on a wall.
type OnWall = fn([DVec3; 2], usize) -> f64;
type OfInlet = fn(&InletCount) -> f64;
type OfOutlet = fn(&OutletCount) -> f64;

/// Grains as a whole.
const WHOLE: &[QuantityRow<Whole>] = &[
    number("count", "1", "grains", |s, _| s.len() as f64),
    number("contact_count", "1", "contacts between grains", |s, _| s.contact_count() as f64),
    // Load-bearing is no question of the mean over all.
    number("coordination", "1", "mean number of contacts per grain", |s, _| Coordination::of(s, 0).mean),
    number("mass", "kg", "of the grains that forces move", |s, _| s.total_mass()),
    number("kinetic_energy", "J", "", |s, _| s.kinetic_energy()),
    number("potential_energy", "J", "in gravity", |s, _| s.potential_energy()),
    number("elastic_energy", "J", "of contacts", |s, _| s.elastic_energy()),
    number(DISSIPATED, "J", "by contacts; measuring it makes steps slower", |s, _| {
        s.energy().dissipated.total()
    }),
    number("temperature", "m²/s²", "granular temperature", |s, _| granular_temperature(s, None)),
    vector("center", "m", XYZ, "centre of mass", |s, k| s.center()[k]),
    vector("momentum", "kg·m/s", XYZ, "", |s, k| s.momentum()[k]),
];

/// Walls of grains.
const WALL: &[QuantityRow<OnWall>] = &[
    vector("force", "N", XYZ, "by the grains, mean over the last step", |[force, _], k| force[k]),
    vector("torque", "N·m", XYZ, "about the origin of the wall", |[_, torque], k| torque[k]),
];

/// Inlets.
const INLET: &[QuantityRow<OfInlet>] = &[
    number("count", "1", "grains that came", |c| c.number as f64),
    number("mass", "kg", "that came", |c| c.mass),
    number("missed", "1", "grains that found no room", |c| c.missed as f64),
];

/// Outlets, and the edge of the world.
const OUTLET: &[QuantityRow<OfOutlet>] = &[
    number("count", "1", "grains that went", |c| c.number as f64),
    number("mass", "kg", "that went", |c| c.mass),
];

/// The tables of this file.
pub(in crate::world) fn tables() -> Vec<Listed> {
    vec![
        listed("grains", "", false, WHOLE),
        listed("wall of grains, as `grains/wall`", "", false, WALL),
        listed("inlet of grains, as `grains/inlet`", "", false, INLET),
        listed("outlet of grains, as `grains/outlet` or `grains/boundary`", "", false, OUTLET),
    ]
}

/// One number of a set of grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct GrainQuantity {
    grains: GrainsId,
    what: GrainNumber,
    part: usize,
}

/// Which number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum GrainNumber {
    Whole(TableRow<Whole>),
    Wall(TableRow<OnWall>, usize),
    Inlet(TableRow<OfInlet>, usize),
    /// Of an outlet, or of the domain boundary after the last.
    Outlet(TableRow<OfOutlet>, usize),
    /// Measure of one row, and its column.
    Measure(usize, usize),
}

/// What contacts have lost; it is measured where a probe asks for it.
const DISSIPATED: &str = "dissipated_energy";

impl GrainSet {
    fn number(&self, world: &World, what: GrainNumber, part: usize) -> f64 {
        if let GrainNumber::Wall(row, wall) = what {
            return (row.read)(world.wall_wrench(self, wall), part);
        }
        let Some(GrainBlock { system, .. }) = world.grain_block(&self.spec.name) else { return 0.0 };
        match what {
            GrainNumber::Whole(row) => (row.read)(system, part),
            GrainNumber::Inlet(row, inlet) => {
                let count = system.traffic().and_then(|t| t.inlet_counts.get(inlet));
                count.map_or(0.0, row.read)
            }
            GrainNumber::Outlet(row, outlet) => {
                let count = system.traffic().map(|t| t.outlet_counts.get(outlet).unwrap_or(&t.lost));
                count.map_or(0.0, row.read)
            }
            GrainNumber::Wall(..) | GrainNumber::Measure(..) => 0.0,
        }
    }
}

impl World {
    /// Has the sets measure their losses for which a probe asks.
    pub(super) fn measure_losses(&mut self) {
        let names: Vec<String> = self.objects.grains.iter().map(|(_, set)| set.spec.name.clone()).collect();
        for name in names {
            let asks = |probe: &ProbeSpec| {
                probe.of.as_deref() == Some(name.as_str()) && probe.quantity.as_deref() == Some(DISSIPATED)
            };
            if self.objects.probes.iter().any(asks) {
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
        let Some(set) = self.objects.grains.get(quantity.grains.0) else { return 0.0 };
        match quantity.what {
            GrainNumber::Measure(measure, column) => {
                let table =
                    set.spec.measures.get(measure).map(|m| self.built_table(quantity.grains, &m.quantity));
                // What was refused when it was described is not asked for.
                table.and_then(|t| t.ok()).and_then(|t| t.values.get(column).copied()).unwrap_or(f64::NAN)
            }
            what => set.number(self, what, quantity.part),
        }
    }

    /// A number of an inlet, an outlet or the domain boundary (`boundary`) by name, if there is one.
    fn gate_quantity(
        &self,
        grains: GrainsId,
        (of, name): (&str, &str),
        base: &str,
        component: Option<&str>,
    ) -> Option<Resolved> {
        let source = |what| move |part| Source::Grains(GrainQuantity { grains, what, part });
        let spec = &self.objects.grains.get(grains.0)?.spec;
        if let Some(inlet) = spec.inlets.iter().position(|i| i.name == name) {
            let row = row_of(INLET, of, "gate", base);
            return Some(row.and_then(|row| row.parts(component, source(GrainNumber::Inlet(row, inlet)))));
        }
        let outlets = spec.outlets.len();
        let edge = (name == "boundary" && spec.boundary.is_some()).then_some(outlets);
        let outlet = spec.outlets.iter().position(|o| o.name == name).or(edge)?;
        let row = row_of(OUTLET, of, "gate", base);
        Some(row.and_then(|row| row.parts(component, source(GrainNumber::Outlet(row, outlet)))))
    }

    /// Numbers of a quantity of grains (`of = "sand"`) or of one of their walls (`of = "sand/floor"`), as probes write
    /// them; the model is built if it is not.
    ///
    /// `dissipated_energy` is counted from the first time it is asked for.
    pub fn measure_grains(&mut self, of: &str, quantity: &str) -> Result<Vec<f64>> {
        self.initialize()?;
        let grains = self.grains(of.split_once('/').map_or(of, |(name, _)| name))?;
        let (base, component) = quantity.split_once('.').map_or((quantity, None), |(b, c)| (b, Some(c)));
        let found = self.grain_quantity(grains, of, base, component);
        if base == DISSIPATED && found.is_ok() {
            let name = self.set_of(grains)?.spec.name.clone();
            self.measure_loss(&name);
        }
        self.numbers_of(found)
    }

    /// A quantity of grains, or of one of their walls given as `grains/wall`.
    pub(in crate::world) fn grain_quantity(
        &self,
        grains: GrainsId,
        of: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let source = |what| move |part| Source::Grains(GrainQuantity { grains, what, part });
        let Some((name, wall)) = of.split_once('/') else {
            let row = row_of(WHOLE, of, "grains", base)?;
            return row.parts(component, source(GrainNumber::Whole(row)));
        };
        if let Some(resolved) = self.gate_quantity(grains, (of, wall), base, component) {
            return resolved;
        }
        let measures = self.objects.grains.get(grains.0).map_or(&[][..], |set| &set.spec.measures);
        if let Some(k) = measures.iter().position(|m| m.name == wall) {
            let table = &measures[k].quantity;
            if !table.is_row() {
                return Err(Failure::object(
                    format!("measure '{wall}' has many rows; its file has them"),
                    None,
                ));
            }
            let columns = table.columns();
            let Some(c) = columns.iter().position(|(name, _)| *name == base) else {
                return Err(unknown(of, "measure", base, columns.iter().map(|(name, _)| *name)));
            };
            let row = number(columns[c].0, columns[c].1, "", ());
            return row.parts(component, source(GrainNumber::Measure(k, c)));
        }
        let walls = self.objects.grains.get(grains.0).map_or(&[][..], |set| &set.walls);
        let Some(index) = walls.iter().position(|w| w.name == wall) else {
            let near = closest_name(wall, walls.iter().map(|w| w.name.as_str()));
            return Err(Failure::object(
                format!("grains '{name}' have no wall '{wall}'"),
                near.map(|w| format!("{name}/{w}")),
            ));
        };
        let row = row_of(WALL, of, "wall", base)?;
        row.parts(component, source(GrainNumber::Wall(row, index)))
    }
}
