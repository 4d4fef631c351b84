//! Sources, sinks, forces and measures of grains, from what scenes say of them.

use huygens_kernel::{Quat, Vec3};
use huygens_spec::{
    BoundarySpec, BoundaryType, CellsSpec, ClumpSpec, FlowSpec, GrainDragLaw, GrainDragSpec, GrainFillSpec,
    GrainsSpec, InletSpec, MAX_GRAINS, MAX_WALLS, NearFieldSpec, OutletSpec, ParticlesSpec, PatternSpec,
    RegionSpec, ShareOf, SizesSpec,
};

use super::Wrong;
use crate::fill::{Amount, Pattern, Rain, Rainfall, Region, Settle, Sieve, SizeLaw, Sizes, Weighting};
use crate::measure::Cells;
use crate::shapes::length;
use crate::{
    Boundary, ClumpKind, Drag, DragLaw, Flow, Grain, GrainItem, Inlet, NearField, Outlet, PlacedClump, Rate,
    Traffic, Zone,
};

impl From<&RegionSpec> for Region {
    fn from(spec: &RegionSpec) -> Self {
        let v = Vec3::from_array;
        match *spec {
            RegionSpec::Box { low, high } => Self::Box { low: v(low), high: v(high) },
            RegionSpec::Cylinder { base, axis, radius, height } => {
                Self::Cylinder { base: v(base), axis: v(axis), radius, height }
            }
            RegionSpec::Sphere { center, radius } => Self::Sphere { centre: v(center), radius },
            RegionSpec::Cone { base, axis, radii, height } => {
                Self::Frustum { base: v(base), axis: v(axis), radii, height }
            }
        }
    }
}

impl Region {
    /// The layer through which a mass flow is measured: a disc of some thickness, without a radius as wide as needed.
    pub fn layer(position: [f64; 3], normal: [f64; 3], thickness: f64, radius: Option<f64>) -> Self {
        let (middle, normal) = (Vec3::from_array(position), Vec3::from_array(normal));
        let axis = normal.normalize_or_zero();
        // A circle so wide that all grains are in it.
        let radius = radius.unwrap_or(1e9);
        Self::Cylinder { base: middle - 0.5 * thickness * axis, axis, radius, height: thickness }
    }
}

impl From<&SizesSpec> for Sizes {
    fn from(spec: &SizesSpec) -> Self {
        let law = |law, by: ShareOf| Sizes {
            law,
            weighting: match by {
                ShareOf::Number => Weighting::Number,
                ShareOf::Mass => Weighting::Mass,
            },
        };
        match *spec {
            SizesSpec::Uniform { least, most, by } => law(SizeLaw::Uniform { least, most }, by),
            SizesSpec::Normal { mean, deviation, least, most, by } => {
                law(SizeLaw::Normal { mean, deviation, least, most }, by)
            }
            SizesSpec::LogNormal { median, deviation, least, most, by } => {
                law(SizeLaw::LogNormal { median, deviation, least, most }, by)
            }
            SizesSpec::Sieves { ref sieves } => {
                let sieve = |[opening, passing]: &[f64; 2]| Sieve { opening: *opening, passing: *passing };
                law(SizeLaw::Sieves(sieves.iter().map(sieve).collect()), ShareOf::Mass)
            }
            SizesSpec::AstmGradedSand { scale } => Sizes::astm_graded_sand().scaled(scale),
        }
    }
}

impl Sizes {
    /// The sizes of a `radius` or of `sizes`, whichever is given.
    fn either(radius: Option<f64>, sizes: Option<&SizesSpec>) -> Result<Self, Wrong> {
        match (radius, sizes) {
            (Some(radius), None) => Ok(Self::constant(radius)),
            (None, Some(sizes)) => Ok(sizes.into()),
            (Some(_), Some(_)) => Err(("sizes", "give radius or sizes, not both".into())),
            (None, None) => Err(("radius", "grains need a `radius`, or `sizes`".into())),
        }
    }

    /// The sizes of the grains of a fill.
    pub fn of_fill(spec: &GrainFillSpec) -> Result<Self, Wrong> {
        Self::either(spec.radius, spec.sizes.as_ref())
    }

    /// The sizes of the grains of an inlet.
    pub fn of_inlet(spec: &InletSpec) -> Result<Self, Wrong> {
        Self::either(spec.radius, spec.sizes.as_ref())
    }
}

impl Pattern {
    /// The pattern that is described; none for rain, which is simulated.
    pub fn described(spec: &PatternSpec) -> Option<Self> {
        Some(match *spec {
            PatternSpec::Cubic { spacing, jitter } => Self::Cubic { spacing, jitter },
            PatternSpec::Hexagonal { spacing } => Self::Hexagonal { spacing },
            PatternSpec::Poisson { gap } => Self::Poisson { gap },
            PatternSpec::Random { solid_fraction } => Self::Random { solid_fraction },
            PatternSpec::Rainfall { .. } => return None,
        })
    }
}

