//! Granular matter through worlds: walls, bodies that carry them, probes, recordings, wrong input.

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

const RADIUS: f64 = 1e-3;
const DENSITY: f64 = 2500.0;

fn mass() -> f64 {
    DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3)
}

fn world() -> World {
    let mut world = World::default();
    let glass = MaterialSpec { restitution: 0.5, friction: 0.5, ..MaterialSpec::elastic("glass", 5e6, 0.2) };
    world.add_material(glass).unwrap();
    world
}

fn floor() -> WallSpec {
    WallSpec::plane("floor", [0.0; 3], [0.0, 0.0, 1.0])
}

fn sand(positions: Vec<[f64; 3]>) -> GrainsSpec {
    let sand = GrainsSpec { material: Some("glass".into()), ..GrainsSpec::new("sand") }.with_wall(floor());
    match positions.is_empty() {
        true => sand,
        false => sand.with_particles(ParticlesSpec::spheres(positions, RADIUS, DENSITY)),
    }
}

/// A lattice above the origin, a little shaken so that it falls apart.
fn lattice(side: i32, layers: i32) -> Vec<[f64; 3]> {
    let mut positions = Vec::new();
    for k in 0..layers {
        for j in 0..side {
            for i in 0..side {
                let shake = |n: i32| 0.05 * RADIUS * f64::from((7 * i + 13 * j + 29 * k + 5 * n) % 11 - 5);
                let at = |n: i32| 2.3 * RADIUS * (f64::from(n) - 0.5 * f64::from(side - 1));
                let z = 1.2 * RADIUS + 2.3 * RADIUS * f64::from(k);
                positions.push([at(i) + shake(0), at(j) + shake(1), z + shake(2)]);
            }
        }
    }
    positions
}

#[test]
fn a_bed_without_bodies_settles_and_the_floor_carries_it() {
    let mut world = world();
    let grains = lattice(4, 3);
    let count = grains.len();
    let tray = WallSpec::cuboid("tray", [0.01, 0.01, 0.02], &[WallFace::UpperZ, WallFace::LowerZ]);
    let sand = world.add_grains(sand(grains.clone()).with_wall(tray.at([0.0, 0.0, 0.01]))).unwrap();
    for (of, quantity) in
        [("sand", "count"), ("sand", "contact_count"), ("sand/floor", "force.z"), ("world", "energy")]
    {
        world.add_probe(ProbeSpec::new(of, quantity)).unwrap();
    }
    let start = world.energy().unwrap();
    let height: f64 = grains.iter().map(|p| p[2]).sum();
    assert!((start.potential - mass() * 9.81 * height).abs() < 1e-12 * start.potential);
    assert_eq!(start.kinetic, 0.0);
    let step = world.grain_step(sand).unwrap();
    assert!((1e-6..1e-4).contains(&step), "{step}");
    world.run(0.3).unwrap();
    assert_eq!(world.time(), 0.3);
    let mut values = Vec::new();
    world.probe_values(&mut values).unwrap();
    assert_eq!(values[0], count as f64);
    assert!(values[1] > count as f64, "{values:?}");
    let weight = count as f64 * mass() * 9.81;
    assert!((values[2] / -weight - 1.0).abs() < 0.05, "{values:?} for {weight}");
    assert!(values[3] < start.total());
    let energy = world.energy().unwrap();
    assert!(energy.kinetic < 1e-4 * weight * RADIUS, "{energy:?}");
    assert_eq!(world.wall_force(sand, "floor").unwrap().0[2], values[2]);
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());
    // Fields come in the order of ids, whatever the engine does.
    assert_eq!(world.grain_ids(sand).unwrap(), (0..count as u64).collect::<Vec<_>>());
    let places = world.grain_field(sand, GrainField::Position).unwrap();
    for (now, start) in places.chunks_exact(3).zip(&grains) {
        let moved = (now[0] - start[0]).hypot(now[1] - start[1]);
        assert!(moved < 4.0 * RADIUS && now[2] > 0.9 * RADIUS, "{now:?} {start:?}");
    }
    let masses = world.grain_field(sand, GrainField::Mass).unwrap();
    assert!(masses.iter().all(|m| (m / mass() - 1.0).abs() < 1e-12));
}

