//! Measures against lattices, walls and closed forms.

use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::sync::Arc;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::fill::{Fill, Pattern, Region, Settle, Sizes};
use huygens_particles::measure::{
    Cells, Coordination, FlowMeter, ForceChains, Mixing, ReposeFit, granular_temperature, mass_flow,
    solid_fraction, solid_fractions, stress, stresses, velocity_profile,
};
use huygens_particles::{Drag, DragLaw, Flow, Grain, GrainSettings, GrainSystem, Wall};

const R: f64 = 0.005;

fn settings(young: f64, friction: f64) -> GrainSettings {
    let material = CompliantMaterial { young, friction, restitution: 0.2, ..CompliantMaterial::default() };
    GrainSettings { materials: vec![material], ..GrainSettings::default() }
}

fn filled(settings: GrainSettings, fill: &Fill) -> GrainSystem {
    let mut system = GrainSystem::new(settings).unwrap();
    system.insert(&Exec::serial(), &fill.make(&Exec::serial()).unwrap().grains).unwrap();
    system
}

#[test]
fn lattices_have_their_fractions_and_contacts() {
    let ex = Exec::serial();
    let side = 14.0 * 2.0 * R;
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::splat(side) };
    let sizes = Sizes::constant(R * (1.0 + 1e-6));
    let weightless = GrainSettings { gravity: Vec3::ZERO, ..settings(1e7, 0.5) };
    // Grains a little larger than their spacing touch.
    let pattern = Pattern::Hexagonal { spacing: 2.0 * R };
    let filled = Fill::new(region, pattern, Sizes::constant(R)).make(&ex).unwrap();
    let mut system = GrainSystem::new(weightless).unwrap();
    for grain in &filled.grains {
        system.add(&Grain { radius: sizes.table().unwrap().most(), ..*grain }).unwrap();
    }
    system.update_forces(&ex, 1e-6);
    let inside = Region::Box { low: Vec3::splat(0.2 * side), high: Vec3::splat(0.8 * side) };
    // A box that holds whole cells of the lattice: 8 a, 4 √3 a, 4 · 2 √(2/3) a.
    let cell = Vec3::new(8.0, 4.0 * 3.0_f64.sqrt(), 8.0 * (2.0_f64 / 3.0).sqrt()) * 2.0 * R;
    let low = Vec3::splat(0.2 * side);
    let exact = Region::Box { low, high: low + cell };
    let fraction = solid_fraction(&system, &exact).unwrap();
    assert!((fraction - PI / 18.0_f64.sqrt()).abs() < 2e-5, "{fraction}");
    let ball = Region::Sphere { centre: Vec3::splat(0.5 * side), radius: 0.38 * side };
    let can = Region::Cylinder {
        base: Vec3::new(0.5, 0.5, 0.15) * side,
        axis: Vec3::Z,
        radius: 0.35 * side,
        height: 0.7 * side,
    };
    for region in [inside, ball, can] {
        let fraction = solid_fraction(&system, &region).unwrap();
        assert!((fraction - PI / 18.0_f64.sqrt()).abs() < 0.02, "{region:?} {fraction}");
    }
    let cells = Cells { low, high: low + cell, count: [2, 3, 4] };
    let parts = solid_fractions(&system, &cells).unwrap();
    let mean = parts.iter().sum::<f64>() / 24.0;
    assert!((mean - fraction).abs() < 1e-4, "{mean}");
    let coordination = Coordination::of(&system, 4);
    assert_eq!(coordination.histogram.len(), 13);
    assert_eq!(coordination.histogram.iter().sum::<usize>(), system.len());
    assert!((coordination.mean - 2.0 * system.contact_count() as f64 / system.len() as f64).abs() < 1e-12);
}

