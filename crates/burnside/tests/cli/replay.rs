//! Written traces, their replay, and random walks.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Run, burnside, scratch};

/// Writes the trace of a model's violation.
fn trace_of(model: &str, options: &str) -> PathBuf {
    let path = scratch("trace.itf.json");
    burnside(&format!("check {model} {options} --trace-file {}", path.display())).exits(1);
    path
}

fn replay(path: &Path, rest: &str) -> Run {
    burnside(&format!("replay {} {rest}", path.display()))
}

/// The trace with something changed.
fn edited(path: &Path, name: &str, edit: impl FnOnce(&mut Value)) -> PathBuf {
    let mut trace: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON");
    edit(&mut trace);
    let path = scratch(name);
    std::fs::write(&path, trace.to_string()).expect("written");
    path
}

#[test]
fn every_written_trace_replays_to_the_same_violation() {
    for (model, options, words) in [
        ("mutex.m", "", "violated: invariant, after 4 steps"),
        ("deadlock.m", "", "violated: deadlock, after 2 steps"),
        ("fault.m", "", "violated: value-out-of-range, after 3 steps"),
        ("fault.m", "-D GUARD=1", "violated: undefined-read, after 1 step"),
        ("start-fault.m", "", "violated: division-by-zero, after 0 steps"),
        ("assertion.m", "", "violated: assertion, after 2 steps"),
        ("post.m", "", "violated: invariant, after 2 steps"),
    ] {
        let path = trace_of(model, options);
        let run = replay(&path, &format!("{model} {options}")).exits(1);
        assert!(run.out.contains(words), "{model}: {}", run.out);
    }
}

#[test]
fn a_report_can_be_replayed_too() {
    let path = scratch("mutex.report.json");
    burnside(&format!("check mutex.m --json {}", path.display())).exits(1);
    replay(&path, "mutex.m").exits(1);
    burnside(&format!("check turns.m --json {}", path.display())).exits(0);
    let run = replay(&path, "turns.m").exits(3);
    assert!(run.err.contains("the report holds no trace"), "{}", run.err);
}

#[test]
fn one_execution_does_not_show_a_liveness_violation() {
    let path = trace_of("lost.m", "--deadlock off");
    let run = replay(&path, "lost.m --deadlock off").exits(2);
    assert!(run.out.contains("inconclusive: 2 steps replayed"), "{}", run.out);
}

#[test]
fn a_state_that_differs_is_shown() {
    let path = edited(&trace_of("mutex.m", ""), "other-state.json", |trace| {
        trace["states"][1]["at"]["#map"][1][1] = "critical".into();
    });
    let run = replay(&path, "mutex.m").exits(3);
    assert!(run.out.contains("differs: at state 1 of the trace: rule \"request\" leads to another state"));
    assert!(run.out.contains("    at[process_2]: the model has idle, the trace critical\n"), "{}", run.out);
}

#[test]
fn a_rule_that_may_not_fire_is_named() {
    let path = edited(&trace_of("mutex.m", ""), "not-enabled.json", |trace| {
        trace["states"][1]["#meta"]["action"] = "leave".into();
    });
    let run = replay(&path, "mutex.m").exits(3);
    assert!(run.out.contains("at state 1 of the trace: rule \"leave\" may not fire here"), "{}", run.out);
}

#[test]
fn actions_are_found_where_the_trace_does_not_name_them() {
    let path = edited(&trace_of("mutex.m", ""), "anonymous.json", |trace| {
        for state in trace["states"].as_array_mut().expect("a list") {
            state.as_object_mut().expect("an object").remove("#meta");
        }
    });
    let run = replay(&path, "mutex.m").exits(1);
    assert!(run.out.contains("4. rule \"enter\" with p = process_2"), "{}", run.out);
}

#[test]
fn a_prefix_violates_nothing() {
    let path = edited(&trace_of("mutex.m", ""), "prefix.json", |trace| {
        trace["states"].as_array_mut().expect("a list").truncate(3);
        trace["#meta"].as_object_mut().expect("an object").remove("violates");
    });
    let run = replay(&path, "mutex.m").exits(0);
    assert!(run.out.contains("replayed: 2 steps, and nothing is violated"), "{}", run.out);
}

#[test]
fn what_is_no_trace_is_refused() {
    let trace = trace_of("mutex.m", "");
    let refused = |path: &Path, words: &str| {
        let run = replay(path, "mutex.m").exits(3);
        assert!(run.err.contains("error[bad-trace]") && run.err.contains(words), "{}", run.err);
    };
    let text = scratch("text.json");
    std::fs::write(&text, "no JSON").expect("written");
    refused(&text, "it is not JSON");
    refused(&edited(&trace, "empty.json", |it| *it = Value::Null), "it has no list `states`");
    refused(
        &edited(&trace, "missing.json", |it| {
            it["states"][2].as_object_mut().expect("an object").remove("last");
        }),
        "state 2: variable `last` is missing",
    );
    refused(
        &edited(&trace, "alien.json", |it| it["states"][0]["at"]["#map"][0][1] = "asleep".into()),
        "state 0: at[process_1] has the value \"asleep\", which is not of type place",
    );
}

#[test]
fn a_trace_of_another_model_is_refused() {
    replay(&trace_of("mutex.m", ""), "turns.m").exits(3);
}

#[test]
fn equal_seeds_give_equal_walks() {
    let walk = |seed: u32| burnside(&format!("simulate counter.m --steps 30 --seed {seed}")).exits(0).out;
    assert_eq!(walk(7), walk(7));
    assert_ne!(walk(7), walk(8));
}

#[test]
fn a_walk_can_be_kept_and_replayed() {
    let path = scratch("walk.json");
    burnside(&format!("simulate counter.m --steps 5 --trace-file {}", path.display())).exits(0);
    let run = replay(&path, "counter.m").exits(0);
    assert!(run.out.contains("replayed: 5 steps"), "{}", run.out);
}

#[test]
fn a_walk_ends_where_nothing_leads_on() {
    let runs = |options: &str| -> Vec<Run> {
        let walk = |seed| burnside(&format!("simulate deadlock.m --steps 500 --seed {seed} {options}"));
        (0..20).map(walk).collect()
    };
    let dead = |run: &&Run| run.code == 1 && run.out.contains("error[deadlock]");
    assert!(runs("").iter().any(|run| dead(&run)), "philosophers starve sooner or later");
    let ended = |run: &&Run| run.code == 0 && run.out.contains("no rule is enabled in the last state");
    assert!(runs("--deadlock off").iter().any(|run| ended(&run)), "and may do so without a violation");
}
