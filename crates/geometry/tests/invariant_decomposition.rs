//! Convex decomposition: it fills the mesh and not its hollows, and its cache is used or rewritten as it must be.

use std::fs;

use glam::{DVec2, DVec3};
use huygens_geometry::decomposition::{
    CacheFault, CacheUse, DecompositionError, DecompositionSettings, decompose, decompose_cached,
};
use huygens_geometry::mesh_file::MeshLimits;
use huygens_geometry::{Shape, TriangleMesh};

/// A channel of U-shaped section, scaled by `size`: outer 3 × 2 × 2, hollow 1 × 1 from above.
fn channel(size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let outline = [[0, 0], [3, 0], [3, 2], [2, 2], [2, 1], [1, 1], [1, 2], [0, 2]]
        .map(|p: [i32; 2]| DVec2::new(p[0].into(), p[1].into()));
    let mut vertices: Vec<DVec3> = outline.iter().map(|p| p.extend(0.0) * size).collect();
    vertices.extend(outline.iter().map(|p| p.extend(2.0) * size));
    let caps = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]];
    let mut triangles: Vec<[u32; 3]> = caps.iter().map(|&[a, b, c]| [a + 8, b + 8, c + 8]).collect();
    triangles.extend(caps.iter().map(|&[a, b, c]| [a, c, b]));
    for i in 0..8 {
        let j = (i + 1) % 8;
        triangles.extend([[i, j, j + 8], [i, j + 8, i + 8]]);
    }
    (vertices, triangles)
}

