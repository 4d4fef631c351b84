//! Contact of a world: materials, exceptions, user code and reports.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use glam::DVec3;
use huygens_core::contact::combine;
use huygens_core::contact::{self, Composite, Contact, ContactModel, OnFailure, Overlap};
use huygens_core::integrator::{ContactStatistics, Integrator};
use huygens_multibody::{BodyId, MaterialId, NamedMaterial};

use super::warnings::About;
use super::{Build, FluidId, Object, Result, Simulation, StructureId, World, WorldError};
use crate::spec::{ContactPairSpec, DEFAULT_MATERIAL, MaterialSpec, Section, WarningKind};

/// Pairs that a warning about overlaps names.
const NAMED_PAIRS: usize = 5;

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactSide {
    /// A body.
    Body(BodyId),
    /// A flexible structure.
    Structure(StructureId),
    /// A constraint fluid, whose markers are spheres.
    Fluid(FluidId),
}

impl ContactSide {
    /// The body, if it is one.
    pub fn body(self) -> Option<BodyId> {
        match self {
            Self::Body(id) => Some(id),
            Self::Structure(_) | Self::Fluid(_) => None,
        }
    }
}

impl PartialEq<BodyId> for ContactSide {
    fn eq(&self, other: &BodyId) -> bool {
        self.body() == Some(*other)
    }
}

/// A point where two bodies or structures touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// First body or structure.
    pub a: ContactSide,
    /// Second body or structure.
    pub b: ContactSide,
    /// The point, midway between the surfaces [m], world axes.
    pub point: [f64; 3],
    /// Unit normal from the first to the second body.
    pub normal: [f64; 3],
    /// Distance of the surfaces along the normal [m]; negative where they overlap.
    pub gap: f64,
    /// Force on the second body [N], world axes; the first one feels the opposite.
    pub force: [f64; 3],
    /// Couple of rolling and spinning friction on the second body [N·m], world axes.
    pub couple: [f64; 3],
}

/// User code that takes part in contact; it may be called from several threads at once.
pub trait ContactCallback: Send + Sync {
    /// Whether two bodies may touch; asked for every pair of shapes that are near each other.
    fn filter(&self, _a: ContactSide, _b: ContactSide) -> bool {
        true
    }
    /// Changes what the two materials make together at one contact, whose forces are not known yet.
    fn modify(&self, _contact: &ContactReport, _composite: &mut Composite) {}
}

/// User code for the engine, which knows shapes instead of bodies.
struct ShapeCallback {
    user: Arc<dyn ContactCallback>,
    owners: Vec<ContactSide>,
}

impl contact::ContactCallback for ShapeCallback {
    fn keep(&self, a: u32, b: u32) -> bool {
        self.user.filter(self.owners[a as usize], self.owners[b as usize])
    }
    fn modify(&self, contact: &Contact, composite: &mut Composite) {
        self.user.modify(&report(&self.owners, contact, &[0.0; 6]), composite);
    }
}

fn report(owners: &[ContactSide], contact: &Contact, wrench: &[f64]) -> ContactReport {
    let [a, b] = contact.proxies.map(|p| owners[p as usize]);
    ContactReport {
        a,
        b,
        point: contact.point.to_array(),
        normal: contact.normal.to_array(),
        gap: contact.gap,
        force: [wrench[0], wrench[1], wrench[2]],
        couple: [wrench[3], wrench[4], wrench[5]],
    }
}

/// What a user should know of the solver.
fn missed_warning(s: &ContactStatistics) -> Option<String> {
    (s.missed > 0).then(|| {
        format!(
            "the contact solver did not reach its tolerance in {} of {} steps; the worst residual was {:.2e} m/s at \
             t = {:.6} s; allow more iterations (contact.rigid.max_iterations), or use solver = \"interior_point\"",
            s.missed, s.steps, s.worst_residual, s.worst_time
        )
    })
}

/// What a user should know of the size of steps.
fn step_warning(s: &ContactStatistics) -> Option<String> {
    (s.too_long > 0).then(|| {
        format!(
            "the step was longer than the critical step √(m/k) of the contacts in {} of {} steps: the least one was \
             {:.2e} s; use a shorter dt, or softer materials",
            s.too_long, s.steps, s.critical_step
        )
    })
}

