//! Rigid contact as rows and cones of the velocity-level problem.
//!
//! A contact with gap Φ, normal n and tangents u, w asks for $0 \le \gamma_n \perp u_n + b_n \ge \mu\|u_t\|$ with
//! $b_n = \max(\Phi/h, -s)$ (recovery speed s), or $b_n = e\,u_n^-$ when it bounces (anitescu2006, tasora2011).

use glam::DVec3;
use huygens_exec::Exec;
use huygens_kernel::contact::rigid::{self, RowTerms};
use huygens_solve::{Cone, PairContact, PairRows};

use super::defaults::RESTING_OVERLAP;
use super::{Composite, Contact, ContactMemory, ContactModel};
use crate::carrier::ColumnTwists;
use crate::contract::{Frame, FrameMotion, NO_BLOCK, StateView};

/// Weight of the last impulse in the guess of a contact at rest.
const RENEWAL: f64 = 0.1;
/// Numbers a contact remembers: force and couple, and a guess of both.
const WIDTH: usize = 2 * ContactMemory::WRENCH;
/// Contacts a parallel chunk works on.
const CHUNK: usize = 256;

/// Numbers of a step that all contacts share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidStep {
    /// Step size [s].
    pub h: f64,
    /// Most speed with which overlaps are pushed apart [m/s].
    pub recovery_speed: f64,
    /// Part of an overlap that is removed in a step.
    pub stabilization: f64,
    /// Overlap at which contacts rest [m], or the part of the smaller shape that stands for it.
    pub overlap: Option<f64>,
    /// Approach speed below which nothing bounces [m/s].
    pub bounce_threshold: f64,
    /// Whether impulses start from those of the step before.
    pub warm_start: bool,
    /// Speed below which a contact is at rest as far as the solver can tell [m/s].
    pub resting_speed: f64,
    /// First column block of the items, and how many there are.
    pub first_block: u32,
    pub item_count: u32,
}

/// One contact as the cone problem sees it.
#[derive(Clone, Copy)]
struct Row {
    pair: PairContact,
    bias: [f64; 6],
    compliance: f64,
    cone: Cone,
    guess: [f64; 6],
    /// Weight of the new impulse in the guess of the next step.
    renewal: f64,
    /// Whether something else than a body or the ground takes part: its rows are stored entry by entry.
    flexible: bool,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            pair: PairContact { items: [PairContact::GROUND; 2], axes: [[0.0; 3]; 3], arms: [[0.0; 3]; 2] },
            bias: [0.0; 6],
            compliance: 0.0,
            cone: Cone::Nonnegative,
            guess: [0.0; 6],
            renewal: 1.0,
            flexible: false,
        }
    }
}

/// Contact rows: first all that slide only (three rows each), then all that roll (six rows each), then those with
/// flexible parts. Rows of joints and limits may follow.
#[derive(Default)]
pub(crate) struct RigidRows {
    rows: Vec<Row>,
    /// First row of each contact.
    first_row: Vec<u32>,
    /// Contact of each sliding and each rolling row group.
    sliding: Vec<u32>,
    rolling: Vec<u32>,
    /// Contacts with flexible parts.
    flexible: Vec<u32>,
    /// Number of rows of all contacts.
    count: usize,
    pairs: Vec<PairContact>,
    /// How columns move the two sides of a contact with flexible parts, and one of its rows.
    sides: [ColumnTwists; 2],
    entries: Vec<(usize, f64)>,
    pub sliding_rows: PairRows,
    pub rolling_rows: PairRows,
    pub bias: Vec<f64>,
    /// Empty where all rows are rigid.
    pub compliance: Vec<f64>,
    pub cones: Vec<Cone>,
    pub impulse: Vec<f64>,
}

/// Row groups a parallel chunk works on.
const GROUPS: usize = 1024;

impl RigidRows {
    /// For `items` bodies whose columns start at `first_column`.
    pub fn new(first_column: usize, items: usize) -> Self {
        Self {
            sliding_rows: PairRows::new(first_column, items, false),
            rolling_rows: PairRows::new(first_column, items, true),
            ..Self::default()
        }
    }

