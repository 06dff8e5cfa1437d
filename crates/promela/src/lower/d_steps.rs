//! A `d_step` as the action of one rule: nested decisions where it does not loop, else a loop over its statements.

use burnside_diag::Span;
use burnside_ir::{BinaryOp as Op, Expr, Place, Stmt, StmtKind, TypeId};

use super::build::{assign, binary, int, stmt, when};
use super::channels::{Case, Named};
use super::exprs::{Body, Who};
use super::handshake::Offer;
use crate::flow::{Action, Blocked, DStep, DetTarget};
use crate::typed::Basic;

/// Most statements that are written out as nested decisions; joins are written once for each way to them.
const MOST_NESTED: u32 = 48;

impl<'l> Body<'l> {
    /// What a `d_step` does once it has begun, perhaps as the second half of a handshake.
    pub(super) fn d_step(&mut self, who: Who, d_step: &DStep, offer: Option<&Offer<'_>>, span: Span) -> Vec<Stmt> {
        match offer {
            Some(offer) => self.accepting(who, d_step, d_step.start, offer, span),
            None => self.running(who, d_step, d_step.start, span),
        }
    }

    /// Up to the receive that takes the offer, then on alone.
    fn accepting(&mut self, who: Who, d_step: &DStep, at: DetTarget, offer: &Offer<'_>, span: Span) -> Vec<Stmt> {
        let DetTarget::Node(index) = at else { return Vec::new() };
        let node = d_step.nodes[index as usize];
        let action = self.low.flow.procs[who.proc.index()].action(node.action);
        let accepts = self.accepts(who, action, offer);
        let otherwise = match node.blocked {
            Blocked::Try(next) => self.accepting(who, d_step, next, offer, span),
            Blocked::Statement | Blocked::Selection => vec![blocks(span)],
        };
        if accepts.as_const() == Some(0) {
            return otherwise;
        }
        let mut then = Vec::new();
        self.accept(who, action, offer, &mut then);
        then.extend(self.running(who, d_step, node.next, span));
        vec![when(accepts, then, otherwise)]
    }

    fn running(&mut self, who: Who, d_step: &DStep, at: DetTarget, span: Span) -> Vec<Stmt> {
        let n_locals = self.locals.len();
        let mut left = MOST_NESTED;
        if let Some(stmts) = self.nested(who, d_step, at, (&mut Vec::new(), &mut left)) {
            return stmts;
        }
        self.locals.truncate(n_locals);
        self.looping(who, d_step, at, span)
    }

    /// The cases of a statement inside a `d_step`.
    fn inner_cases(&mut self, who: Who, action: &Action, span: Span) -> Vec<Case> {
        let mut cases = self.cases(who, action, span);
        if let Action::Basic(Basic::Send { chan, .. }) = action {
            let handshakes: Vec<Named<'l>> =
                self.named(Some(who), chan).into_iter().filter(Named::is_handshake).collect();
            for named in handshakes {
                let attempt = StmtKind::Error("rv-attempt in d_step sequence".to_owned());
                cases.push(Case { guard: named.is_it, stmts: vec![stmt(attempt, span)] });
            }
        }
        let promised = self.promised(who, action);
        for case in &mut cases {
            case.stmts.splice(0..0, promised.iter().cloned());
        }
        cases
    }

    /// As nested decisions, unless it loops or becomes too long.
    fn nested(
        &mut self,
        who: Who,
        d_step: &DStep,
        at: DetTarget,
        (path, left): (&mut Vec<u32>, &mut u32),
    ) -> Option<Vec<Stmt>> {
        let DetTarget::Node(index) = at else { return Some(Vec::new()) };
        if path.contains(&index) || *left == 0 {
            return None;
        }
        *left -= 1;
        path.push(index);
        let node = d_step.nodes[index as usize];
        let step = &self.low.flow.procs[who.proc.index()].actions[node.action.index()];
        let cases = self.inner_cases(who, &step.action, step.span);
        let mut arms = Vec::new();
        for case in cases {
            let certain = case.guard.as_const() == Some(1);
            if case.guard.as_const() == Some(0) {
                continue;
            }
            let mut stmts = case.stmts;
            if !ends(&stmts) {
                stmts.extend(self.nested(who, d_step, node.next, (path, left))?);
            }
            if certain && arms.is_empty() {
                path.pop();
                return Some(stmts);
            }
            arms.push((case.guard, stmts));
        }
        let otherwise = match node.blocked {
            Blocked::Try(next) => self.nested(who, d_step, next, (path, left))?,
            Blocked::Statement | Blocked::Selection => vec![blocks(step.span)],
        };
        path.pop();
        if arms.is_empty() {
            return Some(otherwise);
        }
        Some(vec![stmt(StmtKind::If { arms, otherwise }, step.span)])
    }

    /// As a loop over a number that says which statement is next.
    fn looping(&mut self, who: Who, d_step: &DStep, at: DetTarget, span: Span) -> Vec<Stmt> {
        let next = self.local("next", TypeId::INT, span);
        let next = Place::local(next, TypeId::INT, span);
        let goes = |target: DetTarget| {
            let number = match target {
                DetTarget::Node(index) => i64::from(index),
                DetTarget::Exit => -1,
            };
            assign(next.clone(), int(number, span))
        };
        let mut arms = Vec::new();
        for (index, node) in d_step.nodes.iter().enumerate() {
            let step = &self.low.flow.procs[who.proc.index()].actions[node.action.index()];
            let cases = self.inner_cases(who, &step.action, step.span);
            let blocked = match node.blocked {
                Blocked::Try(target) => vec![goes(target)],
                Blocked::Statement | Blocked::Selection => vec![blocks(step.span)],
            };
            let mut ways: Vec<(Expr, Vec<Stmt>)> = Vec::new();
            let mut otherwise = blocked;
            for case in cases {
                let mut stmts = case.stmts;
                stmts.push(goes(node.next));
                match case.guard.as_const() {
                    Some(0) => {}
                    Some(_) => {
                        otherwise = stmts;
                        break;
                    }
                    None => ways.push((case.guard, stmts)),
                }
            }
            let body = match ways.is_empty() {
                true => otherwise,
                false => vec![stmt(StmtKind::If { arms: ways, otherwise }, step.span)],
            };
            arms.push((binary(Op::Eq, Expr::read(next.clone()), int(index as i64, span)), body));
        }
        let going = binary(Op::Ge, Expr::read(next.clone()), int(0, span));
        let body = vec![stmt(StmtKind::If { arms, otherwise: Vec::new() }, span)];
        vec![goes(at), stmt(StmtKind::While { condition: going, body }, span)]
    }
}

fn blocks(span: Span) -> Stmt {
    stmt(StmtKind::Error("block in d_step sequence".to_owned()), span)
}

/// Whether nothing comes after these statements.
fn ends(stmts: &[Stmt]) -> bool {
    matches!(stmts.last().map(|stmt| &stmt.kind), Some(StmtKind::Error(_)))
}
