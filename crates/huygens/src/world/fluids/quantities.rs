//! Numbers of fluids that probes can read.

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_particles::FluidView;
use huygens_particles::sph::FlowSpace;

use super::{FluidId, FluidSet};
use crate::world::quantities::table::{
    Listed, QuantityRow, XYZ, find, listed, names, number, row_of, unknown, vector,
};
use crate::world::quantities::{Failure, Resolved, Source};
use crate::world::{Result, World};

/// How a number of a fluid is had.
#[derive(Clone, Copy)]
enum Read {
    /// Of all of it.
    Whole(fn(&FluidView<'_>, usize) -> f64),
    /// Its density, which it has before there are particles.
    Density(fn([f64; 2], usize) -> f64),
    /// Its last step [s].
    Step,
}

type Row<F> = &'static QuantityRow<F>;
type AtPoint = fn(&FluidView<'_>, DVec3, usize) -> f64;
/// Of the force and the torque on a part.
type OnPart = fn([DVec3; 2], usize) -> f64;
/// Of what came or went: particles, mass [kg], and flow of mass over the last step [kg/s].
type OfGate = fn([f64; 3]) -> f64;

/// Fluids as a whole.
const WHOLE: &[QuantityRow<Read>] = &[
    number("count", "1", "particles", Read::Whole(|f, _| f.len() as f64)),
    number("lost", "1", "particles that left the bounds", Read::Whole(|f, _| f.lost() as f64)),
    number("mass", "kg", "", Read::Whole(|f, _| f.particle_mass() * f.len() as f64)),
    number("kinetic_energy", "J", "", Read::Whole(|f, _| f.energy()[0])),
    number("potential_energy", "J", "in gravity", Read::Whole(|f, _| f.energy()[1])),
    number("elastic_energy", "J", "of compression", Read::Whole(|f, _| f.energy()[2])),
    vector("density_range", "kg/m³", &["least", "most"], "", Read::Density(|range, k| range[k])),
    number(
        "compressibility",
        "1",
        "greatest less least density, over that at rest",
        Read::Whole(|f, _| f.compressibility()),
    ),
    number("max_speed", "m/s", "of all particles", Read::Whole(|f, _| f.speed())),
    number("step", "s", "the last one", Read::Step),
    vector("center", "m", XYZ, "centre of mass", Read::Whole(|f, k| f.center()[k])),
    vector("momentum", "kg·m/s", XYZ, "", Read::Whole(|f, k| f.momentum()[k])),
];

/// Fluids at a point. Where there is no fluid there is no pressure.
const AT_POINT: &[QuantityRow<AtPoint>] = &[
    number("pressure", "Pa", "zero where there is no fluid", |f, at, _| {
        f.at(at).map_or(0.0, |(pressure, _)| pressure)
    }),
    vector("velocity", "m/s", XYZ, "zero where there is no fluid", |f, at, k| {
        f.at(at).map_or(0.0, |(_, velocity)| velocity[k])
    }),
    number("surface_height", "m", "over the point, against gravity", |f, at, _| {
        f.surface_height(at).unwrap_or(f64::NAN)
    }),
];

/// Walls, bodies and structures in a fluid.
const PART: &[QuantityRow<OnPart>] = &[
    vector("force", "N", XYZ, "by the fluid, mean over the last step", |[force, _], k| force[k]),
    vector(
        "torque",
        "N·m",
        XYZ,
        "about the origin of a wall, the centre of mass of a body, or the origin of the world for a structure",
        |[_, torque], k| torque[k],
    ),
];

/// Inlets and outlets.
const GATE: &[QuantityRow<OfGate>] = &[
    number("count", "1", "particles that came or went", |[count, ..]| count),
    number("mass", "kg", "that came or went", |[_, mass, _]| mass),
    number("mass_flow", "kg/s", "in the last step", |[.., flow]| flow),
];

/// The tables of this file.
pub(in crate::world) fn tables() -> Vec<Listed> {
    vec![
        listed("fluid", "", false, WHOLE),
        listed("fluid at a `point`", "", false, AT_POINT),
        listed("wall, body or structure of a fluid, as `fluid/wall`", "", false, PART),
        listed("inlet or outlet of a fluid, as `fluid/inlet`", "", false, GATE),
    ]
}

/// One number of a fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct FluidQuantity {
    fluid: FluidId,
    what: FluidNumber,
    part: usize,
}

/// Which number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FluidNumber {
    Whole(Row<Read>),
    Point(Row<AtPoint>, DVec3),
    /// Of a wall, body or structure.
    Solid(Row<OnPart>, usize),
    /// Of an inlet, or of an outlet after the last.
    Gate(Row<OfGate>, usize),
}

impl FluidSet {
    fn number(&self, world: &World, what: FluidNumber, part: usize) -> f64 {
        match what {
            FluidNumber::Solid(row, solid) => return (row.read)(world.solid_wrench(self, solid), part),
            FluidNumber::Whole(QuantityRow { read: Read::Step, .. }) => return world.step_of_fluid(self),
            _ => {}
        }
        let Some(fluid) = self.reading(world) else { return 0.0 };
        match what {
            FluidNumber::Whole(row) => match row.read {
                Read::Whole(read) => read(&fluid, part),
                Read::Density(read) if !fluid.is_empty() => read(fluid.density_range(), part),
                Read::Density(read) => read([self.spec.density; 2], part),
                Read::Step => 0.0,
            },
            FluidNumber::Point(row, at) => (row.read)(&fluid, at, part),
            FluidNumber::Gate(row, gate) => {
                let [mass, flow] = world.gate_numbers(self, gate);
                (row.read)([fluid.gate_count(gate), mass, flow])
            }
            FluidNumber::Solid(..) => 0.0,
        }
    }
}

impl World {
    pub(in crate::world) fn fluid_number(&self, quantity: &FluidQuantity) -> f64 {
        self.objects
            .fluids
            .get(quantity.fluid.0)
            .map_or(0.0, |set| set.number(self, quantity.what, quantity.part))
    }

