//! Bodies as automata, with the places and steps of SPIN's verifier before any of its optimisations.
//!
//! SPIN counts states, so which places a process can stand at is part of the language: whether a `goto` is a step, where
//! an `atomic` begins and ends, which option of a nested selection belongs to the outer one. None of this is in the manual
//! in full; the rules here were checked against `spin -a -o1 -o2 -o3` (SPIN 6.5.2). The way is the same as SPIN's:
//!
//! 1. `elements` lays every body out as linked elements, in the order in which SPIN numbers them, so that a
//!    [`Location`] has SPIN's own state number;
//! 2. `marks` says which elements lie in an `atomic` or `d_step` and which escapes of `unless` concern them;
//! 3. `link` finds out where control goes after each element;
//! 4. `table` pulls the first steps of options and blocks up to where they are chosen from, and adds escapes.
//!
//! A `d_step` is one [`Action`] with a small deterministic program of its own, [`DStep`] (`det`).

mod det;
mod elements;
mod link;
mod marks;
mod table;

use burnside_diag::{Diagnostic, Span};

use crate::codes;
use crate::typed::{Basic, Body, LabelId, Program};
use elements::Builder;

/// A place where a process can stand: SPIN's state number, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(pub u32);

impl Location {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One of the actions of an automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub u32);

impl ActionId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All automata of a model.
#[derive(Debug, Clone)]
pub struct Flow {
    /// By `ProcId`.
    pub procs: Vec<Automaton>,
    /// By the order of `Program::nevers`.
    pub nevers: Vec<Automaton>,
    /// Of the `trace` or `notrace`.
    pub trace: Option<Automaton>,
}

/// What a body does.
#[derive(Debug, Clone)]
pub struct Automaton {
    /// What can be done at each location; index 0 is nowhere.
    pub nodes: Vec<Node>,
    /// What moves do. The number of an action is the SPIN state number of the statement it comes from.
    pub actions: Vec<Step>,
    /// Where it begins.
    pub start: Location,
    /// The closing brace.
    pub end: Location,
    /// Where each label stands.
    pub labels: Vec<Location>,
}

impl Automaton {
    /// The moves from a location.
    pub fn moves(&self, at: Location) -> &[Move] {
        &self.nodes[at.index()].moves
    }

    /// What a move does.
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.index()].action
    }
}

/// A location and its properties.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// In this order: an `else` looks at the moves before it, and an escape is tried before what it escapes from.
    pub moves: Vec<Move>,
    /// Whether a process may rest here for ever: an `end` label or the closing brace.
    pub valid_end: bool,
    /// An `accept` label.
    pub accept: bool,
    /// A `progress` label.
    pub progress: bool,
    /// The statement that stands here.
    pub span: Span,
}

/// One step a process can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// What it does.
    pub action: ActionId,
    /// Where it leads; nowhere when the process is gone.
    pub to: Option<Location>,
    /// Whether the process goes on exclusively: nobody else moves until it blocks or makes a move without this.
    pub atomic: bool,
    /// The escape this move belongs to, by its first location. If a move of an escape can be made, moves behind it that
    /// do not belong to the same escape cannot.
    pub escape: Option<Location>,
}

/// A statement as an action.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// Where it is written.
    pub span: Span,
}

/// What a move does.
#[derive(Debug, Clone)]
pub enum Action {
    /// Nothing: a jump, or the end of a selection.
    Jump,
    /// Possible only if no move before it was.
    Else,
    /// A statement.
    Basic(Basic),
    /// A whole `d_step`.
    DStep(DStep),
    /// The process dies, which only the youngest can.
    Terminate,
    /// An element that is no step of its own; no move has this.
    Structure,
}

/// A deterministic program that runs in one step.
#[derive(Debug, Clone)]
pub struct DStep {
    /// It can begin if one of these can, or if there are none.
    pub guards: Vec<Guard>,
    /// Its statements.
    pub nodes: Vec<DetNode>,
    /// The first one.
    pub start: DetTarget,
}

