//! Walls and bodies in a fluid, as markers on and below their surfaces.

use std::ops::Range;

use huygens_geometry::Pose;
use huygens_kernel::{Quat, Vec3, rotation};

use super::fields::FluidFields;
use super::settings::FlowSpace;
use crate::error::{ParticleError, Result, part_of};
use crate::in_place::clone_in_place;
use crate::row::Row;
use crate::walls::wall::WallMotion;

/// Handle of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SolidId(pub usize);

/// Motion of a rigid solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidMotion {
    /// Origin [m].
    pub position: Vec3,
    /// World axes from own axes.
    pub rotation: Quat,
    /// Velocity of the origin [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s], world axes.
    pub angular_velocity: Vec3,
    /// Acceleration of the origin [m/s²].
    pub acceleration: Vec3,
    /// Angular acceleration [rad/s²], world axes.
    pub angular_acceleration: Vec3,
}

impl Default for SolidMotion {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            angular_acceleration: Vec3::ZERO,
        }
    }
}

impl From<WallMotion> for SolidMotion {
    /// The motion without accelerations.
    fn from(wall: WallMotion) -> Self {
        let WallMotion { position, rotation, velocity, angular_velocity } = wall;
        Self { position, rotation, velocity, angular_velocity, ..Self::default() }
    }
}

impl SolidMotion {
    /// The motion of a wall whose velocity [m/s] and angular velocity [rad/s] change so in `h` [s].
    pub fn accelerated(wall: &WallMotion, change: [Vec3; 2], h: f64) -> Self {
        Self {
            position: wall.position,
            rotation: wall.rotation,
            velocity: wall.velocity,
            angular_velocity: wall.angular_velocity,
            acceleration: change[0] / h,
            angular_acceleration: change[1] / h,
        }
    }

    /// The part of the motion that is in the plane with the normal `normal`, from where it started.
    ///
    /// Bodies may leave the plane by what else acts on them; their markers may not.
    pub fn in_plane(&self, start: &Pose, normal: usize) -> Self {
        let axis = Vec3::AXES[normal];
        let flat = |v: Vec3| v - axis * v.dot(axis);
        let about = |v: Vec3| axis * v.dot(axis);
        let turn = self.rotation * start.rotation.inverse();
        let twist = axis * Vec3::new(turn.x, turn.y, turn.z).dot(axis);
        let twist = Quat::from_xyzw(twist.x, twist.y, twist.z, turn.w).normalize();
        Self {
            position: flat(self.position) + about(start.position),
            rotation: twist * start.rotation,
            velocity: flat(self.velocity),
            angular_velocity: about(self.angular_velocity),
            acceleration: flat(self.acceleration),
            angular_acceleration: about(self.angular_acceleration),
        }
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }

    /// Where it is `time` [s] later, at constant velocities.
    fn later(&self, time: f64) -> Self {
        let turn = rotation::exp(self.angular_velocity * time);
        Self {
            position: self.position + self.velocity * time,
            rotation: (turn * self.rotation).normalize(),
            ..*self
        }
    }

    /// Position, velocity and acceleration of a point fixed to it.
    fn point(&self, local: Vec3) -> [Vec3; 3] {
        let arm = self.rotation * local;
        let (w, turn) = (self.angular_velocity, self.angular_velocity.cross(arm));
        [
            self.position + arm,
            self.velocity + turn,
            self.acceleration + self.angular_acceleration.cross(arm) + w.cross(turn),
        ]
    }

    fn is_finite(&self) -> bool {
        let vectors = [
            self.position,
            self.velocity,
            self.angular_velocity,
            self.acceleration,
            self.angular_acceleration,
        ];
        vectors.iter().all(|v| v.is_finite()) && self.rotation.is_finite()
    }

    /// Whether it stays where it is.
    pub fn rests(&self) -> bool {
        self.velocity == Vec3::ZERO && self.angular_velocity == Vec3::ZERO
    }
}