fn torus(rings: u32, sides: u32) -> TriangleMesh {
    let angle = |i: u32, n: u32| (f64::from(i) / f64::from(n) * std::f64::consts::TAU).sin_cos();
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..rings {
        for j in 0..sides {
            let ((si, ci), (sj, cj)) = (angle(i, rings), angle(j, sides));
            vertices.push(DVec3::new((2.0 + 0.6 * cj) * ci, (2.0 + 0.6 * cj) * si, 0.6 * sj));
            let at = |i: u32, j: u32| (i % rings) * sides + j % sides;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

fn volume(shape: &Shape) -> f64 {
    shape.mass_properties(1.0).unwrap().mass
}

/// How far a point lies outside a hull; negative inside.
fn outside(hull: &Shape, point: DVec3) -> f64 {
    let Shape::Hull(hull) = hull else { panic!("a decomposition consists of hulls") };
    let planes = (0..hull.face_count()).map(|f| {
        let corner = hull.vertices()[hull.face(f)[0] as usize];
        hull.face_normals()[f].dot(point - corner)
    });
    planes.fold(f64::NEG_INFINITY, f64::max)
}

fn outside_all(hulls: &[Shape], point: DVec3) -> f64 {
    hulls.iter().map(|hull| outside(hull, point)).fold(f64::INFINITY, f64::min)
}

fn bits(hulls: &[Shape]) -> Vec<[u64; 3]> {
    let vertices = hulls.iter().flat_map(|hull| {
        let Shape::Hull(hull) = hull else { panic!("a decomposition consists of hulls") };
        hull.vertices().to_vec()
    });
    vertices.map(|v| v.to_array().map(f64::to_bits)).collect()
}

#[test]
fn a_channel_keeps_its_hollow_at_any_scale() {
    for size in [1e-6, 1.0, 1e6] {
        let (vertices, triangles) = channel(size);
        let mesh = TriangleMesh::new(vertices.clone(), triangles).unwrap();
        let settings = DecompositionSettings { resolution: 32, ..Default::default() };
        let hulls = decompose(&mesh, &settings).unwrap();
        assert!((3..=8).contains(&hulls.len()), "{} hulls", hulls.len());
        let total: f64 = hulls.iter().map(volume).sum::<f64>() / size.powi(3);
        assert!((total - 10.0).abs() < 0.5, "{total}");
        for vertex in &vertices {
            assert!(outside_all(&hulls, *vertex) < 1e-9 * size, "a corner of the mesh is lost");
        }
        // The middle of the hollow is half an edge from the nearest wall.
        assert!(outside_all(&hulls, DVec3::new(1.5, 1.6, 1.0) * size) > 0.4 * size);
        for inner in [[0.5, 1.5, 1.0], [2.5, 1.5, 1.0], [1.5, 0.5, 1.0], [0.1, 0.1, 0.1], [2.9, 1.9, 1.9]] {
            // A point on a cut lies on the surface of both sides.
            let depth = outside_all(&hulls, DVec3::from(inner) * size);
            assert!(depth < 1e-9 * size, "{inner:?} is not covered: {depth}");
        }
    }
}

#[test]
fn a_torus_obeys_its_limits_and_repeats_to_the_bit() {
    let mesh = torus(48, 16);
    let settings =
        DecompositionSettings { resolution: 40, max_hulls: 12, max_vertices: 24, ..Default::default() };
    let hulls = decompose(&mesh, &settings).unwrap();
    assert!((6..=12).contains(&hulls.len()), "{} hulls", hulls.len());
    for hull in &hulls {
        let Shape::Hull(hull) = hull else { panic!("a decomposition consists of hulls") };
        assert!(hull.vertices().len() <= 24);
    }
    assert!(outside_all(&hulls, DVec3::ZERO) > 0.9, "the hole is closed");
    let ring = |i: usize| DVec3::new((0.3 * i as f64).cos(), (0.3 * i as f64).sin(), 0.0) * 2.0;
    // The plane of the ring may be a cut, whose points lie on the surface of both sides.
    assert!((0..21).all(|i| outside_all(&hulls, ring(i)) < 1e-9), "the ring is broken");
    assert_eq!(bits(&hulls), bits(&decompose(&mesh, &settings).unwrap()));
}

#[test]
fn a_convex_mesh_stays_whole() {
    let hull = Shape::hull(&channel(1.0).0).unwrap();
    let Shape::Hull(hull) = hull else { panic!() };
    let mesh = TriangleMesh::new(hull.vertices().to_vec(), hull.triangles().to_vec()).unwrap();
    let hulls = decompose(&mesh, &DecompositionSettings { resolution: 32, ..Default::default() }).unwrap();
    assert_eq!(hulls.len(), 1);
    assert!((volume(&hulls[0]) - 12.0).abs() < 1e-9);
}

#[test]
fn the_cache_is_used_and_renewed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("channel.obj");
    let write_mesh = |size: f64| {
        let (vertices, triangles) = channel(size);
        let mut text: String = vertices.iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z)).collect();
        text.extend(triangles.iter().map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1)));
        fs::write(&path, text).unwrap();
    };
    let cache = folder.path().join("channel.obj.hulls");
    let mut settings = DecompositionSettings { resolution: 24, ..Default::default() };
    let run =
        |settings: &DecompositionSettings| decompose_cached(&path, &MeshLimits::default(), settings).unwrap();

    write_mesh(1.0);
    let first = run(&settings);
    assert_eq!(first.cache, CacheUse::Written);
    let again = run(&settings);
    assert_eq!(again.cache, CacheUse::Reused);
    assert_eq!(bits(&first.hulls), bits(&again.hulls));

    settings.concavity = 0.02;
    assert_eq!(run(&settings).cache, CacheUse::Replaced(CacheFault::Stale));
    write_mesh(2.0);
    assert_eq!(run(&settings).cache, CacheUse::Replaced(CacheFault::Stale));

    let sound = fs::read(&cache).unwrap();
    for at in (0..sound.len()).step_by(97) {
        let mut damaged = sound.clone();
        damaged[at] ^= 4;
        fs::write(&cache, damaged).unwrap();
        let renewed = run(&settings);
        assert_eq!(renewed.cache, CacheUse::Replaced(CacheFault::Damaged), "byte {at}");
    }
    assert_eq!(fs::read(&cache).unwrap(), sound);
    for length in [0, 31, 50, sound.len() - 1] {
        fs::write(&cache, &sound[..length]).unwrap();
        assert_eq!(run(&settings).cache, CacheUse::Replaced(CacheFault::Damaged));
    }
    // A folder in its place can be neither read nor replaced.
    fs::remove_file(&cache).unwrap();
    fs::create_dir(&cache).unwrap();
    assert!(matches!(run(&settings).cache, CacheUse::NotWritten(_)));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "temporary files are left: {left:?}");
}

#[test]
fn wrong_input_is_refused() {
    let (vertices, triangles) = channel(1.0);
    let mesh = TriangleMesh::new(vertices, triangles).unwrap();
    let sound = DecompositionSettings::default();
    for settings in [
        DecompositionSettings { resolution: 0, ..sound },
        DecompositionSettings { resolution: 100_000, ..sound },
        DecompositionSettings { concavity: f64::NAN, ..sound },
        DecompositionSettings { max_hulls: 0, ..sound },
        DecompositionSettings { max_vertices: 3, ..sound },
    ] {
        assert!(matches!(decompose(&mesh, &settings), Err(DecompositionError::Setting { .. })));
    }
    let sheet = TriangleMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    match decompose(&sheet, &sound) {
        Err(DecompositionError::Flat) => {}
        other => panic!("{other:?}"),
    }
}
