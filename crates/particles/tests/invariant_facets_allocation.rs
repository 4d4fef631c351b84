//! What walls of facets ask from the allocator once warm.

use std::f64::consts::TAU;
use std::sync::Arc;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::{FacetTopology, Facets, Grain, GrainSettings, GrainSystem, Wall};
use huygens_test_support::allocation_count;

/// Period of the sheet [s]: fifty outer steps.
const PERIOD: f64 = 0.01;

/// A sheet carries grains, waves a little and goes to and fro: its tree is fitted again and again.
#[test]
fn facets_allocate_nothing_once_warm() {
    let material = CompliantMaterial { young: 1e6, friction: 0.0, ..CompliantMaterial::default() };
    let settings = GrainSettings { materials: vec![material], ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    for k in 0..2500_u32 {
        let position = Vec3::new(f64::from(k % 50) + 0.7, f64::from(k / 50) + 0.7, 0.49) * 0.021;
        system.add(&Grain { position, radius: 0.0103, ..Grain::default() }).unwrap();
    }
    let row = 31;
    let cells = (0..900).map(|k| k % 30 + k / 30 * row);
    let faces: Vec<[u32; 4]> = cells.map(|k| [k, k + 1, k + 1 + row, k + row]).collect();
    let topology = Arc::new(FacetTopology::new((row * row) as usize, &faces).unwrap());
    let place = |k: u32, t: f64| {
        let (x, y) = (f64::from(k % row) * 0.037, f64::from(k / row) * 0.037);
        let turn = TAU * t / PERIOD;
        Vec3::new(x + 0.01 * turn.sin(), y, 1e-4 * (30.0 * x).sin() * turn.sin())
    };
    let mut ends = [0, 1].map(|_| (0..row * row).map(|k| place(k, 0.0)).collect::<Vec<Vec3>>());
    system.add_wall(Wall::facets("sheet", Facets::new(topology, ends[0].clone()).unwrap())).unwrap();
    let (ex, step) = (Exec::serial(), 1e-5);
    let mut impulses = vec![Vec3::ZERO; ends[0].len()];
    let mut go = |system: &mut GrainSystem, outer: u32| {
        for _ in 0..outer {
            for (at, end) in ends.iter_mut().enumerate() {
                let t = system.time() + at as f64 * 20.0 * step;
                end.iter_mut().zip(0..).for_each(|(x, k)| *x = place(k, t));
            }
            system.set_facet_motion(0, &ends[0], &ends[1], 20.0 * step).unwrap();
            system.run(&ex, step, 20).unwrap();
            system.take_vertex_impulses(0, &mut impulses).unwrap();
        }
    };
    // Two periods to get warm, one to count.
    go(&mut system, 100);
    let before = allocation_count();
    go(&mut system, 50);
    let asked = allocation_count() - before;
    assert!(system.wall_contact_count() > 1000);
    assert_eq!(asked, 0, "{asked} allocations");
}
