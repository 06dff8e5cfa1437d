//! Promises about channels: `xr q` says that nobody else reads from `q`, `xs q` that nobody else writes to it.
//!
//! Partial order reduction believes them, so SPIN checks them wherever it reduces; here it is done where it is asked for. A
//! promise holds while the process that made it exists, for the channel that it names at the time. As in SPIN (measured
//! with 6.5.2, `pan.m` of `spin -a`):
//!
//! - it is broken by whoever *tries* a statement that reads or writes, whether it can be executed or not;
//! - `len`, `empty`, `full` and polls both read and write, `nempty` reads, `nfull` writes;
//! - `q??m`, `q?<m>` and `q!!m` break `xr q`, whoever executes them: they are not about the first and the last message;
//! - a promise about a rendezvous, or about no channel, is broken from the beginning, and so is one that two have made.
//!
//! A breach is a rule of its own whose assertion fails. It is possible beside the steps of the model and leads to no
//! state, so that a model whose promises are kept has the states and transitions that it has without.

use burnside_diag::Span;
use burnside_ir::{Expr, Quantifier, Stmt, StmtKind};

use super::build::{Val, all, any, equal, not, stmt};
use super::exprs::{Body, Who};
use super::handshake::Site;
use crate::ast::{BinaryOp, ChanOp};
use crate::flow::{Action, Automaton, Guard};
use crate::typed::{Basic, Exclusive, Expr as Typed, ExprKind, Pattern, Place, ProcId, Target};

/// What a statement does with a channel.
#[derive(Clone)]
struct Access<'a> {
    /// What `&&`, `||` and `->` ask before, and the answers with which it comes to this.
    asked: Vec<(&'a Typed, bool)>,
    chan: &'a Place,
    reads: bool,
    writes: bool,
    /// Whether it finds or puts a message elsewhere than at the ends.
    amid: bool,
}

/// A rule that says that a promise is broken.
pub(super) struct Breach {
    pub(super) guard: Expr,
    pub(super) action: Vec<Stmt>,
}

impl<'l> Body<'l> {
    /// The promises of the model, if they are to be checked, with the process type that makes each.
    pub(super) fn promises(&self) -> impl Iterator<Item = (ProcId, &'l Exclusive)> + use<'l> {
        let low = self.low;
        let asked = low.model.checks_promises().then_some(&low.program.exclusives);
        let made = asked.into_iter().flatten().filter_map(|promise| Some((promise.proc?, promise)));
        made.filter(|(proc, _)| low.shapes.procs[proc.index()].is_some())
    }

    /// What a process breaks by trying a move.
    pub(super) fn breaches(&mut self, who: Who, site: Site) -> Vec<Breach> {
        let automaton = &self.low.flow.procs[site.proc.index()];
        let choice = self.choice(who, site.at);
        let action = automaton.action(choice.moves[site.step].action);
        let span = automaton.actions[choice.moves[site.step].action.index()].span;
        let before = self.before(who, site, &choice, span);
        let mut found = self.broken_by(who, automaton, action);
        for breach in &mut found {
            breach.guard = all([before.clone(), breach.guard.clone()], span);
        }
        found
    }

    /// What is broken by an action, wherever the process stands.
    fn broken_by(&mut self, who: Who, automaton: &Automaton, action: &Action) -> Vec<Breach> {
        let mut found = Vec::new();
        for access in accesses(automaton, action) {
            for (maker, promise) in self.promises() {
                let touched = if promise.send { access.writes } else { access.reads || access.amid };
                if !touched {
                    continue;
                }
                let amid = access.amid && !promise.send;
                let span = access.chan.span;
                let mut parts = Vec::new();
                for &(question, answer) in &access.asked {
                    let condition = self.cond(Some(who), question);
                    parts.push(if answer { condition } else { not(condition) });
                }
                parts.push(self.same_channel((who, access.chan), (maker, promise), !amid));
                found.extend(self.breach(all(parts, span), promise, span));
            }
        }
        found
    }

    /// Assertions in front of a statement that is executed.
    pub(super) fn promised(&mut self, who: Who, action: &Action) -> Vec<Stmt> {
        let automaton = &self.low.flow.procs[who.proc.index()];
        let breaches = self.broken_by(who, automaton, action);
        let checked = |breach: Breach| super::build::when(breach.guard, breach.action, Vec::new());
        breaches.into_iter().map(checked).collect()
    }

    /// What is wrong with a promise as soon as there is a process that makes it.
    pub(super) fn void(&mut self, who: Who, promise: &'l Exclusive) -> Vec<Breach> {
        let span = promise.chan.span;
        let there = not(self.stands(who, 0, span));
        let named = self.named(Some(who), &promise.chan);
        let meets: Vec<Expr> = named.iter().filter(|it| it.is_handshake()).map(|it| it.is_it.clone()).collect();
        let nowhere = not(any(named.into_iter().map(|it| it.is_it).collect::<Vec<_>>(), span));
        let mut wrong = meets;
        wrong.push(nowhere);
        for (other, theirs) in self.promises().filter(|(_, theirs)| theirs.send == promise.send) {
            wrong.push(self.same_channel((who, &promise.chan), (other, theirs), true));
        }
        let wrong = all([there, any(wrong, span)], span);
        self.breach(wrong, promise, span).into_iter().collect()
    }

    /// Whether some process, perhaps only another one, has made a promise about a channel.
    fn same_channel(
        &mut self,
        (who, chan): (Who, &Place),
        (maker, promise): (ProcId, &Exclusive),
        other: bool,
    ) -> Expr {
        let span = chan.span;
        let number = self.read(Some(who), chan);
        self.some_process(maker, span, Quantifier::Exists, |body, owner| {
            let there = not(body.stands(owner, 0, span));
            let differ = if other { body.differ(who.me, owner.me, span) } else { Expr::boolean(true, span) };
            if differ.as_const() == Some(0) {
                return differ;
            }
            let theirs: Val = body.read(Some(owner), &promise.chan);
            all([there, differ, equal(body.types(), &number, &theirs)], span)
        })
    }

    fn breach(&self, guard: Expr, promise: &Exclusive, span: Span) -> Option<Breach> {
        let maker = promise.proc.map_or("", |proc| &self.low.program.procs[proc.index()].name);
        let message = format!("{} {} of {maker}", promise.word(), self.low.model.text(promise.chan.span));
        let failing = StmtKind::Assert { condition: Expr::boolean(false, span), message };
        (guard.as_const() != Some(0)).then(|| Breach { guard, action: vec![stmt(failing, span)] })
    }
}

/// The channels that a statement has to do with when it is tried.
fn accesses<'a>(automaton: &'a Automaton, action: &'a Action) -> Vec<Access<'a>> {
    let mut found = Vec::new();
    match action {
        Action::Basic(basic) => of_basic(basic, &mut found),
        Action::DStep(d_step) => {
            for guard in &d_step.guards {
                if let Guard::Statement(action) = guard {
                    found.extend(accesses(automaton, automaton.action(*action)));
                }
            }
        }
        Action::Jump | Action::Else | Action::Terminate | Action::Structure => {}
    }
    found
}

fn of_basic<'a>(basic: &'a Basic, out: &mut Vec<Access<'a>>) {
    match basic {
        Basic::Send { chan, args, sorted } => {
            out.push(Access { asked: Vec::new(), chan, reads: false, writes: true, amid: *sorted });
            of_place(chan, &[], out);
            args.iter().for_each(|arg| of_expr(arg, &[], out));
        }
        Basic::Receive { chan, pattern, random, keep } => {
            out.push(Access { asked: Vec::new(), chan, reads: true, writes: false, amid: *random || *keep });
            of_place(chan, &[], out);
            of_pattern(pattern, &[], out);
        }
        Basic::Condition(expr) | Basic::Assert(expr) | Basic::Printm(expr) => of_expr(expr, &[], out),
        Basic::Assign(target, expr) => {
            if let Target::Place(place) = target {
                of_place(place, &[], out);
            }
            of_expr(expr, &[], out);
        }
        Basic::Printf { args, .. } => args.iter().for_each(|arg| of_expr(arg, &[], out)),
        Basic::SetPriority(pid, priority) => [pid, priority].into_iter().for_each(|part| of_expr(part, &[], out)),
        Basic::DeclareStruct(_) => {}
    }
}

