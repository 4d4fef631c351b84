//! Markers of walls and bodies: numbers against closed forms, distances, containers that hold what is in them.

use std::f64::consts::PI;

use huygens_exec::Exec;
use huygens_geometry::{HeightField, Pose, Shape};
use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::sph::{
    FlowSpace, FluidSettings, FluidSystem, MAX_MARKERS, MarkerLayout, SolidMotion, WallFace, WallForm,
    WallSide,
};
use huygens_particles::{MeshFault, ParticleError, WallMesh};

const D: f64 = 0.1;

fn layout() -> MarkerLayout {
    MarkerLayout::new(&FluidSettings { spacing: D, ..FluidSettings::default() })
}

fn flat() -> MarkerLayout {
    MarkerLayout { space: FlowSpace::Plane { normal: 1 }, ..layout() }
}

/// Least distance of two points.
fn nearest(points: &[Vec3]) -> f64 {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut least = f64::INFINITY;
    for (i, a) in sorted.iter().enumerate() {
        let reach = least;
        let near = sorted[i + 1..].iter().take_while(|b| b.x - a.x < reach);
        least = near.map(|b| a.distance(*b)).fold(least, f64::min);
    }
    least
}

/// A box of twelve triangles that face outwards.
fn box_mesh(low: Vec3, high: Vec3) -> WallMesh {
    let corner =
        |k: usize| Vec3::new([low.x, high.x][k & 1], [low.y, high.y][k >> 1 & 1], [low.z, high.z][k >> 2]);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    WallMesh::new((0..8).map(corner).collect(), triangles).unwrap()
}

/// An octahedron: walls at an angle to all axes.
fn octahedron(radius: f64) -> WallMesh {
    let points = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].map(|v| v * radius);
    let triangles =
        [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]].to_vec();
    WallMesh::new(points.to_vec(), triangles).unwrap()
}

#[test]
fn a_kernel_of_layers_fits_the_reach() {
    // The kernel reaches over 2.6 spacings.
    assert_eq!(layout().layers, 3);
}

#[test]
fn boxes_and_plates_have_as_many_markers_as_cells() {
    let (low, high) = (Vec3::ZERO, Vec3::new(10.0, 8.0, 6.0) * D);
    let closed = layout().box_walls(low, high, &[]).unwrap();
    assert_eq!(closed.len(), 16 * 14 * 12 - 10 * 8 * 6);
    let open = layout().box_walls(low, high, &[WallFace::UpperZ]).unwrap();
    assert_eq!(open.len(), 16 * 14 * 9 - 10 * 8 * 6);
    assert!(open.iter().all(|at| at.z < high.z));
    let plane = flat().box_walls(low, high, &[WallFace::UpperZ]).unwrap();
    assert_eq!(plane.len(), 16 * 9 - 10 * 6);
    for walls in [&closed, &open, &plane] {
        assert!((nearest(walls) / D - 1.0).abs() < 1e-9);
    }
    // First layers are half a spacing outside.
    let inner = closed.iter().map(|at| (low - *at).max(*at - high).max_element()).fold(f64::MAX, f64::min);
    assert!((inner - 0.5 * D).abs() < 1e-12);
    let wall = layout().plane_wall(Vec3::ZERO, Vec3::new(0.0, 3.0, 4.0), Vec3::X, [0.5, 1.0]).unwrap();
    assert_eq!(wall.len(), 3 * 10 * 20);
    assert!((nearest(&wall) / D - 1.0).abs() < 1e-9);
    let depth = wall.iter().map(|at| -at.dot(Vec3::new(0.0, 0.6, 0.8)));
    assert!((depth.fold(f64::MAX, f64::min) - 0.5 * D).abs() < 1e-12);
}

