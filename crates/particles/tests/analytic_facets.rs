//! Walls that deform, against planes where they are flat, and the maps between contacts and vertices.

use std::sync::Arc;

use huygens_exec::Exec;
use huygens_kernel::contact::*;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::{
    FacetTopology, Facets, Grain, GrainSettings, GrainSystem, MeshFault, ParticleError, Wall, WallDrive,
    WallMotion,
};

/// Cells along a side.
const CELLS: u32 = 7;

/// Quadrilaterals of a square sheet.
fn sheet() -> Arc<FacetTopology> {
    let row = CELLS + 1;
    let cells = (0..CELLS * CELLS).map(|k| k % CELLS + k / CELLS * row);
    let faces: Vec<[u32; 4]> = cells.map(|k| [k, k + 1, k + 1 + row, k + row]).collect();
    Arc::new(FacetTopology::new((row * row) as usize, &faces).unwrap())
}

/// Vertices of a flat sheet of the side `side` [m] about the origin, not evenly cut.
fn flat(side: f64) -> Vec<Vec3> {
    let at = |k: u32| {
        let share = f64::from(k) / f64::from(CELLS);
        side * (share - 0.5 + 0.03 * (9.0 * share).sin() * share * (1.0 - share))
    };
    let row = CELLS + 1;
    (0..row * row).map(|k| Vec3::new(at(k % row), at(k / row), 0.0)).collect()
}

