//! What a simulation is made of, as it is written in scene files, given from Python and built in Rust; knows no engine.
//!
//! One set of structures serves all three, with the same names, defaults and checks. All quantities are in SI
//! units; angles are in radians, or in degrees where a key ends in `_deg`.
//!
//! An object that a user can name is one struct whose fields say what they are: its name, references to other objects,
//! points and vectors of the world, files. [`SceneObject`] is derived from these marks, and from it follow the prefixes
//! of sub-assemblies and their placement, the check of references and the files that belong to a scene.
//! [`sections!`] lists the kinds of objects; the lists of a [`Scene`] and everything a world does by kind expand it.

extern crate self as huygens_spec;

/// The table of sections: expands `$then` over its rows.
///
/// A row has the documentation of the list, the variant of [`Section`], the key of the list in a scene file, what one
/// object is called in messages, the type that describes it, its place in the order of building (objects are built
/// after those they refer to), and whether its name is `unique` among all objects of a scene or among its own section
/// only (`apart`). The rows stand in the order in which scenes are written.
#[macro_export]
macro_rules! sections {
    ($then:ident!) => {
        $then! {
            /// Contact materials.
            Materials, materials, "material", MaterialSpec, 1, apart;
            /// Rigid bodies.
            Bodies, bodies, "body", BodySpec, 3, unique;
            /// Many equal bodies on lattices.
            Fills, fills, "fill", FillSpec, 4, apart;
            /// Granular matter.
            Grains, grains, "grains", GrainsSpec, 6, unique;
            /// Fluids.
            Fluids, fluids, "fluid", FluidSpec, 7, unique;
            /// Flexible structures.
            Structures, structures, "structure", StructureSpec, 5, unique;
            /// Pairs of bodies that touch or do not, and pairs of materials with numbers of their own.
            ContactPairs, contact_pairs, "contact pair", ContactPairSpec, 8, apart;
            /// Joints between bodies.
            Joints, joints, "joint", JointSpec, 9, unique;
            /// Motors on joints and shafts.
            Motors, motors, "motor", MotorSpec, 11, unique;
            /// Gears, racks, belts and other relations of coordinates.
            Couplings, couplings, "coupling", CouplingSpec, 12, unique;
            /// Springs, bushings, loads, drag, ropes, clutches, brakes.
            Forces, forces, "force", ForceSpec, 13, unique;
            /// Shafts with one rotation.
            Shafts, shafts, "shaft", ShaftSpec, 2, unique;
            /// Signals: sensors, controllers, filters.
            Signals, signals, "signal", SignalEntry, 10, apart;
            /// Quantities written to time series.
            Probes, probes, "probe", ProbeSpec, 14, apart;
        }
    };
}

mod body;
mod contact;
mod coupling;
mod fill;
mod fluid_constraint;
mod fluid_walls;
mod fluids;
mod force;
pub mod function;
mod grain_clumps;
mod grain_forces;
mod grain_measures;
mod grain_sources;
mod grains;
mod integration;
mod joint;
mod material;
mod motor;
mod object;
mod path;
mod placement;
mod probe;
mod references;
pub mod renamed;
mod rotation;
mod scene;
mod section;
mod settings;
mod shaft;
mod shape;
mod shown;
mod signal;
mod structure;
mod suggestion;
mod synonyms;
pub mod tagged;
mod value;
mod wall_shape;

pub use huygens_kernel::NumberRange;
pub use huygens_spec_macros::{SceneObject, Tagged};

