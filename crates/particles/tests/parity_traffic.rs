//! Grains that come and go: nothing is lost, memory stays, bits do not know threads or cuts.

use std::ops::ControlFlow;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::fill::{Amount, Fill, Pattern, Rainfall, Region, Settle, Sizes};
use huygens_particles::{
    Boundary, Grain, GrainSettings, GrainSystem, Inlet, Outlet, ParticleError, Rate, Traffic, Wall, Zone,
};

const STEP: f64 = 4e-5;

fn settings() -> GrainSettings {
    let material =
        CompliantMaterial { young: 2e6, friction: 0.5, restitution: 0.3, ..CompliantMaterial::default() };
    GrainSettings { materials: vec![material], ..GrainSettings::default() }
}

/// A box without a lid, open below x = 0 by an outlet.
fn container(side: f64) -> GrainSystem {
    let mut system = GrainSystem::new(settings()).unwrap();
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    for axis in [Vec3::X, Vec3::Y] {
        system.add_wall(Wall::plane("low", Vec3::ZERO, axis)).unwrap();
        system.add_wall(Wall::plane("high", axis * side, -axis)).unwrap();
    }
    system
}

fn bits(system: &GrainSystem) -> Vec<(u64, [u64; 12])> {
    let rows = system.places().iter().zip(system.motions()).zip(system.spins());
    let numbers = rows.map(|((a, b), c)| std::array::from_fn(|k| [a, b, c][k / 4].0[k % 4].to_bits()));
    system.ids().iter().copied().zip(numbers).collect()
}

fn busy() -> GrainSystem {
    let mut system = container(0.1);
    let region = Region::Box { low: Vec3::new(0.0, 0.0, 0.1), high: Vec3::new(0.1, 0.1, 0.16) };
    let velocity = Vec3::new(0.0, 0.0, -1.0);
    let inlets = vec![
        Inlet { velocity, ..Inlet::new("a", region, Rate::Mass(2.0), Sizes::uniform(0.003, 0.005)) },
        Inlet {
            velocity,
            seed: 4,
            limit: Some(Amount::Number(500)),
            ..Inlet::new("b", region, Rate::Number(3000.0), Sizes::constant(0.004))
        },
    ];
    let hole = Region::Box { low: Vec3::new(0.05, 0.0, -1.0), high: Vec3::new(0.1, 0.1, 0.02) };
    let outlets = vec![Outlet { name: "hole".into(), zone: Zone::Inside(hole) }];
    system.set_traffic(Traffic { inlets, outlets, interval: 40, ..Traffic::default() }).unwrap();
    system
}

#[test]
fn what_comes_in_is_inside_or_out_and_bits_repeat() {
    let mut alone = busy();
    alone.run(&Exec::serial(), STEP, 6000).unwrap();
    let traffic = alone.traffic().unwrap();
    let (a, b) = (traffic.inlet_counts[0], traffic.inlet_counts[1]);
    let out = traffic.outlet_counts[0];
    assert!(out.number > 100 && alone.len() > 500, "{out:?} {}", alone.len());
    assert_eq!(a.number + b.number, out.number + alone.len() as u64);
    let inside: f64 = alone.motions().iter().map(|row| 1.0 / row.0[3]).sum();
    assert!(((a.mass + b.mass) - (out.mass + inside)).abs() < 1e-10 * a.mass);
    // 2 kg/s for 0.24 s, to one grain; the other one has stopped at its limit.
    assert!((a.mass + a.missed_mass - 0.48).abs() < 2e-3, "{a:?}");
    assert_eq!(b.number, 500);
    let ex = Exec::with_threads(3).unwrap();
    let mut many = busy();
    for steps in [1, 38, 2, 1959, 3000, 1000] {
        many.run(&ex, STEP, steps).unwrap();
    }
    assert!(bits(&alone) == bits(&many) && alone.traffic() == many.traffic());
    // Counts are all that inlets and outlets remember.
    let mut fresh = busy().traffic().unwrap().clone();
    assert!(fresh.set_counts(&alone.traffic().unwrap().counts()) && !fresh.set_counts(&[1]));
    assert_eq!(Some(&fresh), alone.traffic());
}

/// A settled bed goes on as if nothing had happened when grains far away come and go.
#[test]
fn contacts_keep_their_memory() {
    let ex = Exec::serial();
    let mut bed = container(0.06);
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(0.06, 0.06, 0.05) };
    let fill = Fill::new(region, Pattern::Random { solid_fraction: 0.5 }, Sizes::uniform(0.002, 0.004));
    for grain in fill.make(&ex).unwrap().grains {
        bed.add(&grain).unwrap();
    }
    bed.run(&ex, STEP, 4000).unwrap();
    let mut disturbed = bed.clone();
    let far: Vec<Grain> = (0..1500)
        .map(|k| Grain { position: Vec3::new(0.03, 0.03, 5.0 + 0.01 * f64::from(k)), ..Grain::default() })
        .collect();
    let ids = disturbed.insert(&ex, &far).unwrap();
    let (odd, even): (Vec<u64>, Vec<u64>) = ids.partition(|id| id % 2 == 1);
    disturbed.run(&ex, STEP, 50).unwrap();
    disturbed.remove(&ex, &odd).unwrap();
    disturbed.run(&ex, STEP, 50).unwrap();
    disturbed.remove(&ex, &even).unwrap();
    bed.run(&ex, STEP, 100).unwrap();
    assert_eq!((bed.len(), bed.contact_count()), (disturbed.len(), disturbed.contact_count()));
    let by_id = |system: &GrainSystem| {
        let mut rows: Vec<_> =
            system.ids().iter().zip(system.places()).map(|(id, p)| (*id, p.vector())).collect();
        rows.sort_unstable_by_key(|(id, _)| *id);
        rows
    };
    // Sums have another order; lost springs would let the bed sink by 1e-7 m and more.
    for ((_, a), (_, b)) in by_id(&bed).into_iter().zip(by_id(&disturbed)) {
        assert!(a.distance(b) < 1e-13, "{a} {b}");
    }
    assert_eq!(disturbed.remove(&ex, &[odd[0]]), Err(ParticleError::UnknownGrain { id: odd[0] }));
    let all = disturbed.ids().to_vec();
    disturbed.remove(&ex, &all).unwrap();
    disturbed.run(&ex, STEP, 10).unwrap();
    disturbed.insert(&ex, &far[..3]).unwrap();
    disturbed.run(&ex, STEP, 10).unwrap();
    assert_eq!(disturbed.len(), 3);
}

