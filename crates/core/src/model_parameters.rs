//! Lists and changes the parameters of a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contact;
use crate::error::Result;
use crate::model::Model;
use crate::parameter::{
    BlockId, Invalidates, Owner, Parameter, ParameterChange, ParameterChanges, ParameterError,
    ParameterRange, ParameterTarget, ParameterValue, Parameters, Version,
};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Name by which an object is found.
fn owner_name(owner: &Owner, item: usize) -> String {
    if owner.name.is_empty() { format!("#{item}") } else { owner.name.clone() }
}

fn target(owner: &Owner, item: usize, value: &ParameterValue) -> ParameterTarget {
    ParameterTarget::new(owner.kind, owner_name(owner, item), value.name.clone())
}

/// Location of a parameter.
enum Place {
    Gravity(usize),
    Material(usize, usize),
    Block { id: BlockId, item: usize, place: usize },
}

/// A block on its way into a model, and what was written in it.
struct ChangedBlock<'a> {
    block: Box<dyn Parameters>,
    /// Item, parameter and value.
    touched: Vec<(usize, &'a ParameterTarget, f64)>,
}

impl Model {
    /// All parameters that may change between steps, with units, ranges and values.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut all = Vec::new();
        for (k, axis) in AXES.into_iter().enumerate() {
            all.push(Parameter {
                target: ParameterTarget::gravity(axis),
                item: 0,
                unit: "m/s²",
                range: ParameterRange::Finite,
                value: self.gravity[k],
            });
        }
        for (item, m) in self.contact().map_or(&[][..], |c| c.materials()).iter().enumerate() {
            all.extend(contact::parameters(&m.material).into_iter().map(|v| Parameter {
                target: ParameterTarget::new(ParameterTarget::MATERIAL, &m.name, v.name),
                item: item as u32,
                unit: v.unit,
                range: v.range,
                value: v.value,
            }));
        }
        for id in self.parameter_set().ids() {
            let block = self.parameter_set().block(id);
            for item in 0..block.item_count() {
                let owner = block.owner(item);
                all.extend(block.list(item).into_iter().map(|v| Parameter {
                    target: target(owner, item, &v),
                    item: item as u32,
                    unit: v.unit,
                    range: v.range,
                    value: v.value,
                }));
            }
        }
        all
    }

    /// The value of a parameter.
    pub fn parameter(&self, target: &ParameterTarget) -> Result<f64> {
        Ok(match self.find(target)? {
            Place::Gravity(axis) => self.gravity[axis],
            Place::Material(k, place) => self
                .contact()
                .map_or(f64::NAN, |c| contact::parameters(&c.materials()[k].material)[place].value),
            Place::Block { id, item, place } => self.parameter_set().block(id).list(item)[place].value,
        })
    }

    /// Number of parameter changes since the model was built.
    pub fn parameter_version(&self) -> Version {
        self.version
    }

    /// Whether two models share one topology: same batches, layouts, slots and places.
    pub fn shares_topology(&self, other: &Model) -> bool {
        Arc::ptr_eq(&self.topology, &other.topology)
    }

    fn find(&self, target: &ParameterTarget) -> std::result::Result<Place, ParameterError> {
        let mut known = Vec::new();
        if target.kind == ParameterTarget::GRAVITY {
            known.extend(AXES.map(str::to_owned));
            if let Some(k) = AXES.iter().position(|axis| *axis == target.parameter) {
                return Ok(Place::Gravity(k));
            }
        }
        if target.kind == ParameterTarget::MATERIAL {
            for (k, m) in self.contact().map_or(&[][..], |c| c.materials()).iter().enumerate() {
                for (place, v) in contact::parameters(&m.material).into_iter().enumerate() {
                    if m.name != target.owner {
                        break;
                    }
                    if v.name == target.parameter {
                        return Ok(Place::Material(k, place));
                    }
                    known.push(v.name.into_owned());
                }
            }
        }
        for id in self.parameter_set().ids() {
            let block = self.parameter_set().block(id);
            for item in 0..block.item_count() {
                let owner = block.owner(item);
                let named = if owner.name.is_empty() {
                    target.owner.strip_prefix('#').and_then(|n| n.parse().ok()) == Some(item)
                } else {
                    owner.name == target.owner
                };
                if owner.kind != target.kind || !named {
                    continue;
                }
                for (place, v) in block.list(item).into_iter().enumerate() {
                    if v.name == target.parameter {
                        return Ok(Place::Block { id, item, place });
                    }
                    known.push(v.name.into_owned());
                }
            }
        }
        let (kind, owner) = (target.kind.clone(), target.owner.clone());
        Err(if known.is_empty() {
            ParameterError::UnknownOwner { kind, owner }
        } else {
            let parameter = target.parameter.clone();
            ParameterError::UnknownParameter { kind, owner, parameter, known }
        })
    }

    /// The model with changed parameters, and what depends on them; all changes or none. Values that are already set
    /// invalidate nothing.
    pub fn with_parameters(&self, changes: &[(ParameterTarget, f64)]) -> Result<(Model, Invalidates)> {
        let mut model = self.clone();
        let mut invalidates = Invalidates::NOTHING;
        let mut blocks: BTreeMap<BlockId, ChangedBlock<'_>> = BTreeMap::new();
        let mut materials = Vec::new();
        for (target, value) in changes {
            let refuse = |range: ParameterRange| ParameterError::Range {
                target: target.clone(),
                value: *value,
                expected: range.to_string(),
            };
            match self.find(target)? {
                Place::Gravity(axis) => {
                    if !value.is_finite() {
                        return Err(refuse(ParameterRange::Finite).into());
                    }
                    if model.gravity[axis].to_bits() != value.to_bits() {
                        model.gravity[axis] = *value;
                        invalidates |= Invalidates::FACTORS;
                    }
                }
                Place::Material(k, place) => materials.push((k, place, target, *value)),
                Place::Block { id, item, place } => {
                    let entry = blocks.entry(id).or_insert_with(|| ChangedBlock {
                        block: self.parameter_set().block(id).copy(),
                        touched: Vec::new(),
                    });
                    let now = &entry.block.list(item)[place];
                    if !now.range.contains(*value) {
                        return Err(refuse(now.range).into());
                    }
                    if now.value.to_bits() != value.to_bits() {
                        entry.block.set(item, place, *value);
                        entry.touched.push((item, target, *value));
                    }
                }
            }
        }
        for (id, ChangedBlock { block, touched }) in blocks {
            for (item, target, value) in &touched {
                block.check(*item).map_err(|expected| ParameterError::Range {
                    target: (*target).clone(),
                    value: *value,
                    expected,
                })?;
            }
            if !touched.is_empty() {
                invalidates |= block.invalidates();
                model.replace_block(id, block.into());
            }
        }
        if let Some(contact) = self.contact().filter(|_| !materials.is_empty())
            && let Some(contact) = contact.with_materials(&materials)?
        {
            invalidates |= Invalidates::CONTACTS;
            model.contact = Some(Arc::new(contact));
        }
        if invalidates != Invalidates::NOTHING {
            model.version.0 += 1;
        }
        Ok((model, invalidates))
    }

    /// All parameters that differ from those with which the model was built.
    pub fn parameter_changes(&self) -> ParameterChanges {
        let mut list = Vec::new();
        let mut see = |target: ParameterTarget, now: f64, before: f64| {
            if now.to_bits() != before.to_bits() {
                list.push(ParameterChange { target, value: now });
            }
        };
        for (k, axis) in AXES.into_iter().enumerate() {
            see(ParameterTarget::gravity(axis), self.gravity[k], self.topology.scene_gravity[k]);
        }
        if let Some(contact) = self.contact() {
            for (now, before) in contact.materials().iter().zip(contact.scene_materials()) {
                for (a, b) in
                    contact::parameters(&now.material).into_iter().zip(contact::parameters(&before.material))
                {
                    let target = ParameterTarget::new(ParameterTarget::MATERIAL, &now.name, a.name);
                    see(target, a.value, b.value);
                }
            }
        }
        let set = self.parameter_set();
        for id in set.ids() {
            let (now, before) = (set.block(id), set.scene_block(id));
            if Arc::ptr_eq(now, before) {
                continue;
            }
            for item in 0..now.item_count() {
                for (a, b) in now.list(item).into_iter().zip(before.list(item)) {
                    see(target(now.owner(item), item, &a), a.value, b.value);
                }
            }
        }
        ParameterChanges { list }
    }

    /// The model as built, with `changes`, and what depends on the differences from the current one.
    pub fn with_changes(&self, changes: &ParameterChanges) -> Result<(Model, Invalidates)> {
        // What differs now and is not in the list goes back to what it was.
        let mut all: Vec<(ParameterTarget, f64)> = Vec::new();
        let scene = self.as_built();
        for change in self.parameter_changes().list {
            let value = scene.parameter(&change.target)?;
            all.push((change.target, value));
        }
        all.extend(changes.list.iter().map(|c| (c.target.clone(), c.value)));
        let (model, _) = self.with_parameters(&all)?;
        // Going back and forth is no change.
        let differs = self.difference(&model);
        Ok((model, differs))
    }

    /// What depends on the parameters in which another model of the same topology differs.
    fn difference(&self, other: &Model) -> Invalidates {
        let mut out = Invalidates::NOTHING;
        if self.gravity.to_array().map(f64::to_bits) != other.gravity.to_array().map(f64::to_bits) {
            out |= Invalidates::FACTORS;
        }
        let materials = |m: &Model| m.contact().map(|c| c.materials().to_vec());
        if materials(self) != materials(other) {
            out |= Invalidates::CONTACTS;
        }
        for id in self.parameter_set().ids() {
            let (a, b) = (self.parameter_set().block(id), other.parameter_set().block(id));
            let same = |item: usize| {
                let bits =
                    |v: Vec<ParameterValue>| v.into_iter().map(|v| v.value.to_bits()).collect::<Vec<_>>();
                bits(a.list(item)) == bits(b.list(item))
            };
            if !Arc::ptr_eq(a, b) && !(0..a.item_count()).all(same) {
                out |= a.invalidates();
            }
        }
        out
    }
}
