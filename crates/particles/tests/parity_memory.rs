//! Contacts keep what they remember when grains leave a system and come back, by the ids of those who touch.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantMaterial, CompliantModel, DampingLaw, ResistanceLaw};
use huygens_particles::{Grain, GrainSettings, GrainSystem, ParticleError, Wall};

const STEP: f64 = 2e-5;

/// A law that remembers all there is to remember: sliding, rolling, spinning and impact.
fn settings() -> GrainSettings {
    let remembers = ResistanceLaw::ElasticPlastic { ratio: 0.3 };
    let material = CompliantMaterial {
        young: 1e6,
        friction: 0.5,
        rolling_friction: 1e-4,
        spinning_friction: 1e-4,
        restitution: 0.4,
        ..CompliantMaterial::default()
    };
    let model = CompliantModel {
        rolling: remembers,
        spinning: remembers,
        damping: DampingLaw::HuntCrossley,
        ..CompliantModel::default()
    };
    GrainSettings { model, materials: vec![material], ..GrainSettings::default() }
}

fn empty() -> GrainSystem {
    let mut system = GrainSystem::new(settings()).unwrap();
    let floor = Wall::plane("floor", Vec3::ZERO, Vec3::new(0.3, 0.0, 1.0).normalize());
    let [low, high] = [Vec3::splat(-0.006), Vec3::splat(0.111)];
    let sides = [Vec3::X, Vec3::Y].map(|n| [Wall::plane("low", low, n), Wall::plane("high", high, -n)]);
    [floor].into_iter().chain(sides.into_iter().flatten()).for_each(|wall| {
        system.add_wall(wall).unwrap();
    });
    system
}

/// A bed on a slope that has not come to rest.
fn bed(count: usize) -> GrainSystem {
    let mut system = empty();
    for k in 0..count {
        let radius = 0.004 + 0.001 * ((k * 7919) % 100) as f64 / 100.0;
        let position = Vec3::new((k % 12) as f64, (k / 12 % 12) as f64, 0.7 + (k / 144) as f64) * 0.0095;
        let velocity = Vec3::new(0.1, 0.05, -0.5);
        system.add(&Grain { position, radius, velocity, ..Grain::default() }).unwrap();
    }
    system
}

/// Position, velocity and angular velocity by id.
fn rows(system: &GrainSystem) -> Vec<(u64, [Vec3; 3])> {
    let rows = system.places().iter().zip(system.motions()).zip(system.spins());
    let rows = rows.map(|((x, v), w)| [x.vector(), v.vector(), w.vector()]);
    let mut rows: Vec<_> = system.ids().iter().copied().zip(rows).collect();
    rows.sort_unstable_by_key(|(id, _)| *id);
    rows
}

/// Greatest relative difference of positions, velocities and angular velocities.
fn difference(a: &[(u64, [Vec3; 3])], b: &[(u64, [Vec3; 3])]) -> f64 {
    assert!(a.iter().map(|row| row.0).eq(b.iter().map(|row| row.0)), "other grains");
    let of = |a: &[Vec3; 3], b: &[Vec3; 3]| {
        (0..3).map(|k| a[k].distance(b[k]) / a[k].length().max(1e-3)).fold(0.0, f64::max)
    };
    a.iter().zip(b).map(|(a, b)| of(&a.1, &b.1)).fold(0.0, f64::max)
}

/// The ids of grains that touch two grains and more, and of one that touches the floor.
fn busy(system: &GrainSystem, count: usize) -> Vec<u64> {
    let mut touching: Vec<u64> = system.grain_contacts().iter().flat_map(|c| c.ids).collect();
    touching.sort_unstable();
    let mut ids: Vec<u64> =
        touching.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]).collect();
    ids.truncate(count);
    ids.extend(system.wall_contacts().map(|contact| contact.grain).find(|id| !ids.contains(id)));
    ids
}

#[test]
fn a_bed_goes_on_when_grains_go_and_come_back_with_their_memory() {
    for threads in [1, 3] {
        let ex = Exec::with_threads(threads).unwrap();
        let mut whole = bed(3000);
        whole.run(&ex, STEP, 3000).unwrap();
        assert!(whole.contact_count() > 1000 && whole.wall_contact_count() > 20);
        let ids = busy(&whole, 40);
        let mut other = whole.clone();
        let before = whole.contact_memory(&ex, &ids).unwrap();
        assert!(before.iter().all(|m| !m.grains.is_empty() || m.walls().count() > 0));
        assert!(before.iter().any(|m| m.walls().count() > 0));
        let contacts = other.contact_count();
        let parcels = other.take_out(&ex, &ids).unwrap();
        assert_eq!(other.len(), whole.len() - ids.len());
        assert!(other.contact_count() < contacts);
        // In another order than they left.
        let back: Vec<_> = parcels.iter().rev().cloned().collect();
        other.put_in(&ex, &back).unwrap();
        assert_eq!(other.contact_count(), contacts);
        assert!(other.contact_memory(&ex, &ids).unwrap() == before, "memory changed on the way");
        // Grains that come as new ones, with the same motion but without memory.
        let mut forgetful = whole.clone();
        let index = |id: &u64| whole.ids().iter().position(|own| own == id).unwrap();
        let new = ids.iter().map(index).map(|i| Grain {
            position: whole.places()[i].vector(),
            radius: whole.places()[i].0[3],
            velocity: whole.motions()[i].vector(),
            angular_velocity: whole.spins()[i].vector(),
            ..Grain::default()
        });
        let new: Vec<Grain> = new.collect();
        forgetful.remove(&ex, &ids).unwrap();
        forgetful.insert(&ex, &new).unwrap();
        for system in [&mut whole, &mut other, &mut forgetful] {
            system.run(&ex, STEP, 10).unwrap();
        }
        // Sums have another order in the new list, nothing else has changed: 1e-16 after a step. Where friction sets in, a
        // bed that flows makes more of it from step to step.
        let off = difference(&rows(&whole), &rows(&other));
        assert!(off < 1e-12, "{off}");
        let stayed = |system: &GrainSystem| -> Vec<_> {
            let count = whole.len() as u64;
            rows(system).into_iter().filter(|(id, _)| *id < count && !ids.contains(id)).collect()
        };
        let off = difference(&stayed(&whole), &stayed(&forgetful));
        assert!(off > 1e-5, "memory does not matter to the others: {off}");
    }
}