/// A cubic lattice between walls pressed so that forces balance, sheared by none.
#[test]
fn stress_of_a_pressed_lattice_is_the_pressure_on_its_walls() {
    let (n, depth) = (6_usize, 0.01 * R);
    // Hertz: a wall gives the same force with half the curvature at 2^(-1/3) of the overlap.
    let at_wall = depth * 2.0_f64.powf(-1.0 / 3.0);
    let spacing = 2.0 * R - depth;
    let first = R - at_wall;
    let side = 2.0 * first + (n - 1) as f64 * spacing;
    let mut system = GrainSystem::new(GrainSettings { gravity: Vec3::ZERO, ..settings(1e7, 0.5) }).unwrap();
    for k in 0..n * n * n {
        let at = Vec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64);
        system.add(&Grain { position: at * spacing + first, radius: R, ..Grain::default() }).unwrap();
    }
    for axis in Vec3::AXES {
        system.add_wall(Wall::plane("low", Vec3::ZERO, axis)).unwrap();
        system.add_wall(Wall::plane("high", Vec3::splat(side), -axis)).unwrap();
    }
    system.run(&Exec::serial(), 1e-5, 200).unwrap();
    let pressure = system.wall_wrench(0)[0].length() / (side * side);
    let whole = Region::Box { low: Vec3::ZERO, high: Vec3::splat(side) };
    let one = |region: &Region| {
        let found = stress(&system, region).unwrap().contact.to_cols_array();
        for (k, value) in found.iter().enumerate() {
            let expected = if k % 4 == 0 { pressure } else { 0.0 };
            assert!((value - expected).abs() < 0.01 * pressure, "{found:?} {pressure}");
        }
    };
    one(&whole);
    // Two spacings of the inside, between the planes of centres.
    let low = Vec3::splat(first + 1.5 * spacing);
    one(&Region::Box { low, high: low + 2.0 * spacing });
    let cells = Cells { low: Vec3::ZERO, high: Vec3::splat(side), count: [2, 2, 2] };
    for part in stresses(&system, &cells).unwrap() {
        assert!((part.pressure() / pressure - 1.0).abs() < 0.01, "{}", part.pressure());
    }
    assert_eq!(system.grain_contacts().len(), 3 * n * n * (n - 1));
    assert_eq!(system.wall_contact_forces().len(), 6 * n * n);
    assert_eq!(Coordination::of(&system, 4).mean, 6.0);
    let chains = ForceChains::of(&system, 0.5);
    assert_eq!((chains.strong.len(), chains.count), (3 * n * n * (n - 1), 1));
    assert!(ForceChains::of(&system, 2.0).strong.is_empty());
}

#[test]
fn forces_of_contacts_add_up_to_those_of_the_step() {
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(0.06, 0.06, 0.08) };
    let fill = Fill::new(region, Pattern::Random { solid_fraction: 0.5 }, Sizes::uniform(0.6 * R, R));
    let periodic = [Some([0.0, 0.06]), Some([0.0, 0.06]), None];
    let mut system = filled(GrainSettings { periodic, ..settings(1e7, 0.5) }, &fill);
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    let settle = Settle { energy_per_grain: 1e-10, check_every: 500, longest: 2.0 };
    settle.run(&mut system, &Exec::serial(), 2e-5, |_| ControlFlow::Continue(())).unwrap();
    let mut sums = vec![Vec3::ZERO; system.len()];
    let contacts = system.grain_contacts();
    for contact in &contacts {
        sums[contact.indices[0]] -= contact.force;
        sums[contact.indices[1]] += contact.force;
        assert_eq!(contact.ids, contact.indices.map(|i| system.ids()[i]));
    }
    system.wall_contact_forces().iter().for_each(|contact| sums[contact.index] += contact.force);
    let mean = contacts.iter().map(|c| c.force.length()).sum::<f64>() / contacts.len() as f64;
    for (sum, force) in sums.iter().zip(system.forces()) {
        assert!(sum.distance(force.vector()) < 0.01 * mean, "{sum} {:?} {mean}", force.vector());
    }
    let weight: f64 = system.motions().iter().map(|row| 9.81 / row.0[3]).sum();
    assert!((system.wall_wrench(0)[0].z + weight).abs() < 0.01 * weight);
    // The column stands: the vertical stress at the floor is its weight over its base.
    let slice = Region::Box { low: Vec3::ZERO, high: Vec3::new(0.06, 0.06, 0.02) };
    let vertical = stress(&system, &slice).unwrap().contact.z_axis.z;
    let above: f64 = (0..system.len())
        .map(|i| 9.81 / system.motions()[i].0[3] * (1.0 - system.places()[i].0[2] / 0.02).clamp(0.0, 1.0))
        .sum();
    let expected = (weight - above) / 0.0036;
    assert!((vertical / expected - 1.0).abs() < 0.03, "{vertical} {expected}");
}

