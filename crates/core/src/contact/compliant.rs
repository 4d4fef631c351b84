//! Compliant contact: forces from the overlap, with memory, and their tangents.
//!
//! Contacts are searched again whenever positions change; forces read the memory committed by the last step and the
//! time since then, so that stages and Newton iterations may ask as often as they like.

use glam::{DMat3, DVec3};
use huygens_exec::Exec;
use huygens_kernel::contact::{
    CompliantPair, ContactHistory, ContactMotion, ContactTangent, HISTORY_LENGTH, critical_step,
    effective_mass, evaluate, evaluate_tangent,
};
use huygens_kernel::rotation::skew;

use super::law::{BATCH, CompliantLaw, ContactAnswer, ContactBatch, ContactPoint, point_of};
use super::{Contact, ContactDetector, ContactMemory, ContactModel};
use crate::carrier::{ColumnTwists, Twist};
use crate::contract::{Frame, FrameMotion, NO_BLOCK, StateView};

/// Contacts a parallel chunk works on.
const CHUNK: usize = BATCH;
const WIDTH: usize = ContactMemory::WRENCH + HISTORY_LENGTH;

/// Force and couple on the second body, and the new history.
#[derive(Clone, Copy, Default)]
struct Answer {
    force: DVec3,
    couple: DVec3,
    history: ContactHistory,
    critical_step: f64,
}

/// A part of a contact's tangent between two column blocks.
pub(crate) enum PairTangent<'a> {
    /// The whole block of two bodies.
    Bodies(&'a [[f64; 6]; 6]),
    /// Consecutive columns: $J_r^T W J_c + \Omega_r^T A\,\Omega_c$ of the motions of the two sides.
    Columns {
        /// First row and first column within the blocks.
        at: [usize; 2],
        /// Velocity of the point and angular velocity per unit of each row and each column, with the side's sign.
        motions: [&'a [Twist]; 2],
        linear: &'a DMat3,
        angular: &'a DMat3,
    },
}

impl PairTangent<'_> {
    /// Calls `f(row, column, value)` for every entry.
    pub fn for_each(&self, mut f: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Bodies(block) => {
                for (r, row) in block.iter().enumerate() {
                    row.iter().enumerate().for_each(|(c, x)| f(r, c, *x));
                }
            }
            Self::Columns { at, motions: [rows, columns], linear, angular } => {
                let (linear, angular) = (linear.transpose(), angular.transpose());
                for (r, row) in rows.iter().enumerate() {
                    let (pushed, turned) = (linear * row.velocity, angular * row.omega);
                    for (c, column) in columns.iter().enumerate() {
                        f(at[0] + r, at[1] + c, column.power(pushed, turned));
                    }
                }
            }
        }
    }
}

/// Evaluates compliant contacts.
pub(crate) struct CompliantStage {
    detector: ContactDetector,
    /// Positions at which contacts were found.
    found_at: Vec<f64>,
    memory: ContactMemory,
    /// Inverse mass [1/kg] of what each frame belongs to; zero where it is prescribed.
    inverse_masses: Vec<f64>,
    answers: Vec<Answer>,
    tangents: Vec<ContactTangent>,
    /// How columns move the sides of a contact with something else than bodies.
    sides: [ColumnTwists; 2],
    /// Time since the memory was committed [s].
    pub elapsed: f64,
    /// Velocities of all columns then; empty where steps move by the velocity at their end.
    before: Vec<f64>,
    /// Least √(m/k) of the contacts in the last evaluation [s].
    pub critical_step: f64,
}

impl CompliantStage {
    pub fn new(inverse_masses: Vec<f64>) -> Self {
        Self {
            detector: ContactDetector::default(),
            found_at: Vec::new(),
            memory: ContactMemory { width: WIDTH, ..ContactMemory::default() },
            inverse_masses,
            answers: Vec::new(),
            tangents: Vec::new(),
            sides: Default::default(),
            elapsed: 0.0,
            before: Vec::new(),
            critical_step: f64::INFINITY,
        }
    }

