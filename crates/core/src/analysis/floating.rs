//! Parts that nothing holds: rigid motions that no constraint and no stiffness resists.

use glam::DVec3;
use huygens_solve::faer::{Mat, Side};

use crate::contract::{ItemKind, RowRequest};
use crate::error::{CoreError, Result};
use crate::model::Model;
use crate::state::State;
use crate::system::{MatrixWeights, System};

/// Resistance of a rigid motion, relative to the stiffness of the part, below which it is free.
const FREE: f64 = 1e-9;
/// Squared resistance below which a motion is looked at closely.
const SUSPECT: f64 = 1e-10;
/// Motions shorter than this, relative to the longest, are none (a straight cable that turns about itself).
const NO_MOTION: f64 = 1e-12;
/// Parts named in a message.
const NAMED: usize = 6;

/// Finds parts of the model (blocks that elements and constraints join) that can move as a whole at `state`, and
/// names them; any size of model. Parts with coordinates that are no positions (shafts) are left out.
pub fn check_floating(system: &mut System, state: &State) -> Result<()> {
    let model = system.model().clone();
    let parts = Parts::new(&model);
    system.load(state);
    system.update(&state.history);
    system.rows(&state.history, RowRequest::default());
    let weights = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 1.0, geometric: 1.0 };
    system.assemble(&state.history, weights, None);
    let motions = parts.rigid_motions(&model, &state.q);
    let stiffness = parts.largest_stiffness(&model, system);
    let products: Vec<Vec<f64>> = motions.iter().map(|z| resistance(system, z)).collect();
    let mut found = Vec::new();
    let members = parts.members(&model);
    for part in (0..parts.count).filter(|&p| parts.rigid[p]) {
        for motion in free_motions(&members[part], &motions, &products, stiffness[part]) {
            if found.len() == NAMED {
                break;
            }
            found.push(parts.describe(&model, part, motion));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(CoreError::FreeMotion { parts: found }) }
}

/// K z, then z on fixed columns in their places (K is taken out there), then C z.
fn resistance(system: &System, z: &[f64]) -> Vec<f64> {
    let model = system.model();
    let (nv, nr) = (model.velocity_count(), model.row_count());
    let mut x = vec![0.0; nv + nr];
    x[..nv].copy_from_slice(z);
    model.fixed.iter().for_each(|&c| x[c as usize] = 0.0);
    let mut y = vec![0.0; nv + nr];
    system.matrix_product(&x, &mut y);
    // The matrix has no entries between fixed columns and rows: the rows need the whole motion.
    y[nv..].fill(0.0);
    system.for_each_jacobian_entry(|row, column, value| y[nv + row] += value * z[column]);
    model.fixed.iter().for_each(|&c| y[c as usize] = 0.0);
    y.extend(model.fixed.iter().map(|&c| z[c as usize]));
    y
}

/// Largest distance of a body or node from the middle of all [m]; 1 where there is none.
pub(super) fn extent(model: &Model, q: &[f64]) -> f64 {
    let (mut low, mut high) = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
    for_each_item(model, q, |_, q, _| {
        let r = DVec3::new(q[0], q[1], q[2]);
        (low, high) = (low.min(r), high.max(r));
    });
    let reach = 0.5 * (high - low).length();
    if reach.is_finite() && reach > 0.0 { reach } else { 1.0 }
}

/// Blocks joined by elements and constraints.
struct Parts {
    count: usize,
    /// Part of each block.
    of_block: Vec<usize>,
    /// Part of each velocity column.
    of_column: Vec<usize>,
    /// Part of each row.
    of_row: Vec<usize>,
    /// Whether all coordinates of a part have rigid motions.
    rigid: Vec<bool>,
    /// Middle of each part [m].
    centre: Vec<DVec3>,
    /// Distance of its farthest point from there [m].
    size: Vec<f64>,
}

