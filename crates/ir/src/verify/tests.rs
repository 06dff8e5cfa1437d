//! One wrong model per kind of defect, and right ones that look odd.

use super::DefectKind::*;
use super::*;
use crate::text::{parse, print};
use crate::{Stmt, StmtKind};

const PRELUDE: &str = r#"
  (sort s0 "N" full 2)
  (type t2 "N" (id s0)) (type t3 (range 0 3)) (type t4 "E" (enum "A" "B")) (type t5 (union t4 t2))
  (type t6 (array t2 t3)) (type t7 (record ("a" t2) ("b" t3))) (type t8 (multiset 2 t7))
  (type t9 (range 0 3)) (type t10 (record ("a" t2) ("b" t9))) (type t11 (range 5 9)) (type t12 (array t2 t11))
  (global g0 "id" t2) (global g1 "int" t3) (global g2 "enum" t4) (global g3 "union" t5) (global g4 "array" t6)
  (global g5 "record" t7) (global g6 "set" t8) (global g7 "flag" t0) (global g8 "twin" t10) (global g9 "other" t12)
  (function f0 "get" (local l0 "a" t3) (local l1 "b" t7 ref) (params 2) (result t3) (do (return l0)))
  (function f1 "run" (params 0) (do))
  (function f2 "pick" (params 0) (result t7) (do (return (copy g5))))
  (property p0 "inv" invariant (condition true))
  (property p1 "seen" cover-point (condition true))
"#;

/// The kinds of defects of the prelude with more declarations.
fn kinds(declarations: &str) -> Vec<DefectKind> {
    let model = parse(&format!("(model {PRELUDE} {declarations})")).expect("parses");
    verify(&model).into_iter().map(|defect| defect.kind).collect()
}

/// Checks statements in a start state with the locals `l0` (an integer), `l1` (a record reference), `l2` (an
/// identity), `l3` (an array reference) and `l5` (another identity).
fn check_stmts(statements: &str, expected: &[DefectKind]) {
    let locals = r#"(local l0 "i" t1) (local l1 "r" t7 ref) (local l2 "n" t2) (local l3 "a" t6 ref) (local l4 "s" t8 slot) (local l5 "q" t2)"#;
    assert_eq!(kinds(&format!("(start i0 \"s\" {locals} (do {statements}))")), expected, "{statements}");
}

fn check_expr(expr: &str, expected: &[DefectKind]) {
    check_stmts(&format!("(put {expr})"), expected);
}

/// Checks declarations beside a start state.
fn check_decls(declarations: &str, expected: &[DefectKind]) {
    assert_eq!(kinds(&format!("(start i0 \"s\" (do)) {declarations}")), expected, "{declarations}");
}

/// Checks a type on its own.
fn check_type(structure: &str, expected: &[DefectKind]) {
    check_decls(&format!("(type t13 {structure})"), expected);
}

#[test]
fn the_variable_of_a_quantifier_is_known_inside_alone() {
    let elsewhere = QuantifiedElsewhere(LocalId(5));
    let quantified = "(exists l5 t2 (= l5 g0))";
    check_stmts(&format!("(assert {quantified} \"a\") (assert {quantified} \"b\")"), &[]);
    check_stmts(&format!("(if (when {quantified} (assign g0 l5)))"), std::slice::from_ref(&elsewhere));
    check_stmts(&format!("(assign g0 l5) (assert {quantified} \"a\")"), std::slice::from_ref(&elsewhere));
    check_stmts(&format!("(assert {quantified} \"a\") (for l5 t2)"), std::slice::from_ref(&elsewhere));
    check_expr("(exists l5 t2 (and (exists l5 t2 (= l5 g0)) (= l5 g0)))", std::slice::from_ref(&elsewhere));
    check_expr(&format!("(and {quantified} (= l5 g0))"), std::slice::from_ref(&elsewhere));
    let rule =
        |binder: &str| format!("(rule r0 \"r\" (local l0 \"n\" t2) {binder} (guard (exists l0 t2 (= l0 g0))) (do))");
    check_decls(&rule(""), &[]);
    check_decls(&rule("(param l0 t2)"), &[QuantifiedElsewhere(LocalId(0))]);
}

