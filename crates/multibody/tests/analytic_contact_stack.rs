//! Towers that first-order solvers cannot carry.

use glam::DVec3;
use huygens_core::contact::{ConeMethod, ContactLaw, Material};
use huygens_exec::Exec;
use huygens_geometry::Shape;
use huygens_multibody::{Body, BodyKind};

use crate::invariant_contact_scene::*;

#[test]
fn the_interior_point_carries_a_heavy_box_on_ten_light_ones() {
    let mut scene =
        Scene::new(DVec3::NEG_Z * 9.81, Material::default(), ContactLaw::Rigid, ConeMethod::InteriorPoint);
    let rigid = &mut scene.assembly.collision.settings.rigid;
    (rigid.tolerance, rigid.overlap) = (Some(1e-9), Some(0.0));
    scene.add(Body { kind: BodyKind::Fixed, ..Body::default() }, Shape::HalfSpace);
    let half = DVec3::splat(0.1);
    let mut weight = 0.0;
    for k in 0..11 {
        let mass = if k == 10 { 1000.0 } else { 1.0 };
        let position = DVec3::Z * (0.1 + 0.2 * k as f64);
        let inertia = box_inertia(half, mass);
        scene.add(Body { mass, inertia, position, ..Body::default() }, Shape::cuboid(half).unwrap());
        weight += mass * 9.81;
    }
    let run = scene.after(Exec::serial(), 50);
    for (k, q) in run.state.q.chunks_exact(7).enumerate() {
        let moved = DVec3::from_slice(q) - DVec3::Z * (0.1 + 0.2 * k as f64);
        assert!(moved.length() < 1e-4 * 0.2, "box {k} moved by {moved}");
    }
    let floor: f64 = (run.stepper.contacts().iter().enumerate())
        .filter(|(_, c)| c.proxies[0] == 0)
        .map(|(k, _)| run.state.contacts.values_of(k)[2])
        .sum();
    assert!((floor / weight - 1.0).abs() < 1e-6, "the floor carries {floor} of {weight}");
}
