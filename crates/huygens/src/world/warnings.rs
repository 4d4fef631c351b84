//! What does not stop a run but should be known.

use huygens_core::Subject;

use crate::spec::WarningKind;

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
    /// Energy that grows without work.
    Energy,
    /// Something else of a kind; its text tells warnings apart.
    Text(Option<WarningKind>),
}

impl About {
    /// The kind by which a scene can silence it.
    fn kind(&self) -> Option<WarningKind> {
        Some(match self {
            Self::ContactSolver | Self::ContactStep => WarningKind::Contact,
            Self::Limits | Self::Constraint(_) => WarningKind::Joints,
            Self::Passage(..) => WarningKind::Passage,
            Self::Compression(_) | Self::Loss(_) => WarningKind::Fluids,
            Self::Energy => WarningKind::Energy,
            Self::Text(kind) => return *kind,
        })
    }
}

/// The warnings of a world, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    about: Vec<About>,
    texts: Vec<String>,
    /// Kinds that are not wanted.
    silenced: Vec<WarningKind>,
}

impl Warnings {
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Drops warnings of these kinds from now on.
    pub fn silence(&mut self, kinds: &[WarningKind]) {
        self.silenced = kinds.to_vec();
    }

    /// Adds a warning unless the very same is there.
    pub fn push(&mut self, text: String) {
        self.push_of(None, text);
    }

    /// Adds a warning of a kind unless the very same is there.
    pub fn push_of(&mut self, kind: impl Into<Option<WarningKind>>, text: String) {
        if !self.texts.contains(&text) {
            self.add(About::Text(kind.into()), text);
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
        if about.kind().is_some_and(|kind| self.silenced.contains(&kind)) {
            return;
        }
        self.about.push(about);
        self.texts.push(text);
    }
}
