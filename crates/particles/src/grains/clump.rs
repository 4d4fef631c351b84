//! Clumps: rigid bodies made of overlapping spheres.
//!
//! The spheres are particles like others to the list and the laws; forces on them move the clump, and the clump
//! moves them. The angular momentum L is kept in world axes, so that it stays where nothing turns the clump; the
//! rotation follows the angular velocity in the middle of the step, $R \leftarrow \exp(h\,\omega_{1/2})R$.

use huygens_exec::Exec;
use huygens_geometry::MassProperties;
use huygens_kernel::rotation::exp;
use huygens_kernel::{Mat3, Quat, Vec3};

use crate::error::{ParticleError, Result};
use crate::grains::fields::{Grain, GrainFields};
use crate::grains::list::CHUNK;
use crate::grains::motion::Stroke;
use crate::grains::system::GrainSystem;
use crate::grid::Periodic;
use crate::row::Row;

/// Marks a grain that is no part of a clump.
pub(crate) const ALONE: u32 = u32::MAX;

/// What clumps of one kind have in common.
#[derive(Clone, Debug, PartialEq)]
struct ClumpShape {
    /// Spheres by their centre, from the centre of mass, and radius.
    spheres: Vec<(Vec3, f64)>,
    /// Centre of mass in the axes the spheres were given in.
    center: Vec3,
    mass: f64,
    inertia: Mat3,
    inverse_inertia: Mat3,
    material: usize,
}

/// Position, rotation and motion of a clump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clump {
    /// Index of its shape.
    pub shape: usize,
    /// Centre of mass [m].
    pub position: Vec3,
    /// World axes from those its spheres were given in.
    pub rotation: Quat,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Angular momentum about the centre of mass [kg·m²/s], world axes.
    pub angular_momentum: Vec3,
}

/// All clumps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clumps {
    shapes: Vec<ClumpShape>,
    pub bodies: Vec<Clump>,
    /// First member of each clump, and the end.
    starts: Vec<u32>,
    /// Present index of each member.
    index: Vec<u32>,
}

