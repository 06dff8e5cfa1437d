//! What an engine is asked to do.

use std::num::NonZeroUsize;
use std::ops::Deref;

use burnside_diag::Span;
use burnside_ir::{Layout, Model};
use burnside_step::{Code, Question};

use crate::{AuditMode, Declined, Monitor, Report, Saved};

/// A way to find out whether a model's properties hold.
pub trait Engine {
    /// The name used on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Everything this engine cannot treat, found before any search begins.
    fn admit(&self, task: &Task<'_>) -> Result<(), Unsupported>;

    /// Searches until the verdict is known, `monitor` says to stop, or it turns out that another engine should be asked.
    fn check(&self, task: &Task<'_>, monitor: &Monitor) -> Result<Report, Declined>;
}

/// A question and the wishes about how it is answered, which change nothing about the answer.
#[derive(Debug, Clone, Copy)]
pub struct Task<'m> {
    /// The question.
    pub question: Question<'m>,
    /// In which order states are expanded.
    pub order: SearchOrder,
    /// How many threads may search. What is found, and what is counted, does not depend on it.
    pub threads: NonZeroUsize,
    /// What is kept of visited states.
    pub store: StoreMode,
    /// Whether rules are compiled to native code, where the compiler treats the model.
    pub native: bool,
    /// Native code that another engine has made for the same question, all rules at once.
    pub code: Option<&'m Code>,
    /// Whether an engine may decline because it does not pay. That it cannot explain what it has found is always a reason.
    pub may_decline: bool,
    /// Whether the states that stored ones stand for are counted, which needs one thread.
    pub counts_orbits: bool,
    /// Whether the stored states are to be handed back if everything holds.
    pub keeps_states: bool,
    /// Whether a search that is cut short is to be handed back, so that it can go on later.
    pub pauses: bool,
    /// The search to go on with, which was made for the same task by the same engine.
    pub resumed: Option<&'m Saved>,
    /// Which states are looked at twice.
    pub audit: AuditMode,
}

impl<'m> Task<'m> {
    /// Everything about a model, with the usual settings.
    pub fn new(model: &'m Model, layout: &'m Layout) -> Self {
        Self::of(Question::new(model, layout))
    }

    /// A question with the usual settings.
    pub fn of(question: Question<'m>) -> Self {
        Self {
            question,
            order: SearchOrder::BreadthFirst,
            threads: NonZeroUsize::MIN,
            store: StoreMode::Exact,
            native: true,
            code: None,
            may_decline: false,
            counts_orbits: false,
            keeps_states: false,
            pauses: false,
            resumed: None,
            audit: AuditMode::default(),
        }
    }
}

/// A task is asked what its question is asked.
impl<'m> Deref for Task<'m> {
    type Target = Question<'m>;

    fn deref(&self) -> &Question<'m> {
        &self.question
    }
}

/// Which state is expanded next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SearchOrder {
    /// The one found first; traces are shortest.
    BreadthFirst,
    /// The one found last.
    DepthFirst,
}

/// What is kept of visited states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreMode {
    /// Everything, as it is.
    Exact,
    /// Everything, with parts that occur in several states stored once: slower, less memory for large states.
    Compressed,
    /// 64 bits of hash: a search that finds nothing is inconclusive.
    Fingerprint,
}

/// Something an engine cannot treat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub feature: String,
    /// Where the model uses it.
    pub span: Span,
}