/// A marker of a solid that changes its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MarkerMotion {
    /// Position [m].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Acceleration [m/s²].
    pub acceleration: Vec3,
    /// Angular velocity [rad/s] of the surface there, world axes: fluid that turns with it does not rub on it.
    pub angular_velocity: Vec3,
}

impl MarkerMotion {
    fn is_finite(&self) -> bool {
        [self.position, self.velocity, self.acceleration, self.angular_velocity].iter().all(|v| v.is_finite())
    }
}

/// How the markers of a solid move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Carriage {
    /// With a frame; positions of the markers in it.
    Rigid { motion: SolidMotion, points: Vec<Vec3> },
    /// Each on its own, at constant velocities.
    Free { markers: Vec<MarkerMotion> },
}

impl Carriage {
    /// The first marker that is nowhere, and where that is [m].
    pub fn lost(&self) -> Option<(usize, Vec3)> {
        match self {
            Self::Rigid { motion, points } => {
                let lost = |local: &Vec3| !(motion.is_finite() && motion.point(*local)[0].is_finite());
                points.iter().position(lost).map(|k| (k, motion.point(points[k])[0]))
            }
            Self::Free { markers } => {
                let lost = |marker: &MarkerMotion| !marker.is_finite();
                markers.iter().position(lost).map(|k| (k, markers[k].position))
            }
        }
    }
}

impl Solid {
    /// Acceleration [m/s²] of a marker, and the rotation of the axes it is in.
    pub fn carried(&self, marker: usize) -> (Vec3, Quat) {
        match &self.carriage {
            Carriage::Rigid { motion, points } => (motion.point(points[marker])[2], motion.rotation),
            Carriage::Free { markers } => (markers[marker].acceleration, Quat::IDENTITY),
        }
    }

    /// Markers as they move now.
    pub fn markers(&self) -> Vec<MarkerMotion> {
        match &self.carriage {
            Carriage::Free { markers } => markers.clone(),
            Carriage::Rigid { motion, points } => {
                let of = |local: &Vec3| {
                    let [position, velocity, acceleration] = motion.point(*local);
                    MarkerMotion {
                        position,
                        velocity: velocity + motion.rotation * self.belt,
                        acceleration,
                        angular_velocity: motion.angular_velocity,
                    }
                };
                points.iter().map(of).collect()
            }
        }
    }
}

/// A wall or a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    pub name: String,
    /// Number of its first marker.
    pub first: usize,
    pub count: usize,
    pub carriage: Carriage,
    /// Velocity [m/s] of the surface of a rigid solid over that of the solid, in its axes.
    pub belt: Vec3,
    /// Force on it [N] and torque about its origin [N·m].
    pub wrench: [Vec3; 2],
    /// Impulse [N·s] and its moment about the origin since it was last taken.
    pub impulse: [Vec3; 2],
    /// Force [N] on each marker and its impulse [N·s] since it was last taken, where the solid changes its shape.
    pub pushes: Vec<[Vec3; 2]>,
}

/// All solids and their markers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Solids {
    pub list: Vec<Solid>,
    /// Place of each marker in the fields.
    pub slots: Vec<u32>,
    /// Force on each marker [N] and pressure there [Pa].
    pub forces: Vec<Row>,
    /// Angular velocity of each marker [rad/s]; empty where none turns.
    pub spins: Vec<Vec3>,
}

clone_in_place!(Solids { list, slots, forces, spins });

impl Solids {
    pub fn get(&self, id: SolidId) -> Result<&Solid> {
        let count = self.list.len();
        self.list.get(id.0).ok_or(ParticleError::UnknownSolid { index: id.0, count })
    }

    pub fn get_mut(&mut self, id: SolidId) -> Result<&mut Solid> {
        let count = self.list.len();
        self.list.get_mut(id.0).ok_or(ParticleError::UnknownSolid { index: id.0, count })
    }