impl Rate {
    /// How fast an inlet works.
    pub fn of_inlet(spec: &InletSpec) -> Result<Self, Wrong> {
        match (spec.rate, spec.mass_rate) {
            (Some(rate), None) => Ok(Self::Number(rate)),
            (None, Some(rate)) => Ok(Self::Mass(rate)),
            (Some(_), Some(_)) => Err(("mass_rate", "give rate or mass_rate, not both".into())),
            (None, None) => Err(("rate", "an inlet needs a `rate` [1/s], or a `mass_rate` [kg/s]".into())),
        }
    }
}

impl Amount {
    /// After how much an inlet stops, if it does.
    pub fn of_inlet(spec: &InletSpec) -> Result<Option<Self>, Wrong> {
        match (spec.count, spec.mass) {
            (Some(_), Some(_)) => Err(("mass", "give count or mass, not both".into())),
            (count, mass) => Ok(count.map(Self::Number).or(mass.map(Self::Mass))),
        }
    }
}

impl Zone {
    /// Where an outlet takes grains away.
    pub fn of_outlet(spec: &OutletSpec) -> Result<Self, Wrong> {
        match (&spec.region, &spec.plane) {
            (Some(region), None) => Ok(Self::Inside(region.into())),
            (None, Some(plane)) => Ok(Self::Beyond {
                point: Vec3::from_array(plane.position),
                normal: Vec3::from_array(plane.normal),
            }),
            _ => Err(("region", "an outlet needs a `region`, or a `plane`".into())),
        }
    }
}

impl From<&BoundarySpec> for Boundary {
    fn from(spec: &BoundarySpec) -> Self {
        let (low, high) = (Vec3::from_array(spec.low), Vec3::from_array(spec.high));
        match spec.kind {
            BoundaryType::Open => Self::Open { low, high },
            BoundaryType::Closed => Self::Closed { low, high },
        }
    }
}

impl From<&CellsSpec> for Cells {
    fn from(spec: &CellsSpec) -> Self {
        Self { low: Vec3::from_array(spec.low), high: Vec3::from_array(spec.high), count: spec.count }
    }
}

impl Drag {
    /// The drag that is described.
    pub fn described(spec: &GrainDragSpec) -> Result<Self, Wrong> {
        let law = match (spec.law, spec.density) {
            (GrainDragLaw::Stokes, _) => DragLaw::Stokes,
            (GrainDragLaw::SchillerNaumann, Some(x)) => {
                DragLaw::SchillerNaumann { density: length("density", x)? }
            }
            (GrainDragLaw::SchillerNaumann, None) => {
                return Err((
                    "density",
                    "the law of Schiller and Naumann needs the `density` of the fluid".into(),
                ));
            }
        };
        let v = Vec3::from_array;
        let (flow, numbers) = match spec.flow {
            FlowSpec::Uniform { velocity } => (Flow::Uniform(v(velocity)), [velocity; 3]),
            FlowSpec::Shear { rest, gradient, direction } => {
                let flow = Flow::Shear { rest: v(rest), gradient: v(gradient), direction: v(direction) };
                (flow, [rest, gradient, direction])
            }
            FlowSpec::Rotation { center, rate } => {
                (Flow::Rotation { centre: v(center), rate: v(rate) }, [center, rate, rate])
            }
        };
        if numbers.iter().flatten().any(|x| !x.is_finite()) {
            return Err(("flow", "all components must be finite".into()));
        }
        Ok(Drag { law, viscosity: length("viscosity", spec.viscosity)?, flow })
    }
}

impl From<&NearFieldSpec> for NearField {
    fn from(s: &NearFieldSpec) -> Self {
        Self {
            range: s.range,
            hamaker: s.hamaker,
            least_gap: s.least_gap.unwrap_or(4e-10),
            repulsion: s.repulsion,
            length: s.length.unwrap_or(0.2 * s.range),
        }
    }
}

impl Rain {
    /// The rain of a fill whose pattern is one.
    pub fn described(
        spec: &GrainFillSpec,
        region: Region,
        sizes: Sizes,
        density: f64,
        material: usize,
    ) -> Result<Self, Wrong> {
        let PatternSpec::Rainfall { count, mass, energy, longest } = spec.pattern else {
            return Err(("pattern", "this is no rain".into()));
        };
        for (key, value) in
            [("pattern.energy", energy), ("pattern.longest", Some(longest)), ("density", Some(density))]
        {
            value.map_or(Ok(0.0), |x| length(key, x))?;
        }
        let amount = match (count, mass) {
            (Some(count), None) if count <= MAX_GRAINS as u64 => Amount::Number(count),
            (Some(count), None) => {
                return Err(("pattern.count", format!("{count} grains are not allowed; {MAX_GRAINS} are")));
            }
            (None, Some(mass)) => Amount::Mass(mass),
            _ => return Err(("pattern", "rain needs a `count` of grains or a `mass` [kg]".into())),
        };
        let (velocity, seed) = (Vec3::from_array(spec.velocity), spec.seed);
        let settle = Settle { energy_per_grain: 1.0, check_every: crate::fill::rain::LOOK, longest };
        Ok(Self {
            fall: Rainfall { region, sizes, amount, density, material, velocity, seed, settle },
            energy,
        })
    }
}

