//! Temporal formulas.

use super::Checker;
use crate::ast::{BinaryOp, Expr, ExprKind, TemporalOp, UnaryOp};
use crate::formula::Formula;

impl Checker {
    /// A formula: temporal operators and the boolean ones above them; all below is a condition on one state.
    pub(super) fn formula(&mut self, expr: &Expr) -> Option<Formula> {
        if !is_temporal(expr) {
            return Some(Formula::State(self.condition(expr)?));
        }
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => Some(Formula::Not(Box::new(self.formula(inner)?))),
            ExprKind::Binary(BinaryOp::And, left, right) => self.pair(Formula::And, left, right),
            ExprKind::Binary(BinaryOp::Or, left, right) => self.pair(Formula::Or, left, right),
            ExprKind::Temporal(operator, left, right) => match (operator, right.as_deref()) {
                (TemporalOp::Always, _) => Some(Formula::Always(Box::new(self.formula(left)?))),
                (TemporalOp::Eventually, _) => Some(Formula::Eventually(Box::new(self.formula(left)?))),
                (TemporalOp::Next, _) => Some(Formula::Next(Box::new(self.formula(left)?))),
                (TemporalOp::Until, Some(right)) => self.pair(Formula::Until, left, right),
                (TemporalOp::Release, Some(right)) => self.pair(Formula::Release, left, right),
                (TemporalOp::WeakUntil, Some(right)) => self.pair(Formula::WeakUntil, left, right),
                (TemporalOp::Implies, Some(right)) => self.pair(Formula::Implies, left, right),
                (TemporalOp::Equivalent, Some(right)) => self.pair(Formula::Equivalent, left, right),
                (_, None) => None,
            },
            // A temporal operator below arithmetic: the expression reports it.
            _ => {
                self.condition(expr);
                None
            }
        }
    }

    fn pair(&mut self, make: fn(Box<Formula>, Box<Formula>) -> Formula, left: &Expr, right: &Expr) -> Option<Formula> {
        let (left, right) = (self.formula(left), self.formula(right));
        Some(make(Box::new(left?), Box::new(right?)))
    }
}

/// Whether a temporal operator occurs anywhere in the expression, or `->` of a formula.
fn is_temporal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Temporal(..) => true,
        ExprKind::Unary(_, inner) => is_temporal(inner),
        ExprKind::Binary(_, left, right) => is_temporal(left) || is_temporal(right),
        ExprKind::Conditional(a, b, c) => is_temporal(a) || is_temporal(b) || is_temporal(c),
        _ => false,
    }
}
