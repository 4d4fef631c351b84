//! Fluids: what they are, how they are computed, and where they start.

use glam::DVec3;
use huygens_kernel::sph::{Rheology, SmoothingKernel, StateEquation};
use huygens_spec::{Placement, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fluid_constraint::{ClumpingSpec, FluidLawType, FluidMethod, MarkerContactSpec};
use super::fluid_walls::{FluidInletSpec, FluidOutletSpec, FluidWallSpec};
use super::grains::positive;
use super::{FillMeshSpec, GrainStep, PeriodicSpec, RegionSpec};

/// Most particles and markers of one fluid, and most cells of its spacing in the box about a fill or a solid.
pub const MAX_FLUID: usize = 20_000_000;
/// Speed of sound that is chosen, over the greatest speed of the flow.
pub const SOUND_RATIO: f64 = 10.0;

/// How a kernel of particles looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum FluidKernel {
    /// Cubic spline.
    CubicSpline,
    /// Quintic spline.
    QuinticSpline,
    /// Wendland's function with two continuous derivatives.
    #[default]
    WendlandC2,
    /// Wendland's function with four continuous derivatives.
    WendlandC4,
    /// Poly6 for values, spiky for gradients.
    Poly6Spiky,
}

impl From<FluidKernel> for SmoothingKernel {
    fn from(kernel: FluidKernel) -> Self {
        match kernel {
            FluidKernel::CubicSpline => Self::CubicSpline,
            FluidKernel::QuinticSpline => Self::QuinticSpline,
            FluidKernel::WendlandC2 => Self::WendlandC2,
            FluidKernel::WendlandC4 => Self::WendlandC4,
            FluidKernel::Poly6Spiky => Self::Poly6Spiky,
        }
    }
}

/// Plane of a flow in two dimensions; masses, forces and energies are per metre of its normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_plane)]
#[serde(rename_all = "snake_case")]
pub enum FlowPlane {
    /// x and y.
    Xy,
    /// x and z.
    Xz,
    /// y and z.
    Yz,
}

impl FlowPlane {
    /// The plane across an axis, 0 to 2.
    pub fn with_normal(axis: usize) -> Self {
        match axis {
            0 => Self::Yz,
            1 => Self::Xz,
            _ => Self::Xy,
        }
    }

    fn place_plane(&mut self, placement: &Placement) -> Result<(), String> {
        let Some(turned) = placement.quarter_turn() else {
            let problem =
                "flows in a plane of two axes of the world, so that only quarter turns are possible";
            return Err(problem.into());
        };
        *self = Self::with_normal(turned[self.normal()].0);
        Ok(())
    }

    /// Axis of its normal.
    pub fn normal(self) -> usize {
        match self {
            Self::Xy => 2,
            Self::Xz => 1,
            Self::Yz => 0,
        }
    }
}

/// Viscosity that depends on the rate of shear.
#[derive(Clone, Copy, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "rheology")]
pub enum RheologySpec {
    /// Constant.
    Newtonian {
        /// Viscosity [Pa·s].
        viscosity: f64,
    },
    /// $\mu = K\dot\gamma^{n-1}$.
    PowerLaw {
        /// Consistency K [Pa·sⁿ].
        consistency: f64,
        /// Exponent n.
        exponent: f64,
        /// Maximum viscosity [Pa·s].
        most: f64,
    },
    /// Flows above a yield stress, then at a constant viscosity.
    Bingham {
        /// Viscosity [Pa·s] when it flows.
        viscosity: f64,
        /// Yield stress [Pa].
        yield_stress: f64,
        /// How sharply the stress rises [s].
        #[tagged(default = sharp)]
        sharpness: f64,
        /// Maximum viscosity [Pa·s].
        most: f64,
    },
    /// Flows above a yield stress, then by a power law.
    HerschelBulkley {
        /// Consistency K [Pa·sⁿ].
        consistency: f64,
        /// Exponent n.
        exponent: f64,
        /// Yield stress [Pa].
        yield_stress: f64,
        /// How sharply the stress rises [s].
        #[tagged(default = sharp)]
        sharpness: f64,
        /// Maximum viscosity [Pa·s].
        most: f64,
    },
}

fn sharp() -> f64 {
    100.0
}

impl From<RheologySpec> for Rheology {
    fn from(spec: RheologySpec) -> Self {
        match spec {
            RheologySpec::Newtonian { viscosity } => Self::Newtonian { viscosity },
            RheologySpec::PowerLaw { consistency, exponent, most } => {
                Self::PowerLaw { consistency, exponent, most }
            }
            RheologySpec::Bingham { viscosity: consistency, yield_stress, sharpness, most } => {
                Self::HerschelBulkley { consistency, exponent: 1.0, yield_stress, sharpness, most }
            }
            RheologySpec::HerschelBulkley { consistency, exponent, yield_stress, sharpness, most } => {
                Self::HerschelBulkley { consistency, exponent, yield_stress, sharpness, most }
            }
        }
    }
}

