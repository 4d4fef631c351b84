//! Rules that stages and frames keep, so that readers need not check them again.

use super::stage::{BatchKind, Frame, Group, Stage};

/// Most groups, shapes' batches, scalars … of a stage.
const LIST_LIMIT: usize = 1 << 20;
/// Most numbers an item of one field.
const COMPONENT_LIMIT: usize = 64;

impl Stage {
    /// Whether all indices, lengths and numbers fit together; says what does not.
    ///
    /// Items of shapes are not bound by a group's count, which may change: a shape whose item is not there is not
    /// drawn.
    pub fn check(&self) -> Result<(), String> {
        self.check_lists()?;
        finite("up", &self.up)?;
        if self.up == [0.0; 3] {
            return Err("up has no length".to_owned());
        }
        unique("group", self.groups.iter().map(|group| group.name.as_str()))?;
        unique("scalar", self.scalars.iter().map(|scalar| scalar.name.as_str()))?;
        self.groups.iter().try_for_each(Group::check)?;
        self.check_meshes()?;
        self.check_batches()?;
        self.check_skins()?;
        for look in &self.looks {
            finite("look color", &look.color)?;
            finite("look roughness", &[look.roughness])?;
        }
        for joint in &self.joints {
            finite("joint place", &joint.position_a)?;
            finite("joint place", &joint.position_b)?;
            finite("joint rotation", &joint.rotation_a)?;
            finite("joint rotation", &joint.rotation_b)?;
            if let Some(time) = joint.since.iter().chain(&joint.until).find(|time| !time.is_finite()) {
                return Err(format!("a joint comes or goes at {time} s"));
            }
        }
        Ok(())
    }

    fn check_lists(&self) -> Result<(), String> {
        let lists = [
            ("groups", self.groups.len()),
            ("scalars", self.scalars.len()),
            ("meshes", self.meshes.len()),
            ("looks", self.looks.len()),
            ("batches", self.batches.len()),
            ("skins", self.skins.len()),
            ("tubes", self.tubes.len()),
            ("cells", self.cells.len()),
            ("joints", self.joints.len()),
        ];
        match lists.iter().find(|(_, length)| *length > LIST_LIMIT) {
            Some((name, length)) => Err(format!("{length} {name}, at most {LIST_LIMIT} are allowed")),
            None => Ok(()),
        }
    }

    fn check_meshes(&self) -> Result<(), String> {
        for mesh in &self.meshes {
            let name = &mesh.name;
            finite("crease", &[mesh.crease])?;
            if mesh.vertices.len() % 3 != 0 || mesh.triangles.len() % 3 != 0 {
                return Err(format!("mesh '{name}': vertices and triangles come in threes"));
            }
            let count = mesh.vertices.len() / 3;
            below(&format!("mesh '{name}': triangle corner"), &mesh.triangles, count)?;
        }
        Ok(())
    }

    fn check_batches(&self) -> Result<(), String> {
        for (index, batch) in self.batches.iter().enumerate() {
            let what = format!("batch {index}");
            let count = batch.items.len();
            one_of(&what, "group", batch.group, self.groups.len())?;
            match (batch.kind, batch.mesh) {
                (BatchKind::Mesh, Some(mesh)) => one_of(&what, "mesh", mesh, self.meshes.len())?,
                (BatchKind::Mesh, None) => return Err(format!("{what}: of meshes, but names none")),
                (_, Some(_)) => return Err(format!("{what}: names a mesh, but is not of meshes")),
                (_, None) => {}
            }
            length(&what, "looks", batch.looks.len(), count)?;
            length(&what, "sizes", batch.sizes.len(), count * batch.kind.size_len())?;
            if !batch.positions.is_empty() {
                length(&what, "positions", batch.positions.len(), 3 * count)?;
            }
            if !batch.rotations.is_empty() {
                length(&what, "rotations", batch.rotations.len(), 4 * count)?;
            }
            below(&format!("{what}: look"), &batch.looks, self.looks.len())?;
        }
        Ok(())
    }

