//! Bodies, structures, grains and fluids in one world: momentum, roll-back of steps that fail, threads, restart, and
//! objects that are added while the world moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::DVec3;
use huygens::prelude::*;
use huygens_core::System;
use huygens_core::integrator::Integrator;
use huygens_exec::{Exec, Stop};

const DT: f64 = 2e-4;

/// A box and a cable in a drop of water, with grains that fly at all of them; in a tank where there is gravity.
fn busy(gravity: f64) -> World {
    let mut world = World::new([0.0, 0.0, -gravity]);
    world.settings_mut().dt = DT;
    world.settings_mut().integrator = Some(Integrator::Euler);
    let rubber =
        MaterialSpec { restitution: 0.6, friction: 0.3, ..MaterialSpec::elastic("rubber", 1e6, 0.3) };
    world.add_material(rubber).unwrap();
    let float = BodySpec {
        position: [0.05, 0.0, 0.055],
        mass: Some(0.6),
        inertia: Some(Inertia::diagonal([1e-3; 3])),
        shapes: vec![ShapeSpec { material: Some("rubber".into()), ..ShapeSpec::cuboid([0.02, 0.02, 0.02]) }],
        velocity: [0.05, 0.0, -0.1],
        ..BodySpec::dynamic("float")
    };
    world.add_body(float).unwrap();
    world
        .add_structure(StructureSpec {
            section: Some(SectionSpec::circle(0.004)),
            material: Some(ElasticSpec::new(1e7, 0.3, 1.5e5)),
            contact: Some(StructureContactSpec {
                material: Some("rubber".into()),
                ..StructureContactSpec::default()
            }),
            ..StructureSpec::beam("rod", ElementType::Cable, [0.02, 0.0, 0.02], [0.02, 0.0, 0.08], 3)
        })
        .unwrap();
    let positions = vec![[0.05, 0.0, 0.071], [0.0135, 0.0, 0.07], [0.09, 0.0, 0.055], [0.0905, 0.0, 0.0605]];
    let particles = ParticlesSpec {
        velocities: vec![[0.0, 0.0, -0.5], [0.4, 0.0, 0.0], [-1.5, 0.0, 0.1], [-1.0, 0.1, 0.0]],
        ..ParticlesSpec::spheres(positions, 2.5e-3, 2500.0)
    };
    let sand = GrainsSpec {
        material: Some("rubber".into()),
        step: GrainStep::Seconds(DT / 3.0),
        ..GrainsSpec::new("sand")
    };
    let sand = sand.with_wall(WallSpec::structure("line", "rod")).with_wall(WallSpec::body("box", "float"));
    world.add_grains(sand.with_particles(particles)).unwrap();
    let mut water = FluidSpec {
        plane: Some(FlowPlane::Xz),
        max_speed: Some(1.0),
        bodies: vec!["float".into()],
        structures: vec!["rod".into()],
        ..FluidSpec::new("water", 0.004)
    }
    .with_fill(FluidFillSpec::between([0.0, 0.0, 0.0], [0.08, 0.0, 0.05]));
    if gravity > 0.0 {
        let tank = FluidWallSpec::tank("tank", [0.0; 3], [0.08, 0.0, 0.12], &[WallFace::UpperZ]);
        water = water.with_wall(tank);
    }
    world.add_fluid(water).unwrap();
    world
}

fn take_steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step().unwrap();
    }
}

/// Linear momentum of bodies and structures, from the mass matrix of the model.
fn momentum_in_model(world: &World) -> DVec3 {
    let (model, state) = (world.model().unwrap(), world.state().unwrap());
    let mut system = System::new(Arc::new(model.clone()), Exec::serial());
    system.load(state);
    system.update(&state.history);
    let mut y = vec![0.0; state.v.len()];
    system.add_mass_product(&state.v, &mut y);
    // A translation moves the first three columns of every block: of the body, and of nodes with slopes.
    (0..model.block_count()).map(|b| DVec3::from_slice(&y[model.block_column(b)..])).sum()
}

