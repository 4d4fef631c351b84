//! Fills: known lattices, no overlaps, nothing outside, fractions asked for, and clear refusals.

use std::f64::consts::PI;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::fill::{Fill, Pattern, Region, Sizes, check_no_overlap};
use huygens_particles::{MeshFault, ParticleError, WallMesh};

fn unit_box(side: f64) -> Region {
    Region::Box { low: Vec3::splat(-0.5 * side), high: Vec3::splat(0.5 * side) }
}

#[test]
fn cubic_lattice_has_its_fraction() {
    let pattern = Pattern::Cubic { spacing: 0.01, jitter: 0.0 };
    let filled = Fill::new(unit_box(0.1), pattern, Sizes::constant(0.005)).make(&Exec::serial()).unwrap();
    assert_eq!(filled.grains.len(), 1000);
    assert!((filled.solid_fraction - PI / 6.0).abs() < 1e-12);
    assert!((filled.mass - 1000.0 * filled.grains[0].mass()).abs() < 1e-12);
}

#[test]
fn hexagonal_packing_has_twelve_neighbours() {
    let pattern = Pattern::Hexagonal { spacing: 0.01 };
    let filled = Fill::new(unit_box(0.1), pattern, Sizes::constant(0.005)).make(&Exec::serial()).unwrap();
    let near =
        |a: Vec3| filled.grains.iter().filter(|b| (a.distance(b.position) / 0.01 - 1.0).abs() < 1e-9).count();
    let inner: Vec<_> = filled.grains.iter().filter(|g| g.position.abs().max_element() < 0.03).collect();
    assert!(inner.len() > 100 && inner.iter().all(|g| near(g.position) == 12));
}

#[test]
fn fills_do_not_overlap_and_stay_inside() {
    let ex = Exec::with_threads(2).unwrap();
    let regions = [
        unit_box(0.1),
        Region::Cylinder { base: Vec3::ZERO, axis: Vec3::new(1.0, 0.0, 1.0), radius: 0.05, height: 0.12 },
        Region::Sphere { centre: Vec3::new(0.1, 0.0, 0.0), radius: 0.06 },
        Region::Frustum { base: Vec3::ZERO, axis: Vec3::Z, radii: [0.01, 0.07], height: 0.1 },
    ];
    let patterns = [
        Pattern::Cubic { spacing: 0.0102, jitter: 0.0001 },
        Pattern::Poisson { gap: 2e-4 },
        Pattern::Random { solid_fraction: 0.25 },
        Pattern::Random { solid_fraction: 0.5 },
    ];
    for region in regions {
        for pattern in patterns {
            let fill = Fill { seed: 5, ..Fill::new(region, pattern, Sizes::uniform(0.003, 0.005)) };
            let filled = fill.make(&ex).unwrap();
            check_no_overlap(&filled.grains).unwrap();
            for grain in &filled.grains {
                let room = region.clearance(grain.position);
                assert!(room >= grain.radius * (1.0 - 1e-9), "{pattern:?} {region:?}");
            }
            if let Pattern::Random { solid_fraction } = pattern {
                // To one grain.
                assert!((filled.solid_fraction - solid_fraction).abs() < 0.002, "{}", filled.solid_fraction);
            }
            if let Pattern::Poisson { .. } = pattern {
                assert!(filled.solid_fraction > 0.15, "{}", filled.solid_fraction);
            }
            assert_eq!(filled, fill.make(&Exec::serial()).unwrap(), "threads do not matter");
        }
    }
}

#[test]
fn random_fills_reach_what_they_promise() {
    let ex = Exec::serial();
    let fill = |solid_fraction| {
        Fill::new(unit_box(0.2), Pattern::Random { solid_fraction }, Sizes::constant(0.005)).make(&ex)
    };
    assert!((fill(0.58).unwrap().solid_fraction - 0.58).abs() < 1e-3);
    let small = Fill::new(unit_box(0.06), Pattern::Random { solid_fraction: 0.7 }, Sizes::constant(0.005));
    let refused = small.make(&ex).unwrap_err();
    let ParticleError::FillDense { wanted: 0.7, reached } = refused else { panic!("{refused}") };
    assert!(reached > 0.3 && reached < 0.65, "{reached}");
}

#[test]
fn wrong_fills_are_refused() {
    let ex = Exec::serial();
    let close = Pattern::Cubic { spacing: 0.009, jitter: 0.0 };
    let refused = Fill::new(unit_box(0.1), close, Sizes::constant(0.005)).make(&ex).unwrap_err();
    assert!(matches!(refused, ParticleError::Overlap { a: 0, b: 1, .. }), "{refused}");
    let wide = Pattern::Cubic { spacing: 0.01, jitter: 0.0 };
    let refused = Fill::new(unit_box(0.001), wide, Sizes::constant(0.005)).make(&ex).unwrap_err();
    assert!(matches!(refused, ParticleError::FillEmpty { .. }), "{refused}");
    for pattern in [Pattern::Cubic { spacing: 0.0, jitter: 0.0 }, Pattern::Random { solid_fraction: 1.0 }] {
        let refused = Fill::new(unit_box(0.1), pattern, Sizes::constant(0.005)).make(&ex).unwrap_err();
        assert!(matches!(refused, ParticleError::Range { .. }), "{refused}");
    }
    let huge = Fill::new(unit_box(1e9), Pattern::Hexagonal { spacing: 1e-3 }, Sizes::constant(0.0005));
    assert!(matches!(huge.make(&ex), Err(ParticleError::TooMany { .. })));
}

#[test]
fn closed_meshes_are_filled() {
    let ex = Exec::serial();
    // An octahedron of half width a: |x| + |y| + |z| < a, volume 4/3 a³.
    let a = 0.1;
    let points =
        vec![Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].into_iter().map(|x| x * a);
    let mut triangles: Vec<[u32; 3]> = (0..4).map(|k| [k, (k + 1) % 4, 4]).collect();
    triangles.extend((0..4).map(|k| [(k + 1) % 4, k, 5]));
    let mesh = WallMesh::new(points.clone().collect(), triangles.clone()).unwrap();
    let fill = Fill::new(
        Region::about(&mesh),
        Pattern::Cubic { spacing: 0.004, jitter: 0.0 },
        Sizes::constant(0.002),
    );
    let filled = fill.make_inside(&ex, &mesh).unwrap();
    let inside = |x: Vec3| (a - x.abs().element_sum()) / 3.0_f64.sqrt();
    assert!(filled.grains.iter().all(|grain| inside(grain.position) >= grain.radius * (1.0 - 1e-9)));
    let all = fill.make(&ex).unwrap().grains;
    let expected = all.iter().filter(|grain| inside(grain.position) >= grain.radius * (1.0 + 1e-9)).count();
    assert!(filled.grains.len() >= expected && expected > 4000, "{} {expected}", filled.grains.len());
    let volume = filled.grains.len() as f64 * 4.0 / 3.0 * PI * 0.002_f64.powi(3);
    assert!((filled.solid_fraction - volume / (4.0 / 3.0 * a.powi(3))).abs() < 1e-12);
    triangles.pop();
    let open = WallMesh::new(points.collect(), triangles).unwrap();
    let refused = fill.make_inside(&ex, &open).unwrap_err();
    assert!(matches!(refused, ParticleError::Mesh(MeshFault::Open { edges: 3 })), "{refused}");
}
