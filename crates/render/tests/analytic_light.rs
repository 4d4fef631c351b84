//! Brightness of pixels, against closed forms.

use crate::common::Bodies;
use glam::DVec3;
use huygens_exec::Exec;
use huygens_record::recording::BatchKind;
use huygens_render::{Camera, Image, Pass, Picture, Renderer, Rgb, View};

/// Linear light of a byte (IEC 61966-2-1).
fn linear(byte: u8) -> f64 {
    let c = f64::from(byte) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn plain_view() -> View {
    let mut view = View { size: [120, 90], samples: 64, smooth: false, ..View::default() };
    view.ground.pattern = huygens_render::GroundPattern::Plain;
    view.ground.color = Some(Rgb([0.5; 3]));
    view.ground.fade = 1e6;
    view.camera.position = Some([0.0, -2.0, 6.0]);
    view.camera.target = Some([0.0, 0.0, 0.0]);
    view
}

/// Mean linear green of the pixels around a world point.
fn seen_at(image: &Image, camera: &Camera, point: DVec3) -> f64 {
    let (x, y, _) = camera.project(point);
    let half = 0.5 * f64::from(image.height);
    let (x, y) = (0.5 * f64::from(image.width) + half * x, half - half * y);
    let mut sum = 0.0;
    for dy in -1..=1 {
        for dx in -1..=1 {
            sum += linear(image.pixel((x + f64::from(dx)) as u32, (y + f64::from(dy)) as u32).unwrap()[1]);
        }
    }
    sum / 9.0
}

fn render(bodies: &Bodies, view: &View) -> (Image, Camera) {
    let (stage, frame) = bodies.stage();
    let renderer = Renderer::new(&stage, &[&frame], view).unwrap();
    let image = renderer.render(&Exec::serial(), &frame).unwrap().into_image().unwrap();
    (image, renderer.camera(&frame).unwrap())
}

/// Albedo of sRGB 0.5.
const ALBEDO: f64 = 0.214_041;
/// A dull surface of this kind also mirrors a little, up to this part of the light.
const MIRRORED: f64 = 0.03;

#[test]
fn a_plane_under_the_sun_follows_lamberts_law() {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::HalfSpace, &[], [0.0; 3]);
    for elevation in [90.0_f64, 45.0, 30.0] {
        let mut view = plain_view();
        view.sky.light = 0.0;
        view.sun.light = 1.5;
        view.sun.color = Rgb([1.0; 3]);
        view.sun.softness_deg = 0.5;
        view.sun.direction = Some([elevation.to_radians().cos(), 0.0, elevation.to_radians().sin()]);
        let (image, camera) = render(&bodies, &view);
        let seen = seen_at(&image, &camera, DVec3::ZERO);
        let expected = 1.5 * ALBEDO * elevation.to_radians().sin();
        assert!(
            (expected - 0.004..expected + MIRRORED).contains(&seen),
            "{elevation}°: {seen}, not {expected}"
        );
    }
}

/// A ball on a plane hides a part of an even sky from a point of the plane: the view factor from an element to a
/// sphere, cos θ · (r/D)² (`howell2010`). A sixth of the hidden light still arrives by reflections.
#[test]
fn a_ball_takes_its_view_factor_of_sky_light() {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::HalfSpace, &[], [0.0; 3]).at(BatchKind::Sphere, &[1.0], [0.0, 0.0, 1.0]);
    let mut view = plain_view();
    view.samples = 256;
    view.sun.light = 0.0;
    view.sky.light = 1.0;
    view.sky.zenith = Rgb([1.0; 3]);
    view.sky.horizon = Rgb([1.0; 3]);
    view.sky.reach = Some(1e4);
    view.camera.position = Some([0.0, -9.0, 9.0]);
    let (image, camera) = render(&bodies, &view);
    let open = seen_at(&image, &camera, DVec3::new(4.0, 0.0, 0.0));
    for distance in [1.3_f64, 2.0, 3.0] {
        let factor = |d: f64| 1.0 / (d * d + 1.0).powf(1.5);
        let light = |d: f64| 1.0 - (1.0 - 0.16) * factor(d);
        let seen = seen_at(&image, &camera, DVec3::new(distance, 0.0, 0.0)) / open;
        let expected = light(distance) / light(4.0);
        assert!((seen - expected).abs() < 0.025, "at {distance}: {seen}, expected {expected}");
    }
}

#[test]
fn a_ball_bars_the_sun_and_only_there() {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::HalfSpace, &[], [0.0; 3]).at(BatchKind::Sphere, &[0.5], [0.0, 0.0, 2.0]);
    let mut view = plain_view();
    view.sky.light = 0.0;
    view.sun.softness_deg = 1.0;
    // The shadow falls to (2, 0).
    view.sun.direction = Some([-1.0, 0.0, 1.0]);
    view.camera.position = Some([0.0, -6.0, 12.0]);
    let (image, camera) = render(&bodies, &view);
    assert!(seen_at(&image, &camera, DVec3::new(2.0, 0.0, 0.0)) < 1e-3);
    assert!(seen_at(&image, &camera, DVec3::new(2.0, 1.5, 0.0)) > 0.1);
    assert!(seen_at(&image, &camera, DVec3::new(3.4, 0.0, 0.0)) > 0.1);
}

#[test]
fn a_sphere_covers_its_projected_area() {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::Sphere, &[1.0], [0.0; 3]);
    let mut view = View { size: [400, 300], passes: vec![Pass::Id], ..View::default() };
    view.camera.position = Some([0.0, -5.0, 0.0]);
    view.camera.target = Some([0.0, 0.0, 0.0]);
    view.camera.fov_deg = 40.0;
    let (stage, frame) = bodies.stage();
    let image = Picture::render(&Exec::serial(), &stage, &frame, &view).unwrap();
    let count = image.pixels.chunks_exact(4).filter(|p| p[0] == 1).count() as f64;
    let radius = (1.0_f64 / 5.0).asin().tan() / 20.0_f64.to_radians().tan() * 150.0;
    let area = std::f64::consts::PI * radius * radius;
    assert!((count / area - 1.0).abs() < 0.005, "{count} pixels, expected {area}");
}

#[test]
fn half_clear_things_let_half_the_light_through() {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::Sphere, &[1.0], [0.0; 3]);
    let mut view = View { size: [64, 64], samples: 16, ..View::default() };
    view.sky.light = 0.0;
    view.sun.light = 0.0;
    view.sky.background = Some(Rgb([0.5; 3]));
    view.looks = vec![serde_json::from_str(r#"{ "name": "item_*", "opacity": 0.5 }"#).unwrap()];
    let (image, camera) = render(&bodies, &view);
    let seen = seen_at(&image, &camera, DVec3::ZERO);
    assert!((seen - 0.5 * ALBEDO).abs() < 0.004, "{seen}");
}
