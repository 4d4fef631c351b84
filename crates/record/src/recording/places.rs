//! Which items of the stage the frames of a recording hold.
//!
//! Frames hold what was there when they were written, and nothing else. Places say, from one change of the stage to
//! the next, which group of the stage each of their groups is, and which item each of their items.

use super::pack::{FrameHead, Layout};
use super::predict::Past;
use super::stage::{ABSENT, Frame, Group, GroupFrame, GroupKind, Stage};

/// Where the groups and scalars of some frames belong on the stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// One entry per group of the frames.
    pub groups: Vec<GroupPlaces>,
    /// Scalar of the stage, one per scalar of the frames.
    pub scalars: Vec<u32>,
}

/// Where the items of one group of some frames belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupPlaces {
    /// Group of the stage.
    pub group: usize,
    /// Its name in the program that recorded, which may have used the name before.
    pub name: String,
    /// Items of the stage, one per item of the frames; none where each keeps its number.
    pub items: Option<Vec<u32>>,
}

impl Places {
    /// Of frames that were written for this very stage.
    pub fn whole(stage: &Stage) -> Self {
        let group = |(group, of): (usize, &Group)| GroupPlaces { group, name: of.name.clone(), items: None };
        Self {
            groups: stage.groups.iter().enumerate().map(group).collect(),
            scalars: (0..stage.scalars.len() as u32).collect(),
        }
    }

    /// Whether they lie within a stage, each in a place of its own.
    pub fn check(&self, stage: &Stage) -> Result<(), String> {
        once("group", self.groups.iter().map(|place| place.group), stage.groups.len())?;
        once("scalar", self.scalars.iter().map(|scalar| *scalar as usize), stage.scalars.len())?;
        for place in &self.groups {
            let group = &stage.groups[place.group];
            if let Some(items) = &place.items {
                let what = format!("item of group '{}'", group.name);
                once(&what, items.iter().map(|item| *item as usize), known_items(group))?;
            }
        }
        Ok(())
    }

    /// How the words of the frames lie.
    pub fn layout(&self, stage: &Stage) -> Layout {
        let widths = self.groups.iter().map(|place| width(&stage.groups[place.group])).collect();
        Layout { widths, scalars: self.scalars.len() }
    }

    /// Scalars of the stage from those of a frame.
    pub fn spread_scalars(&self, scalars: &[f64], count: usize) -> Vec<f64> {
        let mut spread = vec![f64::NAN; count];
        self.scalars.iter().zip(scalars).for_each(|(place, value)| spread[*place as usize] = *value);
        spread
    }

    /// Scalars of a frame from those of the stage.
    pub fn gather_scalars(&self, scalars: &[f64]) -> Vec<f64> {
        self.scalars.iter().map(|place| scalars[*place as usize]).collect()
    }
}

/// Items of a group that are told apart: by their names, or else by constants that each has.
pub(crate) fn known_items(group: &Group) -> usize {
    let constants = group.constants.iter().zip(&group.constant_values);
    let by_constants = constants.map(|(field, values)| values.len() / field.components).max();
    group.names.len().max(by_constants.unwrap_or(0))
}

/// Numbers of one item of a group in a frame.
pub(crate) fn width(group: &Group) -> usize {
    group.fields.iter().map(|field| field.components).sum()
}

fn once(what: &str, places: impl Iterator<Item = usize>, count: usize) -> Result<(), String> {
    let mut taken = vec![false; count];
    for place in places {
        match taken.get_mut(place) {
            None => return Err(format!("{what} {place}, there are {count}")),
            Some(true) => return Err(format!("{what} {place} is named twice")),
            Some(free) => *free = true,
        }
    }
    Ok(())
}

/// The view of a frame that all readers have: everything on the stage, with [`ABSENT`] for what is not there.
pub(crate) struct Spread<'a> {
    pub stage: &'a Stage,
    pub places: &'a Places,
    /// Whether the stage ever changed; a frame of one that did not has its items as they come.
    pub changed: bool,
}

