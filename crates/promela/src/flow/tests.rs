//! Facts about places and steps.

use burnside_diag::FileId;

use super::{Action, Automaton, Location};
use crate::{Options, load};

/// The automaton of a process with this body.
#[track_caller]
fn automaton(body: &str) -> Automaton {
    let text = format!("byte x, y; chan c = [0] of {{ byte }}; active proctype A() {{ {body} }}");
    let loaded = load(FileId(0), &text, &Options::default(), &mut |_| Err(String::new()));
    let model = loaded.model.unwrap_or_else(|| panic!("{body}: {:?}", loaded.diagnostics));
    model.flow.procs.into_iter().next().expect("one process")
}

/// Every location that can be reached, with the numbers of the moves from it, in the order of a walk.
fn shape(automaton: &Automaton) -> Vec<usize> {
    let mut order = vec![automaton.start];
    let mut at = 0;
    while let Some(&location) = order.get(at) {
        at += 1;
        for to in automaton.moves(location).iter().filter_map(|step| step.to) {
            if !order.contains(&to) {
                order.push(to);
            }
        }
    }
    order.iter().map(|&location| automaton.moves(location).len()).collect()
}

#[track_caller]
fn check(body: &str, expected: &[usize]) {
    assert_eq!(shape(&automaton(body)), expected, "{body}");
}

#[test]
fn every_statement_is_a_step() {
    check("x = 1; printf(\"a\"); skip; assert(x == 1)", &[1; 5]);
}

#[test]
fn jumps_are_steps_only_where_an_option_begins() {
    check("do :: x = 1; break :: x = 2 od", &[2, 1]);
    check("do :: break :: x = 2 od", &[2, 1]);
    let first = automaton("if :: goto L :: x = 1 fi; L: skip");
    assert!(matches!(first.action(first.moves(first.start)[0].action), Action::Jump));
}

#[test]
fn options_that_begin_with_selections_are_flattened() {
    check("if :: x = 1 :: if :: x = 2 :: do :: x = 3 :: x = 4 od fi fi", &[4, 1, 2]);
}

#[test]
fn an_else_stands_behind_the_other_options() {
    let automaton = automaton("if :: else -> x = 1 :: x == 2 fi");
    let moves = automaton.moves(automaton.start);
    assert!(matches!(automaton.action(moves[1].action), Action::Else));
}

#[test]
fn an_atomic_is_exclusive_up_to_its_last_step() {
    let automaton = automaton("atomic { x = 1; x = 2; x = 3 }; x = 4");
    let mut at = automaton.start;
    let mut atomic = Vec::new();
    while let [only] = automaton.moves(at) {
        atomic.push(only.atomic);
        match only.to {
            Some(to) => at = to,
            None => break,
        }
    }
    assert_eq!(atomic, [true, true, false, false, false]);
}

#[test]
fn declarations_behind_statements_are_steps() {
    check("byte a; byte b = 1; x = 1; byte d, e = 2; x = 2", &[1; 5]);
}

#[test]
fn escapes_come_first_and_the_outermost_of_them_first() {
    let automaton = automaton("{ { x = 1 } unless { y == 1 } } unless { y == 2 }");
    let escapes: Vec<bool> = automaton.moves(automaton.start).iter().map(|step| step.escape.is_some()).collect();
    assert_eq!(escapes, [true, true, false]);
    let spans: Vec<u32> =
        automaton.moves(automaton.start).iter().map(|step| automaton.actions[step.action.index()].span.start).collect();
    assert!(spans[0] > spans[1] && spans[1] > spans[2], "{spans:?}");
}

#[test]
fn a_loop_head_keeps_its_label() {
    let automaton = automaton("skip; L: for (x : 1 .. 2) { skip }; goto L");
    let head = automaton.labels[0];
    assert_ne!(head, automaton.start);
    assert_eq!(automaton.moves(head).len(), 2);
}

#[test]
fn a_break_in_an_escape_leaves_the_loop_around() {
    // From both places the escape leads to the end.
    let automaton = automaton("do :: do :: x = 1; x = 2 od unless { y == 1 -> break } od");
    let escapes = automaton.nodes.iter().flat_map(|node| &node.moves).filter(|step| step.escape.is_some());
    assert!(escapes.into_iter().all(|step| step.to == Some(automaton.end)));
}

#[test]
fn locations_have_spins_numbers() {
    // `pan -d` shows the states 1, 2, 4 (the end of the block is 3's) and 5 for this body.
    let automaton = automaton("x = 1; atomic { x = 2; x = 3 }");
    assert_eq!(automaton.start, Location(1));
    assert_eq!(automaton.moves(Location(1))[0].to, Some(Location(4)));
    assert_eq!(automaton.end, Location(5));
}

#[test]
fn resting_places_are_marked() {
    let automaton = automaton("end: do :: x == 1 -> progress: x = 2 :: x == 3 -> accept: x = 4 od");
    let marked = |mark: fn(&super::Node) -> bool| automaton.nodes.iter().filter(|node| mark(node)).count();
    assert_eq!((marked(|node| node.valid_end), marked(|node| node.progress), marked(|node| node.accept)), (2, 1, 1));
}

/// Where a process may rest, among the places it can be at, by the order of a walk; the closing brace is left out. Each was
/// compared with the states that `pan -d` marks.
#[track_caller]
fn rests(body: &str, expected: &[bool]) {
    let automaton = automaton(body);
    let mut order = vec![automaton.start];
    let mut at = 0;
    while let Some(&location) = order.get(at) {
        at += 1;
        order.extend(
            automaton
                .moves(location)
                .iter()
                .filter_map(|step| step.to)
                .filter(|to| !order.contains(to))
                .collect::<Vec<_>>(),
        );
    }
    let found: Vec<bool> = order
        .iter()
        .filter(|&&location| location != automaton.end)
        .map(|location| automaton.nodes[location.index()].valid_end)
        .collect();
    assert_eq!(found, expected, "{body}");
}

#[test]
fn a_label_before_the_first_step_of_an_option_counts_behind_it() {
    rests("do :: end1: x = 1; x == 2; x = 3 od", &[false, true, false]);
    rests("do :: x = 1; end1: x = 4; x == 2 od", &[false, true, false]);
    rests("do :: end1: x = 1 od", &[true]);
    rests("do :: if :: end1: x = 1; x == 2 fi; x == 3 od", &[false, true, false]);
    rests("do :: end1: atomic { x = 1; x == 2 }; x == 3 od", &[false, true, false]);
    rests("do :: end1: goto M :: x = 1 od; M: x == 2", &[false, true]);
    rests("do :: end1: x = 5; break :: x = 1 od; x == 2", &[false, true]);
    rests("do :: end1: { x = 5; x == 2 } od", &[false, true]);
    rests("end1: x = 1; atomic { x == 2; x = 3 }", &[true, false, false]);
}
