//! Contact through worlds: materials, shapes, mass, reports, queries, fills, statistics.

use std::sync::Arc;

use huygens::prelude::*;
use huygens::spec::GroupSpec;

fn floor() -> BodySpec {
    BodySpec::fixed("floor").with_shape(ShapeSpec::half_space())
}

fn ball(name: &str, position: [f64; 3], radius: f64) -> BodySpec {
    BodySpec { position, density: Some(1000.0), ..BodySpec::dynamic(name) }
        .with_shape(ShapeSpec::sphere(radius))
}

fn weight(world: &World, body: BodyId) -> f64 {
    9.81 * world.assembly().body(body).unwrap().mass
}

#[test]
fn a_ball_comes_to_rest_on_the_floor_and_the_floor_carries_it() {
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        let mut world = World::default();
        let ground = world.add_body(floor()).unwrap();
        let ball = world.add_body(ball("ball", [0.0, 0.0, 0.3], 0.25)).unwrap();
        world.add_probe(ProbeSpec::new("ball", "contact_force")).unwrap();
        world
            .add_probe(ProbeSpec { with: Some("floor".into()), ..ProbeSpec::new("ball", "contact_count") })
            .unwrap();
        world.add_probe(ProbeSpec::new("world", "penetration")).unwrap();
        world.settings_mut().contact.law = law;
        world.settings_mut().dt = if law == ContactLaw::Rigid { 1e-3 } else { 1e-4 };
        let expected = if law == ContactLaw::Rigid { Integrator::Euler } else { Integrator::Leapfrog };
        assert_eq!(world.integrator().unwrap(), expected);
        world.run(1.0).unwrap();
        assert!(
            (world.body_position(ball).unwrap()[2] - 0.25).abs() < 2e-3,
            "{:?}",
            world.body_position(ball)
        );
        let weight = weight(&world, ball);
        let (force, torque) = world.body_contact_force(ball).unwrap();
        assert!((force[2] / weight - 1.0).abs() < 2e-3, "{law:?}: {force:?} for {weight}");
        assert!(torque.iter().all(|t| t.abs() < 1e-6 * weight), "{torque:?}");
        assert_eq!(world.pair_contact_force(ball, ground), force);
        assert_eq!(world.pair_contact_force(ground, ball), force.map(|f| -f));
        let contacts = world.contacts();
        assert_eq!(contacts.len(), 1);
        assert_eq!([contacts[0].a, contacts[0].b], [ground, ball]);
        assert!((contacts[0].normal[2] - 1.0).abs() < 1e-12);
        let mut values = Vec::new();
        world.probe_values(&mut values).unwrap();
        let names: Vec<String> = world.probe_columns().unwrap().into_iter().map(|c| c.name).collect();
        assert_eq!(
            names[2..],
            [
                "ball.contact_force.z",
                "ball.contact_force.magnitude",
                "ball-floor.contact_count",
                "world.penetration"
            ]
        );
        assert_eq!(values[2], force[2]);
        assert_eq!(values[4], 1.0);
        assert!(values[5] >= 0.0 && values[5] < 2e-3, "{values:?}");
        assert!(world.warnings().is_empty(), "{:?}", world.warnings());
        assert!(world.contact_statistics().steps > 0);
    }
}

#[test]
fn contacts_are_reported_after_a_restart() {
    let build = || {
        let mut world = World::default();
        world.add_body(floor()).unwrap();
        world
            .add_fill(FillSpec {
                spacing: Some([0.2; 3]),
                jitter: 0.02,
                ..FillSpec::lattice("grain", ShapeSpec::sphere(0.1), 1000.0, [0.0, 0.0, 0.15], [3, 3, 2])
            })
            .unwrap();
        world
    };
    let mut whole = build();
    whole.run(0.5).unwrap();
    let chunks = whole.save().unwrap();
    let before = whole.contacts();
    assert!(before.len() >= 9);
    let mut again = build();
    again.restore_chunks(|n| chunks.iter().find(|c| c.0 == n).map(|c| c.1.as_slice())).unwrap();
    let after = again.contacts();
    let sum = |list: &[ContactReport]| list.iter().map(|c| c.force[2]).sum::<f64>();
    assert!((sum(&after) - sum(&before)).abs() < 1e-9 * sum(&before).abs());
    whole.run(0.6).unwrap();
    again.run(0.6).unwrap();
    assert_eq!(whole.state_hash(), again.state_hash());
    // Adding a far body in the middle does not disturb the pile.
    let mut other = build();
    other.run(0.5).unwrap();
    other.add_body(ball("late", [50.0, 0.0, 0.1], 0.1)).unwrap();
    other.run(0.6).unwrap();
    let position = |w: &World| w.body_position(w.body("grain.5").unwrap()).unwrap();
    let (a, b) = (position(&whole), position(&other));
    assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-6), "{a:?} {b:?}");
}