    /// Numbers of a quantity of a fluid (`of = "water"`), at a point where it needs one, or of a wall, body, structure,
    /// inlet or outlet of it (`of = "water/tank"`), as probes write them; the model is built if it is not.
    pub fn measure_fluid(&mut self, of: &str, quantity: &str, point: Option<[f64; 3]>) -> Result<Vec<f64>> {
        self.initialize()?;
        let fluid = self.fluid(of.split_once('/').map_or(of, |(name, _)| name))?;
        let (base, component) = quantity.split_once('.').map_or((quantity, None), |(b, c)| (b, Some(c)));
        let found = self.fluid_quantity(fluid, of, point, base, component);
        self.numbers_of(found)
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
        let source = |what| move |part| Source::Fluid(FluidQuantity { fluid, what, part });
        let Some(set) = self.objects.fluids.get(fluid.0) else {
            return Err(Failure::object(format!("there is no fluid '{of}'"), None));
        };
        let local = find(AT_POINT, base);
        if point.is_some() && (local.is_none() || of.contains('/')) {
            return Err(Failure::object(
                format!("'{base}' of '{of}' is not measured at a point; leave `point` out"),
                None,
            ));
        }
        let Some((_, part)) = of.split_once('/') else {
            if let Some(row) = local {
                let Some(point) = point.filter(|p| p.iter().all(|x| x.is_finite())) else {
                    return Err(Failure::object(format!("'{base}' of a fluid needs a `point`"), None));
                };
                let at = FlowSpace::from(set.spec.plane).project(DVec3::from_array(point));
                return row.parts(component, source(FluidNumber::Point(row, at)));
            }
            let Some(row) = find(WHOLE, base) else {
                return Err(unknown(of, "fluid", base, names(WHOLE).chain(names(AT_POINT))));
            };
            return row.parts(component, source(FluidNumber::Whole(row)));
        };
        let gates = set.spec.inlets.iter().map(|i| &i.name).chain(set.spec.outlets.iter().map(|o| &o.name));
        if let Some(gate) = gates.clone().position(|name| name == part) {
            let row = row_of(GATE, of, "gate", base)?;
            return row.parts(component, source(FluidNumber::Gate(row, gate)));
        }
        let Some(index) = set.solids.iter().position(|s| s.draft.name == part) else {
            let known = set.solids.iter().map(|s| s.draft.name.as_str()).chain(gates.map(String::as_str));
            let near = closest_name(part, known).map(|w| format!("{}/{w}", set.spec.name));
            return Err(Failure::object(format!("fluid '{}' has no part '{part}'", set.spec.name), near));
        };
        let row = row_of(PART, of, "part", base)?;
        row.parts(component, source(FluidNumber::Solid(row, index)))
    }
}
