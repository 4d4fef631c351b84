//! The frames of a recording: what is shown, and how each group is filled.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;
use huygens_multibody::BodyId;
use huygens_record::{Field, Frame, Group, GroupFrame, GroupKind, Scalar, Stage};

use super::stage::{field, single, turned};
use super::warnings::About;
use super::{Object, Result, World};

/// What a recording shows of one kind of thing.
pub(super) trait Shown: Send + Sync {
    /// The groups that the recording describes once.
    fn groups(&self, world: &World) -> Vec<Group>;
    /// Writes the present moment into these groups, which come without values.
    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()>;
}

/// What is written into every frame.
#[derive(Default)]
pub(super) struct StagePlan {
    shown: Vec<(Range<usize>, Box<dyn Shown>)>,
    /// Group of the contacts.
    contacts: Option<usize>,
    /// Names of the columns of probes.
    probes: Vec<String>,
    /// Names of all objects.
    objects: Vec<String>,
}

impl StagePlan {
    /// Adds the groups of something shown to the stage, and answers with their places.
    pub fn show(&mut self, world: &World, stage: &mut Stage, shown: impl Shown + 'static) -> Range<usize> {
        let first = stage.groups.len();
        stage.groups.extend(shown.groups(world));
        let places = first..stage.groups.len();
        self.shown.push((places.clone(), Box::new(shown)));
        places
    }

    /// Adds the numbers of the whole world to the stage.
    pub fn list(&mut self, world: &World, stage: &mut Stage, contacts: Option<usize>) -> Result<()> {
        let scalar = |name: &str, unit: &str| Scalar { name: name.into(), unit: unit.into() };
        let energies = ["kinetic energy", "potential energy", "elastic energy"];
        stage.scalars.extend(energies.map(|name| scalar(name, "J")));
        if contacts.is_some() {
            stage.scalars.push(scalar("contacts", ""));
        }
        let columns = world.probe_columns()?;
        stage.scalars.extend(columns.iter().map(|c| scalar(&c.name, c.unit)));
        self.contacts = contacts;
        self.probes = columns.into_iter().map(|c| c.name).collect();
        self.objects = world.objects.names.keys().cloned().collect();
        Ok(())
    }
}

/// A group whose items have no names and nothing that stays.
pub(super) fn group(name: &str, kind: GroupKind, fields: Vec<Field>) -> Group {
    Group {
        name: name.into(),
        kind,
        names: Vec::new(),
        fields,
        constants: Vec::new(),
        constant_values: Vec::new(),
    }
}

/// Bodies.
pub(super) struct Bodies(pub Vec<BodyId>);

impl Shown for Bodies {
    fn groups(&self, world: &World) -> Vec<Group> {
        let fields = vec![
            field("position", "m", 3),
            field("rotation", "", 4),
            field("velocity", "m/s", 3),
            field("angular_velocity", "rad/s", 3),
        ];
        let names = world.objects.bodies.iter().map(|(_, spec)| spec.name.clone()).collect();
        vec![Group { names, ..group("bodies", GroupKind::Bodies, fields) }]
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let [GroupFrame { count, fields }] = groups else { return Ok(()) };
        *count = self.0.len();
        for id in &self.0 {
            let m = world.body_motion(*id)?;
            fields[0].extend(single(m.position));
            fields[1].extend(turned(m.rotation));
            fields[2].extend(single(m.velocity));
            fields[3].extend(single(m.angular_velocity));
        }
        Ok(())
    }
}

/// Contacts of bodies; `places` are the items of the bodies.
pub(super) struct Contacts {
    pub places: BTreeMap<usize, usize>,
}

impl Shown for Contacts {
    fn groups(&self, _: &World) -> Vec<Group> {
        let fields = vec![
            field("position", "m", 3),
            field("normal", "", 3),
            field("force", "N", 3),
            field("gap", "m", 1),
            field("a", "", 1),
            field("b", "", 1),
        ];
        vec![group("contacts", GroupKind::Contacts, fields)]
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let [GroupFrame { count, fields }] = groups else { return Ok(()) };
        let contacts = world.contacts();
        *count = contacts.len();
        for c in &contacts {
            fields[0].extend(c.point.map(|x| x as f32));
            fields[1].extend(c.normal.map(|x| x as f32));
            fields[2].extend(c.force.map(|x| x as f32));
            fields[3].push(c.gap as f32);
            for (field, body) in [(4, c.a), (5, c.b)] {
                let item = body.body().and_then(|id| self.places.get(&id.index()));
                fields[field].push(item.map_or(-1.0, |k| *k as f32));
            }
        }
        Ok(())
    }
}

