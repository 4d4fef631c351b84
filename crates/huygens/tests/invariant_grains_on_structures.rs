//! Grains that meet flexible structures: momentum, closed forms, restart, wrong input.

use std::f64::consts::PI;

use glam::DVec3;
use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};
use huygens_core::integrator::Integrator;

const LENGTH: f64 = 0.1;
const RADIUS: f64 = 2e-3;
const DENSITY: f64 = 1000.0;
const PIECES: usize = 8;

/// Mass per length of the rod [kg/m].
const LINE: f64 = DENSITY * PI * RADIUS * RADIUS;

fn world(gravity: [f64; 3], dt: f64) -> World {
    let mut world = World::new(gravity);
    world.settings_mut().dt = dt;
    let rubber =
        MaterialSpec { restitution: 0.6, friction: 0.0, ..MaterialSpec::elastic("rubber", 1e6, 0.3) };
    world.add_material(rubber).unwrap();
    world
}

fn rod(element: ElementType, young: f64) -> StructureSpec {
    StructureSpec {
        section: Some(SectionSpec::circle(RADIUS)),
        material: Some(ElasticSpec::new(young, 0.3, DENSITY)),
        contact: Some(StructureContactSpec {
            material: Some("rubber".into()),
            ..StructureContactSpec::default()
        }),
        ..StructureSpec::beam("rod", element, [0.0; 3], [LENGTH, 0.0, 0.0], PIECES)
    }
}

fn grains(particles: ParticlesSpec) -> GrainsSpec {
    GrainsSpec { material: Some("rubber".into()), ..GrainsSpec::new("sand") }
        .with_wall(WallSpec::structure("line", "rod"))
        .with_particles(particles)
}

/// Momentum and angular momentum of a world with one cable and frictionless grains of one mass.
fn momenta(world: &mut World) -> [DVec3; 2] {
    let sand = world.grains("sand").unwrap();
    let [x, v, m] = [GrainField::Position, GrainField::Velocity, GrainField::Mass]
        .map(|field| world.grain_field(sand, field).unwrap());
    let mut out = [DVec3::ZERO; 2];
    for (k, m) in m.iter().enumerate() {
        let (x, v) = (DVec3::from_slice(&x[3 * k..]), DVec3::from_slice(&v[3 * k..]));
        out[0] += *m * v;
        out[1] += *m * x.cross(v);
    }
    // Cubic pieces between nodes of a position and a slope: four points of Gauss are exact.
    let state = world.state().unwrap();
    let l = LENGTH / PIECES as f64;
    let points = [1.0, -1.0].map(|s: f64| {
        let t = (3.0 / 7.0 - s * 2.0 / 7.0 * 1.2f64.sqrt()).sqrt();
        (t, (18.0 + s * 30.0f64.sqrt()) / 72.0)
    });
    let points = points.iter().flat_map(|(t, w)| [(0.5 - 0.5 * t, *w), (0.5 + 0.5 * t, *w)]);
    for (t, weight) in points {
        let shape = [
            1.0 - 3.0 * t * t + 2.0 * t * t * t,
            l * (t - 2.0 * t * t + t * t * t),
            3.0 * t * t - 2.0 * t * t * t,
            l * (t * t * t - t * t),
        ];
        for piece in 0..PIECES {
            let at = |x: &[f64]| -> DVec3 {
                (0..4).map(|k| shape[k] * DVec3::from_slice(&x[6 * piece + 3 * k..])).sum()
            };
            let momentum = weight * l * LINE * at(&state.v);
            out[0] += momentum;
            out[1] += at(&state.q).cross(momentum);
        }
    }
    out
}

#[test]
fn a_grain_that_hits_a_free_rod_shares_its_momentum() {
    for (law, integrator) in [
        (ContactLaw::Rigid, None),
        (ContactLaw::Compliant, Some(Integrator::GeneralizedAlpha { rho: 0.6 })),
        (ContactLaw::Compliant, Some(Integrator::Hht { alpha: -0.2 })),
    ] {
        let mut world = world([0.0; 3], 2e-5);
        world.settings_mut().integrator = integrator;
        world.settings_mut().contact.law = law;
        let cable = world.add_structure(rod(ElementType::Cable, 1e8)).unwrap();
        let ball = ParticlesSpec {
            velocity: [0.1, 0.0, -0.5],
            ..ParticlesSpec::spheres(vec![[0.08, 1e-3, 6e-3]], 3e-3, 2500.0)
        };
        let sand = world.add_grains(grains(ball)).unwrap();
        world.initialize().unwrap();
        let start = momenta(&mut world);
        world.run(0.02).unwrap();
        let end = momenta(&mut world);
        let v = world.grain_field(sand, GrainField::Velocity).unwrap();
        assert!(v[2] > -0.4, "{v:?}");
        assert!(start[0].distance(end[0]) < 1e-9 * start[0].length(), "{integrator:?} {start:?} {end:?}");
        assert!(start[1].distance(end[1]) < 1e-5 * start[1].length(), "{integrator:?} {start:?} {end:?}");
        // The end that was hit goes down, the other one up.
        let rate = |node: &str| world.node_motion(cable, node).unwrap().velocity.z;
        assert!(rate("end") < -0.2 && rate("start") > 0.0, "{} {}", rate("end"), rate("start"));
    }
}