/// The wrench of one contact on a body: force and couple, with their signs.
fn sign(contact: &ContactReport, body: BodyId) -> f64 {
    f64::from(u8::from(contact.b == body)) - f64::from(u8::from(contact.a == body))
}

/// Whether a contact is between a body and, where one is given, another.
pub(super) fn concerns(c: &ContactReport, body: Option<BodyId>, with: Option<BodyId>) -> bool {
    match (body, with) {
        (Some(body), Some(with)) => (c.a == body && c.b == with) || (c.a == with && c.b == body),
        (Some(body), None) => c.a == body || c.b == body,
        _ => true,
    }
}

/// Force on a body [N] from the contacts that concern it.
pub(super) fn force_on(contacts: &[ContactReport], body: BodyId, with: Option<BodyId>) -> DVec3 {
    let mine = contacts.iter().filter(|c| concerns(c, Some(body), with));
    mine.map(|c| sign(c, body) * DVec3::from_array(c.force)).sum()
}

/// Torque on a body about `center` [N·m].
pub(super) fn torque_on(
    contacts: &[ContactReport],
    body: BodyId,
    with: Option<BodyId>,
    center: DVec3,
) -> DVec3 {
    let mine = contacts.iter().filter(|c| concerns(c, Some(body), with));
    mine.map(|c| {
        let arm = DVec3::from_array(c.point) - center;
        sign(c, body) * (arm.cross(DVec3::from_array(c.force)) + DVec3::from_array(c.couple))
    })
    .sum()
}

impl Simulation {
    /// Contacts that carry a force or overlap.
    pub(super) fn contacts(&self) -> Vec<ContactReport> {
        let memory = &self.state.contacts;
        if memory.is_empty() {
            return Vec::new();
        }
        let known = {
            let evaluator = self.stepper.lock().unwrap_or_else(PoisonError::into_inner);
            let list = evaluator.stepper.contacts();
            let same =
                list.len() == memory.len() && list.iter().zip(&memory.keys).all(|(c, k)| c.key() == *k);
            same.then(|| list.to_vec())
        };
        // A state from a checkpoint remembers which features touch, but not where.
        let contacts = known.unwrap_or_else(|| {
            let frames =
                |model: &ContactModel| model.locate(&memory.keys, self.evaluate().stepper.system().frames());
            self.mechanism.model.contact().map(frames).unwrap_or_default()
        });
        let mut index = 0;
        let mut reports = Vec::new();
        for contact in &contacts {
            while memory.keys[index] != contact.key() {
                index += 1;
            }
            let wrench = &memory.values_of(index)[..6];
            if contact.gap <= 0.0 || wrench.iter().any(|x| *x != 0.0) {
                reports.push(report(&self.proxy_owners, contact, wrench));
            }
        }
        reports
    }

    /// Bodies that a body touched in the last step, each once.
    pub(super) fn touched(&self, body: BodyId) -> BTreeSet<usize> {
        let on = |p: u32| self.proxy_owners.get(p as usize).and_then(|o| o.body());
        let memory = &self.state.contacts;
        let mut found = BTreeSet::new();
        for (k, [a, b, _]) in memory.keys.iter().enumerate() {
            let loaded = memory.values_of(k)[..6].iter().any(|x| *x != 0.0);
            match (on(*a), on(*b)) {
                (Some(a), Some(b)) if loaded && a == body => found.insert(b.index()),
                (Some(a), Some(b)) if loaded && b == body => found.insert(a.index()),
                _ => false,
            };
        }
        found
    }
}

impl Build for MaterialSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_material(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.materials.iter().map(|(_, spec)| spec)
    }

    /// The default material stays, with the numbers it has without a description.
    fn remove(world: &mut World, name: &str) -> Result<()> {
        let objects = &mut world.objects;
        objects.materials.retain(|(_, spec)| spec.name != name);
        if name == DEFAULT_MATERIAL {
            let usual = MaterialSpec::new(DEFAULT_MATERIAL).material();
            let known = objects.material_ids.get(name).and_then(|id| objects.assembly.material_mut(*id));
            known.into_iter().for_each(|m| m.material = usual);
        } else if let Some(id) = objects.material_ids.remove(name) {
            objects.assembly.remove_material(id);
        }
        Ok(())
    }
}

