//! Shapes that walls of grains and of fluids have alike: markers of fluids fill a layer behind the surface that grains
//! touch.

use std::f64::consts::PI;
use std::sync::Arc;

use huygens_geometry::Pose;
use huygens_kernel::Vec3;
use huygens_particles::shapes::shaped_wall;
use huygens_particles::sph::{FlowSpace, MarkerLayout, WallForm};
use huygens_spec::{WallEnds, WallShape, WallSide};

const RADII: [f64; 2] = [0.04, 0.1];
const HALF: f64 = 0.07;
const LAYOUT: MarkerLayout = MarkerLayout { spacing: 0.005, layers: 3, space: FlowSpace::Space };

fn cone(side: WallSide, ends: WallEnds) -> WallShape {
    WallShape::Cone { radii: RADII, length: 2.0 * HALF, side, ends }
}

fn markers(shape: &WallShape, pose: &Pose) -> Vec<Vec3> {
    let (mesh, side) = shaped_wall(shape).unwrap().mesh().unwrap();
    LAYOUT.wall_markers(&WallForm::Mesh { mesh: &Arc::new(mesh), side }, pose).unwrap().points
}

/// How far a point is outside of the side of the cone, in the half plane of the axis [m].
fn beyond_side(at: Vec3) -> f64 {
    let slope = (RADII[1] - RADII[0]) / (2.0 * HALF);
    let radius = RADII[0] + slope * (at.z + HALF);
    (at.x.hypot(at.y) - radius) / slope.hypot(1.0)
}

/// Volume [m³] of what is outside of the closed cone by no more than `depth` [m], by Steiner's formula for convex bodies.
fn layer(depth: f64) -> f64 {
    let slant = (RADII[1] - RADII[0]).hypot(2.0 * HALF);
    let area = PI * (RADII[0] * RADII[0] + RADII[1] * RADII[1] + (RADII[0] + RADII[1]) * slant);
    let steps = 100_000;
    let support = |angle: f64| {
        let of = |radius: f64, z: f64| radius * angle.sin() + z * angle.cos();
        of(RADII[0], -HALF).max(of(RADII[1], HALF)) * angle.sin()
    };
    let width: f64 = (0..steps).map(|k| support(PI * (f64::from(k) + 0.5) / f64::from(steps))).sum();
    let curvature = 2.0 * PI * width * PI / f64::from(steps);
    area * depth + curvature * depth * depth + 4.0 / 3.0 * PI * depth.powi(3)
}

#[test]
fn markers_fill_a_layer_around_a_closed_cone() {
    let found = markers(&cone(WallSide::Inside, WallEnds::Closed), &Pose::IDENTITY);
    let depth = LAYOUT.spacing * LAYOUT.layers as f64;
    // Sides of the polygon lie inside the circle by a little.
    let slack = 2e-3 * RADII[1];
    for at in &found {
        let outside = beyond_side(*at).max(at.z.abs() - HALF);
        assert!(outside > -slack && outside < depth, "{at}: {outside}");
    }
    let expected = layer(depth) / LAYOUT.spacing.powi(3);
    let error = found.len() as f64 / expected - 1.0;
    assert!(error.abs() < 0.01, "{} markers, {expected} expected", found.len());
}

#[test]
fn a_funnel_has_its_markers_opposite_to_the_fluid() {
    for (side, sign) in [(WallSide::Inside, 1.0), (WallSide::Outside, -1.0)] {
        let found = markers(&cone(side, WallEnds::Open), &Pose::IDENTITY);
        let middle: Vec<&Vec3> = found.iter().filter(|at| at.z.abs() < 0.5 * HALF).collect();
        assert!(middle.len() > 1000, "{}", middle.len());
        // Sides of the polygon lie inside the circle by a little.
        let slack = 2e-3 * RADII[1];
        assert!(middle.iter().all(|at| sign * beyond_side(**at) > -slack), "{side:?}");
    }
}

#[test]
fn grains_touch_the_same_cone() {
    let wall = shaped_wall(&cone(WallSide::Inside, WallEnds::Lower)).unwrap();
    // The side and one disc.
    assert_eq!(wall.surfaces.len(), 2);
    let (mesh, _) = wall.mesh().unwrap();
    for corner in mesh.vertices() {
        let on_side = beyond_side(*corner).abs() < 1e-12;
        assert!(on_side || (corner.z + HALF).abs() < 1e-12, "{corner}");
    }
}

#[test]
fn a_pointed_cone_is_closed_by_one_disc() {
    for (radii, ends) in [([0.0, 0.1], WallEnds::Upper), ([0.1, 0.0], WallEnds::Lower)] {
        let shape = WallShape::Cone { radii, length: 0.2, side: WallSide::Outside, ends };
        let (mesh, _) = shaped_wall(&shape).unwrap().mesh().unwrap();
        assert!(mesh.is_closed(), "{radii:?}");
    }
}
