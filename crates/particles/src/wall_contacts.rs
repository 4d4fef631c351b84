//! Forces between grains and walls.

use huygens_exec::lanes::{Kernel, LANES, Lanes};
use huygens_kernel::contact::{CompliantPair, HISTORY_LENGTH, Kinematics, effective_radius, respond};
use huygens_kernel::triple::{cross, scaled};
use huygens_kernel::{Vec3, three};

use crate::contacts::Laws;
use crate::fields::{Fields, Row};
use crate::list::TOUCHING;
use crate::wall::{Nearest, Wall};

/// What touching grains remember while the list is made anew: old index of the grain and wall, rows.
pub(crate) type KeptContacts = (Vec<(u32, u32)>, Vec<Row>);

/// Walls near the grains of a chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallChunk {
    /// Grain, counted from the start of the chunk.
    pub item: Vec<u32>,
    /// Wall; [`TOUCHING`] is set on those that touch.
    pub wall: Vec<u32>,
    /// Memory.
    pub history: Vec<Row>,
    /// Force on and torque about the origin of each wall.
    pub wrenches: Vec<[Row; 2]>,
    /// Memory of touching ones while the list is made anew: old index of the grain, wall, rows.
    kept: Vec<(u32, u32)>,
    kept_history: Vec<Row>,
}

impl WallChunk {
    /// Puts what touching grains remember aside; `first` is the first grain of the chunk.
    pub fn keep(&mut self, first: usize, width: usize) {
        self.kept.clear();
        self.kept_history.clear();
        for (p, (&item, &wall)) in self.item.iter().zip(&self.wall).enumerate() {
            if wall & TOUCHING != 0 {
                self.kept.push((first as u32 + item, wall & !TOUCHING));
                self.kept_history.extend_from_slice(&self.history[p * width..(p + 1) * width]);
            }
        }
    }

    /// Finds the walls near the grains of a chunk.
    pub fn fill(&mut self, walls: &[Wall], place: &[Row], skin: f64) {
        self.item.clear();
        self.wall.clear();
        for (item, row) in place.iter().enumerate() {
            for (w, wall) in walls.iter().enumerate() {
                if wall.nearest(row.vector()).distance < row.0[3] + skin {
                    self.item.push(item as u32);
                    self.wall.push(w as u32);
                }
            }
        }
    }

    /// Gives contacts what they remembered; `old` are the old indices of the grains, `kept` all that was put aside,
    /// in order of the old indices.
    pub fn recall(&mut self, old: &[u32], kept: &[KeptContacts], chunk: usize, width: usize) {
        self.history.clear();
        self.history.resize(self.item.len() * width, Row::ZERO);
        for p in 0..self.item.len() {
            let key = (old[self.item[p] as usize], self.wall[p]);
            let Some((keys, rows)) = kept.get(key.0 as usize / chunk) else { continue };
            if let Ok(at) = keys.binary_search(&key) {
                self.history[p * width..(p + 1) * width].copy_from_slice(&rows[at * width..(at + 1) * width]);
                self.wall[p] |= TOUCHING;
            }
        }
    }

    pub fn take_kept(&mut self) -> KeptContacts {
        (std::mem::take(&mut self.kept), std::mem::take(&mut self.kept_history))
    }

    pub fn give_kept(&mut self, (keys, rows): KeptContacts) {
        (self.kept, self.kept_history) = (keys, rows);
    }
}

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
        let width = self.laws.layout.width();
        let mut four = [Touch::default(); LANES];
        let mut count = 0;
        for p in 0..self.chunk.item.len() {
            let (item, wall) = (self.chunk.item[p] as usize, self.chunk.wall[p]);
            match self.touch(p, item, (wall & !TOUCHING) as usize) {
                Some(touch) => {
                    self.chunk.wall[p] = wall | TOUCHING;
                    four[count] = touch;
                    count += 1;
                }
                None if wall & TOUCHING != 0 => {
                    self.chunk.wall[p] = wall & !TOUCHING;
                    self.chunk.history[p * width..(p + 1) * width].fill(Row::ZERO);
                }
                None => {}
            }
            if count == LANES {
                self.answer::<L>(&four, count);
                count = 0;
            }
        }
        if count > 0 {
            // The last ones are repeated, and what comes of them dropped.
            let last = four[count - 1];
            four[count..].fill(last);
            self.answer::<L>(&four, count);
        }
    }
}

impl WallPass<'_> {
    fn touch(&self, pair: usize, item: usize, wall: usize) -> Option<Touch> {
        let at = &self.walls[wall];
        let (x, r) =
            (self.fields.place[self.first + item].vector(), self.fields.place[self.first + item].0[3]);
        let near = match self.planes[wall] {
            Some((normal, offset)) => {
                Nearest { distance: normal.dot(x) - offset, normal, curvature: f64::INFINITY }
            }
            None => at.nearest(x),
        };
        let depth = r - near.distance;
        // What is not a number touches, and is found out.
        if depth <= 0.0 {
            return None;
        }
        let flat = near.curvature == f64::INFINITY;
        let arm = (x - near.normal * (r - 0.5 * depth)) - at.motion.position;
        Some(Touch {
            item,
            wall,
            pair,
            depth,
            normal: near.normal.to_array(),
            velocity: (at.motion.velocity + at.motion.angular_velocity.cross(arm)).to_array(),
            angular_velocity: at.motion.angular_velocity.to_array(),
            inverse_mass: at.inverse_mass,
            // An edge has no radius of its own: the grain's counts.
            effective_radius: if flat || near.curvature == 0.0 {
                r
            } else {
                effective_radius(r, near.curvature)
            },
        })
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