impl Spread<'_> {
    fn place(&self, group: usize) -> Option<(usize, &GroupPlaces)> {
        let own = self.places.groups.get(group).filter(|place| place.group == group);
        match own {
            Some(place) => Some((group, place)),
            None => self.places.groups.iter().enumerate().find(|(_, place)| place.group == group),
        }
    }

    /// Number of items of a group of the stage, from its words in a frame.
    fn count(&self, group: usize, past: &Past) -> usize {
        let of = &self.stage.groups[group];
        let place = self.place(group);
        let (own, moved) = place.map_or((0, false), |(number, place)| {
            (past.group(number).len() / width(of).max(1), place.items.is_some())
        });
        if self.changed && (moved || !of.names.is_empty()) { own.max(known_items(of)) } else { own }
    }

    /// Words of the whole frame.
    pub fn size(&self, past: &Past) -> u64 {
        let groups = self.stage.groups.iter().enumerate();
        groups.map(|(group, of)| 2 + self.count(group, past) as u64 * width(of) as u64).sum()
    }

    /// Appends the arrays of a group of the stage, and answers with the number of its items.
    pub fn group(&self, group: usize, past: &Past, out: &mut Vec<u32>) -> usize {
        let of = &self.stage.groups[group];
        let count = self.count(group, past);
        let Some((number, place)) = self.place(group) else {
            out.resize(out.len() + count * width(of), ABSENT.to_bits());
            return count;
        };
        let mut rest = past.group(number);
        let own = rest.len() / width(of).max(1);
        for field in &of.fields {
            let (values, after) = rest.split_at(own * field.components);
            rest = after;
            let start = out.len();
            match &place.items {
                None => out.extend_from_slice(values),
                Some(items) => {
                    out.resize(start + count * field.components, ABSENT.to_bits());
                    for (item, numbers) in items.iter().zip(values.chunks_exact(field.components)) {
                        let at = start + *item as usize * field.components;
                        out[at..at + field.components].copy_from_slice(numbers);
                    }
                }
            }
            out.resize(start + count * field.components, ABSENT.to_bits());
            if of.kind == GroupKind::Contacts && matches!(field.name.as_str(), "a" | "b") {
                self.rename(&mut out[start..]);
            }
        }
        count
    }

    /// Makes items of the bodies of a frame those of the stage.
    fn rename(&self, words: &mut [u32]) {
        let Some(items) = bodies(self.stage).and_then(|group| self.place(group)?.1.items.as_ref()) else {
            return;
        };
        for word in words {
            let item = f32::from_bits(*word);
            if let Some(place) = items.get(item as usize).filter(|_| item >= 0.0) {
                *word = (*place as f32).to_bits();
            }
        }
    }

    /// The words of the whole frame: each group with its header.
    pub fn words(&self, past: &Past) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.size(past) as usize);
        for group in 0..self.stage.groups.len() {
            let header = words.len();
            words.extend([0, 0]);
            words[header] = self.group(group, past, &mut words) as u32;
        }
        words
    }

    /// The frame.
    pub fn frame(&self, head: FrameHead, past: &Past) -> Frame {
        let mut words = Vec::new();
        let groups = (0..self.stage.groups.len()).map(|group| {
            words.clear();
            let count = self.group(group, past, &mut words);
            let mut rest = &words[..];
            let fields = self.stage.groups[group].fields.iter().map(|field| {
                let (values, after) = rest.split_at(count * field.components);
                rest = after;
                values.iter().map(|word| f32::from_bits(*word)).collect()
            });
            GroupFrame { count, fields: fields.collect() }
        });
        let groups = groups.collect();
        Frame { time: head.time, step: head.step, scalars: head.scalars, groups }
    }
}

/// The group that contacts and joints refer to.
pub(crate) fn bodies(stage: &Stage) -> Option<usize> {
    let of = |kind: GroupKind| stage.groups.iter().position(|group| group.kind == kind);
    of(GroupKind::Bodies).or_else(|| of(GroupKind::Particles))
}
