//! Ids are given once, on any number of ranks, and stay through orders, restarts and gates.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::sph::{FluidSettings, FluidSystem};
use huygens_particles::{Grain, GrainSettings, GrainSystem, IdSource, ParticleError};

#[test]
fn ranks_never_give_the_same_id() {
    let mut given = Vec::new();
    let mut sources: Vec<IdSource> = (0..5).map(|rank| IdSource::of_rank(rank, 5)).collect();
    for (k, source) in sources.iter_mut().enumerate() {
        given.extend(source.take(100 + 7 * k));
        given.extend(source.take(3));
    }
    // A restart on another number of ranks.
    let bound = sources.iter().map(IdSource::next).max().unwrap();
    for rank in 0..3 {
        let mut source = IdSource::from_bound(bound, rank, 3);
        assert!(source.next() >= bound && source.next() < bound + 3 && source.next() % 3 == rank);
        given.extend(source.take(50));
    }
    let count = given.len();
    given.sort_unstable();
    given.dedup();
    assert_eq!(given.len(), count);
}

#[test]
fn one_rank_counts_and_goes_on_above_what_came_from_elsewhere() {
    let mut source = IdSource::default();
    assert!(source.take(4).eq(0..4));
    source.note(2);
    assert_eq!(source.next(), 4);
    source.note(9);
    assert_eq!(source.next(), 10);
    let mut second = IdSource::of_rank(1, 4);
    second.note(6);
    assert!(second.take(3).eq([9, 13, 17]));
    // More than there are saturate, and do not start again.
    let mut last = IdSource::from_bound(u64::MAX - 1, 0, 1);
    last.take(5);
    assert_eq!(last.next(), u64::MAX);
}

#[test]
fn grains_take_ids_of_their_rank_and_a_restart_goes_on_with_them() {
    let ex = Exec::serial();
    let grain = |x: f64| Grain { position: Vec3::X * x, ..Grain::default() };
    let mut system = GrainSystem::new(GrainSettings::default()).unwrap();
    system.set_id_source(IdSource::of_rank(2, 3)).unwrap();
    assert_eq!(system.add(&grain(0.0)).unwrap(), 2);
    assert!(system.insert(&ex, &[grain(1.0), grain(2.0)]).unwrap().eq([5, 8]));
    assert_eq!(system.set_id_source(IdSource::default()), Err(ParticleError::IdInUse { id: 2 }));
    let mut restarted = GrainSystem::new(GrainSettings::default()).unwrap();
    restarted.restore(&system.save()).unwrap();
    assert_eq!((restarted.id_source(), restarted.add(&grain(3.0)).unwrap()), (system.id_source(), 11));
}

#[test]
fn ids_of_a_fluid_stay_with_their_particles() {
    let ex = Exec::with_threads(2).unwrap();
    let settings = FluidSettings { gravity: Vec3::ZERO, ..FluidSettings::default() };
    let d = settings.spacing;
    let mut fluid = FluidSystem::new(settings).unwrap();
    // Ids beyond what a tag could hold.
    let first = 1 << 40;
    fluid.set_id_source(IdSource::from_bound(first, 0, 2)).unwrap();
    let place = |k: usize| Vec3::new((k * 7 % 20) as f64, (k / 20) as f64, 0.0) * d;
    for k in 0..400 {
        let number = fluid.add(place(k), Vec3::ZERO).unwrap();
        assert_eq!(number as u64, first + 2 * k as u64);
    }
    fluid.run(&ex, 1e-6, 3).unwrap();
    let check = |fluid: &FluidSystem| {
        for p in fluid.particles() {
            let k = (p.number as u64 - first) / 2;
            assert!(p.position.distance(place(k as usize)) < 0.1 * d, "particle {k} is at {}", p.position);
        }
    };
    check(&fluid);
    let saved = fluid.save();
    let mut restarted = FluidSystem::new(fluid.settings().clone()).unwrap();
    restarted.restore(&saved).unwrap();
    check(&restarted);
    assert_eq!(restarted.add(Vec3::X, Vec3::ZERO).unwrap() as u64, first + 800);
    assert_eq!(fluid.set_id_source(IdSource::default()), Err(ParticleError::IdInUse { id: first }));
    // The layout before had the ids in tags.
    let mut old = saved.clone();
    old[..8].copy_from_slice(&2_u64.to_le_bytes());
    let refused = restarted.restore(&old).unwrap_err().to_string();
    assert!(refused.contains("version of the layout is 2, expected 3"), "{refused}");
}