fn system(grains: &[Grain], gravity: Vec3) -> GrainSystem {
    let material = CompliantMaterial {
        young: 1e6,
        friction: 0.5,
        rolling_friction: 1e-3,
        spinning_friction: 1e-3,
        ..CompliantMaterial::default()
    };
    let settings = GrainSettings { materials: vec![material], gravity, ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    grains.iter().for_each(|grain| assert!(system.add(grain).is_ok()));
    system
}

/// Forces and torques by id.
fn loads(system: &GrainSystem) -> Vec<[Vec3; 2]> {
    let mut rows: Vec<_> = system.ids().iter().zip(system.forces().iter().zip(system.torques())).collect();
    rows.sort_unstable_by_key(|row| *row.0);
    rows.iter().map(|(_, (force, torque))| [force.vector(), torque.vector()]).collect()
}

/// Largest difference of forces and torques, over the largest of all.
fn difference(a: &GrainSystem, b: &GrainSystem) -> f64 {
    let (a, b) = (loads(a), loads(b));
    let part = |k: usize| {
        let largest = a.iter().map(|load| load[k].length()).fold(0.0, f64::max);
        let off = a.iter().zip(&b).map(|(a, b)| a[k].distance(b[k])).fold(0.0, f64::max);
        assert!(largest > 0.0);
        off / largest
    };
    part(0).max(part(1))
}

fn bed() -> Vec<Grain> {
    (0..36)
        .map(|k: u32| Grain {
            position: Vec3::new(0.05 * f64::from(k % 6) - 0.13, 0.05 * f64::from(k / 6) - 0.12, 0.019),
            radius: 0.02,
            velocity: Vec3::new(0.3, -0.1 * f64::from(k % 3), 0.0),
            angular_velocity: Vec3::new(f64::from(k % 5) - 2.0, 1.0, 3.0 - f64::from(k % 7)),
            ..Grain::default()
        })
        .collect()
}

#[test]
fn a_plate_that_translates_is_a_plane() {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let (mut plate, mut plane) = (system(&bed(), gravity), system(&bed(), gravity));
    plate.add_wall(Wall::facets("plate", Facets::new(sheet(), flat(1.0)).unwrap())).unwrap();
    plane.add_wall(Wall::plane("plane", Vec3::ZERO, Vec3::Z)).unwrap();
    // Outer steps of ten steps, each with a velocity of its own.
    let (step, mut at) = (1e-5, Vec3::ZERO);
    for outer in 0..60 {
        let angle = 0.2 * f64::from(outer);
        let velocity = Vec3::new(0.4 * angle.cos(), 0.3 * angle.sin(), 0.05 * (1.5 * angle).sin());
        let end = at + velocity * (10.0 * step);
        let moved = |by: Vec3| flat(1.0).iter().map(|x| *x + by).collect::<Vec<_>>();
        plate.set_facet_motion(0, &moved(at), &moved(end), 10.0 * step).unwrap();
        plane
            .set_wall_motion(0, WallMotion { position: at, velocity, ..WallMotion::along(at, Vec3::Z) })
            .unwrap();
        for system in [&mut plate, &mut plane] {
            system.run(&Exec::serial(), step, 10).unwrap();
        }
        at = end;
        assert!(difference(&plane, &plate) < 1e-10, "{outer}: {}", difference(&plane, &plate));
        assert_eq!(plate.wall_contact_count(), plane.wall_contact_count());
    }
    assert_eq!(plate.wall_contact_count(), 36);
    let (a, b) = (plate.wall_work(0), plane.wall_work(0));
    assert!(b.abs() > 1e-6 && (a - b).abs() < 1e-9 * b.abs(), "{a} {b}");
}

#[test]
fn a_plate_that_tilts_is_a_plane() {
    let (mut plate, mut plane) = (system(&bed(), Vec3::ZERO), system(&bed(), Vec3::ZERO));
    plate.add_wall(Wall::facets("plate", Facets::new(sheet(), flat(1.0)).unwrap())).unwrap();
    plane.add_wall(Wall::plane("plane", Vec3::ZERO, Vec3::Z)).unwrap();
    // The grains stay while the wall turns a little under them: springs of sliding, rolling and spinning grow.
    let spin = Vec3::new(0.05, -0.08, 0.3);
    for k in 0..200 {
        let turn = Quat::from_scaled_axis(spin * (1e-5 * f64::from(k)));
        let at = flat(1.0).iter().map(|x| turn * *x).collect::<Vec<_>>();
        let velocities = at.iter().map(|x| spin.cross(*x)).collect::<Vec<_>>();
        plate.set_facet_velocities(0, &at, &velocities).unwrap();
        let motion = WallMotion { rotation: turn, angular_velocity: spin, ..WallMotion::default() };
        plane.set_wall_motion(0, motion).unwrap();
        for system in [&mut plate, &mut plane] {
            system.update_forces(&Exec::serial(), 1e-5);
        }
        let off = difference(&plane, &plate);
        assert!(off < 1e-10, "{k}: {off}");
        let [a, b] = [&plate, &plane].map(|system| system.wall_wrench(0));
        assert!(a[0].distance(b[0]) < 1e-10 * b[0].length() && a[1].distance(b[1]) < 1e-10 * b[1].length());
    }
    assert_eq!(plate.wall_contact_count(), 36);
}

#[test]
fn a_thick_sheet_is_touched_at_its_faces() {
    let thickness = 0.006;
    let lifted: Vec<Grain> = bed()
        .iter()
        .map(|grain| Grain { position: grain.position + Vec3::Z * (0.5 * thickness), ..*grain })
        .collect();
    let (mut plate, mut plane) = (system(&lifted, Vec3::ZERO), system(&lifted, Vec3::ZERO));
    let facets = Facets::new(sheet(), flat(1.0)).unwrap().with_thickness(thickness).unwrap();
    plate.add_wall(Wall::facets("plate", facets)).unwrap();
    plane.add_wall(Wall::plane("plane", Vec3::Z * (0.5 * thickness), Vec3::Z)).unwrap();
    let spin = Vec3::new(2.0, -1.0, 3.0);
    let velocities = flat(1.0).iter().map(|x| spin.cross(*x)).collect::<Vec<_>>();
    plate.set_facet_velocities(0, &flat(1.0), &velocities).unwrap();
    let position = Vec3::Z * (0.5 * thickness);
    let motion = WallMotion {
        position,
        velocity: spin.cross(position),
        angular_velocity: spin,
        ..WallMotion::default()
    };
    plane.set_wall_motion(0, motion).unwrap();
    for system in [&mut plate, &mut plane] {
        system.update_forces(&Exec::serial(), 1e-5);
    }
    assert_eq!(plate.wall_contact_count(), 36);
    assert!(difference(&plane, &plate) < 1e-10);
}

#[test]
fn a_grain_rolls_over_edges_without_a_bump() {
    // Pushed along a skew line over some twenty edges, sliding at first and rolling then.
    let grain = Grain {
        position: Vec3::new(-0.3, -0.22, 0.01999),
        radius: 0.02,
        velocity: Vec3::new(1.0, 0.7, 0.0),
        ..Grain::default()
    };
    let gravity = Vec3::new(1.0, 0.5, -9.81);
    let (mut mesh, mut plane) = (system(&[grain], gravity), system(&[grain], gravity));
    mesh.add_wall(Wall::facets("sheet", Facets::new(sheet(), flat(1.0)).unwrap())).unwrap();
    plane.add_wall(Wall::plane("plane", Vec3::ZERO, Vec3::Z)).unwrap();
    for k in 0..500 {
        for system in [&mut mesh, &mut plane] {
            system.run(&Exec::serial(), 1e-5, 100).unwrap();
        }
        let (a, b) = (loads(&mesh)[0], loads(&plane)[0]);
        assert_eq!(mesh.wall_contact_count(), plane.wall_contact_count(), "{k}");
        for k in 0..2 {
            assert!(a[k].distance(b[k]) <= 1e-9 * b[k].length(), "{k}: {a:?} {b:?}");
        }
    }
    let way = mesh.places()[0].vector() - grain.position;
    assert!(way.x > 0.4 && way.y > 0.25, "{way}");
    // It sticks: without memory of sliding it would not be held back.
    assert!(loads(&mesh)[0][0].truncate().length() > 1e-4 * loads(&mesh)[0][0].length());
}

#[test]
fn forces_of_a_contact_go_to_the_vertices_exactly() {
    // One grain, deep in a skew triangle that deforms in every way, with all couples.
    let topology = Arc::new(FacetTopology::of_triangles(3, vec![[0, 1, 2]]).unwrap());
    let corners = [Vec3::new(0.31, 0.02, 0.11), Vec3::new(0.36, 0.03, 0.09), Vec3::new(0.32, 0.06, 0.13)];
    let velocities = [Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.8, -1.0), Vec3::new(-0.7, 0.2, 1.5)];
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
    for (side, thickness) in [(1.0, 0.0), (-1.0, 0.0), (1.0, 0.004), (-1.0, 0.004)] {
        let foot = corners[0] * 0.5 + corners[1] * 0.2 + corners[2] * 0.3;
        let grain = Grain {
            position: foot + side * normal * (0.0095 + 0.5 * thickness),
            radius: 0.01,
            velocity: velocities[0] * 0.5 + velocities[1] * 0.2 + velocities[2] * 0.3 - side * normal * 0.1,
            angular_velocity: Vec3::new(20.0, -30.0, 10.0),
            ..Grain::default()
        };
        let mut system = system(&[grain], Vec3::ZERO);
        let facets = Facets::new(topology.clone(), corners.to_vec()).unwrap();
        let facets = facets.with_thickness(thickness).unwrap();
        system.add_wall(Wall::facets("facet", facets)).unwrap();
        system.set_facet_velocities(0, &corners, &velocities).unwrap();
        system.update_forces(&Exec::serial(), 1e-4);
        let [force, torque] = loads(&system)[0];
        let mut on = [Vec3::ZERO; 3];
        system.add_vertex_forces(0, &mut on).unwrap();
        let about = grain.position;
        let sum: Vec3 = on.iter().sum();
        let moment: Vec3 = on.iter().zip(&corners).map(|(f, x)| (*x - about).cross(*f)).sum();
        assert!(force.length() > 0.1 && torque.length() > 1e-3 * force.length());
        assert!((sum + force).length() < 1e-12 * force.length(), "{sum} {force}");
        assert!((moment + torque).length() < 1e-12 * torque.length(), "{moment} {torque}");
        // Power goes over as force and couple do it at the contact: with an angular velocity the sums do not see.
        let [wrench, about_origin] = system.wall_wrench(0);
        assert!((wrench + force).length() < 1e-12 * force.length());
        let origin: Vec3 = on.iter().zip(&corners).map(|(f, x)| x.cross(*f)).sum();
        assert!((about_origin - origin).length() < 1e-12 * origin.length());
    }
}

