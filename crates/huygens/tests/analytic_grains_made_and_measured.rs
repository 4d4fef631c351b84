//! Clumps, rain, meshes and files of grains, and what is measured of them, through worlds.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use huygens::prelude::*;

const RADIUS: f64 = 2e-3;
const DENSITY: f64 = 2500.0;

fn world() -> World {
    let mut world = World::default();
    let glass = MaterialSpec { restitution: 0.3, friction: 0.5, ..MaterialSpec::elastic("glass", 2e6, 0.2) };
    world.add_material(glass).unwrap();
    world
}

fn sand() -> GrainsSpec {
    let floor = WallSpec::plane("floor", [0.0; 3], [0.0, 0.0, 1.0]);
    GrainsSpec { material: Some("glass".into()), ..GrainsSpec::new("sand") }.with_wall(floor)
}

fn tray(side: f64) -> WallSpec {
    let faces = [WallFace::UpperZ, WallFace::LowerZ];
    WallSpec::cuboid("tray", [side, side, 0.2], &faces).at([0.0, 0.0, 0.1])
}

/// Two spheres of 2 mm, their centres as far apart as their radius.
fn peanut() -> ClumpSpec {
    let half = 0.5 * RADIUS;
    ClumpSpec::new("peanut", &[([-half, 0.0, 0.0], RADIUS), ([half, 0.0, 0.0], RADIUS)], DENSITY)
}

/// Mass of one: two spheres less the lens they share.
fn peanut_mass() -> f64 {
    let d = RADIUS;
    let lens = PI * (4.0 * RADIUS + d) * (2.0 * RADIUS - d).powi(2) / 12.0;
    DENSITY * (8.0 / 3.0 * PI * RADIUS.powi(3) - lens)
}

#[test]
fn clumps_weigh_what_their_union_weighs_and_keep_their_shape() {
    let mut world = world();
    let placed = ClumpSpec { positions: vec![[0.0, 0.0, 0.05]], ..peanut() };
    let fill = GrainFillSpec {
        radius: None,
        density: None,
        clump: Some("peanut".into()),
        ..GrainFillSpec::new(
            RegionSpec::between([-0.01, -0.01, 0.0], [0.01, 0.01, 0.03]),
            PatternSpec::Cubic { spacing: 6.5e-3, jitter: 0.0 },
            1.0,
            1.0,
        )
    };
    let spec = GrainsSpec { clumps: vec![placed], fills: vec![fill], ..sand().with_wall(tray(0.02)) };
    let sand = world.add_grains(spec).unwrap();
    let states = world.clump_states(sand).unwrap();
    let count = states.masses.len();
    assert!(count > 20, "{count}");
    assert_eq!(world.grain_count(sand).unwrap(), 2 * count);
    let whole = peanut_mass() * count as f64;
    let near = |a: f64, b: f64, share: f64| assert!((a - b).abs() < share * b.abs(), "{a} is not {b}");
    near(states.masses[0], peanut_mass(), 1e-9);
    near(world.measure_grains("sand", "mass").unwrap()[0], whole, 1e-9);
    near(world.grain_field(sand, GrainField::Mass).unwrap().iter().sum(), whole, 1e-9);
    let height = states.positions.iter().map(|p| p[2]).sum::<f64>() / count as f64;
    near(world.measure_grains("sand", "center").unwrap()[2], height, 1e-9);

    world.run(0.5).unwrap();
    let places = world.grain_field(sand, GrainField::Position).unwrap();
    for pair in places.chunks_exact(6) {
        let distance = (0..3).map(|k| (pair[k] - pair[3 + k]).powi(2)).sum::<f64>().sqrt();
        near(distance, RADIUS, 1e-9);
    }
    // Once they lie still, the floor carries them, and the sides by friction what it does not.
    let carried = ["floor", "tray"].map(|wall| -world.wall_force(sand, wall).unwrap().0[2]);
    near(carried.iter().sum(), 9.81 * whole, 1e-6);
    // A stopped world goes on from its state, clumps and all.
    let saved = world.save().unwrap();
    world.run(0.51).unwrap();
    let hash = world.state_hash();
    let scene = world.to_scene();
    let mut again = World::from_scene(&scene).unwrap();
    again.restore_chunks(|n| saved.iter().find(|c| c.0 == n).map(|c| c.1.as_slice())).unwrap();
    again.run(0.51).unwrap();
    assert_eq!(again.state_hash(), hash);
}

