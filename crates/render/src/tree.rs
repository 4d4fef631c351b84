//! A tree of boxes with four children a node, for rays.
//!
//! A ray wants single precision, children tested four at a time, visits ordered along the ray and leaves of four
//! things that one intersection routine takes side by side; the tree of the collision code is built for other
//! questions (moving boxes in double precision, one thing a leaf).

use glam::{Vec3, Vec4};
use huygens_exec::Exec;

/// A straight path of light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
    inverse: Vec3,
}

impl Ray {
    #[inline]
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        // A component of zero would make 0 · ∞ in the box test.
        let safe = |c: f32| if c.abs() < 1e-12 { 1e-12_f32.copysign(c) } else { c };
        let inverse = Vec3::new(1.0 / safe(direction.x), 1.0 / safe(direction.y), 1.0 / safe(direction.z));
        Self { origin, direction, inverse }
    }

    #[inline]
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.direction
    }
}

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub low: Vec3,
    pub high: Vec3,
}

impl Bounds {
    pub const EMPTY: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    pub fn around(center: Vec3, half: Vec3) -> Self {
        Self { low: center - half, high: center + half }
    }

    pub fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub fn with(self, point: Vec3) -> Self {
        Self { low: self.low.min(point), high: self.high.max(point) }
    }

    pub fn center(&self) -> Vec3 {
        0.5 * (self.low + self.high)
    }

    /// Half the surface, which is proportional to the chance that a ray meets it.
    fn area(&self) -> f32 {
        let d = (self.high - self.low).max(Vec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}

/// Things in a leaf.
pub(crate) const LEAF: usize = 4;
/// Marks a place of a leaf that holds nothing.
pub(crate) const NONE: u32 = u32::MAX;
const LEAF_BIT: u32 = 1 << 31;
/// Most things of a subtree that is built by one thread.
const SUBTREE: usize = 4096;

/// Nodes still to be visited, with the distance where the ray enters them.
pub(crate) type Stack = Vec<(u32, f32)>;

#[repr(align(64))]
struct Node {
    low: [Vec4; 3],
    high: [Vec4; 3],
    children: [u32; 4],
    /// Which places hold a child.
    filled: u32,
}

/// The tree; leaves are named by their number.
#[derive(Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Things of each leaf, [`NONE`] where there are fewer than four.
    pub leaves: Vec<[u32; LEAF]>,
}

/// How a tree is built.
#[derive(Clone, Copy)]
pub(crate) struct TreeCost {
    /// Cost of testing one more thing in a leaf, in visits of a node.
    pub thing: f32,
}

impl Tree {
    /// Builds the upper nodes, then the subtrees below them side by side; the same tree on any number of threads.
    pub fn build(exec: &Exec, bounds: &[Bounds], cost: TreeCost) -> Self {
        let mut tree = Self::default();
        if bounds.is_empty() {
            return tree;
        }
        let mut things: Vec<Thing> =
            (0..bounds.len() as u32).map(|index| Thing { bounds: bounds[index as usize], index }).collect();
        let whole = join_all(&things);
        let mut subtrees = Vec::new();
        tree.add(&mut things, whole, cost, 0, &mut Some(&mut subtrees));
        exec.for_each_chunk(&mut subtrees, 1, |_, subtrees| {
            for one in subtrees {
                one.tree.add(std::mem::take(&mut one.things), one.whole, cost, one.depth, &mut None);
            }
        });
        for one in subtrees {
            tree.graft(one.place, one.tree);
        }
        tree
    }

    /// Hangs a subtree under the place of a node.
    fn graft(&mut self, (node, slot): (u32, usize), subtree: Self) {
        let (nodes, leaves) = (self.nodes.len() as u32, self.leaves.len() as u32);
        self.nodes[node as usize].children[slot] = nodes;
        self.leaves.extend(subtree.leaves);
        self.nodes.extend(subtree.nodes.into_iter().map(|mut node| {
            for child in node.children.iter_mut().filter(|child| **child != NONE) {
                *child += if *child & LEAF_BIT != 0 { leaves } else { nodes };
            }
            node
        }));
    }

