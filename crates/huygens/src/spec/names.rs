//! Names inside specifications: every own name and every reference, for prefixes of sub-assemblies.

use super::{
    CouplingSpec, DEFAULT_MATERIAL, DriveSpec, ForceSpec, GROUND, GrainKind, GrainTableSpec, Scene,
    SensorSpec, ShapeSpec, WallType,
};
use huygens_core::signal::SignalSpec;
use std::fmt;

/// Kind of object, and the key of its list in a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// `settings`.
    Settings,
    /// `materials`.
    Materials,
    /// `bodies`.
    Bodies,
    /// `fills`.
    Fills,
    /// `grains`.
    Grains,
    /// `fluids`.
    Fluids,
    /// `structures`.
    Structures,
    /// `contact_pairs`.
    ContactPairs,
    /// `joints`.
    Joints,
    /// `motors`.
    Motors,
    /// `couplings`.
    Couplings,
    /// `forces`.
    Forces,
    /// `shafts`.
    Shafts,
    /// `signals`.
    Signals,
    /// `probes`.
    Probes,
}

impl Section {
    /// All sections that are lists of objects.
    pub const LISTS: [Section; 14] = [
        Section::Materials,
        Section::Bodies,
        Section::Fills,
        Section::Grains,
        Section::Fluids,
        Section::Structures,
        Section::ContactPairs,
        Section::Joints,
        Section::Motors,
        Section::Couplings,
        Section::Forces,
        Section::Shafts,
        Section::Signals,
        Section::Probes,
    ];

    /// Key in a scene file.
    pub fn key(self) -> &'static str {
        match self {
            Section::Settings => "settings",
            Section::Materials => "materials",
            Section::Bodies => "bodies",
            Section::Fills => "fills",
            Section::Grains => "grains",
            Section::Fluids => "fluids",
            Section::Structures => "structures",
            Section::ContactPairs => "contact_pairs",
            Section::Joints => "joints",
            Section::Motors => "motors",
            Section::Couplings => "couplings",
            Section::Forces => "forces",
            Section::Shafts => "shafts",
            Section::Signals => "signals",
            Section::Probes => "probes",
        }
    }

    /// What one object is called in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Section::Settings => "settings",
            Section::Materials => "material",
            Section::Bodies => "body",
            Section::Fills => "fill",
            Section::Grains => "grains",
            Section::Fluids => "fluid",
            Section::Structures => "structure",
            Section::ContactPairs => "contact pair",
            Section::Joints => "joint",
            Section::Motors => "motor",
            Section::Couplings => "coupling",
            Section::Forces => "force",
            Section::Shafts => "shaft",
            Section::Signals => "signal",
            Section::Probes => "probe",
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

/// Writes `prefix` before every name and reference of a scene; `ground` and `world` keep their meaning.
pub(crate) fn add_prefix(scene: &mut Scene, prefix: &str) {
    if prefix.is_empty() {
        return;
    }
    for_each_name(scene, &mut |name| {
        let reserved = name == GROUND || name == "world" || name.is_empty();
        if !reserved {
            name.insert_str(0, prefix);
        }
    });
}