impl ClumpKind {
    /// The kind of clump that is described, of a material with this index.
    pub fn described(spec: &ClumpSpec, material: usize) -> Self {
        Self { spheres: spec.balls(), density: spec.density, material }
    }
}

fn entry(list: &[[f64; 3]], k: usize, other: [f64; 3]) -> Vec3 {
    Vec3::from_array(list.get(k).copied().unwrap_or(other))
}

impl GrainItem {
    /// The clumps that are described one by one, whose kind has the index `kind`.
    pub fn clumps(spec: &ClumpSpec, kind: usize) -> impl Iterator<Item = Self> {
        spec.positions.iter().enumerate().map(move |(k, position)| {
            Self::Clump(PlacedClump {
                kind,
                position: Vec3::from_array(*position),
                rotation: spec.rotations.get(k).map_or(Quat::IDENTITY, |r| r.0),
                velocity: entry(&spec.velocities, k, [0.0; 3]),
                angular_velocity: entry(&spec.angular_velocities, k, [0.0; 3]),
            })
        })
    }

    /// The grains that are described one by one, of a material with this index.
    pub fn grains(spec: &ParticlesSpec, material: usize) -> impl Iterator<Item = Self> {
        spec.positions.iter().enumerate().map(move |(k, position)| {
            Self::Grain(Grain {
                position: Vec3::from_array(*position),
                radius: spec.radius_of(k),
                density: spec.density,
                velocity: entry(&spec.velocities, k, spec.velocity),
                angular_velocity: entry(&spec.angular_velocities, k, [0.0; 3]),
                material,
            })
        })
    }
}

impl Traffic {
    /// Inlets of materials with these indices of `count`, outlets and the boundary of a set of grains; otherwise the path of
    /// the key that is wrong.
    pub fn described(spec: &GrainsSpec, materials: &[usize], count: usize) -> Result<Self, (String, String)> {
        let mut traffic = Self { boundary: spec.boundary.as_ref().map(Boundary::from), ..Self::default() };
        for (k, (spec, material)) in spec.inlets.iter().zip(materials).enumerate() {
            let wrong = |(key, e): Wrong| (format!("inlets.{k}.{key}"), e);
            let sizes = Sizes::of_inlet(spec).map_err(wrong)?;
            let rate = Rate::of_inlet(spec).map_err(wrong)?;
            let inlet = Inlet {
                name: spec.name.clone(),
                region: (&spec.region).into(),
                rate,
                sizes,
                density: spec.density,
                material: *material,
                velocity: Vec3::from_array(spec.velocity),
                limit: Amount::of_inlet(spec).map_err(wrong)?,
                start: spec.start,
                seed: spec.seed,
            };
            inlet.check(count).map_err(|e| (format!("inlets.{k}"), e.to_string()))?;
            traffic.inlets.push(inlet);
        }
        for (k, spec) in spec.outlets.iter().enumerate() {
            let zone = Zone::of_outlet(spec).map_err(|(key, e)| (format!("outlets.{k}.{key}"), e))?;
            traffic.outlets.push(Outlet { name: spec.name.clone(), zone });
        }
        Ok(traffic)
    }
}

/// The first key of a set of grains that is wrong, and what is wrong with it; walls, grains and their sources are not looked
/// at.
pub fn check_grains(spec: &GrainsSpec) -> Result<(), (String, String)> {
    let at = |path: &'static str| move |(key, e): Wrong| (format!("{path}{key}"), e);
    for (key, value) in [("step", spec.step.seconds()), ("speed", spec.speed)] {
        value.map_or(Ok(0.0), |x| length(key, x)).map_err(at(""))?;
    }
    spec.periodic.check()?;
    spec.drag.as_ref().map_or(Ok(()), |drag| Drag::described(drag).map(drop)).map_err(at("drag."))?;
    spec.laws.as_ref().map_or(Ok(()), |laws| laws.check()).map_err(|e| ("laws".to_owned(), e.to_string()))?;
    match spec.walls.len() <= MAX_WALLS {
        true => Ok(()),
        false => {
            Err(("walls".into(), format!("{} walls are not allowed; {MAX_WALLS} are", spec.walls.len())))
        }
    }
}
