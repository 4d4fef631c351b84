//! Rigid contact as rows and cones of the velocity-level problem.
//!
//! A contact with gap Φ, normal n and tangents u, w asks for $0 \le \gamma_n \perp u_n + b_n \ge \mu\|u_t\|$ with
//! $b_n = \max(\Phi/h, -s)$ (recovery speed s), or $b_n = e\,u_n^-$ when it bounces (anitescu2006, tasora2011).

use glam::DVec3;
use huygens_exec::Exec;
use huygens_kernel::contact::rigid::{self, RowTerms};
use huygens_solve::{Cone, PairContact, PairRows};

use super::{Composite, Contact, ContactMemory, ContactModel};
use crate::contract::{Frame, NO_BLOCK};

/// Contacts a parallel chunk works on.
const CHUNK: usize = 256;

/// Numbers of a step that all contacts share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidStep {
    /// Step size [s].
    pub h: f64,
    /// Most speed with which overlaps are pushed apart [m/s].
    pub recovery_speed: f64,
    /// Approach speed below which nothing bounces [m/s].
    pub bounce_threshold: f64,
    /// Whether impulses start from those of the step before.
    pub warm_start: bool,
    /// First column block of the items.
    pub first_block: u32,
}

/// One contact as the cone problem sees it.
#[derive(Clone, Copy)]
struct Row {
    pair: PairContact,
    bias: [f64; 6],
    compliance: f64,
    cone: Cone,
    guess: [f64; 6],
}

impl Default for Row {
    fn default() -> Self {
        Self {
            pair: PairContact { items: [PairContact::GROUND; 2], axes: [[0.0; 3]; 3], arms: [[0.0; 3]; 2] },
            bias: [0.0; 6],
            compliance: 0.0,
            cone: Cone::Nonnegative,
            guess: [0.0; 6],
        }
    }
}

/// Contact rows: first all that slide only (three rows each), then all that roll (six rows each).
#[derive(Default)]
pub(crate) struct RigidRows {
    rows: Vec<Row>,
    /// Contact of each sliding and each rolling row group.
    sliding: Vec<u32>,
    rolling: Vec<u32>,
    pairs: Vec<PairContact>,
    pub sliding_rows: PairRows,
    pub rolling_rows: PairRows,
    pub bias: Vec<f64>,
    pub compliance: Vec<f64>,
    pub cones: Vec<Cone>,
    pub impulse: Vec<f64>,
    /// Whether any row is compliant.
    pub soft: bool,
}

impl RigidRows {
    /// For `items` bodies whose columns start at `first_column`.
    pub fn new(first_column: usize, items: usize) -> Self {
        Self {
            sliding_rows: PairRows::new(first_column, items, false),
            rolling_rows: PairRows::new(first_column, items, true),
            ..Self::default()
        }
    }

    /// Makes the rows of all contacts.
    pub fn build(
        &mut self,
        ex: &Exec,
        model: &ContactModel,
        contacts: &[Contact],
        frames: &[Frame],
        memory: &ContactMemory,
        step: &RigidStep,
    ) {
        self.rows.resize(contacts.len(), Row::default());
        ex.for_each_chunk(&mut self.rows, CHUNK, |chunk, rows| {
            for (contact, row) in contacts[chunk * CHUNK..].iter().zip(rows) {
                *row = make_row(model, contact, frames, memory, step);
            }
        });
        self.sliding.clear();
        self.rolling.clear();
        self.soft = false;
        for (k, row) in self.rows.iter().enumerate() {
            let rolls = matches!(row.cone, Cone::Rolling { .. });
            if rolls {
                self.rolling.push(k as u32)
            } else {
                self.sliding.push(k as u32)
            }
            self.soft |= row.compliance > 0.0;
        }
        self.bias.clear();
        self.compliance.clear();
        self.cones.clear();
        self.impulse.clear();
        for (group, width, rows) in
            [(&self.sliding, 3, &mut self.sliding_rows), (&self.rolling, 6, &mut self.rolling_rows)]
        {
            self.pairs.clear();
            for &k in group {
                let row = &self.rows[k as usize];
                self.pairs.push(row.pair);
                self.bias.extend_from_slice(&row.bias[..width]);
                self.impulse.extend_from_slice(&row.guess[..width]);
                self.cones.push(row.cone);
                if self.soft {
                    self.compliance.push(row.compliance);
                    self.compliance.extend(std::iter::repeat_n(0.0, width - 1));
                }
            }
            rows.set(ex, &self.pairs);
        }
    }

    /// Number of contact rows.
    pub fn len(&self) -> usize {
        3 * self.sliding.len() + 6 * self.rolling.len()
    }

    /// Calls `f(contact, first row, width)` for every contact.
    fn for_each(&self, mut f: impl FnMut(usize, usize, usize)) {
        let mut row = 0;
        for (group, width) in [(&self.sliding, 3), (&self.rolling, 6)] {
            for &k in group {
                f(k as usize, row, width);
                row += width;
            }
        }
    }

