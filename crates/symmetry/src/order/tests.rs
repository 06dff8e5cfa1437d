use burnside_diag::FileId;
use burnside_ir::text;

use super::*;

/// The number of ordered loops of a model whose only rule is a loop over `i: P`, with and without spans.
fn check(body: &str, expected: usize) {
    check_rule("", &format!("for i: P do {body} end;"), expected);
}

/// As `check`, with declarations of functions and the whole action.
fn check_rule(functions: &str, action: &str, expected: usize) {
    let model = format!(
        "type P: scalarset(3); U: union {{P, enum {{home}}}}; R: record who: P; n: 0..3; end;
         var a: array[P] of boolean; x, y, z: 0..3; m: multiset[4] of P; u: multiset[4] of U; r: multiset[4] of R;
             net: array[U] of multiset[2] of boolean; d: array[P] of 0..1;
         {functions}
         startstate for i: P do a[i] := false end; x := 0; y := 1; z := 2; undefine m; undefine u; undefine r;
             undefine net; undefine d; end;
         rule var t: 0..3; begin {action} end;"
    );
    let loaded = burnside_murphi::load(FileId(0), &model, &burnside_murphi::Options::default());
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let without_spans = text::parse(&text::print_brief(&model)).expect("printed models parse");
    assert_eq!(orders(&model).ordered.len(), expected, "{action}");
    assert_eq!(orders(&without_spans).ordered.len(), expected, "{action} without spans");
}

#[test]
fn rounds_that_keep_to_themselves_commute() {
    check("a[i] := !a[i]", 0);
    check("if a[i] then x := 1 end", 0);
    check("if a[i] then x := y end", 0);
    check("if a[i] then x := x + 1 end", 0);
    check("alias q: a[i] do q := !q end", 0);
}

#[test]
fn rounds_that_overwrite_or_read_each_other_do_not() {
    check("if a[i] then x := 1 else x := 2 end", 1);
    check("if a[i] then x := y else x := z end", 1);
    check("if a[i] then x := x + 1 else x := x - 1 end", 1);
    check("if x = 0 then a[i] := true; x := 1 end", 1);
    check("a[i] := exists j: P do a[j] end", 1);
    check("alias q: d[i] do x := q end", 1);
}

#[test]
fn references_made_before_the_loop_may_be_anything() {
    check_rule("", "alias q: t do for i: P do if a[i] then q := 1 end; if !a[i] & t = 1 then x := 1 end; end; end;", 1);
    check_rule("", "alias q: a do for i: P do q[i] := !q[i] end end;", 0);
}

#[test]
fn a_member_of_a_union_is_still_the_loops_variable() {
    let send = "procedure send(dst: U; b: boolean); begin
                  assert multisetcount(j: net[dst], true) < 2;
                  multisetadd(b, net[dst]);
                end;";
    check_rule(send, "for i: P do send(i, a[i]) end;", 0);
    check_rule(send, "for i: U do send(i, true) end;", 0);
    check_rule(send, "for i: P do send(home, a[i]) end;", 1);
}

#[test]
fn rounds_may_count_and_remove_the_elements_that_hold_their_variable() {
    check("a[i] := multisetcount(j: m, m[j] = i) = 0", 0);
    check("multisetremovepred(j: m, m[j] = i); a[i] := multisetcount(j: m, m[j] = i) = 0", 0);
    check("multisetremovepred(j: r, r[j].who = i & r[j].n = 2)", 0);
    check("multisetremovepred(j: u, u[j] = i)", 0);
    let procedures = "procedure drop(n: U); begin multisetremovepred(j: u, u[j] = n); end;
                      procedure put_in(n: U); begin
                        if multisetcount(j: u, u[j] = n) = 0 then multisetadd(n, u); end;
                      end;";
    check_rule(procedures, "for i: U do drop(i) end;", 0);
    check_rule(procedures, "for i: P do put_in(i) end;", 0);
    // Whether there is room for one's own depends on what others have removed.
    check_rule(procedures, "for i: P do if a[i] then drop(i) else put_in(i) end end;", 1);
}