#[test]
fn round_walls_and_bodies_have_their_volume() {
    let (radius, height) = (0.73, 1.0);
    let wall = |side, ends| layout().cylinder_wall(Vec3::X, Vec3::Z, radius, height, side, ends).unwrap();
    let tube = wall(WallSide::Inside, [false; 2]);
    let outer = radius + 3.0 * D;
    let volume = PI * (outer * outer - radius * radius) * height;
    assert!((tube.len() as f64 * D.powi(3) / volume - 1.0).abs() < 0.01, "{}", tube.len());
    let tank = wall(WallSide::Inside, [true, false]);
    let floor = PI * outer * outer * 3.0 * D;
    assert!((tank.len() as f64 * D.powi(3) / (volume + floor) - 1.0).abs() < 0.01);
    let post = wall(WallSide::Outside, [true; 2]);
    let core = radius - 3.0 * D;
    let volume = PI * (radius * radius * height - core * core * (height - 6.0 * D));
    assert!((post.len() as f64 * D.powi(3) / volume - 1.0).abs() < 0.02);
    for markers in [&tube, &tank, &post] {
        assert!(nearest(markers) > 0.5 * D, "{}", nearest(markers));
    }
    let full = MarkerLayout { layers: 100, ..layout() };
    let shapes = [
        Shape::sphere(0.6).unwrap(),
        Shape::cuboid(Vec3::new(0.5, 0.34, 0.6)).unwrap(),
        Shape::cylinder(0.45, 0.5).unwrap(),
        Shape::capsule(0.4, 0.5).unwrap(),
        Shape::ellipsoid(Vec3::new(0.8, 0.5, 0.4)).unwrap(),
        Shape::hull(octahedron(0.9).points()).unwrap(),
        Shape::mesh(octahedron(0.9).points().to_vec(), octahedron(0.9).triangles().to_vec()).unwrap(),
    ];
    for shape in shapes {
        let volume = shape.mass_properties(1.0).unwrap().mass;
        let markers = full.solid_shape(&shape).unwrap();
        let ratio = markers.len() as f64 * D.powi(3) / volume;
        assert!((ratio - 1.0).abs() < 0.05, "{}: {ratio}", shape.kind_name());
        assert!(nearest(&markers) > 0.5 * D, "{}: {}", shape.kind_name(), nearest(&markers));
        // Hollow ones have the outer markers of full ones.
        let hollow = MarkerLayout { layers: 2, ..full }.solid_shape(&shape).unwrap();
        assert!(hollow.len() < markers.len() && hollow.iter().all(|at| markers.contains(at)));
    }
    let disc = flat().solid_shape(&Shape::sphere(0.3).unwrap()).unwrap();
    assert!(
        (disc.len() as f64 * D * D / (PI * 0.09) - 1.0).abs() < 0.05 && disc.iter().all(|at| at.y == 0.0)
    );
}

#[test]
fn a_mesh_of_a_box_has_the_walls_of_the_box() {
    let (low, high) = (Vec3::ZERO, Vec3::new(10.0, 8.0, 6.0) * D);
    let mesh = box_mesh(low, high);
    let key = |at: &Vec3| (at / D * 2.0).round().to_array().map(|x| x as i64);
    let sorted = |mut keys: Vec<[i64; 3]>| {
        keys.sort_unstable();
        keys
    };
    let walls = layout().mesh_wall(&mesh, WallSide::Inside).unwrap();
    // Corners of the box of walls that are farther than three layers are rounded off.
    let depth = |at: &Vec3| (*at - at.clamp(low, high)).length();
    let all = layout().box_walls(low, high, &[]).unwrap();
    let expected = all.iter().filter(|at| depth(at) < 3.0 * D).map(key).collect();
    assert_eq!(sorted(walls.iter().map(key).collect()), sorted(expected));
    let fluid = layout().fill_mesh(&mesh).unwrap();
    let region = layout().fill_region(&Region::Box { low, high }).unwrap();
    assert_eq!(fluid.len(), 10 * 8 * 6);
    assert_eq!(sorted(fluid.iter().map(key).collect()), sorted(region.iter().map(key).collect()));
    assert!(layout().check_apart(&fluid, &walls).is_ok());
    // From outside it is a body: the same as a solid box.
    let body = layout().mesh_wall(&mesh, WallSide::Outside).unwrap();
    assert_eq!(body.len(), 10 * 8 * 6);
    // Without its lid it has no inside.
    let rim = WallMesh::new(mesh.points().to_vec(), mesh.triangles()[..10].to_vec()).unwrap();
    let error = layout().mesh_wall(&rim, WallSide::Inside).unwrap_err();
    assert!(matches!(error, ParticleError::Mesh(MeshFault::Open { edges: 4 })), "{error}");
    assert!(layout().fill_mesh(&rim).is_err());
}

