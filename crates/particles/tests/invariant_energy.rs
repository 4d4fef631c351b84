//! Energy: what grains have, what springs hold and what is lost add up.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::normal::hertz_impact;
use huygens_kernel::contact::*;
use huygens_particles::{Drag, DragLaw, Flow, Grain, GrainSettings, GrainSystem, Wall, WallDrive};

const RADIUS: f64 = 2e-3;

fn model(tangential: TangentialLaw) -> CompliantModel {
    CompliantModel {
        tangential,
        rolling: ResistanceLaw::ElasticPlastic { ratio: 0.3 },
        spinning: ResistanceLaw::ElasticPlastic { ratio: 0.3 },
        ..CompliantModel::default()
    }
}

fn material() -> CompliantMaterial {
    CompliantMaterial {
        young: 2e6,
        poisson: 0.25,
        friction: 0.5,
        restitution: 0.5,
        rolling_friction: 0.1 * RADIUS,
        spinning_friction: 0.05 * RADIUS,
        ..CompliantMaterial::default()
    }
}

/// Duration of an impact of two grains at a speed [s].
fn impact(speed: f64) -> f64 {
    let mass = Grain { radius: RADIUS, ..Grain::default() }.mass();
    let young = 0.5 * material().young / (1.0 - material().poisson.powi(2));
    hertz_impact(young, 0.5 * RADIUS, 0.5 * mass, speed).duration
}

