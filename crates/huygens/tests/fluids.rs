//! Fluids in worlds: closed forms, momentum, restart, threads, probes.

use glam::DVec3;
use huygens::prelude::*;

const G: f64 = 9.81;

fn world(gravity: f64, dt: f64) -> World {
    let mut world = World::new([0.0, 0.0, -gravity]);
    world.settings_mut().dt = dt;
    world
}

/// Water in the plane x–z.
fn water(spacing: f64) -> FluidSpec {
    FluidSpec { plane: Some(FlowPlane::Xz), artificial: 0.1, ..FluidSpec::new("water", spacing) }
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
fn block(density: f64, position: [f64; 3]) -> BodySpec {
    BodySpec {
        position,
        density: Some(density),
        shape: Some(Shape::Box { size: [0.04, 1.0, 0.04] }),
        ..BodySpec::dynamic("block")
    }
}

#[test]
fn a_block_that_water_hits_takes_the_momentum_that_the_water_loses() {
    let mut world = world(0.0, 2e-4);
    let body = world.add_body(block(500.0, [0.2, 0.3, 0.05])).unwrap();
    let jet = FluidFillSpec { velocity: [1.0, 0.0, 0.2], ..fill([0.0, 0.0], [0.15, 0.06]) };
    let spec = FluidSpec { max_speed: Some(2.0), ..water(0.005) }.with_fill(jet).with_body("block");
    let id = world.add_fluid(spec).unwrap();
    let momentum = |world: &mut World| {
        let [x, y, z] = world.measure_fluid("water", "momentum", None).unwrap()[..] else { panic!() };
        let mass = 500.0 * 0.04 * 0.04;
        DVec3::new(x, y, z) + mass * DVec3::from_array(world.body_velocity(body).unwrap())
    };
    let start = momentum(&mut world);
    world.run(0.1).unwrap();
    let v = world.body_velocity(body).unwrap();
    assert!(v[0] > 0.2 && v[1].abs() < 1e-12, "{v:?}");
    let spin = world.body_angular_velocity(body).unwrap();
    assert!(spin[1].abs() > 0.1 && spin[0].abs() + spin[2].abs() < 1e-9, "{spin:?}");
    let end = momentum(&mut world);
    assert!(start.distance(end) < 1e-11 * start.length(), "{start} {end}");
    assert!(world.fluid_force(id, "block").is_ok());
}

#[test]
fn water_lifts_a_held_block_by_the_weight_of_what_it_displaces() {
    let mut world = world(G, 5e-4);
    let held = BodySpec { kind: BodyType::Fixed, ..block(500.0, [0.1, 0.0, 0.06]) };
    world.add_body(held).unwrap();
    let spec = water(0.005).with_wall(tank(0.2, 0.2)).with_fill(fill([0.0; 2], [0.2, 0.12]));
    world.add_fluid(FluidSpec { artificial: 0.3, ..spec.with_body("block") }).unwrap();
    let mut sum = [0.0; 2];
    let mut count = 0.0;
    world.run(0.3).unwrap();
    while let Some(h) = world.next_step(0.5) {
        world.advance(h).unwrap();
        sum[0] += world.measure_fluid("water/block", "force.z", None).unwrap()[0];
        sum[1] += world.measure_fluid("water/tank", "force.z", None).unwrap()[0];
        count += 1.0;
    }
    let lift = 1000.0 * G * 0.04 * 0.04;
    assert!((sum[0] / count / lift - 1.0).abs() < 0.05, "{} {lift}", sum[0] / count);
    // Water and block together weigh on the tank as much as if the block were water.
    let weight = 1000.0 * G * 0.2 * 0.12;
    assert!((sum[1] / count / -weight - 1.0).abs() < 0.03, "{} {weight}", sum[1] / count);
    let surface = world.measure_fluid("water", "surface_height", Some([0.03, 5.0, 0.0])).unwrap()[0];
    assert!((surface - 0.12).abs() < 0.005, "{surface}");
    let pressure = world.measure_fluid("water", "pressure", Some([0.03, 0.0, 0.03])).unwrap()[0];
    assert!((pressure / (1000.0 * G * 0.09) - 1.0).abs() < 0.1, "{pressure}");
}

#[test]
fn a_moving_plate_drags_the_other_through_a_viscous_fluid() {
    // Couette flow: the shear stress is μ U / H everywhere.
    let (speed, height, length, viscosity) = (0.1, 0.02, 0.02, 10.0);
    let mut world = world(0.0, 1e-3);
    let (low, high) = between([0.0; 2], [length, height]);
    let plate = |name: &str, z: f64, up: f64| {
        FluidWallSpec::plane(name, [0.5 * length, 0.0, z], [0.0, 0.0, up], [length; 2])
    };
    let lid = plate("lid", height, -1.0).moved(MotionSpec {
        translation: [
            Function::Ramp { start_value: 0.0, slope: speed, start_time: 0.0, end_time: None },
            0.0.into(),
            0.0.into(),
        ],
        ..MotionSpec::default()
    });
    world
        .add_fluid(FluidSpec {
            periodic: PeriodicSpec { x: Some([0.0, length]), ..PeriodicSpec::default() },
            viscosity: Some(viscosity),
            max_speed: Some(1.0),
            fills: vec![FluidFillSpec::between(low, high)],
            walls: vec![plate("floor", 0.0, 1.0), lid],
            ..water(0.001)
        })
        .unwrap();
    // Slowest mode: H²ρ/(π²μ) = 4 ms.
    world.run(0.05).unwrap();
    let stress = viscosity * speed / height * length;
    for (of, sign) in [("water/floor", 1.0), ("water/lid", -1.0)] {
        let force = world.measure_fluid(of, "force.x", None).unwrap()[0];
        assert!((force / (sign * stress) - 1.0).abs() < 0.03, "{of} {force} {stress}");
    }
}

/// Water in a tank with a float, a stream in, a plane out, and a swaying paddle.
fn busy(threads: usize) -> World {
    let mut world = world(G, 1e-3);
    world.set_threads(threads).unwrap();
    world.add_body(block(400.0, [0.1, 0.0, 0.1])).unwrap();
    let paddle = FluidWallSpec::block("paddle", [0.18, 0.0, 0.02], [0.20, 0.0, 0.06]);
    let paddle = paddle.moved(MotionSpec {
        axis: [0.0, 1.0, 0.0],
        angle: Function::Sine { amplitude: 0.3, frequency: 5.0, phase: 0.0, offset: 0.0 },
        ..MotionSpec::default()
    });
    let spec = FluidSpec {
        inlets: vec![FluidInletSpec {
            name: "spout".into(),
            center: [0.25, 0.0, 0.15],
            velocity: [0.0, 0.0, -0.5],
            along: [1.0, 0.0, 0.0],
            size: [0.03, 0.0],
        }],
        outlets: vec![FluidOutletSpec {
            name: "drain".into(),
            position: [0.29, 0.0, 0.0],
            normal: [1.0, 0.0, 0.0],
        }],
        bounds: Some(FluidBoundsSpec { low: [-0.1; 3], high: [0.6; 3], closed: false }),
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
    let inflow = first.measure_fluid("water/spout", "mass", None).unwrap()[0];
    // 0.03 m at 0.5 m/s for 0.1 s, to a row of particles.
    assert!((inflow - 1.5).abs() < 0.31, "{inflow}");
}

#[test]
fn a_scene_of_a_fluid_is_read_back_as_it_was_written() {
    let mut first = busy(1);
    let scene = first.to_scene();
    let text = serde_json::to_string(&scene).unwrap();
    let again: Scene = serde_json::from_str(&text).unwrap();
    assert_eq!(scene, again);
    let mut second = World::from_scene(&again).unwrap();
    first.run(0.02).unwrap();
    second.run(0.02).unwrap();
    assert_eq!(first.state_hash(), second.state_hash());
}

#[test]
fn water_bends_a_cable_and_both_share_their_momentum() {
    let mut world = world(0.0, 1e-4);
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
    let spec = FluidSpec { max_speed: Some(2.0), structures: vec!["rod".into()], ..water(0.005) };
    let fluid = world.add_fluid(spec.with_fill(jet)).unwrap();
    let start = world.measure_fluid("water", "momentum", None).unwrap()[0];
    world.run(0.04).unwrap();
    let bent = world.node_motion(cable, "end").unwrap().position.x;
    assert!((bent - 0.1).abs() > 1e-4, "{bent}");
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
    assert!(rod > 0.05 * start, "{rod} {start}");
    assert!((end + rod - start).abs() < 1e-8 * start, "{start} {end} {rod}");
    assert!(
        world.fluid_field(fluid, FluidField::Density).unwrap().iter().all(|d| (900.0..1100.0).contains(d))
    );
}

#[test]
fn a_tank_on_a_scale_weighs_as_much_as_its_water() {
    let mut world = world(G, 5e-4);
    let pan =
        BodySpec { mass: Some(10.0), inertia: Some(Inertia::diagonal([1.0; 3])), ..BodySpec::dynamic("pan") };
    world.add_body(pan).unwrap();
    let joint = world.add_joint(JointSpec::new("hold", JointType::Fixed, "ground", "pan")).unwrap();
    let spec = water(0.005).with_wall(tank(0.1, 0.1).on("pan")).with_fill(fill([0.0; 2], [0.1, 0.05]));
    world.add_fluid(FluidSpec { artificial: 0.3, ..spec }).unwrap();
    world.run(0.2).unwrap();
    let mut sum = 0.0;
    for _ in 0..200 {
        world.step().unwrap();
        sum += world.joint_reaction(joint, Side::B, ReactionAxes::World).unwrap().0[2] / 200.0;
    }
    let weight = (10.0 + 1000.0 * 0.1 * 0.05) * G;
    assert!((sum / weight - 1.0).abs() < 0.01, "{sum} {weight}");
}

#[test]
fn a_block_of_half_the_density_floats_half_immersed() {
    let (side, width, depth) = (0.04, 0.16, 0.1);
    let mut world = world(G, 2.5e-4);
    let body = world.add_body(block(500.0, [0.08, 0.0, 0.1])).unwrap();
    let spec = water(0.005).with_wall(tank(width, 0.2)).with_fill(fill([0.0; 2], [width, depth]));
    let id = world.add_fluid(FluidSpec { artificial: 0.3, ..spec.with_body("block") }).unwrap();
    // Half the block is below the surface, which stands as high as water and this half together.
    let water = world.fluid_count(id).unwrap() as f64 * 0.005 * 0.005;
    let expected = (water + 0.5 * side * side) / width;
    world.run(0.6).unwrap();
    let (mut height, mut count) = (0.0, 0.0);
    while let Some(h) = world.next_step(1.0) {
        world.advance(h).unwrap();
        height += world.body_position(body).unwrap()[2];
        count += 1.0;
    }
    assert!((height / count - expected).abs() < 0.05 * side, "{} {expected}", height / count);
    let warnings = world.warnings();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_recording_shows_water_and_walls() {
    let mut world = busy(1);
    let stage = world.stage("water").unwrap();
    let names: Vec<&str> = stage.groups.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["bodies", "walls of fluids", "water"]);
    let fields: Vec<&str> = stage.groups[2].fields.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(fields, ["position", "velocity", "pressure", "density", "radius", "id"]);
    world.run(0.02).unwrap();
    let mut frame = stage.blank_frame();
    world.record(&mut frame).unwrap();
    let id = world.fluid("water").unwrap();
    let count = world.fluid_count(id).unwrap();
    // The paddle; the tank is around the water and not seen.
    assert_eq!([frame.groups[1].count, frame.groups[2].count], [1, count]);
    let places = world.fluid_field(id, FluidField::Position).unwrap();
    assert!(places.iter().zip(&frame.groups[2].fields[0]).all(|(a, b)| *a as f32 == *b));
    let densities = world.fluid_field(id, FluidField::Density).unwrap();
    assert!(densities.len() == count);
    assert!(densities.iter().zip(&frame.groups[2].fields[3]).all(|(a, b)| *a as f32 == *b));
}
