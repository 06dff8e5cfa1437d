//! Syntax tree to checked tree: names, scopes, types, constants, and what may stand where.
//!
//! A function here returns `None` for a part that is wrong; the reason is then in the diagnostics already, and whatever
//! depends on the part stays silent. Statements are walked whole even so, because labels are numbered on the way. What SPIN
//! 6.5.2 refuses is refused, apart from `X` in formulas; what it accepts is accepted, apart from embedded C.

mod consts;
mod decls;
mod exprs;
mod formulas;
mod labels;
mod messages;
mod places;
mod scope;
mod stmts;
mod whole;

use std::collections::HashMap;

use burnside_diag::{Diagnostic, FileId, Span};

use crate::ast::{self, Ast, Item};
use crate::typed::{Body, Frame, Never, Proc, ProcId, Program, Start, Trace};
use labels::BodyLabels;
use scope::Scopes;

/// Checks a model; the tree is meaningful only if no diagnostic is an error.
pub(crate) fn check(ast: &Ast, file: FileId) -> (Program, Vec<Diagnostic>) {
    let mut checker = Checker {
        program: Program { uses_last: ast.mentions.last, ..Program::default() },
        scopes: Scopes::new(ast),
        procs: HashMap::new(),
        proc_labels: Vec::new(),
        frame: None,
        body: BodyState::default(),
        context: Context::Global,
        pending_runs: Vec::new(),
        sends: Vec::new(),
        priority: ast.mentions.priority,
        enabled_at: None,
        lost_declarations: ast.lost_declarations,
        diagnostics: Vec::new(),
    };
    checker.program.uses_priority = ast.mentions.priority.is_some();
    checker.collect_procs(ast);
    for item in &ast.items {
        checker.item(item);
    }
    // Claims see everything, wherever they stand.
    for item in &ast.items {
        checker.claim(item);
    }
    checker.report_whole_model(file);
    (checker.program, checker.diagnostics)
}

struct Checker {
    program: Program,
    scopes: Scopes,
    procs: HashMap<String, ProcId>,
    /// Labels of every process type, so that `P[i]@L` may come before `P`.
    proc_labels: Vec<BodyLabels>,
    /// The frame of the body being checked; `None` outside bodies.
    frame: Option<Frame>,
    body: BodyState,
    context: Context,
    /// Every `run`, to be compared with parameters once all are known.
    pending_runs: Vec<PendingRun>,
    /// Fields in each send, to be compared with the longest message of the model.
    sends: Vec<(usize, Span)>,
    priority: Option<Span>,
    /// The first `enabled(…)`.
    enabled_at: Option<Span>,
    /// Some declaration could not be read: an unknown name is then no news.
    lost_declarations: bool,
    diagnostics: Vec<Diagnostic>,
}

/// What is around the current statement.
#[derive(Default)]
struct BodyState {
    labels: BodyLabels,
    /// Labels seen so far; each statement takes the next ones.
    n_labels: usize,
    /// Blocks around, by number.
    path: Vec<u32>,
    n_blocks: u32,
    /// Only declarations so far: they initialise, and are no steps.
    at_start: bool,
    /// The `d_step` around, by number; 0 outside.
    d_step: u32,
    n_d_steps: u32,
    /// The `d_step` in which each loop around begins.
    loops: Vec<u32>,
    n_counters: u32,
}

/// What kind of text is being checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Global,
    Proc(ProcId),
    Never,
    Trace,
    Formula,
}

struct PendingRun {
    proc: ProcId,
    n_args: usize,
    span: Span,
}