/// Grains of two sizes above the floor of a box, ready to fall.
fn heap(side: i32, layers: i32, model: CompliantModel, material: CompliantMaterial) -> GrainSystem {
    let settings = GrainSettings { model, materials: vec![material], ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    let width = 2.3 * RADIUS * f64::from(side);
    let (low, high) = (Vec3::new(0.0, 0.0, -1.0), Vec3::new(width, width, 1.0));
    system.add_wall(Wall::container("box", low, high)).unwrap();
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    for k in 0..layers {
        for j in 0..side {
            for i in 0..side {
                let shake =
                    |n: i32| 0.1 * RADIUS * f64::from((7 * i + 13 * j + 29 * k + 5 * n) % 11 - 5) / 5.0;
                let at = |n: i32| 2.3 * RADIUS * (f64::from(n) + 0.5);
                let position = Vec3::new(at(i) + shake(0), at(j) + shake(1), at(k) + shake(2));
                let radius = if (i + j + k) % 3 == 0 { 0.8 * RADIUS } else { RADIUS };
                system.add(&Grain { position, radius, ..Grain::default() }).unwrap();
            }
        }
    }
    system
}

/// Lets a heap come down, and compares energy at all times with that at the start: the greatest difference as a share
/// of the energy turned over.
fn come_down(pile: &mut GrainSystem, time: f64) -> f64 {
    // Some fall from a few centimetres.
    let step = impact(0.8) / 50.0;
    pile.measure_energy(true);
    let start = pile.energy();
    let mut worst = 0.0_f64;
    for _ in 0..30 {
        pile.run(&Exec::serial(), step, (time / 30.0 / step) as u64).unwrap();
        worst = worst.max((pile.energy().total() - start.total()).abs());
    }
    let end = pile.energy();
    worst / (start.potential + end.wall_work - end.potential)
}

#[test]
fn the_energy_of_a_pile_is_somewhere() {
    let mut pile = heap(6, 8, model(TangentialLaw::History), material());
    let start = pile.energy();
    let error = come_down(&mut pile, 0.25);
    assert!(error < 5e-4, "{error}");
    // All of it is gone, and each part of the law has taken some.
    let end = pile.energy();
    let turned_over = start.potential - end.potential;
    assert!(end.kinetic < 1e-6 * turned_over && end.elastic < 2e-2 * turned_over, "{end:?}");
    let lost = end.dissipated;
    assert!([lost.normal, lost.sliding, lost.turning].iter().all(|x| *x > 0.1 * turned_over), "{lost:?}");
}

#[test]
fn other_laws_and_moving_walls_keep_account_too() {
    for (tangential, damping) in [
        (TangentialLaw::Mindlin, DampingLaw::Restitution),
        (TangentialLaw::MindlinRescaled, DampingLaw::HysteresisExact),
        (TangentialLaw::Coulomb { speed: 1e-2 }, DampingLaw::Restitution),
    ] {
        let mut pile = heap(4, 4, CompliantModel { damping, ..model(tangential) }, material());
        let shaken =
            WallDrive::Vibration { amplitude: Vec3::new(1e-3, 0.0, 2e-4), frequency: 30.0, phase: 0.0 };
        pile.set_wall_drive(0, shaken).unwrap();
        let error = come_down(&mut pile, 0.15);
        assert!(error < 1e-3, "{tangential:?} {damping:?}: {error}");
        assert!(pile.energy().wall_work.abs() > 0.1 * pile.energy().dissipated.total());
    }
}

#[test]
fn a_measured_run_is_the_same_run() {
    let ex = Exec::serial();
    let mut plain = heap(3, 3, model(TangentialLaw::History), material());
    let mut measured = plain.clone();
    measured.measure_energy(true);
    let mut threaded = measured.clone();
    plain.run(&ex, 2e-5, 3000).unwrap();
    measured.run(&ex, 2e-5, 3000).unwrap();
    assert_eq!(plain.places(), measured.places());
    threaded.run(&Exec::with_threads(2).unwrap(), 2e-5, 1000).unwrap();
    // What was measured so far is part of the state.
    let mut again = heap(3, 3, model(TangentialLaw::History), material());
    again.measure_energy(true);
    again.restore(&threaded.save()).unwrap();
    again.run(&ex, 2e-5, 2000).unwrap();
    assert_eq!(again.energy(), measured.energy());
    assert!(measured.energy().dissipated.total() > 0.0);
}

#[test]
fn elastic_grains_without_friction_keep_their_energy_to_the_order_of_the_step() {
    let elastic = CompliantModel {
        damping: DampingLaw::None,
        tangential: TangentialLaw::None,
        rolling: ResistanceLaw::None,
        spinning: ResistanceLaw::None,
        ..CompliantModel::default()
    };
    let error = |share: f64| {
        let mut gas = heap(4, 4, elastic, material());
        gas.measure_energy(true);
        let start = gas.energy().total();
        let (mut worst, step) = (0.0_f64, impact(0.4) * share);
        for _ in 0..100 {
            gas.run(&Exec::serial(), step, (5e-4 / step) as u64).unwrap();
            worst = worst.max((gas.energy().total() - start).abs());
        }
        let end = gas.energy();
        assert_eq!(end.dissipated, Losses::default());
        assert!(end.elastic > 0.0);
        worst / end.kinetic
    };
    let (coarse, fine) = (error(1.0 / 25.0), error(1.0 / 50.0));
    assert!(fine < 2e-3 && coarse / fine > 3.0, "{coarse} {fine}");
}

/// A ball on a plane in the middle of nowhere.
fn ball(model: CompliantModel, gravity: Vec3, velocity: Vec3) -> (GrainSystem, f64) {
    let material = CompliantMaterial { rolling_friction: 0.0, spinning_friction: 0.0, ..material() };
    let settings = GrainSettings { model, materials: vec![material], gravity, ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    let grain = Grain { position: Vec3::Z * RADIUS, radius: RADIUS, velocity, ..Grain::default() };
    system.add(&grain).unwrap();
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    system.measure_energy(true);
    (system, grain.mass())
}

#[test]
fn losses_of_one_ball_are_those_of_textbooks() {
    let ex = Exec::serial();
    // An impact at restitution 1/2 takes three quarters.
    let (mut system, mass) = ball(model(TangentialLaw::History), Vec3::ZERO, Vec3::Z * -0.5);
    let step = impact(0.5) / 50.0;
    system.run(&ex, step, 400).unwrap();
    let lost = system.energy().dissipated;
    assert!((lost.normal / (0.75 * 0.5 * mass * 0.25) - 1.0).abs() < 5e-3, "{lost:?}");
    assert_eq!((lost.sliding, system.energy().elastic), (0.0, 0.0));
    // A ball that slides until it rolls loses two sevenths.
    let (mut system, mass) =
        ball(model(TangentialLaw::History), Vec3::new(0.0, 0.0, -9.81), Vec3::new(0.2, 0.0, 0.0));
    system.run(&ex, step, (0.1 / step) as u64).unwrap();
    let lost = system.energy().dissipated;
    let expected = 0.5 * mass * 0.2 * 0.2 * 2.0 / 7.0;
    assert!((lost.sliding / expected - 1.0).abs() < 5e-3, "{lost:?} {expected}");
    // One that falls in a thick fluid loses to it what gravity gives.
    let (mut system, mass) = ball(model(TangentialLaw::None), Vec3::new(0.0, 0.0, 9.81), Vec3::ZERO);
    let (law, flow) = (DragLaw::Stokes, Flow::Uniform(Vec3::ZERO));
    system.add_field(std::sync::Arc::new(Drag { law, viscosity: 1.0, flow }));
    let start = system.energy();
    system.run(&ex, 1e-5, 20_000).unwrap();
    let end = system.energy();
    let fallen = start.potential - end.potential;
    assert!(fallen > 0.1 * mass * 9.81 * RADIUS);
    let balance = (end.field_work + fallen - (end.kinetic - start.kinetic)) / fallen;
    assert!(balance.abs() < 1e-3, "{balance}");
}
