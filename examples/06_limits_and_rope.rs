//! Things that touch their bounds: a door that bounces between its stops, and a weight that falls into its rope.
//!
//! Run:  cargo run --release --example 06_limits_and_rope -p huygens
//! See:  the door never opens beyond 60°; the weight falls freely until the rope is taut, and is then caught by it.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    // Rigid stops and ropes are one-sided: the integrators that step velocities treat them exactly.
    world.settings_mut().integrator = Some(Integrator::EulerProjected);
    world.add_body(BodySpec {
        position: [0.4, 0.0, 0.0],
        velocity: [0.0, 1.2, 0.0],
        angular_velocity: Some([0.0, 0.0, 3.0]),
        mass: Some(12.0),
        shape: Some(Solid::Box { size: [0.8, 0.04, 2.0] }),
        ..BodySpec::dynamic("door")
    })?;
    let stops =
        LimitSpec { lower_deg: Some(-10.0), upper_deg: Some(60.0), restitution: 0.5, ..LimitSpec::default() };
    let hinge = JointSpec::new("hinge", JointType::Revolute, "ground", "door").at([0.0; 3], [0.0, 0.0, 1.0]);
    let hinge = world.add_joint(JointSpec { limits: vec![stops], ..hinge })?;
    let weight = world.add_body(BodySpec {
        position: [2.0, 0.0, 0.0],
        mass: Some(1.0),
        shape: Some(Solid::Sphere { radius: 0.1 }),
        ..BodySpec::dynamic("weight")
    })?;
    world.add_force(ForceSpec::Rope(RopeSpec {
        name: "rope".into(),
        a: "ground".into(),
        b: "weight".into(),
        point_a: [2.0, 0.0, 0.0],
        length: 1.0,
        ..RopeSpec::default()
    }))?;

    let (mut least, mut most, mut error) = (0.0f64, 0.0f64, 0.0f64);
    while let Some(h) = world.next_step(3.0) {
        world.advance(h)?;
        let angle = world.joint_coordinate(hinge, 0)?.to_degrees();
        (least, most) = (least.min(angle), most.max(angle));
        let time = world.time();
        if time < (2.0 / 9.81f64).sqrt() {
            error = error.max((world.body_position(weight)?[2] + 9.81 / 2.0 * time * time).abs());
        }
    }
    let height = world.body_position(weight)?[2];
    println!("door between {least:.2}° and {most:.2}°, weight hangs at {height:.4} m");
    assert!(-10.2 < least && least < 0.0 && 0.0 < most && most < 60.2);
    assert!(error < 5e-3);
    assert!((height + 1.0).abs() < 1e-3);
    Ok(())
}