#[test]
fn the_mass_of_vertices_counts_by_weight() {
    // A damped impact: the effective mass says how strong the dashpot is.
    let corners = vec![Vec3::new(-0.1, -0.1, 0.0), Vec3::new(0.2, -0.1, 0.0), Vec3::new(-0.1, 0.2, 0.0)];
    let topology = Arc::new(FacetTopology::of_triangles(3, vec![[0, 1, 2]]).unwrap());
    let grain = Grain {
        position: Vec3::new(0.02, -0.04, 0.0199),
        radius: 0.02,
        velocity: -Vec3::Z,
        ..Grain::default()
    };
    let weights = [1.0 - 0.12 / 0.3 - 0.06 / 0.3, 0.12 / 0.3, 0.06 / 0.3];
    let inverse = [3.0, 5.0, 11.0];
    let mut sheet = system(&[grain], Vec3::ZERO);
    let facets = Facets::new(topology, corners).unwrap().with_inverse_masses(inverse.to_vec()).unwrap();
    sheet.add_wall(Wall::facets("sheet", facets)).unwrap();
    let mut plane = system(&[grain], Vec3::ZERO);
    let inverse_mass = weights.iter().zip(inverse).map(|(b, m)| b * b * m).sum();
    plane.add_wall(Wall { inverse_mass, ..Wall::plane("plane", Vec3::ZERO, Vec3::Z) }).unwrap();
    let mut heavy = system(&[grain], Vec3::ZERO);
    heavy.add_wall(Wall::plane("plane", Vec3::ZERO, Vec3::Z)).unwrap();
    let [sheet, plane, heavy] = [sheet, plane, heavy].map(|mut system| {
        system.update_forces(&Exec::serial(), 1e-6);
        loads(&system)[0][0].z
    });
    assert!(
        (sheet / plane - 1.0).abs() < 1e-12 && (sheet / heavy - 1.0).abs() > 1e-3,
        "{sheet} {plane} {heavy}"
    );
}