    /// Bias of each contact's normal row raised by μ times its sliding speed `slip(first row)`: Coulomb's law
    /// instead of the relaxed cone. Returns the largest change [m/s].
    pub fn correct_friction(&self, bias: &mut [f64], velocities: &[f64]) -> f64 {
        let mut change = 0.0f64;
        self.for_each(|k, row, _| {
            let mu = match self.rows[k].cone {
                Cone::Friction { mu, .. } | Cone::Rolling { mu, .. } => mu,
                _ => 0.0,
            };
            let slip = |i: usize| velocities[row + i] + self.bias[row + i];
            let wanted = self.bias[row] + mu * slip(1).hypot(slip(2));
            change = change.max((wanted - bias[row]).abs());
            bias[row] = wanted;
        });
        change
    }

    /// Writes what the contacts remember: force and couple on the second body, world axes.
    pub fn remember(&self, contacts: &[Contact], impulse: &[f64], h: f64, memory: &mut ContactMemory) {
        const WIDTH: usize = ContactMemory::WRENCH;
        memory.width = WIDTH;
        memory.keys.clear();
        memory.keys.extend(contacts.iter().map(Contact::key));
        memory.values.clear();
        memory.values.resize(contacts.len() * WIDTH, 0.0);
        self.for_each(|k, row, width| {
            let axes = self.rows[k].pair.axes.map(DVec3::from_array);
            let along = |l: &[f64]| (axes[0] * l[0] + axes[1] * l[1] + axes[2] * l[2]) / h;
            let out = &mut memory.values[k * WIDTH..(k + 1) * WIDTH];
            out[..3].copy_from_slice(&along(&impulse[row..]).to_array());
            if width == 6 {
                out[3..].copy_from_slice(&along(&impulse[row + 3..]).to_array());
            }
        });
    }
}

fn make_row(
    model: &ContactModel,
    contact: &Contact,
    frames: &[Frame],
    memory: &ContactMemory,
    step: &RigidStep,
) -> Row {
    let mut composite = *model.table.composite(contact.composite);
    if let Some(callback) = &model.callback {
        callback.modify(contact, &mut composite);
    }
    let normal = contact.normal;
    let (u, w) = normal.any_orthonormal_pair();
    let sides = contact.frames.map(|f| &frames[f as usize]);
    let arms = sides.map(|f| contact.point - f.origin);
    let items =
        sides.map(|f| if f.block == NO_BLOCK { PairContact::GROUND } else { f.block - step.first_block });
    let speed = |k: usize| sides[k].velocity + sides[k].omega.cross(arms[k]);
    let (mut driven, mut spin) = (DVec3::ZERO, DVec3::ZERO);
    for (k, sign) in [(0, -1.0), (1, 1.0)] {
        if sides[k].block == NO_BLOCK {
            driven += sign * speed(k);
            spin += sign * sides[k].omega;
        }
    }
    let approach = (speed(1) - speed(0)).dot(normal);
    let RowTerms { bias: normal_bias, compliance } = normal_row(contact.gap, approach, &composite, step);
    let axes = [normal, u, w];
    let mut bias = [0.0; 6];
    for (i, axis) in axes.iter().enumerate() {
        bias[i] = driven.dot(*axis);
        bias[3 + i] = spin.dot(*axis);
    }
    bias[0] += normal_bias;
    let touching = contact.gap <= 0.01 * contact.radius.min(1e9) || contact.gap <= 0.0;
    let cohesion = if touching { step.h * composite.surface.adhesion } else { 0.0 };
    let mu = composite.surface.friction;
    let (rolling, spinning) = (composite.surface.rolling, composite.surface.spinning);
    let cone = if rolling > 0.0 || spinning > 0.0 {
        Cone::Rolling { mu, rolling, spinning, cohesion }
    } else {
        Cone::Friction { mu, cohesion }
    };
    let mut guess = [0.0; 6];
    if step.warm_start && contact.remembered != Contact::NEW {
        let old = memory.values_of(contact.remembered as usize);
        let (force, couple) = (DVec3::from_slice(&old[..3]), DVec3::from_slice(&old[3..6]));
        for (i, axis) in axes.iter().enumerate() {
            guess[i] = step.h * force.dot(*axis);
            guess[3 + i] = step.h * couple.dot(*axis);
        }
    }
    let pair = PairContact { items, axes: axes.map(|a| a.to_array()), arms: arms.map(|a| a.to_array()) };
    Row { pair, bias, compliance, cone, guess }
}

/// Bias and compliance of a normal row.
fn normal_row(gap: f64, approach: f64, composite: &Composite, step: &RigidStep) -> RowTerms {
    let (h, recovery) = (step.h, step.recovery_speed);
    let mut row = if composite.compliance > 0.0 {
        rigid::regularized_row(gap, h, 1.0 / composite.compliance, composite.damping, recovery)
    } else {
        RowTerms { bias: rigid::stabilization_bias(gap, h, recovery), compliance: 0.0 }
    };
    let restitution = composite.surface.restitution;
    row.bias = rigid::normal_bias(row.bias, gap, h, approach, restitution, step.bounce_threshold);
    row
}
