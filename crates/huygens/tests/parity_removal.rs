//! Removing objects: what stays goes on as it was, names and handles keep their meaning, and what is in use is refused.

use huygens::prelude::*;
use huygens::spec::Section;

const WEIGHT: f64 = 9.81;

fn ball(name: &str, position: [f64; 3]) -> BodySpec {
    let body = BodySpec { mass: Some(1.0), position, ..BodySpec::dynamic(name) };
    body.with_shape(ShapeSpec::sphere(0.1))
}

/// Two pendulums on the ground, each with a motor on its hinge, a spring at its end, and probes.
fn pendulums(names: &[&str]) -> World {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    for (k, name) in names.iter().enumerate() {
        let y = k as f64;
        let shape = Some(Solid::Box { size: [1.0, 0.05, 0.05] });
        let position = [0.5, y, 0.0];
        let rod = BodySpec { mass: Some(2.0), position, shape, ..BodySpec::dynamic(*name) };
        world.add(rod).unwrap();
        let hinge = format!("{name}-hinge");
        let joint = JointSpec::new(&hinge, JointType::Revolute, "ground", *name);
        world.add(joint.at([0.0, y, 0.0], [0.0, 1.0, 0.0])).unwrap();
        let torque =
            MotorSpec::on_joint(format!("{name}-motor"), MotorType::Torque, &hinge, Function::from(0.3));
        world.add(torque).unwrap();
        let end = ForceSpec::Spring(SpringSpec {
            name: format!("{name}-spring"),
            a: "ground".into(),
            b: (*name).into(),
            point_a: [1.0, y, 1.0],
            point_b: [0.5, 0.0, 0.0],
            stiffness: 30.0,
            ..SpringSpec::default()
        });
        world.add(end).unwrap();
        world.add(ProbeSpec::new(*name, "position")).unwrap();
    }
    world
}

fn remove_pendulum(world: &mut World, name: &str) {
    for (section, object) in [
        (Section::Probes, format!("{name}.position")),
        (Section::Forces, format!("{name}-spring")),
        (Section::Motors, format!("{name}-motor")),
        (Section::Joints, format!("{name}-hinge")),
        (Section::Bodies, name.to_owned()),
    ] {
        world.remove(section, &object).unwrap();
    }
}

#[test]
fn what_stays_moves_as_if_it_had_been_alone() {
    let mut both = pendulums(&["first", "second"]);
    let mut alone = pendulums(&["second"]);
    both.run(0.3).unwrap();
    alone.run(0.3).unwrap();
    let second = both.body("second").unwrap();
    let before = both.body_position(second).unwrap();
    remove_pendulum(&mut both, "first");
    assert_eq!(both.body_position(second).unwrap(), before);
    assert_eq!(both.names(Section::Joints), ["second-hinge"]);
    assert_eq!((both.count(Section::Bodies), both.count(Section::Probes)), (1, 1));
    assert_eq!(both.body("second").unwrap(), second);
    both.run(1.0).unwrap();
    alone.run(1.0).unwrap();
    let far = alone.body_position(alone.body("second").unwrap()).unwrap();
    for (a, b) in both.body_position(second).unwrap().iter().zip([far[0], far[1] + 1.0, far[2]]) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
    assert_eq!(both.step_count(), 1000);
}

#[test]
fn a_new_object_of_an_old_name_starts_afresh_and_old_handles_stay_stale() {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    let old = world.add_body(ball("ball", [0.0; 3])).unwrap();
    world.run(0.5).unwrap();
    world.remove(Section::Bodies, "ball").unwrap();
    let new = world.add_body(ball("ball", [0.0, 0.0, 3.0])).unwrap();
    assert_ne!(old, new);
    assert!(world.body_position(old).is_err());
    assert_eq!(world.body_position(new).unwrap(), [0.0, 0.0, 3.0]);
    world.run(1.0).unwrap();
    let fallen = 3.0 - 0.5 * WEIGHT * 0.25;
    assert!((world.body_position(new).unwrap()[2] - fallen).abs() < 1e-6);
}

