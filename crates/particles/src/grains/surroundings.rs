//! Forces that are no contacts: fields of force, drag of a fluid, attraction and repulsion at a distance.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use huygens_exec::{Exec, Strided};
use huygens_kernel::Vec3;
use huygens_kernel::contact::effective_radius;
use huygens_kernel::drag::{hamaker_attraction, schiller_naumann_drag, screened_repulsion, stokes_drag};

use crate::error::{Result, refusal};
use crate::grains::clump::Clumps;
use crate::grains::fields::GrainFields;
use crate::grains::list::{CHUNK, FOREIGN, INDEX, TOUCHING};
use crate::grains::loops::GrainParts;
use crate::grains::model::GrainModel;
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
        let slip = (self.flow.velocity(grain.time, grain.position) - grain.velocity).into();
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
        let refuse = refusal("a near field");
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
        self.model.settings.gravity = gravity;
    }

    /// Adds a field of force.
    ///
    /// Between steps, contacts keep what they remember, and grains feel the field from the next step on.
    pub fn add_field(&mut self, field: Arc<dyn ForceField>) {
        self.model.surroundings.push(field);
    }

    /// Forces between grains that are near without touching; none by default.
    ///
    /// Between steps, contacts keep what they remember, and grains feel the change from the next step on.
    pub fn set_near_field(&mut self, near: Option<NearField>) -> Result<()> {
        near.iter().try_for_each(NearField::check)?;
        if let Some(near) = near {
            self.check_width(self.greatest_radius(&Exec::serial()), near.range)?;
        }
        self.model.near = near;
        self.listed = false;
        Ok(())
    }

    /// Force of all fields on a grain by its present index [N].
    pub(crate) fn field_force(&self, i: usize, time: f64) -> Vec3 {
        field_force(&self.model, &self.fields, &self.clumps, i, time)
    }

    /// Greatest radius [m] of a grain; 0 where there are none.
    pub(crate) fn greatest_radius(&self, ex: &Exec) -> f64 {
        let place = self.fields.place.read();
        let of = |range: Range<usize>| place[range].iter().fold(0.0_f64, |most, row| most.max(row.0[3]));
        ex.max(place.len(), CHUNK, of).max(0.0)
    }

    /// Power [W] of the near field of the pairs of a chunk.
    pub(crate) fn near_power(&self, c: usize) -> f64 {
        let fields = &self.fields;
        let (place, motion) = (fields.place.read(), fields.motion.read());
        let (Some(near), chunk) = (self.model.near, &self.list.chunks[c]) else {
            return 0.0;
        };
        let mut power = 0.0;
        for (item, ends) in chunk.starts.windows(2).enumerate() {
            let i = c * CHUNK + item;
            for p in ends[0] as usize..ends[1] as usize {
                let j = (chunk.other[p] & INDEX) as usize;
                let offset = self.model.periodic.nearest(place[j].vector() - place[i].vector());
                let (distance, ra, rb) = (offset.length(), place[i].0[3], place[j].0[3]);
                let gap = distance - ra - rb;
                if gap < near.range && distance > 0.0 {
                    let on_j = offset * (near.force(gap, effective_radius(ra, rb)) / distance);
                    power += on_j.dot(motion[j].vector() - motion[i].vector());
                }
            }
        }
        power
    }
}

/// Force of all fields on a grain [N].
fn field_force(model: &GrainModel, fields: &GrainFields, clumps: &Clumps, i: usize, time: f64) -> Vec3 {
    let (place, motion) = (&fields.place.read()[i], &fields.motion.read()[i]);
    let inverse = motion.0[3];
    if inverse == 0.0 {
        return Vec3::ZERO;
    }
    let shared = clumps.members(fields.clump_of(i));
    let grain = GrainAt {
        time,
        id: fields.id.read()[i],
        position: place.vector(),
        velocity: motion.vector(),
        radius: place.0[3],
        mass: 1.0 / (inverse * shared),
    };
    model.surroundings.iter().map(|field| field.force(&grain)).sum()
}

impl GrainParts<'_> {
    /// Adds what fields do to the forces of the contacts, at the time `time` [s].
    pub fn add_surroundings(&mut self, ex: &Exec, time: f64) {
        if self.model.near.is_some() {
            self.add_near(ex);
        }
        let (model, clumps) = (self.model, &*self.clumps);
        if model.surroundings.is_empty() {
            return;
        }
        // Fields see all of a grain but its force.
        let mut force = std::mem::take(&mut self.fields.force);
        let (fields, owned) = (&*self.fields, self.fields.extent().owned);
        ex.for_each_chunk(&mut force.write()[..owned], CHUNK, |c, force| {
            for (k, force) in force.iter_mut().enumerate() {
                if fields.motion.read()[c * CHUNK + k].0[3] > 0.0 {
                    let sum = field_force(model, fields, clumps, c * CHUNK + k, time);
                    *force = Row::new(force.vector() + sum, 0.0);
                }
            }
        });
        self.fields.force = force;
    }

    fn add_near(&mut self, ex: &Exec) {
        let Some(near) = self.model.near else { return };
        let (periodic, count) = (&self.model.periodic, self.fields.extent().owned);
        let GrainFields { place, force, .. } = &mut *self.fields;
        let place = place.read();
        let chunks = Strided { data: &mut self.list.chunks, stride: CHUNK, count };
        let data = (chunks, &mut force.write()[..count]);
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
