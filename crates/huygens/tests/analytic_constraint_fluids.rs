//! Fluids of constraints in worlds: closed forms, momentum, restart, threads, probes, wrong input.

use glam::DVec3;
use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

const G: f64 = 9.81;
/// Steps that a weakly compressible fluid of these sizes would cut into a hundred.
const STEP: f64 = 1e-3;

fn world(gravity: f64) -> World {
    let mut world = World::new([0.0, 0.0, -gravity]);
    world.settings_mut().dt = STEP;
    world
}

/// Water of constraints in the plane x–z.
fn water(spacing: f64) -> FluidSpec {
    FluidSpec {
        method: FluidMethod::Constraint,
        plane: Some(FlowPlane::Xz),
        ..FluidSpec::new("water", spacing)
    }
}

fn between(low: [f64; 2], high: [f64; 2]) -> ([f64; 3], [f64; 3]) {
    ([low[0], 0.0, low[1]], [high[0], 0.0, high[1]])
}

fn tank(width: f64, height: f64) -> FluidWallSpec {
    let (low, high) = between([0.0; 2], [width, height]);
    FluidWallSpec::tank("tank", low, high, &[WallFace::UpperZ])
}

fn fill(low: [f64; 2], high: [f64; 2]) -> FluidFillSpec {
    let (low, high) = between(low, high);
    FluidFillSpec::between(low, high)
}

/// A block of edges 0.04 m.
fn block(name: &str, density: f64, position: [f64; 3]) -> BodySpec {
    BodySpec {
        position,
        density: Some(density),
        shape: Some(Solid::Box { size: [0.04, 1.0, 0.04] }),
        ..BodySpec::dynamic(name)
    }
}

#[test]
fn water_rests_in_a_tank() {
    let (width, depth) = (0.2, 0.2);
    let mut world = world(G);
    world.settings_mut().contact.rigid.max_iterations = 50;
    let id = world
        .add_fluid(water(0.01).with_wall(tank(width, 0.26)).with_fill(fill([0.0; 2], [width, depth])))
        .unwrap();
    // A fill starts under the pressure of rest, and needs nothing said about the integrator.
    let start = world.fluid_at(id, [0.1, 5.0, 0.1]).unwrap().unwrap().0;
    assert!((start / (1000.0 * G * 0.1) - 1.0).abs() < 0.01, "{start}");
    assert_eq!(world.integrator().unwrap(), Integrator::Euler);
    let before = world.energy().unwrap();
    let weight = 1000.0 * G * width * depth;
    let (mut worst, mut force, mut count) = (0.0_f64, 0.0, 0.0);
    world.run(0.3).unwrap();
    while let Some(h) = world.next_step(0.4) {
        world.advance(h).unwrap();
        force += world.measure_fluid("water/tank", "force.z", None).unwrap()[0];
        count += 1.0;
        for k in 1..9 {
            let at = [0.02 * f64::from(k), 0.0, 0.02 * f64::from(k)];
            let pressure = world.measure_fluid("water", "pressure", Some(at)).unwrap()[0];
            worst = worst.max((pressure / (1000.0 * G) - (depth - at[2])).abs() / depth);
        }
    }
    println!("pressure {worst:.3}, weight {:.4}", force / count / -weight);
    assert!(worst < 0.03, "pressure: {worst}");
    assert!((force / count / -weight - 1.0).abs() < 0.005, "{}", force / count / -weight);
    let surface = world.measure_fluid("water", "surface_height", Some([0.05, 0.0, 0.0])).unwrap()[0];
    assert!((surface - depth).abs() < 0.01, "{surface}");
    let status = world.fluid_status(id).unwrap();
    assert_eq!([status.particles, status.lost as usize], [400, 0]);
    assert!(status.step == STEP && status.sound == 0.0 && status.compressibility < 0.01, "{status:?}");
    // The markers are part of the model, and their energy is counted once.
    let energy = world.energy().unwrap();
    let potential = world.measure_fluid("water", "potential_energy", None).unwrap()[0];
    assert!((energy.potential - potential).abs() < 1e-9 * before.potential, "{energy:?} {potential}");
    assert!((before.potential - 0.5 * depth * weight).abs() < 1e-9 * weight, "{before:?}");
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());
}

