//! Forces that are no contacts: fields of force, drag of a fluid, attraction and repulsion at a distance.

use std::fmt::Debug;
use std::sync::Arc;

use huygens_exec::{Exec, Strided};
use huygens_kernel::Vec3;
use huygens_kernel::contact::effective_radius;
use huygens_kernel::drag::{hamaker_attraction, schiller_naumann_drag, screened_repulsion, stokes_drag};

use crate::error::{ParticleError, Result};
use crate::grains::fields::Fields;
use crate::grains::list::{CHUNK, FOREIGN, INDEX, TOUCHING};
use crate::grains::system::GrainSystem;
use crate::row::Row;

/// A grain as a field of force sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainAt {
    /// Time [s].
    pub time: f64,
    /// Its name.
    pub id: u64,
    /// Centre [m].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Radius [m].
    pub radius: f64,
    /// Mass [kg], or its share in that of its clump.
    pub mass: f64,
}

/// A field of force.
pub trait ForceField: Debug + Send + Sync {
    /// Force on a grain [N]; grains that forces do not move are not asked for.
    fn force(&self, grain: &GrainAt) -> Vec3;
}

/// Velocity of a fluid [m/s] at a time [s] and place [m].
#[derive(Clone)]
pub enum Flow {
    /// The same everywhere.
    Uniform(Vec3),
    /// Shear: the velocity at a point of no flow is zero, and grows along `gradient` [1/s, direction] in `direction`.
    Shear {
        /// A point where the fluid rests [m].
        rest: Vec3,
        /// Gradient [1/s] and the direction along which the velocity changes.
        gradient: Vec3,
        /// Unit vector of the flow.
        direction: Vec3,
    },
    /// Solid rotation about an axis.
    Rotation {
        /// A point of the axis [m].
        centre: Vec3,
        /// Angular velocity [rad/s].
        rate: Vec3,
    },
    /// Anything: time, place → velocity.
    Given(Arc<dyn Fn(f64, Vec3) -> Vec3 + Send + Sync>),
}

impl Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Uniform(v) => write!(f, "Uniform({v})"),
            Self::Shear { rest, gradient, direction } => write!(f, "Shear({rest}, {gradient}, {direction})"),
            Self::Rotation { centre, rate } => write!(f, "Rotation({centre}, {rate})"),
            Self::Given(_) => write!(f, "Given"),
        }
    }
}

impl Flow {
    fn velocity(&self, time: f64, x: Vec3) -> Vec3 {
        match self {
            Self::Uniform(v) => *v,
            Self::Shear { rest, gradient, direction } => *direction * (x - *rest).dot(*gradient),
            Self::Rotation { centre, rate } => rate.cross(x - *centre),
            Self::Given(given) => given(time, x),
        }
    }
}

/// Which drag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DragLaw {
    /// Stokes: slow flow.
    Stokes,
    /// Schiller and Naumann, in a fluid of this density [kg/m³].
    SchillerNaumann {
        /// Density of the fluid [kg/m³].
        density: f64,
    },
}

/// Drag of a fluid that the grains do not change.
#[derive(Clone, Debug)]
pub struct Drag {
    /// Which law.
    pub law: DragLaw,
    /// Viscosity [Pa·s].
    pub viscosity: f64,
    /// How the fluid flows.
    pub flow: Flow,
}

impl ForceField for Drag {
    fn force(&self, grain: &GrainAt) -> Vec3 {
        let slip = (self.flow.velocity(grain.time, grain.position) - grain.velocity).to_array();
        match self.law {
            DragLaw::Stokes => stokes_drag(self.viscosity, grain.radius, slip),
            DragLaw::SchillerNaumann { density } => {
                schiller_naumann_drag(density, self.viscosity, grain.radius, slip)
            }
        }
        .into()
    }
}

/// Forces between grains whose surfaces are near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearField {
    /// Gap [m] beyond which there is no force.
    pub range: f64,
    /// Hamaker's constant [J]; 0 for no attraction.
    pub hamaker: f64,
    /// Least gap [m] of the attraction.
    pub least_gap: f64,
    /// Repulsion at touch [N]; 0 for none.
    pub repulsion: f64,
    /// Length over which the repulsion fades [m].
    pub length: f64,
}

impl NearField {
    fn check(&self) -> Result<()> {
        let refuse = |what: &str, value, expected| {
            Err(ParticleError::Range { what: format!("the {what} of a near field"), value, expected })
        };
        let positive = |x: f64| x > 0.0 && x.is_finite();
        match self {
            _ if !positive(self.range) => refuse("range", self.range, "finite and above 0"),
            _ if !positive(self.least_gap) => refuse("least gap", self.least_gap, "finite and above 0"),
            _ if !positive(self.length) => refuse("length", self.length, "finite and above 0"),
            _ if !(self.hamaker.is_finite() && self.repulsion.is_finite()) => {
                refuse("strength", self.hamaker, "finite")
            }
            _ => Ok(()),
        }
    }

    /// Repulsion less attraction [N].
    fn force(&self, gap: f64, radius: f64) -> f64 {
        screened_repulsion(self.repulsion, self.length, gap)
            - hamaker_attraction(self.hamaker, radius, gap, self.least_gap)
    }
}