pub use body::{BodySpec, BodyType, MotionSpec, Solid};
pub use contact::{
    ConeMethod, ContactLaw, ContactSettings, FrictionModel, JointTreatment, OnFailure, RigidSettings,
};
pub use coupling::{
    BeltSpec, BevelGearSpec, CouplingSpec, GearSpec, LinearCouplingSpec, LinearTerm, RackPinionSpec,
    ShaftGearSpec, ShaftJointSpec,
};
pub use fill::{FillSpec, MAX_FILL};
pub use fluid_constraint::{ClumpingSpec, FluidLawType, FluidMethod, MarkerContactSpec};
pub use fluid_walls::{FluidInletSpec, FluidOutletSpec, FluidWallSpec, FluidWallType};
pub use fluids::{
    DensityFilterSpec, DensityFilterType, FlowPlane, FluidBoundsSpec, FluidFillSpec, FluidKernel,
    FluidScheme, FluidSpec, FluidWallModel, MAX_FLUID, RheologySpec, SOUND_RATIO, ShiftingSpec, StateSpec,
    ViscousType,
};
pub use force::{
    BrakeSpec, BushingSpec, ClutchSpec, CoordinateSpringSpec, DragSpec, ForceSpec, LoadAxes, LoadSpec,
    Matrix6, RopeSpec, SpringSpec,
};
pub use function::Function;
pub use grain_clumps::{ClumpSpec, ClumpSphere, MAX_CLUMP_SPHERES};
pub use grain_forces::{FlowSpec, GrainDragLaw, GrainDragSpec, NearFieldSpec};
pub use grain_measures::{CellsSpec, GrainKind, GrainMeasureSpec, GrainTableSpec, MAX_CELLS};
pub use grain_sources::{
    BoundarySpec, BoundaryType, FillMeshSpec, GrainFillSpec, InletSpec, OutletSpec, PatternSpec, PlaneSpec,
    RegionSpec, ShareOf, SizesSpec,
};
pub use grains::{
    GrainStep, GrainsSpec, MAX_GRAINS, MAX_WALLS, MountSpec, ParticlesSpec, PeriodicSpec, WallEnds, WallFace,
    WallSide, WallSpec, WallType,
};
pub use integration::{Integrator, LinearSolver, Newton, Refresh, StepControl};
pub use joint::{Freedom, JointSpec, JointType, LimitSpec};
pub use material::{Coefficient, ContactPairSpec, Material, MaterialSpec, StiffnessSpec};
pub use motor::{MotorSpec, MotorType};
pub use object::{SceneObject, Texts, Triples, Visitor, VisitorMut};
pub use path::KeyPath;
pub use placement::Placement;
pub use probe::{Axes, ProbeSpec, SensorSpec, SideName, SignalEntry};
pub use references::WrongReference;
pub use rotation::{FrameSpec, PlaceSpec, Rotation, check_axis, orientation};
pub use scene::{Include, Listed, Scene};
pub use section::Section;
pub use settings::{
    Analysis, LoadPathSpec, LoadPathType, ModesSpec, OutputSpec, RecordingSpec, Settings, WarningKind,
    WrongSetting,
};
pub use shaft::ShaftSpec;
pub use shape::{
    DecomposeSpec, FileSource, GroundSource, GroupSpec, HullSource, MeshSource, ShapeSpec, ShapeType, rgb,
};
pub use shown::{given, shown};
pub use signal::{AntiWindup, InputSpec, LookupSpec, PidSpec, SignalSpec, TransferFunctionSpec};
pub use structure::{
    CopiesSpec, ElasticSpec, ElementType, FixedSpec, GenerateSpec, MAX_COPIES, MAX_NODES, MeshItems,
    NodeColumn, NodeJointSpec, NodeJointType, NodeMassSpec, SectionSpec, SectionType, SplitType, StrainType,
    StructureContactSpec, StructureContactType, StructureDampingSpec, StructureLoadSpec, StructureSpec,
};
pub use suggestion::closest_name;
pub use synonyms::meant_name;
pub use value::{DriveSpec, Inertia};
pub use wall_shape::WallShape;

/// Name that stands for the resting world in joints, springs and bushings.
pub const GROUND: &str = "ground";

/// Name of the material of shapes that name none; it exists without being described.
pub const DEFAULT_MATERIAL: &str = "default";

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