#[test]
fn a_right_model_has_no_defects() {
    check_stmts(
        "(assign g0 l2) (assign g1 (+ g1 1)) (assign g1 l0) (assign g5 (copy g8)) (assign g5 undefined) (assign g4 (copy g9))
         (bind l1 g5) (assign l1.1 3) (for l4 (slots g6) (assign g6{slot l4}.0 g0)) (insert g6 (copy g5))
         (for l0 t3 (clear g5)) (for l0 (range 3 0 -1)) (remove g6{0}) (remove-where g6 l4 (= g6{slot l4}.1 g1))
         (assign g3 (convert:t5 g0)) (assign g0 (convert:t2 g3)) (assign g1 (convert:t1 g2)) (assign g2 (convert:t4 1))
         (assign g1 (call:t3 f0 2 (ref g5))) (assign g5 (copy (result f2):t7)) (call f1) (cover p1 (is-member g3 t2))
         (assert (same g5 (result f2):t7) \"same\") (assign g1 (count l4 g6 (is-undefined g6{slot l4}.0)))
         (assume (exists l5 t2 (= g4[l5] (select:t1 g7 1 g1))))",
        &[],
    );
}

#[test]
fn a_defect_knows_where_it_is() {
    let model = parse("(model (start i0 \"s\" (do (assume@0:7-9 3@0:8-9))))").expect("parses");
    let span = Span::new(burnside_diag::FileId(0), 8, 9);
    let expected = Defect { subject: Subject::Start(StartId(0)), kind: NotBoolean(TypeId::INT), span };
    assert_eq!(expected.to_string(), "start i0: `t1` is not boolean");
    assert_eq!(verify(&model), [expected]);
}

#[test]
fn types_are_checked() {
    check_type("(range 3 2)", &[NoValues]);
    check_type("(enum)", &[NoValues]);
    check_type("(union)", &[NoValues]);
    check_decls("(sort s1 \"none\" full 0)", &[NoValues]);
    check_type("(range -9223372036854775808 0)", &[ReservedValue]);
    check_type("(union t2 t3)", &[UnionMember(TypeId(3))]);
    check_type("(union t2 t2)", &[UnionMember(TypeId(2))]);
    check_type("(array t7 t0)", &[IndexType(TypeId(7))]);
    check_type("(array t1 t0)", &[IndexType(TypeId::INT)]);
    check_type("(multiset 1 t8)", &[NestedMultiset]);
    check_type("(record (\"a\" t0) (\"a\" t0))", &[DuplicateField("a".to_owned())]);
}

#[test]
fn types_may_not_nest_too_deep() {
    let first = "(type t13 (array t0 t0))".to_owned();
    let arrays = (14..13 + MAX_DEPTH).fold(first, |text, at| text + &format!("(type t{at} (array t0 t{}))", at - 1));
    check_decls(&arrays, &[TooDeep]);
}

#[test]
fn states_hold_no_unbounded_integers() {
    check_decls("(type t13 (array t0 t1)) (global g10 \"x\" t13)", &[StoredInt]);
    check_decls("(type t13 (array t0 t1)) (function f3 \"f\" (local l0 \"x\" t13) (params 0) (do))", &[]);
}

#[test]
fn ids_lie_in_their_tables() {
    check_decls("(global g10 \"x\" t77)", &[NoSuch(Table::Types, 77)]);
    check_stmts("(clear g77:t0)", &[NoSuch(Table::Globals, 77)]);
    check_stmts("(clear l77:t0)", &[NoSuch(Table::Locals, 77)]);
    check_stmts("(for l77 t2)", &[NoSuch(Table::Locals, 77)]);
    check_stmts("(call f77 g77:t0)", &[NoSuch(Table::Functions, 77), NoSuch(Table::Globals, 77)]);
    check_stmts("(cover p77 true)", &[NoSuch(Table::Properties, 77)]);
    check_expr("0:t77", &[NoSuch(Table::Types, 77)]);
}

#[test]
fn nesting_is_bounded() {
    // The parser holds to the same limit, so the last level is added by hand.
    let text = format!("(put {}true{})", "(not ".repeat(MAX_DEPTH - 2), ")".repeat(MAX_DEPTH - 2));
    let mut model = parse(&format!("(model (start i0 \"s\" (do {text})))")).expect("parses");
    assert_eq!(verify(&model), []);
    let otherwise = std::mem::take(&mut model.starts[0].action);
    model.starts[0].action.push(Stmt { kind: StmtKind::If { arms: Vec::new(), otherwise }, span: Span::NOWHERE });
    assert_eq!(verify(&model).into_iter().map(|defect| defect.kind).collect::<Vec<_>>(), [TooDeep]);
}

#[test]
fn there_is_a_start_state() {
    assert_eq!(kinds(""), [NoStart]);
}

#[test]
fn places_are_well_typed_step_by_step() {
    check_stmts("(clear g5.2:t3)", &[BadStep(TypeId(7))]);
    check_stmts("(clear g5[l0]:t3)", &[BadStep(TypeId(7))]);
    check_stmts("(clear g4{l0}:t3)", &[BadStep(TypeId(6))]);
    check_stmts("(clear g5.1:t2)", &[NotedType { actual: TypeId(3), noted: TypeId(2) }]);
    check_stmts("(clear g4[l0])", &[Mismatch(TypeId(2), TypeId::INT)]);
    check_stmts("(clear g6{g0})", &[NotInteger(TypeId(2))]);
}

#[test]
fn references_are_bound_before_use() {
    let unbound = UnboundReference(LocalId(1));
    check_stmts("(clear l1)", std::slice::from_ref(&unbound));
    check_stmts("(if (when g7 (bind l1 g5))) (clear l1)", std::slice::from_ref(&unbound));
    check_stmts("(while g7 (bind l1 g5)) (clear l1)", std::slice::from_ref(&unbound));
    check_stmts("(for l2 t2 (bind l1 g5) (clear l1)) (clear l1)", std::slice::from_ref(&unbound));
    check_stmts("(if (when g7 (bind l1 g5)) (when g7 (return)) (else (error \"no\"))) (clear l1)", &[]);
    check_decls("(rule r0 \"r\" (local l0 \"r\" t7 ref) (ref l0 g5) (guard (= l0.1 0)) (do (clear l0)))", &[]);
}

#[test]
fn results_of_calls_are_not_written() {
    check_stmts("(clear (result f2):t7)", &[CallWritten]);
    check_stmts("(bind l1 (result f2):t7)", &[CallWritten]);
    check_stmts("(call f0 0 (ref (result f2):t7))", &[CallWritten]);
}

#[test]
fn expressions_are_scalar() {
    check_expr("g5", &[NotScalar(TypeId(7)), NotScalar(TypeId(7))]);
    check_expr("(is-undefined g5)", &[NotScalar(TypeId(7))]);
    check_expr("(call:t7 f2)", &[NotScalar(TypeId(7))]);
}

#[test]
fn types_of_expressions_are_noted_rightly() {
    let noted = |actual, noted| [NotedType { actual, noted }];
    check_expr("(read:t9 g1)", &noted(TypeId(3), TypeId(9)));
    check_expr("(+:t3 g1 1)", &noted(TypeId::INT, TypeId(3)));
    check_expr("(=:t1 g1 1)", &noted(TypeId::BOOL, TypeId::INT));
    check_expr("(call:t1 f0 0 (ref g5))", &noted(TypeId(3), TypeId::INT));
}

#[test]
fn operands_have_the_right_types() {
    check_expr("4:t3", &[BadConstant(4, TypeId(3))]);
    check_expr("-9223372036854775808", &[BadConstant(i64::MIN, TypeId::INT)]);
    check_expr("(not g1)", &[NotBoolean(TypeId(3))]);
    check_expr("(and g7 g2)", &[NotBoolean(TypeId(4))]);
    check_expr("(neg g0)", &[NotInteger(TypeId(2))]);
    check_expr("(+ g0 1)", &[NotInteger(TypeId(2))]);
    check_expr("(< g2 g2)", &[NotInteger(TypeId(4)), NotInteger(TypeId(4))]);
    check_expr("(= g0 g2)", &[Mismatch(TypeId(2), TypeId(4))]);
    check_expr("(= g0 0)", &[Mismatch(TypeId(2), TypeId::INT)]);
    check_expr("(same g0 g0)", &[NotAggregate(TypeId(2)), NotAggregate(TypeId(2))]);
    check_expr("(same g5 g4)", &[Mismatch(TypeId(7), TypeId(6))]);
    check_expr("(select g7 g1 5:t11)", &[Mismatch(TypeId(3), TypeId(11))]);
    check_expr("(select g1 1 2)", &[NotBoolean(TypeId(3))]);
}

#[test]
fn conversions_exist() {
    check_expr("(convert:t2 g2)", &[Conversion(TypeId(4), TypeId(2))]);
    check_expr("(convert:t1 g3)", &[Conversion(TypeId(5), TypeId::INT)]);
    check_expr("(convert:t1 g7)", &[Conversion(TypeId::BOOL, TypeId::INT)]);
    check_expr("(is-member g3 t3)", &[NotMember(TypeId(5), TypeId(3))]);
    check_expr("(is-member g0 t2)", &[NotMember(TypeId(2), TypeId(2))]);
}

#[test]
fn domains_can_be_enumerated() {
    check_stmts("(for l0 t1)", &[InfiniteDomain(TypeId::INT)]);
    check_stmts("(for l0 t7)", &[InfiniteDomain(TypeId(7)), Mismatch(TypeId::INT, TypeId(7))]);
    check_stmts("(for l0 (range 0 1 0))", &[ZeroStep]);
    check_stmts("(for l0 (range g0 1 1))", &[NotInteger(TypeId(2))]);
    check_stmts("(for l4 (slots g5))", &[NotMultiset(TypeId(7)), Mismatch(TypeId(8), TypeId(7))]);
    check_stmts("(for l0 (slots g6))", &[WrongMode(LocalId(0)), Mismatch(TypeId(1), TypeId(8))]);
}

#[test]
fn bound_locals_fit_what_they_take() {
    check_stmts("(for l2 t3)", &[Mismatch(TypeId(2), TypeId(3))]);
    check_stmts("(for l2 (range 0 1 1))", &[NotInteger(TypeId(2))]);
    check_expr("(count l2 g6 true)", &[WrongMode(LocalId(2)), Mismatch(TypeId(2), TypeId(8))]);
    check_stmts("(for l1 t7)", &[InfiniteDomain(TypeId(7)), WrongMode(LocalId(1))]);
    check_stmts("(bind l2 g0)", &[WrongMode(LocalId(2))]);
    check_stmts("(bind l1 g4)", &[Mismatch(TypeId(7), TypeId(6))]);
    let start = |binders| format!("(start i1 \"s\" (local l0 \"n\" t2) {binders} (do))");
    check_decls(&start("(param l0 t2) (value l0 g0)"), &[BoundTwice(LocalId(0))]);
    check_decls(&start("(value l0 g1)"), &[Mismatch(TypeId(2), TypeId(3))]);
    check_decls(&start("(ref l0 g0)"), &[WrongMode(LocalId(0))]);
}

#[test]
fn assignments_go_between_types_that_go_together() {
    check_stmts("(assign g0 g1)", &[Mismatch(TypeId(2), TypeId(3))]);
    check_stmts("(assign g4 (copy g5))", &[Mismatch(TypeId(6), TypeId(7))]);
    check_stmts("(bind l3 g9)", &[Mismatch(TypeId(6), TypeId(12))]);
    check_stmts("(assign g5 g1)", &[Mismatch(TypeId(7), TypeId(3))]);
    check_stmts("(insert g6 (copy g4))", &[Mismatch(TypeId(7), TypeId(6))]);
    check_stmts("(insert g5 (copy g5))", &[NotMultiset(TypeId(7))]);
    check_stmts("(remove g5)", &[NotElement]);
    check_stmts("(remove g6{g0})", &[NotInteger(TypeId(2))]);
    check_stmts("(remove-where g5 l4 true)", &[NotMultiset(TypeId(7)), Mismatch(TypeId(8), TypeId(7))]);
}

#[test]
fn arguments_match_parameters() {
    check_decls("(function f3 \"f\" (params 1) (do))", &[TooManyParams]);
    check_stmts("(call f0 0)", &[ArgCount { expected: 2, found: 1 }]);
    check_stmts("(call f1 0)", &[ArgCount { expected: 0, found: 1 }]);
    check_stmts("(call f0 (ref g1) (copy g5))", &[ArgMode(LocalId(0)), ArgMode(LocalId(1))]);
    check_stmts("(call f0 g0 (ref g5))", &[Mismatch(TypeId(3), TypeId(2))]);
    check_stmts("(call f0 0 (ref g4))", &[Mismatch(TypeId(7), TypeId(6))]);
    check_expr("(call:t3 f1)", &[NoResult(FunctionId(1))]);
    check_stmts("(assign g1 (copy (result f1):t3))", &[NoResult(FunctionId(1))]);
}

#[test]
fn functions_return_what_they_promise() {
    check_decls("(function f3 \"f\" (params 0) (result t3) (do (return)))", &[ResultMissing]);
    check_decls("(function f3 \"f\" (params 0) (result t3) (do (return g0)))", &[Mismatch(TypeId(3), TypeId(2))]);
    check_stmts("(return 1)", &[ResultUnwanted]);
}

#[test]
fn cover_statements_name_cover_points() {
    check_stmts("(cover p0 true)", &[NotCoverPoint(PropertyId(0))]);
    check_decls("(property p2 \"c\" cover-point (condition g7))", &[CoverPointCondition]);
    let bound = "(property p2 \"c\" cover-point (local l0 \"n\" t2) (param l0 t2) (condition true))";
    check_decls(bound, &[CoverPointCondition]);
}

#[test]
fn guards_and_conditions_are_boolean() {
    check_decls("(rule r0 \"r\" (guard g1) (do))", &[NotBoolean(TypeId(3))]);
    check_decls("(property p2 \"p\" invariant (condition 1))", &[NotBoolean(TypeId::INT)]);
    check_stmts("(while 1)", &[NotBoolean(TypeId::INT)]);
    check_stmts("(if (when 1))", &[NotBoolean(TypeId::INT)]);
    check_expr("(forall l2 t2 1)", &[NotBoolean(TypeId::INT)]);
}

#[test]
fn what_has_effects_is_called_by_statements_alone() {
    let function = |body: &str| format!("(function f3 \"set\" (params 0) (result t3) (do {body} (return 0)))");
    let effects = [EffectInExpression(FunctionId(3))];
    for body in ["(assign g1 1)", "(assume g7)", "(cover p1 true)", "(call f4)"] {
        let function = function(body) + "(function f4 \"deep\" (params 0) (do (clear g7)))";
        let stmts = |stmts: &str| kinds(&format!("{function} (start i0 \"s\" (local l0 \"i\" t3) (do {stmts}))"));
        assert_eq!(stmts("(call f3) (call-into l0 f3)"), [], "{body}");
        assert_eq!(stmts("(assign g1 (call:t3 f3))"), effects, "{body}");
        assert_eq!(stmts("(assign g1 (copy (result f3):t3))"), effects, "{body}");
        assert_eq!(stmts("(put (exists l0 t3 (= g1 (call:t3 f3))))"), effects, "{body}");
        assert_eq!(stmts("(assign g4[(convert:t2 (call:t3 f3))] 1)"), effects, "{body}");
        let rule = kinds(&format!(
            "{function} (start i0 \"s\" (do)) (rule r0 \"r\" (local l0 \"i\" t3) (value l0 (call:t3 f3)) (guard true) (do))"
        ));
        assert_eq!(rule, effects, "{body}");
    }
    check_stmts("(put (call:t3 f0 1 (ref g5)))", &[]);
}

#[test]
fn a_slot_local_names_an_element_of_its_own_multiset_and_nothing_else() {
    check_stmts("(for l4 (slots g6) (remove g6{slot l4}) (put (slot-number l4)))", &[]);
    check_stmts("(for l4 (slots g6) (put l4))", &[NotScalar(TypeId(8)), MisusedSlot(LocalId(4)), NotScalar(TypeId(8))]);
    check_stmts("(for l4 (slots g6) (assign g6 (copy l4)))", &[MisusedSlot(LocalId(4))]);
    check_stmts("(for l4 (slots g6) (clear l4))", &[MisusedSlot(LocalId(4))]);
    check_stmts("(for l4 (slots g6)) (clear g6{slot l4})", &[SlotOutOfScope(LocalId(4))]);
    check_stmts("(put (slot-number l4))", &[SlotOutOfScope(LocalId(4))]);
    check_stmts("(for l4 (slots g6) (for l4 (slots g6)))", &[BoundTwice(LocalId(4))]);
    let slot_param = "(function f3 \"f\" (local l0 \"s\" t8 slot) (params 1) (do))";
    check_decls(slot_param, &[MisusedSlot(LocalId(0))]);
}

#[test]
fn the_multiset_of_a_slot_local_stays_the_same() {
    let rule = |binders: &str, action: &str| {
        kinds(&format!(
            "(type t13 (array t2 t8)) (global g10 \"sets\" t13) (start i0 \"s\" (do))
             (rule r0 \"r\" (local l0 \"n\" t2) (local l1 \"m\" t2) (local l2 \"e\" t8 slot) (local l3 \"r\" t8 ref)
               {binders} (guard true) (do {action}))"
        ))
    };
    let element = "(clear g10[l0]{slot l2})";
    assert_eq!(rule("(param l0 t2) (param l1 t2) (param l2 (slots g10[l0]))", element), []);
    assert_eq!(
        rule("(param l0 t2) (param l1 t2) (param l2 (slots g10[l0]))", "(clear g10[l1]{slot l2})"),
        [ForeignSlot(LocalId(2))]
    );
    assert_eq!(rule("(param l0 t2) (param l2 (slots g10[l0]))", "(clear g6{slot l2})"), [ForeignSlot(LocalId(2))]);
    let unsteady = [UnsteadyMultiset(LocalId(2))];
    for change in ["(assign l0 l1)", "(for l0 t2)"] {
        let found = rule("(param l0 t2) (param l2 (slots g10[l0]))", &format!("{change} {element}"));
        assert_eq!(found, unsteady, "{change}");
    }
    let found = rule("(param l0 t2) (param l2 (slots g10[l0]))", &format!("(put (exists l0 t2 true)) {element}"));
    assert_eq!(found, [UnsteadyMultiset(LocalId(2)), QuantifiedElsewhere(LocalId(0))]);
    assert_eq!(rule("(param l2 (slots g10[g0]))", ""), unsteady);
    assert_eq!(rule("(ref l3 g10[g0]) (param l2 (slots l3))", "(clear l3{slot l2})"), []);
    assert_eq!(rule("(ref l3 g10[g0]) (param l2 (slots l3))", "(bind l3 g6) (clear l3{slot l2})"), unsteady);
}

#[test]
fn formulas_speak_of_propositions_with_bound_variables() {
    let base = "(model (type t2 (range 1 3)) (global g0 \"x\" t2) (start i0 \"init\" (do (clear g0)))
        (property p0 \"at\" proposition (local l0 \"i\" t2) (param l0 t2) (condition (= g0 l0)))
        (property p1 \"again\" linear (condition true))";
    let defects = |claims: &str| {
        let model = parse(&format!("{base} {claims})")).expect("a model");
        verify(&model).into_iter().map(|defect| defect.kind).collect::<Vec<_>>()
    };
    let variable = "(variable \"i\" t2)";
    assert_eq!(defects(&format!("(claim p1 {variable} (forall 0 (always (holds p0 0))))")), []);
    assert_eq!(defects(""), [ClaimCount(0)]);
    assert_eq!(defects("(claim p1 (holds p0 0))"), [NoSuch(Table::Variables, 0)]);
    assert_eq!(
        defects(&format!("(claim p1 {variable} (and (forall 0 true) (forall 0 (all-paths true))))")),
        [VariableBoundTwice(0), PathQuantifier]
    );
    assert_eq!(
        defects("(claim p1 (and (holds p0) (holds p1)))"),
        [ArgCount { expected: 1, found: 0 }, NotProposition(PropertyId(1))]
    );
}

#[test]
fn automata_read_propositions_without_parameters() {
    let base = "(model (type t2 (range 1 3)) (global g0 \"x\" t2) (start i0 \"init\" (do (clear g0)))
        (property p0 \"at\" proposition (local l0 \"i\" t2) (param l0 t2) (condition (= g0 l0)))
        (property p1 \"one\" proposition (condition (= g0 1)))
        (property p2 \"claim\" never (condition true))";
    let defects = |automata: &str| {
        let model = parse(&format!("{base} {automata})")).expect("a model");
        assert_eq!(parse(&print(&model)).as_ref(), Ok(&model), "{automata}");
        verify(&model).into_iter().map(|defect| defect.kind).collect::<Vec<_>>()
    };
    let good = "(automaton p2 (state (edge 0) (accept 1 (holds p1) (fails p1) (ended) (going-on))) (state))";
    assert_eq!(defects(good), []);
    assert_eq!(defects(""), [ClaimCount(0)]);
    assert_eq!(defects(&good.repeat(2)), [ClaimCount(2)]);
    assert_eq!(defects("(automaton p2)"), [NoSuch(Table::AutomatonStates, 0)]);
    assert_eq!(defects("(automaton p2 (state (edge 1)))"), [NoSuch(Table::AutomatonStates, 1)]);
    assert_eq!(defects("(automaton p2 (state (edge 0 (holds p9))))"), [NoSuch(Table::Properties, 9)]);
    assert_eq!(defects("(automaton p2 (state (edge 0 (holds p2))))"), [NotProposition(PropertyId(2))]);
    assert_eq!(defects("(automaton p2 (state (edge 0 (holds p0))))"), [ArgCount { expected: 1, found: 0 }]);
    assert_eq!(defects("(automaton p1 (state)) (automaton p2 (state))"), [NotTemporal(PropertyId(1))]);
    assert_eq!(defects("(automaton p2 (state)) (claim p2 true)"), [NotTemporal(PropertyId(2))]);
}
