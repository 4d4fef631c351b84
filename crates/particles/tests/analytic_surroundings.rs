//! Drag, fields of force and forces at a distance against their closed forms.

use std::sync::Arc;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::{
    Drag, DragLaw, Flow, ForceField, Grain, GrainAt, GrainSettings, GrainSystem, NearField,
};

fn system(gravity: Vec3) -> GrainSystem {
    GrainSystem::new(GrainSettings { gravity, ..GrainSettings::default() }).unwrap()
}

#[test]
fn grains_in_a_fluid_reach_their_speed_of_fall() {
    let (radius, density, viscosity) = (5e-5, 2500.0, 1e-3);
    for (law, expected) in [
        // 2/9 ρ g r²/η without buoyancy.
        (DragLaw::Stokes, 2.0 / 9.0 * density * 9.81 * radius * radius / viscosity),
        (DragLaw::SchillerNaumann { density: 1000.0 }, f64::NAN),
    ] {
        let mut fall = system(Vec3::new(0.0, 0.0, -9.81));
        fall.add(&Grain { radius, density, ..Grain::default() }).unwrap();
        let wind = Vec3::new(0.01, 0.0, 0.0);
        fall.add_field(Arc::new(Drag { law, viscosity, flow: Flow::Uniform(wind) }));
        fall.run(&Exec::serial(), 2e-5, 5000).unwrap();
        let velocity = fall.motions()[0].vector() - wind;
        if expected.is_nan() {
            // Weight and drag are equal at the speed that is reached.
            let speed = velocity.length();
            let reynolds = 2.0 * 1000.0 * speed * radius / viscosity;
            let drag =
                6.0 * std::f64::consts::PI * viscosity * radius * speed * (1.0 + 0.15 * reynolds.powf(0.687));
            let weight = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * density * 9.81;
            assert!((drag / weight - 1.0).abs() < 1e-9, "{drag} {weight}");
        } else {
            assert!((velocity.z / -expected - 1.0).abs() < 1e-9 && velocity.x.abs() < 1e-9);
        }
    }
}

#[test]
fn a_spring_field_makes_a_harmonic_swing() {
    #[derive(Debug)]
    struct Spring(f64);
    impl ForceField for Spring {
        fn force(&self, grain: &GrainAt) -> Vec3 {
            grain.position * -self.0
        }
    }
    let mut swing = system(Vec3::ZERO);
    let grain = Grain { position: Vec3::X, radius: 0.1, ..Grain::default() };
    swing.add(&grain).unwrap();
    let rate = 10.0;
    swing.add_field(Arc::new(Spring(grain.mass() * rate * rate)));
    swing.run(&Exec::serial(), 1e-4, 10_000).unwrap();
    let expected = (rate * 1.0_f64).cos();
    assert!((swing.places()[0].0[0] - expected).abs() < 1e-5);
}

#[test]
fn forces_at_a_distance_are_equal_and_opposite_and_end_at_their_range() {
    let near = NearField { range: 0.004, hamaker: 1e-6, least_gap: 1e-4, repulsion: 0.01, length: 1e-3 };
    for gap in [-1e-4, 1e-4, 2e-3, 0.0039, 0.0041] {
        let mut pair = system(Vec3::ZERO);
        let (a, b) = (0.01, 0.02);
        pair.add(&Grain { radius: a, ..Grain::default() }).unwrap();
        pair.add(&Grain { radius: b, position: Vec3::X * (a + b + gap), ..Grain::default() }).unwrap();
        pair.update_forces(&Exec::serial(), 1e-5);
        let contact = pair.forces()[0].0[0].abs();
        pair.set_near_field(Some(near)).unwrap();
        pair.update_forces(&Exec::serial(), 1e-5);
        let reduced = a * b / (a + b);
        let open = gap.max(0.0);
        let law = 0.01 * (-open / 1e-3).exp() - 1e-6 * reduced / (6.0 * (open + 1e-4_f64).powi(2));
        let expected = if gap < near.range { law } else { 0.0 } + contact;
        let right = pair.ids().iter().position(|id| *id == 1).unwrap();
        let [left, right] = [pair.forces()[1 - right].vector(), pair.forces()[right].vector()];
        assert!((right.x - expected).abs() < 1e-12 * (contact + 1.0), "{gap}: {} {expected}", right.x);
        assert!((left + right).length() < 1e-15 + 1e-12 * contact);
    }
    assert!(system(Vec3::ZERO).set_near_field(Some(NearField { range: 0.0, ..near })).is_err());
}
