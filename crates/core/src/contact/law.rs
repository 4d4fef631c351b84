//! Compliant contact laws of the user's own.
//!
//! The built-in compliant law is composed of closed sub-models. A program that needs another one implements
//! [`CompliantLaw`] and gives it to the [`ContactModel`](super::ContactModel); detection, memory, the integrators and
//! the reports stay as they are. A law is called for batches of contacts, from many threads.

use glam::DVec3;
use huygens_kernel::contact::{ContactMotion, ContactTangent, HISTORY_LENGTH};

use super::Contact;
use super::material::Composite;

/// Most contacts in a batch.
pub(super) const BATCH: usize = 64;

/// Numbers that a contact remembers from step to step; all zero where two surfaces begin to touch.
pub type ContactNumbers = [f64; HISTORY_LENGTH];

/// One contact as a law sees it.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint<'a> {
    /// Who touches whom, and where.
    pub contact: &'a Contact,
    /// What the two materials make together.
    pub composite: Composite,
    /// How the surfaces move; the normal points from the first to the second.
    pub motion: ContactMotion,
    /// What the last accepted step left.
    pub memory: ContactNumbers,
}

/// What a law answers to one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactAnswer {
    /// Force on the second of the two [N], world axes; the first one feels the opposite.
    pub force: DVec3,
    /// Couple on the second of the two [N·m], world axes.
    pub couple: DVec3,
    /// What the contact will remember if the step is accepted.
    pub memory: ContactNumbers,
    /// Normal stiffness here [N/m]: the critical step of explicit methods follows from it. Zero gives no bound.
    pub stiffness: f64,
}

/// A change of the motion at every contact of a batch.
#[derive(Clone, Copy, Debug, Default)]
enum Shift {
    #[default]
    None,
    /// The gap grows by this part of the overlap.
    Gap(f64),
    /// The velocity along the normal grows by this part of the speed at the contact.
    Normal(f64),
    /// The velocity in the tangent plane, by the same.
    Tangential(f64),
}

/// A closure that tells all of a contact; its type cannot be inferred otherwise.
pub(super) fn point_of<'a, F: Fn(&'a Contact) -> ContactPoint<'a>>(f: F) -> F {
    f
}

/// Contacts that a law answers together.
pub struct ContactBatch<'a> {
    contacts: &'a [Contact],
    point: &'a (dyn Fn(&'a Contact) -> ContactPoint<'a> + Sync),
    shift: Shift,
}

impl<'a> ContactBatch<'a> {
    /// The contacts, of each of which `point` tells the rest.
    pub(super) fn new(
        contacts: &'a [Contact],
        point: &'a (dyn Fn(&'a Contact) -> ContactPoint<'a> + Sync),
    ) -> Self {
        Self { contacts, point, shift: Shift::None }
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// One of the contacts.
    pub fn point(&self, k: usize) -> ContactPoint<'a> {
        let mut point = (self.point)(&self.contacts[k]);
        let motion = &mut point.motion;
        let speed = Self::speed(motion);
        match self.shift {
            Shift::None => {}
            Shift::Gap(part) => motion.gap += part * motion.gap.abs(),
            Shift::Normal(part) => motion.velocity += motion.normal * (part * speed),
            Shift::Tangential(part) => motion.velocity += Self::slip(motion) * (part * speed),
        }
        point
    }

    /// The contacts in order.
    pub fn points(&self) -> impl Iterator<Item = ContactPoint<'a>> + '_ {
        (0..self.len()).map(|k| self.point(k))
    }

    fn with(&self, shift: Shift) -> Self {
        Self { shift, ..*self }
    }

    /// The speed [m/s] by which a small change of velocity is measured.
    fn speed(motion: &ContactMotion) -> f64 {
        let closing = if motion.step > 0.0 { motion.gap.abs() / motion.step } else { 0.0 };
        (motion.velocity.length() + closing).max(f64::MIN_POSITIVE.sqrt())
    }

    /// The direction in which the surfaces slide, or any in the tangent plane where they do not.
    fn slip(motion: &ContactMotion) -> DVec3 {
        let across = motion.velocity - motion.normal * motion.velocity.dot(motion.normal);
        across.try_normalize().unwrap_or_else(|| motion.normal.any_orthonormal_vector())
    }
}

/// A compliant contact law of the user's own: forces from overlap, motion and memory.
///
/// It must be a function of what it is given: Newton's method and the stages of explicit methods evaluate many trial
/// states from the same memory, and the memory of an answer is kept only where a step is accepted.
pub trait CompliantLaw: Send + Sync {
    /// Writes an answer for every contact of the batch, in its order. Answers for surfaces that do not overlap
    /// (gap ≥ 0) are dropped.
    fn evaluate(&self, batch: &ContactBatch<'_>, answers: &mut [ContactAnswer]);

    /// Writes the derivatives of the forces, which implicit methods need. By default they are found by central
    /// differences of [`CompliantLaw::evaluate`] by gap, normal velocity and velocity along the slip; couples count as
    /// constant. An approximation changes how fast Newton's method converges, not what it converges to.
    fn tangents(&self, batch: &ContactBatch<'_>, tangents: &mut [ContactTangent]) {
        const PART: f64 = 1e-5;
        let mut sides = [[ContactAnswer::default(); BATCH]; 2];
        let mut differ = |shift: fn(f64) -> Shift, write: &mut dyn FnMut(usize, DVec3)| {
            for (side, part) in sides.iter_mut().zip([-PART, PART]) {
                self.evaluate(&batch.with(shift(part)), &mut side[..batch.len()]);
            }
            let [before, after] = &sides;
            (0..batch.len()).for_each(|k| write(k, (after[k].force - before[k].force) / (2.0 * PART)));
        };
        let quotient = |change: f64, by: f64| if by > 0.0 { change / by } else { 0.0 };
        differ(Shift::Gap, &mut |k, change| {
            let m = batch.point(k).motion;
            tangents[k].normal_stiffness = -quotient(change.dot(m.normal), m.gap.abs());
        });
        differ(Shift::Normal, &mut |k, change| {
            let m = batch.point(k).motion;
            tangents[k].normal_damping = -quotient(change.dot(m.normal), ContactBatch::speed(&m));
        });
        differ(Shift::Tangential, &mut |k, change| {
            let m = batch.point(k).motion;
            let along = change.dot(ContactBatch::slip(&m));
            tangents[k].tangential_damping = -quotient(along, ContactBatch::speed(&m));
        });
    }
}
