//! A controller with a state of its own: a motor that answers late, and gains that place the poles of the loop.
//!
//! Run:  cargo run --release --bin controller
//! See:  the shaft returns to zero exactly as a linear system with poles at −1, −2 and −3 does.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 1e-3;
    let shaft = ShaftSpec { name: "shaft".into(), inertia: 1.0, angle: 1.0, speed: 0.0 };
    let shaft = world.add_shaft(shaft)?;
    for (name, quantity) in [("angle", "angle"), ("speed", "speed")] {
        let signal = SignalSpec::Sensor { sensor: SensorSpec::new("shaft", quantity) };
        world.add_signal(SignalEntry { name: name.into(), signal })?;
    }
    // ANCHOR: controller
    // J τ s³ + J s² + k_d s + k_p = τ (s + 1)(s + 2)(s + 3), with J = 1.
    let (delay, stiffness, damping) = (1.0 / 6.0, 1.0, 11.0 / 6.0);
    let motor = UserOde::new(vec![0.0], move |_time, inputs, torque, rate| {
        let wanted = -stiffness * inputs[0] - damping * inputs[1];
        rate[0] = (wanted - torque[0]) / delay;
    });
    world.add_user_ode("torque", &["angle", "speed"], motor)?;
    let drive = DriveSpec::signal("torque");
    world.add_motor(MotorSpec::on_shaft("motor", MotorType::Torque, "shaft", drive))?;
    // ANCHOR_END: controller

    // Angle 1, speed 0 and torque 0 at the start: θ = 3 e^−t − 3 e^−2t + e^−3t.
    let exact = |t: f64| 3.0 * (-t).exp() - 3.0 * (-2.0 * t).exp() + (-3.0 * t).exp();
    let mut worst = 0.0f64;
    for k in 1..=50 {
        world.run(0.1 * f64::from(k))?;
        worst = worst.max((world.shaft_motion(shaft)?.0 - exact(world.time())).abs());
    }
    println!("largest difference from the exact response: {worst:.2e} rad");
    assert!(worst < 1e-6);
    Ok(())
}
