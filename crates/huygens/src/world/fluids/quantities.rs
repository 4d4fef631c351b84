//! Numbers of fluids that probes can read.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_particles::FluidView;
use huygens_particles::sph::{FlowSpace, PatchMarker, SolidMotion};

use super::{FluidId, FluidSet};
use crate::spec::ProbeSpec;
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
    /// Of where it is; none where there is no particle.
    Place(fn(&FluidView<'_>, usize) -> Option<f64>),
    /// Its density, which it has before there are particles.
    Density(fn([f64; 2], usize) -> f64),
    /// Its last step [s].
    Step,
}

type Row<F> = &'static QuantityRow<F>;
/// None where there is no fluid.
type AtPoint = fn(&FluidView<'_>, DVec3, usize) -> Option<f64>;
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
    vector("center", "m", XYZ, "centre of mass", Read::Place(|f, k| (!f.is_empty()).then(|| f.center()[k]))),
    vector(
        "front",
        "m",
        XYZ,
        "largest coordinate of the largest connected body of fluid (particles within two spacings): spray does not count",
        Read::Place(|f, k| f.ends().map(|[_, high]| high[k])),
    ),
    vector(
        "rear",
        "m",
        XYZ,
        "smallest coordinate of the same",
        Read::Place(|f, k| f.ends().map(|[low, _]| low[k])),
    ),
    vector("momentum", "kg·m/s", XYZ, "", Read::Whole(|f, k| f.momentum()[k])),
];

/// What is said of all quantities at a point.
const ABOUT_POINTS: &str = "Empty where there is no fluid: an empty cell of a CSV file, NaN in arrays.";

/// Fluids at a point.
const AT_POINT: &[QuantityRow<AtPoint>] = &[
    number("pressure", "Pa", "mean over the particles within the kernel, weighted by it", |f, at, _| {
        f.at(at).map(|(pressure, _)| pressure)
    }),
    vector("velocity", "m/s", XYZ, "the same mean", |f, at, k| f.at(at).map(|(_, velocity)| velocity[k])),
    number(
        "surface_height",
        "m",
        "half a spacing above the highest particle within a spacing of the vertical through the point",
        |f, at, _| f.surface_height(at),
    ),
];

/// Walls, bodies and structures in a fluid, at a point.
const GAUGE: &[QuantityRow<()>] = &[number(
    "pressure",
    "Pa",
    "on the surface, mean over its markers within `radius` of the point; 0 where it is dry",
    (),
)];

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
        listed("fluid at a `point`", ABOUT_POINTS, false, AT_POINT),
        listed("wall, body or structure of a fluid, as `fluid/wall`", "", false, PART),
        listed(
            "pressure gauge on a wall, body or structure of a fluid, as `fluid/wall`, at a `point`",
            "",
            false,
            GAUGE,
        ),
        listed("inlet or outlet of a fluid, as `fluid/inlet`", "", false, GATE),
    ]
}

/// One number of a fluid.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::world) struct FluidQuantity {
    fluid: FluidId,
    what: FluidNumber,
    part: usize,
}

/// A place on a wall, body or structure.
#[derive(Clone, Debug)]
struct Gauge {
    solid: usize,
    /// Where it is when the fluid is made [m].
    point: DVec3,
    radius: f64,
    /// Its markers, once the fluid is made.
    patch: Arc<OnceLock<Vec<PatchMarker>>>,
}

impl PartialEq for Gauge {
    fn eq(&self, other: &Self) -> bool {
        (self.solid, self.point, self.radius) == (other.solid, other.point, other.radius)
    }
}

/// Which number.
#[derive(Clone, Debug, PartialEq)]
enum FluidNumber {
    Whole(Row<Read>),
    Point(Row<AtPoint>, DVec3),
    /// Pressure on a wall, body or structure.
    Gauge(Gauge),
    /// Of a wall, body or structure.
    Solid(Row<OnPart>, usize),
    /// Of an inlet, or of an outlet after the last.
    Gate(Row<OfGate>, usize),
}

impl FluidSet {
    /// A number of the fluid; none where it has no value.
    fn number(&self, world: &World, what: &FluidNumber, part: usize) -> Option<f64> {
        match what {
            FluidNumber::Solid(row, solid) => {
                return Some((row.read)(world.solid_wrench(self, *solid), part));
            }
            FluidNumber::Whole(QuantityRow { read: Read::Step, .. }) => {
                return Some(world.step_of_fluid(self));
            }
            _ => {}
        }
        let fluid = self.reading(world)?;
        match what {
            FluidNumber::Whole(row) => match row.read {
                Read::Whole(read) => Some(read(&fluid, part)),
                Read::Place(read) => read(&fluid, part),
                Read::Density(read) if !fluid.is_empty() => Some(read(fluid.density_range(), part)),
                Read::Density(read) => Some(read([self.spec.density; 2], part)),
                Read::Step => None,
            },
            FluidNumber::Point(row, at) => (row.read)(&fluid, *at, part),
            FluidNumber::Gauge(gauge) => {
                let solid = self.solids.get(gauge.solid)?;
                let poses: Vec<_> = world.solid_motions(solid).iter().map(SolidMotion::pose).collect();
                let patch = gauge.patch.get_or_init(|| self.patch(gauge));
                Some(fluid.patch_pressure(&solid.draft, &poses, patch))
            }
            FluidNumber::Gate(row, gate) => {
                let [mass, flow] = world.gate_numbers(self, *gate);
                Some((row.read)([fluid.gate_count(*gate), mass, flow]))
            }
            FluidNumber::Solid(..) => None,
        }
    }

    /// Markers of a gauge.
    fn patch(&self, gauge: &Gauge) -> Vec<PatchMarker> {
        self.solids[gauge.solid].draft.patch(gauge.point, gauge.radius, self.spec.spacing)
    }

