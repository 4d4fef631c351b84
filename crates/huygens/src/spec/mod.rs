//! What a simulation is made of, as it is written in scene files, given from Python and built in Rust.
//!
//! One set of structures serves all three, with the same names, defaults and checks. All quantities are in SI
//! units; angles are in radians, or in degrees where a key ends in `_deg`.

mod body;
mod coupling;
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
mod probe;
mod references;
mod scene;
mod settings;
mod shaft;
mod shape;
mod structure;
mod value;

pub use huygens_spec::{
    DEFAULT_MATERIAL, FrameSpec, GROUND, KeyPath, PlaceSpec, Placement, Rotation, SceneObject, Section,
    Visitor, VisitorMut, check_axis, orientation, sections, tagged,
};

pub use body::{BodySpec, BodyType, MotionSpec, Solid};
pub use coupling::{
    BeltSpec, BevelGearSpec, CouplingSpec, GearSpec, LinearCouplingSpec, LinearTerm, RackPinionSpec,
    ShaftGearSpec, ShaftJointSpec,
};
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
pub use material::{ContactPairSpec, MaterialSpec, StiffnessSpec};
pub use motor::{MotorSpec, MotorType};
pub use probe::{Axes, ProbeSpec, SensorSpec, SideName, SignalEntry};
pub use references::WrongReference;
pub use scene::{Include, Listed, Scene};
pub use settings::{Analysis, LoadPathSpec, LoadPathType, ModesSpec, OutputSpec, RecordingSpec, Settings};
pub use shaft::ShaftSpec;
pub(crate) use shape::rgb;
pub use shape::{
    DecomposeSpec, FileSource, GroundSource, GroupSpec, HullSource, MeshSource, ShapeSpec, ShapeType,
};
pub use structure::{
    CopiesSpec, ElasticSpec, ElementType, FixedSpec, GenerateSpec, MAX_COPIES, MAX_NODES, MeshItems,
    NodeColumn, NodeJointSpec, NodeJointType, NodeMassSpec, SectionSpec, SectionType, SplitType, StrainType,
    StructureContactSpec, StructureContactType, StructureDampingSpec, StructureLoadSpec, StructureSpec,
};
pub(crate) use value::pose;
pub use value::{DriveSpec, Inertia};

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
