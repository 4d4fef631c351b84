//! Nested dissection: an elimination order that keeps the factors of meshes sparse.
//!
//! The graph is cut in two by a small set of nodes that is eliminated last, and so on (`george1973`). The cut is found
//! on coarse graphs, made by matching neighbours, and refined by moving single nodes on the way back to the fine graph
//! (`karypis1998`). The result is a function of the graph alone.

use std::collections::BinaryHeap;

use huygens_exec::{Stop, Stopped};

/// Graphs up to this many nodes are ordered by minimum degree (a bit for each node).
const LEAF: usize = 64;
/// Coarse graphs have about this many nodes.
const COARSE: usize = 100;
/// Largest share of a side.
const LARGEST_SIDE: f64 = 0.57;
/// Which side a node of the cut is on.
const CUT: u8 = 2;

/// A graph with weights of nodes and edges; neighbours do not include the node itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    edges: Vec<u32>,
    weights: Vec<u32>,
}

impl Graph {
    /// A graph from the neighbours and the weight of each node.
    pub fn new<I: Iterator<Item = u32>>(nodes: impl Iterator<Item = (u32, I)>) -> Self {
        let mut graph = Self { starts: vec![0], ..Self::default() };
        for (weight, neighbours) in nodes {
            graph.neighbours.extend(neighbours);
            graph.starts.push(graph.neighbours.len() as u32);
            graph.weights.push(weight);
        }
        graph.edges = vec![1; graph.neighbours.len()];
        graph
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn around(&self, v: u32) -> &[u32] {
        &self.neighbours[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }

    fn edges_around(&self, v: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize;
        self.neighbours[range.clone()].iter().copied().zip(self.edges[range].iter().copied())
    }

    /// The nodes in the order of elimination.
    pub fn dissect(&self, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        let mut order = Vec::with_capacity(self.len());
        let all: Vec<u32> = (0..self.len() as u32).collect();
        // Parts still to be ordered, last first; a part may be a cut that is only written out.
        let mut stack = vec![(self.clone(), all, false)];
        while let Some((graph, ids, done)) = stack.pop() {
            stop.check()?;
            if done {
                order.extend(ids);
            } else if graph.len() <= LEAF {
                order.extend(graph.minimum_degree().into_iter().map(|v| ids[v as usize]));
            } else {
                let (sides, count) = graph.split(stop)?;
                for side in (0..count).rev() {
                    let members: Vec<u32> =
                        (0..graph.len() as u32).filter(|&v| sides[v as usize] == side).collect();
                    if members.is_empty() {
                        continue;
                    }
                    let own = members.iter().map(|&v| ids[v as usize]).collect();
                    if side == u32::from(CUT) && count == 3 {
                        stack.push((Graph::default(), own, true));
                    } else {
                        stack.push((graph.part(&members), own, false));
                    }
                }
            }
        }
        Ok(order)
    }

    /// Two sides that are not joined; or, with three parts, two sides and a cut (number 2).
    fn split(&self, stop: &Stop) -> Result<(Vec<u32>, u32), Stopped> {
        let mut component = vec![u32::MAX; self.len()];
        let mut count = 0;
        for start in 0..self.len() as u32 {
            if component[start as usize] != u32::MAX {
                continue;
            }
            let mut queue = vec![start];
            component[start as usize] = count;
            while let Some(v) = queue.pop() {
                for &u in self.around(v) {
                    if component[u as usize] == u32::MAX {
                        component[u as usize] = count;
                        queue.push(u);
                    }
                }
            }
            count += 1;
        }
        if count == 1 {
            return Ok((self.bisect(stop)?.into_iter().map(u32::from).collect(), 3));
        }
        // Whole components go to either side; a few of many are never looked at one by one.
        let mut sizes = vec![0usize; count as usize];
        component.iter().for_each(|c| sizes[*c as usize] += 1);
        let mut sum = 0;
        let first_half: Vec<bool> = sizes
            .iter()
            .enumerate()
            .map(|(k, size)| {
                let take = k == 0 || (2 * sum < self.len() && k + 1 < sizes.len());
                sum += size;
                take
            })
            .collect();
        Ok((component.iter().map(|&c| u32::from(!first_half[c as usize])).collect(), 2))
    }

    /// The graph of some of the nodes, ascending.
    fn part(&self, members: &[u32]) -> Self {
        let mut number = vec![u32::MAX; self.len()];
        members.iter().enumerate().for_each(|(k, &v)| number[v as usize] = k as u32);
        let mut graph = Self { starts: vec![0], ..Self::default() };
        for &v in members {
            for (u, e) in self.edges_around(v).filter(|(u, _)| number[*u as usize] != u32::MAX) {
                graph.neighbours.push(number[u as usize]);
                graph.edges.push(e);
            }
            graph.starts.push(graph.neighbours.len() as u32);
            graph.weights.push(self.weights[v as usize]);
        }
        graph
    }

    /// Eliminates the node with the fewest neighbours first.
    fn minimum_degree(&self) -> Vec<u32> {
        let n = self.len();
        let mut around: Vec<u64> =
            (0..n as u32).map(|v| self.around(v).iter().fold(0, |m, &u| m | 1 << u)).collect();
        let mut left: u64 = if n == 64 { u64::MAX } else { (1 << n) - 1 };
        let mut order = Vec::with_capacity(n);
        while left != 0 {
            let degree = |v: usize| (around[v] & left).count_ones();
            let Some(v) = (0..n).filter(|v| left >> v & 1 == 1).min_by_key(|&v| (degree(v), v)) else {
                break;
            };
            left &= !(1 << v);
            let clique = around[v] & left;
            (0..n).filter(|u| clique >> u & 1 == 1).for_each(|u| around[u] |= clique & !(1 << u));
            order.push(v as u32);
        }
        order
    }

    /// Two sides and a cut: coarsens, cuts the coarse graph, refines on the way back.
    fn bisect(&self, stop: &Stop) -> Result<Vec<u8>, Stopped> {
        stop.check()?;
        if self.len() > COARSE {
            let map = self.matching();
            let count = map.iter().max().map_or(0, |m| *m as usize + 1);
            if (count as f64) < 0.95 * self.len() as f64 {
                let coarse = self.coarse(&map, count).bisect(stop)?;
                let mut side: Vec<u8> = map.iter().map(|&c| coarse[c as usize]).collect();
                stop.check()?;
                self.refine(&mut side, 4);
                return Ok(side);
            }
        }
        Ok(self.first_cut())
    }

    /// Pairs of neighbours with heavy edges; the number of the pair for each node.
    fn matching(&self) -> Vec<u32> {
        let n = self.len();
        let mut visit: Vec<u32> = (0..n as u32).collect();
        let mut random = Random(n as u64);
        (1..n).rev().for_each(|k| visit.swap(k, random.below(k + 1)));
        let mut map = vec![u32::MAX; n];
        let mut count = 0;
        for v in visit {
            if map[v as usize] != u32::MAX {
                continue;
            }
            let free = self.edges_around(v).filter(|(u, _)| map[*u as usize] == u32::MAX);
            let best = free.max_by_key(|&(u, e)| (e, u32::MAX - self.weights[u as usize], u32::MAX - u));
            map[v as usize] = count;
            if let Some((u, _)) = best {
                map[u as usize] = count;
            }
            count += 1;
        }
        map
    }

    fn coarse(&self, map: &[u32], count: usize) -> Self {
        let mut members = vec![[u32::MAX; 2]; count];
        for (v, &c) in map.iter().enumerate() {
            let pair = &mut members[c as usize];
            pair[usize::from(pair[0] != u32::MAX)] = v as u32;
        }
        let mut graph = Self { starts: vec![0], ..Self::default() };
        let mut place = vec![u32::MAX; count];
        for (c, pair) in members.iter().enumerate() {
            let first = graph.neighbours.len();
            let mut weight = 0;
            for &v in pair.iter().filter(|v| **v != u32::MAX) {
                weight += self.weights[v as usize];
                for (u, e) in self.edges_around(v) {
                    let other = map[u as usize];
                    if other as usize == c {
                        continue;
                    }
                    let at = place[other as usize];
                    if at != u32::MAX && at as usize >= first {
                        graph.edges[at as usize] += e;
                    } else {
                        place[other as usize] = graph.neighbours.len() as u32;
                        graph.neighbours.push(other);
                        graph.edges.push(e);
                    }
                }
            }
            graph.starts.push(graph.neighbours.len() as u32);
            graph.weights.push(weight);
        }
        graph
    }

    /// The best of some cuts that grow from a node until half of the weight is reached.
    fn first_cut(&self) -> Vec<u8> {
        let n = self.len();
        let total: u64 = self.weights.iter().map(|&w| u64::from(w)).sum();
        let mut random = Random(n as u64 + 1);
        let mut best: Option<(u64, Vec<u8>)> = None;
        for _ in 0..8 {
            let mut side = vec![1u8; n];
            let mut queue = std::collections::VecDeque::from([random.below(n) as u32]);
            let (mut grown, mut seen) = (0u64, vec![false; n]);
            seen[queue[0] as usize] = true;
            while let Some(v) = queue.pop_front() {
                if 2 * grown >= total {
                    break;
                }
                side[v as usize] = 0;
                grown += u64::from(self.weights[v as usize]);
                for &u in self.around(v) {
                    if !std::mem::replace(&mut seen[u as usize], true) {
                        queue.push_back(u);
                    }
                }
            }
            for v in 0..n as u32 {
                if side[v as usize] == 1 && self.around(v).iter().any(|&u| side[u as usize] == 0) {
                    side[v as usize] = CUT;
                }
            }
            self.refine(&mut side, 8);
            let cost = Balance::new(self, &side).cost();
            if best.as_ref().is_none_or(|(b, _)| cost < *b) {
                best = Some((cost, side));
            }
        }
        best.map_or_else(Vec::new, |(_, side)| side)
    }

    /// Moves nodes of the cut to a side, which pulls their neighbours of the other side into the cut, as long as the
    /// cut becomes lighter; goes over small hills (`fiduccia1982`).
    fn refine(&self, side: &mut [u8], passes: usize) {
        for _ in 0..passes {
            if !self.refine_once(side) {
                return;
            }
        }
    }

    fn gain(&self, side: &[u8], v: u32, to: u8) -> i64 {
        let pulled = self.around(v).iter().filter(|&&u| side[u as usize] == 1 - to);
        i64::from(self.weights[v as usize])
            - pulled.map(|&u| i64::from(self.weights[u as usize])).sum::<i64>()
    }

    fn refine_once(&self, side: &mut [u8]) -> bool {
        let n = self.len();
        let mut balance = Balance::new(self, side);
        let (start, mut best) = (balance.cost(), balance.cost());
        let mut heaps: [BinaryHeap<(i64, u32)>; 2] = [BinaryHeap::new(), BinaryHeap::new()];
        for v in (0..n as u32).filter(|&v| side[v as usize] == CUT) {
            (0..2).for_each(|to| heaps[to as usize].push((self.gain(side, v, to), v)));
        }
        let mut locked = vec![false; n];
        let mut log: Vec<(u32, u8)> = Vec::new();
        let (mut kept, mut idle) = (0, 0);
        while idle < 60 + n / 100 {
            // The best valid move of each direction; entries out of date are put back with their true gain.
            let mut options = [None, None];
            for to in 0..2u8 {
                while let Some(&(gain, v)) = heaps[to as usize].peek() {
                    if side[v as usize] != CUT || locked[v as usize] {
                        heaps[to as usize].pop();
                        continue;
                    }
                    let now = self.gain(side, v, to);
                    if now != gain {
                        heaps[to as usize].pop();
                        heaps[to as usize].push((now, v));
                        continue;
                    }
                    if !balance.allows(self.weights[v as usize], to) {
                        heaps[to as usize].pop();
                        continue;
                    }
                    options[to as usize] = Some((gain, v));
                    break;
                }
            }
            let lighter = u8::from(balance.sides[1] < balance.sides[0]);
            let to = match options {
                [None, None] => break,
                [Some(_), None] => 0,
                [None, Some(_)] => 1,
                [Some((a, _)), Some((b, _))] => match a.cmp(&b) {
                    std::cmp::Ordering::Greater => 0,
                    std::cmp::Ordering::Less => 1,
                    std::cmp::Ordering::Equal => lighter,
                },
            };
            let Some((_, v)) = options[to as usize] else { break };
            locked[v as usize] = true;
            log.push((v, CUT));
            side[v as usize] = to;
            balance.change(self.weights[v as usize], CUT, to);
            for &u in self.around(v) {
                if side[u as usize] == 1 - to {
                    log.push((u, 1 - to));
                    side[u as usize] = CUT;
                    balance.change(self.weights[u as usize], 1 - to, CUT);
                    (0..2).for_each(|to| heaps[to as usize].push((self.gain(side, u, to), u)));
                    for &x in self.around(u).iter().filter(|&&x| side[x as usize] == CUT) {
                        heaps[to as usize].push((self.gain(side, x, to), x));
                    }
                }
            }
            idle += 1;
            if balance.cost() < best {
                (best, kept, idle) = (balance.cost(), log.len(), 0);
            }
        }
        log[kept..].iter().rev().for_each(|&(v, old)| side[v as usize] = old);
        best < start
    }
}

/// Weights of both sides and of the cut.
struct Balance {
    sides: [u64; 3],
    limit: u64,
}

impl Balance {
    fn new(graph: &Graph, side: &[u8]) -> Self {
        let mut sides = [0; 3];
        side.iter().zip(&graph.weights).for_each(|(s, w)| sides[*s as usize] += u64::from(*w));
        let limit = (LARGEST_SIDE * sides.iter().sum::<u64>() as f64) as u64;
        Self { sides, limit }
    }

    fn allows(&self, weight: u32, to: u8) -> bool {
        self.sides[to as usize] + u64::from(weight) <= self.limit
    }

    fn change(&mut self, weight: u32, from: u8, to: u8) {
        self.sides[from as usize] -= u64::from(weight);
        self.sides[to as usize] += u64::from(weight);
    }

    /// Weight of the cut, with a large price for a side above its limit and a small one for any difference.
    fn cost(&self) -> u64 {
        let heavier = self.sides[0].max(self.sides[1]);
        let total: u64 = self.sides.iter().sum();
        1000 * self.sides[2]
            + 4000 * heavier.saturating_sub(self.limit)
            + 20 * (2 * heavier).saturating_sub(total)
    }
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % limit as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of a k × k × k grid, each joined to its neighbours along the axes and the diagonals of Kuhn's cells.
    pub fn grid(k: usize) -> Graph {
        let steps = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)];
        Graph::new((0..k * k * k).map(|v| {
            let at = [v % k, v / k % k, v / k / k];
            let list: Vec<u32> = steps
                .iter()
                .flat_map(|&(a, b, c)| [[a, b, c], [-a, -b, -c]])
                .filter_map(|d: [i32; 3]| {
                    let p: Vec<i32> = (0..3).map(|i| at[i] as i32 + d[i]).collect();
                    let inside = p.iter().all(|&x| x >= 0 && x < k as i32);
                    inside.then(|| (p[0] + k as i32 * (p[1] + k as i32 * p[2])) as u32)
                })
                .collect();
            (3, list.into_iter())
        }))
    }

    #[test]
    fn a_cube_is_cut_by_about_a_plane_and_every_node_comes_once() {
        let k = 16;
        let graph = grid(k);
        let side = graph.bisect(&Stop::never()).unwrap();
        let balance = Balance::new(&graph, &side);
        assert!(balance.sides[2] / 3 <= (k * k * 13 / 10) as u64, "{:?}", balance.sides);
        assert!(balance.sides[0].max(balance.sides[1]) <= balance.limit, "{:?}", balance.sides);
        for v in 0..graph.len() as u32 {
            let crosses = graph.around(v).iter().any(|&u| side[v as usize] + side[u as usize] == 1);
            assert!(!crosses, "node {v} has a neighbour on the other side");
        }
        let mut order = graph.dissect(&Stop::never()).unwrap();
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(k, v)| k == *v as usize));
        // Three parts that are not joined, one of them a single node.
        let apart = Graph::new((0..201u32).map(|v| {
            let list: Vec<u32> = if v == 200 { vec![] } else { vec![(v ^ 1)] };
            (1, list.into_iter())
        }));
        assert_eq!(apart.dissect(&Stop::never()).unwrap().len(), 201);
    }
}
