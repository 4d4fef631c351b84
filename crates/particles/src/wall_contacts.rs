//! Forces between grains and walls.

use huygens_exec::lanes::{Kernel, LANES, Lanes};
use huygens_kernel::contact::{CompliantPair, HISTORY_LENGTH, Kinematics, effective_radius, respond};
use huygens_kernel::triple::{cross, scaled};
use huygens_kernel::{Vec3, three};

use crate::contacts::Laws;
use crate::fields::{Fields, Row};
use crate::surface::{Foot, Nearest};
use crate::wall::Wall;
use crate::wall_list::WallChunk;
use crate::wall_mesh::Feet;

/// A grain that touches a wall.
#[derive(Clone, Copy, Default)]
struct Touch {
    item: usize,
    wall: usize,
    pair: usize,
    depth: f64,
    /// From the wall to the grain.
    normal: [f64; 3],
    /// Velocity and angular velocity of the wall at the contact.
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
    inverse_mass: f64,
    effective_radius: f64,
}

/// Contacts of the grains of one chunk with walls; adds to their forces.
pub(crate) struct WallPass<'a> {
    pub laws: &'a Laws,
    pub walls: &'a [Wall],
    /// Normals and offsets of those that are planes.
    pub planes: &'a [Option<(Vec3, f64)>],
    pub fields: &'a Fields,
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
        self.chunk.wrenches.clear();
        self.chunk.wrenches.resize(self.walls.len(), [Row::ZERO; 2]);
        let mut feet = std::mem::take(&mut self.chunk.feet);
        let (mut four, mut count) = ([Touch::default(); LANES], 0);
        self.chunk.start();
        let mut cursor = 0;
        for p in 0..self.chunk.near.len() {
            let near = self.chunk.near[p];
            let (item, wall) = (near.item as usize, near.wall as usize);
            self.feet(p, item, wall, &mut feet);
            let width = self.laws.layout.width();
            let first = self.chunk.carry_on(near, &feet.out, &mut cursor, width);
            for (k, foot) in feet.out.iter().enumerate() {
                four[count] = self.touch(first + k, item, wall, &foot.near);
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
    }
}

