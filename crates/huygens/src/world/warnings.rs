//! What does not stop a run but should be known.

use huygens_core::Subject;

/// What a warning is about: there is one for each thing at most.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    /// The contact solver missed its tolerance.
    ContactSolver,
    /// The step is longer than contacts allow.
    ContactStep,
    /// Limits that contradict each other.
    Limits,
    /// A constraint that does not hold.
    Constraint(Subject),
    /// A body that passed into another.
    Passage(String, String),
    /// A fluid that is compressed.
    Compression(String),
    /// A fluid whose particles leave its bounds.
    Loss(String),
    /// Something else; its text tells warnings apart.
    Text,
}

/// The warnings of a world, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    about: Vec<About>,
    texts: Vec<String>,
}

impl Warnings {
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Adds a warning unless the very same is there.
    pub fn push(&mut self, text: String) {
        if !self.texts.contains(&text) {
            self.add(About::Text, text);
        }
    }

    /// Whether there is a warning about this.
    pub fn has(&self, about: &About) -> bool {
        self.about.contains(about)
    }

    /// Adds a warning unless there is one about the same.
    pub fn once(&mut self, about: About, text: impl FnOnce() -> String) {
        if !self.has(&about) {
            self.add(about, text());
        }
    }

    /// Puts a warning in the place of those about the same; none takes them away.
    pub fn replace(&mut self, about: About, text: Option<String>) {
        let kept: Vec<bool> = self.about.iter().map(|a| *a != about).collect();
        let mut keep = kept.iter();
        self.texts.retain(|_| *keep.next().unwrap_or(&true));
        self.about.retain(|a| *a != about);
        text.into_iter().for_each(|text| self.add(about.clone(), text));
    }

    fn add(&mut self, about: About, text: String) {
        self.about.push(about);
        self.texts.push(text);
    }
}
