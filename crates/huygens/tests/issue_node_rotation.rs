//! Nodes of structures have one rotation and one angular velocity, wherever they are asked for.

use glam::{DMat3, DQuat, DVec3};
use huygens::prelude::*;
use huygens_core::State;
use huygens_core::builder::ModelBuilder;
use huygens_fea::node::joint::NodeRef;
use huygens_fea::part::{Flexible, FlexiblePart};

fn world(element: ElementType) -> (World, StructureId) {
    let mut world = World::new([0.0; 3]);
    let beam = StructureSpec {
        section: Some(SectionSpec::rectangle(0.1, 0.1)),
        material: Some(ElasticSpec::new(1e6, 0.3, 1000.0)),
        ..StructureSpec::beam("beam", element, [0.3, -0.2, 0.1], [1.0, 0.4, 0.2], 2)
    };
    let id = world.add_structure(beam).unwrap();
    world.initialize().unwrap();
    (world, id)
}

/// Puts positions and velocities into a world.
fn put(world: &mut World, q: &[f64], v: &[f64]) {
    let bytes = |x: &[f64]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let (q, v) = (bytes(q), bytes(v));
    let chunks = world.save().unwrap();
    let find = |name: &str| match name {
        "q" => Some(q.as_slice()),
        "v" => Some(v.as_slice()),
        name => chunks.iter().find(|c| c.0 == name).map(|c| c.1.as_slice()),
    };
    world.restore_chunks(find).unwrap();
}

/// Numbers that are neither small nor regular.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|k| (1.0 + 1.7 * k as f64).sin()).collect()
}

/// Positions whose gradients are stretched by up to 30 % and sheared, and velocities that change all of that.
fn disturbed(world: &World) -> (Vec<f64>, Vec<f64>) {
    let state = world.state().unwrap();
    let q = state.q.iter().zip(numbers(state.q.len())).map(|(q, d)| q + 0.3 * d).collect();
    (q, numbers(state.v.len()))
}

#[test]
fn a_world_and_its_flexible_part_agree() {
    for element in [ElementType::BeamAncf, ElementType::Cable, ElementType::Beam] {
        let (mut world, id) = world(element);
        let (mut q, v) = disturbed(&world);
        if element == ElementType::Beam {
            // Positions of frames hold unit quaternions.
            for node in q.chunks_exact_mut(7) {
                let turn = DQuat::from_slice(&node[3..]).normalize();
                turn.write_to_slice(&mut node[3..]);
            }
        }
        put(&mut world, &q, &v);
        let structures = vec![world.structure_model(id).unwrap().clone()];
        let mut part = FlexiblePart::new(Flexible { structures, ..Flexible::default() }).unwrap();
        let model = ModelBuilder::new(DVec3::ZERO).build(&mut [&mut part]).unwrap();
        let state = State::new(&model);
        assert_eq!((state.q.len(), state.v.len()), (q.len(), v.len()), "{element:?}");
        for (n, motion) in world.node_motions(id).unwrap().into_iter().enumerate() {
            let at = NodeRef { structure: 0, node: n as u32 };
            assert_eq!(Some(motion.position), part.position(&q, at));
            assert_eq!(Some(motion.velocity), part.velocity(&v, at));
            assert_eq!(Some(motion.rotation), part.rotation(&q, at), "{element:?}, node {n}");
            assert_eq!(
                Some(motion.angular_velocity),
                part.angular_velocity(&q, &v, at),
                "{element:?}, node {n}"
            );
        }
    }
}

#[test]
fn the_angular_velocity_of_gradients_is_the_rate_of_their_rotation() {
    let (mut world, id) = world(ElementType::BeamAncf);
    let (q, v) = disturbed(&world);
    put(&mut world, &q, &v);
    let moving = world.node_motions(id).unwrap();
    let step = 1e-5;
    let mut turned = |sign: f64| {
        let moved: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + sign * step * v).collect();
        put(&mut world, &moved, &v);
        world.node_motions(id).unwrap()
    };
    let (after, before) = (turned(1.0), turned(-1.0));
    for (n, motion) in moving.iter().enumerate() {
        let gradients = DMat3::from_cols_slice(&q[12 * n + 3..12 * n + 12]);
        let strain = gradients.transpose() * gradients - DMat3::IDENTITY;
        assert!(strain.to_cols_array().iter().any(|e| e.abs() > 0.1), "node {n} is not deformed");
        let turn = after[n].rotation * before[n].rotation.inverse();
        let rate = turn.to_scaled_axis() / (2.0 * step);
        assert!(rate.length() > 0.1, "node {n} does not turn");
        let miss = rate.distance(motion.angular_velocity);
        assert!(miss < 1e-8 * rate.length(), "node {n}: {rate} is not {}", motion.angular_velocity);
    }
}
