//! Options and exit codes.

use std::io::Write as _;
use std::process::Stdio;

use crate::harness::{burnside, burnside_in, command, finished, models, scratch};

/// A symmetric model that holds.
const EMAIL: &str = "../../../../examples/email.m";

const STRATEGIES: [&str; 8] = ["refine", "enumerate", "sort", "segment", "local", "first", "flood", "marker"];

#[test]
fn exit_codes_tell_the_verdict() {
    burnside("check turns.m").exits(0);
    burnside("check mutex.m").exits(1);
    burnside("check counter.m --depth 1").exits(2);
    burnside("check broken.m").exits(3);
}

#[test]
fn a_bad_command_line_exits_3() {
    for args in [
        "",
        "chekc turns.m",
        "check",
        "check turns.m --no-such-option",
        "check turns.m --deadlock sometimes",
        "check turns.m --time soon",
        "check turns.m --memory lots",
        "check turns.m -j 0",
        "check turns.m -q -v",
        "completions tcsh",
    ] {
        let run = burnside(args).exits(3);
        assert!(!run.err.is_empty() && run.out.is_empty(), "{args}");
    }
}

#[test]
fn a_constant_of_a_murphi_model_is_an_integer() {
    for definition in ["N", "N=x"] {
        let run = burnside(&format!("check turns.m -D {definition}")).exits(3);
        assert!(run.err.contains("error[bad-definition]"), "{}", run.err);
    }
}

