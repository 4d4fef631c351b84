//! Flexible structures through worlds and scene files: cables, beams, rods, solids, joints of their nodes, analyses,
//! probes, restart, recordings.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use glam::DVec3;
use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

fn steel() -> ElasticSpec {
    ElasticSpec::new(2.1e11, 0.3, 7850.0)
}

fn world_of(text: &str) -> World {
    let loaded = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default());
    loaded.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{e}"))
}

fn follow(world: &mut World) {
    world.load_path(&mut |_, _| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"));
}

const CABLE_PENDULUM: &str = r#"
[settings]
dt = 1e-3
until = 0.5
integrator = { type = "generalized_alpha", rho = 0.9 }

[[bodies]]
name = "ball"
position = [1.0, 0, 0]
mass = 1.0
shape = { type = "sphere", radius = 0.02 }

[[structures]]
name = "cable"
element = "cable"
generate = { type = "beam", from = [0, 0, 0], to = [1, 0, 0], pieces = 8 }
section = { type = "circle", radius = 0.002 }
material = { young = 1e9, poisson = 0.3, density = 100.0 }
fixed = [{ nodes = "start", hold = ["position"] }]

[[joints]]
name = "hook"
type = "spherical"
a = "cable/end"
b = "ball"

[[probes]]
of = "cable/end"
quantity = "position"

[[probes]]
of = "cable"
element = 1
quantity = "axial_force"

[[probes]]
of = "world"
quantity = "energy"
"#;

#[test]
fn a_light_cable_with_a_heavy_ball_swings_like_a_pendulum() {
    let mut world = world_of(CABLE_PENDULUM);
    let ball = world.body("ball").unwrap();
    let cable = world.structure("cable").unwrap();
    let start = world.energy().unwrap().total();
    world.run(0.5).unwrap();
    let [x, y, z] = world.body_position(ball).unwrap();
    let end = world.node_motion(cable, "end").unwrap();
    assert!((end.position - DVec3::new(x, y, z)).length() < 1e-9, "{end:?}");
    // A point pendulum of 1 m from the horizontal.
    let (mut angle, mut rate, h) = (0.0f64, 0.0f64, 1e-5);
    for _ in 0..50_000 {
        rate += 0.5 * h * 9.81 * angle.cos();
        angle += h * rate;
        rate += 0.5 * h * 9.81 * angle.cos();
    }
    assert!((x - angle.cos()).abs() < 4e-3 && (z + angle.sin()).abs() < 4e-3, "{x} {z} {angle}");
    assert!(y.abs() < 1e-9);
    let now = world.energy().unwrap().total();
    assert!((now - start).abs() < 2e-3 * 9.81, "{start} {now}");
    // The ball is pulled round the pivot and carried against its weight.
    let pull = rate * rate + 9.81 * angle.sin();
    let mut values = Vec::new();
    world.probe_values(&mut values).unwrap();
    assert!((values[3] - pull).abs() < 0.03 * pull, "{values:?} {pull}");
}

/// A beam along x, clamped at its start, with a force at its end.
fn cantilever(element: ElementType, force: [f64; 3]) -> StructureSpec {
    let section = SectionSpec::rectangle(0.02, 0.02);
    StructureSpec {
        section: Some(section),
        material: Some(steel()),
        fixed: vec![FixedSpec::all("start")],
        loads: vec![StructureLoadSpec::force("end", force)],
        ..StructureSpec::beam("beam", element, [0.0; 3], [1.0, 0.0, 0.0], 10)
    }
}

#[test]
fn cantilevers_of_all_lines_bend_as_they_should() {
    let bending = 2.1e11 * 0.02f64.powi(4) / 12.0;
    for element in
        [ElementType::Cable, ElementType::BeamAncf, ElementType::Beam, ElementType::Rod, ElementType::Rod3]
    {
        let mut world = World::new([0.0; 3]);
        let beam = world.add_structure(cantilever(element, [0.0, 0.0, -30.0])).unwrap();
        follow(&mut world);
        let deflection = -world.node_motion(beam, "end").unwrap().position.z;
        // The absolute nodal coordinates take the fixed slope with its length: no difference at this load.
        let exact = 30.0 / (3.0 * bending);
        assert!((deflection / exact - 1.0).abs() < 0.01, "{element:?} {deflection} {exact}");
        // The moment at the clamp, and the work of the load.
        let forces = world.section_forces(beam, 0, 0.0).unwrap();
        let moment = forces.moment[0].hypot(forces.moment[1]);
        assert!((moment / 30.0 - 1.0).abs() < 0.08, "{element:?} {forces:?}");
        let energy = world.structure_energy(beam).unwrap();
        assert!((energy / (0.5 * 30.0 * deflection) - 1.0).abs() < 0.01, "{element:?} {energy}");
    }
}

#[test]
fn frequencies_and_buckling_loads_are_those_of_euler_and_bernoulli() {
    let (bending, mass) = (2.1e11 * 0.02f64.powi(4) / 12.0, 7850.0 * 4e-4);
    let mut world = World::new([0.0; 3]);
    let beam = StructureSpec {
        generate: Some(GenerateSpec::Beam { from: [0.0; 3], to: [1.0, 0.0, 0.0], pieces: 20 }),
        ..cantilever(ElementType::Beam, [-1.0, 0.0, 0.0])
    };
    world.add_structure(beam).unwrap();
    let modes = world.natural_modes(ModesSpec { count: 4, near: 0.0 }).unwrap();
    let scale = (bending / mass).sqrt() / (2.0 * PI);
    for (k, root) in [1.875_104_068_7f64, 1.875_104_068_7, 4.694_091_133, 4.694_091_133].iter().enumerate() {
        let exact = root * root * scale;
        assert!((modes.frequency_hz[k] / exact - 1.0).abs() < 5e-3, "{:?} {exact}", modes.frequency_hz);
    }
    let buckling = world.buckling(2).unwrap();
    let exact = PI * PI * bending / 4.0;
    assert!((buckling.factors[0] / exact - 1.0).abs() < 0.01, "{:?} {exact}", buckling.factors);
}

#[test]
fn a_strip_rolls_up_into_a_circle() {
    let bending = 1e9 * 0.1 * 0.002f64.powi(3) / 12.0;
    let mut world = World::new([0.0; 3]);
    world.settings_mut().load_path = Some(LoadPathSpec { steps: 20, ..LoadPathSpec::default() });
    let strip = world
        .add_structure(StructureSpec {
            section: Some(SectionSpec::rectangle(0.1, 0.002)),
            material: Some(ElasticSpec::new(1e9, 0.3, 1000.0)),
            fixed: vec![FixedSpec::all("start")],
            loads: vec![StructureLoadSpec::moment("end", [0.0, -2.0 * PI * bending, 0.0])],
            ..StructureSpec::beam("strip", ElementType::Rod, [0.0; 3], [1.0, 0.0, 0.0], 12)
        })
        .unwrap();
    world.add_probe(ProbeSpec::new("strip/end", "displacement")).unwrap();
    let mut factors = Vec::new();
    world
        .load_path(&mut |w, factor| {
            let mut values = Vec::new();
            w.probe_values(&mut values).unwrap();
            factors.push((factor, values));
            ControlFlow::Continue(())
        })
        .unwrap();
    let end = world.node_motion(strip, "end").unwrap().position;
    assert!(end.length() < 1e-6, "{end}");
    assert!(factors.windows(2).all(|w| w[0].0 < w[1].0) && factors.len() >= 10);
    assert!((factors.last().unwrap().1[0] + 1.0).abs() < 1e-6);
}

#[test]
fn a_restart_continues_with_the_same_bits_and_an_edit_keeps_the_motion() {
    let mut whole = world_of(CABLE_PENDULUM);
    whole.run(0.2).unwrap();
    let mut first = world_of(CABLE_PENDULUM);
    first.run(0.1).unwrap();
    let chunks = first.save().unwrap();
    let mut second = world_of(CABLE_PENDULUM);
    second.restore_chunks(|name| chunks.iter().find(|c| c.0 == name).map(|c| c.1.as_slice())).unwrap();
    second.run(0.2).unwrap();
    assert_eq!(second.state_hash(), whole.state_hash());

    let mass = BodySpec { position: [5.0, 0.0, 0.0], mass: Some(1.0), ..BodySpec::dynamic("other") };
    first.add_body(BodySpec { shape: Some(Shape::Sphere { radius: 0.1 }), ..mass }).unwrap();
    first.run(0.2).unwrap();
    let end = |w: &World| w.node_motion(w.structure("cable").unwrap(), "end").unwrap();
    let (a, b) = (end(&first), end(&whole));
    assert!((a.position - b.position).length() < 1e-4, "{a:?} {b:?}");
    assert!((a.velocity - b.velocity).length() < 1e-2, "{a:?} {b:?}");
}

#[test]
fn the_scene_of_a_world_is_the_scene_it_came_from() {
    let world = world_of(CABLE_PENDULUM);
    let scene = world.to_scene();
    let text = serde_json::to_string(&scene).unwrap();
    let again = load_scene_text("again.json", &text, Format::Json, &LoadOptions::default()).unwrap();
    assert_eq!(again.scene, scene);
    assert_eq!(again.scene.structures.len(), 1);
}

#[test]
fn cables_are_clamped_hinged_and_pinned_to_bodies_and_nodes() {
    // A heavy fixed block carries a cable that sticks out: clamped it stays up, hinged it falls about the hinge.
    let build = |kind: NodeJointType| {
        let mut world = World::default();
        world.settings_mut().integrator = Some(Integrator::GeneralizedAlpha { rho: 0.8 });
        let block = BodySpec { position: [-0.1, 0.0, 0.0], ..BodySpec::fixed("block") };
        world.add_body(block).unwrap();
        let cable = world
            .add_structure(StructureSpec {
                section: Some(SectionSpec::circle(0.01)),
                material: Some(ElasticSpec::new(2.1e11, 0.3, 7850.0)),
                joints: vec![NodeJointSpec::new(kind, "start", "block")],
                ..StructureSpec::beam("cable", ElementType::Cable, [0.0; 3], [1.0, 0.0, 0.0], 4)
            })
            .unwrap();
        world.run(0.2).unwrap();
        assert!(world.node_motion(cable, "start").unwrap().position.length() < 1e-9);
        world.node_motion(cable, "end").unwrap().position
    };
    let hinge = |axis: [f64; 3]| NodeJointType::Hinge { axis: Some(axis), gradient: None };
    let clamped = build(NodeJointType::Clamp);
    assert!(clamped.z.abs() < 0.02, "{clamped}");
    let hinged = build(hinge([0.0, 1.0, 0.0]));
    // A stiff rod falls like a bar: θ'' = 3 g cos θ / 2 L.
    let (mut angle, mut rate) = (0.0f64, 0.0f64);
    for _ in 0..20_000 {
        rate += 1e-5 * 1.5 * 9.81 * angle.cos();
        angle += 1e-5 * rate;
    }
    assert!((hinged.z + angle.sin()).abs() < 5e-3 && hinged.y.abs() < 1e-9, "{hinged} {angle}");
    let sideways = build(hinge([0.0, 0.0, 1.0]));
    assert!(sideways.z.abs() < 0.02, "{sideways}");

    // Two halves pinned together hang like a chain of two bars; joined with everything they are one beam.
    let halves = |kind: NodeJointType| {
        let mut world = World::new([0.0; 3]);
        let part = |name: &str, from: f64| StructureSpec {
            section: Some(SectionSpec::circle(0.01)),
            material: Some(steel()),
            ..StructureSpec::beam(name, ElementType::Cable, [from, 0.0, 0.0], [from + 0.5, 0.0, 0.0], 4)
        };
        world
            .add_structure(StructureSpec { fixed: vec![FixedSpec::all("start")], ..part("left", 0.0) })
            .unwrap();
        let right = world
            .add_structure(StructureSpec {
                joints: vec![NodeJointSpec::new(kind, "start", "left/end")],
                loads: vec![StructureLoadSpec::force("end", [0.0, 0.0, -1.0])],
                ..part("right", 0.5)
            })
            .unwrap();
        (world.load_path(&mut |_, _| ControlFlow::Continue(())).map(|_| ()), world, right)
    };
    let (done, world, right) = halves(NodeJointType::Clamp);
    done.unwrap();
    let exact = 1.0 / (3.0 * 2.1e11 * PI / 4.0 * 1e-8);
    let tip = -world.node_motion(right, "end").unwrap().position.z;
    assert!((tip / exact - 1.0).abs() < 0.01, "{tip} {exact}");
    // Pinned, the second half is in balance along the force only.
    let (done, world, right) = halves(NodeJointType::Point);
    done.unwrap();
    let [top, tip] = ["start", "end"].map(|n| world.node_motion(right, n).unwrap().position);
    let arm = tip - top;
    assert!(arm.x.hypot(arm.y) < 1e-6 && (arm.z.abs() - 0.5).abs() < 1e-4, "{top} {tip}");
}

#[test]
fn a_beam_on_a_motor_turns_with_it() {
    let mut world = World::new([0.0; 3]);
    let hub =
        BodySpec { mass: Some(1.0), shape: Some(Shape::Sphere { radius: 0.05 }), ..BodySpec::dynamic("hub") };
    world.add_body(hub).unwrap();
    let pivot = JointSpec::new("pivot", JointType::Revolute, "ground", "hub");
    world.add_joint(pivot.at([0.0; 3], [0.0, 0.0, 1.0])).unwrap();
    world.add_motor(MotorSpec::on_joint("motor", MotorType::Speed, "pivot", 2.0)).unwrap();
    let beam = world
        .add_structure(StructureSpec {
            section: Some(SectionSpec::circle(0.01)),
            material: Some(steel()),
            angular_velocity: [0.0, 0.0, 2.0],
            ..StructureSpec::beam("beam", ElementType::Rod, [0.0; 3], [0.5, 0.0, 0.0], 4)
        })
        .unwrap();
    world.add_joint(JointSpec::new("weld", JointType::Fixed, "hub", "beam/start")).unwrap();
    world.run(0.5).unwrap();
    let tip = world.node_motion(beam, "end").unwrap();
    let exact = DVec3::new(1.0f64.cos(), 1.0f64.sin(), 0.0) * 0.5;
    assert!((tip.position - exact).length() < 1e-4, "{tip:?}");
    assert!((tip.angular_velocity - DVec3::Z * 2.0).length() < 1e-2, "{tip:?}");
}

#[test]
fn solids_and_lines_rest_on_the_floor_and_are_recorded() {
    let mut world = World::default();
    world.settings_mut().dt = 2e-3;
    let floor = BodySpec::fixed("floor").with_shape(ShapeSpec::half_space());
    let floor = world.add_body(floor).unwrap();
    let contact = Some(StructureContactSpec { radius: Some(0.01), ..StructureContactSpec::default() });
    let jelly = world
        .add_structure(StructureSpec {
            element: ElementType::Tetrahedron,
            generate: Some(GenerateSpec::Block {
                origin: [0.0, 0.0, 0.012],
                size: [0.2, 0.2, 0.2],
                cells: [2, 2, 2],
                split: SplitType::Six,
            }),
            material: Some(ElasticSpec::new(1e5, 0.3, 1000.0)),
            damping: StructureDampingSpec { stiffness: 0.02, ..StructureDampingSpec::default() },
            contact: contact.clone(),
            ..StructureSpec::new("jelly")
        })
        .unwrap();
    let log = world
        .add_structure(StructureSpec {
            section: Some(SectionSpec::circle(0.01)),
            material: Some(ElasticSpec::new(1e9, 0.3, 1000.0)),
            damping: StructureDampingSpec { mass: 20.0, ..StructureDampingSpec::default() },
            contact,
            ..StructureSpec::beam("log", ElementType::Beam, [1.0, 0.0, 0.011], [1.5, 0.0, 0.011], 4)
        })
        .unwrap();
    world.run(0.6).unwrap();
    let weight = 9.81 * (1000.0 * 0.008 + 1000.0 * PI * 1e-4 * 0.5);
    let (force, _) = world.body_contact_force(floor).unwrap();
    assert!((force[2] / -weight - 1.0).abs() < 0.02, "{force:?} {weight}");
    let rest = world.node_motion(log, "end").unwrap();
    assert!((rest.position.z - 0.01).abs() < 1e-3, "{rest:?}");
    let sides: Vec<String> = world.contacts().iter().map(|c| world.side_name(c.b)).collect();
    assert!(sides.iter().any(|s| s == "jelly") && sides.iter().any(|s| s == "log"), "{sides:?}");
    // The middle of the block carries half of the weight above it.
    let stress = world.solid_stress(jelly, 0).unwrap().stress[2][2];
    assert!(stress < 0.0 && stress > -4.0 * 9.81 * 200.0, "{stress}");

    let stage = world.stage("rest").unwrap();
    assert_eq!((stage.skins.len(), stage.tubes.len()), (1, 1));
    let mut frame = stage.blank_frame();
    world.record(&mut frame).unwrap();
    let counts: Vec<(String, usize)> =
        stage.groups.iter().zip(&frame.groups).map(|(g, f)| (g.name.clone(), f.count)).collect();
    assert!(counts.contains(&("jelly".into(), 27)) && counts.contains(&("log".into(), 5)), "{counts:?}");
    // Each element is an item with its own numbers, between nodes.
    let cells: Vec<(usize, usize)> = stage.cells.iter().map(|c| (c.corners, c.items.len())).collect();
    assert_eq!(cells, [(4, 4 * 48), (2, 2 * 4)]);
    let solids = &frame.groups[stage.cells[0].elements];
    let stress = world.solid_stress(jelly, 7).unwrap().stress;
    for (k, [i, j]) in [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]].into_iter().enumerate() {
        assert_eq!(solids.fields[1][6 * 7 + k], stress[i][j] as f32);
    }
    let forces = world.section_forces(log, 2, 0.5).unwrap();
    let lines = &frame.groups[stage.cells[1].elements];
    let moments = [lines.fields[4][2 * 2], lines.fields[4][2 * 2 + 1]];
    assert_eq!((lines.fields[1][2], moments), (forces.axial_force as f32, forces.moment.map(|m| m as f32)));
    for (group, values) in stage.groups.iter().zip(&frame.groups) {
        for (field, numbers) in group.fields.iter().zip(&values.fields) {
            assert_eq!(numbers.len(), values.count * field.components, "{} {}", group.name, field.name);
            assert!(numbers.iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn a_mesh_file_becomes_a_structure() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "*NODE, NSET=ALL\n1, 0, 0, 0\n2, 1000, 0, 0\n3, 0, 1000, 0\n4, 0, 0, 1000\n5, 1000, 1000, 1000\n\
                *ELEMENT, TYPE=C3D4, ELSET=BODY\n1, 1, 2, 3, 4\n2, 2, 3, 4, 5\n*NSET, NSET=TIP\n5\n*NSET, NSET=FOOT\n1, 2, 3\n";
    std::fs::write(folder.path().join("part.inp"), mesh).unwrap();
    let scene = r#"
structures = [
  { name = "part", element = "tetrahedron", file = "part.inp", scale = 1e-3, position = [0, 0, 1],
    material = { young = 1e6, poisson = 0.3, density = 10 }, fixed = [{ nodes = "FOOT" }],
    loads = [{ nodes = "TIP", force = [0, 0, 1] }] },
]
settings.gravity = [0, 0, 0]
settings.analysis = "statics"
"#;
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, scene).unwrap();
    let loaded = load_scene(&path, &LoadOptions::default()).unwrap();
    assert_eq!(loaded.files().count(), 2);
    let mut world = loaded.world().unwrap();
    let part = world.structure("part").unwrap();
    assert_eq!(world.node_count(part).unwrap(), 5);
    assert_eq!(world.node_motion(part, "TIP").unwrap().position, DVec3::new(1.0, 1.0, 2.0));
    follow(&mut world);
    assert!(world.node_motion(part, "5").unwrap().position.z > 2.0);
}