fn momentum(world: &mut World) -> DVec3 {
    let sand = world.grains("sand").unwrap();
    let (v, m) = (
        world.grain_field(sand, GrainField::Velocity).unwrap(),
        world.grain_field(sand, GrainField::Mass).unwrap(),
    );
    let grains: DVec3 = m.iter().zip(v.chunks_exact(3)).map(|(m, v)| *m * DVec3::from_slice(v)).sum();
    let water = world.measure_fluid("water", "momentum", None).unwrap();
    momentum_in_model(world) + grains + DVec3::from_slice(&water)
}

#[test]
fn body_grains_fluid_and_structure_exchange_momentum_exactly() {
    let mut world = busy(0.0);
    world.initialize().unwrap();
    let (start, own) = (momentum(&mut world), momentum_in_model(&world));
    let scale = own.length() + 0.6 * 0.1;
    for step in 0..150 {
        world.step().unwrap();
        let now = momentum(&mut world);
        assert!((now - start).length() < 1e-12 * scale, "step {step}: {:e}", (now - start).length() / scale);
    }
    // Each of them took part.
    let sand = world.grains("sand").unwrap();
    let pushed = |world: &World, wall: &str| DVec3::from(world.wall_force(sand, wall).unwrap().0).length();
    assert!((momentum_in_model(&world) - own).length() > 1e-3 * scale);
    let mut felt = [0.0f64; 2];
    let mut again = busy(0.0);
    for _ in 0..150 {
        again.step().unwrap();
        felt = [felt[0].max(pushed(&again, "line")), felt[1].max(pushed(&again, "box"))];
    }
    assert!(felt.iter().all(|f| *f > 0.0), "{felt:?}");
    let water = world.fluid("water").unwrap();
    assert!(["float", "rod"].iter().all(|on| world.fluid_force(water, on).unwrap().0 != [0.0; 3]));
}

#[test]
fn threads_and_restart_give_the_same_bits_with_all_sub_systems() {
    let mut whole = busy(9.81);
    take_steps(&mut whole, 60);
    let mut threads = busy(9.81);
    threads.set_threads(3).unwrap();
    take_steps(&mut threads, 60);
    assert_eq!(whole.state_hash(), threads.state_hash());
    let mut half = busy(9.81);
    take_steps(&mut half, 23);
    let saved = half.save().unwrap();
    let mut rest = busy(9.81);
    rest.restore_chunks(|name| saved.iter().find(|c| c.0 == name).map(|c| c.1.as_slice())).unwrap();
    assert_eq!(rest.state_hash(), half.state_hash());
    assert!(rest.state() == half.state());
    take_steps(&mut rest, 37);
    assert_eq!(rest.state_hash(), whole.state_hash());
}

/// Runs a world that is made to fail every few steps beside one that is not: both end with the same bits, and a failed
/// step leaves none of its own.
fn fails_and_recovers(
    mut world: World,
    mut fail: impl FnMut(&mut World, bool),
    wanted: impl Fn(&WorldError) -> bool,
) {
    let mut twin = busy(9.81);
    for step in 0..40 {
        // Neither after every step nor at the same distance from the last copy of a block.
        if step % 7 == 5 || step == 20 {
            world.initialize().unwrap();
            fail(&mut world, true);
            world.initialize().unwrap();
            let before = world.state_hash();
            let (q, state) = (world.state().unwrap().q.as_ptr(), world.state().unwrap().copy().unwrap());
            let error = world.step().unwrap_err();
            assert!(wanted(&error), "{error}");
            assert_eq!(world.state_hash(), before, "step {step}");
            assert!(*world.state().unwrap() == state);
            assert_eq!(world.state().unwrap().q.as_ptr(), q, "views of the state stay");
            fail(&mut world, false);
        }
        world.step().unwrap();
        twin.step().unwrap();
    }
    assert_eq!(world.state_hash(), twin.state_hash());
}

