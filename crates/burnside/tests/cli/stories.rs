//! What people read, word for word.

use crate::harness::{Run, assert_golden, burnside, burnside_in, scratch, without_measurements};

#[track_caller]
fn tells(golden: &str, args: &str, code: i32) {
    told(golden, args, &burnside(args).exits(code));
}

#[track_caller]
fn told(golden: &str, args: &str, run: &Run) {
    let text = format!("$ burnside {args}\n{}{}", without_measurements(&run.out), run.err);
    assert_golden(golden, &text);
}

#[test]
fn a_violated_invariant() {
    tells("invariant.txt", "check mutex.m", 1);
}

#[test]
fn an_invalid_end_state_of_processes_and_messages() {
    tells("promela.txt", "check handover.pml", 1);
    tells("promela-walk.txt", "simulate handover.pml --seed 2", 1);
}

#[test]
fn a_promise_about_a_channel() {
    let args = "check promise-of-writing.pml --promises";
    told("promises.txt", args, &burnside_in("corpus/regress", args).exits(1));
    let without = burnside_in("corpus/regress", "check promise-of-writing.pml").exits(0);
    assert!(without.out.starts_with("holds:"), "{}", without.out);
    assert!(burnside("check mutex.m --promises").exits(3).err.contains("about Promela models alone"));
}

/// Statements that begin an `atomic` that is no single rule are executed, too.
#[test]
fn what_every_process_executes_is_not_called_unreached() {
    for options in ["", "--promises", "--symmetry off", "--no-jit", "-j 2"] {
        let run = burnside_in("corpus/regress", &format!("check promises-kept.pml {options}")).exits(0);
        assert!(run.out.contains("states ") && !run.out.contains("unreached"), "{options}: {}", run.out);
    }
}

#[test]
fn a_counterexample_as_a_page() {
    let file = scratch("page.html");
    let page = |args: &str, code: i32| {
        burnside(&format!("check {args} --html {}", file.display())).exits(code);
        std::fs::read_to_string(&file).expect("a page")
    };
    let chart = page("handover.pml -q --trace off", 1);
    assert!(chart.contains("<table>") && chart.contains("</i></b></td>"), "{chart}");
    assert!(!chart.contains("http") && !chart.contains("<script"), "nothing is loaded: {chart}");
    let words = page("mutex.m", 1);
    assert!(words.contains("1. rule") && !words.contains("<table>"), "{words}");
    // Nothing of an earlier run stays.
    assert!(page("turns.m", 0).contains("<p>holds: "));
    assert!(page("broken.m", 3).contains("<pre>error["));
    burnside(&format!("check turns.m --html {} --json {0}", file.display())).exits(3);
}

#[test]
fn promela_models_include_and_define() {
    let counts = |options: &str| {
        let report = burnside(&format!("check turns.pml --json - -q {options}")).exits(0).report();
        (report["language"].clone(), report["states"].clone(), report["rules_fired"].clone())
    };
    assert_eq!(counts("--symmetry off"), ("promela".into(), 6.into(), 6.into()));
    assert_eq!(counts("-D N=5 --symmetry off"), ("promela".into(), 10.into(), 10.into()));
    assert_eq!(counts("-DN=5 --symmetry refine"), ("promela".into(), 2.into(), 2.into()));
}

#[test]
fn each_state_in_full() {
    tells("full.txt", "check mutex.m --trace full", 1);
}

#[test]
fn no_story_at_all() {
    tells("off.txt", "check mutex.m --trace off", 1);
}

#[test]
fn everything_holds() {
    tells("holds.txt", "check turns.m", 0);
}

#[test]
fn reasons_and_rule_counts() {
    tells("verbose.txt", "check turns.m -v", 0);
}

#[test]
fn deadlocks_by_mode() {
    tells("deadlock.txt", "check deadlock.m", 1);
    tells("stuck.txt", "check deadlock.m --deadlock stuck", 1);
    tells("broken-down.txt", "check lost.m", 1);
}

#[test]
fn a_fault_in_an_action() {
    tells("action-fault.txt", "check fault.m", 1);
}

#[test]
fn a_fault_in_a_guard() {
    tells("guard-fault.txt", "check fault.m -D GUARD=1", 1);
}

