//! What is wrong with a scene file, and where.

use std::error::Error;
use std::fmt;
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::Arc;

/// An error of a scene file; all its data is in [`SceneFault`], which it dereferences to.
#[derive(Clone, Debug)]
pub struct SceneError(Box<SceneFault>);

/// File, line, column, object, what is wrong and what may help.
#[derive(Clone, Debug)]
pub struct SceneFault {
    /// The file.
    pub file: PathBuf,
    /// Its text, as far as it could be read.
    pub text: Arc<str>,
    /// Bytes of the text that are wrong, where they are known.
    pub span: Option<Range<usize>>,
    /// Line of the wrong place, from 1.
    pub line: Option<usize>,
    /// Column of the wrong place in characters, from 1.
    pub column: Option<usize>,
    /// The object, such as `joint 'elbow'`.
    pub object: Option<String>,
    /// What is wrong, and what was expected.
    pub problem: String,
    /// What may help, such as the nearest name.
    pub suggestion: Option<String>,
    /// The error of the engine, where the file itself is sound.
    pub cause: Option<Arc<dyn Error + Send + Sync>>,
    /// Whether the input is wrong, rather than the simulation having failed on its way.
    pub from_input: bool,
}

impl Deref for SceneError {
    type Target = SceneFault;
    fn deref(&self) -> &SceneFault {
        &self.0
    }
}

impl SceneError {
    pub(crate) fn new(file: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self(Box::new(SceneFault {
            file: file.into(),
            text: "".into(),
            span: None,
            line: None,
            column: None,
            object: None,
            problem: problem.into(),
            suggestion: None,
            cause: None,
            from_input: true,
        }))
    }

    pub(crate) fn at(mut self, text: &Arc<str>, span: Range<usize>) -> Self {
        let start = floor_char(text, span.start);
        let end = floor_char(text, span.end.max(start));
        let before = &text[..start];
        self.0.line = Some(1 + before.bytes().filter(|b| *b == b'\n').count());
        self.0.column = Some(1 + before.rsplit('\n').next().map_or(0, |l| l.chars().count()));
        self.0.text = text.clone();
        self.0.span = Some(start..end);
        self
    }

    /// Names the object that is wrong, such as `joint 'elbow'`.
    #[must_use]
    pub fn of(mut self, object: Option<String>) -> Self {
        self.0.object = object;
        self
    }

    /// The problem is that of a part of the object, such as `wall 'floor'`.
    pub(crate) fn within(mut self, part: &str) -> Self {
        self.0.problem = format!("{part}: {}", self.0.problem);
        self
    }

    /// Says what may have been meant.
    #[must_use]
    pub fn suggesting(mut self, suggestion: Option<String>) -> Self {
        self.0.suggestion = suggestion;
        self
    }

    /// Keeps the error of an engine that found the fault; `is_input` is false if the scene is sound and its simulation
    /// failed.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Error + Send + Sync + 'static, is_input: bool) -> Self {
        self.0.cause = Some(Arc::new(cause));
        self.0.from_input = is_input;
        self
    }

    /// Whether the input is wrong, rather than the simulation having failed on its way.
    pub fn is_input(&self) -> bool {
        self.from_input
    }
}

/// The nearest boundary of characters at or before a byte.
fn floor_char(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if let Some(object) = &self.object {
            write!(f, "{object}: ")?;
        }
        f.write_str(&self.problem)?;
        match &self.suggestion {
            Some(s) => write!(f, "; did you mean '{s}'?"),
            None => Ok(()),
        }
    }
}

impl Error for SceneError {}
