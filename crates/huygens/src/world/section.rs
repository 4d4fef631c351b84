//! What a world does with the objects of every section alike: build, count, name and save them.

use huygens_spec::sections;

use super::{Result, World, WorldError};
use crate::spec::{
    BodySpec, ContactPairSpec, CouplingSpec, FillSpec, FluidSpec, ForceSpec, GROUND, GrainsSpec, JointSpec,
    Listed, MaterialSpec, MotorSpec, ProbeSpec, Scene, Section, ShaftSpec, SignalEntry, StructureSpec,
};

/// A description that a world builds an object of. Each section has one, beside the code that builds its objects.
pub trait Build: Listed + Clone + 'static {
    /// Builds the object.
    fn build(self, world: &mut World) -> Result<()>;

    /// The descriptions of all objects of the section that the world has, in the order of adding.
    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self>;

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
                Scene { $($key: <$spec>::saved(self),)* ..Scene::default() }
            }

            /// Number of objects of a section.
            pub fn count(&self, section: Section) -> usize {
                match section {
                    Section::Settings => 0,
                    $(Section::$section => <$spec>::count(self),)*
                }
            }

            /// Names of all objects of a section, in the order of adding.
            pub fn names(&self, section: Section) -> Vec<String> {
                match section {
                    Section::Settings => Vec::new(),
                    $(Section::$section => <$spec as Build>::names(self),)*
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

    /// Gives an unnamed object a name of its own, refuses one that is taken, and answers with the name.
    pub(super) fn claim<T: Build>(&self, spec: &mut T) -> Result<String> {
        let section = T::SECTION;
        let Some(name) = spec.name_mut() else { return Ok(String::new()) };
        if name.is_empty() {
            let mut number = 1 + T::count(self);
            while self.objects.names.contains_key(&format!("{}{number}", section.noun())) {
                number += 1;
            }
            *name = format!("{}{number}", section.noun());
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
            return Ok(name.clone());
        };
        Err(WorldError::input(section, name, Some("name"), problem))
    }
}
