//! What a world does with the objects of every section alike: build, count, name, save and remove them.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use huygens_spec::sections;

use super::{Result, World, WorldError};
use crate::spec::{self, GROUND, KeyPath, Listed, Scene, SceneObject, Section, Visitor, closest_name};

/// A description that a world builds an object of. Each section has one, beside the code that builds its objects.
pub trait Build: Listed + Clone + 'static {
    /// Builds the object.
    fn build(self, world: &mut World) -> Result<()>;

    /// The descriptions of all objects of the section that the world has, in the order of adding; those that the world
    /// keeps without a handle, if the section says nothing else.
    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        Self::list(&world.objects.kept).iter()
    }

    /// Takes the object of that name out of a world in which nothing refers to it and whose model is taken apart.
    fn remove(world: &mut World, name: &str) -> Result<()> {
        Self::list_mut(&mut world.objects.kept).retain(|spec| spec.name() != name);
        Ok(())
    }

    /// Number of objects of the section.
    fn count(world: &World) -> usize {
        Self::all(world).count()
    }

    /// The descriptions from which a scene makes the same objects.
    fn saved(world: &World) -> Vec<Self> {
        Self::all(world).cloned().collect()
    }

    /// Names of all objects of the section, in the order of adding.
    fn names(world: &World) -> Vec<String> {
        Self::all(world).map(|spec| spec.name().into_owned()).collect()
    }
}

