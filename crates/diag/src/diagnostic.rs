//! What we say about a model: one value for the terminal and for JSON.

use crate::Span;

/// The stable name of a kind of diagnostic, such as `value-out-of-range`. Scripts and the documentation refer to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// How bad it is. Only errors keep a model from being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// Probably a mistake.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word that introduces the message.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A place with a few words about it; the words may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What it has to do with the message.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable name of the kind.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One line, complete without the labels: lower case, no final stop, names in backticks.
    pub message: String,
    /// Where it is.
    pub primary: Label,
    /// Other places that explain the first.
    pub secondary: Vec<Label>,
    /// What to do about it: an action, never a restatement.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Error, code, message, span)
    }

    /// A warning at `span`.
    pub fn warning(code: Code, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Warning, code, message, span)
    }

    /// A note at `span`.
    pub fn note(code: Code, message: impl Into<String>, span: Span) -> Self {
        Self::new(Severity::Note, code, message, span)
    }

    fn new(severity: Severity, code: Code, message: impl Into<String>, span: Span) -> Self {
        let primary = Label { span, text: String::new() };
        Self { code, severity, message: message.into(), primary, secondary: Vec::new(), help: None }
    }

    /// Words under the caret.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// A second place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// The remedy.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Whether this keeps the model from being checked.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