#[test]
fn a_saved_scene_and_a_checkpoint_continue_with_the_same_bits() {
    let mut world = pendulums(&["first", "second", "third"]);
    world.run(0.2).unwrap();
    remove_pendulum(&mut world, "first");
    world.add_body(ball("late", [5.0, 0.0, 0.0])).unwrap();
    world.run(0.4).unwrap();
    let mut again = World::from_scene(&world.to_scene()).unwrap();
    assert_eq!(again.names(Section::Bodies), ["second", "third", "late"]);
    let chunks = world.save().unwrap();
    let find = |name: &str| chunks.iter().find(|(own, _)| *own == name).map(|(_, bytes)| bytes.as_slice());
    again.restore_chunks(find).unwrap();
    assert_eq!(again.state_hash(), world.state_hash());
    world.run(0.8).unwrap();
    again.run(0.8).unwrap();
    assert_eq!(again.state_hash(), world.state_hash());
}

#[test]
fn what_others_refer_to_is_refused_with_their_name() {
    let mut world = pendulums(&["rod"]);
    let sensor = SignalSpec::Sensor { sensor: SensorSpec::new("rod", "position.x") };
    world.add(SignalEntry { name: "height".into(), signal: sensor }).unwrap();
    world.add_user_signal("double", &["height"], |_, inputs| 2.0 * inputs[0]).unwrap();
    world.add_shaft(ShaftSpec { name: "shaft".into(), inertia: 1.0, ..ShaftSpec::default() }).unwrap();
    world
        .add(CouplingSpec::ShaftJoint(ShaftJointSpec {
            name: "gear".into(),
            shaft: "shaft".into(),
            joint: "rod-hinge".into(),
            coordinate: None,
            ratio: 2.0,
        }))
        .unwrap();
    let message =
        |world: &mut World, section, name: &str| world.remove(section, name).unwrap_err().to_string();
    for (section, name, by) in [
        (Section::Bodies, "rod", "joint 'rod-hinge' refers to it by `b`"),
        (Section::Joints, "rod-hinge", "motor 'rod-motor' refers to it by `joint`"),
        (Section::Shafts, "shaft", "coupling 'gear' refers to it by `shaft`"),
        (Section::Signals, "height", "signal 'double' reads it"),
    ] {
        let text = message(&mut world, section, name);
        assert!(text.starts_with(&format!("{section} '{name}': it cannot be removed: ")), "{text}");
        assert!(text.contains(by) && text.ends_with("remove that first"), "{text}");
    }
    let text = message(&mut world, Section::Joints, "rod-hing");
    assert_eq!(text, "there is no joint 'rod-hing'; did you mean 'rod-hinge'?");
    world.remove(Section::Signals, "double").unwrap();
    world.remove(Section::Signals, "height").unwrap();
    world.remove(Section::Couplings, "gear").unwrap();
    world.remove(Section::Shafts, "shaft").unwrap();
    world.run(0.1).unwrap();
}

#[test]
fn a_ball_falls_when_its_support_goes() {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space())).unwrap();
    let table = BodySpec { position: [0.0, 0.0, 1.0], ..BodySpec::fixed("table") };
    world.add_body(table.with_shape(ShapeSpec::cuboid([1.0, 1.0, 0.2]))).unwrap();
    let top = world.add_body(ball("ball", [0.0, 0.0, 1.2])).unwrap();
    world.run(0.5).unwrap();
    assert!((world.body_position(top).unwrap()[2] - 1.2).abs() < 1e-3);
    assert_eq!(world.contacts().len(), 1);
    world.remove(Section::Bodies, "table").unwrap();
    assert!(world.contacts().is_empty());
    world.run(1.5).unwrap();
    assert!((world.body_position(top).unwrap()[2] - 0.1).abs() < 1e-3);
}

/// Whether two overlapping balls are pushed apart.
fn part(world: &mut World) -> bool {
    let place = |world: &World, name| world.body_position(world.body(name).unwrap()).unwrap()[0];
    let before = place(world, "right") - place(world, "left");
    world.run(world.time() + 0.05).unwrap();
    place(world, "right") - place(world, "left") - before > 1e-3
}