#[test]
fn frictionless_spheres_pack_at_random_closely() {
    let side = 16.0 * R;
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(side, side, 20.0 * R) };
    let fill = Fill::new(region, Pattern::Random { solid_fraction: 0.57 }, Sizes::constant(R));
    let periodic = [Some([0.0, side]), Some([0.0, side]), None];
    let mut system = filled(GrainSettings { periodic, ..settings(1.3e9, 0.0) }, &fill);
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    // A thick fluid, in which a grain stops within some 20 ms, takes the energy that frictionless grains lose slowly.
    let fluid = Drag { law: DragLaw::Stokes, viscosity: 0.7, flow: Flow::Uniform(Vec3::ZERO) };
    system.add_field(Arc::new(fluid));
    let settle = Settle { energy_per_grain: 1e-9, check_every: 500, longest: 3.0 };
    settle.run(&mut system, &Exec::serial(), 3.5e-5, |_| ControlFlow::Continue(())).unwrap();
    let mut heights: Vec<f64> = system.places().iter().map(|row| row.0[2]).collect();
    heights.sort_unstable_by(f64::total_cmp);
    // Layers at the floor and at the surface are not random.
    let top = heights[heights.len() * 97 / 100] - 4.0 * R;
    let inside = Region::Box { low: Vec3::new(0.0, 0.0, 5.0 * R), high: Vec3::new(side, side, top) };
    let fraction = solid_fraction(&system, &inside).unwrap();
    let coordination = Coordination::of(&system, 4);
    // Hard enough that spheres are as good as rigid.
    let deepest = system.grain_contacts().iter().map(|contact| contact.depth).fold(0.0, f64::max);
    println!("{} grains, {} s: {fraction} {deepest} {coordination:?}", system.len(), system.time());
    assert!(deepest < 1e-3 * R, "{deepest}");
    assert!((0.62..0.645).contains(&fraction), "{fraction}");
    // Isostatic: 6 contacts each.
    assert!((coordination.without_rattlers - 6.0).abs() < 0.2, "{coordination:?}");
}

