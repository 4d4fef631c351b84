//! What a world is made of: the descriptions of all objects, their names and handles.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;
use huygens_core::Arena;
use huygens_core::signal::{Inputs, UserOde, closest_name};
use huygens_multibody::{
    Assembly, BodyId, BushingId, CoordinateForceId, CouplingId, DragId, ForceLaw, JointId, LoadId,
    MaterialId, RopeId, Shaft, ShaftId, SpringId,
};

use super::{
    Build, FluidId, GrainsId, Result, StructureId, World, WorldError, fluids, grains, shapes, structures,
};
use crate::spec::{
    BodySpec, CouplingSpec, FillSpec, ForceSpec, JointSpec, MaterialSpec, MotorSpec, ProbeSpec, Scene,
    SceneObject, Section, ShaftSpec, SignalEntry,
};

/// Handle of a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotorId {
    /// A motor that prescribes a position or a speed.
    Motion(CouplingId),
    /// A motor that prescribes a torque or a force.
    Effort(CoordinateForceId),
}

/// Handle of a force element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceId {
    /// Spring between two points.
    Spring(SpringId),
    /// Coordinate spring, clutch or brake.
    Coordinate(CoordinateForceId),
    /// Bushing.
    Bushing(BushingId),
    /// Applied force and torque.
    Load(LoadId),
    /// Drag.
    Drag(DragId),
    /// Rope.
    Rope(RopeId),
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Object {
    /// A body.
    Body(BodyId),
    /// A joint.
    Joint(JointId),
    /// A motor.
    Motor(MotorId),
    /// A coupling.
    Coupling(CouplingId),
    /// A force element.
    Force(ForceId),
    /// A shaft.
    Shaft(ShaftId),
    /// Granular matter.
    Grains(GrainsId),
    /// A fluid.
    Fluid(FluidId),
    /// A flexible structure.
    Structure(StructureId),
}

impl Object {
    /// Kind of object.
    pub fn section(&self) -> Section {
        match self {
            Object::Body(_) => Section::Bodies,
            Object::Joint(_) => Section::Joints,
            Object::Motor(_) => Section::Motors,
            Object::Coupling(_) => Section::Couplings,
            Object::Force(_) => Section::Forces,
            Object::Shaft(_) => Section::Shafts,
            Object::Grains(_) => Section::Grains,
            Object::Fluid(_) => Section::Fluids,
            Object::Structure(_) => Section::Structures,
        }
    }
}

type UserLaw = std::sync::Arc<dyn Fn(f64, Inputs<'_>) -> f64 + Send + Sync>;

/// A block of the signal graph, in the order in which they were added.
#[derive(Clone)]
pub(super) enum SignalDraft {
    Spec(SignalEntry),
    Law { name: String, inputs: Vec<String>, law: UserLaw },
    Ode { name: String, inputs: Vec<String>, ode: UserOde },
}

impl SignalDraft {
    pub fn name(&self) -> &str {
        match self {
            Self::Spec(entry) => &entry.name,
            Self::Law { name, .. } | Self::Ode { name, .. } => name,
        }
    }

    /// What a closure reads; the inputs of a description are among its references.
    pub fn inputs(&self) -> &[String] {
        match self {
            Self::Spec(_) => &[],
            Self::Law { inputs, .. } | Self::Ode { inputs, .. } => inputs,
        }
    }
}

/// Everything that was added to a world, by section, and the engine's description of the mechanism that came of it.
pub(super) struct Objects {
    pub assembly: Assembly,
    /// Names that are unique among all objects.
    pub names: BTreeMap<String, Object>,
    pub materials: Vec<(MaterialId, MaterialSpec)>,
    /// Includes the default material once it is used.
    pub material_ids: BTreeMap<String, MaterialId>,
    pub bodies: Vec<(BodyId, BodySpec)>,
    /// Fills and the bodies they made.
    pub fills: Vec<(FillSpec, Range<usize>)>,
    pub grains: Arena<grains::GrainSet>,
    pub fluids: Arena<fluids::FluidSet>,
    pub structures: Vec<structures::StructureSet>,
    /// Those that are nothing but their description.
    pub kept: Scene,
    pub groups: shapes::Groups,
    pub geometry: shapes::GeometryCache,
    pub joints: Vec<(JointId, JointSpec)>,
    pub shafts: Vec<(ShaftId, ShaftSpec)>,
    pub motors: Vec<(MotorId, MotorSpec)>,
    pub couplings: Vec<(CouplingId, CouplingSpec)>,
    pub forces: Vec<(ForceId, ForceSpec, Option<ForceLaw>)>,
    pub signals: Vec<SignalDraft>,
    pub probes: Vec<ProbeSpec>,
}

/// The handle that a name stands for, if it is one of an object of this kind.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident, $variant:ident, $handle:ty;)*) => {
        impl Objects {
            $(pub fn $name(&self, name: &str) -> Result<$handle> {
                match self.names.get(name) {
                    Some(Object::$variant(id)) => Ok(*id),
                    _ => Err(self.unknown(stringify!($name), name, |o| matches!(o, Object::$variant(_)))),
                }
            })*
        }

        impl World {
            $($(#[$doc])*
            pub fn $name(&self, name: &str) -> Result<$handle> {
                self.objects.$name(name)
            })*
        }
    };
}

