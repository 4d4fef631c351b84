//! A jet of water turns a wheel with eight paddles on a revolute joint.
//!
//! Run:  cargo run --release --example 30_water_wheel -p huygens
//! See:  the wheel runs up against its brake.

use huygens::prelude::*;

/// Metres of the wheel that are drawn; the flow in the plane meets one metre of it.
const SEEN: f64 = 0.05;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 5e-4;
    let hub = ShapeSpec::cylinder(0.04, SEEN).along([0.0, 1.0, 0.0]);
    let mut wheel = BodySpec { density: Some(400.0 / SEEN), ..BodySpec::dynamic("wheel") }.with_shape(hub);
    for angle in [0.0_f64, 45.0, 90.0, 135.0] {
        let rotation = Rotation(glam::DQuat::from_rotation_y(angle.to_radians()));
        wheel = wheel.with_shape(ShapeSpec::cuboid([0.26, SEEN, 0.02]).turned(rotation));
    }
    world.add_body(wheel)?;
    let axle = JointSpec::new("axle", JointType::Revolute, "ground", "wheel").at([0.0; 3], [0.0, 1.0, 0.0]);
    let axle = world.add_joint(axle)?;
    world.add_force(ForceSpec::CoordinateSpring(CoordinateSpringSpec {
        name: "brake".into(),
        damping: 0.5,
        ..CoordinateSpringSpec::on_joint("axle")
    }))?;
    let water = world.add_fluid(FluidSpec {
        plane: Some(FlowPlane::Xz),
        artificial: 0.05,
        max_speed: Some(3.0),
        bodies: vec!["wheel".into()],
        bounds: Some(FluidBoundsSpec { low: [-0.5, -1.0, -0.4], high: [0.5, 1.0, 0.5], closed: false }),
        inlets: vec![FluidInletSpec {
            name: "jet".into(),
            center: [-0.02, 0.0, 0.18],
            velocity: [0.6, 0.0, 0.0],
            along: [0.0, 0.0, 1.0],
            size: [0.06, 0.0],
        }],
        ..FluidSpec::new("water", 0.01)
    })?;
    world.run(0.8)?;

    let rate = world.joint_rate(axle, 0)?;
    println!("the wheel turns at {rate:.2} rad/s");
    println!("{}", world.fluid_status(water)?);
    // Water goes over the top and pulls the paddles of the far side down; they cannot run much faster than it falls.
    assert!((1.0..20.0).contains(&rate));
    Ok(())
}
