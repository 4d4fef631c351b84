//! Where a field stands in an object.

use std::fmt;

/// Keys and places in lists that lead from an object to one of its fields, such as `shapes.0.file`.
#[derive(Clone, Copy, Debug)]
pub struct KeyPath<'a> {
    before: Option<&'a KeyPath<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Object,
    Key(&'a str),
    Index(usize),
}

impl<'a> KeyPath<'a> {
    /// The object itself.
    pub const OBJECT: Self = Self { before: None, step: Step::Object };

    /// The field with a key.
    pub const fn key(&'a self, key: &'a str) -> Self {
        Self { before: Some(self), step: Step::Key(key) }
    }

    /// The item of a list, counted from 0.
    pub const fn index(&'a self, index: usize) -> Self {
        Self { before: Some(self), step: Step::Index(index) }
    }

    /// The key of the field; of an item of a list that of the list.
    pub fn last_key(&self) -> &str {
        match (self.step, self.before) {
            (Step::Key(key), _) => key,
            (_, Some(before)) => before.last_key(),
            (_, None) => "",
        }
    }
}

impl fmt::Display for KeyPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(before) = self.before {
            before.fmt(f)?;
            if !matches!(before.step, Step::Object) {
                f.write_str(".")?;
            }
        }
        match self.step {
            Step::Object => Ok(()),
            Step::Key(key) => f.write_str(key),
            Step::Index(index) => write!(f, "{index}"),
        }
    }
}