fn for_each_name(scene: &mut Scene, f: &mut dyn FnMut(&mut String)) {
    scene.materials.iter_mut().for_each(|m| material_name(&mut m.name, f));
    for body in &mut scene.bodies {
        f(&mut body.name);
        body.shapes.iter_mut().for_each(|s| shape_names(s, f));
    }
    for fill in &mut scene.fills {
        f(&mut fill.name);
        shape_names(&mut fill.shape, f);
    }
    for grains in &mut scene.grains {
        f(&mut grains.name);
        grains.material.iter_mut().for_each(|m| material_name(m, f));
        for wall in &mut grains.walls {
            wall.material.iter_mut().for_each(|m| material_name(m, f));
            wall.mount.body.iter_mut().for_each(&mut *f);
            if let WallType::Structure { structure } = &mut wall.kind {
                f(structure);
            }
        }
        grains.particles.iter_mut().flat_map(|p| &mut p.material).for_each(|m| material_name(m, f));
        grains.clumps.iter_mut().flat_map(|p| &mut p.material).for_each(|m| material_name(m, f));
        grains.fills.iter_mut().flat_map(|p| &mut p.material).for_each(|m| material_name(m, f));
        for measure in &mut grains.measures {
            if let GrainTableSpec::Segregation { first: GrainKind::Material(name), .. } =
                &mut measure.quantity
            {
                material_name(name, f);
            }
        }
        grains.inlets.iter_mut().flat_map(|p| &mut p.material).for_each(|m| material_name(m, f));
    }
    for fluid in &mut scene.fluids {
        f(&mut fluid.name);
        fluid.walls.iter_mut().flat_map(|w| &mut w.mount.body).for_each(&mut *f);
        fluid.bodies.iter_mut().chain(&mut fluid.structures).for_each(&mut *f);
        fluid.contact.iter_mut().flat_map(|c| &mut c.material).for_each(|m| material_name(m, f));
    }
    for structure in &mut scene.structures {
        f(&mut structure.name);
        for joint in &mut structure.joints {
            [&mut joint.name, &mut joint.to].into_iter().for_each(&mut *f);
        }
        structure.contact.iter_mut().flat_map(|c| &mut c.material).for_each(|m| material_name(m, f));
    }
    for pair in &mut scene.contact_pairs {
        pair.bodies.iter_mut().flatten().for_each(&mut *f);
        pair.materials.iter_mut().flatten().for_each(|m| material_name(m, f));
    }
    scene.shafts.iter_mut().for_each(|s| f(&mut s.name));
    for joint in &mut scene.joints {
        [&mut joint.name, &mut joint.a, &mut joint.b].into_iter().for_each(&mut *f);
    }
    for motor in &mut scene.motors {
        f(&mut motor.name);
        motor.joint.iter_mut().chain(&mut motor.shaft).for_each(&mut *f);
        drive_name(&mut motor.drive, f);
    }
    scene.couplings.iter_mut().for_each(|c| coupling_names(c, f));
    scene.forces.iter_mut().for_each(|c| force_names(c, f));
    for entry in &mut scene.signals {
        f(&mut entry.name);
        signal_names(&mut entry.signal, f);
    }
    for probe in &mut scene.probes {
        for name in [&mut probe.name, &mut probe.of, &mut probe.with, &mut probe.signal] {
            name.iter_mut().for_each(&mut *f);
        }
    }
}

/// The default material is the same everywhere.
fn material_name(name: &mut String, f: &mut dyn FnMut(&mut String)) {
    if name != DEFAULT_MATERIAL {
        f(name);
    }
}

/// Materials belong to the sub-assembly; groups are common to the whole scene.
fn shape_names(shape: &mut ShapeSpec, f: &mut dyn FnMut(&mut String)) {
    shape.material.iter_mut().for_each(|m| material_name(m, f));
}

fn drive_name(drive: &mut DriveSpec, f: &mut dyn FnMut(&mut String)) {
    if let DriveSpec::Signal { signal } = drive {
        f(signal);
    }
}

fn coupling_names(coupling: &mut CouplingSpec, f: &mut dyn FnMut(&mut String)) {
    match coupling {
        CouplingSpec::Gear(g) => [&mut g.name, &mut g.joint_a, &mut g.joint_b].into_iter().for_each(f),
        CouplingSpec::BevelGear(g) => [&mut g.name, &mut g.joint_a, &mut g.joint_b].into_iter().for_each(f),
        CouplingSpec::RackPinion(g) => [&mut g.name, &mut g.pinion, &mut g.rack].into_iter().for_each(f),
        CouplingSpec::Belt(g) => [&mut g.name, &mut g.joint_a, &mut g.joint_b].into_iter().for_each(f),
        CouplingSpec::ShaftGear(g) => [&mut g.name, &mut g.shaft_a, &mut g.shaft_b].into_iter().for_each(f),
        CouplingSpec::ShaftJoint(g) => [&mut g.name, &mut g.shaft, &mut g.joint].into_iter().for_each(f),
        CouplingSpec::Linear(g) => {
            f(&mut g.name);
            for term in &mut g.terms {
                term.joint.iter_mut().chain(&mut term.shaft).for_each(&mut *f);
            }
        }
    }
}