/// Two blocks on a hinge in a stream: what water loses they take, to rounding.
#[test]
fn water_and_jointed_blocks_share_their_momentum() {
    let mut world = world(0.0);
    let bodies = [
        world.add_body(block("block", 500.0, [0.2, 0.3, 0.05])).unwrap(),
        world.add_body(block("tail", 700.0, [0.26, 0.3, 0.05])).unwrap(),
    ];
    let hinge = JointSpec::new("hinge", JointType::Revolute, "block", "tail");
    world.add_joint(hinge.at([0.23, 0.3, 0.05], [0.0, 1.0, 0.0])).unwrap();
    let jet = FluidFillSpec { velocity: [1.0, 0.0, 0.2], ..fill([0.0, 0.0], [0.17, 0.06]) };
    let id = world.add_fluid(water(0.005).with_fill(jet).with_body("block").with_body("tail")).unwrap();
    let momentum = |world: &mut World| {
        let [x, y, z] = world.measure_fluid("water", "momentum", None).unwrap()[..] else { panic!() };
        let of = |k: usize, density: f64| {
            density * 0.04 * 0.04 * DVec3::from_array(world.body_velocity(bodies[k]).unwrap())
        };
        DVec3::new(x, y, z) + of(0, 500.0) + of(1, 700.0)
    };
    let start = momentum(&mut world);
    world.run(0.1).unwrap();
    let end = momentum(&mut world);
    let v = world.body_velocity(bodies[0]).unwrap();
    assert!(v[0] > 0.2 && v[1].abs() < 1e-12, "{v:?}");
    let spins = bodies.map(|b| DVec3::from_array(world.body_angular_velocity(b).unwrap()));
    assert!(spins[0].distance(spins[1]) > 0.1, "the hinge does not turn: {spins:?}");
    assert!(spins.iter().all(|s| s.x.abs() + s.z.abs() < 1e-9), "{spins:?}");
    assert!(start.distance(end) < 1e-12 * start.length(), "{start} {end}");
    assert!(world.constraint_residual().unwrap() < 1e-4);
    // The force on the block is what its velocity would show without the hinge; here it must at least be there.
    assert!(DVec3::from_array(world.fluid_force(id, "tail").unwrap().0).is_finite());
}

#[test]
fn water_bends_a_cable_and_both_share_their_momentum() {
    let mut world = world(0.0);
    // A plate of 10 kg a square metre: in the plane, what a cable has in a metre.
    let line = 10.0;
    let density = line / (std::f64::consts::PI * 0.005f64.powi(2));
    let cable = world
        .add_structure(StructureSpec {
            section: Some(SectionSpec::circle(0.005)),
            material: Some(ElasticSpec::new(1e8, 0.3, density)),
            contact: Some(StructureContactSpec::default()),
            ..StructureSpec::beam("rod", ElementType::Cable, [0.1, 0.0, 0.0], [0.1, 0.0, 0.1], 4)
        })
        .unwrap();
    let jet = FluidFillSpec { velocity: [1.0, 0.0, 0.0], ..fill([0.0, 0.05], [0.08, 0.08]) };
    let spec = FluidSpec { structures: vec!["rod".into()], ..water(0.005) };
    let fluid = world.add_fluid(spec.with_fill(jet)).unwrap();
    let start = world.measure_fluid("water", "momentum", None).unwrap()[0];
    let mut impulse = 0.0;
    for _ in 0..60 {
        world.step().unwrap();
        impulse += STEP * world.fluid_force(fluid, "rod").unwrap().0[0];
    }
    let bent = world.node_motion(cable, "end").unwrap().position.x
        - world.node_motion(cable, "start").unwrap().position.x;
    assert!(bent.abs() > 1e-3, "{bent}");
    // The momentum of the rod from that of its nodes: a cable of cubic elements between positions and slopes.
    let state = world.state().unwrap();
    let l = 0.1 / 4.0;
    let rod: f64 = (0..4)
        .map(|k| {
            let at = |j: usize| state.v[6 * k + j];
            line * l * (0.5 * at(0) + l / 12.0 * at(3) + 0.5 * at(6) - l / 12.0 * at(9))
        })
        .sum();
    let end = world.measure_fluid("water", "momentum", None).unwrap()[0];
    println!("rod {rod}, impulse {impulse}, start {start}, lost {:.2e}", end + rod - start);
    assert!(rod > 0.05 * start, "{rod} {start}");
    assert!((end + rod - start).abs() < 1e-10 * start, "{start} {end} {rod}");
    assert!((impulse - rod).abs() < 1e-10 * start, "{impulse} {rod}");
}

