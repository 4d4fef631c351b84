//! Finds walls by place: a tree of boxes over those that are bounded, where there are many.

use huygens_kernel::Vec3;

use crate::walls::mesh_tree::Tree;
use crate::walls::wall::Wall;

/// Bounded walls up to which all are looked at, one after the other.
const FEW: usize = 16;

/// What is added to the size of a box, as a share of its coordinates, so that rounding takes no wall out of it.
const MARGIN: f64 = 1e-9;

/// Where walls are. What it finds is a superset of what is near, in an order that does not depend on the tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct WallFinder {
    /// Walls without bounds, or all where they are few.
    everywhere: Vec<u32>,
    /// Bounded walls in the order of the tree.
    bounded: Vec<u32>,
    /// Boxes about them [m], world axes.
    boxes: Vec<[Vec3; 2]>,
    tree: Tree,
    /// Number of walls it was made for.
    count: usize,
}

impl WallFinder {
    /// Notes where walls are now; the tree is refitted, and made again where walls came or its boxes have grown too
    /// far.
    pub fn update(&mut self, walls: &[Wall]) {
        if self.count != walls.len() {
            self.count = walls.len();
            self.sort_out(walls);
            self.boxes.clear();
            self.boxes.extend(self.bounded.iter().map(|wall| box_of(&walls[*wall as usize])));
            self.plant();
        } else if !self.bounded.is_empty() {
            for (own, wall) in self.boxes.iter_mut().zip(&self.bounded) {
                *own = box_of(&walls[*wall as usize]);
            }
            let boxes = &self.boxes;
            self.tree.refit(|item| boxes[item]);
            if self.tree.is_degraded() {
                self.plant();
            }
        }
    }

    fn sort_out(&mut self, walls: &[Wall]) {
        let bounded = |wall: u32| walls[wall as usize].surface.bounds().is_some();
        let all = 0..walls.len() as u32;
        self.everywhere.clear();
        self.bounded.clear();
        if all.clone().filter(|wall| bounded(*wall)).count() > FEW {
            self.bounded.extend(all.clone().filter(|wall| bounded(*wall)));
            self.everywhere.extend(all.filter(|wall| !bounded(*wall)));
        } else {
            self.everywhere.extend(all);
        }
    }

    fn plant(&mut self) {
        let mut items: Vec<(u32, [Vec3; 2])> =
            self.bounded.iter().copied().zip(self.boxes.iter().copied()).collect();
        self.tree = if items.is_empty() { Tree::default() } else { Tree::new(&mut items, |item| item.1) };
        for (at, (wall, own)) in items.into_iter().enumerate() {
            (self.bounded[at], self.boxes[at]) = (wall, own);
        }
    }

    /// Walls that may be near any point, rising.
    pub fn everywhere(&self) -> &[u32] {
        &self.everywhere
    }

    /// Whether a wall of the tree may be closer than `reach` [m] to `x`.
    pub fn any_of_tree(&self, x: Vec3, reach: f64) -> bool {
        self.tree.any(x, reach, |_| true)
    }

    /// Appends the walls of the tree whose boxes are closer than `reach` [m] to `x`, in the order of the tree.
    pub fn collect(&self, x: Vec3, reach: f64, out: &mut Vec<u32>) {
        self.tree.any(x, reach, |item| {
            let [low, high] = self.boxes[item];
            if (x - x.clamp(low, high)).length_squared() <= reach * reach {
                out.push(self.bounded[item]);
            }
            false
        });
    }

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        4 * (self.everywhere.capacity() + self.bounded.capacity())
            + size_of::<[Vec3; 2]>() * self.boxes.capacity()
            + self.tree.bytes()
    }
}

/// Box [m] about a bounded wall, world axes.
fn box_of(wall: &Wall) -> [Vec3; 2] {
    let Some([low, high]) = wall.surface.bounds() else { return [Vec3::NEG_INFINITY, Vec3::INFINITY] };
    let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
    let motion = &wall.motion;
    let centre = motion.position + motion.rotation * centre;
    let turned = Vec3::AXES.map(|axis| motion.rotation * axis);
    let half = turned[0].abs() * half.x + turned[1].abs() * half.y + turned[2].abs() * half.z;
    let half = half + MARGIN * (half + centre.abs());
    [centre - half, centre + half]
}
