//! The subjects of errors.

use std::borrow::Cow;
use std::fmt;

/// An object of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// Its kind, such as `joint`.
    pub kind: Cow<'static, str>,
    /// Its name.
    pub name: String,
}

impl ObjectRef {
    /// An object of a kind and a name.
    pub fn new(kind: impl Into<Cow<'static, str>>, name: impl Into<String>) -> Self {
        Self { kind: kind.into(), name: name.into() }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} '{}'", self.kind, self.name)
    }
}

/// The subject of an error, in words, and the object to which these words refer.
///
/// ```
/// use huygens_core::{ObjectRef, Subject};
///
/// let elbow = Subject::object("joint", "elbow");
/// let row = elbow.map(|joint| format!("the reaction of {joint}"));
/// assert_eq!(row.to_string(), "the reaction of joint 'elbow'");
/// assert_eq!(row.about(), Some(&ObjectRef::new("joint", "elbow")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    text: String,
    /// In a box, so that errors stay small.
    object: Option<Box<ObjectRef>>,
}

impl Subject {
    /// An object as a whole, such as `joint 'elbow'`.
    pub fn object(kind: impl Into<Cow<'static, str>>, name: impl Into<String>) -> Self {
        ObjectRef::new(kind, name).into()
    }

    /// A part of an object, such as `node 3 of structure 'net'`.
    pub fn part(what: impl fmt::Display, object: ObjectRef) -> Self {
        Self { text: format!("{what} of {object}"), object: Some(Box::new(object)) }
    }

    /// Other words that refer to the same object.
    pub fn map<T: Into<String>>(self, words: impl FnOnce(&str) -> T) -> Self {
        Self { text: words(&self.text).into(), object: self.object }
    }

    /// The object referred to, if any.
    pub fn about(&self) -> Option<&ObjectRef> {
        self.object.as_deref()
    }

    /// The words.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl From<ObjectRef> for Subject {
    fn from(object: ObjectRef) -> Self {
        Self { text: object.to_string(), object: Some(Box::new(object)) }
    }
}

impl From<String> for Subject {
    /// Words that refer to no particular object.
    fn from(text: String) -> Self {
        Self { text, object: None }
    }
}

impl From<&str> for Subject {
    /// Words that refer to no particular object.
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
