//! Errors name the object they speak of, whatever it is called.

use huygens::prelude::*;

fn ball(name: &str) -> BodySpec {
    let shape = Some(Solid::Sphere { radius: 0.1 });
    BodySpec { name: name.into(), shape, mass: Some(1.0), ..BodySpec::default() }
}

fn refused<T: std::fmt::Debug>(result: Result<T, WorldError>) -> (String, Option<String>, String) {
    match result {
        Err(WorldError::Input { name, field, problem, .. }) => (name, field, problem),
        other => panic!("{other:?}"),
    }
}

/// The key to blame does not depend on words that a message happens to have.
#[test]
fn a_probe_of_an_object_that_does_not_exist_is_wrong_in_of() {
    for (name, field) in [("component", "of"), ("quantity of water", "of"), ("ball", "quantity")] {
        let mut world = World::new([0.0; 3]);
        world.add_body(ball("ball")).unwrap();
        let of = Some(name.to_owned());
        let added = world.add_probe(ProbeSpec { of, quantity: Some("taste".into()), ..ProbeSpec::default() });
        let built = added.and_then(|()| world.initialize().map(drop));
        assert_eq!(refused(built).1.as_deref(), Some(field), "{name}");
    }
}

/// Names may have quotes in them.
#[test]
fn a_joint_that_cannot_move_is_named_in_full() {
    let mut world = World::new([0.0; 3]);
    for name in ["one", "other"] {
        world.add_body(BodySpec { kind: BodyType::Fixed, ..ball(name) }).unwrap();
    }
    world
        .add_joint(JointSpec {
            name: "Charles' wain".into(),
            a: "one".into(),
            b: "other".into(),
            ..JointSpec::default()
        })
        .unwrap();
    let (name, _, problem) = refused(world.initialize());
    assert_eq!(name, "Charles' wain", "{problem}");
    assert!(problem.contains("neither of its bodies"), "{problem}");
}
