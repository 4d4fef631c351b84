//! Ids are given once, on any number of ranks, and stay through orders, restarts and gates.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::sph::{FluidSettings, FluidSystem};
use huygens_particles::{Grain, GrainSettings, GrainSystem, IdSource, ParticleError};

const BLOCK: u64 = 1 << 32;

#[test]
fn ranks_never_give_the_same_id() {
    let mut given = Vec::new();
    let mut sources: Vec<IdSource> = (0..5).map(|rank| IdSource::of_rank(rank, 5)).collect();
    for (k, source) in sources.iter_mut().enumerate() {
        // Some ranks are near the end of their block.
        given.push(source.take(if k % 2 == 0 { 10 } else { (BLOCK - 20) as usize }));
        given.push(source.take(100 + 7 * k));
        given.push(source.take(3));
        source.take(0);
    }
    // A restart on another number of ranks, twice.
    for ranks in [3, 7] {
        let bound = sources.iter().map(IdSource::next).max().unwrap();
        sources = (0..ranks).map(|rank| IdSource::from_bound(bound, rank, ranks)).collect();
        for (rank, source) in sources.iter_mut().enumerate() {
            assert!(source.next() >= bound && source.next() / BLOCK % ranks == rank as u64);
            given.push(source.take(50));
        }
    }
    given.sort_unstable_by_key(|run| run.start);
    let apart = |two: &[std::ops::Range<u64>]| two[0].end <= two[1].start;
    assert!(given.windows(2).all(apart), "{given:?}");
}

#[test]
fn one_rank_counts_and_goes_on_above_what_came_from_elsewhere() {
    let mut source = IdSource::default();
    assert_eq!(source.take(4), 0..4);
    source.note(2);
    assert_eq!(source.next(), 4);
    source.note(9);
    assert_eq!(source.next(), 10);
    source.note(3 * BLOCK - 1);
    assert_eq!(source.take(2), 3 * BLOCK..3 * BLOCK + 2, "one rank has all blocks");
    assert_eq!(IdSource::from_bound(77, 0, 1).next(), 77);
    // Of several ranks, one passes over its own ids only.
    let mut second = IdSource::of_rank(1, 4);
    second.note(6);
    second.note(6 * BLOCK);
    assert_eq!(second.next(), BLOCK);
    second.note(BLOCK + 4);
    assert_eq!(second.take(1), BLOCK + 5..BLOCK + 6);
    second.note(2 * BLOCK - 1);
    assert_eq!(second.next(), 5 * BLOCK);
    // More than there are do not start again.
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
    let first = 2 * BLOCK;
    assert_eq!(system.add(&grain(0.0)).unwrap(), first);
    assert_eq!(system.insert(&ex, &[grain(1.0), grain(2.0)]).unwrap(), first + 1..first + 3);
    assert_eq!(system.set_id_source(IdSource::default()), Err(ParticleError::IdInUse { id: first }));
    let saved = system.save();
    let mut restarted = GrainSystem::new(GrainSettings::default()).unwrap();
    restarted.restore(&saved).unwrap();
    assert_eq!(restarted.id_source(), system.id_source());
    assert_eq!(restarted.add(&grain(3.0)).unwrap(), first + 3);
    // The layout before had one number where the source is.
    let mut old = saved.clone();
    old[..8].copy_from_slice(&3_u64.to_le_bytes());
    let refused = restarted.restore(&old).unwrap_err().to_string();
    assert!(refused.contains("version of the layout is 3, expected 4"), "{refused}");
}

#[test]
fn ids_of_a_fluid_stay_with_their_particles() {
    let ex = Exec::with_threads(2).unwrap();
    let settings = FluidSettings { gravity: Vec3::ZERO, ..FluidSettings::default() };
    let d = settings.spacing;
    let mut fluid = FluidSystem::new(settings).unwrap();
    // Ids beyond what a tag could hold.
    let first = 8 * BLOCK;
    fluid.set_id_source(IdSource::from_bound(first - 5, 0, 2)).unwrap();
    let place = |k: usize| Vec3::new((k * 7 % 20) as f64, (k / 20) as f64, 0.0) * d;
    for k in 0..400 {
        let number = fluid.add(place(k), Vec3::ZERO).unwrap();
        assert_eq!(number as u64, first + k as u64);
    }
    fluid.run(&ex, 1e-6, 3).unwrap();
    let check = |fluid: &FluidSystem| {
        for p in fluid.particles() {
            let k = p.number as u64 - first;
            assert!(p.position.distance(place(k as usize)) < 0.1 * d, "particle {k} is at {}", p.position);
        }
    };
    check(&fluid);
    let saved = fluid.save();
    let mut restarted = FluidSystem::new(fluid.settings().clone()).unwrap();
    restarted.restore(&saved).unwrap();
    check(&restarted);
    assert_eq!(restarted.add(Vec3::X, Vec3::ZERO).unwrap() as u64, first + 400);
    assert_eq!(fluid.set_id_source(IdSource::default()), Err(ParticleError::IdInUse { id: first }));
    // The layout before had the ids in tags.
    let mut old = saved.clone();
    old[..8].copy_from_slice(&2_u64.to_le_bytes());
    let refused = restarted.restore(&old).unwrap_err().to_string();
    assert!(refused.contains("version of the layout is 2, expected 4"), "{refused}");
}