impl Build for ContactPairSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_contact_pair(self)
    }

    /// Of several that are called alike, the one that counts.
    fn remove(world: &mut World, name: &str) -> Result<()> {
        let pairs = &mut world.objects.kept.contact_pairs;
        if let Some(k) = pairs.iter().rposition(|spec| spec.label() == name)
            && let Some([a, b]) = pairs.remove(k).bodies
        {
            let (a, b) = (world.body(&a)?, world.body(&b)?);
            world.renew_pair(a, b);
        }
        Ok(())
    }
}

impl World {
    /// Adds a contact material; shapes refer to it by name. One called `default` is the material of shapes that name
    /// none.
    pub fn add_material(&mut self, mut spec: MaterialSpec) -> Result<MaterialId> {
        if spec.name.is_empty() {
            spec.name = format!("material{}", self.objects.materials.len() + 1);
        }
        let wrong =
            |(key, e): (&str, String)| WorldError::input(Section::Materials, &spec.name, Some(key), e);
        spec.check().map_err(wrong)?;
        if self.objects.materials.iter().any(|(_, m)| m.name == spec.name) {
            return Err(wrong((
                "name",
                "there is already a material of that name; names must be unique".into(),
            )));
        }
        self.suspend();
        let id = match self.objects.material_ids.get(&spec.name).copied() {
            // Shapes may have used the default material before it was described.
            Some(id) if spec.name == DEFAULT_MATERIAL => {
                self.objects.assembly.material_mut(id).into_iter().for_each(|m| m.material = spec.material());
                id
            }
            _ => self.insert_material(&spec)?,
        };
        self.objects.materials.push((id, spec));
        Ok(id)
    }

    pub(super) fn insert_material(&mut self, spec: &MaterialSpec) -> Result<MaterialId> {
        let named = NamedMaterial { name: spec.name.clone(), material: spec.material() };
        let id = self
            .objects
            .assembly
            .add_material(named)
            .map_err(|e| WorldError::of_engine(Section::Materials, &spec.name, e))?;
        self.objects.material_ids.insert(spec.name.clone(), id);
        Ok(id)
    }

    /// Materials with their descriptions, in the order they were added; the default one only where it is described.
    pub fn materials(&self) -> &[(MaterialId, MaterialSpec)] {
        &self.objects.materials
    }

    /// Handle of the material of that name.
    pub fn material(&mut self, name: &str) -> Result<MaterialId> {
        let unknown = |suggestion| WorldError::Unknown { kind: "material", name: name.into(), suggestion };
        self.material_of(name).map_err(unknown)
    }

    /// Adds an exception: whether two bodies may touch, or what two materials make together. The last one counts.
    pub fn add_contact_pair(&mut self, spec: ContactPairSpec) -> Result<()> {
        let label = spec.label();
        let fail = |field: &str, problem: String, suggestion| WorldError::Input {
            section: Section::ContactPairs,
            name: label.clone(),
            field: Some(field.into()),
            problem,
            suggestion,
        };
        spec.check().map_err(|(field, e)| fail(field, e, None))?;
        if let Some([a, b]) = &spec.bodies {
            let find = |k: usize, name: &str| {
                self.body(name).map_err(|_| {
                    let near = self.objects.suggest(name, |o| matches!(o, Object::Body(_)));
                    let problem = format!("`bodies` refers to body '{name}', which does not exist");
                    fail(&format!("bodies.{k}"), problem, near)
                })
            };
            let (a, b) = (find(0, a)?, find(1, b)?);
            if a == b {
                return Err(fail("bodies", "it needs two different bodies".into(), None));
            }
            self.suspend();
            self.set_collide(a, b, Some(spec.collide == Some(true)));
        }
        if let Some(names) = &spec.materials {
            for (k, name) in names.iter().enumerate() {
                self.material_of(name).map_err(|near| {
                    let problem = format!("`materials` refers to material '{name}', which does not exist");
                    fail(&format!("materials.{k}"), problem, near)
                })?;
            }
            self.suspend();
        }
        self.objects.kept.contact_pairs.push(spec);
        Ok(())
    }