handles! {
    /// Handle of the body of that name.
    body, Body, BodyId;
    /// Handle of the joint of that name.
    joint, Joint, JointId;
    /// Handle of the shaft of that name.
    shaft, Shaft, ShaftId;
    /// Handle of the grains of that name.
    grains, Grains, GrainsId;
    /// Handle of the fluid of that name.
    fluid, Fluid, FluidId;
    /// Handle of the structure of that name.
    structure, Structure, StructureId;
}

/// Takes an object out of a table by its name.
pub(super) fn take<I, T: SceneObject>(table: &mut Vec<(I, T)>, name: &str) -> Option<I> {
    let k = table.iter().position(|(_, spec)| spec.name() == name)?;
    Some(table.remove(k).0)
}

impl Objects {
    pub fn new(gravity: DVec3) -> Self {
        Self {
            assembly: Assembly::new(gravity),
            names: BTreeMap::new(),
            materials: Vec::new(),
            material_ids: BTreeMap::new(),
            bodies: Vec::new(),
            fills: Vec::new(),
            grains: Arena::default(),
            fluids: Arena::default(),
            structures: Vec::new(),
            kept: Scene::default(),
            groups: shapes::Groups::default(),
            geometry: BTreeMap::new(),
            joints: Vec::new(),
            shafts: Vec::new(),
            motors: Vec::new(),
            couplings: Vec::new(),
            forces: Vec::new(),
            signals: Vec::new(),
            probes: Vec::new(),
        }
    }

    pub fn unknown(&self, kind: &'static str, name: &str, like: impl Fn(&Object) -> bool) -> WorldError {
        WorldError::Unknown { kind, name: name.into(), suggestion: self.suggest(name, like) }
    }

    /// The nearest name of an object of some kind.
    pub fn suggest(&self, name: &str, like: impl Fn(&Object) -> bool) -> Option<String> {
        let candidates = self.names.iter().filter(|(_, o)| like(o)).map(|(n, _)| n.as_str());
        closest_name(name, candidates).map(str::to_owned)
    }
}

impl Build for ShaftSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_shaft(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.shafts.iter().map(|(_, spec)| spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        if let Some(id) = take(&mut world.objects.shafts, name) {
            world.objects.assembly.remove_shaft(id);
        }
        Ok(())
    }
}

impl Build for ProbeSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_probe(self)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.probes.iter()
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        if let Some(k) = world.objects.probes.iter().rposition(|probe| probe.label() == name) {
            world.objects.probes.remove(k);
        }
        Ok(())
    }
}

impl World {
    /// What a name stands for.
    pub fn object(&self, name: &str) -> Option<Object> {
        self.objects.names.get(name).copied()
    }

    /// Bodies with their descriptions, in the order they were added.
    pub fn bodies(&self) -> &[(BodyId, BodySpec)] {
        &self.objects.bodies
    }

    /// Joints with their descriptions, in the order they were added.
    pub fn joints(&self) -> &[(JointId, JointSpec)] {
        &self.objects.joints
    }

    /// Shafts with their descriptions, in the order they were added.
    pub fn shafts(&self) -> &[(ShaftId, ShaftSpec)] {
        &self.objects.shafts
    }

    /// Motors with their descriptions, in the order they were added.
    pub fn motors(&self) -> &[(MotorId, MotorSpec)] {
        &self.objects.motors
    }

    /// Couplings with their descriptions, in the order they were added.
    pub fn couplings(&self) -> &[(CouplingId, CouplingSpec)] {
        &self.objects.couplings
    }

    /// Force elements with their descriptions, in the order they were added.
    pub fn forces(&self) -> impl Iterator<Item = (ForceId, &ForceSpec)> {
        self.objects.forces.iter().map(|(id, spec, _)| (*id, spec))
    }

    /// Probes in the order they were added.
    pub fn probes(&self) -> &[ProbeSpec] {
        &self.objects.probes
    }

    /// Adds a shaft.
    pub fn add_shaft(&mut self, mut spec: ShaftSpec) -> Result<ShaftId> {
        self.claim(&mut spec)?;
        self.suspend();
        let shaft =
            Shaft { name: spec.name.clone(), inertia: spec.inertia, angle: spec.angle, speed: spec.speed };
        let id = self
            .objects
            .assembly
            .add_shaft(shaft)
            .map_err(|e| WorldError::of_engine(Section::Shafts, &spec.name, e))?;
        self.objects.names.insert(spec.name.clone(), Object::Shaft(id));
        self.objects.shafts.push((id, spec));
        Ok(id)
    }

    /// Adds a quantity to be written to a time series.
    pub fn add_probe(&mut self, spec: ProbeSpec) -> Result<()> {
        self.objects.probes.push(spec);
        self.motion.ready = false;
        let result = self.refresh_probes();
        if result.is_err() {
            self.objects.probes.pop();
        }
        result
    }
}