#[test]
fn a_pair_goes_on_with_the_same_bits_whichever_of_the_two_leaves() {
    let ex = Exec::serial();
    for leaver in [0, 1] {
        let mut whole = empty();
        for x in [0.0, 0.0078] {
            let position = Vec3::new(x, 0.001 * x, 0.02);
            let velocity = Vec3::new(if x == 0.0 { 0.2 } else { -0.2 }, 0.1 * x, 0.0);
            let angular_velocity = Vec3::new(3.0, 20.0, -5.0);
            whole
                .add(&Grain { position, velocity, angular_velocity, radius: 0.004, ..Grain::default() })
                .unwrap();
        }
        whole.run(&ex, STEP, 30).unwrap();
        assert_eq!(whole.contact_count(), 1);
        let mut other = whole.clone();
        let parcels = other.take_out(&ex, &[leaver]).unwrap();
        assert_eq!(parcels[0].memory().grains[0].0, 1 - leaver);
        other.put_in(&ex, &parcels).unwrap();
        for system in [&mut whole, &mut other] {
            system.run(&ex, STEP, 50).unwrap();
        }
        assert_eq!(rows(&whole), rows(&other), "grain {leaver}");
    }
}

#[test]
fn both_sides_of_a_pair_tell_the_same() {
    let ex = Exec::serial();
    let mut system = bed(800);
    system.run(&ex, STEP, 3000).unwrap();
    let ids = system.ids().to_vec();
    let before = system.save();
    let all = system.contact_memory(&ex, &ids).unwrap();
    let told: usize = all.iter().map(|m| m.grains.len() + m.walls().count()).sum();
    assert_eq!(told, 2 * system.contact_count() + system.wall_contact_count());
    // What one side says is written over by the other.
    assert_eq!(system.set_contact_memory(&ex, &all).unwrap(), told);
    assert!(system.save() == before, "telling a system what it knows changes it");
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let ex = Exec::serial();
    let mut system = bed(300);
    system.run(&ex, STEP, 3000).unwrap();
    let ids = busy(&system, 3);
    let before = system.save();
    assert_eq!(system.take_out(&ex, &[ids[0], 4711]), Err(ParticleError::UnknownGrain { id: 4711 }));
    let mut parcels = system.clone().take_out(&ex, &ids).unwrap();
    assert_eq!(system.put_in(&ex, &parcels), Err(ParticleError::KnownGrain { id: ids[0] }));
    assert!(system.save() == before);
    // Laws that remember less, and no walls.
    let mut plain = GrainSystem::new(GrainSettings::default()).unwrap();
    let refused = plain.put_in(&ex, &parcels).unwrap_err();
    assert!(matches!(refused, ParticleError::ContactMemory { found: 3, expected: 1, .. }), "{refused}");
    let mut open = GrainSystem::new(settings()).unwrap();
    let refused = open.put_in(&ex, &parcels).unwrap_err();
    assert_eq!(refused, ParticleError::UnknownWall { index: 0, count: 0 });
    assert!(plain.is_empty() && open.is_empty());
    // Twice the same.
    let mut other = empty();
    parcels.push(parcels[0].clone());
    assert_eq!(other.put_in(&ex, &parcels), Err(ParticleError::KnownGrain { id: ids[0] }));
    parcels.pop();
    // Neighbours that stayed behind are left out; ids that came along are not given again.
    other.put_in(&ex, &parcels).unwrap();
    let new = other.add(&Grain { position: Vec3::Z, ..Grain::default() }).unwrap();
    assert!(ids.iter().all(|id| *id < new), "{new} {ids:?}");
    other.run(&ex, STEP, 10).unwrap();
}

#[test]
fn spheres_of_clumps_do_not_leave_alone() {
    let ex = Exec::serial();
    let mut system = empty();
    let shape = system.add_clump_shape(&[(Vec3::ZERO, 0.004), (Vec3::X * 0.004, 0.004)], 2500.0, 0).unwrap();
    let (at, still) = (Vec3::Z, Vec3::ZERO);
    system.add_clump(shape, at, huygens_kernel::Quat::IDENTITY, still, still).unwrap();
    assert_eq!(system.take_out(&ex, &[1]), Err(ParticleError::PartOfClump { id: 1 }));
}