    /// Exceptions in the order they were added.
    pub fn contact_pairs(&self) -> &[ContactPairSpec] {
        &self.objects.kept.contact_pairs
    }

    /// Lets two bodies touch or not; `None` leaves it to the rule that bodies touch unless a joint connects them.
    pub(super) fn set_collide(&mut self, a: BodyId, b: BodyId, collide: Option<bool>) {
        let same = |p: &(BodyId, BodyId)| *p == (a, b) || *p == (b, a);
        let collision = &mut self.objects.assembly.collision;
        collision.exclusions.retain(|p| !same(p));
        collision.inclusions.retain(|p| !same(p));
        match collide {
            Some(true) => collision.inclusions.push((a, b)),
            Some(false) => collision.exclusions.push((a, b)),
            None => {}
        }
    }

    /// Finds out again whether two bodies may touch: contact pairs say so, and joints that let their bodies collide.
    pub(super) fn renew_pair(&mut self, a: BodyId, b: BodyId) {
        let same = |p: (Option<BodyId>, Option<BodyId>)| p == (Some(a), Some(b)) || p == (Some(b), Some(a));
        let objects = &self.objects;
        let said = self.contact_pairs().iter().filter(|spec| {
            let named = |name: &String| objects.body(name).ok();
            spec.bodies.as_ref().is_some_and(|[a, b]| same((named(a), named(b))))
        });
        let joined = objects.joints.iter().filter(|(id, spec)| {
            let ends = objects.assembly.joint(*id).map(|j| (j.a.carrier.body(), j.b.carrier.body()));
            spec.collide && ends.is_some_and(same)
        });
        let last = said.map(|spec| spec.collide == Some(true)).chain(joined.map(|_| true)).last();
        self.set_collide(a, b, last);
    }

    /// Lets user code take part in contact; `None` takes it out.
    pub fn set_contact_callback(&mut self, callback: Option<Arc<dyn ContactCallback>>) {
        self.suspend();
        self.extensions.callback = callback;
    }

    /// Owners of the engine's collision shapes: bodies, whose compounds have several, then structures, then fluids.
    pub(super) fn proxy_owners(&self) -> Vec<ContactSide> {
        let shapes = self.objects.assembly.collision.shapes();
        let bodies = shapes.iter().flat_map(|s| s.shape.parts().map(|_| ContactSide::Body(s.body)));
        let structures = self.structure_proxies().map(ContactSide::Structure);
        bodies.chain(structures).chain(self.fluid_proxies().map(ContactSide::Fluid)).collect()
    }

    /// Hands settings, composites and user code to the engine before a model is built.
    pub(super) fn prepare_contact(&mut self, owners: &[ContactSide]) -> Result<()> {
        let mut composites = Vec::new();
        for spec in self.contact_pairs() {
            let Some([a, b]) = &spec.materials else { continue };
            let (Some(a), Some(b)) = (self.objects.material_ids.get(a), self.objects.material_ids.get(b))
            else {
                continue;
            };
            let materials = (self.objects.assembly.material(*a), self.objects.assembly.material(*b));
            if let (Some(ma), Some(mb)) = materials {
                let mut composite = combine(&ma.material, &mb.material)?;
                composite.take(spec);
                composites.push((*a, *b, composite));
            }
        }
        let collision = &mut self.objects.assembly.collision;
        collision.settings = self.settings.contact;
        collision.composites = composites;
        collision.callback = self.extensions.callback.clone().map(|user| {
            Arc::new(ShapeCallback { user, owners: owners.to_vec() }) as Arc<dyn contact::ContactCallback>
        });
        Ok(())
    }