#[test]
fn a_run_gives_the_same_bits_on_any_number_of_threads_and_however_it_is_cut() {
    let hash = |threads: usize, cuts: &[f64]| {
        let mut world = world();
        world.add_grains(sand(lattice(5, 4))).unwrap();
        world.set_threads(threads).unwrap();
        cuts.iter().for_each(|until| world.run(*until).unwrap());
        world.state_hash()
    };
    let one = hash(1, &[0.05]);
    assert_eq!(one, hash(2, &[0.05]));
    assert_eq!(one, hash(1, &[0.02, 0.03, 0.05]));
    assert_ne!(one, hash(1, &[0.049]));
}

#[test]
fn a_body_rests_on_grains_by_the_wall_it_carries() {
    let mut world = world();
    world.settings_mut().dt = 1e-4;
    let plate = world
        .add_body(BodySpec {
            position: [0.0, 0.0, 2.05 * RADIUS],
            mass: Some(1e-3),
            shape: Some(Solid::Box { size: [0.02, 0.02, 0.002] }),
            ..BodySpec::dynamic("plate")
        })
        .unwrap();
    let s = 6e-3;
    let corners = vec![[-s, -s, RADIUS], [s, -s, RADIUS], [-s, s, RADIUS], [s, s, RADIUS]];
    // The lower face of the plate: a plane that looks down.
    let face = WallSpec::plane("face", [0.0; 3], [0.0, 0.0, -1.0]).on("plate");
    let sand = world.add_grains(sand(corners).with_wall(face)).unwrap();
    world.add_probe(ProbeSpec::new("sand/face", "force.z")).unwrap();
    world.run(0.3).unwrap();
    let (z, v) = (world.body_position(plate).unwrap()[2], world.body_velocity(plate).unwrap()[2]);
    assert!(z < 2.0 * RADIUS && z > 1.9 * RADIUS && v.abs() < 1e-4, "{z} {v}");
    let lift = world.wall_force(sand, "face").unwrap().0[2];
    assert!((lift / (1e-3 * 9.81) - 1.0).abs() < 0.01, "{lift}");
    let load = -world.wall_force(sand, "floor").unwrap().0[2];
    assert!((load / ((1e-3 + 4.0 * mass()) * 9.81) - 1.0).abs() < 0.01, "{load}");
    // Another object in between takes the model apart; the plate keeps what carries it.
    world
        .add_body(BodySpec {
            position: [1.0, 0.0, 0.0],
            mass: Some(1.0),
            inertia: Some(Inertia::diagonal([1.0; 3])),
            ..BodySpec::dynamic("late")
        })
        .unwrap();
    world.run(0.31).unwrap();
    assert!((world.body_position(plate).unwrap()[2] - z).abs() < 1e-6);
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    let build = || {
        let mut world = world();
        world.settings_mut().dt = 2e-4;
        let ball =
            BodySpec { position: [0.0, 0.0, 0.02], density: Some(2000.0), ..BodySpec::dynamic("ball") };
        world.add_body(ball.with_shape(ShapeSpec::sphere(4e-3))).unwrap();
        let shaker = MotionSpec {
            translation: [
                Function::Sine { amplitude: 1e-4, frequency: 60.0, phase: 0.0, offset: 0.0 },
                Function::constant(0.0),
                Function::constant(0.0),
            ],
            ..MotionSpec::default()
        };
        let tray = WallSpec::cuboid("tray", [0.014, 0.014, 0.1], &[]).at([0.0, 0.0, 0.05]);
        let tray = tray.moved(shaker);
        let spec = sand(lattice(5, 4)).with_wall(tray).with_wall(WallSpec::body("skin", "ball"));
        world.add_grains(spec).unwrap();
        world
    };
    let mut whole = build();
    whole.run(0.03).unwrap();
    let (chunks, hash) = (whole.save().unwrap(), whole.state_hash());
    let mut again = build();
    again.restore_chunks(|n| chunks.iter().find(|c| c.0 == n).map(|c| c.1.as_slice())).unwrap();
    assert_eq!(again.state_hash(), hash);
    whole.run(0.06).unwrap();
    again.run(0.06).unwrap();
    assert_eq!(whole.state_hash(), again.state_hash());
    // The ball comes to rest on the grains, whose mean push is its weight.
    whole.run(0.2).unwrap();
    let ball = whole.body("ball").unwrap();
    let z = whole.body_position(ball).unwrap()[2];
    assert!((5e-3..1.6e-2).contains(&z), "{z}");
    let sand = whole.grains("sand").unwrap();
    let mut lift = 0.0;
    for _ in 0..250 {
        whole.step().unwrap();
        lift += whole.wall_force(sand, "skin").unwrap().0[2] / 250.0;
    }
    let weight = 9.81 * whole.assembly().body(ball).unwrap().mass;
    assert!((lift / weight - 1.0).abs() < 0.1, "{lift} {weight}");
    // Grains of another number do not fit.
    let mut other = world();
    other.add_grains(GrainsSpec { name: "gravel".into(), ..sand_of_one() }).unwrap();
    let error = other.restore_chunks(|n| chunks.iter().find(|c| c.0 == n).map(|c| c.1.as_slice()));
    assert!(error.is_err());
}