    /// Adds the node of some things and returns its number; where `later` is given, small subtrees are left to it.
    fn add<'a>(
        &mut self,
        things: &'a mut [Thing],
        whole: Bounds,
        cost: TreeCost,
        depth: u32,
        later: &mut Option<&mut Vec<Subtree<'a>>>,
    ) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { low: [Vec4::ZERO; 3], high: [Vec4::ZERO; 3], children: [NONE; 4], filled: 0 });
        let mut parts: Vec<Part<'_>> = vec![Part { things, bounds: whole, done: false }];
        while parts.len() < 4 {
            let open = (0..parts.len()).filter(|i| !parts[*i].done);
            let Some(widest) =
                open.max_by(|a, b| parts[*a].bounds.area().total_cmp(&parts[*b].bounds.area()))
            else {
                break;
            };
            let part = parts.swap_remove(widest);
            let bounds = part.bounds;
            match split(part.things, &bounds, cost, depth) {
                Ok((left, right)) => parts.extend([left, right].map(Part::new)),
                Err(things) => parts.push(Part { things, bounds, done: true }),
            }
        }
        for (slot, part) in parts.into_iter().enumerate() {
            let whole = part.bounds;
            let child = match (part.done || part.things.len() == 1, &mut *later) {
                (true, _) => self.add_leaf(part.things),
                (false, Some(later)) if part.things.len() <= SUBTREE => {
                    let (tree, place) = (Self::default(), (number, slot));
                    later.push(Subtree { things: part.things, whole, depth: depth + 1, place, tree });
                    NONE
                }
                (false, _) => self.add(part.things, whole, cost, depth + 1, later),
            };
            let node = &mut self.nodes[number as usize];
            for axis in 0..3 {
                node.low[axis][slot] = whole.low[axis];
                node.high[axis][slot] = whole.high[axis];
            }
            node.children[slot] = child;
            node.filled |= 1 << slot;
        }
        number
    }

    fn add_leaf(&mut self, things: &[Thing]) -> u32 {
        let mut leaf = [NONE; LEAF];
        for (slot, thing) in leaf.iter_mut().zip(things) {
            *slot = thing.index;
        }
        self.leaves.push(leaf);
        LEAF_BIT | (self.leaves.len() - 1) as u32
    }

    /// Visits leaves along the ray, near ones first; `leaf` gets the distance to beat and returns the new one.
    #[inline]
    pub fn nearest(
        &self,
        ray: &Ray,
        mut reach: f32,
        stack: &mut Stack,
        mut leaf: impl FnMut(u32, f32, &mut Stack) -> f32,
    ) -> f32 {
        if self.nodes.is_empty() {
            return reach;
        }
        let base = stack.len();
        stack.push((0, 0.0));
        while stack.len() > base {
            let Some((node, entry)) = stack.pop() else { break };
            if entry > reach {
                continue;
            }
            if node & LEAF_BIT != 0 {
                reach = leaf(node & !LEAF_BIT, reach, stack);
                continue;
            }
            let node = &self.nodes[node as usize];
            let (mut hits, entries) = node.enter(ray, reach);
            let first = stack.len();
            while hits != 0 {
                let slot = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                stack.push((node.children[slot], entries[slot]));
                // Nearest on top: insertion keeps the few new entries sorted by falling distance.
                let mut place = stack.len() - 1;
                while place > first && stack[place - 1].1 < stack[place].1 {
                    stack.swap(place - 1, place);
                    place -= 1;
                }
            }
        }
        reach
    }

    /// Visits leaves along the ray in any order until `leaf` says `true`.
    #[inline]
    pub fn any(
        &self,
        ray: &Ray,
        reach: f32,
        stack: &mut Stack,
        mut leaf: impl FnMut(u32, &mut Stack) -> bool,
    ) -> bool {
        if self.nodes.is_empty() {
            return false;
        }
        let base = stack.len();
        stack.push((0, 0.0));
        while stack.len() > base {
            let Some((node, _)) = stack.pop() else { break };
            if node & LEAF_BIT != 0 {
                if leaf(node & !LEAF_BIT, stack) {
                    stack.truncate(base);
                    return true;
                }
                continue;
            }
            let node = &self.nodes[node as usize];
            let (mut hits, entries) = node.enter(ray, reach);
            while hits != 0 {
                let slot = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                stack.push((node.children[slot], entries[slot]));
            }
        }
        false
    }
}

impl Node {
    /// Which children the ray enters before `reach`, and where.
    #[inline(always)]
    fn enter(&self, ray: &Ray, reach: f32) -> (u32, Vec4) {
        let mut entry = Vec4::ZERO;
        let mut exit = Vec4::splat(reach);
        for axis in 0..3 {
            let origin = Vec4::splat(ray.origin[axis]);
            let inverse = Vec4::splat(ray.inverse[axis]);
            let a = (self.low[axis] - origin) * inverse;
            let b = (self.high[axis] - origin) * inverse;
            entry = entry.max(a.min(b));
            exit = exit.min(a.max(b));
        }
        // Rounding must not lose a box that is only grazed (`ize2013`).
        (entry.cmple(exit * 1.000_000_4).bitmask() & self.filled, entry)
    }
}

#[derive(Clone, Copy)]
struct Thing {
    bounds: Bounds,
    index: u32,
}

