//! The kinds of objects of a scene.

use std::fmt;

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