    /// A gauge on a wall, body or structure, or what is wrong with it.
    fn gauge(
        &self,
        of: &str,
        solid: usize,
        point: [f64; 3],
        radius: Option<f64>,
    ) -> std::result::Result<Gauge, Failure> {
        let wrong = |key, problem| Err(Failure { key, problem, suggestion: None });
        if !point.iter().all(|x| x.is_finite()) {
            return wrong(
                "point",
                format!("point = {point:?} is not allowed; finite coordinates are needed"),
            );
        }
        let radius = radius.unwrap_or(0.5 * self.spec.spacing);
        if !(radius > 0.0 && radius.is_finite()) {
            return wrong(
                "radius",
                format!("radius = {radius} is not allowed; a finite length above 0 is needed"),
            );
        }
        let point = FlowSpace::from(self.spec.plane).project(DVec3::from_array(point));
        let gauge = Gauge { solid, point, radius, patch: Arc::default() };
        // Where the markers are is known once the fluid is made.
        let draft = &self.solids[solid].draft;
        if !draft.starts.is_empty() && gauge.patch.get_or_init(|| self.patch(&gauge)).is_empty() {
            let markers = draft.markers().into_iter();
            let nearest = markers.min_by(|a, b| a.distance(point).total_cmp(&b.distance(point)));
            let nearest = nearest.map_or(String::new(), |at| {
                format!("; its nearest marker is at {:?}", at.to_array().map(|x| (1e6 * x).round() / 1e6))
            });
            return wrong(
                "point",
                format!(
                    "the gauge at {:?} m is not on the surface of '{of}', where that is when the fluid is made: it must be \
                     within a spacing of it{nearest}",
                    point.to_array()
                ),
            );
        }
        Ok(gauge)
    }
}

impl World {
    /// A number of a fluid; NaN where it has no value.
    pub(in crate::world) fn fluid_number(&self, quantity: &FluidQuantity) -> f64 {
        let set = self.objects.fluids.get(quantity.fluid.0);
        set.and_then(|set| set.number(self, &quantity.what, quantity.part)).unwrap_or(f64::NAN)
    }

    /// Refuses gauges that are not on the walls and bodies of a fluid that was made.
    pub(in crate::world) fn check_gauges(&self, fluid: &str) -> Result<()> {
        let on = format!("{fluid}/");
        let is_gauge = |probe: &ProbeSpec| {
            probe.point.is_some() && probe.of.as_deref().is_some_and(|of| of.starts_with(&on))
        };
        match self.objects.probes.iter().any(is_gauge) {
            true => self.check_probes(),
            false => Ok(()),
        }
    }

    /// Mean pressure [Pa] of a fluid on the surface of a wall, body or structure of it, over the markers within `radius` [m]
    /// of a point; 0 where it is dry. The point [m] is in the world, where the solid is when the fluid is made; the gauge
    /// moves with it. The radius is half a spacing if it is absent. The model is built if it is not.
    pub fn fluid_pressure_on(
        &mut self,
        fluid: FluidId,
        on: &str,
        point: [f64; 3],
        radius: Option<f64>,
    ) -> Result<f64> {
        self.initialize()?;
        let of = format!("{}/{on}", self.fluid_of(fluid)?.spec.name);
        let found = self.fluid_quantity(fluid, &of, (Some(point), radius), "pressure", None);
        let numbers = self.numbers_of(found)?;
        Ok(numbers.first().copied().unwrap_or(f64::NAN))
    }

    /// Numbers of a quantity of a fluid (`of = "water"`), at a point where it needs one, or of a wall, body, structure,
    /// inlet or outlet of it (`of = "water/tank"`), as probes write them: NaN where there is no fluid to measure. The model
    /// is built if it is not.
    pub fn measure_fluid(&mut self, of: &str, quantity: &str, point: Option<[f64; 3]>) -> Result<Vec<f64>> {
        self.initialize()?;
        let fluid = self.fluid(of.split_once('/').map_or(of, |(name, _)| name))?;
        let (base, component) = quantity.split_once('.').map_or((quantity, None), |(b, c)| (b, Some(c)));
        let found = self.fluid_quantity(fluid, of, (point, None), base, component);
        self.numbers_of(found)
    }

    /// A quantity of a fluid, or of a part of it given as `fluid/part`.
    pub(in crate::world) fn fluid_quantity(
        &self,
        fluid: FluidId,
        of: &str,
        (point, radius): (Option<[f64; 3]>, Option<f64>),
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let source =
            |what: FluidNumber| move |part| Source::Fluid(FluidQuantity { fluid, what: what.clone(), part });
        let Some(set) = self.objects.fluids.get(fluid.0) else {
            return Err(Failure::object(format!("there is no fluid '{of}'"), None));
        };
        let local = find(AT_POINT, base);
        let gauge = find(GAUGE, base).filter(|_| of.contains('/'));
        if radius.is_some() && gauge.is_none() {
            let problem = "`radius` belongs to the `pressure` on a wall, body or structure of a fluid".into();
            return Err(Failure { key: "radius", problem, suggestion: None });
        }
        if point.is_some() && gauge.is_none() && (local.is_none() || of.contains('/')) {
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
        if let Some(row) = gauge {
            let Some(point) = point else {
                let problem = format!("the pressure on '{of}' needs a `point` on its surface");
                return Err(Failure { key: "point", problem, suggestion: None });
            };
            return row.parts(component, source(FluidNumber::Gauge(set.gauge(of, index, point, radius)?)));
        }
        let row = find(PART, base);
        let row = row.ok_or_else(|| unknown(of, "part", base, names(PART).chain(names(GAUGE))))?;
        row.parts(component, source(FluidNumber::Solid(row, index)))
    }
}
