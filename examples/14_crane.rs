//! A crane trolley with a swinging load, steered by an input signal: the speed of the trolley.
//!
//! Run:  cargo run --release --example 14_crane -p huygens
//! See:  the trolley rolls off at 0.5 m/s and the load swings behind it as linear theory says. The scene file of the
//!       same name lets you drive: huygens run examples/14_crane.toml --view --interactive

use std::ops::ControlFlow;

use huygens::prelude::*;

const HOOK: [f64; 3] = [-2.0, 0.0, 4.0];
const ROPE: f64 = 3.0;
const SOFTNESS: f64 = 0.4;
const LOAD: f64 = 200.0;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    world.settings_mut().dt = 2e-3;
    let bar = Solid::Box { size: [8.0, 0.3, 0.4] };
    world.add_body(BodySpec { position: [0.0, 0.0, 4.4], shape: Some(bar), ..BodySpec::fixed("gantry") })?;
    let inertia = Some(Inertia::diagonal([4.0; 3]));
    let trolley = BodySpec { position: HOOK, mass: Some(50.0), inertia, ..BodySpec::dynamic("trolley") };
    let trolley = world.add_body(trolley)?;
    let (position, shape) = ([HOOK[0], 0.0, HOOK[2] - ROPE], Some(Solid::Box { size: [0.8; 3] }));
    let load = BodySpec { position, mass: Some(LOAD), shape, ..BodySpec::dynamic("load") };
    let load = world.add_body(load)?;
    let rail = JointSpec::new("rail", JointType::Prismatic, "ground", "trolley").at(HOOK, [1.0, 0.0, 0.0]);
    let rail = world.add_joint(rail)?;
    let hook = JointSpec::new("hook", JointType::Spherical, "trolley", "load").at(HOOK, [0.0, 0.0, 1.0]);
    world.add_joint(hook)?;
    let keys = Some(["ArrowLeft", "ArrowRight"].map(String::from));
    let speed = InputSpec { value: 0.5, lower: -1.5, upper: 1.5, keys };
    world.add_signal(SignalEntry { name: "speed".into(), signal: SignalSpec::Input(speed) })?;
    let drive = SignalSpec::Filter { input: "speed".into(), time_constant: SOFTNESS, initial: 0.0 };
    world.add_signal(SignalEntry { name: "drive".into(), signal: drive })?;
    world.add_motor(MotorSpec::on_joint("travel", MotorType::Speed, "rail", DriveSpec::signal("drive")))?;

    // A compound pendulum on a point that speeds up as the filter lets it: u'' + w² u = -k a(t).
    let k = LOAD * ROPE.powi(2) / (LOAD * ROPE.powi(2) + LOAD * 0.8f64.powi(2) / 6.0);
    let w = (9.81 * k / ROPE).sqrt();
    let size = k * 0.5 * SOFTNESS / (1.0 + (w * SOFTNESS).powi(2));
    let swing = |t: f64| size * ((w * t).cos() - (w * t).sin() / (w * SOFTNESS) - (-t / SOFTNESS).exp());
    let mut worst = 0.0f64;
    world.run_with(8.0, &mut |world| {
        let place = |body| world.body_position(body).map_or(f64::NAN, |p| p[0]);
        worst = worst.max((place(load) - place(trolley) - swing(world.time())).abs());
        ControlFlow::Continue(())
    })?;
    let rate = world.joint_rate(rail, 0)?;
    println!("the trolley rolls at {rate:.4} m/s; the swing is linear theory's within {:.2} mm", 1e3 * worst);
    assert!((rate - 0.5).abs() < 1e-6 && worst < 3e-3);
    Ok(())
}
