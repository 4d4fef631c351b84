//! What a program shows of a recording's stage now, and what changes when it shows something else.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::growth::{Growth, alike};
use super::places::{GroupPlaces, Places, bodies, known_items};
use super::stage::{Batch, Cells, Group, GroupKeys, GroupKind, JointMark, Mesh, Scalar, Skin, Stage, Tubes};

/// What is on the stage of a recording, and what of it a program shows now.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    /// Everything that was ever shown.
    pub stage: Stage,
    /// Where the frames of now belong.
    pub places: Places,
    /// What the program said last that it shows: its groups are those of the frames.
    now: Stage,
    /// Joint of the stage, one per joint of now.
    joints: Vec<u32>,
}

impl Cast {
    /// Of a recording that begins.
    pub fn new(stage: &Stage) -> Self {
        let joints = (0..stage.joints.len() as u32).collect();
        Self { stage: stage.clone(), places: Places::whole(stage), now: stage.clone(), joints }
    }

    /// Of a recording that is taken up again: what its last frames show.
    pub fn taken_up(stage: Stage, places: Places) -> Self {
        let groups = places.groups.iter().map(|place| {
            let group = &stage.groups[place.group];
            let picked = |values: &[f32], components: usize| match &place.items {
                None => values.to_vec(),
                Some(items) => {
                    let of = |item: usize| values.get(item * components..(item + 1) * components);
                    items.iter().flat_map(|item| of(*item as usize).unwrap_or_default()).copied().collect()
                }
            };
            let names = match &place.items {
                Some(items) if !group.names.is_empty() => {
                    let name = |item: &u32| group.names.get(*item as usize).cloned().unwrap_or_default();
                    items.iter().map(name).collect()
                }
                _ => group.names.clone(),
            };
            let constants = group.constants.iter().zip(&group.constant_values);
            let constant_values = constants.map(|(field, values)| picked(values, field.components)).collect();
            Group { name: place.name.clone(), names, constant_values, ..group.clone() }
        });
        let mut now = Stage { groups: groups.collect(), ..Stage::default() };
        now.scalars = places.scalars.iter().map(|scalar| stage.scalars[*scalar as usize].clone()).collect();
        let there = stage.joints.iter().enumerate().filter(|(_, joint)| joint.until.is_none());
        let joints: Vec<u32> = there.map(|(number, _)| number as u32).collect();
        now.joints = joints.iter().map(|joint| stage.joints[*joint as usize].clone()).collect();
        (now.name, now.up) = (stage.name.clone(), stage.up);
        Self { stage, places, now, joints }
    }

    /// Whether a program may continue the recording: it has the name and the upward direction of the stage, and
    /// shows some of the things that the last frames show.
    pub fn may_go_on(&self, stage: &Stage) -> bool {
        let things = |stage: &Stage| -> BTreeSet<(String, String)> {
            let of = |group: &Group| {
                let name = group.name.clone();
                let items: Vec<_> = group.names.iter().map(|item| (name.clone(), item.clone())).collect();
                items
            };
            let named: BTreeSet<_> = stage.groups.iter().flat_map(of).collect();
            if !named.is_empty() {
                return named;
            }
            stage.groups.iter().map(|group| (group.name.clone(), String::new())).collect()
        };
        let (known, new) = (things(&self.now), things(stage));
        let shared = known.is_empty() || known.intersection(&new).next().is_some();
        (&self.stage.name, self.stage.up) == (&stage.name, stage.up) && shared
    }

    /// What changes when the program shows `stage` after `before` [s] and not later than `time` [s]; none where
    /// nothing does.
    pub fn change(&self, stage: &Stage, before: Option<f64>, time: f64) -> Option<Growth> {
        let at = before.map_or(time, |before| before + 0.5 * (time - before));
        let mut change = Change::new(self, stage);
        stage.groups.iter().enumerate().for_each(|(number, group)| change.take_group(number, group));
        change.take_scalars();
        change.take_shapes();
        change.take_joints(before.map(|_| at));
        let growth = Growth { at, ..change.growth };
        let empty = growth.extends.is_empty()
            && growth.ended.is_empty()
            && growth.added.joints.is_empty()
            && growth.added.scalars.is_empty()
            && growth.places == self.places;
        (!empty).then_some(growth)
    }

