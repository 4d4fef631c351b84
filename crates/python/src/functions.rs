//! Callables in the place of functions of time.
//!
//! Functions of a scene file are numbers and objects, and their structures come from there. A callable travels
//! through as a number no user would write, and takes its place again once the structure is made.

use std::sync::Arc;

use huygens::prelude::*;

use crate::callable::Callable;

/// Upper half of the bits of a number that stands for a callable; about 6e307, still finite.
const MARK: u64 = 0x7fd5_c0de_0000_0000;

/// A callable found in the arguments.
pub struct Found {
    /// The callable.
    pub callable: Arc<Callable>,
    /// Whether it returns derivatives too.
    pub with_derivatives: bool,
    /// Key it was given for.
    pub path: String,
}

/// The number that stands for the callable `index`.
pub fn stand_in(index: usize) -> f64 {
    f64::from_bits(MARK | index as u64)
}

/// Puts callables back into structures.
pub struct Binder<'a> {
    found: &'a [Found],
    bound: Vec<bool>,
}

impl<'a> Binder<'a> {
    /// A binder of the callables found in the arguments.
    pub fn new(found: &'a [Found]) -> Self {
        Self { found, bound: vec![false; found.len()] }
    }

    /// The first callable that stood where no function can be.
    pub fn unbound(&self) -> Option<&'a Found> {
        self.bound.iter().position(|b| !b).map(|i| &self.found[i])
    }

    fn function(&mut self, function: &mut Function) {
        match function {
            Function::Constant { value } => {
                let bits = value.to_bits();
                let index = (bits & 0xffff_ffff) as usize;
                if bits & !0xffff_ffff != MARK || index >= self.found.len() {
                    return;
                }
                self.bound[index] = true;
                let (callable, name) = (self.found[index].callable.clone(), self.found[index].path.as_str());
                *function = if self.found[index].with_derivatives {
                    Function::custom_with_derivatives(name, move |t| callable.derivatives(t))
                } else {
                    Function::custom(name, move |t| callable.number([t]))
                };
            }
            Function::Sum { terms } => terms.iter_mut().for_each(|f| self.function(f)),
            Function::Product { factors } => factors.iter_mut().for_each(|f| self.function(f)),
            Function::Composition { outer, inner } => {
                self.function(outer);
                self.function(inner);
            }
            _ => {}
        }
    }

    fn drive(&mut self, drive: &mut DriveSpec) {
        if let DriveSpec::Function(function) = drive {
            self.function(function);
        }
    }
}

/// A structure with functions of time in it.
pub trait Bind {
    /// Puts callables in the place of their numbers.
    fn bind(&mut self, binder: &mut Binder<'_>);
}

impl Bind for BodySpec {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        if let Some(motion) = &mut self.motion {
            motion.translation.iter_mut().chain([&mut motion.angle]).for_each(|f| binder.function(f));
        }
    }
}

impl Bind for GrainsSpec {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        for motion in self.walls.iter_mut().filter_map(|wall| wall.mount.motion.as_mut()) {
            motion.translation.iter_mut().chain([&mut motion.angle]).for_each(|f| binder.function(f));
        }
    }
}

impl Bind for FluidSpec {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        for motion in self.walls.iter_mut().filter_map(|wall| wall.mount.motion.as_mut()) {
            motion.translation.iter_mut().chain([&mut motion.angle]).for_each(|f| binder.function(f));
        }
    }
}

impl Bind for StructureSpec {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        let loads = self.loads.iter_mut().filter_map(|load| load.function.as_mut());
        let joints = self.joints.iter_mut().filter_map(|joint| match &mut joint.kind {
            NodeJointType::Coordinate { displacement, .. } => Some(displacement),
            _ => None,
        });
        loads.chain(joints).for_each(|f| binder.function(f));
    }
}

impl Bind for JointSpec {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        if let JointType::Trajectory { translation, angle, .. } = &mut self.kind {
            translation.iter_mut().chain([angle]).for_each(|f| binder.function(f));
        }
    }
}

impl Bind for MotorSpec {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        binder.drive(&mut self.drive);
    }
}

impl Bind for ForceSpec {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        match self {
            ForceSpec::Spring(s) => s.actuator.iter_mut().for_each(|d| binder.drive(d)),
            ForceSpec::CoordinateSpring(s) => s.actuator.iter_mut().for_each(|d| binder.drive(d)),
            ForceSpec::Load(s) => s.force.iter_mut().chain(&mut s.torque).for_each(|d| binder.drive(d)),
            ForceSpec::Clutch(s) => binder.drive(&mut s.torque),
            ForceSpec::Brake(s) => binder.drive(&mut s.torque),
            _ => {}
        }
    }
}

impl Bind for SignalEntry {
    fn bind(&mut self, binder: &mut Binder<'_>) {
        if let SignalSpec::Function { function, .. } = &mut self.signal {
            binder.function(function);
        }
    }
}

/// Structures without functions.
macro_rules! no_functions {
    ($($name:ty),*) => { $(impl Bind for $name { fn bind(&mut self, _: &mut Binder<'_>) {} })* };
}

no_functions!(
    GrainTableSpec,
    ContactPairSpec,
    CouplingSpec,
    FillSpec,
    FrameSpec,
    MaterialSpec,
    ProbeSpec,
    Scene,
    SensorSpec,
    Settings,
    ShaftSpec,
    ShapeSpec
);