/// Water in a tank with a float on shapes, and a paddle that sways.
fn busy(threads: usize) -> World {
    let mut world = world(G);
    world.set_threads(threads).unwrap();
    world.settings_mut().contact.rigid.max_iterations = 40;
    world.add_material(MaterialSpec::rigid("wet", 0.2)).unwrap();
    let cork = BodySpec {
        shapes: vec![ShapeSpec::cuboid([0.04, 1.0, 0.04])],
        shape: None,
        ..block("block", 400.0, [0.1, 0.0, 0.1])
    };
    world.add_body(cork).unwrap();
    let paddle = FluidWallSpec::block("paddle", [0.18, 0.0, 0.02], [0.20, 0.0, 0.06]);
    let paddle = paddle.moved(MotionSpec {
        axis: [0.0, 1.0, 0.0],
        angle: Function::Sine { amplitude: 0.3, frequency: 5.0, phase: 0.0, offset: 0.0 },
        ..MotionSpec::default()
    });
    let spec = FluidSpec {
        viscosity: Some(0.1),
        clumping: Some(ClumpingSpec::default()),
        contact: Some(MarkerContactSpec { material: Some("wet".into()), radius: 0.4 }),
        bounds: Some(FluidBoundsSpec { low: [-0.1; 3], high: [0.6; 3], closed: true }),
        ..water(0.01)
    };
    let carved = FluidFillSpec { carve: true, ..fill([0.0; 2], [0.3, 0.08]) };
    world
        .add_fluid(spec.with_wall(tank(0.3, 0.2)).with_wall(paddle).with_fill(carved).with_body("block"))
        .unwrap();
    world
}

#[test]
fn a_run_goes_on_with_the_same_bits_after_a_restart_and_with_more_threads() {
    let mut first = busy(1);
    first.run(0.05).unwrap();
    let saved = first.save().unwrap();
    first.run(0.1).unwrap();
    let mut second = busy(2);
    second.initialize().unwrap();
    second.restore_chunks(|name| saved.iter().find(|c| c.0 == name).map(|c| &c.1[..])).unwrap();
    second.run(0.1).unwrap();
    assert_eq!(first.state_hash(), second.state_hash());
    let mut third = busy(2);
    third.run(0.1).unwrap();
    assert_eq!(first.state_hash(), third.state_hash());
    let paddle = first.measure_fluid("water/paddle", "torque.y", None).unwrap()[0];
    assert!(paddle.abs() > 1e-3, "{paddle}");
}

#[test]
fn a_scene_is_read_back_and_a_world_may_change_on_the_way() {
    let mut first = busy(1);
    let scene = first.to_scene();
    let text = serde_json::to_string(&scene).unwrap();
    let again: Scene = serde_json::from_str(&text).unwrap();
    assert_eq!(scene, again);
    let mut second = World::from_scene(&again).unwrap();
    first.run(0.02).unwrap();
    second.run(0.02).unwrap();
    assert_eq!(first.state_hash(), second.state_hash());
    // A new body makes a new model, in which markers go on.
    let id = second.fluid("water").unwrap();
    let [places, pressures] =
        [FluidField::Position, FluidField::Pressure].map(|f| second.fluid_field(id, f).unwrap());
    second.add_body(block("other", 300.0, [0.25, 0.0, 0.15])).unwrap();
    second.initialize().unwrap();
    assert_eq!(places, second.fluid_field(id, FluidField::Position).unwrap());
    assert_eq!(pressures, second.fluid_field(id, FluidField::Pressure).unwrap());
    second.run(0.03).unwrap();
}