    /// Removes the rows of all contacts, and those that followed.
    pub fn clear(&mut self) {
        self.count = 0;
        for numbers in [&mut self.bias, &mut self.compliance, &mut self.impulse] {
            numbers.clear();
        }
        self.rows.clear();
        self.cones.clear();
    }

    /// Makes the rows of all contacts.
    pub fn build(
        &mut self,
        ex: &Exec,
        model: &ContactModel,
        contacts: &[Contact],
        x: &StateView<'_>,
        memory: &ContactMemory,
        step: &RigidStep,
    ) {
        self.rows.resize(contacts.len(), Row::default());
        ex.for_each_chunk(&mut self.rows, CHUNK, |chunk, rows| {
            for (contact, row) in contacts[chunk * CHUNK..].iter().zip(rows) {
                *row = make_row(model, contact, x, memory, step);
            }
        });
        let soft = self.order();
        self.bias.resize(self.len(), 0.0);
        self.impulse.resize(self.len(), 0.0);
        self.compliance.resize(if soft { self.len() } else { 0 }, 0.0);
        self.cones.resize(self.rows.len(), Cone::Free);
        self.fill_flexible(soft);
        let (slides, rows) = (3 * self.sliding.len(), &self.rows);
        let groups = [(&self.sliding, 3, 0, 0), (&self.rolling, 6, slides, self.sliding.len())];
        for (group, width, first, first_cone) in groups {
            let end = first + width * group.len();
            let fill = |out: &mut [f64], value: &(dyn Fn(&Row, usize) -> f64 + Sync)| {
                ex.for_each_chunk(out, width * GROUPS, |chunk, out| {
                    for (&k, out) in group[chunk * GROUPS..].iter().zip(out.chunks_exact_mut(width)) {
                        (0..width).for_each(|i| out[i] = value(&rows[k as usize], i));
                    }
                });
            };
            fill(&mut self.bias[first..end], &|row, i| row.bias[i]);
            fill(&mut self.impulse[first..end], &|row, i| row.guess[i]);
            if soft {
                fill(&mut self.compliance[first..end], &|row, i| if i == 0 { row.compliance } else { 0.0 });
            }
            ex.for_each_chunk(
                &mut self.cones[first_cone..first_cone + group.len()],
                GROUPS,
                |chunk, cones| {
                    for (&k, cone) in group[chunk * GROUPS..].iter().zip(cones) {
                        *cone = rows[k as usize].cone;
                    }
                },
            );
            self.pairs.resize(group.len(), Row::default().pair);
            ex.for_each_chunk(&mut self.pairs, GROUPS, |chunk, pairs| {
                for (&k, pair) in group[chunk * GROUPS..].iter().zip(pairs) {
                    *pair = rows[k as usize].pair;
                }
            });
            if width == 3 {
                self.sliding_rows.set(ex, &self.pairs)
            } else {
                self.rolling_rows.set(ex, &self.pairs)
            }
        }
    }

    /// Bias, guess, compliance and cones of the contacts with flexible parts; they follow those of bodies.
    fn fill_flexible(&mut self, soft: bool) {
        let first_cone = self.sliding.len() + self.rolling.len();
        for (i, &k) in self.flexible.iter().enumerate() {
            let (row, first) = (&self.rows[k as usize], self.first_row[k as usize] as usize);
            let n = row.cone.rows();
            self.bias[first..first + n].copy_from_slice(&row.bias[..n]);
            self.impulse[first..first + n].copy_from_slice(&row.guess[..n]);
            self.cones[first_cone + i] = row.cone;
            if soft {
                self.compliance[first..first + n].fill(0.0);
                self.compliance[first] = row.compliance;
            }
        }
    }

