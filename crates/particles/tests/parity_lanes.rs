//! Grains and fluids on every instruction set of the machine: grains have the same bits on lanes of four and of eight,
//! fluids the same numbers up to the order of sums.

use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantMaterial, CompliantModel, DampingLaw, ResistanceLaw};
use huygens_particles::sph::{FluidSettings, FluidSystem, SolidMotion};
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};

/// Side of the box [m].
const SIDE: f64 = 0.12;

/// Grains of two materials and many sizes on a lattice of slightly overlapping spheres: several chunks, grains with more
/// than eight neighbours, and pairs that begin and cease to touch.
fn bed(model: CompliantModel, periodic: bool, instructions: InstructionSet) -> GrainSystem {
    let soft = CompliantMaterial { young: 1e6, rolling_friction: 2e-4, ..CompliantMaterial::default() };
    let hard =
        CompliantMaterial { young: 3e6, friction: 0.2, restitution: 0.3, ..CompliantMaterial::default() };
    let settings = GrainSettings {
        model,
        materials: vec![soft, hard],
        periodic: if periodic { [Some([0.0, SIDE]); 3] } else { [None; 3] },
        ..GrainSettings::default()
    };
    let mut system = GrainSystem::new(settings).unwrap();
    system.use_instructions(instructions);
    let mut seed = 3_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let count = 15;
    let spacing = SIDE / count as f64;
    for k in 0..count * count * count {
        let cell = [k % count, k / count % count, k / (count * count)];
        let shake = 0.1 * spacing * Vec3::new(random(), random(), random());
        let position = Vec3::from_array(cell.map(|c| (c as f64 + 0.5) * spacing)) + shake;
        // One of a hundred is large enough to touch more than eight.
        let radius = if k % 100 == 50 { 0.9 * spacing } else { (0.5 + 0.05 * random()) * spacing };
        let velocity = 0.5 * Vec3::new(random(), random(), random());
        let grain = Grain { position, radius, velocity, material: k % 2, ..Grain::default() };
        system.add(&grain).unwrap();
    }
    if !periodic {
        for axis in Vec3::AXES {
            system.add_wall(Wall::plane("low", Vec3::ZERO, axis)).unwrap();
            system.add_wall(Wall::plane("high", Vec3::splat(SIDE), -axis)).unwrap();
        }
    }
    system
}

fn bits(system: &GrainSystem) -> Vec<[u64; 12]> {
    let rows = system.places().iter().zip(system.motions()).zip(system.spins());
    rows.map(|((a, b), c)| std::array::from_fn(|k| [a, b, c][k / 4].0[k % 4].to_bits())).collect()
}

fn models() -> [CompliantModel; 3] {
    [
        CompliantModel::default(),
        CompliantModel {
            rolling: ResistanceLaw::ElasticPlastic { ratio: 0.3 },
            spinning: ResistanceLaw::None,
            ..CompliantModel::default()
        },
        CompliantModel { damping: DampingLaw::Flores, ..CompliantModel::default() },
    ]
}

#[test]
fn grains_have_the_same_bits_on_lanes_of_four_and_of_eight() {
    let fused: Vec<_> = InstructionSet::available().into_iter().filter(|set| set.name() != "plain").collect();
    if fused.len() < 2 {
        let names: Vec<_> = fused.iter().map(|set| set.name()).collect();
        return eprintln!(
            "skipped: lanes of one width alone on this machine ({names:?}), nothing to compare"
        );
    }
    for model in models() {
        for periodic in [false, true] {
            let runs = fused.iter().map(|set| {
                let mut system = bed(model, periodic, *set);
                system.run(&Exec::serial(), 1e-5, 300).unwrap();
                assert!(system.contact_count() > 4000, "{} contacts", system.contact_count());
                assert!(system.list_report().foreign > 0.02, "{:?}", system.list_report());
                bits(&system)
            });
            let runs: Vec<_> = runs.collect();
            assert!(runs.windows(2).all(|pair| pair[0] == pair[1]), "{model:?}, periodic {periodic}");
        }
    }
}