    /// Refuses motions that are not finite.
    pub fn set_motion(&mut self, id: SolidId, new: SolidMotion) -> Result<()> {
        let solid = self.get_mut(id)?;
        let refuse = |value, expected| {
            Err(ParticleError::range(part_of("the motion", "solid", &solid.name), value, expected))
        };
        match &mut solid.carriage {
            _ if !new.is_finite() => refuse(f64::NAN, "finite"),
            Carriage::Free { markers } => {
                refuse(markers.len() as f64, "set marker by marker: it changes its shape")
            }
            Carriage::Rigid { motion, .. } => {
                *motion = new;
                Ok(())
            }
        }
    }

    /// Sets the velocity of the surface of a rigid solid over its own; in a plane the part along it.
    pub fn set_belt(&mut self, id: SolidId, velocity: Vec3, space: FlowSpace) -> Result<()> {
        let solid = self.get_mut(id)?;
        let refuse = |expected| {
            let what = part_of("the speed of the surface", "solid", &solid.name);
            Err(ParticleError::range(what, velocity.length(), expected))
        };
        let rotation = match &solid.carriage {
            _ if !velocity.is_finite() => return refuse("finite"),
            Carriage::Rigid { motion, .. } => motion.rotation,
            Carriage::Free { .. } if velocity == Vec3::ZERO => return Ok(()),
            Carriage::Free { .. } => return refuse("set marker by marker: it changes its shape"),
        };
        solid.belt = rotation.inverse() * space.project(rotation * velocity);
        Ok(())
    }

    /// Sets the markers of a solid that changes its shape.
    pub fn set_markers(&mut self, id: SolidId, new: &[MarkerMotion]) -> Result<()> {
        let solid = self.get_mut(id)?;
        let what = || part_of("the number of markers", "solid", &solid.name);
        match &mut solid.carriage {
            Carriage::Free { markers } if markers.len() == new.len() => {
                if let Some(k) = new.iter().position(|marker| !marker.is_finite()) {
                    return Err(ParticleError::range(
                        part_of(format!("the motion of marker {k}"), "solid", &solid.name),
                        f64::NAN,
                        "finite",
                    ));
                }
                markers.copy_from_slice(new);
                Ok(())
            }
            Carriage::Free { .. } => {
                Err(ParticleError::range(what(), new.len() as f64, "as many as it was made of"))
            }
            Carriage::Rigid { .. } => {
                Err(ParticleError::range(what(), new.len() as f64, "left alone: it is rigid"))
            }
        }
    }

    /// Moves all solids by `time` [s] and puts their markers there; the largest displacement [m] of one.
    ///
    /// Along axes that repeat after `periods` [m], markers go to the image of their place that is nearest to where they were.
    pub fn advance(&mut self, fields: &mut FluidFields, periods: Vec3, time: f64) -> f64 {
        (0..self.list.len()).map(|k| self.advance_one(fields, periods, k, time)).fold(0.0, f64::max)
    }

    /// Puts the markers of a solid where it is now; the largest displacement [m] of one.
    pub fn place(&mut self, fields: &mut FluidFields, periods: Vec3, id: SolidId) -> f64 {
        if id.0 < self.list.len() { self.advance_one(fields, periods, id.0, 0.0) } else { 0.0 }
    }

    fn advance_one(&mut self, fields: &mut FluidFields, periods: Vec3, number: usize, time: f64) -> f64 {
        let solid = &mut self.list[number];
        let slots = &self.slots[solid.first..solid.first + solid.count];
        let mut farthest = 0.0_f64;
        let mut rows = [fields.place.write(), fields.motion.write(), fields.rate.write()];
        match &mut solid.carriage {
            Carriage::Rigid { motion, .. } if motion.rests() && time > 0.0 => {}
            Carriage::Rigid { motion, points } => {
                *motion = motion.later(time);
                note_spin(&mut self.spins, self.slots.len(), solid.first..solid.first + solid.count, motion);
                let belt = motion.rotation * solid.belt;
                for (slot, local) in slots.iter().zip(points) {
                    let [position, velocity, acceleration] = motion.point(*local);
                    let moved = [position, velocity + belt, acceleration];
                    let way = put(&mut rows, *slot as usize, moved, periods);
                    farthest = farthest.max(way);
                }
            }
            Carriage::Free { markers } => {
                let own = solid.first..solid.first + solid.count;
                note_spins_of(&mut self.spins, self.slots.len(), own, markers);
                for (slot, marker) in slots.iter().zip(markers) {
                    marker.position += marker.velocity * time;
                    let at = [marker.position, marker.velocity, marker.acceleration];
                    farthest = farthest.max(put(&mut rows, *slot as usize, at, periods));
                }
            }
        }
        farthest
    }