fn force_names(force: &mut ForceSpec, f: &mut dyn FnMut(&mut String)) {
    match force {
        ForceSpec::Spring(s) => {
            [&mut s.name, &mut s.a, &mut s.b].into_iter().for_each(&mut *f);
            s.actuator.iter_mut().for_each(|d| drive_name(d, f));
        }
        ForceSpec::RotationalSpring(s) => {
            [&mut s.name, &mut s.joint].into_iter().for_each(&mut *f);
            s.actuator.iter_mut().for_each(|d| drive_name(d, f));
        }
        ForceSpec::Bushing(s) => [&mut s.name, &mut s.a, &mut s.b].into_iter().for_each(f),
        ForceSpec::Load(s) => {
            [&mut s.name, &mut s.body].into_iter().for_each(&mut *f);
            s.force.iter_mut().chain(&mut s.torque).for_each(|d| drive_name(d, f));
        }
        ForceSpec::Drag(s) => [&mut s.name, &mut s.body].into_iter().for_each(f),
        ForceSpec::Rope(s) => [&mut s.name, &mut s.a, &mut s.b].into_iter().for_each(f),
        ForceSpec::TorsionSpring(s) => {
            [&mut s.name, &mut s.shaft_a].into_iter().chain(&mut s.shaft_b).for_each(f);
        }
        ForceSpec::Clutch(s) => {
            [&mut s.name, &mut s.shaft_a, &mut s.shaft_b].into_iter().for_each(&mut *f);
            drive_name(&mut s.torque, f);
        }
        ForceSpec::Brake(s) => {
            f(&mut s.name);
            s.shaft.iter_mut().chain(&mut s.joint).for_each(&mut *f);
            drive_name(&mut s.torque, f);
        }
    }
}

fn signal_names(signal: &mut SignalSpec<SensorSpec>, f: &mut dyn FnMut(&mut String)) {
    match signal {
        SignalSpec::Function { input, .. } => input.iter_mut().for_each(f),
        SignalSpec::Sensor { sensor } => f(&mut sensor.of),
        SignalSpec::Sum { inputs, .. } | SignalSpec::Product { inputs } => inputs.iter_mut().for_each(f),
        SignalSpec::Gain { input, .. }
        | SignalSpec::Saturation { input, .. }
        | SignalSpec::Filter { input, .. } => f(input),
        SignalSpec::Lookup(lookup) => f(&mut lookup.input),
        SignalSpec::Pid(pid) => [&mut pid.reference, &mut pid.measurement].into_iter().for_each(f),
        SignalSpec::TransferFunction(system) => f(&mut system.input),
        SignalSpec::Input(_) => {}
        SignalSpec::State { block, .. } => f(block),
    }
}

macro_rules! named {
    ($type:ident: $($variant:ident),*) => {
        impl $type {
            /// Name of the object.
            pub fn name(&self) -> &str {
                match self { $($type::$variant(s) => &s.name,)* }
            }

            /// Name of the object, to be changed.
            pub fn name_mut(&mut self) -> &mut String {
                match self { $($type::$variant(s) => &mut s.name,)* }
            }
        }
    };
}

named!(CouplingSpec: Gear, BevelGear, RackPinion, Belt, ShaftGear, ShaftJoint, Linear);
named!(ForceSpec: Spring, RotationalSpring, Bushing, Load, Drag, Rope, TorsionSpring, Clutch, Brake);
