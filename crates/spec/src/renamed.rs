//! Keys and types that had another name once: the old one is refused, and the message says the new one.
//!
//! A renamed key stands among the known ones of its table as a mark, `old -> new`, which no file can match. With
//! [`Tagged`](crate::Tagged) it is written `#[tagged(was = "old")]` on the field or the type; on a field of a struct that
//! derives `Deserialize` it is `#[serde(alias = "old -> new")]`, as serde lists aliases among the known keys.

/// What stands between the old and the new name in a mark.
pub const ARROW: &str = " -> ";

/// The name that replaces an old one, if one of the known names is its mark.
pub fn name_now(old: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().filter_map(|name| name.split_once(ARROW)).find(|(was, _)| *was == old).map(|(_, now)| now)
}

/// The names that are in use.
pub fn in_use<'a>(known: &'a [&'static str]) -> impl Iterator<Item = &'static str> + 'a {
    known.iter().copied().filter(|name| !name.contains(ARROW))
}