#[test]
fn a_fill_keeps_its_volume_and_makes_room() {
    let region = Region::Sphere { centre: Vec3::ZERO, radius: 1.0 };
    let fluid = layout().fill_region(&region).unwrap();
    // A lattice loses 0.3 of a layer at its boundary.
    let inner: f64 = 1.0 - 0.3 * D;
    let volume = 4.0 / 3.0 * PI * inner.powi(3);
    assert!((fluid.len() as f64 * D.powi(3) / volume - 1.0).abs() < 0.02);
    let body = layout().solid_shape(&Shape::sphere(0.4).unwrap()).unwrap();
    let error = layout().check_apart(&fluid, &body).unwrap_err();
    let ParticleError::FluidOverlap { count, of, distance, .. } = error else { panic!("{error}") };
    let rest = layout().without(fluid.clone(), &body);
    assert_eq!((count, of), (fluid.len() - rest.len(), fluid.len()));
    assert!(distance < 0.9 * D);
    let apart = |a: &Vec3| body.iter().map(|b| a.distance(*b)).fold(f64::MAX, f64::min);
    assert!(rest.iter().all(|at| apart(at) >= 0.9 * D));
    assert!(fluid.iter().filter(|at| !rest.contains(at)).all(|at| apart(at) < 0.9 * D));
}

#[test]
fn a_hollow_body_has_no_fluid_in_it() {
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::splat(2.0) };
    let shape = Shape::cuboid(Vec3::new(0.5, 0.6, 0.7)).unwrap();
    let pose = Pose { position: Vec3::splat(1.0), ..Pose::IDENTITY };
    let fluid = layout().fill_region(&region).unwrap();
    let markers: Vec<Vec3> = layout().solid_shape(&shape).unwrap().iter().map(|at| *at + 1.0).collect();
    assert!(markers.len() < 10 * 12 * 14);
    let left: Vec<Vec3> =
        fluid.iter().copied().filter(|at| !(*at - 1.0).abs().cmple(Vec3::new(0.5, 0.6, 0.7)).all()).collect();
    let rest = layout().without_bodies(fluid, &[(pose, shape)], &markers, &[]);
    assert_eq!(rest.len(), 20 * 20 * 20 - 10 * 12 * 14);
    // A body that the lattice suits moves nothing.
    assert_eq!(rest, left);
    layout().check_apart(&rest, &markers).unwrap();
}

#[test]
fn lines_are_rows_or_rings() {
    let line = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0)];
    let thin = layout().line_markers(&line, 0.03).unwrap();
    assert_eq!(thin.len(), 20);
    for marker in &thin {
        let [a, b] = [line[marker.segment], line[marker.segment + 1]];
        assert!(marker.position.distance(a.lerp(b, marker.share)) < 1e-12);
    }
    let thick = layout().line_markers(&line[..2], 0.25).unwrap();
    // Rings of radii 0.2 and 0.1, and one in the middle.
    assert_eq!(thick.len(), 10 * (13 + 6 + 1));
    assert!(thick.iter().all(|marker| marker.offset.x.abs() < 1e-12 && marker.offset.length() < 0.2 + 1e-12));
    let points: Vec<Vec3> = thick.iter().map(|marker| marker.position).collect();
    assert!(nearest(&points) > 0.5 * D);
    let plane = flat().line_markers(&line[..2], 0.2).unwrap();
    assert_eq!(plane.len(), 10 * 4);
    assert!(plane.iter().all(|marker| marker.position.y == 0.0));
}

