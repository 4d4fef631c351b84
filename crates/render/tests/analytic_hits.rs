//! Where rays meet shapes, against brute force.

use crate::common::{Bodies, Dice};
use glam::{DQuat, DVec3};
use huygens_record::recording::{
    BatchKind, Field, Frame, Group, GroupFrame, GroupKind, Look, Mesh, Skin, Stage, Tubes,
};
use huygens_render::{Scene, View};

/// Whether a point is inside a shape, from its definition.
fn inside(kind: BatchKind, size: &[f32], p: DVec3) -> bool {
    let s: Vec<f64> = size.iter().map(|x| f64::from(*x)).collect();
    let across = p.x.hypot(p.y);
    match kind {
        BatchKind::Sphere => p.length() <= s[0],
        BatchKind::Ellipsoid => (p / DVec3::new(s[0], s[1], s[2])).length() <= 1.0,
        BatchKind::Box => p.x.abs() <= s[0] && p.y.abs() <= s[1] && p.z.abs() <= s[2],
        BatchKind::Capsule => DVec3::new(p.x, p.y, (p.z.abs() - s[1]).max(0.0)).length() <= s[0],
        BatchKind::Cylinder => across <= s[0] && p.z.abs() <= s[1],
        BatchKind::Cone => p.z.abs() <= s[1] && across <= s[0] * (s[1] - p.z) / (2.0 * s[1]),
        BatchKind::RoundedBox => {
            let half = DVec3::new(s[0], s[1], s[2]);
            (p.abs() - half).max(DVec3::ZERO).length() <= s[3]
        }
        BatchKind::RoundedCylinder => (across - s[0]).max(0.0).hypot((p.z.abs() - s[1]).max(0.0)) <= s[2],
        BatchKind::HalfSpace => p.z <= 0.0,
        BatchKind::Mesh => p.abs().max_element() <= 1.0,
    }
}

/// First change from outside to inside, by steps and halving.
fn march(inside: impl Fn(DVec3) -> bool, origin: DVec3, direction: DVec3, end: f64) -> Option<f64> {
    let steps = 3000;
    let step = end / f64::from(steps);
    let first = (1..=steps).find(|i| inside(origin + f64::from(*i) * step * direction))?;
    let (mut low, mut high) = (f64::from(first - 1) * step, f64::from(first) * step);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if inside(origin + middle * direction) { high = middle } else { low = middle }
    }
    Some(high)
}

fn cube_mesh() -> Mesh {
    let vertices = (0..8).flat_map(|i| [1, 2, 4].map(|bit| if i & bit != 0 { 1.0 } else { -1.0 })).collect();
    let triangles = vec![
        0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1,
        7, 5,
    ];
    Mesh { name: "cube".into(), vertices, triangles, crease: 0.5 }
}

#[test]
fn rays_enter_every_shape_where_brute_force_says() {
    let shapes: [(BatchKind, &[f32]); 10] = [
        (BatchKind::Sphere, &[0.8]),
        (BatchKind::Ellipsoid, &[0.9, 0.5, 0.3]),
        (BatchKind::Box, &[0.7, 0.5, 0.3]),
        (BatchKind::Capsule, &[0.4, 0.6]),
        (BatchKind::Cylinder, &[0.6, 0.5]),
        (BatchKind::Cone, &[0.7, 0.6]),
        (BatchKind::RoundedBox, &[0.5, 0.4, 0.2, 0.15]),
        (BatchKind::RoundedCylinder, &[0.5, 0.4, 0.2]),
        (BatchKind::Mesh, &[]),
        (BatchKind::HalfSpace, &[]),
    ];
    let view = View::default();
    let mut dice = Dice(1);
    for (kind, size) in shapes {
        let (mut hits, mut inner, mut all) = (0, 0, 0);
        for _ in 0..20 {
            let place = dice.point(3.0);
            let turn = match kind {
                // Only half-spaces that face up are drawn.
                BatchKind::HalfSpace => DQuat::from_rotation_x(0.3 * dice.roll()),
                _ => dice.turn(),
            };
            let mut bodies = Bodies::default();
            bodies.add(kind, size, place.as_vec3().into(), turn.as_quat().into());
            let (mut stage, frame) = bodies.stage();
            stage.meshes = vec![cube_mesh()];
            let scene = Scene::build(&stage, &frame, &view).unwrap();
            let local = |p: DVec3| turn.inverse() * (p - place);
            let solid = |p: DVec3| inside(kind, size, local(p));
            for _ in 0..20 {
                let origin = place + 4.0 * (dice.turn() * DVec3::Z);
                let direction = (place + dice.point(0.9) - origin).normalize();
                if solid(origin) {
                    continue;
                }
                let hit = scene.hit(origin, direction);
                if let Some(expected) = march(solid, origin, direction, 12.0) {
                    let found = hit.unwrap_or_else(|| panic!("{kind:?}: missed at {expected}")).distance;
                    assert!((found - expected).abs() < 2e-4, "{kind:?}: {found} instead of {expected}");
                    hits += 1;
                }
                if let Some(hit) = hit {
                    let point = origin + hit.distance * direction;
                    let (out, deep) = (point + 2e-3 * hit.normal, point - 2e-3 * hit.normal);
                    assert!(!solid(out), "{kind:?}: the normal {} points inwards", hit.normal);
                    // Near an edge the other side may be outside as well.
                    inner += usize::from(solid(deep));
                    all += 1;
                    assert_eq!((hit.group, hit.item), (Some(0), 0));
                }
            }
        }
        assert!(hits > 80, "{kind:?}: only {hits} of 400 rays hit");
        assert!(inner * 100 >= all * 97, "{kind:?}: {inner} of {all} points are on the surface");
    }
}

