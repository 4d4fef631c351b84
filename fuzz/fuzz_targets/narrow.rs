//! Two shapes and their poses from bytes: contacts are finite, consistent and, for separated convex
//! shapes, as far apart as an independent distance query says.

#![no_main]

use glam::{DQuat, DVec2, DVec3};
use huygens_geometry::narrow::contacts;
use huygens_geometry::query::distance;
use huygens_geometry::{ContactPoint, NarrowScratch, Pose, Shape};
use libfuzzer_sys::fuzz_target;

/// Numbers from bytes; zero when they run out.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Between −1 and 1; one byte in four makes a round number, where degenerate cases live.
    fn number(&mut self) -> f64 {
        let kind = self.byte();
        if kind < 64 {
            return f64::from(i32::from(kind) - 32) / 32.0;
        }
        f64::from(i16::from_le_bytes([self.byte(), self.byte()])) / 32768.0
    }

    /// Between 0.05 and 2.
    fn size(&mut self) -> f64 {
        0.05 * 40_f64.powf(0.5 + 0.5 * self.number())
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    fn sizes(&mut self) -> DVec3 {
        DVec3::new(self.size(), self.size(), self.size())
    }

    fn pose(&mut self) -> Pose {
        let position = 3.0 * self.vector();
        Pose::new(position, DQuat::from_scaled_axis(3.2 * self.vector()))
    }

    fn shape(&mut self) -> Option<Shape> {
        let shape = match self.byte() % 13 {
            0 => Shape::sphere(self.size()),
            1 => Shape::ellipsoid(self.sizes()),
            2 => Shape::cuboid(self.sizes()),
            3 => Shape::capsule(self.size(), self.size()),
            4 => Shape::cylinder(self.size(), self.size()),
            5 => Shape::cone(self.size(), self.size()),
            6 => Shape::rounded_box(self.sizes(), self.size()),
            7 => Shape::rounded_cylinder(self.size(), self.size(), self.size()),
            8 => Ok(Shape::half_space()),
            9 => {
                let points: Vec<DVec3> = (0..4 + self.byte() % 12).map(|_| self.vector()).collect();
                Shape::hull(&points)
            }
            10 => {
                let vertices: Vec<DVec3> = (0..4 + self.byte() % 8).map(|_| self.vector()).collect();
                let n = vertices.len() as u32;
                let index = |byte: u8| u32::from(byte) % n;
                let triangles = (0..1 + self.byte() % 8)
                    .map(|_| [index(self.byte()), index(self.byte()), index(self.byte())]);
                let triangles = triangles.collect();
                Shape::mesh(vertices, triangles)
            }
            11 => {
                let heights = (0..12).map(|_| self.number()).collect();
                Shape::height_field(4, 3, heights, DVec2::new(self.size(), self.size()))
            }
            _ => {
                let parts = [Shape::sphere(self.size()), Shape::cuboid(self.sizes())];
                Shape::compound(parts.into_iter().filter_map(Result::ok).map(|s| (self.pose(), s)).collect())
            }
        };
        shape.ok()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut numbers = Numbers(bytes);
    let (Some(a), Some(b)) = (numbers.shape(), numbers.shape()) else { return };
    let (pose_a, pose_b) = (numbers.pose(), numbers.pose());
    let envelope = 0.5 * numbers.size();
    let found = find(&a, &pose_a, &b, &pose_b, envelope);
    check(&found, envelope);
    let swapped = find(&b, &pose_b, &a, &pose_a, envelope);
    check(&swapped, envelope);
    assert_eq!(found, find(&a, &pose_a, &b, &pose_b, envelope), "contacts are a pure function");
    if a.is_convex() && b.is_convex() {
        compare(&found, distance(&a, &pose_a, &b, &pose_b), envelope);
        compare(&swapped, distance(&a, &pose_a, &b, &pose_b), envelope);
    }
});

fn find(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, envelope: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, pose_a, b, pose_b, envelope, &mut NarrowScratch::new(), &mut out);
    out
}

fn check(found: &[ContactPoint], envelope: f64) {
    for contact in found {
        assert!(contact.point_a.is_finite() && contact.point_b.is_finite(), "{contact:?}");
        assert!((contact.normal.length() - 1.0).abs() < 1e-9, "{contact:?}");
        let gap = (contact.point_b - contact.point_a).dot(contact.normal);
        assert!((gap - contact.gap).abs() < 1e-9 * (1.0 + gap.abs()), "{contact:?}");
        assert!(contact.gap < envelope, "{contact:?}");
        assert!(contact.radius_a > 0.0 && contact.radius_b > 0.0, "{contact:?}");
    }
    let mut features: Vec<u32> = found.iter().map(|contact| contact.feature).collect();
    features.sort_unstable();
    features.dedup();
    assert_eq!(features.len(), found.len(), "features are unique: {found:?}");
}

/// The smallest gap of separated convex shapes is their distance.
fn compare(found: &[ContactPoint], distance: f64, envelope: f64) {
    let least = found.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
    if distance > 1e-6 && distance < 0.999 * envelope {
        assert!(
            (least - distance).abs() < 1e-4 * (1.0 + distance),
            "gap {least}, distance {distance}: {found:?}"
        );
    }
    if distance > 1.001 * envelope {
        assert!(found.is_empty(), "distance {distance}, envelope {envelope}: {found:?}");
    }
}
