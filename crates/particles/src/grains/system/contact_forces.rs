//! The forces of contacts, one by one, without a step.

use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantPair, ContactHistory, ContactMotion, effective_radius, evaluate};

use super::GrainSystem;
use crate::grains::list::{CHUNK, INDEX, TOUCHING};
use crate::row::Row;
use crate::walls::mesh::Feet;
use crate::walls::surface::Foot;

/// Two grains that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrainContact {
    /// Ids of the two.
    pub ids: [u64; 2],
    /// Their present indices.
    pub indices: [usize; 2],
    /// Middle of the overlap [m], near the first.
    pub point: Vec3,
    /// Unit normal from the first to the second.
    pub normal: Vec3,
    /// From the centre of the first to that of the second [m].
    pub branch: Vec3,
    /// Overlap [m].
    pub depth: f64,
    /// Force on the second [N]; the first gets the opposite.
    pub force: Vec3,
}

/// A grain that touches a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallContactForce {
    /// Id of the grain.
    pub id: u64,
    /// Its present index.
    pub index: usize,
    /// Index of the wall.
    pub wall: usize,
    /// Middle of the overlap [m].
    pub point: Vec3,
    /// Unit normal from the wall to the grain.
    pub normal: Vec3,
    /// Overlap [m].
    pub depth: f64,
    /// Force on the grain [N].
    pub force: Vec3,
}

impl GrainSystem {
    /// Calls `f(first, second, memory)` for each pair of grains that touch, in the order of the list.
    pub(crate) fn for_each_touching(&self, mut f: impl FnMut(usize, usize, &[Row])) {
        (0..self.list.chunks.len()).for_each(|c| self.for_each_touching_of(c, &mut f));
    }

    /// The same for the pairs of one chunk.
    pub(crate) fn for_each_touching_of(&self, c: usize, mut f: impl FnMut(usize, usize, &[Row])) {
        let width = self.model.laws.layout.width();
        let chunk = &self.list.chunks[c];
        for (item, ends) in chunk.starts.windows(2).enumerate() {
            for p in ends[0] as usize..ends[1] as usize {
                let other = chunk.other[p];
                if other & TOUCHING != 0 {
                    let memory = &chunk.history[p * width..(p + 1) * width];
                    f(c * CHUNK + item, (other & INDEX) as usize, memory);
                }
            }
        }
    }

    /// From the centre of a grain to that of another or its nearest image [m].
    fn branch(&self, i: usize, j: usize) -> Vec3 {
        let lengths = self.model.periodic.lengths();
        let mut branch = self.fields.place.read()[j].vector() - self.fields.place.read()[i].vector();
        for k in 0..3 {
            if branch[k].abs() > 0.5 * lengths[k] {
                branch[k] -= lengths[k].copysign(branch[k]);
            }
        }
        // Concentric grains have to part somehow.
        if branch == Vec3::ZERO { Vec3::Z * f64::MIN_POSITIVE.sqrt() } else { branch }
    }

    /// Two grains as the law sees them, in a step of `step` [s].
    pub(crate) fn pair_motion(&self, i: usize, j: usize, step: f64) -> ContactMotion {
        let fields = &self.fields;
        let (ra, rb) = (fields.place.read()[i].0[3], fields.place.read()[j].0[3]);
        let branch = self.branch(i, j);
        let distance = branch.length().max(f64::MIN_POSITIVE);
        let depth = ra + rb - distance;
        let normal = branch / distance;
        let (va, vb) = (&fields.motion.read()[i], &fields.motion.read()[j]);
        let (wa, wb) = (fields.spin.read()[i].vector(), fields.spin.read()[j].vector());
        let turned = wa * (ra - 0.5 * depth) + wb * (rb - 0.5 * depth);
        ContactMotion {
            gap: -depth,
            normal,
            velocity: vb.vector() - va.vector() - turned.cross(normal),
            velocity_before: None,
            angular_velocity: wb - wa,
            effective_mass: 1.0 / (va.0[3] + vb.0[3]),
            effective_radius: effective_radius(ra, rb),
            step,
        }
    }