impl Checker {
    fn report(&mut self, finding: Diagnostic) {
        self.diagnostics.push(finding);
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Decl(decl) => {
                self.declare_globals(decl);
            }
            Item::Mtype(mtype) => self.declare_mtype(mtype),
            Item::Typedef(typedef) => self.declare_typedef(typedef),
            Item::Proc(proc) => self.proc(proc),
            Item::Never(_) | Item::Trace(_) | Item::Ltl(_) => {}
        }
    }

    fn claim(&mut self, item: &Item) {
        match item {
            Item::Never(never) => self.never(never),
            Item::Trace(trace) => self.trace(trace),
            Item::Ltl(ltl) => self.ltl(ltl),
            Item::Decl(_) | Item::Mtype(_) | Item::Typedef(_) | Item::Proc(_) => {}
        }
    }

    /// Numbers the process types and collects their labels.
    fn collect_procs(&mut self, ast: &Ast) {
        let mut spans: HashMap<&str, Span> = HashMap::new();
        let procs = ast.items.iter().filter_map(|item| match item {
            Item::Proc(proc) => Some(proc),
            _ => None,
        });
        for (index, proc) in procs.enumerate() {
            self.proc_labels.push(labels::collect(&proc.body));
            if proc.is_init {
                continue;
            }
            if let Some(earlier) = spans.insert(&proc.name.text, proc.name.span) {
                let name = &proc.name.text;
                let finding = Diagnostic::error(
                    crate::codes::DUPLICATE_NAME,
                    format!("the process type `{name}` is declared twice"),
                    proc.name.span,
                )
                .label("declared again")
                .also(earlier, "first declared here")
                .help("rename one of them");
                self.report(finding);
            }
            self.procs.insert(proc.name.text.clone(), ProcId(index as u32));
        }
    }

    fn proc(&mut self, proc: &ast::Proc) {
        let id = ProcId(self.program.procs.len() as u32);
        self.frame = Some(Frame::default());
        self.context = Context::Proc(id);
        self.scopes.enter();
        for param in &proc.params {
            self.declare_params(param);
        }
        let n_params = self.frame.as_ref().map_or(0, |frame| frame.slots.len() as u32);
        let provided = proc.provided.as_ref().and_then(|condition| self.condition(condition));
        let labels = self.proc_labels[id.index()].clone();
        let body = self.check_body(&proc.body, labels, proc.end);
        self.scopes.leave();
        let frame = self.frame.take().expect("set above");
        self.context = Context::Global;
        let priority = self.start_priority(proc);
        self.start(proc, id, priority, n_params);
        let (name, is_init, span) = (proc.name.text.clone(), proc.is_init, proc.span);
        self.program.procs.push(Proc { name, is_init, frame, n_params, provided, body, span });
    }

    fn start_priority(&mut self, proc: &ast::Proc) -> u8 {
        let value = proc.priority.as_ref().and_then(|priority| self.constant(priority, "a priority"));
        match (value, &proc.priority) {
            (Some(value), Some(priority)) => self.priority_in_range(value, priority.span),
            _ => 1,
        }
    }

    fn start(&mut self, proc: &ast::Proc, id: ProcId, priority: u8, n_params: u32) {
        let Some(active) = &proc.active else { return };
        let count = match &active.count {
            Some(count) => self.constant(count, "the number of processes").unwrap_or(1),
            None => 1,
        };
        if !(0..=255).contains(&count) {
            let span = active.count.as_ref().map_or(active.span, |count| count.span);
            let finding = Diagnostic::error(
                crate::codes::TOO_MANY_PROCESSES,
                format!("{count} processes cannot exist together"),
                span,
            );
            self.report(finding.help("start at most 255"));
            return;
        }
        if n_params > 0 && count > 0 {
            let message = format!("`{}` is active and has parameters, which are zero then", proc.name.text);
            let finding = Diagnostic::warning(crate::codes::ACTIVE_PARAMETERS, message, proc.name.span);
            self.report(finding.help("start it with `run` to give arguments"));
        }
        self.program.starts.extend((0..count).map(|_| Start { proc: id, priority }));
    }

    fn check_body(&mut self, steps: &[ast::Step], labels: BodyLabels, end: Span) -> Body {
        self.body = BodyState { labels, at_start: true, ..BodyState::default() };
        self.report_duplicate_labels();
        // The braces of a body are a block as any other.
        let steps = self.block(steps, Some(true));
        let labels = std::mem::take(&mut self.body.labels).into_labels();
        Body { steps, labels, end }
    }

    fn never(&mut self, never: &ast::Never) {
        self.frame = Some(Frame::default());
        self.context = Context::Never;
        let body = self.check_body(&never.body, labels::collect(&never.body), never.end);
        let frame = self.frame.take().unwrap_or_default();
        self.context = Context::Global;
        if let Some(var) = frame.vars.first() {
            let message = format!("the claim declares the variable `{}`", var.name);
            let finding = Diagnostic::error(crate::codes::CLAIM_VARIABLE, message, var.span);
            self.report(finding.also(never.span, "this claim").help("declare the variable at the top level"));
        }
        let name = match &never.name {
            Some(name) => name.text.clone(),
            None => format!("never_{}", self.program.nevers.len()),
        };
        self.program.nevers.push(Never { name, body, span: never.span });
    }

    fn trace(&mut self, trace: &ast::Trace) {
        if let Some(earlier) = &self.program.trace {
            let finding =
                Diagnostic::error(crate::codes::DUPLICATE_NAME, "a model has one `trace` or `notrace`", trace.span)
                    .also(earlier.span, "the first one")
                    .help("join them");
            self.report(finding);
            return;
        }
        self.frame = Some(Frame::default());
        self.context = Context::Trace;
        let body = self.check_body(&trace.body, labels::collect(&trace.body), trace.end);
        self.frame = None;
        self.context = Context::Global;
        self.program.trace = Some(Trace { negated: trace.negated, body, span: trace.span });
    }

    fn ltl(&mut self, ltl: &ast::Ltl) {
        self.context = Context::Formula;
        let formula = self.formula(&ltl.formula);
        self.context = Context::Global;
        let name = match &ltl.name {
            Some(name) => name.text.clone(),
            None => format!("ltl_{}", self.program.ltls.len()),
        };
        self.program.ltls.push(crate::typed::Ltl { name, formula, span: ltl.span });
    }
}

#[cfg(test)]
mod tests;