/// What lets a `d_step` begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// This statement could be executed.
    Statement(ActionId),
    /// An `else` inside the `d_step`.
    Always,
    /// An `else` in front of everything: it speaks about the selection around the `d_step`.
    OuterElse,
}

/// A statement inside a `d_step`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetNode {
    /// What it does.
    pub action: ActionId,
    /// Where it goes on.
    pub next: DetTarget,
    /// Where it goes on if the statement cannot be executed.
    pub blocked: Blocked,
}

/// A place inside a `d_step`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetTarget {
    /// A statement, by its index in [`DStep::nodes`].
    Node(u32),
    /// The end.
    Exit,
}

/// What happens when a statement inside a `d_step` cannot be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// The next option is tried.
    Try(DetTarget),
    /// An error: a statement inside a `d_step` blocks.
    Statement,
    /// An error: a selection inside a `d_step` has no option.
    Selection,
}

/// Builds the automata of a checked model, and says what is wrong with their shape.
pub(crate) fn build(program: &Program) -> (Flow, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut automaton = |body: &Body, is_claim: bool| {
        let (automaton, found) = build_body(body, is_claim);
        diagnostics.extend(found);
        automaton
    };
    let procs = program.procs.iter().map(|proc| automaton(&proc.body, false)).collect();
    let nevers = program.nevers.iter().map(|never| automaton(&never.body, true)).collect();
    let trace = program.trace.as_ref().map(|trace| automaton(&trace.body, true));
    (Flow { procs, nevers, trace }, diagnostics)
}

fn build_body(body: &Body, is_claim: bool) -> (Automaton, Vec<Diagnostic>) {
    let mut layout = Builder::lay_out(body, is_claim);
    layout.tie_loose_ends();
    let rows = link::rows(&mut layout);
    let automaton = table::automaton(&mut layout, rows, &body.labels);
    let mut diagnostics: Vec<Diagnostic> = layout.jump_cycles.iter().map(|&span| jump_cycle(span)).collect();
    diagnostics.extend(report_shape(&automaton, is_claim));
    (automaton, diagnostics)
}

fn jump_cycle(span: Span) -> Diagnostic {
    Diagnostic::error(codes::JUMP_CYCLE, "these jumps lead in a circle without a statement", span)
        .help("put a statement, such as `skip`, behind one of the labels")
}

/// What SPIN's verifier would say when it starts.
fn report_shape(automaton: &Automaton, is_claim: bool) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (index, node) in automaton.nodes.iter().enumerate() {
        let elses: Vec<Span> = node
            .moves
            .iter()
            .filter(|step| matches!(automaton.action(step.action), Action::Else))
            .map(|step| automaton.actions[step.action.index()].span)
            .collect();
        if let [first, second, ..] = elses.as_slice() {
            let finding = Diagnostic::error(
                codes::INHERITED_ELSE,
                "this `else` and that of a nested selection belong to one choice",
                *second,
            )
            .also(*first, "the other `else`")
            .help(
                "an option that begins with a selection adds its options to the outer one: put a statement before it",
            );
            diagnostics.push(finding);
        }
        let idle = |step: &&Move| {
            step.to == Some(Location(index as u32)) && is_true(automaton.action(step.action)) && !is_claim
        };
        if let Some(step) = node.moves.iter().find(idle) {
            let span = automaton.actions[step.action.index()].span;
            let finding = Diagnostic::warning(codes::IDLE_LOOP, "this loop can go round for ever without effect", span);
            diagnostics.push(finding.help("SPIN refuses to run such a model; leave the option out"));
        }
    }
    diagnostics.dedup_by_key(|finding| (finding.code, finding.primary.span));
    diagnostics
}

/// Whether an action is a condition written as the constant 1.
fn is_true(action: &Action) -> bool {
    use crate::typed::ExprKind;
    matches!(action, Action::Basic(Basic::Condition(expr)) if matches!(expr.kind, ExprKind::Const(1)))
}

/// Where a label stands.
impl Automaton {
    /// The location of a label.
    pub fn label(&self, label: LabelId) -> Location {
        self.labels[label.index()]
    }
}

#[cfg(test)]
mod tests;