    /// Takes other inverse masses [1/kg] of the frames.
    pub fn set_inverse_masses(&mut self, inverse_masses: Vec<f64>) {
        self.inverse_masses = inverse_masses;
    }

    /// Sets the velocities of all columns at the start of the step; none where it moves by those at its end.
    pub fn start_from(&mut self, v: &[f64]) {
        self.before.clear();
        self.before.extend_from_slice(v);
    }

    /// Contacts are found again at the next evaluation, also at the same positions.
    pub fn forget(&mut self) {
        self.found_at.clear();
    }

    /// The contacts found last.
    pub fn contacts(&self) -> &[Contact] {
        &self.detector.contacts
    }

    /// Takes over the memory of a state.
    pub fn begin(&mut self, memory: &ContactMemory) {
        if self.memory.keys == memory.keys && self.memory.values == memory.values {
            return;
        }
        self.memory.clone_from(memory);
        self.found_at.clear();
    }

    /// Finds contacts unless positions are where they were.
    pub fn find(&mut self, ex: &Exec, model: &ContactModel, x: &StateView<'_>) {
        let (time, q) = (x.time, x.q);
        // Kinematic bodies move with time.
        if self.found_at.len() == q.len() + 1 && self.found_at[0] == time && self.found_at[1..] == *q {
            return;
        }
        self.detector.detect(ex, model, x, 0.0, &self.memory);
        self.found_at.clear();
        self.found_at.push(time);
        self.found_at.extend_from_slice(q);
    }

    /// Evaluates all contacts; `tangents` too where asked.
    pub fn evaluate(&mut self, ex: &Exec, model: &ContactModel, x: &StateView<'_>, tangents: bool) {
        self.answers.resize(self.detector.contacts.len(), Answer::default());
        match model.user_law() {
            Some(law) => self.evaluate_user(ex, model, law, x, tangents),
            None => self.evaluate_composed(ex, model, x, tangents),
        }
        let answers = &self.answers;
        let shortest = |range: std::ops::Range<usize>| {
            answers[range].iter().fold(f64::INFINITY, |m, a| m.min(a.critical_step))
        };
        self.critical_step = ex.min(answers.len(), CHUNK, shortest);
    }

    /// The law that is composed of sub-models.
    fn evaluate_composed(&mut self, ex: &Exec, model: &ContactModel, x: &StateView<'_>, tangents: bool) {
        let contacts = &self.detector.contacts;
        let law = &model.settings.compliant;
        let (memory, masses) = (&self.memory, &self.inverse_masses);
        let (before, elapsed) = (self.before.as_slice(), self.elapsed);
        let prepare = |contact: &Contact| {
            let mut pair = model.compliant_pairs[contact.composite as usize].ok();
            if let Some(callback) = &model.callback {
                let mut composite = *model.table.composite(contact.composite);
                callback.modify(contact, &mut composite);
                // A composite the law cannot take leaves the rule's one in place.
                pair = CompliantPair::new(law, &composite.surface).ok().or(pair);
            }
            let old = ContactHistory::from_array(memory.remembered(contact));
            // Pairs without coefficients never meet: the stepper has checked them.
            pair.map(|pair| (pair, old, motion(contact, x, before, masses, elapsed)))
        };
        ex.for_each_chunk(&mut self.answers, CHUNK, |chunk, answers| {
            for (contact, answer) in contacts[chunk * CHUNK..].iter().zip(answers) {
                *answer = Answer { critical_step: f64::INFINITY, ..Answer::default() };
                let Some((pair, old, motion)) = prepare(contact) else { continue };
                let wrench = evaluate(law, &pair, &motion, &old, &mut answer.history);
                (answer.force, answer.couple) = (wrench.force, wrench.torque);
                if contact.gap < 0.0 {
                    let (mass, radius) = (motion.effective_mass, motion.effective_radius);
                    let stiffness = pair.stiffness_at_depth(law, mass, radius, -contact.gap);
                    answer.critical_step = critical_step(mass, stiffness);
                }
            }
        });
        if tangents {
            self.tangents.resize(contacts.len(), ContactTangent::default());
            ex.for_each_chunk(&mut self.tangents, CHUNK, |chunk, tangents| {
                for (contact, tangent) in contacts[chunk * CHUNK..].iter().zip(tangents) {
                    *tangent = ContactTangent::default();
                    let Some((pair, old, motion)) = prepare(contact) else { continue };
                    let mut unused = ContactHistory::default();
                    *tangent = evaluate_tangent(law, &pair, &motion, &old, &mut unused).1;
                }
            });
        }
    }