fn sand_of_one() -> GrainsSpec {
    sand(vec![[0.0, 0.0, RADIUS]])
}

#[test]
fn a_moving_wall_takes_grains_along() {
    let mut world = world();
    let belt = MotionSpec {
        translation: [
            Function::Polynomial { coefficients: vec![0.0, 0.02] },
            Function::constant(0.0),
            Function::constant(0.0),
        ],
        ..MotionSpec::default()
    };
    let mut spec = sand(vec![[0.0, 0.0, RADIUS]]);
    spec.walls[0].mount.motion = Some(belt);
    let sand = world.add_grains(spec).unwrap();
    world.run(0.2).unwrap();
    // A ball on a belt that starts ends up rolling at 2/7 of its speed, or a little more as the arm of friction is
    // shorter than the radius by half the overlap; also where grains take one step in a step of the world.
    let v = world.grain_field(sand, GrainField::Velocity).unwrap();
    assert!((v[0] / 0.02 - 2.0 / 7.0).abs() < 1e-3, "{v:?}");
    let step = world.grain_step(sand).unwrap();
    world.settings_mut().dt = 0.9 * step;
    world.run(0.201).unwrap();
    let v = world.grain_field(sand, GrainField::Velocity).unwrap();
    assert!((v[0] / 0.02 - 2.0 / 7.0).abs() < 1e-3, "{v:?}");
}

/// Density [kg/m³] of balls that contact does not slow down: steps of bodies and grains are then the same.
const HEAVY: f64 = 1e27;