#[test]
fn what_cannot_be_filled_is_refused() {
    let gap = |error: ParticleError| match error {
        ParticleError::FluidGap { gap, spacing, fits, .. } => (gap, spacing, fits),
        other => panic!("{other}"),
    };
    let high = Vec3::new(1.0, 1.0, 0.12);
    let error = layout().fill_region(&Region::Box { low: Vec3::ZERO, high }).unwrap_err();
    assert!(error.to_string().contains("only 1 fits"), "{error}");
    assert_eq!(gap(error), (0.12, D, 1));
    let ball = Region::Sphere { centre: Vec3::ZERO, radius: 0.04 };
    assert_eq!(gap(layout().fill_region(&ball).unwrap_err()), (0.08, D, 0));
    assert_eq!(gap(layout().solid_shape(&Shape::sphere(0.04).unwrap()).unwrap_err()).2, 0);
    let plate = Shape::cuboid(Vec3::new(1.0, 1.0, 0.02)).unwrap();
    assert_eq!(gap(layout().solid_shape(&plate).unwrap_err()), (0.04, D, 0));
    assert!(layout().solid_shape(&Shape::half_space()).is_err());
    assert!(layout().box_walls(Vec3::ZERO, Vec3::new(1.0, -1.0, 1.0), &[]).is_err());
    assert!(layout().box_walls(Vec3::ZERO, Vec3::NAN, &[]).is_err());
    assert!(layout().plane_wall(Vec3::ZERO, Vec3::ZERO, Vec3::X, [1.0; 2]).is_err());
    assert!(layout().line_markers(&[Vec3::ZERO], 0.1).is_err());
    assert!(layout().fill_region(&Region::Box { low: Vec3::ZERO, high: Vec3::splat(1e6) }).is_err());
    for spacing in [0.0, -1.0, f64::NAN] {
        assert!(MarkerLayout { spacing, ..layout() }.box_walls(Vec3::ZERO, Vec3::ONE, &[]).is_err());
    }
}

/// Drops a block of fluid into a container; the least clearance of its particles from the wall.
fn drop(walls: &[Vec3], block: Region, clearance: impl Fn(Vec3) -> f64, space: FlowSpace) {
    let settings =
        FluidSettings { space, spacing: D, sound: 45.0, artificial: 0.1, ..FluidSettings::default() };
    let fluid = layout_in(space).fill_region(&block).unwrap();
    assert!(fluid.len() > 50);
    layout_in(space).check_apart(&fluid, walls).unwrap();
    let mut system = FluidSystem::new(settings).unwrap();
    system.add_points(&fluid, |_| 0.0).unwrap();
    system.add_solid("walls", walls, SolidMotion::default(), false).unwrap();
    system.run_for(&Exec::serial(), 0.8).unwrap();
    assert_eq!(system.len(), fluid.len());
    let least = system.particles().map(|p| clearance(p.position)).fold(f64::MAX, f64::min);
    assert!(least > -0.1 * D, "{}", least / D);
    // It fell.
    let height = |points: &mut dyn Iterator<Item = Vec3>| points.map(|at| at.z).fold(f64::MAX, f64::min);
    let fell = height(&mut fluid.iter().copied()) - height(&mut system.particles().map(|p| p.position));
    assert!(fell > 0.5 * D, "{fell}");
}

fn layout_in(space: FlowSpace) -> MarkerLayout {
    MarkerLayout { space, ..layout() }
}

