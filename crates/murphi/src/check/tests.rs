//! Facts about checking and lowering, through whole small models.

use burnside_diag::FileId;
use burnside_ir::{Domain, ExprKind, LocalMode, Model, Operand, PropertyKind, StmtKind, Type, TypeId};

use crate::{Options, load};

fn model_with(text: &str, options: &Options) -> Model {
    let loaded = load(FileId(0), text, options);
    loaded.model.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics))
}

fn model(text: &str) -> Model {
    model_with(text, &Options::default())
}

fn codes(text: &str) -> Vec<&'static str> {
    load(FileId(0), text, &Options::default()).diagnostics.iter().map(|finding| finding.code.0).collect()
}

/// The first statement of the first rule.
fn first_stmt(text: &str) -> StmtKind {
    model(text).rules[0].action[0].kind.clone()
}

#[test]
fn overrides_replace_constants_before_they_are_used() {
    let text = "const N: 3; M: N + 1; var x: 0..M; startstate x := 0; end; rule begin x := M; end;";
    let options = Options { overrides: vec![("N".into(), 7)], ..Options::default() };
    let model = model_with(text, &options);
    assert_eq!(*model.types.get(model.globals[0].ty), Type::Range { lo: 0, hi: 8 });
}

#[test]
fn equal_anonymous_types_are_one() {
    let text = "var x: 0..3; y: 0..3; s: scalarset(2); t: scalarset(2);
        startstate x := 0; y := x; undefine s; t := s; end; rule begin end;";
    let model = model(text);
    assert_eq!(model.globals[0].ty, model.globals[1].ty);
    assert_eq!(model.globals[2].ty, model.globals[3].ty);
    assert_eq!(model.types.sorts().len(), 1);
}

#[test]
fn members_become_union_values() {
    let text = "type P: scalarset(2); N: union {enum {home}, P}; var n: N;
        startstate n := home; end; ruleset p: P do rule begin n := p; end; end;";
    let model = model(text);
    let StmtKind::Assign { source: Operand::Value(start), .. } = &model.starts[0].action[0].kind else {
        panic!("an assignment of a value")
    };
    assert_eq!(start.as_const(), Some(0));
    // A parameter may be copied undefined, so the conversion stands behind a test.
    assert!(matches!(model.rules[0].action[1].kind, StmtKind::If { .. }));
}

#[test]
fn a_plain_copy_may_copy_undefined() {
    let text = "var x, y: 0..3; startstate x := 0; end; rule begin x := y; end;";
    assert!(matches!(first_stmt(text), StmtKind::Assign { source: Operand::Copy(_), .. }));
    let strict = Options { strict_undefined: true, ..Options::default() };
    let kind = model_with(text, &strict).rules[0].action[0].kind.clone();
    assert!(matches!(kind, StmtKind::Assign { source: Operand::Value(_), .. }));
}

#[test]
fn reading_through_an_alias_needs_a_value() {
    let text = "var x, y: 0..3; startstate x := 0; end; rule begin alias a: y do x := a; end; end;";
    let model = model(text);
    assert!(matches!(model.rules[0].action[0].kind, StmtKind::Bind { .. }));
    assert!(matches!(model.rules[0].action[1].kind, StmtKind::Assign { source: Operand::Value(_), .. }));
    assert_eq!(model.rules[0].locals[0].mode, LocalMode::Reference);
}

#[test]
fn identities_compare_with_undefined_unless_strict() {
    let text = "type S: scalarset(2); var s: S; startstate undefine s; end;
        ruleset i: S do rule s = i ==> s := i; end; end;";
    let guard = |model: Model| model.rules[0].guard.kind.clone();
    assert!(matches!(guard(model(text)), ExprKind::Binary(burnside_ir::BinaryOp::And, ..)));
    let strict = Options { strict_undefined: true, ..Options::default() };
    assert!(matches!(guard(model_with(text, &strict)), ExprKind::Binary(burnside_ir::BinaryOp::Eq, ..)));
}

#[test]
fn a_switch_over_a_variable_needs_no_temporary() {
    let plain = "var x: 0..3; startstate x := 0; end; rule begin switch x case 0, 1: x := 2; else x := 0; end; end;";
    assert!(matches!(first_stmt(plain), StmtKind::If { .. }));
    let computed = plain.replace("switch x", "switch x + 1");
    assert!(matches!(first_stmt(&computed), StmtKind::Assign { .. }));
}

#[test]
fn several_quantifiers_nest() {
    let text = "var x: 0..3; startstate x := 0; end; rule begin for i: 0..1; j := 0 to x by 2 do x := j; end; end;";
    let StmtKind::For { domain: Domain::Type(_), body, .. } = first_stmt(text) else { panic!("a loop over a type") };
    assert!(matches!(body[0].kind, StmtKind::For { domain: Domain::Range { step: 2, .. }, .. }));
}

#[test]
fn things_without_a_name_are_numbered() {
    let text = "var x: 0..3; startstate x := 0; end;
        rule \"a\" begin x := 1; end; rule begin x := 2; end; invariant x < 3; cover x = 1; invariant x >= 0;
        rule begin cover x = 2; assume x < 3; end;";
    let model = model(text);
    let names: Vec<_> = model.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["a", "Rule 2", "Rule 3"]);
    let properties: Vec<_> = model.properties.iter().map(|property| (property.name.as_str(), property.kind)).collect();
    let expected = [
        ("Invariant 1", PropertyKind::Invariant),
        ("Cover 1", PropertyKind::Cover),
        ("Invariant 2", PropertyKind::Invariant),
        ("x = 2", PropertyKind::CoverPoint),
    ];
    assert_eq!(properties, expected);
}