    /// Calls `push(columns and values)` for every row of the contacts with flexible parts, in order; `turned` says
    /// whether a frame's angular columns are along world axes.
    pub fn for_each_flexible_row(
        &mut self,
        contacts: &[Contact],
        x: &StateView<'_>,
        turned: impl Fn(&Frame) -> bool,
        mut push: impl FnMut(&[(usize, f64)]),
    ) {
        let Self { sides, entries, .. } = self;
        for &k in &self.flexible {
            let (row, contact) = (&self.rows[k as usize], &contacts[k as usize]);
            let mut arms = [DVec3::ZERO; 2];
            for (side, &frame) in contact.frames.iter().enumerate() {
                let turned = turned(&x.frames[frame as usize]);
                let about = x.columns_at(frame, contact.point, turned, &mut sides[side]);
                arms[side] = contact.point - about;
            }
            for i in 0..row.cone.rows() {
                let axis = DVec3::from_array(row.pair.axes[i % 3]);
                entries.clear();
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let (force, torque) =
                        if i < 3 { (axis, arms[side].cross(axis)) } else { (DVec3::ZERO, axis) };
                    for (&column, twist) in sides[side].column.iter().zip(&sides[side].twist) {
                        let value = sign * twist.power(force, torque);
                        if value != 0.0 {
                            entries.push((column as usize, value));
                        }
                    }
                }
                push(entries);
            }
        }
    }

    /// Gives every contact its place; whether any row is compliant.
    fn order(&mut self) -> bool {
        self.sliding.clear();
        self.rolling.clear();
        self.flexible.clear();
        let mut soft = false;
        for (k, row) in self.rows.iter().enumerate() {
            let rolls = matches!(row.cone, Cone::Rolling { .. });
            if row.flexible {
                self.flexible.push(k as u32)
            } else if rolls {
                self.rolling.push(k as u32)
            } else {
                self.sliding.push(k as u32)
            }
            soft |= row.compliance > 0.0;
        }
        self.first_row.resize(self.rows.len(), 0);
        for (i, &k) in self.sliding.iter().enumerate() {
            self.first_row[k as usize] = 3 * i as u32;
        }
        for (i, &k) in self.rolling.iter().enumerate() {
            self.first_row[k as usize] = (3 * self.sliding.len() + 6 * i) as u32;
        }
        let mut next = self.flexible_start();
        for &k in &self.flexible {
            self.first_row[k as usize] = next as u32;
            next += self.rows[k as usize].cone.rows();
        }
        self.count = next;
        soft
    }

    /// Number of contact rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// First row of the contacts with flexible parts.
    fn flexible_start(&self) -> usize {
        3 * self.sliding.len() + 6 * self.rolling.len()
    }

    /// Writes what the contacts remember: force and couple on the second body, world axes, and the same as a guess
    /// for the next step.
    ///
    /// From step to step the impulses of a contact at rest differ by what the solver left over. Velocities hold
    /// that remainder r; with the last impulses the next step starts from 2 rₖ − rₖ₋₁, with their mean from rₖ.
    pub fn remember(&self, ex: &Exec, contacts: &[Contact], h: f64, memory: &mut ContactMemory) {
        memory.width = WIDTH;
        memory.keys.resize(contacts.len(), [0; 3]);
        ex.for_each_chunk(&mut memory.keys, GROUPS, |chunk, keys| {
            for (contact, key) in contacts[chunk * GROUPS..].iter().zip(keys) {
                *key = contact.key();
            }
        });
        memory.values.resize(contacts.len() * WIDTH, 0.0);
        ex.for_each_chunk(&mut memory.values, WIDTH * GROUPS, |chunk, values| {
            for (k, out) in values.chunks_exact_mut(WIDTH).enumerate() {
                let k = chunk * GROUPS + k;
                let (row, impulse) = (&self.rows[k], &self.impulse[self.first_row[k] as usize..]);
                let axes = row.pair.axes.map(DVec3::from_array);
                let along = |l: &[f64]| (axes[0] * l[0] + axes[1] * l[1] + axes[2] * l[2]) / h;
                let mut guess = row.guess;
                let rows = row.cone.rows();
                (0..rows).for_each(|i| guess[i] += row.renewal * (impulse[i] - guess[i]));
                for (i, l) in [impulse, &guess].into_iter().enumerate() {
                    let couple = if rows == 6 { along(&l[3..]) } else { DVec3::ZERO };
                    out[6 * i..6 * i + 3].copy_from_slice(&along(l).to_array());
                    out[6 * i + 3..6 * i + 6].copy_from_slice(&couple.to_array());
                }
            }
        });
    }
}

