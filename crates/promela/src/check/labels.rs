//! Labels and the jumps to them.

use burnside_diag::{Diagnostic, Span};

use super::Checker;
use crate::ast::{Name, Step, StepKind};
use crate::codes;
use crate::typed::{Label, LabelId};

/// The labels of one body, in the order of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct BodyLabels {
    found: Vec<Found>,
}

#[derive(Debug, Clone)]
struct Found {
    label: Label,
    /// Blocks around it, by number.
    path: Vec<u32>,
    /// The inline it came from.
    inline: Option<Span>,
    /// The `d_step` around it.
    d_step: u32,
}

/// Collects the labels of a body. Blocks and `d_step`s are numbered as [`Checker`] numbers them.
pub(super) fn collect(steps: &[Step]) -> BodyLabels {
    let mut collector = Collector::default();
    collector.block(steps, None);
    collector.labels
}

#[derive(Default)]
struct Collector {
    labels: BodyLabels,
    path: Vec<u32>,
    n_blocks: u32,
    d_step: u32,
    n_d_steps: u32,
}

impl Collector {
    fn block(&mut self, steps: &[Step], inline: Option<Span>) {
        self.n_blocks += 1;
        self.path.push(self.n_blocks);
        self.steps(steps, inline);
        self.path.pop();
    }

    fn steps(&mut self, steps: &[Step], inline: Option<Span>) {
        for step in steps {
            self.step(step, inline);
        }
    }

    fn step(&mut self, step: &Step, inline: Option<Span>) {
        for name in &step.labels {
            let label = Label { name: name.text.clone(), span: name.span, remote: false };
            self.labels.found.push(Found { label, path: self.path.clone(), inline, d_step: self.d_step });
        }
        match &step.kind {
            StepKind::If(branches) | StepKind::Do(branches) => {
                for branch in branches {
                    self.steps(&branch.body, inline);
                }
            }
            StepKind::ForRange { body, .. } | StepKind::ForIn { body, .. } => self.block(body, inline),
            StepKind::Atomic(body) | StepKind::Block(body) => self.block(body, inline),
            StepKind::DStep(body) => {
                let outer = self.d_step;
                if outer == 0 {
                    self.n_d_steps += 1;
                    self.d_step = self.n_d_steps;
                }
                self.block(body, inline);
                self.d_step = outer;
            }
            StepKind::Inline { body, definition, .. } => self.block(body, Some(*definition)),
            StepKind::Unless(main, escape) => {
                self.step(main, inline);
                self.step(escape, inline);
            }
            _ => {}
        }
    }
}

impl BodyLabels {
    pub(super) fn into_labels(self) -> Vec<Label> {
        self.found.into_iter().map(|found| found.label).collect()
    }

    /// The label a jump from `path` means: one in the same block, else the first in a block around, else any.
    fn target(&self, name: &str, path: &[u32]) -> Option<LabelId> {
        let named = || self.found.iter().enumerate().filter(|(_, found)| found.label.name == name);
        let same = named().rev().find(|(_, found)| found.path == path);
        let around = || named().find(|(_, found)| path.starts_with(&found.path));
        let found = same.or_else(around).or_else(|| named().next_back());
        found.map(|(index, _)| LabelId(index as u32))
    }

    /// The label that a reference from outside means: the one declared last.
    pub(super) fn remote_target(&mut self, name: &str) -> Option<LabelId> {
        let index = self.found.iter().rposition(|found| found.label.name == name)?;
        self.found[index].label.remote = true;
        Some(LabelId(index as u32))
    }
}

impl Checker {
    pub(super) fn report_duplicate_labels(&mut self) {
        let found = std::mem::take(&mut self.body.labels.found);
        for (index, later) in found.iter().enumerate() {
            let clash = found[..index].iter().find(|earlier| {
                earlier.label.name == later.label.name
                    && earlier.inline == later.inline
                    && later.path.starts_with(&earlier.path)
            });
            if let Some(earlier) = clash {
                let message = format!("the label `{}` is declared twice", later.label.name);
                let finding = Diagnostic::error(codes::DUPLICATE_LABEL, message, later.label.span)
                    .also(earlier.label.span, "first declared here")
                    .help("rename one of them; labels that begin with `end`, `accept` or `progress` may go on with digits");
                self.report(finding);
            }
        }
        self.body.labels.found = found;
    }

    /// Takes the numbers of the labels in front of a statement.
    pub(super) fn take_labels(&mut self, names: &[Name]) -> Vec<LabelId> {
        let first = self.body.n_labels;
        self.body.n_labels += names.len();
        (first..self.body.n_labels).map(|index| LabelId(index as u32)).collect()
    }

    pub(super) fn goto(&mut self, name: &Name) -> Option<LabelId> {
        let Some(target) = self.body.labels.target(&name.text, &self.body.path) else {
            let message = format!("there is no label `{}` in this process", name.text);
            let mut finding = Diagnostic::error(codes::UNKNOWN_LABEL, message, name.span)
                .help(format!("write `{}:` in front of a statement of the same process", name.text));
            if self.lost_declarations {
                return None;
            }
            if self.proc_labels.iter().any(|labels| labels.found.iter().any(|found| found.label.name == name.text)) {
                finding = finding.help("a jump cannot leave its process; the label belongs to another one");
            }
            self.report(finding);
            return None;
        };
        let label = &self.body.labels.found[target.index()];
        if label.d_step != self.body.d_step {
            let message = format!("this jump to `{}` leaves or enters a `d_step`", name.text);
            let finding = Diagnostic::error(codes::D_STEP_JUMP, message, name.span)
                .also(label.label.span, "the label is here")
                .help("use `atomic`, or put the jump behind the `d_step`");
            self.report(finding);
            return None;
        }
        Some(target)
    }

    pub(super) fn check_break(&mut self, span: Span) -> bool {
        let (code, message, help) = match self.body.loops.last() {
            None => (codes::STRAY_BREAK, "`break` stands in no loop", "use it inside `do … od` or `for`"),
            Some(&d_step) if d_step != self.body.d_step => (
                codes::D_STEP_JUMP,
                "this `break` leaves a `d_step`",
                "use `atomic`, or put the `break` behind the `d_step`",
            ),
            Some(_) => return true,
        };
        self.report(Diagnostic::error(code, message, span).help(help));
        false
    }

    /// The first statement of a block has no place of its own to jump to, unless it is a loop.
    pub(super) fn check_first_label(&mut self, steps: &[Step], word: &str) {
        let Some(first) = steps.first() else { return };
        let has_place = match &first.kind {
            StepKind::Do(_) | StepKind::ForRange { .. } | StepKind::ForIn { .. } => true,
            StepKind::Select { literal, .. } => !literal,
            _ => false,
        };
        let labels = match &first.kind {
            StepKind::Unless(main, _) => &main.labels,
            _ => &first.labels,
        };
        if let Some(label) = labels.first().filter(|_| !has_place) {
            let message = format!("the label `{}` stands on the first statement of {word}", label.text);
            let finding = Diagnostic::error(codes::LABEL_ON_FIRST, message, label.span);
            self.report(finding.help(format!("put the label in front of {word}")));
        }
    }
}