#[test]
fn clumps_stay_when_laws_change() {
    let mut world = world();
    let placed = ClumpSpec { positions: vec![[0.0, 0.0, 0.01], [0.02, 0.0, 0.01]], ..peanut() };
    let loose = ParticlesSpec::spheres(vec![[0.0, 0.02, 0.01]], RADIUS, DENSITY);
    let sand = world.add_grains(GrainsSpec { clumps: vec![placed], ..sand() }.with_particles(loose)).unwrap();
    world.run(0.01).unwrap();
    let (before, mass) = (world.clump_states(sand).unwrap(), world.measure_grains("sand", "mass").unwrap());
    world.settings_mut().contact.compliant.normal = NormalLaw::Hooke { speed: 1.0 };
    assert_eq!(world.measure_grains("sand", "mass").unwrap(), mass);
    let after = world.clump_states(sand).unwrap();
    for (a, b) in before.positions.iter().flatten().zip(after.positions.iter().flatten()) {
        assert!((a - b).abs() < 1e-15);
    }
}

#[test]
fn rain_comes_to_rest_before_time_begins() {
    let mut world = world();
    let rain = PatternSpec::Rainfall { count: Some(300), mass: None, energy: None, longest: 5.0 };
    let region = RegionSpec::between([-0.015, -0.015, 0.0], [0.015, 0.015, 0.2]);
    let fill = GrainFillSpec::new(region, rain, RADIUS, DENSITY);
    let sand = world.add_grains(sand().with_wall(tray(0.03)).with_fill(fill)).unwrap();
    let mut looks = Vec::new();
    world
        .rain_grains(&mut |rain| {
            looks.push((rain.number, rain.share));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(looks.is_sorted_by(|a, b| a.0 <= b.0) && looks.last().is_some_and(|l| l.1 == 1.0));
    assert_eq!(world.time(), 0.0);
    assert_eq!(world.grain_count(sand).unwrap(), 300);
    let grain = DENSITY * 4.0 / 3.0 * PI * RADIUS.powi(3);
    let energy = world.measure_grains("sand", "kinetic_energy").unwrap()[0] / 300.0;
    assert!(energy < 1e-4 * grain * 9.81 * RADIUS, "{energy}");
    // Floor and tray carry them together from the first step on, and nothing moves far.
    let (before, mut load) = (world.measure_grains("sand", "center").unwrap()[2], 0.0);
    for _ in 0..50 {
        world.step().unwrap();
        for wall in ["floor", "tray"] {
            load -= world.wall_force(sand, wall).unwrap().0[2] / 50.0;
        }
    }
    let weight = 300.0 * grain * 9.81;
    assert!((load / weight - 1.0).abs() < 2e-3, "{load} of {weight}");
    let after = world.measure_grains("sand", "center").unwrap()[2];
    assert!((after - before).abs() < 1e-3 * RADIUS, "{before} {after}");
    let region = Some(RegionSpec::between([-0.01, -0.01, 0.004], [0.01, 0.01, 0.012]));
    let table = GrainTableSpec::SolidFraction { region, cells: None };
    let fraction = world.grain_table(sand, &table).unwrap().values[0];
    assert!((0.5..0.66).contains(&fraction), "{fraction}");
}

#[test]
fn grains_fill_a_mesh_and_come_from_a_file() {
    // A tetrahedron with a corner at each axis; its frame is 1 m up.
    let points = vec![[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let frame = Some(FrameSpec { position: [0.0, 0.0, 1.0], ..FrameSpec::default() });
    let mesh = FillMeshSpec { source: MeshSource::lists(points, triangles), frame };
    let pattern = PatternSpec::Hexagonal { spacing: 2.0 * RADIUS };
    let fill = GrainFillSpec {
        region: None,
        mesh: Some(mesh),
        ..GrainFillSpec::new(RegionSpec::default(), pattern, RADIUS, DENSITY)
    };
    let mut filled = world();
    let sand_id = filled.add_grains(sand().with_fill(fill)).unwrap();
    let places = filled.grain_field(sand_id, GrainField::Position).unwrap();
    assert!(places.len() > 3 * 100);
    let slack = RADIUS * (1.0 - 1e-9);
    for p in places.chunks_exact(3) {
        let (x, y, z) = (p[0], p[1], p[2] - 1.0);
        let slope = (0.1 - x - y - z) / 3_f64.sqrt();
        assert!(x > slack && y > slack && z > slack && slope > slack, "{p:?}");
    }

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bed.csv");
    std::fs::write(&file, "x,y,z,radius,vx,vy,vz\n0,0,0.01,0.001,1,0,0\n0.01,0,0.01,0.002,0,2,0\n").unwrap();
    let list = ParticlesSpec {
        file: Some(file.display().to_string()),
        density: DENSITY,
        ..ParticlesSpec::default()
    };
    let mut listed = world();
    let sand_id = listed.add_grains(sand().with_particles(list.clone())).unwrap();
    assert_eq!(listed.grain_field(sand_id, GrainField::Radius).unwrap(), [1e-3, 2e-3]);
    assert_eq!(listed.grain_field(sand_id, GrainField::Velocity).unwrap(), [1.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    for (text, message) in [
        ("x,y\n1,2\n", "has 2 numbers"),
        ("0,0,0,1\n0,0,a,1\n", "line 2"),
        ("0,0,0,1\n0,0,0\n", "line 2"),
        ("0,0,0,-1\n", "radius = -1"),
        ("x,y,z,r\n", "no grains"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = world().add_grains(sand().with_particles(list.clone())).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn grains_added_by_a_program_are_part_of_its_scene() {
    let mut one = world();
    let sand = one.add_grains(sand()).unwrap();
    one.add_particles(sand, &ParticlesSpec::spheres(vec![[0.0, 0.0, 0.01]], RADIUS, DENSITY)).unwrap();
    let mut two = World::from_scene(&one.to_scene()).unwrap();
    one.run(0.1).unwrap();
    two.run(0.1).unwrap();
    assert_eq!(one.state_hash(), two.state_hash());
}

/// Four balls on a square that each touch two others, one of them against the floor by its weight.
#[test]
fn measures_are_what_one_counts_by_hand() {
    let mut world = World::new([0.0; 3]);
    world.add_material(MaterialSpec::elastic("glass", 2e6, 0.2)).unwrap();
    // Overlaps of a hundredth of the radius.
    let d = 1.99 * RADIUS;
    let places = vec![[0.0, 0.0, 0.5], [d, 0.0, 0.5], [d, d, 0.5], [0.0, d, 0.5]];
    let velocities = vec![[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    let particles = ParticlesSpec { velocities, ..ParticlesSpec::spheres(places, RADIUS, DENSITY) };
    let measure =
        |name: &str, quantity| GrainMeasureSpec { name: name.into(), quantity, every: None, vtk: false };
    let region = Some(RegionSpec::between([-0.01, -0.01, 0.49], [0.01, 0.01, 0.51]));
    // Balls that pass each other would pull by friction.
    let (tangential, rolling, spinning) = (TangentialLaw::None, ResistanceLaw::None, ResistanceLaw::None);
    let spec = GrainsSpec {
        laws: Some(CompliantModel { tangential, rolling, spinning, ..CompliantModel::default() }),
        measures: vec![measure("stress", GrainTableSpec::Stress { region, cells: None })],
        ..sand().with_particles(particles)
    };
    let sand = world.add_grains(spec).unwrap();
    world.add_probe(ProbeSpec::new("sand", "coordination")).unwrap();
    world.add_probe(ProbeSpec::new("sand/stress", "pressure")).unwrap();
    assert!(world.measure_grains("sand/stress", "presure").unwrap_err().to_string().contains("pressure"));
    world.initialize().unwrap();
    let mut probes = Vec::new();
    world.probe_values(&mut probes).unwrap();
    assert_eq!(probes[0], 2.0);
    let grain = DENSITY * 4.0 / 3.0 * PI * RADIUS.powi(3);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * b.abs(), "{a} is not {b}");

    let mut table = |spec| world.grain_table(sand, &spec).unwrap();
    let profile = table(GrainTableSpec::VelocityProfile {
        axis: [0.0, 1.0, 0.0],
        span: [-RADIUS, 3.0 * RADIUS],
        bins: 2,
        region: None,
    });
    for (speed, expected) in profile.column("vx").unwrap().into_iter().zip([1.0, 3.0]) {
        near(speed, expected);
    }
    assert_eq!(profile.column("count").unwrap(), [2.0, 2.0]);
    near(table(GrainTableSpec::Temperature { region: None }).values[0], 1.0 / 3.0);
    let flow = GrainTableSpec::MassFlow {
        position: [0.5 * d, 0.0, 0.5],
        normal: [1.0, 0.0, 0.0],
        thickness: 0.02,
        radius: None,
    };
    near(table(flow).values[0], 8.0 * grain / 0.02);
    let cells = CellsSpec { low: [-0.01, -0.01, 0.49], high: [0.01, 0.01, 0.51], count: [2, 1, 1] };
    let fraction = table(GrainTableSpec::SolidFraction { region: None, cells: Some(cells) });
    near(fraction.column("solid_fraction").unwrap().iter().sum(), 4.0 * grain / DENSITY / 4e-6);
    let cells =
        CellsSpec { low: [-RADIUS, -RADIUS, 0.0], high: [3.0 * RADIUS, 3.0 * RADIUS, 1.0], count: [1, 2, 1] };
    let first = GrainKind::IdBelow(2);
    assert_eq!(table(GrainTableSpec::Segregation { cells, first, least: 1 }).values[..2], [1.0, 0.0]);
    // All four contacts are equally strong: more than nine tenths of the mean, and one chain.
    let chains = table(GrainTableSpec::ForceChains { share: 0.9 });
    assert_eq!(chains.column("chain").unwrap(), [0.0; 4]);
    // Forces f along branches of length d: σ_xx = 2 f d / V of two contacts along x.
    let force = chains.column("force").unwrap()[0];
    assert!(force > 0.0);
    let stress = table(GrainTableSpec::Stress {
        region: Some(RegionSpec::between([-0.01, -0.01, 0.49], [0.01, 0.01, 0.51])),
        cells: None,
    });
    let spread = (chains.column("force").unwrap().iter().sum::<f64>() - 4.0 * force).abs();
    assert!(spread < 1e-9 * force, "{spread}");
    near(stress.column("xx").unwrap()[0], 2.0 * force * d / 8e-6);
    near(probes[1], stress.column("pressure").unwrap()[0]);
    near(stress.column("kinetic_xx").unwrap()[0], 4.0 * grain / 8e-6);
}

#[test]
fn a_run_writes_measures_to_files() {
    let text = r#"
settings.until = 0.02
settings.dt = 1e-3
[[grains]]
name = "sand"
walls = [{ name = "floor", type = "plane" }]
fills = [{ region = { type = "box", low = [0, 0, 0], high = [0.04, 0.04, 0.02] }, pattern = { type = "cubic", spacing = 0.01 },
    radius = 0.005, density = 2500 }]
measures = [
  { name = "profile", every = 0.01, quantity = { type = "velocity_profile", axis = [0, 0, 1], span = [0, 0.02], bins = 2 } },
  { name = "cells", every = 0.01, vtk = true, quantity = { type = "solid_fraction",
    cells = { low = [0, 0, 0], high = [0.04, 0.04, 0.02], count = [2, 2, 1] } } },
]
"#;
    let folder = tempfile::tempdir().unwrap();
    let scene = huygens::scene::load_scene_text(
        "test.toml",
        text,
        huygens::scene::Format::Toml,
        &LoadOptions::default(),
    );
    let options = huygens::run::RunOptions { out: folder.path().join("out"), ..Default::default() };
    huygens::run::run_scene(&scene.unwrap(), &options, &mut |_| {}).unwrap();
    let read = |name: &str| std::fs::read_to_string(options.out.join(name)).unwrap();
    let profile = read("sand.profile.csv");
    let lines: Vec<&str> = profile.lines().collect();
    assert!(lines[0].starts_with("time [s],at [m],count"), "{}", lines[0]);
    // Two bins at 0, 0.01 and 0.02 s.
    assert_eq!(lines.len(), 1 + 3 * 2);
    assert_eq!(read("sand.cells.csv").lines().count(), 1 + 3 * 4);
    let image = read("sand.cells/sand.cells_00000.vti");
    assert!(image.contains("WholeExtent=\"0 2 0 2 0 1\"") && image.contains("Name=\"solid_fraction\""));
    let value = image.lines().find_map(|line| line.parse::<f64>().ok()).unwrap();
    assert!((value - PI / 6.0).abs() < 1e-6, "{value}");
    assert_eq!(read("sand.cells.pvd").matches("<DataSet").count(), 3);
}
