//! Questions about the bodies of a world as they are now: rays, closest points, overlap and distance.

use std::collections::BTreeSet;

use glam::DVec3;
use huygens_geometry::{Pose, query};
use huygens_multibody::{BodyId, CollisionShape};

use super::{Result, World, WorldError};
use crate::spec::{Rotation, ShapeSpec};
use crate::world::shapes::frame_pose;

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The body.
    pub body: BodyId,
    /// Distance from the origin of the ray [m].
    pub distance: f64,
    /// The point [m], world axes.
    pub point: [f64; 3],
    /// Unit normal of the surface.
    pub normal: [f64; 3],
}

/// The nearest point of a body's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoint {
    /// The body.
    pub body: BodyId,
    /// The point on its surface [m], world axes.
    pub point: [f64; 3],
    /// Unit direction in which the distance grows.
    pub normal: [f64; 3],
    /// Distance to the surface [m]; negative inside.
    pub distance: f64,
}

impl World {
    /// Collision shapes with their poses in the world.
    fn placed_shapes(&self) -> impl Iterator<Item = (&CollisionShape, Pose)> {
        let mut last: Option<(BodyId, Pose)> = None;
        self.objects.assembly.collision.shapes().iter().filter_map(move |shape| {
            let body = match last {
                Some((id, pose)) if id == shape.body => pose,
                _ => {
                    let (position, rotation) = self.body_pose(shape.body)?;
                    Pose { position, rotation }
                }
            };
            last = Some((shape.body, body));
            Some((shape, body * shape.pose))
        })
    }

    /// The first body that a ray from `origin` along `direction` meets within `max` [m].
    pub fn ray_cast(&self, origin: [f64; 3], direction: [f64; 3], max: f64) -> Option<RayHit> {
        let (origin, direction) = (DVec3::from_array(origin), DVec3::from_array(direction));
        let mut first: Option<RayHit> = None;
        for (shape, pose) in self.placed_shapes() {
            let reach = first.map_or(max, |h| h.distance);
            let Some(hit) = query::ray_cast(&shape.shape, &pose, origin, direction, reach) else { continue };
            if first.is_none_or(|h| hit.distance < h.distance) {
                first = Some(RayHit {
                    body: shape.body,
                    distance: hit.distance,
                    point: hit.point.to_array(),
                    normal: hit.normal.to_array(),
                });
            }
        }
        first
    }

    /// The point of all bodies' surfaces that is closest to `point` [m].
    pub fn closest_point(&self, point: [f64; 3]) -> Option<NearestPoint> {
        let point = DVec3::from_array(point);
        let mut nearest: Option<NearestPoint> = None;
        for (shape, pose) in self.placed_shapes() {
            let p = query::closest_point(&shape.shape, &pose, point);
            if p.distance.is_finite() && nearest.is_none_or(|n| p.distance < n.distance) {
                nearest = Some(NearestPoint {
                    body: shape.body,
                    point: p.point.to_array(),
                    normal: p.normal.to_array(),
                    distance: p.distance,
                });
            }
        }
        nearest
    }

    /// Bodies that overlap a shape at a pose in the world, in the order of adding; the shape's own place counts too.
    pub fn overlap(&self, shape: &ShapeSpec, position: [f64; 3], rotation: Rotation) -> Result<Vec<BodyId>> {
        let wrong = |(what, e): (String, String)| WorldError::Value {
            what: format!("the {what} of the shape"),
            value: e,
            expected: "a sound shape".into(),
        };
        let made = super::shapes::geometry(&shape.kind, &mut Default::default()).map_err(wrong)?.shape;
        let own = frame_pose(&shape.frame).map_err(|(key, e)| wrong((key.into(), e)))?;
        let at = Pose { position: DVec3::from_array(position), rotation: rotation.0 } * own;
        let mut found: Vec<BodyId> = Vec::new();
        for (other, pose) in self.placed_shapes() {
            if found.last() != Some(&other.body) && query::overlap(&made, &at, &other.shape, &pose) {
                found.push(other.body);
            }
        }
        let mut seen = BTreeSet::new();
        found.retain(|id| seen.insert(id.index()));
        Ok(found)
    }

    /// Distance between the shapes of two bodies [m]: zero where they overlap, infinite where one has none.
    pub fn distance(&self, a: BodyId, b: BodyId) -> f64 {
        let of = |id: BodyId| self.placed_shapes().filter(move |(s, _)| s.body == id).collect::<Vec<_>>();
        let (own, others) = (of(a), of(b));
        let pairs = own.iter().flat_map(|x| others.iter().map(move |y| (x, y)));
        pairs
            .map(|((x, px), (y, py))| query::distance(&x.shape, px, &y.shape, py))
            .fold(f64::INFINITY, f64::min)
    }
}
