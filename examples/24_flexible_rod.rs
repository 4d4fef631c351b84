//! A slider-crank with a flexible rod: at four turns a second the rod bends by its own inertia.
//!
//! Run:  cargo run --release --example 24_flexible_rod -p huygens
//! See:  the bending moment in the middle of the rod.

use std::error::Error;
use std::f64::consts::PI;

use huygens::prelude::*;

const CRANK: f64 = 0.15; // m
const ROD: f64 = 0.4; // m
const ACROSS: [f64; 3] = [0.0, -1.0, 0.0];

fn main() -> Result<(), Box<dyn Error>> {
    let start = 50f64.to_radians();
    let lean = (CRANK * start.sin() / ROD).asin();
    let pin = [CRANK * start.cos(), 0.0, CRANK * start.sin()];
    let wrist = [pin[0] + ROD * lean.cos(), 0.0, 0.0];

    let mut world = World::default();
    world.settings_mut().dt = 5e-4;
    world.add_body(BodySpec {
        position: pin.map(|c| c / 2.0),
        rotation: Some(Rotation::about(ACROSS, start)?),
        shape: Some(Shape::Box { size: [CRANK, 0.03, 0.04] }),
        density: Some(7800.0),
        ..BodySpec::dynamic("crank")
    })?;
    world.add_body(BodySpec {
        position: wrist,
        shape: Some(Shape::Cylinder { radius: 0.04, length: 0.06, axis: [1.0, 0.0, 0.0] }),
        density: Some(2700.0),
        ..BodySpec::dynamic("piston")
    })?;
    let rod = world.add_structure(StructureSpec {
        section: Some(SectionSpec::rectangle(0.02, 0.006)),
        material: Some(ElasticSpec::new(2e9, 0.35, 1200.0)),
        damping: StructureDampingSpec { stiffness: 2e-4, ..StructureDampingSpec::default() },
        ..StructureSpec::beam("rod", ElementType::Beam, pin, wrist, 8)
    })?;
    let joint = JointSpec::new;
    world.add_joint(joint("main_bearing", JointType::Revolute, "ground", "crank").at([0.0; 3], ACROSS))?;
    let crank_pin = joint("crank_pin", JointType::Revolute, "crank", "rod/start");
    world.add_joint(crank_pin.along(ACROSS))?;
    world.add_joint(joint("wrist_pin", JointType::Spherical, "piston", "rod/end"))?;
    let cylinder = joint("cylinder", JointType::Prismatic, "ground", "piston");
    world.add_joint(cylinder.at([0.0; 3], [1.0, 0.0, 0.0]))?;
    let speed = Function::StepPoly345 { from: 0.0, to: 8.0 * PI, start: 0.0, duration: 0.4 };
    world.add_motor(MotorSpec::on_joint("motor", MotorType::Speed, "main_bearing", speed))?;

    let mut most = 0.0f64;
    while let Some(h) = world.next_step(1.0) {
        world.advance(h)?;
        most = most.max(world.section_forces(rod, 3, 1.0)?.moment[0].abs());
    }
    println!("the largest bending moment is {most:.3} N·m");
    assert!(most > 0.01);
    Ok(())
}