    /// A grain and a wall as the law sees them, in a step of `step` [s].
    pub(crate) fn wall_meeting(&self, index: usize, wall: usize, foot: &Foot, step: f64) -> ContactMotion {
        let (fields, at, near) = (&self.fields, &self.walls[wall], &foot.near);
        let (x, r) = (fields.place.read()[index].vector(), fields.place.read()[index].0[3]);
        let normal = at.motion.rotation * near.normal;
        let depth = r - near.distance;
        let point = x - normal * (r - 0.5 * depth);
        let spin = fields.spin.read()[index].vector();
        let surface = at.motion_at(foot, point, normal, depth);
        ContactMotion {
            gap: -depth,
            normal,
            velocity: fields.motion.read()[index].vector() + spin.cross(point - x) - surface.velocity,
            velocity_before: None,
            angular_velocity: spin - surface.angular_velocity,
            effective_mass: 1.0 / (fields.motion.read()[index].0[3] + surface.inverse_mass),
            effective_radius: near.effective_radius(r),
            step,
        }
    }

    /// Grains that touch, with their forces.
    ///
    /// The law is asked again at the present positions and velocities with what contacts remember; nothing
    /// changes. Springs are those of the last step, dashpots follow the present velocities.
    pub fn grain_contacts(&self) -> Vec<GrainContact> {
        let fields = &self.fields;
        let mut out = Vec::new();
        self.for_each_touching(|i, j, memory| {
            // Springs do not grow.
            let motion = self.pair_motion(i, j, 0.0);
            let depth = -motion.gap;
            // The list says who touched in the last step; they may have moved since.
            if depth <= 0.0 {
                return;
            }
            let law = self.model.law_of(fields.material.read()[i].into(), fields.material.read()[j].into());
            out.push(GrainContact {
                ids: [fields.id.read()[i], fields.id.read()[j]],
                indices: [i, j],
                point: fields.place.read()[i].vector()
                    + motion.normal * (fields.place.read()[i].0[3] - 0.5 * depth),
                normal: motion.normal,
                branch: self.branch(i, j),
                depth,
                force: self.answer(&motion, law, memory),
            });
        });
        out
    }

    /// Grains that touch walls, with their forces; see [`grain_contacts`](Self::grain_contacts).
    pub fn wall_contact_forces(&self) -> Vec<WallContactForce> {
        let width = self.model.laws.layout.width();
        let mut out = Vec::new();
        let mut feet = Feet::default();
        for (c, chunk) in self.list.chunks.iter().enumerate() {
            let chunk = &chunk.walls;
            for (p, near) in chunk.near.iter().enumerate() {
                let (index, wall) = (c * CHUNK + near.item as usize, &self.walls[near.wall as usize]);
                let Row([.., r]) = self.fields.place.read()[index];
                let x = wall.local(self.fields.place.read()[index].vector());
                wall.surface.touch(x, r, chunk.triangles(p), &mut feet);
                let key = (near.item, near.wall);
                let first = chunk.known.partition_point(|known| (known.item, known.wall) < key);
                let after = &chunk.known[first..];
                let own = after.iter().take_while(|known| (known.item, known.wall) == key);
                for foot in &feet.out {
                    // Contacts that were none in the last step have no force yet.
                    let same = own.clone().position(|known| known.feature == foot.feature);
                    let Some(at) = same.map(|at| first + at) else { continue };
                    let memory = &chunk.history[at * width..(at + 1) * width];
                    out.push(self.wall_contact_force(index, near.wall as usize, foot, memory));
                }
            }
        }
        out
    }

    fn wall_contact_force(&self, index: usize, wall: usize, foot: &Foot, memory: &[Row]) -> WallContactForce {
        let fields = &self.fields;
        let motion = self.wall_meeting(index, wall, foot, 0.0);
        let depth = -motion.gap;
        let law = self.model.law_of(fields.material.read()[index].into(), self.walls[wall].material);
        WallContactForce {
            id: fields.id.read()[index],
            index,
            wall,
            point: fields.place.read()[index].vector()
                - motion.normal * (fields.place.read()[index].0[3] - 0.5 * depth),
            normal: motion.normal,
            depth,
            force: self.answer(&motion, law, memory),
        }
    }

    /// Force on the second of a pair.
    fn answer(&self, motion: &ContactMotion, law: &CompliantPair, memory: &[Row]) -> Vec3 {
        let old = self.model.laws.layout.unpacked(memory);
        let mut new = ContactHistory::default();
        evaluate(&self.model.laws.model, law, motion, &old, &mut new).force
    }
}