type Ball = (&'static str, [f64; 3], f64, [f64; 3], [f64; 3]);

/// Two balls that meet off their centres, sliding and spinning.
fn two_balls() -> [Ball; 2] {
    [
        ("left", [0.0; 3], 1e-3, [0.02, 0.01, 0.0], [3.0, 5.0, -7.0]),
        ("right", [2.23e-3, 0.91e-3, 0.7e-3], 1.5e-3, [-0.03, 0.0, 0.02], [1.0, -4.0, 2.0]),
    ]
}

#[test]
fn two_balls_push_each_other_alike_as_bodies_and_as_grains() {
    for tangential in
        [TangentialLaw::History, TangentialLaw::MindlinRescaled, TangentialLaw::Coulomb { speed: 1e-3 }]
    {
        let laws = CompliantModel { tangential, ..CompliantModel::default() };
        let made = || {
            let mut world = world();
            world.settings_mut().gravity = [0.0; 3];
            world.settings_mut().dt = 1e-5;
            world.settings_mut().contact.law = ContactLaw::Compliant;
            world.settings_mut().contact.compliant = laws;
            world
        };
        let (mut bodies, mut grains) = (made(), made());
        let ids = two_balls().map(|(name, position, radius, velocity, spin)| {
            let angular_velocity = Some(spin);
            let ball = BodySpec { position, velocity, angular_velocity, ..BodySpec::dynamic(name) };
            let ball = BodySpec { density: Some(HEAVY), ..ball };
            let shape = ShapeSpec { material: Some("glass".into()), ..ShapeSpec::sphere(radius) };
            bodies.add_body(ball.with_shape(shape)).unwrap()
        });
        let particles = two_balls().map(|(_, position, radius, velocity, spin)| ParticlesSpec {
            velocity,
            angular_velocities: vec![spin],
            ..ParticlesSpec::spheres(vec![position], radius, HEAVY)
        });
        let spec =
            GrainsSpec { material: Some("glass".into()), step: 1e-5.into(), ..GrainsSpec::new("sand") };
        let sand = grains.add_grains(GrainsSpec { particles: particles.to_vec(), ..spec }).unwrap();
        let (mut off, mut hardest, mut touching) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..200 {
            bodies.step().unwrap();
            grains.step().unwrap();
            let (force, torque) = bodies.body_contact_force(ids[1]).unwrap();
            let fields = [(force, GrainField::Force, 1.0), (torque, GrainField::Torque, 1e3)];
            touching += i32::from(force != [0.0; 3]);
            for (body, field, scale) in fields {
                let grain = grains.grain_field(sand, field).unwrap();
                for k in 0..3 {
                    off = off.max(scale * (body[k] - grain[3 + k]).abs());
                    hardest = hardest.max(body[k].abs());
                }
            }
        }
        assert!((100..190).contains(&touching), "{touching}");
        assert!(off < 1e-12 * hardest, "{tangential:?}: {off} of {hardest} N");
    }
}

#[test]
fn energy_of_grains_can_be_probed() {
    let mut world = world();
    let tray = WallSpec::cuboid("tray", [0.012, 0.012, 0.04], &[]).at([0.0, 0.0, 0.02]);
    // Some overlap at the start.
    world.add_grains(GrainsSpec { step: 3e-6.into(), ..sand(lattice(4, 4)) }.with_wall(tray)).unwrap();
    for quantity in ["kinetic_energy", "potential_energy", "elastic_energy", "dissipated_energy"] {
        world.add_probe(ProbeSpec::new("sand", quantity)).unwrap();
    }
    world.add_probe(ProbeSpec::new("world", "elastic_energy")).unwrap();
    let numbers = |world: &mut World| {
        let mut values = Vec::new();
        world.probe_values(&mut values).unwrap();
        values
    };
    let start = numbers(&mut world);
    world.run(0.05).unwrap();
    let end = numbers(&mut world);
    let sum = |values: &[f64]| values[..4].iter().sum::<f64>();
    let turned_over = start[1] + start[2] - end[1];
    assert!(start[2] > 0.0 && end[3] > 0.9 * turned_over && end[2] > 0.0, "{start:?} {end:?}");
    assert!((sum(&end) - sum(&start)).abs() < 1e-3 * turned_over, "{start:?} {end:?}");
    assert_eq!(end[4], end[2]);
}

#[test]
fn a_material_that_changes_leaves_grains_and_their_memory() {
    // A ball at rest on a slope, held by friction alone; the first of two left.
    let run = |change: bool| {
        let mut world = world();
        world.settings_mut().gravity = [2.0, 0.0, -9.6];
        let sand = world.add_grains(sand(vec![[0.1, 0.0, RADIUS], [0.0, 0.0, RADIUS]])).unwrap();
        world.run(0.05).unwrap();
        world.remove_particles(sand, &[0]).unwrap();
        if change {
            world.settings_mut().contact.compliant.slow_impact *= 2.0;
        }
        world.run(0.1).unwrap();
        assert_eq!(world.grain_ids(sand).unwrap(), [1]);
        let position = world.grain_field(sand, GrainField::Position).unwrap();
        (position, world.grain_system(sand).unwrap().time())
    };
    // That speed matters to damping by hysteresis only: nothing may change.
    assert_eq!(run(false), run(true));
}

#[test]
fn grains_come_and_go() {
    let mut world = world();
    let region = RegionSpec::between([-5e-3, -5e-3, 0.02], [5e-3, 5e-3, 0.03]);
    let spec = GrainsSpec {
        walls: Vec::new(),
        particles: Vec::new(),
        inlets: vec![InletSpec {
            name: "spout".into(),
            region,
            rate: Some(1000.0),
            radius: Some(RADIUS),
            density: DENSITY,
            velocity: [0.0, 0.0, -0.5],
            count: Some(50),
            ..InletSpec::default()
        }],
        outlets: vec![OutletSpec {
            name: "drain".into(),
            plane: Some(PlaneSpec { position: [0.0; 3], normal: [0.0, 0.0, -1.0] }),
            ..OutletSpec::default()
        }],
        ..sand(Vec::new())
    };
    let sand = world.add_grains(spec).unwrap();
    for (of, quantity) in [("sand/spout", "count"), ("sand/drain", "mass"), ("sand", "count")] {
        world.add_probe(ProbeSpec::new(of, quantity)).unwrap();
    }
    let stage = world.stage("grains").unwrap();
    let mut values = Vec::new();
    world.run(0.04).unwrap();
    world.probe_values(&mut values).unwrap();
    assert!(values[0] > 20.0 && values[0] < 45.0 && values[2] > 0.0, "{values:?}");
    let mut frame = stage.blank_frame();
    world.record(&mut frame).unwrap();
    let count = world.grain_count(sand).unwrap();
    assert_eq!(frame.groups[1].count, count);
    assert!(frame.groups[1].fields[3].is_sorted());
    // By hand, too.
    let ids = world.grain_ids(sand).unwrap();
    world.remove_particles(sand, &ids[..3]).unwrap();
    assert!(world.remove_particles(sand, &ids[..1]).is_err());
    let more = ParticlesSpec::spheres(vec![[0.1, 0.0, 0.2], [0.1, 0.0, 0.21]], RADIUS, DENSITY);
    let new = world.add_particles(sand, &more).unwrap();
    assert_eq!(world.grain_count(sand).unwrap(), count - 1);
    assert!(world.grain_ids(sand).unwrap().ends_with(&[new.start, new.start + 1]));
    world.run(0.3).unwrap();
    values.clear();
    world.probe_values(&mut values).unwrap();
    assert_eq!(values[0], 50.0);
    assert!((values[1] / (49.0 * mass()) - 1.0).abs() < 1e-12, "{values:?}");
    assert_eq!(values[2], 0.0);
}

#[test]
fn fills_are_seeded_and_wrong_ones_are_refused() {
    let fill = |seed: u64, fraction: f64| GrainFillSpec {
        seed,
        sizes: Some(SizesSpec::Uniform { least: 0.8 * RADIUS, most: RADIUS, by: ShareOf::Number }),
        radius: None,
        ..GrainFillSpec::new(
            RegionSpec::between([0.0; 3], [0.02, 0.02, 0.02]),
            PatternSpec::Random { solid_fraction: fraction },
            RADIUS,
            DENSITY,
        )
    };
    let made = |fill: GrainFillSpec| {
        let mut world = world();
        let sand = world.add_grains(sand(Vec::new()).with_fill(fill))?;
        world.grain_field(sand, GrainField::Position)
    };
    let one = made(fill(1, 0.4)).unwrap();
    assert!(one.len() > 300);
    assert_eq!(one, made(fill(1, 0.4)).unwrap());
    assert_ne!(one, made(fill(2, 0.4)).unwrap());
    assert!(made(fill(1, 0.8)).unwrap_err().to_string().contains("solid fraction"));
    let deep = made_of(vec![[0.0, 0.0, 0.01], [0.0, 0.0, 0.01 + RADIUS]]);
    assert!(deep.unwrap_err().to_string().contains("grains 0 and 1 overlap"));
}

fn made_of(positions: Vec<[f64; 3]>) -> Result<(), WorldError> {
    let mut world = world();
    world.add_grains(sand(positions))?;
    world.initialize().map(|_| ())
}

#[test]
fn drag_brings_a_grain_to_its_speed_of_fall() {
    let mut world = world();
    let flow = FlowSpec::Uniform { velocity: [0.3, 0.0, 0.0] };
    let drag = GrainDragSpec { viscosity: 1.0, flow, ..GrainDragSpec::default() };
    let spec = GrainsSpec { walls: Vec::new(), drag: Some(drag), ..sand_of_one() };
    let sand = world.add_grains(spec).unwrap();
    world.run(0.1).unwrap();
    let v = world.grain_field(sand, GrainField::Velocity).unwrap();
    let fall = mass() * 9.81 / (6.0 * std::f64::consts::PI * RADIUS);
    assert!((v[0] - 0.3).abs() < 1e-6 && (v[2] / -fall - 1.0).abs() < 1e-6, "{v:?} {fall}");
}

#[test]
fn periodic_axes_repeat_and_gravity_may_change() {
    let mut world = world();
    let mut spec = sand(vec![[0.0, 0.0, 0.01]]);
    spec.walls.clear();
    spec.periodic.z = Some([0.0, 0.02]);
    let sand = world.add_grains(spec).unwrap();
    world.run(0.05).unwrap();
    world.settings_mut().gravity = [0.0, 0.0, 9.81];
    world.run(0.1).unwrap();
    let v = world.grain_field(sand, GrainField::Velocity).unwrap();
    assert!(v[2].abs() < 1e-9, "{v:?}");
}

#[test]
fn a_recording_shows_grains_and_walls() {
    let mut world = world();
    let grains = lattice(3, 2);
    let drum = WallSpec::cylinder("drum", 0.02, 0.04);
    world.add_grains(sand(grains.clone()).with_wall(drum)).unwrap();
    let stage = world.stage("grains").unwrap();
    let names: Vec<&str> = stage.groups.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["bodies", "walls", "sand"]);
    assert_eq!(stage.groups[2].constant_values[0], vec![RADIUS as f32; grains.len()]);
    assert!(stage.batches.iter().all(|b| b.group == 1));
    world.run(0.01).unwrap();
    let mut frame = stage.blank_frame();
    world.record(&mut frame).unwrap();
    assert_eq!(frame.groups[1].count, 2);
    assert_eq!(frame.groups[2].count, grains.len());
    let x: Vec<f32> = frame.groups[2].fields[0].iter().step_by(3).copied().collect();
    assert!(x.iter().zip(&grains).all(|(x, p)| (f64::from(*x) - p[0]).abs() < RADIUS));
}

