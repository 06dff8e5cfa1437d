//! Models small enough to be read, with the counts of SPIN 6.5.2 (`spin -a -o1 -o2 -o3`, `-DSAFETY -DNOCLAIM -DNOREDUCE`,
//! `pan -c0`). Each stands for a rule that some state depends on.

use std::collections::BTreeSet;

use burnside_diag::FileId;

use super::{Fault, Limits, Report, Stop, explore};
use crate::{Options, load};

const LIMITS: Limits = Limits { n_states: 10_000, n_steps: 1_000_000 };

#[track_caller]
fn report(text: &str) -> Report {
    let loaded = load(FileId(0), text, &Options::default(), &mut |_| Err(String::new()));
    let model = loaded.model.unwrap_or_else(|| panic!("{text}: {:?}", loaded.diagnostics));
    explore(&model, LIMITS)
}

#[track_caller]
fn check(text: &str, n_states: u64, n_transitions: u64, faults: &[Fault]) {
    let expected = Report { n_states, n_transitions, faults: faults.iter().copied().collect(), stopped: None };
    assert_eq!(report(text), expected, "{text}");
}

#[test]
fn atomic_block_ends() {
    check(
        "chan c = [0] of { byte };
         active proctype A() { atomic { { c!1; skip }; { c!2 } }; skip }
         active proctype B() { do :: c?1 :: c?2 od }",
        4,
        4,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn atomic_do_rv() {
    check(
        "chan c = [0] of { byte }; byte g;
         active proctype A() { atomic { do :: c!g -> g++ :: g > 2 -> break od; g = 0 }; g = 5 }
         active proctype B() { byte x; do :: c?x :: x == 2 -> break od }",
        770,
        775,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn atomic_goto_in() {
    check(
        "byte g, h;
         active proctype A() { do :: atomic { g = 1; h++; if :: h > 2 -> goto out :: else fi; g = 2 } od; out: g = 3 }
         active proctype B() { g == 1; g = 9 }",
        15,
        16,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn atomic_if_last() {
    check(
        "chan c = [0] of { byte }; byte g;
         active proctype A() { do :: atomic { g = 1; if :: c!1 :: c!2 -> g = 2 fi } od }
         active proctype B() { byte x; do :: c?x od }",
        5,
        9,
        &[],
    );
}

#[test]
fn atomic_nested() {
    check(
        "byte g;
         active proctype A() { atomic { g = 1; atomic { g = 2; g = 3 }; { g = 4; g = 5 } } ; g = 6 }
         active proctype B() { g > 0; g = 7 }",
        13,
        15,
        &[],
    );
}

#[test]
fn bits() {
    check(
        "int x;
         active proctype A() { x = 5 & 3 | 8 ^ 2; x = x << 2; x = ~x; x = -x % 7; x = (x >> 1) + !x; assert(x != 77) }",
        8,
        8,
        &[],
    );
}

#[test]
fn block_first_option() {
    check(
        "byte x;
         active proctype A() { if :: { x == 1; x = 2 } :: { x == 0; x = 3 } :: atomic { x == 0; x = 4; x = 5 } :: d_step { x == 0; x = 6 } fi; x = 7 }",
        7,
        9,
        &[],
    );
}

#[test]
fn break_first() {
    check(
        "byte x;
         active proctype A() { do :: break :: x < 3 -> x++ :: x == 1 -> break od; if :: goto e :: x = 5 fi; e: skip }",
        26,
        30,
        &[],
    );
}

#[test]
fn chan_array_sorted() {
    check(
        "chan q[2] = [3] of { byte, bit }; byte x; bit y;
         active proctype A() { q[0]!!3,1; q[0]!!1,0; q[0]!!3,0; q[1]!7,1; q[0]??3,y; assert(y == 0); q[0]?[1,0]; q[1]?<x,y>; assert(x == 7 && len(q[1]) == 1); nempty(q[0]) && nfull(q[1]) }",
        12,
        12,
        &[],
    );
}

#[test]
fn chan_pass() {
    check(
        "chan c = [1] of { chan, byte };
         proctype W(chan q) { q!3; q?eval(_pid) }
         init { chan d = [1] of { byte }; chan e; byte x; run W(d); c!d, 1; c?e, x; e?x; assert(x == 3); e!1 }",
        13,
        15,
        &[],
    );
}

#[test]
fn cond_send() {
    check(
        "mtype = { NA, Y }; chan c = [0] of { mtype, byte }; byte k;
         active proctype A() { do :: c!(k == 1 -> Y : NA), 3 :: k == 0 -> k = 1 :: k == 2 -> break od }
         active proctype B() { byte z; c?Y, z; k = 2 }",
        9,
        10,
        &[],
    );
}

#[test]
fn deaths() {
    check(
        "byte n;
         proctype C() { n++ }
         proctype P() { run C(); run C() }
         init { run P(); _nr_pr == 1; run P(); n > 2 }",
        36,
        54,
        &[],
    );
}

#[test]
fn dstep_else_first() {
    check(
        "byte x;
         active proctype A() { do :: x == 1 -> x = 2 :: d_step { else -> x++ } :: x == 3 -> break od }",
        259,
        260,
        &[],
    );
}

#[test]
fn dstep_goto() {
    check(
        "byte x;
         active proctype A() { d_step { skip; x = 0; M: x++; if :: x < 4 -> goto M :: else fi } ; assert(x == 4) }",
        4,
        4,
        &[],
    );
}

#[test]
fn dstep_loop_in_atomic() {
    check(
        "byte x, y;
         active proctype A() { atomic { y = 1; d_step { do :: x < 4 -> x++ :: else -> break od }; y = 2 } }
         active proctype B() { y == 1 }",
        2,
        2,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn dstep_mixed_guards() {
    check(
        "byte x, y;
         active proctype A() { if :: d_step { if :: x = 3 :: y == 2 -> x = 4 fi } :: y == 0 -> y = 1 fi; y = 2 }",
        5,
        5,
        &[],
    );
}

#[test]
fn dstep_rv_recv_if() {
    check(
        "chan c = [0] of { byte }; byte x;
         active proctype S() { c!1; c!2 }
         active proctype R() { byte v; do :: d_step { c?v -> if :: v == 1 -> x = 5 :: else -> x = 6 fi } od }",
        3,
        3,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn else_chain() {
    check(
        "byte x;
         active proctype A() { do :: if :: x == 9 :: else -> x++ fi :: x == 2 -> break od }",
        21,
        22,
        &[],
    );
}

#[test]
fn for_break() {
    check(
        "byte i;
         active proctype A() { for (i : 0 .. 5) { if :: i == 3 -> break :: else fi } ; assert(i == 3) }",
        15,
        15,
        &[],
    );
}

#[test]
fn for_in_array() {
    check(
        "byte a[3]; byte i, s;
         active proctype A() { for (i in a) { a[i] = i; s = s + i } ; assert(s == 3) }",
        17,
        17,
        &[],
    );
}

#[test]
fn for_in_chan() {
    check(
        "typedef M { byte a; byte b }; chan c = [3] of { M }; byte s;
         active proctype A() { M m; m.a = 1; m.b = 2; c!m; m.a = 3; c!m; for (m in c) { s = s + m.a } ; assert(s == 4 && len(c) == 2) }",
        20,
        20,
        &[],
    );
}

#[test]
fn goto_into_loop() {
    check(
        "byte x;
         active proctype A() { goto in; do :: x < 5 -> x = x + 2; in: x++ :: x >= 5 -> break od }",
        10,
        10,
        &[],
    );
}

#[test]
fn hidden_var() {
    check(
        "hidden byte h; byte x;
         active proctype A() { h = 1; x = h; h = 2; x = 0; h = 3 }",
        7,
        7,
        &[],
    );
}

#[test]
fn inline_ret() {
    check(
        "byte x;
         inline plus(a, b) { int t; t = a + b; return t }
         active proctype A() { x = plus(3, 4); assert(x == 7); x = plus(x * 2, 1); assert(x == 15) }",
        10,
        10,
        &[],
    );
}

#[test]
fn labels_end_progress() {
    check(
        "byte x;
         active proctype A() { end1: do :: x == 0 -> progress: goto L :: x == 1 -> accept_x: x = 0 od; L: endL: x == 3 }",
        3,
        3,
        &[],
    );
}

#[test]
fn last_var() {
    check(
        "byte x;
         active proctype A() { x = 1; x = _last }
         active proctype B() { x = 2; x = _last }",
        27,
        35,
        &[],
    );
}

#[test]
fn local_init_order() {
    check(
        "int a = 3; byte b = 2; byte c = 7;
         proctype P(byte n) { int x = n + 1; byte y = x; short z[2] = y; assert(x == 5 && y == 5 && z[1] == 5) }
         init { run P(4); assert(c == 7 && b == 2 && a == 3) }",
        8,
        10,
        &[],
    );
}

#[test]
fn mid_decl_array() {
    check(
        "byte n;
         active proctype A() { do :: n < 2 -> byte a[2]; assert(a[0] == 0); a[0] = 1; a[1]++; n++ :: else -> break od; chan q; byte z = n + 1; byte w = z; assert(w == 3) }",
        19,
        19,
        &[],
    );
}

#[test]
fn nested_unless_if() {
    check(
        "byte g;
         active proctype A() { { do :: g < 3 -> g++ :: g == 3 -> g = 0 od } unless { if :: g == 2 -> g = 9 :: g == 1 -> g = 8 fi } ; assert(g >= 8) }
         active proctype B() { g == 1; g = 2 }",
        31,
        39,
        &[Fault::Assertion, Fault::InvalidEndState],
    );
}

#[test]
fn notrace() {
    check(
        "chan c = [2] of { byte }; byte v;
         notrace { c!1; c?1 }
         active proctype A() { c!1; if :: c?v :: c!2 fi }",
        6,
        6,
        &[Fault::Trace],
    );
}

#[test]
fn pc_value() {
    check(
        "byte g;
         active proctype A() { skip; skip; g = 1 }
         active proctype B() { pc_value(0) == 3; g = 2 }",
        14,
        15,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn poll_random() {
    check(
        "chan c = [3] of { byte, byte }; byte n;
         active proctype A() { c!1,2; c!3,4; if :: c??[3,_] -> n = 1 :: else fi; if :: c?[3,4] -> n = 2 :: else -> n = 3 fi; c??<3,n>; assert(n == 4 && len(c) == 2) }",
        10,
        10,
        &[],
    );
}

#[test]
fn prio_own() {
    check(
        "byte g;
         active proctype A() priority 2 { _priority = 5; g = 1; g = 2 }
         active proctype B() priority 3 { g = 3; g = 4 }",
        8,
        8,
        &[],
    );
}

#[test]
fn priority_dyn() {
    check(
        "byte g;
         proctype W(byte p) { g = p; g = p + 1 }
         init { atomic { run W(1) priority 3; run W(5) priority 7 }; set_priority(1, 9); assert(get_priority(1) >= 1) }",
        12,
        12,
        &[Fault::Assertion],
    );
}

#[test]
fn provided_pid() {
    check(
        "byte turn;
         active [3] proctype P() provided (turn == _pid) { do :: turn = (turn + 1) % 3 :: break od }",
        7,
        8,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn remote_goto_label() {
    check(
        "byte g;
         active proctype A() { do :: g = 1; L: goto M :: g = 2 -> break od; M: g = 3 }
         active proctype B() { A@L -> g = 7 }",
        18,
        22,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn remote_var() {
    check(
        "byte g;
         active proctype A() { byte v[2]; v[1] = 3; v[0] = 4 }
         active proctype B() { A[0]:v[1] == 3 -> g = 1 }",
        10,
        13,
        &[],
    );
}

#[test]
fn run_expr() {
    check(
        "byte p;
         proctype Q(byte n) { p = n }
         init { atomic { p = run Q(1); p = run Q(2) + 1 }; p == 2 }",
        21,
        26,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn rv_self_array() {
    check(
        "chan c[2] = [0] of { byte };
         active [2] proctype P() { byte v; if :: c[_pid]!1 :: c[1 - _pid]?v fi }",
        6,
        7,
        &[],
    );
}

#[test]
fn rv_two_receivers() {
    check(
        "chan c = [0] of { byte, byte }; byte r;
         active proctype S() { c!1(5); c!2(6) }
         active [2] proctype R() { byte v; do :: c?eval(_pid), v -> r = v :: c?2, v -> r = 9 od }",
        14,
        17,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn select_big() {
    check(
        "byte v;
         active proctype A() { select(v : 0 .. 40); assert(v <= 40) }",
        205,
        205,
        &[],
    );
}

#[test]
fn select_label() {
    check(
        "byte v, n;
         active proctype A() { skip; L: select(v : 1 .. 2); n++; if :: n < 2 -> goto L :: else fi }",
        16,
        18,
        &[],
    );
}

#[test]
fn skips() {
    check(
        "byte x;
         active proctype P() { do :: true -> skip; printf(\"a\"); skip; skip; x++ ; if :: x > 2 -> break :: else -> skip; skip fi od; { skip; skip; x = 9 }; skip; skip }",
        23,
        23,
        &[],
    );
}

#[test]
fn timeout_else() {
    check(
        "byte x;
         active proctype A() { do :: timeout -> x++; if :: x > 2 -> break :: else fi od }
         active proctype B() { if :: x == 1 -> x = 2 fi }",
        14,
        17,
        &[],
    );
}

#[test]
fn timeout_in_atomic() {
    check(
        "byte x;
         active proctype A() { atomic { x = 1; timeout -> x = 2 } }
         active proctype B() { x == 1 -> x = 5 }",
        7,
        7,
        &[],
    );
}

#[test]
fn trace_ok() {
    check(
        "chan c = [2] of { byte }; byte v;
         trace { do :: c!1; c!2 od }
         active proctype A() { c!1; c!2; c!1; c?v; c!1 }",
        3,
        3,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn two_active_chan() {
    check("active [2] proctype P() { chan c = [1] of { byte }; byte x; c!_pid; c?x; assert(x == _pid) }", 21, 33, &[]);
}

#[test]
fn typedef_nested() {
    check(
        "typedef I { byte v[2]; bit b }; typedef O { I i[2]; short s = 9 }; O o[2];
         active proctype A() { o[1].i[1].v[1] = 3; o[0].i[0].b = 2; assert(o[1].s == 9 && o[0].i[0].b == 0); o[1].i[0].v[0] = o[1].i[1].v[1] }",
        6,
        6,
        &[],
    );
}

#[test]
fn unless_do_break() {
    check(
        "byte g;
         active proctype A() { do :: g < 5 -> g++ :: break od unless { g == 4 }; g = 7 }",
        16,
        20,
        &[],
    );
}

#[test]
fn unless_goto() {
    check(
        "byte g;
         active proctype A() { { skip; L: g++; if :: g < 4 -> goto L :: else fi } unless { g == 3 -> goto M }; M: g = 9 }",
        10,
        10,
        &[],
    );
}

#[test]
fn unless_in_unless() {
    check(
        "byte g, h;
         active proctype A() { { { g++; g++; g++ } unless { g == 2 -> h = 1; h = 2; h = 3 } } unless { h == 2 -> h = 7 } }
         active proctype B() { h == 2; h = 3 }",
        21,
        25,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn unless_labelled() {
    check(
        "byte g;
         active proctype A() { L: { g = 1; g = 2 } unless { g == 1 -> g = 5 }; if :: g == 5 -> g = 6; goto L :: else fi }",
        6,
        7,
        &[],
    );
}

#[test]
fn unless_labelled_atomic() {
    check(
        "byte g;
         active proctype A() { skip; L: atomic { g++; g = 2 } unless { g == 1 -> g = 5 }; if :: g == 5 -> g = 6; goto L :: else fi }",
        9,
        9,
        &[],
    );
}

#[test]
fn unless_rv() {
    check(
        "chan c = [0] of { byte }; byte g;
         active proctype A() { { g = 1; g = 2; g = 3 } unless { c!1 } }
         active proctype B() { g == 2; c?1; g = 7 }",
        9,
        9,
        &[Fault::InvalidEndState],
    );
}

#[test]
fn what_cannot_go_on_stops_the_search() {
    let stopped = |text: &str| report(text).stopped;
    assert_eq!(stopped("byte x; init { d_step { x = 1; x == 2 } }"), Some(Stop::DStepBlocks));
    assert_eq!(stopped("byte x; init { d_step { x = 1; if :: x == 2 fi } }"), Some(Stop::DStepBlocks));
    assert_eq!(stopped("chan c = [0] of { byte }; init { d_step { c!1 } }"), Some(Stop::RendezvousInDStep));
    assert_eq!(stopped("byte x; init { d_step { do :: x = 1 od } }"), Some(Stop::DStepEndless));
    assert_eq!(stopped("byte x; init { x = 3 / x }"), Some(Stop::DivisionByZero));
    assert_eq!(stopped("proctype P() { end: false } init { do :: run P() od }"), Some(Stop::TooManyProcesses));
    assert_eq!(stopped("int x; init { do :: x++ od }"), Some(Stop::Limit));
}

#[test]
fn faults_are_told_apart() {
    let faults = |text: &str| report(text).faults;
    let one = |fault| BTreeSet::from([fault]);
    assert_eq!(faults("byte a[2], i = 2; init { a[i] = 1 }"), one(Fault::ArrayIndex));
    assert_eq!(faults("chan c = [1] of { byte, byte }; init { c!1 }"), one(Fault::MessageFields));
    assert_eq!(faults("chan c = [0] of { byte }; init { if :: c?[1] :: else fi }"), one(Fault::PollRendezvous));
    assert_eq!(faults("chan d = [1] of { byte }; chan c; init { if :: c!1 :: d!1 fi }"), one(Fault::NoChannel));
}
