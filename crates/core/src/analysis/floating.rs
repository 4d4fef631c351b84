//! Floating parts: rigid motions that no constraint and no stiffness resists.

use std::rc::Rc;

use glam::DVec3;
use huygens_solve::faer::{Mat, Side};

use crate::contract::{ItemKind, RowRequest};
use crate::error::{CoreError, Result};
use crate::model::Model;
use crate::state::State;
use crate::subject::Subject;
use crate::system::System;

/// Resistance of a rigid motion, relative to the stiffness of each element by itself, below which it is free.
const FREE: f64 = 1e-11;
/// What an element's own stiffness leaves of its rigid motions, relative to it: rounding.
const ROUNDING: f64 = 1e-12;
/// Squared resistance below which a motion is looked at closely.
const SUSPECT: f64 = 1e-10;
/// Motions shorter than this, relative to the longest, are none (a straight cable that turns about itself).
const NO_MOTION: f64 = 1e-12;
/// Torque of the loads on a part that can turn, relative to their lever arms, from which they hold it.
const HANGING: f64 = 1e-6;
/// Largest number of parts named in a message.
const NAMED: usize = 6;

/// Finds and names connected parts of the model (blocks joined by elements and constraints) that can move rigidly at
/// `state`, for models of any size. Parts with coordinates that are not positions (shafts) are excluded.
///
/// The resistance of every element is measured relative to its own stiffness, so that soft springs hold stiff parts.
pub fn check_floating(system: &mut System, state: &State) -> Result<()> {
    let model = system.model().clone();
    let mut found = free_parts(system, state);
    found.truncate(NAMED);
    let parts: Vec<Subject> = found.iter().map(|f| f.describe(&model)).collect();
    if parts.is_empty() { Ok(()) } else { Err(CoreError::FreeMotion { parts }) }
}

/// Whether there are floating parts that gravity and loads hold once they hang: each can rotate about one line only,
/// and the loads have a torque about it in some position. All other floating parts are errors.
pub(super) fn check_hanging(system: &mut System, state: &State) -> Result<bool> {
    let model = system.model().clone();
    let found = free_parts(system, state);
    let (mut loads, mut low) = (vec![0.0; state.v.len()], vec![0.0; state.v.len()]);
    let factor = std::mem::replace(&mut system.point.load_factor, 0.0);
    system.forces(&state.history, &mut low);
    system.point.load_factor = 1.0;
    system.forces(&state.history, &mut loads);
    system.point.load_factor = factor;
    loads.iter_mut().zip(&low).for_each(|(f, low)| *f -= low);
    let single = |f: &&FreePart| found.iter().filter(|other| other.part == f.part).count() == 1;
    let floating = found.iter().filter(|f| !single(f) || !f.hangs(&model, &state.q, &loads));
    let parts: Vec<Subject> = floating.take(NAMED).map(|f| f.describe(&model)).collect();
    if parts.is_empty() { Ok(!found.is_empty()) } else { Err(CoreError::FreeMotion { parts }) }
}

/// A motion of a part that nothing resists.
struct FreePart {
    parts: Rc<Parts>,
    part: usize,
    motion: [f64; 6],
}

fn free_parts(system: &mut System, state: &State) -> Vec<FreePart> {
    let model = system.model().clone();
    let parts = Rc::new(Parts::new(&model));
    system.load(state);
    system.update(&state.history);
    system.rows(&state.history, RowRequest::default());
    let motions = parts.rigid_motions(&model, &state.q);
    let mut resisted = held(system, &parts, &motions);
    add_elements(system, state, &parts, &motions, &mut resisted);
    add_contacts(system, &parts, &motions, &mut resisted);
    let columns = parts.columns();
    let mut found = Vec::new();
    for part in (0..parts.count).filter(|&p| parts.rigid[p]) {
        let free = free_motions(&columns[part], &motions, &resisted[part]);
        found.extend(free.into_iter().map(|motion| FreePart { parts: parts.clone(), part, motion }));
    }
    found
}