#[test]
fn a_step_that_is_too_long_is_warned_about() {
    let mut world = world();
    let spec = GrainsSpec { step: 1e-3.into(), ..sand(vec![[0.0, 0.0, RADIUS]]) };
    world.add_grains(spec).unwrap();
    world.initialize().unwrap();
    assert!(world.warnings()[0].contains("grains 'sand': step = 1e-3 s is long"), "{:?}", world.warnings());
}

#[test]
fn wrong_grains_are_refused_at_their_place() {
    let head = "[[materials]]\nname = \"glass\"\n[[grains]]\nname = \"sand\"\n";
    for (text, line, message) in [
        (
            "particles = [{ positions = [[0, 0, 1]], radius = -0.5, density = 2500 }]",
            5,
            "radius = -0.5 is not",
        ),
        (
            "particles = [{ positions = [[0, 0, 1]], radius = 0.5, density = 0 }]",
            5,
            "density = 0 is not allowed",
        ),
        ("particles = [{ positions = [[0, 0, 1]], density = 2500 }]", 5, "need a `radius`"),
        (
            "particles = [{ positions = [[0, 0, 1]], radii = [1, 2], density = 2500 }]",
            5,
            "2 radii do not fit 1",
        ),
        ("particles = [{ positions = [], radius = 1 }]", 5, "density"),
        ("material = \"gras\"", 5, "material 'gras', which does not exist"),
        ("step = \"fast\"", 5, "\"auto\" is needed"),
        ("step = -1e-5", 5, "step = -0.00001 is not allowed"),
        ("periodic = { x = [1, 0] }", 5, "[least, greatest]"),
        ("walls = [{ type = \"cylinder\", radius = 1 }]", 5, "a wall of type cylinder needs `length`"),
        ("walls = [{ type = \"plane\", radius = 1 }]", 5, "a wall of type plane has no `radius`"),
        ("walls = [{ type = \"plane\", body = \"wheel\" }]", 5, "body 'wheel', which does not exist"),
        (
            "walls = [{ type = \"plane\", name = \"a\" }, { type = \"disc\", radius = 1, name = \"a\" }]",
            5,
            "unique",
        ),
        ("walls = [{ type = \"plan\" }]", 5, "plan"),
        ("wals = []", 5, "wals"),
        ("laws = { normal = \"hertz\", flat_radius = 0 }", 5, "radius of flat contacts"),
        ("fills = [{ region = { type = \"box\", low = [0, 0, 0], high = [1, 1, 1] } }]", 5, "pattern"),
        (
            "inlets = [{ region = { type = \"sphere\", center = [0, 0, 0], radius = 1 }, radius = 0.1, density = 1 }]",
            5,
            "needs a `rate`",
        ),
        ("outlets = [{ name = \"drain\" }]", 5, "needs a `region`"),
        ("[[probes]]\nof = \"sand\"\nquantity = \"energy\"", 7, "it has count"),
        ("[[probes]]\nof = \"sand/flor\"\nquantity = \"force\"", 6, "no wall 'flor'"),
    ] {
        let text = format!("{head}{text}\n");
        let loaded = load_scene_text("test.toml", &text, Format::Toml, &LoadOptions::default());
        let error = loaded.and_then(|scene| scene.world().map(|_| ())).expect_err(&text);
        assert!(error.to_string().contains(message), "{text}\n{error}");
        assert_eq!(error.line, Some(line), "{text}\n{error}");
    }
}