fn make_row(
    model: &ContactModel,
    contact: &Contact,
    x: &StateView<'_>,
    memory: &ContactMemory,
    step: &RigidStep,
) -> Row {
    let mut composite = *model.table.composite(contact.composite);
    if let Some(callback) = &model.callback {
        callback.modify(contact, &mut composite);
    }
    let normal = contact.normal;
    let (u, w) = normal.any_orthonormal_pair();
    let sides = contact.frames.map(|f| &x.frames[f as usize]);
    let arms = sides.map(|f| contact.point - f.origin);
    let item = |f: &Frame| match f.block {
        NO_BLOCK => Some(PairContact::GROUND),
        block if f.motion == FrameMotion::Rigid => {
            Some(block.wrapping_sub(step.first_block)).filter(|item| *item < step.item_count)
        }
        _ => None,
    };
    let flexible = sides.iter().any(|f| item(f).is_none());
    let items = sides.map(|f| item(f).unwrap_or(PairContact::GROUND));
    let speeds =
        [x.velocity_at(contact.frames[0], contact.point), x.velocity_at(contact.frames[1], contact.point)];
    let speed = |k: usize| speeds[k];
    let (mut driven, mut spin) = (DVec3::ZERO, DVec3::ZERO);
    for (k, sign) in [(0, -1.0), (1, 1.0)] {
        if sides[k].block == NO_BLOCK {
            driven += sign * speed(k);
            spin += sign * sides[k].omega;
        }
    }
    let approach = (speed(1) - speed(0)).dot(normal);
    let size = contact.proxies.iter().fold(f64::INFINITY, |m, &p| m.min(model.radii[p as usize]));
    let overlap = step.overlap.unwrap_or(if size.is_finite() { RESTING_OVERLAP * size } else { 0.0 });
    let RowTerms { bias: normal_bias, compliance } =
        normal_row(contact.gap, approach, overlap, &composite, step);
    let axes = [normal, u, w];
    let mut bias = [0.0; 6];
    for (i, axis) in axes.iter().enumerate() {
        bias[i] = driven.dot(*axis);
        bias[3 + i] = spin.dot(*axis);
    }
    bias[0] += normal_bias;
    let touching = contact.gap <= if size.is_finite() { 1e-3 * size } else { 0.0 };
    let cohesion = if touching { rigid::cohesion_impulse(composite.surface.cohesion, step.h) } else { 0.0 };
    let mu = composite.surface.friction;
    let (rolling, spinning) = (composite.surface.rolling_friction, composite.surface.spinning_friction);
    let cone = if rolling > 0.0 || spinning > 0.0 {
        Cone::Rolling { mu, rolling, spinning, cohesion }
    } else {
        Cone::Friction { mu, cohesion }
    };
    let (mut guess, mut renewal) = ([0.0; 6], 1.0);
    if step.warm_start && contact.remembered != Contact::NEW && memory.width == WIDTH {
        let old = &memory.values_of(contact.remembered as usize)[ContactMemory::WRENCH..];
        if (speed(1) - speed(0)).length_squared() < step.resting_speed.powi(2) {
            renewal = RENEWAL;
        }
        let (force, couple) = (DVec3::from_slice(&old[..3]), DVec3::from_slice(&old[3..6]));
        for (i, axis) in axes.iter().enumerate() {
            guess[i] = step.h * force.dot(*axis);
            guess[3 + i] = step.h * couple.dot(*axis);
        }
    }
    let pair = PairContact { items, axes: axes.map(|a| a.to_array()), arms: arms.map(|a| a.to_array()) };
    Row { pair, bias, compliance, cone, guess, renewal, flexible }
}

/// Bias and compliance of a normal row.
fn normal_row(gap: f64, approach: f64, overlap: f64, composite: &Composite, step: &RigidStep) -> RowTerms {
    let (h, recovery) = (step.h, step.recovery_speed);
    let mut row = if composite.compliance > 0.0 {
        rigid::regularized_row(gap, h, 1.0 / composite.compliance, composite.damping, recovery)
    } else {
        let bias = rigid::stabilization_bias(gap, h, recovery, step.stabilization, overlap);
        RowTerms { bias, compliance: 0.0 }
    };
    let restitution = composite.surface.restitution;
    row.bias = rigid::normal_bias(row.bias, gap, h, approach, restitution, step.bounce_threshold);
    row
}