#[test]
fn without_an_exception_the_rule_holds_again() {
    let mut world = World::new([0.0; 3]);
    world.add_body(ball("left", [0.0; 3])).unwrap();
    world.add_body(ball("right", [0.15, 0.0, 0.0])).unwrap();
    let pair = |collide| ContactPairSpec {
        bodies: Some(["left".into(), "right".into()]),
        collide: Some(collide),
        ..ContactPairSpec::default()
    };
    world.add(pair(true)).unwrap();
    world.add(pair(false)).unwrap();
    assert!(!part(&mut world));
    let held = world.remove(Section::Bodies, "left").unwrap_err().to_string();
    assert!(held.contains("contact pair 'left, right' refers to it by `bodies.0`"), "{held}");
    world.remove(Section::ContactPairs, "left, right").unwrap();
    assert_eq!(world.count(Section::ContactPairs), 1);
    world.remove(Section::ContactPairs, "left, right").unwrap();
    assert!(part(&mut world));
    // A joint keeps its bodies from touching, until it is removed.
    let mut world = World::new([0.0; 3]);
    world.add_body(ball("left", [0.0; 3])).unwrap();
    world.add_body(ball("right", [0.15, 0.0, 0.0])).unwrap();
    world
        .add(JointSpec::new("slider", JointType::Prismatic, "left", "right").along([1.0, 0.0, 0.0]))
        .unwrap();
    assert!(!part(&mut world));
    world.remove(Section::Joints, "slider").unwrap();
    assert!(part(&mut world));
}

#[test]
fn fills_go_as_a_whole_or_body_by_body() {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    world.add_body(ball("single", [9.0, 0.0, 0.0])).unwrap();
    for (k, name) in ["low", "high"].into_iter().enumerate() {
        let shape = ShapeSpec::sphere(0.05);
        let lattice = FillSpec::lattice(name, shape, 1000.0, [0.0, 0.0, k as f64], [2, 2, 1]);
        world.add_fill(FillSpec { spacing: Some([0.2; 3]), ..lattice }).unwrap();
    }
    world.run(0.1).unwrap();
    world.remove(Section::Bodies, "low.2").unwrap();
    assert_eq!(world.names(Section::Fills), ["high"]);
    let scene = world.to_scene();
    let listed: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!((listed, scene.fills.len()), (vec!["single", "low.1", "low.3", "low.4"], 1));
    world.remove(Section::Fills, "high").unwrap();
    assert_eq!(world.count(Section::Bodies), 4);
    world.run(0.2).unwrap();
    let spec = FillSpec::lattice("high", ShapeSpec::sphere(0.05), 1000.0, [0.0, 0.0, 7.0], [1, 1, 1]);
    let again = world.add_fill(spec).unwrap();
    assert_eq!(world.body_position(again[0]).unwrap(), [0.0, 0.0, 7.0]);
    world.run(0.3).unwrap();
    assert!(world.body_position(again[0]).unwrap()[2] < 7.0 - 0.5 * WEIGHT * 0.009);
}

fn cable(name: &str, y: f64) -> StructureSpec {
    StructureSpec {
        section: Some(SectionSpec::circle(0.01)),
        material: Some(ElasticSpec::new(2e6, 0.3, 1000.0)),
        joints: vec![NodeJointSpec::new(NodeJointType::Point, "start", "ground")],
        contact: Some(StructureContactSpec::default()),
        ..StructureSpec::beam(name, ElementType::Cable, [0.0, y, 0.0], [1.0, y, 0.0], 4)
    }
}