    /// A law of the user's own.
    fn evaluate_user(
        &mut self,
        ex: &Exec,
        model: &ContactModel,
        law: &dyn CompliantLaw,
        x: &StateView<'_>,
        tangents: bool,
    ) {
        let contacts = &self.detector.contacts;
        let (memory, masses) = (&self.memory, &self.inverse_masses);
        let (before, elapsed) = (self.before.as_slice(), self.elapsed);
        let point = point_of(|contact| {
            let mut composite = *model.table.composite(contact.composite);
            model.callback.iter().for_each(|callback| callback.modify(contact, &mut composite));
            ContactPoint {
                contact,
                composite,
                motion: motion(contact, x, before, masses, elapsed),
                memory: memory.remembered(contact),
            }
        });
        let batch = |chunk: usize, count: usize| {
            ContactBatch::new(&contacts[chunk * CHUNK..chunk * CHUNK + count], &point)
        };
        ex.for_each_chunk(&mut self.answers, CHUNK, |chunk, answers| {
            let batch = batch(chunk, answers.len());
            let mut given = [ContactAnswer::default(); CHUNK];
            law.evaluate(&batch, &mut given[..answers.len()]);
            for (k, answer) in answers.iter_mut().enumerate() {
                let ContactPoint { contact, motion, .. } = batch.point(k);
                *answer = Answer { critical_step: f64::INFINITY, ..Answer::default() };
                if contact.gap >= 0.0 {
                    continue;
                }
                let ContactAnswer { force, couple, memory, stiffness } = given[k];
                (answer.force, answer.couple) = (force, couple);
                answer.history = ContactHistory::from_array(memory);
                if stiffness > 0.0 {
                    answer.critical_step = critical_step(motion.effective_mass, stiffness);
                }
            }
        });
        if tangents {
            self.tangents.resize(contacts.len(), ContactTangent::default());
            ex.for_each_chunk(&mut self.tangents, CHUNK, |chunk, tangents| {
                tangents.fill(ContactTangent::default());
                law.tangents(&batch(chunk, tangents.len()), tangents);
                for (tangent, contact) in tangents.iter_mut().zip(&contacts[chunk * CHUNK..]) {
                    if contact.gap >= 0.0 {
                        *tangent = ContactTangent::default();
                    }
                }
            });
        }
    }

