//! `check --certificate` and `audit`.

use std::fs;

use serde_json::Value;

use crate::harness::{burnside, scratch};
use crate::schema::violations;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/audit.schema.json")).expect("the schema is JSON")
}

#[test]
fn what_holds_is_certified_and_accepted() {
    let file = scratch("turns.cert");
    let file = file.display();
    let run = burnside(&format!("check turns.m --certificate {file}")).exits(0);
    assert!(run.out.contains("  certificate  "), "{}", run.out);
    let run = burnside(&format!("audit {file} turns.m")).exits(0);
    assert!(run.out.starts_with("accepted: every property of turns.m holds"), "{}", run.out);
    assert!(run.out.contains("  granted      that the front end"), "{}", run.out);
    let report = burnside(&format!("audit {file} turns.m --json -")).exits(0).report();
    assert_eq!((&report["verdict"], violations(&schema(), &report)), (&Value::from("accepted"), Vec::new()));
    let report = burnside(&format!("audit {file} turns.m --time 0s --json -")).exits(2).report();
    assert_eq!((&report["verdict"], violations(&schema(), &report)), (&Value::from("inconclusive"), Vec::new()));
}

#[test]
fn what_does_not_hold_leaves_no_certificate() {
    let path = scratch("old.cert");
    let file = path.display();
    burnside(&format!("check turns.m --certificate {file}")).exits(0);
    assert!(path.exists());
    let run = burnside(&format!("check mutex.m --trace off --certificate {file}")).exits(1);
    assert!(run.out.contains("none written: only what holds is certified"), "{}", run.out);
    assert!(!path.exists());
}

#[test]
fn other_files_are_not_overwritten() {
    let path = scratch("precious.txt");
    fs::write(&path, "precious").expect("it can be written");
    let run = burnside(&format!("check turns.m --certificate {}", path.display())).exits(3);
    assert!(run.err.contains("is not a certificate"), "{}", run.err);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "precious");
}

#[test]
fn bad_files_are_refused() {
    let path = scratch("bad.cert");
    let file = path.display();
    burnside(&format!("check turns.m --certificate {file}")).exits(0);
    let report = burnside(&format!("audit {file} mutex.m --json -")).exits(3).report();
    assert_eq!((&report["verdict"], violations(&schema(), &report)), (&Value::from("invalid"), Vec::new()));
    let whole = fs::read(&path).expect("it is there");
    fs::write(&path, &whole[..whole.len() - 1]).expect("it can be written");
    let run = burnside(&format!("audit {file} turns.m")).exits(3);
    assert!(run.err.contains("error[bad-certificate]"), "{}", run.err);
    burnside("audit no-such.cert turns.m").exits(3);
}

/// Another deadlock mode is another claim, which is false here: the story leads to the state in question.
#[test]
fn a_false_claim_is_rejected_with_a_story() {
    let path = scratch("false.cert");
    let file = path.display();
    burnside(&format!("check deadlock.m --deadlock off --certificate {file}")).exits(0);
    let whole = fs::read(&path).expect("it is there");
    let at = whole.windows(12).position(|bytes| bytes == b"deadlock off").expect("it says so");
    let spoiled = [&whole[..at], b"deadlock stuttering", &whole[at + 12..]].concat();
    fs::write(&path, spoiled).expect("it can be written");
    let run = burnside(&format!("audit {file} deadlock.m")).exits(1);
    assert!(run.out.contains("error[certificate-rejected]: the last state is a deadlock"), "{}", run.out);
    assert!(run.out.starts_with("0. "), "{}", run.out);
    let report = burnside(&format!("audit {file} deadlock.m --json -")).exits(1).report();
    assert_eq!((&report["verdict"], violations(&schema(), &report)), (&Value::from("rejected"), Vec::new()));
}

#[test]
fn the_report_says_how_many_states_were_audited() {
    let report = burnside("check turns.m --audit all --json -").exits(0).report();
    assert_eq!(report["audited"], report["states"]);
    let report = burnside("check turns.m --audit off --json -").exits(0).report();
    assert_eq!(report["audited"], 0);
}
