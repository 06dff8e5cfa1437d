//! Formulas: conditions become propositions of the IR, operators stay what they are.
//!
//! Executions of the IR are those of SPIN: nobody sees the states inside an `atomic`, and where no process can move, the
//! last state stays for ever.

use burnside_ir::{Applied, Claim, ClaimFormula, Expr, Property, PropertyId, PropertyKind};
use burnside_temporal::formula::{Binary, Formula as Tree, Unary};

use super::exprs::{Body, Ended};
use super::{Lowering, condition};
use crate::formula::Formula;
use crate::typed::{self, Builtin, ExprKind, Ltl, Place};

/// Adds the claims that are asked for to the properties.
pub(super) fn claims(low: &Lowering<'_>, properties: &mut Vec<Property>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for ltl in low.model.asked() {
        let Some(formula) = checkable(ltl) else { continue };
        let formula = tree(low, formula, properties);
        let property = PropertyId(properties.len() as u32);
        let always = Expr::boolean(true, ltl.span);
        let claim = Property { span: ltl.span, ..condition(&ltl.name, PropertyKind::Linear, Vec::new(), always) };
        properties.push(claim);
        claims.push(Claim { property, variables: Vec::new(), formula });
    }
    claims
}

/// The formula of a claim, if all its conditions are about the state alone.
pub(crate) fn checkable(ltl: &Ltl) -> Option<&Formula> {
    ltl.formula.as_ref().filter(|formula| is_about_states(formula))
}

fn is_about_states(formula: &Formula) -> bool {
    match formula {
        // Whether an execution has ended, which `np_` depends on, only automata know.
        Formula::State(expr) => is_about_state(expr) && !asks_progress(expr),
        Formula::Not(f) | Formula::Always(f) | Formula::Eventually(f) | Formula::Next(f) => is_about_states(f),
        Formula::And(f, g)
        | Formula::Or(f, g)
        | Formula::Implies(f, g)
        | Formula::Equivalent(f, g)
        | Formula::Until(f, g)
        | Formula::Release(f, g)
        | Formula::WeakUntil(f, g) => is_about_states(f) && is_about_states(g),
    }
}

/// Whether an expression needs nothing but the state: neither what is possible in it nor who asks.
pub(super) fn is_about_state(expr: &typed::Expr) -> bool {
    let all = |exprs: &[&typed::Expr]| exprs.iter().all(|expr| is_about_state(expr));
    match &expr.kind {
        ExprKind::Const(_) | ExprKind::Builtin(Builtin::NrPr | Builtin::Last) | ExprKind::NonProgress => true,
        ExprKind::Read(place) | ExprKind::Chan(_, place) => is_steady(place),
        ExprKind::Unary(_, inner) => is_about_state(inner),
        ExprKind::Binary(_, left, right) => all(&[left, right]),
        ExprKind::Conditional(condition, yes, no) => all(&[condition, yes, no]),
        ExprKind::Poll { chan, pattern, .. } => {
            is_steady(chan)
                && pattern.iter().all(|field| match field {
                    typed::Pattern::Match(value) => is_about_state(value),
                    typed::Pattern::Store(_) => true,
                })
        }
        ExprKind::RemoteLabel { pid, .. } => pid.as_ref().is_none_or(|pid| is_about_state(pid)),
        ExprKind::RemoteVar { pid, place, .. } => {
            pid.as_ref().is_none_or(|pid| is_about_state(pid)) && is_steady(place)
        }
        ExprKind::Builtin(Builtin::Pid | Builtin::Priority)
        | ExprKind::Run(_)
        | ExprKind::Timeout
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_)
        | ExprKind::GetPriority(_) => false,
    }
}

/// Whether `np_` occurs in an expression.
pub(super) fn asks_progress(expr: &typed::Expr) -> bool {
    match &expr.kind {
        ExprKind::NonProgress => true,
        ExprKind::Unary(_, inner) => asks_progress(inner),
        ExprKind::Binary(_, left, right) => asks_progress(left) || asks_progress(right),
        ExprKind::Conditional(condition, yes, no) => [condition, yes, no].into_iter().any(|it| asks_progress(it)),
        _ => false,
    }
}

fn is_steady(place: &Place) -> bool {
    place.indices.iter().all(|index| is_about_state(&index.expr))
}

fn tree(low: &Lowering<'_>, formula: &Formula, properties: &mut Vec<Property>) -> ClaimFormula {
    let mut one = |op, f: &Formula| Tree::Unary(op, Box::new(tree(low, f, properties)));
    match formula {
        Formula::Not(f) => return one(Unary::Not, f),
        Formula::Always(f) => return one(Unary::Always, f),
        Formula::Eventually(f) => return one(Unary::Eventually, f),
        Formula::Next(f) => return one(Unary::Next, f),
        _ => {}
    }
    let (op, f, g) = match formula {
        Formula::And(f, g) => (Binary::And, f, g),
        Formula::Or(f, g) => (Binary::Or, f, g),
        Formula::Implies(f, g) => (Binary::Implies, f, g),
        Formula::Equivalent(f, g) => (Binary::Iff, f, g),
        Formula::Until(f, g) => (Binary::Until, f, g),
        Formula::Release(f, g) => (Binary::Release, f, g),
        Formula::WeakUntil(f, g) => (Binary::WeakUntil, f, g),
        Formula::State(expr) => {
            let condition = proposition(low, expr, Ended::No, properties);
            return Tree::Proposition(Applied { condition, arguments: Vec::new() });
        }
        Formula::Not(_) | Formula::Always(_) | Formula::Eventually(_) | Formula::Next(_) => {
            unreachable!("treated above")
        }
    };
    let f = tree(low, f, properties);
    Tree::Binary(op, Box::new(f), Box::new(tree(low, g, properties)))
}

/// A condition as a proposition.
pub(super) fn proposition(
    low: &Lowering<'_>,
    expr: &typed::Expr,
    ended: Ended,
    properties: &mut Vec<Property>,
) -> PropertyId {
    let mut body = Body::new(low, false);
    body.ended = ended;
    let truth = body.cond(None, expr);
    let id = PropertyId(properties.len() as u32);
    let name = low.model.text(expr.span);
    let proposition = condition(&name, PropertyKind::Proposition, body.locals, truth);
    properties.push(Property { span: expr.span, ..proposition });
    id
}