    /// Adds the generalized forces of all contacts to `f`.
    pub fn add_forces(&mut self, x: &StateView<'_>, f: &mut [f64]) {
        let [columns, _] = &mut self.sides;
        for (contact, answer) in self.detector.contacts.iter().zip(&self.answers) {
            if answer.force == DVec3::ZERO && answer.couple == DVec3::ZERO {
                continue;
            }
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let (force, couple) = (sign * answer.force, sign * answer.couple);
                let number = contact.frames[side];
                let frame = &x.frames[number as usize];
                if frame.motion == FrameMotion::Deforming {
                    x.columns_at(number, contact.point, false, columns);
                    for (&column, twist) in columns.column.iter().zip(&columns.twist) {
                        f[column as usize] += twist.power(force, couple);
                    }
                } else if frame.block != NO_BLOCK {
                    x.pull_back(number, force, (contact.point - frame.origin).cross(force) + couple, f);
                }
            }
        }
    }

    /// Pairs of column blocks in contact, sorted, each once.
    pub fn block_pairs(&mut self, x: &StateView<'_>, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let sides = &mut self.sides;
        for contact in &self.detector.contacts {
            if contact.frames.iter().all(|f| is_simple(&x.frames[*f as usize])) {
                let [a, b] = contact.frames.map(|f| x.frames[f as usize].block);
                if a != NO_BLOCK && b != NO_BLOCK && a != b {
                    out.push([a.min(b), a.max(b)]);
                }
                continue;
            }
            for (side, &frame) in contact.frames.iter().enumerate() {
                x.columns_at(frame, contact.point, false, &mut sides[side]);
            }
            let blocks = || sides.iter().flat_map(|side| side.runs().map(|run| side.block[run.start]));
            for (i, a) in blocks().enumerate() {
                out.extend(blocks().skip(i + 1).filter(|&b| b != a).map(|b| [a.min(b), a.max(b)]));
            }
        }
        out.sort_unstable();
        out.dedup();
    }

    /// Calls `add(block i, block j, tangent)` with the tangents `stiffness` × (−∂f/∂q) + `damping` × (−∂f/∂v) of
    /// every contact; [`CompliantStage::evaluate`] with tangents comes first.
    pub fn for_each_tangent(
        &mut self,
        x: &StateView<'_>,
        stiffness: f64,
        damping: f64,
        mut add: impl FnMut(u32, u32, PairTangent<'_>),
    ) {
        for (contact, tangent) in self.detector.contacts.iter().zip(&self.tangents) {
            if *tangent == ContactTangent::default() {
                continue;
            }
            let n = contact.normal;
            let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
            let linear = tangent.by_velocity(n) * -damping - outer(tangent.by_gap(n), n) * stiffness;
            let spin = outer(n, n);
            let angular = ((DMat3::IDENTITY - spin) * tangent.rolling_damping
                + spin * tangent.spinning_damping)
                * damping;
            let sides = contact.frames.map(|f| &x.frames[f as usize]);
            if !sides.iter().all(|f| is_simple(f)) {
                add_column_tangents(contact, x, [&linear, &angular], &mut self.sides, &mut add);
                continue;
            }
            for (i, si) in [(0, -1.0), (1, 1.0)] {
                for (j, sj) in [(0, -1.0), (1, 1.0)] {
                    let (a, b) = (sides[i], sides[j]);
                    if a.motion == FrameMotion::Rigid && b.motion == FrameMotion::Rigid {
                        let block = pair_block(contact.point, a, b, linear, angular, si * sj);
                        add(a.block, b.block, PairTangent::Bodies(&block));
                    }
                }
            }
        }
    }

    /// Stores the memory of the step that ends at the frames given; they must be those of the last evaluation.
    pub fn commit(&mut self, out: &mut ContactMemory) {
        out.width = WIDTH;
        out.keys.clear();
        out.values.clear();
        for (contact, a) in self.detector.contacts.iter_mut().zip(&self.answers) {
            contact.remembered = out.keys.len() as u32;
            out.keys.push(contact.key());
            out.values.extend_from_slice(&a.force.to_array());
            out.values.extend_from_slice(&a.couple.to_array());
            out.values.extend_from_slice(&a.history.to_array());
        }
        self.memory.clone_from(out);
        self.elapsed = 0.0;
    }
}

/// Whether a frame is a body's or prescribed.
fn is_simple(frame: &Frame) -> bool {
    matches!(frame.motion, FrameMotion::Rigid | FrameMotion::Prescribed)
}