impl WallPass<'_> {
    /// Finds where a grain touches a wall; normals are in the axes of the wall, but in those of the world for a
    /// plane.
    fn feet(&self, near: usize, item: usize, wall: usize, feet: &mut Feet) {
        let place = &self.fields.place[self.first + item];
        let (x, r) = (place.vector(), place.0[3]);
        let Some((normal, offset)) = self.planes[wall] else {
            let at = &self.walls[wall];
            at.surface.touch(at.local(x), r, self.chunk.triangles(near), feet);
            return;
        };
        feet.out.clear();
        let distance = normal.dot(x) - offset;
        if distance < r {
            let near = Nearest { distance, normal, curvature: f64::INFINITY };
            feet.out.push(Foot { near, feature: 0 });
        }
    }

    fn touch(&self, pair: usize, item: usize, wall: usize, near: &Nearest) -> Touch {
        let motion = &self.walls[wall].motion;
        let place = &self.fields.place[self.first + item];
        let (x, r) = (place.vector(), place.0[3]);
        let normal = match self.planes[wall] {
            Some(_) => near.normal,
            None => motion.rotation * near.normal,
        };
        let depth = r - near.distance;
        let arm = (x - normal * (r - 0.5 * depth)) - motion.position;
        Touch {
            item,
            wall,
            pair,
            depth,
            normal: normal.to_array(),
            velocity: (motion.velocity + motion.angular_velocity.cross(arm)).to_array(),
            angular_velocity: motion.angular_velocity.to_array(),
            inverse_mass: self.walls[wall].inverse_mass,
            effective_radius: joint_radius(r, near.curvature),
        }
    }

    #[inline(always)]
    fn answer<L: Lanes>(&mut self, touch: &[Touch; LANES], count: usize) {
        macro_rules! lanes {
            ($t:ident => $x:expr) => {{
                let mut x = [0.0; LANES];
                for lane in 0..LANES {
                    let $t = &touch[lane];
                    x[lane] = $x;
                }
                L::load(&x)
            }};
        }
        let fields = self.fields;
        let base = self.first;
        let normal: [L; 3] = three!(k => lanes!(t => t.normal[k]));
        let depth = lanes!(t => t.depth);
        let radius = lanes!(t => fields.place[base + t.item].0[3]);
        let arm = L::of(-0.5).mul_add(depth, radius);
        let spin: [L; 3] = three!(k => lanes!(t => fields.spin[base + t.item].0[k]));
        let slide = cross(scaled(arm, spin), normal);
        let one = L::of(1.0);
        let motion = Kinematics {
            depth,
            normal,
            // The grain's surface is at minus the normal from its centre.
            velocity: three!(k => lanes!(t => fields.motion[base + t.item].0[k] - t.velocity[k]) - slide[k]),
            angular_velocity: three!(k => spin[k] - lanes!(t => t.angular_velocity[k])),
            effective_mass: one / lanes!(t => fields.motion[base + t.item].0[3] + t.inverse_mass),
            effective_radius: lanes!(t => t.effective_radius),
            step: L::of(self.step),
        };
        let width = self.laws.layout.width();
        let rows =
            [touch[0].pair * width, touch[1].pair * width, touch[2].pair * width, touch[3].pair * width];
        let old = self.laws.layout.load::<L>(&self.chunk.history, rows);
        let mut new = [L::zero(); HISTORY_LENGTH];
        let pair = |lane: usize| {
            let (grain, wall) =
                (fields.material[base + touch[lane].item], self.walls[touch[lane].wall].material);
            &self.laws.pairs[grain as usize * self.laws.materials + wall]
        };
        let pair = match self.laws.materials {
            1 => CompliantPair::uniform(&self.laws.pairs[0]),
            _ => CompliantPair::joined([pair(0), pair(1), pair(2), pair(3)], |x| L::load(&x)),
        };
        let response = respond(&self.laws.model, &pair, &motion, &old, &mut new);
        self.laws.layout.store(&new, &mut self.chunk.history, rows, count);
        let force = response.force(normal);
        let couple = response.torque();
        let moment = cross(normal, force);
        let torque: [L; 3] = three!(k => arm.neg_mul_add(moment[k], couple[k]));
        let force = force.map(L::to_array);
        let torque = torque.map(L::to_array);
        let couple = couple.map(L::to_array);
        for (lane, t) in touch.iter().enumerate().take(count) {
            let f: [f64; 3] = three!(k => force[k][lane]);
            for k in 0..3 {
                self.force[t.item].0[k] += f[k];
                self.torque[t.item].0[k] += torque[k][lane];
            }
            let wall = &self.walls[t.wall];
            let x = fields.place[base + t.item].vector();
            let n = Vec3::from(t.normal);
            let point = x - n * (fields.place[base + t.item].0[3] - 0.5 * t.depth) - wall.motion.position;
            let back = point.cross(-Vec3::from(f));
            let wrench = &mut self.chunk.wrenches[t.wall];
            for k in 0..3 {
                wrench[0].0[k] -= f[k];
                wrench[1].0[k] += back[k] - couple[k][lane];
            }
        }
    }
}

/// Effective radius [m] of a grain and a wall with the radius of curvature `curvature`.
fn joint_radius(r: f64, curvature: f64) -> f64 {
    // An edge has no radius of its own: the grain's counts.
    if curvature == f64::INFINITY || curvature == 0.0 {
        return r;
    }
    // A hollow as narrow as the grain would make it infinite.
    match curvature < 0.0 && -curvature < 1.05 * r {
        true => 21.0 * r,
        false => effective_radius(r, curvature),
    }
}
