//! Sources, sinks, forces and measures of grains, from what scenes say of them.

use glam::DVec3;
use huygens_spec::{
    BoundarySpec, BoundaryType, CellsSpec, FlowSpec, GrainDragLaw, GrainDragSpec, GrainFillSpec, InletSpec,
    NearFieldSpec, OutletSpec, PatternSpec, RegionSpec, ShareOf, SizesSpec,
};

use super::Wrong;
use crate::fill::{Amount, Pattern, Region, Sieve, SizeLaw, Sizes, Weighting};
use crate::measure::Cells;
use crate::{Boundary, Drag, DragLaw, Flow, NearField, Rate, Zone};

impl From<&RegionSpec> for Region {
    fn from(spec: &RegionSpec) -> Self {
        let v = DVec3::from_array;
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
        let (middle, normal) = (DVec3::from_array(position), DVec3::from_array(normal));
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
                point: DVec3::from_array(plane.position),
                normal: DVec3::from_array(plane.normal),
            }),
            _ => Err(("region", "an outlet needs a `region`, or a `plane`".into())),
        }
    }
}

impl From<&BoundarySpec> for Boundary {
    fn from(spec: &BoundarySpec) -> Self {
        let (low, high) = (DVec3::from_array(spec.low), DVec3::from_array(spec.high));
        match spec.kind {
            BoundaryType::Open => Self::Open { low, high },
            BoundaryType::Closed => Self::Closed { low, high },
        }
    }
}

impl From<&CellsSpec> for Cells {
    fn from(spec: &CellsSpec) -> Self {
        Self { low: DVec3::from_array(spec.low), high: DVec3::from_array(spec.high), count: spec.count }
    }
}

impl Drag {
    /// The drag that is described.
    pub fn described(spec: &GrainDragSpec) -> Result<Self, Wrong> {
        let positive = |key: &'static str, x: f64| match x > 0.0 && x.is_finite() {
            true => Ok(x),
            false => Err((key, format!("{key} = {x} is not allowed; a positive finite number is needed"))),
        };
        let law = match (spec.law, spec.density) {
            (GrainDragLaw::Stokes, _) => DragLaw::Stokes,
            (GrainDragLaw::SchillerNaumann, Some(x)) => {
                DragLaw::SchillerNaumann { density: positive("density", x)? }
            }
            (GrainDragLaw::SchillerNaumann, None) => {
                return Err((
                    "density",
                    "the law of Schiller and Naumann needs the `density` of the fluid".into(),
                ));
            }
        };
        let v = DVec3::from_array;
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
        Ok(Drag { law, viscosity: positive("viscosity", spec.viscosity)?, flow })
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