    /// Makes a change of [`Cast::change`], as read back from its bytes.
    pub fn make(&mut self, growth: &Growth, stage: &Stage) -> Result<(), String> {
        let first = self.stage.joints.len() as u32;
        growth.apply(&mut self.stage)?;
        self.joints = self.joint_places(stage, first);
        self.places = growth.places.clone();
        self.note(stage);
        Ok(())
    }

    /// Notes that the program shows this now, of which nothing is new.
    pub fn note(&mut self, stage: &Stage) {
        let Stage { groups, scalars, joints, keys, .. } = stage;
        let (groups, scalars) = (groups.clone(), scalars.clone());
        let (joints, keys) = (joints.clone(), keys.clone());
        self.now = Stage { groups, scalars, joints, keys, ..Stage::default() };
    }

    /// Number of an item of the stage among those of now.
    pub fn number_now(&self, group: &str, item: usize) -> Option<usize> {
        let place = self.places.groups.iter().find(|place| self.stage.groups[place.group].name == group)?;
        let count = || self.now.groups.iter().find(|now| now.name == place.name).map(known_items);
        match &place.items {
            None => (item < count()?).then_some(item),
            Some(items) => items.iter().position(|of| *of as usize == item),
        }
    }

    /// Joint of the stage for each of `stage`; those that are new follow from `first` on.
    fn joint_places(&self, stage: &Stage, first: u32) -> Vec<u32> {
        let mut next = first;
        let places = self.known_joints(stage).into_iter().map(|known| {
            known.unwrap_or_else(|| {
                next += 1;
                next - 1
            })
        });
        places.collect()
    }

    /// Joint of the stage for each of `stage` that was there before.
    fn known_joints(&self, stage: &Stage) -> Vec<Option<u32>> {
        let names = |stage: &Stage| stage.joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
        let (known, new) = (names(&self.now), names(stage));
        let found = matched((&known, &self.now.keys.joints), (&new, &stage.keys.joints));
        found.into_iter().map(|number| number.map(|number| self.joints[number])).collect()
    }
}

/// For each of some new things its number among the known ones: by keys where both have them, and by names; of
/// several of one name, the first is the first.
fn matched(known: (&[String], &[u64]), new: (&[String], &[u64])) -> Vec<Option<usize>> {
    let length = |(names, keys): (&[String], &[u64])| names.len().max(keys.len());
    let keyed = |(_, keys): (&[String], &[u64]), count: usize| count > 0 && keys.len() == count;
    let (known_count, new_count) = (length(known), length(new));
    let by_keys = keyed(known, known_count) && keyed(new, new_count);
    let name = |names: &[String], number: usize| names.get(number).cloned().unwrap_or_default();
    let key = |(names, keys): (&[String], &[u64]), number: usize| {
        (if by_keys { keys[number] } else { 0 }, name(names, number))
    };
    let mut places: BTreeMap<(u64, String), VecDeque<usize>> = BTreeMap::new();
    (0..known_count).for_each(|number| places.entry(key(known, number)).or_default().push_back(number));
    (0..new_count).map(|number| places.get_mut(&key(new, number))?.pop_front()).collect()
}

/// A change on its way.
struct Change<'a> {
    cast: &'a Cast,
    stage: &'a Stage,
    growth: Growth,
    /// Groups of the stage, with those added so far.
    names: BTreeSet<String>,
    group_count: usize,
    /// Known groups that are still to be found.
    left: Vec<bool>,
    /// Item of the stage, and whether it is new, one list per group of the program.
    items: Vec<Items>,
}

/// Items of one group.
enum Items {
    /// Each keeps its number; whether all are new.
    AsTheyCome { new: bool },
    /// Item of the stage, and whether it is new.
    Told(Vec<(u32, bool)>),
}

impl Items {
    fn of(&self, item: u32) -> Option<(u32, bool)> {
        match self {
            Self::AsTheyCome { new } => Some((item, *new)),
            Self::Told(items) => items.get(item as usize).copied(),
        }
    }
}

