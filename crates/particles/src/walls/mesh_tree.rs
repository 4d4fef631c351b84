//! A tree of boxes about triangles.

use huygens_kernel::Vec3;

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// Boxes in the order in which a search goes through them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Sum of the sizes of all boxes when it was made, and now [m²].
    sizes: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    low: Vec3,
    high: Vec3,
    /// The node after this one and all below it.
    next: u32,
    /// First item of a leaf and number of items; none for others.
    first: u32,
    count: u32,
}

impl Tree {
    /// A tree over `items`, which are brought into its order.
    pub fn new<T: Copy>(items: &mut [T], bounds: impl Fn(&T) -> [Vec3; 2]) -> Self {
        let boxes: Vec<[Vec3; 2]> = items.iter().map(bounds).collect();
        let mut order: Vec<u32> = (0..items.len() as u32).collect();
        let mut tree = Self { nodes: Vec::with_capacity(items.len()), sizes: [0.0; 2] };
        tree.split(&mut order, 0, &boxes);
        tree.sizes = [tree.size(); 2];
        let old = items.to_vec();
        items.iter_mut().zip(order).for_each(|(item, from)| *item = old[from as usize]);
        tree
    }

    fn split(&mut self, order: &mut [u32], first: usize, boxes: &[[Vec3; 2]]) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for item in order.iter() {
            let [from, to] = boxes[*item as usize];
            (low, high) = (low.min(from), high.max(to));
            (least, most) = (least.min(from + to), most.max(from + to));
        }
        let own = self.nodes.len();
        let leaf = order.len() <= LEAF;
        let count = if leaf { order.len() as u32 } else { 0 };
        self.nodes.push(Node { low, high, next: 0, first: first as u32, count });
        if !leaf {
            let axis = (most - least).max_position();
            let middle = order.len() / 2;
            let along = |item: u32| {
                let [from, to] = boxes[item as usize];
                from[axis] + to[axis]
            };
            order.select_nth_unstable_by(middle, |a, b| along(*a).total_cmp(&along(*b)).then(a.cmp(b)));
            let (left, right) = order.split_at_mut(middle);
            self.split(left, first, boxes);
            self.split(right, first + middle, boxes);
        }
        self.nodes[own].next = self.nodes.len() as u32;
    }

    /// Brings the boxes up to those of the items, which moved; the order stays.
    pub fn refit(&mut self, bounds: impl Fn(usize) -> [Vec3; 2]) {
        for at in (0..self.nodes.len()).rev() {
            let Node { first, count, .. } = self.nodes[at];
            let mut around = [Vec3::INFINITY, Vec3::NEG_INFINITY];
            let mut take = |[low, high]: [Vec3; 2]| around = [around[0].min(low), around[1].max(high)];
            if count > 0 {
                (first..first + count).for_each(|item| take(bounds(item as usize)));
            } else {
                let left = self.nodes[at + 1];
                let right = self.nodes[left.next as usize];
                take([left.low, left.high]);
                take([right.low, right.high]);
            }
            [self.nodes[at].low, self.nodes[at].high] = around;
        }
        self.sizes[1] = self.size();
    }

    /// Whether its boxes have grown so far since it was made that a new tree is worth its price.
    pub fn is_degraded(&self) -> bool {
        // A search looks at boxes in proportion to their surfaces; a new tree costs as much as some searches.
        self.sizes[1] > 2.0 * self.sizes[0]
    }

    /// Sum of the surfaces of all boxes [m²]: about what a search looks at.
    fn size(&self) -> f64 {
        let surface = |node: &Node| {
            let Vec3 { x, y, z } = node.high - node.low;
            x * y + y * z + z * x
        };
        self.nodes.iter().map(surface).sum()
    }

    /// Whether `found` holds for an item whose box is closer than `reach` [m] to `x`; the first such item ends
    /// the search.
    pub fn any(&self, x: Vec3, reach: f64, mut found: impl FnMut(usize) -> bool) -> bool {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if (x - x.clamp(node.low, node.high)).length_squared() > reach * reach {
                at = node.next as usize;
                continue;
            }
            for item in node.first..node.first + node.count {
                if found(item as usize) {
                    return true;
                }
            }
            at += 1;
        }
        false
    }

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
    }
}
