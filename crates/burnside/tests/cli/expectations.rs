//! `burnside test`.

use std::fs;
use std::path::{Path, PathBuf};

use burnside_driver::{Expect, Header};
use burnside_testkit::shared_corpus;

use crate::harness::{Run, assert_golden, burnside_in, command, finished, root, scratch};

/// Larger models of others are not tried in every configuration.
const MOST_STATES_COMPARED: u64 = 20_000;

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
    assert!(
        test_in(&folder, "")
            .exits(3)
            .err
            .contains("test 1: unknown key `expects`; there are `model`, `options`, `expect`")
    );
}

#[test]
fn configurations_are_compared_with_a_plain_search() {
    let folder = folder();
    fs::remove_file(folder.join("counter.m")).expect("removed");
    let stuck = fs::read_to_string(folder.join("stuck.m")).expect("there") + "cover x = 1;\n";
    fs::write(folder.join("stuck.m"), stuck).expect("written");
    let list = "[[configuration]]\noptions = \"--search dfs\"\n[[configuration]]\noptions = \"--depth 1\"\n\
                [[configuration]]\noptions = \"--engine interpolant\"\n[[test]]\nmodel = \"stuck.m\"\n";
    fs::write(folder.join("burnside.toml"), list).expect("written");
    let run = test_in(&folder, "--junit results.xml").exits(1);
    for line in [
        "running 3 tests",
        "test stuck.m (--symmetry off --search dfs) ... ok",
        "test stuck.m (--symmetry off --depth 1) ... FAILED",
        "plain search: violated deadlock depth 3 states 4 rules 3\nthis one:     inconclusive",
        "test stuck.m (--engine interpolant) ... skipped: it is not supported",
        "1 passed; 1 failed; 1 skipped;",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    let results = fs::read_to_string(folder.join("results.xml")).expect("written");
    assert!(results.contains("skipped=\"1\"") && results.contains("<skipped message=\"it is not supported\"/>"));
    assert!(test_in(&folder, "--filter dfs").exits(0).out.contains("running 1 test\n"));
    for (wrong, words) in [
        ("[[configuration]]\n", "configuration 1: it needs `options`"),
        (
            "[[configuration]]\noptions = \"-j 2\"\ncounts = \"less\"\n",
            "`counts` is `same`, `fewer` or `any`, not `less`",
        ),
        ("[[configuration]]\noptions = 2\n", "`options` must be a text"),
        ("[[test]]\nmodel = \"stuck.m\"\n", "stuck.m: there is no `expect`"),
        ("", "there are no tables `[[test]]` or `[[configuration]]`"),
    ] {
        fs::write(folder.join("burnside.toml"), wrong).expect("written");
        let run = test_in(&folder, "").exits(3);
        assert!(run.err.contains(words), "{words}\n{}", run.err);
    }
}

/// What was not compared, one line each.
fn skips(run: &Run) -> String {
    run.out.lines().filter(|line| line.contains("... skipped")).map(|line| format!("{line}\n")).collect()
}

/// The skips are a golden file, so that coverage cannot shrink unseen.
#[test]
fn our_own_models_do_what_they_say_in_every_configuration() {
    let run = burnside_in(".", "test corpus --time 5m").exits(0);
    assert!(run.out.contains(" 0 failed;") && run.out.contains(" 0 without expectations"), "{}", run.out);
    assert_golden("skips.txt", &skips(&run));
    let n_passed = run.out.lines().filter(|line| line.ends_with("... ok")).count();
    assert!(n_passed > 2000, "{n_passed} comparisons");
}

#[test]
fn examples_do_what_they_say_in_every_configuration() {
    let folder = empty();
    let examples = fs::read_dir(root().join("examples")).expect("a folder").map(|entry| entry.expect("a file").path());
    for path in examples.chain([root().join("corpus/burnside.toml")]) {
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("copied");
    }
    let run = test_in(&folder, "--time 5m").exits(0);
    assert!(!run.out.contains("... skipped: there is nothing"), "{}", run.out);
}

/// A header says as much as can be known.
#[test]
fn headers_of_our_own_models_are_complete() {
    for folder in ["corpus/murphi", "corpus/regress", "corpus/ir", "examples"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("a file").path();
            let text = fs::read_to_string(&path).expect("a text");
            if path.extension().is_some_and(|it| it == "toml") || !Header::is_there(&text) {
                continue;
            }
            let header = Header::parse(&text).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
            let is_complete = match &header.expect {
                Expect::Holds => header.states.is_some() && header.rules.is_some(),
                Expect::Violated { kind, depth, .. } => depth.is_some() || ["cover", "ltl", "ctl"].contains(&&kind[..]),
                Expect::Inconclusive => false,
                Expect::Invalid(codes) => !codes.is_empty(),
            };
            assert!(is_complete, "{}: {}", path.display(), header.expect);
        }
    }
}

/// Models that others wrote, and the constructs of their dialects, as far as they are small.
#[test]
fn models_of_others_come_to_the_same_in_every_configuration() {
    let Some(corpus) = shared_corpus() else { return };
    let mut list = fs::read_to_string(root().join("corpus/burnside.toml")).expect("a list");
    let small = fs::read_to_string(corpus.join("murphi/expected.tsv")).expect("a table");
    let mut rows = small.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let columns = rows.next().expect("a heading");
    let at = |name: &str| columns.iter().position(|it| *it == name).expect("a column");
    let (file, verdict, off, states) =
        (at("file"), at("verdict(deadlock_check_on)"), at("verdict_if_deadlock_off"), at("states_nosym"));
    let mut add = |model: &Path, options: &str| {
        list += &format!("[[test]]\nmodel = {:?}\noptions = {options:?}\n", model.display().to_string());
    };
    for row in rows.filter(|row| row[states].parse().unwrap_or(0) <= MOST_STATES_COMPARED) {
        let model = corpus.join("murphi/models").join(row[file]);
        for (verdict, options) in [(row[verdict], ""), (row[off], "--deadlock off")] {
            if !["", "reject", "unknown"].contains(&verdict) {
                add(&model, options);
            }
        }
    }
    for entry in fs::read_dir(corpus.join("murphi-dialect")).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|it| it == "m") {
            add(&path, "");
        }
    }
    for name in ["gap-t.m", "gap-f.m"] {
        add(&corpus.join("symmetry-traps").join(name), "");
    }
    let folder = empty();
    fs::write(folder.join("burnside.toml"), list).expect("written");
    let run = test_in(&folder, "--time 3s").exits(0);
    let n_passed = run.out.lines().filter(|line| line.ends_with("... ok")).count();
    // What takes too long says nothing: on a slow machine that is some of them, and never most.
    assert!(n_passed > 2500, "{n_passed} comparisons\n{}", skips(&run));
}