/// What was asked before, and the answers.
type Asked<'a> = [(&'a Typed, bool)];

fn of_place<'a>(place: &'a Place, asked: &Asked<'a>, out: &mut Vec<Access<'a>>) {
    place.indices.iter().for_each(|index| of_expr(&index.expr, asked, out));
}

fn of_pattern<'a>(pattern: &'a [Pattern], asked: &Asked<'a>, out: &mut Vec<Access<'a>>) {
    for field in pattern {
        match field {
            Pattern::Match(expr) => of_expr(expr, asked, out),
            Pattern::Store(Target::Place(place)) => of_place(place, asked, out),
            Pattern::Store(_) => {}
        }
    }
}

/// Questions about channels.
fn of_expr<'a>(expr: &'a Typed, asked: &Asked<'a>, out: &mut Vec<Access<'a>>) {
    let after = |question: &'a Typed, answer: bool| [asked, &[(question, answer)]].concat();
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Builtin(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
        ExprKind::Read(place) => of_place(place, asked, out),
        ExprKind::Unary(_, inner)
        | ExprKind::Enabled(inner)
        | ExprKind::PcValue(inner)
        | ExprKind::GetPriority(inner) => of_expr(inner, asked, out),
        ExprKind::Binary(operator @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            of_expr(left, asked, out);
            of_expr(right, &after(left, *operator == BinaryOp::And), out);
        }
        ExprKind::Binary(_, left, right) => [left, right].into_iter().for_each(|part| of_expr(part, asked, out)),
        ExprKind::Conditional(condition, yes, no) => {
            of_expr(condition, asked, out);
            of_expr(yes, &after(condition, true), out);
            of_expr(no, &after(condition, false), out);
        }
        ExprKind::Run(run) => run.args.iter().for_each(|arg| of_expr(arg, asked, out)),
        ExprKind::Chan(op, chan) => {
            let reads = !matches!(op, ChanOp::NotFull);
            let writes = !matches!(op, ChanOp::NotEmpty);
            out.push(Access { asked: asked.to_vec(), chan, reads, writes, amid: false });
            of_place(chan, asked, out);
        }
        ExprKind::Poll { chan, pattern, .. } => {
            out.push(Access { asked: asked.to_vec(), chan, reads: true, writes: true, amid: false });
            of_place(chan, asked, out);
            of_pattern(pattern, asked, out);
        }
        ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| of_expr(pid, asked, out)),
        ExprKind::RemoteVar { pid, place, .. } => {
            pid.iter().for_each(|pid| of_expr(pid, asked, out));
            of_place(place, asked, out);
        }
    }
}