#[test]
fn rounds_may_not_look_at_elements_of_others() {
    check("multisetremovepred(j: m, m[j] = i); a[i] := multisetcount(j: m, true) = 0", 1);
    check("multisetremovepred(j: m, m[j] != i)", 1);
    // The second conjunct of another round's element may be undefined, and is looked at while the element is there.
    check("multisetremovepred(j: r, r[j].n = 2 & r[j].who = i)", 1);
    // So may be the variable of the round itself.
    check("multisetremovepred(j: m, d[i] = 1 & m[j] = i)", 1);
    check("multisetremovepred(j: m, m[j] = i & d[i] = 1)", 0);
}

#[test]
fn variables_that_are_assigned_are_not_the_loops_own() {
    let procedure = "procedure f(var n: P; k: P); begin n := k; end;";
    check_rule(procedure, "for k: P do for i: P do a[i] := true end end;", 0);
    check_rule(
        "procedure g(k: P); var n: P; begin for i: P do n := i; n := k; a[n] := !a[n]; end; end;",
        "for k: P do a[k] := false end; g(undefined)",
        1,
    );
}

#[test]
fn leaving_a_loop_early_must_not_hide_faults() {
    let function = |condition: &str| {
        format!("function f(): boolean; begin for i: P do if {condition} then return true end end; return false; end;")
    };
    check_rule(&function("a[i]"), "if f() then x := 1 end;", 0);
    let nested = "function f(): boolean; begin
                    for i: P do for j: P do if a[i] & a[j] then return true end end end; return false; end;";
    check_rule(nested, "if f() then x := 1 end;", 0);
    check_rule(&function("d[i] = 1"), "if f() then x := 1 end;", 1);
    check_rule(&function("x / y = 1"), "if f() then x := 1 end;", 1);
}

#[test]
fn assumptions_drop_steps_that_would_fault() {
    check("assume a[i]; assert !a[i]", 1);
    check_rule("function f(): boolean; begin assume x = 0; return true; end;", "if f() then x := 1 end;", 1);
}

#[test]
fn emptying_a_multiset_is_not_undefining_its_elements() {
    check("undefine m", 0);
    check_rule("", "for i: P do if a[i] then undefine r else multisetremovepred(j: r, r[j].who = i) end end;", 1);
}

#[test]
fn what_an_element_holds_differs_from_round_to_round() {
    let ordered = |body: &str| {
        let model = format!(
            "(model (sort s0 \"N\" full 2) (type t2 \"N\" (id s0)) (type t3 (multiset 2 t2)) (type t4 (range 0 1))
               (global g0 \"m\" t3) (global g1 \"x\" t2) (global g2 \"k\" t4)
               (start i0 \"s\" (do))
               (rule r0 \"r\" (local l0 \"e\" t3 slot) (guard true) (do (for l0 (slots g0) {body}))))"
        );
        orders(&text::parse(&model).expect("the model parses")).ordered.len()
    };
    assert_eq!(ordered("(assign g1 g0{slot l0})"), 1);
    assert_eq!(ordered("(assign g2 (slot-number l0))"), 1);
    assert_eq!(ordered("(assign g2 1)"), 0);
}

#[test]
fn calls_with_effects_are_part_of_a_round() {
    let functions = "function f(i: P): boolean; begin x := d[i]; return true; end;
                     procedure g(i: P); begin a[i] := false; end;";
    check_rule(functions, "for i: P do if f(i) then y := 1 end end;", 1);
    check_rule(functions, "for i: P do g(i) end;", 0);
}

#[test]
fn proved_loops_say_why() {
    let model = "type P: scalarset(2); var a: array[P] of boolean; x: 0..2; b: boolean;
                 startstate for i: P do a[i] := false end; x := 0; b := false; end;
                 rule begin for i: P do if a[i] then b := true; x := x + 1; end; a[i] := false; end; end;";
    let loaded = burnside_murphi::load(FileId(0), model, &burnside_murphi::Options::default());
    let unordered = orders(&loaded.model.expect("the model is right")).unordered;
    let arguments: Vec<Vec<Argument>> = unordered.iter().map(|it| it.arguments.iter().copied().collect()).collect();
    assert_eq!(arguments, [[Argument::OwnPlaces, Argument::SameValue, Argument::Sums]]);
}