impl Clumps {
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Materials of the shapes.
    pub fn materials(&self) -> impl Iterator<Item = usize> + '_ {
        self.shapes.iter().map(|shape| shape.material)
    }

    /// Sum of mass times centre of mass [kg·m].
    pub fn moment(&self, ex: &Exec) -> Vec3 {
        let of = |body: &Clump| body.position * self.shapes[body.shape].mass;
        ex.sum_vectors(self.bodies.len(), CHUNK, |range| self.bodies[range].iter().map(of).sum())
    }

    fn angular_velocity(&self, body: &Clump, rotation: Quat) -> Vec3 {
        rotation * (self.shapes[body.shape].inverse_inertia * (rotation.conjugate() * body.angular_momentum))
    }

    /// Brings clumps into the periodic box.
    pub fn wrap(&mut self, periodic: &Periodic) {
        for body in &mut self.bodies {
            let mut row = Row::new(body.position, 0.0);
            periodic.wrap(&mut row);
            body.position = row.vector();
        }
    }

    /// Bytes they take.
    pub fn bytes(&self) -> usize {
        size_of::<Clump>() * self.bodies.capacity() + 4 * (self.starts.capacity() + self.index.capacity())
    }

    /// Finds the members after the order of the particles has changed.
    pub fn find_members(&mut self, member: &[[u32; 2]]) {
        for (i, [clump, k]) in member.iter().enumerate() {
            if *clump != ALONE {
                self.index[(self.starts[*clump as usize] + k) as usize] = i as u32;
            }
        }
    }

    /// Number of spheres of a clump, or 1 for a grain that is in none.
    pub fn members(&self, clump: u32) -> f64 {
        match clump {
            ALONE => 1.0,
            c => f64::from(self.starts[c as usize + 1] - self.starts[c as usize]),
        }
    }

    /// Gives all spheres of a clump the first value that one of them has.
    pub fn share<T: Copy>(&self, member: &[[u32; 2]], values: &mut [Option<T>]) {
        let mut first = vec![None; self.bodies.len()];
        for ([clump, _], value) in member.iter().zip(&*values) {
            if *clump != ALONE {
                first[*clump as usize] = first[*clump as usize].or(*value);
            }
        }
        for ([clump, _], value) in member.iter().zip(values) {
            if *clump != ALONE {
                *value = first[*clump as usize];
            }
        }
    }

    /// Removes the clumps of which some particle is `gone`, marks the others of it as gone too, and numbers the rest
    /// anew.
    pub fn remove(&mut self, member: &mut [[u32; 2]], gone: &mut [bool]) {
        let mut going = vec![false; self.bodies.len()];
        for ([clump, _], gone) in member.iter().zip(&*gone) {
            if *clump != ALONE && *gone {
                going[*clump as usize] = true;
            }
        }
        let mut number = Vec::with_capacity(going.len());
        let (mut bodies, mut starts) = (Vec::new(), vec![0]);
        for (c, body) in self.bodies.iter().enumerate() {
            number.push(bodies.len() as u32);
            if !going[c] {
                bodies.push(*body);
                starts.push(starts[starts.len() - 1] + self.starts[c + 1] - self.starts[c]);
            }
        }
        for ([clump, _], gone) in member.iter_mut().zip(gone) {
            if *clump != ALONE {
                *gone = going[*clump as usize];
                *clump = number[*clump as usize];
            }
        }
        self.index.truncate(starts[starts.len() - 1] as usize);
        (self.bodies, self.starts) = (bodies, starts);
    }

    /// Takes over the clumps of a saved state of `count` particles, if they fit.
    pub fn take_over(&mut self, bodies: Vec<Clump>, member: &[[u32; 2]], count: usize) -> bool {
        // Where all clumps have left, grains may still say that they are in none.
        let told = member.len() == count || member.is_empty() && bodies.is_empty();
        if !told || bodies.iter().any(|body| body.shape >= self.shapes.len()) {
            return false;
        }
        let mut starts = vec![0];
        let mut end = 0;
        for body in &bodies {
            end += self.shapes[body.shape].spheres.len() as u32;
            starts.push(end);
        }
        let mut index = vec![u32::MAX; end as usize];
        for (i, [clump, k]) in (0..).zip(member) {
            if *clump == ALONE {
                continue;
            }
            let ends = starts.get(*clump as usize).zip(starts.get(*clump as usize + 1));
            let Some((start, _)) = ends.filter(|(start, end)| *k < *end - *start) else { return false };
            let place = &mut index[(start + k) as usize];
            if *place != u32::MAX {
                return false;
            }
            *place = i;
        }
        let whole = index.iter().all(|i| *i != u32::MAX);
        if whole {
            (self.bodies, self.starts, self.index) = (bodies, starts, index);
        }
        whole
    }

    /// Kicks and moves the clumps by the forces on their members.
    pub fn advance(&mut self, ex: &Exec, fields: &GrainFields, stroke: Stroke, step: f64, gravity: Vec3) {
        const PIECE: usize = 256;
        let mut bodies = std::mem::take(&mut self.bodies);
        let clumps = &*self;
        let (forces, torques) = (fields.force.read(), fields.torque.read());
        ex.for_each_chunk(&mut bodies, PIECE, |c, bodies| {
            for (k, body) in bodies.iter_mut().enumerate() {
                let b = c * PIECE + k;
                let shape = &clumps.shapes[body.shape];
                let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
                for m in clumps.starts[b]..clumps.starts[b + 1] {
                    let i = clumps.index[m as usize] as usize;
                    let arm = body.rotation * shape.spheres[(m - clumps.starts[b]) as usize].0;
                    let f = forces[i].vector();
                    force += f;
                    torque += torques[i].vector() + arm.cross(f);
                }
                let kick = (force / shape.mass + gravity) * (0.5 * step);
                let twist = torque * (0.5 * step);
                let kicks = if stroke == Stroke::Through { 2 } else { 1 };
                for _ in 0..kicks {
                    body.velocity += kick;
                    body.angular_momentum += twist;
                }
                if stroke != Stroke::End {
                    body.position += body.velocity * step;
                    let now = clumps.angular_velocity(body, body.rotation);
                    let middle = (exp(now * (0.5 * step)) * body.rotation).normalize();
                    let turn = exp(clumps.angular_velocity(body, middle) * step);
                    body.rotation = (turn * body.rotation).normalize();
                }
            }
        });
        self.bodies = bodies;
    }

    /// Puts the members where their clumps are; the square of the longest way since the list was made [m²].
    pub fn place(
        &self,
        ex: &Exec,
        fields: &mut GrainFields,
        stroke: Stroke,
        ways: &mut [f32],
        periodic: &Periodic,
    ) {
        let count = fields.extent().owned;
        let GrainFields { place, motion, spin, moved, member, .. } = fields;
        let member = member.read();
        let data = (
            &mut place.write()[..count],
            &mut motion.write()[..count],
            &mut spin.write()[..count],
            &mut moved.write()[..count],
            huygens_exec::Strided { data: ways, stride: CHUNK, count },
        );
        ex.for_each_piece(data, CHUNK, |first, (place, motion, spin, moved, ways)| {
            for k in 0..place.len() {
                let [clump, m] = member[first + k];
                if clump == ALONE {
                    continue;
                }
                let body = &self.bodies[clump as usize];
                let arm = body.rotation * self.shapes[body.shape].spheres[m as usize].0;
                let omega = self.angular_velocity(body, body.rotation);
                motion[k] = Row::new(body.velocity + omega.cross(arm), motion[k].0[3]);
                spin[k] = Row::new(omega, 0.0);
                // The end of a step moves nothing: rounding anew would tell where a run was cut.
                if stroke == Stroke::End {
                    continue;
                }
                let old = place[k].vector();
                // Members and clump may be on different sides of a periodic box.
                let new = old + periodic.nearest(body.position + arm - old);
                for (c, moved) in moved[k].iter_mut().enumerate() {
                    *moved += (new[c] - old[c]) as f32;
                }
                place[k] = Row::new(new, place[k].0[3]);
                let square = moved[k].iter().map(|x| x * x).sum::<f32>();
                if square > ways.data[0] || square.is_nan() {
                    ways.data[0] = square;
                }
            }
        });
    }
}

