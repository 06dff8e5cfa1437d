//! What statements do, and when they can.

use burnside_diag::Span;
use burnside_ir::{Expr, Place, PutItem, Stmt, StmtKind, TypeId};

use super::build::{Val, all, any, assign, not, stmt};
use super::channels::Case;
use super::exprs::{Body, Who};
use super::handshake::Offer;
use super::receives::Receive;
use crate::flow::{Action, ActionId, Automaton, DStep, Guard, Location, Move};
use crate::reference::holds_run;
use crate::typed::{Basic, Expr as Typed, ExprKind, Run};

/// What an earlier move of the same choice has to do with a move.
pub(super) struct Choice<'m> {
    pub(super) automaton: &'m Automaton,
    pub(super) moves: &'m [Move],
}

impl<'l> Body<'l> {
    pub(super) fn choice(&self, who: Who, at: Location) -> Choice<'l> {
        let automaton = &self.low.flow.procs[who.proc.index()];
        Choice { automaton, moves: automaton.moves(at) }
    }

    /// The cases in which a statement can be executed by one process alone.
    pub(super) fn cases(&mut self, who: Who, action: &Action, span: Span) -> Vec<Case> {
        let always = |stmts| vec![Case { guard: Expr::boolean(true, span), stmts }];
        match action {
            Action::Basic(basic) => self.basic(who, basic, span),
            Action::Jump | Action::Else => always(Vec::new()),
            Action::DStep(d_step) => {
                let mut guard = self.may_begin(who, d_step, None, span);
                if d_step.guards.is_empty() {
                    guard = Expr::boolean(true, span);
                }
                let stmts = self.d_step(who, d_step, None, span);
                vec![Case { guard, stmts }]
            }
            Action::Terminate => self.terminate(who, span),
            Action::Structure => Vec::new(),
        }
    }

    fn basic(&mut self, who: Who, basic: &Basic, span: Span) -> Vec<Case> {
        let mut stmts = Vec::new();
        let mut guard = Expr::boolean(true, span);
        match basic {
            Basic::Condition(expr) => {
                guard = self.cond(Some(who), expr);
                if let ExprKind::Run(run) = &expr.kind {
                    self.run(who, run, span, &mut stmts);
                }
            }
            Basic::Assign(target, expr) => {
                let value = match holds_run(expr) {
                    true => self.value_with_run(who, expr, &mut stmts),
                    false => self.value(Some(who), expr),
                };
                self.store(who, target, value, &mut stmts);
            }
            Basic::DeclareStruct(_) => {}
            Basic::Send { chan, args, sorted } => return self.send(who, chan, args, *sorted),
            Basic::Receive { chan, pattern, random, keep } => {
                let receive = Receive { chan, pattern, random: *random, keep: *keep };
                return self.receive(who, &receive);
            }
            Basic::Printf { format, args } => {
                let args: Vec<Val> = args.iter().map(|arg| self.value(Some(who), arg)).collect();
                stmts.push(stmt(StmtKind::Put(self.output(format, args, span)), span));
            }
            Basic::Printm(expr) => {
                let value = self.value(Some(who), expr);
                stmts.push(stmt(StmtKind::Put(vec![PutItem::Value(value.expr)]), span));
            }
            Basic::Assert(_) if !self.low.model.checks_assertions() => {}
            Basic::Assert(expr) => {
                let condition = self.cond(Some(who), expr);
                let message = self.low.model.text(expr.span);
                stmts.push(stmt(StmtKind::Assert { condition, message }, span));
            }
            Basic::SetPriority(pid, priority) => {
                let pid = self.value(Some(who), pid);
                let priority = self.value(Some(who), priority).number(self.types());
                self.set_priority(&pid, &priority, span, &mut stmts);
            }
        }
        vec![Case { guard, stmts }]
    }

    /// A value in which a process is started: that comes first, and gives its number.
    fn value_with_run(&mut self, who: Who, expr: &Typed, out: &mut Vec<Stmt>) -> Val {
        match find_run(expr) {
            Some(run) if matches!(expr.kind, ExprKind::Run(_)) => self.run(who, run, expr.span, out),
            Some(run) => {
                let pid = self.run(who, run, expr.span, out);
                let local = self.local("started", TypeId::INT, expr.span);
                let place = Place::local(local, TypeId::INT, expr.span);
                out.push(assign(place, pid.expr));
                self.started = Some((local, pid.hi));
                let value = self.value(Some(who), expr);
                self.started = None;
                value
            }
            None => self.value(Some(who), expr),
        }
    }

    /// The parts of a `printf`.
    fn output(&self, format: &str, args: Vec<Val>, span: Span) -> Vec<PutItem> {
        let mut items = Vec::new();
        let mut text = String::new();
        let mut args = args.into_iter();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some('%') => text.push('%'),
                Some(directive) => {
                    if !text.is_empty() {
                        items.push(PutItem::Text(std::mem::take(&mut text)));
                    }
                    let value = args.next().unwrap_or_else(|| Val::constant(0, span));
                    let value = if directive == 'e' { value } else { value.number(self.types()) };
                    items.push(PutItem::Value(value.expr));
                }
                None => text.push('%'),
            }
        }
        if !text.is_empty() {
            items.push(PutItem::Text(text));
        }
        items
    }

    /// Whether a statement could be executed, as a `d_step` or `else` asks; a rendezvous send with a partner can.
    pub(super) fn could(&mut self, who: Who, action: &Action, span: Span) -> Expr {
        let cases = self.cases(who, action, span);
        let alone = any(cases.into_iter().map(|case| case.guard), span);
        any([alone, self.has_partner(who, action, span)], span)
    }

    /// Whether a move could be made, whatever else the choice offers; `moved` is whether an earlier one could.
    fn possible(&mut self, who: Who, choice: &Choice<'_>, at: usize) -> Expr {
        let id = choice.moves[at].action;
        let span = choice.automaton.actions[id.index()].span;
        match choice.automaton.action(id) {
            Action::Else => not(self.moved(who, choice, at)),
            Action::DStep(d_step) if d_step.guards.contains(&Guard::OuterElse) => {
                let others = self.may_begin(who, d_step, None, span);
                any([others, not(self.moved(who, choice, at))], span)
            }
            action => self.could(who, action, span),
        }
    }

    /// Whether a move before this one could be made.
    pub(super) fn moved(&mut self, who: Who, choice: &Choice<'_>, at: usize) -> Expr {
        let span = choice.automaton.actions[choice.moves[at].action.index()].span;
        let earlier: Vec<Expr> = (0..at)
            .map(|before| {
                let reached = self.reached(who, choice, before);
                let possible = self.possible(who, choice, before);
                all([reached, possible], span)
            })
            .collect();
        any(earlier, span)
    }

    /// Whether no escape comes before a move.
    pub(super) fn reached(&mut self, who: Who, choice: &Choice<'_>, at: usize) -> Expr {
        let span = choice.automaton.actions[choice.moves[at].action.index()].span;
        let own = choice.moves[at].escape;
        let escapes =
            (0..at).filter(|&before| choice.moves[before].escape.is_some() && choice.moves[before].escape != own);
        let none: Vec<Expr> = escapes.map(|before| not(self.possible(who, choice, before))).collect();
        all(none, span)
    }

    /// Whether some move of a process is possible, as `enabled` and priorities ask: a rendezvous send always is.
    pub(super) fn can_move(&mut self, who: Who, span: Span) -> Expr {
        let mut places: Vec<(i64, Location)> =
            self.processes(who.proc).places.iter().map(|(&location, &place)| (place, location)).collect();
        places.sort_unstable();
        let timeout = std::mem::replace(&mut self.timeout, false);
        let mut found = Vec::new();
        for (place, location) in places {
            let choice = self.choice(who, location);
            let mut ways = Vec::new();
            for step in choice.moves {
                let way = match choice.automaton.action(step.action) {
                    Action::Basic(Basic::Send { chan, .. })
                        if self.named(Some(who), chan).iter().any(|named| named.is_handshake()) =>
                    {
                        Expr::boolean(true, span)
                    }
                    action => any(self.cases(who, action, span).into_iter().map(|case| case.guard), span),
                };
                ways.push(way);
            }
            found.push(all([self.stands(who, place, span), any(ways, span)], span));
        }
        self.timeout = timeout;
        any(found, span)
    }

    /// Whether a `d_step` can begin.
    pub(super) fn may_begin(&mut self, who: Who, d_step: &DStep, offer: Option<&Offer<'_>>, span: Span) -> Expr {
        let automaton = &self.low.flow.procs[who.proc.index()];
        let mut ways = Vec::new();
        for guard in &d_step.guards {
            ways.push(match (guard, offer) {
                (Guard::Always, None) => Expr::boolean(true, span),
                // Whoever asks adds it.
                (Guard::OuterElse, _) | (Guard::Always, Some(_)) => Expr::boolean(false, span),
                (Guard::Statement(action), None) => self.could_alone(who, automaton, *action),
                (Guard::Statement(action), Some(offer)) => self.accepts(who, automaton.action(*action), offer),
            });
        }
        any(ways, span)
    }

    /// Whether a statement could be executed; a rendezvous send counts, whoever receives.
    fn could_alone(&mut self, who: Who, automaton: &Automaton, action: ActionId) -> Expr {
        let span = automaton.actions[action.index()].span;
        let action = automaton.action(action);
        if let Action::Basic(Basic::Send { chan, .. }) = action {
            let offers = self.named(Some(who), chan).into_iter().filter(|named| named.is_handshake());
            let offers: Vec<Expr> = offers.map(|named| named.is_it).collect();
            let kept = self.cases(who, action, span).into_iter().map(|case| case.guard);
            return any(offers.into_iter().chain(kept).collect::<Vec<_>>(), span);
        }
        any(self.cases(who, action, span).into_iter().map(|case| case.guard), span)
    }

    /// The number of the process that a `run` makes next.
    pub(super) fn next_pid(&mut self, span: Span) -> Val {
        match (self.started, self.low.shapes.count) {
            (Some((local, hi)), _) => Val { expr: Expr::read(Place::local(local, TypeId::INT, span)), lo: 0, hi },
            (None, Some((global, ty))) => Val::read(self.types(), Place::global(global, ty, span)),
            (None, None) => Val::constant(1, span),
        }
    }
}

fn find_run(expr: &Typed) -> Option<&Run> {
    match &expr.kind {
        ExprKind::Run(run) => Some(run),
        ExprKind::Unary(_, inner) => find_run(inner),
        ExprKind::Binary(_, left, right) => find_run(left).or_else(|| find_run(right)),
        ExprKind::Conditional(condition, yes, no) => [condition, yes, no].into_iter().find_map(|part| find_run(part)),
        _ => None,
    }
}