#[test]
fn overlapping_fills_are_found() {
    let periodic = [Some([0.0, 0.1]), None, None];
    let mut system = GrainSystem::new(GrainSettings { periodic, ..settings() }).unwrap();
    for x in [0.001, 0.05, 0.0965] {
        system.add(&Grain { position: Vec3::new(x, 0.0, 0.0), ..Grain::default() }).unwrap();
    }
    // Radii of 1 mm; the last one is 1.4 mm from the first over the boundary.
    system.check_no_overlap(0.0).unwrap();
    system.add(&Grain { position: Vec3::new(0.0996, 0.0, 0.0), radius: 5e-4, ..Grain::default() }).unwrap();
    system.check_no_overlap(0.5).unwrap();
    let refused = system.check_no_overlap(1e-3).unwrap_err();
    assert!(matches!(refused, ParticleError::Overlap { a: 0, b: 3, .. }), "{refused}");
}

#[test]
fn rain_comes_to_rest() {
    let ex = Exec::serial();
    let mut system = container(0.05);
    let rain = Rainfall {
        region: Region::Box { low: Vec3::ZERO, high: Vec3::new(0.05, 0.05, 0.3) },
        sizes: Sizes::uniform(0.002, 0.004),
        amount: Amount::Mass(0.15),
        density: 2500.0,
        material: 0,
        velocity: Vec3::ZERO,
        seed: 1,
        settle: Settle { energy_per_grain: 1e-9, check_every: 200, longest: 2.0 },
    };
    let mut calls = 0;
    let report = rain
        .run(&mut system, &ex, STEP, |_| {
            calls += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(
        report.layers > 3 && calls > report.layers && report.settle.energy_per_grain < 1e-9,
        "{report:?}"
    );
    assert!(report.mass >= 0.15 && report.mass < 0.151 && report.number == system.len() as u64);
    let top = system.places().iter().map(|row| row.0[2]).fold(0.0, f64::max);
    // 60 cm³ on 25 cm² at a solid fraction near 0.55.
    assert!(top > 0.035 && top < 0.06, "{top}");
    let stopped = rain.run(&mut container(0.05), &ex, STEP, |_| ControlFlow::Break(())).unwrap();
    assert!(stopped.settle.stopped && stopped.layers == 1);
    let hasty = Rainfall { settle: Settle { longest: 0.01, ..rain.settle }, ..rain.clone() };
    let refused = hasty.run(&mut container(0.05), &ex, STEP, |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(refused, ParticleError::NotSettled { .. }), "{refused}");
    let low = Region::Box { low: Vec3::ZERO, high: Vec3::new(0.05, 0.05, 0.02) };
    let flood = Rainfall { region: low, settle: Settle { longest: 0.05, ..rain.settle }, ..rain };
    let refused = flood.run(&mut container(0.05), &ex, STEP, |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(refused, ParticleError::NoRoom { .. }), "{refused}");
}

#[test]
fn boundaries_count_or_refuse() {
    let ex = Exec::serial();
    let thrown = |boundary| {
        let mut system = GrainSystem::new(settings()).unwrap();
        for k in 0..3 {
            let position = Vec3::new(0.01 * f64::from(k), 0.0, if k == 1 { 0.001 } else { 1.0 });
            system.add(&Grain { position, ..Grain::default() }).unwrap();
        }
        system.set_traffic(Traffic { boundary: Some(boundary), interval: 10, ..Traffic::default() }).unwrap();
        system
    };
    let (low, high) = (Vec3::new(-1.0, -1.0, 0.0), Vec3::splat(f64::INFINITY));
    let mut open = thrown(Boundary::Open { low, high });
    open.run(&ex, 1e-3, 100).unwrap();
    assert_eq!((open.len(), open.traffic().unwrap().lost.number), (2, 1));
    let refused = thrown(Boundary::Closed { low, high }).run(&ex, 1e-3, 100).unwrap_err();
    assert!(matches!(refused, ParticleError::Left { id: 1, step: 20, .. }), "{refused}");
}

#[test]
fn empty_inlets_are_refused() {
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::ONE };
    let good = Inlet::new("in", region, Rate::Mass(1.0), Sizes::constant(0.01));
    let wrong = [
        Inlet { rate: Rate::Number(0.0), ..good.clone() },
        Inlet { sizes: Sizes::constant(0.7), ..good.clone() },
    ];
    for inlet in wrong {
        let refused = container(0.1).set_traffic(Traffic { inlets: vec![inlet], ..Traffic::default() });
        assert!(matches!(refused, Err(ParticleError::EmptyInlet { .. })), "{refused:?}");
    }
    for inlet in [Inlet { limit: Some(Amount::Number(0)), ..good.clone() }, Inlet { density: -1.0, ..good }] {
        let refused = container(0.1).set_traffic(Traffic { inlets: vec![inlet], ..Traffic::default() });
        assert!(matches!(refused, Err(ParticleError::Range { .. })), "{refused:?}");
    }
}