impl GrainSystem {
    /// Adds a kind of clump: spheres by centre [m] and radius [m] in axes of its own, which may overlap; its index.
    pub fn add_clump_shape(
        &mut self,
        spheres: &[(Vec3, f64)],
        density: f64,
        material: usize,
    ) -> Result<usize> {
        for (position, radius) in spheres {
            let grain = Grain { position: *position, radius: *radius, density, material, ..Grain::default() };
            grain.check(self.model.settings.materials.len())?;
        }
        let whole = MassProperties::of_sphere_union(spheres, density);
        if spheres.is_empty() || !whole.mass.is_finite() {
            let what = "the mass of a clump";
            return Err(ParticleError::range(what, whole.mass, "that of one sphere or more"));
        }
        let spheres = spheres.iter().map(|(c, r)| (*c - whole.center, *r)).collect();
        self.clumps.shapes.push(ClumpShape {
            spheres,
            center: whole.center,
            mass: whole.mass,
            inertia: whole.inertia,
            inverse_inertia: whole.inertia.inverse(),
            material,
        });
        Ok(self.clumps.shapes.len() - 1)
    }

    /// Adds a clump whose own axes lie at `position` [m] with `rotation`, moving with `velocity` [m/s] of the centre
    /// of mass and `angular_velocity` [rad/s]; its index.
    pub fn add_clump(
        &mut self,
        shape: usize,
        position: Vec3,
        rotation: Quat,
        velocity: Vec3,
        angular_velocity: Vec3,
    ) -> Result<usize> {
        let Some(kind) = self.clumps.shapes.get(shape).cloned() else {
            let (value, what) = (shape as f64, "the shape of a clump");
            return Err(ParticleError::range(what, value, "the index of a shape that was added"));
        };
        let rotation = rotation.normalize();
        let number = self.clumps.bodies.len();
        let center = position + rotation * kind.center;
        for (k, (local, radius)) in kind.spheres.iter().enumerate() {
            let arm = rotation * *local;
            let grain = Grain {
                position: center + arm,
                radius: *radius,
                velocity: velocity + angular_velocity.cross(arm),
                angular_velocity,
                material: kind.material,
                ..Grain::default()
            };
            self.add(&grain)?;
            let last = self.fields.len() - 1;
            self.fields.member.resize(last + 1, [ALONE, 0]);
            self.fields.member.write()[last] = [number as u32, k as u32];
            self.fields.motion.write()[last].0[3] = 1.0 / kind.mass;
            self.fields.spin.write()[last].0[3] = 0.0;
            self.clumps.index.push(last as u32);
        }
        if self.clumps.starts.is_empty() {
            self.clumps.starts.push(0);
        }
        self.clumps.starts.push(self.clumps.index.len() as u32);
        let turned = rotation * (kind.inertia * (rotation.conjugate() * angular_velocity));
        self.clumps.bodies.push(Clump {
            shape,
            position: center,
            rotation,
            velocity,
            angular_momentum: turned,
        });
        Ok(number)
    }

    /// The clumps.
    pub fn clumps(&self) -> &[Clump] {
        &self.clumps.bodies
    }

    /// Mass of a clump [kg], and its inertia about the centre of mass in its own axes [kg·m²].
    pub fn clump_mass(&self, clump: usize) -> Option<(f64, Mat3)> {
        let shape = &self.clumps.shapes[self.clumps.bodies.get(clump)?.shape];
        Some((shape.mass, shape.inertia))
    }

    /// Angular velocity of a clump [rad/s], world axes.
    pub fn clump_angular_velocity(&self, clump: usize) -> Option<Vec3> {
        let body = self.clumps.bodies.get(clump)?;
        Some(self.clumps.angular_velocity(body, body.rotation))
    }

    /// Kinetic energy of the clumps [J].
    pub(crate) fn clump_energy(&self, ex: &Exec) -> f64 {
        let of = |body: &Clump| {
            let omega = self.clumps.angular_velocity(body, body.rotation);
            let mass = self.clumps.shapes[body.shape].mass;
            0.5 * (mass * body.velocity.length_squared() + omega.dot(body.angular_momentum))
        };
        let bodies = &self.clumps.bodies;
        ex.sum(bodies.len(), CHUNK, |range| bodies[range].iter().map(of).sum())
    }
}

impl GrainSystem {
    /// The clump that a grain is part of, by its present index, and its place among the spheres of that clump.
    pub fn clump_of(&self, i: usize) -> Option<(usize, usize)> {
        let [clump, k] = *self.fields.member.read().get(i)?;
        (clump != ALONE).then_some((clump as usize, k as usize))
    }
}