#[test]
fn a_fault_in_a_start_state() {
    tells("start-fault.txt", "check start-fault.m", 1);
}

#[test]
fn a_failed_assertion() {
    tells("assertion.txt", "check assertion.m", 1);
}

#[test]
fn a_liveness_property_that_is_lost() {
    tells("liveness.txt", "check lost.m --deadlock off", 1);
}

#[test]
fn a_cover_that_is_missed() {
    tells("cover.txt", "check uncovered.m", 1);
}

#[test]
fn multisets_change_by_elements() {
    tells("multiset.txt", "check post.m", 1);
}

#[test]
fn a_reduction_that_is_given_up() {
    tells("given-up.txt", "check together.m", 0);
    let report = |symmetry: &str| burnside(&format!("check together.m --symmetry {symmetry} --json -")).report();
    let [auto, off, refine] = ["auto", "off", "refine"].map(report);
    assert_eq!((&auto["symmetry"]["strategy"], &auto["states"]), (&off["symmetry"]["strategy"], &off["states"]));
    // Whoever asks for a strategy gets it.
    assert_eq!(refine["symmetry"]["strategy"], "refine");
}

#[test]
fn a_reduction_whose_images_are_never_met() {
    let report = |args: &str| burnside(&format!("check favourite.m --json - {args}")).report();
    let way = |report: &serde_json::Value| (report["symmetry"]["strategy"].clone(), report["states"].clone());
    // All walls keep the colour of the start state, though nothing else tells colours apart.
    let [auto, off, refine] = ["", "--symmetry off", "--symmetry refine"].map(report);
    assert_eq!(way(&auto), way(&off));
    assert_eq!((&refine["symmetry"]["group_order"], &refine["states"]), (&"12".into(), &off["states"]));
    // Painters see to it that both colours are met. Then it pays.
    let [auto, off] = ["-D Painters=1", "-D Painters=1 --symmetry off"].map(report);
    assert_eq!(way(&auto).0, "refine");
    assert_eq!(auto["states"].as_u64().map(|n| n * 4), off["states"].as_u64());
}

#[test]
fn a_search_that_was_cut() {
    tells("inconclusive.txt", "check counter.m --depth 2 --symmetry off", 2);
}

#[test]
fn a_model_with_errors() {
    let run = burnside("check broken.m").exits(3);
    assert!(run.err.contains("error[unknown-name]") && run.err.contains("error[type-mismatch]"), "{}", run.err);
    assert_eq!(run.out, "invalid: broken.m cannot be checked: 2 errors\n");
}

#[test]
fn a_walk_with_output() {
    tells("walk.txt", "simulate post.m --seed 1", 1);
    tells("long-walk.txt", "simulate turns.m --steps 5 --trace full", 0);
}

#[test]
fn what_is_interchangeable_and_what_is_not() {
    tells("symmetry.txt", "symmetry lamps.m --check-certificate", 0);
    tells("symmetry-verbose.txt", "symmetry mutex.m --verbose", 0);
    tells("symmetry-near.txt", "symmetry readers.m", 0);
    for (golden, folder, args) in [
        ("symmetry-ring.txt", "examples", "symmetry token-ring.m --verbose"),
        ("symmetry-ring-broken.txt", "corpus/murphi", "symmetry ring-broken.m"),
    ] {
        told(golden, args, &burnside_in(folder, args).exits(0));
    }
}

#[test]
fn a_certificate_confirmed_on_some_states_is_inconclusive() {
    let run = burnside("symmetry mutex.m --check-certificate --states 5").exits(2);
    assert!(run.out.ends_with("tried on the first 5 states\n"), "{}", run.out);
    let run = burnside("check mutex.m --check-certificate --trace off").exits(1);
    assert!(run.out.starts_with("certificate confirmed: 1 exchange of two members"), "{}", run.out);
    burnside("symmetry broken.m").exits(3);
}

#[test]
fn help_of_every_verb() {
    tells("help.txt", "--help", 0);
    for verb in ["check", "symmetry", "simulate", "replay", "completions"] {
        tells(&format!("help-{verb}.txt"), &format!("{verb} --help"), 0);
    }
}