fn motion(
    contact: &Contact,
    x: &StateView<'_>,
    before: &[f64],
    inverse_masses: &[f64],
    elapsed: f64,
) -> ContactMotion {
    let [a, b] = contact.frames.map(|f| &x.frames[f as usize]);
    let [va, vb] = contact.frames.map(|f| x.velocity_at(f, contact.point));
    let [ma, mb] = contact.frames.map(|f| inverse_masses[f as usize]);
    let velocity_before = (before.len() == x.v.len()).then(|| {
        let [from, to] = contact.frames.map(|f| velocity_before(x, before, f, contact.point));
        to - from
    });
    ContactMotion {
        gap: contact.gap,
        normal: contact.normal,
        velocity: vb - va,
        velocity_before,
        angular_velocity: b.omega - a.omega,
        effective_mass: effective_mass(ma, mb),
        effective_radius: contact.radius,
        step: elapsed,
    }
}

/// Velocity [m/s] that the columns' velocities `v` at the start of the step give the point of a frame at `point`.
/// Prescribed frames and those that several blocks carry keep theirs.
fn velocity_before(x: &StateView<'_>, v: &[f64], frame: u32, point: DVec3) -> DVec3 {
    let f = &x.frames[frame as usize];
    match f.motion {
        FrameMotion::Rigid => {
            let v = &v[x.twists.first_column(f.block)..];
            // A turn about the axis of spin does not change it: the axes of now will do.
            DVec3::from_slice(v) + (f.axes * DVec3::from_slice(&v[3..])).cross(point - f.origin)
        }
        FrameMotion::Point { .. } => DVec3::from_slice(&v[x.twists.first_column(f.block)..]),
        FrameMotion::Deforming => StateView { v, ..*x }.velocity_at(frame, point),
        FrameMotion::Prescribed | FrameMotion::Carried => x.velocity_at(frame, point),
    }
}

/// Tangents of a contact between the columns that move its two sides.
fn add_column_tangents(
    contact: &Contact,
    x: &StateView<'_>,
    [linear, angular]: [&DMat3; 2],
    sides: &mut [ColumnTwists; 2],
    add: &mut impl FnMut(u32, u32, PairTangent<'_>),
) {
    // Velocity of the point and angular velocity of the side for each column, the first side with a minus.
    for ((side, &frame), sign) in sides.iter_mut().zip(&contact.frames).zip([-1.0, 1.0]) {
        let arm = contact.point - x.columns_at(frame, contact.point, false, side);
        for twist in &mut side.twist {
            twist.velocity = (twist.velocity - arm.cross(twist.omega)) * sign;
            twist.omega *= sign;
        }
    }
    let runs = || sides.iter().flat_map(|side| side.runs().map(move |run| (side, run)));
    let first =
        |side: &ColumnTwists, at: usize| side.column[at] as usize - x.twists.first_column(side.block[at]);
    for (rows, i) in runs() {
        for (columns, j) in runs() {
            let at = [first(rows, i.start), first(columns, j.start)];
            let motions = [&rows.twist[i.clone()], &columns.twist[j.clone()]];
            let tangent = PairTangent::Columns { at, motions, linear, angular };
            add(rows.block[i.start], columns.block[j.start], tangent);
        }
    }
}

/// $\pm J_a^T W J_b$ with $J = [I, -\tilde s R]$, and the angular part $R_a^T A R_b$.
fn pair_block(point: DVec3, a: &Frame, b: &Frame, w: DMat3, angular: DMat3, sign: f64) -> [[f64; 6]; 6] {
    let turn = |f: &Frame| skew(point - f.origin) * f.axes * -1.0;
    let (ja, jb) = (turn(a), turn(b));
    let parts =
        [[w, w * jb], [ja.transpose() * w, ja.transpose() * w * jb + a.axes.transpose() * angular * b.axes]];
    let mut out = [[0.0; 6]; 6];
    for (r, row) in out.iter_mut().enumerate() {
        for (c, x) in row.iter_mut().enumerate() {
            *x = sign * parts[r / 3][c / 3].col(c % 3)[r % 3];
        }
    }
    out
}