/// Pressure from density.
#[derive(Clone, Copy, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "equation of state")]
pub enum StateSpec {
    /// $p = \frac{c^2\rho_0}{\gamma}[(\rho/\rho_0)^\gamma - 1]$.
    Tait {
        /// Exponent γ.
        #[tagged(default = seven)]
        exponent: f64,
    },
    /// $p = c^2(\rho - \rho_0)$.
    Linear {},
}

fn seven() -> f64 {
    7.0
}

impl Default for StateSpec {
    fn default() -> Self {
        Self::Tait { exponent: seven() }
    }
}

impl From<StateSpec> for StateEquation {
    fn from(spec: StateSpec) -> Self {
        match spec {
            StateSpec::Tait { exponent } => Self::Tait { exponent },
            StateSpec::Linear {} => Self::Linear,
        }
    }
}

/// How walls answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum FluidWallModel {
    /// Velocity of the wall, and the mean pressure of the fluid near it.
    Projected,
    /// Velocity that makes the mean of fluid and wall that of the wall, and pressure from the balance of forces.
    #[default]
    Balanced,
}

/// How viscous forces are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum ViscousType {
    /// Morris' form.
    #[default]
    Morris,
    /// The same with the mean of 1/ρ.
    Laminar,
    /// Along the line of centres: conserves angular momentum.
    Central,
}

/// Time integration scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum FluidScheme {
    /// Half a kick, a drift, half a kick.
    #[default]
    Leapfrog,
    /// Rates at the middle of the step.
    PredictorCorrector,
}

/// Particles are moved to where there are fewer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct ShiftingSpec {
    /// Strength; 0 disables shifting.
    pub strength: f64,
    /// Whether particles with too few neighbours stay, as at a free surface, and all others are shifted. Default: all
    /// particles are shifted while the fluid fills its room, and none once it has a free surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_surface: Option<bool>,
}

impl Default for ShiftingSpec {
    fn default() -> Self {
        Self { strength: 8.0, free_surface: None }
    }
}

/// How density is reinitialized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum DensityFilterType {
    /// Mean of zeroth order.
    #[default]
    Shepard,
    /// Right for fields that are linear.
    Consistent,
}

/// A filter of density.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct DensityFilterSpec {
    /// Which.
    #[serde(rename = "type")]
    pub kind: DensityFilterType,
    /// Steps of the fluid between two filters.
    pub every: u64,
}

impl Default for DensityFilterSpec {
    fn default() -> Self {
        Self { kind: DensityFilterType::default(), every: 30 }
    }
}

/// The box in which a fluid is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_box)]
#[serde(deny_unknown_fields)]
pub struct FluidBoundsSpec {
    /// Lowest corner [m].
    #[scene(placed)]
    pub low: [f64; 3],
    /// Highest corner [m].
    #[scene(placed)]
    pub high: [f64; 3],
    /// Whether a particle that leaves is an error; else such particles are removed and counted.
    #[serde(default)]
    pub closed: bool,
}

impl FluidBoundsSpec {
    fn place_box(&mut self, placement: &Placement) -> Result<(), String> {
        placement.moved_box(&mut self.low, &mut self.high, true);
        Ok(())
    }
}

/// A place that is full of fluid at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct FluidFillSpec {
    /// Region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionSpec>,
    /// Closed mesh; instead of `region`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<FillMeshSpec>,
    /// Particles one by one [m]; instead of `region`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(point)]
    pub points: Option<Vec<[f64; 3]>>,
    /// Velocity [m/s].
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Whether pressure is that of a fluid at rest below the highest point of the fill.
    pub hydrostatic: bool,
    /// Whether walls take room from the fill. Bodies and structures always do; where walls may not, a fill that overlaps
    /// one is an error.
    pub carve: bool,
}

impl Default for FluidFillSpec {
    fn default() -> Self {
        Self { region: None, mesh: None, points: None, velocity: [0.0; 3], hydrostatic: true, carve: false }
    }
}

impl FluidFillSpec {
    /// A box along the axes between two corners [m].
    pub fn between(low: [f64; 3], high: [f64; 3]) -> Self {
        Self { region: Some(RegionSpec::between(low, high)), ..Self::default() }
    }
}

