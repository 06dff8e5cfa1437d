//! `burnside test`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Run, burnside_in, command, finished, scratch};

const COUNTER: &str = "const N: 1;\nvar x: 0..3;\nstartstate begin x := 0; end;\n\
                       rule \"up\" x < N ==> begin x := x + 1; end;\nrule \"down\" x > 0 ==> begin x := x - 1; end;\n";

const LIST: &str = "# ours\n[[test]]\nmodel = \"stuck.m\"\noptions = \"--deadlock off\"\nexpect = \"holds states 4\"  # all\n\n\
                    [[test]]\nmodel = \"stuck.m\"\nexpect = \"violated deadlock depth 2\"\n";

fn test_in(folder: &Path, args: &str) -> Run {
    finished(command().current_dir(folder).arg("test").args(args.split_whitespace()).output().expect("it runs"))
}

fn empty() -> PathBuf {
    let folder = scratch("expectations");
    fs::create_dir_all(&folder).expect("made");
    folder
}

fn folder() -> PathBuf {
    let folder = empty();
    let header = "-- expect: holds\n-- states: 3\n-- rules: 9\n-- with: -D N=3 --symmetry off => holds states 5\n";
    fs::write(folder.join("counter.m"), format!("{header}{COUNTER}")).expect("written");
    let stuck = "var x: 0..3;\nstartstate begin x := 0; end;\nrule x < 3 ==> begin x := x + 1; end;\n";
    fs::write(folder.join("stuck.m"), stuck).expect("written");
    fs::write(folder.join("burnside.toml"), LIST).expect("written");
    folder
}

#[test]
fn what_is_not_as_expected_is_told() {
    let folder = folder();
    let run = test_in(&folder, "--junit results.xml").exits(1);
    for line in [
        "running 5 tests",
        "test counter.m ... ok",
        "test counter.m (--symmetry off) ... FAILED",
        "expected: holds states 3 rules 9\nfound:    holds states 2 rules 2",
        "repeat with: burnside check counter.m -D N=3 --symmetry off",
        "expected: violated deadlock depth 2\nfound:    violated deadlock depth 3 states 4 rules 3",
        "test result: FAILED. 2 passed; 3 failed; 1 without expectations",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    let results = fs::read_to_string(folder.join("results.xml")).expect("written");
    assert!(results.contains("tests=\"5\" failures=\"3\"") && results.contains("<failure>expected: holds states 5"));
}

#[test]
fn what_is_found_becomes_what_is_expected() {
    let folder = folder();
    test_in(&folder, "--bless").exits(0);
    test_in(&folder, "").exits(0);
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("there");
    let header = "-- expect: holds\n-- states: 2\n-- rules: 2\n-- with: -D N=3 --symmetry off => holds states 4\n";
    assert_eq!(read("counter.m"), format!("{header}{COUNTER}"));
    assert!(read("stuck.m").starts_with("-- expect: violated deadlock depth 3\nvar x"));
    assert_eq!(read("burnside.toml"), LIST.replace("depth 2", "depth 3"));
}

#[test]
fn wrong_expectations_are_no_failures_of_models() {
    let folder = empty();
    assert!(test_in(&folder, "").exits(3).err.contains("no model says what is expected"));
    assert!(test_in(&folder, "nowhere.m").exits(4).err.contains("cannot read `nowhere.m`"));
    fs::write(folder.join("a.m"), "-- expect: hold\n").expect("written");
    assert!(test_in(&folder, "").exits(3).err.contains("a.m: `hold` is not an expectation"));
    fs::write(folder.join("burnside.toml"), "[[test]]\nmodel = \"a.m\"\nexpects = \"holds\"\n").expect("written");
    assert!(test_in(&folder, "").exits(3).err.contains("unknown key `expects` in test 1"));
}

#[test]
fn our_own_models_do_what_they_say() {
    let run = burnside_in(".", "test corpus examples").exits(0);
    assert!(run.out.contains("0 failed; 0 without expectations"), "{}", run.out);
}
