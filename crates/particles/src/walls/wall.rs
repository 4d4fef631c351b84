//! Walls: surfaces that grains touch, which may move.

use std::sync::Arc;

use huygens_core::function::Function;
use huygens_geometry::Pose;
use huygens_kernel::rotation::from_z_to;
use huygens_kernel::{Quat, Vec3};

use crate::error::{MeshFault, ParticleError, Result, part_of};
use crate::walls::drive::WallDrive;
use crate::walls::facets::{FacetMotion, Facets};
use crate::walls::mesh::WallMesh;
use crate::walls::shapes::cone::Cone;
use crate::walls::surface::{Foot, RIGID, Surface};

/// Where a wall is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallMotion {
    /// Origin of its axes [m].
    pub position: Vec3,
    /// Its axes.
    pub rotation: Quat,
    /// Velocity of the origin [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s], world axes.
    pub angular_velocity: Vec3,
}

impl Default for WallMotion {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

impl WallMotion {
    /// At rest with the origin at `position` [m] and the z axis along `axis`.
    pub fn along(position: Vec3, axis: Vec3) -> Self {
        let rotation = from_z_to(axis.normalize_or(Vec3::Z));
        Self { position, rotation, ..Self::default() }
    }

    /// At rest at a pose.
    pub fn at(pose: &Pose) -> Self {
        Self { position: pose.position, rotation: pose.rotation, ..Self::default() }
    }

    /// Where functions of time have what starts at `start`, at `time` [s]: displacements along the world axes [m], and
    /// an angle [rad] about the unit vector `axis` through the origin.
    pub fn prescribed(
        start: &Pose,
        translation: &[Function; 3],
        axis: Vec3,
        angle: &Function,
        time: f64,
    ) -> Self {
        let mut values = [Vec3::ZERO; 2];
        for (axis, function) in translation.iter().enumerate() {
            let value = function.evaluate(time);
            (0..2).for_each(|k| values[k][axis] = value[k]);
        }
        let [angle, rate, _] = angle.evaluate(time);
        Self {
            position: start.position + values[0],
            rotation: (Quat::from_axis_angle(axis, angle) * start.rotation).normalize(),
            velocity: values[1],
            angular_velocity: axis * rate,
        }
    }

    /// The motion of a part at `pose` in the axes of what moves so.
    pub fn part(&self, pose: &Pose) -> Self {
        let arm = self.rotation * pose.position;
        Self {
            position: self.position + arm,
            rotation: (self.rotation * pose.rotation).normalize(),
            velocity: self.velocity + self.angular_velocity.cross(arm),
            angular_velocity: self.angular_velocity,
        }
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }
}

/// A wall.
///
/// Walls do not repeat: in a box that does, let them reach beyond it on both sides by the diameter of a grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// What it is called in messages.
    pub name: String,
    /// Its surface.
    pub surface: Surface,
    /// Index of its material.
    pub material: usize,
    /// Where it is and how it moves.
    pub motion: WallMotion,
    /// Inverse of the mass [1/kg] that moves with it: 0 where its motion is prescribed. Facets have their own.
    pub inverse_mass: f64,
    /// What moves it.
    pub drive: WallDrive,
}

impl Wall {
    /// A wall at rest with the surface `surface`.
    pub fn new(name: &str, surface: Surface, motion: WallMotion) -> Self {
        Self { name: name.into(), surface, material: 0, motion, inverse_mass: 0.0, drive: WallDrive::Fixed }
    }

    /// The plane through `point` with the normal `normal` on the side of the grains.
    pub fn plane(name: &str, point: Vec3, normal: Vec3) -> Self {
        Self::new(name, Surface::Plane, WallMotion::along(point, normal))
    }

    /// A container with six faces between the corners `low` and `high` [m]; grains are inside.
    pub fn container(name: &str, low: Vec3, high: Vec3) -> Self {
        let surface = Surface::Box { half: (0.5 * (high - low)).to_array(), hollow: true };
        Self::new(name, surface, WallMotion::along(0.5 * (low + high), Vec3::Z))
    }

    /// A solid block between the corners `low` and `high` [m]; grains are outside.
    pub fn block(name: &str, low: Vec3, high: Vec3) -> Self {
        let surface = Surface::Box { half: (0.5 * (high - low)).to_array(), hollow: false };
        Self::new(name, surface, WallMotion::along(0.5 * (low + high), Vec3::Z))
    }