#[test]
fn mass_follows_from_density() {
    let mut world = World::default();
    let body = world
        .add_body(BodySpec {
            density: Some(1000.0),
            shapes: vec![
                ShapeSpec::cuboid([1.0, 0.2, 0.2]),
                ShapeSpec { density: Some(2000.0), ..ShapeSpec::sphere(0.1).at([0.5, 0.0, 0.0]) },
                ShapeSpec { collide: false, ..ShapeSpec::cuboid([5.0, 5.0, 5.0]) },
            ],
            ..BodySpec::dynamic("hammer")
        })
        .unwrap();
    let made = world.assembly().body(body).unwrap();
    let (rod, head) = (40.0, 2000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3);
    assert!((made.mass - rod - head).abs() < 1e-12);
    let center = 0.5 * head / (rod + head);
    assert!((made.center_of_mass.x - center).abs() < 1e-12);
    let expected = rod * (1.0 + 0.04) / 12.0
        + rod * center * center
        + 0.4 * head * 0.01
        + head * (0.5 - center) * (0.5 - center);
    assert!((made.inertia.y_axis.y - expected).abs() < 1e-12);
    // A given mass takes the inertia of the shapes, whatever their density.
    let scaled = world
        .add_body(BodySpec {
            mass: Some(3.0),
            shapes: vec![ShapeSpec::sphere(0.5)],
            ..BodySpec::dynamic("ball")
        })
        .unwrap();
    let inertia = world.assembly().body(scaled).unwrap().inertia;
    assert!((inertia.x_axis.x - 0.4 * 3.0 * 0.25).abs() < 1e-12);
}

#[test]
fn groups_pairs_and_joints_decide_who_touches() {
    let rest_of = |change: &dyn Fn(&mut World)| {
        let mut world = World::default();
        world.add_body(floor()).unwrap();
        let ball = world.add_body(ball("ball", [0.0, 0.0, 0.1], 0.1)).unwrap();
        change(&mut world);
        world.run(0.1).unwrap();
        world.body_position(ball).unwrap()[2] > 0.09
    };
    assert!(rest_of(&|_| ()));
    let exclude = |collide| ContactPairSpec::bodies("ball", "floor", collide);
    assert!(!rest_of(&|w| w.add_contact_pair(exclude(false)).unwrap()));
    assert!(rest_of(&|w| {
        w.add_contact_pair(exclude(false)).unwrap();
        w.add_contact_pair(exclude(true)).unwrap();
    }));
    let joint = |collide| JointSpec {
        collide,
        ..JointSpec::new("slide", JointType::Prismatic, "floor", "ball").at([0.0; 3], [0.0, 0.0, 1.0])
    };
    assert!(!rest_of(&|w| w.add_joint(joint(false)).map(|_| ()).unwrap()));
    assert!(rest_of(&|w| w.add_joint(joint(true)).map(|_| ()).unwrap()));

    struct Nothing;
    impl ContactCallback for Nothing {
        fn filter(&self, _: ContactSide, _: ContactSide) -> bool {
            false
        }
    }
    assert!(!rest_of(&|w| w.set_contact_callback(Some(Arc::new(Nothing)))));

    let grouped = |group: GroupSpec, mask: Vec<GroupSpec>| {
        let mut world = World::default();
        let shape = ShapeSpec { mask: Some(mask), ..ShapeSpec::half_space() };
        world.add_body(BodySpec::fixed("floor").with_shape(shape)).unwrap();
        let shape = ShapeSpec { group: Some(group), ..ShapeSpec::sphere(0.1) };
        let spec = BodySpec { position: [0.0, 0.0, 0.1], density: Some(1.0), ..BodySpec::dynamic("ball") };
        let ball = world.add_body(spec.with_shape(shape)).unwrap();
        world.run(0.1).unwrap();
        world.body_position(ball).unwrap()[2] > 0.09
    };
    assert!(grouped("grain".into(), vec!["grain".into(), 3.into()]));
    assert!(!grouped("grain".into(), vec!["wall".into(), 3.into()]));
    assert!(grouped(3.into(), vec!["wall".into(), 3.into()]));
}