#[test]
fn an_alias_of_a_constant_is_a_constant() {
    let text =
        "var x: 0..3; startstate x := 0; end; alias n: 2 do ruleset i: 0..n do rule begin x := i; end; end; end;";
    let model = model(text);
    assert_eq!(model.types.shape(model.rules[0].locals[0].ty).cardinality(), 3);
    assert_eq!(model.rules[0].binders.len(), 1);
}

#[test]
fn a_slot_may_have_an_alias() {
    let text = "type V: 0..1; var net: multiset[2] of V; startstate undefine net; end;
        choose i: net do alias j: i do rule net[j] = 1 ==> multisetremove(j, net); end; end; end;";
    assert_eq!(model(text).rules[0].binders.len(), 1, "the alias is the slot itself");
}

#[test]
fn builtins_may_be_redeclared() {
    let text = "var undefined: 0..3; function ismember(a: 0..3; b: 0..3): boolean; begin return a = b; end;
        procedure multisetadd(a: 0..3; b: 0..3); begin undefined := a; end;
        startstate undefined := 0; end; rule ismember(undefined, 1) ==> multisetadd(1, 2); undefined := undefined; end;";
    assert_eq!(codes(text), [""; 0]);
}

#[test]
fn short_circuits_fold() {
    let text = "const On: false; var x: 0..3; startstate x := 0; end; rule On & x > 1 ==> x := 1; end;";
    assert_eq!(model(text).rules[0].guard.as_const(), Some(0));
}

#[test]
fn functions_may_recurse_but_not_look_ahead() {
    let recursive = "var x: 0..24; function fact(n: 0..4): 0..24; begin
        if n = 0 then return 1; end; return n * fact(n - 1); end;
        startstate x := 1; end; rule begin x := fact(4); end;";
    assert_eq!(codes(recursive), [""; 0]);
    let ahead = "var x: 0..3; startstate x := 0; end; rule begin p(); end; procedure p(); begin x := 0; end;";
    assert_eq!(codes(ahead), ["unknown-name"]);
}

#[test]
fn a_leading_zero_is_octal_beside_rumur_syntax() {
    let text =
        |equal: &str| format!("const N: 010; var x: 0..N; startstate x := 0; end; rule x {equal} 0 ==> x := N; end;");
    let high = |text: &str| {
        let model = model(text);
        model.types.shape(model.globals[0].ty).hi
    };
    assert_eq!((high(&text("=")), codes(&text("="))), (10, vec!["leading-zero"]));
    assert_eq!((high(&text("==")), codes(&text("=="))), (8, vec!["leading-zero"]));
    assert_eq!(codes(&text("=").replace("010", "007")), [""; 0]);
}

#[test]
fn refused_declarations_are_skipped_whole() {
    let text = "externfun f(a: 0..3; b: 0..3): 0..3 \"f.h\"; externproc g(a: 0..3; b: 0..3);
        var x: 0..3; startstate x := 0; end; rule begin x := f(x, x); end;";
    assert_eq!(codes(text), ["unsupported-externfun", "unsupported-externproc"]);
}

#[test]
fn one_mistake_is_reported_once() {
    let unknown = "startstate y := 0; y := y + 1; end; rule begin y := 1; end;";
    assert_eq!(codes(unknown), ["unknown-name"]);
    let broken_type = "type T: 3..1; var x: T; startstate x := 0; end; rule x < 2 ==> x := x + 1; end;";
    assert_eq!(codes(broken_type), ["empty-range"]);
    let lost = "var x 0..3; startstate x := 0; end; rule begin x := 1; end;";
    assert_eq!(codes(lost), ["syntax"]);
}

#[test]
fn independent_mistakes_are_all_reported() {
    let text = "var x: 0..3; b: boolean; startstate x := true; b := 1; end; rule x ==> y := 2; end;";
    assert_eq!(codes(text), ["type-mismatch", "type-mismatch", "condition-type", "unknown-name"]);
}

#[test]
fn trees_at_the_depth_limit_are_walked_within_a_thread() {
    let repeat =
        |open: &str, inner: &str, close: &str, n: usize| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let with =
        |action: &str| format!("var b: boolean; x: 0..3; startstate b := true; x := 0; end; rule begin {action} end;");
    let texts = [
        with(&format!("b := {};", repeat("!(", "b", ")", 95))),
        with(&format!("x := x{};", repeat(" + x", "", "", 190))),
        with(&format!("b := {};", repeat("(b -> ", "b", ")", 95))),
        with(&format!("b := {};", repeat("forall i: 0..1 do ", "b", " end", 95))),
        with(&repeat("if b then ", "b := b;", "end;", 190)),
        with(&repeat("for i: 0..1 do ", "b := b;", "end;", 190)),
        with(&repeat("alias a: b do ", "b := a;", "end;", 95)),
    ];
    for text in texts {
        assert_eq!(codes(&text), [""; 0], "{}…", &text[..100]);
        assert_eq!(burnside_ir::verify(&model(&text)), []);
    }
}

#[test]
fn dynamic_loop_bounds_make_integer_variables() {
    let text = "var x: 0..3; startstate x := 0; end; rule begin for i := 0 to x do x := i; end; end;";
    let model = model(text);
    assert_eq!(model.rules[0].locals[0].ty, TypeId::INT);
}