impl Parts {
    fn new(model: &Model) -> Self {
        let blocks = model.block_sizes.len();
        let mut parent: Vec<usize> = (0..blocks).collect();
        let mut join = |list: &[u32]| {
            for pair in list.windows(2) {
                let (a, b) = (root(&mut parent, pair[0] as usize), root(&mut parent, pair[1] as usize));
                parent[a.max(b)] = a.min(b);
            }
        };
        model.elements.iter().for_each(|e| (0..e.layout.len()).for_each(|i| join(e.layout.item_blocks(i))));
        model
            .constraints
            .iter()
            .for_each(|e| (0..e.layout.len()).for_each(|i| join(e.layout.item_blocks(i))));
        let mut number = vec![usize::MAX; blocks];
        let mut count = 0;
        let mut of_block = vec![0; blocks];
        for b in 0..blocks {
            let r = root(&mut parent, b);
            if number[r] == usize::MAX {
                number[r] = count;
                count += 1;
            }
            of_block[b] = number[r];
        }
        let of_column =
            (0..blocks).flat_map(|b| std::iter::repeat_n(of_block[b], model.block_sizes[b])).collect();
        let mut of_row = vec![usize::MAX; model.row_count];
        for e in &model.constraints {
            for i in 0..e.layout.len() {
                if let Some(&b) = e.layout.item_blocks(i).first() {
                    of_row[e.slots.first_row[i]..][..e.slots.rows[i]].fill(of_block[b as usize]);
                }
            }
        }
        let mut rigid = vec![true; count];
        for e in model.coordinates.iter().filter(|e| position_width(e.shape.kind, e.shape.v_per_item) == 0) {
            (0..e.shape.items).for_each(|i| rigid[of_block[e.block + i]] = false);
        }
        Self { count, of_block, of_column, of_row, rigid, centre: Vec::new(), size: Vec::new() }
            .with_extent(model)
    }

    fn with_extent(mut self, model: &Model) -> Self {
        let state = State::new(model);
        let bounds = (DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY));
        let mut boxes = vec![bounds; self.count];
        for_each_item(model, &state.q, |block, q, _| {
            let (low, high) = &mut boxes[self.of_block[block]];
            let r = DVec3::new(q[0], q[1], q[2]);
            (*low, *high) = (low.min(r), high.max(r));
        });
        let middle =
            |(low, high): &(DVec3, DVec3)| if low.x <= high.x { 0.5 * (*low + *high) } else { DVec3::ZERO };
        self.centre = boxes.iter().map(middle).collect();
        let reach = |(low, high): &(DVec3, DVec3)| 0.5 * (*high - *low).length();
        // A single point or body turns about itself: any length does.
        self.size = boxes.iter().map(reach).map(|l| if l.is_finite() && l > 0.0 { l } else { 1.0 }).collect();
        self
    }

    /// Three translations and three rotations of every part about its middle, as velocities; rotations have the
    /// size of translations at the part's end.
    fn rigid_motions(&self, model: &Model, q: &[f64]) -> [Vec<f64>; 6] {
        let mut motions: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; model.velocity_count()]);
        for_each_item(model, q, |block, q, columns| {
            let part = self.of_block[block];
            let r = DVec3::new(q[0], q[1], q[2]) - self.centre[part];
            for axis in 0..3 {
                motions[axis][columns.start + axis] = 1.0;
                let turn = DVec3::AXES[axis] / self.size[part];
                let z = &mut motions[3 + axis][columns.clone()];
                z[..3].copy_from_slice(&turn.cross(r).to_array());
                if q.len() > z.len() {
                    let axes = glam::DQuat::from_slice(&q[3..7]);
                    z[3..6].copy_from_slice(&(axes.inverse() * turn).to_array());
                } else {
                    for (z, g) in z[3..].chunks_exact_mut(3).zip(q[3..].chunks_exact(3)) {
                        z.copy_from_slice(&turn.cross(DVec3::from_slice(g)).to_array());
                    }
                }
            }
        });
        motions
    }

    /// Columns of each part, and the places of its rows and fixed columns in [`resistance`].
    fn members(&self, model: &Model) -> Vec<(Vec<usize>, Vec<usize>)> {
        let nv = model.velocity_count();
        let mut members = vec![(Vec::new(), Vec::new()); self.count];
        self.of_column.iter().enumerate().for_each(|(c, &part)| members[part].0.push(c));
        for (r, &part) in self.of_row.iter().enumerate().filter(|(_, p)| **p != usize::MAX) {
            members[part].1.push(nv + r);
        }
        for (k, &c) in model.fixed.iter().enumerate() {
            members[self.of_column[c as usize]].1.push(nv + model.row_count + k);
        }
        members
    }

    fn largest_stiffness(&self, model: &Model, system: &System) -> Vec<f64> {
        let mut largest = vec![0.0f64; self.count];
        let Some(newton) = system.newton() else { return largest };
        let values = newton.matrix.values();
        for (b, &slot) in newton.column_diagonal.iter().enumerate() {
            let n = model.block_sizes[b];
            for k in 0..n {
                let fixed = model.fixed.binary_search(&((model.block_columns[b] + k) as u32)).is_ok();
                if let Some(x) = values.get(slot.saturating_add(k * n + k)).filter(|_| !fixed) {
                    largest[self.of_block[b]] = largest[self.of_block[b]].max(x.abs());
                }
            }
        }
        largest
    }

    fn describe(&self, model: &Model, part: usize, motion: [f64; 6]) -> String {
        let blocks = || (0..self.of_block.len()).filter(|&b| self.of_block[b] == part);
        let first = blocks().next().map_or_else(String::new, |b| model.column_name(model.block_columns[b]));
        let others = blocks().count() - 1;
        let who = match others {
            0 => first,
            1 => format!("{first} and what it is joined to"),
            n => format!("{first} and the {n} others it is joined to"),
        };
        let shift = DVec3::from_slice(&motion[..3]);
        let turn = DVec3::from_slice(&motion[3..]) / self.size[part];
        let how = if turn.length() * self.size[part] < 1e-6 * shift.length() {
            format!("move along {}", text(shift))
        } else {
            let through = self.centre[part] + turn.cross(shift) / turn.length_squared();
            format!("turn about {} through {}", text(turn), text_point(through))
        };
        format!("{who} can {how}: no joint, support or spring holds it")
    }
}