#[test]
fn what_is_no_wall_of_facets_is_refused() {
    let fault = |result: Result<_, ParticleError>| match result {
        Err(ParticleError::Mesh(fault)) => fault,
        _ => panic!("not refused"),
    };
    let of = |triangles: Vec<[u32; 3]>| FacetTopology::of_triangles(4, triangles).map(|_| ());
    assert!(matches!(fault(of(vec![])), MeshFault::Count { count: 0, .. }));
    assert!(matches!(fault(of(vec![[0, 1, 4]])), MeshFault::Index { triangle: 0, points: 4 }));
    assert!(matches!(fault(of(vec![[0, 1, 2], [1, 3, 1]])), MeshFault::Repeated { triangle: 1 }));
    let topology = sheet();
    let facets = |vertices| Facets::new(topology.clone(), vertices).map(|_| ());
    assert!(matches!(fault(facets(vec![Vec3::ZERO; 3])), MeshFault::Vertices { count: 3, expected: 64 }));
    assert!(matches!(fault(facets(vec![Vec3::NAN; 64])), MeshFault::NotFinite { point: 0 }));
    let good = Facets::new(topology.clone(), flat(1.0)).unwrap();
    assert!(good.clone().with_thickness(-1.0).is_err());
    assert!(good.clone().with_inverse_masses(vec![-1.0; 64]).is_err());
    let mut system = system(&bed(), Vec3::ZERO);
    let turned = Wall { motion: WallMotion::along(Vec3::X, Vec3::Y), ..Wall::facets("sheet", good.clone()) };
    assert!(matches!(fault(system.add_wall(turned).map(|_| ())), MeshFault::Carried { .. }));
    let sheet = system.add_wall(Wall::facets("sheet", good)).unwrap();
    let plane = system.add_wall(Wall::plane("plane", Vec3::ZERO, Vec3::Z)).unwrap();
    let before = system.save();
    let set = system.set_facet_motion(plane, &flat(1.0), &flat(1.0), 1.0);
    assert!(matches!(fault(set), MeshFault::NoFacets { wall: 1 }));
    let set = system.set_facet_motion(sheet, &flat(1.0), &[Vec3::ZERO; 2], 1.0);
    assert!(matches!(fault(set), MeshFault::Vertices { count: 2, .. }));
    let mut broken = flat(1.0);
    broken[7].y = f64::INFINITY;
    let set = system.set_facet_motion(sheet, &flat(1.0), &broken, 1.0);
    assert!(matches!(fault(set), MeshFault::NotFinite { point: 7 }));
    assert!(system.set_facet_motion(sheet, &flat(1.0), &flat(1.0), 0.0).is_err());
    assert!(system.take_vertex_impulses(sheet, &mut [Vec3::ZERO; 5]).is_err());
    assert!(system.set_wall_motion(sheet, WallMotion::default()).is_err());
    assert!(system.set_wall_drive(sheet, WallDrive::Velocity).is_err());
    assert!(system.set_facet_motion(7, &flat(1.0), &flat(1.0), 1.0).is_err());
    assert!(system.save() == before);
}