#[test]
fn friction_comes_from_materials_pairs_and_callbacks() {
    // A block on a slope of 20° slides where the friction is below tan 20° = 0.364.
    let slides = |block: f64, change: &dyn Fn(&mut World)| {
        let mut world = World::new([9.81 * 20f64.to_radians().sin(), 0.0, -9.81 * 20f64.to_radians().cos()]);
        world.add_material(MaterialSpec::rigid("steel", block)).unwrap();
        world.add_material(MaterialSpec::rigid("wood", 0.5)).unwrap();
        world
            .add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("wood")))
            .unwrap();
        let shape = ShapeSpec::cuboid([0.2, 0.2, 0.1]).material("steel");
        let spec =
            BodySpec { position: [0.0, 0.0, 0.05], density: Some(500.0), ..BodySpec::dynamic("block") };
        let body = world.add_body(spec.with_shape(shape)).unwrap();
        change(&mut world);
        world.run(0.5).unwrap();
        world.body_position(body).unwrap()[0] > 0.01
    };
    assert!(slides(0.3, &|_| ()));
    assert!(!slides(0.4, &|_| ()));
    let pair = |friction| ContactPairSpec {
        friction: Some(friction),
        ..ContactPairSpec::materials("wood", "steel")
    };
    assert!(!slides(0.3, &|w| w.add_contact_pair(pair(0.5)).unwrap()));
    assert!(slides(0.4, &|w| w.add_contact_pair(pair(0.1)).unwrap()));

    struct Ice;
    impl ContactCallback for Ice {
        fn modify(&self, contact: &ContactReport, composite: &mut Composite) {
            assert!(contact.normal[2].abs() > 0.99);
            composite.surface.friction = 0.0;
        }
    }
    assert!(slides(0.4, &|w| w.set_contact_callback(Some(Arc::new(Ice)))));
}

#[test]
fn queries_see_the_present_state() {
    let mut world = World::default();
    let ground = world.add_body(floor()).unwrap();
    let low = world.add_body(ball("low", [0.0, 0.0, 0.5], 0.5)).unwrap();
    let high =
        world.add_body(BodySpec { velocity: [1.0, 0.0, 0.0], ..ball("high", [3.0, 0.0, 5.0], 0.5) }).unwrap();
    let hit = world.ray_cast([0.0, 0.0, 10.0], [0.0, 0.0, -1.0], 100.0).unwrap();
    assert_eq!((hit.body, hit.distance, hit.normal), (low, 9.0, [0.0, 0.0, 1.0]));
    assert!(world.ray_cast([0.0, 0.0, 10.0], [0.0, 0.0, 1.0], 100.0).is_none());
    assert_eq!(world.ray_cast([9.0, 0.0, 10.0], [0.0, 0.0, -1.0], 100.0).unwrap().body, ground);
    let near = world.closest_point([3.0, 0.0, 5.75]).unwrap();
    assert_eq!(near.body, high);
    assert!((near.distance - 0.25).abs() < 1e-12);
    assert!((world.distance(low, high) - (9.0f64 + 4.5 * 4.5).sqrt() + 1.0).abs() < 1e-12);
    let identity = Rotation::quaternion([1.0, 0.0, 0.0, 0.0]).unwrap();
    let probe = ShapeSpec::cuboid([1.0, 1.0, 1.0]);
    assert_eq!(world.overlap(&probe, [0.8, 0.0, 0.4], identity).unwrap(), [ground, low]);
    world.run(0.5).unwrap();
    let at = world.body_position(high).unwrap();
    assert!((at[0] - 3.5).abs() < 1e-9);
    assert_eq!(world.overlap(&probe, at, identity).unwrap(), [high]);
}

#[test]
fn fills_stay_in_their_region_and_come_back_from_a_scene() {
    let spec = FillSpec {
        name: "grain".into(),
        shape: ShapeSpec::cuboid([0.1, 0.1, 0.2]),
        density: 1000.0,
        region: Some([[0.0, 0.0, 1.0], [1.0, 1.0, 2.0]]),
        jitter: 0.01,
        spacing: Some([0.15, 0.15, 0.25]),
        seed: 7,
        ..FillSpec::default()
    };
    let mut world = World::default();
    let made = world.add_fill(spec.clone()).unwrap();
    assert_eq!(made.len(), 6 * 6 * 4);
    for id in &made {
        let p = world.body_position(*id).unwrap();
        assert!(p[..2].iter().all(|x| (0.05..=0.95).contains(x)) && (1.1..=1.9).contains(&p[2]), "{p:?}");
    }
    let scene = world.to_scene();
    assert_eq!((scene.fills.len(), scene.bodies.len()), (1, 0));
    let again = World::from_scene(&scene).unwrap();
    assert_eq!(again.body_position(made[17]).unwrap(), world.body_position(made[17]).unwrap());
    // A body after the fill keeps its place in the order.
    world.add_body(ball("last", [0.0; 3], 0.1)).unwrap();
    let scene = world.to_scene();
    assert_eq!((scene.fills.len(), scene.bodies.len()), (0, 145));
    let error = world.add_fill(spec).unwrap_err().to_string();
    assert!(error.contains("'grain.1' is already used"), "{error}");
    assert_eq!(world.bodies().len(), 145);
}