impl<'a> Change<'a> {
    fn new(cast: &'a Cast, stage: &'a Stage) -> Self {
        Self {
            cast,
            stage,
            growth: Growth::default(),
            names: cast.stage.groups.iter().map(|group| group.name.clone()).collect(),
            group_count: cast.stage.groups.len(),
            left: vec![true; cast.now.groups.len()],
            items: Vec::new(),
        }
    }

    /// Number of the known group that a group is.
    fn known(&self, number: usize, group: &Group) -> Option<usize> {
        let key = |stage: &Stage, number: usize| stage.keys.groups.get(number).map(|keys| keys.group);
        let (cast, new_key) = (self.cast, key(self.stage, number));
        (0..cast.now.groups.len()).find(|&other| {
            let known = &cast.now.groups[other];
            let same_key = match (key(&cast.now, other), new_key) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            };
            let told = self.item_keys(number).is_some() && item_keys(&cast.now, other).is_some();
            let same_items = told
                || !group.names.is_empty()
                || known.names.is_empty() && bits(&known.constant_values) == bits(&group.constant_values);
            self.left[other] && known.name == group.name && same_key && alike(known, group) && same_items
        })
    }

    fn item_keys(&self, number: usize) -> Option<&'a [u64]> {
        item_keys(self.stage, number)
    }

    fn take_group(&mut self, number: usize, group: &'a Group) {
        let Some(known) = self.known(number, group) else {
            return self.add_group(group);
        };
        self.left[known] = false;
        let place = &self.cast.places.groups[known];
        let on_stage = &self.cast.stage.groups[place.group];
        let name = group.name.clone();
        let keys = (item_keys(&self.cast.now, known), self.item_keys(number));
        if group.names.is_empty() && (keys.0.is_none() || keys.1.is_none()) {
            self.growth.places.groups.push(GroupPlaces { name, ..place.clone() });
            let told = |items: &Vec<u32>| Items::Told(items.iter().map(|item| (*item, false)).collect());
            self.items.push(place.items.as_ref().map_or(Items::AsTheyCome { new: false }, told));
            return;
        }
        let known_names = &self.cast.now.groups[known].names;
        let found =
            matched((known_names, keys.0.unwrap_or_default()), (&group.names, keys.1.unwrap_or_default()));
        let before = |number: usize| place.items.as_ref().map_or(number as u32, |items| items[number]);
        let mut next = known_items(on_stage) as u32;
        let items: Vec<(u32, bool)> = found
            .into_iter()
            .map(|known| {
                known.map_or_else(
                    || {
                        next += 1;
                        (next - 1, true)
                    },
                    |known| (before(known), false),
                )
            })
            .collect();
        let new: Vec<usize> = (0..items.len()).filter(|item| items[*item].1).collect();
        if !new.is_empty() {
            self.growth.extends.push(place.group);
            self.growth.added.groups.push(part_of(group, &new));
        }
        let in_order =
            next as usize == items.len() && items.iter().zip(0..).all(|((item, _), at)| *item == at);
        let told = (!in_order).then(|| items.iter().map(|(item, _)| *item).collect());
        self.growth.places.groups.push(GroupPlaces { group: place.group, name, items: told });
        self.items.push(Items::Told(items));
    }

    /// A group that was not there just now.
    fn add_group(&mut self, group: &'a Group) {
        // Items with names, and contacts, can be told from those that were in a group of that name long ago.
        let told = !group.names.is_empty() || group.kind == GroupKind::Contacts;
        let used = |number: usize| {
            let used = |places: &[GroupPlaces]| places.iter().any(|place| place.group == number);
            used(&self.cast.places.groups) || used(&self.growth.places.groups)
        };
        let again = self.cast.stage.groups.iter().enumerate().find(|(number, known)| {
            told && known.name == group.name && alike(known, group) && !used(*number)
        });
        if let Some((number, known)) = again {
            return self.come_back(number, known_items(known) as u32, group);
        }
        let others = (2..).map(|number| format!("{} ({number})", group.name));
        let free = std::iter::once(group.name.clone()).chain(others).find(|name| !self.names.contains(name));
        let name = free.unwrap_or_default();
        self.names.insert(name.clone());
        self.growth.extends.push(self.group_count);
        self.growth.added.groups.push(Group { name, ..group.clone() });
        let place = GroupPlaces { group: self.group_count, name: group.name.clone(), items: None };
        self.growth.places.groups.push(place);
        self.items.push(Items::AsTheyCome { new: true });
        self.group_count += 1;
    }

    /// A group of the stage that has items again, all of them new.
    fn come_back(&mut self, number: usize, first: u32, group: &Group) {
        let items: Vec<(u32, bool)> = (first..).take(group.names.len()).map(|item| (item, true)).collect();
        let told = (!items.is_empty()).then(|| items.iter().map(|(item, _)| *item).collect());
        if !items.is_empty() {
            self.growth.extends.push(number);
            self.growth.added.groups.push(group.clone());
        }
        self.growth.places.groups.push(GroupPlaces { group: number, name: group.name.clone(), items: told });
        self.items.push(if items.is_empty() { Items::AsTheyCome { new: false } } else { Items::Told(items) });
    }

    fn take_scalars(&mut self) {
        let now = &self.cast.now.scalars;
        let mut known = self.cast.stage.scalars.clone();
        for scalar in &self.stage.scalars {
            if let Some(number) = now.iter().position(|other| other == scalar) {
                self.growth.places.scalars.push(self.cast.places.scalars[number]);
                continue;
            }
            let place = known.iter().position(|other| other == scalar).unwrap_or_else(|| {
                let taken = |name: &String| known.iter().any(|other| other.name == *name);
                let others = (2..).map(|number| format!("{} ({number})", scalar.name));
                let free = std::iter::once(scalar.name.clone()).chain(others).find(|name| !taken(name));
                let new = Scalar { name: free.unwrap_or_default(), unit: scalar.unit.clone() };
                self.growth.added.scalars.push(new.clone());
                known.push(new);
                known.len() - 1
            });
            self.growth.places.scalars.push(place as u32);
        }
    }

    /// Number on the stage of a group of the program.
    fn group(&self, number: usize) -> usize {
        self.growth.places.groups[number].group
    }

    /// Whether a group of the program is new as a whole.
    fn is_new(&self, number: usize) -> bool {
        self.group(number) >= self.cast.stage.groups.len()
    }

    fn take_shapes(&mut self) {
        let mut looks = BTreeMap::new();
        let mut meshes = BTreeMap::new();
        for batch in &self.stage.batches {
            let items = &self.items[batch.group];
            let told: Vec<(usize, u32)> = (0..batch.items.len())
                .filter_map(|shape| match items.of(batch.items[shape])? {
                    (item, true) => Some((shape, item)),
                    _ => None,
                })
                .collect();
            if told.is_empty() {
                continue;
            }
            let group = self.group(batch.group);
            let mesh = batch.mesh.map(|mesh| {
                *meshes.entry(mesh).or_insert_with(|| self.growth.mesh(self.cast, self.stage, mesh))
            });
            let part = |values: &[f32], each: usize| -> Vec<f32> {
                let of = |shape: usize| values.get(each * shape..each * (shape + 1)).unwrap_or_default();
                told.iter().flat_map(|(shape, _)| of(*shape)).copied().collect()
            };
            let (sizes, positions) = (part(&batch.sizes, batch.kind.size_len()), part(&batch.positions, 3));
            let rotations = part(&batch.rotations, 4);
            let items = told.iter().map(|(_, item)| *item).collect();
            let used: Vec<usize> = told.iter().map(|(shape, _)| batch.looks[*shape] as usize).collect();
            let looks =
                used.into_iter().map(|look| self.growth.look(self.cast, self.stage, &mut looks, look) as u32);
            let looks = looks.collect();
            let (kind, visual) = (batch.kind, batch.visual);
            self.growth.added.batches.push(Batch {
                kind,
                group,
                mesh,
                visual,
                items,
                looks,
                sizes,
                positions,
                rotations,
            });
        }
        for skin in &self.stage.skins {
            if !self.is_new(skin.group) {
                continue;
            }
            let look = self.growth.look(self.cast, self.stage, &mut looks, skin.look);
            let group = self.group(skin.group);
            self.growth.added.skins.push(Skin { group, look, ..skin.clone() });
        }
        for tubes in &self.stage.tubes {
            let items = &self.items[tubes.group];
            let ends = tubes.segments.chunks_exact(2).filter_map(|ends| {
                let [(a, a_new), (b, b_new)] = [items.of(ends[0])?, items.of(ends[1])?];
                (a_new || b_new).then_some([a, b])
            });
            let segments: Vec<u32> = ends.flatten().collect();
            if !segments.is_empty() {
                let look = self.growth.look(self.cast, self.stage, &mut looks, tubes.look);
                let group = self.group(tubes.group);
                self.growth.added.tubes.push(Tubes { group, look, segments, ..tubes.clone() });
            }
        }
        for cells in &self.stage.cells {
            if !self.is_new(cells.elements) {
                continue;
            }
            let (group, elements) = (self.group(cells.group), self.group(cells.elements));
            self.growth.added.cells.push(Cells { group, elements, ..cells.clone() });
        }
    }

    fn take_joints(&mut self, since: Option<f64>) {
        let known = self.cast.known_joints(self.stage);
        let bodies = bodies(self.stage).map(|group| &self.items[group]);
        let item = |item: Option<u32>| bodies.and_then(|items| items.of(item?)).map(|(item, _)| item);
        let new = self.stage.joints.iter().zip(&known).filter(|(_, known)| known.is_none());
        let marks =
            new.map(|(joint, _)| JointMark { a: item(joint.a), b: item(joint.b), since, ..joint.clone() });
        self.growth.added.joints = marks.collect();
        let kept: BTreeSet<u32> = known.into_iter().flatten().collect();
        self.growth.ended = self.cast.joints.iter().copied().filter(|joint| !kept.contains(joint)).collect();
    }
}