/// A fluid, weakly compressible or solved as constraints together with joints and contacts, with its walls, bodies
/// and structures.
///
/// Keys that belong to one method only say so; the other refuses them. A body or structure meets the fluid where it
/// is named in `bodies` or `structures`, by markers that fill its shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct FluidSpec {
    /// Unique name.
    #[scene(name)]
    pub name: String,
    /// How it is computed.
    #[serde(skip_serializing_if = "is_default")]
    pub method: FluidMethod,
    /// Distance of particles [m].
    pub spacing: f64,
    /// Density at rest [kg/m³].
    pub density: f64,
    /// Viscosity [Pa·s]. Default: that of water, or `rheology` if given; a constraint fluid is inviscid by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<f64>,
    /// Viscosity that depends on the rate of shear; instead of `viscosity`. Weakly compressible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rheology: Option<RheologySpec>,
    /// Speed of sound [m/s]; ten times the `max_speed` if absent. Weakly compressible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sound_speed: Option<f64>,
    /// Maximum speed expected [m/s]. Default: the larger of the initial speed and that of a fall through the height
    /// of the fluid, $\sqrt{2 g H}$. Weakly compressible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_speed: Option<f64>,
    /// Kernel.
    pub kernel: FluidKernel,
    /// Length of the kernel in spacings; 1.5 if absent. Of a constraint fluid 1.1, and 1.6 in a plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smoothing: Option<f64>,
    /// Equation of state. Weakly compressible.
    pub state: StateSpec,
    /// Whether pressure may fall below zero. Weakly compressible.
    pub tension: bool,
    /// How walls answer. Weakly compressible.
    pub wall_model: FluidWallModel,
    /// How viscous forces are found. Weakly compressible.
    pub viscous: ViscousType,
    /// Artificial viscosity α, less what viscosity the fluid has; 0 is none. Weakly compressible.
    pub artificial: f64,
    /// Diffusion of density δ; 0 is none. Weakly compressible.
    pub diffusion: f64,
    /// Share of the mean velocity of the neighbours by which particles are moved, or which markers of a constraint
    /// fluid adopt in a step; 0 disables it. Default: 0; 0.05 for a constraint fluid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xsph: Option<f64>,
    /// Particle shifting. Default: on; `{ strength = 0 }` disables it. Weakly compressible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shifting: Option<ShiftingSpec>,
    /// Filter of density. Weakly compressible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density_filter: Option<DensityFilterSpec>,
    /// Whether gradients of linear fields are exact. Weakly compressible.
    pub gradient_correction: bool,
    /// Time scheme. Weakly compressible.
    pub scheme: FluidScheme,
    /// What keeps markers apart. Constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub law: Option<FluidLawType>,
    /// Whether markers also resist separation. Default: false. Constraint fluids only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bilateral: Option<bool>,
    /// Whether densities are divided by the share of the kernel that is full, so that markers at a surface count as those
    /// inside; no if absent. Constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalized: Option<bool>,
    /// Compliance of the density constraint, in units of the inverse mass of a marker. Default: 0.1. Constraint
    /// fluids only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f64>,
    /// Fraction of the excess density that a step removes, above 0 and at most 1. Default: 0.3. Constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stabilization: Option<f64>,
    /// Moves markers apart that have come together. Constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clumping: Option<ClumpingSpec>,
    /// Markers as spheres of the contact stage. Constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<MarkerContactSpec>,
    /// Plane of a flow in two dimensions; particles are put into the plane through the origin. Bodies in it need masses
    /// per metre of its normal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<FlowPlane>,
    /// Periodic axes.
    #[serde(skip_serializing_if = "is_default")]
    pub periodic: PeriodicSpec,
    /// Step of the fluid [s], or `"auto"`: as long as sound, viscosity and forces allow. Every step of the world is cut
    /// into such ones. Weakly compressible.
    #[serde(skip_serializing_if = "is_default")]
    pub step: GrainStep,
    /// Share of the time in which sound crosses the kernel that a step may take. Weakly compressible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub courant: Option<f64>,
    /// Acceleration in addition to gravity [m/s²], such as the pressure gradient along a channel divided by the
    /// density.
    #[serde(skip_serializing_if = "is_default")]
    #[scene(vector)]
    pub acceleration: [f64; 3],
    /// Domain boundary of the fluid. Default: unbounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<FluidBoundsSpec>,
    /// Where fluid is at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<FluidFillSpec>,
    /// Walls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<FluidWallSpec>,
    /// Names of bodies that meet the fluid with the shapes they collide with, or else the solid that gives their mass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[scene(refers(Bodies))]
    pub bodies: Vec<String>,
    /// Names of flexible structures that meet the fluid with the contact surface of their lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[scene(refers(Structures))]
    pub structures: Vec<String>,
    /// Where fluid comes in. Weakly compressible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlets: Vec<FluidInletSpec>,
    /// Where fluid goes out. Weakly compressible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outlets: Vec<FluidOutletSpec>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for FluidSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            method: FluidMethod::default(),
            spacing: 0.0,
            density: 1000.0,
            viscosity: None,
            rheology: None,
            sound_speed: None,
            max_speed: None,
            kernel: FluidKernel::default(),
            smoothing: None,
            state: StateSpec::default(),
            tension: true,
            wall_model: FluidWallModel::default(),
            viscous: ViscousType::default(),
            artificial: 0.005,
            diffusion: 0.1,
            xsph: None,
            shifting: None,
            density_filter: None,
            gradient_correction: false,
            scheme: FluidScheme::default(),
            law: None,
            bilateral: None,
            normalized: None,
            compliance: None,
            stabilization: None,
            clumping: None,
            contact: None,
            plane: None,
            periodic: PeriodicSpec::default(),
            step: GrainStep::default(),
            courant: None,
            acceleration: [0.0; 3],
            bounds: None,
            fills: Vec::new(),
            walls: Vec::new(),
            bodies: Vec::new(),
            structures: Vec::new(),
            inlets: Vec::new(),
            outlets: Vec::new(),
        }
    }
}

