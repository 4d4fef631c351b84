//! Whether everything that objects of a scene refer to exists.

use std::collections::{BTreeMap, BTreeSet};

use huygens_spec::{DEFAULT_MATERIAL, GROUND, KeyPath, Section, Visitor};

use super::Scene;
use super::suggestion::closest_name;

/// A reference to an object that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongReference {
    /// Section of the object that refers.
    pub section: Section,
    /// Its name, or its kind and number.
    pub name: String,
    /// Keys that lead to the reference.
    pub field: String,
    /// What is wrong.
    pub problem: String,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

/// The names of all objects of a scene.
struct Names {
    by_section: BTreeMap<Section, BTreeSet<String>>,
    /// Sections with objects that get a name when they are built.
    unnamed: BTreeSet<Section>,
    /// Whether a name is reserved or taken twice.
    clash: bool,
}

impl Names {
    fn of(scene: &Scene) -> Self {
        let mut names = Self { by_section: BTreeMap::new(), unnamed: BTreeSet::new(), clash: false };
        let mut taken = BTreeSet::from([GROUND.to_owned(), "world".to_owned()]);
        for (section, _, object) in scene.objects() {
            match object.name() {
                name if name.is_empty() => {
                    names.unnamed.insert(section);
                }
                name => {
                    names.clash |= section.names_are_unique() && !taken.insert(name.to_string());
                    names.by_section.entry(section).or_default().insert(name.into_owned());
                }
            }
        }
        names
    }

    fn known(&self, section: Section) -> impl Iterator<Item = &str> {
        self.by_section.get(&section).into_iter().flatten().map(String::as_str)
    }

    fn has(&self, section: Section, name: &str) -> bool {
        self.by_section.get(&section).is_some_and(|names| names.contains(name))
            || self.unnamed.contains(&section) && name.strip_prefix(section.noun()).is_some_and(is_number)
            || section == Section::Materials && name == DEFAULT_MATERIAL
            || section == Section::Bodies && self.is_filled(name)
    }

    /// Whether a fill makes a body of this name.
    fn is_filled(&self, name: &str) -> bool {
        let filled = |(fill, number)| is_number(number) && self.has(Section::Fills, fill);
        name.rsplit_once('.').is_some_and(filled)
    }
}

fn is_number(text: &str) -> bool {
    text.parse::<usize>().is_ok()
}

/// Looks at the references of one object.
struct Check<'a> {
    names: &'a Names,
    /// Keys, problem and suggestion of the first wrong one.
    wrong: Option<(String, String, Option<String>)>,
}

impl Visitor for Check<'_> {
    fn reference(&mut self, path: &KeyPath<'_>, name: &str, sections: &'static [Section]) {
        if self.wrong.is_some() || name.is_empty() || name == GROUND || name == "world" {
            return;
        }
        // Markers, nodes and walls belong to the object before the slash.
        let owner = name.split_once('/').map_or(name, |(owner, _)| owner);
        let has = |section: &Section| self.names.has(*section, name) || self.names.has(*section, owner);
        // What is there but of another kind is refused where it is used, which knows why.
        if sections.iter().any(has) || Section::LISTS.iter().filter(|s| s.names_are_unique()).any(has) {
            return;
        }
        let key = path.last_key();
        let wanted = match sections {
            [only] => Some(only.noun()),
            [first, ..] if sections.len() < Section::LISTS.len() => Some(first.noun()),
            _ => None,
        };
        let near = closest_name(owner, sections.iter().flat_map(|s| self.names.known(*s))).map(str::to_owned);
        let wanted = wanted.map_or(String::new(), |noun| format!("{noun} "));
        let problem = format!("`{key}` refers to {wanted}'{owner}', which does not exist");
        self.wrong = Some((path.to_string(), problem, near));
    }
}

impl Scene {
    /// Finds the first reference to an object that the scene does not have. Where names clash, that comes first, and is
    /// refused when the objects are built.
    pub fn check_references(&self) -> Result<(), WrongReference> {
        let names = Names::of(self);
        if names.clash {
            return Ok(());
        }
        for (section, index, object) in self.objects() {
            let mut check = Check { names: &names, wrong: None };
            object.visit(&KeyPath::OBJECT, &mut check);
            if let Some((field, problem, suggestion)) = check.wrong {
                let name = match object.name() {
                    name if name.is_empty() => format!("{}{}", section.noun(), index + 1),
                    name => name.into_owned(),
                };
                return Err(WrongReference { section, name, field, problem, suggestion });
            }
        }
        Ok(())
    }
}