impl Growth {
    /// Number of a look of the program on the grown stage; one like it may be there.
    fn look(&mut self, cast: &Cast, stage: &Stage, found: &mut BTreeMap<usize, usize>, look: usize) -> usize {
        *found.entry(look).or_insert_with(|| {
            let wanted = &stage.looks[look];
            let known = &cast.stage.looks;
            let all = known.iter().chain(&self.added.looks);
            all.clone().position(|other| other == wanted).unwrap_or_else(|| {
                self.added.looks.push(wanted.clone());
                known.len() + self.added.looks.len() - 1
            })
        })
    }

    /// Number of a mesh of the program on the grown stage; one of the same triangles may be there.
    fn mesh(&mut self, cast: &Cast, stage: &Stage, mesh: usize) -> usize {
        let wanted = &stage.meshes[mesh];
        let known = &cast.stage.meshes;
        let same = |other: &Mesh| {
            (&other.vertices, &other.triangles, other.crease)
                == (&wanted.vertices, &wanted.triangles, wanted.crease)
        };
        let all = known.iter().chain(&self.added.meshes);
        all.clone().position(same).unwrap_or_else(|| {
            let number = known.len() + self.added.meshes.len();
            let taken = |name: &String| known.iter().any(|other| other.name == *name);
            let name = if taken(&wanted.name) { format!("mesh {number}") } else { wanted.name.clone() };
            self.added.meshes.push(Mesh { name, ..wanted.clone() });
            number
        })
    }
}

fn item_keys(stage: &Stage, group: usize) -> Option<&[u64]> {
    let GroupKeys { items, .. } = stage.keys.groups.get(group)?;
    (!items.is_empty()).then_some(&items[..])
}

fn bits(values: &[Vec<f32>]) -> Vec<Vec<u32>> {
    values.iter().map(|values| values.iter().map(|value| value.to_bits()).collect()).collect()
}

/// Some items of a group.
fn part_of(group: &Group, items: &[usize]) -> Group {
    let names = items.iter().filter_map(|item| group.names.get(*item).cloned()).collect();
    let constants = group.constants.iter().zip(&group.constant_values).map(|(field, values)| {
        let of = |item: usize| values.get(item * field.components..(item + 1) * field.components);
        items.iter().flat_map(|item| of(*item).unwrap_or_default()).copied().collect()
    });
    let constant_values = constants.collect();
    Group { names, constant_values, ..group.clone() }
}