fn text(direction: DVec3) -> String {
    let d = direction.normalize_or_zero();
    let largest =
        d.to_array().into_iter().fold(0.0, |m: f64, x| if x.abs() > m.abs() + 1e-9 { x } else { m });
    text_point(if largest < 0.0 { -d } else { d })
}

fn text_point(p: DVec3) -> String {
    let clean = |x: f64| if x.abs() < 5e-4 { 0.0 } else { x };
    format!("({:.3}, {:.3}, {:.3})", clean(p.x), clean(p.y), clean(p.z))
}

fn root(parent: &mut [usize], mut b: usize) -> usize {
    while parent[b] != b {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    b
}

/// Columns of an item whose rigid motions are known; zero where they are not.
fn position_width(kind: ItemKind, columns: usize) -> usize {
    if kind == ItemKind::Other || !columns.is_multiple_of(3) { 0 } else { columns }
}

/// Calls `f(block, positions, columns)` for bodies and nodes.
fn for_each_item(model: &Model, q: &[f64], mut f: impl FnMut(usize, &[f64], std::ops::Range<usize>)) {
    for e in &model.coordinates {
        let (nq, nv) = (e.shape.q_per_item, e.shape.v_per_item);
        if position_width(e.shape.kind, nv) == 0 {
            continue;
        }
        for item in 0..e.shape.items {
            let first = e.v + item * nv;
            f(e.block + item, &q[e.q + item * nq..][..nq], first..first + nv);
        }
    }
}

/// Combinations of the six motions of a part that meet no resistance.
fn free_motions(
    (columns, held): &(Vec<usize>, Vec<usize>),
    motions: &[Vec<f64>; 6],
    products: &[Vec<f64>],
    stiffness: f64,
) -> Vec<[f64; 6]> {
    let scale = if stiffness > 0.0 { 1.0 / stiffness } else { 0.0 };
    let sum = |i: usize, j: usize| {
        let bent: f64 = columns.iter().map(|&c| products[i][c] * products[j][c]).sum();
        let blocked: f64 = held.iter().map(|&c| products[i][c] * products[j][c]).sum();
        bent * scale * scale + blocked
    };
    let size = |i: usize, j: usize| columns.iter().map(|&c| motions[i][c] * motions[j][c]).sum::<f64>();
    // Motions of unit size first, then those of them that are not resisted.
    let Some((sizes, basis)) = eigen(&Mat::from_fn(6, 6, size)) else { return Vec::new() };
    let kept: Vec<usize> = (0..6).filter(|&k| sizes[k] > NO_MOTION * sizes[5]).collect();
    let unit = Mat::from_fn(6, kept.len(), |i, k| basis[(i, kept[k])] / sizes[kept[k]].sqrt());
    let resisted = unit.transpose() * Mat::from_fn(6, 6, sum) * &unit;
    let Some((squares, shapes)) = eigen(&resisted) else { return Vec::new() };
    // Squares are only as exact as the root of rounding: what looks free is measured again.
    let resistance = |motion: &[f64; 6]| {
        let along = |c: usize| (0..6).map(|i| motion[i] * products[i][c]).sum::<f64>();
        let bent: f64 = columns.iter().map(|&c| along(c).powi(2)).sum();
        let blocked: f64 = held.iter().map(|&c| along(c).powi(2)).sum();
        (bent * scale * scale + blocked).sqrt()
    };
    (0..kept.len())
        .filter(|&k| squares[k].abs() < SUSPECT)
        .map(|k| std::array::from_fn(|i| (0..kept.len()).map(|j| unit[(i, j)] * shapes[(j, k)]).sum()))
        .filter(|motion| resistance(motion) < FREE)
        .collect()
}

fn eigen(symmetric: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let found = symmetric.self_adjoint_eigen(Side::Lower).ok()?;
    Some(((0..symmetric.nrows()).map(|k| found.S()[k]).collect(), found.U().to_owned()))
}