    fn check_skins(&self) -> Result<(), String> {
        for (index, skin) in self.skins.iter().enumerate() {
            let what = format!("skin {index}");
            one_of(&what, "group", skin.group, self.groups.len())?;
            one_of(&what, "look", skin.look, self.looks.len())?;
            if skin.triangles.len() % 3 != 0 {
                return Err(format!("{what}: corners of triangles come in threes"));
            }
        }
        for (index, tubes) in self.tubes.iter().enumerate() {
            let what = format!("tubes {index}");
            one_of(&what, "group", tubes.group, self.groups.len())?;
            one_of(&what, "look", tubes.look, self.looks.len())?;
            finite("tube radius", &[tubes.radius])?;
            if tubes.segments.len() % 2 != 0 {
                return Err(format!("{what}: ends of segments come in twos"));
            }
        }
        for (index, cells) in self.cells.iter().enumerate() {
            let what = format!("cells {index}");
            one_of(&what, "group", cells.group, self.groups.len())?;
            one_of(&what, "elements", cells.elements, self.groups.len())?;
            let most = if cells.vtk.is_some() { 27 } else { 4 };
            if !(2..=most).contains(&cells.corners) || cells.items.len() % cells.corners != 0 {
                return Err(format!("{what}: elements have 2, 3 or 4 corners each"));
            }
        }
        Ok(())
    }

    /// Whether a frame has the scalars and arrays that the stage announces; says what it lacks.
    pub fn check_frame(&self, frame: &Frame) -> Result<(), String> {
        if !frame.time.is_finite() {
            return Err(format!("time is {}", frame.time));
        }
        length("frame", "scalars", frame.scalars.len(), self.scalars.len())?;
        length("frame", "groups", frame.groups.len(), self.groups.len())?;
        for (group, values) in self.groups.iter().zip(&frame.groups) {
            if u32::try_from(values.count).is_err() {
                return Err(format!(
                    "group '{}' has {} items, at most {} are allowed",
                    group.name,
                    values.count,
                    u32::MAX
                ));
            }
            if values.fields.len() != group.fields.len() {
                return Err(lengths(&group.name, "fields", values.fields.len(), group.fields.len()));
            }
            for (field, numbers) in group.fields.iter().zip(&values.fields) {
                if numbers.len() != values.count * field.components {
                    let expected = values.count * field.components;
                    return Err(lengths(&group.name, &field.name, numbers.len(), expected));
                }
            }
        }
        Ok(())
    }
}

impl Group {
    fn check(&self) -> Result<(), String> {
        let name = &self.name;
        unique("field", self.fields.iter().chain(&self.constants).map(|field| field.name.as_str()))
            .map_err(|fault| format!("group '{name}': {fault}"))?;
        let components = self.fields.iter().chain(&self.constants);
        if let Some(field) =
            components.into_iter().find(|field| !(1..=COMPONENT_LIMIT).contains(&field.components))
        {
            let (field, found) = (&field.name, field.components);
            return Err(format!(
                "group '{name}', field '{field}': {found} components, 1 to {COMPONENT_LIMIT} are allowed"
            ));
        }
        if self.fields.is_empty() {
            return Err(format!("group '{name}' has no field that frames hold"));
        }
        if self.constants.len() != self.constant_values.len() {
            return Err(lengths(
                name,
                "arrays of constants",
                self.constant_values.len(),
                self.constants.len(),
            ));
        }
        for (field, values) in self.constants.iter().zip(&self.constant_values) {
            if values.len() % field.components != 0 {
                let (field, count, found) = (&field.name, field.components, values.len());
                return Err(format!(
                    "group '{name}', constant '{field}': {found} numbers are not a multiple of {count}"
                ));
            }
        }
        Ok(())
    }
}

/// Message about a length, formatted only where it is wrong: frames are checked at every push.
fn lengths(group: &str, what: &str, found: usize, expected: usize) -> String {
    format!("group '{group}', {what}: {found}, {expected} are expected")
}

fn length(owner: &str, what: &str, found: usize, expected: usize) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{owner}: {found} {what}, {expected} are expected")) }
}

fn one_of(owner: &str, what: &str, index: usize, count: usize) -> Result<(), String> {
    if index < count { Ok(()) } else { Err(format!("{owner}: {what} {index}, there are {count}")) }
}

fn below(what: &str, indices: &[u32], count: usize) -> Result<(), String> {
    match indices.iter().find(|index| **index as usize >= count) {
        Some(index) => Err(format!("{what} {index}, there are {count}")),
        None => Ok(()),
    }
}

fn finite(what: &str, values: &[f32]) -> Result<(), String> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(format!("{what} is {value}")),
        None => Ok(()),
    }
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("{what} '{name}' appears twice"));
        }
    }
    Ok(())
}
