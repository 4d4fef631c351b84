//! Huygens, a multi-physics dynamics engine: worlds, scene files, runs.
//!
//! A [`World`] is built object by object from the descriptions in [`spec`], or from a scene file by
//! [`scene::load_scene`], and simulated:
//!
//! ```
//! use huygens::prelude::*;
//!
//! let mut world = World::new([0.0, 0.0, -9.81]);
//! let ball = world.add_body(BodySpec {
//!     position: [0.0, 0.0, 5.0],
//!     density: Some(7800.0),
//!     shape: Some(Solid::Sphere { radius: 0.1 }),
//!     ..BodySpec::dynamic("ball")
//! })?;
//! world.run(1.0)?;
//! assert!((world.body_position(ball)?[2] - (5.0 - 9.81 / 2.0)).abs() < 1e-9);
//! # Ok::<(), huygens::WorldError>(())
//! ```

pub mod run;
pub mod scene;
pub mod world;

pub use huygens_spec as spec;
pub use scene::{LoadOptions, LoadedScene, SceneError, SceneWorld, load_scene};
pub use spec::{Scene, Settings, scene_schema};
pub use world::{InputState, World, WorldError};

/// Everything a program needs to build and run a world.
pub mod prelude {
    pub use crate::scene::{LoadOptions, LoadedScene, SceneError, SceneWorld, load_scene};
    pub use crate::spec::{
        Analysis, BodySpec, BodyType, BoundarySpec, BoundaryType, BrakeSpec, BushingSpec, CellsSpec,
        ClumpSpec, ClumpSphere, ClumpingSpec, ClutchSpec, ContactPairSpec, CoordinateSpringSpec, CopiesSpec,
        CouplingSpec, DecomposeSpec, DensityFilterSpec, DensityFilterType, DragSpec, DriveSpec, ElasticSpec,
        ElementType, FileSource, FillMeshSpec, FillSpec, FixedSpec, FlowPlane, FlowSpec, FluidBoundsSpec,
        FluidFillSpec, FluidInletSpec, FluidKernel, FluidLawType, FluidMethod, FluidOutletSpec, FluidScheme,
        FluidSpec, FluidWallModel, FluidWallSpec, FluidWallType, ForceSpec, FrameSpec, GearSpec,
        GenerateSpec, GrainDragLaw, GrainDragSpec, GrainFillSpec, GrainKind, GrainMeasureSpec, GrainStep,
        GrainTableSpec, GrainsSpec, GroundSource, GroupSpec, HullSource, Inertia, InletSpec, JointSpec,
        JointType, LimitSpec, LinearCouplingSpec, LinearTerm, LoadPathSpec, LoadPathType, LoadSpec,
        MarkerContactSpec, MaterialSpec, MeshItems, MeshSource, ModesSpec, MotionSpec, MotorSpec, MotorType,
        MountSpec, NearFieldSpec, NodeColumn, NodeJointSpec, NodeJointType, NodeMassSpec, OutletSpec,
        ParticlesSpec, PatternSpec, PeriodicSpec, PlaceSpec, PlaneSpec, ProbeSpec, RegionSpec, RheologySpec,
        RopeSpec, Rotation, Scene, SceneObject, SectionSpec, SectionType, SensorSpec, Settings,
        ShaftGearSpec, ShaftJointSpec, ShaftSpec, ShapeSpec, ShapeType, ShareOf, ShiftingSpec, SignalEntry,
        SizesSpec, Solid, SplitType, SpringSpec, StateSpec, StiffnessSpec, StrainType, StructureContactSpec,
        StructureContactType, StructureDampingSpec, StructureLoadSpec, StructureSpec, ViscousType, WallEnds,
        WallFace, WallShape, WallSide, WallSpec, WallType, WarningKind,
    };
    pub use crate::world::{
        ClumpStates, ContactCallback, ContactReport, ContactSide, Energy, FluidField, FluidId, FluidStatus,
        ForceId, GrainField, GrainTable, GrainsId, InputState, MotorId, NodeMotion, RainProgress,
        SectionForces, SolidStress, StructureId, World, WorldError,
    };
    pub use huygens_core::contact::{
        Composite, ConeMethod, ContactLaw, ContactSettings, FrictionModel, JointTreatment, OnFailure,
        RigidSettings,
    };
    pub use huygens_core::function::Function;
    pub use huygens_core::integrator::{Integrator, StepControl};
    pub use huygens_core::signal::{InputSpec, PidSpec, SignalSpec, UserOde};
    pub use huygens_kernel::contact::{
        AdhesionLaw, CompliantModel, DampingLaw, NormalLaw, ResistanceLaw, TangentialLaw,
    };
    pub use huygens_multibody::{BodyId, ForceLaw, JointId, Measurement, ReactionAxes, ShaftId, Side};
}