#[test]
fn motion_is_measured() {
    let ex = Exec::serial();
    let mut system = GrainSystem::new(GrainSettings { gravity: Vec3::ZERO, ..settings(1e7, 0.5) }).unwrap();
    // Shear flow u = 2 z, with a spread of ±0.3 along y.
    for k in 0..4000_u32 {
        let [i, j, l] = [k % 20, k / 20 % 10, k / 200].map(f64::from);
        let position = Vec3::new(0.011 * i, 0.011 * j, 0.011 * (l + 0.5));
        let spread = if (k / 20 + k / 200) % 2 == 0 { 0.3 } else { -0.3 };
        let velocity = Vec3::new(2.0 * position.z, spread, 0.0);
        system.add(&Grain { position, velocity, radius: R, ..Grain::default() }).unwrap();
    }
    let profile = velocity_profile(&system, Vec3::Z, [0.0, 0.22], 20, None).unwrap();
    for bin in &profile {
        assert_eq!(bin.number, 200);
        assert!((bin.velocity - Vec3::new(2.0 * bin.at, 0.0, 0.0)).length() < 1e-12, "{bin:?}");
        assert!((bin.temperature - 0.03).abs() < 1e-12, "{bin:?}");
    }
    let layer = Region::Box { low: Vec3::new(-1.0, -1.0, 0.0), high: Vec3::new(1.0, 1.0, 0.011) };
    assert!((granular_temperature(&system, Some(&layer)) - 0.03).abs() < 1e-12);
    // Whole: the spread along x is that of 20 equal steps.
    let step: f64 = 0.022;
    let expected = 0.03 + step * step * (400.0 - 1.0) / 36.0;
    assert!((granular_temperature(&system, None) - expected).abs() < 1e-12);
    let mass = 1.0 / system.motions()[0].0[3];
    let mean_flow = mass_flow(
        &system,
        &Region::Box { low: Vec3::splat(-0.0055), high: Vec3::new(0.2145, 0.1045, 0.22) },
        Vec3::X,
        0.22,
    );
    // 4000 grains with a mean of 0.22 m/s on 0.22 m.
    assert!((mean_flow.unwrap() / (4000.0 * mass) - 1.0).abs() < 1e-9);
    let mut meter = FlowMeter::new(Vec3::new(0.104, 0.0, 0.0), Vec3::X, f64::INFINITY).unwrap();
    let mut against = FlowMeter::new(Vec3::new(0.104, 0.0, 0.0), Vec3::NEG_X, 0.17).unwrap();
    system.run(&ex, 1e-5, 1).unwrap();
    let before: Vec<(u64, f64)> =
        system.ids().iter().zip(system.places()).map(|(i, p)| (*i, p.0[0])).collect();
    for meter in [&mut meter, &mut against] {
        meter.look(&system);
    }
    for _ in 0..20 {
        system.run(&ex, 1e-5, 100).unwrap();
        meter.look(&system);
        against.look(&system);
    }
    let crossed = system
        .ids()
        .iter()
        .zip(system.places())
        .filter(|(id, p)| p.0[0] >= 0.104 && before.iter().any(|(i, x)| i == *id && *x < 0.104))
        .count() as u64;
    assert!(meter.forward - meter.backward == crossed && crossed > 50, "{} {crossed}", meter.forward);
    assert!((meter.net_mass() - crossed as f64 * mass).abs() < 1e-9 * mass * crossed as f64);
    assert!(against.backward > 0 && against.backward < crossed && against.forward == 0);
}

#[test]
fn mixing_tells_layers_from_chance() {
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::splat(0.2) };
    let fill = Fill::new(region, Pattern::Random { solid_fraction: 0.4 }, Sizes::constant(R));
    let system = filled(settings(1e7, 0.5), &fill);
    let cells = Cells { low: Vec3::ZERO, high: Vec3::splat(0.2), count: [4; 3] };
    let layers = Mixing::of(&system, &cells, 10, |i| system.places()[i].0[2] < 0.1).unwrap();
    assert!(layers.lacey.abs() < 0.01 && (layers.intensity - 1.0).abs() < 0.01, "{layers:?}");
    let chance =
        Mixing::of(&system, &cells, 10, |i| system.ids()[i].wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1);
    let chance = chance.unwrap();
    assert!((chance.lacey - 1.0).abs() < 0.02 && (chance.share - 0.5).abs() < 0.03, "{chance:?}");
}

#[test]
fn slope_of_a_cone_is_found() {
    let angle = 25.0_f64.to_radians();
    let region = Region::Frustum {
        base: Vec3::new(0.3, -0.2, 0.1),
        axis: Vec3::Z,
        radii: [0.2, 0.0],
        height: 0.2 * angle.tan(),
    };
    let fill = Fill::new(region, Pattern::Random { solid_fraction: 0.5 }, Sizes::constant(0.002));
    let heap = filled(settings(1e7, 0.5), &fill);
    let found = ReposeFit::new(0.006).heap(&heap, Vec3::Z, 0.1).unwrap();
    assert!((found.angle - angle).to_degrees().abs() < 1.0, "{} {found:?}", found.angle.to_degrees());
    let flat = Region::Box { low: Vec3::ZERO, high: Vec3::new(0.1, 0.1, 0.02) };
    let fill = Fill::new(flat, Pattern::Cubic { spacing: 0.004, jitter: 0.0 }, Sizes::constant(0.002));
    let level =
        ReposeFit::new(0.008).slope(&filled(settings(1e7, 0.5), &fill), Vec3::Z, Vec3::X, 0.0).unwrap();
    assert!(level.angle.abs() < 1e-9 && (level.height - 0.02).abs() < 1e-3, "{level:?}");
}
