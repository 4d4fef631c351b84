//! Forces between grains and walls.

use huygens_exec::lanes::{Kernel, LANES, Lanes};
use huygens_kernel::contact::{CompliantPair, Kinematics, respond};
use huygens_kernel::nearest::on_plane;
use huygens_kernel::triple::{cross, scaled};
use huygens_kernel::{Vec3, three};

use crate::grains::contacts::Laws;
use crate::grains::fields::Seen;
use crate::grains::walls::list::{Near, VertexPush, WallChunk};
use crate::row::Row;
use crate::walls::mesh::Feet;
use crate::walls::surface::{Foot, Nearest, RIGID, Surface};
use crate::walls::wall::Wall;

/// A grain that touches a wall, in rows that are loaded at once.
#[derive(Clone, Copy, Default)]
struct Touch {
    item: usize,
    wall: usize,
    /// Place of the wall among those that are near the chunk.
    place: usize,
    pair: usize,
    /// Facet of a wall that deforms, or [`RIGID`].
    facet: u32,
    /// From the wall to the grain, and overlap [m].
    normal: Row,
    /// Velocity of the wall at the contact [m/s], and the inverse of its mass [1/kg].
    velocity: Row,
    /// Angular velocity of the wall [rad/s], and the effective radius [m].
    spin: Row,
    /// From the origin of the wall to the contact [m].
    arm: Row,
}

/// Contacts of the grains of one chunk with walls; adds to their forces.
pub(crate) struct WallPass<'a> {
    pub laws: &'a Laws,
    pub walls: &'a [Wall],
    /// Normals and offsets of those that are planes.
    pub planes: &'a [Option<(Vec3, f64)>],
    pub fields: Seen<'a>,
    pub chunk: &'a mut WallChunk,
    pub force: &'a mut [Row],
    pub torque: &'a mut [Row],
    pub first: usize,
    pub step: f64,
}

impl Kernel for WallPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        self.chunk.wrenches.start(self.chunk.active.len());
        self.chunk.pushes.clear();
        let mut feet = std::mem::take(&mut self.chunk.feet);
        let (mut four, mut count) = ([Touch::default(); LANES], 0);
        self.chunk.start();
        let mut cursor = 0;
        for p in 0..self.chunk.near.len() {
            let near = self.chunk.near[p];
            let (item, wall) = (near.item as usize, near.wall as usize);
            self.feet(p, item, wall, &mut feet);
            let (r, width) = (self.fields.place[self.first + item].0[3], self.laws.layout.width());
            let first = self.chunk.carry_on(near, r, &feet.out, &mut cursor, width);
            for (k, foot) in feet.out.iter().enumerate() {
                four[count] = self.touch(first + k, near, foot);
                count += 1;
                if count == LANES {
                    self.answer::<L>(&four, count);
                    count = 0;
                }
            }
        }
        if count > 0 {
            // The last ones are repeated, and what comes of them dropped.
            let last = four[count - 1];
            four[count..].fill(last);
            self.answer::<L>(&four, count);
        }
        self.chunk.feet = feet;
        self.chunk.wrenches.finish();
    }
}

