//! From the polygons of a file to a sound list of triangles: equal vertices become one, triangles
//! of no area go.

use std::collections::HashMap;

use glam::DVec3;

use super::{MeshData, MeshFault};

/// A triangle is a needle when its height is below this part of its longest edge: rounding alone
/// would then choose the direction of its normal.
const NEEDLE: f64 = 1e-12;

/// Bits that are equal for equal vertices (−0 = 0).
pub(super) fn vertex_key(vertex: DVec3) -> [u64; 3] {
    [vertex.x, vertex.y, vertex.z].map(|c| (c + 0.0).to_bits())
}

/// Merges equal vertices, removes triangles of no area and vertices that nothing uses.
pub(super) fn tidy(vertices: Vec<DVec3>, mut triangles: Vec<[u32; 3]>) -> Result<MeshData, MeshFault> {
    merge_equal(&vertices, &mut triangles);
    let read = triangles.len();
    // A triangle with a corner used twice has two edges that cancel: nothing opens when it goes.
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    let repeated = read - triangles.len();
    let needles = dissolve_needles(&vertices, &mut triangles);
    let degenerate = repeated + needles;
    if triangles.is_empty() {
        return Err(MeshFault::Empty { degenerate });
    }
    let (vertices, triangles) = compact(&vertices, triangles);
    Ok(MeshData { vertices, triangles, degenerate })
}

fn merge_equal(vertices: &[DVec3], triangles: &mut [[u32; 3]]) {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(vertices.len());
    let merged: Vec<u32> =
        (0..).zip(vertices).map(|(i, v)| *first.entry(vertex_key(*v)).or_insert(i)).collect();
    for index in triangles.iter_mut().flatten() {
        *index = merged[*index as usize];
    }
}

fn compact(vertices: &[DVec3], mut triangles: Vec<[u32; 3]>) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut used = vec![false; vertices.len()];
    for index in triangles.iter().flatten() {
        used[*index as usize] = true;
    }
    let mut renumbered = vec![0; vertices.len()];
    let mut kept = Vec::new();
    for (i, vertex) in vertices.iter().enumerate().filter(|(i, _)| used[*i]) {
        renumbered[i] = kept.len() as u32;
        kept.push(*vertex + 0.0);
    }
    for index in triangles.iter_mut().flatten() {
        *index = renumbered[*index as usize];
    }
    (kept, triangles)
}

/// The corner opposite the longest edge, if the triangle is a needle.
fn needle_tip(vertices: &[DVec3], triangle: [u32; 3]) -> Option<usize> {
    let [a, b, c] = triangle.map(|i| vertices[i as usize]);
    let opposite = [(c - b).length(), (a - c).length(), (b - a).length()];
    let longest = opposite.iter().fold(0.0_f64, |most, l| most.max(*l));
    // Dividing first keeps squares of tiny and of huge meshes in range.
    let height = ((b - a) / longest).cross((c - a) / longest).length();
    let tip = opposite.iter().position(|l| *l == longest)?;
    (height.is_nan() || height <= NEEDLE).then_some(tip)
}

/// Removes needles and returns their number.
///
/// A needle (p, q, m) has its tip m on the edge p–q of its neighbour (q, p, o). Turning that edge
/// gives (m, p, o) and (q, m, o): the needle is gone and no hole is left.
fn dissolve_needles(vertices: &[DVec3], triangles: &mut Vec<[u32; 3]>) -> usize {
    let mut waiting: Vec<usize> =
        (0..triangles.len()).rev().filter(|t| needle_tip(vertices, triangles[*t]).is_some()).collect();
    let count = waiting.len();
    if count == 0 {
        return 0;
    }
    let mut owner = EdgeOwners::new(triangles);
    let mut gone = vec![false; triangles.len()];
    // Needles can turn into each other; the budget ends such a circle.
    let mut budget = 16 * count;
    while let Some(t) = waiting.pop() {
        let Some(tip) = needle_tip(vertices, triangles[t]).filter(|_| !gone[t]) else { continue };
        let [m, p, q] = [0, 1, 2].map(|i| triangles[t][(tip + i) % 3]);
        let neighbour = owner.of([q, p]).filter(|n| *n != t && !gone[*n] && budget > 0);
        budget = budget.saturating_sub(1);
        owner.remove(triangles[t], t);
        let Some(n) = neighbour else {
            gone[t] = true;
            continue;
        };
        owner.remove(triangles[n], n);
        let corner = triangles[n].iter().find(|i| **i != p && **i != q).copied();
        match corner {
            Some(o) if o != m => {
                triangles[t] = [m, p, o];
                triangles[n] = [q, m, o];
                for changed in [t, n] {
                    owner.insert(triangles[changed], changed);
                    if needle_tip(vertices, triangles[changed]).is_some() {
                        waiting.push(changed);
                    }
                }
            }
            // Two needles back to back close each other.
            _ => {
                gone[t] = true;
                gone[n] = true;
            }
        }
    }
    let mut at = 0;
    triangles.retain(|_| {
        at += 1;
        !gone[at - 1]
    });
    count
}

/// Which triangle has a directed edge; one of them where several do.
struct EdgeOwners(HashMap<[u32; 2], usize>);

impl EdgeOwners {
    fn new(triangles: &[[u32; 3]]) -> Self {
        let mut owners = Self(HashMap::with_capacity(3 * triangles.len()));
        for (at, triangle) in triangles.iter().enumerate() {
            owners.insert(*triangle, at);
        }
        owners
    }

    fn edges([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
        [[a, b], [b, c], [c, a]]
    }

    fn insert(&mut self, triangle: [u32; 3], at: usize) {
        for edge in Self::edges(triangle) {
            self.0.entry(edge).or_insert(at);
        }
    }

    fn remove(&mut self, triangle: [u32; 3], at: usize) {
        for edge in Self::edges(triangle) {
            if self.0.get(&edge) == Some(&at) {
                self.0.remove(&edge);
            }
        }
    }

    fn of(&self, edge: [u32; 2]) -> Option<usize> {
        self.0.get(&edge).copied()
    }
}