    /// Warns of bodies that overlap deeply at the start.
    pub(super) fn warn_about_overlaps(&mut self) {
        let Some(s) = &self.motion.simulation else { return };
        let Some(model) = s.mechanism.model.contact() else { return };
        let found = {
            let mut evaluator = s.evaluate();
            model.deep_overlaps(&self.exec, evaluator.stepper.system().frames())
        };
        let Some(Overlap { depth: worst, .. }) = found.first() else { return };
        let name = |proxy: u32| self.side_name(s.proxy_owners[proxy as usize]);
        let named: Vec<String> = found
            .iter()
            .take(NAMED_PAIRS)
            .map(|Overlap { proxies: [a, b], depth }| {
                format!("'{}' and '{}' by {depth:.3e} m", name(*a), name(*b))
            })
            .collect();
        let more = match found.len() - named.len() {
            0 => String::new(),
            n => format!(" and {n} more pairs (at most {worst:.3e} m)"),
        };
        let warning = format!(
            "bodies overlap deeply at the start: {}{more}; they will be pushed apart: move them if this is not intended",
            named.join(", ")
        );
        self.reports.warnings.push_of(WarningKind::Overlap, warning);
        self.reports.energy.stop();
    }

    /// Name of a body or structure that touches.
    pub fn side_name(&self, side: ContactSide) -> String {
        match side {
            ContactSide::Body(id) => self.body_name(id),
            ContactSide::Structure(id) => self.objects.structure_name(id),
            ContactSide::Fluid(id) => self.fluid_of(id).map_or(String::new(), |set| set.name().to_owned()),
        }
    }

    pub(super) fn body_name(&self, body: BodyId) -> String {
        self.objects.assembly.body(body).map_or(String::new(), |b| b.name.clone())
    }

    /// Names of the bodies that a body touched in the last step, in words; empty where there are none.
    pub(super) fn touching(&self, body: BodyId) -> String {
        let touched = self.motion.simulation.as_ref().map(|s| s.touched(body)).unwrap_or_default();
        let names: Vec<String> = self
            .objects
            .bodies
            .iter()
            .filter(|(id, _)| touched.contains(&id.index()))
            .map(|(_, spec)| format!("'{}'", spec.name))
            .collect();
        match names.len() {
            0 => String::new(),
            n if n > 8 => format!("{} and {} more", names[..8].join(", "), n - 8),
            _ => names.join(", "),
        }
    }

    /// Contacts of the last step that carry a force or overlap.
    pub fn contacts(&self) -> Vec<ContactReport> {
        self.motion.simulation.as_ref().map(Simulation::contacts).unwrap_or_default()
    }

    /// Force [N] and torque about the centre of mass [N·m] on a body from all its contacts, world axes.
    pub fn body_contact_force(&self, body: BodyId) -> Result<([f64; 3], [f64; 3])> {
        let center = self.body_center(body)?;
        let contacts = self.contacts();
        let force = force_on(&contacts, body, None);
        Ok((force.to_array(), torque_on(&contacts, body, None, center).to_array()))
    }

    /// Force that body `other` exerts on `body` [N], world axes.
    pub fn pair_contact_force(&self, body: BodyId, other: BodyId) -> [f64; 3] {
        force_on(&self.contacts(), body, Some(other)).to_array()
    }

    /// Contact statistics since the world was created.
    pub fn contact_statistics(&self) -> &ContactStatistics {
        &self.reports.statistics
    }

    /// Brings the warnings about contact up to date; called at the end of a run.
    pub(crate) fn warn_about_contact(&mut self) {
        let quiet = self.settings.contact.rigid.on_failure == OnFailure::Accept;
        let missed = missed_warning(&self.reports.statistics).filter(|_| !quiet);
        // Both go before either comes, so that they keep their order.
        self.reports.warnings.replace(About::ContactSolver, None);
        self.reports.warnings.replace(About::ContactStep, None);
        self.reports.warnings.replace(About::ContactSolver, missed);
        self.reports.warnings.replace(About::ContactStep, step_warning(&self.reports.statistics));
    }

    pub(super) fn is_explicit(integrator: &Integrator) -> bool {
        matches!(integrator, Integrator::Rk4 | Integrator::Heun | Integrator::Leapfrog)
    }
}