impl WallPass<'_> {
    /// Finds where a grain touches a wall; normals are in the axes of the wall, but in those of the world for a
    /// plane.
    #[inline(always)]
    fn feet(&self, near: usize, item: usize, wall: usize, feet: &mut Feet) {
        let place = &self.fields.place[self.first + item];
        let (x, r) = (place.vector(), place.0[3]);
        let Some((normal, offset)) = self.planes[wall] else {
            let at = &self.walls[wall];
            at.surface.touch(at.local(x), r, self.chunk.triangles(near), feet);
            return;
        };
        feet.out.clear();
        let near: Nearest = on_plane(normal.into(), offset, x.into()).into();
        feet.add(Foot { near, feature: 0, facet: RIGID }, r);
    }

    #[inline(always)]
    fn touch(&self, pair: usize, entry: Near, foot: &Foot) -> Touch {
        let (item, wall) = (entry.item as usize, entry.wall as usize);
        let (near, at) = (&foot.near, &self.walls[wall]);
        let place = &self.fields.place[self.first + item];
        let (x, r) = (place.vector(), place.0[3]);
        let normal = match self.planes[wall] {
            Some(_) => near.normal,
            None => at.motion.rotation * near.normal,
        };
        let depth = r - near.distance;
        let point = x - normal * (r - 0.5 * depth);
        let motion = at.motion_at(foot, point, normal, depth);
        Touch {
            item,
            wall,
            place: entry.place as usize,
            pair,
            facet: foot.facet,
            normal: Row::new(normal, depth),
            velocity: Row::new(motion.velocity, motion.inverse_mass),
            spin: Row::new(motion.angular_velocity, near.effective_radius(r)),
            arm: Row::new(point - at.motion.position, 0.0),
        }
    }

    /// Forces of four contacts, of which the first `count` are meant.
    #[inline(always)]
    fn answer<L: Lanes>(&mut self, touch: &[Touch; LANES], count: usize) {
        macro_rules! rows {
            ($t:ident => $row:expr) => {
                L::transpose_in([
                    {
                        let $t = &touch[0];
                        &$row.0
                    },
                    {
                        let $t = &touch[1];
                        &$row.0
                    },
                    {
                        let $t = &touch[2];
                        &$row.0
                    },
                    {
                        let $t = &touch[3];
                        &$row.0
                    },
                ])
            };
        }
        let (fields, base) = (self.fields, self.first);
        let [nx, ny, nz, depth] = rows!(t => t.normal);
        let [ux, uy, uz, wall_mass] = rows!(t => t.velocity);
        let [ox, oy, oz, effective_radius] = rows!(t => t.spin);
        let [ax, ay, az, _] = rows!(t => t.arm);
        let [_, _, _, radius] = rows!(t => fields.place[base + t.item]);
        let [vx, vy, vz, mass] = rows!(t => fields.motion[base + t.item]);
        let [wx, wy, wz, _] = rows!(t => fields.spin[base + t.item]);
        let normal = [nx, ny, nz];
        let arm = L::of(-0.5).mul_add(depth, radius);
        let slide = cross(scaled(arm, [wx, wy, wz]), normal);
        // Forces are found from velocities in the middle of the step: they are its mean.
        let velocity = [vx - ux - slide[0], vy - uy - slide[1], vz - uz - slide[2]];
        let motion = Kinematics {
            depth,
            normal: normal.into(),
            // The grain's surface is at minus the normal from its centre.
            velocity: velocity.into(),
            mean_velocity: velocity.into(),
            angular_velocity: [wx - ox, wy - oy, wz - oz].into(),
            effective_mass: L::of(1.0) / (mass + wall_mass),
            effective_radius,
            step: L::of(self.step),
        };
        let width = self.laws.layout.width();
        let at = [touch[0].pair * width, touch[1].pair * width, touch[2].pair * width, touch[3].pair * width];
        let old = self.laws.layout.load::<L>(&self.chunk.history, at);
        let pair = self.coefficients::<L>(touch);
        let response = respond(&self.laws.model, &pair, &motion, &old);
        self.laws.layout.store(&response.history, &mut self.chunk.history, at, count);
        let force = response.force(normal.into()).to_array();
        let couple = response.torque().to_array();
        let moment = cross(normal, force);
        let torque: [L; 3] = three!(k => arm.neg_mul_add(moment[k], couple[k]));
        let back = cross(force, [ax, ay, az]);
        let back: [L; 3] = three!(k => back[k] - couple[k]);
        let force = L::transpose([force[0], force[1], force[2], L::zero()]);
        let torque = L::transpose([torque[0], torque[1], torque[2], L::zero()]);
        let back = L::transpose([back[0], back[1], back[2], L::zero()]);
        for lane in 0..count {
            let Touch { item, wall, place, .. } = touch[lane];
            let (f, t) = (&mut self.force[item].0, &mut self.torque[item].0);
            (L::load(f) + force[lane]).store(f);
            (L::load(t) + torque[lane]).store(t);
            let slot = self.chunk.wrenches.slot(place, wall);
            let [f, t] = &mut self.chunk.wrenches.rows[slot];
            (L::load(&f.0) - force[lane]).store(&mut f.0);
            (L::load(&t.0) + back[lane]).store(&mut t.0);
        }
        if touch[..count].iter().any(|touch| touch.facet != RIGID) {
            let couple = L::transpose([couple[0], couple[1], couple[2], L::zero()]);
            for lane in 0..count {
                let mut rows = [Row::ZERO; 2];
                force[lane].store(&mut rows[0].0);
                couple[lane].store(&mut rows[1].0);
                self.spread(&touch[lane], rows[0].vector(), rows[1].vector());
            }
        }
    }

    /// Gives what a contact does to a facet to its vertices.
    #[inline(never)]
    fn spread(&mut self, touch: &Touch, force: Vec3, couple: Vec3) {
        let Surface::Facets(facets) = &self.walls[touch.wall].surface else { return };
        // The wall gets the opposite of the grain; its axes are those of the world.
        let at = (touch.arm.vector(), touch.normal.vector(), touch.normal.0[3]);
        let parts = facets.spread(touch.facet, at, -force, -couple);
        let wall = touch.wall as u32;
        for (vertex, force) in parts {
            self.chunk.pushes.push(VertexPush { wall, vertex, force });
        }
    }

    #[inline(always)]
    fn coefficients<L: Lanes>(&self, touch: &[Touch; LANES]) -> CompliantPair<L> {
        if self.laws.materials == 1 {
            return CompliantPair::uniform(&self.laws.pairs[0]);
        }
        let pair = |lane: usize| {
            let (grain, wall) =
                (self.fields.material[self.first + touch[lane].item], self.walls[touch[lane].wall].material);
            &self.laws.pairs[grain as usize * self.laws.materials + wall]
        };
        CompliantPair::joined([pair(0), pair(1), pair(2), pair(3)], |x| L::load(&x))
    }
}