#[test]
fn a_heavy_grain_bends_a_clamped_rod() {
    let (young, place, ball, g) = (2e8, 0.6875 * LENGTH, 5e-3, 9.81);
    let weight = 8000.0 * 4.0 / 3.0 * PI * ball * ball * ball * g;
    for element in [ElementType::Cable, ElementType::Beam, ElementType::Rod3] {
        let mut world = world([0.0, 0.0, -g], 2e-4);
        let made = world
            .add_structure(StructureSpec {
                fixed: vec![FixedSpec::all("start")],
                damping: StructureDampingSpec { stiffness: 0.01, ..StructureDampingSpec::default() },
                ..rod(element, young)
            })
            .unwrap();
        // Four sides keep it from rolling off; nothing rubs.
        let side = 2.0 * ball * (1.0 + 1e-6);
        let guide = WallSpec::cuboid("guide", [side, side, 0.1], &[WallFace::UpperZ, WallFace::LowerZ]);
        let spec = grains(ParticlesSpec::spheres(vec![[place, 0.0, RADIUS + ball]], ball, 8000.0));
        let sand = world.add_grains(spec.with_wall(guide.at([place, 0.0, 0.0]))).unwrap();
        world.run(0.45).unwrap();
        let (force, torque) = world.wall_force(sand, "line").unwrap();
        assert!((force[2] / -weight - 1.0).abs() < 1e-3, "{element:?} {force:?} {weight}");
        assert!((torque[1] / (weight * place) - 1.0).abs() < 0.01, "{element:?} {torque:?}");
        let bending = young * PI * RADIUS.powi(4) / 4.0;
        let own = LINE * g * LENGTH.powi(4) / (8.0 * bending);
        let tip = -world.node_motion(made, "end").unwrap().position.z;
        let exact = weight * place * place * (3.0 * LENGTH - place) / (6.0 * bending);
        assert!(((tip - own) / exact - 1.0).abs() < 0.02, "{element:?} {tip} {own} {exact}");
        // Another object in between takes the model apart; the rod keeps what bends it.
        let inertia = Some(Inertia::diagonal([1.0; 3]));
        world
            .add_body(BodySpec { position: [1.0; 3], mass: Some(1.0), inertia, ..BodySpec::dynamic("late") })
            .unwrap();
        world.run(0.46).unwrap();
        let later = -world.node_motion(made, "end").unwrap().position.z;
        assert!((later / tip - 1.0).abs() < 1e-3, "{element:?} {tip} {later}");
    }
}

#[test]
fn a_restart_and_other_threads_go_on_with_the_same_bits() {
    let build = |threads: usize| {
        let mut world = world([0.0, 0.0, -9.81], 1e-4);
        world.set_threads(threads).unwrap();
        world
            .add_structure(StructureSpec {
                fixed: vec![FixedSpec::all("start")],
                ..rod(ElementType::Rod, 1e8)
            })
            .unwrap();
        let rain =
            (0..12).map(|k| [8e-3 * f64::from(k), 3e-4 * f64::from(k % 3), 4e-3 + 1e-3 * f64::from(k % 4)]);
        world.add_grains(grains(ParticlesSpec::spheres(rain.collect(), 1.5e-3, 2500.0))).unwrap();
        world
    };
    let mut whole = build(1);
    let sand = whole.grains("sand").unwrap();
    // In the middle of an impact, after some.
    whole.run(0.015).unwrap();
    while whole.wall_force(sand, "line").unwrap().0[2] == 0.0 && whole.time() < 0.03 {
        whole.step().unwrap();
    }
    let push = whole.wall_force(sand, "line").unwrap().0[2];
    let (chunks, hash) = (whole.save().unwrap(), whole.state_hash());
    assert!(push < 0.0, "{push} at {}", whole.time());
    let mut again = build(2);
    again.restore_chunks(|n| chunks.iter().find(|c| c.0 == n).map(|c| c.1.as_slice())).unwrap();
    assert_eq!(again.state_hash(), hash);
    whole.run(0.04).unwrap();
    again.run(0.04).unwrap();
    assert_eq!(whole.state_hash(), again.state_hash());
}

#[test]
fn wrong_walls_are_refused() {
    let line = "generate = { type = \"beam\", from = [0, 0, 0], to = [1, 0, 0], pieces = 2 }\nsection = { radius = 0.01 }";
    let cube =
        "element = \"tetrahedron\"\ngenerate = { type = \"block\", size = [1, 1, 1], cells = [1, 1, 1] }";
    let steel = "material = { young = 2e11, poisson = 0.3, density = 7850 }";
    for (structure, wall, expected) in [
        (line, "structure = \"rods\"", ["structure 'rods', which does not exist", "'rod'"]),
        (line, "structure = \"rod\"", ["structure 'rod' has no contact surface", "`contact`"]),
        (cube, "structure = \"rod\"", ["structure 'rod' has solid elements", "only lines"]),
        (line, "visible = true", ["a wall of type structure has no `visible`", "wall 'w'"]),
        (line, "position = [0, 0, 1]", ["a wall of type structure has no `position`", "wall 'w'"]),
        (line, "material = \"default\"", ["a wall of type structure needs `structure`", "wall 'w'"]),
    ] {
        let contact = if expected[0].contains("no contact") { "" } else { "contact = {}" };
        let text = format!(
            "[[structures]]\nname = \"rod\"\n{structure}\n{steel}\n{contact}\n[[grains]]\nname = \"sand\"\n\
             [[grains.walls]]\nname = \"w\"\ntype = \"structure\"\n{wall}\n"
        );
        let scene = load_scene_text("test.toml", &text, Format::Toml, &LoadOptions::default());
        let error = match scene.and_then(|s| s.world()) {
            Ok(_) => panic!("this was not refused:\n{text}"),
            Err(error) => error.to_string(),
        };
        for part in expected {
            assert!(error.contains(part), "{text}\nsays: {error}\nwithout: {part}");
        }
    }
}
