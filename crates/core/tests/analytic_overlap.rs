//! Overlaps at the start against depths that are known.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::contact::{
    ContactMaterial, ContactModel, ContactSettings, Material, Overlap, Proxy, ProxySource,
};
use huygens_core::contract::{Frame, FrameMotion, NO_BLOCK};
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};

struct Shapes(Vec<Proxy>);

impl ProxySource for Shapes {
    fn proxies(&self) -> Vec<Proxy> {
        self.0.clone()
    }
    fn proxy_name(&self, proxy: usize) -> String {
        format!("shape {proxy}")
    }
}

fn proxy(frame: u32, shape: Shape) -> Proxy {
    Proxy { shape, pose: Pose::IDENTITY, frame, material: 0, group: 1, mask: 1, family: 0 }
}

fn frame(origin: DVec3, block: u32) -> Frame {
    Frame {
        origin,
        axes: DMat3::IDENTITY,
        velocity: DVec3::ZERO,
        omega: DVec3::ZERO,
        acceleration_bias: DVec3::ZERO,
        alpha_bias: DVec3::ZERO,
        block,
        motion: if block == NO_BLOCK { FrameMotion::Prescribed } else { FrameMotion::Rigid },
    }
}

fn model(proxies: Vec<Proxy>) -> ContactModel {
    let mut model = ContactModel::new(ContactSettings::default());
    let material = ContactMaterial { name: "matter".into(), material: Material::default() };
    model.add_materials([material]).unwrap();
    model.add_proxies(Arc::new(Shapes(proxies)));
    model
}

#[test]
fn deep_overlaps_are_found_deepest_first() {
    let ball = |frame| proxy(frame, Shape::Sphere { radius: 0.1 });
    let ground = Proxy { frame: 4, ..proxy(4, Shape::HalfSpace) };
    let model = model(vec![ball(0), ball(1), ball(2), ball(3), ground]);
    // 0 and 1 overlap by 0.04 m, 2 is 0.06 m in the ground, 3 only 0.004 m, less than a twentieth of its radius.
    let frames = [
        frame(DVec3::new(0.0, 0.0, 1.0), 0),
        frame(DVec3::new(0.16, 0.0, 1.0), 1),
        frame(DVec3::new(2.0, 0.0, 0.04), 2),
        frame(DVec3::new(4.0, 0.0, 0.096), 3),
        frame(DVec3::ZERO, NO_BLOCK),
    ];
    let found = model.deep_overlaps(&Exec::serial(), &frames);
    let expected = [Overlap { proxies: [2, 4], depth: 0.06 }, Overlap { proxies: [0, 1], depth: 0.04 }];
    assert_eq!(found.len(), 2, "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.proxies, expected.proxies);
        assert!((found.depth - expected.depth).abs() < 1e-12, "{found:?}");
    }
}

#[test]
fn what_may_not_touch_or_cannot_move_does_not_count() {
    let ball = |frame, mask| Proxy { mask, ..proxy(frame, Shape::Sphere { radius: 0.1 }) };
    // The first two never touch by their masks, the last two do not move.
    let model = model(vec![ball(0, 2), ball(1, 2), ball(2, 1), ball(3, 1)]);
    let frames = [
        frame(DVec3::ZERO, 0),
        frame(DVec3::X * 0.01, 1),
        frame(DVec3::X * 3.0, NO_BLOCK),
        frame(DVec3::X * 3.01, NO_BLOCK),
    ];
    assert!(model.deep_overlaps(&Exec::serial(), &frames).is_empty());
    let moving = [frames[0], frames[1], Frame { block: 2, ..frames[2] }, frames[3]];
    assert_eq!(model.deep_overlaps(&Exec::serial(), &moving)[0].proxies, [2, 3]);
}

#[test]
fn poses_of_shapes_in_their_frames_count() {
    // Two flat boxes crossed: the pose of the second, a quarter turn, decides whether they meet.
    let plate = Shape::Box { half: DVec3::new(0.5, 0.05, 0.05) };
    let turned =
        Pose { position: DVec3::Y * 0.4, rotation: DQuat::from_rotation_z(0.5 * std::f64::consts::PI) };
    let frames = [frame(DVec3::ZERO, 0), frame(DVec3::ZERO, 1)];
    let crossed = model(vec![proxy(0, plate.clone()), Proxy { pose: turned, ..proxy(1, plate.clone()) }]);
    assert_eq!(crossed.deep_overlaps(&Exec::serial(), &frames).len(), 1);
    let beside = Pose { rotation: DQuat::IDENTITY, ..turned };
    let apart = model(vec![proxy(0, plate.clone()), Proxy { pose: beside, ..proxy(1, plate) }]);
    assert!(apart.deep_overlaps(&Exec::serial(), &frames).is_empty());
}