impl GrainSystem {
    /// Changes the acceleration of gravity [m/s²] from now on.
    pub fn set_gravity(&mut self, gravity: Vec3) {
        self.settings.gravity = gravity;
    }

    /// Adds a field of force.
    ///
    /// Between steps, contacts keep what they remember, and grains feel the field from the next step on.
    pub fn add_field(&mut self, field: Arc<dyn ForceField>) {
        self.surroundings.push(field);
    }

    /// Forces between grains that are near without touching; none by default.
    ///
    /// Between steps, contacts keep what they remember, and grains feel the change from the next step on.
    pub fn set_near_field(&mut self, near: Option<NearField>) -> Result<()> {
        near.iter().try_for_each(NearField::check)?;
        if let Some(near) = near {
            let largest = self.fields.place.iter().fold(0.0_f64, |most, row| most.max(row.0[3]));
            self.check_width(largest, near.range)?;
        }
        self.near = near;
        self.listed = false;
        Ok(())
    }

    /// Adds what fields do to the forces of the contacts.
    pub(crate) fn add_surroundings(&mut self, ex: &Exec, time: f64) {
        if self.near.is_some() {
            self.add_near(ex);
        }
        if self.surroundings.is_empty() {
            return;
        }
        let mut force = std::mem::take(&mut self.fields.force);
        let system = &*self;
        ex.for_each_chunk(&mut force, CHUNK, |c, force| {
            for (k, force) in force.iter_mut().enumerate() {
                if system.fields.motion[c * CHUNK + k].0[3] > 0.0 {
                    let sum = system.field_force(c * CHUNK + k, time);
                    *force = Row::new(force.vector() + sum, 0.0);
                }
            }
        });
        self.fields.force = force;
    }

    /// Force of all fields on a grain by its present index [N].
    pub(crate) fn field_force(&self, i: usize, time: f64) -> Vec3 {
        let Fields { place, motion, id, member, .. } = &self.fields;
        let inverse = motion[i].0[3];
        if inverse == 0.0 {
            return Vec3::ZERO;
        }
        let shared = member.get(i).map_or(1.0, |[clump, _]| self.clumps.members(*clump));
        let grain = GrainAt {
            time,
            id: id[i],
            position: place[i].vector(),
            velocity: motion[i].vector(),
            radius: place[i].0[3],
            mass: 1.0 / (inverse * shared),
        };
        self.surroundings.iter().map(|field| field.force(&grain)).sum()
    }

    /// Power [W] of the near field of the pairs of a chunk.
    pub(crate) fn near_power(&self, c: usize) -> f64 {
        let (Some(near), chunk, place) = (self.near, &self.list.chunks[c], &self.fields.place) else {
            return 0.0;
        };
        let mut power = 0.0;
        for (item, ends) in chunk.starts.windows(2).enumerate() {
            let i = c * CHUNK + item;
            for p in ends[0] as usize..ends[1] as usize {
                let j = (chunk.other[p] & INDEX) as usize;
                let offset = self.periodic.nearest(place[j].vector() - place[i].vector());
                let (distance, ra, rb) = (offset.length(), place[i].0[3], place[j].0[3]);
                let gap = distance - ra - rb;
                if gap < near.range && distance > 0.0 {
                    let on_j = offset * (near.force(gap, effective_radius(ra, rb)) / distance);
                    power += on_j.dot(self.fields.motion[j].vector() - self.fields.motion[i].vector());
                }
            }
        }
        power
    }

    fn add_near(&mut self, ex: &Exec) {
        let Some(near) = self.near else { return };
        let (place, periodic) = (&self.fields.place, &self.periodic);
        let count = place.len();
        let data =
            (Strided { data: &mut self.list.chunks, stride: CHUNK, count }, &mut self.fields.force[..]);
        ex.for_each_piece(data, CHUNK, |first, (chunks, force)| {
            let chunk = &mut chunks.data[0];
            let mut entry = 0;
            for item in 0..force.len() {
                let (a, ra) = (place[first + item].vector(), place[first + item].0[3]);
                for p in chunk.starts[item] as usize..chunk.starts[item + 1] as usize {
                    let other = chunk.other[p];
                    let j = (other & INDEX) as usize;
                    let offset = periodic.nearest(place[j].vector() - a);
                    let (distance, rb) = (offset.length(), place[j].0[3]);
                    let gap = distance - ra - rb;
                    let mut on_j = Vec3::ZERO;
                    if gap < near.range && distance > 0.0 {
                        on_j = offset * (near.force(gap, effective_radius(ra, rb)) / distance);
                    }
                    force[item] = Row::new(force[item].vector() - on_j, 0.0);
                    if other & FOREIGN != 0 {
                        let out = chunk.outgoing(entry);
                        // What touches has its contact force there already; others what was there before.
                        let before = if other & TOUCHING != 0 { out[0].vector() } else { Vec3::ZERO };
                        out[0] = Row::new(before + on_j, 0.0);
                        entry += 1;
                    } else {
                        force[j - first] = Row::new(force[j - first].vector() + on_j, 0.0);
                    }
                }
            }
        });
    }
}