macro_rules! world {
    ($($(#[$doc:meta])* $section:ident, $key:ident, $noun:literal, $spec:ident, $rank:literal, $scope:ident;)*) => {
        impl World {
            /// Builds all objects of a section of a scene.
            pub(super) fn build_section(&mut self, section: Section, scene: &Scene) -> Result<()> {
                match section {
                    Section::Settings => Ok(()),
                    $(Section::$section => scene.$key.iter().try_for_each(|spec| {
                        self.exec.check_stop()?;
                        spec.clone().build(self)
                    }),)*
                }
            }

            /// The objects of all sections as a scene lists them.
            pub(super) fn saved_sections(&self) -> Scene {
                Scene { $($key: <spec::$spec>::saved(self),)* ..Scene::default() }
            }

            /// Shows a visitor what all objects refer to, with the section and the name of each, until it breaks.
            fn visit_references(
                &self,
                visit: &mut dyn FnMut(Section, &dyn SceneObject) -> ControlFlow<()>,
            ) -> ControlFlow<()> {
                $(<spec::$spec>::all(self).try_for_each(|spec| visit(Section::$section, spec))?;)*
                ControlFlow::Continue(())
            }

            fn remove_of(&mut self, section: Section, name: &str) -> Result<()> {
                match section {
                    Section::Settings => Ok(()),
                    $(Section::$section => <spec::$spec as Build>::remove(self, name),)*
                }
            }

            /// Number of objects of a section.
            pub fn count(&self, section: Section) -> usize {
                match section {
                    Section::Settings => 0,
                    $(Section::$section => <spec::$spec>::count(self),)*
                }
            }

            /// Names of all objects of a section, in the order of adding.
            pub fn names(&self, section: Section) -> Vec<String> {
                match section {
                    Section::Settings => Vec::new(),
                    $(Section::$section => <spec::$spec as Build>::names(self),)*
                }
            }
        }
    };
}

sections!(world!);

impl World {
    /// Adds an object of any section and gives its name.
    ///
    /// ```
    /// use huygens::prelude::*;
    ///
    /// let mut world = World::default();
    /// let shape = Some(Solid::Sphere { radius: 0.1 });
    /// assert_eq!(world.add(BodySpec { mass: Some(1.0), shape, ..BodySpec::dynamic("") })?, "body1");
    /// assert_eq!(world.add(ShaftSpec { inertia: 0.1, ..ShaftSpec::default() })?, "shaft1");
    /// # Ok::<(), huygens::WorldError>(())
    /// ```
    pub fn add<T: Build>(&mut self, spec: T) -> Result<String> {
        spec.build(self)?;
        Ok(T::all(self).next_back().map_or(String::new(), |spec| spec.name().into_owned()))
    }

    /// Removes an object from the world. All others keep their states, their handles and their order.
    ///
    /// An object that others refer to is refused with the name of one of them. What has no name goes by what it is
    /// called in messages: a contact pair by its two names, as `a, b`, and a probe by the name of its column.
    ///
    /// ```
    /// use huygens::prelude::*;
    /// use huygens::spec::Section;
    ///
    /// let mut world = World::default();
    /// let shape = Some(Solid::Sphere { radius: 0.1 });
    /// for name in ["left", "right"] {
    ///     world.add(BodySpec { mass: Some(1.0), shape, ..BodySpec::dynamic(name) })?;
    /// }
    /// world.run(0.1)?;
    /// world.remove(Section::Bodies, "left")?;
    /// world.run(0.2)?;
    /// assert_eq!(world.names(Section::Bodies), ["right"]);
    /// # Ok::<(), huygens::WorldError>(())
    /// ```
    pub fn remove(&mut self, section: Section, name: &str) -> Result<()> {
        let names = self.names(section);
        if !names.iter().any(|own| own == name) {
            let suggestion = closest_name(name, names.iter().map(String::as_str)).map(str::to_owned);
            return Err(WorldError::Unknown { kind: section.noun(), name: name.into(), suggestion });
        }
        self.check_unused(section, &BTreeSet::from([name]))?;
        self.suspend();
        self.remove_of(section, name)?;
        if section.names_are_unique() {
            self.objects.names.remove(name);
        }
        self.forget(name);
        Ok(())
    }

    /// Refuses to remove objects that others refer to.
    pub(super) fn check_unused(&self, section: Section, names: &BTreeSet<&str>) -> Result<()> {
        let mut uses = Uses { section, names, found: None };
        let mut by = String::new();
        let _ = self.visit_references(&mut |other, object| {
            let name = object.name();
            if other == section && names.contains(&*name) {
                return ControlFlow::Continue(());
            }
            object.visit(&KeyPath::OBJECT, &mut uses);
            match &uses.found {
                None => ControlFlow::Continue(()),
                Some((key, _)) => {
                    by = format!("{other} '{name}' refers to it by `{key}`");
                    ControlFlow::Break(())
                }
            }
        });
        let programs = self.used_by_program(section, names);
        let (by, name) = match (uses.found, programs) {
            (Some((_, name)), _) => (by, name),
            (None, Some(found)) => found,
            (None, None) => return Ok(()),
        };
        Err(WorldError::input(section, &name, None, format!("it cannot be removed: {by}; remove that first")))
    }

    /// What a program added that uses one of these objects.
    fn used_by_program(&self, section: Section, names: &BTreeSet<&str>) -> Option<(String, String)> {
        match section {
            Section::Bodies => {
                let touched = self.extensions.bodies().map(|id| self.body_name(id));
                let name = touched.into_iter().find(|name| names.contains(name.as_str()))?;
                Some(("a sub-system of the program touches it".into(), name))
            }
            Section::Signals => self.objects.signals.iter().find_map(|draft| {
                let input = draft.inputs().iter().find(|input| names.contains(input.as_str()))?;
                Some((format!("signal '{}' reads it", draft.name()), input.clone()))
            }),
            _ => None,
        }
    }

    /// Notes that an object was removed: until the next model is built, its state is still kept under its name.
    pub(super) fn forget(&mut self, name: &str) {
        if self.motion.carried.is_some() {
            self.motion.gone.insert(name.to_owned());
        }
    }

    /// Gives an unnamed object a name of its own, refuses one that is taken, and answers with the name.
    pub(super) fn claim<T: Build>(&mut self, spec: &mut T) -> Result<String> {
        let section = T::SECTION;
        let Some(name) = spec.name_mut() else { return Ok(String::new()) };
        if name.is_empty() {
            let mut number = 1 + T::count(self);
            while self.objects.names.contains_key(&format!("{}{number}", section.noun())) {
                number += 1;
            }
            *name = format!("{}{number}", section.noun());
            self.let_go(name)?;
            return Ok(name.clone());
        }
        let problem = if name == GROUND || name == "world" {
            format!("the name '{name}' is reserved")
        } else if name.contains('/') {
            "a name must not contain '/', which separates a body from its marker and a structure from its node".into()
        } else if self.extensions.has_part(name) {
            "the name is already used by a part; names must be unique".into()
        } else if let Some(other) = self.objects.names.get(name.as_str()) {
            format!("the name is already used by a {}; names must be unique", other.section().noun())
        } else {
            self.let_go(name)?;
            return Ok(name.clone());
        };
        Err(WorldError::input(section, name, Some("name"), problem))
    }

    /// Sees to it that a new object of the name of one that was removed starts afresh.
    pub(super) fn let_go(&mut self, name: &str) -> Result<()> {
        match self.motion.gone.contains(name) {
            true => self.initialize().map(drop),
            false => Ok(()),
        }
    }
}

/// Looks for a reference to objects of a section.
struct Uses<'a> {
    section: Section,
    names: &'a BTreeSet<&'a str>,
    /// The key of the reference, and the object.
    found: Option<(String, String)>,
}

impl Visitor for Uses<'_> {
    fn reference(&mut self, path: &KeyPath<'_>, name: &str, sections: &'static [Section]) {
        // Markers, nodes and walls belong to the object before the slash.
        let owner = name.split_once('/').map_or(name, |(owner, _)| owner);
        let meant = [name, owner].into_iter().find(|name| self.names.contains(name));
        if let Some(name) = meant.filter(|_| self.found.is_none() && sections.contains(&self.section)) {
            self.found = Some((path.to_string(), name.to_owned()));
        }
    }
}