/// A subtree still to be built.
struct Subtree<'a> {
    things: &'a mut [Thing],
    whole: Bounds,
    depth: u32,
    /// Node and child that it becomes.
    place: (u32, usize),
    tree: Tree,
}

struct Part<'a> {
    things: &'a mut [Thing],
    bounds: Bounds,
    done: bool,
}

impl<'a> Part<'a> {
    fn new(things: &'a mut [Thing]) -> Self {
        let bounds = join_all(things);
        Self { things, bounds, done: false }
    }
}

fn join_all(things: &[Thing]) -> Bounds {
    things.iter().fold(Bounds::EMPTY, |all, thing| all.join(thing.bounds))
}

const BINS: usize = 16;
/// Splits by cost deeper than this give way to halves, which bounds the depth for any input.
const DEPTH_LIMIT: u32 = 40;

type Halves<'a> = (&'a mut [Thing], &'a mut [Thing]);

/// Cuts things in two where rays cost least (`wald2007`), or gives them back if one leaf is better.
fn split<'a>(
    things: &'a mut [Thing],
    whole: &Bounds,
    cost: TreeCost,
    depth: u32,
) -> Result<Halves<'a>, &'a mut [Thing]> {
    let count = things.len();
    if count <= 1 {
        return Err(things);
    }
    let centers = things.iter().fold(Bounds::EMPTY, |all, thing| all.with(thing.bounds.center()));
    let best = match depth < DEPTH_LIMIT {
        true => best_cut(things, &centers),
        false => None,
    };
    let leaf_cost = count as f32 * cost.thing;
    if let Some((axis, bin, area_sum)) = best {
        let split_cost = 1.0 + cost.thing * area_sum / whole.area().max(f32::MIN_POSITIVE);
        if count <= LEAF && leaf_cost <= split_cost {
            return Err(things);
        }
        let place = BinPlace::new(&centers, axis);
        let middle = partition(things, |thing| place.bin(thing) <= bin);
        if middle > 0 && middle < count {
            return Ok(things.split_at_mut(middle));
        }
    }
    if count <= LEAF {
        return Err(things);
    }
    let extent = centers.high - centers.low;
    let axis = extent.max_position();
    let key = |t: &Thing| t.bounds.center()[axis];
    things.select_nth_unstable_by(count / 2, |a, b| key(a).total_cmp(&key(b)).then(a.index.cmp(&b.index)));
    Ok(things.split_at_mut(count / 2))
}

struct BinPlace {
    axis: usize,
    low: f32,
    scale: f32,
}

impl BinPlace {
    fn new(centers: &Bounds, axis: usize) -> Self {
        let low = centers.low[axis];
        Self { axis, low, scale: BINS as f32 * (1.0 - 1e-6) / (centers.high[axis] - low) }
    }

    fn bin(&self, thing: &Thing) -> usize {
        let center = 0.5 * (thing.bounds.low[self.axis] + thing.bounds.high[self.axis]);
        (((center - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

/// Axis, last bin on the left, and areas times counts of the best cut.
fn best_cut(things: &[Thing], centers: &Bounds) -> Option<(usize, usize, f32)> {
    let mut best: Option<(usize, usize, f32)> = None;
    for axis in 0..3 {
        let extent = centers.high[axis] - centers.low[axis];
        if !(extent > 0.0 && extent.is_finite()) {
            continue;
        }
        let place = BinPlace::new(centers, axis);
        let mut bins = [(Bounds::EMPTY, 0_u32); BINS];
        for thing in things {
            let bin = &mut bins[place.bin(thing)];
            bin.0 = bin.0.join(thing.bounds);
            bin.1 += 1;
        }
        let mut left = [0.0_f32; BINS];
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for (bin, value) in bins.iter().zip(&mut left) {
            (bounds, count) = (bounds.join(bin.0), count + bin.1);
            *value = if count == 0 { f32::INFINITY } else { bounds.area() * count as f32 };
        }
        let (mut bounds, mut count) = (Bounds::EMPTY, 0);
        for bin in (1..BINS).rev() {
            (bounds, count) = (bounds.join(bins[bin].0), count + bins[bin].1);
            if count == 0 {
                continue;
            }
            let sum = left[bin - 1] + bounds.area() * count as f32;
            if sum.is_finite() && best.is_none_or(|b| sum < b.2) {
                best = Some((axis, bin - 1, sum));
            }
        }
    }
    best
}

/// Brings the things that fit to the front and returns their number.
fn partition(things: &mut [Thing], fits: impl Fn(&Thing) -> bool) -> usize {
    let mut front = 0;
    for index in 0..things.len() {
        if fits(&things[index]) {
            things.swap(front, index);
            front += 1;
        }
    }
    front
}