/// What of each of the six motions every part meets: rows of the constraints, C z, and z on fixed columns.
fn held(system: &System, parts: &Parts, motions: &[Vec<f64>; 6]) -> Vec<Vec<[f64; 6]>> {
    let model = system.model();
    let mut rows = vec![[0.0; 6]; model.row_count()];
    system.for_each_jacobian_entry(|row, column, value| {
        (0..6).for_each(|i| rows[row][i] += value * motions[i][column]);
    });
    let mut resisted = vec![Vec::new(); parts.count];
    for (row, &part) in rows.into_iter().zip(&parts.of_row).filter(|(_, p)| **p != usize::MAX) {
        resisted[part].push(row);
    }
    for &c in &model.fixed {
        resisted[parts.of_column[c as usize]].push(std::array::from_fn(|i| motions[i][c as usize]));
    }
    resisted
}

/// Adds K z of every element over its largest stiffness; none for elements that only go along.
fn add_elements(
    system: &mut System,
    state: &State,
    parts: &Parts,
    motions: &[Vec<f64>; 6],
    resisted: &mut [Vec<[f64; 6]>],
) {
    let mut own = Vec::new();
    system.for_each_stiffness(&state.history, |columns, stiffness| {
        let largest = stiffness.iter().fold(0.0, |m: f64, k| m.max(k.abs()));
        let Some(&first) = columns.first().filter(|_| largest > 0.0 && largest.is_finite()) else { return };
        let reach = |z: &Vec<f64>| columns.iter().fold(0.0, |m: f64, &c| m.max(z[c as usize].abs()));
        let bound = ROUNDING * motions.iter().map(reach).fold(0.0, f64::max);
        own.clear();
        own.extend(stiffness.chunks_exact(columns.len()).map(|row| -> [f64; 6] {
            std::array::from_fn(|i| {
                row.iter().zip(columns).map(|(k, &c)| k / largest * motions[i][c as usize]).sum()
            })
        }));
        if own.iter().flatten().any(|r| r.abs() > bound) {
            resisted[parts.of_column[first as usize]].extend_from_slice(&own);
        }
    });
}

/// Adds K z of compliant contacts over the largest contact stiffness of the part.
fn add_contacts(system: &mut System, parts: &Parts, motions: &[Vec<f64>; 6], resisted: &mut [Vec<[f64; 6]>]) {
    let nv = parts.of_column.len();
    let mut largest = vec![0.0f64; parts.count];
    let mut products = vec![[0.0; 6]; nv];
    let any = system.for_each_contact_stiffness(|row, column, value| {
        let top = &mut largest[parts.of_column[row]];
        *top = top.max(value.abs());
        (0..6).for_each(|i| products[row][i] += value * motions[i][column]);
    });
    for (column, product) in products.iter().enumerate().filter(|_| any) {
        let part = parts.of_column[column];
        if largest[part] > 0.0 {
            resisted[part].push(product.map(|x| x / largest[part]));
        }
    }
}

/// Largest distance of a body or node from the centre of all [m]; 1 if there is none.
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
    /// Centre of each part [m].
    centre: Vec<DVec3>,
    /// Distance of its farthest point from the centre [m].
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

    /// Columns of each part.
    fn columns(&self) -> Vec<Vec<usize>> {
        let mut columns = vec![Vec::new(); self.count];
        self.of_column.iter().enumerate().for_each(|(c, &part)| columns[part].push(c));
        columns
    }
}

