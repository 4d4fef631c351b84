//! Scenes: the lists of all objects, and what is done to all of them alike.

use std::collections::BTreeMap;

use huygens_spec::{
    DEFAULT_MATERIAL, GROUND, KeyPath, Placement, Rotation, SceneObject, Section, VisitorMut,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Settings;

/// The description of the objects of one section.
pub trait Listed: SceneObject {
    /// The section.
    const SECTION: Section;
    /// The objects of the section in a scene.
    fn list(scene: &Scene) -> &Vec<Self>
    where
        Self: Sized;
    /// The objects of the section in a scene, to be changed.
    fn list_mut(scene: &mut Scene) -> &mut Vec<Self>
    where
        Self: Sized;
}

macro_rules! scene {
    ($($(#[$doc:meta])* $section:ident, $key:ident, $noun:literal, $spec:ident, $rank:literal, $scope:ident;)*) => {
        /// A scene: everything a simulation is made of.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct Scene {
            /// Version of the scene format; 1 is the only one.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub version: Option<u32>,
            /// What the scene shows, in words.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub description: Option<String>,
            /// Sub-assemblies from other files.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub include: Vec<Include>,
            /// Named numbers for expressions such as `"=2*length"`.
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            pub parameters: BTreeMap<String, f64>,
            /// Gravity, step size, method, output.
            pub settings: Settings,
            $(
                $(#[$doc])*
                #[serde(skip_serializing_if = "Vec::is_empty")]
                pub $key: Vec<super::$spec>,
            )*
            /// How pictures and films show the run: camera, light, colours, as `huygens render` reads it.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub view: Option<serde_json::Value>,
        }

        impl Scene {
            /// Number of objects of a section.
            pub fn count(&self, section: Section) -> usize {
                match section {
                    Section::Settings => 0,
                    $(Section::$section => self.$key.len(),)*
                }
            }

            /// An object by its place in the list of a section.
            pub fn object(&self, section: Section, index: usize) -> Option<&dyn SceneObject> {
                match section {
                    Section::Settings => None,
                    $(Section::$section => self.$key.get(index).map(|object| object as &dyn SceneObject),)*
                }
            }

            /// All objects with their sections and places in them.
            pub fn objects(&self) -> impl Iterator<Item = (Section, usize, &dyn SceneObject)> {
                std::iter::empty()$(.chain(self.$key.iter().enumerate().map(
                    |(index, object)| (Section::$section, index, object as &dyn SceneObject),
                )))*
            }

            /// All objects with their sections and places in them, to be changed.
            pub fn objects_mut(&mut self) -> impl Iterator<Item = (Section, usize, &mut dyn SceneObject)> {
                std::iter::empty()$(.chain(self.$key.iter_mut().enumerate().map(
                    |(index, object)| (Section::$section, index, object as &mut dyn SceneObject),
                )))*
            }

            /// Adds the objects of a sub-assembly; its settings belong to it alone and are left out.
            pub fn absorb(&mut self, other: Scene) {
                $(self.$key.extend(other.$key);)*
            }
        }

        $(impl Listed for super::$spec {
            const SECTION: Section = Section::$section;
            fn list(scene: &Scene) -> &Vec<Self> {
                &scene.$key
            }
            fn list_mut(scene: &mut Scene) -> &mut Vec<Self> {
                &mut scene.$key
            }
        })*
    };
}

sections!(scene!);

/// A sub-assembly from another file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Include {
    /// Path of the scene file, relative to the including file and below its folder.
    pub file: String,
    /// Written before every name of the sub-assembly, such as `left.`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Where the origin of the sub-assembly goes [m].
    #[serde(default)]
    pub position: [f64; 3],
    /// How the sub-assembly is turned. Loads and prescribed motions given in world axes keep their directions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Replaces parameters of the sub-assembly.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, f64>,
}

impl Scene {
    /// Writes `prefix` before every name and reference; `ground`, `world` and the default material keep their
    /// meaning.
    pub fn add_prefix(&mut self, prefix: &str) {
        if prefix.is_empty() {
            return;
        }
        for (section, _, object) in self.objects_mut() {
            object.visit_mut(&KeyPath::OBJECT, &mut Prefix { prefix, section });
        }
    }

    /// Turns and moves all objects; says which turns cannot be made.
    pub fn place(&mut self, placement: &Placement) -> Result<(), String> {
        if placement.is_identity() {
            return Ok(());
        }
        // A fluid is measured at points of the world; all other owners of points carry them along.
        let fluids = self.fluids.iter().map(|fluid| fluid.name.clone());
        let placement = placement.clone().with_resting(fluids);
        self.objects_mut().try_for_each(|(section, _, object)| {
            let placed = object.place(&placement);
            placed.map_err(|problem| format!("{section} '{}' {problem}", object.name()))
        })
    }
}

/// Writes a prefix before the names in an object.
struct Prefix<'a> {
    prefix: &'a str,
    section: Section,
}

impl Prefix<'_> {
    fn add(&self, name: &mut String, is_material: bool) {
        let reserved = name.is_empty() || name == GROUND || name == "world";
        if !(reserved || is_material && name == DEFAULT_MATERIAL) {
            name.insert_str(0, self.prefix);
        }
    }
}

impl VisitorMut for Prefix<'_> {
    fn name(&mut self, _: &KeyPath<'_>, name: &mut String) {
        self.add(name, self.section == Section::Materials);
    }

    fn reference(&mut self, _: &KeyPath<'_>, name: &mut String, sections: &'static [Section]) {
        self.add(name, sections == [Section::Materials]);
    }
}