#[test]
fn grains_on_plain_code_differ_by_rounding_alone() {
    for model in models() {
        let places = InstructionSet::available().into_iter().map(|set| {
            let mut system = bed(model, false, set);
            system.run(&Exec::serial(), 1e-5, 20).unwrap();
            let mut places: Vec<_> = system.ids().iter().copied().zip(system.places().to_vec()).collect();
            places.sort_by_key(|place| place.0);
            places
        });
        let places: Vec<_> = places.collect();
        for other in &places[1..] {
            let farthest = places[0]
                .iter()
                .zip(other)
                .map(|(a, b)| a.1.vector().distance(b.1.vector()))
                .fold(0.0, f64::max);
            assert!(farthest < 1e-13 * SIDE, "{model:?}: {farthest:e} m");
        }
    }
}

/// A block of water that falls in a corner, general laws or the usual one.
fn water(general: bool, instructions: InstructionSet) -> FluidSystem {
    let spacing = 0.02;
    let settings = FluidSettings {
        spacing,
        sound: 30.0,
        artificial: 0.05,
        xsph: if general { 0.3 } else { 0.0 },
        gradient_correction: general,
        ..FluidSettings::default()
    };
    let mut system = FluidSystem::new(settings).unwrap();
    system.use_instructions(instructions);
    let (mut inside, mut shell) = (Vec::new(), Vec::new());
    for k in 0..16 * 16 * 16 {
        let cell = [k % 16 - 3, k / 16 % 16 - 3, k / 256 - 3];
        let at = Vec3::from_array(cell.map(|c| (f64::from(c) + 0.5) * spacing));
        // Off the lattice, so that sums have no terms of equal size.
        let shake =
            0.1 * spacing * Vec3::new((7.0 * at.y / spacing).sin(), (5.0 * at.z / spacing).sin(), 0.0);
        match cell.iter().any(|c| *c < 0) {
            true => shell.push(at),
            false => inside.push(at + shake),
        }
    }
    system.add_points(&inside, |at| 1000.0 * 9.81 * (0.26 - at.z)).unwrap();
    system.add_solid("corner", &shell, SolidMotion::default(), false).unwrap();
    system
}

#[test]
fn fluids_differ_between_instruction_sets_by_the_order_of_sums_alone() {
    for general in [false, true] {
        let runs = InstructionSet::available().into_iter().map(|set| {
            let mut system = water(general, set);
            system.run(&Exec::serial(), 1e-4, 30).unwrap();
            let mut particles: Vec<_> = system.particles().collect();
            particles.sort_by_key(|p| p.number);
            particles.iter().map(|p| (p.position, p.velocity, p.density)).collect::<Vec<_>>()
        });
        let runs: Vec<_> = runs.collect();
        let fastest = runs[0].iter().map(|p| p.1.length()).fold(0.0, f64::max);
        assert!(fastest > 0.01, "{fastest} m/s");
        for other in &runs[1..] {
            for (a, b) in runs[0].iter().zip(other) {
                assert!(a.0.distance(b.0) < 1e-12, "{general}: {} and {}", a.0, b.0);
                assert!(a.1.distance(b.1) < 1e-9 * fastest, "{general}: {} and {}", a.1, b.1);
                assert!((a.2 - b.2).abs() < 1e-10 * a.2, "{general}: {} and {}", a.2, b.2);
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads_on_any_instruction_set() {
    for set in InstructionSet::available() {
        let run = |threads: usize| {
            let ex = Exec::with_threads(threads).unwrap();
            let (mut grains, mut fluid) = (bed(models()[1], false, set), water(true, set));
            grains.run(&ex, 1e-5, 50).unwrap();
            fluid.run(&ex, 1e-4, 5).unwrap();
            let fluid: Vec<_> = fluid.particles().map(|p| (p.position, p.velocity, p.density)).collect();
            (bits(&grains), fluid)
        };
        assert!(run(1) == run(3), "{}", set.name());
    }
}