#[test]
fn deep_overlaps_are_warned_about() {
    let mut world = World::default();
    world.add_body(floor()).unwrap();
    world.add_body(ball("sunk", [0.0, 0.0, 0.05], 0.1)).unwrap();
    world.add_body(ball("fine", [1.0, 0.0, 0.099], 0.1)).unwrap();
    world.initialize().unwrap();
    let warning = world.warnings().join("\n");
    assert!(warning.contains("'floor' and 'sunk' by 5.000e-2 m"), "{warning}");
    assert!(!warning.contains("fine"), "{warning}");
}

#[test]
fn a_body_that_leaves_is_named_with_its_contacts() {
    let mut world = World::default();
    world.settings_mut().bounds = Some([[-1.0; 3], [1.0; 3]]);
    world.add_body(BodySpec::fixed("table").with_shape(ShapeSpec::cuboid([1.0, 1.0, 0.1]))).unwrap();
    let pushed = BodySpec { velocity: [4.0, 0.0, 0.0], ..ball("stray", [0.0, 0.0, 0.1], 0.05) };
    world.add_body(pushed).unwrap();
    let error = world.run(5.0).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("body 'stray' left the bounds"), "{message}");
    assert!(!error.is_input());

    let mut world = World::default();
    world.settings_mut().bounds = Some([[-1.0; 3], [1.0; 3]]);
    world.add_body(floor()).unwrap();
    world.add_body(BodySpec { velocity: [4.0, 0.0, 0.0], ..ball("roller", [0.0, 0.0, 0.05], 0.05) }).unwrap();
    let message = world.run(5.0).unwrap_err().to_string();
    assert!(message.contains("'roller' left") && message.contains("it touched 'floor'"), "{message}");
}

#[test]
fn a_missed_tolerance_is_one_warning_a_run_or_stops_it() {
    let stack = || {
        let mut world = World::default();
        world.add_body(floor()).unwrap();
        let shape = ShapeSpec::cuboid([0.2, 0.2, 0.2]);
        world.add_fill(FillSpec::lattice("box", shape, 500.0, [0.0, 0.0, 0.1], [1, 1, 6])).unwrap();
        world.settings_mut().contact.rigid.max_iterations = 1;
        world.settings_mut().contact.rigid.tolerance = Some(1e-12);
        world
    };
    let mut world = stack();
    world.run(0.02).unwrap();
    world.run(0.04).unwrap();
    assert_eq!(world.warnings().len(), 1, "{:?}", world.warnings());
    let warning = &world.warnings()[0];
    assert!(warning.contains("did not reach its tolerance in"), "{warning}");
    assert!(warning.contains("of 40 steps; the worst residual was"), "{warning}");
    let mut world = stack();
    world.settings_mut().contact.rigid.on_failure = huygens_core::contact::OnFailure::Accept;
    world.run(0.02).unwrap();
    assert!(world.warnings().is_empty());
    let mut world = stack();
    world.settings_mut().contact.rigid.on_failure = huygens_core::contact::OnFailure::Stop;
    assert!(world.run(0.02).unwrap_err().to_string().contains("did not reach its tolerance"));
}

#[test]
fn the_law_can_change_between_steps() {
    let mut world = World::default();
    world.add_body(floor()).unwrap();
    let ball = world.add_body(ball("ball", [0.0, 0.0, 0.1], 0.1)).unwrap();
    world.run(0.1).unwrap();
    world.settings_mut().contact.law = ContactLaw::Compliant;
    world.settings_mut().dt = 1e-4;
    world.run(0.3).unwrap();
    assert_eq!(world.integrator().unwrap(), Integrator::Leapfrog);
    assert!((world.body_position(ball).unwrap()[2] - 0.1).abs() < 1e-3);
}

#[test]
fn a_body_that_is_not_finite_is_named_with_its_contacts() {
    let mut world = World::default();
    world.add_body(floor()).unwrap();
    world.add_body(ball("ball", [0.0, 0.0, 0.1], 0.1)).unwrap();
    world.add_user_signal("push", &[], |t, _| if t > 0.05 { f64::NAN } else { 0.0 }).unwrap();
    let push = || DriveSpec::signal("push");
    world
        .add_force(ForceSpec::Load(LoadSpec {
            name: "wind".into(),
            body: "ball".into(),
            force: [push(), push(), push()],
            ..LoadSpec::default()
        }))
        .unwrap();
    let message = world.run(0.1).unwrap_err().to_string();
    assert!(message.contains("body 'ball'") && message.contains("it touched 'floor'"), "{message}");
    // The last good state is kept.
    assert!((0.04..0.06).contains(&world.time()));
    assert!(world.body_position(world.body("ball").unwrap()).unwrap()[2].is_finite());
}