/// Springs and ropes, by their ends: points of a body, or of the world.
pub(super) struct Lines(pub Vec<[(Option<BodyId>, DVec3); 2]>);

impl Shown for Lines {
    fn groups(&self, _: &World) -> Vec<Group> {
        vec![group("lines", GroupKind::Nodes, vec![field("position", "m", 3)])]
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let [GroupFrame { count, fields }] = groups else { return Ok(()) };
        *count = 2 * self.0.len();
        for (body, point) in self.0.iter().flatten() {
            let place = match body {
                Some(body) => {
                    let m = world.body_motion(*body)?;
                    m.position + m.rotation * *point
                }
                None => *point,
            };
            fields[0].extend(single(place));
        }
        Ok(())
    }
}

impl World {
    /// Writes the present moment into a frame of the last [`World::stage`].
    ///
    /// Objects and probes go by their names and handles: what was added after the stage was made is not shown, which
    /// [`World::warnings`] tells, and a probe that is there no more has no number.
    pub fn record(&mut self, frame: &mut Frame) -> Result<()> {
        let plan = std::mem::take(&mut self.recording.stage_plan);
        let done = self.record_planned(&plan, frame);
        self.recording.stage_plan = plan;
        done
    }

    fn record_planned(&mut self, plan: &StagePlan, frame: &mut Frame) -> Result<()> {
        frame.time = self.time();
        frame.step = self.step_count();
        frame.scalars.clear();
        let energy = self.energy()?;
        frame.scalars.extend([energy.kinetic, energy.potential, energy.elastic]);
        for (places, shown) in &plan.shown {
            let Some(groups) = frame.groups.get_mut(places.clone()) else { continue };
            for group in groups.iter_mut() {
                group.count = 0;
                group.fields.iter_mut().for_each(Vec::clear);
            }
            shown.write(self, groups)?;
        }
        let contacts = plan.contacts.and_then(|group| frame.groups.get(group));
        frame.scalars.extend(contacts.map(|group| group.count as f64));
        self.record_probes(plan, frame)?;
        self.warn_of_unrecorded(plan);
        Ok(())
    }

    fn record_probes(&mut self, plan: &StagePlan, frame: &mut Frame) -> Result<()> {
        let same = self.motion.simulation.as_ref().is_some_and(|s| {
            s.probes.iter().map(|p| p.column.name.as_str()).eq(plan.probes.iter().map(String::as_str))
        });
        if same {
            return self.probe_values(&mut frame.scalars);
        }
        let mut values = Vec::new();
        self.probe_values(&mut values)?;
        let named = |name: &String| {
            let s = self.motion.simulation.as_ref()?;
            values.get(s.probes.iter().position(|p| p.column.name == *name)?).copied()
        };
        frame.scalars.extend(plan.probes.iter().map(|name| named(name).unwrap_or(f64::NAN)));
        Ok(())
    }

    fn warn_of_unrecorded(&mut self, plan: &StagePlan) {
        // A stage that shows nothing was never made.
        if plan.shown.is_empty() || self.objects.names.keys().eq(&plan.objects) {
            return;
        }
        let unseen = |o: &Object| matches!(o, Object::Motor(_) | Object::Coupling(_) | Object::Shaft(_));
        let new: Vec<String> = self
            .objects
            .names
            .iter()
            .filter(|(name, object)| !unseen(object) && plan.objects.binary_search(name).is_err())
            .map(|(name, _)| format!("'{name}'"))
            .collect();
        if !new.is_empty() {
            self.reports.warnings.once(About::Unrecorded, || {
                format!(
                    "{} came after the recording began and cannot be seen in it; start the recording after adding objects",
                    new.join(", ")
                )
            });
        }
    }
}