#[test]
fn help_and_version_are_no_errors() {
    assert!(burnside("--help").exits(0).out.contains("Examples:"));
    assert!(burnside("check -h").exits(0).out.contains("--symmetry"));
    assert_eq!(burnside("--version").exits(0).out, format!("burnside {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_missing_model_is_a_bad_command_line() {
    let run = burnside("check no-such.m").exits(3);
    assert!(run.err.contains("error[unreadable-file]: cannot read the model `no-such.m`: there is no such file"));
    burnside("simulate no-such.m").exits(3);
    burnside("replay no-such.json turns.m").exits(3);
}

#[test]
fn the_language_is_told_by_the_file_name_or_by_option() {
    let path = scratch("turns.txt");
    std::fs::copy(models().join("turns.m"), &path).expect("copied");
    let run = burnside(&format!("check {}", path.display())).exits(3);
    assert!(run.err.contains("error[unknown-language]"), "{}", run.err);
    assert!(run.err.contains("`.m` (murphi)") && run.err.contains("--language"), "{}", run.err);
    burnside(&format!("check --language murphi {}", path.display())).exits(0);
}

#[test]
fn a_model_in_ir_text_form_is_checked() {
    let path = scratch("flip.ir");
    let text = "(model (global g0 \"x\" t0) (start i0 \"init\" (do (clear g0)))
        (rule r0 \"flip\" (guard true) (do (assign g0 (not g0))))
        (property p0 \"low\" invariant (condition (not g0))))";
    std::fs::write(&path, text).expect("written");
    let run = burnside(&format!("check {}", path.display())).exits(1);
    assert!(run.out.contains("1. rule \"flip\"\n    x: false → true\n"), "{}", run.out);
    std::fs::write(&path, "(model (rule").expect("written");
    let run = burnside(&format!("check {}", path.display())).exits(3);
    assert!(run.err.contains("error[syntax]") && run.err.contains("flip.ir:1:"), "{}", run.err);
}

#[test]
fn a_dash_reads_standard_input() {
    let mut child =
        command().args(["check", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary runs");
    let text = std::fs::read(models().join("mutex.m")).expect("the model is there");
    child.stdin.take().expect("piped").write_all(&text).expect("the model is read");
    let run = finished(child.wait_with_output().expect("it ends")).exits(1);
    assert!(run.out.contains("invariant \"mutual exclusion\" of <stdin> fails after 4 steps"), "{}", run.out);
    assert!(run.out.contains("--> <stdin>:"), "{}", run.out);
}

#[test]
fn constants_take_the_values_of_the_command_line() {
    let states = |args: &str| burnside(args).report()["states"].as_u64().expect("a number");
    assert_eq!(states("check counter.m --symmetry off -D N=2 -D B=3 --json - -q"), 9);
    assert_eq!(states("check counter.m --symmetry off -D N=3 -D B=2 --json - -q"), 8);
    let run = burnside("check counter.m -D NO_SUCH=1").exits(3);
    assert!(run.err.contains("NO_SUCH"), "{}", run.err);
}

#[test]
fn calls_that_take_all_memory_end_inconclusive() {
    for depth in ["BEFORE", "DURING"] {
        let run = burnside(&format!("check deep-calls.m -D {depth}=9000 --no-jit --memory 100M")).exits(2);
        assert!(run.out.contains("the memory limit was reached"), "{}", run.out);
    }
    burnside("check deep-calls.m -D DURING=9 --no-jit --memory 100M --deadlock off").exits(0);
}

#[test]
fn limits_end_inconclusive() {
    for (limit, words) in [
        ("--depth 3", "states more than 3 steps from a start state were not visited"),
        ("--states 2000", "the limit on states was reached"),
        ("--memory 100K", "the memory limit was reached"),
        ("--time 1ms", "the time limit was reached"),
    ] {
        let run = burnside(&format!("check counter.m --symmetry off -D N=7 {limit}")).exits(2);
        assert!(run.out.starts_with("inconclusive: no violation in counter.m (N = 7) so far"), "{}", run.out);
        assert!(run.out.contains(words), "{limit}: {}", run.out);
    }
}

#[test]
fn explanations_are_bounded_by_the_memory_limit() {
    let run = burnside("check late-sum.m --deadlock off --engine interpolant --memory 20K").exits(2);
    assert!(run.out.contains("the memory limit was reached"), "{}", run.out);
    burnside("check late-sum.m --deadlock off --engine interpolant --memory 100M").exits(0);
}

#[test]
fn a_limit_that_is_not_reached_does_not_matter() {
    burnside("check turns.m --depth 100 --states 100000 --memory 1G --time 1h").exits(0);
}

#[test]
fn only_the_named_property_is_checked() {
    burnside("check lost.m").exits(1);
    let run = burnside("check uncovered.m --property on").exits(0);
    assert!(run.out.contains("checked      1 cover, faults and assertions"), "{}", run.out);
    let run = burnside("check uncovered.m --property off").exits(3);
    assert!(run.err.contains("error[unknown-property]"), "{}", run.err);
    assert!(run.err.contains("help: its properties are `on`, `both`"), "{}", run.err);
    let run = burnside("check twins.m --property same --quiet").exits(3);
    assert!(run.err.contains("error[unknown-property]"), "{}", run.err);
}

#[test]
fn a_name_that_two_properties_share_is_refused() {
    let run = finished(command().args(["check", "twins.m", "--property", "same name"]).output().expect("runs"));
    let run = run.exits(3);
    assert!(run.err.contains("error[ambiguous-property]"), "{}", run.err);
}

#[test]
fn deadlock_modes_differ() {
    // The broken machine can rust, which changes nothing.
    burnside("check lost.m --deadlock stuttering").exits(1);
    let run = burnside("check lost.m --deadlock stuck").exits(1);
    assert!(run.out.contains("liveness property"), "{}", run.out);
    burnside("check deadlock.m --deadlock off").exits(0);
}

#[test]
fn both_search_orders_agree() {
    for order in ["bfs", "dfs"] {
        let report = burnside(&format!("check turns.m --search {order} --json -")).exits(0).report();
        assert_eq!((report["states"].as_u64(), report["rules_fired"].as_u64()), (Some(9), Some(9)), "{order}");
        burnside(&format!("check mutex.m --search {order}")).exits(1);
    }
}

#[test]
fn explanations_are_shown_and_counted_in_every_mode() {
    let model = "check sum-of-ids.m --deadlock off --engine interpolant";
    for (mode, states) in [("nsr", 1024), ("rsr", 1024), ("si", 1024), ("csr", 11), ("csr-all", 11)] {
        let report = burnside_in("examples", &format!("{model} --interpolant {mode} --json -")).exits(0).report();
        assert_eq!(report["states"].as_u64(), Some(states), "{mode}");
        let (visited, subsumed) = (report["visited"].as_u64(), report["subsumed"].as_u64());
        assert_eq!(visited.zip(subsumed).map(|(visited, subsumed)| visited - subsumed), Some(states), "{mode}");
    }
    let told = burnside_in("examples", &format!("{model} -v -D N=6")).exits(0).out;
    assert!(told.contains("with 5 for 4, 4 for 5") && told.contains("sum + 5 + 6 <= 21"), "{told}");
}

#[test]
fn engines_and_strategies_on_offer_work() {
    for engine in ["auto", "explicit", "adaptive"] {
        for symmetry in ["auto", "off", "cells", "adaptive"].into_iter().chain(STRATEGIES) {
            burnside(&format!("check turns.m --engine {engine} --symmetry {symmetry}")).exits(0);
            burnside(&format!("check mutex.m --engine {engine} --symmetry {symmetry}")).exits(1);
        }
    }
}

#[test]
fn threads_store_and_compilation_do_not_matter() {
    let report = |model: &str, options: &str| {
        let mut report = burnside(&format!("check {model} --json - {options}")).report();
        for measured in ["seconds", "setup_seconds", "peak_bytes", "audited", "options"] {
            report[measured] = serde_json::Value::Null;
        }
        report
    };
    for model in ["turns.m", "mutex.m", "post.m", "fault.m"] {
        for options in ["-j 2", "-j 3 --no-jit", "--store compressed", "--no-jit"] {
            assert_eq!(report(model, options), report(model, ""), "{model} {options}");
        }
    }
}

#[test]
fn fingerprints_never_prove_anything() {
    let run = burnside("check counter.m -D N=2 --store fingerprint").exits(2);
    assert!(run.out.contains("states were told apart by 64-bit hashes"), "{}", run.out);
    burnside("check mutex.m --store fingerprint").exits(1);
    let run = burnside("check turns.m --store fingerprint").exits(3);
    assert!(run.err.contains("error[unsupported]"), "{}", run.err);
}

#[test]
fn symmetric_states_are_stored_once() {
    let report = |options: &str| burnside(&format!("check mutex.m -D N=4 --json - {options}")).report();
    let (all, orbits) = (report("--symmetry off"), report("--symmetry refine"));
    assert_eq!(all["symmetry"]["group_order"], "1");
    assert_eq!(orbits["symmetry"]["strategy"], "refine");
    assert_eq!(orbits["symmetry"]["group_order"], "24");
    assert!(orbits["states"].as_u64() < all["states"].as_u64());
    assert_eq!(orbits["depth"], all["depth"]);
}

#[test]
fn strategies_store_what_they_promise() {
    let report = |strategy: &str, code: i32| {
        burnside(&format!("check {EMAIL} --json - --symmetry {strategy}")).exits(code).report()
    };
    let orbits = report("refine", 0)["states"].as_u64();
    for strategy in STRATEGIES {
        let report = report(strategy, if strategy == "marker" { 2 } else { 0 });
        assert_eq!(report["symmetry"]["strategy"], strategy);
        let is_exact = !["sort", "local", "marker"].contains(&strategy);
        assert_eq!(report["symmetry"]["exact"], is_exact, "{strategy}");
        match strategy {
            "sort" | "local" => assert!(report["states"].as_u64() >= orbits, "{strategy}"),
            "marker" => assert!(report["states"].as_u64() <= orbits),
            _ => assert_eq!(report["states"].as_u64(), orbits, "{strategy}"),
        }
    }
}

#[test]
fn markers_never_prove_anything() {
    let run = burnside(&format!("check {EMAIL} --symmetry marker")).exits(2);
    assert!(run.out.contains("states with equal symmetry markers"), "{}", run.out);
}

#[test]
fn a_strategy_with_a_memory_uses_one_thread_and_says_so() {
    let run = burnside(&format!("check {EMAIL} --symmetry first -j 2")).exits(0);
    assert!(run.err.contains("symmetry first uses one thread, not 2"), "{}", run.err);
    let run = burnside("check mutex.m -D N=10 --symmetry flood").exits(3);
    assert!(run.err.contains("a group of order 3628800"), "{}", run.err);
}

#[test]
fn orbits_are_counted_on_demand() {
    // All start states of the model are symmetric, so the orbits hold the reachable states.
    let plain = burnside(&format!("check {EMAIL} --json - --symmetry off")).report();
    let report = burnside(&format!("check {EMAIL} --json - --symmetry refine --orbits")).exits(0).report();
    let sizes = report["symmetry"]["orbit_sizes"].as_array().expect("a list");
    let size = |it: &serde_json::Value| it["size"].as_str().and_then(|size| size.parse::<u64>().ok());
    let total: u64 = sizes.iter().map(|it| size(it).unwrap_or(0) * it["states"].as_u64().unwrap_or(0)).sum();
    assert_eq!(Some(total), plain["states"].as_u64());
    assert!(burnside(&format!("check {EMAIL} --json -")).report()["symmetry"].get("orbit_sizes").is_none());
}

#[test]
fn strategies_are_compared_side_by_side() {
    let (json, html) = (scratch("compared.json"), scratch("compared.html"));
    let files = format!("--json {} --html {}", json.display(), html.display());
    let run = burnside(&format!("compare {EMAIL} {files}")).exits(0);
    let compared: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(json).expect("written")).expect("JSON");
    let rows = compared["strategies"].as_array().expect("a list");
    let names: Vec<&str> = rows.iter().filter_map(|row| row["strategy"].as_str()).collect();
    assert_eq!(names, [&["off"][..], &STRATEGIES, &["cells", "adaptive"]].concat());
    assert!(names.iter().all(|name| run.out.contains(&format!("\n  {name} "))), "{}", run.out);
    assert!(
        rows.iter().all(|row| row["verdict"] == if row["strategy"] == "marker" { "inconclusive" } else { "holds" })
    );
    assert!(!compared["orbit_sizes"].as_array().expect("a list").is_empty());
    let page = std::fs::read_to_string(html).expect("written");
    assert_eq!(page.matches("class=\"bars\"").count(), 4);
    assert!(!page.contains("<script") && !page.contains("src="), "{page}");
    burnside("compare mutex.m").exits(1);
    burnside("compare broken.m").exits(3);
    burnside("compare -").exits(3);
    burnside(&format!("compare {EMAIL} --states 5")).exits(2);
}

#[test]
fn a_loop_that_takes_too_long_is_a_fault() {
    let run = burnside("check loop.m --loop-limit 5").exits(1);
    assert!(run.out.contains("error[loop-limit]"), "{}", run.out);
    assert!(run.out.contains("help: allow more rounds with `--loop-limit`"), "{}", run.out);
    burnside("check loop.m --loop-limit 50").exits(0);
}

#[test]
fn undefined_copies_are_faults_on_demand() {
    burnside("check copy.m").exits(0);
    let run = burnside("check copy.m --strict-undefined").exits(1);
    assert!(run.out.contains("error[undefined-read]"), "{}", run.out);
}

#[test]
fn quiet_leaves_the_verdict() {
    let run = burnside("check mutex.m -q").exits(1);
    assert_eq!(run.out, "violated: invariant \"mutual exclusion\" of mutex.m fails after 4 steps\n");
    assert_eq!(run.err, "");
}

#[test]
fn colours_only_when_wanted() {
    let coloured = |args: &str| burnside(args).out.contains("\x1b[");
    assert!(!coloured("check mutex.m"), "standard output is no terminal");
    assert!(coloured("check mutex.m --color always"));
    assert!(coloured("--color always check mutex.m"));
    assert!(!coloured("check mutex.m --color never"));
    assert!(burnside("check broken.m --color always").err.contains("\x1b["));
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = burnside(&format!("completions {shell}")).exits(0);
        assert!(run.out.contains("burnside") && run.out.contains("simulate"), "{shell}");
    }
}

#[test]
fn a_report_that_cannot_be_written_exits_4() {
    for option in ["--json", "--trace-file", "--certificate"] {
        let run = burnside(&format!("check mutex.m {option} no-such-directory/file")).exits(4);
        assert!(run.err.contains("burnside: cannot write `no-such-directory/file`"), "{}", run.err);
    }
}

#[test]
fn a_closed_pipe_is_no_reason_to_fail() {
    let mut child = command().args(["check", "mutex.m"]).stdout(Stdio::piped()).spawn().expect("the binary runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn explanations_are_tried_where_the_adaptive_search_gives_up() {
    let told = burnside("check late-sum.m --deadlock off -v").exits(0).out;
    assert!(told.contains("engine interpolant is tried if the adaptive search gives up"), "{told}");
    assert!(told.contains("455 control configurations at most"), "{told}");
    assert!(told.contains("interpolant engine") && told.contains("symmetry adaptive was given up"), "{told}");
    let report = burnside("check late-sum.m --deadlock off --json -").exits(0).report();
    assert_eq!((report["engine"].as_str(), report["states"].as_u64()), (Some("interpolant"), Some(455)));
}

#[test]
fn a_violation_behind_the_adaptive_search_is_shown_by_a_shortest_execution() {
    let report = burnside("check late-sum.m --deadlock off -D Bound=40 --json -").exits(1).report();
    assert_eq!(report["engine"].as_str(), Some("explicit"));
}