#[test]
fn structures_keep_their_handles_and_motions() {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    let [first, second] = ["first", "second"].map(|name| {
        let y = if name == "first" { 0.0 } else { 1.0 };
        world.add_structure(cable(name, y)).unwrap()
    });
    let hung = world.add_body(ball("ball", [1.0, 1.0, -0.1])).unwrap();
    world
        .add(
            JointSpec::new("hook", JointType::Spherical, "second/end", "ball")
                .at([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        )
        .unwrap();
    world.run(0.1).unwrap();
    let before = world.node_motion(second, "end").unwrap();
    let held = world.remove(Section::Structures, "second").unwrap_err().to_string();
    assert!(held.contains("joint 'hook' refers to it by `a`"), "{held}");
    world.remove(Section::Structures, "first").unwrap();
    assert!(world.node_motion(first, "end").unwrap_err().to_string().contains("structure"));
    assert_eq!(world.node_motion(second, "end").unwrap(), before);
    let third = world.add_structure(cable("first", 2.0)).unwrap();
    assert_ne!(first, third);
    world.run(0.2).unwrap();
    let (end, ball) = (world.node_motion(second, "end").unwrap(), world.body_position(hung).unwrap()[2]);
    assert!(
        end.position.z < before.position.z && (end.position.z - ball - 0.1).abs() < 0.05,
        "{end:?} {ball}"
    );
    assert!(world.node_motion(third, "end").unwrap().position.z < -0.01);
    assert_eq!(world.names(Section::Structures), ["second", "first"]);
    // What is left builds the same world again.
    let mut again = World::from_scene(&world.to_scene()).unwrap();
    again.run(0.01).unwrap();
}

#[test]
fn materials_in_use_stay_and_the_default_one_loses_its_description() {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    world.add_material(MaterialSpec { friction: 0.0, ..MaterialSpec::new("default") }).unwrap();
    world.add_material(MaterialSpec { friction: 0.9, ..MaterialSpec::new("rubber") }).unwrap();
    world.add_body(ball("ball", [0.0; 3]).with_shape(ShapeSpec::sphere(0.2).material("rubber"))).unwrap();
    let held = world.remove(Section::Materials, "rubber").unwrap_err().to_string();
    assert!(held.contains("body 'ball' refers to it by `shapes.1.material`"), "{held}");
    world.remove(Section::Materials, "default").unwrap();
    assert!(world.to_scene().materials.iter().all(|m| m.name != "default"));
    world.remove(Section::Bodies, "ball").unwrap();
    world.remove(Section::Materials, "rubber").unwrap();
    assert_eq!(world.names(Section::Materials), Vec::<String>::new());
    world.run(0.01).unwrap();
}

/// Two sets of grains that bounce on floors of their own; `sets` says which there are.
fn grains(sets: &[&str]) -> World {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    world.add_material(MaterialSpec::elastic("glass", 5e6, 0.2)).unwrap();
    for name in sets {
        let x = if *name == "fine" { 1.0 } else { 0.0 };
        let positions = (0..5).map(|n| [x + 0.01 * f64::from(n), 0.0, 1.5e-3]).collect();
        let spec = GrainsSpec { material: Some("glass".into()), ..GrainsSpec::new(*name) };
        let spec = spec.with_wall(WallSpec::plane("floor", [0.0; 3], [0.0, 0.0, 1.0]));
        world.add_grains(spec.with_particles(ParticlesSpec::spheres(positions, 1e-3, 2500.0))).unwrap();
    }
    world
}

#[test]
fn a_set_of_grains_that_goes_leaves_the_other_its_bits_and_its_handle() {
    let mut world = grains(&["coarse", "fine"]);
    let mut alone = grains(&["fine"]);
    let [coarse, fine] = ["coarse", "fine"].map(|name| world.grains(name).unwrap());
    let same = alone.grains("fine").unwrap();
    world.run(0.02).unwrap();
    alone.run(0.02).unwrap();
    world.remove(Section::Grains, "coarse").unwrap();
    // The model of the other world is rebuilt as well, so that all of its state can be compared.
    alone.add_shaft(ShaftSpec { name: "shaft".into(), inertia: 1.0, ..ShaftSpec::default() }).unwrap();
    alone.remove(Section::Shafts, "shaft").unwrap();
    assert!(world.grains("coarse").is_err() && world.grain_field(coarse, GrainField::Position).is_err());
    assert!(world.remove(Section::Grains, "coarse").is_err());
    world.run(0.05).unwrap();
    alone.run(0.05).unwrap();
    for field in [GrainField::Position, GrainField::Velocity, GrainField::Force] {
        let numbers = world.grain_field(fine, field).unwrap();
        assert_eq!(numbers, alone.grain_field(same, field).unwrap());
        assert_eq!(numbers.len(), 15);
    }
    assert_eq!(world.state_hash(), alone.state_hash());
    assert_eq!(world.wall_force(fine, "floor").unwrap(), alone.wall_force(same, "floor").unwrap());
    assert_eq!(world.to_scene().grains, alone.to_scene().grains);
    let new = world.add_grains(GrainsSpec::new("coarse")).unwrap();
    assert!(new != coarse && world.grain_count(coarse).is_err() && world.grain_count(new).is_ok());
}

/// Puddles in tanks of their own under lids that functions of time move.
fn puddles(method: FluidMethod, names: &[&str]) -> World {
    let mut world = World::new([0.0, 0.0, -WEIGHT]);
    world.settings_mut().dt = 1e-3;
    for name in names {
        let x = if *name == "oil" { 1.0 } else { 0.0 };
        let corner = |z: f64| [x + 0.05, 0.0, z];
        let tank = FluidWallSpec::tank("tank", [x, 0.0, 0.0], corner(0.06), &[WallFace::UpperZ]);
        let lid = FluidWallSpec::block("lid", [x, 0.0, 0.08], corner(0.09));
        let spec = FluidSpec { plane: Some(FlowPlane::Xz), method, ..FluidSpec::new(*name, 0.005) };
        let spec = spec.with_wall(tank).with_wall(lid.moved(MotionSpec::default()));
        world.add_fluid(spec.with_fill(FluidFillSpec::between([x, 0.0, 0.0], corner(0.03)))).unwrap();
    }
    world
}

#[test]
fn a_fluid_that_goes_leaves_the_other_its_bits_and_its_handle() {
    for method in [FluidMethod::WeaklyCompressible, FluidMethod::Constraint] {
        let mut world = puddles(method, &["water", "oil"]);
        let mut alone = puddles(method, &["oil"]);
        let [water, oil] = ["water", "oil"].map(|name| world.fluid(name).unwrap());
        let same = alone.fluid("oil").unwrap();
        world.run(0.02).unwrap();
        alone.run(0.02).unwrap();
        let fields = [FluidField::Position, FluidField::Velocity, FluidField::Pressure];
        let before = fields.map(|field| world.fluid_field(oil, field).unwrap());
        world.remove(Section::Fluids, "water").unwrap();
        assert_eq!(before, fields.map(|field| world.fluid_field(oil, field).unwrap()), "{method:?}");
        assert!(world.fluid("water").is_err() && world.fluid_count(water).is_err());
        assert!(world.remove(Section::Fluids, "water").is_err());
        world.run(0.04).unwrap();
        alone.run(0.04).unwrap();
        // Constraint fluids share one cone problem, whose iterations both have a part in.
        if method == FluidMethod::WeaklyCompressible {
            let numbers = |world: &mut World, id| fields.map(|f| world.fluid_field(id, f).unwrap());
            assert_eq!(numbers(&mut world, oil), numbers(&mut alone, same));
            assert_eq!(world.fluid_force(oil, "tank").unwrap(), alone.fluid_force(same, "tank").unwrap());
        }
        assert_eq!(world.to_scene().fluids, alone.to_scene().fluids);
        assert_eq!(world.assembly().bodies().len(), alone.assembly().bodies().len());
        let puddle = FluidFillSpec::between([2.0, 0.0, 0.0], [2.02, 0.0, 0.02]);
        let plane = Some(FlowPlane::Xz);
        let spec = FluidSpec { plane, method, ..FluidSpec::new("water", 0.005) };
        let new = world.add_fluid(spec.with_fill(puddle)).unwrap();
        assert!(new != water && world.fluid_count(water).is_err());
    }
}
