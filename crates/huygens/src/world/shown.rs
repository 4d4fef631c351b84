//! The frames of a recording: what is shown, and how each group is filled.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;
use huygens_multibody::BodyId;
use huygens_record::{ABSENT, Field, Frame, Group, GroupFrame, GroupKeys, GroupKind, Scalar, Stage};

use super::stage::{field, single, turned};
use super::{Object, Result, World};

/// What a recording shows of one kind of thing.
pub(super) trait Shown: Send + Sync {
    /// The groups that the recording describes once, and what tells them and their items from others of their names.
    fn groups(&self, world: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)>;
    /// Whether the groups still have these items.
    fn is_current(&self, _world: &World) -> bool {
        true
    }
    /// Writes the present moment into these groups, which come without values.
    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()>;
}

/// Numbers of objects: one that gets the name of another that is gone has another number.
#[derive(Default)]
pub(super) struct Numbers {
    objects: BTreeMap<String, Numbered>,
    last: u64,
    /// Stages made before this one.
    stages: u64,
}

struct Numbered {
    object: Object,
    number: u64,
    /// Stages made before its first.
    since: u64,
}

impl Numbers {
    /// Numbers for the objects of now; those that are there as before keep theirs.
    fn of<'a>(mut before: Self, objects: impl Iterator<Item = (&'a String, &'a Object)>) -> Self {
        let mut numbers = Self { objects: BTreeMap::new(), last: before.last, stages: before.stages + 1 };
        for (name, object) in objects {
            let known = before.objects.remove(name).filter(|known| known.object == *object);
            let numbered = known.unwrap_or_else(|| {
                numbers.last += 1;
                Numbered { object: *object, number: numbers.last, since: before.stages }
            });
            numbers.objects.insert(name.clone(), numbered);
        }
        numbers
    }

    /// Whether a body came with a set of grains or a fluid, or later, so that it can show walls of the set as its own
    /// shapes: those are told when it comes.
    pub fn carries(&self, body: &str, set: &str) -> bool {
        let since = |name: &str| self.objects.get(name).map_or(0, |known| known.since);
        since(body) >= since(set)
    }

    /// Number of an object; 0 if there is none of that name.
    pub fn number(&self, name: &str) -> u64 {
        self.objects.get(name).map_or(0, |known| known.number)
    }

    /// Key of a group of an object whose items are not told apart.
    pub fn group(&self, name: &str) -> GroupKeys {
        GroupKeys { group: self.number(name), items: Vec::new() }
    }

    /// Keys of a group that is always there, of items of these objects.
    pub fn items<'a>(&self, names: impl Iterator<Item = &'a str>) -> GroupKeys {
        GroupKeys { group: 0, items: names.map(|name| self.number(name)).collect() }
    }
}

/// What is written into every frame.
#[derive(Default)]
pub(super) struct StagePlan {
    shown: Vec<(Range<usize>, Box<dyn Shown>)>,
    /// Group of the contacts.
    contacts: Option<usize>,
    /// Names of the columns of probes.
    probes: Vec<String>,
    pub numbers: Numbers,
    /// Places of the stems of names in the palette, in the order in which they came.
    pub stems: BTreeMap<String, usize>,
    /// Name of the run.
    pub name: String,
}

impl StagePlan {
    /// Of a recording that begins.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A plan of the present objects that goes on with the numbers and colours of another.
    pub fn after(world: &World, before: Self) -> Self {
        let numbers = Numbers::of(before.numbers, world.objects.names.iter());
        Self { numbers, stems: before.stems, name: before.name, ..Self::default() }
    }

    /// Adds the groups of something shown to the stage, and answers with their places.
    pub fn show(&mut self, world: &World, stage: &mut Stage, shown: impl Shown + 'static) -> Range<usize> {
        let first = stage.groups.len();
        for (group, keys) in shown.groups(world, &self.numbers) {
            stage.groups.push(group);
            stage.keys.groups.push(keys);
        }
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

/// Writes an item that is gone before the next stage is made, by a position, a rotation, and as many vectors as it has.
pub(super) fn absent(fields: &mut [Vec<f32>]) {
    fields.iter_mut().zip([3, 4, 3, 3]).for_each(|(field, n)| field.extend(&[ABSENT; 4][..n]));
}

/// Bodies.
pub(super) struct Bodies(pub Vec<BodyId>);

impl Shown for Bodies {
    fn groups(&self, world: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)> {
        let fields = vec![
            field("position", "m", 3),
            field("rotation", "", 4),
            field("velocity", "m/s", 3),
            field("angular_velocity", "rad/s", 3),
        ];
        let names: Vec<String> = world.objects.bodies.iter().map(|(_, spec)| spec.name.clone()).collect();
        let keys = numbers.items(names.iter().map(String::as_str));
        vec![(Group { names, ..group("bodies", GroupKind::Bodies, fields) }, keys)]
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let [GroupFrame { count, fields }] = groups else { return Ok(()) };
        *count = self.0.len();
        for id in &self.0 {
            let Ok(m) = world.body_motion(*id) else {
                absent(fields);
                continue;
            };
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
    fn groups(&self, _: &World, _: &Numbers) -> Vec<(Group, GroupKeys)> {
        let fields = vec![
            field("position", "m", 3),
            field("normal", "", 3),
            field("force", "N", 3),
            field("gap", "m", 1),
            field("a", "", 1),
            field("b", "", 1),
        ];
        vec![(group("contacts", GroupKind::Contacts, fields), GroupKeys::default())]
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

/// A point of a body, or of the world.
type End = (Option<BodyId>, DVec3);

/// Springs and ropes: their names, and their ends.
pub(super) struct Lines(pub Vec<(String, [End; 2])>);

impl Shown for Lines {
    fn groups(&self, _: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)> {
        // Both ends bear the name.
        let names: Vec<String> = self.0.iter().flat_map(|(name, _)| [name.clone(), name.clone()]).collect();
        let keys = numbers.items(names.iter().map(String::as_str));
        vec![(Group { names, ..group("lines", GroupKind::Nodes, vec![field("position", "m", 3)]) }, keys)]
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let [GroupFrame { count, fields }] = groups else { return Ok(()) };
        *count = 2 * self.0.len();
        for (body, point) in self.0.iter().flat_map(|(_, ends)| ends) {
            let place = match body {
                Some(body) => world
                    .body_motion(*body)
                    .map_or(DVec3::splat(f64::from(ABSENT)), |m| m.position + m.rotation * *point),
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
    /// Objects and probes go by their names and handles: what came after the stage was made is not shown, and what is
    /// gone has no numbers. [`World::stage_change`] makes the stage of now.
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
        self.record_probes(plan, frame)
    }

    /// Whether the last [`World::stage`] still shows what there is.
    pub(super) fn stage_is_current(&self) -> bool {
        let plan = &self.recording.stage_plan;
        let known = plan.numbers.objects.iter().map(|(name, known)| (name, &known.object));
        known.eq(self.objects.names.iter())
            && self.probe_columns_are(&plan.probes)
            && plan.shown.iter().all(|(_, shown)| shown.is_current(self))
    }

    fn probe_columns_are(&self, names: &[String]) -> bool {
        let columns = self.motion.simulation.as_ref().map_or(&[][..], |s| &s.probes);
        columns.iter().map(|p| p.column.name.as_str()).eq(names.iter().map(String::as_str))
    }

    fn record_probes(&mut self, plan: &StagePlan, frame: &mut Frame) -> Result<()> {
        if self.probe_columns_are(&plan.probes) {
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
}