#[test]
fn containers_hold_what_is_dropped_into_them() {
    let space = FlowSpace::Space;
    let tank = Region::Box { low: Vec3::ZERO, high: Vec3::new(0.8, 0.6, 1.2) };
    let walls = layout().box_walls(Vec3::ZERO, Vec3::new(0.8, 0.6, 1.2), &[WallFace::UpperZ]).unwrap();
    let block = Region::Box { low: Vec3::new(0.0, 0.0, 0.2), high: Vec3::new(0.5, 0.6, 0.8) };
    drop(&walls, block, |at| tank.clearance(at.with_z(at.z.min(1.0))), space);

    let pipe = Region::Cylinder { base: Vec3::ZERO, axis: Vec3::Z, radius: 0.43, height: 2.0 };
    let walls =
        layout().cylinder_wall(Vec3::ZERO, Vec3::Z, 0.43, 1.5, WallSide::Inside, [true, false]).unwrap();
    let block = Region::Cylinder { base: Vec3::Z * 0.2, axis: Vec3::Z, radius: 0.35, height: 0.6 };
    drop(&walls, block, |at| pipe.clearance(at), space);

    // Walls at an angle to the lattice, closed on top.
    let radius = 0.9;
    let walls = layout().mesh_wall(&octahedron(radius), WallSide::Inside).unwrap();
    let block = Region::Box { low: Vec3::new(-0.2, -0.3, -0.2), high: Vec3::new(0.3, 0.2, 0.3) };
    let inside = |at: Vec3| (radius - at.abs().element_sum()) / 3.0_f64.sqrt();
    drop(&walls, block, inside, space);

    // A bowl.
    let (count, size) = (25, 2.4);
    let at = |i: usize| size * (i as f64 / (count - 1) as f64 - 0.5);
    let heights = (0..count * count).map(|k| 0.8 * (at(k % count).powi(2) + at(k / count).powi(2))).collect();
    let field = HeightField::new(count, count, heights, [size; 2].into()).unwrap();
    let walls = layout().heightmap_wall(&field, &Pose::IDENTITY).unwrap();
    let block = Region::Box { low: Vec3::new(-0.3, -0.2, 0.3), high: Vec3::new(0.3, 0.3, 0.7) };
    let above = |at: Vec3| {
        (at.z - 0.8 * (at.x * at.x + at.y * at.y)) / (1.0 + 2.56 * (at.x * at.x + at.y * at.y)).sqrt()
    };
    drop(&walls, block, above, space);

    let plane = FlowSpace::Plane { normal: 1 };
    let flat = layout_in(plane);
    let walls = flat.box_walls(Vec3::ZERO, Vec3::new(1.6, 0.0, 2.0), &[WallFace::UpperZ]).unwrap();
    let block = Region::Box { low: Vec3::new(0.0, 0.0, 0.3), high: Vec3::new(0.8, 0.0, 1.1) };
    drop(&walls, block, |at| at.x.min(1.6 - at.x).min(at.z), plane);
}

fn capsule(z: f64, half_length: f64) -> (Pose, Shape) {
    (Pose::at(Vec3::Z * z), Shape::Capsule { radius: 0.02, half_length })
}

