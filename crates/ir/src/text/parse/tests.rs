//! Round trips of hand-written texts and what is said about wrong ones.

use super::parse;
use crate::MAX_DEPTH;
use crate::text::{print, print_brief};

/// Every construct once.
const EVERYTHING: &str = include_str!("../../../tests/golden/everything.ir");

#[test]
fn every_construct_is_read_back_as_it_was_printed() {
    let model = parse(EVERYTHING).expect("parses");
    assert_eq!(print(&model), EVERYTHING);
}

#[test]
fn a_brief_text_is_a_text_without_spans() {
    let brief = print_brief(&parse(EVERYTHING).expect("parses"));
    assert!(!brief.contains('@'));
    let model = parse(&brief).expect("parses");
    assert_eq!(print(&model), brief);
}

#[test]
fn the_example_of_the_documentation_is_a_text() {
    let page = include_str!("../../../../../docs/internals/ir-text.md");
    let example = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("there is one");
    assert_eq!(print(&parse(example).expect("parses")), example);
}

fn error(text: &str) -> (usize, String) {
    let error = parse(text).expect_err("is wrong");
    (error.offset, error.message)
}

#[test]
fn mistakes_are_located_and_named() {
    let cases = [
        ("", 0, "expected `(`, found the end of the text"),
        ("(model (sort s1))", 13, "expected `s0`, found `s1`"),
        ("(model (type t2 (id s0)))", 20, "this sort is not declared yet"),
        ("(model (type t2 (array t0 t2)))", 26, "this type is not declared yet"),
        ("(model (global g0 \"x\" t0)", 25, "expected `(`, found the end of the text"),
        ("(model (rule r0 \"r\" (do)))", 24, "the list `(guard …)` is missing"),
        ("(model (start i0 \"s\" (do (jump))))", 30, "`jump` is not a statement"),
        ("(model (start i0 \"s\" (do (assume g7))))", 35, "the type of this place must be written"),
        ("(model (start i0 \"s\" (do (assume (convert 1)))))", 44, "the type of a `convert` must be written"),
    ];
    for (text, offset, message) in cases {
        assert_eq!(error(text), (offset, message.to_owned()), "{text}");
    }
}

/// A model whose only condition is a truth value under `depth` negations.
fn negations(depth: usize) -> String {
    format!("(model (property p0 \"p\" invariant (condition {}true{})))", "(not ".repeat(depth), ")".repeat(depth))
}

#[test]
fn nesting_up_to_the_limit_is_read_back() {
    let model = parse(&negations(MAX_DEPTH - 1)).expect("parses");
    assert_eq!(parse(&print(&model)), Ok(model));
}

#[test]
fn nesting_past_the_limit_is_an_error() {
    for depth in [MAX_DEPTH, 100_000] {
        assert_eq!(error(&negations(depth)).1, format!("nested more than {MAX_DEPTH} deep"));
    }
    let calls = format!("(model (start i0 \"s\" (do (call f0 {}", "(ref (result f0 ".repeat(100_000));
    assert_eq!(error(&calls).1, format!("nested more than {MAX_DEPTH} deep"));
    let blocks = format!("(model (start i0 \"s\" (do {}", "(while true ".repeat(100_000));
    assert_eq!(error(&blocks).1, format!("nested more than {MAX_DEPTH} deep"));
}

#[test]
fn formulas_are_read_back() {
    let text = r#"(model
  (type t2 (range 1 3))
  (global g0 "x" t2)
  (start i0 "init" (do (clear g0)))
  (property p0 "at" proposition
    (local l0 "i" t2)
    (param l0 t2)
    (condition (= g0 l0)))
  (property p1 "again" linear
    (condition true))
  (property p2 "can" branching
    (condition true))
  (claim p1
    (variable "i" t2)
    (forall 0 (always (eventually (until (holds p0 0) (weak-until true (iff (holds p0 0) (not (next false)))))))))
  (claim p2
    (variable "i" t2)
    (variable "j" t2)
    (exists 1 (forall 0 (all-paths (release (holds p0 0) (or (some-path (implies (and true (holds p0 1)) false)) true)))))))
"#;
    let model = parse(text).expect("a model");
    assert_eq!(crate::verify(&model), []);
    assert_eq!(parse(&print(&model)).as_ref(), Ok(&model));
}
