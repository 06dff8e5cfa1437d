//! What is left of random models when little of them matters.

use burnside_ir::{BinaryOp, Expr, ExprKind, Model, StmtKind, text, verify};

use super::shrink;
use crate::visit::{Visitor, walk_expr, walk_model};
use crate::{Config, random_model};

/// How many expressions of a model are as wanted.
fn count(model: &Model, wanted: fn(&Expr) -> bool) -> usize {
    struct Counter(fn(&Expr) -> bool, usize);
    impl Visitor for Counter {
        fn expr(&mut self, expr: &mut Expr) {
            self.1 += usize::from(self.0(expr));
            walk_expr(self, expr);
        }
    }
    let mut counter = Counter(wanted, 0);
    walk_model(&mut counter, &mut model.clone());
    counter.1
}

fn is_quotient(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Binary(BinaryOp::Div, ..))
}

#[test]
fn only_what_matters_is_left() {
    let models = (0..200).map(|seed| random_model(seed, &Config::default()));
    let model = models.into_iter().find(|model| count(model, is_quotient) > 1).expect("there is one");
    let small = shrink(model, |model| count(model, is_quotient) > 0);
    assert_eq!(verify(&small), []);
    assert_eq!(count(&small, is_quotient), 1);
    assert!(small.rules.len() + small.functions.len() + small.properties.len() <= 1, "{}", text::print(&small));
    assert_eq!(small.globals.len(), 0, "{}", text::print(&small));
    assert!(text::print_brief(&small).lines().count() < 16, "{}", text::print_brief(&small));
}

#[test]
fn a_rule_with_one_statement_is_left() {
    let inserts = |model: &Model| {
        model.rules.iter().any(|rule| rule.action.iter().any(|stmt| matches!(stmt.kind, StmtKind::Clear(_))))
    };
    let models = (0..200).map(|seed| random_model(seed, &Config::default()));
    let model = models.into_iter().find(inserts).expect("there is one");
    let small = shrink(model, inserts);
    assert_eq!((small.rules.len(), small.starts.len(), small.globals.len()), (1, 1, 1), "{}", text::print(&small));
    assert_eq!(small.rules[0].action.len(), 1);
    assert!(small.starts[0].action.is_empty());
}

#[test]
fn a_model_that_needs_everything_stays_as_it_is() {
    let model = random_model(7, &Config::default());
    let whole = model.clone();
    assert_eq!(shrink(model.clone(), |candidate| *candidate == whole), model);
}