impl FreePart {
    /// Whether the dead loads `f` have a stable place: turned by θ, their potential is −A cos θ − B sin θ with the
    /// torque B and $A = -\sum f\cdot\omega\times(\omega\times r)$.
    fn hangs(&self, model: &Model, q: &[f64], f: &[f64]) -> bool {
        let shift = DVec3::from_slice(&self.motion[..3]);
        let turn = DVec3::from_slice(&self.motion[3..]) / self.parts.size[self.part];
        let rate = turn.length();
        if rate * self.parts.size[self.part] < 1e-6 * shift.length()
            || shift.dot(turn).abs() > 1e-6 * rate * (shift.length() + rate * self.parts.size[self.part])
        {
            return false;
        }
        let (mut torque, mut lever, mut whole) = (0.0, 0.0, 0.0);
        for_each_item(model, q, |block, q, columns| {
            if self.parts.of_block[block] != self.part {
                return;
            }
            let place = DVec3::from_slice(q) - self.parts.centre[self.part];
            let forces = f[columns].chunks_exact(3).map(DVec3::from_slice);
            // Rotations of a node do not take part in the lever; gradients do, like positions.
            let gradients = if q.len().is_multiple_of(3) { &q[3..] } else { &[] };
            let own = std::iter::once(shift + turn.cross(place));
            let others = gradients.chunks_exact(3).map(|g| turn.cross(DVec3::from_slice(g)));
            for (force, velocity) in forces.zip(own.chain(others)) {
                torque += force.dot(velocity) / rate;
                lever += force.dot(turn.cross(velocity)) / (rate * rate);
                whole += force.length() * velocity.length() / rate;
            }
        });
        f64::hypot(torque, lever) > HANGING * whole
    }

    fn describe(&self, model: &Model) -> Subject {
        self.parts.describe(model, self.part, self.motion)
    }
}

impl Parts {
    fn describe(&self, model: &Model, part: usize, motion: [f64; 6]) -> Subject {
        let blocks = || (0..self.of_block.len()).filter(|&b| self.of_block[b] == part);
        let first =
            blocks().next().map_or_else(Subject::default, |b| model.column_name(model.block_columns[b]));
        let others = blocks().count() - 1;
        let who = first.map(|first| match others {
            0 => first.to_owned(),
            1 => format!("{first} and what it is connected to"),
            n => format!("{first} and the {n} others connected to it"),
        });
        let shift = DVec3::from_slice(&motion[..3]);
        let turn = DVec3::from_slice(&motion[3..]) / self.size[part];
        let how = if turn.length() * self.size[part] < 1e-6 * shift.length() {
            format!("move along {}", text(shift))
        } else {
            let through = self.centre[part] + turn.cross(shift) / turn.length_squared();
            format!("rotate about {} through {}", text(turn), text_point(through))
        };
        who.map(|who| format!("{who} can {how}: no joint, support or spring holds it"))
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
fn free_motions(columns: &[usize], motions: &[Vec<f64>; 6], resisted: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let sum = |i: usize, j: usize| resisted.iter().map(|r| r[i] * r[j]).sum::<f64>();
    let size = |i: usize, j: usize| columns.iter().map(|&c| motions[i][c] * motions[j][c]).sum::<f64>();
    // Motions of unit size first, then those of them that are not resisted.
    let Some((sizes, basis)) = eigen(&Mat::from_fn(6, 6, size)) else { return Vec::new() };
    let kept: Vec<usize> = (0..6).filter(|&k| sizes[k] > NO_MOTION * sizes[5]).collect();
    let unit = Mat::from_fn(6, kept.len(), |i, k| basis[(i, kept[k])] / sizes[kept[k]].sqrt());
    let squared = unit.transpose() * Mat::from_fn(6, 6, sum) * &unit;
    let Some((squares, shapes)) = eigen(&squared) else { return Vec::new() };
    // Squares are only as exact as the root of rounding: what looks free is measured again.
    let resistance = |motion: &[f64; 6]| {
        let along = |r: &[f64; 6]| (0..6).map(|i| motion[i] * r[i]).sum::<f64>();
        resisted.iter().map(|r| along(r).powi(2)).sum::<f64>().sqrt()
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