#[test]
fn grains_of_a_scene_come_back_from_it() {
    let mut world = world();
    world
        .add_body(BodySpec {
            mass: Some(1.0),
            inertia: Some(Inertia::diagonal([1.0; 3])),
            ..BodySpec::dynamic("wheel")
        })
        .unwrap();
    let rim = WallType::Cylinder { radius: 0.1, length: 0.05, side: WallSide::Outside, ends: WallEnds::Open };
    let wheel = WallSpec::new("rim", rim).on("wheel");
    let (radii, side) = ([0.01, 0.05], WallSide::Inside);
    let cone = WallShape::Cone { radii, length: 0.1, side, ends: WallEnds::Lower }.into();
    let hopper = WallSpec::new("hopper", cone);
    let spec = GrainsSpec { step: 1e-5.into(), ..sand(lattice(2, 2)) }.with_wall(wheel).with_wall(hopper);
    world.add_grains(spec.clone()).unwrap();
    let scene = world.to_scene();
    assert_eq!(scene.grains, [spec]);
    let json = serde_json::to_value(&scene).unwrap();
    let back: Scene = huygens::scene::spec_from_json(&json).unwrap();
    assert_eq!(back, scene);
    let mut again = World::from_scene(&back).unwrap();
    world.run(0.01).unwrap();
    again.run(0.01).unwrap();
    assert_eq!(world.state_hash(), again.state_hash());
}
