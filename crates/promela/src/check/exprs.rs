//! Expressions.

use burnside_diag::{Diagnostic, Span};

use super::places::Referent;
use super::{Checker, Context, PendingRun};
use crate::ast::{self, BinaryOp, ChanOp, UnaryOp};
use crate::codes;
use crate::typed::{Expr, ExprKind, ProcId, Run};

/// Where an expression stands, as far as it matters for what it may hold.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Position {
    /// `full`, `empty` and their opposites may stand here: never below a negation or comparison.
    probes: bool,
    /// `run` may stand here.
    run: bool,
}

impl Checker {
    /// An expression below something else.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Option<Expr> {
        self.expr(expr, Position::default())
    }

    /// A condition that is not a statement: of an assertion or a `provided`.
    pub(super) fn condition(&mut self, expr: &ast::Expr) -> Option<Expr> {
        self.expr(expr, Position { probes: true, run: false })
    }

    /// An expression as a statement: alone, it may start a process.
    pub(super) fn statement_condition(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let run = matches!(expr.kind, ast::ExprKind::Run { .. });
        self.expr(expr, Position { probes: true, run })
    }

    /// The right side of an assignment.
    pub(super) fn assigned(&mut self, expr: &ast::Expr) -> Option<Expr> {
        self.expr(expr, Position { probes: true, run: true })
    }

    /// Values for a message or for parameters: structures count as all their fields.
    pub(super) fn arguments(&mut self, args: &[ast::Expr]) -> Option<Vec<Expr>> {
        let mut out = Some(Vec::new());
        for arg in args {
            if let ast::ExprKind::Var(var) = &arg.kind
                && let Some(Referent::Whole(places)) = self.whole(var)
            {
                let reads = places.into_iter().map(|place| Expr { span: place.span, kind: ExprKind::Read(place) });
                if let Some(out) = &mut out {
                    out.extend(reads);
                }
                continue;
            }
            match (self.value(arg), &mut out) {
                (Some(value), Some(out)) => out.push(value),
                _ => out = None,
            }
        }
        out
    }

    /// The referent if it is a structure; anything else is left to [`value`](Self::value), with its diagnostics.
    pub(super) fn whole(&mut self, var: &ast::VarRef) -> Option<Referent> {
        let n_findings = self.diagnostics.len();
        let found = self.referent(var);
        match found {
            Some(Referent::Whole(_)) => found,
            _ => {
                self.diagnostics.truncate(n_findings);
                None
            }
        }
    }

    fn expr(&mut self, expr: &ast::Expr, position: Position) -> Option<Expr> {
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Number(value) => ExprKind::Const(*value),
            ast::ExprKind::Var(var) => self.read(var)?,
            ast::ExprKind::Unary(operator, inner) => {
                self.check_negated_probe(*operator, inner)?;
                ExprKind::Unary(*operator, Box::new(self.expr(inner, Position { probes: false, ..position })?))
            }
            ast::ExprKind::Binary(operator, left, right) => {
                let probes = position.probes && matches!(operator, BinaryOp::And | BinaryOp::Or);
                let (left, right) = (
                    self.expr(left, Position { probes, ..position }),
                    self.expr(right, Position { probes, ..position }),
                );
                ExprKind::Binary(*operator, Box::new(left?), Box::new(right?))
            }
            ast::ExprKind::Conditional(condition, yes, no) => {
                let parts = [condition, yes, no].map(|part| self.expr(part, Position { probes: false, ..position }));
                let [condition, yes, no] = parts.map(|part| part.map(Box::new));
                ExprKind::Conditional(condition?, yes?, no?)
            }
            ast::ExprKind::Run { proc, args, priority } => {
                self.check_run_position(position, span);
                self.run(proc, args, priority.as_deref(), span)?
            }
            ast::ExprKind::Chan(operator, chan) => {
                self.check_probe(*operator, position, span)?;
                ExprKind::Chan(*operator, self.channel(chan)?)
            }
            ast::ExprKind::Poll { chan, args, random } => {
                let (chan, pattern) = (self.channel(chan), self.pattern(args));
                let (chan, pattern) = (chan?, pattern?);
                self.check_message(&chan, pattern.len(), span);
                ExprKind::Poll { chan, pattern, random: *random }
            }
            ast::ExprKind::Timeout => ExprKind::Timeout,
            ast::ExprKind::NonProgress => {
                self.check_np(span)?;
                ExprKind::NonProgress
            }
            ast::ExprKind::Enabled(pid) => {
                self.enabled_at.get_or_insert(span);
                ExprKind::Enabled(Box::new(self.value(pid)?))
            }
            ast::ExprKind::PcValue(pid) => ExprKind::PcValue(Box::new(self.value(pid)?)),
            ast::ExprKind::GetPriority(pid) => ExprKind::GetPriority(Box::new(self.value(pid)?)),
            ast::ExprKind::RemoteLabel { proc, pid, label } => self.remote_label(proc, pid.as_deref(), label)?,
            ast::ExprKind::RemoteVar { proc, pid, var } => self.remote_var(proc, pid.as_deref(), var)?,
            ast::ExprKind::Temporal(..) => {
                let finding = Diagnostic::warning(
                    codes::TEMPORAL_OPERAND,
                    "a temporal operator stands below an operator on numbers, and the formula cannot be checked",
                    span,
                );
                self.report(finding.help("put the comparison in parentheses, as in `[] (x == 1)`"));
                return None;
            }
        };
        Some(Expr { kind, span })
    }

    fn read(&mut self, var: &ast::VarRef) -> Option<ExprKind> {
        match self.referent(var)? {
            Referent::Place(place) => Some(ExprKind::Read(place)),
            Referent::Const(_, value) => Some(ExprKind::Const(value)),
            Referent::Builtin(builtin) => {
                self.builtin_allowed(builtin, var.span)?;
                Some(ExprKind::Builtin(builtin))
            }
            Referent::Whole(_) => {
                let finding = Diagnostic::error(codes::STRUCT_VALUE, "a structure has no single value", var.span);
                self.report(finding.help("name one of its fields; only messages and arguments take all of them"));
                None
            }
            Referent::Discard => {
                let finding = Diagnostic::error(codes::WRITE_ONLY, "`_` has no value", var.span);
                self.report(finding.help("use a variable of your own"));
                None
            }
        }
    }

    /// SPIN has opposites instead of negations, because its partial order reduction looks at these operators.
    fn check_negated_probe(&mut self, operator: UnaryOp, inner: &ast::Expr) -> Option<()> {
        let ast::ExprKind::Chan(probe, _) = &inner.kind else { return Some(()) };
        let (word, opposite) = match probe {
            ChanOp::Len => return Some(()),
            ChanOp::Full => ("full", "nfull"),
            ChanOp::Empty => ("empty", "nempty"),
            ChanOp::NotFull => ("nfull", "full"),
            ChanOp::NotEmpty => ("nempty", "empty"),
        };
        if operator != UnaryOp::Not || self.context == Context::Formula {
            return Some(());
        }
        let finding = Diagnostic::error(codes::NEGATED_PROBE, format!("`{word}` cannot be negated"), inner.span);
        self.report(finding.help(format!("write `{opposite}` instead of `!{word}`")));
        None
    }

    fn check_probe(&mut self, operator: ChanOp, position: Position, span: Span) -> Option<()> {
        if operator == ChanOp::Len || position.probes || self.context == Context::Formula {
            return Some(());
        }
        let message = "`full`, `empty`, `nfull` and `nempty` only combine with `&&` and `||`";
        let finding = Diagnostic::error(codes::NEGATED_PROBE, message, span);
        self.report(finding.help("use `len` in arithmetic and comparisons"));
        None
    }

    fn check_np(&mut self, span: Span) -> Option<()> {
        if matches!(self.context, Context::Never | Context::Formula) {
            return Some(());
        }
        let finding = Diagnostic::error(codes::CLAIM_ONLY, "`np_` is for claims only", span);
        self.report(finding.help("use it in a `never` or `ltl`"));
        None
    }

    fn check_run_position(&mut self, position: Position, span: Span) {
        let (message, help) = match self.context {
            Context::Proc(_) if self.body.d_step != 0 => {
                ("a process is started inside a `d_step`", "use `atomic`, which may hold `run`")
            }
            Context::Proc(_) if position.run => return,
            Context::Proc(_) => (
                "`run` stands inside a larger expression",
                "make it a statement of its own, or assign it to a variable first",
            ),
            _ => ("`run` stands outside a process", "start the process in `init`, or declare it `active`"),
        };
        self.report(Diagnostic::error(codes::RUN_POSITION, message, span).help(help));
    }

    fn proc_named(&mut self, name: &ast::Name) -> Option<ProcId> {
        let found = self.procs.get(&name.text).copied();
        if found.is_none() && !self.lost_declarations {
            let message = format!("there is no process type `{}`", name.text);
            let finding = Diagnostic::error(codes::UNKNOWN_PROCESS, message, name.span);
            self.report(finding.help("declare it with `proctype`; upper and lower case are different"));
        }
        found
    }

    fn run(
        &mut self,
        proc: &ast::Name,
        args: &[ast::Expr],
        priority: Option<&ast::Expr>,
        span: Span,
    ) -> Option<ExprKind> {
        let id = self.proc_named(proc);
        let args = self.arguments(args);
        let priority = match priority {
            Some(priority) => {
                let value = self.constant(priority, "a priority")?;
                self.priority_in_range(value, priority.span)
            }
            None => 1,
        };
        let (id, args) = (id?, args?);
        self.pending_runs.push(PendingRun { proc: id, n_args: args.len(), span });
        Some(ExprKind::Run(Run { proc: id, args, priority }))
    }

    fn remote_pid(&mut self, pid: Option<&ast::Expr>) -> Option<Option<Box<Expr>>> {
        match pid {
            None => Some(None),
            Some(pid) => Some(Some(Box::new(self.value(pid)?))),
        }
    }

    fn remote_label(&mut self, proc: &ast::Name, pid: Option<&ast::Expr>, label: &ast::Name) -> Option<ExprKind> {
        let (id, pid) = (self.proc_named(proc), self.remote_pid(pid));
        let (id, pid) = (id?, pid?);
        let own = self.context == Context::Proc(id);
        // The labels of a body being checked have been moved into the body's state.
        let labels = if own { &mut self.body.labels } else { &mut self.proc_labels[id.index()] };
        let Some(found) = labels.remote_target(&label.text) else {
            let message = format!("`{}` has no label `{}`", proc.text, label.text);
            let finding = Diagnostic::error(codes::UNKNOWN_LABEL, message, label.span);
            self.report(finding.help(format!("name a label in the body of `{}`", proc.text)));
            return None;
        };
        if let Some(known) = self.program.procs.get_mut(id.index())
            && let Some(label) = known.body.labels.get_mut(found.index())
        {
            label.remote = true;
        }
        Some(ExprKind::RemoteLabel { proc: id, pid, label: found })
    }

    fn remote_var(&mut self, proc: &ast::Name, pid: Option<&ast::Expr>, var: &ast::VarRef) -> Option<ExprKind> {
        let (id, pid) = (self.proc_named(proc), self.remote_pid(pid));
        let (id, pid) = (id?, pid?);
        if self.body.d_step != 0 {
            let finding = Diagnostic::error(codes::REMOTE_IN_D_STEP, "a `d_step` looks into another process", var.span);
            self.report(finding.help("use `atomic`"));
        }
        let place = Box::new(self.remote_place(id, var)?);
        Some(ExprKind::RemoteVar { proc: id, pid, place })
    }
}