#[test]
fn pieces_that_follow_one_another_share_evenly_spaced_markers() {
    // Two pieces of 0.25 m: one line with five markers, half a spacing from its ends; the third is on the joint.
    let pieces = [capsule(0.125, 0.125), capsule(0.375, 0.125)];
    let parts = layout().piece_markers(&pieces).unwrap();
    let heights: Vec<f64> = parts
        .iter()
        .zip(&pieces)
        .flat_map(|(part, (pose, _))| part.iter().map(|p| pose.point(*p).z))
        .collect();
    assert_eq!((parts[0].len() + parts[1].len(), heights.len()), (5, 5));
    for (got, expected) in heights.iter().zip([0.05, 0.15, 0.25, 0.35, 0.45]) {
        assert!((got - expected).abs() < 1e-12, "{heights:?}");
    }
    // With a gap between them they are two lines of 0.25 m, of three markers each (rounded from 2.5).
    let apart = layout().piece_markers(&[capsule(0.125, 0.125), capsule(0.475, 0.125)]).unwrap();
    assert_eq!(apart.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    // A small ball is one marker, a large one is filled.
    let ball = |radius| (Pose::IDENTITY, Shape::Sphere { radius });
    let balls = layout().piece_markers(&[ball(0.075), ball(0.2)]).unwrap();
    assert_eq!(balls[0], [Vec3::ZERO]);
    assert_eq!(balls[1], layout().solid_shape(&Shape::Sphere { radius: 0.2 }).unwrap());
}

#[test]
fn walls_have_the_markers_of_their_form() {
    let pose = Pose { position: Vec3::new(1.0, 2.0, 3.0), rotation: about_z(0.5) };
    let (low, high) = (Vec3::ZERO, Vec3::new(0.4, 0.3, 0.2));
    let open = [WallFace::UpperZ];
    let tank = WallForm::Box { low, high, open: &open, side: WallSide::Inside };
    let made = layout().wall_markers(&tank, &pose).unwrap();
    let own = layout().box_walls(low, high, &open).unwrap();
    assert_eq!(made.points, own.iter().map(|p| pose.point(*p)).collect::<Vec<_>>());
    assert!(made.shapes.is_empty());
    // A block of 14³ cells with three layers is hollow, but keeps fluid out of all of it.
    let block = WallForm::Box { low, high: Vec3::splat(1.4), open: &[], side: WallSide::Outside };
    let made = layout().wall_markers(&block, &pose).unwrap();
    assert_eq!(made.points.len(), 14 * 14 * 14 - 8 * 8 * 8);
    assert!(layout().check_outside(&[pose.point(Vec3::splat(0.7))], &made.shapes).is_err());
    assert!(layout().check_outside(&[pose.point(Vec3::splat(1.45))], &made.shapes).is_ok());
    let middle = made.points.iter().sum::<Vec3>() / made.points.len() as f64;
    assert!(middle.distance(pose.point(Vec3::splat(0.7))) < 1e-12);
    // In a plane, axes of a wall must be along its normal.
    let oblique = Pose { rotation: huygens_kernel::Quat::from_axis_angle(Vec3::X, 0.3), ..pose };
    assert!(matches!(flat().wall_markers(&tank, &oblique), Err(ParticleError::FluidAxes)));
    // A quarter turn puts another axis there.
    let quarter = huygens_kernel::Quat::from_axis_angle(Vec3::X, 0.5 * PI);
    assert_eq!(flat().turned(quarter).unwrap().space, FlowSpace::Plane { normal: 2 });
}

fn about_z(angle: f64) -> huygens_kernel::Quat {
    huygens_kernel::Quat::from_axis_angle(Vec3::Z, angle)
}

#[test]
fn bodies_of_shapes_that_overlap_have_no_marker_twice() {
    let cube = Shape::Box { half: Vec3::splat(0.2) };
    let shapes = [(Pose::IDENTITY, cube.clone()), (Pose::at(Vec3::X * 0.2), cube)];
    let made = layout().body_markers(&shapes, huygens_kernel::Quat::IDENTITY).unwrap();
    // 4³ cells and two more layers of 4² cells; no marker is nearer to another than a spacing.
    assert_eq!(made.points.len(), 64 + 32);
    assert!((nearest(&made.points) / D - 1.0).abs() < 1e-9);
}

#[test]
fn more_cells_than_there_may_be_are_refused() {
    // 271 spacings and three layers on both sides are 277³ = 2.1e7 cells; 265 and six are 271³ = 1.99e7.
    assert!(matches!(
        layout().check_cells(Vec3::splat(27.1)),
        Err(ParticleError::FluidCells { limit: MAX_MARKERS, .. })
    ));
    layout().check_cells(Vec3::splat(26.5)).unwrap();
    // A tank has markers in its walls only: 1006³ - 1000³ cells of 100 m are 1.8e7.
    let tank = |side: f64| {
        let high = Vec3::splat(side);
        let wall = WallForm::Box { low: Vec3::ZERO, high, open: &[], side: WallSide::Inside };
        layout().wall_markers(&wall, &Pose::IDENTITY)
    };
    assert!(matches!(tank(110.0), Err(ParticleError::FluidMarkers { .. })));
    // A line of 2·10⁷ cells and one more.
    let line = |half_length| layout().check_pieces(&[Shape::Capsule { radius: 1e-9, half_length }]);
    line(0.99e6).unwrap();
    assert!(matches!(line(1.01e6), Err(ParticleError::FluidCells { what: "its lines take", .. })));
}

#[test]
fn markers_without_company_are_refused() {
    let reach = 0.3;
    let mut points = vec![Vec3::ZERO, Vec3::X * 0.29, Vec3::new(0.5, 0.15, 0.0)];
    layout().check_company("sieve", &points, reach).unwrap();
    points.push(Vec3::splat(1e300));
    let alone = layout().check_company("sieve", &points, reach).unwrap_err();
    assert!(matches!(alone, ParticleError::FluidAlone { number: 3, .. }), "{alone}");
}

#[test]
fn points_are_put_into_the_plane_of_the_flow() {
    let pose = Pose { position: Vec3::new(0.0, 0.7, 0.0), rotation: about_z(0.5 * PI) };
    let mut points = [Vec3::new(1.0, 2.0, 3.0)];
    // A quarter turn about z: x of the frame is y of the world, at 1.7 m; it comes to 0.
    flat().flatten(&pose, &mut points);
    assert!(points[0].distance(Vec3::new(-0.7, 2.0, 3.0)) < 1e-14, "{points:?}");
    layout().flatten(&pose, &mut points);
    assert!(points[0].distance(Vec3::new(-0.7, 2.0, 3.0)) < 1e-14, "{points:?}");
}
