//! Claims of Promela models.

use std::fs;

use crate::harness::{Run, command, finished, scratch};

const COUNTER: &str = "#define top (x == 3)\nbyte x;\nactive proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }\n\
                       ltl again { []<> top }\nltl below { [] (x < 3) }\n";

fn check(args: &[&str]) -> Run {
    let path = scratch("counter.pml");
    fs::write(&path, COUNTER).expect("written");
    finished(command().arg("check").arg(path).args(args).output().expect("it runs"))
}

#[test]
fn a_claim_is_checked_when_it_is_asked_for() {
    assert!(check(&["--property", "again"]).exits(0).out.contains("LTL property \"again\""));
    assert!(check(&["--property", "below"]).exits(1).out.contains("\"below\" does not hold"));
}

#[test]
fn claims_that_are_left_out_are_told() {
    let run = check(&[]).exits(0);
    assert!(run.out.contains("2 claims of it were not checked"), "{}", run.out);
    assert!(run.err.contains("`--property again` checks it"), "{}", run.err);
}

#[test]
fn a_formula_beside_the_model_sees_its_macros() {
    check(&["--ltl", "[]<> top"]).exits(0);
    let run = check(&["--ltl", "[] !top"]).exits(1);
    assert!(run.out.contains("ltl formula1 { [] !top }"), "{}", run.out);
    assert!(check(&["--ltl", "[] nobody"]).exits(3).err.contains("nobody"));
}

#[test]
fn what_cannot_be_checked_is_refused() {
    assert!(check(&["--ctl", "AG top"]).exits(3).err.contains("branching time"));
    assert!(check(&["--ltl", "[]<> np_"]).exits(3).err.contains("cannot be checked"));
}
