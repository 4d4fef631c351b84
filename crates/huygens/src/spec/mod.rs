//! What a simulation is made of, as it is written in scene files, given from Python and built in Rust.
//!
//! One set of structures serves all three, with the same names, defaults and checks. All quantities are in SI
//! units; angles are in radians, or in degrees where a key ends in `_deg`.

mod body;
mod coupling;
mod files;
mod fill;
mod fluid_constraint;
mod fluid_walls;
mod fluids;
mod force;
mod grain_clumps;
mod grain_forces;
mod grain_measures;
mod grain_sources;
mod grains;
mod joint;
mod material;
mod motor;
mod names;
mod probe;
mod settings;
mod shape;
mod structure;
pub(crate) mod tagged;
mod value;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use body::{BodySpec, BodyType, MotionSpec, Shape};
pub use coupling::{
    BeltSpec, BevelGearSpec, CouplingSpec, GearSpec, LinearCouplingSpec, LinearTerm, RackPinionSpec,
    ShaftGearSpec, ShaftJointSpec,
};
pub(crate) use files::{NamedFile, named_files};
pub use fill::{FillSpec, MAX_FILL};
pub use fluid_constraint::{ClumpingSpec, FluidLawType, FluidMethod, MarkerContactSpec};
pub use fluid_walls::{FluidInletSpec, FluidOutletSpec, FluidWallSpec, FluidWallType};
pub use fluids::{
    DensityFilterSpec, DensityFilterType, FlowPlane, FluidBoundsSpec, FluidFillSpec, FluidKernel,
    FluidScheme, FluidSpec, FluidWallModel, MAX_FLUID, RheologySpec, ShiftingSpec, StateSpec, ViscousType,
};
pub use force::{
    BrakeSpec, BushingSpec, ClutchSpec, DragSpec, ForceSpec, LoadAxes, LoadSpec, Matrix6, RopeSpec,
    RotationalSpringSpec, SpringSpec, TorsionSpringSpec,
};
pub use grain_clumps::{ClumpSpec, ClumpSphere, MAX_CLUMP_SPHERES};
pub use grain_forces::{FlowSpec, GrainDragLaw, GrainDragSpec, NearFieldSpec};
pub use grain_measures::{CellsSpec, GrainKind, GrainMeasureSpec, GrainTableSpec, MAX_CELLS};
pub use grain_sources::{
    BoundarySpec, BoundaryType, FillMeshSpec, GrainFillSpec, InletSpec, OutletSpec, PatternSpec, PlaneSpec,
    RegionSpec, ShareOf, SizesSpec,
};
pub(crate) use grains::box_faces;
pub use grains::{
    GrainStep, GrainsSpec, MAX_GRAINS, MAX_WALLS, MountSpec, ParticlesSpec, PeriodicSpec, WallEnds, WallFace,
    WallSide, WallSpec, WallType,
};
pub use joint::{Freedom, JointSpec, JointType, LimitSpec};
pub use material::{ContactPairSpec, DEFAULT_MATERIAL, MaterialSpec, StiffnessSpec};
pub use motor::{MotorSpec, MotorType};
pub use names::Section;
pub(crate) use names::add_prefix;
pub use probe::{Axes, ProbeSpec, SensorSpec, SideName, SignalEntry};
pub use settings::{Analysis, LoadPathSpec, LoadPathType, ModesSpec, OutputSpec, RecordingSpec, Settings};
pub(crate) use shape::rgb;
pub use shape::{
    DecomposeSpec, FileSource, GroundSource, GroupSpec, HullSource, MeshSource, ShapeSpec, ShapeType,
};
pub use structure::{
    CopiesSpec, ElasticSpec, ElementType, FixedSpec, GenerateSpec, MAX_COPIES, MAX_NODES, MeshItems,
    NodeColumn, NodeJointSpec, NodeJointType, NodeMassSpec, SectionSpec, SectionType, SplitType, StrainType,
    StructureContactSpec, StructureContactType, StructureDampingSpec, StructureLoadSpec, StructureSpec,
};
pub(crate) use value::orientation;
pub use value::{DriveSpec, FrameSpec, Inertia, PlaceSpec, Rotation, check_axis};

/// Name that stands for the resting world in joints, springs and bushings.
pub const GROUND: &str = "ground";

/// A scene: everything a simulation is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scene {
    /// Version of the scene format; 1 is the only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// What the scene shows, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Sub-assemblies from other files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<Include>,
    /// Named numbers for expressions such as `"=2*length"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, f64>,
    /// Gravity, step size, method, output.
    pub settings: Settings,
    /// Contact materials.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<MaterialSpec>,
    /// Rigid bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodySpec>,
    /// Many equal bodies on lattices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<FillSpec>,
    /// Granular matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grains: Vec<GrainsSpec>,
    /// Fluids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fluids: Vec<FluidSpec>,
    /// Flexible structures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub structures: Vec<StructureSpec>,
    /// Pairs of bodies that touch or do not, and pairs of materials with numbers of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contact_pairs: Vec<ContactPairSpec>,
    /// Joints between bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointSpec>,
    /// Motors on joints and shafts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub motors: Vec<MotorSpec>,
    /// Gears, racks, belts and other relations of coordinates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub couplings: Vec<CouplingSpec>,
    /// Springs, bushings, loads, drag, ropes, clutches, brakes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<ForceSpec>,
    /// Shafts with one rotation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shafts: Vec<ShaftSpec>,
    /// Signals: sensors, controllers, filters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<SignalEntry>,
    /// Quantities written to time series.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<ProbeSpec>,
    /// How pictures and films show the run: camera, light, colours, as `huygens render` reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<serde_json::Value>,
}

/// A sub-assembly from another file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Include {
    /// Path of the scene file, relative to the including file and below its folder.
    pub file: String,
    /// Written before every name of the sub-assembly, such as `left.`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Where the origin of the sub-assembly goes [m].
    #[serde(default)]
    pub position: [f64; 3],
    /// How the sub-assembly is turned. Loads and prescribed motions given in world axes keep their directions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Replaces parameters of the sub-assembly.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, f64>,
}

/// A shaft with one rotation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShaftSpec {
    /// Unique name.
    #[serde(default)]
    pub name: String,
    /// Moment of inertia [kg·m²].
    pub inertia: f64,
    /// Angle at the start [rad].
    #[serde(default)]
    pub angle: f64,
    /// Speed at the start [rad/s].
    #[serde(default)]
    pub speed: f64,
}

/// JSON Schema of scene files; where it allows a number it also allows an expression such as `"=2*length"`.
pub fn scene_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Scene).to_value();
    allow_expressions(&mut schema);
    schema
}

fn allow_expressions(schema: &mut serde_json::Value) {
    use serde_json::Value;
    match schema {
        Value::Array(items) => items.iter_mut().for_each(allow_expressions),
        Value::Object(map) => {
            map.values_mut().for_each(allow_expressions);
            let types: Vec<Value> = match map.get("type") {
                Some(Value::String(t)) if t == "number" => vec!["number".into()],
                Some(Value::Array(types)) if types.contains(&"number".into()) => types.clone(),
                _ => return,
            };
            map.insert("type".into(), types.into_iter().chain(["string".into()]).collect());
            map.insert("pattern".into(), "^=".into());
        }
        _ => {}
    }
}