#[test]
fn a_sub_system_that_is_stopped_half_way_is_taken_back() {
    let asked = Arc::new(AtomicBool::new(false));
    let mut world = busy(9.81);
    world.set_stop(Stop::when(asked.clone())).unwrap();
    fails_and_recovers(world, |_, on| asked.store(on, Ordering::Relaxed), WorldError::is_stopped);
}

/// A spring from far away whose force a law gives.
fn user_spring() -> ForceSpec {
    let (a, b) = ("ground".into(), "float".into());
    ForceSpec::Spring(SpringSpec {
        name: "user".into(),
        a,
        b,
        point_a: [0.0, 0.0, 3.0],
        ..SpringSpec::default()
    })
}

#[test]
fn a_body_that_fails_takes_grains_and_fluids_back() {
    let broken = Arc::new(AtomicBool::new(false));
    let mut world = busy(9.81);
    let law = broken.clone();
    let law = ForceLaw(Arc::new(move |_, _, _| if law.load(Ordering::Relaxed) { f64::NAN } else { 0.0 }));
    world.add_force_law(user_spring(), law).unwrap();
    let non_finite = |e: &WorldError| e.to_string().contains("not finite");
    let mut twin = busy(9.81);
    twin.add_force_law(user_spring(), ForceLaw(Arc::new(|_, _, _| 0.0))).unwrap();
    for step in 0..30 {
        if step % 4 == 3 {
            let before = world.state_hash();
            broken.store(true, Ordering::Relaxed);
            let error = world.step().unwrap_err();
            assert!(non_finite(&error), "{error}");
            assert_eq!(world.state_hash(), before, "step {step}");
            broken.store(false, Ordering::Relaxed);
        }
        world.step().unwrap();
        twin.step().unwrap();
    }
    assert_eq!(world.state_hash(), twin.state_hash());
}

#[test]
fn a_check_after_the_step_takes_all_of_it_back() {
    let world = busy(9.81);
    let narrow = |world: &mut World, on: bool| {
        let high = if on { 0.05 } else { 10.0 };
        world.settings_mut().bounds = Some([[-10.0; 3], [10.0, 10.0, high]]);
    };
    fails_and_recovers(world, narrow, |e| matches!(e, WorldError::LeftBounds { .. }));
}

#[test]
fn an_object_that_is_added_leaves_the_others_their_state() {
    let mut world = busy(9.81);
    take_steps(&mut world, 30);
    let before = world.state().unwrap().copy().unwrap();
    let forces = |world: &World| {
        let (sand, water) = (world.grains("sand").unwrap(), world.fluid("water").unwrap());
        (world.wall_force(sand, "line").unwrap(), world.fluid_force(water, "float").unwrap())
    };
    let felt = forces(&world);
    let new = BodySpec {
        position: [5.0, 0.0, 0.0],
        mass: Some(1.0),
        inertia: Some(Inertia::diagonal([1.0; 3])),
        ..BodySpec::dynamic("new")
    };
    world.add_body(new).unwrap();
    world.initialize().unwrap();
    let after = world.state().unwrap();
    // The float comes first, then the new body, then the nodes.
    assert_eq!(after.q[..7], before.q[..7]);
    assert_eq!(after.q[14..], before.q[7..]);
    assert_eq!(after.v[12..], before.v[6..]);
    assert_eq!(after.boundaries, before.boundaries);
    assert_eq!(after.history, before.history);
    assert!(after.blocks == before.blocks);
    assert_eq!((after.step, after.time), (before.step, before.time));
    assert_eq!(forces(&world), felt);
    // What nobody touches does not change what the others do.
    let mut twin = busy(9.81);
    take_steps(&mut twin, 50);
    take_steps(&mut world, 20);
    let (a, b) = (world.state().unwrap(), twin.state().unwrap());
    let far = a.q[..7].iter().chain(&a.q[14..]).zip(&b.q).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(far < 1e-12, "{far:e}");
}