    /// A drum: a cylinder of the radius `radius` [m] with lids at the points `ends` [m]; grains are inside.
    pub fn drum(name: &str, ends: [Vec3; 2], radius: f64) -> Self {
        Self::closed_cylinder(name, ends, radius, true)
    }

    /// A solid rod of the radius `radius` [m] with flat ends at the points `ends` [m]; grains are outside.
    pub fn rod(name: &str, ends: [Vec3; 2], radius: f64) -> Self {
        Self::closed_cylinder(name, ends, radius, false)
    }

    fn closed_cylinder(name: &str, ends: [Vec3; 2], radius: f64, hollow: bool) -> Self {
        let (axis, half) = (ends[1] - ends[0], 0.5 * ends[0].distance(ends[1]));
        let surface = Surface::ClosedCylinder { radius, span: [-half, half], hollow };
        Self::new(name, surface, WallMotion::along(0.5 * (ends[0] + ends[1]), axis))
    }

    /// An open shell between two circles of the radii `radii` [m] about the points `ends` [m]: a pipe or a hopper.
    pub fn pipe(name: &str, ends: [Vec3; 2], radii: [f64; 2]) -> Self {
        let (axis, half) = (ends[1] - ends[0], 0.5 * ends[0].distance(ends[1]));
        let (span, hollow) = ([-half, half], true);
        let surface = match radii[0] == radii[1] {
            true => Surface::Cylinder { radius: radii[0], span, hollow },
            false => Cone { radii, span, hollow }.into(),
        };
        Self::new(name, surface, WallMotion::along(0.5 * (ends[0] + ends[1]), axis))
    }

    /// Triangles in the axes of the wall, touched from both sides.
    pub fn mesh(name: &str, mesh: Arc<WallMesh>) -> Self {
        Self::new(name, Surface::Mesh(mesh), WallMotion::default())
    }

    /// Triangles over vertices that move by
    /// [`set_facet_motion`](crate::GrainSystem::set_facet_motion), touched from both sides.
    pub fn facets(name: &str, facets: Facets) -> Self {
        Self::new(name, Surface::Facets(Box::new(facets)), WallMotion::default())
    }

    /// The same wall, moved by `drive`.
    pub fn driven(self, drive: WallDrive) -> Self {
        Self { drive, ..self }
    }

    /// Its plane, with the normal and the distance from the origin, where it is one.
    pub(crate) fn as_plane(&self) -> Option<(Vec3, f64)> {
        (self.surface == Surface::Plane).then(|| {
            let normal = self.motion.rotation * Vec3::Z;
            (normal, normal.dot(self.motion.position))
        })
    }

    /// Its facets, where it deforms.
    pub fn as_facets(&self) -> Option<&Facets> {
        match &self.surface {
            Surface::Facets(facets) => Some(facets),
            _ => None,
        }
    }

    /// Whether forces move it.
    pub(crate) fn yields(&self) -> bool {
        self.inverse_mass > 0.0 || matches!(&self.surface, Surface::Facets(facets) if facets.yields())
    }

    /// Velocity [m/s], angular velocity [rad/s] and inverse mass [1/kg] of the surface where it is touched at
    /// `point` [m], along `normal` in world axes.
    #[inline(always)]
    pub(crate) fn motion_at(&self, foot: &Foot, point: Vec3, normal: Vec3, depth: f64) -> FacetMotion {
        if foot.facet != RIGID
            && let Surface::Facets(facets) = &self.surface
        {
            return facets.motion_at(foot.facet, point, normal, depth);
        }
        let WallMotion { position, velocity, angular_velocity, .. } = self.motion;
        FacetMotion {
            velocity: velocity + angular_velocity.cross(point - position),
            angular_velocity,
            inverse_mass: self.inverse_mass,
        }
    }

    /// The point `x` [m] in its axes.
    pub(crate) fn local(&self, x: Vec3) -> Vec3 {
        self.motion.rotation.conjugate() * (x - self.motion.position)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if !(self.inverse_mass >= 0.0 && self.inverse_mass.is_finite()) {
            let what = part_of("the inverse mass", "wall", &self.name);
            return Err(ParticleError::range(what, self.inverse_mass, "finite and not below 0"));
        }
        if matches!(self.surface, Surface::Facets(_))
            && (self.motion != WallMotion::default() || self.drive != WallDrive::Fixed)
        {
            return Err(ParticleError::Mesh(MeshFault::Carried { name: self.name.clone() }));
        }
        self.surface.check()?;
        self.drive.check()?;
        self.motion.check()
    }
}