/// What is wrong, and with which key.
pub type Wrong = (String, String);

impl FluidSpec {
    /// Water with particles of a spacing [m].
    pub fn new(name: impl Into<String>, spacing: f64) -> Self {
        Self { name: name.into(), spacing, ..Self::default() }
    }

    /// Adds a wall.
    #[must_use]
    pub fn with_wall(mut self, wall: FluidWallSpec) -> Self {
        self.walls.push(wall);
        self
    }

    /// Adds a place full of fluid.
    #[must_use]
    pub fn with_fill(mut self, fill: FluidFillSpec) -> Self {
        self.fills.push(fill);
        self
    }

    /// Adds a body by name.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<String>) -> Self {
        self.bodies.push(body.into());
        self
    }

    /// Length of the kernel in spacings.
    pub fn length_ratio(&self) -> f64 {
        self.smoothing.unwrap_or_else(|| match (self.is_constraint(), self.plane) {
            (false, _) => 1.5,
            (true, Some(_)) => 1.6,
            (true, None) => 1.1,
        })
    }

    /// Acceleration of gravity and of the spec together [m/s²], in the plane of the flow.
    pub fn acceleration_in(&self, gravity: DVec3) -> DVec3 {
        let mut sum = gravity + DVec3::from_array(self.acceleration);
        if let Some(plane) = self.plane {
            sum[plane.normal()] = 0.0;
        }
        sum
    }

    /// The first key that is wrong, and what is wrong; walls and fills not looked at.
    pub fn check(&self) -> Result<(), Wrong> {
        let wrong = |key: &str, e: String| Err((key.to_owned(), e));
        positive("spacing", self.spacing)?;
        positive("density", self.density)?;
        for (key, value) in
            [("sound_speed", self.sound_speed), ("max_speed", self.max_speed), ("courant", self.courant)]
        {
            value.map_or(Ok(()), |value| positive(key, value))?;
        }
        if self.viscosity.is_some() && self.rheology.is_some() {
            return wrong("rheology", "give viscosity or rheology, not both".into());
        }
        if let Some(viscosity) = self.viscosity.filter(|v| !(*v >= 0.0 && v.is_finite())) {
            return wrong(
                "viscosity",
                format!("viscosity = {viscosity} is not allowed; a finite number from 0 on is needed"),
            );
        }
        if let GrainStep::Seconds(step) = self.step {
            positive("step", step)?;
        }
        self.periodic.check()?;
        if let Some(bounds) = self.bounds {
            let fine = (0..3)
                .all(|k| bounds.low[k] < bounds.high[k] || Some(k) == self.plane.map(FlowPlane::normal));
            if !(fine && bounds.low.iter().chain(&bounds.high).all(|x| x.is_finite())) {
                return wrong("bounds", "bounds need a `low` corner below their `high` one".into());
            }
        }
        if !self.acceleration.iter().all(|x| x.is_finite()) {
            return wrong("acceleration", "all components must be finite".into());
        }
        if self.fills.is_empty() && self.inlets.is_empty() {
            return wrong("name", "a fluid needs `fills`, or `inlets`".into());
        }
        self.check_method()
    }

    /// Periodic axes of the fluid.
    pub fn repeats(&self) -> [bool; 3] {
        self.periodic.axes().map(|(_, axis)| axis.is_some())
    }

    /// Speed of sound [m/s]: the one that is given, or ten times the greatest speed: `max_speed`, or else the one that is
    /// expected of the flow [m/s].
    pub fn sound(&self, expected: f64) -> Result<f64, Wrong> {
        let expected = self.max_speed.unwrap_or(expected);
        match self.sound_speed {
            Some(sound) => Ok(sound),
            None if expected > 0.0 && expected.is_finite() => Ok(SOUND_RATIO * expected),
            None => Err((
                "name".into(),
                "the speed of the flow is not known: give `max_speed`, or `sound_speed`".into(),
            )),
        }
    }
}
