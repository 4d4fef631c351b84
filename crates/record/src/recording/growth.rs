//! Changes of the stage: what came, what went, and where the items of the frames that follow belong.
//!
//! A change is packed as a stage is: JSON and arrays. `added` is a stage whose indices are those of the grown stage;
//! `extends` names the group that each of its groups adds items to, or that it becomes. `ended` are joints that are
//! gone from the time `at` on. `groups` and `scalars` are the places of the frames that follow: of each group its group
//! on the stage, its name, and, where items changed their numbers, their items as pairs of a first item and a count.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::pack::{Arrays, stage_of, stage_value, unpacked};
use super::places::{GroupPlaces, Places};
use super::stage::{Batch, Group, Stage, Tubes};

/// One change of the stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Growth {
    /// What is new; its indices are those of the grown stage.
    pub added: Stage,
    /// Group of the stage that each of its groups adds items to, or becomes.
    pub extends: Vec<usize>,
    /// Joints that are gone.
    pub ended: Vec<u32>,
    /// Time between the frames before and after [s].
    pub at: f64,
    /// Where the frames after it belong.
    pub places: Places,
}

#[derive(Serialize, Deserialize)]
struct Head {
    extends: Vec<usize>,
    ended: Vec<u32>,
    at: f64,
    groups: Vec<(usize, String)>,
    scalars: Vec<u32>,
}

impl Growth {
    /// Packed bytes.
    pub fn pack(&self) -> Result<Vec<u8>, String> {
        let groups = self.places.groups.iter().map(|place| (place.group, place.name.clone())).collect();
        let (extends, ended) = (self.extends.clone(), self.ended.clone());
        let head = Head { extends, ended, at: self.at, groups, scalars: self.places.scalars.clone() };
        let mut value = serde_json::to_value(&head).map_err(|error| error.to_string())?;
        let mut arrays = Arrays::default();
        let items = self
            .places
            .groups
            .iter()
            .map(|place| place.items.as_ref().map_or(json!(null), |items| arrays.integers(&runs(items))));
        value["items"] = items.collect();
        value["added"] = stage_value(&self.added, &mut arrays)?;
        arrays.packed(&value)
    }

    /// Reads packed bytes; whether they fit a stage is known when they are applied.
    pub fn unpack(bytes: &[u8]) -> Result<Self, String> {
        let (value, mut arrays) = unpacked(bytes)?;
        let head = Head::deserialize(&value).map_err(|error| format!("JSON: {error}"))?;
        let mut groups = Vec::with_capacity(head.groups.len());
        for (number, (group, name)) in head.groups.into_iter().enumerate() {
            let entry = &value["items"][number];
            let items = if entry.is_null() { None } else { Some(items_of(&arrays.integers(entry)?)?) };
            groups.push(GroupPlaces { group, name, items });
        }
        let added = stage_of(&value["added"], &mut arrays)?;
        let places = Places { groups, scalars: head.scalars };
        Ok(Self { added, extends: head.extends, ended: head.ended, at: head.at, places })
    }

    /// Makes the change on the stage; where it does not fit, the stage is of no further use.
    pub fn apply(&self, stage: &mut Stage) -> Result<(), String> {
        if self.extends.len() != self.added.groups.len() {
            return Err(format!(
                "{} groups, of which {} are told",
                self.added.groups.len(),
                self.extends.len()
            ));
        }
        for (target, group) in self.extends.iter().zip(&self.added.groups) {
            let count = stage.groups.len();
            match stage.groups.get_mut(*target) {
                Some(known) => extend_group(known, group)?,
                None if *target == count => stage.groups.push(group.clone()),
                None => return Err(format!("group {target}, there are {count}")),
            }
        }
        let added = self.added.clone();
        stage.scalars.extend(added.scalars);
        stage.meshes.extend(added.meshes);
        stage.looks.extend(added.looks);
        added.batches.into_iter().for_each(|batch| extend_batches(&mut stage.batches, batch));
        stage.skins.extend(added.skins);
        for tubes in added.tubes {
            let same = |known: &&mut Tubes| {
                (known.group, known.look, known.radius.to_bits())
                    == (tubes.group, tubes.look, tubes.radius.to_bits())
            };
            match stage.tubes.iter_mut().find(same) {
                Some(known) => known.segments.extend(tubes.segments),
                None => stage.tubes.push(tubes),
            }
        }
        stage.cells.extend(added.cells);
        for joint in &self.ended {
            let count = stage.joints.len();
            let joint =
                stage.joints.get_mut(*joint as usize).ok_or(format!("joint {joint}, there are {count}"))?;
            joint.until = Some(self.at);
        }
        stage.joints.extend(added.joints);
        if !self.at.is_finite() {
            return Err(format!("its time is {}", self.at));
        }
        stage.check()?;
        self.places.check(stage)
    }
}

/// Ascending runs of items as pairs of the first and a count.
fn runs(items: &[u32]) -> Vec<u32> {
    let mut runs: Vec<u32> = Vec::new();
    for item in items {
        match runs.last_chunk_mut() {
            Some([first, count]) if first.checked_add(*count) == Some(*item) => *count += 1,
            _ => runs.extend([*item, 1]),
        }
    }
    runs
}

/// Inverse of [`runs`].
fn items_of(runs: &[u32]) -> Result<Vec<u32>, String> {
    /// Most items of a group whose numbers change.
    const LIMIT: u64 = 1 << 24;
    let total: u64 = runs.chunks_exact(2).map(|run| u64::from(run[1])).sum();
    if !runs.len().is_multiple_of(2) || total > LIMIT {
        return Err(format!("{total} items in {} numbers of runs, at most {LIMIT} are read", runs.len()));
    }
    let ends = |run: &[u32]| Some((run[0], run[0].checked_add(run[1])?));
    let ranges: Option<Vec<(u32, u32)>> = runs.chunks_exact(2).map(ends).collect();
    let ranges = ranges.ok_or("a run of items has no end")?;
    Ok(ranges.into_iter().flat_map(|(first, end)| first..end).collect())
}

fn extend_group(known: &mut Group, group: &Group) -> Result<(), String> {
    if !alike(known, group) {
        return Err(format!("group '{}' cannot get items of other fields", known.name));
    }
    known.names.extend(group.names.iter().cloned());
    for (known, values) in known.constant_values.iter_mut().zip(&group.constant_values) {
        known.extend(values);
    }
    Ok(())
}

fn extend_batches(batches: &mut Vec<Batch>, batch: Batch) {
    let same = |known: &&mut Batch| {
        (known.kind, known.group, known.mesh, known.visual)
            == (batch.kind, batch.group, batch.mesh, batch.visual)
            && known.positions.is_empty() == batch.positions.is_empty()
            && known.rotations.is_empty() == batch.rotations.is_empty()
    };
    match batches.iter_mut().find(same) {
        Some(known) => {
            known.items.extend(batch.items);
            known.looks.extend(batch.looks);
            known.sizes.extend(batch.sizes);
            known.positions.extend(batch.positions);
            known.rotations.extend(batch.rotations);
        }
        None => batches.push(batch),
    }
}

/// Whether items of one group can be items of another.
pub(crate) fn alike(a: &Group, b: &Group) -> bool {
    (a.kind, &a.fields, &a.constants) == (b.kind, &b.fields, &b.constants)
        && a.constant_values.len() == b.constant_values.len()
}
