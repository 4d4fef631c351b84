//! Newton's cradle: the last of five balls flies off as fast as the first one came.
//!
//! Run:  cargo run --release --example 12_newton_cradle -p huygens
//! See:  under both contact laws the first ball swings down and stops, and the last one rises to the same height.

use huygens::prelude::*;

const RADIUS: f64 = 0.05; // m
const LENGTH: f64 = 0.5; // m
const START: f64 = -40.0; // degrees

/// Five balls on strings with gaps [m] between them; the first one is pulled aside.
fn cradle(gap: f64) -> Result<(World, Vec<JointId>), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let steel = MaterialSpec::elastic("steel", 2e9, 0.3);
    world.add_material(MaterialSpec { restitution: 1.0, friction: 0.0, ..steel })?;
    let mut strings = Vec::new();
    for i in 0..5 {
        let x = (2.0 * RADIUS + gap) * (f64::from(i) - 2.0);
        let angle = if i == 0 { START.to_radians() } else { 0.0 };
        let name = format!("ball{}", i + 1);
        world.add_body(BodySpec {
            position: [x + LENGTH * angle.sin(), 0.0, -LENGTH * angle.cos()],
            density: Some(7800.0),
            shapes: vec![ShapeSpec::sphere(RADIUS).material("steel")],
            ..BodySpec::dynamic(name.as_str())
        })?;
        let string = JointSpec::new(format!("string{}", i + 1), JointType::Revolute, "ground", name);
        strings.push(world.add_joint(string.at([x, 0.0, 0.0], [0.0, -1.0, 0.0]))?);
    }
    Ok((world, strings))
}

fn main() -> Result<(), WorldError> {
    // Elastic balls that touch: the blow passes through them as a wave, which the compliant law resolves in small
    // steps. Rigid balls hand it on one by one, where there is a gap of a hair between them.
    for (law, dt, gap) in [(ContactLaw::Compliant, 2e-5, 0.0), (ContactLaw::Rigid, 1e-4, 1e-4)] {
        let (mut world, strings) = cradle(gap)?;
        (world.settings_mut().contact.law, world.settings_mut().dt) = (law, dt);
        if law == ContactLaw::Compliant {
            world.settings_mut().integrator = Some(Integrator::GeneralizedAlpha { rho: 1.0 });
        }
        let mut last = 0.0f64;
        while let Some(h) = world.next_step(0.8) {
            world.advance(h)?;
            last = last.max(world.joint_coordinate(strings[4], 0)?.to_degrees());
        }
        let first = START + world.joint_coordinate(strings[0], 0)?.to_degrees();
        println!("{law:?}: the last ball rises to {last:.2}°, the first one hangs at {first:.2}°");
        assert!(39.0 < last && last < 40.5);
        assert!(first.abs() < 4.0);
    }
    Ok(())
}