#[test]
fn the_nearest_of_many_spheres_is_found() {
    let mut dice = Dice(9);
    let mut bodies = Bodies::default();
    let mut balls = Vec::new();
    for index in 0..3000 {
        // Sizes over three decades, and a crowd in one corner, make an uneven tree.
        let spread = if index % 3 == 0 { 0.3 } else { 5.0 };
        let (center, radius) = (dice.point(spread), 0.3 * 10f64.powf(-3.0 * dice.roll()));
        let center = center.as_vec3();
        bodies.at(BatchKind::Sphere, &[radius as f32], center.into());
        balls.push((center.as_dvec3(), f64::from(radius as f32)));
    }
    let (stage, frame) = bodies.stage();
    let scene = Scene::build(&stage, &frame, &View::default()).unwrap();
    let (mut hits, mut all) = (0, 0);
    for _ in 0..1500 {
        let origin = 12.0 * (dice.turn() * DVec3::Z);
        let direction = (dice.point(4.0) - origin).normalize();
        let enter = |(index, (center, radius)): (usize, &(DVec3, f64))| {
            let offset = origin - *center;
            let middle = offset.dot(direction);
            let rest = radius * radius - (offset - middle * direction).length_squared();
            (rest > 1e-6).then(|| (-middle - rest.sqrt(), index))
        };
        let expected = balls.iter().enumerate().filter_map(enter).min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((distance, index)) = expected {
            all += 1;
            let hit = scene.hit(origin, direction).expect("missed");
            assert!(hit.distance < distance + 1e-4, "{} instead of {distance}", hit.distance);
            if hit.item == index {
                assert!((hit.distance - distance).abs() < 1e-4);
                hits += 1;
            }
        }
    }
    // A few meet another ball first that is grazed too closely for the list above.
    assert!(all > 400 && hits >= all - 3, "{hits} of {all}");
}

/// Nodes of a square, a skin of two triangles over them and a tube along an edge.
#[test]
fn skins_and_tubes_follow_their_nodes() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.5_f32]];
    let position = Field { name: "position".into(), unit: "m".into(), components: 3 };
    let group = Group {
        name: "cloth".into(),
        kind: GroupKind::Nodes,
        names: Vec::new(),
        fields: vec![position],
        constants: Vec::new(),
        constant_values: Vec::new(),
    };
    let look = Look { name: "cloth".into(), color: [1.0; 4], roughness: 1.0, metal: false };
    let stage = Stage {
        up: [0.0, 0.0, 1.0],
        groups: vec![group],
        looks: vec![look],
        skins: vec![Skin { group: 0, look: 0, triangles: vec![0, 1, 2, 0, 2, 3] }],
        tubes: vec![Tubes { group: 0, look: 0, radius: 0.1, segments: vec![0, 1] }],
        ..Stage::default()
    };
    let nodes = GroupFrame { count: 4, fields: vec![corners.concat()] };
    let frame = Frame { groups: vec![nodes], ..Frame::default() };
    let scene = Scene::build(&stage, &frame, &View::default()).unwrap();
    let down = |x: f64, y: f64| scene.hit(DVec3::new(x, y, 5.0), -DVec3::Z);
    // The skin rises by half its width; the tube is 0.1 above its axis.
    let skin = down(0.3, 0.6).unwrap();
    assert!((skin.distance - 4.7).abs() < 1e-5, "{}", skin.distance);
    let expected = DVec3::new(0.0, -0.5, 1.0).normalize();
    assert!((skin.normal - expected).length() < 1e-5, "{}", skin.normal);
    assert!((down(0.5, 0.0).unwrap().distance - 4.9).abs() < 1e-5);
    assert!(down(0.5, 1.2).is_none());
    // Seen from below, the normal turns.
    let below = scene.hit(DVec3::new(0.3, 0.6, -5.0), DVec3::Z).unwrap();
    assert!((below.normal + expected).length() < 1e-5);
}