#[test]
fn a_recording_shows_water_and_walls() {
    let mut world = busy(1);
    let stage = world.stage("water").unwrap();
    let names: Vec<&str> = stage.groups.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["bodies", "contacts", "walls of fluids", "water"]);
    world.run(0.02).unwrap();
    let mut frame = stage.blank_frame();
    world.record(&mut frame).unwrap();
    let id = world.fluid("water").unwrap();
    let count = world.fluid_count(id).unwrap();
    assert_eq!([frame.groups[2].count, frame.groups[3].count], [1, count]);
    let places = world.fluid_field(id, FluidField::Position).unwrap();
    assert!(places.iter().zip(&frame.groups[3].fields[0]).all(|(a, b)| *a as f32 == *b));
    // Balls of water touch the float.
    let float = ContactSide::Body(world.body("block").unwrap());
    world.run(0.1).unwrap();
    let contacts = world.contacts();
    assert!(contacts.iter().any(|c| c.a == float && c.b == ContactSide::Fluid(id)), "{}", contacts.len());
}

const HEAD: &str = "\
settings = { dt = 1e-3 }
bodies = [{ name = \"ball\", density = 500, shape = { type = \"sphere\", radius = 0.02 }, position = [0.1, 0, 0.2] }]
[[fluids]]
name = \"water\"
";
const FILL: &str =
    "fills = [{ region = { type = \"box\", low = [0, 0, 0], high = [0.1, 0, 0.05] } }]\nplane = \"xz\"\n";

fn attempt(text: &str) -> Result<Vec<String>, SceneError> {
    let scene = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default())?;
    let mut world = scene.world()?;
    world.run(0.03).map_err(|e| scene.explain(e))?;
    Ok(world.warnings().to_vec())
}

#[test]
fn each_is_refused_where_it_stands() {
    let method = "method = \"constraint\"\nspacing = 0.01\n";
    let cases: [(&str, &[&str]); 24] = [
        ("sound_speed = 10", &["`sound_speed` does not belong", "constraint"]),
        ("rheology = { type = \"newtonian\", viscosity = 1 }", &["`rheology` does not belong"]),
        ("artificial = 0.1", &["`artificial` does not belong"]),
        ("state = { type = \"linear\" }", &["`state` does not belong"]),
        ("step = 1e-4", &["`step` does not belong"]),
        ("shifting = {}", &["`shifting` does not belong"]),
        (
            "inlets = [{ center = [0, 0, 1], velocity = [0, 0, -1], along = [1, 0, 0], size = [0.1, 0.1] }]",
            &["`inlets` does not belong"],
        ),
        ("law = \"cubes\"", &["cubes", "density", "spheres"]),
        ("law = \"spheres\"\nbilateral = true", &["`bilateral` does not belong", "spheres"]),
        ("law = \"spheres\"\nviscosity = 1", &["viscosity", "fluid of spheres"]),
        ("compliance = -1", &["compliance", "-1"]),
        ("stabilization = 2", &["stabilization", "2", "at most 1"]),
        ("smoothing = 9", &["kernel", "9"]),
        ("kernel = \"poly6_spiky\"", &["poly6", "another kernel"]),
        ("xsph = 0.7", &["xsph", "0.7"]),
        ("clumping = { exponent = 0 }", &["exponent", "1 or more"]),
        ("clumping = { power = 4 }", &["power", "exponent"]),
        ("contact = { material = \"glas\" }", &["material 'glas', which does not exist"]),
        ("contact = { radius = 0 }", &["radius of spheres"]),
        ("bounds = { low = [0, 0, 0], high = [1, 0, 1] }", &["cannot be taken out", "closed = true"]),
        ("walls = [{ type = \"plane\", size = [1, 1], slip = true }]", &["`slip` does not belong"]),
        ("periodic = { x = [0, 0.02] }", &["periodic box"]),
        ("method = \"sticky\"", &["sticky", "weakly_compressible"]),
        ("structures = [\"gate\"]", &["structure 'gate', which does not exist"]),
    ];
    for (keys, expected) in cases {
        let method = if keys.starts_with("method") { "spacing = 0.01\n" } else { method };
        let text = format!("{HEAD}{keys}\n{method}{FILL}");
        let error = attempt(&text).err().unwrap_or_else(|| panic!("this was not refused:\n{text}"));
        let message = error.to_string();
        for part in expected.iter().chain(&["test.toml", "water"]) {
            assert!(message.contains(part), "{text}\nsays: {message}\nwithout: {part}");
        }
        let line = error.line.unwrap_or(0);
        assert!((5..=6).contains(&line), "{text}\nline {line}: {message}");
    }
    // Keys of constraints in the other method.
    for key in ["law = \"density\"", "compliance = 0.1", "contact = {}", "normalized = true"] {
        let text = format!("{HEAD}{key}\nspacing = 0.01\n{FILL}");
        let message = attempt(&text).err().unwrap_or_else(|| panic!("{text}")).to_string();
        assert!(message.contains("does not belong") && message.contains("weakly_compressible"), "{message}");
    }
    // Settings of the world that it cannot do with say what to set.
    for (settings, expected) in [
        ("integrator = { type = \"hht\" }", ["integrator", "euler", "water"]),
        ("contact.law = \"compliant\"", ["contact.law", "rigid", "water"]),
        ("contact.rigid.solver = \"psor\"", ["contact.rigid.solver", "apgd", "water"]),
        (
            "step_control = { tolerance = 1e-3, min_step = 1e-5, max_step = 1e-3 }",
            ["step_control", "fixed step", "fluids"],
        ),
    ] {
        let head = HEAD.replace("dt = 1e-3", &format!("dt = 1e-3, {settings}"));
        let text = format!("{head}{method}{FILL}");
        let error = attempt(&text).err().unwrap_or_else(|| panic!("this was not refused:\n{text}"));
        let message = error.to_string();
        for part in expected {
            assert!(message.contains(part), "{text}\nsays: {message}\nwithout: {part}");
        }
        assert_eq!(error.line, Some(1), "{text}\n{message}");
    }
    // On the way.
    let text = format!(
        "{HEAD}bounds = {{ low = [0, 0, 0.003], high = [0.1, 0, 0.1], closed = true }}\n{method}{FILL}"
    );
    let message = attempt(&text).err().unwrap_or_else(|| panic!("{text}")).to_string();
    assert!(message.contains("left the closed bounds") && message.contains("water"), "{message}");
}

#[test]
fn a_fluid_that_stays_too_dense_is_a_warning() {
    // Rows so compliant that the bottom of a tank is compressed by some ten percent.
    let tank = FluidWallSpec::tank("tank", [0.0; 3], [0.1, 0.0, 0.1], &[WallFace::UpperZ]);
    let spec = FluidSpec {
        method: FluidMethod::Constraint,
        plane: Some(FlowPlane::Xz),
        compliance: Some(300.0),
        ..FluidSpec::new("water", 0.005)
    };
    let mut world = World::new([0.0, 0.0, -9.81]);
    world.settings_mut().dt = 1e-3;
    let fill = FluidFillSpec::between([0.0; 3], [0.1, 0.0, 0.08]);
    world.add_fluid(spec.with_wall(tank).with_fill(fill)).unwrap();
    // A few steps say nothing: it must last for 20.
    world.run(0.015).unwrap();
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());
    world.run(0.06).unwrap();
    let warnings = world.warnings();
    let found = warnings
        .iter()
        .any(|w| ["'water'", "compressed by", "`compliance`", "dt"].iter().all(|part| w.contains(part)));
    assert!(found, "{warnings:?}");
}
