//! Numbers of contacts: of a body, of a pair of bodies, or of all.

use glam::DVec3;
use huygens_multibody::BodyId;

use super::table::{QuantityRow, XYZ, number, vector};
use crate::world::contact::{ContactReport, concerns, force_on, torque_on};

/// The contacts that a number is about.
pub(in crate::world) struct Touched<'a> {
    contacts: &'a [ContactReport],
    body: Option<BodyId>,
    with: Option<BodyId>,
    /// Centre of mass of the body [m].
    center: DVec3,
}

impl Touched<'_> {
    fn mine(&self) -> impl Iterator<Item = &ContactReport> {
        self.contacts.iter().filter(|c| concerns(c, self.body, self.with))
    }

    fn count(&self) -> f64 {
        self.mine().count() as f64
    }

    fn penetration(&self) -> f64 {
        self.mine().fold(0.0, |d: f64, c| d.max(-c.gap))
    }

    fn force(&self) -> DVec3 {
        self.body.map_or(DVec3::ZERO, |body| force_on(self.contacts, body, self.with))
    }

    fn torque(&self) -> DVec3 {
        self.body.map_or(DVec3::ZERO, |body| torque_on(self.contacts, body, self.with, self.center))
    }
}

type Read = fn(&Touched<'_>, usize) -> f64;

/// Contacts of a body, or of a pair.
pub(super) const OF_BODY: &[QuantityRow<Read>] = &[
    vector("contact_force", "N", &["x", "y", "z", "magnitude"], "of all its contacts, world axes", |t, k| {
        match k {
            3 => t.force().length(),
            k => t.force()[k],
        }
    }),
    vector("contact_torque", "N·m", XYZ, "about the centre of mass, world axes", |t, k| t.torque()[k]),
    number("contact_count", "1", "contacts that carry a force or overlap", |t, _| t.count()),
    number("penetration", "m", "largest overlap", |t, _| t.penetration()),
];

/// All contacts of bodies.
pub(super) const OF_WORLD: &[QuantityRow<Read>] = &[
    number("contact_count", "1", "contacts that carry a force or overlap", |t, _| t.count()),
    number("contact_force", "N", "sum of the magnitudes of all contact forces", |t, _| {
        t.mine().map(|c| DVec3::from_array(c.force).length()).sum()
    }),
    number("penetration", "m", "largest overlap", |t, _| t.penetration()),
];

/// One number of contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct ContactQuantity {
    pub body: Option<BodyId>,
    pub with: Option<BodyId>,
    pub row: &'static QuantityRow<Read>,
    pub part: usize,
}

impl ContactQuantity {
    /// The number; `center` gives the centre of mass of a body.
    pub fn value(&self, contacts: &[ContactReport], center: impl Fn(BodyId) -> DVec3) -> f64 {
        let center = self.body.map_or(DVec3::ZERO, center);
        (self.row.read)(&Touched { contacts, body: self.body, with: self.with, center }, self.part)
    }
}
