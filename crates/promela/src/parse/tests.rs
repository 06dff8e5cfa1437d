//! Facts about the syntax.

use burnside_diag::FileId;

use crate::ast::{Ast, BinaryOp, Expr, ExprKind, Item, Step, StepKind, TemporalOp};
use crate::{Options, parse};

fn read(text: &str) -> (Ast, Vec<&'static str>) {
    let (ast, diagnostics) = parse(FileId(0), text, &Options::default(), &mut |_| Err(String::new()));
    (ast, diagnostics.iter().map(|finding| finding.code.0).collect())
}

/// The statements of a process with this body.
#[track_caller]
fn steps(body: &str) -> Vec<Step> {
    let (ast, codes) = read(&format!("init {{ {body} }}"));
    assert!(codes.is_empty(), "{body}: {codes:?}");
    match ast.items.into_iter().next() {
        Some(Item::Proc(proc)) => proc.body,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn expr(text: &str) -> Expr {
    match steps(text).remove(0).kind {
        StepKind::Expr(expr) => expr,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn formula(text: &str) -> Expr {
    let (ast, codes) = read(&format!("ltl {{ {text} }}"));
    assert!(codes.is_empty(), "{text}: {codes:?}");
    match ast.items.into_iter().next() {
        Some(Item::Ltl(ltl)) => ltl.formula,
        other => panic!("{other:?}"),
    }
}

/// The expression with all parentheses.
fn grouped(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Var(var) => var.parts[0].name.text.clone(),
        ExprKind::Unary(operator, inner) => format!("({operator:?} {})", grouped(inner)),
        ExprKind::Binary(operator, left, right) => format!("({} {operator:?} {})", grouped(left), grouped(right)),
        ExprKind::Temporal(operator, left, Some(right)) => {
            format!("({} {operator:?} {})", grouped(left), grouped(right))
        }
        ExprKind::Temporal(operator, inner, None) => format!("({operator:?} {})", grouped(inner)),
        ExprKind::Conditional(a, b, c) => format!("({} ? {} : {})", grouped(a), grouped(b), grouped(c)),
        other => format!("{other:?}"),
    }
}

#[test]
fn operators_bind_as_in_c() {
    assert_eq!(grouped(&expr("a + b * c == d && e || f")), "((((a Add (b Multiply c)) Equal d) And e) Or f)");
    assert_eq!(grouped(&expr("a & b == c")), "(a BitAnd (b Equal c))");
    assert_eq!(grouped(&expr("!a == b")), "((Not a) Equal b)");
    assert_eq!(grouped(&expr("a - b - c")), "((a Subtract b) Subtract c)");
    assert_eq!(grouped(&expr("(a -> b : -c)")), "(a ? b : (Minus c))");
}

#[test]
fn temporal_operators_bind_as_in_spin() {
    assert_eq!(grouped(&formula("[] p -> q")), "((Always p) Implies q)");
    assert_eq!(grouped(&formula("p U q && r")), "((p Until q) And r)");
    assert_eq!(grouped(&formula("! p U q")), "((Not p) Until q)");
    assert_eq!(grouped(&formula("[] <> p <-> X q")), "((Always (Eventually p)) Equivalent (Next q))");
    assert_eq!(grouped(&formula("always (p implies eventually q)")), "(Always (p Implies (Eventually q)))");
    assert_eq!(grouped(&formula("p W q V r")), "((p WeakUntil q) Release r)");
}

#[test]
fn temporal_words_are_names_elsewhere() {
    assert_eq!(grouped(&expr("U + X")), "(U Add X)");
    assert!(matches!(formula("a[1] == 2").kind, ExprKind::Binary(BinaryOp::Equal, ..)));
    assert!(matches!(formula("[] a[1]").kind, ExprKind::Temporal(TemporalOp::Always, ..)));
}

#[test]
fn line_breaks_separate_statements() {
    assert_eq!(steps("x = 1\n y = 2\n (z == 3)\n").len(), 3);
    assert_eq!(steps("x = (1\n + 2)").len(), 1);
    assert_eq!(steps("if :: x\n :: else y = 1 fi\n z = 2").len(), 2);
    assert_eq!(steps("for (i : 1 .. 2)\n { skip }\n skip").len(), 2);
}

#[test]
fn messages_have_two_forms() {
    for text in ["q!a,b,c", "q!a(b,c)"] {
        assert!(matches!(&steps(text)[0].kind, StepKind::Send { args, .. } if args.len() == 3), "{text}");
    }
    for text in ["q?a,b,c", "q?a(b,c)", "q?(a,b,c)"] {
        assert!(matches!(&steps(text)[0].kind, StepKind::Receive { args, .. } if args.len() == 3), "{text}");
    }
    assert!(matches!(steps("q??<a>")[0].kind, StepKind::Receive { random: true, keep: true, .. }));
    assert!(matches!(steps("q?[a] && b")[0].kind, StepKind::Expr(_)));
    assert!(matches!(steps("q!!a")[0].kind, StepKind::Send { sorted: true, .. }));
}

#[test]
fn in_is_a_name_outside_for() {
    assert!(matches!(steps("in!1")[0].kind, StepKind::Send { .. }));
    assert!(matches!(steps("for (i in in) { skip }")[0].kind, StepKind::ForIn { .. }));
}

#[test]
fn only_plain_selects_are_choices() {
    let literal = |body: &str| matches!(steps(body)[0].kind, StepKind::Select { literal: true, .. });
    assert!(literal("select(v : 1 .. 3)"));
    assert!(!literal("select(v : 1 .. n)") && !literal("select(a[0] : 1 .. 3)") && !literal("select(a_b : 1 .. 3)"));
}

#[test]
fn inlines_are_expanded_token_by_token() {
    let (ast, codes) = read("inline f(x) { y = x * 2 } init { f(a + 1) }");
    assert!(codes.is_empty());
    let Some(Item::Proc(proc)) = ast.items.first() else { panic!("a process") };
    let StepKind::Inline { body, .. } = &proc.body[0].kind else { panic!("a call") };
    let StepKind::Assign(_, value) = &body[0].kind else { panic!("an assignment") };
    assert_eq!(grouped(value), "(a Add (1 Multiply 2))");
}

#[test]
fn statements_of_inlines_end_where_they_are_written() {
    let text = "inline g(a, b) { b = a; a < b; skip } inline f(x) { y = x; g(x, z); x++ } byte v; init { f(v) }";
    let (ast, _) = read(text);
    let Some(Item::Proc(proc)) = ast.items.last() else { panic!("a process") };
    let StepKind::Inline { body, .. } = &proc.body[0].kind else { panic!("a call") };
    let written = |step: &Step| &text[step.span.start as usize..step.span.end as usize];
    assert_eq!(body.iter().map(written).collect::<Vec<_>>(), ["y = x", "g(x, z)", "x++"]);
    let StepKind::Inline { body, .. } = &body[1].kind else { panic!("a call") };
    assert_eq!(body.iter().map(written).collect::<Vec<_>>(), ["b = a", "a < b", "skip"]);
}

#[test]
fn labels_may_stand_alone() {
    let steps = steps("L: M: x = 1; end:");
    assert_eq!((steps[0].labels.len(), steps[1].labels.len()), (2, 1));
}

#[test]
fn one_error_does_not_hide_the_next() {
    let (ast, codes) =
        read("init { x = ; y = 1; if :: x :: z = ) fi; w = 2 }\nproctype A( { skip }\nproctype B() { skip }");
    assert_eq!(codes, ["syntax", "syntax", "syntax"]);
    assert_eq!(ast.items.len(), 2);
}