    /// Updates the stored angular velocities of all markers.
    pub fn note_spins(&mut self) {
        self.spins.clear();
        for Solid { first, count, carriage, .. } in &self.list {
            let own = *first..first + count;
            match carriage {
                Carriage::Rigid { motion, .. } => {
                    note_spin(&mut self.spins, self.slots.len(), own, motion);
                }
                Carriage::Free { markers } => {
                    note_spins_of(&mut self.spins, self.slots.len(), own, markers);
                }
            }
        }
    }

    /// Sums the forces of the markers, and counts what those before and these do, each for its time [s].
    ///
    /// Arms are those of the solid itself: along a periodic axis its markers may be at an image of their place.
    pub fn collect(&mut self, [before, now]: [f64; 2]) {
        for solid in &mut self.list {
            let forces = &self.forces[solid.first..solid.first + solid.count];
            let mut wrench = [Vec3::ZERO; 2];
            let mut add = |arm: Vec3, force: &Row| {
                wrench[0] += force.vector();
                wrench[1] += arm.cross(force.vector());
            };
            match &solid.carriage {
                Carriage::Rigid { motion, points } => {
                    points.iter().zip(forces).for_each(|(local, force)| add(motion.rotation * *local, force));
                }
                Carriage::Free { markers } => {
                    markers.iter().zip(forces).for_each(|(marker, force)| add(marker.position, force));
                }
            }
            for ([force, impulse], now_on) in solid.pushes.iter_mut().zip(forces) {
                *impulse += before * *force + now * now_on.vector();
                *force = now_on.vector();
            }
            for k in 0..2 {
                solid.impulse[k] += before * solid.wrench[k] + now * wrench[k];
            }
            solid.wrench = wrench;
        }
    }
}

/// Notes the angular velocity of the markers of a solid.
fn note_spin(spins: &mut Vec<Vec3>, markers: usize, own: Range<usize>, motion: &SolidMotion) {
    if spins.is_empty() && motion.angular_velocity == Vec3::ZERO {
        return;
    }
    spins.resize(markers, Vec3::ZERO);
    spins[own].fill(motion.angular_velocity);
}

/// Notes the angular velocities of the markers of a solid that changes its shape.
fn note_spins_of(spins: &mut Vec<Vec3>, markers: usize, own: Range<usize>, moving: &[MarkerMotion]) {
    if spins.is_empty() && moving.iter().all(|marker| marker.angular_velocity == Vec3::ZERO) {
        return;
    }
    spins.resize(markers, Vec3::ZERO);
    spins[own].iter_mut().zip(moving).for_each(|(spin, marker)| *spin = marker.angular_velocity);
}

/// Puts a marker to a place, or to the image of it that is nearest to where it was; its displacement [m].
fn put(
    [place, motion, rate]: &mut [&mut [Row]; 3],
    i: usize,
    [mut position, velocity, acceleration]: [Vec3; 3],
    periods: Vec3,
) -> f64 {
    let before = place[i].vector();
    for k in (0..3).filter(|k| periods[*k] > 0.0) {
        position[k] += periods[k] * ((before[k] - position[k]) / periods[k]).round();
    }
    place[i] = Row::new(position, place[i].0[3]);
    motion[i] = Row::new(velocity, motion[i].0[3]);
    rate[i] = Row::new(acceleration, 0.0);
    position.distance(before)
}
