//! The kinds of objects of a scene.

use std::fmt;

/// The table of sections: expands `$then` over its rows.
///
/// A row has the documentation of the list, the variant of [`Section`], the key of the list in a scene file, what one
/// object is called in messages, the type that describes it, its place in the order of building (objects are built
/// after those they refer to), and whether its name is `unique` among all objects of a scene or among its own section
/// only (`apart`). The rows stand in the order in which scenes are written.
#[macro_export]
macro_rules! sections {
    ($then:ident!) => {
        $then! {
            /// Contact materials.
            Materials, materials, "material", MaterialSpec, 1, apart;
            /// Rigid bodies.
            Bodies, bodies, "body", BodySpec, 3, unique;
            /// Many equal bodies on lattices.
            Fills, fills, "fill", FillSpec, 4, apart;
            /// Granular matter.
            Grains, grains, "grains", GrainsSpec, 6, unique;
            /// Fluids.
            Fluids, fluids, "fluid", FluidSpec, 7, unique;
            /// Flexible structures.
            Structures, structures, "structure", StructureSpec, 5, unique;
            /// Pairs of bodies that touch or do not, and pairs of materials with numbers of their own.
            ContactPairs, contact_pairs, "contact pair", ContactPairSpec, 8, apart;
            /// Joints between bodies.
            Joints, joints, "joint", JointSpec, 9, unique;
            /// Motors on joints and shafts.
            Motors, motors, "motor", MotorSpec, 11, unique;
            /// Gears, racks, belts and other relations of coordinates.
            Couplings, couplings, "coupling", CouplingSpec, 12, unique;
            /// Springs, bushings, loads, drag, ropes, clutches, brakes.
            Forces, forces, "force", ForceSpec, 13, unique;
            /// Shafts with one rotation.
            Shafts, shafts, "shaft", ShaftSpec, 2, unique;
            /// Signals: sensors, controllers, filters.
            Signals, signals, "signal", SignalEntry, 10, apart;
            /// Quantities written to time series.
            Probes, probes, "probe", ProbeSpec, 14, apart;
        }
    };
}

macro_rules! section {
    ($($(#[$doc:meta])* $section:ident, $key:ident, $noun:literal, $spec:ident, $rank:literal, $scope:ident;)*) => {
        /// Kind of object, and the key of its list in a scene file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Section {
            /// `settings`.
            Settings,
            $(#[doc = concat!("`", stringify!($key), "`.")] $section,)*
        }

        impl Section {
            /// All sections that are lists of objects.
            pub const LISTS: [Section; [$($noun),*].len()] = [$(Section::$section),*];

            /// Key in a scene file.
            pub const fn key(self) -> &'static str {
                match self {
                    Section::Settings => "settings",
                    $(Section::$section => stringify!($key),)*
                }
            }

            /// What one object is called in messages.
            pub const fn noun(self) -> &'static str {
                match self {
                    Section::Settings => "settings",
                    $(Section::$section => $noun,)*
                }
            }

            /// Whether its names are unique among all objects of a scene, not only in the section.
            pub const fn names_are_unique(self) -> bool {
                match self {
                    Section::Settings => false,
                    $(Section::$section => matches!(stringify!($scope).as_bytes(), b"unique"),)*
                }
            }

            /// Place in the order of building.
            const fn rank(self) -> u32 {
                match self {
                    Section::Settings => 0,
                    $(Section::$section => $rank,)*
                }
            }
        }
    };
}

sections!(section!);

impl Section {
    /// All sections that are lists, each after those that its objects refer to.
    pub fn in_building_order() -> [Section; Self::LISTS.len()] {
        let mut sections = Self::LISTS;
        sections.sort_by_key(|s| s.rank());
        sections
    }

    /// The section whose objects are called so.
    pub fn of_noun(noun: &str) -> Option<Section> {
        Self::LISTS.into_iter().find(|s| s.noun() == noun)
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}
